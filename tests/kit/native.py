"""Arguments of the extension's kernels: graphs from their columns, and parameters of rates from their names."""

from typing import Any

from latticemetric import _native

_LATTICE = ("source", "target", "cost", "final_cost", "label", "is_word")
_FOREST = ("head", "tail_begin", "tail", "target_begin", "target", "cost", "words", "goal_cost")
_GAINS = ("order", "unit", "alpha", "beta")


def lattice_first(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with a lattice in place of its columns; likewise with `gains`."""
    return {"lattice": _native.Lattice(**_some(arguments, _LATTICE)), **with_gains(arguments, _LATTICE)}


def forest_first(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with a forest in place of its columns; likewise with `gains`."""
    return {"forest": _native.Forest(**_some(arguments, _FOREST)), **with_gains(arguments, _FOREST)}


def with_gains(arguments: dict[str, Any], without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the arguments with `gains` in place of the parameters of a rate, and without some others."""
    others = {name: value for name, value in arguments.items() if name not in {*without, *_GAINS}}
    return others | {"gains": tuple(arguments[name] for name in _GAINS)}


def _some(arguments: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: arguments[name] for name in names if name in arguments}
