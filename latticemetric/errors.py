"""The exceptions of this package. Each message is one line: what is wrong, where, and what to do."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Characters that `harmless` keeps. Persian and Hindi words need the zero-width joiners.
_HARMLESS = " \u200c\u200d"


worded: list[Callable[[str], str]] = []
"""Changes to the words of messages: the command line says options where Python says keywords."""


def in_words_of_the_user(message: str) -> str:
    """Return a message in the words of the user: options on the command line, keywords in Python."""
    for change in worded:
        message = change(message)
    return message


class LatticeMetricError(Exception):
    """Base class of the errors that latticemetric raises on purpose.

    Args:
        what: What is wrong.
        where: The file and line, graph id, or option.
        advice: What the user can do.
    """

    def __init__(self, what: str, *, where: str | None = None, advice: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.advice = advice

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"; {self.advice}" if self.advice else ""
        return in_words_of_the_user(" ".join(f"{place}{self.what}{advice}".split()))

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.__reduce__())

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.what, self.where, self.advice)

    def at(self, where: str) -> LatticeMetricError:
        """Return a copy of this error at the place `where`; if the error already has a place, put `where` before it."""
        place = f"{where}: {self.where}" if self.where else where
        return type(self)(self.what, where=place, advice=self.advice)


def _rebuilt(kind: type[LatticeMetricError], what: str, where: str | None, advice: str | None) -> LatticeMetricError:
    return kind(what, where=where, advice=advice)


def reason_of(error: BaseException) -> str:
    """Return the message of an error of another package, in one line."""
    text = str(error)
    if isinstance(error, SystemExit):
        text = f"it ends the process{':' if isinstance(error.code, str) else ', with status'} {text}"
    return " ".join(text.split())


class InputError(LatticeMetricError, ValueError):
    """Error for a file or a graph with content that cannot be used."""


class FormatError(InputError):
    """Error for a file that violates its format, or has an unknown format."""


class UsageError(LatticeMetricError, ValueError):
    """Error for a parameter that is invalid, alone or in combination with other parameters."""


class MissingDependencyError(LatticeMetricError, ImportError):
    """Error for an operation that needs a package that is not installed."""


class OutputClosedError(Exception):
    """Exception raised when the reader (such as `head`) has closed standard output; not a user error."""


def output_closed() -> InputError:
    """Return the error for standard output that is closed when the program starts."""
    return InputError("standard output is closed", advice="name a file to write to")


def placed(where: str) -> _PlacedErrors:
    """Return a context manager that adds the place `where` to errors raised without a place."""
    return _PlacedErrors(where)


class _PlacedErrors:
    """Context manager of `placed`. It is a class because it runs for every graph, and a generator would be slower."""

    __slots__ = ("_where",)

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, LatticeMetricError):
            raise (error if error.where else error.at(self._where)) from None


def shortened(text: str, longest: int = 60) -> str:
    """Shorten a text for display in errors to at most `longest` characters."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def of_system(error: OSError) -> str:
    """Return the message of an operating-system error; for too many open files, add advice."""
    what = error.strerror or str(error)
    return f"{what}; allow more with ulimit -n" if error.errno in {errno.EMFILE, errno.ENFILE} else what


def harmless(text: str) -> str:
    """Escape unprintable characters, so that a text cannot move the cursor, ring the bell or hide text."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _HARMLESS else c.encode("unicode_escape").decode("ascii") for c in text)


@contextmanager
def importing(need: str, *, advice: str) -> Iterator[None]:
    """Turn an `ImportError` of the block into a `MissingDependencyError`; `need` is like `plots need matplotlib`."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingDependencyError(f"{need}, which is not installed", advice=advice) from error
    except ImportError as error:  # for example, it was built for another NumPy, or misses a library of the system
        what = f"{need}, which is installed but cannot be loaded ({shortened(' '.join(str(error).split()), 200)})"
        raise MissingDependencyError(what, advice="reinstall or upgrade it") from error


def require_pynini() -> None:
    """Raise a clear error if pynini, the Python bindings of OpenFst, is not installed."""
    advice = "install pynini (its wheels are Linux x86-64 only; conda-forge has it for macOS)"
    with importing("this operation needs pynini (OpenFst)", advice=advice):
        import pynini  # noqa: F401
