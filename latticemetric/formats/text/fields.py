"""Read and write fields separated by white space: split lines, check numbers and words, name the place in errors."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from latticemetric import _native
from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.formats.streams.stream import HEAD_SIZE, Piece, Stream, decoded_line
from latticemetric.lattice.lattice import Labels
from latticemetric.vocabulary import (
    EPSILON,
    STAR,
    Spelling,
    Vocabulary,
    Words,
    numbered_words,
    split_words,
    utf8_texts,
)

# A run of digits matches in only one way. With several ways, matching a long run of digits would take forever.
NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"

NumberedTexts: TypeAlias = tuple[Words, list[str]]
"""Numbers of texts, from 1, and the distinct texts."""

_NUMBER = re.compile(NUMBER)
_WHOLE = re.compile(r"-?[0-9]{1,10}")
_LONGEST = 1000


def numbered_lines(data: bytes, file: str, lines_before: int = 0) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the fields of each line of `data` that is not blank."""
    # `splitlines` would split all lines, even if only the first ones are used.
    begin, line = 0, lines_before
    while begin < len(data):
        end = data.find(b"\n", begin)
        end = len(data) if end < 0 else end
        text, line, begin = data[begin:end], line + 1, end + 1
        place = f"{file}:{line}"
        if fields := split_words(decoded_line(text, place)):
            yield place, fields


def complete_lines(head: bytes) -> bytes:
    """Return the first bytes of a file (`head`), without the last line if it may be incomplete."""
    return head[: head.rfind(b"\n") + 1] if len(head) >= HEAD_SIZE else head


def split_lines(stream: Stream) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the fields of each line of a stream; skip blank lines."""
    for line in stream.lines():
        if fields := split_words(line):
            yield stream.place(), fields


def is_number(text: str) -> bool:
    """Check whether a field is a finite number in ASCII digits."""
    return len(text) <= _LONGEST and _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def number(text: str, place: str) -> float:
    """Read a field as a finite number."""
    is_plain = len(text) <= _LONGEST and _NUMBER.fullmatch(text)
    if not is_plain and text.lower().lstrip("+-") not in {"nan", "inf", "infinity"}:
        raise FormatError(f"'{shortened(text, 40)}' is not a number", where=place)
    return require_finite(float(text) if is_plain else math.inf, text, place)


def require_finite(value: float, text: str, place: str) -> float:
    """Return the value; refuse infinity and NaN."""
    if not math.isfinite(value):
        what = f"score '{shortened(text, 40)}' is not finite"
        raise InputError(what, where=place, advice="give a finite score, or remove the arc or hypothesis")
    return value


def whole_number(text: str, what: str, place: str, lowest: int = 0) -> int:
    """Read a field as a whole number, at least `lowest`."""
    value = int(text) if _WHOLE.fullmatch(text) else None
    if value is None or not lowest <= value < 2**31 - 1:
        wanted = f"a whole number from {lowest} to {2**31 - 2}"
        raise FormatError(f"{what} is '{shortened(text, 40)}', not {wanted}", where=place)
    return value


def require_field(text: str, what: str) -> str:
    """Return the text; raise an error if it is empty or holds white space, and so is not one field."""
    if split_words(text) != [text]:
        raise InputError(
            f"{what} {shortened(text, 40)!r} is empty or holds white space, which this format cannot write",
            advice="write another format, e.g. jsonl-nbest or htk-slf",
        )
    return text


def require_id(name: str, what: str) -> str:
    """Return the id; raise an error if it is not one field, or begins with a byte order mark, which readers drop."""
    if split_words(name) != [name] or name.startswith("\ufeff"):
        raise UsageError(
            f"'{shortened(name)}' cannot be {what}",
            advice="rename it: an id has no white space, is not empty and does not begin with a byte order mark",
        )
    return name


def word_to_write(vocabulary: Vocabulary, number: int, *nothing: str) -> str:
    """Return the text to write for a word.

    `nothing` are the texts that readers take for ε; for ε, return the first of them. Refuse a word that is one of these
    texts, is empty or holds white space.
    """
    if number == EPSILON:
        return nothing[0]
    word = vocabulary.word(number)
    refuse_word(word, *nothing)
    return require_field(word, "word")


def refuse_word(word: str, *nothing: str) -> None:
    """Raise an error if a word is in `nothing`, the texts that readers take for ε."""
    if word in nothing:
        raise InputError(
            f"the word '{shortened(word, 40)}' would be read back as no word", advice="write another format"
        )


def require_no_word(vocabulary: Vocabulary, numbers: Words, *nothing: str) -> None:
    """Raise an error if the word of a number is in `nothing`, the texts that readers take for ε."""
    suspects = {vocabulary.number(word): word for word in nothing if word in vocabulary}
    if suspects and (rows := np.flatnonzero(np.isin(numbers, list(suspects)))).size:
        refuse_word(suspects[int(numbers[rows[0]])], *nothing)


def require_fields(vocabulary: Vocabulary, numbers: Words, *nothing: str) -> None:
    """Raise the error of `word_to_write` if the word of a number cannot be written."""
    if vocabulary.is_numeric or not (vocabulary.spaced or any(map(vocabulary.__contains__, ("", *nothing)))):
        return
    for number in dict.fromkeys(numbers.tolist()):
        word_to_write(vocabulary, number, *nothing)


# ---- Convert the output of native parsers ----


def parsed_natively(parse: Callable[..., Any], data: bytes | Piece, file: str, lines_before: int = 0) -> Any:
    """Call a native parser on bytes, or on a piece's `whole`, `begin` and `end`; add file and line to its errors."""
    try:
        return parse(data.whole, data.begin, data.end) if isinstance(data, Piece) else parse(data)
    except _native.ParseError as error:
        line, what, *part = error.args
        what, _, advice = what.partition("; ")
        where = f"{file}:{lines_before + line}" if line else file
        raise FormatError(what, where=", ".join([where, *part]), advice=advice or None) from None


def encode_column(column: tuple[Words, list[str] | None], table: Vocabulary | None) -> tuple[Words, Vocabulary]:
    """Return the word numbers of a column that a native parser has read, and the vocabulary.

    If every field is a number, the fields are word numbers: 0 is ε, and `table` maps numbers to words. Otherwise, the
    fields are words: look them up in `table` or, without a table, number them in order of appearance. The spelling of
    number 0 in `table` is ε, too.
    """
    numbers, words = column
    if words is None:
        return numbers, Vocabulary.numeric() if table is None else table
    if table is None:
        return numbers, Vocabulary.of_distinct(words)
    for word in words:
        if word not in table and word != table.epsilon:
            raise InputError(
                f"'{shortened(word, 40)}' is not in the symbol table", advice="give the symbol table of this graph"
            )
    found = [table.number(word) if word in table else EPSILON for word in words]
    return np.array([EPSILON, *found], dtype=np.int32)[numbers], table


def encode_texts(texts: Iterable[str], nothing: str, table: Vocabulary | None) -> tuple[Words, Vocabulary]:
    """Return the word numbers of texts, and their vocabulary (`table`, if given); the text `nothing` means ε."""
    return encode_numbered(numbered_texts(texts), nothing, table)


def numbered_texts(texts: Iterable[str]) -> NumberedTexts:
    """Number texts from 1 in order of appearance; return the number of each text, and the distinct texts."""
    numbers: dict[str, int] = {}
    of_text = np.array([numbers.setdefault(text, len(numbers) + 1) for text in texts], dtype=np.int32)
    return of_text, list(numbers)


def encode_numbered(column: NumberedTexts, nothing: str, table: Vocabulary | None) -> tuple[Words, Vocabulary]:
    """Return the word numbers of numbered texts, and their vocabulary, as `encode_texts` does."""
    return encode_column(without_texts(column, [nothing]), table)


def without_texts(column: NumberedTexts, lost: Collection[str]) -> NumberedTexts:
    """Give the texts in `lost` number 0, and number the others anew."""
    numbers, texts = column
    if not (found := set(lost).intersection(texts)):
        return column
    return _renumbered(numbers, texts, [text for text in texts if text not in found])


def only_texts(column: NumberedTexts, kept: Collection[str]) -> NumberedTexts:
    """Number the texts in `kept` anew, and give all others number 0."""
    numbers, texts = column
    found = set(kept).intersection(texts)
    return _renumbered(numbers, texts, [text for text in texts if text in found] if found else [])


def _renumbered(numbers: Words, texts: list[str], kept: list[str]) -> NumberedTexts:
    if not kept:
        return np.zeros_like(numbers), kept
    number_of = {text: number for number, text in enumerate(kept, start=1)}
    return np.array([EPSILON, *(number_of.get(text, EPSILON) for text in texts)], dtype=np.int32)[numbers], kept


def labels_of_arcs(texts: Sequence[str], ends: int = 1) -> Labels:
    """Return labels with the text of each arc; an empty text means no label.

    The final states, whose number is `ends`, have no labels.
    """
    return labels_of_numbered(without_texts(numbered_texts(texts), [""]), ends)


def labels_of_numbered(column: NumberedTexts, ends: int = 1) -> Labels:
    """Return labels with the text of each arc, which has a number; 0 means no label."""
    numbers, texts = column
    used = list(dict.fromkeys(numbers[numbers != EPSILON].tolist()))
    renumbered = np.zeros(len(texts) + 1, dtype=np.int32)
    renumbered[used] = np.arange(1, len(used) + 1)
    vocabulary = Vocabulary.from_words([texts[number - 1] for number in used])
    return Labels(renumbered[numbers], np.zeros(ends, dtype=np.int32), vocabulary)


# ---- Words of arcs to write ----

EPSILON_SYMBOLS = ("<eps>", "<epsilon>", "ε")
_MOST_DIGITS = 10


def is_word_number(text: str) -> bool:
    """Check whether a word has the form of a number: 0 and 12, but not 012."""
    plain = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return plain and (text == "0" or text[0] != "0") and int(text) < STAR


def require_words(vocabulary: Vocabulary, numbers: Words) -> None:
    """Raise an error if a word would be read back as another word, as several words or as no word."""
    if vocabulary.is_numeric:
        return
    suspects = ("", "0", *EPSILON_SYMBOLS)
    if not vocabulary.spaced and not any(map(vocabulary.__contains__, suspects)):
        return
    used = list(dict.fromkeys(numbers.tolist()))
    words = [word_to_write(vocabulary, number, *EPSILON_SYMBOLS) for number in used]
    if "0" in words and all(map(is_word_number, words)):
        raise InputError(
            "all words are numbers and one of them is 0, which would be read back as no word",
            advice="write another format",
        )


# ---- Rows of text ----

Part: TypeAlias = Any
"""A part of each row, as `_native.write_rows` takes it."""


def words_part(vocabulary: Vocabulary, numbers: Words, epsilon: str, spelling: Spelling = list) -> tuple[Any, ...]:
    """Return the words with these numbers as a part of rows; ε is written as `epsilon`."""
    numbers = np.ascontiguousarray(numbers, dtype=np.int32)
    if vocabulary.is_numeric and epsilon:
        return numbers, epsilon.encode("utf-8")
    if (table := vocabulary.table(epsilon, spelling)) is not None:
        return numbers, table
    distinct, place = numbered_words(numbers)
    return place, utf8_texts([epsilon, *spelling(vocabulary.words(distinct))])
