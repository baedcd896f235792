"""Word recognition and word error rate: recognition rates of order one."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from latticemetric.metrics.base import Table
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.metrics.registry import register


@register("wrr")
class WRR(GRR):
    """The word recognition rate, (M − I) / |r|: 1-GRR with α = 1, β = 0.

    Examples:
        >>> WRR().score("the president spoke", "the president then spoke")
        0.75
    """

    def __init__(self, *, ignore: Iterable[str] = (), wildcard: Iterable[str] = ()) -> None:
        super().__init__(1, ignore=ignore, wildcard=wildcard)

    @property
    def name(self) -> str:
        """As on the command line."""
        return "wrr"

    def _parameter_fields(self) -> dict[str, str]:
        return {}


@register("wer")
class WER(WRR):
    """The word error rate, (S + D + I) / |r| = 1 − WRR. Lower is better.

    Examples:
        >>> WER().score("the president spoke", "the president then spoke")
        0.25
    """

    higher_is_better = False

    @property
    def name(self) -> str:
        """As on the command line."""
        return "wer"

    def exact_numerator(self, statistics: RecognitionStatistics) -> Fraction:
        """The errors."""
        return Fraction(statistics.errors)

    def _numerators(self, sums: Table) -> npt.NDArray[np.float64]:
        errors: npt.NDArray[np.float64] = sums[..., 1:4].sum(axis=-1)
        return errors
