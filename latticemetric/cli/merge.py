"""`latticemetric merge`: the document of all graphs, made of those of shards."""

from __future__ import annotations

import click

from latticemetric.cli import options
from latticemetric.cli.files import NamesFiles, Output
from latticemetric.cli.help_page import verb

_EPILOG = """\b
Examples:
  lattice-oracle lats.ark.gz text --shard 1/2 --format json -o 1.json
  lattice-oracle lats.ark.gz text --shard 2/2 --format json -o 2.json
  latticemetric merge 1.json 2.json -o all.json
  latticemetric merge sweep.*.json --format text --plot sweep.svg
"""


@verb("merge", epilog=_EPILOG)
@click.argument("shards", type=NamesFiles(), nargs=-1, required=True)
@options.output_format("json", "text", "tsv", "jsonl")
@click.option("--plot", type=Output(), metavar="FILE", help="Draw a sweep, too: .svg, .png or .pdf.")
@options.output
def command(*, shards: tuple[str, ...], output_format: str, plot: str | None, output: str) -> None:
    """The JSON document of all graphs, from the documents that --shard I/N --format json wrote: all N, in any order.

    It is, byte for byte, what one run without shards writes: items in the order of the graphs, totals summed exactly.
    A sweep may also be written in other formats, and drawn.
    """
    from latticemetric.batch.shards import shard_documents

    documents = shard_documents(shards)
    if documents[0].run["command"] == "sweep":
        from latticemetric.cli.sweep_report import SweepReport, check_drawing

        check_drawing(plot)
        report = SweepReport.of_shards(documents)
        report.put(output_format, output)
        if plot is not None:
            report.draw(plot)
        if output_format == "text":
            report.note()
        return
    if output_format != "json" or plot is not None:
        options.refuse(["output_format", "plot"], "documents of other verbs than sweep")

    from latticemetric.batch.shards import merged

    with options.results(output, at_once=False) as put:
        for line in merged(documents):
            put(line)
