"""The best path of what OpenFst has pruned to the optimum, by the tie rule and in exact order.

OpenFst finds which part of a product reaches the best value; ties in it are resolved here: OpenFst's weights are
32-bit floats and know one value only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.lattice.fst_binary import FstArrays
from latticemetric.vocabulary import EPSILON


@dataclass(frozen=True)
class ProductLabels:
    """What the labels of a product stand for.

    Input k + 1 is piece k of the graph, an arc of a lattice or an edge of a forest; the inputs after those of all
    pieces are its endings; ε is neither. An output says what the automaton does.

    Attributes:
        cost: What each piece costs.
        words: How many words of the result each piece carries.
        ending_cost: What each ending costs.
        worth: What each output is worth.
    """

    cost: list[float]
    words: list[int]
    ending_cost: list[float]
    worth: Sequence[int | Fraction]


class Resolved(NamedTuple):
    """The pieces of the best path, and the outputs along one of its alignments."""

    pieces: npt.NDArray[np.int64]
    outputs: list[int]


class _Price(NamedTuple):
    """What is still to come from a state of the product, in the order of the tie rule."""

    loss: int | Fraction
    cost: float
    words: int


class _Step(NamedTuple):
    """An arc of the product: the piece it takes (`_ENDING`: it ends there), or none, and where it leads."""

    piece: int | None
    output: int
    target: int
    loss: int | Fraction
    cost: float
    words: int

    def before(self, rest: _Price) -> _Price:
        return _Price(self.loss + rest.loss, self.cost + rest.cost, self.words + rest.words)


_ENDING = -1
_NOTHING = _Price(0, 0.0, 0)


def resolve_ties(product: FstArrays, labels: ProductLabels) -> Resolved:
    """The best path: most worth, least cost, fewest words, lexicographically smallest pieces.

    Args:
        product: The product's optimal part, its states in topological order.
        labels: What its labels stand for.
    """
    steps = _steps(product, labels)
    to_go = {int(state): _NOTHING for state in np.flatnonzero(np.isfinite(product.final))}
    for state in reversed(range(len(product.final))):
        prices = [step.before(to_go[step.target]) for step in steps[state] if step.target in to_go]
        if prices:
            to_go[state] = min([*prices, *([to_go[state]] if state in to_go else [])])
    return Resolved(_smallest_pieces(steps, to_go, product.start), _outputs(steps, to_go, product))


def _steps(product: FstArrays, labels: ProductLabels) -> dict[int, list[_Step]]:
    worth, pieces = labels.worth, len(labels.cost)
    steps: dict[int, list[_Step]] = defaultdict(list)
    columns = (product.source, product.target, product.input, product.output)
    for source, target, label, output in zip(*(column.tolist() for column in columns), strict=True):
        piece = label - 1
        if label == EPSILON:
            step = _Step(None, output, target, -worth[output], 0.0, 0)
        elif piece < pieces:
            step = _Step(piece, output, target, -worth[output], labels.cost[piece], labels.words[piece])
        else:
            step = _Step(_ENDING, output, target, -worth[output], labels.ending_cost[piece - pieces], 0)
        steps[source].append(step)
    return steps


def _smallest_pieces(steps: dict[int, list[_Step]], to_go: dict[int, _Price], start: int) -> npt.NDArray[np.int64]:
    """The lexicographically smallest sequence of pieces among the best paths of the product.

    One path of the graph has many alignments, hence many states of the product after the same pieces: all of them
    that can still end at the best price are kept, and the smallest piece that any of them takes comes next.
    """
    path: list[int] = []
    here = _with_silent_steps({start}, steps, to_go)
    while True:
        cheapest = min(to_go[state][1:] for state in here)
        onward: dict[int, set[int]] = defaultdict(set)
        for state in here:
            if to_go[state][1:] == cheapest:
                for step in _best_steps(state, steps, to_go):
                    if step.piece is not None:
                        onward[step.piece].add(step.target)
        if not onward or (piece := min(onward)) == _ENDING:
            return np.array(path, dtype=np.int64)
        path.append(piece)
        here = _with_silent_steps(onward[piece], steps, to_go)


def _outputs(steps: dict[int, list[_Step]], to_go: dict[int, _Price], product: FstArrays) -> list[int]:
    """What a best path puts out."""
    outputs, state = [], product.start
    while to_go[state] != _NOTHING or not np.isfinite(product.final[state]):
        step = _best_steps(state, steps, to_go)[0]
        outputs.append(step.output)
        state = step.target
    return outputs


def _best_steps(state: int, steps: dict[int, list[_Step]], to_go: dict[int, _Price]) -> list[_Step]:
    onward = (step for step in steps[state] if step.target in to_go)
    return [step for step in onward if step.before(to_go[step.target]) == to_go[state]]


def _with_silent_steps(states: set[int], steps: dict[int, list[_Step]], to_go: dict[int, _Price]) -> set[int]:
    """The states, and all that the best paths reach from them without taking a piece."""
    reached, pending = set(states), list(states)
    while pending:
        for step in _best_steps(pending.pop(), steps, to_go):
            if step.piece is None and step.target not in reached:
                reached.add(step.target)
                pending.append(step.target)
    return reached
