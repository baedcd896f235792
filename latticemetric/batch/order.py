"""The order of graphs: which line of plain references belongs to which graph, or why that cannot be known."""

from __future__ import annotations

import re
from typing import NamedTuple

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.files.paths import size_and_digits
from latticemetric.formats.registry import Entry, find_format

_NUMBER = re.compile(r"([0-9]+)")
_FIRST_NUMBERS = (0, 1)
_LONGEST_NUMBER = 18

ADVICE = "begin each reference with the id of its graph, and give --references keyed"


class _Name(NamedTuple):
    """A name as its text between numbers, and its numbers."""

    text: str
    shape: tuple[str, ...]
    numbers: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, text: str) -> _Name:
        parts = _NUMBER.split(text)
        return cls(text, tuple(parts[::2]), tuple(map(size_and_digits, parts[1::2])))

    def is_numbered_like(self, other: _Name) -> bool:
        """Check whether both have the same text around their numbers."""
        return self.shape == other.shape

    def changed(self, other: _Name) -> list[int]:
        """List the places of the numbers that differ from those of a name like it."""
        pairs = zip(self.numbers, other.numbers, strict=True)
        return [place for place, (mine, theirs) in enumerate(pairs) if mine != theirs]

    def goes_back(self, other: _Name) -> bool:
        """Check whether a single number differs from that of a name like it, and is smaller."""
        return len(self.changed(other)) == 1 and self.numbers < other.numbers


def require_ascending(earlier: str, later: str, where: str) -> None:
    """Refuses names whose numbers go back: 10 before 2."""
    one, two = _Name.of(earlier), _Name.of(later)
    if two.is_numbered_like(one) and two.goes_back(one):
        raise FormatError(
            f"'{shortened(later)}' comes after '{shortened(earlier)}', so that the order is not that of the numbers",
            where=where,
            advice=ADVICE,
        )


class Order:
    """Numbers graphs as plain references are numbered, and refuses graphs whose place is not certain.

    Args:
        proven: Whether names must prove the order of files in folders and archives; a user who asks for plain
            references vouches for it.
    """

    def __init__(self, *, proven: bool) -> None:
        self._proven = proven
        self._last: Entry | None = None
        self._line = 0
        self._first_number: int | None = None
        self._counted: list[int] = []
        self._by_name = self._many = False
        self._broken = self._ends_broken = False

    def line(self, entry: Entry, *, is_broken: bool) -> int:
        """The line of the graph's references, from 1.

        Args:
            entry: The next graph.
            is_broken: Whether the graph stands for a file that cannot be read, or read on.
        """
        last = self._last
        self._check_broken(entry)
        if last is not None and entry.order != last.order:
            self._by_name = True
            self._check_files(last, entry)
        elif last is not None and entry.naming == last.naming == "own":
            require_ascending(last.name, entry.name, entry.place)
        self._line += self._step(entry)
        self._broken |= is_broken
        self._last, self._ends_broken = entry, is_broken
        return self._line

    def is_certain(self) -> bool:
        """Check whether leftover references must belong to lost graphs after the last one."""
        last = self._last
        if last is None or self._ends_broken:
            return not self._by_name or not self._many
        return last.naming == "number" and self._first_number == 0

    def name(self, line: int) -> str:
        """The id of a graph that is lost: of a sentence, its number."""
        first = self._first_number
        return str(line if first is None or self._by_name else first + line - 1)

    def _check_broken(self, entry: Entry) -> None:
        """Refuses graphs behind a file that may have held more of them than could be read."""
        self._many |= bool(entry.format) and not find_format(entry.format).single
        if self._broken and self._many:
            raise FormatError(
                "a file before this one cannot be read to its end, so that the number of this graph is not known",
                where=entry.place,
                advice=ADVICE,
            )

    def _check_files(self, last: Entry, entry: Entry) -> None:
        """Refuses names that are not numbered by one number, which goes up; others may be sorted in many ways."""
        one, two = _Name.of(last.order), _Name.of(entry.order)
        is_like = two.is_numbered_like(one)
        places = two.changed(one) if is_like else []
        self._counted = self._counted or places
        if is_like and two.goes_back(one):
            is_right = False
        else:
            is_right = not self._proven or (len(places) == 1 and places == self._counted)
        if is_right:
            return
        raise FormatError(
            f"the order of the graphs is not known: '{_shown(last)}' and '{_shown(entry)}' are not numbered one after "
            "the other",
            where=entry.where,
            advice=f"{ADVICE}; or number the graphs in the order of the references"
            + ("; or say --references plain if the order is right as it is" if self._proven else ""),
        )

    def _step(self, entry: Entry) -> int:
        """Count the lines from the last graph to this one; sentence numbers may skip some."""
        last = self._last
        if entry.naming != "number" or not entry.name.isdecimal() or len(entry.name) > _LONGEST_NUMBER:
            return 1
        number = int(entry.name)
        if self._first_number is None:
            self._first_number = number
        if last is None or last.naming != "number":
            return 1
        step = number - int(last.name)
        is_next_file = last.order != entry.order or _file(last) != _file(entry)
        if step == 1 or (is_next_file and number in _FIRST_NUMBERS):
            return 1
        if step < 1 or is_next_file:
            raise FormatError(
                f"number {number} comes after {last.name}, so that the order of the graphs is not known",
                where=entry.where,
                advice="sort the lists by their numbers",
            )
        return step


def _file(entry: Entry) -> str:
    return entry.where.rpartition(":")[0]


def _shown(entry: Entry) -> str:
    return shortened(entry.order.rpartition("/")[2] or entry.name)
