"""Show texts: their width on a terminal, rows in columns, and code points instead of invisible characters."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Collection, Iterator, Sequence

# Characters of these categories are invisible, or change how others look.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def display_width(text: str) -> int:
    """Count the terminal columns of a text: wide characters take two, marks and joiners none."""
    if text.isascii():
        return len(text)
    # Marks on or around a letter (Mn, Me) and format characters (Cf) take no column.
    kinds = ((unicodedata.category(c), unicodedata.east_asian_width(c)) for c in text)
    return sum(0 if kind in {"Mn", "Me", "Cf"} else 2 if width in "WF" else 1 for kind, width in kinds)


def padding(text: str, width: int) -> str:
    """Return the spaces that make a text `width` columns wide."""
    return " " * (width - display_width(text))


def aligned_rows(rows: Sequence[Sequence[str]], left: Collection[int] | None = None) -> list[str]:
    """Write rows in columns, two spaces apart; columns in `left` (default: all) are aligned left, the others right."""
    columns = []
    for number, cells in enumerate(zip(*rows, strict=True)):
        width = max(map(display_width, cells))
        if left is None or number in left:
            columns.append([cell + padding(cell, width) for cell in cells])
        else:
            columns.append([padding(cell, width) + cell for cell in cells])
    return ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]


def screen_width() -> int:
    """Return the columns of the terminal that standard output is; 100 if it is none."""
    return shutil.get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else 100


def wrapped_rows(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    r"""Write rows in columns as `aligned_rows` does, in blocks of at most `width` columns.

    The first cell of each row is its title, which every block repeats. A block has at least one cell of each row. Empty
    lines separate blocks.

    Examples:
        >>> print("\n".join(wrapped_rows([["above:", "a", "bird", "sings"], ["below:", "the", "bird", "sang"]], 18)))
        above:  a    bird
        below:  the  bird
        <BLANKLINE>
        above:  sings
        below:  sang
    """
    titles, *columns = zip(*rows, strict=True)
    beside = max(map(display_width, titles))
    block, used = [titles], beside
    for cells in columns:
        needed = 2 + max(map(display_width, cells))
        if len(block) > 1 and used + needed > width:
            yield from (*aligned_rows(list(zip(*block, strict=True))), "")
            block, used = [titles], beside
        block.append(cells)
        used += needed
    yield from aligned_rows(list(zip(*block, strict=True)))


def visible(text: str) -> str:
    r"""Replace every invisible character of a text by its code point, in hexadecimal.

    These are control characters, line ends, marks that change the writing direction, surrogates and unusual spaces.

    Examples:
        >>> visible("a\tb\u202ec")
        'a⟨9⟩b⟨202E⟩c'
    """
    if text.isascii() and text.isprintable():
        return text
    kinds = ((c, unicodedata.category(c)) for c in text)
    return "".join(f"⟨{ord(c):X}⟩" if kind in _UNSEEN or (kind == "Zs" and c != " ") else c for c, kind in kinds)
