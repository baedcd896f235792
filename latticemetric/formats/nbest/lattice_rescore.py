"""Read and write n-best lists of lattice-rescore: `utt-0  acoustic lm more…  |  words`.

Scores are natural log-likelihoods. The first two scores come from the decoder and have weight 1. Further scores come
from rescoring models and have weight 0, unless the user sets their weights.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import IO, NamedTuple

from latticemetric.errors import FormatError, UsageError, shortened
from latticemetric.formats.columns import read_cost, require_nbest, require_words
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.blocks import grouped_by_id
from latticemetric.formats.text.fields import NUMBER
from latticemetric.graph import Graph
from latticemetric.nbest import Hypothesis, NBest
from latticemetric.vocabulary import Vocabulary, split_words

_NAME = "lattice-rescore-nbest"
_BAR = "|"
_DECODER = ("acoustic", "lm")
_FIRST_LINE = re.compile(rf"[^\s|]*-[0-9]+(?:[ \t]+{NUMBER}){{2,}}[ \t]*\|(?!\|)".encode())
_ID = re.compile(r"(.+)-([0-9]{1,9})")


class _RankedLine(NamedTuple):
    place: str
    rank: int
    scores: list[str]
    words: str


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for name, place, lines in grouped_by_id(_lines(stream)):
        yield Entry(name, place, partial(_build, lines), naming="own")


def _lines(stream: Stream) -> Iterator[tuple[str, str, _RankedLine]]:
    """Yield the utterance, place and content of each line."""
    for line in stream.lines():
        if line.strip():
            place = stream.place()
            scores, bar, words = line.partition(_BAR)
            fields = split_words(scores)
            if not bar or not fields:
                raise FormatError("the line is not 'utt-0 scores | words'", where=place)
            match = _ID.fullmatch(fields[0])
            if match is None:
                what = f"'{shortened(fields[0], 40)}' is not an utterance and a number, as in utt-0"
                raise FormatError(what, where=place)
            yield match[1], place, _RankedLine(place, int(match[2]), fields[1:], words)


def _build(block: Sequence[_RankedLine]) -> NBest:
    names = score_names(len(block[0].scores))
    hypotheses = []
    for expected, (place, rank, scores, words) in enumerate(block):
        if rank != expected:
            what = f"expected hypothesis {expected}, found {rank}"
            raise FormatError(what, where=place, advice="number the hypotheses of an utterance from 0, without gaps")
        if len(scores) != len(names):
            what = f"the hypothesis has {len(scores)} scores, but the first hypothesis has {len(names)}"
            raise FormatError(what, where=place)
        costs = [read_cost(score, place) for score in scores]
        hypotheses.append(Hypothesis(tuple(split_words(words)), dict(zip(names, costs, strict=True))))
    return NBest(tuple(hypotheses), {name: float(name in _DECODER) for name in names})


def score_names(number: int) -> list[str]:
    """Return the names of `number` scores: acoustic, lm, score_3, score_4, …."""
    return [*_DECODER, *(f"score_{k}" for k in range(3, number + 1))][:number]


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    nbest = require_nbest(graph, _NAME)
    names = score_names(len(nbest.score_names()))
    wanted = {key: float(key in _DECODER) for key in names}
    same = all(h.scores.keys() == wanted.keys() for h in nbest.hypotheses)
    if len(names) < len(_DECODER) or not same or any(nbest.weights.get(key, 1.0) != wanted[key] for key in names):
        raise UsageError(
            f"{_NAME} needs the scores acoustic and lm, of weight 1; others must be score_3, score_4, …, of weight 0",
            advice="write jsonl-nbest, which holds any scores",
        )
    require_words(nbest, name)
    if _BAR in name:
        raise UsageError(f"the id '{shortened(name, 40)}' holds a bar, which {_NAME} cannot write", advice="rename it")
    for rank, hypothesis in enumerate(nbest.hypotheses):
        scores = (0.0 - hypothesis.scores[key] for key in names)
        # Write a sign, so that scores do not look like times. Write no space before the bar, so that a line without
        # words does not look like a command in a Kaldi script.
        signed = (repr(score) if score < 0 else f"+{abs(score)!r}" for score in scores)
        line = " ".join([f"{name}-{rank}", *signed]) + " ".join([_BAR, *hypothesis.words])
        file.write(f"{line}\n".encode())


register(Format(_NAME, (".rescored",), lambda head: bool(_FIRST_LINE.match(head.lstrip())), _read, _write))
