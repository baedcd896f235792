"""Chiang & DeNeefe 2008: BLEU does not decompose, so that it can be gamed; BLEU-SBP and 4-GRR cannot.

    python chiang_2008.py [TESTSET [PAIR]]

Empties sentences of each system, the best one first, as long as that raises BLEU: a system with long outputs elsewhere
is not punished. Prints how many sentences it took away and what happened to each metric; then the correlation of the
metrics with people (their table 1), with α = −0.9, β = 1, too.
"""

import sys

import numpy as np
from test_set import HARVEST, read, verdict

import latticemetric as lm
from latticemetric.evaluation import correlate, system_tables

METRICS = (lm.BLEU(effective_length="closest"), lm.BLEUSBP(effective_length="closest"), lm.GRR(4))


def emptied(metric: lm.BLEU, rows: np.ndarray, empty: np.ndarray) -> list[int]:
    """Return the segments to empty: always the one that raises the score most, until none does."""
    gone: list[int] = []
    total = rows.sum(axis=0)
    while True:
        scores = metric.values(total - rows + empty)
        scores[gone] = -1
        best = int(scores.argmax())
        if scores[best] <= metric.values(total) + 1e-12:
            return gone
        gone.append(best)
        total = total - rows[best] + empty[best]


def main(path: str = HARVEST, pair: str | None = None) -> None:
    """Print scores before and after, and what becomes of the claims."""
    test = read(path, pair, lowercase=False)
    nothing = [()] * len(test.references)
    print("system", "emptied", *(f"{metric.name}\t-> " for metric in METRICS), sep="\t")
    gains = []
    for system, texts in zip(test.systems, test.outputs, strict=True):
        tables = [metric.table(texts, test.references) for metric in METRICS]
        gone = emptied(METRICS[0], tables[0], METRICS[0].table(nothing, test.references))
        cut = [() if k in set(gone) else text for k, text in enumerate(texts)]
        before = [float(metric.values(table.sum(axis=0))) for metric, table in zip(METRICS, tables, strict=True)]
        after = [float(metric.values(metric.table(cut, test.references).sum(axis=0))) for metric in METRICS]
        changes = (f"{old:.4f}\t{new:.4f}" for old, new in zip(before, after, strict=True))
        print(system, len(gone), *changes, sep="\t")
        gains.append([new - old for old, new in zip(before, after, strict=True)])
    bleu, strict, grr = np.array(gains).T
    verdict("emptying sentences can raise BLEU", holds=bool((bleu > 0).any()))
    verdict("BLEU-SBP and 4-GRR gain less from it", holds=bool((strict <= bleu).all() and (grr <= bleu).all()))
    metrics = {
        "bleu": METRICS[0],
        "bleu-sbp": METRICS[1],
        "4-grr": METRICS[2],
        "4-grr -0.9 1": lm.GRR(4, alpha=-0.9, beta=1),
    }
    scored = {name: system_tables(test.outputs, test.references, [one])[one.name] for name, one in metrics.items()}
    found = correlate(scored, test.human, system_human=test.whole, systems=test.systems, resamples=0)
    r = {name: float(one.system.pearson.value or 0) for name, one in found.metrics.items()}
    print("r over systems:", *(f"{name} {value:.4f}" for name, value in r.items()))
    verdict("BLEU-SBP and 4-GRR correlate better than BLEU", holds=min(r["bleu-sbp"], r["4-grr"]) > r["bleu"])
    verdict("rewarding insertions correlates best of all", holds=r["4-grr -0.9 1"] == max(r.values()))


if __name__ == "__main__":
    main(*sys.argv[1:])
