"""The best a graph could have said, by a user's own automaton."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from latticemetric.engine.user_automaton import UserAutomaton, best_path, of_reference
from latticemetric.errors import InputError
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice import fst_binary
from latticemetric.lattice.lattice import Costs, Lattice, Scales
from latticemetric.lattice.openfst import fst_to_arrays
from latticemetric.metrics.base import GraphReferences, graphs_of, plain_number
from latticemetric.metrics.reference_checks import check_references
from latticemetric.oracle_search.model_paths import one_best
from latticemetric.oracle_search.searched import Path
from latticemetric.oracle_search.searched_lattice import sums_along
from latticemetric.signature import Signature


@dataclass(frozen=True)
class ValuedPath:
    """A path of a lattice, with its value under an automaton.

    Attributes:
        words: What it says, without ε.
        score: The value, −weight; `None` where the automaton does not accept the words.
        cost: The model's cost under the scales asked for.
        scores: Each named cost, summed along the path.
        arcs: Its arcs' numbers in the lattice.
    """

    words: tuple[str, ...]
    score: int | float | None
    cost: float
    scores: Mapping[str, float]
    arcs: tuple[int, ...]

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"score": self.score, "hypothesis": " ".join(self.words), "cost": self.cost}


@dataclass(frozen=True)
class AutomatonOracle(ValuedPath):
    """The path of a lattice that an automaton values most.

    Attributes:
        one_best: The model's own best path, valued in the same way.
        exact: Whether nothing better can be in the lattice.
        signature: What the automaton is, and the version.
    """

    one_best: ValuedPath
    exact: bool
    signature: str

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON; `one_best` is nested."""
        own = {"exact": self.exact, "scores": dict(self.scores), "arcs": list(self.arcs), "signature": self.signature}
        return {**super().asdict(), **own, "one_best": self.one_best.asdict()}


def automaton_oracle(
    graph: Graph, automaton: Any, references: GraphReferences | None = None, *, scales: Scales | None = None
) -> AutomatonOracle:
    """The path of a lattice that an automaton values most.

    Ties are resolved: best value, then least cost, then fewest words, then smallest arc numbers.

    Args:
        graph: A lattice, or an n-best list.
        automaton: A `pynini.Fst`, tropical, its costs −score. ★ among its labels takes any word. With references, a
            transducer from what is said to them.
        references: One reference or several, strings or lattices, as the transducer's output.
        scales: Weight of each score column in the model's cost; columns not named keep their own.

    Raises:
        InputError: The automaton accepts nothing that the lattice says.
    """
    check_references(references)
    lattice = as_lattice(graph, scales)
    valued = automaton if references is None else of_reference(automaton, graphs_of(references))
    own = UserAutomaton.of(valued)
    cost = lattice.cost(scales)
    found = best_path(lattice, own, cost)
    if found is None:
        raise InputError(
            "the automaton accepts nothing that the lattice says",
            advice="see that its symbols are the lattice's words; ★ takes any",
        )
    first = one_best(lattice, cost)
    return AutomatonOracle(
        **vars(_valued(lattice, cost, found.arcs, found.value)),
        one_best=_valued(lattice, cost, first, _value(lattice, own, first)),
        exact=True,
        signature=str(_signature(automaton)),
    )


def _valued(lattice: Lattice, cost: Costs, path: Path, value: Fraction | None) -> ValuedPath:
    score = None if value is None else plain_number(value)
    arcs = tuple(path.tolist())
    return ValuedPath(lattice.words(arcs), score, lattice.cost_of(path, cost), sums_along(lattice, path), arcs)


def _value(lattice: Lattice, automaton: UserAutomaton, arcs: Path) -> Fraction | None:
    """The value of one path alone."""
    places = np.arange(len(arcs) + 1)
    alone = Lattice.from_arcs(
        places[:-1], places[1:], lattice.word[arcs], final=places[-1:], vocabulary=lattice.vocabulary
    )
    found = best_path(alone, automaton, alone.cost())
    return None if found is None else found.value


def _signature(automaton: Any) -> Signature:
    """Of the automaton as it was given: the same for all graphs, whatever their references."""
    digest = hashlib.sha256(fst_binary.encode(fst_to_arrays(automaton))).hexdigest()
    return Signature("automaton", {"sha256": digest[:12], "case": "mixed", "tok": "none"})
