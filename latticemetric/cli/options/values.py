"""Parse values of options, and say which options were given."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from latticemetric.errors import UsageError, placed

if TYPE_CHECKING:
    from latticemetric.normalization.grammar import Grammar


class Number(click.FloatRange):
    """The type of a finite number in a range; click's own types accept NaN.

    If there is a function `checked`, it refuses wrong numbers, in the words that Python functions use.
    """

    def __init__(self, *given: Any, checked: Callable[[float], float] | None = None, **named: Any) -> None:
        super().__init__(*given, **named)
        self.checked = checked

    def _describe_range(self) -> str:  # click shows this in --help; without ends, it would be 'x<=None'
        return "" if self.min is None and self.max is None else super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; refuse NaN and infinities."""
        if self.checked is not None and param is not None:
            with placed(param.opts[0]):
                return self.checked(float(click.FLOAT.convert(value, param, ctx)))
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"'{value}' is not a finite number.", param, ctx)
        return number


def numbers(value: str | None) -> tuple[float, ...]:
    """Parse numbers separated by commas; return an empty tuple if the option is not given."""
    try:
        # Read numbers as in files: Python alone would accept 1_0 and digits of any script.
        ascii_only = (value or "").encode("ascii").replace(b"_", b"?")
        return tuple(map(float, ascii_only.split(b","))) if value is not None else ()
    except ValueError:
        raise click.BadParameter(f"'{value}' is not a number or a list of numbers separated by commas") from None


def whole_numbers(value: str | None, *, most_strings: float = math.inf) -> tuple[int, ...]:
    """Parse whole numbers separated by commas; refuse numbers above `most_strings`."""
    given = numbers(value)
    if not all(number.is_integer() for number in given):
        raise click.BadParameter(f"'{value}' has a number that is not a whole number")
    if any(number > most_strings for number in given):
        raise click.BadParameter(f"'{value}' asks for more than {most_strings} strings")
    return tuple(map(int, given))


def weights(value: str | None) -> tuple[float, ...]:
    """Parse numbers ≥ 0 separated by commas; drop duplicates."""
    given = numbers(value)
    if not all(0 <= weight < math.inf for weight in given):
        raise click.BadParameter(f"'{value}' has a number that is negative or not finite")
    return tuple(dict.fromkeys(given))


def listed(names: str) -> list[str]:
    """Split names at commas."""
    return [name.strip() for name in names.split(",") if name.strip()]


def word_list(text: str | None, name: str = "--ignore") -> frozenset[str]:
    """Return the words of an option; `name` is its name in errors."""
    if not text:
        return frozenset()
    from latticemetric.formats.word_lists import given_words

    if text.startswith("@"):
        return given_words(text, name)
    try:
        # In an ASCII locale, Python represents non-ASCII characters of an argument as escaped bytes.
        return given_words(os.fsencode(text).decode("utf-8"), name)
    except UnicodeError:
        raise UsageError("the words of an option are not UTF-8", advice="set LC_ALL to a UTF-8 locale") from None


def cased_words(text: str | None, name: str = "--ignore") -> frozenset[str]:
    """Return the words of an option (see `word_list`), lower-cased under `--lowercase`, as the texts are."""
    words = word_list(text, name)
    return frozenset(map(str.lower, words)) if click.get_current_context().params.get("lowercase") else words


def grammar_named(name: str | None) -> Grammar | None:
    """Return the grammar of `--normalize`; `None` if `name` is `None`."""
    if name is None:
        return None
    from latticemetric.normalization.grammar import find_grammar

    return find_grammar(name)


def given(names: Iterable[str]) -> list[str]:
    """Return the options that the user gave to the running command, among the options of the parameters `names`."""
    context = click.get_current_context()
    default = click.core.ParameterSource.DEFAULT
    written = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    return [written[name] for name in names if context.get_parameter_source(name) is not default]


def refuse(names: Iterable[str], where: str, *, advice: str = "leave it out") -> None:
    """Raise an error if the user gave one of these parameters.

    Args:
        names: The parameters.
        where: The condition under which the parameters have no effect, such as `without --shard`.
        advice: What the user can do.
    """
    for name in given(names):
        raise UsageError(f"{name} has no effect {where}", advice=advice)
