"""Find oracles of many graphs, optionally with confidences, margins and sentence scores; compute exact totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import zip_longest
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from latticemetric.corpus.answered_together import AnsweredTogether
from latticemetric.corpus.occurrences import Occurrence, Occurrences
from latticemetric.corpus.pairing import Pair, missed, readable
from latticemetric.corpus.run import Run
from latticemetric.corpus.several_metrics import answers_by
from latticemetric.corpus.string_scores import Strings, StringScorer, StringTotals
from latticemetric.errors import InputError, LatticeMetricError, UsageError
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Weights
from latticemetric.metrics.base import GraphReference
from latticemetric.metrics.character_rates import GCR
from latticemetric.metrics.recognition import GRR, EditRate
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.metrics.registry import make_metric
from latticemetric.oracle_search.oracle import oracle_by_rate
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.scored_path import Oracle, ScoredPath
from latticemetric.oracle_search.settings import ByAutomaton, ByCompounds, ByCorpusBLEU, ByRate, SearchSettings

if TYPE_CHECKING:
    from latticemetric.corpus.margins import Margins, MarginTotals
    from latticemetric.corpus.oracle_columns import FoundOracles, OracleRow
    from latticemetric.evaluation.word_tags.evaluation import ConfidenceSweep
    from latticemetric.metrics.alignment import Alignment

State = dict[str, Any]

# The settings of a search that decide which margins there are; merged shards need them.
_WANTED = ("nbest", "hope", "fear", "on", "worst", "graphs")


class Confidences(NamedTuple):
    """The confidences of the words of the oracle and of the 1-best: the posterior probability of each word's arc."""

    oracle: tuple[float, ...]
    one_best: tuple[float, ...]


@dataclass(frozen=True)
class OracleAnswer:
    """The answer for one pair: an oracle, or the error of the search.

    An answer has both if the oracle was found, but the search for a hope, fear or worst string failed. An oracle that
    was found together with many others is made when it is first read.

    Attributes:
        name: The id of the pair.
        problem: The error of the search that failed.
        missed: The statistics to count for the search that failed: all words of the reference are deleted.
        strings: The words of the oracle, the 1-best and the references, for string metrics; `None` if there are none.
        sentence_scores: The sentence scores of this pair, by metric and side (oracle, 1-best).
        where: The file and line of the graph.
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
    occurrence: Occurrence | None = None

    @classmethod
    def of_row(cls, row: OracleRow) -> Self:
        """Return the answer for a pair whose oracle was found together with others."""
        answer = object.__new__(cls)
        vars(answer).update(name=row.name, _row=row, where=row.where, occurrence=row.occurrence())
        return answer

    @property
    def row(self) -> OracleRow | None:
        """The oracle among those that were found together with it; `None` if it was found alone."""
        return vars(self).get("_row")

    def __getattr__(self, name: str) -> Any:
        """Make the oracle, if it was found together with others."""
        if name != "oracle" or self.row is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        best = vars(self)["oracle"] = self.row.oracle()
        return best

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}  # without the other oracles

    @property
    def value(self) -> Self | None:
        """The answer itself; `None` if the search for the oracle failed."""
        return None if self.row is None and self.oracle is None else self

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
    def numerator(self) -> int | float:
        """The numerator of the metric's value: the errors for error rates."""
        return self._found.numerator

    @property
    def denominator(self) -> int | float:
        """The denominator of the metric's value."""
        return self._found.denominator

    @property
    def statistics(self) -> RecognitionStatistics:
        """The matches, substitutions, deletions and insertions."""
        return self._found.statistics

    @property
    def cost(self) -> float:
        """The model's cost of the oracle."""
        return self._found.cost

    @property
    def reference(self) -> Any:
        """The words of the reference in `alignment`."""
        return self._found.reference

    @property
    def one_best(self) -> ScoredPath:
        """The model's 1-best, and its score."""
        return self._found.one_best

    def asdict(self) -> dict[str, Any]:
        """Return the fields of the JSON record.

        Fields:
            id (str): The graph's id.
            numerator (float): The numerator of this value: the errors for error rates, otherwise the gain, which is an
                integer unless α or β is a fraction.
            denominator (float): The denominator of this value.
            cost (float): The model's cost (−log weight) under the given weights.
            reference (str): The reference that the path scores best against, as given, with ignored words.
            one_best (Mapping): The model's own best path, scored against the references in the same way. Its
                denominator may come from another reference.
            alignment (str): One letter for each edit: C match, S substitution, D deletion, I insertion; counted words
                only.
            sentence_scores (Mapping): By metric, `oracle` and `one_best`, each a number or `None`, computed as for a
                test set of this item alone. (The field `scores` of an item has the graph's own columns.)
            confidences (list[float]): The posterior of the arc of each word.
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


class OracleAnswers(AnsweredTogether[OracleAnswer]):
    """Answers for pairs that follow each other, whose oracles were found together.

    Attributes:
        found: The oracles.
        rows: Those of the pairs.
    """

    def __init__(self, found: FoundOracles, rows: range) -> None:
        self.found, self.rows = found, rows

    @property
    def names(self) -> list[str]:
        """The ids of the pairs."""
        return self.found.lattices.names[self.rows.start : self.rows.stop]

    def __len__(self) -> int:
        return len(self.rows)

    def answer(self, number: int) -> OracleAnswer:
        """Make an answer."""
        from latticemetric.corpus.oracle_columns import OracleRow

        return OracleAnswer.of_row(OracleRow(self.found, self.rows[number]))


def oracles_of(
    pairs: Iterable[Pair],
    search: SearchSettings,
    run: Run,
    *,
    weights: Weights | None = None,
    rewritten_by: str | None = None,
    sentence_scores: bool = True,
) -> Iterator[Any]:
    """Yield the answer for each graph, in order (see `answer_each`), by any kind of search.

    Args:
        pairs: The graphs and their references.
        search: The settings of the search.
        run: The settings of the run.
        weights: Weight of each score column in the model's cost.
        rewritten_by: The steps that rewrote the texts, for signatures.
        sentence_scores: With `also_score`: False to score only the corpus, not each sentence.
    """
    match search:
        case ByRate():
            asked = OracleSearch(search, weights, scorer_of(search, rewritten_by, each=sentence_scores))
            return answers_by(asked, pairs, run)
        case ByCompounds():
            from latticemetric.corpus.compounds import compound_oracles

            return compound_oracles(pairs, run, weights=weights)
        case ByAutomaton():
            from latticemetric.corpus.user_automaton import automaton_oracles

            return automaton_oracles(pairs, search.automaton, run, weights=weights)
        case ByCorpusBLEU():
            from latticemetric.corpus.corpus_bleu import corpus_oracles

            return corpus_oracles(pairs, search, run, weights=weights, rewritten_by=rewritten_by)
        case _:
            raise AssertionError(f"no run is known for {search!r}")


def scorer_of(search: ByRate, rewritten_by: str | None, *, each: bool = True) -> StringScorer | None:
    """Return the scorer of oracles and 1-bests by the metrics of `also_score`; `None` if there are none."""
    return (
        StringScorer(search.string_metrics, search.rate.ignore, each, rewritten_by) if search.string_metrics else None
    )


class OracleSearch(NamedTuple):
    """The search of graphs by one rate: its settings, the weights of score columns, and the scorer of strings."""

    by: ByRate
    weights: Weights | None
    scorer: StringScorer | None

    @property
    def rate(self) -> GRR:
        """The metric."""
        return self.by.rate

    @property
    def is_plain(self) -> bool:
        """True if only oracles are sought, by the engine that is chosen without further settings."""
        by = self.by
        return not (by.finds_more or by.posteriors or self.scorer is not None) and by.engine in ("auto", "native")

    def found(self, found: FoundOracles, rows: range) -> OracleAnswers:
        """Return the answers for pairs whose oracles were found together."""
        return OracleAnswers(found, rows)

    def of_graph(
        self, pair: Pair, graph: Graph, references: Sequence[GraphReference], *, keep_going: bool
    ) -> OracleAnswer:
        """Find the oracle of a graph, and the further results.

        If the oracle is found, but the search for a hope, fear or worst string fails, raise the error; with
        `keep_going`, return the oracle and the error.
        """
        by, scores = self.by, None
        best = oracle_by_rate(graph, references, by.rate, weights=self.weights, engine=by.engine)
        margins = None
        if by.finds_more:
            from latticemetric.corpus.margins import margins_of

            margins = margins_of(graph, references, by, self.weights, keep_going=keep_going)
        problem = None if margins is None else margins.problem
        confidences = self._confidences(graph, best) if by.posteriors else None
        strings = None
        if self.scorer is not None:
            strings = self.scorer.strings(best, strings_of_references(references))
            scores = self.scorer.sentence(strings) if self.scorer.each else None
        return OracleAnswer(
            pair.name,
            best,
            problem and problem.at(pair.place),
            missed(pair, by.rate) if problem is not None else None,
            strings,
            scores,
            confidences,
            margins,
            pair.where,
            Occurrence.of(graph, references, best),
        )

    def failed(self, pair: Pair, error: LatticeMetricError) -> OracleAnswer:
        """Return the answer for a pair whose search failed with `error`."""
        strings = None
        if self.scorer is not None and pair.references:
            strings = self.scorer.strings(None, readable(pair))
        return OracleAnswer(pair.name, None, error, missed(pair, self.by.rate), strings, where=pair.where)

    def _confidences(self, graph: Graph, best: Oracle) -> Confidences:
        from latticemetric.posterior.posteriors import Posteriors, posteriors

        distribution = posteriors(graph, posterior_scale=self.by.posterior_scale, weights=self.weights)
        if not isinstance(distribution, Posteriors):
            raise InputError("confidences need a lattice, but this graph is a forest", advice="leave confidences out")
        return Confidences(distribution.confidences(best), distribution.confidences(best.one_best))


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
        if not tags and failed:
            from latticemetric.corpus.run import NoAnswersError

            raise NoAnswersError("all graphs failed, so there is no result", advice="see the errors of the graphs")
        if not tags:
            raise UsageError("no lattice could be evaluated", advice="give at least one")
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
            one_best (Mapping): The same seven numbers of the model's 1-bests.
        """
        best, one_best = (self._scored(side, metric, references) for side in (self.best, self.one_best))
        return {**best, "one_best": one_best, "lattices": self.lattices, "failed": self.failed}

    @staticmethod
    def _scored(side: RecognitionStatistics, metric: GRR, references: int | str) -> dict[str, Any]:
        score, counts = metric.corpus_score(side, references), side.asdict()
        rate = {"score": score.score, "numerator": score.numerator, "denominator": score.denominator}
        return rate | {name: counts[name] for name in ("matches", "substitutions", "deletions", "insertions")}


class OracleSums:
    """The totals of many answers: statistics of oracles, 1-bests and margins, and of strings for string metrics."""

    def __init__(self, search: ByRate, references: int | str, rewritten_by: str | None = None) -> None:
        self.search, self.metric, self.references = search, search.rate, references
        self.signature = self.metric.signature_for(references).also(norm=rewritten_by)
        self._occurrences = Occurrences()
        self._zero = RecognitionStatistics.zero(self.metric.order)
        self._totals = Totals(self._zero, self._zero)
        self._together: FoundOracles | None = None
        self._rows: list[int] = []  # of `_together`, which are not yet added to the totals
        scorer = scorer_of(search, rewritten_by)
        self.strings = None if scorer is None else StringTotals(scorer)
        self.margins: MarginTotals | None = None
        if search.finds_more:
            from latticemetric.corpus.margins import MarginTotals

            self.margins = MarginTotals(search)

    @property
    def totals(self) -> Totals:
        """The totals of the answers so far."""
        self._add_waiting()
        return self._totals

    @property
    def occurrences(self) -> Occurrences:
        """The reference words that occur in the graphs so far."""
        self._add_waiting()
        return self._occurrences

    def add(self, answer: OracleAnswer) -> None:
        """Add one answer."""
        if answer.row is not None and self.strings is None and self.margins is None:
            self.add_rows(answer.row.found, [answer.row.number])
            return
        if answer.oracle is not None:
            self._totals += Totals(answer.oracle.statistics, answer.oracle.one_best.statistics, lattices=1)
        else:
            missed = answer.missed or self._zero
            self._totals += Totals(missed, missed, failed=1)
        if answer.oracle is not None:
            self._occurrences.add(len(answer.oracle.reference), answer.occurrence)
        if self.strings is not None:
            self.strings.add(answer.strings)
        if self.margins is not None:
            self.margins.add(answer.margins, answer.missed)

    def add_rows(self, found: FoundOracles, rows: Iterable[int]) -> None:
        """Add answers that were found together."""
        if found is not self._together:
            self._add_waiting()
            self._together = found
        self._rows += rows

    def _add_waiting(self) -> None:
        if self._together is None or not self._rows:
            return
        best, one_best = self._together.sums(self._rows)
        self._totals += Totals(best, one_best, lattices=len(self._rows))
        self._together.add_occurrences(self._rows, self._occurrences)
        self._rows = []

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
        if self.margins is not None:
            wanted = {name: getattr(self.search, name) for name in _WANTED}
            state |= {"wanted": wanted, "extremes": self.margins.state()}
        if self.strings is not None:
            state |= self.strings.state()
        return state

    @classmethod
    def merged(cls, states: Sequence[State], *, posteriors: bool = False) -> Self:
        """Return the totals of all shards; `states` has the values that `state` returned for each shard, in order.

        `posteriors` is true if the answers have the confidences of words.
        """
        first = states[0]
        settings = {"metric": metric_of(first["metric"]), "posteriors": posteriors, **first.get("wanted", {})}
        rewritten_by = None
        if "scorer" in first:
            scorer = StringScorer.of_state(first["scorer"])
            settings["also_score"], rewritten_by = scorer.metrics, scorer.normalize
        sums = cls(ByRate(**settings), first["references"], rewritten_by)
        for state in states:
            best, one_best = (RecognitionStatistics.of_columns(state[name]) for name in ("best", "one_best"))
            sums._totals += Totals(best, one_best, state["lattices"], state["failed"])
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
