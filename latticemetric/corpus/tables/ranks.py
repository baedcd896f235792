"""Ranks of metrics, as `latticemetric correlate --ranks` writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.tables.cells import aligned, shown
from latticemetric.errors import harmless

if TYPE_CHECKING:
    from latticemetric.evaluation.metric_tests import RankTable


def rank_lines(found: RankTable) -> Iterator[str]:
    """Yield the table of ranks: a row per metric with its value and rank on each task, sorted by mean rank."""
    yield f"Ranks of metrics: a new rank begins where p ≤ {found.significance:g}"
    rows = [["", "rank", *(cell for name in found.tasks for cell in (name, ""))]]
    for metric, rank in found.average_rank.items():
        cells = []
        for task in found.tasks.values():
            cells += [shown(task.values[metric]), str(task.ranks[metric])]
        rows.append([harmless(metric), f"{rank:.2f}", *cells])
    yield from aligned(rows)


def rank_rows(found: RankTable) -> Iterator[list[Any]]:
    """Yield the TSV rows of the ranks."""
    for name, task in found.tasks.items():
        for metric, value in task.values.items():
            yield ["ranks", metric, "", name, value, None, None, None, None, None if value is not None else "undefined"]
            yield ["ranks", metric, "", f"{name} rank", task.ranks[metric], None, None, None, None, None]
    for metric, rank in found.average_rank.items():
        yield ["ranks", metric, "", "average rank", rank, None, None, None, None, None]
