"""Measure how search time grows with the size of a graph and of its reference: tables, fitted exponents, a plot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from forests import Chart, forest_search
from generate import Size, draw
from measure import median_of, time_call

import latticemetric as lm
from latticemetric.corpus.report import plots
from latticemetric.engine import native
from latticemetric.engine.search import Search

STATIC = Path(__file__).resolve().parent.parent / "docs" / "_static"


def search_of(size: Size, metric: lm.GRR, seed: int = 0) -> Search:
    """Return the search of a generated lattice and its reference."""
    drawn = draw(size, seed)
    costs = {
        name: lm.Column(values, np.zeros(1)) for name, values in (("lm", drawn.graph), ("acoustic", drawn.acoustic))
    }
    lattice = lm.Lattice.from_arcs(drawn.source, drawn.target, drawn.word, final=[drawn.states - 1], scores=costs)
    is_word = (lattice.word != 0).astype(np.uint8)
    return Search(lattice, lattice.word, is_word, lattice.cost(), np.array(drawn.reference, np.int32), metric.gains)


@dataclass(frozen=True)
class Series:
    """Measurements for one growing size, with the others fixed; time grows at most with this power of the size."""

    graph: str
    against: str
    numbers: list[int]
    search: Callable[[int], Callable[[], object]]
    power: int


def _lattice(size: Size) -> Callable[[], object]:
    return partial(native.search_lattice, search_of(size, lm.GRR(4)))


def _forest(chart: Chart) -> Callable[[], object]:
    return partial(native.search_forest, forest_search(chart, lm.GRR(4)))


def _series(longest: int) -> list[Series]:
    arcs = [n for n in (10_000, 30_000, 100_000, 300_000, 1_000_000) if n <= longest]
    edges = [n for n in (1_000, 3_000, 10_000, 30_000, 100_000) if 10 * n <= longest]
    return [
        Series("lattice", "arcs", arcs, lambda n: _lattice(Size(n // 10, n, 5_000, 40)), 1),
        Series(
            "lattice", "reference words", [10, 25, 50, 100, 200, 500],
            lambda n: _lattice(Size(5_000, 50_000, 2_000, n)), 1,
        ),
        Series("forest", "edges", edges, lambda n: _forest(Chart(edges=n)), 1),
        Series("forest", "reference words", [5, 10, 20, 40, 80], lambda n: _forest(Chart(reference=n)), 3),
    ]  # fmt: skip


def scaling(longest: int) -> Iterator[str]:
    """Measure search time against sizes, fit exponents, and plot them."""
    measured = []
    for series in _series(longest):
        seconds = [median_of(partial(time_call, series.search(number)), 5) for number in series.numbers]
        measured.append((series, np.array(seconds)))
        exponent = np.polyfit(np.log(series.numbers), np.log(seconds), 1)[0]
        cells = ", ".join(f"{n:,}: {s * 1e3:.2f} ms" for n, s in zip(series.numbers, seconds, strict=True))
        yield f"| {series.graph} | {series.against} | {cells} | {exponent:.2f}, at most {series.power} |"
    _plot(measured)


def _plot(measured: list[tuple[Series, np.ndarray]]) -> None:
    with plots.saved_figure(str(STATIC / "scaling.svg"), 2, 2) as figure:
        shown = {}
        for panel, (series, seconds) in zip(figure.subplots(2, 2).flat, measured, strict=True):
            numbers, milliseconds = np.array(series.numbers), seconds * 1e3
            (shown["measured"],) = panel.loglog(numbers, milliseconds, "o-", color=plots.BLUE, zorder=3)
            # The upper bound of the formula, from the smallest size on.
            bound = milliseconds[0] * (numbers / numbers[0]) ** series.power
            name, line = {1: ("linear", "--"), 3: ("cubic", ":")}[series.power]
            (shown[f"{name} from the smallest on"],) = panel.loglog(numbers, bound, line, color=plots.GREY)
            panel.set_title(f"4-GRR oracle of a {series.graph}")
            panel.set_xticks(series.numbers, [f"{number:,}" for number in series.numbers])
            panel.yaxis.set_major_formatter("{x:,g}")
            panel.minorticks_off()
            panel.set_xlabel(series.against)
            panel.set_ylabel("milliseconds")
        plots.legend_above(figure, shown)
        STATIC.mkdir(exist_ok=True)
