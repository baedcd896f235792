"""How much of a file may be read before a graph comes of it: a few bytes must not fill the memory."""

from __future__ import annotations

import os
from collections.abc import Callable

from latticemetric.errors import InputError, UsageError
from latticemetric.memory import machine_memory, parse_size, shown_size

VARIABLE = "LATTICEMETRIC_MOST_AT_ONCE"

_ALWAYS = 2**26
# No lattice, list or text packs so well; what does is made to fill memories.
_MOST_UNPACKED = 250
_SHARE = 8
# What a line takes in memory, beside its text.
_LINE = 100


class Allowance:
    """Counts what is read, and refuses more than a graph may be.

    An eighth of the memory is allowed, as the graph is to be built of it; of a compressed file, 250 times of what was
    read of it, at least 64 MB. Whoever knows better sets an environment variable.
    """

    def __init__(self, name: str, packed: Callable[[], int] | None) -> None:
        self._name, self._packed = name, packed
        self._taken = self._lines = 0
        self._chosen = self._most = _chosen()
        self._unasked = self._chosen or _ALWAYS

    def add(self, size: int, lines: int = 0) -> None:
        """So many bytes and lines more have been read."""
        self._taken += size
        self._lines += lines
        if self._taken + _LINE * self._lines > self._unasked:
            self._examine()

    def renew(self) -> None:
        """A graph came of what was read: what follows is another one's."""
        self._taken = self._lines = 0

    def _examine(self) -> None:
        most = self._most = self._most or max(_ALWAYS, machine_memory() // _SHARE)
        if self._taken + _LINE * self._lines > most:
            raise self._refused(f"more than {shown_size(most)} would be read at once, for one graph or table", most)
        packed = 0 if self._packed is None or self._chosen else self._packed()
        if packed and self._taken > max(_ALWAYS, _MOST_UNPACKED * packed):
            sizes = f"{shown_size(packed)} of the compressed file become {shown_size(self._taken)}"
            raise self._refused(f"{sizes} of one graph or table, and more", most)

    def _refused(self, what: str, most: int) -> InputError:
        enough = max(1, 4 * most >> 30)
        return InputError(what, where=self._name, advice=f"if that is right, set {VARIABLE} to a size, e.g. {enough}G")


def _chosen() -> int | None:
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    size = parse_size(text)
    if not size:
        raise UsageError(f"'{text}' is no size like 500M or 20G", where=VARIABLE)
    return size
