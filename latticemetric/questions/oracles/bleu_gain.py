"""What n-grams add to the BLEU of a corpus, to first order: the linearisation that its oracles are searched by.

log BLEU = 1/n · Σ_k log(m_k / g_k) + min(0, 1 − ρ/c), with matches m, n-grams g, words c and effective reference words
ρ of the whole corpus. A k-gram that matches adds 1 / (n m_k) to it; a word takes Σ_k 1 / (n g_k), and adds ρ/c² where
the corpus is too short. (Tromble et al. 2008 linearise around averages; this is around the totals that are there.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from latticemetric.lattice import Floats
from latticemetric.metrics.base import Table
from latticemetric.metrics.bleu import BLEU, BLEUSBP

# A corpus without matches at an order gains without bound by the first one.
_FEWEST = 0.5


@dataclass(frozen=True)
class BleuGain:
    """The slopes of log BLEU.

    Attributes:
        of_match: In matches of each order, beginning with order 0, which is none.
        of_ngrams: In words, by the n-grams that they make; below 0.
        of_length: In words, by the brevity penalty: what it is while the corpus is too short.
        too_short: Whether it is.
    """

    of_match: Floats
    of_ngrams: float
    of_length: float
    too_short: bool

    @classmethod
    def around(cls, metric: BLEU, totals: Floats) -> BleuGain:
        """The slopes at summed statistics."""
        n = metric.order
        matches, ngrams = np.maximum(totals[:n], _FEWEST), np.maximum(totals[n : 2 * n], 1.0)
        words, wanted, covered = totals[2 * n :]
        counted = max(covered if isinstance(metric, BLEUSBP) else words, 1.0)
        slope = wanted / counted**2
        return cls(
            np.concatenate([[0.0], 1 / (n * matches)]), -float((1 / (n * ngrams)).sum()), slope, counted < wanted
        )

    def of_word(self, share: float) -> float:
        """What a word gains, if it makes up for so large a share of the brevity penalty."""
        return self.of_ngrams + share * self.of_length


class BleuObjective:
    """What ascends: BLEU; and below all values of it, where it is 0, what smoothing makes of the statistics."""

    def __init__(self, metric: BLEU) -> None:
        self._metric = metric
        self._smoothed = replace(metric, smoothing="floor", smoothing_value=0.1, effective_order=True)

    def __call__(self, totals: Table) -> float:
        """The value of summed statistics."""
        return float(self.each(totals))

    def each(self, totals: Table) -> Floats:
        """The value of each row of summed statistics."""
        values = self._metric.values(totals)
        return np.where(values > 0, values, self._smoothed.values(totals) - 1)
