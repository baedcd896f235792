"""Read and write hypergraphs of cdec in JSON; one forest per file.

A file is one object with repeated keys: `rules` (pairs of number and text), `features`, then `edges` and `node` for
each node. The `in_edges` of a node are the numbers of its edges, counted from 0 in the whole file. In a rule's target
side, `[k]` is the k-th tail. The last node is the goal. `feats` of an edge are log probabilities (or other values that
the model multiplies by its weights); costs are the negated values. The file has no weights, so each feature has weight
1. A node without edges is an axiom: it derives the empty string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import IO

from latticemetric import _native
from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.forest.forest import CATEGORY, Forest
from latticemetric.formats.columns import require_unscaled
from latticemetric.formats.forests.fields import (
    features_of,
    forest_of,
    forest_to_write,
    plain_field,
    spelling_of,
    texts_of,
    with_one_goal,
)
from latticemetric.formats.registry import ANY_NAME, Format, only_graph, register
from latticemetric.formats.text.json import parsed_json_natively, quoted
from latticemetric.graph import Graph
from latticemetric.vocabulary import split_words

_NAME = "cdec-json"
_SOURCE, _LEFT, _SPANS = "source", "lhs", "spans"
_SYMBOL = r"[^\t \n\r\[\],]+"
_TAIL = re.compile(rf"\[(?:{_SYMBOL},)?([1-9][0-9]?)\]")
_ANY_CATEGORY = "X"
_NONTERMINAL = re.compile(rf"\[{_SYMBOL}(?:,([1-9][0-9]?))?\]")
_CATEGORY = re.compile(_SYMBOL)
_FOUR_SPANS = re.compile(r"-?[0-9]{1,9}(?:,-?[0-9]{1,9}){3}")
_MOST_TAILS = 99
_ADVICE = "leave labels out with Corpus.converted(drop_labels=True)"
_FIRST = re.compile(
    rb'\s*\{\s*"(?:rules"\s*:\s*(?:\[\s*(?:[0-9]+\s*,\s*"\[|\]\s*,\s*")|null)|(?:features|is_sorted|edges)"\s*:)'
)


def _sniff(head: bytes) -> bool:
    match = _FIRST.match(head)
    return match is not None and (b'"rules' in match[0] or b'"in_edges"' in head or b'"rule"' in head)


def _parse(data: bytes, file: str) -> Forest:
    return forest_of(parsed_json_natively(_native.parse_cdec_json, data, file))


def _plain_source(categories: Sequence[str]) -> str:
    """Return a source side without words, with one nonterminal for each tail: `[NP,1] [X,2]`."""
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
    """Yield the head and the JSON of each edge; number the rules in order of appearance."""
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
            raise UsageError(
                f"spans '{shortened(spans[edge], 40)}' are not four numbers separated by commas", advice=_ADVICE
            )
        # cdec needs the spans before the rule.
        middle = f'"spans":[{spans[edge]}],' if spans[edge] else ""
        yield head, f'{{"tail":[{",".join(map(str, tails))}],{middle}"feats":[{feats}],"rule":{rule}}}'


def _check_source(source: str, tails: list[int], edge: int) -> None:
    """Raise an error unless the source side of an edge has one nonterminal for each tail, in order."""
    tokens = split_words(source)
    nonterminals = [match for token in tokens if (match := _NONTERMINAL.fullmatch(token))]
    in_order = all(match[1] in (None, str(k)) for k, match in enumerate(nonterminals, start=1))
    if len(tails) > _MOST_TAILS:
        what = f"edge {edge} has {len(tails)} tails, but cdec reads at most {_MOST_TAILS}"
        raise UsageError(what, advice="write another format")
    if len(nonterminals) != len(tails) or not in_order or " ".join(tokens) != source or "|||" in tokens:
        raise UsageError(
            f"the source side '{shortened(source, 40)}' of edge {edge} does not fit a rule with {len(tails)} tails",
            advice=_ADVICE,
        )


def _category(text: str) -> str:
    if text and not _CATEGORY.fullmatch(text):
        raise UsageError(
            f"the category '{shortened(text, 40)}' holds white space, a bracket or a comma, which cdec does not allow",
            advice=_ADVICE,
        )
    return text


def _word(text: str) -> str:
    if _TAIL.fullmatch(text):
        raise InputError(
            f"the word '{shortened(text, 40)}' would be read back as a tail", advice="write another format"
        )
    return plain_field(text, "the word")


register(
    Format(
        _NAME,
        (".cdec.json",),
        _sniff,
        lambda stream, _: only_graph(stream, _parse),
        _write,
        single=True,
        sparse=ANY_NAME,
    )
)
