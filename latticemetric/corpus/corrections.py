"""Compare corrected texts with their n-best lists: count removed errors, added errors and hallucinations.

Recoverable information ratio, harmful edits and hallucinated words are defined as in the package agwer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from latticemetric.corpus.list_arguments import AnyList, Words, check_lengths, ranked_words, references_of
from latticemetric.corpus.oracle_at_k import oracle_at_k
from latticemetric.display.frames import Tabular
from latticemetric.errors import UsageError
from latticemetric.frozen import Result
from latticemetric.lattice.columns import Weights
from latticemetric.metrics.alignment import DELETION, INSERTION, MATCH, Alignment
from latticemetric.metrics.recognition import WER
from latticemetric.vocabulary import listed_words, word_set

SYSTEMS = {
    "one_best": "1-best",
    "corrected": "corrected",
    "oracle": "best hypotheses (o_nb)",
    "compositional": "words of the lists (o_cp)",
}
"""The names of the rows of `Corrections` in tables."""

_WER = WER()


@dataclass(frozen=True)
class Edits:
    """The numbers of edits of corrected texts, by their effect on the number of errors.

    Attributes:
        helpful: Edits that remove errors.
        harmful: Edits that add errors.
        neutral: Changed utterances with the same number of errors; `None` in counts of words.
        missed: Reference words that are wrong before and after; `None` in counts of utterances.
        unchanged: Unchanged utterances; `None` in counts of words.
    """

    helpful: int
    harmful: int
    neutral: int | None = None
    missed: int | None = None
    unchanged: int | None = None

    @property
    def harmful_rate(self) -> float | None:
        """The harmful edit rate: harmful / (helpful + harmful) edits; `None` if there are none."""
        return self.harmful / total if (total := self.helpful + self.harmful) else None


@dataclass(frozen=True)
class Hallucinations:
    """The numbers of wrong words in corrected texts, by their source.

    If k is the largest number of copies of a word in one hypothesis, the list supports k copies of this word in the
    corrected text. Wrong copies beyond these k are hallucinated.

    Attributes:
        words: All words of the corrected texts.
        novel: Hallucinated words that are in no hypothesis.
        repeated: Hallucinated words that are in a hypothesis: the corrected text has more copies of them than any
            hypothesis.
        passed_through: Wrong words that the list supports: errors kept from the recogniser.
        generative: Correct words that are in no hypothesis of the list.
    """

    words: int
    novel: int
    repeated: int
    passed_through: int
    generative: int

    @property
    def rate(self) -> float:
        """The share of hallucinated words; 0 if there are no words."""
        return (self.novel + self.repeated) / self.words if self.words else 0.0


@dataclass(frozen=True, repr=False)
class Corrections(Result, Tabular):
    """Corrected texts, compared with the 1-bests and the oracles of their n-best lists.

    Attributes:
        one_best: The errors of the first hypotheses.
        corrected: The errors of the corrected texts.
        oracle: The errors of the best hypotheses, one per list (o_nb).
        compositional: The number of reference words that are in no hypothesis of their list (o_cp): the fewest errors
            of texts that use only words of their list.
        reference_words: The number of reference words.
        utterances: Helpful and harmful edits, counted as utterances.
        words: Helpful and harmful edits, counted as reference words and inserted words.
        hallucinations: Wrong words, by their source.
    """

    one_best: int
    corrected: int
    oracle: int
    compositional: int
    reference_words: int
    utterances: Edits
    words: Edits
    hallucinations: Hallucinations

    @property
    def recovered(self) -> float | None:
        """The recoverable information ratio (RIR) of the errors: (1-best − corrected) / (1-best − oracle).

        It is negative if the corrections add errors, above 1 if they beat every hypothesis, and `None` if the oracle is
        not better than the 1-best.
        """
        headroom = self.one_best - self.oracle
        return (self.one_best - self.corrected) / headroom if headroom else None

    def rate(self, errors: int) -> float | None:
        """Return a number of errors as a word error rate."""
        return errors / self.reference_words if self.reference_words else None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            one_best (Rate): `wer` (number or null) and `errors` (integer) of the 1-bests.
            corrected (Rate): The same for the corrected texts.
            oracle (Rate): The same for the best hypotheses (o_nb).
            compositional (Rate): The same for the best texts made of any words of the list (o_cp).
            utterances (Edits): `helpful`, `harmful`, `neutral`, `unchanged` utterances, `missed` (null), and
                `harmful_rate` (number or null).
            words (Edits): `helpful`, `harmful` and `missed` words, `neutral` and `unchanged` (null), and
                `harmful_rate`.
            hallucinations (Hallucinations): `words` of the corrected texts; `novel`, `repeated`, `passed_through` and
                `generative` ones; `rate`.
        """
        rates = {name: self.rate(getattr(self, name)) for name in SYSTEMS}
        return {
            **{name: {"wer": rate, "errors": getattr(self, name)} for name, rate in rates.items()},
            "reference_words": self.reference_words,
            "recovered": self.recovered,
            "utterances": {**vars(self.utterances), "harmful_rate": self.utterances.harmful_rate},
            "words": {**vars(self.words), "harmful_rate": self.words.harmful_rate},
            "hallucinations": {**vars(self.hallucinations), "rate": self.hallucinations.rate},
        }

    def to_records(self) -> list[dict[str, Any]]:
        """Return one record per system: 1-best, corrected texts and oracles."""
        return [
            {"system": name, "errors": getattr(self, name), "wer": self.rate(getattr(self, name))} for name in SYSTEMS
        ]


def corrections(
    lists: Sequence[AnyList],
    references: Sequence[Any],
    corrected: Sequence[str | Sequence[str]],
    *,
    weights: Weights | None = None,
    ignore: Collection[str] = (),
) -> Corrections:
    """Compare corrected texts with their n-best lists.

    Words are compared with case and punctuation; to ignore case and punctuation, normalize all texts first.

    Args:
        lists: The lists: `NBest`, in the model's order, or strings, best first.
        references: One reference for each list.
        corrected: The corrected text of each list.
        weights: Weight of each score in the model's cost; other scores keep their default weight.
        ignore: Words to remove before the comparison.

    Examples:
        >>> found = corrections([["a b c", "a b d"], ["x y", "x z"]], ["a b d", "x y"], ["a b d", "x y y"])
        >>> found.one_best, found.corrected, found.oracle, found.recovered
        (1, 1, 0, 0.0)
        >>> found.utterances.harmful_rate, found.hallucinations.repeated
        (0.5, 1)
    """
    check_lengths(lists=lists, references=references, corrected=corrected)
    expected = references_of(references)
    if any(len(several) != 1 for several in expected):
        raise UsageError("a list has several references", advice="give one reference for each list")
    silent = word_set(ignore, "ignore")
    texts = [_without(several[0], silent) for several in expected]
    hypotheses = [[_without(words, silent) for words in ranked_words(nbest, weights)] for nbest in lists]
    outputs = [_without(listed_words(text, "a corrected text"), silent) for text in corrected]
    firsts = [ranked[0] for ranked in hypotheses]
    before, after = (_WER.counts(side, [[text] for text in texts])[:, 1:4].sum(axis=1) for side in (firsts, outputs))
    curve = oracle_at_k(hypotheses, [[text] for text in texts])
    assert curve.compositional is not None  # one reference each
    return Corrections(
        one_best=int(before.sum()),
        corrected=int(after.sum()),
        oracle=curve.oracle.statistics.errors,
        compositional=curve.compositional,
        reference_words=sum(map(len, texts)),
        utterances=_edited_utterances(firsts, outputs, before, after),
        words=_edited_words(firsts, outputs, texts),
        hallucinations=_hallucinations(hypotheses, outputs, texts),
    )


def _without(words: Words, ignore: frozenset[str]) -> Words:
    return tuple(word for word in words if word not in ignore) if ignore else words


def _edited_utterances(firsts: Sequence[Any], outputs: Sequence[Any], before: Any, after: Any) -> Edits:
    changed = np.array([first != output for first, output in zip(firsts, outputs, strict=True)], dtype=bool)
    helpful, harmful = changed & (after < before), changed & (after > before)
    return Edits(
        int(helpful.sum()),
        int(harmful.sum()),
        neutral=int((changed & (after == before)).sum()),
        unchanged=int((~changed).sum()),
    )


def _edited_words(firsts: Sequence[Any], outputs: Sequence[Any], texts: Sequence[Any]) -> Edits:
    helpful = harmful = missed = 0
    for first, output, text in zip(firsts, outputs, texts, strict=True):
        old, new = _WER.align(first, text), _WER.align(output, text)
        for was_right, is_right in zip(_right(old), _right(new), strict=True):
            helpful += is_right and not was_right
            harmful += was_right and not is_right
            missed += not was_right and not is_right
        added = new.edits.count(INSERTION) - old.edits.count(INSERTION)
        harmful += max(added, 0)
        helpful += max(-added, 0)
    return Edits(helpful, harmful, missed=missed)


def _right(alignment: Alignment) -> list[bool]:
    """Return, for each reference word, True if the alignment matches it."""
    return [edit == MATCH for edit in alignment.edits if edit != INSERTION]


def _hallucinations(hypotheses: Sequence[Any], outputs: Sequence[Any], texts: Sequence[Any]) -> Hallucinations:
    novel = repeated = passed_through = generative = 0
    for ranked, output, text in zip(hypotheses, outputs, texts, strict=True):
        support: Counter[str] = Counter()
        for words in set(ranked):
            support |= Counter(words)
        edits = [edit for edit in _WER.align(output, text).edits if edit != DELETION]
        wrong = Counter(word for word, edit in zip(output, edits, strict=True) if edit != MATCH)
        for word, number in Counter(output).items():
            invented = min(wrong[word], max(0, number - support[word]))
            passed_through += wrong[word] - invented
            if support[word]:
                repeated += invented
            else:
                novel += invented
                generative += number - wrong[word]
    return Hallucinations(sum(map(len, outputs)), novel, repeated, passed_through, generative)
