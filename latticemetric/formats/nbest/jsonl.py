"""Read and write n-best lists as JSON lines: `{"id": "utt-1", "hypotheses": [{"text": "a b", "score": -1.5}, …]}`.

Numbers of a hypothesis are natural log probabilities. If there is a total, only the total has weight; otherwise, the
numbers in `scores` have weight, and numbers beside `scores` have none. Names that other tools use are listed below.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import IO, Any

from latticemetric.errors import FormatError, UsageError, shortened
from latticemetric.formats.columns import require_all_have, require_nbest
from latticemetric.formats.registry import Entry, Format, Naming, register, unbuildable
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.json import blank_lines, object_of, parsed_json, text_of
from latticemetric.graph import Graph
from latticemetric.nbest import Hypothesis, NBest
from latticemetric.vocabulary import Vocabulary, split_words

_NAME = "jsonl-nbest"
_IDS = ("id", "utt_id", "uttid", "utt", "key", "utterance_id")
_LISTS = ("hypotheses", "nbest", "hyps", "n_best", "beams", "candidates")
_TEXTS = ("text", "pred", "prediction", "transcript", "transcription", "hyp", "hypothesis", "sentence")
_TOKENS = ("words", "tokens")
_TOTALS = ("score", "total", "logprob", "log_prob", "logp", "sum_logprobs", "sum_logprob", "cumulative_logprob")
_NESTED = "scores"
_ANY_LIST = re.compile(rf'"(?:{"|".join(_LISTS)})"\s*:\s*\['.encode())
# The id of a line that is not JSON.
_ANY_ID = re.compile(rf'"(?:{"|".join(_IDS)})"\s*:\s*"([^"\\]+)"'.encode())
_SHOWN = 40

_Object = dict[str, Any]


def _sniff(head: bytes) -> bool:
    line = head.lstrip().partition(b"\n")[0]
    return line.startswith(b"{") and _ANY_LIST.search(line) is not None


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    named: bool | None = None
    read = 0
    for line in stream.byte_lines():
        if not line.strip():
            continue
        number, place = stream.line, stream.place()
        try:
            record, name = _record(line, stream, named=named)
        except FormatError as error:  # continue: the next line is another list, whose id may be readable
            match = _ANY_ID.search(line)
            naming: Naming = "own" if match else "position" if named is False else "file"
            own = match[1].decode("utf-8", "replace") if match else ""
            lost = own or (str(number) if naming == "position" else place)
            entry = Entry(lost, place, unbuildable(error), naming=naming)
        else:
            named = name is not None
            build = partial(_build, record, place)
            entry = Entry(name or str(number), place, build, naming="own" if named else "position")
        # Count blank lines if lines have no ids, except at the end.
        if entry.naming == "position":
            yield from blank_lines(stream, range(read + 1, number))
        read = number
        yield entry


def _record(line: bytes, stream: Stream, *, named: bool | None) -> tuple[_Object, str | None]:
    """Return the object of a line, and its id. `named` says whether lists above have ids; refuse a mixture."""
    place = stream.place()
    record = parsed_json(line, stream.name, stream.line, objects=object_of)
    if not isinstance(record, dict):
        raise FormatError("the line is not a JSON object", where=place)
    key = _only(record, _IDS, "ids", place)
    if named is not None and named != (key is not None):
        raise FormatError("some lists have an id, but others do not", where=place)
    if key is None:
        return record, None
    if isinstance(record[key], bool) or not isinstance(record[key], str | int):
        raise FormatError("the id is neither a text nor a whole number", where=place)
    return record, text_of(str(record[key]), "the id", place)


def _only(table: _Object, names: tuple[str, ...], what: str, place: str) -> str | None:
    """Return the name that the object has, or `None`; refuse two names with different values."""
    keys = [name for name in names if table.get(name) is not None]
    if any(table[name] != table[keys[0]] for name in keys):
        raise FormatError(f"{' and '.join(keys)} are different {what}", where=place, advice="keep one of them")
    return keys[0] if keys else None


def _build(record: _Object, place: str) -> NBest:
    key = _only(record, _LISTS, "lists of hypotheses", place)
    if key is None:
        raise FormatError("the list has no hypotheses", where=place, advice=f"give them as one of {', '.join(_LISTS)}")
    hypotheses = record[key]
    if not isinstance(hypotheses, list):
        raise FormatError(f"{key} is not a list", where=place)
    parsed = [_hypothesis(h, f"{place}, hypothesis {number}") for number, h in enumerate(hypotheses, start=1)]
    _add_columns(record, parsed, place)
    nested = {name for _, scores, _ in parsed for name in scores}
    scales = scales_of(nested, {name for _, _, numbers in parsed for name in numbers}, place)
    total = next((name for name in scales if name in _TOTALS and scales[name]), None)
    for number, (_, scores, numbers) in enumerate(parsed, start=1):
        if total is not None and total not in scores and total not in numbers:
            raise FormatError(f"hypothesis {number} has no {total}, but others in its list have one", where=place)
    costs = ({name: 0.0 - value for name, value in (scores | numbers).items()} for _, scores, numbers in parsed)
    return NBest(tuple(Hypothesis(words, c) for (words, _, _), c in zip(parsed, costs, strict=True)), scales)


_Parsed = tuple[tuple[str, ...], dict[str, float], dict[str, float]]


def _hypothesis(value: object, place: str) -> _Parsed:
    """Return the words, the numbers in `scores`, and the other numbers."""
    if isinstance(value, str):
        return _split(value, place), {}, {}
    if not isinstance(value, dict):
        raise FormatError("the hypothesis is neither a text nor an object", where=place)
    nested = value.get(_NESTED)
    if nested is not None and not isinstance(nested, dict):
        raise FormatError("scores is not an object of names and numbers", where=place)
    scores = _numbers(nested or {}, place, strict=lambda _: True)
    numbers = _numbers(value, place, strict=lambda name: name in _TOTALS)
    if both := scores.keys() & numbers.keys():
        raise FormatError(f"score '{shortened(min(both), _SHOWN)}' appears twice", where=place)
    return _words(value, place), scores, numbers


def _numbers(table: _Object, place: str, strict: Callable[[str], bool]) -> dict[str, float]:
    numbers = {}
    for name, value in table.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            numbers[text_of(name, "the name", place)] = float(value)
        elif value is not None and strict(name):
            raise FormatError(f"'{shortened(name, _SHOWN)}' is not a number", where=place)
    return numbers


def _words(table: _Object, place: str) -> tuple[str, ...]:
    if (key := _only(table, _TEXTS, "texts", place)) is not None:
        if not isinstance(table[key], str):
            raise FormatError(f"{key} is not a text", where=place)
        return _split(table[key], place)
    key = next((name for name in _TOKENS if table.get(name) is not None), None)
    if key is None:
        raise FormatError("the hypothesis has no text", where=place, advice="""give "text": "…", or "words": ["…"]""")
    words = table[key]
    if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
        raise FormatError(f"{key} is not a list of words", where=place, advice="give text")
    return tuple(text_of(word, "the word", place) for word in words)


def _split(text: str, place: str) -> tuple[str, ...]:
    return tuple(split_words(text_of(text, "the text", place)))


def _add_columns(record: _Object, parsed: list[_Parsed], place: str) -> None:
    """Add totals that are given as a list of numbers beside the list of hypotheses."""
    for name in (*_TOTALS, _NESTED):
        column = record.get(name)
        if not isinstance(column, list):
            continue
        if len(column) != len(parsed) or any(isinstance(v, bool) or not isinstance(v, int | float) for v in column):
            raise FormatError(f"{name} is not a list with one number per hypothesis", where=place)
        own = _TOTALS[0] if name == _NESTED else name
        for (_, scores, numbers), value in zip(parsed, column, strict=True):
            if own in scores or own in numbers:
                raise FormatError(f"score '{own}' is given both in the hypotheses and beside them", where=place)
            numbers[own] = float(value)


def scales_of(nested: set[str], loose: set[str], place: str = "") -> dict[str, float]:
    """Give weight 1 to the total; without a total, to the numbers in `scores`. Other numbers get weight 0."""
    names = nested | loose
    totals = [name for name in _TOTALS if name in names]
    if len(totals) > 1 and totals[0] != _TOTALS[0]:
        raise FormatError(
            f"{' and '.join(totals)} could all be the total", where=place or None, advice="rename it to score"
        )
    return {name: float(name in totals[:1] if totals else name in nested) for name in names}


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    nbest = require_nbest(graph, _NAME)
    names = set(nbest.score_names())
    counted = {key for key in names if nbest.scales.get(key, 1.0) != 0}
    nested = set() if len(counted) == 1 and counted <= set(_TOTALS) else counted
    scales = scales_of(nested, names - nested)
    other = sorted(key for key in names if scales[key] != nbest.scales.get(key, 1.0))
    other += sorted((names - nested) & {*_TEXTS, *_TOKENS, _NESTED})
    if other:
        raise UsageError(
            f"{_NAME} cannot store the weight of {shortened(', '.join(other), 200)} beside the other scores",
            advice="add the scores up with --sum-scores",
        )
    if total := next((key for key in names if key in _TOTALS and scales[key]), None):
        require_all_have(nbest, total)
    hypotheses = [_as_object(h.words, h.scores, nested) for h in nbest.hypotheses]
    line = json.dumps({"id": name, "hypotheses": hypotheses}, ensure_ascii=False, allow_nan=False)
    file.write((line + "\n").encode("utf-8"))


def _as_object(words: tuple[str, ...], costs: Mapping[str, float], nested: set[str]) -> _Object:
    if "" in words:
        raise UsageError("an empty word cannot be written", advice="leave it out")
    text = " ".join(words)
    fields: _Object = {"text": text} if split_words(text) == list(words) else {"words": list(words)}
    fields |= {name: 0.0 - cost for name, cost in costs.items() if name not in nested}
    scores = {name: 0.0 - cost for name, cost in costs.items() if name in nested}
    return fields | ({_NESTED: scores} if scores else {})


register(Format(_NAME, (".jsonl", ".nbest.jsonl"), _sniff, _read, _write))
