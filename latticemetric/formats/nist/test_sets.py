"""Test sets in NIST formats: what systems said beside references, a segment after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.nist.cutting import cut
from latticemetric.formats.nist.references import transcripts_in
from latticemetric.formats.nist.sniffing import is_ctm, is_stm_reference
from latticemetric.formats.segments import Segments, SegmentText
from latticemetric.formats.streams.stream import STANDARD_INPUT, open_stream
from latticemetric.lattice.lattice import Lattice

if TYPE_CHECKING:
    from latticemetric.formats.references import Reference

_Table = dict[str, SegmentText]


def read_test_set(systems: Sequence[str], references: Sequence[str]) -> Segments | None:
    """The segments of files whose first reference is trn, STM or CTM; nothing where it is in none of these.

    Time-marked words (CTM) are cut by the segments of the first reference, where that is STM. Other files hold the
    same ids.

    Raises:
        FormatError: A segment is missing in a file.
    """
    if references[0] == STANDARD_INPUT:
        return None
    first = _read(references[0])
    if first is None:
        return None
    tables = [*(_said(path, references[0]) for path in systems), first, *map(_needed, references[1:])]
    for path, table in zip([*systems, *references], tables, strict=True):
        _check(path, table, references[0], first)
    return Segments(tuple(first), tuple(tuple(table[name] for name in first) for table in tables))


def _said(path: str, reference: str) -> _Table:
    """What a system said, by segments of the reference."""
    with open_stream(path) as words, open_stream(reference) as segments:
        if is_ctm(words.head()) and is_stm_reference(segments.head()):
            return {name: _text_of(graph) for name, graph in cut(words, segments).items()}
    return _needed(path)


def _needed(path: str) -> _Table:
    table = _read(path)
    if table is None:
        raise FormatError(
            "the file is neither trn, STM nor CTM, and the first reference is", where=path, advice="write words (id)"
        )
    return table


def _read(path: str) -> _Table | None:
    with open_stream(path) as stream:
        file = transcripts_in(stream)
    return None if file is None else {name: _text(reference) for name, reference in file.keyed().items()}


def _text(reference: Reference) -> SegmentText:
    return " ".join(reference.words) if reference.graph is None else reference.graph


def _text_of(graph: Lattice) -> SegmentText:
    """A graph of one path as its words."""
    return " ".join(next(graph.paths()).words) if len(graph.word) < graph.num_states else graph


def _check(path: str, table: _Table, reference: str, first: _Table) -> None:
    for here, these, there, those in ((path, table, reference, first), (reference, first, path, table)):
        lacking = [name for name in these if name not in those]
        if lacking:
            raise FormatError(
                f"there is no '{shortened(lacking[0])}' in {there}",
                where=here,
                advice="every file needs a text for each id",
            )
