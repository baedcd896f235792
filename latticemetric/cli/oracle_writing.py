"""Results of `lattice-oracle` as text, TSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from latticemetric.batch.outcomes import Outcome
from latticemetric.batch.shards import document_end
from latticemetric.batch.totals import OracleSums
from latticemetric.cli.display import named, shown, table, tsv_field
from latticemetric.errors import harmless

if TYPE_CHECKING:
    from latticemetric.batch.shards import Part
    from latticemetric.cli.extreme_writing import ExtremeWriter
    from latticemetric.oracle_search.scored_path import Oracle, ScoredPath

_SIDES = ("oracle", "one_best")
TSV_COLUMNS = [
    "id",
    "score",
    "numerator",
    "denominator",
    "hypothesis",
    "cost",
    "matches",
    "substitutions",
    "deletions",
    "insertions",
    "reference",
    "exact",
]
TSV_ONE_BEST = ["hypothesis", "score", "numerator", "denominator", "cost"]


class Writer:
    """Outcomes as lines of one of the output formats, and their totals."""

    def __init__(
        self,
        sums: OracleSums,
        *,
        alignment: bool = False,
        tags: bool = False,
        confidence: bool = False,
        normalize: str | None = None,
        shard: Part | None = None,
    ) -> None:
        self._sums, self._shard = sums, shard
        self._extremes: ExtremeWriter | None = None
        if sums.wanted is not None:
            from latticemetric.cli.extreme_writing import ExtremeWriter

            self._extremes = ExtremeWriter(sums.wanted)
        self._signature = sums.metric.signature_for(sums.references).also(norm=normalize)
        self._alignment, self._tags, self._confidence = alignment, tags, confidence

    def lines(self, outcomes: Iterable[Outcome], output_format: str) -> Iterator[str]:
        """The results as lines; totals are known when all of them have been taken."""
        text = self._tagged if self._tags else self._text
        writers = {"text": text, "tsv": self._tsv, "json": self._json, "jsonl": self._jsonl}
        yield from writers[output_format](self._counted(outcomes))

    def _counted(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        for outcome in outcomes:
            self._sums.add(outcome)
            yield outcome

    def _text(self, outcomes: Iterable[Outcome]) -> Iterator[str]:
        for outcome in outcomes:
            best = outcome.oracle
            if best is None:
                yield f"{harmless(outcome.name)}  failed"
                continue
            counts = f"{shown(best.numerator)}/{best.denominator}"
            words = harmless(" ".join(_spoken(outcome, best))) or "(no words)"
            yield f"{named(outcome.name)}  {shown(best.score):>7}  {counts:>9}  {words}"
            if self._alignment:
                yield from (f"    {harmless(line)}" for line in str(best.alignment).split("\n"))
                yield ""
            if self._extremes is not None and outcome.margins is not None:
                yield from self._extremes.lines(outcome.margins)

    def _tagged(self, outcomes: Iterable[Outcome]) -> Iterator[str]:
        """The 1-best's tags, gaps at even places, as tools for quality estimation read them."""
        for outcome in outcomes:
            yield "" if outcome.oracle is None else " ".join(outcome.oracle.one_best.tags_with_gaps)

    def _tsv(self, outcomes: Iterable[Outcome]) -> Iterator[str]:
        strings = self._sums.strings
        metrics = [] if strings is None else [metric.name for metric in strings.scorer.metrics]
        appended = [f"{prefix}{name}" for name in metrics for prefix in ("", "one_best_")]
        lists = [*(["tags", "gap_tags"] if self._tags else []), *(["confidences"] if self._confidence else [])]
        appended += [f"{prefix}{name}" for name in lists for prefix in ("", "one_best_")]
        if self._extremes is not None:
            appended += self._extremes.columns()
        yield "\t".join([*TSV_COLUMNS, *(f"one_best_{name}" for name in TSV_ONE_BEST), "error", *appended])
        for outcome in outcomes:
            item = _item(outcome, tags=self._tags)
            one_best = item.get("one_best", {})
            values = [item.get(name) for name in TSV_COLUMNS] + [one_best.get(name) for name in TSV_ONE_BEST]
            scores = item.get("sentence_scores", {})
            values += [item.get("error"), *(scores.get(name, {}).get(side) for name in metrics for side in _SIDES)]
            values += [" ".join(map(str, part.get(name, []))) for name in lists for part in (item, one_best)]
            if self._extremes is not None:
                values += self._extremes.fields(outcome.margins)
            yield "\t".join(map(tsv_field, values))

    def _jsonl(self, outcomes: Iterable[Outcome]) -> Iterator[str]:
        for outcome in outcomes:
            yield _as_json(_item(outcome, tags=self._tags))

    def _json(self, outcomes: Iterable[Outcome]) -> Iterator[str]:
        """One document, whose items are written as they come; what sums them up follows them."""
        yield '{"signature": ' + _as_json(str(self._signature)) + ', "lattices": ['
        before = ""
        for outcome in outcomes:
            yield before + _as_json(_item(outcome, tags=self._tags))
            before = ","
        sums = {} if self._shard is None else {"sums": self._sums.state()}
        yield document_end({"corpus": self._sums.corpus()}, self._shard, **sums)

    def summary(self) -> list[str]:
        """The corpus in a few lines: oracle, 1-best, and what lies between them."""
        totals, metric = self._sums.totals, self._sums.metric
        rows = [["", metric.name, "", "matches", "subst.", "del.", "ins."]]
        extremes = {} if self._sums.margins is None else self._sums.margins.sides
        sides = [(side.name, total.statistics) for side, total in extremes.items()]
        for name, statistics in (("oracle", totals.best), ("1-best", totals.one_best), *sides):
            corpus = metric.corpus_score(statistics, self._sums.references)
            counts = (
                statistics.matches[0],
                statistics.substitutions,
                statistics.deletions,
                statistics.insertions,
            )
            fraction = f"{shown(corpus.numerator)}/{corpus.denominator}"
            rows.append([name, shown(corpus.score), fraction, *map(str, counts)])
        best, one_best = metric.value(totals.best), metric.value(totals.one_best)
        if best is not None and one_best is not None:
            rows.append(["headroom", shown(abs(best - one_best)), *[""] * 5])
        notes = [f"{side.name}: {total.inexact} not exact" for side, total in extremes.items() if total.inexact]
        alone = {side.name: total.failed - totals.failed for side, total in extremes.items()}
        notes += [f"{name}: {number} failed" for name, number in alone.items() if number]
        failed = f", {totals.failed} failed" if totals.failed else ""
        lattices = "1 lattice" if totals.lattices == 1 else f"{totals.lattices} lattices"
        scores = {} if self._sums.strings is None else self._sums.strings.asdict()
        return [
            "",
            *table(rows),
            *_string_table(scores),
            *notes,
            f"{lattices}{failed}   {self._signature}",
            *(found["oracle"]["signature"] for found in scores.values()),
        ]


def _string_table(scores: dict[str, Any]) -> list[str]:
    """What sentence metrics say of the corpus."""
    if not scores:
        return []
    labels = {"oracle": "oracle", "one_best": "1-best"}
    rows = [[labels[side], *(shown(found[side]["score"]) for found in scores.values())] for side in _SIDES]
    return ["", *table([["", *scores], *rows])]


def _item(outcome: Outcome, *, tags: bool) -> dict[str, Any]:
    """An ITEM of the documented schema; the document says the signature once."""
    item = outcome.asdict()
    item.pop("signature", None)
    if outcome.oracle is not None:
        item["alignment"] = outcome.oracle.alignment.edits
        if tags:
            item |= _tags(outcome.oracle)
            item["one_best"] |= _tags(outcome.oracle.one_best)
    return item


def _tags(path: ScoredPath) -> dict[str, list[str]]:
    return {"tags": list(path.tags), "gap_tags": list(path.tags_with_gaps[::2])}


def _spoken(outcome: Outcome, best: Oracle) -> Sequence[str]:
    """The oracle's words, with their confidences where they were asked for."""
    if outcome.confidences is None:
        return best.words
    return [f"{word}:{p:.3f}" for word, p in zip(best.words, outcome.confidences.oracle, strict=True)]


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
