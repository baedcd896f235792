"""`latticemetric merge`: the document of all graphs, made of those of shards."""

from __future__ import annotations

import click

from latticemetric.cli import options
from latticemetric.cli.help_page import verb

_EPILOG = """\b
Examples:
  lattice-oracle lats.ark.gz text --shard 1/2 --format json -o 1.json
  lattice-oracle lats.ark.gz text --shard 2/2 --format json -o 2.json
  latticemetric merge 1.json 2.json -o all.json
"""


@verb("merge", epilog=_EPILOG)
@click.argument("shards", nargs=-1, required=True)
@options.output
def command(*, shards: tuple[str, ...], output: str) -> None:
    """The JSON document of all graphs, from the documents that --shard I/N --format json wrote: all N, in any order.

    It is, byte for byte, what one run without shards writes: items in the order of the graphs, totals summed exactly.
    """
    from latticemetric.batch.merging import merged

    with options.results(output, at_once=False) as put:
        for line in merged(shards):
            put(line)
