"""`latticemetric combine`: one text from the outputs of several systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli.commands import option, verb
from latticemetric.cli.files import ReferenceFiles, SystemFiles
from latticemetric.cli.options import (
    IGNORE,
    LINE_STYLE,
    RateOutputOptions,
    ScoredReadingOptions,
    SettingsOptions,
    format_option,
    lattices_option,
    numbers,
    refuse,
    word_list,
)
from latticemetric.cli.options.fields import option_of
from latticemetric.corpus.combination_settings import CombinationSettings
from latticemetric.corpus.settings import ReadingSettings
from latticemetric.corpus.tables.formats import PARTS
from latticemetric.settings import like

if TYPE_CHECKING:
    from latticemetric.line_ids import LineStyle

_EPILOG = """\b
Examples:
  latticemetric combine a.txt b.txt c.txt -o combined.txt
  latticemetric combine a.ctm b.ctm c.ctm --system-weights 1,0.8,0.8 --null 0.7 --format ctm
  latticemetric combine a.ctm b.ctm c.ctm --reference ref.txt --tune-share 0.5
  latticemetric combine a.jsonl b.lat c.txt --style keyed --reference ref.txt --subsets
"""

_SECTIONS = {
    "Columns": "--time-mediated",
    "Vote": "--system-weights --null --scheme --count-share --tune-share",
    "Evaluation": "--reference --subsets",
    "Model scores": "",
    "Input": "--from --symbols --style --lowercase",
    "Intervals": "",
    "Output": "--format --output --write-lattices",
}


class _CombinationOptions(SettingsOptions, kinds=(CombinationSettings,)):
    system_weights: tuple[float, ...] = option_of(CombinationSettings.fields["system_weights"], reads=numbers)
    references: str | None = option(
        "--reference FILE",
        "Score the combination and the systems against this reference: lines, trn, STM or CTM.",
        type=ReferenceFiles(),
    )
    write_lattices: str | None = lattices_option("the confusion networks")

    def how(self) -> dict[str, Any]:
        """Return the settings; refuse options that have no effect."""
        if self.references is None:
            refuse(CombinationSettings.of_references, "without --reference")
        values = {name: getattr(self, name) for name in self.fields}
        scheme: str = values["scheme"]
        if scheme not in ("average", "maximum"):
            refuse(["count_share"], f"with --scheme {scheme}", advice="choose --scheme average or maximum")
        return values


class _ReadingOptions(ScoredReadingOptions):
    ignore: str | None = IGNORE
    style: LineStyle = LINE_STYLE
    lowercase: bool = option_of(
        like(ReadingSettings.fields["lowercase"], help="Lowercase all words of the systems and of the reference.")
    )


class _CombinationOutput(RateOutputOptions):
    output_format: str = format_option(parts=(*PARTS, "ctm", "trn"))


@verb("combine", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("files", type=SystemFiles(), nargs=-1, required=True)
def command(
    files: tuple[str, ...],
    *,
    combining: _CombinationOptions,
    reading: _ReadingOptions,
    output: _CombinationOutput,
) -> None:
    """Combine the outputs of several systems (one file each) into one text per utterance.

    FILES are transcripts (lines, trn, STM, CTM), n-best lists or lattices; their types may differ. Utterances are
    matched by id, or by order. The order of FILES does not change the result.
    """
    from latticemetric.corpus.combined_systems import combine_systems

    found = combine_systems(
        files,
        combining.references,
        **combining.how(),
        weights=reading.weights,
        symbols=reading.vocabulary,
        format=reading.from_format,
        style=reading.style,
        lowercase=reading.lowercase,
        ignore=word_list(reading.ignore),
        keep_marks=reading.keep_marks,
    )
    table = found.table(output.looks)

    def beside() -> None:
        if combining.write_lattices is not None:
            found.write_lattices(combining.write_lattices)

    output.write(table, beside=beside)
    output.say_summary(table)
