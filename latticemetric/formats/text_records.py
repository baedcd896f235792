"""Read texts with ids from JSON: lines or an array of objects with an id and a `text`, or an object with ids as keys.

Many toolkits write them: `{"id": "a", "text": "hello"}` on each line, `[{"id": "a", "text": "hello"}, …]`,
`{"a": {"text": "hello"}, …}`, and `{"a": "hello", …}` in a file named `.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.nbest.keyed import has_keyed_texts, text_in
from latticemetric.formats.nbest.records import IDS, LISTS, OTHER_LISTS, REFERENCES, TEXTS, TOKENS
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.json import array_elements, object_members, object_of, parsed_json, text_of

_TEXT = "text"
_NEXT = re.compile(rb"\}\s*\{")
# Beside fields with these names, or names that end in `text`, it is not certain that `text` is meant.
_AMBIGUOUS = frozenset((*LISTS, *OTHER_LISTS, *REFERENCES, *TEXTS, *TOKENS)) | {
    "answer", "chunks", "completion", "content", "label", "labels", "messages", "output", "prompt", "segments",
    "source", "translation"
}  # fmt: skip


class TextRecord(NamedTuple):
    """The text of a line, its id, and its place in the file."""

    name: str
    text: str
    place: str


def text_records(stream: Stream) -> list[TextRecord] | None:
    """Read the texts of a stream of JSON; return `None` for other content, or if it is not certain what is text.

    Raises:
        FormatError: The first element is a text with an id, but another one is not.
    """
    head = stream.head()
    # Objects on lines may also be texts to compare.
    is_one = stream.stem.lower().endswith(".json") and _NEXT.search(head) is None
    if has_keyed_texts(head, plain=is_one):
        return list(_keyed(stream))
    id_field = _id_field(head)
    if id_field is None:
        return None
    rows = array_elements(stream) if head.lstrip().startswith(b"[") else _lines(stream)
    return [_record(fields, id_field, f"{stream.name}:{number}") for number, fields in rows]


def _lines(stream: Stream) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(stream.byte_lines(), start=1):
        if line.strip():
            yield number, parsed_json(line, stream.name, number, object_of)


def _keyed(stream: Stream) -> Iterator[TextRecord]:
    for line, name, value in object_members(stream):
        place = f"{stream.name}:{line}"
        if (text := text_in(value)) is None:
            advice = f'write "{shortened(name, 40)}": {{"{_TEXT}": "…"}}'
            raise FormatError(f"'{shortened(name, 40)}' has no {_TEXT}", where=place, advice=advice)
        yield TextRecord(name, text_of(text, f"field {_TEXT}", place), place)


def _record(fields: Any, id_field: str, place: str) -> TextRecord:
    if not isinstance(fields, dict) or not _is_name(fields.get(id_field)) or _TEXT not in fields:
        what = f"the object has no {id_field} and {_TEXT}, as the first one has"
        raise FormatError(what, where=place, advice=f'write {{"{id_field}": "…", "{_TEXT}": "…"}} for each text')
    return TextRecord(str(fields[id_field]), text_of(fields[_TEXT], f"field {_TEXT}", place), place)


def _id_field(head: bytes) -> str | None:
    """Return the field with the id of a text; `None` unless the first object has one id, and one field of text."""
    text = head.decode("utf-8", "ignore").lstrip().removeprefix("[").lstrip()
    if not text.startswith("{"):
        return None
    try:
        fields, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    names = [name for name in IDS if name in fields]
    if len(names) != 1 or not _is_name(fields[names[0]]) or not isinstance(fields.get(_TEXT), str):
        return None
    others = fields.keys() - {_TEXT, names[0]}
    is_certain = _AMBIGUOUS.isdisjoint(others) and not any(name.lower().endswith(_TEXT) for name in others)
    return names[0] if is_certain else None


def _is_name(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""
