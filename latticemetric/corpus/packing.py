"""Send graphs to other processes: as file and offset if the other process can read the file, else as data."""

from __future__ import annotations

import pickle
from functools import partial
from typing import TYPE_CHECKING, Any

from latticemetric.errors import InputError

if TYPE_CHECKING:
    from latticemetric.formats.kaldi.script import ScriptedLattice
    from latticemetric.formats.streams.stream import Piece, Stamp
    from latticemetric.graph import Graph
    from latticemetric.normalization.grammar import Grammar
    from latticemetric.parallel.pickling import Packing, Reducers
    from latticemetric.vocabulary import Vocabulary

# The smallest symbol table to replace by a token: a smaller table is sent as fast as its token.
_FEWEST_WORDS = 100
_MOST_FILES = 10_000


def graph_packing() -> Packing:
    """Return the pickler of graphs. It sends file and offset, and sends each symbol table and grammar only once.

    If it sent all data, runs would take a sixth longer (two workers or a Dask cluster, lattices of 10,000 arcs).
    """
    from latticemetric.formats.streams.stream import Piece
    from latticemetric.parallel.pickling import Packing
    from latticemetric.vocabulary import Vocabulary

    packing = Packing()

    def vocabulary(table: Vocabulary) -> Any:
        known = packing.by_token(table) if len(table) >= _FEWEST_WORDS else None
        return known or table.__reduce_ex__(pickle.HIGHEST_PROTOCOL)

    def whole_grammar(rules: Grammar) -> Any:  # not only the name: the receiver may lack its file
        return type(rules), (rules.name, rules.rules, rules.alternatives)

    def whole_piece(piece: Piece) -> Any:
        return Piece, (piece.data, 0, piece.size)

    def placed_piece(piece: Piece) -> Any:
        if piece.place is None:
            return whole_piece(piece)
        packing.hold(piece)
        return _read_piece, (*piece.place, piece.size)

    def add_grammar(module: Any) -> None:
        table: Reducers = {module.Grammar: lambda rules: packing.by_token(rules) or whole_grammar(rules)}
        packing.add(table, constants={module.Grammar: whole_grammar})

    def add_script(module: Any) -> None:
        table: Reducers = {module.ScriptedLattice: partial(_reduce_script, {})}
        packing.add(table, whole={module.ScriptedLattice: _reduce_script_to_data})

    packing.add({Vocabulary: vocabulary, Piece: placed_piece}, whole={Piece: whole_piece})
    packing.add_when_imported("latticemetric.normalization.grammar", add_grammar)
    packing.add_when_imported("latticemetric.formats.kaldi.script", add_script)
    return packing


def _read_piece(path: str, stamp: Stamp, at: int, size: int) -> Piece:
    from latticemetric.formats.streams.stream import Piece, Place

    return Piece.at(Place(path, stamp, at), size)


def _reduce_script(stamps: dict[str, Stamp], scripted: ScriptedLattice) -> Any:
    """Pickle a lattice of a Kaldi script (.scp) as file and offset, with the size and time of its archive.

    `stamps` keeps size and time of each archive, so that they are read only once.
    """
    from latticemetric.formats.streams.stream import stamp_of

    if scripted.path not in stamps:
        if len(stamps) >= _MOST_FILES:
            stamps.clear()
        stamps[scripted.path] = stamp_of(scripted.path)
    fields = scripted.path, scripted.offset, scripted.where, scripted.vocabulary
    return _scripted_lattice, (type(scripted), fields, stamps[scripted.path])


def _scripted_lattice(kind: type[ScriptedLattice], fields: tuple[Any, ...], stamp: Stamp) -> ScriptedLattice:
    from latticemetric.formats.streams.stream import ChangedFileError, stamp_of

    scripted = kind(*fields)
    if stamp_of(scripted.path) != stamp:
        raise ChangedFileError(scripted.path)
    return scripted


def _reduce_script_to_data(scripted: ScriptedLattice) -> Any:
    """Pickle a lattice of a Kaldi script (.scp) as data; if it cannot be read, pickle the error."""
    try:
        return partial, (_graph_or_error, scripted(), None)
    except InputError as error:
        return partial, (_graph_or_error, None, error)


def _graph_or_error(graph: Graph | None, error: InputError | None) -> Graph | None:
    if error is not None:
        raise error
    return graph
