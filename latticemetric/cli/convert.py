"""`latticemetric convert`: graphs from one format into another."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import options, running
from latticemetric.cli.display import say
from latticemetric.errors import harmless

if TYPE_CHECKING:
    from latticemetric.formats.registry import Graph


@click.command("convert", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("graphs", nargs=1)
@click.argument("target", nargs=1)
@click.option("--to", "to_format", metavar="FORMAT", help="Format to write (else by the target's suffix).")
@running.keep_going
@running.many_graphs
@options.symbols
@options.from_format
@options.scale
@click.option("--sum-scores", is_flag=True, help="Write one score: the model's cost under the scales.")
@click.option("--drop-labels", is_flag=True, help="Leave out texts of arcs: input sides, transition ids and others.")
def command(
    *,
    graphs: str,
    target: str,
    to_format: str | None,
    symbols: str | None,
    from_format: str | None,
    scales: tuple[tuple[str, float], ...],
    sum_scores: bool,
    drop_labels: bool,
    **chosen: Any,
) -> None:
    """Write GRAPHS (a file, folder, glob or -) in another format to TARGET.

    TARGET is a file, compressed as its suffix says, - for standard output, or a folder (with / at its end) of one
    file a graph. A graph that the format cannot hold is an error that says why.
    """
    from latticemetric.batch.answers import answers_of
    from latticemetric.cli.outputs import sparing
    from latticemetric.errors import UsageError
    from latticemetric.formats.columns import summed, without_labels
    from latticemetric.formats.reading import entries
    from latticemetric.formats.symbols import as_vocabulary
    from latticemetric.formats.writing import write

    if scales and not sum_scores:
        raise UsageError("--scale has no effect here", advice="add --sum-scores")

    def converted(graph: Graph) -> Graph:
        if sum_scores:
            graph = summed(graph, dict(scales))
        return without_labels(graph) if drop_labels else graph

    found = options.progress(entries([graphs], from_format, as_vocabulary(symbols)), None, "graphs")
    failed = running.Failures(chosen["failures"])
    with running.running(output=target, **chosen) as run:
        answers = answers_of(running.taken(found, chosen["shard"]), converted, run)
        good = ((one.name, one.value) for one in failed.reported(answers) if one.problem is None)
        count = write(target, sparing(good, target, to_format), format=to_format)
        failed.write()
    graphs_written = "1 graph" if count == 1 else f"{count} graphs"
    say(f"{graphs_written} written to {harmless(target)}")
    if failed.count:
        sys.exit(1)
