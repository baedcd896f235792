"""Whether lines of tags are of words, or of words and the gaps around them; and which of them are evaluated."""

from __future__ import annotations

from latticemetric.errors import InputError, UsageError, placed
from latticemetric.evaluation.tags.word_tags import WordTags

LAYOUTS = ("auto", "words", "words-and-gaps")


def chosen_tags(tags: WordTags, name: str, which: str, layout: str = "auto", *, gaps: bool | None = None) -> WordTags:
    """The tags that are asked for.

    Args:
        tags: Those of a file.
        name: Its name, for errors.
        which: `words`, `gaps` or `all`.
        layout: What lines are. `auto` takes them for words and gaps where every one has an odd number of tags.
        gaps: Whether there are gaps, where the file itself tells.

    Raises:
        InputError: A segment has no 2n + 1 tags where words and gaps are meant, or gaps are asked for and not there.
    """
    with placed(name):
        if which == "all":
            return tags
        if has_gaps(tags, layout, gaps=gaps):
            return tags.chosen(which)
        if which == "gaps":
            raise InputError("these are tags of words, without gaps", advice="leave --gaps out")
        return tags


def has_gaps(tags: WordTags, layout: str = "auto", *, gaps: bool | None = None) -> bool:
    """Whether tags are 2n + 1 a segment: of n words, and of the gaps before, between and after them."""
    if layout not in LAYOUTS:
        raise UsageError(f"there is no layout '{layout}'", advice=f"choose among {', '.join(LAYOUTS)}")
    if gaps is not None:
        return gaps
    return tags.may_hold_gaps if layout == "auto" else layout == "words-and-gaps"
