"""Commands that show their options in sections of `--help`, a verb's own first, and the option `--version`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from latticemetric.cli.options import grouped

F = TypeVar("F", bound=Callable[..., Any])
Sections = Mapping[str, str]  # title -> long options, with spaces between them

# Options with the same meaning in all commands. All other options belong to a single command.
_SHARED: Sections = {
    "What is measured": "--metric --metrics --alpha --beta --ignore --wildcard "
    "--tokenize --lowercase --stem --normalize",
    "The model's scores": "--scale --posterior-scale",
    "What is read": "--from --symbols --references --keyed",
    "Intervals": "--resamples --seed --confidence",
    "Very many graphs": "--workers --cluster --keep-going --failures --timeout --max-memory --shard --resume",
    "What is written": "--format --output --short-signature --write-lattices --to --sum-scores --drop-labels --plot",
    "Help": "--version --help",
}
_OWN = "Options"
_PACKAGES = {"pynini": " (OpenFst)", "numpy": "", "nltk": "", "sacrebleu": ""}


class Verb(click.Command):
    """A command that shows its options in sections, and never overwrites its inputs."""

    def __init__(self, *arguments: Any, sections: Sections | None = None, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.sections = sections or {}

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, unless it would overwrite its inputs."""
        from latticemetric.cli.outputs import guarded

        with guarded(ctx):
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections."""
        for title, options in option_sections(self, ctx):
            with formatter.section(title):
                formatter.write_dl([record for option in options if (record := option.get_help_record(ctx))])


def verb(name: str, **settings: Any) -> Callable[[Callable[..., None]], click.Command]:
    """Return a decorator that makes a command; `sections` groups its options for `--help`."""
    make = click.command(name, cls=Verb, context_settings={"help_option_names": ["-h", "--help"]}, **settings)
    return lambda function: make(grouped(function))


def option_sections(command: click.Command, context: click.Context) -> list[tuple[str, list[click.Option]]]:
    """Return the options of a command in sections: its own first, then shared ones."""
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
        if wanted and not context.resilient_parsing:
            click.echo("\n".join(_versions(program)))
            context.exit()

    return click.option(
        "--version", is_flag=True, is_eager=True, expose_value=False, callback=show, help="Show versions and exit."
    )


def _versions(program: str) -> list[str]:
    import platform

    from latticemetric.doctor import package_version
    from latticemetric.signature import VERSION

    components = [f"{name} {package_version(name) or 'not installed'}{note}" for name, note in _PACKAGES.items()]
    return [f"{program} {VERSION}", *components, f"python {platform.python_version()}"]
