"""`latticemetric demo`: oracles of the bundled examples."""

from __future__ import annotations

from pathlib import Path

import click

from latticemetric.cli.commands import verb


def example_data() -> Path:
    """Return the folder of the bundled examples: in a checkout beside the package, otherwise inside the package."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "example_data"
    return installed if installed.is_dir() else package.parent / "examples" / "data"


_EPILOG = """\b
Example:
  latticemetric demo
"""


@verb("demo", epilog=_EPILOG)
def command() -> None:
    """Show oracles of the bundled examples: each command and its result."""
    from latticemetric.cli.oracle import command as oracle

    folder = example_data()
    for arguments in (
        ["meeting.lat.txt", "meeting.ref.txt", "--metric", "wer", "--alignment"],
        ["proverbs.plf", "proverbs.ref.txt", "proverbs.ref2.txt", "--metric", "4-grr"],
    ):
        click.secho("$ lattice-oracle " + " ".join(arguments), bold=True)
        paths = [str(folder / a) if (folder / a).exists() else a for a in arguments]
        oracle.main(paths, prog_name="lattice-oracle", standalone_mode=False)
        click.echo()
    click.echo(f"The files are in {folder}")
