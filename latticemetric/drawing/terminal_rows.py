"""Lattices and confusion networks in rows of letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from latticemetric.alignment import display_width
from latticemetric.drawing.diagram import END, Diagram, Vertex
from latticemetric.drawing.ears import Ear, ears, main_path, rows_of
from latticemetric.drawing.lettering import Sheet
from latticemetric.drawing.letters import visible
from latticemetric.drawing.looks import looks_of

_LABELS, _MAIN = 0, 1
# A dash and a space on either side of a label; of one that stands above its line, a space and nothing.
_BESIDE, _BESIDE_ABOVE = 2, 1


def drawn_rows(diagram: Diagram) -> list[str]:
    """The lines of a diagram whose links all lead from a vertex to a later one."""
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
        """The stretches of a link between what crosses it, as first and last columns that a label may take."""
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
        """The label with its numbers, and with the marks of all ways but the first."""
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
