"""Rates of errors and of matches: of characters (CER), of words and CJK characters, and MER, WIL and WIP.

All come from the alignment of fewest errors and, among these, of most matches: H matches, S substitutions, D deletions,
I insertions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.metrics.alignment import Alignment
from latticemetric.metrics.base import (
    CorpusScore,
    References,
    Table,
    Tally,
    TallyMetric,
    Text,
    check_flags,
    paired,
    plain_sum,
    references_of,
    which_reference,
    words_of,
)
from latticemetric.metrics.characters import UnicodeForm, normalizer, text_segments
from latticemetric.metrics.recognition import WER
from latticemetric.metrics.registry import register
from latticemetric.metrics.segments import Counts, best_references, count_segments
from latticemetric.metrics.signature import Signature, yes_or_no

_WER = WER()
_NUMBER_OF_COUNTS = 4


class _AlignmentMetric(TallyMetric):
    """A metric of the counts of an alignment. Each candidate counts with its best reference (ties: the first)."""

    columns = ("matches", "substitutions", "deletions", "insertions")
    higher_is_better = False
    tokens = "none"
    """What texts are cut into, for the signature."""

    def units(self, text: Text) -> tuple[str, ...]:
        """Return what is aligned."""
        return words_of(text)

    def signature_for(self, references: int | str) -> Signature:
        """Return the signature (name, parameters, version) for `references` references per segment."""
        return super().signature_for(references).also(tok=self.tokens)

    def table(self, candidates: Sequence[Text], references: Sequence[References]) -> Table:
        """Return the statistics of a test set, one row per segment, against the best reference of each."""
        rows, owner = self._counts(candidates, references)
        return rows if len(rows) == len(candidates) else rows[self._best(rows, owner)]

    def _counts(self, candidates: Sequence[Text], references: Sequence[References]) -> tuple[Table, Counts]:
        """Return the counts of each pair of candidate and reference, and where each segment's references begin."""
        counts, owner = count_segments(candidates, references, _WER.gains)
        return counts[:, :_NUMBER_OF_COUNTS].astype(np.float64), owner

    def _best(self, rows: Table, owner: Counts) -> Counts:
        rates = self.values(rows)
        # A reference without a rate counts only if all are.
        merits = np.where(np.isnan(rates), -np.inf, rates if self.higher_is_better else -rates)
        return best_references(merits, owner)

    def align(self, candidate: Text, reference: Text) -> Alignment:
        """Return the alignment with one reference."""
        return _WER.align(list(self.units(candidate)), list(self.units(reference)))

    def explain(self, candidate: Text, references: References) -> str:
        """Show the alignment with the best reference, and its counts."""
        listed = references_of(references)
        rows, owner = self._counts([candidate], [listed])
        best = int(self._best(rows, owner)[0])
        counts = ", ".join(f"{name} {count:.0f}" for name, count in zip(self.columns, rows[best], strict=True))
        return f"{self.align(candidate, listed[best])}\n{counts}{which_reference(best, len(listed))}"


class _ErrorRate(_AlignmentMetric):
    """Errors, divided by a size."""

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

    def corpus(self, candidates: Sequence[Text], references: Sequence[References]) -> CorpusScore[Tally]:
        """Return the value for a test set, from summed statistics."""
        found = super().corpus(candidates, references)
        sums = np.array(found.statistics.sums)
        numerator, denominator = float(self.numerator(sums)), float(self.denominator(sums))
        return replace(found, numerator=plain_sum(numerator), denominator=plain_sum(denominator))


@register("cer")
@dataclass(frozen=True, kw_only=True)
class CER(_ErrorRate):
    """The character error rate, (S + D + I) / (H + S + D), over code points. Lower is better.

    Args:
        spaces: Count the spaces between words, one for each run of white space. Otherwise, all white space is left out,
            which suits scripts that have none.
        unicode: The Unicode normalisation form to compare texts in: `nfc`, `nfd`, `nfkc`, `nfkd`; `none` leaves them.

    Examples:
        >>> CER().score("the cats", "the cat")
        0.14285714285714285
        >>> CER(spaces=False).score("北 京", "北京"), CER(unicode="nfc").score("e\u0301", "é")
        (0.0, 0.0)
        >>> str(CER().signature)
        'cer|spaces:yes|unicode:none|refs:1|case:mixed|tok:char|v:0.1.0'
    """

    name = "cer"
    tokens = "char"

    spaces: bool = True
    unicode: UnicodeForm = "none"

    def __post_init__(self) -> None:
        check_flags(spaces=self.spaces)
        normalizer(self.unicode)

    def _parameters(self) -> dict[str, str]:
        return {"spaces": yes_or_no(self.spaces), "unicode": self.unicode}

    def text(self, text: Text) -> str:
        """Return the text that is compared, character by character."""
        words = words_of(text)
        # Without spaces, those are left out that only Unicode counts as such, too.
        return normalizer(self.unicode)(" ".join(words) if self.spaces else "".join(" ".join(words).split()))

    def units(self, text: Text) -> tuple[str, ...]:
        """Return the code points of a text."""
        return tuple(self.text(text))

    def _counts(self, candidates: Sequence[Text], references: Sequence[References]) -> tuple[Table, Counts]:
        test = text_segments(candidates, references, self.text)
        counts = _native.count_pairs(*test.candidates, *test.references, test.owner, *_WER.gains)
        return counts[:, :_NUMBER_OF_COUNTS].astype(np.float64), test.owner


# Characters that are tokens of their own: Han, kana and bopomofo, with punctuation and radicals. Hangul has words.
_CJK = (
    "\u2e80-\u2fdf\u3001-\u30ff\u3100-\u312f\u31a0-\u31ff\u3200-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff0f"
    "\uff1a-\uff20\uff3b-\uff40\uff5b-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_MIXED_TOKENS = re.compile(f"[{_CJK}]|[^{_CJK}\u3000]+")  # U+3000 is a space


@register("mixed-er")
@dataclass(frozen=True, kw_only=True)
class MixedErrorRate(_ErrorRate):
    """The error rate of texts that mix scripts: Han, kana and bopomofo by character, all else by word.

    Examples:
        >>> MixedErrorRate().units("我们 use the GPU运行")
        ('我', '们', 'use', 'the', 'GPU', '运', '行')
        >>> MixedErrorRate().score("我 use 的 GPU", "我们 use the GPU")
        0.4
    """

    name = "mixed-er"
    tokens = "cjk-char"

    def units(self, text: Text) -> tuple[str, ...]:
        """Return the characters of some scripts, and the words of others."""
        return tuple(token for word in words_of(text) for token in _MIXED_TOKENS.findall(word))

    def _counts(self, candidates: Sequence[Text], references: Sequence[References]) -> tuple[Table, Counts]:
        listed = [list(map(self.units, several)) for several in paired(candidates, references)]
        return super()._counts(list(map(self.units, candidates)), listed)


@register("mer")
@dataclass(frozen=True)
class MER(_ErrorRate):
    """The match error rate, (S + D + I) / (H + S + D + I) (Morris, Maier & Green 2004). Never above 1.

    Examples:
        >>> MER().score("the cat sat down", "the cat sat")
        0.25
    """

    name = "mer"

    def denominator(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the denominator of each row of summed statistics: the size of the alignments."""
        size: npt.NDArray[np.float64] = sums.sum(axis=-1)
        return size


@register("wip")
@dataclass(frozen=True)
class WIP(_AlignmentMetric):
    """Word information preserved, H / |r| · H / |c| (Morris, Maier & Green 2004). Higher is better.

    Examples:
        >>> WIP().score("the cat sat down", "the cat sat")
        0.75
    """

    name = "wip"
    higher_is_better = True

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the score of each row of summed statistics: 0 if one side is empty; NaN if both are."""
        matches, substitutions, deletions, insertions = np.moveaxis(sums, -1, 0)
        expected, said = matches + substitutions + deletions, matches + substitutions + insertions
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.where(matches > 0, matches / expected * (matches / said), 0.0)
        return np.where(expected + said > 0, score, np.nan)


@register("wil")
@dataclass(frozen=True)
class WIL(WIP):
    """Word information lost, 1 − WIP (Morris, Maier & Green 2004). Lower is better.

    Examples:
        >>> WIL().score("the cat sat down", "the cat sat")
        0.25
    """

    name = "wil"
    higher_is_better = False

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the rate of each row of summed statistics: 1 if one side is empty; NaN if both are."""
        lost: npt.NDArray[np.float64] = 1 - super().values(sums)
        return lost
