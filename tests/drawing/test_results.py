"""Results are short as text, and tables in notebooks; words of anybody cannot become HTML."""

import xml.etree.ElementTree as ET

import pytest
from kit.lists import oracle_at_k

import latticemetric as lm

LATTICE = lm.Lattice.from_strings(["a b", "a c", "<b>&"], costs=[1.0, 1.5, 3.0])
RESULTS = {
    "BestPath": lambda: lm.best(LATTICE),
    "MBR": lambda: lm.mbr(LATTICE),
    "WordMBR": lambda: lm.mbr(LATTICE, "wer"),
    "MetricMBR": lambda: lm.mbr(LATTICE, "wrr"),
    "Posteriors": lambda: lm.posteriors(LATTICE),
    "NBest": lambda: lm.NBest.from_graph(LATTICE, 3),
    "OracleAtK": lambda: oracle_at_k([["a b", "a"]], ["a"], resamples=0),
    "Scores": lambda: lm.score(["a b"], ["a c"], ["wer", "bleu"]),
    "MetricScore": lambda: lm.score(["a b"], ["a c"])["wer"],
    "ErrorAnalysis": lambda: lm.error_analysis(["a b", "<i>"], ["a c", "<b>"], groups=["ann", "<bob>"]),
    "ErrorDetails": lambda: lm.error_analysis(["a b", "<i>"], ["a c", "<b>"]).total,
    "Expected": lambda: lm.expected(LATTICE, "a c", gradient=True),
    "RiskMBR": lambda: lm.mbr(LATTICE, "wer", risk="exact"),
    "Hope": lambda: lm.hope(LATTICE, "a c", "wer"),
    "Fear": lambda: lm.fear(LATTICE, "a c", "wer"),
    "Worst": lambda: lm.worst(LATTICE, "a c", "wer"),
    "CorpusPath": lambda: lm.Corpus([LATTICE], ["a c"]).oracle("bleu")["1"],
    "CorpusScore": lambda: lm.make_metric("wer").corpus(["a b"], ["a c"]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_short_and_a_table(name):
    result = RESULTS[name]()
    assert repr(result).startswith(f"{name}(")
    assert len(repr(result)) < 250
    page = ET.fromstring(result._repr_html_().replace("&nbsp;", " "))
    assert page.find(".//table") is not None or page.find(".//span") is not None
    assert page.find(".//p/b").text == name


def test_an_oracle_and_a_network_are_short():
    best = lm.oracle(LATTICE, "a c", "wer")
    assert repr(best).startswith("Oracle('a c', score=0, numerator=0, denominator=2, cost=1.5, ")
    assert repr(lm.consensus(LATTICE)).startswith("Consensus('a b', bayes_risk=")


def test_scores_and_errors_show_their_numbers():
    scores = RESULTS["Scores"]()
    assert repr(scores) == "Scores(%WER 50.00 [ 1 / 2, 0 ins, 0 del, 1 sub ], bleu 0.0000)"
    assert [record["score"] for record in scores.to_records()] == [0.5, 0.0]
    assert "<td>wer</td><td>0.5000</td>" in scores._repr_html_()
    analysis = RESULTS["ErrorAnalysis"]()
    assert repr(analysis.total) == "ErrorDetails(2 errors in 3: 0 ins, 0 del, 2 sub, 2 segments)"
    assert "&lt;bob&gt;" in analysis._repr_html_()
    assert repr(lm.draw(LATTICE)) == "Drawing(lattice, 4 vertices, 5 links)"
    assert repr(lm.NBest.from_strings(["a"])) == "NBest(1 hypothesis, scores: none)"
    assert repr(lm.NBest.from_strings(["a", "b"], costs=[1.0, 2.0])) == "NBest(2 hypotheses, scores: cost)"


def test_words_are_escaped_and_long_texts_cut():
    words = lm.posteriors(LATTICE)._repr_html_()
    assert "&lt;b&gt;&amp;" in words
    assert "<b>&" not in words
    assert "…" in repr(lm.best(lm.Lattice.from_strings(["word " * 100])))


def test_long_tables_say_what_is_left_out():
    html = lm.NBest.from_strings([f"w{n}" for n in range(100)])._repr_html_()
    assert html.count("<tr>") == 31
    assert "Shown: 30 of 100 rows." in html


def test_unsure_words_stand_out():
    html = lm.best(lm.NBest.from_strings(["a b", "a c"], costs=[1.0, 1.0]))._repr_html_()
    assert 'title="1.000" style="background: rgba(213, 94, 0, 0.00)' in html
    assert 'title="0.500" style="background: rgba(213, 94, 0, 0.25)' in html
