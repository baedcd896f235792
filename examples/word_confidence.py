"""Compare the true tags of the 1-best's words with tags predicted from posteriors: are confident words right?

    python word_confidence.py LATTICES REFERENCES [SCALE]

References are lines that begin with the ids of the lattices. SCALE multiplies costs before they become
probabilities; below 1 it flattens the distribution, as acoustic scores need.
"""

import sys
from pathlib import Path

import latticemetric as lm

THRESHOLDS = (0.2, 0.4, 0.6, 0.8)


def f1(predicted: list[bool], right: list[bool]) -> float:
    """Return F1 of the class that is marked true: 2 · hits / (predicted + gold)."""
    hits = sum(a and b for a, b in zip(predicted, right, strict=True))
    return 2 * hits / ((sum(predicted) + sum(right)) or 1)


def main(lattice_file: str, reference_file: str, posterior_scale: str = "0.1") -> None:
    """Print each word of the 1-bests with its tag and its confidence, then F1-mult at some thresholds."""
    lines = (line.partition(" ") for line in Path(reference_file).read_text(encoding="utf-8").splitlines())
    text = {name: words for name, _, words in lines}
    bad: list[bool] = []
    confidences: list[float] = []
    graphs = {name: graph for name, graph in lm.read(lattice_file) if isinstance(graph, lm.Lattice)}
    for name, lattice in graphs.items():
        one_best = lm.oracle(lattice, text[name], "wer").one_best
        # A word is OK if it matches the reference, else BAD. `tags_with_gaps` adds tags of the gaps between words, as
        # in tasks of quality estimation.
        sure = lm.posteriors(lattice, posterior_scale=float(posterior_scale)).confidences(one_best)
        for word, tag, confidence in zip(one_best.words, one_best.tags, sure, strict=True):
            print(f"{name} {word} {tag} {confidence:.3f}")
        bad += [tag == "BAD" for tag in one_best.tags]
        confidences += sure
    good = [not each for each in bad]
    for threshold in THRESHOLDS:
        doubted = [confidence < threshold for confidence in confidences]
        trusted = [not each for each in doubted]
        print(f"threshold {threshold}: F1-mult {f1(doubted, bad) * f1(trusted, good):.4f}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
