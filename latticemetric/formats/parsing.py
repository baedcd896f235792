"""From what the native parsers return to lattices: errors with their place, words with their vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from latticemetric import _native
from latticemetric.errors import FormatError, InputError
from latticemetric.formats.stream import Piece, Stream
from latticemetric.vocabulary import Vocabulary, Words

_PIECE = 2**22


def parsed(parse: Callable[[bytes], Any], data: bytes, file: str, lines_before: int = 0) -> Any:
    """What a native parser makes of a text; its errors get their file and line."""
    try:
        return parse(data)
    except _native.ParseError as error:
        line, what = error.args
        what, _, advice = what.partition("; ")
        raise FormatError(what, where=f"{file}:{lines_before + line}", advice=advice or None) from None


def blocks(stream: Stream) -> Iterator[tuple[int, Piece]]:
    """What stands between blank lines: the number of lines before it, and its text."""
    rest, lines, is_last = b"", 0, False
    while not is_last:
        # A piece is never smaller than what is left over, so that a long block is not searched again and again.
        chunk = stream.read_some(max(_PIECE, len(rest)))
        is_last = not chunk
        data = rest + chunk
        at = None if stream.offset is None else stream.offset - len(data)
        done, done_lines = 0, 0
        for begin, end, before, after in _native.split_blocks(data, at_end=is_last).tolist():
            yield lines + before, Piece(data, begin, end, stream.name, None if at is None else at + begin)
            done, done_lines = end, after
        lines += done_lines
        rest = data[done:]


def spelled(column: tuple[Words, list[str] | None], table: Vocabulary | None) -> tuple[Words, Vocabulary]:
    """A native column of words as numbers of a vocabulary.

    Words that are all written as numbers are numbers, 0 is ε, and a table spells them. Otherwise they are symbols:
    of the table where there is one, else numbered in order of appearance.
    """
    numbers, words = column
    if words is None:
        return numbers, Vocabulary.numeric() if table is None else table
    if table is None:
        return numbers, Vocabulary.from_words(words)
    for word in words:
        if word not in table:
            raise InputError(f"'{word[:40]}' is not in the symbol table", advice="give the table of this graph")
    return np.concatenate([[0], table.encode(words)]).astype(np.int32)[numbers], table
