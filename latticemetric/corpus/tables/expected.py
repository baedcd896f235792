"""Expected rates of graphs, as `latticemetric expected` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from latticemetric.corpus.tables.by_metric import RateTable
from latticemetric.corpus.tables.cells import IdColumn, counted
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import Record, ShardSums
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


class ExpectedTable(RateTable):
    """Expectations and their sums. Answers are read one by one."""

    kind = "expected"

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

        super().__init__(answers, metric, metric.signature_for(references).also(norm=normalize), shard)
        self.looks, self._gradient = looks, gradient
        self._without: list[str] = []
        self._totals = ExpectationTotals()

    def add(self, answer: ExpectationAnswer) -> None:
        """Add an answer to the sums."""
        self._totals += self._totals.of(answer, self.metric)
        if self._gradient and answer.expected is not None and answer.expected.gradient is None:
            self._without.append(answer.name)

    def record_of(self, answer: ExpectationAnswer) -> Record:
        """Return the record of a lattice."""
        return answer.asdict()

    def text_of(self, record: Record, column: IdColumn, metric: str = "") -> Iterator[str]:
        """Yield the line of a lattice: the expected rate, its standard deviation or bounds, 1-best and oracle."""
        if "error" in record:
            yield f"{harmless(record['id'])}{metric.rstrip()}  failed"
            return
        spread = f"{self.looks.rate(record['low'])} … {self.looks.rate(record['high'])}"
        if record["exact"]:
            spread = "" if record["variance"] is None else f"± {self.looks.rate(record['variance'] ** 0.5)}"
        one_best, oracle = (self.looks.lone_rate(record[path]["score"]) for path in ("one_best", "oracle"))
        rates = f"1-best {one_best:>7}  oracle {oracle}"
        yield f"{column(record['id'])}{metric}  {self.looks.lone_rate(record['expected']):>7}  {spread:<10}  {rates}"

    @property
    def columns(self) -> list[str]:
        """The titles of the TSV columns."""
        return [*_COLUMNS, *(f"{path}_{name}" for path in ("one_best", "oracle") for name in _PATH_COLUMNS), "error"]

    def cells(self, record: Record) -> Record:
        """Return the distribution as TSV shows it: `0:0.5 1:0.25 …`."""
        pairs = record.get("distribution")
        return {} if pairs is None else {"distribution": " ".join(f"{k}:{p!r}" for k, p in pairs)}

    def settings(self) -> Record:
        """Return the metric."""
        from latticemetric.corpus.oracles import metric_state

        return {"metric": metric_state(self.metric)}

    def state(self) -> Record:
        """Return the sums as plain values, for `merge`."""
        return self._totals.state()

    @classmethod
    def merged(cls, shards: ShardSums, looks: Looks) -> ExpectedTable:
        """Return the table of all shards, without records."""
        from latticemetric.corpus.oracles import metric_of

        table = cls((), metric_of(shards.settings["metric"]), looks=looks)
        table.signature = shards.signature
        table._totals = table._totals.merged(shards.states)
        return table

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
            "; prune large graphs, or raise most_states=…"
        )

    headings = ("", "")

    def rates(self) -> list[list[str]]:
        """Return a row for the expectation, the 1-best and the oracle: rate, counts, spread."""
        corpus = self._totals.asdict()
        spread = "" if corpus["variance"] is None else f"± {self.looks.rate(corpus['variance'] ** 0.5)}"
        if self._totals.inexact:
            spread = f"{self.looks.rate(corpus['low'])} … {self.looks.rate(corpus['high'])}"
        rows = []
        for label, side, note in (("expected", corpus, spread), *_paths(corpus)):
            numerator, denominator = (_rounded(side[name]) for name in ("numerator", "denominator"))
            score = self.looks.rate(side.get("expected", side.get("score")))
            rows.append([label, score, f"{numerator}/{denominator}", note])
        return rows

    def notes(self) -> Iterator[str]:
        """Yield a note on expectations that are not exact."""
        if self._totals.inexact:
            yield f"{counted(self._totals.inexact, 'lattice')} not exact: interval only"

    def counts(self) -> str:
        """Return the numbers of lattices that were searched and that failed."""
        totals = self._totals
        return counted(totals.lattices, "lattice") + (f", {totals.failed} failed" if totals.failed else "")


def _paths(corpus: Record) -> list[tuple[str, Record, str]]:
    return [("1-best", corpus["one_best"], ""), ("oracle", corpus["oracle"], "")]


def _rounded(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
