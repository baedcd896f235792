"""BLEU, NIST and unigram metrics: against their definitions, written again here, and against peers."""

import math
import pickle
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.strategies import sentences

import latticemetric as lm
from latticemetric.metrics.preparation import Preparation, tokenizer_for
from latticemetric.metrics.registry import make_metric, metric_names

segments = st.lists(st.tuples(sentences(8), st.lists(sentences(8), min_size=1, max_size=3)), min_size=1, max_size=4)


def grams(words, n):
    return Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1))


def clipped(words, references, n):
    allowed = Counter()
    for reference in references:
        allowed |= grams(reference, n)
    return sum((grams(words, n) & allowed).values())


def effective(words, references, kind):
    lengths = [len(reference) for reference in references]
    if kind == "shortest":
        return min(lengths)
    if kind == "closest":
        return min(lengths, key=lambda length: (abs(length - len(words)), length))
    return sum(lengths) / len(lengths)


def phi(x):
    return math.exp(1 - 1 / x) if x > 0 else 0.0


def plain_bleu(test, *, order, kind, strict):
    """The definition: eq. 1–3, or eq. 4 where it is strict."""
    product = 1.0
    for n in range(1, order + 1):
        total = sum(max(0, len(words) - n + 1) for words, _ in test)
        product *= sum(clipped(words, references, n) for words, references in test) / total if total else 0.0
    wanted = sum(effective(words, references, kind) for words, references in test)
    if strict:
        covered = sum(min(len(words), effective(words, references, kind)) for words, references in test)
    else:
        covered = min(wanted, sum(len(words) for words, _ in test))
    return product ** (1 / order) * (phi(covered / wanted) if wanted else 1.0)


def split(test):
    return [words for words, _ in test], [references for _, references in test]


@given(
    test=segments,
    order=st.integers(1, 5),
    kind=st.sampled_from(["shortest", "closest", "average"]),
    metric=st.sampled_from([lm.BLEU, lm.BLEUSBP]),
)
def test_bleu_is_its_definition(test, order, kind, metric):
    found = metric(order=order, effective_length=kind).corpus(*split(test))
    expected = plain_bleu(test, order=order, kind=kind, strict=metric is lm.BLEUSBP)
    assert found.score == pytest.approx(expected, rel=1e-12, abs=1e-15)


@given(test=segments, kind=st.sampled_from(["shortest", "closest", "average"]))
def test_a_strict_penalty_is_never_milder(test, kind):
    plain, strict = (m(effective_length=kind).corpus(*split(test)).score for m in (lm.BLEU, lm.BLEUSBP))
    assert strict <= plain + 1e-15
    if len(test) == 1 and len(test[0][1]) == 1:
        assert strict == plain


def sacrebleu_of(test, smoothing, value, *, effective_order=False, tokenize="none"):
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize=tokenize, smooth_method=smoothing, smooth_value=value, effective_order=effective_order)
    hypotheses, references = split(test)
    joined = [[" ".join(several[k]) for several in references] for k in range(len(references[0]))]
    return metric.corpus_score([" ".join(words) for words in hypotheses], joined).score / 100


same_number = segments.map(lambda test: [(words, several[:1]) for words, several in test]) | segments.filter(
    lambda test: len({len(several) for _, several in test}) == 1
)


@given(
    test=same_number,
    smoothing=st.sampled_from(
        [("none", None), ("exp", None), ("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 2)]
    ),
    effective_order=st.booleans(),
)
def test_bleu_is_that_of_sacrebleu(test, smoothing, effective_order):
    pytest.importorskip("sacrebleu")
    method, value = smoothing
    metric = lm.BLEU(
        effective_length="closest", smoothing=method, smoothing_value=value, effective_order=effective_order
    )
    expected = sacrebleu_of(test, method, value, effective_order=effective_order)
    assert metric.corpus(*split(test)).score == pytest.approx(expected, rel=1e-9, abs=1e-9)


raw_lines = st.lists(
    st.sampled_from(
        ["The", "cat", "U.S.", "1,000", "1.5%", "it's", "(yes)", "a-b", "Straße", "日本語", "«ici»", "&quot;", "-"]
    ),
    max_size=9,
).map(" ".join)


@pytest.mark.parametrize("tokenize", ["none", "13a", "intl", "char", "zh"])
@given(
    test=st.lists(st.tuples(raw_lines, raw_lines), min_size=1, max_size=4),
    smoothing=st.sampled_from(["none", "exp", "floor", "add-k"]),
    lowercase=st.booleans(),
)
def test_bleu_of_tokenized_lines_is_that_of_sacrebleu(tokenize, test, smoothing, lowercase):
    sacrebleu = pytest.importorskip("sacrebleu.metrics")
    preparation = Preparation(lowercase=lowercase, tokenize=tokenize)
    hypotheses, references = ([pair[side] for pair in test] for side in (0, 1))
    ours = lm.BLEU(effective_length="closest", smoothing=smoothing).corpus(
        preparation.all_words(hypotheses), [[words] for words in preparation.all_words(references)]
    )
    peer = sacrebleu.BLEU(tokenize=tokenize, lowercase=lowercase, smooth_method=smoothing)
    assert ours.score == pytest.approx(peer.corpus_score(hypotheses, [references]).score / 100, rel=1e-9, abs=1e-9)


SCRIPTS = ["abc", "абв", "αβγ", "אבג", "ابت", "अआइ", "กขค", "漢字語", "かなカ", "한국어"]
"""Latin, Cyrillic, Greek, Hebrew, Arabic, Devanagari, Thai, Han, kana and Hangul."""
SPACES = " \t\u00a0\u1680\u2003\u2009\u200a\u2028\u202f\u205f\u3000\x1f\x85"


@pytest.mark.parametrize("script", SCRIPTS)
@given(data=st.data(), tokenize=st.sampled_from(["none", "char"]))
def test_words_are_split_at_unicode_spaces_as_sacrebleu_does(script, data, tokenize):
    sacrebleu = pytest.importorskip("sacrebleu.metrics")
    lines = st.text(script + ".," + SPACES + " " * 6, max_size=20)
    pairs = data.draw(st.lists(st.tuples(lines, lines), min_size=1, max_size=3))
    hypotheses, references = ([pair[side] for pair in pairs] for side in (0, 1))
    preparation = Preparation(tokenize=tokenize)
    ours = lm.BLEU(effective_length="closest", smoothing="exp").corpus(
        preparation.all_words(hypotheses), [[words] for words in preparation.all_words(references)]
    )
    peer = sacrebleu.BLEU(tokenize=tokenize).corpus_score(hypotheses, [references])
    assert ours.score == pytest.approx(peer.score / 100, rel=1e-9, abs=1e-9)


def test_plain_splitting_keeps_unicode_spaces_and_says_so():
    plain, none = Preparation(), Preparation(tokenize="none")
    lines = ["10\u00a0000 \u3000x", "no spaces", "5\u00a0%"]
    assert [plain.words(lines[0]), none.words(lines[0])] == [("10\u00a0000", "\u3000x"), ("10", "000", "x")]
    (note,) = plain.kept_spaces([lines, []])
    assert note.startswith("U+00A0 (no-break space) and other Unicode spaces in 2 lines or more: ")
    assert plain.kept_spaces([["plain text", ("10\u00a0000",)]]) == none.kept_spaces([lines]) == ()
    # Control characters of ASCII that sacrebleu takes as spaces.
    (note,) = plain.kept_spaces([["a\tb", "a\x1cb"]])
    assert note.startswith("U+001C (control) in 1 line: not a word boundary")


@pytest.mark.parametrize(
    ("code", "short"), [("zho_Hans", "zh"), ("cmn", "zh"), ("yue_Hant", "zh"), ("jpn_Jpan", "ja"), ("kor", "ko")]
)
def test_a_language_has_one_tokenizer_under_all_its_codes(code, short):
    pytest.importorskip("sacrebleu")
    assert tokenizer_for(code, []) == tokenizer_for(short, [])
    assert tokenizer_for(code, []) != ("13a", ())


def test_spaces_that_a_tokenizer_adds_are_told_where_they_count():
    metrics = [lm.BLEU(), lm.CER(), lm.GCR(2, spaces=False), lm.GCR(4)]
    (note,) = Preparation(tokenize="char").added_spaces(metrics)
    assert note == (
        "cer and 4-gcr count the spaces that tokenizer char adds; "
        'make_metric("cer", spaces=False) make_metric("4-gcr", spaces=False) leaves them out'
    )
    assert Preparation().added_spaces(metrics) == Preparation(tokenize="none").added_spaces(metrics) == ()
    assert Preparation(tokenize="char").added_spaces(metrics[:1]) == ()


@pytest.mark.parametrize("name", ["cer", "ter", "mixed-er", "wer"])
def test_different_values_have_different_signatures(name):
    said, expected = ["今天天气很好"], ["今天天气真好"]
    plain, tokenized = (lm.score(said, expected, name, tokenize=tokenize)[name] for tokenize in (None, "char"))
    assert plain.signature != tokenized.signature
    assert "char" in tokenized.signature


@given(
    hypothesis=sentences(8),
    references=st.lists(sentences(8), min_size=1, max_size=5),
    kind=st.sampled_from(["precision", "recall", "f1", "fmean"]),
)
def test_the_best_reference_is_decided_by_fractions_and_ties_take_the_first(hypothesis, references, kind):
    def value(reference):
        matches = (Counter(hypothesis) & Counter(reference)).total()
        if not matches:
            return Fraction(0)
        p, r = Fraction(matches, len(hypothesis)), Fraction(matches, len(reference))
        return {"precision": p, "recall": r, "f1": 2 * p * r / (p + r), "fmean": 10 * p * r / (9 * p + r)}[kind]

    best = max(references, key=value)  # the first of several
    (row,) = lm.Unigram(kind).table([hypothesis], [references])
    assert row.tolist() == [(Counter(hypothesis) & Counter(best)).total(), len(hypothesis), len(best)]


def test_a_tie_of_fmean_takes_the_first_reference():
    hypothesis = [f"w{k}" for k in range(9)]
    first, second = [*hypothesis[:3], "y0", "y1"], [*hypothesis[:5], *(f"y{k}" for k in range(4))]  # both 1/18
    for references in ([first, second], [second, first]):
        for metric in (lm.Unigram("fmean"), lm.METEOR(["exact"], penalty=0)):
            row = dict(zip(metric.columns, metric.table([hypothesis], [references])[0].tolist(), strict=True))
            assert row["reference_words"] == len(references[0])


def plain_nist(test, order=5):
    """mteval's: information from all references, matches clipped by the reference that has most of them."""
    counts = Counter(
        g for _, references in test for r in references for n in range(1, order + 1) for g in grams(r, n).elements()
    )
    words = sum(len(r) for _, references in test for r in references)

    def information(gram):
        return math.log2((counts[gram[:-1]] if len(gram) > 1 else words) / counts[gram])

    score = 0.0
    for n in range(1, order + 1):
        total = sum(max(0, len(c) - n + 1) for c, _ in test)
        matched = 0.0
        for hypothesis, references in test:
            for gram, times in grams(hypothesis, n).items():
                most = max(grams(reference, n)[gram] for reference in references)
                matched += information(gram) * min(times, most) if most else 0.0
        score += matched / max(1, total)
    mean = sum(Fraction(sum(map(len, references)), len(references)) for _, references in test)
    ratio = sum(len(c) for c, _ in test) / float(mean) if mean else math.inf
    if ratio == 0:
        return 0.0
    return score * (math.exp(-math.log(2) / math.log(1.5) ** 2 * math.log(ratio) ** 2) if ratio < 1 else 1.0)


@given(test=segments, order=st.integers(1, 5))
def test_nist_is_its_definition(test, order):
    found = lm.NIST(order=order).corpus(*split(test)).score
    assert found == pytest.approx(plain_nist(test, order), rel=1e-12, abs=1e-15)


@given(test=segments)
def test_nist_of_one_reference_is_that_of_nltk(test):
    nist_score = pytest.importorskip("nltk.translate.nist_score")
    test = [(words, several[:1]) for words, several in test]
    # nltk divides by the words there are, and knows no order that hypotheses do not reach.
    if any(len(words) < 5 or not several[0] for words, several in test):
        test = [((*words, *"abcde"), [(*several[0], "a")]) for words, several in test]
    hypotheses, references = split(test)
    expected = nist_score.corpus_nist(
        [[list(r) for r in several] for several in references], list(map(list, hypotheses))
    )
    assert lm.NIST().corpus(hypotheses, references).score == pytest.approx(expected, rel=1e-9)


UNIGRAM = {
    "precision": lambda m, c, _r: Fraction(m, c),
    "recall": lambda m, _c, r: Fraction(m, r),
    "f1": lambda m, c, r: 2 * Fraction(m, c) * Fraction(m, r) / (Fraction(m, c) + Fraction(m, r)),
    "fmean": lambda m, c, r: 10 * Fraction(m, c) * Fraction(m, r) / (9 * Fraction(m, c) + Fraction(m, r)),
}


@given(test=segments, kind=st.sampled_from(sorted(UNIGRAM)))
def test_unigram_metrics_are_their_definition(test, kind):
    total = np.zeros(3, dtype=int)
    for words, references in test:
        rows = [(sum((Counter(words) & Counter(r)).values()), len(words), len(r)) for r in references]
        total += max(rows, key=lambda row: UNIGRAM[kind](*row) if row[0] else 0)
    expected = float(UNIGRAM[kind](*total.tolist())) if total[0] else 0.0
    assert lm.Unigram(kind).corpus(*split(test)).score == pytest.approx(expected, rel=1e-12)


# --- What all metrics promise

METRICS = ["wer", "wrr", "4-grr", "bleu", "bleu-sbp", "nist", "precision", "recall", "f1", "fmean"]
METRICS += ["cer", "mixed-er", "mer", "wil", "wip", "chrf", "chrf++", "ter"]
STEMMED = ["bleu-stem", "bleu-sbp-stem", "nist-stem", "precision-stem", "recall-stem", "f1-stem", "fmean-stem"]


def test_all_metrics_are_found_by_name():
    assert {*METRICS, *STEMMED} - {"4-grr"} | {"N-grr"} <= set(metric_names())
    assert [make_metric(name).name for name in (*METRICS, *STEMMED)] == [*METRICS, *STEMMED]


@pytest.mark.parametrize("name", [*METRICS, *STEMMED])
@given(test=segments)
def test_rows_of_tables_are_statistics_and_their_sums_are_the_corpus(name, test):
    metric = make_metric(name)
    hypotheses, references = split(test)
    table = metric.table(hypotheses, references)
    assert table.shape == (len(test), len(metric.columns))
    whole = metric.corpus(hypotheses, references)
    value = float(metric.values(table.sum(axis=0)))
    assert value == pytest.approx(math.nan if whole.score is None else whole.score, nan_ok=True, rel=1e-12, abs=1e-15)
    if not name.startswith("nist"):  # whose information comes from the whole test set
        for row, words, several in zip(table, hypotheses, references, strict=True):
            found = metric.score(words, several)
            assert float(metric.values(row)) == pytest.approx(math.nan if found is None else found, nan_ok=True)
    stacked = np.stack([table.sum(axis=0), table[0]])
    assert metric.values(stacked).shape == (2,)


@pytest.mark.parametrize("name", [*METRICS, *STEMMED])
def test_texts_of_no_words_have_scores(name):
    metric = make_metric(name)
    for hypothesis, reference in (("", ""), ("", "a b"), ("a b", ""), ("a", "a")):
        assert (
            metric.corpus([hypothesis], [reference]).score in {None, 0.0, 1.0, *([2.0] if name == "wer" else [])}
            or name == "4-grr"
        )
    assert metric.table([], []).shape == (0, len(metric.columns))


@pytest.mark.parametrize("name", [*METRICS, *STEMMED])
def test_sizes_that_differ_are_refused(name):
    with pytest.raises(lm.UsageError, match="2 hypotheses and 1 references"):
        make_metric(name).corpus(["a", "b"], ["a"])
    with pytest.raises(lm.UsageError, match="no reference"):
        make_metric(name).corpus(["a"], [[]])


@pytest.mark.parametrize("name", [*METRICS, *STEMMED])
def test_metrics_survive_pickling(name):
    metric = make_metric(name)
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert str(metric.signature).endswith(f"v:{lm.__version__}")
    assert str(metric.signature).startswith(f"{name}|")


def test_stems_are_compared_where_asked_for():
    hypothesis, reference = "relational ponies", "relate pony"
    assert lm.Unigram("f1").score(hypothesis, reference) == 0.0
    assert lm.Unigram("f1", stem=True).score(hypothesis, reference) == 1.0
    assert lm.BLEU(order=2, stem=True).score(hypothesis, reference) == 1.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lm.BLEU(order=0), "order 0"),
        (lambda: lm.BLEU(smoothing="some"), "choose one of none, floor, add-k, exp"),
        (lambda: lm.BLEU(effective_length="longest"), "choose one of shortest, closest, average"),
        (lambda: lm.BLEU(smoothing_value=1.0), "is not possible with the smoothing"),
        (lambda: lm.BLEU(smoothing="floor", smoothing_value=-1.0), "is not possible with the smoothing"),
        (lambda: lm.NIST(order=True), "order True"),
        (lambda: lm.Unigram("f2"), "one of precision, recall, f1, fmean"),
        (lambda: make_metric("bleu", alpha=1), "no parameter 'alpha'"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(make, message):
    with pytest.raises(lm.UsageError, match=message):
        make()


def test_matches_are_explained():
    assert lm.BLEU(order=2).explain("a b a a", ["a b", "c a a"]) == "1-grams 3/4: a ×2, b\n2-grams 2/3: a b, a a"
