"""Logacheva, Lukasik & Specia 2016: F1-mult tells systems of word-level quality estimation apart, and is not fooled.

    python logacheva_2016.py [GOLD PREDICTED...]

Prints, for each metric, the share of pairs of systems that it tells apart, how many systems it rates below trivial
labellings (their table 1), and how many samples it needs for small differences (their table 2).
"""

import sys
from pathlib import Path

from test_set import verdict

from latticemetric.evaluation import WordTags
from latticemetric.evaluation.word_tags.evaluation import TagEvaluation
from latticemetric.evaluation.word_tags.tags import chosen_tags
from latticemetric.formats.word_tags import read_tags

TIDE = sorted(
    map(str, (Path(__file__).parent.parent / "data").glob("tide.*.tags")), key=lambda path: "gold" not in path
)
SIZES = (100, 300, 1000)


def tags(path: str) -> WordTags:
    """Return the tags of words of a file, without those of gaps."""
    lines = read_tags(path)
    return chosen_tags(WordTags(lines.bad, lines.begin), path, "words", "auto", gaps=lines.gaps)


def main(gold: str = TIDE[0], *predicted: str) -> None:
    """Print a row per metric, and what becomes of the claims."""
    evaluation = TagEvaluation.of(tags(gold), {Path(path).name: tags(path) for path in predicted or TIDE[1:]})
    rows = {one.metric: one for one in evaluation.discrimination()}
    study = evaluation.repeated_sampling(sizes=SIZES, rounds=2)
    needed = {
        metric: [2 * SIZES[-1] if n is None else n for n in row.values()] for metric, row in study.needed().items()
    }
    print("metric", "d", "below trivial labellings", "samples needed, all differences", sep="\t")
    for metric, one in rows.items():
        print(metric, f"{one.d:.4f}", one.below_total, sum(needed[metric]), sep="\t")
    best = rows["f1_mult"]
    verdict("F1-mult rates no system below a trivial labelling", holds=best.below_total == 0)
    verdict("F1-mult tells as many systems apart as any metric", holds=best.d == max(one.d for one in rows.values()))
    fewest = min(map(sum, needed.values()))
    verdict("F1-mult needs the fewest samples", holds=sum(needed["f1_mult"]) == fewest)
    verdict("SeqCor tells fewer systems apart than F1-BAD", holds=rows["seqcor"].d < rows["f1_bad"].d)


if __name__ == "__main__":
    main(*sys.argv[1:])
