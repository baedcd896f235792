"""Understand names of files as Kaldi's commands take them: `ark:FILE`, `scp:FILE`, `ark,t:FILE`."""

from __future__ import annotations

import os
import re

from latticemetric.errors import InputError, UsageError

# The kind of file and options, such as `ark,t` or `s,cs,ark`; the name of the file follows the colon.
_SPECIFIER = re.compile(r"(?P<kinds>(?:[a-z]{1,3},)*(?:ark|scp)(?:,[a-z]{1,3})*):(?P<file>.*)", re.DOTALL)
_STANDARD = "-"


def file_named(name: str) -> str:
    """Return the file that a name means: for `ark:FILE` and other specifiers of Kaldi, the part after the colon.

    The content of a file decides its format, so that the prefix says nothing new. If a file has this very name, it is
    meant.

    Raises:
        InputError: The name is a command with a pipe, which Kaldi would run.
    """
    match = _SPECIFIER.fullmatch(name)
    file = name if match is None else match["file"].strip()
    is_command = file.rstrip().endswith("|")
    if (match is None and not is_command) or os.path.lexists(name):
        return name
    if is_command:
        advice = "name the file that it reads (gzip, xz and zstd are decompressed), or pipe its output into -"
        raise InputError("commands are not run", where=name, advice=advice)
    return file or _STANDARD


def require_plain_name(name: str) -> None:
    """Refuse a name for an output that Kaldi's commands would understand in their own way."""
    match = _SPECIFIER.fullmatch(name)
    if match is not None or name.startswith("|"):
        files = [] if match is None else [one for one in match["file"].split(",") if one not in ("", _STANDARD)]
        advice = f"name the file only: {files[-1]}" if files else "write to -, and use the shell's pipe"
        raise UsageError("this is not the name of a file", where=name, advice=advice)
