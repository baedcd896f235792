"""Expected rates of graphs, as `latticemetric expected` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from latticemetric.corpus.tables.cells import IdColumn, aligned, counted
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import Record, Table, json_document, values
from latticemetric.errors import harmless

if TYPE_CHECKING:
    from latticemetric.corpus.expectations import ExpectationAnswer
    from latticemetric.corpus.shards import ShardRun
    from latticemetric.metrics.recognition import GRR


_COLUMNS = (
    "id", "expected", "numerator", "denominator", "variance", "low", "high", "exact", "standard_error", "distribution"
)  # fmt: skip
_PATH_COLUMNS = ("hypothesis", "score", "numerator", "denominator")
_SHOWN = 3  # ids of graphs that a warning lists


class ExpectedTable(Table):
    """Expectations and their sums. Answers are read one by one."""

    def __init__(
        self,
        answers: Iterable[ExpectationAnswer],
        metric: GRR,
        references: int | str = 1,
        shard: ShardRun | None = None,
        *,
        looks: Looks = AS_FILE,
        normalize: str | None = None,
        gradient: bool = False,
    ) -> None:
        from latticemetric.corpus.expectations import ExpectationTotals

        self._answers, self._metric, self._shard = self._counted(answers), metric, shard
        self.looks, self._gradient = looks, gradient
        self._without: list[str] = []
        self._totals = ExpectationTotals()
        self._signature = metric.signature_for(references).also(norm=normalize)

    def _counted(self, answers: Iterable[ExpectationAnswer]) -> Iterator[ExpectationAnswer]:
        for answer in answers:
            self._totals += self._totals.of(answer, self._metric)
            if self._gradient and answer.expected is not None and answer.expected.gradient is None:
                self._without.append(answer.name)
            yield answer

    def text(self) -> Iterator[str]:
        """Yield one line per lattice: the expected rate, its standard deviation or bounds, 1-best and oracle."""
        column = IdColumn()
        for answer in self._answers:
            found, best = answer.expected, answer.oracle
            if found is None or best is None:
                yield f"{harmless(answer.name)}  failed"
                continue
            spread = f"{self.looks.rate(found.low)} … {self.looks.rate(found.high)}"
            if found.exact:
                spread = "" if found.variance is None else f"± {self.looks.rate(found.variance**0.5)}"
            rates = f"1-best {self.looks.lone_rate(best.one_best.score):>7}  oracle {self.looks.lone_rate(best.score)}"
            yield f"{column(answer.name)}  {self.looks.lone_rate(found.value):>7}  {spread:<10}  {rates}"

    def records(self) -> Iterator[Record]:
        """Yield one record per lattice."""
        return (answer.asdict() for answer in self._answers)

    @property
    def columns(self) -> list[str]:
        """The titles of the TSV columns."""
        return [*_COLUMNS, *(f"{path}_{name}" for path in ("one_best", "oracle") for name in _PATH_COLUMNS), "error"]

    def rows(self) -> Iterator[list[object]]:
        """Yield one row per lattice; a distribution is `0:0.5 1:0.25 …`."""
        for record in self.records():
            pairs = record.get("distribution")
            record["distribution"] = None if pairs is None else " ".join(f"{k}:{p!r}" for k, p in pairs)
            row = values(record, _COLUMNS)
            for path in ("one_best", "oracle"):
                row += values(record.get(path, {}), _PATH_COLUMNS)
            yield [*row, record.get("error")]

    def document(self) -> Iterator[str]:
        """Yield the JSON document: items as they arrive, then the sums."""
        from latticemetric.corpus.shards import document_end

        def end() -> str:
            state = {} if self._shard is None else {"sums": self._totals.state()}
            return document_end({"corpus": self._totals.asdict()}, self._shard, **state)

        return json_document({"signature": str(self._signature)}, {"lattices": self.records()}, end)

    def totals(self) -> Record:
        """Return the numbers of all answers; call this after the answers were read."""
        return self._totals.asdict()

    def warning(self) -> str | None:
        """Return a warning that names graphs without gradients, if gradients are asked for."""
        if not self._without:
            return None
        shown = ", ".join(map(harmless, self._without[:_SHOWN])) + (", …" if len(self._without) > _SHOWN else "")
        return (
            f"{counted(len(self._without), 'graph')} without gradient, not exact or without reference words: {shown}"
            "; prune large graphs, or raise --most-states"
        )

    def summary(self) -> list[str]:
        """Return the totals of the corpus: expectation, 1-best and oracle."""
        corpus, totals = self._totals.asdict(), self._totals
        spread = "" if corpus["variance"] is None else f"± {self.looks.rate(corpus['variance'] ** 0.5)}"
        if totals.inexact:
            spread = f"{self.looks.rate(corpus['low'])} … {self.looks.rate(corpus['high'])}"
        rows = [["", self.looks.rate_title(self._metric.name), "", ""]]
        for label, side, note in (("expected", corpus, spread), *_paths(corpus)):
            numerator, denominator = (_rounded(side[name]) for name in ("numerator", "denominator"))
            score = self.looks.rate(side.get("expected", side.get("score")))
            rows.append([label, score, f"{numerator}/{denominator}", note])
        lattices = counted(totals.lattices, "lattice") + (f", {totals.failed} failed" if totals.failed else "")
        lines = ["", *aligned(rows)]
        if totals.inexact:
            lines.append(f"{counted(totals.inexact, 'lattice')} not exact: interval only")
        return [*lines, f"{lattices}   {self._signature}"]


def _paths(corpus: Record) -> list[tuple[str, Record, str]]:
    return [("1-best", corpus["one_best"], ""), ("oracle", corpus["oracle"], "")]


def _rounded(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
