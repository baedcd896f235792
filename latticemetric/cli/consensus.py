"""`latticemetric consensus`: confusion networks of lattices, with word confidences."""

from __future__ import annotations

import click

from latticemetric.cli.commands import Options, verb
from latticemetric.cli.files import GraphFiles
from latticemetric.cli.options import (
    CorpusOptions,
    CTMOutputOptions,
    SettingsOptions,
    ShardedRunOptions,
    lattices_option,
    refuse,
)
from latticemetric.cli.run import show
from latticemetric.corpus.questions import Networks

_EPILOG = """\b
Examples:
  latticemetric consensus lats.ark.gz --weights acoustic=0.1
  latticemetric consensus lattices/ --format ctm          (words with times and confidences)
  latticemetric consensus lats.ark.gz --write-lattices out.mesh --least 0.001
"""

_SECTIONS = {
    "Model scores": "",
    "Input": "",
    "Large runs": "",
    "Output": "--format --output --write-lattices --least",
}


class _NetworkOptions(SettingsOptions, kinds=(Networks,)):
    """Options of the networks."""


class _WrittenNetworks(Options):
    write_lattices: str | None = lattices_option("the networks as lattices")


@verb("consensus", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("graphs", type=GraphFiles(), nargs=-1, required=True)
def command(
    graphs: tuple[str, ...],
    *,
    network: _NetworkOptions,
    written: _WrittenNetworks,
    reading: CorpusOptions,
    run: ShardedRunOptions,
    output: CTMOutputOptions,
) -> None:
    """Build the confusion networks of GRAPHS; print the words of minimum Bayes risk, with confidences.

    json also has the alternatives of each word. GRAPHS are files, folders, quoted globs, or - for standard input.
    """
    if not written.write_lattices:
        refuse(["least"], "without --write-lattices")
    show(network.settings(Networks), reading.corpus(graphs), run, output, lattices=written.write_lattices)
