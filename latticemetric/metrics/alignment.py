"""Monotone alignments of a candidate with a reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MATCH, SUBSTITUTION, DELETION, INSERTION = "C", "S", "D", "I"

_NOTHING = "*"


@dataclass(frozen=True)
class Alignment:
    """An alignment of candidate words with reference words.

    Attributes:
        candidate: The candidate's words.
        reference: The reference's words.
        edits: One letter per step: C (match), S (substitution), D (deletion), I (insertion).

    Examples:
        >>> print(Alignment(("a", "x", "c"), ("a", "b", "b", "c"), "CSDC"))
        reference  a  b  b  c
        candidate  a  x  *  c
        edit       .  S  D  .
    """

    candidate: tuple[str, ...]
    reference: tuple[str, ...]
    edits: str

    def steps(self) -> Iterator[tuple[str, str | None, str | None]]:
        """Yield edit, reference word and candidate word; `None` if a side has no word."""
        candidate, reference = iter(self.candidate), iter(self.reference)
        for edit in self.edits:
            expected = None if edit == INSERTION else next(reference)
            actual = None if edit == DELETION else next(candidate)
            yield edit, expected, actual

    def asdict(self) -> list[dict[str, str | None]]:
        """Return one mapping per step, for JSON."""
        return [{"edit": edit, "reference": r, "candidate": c} for edit, r, c in self.steps()]

    def _repr_html_(self) -> str:
        from latticemetric.frozen import notebook  # NumPy need not be there to show a width

        return str(notebook().alignment_html(self))

    def __str__(self) -> str:
        rows = [["reference"], ["candidate"], ["edit"]]
        for edit, expected, actual in self.steps():
            cells = (expected or _NOTHING, actual or _NOTHING, "." if edit == MATCH else edit)
            for row, cell in zip(rows, cells, strict=True):
                row.append(cell)
        return "\n".join(_padded_rows(rows))


def _padded_rows(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(
            cell + " " * (width - display_width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()


def display_width(text: str) -> int:
    """Count the terminal columns of a text: wide characters take two, marks and joiners none."""
    if text.isascii():
        return len(text)
    import unicodedata

    # Marks on or around a letter (Mn, Me) and format characters (Cf) take no column.
    kinds = ((unicodedata.category(c), unicodedata.east_asian_width(c)) for c in text)
    return sum(0 if kind in {"Mn", "Me", "Cf"} else 2 if width in "WF" else 1 for kind, width in kinds)
