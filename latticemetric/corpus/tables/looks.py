"""Say how a text table looks: per cent or fractions, colours, and what a terminal needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from latticemetric.corpus.tables.cells import with_interval
from latticemetric.errors import harmless

if TYPE_CHECKING:
    from latticemetric.metrics.alignment import Alignment


class Looks(NamedTuple):
    """The looks of a text table; by default, those in a file.

    Attributes:
        percent: True to write rates in per cent, False to write them as fractions.
        terminal: True if the text appears on a terminal, where odd characters could move the cursor.
        colours: True to colour alignments.
        width: The number of columns that a table may take, if it can leave some out.
    """

    percent: bool = True
    terminal: bool = False
    colours: bool = False
    width: int = 100

    def rate(self, value: float | None, half_width: float | None = None, sign: str = "") -> str:
        """Return a rate for a table, and its interval."""
        return with_interval(value, half_width, sign, percent=self.percent)

    def rate_title(self, name: str) -> str:
        """Return the title of a column of rates: `wer %`, or `wer` for fractions."""
        return f"{name} %" if self.percent else name

    def lone_rate(self, value: float | None) -> str:
        """Return a rate for a line without titles: `12.50%`, or `0.1250`."""
        return self.rate(value) + ("%" if value is not None and self.percent else "")

    def words_line(self, name: str, words: str) -> str:
        """Return a line of an id and words, for text that programs read.

        On a terminal, unprintable characters are escapes. Files and pipes get them unchanged, except line ends: words
        with a no-break space or a directional mark must be the same when they are read again.
        """
        line = f"{name} {words}".rstrip(" ")
        return harmless(line) if self.terminal else line.replace("\r", r"\r").replace("\n", r"\n")

    def alignment_lines(self, alignment: Alignment) -> Iterator[str]:
        """Yield the lines of an alignment."""
        return alignment.lines(colours=True) if self.colours else map(harmless, alignment.lines())


AS_FILE = Looks()
"""The looks of a file: per cent, no colours."""
