"""The question of expected rates: how each graph's paths score on average. Nothing here imports NumPy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from latticemetric.corpus.metric_question import MetricQuestion
from latticemetric.corpus.question import Scaled
from latticemetric.errors import UsageError
from latticemetric.settings import flag, given, whole

if TYPE_CHECKING:
    from latticemetric.corpus.expectations import ExpectationAnswer, ExpectationSearch
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table
    from latticemetric.metrics.recognition import GRR


class Expectations(Scaled, MetricQuestion["ExpectationAnswer"]):
    """The expected rate of each graph's paths; see `expected`.

    Attributes:
        metric: A recognition rate, or its name: `wer`, `wrr`, `4-grr`, `cer`, …
        most_states: Limit on the search states of a graph; above it, its result is an interval.
        gradient: Also compute the gradients, for `ExpectedAnswers.write_gradients`.
    """

    verb = "expected"
    section = "Search"

    metric: str | GRR = given(default="wer")
    most_states: int = whole(
        default=2_000_000,
        help="Limit on search states per graph; above it, the result is an interval.",
        option="--most-states N",
    )
    gradient: bool = flag(default=False, help="Also compute the gradients.")

    def check(self) -> None:
        """Replace the name of the metric by the metric."""
        from latticemetric.metrics.recognition import as_recognition_rate

        vars(self)["metric"] = as_recognition_rate(self.metric)

    @property
    def rate(self) -> GRR:
        """The metric."""
        return cast("GRR", self.metric)

    def check_texts(self, corpus: ReadCorpus) -> None:
        """Refuse gradients of normalized graphs."""
        if self.gradient and corpus.reading.normalize is not None:
            raise UsageError(
                "a normalized graph has other arcs than the graph in the file, and the gradient would be that of its "
                "arcs",
                advice="leave one out; in Python, give the result of normalize() to expected()",
            )

    def search(self, corpus: ReadCorpus) -> ExpectationSearch:
        """Return the search of each graph."""
        from latticemetric.corpus.expectations import ExpectationSearch

        self.check_texts(corpus)
        return ExpectationSearch(self.rate, self.posterior_scale, corpus.weights, self.gradient, self.most_states)

    def table(self, answers: Iterable[ExpectationAnswer], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:
        """Return the table of the answers."""
        from latticemetric.corpus.tables.expected import ExpectedTable

        return ExpectedTable(
            answers,
            self.rate,
            corpus.references,
            run.shard,
            looks=looks,
            normalize=corpus.rewritten_by,
            gradient=self.gradient,
        )
