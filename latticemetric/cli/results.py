"""Write the results of a verb as text, TSV, JSON or JSON lines.

A verb makes records (named values) and names the TSV columns; `Results` writes them in every format.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import click

from latticemetric.cli.files import STANDARD
from latticemetric.display.text import aligned_rows, display_width, padding
from latticemetric.errors import UsageError, harmless, shortened

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.shards import ShardRun
    from latticemetric.metrics.alignment import Alignment

T = TypeVar("T")
Record = dict[str, Any]
"""Named values: a row in TSV, an object in JSON."""

_ID_WIDTH = 12
_AT_ONCE = 2**16


class Results(ABC):
    """Results of a verb in every output format. Each verb defines its lines, records and columns."""

    @property
    @abstractmethod
    def columns(self) -> Sequence[str]:
        """The titles of the TSV columns."""

    @abstractmethod
    def text(self) -> Iterable[str]:
        """Yield the lines of text output."""

    @abstractmethod
    def records(self) -> Iterable[Record]:
        """Yield the records for JSON lines."""

    def rows(self) -> Iterable[Sequence[object]]:
        """Yield the rows of TSV: by default, the values of each record in the order of `columns`."""
        columns = self.columns
        for record in self.records():
            one_best = record.get("one_best")
            nested = one_best if isinstance(one_best, dict) else {}
            yield values({**record, **{f"one_best_{name}": value for name, value in nested.items()}}, columns)

    @abstractmethod
    def document(self) -> Iterable[str]:
        """Yield the lines of one JSON document."""

    def summary(self) -> Sequence[str]:
        """Return notes on the results, for standard error and for the end of a text file."""
        return ()

    @property
    def is_for_programs(self) -> bool:
        """True if programs read the text; then a text file has no summary at its end."""
        return False

    def warning(self) -> str | None:
        """Return a warning for standard error if the results look wrong, else `None`."""
        return None

    def lines(self, output_format: str) -> Iterable[str]:
        """Yield the lines of an output format."""
        if output_format == "tsv":
            return ("\t".join(map(tsv_field, row)) for row in chain([self.columns], self.rows()))
        if output_format == "jsonl":
            return map(as_json, self.records())
        return self.document() if output_format == "json" else self.text()


class AnswerResults(Results):
    """The results of a run: one answer per graph.

    Each answer has `records_each` records, which are written as soon as the answer arrives.
    """

    name = "lattices"

    def __init__(self, answers: Iterable[Answer], shard: ShardRun | None, records_each: int = 1) -> None:
        self.answers, self._shard, self._records_each = answers, shard, records_each

    def records_of(self, answer: Answer) -> Iterable[Record]:
        """Yield the records of an answer, without the graph's id."""
        yield answer.value.asdict()

    def records(self) -> Iterator[Record]:
        """Yield the records of each graph; for a failed graph, yield one record with the error."""
        for answer in self.answers:
            failed = [{"error": str(answer.problem)}]
            for record in self.records_of(answer) if answer.problem is None else failed:
                yield {"id": answer.name, **record}

    def document(self) -> Iterator[str]:
        """Yield the lines of the JSON document; records of the same graph are adjacent."""
        from latticemetric.corpus.shards import document_end

        several = {} if self._records_each == 1 else {"items_each": self._records_each}
        return json_document({}, {self.name: self.records()}, lambda: document_end({}, self._shard, **several))


TimedWords = tuple[Sequence[str], Sequence[Sequence[float]] | None, Sequence[float]]


class CTMResults(AnswerResults):
    """Answers with words, times and confidences; the formats include CTM."""

    def lines(self, output_format: str) -> Iterable[str]:
        """Yield the lines of an output format; CTM omits graphs that failed."""
        return self._ctm() if output_format == "ctm" else super().lines(output_format)

    def _ctm(self) -> Iterator[str]:
        for answer in self.answers:
            if answer.problem is None:
                yield from _ctm_lines(answer.name, *self.timed_words(answer))

    def timed_words(self, answer: Answer) -> TimedWords:
        """Return the words of an answer, their begin and end times, and their confidences."""
        found = answer.value
        return found.words, found.times, found.confidences


def values(record: Mapping[str, object], names: Iterable[str]) -> list[object]:
    """Return the values of these names in a record; `None` for a name that the record lacks."""
    return [record.get(name) for name in names]


# `json.dumps` would make a new encoder for each record.
_as_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def as_json(value: object) -> str:
    """Return a value as one line of JSON."""
    return _as_json(value)


def json_document(
    head: Record, lists: Mapping[str, Iterable[Record]], end: Callable[[], str] = lambda: "]}", *, streamed: bool = True
) -> Iterator[str]:
    """Yield the lines of a JSON document: `head`, the `lists` (one line per record), and the result of `end()`.

    If `streamed`, a comma precedes each record, so that a line can be written as soon as its record arrives.
    """
    before = f"{as_json(head)[:-1]}, " if head else "{"
    for name, records in lists.items():
        yield f"{before}{as_json(name)}: ["
        if streamed:
            yield from (f"{',' if k else ''}{as_json(record)}" for k, record in enumerate(records))
        else:
            yield ",\n".join(map(as_json, records))
        before = "], "
    yield end()


def tsv_field(value: object) -> str:
    """Return a value as a TSV field: `None` as an empty field, a list as its items with spaces between them.

    Escape backslashes, tabs and line ends.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


# Text


def shown(value: float | str | bool | None) -> str:
    """Return a value for a table: four decimal places, or a dash if it is undefined."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4f}"
    return harmless(str(value))


def with_interval(value: float | None, half_width: float | None, sign: str = "", *, percent: bool = False) -> str:
    """Return a value and its interval: `0.5000 ± 0.0100`; in per cent `50.00 ± 1.00`."""
    if value is None:
        return shown(value)
    factor, digits = (100, 2) if percent else (1, 4)
    text = f"{factor * value:{sign}.{digits}f}"
    return text if half_width is None else f"{text} ± {factor * half_width:.{digits}f}"


def _in_percent() -> bool:
    context = click.get_current_context(silent=True)
    return context is None or not context.params.get("fractions")


def rate(value: float | None, half_width: float | None = None, sign: str = "") -> str:
    """Return a rate for a table, in per cent, or as a fraction with `--fractions`."""
    return with_interval(value, half_width, sign, percent=_in_percent())


def rate_title(name: str) -> str:
    """Return the title of a column of rates: `wer %`, or `wer` for fractions."""
    return f"{name} %" if _in_percent() else name


def lone_rate(value: float | None) -> str:
    """Return a rate for a line without titles: `12.50%`, or `0.1250`."""
    return rate(value) + ("%" if value is not None and _in_percent() else "")


def resampled(confidence: float, resamples: int, seed: int) -> str:
    """Return the settings of intervals: `± 95 % of 1000 resamples, seed 0`."""
    return f"± {100 * confidence:g} % of {resamples} resamples, seed {seed}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 graph`, `2 graphs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


class IdColumn:
    """A column of ids. Each line is written immediately, so a longer id widens the column only from its own line on."""

    def __init__(self) -> None:
        self._width = _ID_WIDTH

    def __call__(self, name: str) -> str:
        """Return an id, padded to the width of the column."""
        text = harmless(name)
        self._width = max(self._width, display_width(text))
        return text + padding(text, self._width)


def alignment_lines(alignment: Alignment) -> Iterator[str]:
    """Yield the lines of an alignment, with colours on a terminal that has them, unless NO_COLOR is set."""
    if not _is_for_terminal() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return map(harmless, alignment.lines())
    return alignment.lines(colours=True)


def _is_for_terminal() -> bool:
    """Check whether the results of this command appear on a terminal."""
    context = click.get_current_context(silent=True)
    to_file = context is not None and context.params.get("output", STANDARD) != STANDARD
    return not to_file and sys.stdout is not None and sys.stdout.isatty()


def words_line(name: str, words: str) -> str:
    """Return a line of an id and words, for text that programs read.

    On a terminal, unprintable characters are escapes. Files and pipes get them unchanged, except line ends: words with
    a no-break space or a directional mark must be the same when they are read again.
    """
    line = f"{name} {words}".rstrip(" ")
    return harmless(line) if _is_for_terminal() else line.replace("\r", r"\r").replace("\n", r"\n")


def spoken(words: Iterable[str]) -> str:
    """Join words into a text, or return `(no words)`."""
    return harmless(" ".join(words)) or "(no words)"


def named_scores(scores: Mapping[str, float]) -> str:
    """Return scores for a table: `acoustic=1.5 lm=2.0`."""
    return " ".join(f"{name}={score!r}" for name, score in scores.items())


def _ctm_lines(
    name: str, words: Sequence[str], times: Sequence[Sequence[float]] | None, confidences: Sequence[float]
) -> Iterator[str]:
    """Yield one CTM line per word: id, channel, begin, duration, word, confidence."""
    if times is None:
        raise UsageError(
            f"ctm needs times, but '{name}' has none", advice="give lattices with times, or use --format jsonl"
        )
    from latticemetric.vocabulary import split_words

    if odd := next((word for word in words if split_words(word) != [word]), None):
        raise UsageError(
            f"ctm cannot hold the word '{shortened(odd)}' of '{shortened(name)}'", advice="use --format jsonl"
        )
    for word, (begin, end), confidence in zip(words, times, confidences, strict=True):
        yield f"{name} 1 {begin:.2f} {end - begin:.2f} {word} {confidence:.4f}"


def table(rows: Sequence[Sequence[str]], *, left: Iterable[int] = (0,)) -> list[str]:
    """Return the lines of a table; align the columns with the numbers `left` to the left, the others to the right."""
    return aligned_rows(rows, set(left))


# Standard error, and files


def say(text: str) -> None:
    """Write to standard error, unless it is closed."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(text, err=True)


def progress(items: Iterable[T], total: int | None, what: str) -> Iterator[T]:
    """Yield the items, with a progress bar if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # with tqdm's monitor thread, workers could not be forked
    yield from tqdm(items, total=total, unit=f" {what}", leave=False, file=sys.stderr)


@contextlib.contextmanager
def writing(path: str, *, at_once: bool = False) -> Iterator[Callable[[str], None]]:
    """Return a context manager that provides a function to write one line of results.

    Lines become visible only after the last one, so that a run that stops leaves no partial result. With `at_once`
    (runs that report failures and continue), lines appear on standard output immediately.
    """
    from latticemetric.formats.streams.output import atomic_output, standard_output

    straight = at_once and path == STANDARD
    with standard_output() if straight else atomic_output(path) as file:
        waiting = bytearray()  # an output takes long for each call, so that it gets many lines at once

        def write_out() -> None:
            file.write(bytes(waiting))
            waiting.clear()

        def put(line: str) -> None:
            # A file's name may have bytes that are not UTF-8: write them as escapes.
            waiting.extend((line + "\n").encode("utf-8", "backslashreplace"))
            if straight:
                write_out()
                file.flush()
            elif len(waiting) >= _AT_ONCE:
                write_out()

        yield put
        write_out()


def write_lines(lines: Iterable[str], path: str) -> None:
    """Write lines of results to a file or to standard output."""
    with writing(path) as put:
        for line in lines:
            put(line)
