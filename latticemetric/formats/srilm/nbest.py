"""Read and write n-best lists of SRILM, one utterance per file, in three forms; see docs/formats/srilm-nbest.md.

Scores are logarithms to the base 10, or bytelogs: the bytelog b means the natural logarithm b · 1024 / 10000.5. They
are converted in decimal arithmetic, so that writing and reading a list does not change its costs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Context, Decimal
from functools import partial
from typing import IO

from latticemetric.errors import FormatError, UsageError, shortened
from latticemetric.formats.columns import require_nbest, require_weights, require_words, single_costs
from latticemetric.formats.registry import Entry, Format, graph_name, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.fields import NUMBER, number, refuse_word, require_finite, split_lines
from latticemetric.graph import Graph
from latticemetric.nbest import Hypothesis, NBest
from latticemetric.vocabulary import Vocabulary

_NAME = "srilm-nbest"
_HEADERS = {"NBestList1.0": 1, "NBestList2.0": 2}
_PAUSE = "-pau-"
_THREE = ("acoustic", "lm", "nwords")
_SCALES = {"acoustic": 1.0, "lm": 1.0, "nwords": 0.0}
_TOTAL = "total"
_PRECISE = Context(prec=40, traps=[])
_DIGITS = Context(prec=20, traps=[])
_LN_10 = Decimal("2.302585092994045684017991454684364207601101488628773")
_BYTELOG = _PRECISE.divide(Decimal(2048), Decimal(20001))
_TOKEN_FIELDS = 11
_MARKS = {1: "(", 2: "st:", 4: "et:", 6: "g:", 8: "a:", 10: ")"}
_STATE = re.compile(r".*-[0-9]", re.DOTALL)
_MOST_WORDS = 9  # digits

_number = NUMBER.encode()
_FIRST_LINE = re.compile(
    rb"NBestList[12]\.0[ \t]*(?:\r?\n|$)"
    rb"|\(" + _number + rb"\)(?:\s|$)"
    rb"|(?![0-9]+[ \t]+[0-9]+[ \t])" + _number + rb"[ \t]+" + _number + rb"[ \t]+[0-9]+(?:\s|$)"
)


_Line = tuple[str, list[str]]
"""The place and the fields of a line."""


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    if lines := list(split_lines(stream)):
        yield Entry(graph_name(stream.stem), stream.name, partial(_build, lines), naming="file")


def _build(lines: list[_Line]) -> NBest:
    _, first = lines[0]
    version = _HEADERS.get(first[0]) if len(first) == 1 else None
    hypotheses = lines if version is None else lines[1:]
    if version == 2:  # noqa: PLR2004
        return NBest(tuple(map(_hypothesis_2, hypotheses)), {_TOTAL: 1.0, "acoustic": 0.0, "lm": 0.0})
    if version == 1 or first[0].startswith("("):
        totals = (Hypothesis(_words(fields[1:]), {_TOTAL: _total(fields[0], place)}) for place, fields in hypotheses)
        return NBest(tuple(totals), {_TOTAL: 1.0})
    return NBest(tuple(map(_three_scores, hypotheses)), _SCALES)


def _three_scores(line: _Line) -> Hypothesis:
    place, fields = line
    if len(fields) < len(_THREE):
        raise FormatError("the line does not begin with acoustic score, LM score and number of words", where=place)
    acoustic, lm, words = fields[: len(_THREE)]
    if not (words.isascii() and words.isdigit() and len(words) <= _MOST_WORDS):
        raise FormatError(f"'{shortened(words, 40)}' is not a number of words", where=place)
    costs = (_cost(acoustic, _LN_10, place), _cost(lm, _LN_10, place), float(words))
    return Hypothesis(_words(fields[len(_THREE) :]), dict(zip(_THREE, costs, strict=True)))


def _hypothesis_2(line: _Line) -> Hypothesis:
    place, (first, *fields) = line
    total = _total(first, place)
    if len(fields) % _TOKEN_FIELDS:
        raise FormatError("not every word is followed by ( st: … et: … g: … a: … )", where=place)
    words, acoustic, lm, end = [], 0.0, 0.0, float("-inf")
    for begin in range(0, len(fields), _TOKEN_FIELDS):
        word, *token = fields[begin : begin + _TOKEN_FIELDS]
        if any(token[at - 1] != mark for at, mark in _MARKS.items()):
            raise FormatError(f"'{shortened(word, 40)}' is not followed by ( st: … et: … g: … a: … )", where=place)
        start, stop = (number(token[at], place) for at in (2, 4))
        # The times of phones and states lie within those of the word before them.
        if start > end and not _STATE.fullmatch(word):
            words.append(word)
            lm += _cost(token[6], _BYTELOG, place)
            acoustic += _cost(token[8], _BYTELOG, place)
            end = stop
    costs = {_TOTAL: total, "acoustic": acoustic, "lm": lm}
    for name, cost in costs.items():
        require_finite(cost, name, place)
    return Hypothesis(_words(words), costs)


def _total(text: str, place: str) -> float:
    if not (text.startswith("(") and text.endswith(")")):
        raise FormatError("the line does not begin with a score in brackets", where=place)
    return _cost(text[1:-1], _BYTELOG, place)


def _words(fields: list[str]) -> tuple[str, ...]:
    return tuple(word for word in fields if word != _PAUSE)


def _cost(text: str, factor: Decimal, place: str) -> float:
    """Convert a score (a logarithm) to a cost; `factor` is the natural logarithm of the score's base."""
    number(text, place)
    exact = _PRECISE.multiply(_PRECISE.create_decimal(text), factor)
    return 0.0 - require_finite(float(exact), text, place)


def _score(cost: float, factor: Decimal) -> str:
    """Return the score of a cost in 20 digits, enough to read back the same cost."""
    if cost == 0:
        return "0.0"
    text = str(_DIGITS.divide(Decimal(0.0 - cost), factor))
    return text if "." in text or "E" in text else f"{text}.0"


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    nbest = require_nbest(graph, _NAME)
    require_words(nbest)
    for hypothesis in nbest.hypotheses:
        for word in hypothesis.words:
            refuse_word(word, _PAUSE)
    if set(nbest.score_names()) == set(_THREE):
        require_weights(nbest, _NAME, _SCALES)
        lines = []
        for h in nbest.hypotheses:
            acoustic, lm, words = (h.scores.get(name, 0.0) for name in _THREE)
            if not (0 <= words < 10**_MOST_WORDS and words == int(words)):
                raise UsageError(
                    f"{words!r} is not a number of words", advice="write jsonl-nbest, which holds any scores"
                )
            lines.append([_score(acoustic, _LN_10), _score(lm, _LN_10), str(int(words)), *h.words])
    else:
        costs = single_costs(nbest, _NAME)
        lines = [[f"({_score(c, _BYTELOG)})", *h.words] for c, h in zip(costs, nbest.hypotheses, strict=True)]
        lines.insert(0, ["NBestList1.0"])
    file.write("".join(" ".join(line) + "\n" for line in lines).encode("utf-8"))


register(
    Format(
        _NAME, (".srilm-nbest",), lambda head: _FIRST_LINE.match(head.lstrip()) is not None, _read, _write, single=True
    )
)
