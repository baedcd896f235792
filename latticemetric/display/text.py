"""Format text for display: terminal width, aligned columns, and codes in place of invisible characters."""

from __future__ import annotations

import math
import sys
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

# Characters of these categories are invisible, or change how other characters look.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
_JOINERS = "\u200c\u200d"
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def display_width(text: str) -> int:
    """Return the number of terminal columns that a text takes.

    Wide characters take two columns. Combining marks, format characters, and the vowels and final consonants of Hangul
    syllables in parts (NFD) take none.
    """
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(c: str) -> int:
    """Return the number of terminal columns of a character."""
    is_joined = "\u1160" <= c <= "\u11ff" or "\ud7b0" <= c <= "\ud7ff"  # vowels and final consonants of Hangul
    # Marks on or around a letter (Mn, Me) and format characters (Cf) take no column.
    if is_joined or unicodedata.category(c) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def padding(text: str, width: int) -> str:
    """Return the spaces needed to fill a text up to `width` terminal columns."""
    return " " * (width - display_width(text))


def aligned_rows(rows: Sequence[Sequence[str]], left: Collection[int] | None = None) -> list[str]:
    """Return one line per row, with cells aligned in columns that are two spaces apart.

    `left` has the numbers (from 0) of the columns to align to the left; other columns are aligned to the right.
    By default, all columns are aligned to the left.
    """
    columns = []
    for number, cells in enumerate(zip(*rows, strict=True)):
        width = max(map(display_width, cells))
        if left is None or number in left:
            columns.append([cell + padding(cell, width) for cell in cells])
        else:
            columns.append([padding(cell, width) + cell for cell in cells])
    return ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]


def screen_width() -> int:
    """Return the number of columns of the terminal; 100 if standard output is not a terminal."""
    if sys.stdout is None or not sys.stdout.isatty():
        return 100
    import shutil  # slow to import

    return shutil.get_terminal_size().columns


def coloured(text: str, colour: str | None) -> str:
    """Return a text in an ANSI colour, given as a code such as `"31"`; `None` leaves the text unchanged."""
    return text if colour is None else f"\033[{colour}m{text}\033[0m"


def wrapped_rows(
    rows: Sequence[Sequence[str]], width: int, colours: Sequence[str | None] | None = None
) -> Iterator[str]:
    r"""Yield rows as lines with aligned columns, split into blocks that are at most `width` terminal columns wide.

    The first cell of each row is its title; every block repeats the titles. Each block has the titles and at least one
    other column, even if the block is then too wide. Empty lines separate blocks. `colours` has the ANSI colour of each
    column after the titles.

    Examples:
        >>> print("\n".join(wrapped_rows([["above:", "a", "bird", "sings"], ["below:", "the", "bird", "sang"]], 18)))
        above:  a    bird
        below:  the  bird
        <BLANKLINE>
        above:  sings
        below:  sang
    """
    titles, *columns = zip(*rows, strict=True)
    title_width = max(map(display_width, titles))

    def written(block: list[tuple[tuple[str, ...], str | None]]) -> list[str]:
        lines = [""] * len(titles)
        for cells, colour in block:
            column_width = max(map(display_width, cells))
            ends = [padding(cell, column_width) + "  " for cell in cells]
            lines = [line + coloured(cell, colour) + end for line, cell, end in zip(lines, cells, ends, strict=True)]
        return [line.rstrip() for line in lines]

    start: tuple[tuple[str, ...], str | None] = (titles, None)
    block, used = [start], title_width
    for cells, colour in zip(columns, colours or [None] * len(columns), strict=True):
        needed = 2 + max(map(display_width, cells))
        if len(block) > 1 and used + needed > width:
            yield from (*written(block), "")
            block, used = [start], title_width
        block.append((cells, colour))
        used += needed
    yield from written(block)


def visible(text: str) -> str:
    r"""Replace each invisible character of a text by its hexadecimal code point.

    Invisible characters are control and format characters, line ends, surrogates, private or unassigned characters, and
    all spaces except U+0020. Joiners (U+200C, U+200D) stay within Persian or Indic words and within emoji.

    Examples:
        >>> visible("a\tb\u202ec")
        'a⟨9⟩b⟨202E⟩c'
    """
    if text.isascii() and text.isprintable():
        return text
    neighbours = zip(" " + text, text, text[1:] + " ", strict=False)
    return "".join(c if _is_seen(before, c, after) else f"⟨{ord(c):X}⟩" for before, c, after in neighbours)


def _is_seen(before: str, c: str, after: str) -> bool:
    """Check whether a character between two others is visible, or joins letters, marks or emoji."""
    if c in _JOINERS:
        return all(unicodedata.category(side)[0] in "LMS" for side in (before, after))
    return c == " " or unicodedata.category(c) not in _UNSEEN


def shown_unit(unit: str) -> str:
    """Return a unit (a word or a character) as visible text: a space becomes ␣."""
    return "␣" if unit == " " else unit


def two_digits(number: int) -> tuple[float, str]:
    """Return a whole number of at least 10, rounded to two digits: a factor from 1 to 9.9, and a power of ten as text.

    Examples:
        >>> two_digits(165_000_001), two_digits(9_999_999_999)
        ((1.7, '10⁸'), (1.0, '10¹⁰'))
    """
    power = math.floor(math.log10(number))  # the number may be larger than any float, and have too many digits for str
    power += (number >= 10 ** (power + 1)) - (number < 10**power)  # log10 is rounded
    first = (2 * number + 10 ** (power - 1)) // (2 * 10 ** (power - 1))
    if first == 100:  # noqa: PLR2004  9.99 is 10
        power, first = power + 1, 10
    return first / 10, f"10{str(power).translate(_RAISED)}"


def error_line(name: str, errors: float, size: float, edits: Sequence[float], owner: str = "") -> str:
    """Return an error rate as one line in the format of Kaldi's `compute-wer`, which scoring scripts read.

    Args:
        name: The name of the rate, such as WER.
        errors: The number of errors.
        size: The number of reference words; not 0.
        edits: The numbers of insertions, deletions and substitutions.
        owner: The name of the system, written at the end of the line; empty if there is only one system.

    Examples:
        >>> error_line("WER", 25, 92, (8, 15, 2))
        '%WER 27.17 [ 25 / 92, 8 ins, 15 del, 2 sub ]'
    """
    insertions, deletions, substitutions = (f"{edit:.0f}" for edit in edits)
    counts = f"{errors:.0f} / {size:.0f}, {insertions} ins, {deletions} del, {substitutions} sub"
    return f"%{name} {100 * errors / size:.2f} [ {counts} ]{f' {owner}' if owner else ''}"


@contextmanager
def long_integers() -> Iterator[None]:
    """Return a context manager in which integers of any length can be texts; Python refuses more than 4,300 digits."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)
