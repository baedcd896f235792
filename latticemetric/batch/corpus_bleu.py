"""The oracle of a corpus by BLEU: all its graphs are in memory at once."""

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
    """One pair of the corpus: what its graph says in the oracle, or why it says nothing, and where it is."""

    name: str
    path: CorpusPath | None
    problem: LatticeMetricError | None
    where: str

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        if self.path is None:
            return {"id": self.name, "error": str(self.problem)}
        return {"id": self.name, **self.path.asdict(), "alignment": self.path.path.alignment.edits}


@dataclass(frozen=True)
class CorpusAnswer:
    """The oracle of all pairs.

    Attributes:
        members: Each of them.
        found: The oracle. A graph that could not be searched says nothing in it, and its references count.
        signature: The metric, and what was done to the words.
    """

    members: tuple[CorpusMember, ...]
    found: CorpusOracle
    signature: str

    @property
    def failed(self) -> int:
        """How many have a problem."""
        return sum(member.problem is not None for member in self.members)

    def corpus(self) -> dict[str, Any]:
        """The corpus part of the JSON document."""
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
    """Answers pairs, together; `normalize` is the grammar that they went through, for the signature.

    Raises:
        InputError: A pair has a problem, unless `keep_going`.
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
            graph, references = built(pair)
            yield _Read(pair.name, pair.where, graph, references)
        except InputError as error:
            if not keep_going:
                raise
            silence = Lattice.from_strings([""])
            yield _Read(pair.name, pair.where, silence, pair.said() if pair.references else [], error)
