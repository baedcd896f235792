"""The questions of calibration: how true probabilities of a model are. Nothing here imports NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from latticemetric.corpus.calibration_settings import CalibrationSettings, ReliabilitySettings
from latticemetric.corpus.question import Question
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.calibration import Calibration, CalibrationReport, TunedUtterance
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table


class Reliability(ReliabilitySettings, Question["Answer"]):
    """A question about the probabilities of all graphs together; see `OwnConfidences` and `Calibrations`.

    Its answers are the graphs and their references.
    """

    verb = "calibrate"
    has_plot = True

    def table(self, answers: Iterable[Answer], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:  # noqa: ARG002
        """Return the table of the result."""
        return self.table_of(self.found(answers, watched=run.watched))

    def table_of(self, find: Callable[[], Calibration | CalibrationReport]) -> Table:
        """Return the table of the result that a function computes."""
        from latticemetric.corpus.tables.calibrate import CalibrationTable

        return CalibrationTable(find, self.resampling)

    def found(
        self, answers: Iterable[Answer], *, watched: bool = False
    ) -> Callable[[], Calibration | CalibrationReport]:
        """Return a function that reads the answers, and compares their probabilities with the true outcomes.

        If `watched`, the function shows a progress bar.
        """
        raise NotImplementedError


class OwnConfidences(Reliability):
    """The confidences in the input, compared with the words that are right."""

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
        """Yield each graph with its references."""
        from latticemetric.corpus.calibration import recognised_utterances

        for name in ("weights", "tokenize", "normalize", "ignore"):
            if name in corpus.reading.changed() and getattr(corpus.reading, name):
                raise UsageError(f"{name} has no effect on own confidences", advice="leave it out")
        return recognised_utterances(corpus, run)

    def found(self, answers: Iterable[Answer], *, watched: bool = False) -> Callable[[], CalibrationReport]:
        """Return a function that reads the answers, and compares their confidences with the words that are right."""
        from latticemetric.corpus.calibration import confidence_calibration

        del watched  # the graphs are aligned once, while they are read

        def report() -> CalibrationReport:
            utterances = _utterances(answers)
            references = [one.references for one in utterances]
            graphs = [one.graph for one in utterances]
            return confidence_calibration(graphs, references, bins=self.bins, **self.resampling)

        return report


class Calibrations(CalibrationSettings, Reliability):
    """The scale of costs that fits a corpus best, and the quality of its probabilities."""

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
        """Yield each graph with its references; then those of the test set."""
        from dataclasses import replace

        from latticemetric.corpus.calibration import utterances_of

        yield from utterances_of(corpus, run)
        if self.test is not None:
            yield from utterances_of(self.test, replace(run, shard=None), tested=True)
            if self.test.weights is not corpus.weights:  # those of the corpus are checked where the run ends
                self.test.check_weights(partial_run=False)

    def found(self, answers: Iterable[Answer], *, watched: bool = False) -> Callable[[], Calibration]:
        """Return a function that reads the answers, and fits the scale."""
        from latticemetric.corpus.calibration import fitted

        def calibration() -> Calibration:
            utterances = _utterances(answers)
            test = None if self.test is None else [one for one in utterances if one.tested]
            return fitted([one for one in utterances if not one.tested], test, self, watched=watched)

        return calibration


def _utterances(answers: Iterable[Answer]) -> list[TunedUtterance]:
    """Return the graphs that did not fail.

    Raises:
        NoAnswersError: All graphs of the corpus itself failed.
    """
    from latticemetric.corpus.run import NoAnswersError

    listed = list(answers)
    found: list[TunedUtterance] = [answer.value for answer in listed if answer.problem is None]
    if len(found) < len(listed) and all(one.tested for one in found):
        raise NoAnswersError("all graphs failed, so there is no result", advice="see the errors of the graphs")
    return found
