"""Reports of graphs that a Python program has."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import Any

from latticemetric.batch.decoded import AUTO, Decoding
from latticemetric.batch.review import Reviewing, ReviewTotals, review_question
from latticemetric.batch.string_scores import scorer_of
from latticemetric.batch.sweep import questions_of
from latticemetric.formats.writing import atomic_output
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Scales
from latticemetric.oracle_search.oracle import as_recognition_rate
from latticemetric.oracle_search.sweep import Points
from latticemetric.parallel.pool import map_in_order
from latticemetric.report.page import check_page, page
from latticemetric.report.report import Report, Showing


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
        path: The page, compressed as its suffix says; `-` for standard output.
        graphs: Lattices, forests or n-best lists; or pairs of a name and a graph, as `read` yields them.
        references: Those of each graph: one as a string, or several.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.
        mbr: What `mbr` takes as its method; `auto`: by n-grams of forests, else by word errors; `None`: no MBR.
        posterior_scale: What costs are multiplied by before they become probabilities.
        prune: Of MBR: the cost above the best path that graphs are pruned to first.
        samples: Of MBR by metrics: how many paths are drawn, instead of listing all.
        score: Metrics of the extracted strings, by name or as objects.
        beams: Oracles at these beams, too, as `sweep` has them.
        densities: At these densities.
        nbest: Of n-best lists of these sizes.
        scales: Weight of each score column in the model's cost; columns not named keep their own.
        title: What the page is called.
        most_graphs: How many graphs are drawn, those with the most headroom.
        resamples: How many test sets are drawn for intervals.
        seed: Of these, and of `samples`.
        confidence: The share of resamples inside an interval.
        workers: Graphs searched at once.

    Raises:
        MissingDependencyError: There is no jinja2.
        UsageError: A parameter makes no sense, or there are not as many references as graphs.
    """
    check_page()
    chosen = as_recognition_rate(metric)
    asked = Reviewing(
        chosen,
        Points.of(beams, densities, nbest),
        decoding=None if mbr is None else Decoding.of(mbr, prune=prune, samples=samples, seed=seed),
        scales=scales,
        scorer=scorer_of(score, chosen.ignore),
        posterior_scale=posterior_scale,
        drawn=most_graphs > 0,
    )
    report = Report(asked, Showing(title, most_graphs, resamples, seed, confidence), ReviewTotals(asked))
    with atomic_output(os.fspath(path)) as file:
        report.add_all(map_in_order(partial(review_question, asked), questions_of(graphs, references), workers))
        # A file's name may hold bytes that are no UTF-8.
        file.write(f"{page(report)}\n".encode("utf-8", "backslashreplace"))
