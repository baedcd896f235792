"""The fingerprint of a run, for journals and shards: its options, and the state of its input files."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from latticemetric import plugins
from latticemetric.cli.files import STANDARD, GraphFiles, NamesFiles, Output, read_files, spelled
from latticemetric.errors import LatticeMetricError, UsageError
from latticemetric.formats.streams.inputs import current
from latticemetric.formats.streams.stream import VARIABLE
from latticemetric.metrics.signature import VERSION

if TYPE_CHECKING:
    from latticemetric.metrics.wordnet import WordNet

# Parameters that change no answer. For example, a user may add --keep-going --failures to resume a run that failed.
_NO_EFFECT = {"workers", "cluster", "resume", "keep_going", "failures", "fractions"}
# Further parameters that may differ between the shards of a run, besides output files.
_OF_SHARDS = {"shard", "timeout", "max_memory"}
_USES_WORDNET = "meteor"


def fingerprint(context: click.Context) -> dict[str, Any]:
    """Return the fingerprint of a command as plain values.

    After this call, the command may read only the files in the fingerprint; other files raise an error.

    Raises:
        UsageError: An input cannot be read twice.
    """
    files = {file: state for _, _, file in read_files(context) if (state := _rereadable_state(file)) is not None}
    if (inputs := current()) is not None:
        inputs.known(files.keys())
    if (wordnet := _wordnet(context)) is not None:
        files |= {file: _state(os.stat(file)) for file in wordnet.files()}  # noqa: PTH116  a plain string
    return {
        "version": VERSION,
        "command": context.command.name,
        "parameters": {
            spelled(parameter): repr(context.params[name])
            for parameter in context.command.params
            if (name := parameter.name or "") in context.params and name not in _NO_EFFECT
        },
        "files": files,
        "environment": {VARIABLE: os.environ.get(VARIABLE, "")},
        "plug-ins": {
            f"{kind}: {entry.name}": plugins.origin(entry) for kind in plugins.GROUPS for entry in plugins.entries(kind)
        },
    }


def common_to_shards(context: click.Context) -> dict[str, Any]:
    """Return the data that all shards of a run must share.

    File names and times can differ between machines, so they are left out. For each file that an option names, return a
    digest of its contents. For the graph files, return only their total size: while `ShardRun` reads the graphs, it
    adds a digest of references and graph ids.
    """
    options = {}
    for parameter in context.command.params:
        name, value = parameter.name or "", context.params.get(parameter.name or "")
        is_own = name in {*_NO_EFFECT, *_OF_SHARDS, "references"} or isinstance(parameter.type, GraphFiles | Output)
        if name in context.params and not is_own:
            # Identify an option by its value; replace each file name by a digest of the file's content.
            text = value if isinstance(value, str) else repr(value)
            names = parameter.type.names(value) if isinstance(parameter.type, NamesFiles) else ()
            for path in filter(os.path.isfile, names):  # skip pipes: they have already been read
                with Path(path).open("rb") as file:
                    text = text.replace(path, hashlib.file_digest(file, "blake2b").hexdigest()[:32])
            options[parameter.opts[0]] = text
    if (wordnet := _wordnet(context)) is not None:
        options["WordNet"] = wordnet.digest()
    graphs = (file for one, _, file in read_files(context) if isinstance(one.type, GraphFiles) and file != STANDARD)
    size = sum(os.stat(file).st_size for file in graphs if os.path.exists(file))  # noqa: PTH110, PTH116  plain strings
    return {"version": VERSION, "command": context.command.name, "options": options, "bytes": size}


def _wordnet(context: click.Context) -> WordNet | None:
    """Return the installed WordNet; `None` if it is not installed, or no metric uses it."""
    if _USES_WORDNET not in repr(list(context.params.values())).lower():
        return None
    from latticemetric.metrics.wordnet import wordnet

    try:
        return wordnet()
    except LatticeMetricError:
        return None  # a metric that needs it raises the error


def _rereadable_state(path: str) -> list[int] | None:
    """Return the state of a file that can be read twice; `None` if the file is missing (its reader raises an error)."""
    if path == STANDARD:
        raise UsageError("a resumed run cannot read standard input again", where="--resume", advice="name a file")
    try:
        state = os.stat(path)  # noqa: PTH116  a plain string
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(state.st_mode):
        what = "this is not a regular file, and cannot be read again"
        raise UsageError(what, where=path, advice="give a regular file, or leave --resume out")
    return _state(state)


def _state(state: os.stat_result) -> list[int]:
    return [state.st_size, state.st_mtime_ns]
