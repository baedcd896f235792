"""`latticemetric convert`: graphs from one format into another."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import options, running
from latticemetric.cli.display import say
from latticemetric.cli.files import ConvertedGraphs, GraphFiles
from latticemetric.cli.help_page import verb
from latticemetric.errors import LatticeMetricError, UsageError, harmless, shortened

if TYPE_CHECKING:
    from latticemetric.batch.answers import Answer
    from latticemetric.graph import Graph


_EPILOG = """\b
Examples:
  latticemetric convert lats.ark.gz lats.plf.gz
  latticemetric convert "lattices/*.slf" all.fst.far --to far --sum-scores --scale lm=12
  latticemetric convert lats.ark.gz slf/ --to htk-slf --symbols words.txt      (a file a graph)
"""


@verb("convert", epilog=_EPILOG)
@click.argument("graphs", type=GraphFiles(), nargs=1)
@click.argument("target", type=ConvertedGraphs("to_format"), nargs=1)
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
    from latticemetric.formats.reading import entries
    from latticemetric.formats.symbols import as_vocabulary
    from latticemetric.formats.writing import write

    if scales and not sum_scores:
        raise UsageError("--scale has no effect here", advice="add --sum-scores")

    converted = partial(_converted, summed_by=dict(scales) if sum_scores else None, drop_labels=drop_labels)
    found = options.progress(entries([graphs], from_format, as_vocabulary(symbols)), None, "graphs")
    failed = running.Failures(chosen["failures"])
    with running.running(output=target, **chosen) as run:
        answers = answers_of(running.taken(found, chosen["shard"]), converted, run)
        good = _Good(answers, failed)
        count = write(target, good, format=to_format, refused=good.refused if run.keep_going else None)
        failed.write()
    graphs_written = "1 graph" if count == 1 else f"{count} graphs"
    say(f"{graphs_written} written to {harmless(target)}")
    if failed.count:
        sys.exit(1)


def _converted(graph: Graph, *, summed_by: dict[str, float] | None, drop_labels: bool) -> Graph:
    """What is written of a graph."""
    from latticemetric.formats.columns import summed, without_labels

    if summed_by is not None:
        graph = summed(graph, summed_by)
    return without_labels(graph) if drop_labels else graph


class _Good:
    """Graphs that could be read; others are reported, and so is what of these cannot be written."""

    def __init__(self, answers: Iterator[Answer], failed: running.Failures) -> None:
        self._answers, self._failed, self._where = answers, failed, ""

    def __iter__(self) -> Iterator[tuple[str, Graph]]:
        for one in self._failed.reported(self._answers):
            if one.problem is None:
                self._where = one.where
                yield one.name, one.value

    def refused(self, name: str, problem: LatticeMetricError) -> None:
        """The format cannot hold the graph that came last."""
        placed = type(problem)(problem.what, where=f"{self._where} ({shortened(name)})", advice=problem.advice)
        self._failed.add(name, self._where, placed)
