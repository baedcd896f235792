"""A run over many graphs: workers, limits and journal, failures, and the signals that end it.

An interrupt, SIGTERM (schedulers send it) and SIGHUP (a terminal is gone) raise `Stopped` once; later ones change
nothing. Python answers at once; a native call, or a library that takes long to close, does not: a thread ends the
process that is still there after a short time.
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
# A run that was told to end has ended after two seconds, and some of them are for the machine.
_SECONDS_TO_END = 1.5


class Outcome(Protocol):
    """The answer of a graph, or its problem."""

    @property
    def name(self) -> str:
        """The graph's id."""

    @property
    def problem(self) -> LatticeMetricError | None:
        """Why there is no answer."""

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
        """Pass outcomes on, and add those that failed."""
        for outcome in outcomes:
            if outcome.problem is not None:
                self.add(outcome.name, outcome.where, outcome.problem)
            yield outcome

    def add(self, name: str, where: str, problem: LatticeMetricError) -> None:
        """Add one: what failed, where it stands, and why."""
        self.count += 1
        say(f"failed: {harmless(str(problem))}")
        if self._path is not None:
            file, _, line = where.rpartition(":")
            place = (file, line) if file and line.isdecimal() else (where, "")
            self._rows.append((name, *place, str(problem)))

    def write(self) -> None:
        """Write the list; only its header if nothing failed."""
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
    """Report how many graphs are done if the run is stopped, and which journal is damaged."""
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
    """Hand out processes here, or those of a cluster."""
    from latticemetric.parallel.pool import default_workers

    if cluster is None:
        yield number or default_workers()
        return
    if number is not None:
        raise UsageError("a cluster has workers of its own", where="--workers", advice="leave it out, or --cluster")
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
    """Ask each graph, with the evidence of the same id if there is any, and write the answers.

    Failures go to standard error, and make the exit status 1.
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

    No `Exception`, so that nothing takes it for a problem of one graph; no `KeyboardInterrupt`, of which click makes an
    error of its own.

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
    """Add a note to the last line of a run that is stopped meanwhile."""
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
    """Raise `Stopped` on signals from now on, but not on those that our parent wants ignored (`nohup`)."""
    for number in _numbers():
        if signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}:
            with contextlib.suppress(ValueError):  # only the main thread may ask for that
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
    """A handler that raises once: terminals and schedulers send a signal twice."""

    _has_raised = False

    def __call__(self, number: int, _frame: FrameType | None) -> Any:
        if not _Handler._has_raised:
            _Handler._has_raised = True
            raise Stopped(number)


def _watch() -> None:
    """Start a thread that ends the process after a signal, whatever the main thread does."""
    if not hasattr(os, "fork"):  # Windows tells of signals through sockets only
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
