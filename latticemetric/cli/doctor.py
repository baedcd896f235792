"""`latticemetric doctor`: check the installation; show what is missing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from latticemetric.cli.commands import Options, choice, verb
from latticemetric.corpus.tables.cells import aligned
from latticemetric.errors import harmless

if TYPE_CHECKING:
    from latticemetric.doctor import Installation

_EPILOG = """\b
Examples:
  latticemetric doctor
  latticemetric doctor --format json | jq '.checks[] | select(.state != "ok")'
"""


class _FormatOptions(Options):
    output_format: str = choice("--format", ["text", "json"], "Output format.")


@verb("doctor", epilog=_EPILOG)
def command(*, output: _FormatOptions) -> None:
    """Check the installation. Show what is missing, what it is needed for, and how to install it.

    Exit status: 0 if everything required works, else 1.
    """
    from latticemetric.cli.plugin_verbs import load_verb
    from latticemetric.doctor import diagnose_installation, plugin_subjects

    installation = diagnose_installation(plugin_subjects("verb", lambda _, entry: load_verb(entry)))
    is_json = output.output_format == "json"
    document = json.dumps(installation.asdict(), ensure_ascii=False, indent=2) if is_json else ""
    for line in [document] if is_json else _text(installation):
        # Write UTF-8, like all results, whatever the terminal's encoding is; one of the checks reports this encoding.
        click.echo(line.encode("utf-8", "backslashreplace"))
    if not installation.works:
        sys.exit(1)


def _text(installation: Installation) -> Iterator[str]:
    rows = [[check.name, check.state, check.found or ""] for check in installation.checks]
    lines = aligned([[harmless(cell) for cell in row] for row in rows], left=(0, 1, 2))
    yield f"latticemetric {installation.version}"
    group = None
    for check, line in zip(installation.checks, lines, strict=True):
        if check.group != group:
            group = check.group
            yield ""
        yield line
    for check in installation.checks:
        if check.state != "ok":
            need = ", and required" if check.required else ""
            yield ""
            yield harmless(f"{check.name} is {check.state}{need}: {check.problem}")
            if check.needed_for:
                yield harmless(f"  does not work:  {check.needed_for}")
            if check.advice:
                yield harmless(f"  to get it:      {check.advice}")
