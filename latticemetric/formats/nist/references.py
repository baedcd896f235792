"""References in NIST formats: utterances of trn, segments of STM, channels of CTM, by their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from latticemetric.errors import FormatError, placed, shortened
from latticemetric.formats.nist import ctm, stm, trn
from latticemetric.formats.nist.sniffing import is_ctm_reference, is_stm_reference, is_trn_reference
from latticemetric.formats.nist.words import parsed_transcript, plain_words
from latticemetric.formats.references import GraphReference, Reference, ReferenceFile
from latticemetric.formats.registry import Entry
from latticemetric.formats.streams.stream import Stream
from latticemetric.lattice.lattice import Lattice

_Named = tuple[str, Reference]


@dataclass(frozen=True)
class TranscriptFile(ReferenceFile):
    """References with ids of their own.

    Attributes:
        references: Ids and references, in the order of the file.
    """

    references: tuple[_Named, ...] = ()

    @property
    def has_ids(self) -> bool:
        """Whether each reference surely has an id."""
        return True

    def first_words(self) -> list[str]:
        """The ids."""
        return [name for name, _ in self.references]

    def plain(self) -> list[Reference]:
        """The references in their order."""
        return [reference for _, reference in self.references]

    def keyed(self) -> dict[str, Reference]:
        """References by their ids."""
        table: dict[str, Reference] = {}
        for name, reference in self.references:
            if name in table:
                raise FormatError(
                    f"id '{shortened(name)}' has a reference already, at {table[name].where}", where=reference.where
                )
            table[name] = reference
        return table


def transcripts_in(stream: Stream) -> TranscriptFile | None:
    """The references of a stream in one of these formats; nothing where it is in none."""
    head = stream.head()
    for sniff, read in _READERS:
        if sniff(head):
            named = tuple(read(stream))
            return TranscriptFile(stream.name, tuple(reference.words for _, reference in named), None, named)
    return None


def _utterances(stream: Stream) -> Iterator[_Named]:
    return map(_of_record, trn.utterances(stream))


def _segments(stream: Stream) -> Iterator[_Named]:
    return map(_of_record, stm.segments(stream))


def _of_record(record: trn.Record | stm.Record) -> _Named:
    words = plain_words(record.text)
    if words is not None:
        return record.name, Reference(words, record.where)
    return record.name, _reference(parsed_transcript(record.text, record.where), record.where)


def _channels(stream: Stream) -> Iterator[_Named]:
    for entry in ctm.channels(stream):
        yield entry.name, _reference(_built(entry), entry.where)


def _built(entry: Entry) -> Lattice:
    with placed(entry.place):
        graph = entry.build()
    assert isinstance(graph, Lattice)
    return graph


def _reference(graph: Lattice, where: str) -> Reference:
    """A graph of one path is its words; of several, it stays one."""
    words = next(graph.paths()).words
    return Reference(words, where) if len(graph.word) < graph.num_states else GraphReference(words, where, graph)


_READERS: tuple[tuple[Callable[[bytes], bool], Callable[[Stream], Iterator[_Named]]], ...] = (
    (is_stm_reference, _segments),
    (is_ctm_reference, _channels),
    (is_trn_reference, _utterances),
)
