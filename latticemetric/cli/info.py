"""`latticemetric info`: sizes of lattices, forests and n-best lists."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from latticemetric.cli.commands import verb
from latticemetric.cli.files import GraphFiles
from latticemetric.cli.options import OutputOptions, ReadingOptions, ShardedRunOptions
from latticemetric.cli.results import AnswerResults, Record, shown, table, values
from latticemetric.cli.run import ask_graphs

_COLUMNS = (
    "id", "format", "kind", "states", "arcs", "epsilons", "final_states", "paths", "shortest", "longest", "depth",
    "density", "arity", "vocabulary", "best_cost", "scores"
)  # fmt: skip

_EPILOG = """\b
Examples:
  latticemetric info lats.ark.gz
  latticemetric info forests/ more.plf --format tsv | cut -f 1,8      (ids, numbers of paths)
"""


@verb("info", epilog=_EPILOG)
@click.argument("graphs", type=GraphFiles(), nargs=-1, required=True)
def command(graphs: tuple[str, ...], *, reading: ReadingOptions, run: ShardedRunOptions, output: OutputOptions) -> None:
    """Show the sizes of GRAPHS: states, arcs, paths (exactly), lengths, depth, score columns.

    GRAPHS are files, folders, quoted globs, or - for standard input.
    """
    from latticemetric.batch.answers import described

    sys.set_int_max_str_digits(0)  # path counts are exact, however long
    ask_graphs(described, reading.entries(graphs), lambda answers: _Sizes(answers, run.shard), run, output)


class _Sizes(AnswerResults):
    name = "graphs"
    columns = (*_COLUMNS, "error")

    def records(self) -> Iterator[Record]:
        for answer in self.answers:
            if answer.problem is not None:
                yield {"id": answer.name, "error": str(answer.problem)}
            else:
                yield {"id": answer.name, "format": answer.format, **answer.value}

    def rows(self) -> Iterator[list[object]]:
        """Yield one row per graph; join its score names with commas."""
        return (list(map(_with_commas, values(record, self.columns))) for record in self.records())

    def text(self) -> Iterator[str]:
        rows = [[name.replace("_", " ") for name in _COLUMNS]]
        rows += [[shown(_with_commas(record.get(name))) for name in _COLUMNS] for record in self.records()]
        yield from table(rows, left=(0, 1, len(_COLUMNS) - 1))


def _with_commas(value: Any) -> Any:
    return ",".join(value) if isinstance(value, list) else value
