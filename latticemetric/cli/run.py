"""Run over many graphs: set up workers, limits and journal; report failures; write graphs next to the results."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from latticemetric.cli.results import progress, say, write_lines
from latticemetric.cli.signals import noted
from latticemetric.corpus.tables.cells import counted
from latticemetric.corpus.tables.table import AnswerTable, tsv_field
from latticemetric.errors import LatticeMetricError, UsageError, harmless, shortened

if TYPE_CHECKING:
    from latticemetric.cli.options import OutputOptions, RunOptions, ShardedRunOptions
    from latticemetric.corpus.run import Run
    from latticemetric.formats.registry import Entry
    from latticemetric.graph import Graph
    from latticemetric.parallel.journal import Journal
    from latticemetric.parallel.map import Workers


_MOST_DIGITS = 18


class _Answer(Protocol):
    """The answer of a graph. If the graph failed, `problem` is the error, and `where` is the graph's file and line."""

    @property
    def name(self) -> str: ...
    @property
    def problem(self) -> LatticeMetricError | None: ...
    @property
    def where(self) -> str: ...


AnyAnswer = TypeVar("AnyAnswer", bound=_Answer)


class Failures:
    """The graphs that failed. They are reported on standard error, counted, and written to the file of `--failures`."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._rows: list[tuple[str, str, str, str]] = []
        self._answered = 0
        self.count = 0

    def reported(self, answers: Iterable[AnyAnswer]) -> Iterator[AnyAnswer]:
        """Yield the answers; add the failed answers to the list, and count the others."""
        for answer in answers:
            if answer.problem is None:
                self._answered += 1
            else:
                self.add(answer.name, answer.where, answer.problem)
            yield answer

    def add(self, name: str, where: str, problem: LatticeMetricError) -> None:
        """Add one failure: the graph, its place, and the reason."""
        self.count += 1
        say(f"failed: {harmless(str(problem))}")
        if self._path is not None:
            file, _, line = where.rpartition(":")
            place = (file, line) if file and line.isdecimal() else (where, "")
            self._rows.append((name, *place, str(problem)))

    def write(self) -> None:
        """Write the list of failures; if there are none, only its header."""
        if self._path is not None:
            rows = ("\t".join(map(tsv_field, row)) for row in self._rows)
            write_lines(["id\tfile\tline\treason", *rows], self._path)

    def require_answers(self) -> None:
        """If all graphs that were `reported` failed, say so, write the list, and end the program."""
        if self.count and not self._answered:
            say("error: all graphs failed, so there is no result; see the errors of the graphs")
            self.write()
            self.exit()

    def exit(self) -> None:
        """End the program with status 1 if a graph failed."""
        if self.count:
            sys.exit(1)


@contextlib.contextmanager
def running(options: RunOptions, output: str) -> Iterator[tuple[Run, Failures]]:
    """Set up a run and its list of failures. After the block, write the failures and remove the journal."""
    from latticemetric import _native
    from latticemetric.corpus.run import Run
    from latticemetric.formats.streams.output import sync
    from latticemetric.memory import graph_bytes
    from latticemetric.parallel.limits import Limits, default_workers

    if options.max_memory is None:  # otherwise, graphs could use kept memory beyond their limit
        _native.keep_freed_memory()
    failures = Failures(options.failures)
    workers: Workers = options.workers or default_workers()
    memory = graph_bytes(workers) if options.cluster is None else None
    journal = _journal_beside(output) if options.resume else None
    try:
        with contextlib.ExitStack() as stack:
            if journal is not None:
                stack.enter_context(noted(lambda: _progress_of(journal)))
                stack.enter_context(journal.blamed())
            if options.cluster is not None:
                if options.workers is not None:
                    advice = "give only one of them"
                    raise UsageError("this cannot be used with --cluster", where="--workers", advice=advice)
                workers = stack.enter_context(options.cluster.connected())
            limits = Limits(options.timeout, options.max_memory, memory)
            yield Run(workers, options.keep_going, limits, journal), failures
            failures.write()
        if journal is not None:
            sync(output)
            journal.remove()
    finally:
        if journal is not None:
            journal.leave()


def _progress_of(journal: Journal) -> str:
    done = "1 graph is" if journal.kept == 1 else f"{journal.kept} graphs are"
    return f"{done} done; the same command continues from there"


def _journal_beside(output: str) -> Journal:
    """Open the journal of the running command beside its output."""
    import click

    from latticemetric.cli.files import STANDARD, journal_of, written_files
    from latticemetric.cli.fingerprint import fingerprint
    from latticemetric.formats.streams.output import is_replaceable, remove_drafts
    from latticemetric.parallel.journal import Journal

    if output == STANDARD:
        raise UsageError("--resume needs --output FILE")
    if not (output.endswith("/") or is_replaceable(output)):
        raise UsageError(
            "--resume needs a regular file as output", where=output, advice="give a regular file, or leave --resume out"
        )
    context = click.get_current_context()
    journal = Journal(journal_of(output), fingerprint(context), lambda what: say(harmless(what)))
    for _, file in written_files(context):
        remove_drafts(file)  # no other run writes this file, since this run holds the journal
    return journal


def ask_graphs(
    ask: Callable[..., Any],
    entries: Iterable[Entry],
    table: Callable[..., AnswerTable],
    run: ShardedRunOptions,
    output: OutputOptions,
    *,
    evidence: Iterable[Entry] | None = None,
    lattices: str | None = None,
    lattice_of: Callable[[Any], Graph | None] = lambda _: None,
    to_format: str | None = None,
) -> None:
    """Call `ask` on each graph and, with `evidence`, on the evidence graph with the same id; write the answers.

    If `lattices` names a file, write the lattices of the answers to this file, in `to_format` or the format of its
    suffix. Report failures on standard error, with exit status 1.
    """
    from latticemetric.corpus.answer import answers_of, failed
    from latticemetric.corpus.mbr_evidence import answer_by_evidence, with_evidence
    from latticemetric.corpus.run import answer_each

    entries = progress(entries, None, "graphs")
    with running(run, output.output) as (started, failures):
        if evidence is None:
            answers = answers_of(run.take(entries), ask, started)
        else:
            paired = run.take(with_evidence(entries, evidence))
            answers = answer_each(functools.partial(answer_by_evidence, ask), failed, paired, started)
        answers = written_beside(
            failures.reported(answers), lattices, lambda one: None if one.problem else lattice_of(one.value), to_format
        )
        written = table(answers, run.shard, looks=output.looks)
        output.write(written, at_once=run.keep_going)
    if written.summary():
        output.say_summary(written)
    failures.exit()


def write_changed(
    change: Callable[[Graph], Graph],
    entries: Iterable[Entry],
    target: str,
    to_format: str | None,
    options: ShardedRunOptions,
) -> None:
    """Apply `change` to each graph, write the results to `target`, and print the number of graphs.

    If all graphs fail, write nothing to a file or archive.
    """
    from latticemetric.corpus.answer import answers_of
    from latticemetric.formats.writing import NoGraphsError, write

    entries, numbers = progress(entries, None, "graphs"), _Numbers()
    with running(options, target) as (started, failures):
        where = ""

        def good_graphs() -> Iterator[tuple[str, Graph]]:
            nonlocal where
            for answer in failures.reported(answers_of(options.take(entries), change, started)):
                if answer.problem is None:
                    where = answer.where
                    yield answer.name, answer.value

        def refuse(name: str, problem: LatticeMetricError) -> None:  # the format cannot hold the last graph
            placed = type(problem)(problem.what, where=f"{where} ({shortened(name)})", advice=problem.advice)
            failures.add(name, where, placed)

        refused = refuse if options.keep_going else None
        try:
            count = write(target, numbers.watched(good_graphs()), format=to_format, refused=refused)
        except NoGraphsError:
            if not failures.count:
                raise
            count = 0
    say(f"{counted(count, 'graph')} written to {harmless(target)}")
    if count and numbers.moved:
        numbers.report(target, to_format)
    failures.exit()


class _Numbers:
    """The numbers of sentences of graphs, whose ids are such numbers.

    Attributes:
        moved: The first graph whose number does not follow the one before it: its id, and its position from 1.
    """

    def __init__(self) -> None:
        self.moved: tuple[str, int] | None = None

    def watched(self, graphs: Iterable[tuple[str, Graph]]) -> Iterator[tuple[str, Graph]]:
        """Yield the graphs."""
        expected = None
        for position, (name, graph) in enumerate(graphs, 1):
            number = int(name) if name.isdecimal() and len(name) <= _MOST_DIGITS else None
            if self.moved is None and None not in {number, expected} and number != expected:
                self.moved = name, position
            expected = None if number is None else number + 1
            yield name, graph

    def report(self, target: str, to_format: str | None) -> None:
        """Say that the numbers are lost, if files of this format have no ids."""
        from latticemetric.formats.registry import find_format, format_for_writing

        written = find_format(to_format) if to_format else format_for_writing(target)
        if self.moved and not (written.has_ids or target.endswith("/")):
            name, position = self.moved
            say(f"{written.name} holds no ids, and the numbers of graphs have gaps: {name} is graph {position} there")


def written_beside(
    answers: Iterable[AnyAnswer],
    path: str | None,
    graph_of: Callable[[AnyAnswer], Graph | None],
    to_format: str | None = None,
    *,
    if_none: bool = True,
) -> Iterator[AnyAnswer]:
    """Yield the answers; after the last one, write their graphs to `path`.

    If no answer has a graph: with `if_none=False`, or if an answer failed, write no file; otherwise, raise an error. If
    a graph cannot be written, no result becomes visible.
    """
    if path is None:
        yield from answers
        return
    from latticemetric.formats.registry import format_for_writing
    from latticemetric.formats.writing import write
    from latticemetric.parallel.plain import GraphSpool

    if to_format is None:
        format_for_writing(path)  # fail before the work, not after it
    graphs, failed = GraphSpool(), False
    for answer in answers:
        failed |= answer.problem is not None
        if (graph := graph_of(answer)) is not None:
            graphs.add(answer.name, graph)
        yield answer
    if graphs or (if_none and not failed):
        write(path, graphs, format=to_format)
