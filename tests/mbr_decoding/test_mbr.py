"""N-gram MBR against every path, and against HiFST."""

import dataclasses
import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.paths import DATA
from kit.posteriors import chains, expected_posteriors, gain_of, parameters, spelled_rows, weighed_paths
from kit.strategies import lattices, mild_lattices, scalings

import latticemetric as lm
from latticemetric import _native


def assert_is_best(found, lattice, evidence, chosen, weights=None):
    """No path gains more, none of the same words is before the one found, and all that is said of it is so."""
    weighed = weighed_paths(evidence, chosen["posterior_scale"], weights)[0]
    posterior = expected_posteriors(weighed, chosen["order"])
    paths = list(lattice.paths(weights))
    gains = [gain_of(path.words, posterior, **chosen) for path in paths]
    assert found.gain == pytest.approx(max(gains), abs=1e-9)
    assert found.gain == pytest.approx(gain_of(found.words, posterior, **chosen), abs=1e-9)
    own = next(path for path in paths if path.arcs == found.arcs)
    assert (own.words, own.cost) == (found.words, pytest.approx(found.cost))
    # Sums of multiples of 1/64 below 2**40 are exact: costs are compared as they are.
    assert (own.cost, own.arcs) == min((path.cost, path.arcs) for path in paths if path.words == own.words)
    assert found.one_best == min(paths, key=lambda path: (path.cost, len(path.words), path.arcs)).words
    assert found.confidences == pytest.approx([posterior.get((word,), 0.0) for word in found.words], abs=1e-9)


@given(lattice=lattices(), chosen=parameters, data=st.data())
def test_no_string_of_a_lattice_gains_more(lattice, chosen, data):
    weights = data.draw(scalings(lattice))
    assert_is_best(lm.mbr(lattice, **chosen, weights=weights), lattice, lattice, chosen, weights)


@given(lattice=chains(), chosen=parameters)
def test_no_string_of_a_lattice_that_repeats_itself_gains_more(lattice, chosen):
    assert_is_best(lm.mbr(lattice, **chosen), lattice, lattice, chosen)


@pytest.mark.parametrize("order", [4, 100, 254])
def test_orders_beyond_all_strings_do_not_matter(order):
    """Their factors are 10³⁵ times larger, and no reason to round all others away."""
    lattice = lm.Lattice.from_strings(["a b", "a c", "d c", "a e"], costs=[1.0, 1.1, 1.05, 0.95])
    gains = lm.mbr_lattice(lattice, order=order)
    for graph in (lattice, lm.Forest.from_lattice(lattice)):
        assert lm.mbr(graph, order=order).words == ("a", "c")
    assert gains.words(gains.best_path()) == ("a", "c")
    evidence = lm.Lattice.from_strings(["a b " * 60, "a c " * 60, "a c"])
    assert lm.mbr(lattice, order=order, evidence=evidence).words == ("a", "c")


@given(lattice=lattices(), evidence=lattices(), chosen=parameters)
def test_evidence_may_be_another_lattice(lattice, evidence, chosen):
    assert_is_best(lm.mbr(lattice, **chosen, evidence=evidence), lattice, evidence, chosen)


def test_a_tree_over_slots_has_the_answer_of_the_slots():
    """Its parts have far more first and last words than the search keeps of them."""
    rng = np.random.default_rng(1)
    slots, words = 16, 16
    label = np.array([rng.choice(40, words, replace=False) + 1 for _ in range(slots)])
    evidence = lm.Lattice.from_strings([" ".join(str(rng.choice(slot)) for slot in label) for _ in range(50)])
    slot = np.repeat(np.arange(slots), words)
    lattice = lm.Lattice.from_arcs(slot, slot + 1, label.ravel(), final=[slots])
    pairs = [(k, k + 1) for k in range(0, 2 * slots - 2, 2)]  # of nodes: the slots, then those over two nodes before
    forest = lm.Forest.from_edges(
        [*slot, *range(slots, 2 * slots - 1)],
        [()] * label.size + pairs,
        [(word,) for word in label.ravel().tolist()] + [(-1, -2)] * len(pairs),
        goals=[2 * slots - 2],
    )
    chosen = {"evidence": evidence, "order": 2, "r": 0.1}
    found, expected = lm.mbr(forest, **chosen), lm.mbr(lattice, **chosen)
    assert (found.words, found.gain) == (expected.words, pytest.approx(expected.gain))


@given(lattice=lattices(), chosen=parameters, beam=st.sampled_from([0.0, 0.5, 2.0, 100.0]))
def test_pruning_comes_first(lattice, chosen, beam):
    pruned = lattice.pruned(beam)
    found, plain = lm.mbr(lattice, **chosen, beam=beam), lm.mbr(pruned, **chosen)
    assert (found.words, found.gain, found.cost, found.one_best) == (
        plain.words, plain.gain, plain.cost, plain.one_best,
    )  # fmt: skip
    assert lattice.words(found.arcs) == found.words
    assert lattice.cost_of(found.arcs) == pytest.approx(found.cost)


@given(lattice=lattices(), beam=st.sampled_from([0.0, 0.125, 1.0, 3.0]), data=st.data())
def test_a_beam_keeps_what_lies_on_paths_within_it(lattice, beam, data):
    weights = data.draw(scalings(lattice))
    paths = list(lattice.paths(weights))
    most = min(path.cost for path in paths) + beam
    arcs = {arc for path in paths if path.cost <= most for arc in path.arcs}
    pruned = lattice.pruned(beam, weights)
    found = sorted((path.words, path.cost) for path in pruned.paths(weights))
    ends = {int(lattice.target[path.arcs[-1]]) if path.arcs else 0 for path in paths if path.cost <= most}
    kept = [path for path in paths if arcs.issuperset(path.arcs)]
    kept = [path for path in kept if (int(lattice.target[path.arcs[-1]]) if path.arcs else 0) in ends]
    assert found == sorted((path.words, path.cost) for path in kept)


# --- Ties: gains that are whole numbers, so that all sums are exact


@given(lattice=lattices(), data=st.data())
def test_ties_go_to_cost_then_words_then_arcs(lattice, data):
    order = data.draw(st.integers(1, 4))
    counted = lm.posteriors(lattice).ngrams(order)
    whole = st.integers(-1, 1).map(float)
    gain = np.array(data.draw(st.lists(whole, min_size=len(counted) + 1, max_size=len(counted) + 1)))
    word_gain, cost, words_count = data.draw(whole), lattice.cost(), data.draw(st.booleans())
    arcs, _ = _native.search_ngrams(
        lattice.native(cost, lattice.word, lattice.is_word() * words_count),
        counted.parent,
        counted.word,
        gain,
        word_gain,
    )
    value = dict(zip(spelled_rows(counted), gain.tolist(), strict=True))

    def preference(path):
        words = path.words
        spans = [words[k:end] for end in range(1, len(words) + 1) for k in range(max(0, end - order), end)]
        return -word_gain * len(words) - sum(value[s] for s in spans), path.cost, words_count * len(words), path.arcs

    assert tuple(arcs.tolist()) == min(lattice.paths(), key=preference).arcs


@given(strings=st.lists(st.text("ab ", max_size=5), min_size=1, max_size=5))
def test_hypotheses_that_gain_the_same_keep_the_order_of_their_list(strings):
    listed, evidence = lm.NBest.from_strings(strings), lm.NBest.from_strings(["z"])
    assert lm.mbr(listed, evidence=evidence, T=10.0, word_penalty=-0.1).words == tuple(strings[0].split())
    ordered = lm.Lattice.from_strings(strings)
    assert lm.mbr(ordered, evidence=evidence, T=10.0, word_penalty=-0.1).words == tuple(strings[0].split())


def test_strings_that_gain_the_same_are_told_apart_by_cost():
    found = lm.mbr(lm.Lattice.from_strings(["a b", "c d", "e f"], costs=[2.0, 1.0, 3.0]), posterior_scale=0)
    assert found.words == ("c", "d")


# --- Grids


@given(lattice=lattices(), data=st.data())
def test_a_grid_is_one_answer_after_the_other(lattice, data):
    several = {
        name: data.draw(st.lists(st.sampled_from(values), max_size=2, unique=True))
        for name, values in {"posterior_scale": [0.5, 1.0], "T": [2.0, 10.0], "word_penalty": [0.0, 0.2]}.items()
    }
    expected = [
        lm.mbr(lattice, posterior_scale=posterior_scale, T=t, word_penalty=penalty)
        for posterior_scale in several["posterior_scale"]
        for t in several["T"]
        for penalty in several["word_penalty"]
    ]
    assert lm.mbr_grid(lattice, lm.ByNgrams.grid(**several)) == expected


def test_a_grid_counts_once_a_scale(monkeypatch):
    counts = Counter()
    counting = _native.ngram_posteriors
    monkeypatch.setattr(_native, "ngram_posteriors", lambda *given: counts.update(n=1) or counting(*given))
    lattice = lm.Lattice.from_strings(["a b", "c"], costs=[0.0, 1.0])
    assert (
        len(
            lm.mbr_grid(
                lattice, lm.ByNgrams.grid(posterior_scale=[0.5, 1.0, 2.0], p=[0.5, 0.6], r=np.array([0.5, 0.6]))
            )
        )
        == 12
    )
    assert counts["n"] == 3


# --- Edges


def test_one_path_is_the_answer():
    found = lm.mbr(lm.Lattice.from_strings(["a b a"], costs=[7.0]), order=2, T=1, p=0.5, r=0.5)
    assert (found.words, found.cost, found.arcs) == (("a", "b", "a"), 7.0, (0, 1, 2))
    assert found.gain == -3 + 3 * 1 + 2 * 2
    assert found.confidences == (1.0, 1.0, 1.0)


def test_the_empty_string_may_be_best():
    found = lm.mbr(lm.Lattice.from_strings(["", "a"], costs=[0.0, 2.0]))
    assert (found.words, found.gain, found.confidences) == ((), 0.0, ())
    assert lm.mbr(lm.Lattice.from_strings([""])).words == ()


def test_costs_in_the_thousands():
    lattice = lm.Lattice.from_strings(["a b", "b b"], costs=[5000.0, 5001.0])
    assert lm.mbr(lattice) == dataclasses.replace(lm.mbr(lattice, posterior_scale=1.0), cost=5000.0)
    assert lm.mbr(lattice).words == ("a", "b")


def test_words_are_matched_by_their_spelling():
    evidence = lm.Lattice.from_arcs([0, 1], [1, 2], [7, 8], final=[2])
    lattice = lm.Lattice.from_strings(["8 7", "7 8", "new"], costs=[0.0, 5.0, 9.0])
    found = lm.mbr(lattice, evidence=evidence, word_penalty=-0.1)
    assert (found.words, found.confidences, found.one_best) == (("7", "8"), (1.0, 1.0), ("8", "7"))


def test_evidence_may_have_columns_of_its_own():
    lattice = lm.Lattice.from_strings(["a", "b"], costs=[0.0, 0.0], column="mine")
    evidence = lm.Lattice.from_strings(["a", "b"], costs=[1.0, 0.0], column="yours")
    assert lm.mbr(lattice, evidence=evidence, weights={"mine": 1, "yours": 2}).words == ("b",)
    assert lm.mbr(lattice, evidence=evidence, weights={"yours": -1}, beam=0.5).words == ("a",)
    with pytest.raises(lm.InputError, match="no score column 'lm'; the columns here are: mine, yours"):
        lm.mbr(lattice, evidence=evidence, weights={"lm": 1})


def test_an_nbest_list_is_a_lattice():
    hypotheses = [lm.nbest.Hypothesis(tuple(text.split()), {"total": 0.0}) for text in ("a b c", "a x c", "a y b c")]
    assert lm.mbr(lm.NBest(tuple(hypotheses), {"total": 1.0})).words == ("a", "b", "c")


def test_the_answer_is_plain_values_for_json():
    document = lm.mbr(lm.Lattice.from_strings(["a b"], costs=[1.0]), beam=3).asdict()
    assert json.loads(json.dumps(document)) == document
    assert (document["hypothesis"], document["one_best"], document["posterior_scale"], document["beam"]) == (
        "a b",
        "a b",
        1,
        3,
    )


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"T": 0}, "T is 0; give a number above 0"),
        ({"T": math.inf}, "T is inf"),
        ({"p": -0.5}, "p is -0.5"),
        ({"r": math.nan}, "r is nan"),
        ({"r": 1e-300, "order": 9}, "give infinite gains; choose larger values"),
        ({"p": 1e-308, "T": 1e-308}, "give infinite gains"),
        ({"p": 3e-308, "T": 1.0, "order": 1, "r": 1.0}, "too large to be added up"),
        ({"order": 0}, "order 0 is not possible for n-grams"),
        ({"order": 2.5}, "order 2.5 is not possible for n-grams"),
        ({"posterior_scale": math.nan}, "the posterior scale is nan"),
        ({"word_penalty": math.inf}, "the word penalty is inf"),
        ({"beam": -1}, "the beam is -1"),
        ({"beam": math.nan}, "the beam is nan"),
        ({"by": "bleurt"}, "no MBR by 'bleurt'; did you mean 'bleu'"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(wrong, says):
    with pytest.raises(lm.UsageError, match=says):
        lm.mbr(lm.Lattice.from_strings(["a b c d e f"] * 2), **wrong)


# --- OpenFst


GOLD = sorted((DATA / "hifst" / "lmbr-gold").glob("*.hyp"))


@pytest.mark.real_data
@pytest.mark.skipif(not GOLD, reason=f"there are no lattices in {DATA} (LATTICEMETRIC_DATA)")
@pytest.mark.parametrize("file", GOLD, ids=lambda file: getattr(file, "stem", None))
def test_hifst_has_the_same_answers(file):
    """Its recipe: determinize and minimize, prune, again; its output leaves the start of the sentence out."""
    for line in file.read_text().splitlines():
        posterior_scale, penalty, index, *words = line.split()
        lattice = lm.read_one(DATA / "hifst" / "binary" / f"{index.split(':')[0]}.lat.fst.gz")
        lattice = lattice.determinized().pruned(5).determinized()
        found = lm.mbr(
            lattice, posterior_scale=float(posterior_scale), word_penalty=float(penalty), T=10, p=0.7410, r=0.6200
        )
        assert found.words == ("1", *words), index


@given(mild_lattices(), st.sampled_from(["ngram", "2-grr", "chrf"]))
def test_times_are_those_of_the_cheapest_path_of_the_words(lattice, method):
    timed = dataclasses.replace(lattice, times=np.arange(lattice.num_states) / 4)
    answer = lm.mbr(timed, method)
    assert lm.mbr(lattice, method).times is None
    paths = [path for path in timed.paths() if path.words == answer.words]
    least = min(path.cost for path in paths)
    spoken = [[arc for arc in path.arcs if timed.word[arc]] for path in paths if path.cost <= least + 1e-9]
    ends = (timed.source, timed.target)
    expected = [tuple(tuple(timed.times[end[arc]] for end in ends) for arc in arcs) for arcs in spoken]
    assert answer.times in expected


@given(mild_lattices())
def test_times_by_word_errors_are_those_of_the_network(lattice):
    timed = dataclasses.replace(lattice, times=np.arange(lattice.num_states) / 4)
    answer, network = lm.mbr(timed, "wer"), lm.consensus(timed)
    assert (answer.words, answer.times) == (network.words, network.times)
    exact = lm.mbr(timed, "wer", risk="exact")
    assert len(exact.times) == len(exact.words)
    flat = [time for pair in exact.times for time in pair]
    assert flat == sorted(flat)
    assert all(0 <= time <= timed.times[-1] + 1e-9 for time in flat)
