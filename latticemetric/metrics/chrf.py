"""chrF (Popović 2015) and chrF++ (Popović 2017): F-scores of character n-grams, and of word n-grams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from string import punctuation

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.arguments import real_number
from latticemetric.metrics.base import Effects, References, Table, TallyMetric, Text, check_flags, plain_sum, words_of
from latticemetric.metrics.characters import code_points, text_segments
from latticemetric.metrics.registry import register
from latticemetric.metrics.segments import best_references, checked_order, number_all, pair_matches
from latticemetric.metrics.signature import Signature, yes_or_no

_EPSILON = 1e-16
_MOST_BETA = 1e6


@dataclass(frozen=True, kw_only=True)
class CHRF(TallyMetric):
    """The F-score of character and word n-grams, (1 + β²) P R / (β² P + R).

    P and R are precision and recall, averaged over the orders of n-grams. Scores equal those of sacrebleu. Each
    hypothesis is compared with its best reference (ties: the first). chrF has character order 6 and word order 0;
    chrF++ has word order 2.

    Args:
        char_order: The length of the longest n-grams of characters.
        word_order: The length of the longest n-grams of words; 0: no words. An ASCII punctuation mark at the end of a
            word, or else at its beginning, is a separate word.
        beta: Weight of recall relative to precision.
        whitespace: Count white space as characters. A string keeps all of its white space; words of a list are
            separated by one space.
        lowercase: Compare lower-cased texts.
        eps_smoothing: True to average the F-scores of the orders, as chrF++.py, NLTK and Moses do; an undefined
            precision or recall is 10⁻¹⁶. False to average P and R over the orders for which hypothesis and reference
            both have n-grams.

    Examples:
        >>> round(CHRF().score("the cats sat", "the cat sat"), 6)
        0.747757
        >>> str(CHRF(word_order=2).signature)
        'chrf++|char:6|word:2|beta:2|space:no|eff:yes|refs:1|case:mixed|tok:none|v:...'
    """

    char_order: int = 6
    word_order: int = 0
    beta: float = 2
    whitespace: bool = False
    lowercase: bool = False
    eps_smoothing: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "char_order", checked_order(self.char_order, "n-grams of characters"))
        if self.word_order != 0:
            object.__setattr__(self, "word_order", checked_order(self.word_order, "n-grams of words"))
        check_flags(whitespace=self.whitespace, lowercase=self.lowercase, eps_smoothing=self.eps_smoothing)
        advice = f"give a number from 0 to {_MOST_BETA:g}"
        object.__setattr__(self, "beta", real_number(self.beta, f"beta is {self.beta!r}", advice, most=_MOST_BETA))

    @property
    def name(self) -> str:
        """The name on the command line."""
        return "chrf++" if self.word_order else "chrf"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns.

        Each order has three columns: n-grams of the hypothesis, n-grams of the reference, and matches. Orders of
        characters come before orders of words.
        """
        kinds = (("char", self.char_order), ("word", self.word_order))
        orders = [f"{kind}_{k}" for kind, most in kinds for k in range(1, most + 1)]
        return tuple(f"{what}_{order}" for order in orders for what in ("ngrams", "reference_ngrams", "matches"))

    @property
    def effects(self) -> Effects:
        """The effect of each column on the value."""
        return Effects.of(
            up="matches", down="ngrams reference_ngrams", sizes="ngrams reference_ngrams", columns=self.columns
        )

    def signature_for(self, references: int | str) -> Signature:
        """Return the signature: name, parameters and version; see `Metric.signature_for`."""
        signature = super().signature_for(references)
        return signature.also(case="lc") if self.lowercase else signature

    def _parameters(self) -> dict[str, str]:
        orders = {"char": str(self.char_order), "word": str(self.word_order), "beta": str(plain_sum(float(self.beta)))}
        return {**orders, "space": yes_or_no(self.whitespace), "eff": yes_or_no(not self.eps_smoothing)}

    def table(self, hypotheses: Sequence[Text], references: Sequence[References]) -> Table:
        """Return the statistics of a test set: one row per segment, against the best reference of the segment."""
        test = text_segments(hypotheses, references, self._prepared)
        counts = _native.count_chrf(
            *test.hypotheses, *test.references, test.owner, self.char_order, self.word_order, self.whitespace
        )
        rows = counts.astype(np.float64)
        return rows if len(rows) == len(hypotheses) else rows[best_references(self.values(rows), test.owner)]

    def pair_tables(self, hypotheses: Sequence[Text], references: Sequence[Text]) -> Iterator[Table]:
        """Yield the statistics of all hypotheses against each reference."""
        texts = [list(map(self._prepared, side)) for side in (hypotheses, references)]
        strings = texts if self.whitespace else [["".join(line.split()) for line in side] for side in texts]
        said, expected = map(code_points, strings)
        kinds = [(self.char_order, said, expected)]
        if self.word_order:
            said, expected, _ = number_all(*(list(map(_split_words, side)) for side in texts))
            kinds.append((self.word_order, said, expected))
        ngrams = np.hstack([said.ngrams(order) for order, said, _ in kinds])
        wanted = np.hstack([expected.ngrams(order) for order, _, expected in kinds])
        matches = zip(*(pair_matches(said, expected, order) for order, said, expected in kinds), strict=True)
        for there, shared in zip(wanted, matches, strict=True):
            table = np.empty((len(ngrams), ngrams.shape[1], 3))
            # n-grams longer than the reference cannot match, and do not count.
            table[..., 0], table[..., 1] = np.where(there > 0, ngrams, 0), there
            table[..., 2] = np.hstack(shared)
            yield table.reshape(len(ngrams), 3 * ngrams.shape[1])

    def _prepared(self, text: Text) -> str:
        line = text if isinstance(text, str) else " ".join(words_of(text))
        return line.lower() if self.lowercase else line

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the score of each row of summed statistics."""
        counts = sums.reshape(*sums.shape[:-1], sums.shape[-1] // 3, 3)
        said, expected, matches = np.moveaxis(counts, -1, 0)
        factor = self.beta**2
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.eps_smoothing:
                precision = np.where(said > 0, matches / said, _EPSILON)
                recall = np.where(expected > 0, matches / expected, _EPSILON)
                weighed = factor * precision + recall
                scores = np.where(weighed > 0, (1 + factor) * precision * recall / weighed, _EPSILON)
                average: npt.NDArray[np.float64] = _added(scores) / scores.shape[-1]
                return average
            known = (said > 0) & (expected > 0)
            orders = known.sum(axis=-1)
            precision = _added(np.where(known, matches / said, 0.0)) / orders
            recall = _added(np.where(known, matches / expected, 0.0)) / orders
            score = (1 + factor) * precision * recall / (factor * precision + recall)
        return np.where((orders > 0) & (precision + recall > 0), score, 0.0)


def _split_words(line: str) -> list[str]:
    """Return the words of a line. A punctuation mark at the end of a word, or else at its beginning, is split off."""
    words = []
    for word in line.split():
        if len(word) == 1:
            words.append(word)
        elif word[-1] in punctuation:
            words += [word[:-1], word[-1]]
        elif word[0] in punctuation:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


def _added(values: Table) -> npt.NDArray[np.float64]:
    """Return the sum of each row, added from left to right as in other programs (NumPy may use another order)."""
    total: npt.NDArray[np.float64] = np.cumsum(values, axis=-1)[..., -1]
    return total


register("chrf")(CHRF)
register("chrf++")(partial(CHRF, word_order=2))
