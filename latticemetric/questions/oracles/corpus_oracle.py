"""The best that some graphs could have said together, by BLEU, which no sum over sentences is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from latticemetric.errors import UsageError
from latticemetric.formats.registry import Graph
from latticemetric.lattice import Scales
from latticemetric.metrics.base import CorpusScore, GraphReferences, Tally, number_each
from latticemetric.metrics.bleu import BLEU
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.reference_checks import checked_corpus
from latticemetric.metrics.registry import make_metric
from latticemetric.questions.oracles.bleu_ascent import Ascent, Member
from latticemetric.questions.oracles.oracle import as_searched
from latticemetric.questions.oracles.readings import readings_of
from latticemetric.questions.oracles.scored_path import ScoredPath
from latticemetric.vocabulary import word_set


@dataclass(frozen=True)
class CorpusPath:
    """What one of the graphs says in the oracle of the corpus.

    Attributes:
        path: Its path or derivation, as 4-GRR scores it.
        score: The metric's value for this sentence alone; `None` where it is undefined.
        headroom: How much log BLEU another path could add, to first order and without clipping: none adds more.
        one_best: The model's own best path.
        one_best_score: The metric's value for that.
    """

    path: ScoredPath
    score: float | None
    headroom: float
    one_best: ScoredPath
    one_best_score: float | None

    @property
    def words(self) -> tuple[str, ...]:
        """What the path says, without ignored words."""
        return self.path.words

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON: counts are those of the words' alignment."""
        nothing = {"numerator": None, "denominator": None}
        one_best = {**self.one_best.asdict(), "score": self.one_best_score, **nothing}
        return {
            **self.path.asdict(),
            **self.path.details(exact=False),
            "score": self.score,
            **nothing,
            "headroom": self.headroom,
            "one_best": one_best,
        }


@dataclass(frozen=True)
class CorpusOracle:
    """Paths of some graphs that together have a BLEU that no change of one of them was found to raise.

    Of graphs with at most 1000 paths, no change of one of them raises it.

    Attributes:
        paths: One a graph.
        corpus: Their score.
        start: The score of the 4-GRR oracles, where the ascent began: never above `corpus`.
        one_best: The score of the models' own best paths.
        sweeps: How often all graphs were gone through.
        exact: Whether nothing better can be in the graphs: never known.
    """

    paths: tuple[CorpusPath, ...]
    corpus: CorpusScore[Tally]
    start: CorpusScore[Tally]
    one_best: CorpusScore[Tally]
    sweeps: int
    exact: bool = False

    @property
    def score(self) -> float | None:
        """BLEU of the corpus."""
        return self.corpus.score

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        scores = {name: getattr(self, name).asdict() for name in ("corpus", "start", "one_best")}
        return {**scores, "sweeps": self.sweeps, "exact": self.exact, "paths": [path.asdict() for path in self.paths]}


def corpus_oracle(
    graphs: Iterable[Graph],
    references: Sequence[GraphReferences],
    metric: str | BLEU = "bleu",
    *,
    ignore: Collection[str] = (),
    scales: Scales | None = None,
) -> CorpusOracle:
    """The paths of some graphs whose BLEU is best together.

    BLEU does not decompose into sentences, so this is an ascent: from the 4-GRR oracles, each graph in turn is searched
    by the linearisation of log BLEU around the totals of all, and says what is found where the corpus is better for it;
    until nothing moves. Of graphs with at most 1000 paths, all strings are tried as well: no other string of such a
    graph, the rest unchanged, makes the corpus better. The answer is never worse than the 4-GRR oracles; that nothing
    is better is not known.

    Args:
        graphs: Lattices, forests or n-best lists; all are held in memory.
        references: One or several for each graph.
        metric: `bleu`, `bleu-sbp`, or an object of them.
        ignore: Words that are not counted: `<s>` and the like.
        scales: Weight of each score column in the model's cost, which decides between paths that gain alike.

    Examples:
        >>> from latticemetric import Lattice
        >>> graphs = [Lattice.from_strings(["a b c d", "a b x"]), Lattice.from_strings(["e f g h", "e f g h i j"])]
        >>> best = corpus_oracle(graphs, ["a b c d", "e f g h i"])
        >>> [" ".join(path.words) for path in best.paths], round(best.score, 4)
        (['a b c d', 'e f g h'], 0.8825)
    """
    chosen = as_bleu(metric)
    ignored = word_set(ignore, "ignore")
    listed = [readings_of(several) for several in checked_corpus(references)]
    members = _members(graphs, listed, GRR(4, ignore=ignored), chosen.order, scales)
    signature = _signature(chosen, number_each([len(several) for several in listed]), ignore)
    start = Ascent(chosen, members, [member.oracle() for member in members])
    one_best = Ascent(chosen, members, [member.searched.one_best() for member in members])
    best = Ascent(chosen, members, start.paths)
    sweeps = best.climb()
    return CorpusOracle(
        paths=tuple(_path(k, chosen, member, best, one_best) for k, member in enumerate(members)),
        corpus=_score(chosen, best, signature),
        start=_score(chosen, start, signature),
        one_best=_score(chosen, one_best, signature),
        sweeps=sweeps,
    )


def as_bleu(metric: str | BLEU) -> BLEU:
    """The metric object of a name, if it is one that corpora are searched by."""
    chosen = make_metric(metric) if isinstance(metric, str) else metric
    if not isinstance(chosen, BLEU):
        name = metric if isinstance(metric, str) else chosen.name
        raise UsageError(f"corpora are not searched by '{name}'", advice="use bleu or bleu-sbp; for rates, see oracle")
    if chosen.stem:
        raise UsageError("graphs are searched by words, not by stems", advice="use bleu or bleu-sbp")
    return chosen


def _signature(metric: BLEU, references: int | str, ignore: Collection[str]) -> str:
    signature = metric.signature_for(references)
    return str(signature.also(ignore=",".join(sorted(ignore))) if ignore else signature)


def _members(
    graphs: Iterable[Graph],
    references: Sequence[Sequence[tuple[str, ...]]],
    recognition: GRR,
    order: int,
    scales: Scales | None,
) -> list[Member]:
    searched = [as_searched(graph, recognition, scales) for graph in graphs]
    if len(searched) != len(references):
        raise UsageError(f"there are {len(searched)} graphs, and references for {len(references)}")
    return [Member(graph, several, order, scales) for graph, several in zip(searched, references, strict=True)]


def _score(metric: BLEU, ascent: Ascent, signature: str) -> CorpusScore[Tally]:
    total = Tally(metric.columns, tuple(ascent.totals.tolist()))
    return CorpusScore(metric.value(total), None, None, total, signature)


def _path(k: int, metric: BLEU, member: Member, best: Ascent, one_best: Ascent) -> CorpusPath:
    score, one_best_score = (metric.value(Tally(metric.columns, tuple(a.rows[k].tolist()))) for a in (best, one_best))
    return CorpusPath(
        member.scored(best.paths[k]), score, best.headroom(k), member.scored(one_best.paths[k]), one_best_score
    )
