"""The settings of calibration: how to evaluate probabilities, and which scales to try. Nothing here imports NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from latticemetric.corpus.question import Resampled
from latticemetric.errors import UsageError
from latticemetric.settings import FOLDS, choice, given, like, numbers, whole

if TYPE_CHECKING:
    from latticemetric.corpus.read_corpus import ReadCorpus

SCALES = tuple(2.0**exponent for exponent in range(-5, 3))


class ReliabilitySettings(Resampled):
    """The settings of an evaluation of probabilities.

    Attributes:
        bins: The number of bins of reliability diagrams.
    """

    section = "Evaluation"

    bins: int = whole(
        default=10,
        most=1000,
        phrase="the number of bins is {}",
        help="Number of bins of reliability diagrams.",
        option="--bins N",
    )

    def _refuse(self, *names: str, where: str) -> None:
        if unused := [name for name in names if name in self.changed()]:
            raise UsageError(f"{unused[0]} has no effect {where}", advice="leave it out")


class CalibrationSettings(ReliabilitySettings):
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
    posterior_scale: Sequence[float] = numbers(
        default=SCALES,
        above=0,
        phrase="the posterior scale is {}",
        help="Try these posterior scales first, separated by commas (default: powers of 2, 1/32 to 4); then try scales "
        "between them.",
        option="--posterior-scale NUMBERS",
    )
    halvings: int = whole(default=2, least=0, phrase="halvings is {}", help="Number of rounds around the best scale.")
    folds: int = like(
        FOLDS,
        least=2,
        help="Without --test, cross-validate: fit on N − 1 of N folds, evaluate on the remaining fold.",
    )
    test: ReadCorpus | None = given(default=None)
    most_states: int = whole(
        default=2_000_000,
        help="Limit on search states per graph; above it, expected errors are estimates.",
        option="--most-states N",
    )

    def check(self) -> None:
        """Refuse no scales, and settings that have no effect."""
        if not self.posterior_scale:
            raise UsageError("there are no scales to try", advice="give at least one")
        if len(self.posterior_scale) == 1:
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
