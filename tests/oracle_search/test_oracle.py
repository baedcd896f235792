"""Oracles: each engine against brute force over all paths and all alignments."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kit import brute_force
from kit.brute_force import Answer, assert_scored, enumerate_paths
from kit.strategies import KNOWN_WORDS, VOCABULARY, Draft, drafts, lattices, metrics, references, scalings

import latticemetric as lm
from latticemetric.automata import recognition
from latticemetric.training import Batch

ENGINES = ["native", "openfst"]

every_engine = pytest.mark.parametrize("engine", ENGINES)

# The product of all paths and all alignments is what brute force looks at; four words keep it small.
short_references = references(4, number=3)


def assert_is(found: lm.ScoredPath, expected: Answer) -> None:
    """Every field."""
    assert_scored(found, expected)
    assert found.arcs == expected.path.arcs


# --- Against brute force


@every_engine
@given(lattice=lattices(), given_references=short_references, case=metrics(), data=st.data())
def test_oracle_is_the_best_of_all_paths(engine, lattice, given_references, case, data):
    metric, rate = case
    weights = data.draw(scalings(lattice), label="weights")
    judged = brute_force.answers(lattice, given_references.words, rate, weights)
    found = lm.oracle(lattice, given_references.argument, metric, weights=weights, engine=engine)
    expected = brute_force.oracle(judged)
    assert_is(found, expected)
    assert found.reference == given_references.words[expected.verdict.reference_number]
    assert_is(found.one_best, brute_force.one_best(judged))
    assert found.exact


@every_engine
@given(lattice=lattices(), given_references=references(12), case=metrics())
def test_no_path_scores_better_against_longer_references(engine, lattice, given_references, case):
    # Brute force over alignments cannot go here; the string metric can.
    metric, _ = case
    best = lm.oracle(lattice, given_references.argument, metric, engine=engine)
    for path in lattice.paths():
        statistics = metric.statistics(path.words, given_references.argument)
        assert metric.merit(statistics) <= metric.merit(best.statistics)


@every_engine
@given(lattice=lattices(), given_references=short_references, case=metrics())
def test_oracle_is_at_least_as_good_as_the_model(engine, lattice, given_references, case):
    metric, _ = case
    best = lm.oracle(lattice, given_references.argument, metric, engine=engine)
    assert best.cost >= best.one_best.cost
    if best.score is None:
        assert best.one_best.score is None
        assert metric.gain(best.statistics) >= metric.gain(best.one_best.statistics)
    elif metric.higher_is_better:
        assert best.score >= best.one_best.score
    else:
        assert best.score <= best.one_best.score


@every_engine
@given(lattice=lattices(), given_references=short_references, case=metrics())
def test_returned_paths_re_score_to_themselves(engine, lattice, given_references, case):
    metric, _ = case
    best = lm.oracle(lattice, given_references.argument, metric, engine=engine)
    by_arcs = {path.arcs: path for path in enumerate_paths(lattice)}
    for path in (best, best.one_best):
        spoken = by_arcs[path.arcs].words
        assert path.words == tuple(word for word in spoken if word not in metric.ignore)
        for words in (spoken, path.words):
            assert metric.statistics(words, given_references.argument) == path.statistics
            assert metric.score(words, given_references.argument) == path.score
        number, *_ = metric.evaluate(path.words, given_references.argument)
        assert metric.align(path.words, given_references.words[number]) == path.alignment
        assert metric.numerator(path.statistics) == path.numerator
        assert metric.denominator(path.statistics) == path.denominator


@every_engine
@given(lattice=lattices(), given_references=short_references, case=metrics())
def test_several_references_are_as_good_as_the_best_of_them(engine, lattice, given_references, case):
    metric, _ = case
    alone = [lm.oracle(lattice, [reference], metric, engine=engine) for reference in given_references.words]
    together = lm.oracle(lattice, given_references.argument, metric, engine=engine)
    assert metric.merit(together.statistics) == max(metric.merit(oracle.statistics) for oracle in alone)
    assert together.reference in given_references.words


@every_engine
@given(lattice=lattices(), case=metrics(), data=st.data())
def test_a_path_of_the_lattice_is_its_own_oracle(engine, lattice, case, data):
    _, rate = case
    metric = lm.GRR(rate.order, ignore=rate.ignore, wildcard=rate.wildcard)
    path = data.draw(st.sampled_from(list(enumerate_paths(lattice))), label="path")
    assume(rate.counted(path.words))
    best = lm.oracle(lattice, [path.words], metric, engine=engine)
    assert best.score == 1
    assert set(best.alignment.edits) == {"C"}
    assert metric.counted(best.words) == rate.counted(path.words)


@every_engine
@given(lattice=lattices(), given_references=short_references, case=metrics(drops=False), data=st.data())
def test_ignored_words_and_wildcards_differ_in_what_is_reported(engine, lattice, given_references, case, data):
    _, rate = case
    dropped = data.draw(st.frozensets(st.sampled_from(KNOWN_WORDS), min_size=1, max_size=2), label="dropped")
    made = {"order": rate.order, "alpha": rate.alpha, "beta": rate.beta}
    ignoring, wild = (
        lm.oracle(lattice, given_references.argument, lm.GRR(**made, **{how: dropped}), engine=engine)
        for how in ("ignore", "wildcard")
    )
    # Which words count is the same for both; only ties by length may part them.
    assert (ignoring.numerator, ignoring.denominator, ignoring.cost) == (
        wild.numerator,
        wild.denominator,
        wild.cost,
    )
    assert ignoring.one_best.cost == wild.one_best.cost
    assert wild.words == lattice.words(wild.arcs)
    assert ignoring.words == tuple(word for word in lattice.words(ignoring.arcs) if word not in dropped)


# --- The constructor that everything above trusts


def paths_of(draft: Draft) -> Counter:
    """Words and column sums of every complete path of a graph as it was given."""
    found: Counter = Counter()
    pending = [(draft.start, (), [Fraction(0)] * len(draft.scores))]
    columns = list(draft.scores.values())
    while pending:
        state, words, sums = pending.pop()
        if state in draft.final:
            ending = [Fraction(float(column.final[draft.final.index(state)])) for column in columns]
            found[words, tuple(map(sum, zip(sums, ending, strict=True)))] += 1
        for arc in (a for a, source in enumerate(draft.source) if source == state):
            spoken = (VOCABULARY.word(draft.word[arc]),) if draft.word[arc] else ()
            along = [total + Fraction(float(column.arc[arc])) for total, column in zip(sums, columns, strict=True)]
            pending.append((draft.target[arc], words + spoken, along))
    return found


@given(draft=drafts())
def test_a_lattice_has_the_paths_of_the_graph_it_was_made_from(draft):
    lattice = draft.lattice()
    kept = Counter((path.words, tuple(path.sums.values())) for path in enumerate_paths(lattice))
    assert kept == paths_of(draft)
    used = {state for arc in zip(lattice.source, lattice.target, strict=True) for state in arc}
    assert used | {0} == set(range(lattice.num_states))
    assert all(lattice.source < lattice.target)
    assert all(np.diff(lattice.source) >= 0)


@given(lattice=lattices())
def test_paths_are_those_of_brute_force_in_lexicographic_order(lattice):
    listed = list(lattice.paths())
    assert [path.arcs for path in listed] == sorted(path.arcs for path in enumerate_paths(lattice))
    judged = {answer.path.arcs: answer for answer in brute_force.answers(lattice, [()], brute_force.Rate())}
    for path in listed:
        assert path.words == judged[path.arcs].path.words
        assert path.cost == float(judged[path.arcs].cost)


# --- The tie rule, step by step


def strings(*paths: str, costs: list[float] | None = None) -> lm.Lattice:
    return lm.Lattice.from_strings(paths, costs=costs or [0.0] * len(paths))


@every_engine
def test_value_goes_before_cost(engine):
    best = lm.oracle(strings("a b", "a x", costs=[9.0, 1.0]), "a b", "wrr", engine=engine)
    assert (best.words, best.cost) == (("a", "b"), 9.0)
    assert (best.one_best.words, best.one_best.cost) == (("a", "x"), 1.0)


@every_engine
def test_cost_goes_before_length(engine):
    best = lm.oracle(strings("x", "x y", costs=[1.0, 0.875]), "a b", "wrr", engine=engine)
    assert best.words == ("x", "y")


@every_engine
def test_large_costs_keep_their_small_differences(engine):
    # 2^24 + 1/8 is 2^24 in single precision.
    best = lm.oracle(strings("x", "y", costs=[2.0**24 + 0.125, 2.0**24]), "a", "wrr", engine=engine)
    assert best.words == ("y",)


@every_engine
def test_length_goes_before_arc_numbers(engine):
    best = lm.oracle(strings("x y", "x"), "a b", "wrr", engine=engine)
    assert best.words == ("x",)
    assert best.one_best.words == ("x",)


@every_engine
@pytest.mark.parametrize(("how", "arcs"), [("ignore", (0, 2)), ("wildcard", (1,))])
def test_length_counts_wildcards_but_not_ignored_words(engine, how, arcs):
    lattice = lm.Lattice.from_arcs(
        [0, 0, 1], [1, 2, 2], [1, 2, 2], final=[2], vocabulary=lm.Vocabulary.from_words(["um", "x"])
    )
    best = lm.oracle(lattice, "a", lm.WRR(**{how: ["um"]}), engine=engine)
    assert best.arcs == best.one_best.arcs == arcs


@every_engine
def test_smaller_arcs_decide_last(engine):
    best = lm.oracle(strings("x", "x", "y"), "a", "wrr", engine=engine)
    assert best.arcs == best.one_best.arcs == (0,)


@every_engine
def test_a_path_goes_before_its_continuation(engine):
    lattice = lm.Lattice.from_arcs([0, 1], [1, 2], [1, 0], final=[1, 2], vocabulary=VOCABULARY)
    best = lm.oracle(lattice, "a", "wrr", engine=engine)
    assert best.arcs == best.one_best.arcs == (0,)


@every_engine
@pytest.mark.parametrize(("weights", "arc"), [({"b": 0}, 1), ({"a": 0}, 0), ({"a": 1, "b": 3}, 0), (None, 1)])
def test_scales_decide_between_equal_words(engine, weights, arc):
    columns = {
        "a": lm.Column(np.array([1.0, 0.5]), np.zeros(1)),
        "b": lm.Column(np.array([0.0, 0.25]), np.zeros(1)),
    }
    lattice = lm.Lattice.from_arcs([0, 0], [1, 1], [1, 1], final=[1], scores=columns, vocabulary=VOCABULARY)
    best = lm.oracle(lattice, "a", "wrr", weights=weights, engine=engine)
    assert best.arcs == best.one_best.arcs == (arc,)
    assert best.scores == {"a": [1.0, 0.5][arc], "b": [0.0, 0.25][arc]}


@every_engine
def test_the_first_of_equally_good_references_is_named(engine):
    best = lm.oracle(strings("a b"), ["x a", "a y", "a b c d"], "wrr", engine=engine)
    assert (best.reference, best.score) == (("a", "y"), 0.5)


@every_engine
def test_a_reference_is_named_as_it_was_given(engine):
    best = lm.oracle(strings("a b"), ["<s> a um b", "c"], lm.WRR(ignore=["<s>"], wildcard=["um"]), engine=engine)
    assert best.reference == ("<s>", "a", "um", "b")
    assert best.alignment.reference == ("a", "b")


@every_engine
def test_references_without_words_are_used_only_where_all_are(engine):
    lattice = strings("x", "x y", costs=[1.0, 0.0])
    assert lm.oracle(lattice, ["", "a"], "wrr", engine=engine).reference == ("a",)
    undefined = lm.oracle(lattice, ["", ""], "wrr", engine=engine)
    assert (undefined.score, undefined.numerator, undefined.words) == (None, -1, ("x",))


@every_engine
def test_a_lattice_may_hold_nothing_but_the_empty_path(engine):
    lattice = lm.Lattice.from_arcs([], [], [], final=[0], vocabulary=VOCABULARY)
    best = lm.oracle(lattice, "a b", "wer", engine=engine)
    assert (best.score, best.words, best.arcs, best.alignment.edits) == (1, (), (), "DD")


@every_engine
def test_the_signature_counts_references(engine):
    best = lm.oracle(strings("a"), ["a", "b c"], "4-grr", engine=engine)
    assert best.signature == f"4-grr|alpha:1|beta:0|refs:2|case:mixed|tok:none|v:{lm.__version__}"


def test_a_reference_graph_is_one_reference_in_every_signature():
    lattice = lm.Lattice.from_strings(["a b", "a c"], costs=[1.0, 2.0])
    references = [lm.Lattice.from_strings(["a b", "b", "c"]), "a"]
    asked = lattice, references, "wer"
    answers = [
        lm.oracle(*asked),
        *lm.oracles(*asked),
        lm.hope(*asked),
        lm.fear(*asked),
        lm.worst(*asked),
        lm.hope(lm.Forest.from_lattice(lattice), references, "wer"),
        lm.expected(*asked),
    ]
    signatures = {answer.signature for answer in answers}
    signatures.add(lm.Corpus([lattice], [references]).sweep("wer", nbest_sizes=[1]).totals["signature"])
    assert signatures == {str(lm.WER().signature_for(2))}


SHORT = lm.Lattice.from_strings(["a b", "a"], costs=[1.0, 2.0])
LONG_REFERENCE = "a b c d e"


@pytest.mark.parametrize(
    "call",
    [
        lambda: lm.oracle(SHORT, LONG_REFERENCE),
        lambda: lm.oracle(SHORT, "abcde", "cer"),
        lambda: lm.oracle(lm.NBest.from_strings(["a", "b"]), LONG_REFERENCE),
        lambda: lm.oracle(lm.Forest.from_lattice(SHORT), LONG_REFERENCE),
        lambda: lm.oracle(lm.Lattice.from_strings([LONG_REFERENCE]), SHORT),
        lambda: lm.oracles(SHORT, LONG_REFERENCE, n=2),
        lambda: lm.oracles(lm.Forest.from_lattice(SHORT), LONG_REFERENCE, n=2),
        lambda: lm.oracle_lattice(SHORT, ["a", LONG_REFERENCE]),
        lambda: lm.oracle_forest(lm.Forest.from_lattice(SHORT), LONG_REFERENCE),
        lambda: lm.hope(SHORT, LONG_REFERENCE),
        lambda: lm.fear(lm.Forest.from_lattice(SHORT), LONG_REFERENCE),
        lambda: lm.expected(SHORT, LONG_REFERENCE, "wer"),
        lambda: Batch([SHORT], [LONG_REFERENCE]),
        lambda: lm.WER().align(LONG_REFERENCE, "a"),
    ],
)
def test_references_that_are_too_long_for_the_kernels_are_refused_with_advice(call, monkeypatch):
    monkeypatch.setattr(recognition, "_MOST_WORDS", 4)
    with pytest.raises(lm.InputError, match="of 5 words is too long to be aligned; the most are 4; split it into segm"):
        call()


def test_the_most_words_of_a_reference():
    with pytest.raises(lm.InputError, match="16,777,216 words is too long to be aligned; the most are 16,777,215; sp"):
        lm.WER().align("a", ("a",) * 2**24)
    with pytest.raises(lm.InputError, match=r"the most are 10,683,997; split .*, or choose a lower order"):
        lm.oracle(SHORT, [("a",) * 2**24], "200-grr")
