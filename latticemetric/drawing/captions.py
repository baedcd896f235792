"""What the legend says of ways: their words, under those of the reference where they have one, and their scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from latticemetric.alignment import INSERTION, Alignment, display_width

REFERENCE = "reference"


def captions_of(ways: Mapping[str, Any]) -> dict[str, str]:
    """A caption for each way that knows its words; before them the reference, if all ways have the same.

    Args:
        ways: Oracles, scored paths, answers of MBR; arcs alone say nothing.
    """
    scored = {name: way for name, way in ways.items() if hasattr(way, "alignment")}
    said = {name: " ".join(way.words) for name, way in ways.items() if hasattr(way, "words") and name not in scored}
    if len({way.alignment.reference for way in scored.values()}) == 1:
        reference, *rows = _aligned([way.alignment for way in scored.values()])
        counts = dict(zip(scored, rows, strict=True))
        return {
            REFERENCE: reference,
            **{name: f"{row}  {_score(scored[name])}" for name, row in counts.items()},
            **said,
        }
    return {**{name: f"{' '.join(way.words)}  {_score(way)}" for name, way in scored.items()}, **said}


def _score(way: Any) -> str:
    return f"{way.numerator}/{way.denominator}"


def _aligned(alignments: list[Alignment]) -> list[str]:
    """The reference, then each candidate, with words that stand for each other below each other."""
    rows = [list(_cells(alignment)) for alignment in alignments]
    words = len(alignments[0].reference)
    # Between two words of the reference there is a cell for what is inserted: in the reference's row it is empty.
    reference = [alignments[0].reference[place // 2] if place % 2 else "" for place in range(2 * words + 1)]
    table = [reference, *rows]
    widths = [max(display_width(row[place]) for row in table) for place in range(2 * words + 1)]
    used = [place for place, width in enumerate(widths) if width]
    return [" ".join(row[place] + " " * (widths[place] - display_width(row[place])) for place in used) for row in table]


def _cells(alignment: Alignment) -> Iterator[str]:
    """What is inserted before each word of the reference, and what stands for it; at last what is inserted last."""
    inserted: list[str] = []
    for edit, _, candidate in alignment.steps():
        if edit == INSERTION:
            inserted.append(candidate or "")
        else:
            yield " ".join(inserted)
            inserted = []
            yield candidate or ""
    yield " ".join(inserted)
