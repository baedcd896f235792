"""`lattice-oracle --metric bleu`: the paths of all lattices that have the best BLEU together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from latticemetric.cli.options import (
    OutputOptions,
    PairOptions,
    RateOptions,
    ShardedRunOptions,
    given,
    refuse,
    word_list,
)
from latticemetric.cli.oracle_rates import COLUMNS, ONE_BEST_COLUMNS, AlsoOptions
from latticemetric.cli.results import (
    Record,
    Results,
    as_json,
    counted,
    json_document,
    padded_id,
    shown,
    spoken,
    table,
    values,
)
from latticemetric.cli.run import Failures
from latticemetric.errors import UsageError, harmless

if TYPE_CHECKING:
    from latticemetric.batch.corpus_bleu import CorpusAnswer

_OF_RATES = (
    "alpha", "beta", "wildcard", "nbest", "hope", "fear", "worst", "on", "tags", "alignment",
    "posteriors", "posterior_scale", "write_lattices", "to_format", "sum_scores", "drop_labels"
)  # fmt: skip
_OF_SINGLE_GRAPHS = ("cluster", "shard", "resume", "timeout", "max_memory")


def write_corpus_oracle(
    lattices: str,
    references: Sequence[str],
    *,
    metric: RateOptions,
    also: AlsoOptions,
    reading: PairOptions,
    run: ShardedRunOptions,
    output: OutputOptions,
) -> None:
    """Search all graphs together, then write their oracle."""
    from latticemetric.batch.corpus_bleu import corpus_oracle_of
    from latticemetric.metrics.registry import make_metric
    from latticemetric.oracle_search.corpus_bleu import as_bleu

    _refuse_others(also)
    bleu = as_bleu(make_metric(metric.metric))
    answer = corpus_oracle_of(
        reading.pairs(lattices, references, run.shard),
        bleu,
        ignore=word_list(metric.ignore),
        scales=reading.weights,
        keep_going=run.keep_going,
        normalize=reading.normalize,
    )
    failures = Failures(run.failures)
    for _ in failures.reported(answer.members):
        pass
    results = _CorpusResults(answer, bleu.name)
    output.write(results)
    failures.write()
    output.say_summary(results)
    failures.exit()


def _refuse_others(also: AlsoOptions) -> None:
    """Refuse options that apply only to recognition rates, or to graphs one by one."""
    refuse(_OF_RATES, "with BLEU of a corpus", advice="leave it out, or name a rate")
    if also.score:
        raise UsageError(
            "--score works with rates only", advice="write strings with --format tsv; use latticemetric score"
        )
    for name in given(_OF_SINGLE_GRAPHS):
        raise UsageError(f"{name} has no effect if all graphs are searched together", advice="leave it out")
    if also.engine == "openfst":
        raise UsageError("the openfst engine supports recognition rates only", advice="leave --engine out")


class _CorpusResults(Results):
    """The oracle of a corpus by BLEU."""

    columns = (*COLUMNS, "headroom", *(f"one_best_{name}" for name in ONE_BEST_COLUMNS), "error")

    def __init__(self, answer: CorpusAnswer, metric: str) -> None:
        self._answer, self._metric = answer, metric

    def text(self) -> Iterator[str]:
        """Yield one line per graph."""
        for member in self._answer.members:
            if member.path is None:
                yield f"{harmless(member.name)}  failed"
            else:
                yield f"{padded_id(member.name)}  {shown(member.path.score):>7}  {spoken(member.path.words)}"

    def records(self) -> Iterator[Record]:
        """Yield one record per graph."""
        return (member.asdict() for member in self._answer.members)

    def rows(self) -> Iterator[list[object]]:
        """Yield one row per graph."""
        for record in self.records():
            one_best = values(record.get("one_best", {}), ONE_BEST_COLUMNS)
            yield [*values(record, COLUMNS), record.get("headroom"), *one_best, record.get("error")]

    def document(self) -> Iterator[str]:
        """Yield the document."""
        end = f'], "corpus": {as_json(self._answer.corpus())}}}'
        head = {"signature": self._answer.signature}
        return json_document(head, {"lattices": self.records()}, lambda: end, streamed=False)

    def summary(self) -> list[str]:
        """Return the corpus in a few lines."""
        oracle, failed = self._answer.found, self._answer.failed
        scores = {"oracle": oracle.corpus, "4-GRR oracles": oracle.start, "1-best": oracle.one_best}
        rows = [["", self._metric], *([side, shown(score.score)] for side, score in scores.items())]
        lattices = counted(len(self._answer.members) - failed, "lattice") + (f", {failed} failed" if failed else "")
        sweeps = f"{oracle.sweeps} sweeps; a better oracle may exist"
        return ["", *table(rows), sweeps, f"{lattices}   {self._answer.signature}"]
