"""Results of `latticemetric score` as text, TSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from latticemetric.cli.display import shown, table, tsv_field
from latticemetric.errors import harmless
from latticemetric.evaluation.scoring import SystemScore, Tabled, corpus_scores
from latticemetric.metrics.base import GraphText
from latticemetric.metrics.explanation import explain

_TSV = ("system", "metric", "score", "low", "high", "half_width", "undefined")
_TSV_COMPARISON = ("difference", "low", "high", "half_width", "p_bootstrap", "p_randomisation")

Rows = Sequence[Sequence[Tabled]]


@dataclass(frozen=True)
class Report:
    """What was scored, and how it was resampled."""

    systems: tuple[str, ...]
    references: int
    ids: tuple[str, ...]
    resamples: int
    seed: int
    confidence: float
    short_signature: bool


# --- The corpus


def corpus_lines(tabled: Rows, report: Report, output_format: str) -> Iterator[str]:
    """Corpus values, with intervals and comparisons."""
    scores = corpus_scores(tabled, resamples=report.resamples, seed=report.seed, confidence=report.confidence)
    if output_format == "text":
        yield from _corpus_table(scores, report.systems)
        return
    items = [score.asdict(short_signature=report.short_signature) for score in chain.from_iterable(scores)]
    if output_format == "tsv":
        yield from _corpus_tsv(items)
    elif output_format == "jsonl":
        yield from map(_as_json, items)
    else:
        drawn = {name: getattr(report, name) for name in ("resamples", "seed", "confidence")}
        yield from _document({**_sizes(report), **drawn}, "scores", items)


def _corpus_table(scores: Sequence[Sequence[SystemScore]], names: Sequence[str]) -> Iterator[str]:
    metrics = [score.tabled.metric for score in scores[0]]
    blank = "  " if len(scores) > 1 else ""
    rows = [["", *(f"{metric.name} {'↑' if metric.higher_is_better else '↓'}{blank}" for metric in metrics)]]
    best = [_best(column) for column in zip(*scores, strict=True)]
    for name, row in zip(names, scores, strict=True):
        marks = [" *" if blank and score.score == top else blank for score, top in zip(row, best, strict=True)]
        values = [_with_interval(score.score, score.interval.half_width if score.interval else None) for score in row]
        rows.append([harmless(name), *(value + mark for value, mark in zip(values, marks, strict=True))])
        rows += _comparison_rows(row)
    yield from table(rows)


def _best(column: Sequence[SystemScore]) -> float | None:
    values = [score.score for score in column if score.score is not None]
    choose = max if column[0].tabled.metric.higher_is_better else min
    return choose(values, default=None)


def _comparison_rows(row: Sequence[SystemScore]) -> list[list[str]]:
    if row[0].comparison is None:
        return []
    items = [score.comparison.asdict() for score in row if score.comparison]
    rows = [["  difference", *(_with_interval(i["difference"], i["half_width"], sign="+") + "  " for i in items)]]
    if row[0].comparison.bootstrap is not None:
        for name, label in (("p_bootstrap", "  p, bootstrap"), ("p_randomisation", "  p, randomisation")):
            rows.append([label, *(shown(item[name]) + "  " for item in items)])
    return rows


def _with_interval(value: float | None, half_width: float | None, sign: str = "") -> str:
    text = shown(value) if value is None or not sign else f"{value:{sign}.4f}"
    return text if half_width is None else f"{text} ± {half_width:.4f}"


def _corpus_tsv(items: Sequence[dict[str, Any]]) -> Iterator[str]:
    differences = [name if name.startswith(("p_", "difference")) else f"difference_{name}" for name in _TSV_COMPARISON]
    yield "\t".join([*_TSV, *differences, "signature"])
    for item in items:
        comparison = item["comparison"] or {}
        values = [item[name] for name in _TSV] + [comparison.get(name) for name in _TSV_COMPARISON]
        yield "\t".join(map(tsv_field, [*values, item["signature"]]))


# --- Sentences


def sentence_lines(tabled: Rows, report: Report, output_format: str) -> Iterator[str]:
    """A value a segment, for each system and metric."""
    names = [one.metric.name for one in tabled[0]]
    items = _sentence_items(tabled, report)
    if output_format in {"text", "tsv"}:
        rows = ([item["segment"], item["system"], *item["scores"].values()] for item in items)
        header = ["segment", "system", *names]
        if output_format == "tsv":
            yield from ("\t".join(map(tsv_field, row)) for row in chain([header], rows))
        else:
            yield from _sentence_table(header, rows, several=len(tabled) > 1)
    elif output_format == "jsonl":
        yield from map(_as_json, items)
    else:
        signatures = {one.metric.name: one.signature.format(short=report.short_signature) for one in tabled[0]}
        yield from _document({**_sizes(report), "signatures": signatures}, "sentences", items)


def _sentence_items(tabled: Rows, report: Report) -> Iterator[dict[str, Any]]:
    names = [one.metric.name for one in tabled[0]]
    values = [list(zip(*(one.sentences() for one in row), strict=True)) for row in tabled]
    for segment, each in zip(report.ids, zip(*values, strict=True), strict=True):
        for system, scores in zip(report.systems, each, strict=True):
            yield {"segment": segment, "system": system, "scores": dict(zip(names, scores, strict=True))}


def _sentence_table(header: list[str], rows: Iterator[list[Any]], *, several: bool) -> list[str]:
    kept = [header, *([shown(cell) for cell in row] for row in rows)]
    if several:
        return table(kept, left=(0, 1))
    return table([[row[0], *row[2:]] for row in kept])


LEVELS = {"corpus": corpus_lines, "sentence": sentence_lines}


# --- One segment


def explanations(tabled: Rows, texts: Sequence[GraphText], at: int) -> Iterator[str]:
    """What each metric counts in one segment, for each system; the texts of systems come before references."""
    references = list(texts[len(tabled) :])
    for row, candidate in zip(tabled, texts, strict=False):
        for one in row:
            drawing = explain(one.metric, candidate, references) or "(this metric draws nothing)"
            yield f"{harmless(one.system)}: {one.metric.name} {shown(one.sentences()[at])}"
            yield from (f"    {harmless(line)}" for line in drawing.split("\n"))
            yield ""


# --- What goes with them


def footer(tabled: Rows, report: Report, *, resampled: bool) -> list[str]:
    """What a reader of a table has to know."""
    notes = [f"{_number(len(report.ids), 'segment')}, {_number(report.references, 'reference')}"]
    if resampled and report.resamples:
        notes.append(f"± {100 * report.confidence:g} % of {report.resamples} resamples, seed {report.seed}")
    if resampled and len(tabled) > 1:
        notes.append(f"* best; differences from {harmless(report.systems[0])}")
    signatures = (one.signature.format(short=report.short_signature) for one in tabled[0])
    return ["", "; ".join(notes), *map(harmless, signatures)]


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _sizes(report: Report) -> dict[str, Any]:
    return {"baseline": report.systems[0], "segments": len(report.ids), "references": report.references}


def _document(head: dict[str, Any], name: str, items: Any) -> Iterator[str]:
    """One document, an item a line."""
    yield f"{_as_json(head)[:-1]}, {_as_json(name)}: ["
    yield ",\n".join(map(_as_json, items))
    yield "]}"


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
