"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any, TypeVar

import click

T = TypeVar("T")

from_format = click.option("--from", "from_format", metavar="FORMAT", help="Format of the graphs (else by content).")
symbols = click.option(
    "--symbols", metavar="FILE", help="Symbol table (words.txt) that spells the word numbers of the graphs."
)
output = click.option("--output", "-o", default="-", metavar="FILE", help="Where results go (else stdout).")


def output_format(*names: str) -> Any:
    """The option that chooses how results are written."""
    return click.option(
        "--format", "output_format", type=click.Choice(names), default=names[0], show_default=True, help="Of results."
    )


class Named(click.ParamType):
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
    "--scale", "scales", type=Named(), multiple=True, help="Weight of a score column in the model's cost; repeatable."
)


def progress(items: Iterable[T], total: int | None, what: str) -> Iterator[T]:
    """Passes items on; with a progress bar, if a person is watching."""
    import sys

    if not sys.stderr.isatty():
        yield from items
        return
    from tqdm import tqdm

    yield from tqdm(items, total=total, unit=f" {what}", leave=False, file=sys.stderr)


class Output:
    """Lines of results, which appear only once all of them are known, or at once where failures are reported.

    Without this, a run that stops at its last graph would leave half a result behind.
    """

    def __init__(self, path: str, *, at_once: bool) -> None:
        self._path = path
        self._at_once = at_once and path == "-"

    def __enter__(self) -> Output:
        import tempfile

        from latticemetric.formats.writing import atomic_output

        self._target = atomic_output(self._path)
        self._file = self._target.__enter__()
        self._draft: IO[bytes] = self._file if self._at_once else tempfile.SpooledTemporaryFile(2**24)  # type: ignore[assignment]
        return self

    def line(self, text: str) -> None:
        """Writes one line."""
        self._draft.write((text + "\n").encode("utf-8"))

    def __exit__(self, *error: Any) -> None:
        import shutil

        if error[0] is None and self._draft is not self._file:
            self._draft.seek(0)
            shutil.copyfileobj(self._draft, self._file)
        if self._draft is not self._file:
            self._draft.close()
        self._target.__exit__(*error)


def word_list(text: str | None) -> frozenset[str]:
    """The words of an option: separated by white space, or a file of them after `@`."""
    if not text:
        return frozenset()
    if text.startswith("@"):
        from latticemetric.formats.stream import open_stream

        with open_stream(text[1:]) as stream:
            return frozenset(word for line in stream.lines() for word in line.split())
    return frozenset(text.split())
