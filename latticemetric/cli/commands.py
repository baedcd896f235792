"""Declare commands: groups of options, the sections of `--help`, and `--version`.

A group of options is a class; each field is the value of one option, or of several flags. Annotate a parameter of a
command with a group: then `verb` adds the options of the group to the command, and passes their values as one object.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar, dataclass_transform, get_type_hints

import click

from latticemetric.errors import InputError

if TYPE_CHECKING:
    from latticemetric.cli.verbs import About
    from latticemetric.settings import Field

F = TypeVar("F", bound=Callable[..., Any])
Sections = Mapping[str, str]  # title -> long options, with spaces between them

running: list[click.Command] = []
"""The command that runs: messages name its options."""

HELP = {"help_option_names": ["-h", "--help"]}
# Sections of options with the same meaning in all commands. Each command has its own sections for other options.
_SHARED: Sections = {
    "Metric": "--metric --parameter --ignore --tokenize --lowercase --stem --normalize",
    "Model scores": "--weights --posterior-scale",
    "Input": "--from --symbols --style --reference-field",
    "Intervals": "--resamples --seed --confidence",
    "Large runs": "--workers --cluster --keep-going --failures --timeout --max-memory --shard --resume",
    "Output": "--format --output --fractions --short-signature --write-lattices --to --sum-scores "
    "--scores-off --drop-labels --plot",
    "Help": "--version --help",
}
_OWN = "Options"
_PACKAGES = {"pynini": " (OpenFst)", "numpy": "", "nltk": "", "sacrebleu": ""}


# Groups of options


class Declaration:
    """The command-line options of one field of a group: the names of each option, and its settings for click.

    Attributes:
        options: The names and the settings of each option.
        field: The field of settings that the option sets; `None` if there is none.
    """

    field: Field | None = None

    def __init__(self, *options: tuple[Sequence[str], dict[str, Any]]) -> None:
        self.options = options


def option(spelling: str, text: str, *, reads: Callable[[Any], Any] | None = None, **settings: Any) -> Any:
    """Declare a field of a group, with the option that sets it; pass further `settings` to `click.option`.

    `spelling` lists the option's names and its metavar, as `--help` shows them: `--output -o FILE`. The function
    `reads` converts the value from click (`None` if the option is not given) to the value of the field.
    """
    if reads is not None:
        settings["callback"] = lambda _context, _parameter, value: reads(value)
    words = spelling.split()
    names = [word for word in words if word.startswith("-")]
    metavar = words[-1] if len(names) < len(words) else None
    return Declaration((names, {"help": text, "metavar": metavar, "show_default": "default" in settings, **settings}))


def choice(name: str, names: Sequence[str], text: str, *, optional: bool = False) -> Any:
    """Declare a field whose value is one of `names`; the default is the first name, or `None` if `optional`."""
    default: dict[str, Any] = {} if optional else {"default": names[0]}
    return option(name, text, type=click.Choice(names), **default)


def flag(spelling: str, text: str) -> Any:
    """Declare a field that is `True` if its option is given."""
    return option(spelling, text, is_flag=True, show_default=False)


def one_of(default: str, **texts: str) -> Any:
    """Declare a field whose value is the name of the last flag that the user gives; without a flag, `default`.

    `texts` has the help line of each flag, by name.
    """
    flags = (((f"--{name}",), {"default": default, "flag_value": name, "help": text}) for name, text in texts.items())
    return Declaration(*flags)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option, choice, flag, one_of))
class Options:
    """Base class of groups of options. Instances cannot be changed.

    Type checkers see a frozen dataclass. At run time it is a plain class, since dataclasses make `--help` 10 % slower.
    """

    declared: ClassVar[dict[str, Declaration]] = {}

    def __init_subclass__(cls) -> None:
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Declaration)}
        inherited = [base.declared for base in reversed(cls.__bases__) if issubclass(base, Options)]
        cls.declared = {**dict(chain.from_iterable(map(dict.items, inherited))), **own}

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"cannot assign to field '{name}'")


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Find the groups in the annotations of a command's parameters; add their options to the command."""
    hints = get_type_hints(command)
    groups: dict[str, type[Options]] = {
        name: hints[name]
        for name in inspect.signature(command).parameters
        if isinstance(hints.get(name), type) and issubclass(hints[name], Options)
    }

    @functools.wraps(command)
    def taking_values(**values: Any) -> None:
        filled = {name: kind(**{field: values.pop(field) for field in kind.declared}) for name, kind in groups.items()}
        command(**values, **filled)

    for kind in reversed(groups.values()):
        for field, declaration in reversed(kind.declared.items()):
            for names, settings in reversed(declaration.options):
                click.option(*names, field, **settings)(taking_values)
    return taking_values


# Commands


class Verb(click.Command):
    """A command that shows its options in sections, and refuses to overwrite its inputs by mistake.

    Attributes:
        sections: The sections of its own options.
        about: What the program says of it in the list of verbs; `None` for verbs of this package, which `VERBS` has.
    """

    def __init__(
        self, *arguments: Any, sections: Sections | None = None, about: About | None = None, **settings: Any
    ) -> None:
        super().__init__(*arguments, **settings)
        self.sections, self.about = sections or {}, about

    @property
    def reads(self) -> frozenset[str]:
        """The kinds of files that it can read: graphs, references, texts, tables and others."""
        from latticemetric.cli.files import NamesFiles

        return frozenset(one.type.holds for one in self.params if isinstance(one.type, NamesFiles))

    @property
    def writes(self) -> frozenset[str]:
        """The kinds of files that it can write: results, graphs, or others (files)."""
        from latticemetric.cli.files import Output

        return frozenset(one.type.holds for one in self.params if isinstance(one.type, Output))

    @property
    def resumes(self) -> bool:
        """True if it can continue an interrupted run."""
        return self.has("--resume")

    @property
    def shards(self) -> bool:
        """True if it can run over every N-th graph, and `merge` can join its results."""
        return self.has("--shard")

    @property
    def has_cluster(self) -> bool:
        """True if it can use the workers of a cluster."""
        return self.has("--cluster")

    def has(self, option: str) -> bool:
        """Return True if it has an option of this name."""
        return any(option in one.opts for one in self.params)

    def argument_with(self, kind: str) -> click.Argument | None:
        """Return its first argument that names files of this kind."""
        from latticemetric.cli.files import NamesFiles

        arguments = (one for one in self.params if isinstance(one, click.Argument))
        return next((one for one in arguments if isinstance(one.type, NamesFiles) and one.type.holds == kind), None)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, unless it would overwrite its inputs; say in errors if files are of the wrong kind."""
        from latticemetric.cli.output_guard import guarded

        try:
            with guarded(ctx):
                return super().invoke(ctx)
        except InputError as error:
            from latticemetric.cli.wrong_kinds import wrong_kinds

            arguments = [self.argument_with(kind) for kind in ("graphs", "references")]
            if (wrong := wrong_kinds(error, arguments, ctx.params)) is not None:
                raise wrong from None
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, grouped by section."""
        for title, options in option_sections(self, ctx):
            with formatter.section(title):
                formatter.write_dl([record for option in options if (record := option.get_help_record(ctx))])


def verb(name: str, **settings: Any) -> Callable[[Callable[..., None]], click.Command]:
    """Return a decorator that makes a command.

    Args:
        name: The name of the verb.
        **settings: Its `sections`, which group its options for `--help`; for verbs of other packages, `about`; and
            settings of click's commands, such as `epilog`.
    """
    make = click.command(name, cls=Verb, context_settings=HELP, **settings)
    return lambda function: make(grouped(function))


def option_sections(command: click.Command, context: click.Context) -> list[tuple[str, list[click.Option]]]:
    """Return the options of a command by section: first the command's own sections, then the shared sections."""
    own: Sections = getattr(command, "sections", {})
    named = [(title, name) for table in (own, _SHARED) for title, names in table.items() for name in names.split()]
    sections: dict[str, list[click.Option]] = {title: [] for title in (*own, _OWN, *_SHARED)}
    left = [one for one in command.get_params(context) if isinstance(one, click.Option) and not one.hidden]
    for title, name in named:
        sections[title] += [option for option in left if name in option.opts]
        left = [option for option in left if name not in option.opts]
    sections[_OWN] += left
    return [(title, options) for title, options in sections.items() if options]


def version_option(program: str) -> Callable[[F], F]:
    """Add `--version`, which shows versions without importing the packages."""

    def show(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
        if not wanted or context.resilient_parsing:
            return
        import platform

        from latticemetric.doctor import package_version
        from latticemetric.metrics.signature import VERSION

        click.echo(f"{program} {VERSION}")
        for name, note in _PACKAGES.items():
            click.echo(f"{name} {package_version(name) or 'not installed'}{note}")
        click.echo(f"python {platform.python_version()}")
        context.exit()

    return click.option(
        "--version", is_flag=True, is_eager=True, expose_value=False, callback=show, help="Show versions and exit."
    )
