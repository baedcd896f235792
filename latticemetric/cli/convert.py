"""`latticemetric convert`: graphs from one format into another."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

from latticemetric.cli.commands import verb
from latticemetric.cli.files import ConvertedGraphs, GraphFiles
from latticemetric.cli.options import GraphFormatOptions, ScoredReadingOptions, ShardedRunOptions
from latticemetric.cli.results import counted, progress, say
from latticemetric.cli.run import running
from latticemetric.errors import LatticeMetricError, UsageError, harmless, shortened

if TYPE_CHECKING:
    from latticemetric.graph import Graph

_EPILOG = """\b
Examples:
  latticemetric convert lats.ark.gz lats.plf.gz
  latticemetric convert "lattices/*.slf" all.fst.far --to far --sum-scores --scale lm=12
  latticemetric convert lats.ark.gz slf/ --to htk-slf --symbols words.txt      (one file per graph)
"""


@verb("convert", epilog=_EPILOG)
@click.argument("graphs", type=GraphFiles(), nargs=1)
@click.argument("target", type=ConvertedGraphs("to_format"), nargs=1)
def command(
    graphs: str, target: str, *, written: GraphFormatOptions, run: ShardedRunOptions, reading: ScoredReadingOptions
) -> None:
    """Write GRAPHS (a file, folder, glob or -) in another format to TARGET.

    TARGET is a file, compressed as its suffix says, - for standard output, or a folder (with / at its end) with
    one file per graph. It is an error if the format cannot hold a graph.
    """
    from latticemetric.batch.answers import answers_of, converted
    from latticemetric.formats.writing import write

    if reading.scales and not written.sum_scores:
        raise UsageError("--scale has no effect here", advice="add --sum-scores")
    summed_by = reading.weights if written.sum_scores else None
    convert = partial(converted, summed_by=summed_by, drop_labels=written.drop_labels)
    entries = progress(reading.entries([graphs]), None, "graphs")
    with running(run, target) as (started, failures):
        where = ""

        def good_graphs() -> Iterator[tuple[str, Graph]]:
            nonlocal where
            for answer in failures.reported(answers_of(run.take(entries), convert, started)):
                if answer.problem is None:
                    where = answer.where
                    yield answer.name, answer.value

        def refuse(name: str, problem: LatticeMetricError) -> None:  # the format cannot hold the last graph
            placed = type(problem)(problem.what, where=f"{where} ({shortened(name)})", advice=problem.advice)
            failures.add(name, where, placed)

        refused = refuse if run.keep_going else None
        count = write(target, good_graphs(), format=written.to_format, refused=refused)
    say(f"{counted(count, 'graph')} written to {harmless(target)}")
    failures.exit()
