"""Read an n-best list, its id and its references from one record: a JSON object, or a row of a table.

Numbers of a hypothesis are natural log probabilities. If one of them is the total score, it has weight 1, and the
others have weight 0. Without a total, numbers in `scores` have weight 1, and numbers outside of `scores` have weight 0.
The constants list the field names that tools use; `TOTALS` are the names of the total score.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeGuard

from latticemetric.display.cells import Unread
from latticemetric.errors import FormatError, shortened
from latticemetric.formats.registry import Entry, Naming, unbuildable
from latticemetric.formats.streams.once import OnceWarning
from latticemetric.formats.text.json import text_of
from latticemetric.nbest import Hypothesis, NBest
from latticemetric.vocabulary import split_words

IDS = ("id", "utt_id", "uttid", "utt", "key", "utterance_id")
LISTS = ("hypotheses", "nbest", "hyps", "n_best", "beams", "candidates")
# Fields with these names may also hold other data: they are lists of hypotheses only if they list texts or objects.
OTHER_LISTS = ("input", "hypothesis", "predictions", "sequences", "outputs", "generations", "samples", "responses")
_OTHERS = frozenset(OTHER_LISTS)
TEXTS = (
    "text", "pred", "prediction", "transcript", "transcription", "hyp", "hypothesis", "sentence", "generated_text"
)  # fmt: skip
TOKENS = ("words", "tokens")
TOTALS = (
    "score", "total", "logprob", "log_prob", "logp", "sum_logprobs", "sum_logprob", "cumulative_logprob",
    "cum_logprob", "cum_log_probs", "sequences_scores", "sequence_score", "am_score"
)  # fmt: skip
NESTED = "scores"
# Lists under these names give each hypothesis its total, if they have one number per hypothesis. Otherwise, they are
# something else, such as the log probabilities of tokens. Their values are the names of the totals.
_PLURALS = {"logprobs": "logprob", "log_probs": "log_prob"}
COLUMNS = {name: name for name in TOTALS} | {NESTED: TOTALS[0]} | _PLURALS
"""The names of lists beside the list of hypotheses, with one number per hypothesis, and the names of their totals."""
REFERENCES = (
    "reference", "references", "ref", "refs", "target", "ground_truth", "transcription", "transcript"
)  # fmt: skip
_SURE_REFERENCES = ("reference", "references", "ref", "refs")
# If the list of hypotheses is called `input` (HyPoradise), the reference is `output`, the expected correction.
_REFERENCE_OF = {"input": ("output",)}

SAMPLES = "num_return_sequences"
"""The field with the number of hypotheses per input, if the list of `generate` joins the hypotheses of several."""

FIELDS = frozenset({*IDS, *LISTS, *OTHER_LISTS, *COLUMNS, *REFERENCES, *sum(_REFERENCE_OF.values(), ()), SAMPLES})
"""The names of all fields that have a meaning."""

ANY_LIST = re.compile(rf'"(?:{"|".join((*LISTS, *OTHER_LISTS))})"\s*:\s*\['.encode())
"""A pattern of JSON: the key of a list of hypotheses, and the beginning of the list."""

_AUDIO = re.compile(rb'"audio_file(?:path)?"\s*:\s*"')
_PREDICTED = re.compile(rb'"pred_text[^"\\]*"\s*:\s*"')
_TEXT = re.compile(rb'"text"\s*:\s*"')
_SHOWN = 40
_PAIR = 2

Fields = Mapping[str, Any]


def is_manifest(line: bytes) -> bool:
    """Check whether a line is an entry of a NeMo manifest with transcripts.

    NeMo's scripts for streaming and speech language models leave out the audio file.
    """
    if not line.startswith(b"{") or _PREDICTED.search(line) is None:
        return False
    return _AUDIO.search(line) is not None or (_TEXT.search(line) is not None and ANY_LIST.search(line) is None)


class ListRecord(NamedTuple):
    """The fields of a record, and its place."""

    fields: Fields
    place: str

    def name(self, *, named: bool | None) -> str | None:
        """Return the id, or `None` if there is none; raise an error if only some records have ids.

        `named` says whether earlier records have ids; it is `None` for the first record.
        """
        key = _only(self.fields, IDS, "ids", self.place)
        if named is not None and named != (key is not None):
            what = "some lists have an id, but others do not"
            raise FormatError(what, where=self.place, advice="give an id to all lists, or to none")
        if key is None:
            return None
        value = self.fields[key]
        if isinstance(value, bool) or not isinstance(value, str | int):
            what = f"the id must be a text or a whole number, but {key} is {described(value)}"
            raise FormatError(what, where=self.place, advice=_advice_for(value, "a string or an integer"))
        return text_of(str(value), "the id", self.place)

    def entry(self, name: str | None, position: int) -> Entry:
        """Return the entry of the list, named by its id or its position."""
        naming: Naming = "position" if name is None else "own"
        return Entry(name or str(position), self.place, self.nbest, naming=naming, fields=self.fields)

    def nbest(self) -> NBest:
        """Build the n-best list of the record."""
        fields, place = self.fields, self.place
        key = list_key(fields, place)
        if key is None:
            others = [f"{name} is {described(fields[name])}" for name in OTHER_LISTS if fields.get(name) is not None]
            but = f": {others[0]}, not of texts" if others else ""
            advice = f"give them as one of {', '.join(LISTS)}"
            raise FormatError(f"the list has no hypotheses{but}", where=place, advice=advice)
        hypotheses = fields[key]
        if not isinstance(hypotheses, list):
            what = f"{key} is not a list, but {described(hypotheses)}"
            raise FormatError(what, where=place, advice=_advice_for(hypotheses, "lists of strings"))
        if _are_texts(hypotheses) and fields.keys().isdisjoint(COLUMNS):
            return NBest.of_texts(hypotheses)
        require_readable(fields, [key], place)
        parsed = [_hypothesis(h, f"{place}, hypothesis {number}") for number, h in enumerate(hypotheses, start=1)]
        _add_columns(fields, parsed, place)
        return assembled(parsed, place)


def has_scores(fields: Fields) -> bool | None:
    """Return true if a list has scores, false if its scores are null, and `None` if it has no fields of scores.

    Look only at the list's own fields, and at its first hypothesis.
    """
    totals = [fields[name] for name in COLUMNS if name in fields and name not in _PLURALS]
    hypotheses = next((fields[name] for name in (*LISTS, *OTHER_LISTS) if fields.get(name) is not None), None)
    first = hypotheses[0] if isinstance(hypotheses, list) and hypotheses else None
    if isinstance(first, dict):
        totals += [first[name] for name in (*TOTALS, NESTED) if name in first]
    totals += [one for one in first if _is_number(one)] if isinstance(first, list) else []
    return any(one is not None for one in totals) if totals else None


def separate_lists(record: ListRecord, samples: int | None = None) -> list[ListRecord]:
    """Divide a record that joins the lists of several inputs: `samples` hypotheses of one, then those of the next.

    Fields with an item per hypothesis are divided like the list, fields with an item per input are its items; others
    belong to each list.

    Args:
        record: The record.
        samples: The number of hypotheses per input; the record's own number by default.

    Raises:
        FormatError: The number of inputs is unknown, or does not divide the number of hypotheses.
    """
    fields, place = record
    if samples is None and fields.keys().isdisjoint((SAMPLES, _OF_GENERATE)):
        return [record]
    key = list_key(fields, place)
    hypotheses = fields.get(key) if key else None
    if not isinstance(hypotheses, list):
        return [record]
    total, inputs = len(hypotheses), _number_of_inputs(fields, key, samples, place)
    if inputs == 1:
        return [record]
    joined = _Joined(total, inputs, place)
    return [
        ListRecord({name: joined.part(name, value, k) for name, value in fields.items()}, place) for k in range(inputs)
    ]


def _number_of_inputs(fields: Fields, key: str | None, samples: int | None, place: str) -> int:
    """Return the number of inputs whose hypotheses a record joins."""
    total = len(fields[key or ""])
    own = fields.get(SAMPLES)
    if own is not None and (isinstance(own, bool) or not isinstance(own, int) or own < 1):
        raise FormatError(f"{SAMPLES} is {described(own)}, not a whole number from 1", where=place)
    if own is not None and samples is not None and own != samples:
        raise FormatError(f"{SAMPLES} is {own}, not {samples}", where=place, advice="give the right number as n")
    if (each := samples or own) is not None:
        if samples is None and total < each:  # equal ones were removed
            return 1
        if not total or total % each:
            raise FormatError(f"{total} hypotheses are no lists of {each} each", where=place, advice=_SAY_SAMPLES)
        return total // each
    if not (key in _OTHERS and isinstance(fields.get(_OF_GENERATE), list) and total > 1):
        return 1
    names = fields.get(next((name for name in IDS if fields.get(name) is not None), ""))
    if isinstance(names, list):
        if total % max(1, len(names)):
            what = f"{total} hypotheses cannot be divided among {len(names)} ids"
            raise FormatError(what, where=place, advice=_SAY_SAMPLES)
        return len(names)
    references = (*REFERENCES, *_REFERENCE_OF.get(key or "", ()))
    if names is not None or any(isinstance(fields.get(name), str) for name in references if name != key):
        return 1
    what = f"{key} may join the hypotheses of several inputs, as generate of transformers returns them"
    raise FormatError(what, where=place, advice=_SAY_SAMPLES)


class _Joined(NamedTuple):
    """The numbers of hypotheses and of inputs of a record that joins several lists, and its place."""

    total: int
    inputs: int
    place: str

    def part(self, name: str, value: Any, k: int) -> Any:
        """Return the part of a field that belongs to the k-th input."""
        total, inputs, is_of_input = self.total, self.inputs, name in {*IDS, *REFERENCES}
        if name == SAMPLES or value is None:
            return None
        if not isinstance(value, list):
            if is_of_input:
                what = f"{name} is {described(value)}, but the record joins the lists of {inputs} inputs"
                raise FormatError(what, where=self.place, advice=f"give a list of {inputs}, one per input")
            return value
        if len(value) not in {total, inputs}:
            what = f"{name} has {len(value)} items, neither one per hypothesis ({total}) nor one per input ({inputs})"
            raise FormatError(what, where=self.place, advice=_SAY_SAMPLES)
        if len(value) == total and not (is_of_input and total == inputs):
            return value[k * total // inputs : (k + 1) * total // inputs]
        return value[k]


_OF_GENERATE = "sequences_scores"
_SAY_SAMPLES = f"add {SAMPLES} to the record, or give n to Corpus.from_records: the number of hypotheses per input"


class Alike:
    """Makes the entries of a file's records, and checks that all lists have ids and scores, or none.

    Args:
        named: True if earlier records have ids; `None` for the first record.
        scored: True if earlier lists have scores, false if theirs are null; `None` if they have no fields of scores.
        samples: The number of hypotheses per input, if records join the lists of several (see `separate_lists`).
    """

    def __init__(self, *, named: bool | None = None, scored: bool | None = None, samples: int | None = None) -> None:
        self._named, self._scored = named, {scored} if named is not None else set()
        self._samples = samples

    def entries(self, record: ListRecord, position: int) -> Iterator[Entry]:
        """Yield the entry of each list in the next record."""
        lists = separate_lists(record, self._samples)
        for number, one in enumerate(lists, start=1):
            entry = self._entry(one, position)
            is_part = len(lists) > 1 and entry.naming != "own"
            yield entry._replace(name=f"{position}-{number}") if is_part else entry

    def _entry(self, record: ListRecord, position: int) -> Entry:
        """Return the entry of the next list; its graph is an error if only some lists have scores.

        Lists without fields of scores, beside others with scores, cause a warning: writers leave out what is not there.

        Raises:
            FormatError: Only some records have ids.
        """
        name = record.name(named=self._named)
        self._named = name is not None
        entry = record.entry(name, position)
        self._scored.add(has := has_scores(record.fields))
        if {True, False} <= self._scored and has is not None:
            what = "the scores of the list are null, but" if not has else "the list has scores, but those of"
            what += " other lists have scores" if not has else " other lists are null"
            error = FormatError(what, where=record.place, advice="give scores to all lists, or to none")
            return entry._replace(build=unbuildable(error))
        if {True, None} <= self._scored and not _UNSCORED:
            _UNSCORED.write(record.place, "only some lists have scores; the order of the others is their rank")
        return entry


_UNSCORED = OnceWarning()


def entries_of(
    records: Iterable[tuple[int, ListRecord]],
    *,
    named: bool | None = None,
    scored: bool | None = None,
    samples: int | None = None,
) -> Iterator[Entry]:
    """Yield the entries of each record and its position; see `Alike`."""
    alike = Alike(named=named, scored=scored, samples=samples)
    for position, record in records:
        yield from alike.entries(record, position)


def list_key(fields: Fields, place: str) -> str | None:
    """Return the key of the list of hypotheses, `None` if there is none; refuse a record with two different lists."""
    key = _only(fields, LISTS, "lists of hypotheses", place)
    if key is not None:
        return key
    lists = {name: fields[name] for name in _OTHERS.intersection(fields) if _is_list_of_hypotheses(fields[name])}
    key = _only(lists, OTHER_LISTS, "lists of hypotheses", place)
    expected = fields.get("references")
    if key == "predictions" and isinstance(expected, list) and len(expected) == len(lists[key]) > 1:
        # As for Hugging Face's evaluate: a prediction and a reference for each segment of a test set.
        raise FormatError(
            f"the record holds {len(expected)} predictions and as many references: they may be pairs, or one list",
            where=place,
            advice="write a record per list, or call one list 'hypotheses'",
        )
    return key


def _is_list_of_hypotheses(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, (str, dict)) for one in value)


def reference_fields(fields: Fields, place: str | None = None) -> tuple[str, ...]:
    """Return the names of the fields that look like references; if all have the same value, return the first name.

    Raises:
        FormatError: A field that is called like a reference cannot be read.
    """
    key = next((name for name in LISTS if fields.get(name) is not None), None)
    key = key or next((name for name in OTHER_LISTS if _is_list_of_hypotheses(fields.get(name))), "")
    known = (*REFERENCES, *_REFERENCE_OF.get(key, ()))
    require_readable(fields, known, place)
    names = [name for name in known if name != key and is_reference(fields.get(name))]
    if not names:
        _require_none(fields, place)
    return tuple(names[:1]) if all(fields[name] == fields[names[0]] for name in names) else tuple(names)


def _require_none(fields: Fields, place: str | None) -> None:
    """Raise an error if a field whose name means nothing but references holds something else."""
    for name in _SURE_REFERENCES:
        if fields.get(name) not in (None, []):
            what = f"{name} is {described(fields[name])}, not a text or a list of texts"
            raise FormatError(what, where=place, advice="convert the references to strings")


def require_readable(fields: Fields, names: Iterable[str], place: str | None) -> None:
    """Raise an error if the value of one of the fields `names` is neither a text nor a number, list or object."""
    for name in names:
        value = fields.get(name)
        part = next((one for one in value if not _is_readable(one)), None) if isinstance(value, list) else value
        if not _is_readable(part):
            what = f"{name} is {described(value)}, not a text"
            raise FormatError(what, where=place, advice=_advice_for(part, "strings"))


def _one(part: object) -> str:
    """Describe an item of a list."""
    shown = described(part)
    return f"a value {shown}" if shown.startswith("of") else shown


_PLURAL = {"a text": "texts", "a number": "numbers", "an object": "objects", "an empty list": "lists"}


def _is_readable(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | list | dict)


def described(value: object) -> str:
    """Describe a value of a record in a few words, for errors."""
    if isinstance(value, Unread):
        return f"of the type {value.type}"
    if isinstance(value, list):
        return f"a list of {_PLURAL.get(one := _one(value[0]), one)}" if value else "an empty list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    kinds = ((str, "a text"), (int | float, "a number"), (dict, "an object"))
    return next((name for kind, name in kinds if isinstance(value, kind)), f"of the type {type(value).__name__}")


def _advice_for(value: object, wanted: str) -> str | None:
    """Return the advice for a value that only the tool that wrote the table can convert."""
    return None if _is_readable(value) else f"convert the column to {wanted}"


def is_reference(value: object) -> bool:
    """Check whether the value of a field can be a reference: a text, or a list of texts."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(text, str) for text in value)
    return isinstance(value, str)


def _only(table: Fields, names: tuple[str, ...], what: str, place: str) -> str | None:
    """Return the first of `names` that the record has, or `None`; refuse a record that gives them different values."""
    if table.keys().isdisjoint(names):
        return None
    keys = [name for name in names if name in table and table[name] is not None]
    if len(keys) > 1 and any(table[name] != table[keys[0]] for name in keys):
        raise FormatError(f"{' and '.join(keys)} are different {what}", where=place, advice="keep one of them")
    return keys[0] if keys else None


class Parsed(NamedTuple):
    """The words of a hypothesis, the numbers in its `scores`, and its other numbers."""

    words: tuple[str, ...]
    scores: dict[str, float]
    numbers: dict[str, float]


def assembled(parsed: list[Parsed], place: str) -> NBest:
    """Build an n-best list from parsed hypotheses; refuse them if only some have a total."""
    nested = {name for one in parsed for name in one.scores}
    weights = weights_of(nested, {name for one in parsed for name in one.numbers}, place)
    total = next((name for name in weights if name in TOTALS and weights[name]), None)
    for number, one in enumerate(parsed, start=1):
        if total is not None and total not in one.scores and total not in one.numbers:
            what = f"hypothesis {number} has no {total}, but others in its list have one"
            raise FormatError(what, where=place, advice=f"give {total} to all hypotheses of a list, or to none")
    costs = ({name: 0.0 - value for name, value in (one.scores | one.numbers).items()} for one in parsed)
    return NBest(tuple(Hypothesis(one.words, c) for one, c in zip(parsed, costs, strict=True)), weights)


def _are_texts(hypotheses: list[Any]) -> bool:
    """Check whether all hypotheses are texts that UTF-8 can encode."""
    try:
        "".join(hypotheses).encode()
    except (TypeError, UnicodeEncodeError):
        return False
    return True


def _hypothesis(value: object, place: str) -> Parsed:
    if isinstance(value, str):
        return Parsed(_split(value, place), {}, {})
    if isinstance(value, list):
        return _text_and_score(value, place)
    if not isinstance(value, dict):
        what = f"the hypothesis must be a text or an object, but is {described(value)}"
        raise FormatError(what, where=place, advice=_advice_for(value, "strings"))
    nested = value.get(NESTED)
    if nested is None and isinstance(value.get(TOTALS[0]), dict):
        nested, value = value[TOTALS[0]], {name: one for name, one in value.items() if name != TOTALS[0]}
    if nested is not None and not isinstance(nested, dict):
        what = f"scores is not an object of names and numbers, but {described(nested)}"
        raise FormatError(what, where=place, advice=_advice_for(nested, "numbers"))
    scores = _numbers(nested or {}, place, strict=lambda _: True)
    numbers = _numbers(value, place, strict=lambda name: name in TOTALS)
    if both := scores.keys() & numbers.keys():
        raise FormatError(f"score '{shortened(min(both), _SHOWN)}' appears twice", where=place)
    return Parsed(_words(value, place), scores, numbers)


def _text_and_score(value: list[object], place: str) -> Parsed:
    """Read a text and its score, in any order, as NeMo writes them: `["a b", -1.5]`."""
    texts = [one for one in value if isinstance(one, str)]
    scores = [one for one in value if _is_number(one)]
    if len(value) != _PAIR or len(texts) != 1 or len(scores) != 1:
        raise FormatError("the hypothesis is a list, but not a pair of a text and its score", where=place)
    return Parsed(_split(texts[0], place), {}, {TOTALS[0]: _finite(scores[0], "score", place)})


def _numbers(table: Fields, place: str, strict: Callable[[str], bool]) -> dict[str, float]:
    numbers = {}
    for name, value in table.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            numbers[text_of(name, "the name", place)] = _finite(value, name, place)
        elif value is not None and strict(name):
            what = f"'{shortened(name, _SHOWN)}' is not a number, but {described(value)}"
            raise FormatError(what, where=place, advice=_advice_for(value, "numbers"))
    return numbers


def _finite(value: float, name: str, place: str) -> float:
    """Return a number of a record; refuse NaN and infinity, which tables can hold."""
    if not math.isfinite(value):
        raise FormatError(f"score '{shortened(name, _SHOWN)}' is {value}, which is not finite", where=place)
    return float(value)


def _words(table: Fields, place: str) -> tuple[str, ...]:
    if (key := _only(table, TEXTS, "texts", place)) is not None:
        if not isinstance(table[key], str):
            what = f"{key} is not a text, but {described(table[key])}"
            raise FormatError(what, where=place, advice=_advice_for(table[key], "strings"))
        return _split(table[key], place)
    key = next((name for name in TOKENS if table.get(name) is not None), None)
    if key is None:
        raise FormatError("the hypothesis has no text", where=place, advice="""give "text": "…", or "words": ["…"]""")
    words = table[key]
    if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
        raise FormatError(f"{key} is not a list of words", where=place, advice="give a text instead")
    return tuple(text_of(word, "the word", place) for word in words)


def _split(text: str, place: str) -> tuple[str, ...]:
    return tuple(split_words(text_of(text, "the text", place)))


def _add_columns(fields: Fields, parsed: list[Parsed], place: str) -> None:
    """Add scores to the hypotheses if the record has them in fields of their own: totals, or lists by name."""
    for name, own in COLUMNS.items():
        column = fields.get(name)
        if column is None or (name in _PLURALS and not _may_be_totals(column, len(parsed))):
            continue
        if name in {NESTED, TOTALS[0]} and isinstance(column, dict):
            for part, values in column.items():
                if values is not None:
                    listed = _listed(values, f"{name}.{shortened(part, _SHOWN)}", len(parsed), place)
                    _add_column(part, listed, [one.scores for one in parsed], parsed, place)
        else:
            listed = _listed(column, name, len(parsed), place)
            _add_column(own, listed, [one.numbers for one in parsed], parsed, place)


def _listed(column: object, name: str, number: int, place: str) -> list[float]:
    """Return the value of a field as a list with one number per hypothesis; for a single one, it may be a number."""
    values = [column] if _is_number(column) else column
    if isinstance(values, list) and len(values) == number and all(map(_is_number, values)):
        return values
    part, but = column, f"is {described(column)}"
    if isinstance(values, list):
        others = [one for one in values[:number] if not _is_number(one)]
        part = others[0] if others else None
        but = f"is a list with {_one(part)}" if others else f"has {len(values)}"
    raise FormatError(
        f"{name} is not a list with one number per hypothesis ({number}), but {but}",
        where=place,
        advice=_advice_for(part, "lists of numbers"),
    )


def _add_column(
    name: str, values: list[float], tables: list[dict[str, float]], parsed: list[Parsed], place: str
) -> None:
    """Add a score to the table of each hypothesis."""
    for one, table, value in zip(parsed, tables, values, strict=True):
        if name in one.scores or name in one.numbers:
            what = f"score '{shortened(name, _SHOWN)}' is given both in the hypotheses and in a separate list"
            raise FormatError(what, where=place)
        table[name] = _finite(value, name, place)


def _may_be_totals(column: object, number: int) -> bool:
    """Check whether a value under a plural name can be the totals of `number` hypotheses, perhaps with faults.

    Objects, and lists of anything but one number per hypothesis, are log probabilities of tokens; some may be missing.
    """
    if isinstance(column, list) and all(map(_is_readable, column)):
        return (
            len(column) == number and any(map(_is_number, column)) and all(v is None or _is_number(v) for v in column)
        )
    return not isinstance(column, dict)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def weights_of(nested: set[str], loose: set[str], place: str = "") -> dict[str, float]:
    """Return the weight of each number: 1 for the total or, without a total, for the names in `nested`; 0 for others.

    `nested` has the names of numbers in the field `scores`; `loose` has the names of other numbers.
    """
    names = nested | loose
    totals = [name for name in TOTALS if name in names]
    if len(totals) > 1 and totals[0] != TOTALS[0]:
        raise FormatError(
            f"{' and '.join(totals)} could all be the total", where=place or None, advice="rename the total to score"
        )
    return {name: float(name in totals[:1] if totals else name in nested) for name in names}
