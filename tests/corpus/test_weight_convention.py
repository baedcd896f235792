"""Weights as Kaldi's scripts write them, against Kaldi's definition: LMWT divides acoustic costs, WIP is per word."""

import json
import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.commands import good, run
from kit.paths import EXAMPLES
from tuning.graphs import WORDS, random_graph

import latticemetric as lm
from latticemetric.corpus.weight_convention import KALDI, short_text, written_weight
from latticemetric.graph import WORDS as COUNT

LATTICES, REFERENCES = EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt"


@given(st.decimals("0.001", "1e6", places=3))
def test_a_short_number_comes_back_from_its_inverse(number):
    weight = float(1 / Fraction(number))
    assert KALDI["LMWT"].number(weight) == float(number)


@given(st.floats(1e-9, 1e9))
def test_every_weight_is_the_inverse_of_its_number(weight):
    assert 1 / KALDI["LMWT"].number(weight) == pytest.approx(weight, rel=1e-15)


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
def test_a_shown_range_is_inside(one, other):
    low, high = sorted([one, other])
    if high - low < 1e-8 * high:
        return
    for weight in KALDI.values():
        name, first, _, last = weight.shown_range(low, high).split()
        ends = weight.ends(low, high)
        assert name == weight.name
        assert ends[0] <= float(first) * (1 + 1e-11)
        assert float(first) <= float(last) <= ends[1] * (1 + 1e-11)
        assert float(last) - float(first) >= 0.949 * (ends[1] - ends[0])


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_short_texts_are_read_as_the_same_number(number):
    assert float(short_text(number)) == number


def test_words_are_the_column_of_the_penalty():
    assert written_weight(COUNT, "kaldi") == KALDI["WIP"]


def kaldi_corpus(chance):
    """Graphs with Kaldi's columns, their references, and all paths of each graph: words, lm cost and acoustic cost."""
    graphs, paths = [], []
    for _ in range(chance.randint(1, 4)):
        sample = random_graph(chance)
        scores = {"lm": sample.graph.scores["constant"], "acoustic": sample.graph.scores["first"]}
        graphs.append(replace(sample.graph, scores=scores))
        paths.append([(path.words, path.sums[0], path.sums[1]) for path in sample.paths])
    references = [[chance.choices(WORDS, k=chance.randint(1, 4))] for _ in graphs]
    return graphs, references, paths


def kaldi_best(paths, lmwt, wip):
    """The cheapest strings as `lattice-scale`, `lattice-add-penalty` and `lattice-best-path` define the cost."""
    costs = {(words, Fraction(lm) + Fraction(acoustic) / lmwt + wip * len(words)) for words, lm, acoustic in paths}
    least = min(cost for _, cost in costs)
    return {words for words, cost in costs if cost == least}


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), both=st.booleans(), least_margin=st.sampled_from([0, 0, 0.02]))
def test_the_printed_weights_are_the_best_in_kaldi(seed, both, least_margin):
    chance = random.Random(seed)
    graphs, references, paths = kaldi_corpus(chance)
    corpus = lm.Corpus(graphs, references)
    low = Decimal(chance.randint(1, 90)) / 10
    vary = {"LMWT": (low, low + chance.randint(1, 15)), **({"WIP": (-1, Decimal("1.3"))} if both else {})}
    try:
        found = corpus.tune(vary=vary, convention="kaldi", min_margin=least_margin, resamples=0, folds=0)
    except lm.InputError:
        assert least_margin
        return
    line = str(found).splitlines()[0]
    written = {name: Fraction(number) for name, number in (one.split("=") for one in line.split())}
    assert {name: float(number) for name, number in written.items()} == found.written
    lmwt, wip = written["LMWT"], written.get("WIP", Fraction(0))
    assert vary["LMWT"][0] <= lmwt <= vary["LMWT"][1]
    decoded = [one.value.words for one in lm.Corpus(graphs, weights=dict(found.best.weights)).best()]
    assert lm.make_metric("wer").corpus(decoded, references).score == found.best.score
    for words, listed in zip(decoded, paths, strict=True):
        assert words in kaldi_best(listed, lmwt, wip)
    # All weights may change at once by the margin.
    ranges = {"LMWT": 1 / Fraction(vary["LMWT"][0]) - 1 / Fraction(vary["LMWT"][1]), "WIP": Fraction("2.3")}
    for _ in range(5):
        share = Fraction(found.margin) * Fraction(999, 1000)
        steps = {name: chance.choice([-share, share]) * width for name, width in ranges.items()}
        moved = 1 / (1 / lmwt + steps["LMWT"]), wip + (steps["WIP"] if both else 0)
        for words, listed in zip(decoded, paths, strict=True):
            assert words in kaldi_best(listed, *moved)
    assert found.margin >= least_margin
    # Each weight may change alone, up to the ends of its range.
    for name, ends in found.alone.items():
        one = written_weight(name, "kaldi")
        for _ in range(3):
            moved = {"LMWT": lmwt, "WIP": wip, one.name: Fraction(chance.uniform(*one.ends(*ends)))}
            for words, listed in zip(decoded, paths, strict=True):
                share = Fraction(1, 10**9)
                near = {name: value * (1 - share) + written.get(name, wip) * share for name, value in moved.items()}
                assert words in kaldi_best(listed, near["LMWT"], near["WIP"])
    # The same ranges in the weights of columns have the same best score.
    plain = {"acoustic": (1 / Fraction(vary["LMWT"][1]), 1 / Fraction(vary["LMWT"][0]))}
    for _ in range(10):
        acoustic = chance.uniform(*map(float, plain["acoustic"]))
        penalty = chance.uniform(-1, 1.3) if both else 0
        score = found.at(acoustic=acoustic, **({"words": penalty} if both else {}))
        assert least_margin or score >= found.best.score


@pytest.mark.parametrize(
    ("vary", "convention", "says"),
    [
        ({"LMWT": (5, 20)}, "columns", 'LMWT is a weight of Kaldi\'s scripts; give convention="kaldi"'),
        ({"acoustic": (0.05, 0.2)}, "kaldi", "no weight 'acoustic'; vary LMWT"),
        ({"words": (0, 1)}, "kaldi", "no weight 'words'; vary WIP"),
        ({"LMWT": (0, 20)}, "kaldi", "the range of LMWT begins at 0; give a number above 0"),
        ({"LMWT": (5, 20)}, "sphinx", "'sphinx'"),
    ],
)
def test_ranges_in_another_convention_are_refused(vary, convention, says):
    with pytest.raises(lm.UsageError, match=says):
        lm.Corpus.read(LATTICES, REFERENCES).tune(vary=vary, convention=convention)


def test_the_verb_prints_variables_of_the_shell(tmp_path):
    weights = tmp_path / "tuned.weights"
    asked = ("latticemetric", "tune", LATTICES, REFERENCES, "--as", "kaldi", "--resamples", "30")
    asked += ("--vary", "LMWT=5:20", "--vary", "WIP=-1:1")
    done = good(run(*asked, "--write-weights", weights))
    written = dict(one.split("=") for one in done.stdout.split())
    assert list(written) == ["LMWT", "WIP"]
    assert done.stderr.split("\n")[1].split() == ["wer", "%", "LMWT", "WIP"]
    found = json.loads(good(run(*asked, "--format", "json")).stdout)
    assert found["convention"] == "kaldi"
    assert found["written"] == {name: float(number) for name, number in written.items()}
    command = ("lattice-oracle", LATTICES, REFERENCES, "--metric", "wer", "--format", "json", "--weights", weights)
    assert json.loads(good(run(*command)).stdout)["corpus"]["one_best"]["score"] == found["best"]["score"]
    titles, *rows = (line.split("\t") for line in good(run(*asked, "--format", "tsv")).stdout.splitlines())
    assert [row[0] for row in rows] == ["LMWT", "WIP"]
    for row in (dict(zip(titles, row, strict=True)) for row in rows):
        assert float(row["low"]) <= float(row["weight"]) <= float(row["high"])
        assert float(row["spread_low"]) <= float(row["spread_high"])
    refused = run(*asked[:-4], "--vary", "LMWT=0:2")
    assert refused.status == 2
    mistaken = run(*asked[:4], "--vary", "LMWT=5:20")
    assert mistaken.status == 2
    assert "give --as kaldi" in mistaken.stderr


def test_other_weights_are_printed_too():
    asked = ("latticemetric", "tune", LATTICES, REFERENCES, "--as", "kaldi", "--resamples", "0")
    done = good(run(*asked, "--vary", "LMWT=5:20", "--weights", "lm=2,words=0.5"))
    assert [one.split("=")[0] for one in done.stdout.split()] == ["lm", "LMWT", "WIP"]


def test_the_axes_of_a_map_have_kaldis_numbers(tmp_path):
    corpus = lm.Corpus.read(LATTICES, REFERENCES)
    found = corpus.tune(vary={"LMWT": (5, 20), "WIP": (-1, 1)}, convention="kaldi", resamples=0)
    found.plot(tmp_path / "map.svg")
    svg = (tmp_path / "map.svg").read_text()
    for text in ("LMWT (distances are those of 1 / LMWT)", "WIP", ">10<", ">20<", "best 21.43% at LMWT 19, WIP −0.95"):
        assert text in svg
    assert np.array_equal(
        found.map(3), corpus.tune(vary={"acoustic": (0.05, 0.2), "words": (-1, 1)}, resamples=0).map(3)
    )
