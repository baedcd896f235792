"""String metrics against libraries that compute the same, on pairs of 25 random words."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from measure import compare, time_call

import latticemetric as lm

Lists = list[list[str]]


def pairs(count: int, words: int = 25) -> tuple[Lists, Lists]:
    """Return candidates and references; a fifth of the words differ."""
    random = np.random.default_rng(0)
    references = [[f"w{w}" for w in row] for row in random.integers(0, 300, (count, words))]
    candidates = [[w if random.random() < 0.8 else f"w{random.integers(300)}" for w in row] for row in references]
    # Each word is an object of its own, as after splitting lines.
    return tuple([" ".join(row).split() for row in side] for side in (candidates, references))


def string_metrics(candidates: Lists, references: Lists, runs: int) -> Iterator[str]:
    """Yield rows of a table: pairs a second, ours and theirs, in turn."""
    lines, expected = ([" ".join(words) for words in side] for side in (candidates, references))
    peers: list[tuple[str, Callable[[], object], str, Callable[[], object]]] = []

    def add(what: str, metric: lm.WER | lm.BLEU | lm.NIST | lm.METEOR, peer: str, theirs: Callable[[], object]) -> None:
        peers.append((what, partial(metric.corpus, lines, expected), peer, theirs))

    wer = lm.WER()
    # Both get the same lists of words. Ours takes several references: a list of words is the only one of its segment.
    lists = partial(wer.corpus, candidates, [[reference] for reference in references])
    peers.append(
        ("WER of lists, counts by kind", lists, "rapidfuzz (distance alone)", _rapidfuzz(candidates, references))
    )
    add("WER, counts by kind", wer, "jiwer (distance and counts)", _jiwer(lines, expected))
    add("BLEU", lm.BLEU(effective_length="closest", smoothing="exp"), "sacrebleu", _sacrebleu(lines, expected))
    add("NIST", lm.NIST(), "nltk", _nist(candidates, references))
    add(
        "METEOR, exact and porter",
        lm.METEOR(stages=("exact", "porter")),
        "nltk (greedy)",
        _meteor(candidates, references),
    )
    for what, ours, peer, theirs in peers:
        result = compare(partial(time_call, ours), partial(time_call, theirs), runs)
        speeds = [f"{len(lines) / seconds:,.0f}" for seconds in result[:2]]
        yield f"| {what} | {speeds[0]} | {peer} | {speeds[1]} | ×{result.ratio:.2f} |"


def _rapidfuzz(candidates: Lists, references: Lists) -> Callable[[], object]:
    from rapidfuzz.distance import Levenshtein

    return lambda: sum(Levenshtein.distance(c, r) for c, r in zip(candidates, references, strict=True))


def _jiwer(lines: list[str], expected: list[str]) -> Callable[[], object]:
    import jiwer

    return partial(jiwer.process_words, expected, lines)


def _sacrebleu(lines: list[str], expected: list[str]) -> Callable[[], object]:
    from sacrebleu.metrics import BLEU

    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    return partial(BLEU(tokenize="none").corpus_score, lines, [expected])


def _nist(candidates: Lists, references: Lists) -> Callable[[], object]:
    from nltk.translate.nist_score import corpus_nist

    return partial(corpus_nist, [[reference] for reference in references], candidates)


class _NoWordNet:
    """A WordNet without synonyms for nltk's METEOR, which leaves its exact and stem stages."""

    @staticmethod
    def synsets(_word: str) -> list[object]:
        return []


def _meteor(candidates: Lists, references: Lists) -> Callable[[], object]:
    from nltk.translate.meteor_score import meteor_score

    score = partial(meteor_score, wordnet=_NoWordNet())
    return lambda: [score([r], c) for c, r in zip(candidates, references, strict=True)]


if __name__ == "__main__":
    for row in string_metrics(*pairs(20_000), 5):
        print(row, flush=True)
