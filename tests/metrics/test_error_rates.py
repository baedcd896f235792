"""CER, mixed error rate, MER, WIL and WIP: against the definition, jiwer and rapidfuzz; errors of all pairs."""

import math
import unicodedata
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric import _native
from latticemetric.metrics.pairs import error_counts, score_rows

# Latin with accents in both spellings, Cyrillic, Arabic, Han, kana, Hangul, emoji beyond 16 bits, a joiner.
LETTERS = "aab bcdé\u0301éюб سл北京カなहि한글😀\u200d"
lines = st.text(st.sampled_from(LETTERS), max_size=14).map(lambda text: " ".join(text.split()))
word_lines = st.lists(st.sampled_from(["a", "b", "c", "dd", "北京"]), max_size=8).map(" ".join)


def best_alignments(hypothesis, reference):
    """The fewest errors and, with these, the most matches: (errors, matches), by the definition."""

    @cache
    def best(i, j):
        if i == len(reference) or j == len(hypothesis):
            return len(reference) - i + len(hypothesis) - j, 0
        same = reference[i] == hypothesis[j]
        errors, matches = best(i + 1, j + 1)
        choices = [(errors + (not same), matches - same)]
        choices += [(errors + 1, matches) for errors, matches in (best(i + 1, j), best(i, j + 1))]
        return min(choices)

    errors, matches = best(0, 0)
    return errors, -matches


def counts_of(hypothesis, reference):
    errors, matches = best_alignments(tuple(hypothesis), tuple(reference))
    substitutions = len(hypothesis) + len(reference) - 2 * matches - errors
    return (
        matches,
        substitutions,
        len(reference) - matches - substitutions,
        len(hypothesis) - matches - substitutions,
    )


def counts_in(statistics):
    counts = statistics.asdict()
    return tuple(counts[name] for name in ("matches", "substitutions", "deletions", "insertions"))


RATES = {
    "mer": lambda h, s, d, i: (s + d + i) / (h + s + d + i) if h + s + d + i else None,
    "wip": lambda h, s, d, i: (h / (h + s + d) * (h / (h + s + i)) if h else 0.0) if h + s + d + i else None,
    "wil": lambda h, s, d, i: (1 - h / (h + s + d) * (h / (h + s + i)) if h else 1.0) if h + s + d + i else None,
    "cer": lambda h, s, d, i: (s + d + i) / (h + s + d) if h + s + d else None,
}


@pytest.mark.parametrize("name", RATES)
@given(test=st.lists(st.tuples(word_lines, word_lines), min_size=1, max_size=4))
def test_rates_are_their_definition(name, test):
    split = list if name == "cer" else str.split
    counts = [counts_of(split(hypothesis), split(reference)) for hypothesis, reference in test]
    metric = lm.make_metric(name)
    for (hypothesis, reference), one in zip(test, counts, strict=True):
        assert counts_in(metric.statistics(hypothesis, reference)) == one
        assert metric.score(hypothesis, reference) == RATES[name](*one)
    corpus = metric.corpus(*zip(*test, strict=True))
    assert corpus.score == RATES[name](*np.sum(counts, axis=0).tolist())
    if name in ("cer", "mer") and corpus.score is not None:
        assert corpus.numerator / corpus.denominator == corpus.score


@pytest.mark.parametrize("name", RATES)
@given(hypothesis=word_lines, references=st.lists(word_lines, min_size=2, max_size=3))
def test_the_best_reference_counts(name, hypothesis, references):
    metric = lm.make_metric(name)
    scores = [metric.score(hypothesis, [reference]) for reference in references]
    known = [score for score in scores if score is not None]
    several = [reference.split() for reference in references]  # of one word each, they are lists
    best = (max if metric.higher_is_better else min)(known, default=None)
    assert metric.score(hypothesis, several) == best
    first = scores.index(best)
    assert metric.statistics(hypothesis, several) == metric.statistics(hypothesis, [references[first]])
    assert metric.explain(hypothesis, several).endswith(f"against reference {first + 1} of {len(references)}")


@given(test=st.lists(st.tuples(lines, lines.filter(bool)), min_size=1, max_size=4))
def test_cer_is_that_of_jiwer_and_rapidfuzz(test):
    jiwer = pytest.importorskip("jiwer")
    distance = pytest.importorskip("rapidfuzz.distance").Levenshtein.distance
    hypotheses, references = map(list, zip(*test, strict=True))
    found = lm.CER().corpus(hypotheses, references)
    assert found.score == jiwer.cer(references, hypotheses)
    assert found.numerator == sum(distance(*pair) for pair in test)


@given(test=st.lists(st.tuples(word_lines, word_lines.filter(bool)), min_size=1, max_size=4))
def test_match_rates_are_those_of_jiwer_where_matches_are(test):
    jiwer = pytest.importorskip("jiwer")
    hypotheses, references = map(list, zip(*test, strict=True))
    theirs = jiwer.process_words(references, hypotheses)
    statistics = lm.MER().corpus(hypotheses, references).statistics.asdict()
    assert theirs.hits <= statistics["matches"]  # jiwer's alignment need not have the most
    errors = sum(statistics[name] for name in ("substitutions", "deletions", "insertions"))
    assert theirs.substitutions + theirs.deletions + theirs.insertions == errors
    ours = {name: lm.make_metric(name).corpus(hypotheses, references).score for name in ("mer", "wil", "wip")}
    if theirs.hits == statistics["matches"]:
        assert ours == {"mer": theirs.mer, "wil": theirs.wil, "wip": theirs.wip}
    else:
        assert ours["mer"] < theirs.mer


@given(test=st.lists(st.tuples(word_lines, word_lines.filter(bool)), min_size=1, max_size=4))
def test_match_rates_by_the_alignment_of_rapidfuzz_are_those_of_jiwer(test):
    jiwer = pytest.importorskip("jiwer")
    hypotheses, references = map(list, zip(*test, strict=True))
    theirs = jiwer.process_words(references, hypotheses)
    for name in ("mer", "wil", "wip"):
        metric = lm.make_metric(name, alignment="rapidfuzz")
        assert metric.corpus(hypotheses, references).score == getattr(theirs, name)
        assert "|align:rapidfuzz|" in str(metric.signature)
    shown = lm.MER(alignment="rapidfuzz").align(hypotheses[0], references[0])
    assert [shown.edits.count(edit) for edit in "CSDI"] == list(
        lm.MER(alignment="rapidfuzz").statistics(hypotheses[0], references[0]).sums
    )


def test_another_alignment_is_refused():
    with pytest.raises(lm.UsageError, match="alignment is 'best'; choose one of most-matches, rapidfuzz"):
        lm.MER(alignment="best")


def test_jiwer_may_find_fewer_matches():
    jiwer = pytest.importorskip("jiwer")
    theirs = jiwer.process_words("a b", "b c")
    assert (theirs.hits, theirs.mer) == (0, 1.0)
    assert lm.MER().score("b c", "a b") == 2 / 3


@given(hypothesis=lines, reference=lines, form=st.sampled_from(["nfc", "nfd", "nfkc", "nfkd"]), spaces=st.booleans())
def test_cer_in_a_unicode_form_is_that_of_texts_in_this_form(hypothesis, reference, form, spaces):
    def prepared(text):
        return unicodedata.normalize(form.upper(), text if spaces else text.replace(" ", ""))

    metric = lm.CER(unicode=form, spaces=spaces)
    expected = counts_of(prepared(hypothesis), prepared(reference))
    assert counts_in(metric.statistics(hypothesis, reference)) == expected
    assert str(metric.signature).startswith(f"cer|spaces:{'yes' if spaces else 'no'}|unicode:{form}|refs:1|")


def test_characters_of_long_texts_are_counted():
    random = np.random.default_rng(0)
    reference = "".join(random.choice(list("abcd "), 3000)).strip()
    hypothesis = "".join(c for c in reference if random.random() > 0.1)
    distance = pytest.importorskip("rapidfuzz.distance").Levenshtein.distance
    expected = distance(*(" ".join(text.split()) for text in (hypothesis, reference)))
    assert lm.CER().corpus([hypothesis], [reference]).numerator == expected


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("我们 use GPU运行", "我|们|use|GPU|运|行"),
        ("カタカナとhiragana。", "カ|タ|カ|ナ|と|hiragana|。"),
        ("한국어 문장", "한국어|문장"),
        ("𠮷野家で2024年", "𠮷|野|家|で|2024|年"),
        ("naïve café", "naïve|café"),
        ("東京\u3000Tower", "東|京|Tower"),
        ("", ""),
    ],
)
def test_mixed_texts_are_cut_by_script(text, units):
    assert "|".join(lm.MixedErrorRate().units(text)) == units
    assert lm.MixedErrorRate().score(text, text) == (0.0 if text else None)


@given(hypothesis=lines, reference=lines)
def test_the_mixed_rate_is_the_word_error_rate_of_its_units(hypothesis, reference):
    metric = lm.MixedErrorRate()
    units = [list(metric.units(text)) for text in (hypothesis, reference)]
    assert metric.score(hypothesis, reference) == lm.WER().score(units[0], [units[1]])


def test_words_and_lines_are_the_same_texts():
    assert lm.CER().score(["the", "cat"], [["the", "cats"]]) == lm.CER().score(" the  cat\t", "the cats")


def test_surrogates_are_characters():
    assert lm.CER().score("a\udc80", "a") == 1.0


def test_forms_that_do_not_exist_are_refused():
    with pytest.raises(lm.UsageError, match="choose one of none, nfc"):
        lm.CER(unicode="NFX")


@pytest.mark.parametrize("name", ["mer", "wil", "wip", "chrf", "ter"])
def test_string_metrics_do_not_search_lattices(name):
    lattice = lm.Lattice.from_arcs([0], [1], [1], final=[1], vocabulary=lm.Vocabulary.from_words(["a"]))
    with pytest.raises(
        lm.UsageError, match=f"'{name}' cannot search a graph; use wer, wrr, N-grr, cer, N-gcr or mixed-er"
    ):
        lm.oracle(lattice, "a", name)


# --- Errors of all pairs

numbered = st.integers(1, 7).flatmap(
    lambda most: st.lists(st.lists(st.integers(0, most), max_size=12).map(tuple), max_size=20)
)


@given(hypotheses=numbered, references=numbered)
def test_errors_of_all_pairs_are_those_of_each(hypotheses, references):
    spelled = [[[str(word) for word in string] for string in side] for side in (hypotheses, references)]
    found = error_counts(*spelled)
    assert found.shape == (len(references), len(hypotheses))
    for r, reference in enumerate(references):
        for c, hypothesis in enumerate(hypotheses):
            assert found[r, c] == best_alignments(hypothesis, reference)[0]
    # Strings against themselves take another way.
    for metric in (lm.WER(), lm.CER()):
        alone = error_counts(spelled[0], spelled[0], metric)
        assert (alone == error_counts(spelled[0], [*spelled[0], ["x"]], metric)[:-1]).all()


@pytest.mark.parametrize("longest", [8, 16, 17, 32, 33, 64, 65, 128, 129, 200, 320, 5000])
def test_errors_of_all_lengths_are_those_of_the_dense_search(longest):
    random = np.random.default_rng(longest)
    many = 3 if longest > 1000 else 25
    base = random.integers(0, 5, longest)
    strings = [base[random.random(longest) > cut] for cut in random.random(many)] + [base, base[:0]]
    begin = np.cumsum([0, *map(len, strings)])
    words = np.concatenate(strings).astype(np.int32)
    errors = _native.pair_errors(words, begin, words, begin)
    gains = _native.pair_gains(words, begin, words, begin, (1, 1, 1, 0))
    assert (errors == np.diff(begin)[:, None] - gains).all()
    assert (errors == _native.pair_errors(words.copy(), begin.copy(), words, begin)).all()


@pytest.mark.parametrize("name", ["wer", "wrr", "cer"])
def test_rows_of_scores_are_scores(name):
    metric = lm.make_metric(name)
    strings = [(), ("a",), ("a", "bc"), ("bc", "a", "a"), ("北", "京")]
    for reference, row in zip(strings, score_rows(metric, strings, strings), strict=True):
        expected = [metric.score(hypothesis, [reference]) for hypothesis in strings]
        assert [None if math.isnan(score) else score for score in row.scores] == expected


def test_risk_of_characters_is_minimised():
    words = ["the", "a", "cat", "cats"]
    lattice = lm.Lattice.from_arcs(
        [0, 0, 1, 1], [1, 1, 2, 2], [1, 2, 3, 4], final=[2], vocabulary=lm.Vocabulary.from_words(words)
    )
    found = lm.mbr(lattice, by="cer")
    strings = [(first, last) for first in ("the", "a") for last in ("cat", "cats")]
    risks = {one: np.mean([lm.CER().score(one, [other]) for other in strings]) for one in strings}
    assert found.risk == pytest.approx(min(risks.values()))
    assert risks[found.words] == min(risks.values())


@pytest.mark.parametrize(
    ("words", "begin", "message"),
    [([0, -1], [0, 2], "negative"), ([0, 100], [0, 2], "without gaps"), ([0], [0, 2], "end at the end")],
)
def test_strings_that_are_none_are_refused(words, begin, message):
    arrays = np.array(words, np.int32), np.array(begin)
    with pytest.raises(ValueError, match=message):
        _native.pair_errors(*arrays, *arrays)
