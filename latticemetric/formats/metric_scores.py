"""Read metric scores from files: mt-metrics-eval's `.seg.score` and `.sys.score`, TSV, JSON lines, Parquet.

A table has the columns `system` and `segment` (empty: the whole system), and one column per metric, or the columns
`metric` and `score`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.display.cells import Unread
from latticemetric.errors import FormatError, UsageError, placed, shortened
from latticemetric.formats.streams.compression import without_compression
from latticemetric.formats.streams.paths import natural_order
from latticemetric.formats.streams.stream import open_stream
from latticemetric.formats.text.fields import is_number
from latticemetric.formats.text.json import object_of

Floats = npt.NDArray[np.float64]

_LEVELS = (".seg.score", ".sys.score")
_ID_COLUMNS = ("system", "segment")


@dataclass
class MetricScores:
    """Scores of one metric; a missing score is NaN.

    Attributes:
        segments: One row per system, one column per segment; `None` if the files have no scores of segments.
        systems: The score of each system; `None` if the files have none (use the mean over segments).
    """

    segments: Floats | None = None
    systems: Floats | None = None


@dataclass
class _Collected:
    """The scores read so far."""

    systems: dict[str, int]
    segments: dict[str, int]
    metrics: dict[str, MetricScores] = field(default_factory=dict)
    seen: set[tuple[str, str, str]] = field(default_factory=set)

    def add(self, metric: str, system: str, segment: str, score: float, place: str) -> None:
        """Add a score; ignore a system that is not in the test set."""
        if system not in self.systems:
            return
        if segment and segment not in self.segments:
            advice = f"segments are numbered from 1 to {len(self.segments)}, or have the test set's ids"
            raise FormatError(f"there is no segment '{shortened(segment)}'", where=place, advice=advice)
        if (metric, system, segment) in self.seen:
            what = f"{metric} has two scores for {shortened(system)}{f', segment {segment}' if segment else ''}"
            raise FormatError(what, where=place, advice="keep one of them")
        self.seen.add((metric, system, segment))
        scores = self.metrics.setdefault(metric, MetricScores())
        if segment:
            if scores.segments is None:
                scores.segments = np.full((len(self.systems), len(self.segments)), np.nan)
            scores.segments[self.systems[system], self.segments[segment]] = score
            return
        if scores.systems is None:
            scores.systems = np.full(len(self.systems), np.nan)
        scores.systems[self.systems[system]] = score


def read_metric_scores(
    paths: Sequence[str], systems: Sequence[str], segments: Sequence[str]
) -> dict[str, MetricScores]:
    """Read the scores of metrics.

    Args:
        paths: Files. `NAME.seg.score` and `NAME.sys.score` have scores of the metric NAME.
        systems: Names of the systems; other systems in the files are left out.
        segments: Ids of the segments.

    Raises:
        FormatError: A score is not a number, a segment is unknown, or no system of the test set has a score.
    """
    found = _Collected({name: k for k, name in enumerate(systems)}, {name: k for k, name in enumerate(segments)})
    for path in paths:
        before = len(found.seen)
        name = without_compression(Path(path).name)
        if name.endswith(_LEVELS):
            _read_score_file(path, name, found, segments)
        else:
            _read_table(path, name, found)
        if len(found.seen) == before:
            advice = f"use these names of systems: {', '.join(systems)}"
            raise FormatError("no system of the test set has a score", where=path, advice=advice)
    return found.metrics


def score_files(path: str) -> list[str]:
    """Return the score files of a folder; if `path` is a file, return only this file."""
    if not Path(path).is_dir():
        return [path]
    files = [file for file in Path(path).iterdir() if without_compression(file.name).endswith(_LEVELS)]
    if not files:
        what, advice = "the folder has no scores", "its files need names like NAME.seg.score or NAME.sys.score"
        raise FormatError(what, where=path, advice=advice)
    return sorted(map(str, files), key=natural_order)


def _read_score_file(path: str, name: str, found: _Collected, segments: Sequence[str]) -> None:
    """Read lines of system and score; the k-th line of a system is the score of segment k."""
    metric, level = name[: -len(_LEVELS[0])], name[-len(_LEVELS[0]) :]
    of_segments = level == _LEVELS[0]
    turns: dict[str, int] = {}
    for place, line in _lines(path):
        fields = line.split()
        if len(fields) != 2:  # noqa: PLR2004  a system and its score
            raise FormatError(f"the line has {len(fields)} fields", where=place, advice="give a system and its score")
        system, text = fields
        turn = turns[system] = turns.get(system, -1) + 1
        if of_segments and turn >= len(segments):
            what = f"{shortened(system)} has more than {len(segments)} scores"
            raise FormatError(what, where=place, advice="give one line per segment: its score, or None")
        found.add(metric, system, segments[turn] if of_segments else "", _score(text, place), place)
    for system, last in turns.items():
        if of_segments and system in found.systems and last + 1 != len(segments):
            what = f"{shortened(system)} has {last + 1} scores, but the test set has {len(segments)} segments"
            raise FormatError(what, where=path, advice="give one line per segment: its score, or None")


def _read_table(path: str, name: str, found: _Collected) -> None:
    for place, row in _records(path, name):
        if "system" not in row:
            raise FormatError("there is no field 'system'", where=place, advice="name the system of each score")
        system, segment = (_name(row, key, place) for key in ("system", "segment"))
        if "metric" in row and "score" in row:
            scores = {_name(row, "metric", place): row["score"]}
        else:
            scores = {key: value for key, value in row.items() if key not in _ID_COLUMNS}
        if not scores:
            raise FormatError("there is no column of scores", where=place, advice="add one with the name of its metric")
        for metric, value in scores.items():
            score = _score(value, place)
            if not math.isnan(score) or segment:
                found.add(metric, system, segment, score, place)


def _records(path: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a table, with their places."""
    if name.endswith(".parquet"):
        yield from _records_of_parquet(path)
        return
    if name.endswith((".jsonl", ".ndjson")):
        yield from _records_of_lines(path)
        return
    lines = _lines(path)
    header = next(lines, ("", ""))[1].split("\t")
    if len(set(header)) < len(header):
        raise FormatError("two columns have the same name", where=f"{path}:1", advice="rename one")
    for place, line in lines:
        fields = line.split("\t")
        if len(fields) != len(header):
            what = f"the row has {len(fields)} fields, but the header has {len(header)}"
            raise FormatError(what, where=place, advice="separate fields by one tab")
        yield place, dict(zip(header, fields, strict=True))


def _records_of_parquet(path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    from latticemetric.display.arrow import values_of
    from latticemetric.formats.arrow_files import PARQUET_MAGIC, table_slices

    with open_stream(path) as stream:
        if not stream.head().startswith(PARQUET_MAGIC):
            raise FormatError("this is not a Parquet file", where=path, advice="give it the suffix of its format")
        for before, rows in table_slices(stream, lambda _: True):
            cells = zip(*map(values_of, rows.columns), strict=True)
            for k, row in enumerate(cells, start=before + 1):
                yield f"{path}, row {k}", dict(zip(rows.schema.names, row, strict=True))


def _records_of_lines(path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for place, line in _lines(path):
        try:
            with placed(place):
                record = json.loads(line, object_pairs_hook=object_of)
        except FormatError:
            raise
        except (ValueError, RecursionError) as error:
            raise FormatError(f"the line is not JSON: {shortened(str(error))}", where=place) from error
        if not isinstance(record, dict):
            raise FormatError("the line is not an object", where=place, advice='write {"system": …, "segment": …}')
        yield place, record


def _lines(path: str) -> Iterator[tuple[str, str]]:
    with open_stream(path) as stream:
        for line in stream.lines():
            if line.strip():
                yield stream.place(), line


def _name(row: Mapping[str, Any], key: str, place: str) -> str:
    """Return the name in a field; refuse values of which the text is not certain, such as bytes and dates."""
    value = row.get(key)
    if value is None or (isinstance(value, str | int) and not isinstance(value, bool)):
        return _text(value)
    kind = value.type if isinstance(value, Unread) else type(value).__name__
    what = f"{key} is of the type {kind}"
    raise FormatError(what, where=place, advice="convert the column to strings or integers")


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()


def _score(value: object, place: str) -> float:
    """Read a score; return NaN if it is missing."""
    text = value.type if isinstance(value, Unread) else _text(value)
    if text in {"", "None", "NA", "nan", "NaN"}:
        return math.nan
    if isinstance(value, bool) or not is_number(text):
        raise FormatError(
            f"'{shortened(text)}' is not a score", where=place, advice="write None if a segment has no score"
        )
    return float(text)


# ---- Writing ----


def write_metric_scores(
    path: str, metrics: Mapping[str, MetricScores], systems: Sequence[str], segments: Sequence[str]
) -> None:
    """Write scores in a format that `read_metric_scores` reads.

    If `path` ends in `.tsv`, `.jsonl` or `.parquet`, write a table. Otherwise, write a folder with the files
    `METRIC.seg.score` and `METRIC.sys.score` of each metric.
    """
    from latticemetric.formats.streams.output import atomic_output

    def save(name: str, lines: Iterable[str]) -> None:
        with atomic_output(name) as file:
            file.writelines((line + "\n").encode("utf-8") for line in lines)

    names = list(metrics)
    if path.endswith(".parquet"):
        from latticemetric.display.cells import require_arrow
        from latticemetric.display.frames import as_arrow

        require_arrow()
        from pyarrow import parquet

        parquet.write_table(as_arrow(_rows(metrics, systems, segments)), path)
    elif path.endswith(".jsonl"):
        save(path, (json.dumps(row, ensure_ascii=False) for row in _rows(metrics, systems, segments)))
    elif path.endswith(".tsv"):
        rows = (
            [_number(row[key], "") for key in ("system", "segment", *names)]
            for row in _rows(metrics, systems, segments)
        )
        save(path, ("\t".join(row) for row in ([["system", "segment", *names], *rows])))
    else:
        if Path(path).is_file():
            raise UsageError(
                "this is a file, not a folder", where=path, advice="name a folder, or a .tsv, .jsonl or .parquet file"
            )
        Path(path).mkdir(parents=True, exist_ok=True)
        for name, scores in metrics.items():
            if scores.segments is not None:
                cells = zip(systems, scores.segments.tolist(), strict=True)
                save(f"{path}/{name}.seg.score", (f"{s}\t{_number(v)}" for s, row in cells for v in row))
            if scores.systems is not None:
                cells = zip(systems, scores.systems.tolist(), strict=True)
                save(f"{path}/{name}.sys.score", (f"{s}\t{_number(v)}" for s, v in cells))


def _number(value: object, missing: str = "None") -> str:
    return missing if value is None or (isinstance(value, float) and math.isnan(value)) else str(value)


def _rows(
    metrics: Mapping[str, MetricScores], systems: Sequence[str], segments: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield one record per system and segment, then one per system."""

    def value(scores: Floats | None, *at: int) -> float | None:
        found = math.nan if scores is None else float(scores[at])
        return None if math.isnan(found) else found

    for s, system in enumerate(systems):
        for k, segment in enumerate(segments):
            scores = {name: value(one.segments, s, k) for name, one in metrics.items()}
            yield {"system": system, "segment": segment, **scores}
    for s, system in enumerate(systems):
        yield {"system": system, "segment": None, **{n: value(one.systems, s) for n, one in metrics.items()}}
