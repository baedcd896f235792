"""Metrics of word tags against their definitions, spelled out tag by tag."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.tags import DEFINITIONS, sequence_correlation

from latticemetric import InputError, UsageError
from latticemetric.evaluation.intervals import bootstrap
from latticemetric.evaluation.word_tags.discrimination import SYNTHETIC, synthetic_tags
from latticemetric.evaluation.word_tags.evaluation import TagEvaluation, sweep_thresholds
from latticemetric.evaluation.word_tags.metrics import TAG_METRICS, find_tag_metric, tag_scores, tag_table
from latticemetric.evaluation.word_tags.tags import WordTags, chosen_tags

# --- The definitions, on lists of (gold, predicted) lists of tags


@st.composite
def labellings(draw, systems=1, most=8, segments=5):
    """Gold tags and those of some systems; runs are long enough to overlap in many ways, and some sides constant."""
    lengths = draw(st.lists(st.integers(0, most), max_size=segments))
    found = []
    for _ in range(systems + 1):
        alphabet = draw(st.sampled_from([("OK", "BAD")] * 6 + [("OK",), ("BAD",)]))
        sides = [draw(st.lists(st.sampled_from(alphabet), min_size=n, max_size=n)) for n in lengths]
        found.append(sides)
    return found


@given(labellings())
def test_scores_are_what_the_definitions_say(sides):
    gold, predicted = sides
    found = tag_scores(*map(WordTags.of, sides))
    for name, definition in DEFINITIONS.items():
        assert getattr(found, name) == pytest.approx(definition(gold, predicted), abs=1e-12), name
    flat = [pair for one, other in zip(gold, predicted, strict=True) for pair in zip(one, other, strict=True)]
    assert (found.tags, found.bad, found.errors) == (
        len(flat),
        sum(other == "BAD" for _, other in flat),
        sum(one != other for one, other in flat),
    )


@given(labellings())
def test_what_is_undefined_has_a_reason(sides):
    found = tag_scores(*map(WordTags.of, sides))
    undefined = {name for name in DEFINITIONS if getattr(found, name) is None}
    assert undefined == {name for name, why in found.notes.items() if why.startswith("undefined: ")}
    assert set(found.notes) - undefined <= {"mcc"}


@given(labellings())
def test_statistics_add_up_over_segments(sides):
    table = tag_table(*map(WordTags.of, sides))
    assert table.shape == (len(sides[0]), 14)
    for row, gold, predicted in zip(table, *sides, strict=True):
        alone = tag_table(WordTags.of([gold]), WordTags.of([predicted]))
        assert (row == alone[0]).all()


def test_ties_of_overlaps_go_to_the_first_gold_span_then_to_the_first_predicted_one():
    # Three overlaps of one word each, in a row: the first and the last one are matched, not the one in between.
    early, late = "OK BAD OK OK OK", "OK OK OK BAD OK"
    assert tag_scores([early], [late]).seqcor == 1 / 2 * 2 / 4
    assert tag_scores([late], [early]).seqcor == 1 / 2 * 2 / 4
    assert sequence_correlation([early.split()], [late.split()]) == 1 / 4


def test_sequence_correlation_of_the_example_of_wmt15():
    gold = ["OK " * 10 + "BAD OK OK OK BAD BAD BAD OK OK", "OK OK BAD OK BAD OK OK OK OK OK"]
    predicted = ["OK OK OK BAD OK BAD BAD" + " OK" * 12, "OK OK BAD BAD OK OK OK OK OK OK"]
    found = tag_scores(WordTags.of(gold), WordTags.of(predicted))
    assert found.seqcor == pytest.approx(0.30625, abs=1e-12)
    each = [tag_scores(WordTags.of([g]), WordTags.of([p])).seqcor for g, p in zip(gold, predicted, strict=True)]
    assert each == pytest.approx([0.2, 0.4125], abs=1e-12)


def test_a_perfect_prediction_of_one_class_has_a_sequence_correlation_of_one_half():
    tags = WordTags.of(["OK OK OK"])
    assert tag_scores(tags, tags).seqcor == 0.5


def test_metrics_of_tags_may_be_resampled_as_any():
    gold, predicted = WordTags.of(["OK BAD OK", "BAD OK", "OK"]), WordTags.of(["OK BAD BAD", "OK OK", "OK"])
    found = bootstrap(TAG_METRICS["f1_mult"], tag_table(gold, predicted), resamples=200, seed=1)
    assert found.value == pytest.approx(tag_scores(gold, predicted).f1_mult)
    assert 0 <= found.low < found.high <= 1
    assert found.undefined > 0  # draws of the last segment only


# --- Tags


@given(labellings())
def test_tags_keep_what_they_are_made_of(sides):
    tags = WordTags.of(sides[0])
    assert [line.split() for line in tags.strings()] == sides[0]
    flags = [np.array([tag == "BAD" for tag in one], bool) for one in sides[0]]
    assert tag_scores(sides[0], flags) == tag_scores(tags, tags)
    for other in (WordTags.of(tags.strings()), WordTags.of(flags)):
        assert (other.bad == tags.bad).all()
        assert (other.begin == tags.begin).all()


@given(st.lists(st.lists(st.sampled_from(["OK", "BAD"]), max_size=9).filter(lambda tags: len(tags) % 2), max_size=4))
def test_words_and_gaps_are_odd_and_even_places(lines):
    tags = WordTags.of(lines)
    for which, first in (("words", 1), ("gaps", 0)):
        assert [one.split() for one in tags.chosen(which).strings()] == [line[first::2] for line in lines]
    assert tags.chosen("all") is tags


def test_layouts_are_found_by_the_lengths_of_lines():
    odd, even = WordTags.of(["OK BAD OK", "BAD"]), WordTags.of(["OK BAD OK", "BAD OK"])
    assert chosen_tags(odd, "f", "words").strings() == ["BAD", ""]
    assert chosen_tags(even, "f", "words").strings() == ["OK BAD OK", "BAD OK"]
    assert chosen_tags(odd, "f", "words", "words").strings() == ["OK BAD OK", "BAD"]
    assert chosen_tags(odd, "f", "words", gaps=False).strings() == ["OK BAD OK", "BAD"]
    assert chosen_tags(odd, "f", "all").strings() == ["OK BAD OK", "BAD"]
    with pytest.raises(InputError, match="f: these are tags of words, without gaps"):
        chosen_tags(even, "f", "gaps")
    with pytest.raises(InputError, match=r"f: segment 2 has 2 tags, but n words with gaps have 2n \+ 1"):
        chosen_tags(even, "f", "words", "words-and-gaps")


@pytest.mark.parametrize(
    ("segments", "message"),
    [
        (["OK GOOD"], "segment 1: 'GOOD' is not a tag"),
        ([[0, 1], [2]], "segment 2: these are not tags"),
        ([[0.5]], "segment 1: these are not tags"),
        ([[[0, 1]]], "segment 1: these are not tags"),
    ],
)
def test_what_is_no_tag_is_refused(segments, message):
    with pytest.raises(InputError, match=message):
        WordTags.of(segments)


def test_tags_of_other_words_are_refused():
    gold = WordTags.of(["OK OK", "BAD"])
    with pytest.raises(InputError, match=r"predicted: segment 2 has 3 tags, but in gold it has 1"):
        tag_table(gold, WordTags.of(["OK OK", "BAD OK OK"]))
    with pytest.raises(InputError, match="sys has 1 segment and ref has 2"):
        TagEvaluation.of(gold, {"sys": WordTags.of(["OK OK"])}, "ref")
    with pytest.raises(UsageError, match="no predicted tags"):
        TagEvaluation.of(gold, {})


@pytest.mark.parametrize("begin", [[], [1, 2], [0, 1], [0, 2, 1, 2]])
def test_segments_begin_in_order(begin):
    with pytest.raises(UsageError):
        WordTags(np.array([True, False]), np.array(begin, dtype=np.int64))


def test_unknown_names_are_refused():
    for ask in (
        lambda: find_tag_metric("f2"),
        lambda: WordTags.of(["OK"]).chosen("letters"),
        lambda: synthetic_tags(WordTags.of(["OK"]), "realistic"),
        lambda: chosen_tags(WordTags.of(["OK"]), "f", "words", "columns"),
    ):
        with pytest.raises(UsageError, match="choose one of"):
            ask()


# --- Synthetic labellings


def random_gold(words, share, seed=0):
    flags = np.random.default_rng(seed).random(words) < share
    return WordTags.of(np.split(flags, range(20, words, 20)))


@given(labellings(), st.sampled_from(SYNTHETIC), st.integers(0, 5))
def test_synthetic_labellings_are_tags_of_the_same_words(sides, kind, seed):
    gold = WordTags.of(sides[0])
    made = synthetic_tags(gold, kind, seed)
    assert (made.begin == gold.begin).all()
    assert (made.bad == synthetic_tags(gold, kind, seed).bad).all()


def test_synthetic_labellings_are_what_the_paper_says():
    gold = random_gold(20_000, 0.18)
    made = {kind: synthetic_tags(gold, kind, seed=3).bad for kind in SYNTHETIC}
    right = {kind: (bad & gold.bad).sum() for kind, bad in made.items()}
    assert made["all-bad"].all()
    assert not made["all-good"].any()
    assert right["optimistic"] / made["optimistic"].sum() == pytest.approx(0.9, abs=0.01)
    assert right["optimistic"] / gold.bad.sum() == pytest.approx(0.1, abs=0.001)
    assert (~made["optimistic"]).mean() == pytest.approx(0.98, abs=0.002)
    assert right["pessimistic"] / gold.bad.sum() == pytest.approx(0.9, abs=0.001)
    assert (~made["pessimistic"] & ~gold.bad).sum() / (~gold.bad).sum() == pytest.approx(0.1, abs=0.001)
    assert made["pessimistic"].mean() == pytest.approx(0.9, abs=0.001)
    assert made["random"].mean() == pytest.approx(gold.bad.mean(), abs=0.01)
    assert right["random"] / made["random"].sum() == pytest.approx(gold.bad.mean(), abs=0.02)


def test_synthetic_labellings_score_as_in_the_paper():
    gold = random_gold(4000, 0.2)
    scores = {kind: tag_scores(gold, synthetic_tags(gold, kind)) for kind in SYNTHETIC}
    assert scores["all-bad"].f1_mult == scores["all-good"].f1_mult == 0
    assert scores["all-bad"].f1_bad > scores["pessimistic"].f1_bad > scores["random"].f1_bad
    assert scores["all-bad"].f1_bad > scores["optimistic"].f1_bad
    assert scores["optimistic"].mcc > max(scores[kind].mcc for kind in SYNTHETIC if kind != "optimistic")


def test_another_seed_draws_other_tags():
    gold = random_gold(400, 0.2)
    for kind in ("optimistic", "pessimistic", "random"):
        assert (synthetic_tags(gold, kind, 0).bad != synthetic_tags(gold, kind, 1).bad).any()
    with pytest.raises(UsageError, match="the seed is -1"):
        synthetic_tags(gold, "random", -1)


# --- Confidences


@given(labellings(), st.data())
def test_a_threshold_makes_tags_of_confidences(sides, data):
    gold = sides[0]
    grid = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
    confidences = [data.draw(st.lists(grid, min_size=len(one), max_size=len(one))) for one in gold]
    thresholds = data.draw(st.lists(grid, min_size=1, max_size=4))
    found = sweep_thresholds(WordTags.of(gold), [c for one in confidences for c in one], thresholds)
    assert [row.threshold for row in found.rows] == sorted(set(thresholds))
    for row in found.rows:
        predicted = [["BAD" if value < row.threshold else "OK" for value in one] for one in confidences]
        assert row.scores == tag_scores(WordTags.of(gold), WordTags.of(predicted))
    values = [row.scores.f1_mult for row in found.rows]
    if all(value is None for value in values):
        assert found.best is None
    else:
        best = max(value for value in values if value is not None)
        assert found.best == found.rows[values.index(best)]


def test_a_confidence_that_is_the_threshold_but_for_rounding_is_not_below_it():
    found = sweep_thresholds(WordTags.of(["OK OK BAD OK"]), [0.7, 0.7 - 1e-15, 0.69, 1 - 2e-16], [0.7, 1, 0])
    assert [row.scores.bad for row in found.rows] == [0, 1, 3]
    assert sweep_thresholds(WordTags.of(["OK BAD"]), [-2, -2 - 1e-9], [-2]).rows[0].scores.bad == 1


def test_all_confidences_are_below_an_infinite_threshold():
    found = sweep_thresholds(WordTags.of(["OK OK BAD"]), [-np.inf, 0.3, 1], [-np.inf, np.inf])
    assert [row.scores.bad for row in found.rows] == [0, 3]


@pytest.mark.parametrize(
    ("confidences", "thresholds", "message"),
    [
        ([0.5], [0.5], "1 confidences for 2 words"),
        ([0.5, math.nan], [0.5], "NaN"),
        ([0.5, 0.5], [math.nan], "NaN"),
        ([0.5, 0.5], [], "no thresholds"),
    ],
)
def test_confidences_without_sense_are_refused(confidences, thresholds, message):
    with pytest.raises(UsageError, match=message):
        sweep_thresholds(WordTags.of(["OK BAD"]), confidences, thresholds)


def test_higher_thresholds_call_more_words_bad():
    gold = random_gold(500, 0.3)
    found = sweep_thresholds(gold, np.random.default_rng(1).random(500))
    assert all(one.scores.bad <= other.scores.bad for one, other in pairwise(found.rows))


def test_single_tags_are_those_of_words():
    assert not WordTags.of(["OK", "BAD", "OK"]).may_hold_gaps
    assert WordTags.of(["OK", "OK BAD OK"]).may_hold_gaps
