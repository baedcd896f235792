"""Questions as they come, read no further than they are needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Generic, TypeVar

Question = TypeVar("Question")


class Source(Generic[Question]):
    """Questions as they come; an error among them is kept until those before it are answered."""

    def __init__(self, questions: Iterable[Question]) -> None:
        self._questions = iter(questions)
        self._taken: deque[Question] = deque()
        self._error: Exception | None = None

    def __iter__(self) -> Source[Question]:
        return self

    def __next__(self) -> Question:
        return self._taken.popleft() if self._taken else self._read()

    def _read(self) -> Question:
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
