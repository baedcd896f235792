"""Combine several systems on many utterances: read their outputs, tune weights, and score the combination."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.display.frames import Tabular
from latticemetric.errors import FormatError, UsageError, placed, shortened
from latticemetric.formats.reading import entries
from latticemetric.formats.references import Reference, ReferenceFile, read_references, require_lines, texts_with_ids
from latticemetric.formats.registry import UnknownFormatError, sniff
from latticemetric.formats.streams.compression import is_tar
from latticemetric.formats.streams.stream import HEAD_SIZE, STANDARD_INPUT, is_kept, keep, open_stream, warn
from latticemetric.likeness import Names
from latticemetric.line_ids import Ids, Lines, LineStyle, are_positions, judge_by_names, judge_lines, listed_names
from latticemetric.mbr_decoding.combination import Combination, combine
from latticemetric.vocabulary import Vocabulary, split_words

if TYPE_CHECKING:
    from latticemetric.evaluation.intervals import Interval, PairedBootstrap
    from latticemetric.metrics.recognition import WER

Words = tuple[str, ...]
Table = npt.NDArray[np.float64]

TEXT = "text"
"""The format name of outputs that are plain lines."""

_BLOCK = 100  # number of successive reference words that are resampled together
_LEAST_CUT = 2 * _BLOCK  # fewest reference words of an utterance that may be cut in two
_FACTORS = (0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.4, 1.7, 2.0, 3.0)
_POWERS = (1, 2, 4)
_EDITS = {name: number for number, name in enumerate("SDI")}


@cache
def _wer() -> WER:
    """Return the metric WER; import it late, since a combination without references does not need it."""
    from latticemetric.metrics.recognition import WER

    return WER()


# ---- Reading ----


class NamedOutput(NamedTuple):
    """The output of a system for one utterance: its name, whether the name is an id or a position, words or a graph."""

    name: str
    is_id: bool
    output: Any


class Utterance(NamedTuple):
    """The id of an utterance, and the output of each system (by file name)."""

    name: str
    outputs: Mapping[str, Any]


def read_systems(
    paths: Sequence[str],
    *,
    format: str | None = None,  # noqa: A002  as in `read`
    style: LineStyle = "auto",
    vocabulary: Vocabulary | None = None,
    lowercase: bool = False,
    ignore: Collection[str] = (),
    keep_marks: bool = False,
    beside: Sequence[str] = (),
) -> list[Utterance]:
    """Read the outputs of systems, one file each: transcripts, CTMs, n-best lists or lattices.

    Match utterances by id, or by order if a file has no ids. If each file has one utterance, ignore ids. A system has
    no words in an utterance that its file lacks; an empty file has no words in any utterance. Warnings tell of both.

    Args:
        paths: The files.
        format: The format of graphs, or `text` for lines of words; by default, detected from the content.
        style: `keyed` if lines of text begin with ids, `plain` if not; `auto` compares all files, see `judge_lines`. A
            warning tells if lines begin with ids.
        vocabulary: Maps word numbers of graphs to words.
        lowercase: True to write all words in lower case.
        ignore: Words to remove.
        keep_marks: True to read the sentence marks of a format as words.
        beside: Files of references, which show, too, whether lines begin with ids.
    """
    if len(set(paths)) < len(paths):
        raise UsageError(
            "a file is given twice", advice="give each file once; to give a system more influence, raise its weight"
        )
    for path in paths:
        keep(path)  # its format is recognised before it is read
    reading: dict[str, Any] = {"vocabulary": vocabulary, "keep_marks": keep_marks}
    files = _outputs(paths, format, style=style, reading=reading, beside=beside)
    if lowercase or ignore:
        files = [_prepared(file, lowercase=lowercase, ignore=ignore) for file in files]
    return _paired(paths, files)


def _paired(paths: Sequence[str], files: Sequence[Sequence[NamedOutput]]) -> list[Utterance]:
    """Match the utterances of all files."""
    for path, file in zip(paths, files, strict=True):
        if not file:
            warn(path, "the file is empty, so this system has no words")
    if not any(files):
        return [Utterance("1", dict.fromkeys(paths, ()))]
    counts = {len(file) for file in files if file}
    if counts == {1} and not all(one.is_id for file in files for one in file):
        files = [file or _numbered([[]]) for file in files]
    if {len(file) for file in files} == {1}:
        return [_only_utterance(paths, files)]
    if all(is_id for file in files for _, is_id, _ in file):
        return _matched(paths, files)
    if len({len(file) for file in files}) > 1:
        listed = ", ".join(f"{path} has {len(file)}" for path, file in zip(paths, files, strict=True))
        raise FormatError(
            f"the systems have different numbers of utterances: {listed}",
            advice="give the same utterances of each system, or give each utterance an id",
        )
    named = {path: [one.name for one in file] for path, file in zip(paths, files, strict=True) if file[0].is_id}
    for path, ids in named.items():
        if ids != (first := next(iter(named.values()))):
            at = next(number for number, both in enumerate(zip(ids, first, strict=True)) if both[0] != both[1])
            what = f"utterance {at + 1} is '{shortened(ids[at])}', but '{shortened(first[at])}' in {next(iter(named))}"
            raise FormatError(what, where=path, advice="give the same order, since another system has no ids")
    names = next((file for file in files if all(is_id for _, is_id, _ in file)), files[0])
    rows = zip(*files, strict=True)
    return [
        Utterance(name, {p: one[2] for p, one in zip(paths, row, strict=True)})
        for (name, _, _), row in zip(names, rows, strict=True)
    ]


def _only_utterance(paths: Sequence[str], files: Sequence[Sequence[NamedOutput]]) -> Utterance:
    """Return the only utterance of each file; warn if they have different ids."""
    ids = {file[0].name: path for path, file in zip(paths, files, strict=True) if file[0].is_id}
    if len(ids) > 1:
        (first, _), (other, path) = list(ids.items())[:2]
        warn(path, f"the only utterance is '{shortened(other)}', and combined with '{shortened(first)}' of other files")
    return Utterance(next(iter(ids), "1"), {p: file[0].output for p, file in zip(paths, files, strict=True)})


def _matched(paths: Sequence[str], files: Sequence[Sequence[NamedOutput]]) -> list[Utterance]:
    """Match utterances by id; where a file lacks an utterance, the system has no words.

    Raises:
        FormatError: A file has no utterance of the other files, or ids differ only in case.
    """
    tables = {path: {one.name: one.output for one in file} for path, file in zip(paths, files, strict=True)}
    names = list(dict.fromkeys(chain.from_iterable(tables.values())))
    for path, table in tables.items():
        others = dict.fromkeys(chain.from_iterable(other for name, other in tables.items() if name != path))
        lacking = [name for name in others if name not in table]
        if not table or not lacking:
            continue
        known = {name.casefold() for name in table}
        recased = [name for name in lacking if name.casefold() in known]
        if recased or len(lacking) == len(others):
            own = [name for name in table if name not in others]
            what = f"ids are not those of the other files: only here: {listed_names(own) or 'none'}; "
            what += f"only there: {listed_names(lacking)}{' (some differ only in case)' if recased else ''}"
            raise FormatError(what, where=path, advice="give the same utterances of each system")
        what = f"{len(lacking)} of {len(names)} utterances are not in this file, so this system has no words there"
        warn(path, f"{what}: {listed_names(lacking)}")
    return [Utterance(name, {path: table.get(name, ()) for path, table in tables.items()}) for name in names]


def _outputs(
    paths: Sequence[str],
    format_name: str | None,
    *,
    style: LineStyle,
    reading: Mapping[str, Any],
    beside: Sequence[str],
) -> list[list[NamedOutput]]:
    """Return the outputs of each file; `reading` are arguments of `entries`."""
    found: dict[str, list[NamedOutput]] = {}
    lines: dict[str, list[list[str]]] = {}
    for path in paths:
        if _is_silent(path):
            lines[path] = _empty_lines(path)
        elif format_name == TEXT or (format_name is None and _is_text(path, style)):
            texts = _texts(path)
            if isinstance(texts, ReferenceFile):
                found[path] = [
                    NamedOutput(name, is_id=True, output=list(one.words)) for name, one in texts.keyed().items()
                ]
            else:
                lines[path] = texts
        else:
            found[path] = list(_graphs(path, format_name, reading))
    spoken = {path: texts for path, texts in lines.items() if any(texts)}
    is_keyed = style == "keyed" or (style == "auto" and _are_keyed(spoken, found, beside))
    for path, texts in lines.items():
        found[path] = _keyed(path, texts) if is_keyed else _numbered(texts)
    return [found[path] for path in paths]


def _graphs(path: str, format_name: str | None, reading: Mapping[str, Any]) -> Iterator[NamedOutput]:
    for entry in entries([path], format_name, **reading):
        with placed(entry.place):
            yield NamedOutput(entry.name, entry.naming == "own", entry.build())


def _are_keyed(
    lines: Mapping[str, Sequence[Sequence[str]]], others: Mapping[str, Sequence[NamedOutput]], beside: Sequence[str]
) -> bool:
    """Decide whether lines of text begin with ids; warn if they do, or if it is not sure."""
    known = [
        Ids(path, [one.name for one in outputs]) for path, outputs in others.items() if outputs and outputs[0].is_id
    ]
    if not lines:
        return bool(known)  # files without words have the ids of others
    files = [Lines(path, texts) for path, texts in lines.items()]
    for path in beside:
        keep(path)
        reference = read_references(path)
        if not reference.has_ids:
            files.append(Lines(path, reference.lines))
        elif not any(one.segment for _, one in reference.named or ()):  # ids of an STM are not those of its channels
            known.append(Ids(path, reference.ids))
    verdict = judge_lines(files, known, may_lack=True)
    if verdict.note:
        warn(verdict.place, verdict.note)
    return verdict.keyed


def _prepared(file: list[NamedOutput], *, lowercase: bool, ignore: Collection[str]) -> list[NamedOutput]:
    # Import late: few combinations need these modules.
    from latticemetric.corpus.preparation import prepared_graph
    from latticemetric.metrics.preparation import Preparation

    preparation = Preparation(lowercase, ignore=frozenset(ignore))
    found = []
    for name, is_id, output in file:
        with placed(name):
            is_line = isinstance(output, list)
            prepared = preparation.listed(output) if is_line else prepared_graph(output, preparation)
        found.append(NamedOutput(name, is_id, prepared))
    return found


def _is_text(path: str, style: LineStyle) -> bool:
    """Return True if a file has no known format, so that it is read as lines of text.

    Outside of commands, standard input cannot be read twice, so the style decides: `keyed` means lines of text, others
    mean graphs.
    """
    if path == STANDARD_INPUT and not is_kept(path):
        return style == "keyed"
    try:
        with open_stream(path) as stream:
            if is_tar(stream.head()):
                return False
            sniff(stream)
    except UnknownFormatError:
        return True
    except IsADirectoryError:
        return False
    return False


def _is_silent(path: str) -> bool:
    """Check whether a file has nothing but empty lines and comments of NIST's formats."""
    if (path == STANDARD_INPUT and not is_kept(path)) or Path(path).is_dir():
        return False
    with open_stream(path) as stream:
        head = stream.head()
    return len(head) < HEAD_SIZE and all(line.startswith(b";;") or not line.strip() for line in head.splitlines())


def _empty_lines(path: str) -> list[list[str]]:
    """Return no words for each line of a file that has none; comments do not count."""
    with open_stream(path) as stream:
        return [[] for line in stream.lines() if not line.startswith(";;")]


def _texts(path: str) -> ReferenceFile | list[list[str]]:
    """Return the words of each line, or the texts of JSON lines, which have ids."""
    with open_stream(path) as stream:
        if (texts := texts_with_ids(stream)) is not None:
            return texts
        require_lines(stream)
        return [split_words(line) for line in stream.lines()]


def _numbered(lines: Iterable[list[str]]) -> list[NamedOutput]:
    return [NamedOutput(str(number), is_id=False, output=words) for number, words in enumerate(lines, start=1)]


def _keyed(path: str, lines: Sequence[list[str]]) -> list[NamedOutput]:
    found = {words[0]: words[1:] for words in lines if words}
    if len(found) < sum(map(bool, lines)):
        raise FormatError(
            "two lines begin with the same id", where=path, advice='if these are not ids, use style="plain"'
        )
    return [NamedOutput(name, is_id=True, output=words) for name, words in found.items()]


def references_of(
    path: str,
    names: Sequence[str],
    *,
    lowercase: bool = False,
    ignore: Collection[str] = (),
    style: LineStyle = "auto",
) -> list[Words]:
    """Return the reference of each utterance, matched by id, by the `file,channel` of an STM file, or by order.

    Utterances without ids have numbers as names. Ids of a single utterance are ignored. A warning says if an STM file
    leaves out segments, since channels are scored whole.

    Args:
        path: The file of the references.
        names: The names of the utterances.
        lowercase: True to write all words in lower case.
        ignore: Words to remove.
        style: `plain` if lines of text do not begin with ids, whatever they look like.
    """
    from latticemetric.metrics.preparation import Preparation

    keep(path)  # it is read again if it may have segments that are not scored
    file = read_references(path)
    table = None if style == "plain" and not file.has_ids else _keyed_references(file, names)
    listed = file.plain() if table is None else [table[name] for name in names]
    if len(listed) != len(names):
        what = f"there are {len(names)} utterances, and {len(listed)} references"
        raise FormatError(
            what, where=path, advice="give one reference per utterance, in the same order or with the id first"
        )
    for reference in listed:
        if reference.graph is not None:
            raise FormatError(
                "the reference has alternatives", where=reference.where, advice="keep one of the alternatives"
            )
    preparation = Preparation(lowercase, ignore=frozenset(ignore))
    return [tuple(preparation.listed(reference.words)) for reference in listed]


def _keyed_references(file: ReferenceFile, names: Sequence[str]) -> Mapping[str, Reference] | None:
    """Return the references by id, or by `file,channel`; `None` if they are matched by order.

    Raises:
        FormatError: There is no reference for an id, but references have ids, or begin with other ids of utterances.
    """
    if list(names) == ["1"] and not file.has_ids:
        return None  # a text without an id, though its reference may begin with this number
    if file.ids >= set(names):
        return file.keyed()
    joined = _joined_channels(file) if file.has_ids else {}
    if joined.keys() >= set(names):
        _warn_of_ignored(file.name, set(names))
        return joined
    has_ids = len(names) > 1 and not are_positions(names)
    if not file.has_ids:
        judge_by_names(Lines(file.name, file.lines), names if has_ids else (), "the systems")
    elif has_ids:
        lacking = [name for name in names if name not in file.ids | joined.keys()]
        what = f"there is no reference for '{shortened(lacking[0])}'"
        advice = Names(file.ids | joined.keys()).advice_for(lacking[0])
        raise FormatError(what, where=file.name, advice=advice or "give each reference the id of its utterance")
    return None


def _joined_channels(file: ReferenceFile) -> dict[str, Reference]:
    """Return the words of the segments of each channel, by `file,channel`; with a graph if a segment has one."""
    segments: dict[str, list[Reference]] = {}
    for name, reference in file.keyed().items():
        channel = name if reference.segment is None else reference.segment.channel_name
        segments.setdefault(channel, []).append(reference)
    joined = {}
    for channel, several in segments.items():
        first = next((reference for reference in several if reference.graph is not None), several[0])
        joined[channel] = first._replace(words=tuple(chain.from_iterable(one.words for one in several)))
    return joined


def _warn_of_ignored(path: str, channels: AbstractSet[str]) -> None:
    """Warn if an STM file leaves out segments of some channels: the words of systems in them cannot be left out."""
    from latticemetric.formats.nist.transcripts import ignored_segments

    with open_stream(path) as stream:
        ignored = [one for one in ignored_segments(stream) if one.segment and one.segment.channel_name in channels]
    if ignored:
        advice = "write the combination as a CTM, and score it and the systems with latticemetric score"
        warn(ignored[0].where, f"words of systems in segments that are not scored count as insertions; {advice}")


# ---- Many combinations ----


@dataclass(frozen=True)
class Combinations:
    """The combinations of many utterances.

    Attributes:
        names: The id of each utterance.
        combinations: The combination of each utterance; all have the same systems.
    """

    names: tuple[str, ...]
    combinations: tuple[Combination, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.combinations[0].systems

    def voting(self, system_weights: Sequence[float], null: float) -> Combinations:
        """Return the same confusion networks with other weights."""
        changed = (
            replace(one, system_weights=tuple(map(float, system_weights)), null=float(null))
            for one in self.combinations
        )
        return Combinations(self.names, tuple(changed))


def combine_all(utterances: Iterable[Utterance], **options: Any) -> Combinations:
    """Combine the systems in each utterance; see `combine` for the options."""
    names, found = [], []
    for utterance in utterances:
        with placed(utterance.name):
            found.append(combine(utterance.outputs, **options))
        names.append(utterance.name)
    if not found:
        raise UsageError("there are no utterances", advice="give at least one")
    return Combinations(tuple(names), tuple(found))


# ---- Tuning ----


@dataclass(frozen=True)
class TunedVote:
    """The setting (weights and `null`) with the fewest errors, among all settings tried.

    Attributes:
        system_weights: The weight of each system.
        null: The factor of the votes for "no word" or, in some schemes, the confidence of "no word"; see `combine`.
        errors: The number of word errors with this setting.
        errors_before: The number of word errors with the original weights.
        tried: The number of settings tried.
    """

    system_weights: tuple[float, ...]
    null: float
    errors: int
    errors_before: int
    tried: int


def tune_vote(combinations: Combinations, references: Sequence[Words]) -> TunedVote:
    """Find the system weights and the parameter `null` (see `combine`) that give the fewest word errors.

    A coordinate search multiplies one weight or `null` at a time by factors from 0 to 3. It ends when no factor reduces
    the errors. It starts with the original weights, or with powers of the systems' accuracies (1 − WER) if these give
    fewer errors.
    """
    parts, expected = combinations.combinations, [[words] for words in references]
    tried: dict[tuple[float, ...], int] = {}

    def errors(setting: tuple[float, ...]) -> int:
        if setting not in tried:
            voted = [one.vote(setting[:-1], null=setting[-1]).words for one in parts]
            tried[setting] = int(_wer().counts(voted, expected)[:, 1:4].sum())
        return tried[setting]

    own = (*parts[0].system_weights, parts[0].null)
    words = max(1, sum(map(len, references)))
    alone = [
        int(_wer().counts([one.outputs[s].best_words for one in parts], expected)[:, 1:4].sum())
        for s in range(len(parts[0].systems))
    ]
    by_accuracy = [
        (*(round(max(0.1, 1 - wrong / words) ** power, 6) for wrong in alone), parts[0].null) for power in _POWERS
    ]
    best = min((own, *by_accuracy), key=errors)
    is_better = True
    while is_better:
        is_better = False
        for place in range(len(best)):
            for factor in _FACTORS:
                setting = (*best[:place], round(best[place] * factor, 6), *best[place + 1 :])
                if any(setting[:-1]) and errors(setting) < errors(best):
                    best, is_better = setting, True
    return TunedVote(best[:-1], best[-1], errors(best), errors(own), len(tried))


def split_at(
    combinations: Combinations, references: Sequence[Words], share: float
) -> tuple[tuple[Combinations, list[Words]], tuple[Combinations, list[Words]]]:
    """Split the utterances and their references into two sets; the first has about this `share` of reference words.

    A long utterance at the border is cut in two, at a correct word.
    """
    if not 0 < share < 1:
        raise UsageError(f"the share is {share}, but must be between 0 and 1", advice="give a fraction like 0.5")
    left = share * sum(map(len, references))
    parts: tuple[list[tuple[str, Combination, Words]], list[tuple[str, Combination, Words]]] = ([], [])
    for name, one, words in zip(combinations.names, combinations.combinations, references, strict=True):
        if len(words) <= left or left <= 0:
            parts[left <= 0].append((name, one, words))
        elif (cut := _cut(one, words, int(left))) is None:
            parts[1].append((name, one, words))
        else:
            column, place = cut
            parts[0].append((name, one.part(0, column), words[:place]))
            parts[1].append((name, one.part(column, len(one.slots)), words[place:]))
        left -= len(words)
    if not all(parts):
        raise UsageError("there are too few words to split", advice="tune on a separate set of utterances")
    first, second = (
        (Combinations(tuple(n for n, _, _ in part), tuple(c for _, c, _ in part)), [w for _, _, w in part])
        for part in parts
    )
    return first, second


def _cut(combination: Combination, words: Words, place: int) -> tuple[int, int] | None:
    """Return where to cut an utterance: the column and the reference position of a correct word.

    It is the first correct word at the reference position `place` or later. Return `None` if there is none, or if the
    utterance is short.
    """
    if len(words) < _LEAST_CUT:
        return None
    i = j = 0
    for edit in _wer().align(combination.words, words).edits:
        if edit == "C" and j >= place:
            return int(combination.best.columns[i]), j
        i += edit != "D"
        j += edit != "I"
    return None


# ---- Judging ----


@dataclass(frozen=True)
class Judged:
    """The errors of a system or of a combination.

    Attributes:
        name: The system, or `combination`.
        errors: The sum of substitutions, deletions and insertions.
        substitutions: The number of substituted words.
        deletions: The number of deleted words.
        insertions: The number of inserted words.
        reference_words: The number of reference words.
        interval: The error rate and its interval; `None` without resamples.
        difference: This error rate minus the error rate of the combination, on resamples; `None` for the combination
            itself, and without resamples.
    """

    name: str
    errors: int
    substitutions: int
    deletions: int
    insertions: int
    reference_words: int
    interval: Interval | None = None
    difference: PairedBootstrap | None = None

    @property
    def score(self) -> float | None:
        """The word error rate; `None` if the references have no words."""
        return self.errors / self.reference_words if self.reference_words else None


@dataclass(frozen=True)
class Judgment(Tabular):
    """Scores of a combination, of its systems, of combinations without one system, and of oracles.

    Attributes:
        rows: The errors of the combination, of each system, and of combinations without one system.
        oracles: The number of errors of the oracle of each subset of the systems.
        reference_words: The number of reference words.
        blocks: The number of blocks of reference words, which are resampled for the intervals.
    """

    rows: tuple[Judged, ...]
    oracles: Mapping[tuple[str, ...], int]
    reference_words: int
    blocks: int

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each row, and for each oracle."""
        records = []
        for row in self.rows:
            counts = {name: getattr(row, name) for name in ("errors", "substitutions", "deletions", "insertions")}
            record = {"name": row.name, "wer": row.score, **counts, "reference_words": row.reference_words}
            if row.interval is not None:
                record |= {"low": row.interval.low, "high": row.interval.high}
            if row.difference is not None:
                ends = row.difference.difference
                record |= {"difference": ends.value, "difference_low": ends.low, "difference_high": ends.high}
                record |= {"p": row.difference.p}
            records.append(record)
        return records + [
            {
                "name": f"oracle of {' '.join(systems)}",
                "wer": errors / self.reference_words if self.reference_words else None,
                "errors": errors,
                "reference_words": self.reference_words,
            }
            for systems, errors in self.oracles.items()
        ]


class _ErrorRate:
    """The word error rate; statistics are the sums of substitutions, deletions, insertions and reference words."""

    def values(self, sums: Table) -> Table:
        with np.errstate(invalid="ignore", divide="ignore"):
            rates: Table = np.where(sums[..., 3] > 0, sums[..., :3].sum(axis=-1) / sums[..., 3], np.nan)
        return rates


def judge(
    combinations: Combinations,
    references: Sequence[Sequence[str]],
    *,
    subsets: bool = False,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Judgment:
    """Score a combination and its systems against references.

    Intervals resample blocks of up to 100 reference words; an hour of speech has about a hundred blocks.

    Args:
        combinations: The combinations.
        references: The words of the reference of each utterance.
        subsets: True to also compute the oracle of each subset of the systems.
        resamples: The number of resamples for intervals; 0 for none.
        seed: The seed of the resamples.
        confidence: The share of resamples inside an interval.
    """
    from latticemetric.evaluation.intervals import bootstrap, paired_bootstrap

    expected = [tuple(words) for words in references]
    sides = {"combination": [one.words for one in combinations.combinations]}
    for s, name in enumerate(combinations.systems):
        sides[name] = [one.outputs[s].best_words for one in combinations.combinations]
    sides |= dict(_without_each_system(combinations))
    tables = {name: _block_table(texts, expected) for name, texts in sides.items()}
    rows: list[Judged] = []
    rate = _ErrorRate()
    options: dict[str, Any] = {"resamples": resamples, "seed": seed, "confidence": confidence}
    for name, table in tables.items():
        substitutions, deletions, insertions, words = map(int, table.sum(axis=0).tolist())
        row = Judged(name, substitutions + deletions + insertions, substitutions, deletions, insertions, words)
        if resamples:
            row = replace(row, interval=bootstrap(rate, table, **options))
            if rows:
                first = tables["combination"]
                row = replace(row, difference=paired_bootstrap(rate, first, table, **options))
        rows.append(row)
    return Judgment(
        tuple(rows),
        _oracles(combinations, expected, subsets=subsets),
        rows[0].reference_words,
        len(tables["combination"]),
    )


def _without_each_system(combinations: Combinations) -> Iterator[tuple[str, list[Words]]]:
    """Yield, for each system, the name `without NAME` and the combined words without this system."""
    systems, system_weights = combinations.systems, combinations.combinations[0].system_weights
    for s, name in enumerate(systems):
        rest = [0.0 if t == s else weight for t, weight in enumerate(system_weights)]
        if len(systems) > 2 and any(rest):  # noqa: PLR2004  with two systems, this is the row of the other
            yield f"without {name}", [one.words_under(rest) for one in combinations.combinations]


def _oracles(combinations: Combinations, references: Sequence[Words], *, subsets: bool) -> dict[tuple[str, ...], int]:
    wanted = list(combinations.combinations[0].subsets()) if subsets else [combinations.systems]
    return {
        systems: sum(
            one.oracle([words], systems).statistics.errors
            for one, words in zip(combinations.combinations, references, strict=True)
        )
        for systems in wanted
    }


def _block_table(texts: Sequence[Words], references: Sequence[Words]) -> Table:
    """Return one row per block of the references: substitutions, deletions, insertions and words."""
    tables = []
    for text, reference in zip(texts, references, strict=True):
        edits = np.frombuffer(_wer().align(text, reference).edits.encode("ascii"), dtype=np.uint8)
        table = np.zeros((max(1, -(-len(reference) // _BLOCK)), 4))
        is_word = edits != ord("I")
        # An inserted word belongs to the block of the word before it.
        block = np.clip(np.cumsum(is_word) - 1, 0, max(0, len(reference) - 1)) // _BLOCK
        for letter, column in _EDITS.items():
            table[:, column] = np.bincount(block[edits == ord(letter)], minlength=len(table))
        table[:, 3] = np.bincount(block[is_word], minlength=len(table))
        tables.append(table)
    return np.vstack(tables)
