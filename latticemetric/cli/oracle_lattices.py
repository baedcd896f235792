"""Lattices of all oracles, written when all of them are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from latticemetric.batch.kept_graphs import KeptGraphs
from latticemetric.errors import UsageError
from latticemetric.formats.columns import summed, without_labels
from latticemetric.formats.registry import find_format, format_for_writing
from latticemetric.formats.streams.output import STANDARD_OUTPUT
from latticemetric.formats.writing import write

if TYPE_CHECKING:
    from latticemetric.batch.outcomes import Outcome
    from latticemetric.graph import Graph


class LatticeFile:
    """The file of `--write-lattices`, if there is to be one.

    Args:
        path: Where it is.
        to_format: Its format, where the suffix does not tell.
        summed_by: Scales under which scores are summed to one, if they are to be.
        drop_labels: Whether texts of arcs are left out.
    """

    def __init__(
        self, path: str | None, to_format: str | None, *, summed_by: dict[str, float] | None, drop_labels: bool
    ) -> None:
        if path == STANDARD_OUTPUT:
            raise UsageError("results go to standard output", where="--write-lattices", advice="name a file")
        if path is not None:
            # What cannot be written is better known before the search.
            chosen = find_format(to_format) if to_format else format_for_writing(path)
            if not chosen.can_be_written:
                raise UsageError(f"{chosen.name} can only be read", where="--to")
        else:
            given = {"--to": to_format, "--sum-scores": summed_by is not None, "--drop-labels": drop_labels}
            if useless := [name for name, value in given.items() if value]:
                raise UsageError("no lattices are written", where=useless[0], advice="name a file: --write-lattices")
        self._path, self._format = path, to_format
        self._summed_by, self._drop_labels = summed_by, drop_labels
        self._graphs = KeptGraphs()

    def kept(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Passes outcomes on, and keeps their graphs."""
        for outcome in outcomes:
            if self._path is not None and outcome.margins is not None and outcome.margins.graph is not None:
                self._graphs.add(outcome.name, self._trimmed(outcome.margins.graph))
            yield outcome

    def _trimmed(self, graph: Graph) -> Graph:
        if self._summed_by is not None:
            graph = summed(graph, self._summed_by)
        return without_labels(graph) if self._drop_labels else graph

    def write(self) -> None:
        """Writes what was kept."""
        if self._path is not None and self._graphs:
            write(self._path, self._graphs, format=self._format)
