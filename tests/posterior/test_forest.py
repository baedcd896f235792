"""Posteriors, beams and MBR of forests against the list of all derivations."""

import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.brute_force import enumerate_derivations
from kit.formats import ForestDraft, can_be_listed, forest_drafts
from kit.paths import DATA
from kit.posteriors import expected_posteriors, gain_of, parameters, spelled_rows
from kit.strategies import COLUMN_NAMES, COST_RANGES, KNOWN_WORDS, lattices, scalings

import latticemetric as lm
from latticemetric import _native
from latticemetric.engine.native import ExactGains, derivation_of_ngrams
from latticemetric.lattice.n_best import summable

_MOST_DERIVATIONS = 100


def drafted(words, values):
    return (
        forest_drafts(words, list(COLUMN_NAMES), values)
        .filter(lambda draft: can_be_listed(draft, _MOST_DERIVATIONS))
        .filter(lambda draft: draft.forest().statistics().longest <= 20)
        .map(ForestDraft.forest)
    )


small_costs = st.integers(-8, 16).map(lambda eighths: eighths / 8)

# Of two words hardly an n-gram does not repeat, overlap itself, or reach over parts that may be empty.
forests = drafted(list(KNOWN_WORDS), small_costs) | drafted(list("ab"), small_costs)
tied_forests = st.sampled_from(COST_RANGES).flatmap(lambda values: drafted(list("abc"), values))


class Listed:
    """A derivation as brute force has it."""

    def __init__(self, forest, path, chosen):
        self.edges, self.words = path.arcs, path.words
        self.goal = int(forest.head[path.arcs[0]])
        self.cost = float(sum(Fraction(chosen[name]) * total for name, total in path.sums.items()))


def listed(forest, weights=None):
    chosen = {name: column.weight for name, column in forest.scores.items()} | (weights or {})
    return [Listed(forest, path, chosen) for path in enumerate_derivations(forest)]


def weighed(forest, posterior_scale=1.0, weights=None):
    """Every derivation with its probability, and the logarithm of the sum of their weights."""
    found = listed(forest, weights)
    least = min(posterior_scale * one.cost for one in found)
    shares = [math.exp(least - posterior_scale * one.cost) for one in found]
    total = math.fsum(shares)
    return [(one, weight / total) for one, weight in zip(found, shares, strict=True)], math.log(total) - least


# --- Inside and outside


@given(forest=forests, posterior_scale=st.sampled_from([0.0, 0.5, 1.0, 2.0]), data=st.data())
def test_posteriors_are_sums_over_derivations(forest, posterior_scale, data):
    weights = data.draw(scalings(forest))
    sums, log_total = weighed(forest, posterior_scale, weights)
    edge, node, ending = np.zeros(len(forest.head)), np.zeros(forest.num_nodes), np.zeros(len(forest.goals))
    for one, probability in sums:
        for e in one.edges:
            edge[e] += probability
            node[forest.head[e]] += probability
        ending[np.searchsorted(forest.goals, one.goal)] += probability
    found = lm.posteriors(forest, posterior_scale=posterior_scale, weights=weights)
    assert found.edge == pytest.approx(edge, abs=1e-11)
    assert found.node == pytest.approx(node, abs=1e-11)
    assert found.ending == pytest.approx(ending, abs=1e-11)
    assert found.entropy == pytest.approx(-math.fsum(p * math.log(p) for _, p in sums if p), abs=1e-9)
    assert found.log_total == pytest.approx(log_total, rel=1e-12, abs=1e-9)
    values, ends = np.arange(len(forest.head)), np.arange(len(forest.goals)) / 3
    expected = math.fsum(p * sum(one.edges) for one, p in sums)
    assert found.expected(values) == pytest.approx(expected, abs=1e-9)
    expected += math.fsum(p * ends[np.searchsorted(forest.goals, one.goal)] for one, p in sums)
    assert found.expected(values, ends) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40)
@given(forest=forests)
def test_derivations_are_drawn_as_probable_as_they_are(forest):
    probable = {tuple(one.edges): p for one, p in weighed(forest)[0]}
    count = 2000
    drawn = Counter(tuple(edges.tolist()) for edges in lm.posteriors(forest).sample(count, seed=1))
    assert drawn.keys() <= probable.keys()
    # Chi-square over derivations that are expected often enough; chance passes this bound once in a million times.
    often = {edges: p for edges, p in probable.items() if p * count >= 5}
    square = sum((drawn[edges] - p * count) ** 2 / (p * count) for edges, p in often.items())
    assert square < len(often) + 6 * math.sqrt(2 * len(often)) + 30


@given(lattice=lattices(), posterior_scale=st.sampled_from([0.5, 1.0, 2.0]), order=st.integers(1, 4))
def test_a_lattice_as_a_forest_has_the_same_numbers(lattice, posterior_scale, order):
    one, other = (
        lm.posteriors(lattice, posterior_scale=posterior_scale),
        lm.posteriors(lm.Forest.from_lattice(lattice), posterior_scale=posterior_scale),
    )
    assert other.log_total == pytest.approx(one.log_total, rel=1e-12, abs=1e-9)
    assert other.entropy == pytest.approx(one.entropy, abs=1e-9)
    assert other.ending == pytest.approx(one.ending, abs=1e-11)
    assert other.node == pytest.approx(one.state, abs=1e-11)
    assert dict(other.ngrams(order)) == pytest.approx(dict(one.ngrams(order)), abs=1e-9)
    assert other.words() == pytest.approx(one.words(), abs=1e-9)


def two_ways(first, second):
    """A forest that says `a b` or `b b`, each word from a tail."""
    column = lm.Column([first, second, 0.0, 0.0], [0.0])
    return lm.Forest.from_edges(
        [0, 0, 1, 2], [[], [], [], [0, 1]], [[1], [2], [2], [-1, -2]], goals=[2],
        scores={"cost": column}, vocabulary=lm.Vocabulary.from_words(list("ab")),
    )  # fmt: skip


def test_costs_in_the_thousands_do_not_underflow():
    found = lm.posteriors(two_ways(5000.0, 5000.0 + math.log(3)))
    assert found.edge == pytest.approx([0.75, 0.25, 1.0, 1.0])
    assert found.log_total == pytest.approx(-5000 + math.log(4 / 3))
    assert dict(found.ngrams(2)) == pytest.approx({("a",): 0.75, ("b",): 1.0, ("a", "b"): 0.75, ("b", "b"): 0.25})
    assert lm.posteriors(two_ways(-5000.0, 5000.0)).log_total == pytest.approx(5000)


def test_derivations_that_are_next_to_impossible_keep_their_ngrams():
    found = lm.posteriors(two_ways(0.0, 1e6)).ngrams(2)
    assert dict(found) == {("a",): 1.0, ("b",): 1.0, ("a", "b"): 1.0, ("b", "b"): 0.0}
    assert lm.mbr(two_ways(0.0, 1e6)).words == ("a", "b")


@pytest.mark.parametrize("posterior_scale", [math.nan, math.inf])
def test_a_scale_that_makes_no_sense_is_refused(posterior_scale):
    with pytest.raises(lm.UsageError, match="the posterior scale is"):
        lm.posteriors(two_ways(1.0, 2.0), posterior_scale=posterior_scale)


def test_costs_that_cannot_be_added_up_are_refused():
    with pytest.raises(lm.InputError, match="too large"):
        lm.posteriors(two_ways(1e300, 0.0), posterior_scale=1e300)


def doubled(depth):
    """A forest whose only derivation says 2 ** depth words."""
    return lm.Forest.from_edges(
        range(depth + 1), [[], *([k, k] for k in range(depth))], [[5], *([-1, -2] for _ in range(depth))], goals=[depth]
    )


def test_derivations_that_nobody_can_write_out():
    found = lm.posteriors(doubled(40))
    assert found.edge[0] == 2.0**40
    assert found.ngrams(2)["5", "5"] == 1.0
    with pytest.raises(lm.InputError, match="cannot sample from derivations"):
        found.sample(1, seed=0)
    for search in (lm.mbr, lm.best, lambda forest: forest.n_best(1)):  # more memory, or a lower order, would not help
        with pytest.raises(lm.InputError, match=r"more than 262144 edges.*many times; prune the forest$"):
            search(doubled(40))
    with pytest.raises(lm.InputError, match="too large to be added up"):
        lm.posteriors(doubled(1100))
    with pytest.raises(lm.UsageError, match="cannot sample -1 derivations"):
        found.sample(-1, seed=0)


# --- N-grams


@given(forest=forests, order=st.integers(1, 5), posterior_scale=st.sampled_from([0.0, 0.5, 1.0, 2.0]), data=st.data())
@settings(max_examples=300)
def test_posteriors_are_sums_over_the_derivations_that_say_an_ngram(forest, order, posterior_scale, data):
    weights = data.draw(scalings(forest))
    expected = expected_posteriors(weighed(forest, posterior_scale, weights)[0], order)
    found = lm.posteriors(forest, posterior_scale=posterior_scale, weights=weights).ngrams(order)
    assert dict(found) == pytest.approx(expected, abs=1e-9)


@given(forest=forests)
def test_an_order_may_be_longer_than_all_strings(forest):
    found = lm.posteriors(forest).ngrams(2**31 - 1)
    assert dict(found) == pytest.approx(expected_posteriors(weighed(forest)[0], 20), abs=1e-9)


def test_more_ngrams_than_may_be_are_refused(memory_limit):
    memory_limit(100)
    with pytest.raises(
        lm.InputError, match="do not fit into memory; prune the graph, choose a lower order, or allow more"
    ):
        lm.posteriors(two_ways(0.0, 0.0)).ngrams(2)


@pytest.mark.parametrize("order", [0, 2**31])
def test_an_order_that_makes_no_sense_is_refused(order):
    with pytest.raises(lm.UsageError, match=f"order {order} cannot be counted; choose an order from 1 to 2147483647"):
        lm.posteriors(two_ways(0.0, 0.0)).ngrams(order)


# --- Beams


@given(forest=forests | tied_forests, beam=st.sampled_from([0.0, 0.125, 1.0, 3.0]), data=st.data())
def test_a_beam_keeps_what_is_in_derivations_within_it(forest, beam, data):
    weights = data.draw(scalings(forest))
    everything = listed(forest, weights)
    within = [one for one in everything if one.cost <= min(other.cost for other in everything) + beam]
    edges, goals = {e for one in within for e in one.edges}, {one.goal for one in within}
    kept = [one for one in everything if edges.issuperset(one.edges) and one.goal in goals]
    pruned = forest.pruned(beam, weights)
    found = [(one.words, one.cost) for one in listed(pruned, weights)]
    assert found == [(one.words, one.cost) for one in kept]
    assert len(pruned.head) == len(edges)


def test_a_pruned_forest_keeps_its_labels():
    forest = lm.Forest.from_edges(
        [0, 0, 1], [[], [], [0]], [[1], [2], [-1, 2]], goals=[0, 1],
        scores={"cost": lm.Column([0.0, 5.0, 1.0], [2.0, 0.0])}, vocabulary=lm.Vocabulary.from_words(list("ab")),
        labels={"side": lm.Labels(np.array([1, 2, 2]), np.array([1, 2]), lm.Vocabulary.from_words(list("xy")))},
        node_labels={"category": lm.NodeLabels.from_texts(["S", "T"])},
    )  # fmt: skip
    pruned = forest.pruned(0.5)
    assert pruned.labels["side"].arc.tolist() == [1, 2]
    assert pruned.labels["side"].final.tolist() == [2]
    assert pruned.node_labels["category"].node.tolist() == forest.node_labels["category"].node.tolist()
    assert pruned.goals.tolist() == [1]


@pytest.mark.parametrize("beam", [-1, math.nan])
def test_a_beam_that_makes_no_sense_is_refused(beam):
    with pytest.raises(lm.UsageError, match=f"the beam is {beam}"):
        two_ways(0.0, 0.0).pruned(beam)


# --- MBR


def assert_is_best(found, forest, sums, chosen, weights=None):
    """No derivation gains more, none of the same words is before the one found, and all that is said of it is so."""
    posterior = expected_posteriors(sums, chosen["order"])
    everything = listed(forest, weights)
    assert found.gain == pytest.approx(max(gain_of(one.words, posterior, **chosen) for one in everything), abs=1e-9)
    assert found.gain == pytest.approx(gain_of(found.words, posterior, **chosen), abs=1e-9)
    own = next(one for one in everything if one.edges == found.edges)
    assert (own.words, own.cost) == (found.words, pytest.approx(found.cost))
    assert (own.cost, own.edges) == min((one.cost, one.edges) for one in everything if one.words == own.words)
    assert found.one_best == min(everything, key=lambda one: (one.cost, len(one.words), one.edges)).words
    assert found.confidences == pytest.approx([posterior.get((word,), 0.0) for word in found.words], abs=1e-9)
    assert found.derivation == forest.tree(found.edges).bracketed()
    assert found.arcs == ()


@settings(max_examples=200)
@given(forest=forests | tied_forests, chosen=parameters, data=st.data())
def test_no_derivation_of_a_forest_gains_more(forest, chosen, data):
    weights = data.draw(scalings(forest))
    sums = weighed(forest, chosen["posterior_scale"], weights)[0]
    assert_is_best(lm.mbr(forest, **chosen, weights=weights), forest, sums, chosen, weights)


@given(forest=forests, evidence=forests, chosen=parameters)
def test_evidence_may_be_another_forest(forest, evidence, chosen):
    sums = weighed(evidence, chosen["posterior_scale"])[0]
    assert_is_best(lm.mbr(forest, **chosen, evidence=evidence), forest, sums, chosen)


@given(forest=forests, lattice=lattices(), chosen=parameters)
def test_evidence_may_be_a_lattice_of_a_forest_and_the_other_way_round(forest, lattice, chosen):
    alike = lm.Forest.from_lattice(lattice)
    one, other = lm.mbr(forest, **chosen, evidence=lattice), lm.mbr(forest, **chosen, evidence=alike)
    assert one.gain == pytest.approx(other.gain, abs=1e-9)
    assert_is_best(one, forest, weighed(alike, chosen["posterior_scale"])[0], chosen)
    one, other = lm.mbr(lattice, **chosen, evidence=forest), lm.mbr(alike, **chosen, evidence=forest)
    assert one.gain == pytest.approx(other.gain, abs=1e-9)
    assert one.cost == pytest.approx(other.cost)
    assert lattice.words(one.arcs) == one.words


def test_ngrams_longer_than_any_string_of_the_forest_gain_nothing():
    evidence = lm.Lattice.from_strings(["a a"])
    found = lm.mbr(lm.Forest.from_lattice(lm.Lattice.from_strings(["a", ""])), evidence=evidence, T=0.5, r=0.5, order=2)
    assert (found.words, found.gain) == ((), 0.0)


@given(forest=forests, chosen=parameters, beam=st.sampled_from([0.0, 0.5, 2.0, 100.0]))
def test_pruning_comes_first(forest, chosen, beam):
    found, plain = lm.mbr(forest, **chosen, beam=beam), lm.mbr(forest.pruned(beam), **chosen)
    assert (found.words, found.gain, found.cost, found.one_best) == (
        plain.words, plain.gain, plain.cost, plain.one_best,
    )  # fmt: skip
    assert forest.words(found.edges) == found.words


@settings(max_examples=300)
@given(forest=tied_forests, data=st.data())
def test_ties_go_to_cost_then_words_then_edges(forest, data):
    order = data.draw(st.integers(1, 4))
    counted = lm.posteriors(forest, posterior_scale=0).ngrams(order)
    whole = st.integers(-1, 1).map(float)
    gain = np.array(data.draw(st.lists(whole, min_size=len(counted) + 1, max_size=len(counted) + 1)))
    word_gain = data.draw(whole)
    words = np.unique(counted.word[1:])
    edges, bound, exact = _native.search_forest_ngrams(
        summable(forest.hypergraph(forest.cost())), own=words, known=words,
        parent=counted.parent, ending=counted.word, gain=gain, word_gain=word_gain, order=order,
        most_items=2**60, seconds=math.inf, most_bytes=2**30,
    )  # fmt: skip
    value = dict(zip(spelled_rows(counted), gain.tolist(), strict=True))

    def preference(one):
        spans = [one.words[k:end] for end in range(1, len(one.words) + 1) for k in range(max(0, end - order), end)]
        return -word_gain * len(one.words) - sum(value[s] for s in spans), one.cost, len(one.words), one.edges

    best = min(listed(forest), key=preference)
    assert tuple(edges.tolist()) == best.edges
    assert (bound, exact) == (-preference(best)[0], True)


@settings(max_examples=300)
@given(forest=tied_forests, chosen=parameters)
def test_ties_of_posteriors_go_to_cost_then_words_then_edges(forest, chosen):
    posterior = expected_posteriors(weighed(forest, chosen["posterior_scale"])[0], chosen["order"])
    everything = [(gain_of(one.words, posterior, **chosen), one) for one in listed(forest)]
    largest = max(gain for gain, _ in everything)
    tied = [one for gain, one in everything if gain > largest - 1e-9]
    found = lm.mbr(forest, **chosen)
    assert found.edges == min(tied, key=lambda one: (one.cost, len(one.words), one.edges)).edges


def charted(seed, words):
    """The forest of a chart over four places with phrases of up to four words, in order or swapped."""
    random = np.random.default_rng(seed)
    head, tails, target, node = [], [], [], {}
    for length in range(1, 5):
        for start in range(5 - length):
            node[start, start + length] = len(node)
    for (start, end), number in node.items():
        for _ in range(3 if end - start == 1 else 1):
            head.append(number)
            tails.append([])
            target.append(random.integers(1, words + 1, random.integers(0, 5)).tolist())
        for middle in range(start + 1, end):
            said = random.permutation([-1, -2, *random.integers(1, words + 1, random.integers(0, 2))])
            head.append(number)
            tails.append([node[start, middle], node[middle, end]])
            target.append(said.tolist())
    column = lm.Column(random.integers(0, 9, len(head)) / 4, [0.0])
    return lm.Forest.from_edges(head, tails, target, goals=[node[0, 4]], scores={"cost": column})


@pytest.mark.parametrize("words", [2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_contexts_by_the_dozen_are_searched_and_counted(seed, words):
    forest = charted(seed, words)
    sums, _ = weighed(forest)
    posterior = expected_posteriors(sums, 4)
    assert dict(lm.posteriors(forest).ngrams(4)) == pytest.approx(posterior, abs=1e-9)
    for penalty in (0.0, -0.2):
        chosen = {"T": 10.0, "p": 0.85, "r": 0.72, "order": 4, "word_penalty": penalty, "posterior_scale": 1.0}
        gains = {one.words: gain_of(one.words, posterior, **chosen) for one, _ in sums}
        found = lm.mbr(forest, word_penalty=penalty)
        assert found.gain == pytest.approx(max(gains.values()), abs=1e-9)
        assert found.gain == pytest.approx(gains[found.words], abs=1e-9)


def assert_bounds_hold(found, forest, sums, chosen, weights=None):
    """The gain is that of the words, and the best gain lies between it and its bound."""
    posterior = expected_posteriors(sums, chosen["order"])
    gains = {one.words: gain_of(one.words, posterior, **chosen) for one in listed(forest, weights)}
    assert found.gain == pytest.approx(gains[found.words], abs=1e-9)
    assert found.gain - 1e-9 <= max(gains.values()) <= found.gain_bound + 1e-12
    assert math.isfinite(found.gain_bound)
    if found.exact:
        assert found.gain == pytest.approx(max(gains.values()), abs=1e-9)
        assert found.gain_bound == found.gain


limits = st.sampled_from([1, 2, 5, 10, 20, 50, 100, 500])


@settings(max_examples=300)
@given(forest=forests | tied_forests, chosen=parameters, most_items=limits, data=st.data())
def test_a_search_that_stops_early_has_bounds_that_hold(forest, chosen, most_items, data):
    weights = data.draw(scalings(forest))
    sums = weighed(forest, chosen["posterior_scale"], weights)[0]
    found = lm.mbr(forest, **chosen, weights=weights, most_items=most_items)
    assert_bounds_hold(found, forest, sums, chosen, weights)
    assert found == lm.mbr(forest, **chosen, weights=weights, most_items=most_items)
    if not found.exact:
        assert_is_best(lm.mbr(forest, **chosen, weights=weights), forest, sums, chosen, weights)


@given(forest=forests, evidence=forests | lattices(), chosen=parameters, most_items=limits)
def test_bounds_hold_with_other_evidence(forest, evidence, chosen, most_items):
    alike = evidence if isinstance(evidence, lm.Forest) else lm.Forest.from_lattice(evidence)
    found = lm.mbr(forest, **chosen, evidence=evidence, most_items=most_items)
    assert_bounds_hold(found, forest, weighed(alike, chosen["posterior_scale"])[0], chosen)


@pytest.mark.parametrize("words", [2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_of_contexts_by_the_dozen_come_closer_with_more_items(seed, words):
    forest = charted(seed, words)
    sums, _ = weighed(forest)
    for penalty in (0.0, -0.1, -0.2):
        chosen = {"T": 10.0, "p": 0.85, "r": 0.72, "order": 4, "word_penalty": penalty, "posterior_scale": 1.0}
        bounds = []
        for most_items in (1, 100, 1000, 2000, 5000, 10_000, 1_000_000):
            found = lm.mbr(forest, word_penalty=penalty, most_items=most_items)
            assert_bounds_hold(found, forest, sums, chosen)
            bounds.append(found.gain_bound)
        assert found.exact
        assert bounds == sorted(bounds, reverse=True)
        assert bounds[0] > bounds[-1]


def test_a_search_without_time_has_bounds_that_hold():
    forest = charted(0, 5)
    chosen = {"T": 10.0, "p": 0.85, "r": 0.72, "order": 4, "word_penalty": 0.0, "posterior_scale": 1.0}
    found = lm.mbr(forest, seconds=0)
    assert_bounds_hold(found, forest, weighed(forest)[0], chosen)
    assert not found.exact
    assert found.words == found.one_best
    assert lm.mbr(forest, seconds=1e6).exact


def test_lattices_need_no_limits():
    lattice = lm.Lattice.from_strings(["a b", "a c"], costs=[0.0, 0.5])
    found = lm.mbr(lattice, most_items=1, seconds=0)
    assert found.exact
    assert found.gain_bound == found.gain


@given(forest=forests, order=st.integers(1, 5), posterior_scale=st.sampled_from([0.0, 0.5, 2.0]))
def test_posteriors_on_demand_are_those_of_all_ngrams(forest, order, posterior_scale):
    sums, _ = weighed(forest, posterior_scale)
    expected = expected_posteriors(sums, order)
    counted = lm.posteriors(forest, posterior_scale=posterior_scale).ngrams_on_demand(order)
    for one, _ in sums[:5]:
        found = dict(counted.of_string(one.words))
        ngrams = {one.words[k:end] for k in range(len(one.words)) for end in range(k + 1, len(one.words) + 1)}
        assert found == pytest.approx({n: expected[n] for n in ngrams if len(n) <= order}, abs=1e-9)
    assert dict(counted.of_string(["elsewhere"])) == {}


@pytest.mark.parametrize("most_items", [10, 1000, 10**9])
def test_a_grid_of_a_forest_is_one_answer_after_the_other(most_items):
    for forest in (two_ways(0.0, 0.7), charted(0, 5)):
        grid = lm.ByNgrams.grid(posterior_scale=[0.5, 1.0], word_penalty=[0.0, -0.2], most_items=most_items)
        assert lm.mbr_grid(forest, grid) == [lm.mbr(forest, one) for one in grid]


def test_the_answer_is_plain_values_for_json():
    document = lm.mbr(two_ways(0.0, 0.7)).asdict()
    assert json.loads(json.dumps(document)) == document
    assert (document["hypothesis"], document["edges"], document["derivation"]) == ("a b", [3, 0, 2], "(2 (0 a) (1 b))")
    assert "arcs" not in document


def test_word_errors_ask_for_a_lattice():
    with pytest.raises(lm.InputError, match="the forest is not a lattice: edge 3, of node 2, has 2 tails"):
        lm.mbr(two_ways(0.0, 0.7), "wer")
    with pytest.raises(lm.InputError, match="the forest is not a lattice"):
        lm.consensus(two_ways(0.0, 0.7))


def test_a_search_that_takes_too_much_is_refused(memory_limit):
    memory_limit(400_000)
    column = lm.Column(np.arange(2000) / 100, [0.0])
    forest = lm.Forest.from_edges(
        [0] * 2000, [[]] * 2000, [[1 + k // 50, 1 + k % 50] for k in range(2000)], goals=[0], scores={"cost": column}
    )
    with pytest.raises(lm.InputError, match="does not fit into memory; prune the graph"):
        lm.mbr(forest)


# --- Real forests


@pytest.mark.real_data
@pytest.mark.skipif(not (DATA / "forests").is_dir(), reason=f"there are no forests in {DATA} (LATTICEMETRIC_DATA)")
@pytest.mark.parametrize("posterior_scale", [0.1, 1.0])
def test_a_real_forest_agrees_with_the_list_of_its_derivations(posterior_scale):
    forest = lm.read_one(DATA / "forests" / "training_dpmert_test_data_0.json.gz")
    found = list(forest.derivations())
    least = min(one.cost for one in found)
    weights = [math.exp(posterior_scale * (least - one.cost)) for one in found]
    total = math.fsum(weights)
    posterior = expected_posteriors([(one, w / total) for one, w in zip(found, weights, strict=True)], 4)
    assert dict(lm.posteriors(forest, posterior_scale=posterior_scale).ngrams(4)) == pytest.approx(posterior, abs=1e-9)
    best = lm.mbr(forest, posterior_scale=posterior_scale)
    chosen = {"T": 10.0, "p": 0.85, "r": 0.72, "order": 4, "word_penalty": 0.0, "posterior_scale": posterior_scale}
    gains = {one.words: gain_of(one.words, posterior, **chosen) for one in found}
    assert best.gain == pytest.approx(max(gains.values()), abs=1e-9)
    assert best.gain == pytest.approx(gains[best.words], abs=1e-9)


@pytest.mark.real_data
@pytest.mark.skipif(not (DATA / "forests").is_dir(), reason=f"there are no forests in {DATA} (LATTICEMETRIC_DATA)")
def test_a_large_forest_has_the_answer_of_all_its_ngrams():
    """Of its 700,000 n-grams, the search counts a few thousand."""
    forest = lm.read_one(DATA / "forests" / "decoder_test_data_urdu.json.gz")
    found = lm.mbr(forest)
    counted = lm.posteriors(forest).ngrams(4)
    gain = np.array([0.0, *found.by.factors])[counted.lengths] * counted.posterior
    gains = ExactGains.of(gain, found.by.of_word, 100.0)
    native = summable(forest.hypergraph(forest.cost()))
    words = np.unique(counted.word[1:])
    edges, bound, exact = derivation_of_ngrams(native, words, words, counted, gains)
    assert (found.exact, exact) == (True, True)
    assert found.edges == tuple(edges.tolist())
    assert found.gain == pytest.approx(bound, abs=1e-9)
    early = lm.mbr(forest, most_items=100_000)
    assert not early.exact
    assert early.gain <= found.gain < early.gain_bound
