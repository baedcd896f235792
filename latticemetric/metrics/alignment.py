"""Monotone alignments of a hypothesis with a reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from latticemetric.display.text import screen_width, shown_unit, wrapped_rows
from latticemetric.errors import harmless

MATCH, SUBSTITUTION, DELETION, INSERTION = "C", "S", "D", "I"

_NOTHING = "*"
# Terminal colours: yellow, red, blue, as in drawings.
_COLOURS = {SUBSTITUTION: "33", DELETION: "31", INSERTION: "34"}
_INDENT = 4  # commands indent alignments by this number of columns


@dataclass(frozen=True)
class Alignment:
    """An alignment of hypothesis words with reference words.

    The text of an alignment (`str`) fits the width of the terminal, or 100 columns without a terminal. Long alignments
    have several blocks.

    Attributes:
        hypothesis: The hypothesis's words.
        reference: The reference's words.
        edits: One letter per step: C (match), S (substitution), D (deletion), I (insertion).

    Examples:
        >>> print(Alignment(("a", "x", "c"), ("a", "b", "b", "c"), "CSDC"))
        reference   a  b  b  c
        hypothesis  a  x  *  c
        edit        .  S  D  .
    """

    hypothesis: tuple[str, ...]
    reference: tuple[str, ...]
    edits: str

    of_words: ClassVar[bool] = True

    def steps(self) -> Iterator[tuple[str, str | None, str | None]]:
        """Yield (edit, reference word, hypothesis word) for each step; a missing word is `None`."""
        hypothesis, reference = iter(self.hypothesis), iter(self.reference)
        for edit in self.edits:
            expected = None if edit == INSERTION else next(reference)
            actual = None if edit == DELETION else next(hypothesis)
            yield edit, expected, actual

    def asdict(self) -> list[dict[str, str | None]]:
        """Return one mapping per step, for JSON."""
        return [{"edit": edit, "reference": r, "hypothesis": c} for edit, r, c in self.steps()]

    def _repr_html_(self) -> str:
        from latticemetric.frozen import notebook  # a late import, so that this module does not need NumPy

        return str(notebook().alignment_html(self))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, *, colours: bool = False) -> Iterator[str]:
        """Yield the lines of the alignment as text; with `colours`, colour errors and escape control characters."""
        rows = [["reference"], ["hypothesis"], ["edit"]]
        for edit, expected, actual in self.steps():
            cells = (self._cell(expected), self._cell(actual), "." if edit == MATCH else edit)
            for row, cell in zip(rows, cells, strict=True):
                row.append(harmless(cell) if colours else cell)
        painted = [_COLOURS.get(edit) for edit in self.edits] if colours else None
        return wrapped_rows(rows, screen_width() - _INDENT, painted)

    @staticmethod
    def _cell(word: str | None) -> str:
        return word or _NOTHING


class UnitAlignment(Alignment):
    """An alignment of characters, or of other parts of words. Its text shows a space as ␣.

    Examples:
        >>> print(UnitAlignment(("a", " ", "b"), ("a", "b"), "CIC"))
        reference   a  *  b
        hypothesis  a  ␣  b
        edit        .  I  .
    """

    of_words = False

    @staticmethod
    def _cell(word: str | None) -> str:
        return shown_unit(word or _NOTHING)
