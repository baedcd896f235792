"""The oracle of a whole corpus by BLEU, with all its graphs in memory at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from latticemetric.batch.pairing import Pair
from latticemetric.batch.pairs import built
from latticemetric.batch.string_scores import StringScorer
from latticemetric.errors import InputError, LatticeMetricError
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.metrics.base import GraphReference, number_each
from latticemetric.metrics.bleu import BLEU
from latticemetric.oracle_search.corpus_bleu import CorpusOracle, CorpusPath, corpus_oracle


@dataclass(frozen=True)
class CorpusMember:
    """One pair of the corpus: its path in the oracle or its problem, and its file and line."""

    name: str
    path: CorpusPath | None
    problem: LatticeMetricError | None
    where: str

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        if self.path is None:
            return {"id": self.name, "error": str(self.problem)}
        return {"id": self.name, **self.path.asdict(), "alignment": self.path.path.alignment.edits}


@dataclass(frozen=True)
class CorpusAnswer:
    """The oracle of all pairs.

    Attributes:
        members: The pairs.
        found: The oracle. A graph that could not be searched has no words in it, and its references count.
        signature: The metric, its parameters, and how words were changed.
    """

    members: tuple[CorpusMember, ...]
    found: CorpusOracle
    signature: str

    @property
    def failed(self) -> int:
        """The number of pairs with a problem."""
        return sum(member.problem is not None for member in self.members)

    def corpus(self) -> dict[str, Any]:
        """Return the corpus part of the JSON document."""
        found, signature = self.found, {"signature": self.signature}
        return {
            **found.corpus.asdict(),
            **signature,
            "start": {**found.start.asdict(), **signature},
            "one_best": {**found.one_best.asdict(), **signature},
            "sweeps": found.sweeps,
            "exact": found.exact,
            "lattices": len(self.members) - self.failed,
            "failed": self.failed,
        }


@dataclass(frozen=True)
class _Read:
    name: str
    where: str
    graph: Graph
    references: list[GraphReference]
    problem: LatticeMetricError | None = None


def corpus_oracle_of(
    pairs: Iterable[Pair],
    metric: BLEU,
    *,
    ignore: Collection[str] = (),
    scales: Scales | None = None,
    keep_going: bool = False,
    normalize: str | None = None,
) -> CorpusAnswer:
    """Search all pairs together; `normalize` names the grammar that rewrote them (for the signature).

    Raises:
        InputError: A pair has a problem, and `keep_going` is false.
    """
    read = list(_read(pairs, keep_going=keep_going))
    usable = [one for one in read if one.references]
    found = corpus_oracle(
        [one.graph for one in usable], [one.references for one in usable], metric, ignore=ignore, scales=scales
    )
    paths = iter(found.paths)
    answered = [next(paths) if one.references else None for one in read]
    members = [
        CorpusMember(one.name, path if one.problem is None else None, one.problem, one.where)
        for one, path in zip(read, answered, strict=True)
    ]
    number = number_each([len(one.references) for one in usable])
    scorer = StringScorer((metric,), frozenset(ignore), normalize=normalize)
    return CorpusAnswer(tuple(members), found, str(scorer.signed(metric.signature_for(number))))


def _read(pairs: Iterable[Pair], *, keep_going: bool) -> Iterator[_Read]:
    for pair in pairs:
        try:
            with built(pair) as (graph, references):
                read = _Read(pair.name, pair.where, graph, references)
        except InputError as error:
            if not keep_going:
                raise
            references = pair.graph_references() if pair.references else []
            read = _Read(pair.name, pair.where, Lattice.from_strings([""]), references, error)
        yield read
