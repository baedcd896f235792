"""Lines of results that were found together, written by a kernel for all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from latticemetric.display.record_columns import TextColumn, decimals, json_lines, lines_of, right_aligned, tsv_lines

if TYPE_CHECKING:
    from latticemetric.corpus.oracle_columns import FoundOracles


Lines = Sequence[str | None]
"""The lines of results that were found together; `None` for those that must be written one by one."""


Found = TypeVar("Found")


class ReadyLines(Generic[Found]):
    """The lines of answers. Those of answers that were found together are written once the first of them is needed."""

    def __init__(self, write: Callable[[Found], Lines]) -> None:
        """Take the function that writes the lines of results that were found together."""
        self._write = write
        self._found: Found | None = None
        self._lines: Lines = ()

    def of(self, found: Found, rows: range) -> Lines:
        """Return the lines of some results; `None` for those that must be written one by one."""
        if found is not self._found:
            self._found, self._lines = found, self._write(found)
        return self._lines[rows.start : rows.stop]


def as_json_lines(found: FoundOracles, metric: str = "") -> Lines:
    """Return oracles as lines of JSON, with the name of the metric if it is given."""
    names: dict[str, Any] = {"id": found.lattices.names} | ({"metric": [metric] * len(found)} if metric else {})
    return where_written(found.is_written, lambda: json_lines(len(found), names | found.fields()))


def as_tsv_lines(
    found: FoundOracles, columns: Sequence[str], one_best_columns: Sequence[str], metric: str = ""
) -> Lines:
    """Return oracles as lines of TSV: these fields, those of the 1-best, and an empty field for the error.

    The name of the metric follows the id, if it is given.
    """

    def written() -> TextColumn:
        fields: dict[str, Any] = {"id": found.lattices.names, **found.fields()}
        first, *others = [fields[name] for name in columns]
        one_best = [fields["one_best"][name] for name in one_best_columns]
        return tsv_lines(len(found), [first, *([[metric] * len(found)] if metric else []), *others, *one_best, None])

    return where_written(found.is_written, written)


def as_scored_words(found: FoundOracles, *, percent: bool) -> Lines:
    """Return the rate, the counts and the words of each oracle, as text tables show them."""
    number, fields = len(found), found.fields()
    score, numerator, words = fields["score"], fields["numerator"].values, fields["hypothesis"]
    is_shown = found.is_written & ~np.isnan(score) & (numerator == np.trunc(numerator)) & (np.diff(words.begin) > 0)

    def written() -> TextColumn:
        rate = decimals(100 * score, 2, b"%") if percent else decimals(score, 4)
        counts = [("whole", numerator, b""), b"/", ("integers", fields["denominator"])]
        columns = right_aligned(number, rate, 7), b"  ", right_aligned(number, counts, 9), b"  ", ("text", *words)
        return lines_of(number, columns)

    return where_written(is_shown, written)


def where_written(is_written: npt.NDArray[np.bool_], write: Callable[[], TextColumn]) -> Lines:
    """Return the lines where they are to be written; `None` elsewhere."""
    if not is_written.any():
        return [None] * len(is_written)
    lines = write().strings()
    return lines if is_written.all() else [line if is_ else None for line, is_ in zip(lines, is_written, strict=True)]
