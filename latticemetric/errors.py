"""One family of errors. Each says what is wrong, where, and what to do about it, in one line."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Joiners are part of the spelling of Persian and Hindi words.
_HARMLESS = " \u200c\u200d"


class LatticeMetricError(Exception):
    """Base of every error that latticemetric raises on purpose.

    Args:
        what: What is wrong.
        where: File and line, graph id, or option.
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
        return " ".join(f"{place}{self.what}{advice}".split())

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.__reduce__())

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.what, self.where, self.advice)

    def at(self, where: str) -> LatticeMetricError:
        """Return the same error, placed; keep a place that is known already, inside the new one."""
        place = f"{where}: {self.where}" if self.where else where
        return type(self)(self.what, where=place, advice=self.advice)


def _rebuilt(kind: type[LatticeMetricError], what: str, where: str | None, advice: str | None) -> LatticeMetricError:
    return kind(what, where=where, advice=advice)


class InputError(LatticeMetricError, ValueError):
    """A file or a graph cannot be used as it is."""


class FormatError(InputError):
    """A file breaks its format, or its format is not known."""


class UsageError(LatticeMetricError, ValueError):
    """A parameter makes no sense, alone or with the others."""


class MissingDependencyError(LatticeMetricError, ImportError):
    """A package that this operation needs is not installed."""


class OutputClosedError(Exception):
    """Standard output was closed by its reader; this is nobody's fault."""


def output_closed() -> InputError:
    """Return the error of a standard output that was closed before the program began."""
    return InputError("standard output is closed", advice="name a file to write to")


@contextmanager
def placed(where: str) -> Iterator[None]:
    """Give this place to errors that have none."""
    try:
        yield
    except LatticeMetricError as error:
        raise (error if error.where else error.at(where)) from None


def shortened(text: str, longest: int = 60) -> str:
    """Return a text as an error shows it."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def of_system(error: OSError) -> str:
    """Describe an error of the system, with advice where there is some."""
    what = error.strerror or str(error)
    return f"{what}; allow more with ulimit -n" if error.errno in {errno.EMFILE, errno.ENFILE} else what


def harmless(text: str) -> str:
    """Escape control characters, so that a text moves no cursor, rings no bell and hides nothing."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _HARMLESS else c.encode("unicode_escape").decode("ascii") for c in text)


def require_pynini() -> None:
    """Raise one clear error where OpenFst's Python bindings are missing."""
    try:
        import pynini  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError(
            "this needs pynini (OpenFst), which is not installed",
            advice="install pynini (its wheels are Linux x86-64 only; conda-forge has it for macOS)",
        ) from error
