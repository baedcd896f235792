"""Read and write n-best lists as a JSON array of records, like HyPoradise: `[{"input": ["a b", "a c"]}, …]`.

An object with a record or a list of hypotheses for each id can be read, too: `{"utt-1": ["a b", "a c"], …}`.
See `records` for the names and weights of a record's fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import IO

from latticemetric.errors import FormatError, placed, shortened
from latticemetric.formats.nbest.jsonl import as_record
from latticemetric.formats.nbest.keyed import has_keyed_lists
from latticemetric.formats.nbest.records import ANY_LIST, IDS, ListRecord, entries_of
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.json import array_elements, object_members
from latticemetric.graph import Graph
from latticemetric.vocabulary import Vocabulary

_NAME = "json-nbest"
_BEGIN = re.compile(rb"\s*\[\s*\{")


def _sniff(head: bytes) -> bool:
    return (_BEGIN.match(head) is not None and ANY_LIST.search(head) is not None) or has_keyed_lists(head)


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    return entries_of(_keyed_records(stream) if has_keyed_lists(stream.head()) else _records(stream))


def _keyed_records(stream: Stream) -> Iterator[tuple[int, ListRecord]]:
    """Yield a record for each id; a record that has an id of its own keeps it."""
    for position, (line, name, value) in enumerate(object_members(stream), start=1):
        place = f"{stream.place(line)} ({shortened(name, 40)})"
        fields = {"hypotheses": value} if isinstance(value, list) else value
        if not isinstance(fields, dict):
            raise FormatError("the value is neither a record nor a list of hypotheses", where=place)
        yield position, ListRecord(fields if not fields.keys().isdisjoint(IDS) else {"id": name, **fields}, place)


def _records(stream: Stream) -> Iterator[tuple[int, ListRecord]]:
    for position, (line, fields) in enumerate(array_elements(stream), start=1):
        place = f"{stream.place(line)}, element {position}"
        if not isinstance(fields, dict):
            raise FormatError("the element is not a JSON object", where=place)
        yield position, ListRecord(fields, place)


def _write(file: IO[bytes], graphs: Iterable[tuple[str, Graph]]) -> int:
    number = 0
    for number, (name, graph) in enumerate(graphs, start=1):
        with placed(shortened(name)):
            record = as_record(name, graph, _NAME)
        text = json.dumps(record, ensure_ascii=False, allow_nan=False)
        file.write(("[\n" if number == 1 else ",\n").encode() + text.encode("utf-8"))
    file.write(b"\n]\n" if number else b"[]\n")
    return number


register(Format(_NAME, (".nbest.json",), _sniff, _read, write_archive=_write))
