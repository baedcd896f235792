"""Questions that are under way: taken as they are needed, no more than some, and given back in their order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator

from latticemetric.workers.processes import Task

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
