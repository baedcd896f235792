"""Python lattice format (Moses, cdec): a lattice a line, `((('tal',-0.73,1),('tarde',-0.82,2),),(('ves',-2.1,1),),)`.

Item i holds the arcs that leave node i; an arc is its word, its scores (log probabilities; or a mapping of named
ones; or none) and how many nodes it goes forward. The end is the node after the last item. `()` is the lattice of
the empty string. The line is parsed, never evaluated, and nesting has a fixed depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

from latticemetric.errors import FormatError, InputError
from latticemetric.formats.columns import as_lattice
from latticemetric.formats.registry import Entry, Format, Graph, register
from latticemetric.formats.stream import Stream
from latticemetric.formats.text_arcs import score
from latticemetric.lattice import Column, Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary

EPSILON_WORD = "*EPS*"

_TOKEN = re.compile(
    r"""\s*(?: (?P<mark>[(){},:])
             | (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
             | (?P<number>[^\s(){},:'"]+) )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)")


class _Arc(NamedTuple):
    source: int
    target: int
    word: str
    scores: dict[str, float]


def _sniff(head: bytes) -> bool:
    line = head.lstrip()
    return re.match(rb"\(\s*\)\s*(\n|$)|\(\s*\(\s*(\(\s*['\"]|\))", line) is not None


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    number = 0
    for line in stream.lines():
        if line.strip():
            number += 1
            place = stream.place()
            yield Entry(str(number), place, lambda line=line, place=place: _parse(line, place))  # type: ignore[misc]


class _Tokens:
    """The tokens of a line, one ahead."""

    def __init__(self, line: str, place: str) -> None:
        self._line, self._place, self._at = line.rstrip(), place, 0
        self.kind, self.text = "", ""
        self.next()

    def next(self) -> str:
        """Moves on; returns what was passed."""
        passed = self.text
        match = _TOKEN.match(self._line, self._at)
        if match and self._at < len(self._line):
            self.kind, self.text = match.lastgroup or "", match[match.lastgroup or 0]
            self._at = match.end()
        elif self._at < len(self._line):
            raise self.error("a quote is not closed")
        else:
            self.kind, self.text = "", ""
        return passed

    def take(self, mark: str) -> bool:
        """Passes a mark if it comes next."""
        if self.kind == "mark" and self.text == mark:
            self.next()
            return True
        return False

    def expect(self, mark: str) -> None:
        if not self.take(mark):
            raise self.error(f"expected '{mark}'")

    def error(self, what: str) -> FormatError:
        found = f"'{self.text[:30]}'" if self.kind else "the end of the line"
        return FormatError(f"{what}, found {found} before column {self._at + 1}", where=self._place)

    @property
    def place(self) -> str:
        return self._place


def _parse(line: str, place: str) -> Lattice:
    tokens = _Tokens(line, place)
    tokens.expect("(")
    arcs: list[_Arc] = []
    node = 0
    while not tokens.take(")"):
        tokens.expect("(")
        while not tokens.take(")"):
            arcs.append(_arc(tokens, node))
            _separate(tokens)
        _separate(tokens)
        node += 1
    if tokens.kind:
        raise tokens.error("the lattice is closed")
    for arc in arcs:
        if arc.target > node:
            raise FormatError(f"the arc '{arc.word}' of node {arc.source} goes beyond the end", where=place)
    return _lattice(arcs, node)


def _separate(tokens: _Tokens) -> None:
    if not tokens.take(",") and tokens.text != ")":
        raise tokens.error("expected ',' or ')'")


def _arc(tokens: _Tokens, node: int) -> _Arc:
    tokens.expect("(")
    if tokens.kind != "text":
        raise tokens.error("expected a quoted word")
    word = _unquoted(tokens.next())
    tokens.expect(",")
    numbers: list[str] = []
    named: dict[str, float] = {}
    while not tokens.take(")"):
        if tokens.take("{"):
            named |= _features(tokens)
        elif tokens.kind == "number":
            numbers.append(tokens.next())
        else:
            raise tokens.error("expected a number")
        _separate(tokens)
    if not numbers or not numbers[-1].isdigit() or int(numbers[-1][:10]) < 1:
        raise FormatError(f"the arc '{word}' must end with the nodes it goes forward, at least 1", where=tokens.place)
    values = [-score(number, tokens.place) for number in numbers[:-1]]
    names = ["score"] if len(values) == 1 else [f"score_{k}" for k in range(len(values))]
    return _Arc(node, node + int(numbers[-1][:10]), word, {**dict(zip(names, values, strict=True)), **named})


def _features(tokens: _Tokens) -> dict[str, float]:
    features: dict[str, float] = {}
    while not tokens.take("}"):
        if tokens.kind != "text":
            raise tokens.error("expected a quoted feature name")
        name = _unquoted(tokens.next())
        tokens.expect(":")
        if tokens.kind != "number":
            raise tokens.error(f"expected the value of feature '{name}'")
        features[name] = -score(tokens.next(), tokens.place)
        if not tokens.take(",") and tokens.text != "}":
            raise tokens.error("expected ',' or '}'")
    return features


def _unquoted(text: str) -> str:
    return _ESCAPE.sub(r"\1", text[1:-1])


def _lattice(arcs: list[_Arc], end: int) -> Lattice:
    words = Vocabulary.from_words(arc.word for arc in arcs if arc.word not in {EPSILON_WORD, ""})
    names = dict.fromkeys(name for arc in arcs for name in arc.scores)
    scores = {name: Column(np.array([arc.scores.get(name, 0.0) for arc in arcs]), np.zeros(1)) for name in names}
    return Lattice.from_arcs(
        [arc.source for arc in arcs],
        [arc.target for arc in arcs],
        [words.number(arc.word) if arc.word in words else EPSILON for arc in arcs],
        final=[end],
        scores=scores,
        vocabulary=words,
    )


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    lattice = as_lattice(graph)
    last = lattice.num_states - 1
    end_costs = {
        name: dict(zip(lattice.final.tolist(), c.final.tolist(), strict=True)) for name, c in lattice.scores.items()
    }
    plain = lattice.final.tolist() == [last] and not any(cost for c in end_costs.values() for cost in c.values())
    # A final state that is not the last, or costs something, gets an ε-arc to an end of its own.
    items: list[list[str]] = [[] for _ in range(last if plain else last + 1)]
    end = last if plain else last + 1
    columns = {name: column.arc.tolist() for name, column in lattice.scores.items()}
    for arc, (source, target) in enumerate(zip(lattice.source.tolist(), lattice.target.tolist(), strict=True)):
        word = lattice.vocabulary.word(int(lattice.word[arc])) or EPSILON_WORD
        if lattice.word[arc] != EPSILON and word == EPSILON_WORD:
            raise InputError(f"the word '{EPSILON_WORD}' would be read back as no word at all")
        items[source].append(_arc_to_write(word, {n: c[arc] for n, c in columns.items()}, target - source))
    if not plain:
        for state in lattice.final.tolist():
            costs = {name: values[state] for name, values in end_costs.items()}
            items[state].append(_arc_to_write(EPSILON_WORD, costs, end - state))
    line = "".join("(" + "".join(f"{arc}," for arc in item) + ")," for item in items)
    file.write(f"({line})\n".encode())


def _arc_to_write(word: str, costs: dict[str, float], distance: int) -> str:
    escaped = word.replace("\\", "\\\\").replace("'", "\\'")
    positional = list(costs) in (["score"], [f"score_{k}" for k in range(len(costs))])
    values = [(name, 0.0 - cost) for name, cost in costs.items()]
    if positional:
        fields = [repr(value) for _, value in values]
    else:
        names = [(name.replace("\\", "\\\\").replace("'", "\\'"), value) for name, value in values]
        fields = ["{" + "".join(f"'{name}':{value!r}," for name, value in names) + "}"] if names else []
    return "(" + ",".join([f"'{escaped}'", *fields, str(distance)]) + ")"


register(Format("plf", (".plf",), _sniff, _read, _write))
