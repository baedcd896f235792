"""The identity of a run, for journals and shards: its question, its settings, and the state of its files."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from latticemetric import plugins
from latticemetric.errors import LatticeMetricError, UsageError
from latticemetric.formats.streams.inputs import current
from latticemetric.formats.streams.stream import STANDARD_INPUT, VARIABLE
from latticemetric.metrics.signature import VERSION
from latticemetric.settings import Settings

if TYPE_CHECKING:
    from latticemetric.metrics.wordnet import WordNet

Fingerprint = dict[str, Any]

_USES_WORDNET = "meteor"


def as_text(value: Any) -> str:
    """Return a value as a text that every process makes the same, and that differs for different values.

    `repr` is not such a text: the order of a set differs between processes, and long arrays are abbreviated.
    """
    if (named := _fields_of(value)) is not None:
        return f"{type(value).__name__}({', '.join(f'{name}={as_text(one)}' for name, one in named.items())})"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(as_text, value)))}}}"
    if isinstance(value, list | tuple):
        return f"({', '.join(map(as_text, value))})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{as_text(name)}: {as_text(one)}' for name, one in value.items())}}}"
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return f"{value.dtype}{value.shape}{hashlib.blake2b(value.tobytes()).hexdigest()[:32]}"
    return repr(value)


def _fields_of(value: Any) -> dict[str, Any] | None:
    """Return the fields of settings or of a dataclass by name; `None` for other values."""
    if isinstance(value, Settings):
        return value.asdict()
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in fields(value) if one.repr}
    return None


def fingerprint(question: str | None, settings: Mapping[str, str], files: Iterable[str]) -> Fingerprint:
    """Return the fingerprint of a run as plain values.

    After this call, the run may read only these files; other files raise an error.

    Args:
        question: The name of the question.
        settings: The value of each setting that changes answers, as text.
        files: The files that the run reads.

    Raises:
        UsageError: A file cannot be read twice.
    """
    states = {file: state for file in files if (state := _rereadable_state(file)) is not None}
    if (inputs := current()) is not None:
        inputs.known(states.keys())
    if (wordnet := _wordnet(settings.values())) is not None:
        states |= {file: _state(os.stat(file)) for file in wordnet.files()}  # noqa: PTH116  a plain string
    return {
        "version": VERSION,
        "command": question,
        "parameters": dict(settings),
        "files": states,
        "environment": {VARIABLE: os.environ.get(VARIABLE, "")},
        "plug-ins": {
            f"{kind}: {entry.name}": plugins.origin(entry) for kind in plugins.GROUPS for entry in plugins.entries(kind)
        },
    }


def common_to_shards(
    question: str | None,
    settings: Mapping[str, tuple[str, Iterable[str]]],
    graph_files: Iterable[str],
    named: Iterable[object] = (),
) -> Fingerprint:
    """Return the data that all shards of a run must share.

    File names and times can differ between machines, so they are left out. For each file that a setting names, return a
    digest of its contents. For the graph files, return only their total size: while `ShardRun` reads the graphs, it
    adds a digest of references and graph ids.

    Args:
        question: The name of the question.
        settings: The value of each setting as text, and the names of files in it.
        graph_files: The files of graphs.
        named: Further values, which may name a metric that uses WordNet.

    Fields:
        version (str): The version of latticemetric.
        command (str): The verb.
        options (Mapping): Values of options, as strings; for options that name a file, a digest of its content.
        bytes (int): Total size of the files of graphs.
    """
    options = {}
    for name, (value, files) in settings.items():
        text = value
        for path in filter(os.path.isfile, files):  # skip pipes: they have already been read
            with Path(path).open("rb") as file:
                text = text.replace(path, hashlib.file_digest(file, "blake2b").hexdigest()[:32])
        options[name] = text
    if (wordnet := _wordnet([*(value for value, _ in settings.values()), *map(repr, named)])) is not None:
        options["WordNet"] = wordnet.digest()
    sizes = (
        os.stat(file).st_size  # noqa: PTH116  plain strings
        for file in graph_files
        if file != STANDARD_INPUT and os.path.exists(file)  # noqa: PTH110
    )
    return {"version": VERSION, "command": question, "options": options, "bytes": sum(sizes)}


def _wordnet(values: Iterable[str]) -> WordNet | None:
    """Return the installed WordNet; `None` if it is not installed, or no metric uses it."""
    if not any(_USES_WORDNET in value.lower() for value in values):
        return None
    from latticemetric.metrics.wordnet import wordnet

    try:
        return wordnet()
    except LatticeMetricError:
        return None  # a metric that needs it raises the error


def _rereadable_state(path: str) -> list[int] | None:
    """Return the state of a file that can be read twice; `None` if the file is missing (its reader raises an error)."""
    if path == STANDARD_INPUT:
        raise UsageError("a resumed run cannot read standard input again", advice="name a file")
    try:
        state = os.stat(path)  # noqa: PTH116  a plain string
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(state.st_mode):
        what = "this is not a regular file, and cannot be read again"
        raise UsageError(what, where=path, advice="give a regular file, or leave resume=… out")
    return _state(state)


def _state(state: os.stat_result) -> list[int]:
    return [state.st_size, state.st_mtime_ns]
