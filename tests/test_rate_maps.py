"""Rates with other gains and other maps: every verb agrees with enumeration through `metric.score`."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.brute_force import enumerate_alignments, enumerate_derivations, enumerate_paths, ngram_matches
from kit.strategies import mild_forests, mild_lattices, references, sentences

import latticemetric as lm
from latticemetric.automata.recognition import Gains
from latticemetric.metrics.recognition import ErrorRate
from latticemetric.oracle_search.margin import fears, hopes, worst
from latticemetric.posterior import expected as expectation
from latticemetric.training.batch import Batch


class Costly(ErrorRate):
    """An error rate of order 1 with other penalties."""

    name = "costly-er"

    def __init__(self):
        super().__init__(1, alpha=2, beta="1/2")


class Bigrams(ErrorRate):
    """An error rate of order 2."""

    name = "bigram-er"

    def __init__(self):
        super().__init__(2, alpha="0.5", beta=1)


class Shifted(lm.GRR):
    """A recognition rate with another map, where higher is better."""

    name = "shifted"
    offset = "0.25"
    scale = Fraction(2, 3)

    def __init__(self):
        super().__init__(3, alpha="-1/3", beta="1/4")


class Loss(lm.GRR):
    """A recognition rate turned round by a property, whose best value is −1."""

    name = "loss"

    @property
    def scale(self):
        return -1

    def __init__(self):
        super().__init__(2)


METRICS = [
    Costly(), Bigrams(), Shifted(), Loss(),
    lm.WER(substitution=1.5), lm.WER(substitution="1/3"), lm.WER(substitution=3, ignore=["b"]),
]  # fmt: skip
metrics = st.sampled_from(METRICS)
few = settings(max_examples=60, deadline=None)


def defined(metric, hypothesis, reference):
    """The rate by its definition: every alignment, exact fractions."""
    said, meant = (tuple(w for w in words if w not in metric.ignore) for words in (hypothesis, reference))
    size = sum(max(0, len(meant) - k) for k in range(metric.order))
    gains = [
        sum(ngram_matches(edits, k) for k in range(1, metric.order + 1))
        - Fraction(metric.alpha) * edits.count("I")
        - Fraction(metric.beta) * edits.count("D")
        for edits in enumerate_alignments(said, meant)
    ]
    return Fraction(metric.offset) + Fraction(metric.scale) * max(gains) / size if size else None


def merit(metric, score):
    return score if metric.higher_is_better else 1 - score


def scored_paths(graph, metric, given_references):
    """Each path as (words, cost, score)."""
    paths = enumerate_derivations(graph) if isinstance(graph, lm.Forest) else enumerate_paths(graph)
    weights = {name: column.weight for name, column in graph.scores.items()}
    rows = []
    for path in paths:
        words = tuple(word for word in path.words if word not in metric.ignore)
        cost = float(sum(Fraction(weights[name]) * total for name, total in path.sums.items()))
        rows.append((words, cost, metric.score(list(words), given_references)))
    return rows


def is_defined(metric, texts):
    return any(word not in metric.ignore for text in texts for word in text)


@few
@given(metrics, sentences(4), sentences(4))
def test_a_rate_is_its_map_of_the_best_gain(metric, hypothesis, reference):
    rate = defined(metric, hypothesis, reference)
    said, meant = list(hypothesis), [list(reference)]
    if rate is None:
        assert metric.score(said, meant) is None
        return
    assert metric.score(said, meant) == pytest.approx(float(rate), abs=1e-15)
    counts = metric.statistics(said, meant)
    assert metric.exact_numerator(counts) == rate * metric.denominator(counts)
    assert metric.values(metric.table([said], [meant]))[0] == metric.score(said, meant)
    low, high = metric.bounds
    assert low <= metric.score(said, meant) <= high
    assert metric.higher_is_better == (metric.scale in {Fraction(2, 3), 1})


def test_the_cost_of_substitutions_is_a_parameter_of_wer():
    metric = lm.WER(substitution=1.5)
    counts = metric.statistics("a x c y", "a b c d e")
    assert (counts.substitutions, counts.deletions, counts.insertions) == (2, 1, 0)
    assert (metric.numerator(counts), metric.score("a x c y", "a b c d e")) == (4, 0.8)
    assert metric == lm.WER(substitution="3/2") == lm.make_metric("wer", substitution=Fraction(3, 2)) != lm.WER()
    assert lm.WER(substitution=1).signature == lm.WER().signature
    assert "substitution:4/3" in str(lm.CER(substitution="4/3").signature)
    for wrong in (0, -1, "x", float("nan"), "1e-30", "1.00000000000000000001"):
        with pytest.raises(lm.UsageError, match="substitution is"):
            lm.WER(substitution=wrong)


@pytest.mark.parametrize("penalty", ["2/3", "1/7", "0.1", "12345678901234567/10000000000000000", 5, "-0.125"])
def test_two_settings_never_have_one_signature(penalty):
    field = dict(part.split(":") for part in str(lm.GRR(1, alpha=penalty).signature).split("|")[1:])
    assert Fraction(field["alpha"]) == Fraction(penalty)


@few
@given(metrics, mild_lattices() | mild_forests(), references(4, 2))
def test_searches_agree_with_enumeration(metric, graph, given_references):
    given_references, texts = given_references.argument, given_references.words
    rows = scored_paths(graph, metric, given_references)
    if not is_defined(metric, texts):
        return
    best = (max if metric.higher_is_better else min)(score for _, _, score in rows)
    found = lm.oracle(graph, given_references, metric)
    assert found.score == pytest.approx(best, abs=1e-12)
    if not isinstance(graph, lm.Forest):
        assert lm.oracle(graph, given_references, metric, engine="openfst").score == found.score
    strings = sorted({words: merit(metric, score) for words, _, score in rows}.values(), reverse=True)
    listed = lm.oracles(graph, given_references, metric, n=4)
    assert [merit(metric, one.score) for one in listed] == pytest.approx(strings[:4], abs=1e-12)
    assert worst(graph, given_references, metric).score == pytest.approx(
        (min if metric.higher_is_better else max)(score for _, _, score in rows), abs=1e-12
    )
    space = lm.oracle_forest if isinstance(graph, lm.Forest) else lm.oracle_lattice
    derived = scored_paths(space(graph, given_references, metric), metric, given_references)
    assert {score for _, _, score in derived} == {found.score}


@few
@given(metrics, mild_lattices() | mild_forests(), references(4, 2), st.sampled_from([0.5, 3.0]), st.booleans())
def test_hope_and_fear_agree_with_enumeration(metric, graph, given_references, weight, by_numerator):
    on = "numerator" if by_numerator else "rate"
    given_references, texts = given_references.argument, given_references.words
    if not all(is_defined(metric, [text]) for text in texts):
        return

    def worth(words):
        counts = [metric.statistics(list(words), [list(text)]) for text in texts]
        if not by_numerator:
            return max(merit(metric, metric.value(one)) for one in counts)
        numerators = [(metric.numerator(one), metric.denominator(one)) for one in counts]
        return max(n if metric.higher_is_better else size - n for n, size in numerators)

    least = {}
    for words, cost, _ in scored_paths(graph, metric, given_references):
        least[words] = min(cost, least.get(words, math.inf))
    for sign, search in ((1, hopes), (-1, fears)):
        values = sorted((sign * weight * worth(words) - cost for words, cost in least.items()), reverse=True)
        found = search(graph, given_references, metric, n=3, weight=weight, on=on)
        assert [one.value for one in found] == pytest.approx(values[:3], abs=1e-9)
        single = (lm.hope if sign > 0 else lm.fear)(graph, given_references, metric, weight=weight, on=on)
        assert single.value == pytest.approx(values[0], abs=1e-9)


@few
@given(metrics, mild_lattices() | mild_forests(), references(3, 2))
def test_expectations_and_training_agree_with_enumeration(metric, graph, given_references):
    given_references, texts = given_references.argument, given_references.words
    rows = scored_paths(graph, metric, given_references)
    weight = np.exp(-np.array([cost for _, cost, _ in rows]))
    share = weight / weight.sum()
    found = lm.expected(graph, given_references, metric, gradient=True)
    assert found.exact
    if not is_defined(metric, texts):
        assert found.value is None
        return
    scores = np.array([score for _, _, score in rows])
    mean = float(share @ scores)
    assert found.value == pytest.approx(mean, abs=1e-9)
    assert found.variance == pytest.approx(float(share @ (scores - mean) ** 2), abs=1e-9)
    numerators = [metric.numerator(metric.statistics(list(words), given_references)) for words, _, _ in rows]
    assert found.numerator == pytest.approx(float(share @ np.array(numerators, dtype=float)), abs=1e-9)
    assert list(found.distribution) == pytest.approx(sorted(set(numerators)), abs=1e-9)
    assert sum(found.distribution.values()) == pytest.approx(1.0)
    if not metric.ignore:
        batch = Batch([graph], [given_references], metric)
        cost = graph.cost()
        ends = cost.final[graph.goals if isinstance(graph, lm.Forest) else graph.final]
        trained = batch.expected(np.concatenate([cost.arc, ends]))
        assert trained.value[0] == pytest.approx(mean, abs=1e-9)
        assert trained.gradient == pytest.approx(np.concatenate([found.gradient, found.final_gradient]), abs=1e-9)


@few
@given(metrics, st.lists(sentences(4), min_size=1, max_size=6), references(4, 2), st.data())
def test_lists_and_mbr_agree_with_enumeration(metric, texts, given_references, data):
    costs = data.draw(st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=len(texts), max_size=len(texts)))
    nbest = lm.NBest.from_strings([" ".join(text) for text in texts], costs=costs)
    said, share = [list(text) for text in texts], np.exp(-np.array(costs)) / np.exp(-np.array(costs)).sum()
    if is_defined(metric, given_references.words):
        scores = np.array([metric.score(text, given_references.argument) for text in said])
        best = (max if metric.higher_is_better else min)(scores)
        assert lm.oracle(nbest, given_references.argument, metric).score == best
        assert lm.expected(nbest, given_references.argument, metric).value == pytest.approx(float(share @ scores))
        batch = Batch([nbest], [given_references.argument], metric)
        assert batch.expected(costs).value[0] == pytest.approx(float(share @ scores))
    meant = [k for k, text in enumerate(said) if is_defined(metric, [text])]
    matrix = lm.utility_matrix(metric, said)
    for row, text in enumerate(said):
        expected = [metric.score(text, [one]) for one in said]
        assert [None if np.isnan(x) else x for x in matrix[row]] == expected
    if not meant:
        return
    decoded = lm.mbr(nbest, metric)
    risks = [
        sum(share[k] * metric.score(text, [said[k]]) for k in meant) / sum(share[k] for k in meant) for text in said
    ]
    assert decoded.score == pytest.approx((max if metric.higher_is_better else min)(risks))
    assert decoded.higher_is_better == metric.higher_is_better
    pruned = lm.mbr(nbest, metric, pruning_confidence=0.99)
    if pruned.pruning.certified:
        assert pruned.score == pytest.approx(decoded.score)


@few
@given(metrics, st.lists(st.tuples(mild_lattices(), sentences(4)), min_size=1, max_size=3))
def test_corpora_and_sweeps_agree_with_sums(metric, pairs):
    graphs, meant = [graph for graph, _ in pairs], [[list(text)] for _, text in pairs]
    if not is_defined(metric, [one[0] for one in meant]):
        return
    oracles = [lm.oracle(graph, one, metric) for graph, one in zip(graphs, meant, strict=True)]
    numerator = sum(Fraction(metric.exact_numerator(best.statistics)) for best in oracles)
    size = sum(best.denominator for best in oracles)
    found = metric.corpus([best.words for best in oracles], meant)
    assert found.score == pytest.approx(float(numerator / size), abs=1e-12)
    assert found.numerator == pytest.approx(float(numerator), abs=1e-12)
    swept = lm.Corpus(graphs, meant).sweep(metric, nbest_sizes=[1, 2]).totals
    assert swept["rows"][-1]["score"] == pytest.approx(found.score, abs=1e-12)
    scored = lm.score([list(best.words) for best in oracles], meant, metric)
    assert scored[metric.name].value == pytest.approx(found.score, abs=1e-12)


def test_a_rate_that_disagrees_with_its_map_is_not_searched():
    class Clipped(lm.WER):
        def value(self, statistics):
            return min(1.0, super().value(statistics) or 0.0)

    class Lowercased(lm.WER):
        def counted(self, words):
            return super().counted(word.lower() for word in words)

    class Upward(lm.WER):
        higher_is_better = True

    class Doubled(lm.WER):
        def _units(self, statistics):
            return 2 * super()._units(statistics)

    class Counting(lm.WER):
        def table(self, hypotheses, references):
            return super().table(hypotheses, references)

    lattice = lm.Lattice.from_strings(["A b", "c"])
    for metric in (Clipped(), Lowercased(), Upward(), Doubled()):
        for search in (lm.oracle, lm.expected, lm.hope, lm.oracle_lattice):
            with pytest.raises(lm.UsageError, match=r"scores other than by its gains and its map; set alpha"):
                search(lattice, "a b", metric)
    assert lm.oracle(lattice, "a b", Counting()).score == 0.5


def test_gains_of_ones_own_are_believed_and_signed():
    class Own(ErrorRate):
        name = "own"

        def __init__(self):
            super().__init__(1)
            object.__setattr__(self, "gains", Gains(1, 3, 6, 1))  # α = 2, β = 1/3

    metric = Own()
    assert str(metric.signature).startswith("own|alpha:2|beta:1/3|")
    lattice = lm.Lattice.from_strings(["a b x", "a", "c c"], costs=[0.0, 0.5, 1.0])
    share = np.exp([0.0, -0.5, -1.0]) / np.exp([0.0, -0.5, -1.0]).sum()
    scores = [metric.score(text, "a b") for text in ("a b x", "a", "c c")]
    assert scores == [1.0, pytest.approx(2 / 3), 1.0]
    assert lm.expected(lattice, "a b", metric).value == pytest.approx(float(share @ np.array(scores)))
    assert lm.oracle(lattice, "a b", metric).words == ("a",)


def test_a_map_has_a_scale():
    class Flat(lm.GRR):
        scale = 0

    with pytest.raises(lm.UsageError, match="the scale of a rate is 0"):
        Flat().score("a", "a")


@few
@given(metrics, mild_forests(), sentences(3))
def test_bounds_of_large_forests_hold_the_expectation(metric, forest, reference):
    if not is_defined(metric, [reference]):
        return
    whole = lm.expected(forest, [list(reference)], metric)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expectation, "MOST_STACKS", 1)
        found = lm.expected(forest, [list(reference)], metric)
    assert found.low - 1e-9 <= whole.value <= found.high + 1e-9
    assert found.low <= found.value <= found.high
