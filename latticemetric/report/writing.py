"""Write reports from Python."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import Any

from latticemetric.batch.packing import graph_packing
from latticemetric.batch.review import AUTO, MBRSettings, ReviewSettings, ReviewTotals, review_graph
from latticemetric.batch.string_scores import scorer_of
from latticemetric.batch.sweep import graphs_with_references
from latticemetric.formats.streams.output import atomic_output
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Scales
from latticemetric.oracle_search.oracle import as_recognition_rate
from latticemetric.oracle_search.sweep import Points
from latticemetric.parallel.map import map_in_order
from latticemetric.report.page import check_page, page
from latticemetric.report.report import Report, ReportOptions


def write_report(
    path: str | os.PathLike[str],
    graphs: Iterable[Graph | tuple[str, Graph]],
    references: Iterable[Any],
    metric: Any = "4-grr",
    *,
    mbr: Any = AUTO,
    posterior_scale: float = 1.0,
    prune: float | None = None,
    samples: int | None = None,
    score: Iterable[Any] = (),
    beams: Iterable[float] = (),
    densities: Iterable[float] = (),
    nbest: Iterable[int] = (),
    scales: Scales | None = None,
    title: str = "lattices",
    most_graphs: int = 100,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    workers: int = 1,
) -> None:
    """Write one HTML page of oracles, 1-bests and MBR: totals, charts, alignments, drawings.

    Args:
        path: The page, compressed if its suffix says so; `-` for standard output.
        graphs: Lattices, forests or n-best lists; or pairs of a name and a graph, as `read` yields them.
        references: The references of each graph: one string, or several references.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.
        mbr: A method of `mbr`; `auto`: by n-grams of forests, else by word errors; `None`: no MBR.
        posterior_scale: The factor of costs before they become probabilities.
        prune: For MBR: first prune graphs to this cost above the best path.
        samples: For MBR by metrics: draw this number of paths instead of listing all.
        score: Metrics of the extracted strings, by name or as objects.
        beams: Also find oracles at these beams, as in `sweep`.
        densities: Also find oracles at these densities.
        nbest: Also find oracles in n-best lists of these sizes.
        scales: Weight of each score column in the model's cost; other columns keep their weights.
        title: The page's title.
        most_graphs: The number of graphs to draw: those with the most headroom.
        resamples: The number of resamples for intervals.
        seed: The seed of the resamples and of `samples`.
        confidence: The share of resamples inside an interval.
        workers: The number of graphs searched at once.

    Raises:
        MissingDependencyError: If jinja2 is not installed.
        UsageError: If a parameter is wrong, or the numbers of references and graphs differ.
    """
    check_page()
    rate = as_recognition_rate(metric)
    points, scorer = Points.of(beams, densities, nbest), scorer_of(score, rate.ignore)
    decoding = None if mbr is None else MBRSettings.of(mbr, prune=prune, samples=samples, seed=seed)
    review = ReviewSettings(
        rate, points, decoding, scales, scorer=scorer, posterior_scale=posterior_scale, drawn=most_graphs > 0
    )
    report = Report(review, ReportOptions(title, most_graphs, resamples, seed, confidence), ReviewTotals(review))
    _write(report, path, graphs, references, workers)


def _write(
    report: Report,
    path: str | os.PathLike[str],
    graphs: Iterable[Graph | tuple[str, Graph]],
    references: Iterable[Any],
    workers: int,
) -> None:
    with atomic_output(os.fspath(path)) as file:
        questions = graphs_with_references(graphs, references)
        report.add_all(map_in_order(partial(review_graph, report.review), questions, workers, packing=graph_packing))
        # A file's name may hold bytes that are not UTF-8.
        file.write(f"{page(report)}\n".encode("utf-8", "backslashreplace"))
