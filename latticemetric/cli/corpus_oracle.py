"""`lattice-oracle --metric bleu`: the paths of all lattices that have the best BLEU together."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from latticemetric.cli import options, running, searches
from latticemetric.cli.display import named, say, shown, table, tsv_field
from latticemetric.cli.oracle_writing import TSV_COLUMNS, TSV_ONE_BEST
from latticemetric.errors import UsageError, harmless

if TYPE_CHECKING:
    from latticemetric.batch.corpus_bleu import CorpusAnswer

_NAMES = ("bleu", "bleu-sbp", "bleu-stem", "bleu-sbp-stem")
_OF_RATES = (
    "alpha", "beta", "wildcard", "nbest", "hope", "fear", "worst", "on", "tags", "alignment",
    "posteriors", "posterior_scale", "write_lattices", "to_format", "sum_scores", "drop_labels",
)  # fmt: skip
_OF_ONE_BY_ONE = ("cluster", "shard", "resume", "timeout", "max_memory")


def is_of_corpora(metric: str) -> bool:
    """Whether a metric's oracle is one of all graphs together."""
    return metric.strip().lower() in _NAMES


def put_corpus_oracle(
    lattices: str, references: tuple[str, ...], style: Any, output_format: str, output: str, **chosen: Any
) -> None:
    """Reads, asks, and writes; all at once, when all is known."""
    from latticemetric.batch.corpus_bleu import corpus_oracle_of
    from latticemetric.metrics.registry import make_metric
    from latticemetric.oracle_search.corpus_bleu import as_bleu

    _refuse_others(chosen)
    metric = as_bleu(make_metric(chosen["metric"]))
    answer = corpus_oracle_of(
        searches.pairs(lattices, references, style, **chosen),
        metric,
        ignore=options.word_list(chosen["ignore"]),
        scales=dict(chosen["scales"]),
        keep_going=chosen["keep_going"],
        normalize=chosen["normalize"],
    )
    failed = running.Failures(chosen["failures"])
    failed.report(answer.members)
    with options.results(output, at_once=False) as put:
        for line in _WRITERS[output_format](answer):
            put(line)
    failed.write()
    if output_format == "text":
        say("\n".join(_summary(answer, metric.name)))
    if answer.failed:
        sys.exit(1)


def _refuse_others(chosen: dict[str, Any]) -> None:
    """What is told to recognition rates means nothing to BLEU."""
    options.refuse(_OF_RATES, "BLEU of a corpus", advice="leave it out, or name a rate")
    if chosen.get("score"):
        raise UsageError("--score is for rates", advice="write the strings with --format tsv; latticemetric score")
    if given := options.given(_OF_ONE_BY_ONE):
        raise UsageError(f"{given[0]} is for graphs that are searched one by one", advice="leave it out")
    if chosen["engine"] == "openfst":
        raise UsageError("the openfst engine knows recognition rates only", advice="leave --engine out")


def _text(answer: CorpusAnswer) -> Iterator[str]:
    for member in answer.members:
        if member.path is None:
            yield f"{harmless(member.name)}  failed"
            continue
        words = harmless(" ".join(member.path.words)) or "(no words)"
        yield f"{named(member.name)}  {shown(member.path.score):>7}  {words}"


def _tsv(answer: CorpusAnswer) -> Iterator[str]:
    columns = [*TSV_COLUMNS, "headroom"]
    yield "\t".join([*columns, *(f"one_best_{name}" for name in TSV_ONE_BEST), "error"])
    for member in answer.members:
        item = member.asdict()
        one_best = item.get("one_best", {})
        values = [item.get(name) for name in columns] + [one_best.get(name) for name in TSV_ONE_BEST]
        yield "\t".join(map(tsv_field, [*values, item.get("error")]))


def _jsonl(answer: CorpusAnswer) -> Iterator[str]:
    return (_as_json(member.asdict()) for member in answer.members)


def _json(answer: CorpusAnswer) -> Iterator[str]:
    yield f'{{"signature": {_as_json(answer.signature)}, "lattices": ['
    yield ",\n".join(_jsonl(answer))
    yield f'], "corpus": {_as_json(answer.corpus())}}}'


_WRITERS: dict[str, Callable[[CorpusAnswer], Iterator[str]]] = {
    "text": _text,
    "tsv": _tsv,
    "json": _json,
    "jsonl": _jsonl,
}


def _summary(answer: CorpusAnswer, name: str) -> list[str]:
    """The corpus in a few lines."""
    found = answer.found
    scores = {"oracle": found.corpus, "4-GRR oracles": found.start, "1-best": found.one_best}
    rows = [["", name], *([side, shown(score.score)] for side, score in scores.items())]
    lattices = len(answer.members) - answer.failed
    failed = f", {answer.failed} failed" if answer.failed else ""
    counted = "1 lattice" if lattices == 1 else f"{lattices} lattices"
    sweeps = f"{found.sweeps} sweeps; that nothing is better is not known"
    return ["", *table(rows), sweeps, f"{counted}{failed}   {answer.signature}"]


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
