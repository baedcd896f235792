"""Sets of words that a user gives: a list, a text, or a file after `@`; the same in Python and on the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from latticemetric.errors import UsageError
from latticemetric.line_ids import listed_names
from latticemetric.vocabulary import split_words, word_set

_FILE_SIGN = "@"


def given_words(words: str | Iterable[str], name: str) -> frozenset[str]:
    """Return words as a set.

    A list or a set is taken as it is. A text is split at white space and commas; a comma between spaces is a word.
    `@` and the name of a file mean the words of the file, which are separated by white space, and may have commas.

    Args:
        words: The words.
        name: The name of the argument or option, for errors.

    Examples:
        >>> sorted(given_words("uh, um,<sil>", "ignore")), sorted(given_words("1 000 , .", "ignore"))
        (['<sil>', 'uh', 'um'], [',', '.', '000', '1'])
        >>> sorted(given_words(["1,000"], "ignore"))
        ['1,000']
    """
    return _words_of_text(words, name) if isinstance(words, str) else word_set(words, name)


def note_of_unseen(words: Sequence[str]) -> str:
    """Return the note on words to ignore that no text has: they may be misspelled."""
    are = "is a word" if len(words) == 1 else "are words"
    return f"of the words to ignore, {listed_names(words)} {are} of no text"


def _words_of_text(text: str, name: str) -> frozenset[str]:
    if text.startswith(_FILE_SIGN):
        from latticemetric.formats.streams.stream import open_stream

        with open_stream(text.removeprefix(_FILE_SIGN)) as stream:
            return frozenset(word for line in stream.lines() for word in split_words(line))
    if os.path.isfile(text):  # noqa: PTH113  a name may be longer than a path may be
        raise UsageError(
            f"'{text}' is given as a word, but is the name of a file",
            where=name,
            advice=f"to read words from the file, give @{text}",
        )
    return frozenset(word for field in split_words(text) for word in _without_commas(field))


def _without_commas(field: str) -> list[str]:
    """Split a field at its commas; a field of commas alone is a word."""
    return [word for word in field.split(",") if word] or [field]
