"""Which files a path means, and in which order."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from latticemetric.errors import InputError
from latticemetric.formats.files.stream import STANDARD_INPUT


def expand(
    paths: Iterable[str | os.PathLike[str]], is_whole: Callable[[Path], bool] = lambda _folder: False
) -> list[str]:
    """The files that some paths mean: a folder's files and a glob's matches in natural order (2 before 10).

    Args:
        paths: Files, folders, globs, standard input.
        is_whole: Whether a folder is one thing, which stays as it is.

    Raises:
        InputError: A path means no file.
    """
    return [file for path in paths for file in _expand_one(os.fspath(path), is_whole)]


def _expand_one(path: str, is_whole: Callable[[Path], bool]) -> list[str]:
    if path == STANDARD_INPUT:
        return [path]
    if Path(path).is_dir():
        if is_whole(Path(path)):
            return [path]
        files = [str(p) for p in Path(path).iterdir() if p.is_file() and not p.name.startswith(".")]
        if not files:
            raise InputError("the folder holds no files", where=path)
        return sorted(files, key=natural_order)
    if Path(path).exists():
        return [path]
    import glob

    found = glob.glob(path, recursive=True)  # noqa: PTH207  absolute patterns too
    matches = [m for m in found if Path(m).is_file() or (Path(m).is_dir() and is_whole(Path(m)))]
    if not matches:
        raise InputError("there is no such file", where=path, advice="check the path")
    return sorted(matches, key=natural_order)


def natural_order(path: str) -> list[tuple[int, int, str]]:
    """A key to sort names with: 2 before 10."""
    parts = re.split(r"([0-9]+)", path)
    return [(0, int(part), "") if k % 2 else (1, 0, part) for k, part in enumerate(parts)]


def would_mean(path: str, new: str) -> bool:
    """Whether a path that means several files would mean a new one, too: a folder or glob that it would be in."""
    if path == STANDARD_INPUT or Path(new).name.startswith("."):
        return False
    try:
        if Path(path).is_dir():
            return Path(path).samefile(Path(os.path.realpath(new)).parent)
        return not Path(path).exists() and _matches(os.path.abspath(path), os.path.abspath(new))  # noqa: PTH100  plain strings
    except (OSError, ValueError):
        return False  # whoever opens it says what is wrong


def _matches(pattern: str, path: str) -> bool:
    import fnmatch
    import glob

    if not glob.has_magic(pattern):
        return False
    if "**" in pattern:
        return fnmatch.fnmatchcase(path, pattern.replace("**/", "*"))
    wanted, parts = Path(pattern).parts, Path(path).parts
    return len(wanted) == len(parts) and all(map(fnmatch.fnmatchcase, parts, wanted))
