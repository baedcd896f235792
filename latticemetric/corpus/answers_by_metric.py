"""The answers by several metrics, which search each graph after it was read once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.answers import Answers
from latticemetric.corpus.oracle_question import Oracles
from latticemetric.corpus.question import Question
from latticemetric.corpus.settings import RunSettings
from latticemetric.errors import UsageError, shortened
from latticemetric.oracle_search.settings import ByRate
from latticemetric.settings import given

if TYPE_CHECKING:
    from latticemetric.corpus.oracles import OracleAnswer
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table


class _OneMetric(Question[Any]):
    """The answers by one of several metrics, taken from those by all.

    Attributes:
        together: The answers by all metrics.
        position: The position of the metric.
    """

    verb = "oracle"

    together: Answers[Any] = given(default=None)
    position: int = given(default=0)

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[OracleAnswer]:  # noqa: ARG002
        """Yield the answer of each graph, in order."""
        return (answer.value[self.position] for answer in self.together)

    def table(self, answers: Iterable[Any], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:
        """Return the table of the answers."""
        question = self.together.question
        assert isinstance(question, Oracles)
        alone = question.__replace__(searches=(question.searches[self.position],), several=False)
        return alone.table(answers, corpus, run, looks)


class AnswersByMetric(Mapping[str, Answers[Any]]):
    """The answers by several metrics: a mapping from the name of each metric to its answers.

    Each graph is read once, and searched by each metric. The table, the totals and files are those of all metrics.

    Examples:
        >>> from latticemetric import Corpus, Lattice
        >>> lattice = Lattice.from_strings(["a b", "a c"], costs=[1.0, 2.0])
        >>> oracles = Corpus({"one": lattice}, {"one": "a c"}).oracle("wer,4-grr")
        >>> list(oracles), oracles["wer"]["one"].words
        (['wer', '4-grr'], ('a', 'c'))
    """

    def __init__(self, together: Answers[Any]) -> None:
        question = together.question
        assert isinstance(question, Oracles)
        self.together = together
        names = [one.rate.name for one in question.searches if isinstance(one, ByRate)]
        self._each = {
            name: Answers(together.corpus, _OneMetric(together=together, position=position), RunSettings())
            for position, name in enumerate(names)
        }

    def __getitem__(self, metric: str) -> Answers[Any]:
        if metric not in self._each:
            known = ", ".join(self._each)
            raise UsageError(f"there is no oracle by '{shortened(str(metric))}'", advice=f"choose one of {known}")
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
