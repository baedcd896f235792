"""What `--help` shows of a command: its options in sections, its own first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

Sections = Mapping[str, str]  # title -> long options, with spaces between them

# Options that mean the same to every command that has them; what no section names is a command's own.
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


class Verb(click.Command):
    """A command that shows its options in sections, and writes over nothing that it reads."""

    def __init__(self, *arguments: Any, sections: Sections | None = None, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.sections = sections or {}

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command, unless it would write over what it reads."""
        from latticemetric.cli.outputs import guarded

        with guarded(ctx):
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the sections."""
        for title, options in option_sections(self, ctx):
            with formatter.section(title):
                formatter.write_dl([record for option in options if (record := option.get_help_record(ctx))])


def verb(name: str, **settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Makes a command of a function: `-h` helps too, and `sections` says which options belong together."""
    return click.command(name, cls=Verb, context_settings={"help_option_names": ["-h", "--help"]}, **settings)


def option_sections(command: click.Command, context: click.Context) -> list[tuple[str, list[click.Option]]]:
    """The options of any command in sections: what is its own, then what many commands share."""
    own: Sections = getattr(command, "sections", {})
    named = [(title, name) for table in (own, _SHARED) for title, names in table.items() for name in names.split()]
    found: dict[str, list[click.Option]] = {title: [] for title in (*own, _OWN, *_SHARED)}
    left = [one for one in command.get_params(context) if isinstance(one, click.Option) and not one.hidden]
    for title, name in named:
        found[title] += [option for option in left if name in option.opts]
        left = [option for option in left if name not in option.opts]
    found[_OWN] += left
    return [(title, options) for title, options in found.items() if options]
