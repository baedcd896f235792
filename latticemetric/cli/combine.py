"""`latticemetric combine`: one text from the outputs of several systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli.commands import Options, choice, flag, option, verb
from latticemetric.cli.files import ReferenceFiles, SystemFiles
from latticemetric.cli.options import (
    IGNORE,
    LINE_STYLE,
    POSTERIOR_SCALE,
    Number,
    RateOutputOptions,
    ResamplingOptions,
    ScoredReadingOptions,
    format_option,
    lattices_option,
    numbers,
    refuse,
    word_list,
)
from latticemetric.corpus.tables.formats import PARTS

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


class _VoteOptions(Options):
    system_weights: tuple[float, ...] = option(
        "--system-weights NUMBERS",
        "Weight of each system, in the order of FILES (default: 1).",
        reads=numbers,
    )
    null: float = option(
        "--null NUMBER",
        "Factor of the votes for 'no word'; with --scheme average or maximum: confidence of 'no word'.",
        type=Number(0),
        default=1.0,
    )
    scheme: str = choice(
        "--scheme",
        ["sum", "votes", "average", "maximum", "mbr"],
        "sum: add confidences; votes: count systems; average, maximum: mix counts with the mean or largest confidence; "
        "mbr: minimize expected errors by a search, without a vote.",
    )
    count_share: float = option(
        "--count-share SHARE", "Weight of counts in --scheme average and maximum.", type=Number(0, 1), default=0.5
    )
    tune_share: float | None = option(
        "--tune-share SHARE",
        "Tune --system-weights and --null on the first utterances (this share of the reference words); evaluate on the "
        "rest.",
        type=Number(0, 1, min_open=True, max_open=True),
    )

    def check(self) -> None:
        """Refuse options that have no effect on this scheme."""
        if self.scheme not in ("average", "maximum"):
            refuse(["count_share"], f"with --scheme {self.scheme}", advice="choose --scheme average or maximum")


class _ColumnOptions(Options):
    time_mediated: bool = flag(
        "--time-mediated",
        "Find columns by words and times: two words in a column also cost the seconds between their begins and between "
        "their ends, at most one error.",
    )


class _JudgingOptions(Options):
    references: str | None = option(
        "--reference FILE",
        "Score the combination and the systems against this reference: lines, trn, STM or CTM.",
        type=ReferenceFiles(),
    )
    subsets: bool = flag("--subsets", "Also compute the oracle of each subset of the systems.")
    write_lattices: str | None = lattices_option("the confusion networks")


class _ReadingOptions(ScoredReadingOptions):
    ignore: str | None = IGNORE
    style: LineStyle = LINE_STYLE
    posterior_scale: float = POSTERIOR_SCALE
    lowercase: bool = flag("--lowercase -lc", "Lowercase all words of the systems and of the reference.")


class _CombinationOutput(RateOutputOptions):
    output_format: str = format_option(parts=(*PARTS, "ctm", "trn"))


@verb("combine", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("files", type=SystemFiles(), nargs=-1, required=True)
def command(
    files: tuple[str, ...],
    *,
    columns: _ColumnOptions,
    vote: _VoteOptions,
    judging: _JudgingOptions,
    reading: _ReadingOptions,
    resampling: ResamplingOptions,
    output: _CombinationOutput,
) -> None:
    """Combine the outputs of several systems (one file each) into one text per utterance.

    FILES are transcripts (lines, trn, STM, CTM), n-best lists or lattices; their types may differ. Utterances are
    matched by id, or by order. The order of FILES does not change the result.
    """
    from latticemetric.corpus.combined_systems import combine_systems

    if judging.references is None:
        refuse(["tune_share", "subsets", "resamples", "seed", "confidence"], "without --reference")
    vote.check()
    how: dict[str, Any] = {name: getattr(vote, name) for name in vote.declared}
    found = combine_systems(
        files,
        judging.references,
        **how,
        time_mediated=columns.time_mediated,
        subsets=judging.subsets,
        posterior_scale=reading.posterior_scale,
        weights=reading.weights,
        symbols=reading.vocabulary,
        format=reading.from_format,
        style=reading.style,
        lowercase=reading.lowercase,
        ignore=word_list(reading.ignore),
        keep_marks=reading.keep_marks,
        **resampling.asdict(),
    )
    table = found.table(output.looks)

    def beside() -> None:
        if judging.write_lattices is not None:
            found.write_lattices(judging.write_lattices)

    output.write(table, beside=beside)
    output.say_summary(table)
