"""The settings of tuning weights of score columns: what varies, and how. Nothing here imports NumPy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from latticemetric.corpus.tuning_settings import TuningSettings
from latticemetric.corpus.weight_convention import CONVENTIONS, column_ranges
from latticemetric.errors import UsageError
from latticemetric.settings import Field, choice, number, whole

MOST_EXACT = 2
"""With more weights, the search is not exact."""


class _Ranges(Field):
    """A field that takes ranges of weights; see `checked_ranges`."""

    def checked(self, value: Any) -> Any:
        """Return the ranges as pairs of fractions."""
        return checked_ranges(value)


_RANGES: Any = _Ranges(
    None,
    text="Vary the weight of this score column in this range; repeatable. The column 'words' counts words.",
    option="--vary NAME=LOW:HIGH",
)


class WeightSettings(TuningSettings):
    """The best weights of score columns on a corpus with references: exact over all paths of all graphs.

    Attributes:
        vary: The range of the weight of each column that varies: its name, and the lowest and the highest weight. The
            column `words` counts words.
        convention: How weights are written, `columns` or `kaldi`: with `kaldi`, the weight LMWT is the inverse of that
            of the column `acoustic`, and WIP is that of the column `words`.
        min_margin: Find weights that may change by this share of their ranges, all at once, and no string changes.
        restarts: With three or more weights: how many times to search from random weights, too.
    """

    section = "Weights of scores (decoders best and expected)"

    vary: Mapping[str, tuple[Fraction, Fraction]] = _RANGES
    convention: str = choice(
        default="columns",
        names=CONVENTIONS,
        help="How weights are written. kaldi: LMWT = 1 / acoustic, WIP = words, in --vary and in results.",
        option="--as",
    )
    min_margin: float = number(
        default=0.0,
        least=0,
        below=1,
        phrase="the margin is {}",
        help="Only weights that may change by this share of their ranges, and no string changes.",
        option="--min-margin SHARE",
    )
    restarts: int = whole(
        default=0,
        least=0,
        phrase="the number of restarts is {}",
        help="Search again from so many random weights, if three or more vary.",
        option="--restarts N",
    )

    def check(self) -> None:
        """Refuse settings that have no effect, and ranges that are none."""
        require_ranges(self.vary)
        super().check()
        if len(self.vary) > MOST_EXACT:
            if self.min_margin:
                what = "min_margin has no effect if more than two weights vary"
                raise UsageError(what, advice="leave it out, or vary fewer")
        elif self.restarts:
            raise UsageError("restarts has no effect on one or two weights", advice="leave it out: the search is exact")
        assert self.ranges

    def of_resamples(self) -> tuple[str, ...]:
        """Return the settings that have no effect without resamples; the search of many weights has a seed, too."""
        return ("confidence",) if len(self.vary) > MOST_EXACT else super().of_resamples()

    @property
    def ranges(self) -> dict[str, tuple[Fraction, Fraction]]:
        """The range of the weight of each column that varies, by the column's name."""
        return column_ranges(self.vary, self.convention)


def require_ranges(vary: Mapping[str, object]) -> None:
    """Raise `UsageError` if no weight varies."""
    if not vary:
        raise UsageError("no weight varies", advice="give vary={'acoustic': (0.05, 0.2)}")


def checked_ranges(vary: Any) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the ranges of weights by name.

    Args:
        vary: A mapping from names of columns to pairs of numbers; or texts like `acoustic=0.05:0.2`.

    Examples:
        >>> checked_ranges("acoustic=0.05:0.2")
        {'acoustic': (Fraction(1, 20), Fraction(1, 5))}
    """
    if not isinstance(vary, Mapping | Iterable | None):
        raise UsageError(
            f"vary is a {type(vary).__name__}", advice="give ranges by name, like {'acoustic': (0.05, 0.2)}"
        )
    listed = vary.items() if isinstance(vary, Mapping) else map(_named, [vary] if isinstance(vary, str) else vary or ())
    ranges: dict[str, tuple[Fraction, Fraction]] = {}
    for name, bounds in listed:
        if name in ranges:
            raise UsageError(f"'{name}' has two ranges", advice="give one of them")
        ranges[name] = _checked(name, bounds)
    return ranges


def _named(text: Any) -> tuple[str, Any]:
    name, _, bounds = str(text).rpartition("=")
    if not name or bounds.count(":") != 1:
        raise UsageError(f"'{text}' is no range of a weight", advice="write NAME=LOW:HIGH, like acoustic=0.05:0.2")
    return name, tuple(bounds.split(":"))


def _checked(name: str, bounds: Any) -> tuple[Fraction, Fraction]:
    try:
        low, high = (_decimal(bound) for bound in bounds)
    except (TypeError, ValueError):
        what = f"the range of '{name}' is {bounds!r}"
        raise UsageError(what, advice="give the lowest and the highest weight, like (0.05, 0.2)") from None
    if low >= high:
        raise UsageError(
            f"the range of '{name}' goes from {bounds[0]} to {bounds[1]}", advice="give the lower weight first"
        )
    return low, high


def _decimal(bound: Any) -> Fraction:
    """Return a bound as it is written: 0.1 is a tenth."""
    number = float(bound)
    if not math.isfinite(number):
        raise ValueError
    return Fraction(repr(number))
