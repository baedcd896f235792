"""Options of `lattice-oracle` for further results (n-best, hope, fear, worst, tags)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from latticemetric.cli.commands import Options, choice, flag, option
from latticemetric.cli.options import ENGINE, MOST_STRINGS, POSTERIOR_SCALE, SCORE, refuse, weights
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.margins import MarginOptions


class AlsoOptions(Options):
    """Options for results in addition to the oracle."""

    nbest: int | None = option(
        "--nbest N", "Also list the N best strings of each graph.", type=click.IntRange(1, MOST_STRINGS)
    )
    hope: tuple[float, ...] = option(
        "--hope W[,W…]",
        "Also find the string with the largest W · metric − cost, for each weight W; for wer, the metric is 1 − WER.",
        reads=weights,
    )
    fear: tuple[float, ...] = option(
        "--fear W[,W…]",
        "Also find the string with the largest −W · metric − cost, for each weight W.",
        reads=weights,
    )
    worst: bool = flag("--worst", "Also find the string that scores worst.")
    on: Literal["rate", "numerator"] = choice(
        "--on", ["rate", "numerator"], "Apply the weights of --hope and --fear to the rate, or only to its numerator."
    )
    score: str | None = SCORE
    alignment: bool = flag("--alignment", "Show the alignment of words in text output; json always has it.")
    tags: bool = flag("--tags", "Tag words as OK or BAD. With --format text, print only the tags of the 1-best.")
    posteriors: bool = flag("--posteriors", "Show the posterior (probability) of each word.")
    posterior_scale: float = POSTERIOR_SCALE
    engine: str = ENGINE

    def refuse_contradictions(self, output_format: str) -> None:
        """Refuse options that the output format cannot show."""
        if self.tags and output_format == "text" and (self.alignment or self.nbest or self.posteriors):
            advice = "choose --format json, which has everything"
            what = "text output with --tags cannot show --alignment, --nbest or --posteriors"
            raise UsageError(what, advice=advice)
        if self.alignment and output_format == "tsv":
            raise UsageError(
                "--alignment has no effect with --format tsv", advice="choose --format json, which always has it"
            )
        if not self.posteriors:
            refuse(["posterior_scale"], "without --posteriors")

    def wanted(self, *, graphs: bool) -> MarginOptions | None:
        """Return the further searches of each graph (n-best, hope, fear, worst, all best paths); `None` for none."""
        if not (self.hope or self.fear):
            refuse(["on"], "without --hope and --fear")
        if not (self.nbest or self.hope or self.fear or self.worst or graphs):
            return None
        from latticemetric.corpus.margins import MarginOptions

        return MarginOptions(self.nbest or 0, self.hope, self.fear, self.on, self.worst, graphs)
