"""Group the utterances of a report by speaker and by file, for its error analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from latticemetric.errors import UsageError
from latticemetric.evaluation.segment_groups import AnyId, GroupKind, groups_of
from latticemetric.segment_id import SegmentId


def error_groups(ids: Sequence[AnyId], speakers: Mapping[str, str] | None = None) -> dict[str, list[str]]:
    """Return the group of each utterance, by speaker (key `speaker`) and by file (key `file`).

    Leave out a key if its groups are unknown or would show nothing:

    - No id contains its group.
    - All utterances are in one group.
    - The groups are the ids themselves.
    - The groups by file equal the groups by speaker. Then leave out only `file`.

    Args:
        ids: The ids of utterances, as in `groups_of`.
        speakers: The speaker of each id or file; by default, ids contain the speaker.

    Raises:
        UsageError: An id has no speaker in `speakers`.

    Examples:
        >>> error_groups(["ann_f1-001", "ann_f2-001"])
        {'file': ['ann_f1', 'ann_f2']}
        >>> error_groups(["1", "2"])
        {}
    """
    names = [one.name if isinstance(one, SegmentId) else one for one in ids]
    found: dict[str, list[str]] = {}
    for kind in get_args(GroupKind):
        named = speakers if kind == "speaker" else None
        try:
            groups = groups_of(ids, kind, named)
        except UsageError:
            if named is not None:
                raise
            continue
        if len(set(groups)) > 1 and groups != names and groups not in found.values():
            found[kind] = groups
    return found
