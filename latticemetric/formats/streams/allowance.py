"""Limit the bytes that are read for one graph, and the size of a decompressed file."""

from __future__ import annotations

import os
from collections.abc import Callable

from latticemetric.errors import InputError, UsageError
from latticemetric.memory import machine_memory, parse_size, shown_size

VARIABLE = "LATTICEMETRIC_MOST_AT_ONCE"

_ALWAYS = 2**26
_MOST_WITHOUT_END = 2**29
# No lattice, list or text compresses better than this; a file that does was made to exhaust memory.
_MOST_UNPACKED = 250
_SHARE = 8
# The memory of a line, in addition to its text.
_LINE = 100
# The least time of a line or a graph, in addition to its text, as the number of bytes that would take as long. Graphs
# only make the check come earlier, never fail: 128 KB may hold thirty thousand real graphs.
_WORK_OF_LINE = 25
_WORK_OF_GRAPH = 4000


class Unpacking:
    """Limit the size of a decompressed file: a few bytes must not become hours of work."""

    def __init__(self, name: str, packed: Callable[[], int]) -> None:
        self._name, self._packed = name, packed
        self._size = self._lines = self._graphs = 0
        self._is_unlimited = _user_limit() is not None

    def add(self, size: int = 0, *, lines: int = 0, graphs: int = 0) -> None:
        """Count decompressed bytes, and their lines and graphs: even blank lines and small graphs take time."""
        self._size += size
        self._lines += lines
        self._graphs += graphs
        total = self._size + _WORK_OF_LINE * self._lines
        if total + _WORK_OF_GRAPH * self._graphs <= _ALWAYS or self._is_unlimited:
            return
        packed = self._packed()
        if total > _MOST_UNPACKED * packed:
            unpacked = shown_size(self._size)
            unpacked += f", {self._lines} lines" if self._lines else ""
            unpacked += f", {self._graphs} graphs" if self._graphs else ""
            what = f"{shown_size(packed)} of the compressed file become {unpacked} and more"
            raise _too_much(what, self._name, max(_ALWAYS, machine_memory() // _SHARE))


class Allowance:
    """Limit the bytes that are read for one graph.

    The limit is an eighth of the memory, because the graph also needs memory. For a pipe or device, which may never
    end, it is at most 512 MB. The environment variable `LATTICEMETRIC_MOST_AT_ONCE` sets another limit.
    """

    def __init__(self, name: str, unpacking: Unpacking | None, *, has_end: bool = True) -> None:
        self._name, self._unpacking, self._has_end = name, unpacking, has_end
        self._taken = self._lines = 0
        self._most = _user_limit()
        self._checked_at = self._most or _ALWAYS

    def add(self, size: int, lines: int = 0) -> None:
        """Count bytes and lines that were read."""
        self._taken += size
        self._lines += lines
        if lines and self._unpacking is not None:
            self._unpacking.add(lines=lines)
        if self._taken + _LINE * self._lines <= self._checked_at:
            return
        if self._most is None:
            share = max(_ALWAYS, machine_memory() // _SHARE)
            self._most = share if self._has_end else min(share, _MOST_WITHOUT_END)
        most = self._checked_at = self._most
        if self._taken + _LINE * self._lines > most:
            what = f"more than {shown_size(most)} would be read at once, for one graph or table"
            raise _too_much(what, self._name, most)

    def renew(self) -> None:
        """Reset the counts for the next graph."""
        self._taken = self._lines = 0


def _too_much(what: str, name: str, most: int) -> InputError:
    enough = max(1, 4 * most >> 30)
    return InputError(what, where=name, advice=f"if that is right, set {VARIABLE} to a size, e.g. {enough}G")


def _user_limit() -> int | None:
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    size = parse_size(text)
    if not size:
        raise UsageError(f"'{text}' is not a size like 500M or 20G", where=VARIABLE)
    return size
