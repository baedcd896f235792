"""Choose among samples by a metric of another library: COMET, BLEURT, BERTScore, or any function of pairs of texts.

    python neural_utility.py LISTS MATRICES.npz

LISTS are n-best lists: samples of a language model. The scores of all pairs are kept in MATRICES.npz, so that
`latticemetric mbr LISTS --utility-matrix MATRICES.npz` needs no model again. Here, a function that counts common
letters stands for the model.
"""

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import latticemetric as lm

Utility = Callable[[list[str], list[str]], list[float]]


def comet(model: Any, source: str, batch_size: int = 64) -> Utility:
    """Score by a COMET model: `comet.load_from_checkpoint(comet.download_model("Unbabel/wmt22-comet-da"))`."""

    def score(hypotheses: list[str], references: list[str]) -> list[float]:
        pairs = zip(hypotheses, references, strict=True)
        data = [{"src": source, "mt": hypothesis, "ref": reference} for hypothesis, reference in pairs]
        return model.predict(data, batch_size=batch_size, progress_bar=False).scores

    return score


def bleurt(scorer: Any) -> Utility:
    """Score by `bleurt.score.BleurtScorer(checkpoint)`."""
    return lambda hypotheses, references: scorer.score(references=references, candidates=hypotheses)


def bert_score(scorer: Any) -> Utility:
    """Score by the F1 of `bert_score.BERTScorer(lang="en")`."""
    return lambda hypotheses, references: scorer.score(hypotheses, references)[2].tolist()


def common_letters(hypotheses: list[str], references: list[str]) -> list[float]:
    """Return the share of letters that two texts have in common."""
    counts = [(Counter(h), Counter(r)) for h, r in zip(hypotheses, references, strict=True)]
    return [2 * (h & r).total() / max(1, h.total() + r.total()) for h, r in counts]


def main(lists: str, matrices: str) -> None:
    """Print the answer of each list, and the pairs that were scored for it; then score all pairs and keep them."""
    kept = {}
    for name, nbest in lm.read(lists):
        # Each hypothesis is one sample. Scores from 0 to 1 let pruning prove its answers.
        scores = {"utility": common_letters, "utility_range": (0, 1)}
        found = lm.mbr(nbest, **scores, evidence_weights="counts", pruning_confidence=0.99)
        print(f"{name}: {' '.join(found.words)} ({found.pruning.pairs} of {found.pruning.all_pairs} pairs)")
        kept[name] = lm.utility_matrix(common_letters, [hypothesis.words for hypothesis in nbest.hypotheses])
        # The matrix gives the same answer without the function.
        assert lm.mbr(nbest, utility=kept[name], evidence_weights="counts").words == found.words
    np.savez(matrices, **kept)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
