"""The fingerprint of a command: its options, and the state of its input files."""

from __future__ import annotations

from typing import Any

import click

from latticemetric.cli.files import GraphFiles, NamesFiles, Output, read_files, spelled
from latticemetric.corpus import fingerprint as runs

# Parameters that change no answer. For example, a user may add --keep-going --failures to resume a run that failed.
_NO_EFFECT = {"workers", "cluster", "resume", "keep_going", "failures", "fractions"}
# Further parameters that may differ between the shards of a run, besides output files.
_OF_SHARDS = {"shard", "timeout", "max_memory"}


def fingerprint(context: click.Context) -> dict[str, Any]:
    """Return the fingerprint of a command as plain values; see `corpus.fingerprint`.

    Raises:
        UsageError: An input cannot be read twice.
    """
    parameters = {
        spelled(parameter): repr(context.params[name])
        for parameter in context.command.params
        if (name := parameter.name or "") in context.params and name not in _NO_EFFECT
    }
    return runs.fingerprint(context.command.name, parameters, (file for _, _, file in read_files(context)))


def common_to_shards(context: click.Context) -> dict[str, Any]:
    """Return the data that all shards of a run must share; see `corpus.fingerprint`."""
    options = {}
    for parameter in context.command.params:
        name, value = parameter.name or "", context.params.get(parameter.name or "")
        is_own = name in {*_NO_EFFECT, *_OF_SHARDS, "references"} or isinstance(parameter.type, GraphFiles | Output)
        if name in context.params and not is_own:
            # Identify an option by its value; the content of each file takes the place of its name.
            text = value if isinstance(value, str) else repr(value)
            names = parameter.type.names(value) if isinstance(parameter.type, NamesFiles) else ()
            options[parameter.opts[0]] = text, tuple(names)
    graphs = (file for one, _, file in read_files(context) if isinstance(one.type, GraphFiles))
    return runs.common_to_shards(context.command.name, options, graphs, context.params.values())
