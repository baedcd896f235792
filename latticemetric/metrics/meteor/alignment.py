"""METEOR's alignment of a candidate with a reference, for people to read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from latticemetric.alignment import display_width


class MeteorPair(NamedTuple):
    """A candidate word mapped to a reference word.

    Attributes:
        candidate: The place of the one, from 0.
        reference: The place of the other, from 0.
        stage: The stage that mapped them.
    """

    candidate: int
    reference: int
    stage: str


@dataclass(frozen=True)
class MeteorAlignment:
    """Which words stand for which, and by what stage.

    Attributes:
        candidate: The candidate's words.
        reference: The reference's words.
        pairs: The mapped words, in the candidate's order.
        chunks: Runs of pairs that are adjacent in both.
        crossings: How many pairs of pairs are in another order in the reference.
        exact: Whether no alignment is better; false where a search was cut short.

    Examples:
        >>> pairs = (MeteorPair(0, 0, "exact"), MeteorPair(1, 1, "porter"), MeteorPair(2, 3, "exact"))
        >>> print(MeteorAlignment(("a", "cat", "sat"), ("a", "cats", "had", "sat"), pairs, 2, 0, exact=True))
        chunk  candidate  reference  stage
        1      a          a          exact
        1      cat        cats       porter
        -                 had
        2      sat        sat        exact
        3 matches, 2 chunks, 0 crossings
    """

    candidate: tuple[str, ...]
    reference: tuple[str, ...]
    pairs: tuple[MeteorPair, ...]
    chunks: int
    crossings: int
    exact: bool

    def chunked_pairs(self) -> Iterator[tuple[int, MeteorPair]]:
        """Each pair with the number of its chunk, from 1."""
        chunk, before = 0, None
        for pair in self.pairs:
            if before is None or (pair.candidate, pair.reference) != (before.candidate + 1, before.reference + 1):
                chunk += 1
            yield chunk, pair
            before = pair

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "candidate": list(self.candidate),
            "reference": list(self.reference),
            "pairs": [pair._asdict() for pair in self.pairs],
            "chunks": self.chunks,
            "crossings": self.crossings,
            "exact": self.exact,
        }

    def __str__(self) -> str:
        rows = [("chunk", "candidate", "reference", "stage"), *self._rows()]
        widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(_padded(*cell) for cell in zip(row, widths, strict=True)).rstrip() for row in rows]
        counts = f"{len(self.pairs)} matches, {self.chunks} chunks, {self.crossings} crossings"
        return "\n".join([*lines, counts if self.exact else f"{counts} (not exact: the search was cut short)"])

    def _rows(self) -> Iterator[tuple[str, str, str, str]]:
        """Rows in the candidate's order; what is left of the reference comes as soon as the words before it are out."""
        mapped = {pair.candidate: (str(chunk), pair) for chunk, pair in self.chunked_pairs()}
        pending = set(range(len(self.reference)))
        single = pending - {pair.reference for pair in self.pairs}
        for place, word in enumerate(self.candidate):
            if place not in mapped:
                yield "-", word, "", ""
                continue
            chunk, pair = mapped[place]
            yield from self._left(single, pair.reference)
            yield chunk, word, self.reference[pair.reference], pair.stage
        yield from self._left(single, len(self.reference))

    def _left(self, single: set[int], before: int) -> Iterator[tuple[str, str, str, str]]:
        for place in sorted(place for place in single if place < before):
            single.remove(place)
            yield "-", "", self.reference[place], ""


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - display_width(cell))
