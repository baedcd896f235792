"""The door that every forest enters by: everything is checked here, put in order, and trusted afterwards."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import InputError
from latticemetric.forest import Forest, NodeLabels, Ragged
from latticemetric.lattice import Column, Labels
from latticemetric.lattice_door import check_columns, frozen
from latticemetric.vocabulary import EPSILON


def enter(draft: Forest) -> Forest:
    """Checks a draft, drops what no complete derivation uses, numbers nodes topologically and sorts edges by head."""
    edges = len(draft.head)
    if not edges == len(draft.tails) == len(draft.target):
        raise InputError("heads, tails and targets differ in number")
    if len(set(draft.goals.tolist())) != len(draft.goals):
        raise InputError("a node is a goal twice")
    if len(draft.goals) == 0:
        raise InputError("the forest is empty: it has no goal")
    check_columns(draft.scores, draft.labels, edges, len(draft.goals))
    target = draft.target.only(draft.target.values != EPSILON)
    _check_target(target, draft.tails)
    draft.vocabulary.check(target.values[target.values > EPSILON])
    return _in_order(draft, target)


def _check_target(target: Ragged, tails: Ragged) -> None:
    """Each edge's target side uses each of its tails once."""
    at = np.flatnonzero(target.values < EPSILON)
    edge = np.repeat(np.arange(len(target)), target.lengths())[at]
    place = -target.values[at].astype(np.int64) - 1
    beyond = np.flatnonzero(place >= tails.lengths()[edge])
    if len(beyond):
        first = beyond[0]
        raise InputError(f"edge {edge[first]} has no tail {place[first] + 1}, and its target side uses it")
    uses = np.bincount(tails.begin[edge] + place, minlength=len(tails.values))
    wrong = np.flatnonzero(uses != 1)
    if len(wrong):
        owner = int(np.searchsorted(tails.begin, wrong[0], side="right")) - 1
        which = int(wrong[0] - tails.begin[owner]) + 1
        how = "never" if uses[wrong[0]] == 0 else f"{uses[wrong[0]]} times"
        raise InputError(
            f"the target side of edge {owner} uses its tail {which} {how}",
            advice="each tail's words must stand there once",
        )


def _in_order(draft: Forest, target: Ragged) -> Forest:
    head, tails, goals, names = _renumbered(draft)
    is_goal = np.zeros(len(names), dtype=np.uint8)
    is_goal[goals] = 1
    rank, edges, kept, on_cycle = _native.order_forest(head, tails.begin, tails.values, is_goal)
    if on_cycle >= 0:
        raise InputError(
            f"the forest is cyclic: node {names[on_cycle]} can be derived from itself", advice="a forest is acyclic"
        )
    if kept == 0:
        raise InputError("the forest is empty: no goal has a complete derivation")
    ends = np.flatnonzero(rank[goals] >= 0)
    ends = ends[np.argsort(rank[goals[ends]])]
    used = np.flatnonzero(rank >= 0)
    node_of = np.empty(kept, dtype=np.int64)
    node_of[rank[used]] = names[used]
    chosen = tails.taken(edges)
    return Forest(
        num_nodes=kept,
        head=frozen(rank[head[edges]]),
        tails=_frozen_rows(Ragged(chosen.begin, rank[chosen.values])),
        target=_frozen_rows(target.taken(edges)),
        goals=frozen(rank[goals[ends]]),
        scores=MappingProxyType(
            {n: Column(frozen(c.arc[edges]), frozen(c.final[ends]), float(c.scale)) for n, c in draft.scores.items()}
        ),
        vocabulary=draft.vocabulary,
        labels=MappingProxyType(
            {n: Labels(frozen(x.arc[edges]), frozen(x.final[ends]), x.vocabulary) for n, x in draft.labels.items()}
        ),
        node_labels=MappingProxyType({n: _of_nodes(n, x, node_of) for n, x in draft.node_labels.items()}),
    )


def _renumbered(
    draft: Forest,
) -> tuple[npt.NDArray[np.int32], Ragged, npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Heads, tails and goals with numbers without gaps, so that tables by node stay small; and the old numbers."""
    if len(draft.tails.values) and draft.tails.values.min() < 0:
        raise InputError(f"node number {draft.tails.values.min()} is negative")
    names = np.unique(np.concatenate([draft.head, draft.tails.values, draft.goals]))
    head, values, goals = (
        np.searchsorted(names, part).astype(np.int32) for part in (draft.head, draft.tails.values, draft.goals)
    )
    return head, Ragged(draft.tails.begin, values), goals, names.astype(np.int64)


def _of_nodes(name: str, labels: NodeLabels, node_of: npt.NDArray[np.int64]) -> NodeLabels:
    if len(labels.node) <= node_of.max():
        raise InputError(f"'{name}' does not have a value for every node")
    labels.vocabulary.check(labels.node)
    return NodeLabels(frozen(labels.node[node_of].astype(np.int32)), labels.vocabulary)


def _frozen_rows(ragged: Ragged) -> Ragged:
    return Ragged(frozen(ragged.begin), frozen(ragged.values))
