"""Engines by name."""

from __future__ import annotations

from collections.abc import Callable

from latticemetric.engine.search import ForestSearch, Found, FoundDerivation, Search
from latticemetric.errors import UsageError

Engine = Callable[[Search], Found]
ForestEngine = Callable[[ForestSearch], FoundDerivation]


def find_engine(name: str) -> Engine:
    """Return the engine of a name for lattices; `auto` takes the fastest."""
    if name in {"auto", "native"}:
        from latticemetric.engine.native import best_path

        return best_path
    if name == "openfst":
        from latticemetric.engine.openfst import best_path as composed_best_path

        return composed_best_path
    raise _unknown(name)


def find_forest_engine(name: str) -> ForestEngine:
    """Return the engine of a name for forests; `auto` takes the fastest."""
    if name in {"auto", "native"}:
        from latticemetric.engine.native import best_derivation

        return best_derivation
    if name == "openfst":
        from latticemetric.engine.openfst import best_derivation as composed_best_derivation

        return composed_best_derivation
    raise _unknown(name)


def _unknown(name: str) -> UsageError:
    return UsageError(f"there is no engine '{name}'", advice="choose auto, native or openfst")
