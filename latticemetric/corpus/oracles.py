"""Find oracles of many graphs, optionally with confidences, margins and sentence scores; compute exact totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import partial
from itertools import zip_longest
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from latticemetric.corpus.occurrences import Occurrence, Occurrences
from latticemetric.corpus.pairing import Pair, built, missed, readable
from latticemetric.corpus.run import Run, answer_each
from latticemetric.corpus.string_scores import Strings, StringScorer, StringTotals
from latticemetric.errors import InputError, LatticeMetricError, UsageError
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Scales
from latticemetric.metrics.character_rates import GCR
from latticemetric.metrics.recognition import GRR, EditRate
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.metrics.registry import make_metric
from latticemetric.oracle_search.oracle import oracle_by_rate
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.scored_path import Oracle, ScoredPath

if TYPE_CHECKING:
    from latticemetric.corpus.margins import MarginOptions, Margins, MarginTotals
    from latticemetric.evaluation.word_tags.evaluation import ConfidenceSweep
    from latticemetric.metrics.alignment import Alignment

State = dict[str, Any]


class Confidences(NamedTuple):
    """The confidences of the words of the oracle and of the 1-best: the posterior probability of each word's arc."""

    oracle: tuple[float, ...]
    one_best: tuple[float, ...]


class BesideStatistics(NamedTuple):
    """Statistics by a second metric (`OracleSearch.beside`): of its oracle, and of the 1-best."""

    best: RecognitionStatistics
    one_best: RecognitionStatistics


@dataclass(frozen=True)
class OracleAnswer:
    """The answer for one pair: an oracle, or the error of the search.

    An answer has both if the oracle was found, but the search for a hope, fear or worst string failed.

    Attributes:
        name: The id of the pair.
        problem: The error of the search that failed.
        missed: The statistics to count for the search that failed: all words of the reference are deleted.
        strings: The words of the oracle, the 1-best and the references, for string metrics; `None` if there are none.
        sentence_scores: The sentence scores of this pair, by metric and side (oracle, 1-best).
        where: The file and line of the graph.
        beside: The statistics by the second metric.
        occurrence: Counts of the reference words in the graph; `None` if the oracle matches at least half of them.
    """

    name: str
    oracle: Oracle | None
    problem: LatticeMetricError | None = None
    missed: RecognitionStatistics | None = None
    strings: Strings | None = None
    sentence_scores: dict[str, dict[str, float | None]] | None = None
    confidences: Confidences | None = None
    margins: Margins | None = None
    where: str = ""
    beside: BesideStatistics | None = None
    occurrence: Occurrence | None = None

    @property
    def value(self) -> Self | None:
        """The answer itself; `None` if the search for the oracle failed."""
        return None if self.oracle is None else self

    @property
    def _found(self) -> Oracle:
        if self.oracle is None:
            raise self.problem or UsageError(f"there is no oracle of '{self.name}'")
        return self.oracle

    @property
    def words(self) -> tuple[str, ...]:
        """The words, without ε and ignored words."""
        return self._found.words

    @property
    def score(self) -> float | None:
        """The metric's value; `None` if the reference has no words."""
        return self._found.score

    @property
    def alignment(self) -> Alignment | None:
        """The alignment of the oracle with its reference."""
        return self._found.alignment

    @property
    def one_best(self) -> ScoredPath:
        """The model's 1-best, and its score."""
        return self._found.one_best

    def asdict(self) -> dict[str, Any]:
        """Return the fields of the JSON record.

        Fields:
            id (str): The graph's id.
            one_best (Mapping): The model's own best path, scored against the references in the same way. Its
                denominator may come from another reference.
            alignment (str): One letter for each edit: C match, S substitution, D deletion, I insertion; counted words
                only.
        """
        if self.oracle is None:
            return {"id": self.name, "error": str(self.problem)}
        scores = {} if self.sentence_scores is None else {"sentence_scores": self.sentence_scores}
        margins = {} if self.margins is None else self.margins.asdict()
        item = {"id": self.name, **self.oracle.asdict(), **scores, **margins}
        if self.confidences is not None:
            item["confidences"] = list(self.confidences.oracle)
            item["one_best"]["confidences"] = list(self.confidences.one_best)
        return item


class OracleSearch(NamedTuple):
    """Settings of the search in each lattice.

    Attributes:
        metric: The metric of the oracle.
        scales: Weight of each score column in the model's cost.
        engine: Name of the search engine.
        scorer: Scorer for string metrics of oracles and 1-bests; `None` for none.
        posterior_scale: Factor of the costs in posteriors, which are the confidences of words; `None` to compute no
            confidences.
        wanted: The margins to also search for, like n-best oracles or hope strings; `None` for none.
        beside: A second metric; if given, also find its oracle, for the totals only.
    """

    metric: GRR
    scales: Scales | None = None
    engine: str = "auto"
    scorer: StringScorer | None = None
    posterior_scale: float | None = None
    wanted: MarginOptions | None = None
    beside: GRR | None = None

    def answer(self, pair: Pair, *, keep_going: bool) -> OracleAnswer:
        """Find the oracle of one graph, and the further results.

        If the oracle is found, but the search for a hope, fear or worst string fails, raise the error; with
        `keep_going`, return the oracle and the error.
        """
        with built(pair, self.metric.ignore | self.metric.wildcard) as (graph, references):
            best = oracle_by_rate(graph, references, self.metric, scales=self.scales, engine=self.engine)
            margins = None
            if self.wanted is not None:
                from latticemetric.corpus.margins import margins_of

                margins = margins_of(graph, references, self.metric, self.wanted, self.scales, keep_going=keep_going)
            problem = None if margins is None else margins.problem
            confidences = None if self.posterior_scale is None else self._confidences(graph, best, self.posterior_scale)
            beside = None
            if self.beside is not None:
                other = oracle_by_rate(graph, references, self.beside, scales=self.scales, engine=self.engine)
                beside = BesideStatistics(other.statistics, other.one_best.statistics)
            occurrence = Occurrence.of(graph, references, best)
        strings = scores = None
        if self.scorer is not None:
            strings = self.scorer.strings(best, strings_of_references(pair.graph_references()))
            scores = self.scorer.sentence(strings) if self.scorer.each else None
        return OracleAnswer(
            pair.name,
            best,
            problem and problem.at(pair.place),
            missed(pair, self.metric) if problem is not None else None,
            strings,
            scores,
            confidences,
            margins,
            pair.where,
            beside,
            occurrence,
        )

    def failed(self, pair: Pair, error: InputError) -> OracleAnswer:
        """Return the answer for a pair whose search failed with `error`."""
        strings = None
        if self.scorer is not None and pair.references:
            strings = self.scorer.strings(None, readable(pair))
        beside = None if self.beside is None else missed(pair, self.beside)
        return OracleAnswer(
            pair.name,
            None,
            error,
            missed(pair, self.metric),
            strings,
            where=pair.where,
            beside=None if beside is None else BesideStatistics(beside, beside),
        )

    def _confidences(self, graph: Graph, best: Oracle, scale: float) -> Confidences:
        from latticemetric.posterior.posteriors import Posteriors, posteriors

        distribution = posteriors(graph, scale=scale, scales=self.scales)
        if not isinstance(distribution, Posteriors):
            raise InputError("confidences need a lattice, but this graph is a forest", advice="leave confidences out")
        return Confidences(distribution.confidences(best), distribution.confidences(best.one_best))


def oracles_of(lattices: Iterable[Pair], search: OracleSearch, run: Run) -> Iterator[OracleAnswer]:
    """Yield the answer for each lattice, in order; see `answer_each`."""
    return answer_each(partial(search.answer, keep_going=run.keep_going), search.failed, lattices, run)


@dataclass(frozen=True)
class ConfidenceEvaluation:
    """An evaluation of posteriors as confidences of the 1-bests' words.

    A word with a posterior below a threshold is predicted to be BAD, otherwise OK. The true tags come from the
    references.

    Attributes:
        sweep: The results for each threshold.
        lattices: Number of lattices that were evaluated.
        failed: Number of lattices that failed; the evaluation omits them.
        words: Number of words of the 1-bests.
        bad: Number of these words whose true tag is BAD.
    """

    sweep: ConfidenceSweep
    lattices: int
    failed: int
    words: int
    bad: int

    @classmethod
    def of(cls, answers: Iterable[OracleAnswer], thresholds: Sequence[float] = ()) -> Self:
        """Evaluate answers that have confidences; if `thresholds` is empty, use the default thresholds."""
        from latticemetric.evaluation.word_tags.evaluation import THRESHOLDS, sweep_thresholds
        from latticemetric.evaluation.word_tags.tags import WordTags

        tags, confidences, failed = [], list[float](), 0
        for answer in answers:
            if answer.oracle is None:
                failed += 1
                continue
            tags.append(answer.oracle.one_best.tags)
            confidences += answer.confidences.one_best if answer.confidences else ()
        if not tags:
            raise UsageError("no lattice could be evaluated", advice="see the errors of the lattices")
        gold = WordTags.of(tags)
        sweep = sweep_thresholds(gold, confidences, thresholds or THRESHOLDS)
        return cls(sweep, len(tags), failed, len(gold.bad), int(gold.bad.sum()))


# ---- Totals: the totals of shards add up exactly to the totals of the whole ----


@dataclass(frozen=True)
class Totals:
    """Statistics of oracles and 1-bests, and the numbers of searched and of failed graphs.

    Attributes:
        best: The summed statistics of the oracles.
        one_best: The summed statistics of the 1-bests.
        lattices: Graphs with an answer.
        failed: Pairs without an answer.
    """

    best: RecognitionStatistics
    one_best: RecognitionStatistics
    lattices: int = 0
    failed: int = 0

    def __add__(self, other: Self) -> Self:
        return type(self)(*map(add, vars(self).values(), vars(other).values()))

    def asdict(self, metric: GRR, references: int | str) -> dict[str, Any]:
        """Return the fields of `corpus` in the JSON document.

        Fields:
            score (float | None): Summed numerators over summed denominators.
            numerator (float): Summed numerators.
            denominator (int): Summed denominators.
            matches (int): Summed, as the next three counts.
            substitutions (int): Reference words replaced by another word.
            deletions (int): Reference words without a counterpart.
            insertions (int): Hypothesis words without a counterpart.
            one_best (Mapping): `score`, `numerator` and `denominator` of the model's 1-bests.
        """
        best, one_best = (
            {"score": score.score, "numerator": score.numerator, "denominator": score.denominator}
            for score in (metric.corpus_score(s, references) for s in (self.best, self.one_best))
        )
        counts = {name: self.best.asdict()[name] for name in ("matches", "substitutions", "deletions", "insertions")}
        return {**best, **counts, "one_best": one_best, "lattices": self.lattices, "failed": self.failed}


class OracleSums:
    """The totals of many answers: statistics of oracles, 1-bests and margins, and of strings for string metrics."""

    def __init__(
        self,
        metric: GRR,
        references: int | str,
        scorer: StringScorer | None = None,
        wanted: MarginOptions | None = None,
        beside: GRR | None = None,
    ) -> None:
        self.metric, self.references, self.wanted, self.beside = metric, references, wanted, beside
        self.occurrences = Occurrences()
        if beside is not None:
            none = RecognitionStatistics.zero(beside.order)
            self.beside_totals = Totals(none, none)
        self._zero = RecognitionStatistics.zero(metric.order)
        self.totals = Totals(self._zero, self._zero)
        self.strings = None if scorer is None else StringTotals(scorer)
        self.margins: MarginTotals | None = None
        if wanted is not None:
            from latticemetric.corpus.margins import MarginTotals

            self.margins = MarginTotals(wanted, metric.order)

    def add(self, answer: OracleAnswer) -> None:
        """Add one answer."""
        if answer.oracle is not None:
            self.totals += Totals(answer.oracle.statistics, answer.oracle.one_best.statistics, lattices=1)
        else:
            missed = answer.missed or self._zero
            self.totals += Totals(missed, missed, failed=1)
        if answer.beside is not None:
            self.beside_totals += Totals(answer.beside.best, answer.beside.one_best)
        if answer.oracle is not None:
            self.occurrences.add(len(answer.oracle.reference), answer.occurrence)
        if self.strings is not None:
            self.strings.add(answer.strings)
        if self.margins is not None:
            self.margins.add(answer.margins, answer.missed)

    def counted(self, answers: Iterable[OracleAnswer]) -> Iterator[OracleAnswer]:
        """Yield the answers, and add each of them to the totals."""
        for answer in answers:
            self.add(answer)
            yield answer

    def corpus(self) -> dict[str, Any]:
        """Return the fields of `corpus` in the JSON document."""
        corpus = self.totals.asdict(self.metric, self.references)
        if self.margins is not None:
            corpus |= self.margins.asdict(self.metric, self.references)
        if self.strings is not None:
            corpus["scores"] = self.strings.asdict(self.references)
        if self.beside is not None:
            totals = self.beside_totals.asdict(self.beside, self.references)
            corpus[self.beside.name] = {name: totals[name] for name in totals if name not in {"lattices", "failed"}}
        return corpus

    def state(self) -> State:
        """Return the totals as plain values for JSON; `merged` reads them."""
        totals = self.totals
        state: State = {
            "metric": metric_state(self.metric),
            "references": self.references,
            "best": totals.best.as_columns(),
            "one_best": totals.one_best.as_columns(),
            "lattices": totals.lattices,
            "failed": totals.failed,
        }
        if self.wanted is not None and self.margins is not None:
            state |= {"wanted": asdict(self.wanted), "extremes": self.margins.state()}
        if self.strings is not None:
            state |= self.strings.state()
        if self.beside is not None:
            totals = self.beside_totals
            columns = {"best": totals.best.as_columns(), "one_best": totals.one_best.as_columns()}
            state["beside"] = {"metric": metric_state(self.beside), **columns}
        return state

    @classmethod
    def merged(cls, states: Sequence[State]) -> Self:
        """Return the totals of all shards; `states` has the values that `state` returned for each shard, in order."""
        first = states[0]
        scorer = StringScorer.of_state(first["scorer"]) if "scorer" in first else None
        wanted = None
        if "wanted" in first:
            from latticemetric.corpus.margins import MarginOptions

            weights = {name: tuple(first["wanted"][name]) for name in ("hope", "fear")}
            wanted = MarginOptions(**first["wanted"] | weights)
        beside = metric_of(first["beside"]["metric"]) if "beside" in first else None
        sums = cls(metric_of(first["metric"]), first["references"], scorer, wanted, beside)
        for state in states:
            if beside is not None:
                best, one_best = (RecognitionStatistics.of_columns(state["beside"][k]) for k in ("best", "one_best"))
                sums.beside_totals += Totals(best, one_best)
            best, one_best = (RecognitionStatistics.of_columns(state[name]) for name in ("best", "one_best"))
            sums.totals += Totals(best, one_best, state["lattices"], state["failed"])
            if sums.margins is not None:
                sums.margins.add_state(state["extremes"])
        if sums.strings is not None:
            for turn in zip_longest(*(state["strings"] for state in states), fillvalue=None):
                sums.strings.add_states(turn)
        return sums


def metric_state(metric: GRR) -> dict[str, Any]:
    """Return the name and the parameters of a metric, for JSON."""
    penalties = {"alpha": str(Fraction(metric.alpha)), "beta": str(Fraction(metric.beta))}
    weight = {"substitution": str(metric.substitution)} if isinstance(metric, EditRate) else {}
    characters = {"spaces": metric.spaces, "unicode": metric.unicode} if isinstance(metric, GCR) else {}
    words = {"ignore": sorted(metric.ignore), "wildcard": sorted(metric.wildcard)}
    given = {name: value for name, value in words.items() if value}
    return {
        "spec": metric.name,
        "parameters": {**(penalties if type(metric) in (GRR, GCR) else weight), **characters, **given},
    }


def metric_of(state: Mapping[str, Any]) -> GRR:
    """Return the metric from the values that `metric_state` returned."""
    metric = make_metric(state["spec"], **state["parameters"])
    assert isinstance(metric, GRR)
    return metric
