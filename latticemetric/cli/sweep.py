"""`latticemetric sweep`: oracles of graphs pruned to several sizes, and oracles by reference length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Self

import click

from latticemetric.cli.commands import option, verb
from latticemetric.cli.files import GraphFiles, NamesFiles
from latticemetric.cli.options import (
    FRACTIONS,
    PairedReadingOptions,
    PlottedOutputOptions,
    PointOptions,
    RateOptions,
    ResamplingOptions,
    ShardedRunOptions,
    given,
    numbers,
    resamples_option,
)
from latticemetric.cli.results import Record, Results, counted, json_document, rate, rate_title, resampled, shown, table
from latticemetric.cli.run import running
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.shards import ShardDocument, ShardRun
    from latticemetric.corpus.sweep import Sweep, SweepSettings, Swept
    from latticemetric.evaluation.intervals import Interval

_EPILOG = """\b
Examples:
  latticemetric sweep lats.ark.gz text --metric wer --scale acoustic=0.1 --beams 1,2,4,8,16
  latticemetric sweep lattices/ refs.txt --nbest-sizes 1,10,100,1000 --plot nbest.svg
  latticemetric sweep dev.plf dev.en --metric wer --densities 1,5,10,50 --by-length 5,10,20 --resamples 1000
"""

_SECTIONS = {
    "Sizes and lengths": "--beams --densities --nbest-sizes --by-length",
}
_BOUNDS = ("low", "high", "half_width")


class _SweepOptions(PointOptions):
    by_length: tuple[float, ...] = option(
        "--by-length WORDS",
        "Group graphs by reference length; give the upper bounds of the groups in words, such as 5,10,20.",
        reads=numbers,
    )


class _ResamplingOptions(ResamplingOptions):
    """Options for resampling; by default, there are no intervals."""

    resamples: int = resamples_option(0)

    def check(self) -> None:
        for name in given(["seed", "confidence"]) if not self.resamples else ():
            raise UsageError("this has no effect without resamples", where=name, advice="add --resamples 1000")


class _OutputOptions(PlottedOutputOptions):
    fractions: bool = FRACTIONS


@verb("sweep", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lattices", type=GraphFiles(), nargs=1)
@click.argument("references", type=NamesFiles(), nargs=-1, metavar="REFERENCES...")
def command(
    lattices: str,
    references: tuple[str, ...],
    *,
    over: _SweepOptions,
    metric: RateOptions,
    reading: PairedReadingOptions,
    run: ShardedRunOptions,
    resampling: _ResamplingOptions,
    output: _OutputOptions,
) -> None:
    """Prune each lattice of a test set to several sizes; find the oracle at each size.

    Prune by beams, by densities (the number of arcs with a word, divided by the number of reference words), or to
    n-best lists of distinct strings; one run can do all three. Group graphs by reference length with --by-length.

    LATTICES is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES have one
    line per lattice, in the order of LATTICES or beginning with the lattice's id. If lattices have several references,
    give several files. Without REFERENCES, the references come from the records of LATTICES (JSON, tables): see
    --reference-field. Under --keep-going, the reference words of graphs that fail count as deletions.
    """
    from latticemetric.corpus.sweep import SweepSettings, checked_borders, swept_lattices
    from latticemetric.oracle_search.sweep import Points

    points = Points.of(over.beams, over.densities, over.nbest_sizes)
    borders = checked_borders(over.by_length)
    if not borders and not any((points.beams, points.densities, points.nbest)):
        advice = "give --beams, --densities, --nbest-sizes or --by-length"
        raise UsageError("no sizes or lengths are given", advice=advice)
    paired = reading.paired(lattices, references, run.shard)
    settings = SweepSettings(metric.rate(), points, borders, paired.references, reading.rewritten_by)
    resampling.check()
    output.check_plot()
    with running(run, output.output) as (started, failures):
        swept = swept_lattices(paired.lattices, settings.metric, points, started, scales=reading.weights)
        results = SweepResults.of(settings, failures.reported(swept), resampling.asdict(), run.shard)
        output.write(results)
        results.draw(output.plot)
    output.say_summary(results)
    failures.exit()


@dataclass(frozen=True)
class SweepResults(Results):
    """The sweep of one run, or of merged shards.

    The intervals of all rows use the same resamples. Without resamples, there are no intervals.
    """

    settings: SweepSettings
    swept: Sequence[Swept]
    totals: Sweep
    resampling: dict[str, Any]
    intervals: Sequence[Interval]
    shard: ShardRun | None = None

    columns = (
        "kind", "at", "score", "numerator", "denominator", "matches", "substitutions", "deletions", "insertions",
        "lost", "arcs", "density", "strings", *_BOUNDS, "above", "up_to", "graphs", "headroom",
        "one_best_score", "one_best_numerator", "one_best_denominator"
    )  # fmt: skip

    @classmethod
    def of(
        cls, settings: SweepSettings, swept: Iterable[Swept], resampling: dict[str, Any], shard: ShardRun | None = None
    ) -> Self:
        """Sum up the results, and compute the intervals."""
        from latticemetric.evaluation.intervals import bootstrap

        known = list(swept)
        totals = settings.sweep(known)
        rows = totals.rows if resampling["resamples"] else ()
        intervals = [bootstrap(settings.metric, row.table, **resampling) for row in rows]
        return cls(settings, known, totals, resampling, intervals, shard)

    @classmethod
    def of_shards(cls, documents: Sequence[ShardDocument]) -> SweepResults:
        """Merge the documents of shards."""
        from latticemetric.corpus.shards import put_together
        from latticemetric.corpus.sweep import SweepSettings, swept_in_turn

        def read(some: Sequence[ShardDocument]) -> SweepResults:
            state = some[0].sums
            swept = swept_in_turn([one.sums["swept"] for one in some])
            return cls.of(SweepSettings.of_state(state["question"]), swept, state["resampling"])

        return put_together(documents, read)

    def draw(self, plot: str | None) -> None:
        """Draw the results into the file `plot`, if it is given."""
        if plot is not None:
            from latticemetric.report.plots import draw_sweep

            metric = self.settings.metric
            better = "higher" if metric.higher_is_better else "lower"
            draw_sweep(self.totals, f"{metric.name} ({better} is better)", plot, self.intervals)

    def text(self) -> Iterator[str]:
        """Yield a table with one row per size of the pruned graphs, and a table with one row per group of lengths."""
        has_arcs = any(row.arcs is not None for row in self.totals.rows)
        header = ["", rate_title(self.settings.metric.name), "", "matches", "subst.", "del.", "ins.", "lost"]
        cells = [[*header, *(["arcs", "density"] if has_arcs else [])]]
        for row, interval in zip_longest(self.totals.rows, self.intervals):  # there may be no intervals
            at = row.at if row.at is None or isinstance(row.at, int) else format(row.at, "g")
            name = row.kind.replace("one_best", "1-best") if at is None else f"{row.kind} {at}"
            score = rate(row.total.score, None if interval is None else interval.half_width)
            counts = row.total.statistics
            edits = [counts.matches[0], counts.substitutions, counts.deletions, counts.insertions, row.lost]
            sizes = ["" if size is None else f"{size:.1f}" for size in (row.arcs, row.density)] if has_arcs else []
            fraction = f"{shown(row.total.numerator)}/{row.total.denominator}"
            cells.append([name, score, fraction, *map(str, edits), *sizes])
        yield from table(cells)
        if self.totals.lengths:
            yield ""
            cells = [["reference words", "graphs", *map(rate_title, ("oracle", "1-best", "headroom"))]]
            for one in self.totals.lengths:
                scores = (one.oracle.score, one.one_best.score, one.headroom)
                cells.append([one.label, str(one.graphs), *map(rate, scores)])
            yield from table(cells)

    def records(self) -> list[Record]:
        """Return one record per size of the pruned graphs, then one record per group of lengths."""
        return [*self._points(), *(one.asdict() for one in self.totals.lengths)]

    def _points(self) -> Iterator[Record]:
        for row, interval in zip_longest(self.totals.rows, self.intervals):
            bounds = {} if interval is None else {name: getattr(interval, name) for name in _BOUNDS}
            yield {**row.asdict(), **bounds}

    def document(self) -> Iterator[str]:
        """Yield the JSON document; for a shard, add the data for `merge`."""
        from latticemetric.corpus.shards import document_end
        from latticemetric.corpus.sweep import swept_states

        def end() -> str:
            if self.shard is None:
                return "]}"
            state = {"question": self.settings.state(), "resampling": self.resampling}
            return document_end({}, self.shard, sums={**state, "swept": swept_states(self.swept)})

        head = self.totals.asdict()
        lengths = head.pop("lengths")
        lists = {"rows": self._points(), "lengths": lengths}
        return json_document({k: v for k, v in head.items() if k != "rows"}, lists, end, streamed=False)

    def summary(self) -> list[str]:
        """Return the number of graphs, the resampling settings and the signature."""
        notes = [counted(self.totals.graphs, "graph")]
        notes += [f"{self.totals.failed} failed"] if self.totals.failed else []
        if self.intervals:
            drawn = self.intervals[0]
            notes.append(resampled(drawn.confidence, drawn.resamples, self.resampling["seed"]))
        return ["", "; ".join(notes), self.totals.signature]
