"""MBR under any metric, by definition: every string of the evidence is a reference, weighed by its probability."""

import dataclasses
import json
import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from kit.brute_force import judge, rounded
from kit.formats import forests
from kit.native import with_gains
from kit.paths import DATA
from kit.strategies import COLUMN_NAMES, costs, lattices, metrics, scale_values, scalings, sentences
from kit.strings import believed_strings, paths_of

import latticemetric as lm
from latticemetric import _native
from latticemetric.metrics.pairs import score_rows
from latticemetric.nbest import Hypothesis

OTHER_METRICS = [
    lm.BLEU(),
    lm.BLEU(order=2, smoothing="exp", effective_order=True),
    lm.BLEU(smoothing="add-k", effective_length="closest"),
    lm.BLEUSBP(order=2, smoothing="floor"),
    lm.NIST(),
    lm.Unigram("fmean"),
    lm.Unigram("precision", stem=True),
    lm.METEOR(stages=("exact", "porter")),
]
any_metric = metrics().map(lambda pair: pair[0]) | st.sampled_from(OTHER_METRICS)
weights = st.sampled_from([0.0, 0.5, 1.0, 2.0])


@st.composite
def nbest_lists(draw):
    """Few words, so that strings come twice; some costs are missing, some are equal."""
    listed = draw(st.lists(sentences(4), min_size=1, max_size=8))
    scores = st.dictionaries(st.sampled_from(COLUMN_NAMES), costs, max_size=2)
    weights = {name: draw(scale_values) for name in COLUMN_NAMES}
    return lm.NBest(tuple(Hypothesis(said, draw(scores)) for said in listed), weights)


def expected_score(metric, said, evidence):
    """Σ probability · score, given that there is a score."""
    scored = [(p, metric.score(list(said), [list(reference)])) for reference, p in evidence.items() if p]
    known = [(p, score) for p, score in scored if score is not None]
    weight = math.fsum(p for p, _ in known)
    return math.fsum(p * score for p, score in known) / weight if weight else None


def assert_is_ranked(found, metric, choices, evidence, *, is_list=False):
    """All that is said of an answer is so by definition.

    `choices` are strings with costs, `evidence` are strings with probabilities. In a list, the rank resolves ties.
    """

    def tie_key(said):
        rank = min(k for k, choice in enumerate(choices) if choice == (said, cost[said]))
        return (cost[said], rank) if is_list else (cost[said], len(said), said)

    cost = {said: min(c for also, c in choices if also == said) for said, _ in choices}
    assert Counter(ranked.words for ranked in found.ranked) == Counter(cost.keys())
    for ranked in found.ranked:
        assert ranked.score == close(expected_score(metric, ranked.words, evidence))
        assert ranked.cost == pytest.approx(cost[ranked.words], abs=1e-9)
        assert ranked.probability == pytest.approx(evidence.get(ranked.words, 0.0), abs=1e-12)
    sign = 1 if metric.higher_is_better else -1
    size = max((abs(ranked.score) for ranked in found.ranked if ranked.score is not None), default=0)
    for left, right in pairwise(found.ranked):
        merits = [-math.inf if ranked.score is None else sign * ranked.score for ranked in (left, right)]
        tied = merits[0] == merits[1] or abs(merits[0] - merits[1]) <= 1e-12 * size
        order = [tie_key(ranked.words) for ranked in (left, right)]
        assert order[0] < order[1] if tied else merits[0] > merits[1]
    best = found.ranked[0]
    assert (found.words, found.score, found.cost) == best[:3]
    assert found.one_best == min(cost, key=tie_key)
    confidences = [math.fsum(p for said, p in evidence.items() if word in said) for word in found.words]
    assert found.confidences == pytest.approx(confidences, abs=1e-12)
    assert found.evidence_strings == len(evidence)
    assert found.effective_size == pytest.approx(1 / sum(p * p for p in evidence.values()))
    unknown = [p for said, p in evidence.items() if p and metric.score(list(best.words), [list(said)]) is None]
    assert found.undefined == pytest.approx(math.fsum(unknown), abs=1e-12)


def close(score):
    return None if score is None else pytest.approx(score, rel=1e-12, abs=1e-12)


def asked(ask, metric, choices, evidence, *, is_list=False):
    """Asks, and checks; or sees that a choice is refused if nothing has a score at all."""
    strings = {tuple(said) for said, _ in choices}
    if len(strings) > 1 and all(expected_score(metric, said, evidence) is None for said, _ in choices):
        with pytest.raises(lm.InputError, match="is undefined against all strings"):
            ask()
        return
    found = ask()
    assert_is_ranked(found, metric, choices, evidence, is_list=is_list)
    assert found.exact
    assert (found.samples, found.seed, found.signature) == (None, None, str(metric.signature))


# --- Pairs


@given(chosen=metrics(), said=st.lists(sentences(), max_size=12), expected=st.lists(sentences(), max_size=4))
def test_rates_of_pairs_are_those_of_all_alignments(chosen, said, expected):
    metric, rate = chosen
    rows = [row.scores.tolist() for row in score_rows(metric, said, expected)]
    assert len(rows) == len(expected)
    for reference, row in zip(expected, rows, strict=True):
        for candidate, score in zip(said, row, strict=True):
            plain = None if math.isnan(score) else score
            assert plain == metric.score(list(candidate), [list(reference)])
            assert plain == rounded(judge(candidate, [reference], rate).score)


@given(metric=st.sampled_from(OTHER_METRICS), said=st.lists(sentences(), max_size=5), expected=st.lists(sentences()))
def test_scores_of_pairs_are_those_of_the_metric(metric, said, expected):
    for reference, row in zip(expected, score_rows(metric, said, expected), strict=True):
        assert row.scores.tolist() == [metric.score(list(candidate), [list(reference)]) for candidate in said]
        assert row.exact


# Vectors of 16, 32 and 64 bits; then numbers that doubles cannot say, which the kernel is not asked for.
FINENESS = [1, "0.999", "0.99999999", "1e-11", "1e-15"]


@pytest.mark.parametrize("alpha", [*FINENESS, -2, "-0.99999999"])
@pytest.mark.parametrize("order", [1, 2, 4, 7])
def test_rates_do_not_depend_on_how_wide_numbers_are(alpha, order):
    random = np.random.default_rng(order)
    said = [tuple(map(str, random.integers(0, 5, length))) for length in random.integers(0, 40, 33)]
    expected = [tuple(map(str, random.integers(0, 5, length))) for length in random.integers(1, 40, 5)]
    metric = lm.GRR(order, alpha=alpha, beta="0.5")
    for reference, row in zip(expected, score_rows(metric, said, expected), strict=True):
        assert row.scores.tolist() == [metric.score(list(candidate), [list(reference)]) for candidate in said]


def test_many_references_come_in_several_turns(monkeypatch):
    monkeypatch.setattr("latticemetric.metrics.pairs._PAIRS_AT_ONCE", 5)
    said, expected = [("a",), ("b", "a"), ()], [("a",), ("b",), ("c",), ("a", "b"), ("b", "a")]
    rows = [row.scores.tolist() for row in score_rows(lm.WRR(), said, expected)]
    assert rows == [[lm.WRR().score(list(c), [list(r)]) for c in said] for r in expected]


def test_references_may_have_many_words_that_no_candidate_has(monkeypatch):
    monkeypatch.setattr("latticemetric.metrics.pairs._PAIRS_AT_ONCE", 1)
    expected = [(f"{k}", f"{k}x", f"{k}y", "a") for k in range(20)]
    rows = list(score_rows(lm.WRR(), [("a",)], expected))
    assert [row.scores.tolist() for row in rows] == [[0.25]] * 20


def test_metrics_of_others_are_asked_themselves():
    class Halved(lm.WRR):
        def values(self, sums):
            return super().values(sums) / 2

    (row,) = score_rows(Halved(), [("a", "b"), ("a",)], [("a", "b")])
    assert row.scores.tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"hypotheses": np.array([0, -1], np.int32)}, "must not be negative"),
        ({"hypotheses": np.array([0, 2**31 - 1], np.int32)}, "numbered without gaps"),
        ({"hypothesis_begin": np.array([0, 1])}, "must end at the end"),
        ({"reference_begin": np.array([1, 1])}, "must begin at 0"),
        ({"order": 0}, "order must lie in"),
        ({"unit": 0}, "unit must be positive"),
        ({"alpha": 2**62}, "do not fit"),
        ({"beta": -(2**63)}, "do not fit"),
    ],
)
def test_the_kernel_refuses_what_is_not_so(change, says):
    given = {
        "hypotheses": np.array([0, 1], np.int32), "hypothesis_begin": np.array([0, 2]),
        "references": np.array([1], np.int32), "reference_begin": np.array([0, 1]),
        "order": 2, "unit": 1, "alpha": 0, "beta": 0,
    }  # fmt: skip
    assert _native.pair_gains(**with_gains(given)).tolist() == [[1]]
    with pytest.raises(ValueError, match=says):
        _native.pair_gains(**with_gains(given | change))


def test_nothing_against_nothing():
    none, begin = np.zeros(0, np.int32), np.zeros(1, np.int64)
    assert _native.pair_gains(none, begin, none, begin, (4, 1, 1, 0)).shape == (0, 0)
    assert _native.pair_gains(none, begin, none, np.zeros(3, np.int64), (4, 1, 1, 0)).shape == (2, 0)
    assert _native.pair_gains(none, np.zeros(3, np.int64), none, begin, (4, 1, 1, 0)).shape == (0, 2)


# --- Answers


@given(
    nbest=nbest_lists(),
    metric=any_metric,
    posterior_scale=weights,
    own=st.dictionaries(st.sampled_from("xy"), scale_values),
)
@example(
    nbest=lm.NBest((Hypothesis(("a",), {}), Hypothesis((), {})), {}), metric=lm.GRR(4), posterior_scale=1.0, own={}
)
@example(nbest=lm.NBest((Hypothesis((), {}),) * 2, {}), metric=lm.WER(), posterior_scale=1.0, own={})
def test_strings_of_a_list_are_ranked_by_expected_score(nbest, metric, posterior_scale, own):
    own = dict(zip(nbest.score_names(), own.values(), strict=False))
    paths = paths_of(nbest, own)
    evidence = believed_strings(paths, posterior_scale)
    asked(
        lambda: lm.mbr(nbest, metric, posterior_scale=posterior_scale, weights=own),
        metric,
        paths,
        evidence,
        is_list=True,
    )


@given(lattice=lattices(), metric=any_metric, posterior_scale=weights, data=st.data())
def test_strings_of_a_lattice_are_ranked_by_expected_score(lattice, metric, posterior_scale, data):
    own = data.draw(scalings(lattice))
    paths = paths_of(lattice, own)
    evidence = believed_strings(paths, posterior_scale)
    asked(lambda: lm.mbr(lattice, metric, posterior_scale=posterior_scale, weights=own), metric, paths, evidence)


@settings(max_examples=30)
@given(forest=forests(list("abc"), ["model"], costs), metric=any_metric)
def test_strings_of_a_forest_are_ranked_by_expected_score(forest, metric):
    paths = paths_of(forest)
    assume(len(paths) <= 200)  # the definition scores all pairs
    asked(lambda: lm.mbr(forest, metric), metric, paths, believed_strings(paths, 1.0))


@given(graph=lattices() | nbest_lists(), other=lattices() | nbest_lists(), metric=any_metric, posterior_scale=weights)
def test_hypotheses_and_evidence_may_come_from_two_graphs(graph, other, metric, posterior_scale):
    choices, evidence = paths_of(graph), believed_strings(paths_of(other), posterior_scale)
    is_list = isinstance(graph, lm.NBest)
    asked(
        lambda: lm.mbr(graph, metric, evidence=other, posterior_scale=posterior_scale),
        metric,
        choices,
        evidence,
        is_list=is_list,
    )
    asked(
        lambda: lm.mbr(other, metric, hypotheses=graph, posterior_scale=posterior_scale),
        metric,
        choices,
        evidence,
        is_list=is_list,
    )


def test_two_graphs_may_have_columns_of_their_own():
    graph = lm.Lattice.from_strings(["a b", "b"], costs=[0.0, 4.0], column="mine")
    evidence = lm.NBest((Hypothesis(("a",), {"yours": 2.0}), Hypothesis(("b",), {"yours": 1.0})), {})
    own = {"mine": 0.5, "yours": -1.0}
    choices, believed = paths_of(graph, {"mine": 0.5}), believed_strings(paths_of(evidence, {"yours": -1.0}), 1.0)
    asked(lambda: lm.mbr(graph, "wrr", evidence=evidence, weights=own), lm.WRR(), choices, believed)
    with pytest.raises(lm.InputError, match="no score column 'lm'; the columns here are: mine, yours"):
        lm.mbr(graph, "wrr", evidence=evidence, weights={"lm": 1.0})


graphs_to_prune = lattices() | forests(list("abc"), ["model"], costs)


@given(graph=graphs_to_prune, beam=st.sampled_from([0.0, 0.5, 2.0]))
def test_pruning_comes_first(graph, beam):
    paths = paths_of(graph.pruned(beam))
    metric = lm.Unigram("f1")
    asked(lambda: lm.mbr(graph, metric, beam=beam), metric, paths, believed_strings(paths, 1.0))


@given(graph=graphs_to_prune, other=graphs_to_prune, beam=st.sampled_from([0.0, 0.5]))
def test_evidence_is_pruned_too(graph, other, beam):
    choices, evidence = paths_of(graph.pruned(beam)), believed_strings(paths_of(other.pruned(beam)), 1.0)
    metric = lm.Unigram("f1")
    asked(lambda: lm.mbr(graph, metric, evidence=other, beam=beam), metric, choices, evidence)


def test_costs_beyond_all_numbers_are_refused_without_a_warning():
    lattice = lm.Lattice.from_strings(["a", "b"], costs=[3000.0, 5000.0])
    with pytest.raises(lm.InputError, match="too large to be added up"):
        lm.mbr(lattice, "wrr", posterior_scale=1e308)


def test_word_errors_of_strings_are_a_risk():
    found = lm.mbr(lm.Lattice.from_strings(["a b", "a c", "d c"]), lm.WER())
    assert (found.words, found.risk, found.gain) == (("a", "c"), pytest.approx(1 / 3), None)
    assert found.asdict()["risk"] == found.risk
    assert "gain" not in found.asdict()


def test_names_of_metrics_are_methods():
    lattice = lm.Lattice.from_strings(["a b", "a c", "d c"])
    for name, metric in {"grr": lm.GRR(4), "2-GRR": lm.GRR(2), " wrr ": lm.WRR(), "bleu-sbp": lm.BLEUSBP()}.items():
        assert lm.mbr(lattice, name) == lm.mbr(lattice, metric)
    assert isinstance(lm.mbr(lattice, "WER"), type(lm.mbr(lattice, "wer")))


# --- Ties, and scores that are not there


def test_ties_go_to_cost_then_words_then_the_alphabet():
    def best(strings, costs):
        return lm.mbr(lm.Lattice.from_strings(strings, costs=costs), "bleu", posterior_scale=0).ranked

    assert [r.words for r in best(["b", "a", "c d", "e"], [1.0, 1.0, 1.0, 0.5])] == [("e",), ("a",), ("b",), ("c", "d")]


@settings(max_examples=20)
@given(order=st.permutations(range(31)))
def test_rounding_breaks_no_ties(order):
    """Lines of a projective plane: any two share one word, so that all expect the same."""
    lines = [tuple(sorted(f"w{(k + point) % 31:02}" for point in (0, 1, 3, 8, 12, 18))) for k in range(31)]
    metric = lm.Unigram("f1")
    plain = sum(row.scores / 31 for row in score_rows(metric, lines, lines))
    assert len(set(plain.tolist())) > 1
    found = lm.mbr(lm.Lattice.from_strings([lines[k] for k in order], costs=[0.0] * 31), metric)
    assert [ranked.words for ranked in found.ranked] == sorted(lines)


def test_strings_without_words_are_left_out_of_the_evidence():
    lattice = lm.Lattice.from_strings(["", "a b", "a"], costs=[0.0, math.log(4), math.log(4)])
    found = lm.mbr(lattice, "wrr")
    assert found.undefined == pytest.approx(2 / 3)
    assert {ranked.words: ranked.score for ranked in found.ranked} == pytest.approx(
        {(): 0, ("a",): (0.5 + 1) / 2, ("a", "b"): (1 + 0) / 2}
    )
    assert found.confidences == pytest.approx((1 / 3,))


@dataclasses.dataclass(frozen=True)
class Picky(lm.Unigram):
    """A metric that has nothing to say of strings of one word."""

    def values(self, sums):
        return np.where(sums[..., 1] == 1, np.nan, super().values(sums))


def test_strings_without_a_score_come_last():
    found = lm.mbr(lm.Lattice.from_strings(["a", "a b", "b c d"], costs=[0.0, 1.0, 2.0]), Picky("f1"))
    assert [ranked.words for ranked in found.ranked][-1] == ("a",)
    assert found.ranked[-1].score is None
    with pytest.raises(lm.InputError, match="f1 is undefined against all strings of the evidence"):
        lm.mbr(lm.Lattice.from_strings(["a", "b"]), Picky("f1"))


def test_alignments_that_are_cut_short_are_not_exact():
    strings = ["d d a c d d c d c b b c b a c b c a a c", "d a c d c b d d c a a a d a d c b c a b"]
    lattice = lm.Lattice.from_strings(strings)
    assert lm.mbr(lattice, lm.METEOR(stages=["exact"])).exact
    assert not lm.mbr(lattice, lm.METEOR(stages=["exact"], cap=1)).exact


# --- Samples


@given(lattice=lattices(), metric=any_metric, count=st.integers(1, 30), seed=st.integers(0, 5))
def test_samples_are_the_paths_that_posteriors_draw(lattice, metric, count, seed):
    drawn = [tuple(path.tolist()) for path in lm.posteriors(lattice, posterior_scale=0.5).sample(count, seed)]
    cost = {path.arcs: path.cost for path in lattice.paths()}
    choices = [(lattice.words(arcs), cost[arcs]) for arcs in drawn]
    evidence = {said: times / count for said, times in Counter(said for said, _ in choices).items()}
    if all(expected_score(metric, said, evidence) is None for said, _ in choices):
        return
    found = lm.mbr(lattice, metric, posterior_scale=0.5, samples=count, seed=seed)
    assert_is_ranked(found, metric, choices, evidence)
    assert (found.exact, found.samples, found.seed) == (False, count, seed)
    assert found == lm.mbr(lattice, metric, posterior_scale=0.5, samples=count, seed=seed)


def test_seeds_matter():
    lattice = lm.Lattice.from_strings([f"w{k} v{k % 3}" for k in range(100)])
    answers = {lm.mbr(lattice, "wrr", samples=20, seed=seed).ranked for seed in range(5)}
    assert len(answers) == 5


def ladder(steps):
    """2 ** steps strings."""
    source, word = np.repeat(np.arange(steps), 2), np.arange(1, 2 * steps + 1)
    return lm.Lattice.from_arcs(source, source + 1, word, final=[steps])


def test_more_paths_than_can_be_listed_must_be_drawn():
    assert len(lm.mbr(ladder(10), "wrr").ranked) == 1024
    with pytest.raises(lm.UsageError, match=r"there are 16,384 paths, but at most 10,000 can be listed; give a number"):
        lm.mbr(ladder(14), "wrr")
    with pytest.raises(lm.UsageError, match=r"more than 10\^30 paths"):
        lm.mbr(ladder(100), "wrr")
    with pytest.raises(lm.UsageError, match=r"more than 10\^4515 paths"):
        lm.mbr(ladder(15_000), "wrr")  # Python does not write numbers of more than 4,300 digits
    found = lm.mbr(ladder(100), "wrr", samples=50)
    assert (found.evidence_strings, len(found.ranked), len(found.words)) == (50, 50, 100)
    assert lm.mbr(ladder(14), "wrr", hypotheses=lm.Lattice.from_strings(["1 3 5"]), samples=9).words == ("1", "3", "5")


def test_lists_are_listed_however_long_they_are(monkeypatch):
    monkeypatch.setattr("latticemetric.mbr_decoding.metric._MOST_PATHS", 3)
    nbest = lm.NBest(tuple(Hypothesis((said,), {}) for said in "abcde"), {})
    assert len(lm.mbr(nbest, "wrr").ranked) == 5
    with pytest.raises(lm.UsageError, match="5 paths"):
        lm.mbr(nbest.to_lattice(), "wrr")


def test_forests_with_many_derivations_are_not_listed(monkeypatch):
    monkeypatch.setattr("latticemetric.mbr_decoding.metric._MOST_PATHS", 1)
    forest = lm.Forest.from_lattice(lm.Lattice.from_strings(["a b", "a c"]))
    with pytest.raises(lm.UsageError, match="there are 2 derivations"):
        lm.mbr(forest, "wrr")
    assert lm.mbr(forest, "wrr", samples=30).evidence_strings == 2


@dataclasses.dataclass
class DrawnDerivations:
    """What posteriors of forests draw: edges in preorder."""

    drawn: list

    def sample(self, count, seed):
        assert (len(self.drawn), seed) == (count, 7)
        return [np.array(derivation.edges) for derivation in self.drawn]


@settings(max_examples=30)
@given(forest=forests(list("abc"), ["model"], costs), data=st.data())
def test_drawn_derivations_are_weighed_alike(forest, data):
    drawn = data.draw(st.lists(st.sampled_from(list(forest.derivations())), min_size=1, max_size=9))
    evidence = {said: n / len(drawn) for said, n in Counter(derivation.words for derivation in drawn).items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("latticemetric.mbr_decoding.metric.posteriors", lambda *_, **__: DrawnDerivations(drawn))
        found = lm.mbr(forest, "f1", samples=len(drawn), seed=7)
    assert_is_ranked(found, lm.Unigram("f1"), [(d.words, d.cost) for d in drawn], evidence)


# --- Edges


def test_one_string_is_the_answer():
    found = lm.mbr(lm.Lattice.from_strings(["a b c d"], costs=[7.0]), "4-grr")
    assert (found.words, found.gain, found.cost, found.confidences) == (("a", "b", "c", "d"), 1.0, 7.0, (1.0,) * 4)
    assert (found.effective_size, found.undefined, found.exact, found.beam) == (1.0, 0.0, True, None)


def test_costs_in_the_thousands():
    found = lm.mbr(lm.Lattice.from_strings(["a", "b"], costs=[9000.0, 9000.0 + math.log(3)]), "wrr")
    assert (found.words, found.gain) == (("a",), pytest.approx(0.75))


def test_the_answer_is_plain_values_for_json():
    document = lm.mbr(lm.Lattice.from_strings(["a b", "a"]), "4-grr", beam=3, samples=4, seed=2).asdict()
    assert json.loads(json.dumps(document)) == document
    assert (document["samples"], document["seed"], document["beam"], document["exact"]) == (4, 2, 3, False)
    assert document["signature"] == str(lm.GRR(4).signature)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"posterior_scale": math.nan}, "the posterior scale is nan"),
        ({"posterior_scale": math.inf}, "the posterior scale is inf"),
        ({"weights": {"lm": 1.0}}, "no score column 'lm'"),
        ({"samples": 0}, "0 samples cannot be drawn"),
        ({"samples": -3}, "-3 samples"),
        ({"samples": 2.5}, "2.5 samples"),
        ({"samples": True}, "True samples"),
        ({"samples": 5, "seed": -1}, "the seed is -1"),
        ({"beam": -1}, "the beam is -1"),
        ({"by": "5"}, "there is no MBR by '5'; choose one of ngram, N-gcr, N-grr, bleu"),
        ({"by": None}, "there is no MBR by 'None'"),
        ({"by": "0-grr"}, "order 0"),
        ({"by": "ngram", "samples": 3}, "MBR by ngram has no setting 'samples'"),
        ({"by": "wer", "hypotheses": lm.Lattice.from_strings(["a"])}, "MBR by wer does not use other hypotheses"),
        (
            {"hypotheses": lm.Lattice.from_strings(["a"]), "evidence": lm.Lattice.from_strings(["a"])},
            "hypotheses and evidence are given; give only one of the two",
        ),
        ({"evidence": "a b"}, "str is not a lattice"),
        ({"evidence": "a b", "weights": {"cost": 1.0}}, "str is not a lattice"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, says):
    with pytest.raises((lm.UsageError, lm.InputError), match=says):
        lm.mbr(lm.Lattice.from_strings(["a b", "c"], costs=[0.0, 1.0]), **{"by": "4-grr", **wrong})


@pytest.mark.parametrize("method", ["wrr", "4-grr", "cer"])
@pytest.mark.parametrize("text", ["", "a b"])
def test_the_only_string_is_the_answer_without_a_score(method, text):
    found = lm.mbr(lm.Lattice.from_strings([text]), method, evidence=lm.Lattice.from_strings([""]))
    assert found.words == found.one_best == tuple(text.split())
    assert (found.score, found.asdict()["gain" if found.higher_is_better else "risk"]) == (None, None)


def test_evidence_that_is_empty_is_refused():
    with pytest.raises(lm.InputError, match="4-grr is undefined against all strings of the evidence"):
        lm.mbr(lm.Lattice.from_strings(["a", "b"]), "grr", evidence=lm.Lattice.from_strings(["", ""]))
    with pytest.raises(lm.InputError, match="too large to be added up"):
        lm.mbr(lm.Lattice.from_strings(["a", "b"], costs=[1e308, 0.0]), "grr", posterior_scale=10)


# --- Lists of decoders


MOSES = DATA / "nbest" / "moses.nbest.1.gz"


@pytest.mark.real_data
@pytest.mark.skipif(not MOSES.exists(), reason=f"there are no n-best lists in {DATA} (LATTICEMETRIC_DATA)")
def test_lists_of_moses():
    _, nbest = next(iter(lm.read(MOSES)))
    for metric in (lm.GRR(4), lm.BLEU(smoothing="exp")):
        assert_is_ranked(lm.mbr(nbest, metric), metric, paths_of(nbest), believed_strings(paths_of(nbest), 1.0))
