"""Expected rates against enumeration: every path, its probability and its rate by definition."""

import math
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kit.brute_force import Rate
from kit.expectations import mean, slopes, weighed
from kit.paths import DATA, EXAMPLES
from kit.strategies import KNOWN_WORDS, lattices, metrics, mild_forests, mild_lattices, references, scalings

import latticemetric as lm
from latticemetric.posterior import expected as module

scale_factors = st.sampled_from([0.0, 0.3, 1.0, 1.5])
# Ways of the search that small lattices do not need by themselves: which columns become the same.
WAYS = {"plain": {}, "by bounds": {"FEW_STATES": 0, "TABLE_BYTES": 0}, "by differences": {"FEW_STATES": 0}}


ways = st.sampled_from(list(WAYS))


def expected(way, *arguments, **options):
    """The package's answer, found in this way."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in WAYS[way].items():
            patch.setattr(module, name, value)
        return lm.expected(*arguments, **options)


def assert_is_expectation(found, paths):
    """Every field of an exact result, by its definition."""
    assert found.exact
    numerators = defaultdict(list)
    for path in paths:
        numerators[float(path.verdict.numerator)].append(path.probability)
    assert found.numerator == pytest.approx(mean(paths, lambda v: v.numerator), abs=1e-11)
    assert found.denominator == pytest.approx(mean(paths, lambda v: v.denominator), abs=1e-11)
    shares = {numerator: math.fsum(several) for numerator, several in numerators.items()}
    assert list(found.distribution) == sorted(found.distribution)
    assert math.fsum(found.distribution.values()) == pytest.approx(1, abs=1e-12)
    for numerator in shares.keys() | found.distribution.keys():
        assert found.distribution.get(numerator, 0.0) == pytest.approx(shares.get(numerator, 0.0), abs=1e-12)
    if paths[0].verdict.score is None:
        assert (found.value, found.low, found.high, found.variance, found.gradient) == (None,) * 5
        return
    value = mean(paths, lambda v: v.score)
    assert found.value == pytest.approx(value, abs=1e-11)
    assert found.low == found.value == found.high
    assert found.variance == pytest.approx(mean(paths, lambda v: (float(v.score) - value) ** 2), abs=1e-10)


@given(way=ways, lattice=mild_lattices(), given_references=references(), case=metrics(), posterior_scale=scale_factors)
def test_expectations_are_sums_over_paths(way, lattice, given_references, case, posterior_scale):
    metric, rate = case
    found = expected(way, lattice, given_references.argument, metric, posterior_scale=posterior_scale, gradient=True)
    paths = weighed(lattice, given_references.words, rate, posterior_scale)
    assert_is_expectation(found, paths)
    if found.gradient is not None:
        arc, final = slopes(lattice, paths, posterior_scale)
        assert found.gradient == pytest.approx(arc, abs=1e-11)
        assert found.final_gradient == pytest.approx(final, abs=1e-11)


@given(lattice=mild_lattices(), given_references=references(), data=st.data())
def test_scales_of_columns_are_those_of_the_model(lattice, given_references, data):
    weights = data.draw(scalings(lattice))
    found = lm.expected(lattice, given_references.argument, "wer", weights=weights)
    rate = Rate(1, Fraction(1), Fraction(0), counts_errors=True)
    assert_is_expectation(found, weighed(lattice, given_references.words, rate, 1.0, weights))


@given(way=ways, lattice=lattices(), given_references=references(), case=metrics())
def test_costs_may_be_so_large_that_paths_are_impossible(way, lattice, given_references, case):
    found = expected(way, lattice, given_references.argument, case[0])
    assert_is_expectation(found, weighed(lattice, given_references.words, case[1], 1.0))


@given(lattice=mild_lattices(), reference=references(number=1), case=metrics())
def test_gradients_are_finite_differences(lattice, reference, case):
    metric, rate = case
    found = lm.expected(lattice, reference.argument, metric, gradient=True, weights=dict.fromkeys(lattice.scores, 1.0))
    assume(found.value is not None)
    name, step = next(iter(lattice.scores)), 1e-5
    column = lattice.scores[name]

    def value(arc):
        scores = {**lattice.scores, name: lm.Column(arc, column.final, 1.0)}
        moved = lm.Lattice.from_arcs(
            lattice.source, lattice.target, lattice.word, final=lattice.final, scores=scores,
            vocabulary=lattice.vocabulary,
        )  # fmt: skip
        paths = weighed(moved, reference.words, rate, 1.0, dict.fromkeys(lattice.scores, 1.0))
        return mean(paths, lambda verdict: verdict.score)

    for arc in range(min(len(lattice.word), 4)):
        nudge = step * (np.arange(len(lattice.word)) == arc)
        slope = (value(column.arc + nudge) - value(column.arc - nudge)) / (2 * step)
        assert found.gradient[arc] == pytest.approx(slope, abs=1e-7)


@given(way=ways, lattice=mild_lattices(), given_references=references(), case=metrics(), most=st.integers(1, 12))
def test_bounds_hold_under_any_budget(way, lattice, given_references, case, most):
    metric, rate = case
    found = expected(way, lattice, given_references.argument, metric, most_states=most, gradient=True)
    paths = weighed(lattice, given_references.words, rate, 1.0)
    if found.exact:
        assert_is_expectation(found, paths)
        return
    assert (found.gradient, found.distribution, found.variance) == (None, None, None)
    if paths[0].verdict.score is not None:
        value = mean(paths, lambda verdict: verdict.score)
        assert found.low <= value <= found.high
        assert found.low <= found.value <= found.high
        assert abs(found.value - value) <= 6 * found.standard_error + 1e-9


@given(lattice=mild_lattices(), given_references=references(), case=metrics())
def test_no_time_is_enough_for_bounds(lattice, given_references, case):
    found = lm.expected(lattice, given_references.argument, case[0], seconds=0)
    paths = weighed(lattice, given_references.words, case[1], 1.0)
    if found.value is not None:
        assert found.low - 1e-12 <= mean(paths, lambda verdict: verdict.score) <= found.high + 1e-12


@given(
    forest=mild_forests(), given_references=references(), case=metrics(), posterior_scale=st.sampled_from([0.3, 1.0])
)
def test_expectations_over_forests_are_sums_over_derivations(forest, given_references, case, posterior_scale):
    metric, rate = case
    found = lm.expected(forest, given_references.argument, metric, posterior_scale=posterior_scale, gradient=True)
    paths = weighed(forest, given_references.words, rate, posterior_scale)
    assert_is_expectation(found, paths)
    if found.gradient is not None:
        edge, goal = slopes(forest, paths, posterior_scale)
        assert found.gradient == pytest.approx(edge, abs=1e-11)
        assert found.final_gradient == pytest.approx(goal, abs=1e-11)


@given(
    forest=mild_forests(),
    given_references=references(),
    case=metrics(),
    most=st.integers(1, 6),
    shift=st.sampled_from([0.0, 1e10, -1e12]),
)
def test_bounds_of_large_forests_hold(forest, given_references, case, most, shift):
    metric, rate = case
    paths = weighed(forest, given_references.words, rate, 1.0)
    assume(paths[0].verdict.score is not None)
    # A cost that all derivations have changes no probability, but rounds logarithms.
    column = lm.Column(np.zeros(len(forest.head)), np.full(len(forest.goals), shift))
    forest = replace(forest, scores={**forest.scores, "shift": column})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_STACKS", most)
        found = lm.expected(forest, given_references.argument, metric)
    value = mean(paths, lambda verdict: verdict.score)
    assert found.low - 1e-12 <= value <= found.high + 1e-12
    assert found.low <= found.value <= found.high


@given(forest=mild_forests(), case=metrics())
def test_large_forests_have_expected_errors_against_nothing(forest, case):
    metric, rate = case
    paths = weighed(forest, [()], rate, 1.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_STACKS", 0)
        found = lm.expected(forest, [[]], metric, gradient=True)
    assert (found.value, found.low, found.high, found.gradient) == (None,) * 4
    assert found.numerator == pytest.approx(mean(paths, lambda verdict: verdict.numerator), abs=1e-11)


LONG = 150


@given(way=ways, data=st.data(), metric=st.sampled_from(["wer", "2-grr"]))
def test_references_of_several_machine_words(way, data, metric):
    """Columns of some hundred entries: differences of a confusion network, so that paths can be listed."""
    words = [f"w{k}" for k in data.draw(st.lists(st.integers(0, 5), min_size=LONG // 2, max_size=LONG))]
    places = data.draw(st.lists(st.integers(0, len(words) - 1), min_size=1, max_size=4, unique=True))
    source, target, word, cost = [], [], [], []
    vocabulary = lm.Vocabulary.from_words([f"w{k}" for k in range(6)] + ["x"])
    for place, right in enumerate(words):
        other = [data.draw(st.sampled_from(["x", "", "w0"]))] if place in places else []
        for number, spoken in enumerate([right, *other]):
            source.append(place)
            target.append(place + 1)
            word.append(vocabulary.number(spoken) if spoken else 0)
            cost.append(number * 0.5)
    lattice = lm.Lattice.from_arcs(
        source, target, word, final=[len(words)], scores={"cost": lm.Column(cost, [0.0])}, vocabulary=vocabulary
    )
    found = expected(way, lattice, [words], metric)
    scored = lm.make_metric(metric)
    paths = list(lattice.paths())
    weights = np.exp([-path.cost for path in paths])
    values = np.array([scored.score(list(path.words), [words]) for path in paths])
    assert found.value == pytest.approx(float(weights @ values / weights.sum()), abs=1e-12)


@given(lattice=mild_lattices(), reference=references(number=1))
def test_gains_with_fine_units_are_counted(lattice, reference):
    metric = lm.GRR(2, alpha="0.12345678", beta="0.00000001")
    found = lm.expected(lattice, reference.argument, metric)
    posterior = lm.posteriors(lattice)
    counted = defaultdict(float)
    for path in lattice.paths():
        end = lattice.target[path.arcs[-1]] if path.arcs else 0
        p = float(np.prod(posterior.transition[list(path.arcs)]))
        row = int(np.searchsorted(lattice.final, end))
        p *= posterior.ending[row] / posterior.state[end]
        statistics = metric.statistics(list(path.words), [list(reference.words[0])])
        counted[metric.numerator(statistics)] += p
    assert found.distribution.keys() == {k for k, p in counted.items() if p > 0}
    for numerator, probability in found.distribution.items():
        assert probability == pytest.approx(counted[numerator], abs=1e-12)


def test_references_without_words_have_no_rate():
    lattice = lm.Lattice.from_strings(["a b", "c"], costs=[0.0, 0.0])
    found = lm.expected(lattice, [[]], "wer", gradient=True)
    assert (found.value, found.low, found.high, found.gradient) == (None,) * 4
    assert found.numerator == pytest.approx(1.5)
    assert lm.expected(lattice, [[], ["a", "b"]], "wer").value == pytest.approx(0.5)


def test_no_bound_is_beyond_all_rates(monkeypatch):
    forest = lm.Forest.from_edges([0, 0, 1], [[], [], [0, 0]], [[1], [2], [-1, 1, -2]], goals=[1])
    budget = dict(lm.read(EXAMPLES / "meeting.lat.txt"))["meeting-002"]
    monkeypatch.setattr(module, "MOST_STACKS", 0)
    for graph, texts in ((forest, ["1 1 1"]), (budget, ["the budget is too small", "a"])):
        errors, rights = (lm.expected(graph, texts, metric, most_states=2) for metric in ("wer", "wrr"))
        assert not errors.exact
        assert errors.low >= 0
        assert rights.high <= 1


def test_n_best_lists_have_a_gradient_for_each_hypothesis():
    hypotheses = [
        lm.nbest.Hypothesis(words, {"total": cost}) for words, cost in (("a b", 0.0), ("", 1.0), ("a b", 2.0))
    ]
    found = lm.expected(lm.NBest(tuple(hypotheses), {}), "a b", gradient=True)
    weights = np.exp([0.0, -1.0, -2.0])
    shares = weights / weights.sum()
    assert found.value == pytest.approx(shares[1])
    assert found.gradient == pytest.approx(-shares * (np.array([0.0, 1.0, 0.0]) - shares[1]))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"most_states": 0}, "limited to 0 states"),
        ({"most_states": True}, "limited to True states"),
        ({"seconds": -1}, "limited to -1 seconds"),
        ({"seconds": math.nan}, "limited to nan seconds"),
        ({"posterior_scale": math.inf}, "the posterior scale is inf"),
        ({"metric": "bleu"}, "'bleu' cannot search a graph"),
        ({"references": []}, "has no reference"),
        ({"metric": lm.GRR(4, alpha="1e18")}, "too many digits"),
        ({"weights": {"no": 1.0}}, "no score column 'no'"),
    ],
)
def test_hostile_arguments_are_refused(options, problem):
    lattice = lm.Lattice.from_strings(["a b c", "c"], costs=[0.0, 1.0])
    with pytest.raises(lm.LatticeMetricError, match=problem):
        lm.expected(**{"graph": lattice, "references": "a b", **options})


def test_a_search_stays_within_its_memory(memory_limit):
    """Without enough memory for the product, there are bounds."""
    lattice, reference = dense(16, 30, 5)
    memory_limit("64M")
    found = lm.expected(lattice, [reference], "4-grr", most_states=10**9, seconds=2)
    assert not found.exact
    assert found.low < found.value < found.high


def dense(places, states, arcs):
    """A flat random lattice: hardly two columns are the same."""
    draw = np.random.default_rng(1)
    vocabulary = lm.Vocabulary.from_words([f"w{k}" for k in range(12)])
    rows = [
        (
            place * states + state if place else 0,
            (place + 1) * states + int(draw.integers(states)),
            int(draw.integers(1, 13)),
        )
        for place in range(places)
        for state in range(states)
        for _ in range(arcs)
    ]
    source, target, word = zip(*rows, strict=True)
    final = sorted({one for one in target if one >= places * states})
    lattice = lm.Lattice.from_arcs(source, target, word, final=final, vocabulary=vocabulary)
    return lattice, vocabulary.decode(draw.integers(1, 13, places))


@pytest.mark.parametrize("metric", ["wer", "2-grr"])
def test_sixteen_states_a_node_bound_a_dense_lattice_closely(metric):
    lattice, reference = dense(12, 10, 4)
    exact = lm.expected(lattice, [reference], metric)
    rough = lm.expected(lattice, [reference], metric, most_states=1)
    assert exact.exact
    assert not rough.exact
    assert rough.low <= exact.value <= rough.high
    assert rough.high - rough.low < 0.05


def test_real_lattices_are_exact_and_below_kaldi_s_bound():
    """Kaldi's Bayes risk of its own words is an upper bound of theirs."""
    if not (DATA / "kaldi").is_dir():
        pytest.skip("real lattices are elsewhere")
    scale = 0.0833333
    words = _table(DATA / "kaldi" / f"ami3.kaldi-mbr-words.acscale-{scale}.txt")
    risk = _table(DATA / "kaldi" / f"ami3.kaldi-mbr-risk.acscale-{scale}.txt")
    for name, lattice in lm.read(DATA / "kaldi" / "ami3.lat.txt.gz"):
        found = lm.expected(lattice, [words[name]], "wer", weights={"acoustic": scale})
        assert found.exact
        assert found.numerator <= float(risk[name][-1]) + 1e-4


def _table(path):
    return {line.split()[0]: line.split()[1:] for line in path.read_text().splitlines()}


@pytest.mark.parametrize("references", ["", "hello"])
def test_forests_that_cannot_be_unfolded_count_no_words_as_characters(monkeypatch, references):
    vocabulary = lm.Vocabulary.from_words(["hello", "world"])
    forest = lm.Forest.from_edges([0, 0, 1], [[], [], [0, 0]], [[1], [2], [-1, -2]], goals=[1], vocabulary=vocabulary)
    assert lm.expected(forest, "", "cer").numerator == pytest.approx(11)
    monkeypatch.setattr(module, "MOST_STACKS", 1)
    with pytest.raises(lm.InputError, match="too many derivations for cer"):
        lm.expected(forest, references, "cer")


@given(
    texts=st.lists(st.lists(st.sampled_from(KNOWN_WORDS), max_size=4), min_size=1, max_size=6),
    costs=st.lists(st.sampled_from([0.5, 1.0, 1.5, 700.0]), min_size=6, max_size=6),
    given_references=references(),
    case=metrics(),
    posterior_scale=scale_factors,
)
def test_each_hypothesis_of_a_list_is_aligned_alone(texts, costs, given_references, case, posterior_scale):
    nbest = lm.NBest.from_strings(texts, costs=costs[: len(texts)]).to_lattice()
    settings = {"posterior_scale": posterior_scale, "gradient": True}
    found = lm.expected(nbest, given_references.argument, case[0], most_states=1, **settings)
    searched = lm.expected(replace(nbest, ranked=False), given_references.argument, case[0], **settings)
    assert found.exact
    for name in ("value", "numerator", "denominator", "variance", "low", "high"):
        one = getattr(searched, name)
        assert getattr(found, name) == (None if one is None else pytest.approx(one, abs=1e-9)), name
    shares, others = ({k: p for k, p in one.distribution.items() if p > 1e-200} for one in (found, searched))
    assert shares == pytest.approx(others, abs=1e-9)
    if found.value is not None:
        assert found.gradient == pytest.approx(searched.gradient, abs=1e-9)
        assert found.final_gradient == pytest.approx(searched.final_gradient, abs=1e-9)


def test_lists_of_long_texts_take_little_memory(memory_limit):
    words = [str(number) for number in range(6_000)]
    nbest = lm.NBest.from_strings([words, words[1:], words[:3000] + words[3002:]], costs=[1.0, 1.0, 1.0])
    memory_limit(200_000_000)
    for metric in ("wer", "cer", "4-grr"):
        assert lm.expected(nbest, [words], metric).exact
    assert lm.expected(nbest, [words], "wer").numerator == pytest.approx(1)
