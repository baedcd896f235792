"""Compare string metrics with libraries that compute the same scores, on pairs of 25 random words."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from measure import compare, time_call

import latticemetric as lm
from latticemetric.metrics.base import Metric

Lists = list[list[str]]

_FEW = 500  # number of pairs for a slow peer


def pairs(count: int, words: int = 25) -> tuple[Lists, Lists]:
    """Return hypotheses and references; a fifth of the words differ."""
    random = np.random.default_rng(0)
    references = [[f"w{w}" for w in row] for row in random.integers(0, 300, (count, words))]
    hypotheses = [[w if random.random() < 0.8 else f"w{random.integers(300)}" for w in row] for row in references]
    # Make each word a separate object, as after splitting lines.
    said, expected = ([" ".join(row).split() for row in side] for side in (hypotheses, references))
    return said, expected


def string_metrics(hypotheses: Lists, references: Lists, runs: int) -> Iterator[str]:
    """Yield rows of a table: pairs per second, of this package and of each library, measured in turn."""
    lines, expected = ([" ".join(words) for words in side] for side in (hypotheses, references))
    peers: list[tuple[str, Callable[[], object], str, Callable[[], object]]] = []

    def add(what: str, metric: Metric[Any], peer: str, theirs: Callable[[], object]) -> None:
        peers.append((what, partial(metric.corpus, lines, expected), peer, theirs))

    wer = lm.WER()
    # Both get the same lists of words. Ours takes several references: a list of words is the only one of its segment.
    lists = partial(wer.corpus, hypotheses, [[reference] for reference in references])
    peers.append(
        ("WER of lists, counts by kind", lists, "rapidfuzz (distance alone)", _rapidfuzz(hypotheses, references))
    )
    add("WER, counts by kind", wer, "jiwer (distance and counts)", _jiwer(lines, expected))
    add("BLEU", lm.BLEU(effective_length="closest", smoothing="exp"), "sacrebleu", _sacrebleu(lines, expected))
    add("NIST", lm.NIST(), "nltk", _nist(hypotheses, references))
    add(
        "METEOR, exact and porter",
        lm.METEOR(stages=("exact", "porter")),
        "nltk (greedy)",
        _meteor(hypotheses, references),
    )
    add("CER, counts by kind", lm.CER(), "jiwer", _jiwer(lines, expected, "characters"))
    add("chrF", lm.CHRF(), "sacrebleu", _sacrebleu(lines, expected, "CHRF"))
    add("chrF++", lm.CHRF(word_order=2), "sacrebleu", _sacrebleu(lines, expected, "CHRF", word_order=2))
    add("TER", lm.TER(), "sacrebleu", _sacrebleu(lines[:_FEW], expected[:_FEW], "TER"))
    for what, ours, peer, theirs in peers:
        result = compare(partial(time_call, ours), partial(time_call, theirs), runs)
        # A peer that takes many seconds takes some of the pairs only.
        theirs_of = _FEW if what == "TER" else len(lines)
        speeds = [f"{count / seconds:,.0f}" for count, seconds in zip((len(lines), theirs_of), result[:2], strict=True)]
        yield f"| {what} | {speeds[0]} | {peer} | {speeds[1]} | ×{result.ratio * len(lines) / theirs_of:.2f} |"


def _rapidfuzz(hypotheses: Lists, references: Lists) -> Callable[[], object]:
    from rapidfuzz.distance import Levenshtein

    return lambda: sum(Levenshtein.distance(c, r) for c, r in zip(hypotheses, references, strict=True))


def _jiwer(lines: list[str], expected: list[str], units: str = "words") -> Callable[[], object]:
    import jiwer

    return partial(getattr(jiwer, f"process_{units}"), expected, lines)


def _sacrebleu(lines: list[str], expected: list[str], name: str = "BLEU", **options: object) -> Callable[[], object]:
    from sacrebleu import metrics

    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    metric = getattr(metrics, name)(**({"tokenize": "none"} if name == "BLEU" else options))
    return partial(metric.corpus_score, lines, [expected])


def _nist(hypotheses: Lists, references: Lists) -> Callable[[], object]:
    from nltk.translate.nist_score import corpus_nist

    return partial(corpus_nist, [[reference] for reference in references], hypotheses)


class _NoWordNet:
    """A WordNet without synonyms for nltk's METEOR, which leaves its exact and stem stages."""

    @staticmethod
    def synsets(_word: str) -> list[object]:
        return []


def _meteor(hypotheses: Lists, references: Lists) -> Callable[[], object]:
    from nltk.translate.meteor_score import meteor_score

    score = partial(meteor_score, wordnet=_NoWordNet())
    return lambda: [score([r], c) for c, r in zip(hypotheses, references, strict=True)]


if __name__ == "__main__":
    for row in string_metrics(*pairs(20_000), 5):
        print(row, flush=True)
