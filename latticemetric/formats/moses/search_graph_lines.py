"""The lines of Moses' search graphs, a hypothesis each; see `moses_search_graph`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.files.stream import decoded_line
from latticemetric.formats.texts.fields import number, whole
from latticemetric.vocabulary import split_words

NAME = "moses-search-graph"
TRANSITION, DENSE = "transition", "core"
COVERED, SOURCE = "covered", "source"
COMPLETE = -1
NO_FEATURES, NAMED_FEATURES = -1, 0

_AFTER_NUMBER = re.compile(r"[ \t]+(?=hyp=)")
# What `out=` has goes on to the end of the line.
_FIELD = re.compile(r'(?:([a-z]+)=|(?=\[ ))((?<=\sout=).*|"[^"]*"|\[ .*? \]|[^\s"\[]\S*|)(?:[ \t]+|$)', re.ASCII)
_BRACKETS = "["
_OF_THE_FIRST = {"hyp", "stack", "forward", "fscore"}
_OF_OTHERS = {"back", "score", TRANSITION, "recombined", COVERED, "scores", "out", _BRACKETS}
_SPAN = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_PHRASE_SCORES = re.compile(r"(?:^|[ \t]), pC=\S+, c=\S+$", re.ASCII)


class Step(NamedTuple):
    """A line: a hypothesis, and what stands on its arc; the first hypothesis has none.

    Attributes:
        place: File and line.
        hypothesis: Its number.
        stack: How much of the source it covers.
        complete: Whether it covers all; `None` where the line does not say.
        back: The hypothesis that the arc leaves.
        recombined: The hypothesis that stands for this one.
        cost: What the arc costs in the model.
        words: What the arc adds to the translation.
        covered: The span of the source that it covers.
        source: The words there, where the line has them.
        dense: How many features have a place rather than a name; `NO_FEATURES` where there are none at all.
        features: Their costs.
    """

    place: str
    hypothesis: int
    stack: int
    complete: bool | None
    back: int
    recombined: int | None
    cost: float
    words: list[str]
    covered: str
    source: str
    dense: int
    features: dict[str, float]


def steps_of(data: bytes, file: str, lines_before: int) -> Iterator[Step]:
    """The hypotheses of some lines: a sentence number each, and fields, the first of which is `hyp=`."""
    for line, row in enumerate(data.split(b"\n"), start=lines_before + 1):
        place = f"{file}:{line}"
        if text := decoded_line(row, place).strip(" \t\r\f\v"):
            yield _step(_AFTER_NUMBER.split(text, 1)[-1], place)


def _step(text: str, place: str) -> Step:
    fields = _fields(text, place)
    hypothesis, stack = (whole(_required(fields, name, place), name, place) for name in ("hyp", "stack"))
    for name in ("score", "fscore"):
        number(fields.get(name, "0"), place)
    complete = None
    if hypothesis != 0 or "forward" in fields:
        complete = whole(_required(fields, "forward", place), "forward", place, COMPLETE) == COMPLETE
    if hypothesis == 0:
        if not fields.keys() <= _OF_THE_FIRST:
            raise FormatError("hypothesis 0 is where the search begins, and has no arc", where=place)
        return Step(place, hypothesis, stack, complete, 0, None, 0.0, [], "", "", NO_FEATURES, {})
    back = whole(_required(fields, "back", place), "back", place)
    recombined = whole(fields["recombined"], "recombined", place) if "recombined" in fields else None
    cost = 0.0 - number(_required(fields, TRANSITION, place), place)
    span = _span(fields[COVERED], place) if COVERED in fields else 0
    dense, features = _features(fields, place)
    source, words = _phrases(_required(fields, "out", place), fields.get("scores", ""), span, place)
    covered = fields[COVERED] if span else ""
    return Step(place, hypothesis, stack, complete, back, recombined, cost, words, covered, source, dense, features)


def _fields(text: str, place: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    end = 0
    while end < len(text):
        match = _FIELD.match(text, end)
        name = (match[1] or _BRACKETS) if match else ""
        if match is None or not (name in _OF_THE_FIRST or name in _OF_OTHERS):
            raise FormatError(f"'{shortened(text[end:], 40)}' is no field of a search graph", where=place)
        if name in fields:
            raise FormatError(f"the field '{name}' stands twice", where=place)
        fields[name] = match[2]
        end = match.end()
    return fields


def _required(fields: dict[str, str], name: str, place: str) -> str:
    if name not in fields:
        advice = "let Moses write -output-search-graph" if name in {"stack", TRANSITION, "forward"} else None
        raise FormatError(f"the line has no '{name}='", where=place, advice=advice)
    return fields[name]


def span_length(text: str) -> int | None:
    """How many words of the source lie in a span like `2-4`: none in `1-0`; `None` where it is no span."""
    match = _SPAN.fullmatch(text)
    return max(0, int(match[2]) - int(match[1]) + 1) if match else None


def _span(text: str, place: str) -> int:
    length = span_length(text)
    if length is None:
        raise FormatError(f"covered is '{shortened(text, 40)}', not two numbers", where=place)
    return length


# --- Phrases


def _phrases(out: str, scores: str, span: int, place: str) -> tuple[str, list[str]]:
    """The source phrase, if it is there, and the words of the translation."""
    if not scores:
        return "", split_words(_PHRASE_SCORES.sub("", out))
    if scores.startswith('"'):
        if len(out) < 2 or out[0] != '"' or out[-1] != '"':  # noqa: PLR2004  two quotes
            raise FormatError("what 'out=' has does not stand between quotes", where=place)
        out = out[1:-1]
    phrases = split_phrases(out, span)
    if phrases is None:
        raise FormatError(
            f"nothing tells where the source phrase ends in '{shortened(out, 40)}'",
            where=place,
            advice="let Moses write -output-search-graph, which has no source phrases",
        )
    return phrases


def split_phrases(text: str, span: int) -> tuple[str, list[str]] | None:
    """The source phrase and the translation's words of `je suis|I am`; `None` where nothing tells which is which.

    Words may have factors, `suis|V`. Then the last word of the source is that at the span's end, and has as many
    factors as those before it, or as the translation's other words leave it, or half of all.
    """
    source, bar, target = text.partition("|")
    tokens = split_words(text)
    if source and "|" in target:
        if not 0 < span <= len(tokens):
            return None
        joint = tokens[span - 1].split("|")
        if span > 1:
            factors = tokens[span - 2].count("|") + 1
        elif span < len(tokens):
            factors = len(joint) - tokens[span].count("|") - 1
        else:
            factors = len(joint) - 1 if joint and not joint[-1] else len(joint) // 2
            joint = [] if joint and joint[-1] and len(joint) % 2 else joint
        if not 0 < factors < len(joint):
            return None
        source = " ".join([*tokens[: span - 1], "|".join(joint[:factors])])
        target = " ".join(["|".join(joint[factors:]), *tokens[span:]])
    return (" ".join(split_words(source)), split_words(target)) if bar else None


# --- Features


def _features(fields: dict[str, str], place: str) -> tuple[int, dict[str, float]]:
    """How many features have a place rather than a name, and the costs of all."""
    if "scores" in fields and _BRACKETS in fields:
        raise FormatError("the field 'scores' stands twice", where=place)
    text = fields.get("scores", fields.get(_BRACKETS))
    if text is None:
        return NO_FEATURES, {}
    if text.startswith(_BRACKETS):
        return NAMED_FEATURES, _labelled(split_words(text[1:-1]), place)
    dense, bracket, sparse = text[1:-1].partition(")")
    if not text.startswith('"core=(') or not bracket:
        raise FormatError(f"'{shortened(text, 40)}' does not begin with 'core=(…)' between quotes", where=place)
    listed = dense.removeprefix("core=(")
    values = listed.split(",") if listed else []
    features = {f"{DENSE}_{k}": 0.0 - number(value, place) for k, value in enumerate(values)}
    for token in split_words(sparse):
        name, _, value = token.rpartition("=")
        _add(features, name, value, place)
    return len(values), features


def _labelled(tokens: list[str], place: str) -> dict[str, float]:
    """`d: -2 lm: -7 d: 0 -1` → d_0, d_1, d_2, lm: what has the same label is numbered through."""
    groups: dict[str, list[str]] = {"": []}
    label = ""
    for token in tokens:
        if token.endswith(":"):
            label = token[:-1]
            groups.setdefault(label, [])
        else:
            groups[label].append(token)
    features: dict[str, float] = {}
    for name, values in groups.items():
        for k, value in enumerate(values):
            _add(features, f"{name}_{k}" if name and len(values) > 1 else name, value, place)
    return features


def _add(features: dict[str, float], name: str, value: str, place: str) -> None:
    if not name:
        raise FormatError(f"score '{shortened(value, 40)}' has no name", where=place)
    if name in features or name == TRANSITION:
        raise FormatError(f"feature '{shortened(name, 40)}' stands twice", where=place)
    features[name] = 0.0 - number(value, place)
