"""Read texts from lines of JSON, each an object with an id and a `text`, as many toolkits write them."""

from __future__ import annotations

import json
from typing import NamedTuple

from latticemetric.errors import FormatError
from latticemetric.formats.nbest.records import IDS, LISTS, OTHER_LISTS, REFERENCES, TEXTS, TOKENS
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.json import object_of, parsed_json, text_of

_TEXT = "text"
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
    """Read the texts of a stream of JSON lines; return `None` for other content, or if it is not certain what is text.

    Raises:
        FormatError: The first line is a text with an id, but another line is not.
    """
    id_field = _id_field(stream.head())
    if id_field is None:
        return None
    found = []
    for number, line in enumerate(stream.byte_lines(), start=1):
        if not line.strip():
            continue
        place = f"{stream.name}:{number}"
        fields = parsed_json(line, stream.name, number, object_of)
        if not isinstance(fields, dict) or not _is_name(fields.get(id_field)) or _TEXT not in fields:
            what = f"the line has no {id_field} and {_TEXT}, as the first line has"
            raise FormatError(what, where=place, advice=f'write {{"{id_field}": "…", "{_TEXT}": "…"}} on every line')
        found.append(TextRecord(str(fields[id_field]), text_of(fields[_TEXT], f"field {_TEXT}", place), place))
    return found


def _id_field(head: bytes) -> str | None:
    """Return the field with the id of a text; `None` unless the first line has one id, and no other field of texts."""
    first = head.lstrip().partition(b"\n")[0]
    if not first.startswith(b"{"):
        return None
    try:
        fields = json.loads(first)
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
