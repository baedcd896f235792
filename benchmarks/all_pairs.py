"""MBR under metrics: score all pairs of strings of 25 words, a fifth of which differ from a common sentence.

Then errors of all pairs, by length, beside rapidfuzz.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from measure import compare, median_of, time_call

import latticemetric as lm
from latticemetric.metrics.base import Metric
from latticemetric.metrics.pairs import error_counts, score_rows

Strings = list[tuple[str, ...]]

METRICS: list[Metric] = [
    lm.GRR(4), lm.WRR(), lm.CHRF(), lm.CHRF(word_order=2), lm.BLEU(smoothing="exp"), lm.TER(), lm.NIST(),
    lm.METEOR(stages=("exact", "porter")),
]  # fmt: skip


def alike(count: int, words: int = 25) -> Strings:
    """Return strings like those of an n-best list."""
    random = np.random.default_rng(0)
    sentence = random.integers(0, 300, words)
    changed, other = random.random((count, words)) < 0.2, random.integers(0, 300, (count, words))
    return [tuple(f"w{word}" for word in row) for row in np.where(changed, other, sentence).tolist()]


def _score_all(metric: Metric, strings: Strings) -> float:
    return sum(float(row.scores.sum()) for row in score_rows(metric, strings, strings))


def all_pairs(runs: int, numbers: tuple[int, ...] = (250, 500, 1000)) -> Iterator[str]:
    """Yield rows of a table, for one thread: seconds by number of strings, pairs a second, fitted exponent of pairs."""
    for metric in METRICS:
        seconds = [median_of(partial(time_call, partial(_score_all, metric, alike(n))), runs) for n in numbers]
        pairs = np.square(numbers)
        exponent = np.polyfit(np.log(pairs), np.log(seconds), 1)[0]
        cells = " | ".join(f"{s:.3f} s" for s in seconds)
        yield f"| {metric.name} | {cells} | {pairs[-1] / seconds[-1]:,.0f} | {exponent:.2f} |"


def all_pair_errors(runs: int, number: int = 1000, lengths: tuple[int, ...] = (8, 25, 60, 150)) -> Iterator[str]:
    """Yield rows of a table, for one thread: million pairs a second, ours and rapidfuzz's, in turn.

    Both take lists of words, or texts, and return a matrix.
    """
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    for what, metric in (("words", lm.WER()), ("characters", lm.CER())):
        for words in lengths:
            strings = [list(string) for string in alike(number, words)]
            texts = [" ".join(string) for string in strings] if what == "characters" else strings
            ours = partial(error_counts, texts, texts, metric)
            theirs = partial(process.cdist, texts, texts, scorer=Levenshtein.distance, dtype=np.int32)
            assert (ours() == theirs()).all()
            found = compare(partial(time_call, ours), partial(time_call, theirs), runs)
            size = np.mean([len(text) for text in texts])
            speeds = " | ".join(f"{number**2 / seconds / 1e6:.2f}" for seconds in found[:2])
            yield f"| {number} × {number} strings of {size:.0f} {what} | {speeds} | ×{found.ratio:.1f} |"


def utilities(runs: int, number: int = 400, few: int = 40) -> Iterator[str]:
    """Yield rows of a table, for one thread: pairs a second of utilities, ours and peers', in turn.

    Peers that are slow score fewer strings; all scores are compared first.
    """
    import sacrebleu
    from fastchrf import pairwise_chrf
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    texts = [" ".join(string) for string in alike(number)]
    words = [text.split() for text in texts]
    chrf, ter = sacrebleu.CHRF(), sacrebleu.TER()

    def by_sacrebleu(metric: object) -> list[float]:
        return [metric.sentence_score(h, [r]).score for r in texts[:few] for h in texts[:few]]  # type: ignore[attr-defined]

    def by_rapidfuzz(strings: list[list[str]] | list[str]) -> np.ndarray:
        return process.cdist(strings, strings, scorer=Levenshtein.distance, dtype=np.int32)

    ours = partial(lm.utility_matrix, lm.CHRF(), texts)
    assert np.allclose(100 * ours(), np.array(pairwise_chrf([texts], [texts])[0]), atol=1e-3)
    corner = lm.utility_matrix(lm.CHRF(), texts[:few])
    assert np.allclose(100 * corner.T.ravel(), by_sacrebleu(chrf))
    peers = [
        ("chrF", ours, "fastchrf", partial(pairwise_chrf, [texts], [texts]), number),
        ("chrF", ours, "sacrebleu", partial(by_sacrebleu, chrf), few),
        ("TER", partial(lm.utility_matrix, lm.TER(), texts), "sacrebleu", partial(by_sacrebleu, ter), few),
        ("errors in words", partial(error_counts, words, words), "rapidfuzz", partial(by_rapidfuzz, words), number),
        ("errors in characters", partial(error_counts, texts, texts, lm.CER()), "rapidfuzz",
         partial(by_rapidfuzz, texts), number),
    ]  # fmt: skip
    for what, own, name, theirs, size in peers:
        found = compare(partial(time_call, own), partial(time_call, theirs), runs)
        speeds = number**2 / found[0], size**2 / found[1]
        yield f"| {what} | {speeds[0]:,.0f} | {name} | {speeds[1]:,.0f} | ×{speeds[0] / speeds[1]:.1f} |"


if __name__ == "__main__":
    for line in utilities(5):
        print(line, flush=True)
    for line in all_pairs(5):
        print(line, flush=True)
    for line in all_pair_errors(5):
        print(line, flush=True)
