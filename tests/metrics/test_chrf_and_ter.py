"""chrF, chrF++ and TER: against their definitions, and digit for digit against sacrebleu."""

import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kit.paths import DATA

import latticemetric as lm
from latticemetric import _native
from latticemetric.metrics.characters import code_points

TOKENS = [
    "the",
    "The",
    "cat",
    "a",
    "(yes)",
    "no.",
    "«ici»",
    "U.S.",
    "1,000",
    "it's",
    "日本語",
    "カタ",
    "&quot;",
    "-",
    "é,",
]
texts = st.lists(st.sampled_from(TOKENS), max_size=9).map(" ".join)
# Texts with any white space, and little else.
spaced = st.text(st.sampled_from("ab. \t\u00a0\u2003\u3000\x1c\x85北"), max_size=12)
segments = st.integers(1, 3).flatmap(
    lambda number: st.lists(
        st.tuples(texts | spaced, st.lists(texts | spaced, min_size=number, max_size=number)), min_size=1, max_size=4
    )
)


def sides(test):
    """Hypotheses and streams of references, as sacrebleu takes them, then both as they are taken here.

    A tuple of one string is a text that keeps its spaces, and is not taken for a list of texts.
    """
    hypotheses, references = map(list, zip(*test, strict=True))
    streams = list(map(list, zip(*references, strict=True)))
    ours = [(text,) for text in hypotheses], [[(text,) for text in several] for several in references]
    return hypotheses, streams, *ours


def plain_chrf(hypothesis, reference, order=6, beta=2.0):
    """The definition: averages of precision and recall over the orders that both texts have."""
    precisions, recalls = [], []
    said, expected = ("".join(text.split()) for text in (hypothesis, reference))
    for n in range(1, order + 1):
        grams = [Counter(text[k : k + n] for k in range(len(text) - n + 1)) for text in (said, expected)]
        if all(grams):
            shared = (grams[0] & grams[1]).total()
            precisions.append(shared / grams[0].total())
            recalls.append(shared / grams[1].total())
    if not precisions:
        return 0.0
    precision, recall = np.mean(precisions), np.mean(recalls)
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall) if precision + recall else 0.0


@given(hypothesis=texts, reference=texts, order=st.integers(1, 9), beta=st.sampled_from([0, 1, 2, 2.5]))
def test_chrf_is_its_definition(hypothesis, reference, order, beta):
    found = lm.CHRF(char_order=order, beta=beta).score(hypothesis, reference)
    assert found == pytest.approx(plain_chrf(hypothesis, reference, order, beta), rel=1e-12)


@given(
    test=segments,
    options=st.fixed_dictionaries(
        {
            "char_order": st.sampled_from([6, 6, 1, 3, 10]),
            "word_order": st.sampled_from([0, 2, 2, 1, 4]),
            "beta": st.sampled_from([2, 1, 3]),
            "whitespace": st.booleans(),
            "lowercase": st.booleans(),
            "eps_smoothing": st.booleans(),
        }
    ),
)
def test_chrf_is_that_of_sacrebleu(test, options):
    peer = pytest.importorskip("sacrebleu.metrics").CHRF(**options)
    hypotheses, streams, whole, several = sides(test)
    metric = lm.CHRF(**options)
    expected = peer.corpus_score(hypotheses, streams).score
    # sacrebleu multiplies by 100 before its last division.
    assert 100 * metric.corpus(whole, several).score == pytest.approx(expected, rel=4e-15, abs=0)
    for hypothesis, listed in zip(hypotheses, several, strict=True):
        expected = peer.sentence_score(hypothesis, [text for (text,) in listed]).score
        assert 100 * metric.score((hypothesis,), listed) == pytest.approx(expected, rel=4e-15, abs=0)


@given(
    test=segments,
    options=st.fixed_dictionaries(
        {name: st.booleans() for name in ("normalized", "no_punct", "asian_support", "case_sensitive")}
    ),
)
def test_ter_is_that_of_sacrebleu(test, options):
    peer = pytest.importorskip("sacrebleu.metrics").TER(**options)
    hypotheses, streams, whole, several = sides(test)
    metric = lm.TER(**options)
    found = metric.corpus(whole, several)
    expected = peer.corpus_score(hypotheses, streams)
    assert 100 * found.score == expected.score
    assert found.statistics.asdict() == {"edits": expected.num_edits, "reference_words": expected.ref_length}
    for hypothesis, listed in zip(hypotheses, several, strict=True):
        expected = peer.sentence_score(hypothesis, [text for (text,) in listed]).score
        assert 100 * metric.score((hypothesis,), listed) == expected


def moved(words, moves, edits):
    """Words with some runs of them moved, and some replaced."""
    words = list(words)
    for begin, size, to in moves:
        run = words[begin % (len(words) + 1) :][:size]
        del words[begin % (len(words) + 1) :][:size]
        rest = [
            word for k, word in enumerate(words) if not begin % (len(words) + 1) <= k < begin % (len(words) + 1) + size
        ]
        at = to % (len(rest) + 1)
        words = [*rest[:at], *run, *rest[at:]]
    for at, word in edits:
        if words:
            words[at % len(words)] = word
    return words


@st.composite
def shifted_pairs(draw):
    """A reference of up to 100 words and a hypothesis with its runs moved about: bits, bands and limits are all met."""
    size, types = draw(st.sampled_from([5, 12, 30, 63, 64, 65, 100])), draw(st.sampled_from([1, 2, 5, 30, 200]))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    reference = [f"w{k}" for k in random.integers(0, types, int(random.integers(0, size + 1)))]
    moves = random.integers(0, 100, (int(random.integers(0, 5)), 3)).tolist()
    edits = [(int(at), f"w{word}") for at, word in random.integers(0, types, (int(random.integers(0, 4)), 2))]
    hypothesis = moved(reference, [(begin, 1 + run % 12, to) for begin, run, to in moves], edits)
    return hypothesis[: int(random.integers(0, 2)) * 7 or None], reference


@given(pair=shifted_pairs())
@example(pair=(["a", "b"] * 30, ["b", "a", "a"] * 20))  # more shifts than are tried
@example(pair=([*"abcdefgh"], [*"abcdefgh"] * 15))  # a band that is steep
def test_shifts_are_those_of_sacrebleu(pair):
    edits = pytest.importorskip("sacrebleu.metrics.lib_ter").translation_edit_rate
    hypothesis, reference = pair
    found = lm.TER(case_sensitive=True).statistics(hypothesis, [reference])
    assert found.sums[0] == edits(hypothesis, reference)[0]


@given(pair=shifted_pairs())
def test_shifts_save_edits(pair):
    hypothesis, reference = pair
    edits = lm.TER(case_sensitive=True).statistics(hypothesis, [reference]).sums[0]
    matches, *errors = lm.WER().statistics(hypothesis, [reference]).as_columns()[:4]
    assert edits >= abs(len(hypothesis) - len(reference))
    if len(reference) < 25:  # no band cuts
        assert edits <= sum(errors)
    assert (edits == 0) == (hypothesis == reference)
    assert matches <= len(reference)


@given(one=st.text("ab c", max_size=700), other=st.text("ab c", max_size=700), order=st.integers(1, 9))
@example(one="ab" * 400, other="ba" * 300, order=6)
@example(one="".join(map(chr, range(256, 2500))), other="".join(map(chr, range(2500, 200, -1))), order=3)
def test_shared_ngrams_are_counted(one, other, order):
    said, expected = code_points([one]), code_points([other])
    row = _native.count_chrf(*said, *expected, np.array([0, 1]), order, 0, True)[0].reshape(order, 3)
    for n, (of_one, of_other, shared) in enumerate(row.tolist(), start=1):
        grams = [Counter(text[k : k + n] for k in range(len(text) - n + 1)) for text in (one, other)]
        assert of_other == grams[1].total()
        assert of_one == (grams[0].total() if of_other else 0)
        assert shared == (grams[0] & grams[1]).total()


def test_signatures_name_all_options():
    chrf = lm.CHRF(char_order=4, word_order=1, beta=1.5, whitespace=True, lowercase=True, eps_smoothing=True)
    assert (
        str(chrf.signature)
        == f"chrf++|char:4|word:1|beta:1.5|space:yes|eff:no|refs:1|case:lc|tok:none|v:{lm.__version__}"
    )
    ter = lm.TER(normalized=True, no_punct=True, asian_support=True, case_sensitive=True)
    assert (
        str(ter.signature_for(2)) == f"ter|norm:yes|punct:no|asian:yes|refs:2|case:mixed|tok:tercom|v:{lm.__version__}"
    )
    again = pickle.loads(pickle.dumps(ter))
    assert again == ter
    assert again.score("A b.", "a B") == ter.score("A b.", "a B")


def test_words_of_lists_are_separated_by_a_space():
    chrf = lm.CHRF(whitespace=True)
    assert chrf.score(["the", "cat"], [["the", "cats"]]) == chrf.score("the cat", "the cats")
    assert chrf.score("the  cat", "the cat") < 1


def test_references_are_tokenized_once_as_hypotheses_are():
    peer = pytest.importorskip("sacrebleu").TER(normalized=True)
    assert peer.tokenizer("3...2").split() == ["3", ".", ".", ".2"]
    assert lm.TER(normalized=True).score("3...2", "3...2") == 0
    # As the page on metrics says. If this fails, sacrebleu no longer tokenizes references twice.
    assert peer.sentence_score("3...2", ["3...2"]).score == 40


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lm.CHRF(char_order=0), "order 0 is not possible for n-grams of characters"),
        (lambda: lm.CHRF(word_order=-1), "order -1 is not possible for n-grams of words"),
        (lambda: lm.CHRF(beta=float("nan")), "beta is nan"),
        (lambda: lm.CHRF(beta=-1), "beta is -1"),
        (lambda: lm.CHRF(lowercase="maybe"), "lowercase is 'maybe'"),
        (lambda: lm.TER(normalized=1), "normalized is 1"),
        (lambda: lm.CER(spaces="no"), "spaces is 'no'"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(make, message):
    with pytest.raises(lm.UsageError, match=message):
        make()


SAMPLE = DATA / "metrics" / "sample"


@pytest.mark.real_data
@pytest.mark.skipif(not SAMPLE.is_dir(), reason=f"there are no translations in {SAMPLE} (LATTICEMETRIC_DATA)")
def test_translations_have_the_values_of_sacrebleu():
    peer = pytest.importorskip("sacrebleu.metrics")
    hypotheses, references = ((SAMPLE / name).read_text().splitlines() for name in ("hyp.txt", "ref.txt"))
    for ours, theirs in (
        (lm.CHRF(), peer.CHRF()),
        (lm.CHRF(word_order=2, whitespace=True), peer.CHRF(word_order=2, whitespace=True)),
        (lm.TER(), peer.TER()),
        (lm.TER(normalized=True, no_punct=True), peer.TER(normalized=True, no_punct=True)),
    ):
        expected = theirs.corpus_score(hypotheses, [references]).score
        assert 100 * ours.corpus(hypotheses, references).score == pytest.approx(expected, rel=4e-15)
