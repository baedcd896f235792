"""What every command that reads many graphs goes through: questions in, answers out in their order, failures told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from latticemetric.batch.limits import Limits
from latticemetric.batch.workers import map_in_order
from latticemetric.errors import InputError

if TYPE_CHECKING:
    from latticemetric.batch.journal import Journal


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
        workers: Processes that answer.
        keep_going: Whether a graph that fails is an answer, too, and not the end.
        limits: What one graph may take.
        journal: Keeps the answers, and has those of a run that was broken off.
    """

    workers: int = 1
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

    def answer(question: Question) -> Answer:
        try:
            return ask(question)
        except InputError as error:
            return lost(question, error)
        except MemoryError:
            return lost(question, InputError("there is not enough memory for it"))

    def lost(question: Question, error: InputError) -> Answer:
        if not run.keep_going:
            raise _placed(error, question)
        return failed(question, _placed(error, question))

    def answers(rest: Iterable[Question]) -> Iterator[Answer]:
        return map_in_order(answer, rest, run.workers, lost=lost, limits=run.limits)

    if run.journal is None:
        return answers(questions)
    return run.journal.continued(questions, answers)


def _placed(error: InputError, question: Placed) -> InputError:
    found: Any = error if error.where else error.at(question.place)
    return found  # type: ignore[no-any-return]
