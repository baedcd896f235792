"""`latticemetric doctor`: what is installed, what is missing, and what that means."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from latticemetric.cli import options
from latticemetric.cli.help_page import verb

if TYPE_CHECKING:
    from latticemetric.doctor import Check, Installation

_EPILOG = """\b
Examples:
  latticemetric doctor
  latticemetric doctor --format json | jq '.checks[] | select(.state != "ok")'
"""


@verb("doctor", epilog=_EPILOG)
@options.output_format("text", "json")
def command(*, output_format: str) -> None:
    """What is installed and works, what is missing, what does not work without it, and how to get it.

    Exit status: 0 if all that is required works, else 1.
    """
    from latticemetric.doctor import diagnose_installation

    found = diagnose_installation()
    lines = [json.dumps(found.asdict(), ensure_ascii=False, indent=2)] if output_format == "json" else _text(found)
    for line in lines:
        # UTF-8 like all results, whatever the terminal says of itself: that is one of the findings.
        click.echo(line.encode("utf-8", "backslashreplace"))
    if not found.works:
        sys.exit(1)


def _text(installation: Installation) -> Iterator[str]:
    from latticemetric.cli.display import table
    from latticemetric.errors import harmless

    rows = [[check.name, check.state, check.found or ""] for check in installation.checks]
    lines = table([[harmless(cell) for cell in row] for row in rows], left=(0, 1, 2))
    yield f"latticemetric {installation.version}"
    group = None
    for check, line in zip(installation.checks, lines, strict=True):
        if check.group != group:
            group = check.group
            yield ""
        yield line
    for check in installation.checks:
        if check.state != "ok":
            yield ""
            yield from map(harmless, _explained(check))


def _explained(check: Check) -> Iterator[str]:
    need = ", and required" if check.required else ""
    yield f"{check.name} is {check.state}{need}: {check.problem}"
    if check.needed_for:
        yield f"  does not work:  {check.needed_for}"
    if check.advice:
        yield f"  to get it:      {check.advice}"
