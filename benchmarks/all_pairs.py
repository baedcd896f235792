"""Measure MBR under metrics: score all pairs of strings, a fifth of whose words differ from a common sentence.

`--write` writes the page: rates of this package and of other programs, measured in one run, and the growth of all
metrics.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from measure import compare, cpu_of_call, median_of

import latticemetric as lm
from latticemetric.metrics.base import Metric
from latticemetric.metrics.pairs import error_counts, score_rows

Strings = list[tuple[str, ...]]

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance" / "all-pairs.md"

METRICS: list[Metric[Any]] = [
    lm.GRR(4), lm.WRR(), lm.WER(), lm.CER(), lm.CHRF(), lm.CHRF(word_order=2), lm.BLEU(smoothing="exp"), lm.TER(),
    lm.NIST(), lm.METEOR(stages=("exact", "porter")),
]  # fmt: skip


def alike(count: int, words: int = 25) -> Strings:
    """Return strings with few differences, like those of an n-best list."""
    random = np.random.default_rng(0)
    sentence = random.integers(0, 300, words)
    changed, other = random.random((count, words)) < 0.2, random.integers(0, 300, (count, words))
    return [tuple(f"w{word}" for word in row) for row in np.where(changed, other, sentence).tolist()]


def _score_all(metric: Metric[Any], strings: Strings) -> float:
    return sum(float(row.scores.sum()) for row in score_rows(metric, strings, strings))


def all_pairs(runs: int, numbers: tuple[int, ...] = (250, 500, 1000)) -> Iterator[str]:
    """Yield rows of a table: CPU seconds by number of strings, pairs per second, fitted exponent of pairs."""
    for metric in METRICS:
        seconds = [median_of(partial(cpu_of_call, partial(_score_all, metric, alike(n))), runs) for n in numbers]
        pairs = np.square(numbers)
        exponent = np.polyfit(np.log(pairs), np.log(seconds), 1)[0]
        cells = " | ".join(f"{s:.3f} s" for s in seconds)
        yield f"| {metric.name} | {cells} | {pairs[-1] / seconds[-1]:,.0f} | {exponent:.2f} |"


class Peer(NamedTuple):
    """Another program that scores strings against each other: one row per reference; scores are times `factor`."""

    name: str
    scores: Callable[[list[str]], object]
    most: int
    factor: float = 1


def _peers() -> dict[str, list[Peer]]:
    import sacrebleu
    import unisson
    from fastchrf import pairwise_chrf
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    def by_sacrebleu(metric: object) -> Callable[[list[str]], object]:
        sentence = metric.sentence_score  # type: ignore[attr-defined]
        return lambda texts: [[sentence(said, [expected]).score for said in texts] for expected in texts]

    def by_rapidfuzz(strings: list[list[str]] | list[str]) -> object:
        return process.cdist(strings, strings, scorer=Levenshtein.distance, dtype=np.int32)

    return {
        "chrF": [
            Peer("fastchrf", lambda texts: np.transpose(pairwise_chrf([texts], [texts])[0]), 250, 100),
            Peer("sacrebleu", by_sacrebleu(sacrebleu.CHRF()), 40, 100),
        ],
        "TER": [Peer("sacrebleu", by_sacrebleu(sacrebleu.TER()), 40, 100)],
        "errors in words": [
            Peer("unisson", lambda texts: unisson.pairwise_edit_distance([text.split() for text in texts]), 1000),
            Peer("rapidfuzz", lambda texts: by_rapidfuzz([text.split() for text in texts]), 1000),
        ],
        "errors in characters": [
            Peer("unisson", partial(unisson.pairwise_edit_distance, level="char"), 250),
            Peer("rapidfuzz", by_rapidfuzz, 250),
        ],
    }


def _own(what: str, texts: list[str]) -> object:
    if what.startswith("errors"):
        metric = lm.CER() if what.endswith("characters") else lm.WER()
        return error_counts(texts, texts, metric)
    return lm.utility_matrix(lm.CHRF() if what == "chrF" else lm.TER(), texts).T


def beside_peers(runs: int, number: int = 1000, lengths: tuple[int, ...] = (8, 25, 60)) -> Iterator[str]:
    """Yield rows of a table: pairs per second of CPU time, of this package and of each peer, measured in turn.

    All take texts and return a matrix. Peers that are slow score fewer strings; all scores are compared first.
    """
    peers = _peers()
    for words in lengths:
        texts = [" ".join(string) for string in alike(number, words)]
        characters = np.mean([len(text) for text in texts])
        for what, others in peers.items():
            size = number if what != "TER" else number // 4
            own = partial(_own, what, texts[:size])
            for peer in others:
                most = min(size, peer.most)
                few = texts[:most]
                assert np.allclose(np.array(peer.scores(few)), np.array(_own(what, few)) * peer.factor, atol=1e-3)
                theirs = partial(peer.scores, few)
                found = compare(partial(cpu_of_call, own), partial(cpu_of_call, theirs), runs)
                speeds = size**2 / found.ours, most**2 / found.theirs
                yield (
                    f"| {what} | {words} words, {characters:.0f} characters | {speeds[0]:,.0f} | "
                    f"{peer.name} | {speeds[1]:,.0f} | ×{speeds[0] / speeds[1]:.1f} |"
                )


def page(runs: int) -> Iterator[str]:
    """Yield the sections of the page."""
    load = f"load at the beginning {os.getloadavg()[0]:.1f}"
    yield f"Measured with latticemetric {lm.__version__}, Python {platform.python_version()}, {load}."
    yield ""
    yield "| all pairs of 1000 strings | each has | ours, pairs a second | peer | pairs a second | ratio |"
    yield "|---|---|---:|---|---:|---:|"
    yield from beside_peers(runs)
    yield ""
    yield "| metric | 250 × 250 | 500 × 500 | 1000 × 1000 | pairs a second | fitted exponent of pairs |"
    yield "|---|---:|---:|---:|---:|---:|"
    yield from all_pairs(runs)


def main() -> None:
    """Measure; print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of each (default 5)")
    parser.add_argument("--write", action="store_true", help="write docs/performance/all-pairs.md")
    arguments = parser.parse_args()
    lines = []
    for line in page(arguments.runs):
        print(line, flush=True)
        lines.append(line)
    if arguments.write:
        PAGE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
