"""Find oracles by a user's own automaton."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from latticemetric.engine.user_automaton import UserAutomaton, of_reference, search_by_automaton
from latticemetric.errors import InputError
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice import fst_binary
from latticemetric.lattice.columns import Costs, Scales, Steps
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.openfst import fst_to_arrays
from latticemetric.metrics.base import GraphReferences, graphs_of, plain_number
from latticemetric.metrics.reference_checks import check_references
from latticemetric.signature import Signature


@dataclass(frozen=True)
class ValuedPath:
    """A path of a lattice, with its value under an automaton.

    Attributes:
        words: Its words, without ε.
        score: The value, −weight; `None` if the automaton does not accept the words.
        cost: The model's cost under the given scales.
        scores: The sum of each named cost along the path.
        arcs: The numbers of its arcs in the lattice.
    """

    words: tuple[str, ...]
    score: int | float | None
    cost: float
    scores: Mapping[str, float]
    arcs: tuple[int, ...]

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"score": self.score, "hypothesis": " ".join(self.words), "cost": self.cost}


@dataclass(frozen=True)
class AutomatonOracle(ValuedPath):
    """The path of a lattice with the largest value under an automaton.

    Attributes:
        one_best: The model's own best path, valued in the same way.
        exact: True: the lattice has nothing better.
        signature: A digest of the automaton, and the version.
    """

    one_best: ValuedPath
    exact: bool
    signature: str

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON; `one_best` is nested."""
        own = {"exact": self.exact, "scores": dict(self.scores), "arcs": list(self.arcs), "signature": self.signature}
        return {**super().asdict(), **own, "one_best": self.one_best.asdict()}


def automaton_oracle(
    graph: Graph, automaton: Any, references: GraphReferences | None = None, *, scales: Scales | None = None
) -> AutomatonOracle:
    """Return the path of a lattice with the largest value under an automaton.

    Ties are resolved by the tie rule (`latticemetric.engine.ties`).

    Args:
        graph: A lattice, or an n-best list.
        automaton: A tropical `pynini.Fst` with costs −score. Its label ★ accepts any word. With references, it is a
            transducer from hypotheses to references.
        references: One reference or several, strings or lattices, as the transducer's output.
        scales: Weight of each score column in the model's cost; other columns keep their own.

    Raises:
        InputError: The automaton accepts no string of the lattice.
    """
    check_references(references)
    lattice = as_lattice(graph, scales)
    valued = automaton if references is None else of_reference(automaton, graphs_of(references))
    own = UserAutomaton.of(valued)
    cost = lattice.cost(scales)
    best = search_by_automaton(lattice, own, cost)
    if best is None:
        raise InputError(
            "the automaton accepts no string of the lattice",
            advice="check that its symbols are the lattice's words; ★ accepts any word",
        )
    first = lattice.best_path(cost)
    return AutomatonOracle(
        **vars(_valued(lattice, cost, best.arcs, best.value)),
        one_best=_valued(lattice, cost, first, _value(lattice, own, first)),
        exact=True,
        signature=str(_signature(automaton)),
    )


def _valued(lattice: Lattice, cost: Costs, path: Steps, value: Fraction | None) -> ValuedPath:
    score = None if value is None else plain_number(value)
    words, scores = lattice.words(path), lattice.scores_along(path)
    return ValuedPath(words, score, lattice.cost_of(path, cost), scores, tuple(path.tolist()))


def _value(lattice: Lattice, automaton: UserAutomaton, arcs: Steps) -> Fraction | None:
    """Return the value of this path alone."""
    places = np.arange(len(arcs) + 1)
    alone = Lattice.from_arcs(
        places[:-1], places[1:], lattice.word[arcs], final=places[-1:], vocabulary=lattice.vocabulary
    )
    best = search_by_automaton(alone, automaton, alone.cost())
    return None if best is None else best.value


def _signature(automaton: Any) -> Signature:
    """Return the signature of the automaton itself: the same for all graphs and references."""
    digest = hashlib.sha256(fst_binary.encode(fst_to_arrays(automaton))).hexdigest()
    return Signature("automaton", {"sha256": digest[:12], "case": "mixed", "tok": "none"})
