"""Time-marked words (CTM) cut by the segments of a reference (STM), as sclite cuts them.

A word belongs to the first segment of its channel that ends after the word's middle; of an alternation, the latest
middle counts. What comes after the last segment belongs to it. Case is no matter in the names of files and channels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.nist.ctm import Alternation, Line, Row, items, timed_lines
from latticemetric.formats.nist.records import joined
from latticemetric.formats.nist.stm import Segment, all_segments
from latticemetric.formats.nist.words import Builder
from latticemetric.formats.streams.stream import Stream, warn
from latticemetric.formats.text.blocks import in_one_piece
from latticemetric.lattice.lattice import Lattice

_Items = list[Row | Alternation]
_Key = tuple[str, ...]


def cut(words: Stream, segments: Stream) -> dict[str, Lattice]:
    """What is said in each segment that is scored, by its id.

    Raises:
        FormatError: Segments are not in the order of time, or a channel of the words has none.
    """
    channels = _channels(words)
    found: dict[str, Lattice] = {}
    done: set[_Key] = set()
    for channel, several in groupby(all_segments(segments), lambda segment: segment.channel):
        key, listed = _key([joined([field]) for field in channel]), list(several)
        if key in done:
            raise FormatError(f"the segments of {' '.join(channel)} are not in one piece", where=listed[0].record.where)
        done.add(key)
        if key not in channels:
            warn(listed[0].record.where, f"there are no words for {' '.join(channel)} in {words.name}")
        _, lines = channels.pop(key, ("", []))
        for segment, said in zip(listed, _parts(list(items(lines)), listed), strict=True):
            if segment.record.name in found:
                raise FormatError(f"'{shortened(segment.record.name)}' stands twice", where=segment.record.where)
            if not segment.is_ignored:
                found[segment.record.name] = _network(said)
    if channels:
        key, (place, _) = next(iter(channels.items()))
        raise FormatError(f"no segment in {segments.name} is of {' '.join(key)}", where=place)
    return found


def _channels(stream: Stream) -> dict[_Key, tuple[str, Sequence[Line]]]:
    """Where the words of each channel begin, and they."""
    channels: dict[_Key, tuple[str, Sequence[Line]]] = {}
    for name, place, lines in in_one_piece(timed_lines(stream), advice="sort the file with sort -s -k1,1 -k2,2"):
        key = _key(name.split(","))
        if key in channels:
            raise FormatError(f"'{shortened(name)}' differs from another channel by case only", where=place)
        channels[key] = place, lines
    return channels


def _key(channel: Sequence[str]) -> _Key:
    return tuple(field.casefold() for field in channel)


def _parts(said: _Items, segments: Sequence[Segment]) -> Iterator[_Items]:
    """The items of each segment of a channel."""
    at = 0
    for number, segment in enumerate(segments):
        if number and segment.begin < segments[number - 1].begin:
            raise FormatError(
                "the segment begins before the one above it",
                where=segment.record.where,
                advice="sort the segments by file, channel and time",
            )
        begin = at
        last = number + 1 == len(segments)
        while at < len(said) and (last or _middle(said[at]) < segment.end):
            at += 1
        yield said[begin:at]


def _middle(item: Row | Alternation) -> Decimal:
    rows = [item] if isinstance(item, Row) else [row for rows in item for row in rows]
    return max((row.begin + row.end) / 2 for row in rows)


def _network(said: _Items) -> Lattice:
    """Words and alternations one after another, whatever lies between them."""
    builder = Builder()
    for item in said:
        if isinstance(item, Row):
            builder.add(item.word)
            continue
        builder.open()
        for number, rows in enumerate(item):
            if number:
                builder.alternative()
            for row in rows:
                builder.add(row.word)
            if not rows:
                builder.pause(0.0)
        builder.close()
    return builder.lattice()
