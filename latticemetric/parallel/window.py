"""Questions in, answers out in their order, within limits: what every command on many graphs goes through."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from latticemetric.parallel.process import Task

# ---- Questions that are under way: taken as they are needed, no more than some, and given back in their order ----

# Questions under way, answered and not, of each worker; and bytes of them and of their answers, of all.
_AHEAD = 128
_BYTES_AHEAD = 2**26


class Window(ABC):
    """Tasks between their beginning and their turn, whoever works on them."""

    def __init__(self) -> None:
        self._under_way: deque[Task] = deque()
        self._again: deque[Task] = deque()

    def done(self, tasks: Iterator[Task]) -> Iterator[Task]:
        """All tasks in order, done."""
        while self._fill(tasks) or self._under_way:
            if not self._under_way[0].is_done:
                self._wait()
            while self._under_way and self._under_way[0].is_done:
                yield self._under_way.popleft()

    @abstractmethod
    def _fill(self, tasks: Iterator[Task]) -> bool:
        """Hands tasks to those who have little to do; whether any were there."""

    @abstractmethod
    def _wait(self) -> None:
        """Until there is something new."""

    def _following(self, tasks: Iterator[Task], workers: int) -> Task | None:
        """The next task, unless too much is under way: first one that has to be done again."""
        if self._again:
            return self._again.popleft()
        if (self._under_way and self._is_full(workers)) or (task := next(tasks, None)) is None:
            return None
        self._under_way.append(task)
        return task

    def _is_full(self, workers: int) -> bool:
        return len(self._under_way) >= _AHEAD * workers or sum(t.size for t in self._under_way) >= _BYTES_AHEAD


# ---- Questions as they come, read no further than they are needed ----

Item = TypeVar("Item")


class Source(Generic[Item]):
    """Questions as they come; an error among them is kept until those before it are answered."""

    def __init__(self, questions: Iterable[Item]) -> None:
        self._questions = iter(questions)
        self._taken: deque[Item] = deque()
        self._error: Exception | None = None

    def __iter__(self) -> Source[Item]:
        return self

    def __next__(self) -> Item:
        return self._taken.popleft() if self._taken else self._read()

    def _read(self) -> Item:
        if self._error is not None:
            raise StopIteration
        try:
            return next(self._questions)
        except StopIteration:
            raise
        except Exception as error:  # noqa: BLE001  raised by `close`
            self._error = error
            raise StopIteration from None

    def has(self, number: int) -> bool:
        """Whether there are so many more; they are read, and kept."""
        while len(self._taken) < number:
            try:
                self._taken.append(self._read())
            except StopIteration:
                return False
        return True

    def close(self) -> None:
        """Raises the error, if there was one."""
        if self._error is not None:
            raise self._error
