"""Fit the constants of a formula for the time of a run, and compare its predictions with other runs.

A graph of A arcs and a reference of R words take

    reading   a + b·A                  by format
    search    c + d·R + e·A + f·A·R    by metric, with the line that is written
    the rest  g                        pairing, and cache misses between the steps

seconds of one processor. Constants are fitted to calls in this process; predictions are compared with whole commands.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from generate import Size, draw

import latticemetric as lm
from latticemetric.corpus.oracles import oracles_of
from latticemetric.corpus.pairing import Pair, pair_up
from latticemetric.corpus.run import Run
from latticemetric.corpus.tables.formats import lines_of
from latticemetric.corpus.tables.oracles import oracle_table
from latticemetric.formats.reading import entries
from latticemetric.formats.references import Reference, read_references
from latticemetric.formats.registry import Entry
from latticemetric.graph import Graph

BIN = Path(sys.executable).parent
FORMATS = {"kaldi": "lat.txt", "kaldi-binary": "ark", "far": "far"}
METRICS = ["wer", "4-grr"]
FITTED = [
    *(Size(40, 100, 300, words) for words in (5, 15, 25)),
    *(Size(arcs // 5, arcs, 300, words) for arcs in (1_000, 10_000) for words in (10, 25, 50)),
]
OTHERS = [Size(100, 400, 300, 18), Size(1_000, 4_000, 300, 40)]
# The number of arcs of each archive: one pass then takes about a tenth of a second.
_ARCS = 200_000
_PASSES = 5

Floats = npt.NDArray[np.float64]


class Archive(NamedTuple):
    """Lattices of one size, in all formats, and their references.

    Attributes:
        size: The size of each lattice.
        paths: The files, by format.
        references: The file of references: one line per lattice, with its id first.
        number: The number of lattices.
    """

    size: Size
    paths: dict[str, Path]
    references: Path
    number: int


def archive(folder: Path, size: Size, arcs: int) -> Archive:
    """Return an archive of lattices of this size that have about this many arcs together."""
    count = max(4, arcs // size.arcs)
    drawn = [draw(size, seed) for seed in range(count)]
    names = [f"u{k:06d}" for k in range(count)]
    stem = f"{size.arcs}-{size.reference}"
    paths = {name: folder / f"{stem}.{suffix}" for name, suffix in FORMATS.items()}
    for name, path in paths.items():
        graphs = []
        for one in drawn:
            columns = (
                {"weight": one.graph + one.acoustic} if name == "far" else {"lm": one.graph, "acoustic": one.acoustic}
            )
            scores = {column: lm.Column(values, np.zeros(1)) for column, values in columns.items()}
            graphs.append(lm.Lattice.from_arcs(one.source, one.target, one.word, final=[one.states - 1], scores=scores))
        lm.write(path, zip(names, graphs, strict=True), format=name)
    references = folder / f"{stem}.ref.txt"
    lines = [f"{name} {' '.join(map(str, one.reference))}\n" for name, one in zip(names, drawn, strict=True)]
    references.write_text("".join(lines))
    return Archive(size, paths, references, count)


def processor_time(function: Callable[[], object]) -> float:
    """Return processor seconds of a call: the median of several calls after a warm-up."""
    function()
    taken = []
    for _ in range(_PASSES):
        began = time.process_time()
        function()
        taken.append(time.process_time() - began)
    return median(taken)


def reading_cost(path: Path, count: int) -> float:
    """Return seconds per graph, from bytes to lattices."""
    return processor_time(lambda: sum(1 for _ in lm.read(path))) / count


def _same(graph: Graph) -> Graph:
    return graph


def search_cost(one: Archive, metric: str) -> float:
    """Return seconds per graph, from lattices to lines of a table."""
    graphs = list(lm.read(one.paths["kaldi"]))
    lines = dict(line.split(maxsplit=1) for line in one.references.read_text().splitlines())
    pairs = [
        Pair(name, Entry(name, "", partial(_same, graph)), (Reference(tuple(lines[name].split()), ""),))
        for name, graph in graphs
    ]
    search = lm.ByRate(metric=metric)

    def answer() -> int:
        results = oracle_table(oracles_of(pairs, search, Run()), search, 1)
        return sum(len(line) for line in lines_of(results, "tsv"))

    return processor_time(answer) / one.number


def whole_cost(one: Archive) -> float:
    """Return seconds per graph, from bytes to lines."""
    search = lm.ByRate(metric="wer")

    def answer() -> int:
        pairs = pair_up(entries([one.paths["kaldi"]]), [read_references(str(one.references))])
        results = oracle_table(oracles_of(pairs, search, Run()), search, 1)
        return sum(len(line) for line in lines_of(results, "tsv"))

    return processor_time(answer) / one.number


def fitted(terms: Sequence[Sequence[float]], seconds: Sequence[float]) -> Floats:
    """Fit non-negative constants with least relative errors, so that small graphs count as much as large ones."""
    matrix = np.array(terms) / np.array(seconds)[:, None]
    kept = list(range(matrix.shape[1]))
    while True:
        found = np.linalg.lstsq(matrix[:, kept], np.ones(len(matrix)), rcond=None)[0]
        if (found >= 0).all():
            break
        del kept[int(found.argmin())]
    constants = np.zeros(matrix.shape[1])
    constants[kept] = found
    return constants


def command_cost(one: Archive, name: str, metric: str, workers: int = 1) -> float:
    """Return processor seconds of a whole command, including its processes and its start."""
    command = [
        str(BIN / "lattice-oracle"), str(one.paths[name]), str(one.references),
        "--metric", metric, "--format", "tsv", "--workers", str(workers), "--output", os.devnull,
    ]  # fmt: skip
    taken = []
    for _ in range(_PASSES):
        began = os.times()
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        ended = os.times()
        taken.append(sum(ended[2:4]) - sum(began[2:4]))
    return median(taken)


class Model(NamedTuple):
    """The constants, in seconds."""

    reading: dict[str, Floats]
    search: dict[str, Floats]
    rest: float
    start: float

    def predicted(self, size: Size, count: int, name: str, metric: str) -> float:
        """Return processor seconds of a run over this many graphs."""
        arcs, words = size.arcs, size.reference
        a, b = self.reading[name]
        c, d, e, f = self.search[metric]
        return float(self.start + count * (a + b * arcs + c + d * words + e * arcs + f * arcs * words + self.rest))


def model(archives: Sequence[Archive], start: float) -> Model:
    """Fit all constants."""
    sizes = [one.size for one in archives]
    lengths = [[1.0, size.arcs] for size in sizes]
    products = [[1.0, size.reference, size.arcs, size.arcs * size.reference] for size in sizes]
    reading = {name: [reading_cost(one.paths[name], one.number) for one in archives] for name in FORMATS}
    search = {metric: [search_cost(one, metric) for one in archives] for metric in METRICS}
    parts = zip(map(whole_cost, archives), reading["kaldi"], search["wer"], strict=True)
    return Model(
        {name: fitted(lengths, seconds) for name, seconds in reading.items()},
        {metric: fitted(products, seconds) for metric, seconds in search.items()},
        max(0.0, median(whole - read - searched for whole, read, searched in parts)),
        start,
    )


def costs(folder: Path, arcs: int = _ARCS) -> Iterator[str]:
    """Yield the constants, their predictions for other sizes, and the measured times."""
    archives = [archive(folder, size, arcs) for size in FITTED]
    others = [archive(folder, size, 5 * arcs) for size in OTHERS]
    one = archive(folder, Size(8, 20, 30, 3), 0)._replace(number=1)
    found = model(archives, command_cost(one, "kaldi", "wer"))
    bytes_an_arc = {name: archives[-1].paths[name].stat().st_size / (archives[-1].number * 10_000) for name in FORMATS}
    yield "### Constants\n"
    yield "| reading | a graph | an arc | bytes an arc |"
    yield "|---|---|---|---|"
    for name, (a, b) in found.reading.items():
        yield f"| {name} | {a * 1e6:.0f} µs | {b * 1e9:.1f} ns | {bytes_an_arc[name]:.0f} |"
    yield "\n| search and writing | a graph | a reference word | an arc | an arc × a reference word |"
    yield "|---|---|---|---|---|"
    for metric, (c, d, e, f) in found.search.items():
        yield f"| {metric} | {c * 1e6:.0f} µs | {d * 1e6:.1f} µs | {e * 1e9:.1f} ns | {f * 1e9:.2f} ns |"
    yield f"\nThe rest: {found.rest * 1e6:.0f} µs a graph, and {found.start:.2f} s of a command before its first one.\n"
    yield "### Predicted and measured\n"
    yield "| graphs × arcs, reference words | format, metric | predicted | measured | measured / predicted |"
    yield "|---|---|---|---|---|"
    for other in others:
        for name in FORMATS:
            for metric in METRICS:
                expected = found.predicted(other.size, other.number, name, metric)
                taken = command_cost(other, name, metric)
                yield (
                    f"| {other.number:,} × {other.size.arcs:,}, {other.size.reference} | {name}, {metric} | "
                    f"{expected:.2f} s | {taken:.2f} s | ×{taken / expected:.2f} |"
                )
    yield ""
    yield "### A second process\n"
    yield "| graphs × arcs | one worker | two workers | more, a graph |"
    yield "|---|---|---|---|"
    for other in others:
        single, double = (command_cost(other, "kaldi", "wer", workers) for workers in (1, 2))
        more = (double - single) / other.number
        yield (f"| {other.number:,} × {other.size.arcs:,} | {single:.2f} s | {double:.2f} s | {more * 1e6:.0f} µs |")
