"""Split the words of a lattice into units, for metrics of characters or other parts of words.

The native engine splits words during the search. Other searches use the lattice of units, where each arc becomes a
chain of arcs with one unit each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, Self, TypeGuard

import numpy as np
import numpy.typing as npt

from latticemetric.lattice.columns import Costs, Floats, Steps
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary, Words, numbered_words

_AFTER_CHARACTERS = 0x110001  # a character has the number of its code point, plus 1, since number 0 is ε
_WITHIN = -1  # an arc or state within a word


class UnitNumbers:
    """Assigns numbers to units; equal units get the same number in all graphs and references of a search.

    Examples:
        >>> UnitNumbers().encode(["a", "b", "GPU", "a"]).tolist()
        [98, 99, 1114113, 98]
    """

    def __init__(self) -> None:
        self._longer: dict[str, int] = {}

    def encode(self, units: Sequence[str]) -> Words:
        """Return the number of each unit; assign new numbers to new units."""
        text = "".join(units)
        if len(text) == len(units):
            encoded = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<i4")
            return encoded.astype(np.int32) + np.int32(1)
        longer = self._longer
        numbers = (
            ord(unit) + 1 if len(unit) == 1 else longer.setdefault(unit, _AFTER_CHARACTERS + len(longer))
            for unit in units
        )
        return np.fromiter(numbers, dtype=np.int32, count=len(units))


def _are_strings(words: Sequence[Sequence[str]]) -> TypeGuard[Sequence[str]]:
    """Return True if words are strings, so that their units are characters."""
    return all(isinstance(word, str) for word in words)


@dataclass(frozen=True, eq=False)
class Spelling:
    """The words of a lattice's arcs, and their units.

    Attributes:
        label: The number of each arc's word; distinct words are numbered from 1, and ε is 0.
        begin: Word w has the units `units[begin[w - 1] : begin[w]]`.
        units: The numbers of the units of all words, word by word.
        separator: The number of the unit between two words of a path; 0 if there is none.
        numbers: Assigns numbers to units.
    """

    label: Words
    begin: npt.NDArray[np.int64]
    units: Words
    separator: int
    numbers: UnitNumbers

    @classmethod
    def of(
        cls,
        word: Words,
        vocabulary: Vocabulary,
        spelled: Callable[[Sequence[str]], Sequence[Sequence[str]]],
        separator: str | None,
        numbers: UnitNumbers | None = None,
    ) -> Self:
        """Split the word of each arc into units; ε has no units and no separator.

        Args:
            word: The number of each arc's word in `vocabulary`, 0 for ε.
            vocabulary: The words.
            spelled: Returns the units of each word.
            separator: The unit between two words; `None` for none.
            numbers: Assigns numbers to units; give the same object for all graphs of a search. `None`: a new object.
        """
        numbers = UnitNumbers() if numbers is None else numbers
        distinct, label = numbered_words(word)
        words = spelled(vocabulary.words(distinct))
        begin = np.cumsum([0, *map(len, words)], dtype=np.int64)
        units = numbers.encode("".join(words) if _are_strings(words) else list(chain.from_iterable(words)))
        between = EPSILON if separator is None else int(numbers.encode([separator])[0])
        return cls(label, begin, units, between, numbers)


class SpelledLattice(NamedTuple):
    """The lattice of units. It has the paths of the original lattice; the arcs that leave a state keep their order.

    With a separator, a state has two copies if some paths to the state have words, and other paths have none.

    Attributes:
        lattice: The lattice whose words are numbers of units; it has no vocabulary and no scores.
        arc: For the first arc of each word (or ε), the original arc; −1 for arcs within words.
        state: For each state, the original state; −1 for states within words.
    """

    lattice: Lattice
    arc: Steps
    state: Steps

    def arcs_of(self, path: npt.ArrayLike) -> Steps:
        """Return the arcs of the original lattice along a path of this lattice."""
        arcs = self.arc[np.asarray(path, dtype=np.int64)]
        own: Steps = arcs[arcs != _WITHIN]
        return own

    def of_arcs(self, column: npt.NDArray[Any], within: Any = 0) -> npt.NDArray[Any]:
        """Convert a column of the original arcs to a column of this lattice's arcs.

        The first arc of a word gets the value of the original arc; the other arcs of a word get the value `within`.
        """
        return np.where(self.arc == _WITHIN, within, column[self.arc]).astype(column.dtype)

    def of_states(self, column: npt.NDArray[Any], within: Any = 0) -> npt.NDArray[Any]:
        """Convert a column of the original states to a column of this lattice's states.

        States within words get the value `within`.
        """
        return np.where(self.state == _WITHIN, within, column[self.state]).astype(column.dtype)

    def cost(self, cost: Costs) -> Costs:
        """Convert the costs of the original lattice; the first arc of a word gets the whole cost."""
        return Costs(self.of_arcs(cost.arc), self.of_states(cost.final, np.inf))

    def sums_of_arcs(self, column: Floats, arcs: int) -> Floats:
        """For each of the `arcs` original arcs, sum a column over the first arcs of its chains of units."""
        begins = self.arc != _WITHIN
        return np.bincount(self.arc[begins], column[begins], arcs).astype(np.float64)

    def sums_of_states(self, column: Floats, states: int) -> Floats:
        """For each of the `states` original states, sum a column over the copies of the state."""
        own = self.state != _WITHIN
        return np.bincount(self.state[own], column[own], states).astype(np.float64)


def spelled_lattice(lattice: Lattice, spelling: Spelling) -> SpelledLattice:
    """Build the lattice of units: each arc becomes a chain of arcs, one for each unit of its word."""
    label, has_separator = spelling.label, spelling.separator != EPSILON
    if has_separator:
        state, after_words = _copies(lattice, label).T
    else:
        state = np.arange(lattice.num_states)
        after_words = np.zeros_like(state)
    # List the arcs that leave each copy of a state, and count their units.
    begin = np.searchsorted(lattice.source, np.arange(lattice.num_states + 1))
    degree = (begin[1:] - begin[:-1])[state]
    copy = np.repeat(np.arange(len(state)), degree)
    arc = np.arange(len(copy)) - np.repeat(np.cumsum(degree) - degree, degree) + begin[:-1][state][copy]
    word = label[arc]
    separated = (after_words[copy] != 0) & (word != EPSILON)
    lengths = np.append(0, np.diff(spelling.begin))
    size = np.maximum(1, lengths[word] + separated)
    # Number the states: each copy is followed by the states within its arcs.
    within = size - 1
    first_within = copy + 1 + np.cumsum(within) - within
    number = np.arange(len(state)) + np.append(0, np.cumsum(within))[np.append(0, np.cumsum(degree))[:-1]]
    # Copies are sorted by state and by whether words come before.
    keys = state * 2 + after_words
    after = ((word != EPSILON) | (after_words[copy] != 0)) if has_separator else np.zeros(len(copy), dtype=np.bool_)
    target = number[np.searchsorted(keys, lattice.target[arc].astype(np.int64) * 2 + after)]
    # Make one row for each unit.
    row = np.repeat(np.arange(len(copy)), size)
    place = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size)
    unit = spelling.begin[np.maximum(word - 1, 0)][row] + place - separated[row]
    is_unit = (word[row] != EPSILON) & (place < (lengths[word] + separated)[row])
    units = np.append(spelling.units, np.int32(EPSILON))[np.where(is_unit, np.maximum(unit, 0), -1)]
    units = np.where(is_unit & separated[row] & (place == 0), spelling.separator, units)
    source = np.where(place == 0, number[copy][row], first_within[row] + place - 1)
    onward = np.where(place == within[row], target[row], first_within[row] + place)
    order = np.argsort(source, kind="stable")
    states = np.full(len(state) + int(within.sum()), _WITHIN, dtype=np.int64)
    states[number] = state
    spelled = Lattice.from_arcs(
        source[order], onward[order], units[order], final=np.flatnonzero(np.isin(states, lattice.final))
    )
    if spelled.num_states != len(states):
        raise AssertionError("a state of the lattice of units leads nowhere: this is a bug; please report it")
    return SpelledLattice(spelled, np.where(place == 0, arc[row], _WITHIN)[order], states)


def _copies(lattice: Lattice, label: Words) -> npt.NDArray[np.int64]:
    """Return the copies of states as sorted rows: the state, and 1 if the paths to this copy have words, else 0."""
    source, target, words = lattice.source.tolist(), lattice.target.tolist(), label.tolist()
    silent = {0}
    for at, onward, word in zip(source, target, words, strict=True):
        if word == EPSILON and at in silent:
            silent.add(onward)
    # Find the states that paths reach both without and with a word before: a path without words leads to them, and so
    # does an arc with a word, or an arc from a state that a path with words reaches.
    both = set()
    for at, onward, word in zip(source, target, words, strict=True):
        if onward in silent and (word != EPSILON or at not in silent or at in both):
            both.add(onward)
    rows = [(state, 0) for state in silent]
    rows += [(state, 1) for state in range(lattice.num_states) if state not in silent or state in both]
    return np.array(sorted(rows), dtype=np.int64)
