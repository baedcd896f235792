"""Plug-ins: the metrics, formats and verbs of other packages, which name them in entry points."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

from latticemetric.errors import UsageError, reason_of, shortened

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUPS = {"metric": "latticemetric.metrics", "format": "latticemetric.formats", "verb": "latticemetric.verbs"}
"""The group of entry points of each kind of plug-in."""

_MOST = 2**15  # bytes of a file of entry points that are read; of a longer file, `importlib.metadata` reads the rest


def entries(kind: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of the installed plug-ins of a kind, without importing the plug-ins."""
    if "importlib.metadata" not in sys.modules and not _may_exist(GROUPS[kind], tuple(sys.path)):
        return ()
    from importlib import metadata

    return _entries(metadata.entry_points, GROUPS[kind])


@cache
def _entries(find: Callable[..., Iterable[EntryPoint]], group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group; this reads the metadata of all packages."""
    return tuple(find(group=group))


@cache
def _may_exist(group: str, folders: tuple[str, ...]) -> bool:
    """Check whether a package may have entry points of a group; avoid the slow import of `importlib.metadata`."""
    for folder in folders:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208  plain strings
        except NotADirectoryError:  # an archive
            return True
        except OSError:
            continue
        information = [name for name in names if name.endswith((".dist-info", ".egg-info", ".egg"))]
        if any(name.endswith(".egg") or _names(group, f"{folder or '.'}/{name}") for name in information):
            return True
    return any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder)


def _names(group: str, information: str) -> bool:
    try:
        file = os.open(f"{information}/entry_points.txt", os.O_RDONLY)  # a third of the time of `open`
    except OSError:
        return False
    try:
        data = os.read(file, _MOST)
    finally:
        os.close(file)
    return group.encode() in data or len(data) == _MOST


def load(kind: str, entry: EntryPoint) -> Any:
    """Import a plug-in; warn if it prints, and keep what it prints out of the results.

    Raises:
        UsageError: Another package has a plug-in of this kind and name.
    """
    same = [other for other in entries(kind) if other.name.lower() == entry.name.lower() and other.value != entry.value]
    if same:
        raise UsageError(f"{origin(same[0])} has the same name")
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            return entry.load()
    finally:
        if text := " ".join(printed.getvalue().split()):
            warnings.warn(f"{described(kind, entry)} prints when it is imported: {shortened(text)}", stacklevel=2)


def described(kind: str, entry: EntryPoint) -> str:
    """Return the name of a plug-in for messages: its kind, name, module and package."""
    return f"{kind} plug-in '{entry.name}' ({origin(entry)})"


def origin(entry: EntryPoint) -> str:
    """Return where a plug-in comes from: `module:NAME of package 1.0`."""
    package = getattr(entry, "dist", None)
    return entry.value if package is None else f"{entry.value} of {package.name} {package.version}"


def not_loading(error: BaseException) -> str:
    """Return the end of a message about a plug-in whose import raises an error."""
    reason = reason_of(error)
    said = reason if " " in reason else f"{type(error).__name__}: {reason}"  # a key alone says little
    return f"does not load: {said}"
