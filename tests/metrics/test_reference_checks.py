"""Words where texts are expected, and texts where words are: nothing is scored that nobody meant."""

import numpy as np
import pytest

import latticemetric as lm
from latticemetric.nbest import Hypothesis

LATTICE = lm.Lattice.from_strings(["the cold", "a cold"])
WORDS = ["the", "cold"]
METRICS = [lm.WER(), lm.GRR(4), lm.BLEU(), lm.NIST(), lm.Unigram(), lm.METEOR(stages=["exact"]), lm.Sclite()]
FOREST = lm.Forest.from_lattice(LATTICE)

AMBIGUOUS = r"list of single words.*give the string 'the cold'; for several give references=\[\['the'\], \['cold'\]\]"

QUESTIONS = {
    "oracle": lambda references: lm.oracle(LATTICE, references, "wer"),
    "oracles": lambda references: lm.oracles(LATTICE, references),
    "hope": lambda references: lm.hope(LATTICE, references),
    "hope of a forest": lambda references: lm.hope(FOREST, references),
    "hopes": lambda references: lm.hopes(LATTICE, references),
    "fear": lambda references: lm.fear(LATTICE, references),
    "worst": lambda references: lm.worst(LATTICE, references),
    "oracle_forest": lambda references: lm.oracle_forest(FOREST, references),
    "oracle_lattice": lambda references: lm.oracle_lattice(LATTICE, references),
    "bleu": lambda references: list(lm.Corpus([LATTICE], [references]).oracle("bleu")),
    "corpus": lambda references: list(lm.Corpus([LATTICE], [references]).oracle("wer")),
    "corpus by id": lambda references: list(lm.Corpus({"one": LATTICE}, {"one": references}).sweep(nbest_sizes=[1])),
    "tune": lambda references: lm.Corpus([LATTICE], [references]).tune("wer", decoder="mbr", resamples=0),
}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_the_words_of_a_reference_are_not_taken_for_several_references(ask):
    with pytest.raises(lm.UsageError, match=AMBIGUOUS):
        ask(WORDS)
    ask([["the"], ["cold"]])
    ask([["the", "cold"]])
    ask(["the cold", "cold"])
    ask(["cold"])
    ask("the cold")


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_metrics_do_not_take_words_for_references(metric):
    for score in (metric.score, metric.statistics):
        with pytest.raises(lm.UsageError, match=AMBIGUOUS):
            score("the cold", WORDS)
    with pytest.raises(lm.UsageError, match=AMBIGUOUS):
        metric.corpus(["the cold", "cold"], [WORDS, ["cold"]])
    assert metric.score("the cold", [WORDS]) == metric.score("the cold", "the cold")
    one_word = [["the"], ["cold"]]
    assert metric.score("cold", one_word) == metric.corpus(["cold"], [one_word]).score


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_one_segment_of_a_corpus_may_have_several_references_of_one_word(metric):
    hypotheses, references = ["yes", "it is cold"], [["yes", "yeah"], ["it is cold", "it's cold"]]
    expected = metric.corpus(hypotheses, [[["yes"], ["yeah"]], references[1]])
    assert metric.corpus(hypotheses, references) == expected
    assert metric.table(["yes"], [["yes", "yeah"]]).shape[0] == 1


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_text_is_not_taken_for_a_word(metric):
    with pytest.raises(lm.UsageError, match=r"the hypothesis is a list of texts.*give the string 'the cold'"):
        metric.score(["the cold"], "the cold")
    with pytest.raises(lm.UsageError, match=r"a reference is a list of texts"):
        metric.score("the cold", [["the cold", "a cold"]])
    with pytest.raises(lm.UsageError, match=r"list of texts"):
        metric.corpus([["the cold"]], ["the cold"])


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_text_is_not_taken_for_a_corpus(metric):
    with pytest.raises(lm.UsageError, match="hypotheses is a string"):
        metric.corpus("a", ["a"])
    with pytest.raises(lm.UsageError, match="references is a string"):
        metric.corpus(["a"], "a")


def test_a_string_is_no_list_of_score_columns():
    with pytest.raises(lm.UsageError, match="is a string"):
        lm.NBest((Hypothesis(("a",), {"lm": 1.0}),), {}).to_lattice(keep="lm")


def test_strings_become_words_not_letters():
    assert Hypothesis("ab  cd", {}).words == Hypothesis(["ab", "cd"], {}).words == ("ab", "cd")
    vocabulary = lm.Vocabulary.from_words("to be or not to be")
    assert vocabulary == lm.Vocabulary.from_words(["to", "be", "or", "not"])
    assert vocabulary.encode("be or").tolist() == [2, 3]


def test_log_probabilities_are_not_taken_for_costs():
    texts, log_probs = ["good guess", "bad guess"], [-1.0, -7.5]
    lattice = lm.Lattice.from_strings(texts, log_probs=log_probs)
    assert lm.oracle(lattice, "x").one_best.words == ("good", "guess")
    assert [path.cost for path in lattice.paths()] == [1.0, 7.5]
    for given in (log_probs, np.array(log_probs)):
        with pytest.warns(UserWarning, match="pass them as log_probs="):
            lm.Lattice.from_strings(texts, given)
    with pytest.raises(lm.UsageError, match="costs and log_probs"):
        lm.Lattice.from_strings(texts, costs=[1.0, 2.0], log_probs=log_probs)


@pytest.mark.parametrize("costs", [[0.0, 0.0], [-1.0, 0.5], [-3.0, -3.0]])
def test_costs_that_may_be_costs_are_taken_as_they_are(costs):
    assert [path.cost for path in lm.Lattice.from_strings(["a", "b"], costs).paths()] == costs


@pytest.mark.parametrize(
    "references",
    [iter(["the", "cold"]), {"the": 1, "cold": 2}, {"the", "cold"}, np.array(["the", "cold"]), b"the cold"],
)
def test_what_has_no_order_or_ends_is_no_list_of_references(references):
    with pytest.raises(lm.UsageError, match="give a string, or a list"):
        lm.oracle(LATTICE, references, "wer")
