"""Recognise trn, STM and CTM, and read their lines: skip comments, read times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Context, Decimal

from latticemetric.errors import FormatError, UsageError, shortened
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.fields import NUMBER, is_number
from latticemetric.segment_id import SEGMENT_FIELDS
from latticemetric.vocabulary import split_words

MARKS = ("<ALT_BEGIN>", "<ALT>", "<ALT_END>")
CTM_FIELDS = 5
SAME_SEGMENT = (
    "remove one of the two segments, or write a time of the second in another way, such as 2.00 for 2.0: then its "
    "words count as deleted, as in sclite"
)
TIME_ORDER = "sort -s -k1,1 -k2,2 -k3,3n"
SEGMENT_ORDER = "sort -s -k1,1 -k2,2 -k4,4n"

_MOST_CTM_FIELDS = 8
_TIME = re.compile(f"(?![-+]){NUMBER}")
_LONGEST_NUMBER = 1000
_COMMENT = ";;"
_STARS = "**"
EXACT = Context(prec=1000, traps=[])  # adds and subtracts times without rounding

# If the head has more bytes, its last line may be incomplete.
_CUT_HEAD = 2**15
_ID = re.compile(rb"\(([^()\s]+)\)$")
_LIKE_AN_ID = re.compile(rb"[0-9_-]")

_PLAIN_TIME = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")

_Row = list[bytes]


def content_lines(stream: Stream) -> Iterator[str]:
    """Yield the lines that are neither blank nor comments."""
    for line in stream.lines():
        if not line.isspace() and line and not is_comment(line):
            yield line


def is_comment(line: str) -> bool:
    """Check whether a line begins with ;; (a comment) or with **; NIST's tools skip both."""
    return line.lstrip(" \t").startswith(_COMMENT) or line.startswith(_STARS)


# ---- Times: exact decimals ----


def seconds(text: str, what: str, where: str) -> Decimal:
    """Read a time in seconds as an exact decimal; `what` names the time in errors."""
    if _PLAIN_TIME.fullmatch(text):
        return Decimal(text)
    if text.startswith(("+", "-")) or not is_number(text):
        raise FormatError(f"the {what} '{shortened(text, 40)}' is not a number of seconds", where=where)
    return Decimal(text)


def exact_decimal(time: float) -> Decimal:
    """Return the shortest decimal that is read back as this time."""
    return Decimal(repr(time + 0.0))


def is_confidence(text: str) -> bool:
    """Check whether a field is a confidence: a number or NA."""
    return is_number(text) or text.upper() == "NA"


def require_first_field(text: str, format_name: str) -> None:
    """Raise an error if a text cannot begin a line, because it would be read as several fields or as a comment."""
    if split_words(text) != [text] or is_comment(text):
        raise UsageError(
            f"'{shortened(text)}' cannot begin a line of {format_name}",
            advice="remove white space, and ;; or ** at its start",
        )


# ---- Recognise the formats, and plain sentences, by the first bytes of a file ----


def is_trn(head: bytes) -> bool:
    """Check whether all lines end in an id in brackets, as in trn; False for STM or CTM with words in brackets."""
    return is_trn_reference(head) or (bool(_ids(_rows(head))) and not is_stm(head) and not is_ctm(head))


def is_trn_reference(head: bytes) -> bool:
    """Check whether all lines end in a text in brackets, and whether most of these texts differ and look like ids."""
    ids = _ids(_rows(head))
    return 2 * len(set(ids)) > len(ids) and 2 * sum(_LIKE_AN_ID.search(i) is not None for i in ids) > len(ids)


def is_stm(head: bytes) -> bool:
    """Check whether all lines look like STM segments; return False for trn, and for CTM whose words are numbers."""
    rows = _rows(head)
    if not rows or not all(map(_is_segment, rows)) or is_trn_reference(head):
        return False
    return not (is_ctm(head) and all(b"." in row[2] for row in rows))


def is_stm_reference(head: bytes) -> bool:
    """Check whether the file is STM, not plain sentences: some line must have labels or a fractional time."""
    return is_stm(head) and any(b"." in row[3] + row[4] or _has_labels(row) for row in _rows(head))


def is_ctm(head: bytes) -> bool:
    """Check whether all lines are CTM words or marks of alternations, with at least one word; return False for trn."""
    rows = _rows(head)
    return bool(rows) and all(map(_is_timed_word, rows)) and not all(map(_is_mark, rows)) and not is_trn_reference(head)


def is_ctm_reference(head: bytes) -> bool:
    """Check whether the file is CTM, not plain sentences: some line must be a mark or have a fractional time."""
    return is_ctm(head) and any(_is_mark(row) or b"." in row[2] + row[3] for row in _rows(head))


def reference_format(head: bytes, stem: str) -> str | None:
    """Return `trn`, `stm` or `ctm` if a file is in this format; `None` for plain sentences.

    If the content as a whole is none of these, the suffix of `stem` decides: a faulty line in ref.stm is an error, and
    no reason to count all times as words. Some corpora name plain text .trn, so there most lines must end in brackets.
    """
    for name, is_reference in _REFERENCES.items():
        if is_reference(head):
            return name
    suffix = stem.lower().rpartition(".")[2]
    if suffix == "trn":
        rows = _rows(head)
        return suffix if 2 * sum(_ID.search(row[-1]) is not None for row in rows) > len(rows) else None
    return suffix if suffix in _REFERENCES and head.strip() else None


_REFERENCES = {"stm": is_stm_reference, "ctm": is_ctm_reference, "trn": is_trn_reference}


def refuse_transcripts(stream: Stream) -> None:
    """Refuse trn, STM and CTM where lines of text are expected: their ids and times would count as words.

    The lines of a short text may all end in brackets, so a file is trn only if its name says so.

    Raises:
        FormatError: The file is in one of these formats. If it has a faulty line, the error names the line.
    """
    head, name = stream.head(), reference_format(stream.head(), stream.stem)
    if name is None or (name == "trn" and not stream.stem.lower().endswith(".trn")):
        return
    title, fits, fields = _FORMATS.get(name, (name, None, ""))
    lines = head.split(b"\n")
    for number, line in enumerate(lines[:-1] if len(head) > _CUT_HEAD else lines, start=1):
        if fits and line.strip() and not is_comment(line.decode("latin-1")) and not fits(line.split()):
            advice = f"write {fields}; if these are lines of text, rename the file"
            raise FormatError(f"this is not a line of {title}", where=f"{stream.name}:{number}", advice=advice)
    advice = "give trn, STM or CTM for outputs and references, or lines of text for both"
    raise FormatError(f"this is {title}, not lines of text", where=stream.name, advice=advice)


def _rows(head: bytes) -> list[_Row]:
    """Return the fields of each line of `head`, except comments; no rows if `head` is binary or has |||.

    Leave out the last line, which may be cut off, unless it is the only one.
    """
    if b"\0" in head or b"|||" in head:
        return []
    lines = head.split(b"\n")
    if len(head) > _CUT_HEAD and len(lines) > 1:
        lines.pop()
    return [line.split() for line in lines if line.strip() and not is_comment(line.decode("latin-1"))]


def _ids(rows: list[_Row]) -> list[bytes]:
    matches = [_ID.search(row[-1]) for row in rows]
    return [match[1] for match in matches if match] if all(matches) else []


def _is_segment(row: _Row) -> bool:
    if len(row) < SEGMENT_FIELDS or not _is_time(row[3]) or not _is_time(row[4]) or not _names_a_channel(row):
        return False
    labelled = len(row) == SEGMENT_FIELDS or not row[SEGMENT_FIELDS].startswith(b"<") or _has_labels(row)
    return labelled and float(row[3]) <= float(row[4])


def _is_timed_word(row: _Row) -> bool:
    if not CTM_FIELDS <= len(row) <= _MOST_CTM_FIELDS or not _names_a_channel(row):
        return False
    timed = _is_time(row[2]) and _is_time(row[3].removeprefix(b"-"))
    return _is_mark(row) or (timed and (len(row) == CTM_FIELDS or is_confidence(row[CTM_FIELDS].decode("latin-1"))))


def _is_mark(row: _Row) -> bool:
    return row[2:4] == [b"*", b"*"] and row[4].decode("latin-1").upper() in MARKS


def _has_labels(row: _Row) -> bool:
    return len(row) > SEGMENT_FIELDS and row[SEGMENT_FIELDS].startswith(b"<") and row[SEGMENT_FIELDS].endswith(b">")


def _is_time(field: bytes) -> bool:
    return len(field) <= _LONGEST_NUMBER and _TIME.fullmatch(field.decode("latin-1")) is not None


def _names_a_channel(row: _Row) -> bool:
    """Check whether a row may begin with a file and a channel; a channel does not look like a state, a score or [."""
    file, channel = row[:2]
    states = file.isdigit() and channel.isdigit() and len(channel) > 1
    return channel != b"[" and not states and not (b"." in channel and _is_time(channel.lstrip(b"+-")))


# Formats with a kind of line: title, check of a line, fields.
_FORMATS = {
    "ctm": ("CTM", _is_timed_word, "file channel begin duration word [confidence]"),
    "stm": ("STM", _is_segment, "file channel speaker begin end [<labels>] words"),
}
