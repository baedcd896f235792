"""Options that several commands share."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import click

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

_SPOOL_IN_MEMORY = 2**24

from_format = click.option("--from", "from_format", metavar="FORMAT", help="Format of the graphs (else by content).")
symbols = click.option(
    "--symbols", metavar="FILE", help="Symbol table (words.txt) that spells the word numbers of the graphs."
)
output = click.option("--output", "-o", default="-", metavar="FILE", help="Where results go (else stdout).")


workers = click.option(
    "--workers", type=click.IntRange(1), metavar="N", help="Graphs searched at once (default: one a processor)."
)


def output_format(*names: str) -> Callable[[F], F]:
    """The option that chooses how results are written."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(names),
        default=names[0],
        show_default=True,
        help="Of results.",
    )


class Named(click.ParamType[tuple[str, float]]):
    """NAME=NUMBER."""

    name = "NAME=NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        """Splits and checks one value."""
        if isinstance(value, tuple):
            return value
        name, _, number = value.partition("=")
        try:
            scale = float(number)
        except ValueError:
            scale = float("nan")
        if not name or scale != scale or scale in {float("inf"), float("-inf")}:  # noqa: PLR0124  NaN
            self.fail(f"'{value}' is not a column and its weight, like acoustic=0.1", param, ctx)
        return name, scale


scale = click.option(
    "--scale",
    "scales",
    type=Named(),
    multiple=True,
    help="Weight of a score column in the model's cost; repeatable.",
)


def progress(items: Iterable[T], total: int | None, what: str) -> Iterator[T]:
    """Passes items on; with a progress bar, if a person is watching."""
    import sys

    if not sys.stderr.isatty():
        yield from items
        return
    from tqdm import tqdm

    yield from tqdm(items, total=total, unit=f" {what}", leave=False, file=sys.stderr)


@contextlib.contextmanager
def results(path: str, *, at_once: bool) -> Iterator[Callable[[str], None]]:
    """A function that writes a line of results.

    Lines appear only once all of them are known: a run that stops at its last graph leaves no half result behind.
    Where failures are reported and gone past, they appear `at_once` on standard output.
    """
    import shutil
    import tempfile

    from latticemetric.formats.writing import STANDARD_OUTPUT, atomic_output

    def line_to(file: Any) -> Callable[[str], None]:
        return lambda text: file.write((text + "\n").encode("utf-8"))

    with atomic_output(path) as file:
        if at_once and path == STANDARD_OUTPUT:
            yield line_to(file)
            return
        with tempfile.SpooledTemporaryFile(_SPOOL_IN_MEMORY) as draft:
            yield line_to(draft)
            draft.seek(0)
            shutil.copyfileobj(draft, file)


def word_list(text: str | None) -> frozenset[str]:
    """The words of an option: separated by white space, or a file of them after `@`."""
    if not text:
        return frozenset()
    if text.startswith("@"):
        from latticemetric.formats.stream import open_stream

        with open_stream(text[1:]) as stream:
            return frozenset(word for line in stream.lines() for word in line.split())
    return frozenset(text.split())
