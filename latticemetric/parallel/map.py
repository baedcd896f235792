"""Questions in, answers out in their order, failures told: what every command on many graphs goes through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from latticemetric.errors import InputError
from latticemetric.memory import no_memory
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.pool import Workers, map_in_order

if TYPE_CHECKING:
    from latticemetric.parallel.journal import Journal


class Placed(Protocol):
    """A question about one graph."""

    @property
    def name(self) -> str:
        """The graph's id."""

    @property
    def place(self) -> str:
        """Where it is, for an error."""


Question = TypeVar("Question", bound=Placed)
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Run:
    """How many graphs are gone through.

    Attributes:
        workers: Who answers: so many processes, an executor, or the workers of a Dask cluster.
        keep_going: Whether a graph that fails is an answer, too, and not the end.
        limits: What one graph may take.
        journal: Keeps the answers, and has those of a run that was broken off.
    """

    workers: Workers = 1
    keep_going: bool = False
    limits: Limits = field(default_factory=Limits)
    journal: Journal | None = None


def answered(
    ask: Callable[[Question], Answer],
    failed: Callable[[Question, InputError], Answer],
    questions: Iterable[Question],
    run: Run,
) -> Iterator[Answer]:
    """Answers in the order of the questions.

    Args:
        ask: Answers one; raises `InputError` where that graph is at fault.
        failed: Makes an answer of that error.
        questions: Graphs, not yet built.
        run: Workers, limits and the rest.

    Raises:
        InputError: A graph has a problem, unless failures are gone past.
    """
    answering = _Answering(ask, failed, run.keep_going)

    def answers(rest: Iterable[Question]) -> Iterator[Answer]:
        return map_in_order(answering, rest, run.workers, lost=answering.lost, limits=run.limits)

    if run.journal is None:
        return answers(questions)
    kept = run.journal.continued(questions, answers)
    return kept if run.keep_going else _up_to_a_problem(kept)


def _up_to_a_problem(answers: Iterable[Answer]) -> Iterator[Answer]:
    """Failures of a run that went past them end this one."""
    for answer in answers:
        problem = getattr(answer, "problem", None)
        if problem is not None:
            raise problem
        yield answer


@dataclass(frozen=True)
class _Answering(Generic[Question, Answer]):
    """What a worker does with each question."""

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
        """The answer to what has none."""
        if not self.keep_going:
            raise _placed(error, question)
        return self.failed(question, _placed(error, question))


def _placed(error: InputError, question: Placed) -> InputError:
    found: Any = error if error.where else error.at(question.place)
    return found  # type: ignore[no-any-return]
