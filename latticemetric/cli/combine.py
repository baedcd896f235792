"""`latticemetric combine`: one text from the outputs of several systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli.commands import Options, choice, flag, option, verb
from latticemetric.cli.files import NamesFiles
from latticemetric.cli.options import (
    LINE_STYLE,
    POSTERIOR_SCALE,
    Number,
    RateOutputOptions,
    ResamplingOptions,
    WordReadingOptions,
    format_option,
    lattices_option,
    numbers,
    refuse,
    word_list,
)
from latticemetric.cli.results import (
    Record,
    Results,
    counted,
    json_document,
    rate,
    rate_title,
    resampled,
    table,
    words_line,
)
from latticemetric.errors import UsageError, harmless
from latticemetric.segment_id import SegmentId

if TYPE_CHECKING:
    from latticemetric.corpus.combination import Combinations, Judged, Judgment, TunedVote
    from latticemetric.line_ids import LineStyle
    from latticemetric.mbr_decoding.combination import Combination

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

    def check(self, files: int) -> None:
        """Refuse weights if there is not one weight per file, and options that have no effect on this scheme."""
        if self.scheme not in ("average", "maximum"):
            refuse(["count_share"], f"with --scheme {self.scheme}", advice="choose --scheme average or maximum")
        if self.tune_share is not None and self.scheme == "mbr":
            raise UsageError(
                "--tune-share tunes a vote, but this scheme does not vote",
                where="--scheme mbr",
                advice="leave out --tune-share, or choose another --scheme",
            )
        if self.system_weights and len(self.system_weights) != files:
            raise UsageError(
                f"there are {files} files, but {len(self.system_weights)} weights",
                where="--system-weights",
                advice="give one weight for each file",
            )
        if self.system_weights and not any(self.system_weights):
            raise UsageError("all weights are 0", where="--system-weights", advice="give at least one system a weight")


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
        type=NamesFiles(),
    )
    subsets: bool = flag("--subsets", "Also compute the oracle of each subset of the systems.")
    write_lattices: str | None = lattices_option("the confusion networks")


class _ReadingOptions(WordReadingOptions):
    style: LineStyle = LINE_STYLE
    posterior_scale: float = POSTERIOR_SCALE
    lowercase: bool = flag("--lowercase -lc", "Lowercase all words of the systems and of the reference.")


class _OutputOptions(RateOutputOptions):
    output_format: str = format_option("text", "tsv", "json", "jsonl", "ctm", "trn")


@verb("combine", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("files", type=NamesFiles(), nargs=-1, required=True)
def command(
    files: tuple[str, ...],
    *,
    columns: _ColumnOptions,
    vote: _VoteOptions,
    judging: _JudgingOptions,
    reading: _ReadingOptions,
    resampling: ResamplingOptions,
    output: _OutputOptions,
) -> None:
    """Combine the outputs of several systems (one file each) into one text per utterance.

    FILES are transcripts (lines, trn, STM, CTM), n-best lists or lattices; their types may differ. Utterances are
    matched by id, or by order. The order of FILES does not change the result.
    """
    from latticemetric.corpus.combination import combine_all, judge, read_systems, references_of, split_at, tune_vote
    from latticemetric.formats.writing import write

    if judging.references is None:
        refuse(["tune_share", "subsets", "resamples", "seed", "confidence"], "without --reference")
    vote.check(len(files))
    ignored = word_list(reading.ignore)
    utterances = read_systems(
        files,
        format=reading.from_format,
        style=reading.style,
        vocabulary=reading.vocabulary,
        lowercase=reading.lowercase,
        ignore=ignored,
        keep_marks=reading.keep_marks,
        beside=[] if judging.references is None else [judging.references],
    )
    found = combine_all(
        utterances,
        weights=vote.system_weights or None,
        null=vote.null,
        scheme=vote.scheme,
        count_share=vote.count_share,
        time_mediated=columns.time_mediated,
        scale=reading.posterior_scale,
        scales=reading.weights,
    )
    tuned, judged = None, None
    if judging.references is not None:
        told: dict[str, Any] = {"lowercase": reading.lowercase, "ignore": ignored, "style": reading.style}
        references = references_of(judging.references, found.names, **told)
        judgeable = found
        if vote.tune_share is not None:
            (first, known), (judgeable, references) = split_at(found, references, vote.tune_share)
            tuned = tune_vote(first, known)
            found, judgeable = (one.voting(tuned.weights, tuned.null) for one in (found, judgeable))
        judged = judge(judgeable, references, subsets=judging.subsets, **resampling.asdict())
    results = _CombinationResults(found, tuned, judged, resampling=resampling)

    def beside() -> None:
        if judging.write_lattices is not None:
            graphs = zip(found.names, (one.to_lattice() for one in found.combinations), strict=True)
            write(judging.write_lattices, graphs)

    output.write(results, beside=beside)
    output.say_summary(results)


class _CombinationResults(Results):
    """The words of each utterance. The summary and the JSON document also have scores."""

    columns = ("id", "hypothesis", "confidences", "cost", "bound")

    def __init__(
        self,
        found: Combinations,
        tuned: TunedVote | None,
        judged: Judgment | None,
        *,
        resampling: ResamplingOptions,
    ) -> None:
        self._found, self._tuned, self._judged, self._resampling = found, tuned, judged, resampling

    def lines(self, output_format: str) -> Iterable[str]:
        """Yield the lines of one format."""
        if output_format == "ctm":
            return self._ctm()
        if output_format == "trn":
            return (f"{record['hypothesis']} ({record['id']})".lstrip() for record in self.records())
        return super().lines(output_format)

    def _each(self) -> Iterator[tuple[str, Combination]]:
        """Yield the id and the combination of each utterance.

        A combination keeps what it computed for a vote. If this was not computed before, a copy computes it.
        """
        for name, one in zip(self._found.names, self._found.combinations, strict=True):
            yield name, replace(one) if self._judged is None else one

    def text(self) -> Iterator[str]:
        """Yield one line per utterance: its id and words."""
        for name, one in self._each():
            yield words_line(name, " ".join(one.words))

    def records(self) -> Iterator[Record]:
        """Yield one record per utterance."""
        for name, one in self._each():
            yield {"id": name, **one.asdict()}

    def document(self) -> Iterator[str]:
        """Yield the JSON document."""
        one = self._found.combinations[0]
        head: Record = {"systems": list(one.systems), "weights": list(one.weights), "null": one.null}
        if self._tuned is not None:
            head["tuned"] = {name: getattr(self._tuned, name) for name in ("errors", "errors_before", "tried")}
        if self._judged is not None:
            head["judgment"] = self._judged.to_records()
        return json_document(head, {"utterances": self.records()}, streamed=False)

    @property
    def is_for_programs(self) -> bool:
        """True: the text is ids and words, for other programs."""
        return True

    def summary(self) -> Sequence[str]:
        """Return the scores, and the cost of the alignment with its lower bound."""
        found = self._found.combinations
        lines = [""]
        if self._tuned is not None:
            chosen = ",".join(f"{weight:g}" for weight in self._tuned.weights)
            effect = f"{self._tuned.errors_before} errors before, {self._tuned.errors} after"
            lines += [f"tuned: --system-weights {chosen} --null {self._tuned.null:g} ({effect})", ""]
        if self._judged is not None:
            lines += [*_judgment_table(self._judged), ""]
        notes = [counted(len(found), "utterance"), counted(len(self._found.systems), "system")]
        bounds = [one.bound for one in found]
        cost = sum(one.cost for one in found)
        if all(bound is not None for bound in bounds):
            notes.append(f"alignment cost {cost:g} (lower bound {sum(filter(None, bounds)):g})")
        else:
            notes.append(f"alignment cost {cost:.6g}")
        if self._judged is not None and self._resampling.resamples:
            notes.append(f"{resampled(**self._resampling.asdict())} of {counted(self._judged.blocks, 'block')}")
        return [*lines, "; ".join(notes)]

    def _ctm(self) -> Iterator[str]:
        """Yield one CTM line per word: id, channel, begin, duration, word, confidence."""
        for name, one in self._each():
            times = one.times
            if times is None and one.words:
                lacking = "no system has" if one.least_risk is None else "with --scheme mbr, not all systems have"
                what = f"ctm needs times, but {lacking} times for '{name}'"
                raise UsageError(what, advice="choose another --format")
            channel = SegmentId.of_channel(name) or SegmentId(name, "1")
            for word, (begin, end), sure in zip(one.words, times or (), one.confidences, strict=True):
                yield f"{channel.file} {channel.channel} {begin:.2f} {end - begin:.2f} {word} {sure:.4f}"


def _judgment_table(judged: Judgment) -> Iterator[str]:
    """Yield the table of the systems' scores and of the oracles."""
    rows = [
        ["", rate_title("wer"), "", "more than combined"],
        *(_judgment_row(row, judged.rows[0]) for row in judged.rows),
    ]
    for systems, errors in judged.oracles.items():
        score = errors / judged.reference_words if judged.reference_words else None
        name = "oracle of all" if len(judged.oracles) == 1 else f"oracle of {' '.join(map(harmless, systems))}"
        rows.append([name, rate(score), f"{errors}/{judged.reference_words}", ""])
    return iter(table(rows))


def _judgment_row(row: Judged, combined: Judged) -> list[str]:
    half_width = None if row.interval is None else row.interval.half_width
    more = ""
    if row is not combined and row.score is not None and combined.score is not None:
        spread = None if row.difference is None else row.difference.difference.half_width
        more = rate(row.score - combined.score, spread, "+")
    score = rate(row.score, half_width)
    return [harmless(row.name), score, f"{row.errors}/{row.reference_words}", more]
