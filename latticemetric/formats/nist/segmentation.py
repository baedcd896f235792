"""Assign time-marked words (CTM) to the segments of a reference (STM), as sclite does.

A word belongs to the first segment of its channel that ends after the middle of the word; for an alternation, the
latest middle counts. Words after the last segment belong to that segment. Case of file and channel names is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.nist.ctm import Alternation, Line, TimedWord, channels, items, network, rows_of
from latticemetric.formats.nist.lines import join_fields
from latticemetric.formats.nist.transcripts import Segment, segments
from latticemetric.formats.streams.stream import Stream, warn
from latticemetric.lattice.lattice import Lattice

_Items = list[TimedWord | Alternation]
_Key = tuple[str, ...]


def words_by_segment(words: Stream, reference: Stream) -> dict[str, Lattice]:
    """Return the words of each scored segment, by segment id.

    Raises:
        FormatError: Segments are not in the order of time, or a channel of the words has no segments.
    """
    by_channel = _channels(words)
    lattices: dict[str, Lattice] = {}
    done: set[_Key] = set()
    for channel, several in groupby(segments(reference), lambda segment: segment.channel):
        key, listed = _key([join_fields([field]) for field in channel]), list(several)
        if key in done:
            raise FormatError(f"the segments of {' '.join(channel)} are not in one piece", where=listed[0].record.where)
        done.add(key)
        if key not in by_channel:
            warn(listed[0].record.where, f"there are no words for {' '.join(channel)} in {words.name}")
        _, lines = by_channel.pop(key, ("", []))
        for segment, part in zip(listed, _parts(list(items(lines)), listed), strict=True):
            if segment.record.name in lattices:
                raise FormatError(f"'{shortened(segment.record.name)}' appears twice", where=segment.record.where)
            if not segment.is_ignored:
                lattices[segment.record.name] = network(part, timed=False)
    if by_channel:
        key, (place, _) = next(iter(by_channel.items()))
        raise FormatError(f"{reference.name} has no segment for channel '{' '.join(key)}'", where=place)
    return lattices


def _channels(stream: Stream) -> dict[_Key, tuple[str, Sequence[Line]]]:
    """Return the first place and the lines of each channel."""
    by_channel: dict[_Key, tuple[str, Sequence[Line]]] = {}
    for name, place, lines in channels(stream):
        key = _key(name.split(","))
        if key in by_channel:
            raise FormatError(f"'{shortened(name)}' differs from another channel only in case", where=place)
        by_channel[key] = place, lines
    return by_channel


def _key(channel: Sequence[str]) -> _Key:
    return tuple(field.casefold() for field in channel)


def _parts(spoken: _Items, listed: Sequence[Segment]) -> Iterator[_Items]:
    """Yield the words and alternations of each segment of a channel."""
    at = 0
    for number, segment in enumerate(listed):
        if number and segment.begin < listed[number - 1].begin:
            raise FormatError(
                "the segment begins before the one above it",
                where=segment.record.where,
                advice="sort the segments by file, channel and time",
            )
        begin = at
        last = number + 1 == len(listed)
        while at < len(spoken) and (last or max(map(_middle, rows_of(spoken[at]))) < segment.end):
            at += 1
        yield spoken[begin:at]


def _middle(row: TimedWord) -> Decimal:
    return (row.begin + row.end) / 2
