"""Read the JSON of Whisper, WhisperX and transformers' speech pipelines: one transcript with times and confidences.

The transcript becomes a lattice with one path. Confidences do not add up to the probability of a path, so they are
labels, as in CTM.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from latticemetric.errors import FormatError
from latticemetric.formats.nbest.records import ANY_LIST
from latticemetric.formats.nist.ctm import TimedWord, network
from latticemetric.formats.nist.words import Word
from latticemetric.formats.registry import Entry, Format, only_graph, register
from latticemetric.formats.streams.stream import HEAD_SIZE, Stream
from latticemetric.formats.text.json import object_of, parsed_json, text_of
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import Vocabulary, split_words

_NAME = "whisper-json"
_KEYS = rb"text|segments|chunks|language|word_segments|speakers|duration|task"
_BEGIN = re.compile(rb'\s*\{\s*"(?:' + _KEYS + rb')"\s*:')
_PARTS = re.compile(rb'"(?:segments|chunks)"\s*:\s*\[')
_LONG_TEXT = re.compile(rb'\s*\{\s*"text"\s*:\s*"(?:[^"\\]|\\.)*\\?\Z', re.DOTALL)
_CONFIDENCES = ("probability", "score")
_PAIR = 2


def _sniff(head: bytes) -> bool:
    if _BEGIN.match(head) is None or ANY_LIST.search(head) is not None:
        return False
    # The text comes before the segments; that of a long recording may fill the whole head.
    return _PARTS.search(head) is not None or (len(head) >= HEAD_SIZE - 3 and _LONG_TEXT.match(head) is not None)


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    return only_graph(stream, _parsed)


class _Spoken(NamedTuple):
    """A word, its times as far as known, and its confidence as text."""

    text: str
    begin: float | None
    end: float | None
    confidence: str


def _parsed(data: bytes, path: str) -> Lattice:
    document = parsed_json(data, path, objects=object_of)
    if not isinstance(document, dict):
        raise FormatError("the JSON is not an object", where=path)
    parts = next((document[key] for key in ("segments", "chunks") if document.get(key) is not None), None)
    if parts is None:
        parts = [{"text": document.get("text")}]
    if not isinstance(parts, list):
        raise FormatError("the segments are not a list", where=path)
    words = [word for n, part in enumerate(parts, start=1) for word in _words(part, f"{path}, segment {n}")]
    timed = any(word.begin is not None or word.end is not None for word in words)
    rows = _timed(words) if timed else [(0.0, 0.0)] * len(words)
    listed = [
        TimedWord(Decimal(repr(begin)), Decimal(repr(end)), Word(word.text, _labels(word), optional=False))
        for word, (begin, end) in zip(words, rows, strict=True)
    ]
    return network(listed, timed=timed)


def _labels(word: _Spoken) -> dict[str, str]:
    return {"confidence": word.confidence} if word.confidence else {}


def _words(part: Any, place: str) -> Iterator[_Spoken]:
    """Yield the words of a segment: its list of words or, without a list, the words of its text."""
    if not isinstance(part, dict):
        raise FormatError("the segment is not an object", where=place)
    words = part.get("words")
    if words is None:
        texts = split_words(text_of(part.get("text"), "the text", place))
        times = _times(part, place) if len(texts) == 1 and "timestamp" in part else (None, None)
        for text in texts:
            yield _Spoken(text, *times, "")
        return
    if not isinstance(words, list):
        raise FormatError("the words are not a list", where=place)
    for number, word in enumerate(words, start=1):
        where = f"{place}, word {number}"
        if not isinstance(word, dict):
            raise FormatError("the word is not an object", where=where)
        spelled = next((word[key] for key in ("word", "text") if key in word), None)
        times, confidence = _times(word, where), _confidence(word, where)
        for text in split_words(text_of(spelled, "the word", where)):
            yield _Spoken(text, *times, confidence)


def _times(part: dict[str, Any], place: str) -> tuple[float | None, float | None]:
    values: Any = (part.get("start"), part.get("end"))
    if "timestamp" in part:
        values = part["timestamp"]
        if not isinstance(values, list) or len(values) != _PAIR:
            raise FormatError("the timestamp is not a list of two times", where=place)
    begin, end = (_seconds(value, place) for value in values)
    if begin is not None and end is not None and end < begin:
        raise FormatError(f"the word ends at {end:g}, before it begins", where=place)
    return begin, end


def _seconds(value: object, place: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= float(value) < math.inf:
        raise FormatError("a time is not a number of seconds", where=place)
    return float(value)


def _confidence(word: dict[str, Any], place: str) -> str:
    value = next((word[key] for key in _CONFIDENCES if word.get(key) is not None), None)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormatError("a confidence is not a number", where=place)
    return repr(float(value))


def _timed(words: Sequence[_Spoken]) -> list[tuple[float, float]]:
    """Return begin and end of each word; words without times divide the time between their neighbours evenly."""
    points = [point for word in words for point in (word.begin, word.end)]
    known = [number for number, point in enumerate(points) if point is not None]
    filled = np.interp(np.arange(len(points)), known, [float(points[number] or 0.0) for number in known]).tolist()
    return [(begin, max(begin, end)) for begin, end in zip(filled[::2], filled[1::2], strict=True)]


register(Format(_NAME, (".whisper.json",), _sniff, _read))
