"""Read and write NIST segment time marks (STM): `file channel speaker begin end [<labels>] words…`; see `words`.

Graphs have no scores. The fields before the words, joined by commas, are the id, so that they can be written back.
Lines that begin with `;;` or `**` are comments. Segments marked IGNORE_TIME_SEGMENT_IN_SCORING are skipped with a
warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from typing import IO, NamedTuple

from latticemetric.errors import FormatError, UsageError, shortened
from latticemetric.formats.nist.lines import (
    STM_FIELDS,
    Record,
    content_lines,
    exact_decimal,
    is_stm,
    join_fields,
    require_first_field,
    seconds,
    split_id,
    time_to_write,
)
from latticemetric.formats.nist.words import TAGS, Speller, decomposed, parsed_transcript, require_words_only
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream, warn
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import Vocabulary, split_words

_NAME = "stm"
_LABELS = re.compile(r"<[^<>]*>")
_IGNORED = ("ignore_time_segment_in_scoring", "ignoretimesegmentinscoring")
_CHANNEL = "1"


class Segment(NamedTuple):
    """Hold a record, its file and channel, and its begin and end times."""

    record: Record
    channel: tuple[str, str]
    begin: Decimal
    end: Decimal

    @property
    def is_ignored(self) -> bool:
        """True if the segment is marked as not to be scored."""
        return any(mark in self.record.text.lower() for mark in _IGNORED)


def scored_records(stream: Stream) -> Iterator[Record]:
    """Yield the scored segments of a stream; warn of the others."""
    ignored, first = 0, ""
    for segment in segments(stream):
        if segment.is_ignored:
            ignored, first = ignored + 1, first or segment.record.where
            continue
        yield segment.record
    if ignored:
        which = "a segment that is" if ignored == 1 else f"{ignored} segments that are"
        warn(first, f"left out {which} not to be scored ({_IGNORED[0].upper()})")


def segments(stream: Stream) -> Iterator[Segment]:
    """Yield all segments of a stream, scored or not."""
    for line in content_lines(stream):
        yield _segment(line, stream.place())


def _segment(line: str, where: str) -> Segment:
    fields = split_words(line)
    if len(fields) < STM_FIELDS:
        raise FormatError(
            f"the line has {len(fields)} fields", where=where, advice="write file channel speaker begin end words"
        )
    begin, end = (seconds(field, what, where) for field, what in ((fields[3], "begin"), (fields[4], "end")))
    if end < begin:
        raise FormatError(f"the segment ends at {fields[4]}, before it begins", where=where)
    head = fields[:STM_FIELDS]
    if fields[STM_FIELDS:] and fields[STM_FIELDS].startswith("<"):
        if not _LABELS.fullmatch(fields[STM_FIELDS]):
            raise FormatError(f"'{shortened(fields[STM_FIELDS], 40)}' is not a list of labels like <O,F>", where=where)
        head.append(fields[STM_FIELDS])
    record = Record(_id(head), where, " ".join(fields[len(head) :]))
    return Segment(record, (head[0], head[1]), begin, end)


def _id(head: list[str]) -> str:
    return ",".join([join_fields(head[:STM_FIELDS]), *head[STM_FIELDS:]])


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for name, where, text in scored_records(stream):
        yield Entry(name, where, partial(parsed_transcript, text, where), naming="own")


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    lattice = require_words_only(graph, _NAME, set(TAGS))
    words = Speller(lattice, _NAME).transcript(decomposed(lattice, _NAME), like_trn=False)
    head = _head(name) or _new_head(name, lattice)
    if len(head) == STM_FIELDS and words.startswith("<"):
        raise UsageError(
            f"'{shortened(words, 40)}' would be read back as labels", advice="give the id labels, at its end: …,<>"
        )
    if any(mark in words.lower() for mark in _IGNORED):
        raise UsageError("the segment would be left out when it is read")
    file.write((" ".join([*head, words]).rstrip(" ") + "\n").encode())


def _head(name: str) -> list[str] | None:
    """Return the fields of an id that was read from STM; `None` for other ids."""
    parts = name.split(",", STM_FIELDS)
    head, labels = split_id(",".join(parts[:STM_FIELDS]), STM_FIELDS), parts[STM_FIELDS:]
    if head is None or not all(_LABELS.fullmatch(text) and split_words(text) == [text] for text in labels):
        return None
    try:
        begin, end = (seconds(field, "time", "") for field in head[3:])
    except FormatError:
        return None
    require_first_field(head[0], _NAME)
    return [*head, *labels] if begin <= end else None


def _new_head(name: str, lattice: Lattice) -> list[str]:
    """Return the fields before the words for a graph that was not read from STM."""
    require_first_field(name, _NAME)
    if lattice.times is None or not 0 <= lattice.times[0] <= lattice.times[-1]:
        raise UsageError(
            f"stm needs times, but '{shortened(name)}' has none",
            advice="name the graph file,channel,speaker,begin,end, or write trn",
        )
    begin, end = (time_to_write(exact_decimal(float(lattice.times[k]))) for k in (0, -1))
    return [name, _CHANNEL, name, begin, end]


register(Format(_NAME, (".stm",), is_stm, _read, _write))
