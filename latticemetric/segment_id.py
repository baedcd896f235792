"""The parts of ids in NIST formats: file and channel; for a segment also speaker, times and labels."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from latticemetric.vocabulary import split_words

SEGMENT_FIELDS = 5
"""The number of fields before the labels and the words of a segment."""

_ESCAPES = {",": "%2C", "%": "%25"}
_LABELS = re.compile("<[^<>]*>")
_TIME = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_LONGEST_TIME = 1000


@dataclass(frozen=True)
class SegmentId:
    """The id of a channel (of a CTM), or of a segment (of an STM), with its parts as they stand in the file.

    Attributes:
        file: The file, or conversation.
        channel: The channel of the file.
        speaker: The speaker of a segment; `None` for a channel.
        begin: The begin of a segment, in seconds.
        end: The end of a segment, in seconds.
        labels: The labels of a segment with their brackets, such as `<o,f0,male>`; empty if it has none.

    Examples:
        >>> segment = SegmentId("radio-7", "1", "host", "0.00", "2.10", "<O,F0>")
        >>> segment.name, segment.categories
        ('radio-7,1,host,0.00,2.10,<O,F0>', ('O', 'F0'))
        >>> SegmentId.parsed(segment.name) == segment, SegmentId.parsed("utt-1")
        (True, None)
    """

    file: str
    channel: str
    speaker: str | None = None
    begin: str = ""
    end: str = ""
    labels: str = ""

    @property
    def name(self) -> str:
        """The id as one text: all parts, joined by commas. In a part, a comma is `%2C`, and a per cent sign `%25`."""
        if self.speaker is None:
            return self.channel_name
        name = join_fields([self.file, self.channel, self.speaker, self.begin, self.end])
        return f"{name},{self.labels}" if self.labels else name

    @property
    def channel_name(self) -> str:
        """The id of the channel: `file,channel`."""
        return join_fields([self.file, self.channel])

    @property
    def categories(self) -> tuple[str, ...]:
        """The labels without brackets; empty labels, as in `<O,,F>`, are left out."""
        return tuple(dict.fromkeys(label for label in self.labels[1:-1].split(",") if label))

    @classmethod
    def parsed(cls, name: str) -> SegmentId | None:
        """Return the segment whose `name` is this text; `None` for other texts, and for channels."""
        *head, labels = name.split(",", SEGMENT_FIELDS) if name.count(",") >= SEGMENT_FIELDS else [name, ""]
        fields = split_fields(",".join(head), SEGMENT_FIELDS)
        if fields is None or (len(head) > 1 and not is_labels(labels)):
            return None
        file, channel, speaker, begin, end = fields
        if not (_is_time(begin) and _is_time(end) and Decimal(begin) <= Decimal(end)):
            return None
        return cls(file, channel, speaker, begin, end, labels)

    @classmethod
    def of_channel(cls, name: str) -> SegmentId | None:
        """Return the channel whose `name` is this text; `None` for other texts."""
        fields = split_fields(name, 2)
        return None if fields is None else cls(*fields)


def join_fields(fields: Sequence[str]) -> str:
    """Join fields to an id with commas; in fields, write a comma as %2C, and a per cent sign as %25."""
    return ",".join(re.sub("[,%]", lambda match: _ESCAPES[match[0]], field) for field in fields)


def split_fields(name: str, count: int) -> list[str] | None:
    """Split an id into its fields; return `None` unless `join_fields` makes this id of `count` fields."""
    parts = name.split(",")
    fields = [part.replace("%2C", ",").replace("%25", "%") for part in parts]
    is_whole = len(parts) == count and all(split_words(field) == [field] for field in fields)
    return fields if is_whole and join_fields(fields) == name else None


def is_labels(text: str) -> bool:
    """Check whether a field is a list of labels, such as `<O,F>`."""
    return _LABELS.fullmatch(text) is not None and split_words(text) == [text]


def _is_time(text: str) -> bool:
    return len(text) <= _LONGEST_TIME and _TIME.fullmatch(text) is not None and math.isfinite(float(text))
