"""Group segments by speaker, by file or by label, as their ids say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from latticemetric.errors import UsageError, shortened
from latticemetric.segment_id import SegmentId

GroupKind = Literal["speaker", "file"]

_SEPARATORS = "-_"

AnyId = str | SegmentId
"""An id as a text, or with its parts."""


def groups_of(
    ids: Sequence[AnyId], by: GroupKind, speakers: Mapping[str, str] | None = None, *, fold_case: bool = False
) -> list[str]:
    """Return the speaker or the file of each segment.

    Ids of STM segments have both. A channel of a CTM counts as a speaker. In other ids, the speaker is the part before
    the first `-` or `_`, as in data of NIST and Kaldi, and the file is the part before the last one. An id without `-`
    and `_` is a group of its own, if another id has one.

    Args:
        ids: The id of each segment. The text of an STM segment's id is read as this segment.
        by: `speaker` or `file`.
        speakers: The speaker of each id, or of each file (Kaldi's `utt2spk`); then the ids need not contain it.
        fold_case: True to take names that differ only in case for one, with the spelling of the first, as sclite does
            unless it gets `-s`.

    Raises:
        UsageError: No id has a group, or an id has no speaker in `speakers`.

    Examples:
        >>> groups_of(["radio-8,1,host,0.00,2.50", "ann_f1-003"], "speaker"), groups_of(["ann_f1-003"], "file")
        (['host', 'ann'], ['ann_f1'])
        >>> groups_of([SegmentId("radio-8", "1", "host", "0.00", "2.50", "<O,F0>")], "speaker", {"radio-8": "ann"})
        ['ann']
    """
    groups = _named_groups(ids, by, speakers)
    if not fold_case:
        return groups
    spelled: dict[str, str] = {}
    return [spelled.setdefault(group.casefold(), group) for group in groups]


def _named_groups(ids: Sequence[AnyId], by: GroupKind, speakers: Mapping[str, str] | None) -> list[str]:
    read = [_with_parts(name) for name in ids]
    if speakers is not None:
        return [_listed_speaker(name, speakers) for name in read]
    found = [_group_of(name, by) for name in read]
    if found and not any(found):
        raise UsageError(
            f"the id '{shortened(_text(read[0]))}' has no {by} before a '-' or '_'",
            advice="write ids as SPEAKER-UTTERANCE, or give a file of speakers",
        )
    return [_text(name) if group is None else group for name, group in zip(read, found, strict=True)]


def categories_of(ids: Sequence[AnyId]) -> list[tuple[str, ...]]:
    """Return the labels of each segment, such as `O` and `F0` for `<O,F0>`; a segment may have several, or none.

    As in sclite, the case of labels does not matter: all have the spelling of the first one.

    Raises:
        UsageError: No segment has a label.

    Examples:
        >>> categories_of(["radio-8,1,host,0.00,2.50,<O,F0>", "radio-8,1,host,2.50,3.00,<o>"])
        [('O', 'F0'), ('O',)]
    """
    spelled: dict[str, str] = {}
    found: list[tuple[str, ...]] = []
    for name in map(_with_parts, ids):
        own = name.categories if isinstance(name, SegmentId) else ()
        found.append(tuple(dict.fromkeys(spelled.setdefault(label.casefold(), label) for label in own)))
    if not spelled:
        raise UsageError("no segment has a label", advice="give references in STM with labels like <O,F>")
    return found


def _with_parts(name: AnyId) -> AnyId:
    return name if isinstance(name, SegmentId) else SegmentId.parsed(name) or name


def _text(name: AnyId) -> str:
    return name.name if isinstance(name, SegmentId) else name


def _listed_speaker(name: AnyId, speakers: Mapping[str, str]) -> str:
    known = [_text(name)] if isinstance(name, str) else [name.name, name.file]
    for one in known:
        if one in speakers:
            return speakers[one]
    raise UsageError(f"segment '{shortened(known[0])}' has no speaker", advice="add it to the file of speakers")


def _group_of(name: AnyId, by: GroupKind) -> str | None:
    """Return the speaker or the file that an id names; `None` if it names none."""
    if isinstance(name, SegmentId):
        return name.file if by == "file" else name.speaker or name.channel_name
    places = [at for at, character in enumerate(name) if character in _SEPARATORS]
    if not places or not places[0]:
        return None
    return name[: places[0] if by == "speaker" else places[-1]]
