"""Recognise JSON objects whose keys are ids: `{"utt-1": {"hypotheses": ["a b", "a c"]}, "utt-2": …}`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from latticemetric.formats.nbest.records import (
    COLUMNS,
    IDS,
    LISTS,
    NESTED,
    OTHER_LISTS,
    REFERENCES,
    TEXTS,
    TOKENS,
    TOTALS,
)

_OBJECT = re.compile(r'\s*\{\s*(?=")')
_COLON = re.compile(r"\s*:\s*")
_COMMA = re.compile(r'\s*,\s*(?=")')
_LISTS = frozenset((*LISTS, *OTHER_LISTS))
# Names of fields, here and in other formats of JSON: they are no ids.
_FIELDS = _LISTS | {*IDS, *TEXTS, *TOKENS, *TOTALS, *COLUMNS, *REFERENCES, NESTED} | {
    "answer", "choices", "chunks", "completion", "content", "data", "edges", "label", "labels", "language", "messages",
    "metadata", "name", "nodes", "output", "prompt", "rules", "segments", "source", "speaker", "task", "translation"
}  # fmt: skip
_decode = json.JSONDecoder().raw_decode


def has_keyed_lists(head: bytes) -> bool:
    """Check whether the first bytes of a file begin an object with an n-best list for each id."""
    return _holds(head, _is_list)


def has_keyed_texts(head: bytes, *, plain: bool) -> bool:
    """Check whether the first bytes of a file begin an object with a text for each id.

    A text is an object with the field `text` or, if `plain` is true, also a string.
    """
    return _holds(head, lambda value: text_in(value) is not None and (plain or isinstance(value, dict)))


def text_in(value: Any) -> Any:
    """Return the text for an id, in an object with the field `text` or by itself; `None` if there is none."""
    if isinstance(value, str):
        return value
    is_text = isinstance(value, dict) and isinstance(value.get("text"), str) and _LISTS.isdisjoint(value)
    return value["text"] if is_text else None


def _is_list(value: Any) -> bool:
    if isinstance(value, dict):
        return any(isinstance(value[name], list) for name in _LISTS.intersection(value))
    return isinstance(value, list) and bool(value) and all(map(_is_hypothesis, value))


def _is_hypothesis(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, dict) and not value.keys().isdisjoint((*TEXTS, *TOKENS)))


def _holds(head: bytes, fits: Callable[[Any], bool]) -> bool:
    """Check whether there are members of an object, and the keys of all of them may be ids and their values fit."""
    members = [key not in _FIELDS and fits(value) for key, value in _members(head)]
    return bool(members) and all(members)


def _members(head: bytes) -> Iterator[tuple[str, Any]]:
    """Yield the key and the value of each member of a JSON object that is complete in the first bytes of a file."""
    text = head.decode("utf-8", "ignore")
    if (match := _OBJECT.match(text)) is None:
        return
    try:
        while match is not None:
            key, at = _decode(text, match.end())
            if (colon := _COLON.match(text, at)) is None:
                return
            value, at = _decode(text, colon.end())
            yield key, value
            match = _COMMA.match(text, at)
    except (ValueError, RecursionError):  # the value goes on after the first bytes, or this is not JSON
        return
