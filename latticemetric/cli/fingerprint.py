"""The fingerprint of a run: its options, and the sizes and times of all that it reads."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli.files import STANDARD, GraphFiles, NamesFiles, Output, read_files
from latticemetric.errors import LatticeMetricError, UsageError
from latticemetric.formats.streams.allowance import VARIABLE
from latticemetric.formats.streams.inputs import current
from latticemetric.signature import VERSION

if TYPE_CHECKING:
    from latticemetric.metrics.wordnet import WordNet

# What changes nothing in answers: a run that a failure ended goes on with --keep-going.
_NO_MATTER = {"workers", "cluster", "resume", "keep_going"}
# What shards of one run may have of their own, beside where they write: how they deal with what fails.
_OF_SHARDS = {"shard", "timeout", "max_memory"}
_USES_WORDNET = "meteor"


def fingerprint(context: click.Context) -> dict[str, Any]:
    """Of the command that runs: plain values, for JSON. From now on, it may read nothing else.

    Raises:
        UsageError: It reads what cannot be read again.
    """
    told = {name: value for name, value in context.params.items() if name not in _NO_MATTER}
    files = {file: state for _, _, file in read_files(context) if (state := _state_again(file)) is not None}
    if (inputs := current()) is not None:
        inputs.known(files.keys())
    found = _wordnet(context)
    parameters = {f"--{name.replace('_', '-')}": repr(value) for name, value in told.items()}
    return {
        "version": VERSION,
        "command": context.command.name,
        "parameters": parameters,
        "files": files | {file: _state(file) for file in (found.files() if found is not None else ())},
        "environment": {VARIABLE: os.environ.get(VARIABLE, "")},
        "plug-ins": dict(_plugins()),
    }


def common_to_shards(context: click.Context) -> dict[str, Any]:
    """What all shards of a run have in common; files by their content, for jobs run on several machines.

    References, and the ids of graphs, are digested where they are read. Of graphs, the sizes of files must do.
    """
    told = {}
    for parameter in context.command.params:
        name, value = parameter.name or "", context.params.get(parameter.name or "")
        of_shard = name in {*_NO_MATTER, *_OF_SHARDS, "references"} or isinstance(parameter.type, GraphFiles | Output)
        if name in context.params and not of_shard:
            told[parameter.opts[0]] = _by_content(parameter, value)
    if (found := _wordnet(context)) is not None:
        told["WordNet"] = found.digest()
    graphs = (file for one, _, file in read_files(context) if isinstance(one.type, GraphFiles) and file != STANDARD)
    size = sum(_state(file)[0] for file in graphs if os.path.exists(file))  # noqa: PTH110  a plain string
    return {"version": VERSION, "command": context.command.name, "options": told, "bytes": size}


def _by_content(parameter: click.Parameter, value: Any) -> str:
    """An option's value; what stands in a file it names, instead of the file."""
    told = value if isinstance(value, str) else repr(value)
    names = parameter.type.names(value) if isinstance(parameter.type, NamesFiles) else ()
    for path in filter(os.path.isfile, names):  # a pipe has been read
        with Path(path).open("rb") as file:
            told = told.replace(path, hashlib.file_digest(file, "blake2b").hexdigest()[:32])
    return told


def _wordnet(context: click.Context) -> WordNet | None:
    """WordNet, if a metric may use it and it is there."""
    if _USES_WORDNET not in repr(list(context.params.values())).lower():
        return None
    from latticemetric.metrics.wordnet import wordnet

    try:
        return wordnet()
    except LatticeMetricError:
        return None  # if it is needed, that is said where it is


def _plugins() -> Iterator[tuple[str, str]]:
    """Metrics and formats of other packages, and in which version."""
    from importlib.metadata import entry_points

    for group in ("latticemetric.metrics", "latticemetric.formats"):
        for entry in entry_points(group=group):
            yield f"{group}: {entry.name}", f"{entry.value} {entry.dist.version if entry.dist else ''}"


def _state_again(path: str) -> list[int] | None:
    """The state of what can be read again; nothing where there is nothing: that will be said where it is read."""
    if path == STANDARD:
        raise UsageError("standard input cannot be read again", where="--resume", advice="name a file")
    try:
        state = os.stat(path)  # noqa: PTH116  a plain string
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(state.st_mode):
        raise UsageError("this is no plain file, and cannot be read again", where=path, advice="leave --resume out")
    return [state.st_size, state.st_mtime_ns]


def _state(path: str) -> list[int]:
    state = os.stat(path)  # noqa: PTH116  a plain string
    return [state.st_size, state.st_mtime_ns]
