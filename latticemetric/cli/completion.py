"""`latticemetric completion`: what makes a shell complete our commands."""

from __future__ import annotations

import click

from latticemetric.cli.completing import script
from latticemetric.cli.help_page import verb

_PROGRAMS = ("latticemetric", "lattice-oracle")

_EPILOG = """\b
Examples:
  source <(latticemetric completion bash)        in ~/.bashrc
  source <(latticemetric completion zsh)         in ~/.zshrc, after compinit
  latticemetric completion fish | source         in ~/.config/fish/config.fish
"""


@verb("completion", epilog=_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option("--program", type=click.Choice(_PROGRAMS), help="Only for one of the two programs (default: both).")
def command(*, shell: str, program: str | None) -> None:
    """Print the script that makes SHELL complete verbs, options, metrics, formats, grammars and files."""
    for each in _PROGRAMS if program is None else (program,):
        click.echo(script(shell, each))
