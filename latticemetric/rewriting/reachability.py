"""Where a rule can be in a lattice, and whether it accepts all texts: those it rejects must not vanish unseen."""

from __future__ import annotations

from latticemetric.errors import InputError, shortened
from latticemetric.lattice import Lattice
from latticemetric.rewriting.rule import AFTER, BEFORE, Rule

MOST_SETS = 1_000_000

_Set = frozenset[int]
# A state of the lattice with the states the rule may be in: what led there, and by which word.
_Trail = dict[tuple[int, _Set], tuple[tuple[int, _Set], str] | None]


def arcs_from(lattice: Lattice) -> list[list[tuple[int, int, str]]]:
    """The arcs that leave each state: number, target and word."""
    arcs: list[list[tuple[int, int, str]]] = [[] for _ in range(lattice.num_states)]
    columns = (lattice.source, lattice.target, lattice.word)
    for arc, (source, target, word) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        arcs[source].append((arc, target, lattice.vocabulary.word(word)))
    return arcs


def useful_states(rule: Rule, lattice: Lattice) -> list[set[int]]:
    """The states of a rule, at each state of a lattice, that it can come to and go on from to the end of a text."""
    arcs, finals = arcs_from(lattice), set(lattice.final.tolist())
    found: list[set[int]] = [set() for _ in arcs]
    found[0].add(BEFORE)
    for states, leaving in zip(found, arcs, strict=True):
        for _, target, word in leaving:
            found[target].update(rule.states_after(frozenset(states), word) if word else states)
    for state, states in reversed(list(enumerate(found))):
        ends = {BEFORE, AFTER} if state in finals else set()
        for at in tuple(states):
            if at not in ends and not any(_goes_on(rule, at, word, found[target]) for _, target, word in arcs[state]):
                states.discard(at)
    return found


def _goes_on(rule: Rule, at: int, word: str, useful: set[int]) -> bool:
    return any(step.state in useful for step in rule.steps(at, word)) if word else at in useful


def check_accepted(rule: Rule, lattice: Lattice) -> None:
    """Refuses a lattice with a text that the rule does not accept.

    The rule made deterministic on the fly: all the states that it can be in after a beginning of a text.

    Raises:
        InputError: Such a text, or its beginning; or there are too many sets of states.
    """
    arcs, finals = arcs_from(lattice), set(lattice.final.tolist())
    here: list[list[_Set]] = [[] for _ in range(lattice.num_states)]
    start = frozenset((BEFORE,))
    here[0].append(start)
    trail: _Trail = {(0, start): None}
    for state, sets in enumerate(here):
        for states in sets:
            if not states or (state in finals and states.isdisjoint((BEFORE, AFTER))):
                raise _rejected(rule, _text(trail, (state, states)), whole=bool(states))
            for _, target, word in arcs[state]:
                following = rule.states_after(states, word) if word else states
                if (target, following) not in trail:
                    trail[target, following] = (state, states), word
                    here[target].append(following)
        if len(trail) > MOST_SETS:
            raise InputError(f"the rule reads the graph in more than {MOST_SETS} ways", where=rule.where)


def _text(trail: _Trail, node: tuple[int, _Set]) -> str:
    words = []
    while (step := trail[node]) is not None:
        node, word = step
        words.append(word)
    return " ".join(word for word in reversed(words) if word)


def _rejected(rule: Rule, text: str, *, whole: bool) -> InputError:
    beginning = "" if whole else ", which texts here begin with"
    return InputError(
        f"the rule has nothing for '{shortened(text)}'{beginning}",
        where=rule.where,
        advice="let it copy what it does not rewrite, over all bytes",
    )
