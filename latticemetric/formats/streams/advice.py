"""Advice for files that cannot be opened."""

from __future__ import annotations

import errno
import itertools
import os
import re

from latticemetric.errors import harmless

_URL = re.compile(r"[a-z][a-z0-9+.]*://")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:[.][0-9]+)?(?:,[0-9.]+)*")
_TEXT = re.compile(r"\S\s+[^\s.]+[.]?$")  # words, the last of which has no suffix
_LIKENESS = 0.7
_MOST_COMPARED = 250  # it takes about 2 ms to compare so many names


def advice_for(path: str, error: OSError) -> str | None:
    """Return advice about a file that the system cannot open, or `None`."""
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return advice_for_missing(path)
        case errno.EISDIR:
            return "name a file of this folder"
        case errno.EACCES | errno.EPERM:
            return "check the permissions of the file and of its folders"
    return None


def advice_for_missing(path: str) -> str:
    """Return advice about a path that does not exist: the name of a similar file, or the part of the path to check."""
    folder, name = os.path.split(path)
    if _URL.match(path):
        return "download the file first, or pipe it into -"
    if _NUMBER.fullmatch(path):
        return "if it belongs to an option, write it there, such as -n 5 or --beams 1,2,3"
    if _TEXT.search(path) and not folder:
        return "if it is a text, write it to a file"
    if folder and not os.path.isdir(folder):  # noqa: PTH112  a plain string
        return f"check the path: there is no folder {harmless(folder)}"
    if (similar := _similar_file(folder or os.curdir, name)) is not None:
        return f"did you mean {harmless(os.path.join(folder, similar))}?"  # noqa: PTH118  as the user wrote the folder
    return "check the path" if os.path.isabs(path) else "check the path and the current folder"  # noqa: PTH117


def _similar_file(folder: str, name: str) -> str | None:
    """Return the file in `folder` whose name is most similar to `name`; `None` if no name is similar enough.

    Compare only some files of a large folder. Ignore names that differ from `name` only in numbers: `2.lat` is no
    misspelling of `1.lat`.
    """
    import difflib

    try:
        with os.scandir(folder) as entries:
            files = [one.name for one in itertools.islice(entries, _MOST_COMPARED) if one.is_file()]
    except OSError:
        return None
    written = _without_numbers(name)
    others = [one for one in files if not one.startswith(".") and _without_numbers(one) != written]
    return next(iter(difflib.get_close_matches(name, others, n=1, cutoff=_LIKENESS)), None)


def _without_numbers(name: str) -> str:
    return re.sub(r"[0-9]+", "0", name)
