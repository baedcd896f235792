"""Read and write NIST transcripts (trn): one utterance per line, `words (utterance-id)`; see `words`.

Graphs have no scores. `;;` begins a comment line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import IO

from latticemetric.errors import FormatError, UsageError, shortened
from latticemetric.formats.nist.lines import Record, is_trn
from latticemetric.formats.nist.words import TAGS, Speller, decomposed, parsed_transcript, require_words_only
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.graph import Graph
from latticemetric.vocabulary import Vocabulary

_NAME = "trn"
_ID = re.compile(r"[^() \t\n\r\f\v]+")
_SPACE = " \t\r\f\v"


def records(stream: Stream) -> Iterator[Record]:
    """Yield the utterances of a stream."""
    for line in _lines(stream):
        text = line.rstrip(_SPACE)
        begin = text.rfind("(")
        name = text[begin + 1 : -1]
        if begin < 0 or not text.endswith(")") or not _ID.fullmatch(name):
            raise FormatError(
                "the line does not end in an id in brackets", where=stream.place(), advice="write words (id)"
            )
        yield Record(name, stream.place(), text[:begin])


def _lines(stream: Stream) -> Iterator[str]:
    """Yield the lines that are not comments; refuse an utterance that other tools would treat as a comment."""
    for line in stream.lines():
        if line.startswith("**"):
            raise FormatError(
                "sclite skips lines that begin with **",
                where=stream.place(),
                advice="put a space before **, or begin a comment with ;;",
            )
        if line.strip(_SPACE) and not line.lstrip(_SPACE).startswith(";;"):
            yield line


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for name, where, text in records(stream):
        yield Entry(name, where, partial(parsed_transcript, text, where), naming="own")


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    lattice = require_words_only(graph, _NAME, set(TAGS))
    if not _ID.fullmatch(name):
        raise UsageError(f"'{shortened(name)}' cannot be an id in trn", advice="ids have neither spaces nor brackets")
    words = Speller(lattice, _NAME).transcript(decomposed(lattice, _NAME))
    line = f"{words} ({name})" if words else f"({name})"
    file.write(f"{' ' * line.startswith('**')}{line}\n".encode())


register(Format(_NAME, (".trn",), is_trn, _read, _write))
