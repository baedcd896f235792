"""Refuse to read standard input twice, to write one file as two outputs, or to overwrite an input by mistake."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from latticemetric.cli.files import (
    STANDARD,
    ConvertedGraphs,
    NamesFiles,
    Output,
    named_files,
    read_files,
    spelled,
    written_files,
)
from latticemetric.errors import UsageError
from latticemetric.formats.streams.inputs import Inputs, identity, watched

Written = list[tuple[click.Parameter, str]]

# With these options, an output may lack graphs of its input, so it must not replace the input.
_PARTIAL = ("shard", "keep_going", "resume")


@contextlib.contextmanager
def guarded(context: click.Context) -> Iterator[None]:
    """Refuse an output file that is also an input or another output; inside the block, also check files opened later.

    Raises:
        UsageError: Two outputs are the same file, an output would overwrite an input, or two inputs are standard input.
    """
    _check_standard_input(context)
    written, redirected = list(written_files(context)), _is_redirected(context)
    inputs = Inputs()
    if not (written or redirected):
        with watched(inputs):
            yield
        return
    from latticemetric.formats.streams.output import check_writable

    _check_distinct(written)
    _check_not_among_inputs(context, written)
    if redirected or any(_exists(path) for _, path in written):
        for _, _, file in read_files(context):
            if file != STANDARD:
                inputs.add(file)
        with contextlib.suppress(AttributeError, OSError, ValueError):  # some commands read it by default
            inputs.add_open(sys.stdin.fileno(), "standard input")
    for parameter, path in written:
        if _may_replace_input(context, parameter, path):
            inputs.may_replace(path)
        elif (read := inputs.clash(path)) is not None:
            also = "" if read == path else f" ({read})"
            what = f"{spelled(parameter)} would overwrite an input{also}"
            raise UsageError(what, where=path, advice="name another output")
    if redirected and (read := inputs.clash(sys.stdout.fileno())) is not None:
        what = "standard output would overwrite an input"
        raise UsageError(what, where=read, advice="name another output")
    with watched(inputs):
        for _, path in written:
            check_writable(path)
        yield


def _check_standard_input(context: click.Context) -> None:
    if sum(name == STANDARD for _, name in named_files(context)) > 1:
        raise UsageError("standard input can be read only once", where=STANDARD, advice="name files")


def _is_redirected(context: click.Context) -> bool:
    """Check whether the shell redirects results to a regular file, by `>` or `>>`."""
    outputs = (one.name or "" for one in context.command.params if isinstance(one.type, Output))
    if all(context.params.get(name) != STANDARD for name in outputs):
        return False
    try:
        return identity(sys.stdout.fileno()) is not None
    except (AttributeError, OSError, ValueError):  # closed, or not a file
        return False


def _exists(path: str) -> bool:
    """Check whether a file or folder of this name exists."""
    return identity(path) is not None or (path.endswith("/") and Path(path).is_dir())


def _check_distinct(written: Written) -> None:
    """Refuse two outputs with the same file, except devices."""
    from latticemetric.formats.streams.output import is_replaceable

    taken: dict[str, str] = {}
    for parameter, path in written:
        try:
            if not is_replaceable(path):
                continue
            real = os.path.realpath(path)
        except (OSError, ValueError):
            continue  # opening the file raises a clear error
        if real in taken:
            raise UsageError(
                f"{taken[real]} and {spelled(parameter)} are the same file", where=path, advice="name two files"
            )
        taken[real] = spelled(parameter)


def _check_not_among_inputs(context: click.Context, written: Written) -> None:
    """Refuse a new file in an input folder or glob, since this run or the next run would read the file."""
    from latticemetric.formats.streams.paths import would_mean

    folders = [name for parameter, name in named_files(context) if _means_many(parameter)]
    for parameter, path in written:
        if not path.endswith("/") and not _exists(path) and any(would_mean(name, path) for name in folders):
            what = f"{spelled(parameter)} would be a new file among the inputs"
            raise UsageError(what, where=path, advice="write to another folder")


def _may_replace_input(context: click.Context, parameter: click.Parameter, path: str) -> bool:
    """Check whether the output may replace the input: both are the same file, and the run writes all its graphs."""
    if not isinstance(parameter.type, ConvertedGraphs) or any(map(context.params.get, _PARTIAL)):
        return False
    mine = identity(path)
    if mine is None or path != context.params.get(parameter.name or ""):
        return False  # a new file, or a file that is written beside the target
    alike = [(reading, name, file) for reading, name, file in read_files(context) if identity(file) == mine]
    return bool(alike) and all(file == name and _means_many(reading) for reading, name, file in alike)


def _means_many(parameter: click.Parameter) -> bool:
    return isinstance(parameter.type, NamesFiles) and parameter.type.many
