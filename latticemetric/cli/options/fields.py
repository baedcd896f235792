"""Options from the fields of settings, and settings from the values of options."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import click

from latticemetric.cli.commands import Declaration, Options, option
from latticemetric.cli.files import GrammarName, NamesFiles, ScoreWeights, TableFiles, WordList
from latticemetric.cli.options.values import Number as NumberInRange
from latticemetric.cli.options.values import given, numbers, refuse
from latticemetric.errors import placed
from latticemetric.settings import Choice, Field, Flag, NumberField, Numbers, Settings, Whole

AnySettings = TypeVar("AnySettings", bound=Settings)


def _names(field: Field) -> list[str]:
    return [word for word in field.option.split() if word.startswith("-")]


_TYPES: dict[str, type[NamesFiles]] = {one.holds: one for one in (TableFiles, ScoreWeights, GrammarName, WordList)}


def option_of(field: Field, **further: Any) -> Any:
    """Return the option that sets a field, with further settings for click or `reads`."""
    of_click: dict[str, Any] = {} if field.default in (None, ()) else {"default": field.default}
    if field.holds:
        of_click["type"] = _TYPES[field.holds]()
    elif isinstance(field, Flag):
        of_click = {"is_flag": True, "show_default": False}
    elif isinstance(field, Choice):
        of_click["type"] = click.Choice(field.names)
    elif isinstance(field, Whole):
        of_click["type"] = click.IntRange(field.least, field.most)
    elif isinstance(field, Numbers):
        of_click = {"reads": functools.partial(_numbers, field)}
    elif isinstance(field, NumberField) and field.several:
        of_click = {"default": f"{field.default:g}", "reads": functools.partial(_numbers, field)}
    elif isinstance(field, NumberField):
        least = field.least if field.above is None else field.above
        most = None if field.most == math.inf else field.most if field.below is None else field.below
        of_click["type"] = NumberInRange(
            None if least == -math.inf else least,
            most,
            min_open=field.above is not None,
            max_open=field.below is not None,
            checked=field.checked,
        )
    declared: Declaration = option(field.option, field.help, **of_click, **further)
    declared.field = field
    return declared


def _numbers(field: Field, text: str | None) -> tuple[float, ...]:
    """Parse the numbers of an option, separated by commas; without the option, return the default of the field."""
    if text is None:
        return tuple(field.default)
    with placed(_names(field)[0]):
        return field.checked(numbers(text)) if isinstance(field, Numbers) else tuple(map(field.checked, numbers(text)))


class SettingsOptions(Options):
    """A group with the options of several kinds of settings: `class MBROptions(SettingsOptions, kinds=KINDS)`.

    An option that several kinds share stands once.
    """

    fields: ClassVar[Mapping[str, Field]] = {}

    def __init_subclass__(cls, kinds: Sequence[type[Settings]] = ()) -> None:
        super().__init_subclass__()
        cls.fields = {name: one for kind in kinds for name, one in kind.fields.items() if one.option}
        cls.declared = {name: option_of(one) for name, one in cls.fields.items()} | cls.declared

    @classmethod
    def sections(cls, others: Mapping[str, str]) -> dict[str, str]:
        """Return the sections of `--help`: the titles and options of `others`, then the options of the fields."""
        found = dict(others)
        for one in cls.fields.values():
            found[one.section] = f"{found.get(one.section, '')} {_names(one)[0]}"
        return found

    def grid(self, kind: type[AnySettings], **values: Any) -> list[AnySettings]:
        """Return the settings of one kind, for all combinations of the values of its options.

        `values` are those of settings that have no option of their own. Call `refuse_others` before.
        """
        return kind.grid(**{name: getattr(self, name) for name in self.fields if name in kind.fields}, **values)

    def settings(self, kind: type[AnySettings], **values: Any) -> AnySettings:
        """Return the settings of a kind; `values` are those of settings without option, or replace those of options."""
        of_fields = {one.field.name: name for name, one in self.declared.items() if one.field is not None}
        return kind(**{name: getattr(self, own) for name, own in of_fields.items() if name in kind.fields} | values)

    def refuse_others(self, kind: type[Settings], where: str) -> None:
        """Refuse the options of other kinds; `where` is the condition under which they have no effect.

        Also refuse options that have no effect without others.
        """
        refuse([name for name in self.fields if name not in kind.fields], where)
        for name, field in self.fields.items():
            if field.needs and not any(getattr(self, other) for other in field.needs):
                needed = " and ".join(_names(self.fields[other])[0] for other in field.needs)
                refuse([name], f"without {needed}")

    def given(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the values that the user gave, of the settings called `names`."""
        return {name: getattr(self, name) for name in names if name in self.fields and given([name])}
