"""`latticemetric consensus`: confusion networks of lattices, with word confidences."""

from __future__ import annotations

from functools import partial

import click

from latticemetric.cli.commands import Options, option, verb
from latticemetric.cli.files import GraphFiles
from latticemetric.cli.options import (
    POSTERIOR_SCALE,
    CTMOutputOptions,
    Number,
    ShardedRunOptions,
    WordReadingOptions,
    lattices_option,
    refuse,
)
from latticemetric.cli.run import ask_graphs

_EPILOG = """\b
Examples:
  latticemetric consensus lats.ark.gz --scale acoustic=0.1
  latticemetric consensus lattices/ --format ctm          (words with times and confidences)
  latticemetric consensus lats.ark.gz --write-lattices out.mesh --least 0.001
"""

_SECTIONS = {
    "Model scores": "",
    "Input": "",
    "Large runs": "",
    "Output": "--format --output --write-lattices --least",
}


class _NetworkOptions(Options):
    posterior_scale: float = POSTERIOR_SCALE
    write_lattices: str | None = lattices_option("the networks as lattices")
    least: float = option(
        "--least P", "In --write-lattices, omit words with a posterior below P.", type=Number(0, 1), default=1e-6
    )


@verb("consensus", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("graphs", type=GraphFiles(), nargs=-1, required=True)
def command(
    graphs: tuple[str, ...],
    *,
    network: _NetworkOptions,
    reading: WordReadingOptions,
    run: ShardedRunOptions,
    output: CTMOutputOptions,
) -> None:
    """Build the confusion networks of GRAPHS; print the words of minimum Bayes risk, with confidences.

    json also has the alternatives of each word. GRAPHS are files, folders, quoted globs, or - for standard input.
    """
    from latticemetric.corpus.tables.consensus import ConsensusTable
    from latticemetric.mbr_decoding.consensus import consensus

    if not network.write_lattices:
        refuse(["least"], "without --write-lattices")
    ask_graphs(
        partial(consensus, scale=network.posterior_scale, scales=reading.weights),
        reading.entries(graphs),
        ConsensusTable,
        run,
        output,
        lattices=network.write_lattices,
        lattice_of=lambda found: found.to_lattice(network.least),
    )
