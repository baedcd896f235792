"""Test sets that native code reads and counts: against the same in plain Python."""

import time
from collections import UserList

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kit.native import with_gains

import latticemetric as lm
from latticemetric import _native
from latticemetric.errors import UsageError
from latticemetric.metrics.base import words_of
from latticemetric.metrics.segments import Segments

# Letters of one to four bytes, and words around eight and sixteen bytes: the reader has paths for these lengths.
LETTERS = ["a", "b", "\0", "é", "\x85", "\xa0", "‐", "\u2028", "漢", "🙂"]
SPACES = [" ", "\t", "\n", "\v", "\f", "\r", "  ", "\x1c", "\x1f"]  # the last two are none in ASCII's sense
written = st.text(st.sampled_from(LETTERS), max_size=20) | st.sampled_from(["a" * n for n in (7, 8, 9, 15, 16, 17, 33)])
lines = st.lists(written | st.sampled_from(SPACES), max_size=12).map("".join)
words = st.lists(written, max_size=6)
texts = lines | words | words.map(tuple)
test_sets = st.lists(st.tuples(texts, lines | st.lists(texts, min_size=1, max_size=3)), max_size=5)


def listed(references):
    return [references] if isinstance(references, str) else list(references)


def numbered(texts, numbers):
    return [[numbers.setdefault(word, len(numbers)) for word in words_of(text)] for text in texts]


def number_plainly(test_set, *, across):
    """What `number_segments` promises, with a dictionary."""
    numbers, hypotheses, references, owner = {}, [], [], [0]
    for hypothesis, several in test_set:
        numbers = numbers if across else {}
        hypotheses += numbered([hypothesis], numbers)
        references += numbered(listed(several), numbers)
        owner.append(len(references))
    return hypotheses, references, owner, list(numbers) if across else []


def sides(test_set):
    return [hypothesis for hypothesis, _ in test_set], [references for _, references in test_set]


def strings(words, begin):
    return [part.tolist() for part in np.split(words, begin[1:-1])] if len(begin) > 1 else []


@given(test_set=test_sets, across=st.booleans())
@example(test_set=[("a\0 a", ["a\0\0 a\0", "a"])], across=True)
@example(test_set=[("12345678 2345678", "2345678 12345678")], across=False)
def test_words_are_numbered_as_by_a_dictionary(test_set, across):
    *arrays, owner, distinct = _native.number_segments(*sides(test_set), across)
    found = strings(*arrays[:2]), strings(*arrays[2:]), owner.tolist(), distinct
    assert found == number_plainly(test_set, across=across)


def test_many_words_are_numbered_after_few_and_before_few():
    many = [f"word-{k}" for k in range(5000)]
    test_set = [("a b", "b a"), (many, [many[::-1]]), ("b a", "a b")] * 2
    for across in (False, True):
        *arrays, owner, distinct = _native.number_segments(*sides(test_set), across)
        found = strings(*arrays[:2]), strings(*arrays[2:]), owner.tolist(), distinct
        assert found == number_plainly(test_set, across=across)


@given(test_set=test_sets)
@example(test_set=[("", ["a", "a"])])
def test_other_sequences_than_lists_are_read_too(test_set):
    def wrapped(text):
        return text if isinstance(text, str) else UserList(text)

    hypotheses = UserList(wrapped(hypothesis) for hypothesis, _ in test_set)
    references = [r if isinstance(r, str) else UserList(map(wrapped, r)) for _, r in test_set]
    found = Segments.of(hypotheses, references, across=True)
    expected = number_plainly(test_set, across=True)
    assert (strings(*found.hypotheses), strings(*found.references), found.owner.tolist()) == expected[:3]
    assert scored(hypotheses, references) == scored(*sides(test_set))


def scored(hypotheses, references):
    """The corpus's word error rate, or why there is none: lists of single words may be one reference or several."""
    try:
        return lm.WER().corpus(hypotheses, references)
    except lm.UsageError as error:
        return str(error)


def test_words_that_utf8_cannot_say_are_words():
    hypotheses, references = ["a \ud800 b", "running \udfff"], ["a \ud800 c", ["runs \udfff", "walks"]]
    assert lm.WER().counts(hypotheses, references)[:, 1:4].tolist() == [[1, 0, 0], [1, 0, 0]]
    assert lm.BLEU(order=1).table(hypotheses, references)[:, 0].tolist() == [2, 1]
    assert lm.BLEU(order=1, stem=True).table(hypotheses, references)[:, 0].tolist() == [2, 2]


@pytest.mark.parametrize("wrong", [[None], [[None]], [[["a", None]]], [3]], ids=str)
def test_what_is_no_text_is_refused(wrong):
    with pytest.raises(TypeError):
        _native.count_segments(["a"], wrong, (1, 1, 1, 0))
    with pytest.raises(TypeError):
        _native.number_segments(["a"], wrong, True)


def seconds_to_number(words: list[str]) -> float:
    """Processor time: the least of several runs."""

    def once() -> float:
        began = time.process_time()
        _native.number_segments([words], [words], True)
        return time.process_time() - began

    return min(once() for _ in range(5))


def test_words_that_begin_and_end_alike_are_numbered_as_fast_as_others():
    alike = [f"beginning{number:08d}theending" for number in range(16_000)]
    others = [f"{number:08d}beginningtheending" for number in range(16_000)]
    assert _native.number_segments([alike], [alike], True)[0].tolist() == list(range(16_000))
    assert seconds_to_number(alike) < 20 * seconds_to_number(others)


def test_lists_of_different_lengths_are_refused():
    for arguments in ((["a"], []), ([], ["a"])):
        with pytest.raises(ValueError, match="as many"):
            _native.count_segments(*arguments, (1, 1, 1, 0))
        with pytest.raises(ValueError, match="as many"):
            _native.number_segments(*arguments, False)


def test_a_hypothesis_without_a_reference_is_refused():
    for metric in (lm.WER(), lm.BLEU(), lm.NIST()):
        with pytest.raises(UsageError, match="no reference"):
            metric.corpus(["a", "b"], ["a", []])


@pytest.mark.parametrize("change", [{"order": 0}, {"order": 255}, {"unit": 0}], ids=str)
def test_gains_out_of_bounds_are_refused(change):
    with pytest.raises(ValueError, match="must"):
        _native.count_segments(["a"], ["a"], **with_gains({"order": 1, "unit": 1, "alpha": 1, "beta": 0} | change))


@pytest.mark.parametrize(
    "change",
    [
        {"hypothesis_begin": [0, 2]},  # beyond the end
        {"hypothesis_begin": [1, 1]},  # not from the first word on
        {"hypothesis_begin": []},
        {"reference_begin": [0, 2, 1]},  # not in order
        {"owner": [0, 2]},  # no such reference
        {"owner": [0, 1, 1]},  # of no hypothesis
        {"order": 0},
    ],
    ids=str,
)
@pytest.mark.parametrize("kernel", [_native.match_ngrams, _native.weigh_ngrams], ids=["match", "weigh"])
def test_strings_out_of_bounds_are_refused(kernel, change):
    arguments = {
        "hypotheses": [0], "hypothesis_begin": [0, 1], "references": [0], "reference_begin": [0, 1], "owner": [0, 1],
        "order": 2,
    }  # fmt: skip
    assert kernel(**as_arrays(arguments)).shape == (1, 2)
    with pytest.raises(ValueError, match="must"):
        kernel(**as_arrays(arguments | change))


def as_arrays(arguments):
    words = ("hypotheses", "references")
    return {
        name: np.array(value, np.int32 if name in words else np.int64) if isinstance(value, list) else value
        for name, value in arguments.items()
    }


# --- Counts of word recognition rates, for which no alignment is made


def best_counts(hypothesis, reference):
    """M, S, D, I by the recurrence over all cells, for the best (M − I, M)."""
    row = [(-j, 0) for j in range(len(hypothesis) + 1)]
    for word in reference:
        above, row = row, [(0, 0)]
        for j, said in enumerate(hypothesis):
            value, matches = above[j]
            diagonal = (value + 1, matches + 1) if said == word else (value, matches)
            row.append(max(diagonal, above[j + 1], (row[j][0] - 1, row[j][1])))
    value, matches = row[-1]
    insertions = matches - value
    substitutions = len(hypothesis) - matches - insertions
    return [matches, substitutions, len(reference) - matches - substitutions, insertions]


@st.composite
def noisy_pairs(draw, most=60):
    """A reference, and what is left of it after some edits: bands of all widths, and strings of all lengths."""
    alphabet = st.sampled_from(draw(st.sampled_from(["ab", "abcd", "abcdefghijklmnopqrstuvwxyz"])))
    reference = draw(st.lists(alphabet, max_size=most))
    hypothesis = list(reference)
    for _ in range(draw(st.integers(0, 40))):
        at = draw(st.integers(0, len(hypothesis)))
        hypothesis[at : at + draw(st.integers(0, 3))] = draw(st.lists(alphabet, max_size=3))
    return draw(st.sampled_from([(hypothesis, reference), (reference, hypothesis)]))


@given(pairs=st.lists(noisy_pairs(), max_size=4))
def test_words_are_counted_as_over_all_cells(pairs):
    counts = lm.WER().counts([hypothesis for hypothesis, _ in pairs], [[reference] for _, reference in pairs])
    assert counts.tolist() == [[*best_counts(c, r), len(r)] for c, r in pairs]


@pytest.mark.parametrize("drift", [0, 1, 7, 8, 15, 16, 17, 40, 300, -1, -8, -16, -40, -300])
@pytest.mark.parametrize("words", [1, 20, 118, 119, 200])
def test_bands_follow_strings_of_different_lengths(words, drift):
    random = np.random.default_rng([words, abs(drift)])
    hypothesis, reference = (random.choice(list("abcde"), max(0, n)).tolist() for n in (words, words + drift))
    assert lm.WER().counts([hypothesis], [[reference]]).tolist() == [
        [*best_counts(hypothesis, reference), len(reference)]
    ]


@pytest.mark.parametrize("words", [110, 130, 10_000, 40_000])
def test_words_are_counted_in_keys_of_all_sizes(words):
    reference = [f"w{k}" for k in range(words)]
    hypothesis = ["x", *reference[1:-2], "y", "z", "z"]
    assert lm.WER().counts([hypothesis], [[reference]]).tolist() == [[words - 3, 3, 0, 1, words]]


def test_numbers_of_words_may_be_larger_than_keys_of_short_strings():
    reference = [f"w{k}" for k in range(20)]
    hypothesis = ["x", *reference[1:-1], "y"]
    unlike = [f"v{k}" for k in range(33_000)]
    counts, _ = _native.count_segments([hypothesis], [[unlike, [*unlike[-20:]], reference]], (1, 1, 1, 0))
    assert counts[1:].tolist() == [[0, 20, 0, 0, 20], [18, 2, 0, 0, 20]]


@given(pairs=st.lists(noisy_pairs(12), min_size=1, max_size=3), order=st.integers(1, 4))
def test_counts_in_many_turns_are_those_of_each_pair(pairs, order):
    metric, many = lm.GRR(order), 5000 // len(pairs)
    hypotheses, references = [c for c, _ in pairs], [[r] for _, r in pairs]
    once, repeated = metric.counts(hypotheses, references), metric.counts(hypotheses * many, references * many)
    np.testing.assert_array_equal(repeated, np.tile(once, (many, 1)))
    for row, (hypothesis, reference) in zip(once.tolist(), pairs, strict=True):
        statistics = metric.statistics(hypothesis, [reference])
        assert row[:order] == list(statistics.matches)
        assert row[order + 3 :] == list(statistics.reference_ngrams)
