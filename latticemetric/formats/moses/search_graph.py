"""Read and write search graphs of Moses (`-output-search-graph` and `-output-search-graph-extended`).

Each line is a hypothesis. Its arc goes from `back` to `recombined` or, without `recombined`, to the hypothesis itself.
The cost is −transition. An arc with several words becomes a chain, with scores and labels on its first arc. Hypotheses
with `forward=-1` are complete. See docs/formats/moses-search-graph.md for the forms of features and source phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import IO, Any, NamedTuple

import numpy as np

from latticemetric import _native
from latticemetric.errors import FormatError, InputError, UsageError, placed, shortened
from latticemetric.formats.columns import ListedArcs, lattice_to_write, listed_arcs, refuse_final_labels, require_dense
from latticemetric.formats.registry import ANY_NAME, Entry, Format, register
from latticemetric.formats.streams.stream import Stream, decoded_line
from latticemetric.formats.text.blocks import grouped_by_id
from latticemetric.formats.text.fields import (
    encode_column,
    labels_of_arcs,
    labels_of_numbered,
    number,
    require_field,
    whole_number,
)
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Column, Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary, split_words

_NAME = "moses-search-graph"
_TRANSITION, _DENSE = "transition", "core"
_COVERED, _SOURCE = "covered", "source"
_COMPLETE = -1
_NO_FEATURES, _NAMED_FEATURES = -1, 0

_AFTER_NUMBER = re.compile(r"[ \t]+(?=hyp=)")
# The value of `out=` extends to the end of the line.
_FIELD = re.compile(r'(?:([a-z]+)=|(?=\[ ))((?<=\sout=).*|"[^"]*"|\[ .*? \]|[^\s"\[]\S*|)(?:[ \t]+|$)', re.ASCII)
_BRACKETS = "["
_FIELDS_OF_THE_FIRST = {"hyp", "stack", "forward", "fscore"}
_FIELDS_OF_OTHERS = {"back", "score", _TRANSITION, "recombined", _COVERED, "scores", "out", _BRACKETS}
_SPAN = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_PHRASE_SCORES = re.compile(r"(?:^|[ \t]), pC=\S+, c=\S+$", re.ASCII)


class _Line(NamedTuple):
    """A line: a hypothesis and its arc. The first hypothesis has no arc."""

    place: str
    hypothesis: int
    stack: int  # the number of source words that the hypothesis covers
    complete: bool | None  # whether it covers the whole source; `None` if the line does not show it
    back: int  # the hypothesis that the arc leaves
    recombined: int | None  # the hypothesis that replaces this one
    cost: float
    words: list[str]  # the words that the arc adds to the translation
    covered: str  # the span of the source that the arc covers
    source: str  # the words of that span, if the line has them
    dense: int  # the number of features without names; −1 if the line has no field of features
    features: dict[str, float]


def _parsed_line(text: str, place: str) -> _Line:
    fields = _fields(text, place)
    hypothesis, stack = (whole_number(_required(fields, name, place), name, place) for name in ("hyp", "stack"))
    for name in ("score", "fscore"):
        number(fields.get(name, "0"), place)
    complete = None
    if hypothesis != 0 or "forward" in fields:
        complete = whole_number(_required(fields, "forward", place), "forward", place, _COMPLETE) == _COMPLETE
    if hypothesis == 0:
        if not fields.keys() <= _FIELDS_OF_THE_FIRST:
            raise FormatError("hypothesis 0 begins the search, so it cannot have an arc", where=place)
        return _Line(place, hypothesis, stack, complete, 0, None, 0.0, [], "", "", _NO_FEATURES, {})
    back = whole_number(_required(fields, "back", place), "back", place)
    recombined = whole_number(fields["recombined"], "recombined", place) if "recombined" in fields else None
    cost = 0.0 - number(_required(fields, _TRANSITION, place), place)
    span = _span_length(fields[_COVERED]) if _COVERED in fields else 0
    if span is None:
        raise FormatError(f"covered is '{shortened(fields[_COVERED], 40)}', not two numbers", where=place)
    dense, features = _features(fields, place)
    source, words = _phrases(_required(fields, "out", place), fields.get("scores", ""), span, place)
    covered = fields[_COVERED] if span else ""
    return _Line(place, hypothesis, stack, complete, back, recombined, cost, words, covered, source, dense, features)


def _fields(text: str, place: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    end = 0
    while end < len(text):
        match = _FIELD.match(text, end)
        name = (match[1] or _BRACKETS) if match else ""
        if match is None or not (name in _FIELDS_OF_THE_FIRST or name in _FIELDS_OF_OTHERS):
            raise FormatError(f"'{shortened(text[end:], 40)}' is not a field of a search graph", where=place)
        if name in fields:
            raise FormatError(f"the field '{name}' appears twice", where=place)
        fields[name] = match[2]
        end = match.end()
    return fields


def _required(fields: dict[str, str], name: str, place: str) -> str:
    if name not in fields:
        advice = "run Moses with -output-search-graph" if name in {"stack", _TRANSITION, "forward"} else None
        raise FormatError(f"the line has no '{name}='", where=place, advice=advice)
    return fields[name]


def _span_length(text: str) -> int | None:
    """Return the number of source words in a span like `2-4` (0 in `1-0`); `None` if `text` is not a span."""
    match = _SPAN.fullmatch(text)
    return max(0, int(match[2]) - int(match[1]) + 1) if match else None


def _phrases(out: str, scores: str, span: int, place: str) -> tuple[str, list[str]]:
    """Return the source phrase, which may be empty, and the words of the translation."""
    if not scores:
        return "", split_words(_PHRASE_SCORES.sub("", out))
    if scores.startswith('"'):
        if len(out) < 2 or out[0] != '"' or out[-1] != '"':  # noqa: PLR2004  two quotes
            raise FormatError("the value of 'out=' is not between quotes", where=place)
        out = out[1:-1]
    phrases = _split_phrases(out, span)
    if phrases is None:
        raise FormatError(
            f"the end of the source phrase is ambiguous in '{shortened(out, 40)}'",
            where=place,
            advice="run Moses with -output-search-graph, which writes no source phrases",
        )
    return phrases


def _split_phrases(text: str, span: int) -> tuple[str, list[str]] | None:
    """Split `je suis|I am` into the source phrase and the words of the translation; return `None` if ambiguous.

    If words have factors (`suis|V`), one token holds both the last source word and the first translated word. It is
    token number `span` (from 1), where `span` is the number of source words. The number of factors decides where to
    divide the token:

    - The source word gets the number of factors of the source word before it.
    - If there is no such word, the translated word gets the number of factors of the next translated word.
    - If there is no such word either, both words get half of the factors.
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


def _features(fields: dict[str, str], place: str) -> tuple[int, dict[str, float]]:
    """Return the number of unnamed features, and the costs of all features."""
    if "scores" in fields and _BRACKETS in fields:
        raise FormatError("the field 'scores' appears twice", where=place)
    text = fields.get("scores", fields.get(_BRACKETS))
    if text is None:
        return _NO_FEATURES, {}
    if text.startswith(_BRACKETS):
        dense, named = _NAMED_FEATURES, _labelled(split_words(text[1:-1]))
    else:
        listed, bracket, sparse = text[1:-1].partition(")")
        if not text.startswith('"core=(') or not bracket:
            raise FormatError(f"'{shortened(text, 40)}' does not begin with 'core=(…)' between quotes", where=place)
        listed = listed.removeprefix("core=(")
        named = [(f"{_DENSE}_{k}", value) for k, value in enumerate(listed.split(",") if listed else [])]
        dense = len(named)
        named += [(name, value) for name, _, value in (token.rpartition("=") for token in split_words(sparse))]
    features: dict[str, float] = {}
    for name, value in named:
        if not name:
            raise FormatError(
                f"score '{shortened(value, 40)}' has no name",
                where=place,
                advice="write name=value, or name: value in brackets",
            )
        if name in features or name == _TRANSITION:
            raise FormatError(f"feature '{shortened(name, 40)}' appears twice", where=place)
        features[name] = 0.0 - number(value, place)
    return dense, features


def _labelled(tokens: list[str]) -> list[tuple[str, str]]:
    """Number the features with the same label: `d: -2 lm: -7 d: 0 -1` → d_0, d_1, d_2, lm."""
    groups: dict[str, list[str]] = {"": []}
    label = ""
    for token in tokens:
        if token.endswith(":"):
            label = token[:-1]
            groups.setdefault(label, [])
        else:
            groups[label].append(token)
    return [
        (f"{name}_{k}" if name and len(values) > 1 else name, value)
        for name, values in groups.items()
        for k, value in enumerate(values)
    ]


# ---- From lines to states and arcs ----

_FIRST_LINE = re.compile(rb"\s*\S+[ \t]+hyp=[0-9]+[ \t]+stack=[0-9]+(?:\s|$)")
_ID = re.compile(rb"[ \t]*(\S+)[ \t]+hyp=")


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for name, place, lines in grouped_by_id(_numbered(stream)):
        build = partial(_parse, b"".join(line for _, line in lines), stream.name, lines[0][0] - 1)
        yield Entry(name, place, build, naming="number" if name.isdecimal() else "own")


def _numbered(stream: Stream) -> Iterator[tuple[str, str, tuple[int, bytes]]]:
    """Yield the sentence id, the place, and a pair of line number and line; blank lines get the previous id."""
    name = ""
    for line in stream.byte_lines():
        match = _ID.match(line)
        if match is None and line.strip():
            raise FormatError(
                "the line does not begin with a sentence number and 'hyp='",
                where=stream.place(),
                advice="for moses_chart, whose graphs are forests, use -output-search-graph-hypergraph",
            )
        name = match[1].decode("utf-8", "replace") if match else name
        if name:
            yield name, stream.place(), (stream.line, line)


def _parse(data: bytes, file: str, lines_before: int) -> Lattice:
    """Build a lattice from its lines; each line has a sentence number, then fields, and the first field is `hyp=`."""
    if (read := _native.read_search_graph(data)) is not None:
        return _usual_lattice(read)
    lines = []
    for line, row in enumerate(data.split(b"\n"), start=lines_before + 1):
        place = f"{file}:{line}"
        if text := decoded_line(row, place).strip(" \t\r\f\v"):
            lines.append(_parsed_line(_AFTER_NUMBER.split(text, 1)[-1], place))
    return _lattice(lines, _States(lines), len(data))


def _usual_lattice(read: tuple[Any, ...]) -> Lattice:
    """Build a lattice from what `_native.read_search_graph` returns."""
    source, target, words, final, cost, spans = read
    word, vocabulary = encode_column(words, None)
    return Lattice.from_arcs(
        source,
        target,
        word,
        final=final,
        scores={_TRANSITION: Column(cost, np.zeros(len(final)), 1.0)},
        vocabulary=vocabulary,
        labels={_COVERED: labels_of_numbered(spans, len(final))} if spans[1] else {},
        copy=False,
    )


class _States:
    """Numbers the states: the hypotheses that were not recombined into others."""

    def __init__(self, lines: list[_Line]) -> None:
        self._joined: dict[int, int] = {}
        self._stack: dict[int, int] = {}
        for line in lines:
            known = line.hypothesis in self._stack or line.hypothesis in self._joined
            if line.recombined is None:
                self._stack[line.hypothesis] = line.stack
            elif line.recombined != line.hypothesis:
                self._joined[line.hypothesis] = line.recombined
            else:
                # In 2010 and 2011, Moses wrote a recombined hypothesis with the number of its replacement.
                continue
            if known:
                raise FormatError(f"hypothesis {line.hypothesis} appears twice", where=line.place)
        if 0 not in self._stack:
            raise FormatError("the graph has no first hypothesis, 'hyp=0 stack=0'", where=lines[0].place)
        self._number = {hypothesis: number for number, hypothesis in enumerate(sorted(self._stack))}

    def __len__(self) -> int:
        return len(self._number)

    def _survivor(self, hypothesis: int) -> int:
        passed: list[int] = []
        while hypothesis in self._joined and len(passed) <= len(self._joined):
            passed.append(hypothesis)
            hypothesis = self._joined[hypothesis]
        for one in passed:
            self._joined[one] = hypothesis
        return hypothesis

    def ends(self, line: _Line) -> tuple[int, int]:
        """Return the two states of a line's arc."""
        back = self._survivor(line.back)
        target = self._survivor(line.hypothesis if line.recombined is None else line.recombined)
        ends = ((line.back, back, "goes back to"), (line.recombined, target, "is recombined to"))
        for hypothesis, survivor, verb in ends:
            if survivor not in self._number:
                raise FormatError(
                    f"hypothesis {line.hypothesis} {verb} {hypothesis}, which is not in the graph", where=line.place
                )
        if self._stack[back] >= self._stack[target]:
            raise FormatError(
                f"hypothesis {line.hypothesis} goes back to {line.back}, which is not earlier: "
                f"their stacks are {self._stack[target]} and {self._stack[back]}",
                where=line.place,
            )
        return self._number[back], self._number[target]


def _lattice(lines: list[_Line], states: _States, text_size: int) -> Lattice:
    arcs = [line for line in lines if line.hypothesis != 0]
    begin = next(line for line in lines if line.hypothesis == 0)
    # If the first line does not say so, its hypothesis is complete only if the graph has no other hypothesis.
    final = dict.fromkeys([0] if begin.complete or (begin.complete is None and not arcs) else [])
    numbers: dict[str, int] = {"": EPSILON}
    source: list[int] = []
    target: list[int] = []
    word: list[int] = []
    first: list[int] = []
    inner = len(states)
    for line in arcs:
        here, end = states.ends(line)
        if line.complete:
            final[end] = None
        first.append(len(word))
        chain = range(inner, inner := inner + max(0, len(line.words) - 1))
        source += [here, *chain]
        target += [*chain, end]
        word += [numbers.setdefault(text, len(numbers)) for text in line.words or [""]]
    if not final:
        raise InputError(
            "the search graph has no complete translation", where=lines[0].place, advice="leave this graph out"
        )
    labels = {}
    for name, texts in ((_COVERED, [line.covered for line in arcs]), (_SOURCE, [line.source for line in arcs])):
        if any(texts):
            of_first = dict(zip(first, texts, strict=True))
            labels[name] = labels_of_arcs([of_first.get(row, "") for row in range(len(word))], len(final))
    return Lattice.from_arcs(
        source,
        target,
        word,
        final=list(final),
        scores=_columns(arcs, first, len(word), len(final), text_size),
        vocabulary=Vocabulary.from_words(text for text in numbers if text),
        labels=labels,
        copy=False,
    )


def _columns(arcs: list[_Line], first: list[int], size: int, ends: int, text_size: int) -> dict[str, Column]:
    values: dict[str, list[float]] = {_TRANSITION: [0.0] * size}
    for row, line in zip(first, arcs, strict=True):
        values[_TRANSITION][row] = line.cost
        if line.dense != arcs[0].dense:
            raise FormatError(
                "the number of scores differs from the number in the graph's first line", where=line.place
            )
        for name, cost in line.features.items():
            if name not in values:
                with placed(line.place):
                    require_dense(len(values) + 1, size, text_size)
                values[name] = [0.0] * size
            values[name][row] = cost
    return {name: Column(np.array(v), np.zeros(ends), float(name == _TRANSITION)) for name, v in values.items()}


# ---- Writing: every arc is a hypothesis ----
#
# Hypothesis s stands for state s, and for the best arc into this state. Other arcs into the state are recombined
# hypotheses; their numbers begin at the number of states. Lines are in the order of the arcs.


_NO_SPAN = "1-0"


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    """Write one lattice, in the extended form if it has features or source phrases."""
    lattice = lattice_to_write(graph, _NAME, {_COVERED, _SOURCE}, weights=True)
    refuse_final_labels(lattice, _NAME)
    require_field(name, "the id")
    features = _written_features(lattice)
    new_end = any(column.final.any() for column in lattice.scores.values())
    arcs = listed_arcs(lattice, new_end=new_end)
    cost = lattice.cost()
    score = (0.0 - np.concatenate([cost.arc, cost.final[lattice.final]])[: len(arcs.word)]).tolist()
    complete = {arcs.states - 1} if new_end else set(lattice.final.tolist())
    extended = bool(features) or _SOURCE in lattice.labels
    texts = _texts(lattice, arcs, features, extended=extended)
    lines = [f"{name} {line}" for line in _lines(arcs, score, complete, texts, extended=extended)]
    file.write(("\n".join(lines) + "\n").encode("utf-8"))


def _written_features(lattice: Lattice) -> list[str]:
    """Return the names of the columns of weight 0; require exactly one other column, with weight 1."""
    counting = [column.weight for column in lattice.scores.values() if column.weight != 0]
    if lattice.scores and counting != [1.0]:
        weights = ", ".join(f"{name} {column.weight:g}" for name, column in lattice.scores.items())
        raise UsageError(
            f"{_NAME} needs one score of weight 1 and others of weight 0, but the weights are "
            f"{shortened(weights, 200)}",
            advice="add the scores up with Corpus.converted(sum_scores=True)",
        )
    features = [name for name, column in lattice.scores.items() if column.weight == 0]
    for name in features:
        if require_field(name, "feature") == _TRANSITION or '"' in name:
            raise UsageError(
                f"{_NAME} cannot store a feature named '{shortened(name)}'",
                advice="add the scores up with Corpus.converted(sum_scores=True)",
            )
    return features


def _lines(arcs: ListedArcs, scores: list[float], complete: set[int], texts: list[str], *, extended: bool) -> list[str]:
    rows = list(zip(arcs.source, arcs.target, scores, strict=True))
    depth, best, winner = [0] * arcs.states, [0.0] * arcs.states, [-1] * arcs.states
    for row, (source, target, score) in enumerate(rows):
        depth[target] = max(depth[target], depth[source] + 1)
        if winner[target] < 0 or best[source] + score > best[target]:
            winner[target], best[target] = row, best[source] + score
    hypothesis, number = [], arcs.states
    for row, (_, target, _) in enumerate(rows):
        hypothesis.append(target if winner[target] == row else number)
        number += winner[target] != row
    forward, rest = [0] * arcs.states, [0.0] * arcs.states
    for state in complete:
        forward[state] = _COMPLETE
    for row, (source, target, score) in reversed(list(enumerate(rows))):
        # The arcs that leave this target were visited already: targets are larger than sources, and arcs are sorted.
        if forward[source] == 0 or (forward[source] != _COMPLETE and score + rest[target] >= rest[source]):
            forward[source], rest[source] = hypothesis[row], score + rest[target]
    beginning = f" forward={forward[0]} fscore={rest[0]!r}" if extended or 0 in complete else ""
    lines = [f"hyp=0 stack=0{beginning}"]
    for row, (source, target, score) in enumerate(rows):
        recombined = "" if winner[target] == row else f" recombined={target}"
        lines.append(
            f"hyp={hypothesis[row]} stack={depth[target]} back={source} score={best[source] + score!r} "
            f"transition={score!r}{recombined} forward={forward[target]} fscore={rest[target]!r} {texts[row]}"
        )
    return lines


def _texts(lattice: Lattice, arcs: ListedArcs, features: list[str], *, extended: bool) -> list[str]:
    """Return the fields of each line from `covered=` on; write the features `core_0`, `core_1`, … without names."""
    nothing = [""] * len(arcs.word)
    spans, sources = arcs.labels.get(_COVERED, nothing), arcs.labels.get(_SOURCE, nothing)
    dense: list[str] = []
    while f"{_DENSE}_{len(dense)}" in features:
        dense.append(f"{_DENSE}_{len(dense)}")
    named = [name for name in features if name not in dense]
    texts = []
    for row, (symbol, span) in enumerate(zip(arcs.word, spans, strict=True)):
        word = require_field(lattice.vocabulary.word(symbol), "word") if symbol != EPSILON else ""
        if span and not _span_length(span):
            raise InputError(
                f"'{shortened(span)}' is not a span of the source, like 0-2",
                advice="leave labels out with Corpus.converted(drop_labels=True)",
            )
        text = f"covered={span or _NO_SPAN} "
        if extended:
            listed = ",".join(repr(0.0 - arcs.costs[name][row]) for name in dense)
            others = " ".join(f"{name}={0.0 - arcs.costs[name][row]!r}" for name in named)
            phrases = f"{sources[row]}|{word}"
            if _split_phrases(phrases, _span_length(span) or 0) != (sources[row], [word] if word else []):
                raise InputError(
                    f"the end of the source phrase would be ambiguous in '{shortened(phrases)}'",
                    advice="leave source phrases out with Corpus.converted(drop_labels=True)",
                )
            text += f'scores="core=({listed}) {others}" out="{phrases}"'
        else:
            text += f"out={word}"
        texts.append(text)
    return texts


register(Format(_NAME, (".osg", ".osgx"), lambda head: bool(_FIRST_LINE.match(head)), _read, _write, sparse=ANY_NAME))
