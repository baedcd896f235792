"""References: one a line, in the order of the graphs or after an id (Kaldi's `text`); or trn, STM or CTM."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from latticemetric.errors import FormatError, InputError, shortened
from latticemetric.formats.streams.stream import Stream, open_stream
from latticemetric.formats.text.fields import is_word_number
from latticemetric.vocabulary import Vocabulary, split_words

if TYPE_CHECKING:
    from latticemetric.lattice.lattice import Lattice

# Every transcript in a NIST format has ids in brackets, labels, or times with a fraction.
_SIGNS = (b")", b"<", b".")


class Reference(NamedTuple):
    """A reference and where it stands."""

    words: tuple[str, ...]
    where: str

    @property
    def graph(self) -> Lattice | None:
        """All that may be said instead; nothing where the words are all."""
        return None

    @property
    def said(self) -> Lattice | tuple[str, ...]:
        """All that may be said: a graph, or the words."""
        return self.words if self.graph is None else self.graph


class GraphReference(Reference):
    """A reference with alternatives or optional words: `words` are the first of what it allows.

    A tuple of words and place like others, which carries its graph beside.
    """

    _graph: Lattice

    def __new__(cls, words: tuple[str, ...], where: str, graph: Lattice) -> Self:
        """Takes the fields of a reference, and its graph."""
        made = super().__new__(cls, words, where)
        made._graph = graph
        return made

    @property
    def graph(self) -> Lattice:
        """All that may be said."""
        return self._graph

    def __reduce__(self) -> tuple[Any, ...]:
        return GraphReference, (self.words, self.where, self._graph)


@dataclass(frozen=True)
class ReferenceFile:
    """The lines of a file, not yet interpreted as plain or keyed.

    Attributes:
        name: The file.
        lines: The fields of each line.
        table: Spells references that are written as word numbers; `None` leaves words as they are.
    """

    name: str
    lines: tuple[tuple[str, ...], ...]
    table: Vocabulary | None = None

    @property
    def has_ids(self) -> bool:
        """Whether each reference surely has an id: lines may begin with one, or not."""
        return False

    def first_words(self) -> list[str]:
        """What lines begin with: their ids, if they are keyed."""
        return [words[0] for words in self.lines if words]

    @cached_property
    def ids(self) -> frozenset[str]:
        """The same, to look them up."""
        return frozenset(self.first_words())

    def plain(self) -> list[Reference]:
        """Every line is a reference; an empty line is one of no words."""
        places = (f"{self.name}:{number}" for number in range(1, len(self.lines) + 1))
        return list(map(Reference, self._spelled(self.lines), places))

    def keyed(self) -> dict[str, Reference]:
        """References by the id that begins each line; empty lines are skipped."""
        rows = [(number, words) for number, words in enumerate(self.lines, start=1) if words]
        table: dict[str, Reference] = {}
        for (number, words), rest in zip(rows, self._spelled([words[1:] for _, words in rows]), strict=True):
            where = f"{self.name}:{number}"
            if words[0] in table:
                raise FormatError(
                    f"id '{shortened(words[0])}' has a reference already, at {table[words[0]].where}",
                    where=where,
                    advice="if these are not ids, say --references plain",
                )
            table[words[0]] = Reference(rest, where)
        return table

    def _spelled(self, references: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
        """The words of references that are all numbers of the table (Kaldi's integer references)."""
        table = self.table
        words = {word for reference in references for word in reference}
        if table is None or not all(map(is_word_number, words)) or all(word in table for word in words):
            return iter(references)
        return (tuple(self._word(table, word) for word in reference) for reference in references)

    def _word(self, table: Vocabulary, number: str) -> str:
        try:
            return table.word(int(number))
        except InputError as error:
            line = next(k for k, words in enumerate(self.lines, start=1) if number in words)
            raise error.at(f"{self.name}:{line}") from None


def read_references(path: str, table: Vocabulary | None = None) -> ReferenceFile:
    """Reads a file of references; a table spells those that are word numbers."""
    with open_stream(path) as stream:
        if (transcripts := _transcripts(stream)) is not None:
            return transcripts
        lines = tuple(tuple(split_words(line)) for line in stream.lines())
    if not any(lines):
        raise FormatError("the file holds no references", where=path)
    return ReferenceFile(path, lines, table)


def _transcripts(stream: Stream) -> ReferenceFile | None:
    if not any(sign in stream.head() for sign in _SIGNS):
        return None
    from latticemetric.formats.nist.references import transcripts_in

    return transcripts_in(stream)
