"""Check every lattice when it is built.

All other code relies on sorted states and arcs, and on valid numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.arguments import floats, plain_array, whole_number
from latticemetric.errors import InputError, UsageError
from latticemetric.frozen import FrozenDict
from latticemetric.lattice.columns import (
    Column,
    Floats,
    Labels,
    Rows,
    States,
    check_columns,
    frozen,
    taken,
    without_gaps,
)
from latticemetric.vocabulary import Vocabulary, Words

_LARGEST = int(np.iinfo(np.int32).max)


class Columns(NamedTuple):
    """The fields of a lattice, named as in `Lattice`; before validation, states and arcs may be in any order."""

    num_states: int
    source: States
    target: States
    word: Words
    final: States
    scores: Mapping[str, Column]
    vocabulary: Vocabulary
    times: Floats | None
    labels: Mapping[str, Labels]


def validated(draft: Columns, start: int, *, copy: bool) -> Columns:
    """Check columns, remove states and arcs that are on no complete path, and sort the others.

    States are sorted topologically, arcs by source state.
    """
    arcs, finals = len(draft.source), len(draft.final)
    if not arcs == len(draft.target) == len(draft.word):
        raise InputError("source, target and word differ in length")
    check_columns(draft.scores, draft.labels, arcs, finals)
    draft.vocabulary.check(draft.word)
    if start == 0 and (states := _native.ordered_states(draft.source, draft.target, draft.final)):
        return _unchanged(draft, states, copy=copy)  # most decoders write lattices in this order
    if len(set(draft.final.tolist())) != finals:
        raise InputError("a state appears twice in the list of final states")
    if finals == 0:
        raise InputError("the lattice is empty: it has no final state")
    draft, start, names = _numbered(draft, start)
    is_final = np.zeros(len(names), dtype=np.uint8)
    is_final[draft.final] = 1
    rank, kept, in_order, on_cycle = _native.order_states(draft.source, draft.target, start, is_final)
    if on_cycle >= 0:
        state = names[on_cycle]
        raise InputError(
            f"the graph is cyclic: state {state} can be reached from itself", advice="a lattice is acyclic"
        )
    if kept == 0:
        raise InputError("the lattice is empty: no final state can be reached from the start")
    rows = np.flatnonzero((rank[draft.source] >= 0) & (rank[draft.target] >= 0))
    if not in_order:
        rows = rows[np.argsort(rank[draft.source[rows]], kind="stable")]
    ends = np.flatnonzero(rank[draft.final] >= 0)
    ends = ends[np.argsort(rank[draft.final[ends]])]
    numbers = rank[draft.source[rows]], rank[draft.target[rows]], rank[draft.final[ends]]
    times = None if draft.times is None else _per_state(draft.times, rank, kept)
    return _taken(draft._replace(num_states=kept, times=times), rows, ends, numbers)


def _unchanged(draft: Columns, states: int, *, copy: bool) -> Columns:
    """Return the columns of a lattice whose states and arcs are already sorted; copy the arrays if `copy` is true."""
    rows: Rows = np.arange(len(draft.source)) if copy else slice(None)
    ends: Rows = np.arange(len(draft.final)) if copy else slice(None)
    times = None if draft.times is None else _per_state(draft.times, np.arange(states, dtype=np.int32), states)
    numbers = draft.source[rows], draft.target[rows], draft.final[ends]
    return _taken(draft._replace(num_states=states, times=times), rows, ends, numbers)


def _taken(draft: Columns, rows: Rows, ends: Rows, numbers: tuple[States, States, States]) -> Columns:
    """Return the columns of the arcs `rows` and the final states `ends`.

    `numbers` has the new state numbers: the sources and the targets of these arcs, and these final states.
    """
    source, target, final = map(frozen, numbers)
    return Columns(
        num_states=draft.num_states,
        source=source,
        target=target,
        word=frozen(draft.word[rows]),
        final=final,
        scores=FrozenDict(taken(draft.scores, rows, ends)),
        vocabulary=draft.vocabulary,
        times=None if draft.times is None else frozen(draft.times),
        labels=FrozenDict(taken(draft.labels, rows, ends)),
    )


def int32_numbers(values: npt.ArrayLike, what: str) -> npt.NDArray[np.int32]:
    """Return state or word numbers as 32-bit integers; raise an error if they are not valid.

    `what` names the numbers in errors, such as `state`.
    """
    try:
        array = np.asarray(plain_array(values))
    except ValueError:
        raise InputError(f"{what} numbers must be one list of integers") from None
    if array.size == 0:
        return np.zeros(0, dtype=np.int32)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"{what} numbers must be one list of integers")
    if array.dtype == np.int32 and array.flags.c_contiguous and array.flags.aligned and _native.are_numbers(array):
        return array
    low, high = array.min(), array.max()
    if low < 0 or high >= _LARGEST:
        raise InputError(f"{what} number {low if low < 0 else high} is outside 0 … {_LARGEST - 1}")
    return np.require(array, np.int32, ["C", "ALIGNED"])


def checked_times(times: npt.ArrayLike | None) -> Floats | None:
    """Return the times of states as an array; raise `UsageError` if they are not a list of numbers."""
    if times is None:
        return None
    advice = "give one number of seconds per state"
    array = floats(times, "times", advice)
    if array.ndim != 1:
        raise UsageError(f"times have the shape {array.shape}", advice=advice)
    return array


def checked_start(start: Any) -> int:
    """Return the number of the start state; a negative number means none. Raise `UsageError` if it is no integer."""
    return whole_number(start, f"the start is {start!r}", "give the number of a state", least=-_LARGEST)


def _numbered(draft: Columns, start: int) -> tuple[Columns, int, npt.NDArray[np.int64]]:
    """Renumber the states if their numbers have large gaps, so that tables with a row per state stay small.

    Return the columns, the start state, and the original number of each state.
    """
    if start < 0:
        raise InputError("the lattice is empty: it has no start state")
    highest = max(start, *(int(np.maximum.reduce(a, initial=0)) for a in (draft.source, draft.target, draft.final)))
    if highest <= 2 * (len(draft.source) + len(draft.final)) + 2:
        return draft, start, np.arange(highest + 1)
    (source, target, final, (begin,)), names = without_gaps(
        (draft.source, draft.target, draft.final, np.array([start]))
    )
    times = draft.times
    if times is not None:
        timed = names[names < len(times)]
        times = np.append(times[timed], np.full(len(names) - len(timed), np.nan))
    return draft._replace(source=source, target=target, final=final, times=times), int(begin), names


def _per_state(times: Floats, rank: States, kept: int) -> Floats:
    used = np.flatnonzero(rank >= 0)
    if len(times) <= used[-1]:
        raise InputError("a state has no time: the list of times is too short")
    ordered = np.empty(kept)
    ordered[rank[used]] = times[used]
    if not np.isfinite(ordered).all():
        raise InputError("a state's time is not finite")
    return ordered
