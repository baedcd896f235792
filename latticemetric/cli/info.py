"""`latticemetric info`: what there is in lattices, forests and n-best lists."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import options

if TYPE_CHECKING:
    from latticemetric.forest import Forest
    from latticemetric.formats.registry import Entry

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


@click.command("info", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("graphs", nargs=-1, required=True)
@options.symbols
@options.from_format
@options.output_format("text", "tsv", "json", "jsonl")
@options.output
def command(
    *, graphs: tuple[str, ...], symbols: str | None, from_format: str | None, output_format: str, output: str
) -> None:
    """Sizes of lattices, forests and n-best lists: states, arcs, paths (exactly), lengths, depth, score columns.

    GRAPHS are files, folders, quoted globs, or - for standard input.
    """
    from latticemetric.formats.reading import entries
    from latticemetric.formats.symbols import as_vocabulary

    sys.set_int_max_str_digits(0)  # path counts are exact, however long
    found = options.progress(entries(graphs, from_format, as_vocabulary(symbols)), None, "graphs")
    with options.results(output, at_once=False) as put:
        for line in _WRITERS[output_format](map(_describe, found)):
            put(line)


def _describe(entry: Entry) -> dict[str, Any]:
    from latticemetric.lattice import Lattice
    from latticemetric.nbest import NBest

    graph = entry.build()
    item = {"id": entry.name, "format": entry.format}
    if isinstance(graph, Lattice):
        return item | {"kind": "lattice", "arity": 1} | graph.statistics().asdict()
    if isinstance(graph, NBest):
        # Features may be many: their names are told, columns are made only of what counts.
        sizes = graph.to_lattice(keep=()).statistics().asdict()
        return item | {"kind": "nbest", "arity": 1} | sizes | {"scores": graph.score_names()}
    return item | {"kind": "forest"} | _forest_sizes(graph)


def _forest_sizes(forest: Forest) -> dict[str, Any]:
    """A forest's sizes under the names that a lattice's have: nodes are states, edges arcs, derivations paths."""
    sizes = forest.statistics().asdict()
    names = {"nodes": "states", "edges": "arcs", "goals": "final_states", "derivations": "paths"}
    kept = {names.get(name, name): value for name, value in sizes.items() if name != "height"}
    return kept | {"epsilons": int((forest.target.lengths() == 0).sum()), "depth": None, "density": None}


def _text(items: Iterator[dict[str, Any]]) -> Iterator[str]:
    from latticemetric.cli.display import shown, table

    rows = [[name.replace("_", " ") for name in _COLUMNS]]
    rows += [[shown(_plain(item[name])) for name in _COLUMNS] for item in items]
    yield from table(rows, left=(0, 1, len(_COLUMNS) - 1))


def _tsv(items: Iterator[dict[str, Any]]) -> Iterator[str]:
    from latticemetric.cli.display import tsv_field

    yield "\t".join(_COLUMNS)
    for item in items:
        yield "\t".join(tsv_field(_plain(item[name])) for name in _COLUMNS)


def _jsonl(items: Iterator[dict[str, Any]]) -> Iterator[str]:
    import json

    for item in items:
        yield json.dumps(item, ensure_ascii=False, allow_nan=False)


def _json(items: Iterator[dict[str, Any]]) -> Iterator[str]:
    lines = list(_jsonl(items))
    yield '{"graphs": ['
    yield ",\n".join(lines)
    yield "]}"


def _plain(value: Any) -> Any:
    return ",".join(value) if isinstance(value, list) else value


_WRITERS = {"text": _text, "tsv": _tsv, "json": _json, "jsonl": _jsonl}
