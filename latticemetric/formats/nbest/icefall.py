"""Read and write icefall's `recogs-*.txt`: lines `utt:⇥ref=['A', 'B']` and `utt:⇥hyp=['A', 'B']`.

Each hypothesis becomes an n-best list with one entry and no scores. References and timestamps are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import IO

from latticemetric.errors import FormatError, UsageError, shortened
from latticemetric.formats.columns import require_nbest
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.graph import Graph
from latticemetric.nbest import Hypothesis, NBest
from latticemetric.vocabulary import Vocabulary, split_words

_NAME = "icefall-recogs"
_FIELD = re.compile(r"(.*?):\t(ref|hyp|timestamp_ref|timestamp_hyp)=(.*)", re.DOTALL)
_FIRST_LINE = re.compile(rb"[^\n]*?:\t(?:ref|hyp|timestamp_ref|timestamp_hyp)=")
_QUOTED = re.compile(r"(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")[ \t]*", re.DOTALL)
_COMMA = re.compile(r",[ \t]*")

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_PLAIN_ESCAPES = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
_SURROGATES = range(0xD800, 0xE000)
_LARGEST = 0x10FFFF


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    pending, pending_at = "", ""
    for line in stream.lines():
        if not line.strip():
            continue
        match = _FIELD.fullmatch(line)
        if match is None or not match[1].strip():
            raise FormatError("the line is not 'utt:⇥ref=[…]' or 'utt:⇥hyp=[…]'", where=stream.place())
        name, kind, value = match.groups()
        if pending and (name != pending or kind == "ref"):
            break
        if kind == "ref":
            pending, pending_at = name, stream.place()
        elif kind == "hyp":
            pending = ""
            yield Entry(name, stream.place(), partial(_build, value, stream.place()), naming="own")
    if pending:
        raise FormatError(f"'{shortened(pending, 40)}' has no hypothesis after its reference", where=pending_at)


def _build(value: str, place: str) -> NBest:
    text = value.strip(" \t")
    # Some recipes print the text, not a list.
    words = _listed(text, place) if text.startswith("[") else split_words(text)
    return NBest((Hypothesis(tuple(word for word in words if word), {}),), {})


def _listed(text: str, place: str) -> list[str]:
    """Parse a Python list of strings."""
    words: list[str] = []
    at = len(text) - len(text[1:].lstrip(" \t"))
    while text[at : at + 1] != "]":
        match = _QUOTED.match(text, at)
        if match is None:
            raise FormatError(f"{shortened(text[at:], 20)!r} is not a word in quotes", where=place)
        quoted = match[1] if match[1] is not None else match[2]
        words.append(_ESCAPE.sub(partial(_character, place=place), quoted) if "\\" in quoted else quoted)
        at = match.end()
        if comma := _COMMA.match(text, at):
            at = comma.end()
        elif text[at : at + 1] != "]":
            raise FormatError("the list of words is not closed by ]", where=place)
    if at + 1 != len(text):
        raise FormatError(f"{shortened(text[at + 1 :], 20)!r} follows the list", where=place)
    return words


def _character(match: re.Match[str], place: str) -> str:
    """Return the character of an escape sequence."""
    if match[4] is not None:
        if match[4] not in _PLAIN_ESCAPES:
            raise FormatError(f"{match[0]!r} is not an escape sequence", where=place)
        return _PLAIN_ESCAPES[match[4]]
    number = int(match[1] or match[2] or match[3], 16)
    if number in _SURROGATES or number > _LARGEST:
        raise FormatError(f"'{match[0]}' is not a character", where=place)
    return chr(number)


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    nbest = require_nbest(graph, _NAME)
    if len(nbest) != 1 or nbest.score_names():
        count = "1 hypothesis" if len(nbest) == 1 else f"{len(nbest)} hypotheses"
        scores = shortened(", ".join(nbest.score_names()), 200) or "no scores"
        raise UsageError(
            f"{_NAME} holds one hypothesis without scores, but this list has {count} with {scores}",
            advice="write jsonl-nbest, which holds them",
        )
    if name != name.strip() or not name or "\n" in name or "\r" in name or ":\t" in f"{name}:":
        raise UsageError(f"{shortened(name)!r} cannot be an id in {_NAME}", advice="rename it")
    words = list(nbest.hypotheses[0].words)
    if "" in words:
        raise UsageError("an empty word would be read back as no word", advice="write jsonl-nbest")
    file.write(f"{name}:\thyp={words!r}\n".encode())


register(Format(_NAME, (".recogs.txt", ".recogs"), lambda head: bool(_FIRST_LINE.match(head.lstrip())), _read, _write))
