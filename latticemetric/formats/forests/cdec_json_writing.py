"""How cdec's JSON hypergraphs are written, and what is the same both ways; see `cdec_json`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import IO

from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.forest import CATEGORY, Forest
from latticemetric.formats.columns import require_unscaled
from latticemetric.formats.forests.fields import (
    features_of,
    forest_to_write,
    plain_field,
    spelling_of,
    texts_of,
    with_one_goal,
)
from latticemetric.formats.registry import Graph
from latticemetric.vocabulary import split_words

NAME = "cdec-json"
SOURCE, LEFT, SPANS = "source", "lhs", "spans"
SYMBOL = r"[^\t \n\r\[\],]+"
TAIL = re.compile(rf"\[(?:{SYMBOL},)?([1-9][0-9]?)\]")
ANY_CATEGORY = "X"
SPANS_OF_AN_EDGE = 4
_NONTERMINAL = re.compile(rf"\[{SYMBOL}(?:,([1-9][0-9]?))?\]")
_CATEGORY = re.compile(SYMBOL)
_SPANS = re.compile(r"-?[0-9]{1,9}(?:,-?[0-9]{1,9}){3}")
_MOST_TAILS = 99
_ADVICE = "leave labels out with --drop-labels"


def plain_source(categories: Sequence[str]) -> str:
    """The source side that says nothing but the tails."""
    return " ".join(f"[{category or ANY_CATEGORY},{k}]" for k, category in enumerate(categories, start=1))


def write(file: IO[bytes], _name: str, graph: Graph) -> None:
    """Writes one forest."""
    forest = with_one_goal(forest_to_write(graph, NAME, {SOURCE, LEFT, SPANS}, {CATEGORY}))
    require_unscaled(forest, NAME)
    categories = [_category(text) for text in texts_of(forest.node_labels.get(CATEGORY), forest.num_nodes)]
    rules: dict[str, int] = {}
    edges: list[list[str]] = [[] for _ in categories]
    for head, edge in _edges(forest, categories, rules):
        edges[head].append(edge)
    names = ",".join(map(_json, forest.scores))
    parts = [f'"rules":[{",".join(f"{k},{_json(text)}" for text, k in rules.items())}],"features":[{names}]']
    begin = 0
    for category, own in zip(categories, edges, strict=True):
        in_edges = ",".join(map(str, range(begin, begin + len(own))))
        cat = f',"cat":{_json(category)}' if category else ""
        parts.append(f'"edges":[{",".join(own)}],"node":{{"in_edges":[{in_edges}]{cat}}}')
        begin += len(own)
    file.write(f"{{{','.join(parts)}}}\n".encode())


def _edges(forest: Forest, categories: list[str], rules: dict[str, int]) -> Iterator[tuple[int, str]]:
    """Head and JSON of each edge; rules get their numbers as they come up."""
    numbers = {name: number for number, name in enumerate(forest.scores)}
    spelling = spelling_of(forest, _word)
    sources, lefts, spans = (texts_of(forest.labels.get(name), len(forest.head)) for name in (SOURCE, LEFT, SPANS))
    rows = zip(forest.head.tolist(), forest.tails.rows(), forest.target.rows(), features_of(forest), strict=True)
    for edge, (head, tails, target, features) in enumerate(rows):
        source = sources[edge] or plain_source([categories[tail] for tail in tails])
        _check_source(source, tails, edge)
        left = _category(lefts[edge]) or categories[head] or ANY_CATEGORY
        words = " ".join(spelling[t] if t > 0 else f"[{-t}]" for t in target)
        rule = rules.setdefault(f"[{left}] ||| {source} ||| {words}", len(rules) + 1)
        feats = ",".join(f"{numbers[name]},{value!r}" for name, value in features)
        # cdec wants spans before the rule.
        middle = f'"spans":[{_span(spans[edge])}],' if spans[edge] else ""
        yield head, f'{{"tail":[{",".join(map(str, tails))}],{middle}"feats":[{feats}],"rule":{rule}}}'


def _check_source(source: str, tails: list[int], edge: int) -> None:
    """A source side has a nonterminal for each tail, in order."""
    tokens = split_words(source)
    nonterminals = [match for token in tokens if (match := _NONTERMINAL.fullmatch(token))]
    in_order = all(match[1] in (None, str(k)) for k, match in enumerate(nonterminals, start=1))
    if len(tails) > _MOST_TAILS:
        raise UsageError(f"edge {edge} has {len(tails)} tails, and cdec reads at most {_MOST_TAILS}")
    if len(nonterminals) != len(tails) or not in_order or " ".join(tokens) != source or "|||" in tokens:
        raise UsageError(
            f"the source side '{shortened(source, 40)}' of edge {edge} is not one of a rule with {len(tails)} tails",
            advice=_ADVICE,
        )


def _category(text: str) -> str:
    if text and not _CATEGORY.fullmatch(text):
        raise UsageError(f"'{shortened(text, 40)}' is no category of cdec", advice=_ADVICE)
    return text


def _span(text: str) -> str:
    if not _SPANS.fullmatch(text):
        raise UsageError(f"'{shortened(text, 40)}' is not the four spans of an edge", advice=_ADVICE)
    return text


def _word(text: str) -> str:
    if TAIL.fullmatch(text):
        raise InputError(
            f"the word '{shortened(text, 40)}' would be read back as a tail", advice="write another format"
        )
    return plain_field(text, "the word")


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
