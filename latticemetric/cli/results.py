"""Write the results of a command: to its output, beside it, and on standard error."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import click

from latticemetric.cli.files import STANDARD
from latticemetric.cli.option_words import in_options

if TYPE_CHECKING:
    from latticemetric.corpus.tables.looks import Looks

_AT_ONCE = 2**16


def looks_in(output: str, *, percent: bool) -> Looks:
    """Return how text looks in an output: with colours on a terminal that has them, unless NO_COLOR is set."""
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.display.text import screen_width

    terminal = output == STANDARD and sys.stdout is not None and sys.stdout.isatty()
    colours = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Looks(percent=percent, terminal=terminal, colours=colours, width=screen_width())


def say(text: str) -> None:
    """Write to standard error, unless it is closed; say settings as options."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(in_options(text), err=True)


@contextlib.contextmanager
def writing(path: str, *, at_once: bool = False) -> Iterator[Callable[[str], None]]:
    """Return a context manager that provides a function to write one line of results.

    Lines become visible only after the last one, so that a run that stops leaves no partial result. With `at_once`
    (runs that report failures and continue), lines appear on standard output immediately.
    """
    from latticemetric.formats.streams.output import atomic_output, standard_output

    straight = at_once and path == STANDARD
    with standard_output() if straight else atomic_output(path) as file:
        waiting = bytearray()  # an output takes long for each call, so that it gets many lines at once

        def write_out() -> None:
            file.write(bytes(waiting))
            waiting.clear()

        def put(line: str) -> None:
            # A file's name may have bytes that are not UTF-8: write them as escapes.
            waiting.extend((line + "\n").encode("utf-8", "backslashreplace"))
            if straight:
                write_out()
                file.flush()
            elif len(waiting) >= _AT_ONCE:
                write_out()

        yield put
        write_out()


def write_lines(lines: Iterable[str], path: str) -> None:
    """Write lines of results to a file or to standard output."""
    with writing(path) as put:
        for line in lines:
            put(line)
