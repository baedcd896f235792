"""Metrics and formats of other packages: which there are, and whether they load."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

from latticemetric.errors import InputError
from latticemetric.installation.checks import Subject


def subjects() -> list[Subject]:
    """One of each, by the name of its entry point."""
    return [
        Subject(
            f"{kind} {entry.name}",
            "plug-ins",
            lambda entry=entry, kind=kind: _loaded(entry, kind),  # type: ignore[misc]
            f"the {kind} '{entry.name}'",
            "ask its package, or remove it",
        )
        for kind in ("metric", "format")
        for entry in entry_points(group=f"latticemetric.{kind}s")
    ]


def _loaded(entry: EntryPoint, kind: str) -> str:
    """Where it comes from, after all plug-ins of its kind were loaded as they always are."""
    own, load = _registry(kind)
    if entry.name in own:
        raise InputError("latticemetric has one of that name itself, which is taken")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        load()
    for warning in said:
        problem = str(warning.message)
        if f"'{entry.name}' ({entry.value})" in problem:
            raise InputError(problem)
    package = f" of {entry.dist.name} {entry.dist.version}" if entry.dist is not None else ""
    return f"{entry.value}{package}"


def _registry(kind: str) -> tuple[frozenset[str], Callable[[], object]]:
    """The names of our own, and what loads those of others."""
    if kind == "metric":
        from latticemetric.metrics.registry import OWN_METRICS, load_plugins

        return OWN_METRICS, load_plugins
    from latticemetric.formats.catalogue import OWN
    from latticemetric.formats.registry import with_plugins

    return frozenset(OWN), with_plugins
