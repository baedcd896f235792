"""Recognise files with times beside the texts of a recording, which are neither graphs nor lines of text."""

from __future__ import annotations

import re

# The beginning of each: subtitles, Praat's annotations, Whisper's table, turns of speakers (which look like STM if no
# turn is shorter than its begin).
_TIMED_TEXTS = {
    "subtitles (WebVTT)": re.compile(rb"WEBVTT(?:[ \t][^\n]*)?\r?\n(?:[^\n]*\n)*?[0-9:.]+[ \t]+-->"),
    "subtitles (SRT)": re.compile(rb"\s*[0-9]+[ \t]*\r?\n[0-9]+:[0-9]{2}:[0-9]{2}[,.][0-9]{1,3}[ \t]*-->"),
    "a TextGrid of Praat": re.compile(rb'\s*File type = "ooTextFile'),
    "a table of times (TSV of Whisper)": re.compile(rb"start\tend\ttext\r?\n"),
    "RTTM": re.compile(
        rb"(?:;;[^\n]*\n)*(?:SPEAKER|SPKR-INFO)(?:[ \t]+[^\s<>]+){2}(?:[ \t]+(?:[0-9.]+|<NA>)){2}[ \t]+<NA>"
    ),
}


def timed_texts(head: bytes) -> str | None:
    """Return what a file with these first bytes is, such as `RTTM`; `None` if it is none of these."""
    return next((title for title, beginning in _TIMED_TEXTS.items() if beginning.match(head)), None)
