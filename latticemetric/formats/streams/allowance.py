"""How much of a file may be read before a graph comes of it: a few bytes must not fill the memory."""

from __future__ import annotations

import os
from collections.abc import Callable

from latticemetric.errors import InputError, UsageError
from latticemetric.memory import machine_memory, parse_size, shown_size

VARIABLE = "LATTICEMETRIC_MOST_AT_ONCE"

_ALWAYS = 2**26
_MOST_WITHOUT_END = 2**29
# No lattice, list or text packs so well; what does is made to fill memories.
_MOST_UNPACKED = 250
_SHARE = 8
# What a line takes in memory, beside its text.
_LINE = 100
# What a line or a graph takes in time at least, beside its text, as if it had so many bytes more. Small graphs make a
# suspicious file dear, and no file suspicious: thirty thousand real ones may well stand in 128 KB.
_WORK_OF_LINE = 25
_WORK_OF_GRAPH = 4000


class Unpacking:
    """Compares all that came of a compressed file with what was read of it: few bytes must not become hours of work."""

    def __init__(self, name: str, packed: Callable[[], int]) -> None:
        self._name, self._packed = name, packed
        self._total = self._lines = self._graphs = 0
        self._work = 0
        self._free = _chosen() is not None

    def add(self, size: int) -> None:
        """So many bytes more came of it."""
        self._total += size
        if self._total + self._work > _ALWAYS and not self._free:
            self._examine()

    def add_lines(self, lines: int) -> None:
        """Some of the bytes were so many lines: blank ones take as long as others."""
        self._lines += lines
        self.add(_WORK_OF_LINE * lines)

    def add_graph(self) -> None:
        """Some of the bytes were a graph: small ones take as long as others."""
        self._graphs += 1
        self._work += _WORK_OF_GRAPH
        self.add(0)

    def _examine(self) -> None:
        packed = self._packed()
        if self._total > _MOST_UNPACKED * packed:
            unpacked = shown_size(self._total - _WORK_OF_LINE * self._lines)
            lines = f", {self._lines} lines" if self._lines else ""
            graphs = f", {self._graphs} graphs" if self._graphs else ""
            what = f"{shown_size(packed)} of the compressed file become {unpacked}{lines}{graphs} and more"
            raise _refused(what, self._name, max(_ALWAYS, machine_memory() // _SHARE))


class Allowance:
    """Counts what is read, and refuses more than a graph may be.

    An eighth of the memory is allowed, as the graph is to be built of it. Of what may never end (a pipe, a device), no
    more than 512 MB are. Whoever knows better sets an environment variable.
    """

    def __init__(self, name: str, unpacking: Unpacking | None, *, has_end: bool = True) -> None:
        self._name, self._unpacking, self._has_end = name, unpacking, has_end
        self._taken = self._lines = 0
        self._most = _chosen()
        self._unasked = self._most or _ALWAYS

    def add(self, size: int, lines: int = 0) -> None:
        """So many bytes and lines more have been read."""
        self._taken += size
        self._lines += lines
        if lines and self._unpacking is not None:
            self._unpacking.add_lines(lines)
        if self._taken + _LINE * self._lines > self._unasked:
            self._examine()

    def renew(self) -> None:
        """A graph came of what was read: what follows is another one's."""
        self._taken = self._lines = 0

    def _examine(self) -> None:
        most = self._most = self._most or self._usual()
        self._unasked = most
        if self._taken + _LINE * self._lines > most:
            what = f"more than {shown_size(most)} would be read at once, for one graph or table"
            raise _refused(what, self._name, most)

    def _usual(self) -> int:
        share = max(_ALWAYS, machine_memory() // _SHARE)
        return share if self._has_end else min(share, _MOST_WITHOUT_END)


def _refused(what: str, name: str, most: int) -> InputError:
    enough = max(1, 4 * most >> 30)
    return InputError(what, where=name, advice=f"if that is right, set {VARIABLE} to a size, e.g. {enough}G")


def _chosen() -> int | None:
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    size = parse_size(text)
    if not size:
        raise UsageError(f"'{text}' is no size like 500M or 20G", where=VARIABLE)
    return size
