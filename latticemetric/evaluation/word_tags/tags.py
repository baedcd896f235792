"""Tags of word-level quality estimation: OK or BAD for each word of each segment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
import numpy.typing as npt

from latticemetric.errors import InputError, UsageError, placed, shortened
from latticemetric.frozen import Frozen
from latticemetric.likeness import which_of

Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Tags = str | Sequence[str] | npt.ArrayLike

OK, BAD = "OK", "BAD"

WHICH = ("words", "gaps", "all")
"""Tags to select from the 2n + 1 tags of n words and their gaps, at places counted from 0.

`words` are at odd places, and `gaps` at even places. `all` selects every tag.
"""


@dataclass(frozen=True, eq=False)
class WordTags(Frozen):
    """The tags of a test set, segment by segment.

    Attributes:
        bad: True for each tag that is BAD.
        begin: The index of the first tag of each segment. The last entry is the number of tags.
    """

    bad: Flags
    begin: Numbers

    def __post_init__(self) -> None:
        bad, begin = np.asarray(self.bad, dtype=np.bool_), np.asarray(self.begin, dtype=np.int64)
        if bad.ndim != 1 or begin.ndim != 1 or not len(begin):
            raise UsageError(
                "tags and begin positions of segments must be one-dimensional arrays", advice="make them by WordTags.of"
            )
        if begin[0] != 0 or begin[-1] != len(bad) or (np.diff(begin) < 0).any():
            raise UsageError(
                "the begin positions of segments must start at 0, never decrease, and end at the number of tags",
                advice="make them by WordTags.of",
            )
        object.__setattr__(self, "bad", bad)
        object.__setattr__(self, "begin", begin)
        super().__post_init__()

    @classmethod
    def of(cls, segments: Iterable[Tags]) -> Self:
        """Make tags from segments.

        Args:
            segments: For each segment, a string like `OK BAD OK`, a sequence of OK and BAD, or an array that is true
                for BAD.

        Examples:
            >>> tags = WordTags.of(["OK BAD OK", ["OK"], [False, True]])
            >>> tags.bad.astype(int).tolist(), tags.begin.tolist()
            ([0, 1, 0, 0, 0, 1], [0, 3, 4, 6])
        """
        flags = [_flags(tags, number) for number, tags in enumerate(segments, start=1)]
        begin = np.cumsum([0, *map(len, flags)])
        return cls(np.concatenate(flags) if flags else np.zeros(0, np.bool_), begin)

    def __len__(self) -> int:
        return len(self.begin) - 1

    @property
    def lengths(self) -> Numbers:
        """The number of tags of each segment."""
        return np.diff(self.begin)

    @property
    def segment(self) -> Numbers:
        """The index of the segment of each tag, from 0."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def may_hold_gaps(self) -> bool:
        """True if every segment has an odd number of tags, like n words with n + 1 gaps, and some segment has words."""
        return bool((self.lengths % 2 == 1).all()) and bool((self.lengths > 1).any())

    def replaced(self, bad: Flags) -> Self:
        """Return new tags for the same words. `bad` is True for each BAD tag."""
        return type(self)(bad, self.begin)

    def chosen(self, which: str) -> Self:
        """Select the tags of `words`, the tags of `gaps`, or `all` tags.

        For `words` and `gaps`, each segment must have 2n + 1 tags. Counted from 0, tags at odd places belong to the n
        words; tags at even places belong to the gaps before, between and after them.

        Examples:
            >>> tags = WordTags.of(["OK BAD OK OK BAD"])
            >>> tags.chosen("words").strings(), tags.chosen("gaps").strings()
            (['BAD OK'], ['OK OK BAD'])
        """
        if which not in WHICH:
            raise UsageError(f"unknown selection of tags '{which}'", advice=which_of(which, WHICH))
        if which == "all":
            return self
        even = np.flatnonzero(self.lengths % 2 == 0)
        if len(even):
            raise InputError(
                f"segment {even[0] + 1} has {self.lengths[even[0]]} tags, but n words with gaps have 2n + 1",
                advice="choose 'all' if only words have tags",
            )
        place = np.arange(len(self.bad)) - self.begin[self.segment]
        lengths = self.lengths // 2 + (which == "gaps")
        return type(self)(self.bad[place % 2 == (which == "words")], np.concatenate([[0], np.cumsum(lengths)]))

    def strings(self) -> list[str]:
        """Return the tags of each segment as a string such as `OK BAD OK`."""
        names = np.where(self.bad, BAD, OK).tolist()
        ends = self.begin.tolist()
        return [" ".join(names[begin:end]) for begin, end in pairwise(ends)]


def check_same_words(gold: WordTags, predicted: WordTags, names: tuple[str, str] = ("gold", "predicted")) -> None:
    """Raise `InputError` if the numbers of segments differ, or if the numbers of tags in a segment differ.

    `names` are the names of the gold tags and of the predicted tags in the message.
    """
    if len(gold) != len(predicted):
        raise InputError(
            f"{names[1]} has {_count(len(predicted), 'segment')} and {names[0]} has {len(gold)}",
            advice="both need the same segments, in the same order",
        )
    unlike = np.flatnonzero(gold.lengths != predicted.lengths)
    if len(unlike):
        at = int(unlike[0])
        tags = _count(int(predicted.lengths[at]), "tag")
        raise InputError(
            f"segment {at + 1} has {tags}, but in {names[0]} it has {gold.lengths[at]}",
            where=names[1],
            advice="both need a tag for each word (or each word and gap) of the same text",
        )


def _flags(tags: Tags, number: int) -> Flags:
    if isinstance(tags, str):
        tags = tags.split()
    array = np.asarray(tags)
    if not array.size:
        return np.zeros(0, np.bool_)
    if array.dtype.kind == "U":
        unknown = ~np.isin(array, (OK, BAD))
        if unknown.any():
            raise InputError(
                f"'{shortened(str(array[unknown][0]))}' is not a tag", where=f"segment {number}", advice="use OK or BAD"
            )
        return np.asarray(array == BAD)
    if array.ndim != 1 or array.dtype.kind not in "biu" or not np.isin(array, (0, 1)).all():
        raise InputError(
            "these are not tags", where=f"segment {number}", advice="give OK and BAD, or an array of 0 (OK) and 1 (BAD)"
        )
    return array.astype(np.bool_)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


# ---- Tags of words, or of words and the gaps around them ----

LAYOUTS = ("auto", "words", "words-and-gaps")


def chosen_tags(tags: WordTags, name: str, which: str, layout: str = "auto", *, gaps: bool | None = None) -> WordTags:
    """Select the tags of `words`, the tags of `gaps`, or `all` tags of a file.

    Args:
        tags: All tags of the file.
        name: The name of the file in error messages.
        which: `words`, `gaps` or `all`.
        layout: The layout of the file if `gaps` is `None`; see `has_gaps`.
        gaps: True if the file has tags of gaps, False if it has only tags of words, `None` if unknown.
    """
    with placed(name):
        if which == "all":
            return tags
        if has_gaps(tags, layout, gaps=gaps):
            return tags.chosen(which)
        if which == "gaps":
            raise InputError("these are tags of words, without gaps", advice="leave gaps=True out")
        return tags


def has_gaps(tags: WordTags, layout: str = "auto", *, gaps: bool | None = None) -> bool:
    """Check whether each segment has 2n + 1 tags: of n words, and of the gaps before, between and after them.

    If `gaps` is not `None`, it is the answer. Otherwise, `layout` decides; `auto` assumes gaps if every segment has an
    odd number of tags, and some segment more than one.
    """
    if layout not in LAYOUTS:
        raise UsageError(f"there is no layout '{layout}'", advice=which_of(layout, LAYOUTS))
    if gaps is not None:
        return gaps
    return tags.may_hold_gaps if layout == "auto" else layout == "words-and-gaps"
