"""Options that several commands share."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from latticemetric.cli.files import GrammarName, NamesFiles, ResultFile
from latticemetric.errors import UsageError, placed

if TYPE_CHECKING:
    from latticemetric.normalization.grammar import Grammar

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class Number(click.FloatRange):
    """A number in a range: to click, NaN lies in all of them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; refuse NaN and infinities."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"'{value}' is not a finite number.", param, ctx)
        return number


from_format = click.option("--from", "from_format", metavar="FORMAT", help="Format of the graphs (else by content).")
symbols = click.option(
    "--symbols",
    type=NamesFiles(),
    metavar="FILE",
    help="Symbol table (words.txt) that spells word numbers, of graphs and references.",
)
output = click.option(
    "--output",
    "-o",
    type=ResultFile(),
    default="-",
    metavar="FILE",
    help="Where results go, compressed as the suffix says (else stdout).",
)

engine = click.option(
    "--engine",
    type=click.Choice(["auto", "native", "openfst"]),
    default="auto",
    show_default=True,
    help="What runs the search; the answer is the same.",
)

# More draws change no digit that is shown, and nobody reads more strings of a graph.
MOST_DRAWS, MOST_STRINGS = 10**6, 10**6


def checked_workers(_context: click.Context, _parameter: click.Parameter, number: int | None) -> int | None:
    """A number of workers, checked."""
    if number is not None and number > 1:
        from latticemetric.parallel.pool import check_workers

        with placed("--workers"):
            check_workers(number)
    return number


workers = click.option(
    "--workers",
    type=click.IntRange(1),
    callback=checked_workers,
    metavar="N",
    help="Graphs searched at once (default: one a processor).",
)


def together(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Several arguments and options as one, which stand in this order in `--help`."""

    def decorated(command: F) -> F:
        for decorate in reversed(decorators):
            command = decorate(command)
        return command

    return decorated


def resampling(resamples: int, what_for: str = "Resamples for intervals; 0: none.") -> Callable[[F], F]:
    """The options of whatever is resampled: how often, from which seed, and what intervals hold."""
    return together(
        click.option(
            "--resamples",
            type=click.IntRange(0, MOST_DRAWS),
            default=resamples,
            show_default=True,
            metavar="N",
            help=what_for,
        ),
        click.option(
            "--seed",
            type=click.IntRange(0),
            default=0,
            show_default=True,
            metavar="N",
            help="The same seed draws the same resamples.",
        ),
        click.option(
            "--confidence",
            type=Number(0, 1, min_open=True, max_open=True),
            default=0.95,
            show_default=True,
            metavar="SHARE",
            help="Share of resamples inside an interval.",
        ),
    )


def output_format(*names: str) -> Callable[[F], F]:
    """The option that chooses how results are written."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(names),
        default=names[0],
        show_default=True,
        help="How results are written.",
    )


def _name_and_number(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, float], ...]:
    """NAME=NUMBER, each checked."""
    if not values:
        return ()
    from latticemetric.formats.text.fields import is_number

    pairs = []
    for value in values:
        name, _, number = value.partition("=")
        if not name or not is_number(number):
            raise click.BadParameter(f"'{value}' is not a column and its weight, like acoustic=0.1")
        pairs.append((name, float(number)))
    return tuple(pairs)


normalize = click.option(
    "--normalize",
    type=GrammarName(),
    metavar="GRAMMAR",
    help="Rewrite both sides first: english, or a rule of your own, rules.far:RULE.",
)


def numbers(_context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[float, ...]:
    """Numbers with commas between them; none where nothing is given."""
    try:
        # As in files: by itself, Python would take 1_0 and digits of any script.
        ascii_only = (value or "").encode("ascii").replace(b"_", b"?")
        return tuple(map(float, ascii_only.split(b","))) if value is not None else ()
    except ValueError:
        raise click.BadParameter(f"'{value}' is not a number, nor numbers with commas", param=parameter) from None


def whole_numbers(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, ...]:
    """The same without fractions."""
    found = numbers(context, parameter, value)
    if not all(number.is_integer() for number in found):
        raise click.BadParameter(f"'{value}' has a fraction", param=parameter)
    return tuple(map(int, found))


def numbers_of_strings(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, ...]:
    """Numbers of strings that are to be listed or kept of a graph."""
    found = whole_numbers(context, parameter, value)
    if any(number > MOST_STRINGS for number in found):
        raise click.BadParameter(f"'{value}' asks for more than {MOST_STRINGS} strings", param=parameter)
    return found


scale = click.option(
    "--scale",
    "scales",
    metavar="NAME=NUMBER",
    multiple=True,
    callback=_name_and_number,
    help="Weight of a score column in the model's cost; repeatable.",
)


posterior_scale = click.option(
    "--posterior-scale",
    type=Number(0),
    default=1.0,
    show_default=True,
    metavar="NUMBER",
    help="What costs are multiplied by: below 1 makes posteriors flatter.",
)


def weights_of(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[float, ...]:
    """Numbers from 0 on with commas between them, each once."""
    found = numbers(context, parameter, text)
    if not all(0 <= weight < math.inf for weight in found):
        raise click.BadParameter(f"'{text}' holds something else than numbers from 0 on", param=parameter)
    return tuple(dict.fromkeys(found))


def weights(name: str, text: str) -> Callable[[F], F]:
    """An option that takes weights, with commas between them."""
    return click.option(name, metavar="W[,W…]", callback=weights_of, help=text)


def progress(items: Iterable[T], total: int | None, what: str) -> Iterator[T]:
    """Passes items on; with a progress bar, if a person is watching."""
    import sys

    if not sys.stderr.isatty():
        yield from items
        return
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # its thread would keep workers from being forked
    yield from tqdm(items, total=total, unit=f" {what}", leave=False, file=sys.stderr)


@contextlib.contextmanager
def results(path: str, *, at_once: bool) -> Iterator[Callable[[str], None]]:
    """A function that writes a line of results.

    Lines appear only once all of them are known: a run that stops at its last graph leaves no half result behind.
    Where failures are reported and gone past, they appear `at_once` on standard output.
    """
    from latticemetric.formats.streams.output import STANDARD_OUTPUT, atomic_output, standard_output

    straight = at_once and path == STANDARD_OUTPUT
    with standard_output() if straight else atomic_output(path) as file:

        def put(line: str) -> None:
            # A file's name may hold bytes that are no UTF-8: they are shown, and are JSON escapes there.
            file.write((line + "\n").encode("utf-8", "backslashreplace"))
            if straight:
                file.flush()

        yield put


def given(names: Iterable[str]) -> list[str]:
    """Those options of the command that runs that were given, as users write them."""
    context = click.get_current_context()
    default = click.core.ParameterSource.DEFAULT
    spelled = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    return [spelled[name] for name in names if context.get_parameter_source(name) is not default]


def refuse(names: Iterable[str], where: str, *, advice: str = "leave it out") -> None:
    """Refuses options that have no effect there."""
    for option in given(names):
        raise UsageError(f"{option} means nothing to {where}", advice=advice)


def word_list(text: str | None) -> frozenset[str]:
    """The words of an option: separated by white space, or a file of them after `@`."""
    if not text:
        return frozenset()
    from latticemetric.vocabulary import split_words

    if text.startswith("@"):
        from latticemetric.formats.streams.stream import open_stream

        with open_stream(text[1:]) as stream:
            return frozenset(word for line in stream.lines() for word in split_words(line))
    if os.path.isfile(text):  # noqa: PTH113  a name may be longer than a path may be
        raise UsageError(f"'{text}' is a file, and would be taken for a word", advice=f"for its words give @{text}")
    try:
        # In a locale that knows nothing but ASCII, what was typed is handed over byte by byte.
        return frozenset(split_words(os.fsencode(text).decode("utf-8")))
    except UnicodeError:
        raise UsageError("words of an option are not UTF-8", advice="set the locale: LC_ALL") from None


def grammar(name: str | None) -> Grammar | None:
    """The grammar of `--normalize`, if there is one."""
    if name is None:
        return None
    from latticemetric.normalization.grammar import find_grammar

    return find_grammar(name)


def listed(names: str) -> list[str]:
    """Names between commas."""
    return [name.strip() for name in names.split(",") if name.strip()]


def metric_list(names: Iterable[str], *, stem: bool = False) -> list[Any]:
    """The metrics of some lists of names, separated by commas; each once."""
    from latticemetric.metrics.registry import make_metric, metric_names

    chosen = [name for several in names for name in listed(several)]
    if not chosen:
        raise UsageError("no metric is named", advice=f"choose among {', '.join(metric_names())}")
    metrics = {}
    for name in chosen:
        try:
            metric = make_metric(name, **({"stem": True} if stem and not name.endswith("-stem") else {}))
        except UsageError as error:
            if not stem or "'stem'" not in str(error):
                raise
            raise UsageError(f"{name} knows no stems", where="--stem", advice="leave one of the two out") from None
        metrics[metric.name] = metric
    return list(metrics.values())
