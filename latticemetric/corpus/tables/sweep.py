"""Oracles of pruned graphs, as `latticemetric sweep` and `merge` write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Self

from latticemetric.corpus.tables.by_metric import joined_notes, merging_each, sections, with_metrics
from latticemetric.corpus.tables.cells import aligned, counted, resampled, shown
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import Record, ShardSums, Table, json_document

if TYPE_CHECKING:
    from latticemetric.corpus.shards import ShardRun
    from latticemetric.corpus.sweep import Sweep, SweepSettings, Swept
    from latticemetric.evaluation.intervals import Interval


_BOUNDS = ("low", "high", "half_width")


@dataclass(frozen=True)
class SweepTable(Table):
    """The sweep of one run, or of merged shards.

    The intervals of all rows use the same resamples. Without resamples, there are no intervals.
    """

    settings: SweepSettings
    swept: Sequence[Swept]
    sweep: Sweep
    resampling: dict[str, Any]
    intervals: Sequence[Interval]
    shard: ShardRun | None = None
    looks: Looks = AS_FILE

    has_plot = True
    columns = (
        "kind", "at", "score", "numerator", "denominator", "matches", "substitutions", "deletions", "insertions",
        "lost", "arcs", "density", "strings", *_BOUNDS, "above", "up_to", "graphs", "headroom",
        "one_best_score", "one_best_numerator", "one_best_denominator"
    )  # fmt: skip

    @classmethod
    def of(
        cls,
        settings: SweepSettings,
        swept: Iterable[Swept],
        resampling: dict[str, Any],
        shard: ShardRun | None = None,
        *,
        looks: Looks = AS_FILE,
    ) -> Self:
        """Sum up the results, and compute the intervals."""
        from latticemetric.evaluation.intervals import bootstrap

        known = list(swept)
        totals = settings.sweep(known)
        rows = totals.rows if resampling["resamples"] else ()
        intervals = [bootstrap(settings.metric, row.table, **resampling) for row in rows]
        return cls(settings, known, totals, resampling, intervals, shard, looks)

    @classmethod
    def merged(cls, shards: ShardSums, looks: Looks) -> SweepTable:
        """Return the table of all shards."""
        from latticemetric.corpus.sweep import SweepSettings, swept_in_turn

        first = shards.states[0]
        swept = swept_in_turn([one["swept"] for one in shards.states])
        return cls.of(SweepSettings.of_state(first["question"]), swept, first["resampling"], looks=looks)

    def merging(self) -> Record:
        """Return the data of a shard that `merge` needs."""
        return {"table": {"kind": "sweep"}, "sums": self.state()}

    def state(self) -> Record:
        """Return the sweep of each graph and the settings as plain values, for `merge`."""
        from latticemetric.corpus.sweep import swept_states

        question = {"question": self.settings.state(), "resampling": self.resampling}
        return {**question, "swept": swept_states(self.swept)}

    def text(self) -> Iterator[str]:
        """Yield a table with one row per size of the pruned graphs, and a table with one row per group of lengths."""
        has_arcs = any(row.arcs is not None for row in self.sweep.rows)
        header = ["", self.looks.rate_title(self.settings.metric.name), "", "matches", "subst.", "del.", "ins.", "lost"]
        cells = [[*header, *(["arcs", "density"] if has_arcs else [])]]
        for row, interval in zip_longest(self.sweep.rows, self.intervals):  # there may be no intervals
            at = row.at if row.at is None or isinstance(row.at, int) else format(row.at, "g")
            name = row.kind.replace("one_best", "1-best") if at is None else f"{row.kind} {at}"
            score = self.looks.rate(row.total.score, None if interval is None else interval.half_width)
            counts = row.total.statistics
            edits = [counts.matches[0], counts.substitutions, counts.deletions, counts.insertions, row.lost]
            sizes = ["" if size is None else f"{size:.1f}" for size in (row.arcs, row.density)] if has_arcs else []
            fraction = f"{shown(row.total.numerator)}/{row.total.denominator}"
            cells.append([name, score, fraction, *map(str, edits), *sizes])
        yield from aligned(cells)
        if self.sweep.lengths:
            yield ""
            cells = [["reference words", "graphs", *map(self.looks.rate_title, ("oracle", "1-best", "headroom"))]]
            for one in self.sweep.lengths:
                scores = (one.oracle.score, one.one_best.score, one.headroom)
                cells.append([one.label, str(one.graphs), *map(self.looks.rate, scores)])
            yield from aligned(cells)

    def records(self) -> list[Record]:
        """Return one record per size of the pruned graphs, then one record per group of lengths."""
        return [*self._points(), *(one.asdict() for one in self.sweep.lengths)]

    def _points(self) -> Iterator[Record]:
        for row, interval in zip_longest(self.sweep.rows, self.intervals):
            bounds = {} if interval is None else {name: getattr(interval, name) for name in _BOUNDS}
            yield {**row.asdict(), **bounds}

    def document(self) -> Iterator[str]:
        """Yield the JSON document; for a shard, add the data for `merge`."""
        from latticemetric.corpus.shards import document_end

        def end() -> str:
            return "]}" if self.shard is None else document_end({}, self.shard, **self.merging())

        head = self.totals()
        lists = {name: head.pop(name) for name in ("rows", "lengths")}
        return json_document(head, lists, end, streamed=False)

    def plot(self, path: str) -> None:
        """Draw a panel for each kind of point, and one for lengths."""
        from latticemetric.corpus.report.plots import draw_sweep

        metric = self.settings.metric
        better = "higher" if metric.higher_is_better else "lower"
        draw_sweep(self.sweep, f"{metric.name} ({better} is better)", path, self.intervals)

    def totals(self) -> Record:
        """Return the numbers of all graphs: the fields of the JSON document."""
        return {**self.sweep.asdict(), "rows": list(self._points())}

    def summary(self) -> list[str]:
        """Return the number of graphs, the resampling settings and the signature."""
        notes = [counted(self.sweep.graphs, "graph")]
        notes += [f"{self.sweep.failed} failed"] if self.sweep.failed else []
        if self.intervals:
            drawn = self.intervals[0]
            notes.append(resampled(drawn.confidence, drawn.resamples, self.resampling["seed"]))
        return ["", "; ".join(notes), self.sweep.signature]


class SweepsTable(Table):
    """Sweeps by several metrics, one after the other."""

    has_plot = True

    def __init__(self, tables: Sequence[SweepTable], shard: ShardRun | None = None) -> None:
        """Take the table of each metric."""
        self.tables, self._shard = tables, shard
        self.looks = tables[0].looks
        self._each = {one.settings.metric.name: one for one in tables}

    @classmethod
    def merged_each(cls, tables: Sequence[SweepTable]) -> Self:
        """Return the table of all shards, from that by each metric."""
        return cls(tables)

    def text(self) -> Iterator[str]:
        """Yield the tables of all metrics, with an empty line between them."""
        return sections([one.text() for one in self.tables])

    def records(self) -> Iterator[Record]:
        """Yield the records of each metric.

        Fields:
            metric (str): The metric that the searches optimized.
        """
        return with_metrics({name: one.records() for name, one in self._each.items()})

    columns = ("metric", *SweepTable.columns)

    def document(self) -> Iterator[str]:
        """Yield the JSON document; for a shard, add the data for `merge`.

        Fields:
            signatures (dict[str, str]): The signature of each metric.
            graphs (dict[str, int]): Number of graphs that were searched by each metric.
            failed (dict[str, int]): Number of graphs that failed by each metric.
        """
        from latticemetric.corpus.shards import document_end

        def end() -> str:
            return "]}" if self._shard is None else document_end({}, self._shard, **merging_each("sweeps", self._each))

        sweeps = {name: one.sweep for name, one in self._each.items()}
        head = {
            "signatures": {name: one.signature for name, one in sweeps.items()},
            "graphs": {name: one.graphs for name, one in sweeps.items()},
            "failed": {name: one.failed for name, one in sweeps.items()},
        }
        totals = self.totals()
        lists = {kind: with_metrics({name: one[kind] for name, one in totals.items()}) for kind in ("rows", "lengths")}
        return json_document(head, lists, end, streamed=False)

    def plot(self, path: str) -> None:
        """Refuse: a plot shows one metric."""
        from latticemetric.corpus.report.plots import check_plot

        check_plot(path, metrics=len(self.tables))

    def totals(self) -> Record:
        """Return the numbers of all graphs by each metric."""
        return {name: one.totals() for name, one in self._each.items()}

    def summary(self) -> list[str]:
        """Return the numbers of graphs, the resampling settings and the signatures."""
        return joined_notes([one.summary() for one in self.tables])
