"""What `latticemetric mbr` asks of each graph: by n-grams, by word errors, or by a metric; items, and a lattice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.graph import Graph
    from latticemetric.lattice.lattice import Lattice

Asked = tuple[list[dict[str, Any]], "Lattice | None"]
"""Results of a graph, and the lattice that is to be written, if any."""

GRID = ("scale", "p", "r", "T", "word_penalty")


def asking(
    method: str,
    grid: dict[str, Any],
    of_metrics: dict[str, Any],
    *,
    write_lattices: str | None,
    gains_only: bool,
    **both: Any,
) -> Callable[..., Asked]:
    """The question, for each graph and its evidence if there is any.

    Args:
        method: `ngram`, `wer` or a metric.
        grid: Parameters of n-gram MBR, of which each has several values; and the order.
        of_metrics: How a metric is made, and strings drawn.
        write_lattices: Where lattices are written.
        gains_only: Whether these are without the model's scores.
        **both: What all methods know.
    """
    if gains_only and not write_lattices:
        raise UsageError("--gains-only means nothing without --write-lattices", advice="leave it out")
    if method == "ngram" and not write_lattices:
        return partial(_by_ngrams, **both, **grid)
    _require_one_setting(grid, "--write-lattices writes" if method == "ngram" else f"the method {method} takes")
    if method == "ngram":
        single = {name: value[0] if name in GRID else value for name, value in grid.items()}
        return partial(_with_lattice, **both, single=single, gains_only=gains_only)
    both["scale"] = grid["scale"][0]
    if method == "wer":
        return partial(_by_strings, method="wer", **both)
    return partial(_by_strings, **both, **_with_metric(method, **of_metrics))


def _require_one_setting(grid: dict[str, Any], what: str) -> None:
    if any(len(grid[name]) > 1 for name in GRID):
        raise UsageError(f"{what} one setting, and there are several", advice="give one number of each")


def _with_metric(method: str, *, samples: int | None, seed: int, **parameters: str | None) -> dict[str, Any]:
    from latticemetric.mbr_decoding.mbr import mbr_metric

    given = {name: value for name, value in parameters.items() if value is not None}
    return {"method": mbr_metric(method, **given), "samples": samples, "seed": seed}


def _by_ngrams(graph: Graph, evidence: Graph | None = None, **parameters: Any) -> Asked:
    from latticemetric.mbr_decoding.mbr import mbr_grid

    return [found.asdict() for found in mbr_grid(graph, evidence=evidence, **parameters)], None


def _with_lattice(graph: Graph, evidence: Graph | None = None, *, single: dict[str, Any], **chosen: Any) -> Asked:
    from latticemetric.mbr_decoding.lattice import mbr_with_lattice
    from latticemetric.mbr_decoding.ngram_gain import GainParameters

    found, lattice = mbr_with_lattice(graph, GainParameters(**single), evidence=evidence, **chosen)
    return [found.asdict()], lattice


def _by_strings(graph: Graph, evidence: Graph | None = None, **parameters: Any) -> Asked:
    from latticemetric.mbr_decoding.mbr import mbr

    return [mbr(graph, evidence=evidence, **parameters).asdict()], None
