"""Read and write NIST time-marked words (CTM): `file channel begin duration word [confidence [type [speaker]]]`.

Each channel is a graph with the id `file,channel`; ε-arcs bridge gaps and overlaps between words. The lines of several
channels may alternate, as in a file that is sorted by time: then words are put in order of time. Confidences of words
do not give the probability of a path, so they become labels, not scores. See `words` for the notation of words.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from typing import IO, Any, NamedTuple

from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.formats.nist.lines import (
    CTM_FIELDS,
    EXACT,
    MARKS,
    TIME_ORDER,
    content_lines,
    exact_decimal,
    is_confidence,
    is_ctm,
    require_first_field,
    seconds,
)
from latticemetric.formats.nist.words import (
    TAGS,
    Fork,
    GraphBuilder,
    Series,
    Speller,
    Word,
    decomposed,
    labels_of,
    parsed_word,
    require_words_only,
)
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream, warn
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice
from latticemetric.segment_id import SegmentId
from latticemetric.vocabulary import Vocabulary, split_words

NAME = "ctm"
BEGIN, OR, END = MARKS
EXTRAS = ("confidence", "type", "speaker")

_CHANNEL = "1"


class Channel(NamedTuple):
    """The lines of a channel, not yet parsed.

    Attributes:
        name: The id `file,channel`.
        file: The file that the lines are from, for errors; empty for lines that are not from a file.
        lines: The number of each line, and its text after file and channel.
        scattered: True if lines of other channels come between these.
    """

    name: str
    file: str
    lines: list[tuple[int, str]]
    scattered: bool = False

    @property
    def where(self) -> str:
        """The place of the first line."""
        return self.place(self.lines[0][0])

    def place(self, number: int) -> str:
        """Return the place of a line."""
        return f"{self.file}:{number}" if self.file else ""


class TimedWord(NamedTuple):
    """A word with its begin and end time."""

    begin: Decimal
    end: Decimal
    word: Word


Alternation = list[list[TimedWord]]
"""A list of alternatives; each is a list of words."""


def channels(stream: Stream, *, fold_case: bool = False) -> list[Channel]:
    """Read the channels of a stream, in the order of their first lines.

    Warn if lines of other channels come between those of a channel.

    Args:
        stream: The file.
        fold_case: True to take names that differ only in case for one channel.
    """
    found: dict[str, Channel] = {}
    names: dict[tuple[str, str], tuple[str, str]] = {}  # name and key, by file and channel
    last, first_scattered = None, None
    for line in content_lines(stream):
        fields = split_words(line)
        if len(fields) < CTM_FIELDS:
            raise FormatError(
                f"the line has {len(fields)} fields",
                where=stream.place(),
                advice="write file channel begin duration word",
            )
        file, side, *rest = fields
        if (file, side) not in names:
            name = SegmentId(file, side).name
            names[file, side] = name, name.casefold() if fold_case else name
        name, key = names[file, side]
        if key not in found:
            found[key] = Channel(name, stream.name, [])
        channel = found[key]
        if channel.lines and key != last and not channel.scattered:
            found[key] = channel._replace(scattered=True)
            first_scattered = first_scattered or (stream.place(), name)
        channel.lines.append((stream.line, " ".join(rest)))
        last = key
    if first_scattered is not None:
        where, name = first_scattered
        what = f"lines of other channels come before this line of '{shortened(name)}'"
        warn(where, f"{what}: words are put in order of channel and time, as by {TIME_ORDER}")
    return list(found.values())


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for channel in channels(stream):
        yield Entry(channel.name, channel.where, partial(parsed_channel, channel), naming="own")


def parsed_channel(channel: Channel) -> Lattice:
    """Build the graph of a channel."""
    return network(items(channel), timed=True)


def items(channel: Channel) -> list[TimedWord | Alternation]:
    """Return the words and alternations of a channel; if its lines are scattered, in order of their begins.

    Otherwise, keep the order of the file; warn once if a word or alternation ends before the begin of an earlier one.
    """
    placed = list(_placed_items(channel))
    if channel.scattered:
        return sorted((item for _, item in placed), key=lambda item: _span(item)[0])
    latest, in_order = Decimal(0), True
    for where, item in placed:
        rows = rows_of(item)
        end = rows[0].end if len(rows) == 1 else max(row.end for row in rows)
        if end < latest and in_order and where:
            in_order = False
            what = f"the word ends at {end:f}, but an earlier one begins at {latest:f}"
            warn(where, f"{what}: words keep the order of the file; {ordering_advice(item for _, item in placed)}")
        for row in rows:
            latest = max(latest, row.begin)
    return [item for _, item in placed]


def _placed_items(channel: Channel) -> Iterator[tuple[str, TimedWord | Alternation]]:
    """Yield the words and alternations of a channel with their places."""
    opened: str | None = None
    alternation: Alternation = []
    for number, text in channel.lines:
        where, fields = channel.place(number), split_words(text)
        mark = fields[2].upper()
        if mark not in MARKS:
            row = _row(fields, where)
            if opened is not None:
                alternation[-1].append(row)
            else:
                yield where, row
            continue
        if list(fields[:2]) != ["*", "*"]:
            raise FormatError(f"{mark} has times instead of * *", where=where)
        if (mark == BEGIN) == (opened is not None):
            wrong = f"{mark} without {BEGIN}" if opened is None else "an alternation is inside another"
            raise FormatError(wrong, where=where, advice="close each alternation before the next begins")
        if mark == BEGIN:
            opened, alternation = where, [[]]
        elif mark == OR:
            alternation.append([])
        else:
            if not any(alternation):
                raise FormatError("all alternatives are empty", where=opened)
            yield opened or where, alternation
            opened = None
    if opened is not None:
        raise FormatError(f"the alternation is not closed by {END}", where=opened)


def _row(fields: Sequence[str], where: str) -> TimedWord:
    begin = seconds(fields[0], "begin", where)
    # Decoders that round both times may write durations below 0.
    duration = seconds(fields[1].removeprefix("-"), "duration", where)
    end = EXACT.add(begin, duration.copy_negate() if fields[1].startswith("-") else duration)
    if not math.isfinite(float(end)):
        raise FormatError("the end time of the word (begin + duration) is not finite", where=where)
    extras = fields[3:]
    if len(extras) > len(EXTRAS):
        raise FormatError(f"the line has {len(fields) + 2} fields, but at most 8 are allowed", where=where)
    if extras and not is_confidence(extras[0]):
        raise FormatError(f"the confidence '{shortened(extras[0], 40)}' is neither a finite number nor NA", where=where)
    word = parsed_word(fields[2], where)
    if extras:
        word = Word(word.text, {**word.labels, **dict(zip(EXTRAS, extras, strict=False))}, word.optional)
    return TimedWord(begin, end, word)


def ordering_advice(items: Iterable[TimedWord | Alternation]) -> str:
    """Return how to put the words of a file in order of time."""
    if any(not isinstance(item, TimedWord) for item in items):
        return "put them in order of time, but keep the lines of each alternation together: sort would not"
    return f"{TIME_ORDER} puts them in order of time"


def rows_of(item: TimedWord | Alternation) -> list[TimedWord]:
    """Return the word, or the words of all alternatives."""
    return [item] if isinstance(item, TimedWord) else [row for rows in item for row in rows]


def _span(item: TimedWord | Alternation) -> tuple[Decimal, Decimal]:
    """Return the earliest begin and the latest end of a word or alternation."""
    if isinstance(item, TimedWord):
        return item.begin, item.end
    rows = rows_of(item)
    return min(row.begin for row in rows), max(row.end for row in rows)


def network(items: Sequence[TimedWord | Alternation], *, timed: bool) -> Lattice:
    """Build the graph of words and alternations. If `timed` is true, add an ε-arc for each gap or overlap in time."""

    def add(items: Sequence[TimedWord | Alternation], now: Decimal) -> Decimal:
        for item in items:
            begin, end = _span(item)
            if timed and begin != now:
                builder.pause(float(begin))
            if isinstance(item, TimedWord):
                builder.add(item.word, float(end))
            else:
                builder.open()
                for number, rows in enumerate(item):
                    if number:
                        builder.alternative()
                    if (add(rows, begin) != end and timed) or not rows:
                        builder.pause(float(end))
                builder.close(float(end))
            now = end
        return now

    begin = _span(items[0])[0] if items else Decimal(0)
    builder = GraphBuilder(float(begin))
    add(items, begin)
    return builder.lattice(timed=timed)


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    """Write a graph without the ε-arcs of gaps: readers add these arcs themselves.

    If readers would get a different graph, write all ε-arcs as `@`. If this does not help, refuse the graph.
    """
    lattice = require_words_only(graph, NAME, {*TAGS, *EXTRAS})
    if lattice.times is None or not len(lattice.word):
        what = "times" if lattice.times is None else "words"
        raise UsageError(f"ctm needs {what}, but '{shortened(name)}' has none", advice="write trn")
    channel = SegmentId.of_channel(name) or SegmentId(name, _CHANNEL)
    head = [channel.file, channel.channel]
    require_first_field(channel.file, NAME)
    writer, wanted = _Writer(lattice), _contents(lattice)
    for explicit in (False, True):
        lines = [" ".join(fields) for fields in writer.sequence(writer.speller.series, explicit=explicit)]
        with contextlib.suppress(FormatError):
            if _contents(parsed_channel(Channel(name, "", list(enumerate(lines))))) == wanted:
                file.write("".join(" ".join([*head, line]) + "\n" for line in lines).encode())
                return
    raise UsageError("ctm cannot hold this graph's times and alternations", advice="write a format of lattices")


def _contents(lattice: Lattice) -> Any:
    """Return the words, times and labels of a channel, to compare graphs whose state numbers may differ."""
    assert lattice.times is not None
    times, labels = lattice.times.tolist(), sorted(labels_of(lattice).items())
    ends, words = (lattice.source.tolist(), lattice.target.tolist()), lattice.vocabulary.words(lattice.word)

    def listed(sequence: Series) -> list[Any]:
        # Nested alternations were refused before, so the recursion depth is at most two.
        return [[listed(b) for b in item.in_order()] if isinstance(item, Fork) else arc(item) for item in sequence]

    def arc(number: int) -> tuple[Any, ...]:
        found = [(name, texts[number]) for name, texts in labels if texts[number]]
        return (*(times[states[number]] for states in ends), words[number], found)

    return listed(decomposed(lattice, NAME))


class _Writer:
    """Converts a lattice to the fields of CTM lines."""

    def __init__(self, lattice: Lattice) -> None:
        assert lattice.times is not None
        self._times = lattice.times.tolist()
        self._ends = lattice.source.tolist(), lattice.target.tolist()
        self.speller, self._labels = Speller(lattice, NAME), labels_of(lattice)

    def sequence(self, sequence: Series, *, explicit: bool, inside: bool = False) -> Iterator[list[str]]:
        """Yield the fields of each word, without file and channel.

        Write an optional word at the very end as an alternation, not in brackets: a file whose lines all end in
        brackets would look like trn.

        Args:
            sequence: The words and forks.
            explicit: True to write all ε-arcs as `@`.
            inside: True if the sequence is an alternative.
        """
        was_gap = not inside
        for place, item in enumerate(sequence):
            is_last = not inside and place == len(sequence) - 1
            if not isinstance(item, Fork):
                begin, end = (self._times[states[item]] for states in self._ends)
                is_gap = self.speller.is_epsilon(item) and begin != end
                was_gap = is_gap and not (explicit or was_gap or is_last)
                if not was_gap:
                    yield self._fields(item)
                continue
            was_gap = False
            arc = self.speller.optional_word(item)
            if arc is not None and (not is_last or self._extras(arc)):
                yield self._fields(arc, optional=True)
                continue
            if inside:
                raise UsageError(
                    "ctm cannot nest alternations, but this graph has nested alternations", advice="write trn or stm"
                )
            branches = item.in_order()
            for number, branch in enumerate(branches):
                yield ["*", "*", OR if number else BEGIN]
                rows = list(self.sequence(branch, explicit=explicit, inside=True))
                # sclite would skip the word after an empty alternative that is not the last.
                yield from rows or self.sequence(branch, explicit=branch is not branches[-1], inside=True)
            yield ["*", "*", END]

    def _fields(self, arc: int, *, optional: bool = False) -> list[str]:
        begin, end = (exact_decimal(self._times[states[arc]]) for states in self._ends)
        word = self.speller.word(arc, optional=optional)
        if begin < 0:
            raise InputError(f"{shortened(word)!r} begins at {begin}, but ctm has no times below 0", advice="write trn")
        if word.upper() in (BEGIN, OR, END):
            raise InputError(f"the word '{word}' would be read back as the mark of an alternation", advice="write trn")
        return [f"{begin:f}", f"{EXACT.subtract(end, begin):f}", word, *self._extras(arc)]

    def _extras(self, arc: int) -> list[str]:
        texts = [self._labels[name][arc] if name in self._labels else "" for name in EXTRAS]
        while texts and not texts[-1]:
            texts.pop()
        if any(split_words(text) != [text] for text in texts) or (texts and not is_confidence(texts[0])):
            raise UsageError(
                f"{shortened(' '.join(texts))!r} is not a confidence, a type and a speaker",
                advice="leave these labels out with Corpus.converted(drop_labels=True)",
            )
        return texts


register(Format(NAME, (".ctm",), is_ctm, _read, _write))
