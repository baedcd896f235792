"""Graphs that are written only when all of them are known; if there are many, they are kept on disk."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator

from latticemetric.formats.streams.output import temporary_files
from latticemetric.graph import Graph
from latticemetric.parallel.plain import PlainData

_MOST_IN_MEMORY = 2**24


class KeptGraphs:
    """Names and graphs in the order of `add`; iteration reads one at a time."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_MOST_IN_MEMORY)  # noqa: SIM115  closed with what keeps it
        self._plain = PlainData()
        self._count = 0

    def add(self, name: str, graph: Graph) -> None:
        """Add a graph."""
        with temporary_files():
            self._file.write(self._plain.dumps((name, graph)) + b"\n")
        self._count += 1

    def __del__(self) -> None:
        with contextlib.suppress(OSError):  # `add` raised it before
            self._file.close()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[tuple[str, Graph]]:
        with temporary_files():
            self._file.seek(0)
        plain = PlainData()
        for _ in range(self._count):
            yield plain.loads(self._file.readline())
