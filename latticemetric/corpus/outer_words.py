"""Say if all paths begin or end with words that no reference has: sentence marks, which count as errors."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from latticemetric.automata.reference import words_in
from latticemetric.errors import shortened
from latticemetric.forest.forest import Forest
from latticemetric.formats.streams.once import OnceWarning
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.base import GraphText
from latticemetric.nbest import NBest
from latticemetric.vocabulary import EPSILON, Words, split_words

_MANY: Final = -1
_FEWEST_GRAPHS = 3  # a word that looks like any other is named only after so many graphs
_MOST_EDGES = 10**5  # larger forests take too long for a note
_SHOWN = 40


@dataclass
class _Side:
    """The word that begins (or ends) all paths of all graphs so far; `ruled_out` once there is no such word."""

    verb: str
    word: str = ""
    graphs: int = 0
    ruled_out: bool = False

    def add(self, word: str | None, spoken: Collection[str]) -> None:
        """Count a graph whose paths all have `word`; `spoken` are the words of its references."""
        is_another = self.graphs > 0 and word != self.word
        self.ruled_out |= word is None or is_another or word in spoken or self.word in spoken
        self.word, self.graphs = word or "", self.graphs + 1

    @property
    def is_mark(self) -> bool:
        """True if the word is surely a mark: it looks like one, or enough graphs have it."""
        if self.ruled_out or not self.graphs:
            return False
        return not (self.word[0].isalnum() and self.word[-1].isalnum()) or self.graphs >= _FEWEST_GRAPHS


class OuterWords:
    """Finds the marks of a run, graph by graph, and names them once."""

    def __init__(self) -> None:
        self._warning = OnceWarning()
        self._sides = (_Side("begin"), _Side("end"))

    def forget(self) -> None:
        """Begin a new run."""
        self._warning.forget()
        self._sides = (_Side("begin"), _Side("end"))

    @property
    def is_settled(self) -> bool:
        """True if there is nothing to say about further graphs."""
        return all(side.ruled_out for side in self._sides) or bool(self._warning)

    def add(self, place: str, graph: Graph, spoken: Iterable[str], ignored: Collection[str]) -> None:
        """Add a graph and the words of its references; `ignored` are words that do not count anyway."""
        if not self.is_settled:
            self.add_words(place, outer_words(graph), spoken, ignored)

    def add_words(
        self, place: str, words: Iterable[str | None], spoken: Iterable[str], ignored: Collection[str]
    ) -> None:
        """Add the outer words of a graph; see `add`."""
        if self.is_settled:
            return
        known = {*spoken, *ignored}
        for side, word in zip(self._sides, words, strict=True):
            side.add(word, known)
        if found := _marks(self._sides):
            listed, words = found
            counts, them = ("they count as errors", "them") if " " in words else ("it counts as an error", "it")
            what = f"all paths {listed}, which no reference has so far; {counts}"
            self._warning.write(place, f"{what}; to leave {them} out, give ignore='{words}'")


def _marks(sides: Iterable[_Side]) -> tuple[str, str] | None:
    """Return how all texts begin or end, and the words to ignore; `None` if these are no marks."""
    marks = [side for side in sides if side.is_mark]
    if not marks:
        return None
    listed = " and ".join(f"{side.verb} with '{shortened(side.word, _SHOWN)}'" for side in marks)
    return listed, " ".join(dict.fromkeys(side.word for side in marks))


def note_on_texts(
    system: str, texts: Iterable[GraphText], references: Iterable[GraphText], ignored: Collection[str] = ()
) -> tuple[str, ...]:
    """Return a note if all texts of a system begin or end with words that no reference has, and that are not ignored.

    Examples:
        >>> note_on_texts("out.txt", ["<s> a b", "<s> c"], ["a b", "d"])
        ("all lines of out.txt begin with '<s>', which no reference has; ignore='<s>' leaves it out",)
    """
    spoken = {word for reference in references for word in _words(reference)}.union(ignored)
    sides = (_Side("begin"), _Side("end"))
    for text in texts:
        for side, place in zip(sides, (0, -1), strict=True):
            if not side.ruled_out:
                words = _words(text) if not isinstance(text, Lattice) else []
                word = outer_words(text)[place] if isinstance(text, Lattice) else words[place] if words else None
                side.add(word, spoken)
    found = _marks(sides)
    if found is None:
        return ()
    listed, words_to_ignore = found
    what = f"all lines of {shortened(system)} {listed}, which no reference has"
    return (f"{what}; ignore='{words_to_ignore}' leaves it out",)


def _words(text: GraphText) -> Sequence[str]:
    if isinstance(text, Lattice):
        return words_in(text)
    return split_words(text) if isinstance(text, str) else text


def outer_words(graph: Graph) -> tuple[str | None, str | None]:
    """Return the word with which all paths of a graph begin, and the one with which all end; `None` if there is none.

    Examples:
        >>> outer_words(Lattice.from_strings(["<s> a b", "<s> b"]))
        ('<s>', 'b')
    """
    if isinstance(graph, NBest):
        first, last = ({h.words[place] if h.words else "" for h in graph.hypotheses} for place in (0, -1))
        return _only(first), _only(last)
    if isinstance(graph, Forest):
        numbers = (_MANY, _MANY) if len(graph.head) > _MOST_EDGES else (_of_forest(graph, 1), _of_forest(graph, -1))
    else:
        numbers = _first(graph), _last(graph)
    first_word, last_word = (graph.vocabulary.word(number) if number > EPSILON else None for number in numbers)
    return first_word, last_word


def _only(words: Collection[str]) -> str | None:
    return next(iter(words)) or None if len(words) == 1 else None


def _first(lattice: Lattice) -> int:
    """Return the number of the first word of all paths; otherwise a number that is no word's."""
    return _reached(lattice.source, lattice.target, lattice.word, [0], lattice.final.tolist())


def _last(lattice: Lattice) -> int:
    return _reached(lattice.target[::-1], lattice.source[::-1], lattice.word[::-1], lattice.final.tolist(), [0])


def _reached(source: Words, target: Words, word: Words, begin: Iterable[int], end: Iterable[int]) -> int:
    """Return the only word on the way from `begin`, over arcs with ε, to the first word; `_MANY` if there are several.

    Arcs must be in an order in which the arcs into a state come before those out of it.
    """
    states, found, stop = set(begin), EPSILON, set(end)
    if states & stop:
        return _MANY
    for one, other, number in zip(source.tolist(), target.tolist(), word.tolist(), strict=True):
        if one not in states:
            continue
        if number == EPSILON:
            if other in stop:
                return _MANY  # a path without words
            states.add(other)
        elif found not in (EPSILON, number):
            return _MANY
        else:
            found = number
    return found


def _of_forest(forest: Forest, step: int) -> int:
    """Return the number of the first word of all derivations (with `step` −1, of the last word); or `_MANY`."""
    begin, symbols = forest.target.begin.tolist(), forest.target.values.tolist()
    tail_begin, tails = forest.tails.begin.tolist(), forest.tails.values.tolist()
    found: list[int | None] = [None] * forest.num_nodes  # ε: the node has no words
    for edge, head in enumerate(forest.head.tolist()):
        outer = EPSILON
        for symbol in symbols[begin[edge] : begin[edge + 1]][::step]:
            outer = symbol if symbol > EPSILON else found[tails[tail_begin[edge] - symbol - 1]] or EPSILON
            if outer != EPSILON:
                break
        found[head] = outer if found[head] in (None, outer) else _MANY
    goals = {found[goal] for goal in forest.goals.tolist()}
    return (goals.pop() or EPSILON) if len(goals) == 1 else _MANY
