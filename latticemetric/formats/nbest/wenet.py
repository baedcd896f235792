"""Read n-best lists of WeNet's runtime: `wav KEY`, then one line `candidate SCORE TEXT` per hypothesis.

Scores are natural log probabilities; spaces separate words. WeNet omits candidates without words, so a key without
candidates is a list of one empty hypothesis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import IO

from latticemetric.errors import FormatError
from latticemetric.formats.columns import read_cost, require_nbest, require_words, single_costs
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.fields import require_id, split_lines
from latticemetric.graph import Graph
from latticemetric.nbest import Hypothesis, NBest
from latticemetric.vocabulary import Vocabulary

_NAME = "wenet-nbest"
_SCORE = "score"
_FIRST_LINES = re.compile(rb"wav[ \t]+\S+[ \t]*(?:\r?\n\s*(?:(?:candidate|wav)[ \t]|$)|$)")
_KEY, _CANDIDATE = "wav", "candidate"
_ADVICE = "write lines 'wav KEY' or 'candidate SCORE TEXT', with WeNet's option --result, which leaves out messages"


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    current: Entry | None = None
    lines: list[tuple[str, list[str]]] = []
    for place, fields in split_lines(stream):
        if fields[0] == _CANDIDATE and current is not None:
            lines.append((place, fields[1:]))
            continue
        if current is not None:
            yield current._replace(build=partial(_build, lines))
        if fields[0] == _CANDIDATE:
            raise FormatError("a candidate comes before the first 'wav KEY'", where=place)
        if fields[0] != _KEY or len(fields) != len(("wav", "KEY")):
            raise FormatError("the line is neither a key nor a candidate", where=place, advice=_ADVICE)
        current, lines = Entry(fields[1], place, partial(_build, ()), naming="own"), []
    if current is not None:
        yield current._replace(build=partial(_build, lines))


def _build(lines: Sequence[tuple[str, list[str]]]) -> NBest:
    hypotheses = []
    for place, fields in lines:
        if not fields:
            raise FormatError("the candidate has no score", where=place)
        hypotheses.append(Hypothesis(tuple(fields[1:]), {_SCORE: read_cost(fields[0], place)}))
    return NBest(tuple(hypotheses) or (Hypothesis((), {_SCORE: 0.0}),), {_SCORE: 1.0})


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    nbest = require_nbest(graph, _NAME)
    costs = single_costs(nbest, _NAME)
    require_words(nbest, name)
    lines = [f"{_KEY} {require_id(name, 'an id of WeNet')}"]
    for cost, hypothesis in zip(costs, nbest.hypotheses, strict=True):
        lines.append(" ".join([_CANDIDATE, repr(0.0 - cost), *hypothesis.words]))
    file.write(("\n".join(lines) + "\n").encode("utf-8"))


register(Format(_NAME, (".wenet",), lambda head: bool(_FIRST_LINES.match(head.lstrip())), _read, _write))
