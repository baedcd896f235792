"""Runs over many graphs: workers, limits and journal, failures, and the signals that end a run.

An interrupt, SIGTERM (sent by schedulers) and SIGHUP (the terminal closed) raise `Stopped` once; later signals have no
effect. Python reacts at once, but native calls and slow libraries may not: soon after, a thread ends the process.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from latticemetric.cli.results import progress, say, tsv_field, write_lines
from latticemetric.errors import LatticeMetricError, UsageError, harmless

if TYPE_CHECKING:
    from latticemetric.batch.answers import Answer
    from latticemetric.batch.run import Run
    from latticemetric.cli.options import OutputOptions, RunOptions, ShardedRunOptions
    from latticemetric.cli.results import Results
    from latticemetric.formats.registry import Entry
    from latticemetric.parallel.cluster import Cluster
    from latticemetric.parallel.journal import Journal
    from latticemetric.parallel.map import Workers

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
# A run must end within two seconds of a signal; the rest of that time is left to the system.
_SECONDS_TO_END = 1.5


class Outcome(Protocol):
    """The answer of a graph, or its problem."""

    @property
    def name(self) -> str:
        """The graph's id."""

    @property
    def problem(self) -> LatticeMetricError | None:
        """The reason why there is no answer, if there is none."""

    @property
    def where(self) -> str:
        """File and line of what failed."""


AnyOutcome = TypeVar("AnyOutcome", bound=Outcome)


class Failures:
    """Failed graphs: reported on standard error, counted, and listed in the file of `--failures`."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._rows: list[tuple[str, str, str, str]] = []
        self.count = 0

    def reported(self, outcomes: Iterable[AnyOutcome]) -> Iterator[AnyOutcome]:
        """Yield the outcomes, and add those that failed."""
        for outcome in outcomes:
            if outcome.problem is not None:
                self.add(outcome.name, outcome.where, outcome.problem)
            yield outcome

    def add(self, name: str, where: str, problem: LatticeMetricError) -> None:
        """Add one failure: the graph, its place, and the reason."""
        self.count += 1
        say(f"failed: {harmless(str(problem))}")
        if self._path is not None:
            file, _, line = where.rpartition(":")
            place = (file, line) if file and line.isdecimal() else (where, "")
            self._rows.append((name, *place, str(problem)))

    def write(self) -> None:
        """Write the list; if nothing failed, only its header."""
        if self._path is not None:
            rows = ("\t".join(map(tsv_field, row)) for row in self._rows)
            write_lines(["id\tfile\tline\treason", *rows], self._path)

    def exit(self) -> None:
        """End the program with status 1 if anything failed."""
        if self.count:
            sys.exit(1)


@contextlib.contextmanager
def running(options: RunOptions, output: str) -> Iterator[Run]:
    """Set up a run by its options; remove its journal when everything is written."""
    from latticemetric.batch.run import Run
    from latticemetric.formats.streams.output import sync
    from latticemetric.memory import graph_bytes
    from latticemetric.parallel.pool import default_workers
    from latticemetric.parallel.process import Limits

    memory = graph_bytes(options.workers or default_workers()) if options.cluster is None else None
    limits = Limits(options.timeout, options.max_memory, memory)
    journal = None
    if options.resume:
        from latticemetric.cli.resume import journal_beside

        journal = journal_beside(output)
    try:
        with _watched(journal), _workers(options.workers, options.cluster) as workers:
            yield Run(workers, options.keep_going, limits, journal)
        if journal is not None:
            sync(output)
            journal.remove()
    finally:
        if journal is not None:
            journal.close()


@contextlib.contextmanager
def _watched(journal: Journal | None) -> Iterator[None]:
    """Report the number of finished graphs if the run is stopped, and name the journal if it is damaged."""
    if journal is None:
        yield
        return

    def note() -> str:
        done = "1 graph is" if journal.kept == 1 else f"{journal.kept} graphs are"
        return f"{done} done; the same command continues from there"

    with _noted(note), journal.blamed():
        yield


@contextlib.contextmanager
def _workers(number: int | None, cluster: Cluster | None) -> Iterator[Workers]:
    """Provide local processes, or those of a cluster."""
    from latticemetric.parallel.pool import default_workers

    if cluster is None:
        yield number or default_workers()
        return
    if number is not None:
        raise UsageError("this cannot be used with --cluster", where="--workers", advice="give only one of them")
    with cluster.connected() as client:
        yield client


def ask_graphs(
    ask: Callable[..., Any],
    entries: Iterable[Entry],
    results: Callable[[Iterator[Answer]], Results],
    run: ShardedRunOptions,
    output: OutputOptions,
    *,
    evidence: Iterable[Entry] | None = None,
) -> None:
    """Call `ask` on each graph, with the evidence of the same id if there is any; write the answers.

    Report failures on standard error, with exit status 1.
    """
    from latticemetric.batch.answers import answers_of
    from latticemetric.batch.mbr_evidence import answers_by_evidence, with_evidence

    failures, entries = Failures(run.failures), progress(entries, None, "graphs")
    with running(run, output.output) as started:
        if evidence is None:
            answers = answers_of(entries if run.shard is None else run.shard.take(entries), ask, started)
        else:
            pairs = with_evidence(entries, evidence)
            answers = answers_by_evidence(pairs if run.shard is None else run.shard.take(pairs), ask, started)
        output.write(results(failures.reported(answers)), at_once=run.keep_going)
        failures.write()
    failures.exit()


# Signals

_notes: list[Callable[[], str]] = []


class Stopped(BaseException):
    """A signal ends the run.

    Not an `Exception`, so that no handler takes it for a problem of one graph; not a `KeyboardInterrupt`, which click
    replaces by another error.

    Attributes:
        number: The signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def status(self) -> int:
        """The exit status that shells give to a process that a signal has ended."""
        return 128 + self.number

    def __str__(self) -> str:
        cause = "interrupted" if self.number == signal.SIGINT else f"ended by {signal.Signals(self.number).name}"
        return "; ".join([cause, *(note() for note in _notes)])


@contextlib.contextmanager
def _noted(note: Callable[[], str]) -> Iterator[None]:
    """Add a note to the last line of a run that is stopped inside the block."""
    _notes.append(note)
    try:
        yield
    except (KeyboardInterrupt, Stopped):
        raise
    except BaseException:
        _notes.remove(note)
        raise
    else:
        _notes.remove(note)


def listen() -> None:
    """Raise `Stopped` on signals from now on, except those that the parent process ignores (`nohup`)."""
    for number in _numbers():
        if signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}:
            with contextlib.suppress(ValueError):  # only the main thread may set handlers
                signal.signal(number, _Handler())
    with contextlib.suppress(ValueError):
        _watch()


def listen_no_more() -> None:
    """Ignore signals from now on: the run is ending."""
    for number in _numbers():
        if isinstance(signal.getsignal(number), _Handler):
            signal.signal(number, signal.SIG_IGN)


def _numbers() -> list[int]:
    return [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]


class _Handler:
    """A handler that raises once: terminals and schedulers may send a signal twice."""

    _has_raised = False

    def __call__(self, number: int, _frame: FrameType | None) -> Any:
        if not _Handler._has_raised:
            _Handler._has_raised = True
            raise Stopped(number)


def _watch() -> None:
    """Start a thread that ends the process after a signal, even if the main thread is busy."""
    if not hasattr(os, "fork"):  # Windows reports signals through sockets only
        return
    inbox, outbox = os.pipe()
    os.set_blocking(outbox, False)
    try:
        signal.set_wakeup_fd(outbox, warn_on_full_buffer=False)
    except ValueError:
        os.close(inbox)
        os.close(outbox)
        raise
    _thread.start_new_thread(_end_late, (inbox,))


def _end_late(inbox: int) -> None:
    number = 0
    while not isinstance(signal.getsignal(number) if number else None, _Handler):
        number = os.read(inbox, 1)[0]
    time.sleep(_SECONDS_TO_END)
    if (outputs := sys.modules.get("latticemetric.formats.streams.output")) is not None:
        outputs.abandon_drafts()
    with contextlib.suppress(OSError):
        os.write(2, f"{Stopped(number)}\n".encode())
    os._exit(Stopped(number).status)
