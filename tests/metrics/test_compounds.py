"""The word error rate with joined words: brute force over alignments, kaldialign, and what is refused."""

from functools import cache, partial
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric import _native
from latticemetric.errors import InputError, UsageError
from latticemetric.metrics import compounds

METRIC = lm.CompoundWER()
# Letters, so that many words make another word.
words = st.lists(st.text("ab", min_size=1, max_size=4), max_size=7).map(tuple)


def fewest_errors(hypothesis, reference):
    """The definition: align the texts in every way; words of one side that spell a word of the other are free."""

    @cache
    def rest(i, j):
        said, expected = hypothesis[j:], reference[i:]
        if not said or not expected:
            return len(said) + len(expected)
        ways = [1 + rest(i + 1, j), 1 + rest(i, j + 1), (said[0] != expected[0]) + rest(i + 1, j + 1)]
        ways += [rest(i + k, j + 1) for k in range(2, len(expected) + 1) if "".join(expected[:k]) == said[0]]
        ways += [rest(i + 1, j + k) for k in range(2, len(said) + 1) if "".join(said[:k]) == expected[0]]
        return min(ways)

    return rest(0, 0)


@given(words, words)
@example(("ab",), ("a", "b"))
@example(("a", "b", "ab"), ("ab", "a", "b"))
@example((), ())
@example(("a", "a", "aa"), ("aaa", "a"))
def test_errors_are_the_fewest_of_all_alignments(hypothesis, reference):
    substitutions, deletions, insertions, size = METRIC.table([hypothesis], [[reference]])[0]
    assert substitutions + deletions + insertions == fewest_errors(hypothesis, reference)
    assert size == len(reference)
    assert METRIC.table([reference], [[hypothesis]])[0][:3].sum() == substitutions + deletions + insertions


@given(st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3)), min_size=1, max_size=5))
def test_a_test_set_has_the_best_reference_of_each(rows):
    table = METRIC.table([hypothesis for hypothesis, _ in rows], [references for _, references in rows])
    for row, (hypothesis, references) in zip(table.tolist(), rows, strict=True):
        rates = [
            fewest_errors(hypothesis, reference) / len(reference) if reference else np.inf for reference in references
        ]
        if row[3]:
            assert sum(row[:3]) / row[3] == min(rates)


@given(words, words)
@example(("a",) * 3, ("aa",) * 3)
def test_counts_are_those_of_kaldialign(hypothesis, reference):
    peer = pytest.importorskip("kaldialign").edit_distance(list(reference), list(hypothesis), merge_compounds=True)
    assert METRIC.table([hypothesis], [[reference]])[0].tolist() == [peer[n] for n in ("sub", "del", "ins", "ref_len")]


def test_long_texts_are_those_of_kaldialign():
    kaldialign = pytest.importorskip("kaldialign")
    random = np.random.default_rng(3)
    reference = ["".join(random.choice(list("abcd"), 1 + k % 4)) for k in range(600)]
    hypothesis = []
    for word in reference:
        kind = random.integers(8)
        hypothesis += [
            [word],
            [word],
            [word],
            [word],
            [],
            [word[:1], word[1:]] if len(word) > 1 else [word],
            ["b"],
            [],
        ][kind]
    peer = kaldialign.edit_distance(reference, hypothesis, merge_compounds=True)
    assert METRIC.table([hypothesis], [[reference]])[0].tolist() == [peer[n] for n in ("sub", "del", "ins", "ref_len")]


def table_counts(hypothesis, reference):
    """Substitutions, deletions and insertions, from a table of all pairs of places.

    Of edits that are equally good, an insertion comes before a deletion, that before a pair, and joined words last.
    """

    def lengths(word, most):
        return range(2, min(len(word), most) + 1)

    cells = {(0, j): (j, 0, j) for j in range(len(hypothesis) + 1)}  # errors, deletions, insertions
    for i, expected in enumerate(reference, start=1):
        cells[i, 0] = (i, i, 0)
        for j, said in enumerate(hypothesis, start=1):
            errors, deletions, insertions = cells[i, j - 1]
            ways = [(errors + 1, deletions, insertions + 1)]
            errors, deletions, insertions = cells[i - 1, j]
            ways.append((errors + 1, deletions + 1, insertions))
            errors, deletions, insertions = cells[i - 1, j - 1]
            ways.append((errors + (said != expected), deletions, insertions))
            ways += [cells[i - k, j - 1] for k in lengths(said, i) if "".join(reference[i - k : i]) == said]
            ways += [cells[i - 1, j - k] for k in lengths(expected, j) if "".join(hypothesis[j - k : j]) == expected]
            cells[i, j] = min(ways, key=lambda way: way[0])
    errors, deletions, insertions = cells[len(reference), len(hypothesis)]
    return [errors - deletions - insertions, deletions, insertions, len(reference)]


def native_counts(hypothesis, reference, longest):
    with mock.patch.object(_native, "count_compounds", partial(_native.count_compounds, longest=longest)):
        return METRIC.table([hypothesis], [[reference]])[0].tolist()


@st.composite
def pairs(draw, longest):
    """A text, and another one that is made of it by edits, by cutting and joining its words, or of nothing."""
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    letters, most = draw(st.sampled_from(["a", "ab", "abcd"])), draw(st.sampled_from([1, 2, 4, 8]))
    vocabulary = [
        "".join(seed.choice(list(letters), seed.integers(1, most + 1)))
        for _ in range(draw(st.sampled_from([1, 3, 20, 200])))
    ]
    text = [str(word) for word in seed.choice(vocabulary, draw(st.integers(0, longest)))]
    errors = draw(st.sampled_from([0.01, 0.05, 0.2, 0.6, 1]))
    other = []
    for word in text:
        edit, spare = seed.random() / errors, str(seed.choice(vocabulary))
        cut = int(seed.integers(1, len(word))) if len(word) > 1 else 1
        kinds = [[], [spare], [word, spare], [word[:cut], word[cut:] or spare], None]
        change = kinds[int(edit * len(kinds))] if edit < 1 else [word]
        if change is None and other:
            other[-1] += word
        else:
            other += change or []
    if draw(st.integers(0, 9)) == 0:
        other = [letter for word in other for letter in word]
    turn = draw(st.sampled_from([0, 0, len(other) // 3]))
    other = other[turn:] + other[:turn]
    return (other, text) if draw(st.booleans()) else (text, other)


@given(pairs(80), st.sampled_from([0, 1000]))
def test_counts_are_those_of_the_whole_table(pair, longest):
    assert native_counts(*pair, longest) == table_counts(*pair)


@given(pairs(500))
def test_a_narrow_band_has_the_counts_of_a_broad_one(pair):
    assert native_counts(*pair, 0) == native_counts(*pair, 10_000)


def test_an_hour_of_joined_words_takes_no_square_of_time():
    reference = [f"w{number % 7919}" for number in range(20_000)]
    hypothesis = [part for word in reference for part in ([word[:2], word[2:]] if word.endswith("77") else [word])]
    assert METRIC.table([hypothesis, reference], [[reference], [hypothesis]])[:, :3].sum() == 0
    assert METRIC.table([["a"] * 20_000], [[["aa"] * 10_001]])[0].tolist() == [0, 1, 0, 10_001]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "errors"),
    [
        ("white paper", "whitepaper", 0),
        ("whitepaper", "white paper", 0),
        ("in to it", "into it", 0),
        ("i n t o", "into", 0),
        ("a b", "b a", 2),
        ("white papers", "whitepaper", 2),
        ("ice cream", "ice", 1),
        ("", "a", 1),
    ],
)
def test_known_counts(hypothesis, reference, errors):
    assert METRIC.table([hypothesis], [[reference]])[0][:3].sum() == errors
    assert METRIC.score(hypothesis, reference) == errors / len(reference.split())


def test_it_is_a_metric_by_name():
    assert lm.make_metric("compound-wer") == METRIC
    assert str(METRIC.signature) == f"compound-wer|refs:1|case:mixed|tok:none|v:{lm.__version__}"
    found = METRIC.corpus(["ice cream", "a"], ["icecream", "b c"])
    assert (found.numerator, found.denominator) == (2, 3)
    assert METRIC.score("", "") is None
    assert METRIC.explain("ice cream", ["x", "icecream"]).startswith("substitutions 0, deletions 0, insertions 0")
    with pytest.raises(UsageError, match="no alignment"):
        METRIC.align("a", "b")


def test_too_many_words_are_refused(monkeypatch):
    monkeypatch.setattr(compounds, "_MOST_WORDS", 3)
    with pytest.raises(InputError, match="at most 3 words, but a text has 4"):
        METRIC.score("a b c d", "a")


def test_the_kernel_refuses_rows_outside_of_strings():
    one, begin = np.array([0], np.int32), np.array([0, 1], np.int64)
    none, no = np.zeros(0, np.int32), np.zeros(2, np.int64)
    for row in ([2, 2, 0], [1, 1, 0], [-1, 2, 0]):
        columns = [np.array([value], np.int32) for value in row]
        with pytest.raises(ValueError, match="joined words must lie in their string"):
            _native.count_compounds(one, begin, one, begin, begin, begin, *columns, no, none, none, none)
