"""Read and write hypergraphs of cdec in JSON; one forest per file.

A file is one object whose keys repeat: `rules` (pairs of number and text), `features`, then for each node its `edges`
and the `node`, whose `in_edges` are numbers of edges in the file. `[k]` in a rule's target side is the k-th tail. The
last node is the goal. `feats` of an edge are log probabilities (or other values that the model multiplies with its
weights): costs are the negated values. The file has no weights, so each feature has scale 1. A node without edges has
no words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.forest.forest import CATEGORY, Forest, NodeLabels
from latticemetric.formats.columns import require_unscaled
from latticemetric.formats.forests.fields import (
    Features,
    features_of,
    forest_to_write,
    plain_field,
    spelling_of,
    texts_of,
    with_one_goal,
)
from latticemetric.formats.registry import Format, only_graph, register
from latticemetric.formats.text.fields import labels_of_arcs
from latticemetric.formats.text.json import (
    fields_of,
    integer,
    list_of,
    node_in,
    numbers_of,
    parsed_json,
    quoted,
    real,
    shown,
    text_of,
)
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Labels
from latticemetric.vocabulary import Vocabulary, split_words

_NAME = "cdec-json"
_SOURCE, _LEFT, _SPANS = "source", "lhs", "spans"
_SYMBOL = r"[^\t \n\r\[\],]+"
_TAIL = re.compile(rf"\[(?:{_SYMBOL},)?([1-9][0-9]?)\]")
_ANY_CATEGORY = "X"
_SPANS_OF_AN_EDGE = 4
_NONTERMINAL = re.compile(rf"\[{_SYMBOL}(?:,([1-9][0-9]?))?\]")
_CATEGORY = re.compile(_SYMBOL)
_FOUR_SPANS = re.compile(r"-?[0-9]{1,9}(?:,-?[0-9]{1,9}){3}")
_MOST_TAILS = 99
_ADVICE = "leave labels out with --drop-labels"


_LEFT_SIDE = re.compile(rf"\[({_SYMBOL})\]")
_FIRST = re.compile(
    rb'\s*\{\s*"(?:rules"\s*:\s*(?:\[\s*(?:[0-9]+\s*,\s*"\[|\]\s*,\s*")|null)|(?:features|is_sorted|edges)"\s*:)'
)


class _Rule(NamedTuple):
    """Hold a rule: its left side, its source side, and its target side (word numbers; −k for the k-th tail)."""

    left: str
    source: str
    target: list[int]


class _Edge(NamedTuple):
    rule: _Rule
    tails: list[int]
    spans: str


def _sniff(head: bytes) -> bool:
    match = _FIRST.match(head)
    return match is not None and (b'"rules' in match[0] or b'"in_edges"' in head or b'"rule"' in head)


def _parse(data: bytes, file: str) -> Forest:
    pairs = parsed_json(data, file)
    if not isinstance(pairs, tuple):
        raise FormatError("the file is not a JSON object", where=file)
    reader = _Reader(file)
    for key, value in pairs:
        reader.take(key, value)
    return reader.forest(len(data))


class _Reader:
    """Collect a forest. Rules and features must come before the edges that use them."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._rules: dict[int, _Rule] = {}
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._edges: list[_Edge] = []
        self._head: list[int] = []
        self._categories: list[str] = []
        self._features = Features()

    def take(self, key: str, value: object) -> None:
        """Add one key of the top-level object."""
        if key == "edges":
            for edge in list_of(value, key, self._file):
                self._take_edge(edge, f"{self._file}, edge {len(self._edges)}")
        elif key == "node":
            self._take_node(value, f"{self._file}, node {len(self._categories)}")
        elif key == "rules":
            for number, text in self._pairs(value, "rules are not pairs of a number and a text", key, self._file):
                place = f"{self._file}, rule {shown(number)}"
                if integer(number, "rules", place) in self._rules:
                    raise FormatError("the rule appears twice", where=place)
                self._rules[number] = self._rule(text_of(text, "the rule", place), place)
        elif key == "features":
            self._names = [text_of(name, "a feature's name", self._file) for name in list_of(value, key, self._file)]
        elif key != "is_sorted":
            raise FormatError(f"the key '{shortened(key, 40)}' is not one of cdec's", where=self._file)

    @staticmethod
    def _pairs(value: object, problem: str, key: str, place: str) -> Iterator[tuple[Any, Any]]:
        values = list_of(value, key, place)
        if len(values) % 2:
            raise FormatError(problem, where=place)
        return zip(values[::2], values[1::2], strict=True)

    def _rule(self, text: str, place: str) -> _Rule:
        parts: list[list[str]] = [[]]
        for token in split_words(text):
            if token == "|||":  # noqa: S105
                parts.append([])
            else:
                parts[-1].append(token)
        if len(parts) < 3 or len(parts[0]) != 1 or not (left := _LEFT_SIDE.fullmatch(parts[0][0])):  # noqa: PLR2004
            raise FormatError(f"'{shortened(text, 40)}' is not a rule", where=place, advice="[X] ||| source ||| target")
        tails = [_TAIL.fullmatch(token) for token in parts[2]]
        target = [
            -int(tail[1]) if tail else self._numbers.setdefault(token, len(self._numbers) + 1)
            for token, tail in zip(parts[2], tails, strict=True)
        ]
        return _Rule(left[1], " ".join(parts[1]), target)

    def _take_edge(self, value: object, place: str) -> None:
        fields = fields_of(value, place)
        if unknown := fields.keys() - {"tail", "spans", "feats", "rule"}:
            raise FormatError(f"unknown field of an edge: '{shortened(min(unknown), 40)}'", where=place)
        rule = fields.get("rule")
        if rule is None:
            raise FormatError("the edge has no rule", where=place, advice="let cdec write the forest with its rules")
        if not isinstance(rule, str) and integer(rule, "rule", place) not in self._rules:
            raise FormatError(f"rule {rule} does not exist", where=place)
        parsed = self._rule(text_of(rule, "rule", place), place) if isinstance(rule, str) else self._rules[rule]
        spans = numbers_of(fields.get("spans"), "spans", place)
        if len(spans) not in (0, _SPANS_OF_AN_EDGE):
            raise FormatError(f"the edge has {len(spans)} spans, not {_SPANS_OF_AN_EDGE}", where=place)
        problem = "feats are not pairs of a feature and its value"
        for name, amount in self._pairs(fields.get("feats"), problem, "feats", place):
            if not isinstance(name, str) and not 0 <= integer(name, "feats", place) < len(self._names):
                raise FormatError(f"feature {name} does not exist", where=place)
            key = text_of(name, "a feature's name", place) if isinstance(name, str) else self._names[name]
            self._features.add(len(self._edges), key, real(amount, f"feature '{shortened(key, 40)}'", place))
        tails = numbers_of(fields.get("tail"), "tail", place)
        self._edges.append(_Edge(parsed, tails, ",".join(map(str, spans))))
        self._head.append(-1)

    def _take_node(self, value: object, place: str) -> None:
        fields = fields_of(value, place)
        if unknown := fields.keys() - {"in_edges", "cat"}:
            raise FormatError(f"unknown field of a node: '{shortened(min(unknown), 40)}'", where=place)
        for edge in numbers_of(fields.get("in_edges"), "in_edges", place):
            if not 0 <= edge < len(self._edges):
                raise FormatError(f"edge {edge} does not come before this node", where=place)
            if self._head[edge] >= 0:
                raise FormatError(f"edge {edge} already belongs to node {self._head[edge]}", where=place)
            self._head[edge] = len(self._categories)
        category = fields.get("cat")
        self._categories.append("" if category is None else text_of(category, "cat", place))

    def forest(self, size: int) -> Forest:
        """Build the forest."""
        nodes = len(self._categories)
        if not nodes:
            raise FormatError("the forest is empty: it has no node", where=self._file)
        if -1 in self._head:
            raise FormatError("the edge belongs to no node", where=f"{self._file}, edge {self._head.index(-1)}")
        for number, edge in enumerate(self._edges):
            for tail in edge.tails:
                node_in(tail, nodes, "tail", f"{self._file}, edge {number}")
        # cdec treats nodes without edges as axioms: they get an edge without words and costs.
        for node in sorted(set(range(nodes)) - set(self._head)):
            self._edges.append(_Edge(_Rule(self._categories[node] or _ANY_CATEGORY, "", []), [], ""))
            self._head.append(node)
        columns = self._features.columns(len(self._edges), size, lambda edge: f"{self._file}, edge {edge}")
        return Forest.from_edges(
            self._head,
            [edge.tails for edge in self._edges],
            [edge.rule.target for edge in self._edges],
            goals=[nodes - 1],
            scores=columns,
            vocabulary=Vocabulary.from_words(self._numbers),
            labels=self._labels(),
            node_labels={CATEGORY: NodeLabels.from_texts(self._categories)} if any(self._categories) else None,
        )

    def _labels(self) -> dict[str, Labels]:
        """Return the labels: spans, and those source and left sides that do not follow from the nodes."""
        sources, lefts = list[str](), list[str]()
        for head, edge in zip(self._head, self._edges, strict=True):
            source = _plain_source([self._categories[tail] for tail in edge.tails])
            sources.append(edge.rule.source if edge.rule.source != source else "")
            left = self._categories[head] or _ANY_CATEGORY
            lefts.append(edge.rule.left if edge.rule.left != left else "")
        labels = {_SOURCE: sources, _LEFT: lefts, _SPANS: [edge.spans for edge in self._edges]}
        return {name: labels_of_arcs(texts) for name, texts in labels.items() if any(texts)}


def _plain_source(categories: Sequence[str]) -> str:
    """Return a source side that consists of the tails only."""
    return " ".join(f"[{category or _ANY_CATEGORY},{k}]" for k, category in enumerate(categories, start=1))


# ---- Writing ----


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    """Write one forest."""
    forest = with_one_goal(forest_to_write(graph, _NAME, {_SOURCE, _LEFT, _SPANS}, {CATEGORY}))
    require_unscaled(forest, _NAME)
    categories = [_category(text) for text in texts_of(forest.node_labels.get(CATEGORY), forest.num_nodes)]
    rules: dict[str, int] = {}
    edges: list[list[str]] = [[] for _ in categories]
    for head, edge in _edges(forest, categories, rules):
        edges[head].append(edge)
    names = ",".join(map(quoted, forest.scores))
    parts = [f'"rules":[{",".join(f"{k},{quoted(text)}" for text, k in rules.items())}],"features":[{names}]']
    begin = 0
    for category, own in zip(categories, edges, strict=True):
        in_edges = ",".join(map(str, range(begin, begin + len(own))))
        cat = f',"cat":{quoted(category)}' if category else ""
        parts.append(f'"edges":[{",".join(own)}],"node":{{"in_edges":[{in_edges}]{cat}}}')
        begin += len(own)
    file.write(f"{{{','.join(parts)}}}\n".encode())


def _edges(forest: Forest, categories: list[str], rules: dict[str, int]) -> Iterator[tuple[int, str]]:
    """Yield the head and the JSON of each edge; number rules in order of appearance."""
    numbers = {name: number for number, name in enumerate(forest.scores)}
    spelling = spelling_of(forest, _word)
    sources, lefts, spans = (texts_of(forest.labels.get(name), len(forest.head)) for name in (_SOURCE, _LEFT, _SPANS))
    rows = zip(forest.head.tolist(), forest.tails.rows(), forest.target.rows(), features_of(forest), strict=True)
    for edge, (head, tails, target, features) in enumerate(rows):
        source = sources[edge] or _plain_source([categories[tail] for tail in tails])
        _check_source(source, tails, edge)
        left = _category(lefts[edge]) or categories[head] or _ANY_CATEGORY
        words = " ".join(spelling[t] if t > 0 else f"[{-t}]" for t in target)
        rule = rules.setdefault(f"[{left}] ||| {source} ||| {words}", len(rules) + 1)
        feats = ",".join(f"{numbers[name]},{value!r}" for name, value in features)
        if spans[edge] and not _FOUR_SPANS.fullmatch(spans[edge]):
            raise UsageError(f"'{shortened(spans[edge], 40)}' is not the four spans of an edge", advice=_ADVICE)
        # cdec needs the spans before the rule.
        middle = f'"spans":[{spans[edge]}],' if spans[edge] else ""
        yield head, f'{{"tail":[{",".join(map(str, tails))}],{middle}"feats":[{feats}],"rule":{rule}}}'


def _check_source(source: str, tails: list[int], edge: int) -> None:
    """Check that a source side has a nonterminal for each tail, in order."""
    tokens = split_words(source)
    nonterminals = [match for token in tokens if (match := _NONTERMINAL.fullmatch(token))]
    in_order = all(match[1] in (None, str(k)) for k, match in enumerate(nonterminals, start=1))
    if len(tails) > _MOST_TAILS:
        raise UsageError(f"edge {edge} has {len(tails)} tails, but cdec reads at most {_MOST_TAILS}")
    if len(nonterminals) != len(tails) or not in_order or " ".join(tokens) != source or "|||" in tokens:
        raise UsageError(
            f"the source side '{shortened(source, 40)}' of edge {edge} does not fit a rule with {len(tails)} tails",
            advice=_ADVICE,
        )


def _category(text: str) -> str:
    if text and not _CATEGORY.fullmatch(text):
        raise UsageError(f"'{shortened(text, 40)}' is not a category of cdec", advice=_ADVICE)
    return text


def _word(text: str) -> str:
    if _TAIL.fullmatch(text):
        raise InputError(
            f"the word '{shortened(text, 40)}' would be read back as a tail", advice="write another format"
        )
    return plain_field(text, "the word")


register(Format(_NAME, (".cdec.json",), _sniff, lambda stream, _: only_graph(stream, _parse), _write, single=True))
