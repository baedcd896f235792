"""Questions by a metric, and the same question by several metrics. Nothing here imports NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.question import A, Question, uncounted_by
from latticemetric.errors import UsageError
from latticemetric.settings import given

if TYPE_CHECKING:
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.several_metrics import AnswersOfGraph, MetricSearch
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table
    from latticemetric.metrics.recognition import GRR

DEFAULT_METRICS = "wer,4-grr"
"""The metrics of a search if none is given."""


class MetricQuestion(Question[A]):
    """A question by one metric, which several metrics may ask together: see `EachMetric`."""

    @property
    def rate(self) -> GRR:
        """The metric."""
        raise NotImplementedError

    def search(self, corpus: ReadCorpus) -> MetricSearch:
        """Return the search of each graph."""
        raise NotImplementedError

    def removes(self, corpus: ReadCorpus) -> bool:
        """Return True if the ignored words are removed from texts, since the metric does not ignore them itself."""
        return removes([self.rate], corpus)

    def uncounted(self) -> frozenset[str]:
        """Return the words that the metric does not count."""
        return uncounted_by([self.rate])

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[A]:
        """Yield the answer of each graph of the run, in order."""
        from latticemetric.corpus.several_metrics import answers_by

        search = self.search(corpus)
        return answers_by(search, corpus.required_pairs(run, removing=self.removes(corpus)).pairs, run)

    def table_of_each(self, several: Iterable[AnswersOfGraph], tables: TablesOf, run: Run) -> Table:
        """Return the table of the answers by several metrics.

        Args:
            several: The answers by all metrics.
            tables: A function that returns the table of each metric, given its answers.
            run: The run.
        """
        from latticemetric.corpus.tables.by_metric import MetricsTable

        return MetricsTable(several, tables(()), run.shard)


TablesOf = Callable[[Sequence["AnswersOfGraph"]], list[Any]]


class EachMetric(Question["AnswersOfGraph"]):
    """One question by several metrics. Each graph is read once.

    Attributes:
        questions: The question by each metric.
    """

    questions: tuple[MetricQuestion[Any], ...] = given(default=())

    @property
    def verb(self) -> str:  # type: ignore[override]  # that of the question
        """The verb of the command line."""
        return self.questions[0].verb

    @property
    def names(self) -> list[str]:
        """The names of the metrics."""
        return [one.rate.name for one in self.questions]

    def check(self) -> None:
        """Refuse a metric that is given twice."""
        refuse_twice(self.names)

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[AnswersOfGraph]:
        """Yield the answers of each graph of the run, in order."""
        from latticemetric.corpus.several_metrics import answers_by_each

        searches = [one.search(corpus) for one in self.questions]
        removing = any(one.removes(corpus) for one in self.questions)
        return answers_by_each(searches, corpus.required_pairs(run, removing=removing).pairs, run)

    def table(self, answers: Iterable[AnswersOfGraph], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:
        """Return the table of the answers."""
        from latticemetric.corpus.run import Run

        def tables(several: Sequence[AnswersOfGraph]) -> list[Table]:
            return [
                one.table([answer.value[number] for answer in several], corpus, Run(), looks)
                for number, one in enumerate(self.questions)
            ]

        return self.questions[0].table_of_each(answers, tables, run)

    def files(self) -> Sequence[str]:
        """Return the files that the settings name."""
        return [file for one in self.questions for file in one.files()]

    def uncounted(self) -> frozenset[str]:
        """Return the words that some metric does not count."""
        return frozenset[str]().union(*(one.uncounted() for one in self.questions))

    def known(self) -> Sequence[Any]:
        """Return values that answers hold, too."""
        return [value for one in self.questions for value in one.known()]


def by_each(questions: Sequence[MetricQuestion[Any]], *, several: bool = False) -> Question[Any]:
    """Return the question by all metrics; the question itself if there is one, unless `several`."""
    first, *others = questions
    return EachMetric(questions=tuple(questions)) if several or others else first


def removes(rates: Iterable[GRR], corpus: ReadCorpus) -> bool:
    """Return True if the ignored words are removed from texts, since some rate does not ignore them itself."""
    return not all(corpus.ignored <= rate.ignore for rate in rates)


def refuse_twice(names: Sequence[str]) -> None:
    """Refuse a metric that is given twice."""
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"metric '{twice}' is given twice", advice="leave one of them out")


def listed_metrics(metric: Any) -> tuple[list[Any], bool]:
    """Return the metrics that are given, and True if they are several: a list, or names with commas between them."""
    is_list = isinstance(metric, list | tuple)
    listed = metric.split(",") if isinstance(metric, str) else metric if is_list else [metric]
    if not listed:
        raise UsageError("no metric is given", advice="give one, like 'wer'")
    names = [one.strip() if isinstance(one, str) else one for one in listed]
    return names, is_list or len(names) > 1


def rates_of(metric: Any, ignored: frozenset[str]) -> tuple[list[GRR], bool]:
    """Return the rates that are given, and True if they are several.

    Rates that are given by name ignore the words themselves; objects stay as they are.
    """
    from latticemetric.corpus.question import rate_of

    names, several = listed_metrics(metric)
    by_name = all(isinstance(one, str) for one in names)
    return [rate_of(one, ignored if by_name else frozenset()) for one in names], several


def only_rate(metric: Any, ignored: frozenset[str]) -> GRR:
    """Return the only rate that is given; see `rates_of`."""
    rates, _ = rates_of(metric, ignored)
    if len(rates) > 1:
        advice = f"name one, such as {rates[0].name!r}"
        raise UsageError(f"there are {len(rates)} metrics, but this searches by one", where="metric", advice=advice)
    return rates[0]
