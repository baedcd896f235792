"""Pictures for terminals: a main path with what leaves it and comes back below, trees, and lists of all the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from latticemetric.drawing.diagram import (
    BOX,
    END,
    FOREST,
    GOAL,
    LATTICE,
    NETWORK,
    TREE,
    WORD,
    Diagram,
    Vertex,
    looks_of,
)
from latticemetric.drawing.text_width import visible
from latticemetric.metrics.alignment import display_width

# ---- Trees in lines of letters: children below their parents, with the branches that lead to them ----

_DEEPEST = 30


def tree_lines(diagram: Diagram) -> Iterator[str]:
    """Return a line a node or word; deep down, a number says how deep instead of more branches."""
    children: list[list[int]] = [[] for _ in diagram.vertices]
    for link in diagram.links:
        children[link.source].append(link.target)
    pending: list[tuple[int, str, str, int]] = [(0, "", "", 0)]
    while pending:
        vertex, branch, stem, depth = pending.pop()
        text = visible(diagram.vertices[vertex].text)
        shown = f"{text!r}" if diagram.vertices[vertex].shape == WORD and text != "…" else text
        yield f"{branch}{shown}"
        for place, child in reversed(list(enumerate(children[vertex]))):
            last = place + 1 == len(children[vertex])
            if depth >= _DEEPEST:
                pending.append((child, f"{stem}({depth + 1}) ", stem, depth + 1))
            else:
                ends = ("╰─ ", "   ") if last else ("├─ ", "│  ")
                pending.append((child, stem + ends[0], stem + ends[1], depth + 1))


# ---- Diagrams as lists: what is too large, or too entangled, to be drawn with letters ----


def listed(diagram: Diagram) -> list[str]:
    """A line a link with its ends; of forests a line a rule with its head and its tails. Marks of ways come first."""
    marks = [look.mark for look in looks_of(diagram.ways)]
    rows = list((_rules if diagram.kind == FOREST else _links)(diagram, marks))
    return _aligned(rows)


def _links(diagram: Diagram, marks: Sequence[str]) -> Iterator[list[str]]:
    for link in sorted(diagram.links, key=lambda link: link.source):
        ends = [_named(diagram.vertices[end]) for end in (link.source, link.target)]
        yield [_marks(link.ways, marks), ends[0], "→", ends[1], visible(link.label), visible(link.detail)]


def _rules(diagram: Diagram, marks: Sequence[str]) -> Iterator[list[str]]:
    heads = {link.target: link.source for link in diagram.links if diagram.vertices[link.target].shape == BOX}
    tails: dict[int, list[int]] = {rule: [] for rule in heads}
    for link in diagram.links:
        if link.source in tails:
            tails[link.source].append(link.target)
    for rule, head in sorted(heads.items(), key=lambda pair: (pair[1], pair[0])):
        vertex = diagram.vertices[rule]
        rest = " ".join(f"[{k}] = {_named(diagram.vertices[tail])}" for k, tail in enumerate(tails[rule], start=1))
        said = [visible(vertex.text), visible(vertex.detail), rest]
        yield [_marks(vertex.ways, marks), _named(diagram.vertices[head]), "→", *said]


def _named(vertex: Vertex) -> str:
    text = " ".join(part for part in (visible(vertex.text), visible(vertex.detail)) if part)
    return f"(({text}))" if vertex.shape in {END, GOAL} else f"({text})"


def _marks(ways: Sequence[int], marks: Sequence[str]) -> str:
    return "".join(mark if way in ways else " " for way, mark in enumerate(marks))


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns under each other; those that are empty throughout are none."""
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    widths = [max(map(display_width, column)) for column in columns]
    return [
        "  ".join(cell + " " * (width - display_width(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*columns, strict=True)
    ]


# ---- A sheet of letters: lines that meet in the right corners, and texts whose letters may take two columns or none
# ----

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
        """Return a line from the middle of one cell to that of another."""
        for column in range(left, right + 1):
            self._add((row, column), (LEFT if column > left else 0) | (RIGHT if column < right else 0))

    def vertical(self, column: int, end: int, other: int) -> None:
        """Return a line between the middles of two cells."""
        top, bottom = min(end, other), max(end, other)
        for row in range(top, bottom + 1):
            self._add((row, column), (UP if row > top else 0) | (DOWN if row < bottom else 0))

    def write(self, row: int, column: int, text: str) -> None:
        """Return a text, over whatever there is."""
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
        """Return the lines of text."""
        cells = {**{place: _LINES.get(ways, " ") for place, ways in self._lines.items()}, **self._letters}
        last = max((row for row, _ in cells), default=-1)
        found = []
        for row in range(last + 1):
            width = max((column for r, column in cells if r == row), default=-1) + 1
            found.append("".join(cells.get((row, column), " ") for column in range(width)).rstrip())
        return found

    def _add(self, place: tuple[int, int], ways: int) -> None:
        self._lines[place] = self._lines.get(place, 0) | ways


# ---- A graph as a line and its ears: a main path, then stretches that leave what is drawn already and come back to
# it ----
#
# What a terminal can draw: the main path is the first row, each ear lies in one row below.


@dataclass(frozen=True)
class Ear:
    """A stretch of links, each of which begins where the one before ends.

    Attributes:
        links: Their numbers.
        first: The vertex where it begins.
        last: The vertex where it ends.
        closed: Whether that one lies on another stretch; if not, the ear ends with it.
    """

    links: tuple[int, ...]
    first: int
    last: int
    closed: bool = True


def main_path(diagram: Diagram) -> tuple[int, ...]:
    """The links of the first highlighted way, if they lead from the start to an end, else of the longest path."""
    chosen = [number for number, link in enumerate(diagram.links) if 0 in link.ways]
    at = 0
    for number in chosen:
        if diagram.links[number].source != at:
            return _longest(diagram)
        at = diagram.links[number].target
    return tuple(chosen) if diagram.vertices[at].shape == END else _longest(diagram)


def _longest(diagram: Diagram) -> tuple[int, ...]:
    """Return the path of most links; of equal ones the first."""
    longest = [0] * len(diagram.vertices)
    onward: list[int] = [-1] * len(diagram.vertices)
    for number in reversed(range(len(diagram.links))):
        link = diagram.links[number]
        if longest[link.target] + 1 >= longest[link.source]:
            longest[link.source], onward[link.source] = longest[link.target] + 1, number
    path, at = [], 0
    while onward[at] >= 0:
        path.append(onward[at])
        at = diagram.links[path[-1]].target
    return tuple(path)


def ears(diagram: Diagram, main: tuple[int, ...]) -> list[Ear]:
    """What is left beside the main path: every other link is in one ear, every other vertex on one."""
    placed = {0, *(diagram.links[number].target for number in main)}
    left: list[list[int]] = [[] for _ in diagram.vertices]
    for number, link in enumerate(diagram.links):
        if number not in set(main):
            left[link.source].append(number)
    found = []
    # Sources come before targets: whatever is left of a vertex begins at one that is placed by now.
    for first in range(len(diagram.vertices)):
        while left[first]:
            ear, closed = [left[first].pop(0)], True
            while (at := diagram.links[ear[-1]].target) not in placed:
                placed.add(at)
                if not left[at]:
                    closed = False
                    break
                ear.append(left[at].pop(0))
            found.append(Ear(tuple(ear), first, at, closed))
    return found


def rows_of(found: list[Ear]) -> dict[Ear, int]:
    """Return the row of each ear, from 1 on: short ones nearest to the main path, none over another."""
    taken: list[list[tuple[int, int]]] = []
    rows = {}
    for ear in sorted(found, key=lambda ear: (ear.last - ear.first, ear.first)):
        row = next((r for r, spans in enumerate(taken) if all(_apart(ear, span) for span in spans)), len(taken))
        if row == len(taken):
            taken.append([])
        taken[row].append((ear.first, ear.last + (not ear.closed)))
        rows[ear] = row + 1
    return rows


def _apart(ear: Ear, span: tuple[int, int]) -> bool:
    return ear.last + (not ear.closed) <= span[0] or span[1] <= ear.first


# ---- Lattices and confusion networks in rows of letters ----

_LABELS, _MAIN = 0, 1
# A dash and a space on either side of a label; of one that stands above its line, a space and nothing.
_BESIDE, _BESIDE_ABOVE = 2, 1


def drawn_rows(diagram: Diagram) -> list[str]:
    """Return the lines of a diagram whose links all lead from a vertex to a later one."""
    return _Rows(diagram).drawn()


class _Rows:
    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self.main = main_path(diagram)
        self.ears = rows_of(ears(diagram, self.main))
        self.boxes = [_box(vertex) for vertex in diagram.vertices]
        self.row = dict.fromkeys({0, *(diagram.links[number].target for number in self.main)}, _MAIN)
        for ear, row in self.ears.items():
            inner = [diagram.links[number].target for number in (ear.links[:-1] if ear.closed else ear.links)]
            self.row |= dict.fromkeys(inner, _MAIN + row)
        self.leaving, self.arriving = self._rails()
        self.left = self._columns()

    def drawn(self) -> list[str]:
        """Lines, then boxes and labels over them."""
        sheet = Sheet()
        for number in self.main:
            self._draw_main(sheet, number)
        for ear, row in self.ears.items():
            self._draw_ear(sheet, ear, _MAIN + row)
        for vertex, box in enumerate(self.boxes):
            sheet.write(self.row[vertex], self.left[vertex], box)
        return [row for number, row in enumerate(sheet.rows()) if row or number > _MAIN]

    def _draw_main(self, sheet: Sheet, number: int) -> None:
        link = self.diagram.links[number]
        left, right = self._right(link.source) + 1, self.left[link.target]
        sheet.write(_MAIN, left, ("═" if self.diagram.ways else "─") * (right - left))
        label = self._label(number)
        sheet.write(_LABELS, left + (right - left - display_width(label)) // 2, label)

    def _draw_ear(self, sheet: Sheet, ear: Ear, row: int) -> None:
        for number in ear.links:
            left, right = self._ends(number, ear)
            sheet.horizontal(row, left, right)
        sheet.vertical(self._right(ear.first), self.row[ear.first], row)
        if ear.closed:
            sheet.vertical(self.left[ear.last], self.row[ear.last], row)
        for number in ear.links:
            left, right = max(self._pieces(number, ear, row), key=lambda piece: piece[1] - piece[0])
            label = f" {self._label(number)} "
            sheet.write(row, left + (right - left + 1 - display_width(label)) // 2, label)

    def _right(self, vertex: int) -> int:
        return self.left[vertex] + len(self.boxes[vertex]) - 1

    def _ends(self, number: int, ear: Ear) -> tuple[int, int]:
        """The first and the last column of a link in an ear's row: corners below vertices, or beside their boxes."""
        link = self.diagram.links[number]
        left = self._right(link.source) + (number != ear.links[0])
        return left, self.left[link.target] - (number != ear.links[-1] or not ear.closed)

    def _pieces(self, number: int, ear: Ear, row: int) -> Iterator[tuple[int, int]]:
        """Return the stretches of a link between what crosses it, as first and last columns that a label may take."""
        left, right = self._ends(number, ear)
        begins = number == ear.links[0]
        ends = number == ear.links[-1] and ear.closed
        cuts = [left if begins else left - 1, *self._crossing(number, row), right if ends else right + 1]
        for before, after in pairwise(cuts):
            yield before + 1, after - 1

    def _crossing(self, number: int, row: int) -> list[int]:
        """Columns where vertical lines of other vertices cross a link."""
        link = self.diagram.links[number]
        columns = []
        for vertex in range(link.source + 1, link.target):
            for rails, column in ((self.arriving, self.left[vertex]), (self.leaving, self._right(vertex))):
                top, bottom = rails[vertex]
                if top < row < bottom:
                    columns.append(column)
        return columns

    def _rails(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Of each vertex the rows between which lines leave it, and those between which they arrive."""
        leaving, arriving = ([(self.row[v], self.row[v]) for v in range(len(self.boxes))] for _ in range(2))
        for ear, row in self.ears.items():
            _stretch(leaving, ear.first, _MAIN + row)
            if ear.closed:
                _stretch(arriving, ear.last, _MAIN + row)
        return leaving, arriving

    def _columns(self) -> list[int]:
        """Where each box begins: as far to the left as labels allow."""
        links = self.diagram.links
        needs = [
            (links[n].source, links[n].target, display_width(self._label(n)) + 2 * _BESIDE_ABOVE) for n in self.main
        ]
        long = []
        for ear, row in self.ears.items():
            for number in ear.links:
                link = links[number]
                room = display_width(self._label(number)) + 2 * _BESIDE
                if self._is_cut(number, _MAIN + row):
                    long.append((number, ear, _MAIN + row, room))
                else:
                    needs.append((link.source, link.target, room))
        self.left = self._solved(needs)
        for number, ear, row, room in long:
            if max(after - before + 1 for before, after in self._pieces(number, ear, row)) < room:
                # The last piece ends at the link's target: that one moves.
                target = links[number].target
                *_, (before, after) = self._pieces(number, ear, row)
                shift = room - (after - before + 1)
                needs.append((target - 1, target, self.left[target] - self._right(target - 1) - 1 + shift))
                self.left = self._solved(needs)
        return self.left

    def _is_cut(self, number: int, row: int) -> bool:
        link = self.diagram.links[number]
        rails = (
            rail[vertex] for vertex in range(link.source + 1, link.target) for rail in (self.leaving, self.arriving)
        )
        return any(top < row < bottom for top, bottom in rails)

    def _solved(self, needs: Sequence[tuple[int, int, int]]) -> list[int]:
        """The least columns that leave so many between the boxes of each two vertices, and one between neighbours."""
        onto: list[list[tuple[int, int]]] = [[] for _ in self.boxes]
        for source, target, room in needs:
            onto[target].append((source, room))
        left = [0] * len(self.boxes)
        for vertex in range(1, len(left)):
            ends = [(vertex - 1, 1), *onto[vertex]]
            left[vertex] = max(left[source] + len(self.boxes[source]) + room for source, room in ends)
        return left

    def _label(self, number: int) -> str:
        """Return the label with its numbers, and with the marks of all ways but the first."""
        link = self.diagram.links[number]
        looks = looks_of(self.diagram.ways)
        marks = "".join(looks[way].mark for way in link.ways if way)
        return " ".join(part for part in (visible(link.label), visible(link.detail), marks) if part)


def _box(vertex: Vertex) -> str:
    detail = f" {visible(vertex.detail)}" if vertex.detail else ""
    text = visible(vertex.text) + detail
    return f"(({text}))" if vertex.shape == END else f"({text})"


def _stretch(rails: list[tuple[int, int]], vertex: int, row: int) -> None:
    top, bottom = rails[vertex]
    rails[vertex] = min(top, row), max(bottom, row)


WIDTH = 100
"""Columns of a terminal, where it does not say."""


def terminal_text(diagram: Diagram, width: int | None = WIDTH) -> str:
    """Return a diagram in letters.

    Args:
        diagram: The diagram.
        width: Columns that there are; what is wider becomes a list, and says so. `None`: as many as it takes.
    """
    drawn, notes = diagram.kind in {LATTICE, NETWORK}, [*diagram.omissions, *diagram.notes]
    if diagram.kind == TREE:
        body = list(tree_lines(diagram))
    elif drawn:
        body = drawn_rows(diagram)
        needed = max(map(display_width, body), default=0)
        if width is not None and needed > width:
            drawn, body = False, listed(diagram)
            notes.append(f"A list, since the picture would be {needed} columns wide, and there are {width}.")
    else:
        body = listed(diagram)
    below = [*_legend(diagram, drawn=drawn), *map(visible, notes)]
    return "\n".join([*body, *([""] if below else []), *below]) + "\n"


def _legend(diagram: Diagram, *, drawn: bool) -> Iterator[str]:
    """Return a line for each way, with the sign that it has above."""
    looks = looks_of(diagram.ways)
    rows = [(way, visible(name), visible(caption)) for way, name, caption in diagram.legend()]
    width = max((display_width(name) for _, name, _ in rows), default=0)
    for way, name, caption in rows:
        sign = "   " if way is None else "═══" if drawn and way == 0 else f" {looks[way].mark} "
        yield f"{sign}  {name}{' ' * (width - display_width(name))}   {caption}".rstrip()
