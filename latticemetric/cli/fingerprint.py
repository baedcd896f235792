"""What tells one run of a command from another: its options, and the files they name."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from latticemetric.errors import InputError, UsageError
from latticemetric.formats.files.paths import expand
from latticemetric.signature import VERSION

# What changes nothing in answers: a run that a failure ended goes on with --keep-going.
_NO_MATTER = {"workers", "cluster", "resume", "keep_going"}
# What shards of one run may have of their own: where they write, and how they deal with what fails.
_OF_SHARDS = {"shard", "output", "failures", "write_lattices", "plot", "timeout", "max_memory"}
_GRAPHS = {"lattices", "graphs", "evidence"}
_GRAPHS_AND_TEXTS = {*_GRAPHS, "references", "symbols", "gold", "predicted"}
_WORD_LISTS = {"ignore", "wildcard"}
_SCRIPTS = (".scp",)


def fingerprint(context: click.Context) -> dict[str, Any]:
    """Of the command that runs: plain values, for JSON."""
    told = {name: value for name, value in context.params.items() if name not in _NO_MATTER}
    named = [path for name, value in told.items() for path in _named(name, value)]
    if "-" in named:
        raise UsageError("standard input cannot be read again", where="--resume", advice="name a file")
    files = {file: _state(file) for path in named for file in _files(path)}
    parameters = {f"--{name.replace('_', '-')}": repr(value) for name, value in told.items()}
    return {"version": VERSION, "command": context.command.name, "parameters": parameters, "files": files}


def common_to_shards(context: click.Context) -> dict[str, Any]:
    """What all shards of a run have in common; files by their content, for jobs run on several machines.

    References, and the ids of graphs, are digested where they are read. Of graphs, the sizes of files must do.
    """
    told, size = {}, 0
    spelled = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    for name, value in context.params.items():
        if name in _GRAPHS:
            paths = [path for path in _named(name, value) if path != "-"]
            size += sum(_state(file)[0] for path in paths for file in _files(path))
        elif name not in {*_NO_MATTER, *_OF_SHARDS, "references"}:
            told[spelled[name]] = _by_content(name, value)
    return {"version": VERSION, "command": context.command.name, "options": told, "bytes": size}


def _by_content(name: str, value: Any) -> str:
    """An option's value; what stands in a file it names, instead of the file."""
    told = value if isinstance(value, str) else repr(value)
    for path in filter(os.path.isfile, _named(name, value)):  # a pipe has been read
        with Path(path).open("rb") as file:
            told = told.replace(path, hashlib.file_digest(file, "blake2b").hexdigest()[:32])
    return told


def _named(name: str, value: Any) -> Iterator[str]:
    """The files that an option names."""
    if name in _GRAPHS_AND_TEXTS:
        yield from [value] if isinstance(value, str) else value or ()
    elif isinstance(value, str):
        if name in _WORD_LISTS and value.startswith("@"):
            yield value[1:]
        elif name == "metric" and value.endswith(".fst"):
            yield value
        elif name == "normalize" and ":" in value:
            yield value.rpartition(":")[0]


def _files(path: str) -> Iterator[str]:
    """What a path stands for; nothing where there is nothing: that will be said where it is read."""
    with contextlib.suppress(InputError, OSError, ValueError):
        for file in expand([path], lambda _: False):
            yield file
            yield from _listed(file)


def _listed(path: str) -> Iterator[str]:
    """The archives of a Kaldi script: the file that is read is not the one that is named."""
    if not path.endswith(_SCRIPTS):
        return
    targets: dict[str, None] = {}
    with Path(path).open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            target = (line.split(maxsplit=1)[1:] or [""])[0].strip()
            name, _, offset = target.rpartition(":")
            targets[name if offset.isdecimal() else target] = None
    for target in targets:
        for file in (target, str(Path(path).parent / target)):
            if target and Path(file).is_file():
                yield file


def _state(path: str) -> list[int]:
    state = os.stat(path)  # noqa: PTH116  a plain string
    return [state.st_size, state.st_mtime_ns]
