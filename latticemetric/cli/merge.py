"""`latticemetric merge`: merge the JSON documents of shards into one."""

from __future__ import annotations

import click

from latticemetric.cli.commands import verb
from latticemetric.cli.files import ShardFiles
from latticemetric.cli.options import FRACTIONS, PlottedOutputOptions, format_option, refuse
from latticemetric.corpus.tables.formats import PARTS, check_format
from latticemetric.corpus.tables.table import ItemTable
from latticemetric.errors import UsageError

_EPILOG = """\b
Examples:
  lattice-oracle lats.ark.gz text --shard 1/2 --format json -o 1.json
  lattice-oracle lats.ark.gz text --shard 2/2 --format json -o 2.json
  latticemetric merge 1.json 2.json -o all.json
  latticemetric merge 1.json 2.json
  latticemetric merge sweep.*.json --plot sweep.svg
"""


class _MergedOptions(PlottedOutputOptions):
    """Output options of all verbs whose documents are merged."""

    output_format: str = format_option(parts=(*PARTS, "ctm"))
    fractions: bool = FRACTIONS


@verb("merge", epilog=_EPILOG)
@click.argument("shards", type=ShardFiles(), nargs=-1, required=True)
def command(shards: tuple[str, ...], *, output: _MergedOptions) -> None:
    """Merge the JSON documents of all N shards (--shard I/N --format json), in any order.

    The result equals, byte for byte, the result of one run without shards, in every format, which is chosen as there:
    items are in the order of the graphs, and sums are exact. Text has what the options of the shards say, such as
    --alignment.
    """
    from latticemetric.corpus.merged_shards import merge
    from latticemetric.display.text import long_integers

    merged = merge(shards)
    table = merged.table(output.looks)
    if not table.has_plot:
        refuse(["plot"], f"with documents of {merged.verb}")
    output.check_plot(metrics=merged.metrics)
    check_format(table, output.output_format)
    if output.output_format == "text" and isinstance(table, ItemTable) and table.unshown:
        what = f"text with tags cannot show {' or '.join(table.unshown)}"
        raise UsageError(what, where="--format", advice="choose json, which has everything")
    with long_integers():
        output.write(table)
        output.say_summary(table)
