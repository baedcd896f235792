"""MBR by n-grams: the path or derivation whose n-grams gain most, by their posteriors in the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from latticemetric.caching import cached_property
from latticemetric.errors import InputError
from latticemetric.formats.registry import Graph
from latticemetric.lattice import Lattice, Scales
from latticemetric.questions.decoding.mbr_hypotheses import LatticePaths, hypotheses_of
from latticemetric.questions.decoding.ngram_gain import ExactGains, GainParameters
from latticemetric.questions.distributions.ngram_posteriors import NgramPosteriors
from latticemetric.questions.distributions.posteriors import posteriors
from latticemetric.questions.graphs import as_lattice_or_forest, divided
from latticemetric.vocabulary import Words


@dataclass(frozen=True)
class MBR:
    """The answer of n-gram MBR.

    Attributes:
        words: The string that gains most.
        gain: What it gains: θ₀ · words + Σ θₙ · posterior over its n-grams.
        cost: The model's cost of its path or derivation under the scales asked for.
        arcs: The arcs of its path, by their numbers in the lattice that was given.
        edges: Or the edges of its derivation in the forest, in preorder.
        derivation: And the tree that they are, in brackets; `Forest.tree` makes one of them.
        confidences: Of each word of the answer: how probable it is that the evidence says it, somewhere.
        one_best: The words of the model's own best path or derivation.
        parameters: How strings gained.
        beam: The cost that graphs were pruned to, above their best paths; `None` where they were not.
    """

    words: tuple[str, ...]
    gain: float
    cost: float
    arcs: tuple[int, ...]
    edges: tuple[int, ...]
    derivation: str | None
    confidences: tuple[float, ...]
    one_best: tuple[str, ...]
    parameters: GainParameters
    beam: float | None

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "hypothesis": " ".join(self.words),
            "gain": self.gain,
            "cost": self.cost,
            **self._way(),
            "confidences": list(self.confidences),
            "one_best": " ".join(self.one_best),
            **self.parameters.asdict(),
            "prune": self.beam,
        }

    def _way(self) -> dict[str, Any]:
        """Where it goes through the graph."""
        if self.derivation is None:
            return {"arcs": list(self.arcs)}
        return {"edges": list(self.edges), "derivation": self.derivation}


class NgramMBR:
    """A graph to choose from and the evidence to choose by, pruned: what all parameters have in common."""

    def __init__(self, graph: Graph, evidence: Graph | None, beam: float | None, scales: Scales | None) -> None:
        own = as_lattice_or_forest(graph, scales)
        other = own if evidence is None or evidence is graph else as_lattice_or_forest(evidence, scales)
        own_scales, others = divided(scales, own, other)
        self._beam = beam
        self._hypotheses = hypotheses_of(own, beam, own_scales, other.vocabulary)
        self._evidence, self._evidence_scales = self._hypotheses.searched, own_scales
        if other is not own:
            self._evidence = other if beam is None else other.pruned(beam, others)
            self._evidence_scales = others

    @property
    def searched(self) -> tuple[Lattice, Words]:
        """The lattice to choose from, pruned, and the words of its arcs by the evidence's numbers."""
        if not isinstance(self._hypotheses, LatticePaths):
            raise InputError("only arcs of lattices can be told what they gain")
        return self._hypotheses.searched, self._hypotheses.numbers

    def posteriors(self, scale: float, order: int) -> NgramPosteriors:
        """Of the evidence."""
        return posteriors(self._evidence, scale=scale, scales=self._evidence_scales).ngrams(order)

    def answer(self, counted: NgramPosteriors, parameters: GainParameters) -> MBR:
        """The string that gains most."""
        hypotheses = self._hypotheses
        path = hypotheses.best(counted, parameters)
        words = hypotheses.words(path)
        probable = counted.words()
        return MBR(
            words=words,
            gain=parameters.of_string(words, counted),
            cost=hypotheses.cost_of(path),
            **hypotheses.way(path)._asdict(),
            confidences=tuple(probable.get(word, 0.0) for word in words),
            one_best=self.one_best,
            parameters=parameters,
            beam=self._beam,
        )

    def string(self, counted: NgramPosteriors, parameters: GainParameters) -> tuple[str, ...]:
        """The words of the answer, without what else is said of it."""
        return self._hypotheses.words(self._hypotheses.best(counted, parameters))

    @cached_property
    def one_best(self) -> tuple[str, ...]:
        """The words of the model's own best path or derivation."""
        return self._hypotheses.words(self._hypotheses.one_best())

    def gains(self, counted: NgramPosteriors, parameters: GainParameters) -> ExactGains:
        """Of n-grams and words, with sums that are exact along any path."""
        return self._hypotheses.gains(counted, parameters)
