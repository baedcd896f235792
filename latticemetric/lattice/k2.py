"""Convert lattices to and from the arrays of k2; k2 itself is not needed.

An Fsa is an int32 array with one row per arc; a vector of several Fsas is a flat int32 array. A row has the source
state, the target state, the label, and the bits of the score (a log probability in single precision). Only arcs into
the final state have the label −1. See docs/formats/k2.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import plain_array
from latticemetric.errors import InputError, UsageError, placed
from latticemetric.frozen import Frozen
from latticemetric.lattice.columns import Column, Floats, Labels, Weights
from latticemetric.vocabulary import EPSILON, Vocabulary

if TYPE_CHECKING:
    from latticemetric.lattice.arrays import LatticeArrays

AnyLattice = TypeVar("AnyLattice", bound="LatticeArrays")
Numbers = npt.NDArray[np.int32]

_ROWS = "give rows of source, target, label and score"
_END = -1
_FIELDS = 4
INPUT = "input"
_SCORE = "score"
_ARC = "k2 arc"
_LARGEST_SCORE = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class K2Arrays(Frozen):
    """The arrays of a `k2.Fsa`. Convert them to tensors with `torch.from_numpy`, then pass them to `k2.Fsa`.

    Attributes:
        arcs: The int32 array of arcs: one row per arc, or a flat array for a vector of Fsas.
        aux_labels: The word number of each arc, if the labels in `arcs` are not the words; otherwise `None`.
    """

    arcs: Numbers
    aux_labels: Numbers | None


class Machine(NamedTuple):
    """The arcs of one Fsa; `before` is the number of arcs in the preceding Fsas of a vector."""

    source: Numbers
    target: Numbers
    label: Numbers
    score: Floats
    aux: Numbers | None
    before: int
    vocabulary: Vocabulary | None


def lattice_from_k2(
    cls: type[AnyLattice], arcs: Any, scores: Any, aux_labels: Any, vocabulary: Vocabulary | None
) -> AnyLattice:
    """Build a lattice from the arrays of one Fsa."""
    machines = machines_of(arcs, scores, aux_labels, vocabulary)
    if len(machines) != 1:
        raise InputError(f"the vector has {len(machines)} Fsas, not one", advice="use lattices_from_k2")
    return lattice_of_machine(cls, machines[0])


def lattice_to_k2(lattice: LatticeArrays, weights: Weights | None = None) -> K2Arrays:
    """Return a lattice as the arrays of one Fsa."""
    cost = lattice.cost(weights)
    ends = cost.final[lattice.final]
    for values in (cost.arc, ends):
        if values.size and np.abs(values).max() > _LARGEST_SCORE:
            raise InputError("a cost is too large for k2's 32-bit scores")
    source = np.concatenate([lattice.source, lattice.final])
    order = np.argsort(source, kind="stable")  # the arc to the final state is the last of its source
    last = np.full(len(ends), lattice.num_states)
    ending = np.full(len(ends), _END)
    side = lattice.labels.get(INPUT)
    label = np.concatenate([lattice.word if side is None else side.arc, ending])
    score = (0.0 - np.concatenate([cost.arc, ends])).astype(np.float32)
    columns = [source, np.concatenate([lattice.target, last]), label, score.view(np.int32)]
    arcs = np.column_stack(columns).astype(np.int32)[order]
    aux = None if side is None else np.concatenate([lattice.word, ending]).astype(np.int32)[order]
    return K2Arrays(np.ascontiguousarray(arcs), aux)


def machines_of(arcs: Any, scores: Any, aux_labels: Any, vocabulary: Vocabulary | None) -> list[Machine]:
    """Split the arrays of one Fsa or of a vector of Fsas; return one `Machine` per Fsa."""
    given = _int32(arcs, "arcs")
    rows, begin = (given, np.array([0, len(given)])) if given.ndim > 1 else _vector(given)
    if rows.ndim != 2 or rows.shape[1] != _FIELDS:  # noqa: PLR2004  rows and columns
        raise InputError(f"an array of shape {given.shape} does not hold arcs of k2", advice=_ROWS)
    score = np.ascontiguousarray(rows[:, 3]).view(np.float32) if scores is None else np.asarray(plain_array(scores))
    aux = None if aux_labels is None else _int32(aux_labels, "aux_labels")
    for name, values in (("scores", score), ("aux_labels", aux)):
        if values is not None and values.shape != (len(rows),):
            raise UsageError(f"{name} has the shape {values.shape}, but there are {len(rows)} arcs")
    if score.dtype.kind not in "fiu":
        raise UsageError(f"scores have the type {score.dtype}, but must be numbers")
    machines = []
    for a, b in pairwise(begin.tolist()):
        source, target, label = rows[a:b, 0], rows[a:b, 1], rows[a:b, 2]
        words = None if aux is None else aux[a:b]
        machines.append(Machine(source, target, label, score[a:b].astype(np.float64), words, a, vocabulary))
    return machines


def _int32(values: Any, what: str) -> Numbers:
    try:
        array = np.asarray(plain_array(values))
    except ValueError:  # rows of different lengths
        array = np.zeros(0, dtype=object)
    if array.dtype != np.int32:
        raise UsageError(f"{what} are not int32", advice="give k2's tensor, or an array of that type")
    return array


def _vector(given: Numbers) -> tuple[Numbers, npt.NDArray[np.int64]]:
    """Return the arcs of a vector of Fsas; then the index of the first arc of each Fsa, followed by the number of arcs.

    The array `given` has the layout of k2's `FsaVecToTensor`:

    - the number of Fsas;
    - a 0;
    - the first state of each Fsa, then the number of all states;
    - the first arc of each Fsa, then the number of all arcs;
    - the arcs.
    """
    number = int(given[0]) if len(given) > 1 else _END
    head = 2 + 2 * (number + 1)
    begin = given[head - number - 1 : head].astype(np.int64) if number >= 0 else np.zeros(0, dtype=np.int64)
    is_vector = len(begin) == number + 1 > 0 and given[1] == 0 and begin[0] == 0 and bool((np.diff(begin) >= 0).all())
    if not is_vector or len(given) != head + _FIELDS * int(begin[-1]):
        raise InputError("a flat array of arcs is not a vector of Fsas", advice=_ROWS)
    return given[head:].reshape(-1, _FIELDS), begin


def lattice_of_machine(cls: type[AnyLattice], machine: Machine, *, numbered: bool = False) -> AnyLattice:
    """Build a lattice from an Fsa.

    If `numbered` is true, each arc gets its number in the Fsa as an additional label. A final state that replaces an
    arc gets the number of this arc. `arc_numbers` reads these labels.
    """
    with placed(f"arcs from {machine.before} on") if machine.before else placed("arcs"):
        is_end = _checked_ends(machine)
    sources = machine.source[is_end]
    words = machine.label if machine.aux is None else machine.aux
    number = np.arange(1, len(words) + 1, dtype=np.int32)
    if len(np.unique(sources)) == len(sources) and not (words[is_end] > EPSILON).any():
        kept, final, ending, final_number = ~is_end, sources, machine.score[is_end], number[is_end]
    else:
        # A state has several arcs to the final state, or these arcs have words: keep them as arcs.
        kept, final, ending, final_number = np.ones_like(is_end), machine.target[is_end][:1], np.zeros(1), None
    nothing = np.zeros(len(final), dtype=np.int32)
    labels = {}
    side = np.maximum(machine.label, EPSILON)[kept]
    if machine.aux is not None and side.any() and not np.array_equal(side, np.maximum(words, EPSILON)[kept]):
        labels[INPUT] = Labels(side, nothing, Vocabulary.numeric())
    if numbered:
        labels[_ARC] = Labels(number[kept], nothing if final_number is None else final_number, Vocabulary.numeric())
    return cls.from_arcs(
        machine.source[kept],
        machine.target[kept],
        np.maximum(words, EPSILON)[kept],
        final=final,
        scores={_SCORE: Column(0.0 - machine.score[kept], 0.0 - ending)},
        vocabulary=machine.vocabulary,
        labels=labels,
    )


def arc_numbers(lattice: LatticeArrays) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the numbers of arcs in the Fsa: first for each arc of a lattice, then for each final state; −1 for none.

    The lattice must be built by `lattice_of_machine` with `numbered=True`.
    """
    owner = lattice.labels[_ARC]
    return owner.arc.astype(np.int64) - 1, owner.final.astype(np.int64) - 1


def _checked_ends(machine: Machine) -> npt.NDArray[np.bool_]:
    """Mark the arcs into the final state; raise an error if the arcs break k2's rules."""
    is_end: npt.NDArray[np.bool_] = machine.label == _END
    if not is_end.any():
        raise InputError("no arc has the label -1, so no arc leads to the final state")
    if (np.diff(machine.source) < 0).any():
        raise InputError("the arcs are not sorted by their source states")
    end = machine.target[is_end][0]
    if not np.array_equal(machine.target == end, is_end):
        raise InputError("arcs into the final state, and only these, must have the label -1")
    if max(int(machine.source.max()), int(machine.target[~is_end].max(initial=0))) > end:
        raise InputError(f"an arc has a state number above {end}, the number of the final state")
    return is_end
