"""OK or BAD for each word of a path, and for the gaps between its words (Logacheva et al. 2016)."""

from __future__ import annotations

from collections.abc import Sequence

from latticemetric.alignment import DELETION, MATCH, Alignment

OK, BAD = "OK", "BAD"


def tags_with_gaps(words: Sequence[str], alignment: Alignment) -> tuple[str, ...]:
    """The tags of a path's words at odd places, those of gaps at even ones.

    Args:
        words: What the path says, wildcards among it: they are in no alignment, and nothing is wrong with them.
        alignment: Of its other words with the reference. What is missing beside wildcards is missing before them.
    """
    tags = [OK]
    remaining = iter(words)
    for edit, _, word in alignment.steps():
        if edit == DELETION:
            tags[-1] = BAD
            continue
        # A wildcard is no word of the alignment, wherever it stands.
        while next(remaining) != word:
            tags += [OK, OK]
        tags += [OK if edit == MATCH else BAD, OK]
    for _ in remaining:
        tags += [OK, OK]
    return tuple(tags)
