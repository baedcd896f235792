"""Everything is looked for, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from latticemetric.installation import known_oracles, machine, packages, plugins
from latticemetric.installation.checks import Check, Installation, Subject
from latticemetric.installation.trying import examine
from latticemetric.signature import VERSION


def diagnose_installation() -> Installation:
    """What is installed, and whether it works.

    Each thing is tried in a process of its own, so that a library that crashes is a finding. Like all processes that
    fork, this is best asked before threads are started.

    Examples:
        >>> diagnose_installation().works
        True
    """
    return Installation(VERSION, tuple(checks()))


def checks() -> Iterator[Check]:
    """The same one by one, as they are found."""
    return map(examine, _subjects())


def _subjects() -> list[Subject]:
    return [
        *packages.subjects(),
        *machine.data_and_programs(),
        *machine.resources(),
        *plugins.subjects(),
        *known_oracles.subjects(),
    ]
