"""Read word-level quality tags (OK, BAD) in the formats of WMT's tasks: lines of tags, or a table with tabs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.streams.stream import open_stream, warn
from latticemetric.line_ids import listed_names, mismatch
from latticemetric.vocabulary import split_words

_TAGS = {"OK": False, "BAD": True}
_WORDS, _GAPS = frozenset({"mt", "target", "word", "words"}), frozenset({"gap", "gaps"})
# Method, segment, index, word and tag.
_FEWEST_FIELDS = 5
_PAIR = re.compile(r"[a-z]{2,3}-[a-z]{2,3}")
_DOTTED = re.compile(r"[0-9]+\.[0-9]+")  # ids of segments as in WMT14: sentence, translation


class TagLines(NamedTuple):
    """The tags of a file, segment by segment.

    Attributes:
        bad: True for each tag that is BAD.
        begin: The index of the first tag of each segment, and the end of the last segment.
        gaps: True if the gaps around n words also have tags (2n + 1 tags); `None` if unknown, as in lines of tags.
        ids: The id at the beginning of each line; `None` if lines hold only tags.
    """

    bad: npt.NDArray[np.bool_]
    begin: npt.NDArray[np.int64]
    gaps: bool | None
    ids: tuple[str, ...] | None = None

    def reordered(self, order: Sequence[int]) -> TagLines:
        """Return the segments in another order."""
        segments = [self.bad[self.begin[k] : self.begin[k + 1]] for k in order]
        return TagLines(np.concatenate(segments), np.cumsum([0, *map(len, segments)]), self.gaps, self.ids)


def read_paired_tags(paths: Sequence[str]) -> list[TagLines]:
    """Read several files of the same segments; pair lines by their ids, if all have ids, with a warning.

    Raises:
        FormatError: Only some files have ids, or the ids of two files differ.
    """
    files = [read_tags(path) for path in paths]
    first = files[0].ids
    for path, file in zip(paths, files, strict=True):
        if (file.ids is None) != (first is None):
            with_ids, without = (path, paths[0]) if first is None else (paths[0], path)
            raise FormatError(f"lines begin with ids, but those of {without} do not", where=with_ids)
        if file.ids is not None and first is not None and set(file.ids) != set(first):
            raise mismatch(path, file.ids, paths[0], first, advice="make the ids equal")
    if first is None:
        return files
    if len(paths) > 1:
        warn(paths[0], f"lines begin with ids ({listed_names(first)}): tags are paired by them")
    places = [{name: k for k, name in enumerate(file.ids or ())} for file in files]
    return [file.reordered([own[name] for name in first]) for file, own in zip(files, places, strict=True)]


def read_tags(path: str) -> TagLines:
    """Read a file of tags.

    Lines of tags: each line is a segment, and an empty line is a segment without words. But if a file has one tag per
    line, empty lines separate segments. A file has one tag per line if no line has more than one tag, some lines are
    empty, and two lines with a tag are adjacent. If each line begins with another word that is no tag, these are ids,
    and empty lines are skipped.

    Tables: each line has one tag; tabs separate fields. A header names at least `segment`, `index` and `tag`, and may
    name `type`. Without a header, the fields are those of

    - submissions to WMT's tasks: method, segment, index, word, …, tag. The language pair (`en-de`) may come before the
      method, and `mt` or `gap` after the method. Lines at the beginning that hold only a number are skipped.
    - tables of WMT14: segment (`12.3`), index, word, …, tag.

    Segments and indices count from 0 or 1.

    Raises:
        FormatError: There are no tags, a field is not valid, or a word or gap of a table has no tag, or has two tags.
    """
    with open_stream(path) as stream:
        lines = list(stream.lines())
    rows = [split_words(line) for line in lines]
    flat = [tag for row in rows for tag in row]
    if not flat:
        raise _nothing(path)
    if not set(flat) <= _TAGS.keys():
        if any("\t" in line for line in lines):
            return _table(lines, path)
        if (keyed := _keyed(rows)) is not None:
            return keyed
        number, wrong = next((k, tag) for k, row in enumerate(rows, start=1) for tag in row if tag not in _TAGS)
        raise _no_tag(wrong, f"{path}:{number}")
    return TagLines(_bad(flat), np.cumsum([0, *_lengths(rows)]), None)


def _keyed(rows: Sequence[Sequence[str]]) -> TagLines | None:
    """Return the tags after ids; `None` if the lines do not begin with ids."""
    named = {row[0]: row[1:] for row in rows if row}
    flat = [tag for tags in named.values() for tag in tags]
    is_keyed = flat and len(named) == sum(map(bool, rows)) and _TAGS.keys().isdisjoint(named)
    if not is_keyed or not set(flat) <= _TAGS.keys():
        return None
    return TagLines(_bad(flat), np.cumsum([0, *map(len, named.values())]), None, tuple(named))


def _lengths(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the number of tags of each segment; a segment is a line, or a group of lines with one tag each."""
    lengths = list(map(len, rows))
    if max(lengths) > 1 or 0 not in lengths or (1, 1) not in pairwise(lengths):
        return lengths
    return [len(list(group)) for has_tag, group in groupby(lengths) if has_tag]


def _bad(tags: Sequence[str]) -> npt.NDArray[np.bool_]:
    return np.fromiter((_TAGS[tag] for tag in tags), np.bool_, len(tags))


def _nothing(path: str) -> FormatError:
    return FormatError("the file holds no tags", where=path)


def _no_tag(text: str, where: str) -> FormatError:
    return FormatError(f"'{shortened(text)}' is not a tag", where=where, advice="a tag is OK or BAD")


class _Place(NamedTuple):
    """The position of a tag in a table: segment, word or gap, and number."""

    segment: tuple[int, ...]
    kind: str
    number: int


_Columns = tuple[int, int, int, int | None]
"""The indices of the fields segment, index, tag and type in a line; the last one is `None` if there is no type."""


def _columns(first: Sequence[str], path: str) -> _Columns:
    """Find the columns of a table by the names in its first line or, without names, by the layouts of `read_tags`."""
    if "tag" in first:
        if lacking := [name for name in ("segment", "index") if name not in first]:
            what = f"the header has no column '{lacking[0]}'"
            raise FormatError(what, where=f"{path}:1", advice="name segment, index and tag in the header")
        kind = first.index("type") if "type" in first else None
        return first.index("segment"), first.index("index"), first.index("tag"), kind
    if len(first) < _FEWEST_FIELDS:
        raise FormatError(
            f"the line has {len(first)} fields separated by tabs",
            where=f"{path}:1",
            advice="give method, segment, index, word and tag, or a header that names segment, index and tag",
        )
    if _DOTTED.fullmatch(first[0]):
        return 0, 1, len(first) - 1, None
    of_pair = int(_PAIR.fullmatch(first[0]) is not None and not _is_segment(first[2]))  # as in WMT22
    has_type = not _is_segment(first[1 + of_pair])
    at = 1 + of_pair + has_type
    return at, at + 1, len(first) - 1, at - 1 if has_type else None


def _table(lines: Sequence[str], path: str) -> TagLines:
    rows = [(number, line.split("\t")) for number, line in enumerate(lines, start=1) if line.strip()]
    while len(rows) > 1 and len(rows[0][1]) == 1 and rows[0][1][0].strip().isdecimal():
        del rows[0]  # submissions begin with the model's sizes, one per line
    names = [name.strip().lower() for name in rows[0][1]]
    columns = _columns(names, path)
    tags: dict[_Place, tuple[str, int]] = {}
    for number, row in rows["tag" in names :]:
        where = f"{path}:{number}"
        place, tag = _tagged(row, columns, where)
        if place in tags:
            raise FormatError(
                f"this word or gap already has a tag, at line {tags[place][1]}",
                where=where,
                advice="give a table with the tags of one system",
            )
        tags[place] = tag, number
    if not tags:
        raise _nothing(path)
    return _ordered(tags, path)


def _is_segment(text: str) -> bool:
    return text.isdecimal() or _DOTTED.fullmatch(text) is not None


def _tagged(row: Sequence[str], columns: _Columns, where: str) -> tuple[_Place, str]:
    if len(row) <= max(column for column in columns if column is not None):
        raise FormatError(f"the line has {len(row)} fields separated by tabs, fewer than the first line", where=where)
    segment, index, tag = (row[column].strip() for column in columns[:3])
    if not _is_segment(segment) or not index.isdecimal():
        raise FormatError(
            f"segment '{shortened(segment)}' or index '{shortened(index)}' is not a number ≥ 0", where=where
        )
    if tag not in _TAGS:
        raise _no_tag(tag, where)
    kind = "word" if columns[3] is None else row[columns[3]].strip().lower()
    if kind not in _WORDS | _GAPS:
        raise FormatError(
            f"tags of type '{shortened(kind)}' are not tags of the translation",
            where=where,
            advice="keep only lines of type mt or gap",
        )
    return _Place(tuple(map(int, segment.split("."))), "word" if kind in _WORDS else "gap", int(index)), tag


def _ordered(tags: dict[_Place, tuple[str, int]], path: str) -> TagLines:
    """Sort tags by position, with each word tag between its gap tags; refuse missing positions."""
    first = {kind: min(place.number for place in tags if place.kind == kind) for kind in {p.kind for p in tags}}
    both = len(first) > 1
    # If there are gap tags, they have even places, and word tags have odd ones.
    places = sorted(
        (at.segment, (1 + both) * (at.number - first[at.kind]) + (both and at.kind == "word"), *tags[at]) for at in tags
    )
    begin: list[int] = []
    before: tuple[int, ...] | None = None
    last = 0
    for number, (segment, place, _, line) in enumerate(places):
        if segment != before:
            begin.append(number)
        # Numbers of segments must be consecutive; dotted ids may have gaps.
        is_next = segment != before and (before is None or len(segment) > 1 or segment[0] == before[0] + 1)
        if not (place == last + 1 if segment == before else is_next and place == 0):
            raise FormatError(
                "the tags before this one are missing",
                where=f"{path}:{line}",
                advice="give each word (and gap) a line",
            )
        before, last = segment, place
    return TagLines(_bad([tag for _, _, tag, _ in places]), np.array([*begin, len(places)]), both)
