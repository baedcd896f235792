"""Baselines for `lattice-oracle`: programs that write the same table.

`python benchmarks/loops.py LATTICES REFERENCES OUTPUT` is a loop over `latticemetric.read` and `latticemetric.oracle`.
With a number N after these, it is a `multiprocessing.Pool` of N processes with the least possible traffic: the parent
sends graphs before they are parsed, and receives lines.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterable
from itertools import chain

import latticemetric as lm
from latticemetric.corpus.tables.oracles import COLUMNS, ONE_BEST_COLUMNS
from latticemetric.formats.reading import entries
from latticemetric.formats.registry import Entry
from latticemetric.graph import Graph

_HEADER = "\t".join([*COLUMNS, *(f"one_best_{name}" for name in ONE_BEST_COLUMNS), "error"]) + "\n"
_references: dict[str, str] = {}


def _line(name: str, graph: Graph) -> str:
    best = lm.oracle(graph, _references[name], "4-grr")
    counts, model = best.statistics, best.one_best
    return (
        f"{name}\t{best.score}\t{best.numerator}\t{best.denominator}\t{' '.join(best.words)}\t{best.cost}\t"
        f"{counts.matches[0]}\t{counts.substitutions}\t{counts.deletions}\t{counts.insertions}\t"
        f"{' '.join(best.reference)}\ttrue\t{' '.join(model.words)}\t{model.score}\t{model.numerator}\t"
        f"{model.denominator}\t{model.cost}\t\n"
    )


def _line_of(entry: Entry) -> str:
    return _line(entry.name, entry.build())


def _lines(lattices: str, workers: int) -> Iterable[str]:
    if workers == 1:
        for name, graph in lm.read(lattices):
            yield _line(name, graph)
        return
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        yield from pool.imap(_line_of, entries([lattices]), chunksize=16)


def main() -> None:
    """Write the table."""
    lattices, references, output, *workers = sys.argv[1:]
    with open(references) as file:  # noqa: PTH123  as one writes it by hand
        _references.update((name, rest) for name, rest in (line.split(maxsplit=1) for line in file))
    with open(output, "w") as file:  # noqa: PTH123
        file.writelines(chain([_HEADER], _lines(lattices, int(workers[0]) if workers else 1)))


if __name__ == "__main__":
    main()
