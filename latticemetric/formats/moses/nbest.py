"""Read and write Moses n-best lists: `0 ||| hypothesis ||| LM0= -4.3 … ||| total [||| alignment]`.

Scores are log probabilities; costs are the negated values. The total has weight 1, and features have weight 0. Without
totals, features have weight 1. Old files write `0|||` without a space, and `lm:` instead of `lm=`.

With Moses' option -report-segmentation, the span of source words follows each phrase, as in `the house |0-1|`; it is no
word. Marian may write an alignment and scores of words before the features. Travatar writes the total before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import IO

from latticemetric.errors import FormatError, UsageError, shortened
from latticemetric.formats.columns import read_cost, require_all_have, require_nbest, require_weights, require_words
from latticemetric.formats.registry import ANY_NAME, Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.blocks import grouped_by_id
from latticemetric.formats.text.fields import is_number
from latticemetric.graph import Graph
from latticemetric.nbest import Hypothesis, NBest
from latticemetric.vocabulary import Vocabulary, split_words

_NAME = "moses-nbest"
_TOTAL = "total"
_SEPARATOR = "|||"
_FIRST_LINE = re.compile(rb"\s*(?!\{)[^\s|#]+\s*\|\|\|[^\n]*\|\|\|")
_FEATURE_NAME = re.compile(r"([^\s=:]\S*?)[=:]$")
_NAME_AND_VALUE = re.compile(r"([^\s=]+)=([^=]+)")
_UNNAMED = "feature"
# The span of a phrase, and with -report-segmentation-enriched also its alignment and scores.
_SPAN = re.compile(r"(?<!\S)\|[0-9]+-[0-9]+(?:,wa=[^|]*)?\|(?!\S)")
_MARIANS = "F0="  # Marian's features are F0, F1 and so on
_FEWEST_FIELDS = 3
_SPACE = " \t\r\n\f\v"

_Line = tuple[str, list[str]]


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for name, place, lines in grouped_by_id(_lines(stream)):
        yield Entry(name, place, partial(_parse, lines), naming="number" if name.isdecimal() else "own")


def _lines(stream: Stream) -> Iterator[tuple[str, str, _Line]]:
    """Yield the id, place and fields of each line that is not blank; a line without ||| gets the previous line's id."""
    name: str | None = None
    for line in stream.lines():
        if line.strip():
            fields = [field.strip(_SPACE) for field in line.split(_SEPARATOR)]
            if name is None or len(fields) > 1:
                name = fields[0]
                _refuse_score(name, len(fields), stream)
            yield name, stream.place(), (stream.place(), fields)


def _refuse_score(name: str, fields: int, stream: Stream) -> None:
    """Raise `FormatError` if a line begins with a score instead of a number or an id, as some settings of Joshua write.

    Then nothing says which lines belong to the same sentence.
    """
    is_number_of_sentence = name.isdecimal() or not is_number(name)
    if not is_number_of_sentence and (fields == _FEWEST_FIELDS or name[0] in "+-"):
        raise FormatError(
            f"the line begins with the score {name}, not with the number of its sentence",
            where=stream.place(),
            advice="write the list with Joshua's -output-format '%i ||| %s ||| %f ||| %c'",
        )


def _parse(block: Sequence[_Line]) -> NBest:
    hypotheses = []
    for place, fields in block:
        if len(fields) < _FEWEST_FIELDS:
            raise FormatError(
                f"the line has {len(fields)} fields between |||, but needs at least {_FEWEST_FIELDS}",
                where=place,
                advice="write number ||| words ||| features ||| total (the total is optional)",
            )
        features, *rest = _from_features(fields)
        scores = _features(features, place)
        if rest:
            scores[_TOTAL] = read_cost(rest[0], place)
        text = _SPAN.sub(" ", fields[1]) if "|" in fields[1] else fields[1]
        hypotheses.append(Hypothesis(tuple(split_words(text)), scores))
    weights = _weights(name for h in hypotheses for name in h.scores)
    for (place, _), hypothesis in zip(block, hypotheses, strict=True):
        # Features may be sparse: a missing one is 0. But either all hypotheses have a total, or none has.
        if _TOTAL in weights and _TOTAL not in hypothesis.scores:
            what = "the hypothesis has no total, but others in its list have one"
            raise FormatError(what, where=place, advice="give a total to all hypotheses of a list, or to none")
    return NBest(tuple(hypotheses), weights)


def _from_features(fields: list[str]) -> list[str]:
    """Return the features, then the total and further fields.

    Leave out what Marian writes between the words and the features; exchange Travatar's total and features.
    """
    later = (number for number, field in enumerate(fields) if number > 1 and field.startswith(_MARIANS))
    features, *rest = fields[next(later, 2) :]
    if rest and is_number(features) and _NAME_AND_VALUE.match(rest[0]):
        return [rest[0], features, *rest[1:]]
    return [features, *rest]


def _weights(names: Iterable[str]) -> dict[str, float]:
    """Return weights: with a total, 1 for the total and 0 for features; without a total, 1 for each feature."""
    distinct = dict.fromkeys(names)
    return {name: float(name == _TOTAL or _TOTAL not in distinct) for name in distinct}


def _features(text: str, place: str) -> dict[str, float]:
    """Read features as costs: `d= 0 -1.5 lm= -47` → d_0, d_1, lm; cdec's `Glue=3` → Glue.

    Numbers without a name become `feature_0`, `feature_1` and so on; a single one becomes `feature`.
    """
    groups: list[tuple[str, list[float]]] = []
    for token in split_words(text):
        if match := _FEATURE_NAME.fullmatch(token):
            groups.append((match[1], []))
        elif match := _NAME_AND_VALUE.fullmatch(token):
            groups.append((match[1], [read_cost(match[2], place)]))
        else:
            groups = groups or [(_UNNAMED, [])]
            groups[-1][1].append(read_cost(token, place))
    named: dict[str, float] = {}
    for name, values in groups:
        names = [name] if len(values) == 1 else [f"{name}_{k}" for k in range(len(values))]
        for key, value in zip(names, values, strict=True):
            if key in named:
                raise FormatError(f"feature '{key}' appears twice", where=place)
            named[key] = value
    return named


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    nbest = require_nbest(graph, _NAME)
    names = nbest.score_names()
    require_weights(nbest, _NAME, _weights(names))
    if _TOTAL in names:
        require_all_have(nbest, _TOTAL)
    require_words(nbest, name)
    for feature in names:
        if not _FEATURE_NAME.fullmatch(f"{feature}="):
            raise UsageError(
                f"{shortened(feature)!r} cannot be the name of a Moses feature",
                advice="add the scores up with Corpus.converted(sum_scores=True)",
            )
    texts = [" ".join(hypothesis.words) for hypothesis in nbest.hypotheses]
    for text in texts:
        if "|" in text and (span := _SPAN.search(text)):
            what = f"{shortened(span[0])!r} would be read back as the span of a phrase, not as words"
            raise UsageError(what, advice="write jsonl-nbest")
    divided = (word for text in texts if _SEPARATOR in text for word in text.split(" "))
    for text in (name, *divided, *names):
        if _SEPARATOR in text:
            raise UsageError(
                f"{shortened(text)!r} holds |||, which separates the fields of a line", advice="write jsonl-nbest"
            )
    for hypothesis, text in zip(nbest.hypotheses, texts, strict=True):
        features = [f"{key}= {0.0 - cost!r}" for key, cost in hypothesis.scores.items() if key != _TOTAL]
        fields = [name, text, " ".join(features)]
        if _TOTAL in hypothesis.scores:
            fields.append(repr(0.0 - hypothesis.scores[_TOTAL]))
        file.write((" ||| ".join(fields) + "\n").encode("utf-8"))


register(Format(_NAME, (".nbest",), lambda head: bool(_FIRST_LINE.match(head)), _read, _write, sparse=ANY_NAME))
