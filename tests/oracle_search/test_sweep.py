"""Sweeps against their definition: every path of every graph, kept or not."""

import math
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.brute_force import Answer, answers, one_best
from kit.brute_force import oracle as best_of
from kit.formats import ForestDraft, can_be_listed, forest_drafts
from kit.paths import DATA
from kit.strategies import COLUMN_NAMES, COST_RANGES, KNOWN_WORDS, lattices, metrics, references, scalings

import latticemetric as lm
from latticemetric.evaluation.intervals import bootstrap
from latticemetric.nbest import Hypothesis
from latticemetric.oracle_search.points import Points
from latticemetric.oracle_search.sweep import sweep_graph

_LONGEST = 7

forests = (
    st.sampled_from(COST_RANGES)
    .flatmap(lambda values: forest_drafts(list(KNOWN_WORDS), list(COLUMN_NAMES), values))
    # All alignments of all derivations are listed: of long strings they would fill the memory.
    .filter(lambda draft: can_be_listed(draft, 300) and draft.forest().statistics().longest <= _LONGEST)
    .map(ForestDraft.forest)
)

some_beams = st.lists(st.integers(0, 48).map(lambda eighths: eighths / 8), max_size=4)
some_densities = st.lists(st.sampled_from([0.25, 0.5, 1, 1.5, 2, 3, 5]), max_size=3)
some_numbers = st.lists(st.integers(1, 12), max_size=3)


def swept(graphs, references, metric="4-grr", **settings):
    """The sums of a sweep; rows and bins have their fields as attributes."""
    answers = lm.Corpus(graphs, references).sweep(metric, **settings)
    totals = answers.totals
    rows, lengths = ([SimpleNamespace(**row) for row in totals[name]] for name in ("rows", "lengths"))
    return SimpleNamespace(**{**totals, "rows": rows, "lengths": lengths}, answers=list(answers))


# --- The definitions


def end_of(lattice, answer):
    return int(lattice.target[answer.path.arcs[-1]]) if answer.path.arcs else 0


def kept_by(lattice, judged, is_near):
    """The arcs and ends of all near paths, and all paths that are made of them."""
    least = one_best(judged).cost
    near = [answer for answer in judged if is_near(answer.cost - least)]
    arcs = {arc for answer in near for arc in answer.path.arcs}
    ends = {end_of(lattice, answer) for answer in near}
    return arcs, [a for a in judged if arcs.issuperset(a.path.arcs) and end_of(lattice, a) in ends]


def margin(judged, arc):
    return min(answer.cost for answer in judged if arc in answer.path.arcs) - one_best(judged).cost


def word_arcs(lattice, arcs, rate):
    return [arc for arc in arcs if lattice.word[arc] and lattice.vocabulary.word(lattice.word[arc]) not in rate.ignore]


def anything(_excess):
    return True


def near_for_density(lattice, judged, density, expected, rate):
    """Which paths the widest beam keeps whose arcs with words are not too many."""
    lengths = [Fraction(len(rate.counted(words))) for words in expected]
    most = math.floor(Fraction(density) * sum(lengths) / len(lengths))
    margins = sorted(margin(judged, arc) for arc in word_arcs(lattice, range(len(lattice.word)), rate))
    if most >= len(margins):
        return anything
    return lambda excess: excess < margins[most] or excess == 0


def listed_strings(judged):
    """Each string's cheapest path, the cheapest string first."""
    first: dict[tuple[str, ...], Answer] = {}
    for answer in sorted(judged, key=lambda answer: answer.cheapest):
        first.setdefault(answer.words, answer)
    return list(first.values())


def assert_counts(statistics, answer):
    verdict = answer.verdict
    assert statistics.matches == verdict.matches
    assert statistics.reference_ngrams == verdict.reference_ngrams
    found = (statistics.substitutions, statistics.deletions, statistics.insertions)
    assert found == tuple(verdict.edits.count(edit) for edit in "SDI")


def first_best(strings):
    """`max` keeps the first of equals: the cheapest."""
    return max(strings, key=lambda answer: answer.verdict.merit)


# --- One graph


@given(lattices(), references(), metrics(), st.builds(Points.of, some_beams, some_densities, st.just([])), st.data())
def test_beams_and_densities_keep_what_they_say(lattice, given_references, case, points, data):
    metric, rate = case
    weights = data.draw(scalings(lattice))
    found = sweep_graph(lattice, given_references.argument, metric, points, weights)
    judged = answers(lattice, given_references.words, rate, weights)
    for point, kept in zip(points.listed(), found, strict=True):
        if point.kind == "one_best":
            assert_counts(kept.statistics, one_best(judged))
            assert kept.arcs is kept.word_arcs is None
            continue
        if point.kind == "beam":
            is_near = Fraction(point.at).__ge__
        elif point.kind == "density":
            is_near = near_for_density(lattice, judged, point.at, given_references.words, rate)
        else:
            assert point.kind == "whole"
            is_near = anything
        arcs, allowed = kept_by(lattice, judged, is_near)
        assert_counts(kept.statistics, best_of(allowed))
        assert (kept.arcs, kept.word_arcs) == (len(arcs), len(word_arcs(lattice, arcs, rate)))


@given(lattices() | forests, references(), metrics(), some_numbers, st.data())
def test_lists_keep_the_cheapest_strings(graph, given_references, case, numbers, data):
    metric, rate = case
    weights = data.draw(scalings(graph))
    points = Points.of([], [], numbers)
    found = sweep_graph(graph, given_references.argument, metric, points, weights)
    judged = answers(graph, given_references.words, rate, weights)
    strings = listed_strings(judged)
    for point, kept in zip(points.listed()[1:-1], found[1:-1], strict=True):
        assert_counts(kept.statistics, first_best(strings[: point.at]))
        assert kept.strings == min(point.at, len(strings))
    assert_counts(found[0].statistics, one_best(judged))
    assert_counts(found[-1].statistics, best_of(judged))


def test_lists_of_hypotheses_are_swept_as_lattices():
    hypotheses = tuple(
        Hypothesis(tuple(words.split()), {"total": cost}) for words, cost in [("a x", 1.0), ("a b", 2.0), ("a x", 0.5)]
    )
    row = swept([lm.NBest(hypotheses, {})], ["a b"], "wer", nbest_sizes=[1, 2], beams=[1, 2]).rows
    assert [(one.kind, one.score) for one in row] == [
        ("one_best", 0.5), ("beam", 0.5), ("beam", 0.0), ("nbest", 0.5), ("nbest", 0.0), ("whole", 0.0),
    ]  # fmt: skip


def test_a_density_is_a_whole_number_of_arcs_in_spite_of_rounding():
    # 0.29 * 100 is 28.999999999999996
    words = [f"w{k}" for k in range(100)]
    lattice = lm.Lattice.from_strings(words, costs=[float(k) for k in range(100)])
    found = swept([lattice], [" ".join(words)], "wer", densities=[0.29]).rows[1]
    assert found.arcs == 29


def test_a_beam_keeps_no_end_that_is_too_dear():
    # All arcs of the best path stay, since a cheaper one goes on from where it ends.
    ends = {"cost": lm.Column(np.zeros(2), np.array([5.0, 0.0]))}
    lattice = lm.Lattice.from_arcs([0, 1], [1, 2], [1, 2], final=[1, 2], scores=ends)
    rows = swept([lattice], ["1"], "wer", beams=[1, 5]).rows
    assert [row.score for row in rows] == [1.0, 1.0, 0.0, 0.0]


def test_arcs_that_tie_are_kept_or_lost_together():
    lattice = lm.Lattice.from_strings(["a", "b", "c", "d"], costs=[0.0, 0.3, 0.1 + 0.2, 9.0])
    arcs = [row.arcs for row in swept([lattice], ["x"], "wer", densities=[1, 2, 3, 4]).rows[1:-1]]
    assert arcs == [1, 1, 3, 4]


# --- Many graphs


@given(st.lists(st.tuples(lattices(), references(4, 1)), max_size=3), metrics(), some_beams, some_numbers)
def test_totals_are_sums(cases, case, beams, numbers):
    metric, points = case[0], Points.of(beams, [], numbers)
    given_references = [expected.argument for _, expected in cases]
    found = swept([lattice for lattice, _ in cases], given_references, metric, beams=beams, nbest_sizes=numbers)
    each = [sweep_graph(lattice, expected.argument, metric, points) for lattice, expected in cases]
    assert found.graphs == len(cases)
    assert [(row.kind, row.at) for row in found.rows] == [tuple(point) for point in points.listed()]
    for number, row in enumerate(found.rows):
        kept = [one[number] for one in each]
        assert [answer.statistics(number) for answer in found.answers] == [one.statistics for one in kept]
        assert row.numerator == float(sum(metric.exact_numerator(k.statistics) for k in kept))
        assert row.denominator == sum(metric.denominator(k.statistics) for k in kept)
        worse = [
            metric.merit(k.statistics) < metric.merit(one[-1].statistics) for k, one in zip(kept, each, strict=True)
        ]
        assert row.lost == sum(worse)
        has_arcs = cases and row.kind in {"beam", "whole"}
        assert row.arcs == (pytest.approx(sum(k.arcs for k in kept) / len(kept)) if has_arcs else None)


def test_widening_loses_nothing():
    rows = corpus_sweep(beams=[0, 1, 2, 4, 8], nbest_sizes=[1, 2, 5, 50], densities=[1, 2, 3]).rows
    for kind in ("beam", "density", "nbest"):
        of_kind = [row for row in rows if row.kind == kind]
        for row, wider in pairwise(of_kind):
            assert row.score >= wider.score
            assert row.lost >= wider.lost
            assert (row.density or 0) <= (wider.density or 0)


CORPUS = {
    "a b c": ["a x c", "a b c", "y"],
    "a b": ["a b", "b", "c"],
    "a b c d e": ["a", "a c d e", "a b c d"],
    "": ["a", ""],
}


def corpus_sweep(metric="wer", **points):
    graphs = [lm.Lattice.from_strings(strings, costs=range(len(strings))) for strings in CORPUS.values()]
    return swept(graphs, list(CORPUS), metric, **points)


def test_bins_hold_references_up_to_their_ends():
    found = corpus_sweep(by_length=[2, 3])
    assert [(one.above, one.up_to, one.graphs) for one in found.lengths] == [(None, 2, 2), (2, 3, 1), (3, None, 1)]
    assert [one.one_best["numerator"] for one in found.lengths] == [1, 1, 4]
    assert [one.numerator for one in found.lengths] == [0, 0, 1]
    assert [one.headroom for one in found.lengths] == [0.5, pytest.approx(1 / 3), pytest.approx(3 / 5)]
    assert sum(one.graphs for one in found.lengths) == found.graphs == 4


def test_a_bin_of_no_graphs_has_no_rate():
    empty = corpus_sweep(by_length=[100]).lengths[-1]
    assert (empty.graphs, empty.score, empty.headroom) == (0, None, None)
    assert empty.one_best == {"score": None, "numerator": 0, "denominator": 0}


def test_intervals_come_from_the_statistics_of_each_graph():
    found = corpus_sweep(beams=[1], resamples=50)
    for number, row in enumerate(found.rows):
        table = np.array([answer.statistics(number).as_columns() for answer in found.answers], dtype=float)
        interval = bootstrap(lm.WER(), table, resamples=50)
        assert (row.low, row.high, row.half_width) == (interval.low, interval.high, interval.half_width)
        assert row.low <= row.score == interval.value <= row.high


def test_plain_values_are_all_there():
    graphs = [lm.Lattice.from_strings(strings, costs=range(len(strings))) for strings in CORPUS.values()]
    document = lm.Corpus(graphs, list(CORPUS)).sweep("wer", nbest_sizes=[2], by_length=[3]).totals
    assert document["signature"] == f"wer|refs:1|case:mixed|tok:none|v:{lm.__version__}"
    assert [row["kind"] for row in document["rows"]] == ["one_best", "nbest", "whole"]
    assert document["rows"][1]["strings"] == 2.0
    assert [(one["above"], one["up_to"]) for one in document["lengths"]] == [(None, 3), (3, None)]


def test_several_references_have_a_mean_length():
    lattice = lm.Lattice.from_strings(["a b", "c"], costs=[1.0, 2.0])
    found = swept([("one", lattice)], [["a b c", "a"]], "wer", by_length=[2], densities=[1])
    assert [one.graphs for one in found.lengths] == [1, 0]
    assert found.rows[-1].density == 1.5
    assert "refs:2" in found.signature


def test_workers_change_nothing():
    graphs = [lm.Lattice.from_strings(["a b", "b"], costs=[k / 7, 0.5]) for k in range(40)]
    alone, together = (swept(graphs, ["a b"] * 40, nbest_sizes=[1, 2], workers=n) for n in (1, 2))
    assert alone == together
    assert len(alone.answers) == 40


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ({"beams": [-1]}, "beam is -1"),
        ({"beams": [math.nan]}, "beam is nan"),
        ({"beams": [math.inf]}, "beam is inf"),
        ({"densities": [0]}, "density is 0"),
        ({"nbest_sizes": [0]}, "best strings is 0"),
        ({"nbest_sizes": [1.5]}, "best strings is 1.5"),
        ({"nbest_sizes": [10**7]}, "best strings is 10000000; give 1000000 or fewer"),
        ({"by_length": [-2]}, "ends at -2"),
        ({"resamples": 10, "confidence": 1}, "the confidence level is 1; give a number between 0 and 1"),
        ({"seed": 2}, "seed has no effect without resamples"),
        ({"nbest": [1]}, "sweep has no setting 'nbest'; did you mean nbest_sizes=…"),
    ],
)
def test_what_makes_no_sense_is_refused(points, message):
    with pytest.raises(lm.UsageError, match=message):
        corpus_sweep(**points)


@pytest.mark.parametrize(("graphs", "texts"), [(1, 2), (2, 1)])
def test_a_graph_without_a_reference_is_an_error(graphs, texts):
    lattice = lm.Lattice.from_strings(["a"])
    with pytest.raises(lm.UsageError, match=rf"numbers of graphs and references differ: {graphs} and {texts}"):
        swept([lattice] * graphs, ["a"] * texts)


def test_forests_have_lists_and_no_beams():
    forest = lm.Forest.from_lattice(lm.Lattice.from_strings(["a b", "c"], costs=[2.0, 1.0]))
    found = swept([forest], ["a b"], nbest_sizes=[1, 2])
    assert [row.score for row in found.rows] == [0.0, 0.0, 1.0, 1.0]
    assert found.rows[-1].arcs is None
    with pytest.raises(lm.InputError, match="this is a forest"):
        swept([forest], ["a b"], beams=[1])


# --- Real lattices

real_data = pytest.mark.skipif(not DATA.exists(), reason="real lattices are elsewhere")


@real_data
@pytest.mark.real_data
def test_real_lattices_come_to_the_known_values():
    graphs = [graph for _, graph in lm.read(DATA / "hifst" / "att")]
    lines = (DATA / "hifst" / "refs.50.idx").read_text().splitlines()
    metric = lm.GRR(4, ignore=["1", "2"])
    found = swept(graphs, lines, metric, beams=[0, 1e9], nbest_sizes=[1, 10])
    rates = {(row.kind, row.at): round(row.score, 4) for row in found.rows}
    assert rates["one_best", None] == rates["beam", 0] == rates["nbest", 1] == 0.2546
    assert rates["whole", None] == rates["beam", 1e9] == 0.4721
    assert rates["nbest", 10] == 0.3167
    assert all(answer.statistics(0) == answer.statistics(1) for answer in found.answers)
