"""Graphs of a stream in blocks: entries are made when somebody needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, overload

from latticemetric.formats.registry import Entry
from latticemetric.formats.streams.in_blocks import InBlocks, blocks_of

if TYPE_CHECKING:
    from latticemetric.vocabulary import Vocabulary

Change = Callable[[Entry], Entry]


class KernelTexts(NamedTuple):
    """The bytes of the lattices of a block; see `KernelText`.

    Attributes:
        whole: The bytes that include those of all lattices.
        begin: The first byte of each lattice.
        end: The byte after each lattice.
        format: The name of the format.
        are_spelled: True if the file has words, not word numbers.
        table: The words of word numbers; `None` if numbers are words.
    """

    whole: bytes
    begin: list[int]
    end: list[int]
    format: Literal["kaldi", "kaldi-binary"]
    are_spelled: bool = False
    table: Vocabulary | None = None


class EntryBlock(Sequence[Entry]):
    """Graphs of a file that follow each other. Kernels can read all of them, and nothing changes them.

    Attributes:
        names: Their ids.
        places: The file and line of each, as `Entry.where`.
        texts: Their bytes.
    """

    def __init__(
        self,
        names: list[str],
        places: list[str],
        texts: KernelTexts,
        make: Callable[[int], Entry],
        *,
        rows: range | None = None,
        checks: tuple[Change, ...] = (),
    ) -> None:
        """Take ids, places and bytes, and the function that makes the entry of a row.

        The rows are 0, 1, 2, … unless `rows` has them. `checks` are made of an entry when it is needed.
        """
        self.names, self.places, self.texts, self._make, self._checks = names, places, texts, make, checks
        self._rows = range(len(names)) if rows is None else rows

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, number: int) -> Entry: ...

    @overload
    def __getitem__(self, number: slice) -> Self: ...

    def __getitem__(self, number: int | slice) -> Entry | Self:
        if isinstance(number, slice):
            texts = self.texts._replace(begin=self.texts.begin[number], end=self.texts.end[number])
            names, places, rows = self.names[number], self.places[number], self._rows[number]
            return type(self)(names, places, texts, self._make, rows=rows, checks=self._checks)
        entry = self._make(self._rows[number])
        for check in self._checks:
            entry = check(entry)
        return entry

    def checked(self, check: Change) -> Self:
        """Return the block with entries that `check` changes, but not their names, places and bytes."""
        checks = (*self._checks, check)
        return type(self)(self.names, self.places, self.texts, self._make, rows=self._rows, checks=checks)


def checked_entries(entries: Iterable[Entry], check: Change) -> InBlocks[Entry]:
    """Return entries that `check` changes, but not their names, places and texts."""
    return InBlocks(_checked_blocks(entries, check))


def _checked_blocks(entries: Iterable[Entry], check: Change) -> Iterator[Sequence[Entry]]:
    for block in blocks_of(entries):
        yield block.checked(check) if isinstance(block, EntryBlock) else list(map(check, block))
