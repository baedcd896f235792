"""Pair graphs with their references, and parse both. If a pair is not certain, raise an error."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import Any, Final, Literal, NamedTuple, Self, overload

from latticemetric.automata.reference import words_in
from latticemetric.corpus.outer_words import OuterWords
from latticemetric.corpus.unseen_words import IGNORED
from latticemetric.errors import FormatError, InputError, placed, shortened
from latticemetric.forest.forest import Forest
from latticemetric.formats.entry_block import EntryBlock
from latticemetric.formats.references import KeyedLines, Reference, ReferenceFile
from latticemetric.formats.registry import Entry, find_format
from latticemetric.formats.streams.in_blocks import InBlocks, are_new, blocks_of, looked_ahead
from latticemetric.formats.streams.once import OnceWarning
from latticemetric.formats.streams.paths import size_and_digits
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice
from latticemetric.likeness import Names
from latticemetric.line_ids import are_like_ids, listed_names
from latticemetric.metrics.base import GraphReference
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.nbest import NBest
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.segment_id import SegmentId
from latticemetric.vocabulary import spaced_words, split_words

_NUMBERS = re.compile(r"([0-9]+)")
_FIRST_NUMBERS = (0, 1)
_LONGEST_NUMBER = 18

_ADVICE = 'begin each reference with the id of its graph, and give style="keyed"'


def _changed_numbers(earlier: str, later: str) -> tuple[list[int], bool]:
    """Return the positions of the numbers that differ in two names, and True if a single number differs and decreases.

    If the text around the numbers also differs, return no positions and False.
    """
    one, two = _NUMBERS.split(earlier), _NUMBERS.split(later)
    if one[::2] != two[::2]:
        return [], False
    pairs = [tuple(map(size_and_digits, both)) for both in zip(one[1::2], two[1::2], strict=True)]
    places = [place for place, (before, after) in enumerate(pairs) if before != after]
    return places, len(places) == 1 and pairs[places[0]][1] < pairs[places[0]][0]


def _require_ascending(earlier: str, later: str, where: str) -> None:
    """Raise `FormatError` if a single number differs between two successive names, and decreases: 10 before 2."""
    if _changed_numbers(earlier, later)[1]:
        raise FormatError(
            f"'{shortened(later)}' comes after '{shortened(earlier)}', so the names are not sorted by number",
            where=where,
            advice=_ADVICE,
        )


class _LineFinder:
    """Finds the line of each graph in plain references (without ids); raises `FormatError` if the line is uncertain.

    Args:
        proven: True to require file names that prove the order of the graphs in folders and archives. False with
            --style plain: then the user states that graphs and references have the same order.
    """

    def __init__(self, *, proven: bool) -> None:
        self._proven = proven
        self._last: Entry | None = None
        self._line = 0
        self._first_number: int | None = None
        self._counted: list[int] = []
        self._by_name = self._many = False
        self._broken = self._ends_broken = False

    def line(self, entry: Entry, *, is_broken: bool) -> int:
        """Return the line of the next graph's references, counted from 1.

        `is_broken` is True if this entry is a file that cannot be read to its end.
        """
        last = self._last
        self._many |= bool(entry.format) and not find_format(entry.format).single
        if self._broken and self._many:
            raise FormatError(
                "an earlier file cannot be read to its end, so the line of this graph's reference is unknown",
                where=entry.place,
                advice=_ADVICE,
            )
        if last is not None and entry.order != last.order:
            self._by_name = True
            self._check_files(last, entry)
        elif last is not None and entry.naming == last.naming == "own":
            _require_ascending(last.name, entry.name, entry.place)
        self._line += self._step(entry)
        self._broken |= is_broken
        self._last, self._ends_broken = entry, is_broken
        return self._line

    def is_certain(self) -> bool:
        """Return True if no graph before the last one can be missing; then all pairs so far are right."""
        last = self._last
        if last is None or self._ends_broken:
            return not self._by_name or not self._many
        return last.naming == "number" and self._first_number == 0

    def name(self, line: int) -> str:
        """Return the id of a missing graph: its line or, if graphs have sentence numbers, its sentence number."""
        first = self._first_number
        return str(line if first is None or self._by_name else first + line - 1)

    def _check_files(self, last: Entry, entry: Entry) -> None:
        """Raise `FormatError` if two file names show that the order of the graphs is wrong or not known.

        The order is wrong if only one number differs, and this number decreases. With `proven`, exactly one number must
        differ, always at the same position.
        """
        places, goes_back = _changed_numbers(last.order, entry.order)
        self._counted = self._counted or places
        is_proven = len(places) == 1 and places == self._counted
        if not goes_back and (is_proven or not self._proven):
            return
        names = [f"'{shortened(one.order.rpartition('/')[2] or one.name)}'" for one in (last, entry)]
        raise FormatError(
            f"the order of the graphs is not known: {' and '.join(names)} are not numbered one after the other",
            where=entry.where,
            advice=f"{_ADVICE}; or number the graphs in the order of the references"
            + ('; or give style="plain" if the graphs already have this order' if self._proven else ""),
        )

    def _step(self, entry: Entry) -> int:
        """Return how many reference lines to advance for this graph: more than 1 if sentence numbers are skipped."""
        last = self._last
        if entry.naming != "number" or not entry.name.isdecimal() or len(entry.name) > _LONGEST_NUMBER:
            return 1
        number = int(entry.name)
        if self._first_number is None:
            self._first_number = number
        if last is None or last.naming != "number":
            return 1
        step = number - int(last.name)
        is_next_file = (last.order, last.where.rpartition(":")[0]) != (entry.order, entry.where.rpartition(":")[0])
        if step == 1 or (is_next_file and number in _FIRST_NUMBERS):
            return 1
        if step < 1 or is_next_file:
            raise FormatError(
                f"the graph after number {last.name} has number {number}, so the order of the graphs is not known",
                where=entry.where,
                advice="sort the graphs by their numbers",
            )
        return step


Style = Literal["auto", "plain", "keyed"]

_LOOK_AHEAD = 16
_MOST_FIELDS = 8
_FEWEST_IDS = 2
_NUMBER = re.compile(r"[0-9]+")

_CONTINUE = "(keep_going=True reports the error and continues)"
_PARTS = re.compile(r"[^\w-]+")

_AS_MANY = f"give as many references as graphs; or {_ADVICE} {_CONTINUE}"
_SHIFTED = "if one in the middle is missing, all pairs after it are wrong"


@dataclass(frozen=True)
class Pair:
    """A graph that is not yet parsed, and its references, one per file.

    `problem` is the error if the graph or a reference is missing.
    """

    name: str
    entry: Entry | None
    references: tuple[Reference, ...]
    problem: InputError | None = None

    @property
    def where(self) -> str:
        """The file and line of the graph, or of its reference if there is no graph."""
        return self.entry.where if self.entry is not None else self.references[0].where

    @property
    def place(self) -> str:
        """The place for errors: the graph's file, line and id; without a graph, the reference's file and line."""
        return self.entry.place if self.entry is not None else self.where

    @property
    def segment(self) -> SegmentId | None:
        """The parts of the id, if a reference is a segment of an STM or a channel of a CTM."""
        return next((one.segment for one in self.references if one.segment is not None), None)

    def graph_references(self) -> list[GraphReference]:
        """Return each reference as words or as a graph."""
        return [reference.graph_or_words for reference in self.references]


class PairBlock(Sequence[Pair]):
    """Graphs of a block and their references. Pairs are made when somebody needs them.

    Attributes:
        entries: The graphs.
        references: The words of the references of each graph.
    """

    def __init__(
        self,
        entries: EntryBlock,
        tables: Sequence[Mapping[str, Reference]],
        references: list[tuple[tuple[str, ...], ...]],
    ) -> None:
        """Take graphs, the tables that have their references by id, and the words of these references."""
        self.entries, self._tables, self.references = entries, tables, references

    @property
    def names(self) -> list[str]:
        """The ids."""
        return self.entries.names

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, number: int) -> Pair: ...

    @overload
    def __getitem__(self, number: slice) -> Self: ...

    def __getitem__(self, number: int | slice) -> Pair | Self:
        if isinstance(number, slice):
            return type(self)(self.entries[number], self._tables, self.references[number])
        name = self.entries.names[number]
        return Pair(name, self.entries[number], tuple([one[name] for one in self._tables]))


def changed_pairs(
    pairs: Iterable[Pair], graph: Callable[[Graph], Graph], reference: Callable[[Reference], Reference]
) -> Iterator[Pair]:
    """Yield the pairs with references changed by `reference`; graphs are changed by `graph` when they are parsed."""
    for pair in pairs:
        try:
            references = tuple(map(reference, pair.references))
        except InputError as error:
            yield replace(pair, problem=pair.problem or error)
        else:
            yield replace(pair, entry=pair.entry and pair.entry.changed(graph), references=references)


def pair_up(lattices: Iterable[Entry], files: Sequence[ReferenceFile], style: Style = "auto") -> Iterator[Pair]:
    """Pair graphs with the references of all files.

    Lines of keyed references begin with ids, lines of plain references do not. The style `auto` detects this:

    - Graphs named by position or sentence number: plain.
    - A single graph named after its file, and a single line per file: plain if the name has only letters, like a word,
      or if the format of the references has ids.
    - Otherwise: keyed if at least half of the first graphs' ids begin lines in each file. One id is enough if the
      format has ids, or if most lines begin with words that look like ids.

    Raises:
        FormatError: The lines seem to begin with ids, but the ids do not match; or the lines are plain, but the order
            of the graphs is not certain.
    """
    first, everything = looked_ahead(lattices, _LOOK_AHEAD if style == "auto" else 1)
    if not first:
        raise FormatError("there are no graphs", advice="give a file with at least one")
    if style == "keyed" or (style == "auto" and _are_keyed(files, first)):
        return InBlocks(_by_key(everything, files))
    return _in_order(_unkeyed(everything, files) if style == "auto" else everything, files, style)


class PairedWithin(NamedTuple):
    """The pairs of a file whose records also hold the references.

    Attributes:
        pairs: The pairs of a graph and its references.
        references: The number of references of each lattice.
        field: The field of the references; `None` if there are none.
    """

    pairs: Iterator[Pair]
    references: int
    field: str | None = None


def pair_within(lattices: Iterable[Entry], field: str | None = None, *, required: bool = True) -> PairedWithin | None:
    """Pair graphs with the references in their own records; return `None` if the graphs have no records.

    Args:
        lattices: The graphs.
        field: The field of the references (a text or a list of texts). By default, the first record's only field with a
            name like `reference`.
        required: False to accept graphs without references.

    Raises:
        FormatError: There is no such field, or several fields could hold the references.
    """
    stream = iter(lattices)
    first = list(islice(stream, _LOOK_AHEAD))
    if not first:
        raise FormatError("there are no graphs", advice="give a file with at least one")
    record = next((entry for entry in first if entry.fields is not None), None)
    everything = chain(first, stream)
    names = () if record is None or field is not None else _fields_of_references(record)
    if not required and field is None and not names:
        return PairedWithin(map(_pair_without, everything), 0)
    if record is None or record.fields is None:
        if (fault := _parse_error(first[0])) is not None:
            raise fault
        return None
    chosen = field or _only_field(names, record.fields, record.where)
    number = len(_references_within(record, chosen))
    return PairedWithin((_pair_within(entry, chosen, number) for entry in everything), number, chosen)


def _fields_of_references(entry: Entry) -> tuple[str, ...]:
    from latticemetric.formats.nbest.records import reference_fields

    return reference_fields(entry.fields or {}, entry.where)


def _pair_without(entry: Entry) -> Pair:
    """Return a graph without references; its references are a problem, since earlier graphs have none."""
    problem = None
    try:
        if names := _fields_of_references(entry):
            what = f"the record has a reference ({shortened(names[0])}), but the first record has none"
            problem = FormatError(what, where=entry.where, advice="give references in all records, or in none")
    except FormatError as error:
        problem = error
    return Pair(entry.name, entry, (), problem)


def _only_field(names: Sequence[str], fields: Mapping[str, Any], where: str) -> str:
    """Return the only field in `names`; raise `FormatError` if there are none or several."""
    if len(names) == 1:
        return names[0]
    what = (
        f"{' and '.join(names)} are different references"
        if names
        else "no field of the record is known to hold references"
    )
    texts = [shortened(name, 40) for name, value in fields.items() if isinstance(value, str)]
    has_texts = f" (the texts here are: {', '.join(texts[:_MOST_FIELDS])})" if texts else ""
    raise FormatError(what, where=where, advice=f"give files of references, or reference_field=…{has_texts}")


def _references_within(entry: Entry, field: str) -> tuple[Reference, ...]:
    """Return the references in a field of the record."""
    from latticemetric.formats.nbest.records import is_reference, require_readable
    from latticemetric.formats.text.json import text_of

    value = (entry.fields or {}).get(field)
    if value is None and field in (entry.fields or {}):
        advice = "give a text in each record; an empty string has no words"
        raise FormatError(f"{shortened(field)} is missing", where=entry.where, advice=advice)
    if not is_reference(value):
        require_readable(entry.fields or {}, [field], entry.where)
        name = shortened(field)
        what = f"the record has no field '{name}'" if value is None else f"{name} is not a text"
        raise FormatError(what, where=entry.where, advice="name the field of the references with reference_field=…")
    texts = [value] if isinstance(value, str) else value
    assert texts is not None
    where = entry.where
    return tuple([Reference(tuple(split_words(text_of(text, field, where))), where) for text in texts])


def _pair_within(entry: Entry, field: str, number: int) -> Pair:
    if entry.fields is None:  # the record could not be read
        return Pair(entry.name, entry, (), _parse_error(entry))
    try:
        references = _references_within(entry, field)
    except FormatError as error:
        return Pair(entry.name, entry, (), error)
    if len(references) == number:
        return Pair(entry.name, entry, references)
    what = f"there are {len(references)} references in {shortened(field)}, but the first record has {number}"
    advice = "give the same number of references in each record"
    return Pair(entry.name, entry, references, FormatError(what, where=entry.where, advice=advice))


def _are_keyed(files: Sequence[ReferenceFile], first: Sequence[Entry]) -> bool:
    if first[0].naming in ("position", "number"):
        # Plain lines may look as if they began with ids; NIST formats mark ids.
        doubts = [_ids_without_graphs(file, first) for file in files if not file.has_ids and _has_ids(file)]
        others = list(files)
    elif (
        first[0].naming == "file"
        and len(first) == 1
        and all(len(file.lines) == 1 and (file.has_ids or first[0].name.isalpha()) for file in files)
    ):
        return False  # a single line without an id for a single graph
    else:
        others = [file for file in files if not _begins_with_ids(file, first)]
        is_mixed = len(others) < len(files)
        doubts = [error for file in others if (error := _ids_at_the_end(file, first)) is not None]
        doubts += [_mismatch(file, first) for file in others if is_mixed or _looks_keyed(file, first)]
    if doubts:
        raise _parse_error(first[0]) or doubts[0]
    return not others


def _begins_with_ids(file: ReferenceFile, first: Sequence[Entry]) -> bool:
    """Return True if enough of the first graphs' ids begin lines of the file."""
    names, words = {entry.name for entry in first}, file.first_words()
    found = names.intersection(words)
    if not found or (_is_all_numbers(file) and len(file.ids) < len(words)):
        return False
    return file.has_ids or 2 * len(found) >= len(names) or are_like_ids(words)


def _looks_keyed(file: ReferenceFile, first: Sequence[Entry]) -> bool:
    """Return True if lines seem to begin with ids, although too few lines begin with ids of these graphs."""
    words = file.first_words()
    names = {_folded(entry.name) for entry in first if not entry.name.isdecimal()}
    if file.has_ids or not names.isdisjoint(map(_folded, words)) or _has_ids(file):
        return True
    # Do most words contain a graph's id, like `audio/harbour.wav` for `harbour`?
    parts = [_PARTS.split(_folded(word)) for word in words]
    if 2 * sum(len(several) > 1 and not names.isdisjoint(several) for several in parts) > len(words):
        return True
    if len(words) >= _FEWEST_IDS or _is_all_numbers(file):
        return False
    # Does the line begin with a graph's id in which only numbers differ?
    shapes = {_NUMBER.sub("0", _folded(entry.name)) for entry in first if _NUMBER.search(entry.name)}
    return any(_NUMBER.search(word) and _NUMBER.sub("0", _folded(word)) in shapes for word in words)


def _has_ids(file: ReferenceFile) -> bool:
    """Return True if lines seem to begin with ids; a single line, or lines of one word each, are not enough."""
    words = file.first_words()
    has_more = any(len(line) > 1 for line in file.lines) and not _is_all_numbers(file)
    return has_more and len(words) >= _FEWEST_IDS and are_like_ids(words)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _ids_without_graphs(file: ReferenceFile, first: Sequence[Entry]) -> FormatError:
    return FormatError(
        f"the lines seem to begin with ids ({listed_names(file.first_words())}), but the graphs have no ids: "
        f"they are numbered {listed_names([entry.name for entry in first])}",
        where=file.name,
        advice='remove the ids, and put lines in the order of the graphs; or give style="plain" if lines begin with '
        'words of the text, or style="keyed" if lines begin with the graphs\' numbers',
    )


def _ids_at_the_end(file: ReferenceFile, first: Sequence[Entry]) -> FormatError | None:
    """Return an error if lines end in graph ids in brackets, as if a trn file was read as text; otherwise `None`."""
    names = {f"({_folded(entry.name)})" for entry in first}
    if file.has_ids or not any(_folded(line[-1]) in names for line in file.lines if line):
        return None
    return FormatError(
        "lines end in graph ids in brackets, as in trn, but the ids look like words",
        where=file.name,
        advice='write the id first, without brackets; or give style="plain" if the ids are words of the text',
    )


def _is_all_numbers(file: ReferenceFile) -> bool:
    """Return True if all words are numbers, as in Kaldi's integer transcripts."""
    return not file.has_ids and all(word.isdecimal() for line in file.lines for word in line)


def _mismatch(file: ReferenceFile, first: Sequence[Entry]) -> FormatError:
    return FormatError(
        f"the ids do not match: graphs are named {listed_names([entry.name for entry in first])}, "
        f"and the references begin with {listed_names(file.first_words())}",
        where=file.name,
        advice='make the ids equal; or give style="plain" if the references begin with words of the text, or '
        'style="keyed" if most graphs have no reference',
    )


def _unkeyed(entries: Iterable[Entry], files: Sequence[ReferenceFile]) -> Iterator[Entry]:
    """Yield graphs to pair by order; raise `FormatError` if a reference line begins with the id of a graph."""
    for seen, entry in enumerate(entries):
        if not entry.name.isdecimal() and (entry.naming == "own" or (entry.naming == "file" and seen)):
            file = next((file for file in files if entry.name in file.ids), None)
            if file is not None:
                raise FormatError(
                    f"a line of {file.name} begins with the id '{shortened(entry.name)}', but the first lines do not "
                    "begin with ids",
                    where=entry.place,
                    advice='give style="keyed" if lines begin with ids, otherwise style="plain"',
                )
        yield entry


def _in_order(entries: Iterable[Entry], files: Sequence[ReferenceFile], style: Style) -> Iterator[Pair]:
    longest = _of_equal_length(files)
    rows = list(zip(*(file.plain() for file in files), strict=True))
    order, done, graphs = _LineFinder(proven=style == "auto"), 0, 0
    for entry in entries:
        error = unreadable(entry)
        line = order.line(entry, is_broken=error is not None)
        for number in range(done + 1, min(line, len(rows) + 1)):
            yield _without_graph(order.name(number), number, rows[number - 1], f"graph {entry.name} comes next")
        done, graphs = line, graphs + 1
        if line <= len(rows):
            yield Pair(entry.name, entry, rows[line - 1])
            continue
        missing = InputError(
            f"there is no reference for graph {line}: {longest.name} has {len(rows)} lines; {_SHIFTED}",
            where=entry.place,
            advice=_AS_MANY,
        )
        yield Pair(entry.name, entry, (), error or missing)
    for number in range(done + 1, len(rows) + 1):
        number_of = "there is 1 graph" if graphs == 1 else f"there are {graphs} graphs"
        why = number_of + ("" if order.is_certain() else f"; {_SHIFTED}")
        yield _without_graph(order.name(number), number, rows[number - 1], why)


def _of_equal_length(files: Sequence[ReferenceFile]) -> ReferenceFile:
    """Return one of the files, which must have equally many lines.

    Raises:
        FormatError: The numbers of lines differ; or the format gives ids, and the ids are not sorted by number.
    """
    longest = max(files, key=lambda file: len(file.lines))
    for file in files:
        if len(file.lines) != len(longest.lines):
            raise FormatError(
                f"{file.name} has {len(file.lines)} lines, but {longest.name} has {len(longest.lines)}",
                advice="every graph needs a reference in each file",
            )
        if file.has_ids:
            for (earlier, later), reference in zip(pairwise(file.first_words()), file.plain()[1:], strict=False):
                _require_ascending(earlier, later, reference.where)
    return longest


def _without_graph(name: str, number: int, row: Sequence[Reference], why: str) -> Pair:
    problem = InputError(
        f"there is no graph for reference {number}: {why}",
        where=row[0].where,
        advice=f"give as many graphs as references {_CONTINUE}",
    )
    return Pair(name, None, tuple(row), problem)


def _by_key(entries: Iterable[Entry], files: Sequence[ReferenceFile]) -> Iterator[Sequence[Pair]]:
    tables = [file.keyed() for file in files]
    named = [(file.name, Names(table)) for file, table in zip(files, tables, strict=True)]
    used: set[str] = set()
    lost: list[Pair] = []
    for block in blocks_of(entries):
        if (pairs := _paired_block(block, tables, used)) is not None:
            used.update(pairs.names)
            yield pairs
        else:
            yield from ([pair] for pair in _each_by_key(block, named, tables, used, lost))
    if rest := list(_keyed_without_graph(tables, used, lost)):
        yield rest


def _paired_block(
    block: Sequence[Entry], tables: Sequence[Mapping[str, Reference]], used: AbstractSet[str]
) -> PairBlock | None:
    """Return the pairs of a block of entries; `None` if there is something to say of one of them."""
    if not isinstance(block, EntryBlock) or not are_new(block.names, used):
        return None
    words = [_words_of_each(table, block.names) for table in tables]
    if any(one is None for one in words):
        return None
    return PairBlock(block, tables, list(zip(*(one or [] for one in words), strict=True)))


def _words_of_each(table: Mapping[str, Reference], names: Sequence[str]) -> Sequence[tuple[str, ...]] | None:
    """Return the words of the references with these ids; `None` if there is none, or if it is a graph."""
    if not all(map(table.__contains__, names)):
        return None
    if isinstance(table, KeyedLines):
        return list(map(table.words, names))
    references = list(map(table.__getitem__, names))
    return None if any(one.graph is not None for one in references) else [one.words for one in references]


def _each_by_key(
    entries: Iterable[Entry],
    named: Sequence[tuple[str, Names]],
    tables: Sequence[Mapping[str, Reference]],
    used: set[str],
    lost: list[Pair],
) -> Iterator[Pair]:
    """Yield the pairs of graphs; add to `used` and `lost`. `named` has the files of references and their ids."""
    for entry in entries:
        if entry.name in used:
            raise FormatError(
                f"two graphs have the id '{shortened(entry.name)}'", where=entry.where, advice="give each its own id"
            )
        used.add(entry.name)
        lacking = [one for one, table in zip(named, tables, strict=True) if entry.name not in table]
        if not lacking:
            yield Pair(entry.name, entry, tuple(table[entry.name] for table in tables))
        elif (fault := unreadable(entry)) is not None:
            lost.append(Pair(entry.name, entry, (), fault))
        else:
            file, ids = lacking[0]
            meant = ids.advice_for(entry.name)
            problem = InputError(
                f"there is no reference for '{shortened(entry.name)}' in {file}",
                where=entry.where,
                advice=f'add one {_CONTINUE}; if the lines do not begin with ids, give style="plain"'
                if meant is None
                else f"{meant} {_CONTINUE}",
            )
            yield Pair(entry.name, entry, (), problem)


def _keyed_without_graph(
    tables: Sequence[Mapping[str, Reference]], used: Container[str], lost: Sequence[Pair]
) -> Iterator[Pair]:
    """Yield a pair for each reference without a graph; if all have theirs, the parts of files that are `lost`.

    The graphs of these references may be in the lost parts; to yield both would count the same failure twice.
    """
    missing = dict.fromkeys(name for table in tables for name in table if name not in used)
    if not missing:
        yield from lost
    advice = f"it may be lost: {' and '.join(str(one.problem) for one in lost)}" if lost else f"add it {_CONTINUE}"
    for name in missing:
        references = tuple(table[name] for table in tables if name in table)
        what = f"there is no graph named '{shortened(name)}'"
        yield Pair(name, None, references, InputError(what, where=references[0].where, advice=advice))


def _parse_error(entry: Entry) -> InputError | None:
    """Return the error of a graph that cannot be parsed (clearer than an error about ids); `None` if there is none."""
    try:
        entry.build()
    except InputError as error:
        return error
    return None


def unreadable(entry: Entry) -> InputError | None:
    """Return the error of a file that cannot be read (clearer than an error about pairs); `None` if there is none."""
    return None if entry.format else _parse_error(entry)


# ---- The graph and the references of a pair, and checks that both use the same kind of words ----


@contextmanager
def built(pair: Pair, ignored: Collection[str] = ()) -> Iterator[tuple[Graph, list[GraphReference]]]:
    """Yield the parsed graph and references of a pair; `ignored` are words that do not count, for warnings.

    If an error in the `with` block has no place, give it the place of the graph.

    Raises:
        InputError: The pair has a `problem`, the graph cannot be parsed, or only the graph has word numbers.
    """
    if pair.problem is not None:
        raise pair.problem
    assert pair.entry is not None
    with placed(pair.entry.place):
        graph = pair.entry.build()
        references = pair.graph_references()
        _check_spelling(graph, references)
        warn_of_words(pair, graph, ignored)
        yield graph, references


def missed(pair: Pair, metric: GRR) -> RecognitionStatistics | None:
    """Return the statistics to count for a graph that failed: all reference words are deleted.

    Return `None` if the pair has no reference.
    """
    return metric.statistics("", pair.graph_references()) if pair.references else None


def readable(pair: Pair) -> Sequence[tuple[str, ...]]:
    """Return all strings of a pair's references; if they are too many, one string per reference."""
    try:
        return strings_of_references(pair.graph_references())
    except InputError:
        return [reference.words for reference in pair.references]


def has_numbers(graph: Graph) -> bool:
    """Return True if a graph has word numbers instead of words; False for a lattice without words."""
    if isinstance(graph, NBest) or not graph.vocabulary.is_numeric:
        return False
    return not isinstance(graph, Lattice) or bool(graph.word.any())


def words_of(graph: Graph) -> Iterable[str]:
    """Return the words of an n-best list, or all words in the vocabulary of a lattice or forest (used or not)."""
    if isinstance(graph, NBest):
        return (word for hypothesis in graph.hypotheses for word in hypothesis.words)
    return (word for _, word in graph.vocabulary.items())


def _check_spelling(graph: Graph, references: Sequence[GraphReference]) -> None:
    """Raise `InputError` if a graph has word numbers, but its references have words: they would never match."""
    if isinstance(graph, NBest) or not graph.vocabulary.is_numeric:
        return
    words = [word for reference in references for word in words_in(reference)]
    is_word = graph.vocabulary.__contains__
    if words and not any(map(is_word, words)) and has_numbers(graph):
        raise InputError(
            "the graph's words are numbers, but its reference has no numbers",
            advice="give the symbol table with symbols=…",
        )


# Words that look the same may differ: é as one character (NFC) never matches é as two characters (NFD).
_FORMS: Final[tuple[Literal["NFC", "NFD"], ...]] = ("NFC", "NFD")


_OF_FORMS, _OF_SPACES, _OF_MARKS = OnceWarning(), OnceWarning(), OuterWords()


def begin_notes() -> None:
    """Begin a run: what was said once of the graphs of another run may be said again."""
    for one in (_OF_FORMS, _OF_SPACES, _OF_MARKS):
        one.forget()


def is_silent() -> bool:
    """Return True if there is nothing to say of outer words; see `warn_of_outer_words`."""
    return _OF_MARKS.is_settled


def forms_to_note(references: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return words of the references of a graph, each with its other Unicode forms.

    There is something to warn of if a graph has another form, but not the word. Return nothing once it was said.
    """
    words = [word for one in references if not "".join(one).isascii() for word in one if not word.isascii()]
    return tuple(filter(None, map(_with_other_forms, words))) if words and not _OF_FORMS else ()


@lru_cache(maxsize=2**14)
def _with_other_forms(word: str) -> tuple[str, ...]:
    """Return a word and its other forms; nothing if there are none, as for most scripts."""
    others = {unicodedata.normalize(form, word) for form in _FORMS} - {word}
    return (word, *sorted(others)) if others else ()


def warn_of_words(pair: Pair, graph: Graph, ignored: Collection[str]) -> None:
    """Warn, once per run for each reason, of words of a graph that cannot match words of its references."""
    _warn_of_forms(pair, graph)
    _warn_of_spaces(pair, graph)
    if IGNORED.left:
        IGNORED.add(graph, pair.graph_references())
    if pair.references:
        spoken = chain.from_iterable(map(words_in, pair.graph_references()))
        _OF_MARKS.add(pair.place, graph, spoken, ignored)


def warn_of_outer_words(pair: Pair, words: Iterable[str | None], ignored: Collection[str]) -> None:
    """Warn of the words with which all paths of a graph begin and end, as `warn_of_words` does."""
    _OF_MARKS.add_words(pair.place, words, chain.from_iterable(map(words_in, pair.graph_references())), ignored)


def _warn_of_forms(pair: Pair, graph: Graph) -> None:
    """Warn once per run if a reference word is in the graph in another Unicode form."""
    if all("".join(reference.words).isascii() for reference in pair.references) or _OF_FORMS:
        return
    words = {word for reference in pair.references for word in reference.words if not word.isascii()}
    known: Container[str] = set(words_of(graph)) if isinstance(graph, NBest) else graph.vocabulary
    alike = [
        word
        for word in words
        if word not in known and any(unicodedata.normalize(form, word) in known for form in _FORMS)
    ]
    if alike:
        what = "1 word of the reference is" if len(alike) == 1 else f"{len(alike)} words of the reference are"
        _OF_FORMS.write(
            pair.place,
            f"{what} in the graph in another Unicode form, and will not match ('{min(alike)}'); "
            "convert all graphs and references to the same form (uconv -x nfc)",
        )


def _warn_of_spaces(pair: Pair, graph: Graph) -> None:
    """Warn once per run if a word of a graph holds white space; lines of references have no such words."""
    if _OF_SPACES or not (spaced := _spaced_words(graph)):
        return
    what = "a word of the graph has spaces and counts as one word"
    if len(spaced) > 1:
        what = f"{len(spaced)} words of the graph have spaces and count as one word each"
    split = "write one symbol for each word" if isinstance(graph, Forest) else 'tokenize="none" splits them'
    _OF_SPACES.write(pair.place, f"{what} ('{shortened(min(spaced), 40)}'); {split}")


def _spaced_words(graph: Graph) -> list[str]:
    """Return the distinct words of a graph that hold white space."""
    if isinstance(graph, NBest):
        return list(dict.fromkeys(spaced_words(list(words_of(graph)))))
    spaced = graph.vocabulary.spaced
    if not spaced:
        return []
    numbers = graph.target.values if isinstance(graph, Forest) else graph.word
    return graph.vocabulary.decode(spaced.intersection(numbers.tolist()))
