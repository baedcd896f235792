"""Run over many graphs: report failures with their place, keep the journal, and send graphs to other processes."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from latticemetric.errors import InputError
from latticemetric.memory import no_memory
from latticemetric.parallel.map import Workers, map_in_order
from latticemetric.parallel.pickling import Packing
from latticemetric.parallel.process import Limits

if TYPE_CHECKING:
    from latticemetric.formats.kaldi.script import ScriptedLattice
    from latticemetric.formats.streams.stream import Piece, Stamp
    from latticemetric.graph import Graph
    from latticemetric.normalization.grammar import Grammar
    from latticemetric.parallel.journal import Journal
    from latticemetric.vocabulary import Vocabulary


class Placed(Protocol):
    """A question about one graph."""

    @property
    def name(self) -> str:
        """The graph's id."""

    @property
    def place(self) -> str:
        """The graph's place, for an error."""


class Located(Protocol):
    """A question, an answer, or anything else about one graph."""

    @property
    def name(self) -> str:
        """The graph's id."""

    @property
    def where(self) -> str:
        """File and line."""


Question = TypeVar("Question", bound=Placed)
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Run:
    """Settings of a run over many graphs.

    Attributes:
        workers: A number of processes, or the client of a Dask cluster.
        keep_going: True if a graph that fails gives an answer with the problem, instead of ending the run.
        limits: Limits of time and memory per graph.
        journal: Keeps the answers of this run, and of the interrupted run that it continues.
    """

    workers: Workers = 1
    keep_going: bool = False
    limits: Limits = field(default_factory=Limits)
    journal: Journal | None = None


def answer_each(
    ask: Callable[[Question], Answer],
    failed: Callable[[Question, InputError], Answer],
    questions: Iterable[Question],
    run: Run,
) -> Iterator[Answer]:
    """Yield answers in the order of the questions.

    Args:
        ask: Answers one question; raises `InputError` if its graph has a problem.
        failed: Returns an answer for that error.
        questions: Graphs, not yet built.
        run: The settings of the run.

    Raises:
        InputError: A graph has a problem, and the run does not keep going.
    """
    asking = _Asking(ask, failed, run.keep_going)

    def answers(rest: Iterable[Question]) -> Iterator[Answer]:
        return map_in_order(asking, rest, run.workers, lost=asking.lost, limits=run.limits, packing=graph_packing)

    if run.journal is None:
        return answers(questions)
    kept = run.journal.continued(questions, answers)
    return kept if run.keep_going else _up_to_a_problem(kept)


def _up_to_a_problem(answers: Iterable[Answer]) -> Iterator[Answer]:
    """Raise the problem of a failed answer in the journal: the interrupted run kept going, this run does not."""
    for answer in answers:
        problem = getattr(answer, "problem", None)
        if problem is not None:
            raise problem
        yield answer


@dataclass(frozen=True)
class _Asking(Generic[Question, Answer]):
    """The function that workers run."""

    ask: Callable[[Question], Answer]
    failed: Callable[[Question, InputError], Answer]
    keep_going: bool

    def __call__(self, question: Question) -> Answer:
        try:
            return self.ask(question)
        except InputError as error:
            return self.lost(question, error)
        except MemoryError:
            return self.lost(question, no_memory())

    def lost(self, question: Question, error: InputError) -> Answer:
        """Return the answer for a question that failed; raise the error if the run does not keep going."""
        placed: Any = error if error.where else error.at(question.place)
        if not self.keep_going:
            raise placed
        return self.failed(question, placed)


# ---- Sending graphs: as places in files that the worker reads itself, if it finds the same file ----

# A smaller table is sent as fast as its token.
_FEWEST_WORDS = 100
_MOST_FILES = 10_000


def graph_packing() -> Packing:
    """Return the packing that pickles graphs: pieces of files by place, symbol tables and grammars once.

    Sending places makes two workers (or a Dask cluster) a sixth faster on lattices of 10,000 arcs.
    """
    from latticemetric.formats.kaldi.script import ScriptedLattice
    from latticemetric.formats.streams.stream import Piece
    from latticemetric.normalization.grammar import Grammar
    from latticemetric.vocabulary import Vocabulary

    def vocabulary(table: Vocabulary) -> Any:
        known = packing.by_token(table) if len(table) >= _FEWEST_WORDS else None
        return known or table.__reduce_ex__(pickle.HIGHEST_PROTOCOL)

    def grammar(rules: Grammar) -> Any:
        return packing.by_token(rules) or _whole_grammar(rules)

    packing = Packing(
        {Vocabulary: vocabulary, Grammar: grammar, Piece: _piece, ScriptedLattice: partial(_script, {})},
        whole={Piece: _whole_piece, ScriptedLattice: _read_script},
        constants={Grammar: _whole_grammar},
    )
    return packing


def _whole_grammar(grammar: Grammar) -> Any:
    """Reduce a grammar to its rules; by default, only its name is sent, and the file may be missing there."""
    return type(grammar), (grammar.name, grammar.rule, grammar.alternatives)


def _piece(piece: Piece) -> Any:
    return _whole_piece(piece) if piece.place is None else (_piece_there, (*piece.place, piece.size))


def _whole_piece(piece: Piece) -> Any:
    return type(piece), (piece.data, 0, piece.size)


class _NoSuchFileError(OSError):
    """The file of a question is not here, or has changed."""


def _piece_there(path: str, stamp: Stamp, at: int, size: int) -> Piece:
    from latticemetric.formats.streams.stream import Piece

    with open(path, "rb", buffering=0) as file:  # noqa: PTH123  any name
        state = os.fstat(file.fileno())
        if (state.st_size, state.st_mtime_ns) != stamp:
            raise _NoSuchFileError(path)
        file.seek(at)
        return Piece(file.read(size), 0, size)


def _script(stamps: dict[str, Stamp], scripted: ScriptedLattice) -> Any:
    """Reduce a lattice of a script to its place. Read the stamp of each archive only once."""
    from latticemetric.formats.streams.stream import stamp_of

    if scripted.path not in stamps:
        if len(stamps) >= _MOST_FILES:
            stamps.clear()
        stamps[scripted.path] = stamp_of(scripted.path)
    fields = scripted.path, scripted.offset, scripted.where, scripted.vocabulary
    return _script_there, (type(scripted), fields, stamps[scripted.path])


def _script_there(kind: type[ScriptedLattice], fields: tuple[Any, ...], stamp: Stamp) -> ScriptedLattice:
    from latticemetric.formats.streams.stream import stamp_of

    scripted = kind(*fields)
    if stamp_of(scripted.path) != stamp:
        raise _NoSuchFileError(scripted.path)
    return scripted


def _read_script(scripted: ScriptedLattice) -> Any:
    """Reduce a lattice of a script to the lattice, or to the error if there is none."""
    try:
        return _Read, (scripted(), None)
    except InputError as error:
        return _Read, (None, error)


class _Read:
    """Returns a lattice that was read already."""

    def __init__(self, graph: Graph | None, error: InputError | None) -> None:
        self._graph, self._error = graph, error

    def __call__(self) -> Graph | None:
        if self._error is not None:
            raise self._error
        return self._graph
