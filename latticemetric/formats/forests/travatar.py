"""Read and write forests of Travatar in JSON, one per line: nodes, edges, and the words of the source sentence.

`{"nodes": [{"id": 0, "sym": "S", "span": [0, 3]}], "edges": [{"id": 0, "head": 0, "tails": [1], "trg": [{"words": [-1,
"dog"]}], "features": {"lm": -2.5}, "score": -1.25}], "words": ["perro"]}`. In `words`, strings are words, and −k is the
k-th tail. Node 0 is the goal. Scores are log probabilities; costs are the negated values. `score` is the model's total:
if a forest has totals, its features have weight 0. Travatar does not write a `score` of 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import IO

import numpy as np

from latticemetric import _native
from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.forest.forest import CATEGORY, Forest
from latticemetric.formats.columns import require_unscaled
from latticemetric.formats.forests.fields import (
    features_of,
    forest_of,
    forest_to_write,
    spelling_of,
    texts_of,
    with_one_goal,
)
from latticemetric.formats.registry import ANY_NAME, Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.json import blank_lines, parsed_json_natively, quoted
from latticemetric.frozen import FrozenDict
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Labels
from latticemetric.vocabulary import Vocabulary, split_words

_NAME = "travatar-json"
_SOURCE, _SENTENCE, _SPAN, _TOTAL = "source", "sentence", "span", "score"
_NO_SPAN = "-1,-1"
_TWO_NUMBERS = re.compile(r"-?[0-9]{1,9},-?[0-9]{1,9}")
_ADVICE = "leave labels out with Corpus.converted(drop_labels=True)"

_FIRST = re.compile(rb'\s*\{\s*"nodes"\s*:\s*\[\s*(?:\]|\{\s*"(?:id|sym|span)"\s*:)')


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    number = 0
    for line in stream.byte_lines():
        if line.strip():
            # Count blank lines, except at the end, so that a missing forest does not change the ids of later forests.
            yield from blank_lines(stream, range(number + 1, stream.line))
            number = stream.line
            yield Entry(str(number), stream.place(), partial(_parse, line, stream.name, number))


def _parse(line: bytes, file: str, number: int) -> Forest:
    parts = parsed_json_natively(_native.parse_travatar_json, line, file, number)
    forest = forest_of(parts, node_name=lambda node: f"node {int(parts['goals'][0]) - node}")
    if not parts["sentence"]:
        return forest
    words = Vocabulary.from_words([parts["sentence"]])
    edges = np.zeros(len(forest.head), dtype=np.int32)
    sentence = Labels(edges, np.ones(1, dtype=np.int32), words)
    return replace(forest, labels=FrozenDict({**forest.labels, _SENTENCE: sentence}))


# ---- Writing ----


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    """Write one forest on a line; Travatar needs the goal first, and a symbol and a span for each node."""
    forest = forest_to_write(graph, _NAME, {_SOURCE, _SENTENCE}, {CATEGORY, _SPAN})
    sentence = _sentence(forest)
    labels = {name: side for name, side in forest.labels.items() if name != _SENTENCE}
    forest = with_one_goal(replace(forest, labels=FrozenDict(labels)))
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
    """Return the total score of each edge, or `None` if the forest has no totals; refuse weights that would change.

    Readers give weight 1 to totals and weight 0 to all other scores. If there are no totals, they give weight 1 to all
    scores.
    """
    if _TOTAL not in forest.scores:
        require_unscaled(forest, _NAME)
        return None
    if any(column.weight != (name == _TOTAL) for name, column in forest.scores.items()):
        raise UsageError(
            f"{_NAME} needs weight 1 for the column '{_TOTAL}' and weight 0 for all others",
            advice="add the columns up with Corpus.converted(sum_scores=True)",
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
    """Return the words of the source sentence: the text of the label `sentence`, which all goals must share."""
    label = forest.labels.get(_SENTENCE)
    if label is None:
        return []
    texts = {label.vocabulary.word(n) for n in label.final.tolist()}
    if label.arc.any() or len(texts) != 1:
        raise UsageError(f"the label '{_SENTENCE}' differs among goals", advice=_ADVICE)
    (text,) = texts
    words = split_words(text)
    if " ".join(words) != text:
        raise UsageError(f"the words of the label '{_SENTENCE}' are not separated by single spaces", advice=_ADVICE)
    return words


def _span(text: str) -> str:
    if text and not _TWO_NUMBERS.fullmatch(text):
        raise UsageError(f"'{shortened(text, 40)}' is not a span of two numbers separated by a comma", advice=_ADVICE)
    return (text or _NO_SPAN).replace(",", ", ")


def _word(text: str) -> str:
    if not text:
        raise InputError("an empty word cannot be written", advice="write another format")
    return text


register(
    Format(
        _NAME, (".travatar.json",), lambda head: bool(_FIRST.match(head)), _read, _write, has_ids=False, sparse=ANY_NAME
    )
)
