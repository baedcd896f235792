"""`latticemetric completion`: print the shell script that completes names and files.

Some parameters have names to choose from, such as metrics, formats and grammars. Parameters that read or write files
are completed as files.
"""

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

from latticemetric import plugins
from latticemetric.cli.commands import verb
from latticemetric.cli.files import NamesFiles, Output

Names = Callable[[], Iterable[str]]

_RATES, _BLEU = ("wer", "wrr", "2-grr", "3-grr", "4-grr"), ("bleu", "bleu-sbp")


def add_shells(command: click.Command) -> None:
    """Register the completion classes of bash, zsh and fish with click, and add completions to a command.

    A lazy group has not imported its subcommands yet; each subcommand gets its completions when it is imported.
    """
    for shell in (_Bash, _Zsh, _Fish):
        add_completion_class(shell)
    add_completions(command)


def add_completions(command: click.Command) -> None:
    """Add completions to the parameters of a command and of its subcommands."""
    for parameter in command.params:
        if isinstance(parameter.type, click.types.StringParamType):
            completion = _completion(command.name or "", parameter)
            if completion is not None:
                # Copy the type, since its class says whether the value is a file to read or to write.
                parameter.type = copy(parameter.type)
                vars(parameter.type)["shell_complete"] = completion.shell_complete
    if isinstance(command, click.Group):
        for each in command.commands.values():
            add_completions(each)


class _Completion(click.types.StringParamType):
    """Completes the value of a parameter with `names`; if `files` is set and no name fits, with file names.

    If `listed` is set, the value is a list of names, separated by commas.
    """

    def __init__(self, names: Names = tuple, *, listed: bool = False, files: bool = False) -> None:
        self._names, self._listed, self._files = names, listed, files

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002  click's interface
        """Return the names that begin with `incomplete`; without such names, complete files if `files` is set."""
        before, comma, begun = incomplete.rpartition(",") if self._listed else ("", "", incomplete)
        taken = before.split(",")
        names = [name for name in self._names() if name.startswith(begun) and name not in taken]
        if names or not self._files:
            return [CompletionItem(before + comma + name) for name in names]
        return [CompletionItem(incomplete, type="file")]


def _completion(verb: str, parameter: click.Parameter) -> _Completion | None:
    """Choose the completion of a parameter by its name or metavar; return `None` if there is none."""
    rates = (*_RATES, *(_BLEU if verb == "oracle" else ()), *_plugins("metric"))
    by_name: dict[str, _Completion] = {
        "metric": _Completion(_metrics, listed=verb != "mbr")
        if verb in ("mbr", "score", "correlate")
        else _Completion(lambda: rates, files=verb == "oracle"),
        "by": _Completion(lambda: ["ngram", *_metrics()]),
        "mbr_by": _Completion(lambda: ["auto", "none", "ngram", *_metrics()]),
        "score": _Completion(_metrics, listed=True),
        "baseline": _Completion(_metrics),
        "unigram": _Completion(_metrics),
        "tokenize": _Completion(_tokenizers),
        "from_format": _Completion(_formats),
        "to_format": _Completion(_written_formats),
        "normalize": _Completion(_grammars, files=True),
        "grammar": _Completion(_grammars, files=True),
        "names": _Completion(_grammars),
        "ignore": _Completion(),
    }
    if parameter.name in by_name:
        return by_name[parameter.name]
    if isinstance(parameter.type, NamesFiles | Output):
        return _Completion(files=True)
    return None


def _metrics() -> list[str]:
    from latticemetric.metrics.registry import OWN_METRICS

    return sorted([*(OWN_METRICS - {"grr", "gcr"}), "4-gcr", "4-grr", *_plugins("metric")])


def _formats() -> list[str]:
    from latticemetric.formats.registry import BUILT_IN

    return sorted([*BUILT_IN, *_plugins("format")])


def _written_formats() -> list[str]:
    from latticemetric.formats.registry import with_plugins

    return sorted(name for name, one in with_plugins().items() if one.can_be_written)


def _plugins(kind: str) -> list[str]:
    return [entry.name for entry in plugins.entries(kind)]


def _grammars() -> Iterable[str]:
    from latticemetric.normalization.shipped import shipped_grammars

    return shipped_grammars()


def _tokenizers() -> list[str]:
    try:
        names = import_module("sacrebleu.metrics").BLEU.TOKENIZERS
    except ImportError:
        names = []
    return sorted({"none", *names})


class _Bash(BashComplete):
    """Completion for bash: bash splits `--metric=wer` into three words; join them again."""

    def get_completion_args(self) -> tuple[list[str], str]:
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


class _JoinedShell(ShellComplete):
    """A shell that keeps `--metric=wer` as one word; completions must begin with `--metric=`."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        items = super().get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if not (equals and option.startswith("--")):
            return items
        return [CompletionItem(f"{option}={item.value}", item.type, item.help) for item in items]


class _Zsh(_JoinedShell, ZshComplete):
    pass


class _Fish(_JoinedShell, FishComplete):
    # Names separated by commas are one value.
    source_template = FishComplete.source_template.replace('string split ","', 'string split -m 1 ","')


def script(shell: str, program: str) -> str:
    """Return the completion script of a shell for a program."""
    variable = f"_{program}_COMPLETE".replace("-", "_").upper()  # click reads this variable
    add_shells(click.Command(program))
    completing = get_completion_class(shell)
    assert completing is not None
    return completing(click.Command(program), {}, program, variable).source()


_PROGRAMS = ("latticemetric", "lattice-oracle")

_EPILOG = """\b
Examples:
  source <(latticemetric completion bash)        in ~/.bashrc
  source <(latticemetric completion zsh)         in ~/.zshrc, after compinit
  latticemetric completion fish | source         in ~/.config/fish/config.fish
"""


@verb("completion", epilog=_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option("--program", type=click.Choice(_PROGRAMS), help="Complete only this program (default: both).")
def command(*, shell: str, program: str | None) -> None:
    """Print the script that makes SHELL complete verbs, options, metrics, formats, grammars and files."""
    for each in _PROGRAMS if program is None else (program,):
        click.echo(script(shell, each))
