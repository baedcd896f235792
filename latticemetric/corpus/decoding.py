"""What a decoder could have said, by its own model: n-best strings, posteriors and minimum Bayes risk of one graph."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

from latticemetric.corpus.graphs import Record, Written, converted
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph, as_lattice, as_lattice_or_forest, path_fields, plain_path
from latticemetric.lattice.lattice import Lattice, Scales, Steps
from latticemetric.mbr_decoding.settings import ByMetric, ByNgrams, Decision, metric_of
from latticemetric.nbest import NBest

if TYPE_CHECKING:
    from latticemetric.posterior.listing import PosteriorListing


def nbest_records(
    graph: Graph, n: int, written: Written | None, *, scales: Scales, paths: bool
) -> tuple[list[Record], Graph | None]:
    """Return one record for each of the n best strings, and the n-best list to write (`None` if `written` is `None`).

    If `paths` is true, the records and the list have the n best paths instead.

    Fields:
        rank (int): The rank, from 1.
        hypothesis (str): The words, joined by single spaces.
        cost (float): The cost of the path under the scales.
        scores (Mapping): Each score column summed along the path, unscaled, as costs.
        arcs (list[int]): The numbers of the path's arcs; a forest has `edges` and `derivation` in place of them.
    """
    searched = as_lattice_or_forest(graph, scales)
    found = searched.n_best(n, scales, paths=paths)
    cost = searched.cost(scales)
    records = [
        {
            "rank": rank,
            "hypothesis": " ".join(searched.words(path)),
            "cost": searched.cost_of(path, cost),
            "scores": searched.scores_along(path),
            **_path_numbers(searched, path),
        }
        for rank, path in enumerate(found, start=1)
    ]
    if written is None:
        return records, None
    return records, converted(NBest.from_graph(graph, n, scales, paths=paths), written)


def _path_numbers(graph: Lattice | Forest, path: Steps) -> Record:
    return plain_path(SimpleNamespace(**path_fields(graph, path)))


def listed_posteriors(
    graph: Graph, *, scale: float, scales: Scales | None, options: Mapping[str, Any], with_lattice: bool
) -> tuple[PosteriorListing, Lattice | None]:
    """Return the result of `listing` with `options`, and the lattice with posteriors if `with_lattice`, else `None`."""
    from latticemetric.posterior.listing import listing
    from latticemetric.posterior.posteriors import posteriors

    if not with_lattice and options["of"] != "arcs":
        return listing(posteriors(graph, scale=scale, scales=scales), **options), None
    lattice = as_lattice(graph, scales, advice="use --of edges for forests, without --write-lattices")
    distribution = posteriors(lattice, scale=scale, scales=scales)
    return listing(distribution, **options), distribution.to_lattice() if with_lattice else None


# The functions for MBR return the records of a graph, and the lattice to write, or `None`.


Decoded: TypeAlias = "tuple[list[Record], Lattice | None, tuple[str, ...]]"
"""The records of a graph that was decoded, the lattice with gains, and the words of the first record."""


def mbr_records(
    graph: Graph,
    evidence: Graph | None = None,
    *,
    settings: Sequence[Decision],
    scales: Scales | None,
    rewritten_by: str | None = None,
    ignored: Collection[str] = (),
) -> Decoded:
    """Decode a graph by minimum Bayes risk; return one record per setting.

    The signature of a metric also names the steps that rewrote the texts (`rewritten_by`) and the words removed from
    them (`ignored`).
    """
    from latticemetric.mbr_decoding.mbr import mbr, mbr_grid

    by_ngrams = [by for by in settings if isinstance(by, ByNgrams)]
    if len(by_ngrams) == len(settings):
        answers = mbr_grid(graph, by_ngrams, evidence=evidence, scales=scales)
        return [answer.asdict() for answer in answers], None, answers[0].words
    (by,) = settings  # other kinds have no grid
    answer = mbr(graph, by, evidence=evidence, scales=scales)
    record = answer.asdict()
    if isinstance(by, ByMetric):
        signature = metric_of(by.metric).signature
        record["signature"] = str(signature.also(norm=rewritten_by, ignore=",".join(sorted(ignored)) or None))
    return [record], None, answer.words


def mbr_with_gains(
    graph: Graph, evidence: Graph | None = None, *, by: ByNgrams, scales: Scales | None, gains_only: bool
) -> Decoded:
    """Decode a graph by n-grams; return one record, and the lattice with the gains of arcs."""
    from latticemetric.mbr_decoding.ngram import mbr_with_lattice

    answer, lattice = mbr_with_lattice(graph, by, evidence=evidence, scales=scales, gains_only=gains_only)
    return [answer.asdict()], lattice, answer.words
