"""Read and write forests of Travatar in JSON, one per line: nodes, edges, and the words of the source sentence.

`{"nodes": [{"id": 0, "sym": "S", "span": [0, 3]}], "edges": [{"id": 0, "head": 0, "tails": [1], "trg": [{"words": [-1,
"dog"]}], "features": {"lm": -2.5}, "score": -1.25}], "words": ["perro"]}`. Strings in `words` are words, −k is the k-th
tail. Node 0 is the goal. Scores are log probabilities: costs are the negated values. `score` is the model's total: if
a forest has it, the features have scale 0. A score of 0 is not written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import IO, Any

import numpy as np

from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.forest.forest import CATEGORY, Forest, NodeLabels
from latticemetric.formats.columns import require_unscaled
from latticemetric.formats.forests.fields import (
    Features,
    features_of,
    forest_to_write,
    spelling_of,
    texts_of,
    with_one_goal,
)
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.fields import labels_of_arcs
from latticemetric.formats.text.json import (
    blank_lines,
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
from latticemetric.lattice.lattice import Column, Labels
from latticemetric.vocabulary import Vocabulary, split_words

_NAME = "travatar-json"
_SOURCE, _SENTENCE, _SPAN, _TOTAL = "source", "sentence", "span", "score"
_NO_SPAN = "-1,-1"
_TWO_NUMBERS = re.compile(r"-?[0-9]{1,9},-?[0-9]{1,9}")
_ADVICE = "leave labels out with --drop-labels"

_FIRST = re.compile(rb'\s*\{\s*"nodes"\s*:\s*\[\s*(?:\]|\{\s*"(?:id|sym|span)"\s*:)')


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    number = 0
    for line in stream.byte_lines():
        if line.strip():
            # Count blank lines, except at the end: so a missing forest does not shift the numbers of others.
            yield from blank_lines(stream, range(number + 1, stream.line))
            number = stream.line
            yield Entry(str(number), stream.place(), partial(_parse, line, stream.name, number))


def _parse(line: bytes, file: str, number: int) -> Forest:
    place = f"{file}:{number}"
    return _Reader(fields_of(parsed_json(line, file, number), place), place).forest(len(line))


class _Reader:
    """Collect the forest of one line."""

    def __init__(self, fields: dict[str, Any], place: str) -> None:
        self._place = place
        source = [text_of(word, "a source word", place) for word in list_of(fields.get("words"), "words", place)]
        if odd := [word for word in source if split_words(word) != [word]]:
            raise FormatError(f"the source word {shortened(odd[0], 40)!r} is empty or holds white space", where=place)
        self._sentence = " ".join(source)
        self._categories, self._spans, self._sources = list[str](), list[str](), list[str]()
        self._numbers: dict[str, int] = {}
        self._features = Features()
        self._total: list[float] = []
        self._has_total = False
        nodes = list_of(fields.get("nodes"), "nodes", place)
        for node, value in enumerate(nodes):
            self._take_node(fields_of(value, f"{place}, node {node}"), node)
        self._nodes = len(nodes)
        self._head: list[int] = []
        self._tails: list[list[int]] = []
        self._target: list[list[int]] = []
        for edge, value in enumerate(list_of(fields.get("edges"), "edges", place)):
            self._take_edge(fields_of(value, f"{place}, edge {edge}"), edge)

    def _take_node(self, fields: dict[str, Any], node: int) -> None:
        place = f"{self._place}, node {node}"
        self._check_id(fields, node, place)
        symbol = fields.get("sym")
        self._categories.append("" if symbol is None else text_of(symbol, "sym", place))
        span = ",".join(map(str, numbers_of(fields.get("span"), "span", place)))
        if span and span.count(",") != 1:
            raise FormatError("the span is not two numbers", where=place)
        self._spans.append(span if span != _NO_SPAN else "")

    @staticmethod
    def _check_id(fields: dict[str, Any], number: int, place: str) -> None:
        if "id" in fields and integer(fields["id"], "id", place) != number:
            raise FormatError(f"the id is {fields['id']}", where=place, advice="number ids from 0, in order")

    def _take_edge(self, fields: dict[str, Any], edge: int) -> None:
        place = f"{self._place}, edge {edge}"
        self._check_id(fields, edge, place)
        # Number nodes from the last one, so that tails, which follow their heads in the file, come first.
        self._head.append(self._nodes - 1 - node_in(fields.get("head"), self._nodes, "head", place))
        tails = list_of(fields.get("tails"), "tails", place)
        self._tails.append([self._nodes - 1 - node_in(tail, self._nodes, "a tail", place) for tail in tails])
        self._target.append(self._words_of(fields, len(tails), place))
        features = fields.get("features")
        for name, value in fields_of(() if features is None else features, f"{place}, features").items():
            key = text_of(name, "a feature's name", place)
            self._features.add(edge, key, real(value, f"feature '{shortened(key, 40)}'", place))
        source = fields.get("src_str")
        self._sources.append("" if source is None else text_of(source, "src_str", place))
        self._has_total = self._has_total or _TOTAL in fields
        self._total.append(0.0 - real(fields.get(_TOTAL, 0.0), _TOTAL, place))

    def _words_of(self, fields: dict[str, Any], tails: int, place: str) -> list[int]:
        factors = list_of(fields.get("trg"), "trg", place)
        if len(factors) > 1:
            raise InputError(
                f"the edge has {len(factors)} target sides",
                where=place,
                advice="write the forest for one target language",
            )
        if not factors and tails:
            raise InputError(
                "the edge has no target side (trg)", where=place, advice="use the decoder's output, not its input"
            )
        factor = fields_of(factors[0], f"{place}, trg") if factors else {}
        return [self._symbol(word, tails, place) for word in list_of(factor.get("words"), "words", place)]

    def _symbol(self, word: object, tails: int, place: str) -> int:
        if not isinstance(word, str):
            number = integer(word, "words", place)
            if not -tails <= number < 0:
                raise FormatError(
                    f"words holds {shown(word)}, which is not a tail",
                    where=place,
                    advice="write words as texts, tails as −1, −2, …",
                )
            return number
        if not word:
            raise FormatError("a word is empty", where=place)
        return self._numbers.setdefault(text_of(word, "a word", place), len(self._numbers) + 1)

    def forest(self, size: int) -> Forest:
        """Build the forest."""
        if not self._nodes:
            raise InputError("the forest is empty: it has no node", where=self._place)
        edges = len(self._head)
        columns = self._features.columns(
            edges, size, lambda edge: f"{self._place}, edge {edge}", scale=0.0 if self._has_total else 1.0
        )
        if self._has_total:
            if _TOTAL in columns:
                raise FormatError(f"a feature has the name of the total, '{_TOTAL}'", where=self._place)
            columns = {_TOTAL: Column(np.array(self._total), np.zeros(1)), **columns}
        labels = {_SOURCE: labels_of_arcs(self._sources)} if any(self._sources) else {}
        if self._sentence:
            words = Vocabulary.from_words([self._sentence])
            labels[_SENTENCE] = Labels(np.zeros(edges, dtype=np.int32), np.ones(1, dtype=np.int32), words)
        node_labels = {}
        for name, texts in ((CATEGORY, self._categories), (_SPAN, self._spans)):
            if any(texts):
                side = NodeLabels.from_texts(texts)
                node_labels[name] = replace(side, node=side.node[::-1])
        return Forest.from_edges(
            self._head,
            self._tails,
            self._target,
            goals=[self._nodes - 1],
            scores=columns,
            vocabulary=Vocabulary.from_words(self._numbers),
            labels=labels,
            node_labels=node_labels,
            node_name=lambda node: f"node {self._nodes - 1 - node}",
        )


# ---- Writing ----


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    """Write one forest on a line; Travatar needs the goal first, and a symbol and a span for every node."""
    forest = forest_to_write(graph, _NAME, {_SOURCE, _SENTENCE}, {CATEGORY, _SPAN})
    sentence = _sentence(forest)
    labels = {name: side for name, side in forest.labels.items() if name != _SENTENCE}
    forest = with_one_goal(replace(forest, labels=MappingProxyType(labels)))
    total = _total_of(forest)
    categories = texts_of(forest.node_labels.get(CATEGORY), forest.num_nodes)
    spans = [_span(text) for text in texts_of(forest.node_labels.get(_SPAN), forest.num_nodes)]
    nodes = [
        f'{{"id": {number}, "sym": {quoted(category)}, "span": [{span}]}}'
        for number, (category, span) in enumerate(zip(reversed(categories), reversed(spans), strict=True))
    ]
    edges = ", ".join(_edges(forest, total))
    words = ", ".join(map(quoted, sentence))
    file.write(f'{{"nodes": [{", ".join(nodes)}], "edges": [{edges}], "words": [{words}]}}\n'.encode())


def _total_of(forest: Forest) -> list[float] | None:
    """Return the model's total scores; `None` if there are none. Refuse other scores with weight."""
    if _TOTAL not in forest.scores:
        require_unscaled(forest, _NAME)
        return None
    if any(column.scale != (name == _TOTAL) for name, column in forest.scores.items()):
        raise UsageError(
            f"{_NAME} can give weight only to the total '{_TOTAL}'", advice="add the scores up with --sum-scores"
        )
    total: list[float] = (0.0 - forest.scores[_TOTAL].arc).tolist()
    return total


def _edges(forest: Forest, total: list[float] | None) -> Iterator[str]:
    last = forest.num_nodes - 1
    spelling = {number: quoted(word) for number, word in spelling_of(forest, _word).items()}
    sources = texts_of(forest.labels.get(_SOURCE), len(forest.head))
    features = features_of(forest, leave_out=_TOTAL)
    rows = zip(forest.head.tolist(), forest.tails.rows(), forest.target.rows(), features, strict=True)
    for edge, (head, tails, target, values) in enumerate(rows):
        parts = [f'{{"id": {edge}, "head": {last - head}']
        if tails:
            parts.append(f'"tails": [{", ".join(str(last - tail) for tail in tails)}]')
        parts.append(f'"trg": [{{"words": [{", ".join(spelling[t] if t > 0 else str(t) for t in target)}]}}]')
        if values:
            parts.append(f'"features": {{{", ".join(f"{quoted(name)}: {value!r}" for name, value in values)}}}')
        if sources[edge]:
            parts.append(f'"src_str": {quoted(sources[edge])}')
        if total is not None:
            parts.append(f'"score": {total[edge]!r}')
        yield ", ".join(parts) + "}"


def _sentence(forest: Forest) -> list[str]:
    """Return the source sentence, a label of the goals."""
    label = forest.labels.get(_SENTENCE)
    if label is None:
        return []
    texts = {label.vocabulary.word(n) for n in label.final.tolist()}
    if label.arc.any() or len(texts) != 1:
        raise UsageError(f"the label '{_SENTENCE}' differs among goals", advice=_ADVICE)
    (text,) = texts
    words = split_words(text)
    if " ".join(words) != text:
        raise UsageError(f"the label '{_SENTENCE}' is not words with single spaces between them", advice=_ADVICE)
    return words


def _span(text: str) -> str:
    if text and not _TWO_NUMBERS.fullmatch(text):
        raise UsageError(f"'{shortened(text, 40)}' is not a span", advice=_ADVICE)
    return (text or _NO_SPAN).replace(",", ", ")


def _word(text: str) -> str:
    if not text:
        raise InputError("an empty word cannot be written", advice="write another format")
    return text


register(Format(_NAME, (".travatar.json",), lambda head: bool(_FIRST.match(head)), _read, _write))
