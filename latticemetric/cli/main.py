"""The command line: `latticemetric VERB`, and `lattice-oracle` for `latticemetric oracle`."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import signal
import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

import click

from latticemetric.cli.commands import HELP, running, version_option
from latticemetric.cli.plugin_verbs import all_verbs, find_verb, own_verb, verb_names
from latticemetric.cli.signals import Stopped, listen, stop_listening
from latticemetric.cli.verbs import VERBS, sections
from latticemetric.errors import (
    LatticeMetricError,
    OutputClosedError,
    UsageError,
    harmless,
    of_system,
    output_closed,
    worded,
)
from latticemetric.memory import hold_command

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# The errno of errors that concern standard output if they name no file.
_ON_OUTPUT = {
    errno.ENOSPC,
    errno.EIO,
    errno.EFBIG,
    errno.EDQUOT,
    errno.EBADF,
    errno.EPIPE,
    errno.EINVAL,
    errno.ENXIO,
}
# The memory in bytes that a run needs before it reads any file, with a reserve.
_LEAST_MEMORY, _LEAST_DATA = 200 * 2**20, 96 * 2**20


class _LazyGroup(click.Group):
    """A group that imports a verb's module only when the verb runs, so that `--help` does not wait for NumPy."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's interface
        return verb_names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if not ctx.resilient_parsing:
            command = find_verb(cmd_name)
            if command is not None:
                running[:] = [command]
            return command
        # A shell completes a line.
        with warnings.catch_warnings(action="ignore"), contextlib.suppress(UsageError):
            command = find_verb(cmd_name)
            if command is not None:
                from latticemetric.cli.completion import add_completions

                add_completions(command)
            return command
        return None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        names = [name for name in verb_names() if name.startswith(incomplete)]
        texts = {name: about.text for name, about in VERBS.items()}
        verbs = [CompletionItem(name, help=texts.get(name)) for name in names]
        return [*verbs, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        width = max(map(len, verb_names()))
        for title, verbs in sections(all_verbs()).items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in verbs.items()])


@click.group(
    cls=_LazyGroup,
    help="Score the lattices, forests and n-best lists of decoders by any metric.",
    epilog="See latticemetric VERB --help for the options of a verb, with examples.",
    context_settings=HELP,
)
@version_option("latticemetric")
def _group() -> None:
    """Hold the verbs."""


def latticemetric() -> None:
    """Run the program `latticemetric`; this function is its entry point."""
    _run(lambda: _group, "latticemetric")


def lattice_oracle() -> None:
    """Run the program `lattice-oracle`; this function is its entry point."""
    _run(lambda: own_verb("oracle"), "lattice-oracle")


def _run(load: Callable[[], click.Command], program: str) -> None:
    """Load a command and run it; report an error in one line on stderr, with exit status 2."""
    # On import, NumPy's BLAS starts one busy-waiting thread per processor; nothing here uses them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    worded.append(_in_options)
    warnings.formatwarning = lambda message, *_place, **_line: _as_warning(str(message))
    _fill_closed_streams()
    listen()
    try:
        hold_command()
        _require_memory()
        command = load()
        running[:] = [command]
        status = _exit_status(command, program)
    except (LatticeMetricError, OutputClosedError, ImportError, MemoryError, OSError, Stopped) as end:
        stop_listening()
        status = _report(end)
        with contextlib.suppress(AttributeError, OSError, ValueError):  # standard output is closed
            # Keep the interpreter from writing the rest of the output when it ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    _end_process(status)


def _as_warning(message: str) -> str:
    return f"warning: {_in_options(harmless(message))}\n"


def _in_options(message: str) -> str:
    from latticemetric.cli.option_words import in_options

    return in_options(message)


def _fill_closed_streams() -> None:
    """Open the null device in place of each closed standard stream.

    Otherwise, an output file could get descriptor 2, and warnings would be written into the file.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = _ClosedOutput()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  it stays open


class _ClosedOutput(io.TextIOBase):
    """A closed standard output: writing results to it raises an error."""

    @property
    def buffer(self) -> NoReturn:
        raise output_closed()

    def write(self, _text: str) -> NoReturn:
        raise output_closed()


def _require_memory() -> None:
    """Refuse a memory limit that is too small to load NumPy: NumPy's BLAS would end the process without a message."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, option, least in ((resource.RLIMIT_AS, "v", _LEAST_MEMORY), (resource.RLIMIT_DATA, "d", _LEAST_DATA)):
        allowed = resource.getrlimit(kind)[0]
        if allowed != resource.RLIM_INFINITY and allowed < least:
            what = f"ulimit -{option} allows {allowed >> 20} MB of memory, but a run takes at least {least >> 20} MB"
            raise UsageError(what, advice=f"raise the limit with ulimit -{option}")


def _exit_status(command: click.Command, program: str) -> int:
    """Run a command, or complete a command line for a shell; return the exit status."""
    if any(name.endswith("_COMPLETE") for name in os.environ):
        from latticemetric.cli.completion import add_shells

        add_shells(command)
    output = sys.stdout
    try:
        status = command(prog_name=program, standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except SystemExit as exit_:
        if not isinstance(exit_.code, int):
            raise
        # Click itself catches the error of a closed pipe, puts others in place of the streams, and exits with status 1.
        return exit_.code if sys.stdout is output else 0
    except click.ClickException as error:
        from latticemetric.cli.mistakes import explained
        from latticemetric.cli.results import say

        if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):  # click 8.1 does not have it
            say(error.format_message())
        else:
            say(harmless(explained(error)))  # the error may quote any text, such as a file's name
        return 2
    except (click.Abort, KeyboardInterrupt):
        raise Stopped(signal.SIGINT) from None


def _report(end: Exception | Stopped) -> int:
    """Print the reason for the end of the run in one line; return the exit status."""
    from latticemetric.cli.results import say

    match end:
        case OutputClosedError():  # the reader closed the pipe
            return 0
        case Stopped():
            say(str(end))
            return end.status
        case ImportError():  # a required package is missing, or cannot be loaded
            what = f"{end}; to see what is missing: latticemetric doctor"
        case MemoryError():
            what = "there is not enough memory; prune graphs, cut long texts into segments, or skip the largest graphs"
            what += " with --keep-going"
        case OSError():  # readers and writers raise an InputError with the file's name instead
            file = None if end.errno in {errno.EMFILE, errno.ENFILE} else end.filename
            place = file or ("standard output" if end.errno in _ON_OUTPUT else None)
            what = f"{place}: {of_system(end)}" if place else of_system(end)
        case _:
            what = str(end)
    say(harmless(f"error: {what}"))
    return 2


def _end_process(status: int) -> None:
    """End the process at once: a normal shutdown with NumPy takes 10 ms.

    If a tracer (profiler, debugger, coverage) is active, shut down normally, so that it can finish.
    """
    if sys.gettrace() is not None or sys.getprofile() is not None:
        sys.exit(status)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        sys.exit(status)  # the interpreter reports what could not be written
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(status)
