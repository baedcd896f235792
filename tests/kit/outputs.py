"""All commands, and the files that each may write."""

from collections.abc import Iterator
from importlib import import_module

import click

from latticemetric.cli.files import (
    ClusterName,
    GrammarName,
    MetricName,
)
from latticemetric.cli.verbs import VERBS


def commands() -> Iterator[tuple[str, click.Command]]:
    for name in VERBS:
        found = import_module(f"latticemetric.cli.{name}").command
        if isinstance(found, click.Group):
            yield from ((f"{name} {each}", one) for each, one in found.commands.items())
        else:
            yield name, found


COMMANDS = dict(commands())


SUFFIXES = {GrammarName: ".far", MetricName: ".fst", ClusterName: ".json"}
