"""The questions of calibration: how true probabilities of a model are. Nothing here imports NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from latticemetric.arguments import MOST_DRAWS, numbers_to_try
from latticemetric.corpus.question import Question
from latticemetric.errors import UsageError
from latticemetric.settings import choice, given, number, whole

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.calibration import Calibration, CalibrationReport, TunedUtterance
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table

SCALES = tuple(2.0**exponent for exponent in range(-5, 3))


class Reliability(Question["Answer"]):
    """A question about the probabilities of all graphs together; see `OwnConfidences` and `Calibrations`.

    Its answers are the graphs and their references.

    Attributes:
        bins: The number of bins of reliability diagrams.
        resamples: The number of resamples of utterances for intervals; 0: no intervals.
        seed: The seed of the resamples.
        confidence: The confidence level of the intervals.
    """

    verb = "calibrate"
    section = "Evaluation"

    bins: int = whole(
        default=10,
        most=1000,
        phrase="the number of bins is {}",
        help="Number of bins of reliability diagrams.",
        option="--bins N",
    )
    resamples: int = whole(
        default=1000, least=0, most=MOST_DRAWS, help="Number of resamples for intervals and p-values; 0: none."
    )
    seed: int = whole(default=0, least=0, help="Seed of the random numbers.")
    confidence: float = number(default=0.95, help="Confidence level of the intervals, as a fraction.")

    def check(self) -> None:
        """Refuse settings that have no effect."""
        if not 0 < self.confidence < 1:
            raise UsageError(f"confidence {self.confidence!r} is not between 0 and 1", advice="give a share like 0.95")
        if not self.resamples:
            self._refuse("seed", "confidence", where="without resamples")

    def _refuse(self, *names: str, where: str) -> None:
        if unused := [name for name in names if name in self.changed()]:
            raise UsageError(f"{unused[0]} has no effect {where}", advice="leave it out")

    def table(self, answers: Iterable[Answer], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:  # noqa: ARG002
        """Return the table of the result."""
        return self.table_of(self.found(answers))

    def table_of(self, find: Callable[[], Calibration | CalibrationReport]) -> Table:
        """Return the table of the result that a function computes."""
        from latticemetric.corpus.tables.calibrate import CalibrationTable

        drawn = {"resamples": self.resamples, "seed": self.seed, "confidence": self.confidence}
        return CalibrationTable(find, drawn)

    def found(self, answers: Iterable[Answer]) -> Callable[[], Calibration | CalibrationReport]:
        """Return a function that reads the answers, and compares their probabilities with the true outcomes."""
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

    def found(self, answers: Iterable[Answer]) -> Callable[[], CalibrationReport]:
        """Return a function that reads the answers, and compares their confidences with the words that are right."""
        from latticemetric.corpus.calibration import confidence_calibration

        def report() -> CalibrationReport:
            utterances = _utterances(answers)
            references = [one.references for one in utterances]
            drawn: dict[str, Any] = {name: getattr(self, name) for name in Reliability.own}
            return confidence_calibration([one.graph for one in utterances], references, **drawn)

        return report


class Calibrations(Reliability):
    """The scale of costs that fits a corpus best, and the quality of its probabilities.

    Attributes:
        answer: The words to evaluate: the 1-best (`one-best`), or the answer of `word_mbr` at each scale (`mbr`).
        criterion: `words` to fit the confidences of words, `errors` to fit the expected errors.
        posterior_scale: The scales to try first, above 0. If there are several, also try scales between them.
        halvings: Number of rounds that try scales around the best one; each round halves the step between scales.
        folds: Number of folds for cross-validation. Graph k is in fold k modulo `folds`.
        test: The corpus of the test set; by default, use folds of the corpus itself.
        most_states: Limit on the search states per graph; above it, expected errors are estimates.
    """

    section = "Fit"

    answer: Literal["one-best", "mbr"] = choice(
        default="one-best",
        names=("one-best", "mbr"),
        help="Words to evaluate: the 1-best, or the MBR answer for word errors.",
        option="--answer",
    )
    criterion: Literal["words", "errors"] = choice(
        default="words",
        names=("words", "errors"),
        help="Fit the scale to word confidences, or to expected errors of utterances.",
        option="--criterion",
    )
    posterior_scale: Sequence[float] = given(default=SCALES)
    halvings: int = whole(default=2, least=0, phrase="halvings is {}", help="Number of rounds around the best scale.")
    folds: int = whole(
        default=5,
        least=2,
        phrase="the number of folds is {}",
        help="Without --test, cross-validate: fit on N − 1 of N folds, evaluate on the remaining fold.",
        option="--folds N",
    )
    test: ReadCorpus | None = given(default=None)
    most_states: int = whole(
        default=2_000_000,
        help="Limit on search states per graph; above it, expected errors are estimates.",
        option="--most-states N",
    )

    def check(self) -> None:
        """Check the scales; refuse settings that have no effect."""
        scales = tuple(dict.fromkeys(numbers_to_try(self.posterior_scale, "posterior_scale")))
        if not scales:
            raise UsageError("there are no scales to try", advice="give at least one")
        for one in scales:
            if not 0 < one < math.inf:
                raise UsageError(f"the posterior scale is {one}", advice="give numbers above 0")
        vars(self)["posterior_scale"] = scales
        if len(scales) == 1:
            self._refuse("criterion", "halvings", where="with a single scale")
        if self.test is not None:
            self._refuse("folds", where="with a test set")
            self._check_test(self.test)
        super().check()

    @staticmethod
    def _check_test(test: Any) -> None:
        from latticemetric.corpus.read_corpus import ReadCorpus

        if not isinstance(test, ReadCorpus):
            raise UsageError(f"the test set is a {type(test).__name__}", advice="give a Corpus")
        if test.shard is not None:
            raise UsageError("the test set is a shard", advice="give all of it")

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
        """Yield each graph with its references; then those of the test set."""
        from dataclasses import replace

        from latticemetric.corpus.calibration import utterances_of

        yield from utterances_of(corpus, run)
        if self.test is not None:
            yield from utterances_of(self.test, replace(run, shard=None), tested=True)
            if self.test.weights is not corpus.weights:  # those of the corpus are checked where the run ends
                self.test.check_weights(partial_run=False)

    def found(self, answers: Iterable[Answer]) -> Callable[[], Calibration]:
        """Return a function that reads the answers, and fits the scale."""
        from latticemetric.corpus.calibration import fitted

        def calibration() -> Calibration:
            utterances = _utterances(answers)
            test = None if self.test is None else [one for one in utterances if one.tested]
            return fitted([one for one in utterances if not one.tested], test, self)

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
