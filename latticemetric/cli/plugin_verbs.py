"""Find verbs: those of this package, and those of other packages (plug-ins)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from copy import copy
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from latticemetric import plugins
from latticemetric.cli.verbs import VERBS, About
from latticemetric.errors import UsageError, harmless

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_SECTION = "Verbs of other packages"


def verb_names() -> list[str]:
    """Return the names of all verbs, without importing them."""
    return list(dict.fromkeys([*VERBS, *(entry.name for entry in plugins.entries("verb"))]))


def find_verb(name: str) -> click.Command | None:
    """Return the verb with this name; `None` if there is none.

    Raises:
        UsageError: It is the verb of another package, which is broken.
    """
    if name in VERBS:
        return own_verb(name)
    found = next((entry for entry in plugins.entries("verb") if entry.name == name), None)
    return None if found is None else load_verb(found)


def own_verb(name: str) -> click.Command:
    """Return a verb of this package; without docstrings (python -OO), its help is its line in the list of verbs."""
    command: click.Command = import_module(f"latticemetric.cli.{name}").command
    if command.help is None:
        text = VERBS[name].text
        command.help = f"{text[0].upper()}{text[1:]}."
    return command


def load_verb(entry: EntryPoint) -> click.Command:
    """Import the verb of another package.

    Raises:
        UsageError: The import fails, or imports no verb; or the name has another meaning.
    """
    title = plugins.described("verb", entry)
    if entry.name in VERBS:
        raise UsageError(f"the {title} has the name of a verb of latticemetric", advice="rename it in its package")
    try:
        loaded = plugins.load("verb", entry)
    except (Exception, SystemExit) as error:
        raise UsageError(f"the {title} {plugins.not_loading(error)}", advice="correct or remove it") from error
    if not _is_verb(loaded):
        what = f"the {title} is an object of {type(loaded).__name__}, not a verb"
        raise UsageError(what, advice="make it with latticemetric.verbs.verb")
    command: click.Command = copy(loaded)
    command.name = entry.name
    return command


def _is_verb(loaded: Any) -> bool:
    """Check whether an object is a verb, or a group of verbs."""
    from latticemetric.cli.commands import Verb

    if isinstance(loaded, click.Group):
        return bool(loaded.commands) and all(map(_is_verb, loaded.commands.values()))
    return isinstance(loaded, Verb)


def all_verbs() -> dict[str, About]:
    """Return what the program says of each verb. Verbs of other packages are imported, and say it if they are broken.

    A plug-in with the name of a verb of this package is not in the list, since it is never run.
    """
    return {**VERBS, **{entry.name: _about(entry) for entry in plugins.entries("verb") if entry.name not in VERBS}}


def _about(entry: EntryPoint) -> About:
    try:
        command = load_verb(entry)
    except UsageError as error:
        return About(_SECTION, harmless(f"is broken: {error}"))
    about: About | None = getattr(command, "about", None)
    return about or About(_SECTION, command.get_short_help_str())


def working_verbs() -> dict[str, click.Command]:
    """Return all verbs by name, those of other packages too, except broken ones."""
    return dict(_working())


def _working() -> Iterator[tuple[str, click.Command]]:
    for name in verb_names():
        with contextlib.suppress(UsageError):
            if (command := find_verb(name)) is not None:
                yield name, command
