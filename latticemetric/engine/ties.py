"""The tie rule decides which path is the answer if several have the best score.

All searches, in C++, OpenFst and Python, resolve ties in the same way, so that all engines return the same arcs. The
best path has, in this order,

1. the best score. Scores are compared exactly, as integers or fractions, so rounding neither makes nor breaks a tie.
   With several references, a defined rate wins over an undefined one.
2. the least cost under the model. Costs of paths are 64-bit sums; costs of derivations are rounded first, so that their
   sums are exact in any order (`latticemetric.lattice.n_best.summable`).
3. the fewest words in the result; ε and ignored words are not counted.
4. the smallest numbers: of arcs, compared along the path; of a derivation's edges, in preorder.

If all scores are equal, the rule chooses the model's 1-best. The tie rule has two exceptions:

- In an n-best list (`Lattice.ranked`), the rank in the list replaces steps 3 and 4, in every search. So the 1-best of a
  list without scores is its first hypothesis.
- If strings have no paths, as in MBR by a metric, alphabetical order replaces step 4.

A search for the k best strings uses the rule twice: to choose the path of each string, and to order the strings.

Kernels compare paths with `kernels/graphs/tie_order.hpp`. Python compares `TieKey`s, and resolves ties of OpenFst with
`resolve_ties`: OpenFst finds all paths with the best score, but OpenFst's weights (32-bit floats) cannot hold costs,
numbers of words and arcs. One loop in Python compares without keys: `oracle_search/list_oracle.py` compares hypotheses
of a list by cost, then rank.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from latticemetric.lattice.columns import Costs
from latticemetric.vocabulary import EPSILON

if TYPE_CHECKING:
    from latticemetric.lattice.fst_binary import FstArrays


class TieKey(NamedTuple):
    """The sort key of paths with the same score; the smallest key wins.

    `steps` are the arcs along a path, or the edges of a derivation in preorder; or the words, if a string has no path.
    """

    cost: float
    words: int
    steps: tuple[int, ...] | tuple[str, ...]

    @classmethod
    def of_path(cls, cost: float, words: int, steps: npt.NDArray[np.int64]) -> Self:
        """Return the key of a path through a graph."""
        return cls(cost, words, tuple(steps.tolist()))

    @classmethod
    def of_string(cls, cost: float, words: tuple[str, ...], rank: int | None) -> Self:
        """Return the key of a string without a path; `rank` is its rank in an n-best list, `None` if it has none."""
        return cls(cost, len(words), words) if rank is None else cls(cost, 0, (rank,))


class _Rest(NamedTuple):
    """Loss, cost and number of words of the best path (by the tie rule) from a state of the composed machine."""

    loss: int | Fraction
    cost: float
    words: int


class _Step(NamedTuple):
    """An arc of the composed machine. `piece` is the arc or edge of the graph that the step reads.

    `piece` is `None` if the step reads nothing, and `_ENDING` if it reads an ending (see `resolve_ties`).
    """

    piece: int | None
    output: int
    target: int
    loss: int | Fraction
    cost: float
    words: int

    def before(self, rest: _Rest) -> _Rest:
        return _Rest(self.loss + rest.loss, self.cost + rest.cost, self.words + rest.words)


_ENDING = -1
_NOTHING = _Rest(0, 0.0, 0)


def resolve_ties(
    product: FstArrays, cost: Costs, words: npt.NDArray[Any], ends: npt.NDArray[Any], worth: Sequence[int | Fraction]
) -> tuple[npt.NDArray[np.int64], list[int]]:
    """Return the arcs or edges of the best path by the tie rule, and the outputs of one of its alignments.

    A piece is an arc of the lattice or an edge of the forest. An ending stands for a path's end in one final state, or
    for a derivation's end in one goal. Input label k + 1 stands for piece k; the labels after all pieces stand for
    endings. An output label stands for an edit of the automaton.

    Args:
        product: The best paths of the composed machine (graph and automaton), with states in topological order.
        cost: The cost of each piece, and of ending in each state or node.
        words: The number of words that each piece adds to the result.
        ends: The final states or goals, one for each ending.
        worth: The weight of each output label.
    """
    costs, counts, ending_costs = cost.arc.tolist(), words.tolist(), cost.final[ends].tolist()
    steps: dict[int, list[_Step]] = defaultdict(list)
    columns = (product.source, product.target, product.input, product.output)
    for source, target, label, output in zip(*(column.tolist() for column in columns), strict=True):
        piece = label - 1
        if label == EPSILON:
            step = _Step(None, output, target, -worth[output], 0.0, 0)
        elif piece < len(costs):
            step = _Step(piece, output, target, -worth[output], costs[piece], counts[piece])
        else:
            step = _Step(_ENDING, output, target, -worth[output], ending_costs[piece - len(costs)], 0)
        steps[source].append(step)
    rests = {int(state): _NOTHING for state in np.flatnonzero(np.isfinite(product.final))}
    for state in reversed(range(len(product.final))):
        onward = [step.before(rests[step.target]) for step in steps[state] if step.target in rests]
        if onward:
            rests[state] = min([*onward, *([rests[state]] if state in rests else [])])
    outputs, state = [], product.start
    while rests[state] != _NOTHING or not np.isfinite(product.final[state]):
        step = _best_steps(state, steps, rests)[0]
        outputs.append(step.output)
        state = step.target
    return _smallest_pieces(steps, rests, product.start), outputs


def _smallest_pieces(steps: dict[int, list[_Step]], rests: dict[int, _Rest], start: int) -> npt.NDArray[np.int64]:
    """Return the lexicographically smallest sequence of pieces among the best paths.

    One path of the graph has many alignments, so the same pieces lead to many states of the composed machine. Each turn
    keeps all states on best paths, and takes the smallest next piece from any of them.
    """
    path: list[int] = []
    here = _with_silent_steps({start}, steps, rests)
    while True:
        cheapest = min(rests[state][1:] for state in here)
        onward: dict[int, set[int]] = defaultdict(set)
        for state in here:
            if rests[state][1:] == cheapest:
                for step in _best_steps(state, steps, rests):
                    if step.piece is not None:
                        onward[step.piece].add(step.target)
        if not onward or (piece := min(onward)) == _ENDING:
            return np.array(path, dtype=np.int64)
        path.append(piece)
        here = _with_silent_steps(onward[piece], steps, rests)


def _best_steps(state: int, steps: dict[int, list[_Step]], rests: dict[int, _Rest]) -> list[_Step]:
    onward = (step for step in steps[state] if step.target in rests)
    return [step for step in onward if step.before(rests[step.target]) == rests[state]]


def _with_silent_steps(states: set[int], steps: dict[int, list[_Step]], rests: dict[int, _Rest]) -> set[int]:
    """Return these states, and all states that best paths reach from them without reading a piece."""
    reached, pending = set(states), list(states)
    while pending:
        for step in _best_steps(pending.pop(), steps, rests):
            if step.piece is None and step.target not in reached:
                reached.add(step.target)
                pending.append(step.target)
    return reached
