"""Find engines by name."""

from __future__ import annotations

from collections.abc import Callable

from latticemetric.engine.search import BestDerivation, BestPath, ForestSearch, Search
from latticemetric.errors import UsageError

Engine = Callable[[Search], BestPath]
ForestEngine = Callable[[ForestSearch], BestDerivation]


def find_engine(name: str) -> Engine:
    """Return the engine for lattices with this name; `auto` is the fastest one."""
    if _is_native(name):
        from latticemetric.engine import native

        return native.search_lattice
    from latticemetric.engine import openfst

    return openfst.search_lattice


def find_forest_engine(name: str) -> ForestEngine:
    """Return the engine for forests with this name; `auto` is the fastest one."""
    if _is_native(name):
        from latticemetric.engine import native

        return native.search_forest
    from latticemetric.engine import openfst

    return openfst.search_forest


def _is_native(name: str) -> bool:
    if name not in {"auto", "native", "openfst"}:
        raise UsageError(f"there is no engine '{name}'", advice="choose auto, native or openfst")
    return name != "openfst"
