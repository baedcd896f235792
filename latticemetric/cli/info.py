"""`latticemetric info`: what there is in lattices, forests and n-best lists."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import answers, options, running
from latticemetric.cli.files import GraphFiles
from latticemetric.cli.help_page import verb

if TYPE_CHECKING:
    from latticemetric.batch.answers import Answer
    from latticemetric.forest.forest import Forest
    from latticemetric.graph import Graph

_COLUMNS = [
    "id",
    "format",
    "kind",
    "states",
    "arcs",
    "epsilons",
    "final_states",
    "paths",
    "shortest",
    "longest",
    "depth",
    "density",
    "arity",
    "vocabulary",
    "best_cost",
    "scores",
]


_EPILOG = """\b
Examples:
  latticemetric info lats.ark.gz
  latticemetric info forests/ more.plf --format tsv | cut -f 1,8      (ids, numbers of paths)
"""


@verb("info", epilog=_EPILOG)
@click.argument("graphs", type=GraphFiles(), nargs=-1, required=True)
@running.keep_going
@running.many_graphs
@options.symbols
@options.from_format
@options.output_format("text", "tsv", "json", "jsonl")
@options.output
def command(*, output_format: str, **chosen: Any) -> None:
    """Sizes of lattices, forests and n-best lists: states, arcs, paths (exactly), lengths, depth, score columns.

    GRAPHS are files, folders, quoted globs, or - for standard input.
    """
    sys.set_int_max_str_digits(0)  # path counts are exact, however long

    def lines(found: Iterator[Answer]) -> Iterable[str]:
        items = map(_item, found)
        if output_format == "json":
            return answers.json_document(items, "graphs", chosen["shard"])
        return {"text": _text, "tsv": _tsv, "jsonl": answers.json_lines}[output_format](items)

    answers.put_answers(_describe, lines, **chosen)


def _item(answer: Answer) -> dict[str, Any]:
    if answer.problem is not None:
        return {"id": answer.name, "error": str(answer.problem)}
    return {"id": answer.name, "format": answer.format, **answer.value}


def _describe(graph: Graph) -> dict[str, Any]:
    from latticemetric.lattice.lattice import Lattice
    from latticemetric.nbest import NBest

    if isinstance(graph, Lattice):
        return {"kind": "lattice", "arity": 1} | graph.statistics().asdict()
    if isinstance(graph, NBest):
        # Features may be many: their names are told, columns are made only of what counts.
        sizes = graph.to_lattice(keep=()).statistics().asdict()
        return {"kind": "nbest", "arity": 1} | sizes | {"scores": graph.score_names()}
    return {"kind": "forest"} | _forest_sizes(graph)


def _forest_sizes(forest: Forest) -> dict[str, Any]:
    """A forest's sizes under the names that a lattice's have: nodes are states, edges arcs, derivations paths."""
    sizes = forest.statistics().asdict()
    names = {"nodes": "states", "edges": "arcs", "goals": "final_states", "derivations": "paths"}
    kept = {names.get(name, name): value for name, value in sizes.items() if name != "height"}
    return kept | {"epsilons": int((forest.target.lengths() == 0).sum()), "depth": None, "density": None}


def _text(items: Iterator[dict[str, Any]]) -> Iterator[str]:
    from latticemetric.cli.display import shown, table

    rows = [[name.replace("_", " ") for name in _COLUMNS]]
    rows += [[shown(_plain(item.get(name))) for name in _COLUMNS] for item in items]
    yield from table(rows, left=(0, 1, len(_COLUMNS) - 1))


def _tsv(items: Iterator[dict[str, Any]]) -> Iterator[str]:
    from latticemetric.cli.display import tsv_field

    columns = [*_COLUMNS, "error"]
    yield "\t".join(columns)
    for item in items:
        yield "\t".join(tsv_field(_plain(item.get(name))) for name in columns)


def _plain(value: Any) -> Any:
    return ",".join(value) if isinstance(value, list) else value
