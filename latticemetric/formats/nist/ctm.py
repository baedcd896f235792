"""NIST time-marked words (CTM): `file channel begin duration word [confidence [type [speaker]]]`; see `nist_words`.

A graph a channel, its id `file,channel`. States have times: a word's arc goes from where it begins to where it ends,
and an ε-arc leads over a gap or back over an overlap. Graphs have no scores: a confidence is no probability of a
path that could be added up, may be NA, and keeps its digits as a label.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import partial
from typing import IO, NamedTuple

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.files.stream import Stream
from latticemetric.formats.nist.records import after, joined, records, seconds
from latticemetric.formats.nist.sniffing import CTM_FIELDS, MARKS, is_confidence, is_ctm
from latticemetric.formats.nist.words import Builder, Word, parsed_word
from latticemetric.formats.registry import Entry, Format, Graph, register
from latticemetric.formats.texts.blocks import in_one_piece
from latticemetric.lattice import Lattice
from latticemetric.vocabulary import Vocabulary, split_words

NAME = "ctm"
BEGIN, OR, END = MARKS
EXTRAS = ("confidence", "type", "speaker")


Line = tuple[str, Sequence[str]]
"""A place and its fields."""


class Row(NamedTuple):
    """A word and when it is said."""

    begin: Decimal
    end: Decimal
    word: Word


Alternation = list[list[Row]]
"""What may have been said instead."""


def channels(stream: Stream) -> Iterator[Entry]:
    """The channels of a stream, one in memory at a time."""
    for name, place, lines in in_one_piece(timed_lines(stream), advice="sort the file with sort -s -k1,1 -k2,2"):
        yield Entry(name, place, partial(parsed_channel, lines), naming="own")


def timed_lines(stream: Stream) -> Iterator[tuple[str, str, Line]]:
    """The channel, the place, and the other fields of each line of words."""
    for line in records(stream):
        fields = split_words(line)
        if len(fields) < CTM_FIELDS:
            raise FormatError(
                f"the line has {len(fields)} fields",
                where=stream.place(),
                advice="write file channel begin duration word",
            )
        yield joined(fields[:2]), stream.place(), (stream.place(), fields[2:])


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    return channels(stream)


def parsed_channel(block: Sequence[Line]) -> Lattice:
    """The graph of a channel, from its lines without file and channel."""
    said = list(items(block))
    builder = Builder(float(_span(said[0])[0]))
    _grow(builder, said, _span(said[0])[0])
    return builder.lattice(timed=True)


def items(block: Sequence[Line]) -> Iterator[Row | Alternation]:
    """Words and alternations."""
    opened: str | None = None
    alternation: Alternation = []
    for where, fields in block:
        mark = fields[2].upper()
        if mark not in MARKS:
            row = _row(fields, where)
            if opened is not None:
                alternation[-1].append(row)
            else:
                yield row
            continue
        if list(fields[:2]) != ["*", "*"]:
            raise FormatError(f"{mark} has times, and not * *", where=where)
        if (mark == BEGIN) == (opened is not None):
            wrong = f"{mark} without {BEGIN}" if opened is None else "an alternation stands in another"
            raise FormatError(wrong, where=where, advice="alternations follow one another, each with its marks")
        if mark == BEGIN:
            opened, alternation = where, [[]]
        elif mark == OR:
            alternation.append([])
        else:
            if not any(alternation):
                raise FormatError("no alternative has a word", where=opened)
            yield alternation
            opened = None
    if opened is not None:
        raise FormatError(f"the alternation is not closed by {END}", where=opened)


def _row(fields: Sequence[str], where: str) -> Row:
    begin = seconds(fields[0], "begin", where)
    # Decoders that round both ends write durations below 0.
    duration = seconds(fields[1].removeprefix("-"), "duration", where)
    end = after(begin, duration.copy_negate() if fields[1].startswith("-") else duration)
    if not math.isfinite(float(end)):
        raise FormatError("the word never ends", where=where)
    extras = fields[3:]
    if len(extras) > len(EXTRAS):
        raise FormatError(f"the line has {len(fields) + 2} fields, and no more than 8 mean something", where=where)
    if extras and not is_confidence(extras[0]):
        raise FormatError(f"the confidence '{shortened(extras[0], 40)}' is not a finite number, or NA", where=where)
    word = parsed_word(fields[2], where)
    labels = {**word.labels, **dict(zip(EXTRAS, extras, strict=False))}
    return Row(begin, end, word._replace(labels=labels))


def _span(item: Row | Alternation) -> tuple[Decimal, Decimal]:
    """When a word, or the first and the last one of an alternation, begins and ends."""
    rows = [item] if isinstance(item, Row) else [row for rows in item for row in rows]
    return min(row.begin for row in rows), max(row.end for row in rows)


def _grow(builder: Builder, items: Sequence[Row | Alternation], now: Decimal) -> Decimal:
    """Adds words and alternations; an ε-arc where one does not begin when the one before ends."""
    for item in items:
        begin, end = _span(item)
        if begin != now:
            builder.pause(float(begin))
        if isinstance(item, Row):
            builder.add(item.word, float(end))
        else:
            _add_alternation(builder, item, begin, end)
        now = end
    return now


def _add_alternation(builder: Builder, alternation: Alternation, begin: Decimal, end: Decimal) -> None:
    builder.open()
    for number, rows in enumerate(alternation):
        if number:
            builder.alternative()
        if _grow(builder, rows, begin) != end or not rows:
            builder.pause(float(end))
    builder.close(float(end))


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    from latticemetric.formats.nist.ctm_writing import channel_lines

    file.write("".join(line + "\n" for line in channel_lines(name, graph)).encode())


register(Format(NAME, (".ctm",), is_ctm, _read, _write))
