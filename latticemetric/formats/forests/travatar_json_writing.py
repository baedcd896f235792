"""How Travatar's forests are written, and what is the same both ways; see `travatar_json`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import IO

from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.forest import CATEGORY, Forest
from latticemetric.formats.columns import require_unscaled
from latticemetric.formats.forests.fields import features_of, forest_to_write, spelling_of, texts_of, with_one_goal
from latticemetric.formats.registry import Graph
from latticemetric.vocabulary import split_words

NAME = "travatar-json"
SOURCE, SENTENCE, SPAN, TOTAL = "source", "sentence", "span", "score"
NO_SPAN = "-1,-1"
_SPAN = re.compile(r"-?[0-9]{1,9},-?[0-9]{1,9}")
_ADVICE = "leave labels out with --drop-labels"


def write(file: IO[bytes], _name: str, graph: Graph) -> None:
    """Writes one forest, a line; Travatar wants the goal first, and a symbol and a span of every node."""
    forest = forest_to_write(graph, NAME, {SOURCE, SENTENCE}, {CATEGORY, SPAN})
    sentence = _sentence(forest)
    forest = with_one_goal(_without_sentence(forest))
    total = _total_of(forest)
    categories = texts_of(forest.node_labels.get(CATEGORY), forest.num_nodes)
    spans = [_span(text) for text in texts_of(forest.node_labels.get(SPAN), forest.num_nodes)]
    nodes = [
        f'{{"id": {number}, "sym": {_json(category)}, "span": [{span}]}}'
        for number, (category, span) in enumerate(zip(reversed(categories), reversed(spans), strict=True))
    ]
    edges = ", ".join(_edges(forest, total))
    words = ", ".join(map(_json, sentence))
    file.write(f'{{"nodes": [{", ".join(nodes)}], "edges": [{edges}], "words": [{words}]}}\n'.encode())


def _total_of(forest: Forest) -> list[float] | None:
    """The model's own score, if it is the only thing that counts."""
    others = [column.scale for name, column in forest.scores.items() if name != TOTAL]
    if TOTAL not in forest.scores:
        require_unscaled(forest, NAME)
        return None
    if forest.scores[TOTAL].scale != 1 or any(others):
        raise UsageError(
            f"{NAME} cannot say that other things count than the total '{TOTAL}'",
            advice="add the scores up with --sum-scores",
        )
    total: list[float] = (0.0 - forest.scores[TOTAL].arc).tolist()
    return total


def _edges(forest: Forest, total: list[float] | None) -> Iterator[str]:
    last = forest.num_nodes - 1
    spelling = {number: _json(word) for number, word in spelling_of(forest, _word).items()}
    sources = texts_of(forest.labels.get(SOURCE), len(forest.head))
    features = features_of(forest, leave_out=TOTAL)
    rows = zip(forest.head.tolist(), forest.tails.rows(), forest.target.rows(), features, strict=True)
    for edge, (head, tails, target, values) in enumerate(rows):
        parts = [f'{{"id": {edge}, "head": {last - head}']
        if tails:
            parts.append(f'"tails": [{", ".join(str(last - tail) for tail in tails)}]')
        parts.append(f'"trg": [{{"words": [{", ".join(spelling[t] if t > 0 else str(t) for t in target)}]}}]')
        if values:
            parts.append(f'"features": {{{", ".join(f"{_json(name)}: {value!r}" for name, value in values)}}}')
        if sources[edge]:
            parts.append(f'"src_str": {_json(sources[edge])}')
        if total is not None:
            parts.append(f'"score": {total[edge]!r}')
        yield ", ".join(parts) + "}"


def _sentence(forest: Forest) -> list[str]:
    """The source sentence, which the only goal has as its label."""
    label = forest.labels.get(SENTENCE)
    if label is None:
        return []
    texts = {label.vocabulary.word(n) for n in label.final.tolist()}
    if label.arc.any() or len(texts) != 1:
        raise UsageError(f"'{SENTENCE}' is not one text of all goals", advice=_ADVICE)
    (text,) = texts
    words = split_words(text)
    if " ".join(words) != text:
        raise UsageError(f"'{SENTENCE}' is not words with a space between each two", advice=_ADVICE)
    return words


def _without_sentence(forest: Forest) -> Forest:
    return replace(forest, labels=MappingProxyType({n: x for n, x in forest.labels.items() if n != SENTENCE}))


def _span(text: str) -> str:
    if text and not _SPAN.fullmatch(text):
        raise UsageError(f"'{shortened(text, 40)}' is no span", advice=_ADVICE)
    return (text or NO_SPAN).replace(",", ", ")


def _word(text: str) -> str:
    if not text:
        raise InputError("an empty word cannot be written", advice="write another format")
    return text


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
