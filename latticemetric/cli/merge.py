"""`latticemetric merge`: merge the JSON documents of shards into one."""

from __future__ import annotations

import click

from latticemetric.cli.commands import verb
from latticemetric.cli.files import ShardFiles
from latticemetric.cli.options import PlottedOutputOptions, format_option, refuse
from latticemetric.corpus.tables.formats import FORMATS
from latticemetric.errors import UsageError

_EPILOG = """\b
Examples:
  lattice-oracle lats.ark.gz text --shard 1/2 --format json -o 1.json
  lattice-oracle lats.ark.gz text --shard 2/2 --format json -o 2.json
  latticemetric merge 1.json 2.json -o all.json
  latticemetric merge sweep.*.json --format text --plot sweep.svg
"""


class _MergedOptions(PlottedOutputOptions):
    """Output options; the default format is JSON."""

    output_format: str = format_option("json")


@verb("merge", epilog=_EPILOG)
@click.argument("shards", type=ShardFiles(), nargs=-1, required=True)
def command(shards: tuple[str, ...], *, output: _MergedOptions) -> None:
    """Merge the JSON documents of all N shards (--shard I/N --format json), in any order.

    The result equals, byte for byte, the result of one run without shards: items are in the order of the graphs, and
    sums are exact.
    Documents of sweep can also be written in other formats, and plotted.
    """
    from latticemetric.corpus.merged_shards import merge

    merged = merge(shards)
    if merged.has_table:
        output.check_plot(metrics=merged.metrics)
    else:
        if output.output_format != "json" or output.plot is not None:
            refuse(["output_format", "plot"], "with documents of verbs other than sweep")
        if FORMATS[output.output_format].write is not None:
            raise UsageError(
                "only documents of sweep can be written as a table", where="--output", advice="name a .json file"
            )
    table = merged.table(output.looks)
    output.write(table)
    output.say_summary(table)
