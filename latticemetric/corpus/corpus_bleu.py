"""Find one path per graph, so that all paths together have the best BLEU; all graphs are in memory at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from latticemetric.corpus.pairing import Pair, built
from latticemetric.corpus.string_scores import StringScorer
from latticemetric.errors import InputError, LatticeMetricError
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.metrics.base import GraphReference, number_each
from latticemetric.metrics.bleu import BLEU
from latticemetric.oracle_search.corpus_bleu import CorpusOracle, CorpusPath, corpus_oracle


@dataclass(frozen=True)
class CorpusPathAnswer:
    """The answer for one lattice: its path in the corpus oracle, or the error.

    `where` is the file and line of the lattice.
    """

    name: str
    path: CorpusPath | None
    problem: LatticeMetricError | None
    where: str

    @property
    def value(self) -> CorpusPath | None:
        """The path; `None` if the search failed."""
        return self.path

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        if self.path is None:
            return {"id": self.name, "error": str(self.problem)}
        return {"id": self.name, **self.path.asdict(), "alignment": self.path.path.alignment.edits}


@dataclass(frozen=True)
class CorpusAnswer:
    """The answers for all lattices, and the corpus oracle. In this oracle, a graph that failed has an empty output."""

    answers: tuple[CorpusPathAnswer, ...]
    oracle: CorpusOracle
    signature: str

    @property
    def failed(self) -> int:
        """The number of pairs that failed."""
        return sum(answer.problem is not None for answer in self.answers)

    def corpus(self) -> dict[str, Any]:
        """Return the fields of `corpus` in the JSON document."""
        oracle, signature = self.oracle, {"signature": self.signature}
        return {
            **oracle.corpus.asdict(),
            **signature,
            "start": {**oracle.start.asdict(), **signature},
            "one_best": {**oracle.one_best.asdict(), **signature},
            "sweeps": oracle.sweeps,
            "exact": oracle.exact,
            "lattices": len(self.answers) - self.failed,
            "failed": self.failed,
        }


def corpus_oracle_of(
    lattices: Iterable[Pair],
    metric: BLEU,
    *,
    ignore: Collection[str] = (),
    scales: Scales | None = None,
    keep_going: bool = False,
    normalize: str | None = None,
) -> CorpusAnswer:
    """Find the corpus oracle of all lattices. `normalize` is the name of the applied grammar, for the signature."""
    read = [_built(pair, ignore, keep_going=keep_going) for pair in lattices]
    usable = [(graph, references) for _, graph, references, _ in read if references]
    graphs, expected = [graph for graph, _ in usable], [references for _, references in usable]
    oracle = corpus_oracle(graphs, expected, metric, ignore=ignore, scales=scales)
    paths = iter(oracle.paths)
    answers = []
    for pair, _, references, problem in read:
        path = next(paths) if references else None
        answers.append(CorpusPathAnswer(pair.name, path if problem is None else None, problem, pair.where))
    number = number_each([len(references) for references in expected])
    scorer = StringScorer((metric,), frozenset(ignore), normalize=normalize)
    return CorpusAnswer(tuple(answers), oracle, str(scorer.signed(metric.signature_for(number))))


def _built(
    pair: Pair, ignored: Collection[str], *, keep_going: bool
) -> tuple[Pair, Graph, list[GraphReference], InputError | None]:
    try:
        with built(pair, ignored) as (graph, references):
            return pair, graph, references, None
    except InputError as error:
        if not keep_going:
            raise
        return pair, Lattice.from_strings([""]), pair.graph_references(), error
