"""A sheet of letters: lines that meet in the right corners, and texts whose letters may take two columns or none."""

from __future__ import annotations

from latticemetric.alignment import display_width

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8

_LINES = {
    UP | DOWN: "│",
    LEFT | RIGHT: "─",
    UP | RIGHT: "╰",
    UP | LEFT: "╯",
    DOWN | RIGHT: "╭",
    DOWN | LEFT: "╮",
    UP | DOWN | RIGHT: "├",
    UP | DOWN | LEFT: "┤",
    LEFT | RIGHT | UP: "┴",
    LEFT | RIGHT | DOWN: "┬",
    UP | DOWN | LEFT | RIGHT: "┼",
    LEFT: "─",
    RIGHT: "─",
    UP: "│",
    DOWN: "│",
}


class Sheet:
    """Rows of cells: each holds directions in which lines leave it, or letters."""

    def __init__(self) -> None:
        self._lines: dict[tuple[int, int], int] = {}
        self._letters: dict[tuple[int, int], str] = {}

    def horizontal(self, row: int, left: int, right: int) -> None:
        """A line from the middle of one cell to that of another."""
        for column in range(left, right + 1):
            self._add((row, column), (LEFT if column > left else 0) | (RIGHT if column < right else 0))

    def vertical(self, column: int, end: int, other: int) -> None:
        """A line between the middles of two cells."""
        top, bottom = min(end, other), max(end, other)
        for row in range(top, bottom + 1):
            self._add((row, column), (UP if row > top else 0) | (DOWN if row < bottom else 0))

    def write(self, row: int, column: int, text: str) -> None:
        """A text, over whatever there is."""
        for letter in text:
            width = display_width(letter)
            if not width:
                self._letters[row, column - 1] = self._letters.get((row, column - 1), "") + letter
                continue
            self._letters[row, column] = letter
            for beside in range(column + 1, column + width):
                self._letters[row, beside] = ""
            column += width

    def rows(self) -> list[str]:
        """The lines of text."""
        cells = {**{place: _LINES.get(ways, " ") for place, ways in self._lines.items()}, **self._letters}
        last = max((row for row, _ in cells), default=-1)
        found = []
        for row in range(last + 1):
            width = max((column for r, column in cells if r == row), default=-1) + 1
            found.append("".join(cells.get((row, column), " ") for column in range(width)).rstrip())
        return found

    def _add(self, place: tuple[int, int], ways: int) -> None:
        self._lines[place] = self._lines.get(place, 0) | ways
