"""Answers of graphs that were answered together. They travel as blocks, so that tables handle many at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar, overload

A_co = TypeVar("A_co", covariant=True)


class AnsweredTogether(Sequence[A_co]):
    """Answers of graphs that follow each other, none of which failed. Each is made when it is read."""

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """The ids of the graphs."""

    @abstractmethod
    def answer(self, number: int) -> A_co:
        """Make an answer."""

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, number: int) -> A_co: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[A_co]: ...

    def __getitem__(self, number: int | slice) -> A_co | Sequence[A_co]:
        if isinstance(number, slice):
            return list(map(self.answer, range(len(self))[number]))
        return self.answer(range(len(self))[number])
