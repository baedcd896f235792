"""Read the JSON of Whisper, WhisperX, OpenAI and speech pipelines of transformers: one transcript with times.

The transcript becomes a lattice with one path. Confidences of words do not give the probability of a path, so they
become labels, as in CTM.
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
_PARTS = re.compile(rb'"(?:segments|chunks)"\s*:\s*\[|"words"\s*:\s*\[\s*\{\s*"word"\s*:')
_LONG_TEXT = re.compile(
    rb'\s*\{(?:\s*"(?:task|language|duration)"\s*:\s*"?[\w.-]*"?\s*,)*\s*"text"\s*:\s*"(?:[^"\\]|\\.)*\\?\Z',
    re.DOTALL,
)
_CONFIDENCES = ("probability", "score", "confidence")
# Whisper cuts the texts of these languages at every token, and writes no spaces between words. `language` is a code or,
# if the user gave one, a name; programs for faster-whisper and speech pipelines write names.
_WITHOUT_SPACES = {
    "zh", "ja", "th", "lo", "my", "yue",
    "chinese", "mandarin", "japanese", "thai", "lao", "myanmar", "burmese", "cantonese",
}  # fmt: skip
_PAIR = 2


def _sniff(head: bytes) -> bool:
    if _BEGIN.match(head) is None or ANY_LIST.search(head) is not None:
        return False
    # The text comes before the segments; that of a long recording may fill the whole head.
    return _PARTS.search(head) is not None or (len(head) >= HEAD_SIZE - 3 and _LONG_TEXT.match(head) is not None)


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    return only_graph(stream, _parsed)


class _Spoken(NamedTuple):
    """A word or a piece of text; its begin and end time, and its confidence, are `None` if unknown."""

    text: str
    begin: float | None
    end: float | None
    confidence: float | None


def _parsed(data: bytes, path: str) -> Lattice:
    document = parsed_json(data, path, objects=object_of)
    if not isinstance(document, dict):
        raise FormatError("the JSON is not an object", where=path)
    listed = [document[key] for key in ("segments", "chunks") if document.get(key) is not None]
    parts: Any = next((one for one in listed if one != []), [] if listed else None)
    if parts is None or (parts == [] and document.get("text") is not None):
        parts = [{"text": document.get("text")}]
    if not isinstance(parts, list):
        raise FormatError("the segments are not a list", where=path)
    pieces = [_pieces(part, f"{path}, segment {n}") for n, part in enumerate(parts, start=1)]
    texts = [part.get("text") for part in parts]
    beside = document.get("words")  # OpenAI
    if not isinstance(beside, list) or document.get("chunks") or any(part.get("words") for part in parts):
        beside = []
    if beside:
        pieces = [_listed_words(beside, path)]
    if beside or not document.get("segments"):  # a chunk may be a part of a word
        pieces, texts = [[piece for part in pieces for piece in part]], [document.get("text")]
    spaced = _has_spaces(document, parts)
    if beside and spaced:
        pieces = [_spelled_as(document.get("text"), part) for part in pieces]
    words = [word for part, text in zip(pieces, texts, strict=True) for word in _words(part, text if spaced else None)]
    timed = any(word.begin is not None or word.end is not None for word in words)
    rows = _timed(words) if timed else [(0.0, 0.0)] * len(words)
    listed = [
        TimedWord(Decimal(repr(begin)), Decimal(repr(end)), Word(word.text, _labels(word), optional=False))
        for word, (begin, end) in zip(words, rows, strict=True)
    ]
    return network(listed, timed=timed)


def _has_spaces(document: dict[str, Any], parts: Sequence[dict[str, Any]]) -> bool:
    """Check whether the language has spaces between words; speech pipelines may name it in each chunk only."""
    named = (part.get("language") for part in (document, *parts))
    language = next((name for name in named if isinstance(name, str)), "")
    return language.lower() not in _WITHOUT_SPACES


def _labels(word: _Spoken) -> dict[str, str]:
    return {} if word.confidence is None else {"confidence": repr(word.confidence)}


def _words(pieces: Sequence[_Spoken], text: object) -> list[_Spoken]:
    """Return the words of pieces.

    If some piece begins with a space, and the pieces joined together are `text`, only spaces end a word: Whisper's
    ` well` and `-known` are one word. Otherwise, the end of a piece ends a word, too: WhisperX leaves spaces out, and
    some languages have no spaces.
    """
    whole = "".join(piece.text for piece in pieces)
    joined = (
        isinstance(text, str) and whole.strip() == text.strip() and any(_is_space(piece.text[:1]) for piece in pieces)
    )
    words: list[_Spoken] = []
    continues = False
    for piece in filter(lambda piece: piece.text, pieces):
        continues = continues and not _is_space(piece.text[0])
        for spelled in split_words(piece.text):
            word = _Spoken(spelled, piece.begin, piece.end, piece.confidence)
            if continues:
                word = _together(words.pop(), word)
            words.append(word)
            continues = False
        continues = joined and not _is_space(piece.text[-1])
    return words


def _spelled_as(text: object, pieces: list[_Spoken]) -> list[_Spoken]:
    """Return the words of a text, with the times of pieces without its punctuation, as OpenAI lists them.

    If the letters of the pieces are not those of the text, return the pieces.
    """
    rest = [piece for piece in reversed(pieces) if _letters(piece.text)]
    words = []
    for spelled in split_words(text) if isinstance(text, str) else ():
        wanted, found, own = _letters(spelled), "", []
        while rest and len(found) < len(wanted):
            own.append(rest.pop())
            found += _letters(own[-1].text)
        if found != wanted:
            return pieces
        begin, end = (own[0].begin, own[-1].end) if own else (None, None)
        confidence = min((one.confidence for one in own if one.confidence is not None), default=None)
        words.append(_Spoken(spelled, begin, end, confidence))
    return pieces if rest else words


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _is_space(character: str) -> bool:
    return bool(character) and not split_words(character)


def _together(word: _Spoken, rest: _Spoken) -> _Spoken:
    """Return the word of two parts; its confidence is the lower confidence of the parts."""
    confidence = min((one for one in (word.confidence, rest.confidence) if one is not None), default=None)
    return _Spoken(word.text + rest.text, word.begin, rest.end, confidence)


def _pieces(part: Any, place: str) -> list[_Spoken]:
    """Return the listed words of a segment or, without such a list, its text."""
    if not isinstance(part, dict):
        raise FormatError("the segment is not an object", where=place)
    words = part.get("words")
    if words is None or (words == [] and part.get("text")):  # WhisperX lists no words of a text that it cannot align
        text = text_of(part.get("text"), "the text", place)
        is_word = len(split_words(text)) == 1 and "timestamp" in part
        return [_Spoken(text, *(_times(part, place) if is_word else (None, None)), None)]
    return _listed_words(words, place)


def _listed_words(words: object, place: str) -> list[_Spoken]:
    if not isinstance(words, list):
        raise FormatError("the words are not a list", where=place)
    pieces = []
    for number, word in enumerate(words, start=1):
        where = f"{place}, word {number}"
        if not isinstance(word, dict):
            raise FormatError("the word is not an object", where=where)
        spelled = next((word[key] for key in ("word", "text") if key in word), None)
        times, confidence = _times(word, where), _confidence(word, where)
        pieces.append(_Spoken(text_of(spelled, "the word", where), *times, confidence))
    return pieces


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


def _confidence(word: dict[str, Any], place: str) -> float | None:
    value = next((word[key] for key in _CONFIDENCES if word.get(key) is not None), None)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormatError("a confidence is not a number", where=place)
    return float(value)


def _timed(words: Sequence[_Spoken]) -> list[tuple[float, float]]:
    """Return begin and end of each word; words without times divide the time between their neighbours evenly."""
    points = [point for word in words for point in (word.begin, word.end)]
    known = [number for number, point in enumerate(points) if point is not None]
    filled = np.interp(np.arange(len(points)), known, [float(points[number] or 0.0) for number in known]).tolist()
    return [(begin, max(begin, end)) for begin, end in zip(filled[::2], filled[1::2], strict=True)]


register(Format(_NAME, (".whisper.json",), _sniff, _read))
