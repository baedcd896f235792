"""The table of all options of the commands, with the Python parameters of the same name; made from the code."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

import click

import latticemetric
from latticemetric.cli.verbs import VERBS

# Options whose Python parameter has another name, and why there are two.
PYTHON_NAMES = {
    "--from": "format",  # one side at a time is read or written
    "--to": "format",
    "--nbest": "n",  # --nbest N, as a list of several options
    "--parameter": "parameters",
}
# Names that must not come back: the one name of each idea.
ONE_NAME = {
    "beam": {"prune", "pruning", "prune_beam", "threshold"},
    "style": {"keyed_references", "reference_style", "references_style"},
    "posterior_scale": {"scale", "temperature", "lmscale", "amscale"},
    "weights": {"scales", "score_scales", "column_scales"},
    "confidence": {"confidence_level", "level_of_confidence"},
    "metric": {"measure", "loss_metric"},
    "references": {"refs", "gold_references"},
    "workers": {"jobs", "processes", "threads", "num_workers"},
    "symbols": {"words_file", "symbol_table", "word_table"},
    "resamples": {"bootstrap_samples", "num_samples", "n_resamples"},
}


class Named(NamedTuple):
    """An option: its names, the field that it sets, the commands that have it, its Python parameter, its help."""

    names: tuple[str, ...]
    field: str
    verbs: tuple[str, ...]
    python: tuple[str, ...]
    text: str

    @property
    def long(self) -> str:
        """The long name, or the first one."""
        return next((name for name in self.names if name.startswith("--")), self.names[0])


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its name, commands of `grammar` included."""
    for verb in VERBS:
        command = import_module(f"latticemetric.cli.{verb}").command
        if isinstance(command, click.Group):
            yield from ((f"{verb} {name}", one) for name, one in command.commands.items())
        else:
            yield verb, command


def parameters() -> dict[str, list[str]]:
    """Return the public functions and methods of graphs that have each parameter."""
    functions: dict[str, Any] = {}
    for name in latticemetric.__all__:
        value = getattr(latticemetric, name)
        if inspect.isfunction(value):
            functions[name] = value
    for kind in (latticemetric.Lattice, latticemetric.Forest, latticemetric.NBest):
        methods = inspect.getmembers(kind, lambda one: inspect.isfunction(one) or inspect.ismethod(one))
        functions |= {f"{kind.__name__}.{name}": one for name, one in methods if not name.startswith("_")}
    found: dict[str, list[str]] = {}
    for name, function in functions.items():
        for parameter in inspect.signature(function).parameters:
            if parameter != "self":
                found.setdefault(parameter, []).append(name)
    return found


def options() -> list[Named]:
    """Return every option of every command, by its long name."""
    known = parameters()
    rows: dict[tuple[tuple[str, ...], str], tuple[list[str], str]] = {}
    for verb, command in commands():
        for one in command.params:
            if isinstance(one, click.Option) and one.name is not None:
                names = tuple(sorted(one.opts, key=len, reverse=True))
                rows.setdefault((names, one.name), ([], one.help or ""))[0].append(verb)
    named = []
    for (names, field), (verbs, text) in rows.items():
        long = next((name for name in names if name.startswith("--")), names[0])
        python = PYTHON_NAMES.get(long, field if field in known else long.lstrip("-").replace("-", "_"))
        named.append(Named(names, field, tuple(verbs), (python,) if python in known else (), text))
    return sorted(named, key=lambda one: one.long.lower())


_MANY = 6


def page() -> str:
    """Return the page of the table, in Markdown."""
    rows = ["| Option | In Python | Commands | |", "|---|---|---|---|"]
    for one in options():
        names = ", ".join(f"`{name}`" for name in one.names)
        python = ", ".join(f"`{name}`" for name in one.python)
        verbs = ", ".join(one.verbs) if len(one.verbs) <= _MANY else f"{len(one.verbs)} commands"
        text = one.text.replace("|", "\\|").replace("<", "&lt;")
        rows.append(f"| {names} | {python} | {verbs} | {text} |")
    intro = (
        "Every option of every command, with the parameter of Python's functions that means the same. One idea has one "
        "name; where the two worlds differ, this table says so."
    )
    return "\n".join(["# All options", "", intro, "", *rows, ""])
