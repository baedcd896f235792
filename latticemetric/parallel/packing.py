"""How questions travel to other processes, and answers back."""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from latticemetric.errors import InputError
from latticemetric.formats.kaldi.script import ScriptedLattice
from latticemetric.formats.streams.stream import Piece, Stamp, stamp_of
from latticemetric.graph import Graph
from latticemetric.normalization.grammar import Grammar
from latticemetric.parallel.pickling import (
    Reducers,
    constant,
    forget,
    pickled,
    reducers,
    register,
    token_of,
)
from latticemetric.parallel.process import Task
from latticemetric.vocabulary import Vocabulary

# A table that is smaller travels as fast as it is looked for; and a run has few that all graphs share.
_FEWEST_WORDS = 100
_MOST_CONSTANTS = 8
_MOST_FILES = 10_000


class Packed(NamedTuple):
    """A question, pickled.

    Attributes:
        data: Without what it has in common with others.
        needs: Tokens of that.
    """

    data: bytes
    needs: frozenset[str]


class Packing:
    """Pickles the questions of a run, and keeps what they have in common."""

    def __init__(self) -> None:
        self._mine: list[str] = []
        self._recent: deque[Vocabulary] = deque(maxlen=4)
        self._stamps: dict[str, Stamp] = {}
        self._needs: set[str] = set()
        common: Reducers = {**reducers(), Vocabulary: self._vocabulary, Grammar: self._grammar}
        self._whole: Reducers = {**common, Piece: _whole_piece, ScriptedLattice: _read_script}
        self._by_place: Reducers = {**common, Piece: self._piece, ScriptedLattice: self._script}

    def pack(self, question: Any, *, whole: bool = False) -> Packed:
        """A question on its way; with all that it needs of files if it is to be `whole`."""
        self._needs = set()
        data = pickled(question, self._whole if whole else self._by_place)
        return Packed(data, frozenset(self._needs))

    def tasks(self, questions: Iterable[Any]) -> Iterator[Task]:
        """Questions that can be handed to workers."""
        return (Task(self.pack(question), question, self) for question in questions)

    def add(self, thing: Any) -> str:
        """Makes a constant of something, for as long as this run lasts."""
        token = register(thing)
        self._mine.append(token)
        return token

    def close(self) -> None:
        """The run is over."""
        forget(self._mine)

    def _vocabulary(self, vocabulary: Vocabulary) -> Any:
        """Tables that come again are constants: graphs that bring their own have others each time."""
        if len(vocabulary) >= _FEWEST_WORDS and token_of(vocabulary) is None:
            if any(vocabulary is other for other in self._recent):
                self._add_if_few(vocabulary)
            else:
                self._recent.append(vocabulary)
        return self._constant(vocabulary)

    def _grammar(self, grammar: Grammar) -> Any:
        if token_of(grammar) is None:
            self._add_if_few(grammar)
        return self._constant(grammar)

    def _add_if_few(self, thing: Any) -> None:
        if len(self._mine) < _MOST_CONSTANTS:
            self.add(thing)

    def _constant(self, thing: Any) -> Any:
        token = token_of(thing)
        if token is None:
            return thing.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        self._needs.add(token)
        return constant, (token,)

    def _piece(self, piece: Piece) -> Any:
        if piece.place is None:
            return _whole_piece(piece)
        return _piece_there, (*piece.place, piece.size)

    def _script(self, scripted: ScriptedLattice) -> Any:
        fields = (scripted.path, scripted.offset, scripted.where, scripted.vocabulary)
        return _script_there, (fields, self._stamp(scripted.path))

    def _stamp(self, path: str) -> Stamp:
        """That of an archive, when it was seen first: a script names it many times."""
        if path not in self._stamps:
            if len(self._stamps) >= _MOST_FILES:
                self._stamps.clear()
            self._stamps[path] = stamp_of(path)
        return self._stamps[path]


@contextmanager
def packing() -> Iterator[Packing]:
    """That of one run."""
    opened = Packing()
    try:
        yield opened
    finally:
        opened.close()


class ElsewhereError(OSError):
    """The file that a question stands in is not here."""


def _piece_there(path: str, stamp: Stamp, at: int, size: int) -> Piece:
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123  likewise
        state = os.fstat(file.fileno())
        if (state.st_size, state.st_mtime_ns) != stamp:
            raise ElsewhereError(path)
        file.seek(at)
        return Piece(file.read(size), 0, size)


def _whole_piece(piece: Piece) -> Any:
    return Piece, (piece.data, 0, piece.size)


def _script_there(fields: tuple[Any, ...], stamp: Stamp) -> ScriptedLattice:
    scripted = ScriptedLattice(*fields)
    if stamp_of(scripted.path) != stamp:
        raise ElsewhereError(scripted.path)
    return scripted


def _read_script(scripted: ScriptedLattice) -> Any:
    """What is read here in place of there: a lattice, or why there is none."""
    try:
        return _Read, (scripted(), None)
    except InputError as error:
        return _Read, (None, error)


class _Read:
    """Builds what is built already."""

    def __init__(self, graph: Graph | None, error: InputError | None) -> None:
        self._graph, self._error = graph, error

    def __call__(self) -> Graph | None:
        if self._error is not None:
            raise self._error
        return self._graph
