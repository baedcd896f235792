"""Measures of calibration against their definitions, resamples against resampled data, and NCE against sclite."""

import math
import re
import shutil
import subprocess
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.paths import DATA, EXAMPLES

import latticemetric as lm
from latticemetric import evaluation
from latticemetric.corpus.calibration import confidence_calibration
from latticemetric.evaluation.calibration import LEAST_PROBABILITY
from latticemetric.evaluation.intervals import resample_counts

probabilities = st.sampled_from([0.0, 0.05, 0.1, 0.29, 0.3, 0.5, 0.5, 0.7, 0.9, 0.999, 1.0]) | st.floats(0, 1)
events = st.lists(st.tuples(probabilities, st.booleans(), st.integers(0, 4)), max_size=12)


def nce(p, right):
    """Siu, Gish & Richardson 1997, as sclite's manual has it."""
    n, share = len(p), sum(right) / max(1, len(p))
    if not 0 < share < 1:
        return None
    most = -sum(right) * math.log2(share) - (n - sum(right)) * math.log2(1 - share)
    inside = [min(max(one, LEAST_PROBABILITY), 1 - LEAST_PROBABILITY) for one in p]
    return (most + math.fsum(math.log2(q if r else 1 - q) for q, r in zip(inside, right, strict=True))) / most


def auc(p, right):
    pairs = [
        (good, bad) for good, r in zip(p, right, strict=True) if r for bad, s in zip(p, right, strict=True) if not s
    ]
    won = (Fraction(1, 2) if math.isclose(good, bad, rel_tol=1e-12) else Fraction(good > bad) for good, bad in pairs)
    return sum(won) / len(pairs) if pairs else None


def brier(p, right):
    return math.fsum((q - r) ** 2 for q, r in zip(p, right, strict=True)) / len(p) if p else None


def in_bin(p, number, bins):
    """Bins have their lower end, the last also its upper one; p may be below an end by rounding."""
    above = p + 1e-12
    return (number / bins <= above or number == 0) and (above < (number + 1) / bins or number == bins - 1)


def ece(p, right, bins):
    total = 0.0
    for number in range(bins):
        rows = [(q, r) for q, r in zip(p, right, strict=True) if in_bin(q, number, bins)]
        total += abs(math.fsum(q for q, _ in rows) - sum(r for _, r in rows))
    return total / len(p) if p else None


def approximately(value, tolerance=1e-9):
    return None if value is None else pytest.approx(float(value), abs=tolerance)


def all_measures(p, right, bins):
    return {"nce": nce(p, right), "auc": auc(p, right), "brier": brier(p, right), "ece": ece(p, right, bins)}


@given(rows=events, bins=st.sampled_from([1, 2, 8, 10]))
def test_measures_of_events_are_those_of_their_definitions(rows, bins):
    p, right = [q for q, _, _ in rows], [r for _, r, _ in rows]
    found = evaluation.event_calibration(p, right, bins=bins, resamples=0)
    for name, value in all_measures(p, right, bins).items():
        assert getattr(found, name).value == approximately(value, 1e-7), name
    assert (found.count, found.happened) == (len(p), sum(right))
    assert found.mean == approximately(np.mean(p) if p else None)
    for number, one in enumerate(found.bins):
        inside = [(q, r) for q, r in zip(p, right, strict=True) if in_bin(q, number, bins)]
        assert one.count == len(inside)
        assert one.predicted == approximately(np.mean([q for q, _ in inside]) if inside else None)
        assert one.observed.value == approximately(np.mean([r for _, r in inside]) if inside else None)


@given(rows=events.filter(bool), bins=st.sampled_from([2, 4]))
def test_intervals_resample_whole_groups(rows, bins):
    """Each resample is a data set of its own: the events of each group as often as the group is drawn."""
    p, right, group = (list(column) for column in zip(*rows, strict=True))
    names = sorted(set(group))
    found = evaluation.event_calibration(p, right, group, bins=bins, resamples=7, seed=3, confidence=0.5)
    samples = {name: [] for name in all_measures(p, right, bins)}
    (counts,) = resample_counts(len(names), 7, 3)
    for drawn in counts.astype(int).tolist():
        again = [k for k, one in enumerate(group) for _ in range(drawn[names.index(one)])]
        for name, value in all_measures([p[k] for k in again], [right[k] for k in again], bins).items():
            samples[name].append(value)
    for name, values in samples.items():
        interval = getattr(found, name)
        defined = [float(value) for value in values if value is not None]
        if interval.value is None or not defined:
            assert (interval.low, interval.high) == (None, None)
            continue
        low, high = np.quantile(defined, [0.25, 0.75])
        assert (interval.low, interval.high) == (approximately(low, 1e-7), approximately(high, 1e-7)), name


utterances = st.lists(st.tuples(st.floats(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=9)


@given(rows=utterances, bins=st.integers(1, 4))
def test_measures_of_errors_are_those_of_their_definitions(rows, bins):
    means, errors, words = (list(column) for column in zip(*rows, strict=True))
    found = evaluation.error_calibration(means, errors, words, bins=bins, resamples=0)
    total = sum(words)
    assert found.expected.value == approximately(math.fsum(means) / total if total else None)
    assert found.rate.value == approximately(sum(errors) / total if total else None)
    assert found.difference.value == approximately((math.fsum(means) - sum(errors)) / total if total else None)
    squares = math.fsum((m - e) ** 2 for m, e, _ in rows) / len(rows)
    assert found.squared_error.value == approximately(squares)
    # A bin has the utterances of a part of the ranks; equal expectations share the rank of the first.
    ranks = [sum(other < m and not math.isclose(other, m, rel_tol=1e-12) for other in means) for m in means]
    parts = sorted({rank * bins // len(rows) for rank in ranks})
    assert len(found.bins) == len(parts)
    apart = 0.0
    for one, part in zip(found.bins, parts, strict=True):
        inside = [(m, e) for (m, e, _), rank in zip(rows, ranks, strict=True) if rank * bins // len(rows) == part]
        assert (one.low, one.high, one.count) == (min(inside)[0], max(m for m, _ in inside), len(inside))
        assert one.predicted == approximately(np.mean([m for m, _ in inside]))
        assert one.observed.value == approximately(np.mean([e for _, e in inside]))
        apart += abs(math.fsum(m - e for m, e in inside))
    assert found.ece.value == approximately(apart / total if total else None)


def test_rounding_moves_no_confidence_over_the_end_of_a_bin():
    # Seven of ten samples have a word: rounding may give their sum, or 1 minus that of the others, other last digits.
    share, sums = 0.7, [0.7, 1 - math.fsum([0.1] * 3), math.fsum([0.1] * 7), 0.7 - 1e-15]
    assert min(sums) < share
    right = [True, False, True, False]
    rounded, exact = (evaluation.event_calibration(p, right, resamples=0) for p in (sums, [share] * 4))
    assert [one.count for one in rounded.bins] == [one.count for one in exact.bins] == [0, 0, 0, 0, 0, 0, 0, 4, 0, 0]
    assert rounded.auc.value == exact.auc.value == 0.5
    assert rounded.ece.value == pytest.approx(exact.ece.value)
    errors = evaluation.error_calibration(sums, [0, 1, 1, 1], [2] * 4, bins=4, resamples=0)
    assert [one.count for one in errors.bins] == [4]


def test_perfect_and_useless_probabilities():
    right = [True, True, False, True]
    perfect = evaluation.event_calibration([1.0, 1.0, 0.0, 1.0], right, resamples=0)
    values = [getattr(perfect, name).value for name in ("nce", "ece", "brier", "auc")]
    assert values == [pytest.approx(1.0, abs=1e-6), 0.0, 0.0, 1.0]
    useless = evaluation.event_calibration([0.75] * 4, right, resamples=0)
    assert useless.nce.value == pytest.approx(0.0, abs=1e-12)
    assert (useless.ece.value, useless.auc.value) == (0.0, 0.5)


@pytest.mark.parametrize(
    ("arguments", "options", "problem"),
    [
        (([0.5, 1.5], [True, False]), {}, "a probability is not between 0 and 1"),
        (([math.nan], [True]), {}, "not finite"),
        (([0.5], [math.nan]), {}, "not finite"),
        (([0.5], [None]), {}, "not finite"),
        (([0.5, 0.5], [0.3, 1]), {}, "an outcome is 0.3, not True or False"),
        (([0.5, 0.5], [1, -1]), {}, "an outcome is -1, not True or False"),
        (([0.5, 0.5], ["no", "yes"]), {}, "outcomes are not an array of numbers"),
        (([0.5], [True, False]), {}, r"probabilities have shape \(1,\), but outcomes have shape \(2,\)"),
        (([[0.5]], [[True]]), {}, "give two flat arrays of equal length"),
        (([0.5], [True], [1, 2]), {}, r"groups have shape \(2,\), not \(1,\)"),
        (([0.5], [True]), {"bins": 0}, "the number of bins is 0"),
        (([0.5], [True]), {"bins": 10**9}, "the number of bins is 1000000000"),
        (([0.5], [True]), {"confidence": 1.0}, "confidence 1.0 is not between 0 and 1"),
        (([0.5], [True]), {"seed": -1}, "the seed is -1; give a whole number from 0"),
    ],
)
def test_hostile_events_are_refused(arguments, options, problem):
    with pytest.raises(lm.UsageError, match=problem):
        evaluation.event_calibration(*arguments, **options)


def test_hostile_errors_are_refused():
    with pytest.raises(lm.UsageError, match="not finite"):
        evaluation.error_calibration([math.inf], [1], [1])
    with pytest.raises(lm.UsageError, match=r"numbers of words have shape \(1,\), but outcomes have shape \(2,\)"):
        evaluation.error_calibration([1.0, 2.0], [1, 2], [1])
    for errors, words in (([-1], [1]), ([1], [-1])):
        with pytest.raises(lm.UsageError, match="a number of errors or words is below 0"):
            evaluation.error_calibration([1.0], errors, words)


# --- Beside sclite (NIST's SCTK 2.4.10), with confidences


SCLITE = shutil.which("sclite") or shutil.which("/usr/lib/sctk/bin/sclite")


def our_nce(hypothesis, reference, speaker=lambda _: True):
    answers = lm.Corpus.read(hypothesis, reference, lowercase=True).calibrate(own_confidences=True)
    kept = [answer.value for k, answer in enumerate(answers) if speaker(k)]
    found = confidence_calibration([one.graph for one in kept], [one.references for one in kept], resamples=0)
    return found.words.nce.value


def nce_of_sclite(hypothesis, reference, folder):
    """The NCE of all speakers together, of a report without a speaker's line for each file."""
    command = [SCLITE, "-r", reference, "stm", "-h", hypothesis, "ctm", "-o", "rsum", "stdout"]
    report = subprocess.run(command, capture_output=True, check=True, cwd=folder, text=True).stdout
    return float(re.search(r"\| Sum .*\|\s*(-?[0-9.]+)\s*\|\s*$", report, re.MULTILINE)[1])


def small_test(folder, confidences):
    """Words of which the second is wrong, with these confidences."""
    rows = zip("axcd", confidences, strict=True)
    (folder / "e.ctm").write_text("".join(f"u A {k}.00 1.00 {word} {p}\n" for k, (word, p) in enumerate(rows)))
    (folder / "e.stm").write_text("u A s 0.00 9.00 a b c d e\n")
    return folder / "e.ctm", folder / "e.stm"


# What sclite printed; it moves confidences away from 0 and 1, wherever they are.
PRINTED = {
    ("0.5", "0.5", "0.8", "0.7"): 0.126,
    ("0.0", "1.0", "0.8", "0.7"): -13.589,
    ("0", "0.5", "0.8", "0.7"): -6.732,
    ("1.0", "1.0", "0.8", "0.7"): -6.423,
    ("1.0", "0.5", "0.8", "0.7"): 0.434,
    ("1.5", ".5", "0.8", "0.7"): 0.434,
    ("-0.5", ".5", "0.8", "0.7"): -6.732,
}


@pytest.mark.parametrize("confidences", PRINTED, ids=" ".join)
def test_nce_is_what_sclite_printed(confidences, tmp_path):
    assert round(our_nce(*small_test(tmp_path, confidences)), 3) == PRINTED[confidences]


@pytest.mark.skipif(SCLITE is None, reason="sclite is not installed (Debian's package sctk)")
def test_nce_is_that_of_sclite(tmp_path):
    for confidences in PRINTED:
        files = small_test(tmp_path, confidences)
        assert round(our_nce(*files), 3) == nce_of_sclite(*files, tmp_path)
    files = EXAMPLES / "radio.ctm", EXAMPLES / "radio.stm"
    assert round(our_nce(*files), 3) == nce_of_sclite(*files, tmp_path)


def test_nce_of_sclite_s_sample_files(tmp_path):
    """Its files have no confidences; sclite printed these numbers for the ones added here."""
    folder = DATA / "trn-stm-ctm"
    if not folder.is_dir():
        pytest.skip(f"there are no transcripts in {folder} (LATTICEMETRIC_DATA)")
    lines = (folder / "lvc_hyp.ctm").read_text().splitlines()
    added = [f"{line} {0.05 + 0.9 * (k * 7919 % 101) / 101:.3f}\n" for k, line in enumerate(lines, start=1)]
    (tmp_path / "hyp.ctm").write_text("".join(added))
    files = tmp_path / "hyp.ctm", folder / "lvc_ref.stm"
    assert round(our_nce(*files), 3) == -0.310
    speakers = {"2347-a": range(16), "2347-b": range(16, 36), "3129-a": range(36, 41), "3129-b": range(41, 61)}
    printed = [-0.289, -0.380, -0.439, -0.271]
    assert [round(our_nce(*files, numbers.__contains__), 3) for numbers in speakers.values()] == printed
    if SCLITE is not None:
        assert nce_of_sclite(*files, tmp_path) == -0.310


def test_words_without_confidence_are_named():
    lattice = lm.Lattice.from_strings(["a b"])
    with pytest.raises(lm.InputError, match="graph 1: the word 'a' has no confidence"):
        confidence_calibration([lattice], [["a b"]])
    with pytest.raises(lm.UsageError, match="there are 1 graphs, but 2 references"):
        confidence_calibration([lattice], ["a b", "a"])
