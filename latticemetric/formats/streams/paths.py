"""List the files that a path means, in natural order."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from latticemetric.errors import InputError
from latticemetric.formats.streams.stream import STANDARD_INPUT, is_hidden, warn_left_out


def expand(
    paths: Iterable[str | os.PathLike[str]], is_whole: Callable[[Path], bool] = lambda _folder: False
) -> list[str]:
    """List the files of `paths`: the files of a folder and the matches of a glob in natural order (2 before 10).

    Args:
        paths: Files, folders, globs, or `-`.
        is_whole: Check whether a folder is read as a whole; if so, the folder itself is returned.

    Raises:
        InputError: A path means no file.
    """
    return [file for path in paths for file in _expand_one(os.fspath(path), is_whole)]


def _expand_one(path: str, is_whole: Callable[[Path], bool]) -> list[str]:
    if path == STANDARD_INPUT:
        return [path]
    # The functions of `os` treat an impossible name as that of a missing file.
    if os.path.isdir(path):  # noqa: PTH112  see above
        return [path] if is_whole(Path(path)) else _files_of_folder(path)
    if os.path.exists(path):  # noqa: PTH110  see above
        return [path]
    import glob

    paths = glob.glob(path, recursive=True)  # noqa: PTH207  absolute patterns too
    matches = [m for m in paths if _is_file(m) or (Path(m).is_dir() and is_whole(Path(m)))]
    if not matches:
        raise _missing(path)
    return sorted(matches, key=natural_order)


def _files_of_folder(folder: str) -> list[str]:
    """List the files of a folder; warn of other entries."""
    try:
        paths = sorted(map(str, Path(folder).iterdir()), key=natural_order)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=folder) from None
    files = [path for path in paths if _is_file(path) and not is_hidden(path)]
    taken = set(files)
    warn_left_out(folder, "hidden", [Path(path).name for path in paths if is_hidden(path)])
    others = [Path(path).name for path in paths if path not in taken and not is_hidden(path)]
    warn_left_out(folder, "not a file", others)
    if not files:
        raise InputError("the folder holds no files", where=folder)
    return files


def _is_file(path: str) -> bool:
    """Accept files, and also broken links: opening them raises an error, which should not be hidden."""
    return os.path.isfile(path) or (os.path.islink(path) and not os.path.exists(path))  # noqa: PTH110, PTH113, PTH114


def _missing(path: str) -> InputError:
    try:
        os.stat(path)  # noqa: PTH116  a plain string
    except OSError as error:
        if error.errno not in {errno.ENOENT, errno.ENOTDIR}:
            return InputError(f"cannot be opened: {error.strerror}", where=path)
    except ValueError:
        return InputError("cannot be opened: no file has such a name", where=path)
    return InputError("there is no such file", where=path, advice="check the path")


def natural_order(path: str) -> list[tuple[int, int, str]]:
    """Return a sort key that puts 2 before 10."""
    parts = re.split(r"([0-9]+)", path)
    return [(0, *size_and_digits(part)) if k % 2 else (1, 0, part) for k, part in enumerate(parts)]


def size_and_digits(number: str) -> tuple[int, str]:
    """Return a sort key that compares digits of any length as numbers."""
    digits = number.lstrip("0")
    return len(digits), digits


def would_mean(path: str, new: str) -> bool:
    """Check whether a folder or glob would include a new file."""
    if path == STANDARD_INPUT or Path(new).name.startswith("."):
        return False
    try:
        if Path(path).is_dir():
            return Path(path).samefile(Path(os.path.realpath(new)).parent)
        return not Path(path).exists() and _matches(os.path.abspath(path), os.path.abspath(new))  # noqa: PTH100  plain strings
    except (OSError, ValueError):
        return False  # opening it raises the error


def _matches(pattern: str, path: str) -> bool:
    import fnmatch
    import glob

    if not glob.has_magic(pattern):
        return False
    if "**" in pattern:
        return fnmatch.fnmatchcase(path, pattern.replace("**/", "*"))
    wanted, parts = Path(pattern).parts, Path(path).parts
    return len(wanted) == len(parts) and all(map(fnmatch.fnmatchcase, parts, wanted))
