"""Compare corrected texts with their n-best lists: count removed errors, added errors and hallucinations.

Recoverable information ratio, harmful edits and hallucinated words are defined as in the package agwer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from latticemetric.corpus.list_arguments import AnyList, Words, check_lengths, ranked_words, references_of
from latticemetric.corpus.list_results import Corrections, Edits, Hallucinations
from latticemetric.corpus.oracle_at_k import oracle_at_k
from latticemetric.errors import UsageError
from latticemetric.formats.word_lists import given_words
from latticemetric.lattice.columns import Weights
from latticemetric.metrics.alignment import DELETION, INSERTION, MATCH, Alignment
from latticemetric.metrics.recognition import GRR, WER
from latticemetric.vocabulary import listed_words

_WER = WER()


def corrections(
    lists: Sequence[AnyList],
    references: Sequence[Any],
    corrected: Sequence[str | Sequence[str]],
    *,
    weights: Weights | None = None,
    ignore: Collection[str] | str = (),
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
    silent = given_words(ignore, "ignore")
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


def wer_among(rates: Sequence[GRR]) -> GRR:
    """Return the rate that scores corrected texts, the WER among these rates.

    Raises:
        UsageError: There is none, or its edits have weights.
    """
    wer = next((rate for rate in rates if rate.name == "wer"), None)
    if wer is None:
        what = "corrected texts are scored by wer, which is not among the metrics"
        raise UsageError(what, advice="add wer to the metrics")
    if not wer.gains.are_edits:
        raise UsageError("corrected texts are scored by wer without weights", advice="leave its parameters out")
    return wer


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
