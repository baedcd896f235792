"""Moses n-best lists: `0 ||| hypothesis ||| LM0= -4.3 … ||| total [||| alignment]`, scores as log probabilities.

The total is the model's cost; features are kept as columns of scale 0. Old files write `0|||` and `lm:`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import IO

from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.formats.registry import Entry, Format, Graph, register
from latticemetric.formats.stream import Stream
from latticemetric.nbest import Hypothesis, NBest
from latticemetric.vocabulary import Vocabulary, split_words

_TOTAL = "total"
_SEPARATOR = "|||"
_FIRST_LINE = re.compile(rb"\s*(?!\{)[^\s|#]+\s*\|\|\|[^\n]*\|\|\|")
_FEATURE_NAME = re.compile(r"([^\s=:]\S*?)[=:]$")
_NAME_AND_VALUE = re.compile(r"([^\s=]+)=([^=]+)")
_UNNAMED = "feature"
_FEWEST_FIELDS = 3
_SPACE = " \t\r\n\f\v"


def _sniff(head: bytes) -> bool:
    return _FIRST_LINE.match(head) is not None


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    current: str | None = None
    seen: set[str] = set()
    block: list[tuple[str, list[str]]] = []
    start = ""
    for line in stream.lines():
        if not line.strip():
            continue
        fields = [field.strip(_SPACE) for field in line.split(_SEPARATOR)]
        if len(fields) < _FEWEST_FIELDS:
            raise FormatError(f"the line has {len(fields)} fields between |||, not 4", where=stream.place())
        if fields[0] != current:
            if block and current is not None:
                yield _entry(current, start, block)
            if fields[0] in seen:
                raise FormatError(f"the list of '{fields[0]}' is not in one piece", where=stream.place())
            seen.add(fields[0])
            current, block, start = fields[0], [], stream.place()
        block.append((stream.place(), fields))
    if block and current is not None:
        yield _entry(current, start, block)


def _entry(name: str, start: str, block: list[tuple[str, list[str]]]) -> Entry:
    return Entry(name, start, partial(_parse, block))


def _parse(block: Sequence[tuple[str, list[str]]]) -> NBest:
    hypotheses = tuple(_hypothesis(fields, place) for place, fields in block)
    names = dict.fromkeys(name for h in hypotheses for name in h.scores)
    total = _TOTAL in names
    for (place, _), hypothesis in zip(block, hypotheses, strict=True):
        # Features may be sparse: one that is not there is 0. A total is there or not.
        if total and _TOTAL not in hypothesis.scores:
            raise FormatError("the hypothesis has no total, and others of its list have one", where=place)
    return NBest(hypotheses, {name: float(name == _TOTAL or not total) for name in names})


def _hypothesis(fields: list[str], place: str) -> Hypothesis:
    scores = _features(fields[2], place)
    if len(fields) > _FEWEST_FIELDS:
        scores[_TOTAL] = 0.0 - _score(fields[3], place)
    return Hypothesis(tuple(split_words(fields[1])), scores)


def _features(text: str, place: str) -> dict[str, float]:
    """`d= 0 -1.5 lm= -47` → d_0, d_1, lm; cdec's `Glue=3` → Glue; scores without a name → feature_0, …; costs."""
    groups: list[tuple[str, list[float]]] = []
    for token in split_words(text):
        if match := _FEATURE_NAME.fullmatch(token):
            groups.append((match[1], []))
        elif match := _NAME_AND_VALUE.fullmatch(token):
            groups.append((match[1], [0.0 - _score(match[2], place)]))
        else:
            if not groups:
                groups.append((_UNNAMED, []))
            groups[-1][1].append(0.0 - _score(token, place))
    named: dict[str, float] = {}
    for name, values in groups:
        names = [name] if len(values) == 1 else [f"{name}_{k}" for k in range(len(values))]
        for key, value in zip(names, values, strict=True):
            if key in named:
                raise FormatError(f"feature '{key}' stands twice", where=place)
            named[key] = value
    return named


def _score(text: str, where: str) -> float:
    try:
        value = float(text) if "_" not in text else None
    except ValueError:
        value = None
    if value is None:
        raise FormatError(f"'{text[:40]}' is not a number", where=where)
    if not math.isfinite(value):
        raise InputError(f"score '{text[:40]}' is not finite", where=where)
    return value


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    if not isinstance(graph, NBest):
        raise UsageError("moses-nbest holds n-best lists, and this is a lattice")
    _check_fields(name, graph)
    for hypothesis in graph.hypotheses:
        features = [f"{key}= {0.0 - cost!r}" for key, cost in hypothesis.scores.items() if key != _TOTAL]
        fields = [name, " ".join(hypothesis.words), " ".join(features)]
        if _TOTAL in hypothesis.scores:
            fields.append(repr(0.0 - hypothesis.scores[_TOTAL]))
        file.write((" ||| ".join(fields) + "\n").encode("utf-8"))


def _check_fields(name: str, graph: NBest) -> None:
    """Refuses what would be read back as something else."""
    fields = {name, *(w for h in graph.hypotheses for w in h.words), *(s for h in graph.hypotheses for s in h.scores)}
    for field in fields:
        if split_words(field) != [field] or _SEPARATOR in field:
            raise UsageError(f"{shortened(field)!r} cannot stand in a field of a Moses n-best list")


register(Format("moses-nbest", (".nbest",), _sniff, _read, _write))
