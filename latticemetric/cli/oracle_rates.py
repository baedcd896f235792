"""`lattice-oracle --metric 4-grr`: the path of each lattice that scores best by a recognition rate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from latticemetric.cli.files import GraphOutput
from latticemetric.cli.options import (
    ENGINE,
    MOST_STRINGS,
    POSTERIOR_SCALE,
    SCORE,
    GraphFormatOptions,
    Options,
    OutputOptions,
    PairOptions,
    ShardedRunOptions,
    choice,
    flag,
    option,
    refuse,
    string_scorer,
    weights,
)
from latticemetric.cli.results import (
    STANDARD_OUTPUT,
    Record,
    Results,
    counted,
    json_document,
    padded_id,
    shown,
    spoken,
    table,
    values,
    written_beside,
)
from latticemetric.cli.run import Failures, running
from latticemetric.errors import UsageError, harmless

if TYPE_CHECKING:
    from latticemetric.batch.margins import MarginKind, MarginOptions, Margins
    from latticemetric.batch.oracles import OracleAnswer, OracleSums
    from latticemetric.batch.shards import ShardRun
    from latticemetric.graph import Graph
    from latticemetric.metrics.recognition import GRR
    from latticemetric.oracle_search.scored_path import ScoredPath

COLUMNS = (
    "id", "score", "numerator", "denominator", "hypothesis", "cost",
    "matches", "substitutions", "deletions", "insertions", "reference", "exact"
)  # fmt: skip
ONE_BEST_COLUMNS = ("hypothesis", "score", "numerator", "denominator", "cost")
_MARGIN_COLUMNS = ("hypothesis", "score", "numerator", "denominator", "cost", "exact", "bound", "scores")
_SIDES = {"oracle": "oracle", "one_best": "1-best"}


class AlsoOptions(Options):
    """Options for further results beside the oracles."""

    nbest: int | None = option(
        "--nbest K", "Also list the K best strings of each graph.", type=click.IntRange(1, MOST_STRINGS)
    )
    hope: tuple[float, ...] = option(
        "--hope W[,W…]", "Also find the string with the largest W · metric − cost, for each weight.", callback=weights
    )
    fear: tuple[float, ...] = option(
        "--fear W[,W…]", "Also find the string with the largest −W · metric − cost, for each weight.", callback=weights
    )
    worst: bool = flag("--worst", "Also find the string that scores worst.")
    on: Literal["rate", "numerator"] = choice(
        "--on", ["rate", "numerator"], "What the weights of --hope and --fear apply to."
    )
    score: str | None = SCORE
    alignment: bool = flag("--alignment", "Show the alignment of words in text output; json always has it.")
    tags: bool = flag("--tags", "Tag words as OK or BAD; text then has the tags of the 1-best only.")
    posteriors: bool = flag("--posteriors", "Show the posterior of each word.")
    posterior_scale: float = POSTERIOR_SCALE
    engine: str = ENGINE

    def refuse_contradictions(self, output_format: str) -> None:
        """Refuse options that the output format cannot show: text with tags is for other programs to read."""
        if self.tags and output_format == "text" and (self.alignment or self.nbest or self.posteriors):
            advice = "choose --format json, which has everything"
            raise UsageError("--tags writes only tags in text output", advice=advice)
        if self.alignment and output_format == "tsv":
            raise UsageError(
                "--alignment has no effect with --format tsv", advice="choose --format json, which always has it"
            )
        if not self.posteriors:
            refuse(["posterior_scale"], "without --posteriors")

    def wanted(self, *, graphs: bool) -> MarginOptions | None:
        """Return the margins to search in each graph; `None` if there are none."""
        if not (self.hope or self.fear):
            refuse(["on"], "without --hope and --fear")
        if not (self.nbest or self.hope or self.fear or self.worst or graphs):
            return None
        from latticemetric.batch.margins import MarginOptions

        return MarginOptions(self.nbest or 0, self.hope, self.fear, self.on, self.worst, graphs)


class BestGraphOptions(GraphFormatOptions):
    """Options for writing the graphs of all best paths."""

    write_lattices: str | None = option(
        "--write-lattices FILE",
        "Also write lattices or forests to FILE, in the format of its suffix.",
        type=GraphOutput("to_format"),
    )

    def check(self) -> None:
        """Check before the search that the graphs can be written."""
        from latticemetric.formats.registry import find_format, format_for_writing

        if self.write_lattices == STANDARD_OUTPUT:
            raise UsageError("results go to standard output", where="--write-lattices", advice="name a file")
        if self.write_lattices is not None:
            target = find_format(self.to_format) if self.to_format else format_for_writing(self.write_lattices)
            if not target.can_be_written:
                raise UsageError(f"{target.name} can only be read", where="--to")
            return
        given = {"--to": self.to_format, "--sum-scores": self.sum_scores, "--drop-labels": self.drop_labels}
        for name in (name for name, value in given.items() if value):
            raise UsageError("no lattices are written", where=name, advice="name a file: --write-lattices")

    def written(self, outcomes: Iterator[OracleAnswer], scales: dict[str, float]) -> Iterator[OracleAnswer]:
        """Yield the outcomes, and write their graphs after the last one."""
        if self.write_lattices is None:
            return outcomes
        from latticemetric.batch.answers import converted

        def best_graph(outcome: OracleAnswer) -> Graph | None:
            if outcome.margins is None or outcome.margins.graph is None:
                return None
            summed_by = scales if self.sum_scores else None
            return converted(outcome.margins.graph, summed_by=summed_by, drop_labels=self.drop_labels)

        return written_beside(outcomes, self.write_lattices, best_graph, self.to_format, if_none=False)


def write_rate_oracles(
    lattices: str,
    references: Sequence[str],
    *,
    rate: Callable[[], GRR],
    also: AlsoOptions,
    best: BestGraphOptions,
    reading: PairOptions,
    run: ShardedRunOptions,
    output: OutputOptions,
) -> None:
    """Search the graphs, and write their oracles."""
    from latticemetric.batch.oracles import OracleSums, oracles_of

    also.refuse_contradictions(output.output_format)
    metric = rate()
    scorer = string_scorer(also.score, metric, reading.normalize, each=not output.is_text)
    wanted = also.wanted(graphs=best.write_lattices is not None)
    best.check()
    pairs = reading.pairs(lattices, references, run.shard)
    failures = Failures(run.failures)
    with running(run, output.output) as started:
        outcomes = oracles_of(
            pairs,
            metric,
            started,
            scales=reading.weights,
            engine=also.engine,
            scorer=scorer,
            confidence=also.posterior_scale if also.posteriors else None,
            wanted=wanted,
        )
        results = OracleResults(
            best.written(failures.reported(outcomes), reading.weights),
            OracleSums(metric, len(references), scorer, wanted),
            also,
            normalize=reading.normalize,
            shard=run.shard,
        )
        output.write(results, at_once=run.keep_going and output.output_format != "json")
        failures.write()
    output.say_summary(results)
    failures.exit()


class OracleResults(Results):
    """Oracles, further results, and their sums.

    Args:
        outcomes: Outcomes in the order of the graphs; they are read once.
        sums: Sums, to which the outcomes are added as they are read.
        also: Options for further results.
        normalize: The grammar that both sides were normalized by.
        shard: The shard that this run works on, if any.
    """

    def __init__(
        self,
        outcomes: Iterable[OracleAnswer],
        sums: OracleSums,
        also: AlsoOptions | None = None,
        *,
        normalize: str | None = None,
        shard: ShardRun | None = None,
    ) -> None:
        self._outcomes, self._sums, self._shard = sums.counted(outcomes), sums, shard
        self._tags, self._alignment = (also.tags, also.alignment) if also is not None else (False, False)
        self._lists = [*(["tags", "gap_tags"] if self._tags else [])]
        self._lists += ["confidences"] if also is not None and also.posteriors else []
        self._sides = [] if sums.wanted is None else sums.wanted.sides
        self._nbest = sums.wanted is not None and bool(sums.wanted.nbest)
        self._metrics = [] if sums.strings is None else [metric.name for metric in sums.strings.scorer.metrics]
        self._signature = sums.metric.signature_for(sums.references).also(norm=normalize)

    def text(self) -> Iterator[str]:
        """Yield one line per graph, and further results below it; under `--tags`, only the tags of the 1-best."""
        for outcome in self._outcomes:
            oracle = outcome.oracle
            if self._tags:
                yield "" if oracle is None else " ".join(oracle.one_best.tags_with_gaps)
                continue
            if oracle is None:
                yield f"{harmless(outcome.name)}  failed"
                continue
            words: Sequence[str] = oracle.words
            if outcome.confidences is not None:
                words = [f"{word}:{p:.3f}" for word, p in zip(words, outcome.confidences.oracle, strict=True)]
            yield f"{padded_id(outcome.name)}  {_scored(oracle)}  {spoken(words)}"
            if self._alignment:
                yield from (f"    {harmless(line)}" for line in str(oracle.alignment).split("\n"))
                yield ""
            if outcome.margins is not None:
                yield from self._margin_lines(outcome.margins)

    def _margin_lines(self, margins: Margins) -> Iterator[str]:
        """Yield the strings that follow the oracle, then hope, fear and the worst string."""
        from latticemetric.oracle_search.margin import Hope

        for rank, best in enumerate(margins.nbest[1:], start=2):
            yield f"  {rank!s:<10}  {_scored(best)}  {spoken(best.words)}"
        for side in self._sides:
            margin = margins.found.get(side)
            if margin is None:
                yield f"  {side.name:<10}  {'failed':>7}"
                continue
            bound = None if isinstance(margin, Hope) or margin.exact else margin.bound
            note = "" if bound is None else f"  (not exact: bound {shown(bound)})"
            yield f"  {side.name:<10}  {_scored(margin)}  {spoken(margin.words)}{note}"

    def records(self) -> Iterator[Record]:
        """Yield an ITEM of the documented schema for each graph; its signature is in the document, once."""
        return map(self._record, self._outcomes)

    def _record(self, outcome: OracleAnswer) -> Record:
        record = outcome.asdict()
        record.pop("signature", None)
        if outcome.oracle is not None:
            record["alignment"] = outcome.oracle.alignment.edits
            if self._tags:
                record |= _tags(outcome.oracle)
                record["one_best"] |= _tags(outcome.oracle.one_best)
        return record

    @property
    def columns(self) -> list[str]:
        """Titles of the TSV columns."""
        both = [f"{prefix}{name}" for name in (*self._metrics, *self._lists) for prefix in ("", "one_best_")]
        sides = [f"{side.name.replace(' ', '_')}_{name}" for side in self._sides for name in _columns_of(side)]
        one_best = [f"one_best_{name}" for name in ONE_BEST_COLUMNS]
        return [*COLUMNS, *one_best, "error", *both, *(["nbest"] if self._nbest else []), *sides]

    def rows(self) -> Iterator[list[object]]:
        """Yield one row per graph."""
        for outcome in self._outcomes:
            record = self._record(outcome)
            one_best = record.get("one_best", {})
            scores = record.get("sentence_scores", {})
            row = [*values(record, COLUMNS), *values(one_best, ONE_BEST_COLUMNS), record.get("error")]
            row += [scores.get(name, {}).get(side) for name in self._metrics for side in _SIDES]
            row += [part.get(name) for name in self._lists for part in (record, one_best)]
            yield [*row, *self._margin_fields(outcome.margins)]

    def _margin_fields(self, margins: Margins | None) -> list[object]:
        fields: list[object] = []
        if self._nbest:
            nbest = () if margins is None else margins.nbest
            fields.append(" ||| ".join(" ".join(best.words) for best in nbest))
        for side in self._sides:
            margin = None if margins is None else margins.found.get(side)
            record = {} if margin is None else margin.asdict()
            record["scores"] = "" if margin is None else " ".join(f"{k}={v!r}" for k, v in margin.scores.items())
            fields += values(record, _columns_of(side))
        return fields

    def document(self) -> Iterator[str]:
        """Yield the document: items as they arrive, then the sums."""
        from latticemetric.batch.shards import document_end

        def end() -> str:
            state = {} if self._shard is None else {"sums": self._sums.state()}
            return document_end({"corpus": self._sums.corpus()}, self._shard, **state)

        return json_document({"signature": str(self._signature)}, {"lattices": self.records()}, end)

    def summary(self) -> list[str]:
        """Return the corpus in a few lines: oracle, 1-best, and the difference of their scores."""
        totals, metric = self._sums.totals, self._sums.metric
        margins = {} if self._sums.margins is None else self._sums.margins.sides
        sides = [(side.name, total.statistics) for side, total in margins.items()]
        rows = [["", metric.name, "", "matches", "subst.", "del.", "ins."]]
        for name, statistics in (("oracle", totals.best), ("1-best", totals.one_best), *sides):
            corpus = metric.corpus_score(statistics, self._sums.references)
            counts = [statistics.matches[0], statistics.substitutions, statistics.deletions, statistics.insertions]
            fraction = f"{shown(corpus.numerator)}/{corpus.denominator}"
            rows.append([name, shown(corpus.score), fraction, *map(str, counts)])
        best, one_best = metric.value(totals.best), metric.value(totals.one_best)
        if best is not None and one_best is not None:
            rows.append(["headroom", shown(abs(best - one_best)), *[""] * 5])
        notes = [f"{side.name}: {total.inexact} not exact" for side, total in margins.items() if total.inexact]
        alone = {side.name: total.failed - totals.failed for side, total in margins.items()}
        notes += [f"{name}: {number} failed" for name, number in alone.items() if number]
        failed = f", {totals.failed} failed" if totals.failed else ""
        scores = {} if self._sums.strings is None else self._sums.strings.asdict()
        return [
            "",
            *table(rows),
            *_string_table(scores),
            *notes,
            f"{counted(totals.lattices, 'lattice')}{failed}   {self._signature}",
            *(score["oracle"]["signature"] for score in scores.values()),
        ]


def _string_table(scores: dict[str, Any]) -> list[str]:
    """Return the corpus scores of extracted strings."""
    if not scores:
        return []
    rows = [[label, *(shown(score[side]["score"]) for score in scores.values())] for side, label in _SIDES.items()]
    return ["", *table([["", *scores], *rows])]


def _columns_of(side: MarginKind) -> list[str]:
    return [*(["value"] if side.weight is not None else []), *_MARGIN_COLUMNS]


def _scored(path: ScoredPath) -> str:
    counts = f"{shown(path.numerator)}/{path.denominator}"
    return f"{shown(path.score):>7}  {counts:>9}"


def _tags(path: ScoredPath) -> dict[str, list[str]]:
    return {"tags": list(path.tags), "gap_tags": list(path.tags_with_gaps[::2])}
