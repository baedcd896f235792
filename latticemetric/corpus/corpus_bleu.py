"""Find one path per graph, so that all paths together have the best BLEU; all graphs are in memory at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from latticemetric.corpus.pairing import Pair, built
from latticemetric.corpus.run import Run
from latticemetric.corpus.string_scores import StringScorer
from latticemetric.errors import InputError, LatticeMetricError
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice, Weights
from latticemetric.metrics.base import GraphReference, number_each
from latticemetric.oracle_search.corpus_bleu import CorpusOracle, CorpusPath, corpus_oracle
from latticemetric.oracle_search.settings import ByCorpusBLEU


@dataclass(frozen=True)
class CorpusPathAnswer:
    """The answer for one lattice: its path in the corpus oracle, or the error.

    Attributes:
        name: The id of the lattice.
        value: The path; `None` if the lattice failed.
        problem: The error.
        where: The file and line of the lattice.
        corpus: The results for all lattices.
    """

    name: str
    value: CorpusPath | None
    problem: LatticeMetricError | None
    where: str
    corpus: CorpusBLEU = field(repr=False, compare=False)

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        if self.value is None:
            return {"id": self.name, "error": str(self.problem)}
        return {"id": self.name, **self.value.asdict(), "alignment": self.value.path.alignment.edits}


@dataclass(frozen=True)
class CorpusBLEU:
    """The results for all lattices together. In the corpus oracle, a graph that failed has an empty output.

    Attributes:
        oracle: The corpus oracle.
        signature: The metric, its parameters and the version.
        lattices: Number of lattices that were searched.
        failed: Number of lattices that failed.
    """

    oracle: CorpusOracle
    signature: str
    lattices: int
    failed: int

    def asdict(self) -> dict[str, Any]:
        """Return the fields of `corpus` in the JSON document."""
        oracle = self.oracle
        return {
            **oracle.corpus.asdict(),
            "start": oracle.start.asdict(),
            "one_best": oracle.one_best.asdict(),
            "sweeps": oracle.sweeps,
            "exact": oracle.exact,
            "lattices": self.lattices,
            "failed": self.failed,
        }


def corpus_oracles(
    pairs: Iterable[Pair],
    search: ByCorpusBLEU,
    run: Run,
    *,
    weights: Weights | None = None,
    rewritten_by: str | None = None,
) -> Iterator[CorpusPathAnswer]:
    """Find the corpus oracle of all lattices; yield the answer for each, in order.

    Args:
        pairs: The lattices and their references.
        search: The settings of the search.
        run: The settings of the run; the search only uses `keep_going`.
        weights: Weight of each score column in the model's cost.
        rewritten_by: The steps that rewrote the texts, for the signature.
    """
    ignore = frozenset(search.ignore)
    read = [_built(pair, ignore, keep_going=run.keep_going) for pair in pairs]
    corpus = _searched(read, search, weights=weights, rewritten_by=rewritten_by)
    paths = iter(corpus.oracle.paths)
    for pair, _, references, problem in read:
        path = next(paths) if references else None
        yield CorpusPathAnswer(pair.name, path if problem is None else None, problem, pair.where, corpus)


def of_no_graphs(search: ByCorpusBLEU, rewritten_by: str | None) -> CorpusBLEU:
    """Return the results for a corpus without lattices."""
    return _searched([], search, weights=None, rewritten_by=rewritten_by)


_Read = tuple[Pair, Graph, list[GraphReference], InputError | None]


def _searched(
    read: Sequence[_Read], search: ByCorpusBLEU, *, weights: Weights | None, rewritten_by: str | None
) -> CorpusBLEU:
    metric, ignore = search.bleu, frozenset(search.ignore)
    usable = [(graph, references) for _, graph, references, _ in read if references]
    graphs, expected = [graph for graph, _ in usable], [references for _, references in usable]
    number = number_each([len(references) for references in expected])
    signature = str(StringScorer((metric,), ignore, normalize=rewritten_by).signed(metric.signature_for(number)))
    oracle = corpus_oracle(graphs, expected, metric, signature, ignore=ignore, weights=weights)
    failed = sum(problem is not None for *_, problem in read)
    return CorpusBLEU(oracle, signature, len(read) - failed, failed)


def _built(pair: Pair, ignored: Collection[str], *, keep_going: bool) -> _Read:
    try:
        with built(pair, ignored) as (graph, references):
            return pair, graph, references, None
    except InputError as error:
        if not keep_going:
            raise
        return pair, Lattice.from_strings([""]), pair.graph_references(), error
