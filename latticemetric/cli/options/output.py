"""Options that write results and graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli.commands import Options, flag, option
from latticemetric.cli.files import STANDARD, GraphOutput, Output, ResultFile
from latticemetric.cli.options.values import given, refuse
from latticemetric.corpus.tables.formats import FORMATS, PARTS, format_for, formats_of, lines_of
from latticemetric.errors import UsageError, placed

if TYPE_CHECKING:
    from latticemetric.corpus.corpus import Corpus
    from latticemetric.corpus.graphs import Written
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table
    from latticemetric.lattice.columns import Weights

FRACTIONS = flag("--fractions", "Show rates in text output as fractions, as in other formats, not in per cent.")
SHORT_SIGNATURE = flag("--short-signature", "Abbreviate signatures.")
PLOT = option("--plot FILE", "Also draw the results: .svg, .png or .pdf.", type=Output())
OUTPUT = option(
    "--output -o FILE",
    "Output file; .gz and similar suffixes compress it (default: standard output).",
    type=ResultFile(),
    default=STANDARD,
    show_default=False,
    is_eager=True,  # its suffix decides the format
)


def format_option(parts: Sequence[str] = PARTS) -> Any:
    """Declare the field of the output format: a format of `FORMATS` for tables with these parts.

    The suffix of `--output` chooses the format if `--format` does not, also a binary one.
    """

    def chosen(value: str | None) -> str:
        if value is not None:
            return value
        output = str(click.get_current_context().params.get("output") or "")
        named = format_for(output, parts)
        if named is None:
            return "text"
        with placed(output):
            named.require()
        return named.name

    text = "Output format (default: by the suffix of --output, else text)."
    return option("--format", text, type=click.Choice(formats_of(parts)), reads=chosen)


def lattices_option(what: str, format_parameter: str | None = None) -> Any:
    """Declare the field of `--write-lattices`; in its help text, `what` describes the graphs.

    `format_parameter` names the parameter with the format; without it, the suffix of the file chooses the format.
    """
    text = f"Also write {what} to FILE, in the format of its suffix."
    return option("--write-lattices FILE", text, type=GraphOutput(format_parameter))


class OutputOptions(Options):
    """Options for the format and the file of results."""

    output_format: str = format_option()
    output: str = OUTPUT

    @property
    def looks(self) -> Looks:
        """The looks of text there: rates in per cent, unless the command has `--fractions` and the user gives it."""
        from latticemetric.cli.results import looks_in

        return looks_in(self.output, percent=not vars(self).get("fractions"))

    def write(self, table: Table, *, at_once: bool = False, beside: Callable[[], None] = lambda: None) -> None:
        """Write a table to `--output` in the format of `--format`.

        Args:
            table: The table.
            at_once: Show each line on standard output immediately (`results.writing`).
            beside: Function that writes other files; called just before the results become visible.
        """
        from latticemetric.cli.results import writing

        if (write := FORMATS[self.output_format].write) is not None:
            from latticemetric.formats.streams.output import atomic_output

            with atomic_output(self.output) as file:
                write(table, file)
                beside()
            return
        with writing(self.output, at_once=at_once) as put:
            for line in lines_of(table, self.output_format):
                put(line)
            if self.output_format == "text" and self.output != STANDARD and not table.is_for_programs:
                for line in table.summary():
                    put(line)
            beside()

    def say_summary(self, table: Table) -> None:
        """Print the summary on standard error if the format is text and there is one."""
        if self.output_format == "text" and (summary := table.summary()):
            from latticemetric.cli.results import say

            say("\n".join(summary))


class CTMOutputOptions(OutputOptions):
    """Options for the format and the file of results; the formats include CTM."""

    output_format: str = format_option(parts=(*PARTS, "ctm"))


class CTMRateOutputOptions(CTMOutputOptions):
    """Options for the format and the file of results that have rates; the formats include CTM."""

    fractions: bool = FRACTIONS


class RateOutputOptions(OutputOptions):
    """Options for the format and the file of results that have rates."""

    fractions: bool = FRACTIONS


class PlotOptions(Options):
    """The file of a plot."""

    plot: str | None = PLOT

    def check_plot(self, *, metrics: int = 1) -> None:
        """Raise an error before the search starts if the plot, of so many metrics, cannot be drawn."""
        if self.plot is not None:
            from latticemetric.corpus.report.plots import check_plot

            check_plot(self.plot, metrics=metrics)


class PlottedOutputOptions(OutputOptions, PlotOptions):
    """Options for the format, the file and the plot of results."""

    def write(self, table: Table, **how: Any) -> None:
        """Write a table, and draw it."""
        super().write(table, **how)
        if self.plot is not None:
            table.plot(self.plot)


class GraphFormatOptions(Options):
    """Options for writing graphs."""

    to_format: str | None = option("--to FORMAT", "Format of the written graphs (default: by the suffix).")
    sum_scores: bool = flag(
        "--sum-scores", "Write one score per arc: its cost, the sum of its scores weighted by --weights."
    )
    scores_off: bool = flag("--scores-off", "Write no scores.")
    drop_labels: bool = flag("--drop-labels", "Drop the labels of arcs: input labels, transition ids and others.")

    def written(self, weights: Weights) -> Written:
        """Return the settings for written graphs, with the weights of `--weights`."""
        from latticemetric.corpus.graphs import Written

        if self.sum_scores and self.scores_off:
            raise UsageError("--sum-scores and --scores-off contradict each other", advice="give one of them")
        return Written(weights if self.sum_scores else None, self.scores_off, self.drop_labels)

    def applied(self, corpus: Corpus) -> Corpus:
        """Return the corpus whose graphs have the scores and labels of these options."""
        self.written({})
        return corpus.converted(sum_scores=self.sum_scores, scores_off=self.scores_off, drop_labels=self.drop_labels)

    def refuse_weights(self) -> None:
        """Refuse weights where no cost matters."""
        if not self.sum_scores:
            refuse(["weights_given"], "without --sum-scores", advice="add --sum-scores")

    @staticmethod
    def check_beside(path: str | None, what: str) -> None:
        """Check the options for writing graphs to a file beside the results; `what` describes the graphs.

        Refuse standard output. Without a file, refuse the options for writing graphs.
        """
        if path == STANDARD:
            raise UsageError("results already go to standard output", where="--write-lattices", advice="name a file")
        if path is None:
            for name in given(GraphFormatOptions.declared):
                raise UsageError(f"no {what} are written", where=name, advice="also give --write-lattices FILE")
