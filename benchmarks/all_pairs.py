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
    lm.GRR(4), lm.WRR(), lm.BLEU(smoothing="exp"), lm.NIST(), lm.METEOR(stages=("exact", "porter")),
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


if __name__ == "__main__":
    for line in all_pairs(5):
        print(line, flush=True)
    for line in all_pair_errors(5):
        print(line, flush=True)
