"""A page for each command, made from its help; a new command gets its page automatically."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import option_table

from latticemetric.cli import main
from latticemetric.cli.commands import option_sections
from latticemetric.cli.verbs import VERBS, sections

_FOLDER = "commands"
_NO_GUIDES = {
    _FOLDER,
    "_build",
    "index.md",
    "migration.md",
    "architecture.md",
    "changelog.md",
    "contributing.md",
    "json.md",
}
# Options, '<s> </s>', names of files, and their placeholders in a synopsis.
_CODE = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]*|'[^']+'|@?[\w*]+\.(?:fst|far|txt|tsv)(?::RULE)?|@FILE|[a-z]+/)(?!\w)")


def setup(app: Any) -> dict[str, Any]:
    """Connect to Sphinx."""
    app.connect("builder-inited", _write_pages)
    return {"parallel_read_safe": True}


def _write_pages(app: Any) -> None:
    folder = Path(app.srcdir) / _FOLDER
    folder.mkdir(exist_ok=True)
    pages = {f"{name}.md": text for name, text in _pages(Path(app.srcdir))}
    for file in folder.glob("*.md"):
        if file.name not in pages:
            file.unlink()
    for name, text in pages.items():
        file = folder / name
        if not file.is_file() or file.read_text(encoding="utf-8") != text:  # Sphinx rebuilds only pages that change
            file.write_text(text, encoding="utf-8")


def _pages(docs: Path) -> Iterator[tuple[str, str]]:
    top = click.Context(main._group, info_name="latticemetric")  # noqa: SLF001  the one table of verbs
    verbs = main._group.list_commands(top)  # noqa: SLF001
    yield "index", _index(verbs)
    yield "options", option_table.page()
    for verb in verbs:
        command = main._group.get_command(top, verb)  # noqa: SLF001
        yield verb, "\n".join(_page(verb, command, top, _guides(docs, verb)))


def _index(verbs: list[str]) -> str:
    rows = list[str]()
    for title, section in sections(VERBS).items():
        rows += [f"## {title}", "", "| Command | |", "|---|---|"]
        rows += [f"| [](<{verb}.md>) | {_escaped(text)} |" for verb, text in section.items()] + [""]
    tree = ["```{toctree}", ":hidden:", "", "options", *verbs, "```"]
    intro = (
        "Arguments, options and exit status of each command, as in `latticemetric VERB --help` (or `-h`). The guides "
        "explain what each command is for; [one table](options.md) has all options of all commands."
    )
    return "\n".join(["# Commands", "", intro, "", *rows, *tree, ""])


def _guides(docs: Path, verb: str) -> list[str]:
    """Return the paths of the pages that link to the command's page."""
    link = re.compile(rf"commands/{verb}\.md|`latticemetric {verb}`")
    pages = [page.relative_to(docs) for page in sorted(docs.rglob("*.md"))]
    guides = [page for page in pages if page.parts[0] not in _NO_GUIDES]
    return [str(page) for page in guides if link.search((docs / page).read_text(encoding="utf-8"))]


def _page(verb: str, command: click.Command, parent: click.Context, guides: list[str]) -> Iterator[str]:
    name = "lattice-oracle" if verb == "oracle" else f"latticemetric {verb}"
    context = _context(command, verb, parent)
    yield f"# {name}\n"
    yield from _described(command, context, name)
    if verb == "oracle":
        yield "`latticemetric oracle` is the same command.\n"
    if isinstance(command, click.Group):
        for part in command.list_commands(context):
            inner = command.commands[part]
            yield f"## {name} {part}\n"
            yield from _described(inner, _context(inner, part, context), f"{name} {part}")
            yield from _options(inner, _context(inner, part, context), f"{verb}-{part}", "###")
    else:
        yield "## Options\n"
        yield from _options(command, context, verb, "###")
    if command.epilog:
        yield "## Examples\n"
        yield from ["```sh", *(line.strip() for line in command.epilog.splitlines()[2:]), "```\n"]
    yield from _exit_statuses(command)
    if guides:
        yield "## Guides\n"
        yield ", ".join(f"[](<../{guide}>)" for guide in guides) + "\n"


def _context(command: click.Command, name: str, parent: click.Context) -> click.Context:
    settings: dict[str, Any] = command.context_settings
    return click.Context(command, info_name=name, parent=parent, **settings)


def _described(command: click.Command, context: click.Context, name: str) -> Iterator[str]:
    arguments = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{name} {arguments}\n```\n"
    named = "|".join({re.escape(word.strip("[].")) for word in arguments.split()[1:]})
    for paragraph in re.split(r"\n\s*\n", (command.help or "").strip()):
        text = _escaped(" ".join(paragraph.split()))
        yield (re.sub(rf"\b({named})\b(?!`)", r"`\1`", text) if named else text) + "\n"


def _options(command: click.Command, context: click.Context, program: str, heading: str) -> Iterator[str]:
    sections = [
        (title, shown)
        for title, options in option_sections(command, context)
        if (shown := [option for option in options if "--help" not in option.opts])
    ]
    yield f"```{{program}} {program}\n```\n"
    for title, options in sections:
        if len(sections) > 1:
            yield f"{heading} {_escaped(title)}\n"
        for option in options:
            spelled, _ = option.get_help_record(context) or ("", "")
            yield f"```{{option}} {_each(spelled, option)}\n{_escaped(_sentence(option, context))}\n```\n"


def _each(spelled: str, option: click.Option) -> str:
    """Spell `-o, --output FILE` as Sphinx does, with the value after each name."""
    value = spelled.partition(option.opts[-1] if len(option.opts) == 1 else max(option.opts, key=len))[2]
    return ", ".join(name + value for name in sorted(option.opts, key=len, reverse=True))


def _sentence(option: click.Option, context: click.Context) -> str:
    extra = option.get_help_extra(context)
    found = [option.help or ""]
    if "default" in extra:
        found.append(f"Default: '{extra['default']}'.")
    if "range" in extra:
        found.append(f"Range: '{extra['range']}'.")
    return " ".join(found)


def _exit_statuses(command: click.Command) -> Iterator[str]:
    yield "## Exit status\n"
    yield "| | |\n|---|---|"
    if "Exit status" not in (command.help or ""):
        yield "| 0 | success |"
        if any("--keep-going" in option.opts for option in command.params):
            yield "| 1 | something failed under `--keep-going`; the rest succeeded |"
    yield "| 2 | wrong usage or input; the last line on standard error names the problem, its place, and what to do |"
    yield "| 128 + *n* | ended by signal *n*: 130 after an interrupt |\n"


def _escaped(text: str) -> str:
    """Escape text for Markdown; mark options, arguments and quoted words as code."""
    parts = _CODE.split(text)
    for at, part in enumerate(parts):
        parts[at] = "`" + part.strip("'") + "`" if at % 2 else re.sub(r"([\\`*_<>\[\]|$~])", r"\\\1", part)
    return "".join(parts)
