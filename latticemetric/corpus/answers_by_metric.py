"""The answers by several metrics, which search each graph after it was read once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from latticemetric.corpus.answers import Answers
from latticemetric.corpus.metric_question import EachMetric
from latticemetric.corpus.settings import RunSettings
from latticemetric.errors import UsageError, shortened
from latticemetric.likeness import which_of

if TYPE_CHECKING:
    from latticemetric.corpus.run import Run

K = TypeVar("K", bound=Answers[Any])


class AnswersByMetric(Mapping[str, K]):
    """The answers by several metrics: a mapping from the name of each metric to its answers.

    Each graph is read once, and searched by each metric. The table, the totals and files are those of all metrics.

    Examples:
        >>> from latticemetric import Corpus, Lattice
        >>> lattice = Lattice.from_strings(["a b", "a c"], costs=[1.0, 2.0])
        >>> oracles = Corpus({"one": lattice}, {"one": "a c"}).oracle("wer,4-grr")
        >>> list(oracles), oracles["wer"]["one"].words
        (['wer', '4-grr'], ('a', 'c'))
    """

    def __init__(self, together: Answers[Any], kind: type[K]) -> None:
        """Take the answers by all metrics, and the class of the answers by each."""
        question = together.question
        assert isinstance(question, EachMetric)
        self.together = together
        self._each = {
            one.rate.name: kind(together.corpus, one, RunSettings(), taken=partial(_answers_of, together, position))
            for position, one in enumerate(question.questions)
        }

    def __getitem__(self, metric: str) -> K:
        if metric not in self._each:
            raise UsageError(f"there are no answers by '{shortened(str(metric))}'", advice=which_of(metric, self._each))
        return self._each[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._each)

    def __len__(self) -> int:
        return len(self._each)

    @property
    def totals(self) -> dict[str, Any]:
        """The numbers of the whole corpus, by metric."""
        return self.together.totals

    def to_records(self) -> list[dict[str, Any]]:
        """Return one record per graph and metric, as JSON lines have them."""
        return self.together.to_records()

    def to_pandas(self) -> Any:
        """Return the records as a `pandas.DataFrame`."""
        return self.together.to_pandas()

    def to_arrow(self) -> Any:
        """Return the records as a `pyarrow.Table`."""
        return self.together.to_arrow()

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002  as in `Answers`
        """Write the answers by all metrics to a file; see `Answers.write`."""
        self.together.write(path, format)

    def __str__(self) -> str:
        return str(self.together)

    def __repr__(self) -> str:
        return f"<AnswersByMetric: {', '.join(self)}: {self.together!r}>"

    def _repr_html_(self) -> str:
        return self.together._repr_html_()


def _answers_of(together: Answers[Any], position: int, run: Run) -> Iterator[Any]:  # noqa: ARG001  of `together`
    return (answer.value[position] for answer in together)
