"""One table with everything: a row a system, segment and judge."""

from __future__ import annotations

from typing import TypeVar

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.judged.tables import numbers, read_rows, score_columns
from latticemetric.formats.judged.test_set import JudgedSystems, JudgmentRows

_IDS = ("system", "segment", "judge")
_TEXT = "hypothesis"
_REFERENCE = "reference"

T = TypeVar("T")


def read_long_table(path: str) -> JudgedSystems:
    """Reads a table with the columns `system`, `segment`, `hypothesis`, `reference…`, perhaps `judge`, and scores.

    Raises:
        FormatError: A system lacks a segment, or rows of one disagree about its texts.
    """
    listed = list(read_rows(path, ("system", "segment", _TEXT, _REFERENCE)))
    references = [name for name in (listed[0][1] if listed else ()) if name.startswith(_REFERENCE)]
    columns = score_columns(listed, (*_IDS, _TEXT, *references), path)
    outputs: dict[str, dict[str, str]] = {}
    expected: dict[str, tuple[str, ...]] = {}
    for place, row in listed:
        system, segment = row["system"], row["segment"]
        if not segment:
            raise FormatError("the row names no segment", where=place, advice="fill in its id")
        _agree(outputs.setdefault(system, {}), segment, row[_TEXT], f"the output of {system}", place)
        _agree(expected, segment, tuple(row[name] for name in references), "the reference", place)
    _require_all(outputs, expected, path)
    judged = JudgmentRows(list(outputs), list(expected), columns)
    for place, row in listed:
        judged.add(row["system"], row["segment"], row.get("judge", ""), numbers(row, columns, place), place)
    texts = tuple(tuple(own[segment] for segment in expected) for own in outputs.values())
    return JudgedSystems(tuple(outputs), tuple(expected), texts, tuple(expected.values()), judged.judgments(path))


def _agree(known: dict[str, T], segment: str, value: T, what: str, place: str) -> None:
    if known.setdefault(segment, value) != value:
        raise FormatError(
            f"{what} for segment '{shortened(segment)}' is another one than in a row before",
            where=place,
            advice="every row of a segment repeats it",
        )


def _require_all(outputs: dict[str, dict[str, str]], segments: dict[str, tuple[str, ...]], path: str) -> None:
    for system, own in outputs.items():
        lacking = [segment for segment in segments if segment not in own]
        if lacking:
            raise FormatError(
                f"system {system} has {len(own)} segments of {len(segments)}: '{shortened(lacking[0])}' is missing",
                where=path,
                advice="give a row for each; its scores may be empty",
            )
