"""Why nothing can be derived from a forest's goals: for errors that name the fault."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Fault(NamedTuple):
    """A node that no derivation gets past: it has no edges, or its derivations would never end."""

    node: int
    has_edges: bool


def find_fault(head: Sequence[int], tails: Sequence[Sequence[int]], goals: Sequence[int]) -> Fault | None:
    """What keeps all goals from being derived; `None` where one of them can be."""
    productive = _productive(head, tails)
    if any(goal in productive for goal in goals):
        return None
    edges = defaultdict(list)
    for edge, node in enumerate(head):
        edges[node].append(edge)
    seen, pending = set(goals), list(reversed(goals))
    while pending:
        node = pending.pop()
        if node not in edges:
            return Fault(node, has_edges=False)
        needed = dict.fromkeys(tail for edge in edges[node] for tail in tails[edge] if tail not in productive)
        pending += [tail for tail in needed if tail not in seen]
        seen.update(needed)
    # Each of these nodes has an edge with a tail among them: going from one to the next must come round.
    node, passed = goals[0], set[int]()
    while node not in passed:
        passed.add(node)
        node = next(tail for tail in tails[edges[node][0]] if tail not in productive)
    return Fault(node, has_edges=True)


def _productive(head: Sequence[int], tails: Sequence[Iterable[int]]) -> set[int]:
    """The nodes that have a derivation: those with an edge all of whose tails have one."""
    missing = [set(row) for row in tails]
    users = defaultdict(list)
    for edge, row in enumerate(missing):
        for tail in row:
            users[tail].append(edge)
    pending = [node for node, row in zip(head, missing, strict=True) if not row]
    found = set[int]()
    while pending:
        node = pending.pop()
        if node in found:
            continue
        found.add(node)
        for edge in users[node]:
            missing[edge].discard(node)
            if not missing[edge]:
                pending.append(head[edge])
    return found
