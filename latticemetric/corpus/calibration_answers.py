"""The answers of a calibration, with its result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from latticemetric.cached import cached_property
from latticemetric.corpus.answers import Answers
from latticemetric.corpus.calibration_question import Reliability

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.calibration import Calibration, CalibrationReport
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tables.table import Table


R = TypeVar("R", bound="Calibration | CalibrationReport")


class CalibrationAnswers(Answers[Any], Generic[R]):
    """A calibration of a corpus: `Answers` whose table, records and totals are about all graphs together.

    Examples:
        >>> from latticemetric import Corpus, Lattice
        >>> rows = [(["a b", "a c"], "a b"), (["d", "e"], "d"), (["a c", "a b"], "a b"), (["e f", "e"], "e f")]
        >>> lattices = [Lattice.from_strings(strings, costs=[0.0, 3.0]) for strings, _ in rows]
        >>> corpus = Corpus(lattices, [reference for _, reference in rows])
        >>> found = corpus.calibrate(folds=2, resamples=0).result
        >>> round(found.posterior_scale, 4), round(found.development.words.nce.value, 3)
        (0.3536, 0.216)
        >>> round(found.unscaled.words.nce.value, 3)
        -0.113
        >>> errors = found.development.errors
        >>> round(errors.expected.value, 3), round(errors.rate.value, 3)
        (0.147, 0.143)
    """

    @cached_property
    def result(self) -> R:
        """The `Calibration`; with `own_confidences`, the `CalibrationReport`."""
        assert isinstance(self.question, Reliability)
        return cast("R", self.question.found(self._all(), watched=self._settings.progress)())

    def _table(self, answers: Iterable[Answer], run: Run | None = None) -> Table:
        if run is not None:  # streamed to a file, not kept
            return super()._table(answers, run)
        assert isinstance(self.question, Reliability)
        return self.question.table_of(lambda: self.result)
