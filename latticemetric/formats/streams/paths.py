"""List the files of a path, folder or glob in natural order (2 before 10)."""

from __future__ import annotations

import errno
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from latticemetric.errors import InputError, harmless, shortened
from latticemetric.formats.streams.advice import advice_for, advice_for_missing
from latticemetric.formats.streams.specifiers import file_named
from latticemetric.formats.streams.stream import STANDARD_INPUT, is_hidden, warn_left_out


def expand(path: str, is_whole: Callable[[Path], bool]) -> list[str]:
    """List the files of a path; files of a folder and matches of a glob are in natural order (2 before 10).

    `is_whole` checks whether a folder is one data set; such a folder is listed as one path. A path without files is an
    error.
    """
    if path == STANDARD_INPUT:
        return [path]
    # The functions of `os` treat an impossible name like a missing file.
    if os.path.isdir(path):  # noqa: PTH112  see above
        return [path] if is_whole(Path(path)) else _files_of_folder(path)
    if os.path.exists(path):  # noqa: PTH110  see above
        return [path]
    import glob

    paths = glob.glob(path, recursive=True)  # noqa: PTH207  absolute patterns too
    matches = [m for m in paths if _is_file(m) or (Path(m).is_dir() and is_whole(Path(m)))]
    if matches:
        return sorted(matches, key=natural_order)
    raise _missing(path)


def require_path(path: str) -> None:
    """Raise the error of `expand` if a path names nothing; open no files."""
    path = file_named(path)
    if path == STANDARD_INPUT or os.path.exists(path):  # noqa: PTH110  as in `expand`
        return
    import glob

    if next(glob.iglob(path, recursive=True), None) is None:  # noqa: PTH207  absolute patterns too
        raise _missing(path)


def _missing(path: str) -> InputError:
    """Return the error for a path or a glob without files."""
    import glob

    try:
        os.stat(path)  # noqa: PTH116  as in `expand`
    except OSError as error:
        if error.errno not in {errno.ENOENT, errno.ENOTDIR}:
            what = f"cannot be opened: {error.strerror}"
            return InputError(what, where=path, advice=advice_for(path, error))
    except ValueError:
        return InputError("cannot be opened: no file has such a name", where=path)
    if glob.has_magic(path):
        return InputError("no file matches", where=path, advice=f"check the pattern{_files_beside(path)}")
    return InputError("there is no such file", where=path, advice=advice_for_missing(path))


def _files_beside(pattern: str) -> str:
    """Return a remark for an error: the first files of the pattern's folder."""
    folder = os.path.dirname(pattern) or os.curdir  # noqa: PTH120  see above
    names = sorted(filter(_is_shown, os.listdir(folder)), key=natural_order) if os.path.isdir(folder) else []  # noqa: PTH112, PTH208
    more = ", …" if len(names) > _MOST_NAMED else ""
    listed = ", ".join(shortened(harmless(name)) for name in names[:_MOST_NAMED])
    return f"; the folder holds {listed}{more}" if names else ""


def _is_shown(name: str) -> bool:
    return not is_hidden(name) and not _ABOUT.fullmatch(name)


def pattern_of_others(files: Sequence[str], file: str) -> str:
    """Return a glob for the other files of a folder.

    The glob has the most common suffix, apart from the suffix of `file`.
    """
    suffixes = Counter(Path(one).suffix for one in files if Path(one).suffix != Path(file).suffix)
    (suffix, _), *_ = suffixes.most_common(1) or [(".lat", 0)]
    return str(Path(file).parent / f"*{suffix}")


_MOST_NAMED = 3

# Names of files about the data, which are not graphs.
_ABOUT = re.compile(
    r"(licen[cs]e|copying|notice|readme|authors|citation|changelog|contributing|makefile|(md5|sha\d+)sums?)"
    r"([-_][\w-]*)?(\.(txt|md|rst|cff|html|mit|apache))?",
    re.IGNORECASE,
)


def _files_of_folder(folder: str) -> list[str]:
    """List the files of a folder; warn about other entries."""
    try:
        paths = sorted(map(str, Path(folder).iterdir()), key=natural_order)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=folder, advice=advice_for(folder, error)) from None
    shown = [path for path in paths if not is_hidden(path)]
    files = [path for path in shown if _is_file(path)]
    about = [path for path in files if _ABOUT.fullmatch(Path(path).name)]
    if len(about) < len(files):  # if there are no other files, the user means these
        warn_left_out(folder, "not graphs, by their names", [Path(path).name for path in about])
        files = [path for path in files if path not in set(about)]
    taken = {*files, *about}
    warn_left_out(folder, "hidden", [Path(path).name for path in paths if is_hidden(path)])
    warn_left_out(folder, "not a file", [Path(path).name for path in shown if path not in taken])
    if not files:
        raise InputError("the folder holds no files", where=folder)
    return files


def _is_file(path: str) -> bool:
    """Check whether a path is a file or a broken link; opening a broken link raises an error later."""
    return os.path.isfile(path) or (os.path.islink(path) and not os.path.exists(path))  # noqa: PTH110, PTH113, PTH114


def natural_order(path: str) -> list[tuple[int, int, str]]:
    """Return a sort key that puts 2 before 10."""
    parts = re.split(r"([0-9]+)", path)
    return [(0, *size_and_digits(part)) if k % 2 else (1, 0, part) for k, part in enumerate(parts)]


def size_and_digits(number: str) -> tuple[int, str]:
    """Return a sort key that compares digits of any length as numbers."""
    digits = number.lstrip("0")
    return len(digits), digits


def would_mean(path: str, new: str) -> bool:
    """Check whether the folder or glob `path` would include a file with the name `new`."""
    if path == STANDARD_INPUT or Path(new).name.startswith("."):
        return False
    try:
        if Path(path).is_dir():
            return Path(path).samefile(Path(os.path.realpath(new)).parent)
        if Path(path).exists():
            return False
        pattern, name = os.path.abspath(path), os.path.abspath(new)  # noqa: PTH100  plain strings
    except (OSError, ValueError):
        return False  # opening it raises the error
    import fnmatch
    import glob

    if "**" in pattern:
        return fnmatch.fnmatchcase(name, pattern.replace("**/", "*"))
    wanted, parts = Path(pattern).parts, Path(name).parts
    return glob.has_magic(pattern) and len(wanted) == len(parts) and all(map(fnmatch.fnmatchcase, parts, wanted))
