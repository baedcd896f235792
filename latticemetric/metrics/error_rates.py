"""Word-level rates of errors and matches: MER, WIL and WIP.

All three use an alignment with the fewest errors: H matches, S substitutions, D deletions and I insertions. If several
alignments have the fewest errors, the parameter `alignment` chooses one: an alignment with the most matches, or the
alignment that the package rapidfuzz finds (jiwer uses this package, too).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError, importing
from latticemetric.metrics.alignment import DELETION, INSERTION, MATCH, SUBSTITUTION, Alignment
from latticemetric.metrics.base import (
    CorpusScore,
    Effects,
    References,
    Table,
    Tally,
    TallyMetric,
    Text,
    paired,
    plain_sum,
    references_of,
    which_reference,
    words_of,
)
from latticemetric.metrics.recognition import WER
from latticemetric.metrics.registry import register
from latticemetric.metrics.segments import Counts, best_references, count_segments

_WER = WER()
_NUMBER_OF_COUNTS = 4


class _AlignmentMetric(TallyMetric):
    """A metric computed from the counts of an alignment.

    Each hypothesis is aligned with its best reference (ties: the first).
    """

    columns = ("matches", "substitutions", "deletions", "insertions")
    higher_is_better = False

    def table(self, hypotheses: Sequence[Text], references: Sequence[References]) -> Table:
        """Return the statistics of a test set: one row per segment, against the best reference of the segment."""
        rows, owner = self._counts(hypotheses, references)
        return rows if len(rows) == len(hypotheses) else rows[self._best(rows, owner)]

    def _counts(self, hypotheses: Sequence[Text], references: Sequence[References]) -> tuple[Table, Counts]:
        """Return the counts of each pair of hypothesis and reference, and the index of each segment's first pair."""
        counts, owner = count_segments(hypotheses, references, _WER.gains)
        return counts[:, :_NUMBER_OF_COUNTS].astype(np.float64), owner

    def _best(self, rows: Table, owner: Counts) -> Counts:
        rates = self.values(rows)
        # A reference with an undefined rate is best only if all rates are undefined.
        merits = np.where(np.isnan(rates), -np.inf, rates if self.higher_is_better else -rates)
        return best_references(merits, owner)

    def align(self, hypothesis: Text, reference: Text) -> Alignment:
        """Return the alignment with one reference."""
        return _WER.align(words_of(hypothesis), words_of(reference))

    def explain(self, hypothesis: Text, references: References) -> str:
        """Return the alignment with the best reference and its counts, as text."""
        listed = references_of(references)
        rows, owner = self._counts([hypothesis], [listed])
        best = int(self._best(rows, owner)[0])
        counts = ", ".join(f"{name} {count:.0f}" for name, count in zip(self.columns, rows[best], strict=True))
        return f"{self.align(hypothesis, listed[best])}\n{counts}{which_reference(best, len(listed))}"


class TallyErrorRate(_AlignmentMetric):
    """Errors divided by the size of the references."""

    @property
    def effects(self) -> Effects:
        """The effect of each column on the value."""
        return Effects.of(up="insertions", columns=self.columns)

    def numerator(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the numerator of each row of summed statistics: the errors."""
        errors: npt.NDArray[np.float64] = sums[..., 1:].sum(axis=-1)
        return errors

    def denominator(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the denominator of each row of summed statistics: the size of the references."""
        size: npt.NDArray[np.float64] = sums[..., :3].sum(axis=-1)
        return size

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the rate of each row of summed statistics; NaN if undefined."""
        size = self.denominator(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(size > 0, self.numerator(sums) / size, np.nan)

    def corpus(self, hypotheses: Sequence[Text], references: Sequence[References]) -> CorpusScore[Tally]:
        """Return the value for a test set, from summed statistics."""
        found = super().corpus(hypotheses, references)
        sums = np.array(found.statistics.sums)
        numerator, denominator = float(self.numerator(sums)), float(self.denominator(sums))
        return replace(found, numerator=plain_sum(numerator), denominator=plain_sum(denominator))


Alignments = Literal["most-matches", "rapidfuzz"]
"""The alignment to use if several have the fewest errors; see `MER`."""

_EDITS = {"equal": MATCH, "replace": SUBSTITUTION, "delete": DELETION, "insert": INSERTION}


@dataclass(frozen=True)
class _ByAlignment(_AlignmentMetric):
    """A metric that needs the number of matches, which may differ among the alignments with the fewest errors."""

    alignment: Alignments = "most-matches"

    def __post_init__(self) -> None:
        if self.alignment not in get_args(Alignments):
            advice = f"choose one of {', '.join(get_args(Alignments))}"
            raise UsageError(f"alignment is {self.alignment!r}", advice=advice)

    def _parameters(self) -> dict[str, str]:
        return {} if self.alignment == "most-matches" else {"align": self.alignment}

    def _counts(self, hypotheses: Sequence[Text], references: Sequence[References]) -> tuple[Table, Counts]:
        if self.alignment == "most-matches":
            return super()._counts(hypotheses, references)
        listed = paired(hypotheses, references)
        edits = [
            _rapidfuzz_edits(words_of(hypothesis), words_of(one))
            for hypothesis, several in zip(hypotheses, listed, strict=True)
            for one in several
        ]
        rows = np.array([[each.count(edit) for edit in _EDITS.values()] for each in edits], dtype=np.float64)
        return rows.reshape(-1, _NUMBER_OF_COUNTS), np.array([0, *accumulate(map(len, listed))], dtype=np.int64)

    def align(self, hypothesis: Text, reference: Text) -> Alignment:
        """Return the alignment with one reference."""
        if self.alignment == "most-matches":
            return super().align(hypothesis, reference)
        words, expected = words_of(hypothesis), words_of(reference)
        return Alignment(words, expected, _rapidfuzz_edits(words, expected))


def _rapidfuzz_edits(hypothesis: Sequence[str], reference: Sequence[str]) -> str:
    """Return the edits of the alignment that rapidfuzz finds."""
    advice = "pip install rapidfuzz, or leave the parameter alignment out"
    with importing("alignment=rapidfuzz needs rapidfuzz", advice=advice):
        from rapidfuzz.distance import Levenshtein
    steps = Levenshtein.opcodes(reference, hypothesis)
    many = (max(step.src_end - step.src_start, step.dest_end - step.dest_start) for step in steps)
    return "".join(chain.from_iterable(_EDITS[step.tag] * size for step, size in zip(steps, many, strict=True)))


@register("mer")
@dataclass(frozen=True)
class MER(_ByAlignment, TallyErrorRate):
    """The match error rate, (S + D + I) / (H + S + D + I) (Morris, Maier & Green 2004). It is at most 1.

    Args:
        alignment: Which alignment to use if several have the fewest errors: an alignment with the most matches
            (`most-matches`), or the alignment of the package rapidfuzz, as in jiwer (`rapidfuzz`).

    Examples:
        >>> MER().score("the cat sat down", "the cat sat")
        0.25
    """

    name = "mer"

    def denominator(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the number of steps of the alignment, for each row of summed statistics."""
        size: npt.NDArray[np.float64] = sums.sum(axis=-1)
        return size


@register("wip")
@dataclass(frozen=True)
class WIP(_ByAlignment):
    """Word information preserved, H / |r| · H / |c| (Morris, Maier & Green 2004). Higher is better.

    Args:
        alignment: Which alignment to use if several have the fewest errors; see `MER`.

    Examples:
        >>> WIP().score("the cat sat down", "the cat sat")
        0.75
    """

    name = "wip"
    higher_is_better = True

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the score of each row of summed statistics: 0 if one side is empty, NaN if both sides are empty."""
        matches, substitutions, deletions, insertions = np.moveaxis(sums, -1, 0)
        expected, said = matches + substitutions + deletions, matches + substitutions + insertions
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.where(matches > 0, matches / expected * (matches / said), 0.0)
        return np.where(expected + said > 0, score, np.nan)


@register("wil")
@dataclass(frozen=True)
class WIL(WIP):
    """Word information lost, 1 − WIP (Morris, Maier & Green 2004). Lower is better.

    Args:
        alignment: Which alignment to use if several have the fewest errors; see `MER`.

    Examples:
        >>> WIL().score("the cat sat down", "the cat sat")
        0.25
    """

    name = "wil"
    higher_is_better = False

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the rate of each row of summed statistics: 1 if one side is empty, NaN if both sides are empty."""
        lost: npt.NDArray[np.float64] = 1 - super().values(sums)
        return lost
