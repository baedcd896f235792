"""All commands, the files that each may write, and runs of each that work."""

import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click

from kit.commands import good, run
from kit.paths import EXAMPLES
from latticemetric.cli.files import (
    ClusterName,
    GrammarName,
    MetricName,
)
from latticemetric.cli.verbs import VERBS

SHARDED = ("meeting.lat.txt", "meeting.ref.txt")


def commands() -> Iterator[tuple[str, click.Command]]:
    for name in VERBS:
        found = import_module(f"latticemetric.cli.{name}").command
        if isinstance(found, click.Group):
            yield from ((f"{name} {each}", one) for each, one in found.commands.items())
        else:
            yield name, found


COMMANDS = dict(commands())
RUNS = [[verb, *example.split()] for verb, about in VERBS.items() for example in about.examples]


def command_of(words: list[str]) -> str:
    """The command of a run, as `COMMANDS` calls it."""
    return " ".join(words[: 1 if words[0] in COMMANDS else 2])


def write_examples(folder: Path) -> None:
    """Copy the bundled examples into a folder, and write the results of shards, which some runs read."""
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
    for number in (1, 2):
        shard = ("--shard", f"{number}/2", "--format", "json", "--output", f"meeting.{number}.json")
        good(run("latticemetric", "oracle", *SHARDED, *shard, cwd=folder))


SUFFIXES = {GrammarName: ".far", MetricName: ".fst", ClusterName: ".json"}
