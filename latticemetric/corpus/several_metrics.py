"""Ask graphs by one or several metrics; each graph is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from latticemetric.corpus.answered_together import AnsweredTogether
from latticemetric.corpus.blocks import answered_in_blocks, may_be_blocks
from latticemetric.corpus.pairing import Pair, built
from latticemetric.corpus.run import Run, answer_each, answering, continued, losing, mapped
from latticemetric.errors import InputError, LatticeMetricError
from latticemetric.graph import Graph
from latticemetric.metrics.base import GraphReference
from latticemetric.metrics.recognition import GRR

if TYPE_CHECKING:
    from latticemetric.corpus.oracle_columns import FoundOracles
    from latticemetric.lattice.lattice import Weights


class MetricSearch(Protocol):
    """The search of graphs by one metric."""

    @property
    def rate(self) -> GRR:
        """The metric."""

    def of_graph(self, pair: Pair, graph: Graph, references: Sequence[GraphReference], *, keep_going: bool) -> Any:
        """Return the answer for a pair whose graph and references are parsed."""

    def failed(self, pair: Pair, error: LatticeMetricError) -> Any:
        """Return the answer for a pair that failed with `error`."""


@runtime_checkable
class OracleSearching(MetricSearch, Protocol):
    """The search of oracles, which kernels may do for many graphs in one call."""

    @property
    def weights(self) -> Weights | None:
        """The weight of each score column in the model's cost."""

    @property
    def is_plain(self) -> bool:
        """True if nothing but the oracle is sought, by the default engine."""

    def found(self, found: FoundOracles, rows: range) -> AnsweredTogether[Any]:
        """Return the answers for pairs whose oracles were found together."""


@dataclass(frozen=True)
class AnswersOfGraph:
    """The answers for one pair by several metrics.

    Attributes:
        name: The id of the pair.
        value: The answer by each metric, in the order of the metrics.
        where: The file and line of the graph.
    """

    name: str
    value: tuple[Any, ...]
    where: str = ""

    @property
    def problem(self) -> LatticeMetricError | None:
        """The first error; `None` if no search failed."""
        return next((one.problem for one in self.value if one.problem is not None), None)


class GraphsAnsweredTogether(AnsweredTogether[AnswersOfGraph]):
    """The answers for pairs that were answered together, by several metrics.

    Attributes:
        each: The answers by each metric.
    """

    def __init__(self, each: Sequence[AnsweredTogether[Any]]) -> None:
        self.each = each

    @property
    def names(self) -> list[str]:
        """The ids of the pairs."""
        return self.each[0].names

    def __len__(self) -> int:
        return len(self.each[0])

    def answer(self, number: int) -> AnswersOfGraph:
        """Make the answers for a pair."""
        answers = tuple(one.answer(number) for one in self.each)
        return AnswersOfGraph(answers[0].name, answers, answers[0].where)


def answers_by(search: MetricSearch, pairs: Iterable[Pair], run: Run) -> Iterator[Any]:
    """Yield the answer for each pair by one metric, in order; see `answer_each`."""
    ask = partial(_answer, search, run.keep_going)
    return _answered([search], pairs, run, ask=ask, failed=search.failed, of_each=lambda answers: answers[0])


def answers_by_each(searches: Sequence[MetricSearch], pairs: Iterable[Pair], run: Run) -> Iterator[AnswersOfGraph]:
    """Yield the answers for each pair by all metrics, in order; see `answer_each`."""
    ask, failed = partial(_answers, searches, run.keep_going), partial(_failed_by_all, searches)
    return _answered(searches, pairs, run, ask=ask, failed=failed, of_each=GraphsAnsweredTogether)


def _answered(
    searches: Sequence[MetricSearch],
    pairs: Iterable[Pair],
    run: Run,
    *,
    ask: Callable[[Pair], Any],
    failed: Callable[[Pair, InputError], Any],
    of_each: Callable[[Sequence[AnsweredTogether[Any]]], AnsweredTogether[Any]],
) -> Iterator[Any]:
    """Yield the answer of each pair; search many at a time, if kernels can.

    Args:
        searches: The searches.
        pairs: The pairs.
        run: The settings of the run.
        ask: Answers a pair.
        failed: Makes the answer of a pair that failed, from its error.
        of_each: Makes the answers of pairs that were searched together from the answers by each metric.
    """
    plain = [one for one in searches if isinstance(one, OracleSearching) and one.is_plain]
    rates = [one.rate for one in plain]
    if len(plain) < len(searches) or not may_be_blocks(rates, plain[0].weights, run):
        return answer_each(ask, failed, pairs, run)

    def found(by_rate: Sequence[FoundOracles], rows: range) -> AnsweredTogether[Any]:
        return of_each([one.found(oracles, rows) for one, oracles in zip(plain, by_rate, strict=True)])

    def answers(rest: Iterable[Pair]) -> Iterator[Any]:
        return answered_in_blocks(
            rest,
            rates,
            plain[0].weights,
            run,
            alone=answering(ask, failed, run),
            found=found,
            lost=losing(failed, run),
            elsewhere=partial(mapped, ask, failed, run=run),
        )

    return continued(answers, pairs, run)


def _answer(search: MetricSearch, keep_going: bool, pair: Pair) -> Any:  # noqa: FBT001
    with built(pair, _not_counted(search)) as (graph, references):
        return search.of_graph(pair, graph, references, keep_going=keep_going)


def _answers(searches: Sequence[MetricSearch], keep_going: bool, pair: Pair) -> AnswersOfGraph:  # noqa: FBT001
    """Search one graph by each metric; with `keep_going`, a metric whose search fails has an answer with the error."""
    answers = []
    with built(pair, frozenset[str]().union(*map(_not_counted, searches))) as (graph, references):
        for one in searches:
            try:
                answers.append(one.of_graph(pair, graph, references, keep_going=keep_going))
            except InputError as error:
                if not keep_going:
                    raise
                answers.append(one.failed(pair, error if error.where else error.at(pair.place)))
    return AnswersOfGraph(pair.name, tuple(answers), pair.where)


def _not_counted(search: MetricSearch) -> frozenset[str]:
    return search.rate.ignore | search.rate.wildcard


def _failed_by_all(searches: Sequence[MetricSearch], pair: Pair, error: InputError) -> AnswersOfGraph:
    return AnswersOfGraph(pair.name, tuple(one.failed(pair, error) for one in searches), pair.where)
