"""Weights that are found on real graphs, given back as a file, decode to the score that was reported."""

import gzip
import json

import pytest
from kit.paths import DATA

import latticemetric as lm

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not DATA.is_dir(), reason="the data is not there"),
]


def lines(name, number=None):
    path = DATA / name
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return text.decode().splitlines()[:number]


def kaldi():
    texts = {name: " ".join(words) for name, *words in map(str.split, lines("kaldi/ps-medium.ref.int"))}
    pairs = [(graph, texts[name]) for name, graph in lm.read(DATA / "kaldi" / "ps-medium.lat.txt.gz")]
    return [graph for graph, _ in pairs], [text for _, text in pairs]


def plf():
    return [graph for _, graph in lm.read(DATA / "plf" / "fisher_dev.400.plf.gz")], lines(
        "plf/fisher_dev.400.published-oracle.es"
    )


def translation_forest():
    graph = lm.read_one(DATA / "forests" / "training_dpmert_test_data_0.json.gz")
    return [graph], [lines("forests/training_dpmert_test_data_0.references.txt")]


def large_forest():
    return [lm.read_one(DATA / "forests" / "australia.target_graph.gz")], lines("forests/australia.reference.txt")


def moses_lists():
    lists = [graph for _, graph in lm.read(DATA / "nbest" / "moses.nbest.1.gz")]
    return lists, lines("nbest/moses.reference", len(lists))


def recognized_lists():
    with gzip.open(DATA / "nbest-json" / "cv.json.gz", "rt", encoding="utf-8") as file:
        records = [one for one in json.load(file) if one["input"]][:200]
    lists = [
        lm.NBest.from_strings(one["input"], scores={"am": [float(k) for k in range(len(one["input"]))]})
        for one in records
    ]
    return lists, [one["output"] for one in records]


def hifst():
    folder = DATA / "hifst" / "att"
    graphs = [graph for _, graph in lm.read(folder)]
    return graphs, lines("hifst/refs.50.idx", len(graphs))


def columns_of(graph):
    return graph.score_names() if isinstance(graph, lm.NBest) else graph.scores


CASES = {
    "kaldi": (kaldi, "wer", {"acoustic": (0.05, 0.2), "words": (0, 1)}),
    "kaldi-three": (kaldi, "4-grr", {"acoustic": (0.05, 0.2), "words": (-1, 1), "lm": (0, 2)}),
    "plf": (plf, "wer", {"words": (-2, 2)}),
    "plf-bleu": (plf, "bleu", {"words": (-2, 2), "score": (0.5, 2)}),
    **{f"forest-{n}": (translation_forest, "bleu", n) for n in (1, 2, 4)},
    **{f"large-forest-{n}": (large_forest, "bleu", n) for n in (1, 2, 4)},
    **{f"lists-{n}": (moses_lists, "bleu", n) for n in (1, 2, 4)},
    "recognized-lists": (recognized_lists, "cer", {"words": (-2, 2), "am": (0, 1)}),
    "hifst": (hifst, "chrf", {"words": (-2, 2)}),
}


@pytest.mark.parametrize("name", CASES)
def test_weights_given_back_decode_to_the_reported_score(name, tmp_path):
    made, metric, vary = CASES[name]
    graphs, references = made()
    if isinstance(vary, int):  # so many columns, the first ones
        columns = dict.fromkeys(column for graph in graphs for column in columns_of(graph))
        vary = dict.fromkeys([*columns][:vary], (-2, 2))
    corpus = lm.Corpus(graphs, references)
    found = corpus.tune(metric, vary=vary, resamples=0, folds=2)
    found.write_weights(tmp_path / "tuned.weights")
    again = lm.Corpus(graphs, references, weights=str(tmp_path / "tuned.weights"))
    texts = [one.value.words for one in again.best()]
    made_metric = lm.make_metric(metric)
    each = [[texts] if isinstance(texts, str) else texts for texts in references]
    assert made_metric.corpus(texts, each).score == found.best.score
    sign = 1 if made_metric.higher_is_better else -1
    inside = all(low <= found.default.weights[column] <= high for column, (low, high) in vary.items())
    if inside and found.margin:
        assert sign * found.best.score >= sign * found.default.score - 1e-12
