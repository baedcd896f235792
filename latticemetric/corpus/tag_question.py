"""The question of tags: which words of 1-bests are right, predicted by posteriors. Nothing here imports NumPy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from latticemetric.corpus.metric_question import removes
from latticemetric.corpus.question import Question, Scaled
from latticemetric.settings import given, numbers

if TYPE_CHECKING:
    from latticemetric.corpus.oracles import ConfidenceEvaluation, OracleAnswer
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table
    from latticemetric.metrics.recognition import GRR


class TagThresholds(Scaled, Question["OracleAnswer"]):
    """The tags of the words of each 1-best, true and predicted: BAD for words with a posterior below a threshold.

    Attributes:
        metric: A recognition rate, or its name: its alignment tells which words are right.
        thresholds: The thresholds; if there are none, 0.05, 0.1, …, 0.95.
    """

    verb = "tags"
    has_plot = True

    metric: str | GRR = given(default="wer")
    thresholds: Sequence[float] = numbers(
        default=(),
        option="--thresholds NUMBERS",
        help="Predict BAD for words below these posteriors (default: 0.05,0.1,…,0.95).",
        phrase="a threshold is {}",
    )

    def check(self) -> None:
        """Replace the name of the metric by the metric."""
        from latticemetric.metrics.recognition import as_recognition_rate

        vars(self)["metric"] = as_recognition_rate(self.metric)

    @property
    def rate(self) -> GRR:
        """The metric."""
        return cast("GRR", self.metric)

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[OracleAnswer]:
        """Yield the oracle of each graph of the run, in order, with the posteriors of the words of the 1-best."""
        from latticemetric.corpus.oracles import oracles_of
        from latticemetric.oracle_search.settings import ByRate

        search = ByRate(metric=self.rate, posteriors=True, posterior_scale=self.posterior_scale)
        pairs = corpus.required_pairs(run, removing=removes([self.rate], corpus)).pairs
        return oracles_of(pairs, search, run, weights=corpus.weights)

    def found(self, answers: Iterable[OracleAnswer]) -> ConfidenceEvaluation:
        """Return the scores of the predicted tags at each threshold."""
        from latticemetric.corpus.oracles import ConfidenceEvaluation

        return ConfidenceEvaluation.of(answers, self.thresholds)

    def table(self, answers: Iterable[OracleAnswer], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:  # noqa: ARG002
        """Return the table of the scores at each threshold."""
        from latticemetric.corpus.tables.tags import ThresholdTable

        evaluation = self.found(answers)
        signature = self.rate.signature_for(corpus.references).also(norm=corpus.rewritten_by)
        return ThresholdTable(evaluation, str(signature))
