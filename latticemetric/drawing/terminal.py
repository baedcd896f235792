"""Write diagrams as text for terminals: a main path with detours below it, a tree, or a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from latticemetric.display.text import aligned_rows, display_width, padding, visible
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
    path_styles,
)

# ---- Trees: children below their parents, with the branches that lead to them ----

_DEEPEST = 30


def tree_lines(diagram: Diagram) -> Iterator[str]:
    """Yield one line per node or word of a tree; below level `_DEEPEST`, write the depth instead of branches."""
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


# ---- Lists, for diagrams that are too wide, or have no main path ----


def list_lines(diagram: Diagram) -> list[str]:
    """Return one line per link: the marks of its highlighted paths, its source, its target and its texts.

    For a forest, return one line per rule: the marks, the head, the rule's text and the tails.
    """
    styles = path_styles(diagram.paths)
    named = [_box(vertex) for vertex in diagram.vertices]

    def row(paths: Sequence[int], begin: int, *texts: str) -> list[str]:
        marks = "".join(style.mark if path in paths else " " for path, style in enumerate(styles))
        return [marks, named[begin], "→", *texts]

    if diagram.kind == FOREST:
        heads = {link.target: link.source for link in diagram.links if diagram.vertices[link.target].shape == BOX}
        tails: dict[int, list[int]] = {rule: [] for rule in heads}
        for link in diagram.links:
            if link.source in tails:
                tails[link.source].append(link.target)
        rows = []
        for rule, head in sorted(heads.items(), key=lambda pair: (pair[1], pair[0])):
            vertex = diagram.vertices[rule]
            rest = " ".join(f"[{k}] = {named[tail]}" for k, tail in enumerate(tails[rule], start=1))
            rows.append(row(vertex.paths, head, visible(vertex.text), visible(vertex.detail), rest))
    else:
        links = sorted(diagram.links, key=lambda link: link.source)
        rows = [row(x.paths, x.source, named[x.target], visible(x.label), visible(x.detail)) for x in links]
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    return aligned_rows(list(zip(*columns, strict=True)))


def _box(vertex: Vertex) -> str:
    text = " ".join(part for part in (visible(vertex.text), visible(vertex.detail)) if part)
    return f"(({text}))" if vertex.shape in {END, GOAL} else f"({text})"


# ---- Box drawing: lines with matching corners, and texts (a character may take two columns, or none) ----

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
    """A grid of cells; each holds text, or the directions of the lines that leave the cell."""

    def __init__(self) -> None:
        self._lines: dict[tuple[int, int], int] = {}
        self._characters: dict[tuple[int, int], str] = {}

    def line(self, begin: tuple[int, int], end: tuple[int, int]) -> None:
        """Draw a line between the middles of two cells (row, column) in the same row or column."""
        (top, left), (bottom, right) = sorted((begin, end))
        before, after = (LEFT, RIGHT) if top == bottom else (UP, DOWN)
        cells = [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]
        for place in cells:
            directions = (before if place != cells[0] else 0) | (after if place != cells[-1] else 0)
            self._lines[place] = self._lines.get(place, 0) | directions

    def write(self, row: int, column: int, text: str) -> None:
        """Write a text that begins in a cell; it replaces the lines and texts in its cells."""
        for character in text:
            width = display_width(character)
            if not width:
                self._characters[row, column - 1] = self._characters.get((row, column - 1), "") + character
                continue
            self._characters[row, column] = character
            for beside in range(column + 1, column + width):
                self._characters[row, beside] = ""
            column += width

    def rows(self) -> list[str]:
        """Return the rows of the grid as lines of text."""
        cells = {place: _LINES.get(way, " ") for place, way in self._lines.items()} | self._characters
        last = max((row for row, _ in cells), default=-1)
        found = []
        for row in range(last + 1):
            width = max((column for r, column in cells if r == row), default=-1) + 1
            found.append("".join(cells.get((row, column), " ") for column in range(width)).rstrip())
        return found


# ---- A main path in the first row, and its detours, each in one row below ----


@dataclass(frozen=True)
class Detour:
    """A chain of links that leaves the main path or another detour, and may end on one of them."""

    links: tuple[int, ...]  # the numbers of the links
    first: int  # the vertex where the detour begins
    last: int  # the vertex where the detour ends
    closed: bool = True  # True if the last vertex is on another chain, False if it is on this one

    def overlaps(self, other: Detour) -> bool:
        """Check whether two detours overlap.

        A closed detour does not overlap a detour that begins at its last vertex.
        """
        return other.first < self.last + (not self.closed) and self.first < other.last + (not other.closed)


def main_path(diagram: Diagram) -> tuple[int, ...]:
    """Return the links of the main path: the first highlighted path if it is complete, otherwise the longest path."""
    links = [number for number, link in enumerate(diagram.links) if 0 in link.paths]
    at = 0
    for number in links:
        if diagram.links[number].source != at:
            return _longest(diagram)
        at = diagram.links[number].target
    return tuple(links) if diagram.vertices[at].shape == END else _longest(diagram)


def _longest(diagram: Diagram) -> tuple[int, ...]:
    """Return the path with the most links; if several paths are equally long, the first of them."""
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


def detours(diagram: Diagram, main: tuple[int, ...]) -> list[Detour]:
    """Divide the links and vertices outside the main path into detours; each is in exactly one detour."""
    placed = {0, *(diagram.links[number].target for number in main)}
    left: list[list[int]] = [[] for _ in diagram.vertices]
    on_main = set(main)
    for number, link in enumerate(diagram.links):
        if number not in on_main:
            left[link.source].append(number)
    found = []
    # Each link leads to a later vertex. So a vertex is already placed when the detours that begin there are made.
    for first in range(len(diagram.vertices)):
        while left[first]:
            detour, closed = [left[first].pop(0)], True
            while (at := diagram.links[detour[-1]].target) not in placed:
                placed.add(at)
                if not left[at]:
                    closed = False
                    break
                detour.append(left[at].pop(0))
            found.append(Detour(tuple(detour), first, at, closed))
    return found


def detour_rows(found: list[Detour]) -> dict[Detour, int]:
    """Return the row (from 1) of each detour; short detours are next to the main path, and detours do not overlap."""
    taken: list[list[Detour]] = []
    rows = {}
    for detour in sorted(found, key=lambda detour: (detour.last - detour.first, detour.first)):
        row = next((r for r, others in enumerate(taken) if not any(map(detour.overlaps, others))), len(taken))
        if row == len(taken):
            taken.append([])
        taken[row].append(detour)
        rows[detour] = row + 1
    return rows


# ---- Lattices and confusion networks ----

_LABELS, _MAIN = 0, 1
# A label has a dash and a space on either side; a label above its line has only a space.
_BESIDE, _BESIDE_ABOVE = 2, 1


class _TextLayout:
    """The layout of a diagram in rows and columns of a terminal; every link must lead to a later vertex."""

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self.main = main_path(diagram)
        rows = detour_rows(detours(diagram, self.main))
        self.detours = {detour: _MAIN + row for detour, row in rows.items()}
        self.boxes = [_box(vertex) for vertex in diagram.vertices]
        self.row = dict.fromkeys({0, *(diagram.links[number].target for number in self.main)}, _MAIN)
        for detour, row in self.detours.items():
            inner = detour.links[:-1] if detour.closed else detour.links
            self.row |= dict.fromkeys((diagram.links[number].target for number in inner), row)
        # For each vertex, the first and last row of the vertical lines that leave it, and of those that arrive at it.
        self.leaving, self.arriving = ([(self.row[v], self.row[v]) for v in range(len(self.boxes))] for _ in range(2))
        for detour, row in self.detours.items():
            for rails, vertex in ((self.leaving, detour.first), (self.arriving, detour.last))[: 1 + detour.closed]:
                rails[vertex] = min(rails[vertex][0], row), max(rails[vertex][1], row)
        styles = path_styles(diagram.paths)
        # The marks of all paths except the first, which is drawn in the main row.
        marks = ["".join(styles[path].mark for path in link.paths if path) for link in diagram.links]
        texts = [(visible(x.label), visible(x.detail), m) for x, m in zip(diagram.links, marks, strict=True)]
        self.labels = [" ".join(part for part in parts if part) for parts in texts]
        self._place_columns()

    def lines(self) -> list[str]:
        """Return the drawing as lines of text; boxes and labels are written over the links."""
        sheet = Sheet()
        for number in self.main:
            link = self.diagram.links[number]
            left, right = self._right(link.source) + 1, self.left[link.target]
            sheet.write(_MAIN, left, ("═" if self.diagram.paths else "─") * (right - left))
            label = self.labels[number]
            sheet.write(_LABELS, left + (right - left - display_width(label)) // 2, label)
        for detour, row in self.detours.items():
            for number in detour.links:  # the first link begins below its vertex, the others begin beside their box
                link = self.diagram.links[number]
                left = self._right(link.source) + (number != detour.links[0])
                right = self.left[link.target] - (number != detour.links[-1] or not detour.closed)
                sheet.line((row, left), (row, right))
            ends = [(detour.first, self._right(detour.first)), (detour.last, self.left[detour.last])]
            for vertex, column in ends[: 1 + detour.closed]:
                sheet.line((self.row[vertex], column), (row, column))
            for number in detour.links:
                left, right = max(self._pieces(number, row), key=lambda piece: piece[1] - piece[0])
                label = f" {self.labels[number]} "
                sheet.write(row, left + (right - left + 1 - display_width(label)) // 2, label)
        for vertex, box in enumerate(self.boxes):
            sheet.write(self.row[vertex], self.left[vertex], box)
        return [row for number, row in enumerate(sheet.rows()) if row or number > _MAIN]

    def _right(self, vertex: int) -> int:
        return self.left[vertex] + len(self.boxes[vertex]) - 1

    def _pieces(self, number: int, row: int) -> Iterator[tuple[int, int]]:
        """Divide a link at the vertical lines that cross it in `row`; yield the first and last column of each part."""
        link = self.diagram.links[number]
        crossing = [self.left[v] if arrives else self._right(v) for v, arrives in self._crossing(number, row)]
        cuts = [self._right(link.source), *crossing, self.left[link.target]]
        for before, after in pairwise(cuts):
            yield before + 1, after - 1

    def _crossing(self, number: int, row: int) -> list[tuple[int, bool]]:
        """Return the vertices whose vertical lines cross this link in `row`.

        Each vertex comes with True for lines that arrive at the vertex, or with False for lines that leave it.
        """
        link = self.diagram.links[number]
        return [
            (vertex, arrives)
            for vertex in range(link.source + 1, link.target)
            for arrives, rails in ((True, self.arriving), (False, self.leaving))
            if rails[vertex][0] < row < rails[vertex][1]
        ]

    def _place_columns(self) -> None:
        """Place each box as far to the left as possible, with enough room for labels."""
        links, wide = self.diagram.links, [display_width(label) for label in self.labels]
        needs = [(links[n].source, links[n].target, wide[n] + 2 * _BESIDE_ABOVE) for n in self.main]
        long = []
        for detour, row in self.detours.items():
            for number in detour.links:
                room = wide[number] + 2 * _BESIDE
                if self._crossing(number, row):
                    long.append((number, row, room))
                else:
                    needs.append((links[number].source, links[number].target, room))
        self.left = self._solved(needs)
        for number, row, room in long:
            if max(after - before + 1 for before, after in self._pieces(number, row)) < room:
                # The last piece ends at the link's target: move the target.
                target = links[number].target
                *_, (before, after) = self._pieces(number, row)
                shift = room - (after - before + 1)
                needs.append((target - 1, target, self.left[target] - self._right(target - 1) - 1 + shift))
                self.left = self._solved(needs)

    def _solved(self, needs: Sequence[tuple[int, int, int]]) -> list[int]:
        """Return the leftmost possible column of each box.

        Each of `needs` is a source, a target, and the smallest number of columns between their boxes. Consecutive boxes
        have at least one free column between them.
        """
        onto: list[list[tuple[int, int]]] = [[] for _ in self.boxes]
        for source, target, room in needs:
            onto[target].append((source, room))
        left = [0] * len(self.boxes)
        for vertex in range(1, len(left)):
            ends = [(vertex - 1, 1), *onto[vertex]]
            left[vertex] = max(left[source] + len(self.boxes[source]) + room for source, room in ends)
        return left


WIDTH = 100
"""The default number of columns of a terminal."""


def terminal_text(diagram: Diagram, width: int | None = WIDTH) -> str:
    """Return a diagram as text; if the picture is wider than `width` columns, return a list with a note instead."""
    drawn, notes = diagram.kind in {LATTICE, NETWORK}, [*diagram.omissions, *diagram.notes]
    if diagram.kind == TREE:
        body = list(tree_lines(diagram))
    elif drawn:
        body = _TextLayout(diagram).lines()
        needed = max(map(display_width, body), default=0)
        if width is not None and needed > width:
            drawn, body = False, list_lines(diagram)
            notes.append(
                f"This is a list, since the picture needs {needed} columns and the terminal has {width}: widen the "
                f"terminal, draw fewer states, or write a picture: FILE.svg."
            )
    else:
        body = list_lines(diagram)
    styles = path_styles(diagram.paths)
    rows = [(path, visible(name), visible(caption)) for path, name, caption in diagram.legend()]
    longest = max((display_width(name) for _, name, _ in rows), default=0)
    below = []
    for path, name, caption in rows:
        sign = "   " if path is None else "═══" if drawn and path == 0 else f" {styles[path].mark} "
        below.append(f"{sign}  {name}{padding(name, longest)}   {caption}".rstrip())
    below += map(visible, notes)
    return "\n".join([*body, *([""] if below else []), *below]) + "\n"
