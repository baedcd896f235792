"""Where the results of a sweep go: lines, a drawing, notes; of one run, or of shards put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from latticemetric.cli import options
from latticemetric.cli.display import say
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.batch.shards import Part, ShardDocument
    from latticemetric.batch.sweep import Sweep, SweepSettings, Swept
    from latticemetric.evaluation.intervals import Interval


@dataclass(frozen=True)
class SweepReport:
    """A sweep, and what is said of it.

    Attributes:
        question: What was asked of all graphs.
        swept: What became of each.
        totals: What they come to together.
        resampling: How intervals were drawn: `resamples`, `seed`, `confidence`.
        intervals: Of the rows, on the same resamples; none where none were asked for.
    """

    question: SweepSettings
    swept: Sequence[Swept]
    totals: Sweep
    resampling: dict[str, Any]
    intervals: Sequence[Interval]

    @classmethod
    def of(cls, question: SweepSettings, swept: Iterable[Swept], resampling: dict[str, Any]) -> Self:
        """Sums up, and draws the intervals."""
        from latticemetric.evaluation.intervals import bootstrap

        known = list(swept)
        totals = question.sweep(known)
        rows = totals.rows if resampling["resamples"] else ()
        intervals = [bootstrap(question.metric, row.table, **resampling) for row in rows]
        return cls(question, known, totals, resampling, intervals)

    @classmethod
    def of_shards(cls, documents: Sequence[ShardDocument]) -> SweepReport:
        """The same of what the documents of shards say."""
        from latticemetric.batch.shards import put_together
        from latticemetric.batch.sweep import SweepSettings, swept_in_turn

        def read(some: Sequence[ShardDocument]) -> SweepReport:
            state = some[0].sums
            swept = swept_in_turn([one.sums["swept"] for one in some])
            return cls.of(SweepSettings.of_state(state["question"]), swept, state["resampling"])

        return put_together(documents, read)

    def put(self, output_format: str, output: str, part: Part | None = None) -> None:
        """Writes it."""
        from latticemetric.cli.sweep_writing import LINES, json_lines

        if output_format == "json":
            of_part = {} if part is None else {"sums": self.state()}
            lines = json_lines(self.totals, self.intervals, part, **of_part)
        else:
            lines = LINES[output_format](self.totals, self.intervals, self.question.metric.name)
        with options.results(output, at_once=False) as put:
            for line in lines:
                put(line)

    def state(self) -> dict[str, Any]:
        """All of it in plain values, for JSON."""
        from latticemetric.batch.sweep import swept_states

        asked = {"question": self.question.state(), "resampling": self.resampling}
        return {**asked, "swept": swept_states(self.swept)}

    def draw(self, plot: str) -> None:
        """Draws it into a file."""
        from latticemetric.report.plots import draw_sweep

        metric = self.question.metric
        better = "higher" if metric.higher_is_better else "lower"
        draw_sweep(self.totals, f"{metric.name} ({better} is better)", plot, self.intervals)

    def note(self) -> None:
        """Says on stderr what a reader of the tables has to know."""
        from latticemetric.cli.sweep_writing import footer

        say("\n".join(footer(self.totals, self.intervals, self.resampling["seed"])))


def check_drawing(plot: str | None) -> None:
    """That nothing can be drawn there is better known before an hour of searching."""
    if plot is not None:
        from latticemetric.report.plots import check_plot

        check_plot(plot)


def resampling_of(*, resamples: int, seed: int, confidence: float, **_: Any) -> dict[str, Any]:
    """What the options of resampling say.

    Raises:
        UsageError: They say how, but not that anything is resampled.
    """
    if not resamples and (given := options.given(["seed", "confidence"])):
        raise UsageError("it means nothing without resamples", where=given[0], advice="add --resamples 1000")
    return {"resamples": resamples, "seed": seed, "confidence": confidence}
