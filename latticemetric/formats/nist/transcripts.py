"""Read and write trn and STM; read transcripts of any NIST format; divide CTM words into the segments of an STM.

The name of an STM segment has all fields before its words, so that writers can restore them; see `SegmentId`.
Segments marked IGNORE_TIME_SEGMENT_IN_SCORING are skipped with a warning. Graphs have no scores. See `words` for the
notation of words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import partial
from typing import IO, NamedTuple

import numpy as np

from latticemetric.errors import FormatError, UsageError, placed, shortened
from latticemetric.formats.nist import ctm
from latticemetric.formats.nist.lines import (
    EXACT,
    SAME_SEGMENT,
    SEGMENT_ORDER,
    content_lines,
    exact_decimal,
    is_stm,
    is_trn,
    reference_format,
    require_first_field,
    seconds,
)
from latticemetric.formats.nist.words import MARKUP, TAGS, Speller, parsed_transcript, require_words_only
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream, warn
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice
from latticemetric.segment_id import SEGMENT_FIELDS, SegmentId, is_labels
from latticemetric.vocabulary import split_words

_TRN_ID = re.compile(r"[^() \t\n\r\f\v]+")
_SPACE = " \t\r\f\v"
_IGNORED = ("ignore_time_segment_in_scoring", "ignoretimesegmentinscoring")
_CHANNEL = "1"

_Item = ctm.TimedWord | ctm.Alternation


class TranscriptRecord(NamedTuple):
    """An utterance of trn or a segment of stm, not yet parsed. Only segments have an id with parts, and times."""

    name: str
    where: str
    text: str
    segment: SegmentId | None = None
    begin: Decimal = Decimal(0)
    end: Decimal = Decimal(0)

    @property
    def is_ignored(self) -> bool:
        """True if the segment is marked to be ignored in scoring."""
        return any(mark in self.text.lower() for mark in _IGNORED)


class Transcript(NamedTuple):
    """The words of an utterance, a segment or a channel; a graph instead of words if it has alternatives.

    Segments and channels have an id with parts; `where` is the file and line.
    """

    name: str
    where: str
    text: Lattice | tuple[str, ...]
    segment: SegmentId | None = None


def transcripts(stream: Stream, *, fold_case: bool = False) -> Iterator[Transcript] | None:
    """Read the transcripts of a stream; return `None` for other formats.

    Args:
        stream: The file.
        fold_case: True to take channels of a CTM whose names differ only in case for one.
    """
    name = reference_format(stream.head(), stream.stem)
    if name is None or name == "ctm":
        return _channels(stream, fold_case=fold_case) if name else None
    return map(_transcript, _scored_segments(stream) if name == "stm" else _utterances(stream))


def words_or_graph(graph: Lattice) -> Lattice | tuple[str, ...]:
    """Return the words of a graph with a single path; return other graphs unchanged."""
    return next(graph.paths()).words if len(graph.word) < graph.num_states else graph


def _transcript(record: TranscriptRecord) -> Transcript:
    if MARKUP.search(record.text) is None:
        return Transcript(record.name, record.where, tuple(split_words(record.text)), record.segment)
    text = words_or_graph(parsed_transcript(record.text, record.where))
    return Transcript(record.name, record.where, text, record.segment)


def _channels(stream: Stream, *, fold_case: bool) -> Iterator[Transcript]:
    for channel in ctm.channels(stream, fold_case=fold_case):
        with placed(f"{channel.where} ({shortened(channel.name)})"):
            graph = ctm.network(ctm.items(channel), timed=False)  # gaps are no silences, which cost sclite 0.001
        yield Transcript(channel.name, channel.where, words_or_graph(graph), SegmentId.of_channel(channel.name))


# ---- trn ----


def _utterances(stream: Stream) -> Iterator[TranscriptRecord]:
    """Yield the utterances of a stream; refuse a line that sclite would treat as a comment."""
    for line in stream.lines():
        if line.startswith("**"):
            raise FormatError(
                "the line begins with **, so sclite would skip it",
                where=stream.place(),
                advice="put a space before **, or begin a comment with ;;",
            )
        text = line.rstrip(_SPACE)
        if not text or text.lstrip(_SPACE).startswith(";;"):
            continue
        begin = text.rfind("(")
        name = text[begin + 1 : -1]
        if begin < 0 or not text.endswith(")") or not _TRN_ID.fullmatch(name):
            raise FormatError(
                "the line does not end in an id in brackets", where=stream.place(), advice="write words (id)"
            )
        yield TranscriptRecord(name, stream.place(), text[:begin])


def _entry(record: TranscriptRecord) -> Entry:
    build = partial(parsed_transcript, record.text, record.where)
    return Entry(record.name, record.where, build, naming="own")


def _write_trn(file: IO[bytes], name: str, graph: Graph) -> None:
    lattice = require_words_only(graph, "trn", set(TAGS))
    if not _TRN_ID.fullmatch(name):
        raise UsageError(f"'{shortened(name)}' cannot be an id in trn", advice="use ids without spaces and brackets")
    words = Speller(lattice, "trn").transcript(like_trn=True)
    line = f"{words} ({name})" if words else f"({name})"
    file.write(f"{' ' * line.startswith('**')}{line}\n".encode())


register(Format("trn", (".trn",), is_trn, lambda stream, _: map(_entry, _utterances(stream)), _write_trn))


# ---- STM ----


def _segments(stream: Stream) -> Iterator[TranscriptRecord]:
    """Yield all segments of a stream, scored or not."""
    for line in content_lines(stream):
        where, fields = stream.place(), split_words(line)
        if len(fields) < SEGMENT_FIELDS:
            raise FormatError(
                f"the line has {len(fields)} fields",
                where=where,
                advice="write these fields: file channel speaker begin end words",
            )
        begin, end = (seconds(field, what, where) for field, what in ((fields[3], "begin"), (fields[4], "end")))
        if end < begin:
            raise FormatError(f"the segment ends at {fields[4]}, before it begins", where=where)
        words, labels = fields[SEGMENT_FIELDS:], ""
        if words and words[0].startswith("<"):
            if not is_labels(words[0]):
                raise FormatError(f"'{shortened(words[0], 40)}' is not a list of labels like <O,F>", where=where)
            labels = words.pop(0)
        file, channel, speaker, begins, ends = fields[:SEGMENT_FIELDS]
        segment = SegmentId(file, channel, speaker, begins, ends, labels)
        yield TranscriptRecord(segment.name, where, " ".join(words), segment, begin, end)


def _scored_segments(stream: Stream) -> Iterator[TranscriptRecord]:
    """Yield the scored segments of a stream; warn about segments that are not scored."""
    ignored, first = 0, ""
    for segment in _segments(stream):
        if segment.is_ignored:
            ignored, first = ignored + 1, first or segment.where
        else:
            yield segment
    if ignored:
        which = "a segment that is" if ignored == 1 else f"{ignored} segments that are"
        warn(first, f"left out {which} not to be scored ({_IGNORED[0].upper()})")


def ignored_segments(stream: Stream) -> list[TranscriptRecord]:
    """Return the segments of an STM that are not scored; for other formats, return none."""
    if reference_format(stream.head(), stream.stem) != "stm":
        return []
    return [segment for segment in _segments(stream) if segment.is_ignored]


def _write_stm(file: IO[bytes], name: str, graph: Graph) -> None:
    lattice = require_words_only(graph, "stm", set(TAGS))
    words = Speller(lattice, "stm").transcript(like_trn=False)
    head = _head(name)
    if head is None:
        require_first_field(name, "stm")
        if lattice.times is None or not 0 <= lattice.times[0] <= lattice.times[-1]:
            raise UsageError(
                f"stm needs a begin and an end time ≥ 0, but '{shortened(name)}' has none",
                advice="give the graph an id like file,channel,speaker,begin,end, or write trn",
            )
        begin, end = (f"{exact_decimal(float(lattice.times[k])):f}" for k in (0, -1))
        head = [name, _CHANNEL, name, begin, end]
    if len(head) == SEGMENT_FIELDS and words.startswith("<"):
        raise UsageError(
            f"'{shortened(words, 40)}' would be read back as labels, not as words",
            advice="add an empty field of labels to the end of the id: …,<>",
        )
    if any(mark in words.lower() for mark in _IGNORED):
        raise UsageError(
            f"the word {_IGNORED[0].upper()} would make readers skip the segment", advice="write another format"
        )
    file.write((" ".join([*head, words]).rstrip(" ") + "\n").encode())


def _head(name: str) -> list[str] | None:
    """Return the fields of an id that comes from an STM; `None` for other ids."""
    one = SegmentId.parsed(name)
    if one is None:
        return None
    assert one.speaker is not None
    require_first_field(one.file, "stm")
    return [one.file, one.channel, one.speaker, one.begin, one.end, *([one.labels] if one.labels else [])]


register(Format("stm", (".stm",), is_stm, lambda stream, _: map(_entry, _scored_segments(stream)), _write_stm))


# ---- Divide the words of a CTM into the segments of an STM ----


def words_by_segment(words: Stream, reference: Stream) -> dict[str, Lattice]:
    """Assign timed words to segments as sclite does; return the graph of each scored segment by segment id.

    A word belongs to the first segment of its channel that ends after the middle of the word. (For an alternation, the
    latest middle of its words counts.) Words after the last segment belong to the last segment. Names of files and
    channels are compared without case. Segments are put in order of channel and time, with a warning. Refuse channels
    that have words, but no segments.
    """
    by_channel = {channel.name.casefold(): channel for channel in ctm.channels(words, fold_case=True)}
    lattices: dict[str, Lattice] = {}
    for key, listed in _segments_by_channel(reference).items():
        channel = by_channel.pop(key, None)
        if channel is None:
            lacking = _parts_of(listed[0])
            warn(listed[0].where, f"there are no words for {lacking.file} {lacking.channel} in {words.name}")
        with placed("" if channel is None else channel.where):
            parts = list(_parts([] if channel is None else ctm.items(channel), listed))
        for segment, part in zip(listed, parts, strict=True):
            if segment.name in lattices:
                raise FormatError(
                    f"the segment id '{shortened(segment.name)}' appears twice",
                    where=segment.where,
                    advice=SAME_SEGMENT,
                )
            if not segment.is_ignored:
                lattices[segment.name] = ctm.network(part, timed=False)
    if by_channel:
        channel = next(iter(by_channel.values()))
        raise FormatError(
            f"{reference.name} has no segment for channel '{channel.name.replace(',', ' ')}'", where=channel.where
        )
    return lattices


def _segments_by_channel(reference: Stream) -> dict[str, list[TranscriptRecord]]:
    """Return the segments of each channel in order of time; warn if the file has another order."""
    found: dict[str, list[TranscriptRecord]] = {}
    last: tuple[str, Decimal] | None = None
    misplaced = ""
    for segment in _segments(reference):
        key = _parts_of(segment).channel_name.casefold()
        is_new = key not in found
        if not is_new and last is not None and (key != last[0] or segment.begin < last[1]):
            misplaced = misplaced or segment.where
        found.setdefault(key, []).append(segment)
        last = key, segment.begin
    if misplaced:
        what = "the segment is not in order of file, channel and time"
        warn(misplaced, f"{what}: segments are put in order, as by {SEGMENT_ORDER}")
    return {key: sorted(listed, key=lambda segment: segment.begin) for key, listed in found.items()}


def _parts_of(record: TranscriptRecord) -> SegmentId:
    assert record.segment is not None
    return record.segment


def _parts(spoken: list[_Item], listed: Sequence[TranscriptRecord]) -> Iterator[list[_Item]]:
    """Yield the words and alternations of each segment of a channel."""
    at = 0
    latest = Decimal(0)
    for number, segment in enumerate(listed):
        first, end = at, _end(segment) if number + 1 < len(listed) else math.inf
        while at < len(spoken) and (middle := max(map(_middle, ctm.rows_of(spoken[at])))) < end:
            begin = ctm.rows_of(spoken[at])[0].begin
            if begin < latest and number and middle < _end(listed[number - 1]):
                what = f"the words are not in order of time: one at {begin:f} comes after one at {latest:f}"
                raise FormatError(what, advice=ctm.ordering_advice(spoken))
            latest = max(latest, begin)
            at += 1
        yield spoken[first:at]


def _end(segment: TranscriptRecord) -> float:
    """Return the end of a segment as sclite holds it, in 32 bits: a middle at 0.1 is before an end at 0.1."""
    with np.errstate(over="ignore"):
        return float(np.float32(segment.end))


def _middle(word: ctm.TimedWord) -> float:
    """Return the middle of a word, computed as in sclite from its begin and duration in 64 bits."""
    return float(word.begin) + float(EXACT.subtract(word.end, word.begin)) / 2
