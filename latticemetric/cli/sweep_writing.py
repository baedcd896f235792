"""Results of `latticemetric sweep` as text, TSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from latticemetric.batch.shards import Part, document_end
from latticemetric.batch.sweep import LengthBin, Sweep, SweepRow
from latticemetric.cli.display import shown, table, tsv_field
from latticemetric.evaluation.intervals import Interval

_BOUNDS = ("low", "high", "half_width")
_OF_LENGTHS = ("above", "up_to", "graphs", "headroom")
_OF_ONE_BEST = ("score", "numerator", "denominator")
_TSV = [
    *("kind", "at", "score", "numerator", "denominator", "matches", "substitutions", "deletions", "insertions"),
    *("lost", "arcs", "density", "strings", *_BOUNDS, *_OF_LENGTHS),
]

Intervals = Sequence[Interval]


def text_lines(found: Sweep, intervals: Intervals, metric: str) -> Iterator[str]:
    """Tables for people."""
    has_arcs = any(row.arcs is not None for row in found.rows)
    header = ["", metric, "", "matches", "subst.", "del.", "ins.", "lost", *(["arcs", "density"] if has_arcs else [])]
    rows = [_text_row(row, interval, has_arcs=has_arcs) for row, interval in _beside(found.rows, intervals)]
    yield from table([header, *rows])
    if found.lengths:
        yield ""
        yield from table([["reference words", "graphs", "oracle", "1-best", "headroom"], *map(_length, found.lengths)])


def _text_row(row: SweepRow, interval: Interval | None, *, has_arcs: bool) -> list[str]:
    total, counts = row.total, row.total.statistics
    score = shown(total.score)
    if interval is not None and interval.half_width is not None:
        score += f" ± {interval.half_width:.4f}"
    numbers = [counts.matches[0], counts.substitutions, counts.deletions, counts.insertions, row.lost]
    sizes = ["" if size is None else f"{size:.1f}" for size in (row.arcs, row.density)] if has_arcs else []
    return [_named(row), score, f"{shown(total.numerator)}/{total.denominator}", *map(str, numbers), *sizes]


def _named(row: SweepRow) -> str:
    """A point, as people call it."""
    if row.at is None:
        return {"one_best": "1-best", "whole": "whole"}[row.kind]
    return f"{row.kind} {row.at if isinstance(row.at, int) else format(row.at, 'g')}"


def _length(one: LengthBin) -> list[str]:
    return [one.label, str(one.graphs), *map(shown, (one.oracle.score, one.one_best.score, one.headroom))]


def tsv_lines(found: Sweep, intervals: Intervals, _metric: str) -> Iterator[str]:
    """A row a point, then a row a bin; what does not apply is empty."""
    yield "\t".join([*_TSV, *(f"one_best_{name}" for name in _OF_ONE_BEST)])
    for item in _items(found, intervals):
        one_best = item.get("one_best", {})
        values = [*(item.get(name) for name in _TSV), *(one_best.get(name) for name in _OF_ONE_BEST)]
        yield "\t".join(map(tsv_field, values))


def jsonl_lines(found: Sweep, intervals: Intervals, _metric: str) -> Iterator[str]:
    """An object a point, then an object a bin."""
    yield from map(_as_json, _items(found, intervals))


def json_lines(found: Sweep, intervals: Intervals, part: Part | None = None, **of_part: Any) -> Iterator[str]:
    """One document, an item a line; of a shard, with what `merge` has to know."""
    head = found.asdict()
    lengths = head.pop("lengths")
    head.pop("rows")
    yield _as_json(head)[:-1] + ', "rows": ['
    yield ",\n".join(map(_as_json, _rows(found, intervals)))
    yield '], "lengths": ['
    yield ",\n".join(map(_as_json, lengths))
    yield document_end({}, part, **of_part)


LINES = {"text": text_lines, "tsv": tsv_lines, "jsonl": jsonl_lines}


def footer(found: Sweep, intervals: Intervals, seed: int) -> list[str]:
    """What a reader of the tables has to know."""
    notes = ["1 graph" if found.graphs == 1 else f"{found.graphs} graphs"]
    notes += [f"{found.failed} failed"] if found.failed else []
    if intervals:
        drawn = intervals[0]
        notes.append(f"± {100 * drawn.confidence:g} % of {drawn.resamples} resamples, seed {seed}")
    return ["", "; ".join(notes), found.signature]


def _rows(found: Sweep, intervals: Intervals) -> list[dict[str, Any]]:
    rows = []
    for row, interval in _beside(found.rows, intervals):
        bounds = {} if interval is None else {name: getattr(interval, name) for name in _BOUNDS}
        rows.append({**row.asdict(), **bounds})
    return rows


def _items(found: Sweep, intervals: Intervals) -> list[dict[str, Any]]:
    return [*_rows(found, intervals), *(one.asdict() for one in found.lengths)]


def _beside(rows: Sequence[SweepRow], intervals: Intervals) -> Iterator[tuple[SweepRow, Interval | None]]:
    return zip_longest(rows, intervals)  # there may be none


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
