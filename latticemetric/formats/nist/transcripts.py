"""Read transcripts of any NIST format: utterances of trn, segments of STM, channels of CTM, each with its id."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from latticemetric.errors import placed, shortened
from latticemetric.formats.nist import ctm, stm, trn
from latticemetric.formats.nist.lines import Record, is_ctm_reference, is_stm_reference, is_trn_reference
from latticemetric.formats.nist.words import parsed_transcript, plain_words
from latticemetric.formats.streams.stream import Stream
from latticemetric.lattice.lattice import Lattice


class Transcript(NamedTuple):
    """Hold an id, its file and line, and its words; a graph if there are alternatives."""

    name: str
    where: str
    text: Lattice | tuple[str, ...]


def transcripts(stream: Stream) -> Iterator[Transcript] | None:
    """Read the transcripts of a stream; return `None` for other formats."""
    head = stream.head()
    return next((read(stream) for is_in_format, read in _READERS if is_in_format(head)), None)


def words_or_graph(graph: Lattice) -> Lattice | tuple[str, ...]:
    """Return the words of a graph with a single path; return other graphs unchanged."""
    return next(graph.paths()).words if len(graph.word) < graph.num_states else graph


def _of_record(record: Record) -> Transcript:
    words = plain_words(record.text)
    text = words_or_graph(parsed_transcript(record.text, record.where)) if words is None else words
    return Transcript(record.name, record.where, text)


def _channels(stream: Stream) -> Iterator[Transcript]:
    for name, where, lines in ctm.channels(stream):
        with placed(f"{where} ({shortened(name)})"):
            graph = ctm.parsed_channel(lines)
        yield Transcript(name, where, words_or_graph(graph))


_READERS: tuple[tuple[Callable[[bytes], bool], Callable[[Stream], Iterator[Transcript]]], ...] = (
    (is_stm_reference, lambda stream: map(_of_record, stm.scored_records(stream))),
    (is_ctm_reference, _channels),
    (is_trn_reference, lambda stream: map(_of_record, trn.records(stream))),
)
