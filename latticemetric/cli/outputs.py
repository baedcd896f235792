"""Files that a command writes: each its own, and none that it reads."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from latticemetric.errors import InputError, UsageError
from latticemetric.formats.files.paths import expand
from latticemetric.formats.registry import find_format, format_for_writing

if TYPE_CHECKING:
    from latticemetric.formats.registry import Graph

_WRITTEN = ("output", "target", "failures", "write_lattices", "plot")
_READ = ("lattices", "graphs", "references", "evidence", "symbols")
_STANDARD = "-"


def check_outputs() -> None:
    """Refuses files that the command at hand would write twice, or write over what it reads.

    What is converted may take the place of what it is converted from.
    """
    params = click.get_current_context().params
    written: dict[str, str] = {}
    for name in _WRITTEN:
        for real in _files(params.get(name)):
            if real in written:
                raise UsageError(f"{written[real]} and {_option(name)} are the same file", where=params[name])
            written[real] = _option(name)
    for name in _READ:
        for real in _files(params.get(name)):
            if written.get(real, _option("target")) != _option("target"):
                raise UsageError(f"{written[real]} would be written over what is read", where=real)


def written_files() -> Iterator[str]:
    """The files that the command at hand writes, wherever links lead."""
    params = click.get_current_context().params
    for name in _WRITTEN:
        yield from _files(params.get(name))


def sparing(graphs: Iterable[tuple[str, Graph]], target: str, to_format: str | None) -> Iterator[tuple[str, Graph]]:
    """Passes graphs on that are to be written; if each gets a file of its own, none may be a file that is read."""
    if not target.endswith("/"):
        yield from graphs
        return
    suffix = (find_format(to_format) if to_format else format_for_writing(target)).suffixes[0]
    params = click.get_current_context().params
    read = {os.path.realpath(file) for name in _READ for file in _expanded(params.get(name))}
    for name, graph in graphs:
        path = f"{target}{name}{suffix}"
        if "\0" not in path and os.path.realpath(path) in read:
            raise UsageError("it would be written over what is read", where=path, advice="name another folder")
        yield name, graph


def _expanded(value: Any) -> Iterator[str]:
    with contextlib.suppress(InputError):
        yield from expand([value] if isinstance(value, str) else value or ())


def _option(name: str) -> str:
    return "TARGET" if name == "target" else f"--{name.replace('_', '-')}"


def _files(value: Any) -> Iterator[str]:
    """The files that a parameter names, wherever links lead; devices may be named twice."""
    from latticemetric.formats.writing import is_replaceable

    for path in [value] if isinstance(value, str) else value or ():
        try:
            if path and path != _STANDARD and is_replaceable(path):
                yield os.path.realpath(path)
        except (OSError, ValueError):
            continue  # whoever opens it says what is wrong
