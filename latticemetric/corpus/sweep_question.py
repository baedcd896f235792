"""The question of a sweep: the oracles of a test set, with each graph pruned to several sizes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, cast

from latticemetric.corpus.metric_question import MetricQuestion, TablesOf
from latticemetric.corpus.question import Resampled, number_of_resamples
from latticemetric.oracle_search.settings import PointSettings
from latticemetric.settings import given

if TYPE_CHECKING:
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.several_metrics import AnswersOfGraph
    from latticemetric.corpus.sweep import SweepSearch, Swept
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table
    from latticemetric.metrics.recognition import GRR


class Sweeps(Resampled, PointSettings, MetricQuestion["Swept"]):
    """The oracle of each graph at several sizes, summed over all graphs and by reference length.

    Attributes:
        metric: A recognition rate, or its name.
        by_length: The upper bounds of groups of graphs by reference length, in words.
    """

    verb = "sweep"
    has_plot = True

    metric: str | GRR = given(default="wer")
    by_length: Collection[float] = given(
        default=(),
        option="--by-length WORDS",
        help="Group graphs by reference length; give the upper bounds of the groups in words, such as 5,10,20.",
    )
    resamples: int = number_of_resamples(default=0)

    def check(self) -> None:
        """Replace the name of the metric by the metric; sort the bounds of groups."""
        super().check()
        from latticemetric.corpus.sweep import checked_borders
        from latticemetric.metrics.recognition import as_recognition_rate

        vars(self)["metric"] = as_recognition_rate(self.metric)
        vars(self)["by_length"] = checked_borders(self.by_length)

    @property
    def rate(self) -> GRR:
        """The metric."""
        return cast("GRR", self.metric)

    def search(self, corpus: ReadCorpus) -> SweepSearch:
        """Return the search of each graph."""
        from latticemetric.corpus.sweep import SweepSearch

        return SweepSearch(self.rate, self.points, corpus.weights)

    def table(self, answers: Iterable[Swept], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:
        """Return the table of the sums."""
        from latticemetric.corpus.sweep import SweepSettings
        from latticemetric.corpus.tables.sweep import SweepTable

        settings = SweepSettings(self.rate, self.points, tuple(self.by_length), corpus.references, corpus.rewritten_by)
        return SweepTable.of(settings, answers, self.resampling, run.shard, looks=looks)

    def table_of_each(self, several: Iterable[AnswersOfGraph], tables: TablesOf, run: Run) -> Table:
        """Return the table of the sums by several metrics."""
        from latticemetric.corpus.tables.sweep import SweepsTable

        return SweepsTable(tables(list(several)), run.shard)
