"""The sources of the graphs and references of a corpus: files, or memory."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from latticemetric.arguments import is_nbest, require_items, require_list, whole_number
from latticemetric.corpus.pairing import Pair, pair_up, pair_within
from latticemetric.display.frames import by_label, has_default_index
from latticemetric.errors import InputError, UsageError, placed, shortened
from latticemetric.formats.reading import entries, files_read
from latticemetric.formats.references import Reference, read_references
from latticemetric.formats.registry import Block, Entry
from latticemetric.formats.streams.stream import warn
from latticemetric.graph import Graph, named_graphs
from latticemetric.lattice.lattice import Lattice
from latticemetric.likeness import Names
from latticemetric.metrics.base import graphs_of
from latticemetric.metrics.reference_checks import checked_corpus

if TYPE_CHECKING:
    from latticemetric.corpus.settings import ReadingSettings
    from latticemetric.vocabulary import Vocabulary

_CONTINUE = "(keep_going=True reports the error and continues)"


class PairedGraphs(NamedTuple):
    """Graphs paired with their references.

    Attributes:
        pairs: The pairs.
        references: The number of references of each graph; `var` if it varies.
        total: The number of pairs; `None` if it is not known.
    """

    pairs: Iterator[Pair]
    references: int | str
    total: int | None = None


class Source(Protocol):
    """Graphs, and perhaps their references."""

    def entries(self, reading: ReadingSettings, vocabulary: Vocabulary | None) -> Iterator[Entry]:
        """Yield the graphs, not yet parsed."""

    def pairs(
        self, graphs: Iterator[Entry], reading: ReadingSettings, vocabulary: Vocabulary | None, *, required: bool
    ) -> PairedGraphs | None:
        """Pair each of these graphs with its references; return `None` if they are `required`, but there are none."""

    def blocks(self, reading: ReadingSettings) -> Iterator[Block] | None:
        """Return blocks of graphs and references that other processes can parse; `None` if there are none."""

    def require_files(self) -> None:
        """Raise an error if a named file does not exist; read no contents."""

    def graph_files(self, reading: ReadingSettings) -> list[str]:
        """Return the files of the graphs that are read."""

    def reference_files(self) -> tuple[str, ...]:
        """Return the files of the references."""

    @property
    def title(self) -> str:
        """The name of the graphs, for titles."""

    @property
    def has_references(self) -> bool:
        """True if references are given."""

    @property
    def named(self) -> dict[str, str]:
        """The names of the graphs and references, for fingerprints."""


class Files(NamedTuple):
    """Files of graphs and references.

    Attributes:
        graphs: Files, folders or globs of graphs.
        references: Files of references; a graph has one reference in each.
    """

    graphs: tuple[str, ...]
    references: tuple[str, ...]

    def entries(self, reading: ReadingSettings, vocabulary: Vocabulary | None) -> Iterator[Entry]:
        """Yield the graphs, not yet parsed."""
        return entries(self.graphs, reading.format, vocabulary, keep_marks=reading.keep_marks)

    def pairs(
        self, graphs: Iterator[Entry], reading: ReadingSettings, vocabulary: Vocabulary | None, *, required: bool
    ) -> PairedGraphs | None:
        """Pair each graph with its references: one line from each reference file.

        Without reference files, take the references from the graphs' own records; return `None` if the format has no
        records. If references are not `required`, read the records only with a `reference_field`; without it, the
        graphs have no references.
        """
        files = [read_references(file, vocabulary) for file in self.references]
        if files:
            total = max(len(file.lines) for file in files)
            return PairedGraphs(pair_up(graphs, files, reading.style), len(files), total)
        if not required and reading.reference_field is None:
            return PairedGraphs((Pair(one.name, one, ()) for one in graphs), 0)
        within = pair_within(graphs, reading.reference_field)
        return None if within is None else PairedGraphs(within.pairs, within.references)

    def blocks(self, reading: ReadingSettings) -> Iterator[Block] | None:
        """Return the blocks of a single file, whose records hold the references; `None` if it has no blocks."""
        if self.references or len(self.graphs) != 1:
            return None
        from latticemetric.formats.reading import blocks

        return blocks(self.graphs[0], reading.format)

    def require_files(self) -> None:
        """Raise an error if a named file does not exist; read no contents."""
        from latticemetric.formats.streams.paths import require_path
        from latticemetric.formats.streams.stream import require_file

        for path in self.graphs:
            require_path(path)
        for path in self.references:
            require_file(path)

    def graph_files(self, reading: ReadingSettings) -> list[str]:
        """Return the files of the graphs that are read."""
        return [file for one in self.graphs for file in files_read(one, reading.format)]

    def reference_files(self) -> tuple[str, ...]:
        """Return the files of the references."""
        return self.references

    @property
    def has_references(self) -> bool:
        """True if there are files of references."""
        return bool(self.references)

    @property
    def named(self) -> dict[str, str]:
        """The names of the graphs and references, for fingerprints."""
        return {"graphs": repr(self.graphs), "references": repr(self.references)}

    @property
    def title(self) -> str:
        """The name of the graphs, for titles."""
        return ", ".join(os.path.basename(one) or one for one in self.graphs)  # noqa: PTH119  plain strings

    def __str__(self) -> str:
        return ", ".join(self.graphs)


class Memory:
    """Graphs and references in memory.

    Args:
        graphs: A mapping from ids to graphs, pairs of an id and a graph, or graphs, whose ids are 1, 2, 3, …
        references: A mapping from ids to references, or a list in the order of the graphs; `None` if there are none.
    """

    def __init__(self, graphs: Any, references: Any = None) -> None:
        self._graphs: Iterable[Any] | None = _listed(graphs)
        self._begun = False
        self._references = _references(references)
        self._is_to_note = has_default_index(references)
        size, texts = getattr(self._graphs, "__len__", None), self._references
        if size is not None and isinstance(texts, list) and size() != len(texts):
            what = f"the numbers of graphs and references differ: {size()} and {len(texts)}"
            raise UsageError(what, advice="give the references of each graph, in the same order; or a dict by id")

    def entries(self, reading: ReadingSettings, vocabulary: Vocabulary | None) -> Iterator[Entry]:
        """Yield the graphs."""
        del reading, vocabulary
        if isinstance(self._graphs, Iterator):
            if self._begun:
                raise UsageError("the graphs were an iterator, which was read", advice="give a list to ask it again")
            self._begun = True
        assert self._graphs is not None
        return map(_entry, count(1), named_graphs(_named(self._graphs)))

    def pairs(
        self, graphs: Iterator[Entry], reading: ReadingSettings, vocabulary: Vocabulary | None, *, required: bool
    ) -> PairedGraphs | None:
        """Pair each graph with its references."""
        del reading, vocabulary
        if self._references is None:
            return None if required else PairedGraphs((Pair(one.name, one, ()) for one in graphs), 0)
        texts = self._references.values() if isinstance(self._references, dict) else self._references
        numbers = {len(several) for several in texts}
        number = numbers.pop() if len(numbers) == 1 else "var"
        if isinstance(self._references, dict):
            pairs = _by_id(graphs, self._references)
        else:
            pairs = _by_order(self._noted(graphs) if self._is_to_note else graphs, self._references)
        return PairedGraphs(pairs, number, len(self._references))

    def _noted(self, graphs: Iterator[Entry]) -> Iterator[Entry]:
        """Yield the graphs; note, once a corpus, that a series without ids is paired with them by order."""
        assert self._references is not None
        for number, entry in enumerate(graphs):
            if self._is_to_note and is_own_id(entry.name, number):
                self._is_to_note = False
                note_default_index("references", entry.name, len(self._references))
            yield entry

    def blocks(self, reading: ReadingSettings) -> None:
        """Return `None`: graphs in memory have no blocks."""

    def require_files(self) -> None:
        """Raise no error: there are no files."""

    def graph_files(self, reading: ReadingSettings) -> list[str]:
        """Return the files of the graphs: none."""
        del reading
        return []

    def reference_files(self) -> tuple[str, ...]:
        """Return the files of the references: none."""
        return ()

    @property
    def has_references(self) -> bool:
        """True if references are given."""
        return self._references is not None

    @property
    def named(self) -> dict[str, str]:
        """The texts that stand for the names of files: graphs in memory have none."""
        return {"graphs": "in memory"}

    @property
    def title(self) -> str:
        """The name of the graphs, for titles."""
        return "lattices"

    def __str__(self) -> str:
        return "graphs in memory"


class Records(Memory):
    """N-best lists in records, perhaps with their references.

    Args:
        table: A data frame of pandas or polars, an Arrow table, or mappings, with columns as in JSON lines.
        n: For records that join the lists of several inputs: the number of hypotheses per input.
    """

    def __init__(self, table: Any, n: int | None = None) -> None:
        if n is not None:
            whole_number(n, f"n is {n}", "give the number of hypotheses per input")
        if isinstance(table, str | os.PathLike):
            raise UsageError("this is a file", advice="use Corpus.read")
        self._table, self._n, self._begun = table, n, False

    def entries(self, reading: ReadingSettings, vocabulary: Vocabulary | None) -> Iterator[Entry]:
        """Yield the lists, not yet parsed."""
        from latticemetric.display.frames import records_of
        from latticemetric.formats.nbest.records import ListRecord, entries_of

        del reading, vocabulary
        if isinstance(self._table, Iterator):
            if self._begun:
                raise UsageError("the records were an iterator, which was read", advice="give a list to ask it again")
            self._begun = True
        records = enumerate(records_of(self._table), start=1)
        listed = ((position, ListRecord(fields, f"record {position}")) for position, fields in records)
        return entries_of(listed, samples=self._n)

    def pairs(
        self, graphs: Iterator[Entry], reading: ReadingSettings, vocabulary: Vocabulary | None, *, required: bool
    ) -> PairedGraphs | None:
        """Pair each list with the references in its record."""
        del vocabulary
        if not required and reading.reference_field is None:
            return PairedGraphs((Pair(one.name, one, ()) for one in graphs), 0)
        within = pair_within(graphs, reading.reference_field)
        return None if within is None else PairedGraphs(within.pairs, within.references)

    @property
    def has_references(self) -> bool:
        """False: the records of a table may have references or not."""
        return False

    def __str__(self) -> str:
        return "records"


def is_own_id(name: str, position: int) -> bool:
    """Check whether an id is more than the position of its graph, counted from 0 or from 1."""
    return name not in (str(position), str(position + 1))


def note_default_index(what: str, name: str, rows: int) -> None:
    """Note that a series of pandas without ids is paired by order with graphs, the first of which has the id `name`.

    Raises:
        UsageError: The id is one of the labels 0, 1, 2, …, at another position.
    """
    if name in map(str, range(rows)):
        problem = f"graphs have the labels of the series as ids, in another order ('{shortened(name)}')"
        raise UsageError(problem, where=what, advice="give texts as labels: series.rename(str)")
    warn(
        what,
        f"the labels of the series are 0, 1, 2, …, so it is paired with the graphs ('{shortened(name)}', …) by order; "
        "give ids as labels, such as frame.set_index('id')['text'], or a list if the order is right",
    )


def is_path(given: object) -> bool:
    """Return True for a path, or a list of paths."""
    if isinstance(given, str | os.PathLike):
        return True
    return isinstance(given, Sequence) and bool(given) and all(isinstance(one, str | os.PathLike) for one in given)


def paths_of(given: Any) -> tuple[str, ...]:
    """Return a path, or a list of paths, as a tuple of strings; `None` is an empty tuple."""
    if given is None:
        return ()
    # A column of a table has texts or graphs, rather than names of files.
    if isinstance(given, Mapping | AbstractSet) or any(
        hasattr(given, name) for name in ("columns", "dtype", "to_pylist")
    ):
        what = f"a {type(given).__name__} is given, where files are named"
        raise UsageError(what, advice="use Corpus(graphs, references) for memory, or give a list of paths")
    listed = list(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]
    for one in listed:
        if not isinstance(one, str | os.PathLike):
            what = f"a {type(one).__name__} is no path"
            raise UsageError(what, advice="use Corpus(graphs, references) for memory, or give a list of paths")
    return tuple([os.fspath(one) for one in listed])


def _listed(graphs: Any) -> Iterable[Any]:
    """Return the graphs as an iterable: the pairs of a mapping."""
    if is_path(graphs):
        raise UsageError("these are files", advice="use Corpus.read(graphs, references)")
    if hasattr(graphs, "columns"):
        raise UsageError("graphs is a table", advice="use Corpus.from_records(table), or give one column of graphs")
    graphs = by_label(graphs, "graphs")
    if isinstance(graphs, Mapping):
        return list(graphs.items())
    if isinstance(graphs, Lattice) or is_nbest(graphs) or hasattr(graphs, "edges"):
        raise UsageError(f"this is one {type(graphs).__name__}", advice="give a list of graphs")
    require_items(graphs, "graphs")
    return graphs if isinstance(graphs, Iterator) else list(graphs)


def _named(graphs: Iterable[Any]) -> Iterator[Any]:
    """Yield pairs of an id and a graph; graphs without ids are numbered from 1."""
    for number, one in enumerate(graphs, start=1):
        yield one if isinstance(one, tuple | list) else (str(number), one)


def _entry(number: int, named: tuple[str, Graph]) -> Entry:
    name, graph = named
    return Entry(name, f"graph {number}", partial(_same, graph), naming="own")


def _same(graph: Graph) -> Graph:
    return graph


def _references(given: Any) -> dict[str, tuple[Any, ...]] | list[tuple[Any, ...]] | None:
    """Check references in memory; each becomes a tuple of words or graphs."""
    if given is None:
        return None
    if hasattr(given, "columns"):
        raise UsageError("references is a table", advice="give one column: frame.set_index('id')['text']")
    if isinstance(given, str | Lattice):
        raise UsageError("references is one reference", advice="give a list with the references of each graph")
    given = by_label(given, "references")
    if isinstance(given, Mapping):
        for name in given:
            if not isinstance(name, str):
                raise UsageError(f"the id {name!r} of a reference is not a string", advice=f"give '{name}'")
        return dict(zip(given, _checked(list(given.values()), [f"'{shortened(name)}'" for name in given]), strict=True))
    require_list(given, "references")
    return _checked(given, [f"graph {number}" for number in range(1, len(given) + 1)])


def _checked(references: Sequence[Any], graphs: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the references of each graph as words or graphs; an error names the graph."""
    checked, found = checked_corpus(references), list[tuple[Any, ...]]()
    for graph in graphs:
        with placed(f"references of {graph}"):
            found.append(graphs_of(next(checked)))
    deque(checked, maxlen=0)  # at its end, it judges all together
    return found


def _reference(text: Any, where: str) -> Reference:
    if isinstance(text, Lattice):
        return Reference(next(text.paths()).words, where, text)
    return Reference(tuple(text), where)


def _by_order(graphs: Iterator[Entry], texts: list[tuple[Any, ...]]) -> Iterator[Pair]:
    number = 0
    for number, entry in enumerate(graphs, start=1):
        if number > len(texts):
            what = f"there is no reference for graph {number}: there are {len(texts)} references"
            raise UsageError(what, advice="give the references of each graph, in the same order; or a dict by id")
        several = texts[number - 1]
        if len(several) > 1 and several[0] == (entry.name,):
            what = f"the references are pairs of an id and a text, such as '{shortened(entry.name)}'"
            raise UsageError(what, where="references", advice="give a dict: dict(references)")
        yield Pair(entry.name, entry, tuple(_reference(text, entry.where) for text in several))
    if number < len(texts):
        what = f"the numbers of graphs and references differ: {number} and {len(texts)}"
        raise UsageError(what, advice="give the references of each graph, in the same order; or a dict by id")


def _by_id(graphs: Iterator[Entry], texts: dict[str, tuple[Any, ...]]) -> Iterator[Pair]:
    used, ids = set[str](), Names(texts)
    for entry in graphs:
        if entry.name in used:
            raise UsageError(f"two graphs have the id '{shortened(entry.name)}'", advice="give each its own id")
        used.add(entry.name)
        if (several := texts.get(entry.name)) is not None:
            yield Pair(entry.name, entry, tuple(_reference(text, entry.where) for text in several))
        else:
            what = f"there is no reference for '{shortened(entry.name)}'"
            advice = ids.advice_for(entry.name) or "add one"
            yield Pair(entry.name, entry, (), InputError(what, advice=f"{advice} {_CONTINUE}"))
    for name, several in texts.items():
        if name not in used:
            problem = InputError(f"there is no graph named '{shortened(name)}'", advice=f"add it {_CONTINUE}")
            yield Pair(name, None, tuple(_reference(text, "references") for text in several), problem)
