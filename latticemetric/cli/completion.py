"""`latticemetric completion`: what makes a shell complete our commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from importlib import import_module

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
)

from latticemetric.cli.help_page import verb

# ---- What a shell is offered when a user presses Tab: names of metrics, formats and grammars, and files ----
#
# Commands say what a value is by its metavar, so nothing is said twice: whatever shows FILE is completed as one.

Names = Callable[[], Iterable[str]]

_FILE_METAVARS = frozenset({"FILE", "REFERENCES"})


def prepare(command: click.Command) -> None:
    """Gets a command ready to be asked; groups whose commands are imported late call `teach` on these."""
    for shell in (_Bash, _Zsh, _Fish):
        add_completion_class(shell)
    teach(command)


def teach(command: click.Command) -> None:
    """Tells the parameters of a command, and of those in it, what to offer."""
    for parameter in command.params:
        if isinstance(parameter.type, click.types.StringParamType):
            offered = _offered(command.name or "", parameter)
            if offered is not None:
                # It stays of its kind, which says what it has to do with files.
                parameter.type = copy(parameter.type)
                vars(parameter.type)["shell_complete"] = offered.shell_complete
    if isinstance(command, click.Group):
        for each in command.commands.values():
            teach(each)


class _Offered(click.types.StringParamType):
    """A text, and what it may be.

    Args:
        names: Of which it may be one.
        listed: Whether it may be several, with commas between them.
        files: Whether it may be a file, too.
    """

    def __init__(self, names: Names = tuple, *, listed: bool = False, files: bool = False) -> None:
        self._names = names
        self._listed = listed
        self._files = files

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002  click's interface
        """The names that go on from what is written; where there is none, a file."""
        before, comma, begun = incomplete.rpartition(",") if self._listed else ("", "", incomplete)
        taken = before.split(",")
        found = [name for name in self._names() if name.startswith(begun) and name not in taken]
        if found or not self._files:
            return [CompletionItem(before + comma + name) for name in found]
        return [CompletionItem(incomplete, type="file")]


def _offered(verb: str, parameter: click.Parameter) -> _Offered | None:
    """What a parameter may be, by its name and its metavar."""
    by_name: dict[str, _Offered] = {
        "metric": _Offered(_all_metrics) if verb == "mbr" else _Offered(_rates(verb), files=verb == "oracle"),
        "method": _Offered(_methods),
        "mbr": _Offered(_methods),
        "metrics": _Offered(_all_metrics, listed=True),
        "score": _Offered(_all_metrics, listed=True),
        "baseline": _Offered(_all_metrics),
        "unigram": _Offered(_all_metrics),
        "tokenize": _Offered(_tokenizers),
        "from_format": _Offered(_formats),
        "to_format": _Offered(_written_formats),
        "normalize": _Offered(_grammars, files=True),
        "grammar": _Offered(_grammars, files=True),
        "names": _Offered(_grammars),
        "ignore": _Offered(),
    }
    if parameter.name in by_name:
        return by_name[parameter.name]
    if isinstance(parameter, click.Argument) or parameter.metavar in _FILE_METAVARS:
        return _Offered(files=True)
    return None


def _rates(verb: str) -> Names:
    """What graphs are searched by; a whole test set, by BLEU too."""
    corpora = ("bleu", "bleu-sbp") if verb == "oracle" else ()
    return lambda: ("wer", "wrr", "2-grr", "3-grr", "4-grr", *corpora)


def _all_metrics() -> list[str]:
    from latticemetric.metrics.registry import OWN_METRICS

    return sorted([*(OWN_METRICS - {"grr"}), "4-grr", *_plugins("metrics")])


def _methods() -> list[str]:
    return ["ngram", *_all_metrics()]


def _formats() -> list[str]:
    from latticemetric.formats.registry import BUILT_IN

    return sorted([*BUILT_IN, *_plugins("formats")])


def _written_formats() -> list[str]:
    from latticemetric.formats.registry import with_plugins

    return sorted(name for name, found in with_plugins().items() if found.can_be_written)


def _plugins(kind: str) -> list[str]:
    """Their names; none is imported."""
    from importlib.metadata import entry_points

    return [entry.name for entry in entry_points(group=f"latticemetric.{kind}")]


def _grammars() -> Iterable[str]:
    from latticemetric.normalization.shipped import shipped_grammars

    return shipped_grammars()


def _tokenizers() -> list[str]:
    try:
        found = import_module("sacrebleu.metrics").BLEU.TOKENIZERS
    except ImportError:
        found = []
    return sorted({"none", *found})


class _Bash(BashComplete):
    """Bash takes --metric=wer for three words; it is one."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is written, and that."""
        words, incomplete = super().get_completion_args()
        joined: list[str] = []
        for word in words:
            if joined and (word == "=" or joined[-1].endswith("=")) and joined[-1].startswith("--"):
                joined[-1] += word
            else:
                joined.append(word)
        if joined and joined[-1].startswith("--") and joined[-1].endswith("="):
            joined[-1] = joined[-1][:-1]
        return joined, incomplete


class _Joined(ShellComplete):
    """Other shells take --metric=wer for one word, so what is offered for it begins with --metric=."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """What could be meant."""
        found = super().get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if not (equals and option.startswith("--")):
            return found
        return [CompletionItem(f"{option}={item.value}", item.type, item.help) for item in found]


class _Zsh(_Joined, ZshComplete):
    pass


class _Fish(_Joined, FishComplete):
    # Names with commas between them are one value.
    source_template = FishComplete.source_template.replace('string split ","', 'string split -m 1 ","')


def script(shell: str, program: str) -> str:
    """What a shell has to be told to ask a program."""
    variable = f"_{program}_COMPLETE".replace("-", "_").upper()  # click looks for that one
    prepare(click.Command(program))
    asking = get_completion_class(shell)
    assert asking is not None
    return asking(click.Command(program), {}, program, variable).source()


_PROGRAMS = ("latticemetric", "lattice-oracle")

_EPILOG = """\b
Examples:
  source <(latticemetric completion bash)        in ~/.bashrc
  source <(latticemetric completion zsh)         in ~/.zshrc, after compinit
  latticemetric completion fish | source         in ~/.config/fish/config.fish
"""


@verb("completion", epilog=_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option("--program", type=click.Choice(_PROGRAMS), help="Only for one of the two programs (default: both).")
def command(*, shell: str, program: str | None) -> None:
    """Print the script that makes SHELL complete verbs, options, metrics, formats, grammars and files."""
    for each in _PROGRAMS if program is None else (program,):
        click.echo(script(shell, each))
