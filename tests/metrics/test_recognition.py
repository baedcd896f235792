"""Recognition rates of strings: against brute force, against known values, and against each other."""

import math
from fractions import Fraction
from functools import reduce
from operator import add

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kit.brute_force import Verdict, enumerate_alignments, judge, rounded
from kit.strategies import dropped_words, metrics, references, sentences, words

import latticemetric as lm

HYPOTHESIS = "the president spoke to the audience"
REFERENCE = "the president then spoke to the audience"


def counts(verdict: Verdict) -> dict[str, object]:
    return {
        "matches": verdict.matches,
        "substitutions": verdict.edits.count("S"),
        "deletions": verdict.edits.count("D"),
        "insertions": verdict.edits.count("I"),
        "reference_ngrams": verdict.reference_ngrams,
    }


def fields(statistics) -> dict[str, object]:
    return {name: getattr(statistics, name) for name in statistics.__dataclass_fields__}


# --- Against brute force


@given(hypothesis=sentences(), given_references=references(), case=metrics())
def test_statistics_and_rate_are_those_of_the_best_alignment(hypothesis, given_references, case):
    metric, rate = case
    expected = judge(hypothesis, given_references.words, rate)
    statistics = metric.statistics(list(hypothesis), given_references.argument)
    assert fields(statistics) == counts(expected)
    assert metric.numerator(statistics) == float(expected.numerator)
    assert metric.denominator(statistics) == expected.denominator
    assert metric.score(list(hypothesis), given_references.argument) == rounded(expected.score)


@given(hypothesis=sentences(), given_references=references(), case=metrics())
def test_the_best_reference_is_the_first_of_those_with_the_best_rate(hypothesis, given_references, case):
    metric, rate = case
    expected = judge(hypothesis, given_references.words, rate)
    number, statistics, *_ = metric.evaluate(list(hypothesis), given_references.argument)
    assert number == expected.reference_number
    assert fields(statistics) == counts(expected)


@given(hypothesis=sentences(), reference=sentences(), case=metrics())
def test_the_alignment_follows_the_tie_rule(hypothesis, reference, case):
    metric, rate = case
    alignment = metric.align(hypothesis, reference)
    assert alignment.edits == judge(hypothesis, [reference], rate).edits
    assert alignment.hypothesis == rate.counted(hypothesis)
    assert alignment.reference == rate.counted(reference)


segments = st.lists(st.tuples(sentences(4), references(4, number=2)), max_size=4)


@given(test_set=segments, case=metrics())
def test_a_corpus_sums_numerators_and_denominators(test_set, case):
    metric, rate = case
    verdicts = [judge(hypothesis, given_references.words, rate) for hypothesis, given_references in test_set]
    corpus = metric.corpus([list(c) for c, _ in test_set], [given.argument for _, given in test_set])
    numerator = sum((verdict.numerator for verdict in verdicts), Fraction(0))
    denominator = sum(verdict.denominator for verdict in verdicts)
    assert corpus.numerator == float(numerator)
    assert corpus.denominator == denominator
    assert corpus.score == rounded(numerator / denominator if denominator else None)
    summed = [counts(verdict) for verdict in verdicts]
    for name in ("substitutions", "deletions", "insertions"):
        assert getattr(corpus.statistics, name) == sum(c[name] for c in summed)
    for name in ("matches", "reference_ngrams"):
        columns = zip(*(c[name] for c in summed), strict=True)
        assert getattr(corpus.statistics, name) == (tuple(map(sum, columns)) or (0,) * rate.order)


# --- Identities


@given(sentence=st.lists(words, min_size=4, max_size=12))
def test_a_perfect_hypothesis_earns_every_ngram(sentence):
    statistics = lm.GRR(4).statistics(sentence, [sentence])
    assert lm.GRR(4).numerator(statistics) == 4 * len(sentence) - 6
    assert lm.GRR(4).denominator(statistics) == 4 * len(sentence) - 6
    assert lm.GRR(4).score(sentence, [sentence]) == 1
    assert lm.GRR(4).align(sentence, sentence).edits == "C" * len(sentence)


@given(sentence=sentences(), order=st.integers(1, 5))
def test_no_hypothesis_beats_the_reference_itself(sentence, order):
    assume(sentence)
    metric = lm.GRR(order)
    assert metric.score(list(sentence), [list(sentence)]) == 1
    assert metric.score([*sentence, "q"], [list(sentence)]) < 1
    assert metric.score([*sentence[:-1], "q"], [list(sentence)]) < 1


@given(hypothesis=sentences(7), given_references=references(7))
def test_wer_is_one_minus_wrr(hypothesis, given_references):
    wer, wrr = (m.statistics(list(hypothesis), given_references.argument) for m in (lm.WER(), lm.WRR()))
    denominator = lm.WER().denominator(wer)
    assert denominator == lm.WRR().denominator(wrr)
    assert lm.WER().numerator(wer) == denominator - lm.WRR().numerator(wrr)
    assert wer == wrr


@given(hypothesis=sentences(7), reference=sentences(7))
def test_wrr_is_the_first_order_rate(hypothesis, reference):
    first_order = lm.GRR(1, alpha=1, beta=0)
    assert lm.WRR().statistics(hypothesis, [reference]) == first_order.statistics(hypothesis, [reference])
    assert lm.WRR().score(hypothesis, [reference]) == first_order.score(hypothesis, [reference])


@given(hypothesis=sentences(9), reference=sentences(9), case=metrics())
def test_counts_add_up(hypothesis, reference, case):
    metric, rate = case
    statistics = metric.statistics(hypothesis, [reference])
    edits = statistics.substitutions, statistics.deletions, statistics.insertions
    substitutions, deletions, insertions = edits
    said, meant = len(rate.counted(hypothesis)), len(rate.counted(reference))
    assert statistics.matches[0] + substitutions + deletions == meant == statistics.reference_words
    assert statistics.matches[0] + substitutions + insertions == said == statistics.hypothesis_words
    assert statistics.errors == sum(edits)
    assert len(statistics.matches) == len(statistics.reference_ngrams) == rate.order
    assert list(statistics.matches) == sorted(statistics.matches, reverse=True)


@given(pairs=st.lists(st.tuples(sentences(), sentences()), min_size=2, max_size=4), case=metrics())
def test_statistics_are_additive(pairs, case):
    metric, rate = case
    each = [metric.statistics(hypothesis, [reference]) for hypothesis, reference in pairs]
    zero = type(each[0]).zero(rate.order)
    assert each[0] + zero == each[0] == zero + each[0]
    assert each[0] + each[1] == each[1] + each[0]
    assert sum(each[1:], each[0]) == reduce(add, each, zero)
    corpus = metric.corpus([list(c) for c, _ in pairs], [[list(r)] for _, r in pairs])
    assert corpus.statistics == reduce(add, each, zero)
    assert corpus.numerator == metric.numerator(corpus.statistics)
    assert corpus.denominator == metric.denominator(corpus.statistics)


@given(hypothesis=sentences(), reference=sentences(), ignored=dropped_words, case=metrics(drops=False))
def test_ignored_words_and_wildcards_are_as_if_never_written(hypothesis, reference, ignored, case):
    _, rate = case
    made = {"order": rate.order, "alpha": rate.alpha, "beta": rate.beta}
    bare = lm.GRR(**made)
    kept_hypothesis, kept_reference = (
        [word for word in text if word not in ignored] for text in (hypothesis, reference)
    )
    expected = bare.statistics(kept_hypothesis, [kept_reference])
    assert lm.GRR(**made, ignore=ignored).statistics(hypothesis, [reference]) == expected
    assert lm.GRR(**made, wildcard=ignored).statistics(hypothesis, [reference]) == expected


@given(hypothesis=sentences(), given_references=references(), case=metrics())
def test_a_string_and_its_list_of_words_are_the_same_text(hypothesis, given_references, case):
    metric, _ = case
    as_lists = [list(reference) for reference in given_references.words]
    as_strings = [" ".join(reference) for reference in as_lists]
    if len(as_lists) > 1 and all(len(reference) == 1 for reference in as_lists):
        as_strings = as_lists  # strings of one word each might be the words of one reference
    assert metric.statistics(" ".join(hypothesis), as_strings) == metric.statistics(list(hypothesis), as_lists)


# --- Known values, computed by hand


def test_brute_force_counts_delannoy_paths_where_no_word_matches():
    assert len(enumerate_alignments(("a", "a", "a"), ("b", "b", "b"))) == 63


@pytest.mark.parametrize(
    ("metric", "numerator", "denominator"),
    [
        (lm.WRR(), 6, 7),
        (lm.WER(), 1, 7),
        (lm.GRR(2), 10, 13),
        (lm.GRR(4), 13, 22),
        (lm.GRR(4, beta=1), 12, 22),
    ],
)
def test_one_deleted_word(metric, numerator, denominator):
    statistics = metric.statistics(HYPOTHESIS, REFERENCE)
    assert metric.numerator(statistics) == numerator
    assert metric.denominator(statistics) == denominator
    assert metric.score(HYPOTHESIS, REFERENCE) == numerator / denominator
    assert metric.align(HYPOTHESIS, REFERENCE).edits == "CCDCCCC"


@pytest.mark.parametrize(
    ("metric", "hypothesis", "reference", "edits"),
    [
        (lm.WRR(), "a", "a a", "CD"),
        (lm.WRR(), "a a", "a", "CI"),
        (lm.WRR(), "x", "a b", "SD"),
        (lm.WRR(), "x y", "a", "SI"),
        (lm.WRR(), "a b", "b a", "DCI"),
        (lm.WRR(), "b a", "a", "IC"),
        (lm.WRR(), "a x c", "a b c", "CSC"),
        # Equal in gain and in matches to DCII and DCCII, which would come first from left to right.
        (lm.GRR(1, alpha=0), "a b b", "b a", "ICS"),
        (lm.GRR(2), "a b b b", "b a b", "ICSC"),
    ],
)
def test_ties_between_alignments(metric, hypothesis, reference, edits):
    assert metric.align(hypothesis, reference).edits == edits


def test_a_match_is_worth_more_where_it_continues_a_run():
    # WRR is indifferent between the two b's of the hypothesis; the bigram is not.
    assert lm.GRR(2).align("b x b c", "b c").edits == "IICC"
    assert lm.GRR(2).score("b x b c", "b c") == pytest.approx(1 / 3)


def test_a_deletion_and_an_insertion_that_cost_more_than_a_match_earns_are_two_substitutions():
    # Under WRR the two tie, and the match decides; see above.
    assert lm.GRR(1, alpha="0.5", beta="0.5").align("a b", "b a").edits == "DCI"
    assert lm.GRR(1, alpha="0.5", beta="0.6").align("a b", "b a").edits == "SS"


def test_penalties_are_taken_as_written():
    assert lm.GRR(1, alpha=-0.9).numerator(lm.GRR(1, alpha=-0.9).statistics("x x x x x x x", "")) == 6.3
    corpus = lm.GRR(1, alpha=0.1).corpus(["a x"] * 10, ["a"] * 10)
    assert (corpus.numerator, type(corpus.numerator)) == (9, int)
    assert corpus.score == 0.9
    assert lm.GRR(2, alpha=0.9, beta="1") == lm.GRR(2, alpha=Fraction(9, 10), beta=1.0)


@pytest.mark.parametrize(
    ("metric", "rate"), [(lm.WRR(), 0), (lm.WER(), 1), (lm.GRR(4), 0), (lm.GRR(4, beta=1), -2 / 3)]
)
def test_an_empty_hypothesis_deletes_everything(metric, rate):
    assert metric.align("", "a b").edits == "DD"
    assert metric.score("", "a b") == rate


def test_a_rate_against_no_words_is_undefined_but_counts_in_the_corpus():
    assert lm.WRR().score("x x", "") is None
    assert lm.WER().score("x x", "") is None
    assert lm.GRR(4).score("", "") is None
    assert lm.GRR(4, ignore=["<s>"]).score("a", "<s>") is None
    assert lm.GRR(4).align("x x", "").edits == "II"
    assert lm.WRR().corpus(["x x", "a b"], ["", "a b"]).score == 0
    assert lm.WER().corpus(["x x", "a b"], ["", "a b"]).score == 1
    assert lm.WER().corpus(["x x"], [""]).score is None


@pytest.mark.parametrize(
    ("metric", "hypothesis", "given_references", "number"),
    [
        (lm.WRR(), "a b", ["a b c d", "a b"], 1),
        (lm.WRR(), "a b", ["a b", "a b", "a"], 0),
        (lm.WER(), "a b", ["c d", "a d"], 1),
        # An undefined rate loses to the worst defined one; where all are undefined, the first of the best numerators.
        (lm.WRR(), "x y", ["", "a"], 1),
        (lm.WRR(ignore=["a"]), "x y", ["a", "", "a a"], 0),
    ],
)
def test_the_better_rate_wins_and_the_first_of_equals(metric, hypothesis, given_references, number):
    assert metric.evaluate(hypothesis, given_references).reference == number


def test_ngrams_continue_across_ignored_words_and_wildcards():
    metric = lm.GRR(3, ignore=["<s>"], wildcard=["um"])
    assert metric.statistics("a <s> b um c", "a b c").matches == (3, 2, 1)
    assert metric.statistics("a b c", "um a b <s> c").matches == (3, 2, 1)


def test_signatures_name_every_parameter():
    assert str(lm.GRR(4).signature) == f"4-grr|alpha:1|beta:0|refs:1|case:mixed|tok:none|v:{lm.__version__}"
    assert lm.GRR(4).corpus(["a", "b"], ["a", "b"]).signature == str(lm.GRR(4).signature)
    two = lm.GRR(2, alpha=-0.9, beta=1).corpus(["a"], [["a", "b c"]]).signature
    assert two == f"2-grr|alpha:-0.9|beta:1|refs:2|case:mixed|tok:none|v:{lm.__version__}"
    assert str(lm.WER().signature).startswith("wer|")


@pytest.mark.parametrize("kind", [lm.WER, lm.CER, lm.MixedErrorRate])
@pytest.mark.parametrize(
    ("empty", "errors", "segments"),
    [("errors", True, [None, None]), ("ignore", False, [None, None]), ("0", False, [0.0, 0.0]), (0, False, [0.0, 0.0])],
)
def test_empty_references_count_as_asked_for(kind, empty, errors, segments):
    said, meant = ["ab cd", "x y", ""], [["ab ce"], ["", ""], [""]]
    metric, plain = kind(empty=empty), kind()
    first = plain.statistics(said[0], meant[0])
    total = metric.corpus(said, meant)
    assert total.statistics == (plain.corpus(said, meant).statistics if errors else first)
    assert metric.values(metric.table(said, meant))[0] == metric.score(said[0], meant[0]) == plain.value(first)
    scored = lm.score(said, meant, metric)[metric.name]
    assert (
        list(scored.segments.values())[1:]
        == segments
        == [metric.score(*pair) for pair in zip(said[1:], meant[1:], strict=True)]
    )
    assert scored.value == total.score
    assert scored.details().total.errors == total.statistics.errors
    assert dict(metric.signature.fields).get("empty") == (None if errors else str(empty))
    assert (metric == plain) == errors
    row = lm.utility_matrix(metric, ["ab cd"], [""])[0, 0]
    assert (None if math.isnan(row) else row) == segments[0]
    lattice = lm.Lattice.from_strings(["a"])
    if errors:
        assert lm.expected(lattice, "a", metric).value == 0
    else:
        with pytest.raises(lm.UsageError, match="leave the parameter empty out"):
            lm.oracle(lattice, "a", metric)


def test_an_unknown_way_to_count_empty_references_is_refused():
    with pytest.raises(lm.UsageError, match=r"empty is 'zero'; choose one of errors, ignore, 0"):
        lm.WER(empty="zero")
