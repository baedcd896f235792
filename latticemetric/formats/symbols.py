"""Read symbol tables: one `word number` per line, as OpenFst and Kaldi write them (`words.txt`)."""

from __future__ import annotations

import os
import re

from latticemetric.errors import FormatError, InputError, shortened
from latticemetric.formats.streams.stream import open_stream
from latticemetric.vocabulary import EPSILON, Vocabulary, split_words

_NUMBER = re.compile("[0-9]{1,10}")


def read_symbols(path: str | os.PathLike[str]) -> Vocabulary:
    """Read a symbol table; number 0 is always ε."""
    words: dict[int, str] = {}
    numbers: dict[str, int] = {}
    with open_stream(os.fspath(path)) as stream:
        for line in stream.lines():
            fields = split_words(line)
            if not fields:
                continue
            if len(fields) != 2 or not _NUMBER.fullmatch(fields[1]):  # noqa: PLR2004
                raise FormatError(f"'{shortened(line, 60)}' is not a word and its number", where=stream.place())
            word, number = fields[0], int(fields[1])
            if number in words:
                raise FormatError(f"number {number} has two words", where=stream.place())
            if number != EPSILON and word in numbers:
                raise FormatError(f"word '{word}' has two numbers", where=stream.place())
            words[number] = word
            numbers[word] = number
    if not words:
        raise FormatError("the symbol table is empty", where=os.fspath(path))
    try:
        return Vocabulary(words)
    except InputError as error:
        raise error.at(os.fspath(path)) from None


def as_vocabulary(symbols: str | os.PathLike[str] | Vocabulary | None) -> Vocabulary | None:
    """Return the vocabulary; read it first if `symbols` is a file."""
    return symbols if symbols is None or isinstance(symbols, Vocabulary) else read_symbols(symbols)
