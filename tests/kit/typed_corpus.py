"""Ways to ask a corpus, with the types that checkers see; mypy reads this file, and a test runs it."""

from typing import Any, assert_type

import latticemetric as lm
from latticemetric.corpus.answers_by_metric import AnswersByMetric
from latticemetric.corpus.compounds import CompoundAnswer
from latticemetric.corpus.corpus_bleu import CorpusPathAnswer
from latticemetric.corpus.gradients import ExpectedAnswers
from latticemetric.corpus.list_results import OracleAtKByMetric
from latticemetric.corpus.oracles import OracleAnswer
from latticemetric.corpus.sweep import Swept


def by_one_metric(corpus: lm.Corpus) -> list[lm.Answers[Any]]:
    """Find oracles by one metric, by name and by object."""
    return [
        assert_type(corpus.oracle("wer"), lm.Answers[OracleAnswer]),
        assert_type(corpus.oracle("4-grr", workers=1), lm.Answers[OracleAnswer]),
        assert_type(corpus.oracle(lm.WER()), lm.Answers[OracleAnswer]),
        assert_type(corpus.oracle(lm.ByRate(metric="2-gcr")), lm.Answers[OracleAnswer]),
        assert_type(corpus.oracle("bleu"), lm.Answers[CorpusPathAnswer]),
        assert_type(corpus.oracle(lm.BLEUSBP()), lm.Answers[CorpusPathAnswer]),
        assert_type(corpus.oracle(lm.ByCorpusBLEU(metric="bleu")), lm.Answers[CorpusPathAnswer]),
    ]


def by_several_metrics(corpus: lm.Corpus, metrics: list[str]) -> list[AnswersByMetric[lm.Answers[OracleAnswer]]]:
    """Find oracles by several metrics: a list gives a mapping, whatever its length."""
    return [
        assert_type(corpus.oracle(), AnswersByMetric[lm.Answers[OracleAnswer]]),
        assert_type(corpus.oracle("wer,4-grr"), AnswersByMetric[lm.Answers[OracleAnswer]]),
        assert_type(corpus.oracle(metrics), AnswersByMetric[lm.Answers[OracleAnswer]]),
        assert_type(corpus.oracle(["wer"]), AnswersByMetric[lm.Answers[OracleAnswer]]),
        assert_type(corpus.oracle([lm.WER(), lm.WRR()]), AnswersByMetric[lm.Answers[OracleAnswer]]),
        assert_type(corpus.oracle((lm.WER(), "wrr")), AnswersByMetric[lm.Answers[OracleAnswer]]),
    ]


def by_any_name(corpus: lm.Corpus, name: str) -> list[str]:
    """Find oracles by the metrics of a name: a checker cannot know how many they are."""
    found = assert_type(corpus.oracle(name), lm.Answers[Any] | AnswersByMetric[lm.Answers[OracleAnswer]])
    return list(found) if isinstance(found, AnswersByMetric) else [answer.name for answer in found]


def with_openfst(corpus: lm.Corpus, automaton: lm.ByAutomaton) -> list[lm.Answers[Any]]:
    """Find the oracles that need pynini."""
    return [
        assert_type(corpus.oracle("compound-wer"), lm.Answers[CompoundAnswer]),
        assert_type(corpus.oracle(lm.ByCompounds()), lm.Answers[CompoundAnswer]),
        assert_type(corpus.oracle(automaton), lm.Answers[lm.Answer]),
    ]


def sweeps(corpus: lm.Corpus) -> lm.Answers[Swept]:
    """Sweep; the answer of each graph has its oracles."""
    return assert_type(corpus.sweep(lm.WER(), beams=[1], nbest_sizes=(1, 2)), lm.Answers[Swept])


def of_lists(corpus: lm.Corpus, name: str) -> list[str]:
    """Find the oracle of the first k, by one metric and by several."""
    assert_type(corpus.lists("wer", corrected=["a"]), lm.OracleAtK)
    assert_type(corpus.lists(lm.WER(), at=[1, 2]), lm.OracleAtK)
    assert_type(corpus.lists(name), lm.OracleAtK | OracleAtKByMetric)
    assert_type(corpus.lists(["wer"]), OracleAtKByMetric)
    return [point.metric for point in assert_type(corpus.lists(), OracleAtKByMetric).values()]


def by_default(corpus: lm.Corpus) -> list[str]:
    """Ask by the default metrics: each search answers by several."""
    return [
        *assert_type(corpus.sweep(beams=[1]), AnswersByMetric[lm.Answers[Swept]]),
        *assert_type(corpus.expected(), AnswersByMetric[ExpectedAnswers]),
        *assert_type(corpus.expected(["wer"]), AnswersByMetric[ExpectedAnswers]),
    ]
