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
    return [(0, *size_and_digits(part)) if k % 2 else (1, 0, part) for k, part in enumerate(parts)]


def size_and_digits(number: str) -> tuple[int, str]:
    """A number of any length as something that compares like it."""
    digits = number.lstrip("0")
    return len(digits), digits
