"""How highlighted ways look: each by its dashes and width as well as by its colour.

Colours are those of Okabe and Ito's palette, which the colour-blind tell apart; darker or lighter as the ground asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Look(NamedTuple):
    """A way's look.

    Attributes:
        light: Its colour on light ground.
        dark: Its colour on dark ground.
        width: Of its line.
        dashes: Lengths of dashes and gaps; none for an unbroken line.
        mark: What stands for it where there are letters only.
    """

    light: str
    dark: str
    width: float
    dashes: tuple[float, ...]
    mark: str


_KNOWN = {
    "oracle": Look("#0072b2", "#56b4e9", 3.2, (), "="),
    "1-best": Look("#d55e00", "#f0954a", 2.2, (7.0, 4.0), "*"),
    "mbr": Look("#007a5e", "#2bc4a0", 2.2, (1.5, 3.5), "+"),
    "consensus": Look("#007a5e", "#2bc4a0", 3.2, (), "="),
}
_OTHERS = (
    Look("#a34a80", "#dd94bf", 2.2, (10.0, 3.0, 2.0, 3.0), "#"),
    Look("#7a6a00", "#e0d24a", 2.2, (4.0, 2.0), "%"),
    Look("#4a4a4a", "#c4c4c4", 3.2, (12.0, 5.0), "@"),
)


def looks_of(ways: Sequence[str]) -> list[Look]:
    """The look of each way: its own where the name is known, else the next of the others."""
    others = [way for way in ways if way not in _KNOWN]
    return [_KNOWN.get(way) or _OTHERS[others.index(way) % len(_OTHERS)] for way in ways]
