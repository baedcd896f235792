"""`lattice-oracle --metric my.fst`: the path of each lattice that scores best by a user's automaton."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from latticemetric.cli.options import OutputOptions, PairOptions, ShardedRunOptions, refuse
from latticemetric.cli.results import (
    AnswerResults,
    Record,
    counted,
    json_document,
    padded_id,
    shown,
    spoken,
    table,
    values,
)
from latticemetric.cli.run import Failures, running
from latticemetric.errors import UsageError, harmless

if TYPE_CHECKING:
    from latticemetric.batch.answers import Answer
    from latticemetric.batch.shards import ShardRun
    from latticemetric.batch.user_automaton import AutomatonSums

_OF_RATES = (
    "alpha", "beta", "ignore", "wildcard", "normalize", "score", "alignment", "tags", "posteriors", "posterior_scale",
    "nbest", "hope", "fear", "worst", "on", "write_lattices", "to_format", "sum_scores", "drop_labels"
)  # fmt: skip
_COLUMNS = ("id", "score", "hypothesis", "cost", "exact")
_ONE_BEST_COLUMNS = ("hypothesis", "score", "cost")


def write_automaton_oracles(
    lattices: str,
    references: Sequence[str],
    *,
    automaton: str,
    engine: str,
    reading: PairOptions,
    run: ShardedRunOptions,
    output: OutputOptions,
) -> None:
    """Search the graphs, and write their oracles."""
    from latticemetric.batch.user_automaton import AutomatonSums, automaton_oracles, read_automaton

    _refuse_others(references, engine)
    pairs = reading.pairs(lattices, references, run.shard)
    metric = read_automaton(automaton)
    sums, failures = AutomatonSums(), Failures(run.failures)
    with running(run, output.output) as started:
        answers = automaton_oracles(pairs, metric, started, scales=reading.weights)
        results = _AutomatonResults(failures.reported(answers), sums, run.shard)
        output.write(results, at_once=run.keep_going and output.output_format != "json")
        failures.write()
    output.say_summary(results)
    failures.exit()


def _refuse_others(references: Sequence[str], engine: str) -> None:
    """Refuse options that apply only to recognition rates."""
    refuse(_OF_RATES, "with an automaton", advice="leave it out, or name a metric")
    if not references:
        refuse(["style"], "with an automaton without references")
    if engine == "native":
        raise UsageError("the native engine supports recognition rates only", advice="leave --engine out")


class _AutomatonResults(AnswerResults):
    """Oracles by an automaton, and their sums."""

    columns = (*_COLUMNS, *(f"one_best_{name}" for name in _ONE_BEST_COLUMNS), "error")

    def __init__(self, answers: Iterable[Answer], sums: AutomatonSums, shard: ShardRun | None) -> None:
        super().__init__(sums.counted(answers), shard)
        self._sums, self._shard = sums, shard

    def text(self) -> Iterator[str]:
        """Yield one line per graph."""
        for answer in self.answers:
            if answer.problem is not None:
                yield f"{harmless(answer.name)}  failed"
                continue
            yield f"{padded_id(answer.name)}  {shown(answer.value.score):>9}  {spoken(answer.value.words)}"

    def rows(self) -> Iterator[list[object]]:
        """Yield one row per graph."""
        for record in self.records():
            one_best = values(record.get("one_best", {}), _ONE_BEST_COLUMNS)
            yield [*values(record, _COLUMNS), *one_best, record.get("error")]

    def document(self) -> Iterator[str]:
        """Yield the document, with the signature once."""
        from latticemetric.batch.shards import document_end

        def end() -> str:
            state = {} if self._shard is None else {"sums": self._sums.totals.state()}
            return document_end(self._sums.totals.asdict(), self._shard, **state)

        return json_document({}, {"lattices": map(_unsigned, self.records())}, end)

    def summary(self) -> list[str]:
        """Return the sums in a few lines."""
        totals = self._sums.totals
        corpus = totals.asdict()["corpus"]
        rows = [["oracle", shown(corpus["score"])], ["1-best", shown(corpus["one_best"]["score"])]]
        failed = f", {totals.failed} failed" if totals.failed else ""
        return ["", *table(rows), f"{counted(totals.lattices, 'lattice')}{failed}"]


def _unsigned(record: Record) -> Record:
    return {name: value for name, value in record.items() if name != "signature"}
