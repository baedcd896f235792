"""Weights of many columns against minimum error rate training on n-best lists."""

import random
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.paths import DATA

import latticemetric as lm
from latticemetric.lattice.columns import FeatureWeights
from latticemetric.tuning.costs import CostTable
from latticemetric.tuning.regions import Range
from latticemetric.tuning.scored_strings import ScoredStrings
from latticemetric.tuning.search import ExactSearch
from latticemetric.tuning.section import Section

from .graphs import COLUMNS, WORDS, best_by_ties, random_graph
from .mert import Lists, line_search, mert

HIFST = DATA / "tuning" / "hifst"


def random_corpus(chance, graphs=3):
    samples = []
    while len(samples) < graphs:
        sample = random_graph(chance)
        if max(abs(value) for path in sample.paths for value in path.sums) < 1000:
            samples.append(sample)
    return samples, [[chance.choices(WORDS, k=chance.randint(1, 4))] for _ in samples]


@settings(max_examples=50)
@given(seed=st.integers(0, 2**32), name=st.sampled_from(["wer", "bleu"]))
def test_a_search_on_lists_of_all_paths_finds_the_best_of_an_exact_line(seed, name):
    chance = random.Random(seed)
    samples, references = random_corpus(chance)
    metric = lm.make_metric(name)
    sign = 1 if metric.higher_is_better else -1
    at = tuple(Fraction(chance.randint(-20, 20), 10) for _ in COLUMNS)
    column = chance.randrange(3)
    features, rows = [], []
    for (graph, paths), texts in zip(samples, references, strict=True):
        equal = defaultdict(list)  # paths that cost the same on the whole line
        for path in paths:
            rest = sum(w * c for k, (w, c) in enumerate(zip(at, path.sums, strict=True)) if k != column)
            equal[rest, path.sums[column]].append(path)
        features.append(np.array([[float(rest), slope] for rest, slope in equal]))
        strings = [best_by_ties(graph, several).words for several in equal.values()]
        rows.append(metric.table(strings, [texts] * len(strings)))
    lists = Lists(features, rows)
    _, merit = line_search(lists, np.zeros(1), np.ones(1), (-2.0, 2.0), lambda sums: sign * metric.values(sums))
    search = ExactSearch(
        CostTable([sample.graph for sample in samples], COLUMNS, None),
        ScoredStrings(references, metric, lambda words: words),
        Section.of_columns(at, [Range(one, Fraction(-2), Fraction(2)) for one in COLUMNS], column),
    )
    assert search.best(np.ones(len(samples))).merit == pytest.approx(merit, abs=1e-12)


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_from_the_weights_of_mert_no_search_gets_worse(seed):
    chance = random.Random(seed)
    samples, references = random_corpus(chance, 6)
    graphs = [sample.graph for sample in samples]
    metric, start, vary = lm.make_metric("wer"), dict.fromkeys(COLUMNS, 1.0), dict.fromkeys(COLUMNS, (-2, 2))
    weights = mert(graphs, references, metric, vary, start, n=3, starts=2, seed=seed)
    trained = metric.corpus([lm.best(graph, weights=weights).words for graph in graphs], references).score
    found = lm.Corpus(graphs, references, weights=weights).tune("wer", vary=vary, resamples=0, folds=0, seed=seed)
    assert found.default.score == trained
    assert found.best.score <= trained


@pytest.mark.real_data
@pytest.mark.skipif(not HIFST.is_dir(), reason="the data is not there")
def test_twelve_weights_of_a_translation_decoder_beat_mert():
    files = [str(HIFST / f"{number}.fst.gz") for number in range(1, 51)]
    texts = (HIFST / "refs.50").read_text().splitlines()
    values = [float(value) for value in (HIFST / "params.0").read_text().split()]
    start = {f"feature_{k}": value for k, value in enumerate(values, start=1)}
    vary = {name: (round(w - max(2, 2 * abs(w)), 2), round(w + max(2, 2 * abs(w)), 2)) for name, w in start.items()}
    corpus = lm.Corpus.read(files, str(HIFST / "refs.50"), weights=FeatureWeights(start), ignore=["1", "2"])
    tuned = [corpus.tune("bleu", vary=vary, resamples=0, folds=0, seed=seed) for seed in (1, 2, 3)]
    graphs = [lm.read_one(file) for file in files]
    metric = lm.make_metric("bleu")
    references = [[text.split()] for text in texts]
    weights = mert(graphs, references, metric, vary, start, n=100, starts=3, seed=1, ignore=("1", "2"))
    trained = corpus.tune("bleu", vary=vary, resamples=0, folds=0, seed=1).at(**weights)
    assert trained > tuned[0].default.score
    assert min(one.best.score for one in tuned) > trained
