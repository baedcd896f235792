"""Telling trn, STM and CTM from each other, from other formats, and from plain sentences."""

from __future__ import annotations

import math
import re

TIME = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
LONGEST_NUMBER = 1000
MARKS = ("<ALT_BEGIN>", "<ALT>", "<ALT_END>")
STM_FIELDS = CTM_FIELDS = 5
MOST_CTM_FIELDS = 8

_NOT_WHOLE = 2**15
_ID = re.compile(rb"\(([^()\s]+)\)$")
_LIKE_AN_ID = re.compile(rb"[0-9_-]")
_SIGNED = re.compile(rf"[-+]?{TIME.pattern}")

_Row = list[bytes]


def is_trn(head: bytes) -> bool:
    """Whether all lines end in ids, and not in words in brackets after segments or words with times."""
    return is_trn_reference(head) or (bool(_ids(rows_of(head))) and not is_stm(head) and not is_ctm(head))


def is_trn_reference(head: bytes) -> bool:
    """Whether all lines end in what looks like ids rather than like words in brackets."""
    ids = _ids(rows_of(head))
    return 2 * len(set(ids)) > len(ids) and 2 * sum(_LIKE_AN_ID.search(i) is not None for i in ids) > len(ids)


def is_stm(head: bytes) -> bool:
    """Whether all lines are segments, and not words in digits of which each begins at a fraction of a second."""
    rows = rows_of(head)
    if not rows or not all(map(_is_segment, rows)) or is_trn_reference(head):
        return False
    return not (is_ctm(head) and all(b"." in row[2] for row in rows))


def is_stm_reference(head: bytes) -> bool:
    """Whether all lines are segments, and not sentences that hold two numbers: one of them says so by its times."""
    return is_stm(head) and any(_has_fraction(row[3:5]) or _has_labels(row) for row in rows_of(head))


def is_ctm(head: bytes) -> bool:
    """Whether all lines are words with times."""
    rows = rows_of(head)
    return bool(rows) and all(map(_is_timed_word, rows)) and not all(map(_is_mark, rows)) and not is_trn_reference(head)


def is_ctm_reference(head: bytes) -> bool:
    """Whether all lines are words with times, and not sentences that hold two numbers: one of them says so."""
    return is_ctm(head) and any(_is_mark(row) or _has_fraction(row[2:4]) for row in rows_of(head))


def rows_of(head: bytes) -> list[_Row]:
    """The fields of a head's whole lines, without comments; none where it is no text."""
    if b"\0" in head or b"|||" in head:
        return []
    lines = head.split(b"\n")
    if len(head) > _NOT_WHOLE:
        lines.pop()  # it may be cut
    return [line.split() for line in lines if line.strip() and not _is_comment(line)]


def _is_comment(line: bytes) -> bool:
    return line.lstrip().startswith(b";;") or line.startswith(b"**")


def is_confidence(text: str) -> bool:
    """Whether a field is a confidence: a number, or NA."""
    number = len(text) <= LONGEST_NUMBER and _SIGNED.fullmatch(text) is not None and math.isfinite(float(text))
    return number or text.upper() == "NA"


def _ids(rows: list[_Row]) -> list[bytes]:
    matches = [_ID.search(row[-1]) for row in rows]
    return [match[1] for match in matches if match] if all(matches) else []


def _is_segment(row: _Row) -> bool:
    if len(row) < STM_FIELDS or not _is_time(row[3]) or not _is_time(row[4]) or not _names_a_channel(row):
        return False
    labelled = len(row) == STM_FIELDS or not row[STM_FIELDS].startswith(b"<") or _has_labels(row)
    return labelled and float(row[3]) <= float(row[4])


def _is_timed_word(row: _Row) -> bool:
    if not CTM_FIELDS <= len(row) <= MOST_CTM_FIELDS or not _names_a_channel(row):
        return False
    timed = _is_time(row[2]) and _is_time(row[3].removeprefix(b"-"))
    return _is_mark(row) or (timed and (len(row) == CTM_FIELDS or is_confidence(row[CTM_FIELDS].decode("latin-1"))))


def _is_mark(row: _Row) -> bool:
    return row[2:4] == [b"*", b"*"] and row[4].decode("latin-1").upper() in MARKS


def _has_labels(row: _Row) -> bool:
    return len(row) > STM_FIELDS and row[STM_FIELDS].startswith(b"<") and row[STM_FIELDS].endswith(b">")


def _has_fraction(fields: _Row) -> bool:
    return any(b"." in field for field in fields)


def _is_time(field: bytes) -> bool:
    return len(field) <= LONGEST_NUMBER and TIME.fullmatch(field.decode("latin-1")) is not None


def _names_a_channel(row: _Row) -> bool:
    """Whether a row begins with a file and a channel, not with two states of a machine, or a word and its score."""
    file, channel = row[:2]
    states = file.isdigit() and channel.isdigit() and len(channel) > 1
    return channel != b"[" and not states and not (b"." in channel and _is_time(channel.lstrip(b"+-")))
