"""Settings of a computation: frozen objects, checked when they are made.

A class lists its settings as fields. A field knows its default, its help line, the option that sets it, and the values
that it takes. Checks, `--help`, stubs and pages come from these fields, so that each setting is declared once.

Nothing here imports NumPy or `dataclasses`: `--help` reads the fields, and must start quickly. Type checkers see frozen
dataclasses; at run time, settings are plain classes.

    >>> class Beam(Settings):
    ...     beam: float | None = number(default=None, help="Prune.", option="--beam COST", least=0)
    >>> Beam(beam=3), Beam() == Beam(beam=None)
    (Beam(beam=3.0), True)
    >>> Beam(beam=-1)
    Traceback (most recent call last):
    latticemetric.errors.UsageError: the beam is -1; give a number ≥ 0
    >>> Beam(width=3)
    Traceback (most recent call last):
    latticemetric.errors.UsageError: Beam has no setting 'width'; its settings are beam
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from itertools import product
from typing import Any, ClassVar, NoReturn, Self, dataclass_transform

from latticemetric.arguments import MOST_DRAWS, finite_number, real_number, whole_number
from latticemetric.errors import UsageError
from latticemetric.renamed import unknown_name

# ---- Fields ----


class Field:
    """A field of settings that takes any value.

    Attributes:
        name: The name of the field, set by its class.
        section: The title of its section in `--help`, set by its class.
        default: The value if none is given.
        help: One line that says what the field does.
        option: The options that set it and their metavar, as `--help` shows them: `--beam COST`. Empty: no option.
        phrase: The beginning of errors about a value, with `{}` for the value.
        several: True if a grid may have several values of it.
        needs: Names of other fields; without a value in any of these, this one has no effect, and is refused.
        holds: The kind of file that the option may name, as the types of `cli.files` call it. Empty: no file.
        internal: True for a field that the package sets itself, and users do not see.
    """

    name: str = ""
    section: str = ""

    def __init__(
        self,
        default: Any,
        text: str,
        option: str,
        phrase: str | None = None,
        *,
        several: bool = False,
        needs: tuple[str, ...] = (),
        holds: str = "",
        internal: bool = False,
    ) -> None:
        self.default, self.help, self.option, self.internal = default, text, option, internal
        self.several, self.needs, self._phrase, self.holds = several, needs, phrase, holds

    @property
    def phrase(self) -> str:
        """The beginning of errors about a value, with `{}` for the value."""
        return self._phrase or f"the {self.name.replace('_', ' ')} is {{}}"

    def checked(self, value: Any) -> Any:
        """Return the value as the settings hold it; raise `UsageError` if it is none of this field's values."""
        return value

    def said(self, value: object) -> str:
        """Return the beginning of an error about a value."""
        return self.phrase.format(repr(value) if isinstance(value, str) else value)


class NumberField(Field):
    """A field that takes a finite number: from `least` (or above `above`) to `most` (or below `below`)."""

    def __init__(
        self,
        *given: Any,
        least: float = -math.inf,
        above: float | None = None,
        most: float = math.inf,
        below: float | None = None,
        **named: Any,
    ) -> None:
        super().__init__(*given, **named)
        self.least, self.above, self.below = least, above, below
        self.most = most if below is None else math.nextafter(below, -math.inf)

    def checked(self, value: Any) -> float:
        """Return the number as a float."""
        if self.above is None and self.least == -math.inf and self.most == math.inf:
            return finite_number(value, self.phrase.removesuffix(" is {}"))
        least = self.least if self.above is None else math.nextafter(self.above, math.inf)
        return float(
            real_number(value, self.said(value), f"give a number {self._range()}", least=least, most=self.most)
        )

    def _range(self) -> str:
        if self.below is not None:
            return f"between {self.least if self.above is None else self.above:g} and {self.below:g}"
        if self.most < math.inf:
            return (
                f"from {self.least:g} to {self.most:g}"
                if self.above is None
                else f"above {self.above:g}, up to {self.most:g}"
            )
        return f"≥ {self.least:g}" if self.above is None else f"above {self.above:g}"


class Numbers(NumberField):
    """A field that takes any number of numbers in a range; equal numbers count once."""

    def checked(self, value: Any) -> Any:
        """Return the numbers as floats."""
        return tuple(dict.fromkeys(map(super().checked, _several(value))))


class Whole(Field):
    """A field that takes a whole number, from `least` to `most`."""

    def __init__(self, *given: Any, least: int = 1, most: int | None = None, **named: Any) -> None:
        super().__init__(*given, **named)
        self.least, self.most = least, most

    def checked(self, value: Any) -> int:
        """Return the number as an int."""
        limit = f"from {self.least}" + ("" if self.most is None else f" to {self.most}")
        return whole_number(value, self.said(value), f"give a whole number {limit}", least=self.least, most=self.most)


class Choice(Field):
    """A field that takes one of several names. With `others`, it also takes values that are no names."""

    def __init__(self, *given: Any, names: tuple[str, ...], others: bool = False, **named: Any) -> None:
        super().__init__(*given, **named)
        self.names, self.others = names, others

    def checked(self, value: Any) -> Any:
        """Return the name."""
        if isinstance(value, str) and value in self.names:
            return value
        if self.others and not isinstance(value, str):
            return value
        from latticemetric.likeness import nearest

        meant = nearest(value, self.names) if isinstance(value, str) else None
        advice = f"choose {' or '.join(map(repr, self.names))}" if meant is None else f"did you mean '{meant}'?"
        raise UsageError(self.said(value), advice=advice)


class Flag(Field):
    """A field that is True or False."""

    @property
    def phrase(self) -> str:
        """The beginning of errors about a value, with `{}` for the value."""
        return self._phrase or f"{self.name} is {{}}"

    def checked(self, value: Any) -> bool:
        """Return the value as a bool."""
        if type(value) is not bool and type(value).__name__ not in ("bool_", "bool"):  # NumPy's are bool_ or bool
            raise UsageError(self.said(value), advice="give True or False")
        return bool(value)


def given(
    *,
    default: Any,
    help: str = "",  # noqa: A002
    option: str = "",
    phrase: str | None = None,
    holds: str = "",
    internal: bool = False,
) -> Any:
    """Declare a field that takes any value; `check` of its class may refuse some."""
    return Field(default, help, option, phrase, holds=holds, internal=internal)


def number(
    *,
    default: float | None,
    help: str,  # noqa: A002
    option: str = "",
    phrase: str | None = None,
    least: float = -math.inf,
    above: float | None = None,
    most: float = math.inf,
    below: float | None = None,
    several: bool = False,
    needs: tuple[str, ...] = (),
) -> Any:
    """Declare a field that takes a finite number: from `least` (or above `above`) to `most` (or below `below`)."""
    ends: dict[str, Any] = {"least": least, "above": above, "most": most, "below": below}
    return NumberField(default, help, option, phrase, several=several, needs=needs, **ends)


def numbers(
    *,
    default: tuple[float, ...],
    help: str,  # noqa: A002
    option: str = "",
    phrase: str | None = None,
    least: float = -math.inf,
    above: float | None = None,
) -> Any:
    """Declare a field that takes any number of finite numbers, from `least` (or above `above`)."""
    return Numbers(default, help, option, phrase, least=least, above=above)


def whole(
    *,
    default: int | None,
    help: str,  # noqa: A002
    option: str = "",
    phrase: str | None = None,
    least: int = 1,
    most: int | None = None,
) -> Any:
    """Declare a field that takes a whole number, from `least` to `most`."""
    return Whole(default, help, option, phrase, least=least, most=most)


def choice(
    *,
    default: str,
    names: tuple[str, ...],
    help: str,  # noqa: A002
    option: str = "",
    phrase: str | None = None,
    others: bool = False,
    needs: tuple[str, ...] = (),
) -> Any:
    """Declare a field that takes one of `names`. With `others`, it also takes values that are no strings."""
    return Choice(default, help, option, phrase, names=names, others=others, needs=needs)


def flag(*, default: bool, help: str, option: str = "") -> Any:  # noqa: A002
    """Declare a field that is True or False."""
    return Flag(default, help, option)


def like(field: Field, **changes: Any) -> Any:
    """Declare a field that is as this one, except for `changes` of its attributes.

    Type checkers take the result for a default.

    Examples:
        >>> class Wide(Settings):
        ...     beam: float | None = like(BEAM, default=10.0, option="")
        >>> Wide(), Wide().beam, Wide.fields["beam"].help == BEAM.help
        (Wide(), 10.0, True)
    """
    declared = copy(field)  # each class sets the name and the section of its own
    vars(declared).update(changes)
    return declared


# Fields of several classes

POSTERIOR_SCALE: Field = number(
    default=1.0,
    least=0,
    help="Multiply costs by this factor to get posteriors, P ∝ exp(−factor · cost); factors below 1 flatten "
    "posteriors.",
    option="--posterior-scale NUMBER",
)
BEAM: Field = number(
    default=None,
    least=0,
    help="Prune: keep the paths that cost at most this much more than the best path.",
    option="--beam COST",
)
SAMPLES: Field = whole(
    default=None,
    most=MOST_DRAWS,
    phrase="{} samples cannot be drawn",
    help="Sample N paths instead of listing all strings.",
    option="--samples N",
)
SEED: Field = whole(default=0, least=0, help="Seed of the random numbers.", option="--seed N")
FOLDS: Field = whole(
    default=5,
    least=0,
    phrase="the number of folds is {}",
    help="Number of folds for the held-out score; 0: none.",
    option="--folds N",
)


# ---- Settings ----


@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(given, number, numbers, whole, choice, flag)
)
class Settings:
    """Base class of settings. Objects cannot be changed, and equal objects have equal values.

    A subclass lists its fields, and says in `section` under which title `--help` shows them. It has the fields of its
    base classes, too.
    """

    fields: ClassVar[Mapping[str, Field]] = {}
    own: ClassVar[tuple[str, ...]] = ()
    """The names of the fields that the class itself lists."""
    section: ClassVar[str] = "Options"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()  # of Generic, where a class has type parameters
        fields: dict[str, Field] = {}
        for base in reversed(cls.__mro__[1:]):
            fields |= {name: one for name, one in getattr(base, "fields", {}).items() if name not in fields}
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Field)}
        for name, value in own.items():
            value.name, value.section = name, cls.section
            delattr(cls, name)  # the values are attributes of objects
        cls.fields, cls.own = fields | own, tuple(own)

    def __init__(self, **given: Any) -> None:
        """Check the settings; those that are not given have their defaults."""
        for name in given:
            if name not in self.fields:
                raise self.unknown(name)
        values = vars(self)
        for name, field in self.fields.items():
            value = given.get(name, field.default)
            values[name] = value if value is field.default else field.checked(value)
        for name in given:
            needs = self.fields[name].needs
            if needs and not self._is_default(name, values[name]) and not any(map(values.get, needs)):
                raise UsageError(f"{name} has no effect without {' and '.join(needs)}", advice="leave it out")
        self.check()

    def check(self) -> None:
        """Raise `UsageError` if settings do not fit together."""

    @classmethod
    def public(cls) -> list[str]:
        """Return the names of the fields that users set."""
        return [name for name, field in cls.fields.items() if not field.internal]

    @classmethod
    def unknown(cls, name: str, others: Collection[str] = ()) -> UsageError:
        """Return the error for a setting that there is not; `others` are settings that may stand beside these."""
        return unknown_name(cls._called(), name, [*cls.public(), *others])

    @classmethod
    def _called(cls) -> str:
        """The name of the settings in errors: of a task, its verb."""
        return cls.__name__

    @classmethod
    def grid(cls, **values: Any) -> list[Self]:
        """Return the settings for all combinations of values: each is one value or, where `several`, a list.

        Fields vary in their order; the last one varies fastest.
        """
        ordered = [name for name in cls.fields if name in values]
        unknown = {name: values[name] for name in values if name not in cls.fields}
        axes = [_several(values[name]) if cls.fields[name].several else [values[name]] for name in ordered]
        return [cls(**dict(zip(ordered, point, strict=True)), **unknown) for point in product(*axes)]

    def asdict(self) -> dict[str, Any]:
        """Return the values by name."""
        return dict(vars(self))

    def changed(self) -> list[str]:
        """Return the names of the fields whose values differ from their defaults."""
        return [name for name, value in vars(self).items() if not self._is_default(name, value)]

    def __replace__(self, **changes: Any) -> Self:  # for `copy.replace` of Python 3.13
        """Return settings with other values."""
        return type(self)(**{**vars(self), **changes})

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"cannot assign to '{name}': settings do not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"cannot delete '{name}': settings do not change")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        from latticemetric.frozen import are_equal  # imports NumPy

        return all(are_equal(value, vars(other)[name]) for name, value in vars(self).items())

    def __hash__(self) -> int:
        return hash((type(self), *(value for value in vars(self).values() if isinstance(value, int | float | str))))

    def __repr__(self) -> str:
        """Show the values that differ from the defaults."""
        shown = [f"{name}={vars(self)[name]!r}" for name in self.changed()]
        return f"{type(self).__name__}({', '.join(shown)})"

    def _is_default(self, name: str, value: Any) -> bool:
        default = self.fields[name].default
        # An array as a value has no single truth value.
        return value is default or (isinstance(value, int | float | str) and value == default)

    def __getstate__(self) -> dict[str, Any]:
        return dict(vars(self))

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)


def _several(values: Any) -> list[Any]:
    """Return the values of an axis as a list; one number or text is a list of one."""
    is_list = (
        isinstance(values, Iterable) and not isinstance(values, str | bytes) and getattr(values, "shape", None) != ()
    )
    return list(values) if is_list else [values]
