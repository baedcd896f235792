"""Run over many graphs: set up workers, limits and journal; report failures; write graphs next to the results."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from latticemetric.cli.results import say, write_lines
from latticemetric.cli.signals import noted
from latticemetric.corpus.answered_together import AnsweredTogether
from latticemetric.corpus.question import A
from latticemetric.corpus.tables.cells import counted
from latticemetric.corpus.tables.table import tsv_field
from latticemetric.errors import LatticeMetricError, UsageError, harmless
from latticemetric.formats.streams.in_blocks import InBlocks, blocks_of

if TYPE_CHECKING:
    from latticemetric.cli.options import OutputOptions, RunOptions, ShardedRunOptions
    from latticemetric.corpus.corpus import Corpus
    from latticemetric.corpus.question import Question
    from latticemetric.corpus.run import Run
    from latticemetric.parallel.journal import Journal
    from latticemetric.parallel.map import Workers


class Failures:
    """The graphs that failed. They are reported on standard error, counted, and written to the file of `--failures`."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._rows: list[tuple[str, str, str, str]] = []
        self._answered = 0
        self.count = 0

    def reported(self, answers: Iterable[A]) -> InBlocks[A]:
        """Return the answers; add the failed answers to the list, and count the others, when they are taken."""
        return InBlocks(map(self._noted, blocks_of(answers)))

    def _noted(self, answers: Sequence[A]) -> Sequence[A]:
        if isinstance(answers, AnsweredTogether):
            self._answered += len(answers)
            return answers
        for answer in answers:
            if answer.problem is None:
                self._answered += 1
            else:
                self.add(answer.name, answer.where, answer.problem)
        return answers

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
def running(options: RunOptions, output: str, known: Sequence[Any] = ()) -> Iterator[tuple[Run, Failures]]:
    """Set up a run and its list of failures. After the block, write the failures and remove the journal.

    `known` are values in answers that the journal need not hold.
    """
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
    journal = _journal_beside(output, known) if options.resume else None
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
            shard = getattr(options, "shard", None)
            yield Run(workers, options.keep_going, limits, journal, shard, watched=True), failures
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


def _journal_beside(output: str, known: Sequence[Any]) -> Journal:
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
    journal = Journal(journal_of(output), fingerprint(context), lambda what: say(harmless(what)), known)
    for _, file in written_files(context):
        remove_drafts(file)  # no other run writes this file, since this run holds the journal
    return journal


@contextlib.contextmanager
def requiring_references() -> Iterator[None]:
    """Say in the error of a corpus without references that the argument is missing."""
    import click

    from latticemetric.corpus.read_corpus import MissingReferencesError

    try:
        yield
    except MissingReferencesError:
        raise click.MissingParameter(param_hint="'REFERENCES...'", param_type="argument") from None


def show(
    question: Question[A],
    corpus: Corpus,
    run: RunOptions,
    output: OutputOptions,
    *,
    lattices: str | None = None,
    to_format: str | None = None,
    if_none: bool = True,
    at_once: bool = True,
    beside: Callable[[Iterator[A]], Iterator[A]] = iter,
) -> None:
    """Ask a question about the graphs of a corpus, and write the answers.

    If `lattices` names a file, write the graphs of the answers to this file, in `to_format` or the format of its
    suffix. Report failures on standard error, with exit status 1.

    Args:
        question: The question.
        corpus: The graphs.
        run: The options of the run.
        output: The options for writing results.
        lattices: The file of the graphs of answers.
        to_format: The format of that file.
        if_none: False to write no such file if no answer has a graph.
        at_once: Under --keep-going, show each answer on standard output immediately.
        beside: Function that yields the answers again, and writes another file from them.
    """
    from latticemetric.corpus.notes import noting_unseen
    from latticemetric.corpus.run import NoAnswersError
    from latticemetric.corpus.writing import written_beside

    try:
        with (
            requiring_references(),
            running(run, output.output, question.known()) as (started, failures),
            noting_unseen(corpus, question, started),
        ):
            answers = beside(failures.reported(question.answers(corpus, started)))
            if lattices is not None:
                answers = written_beside(answers, lattices, question.graph_of, to_format, if_none=if_none)
            table = question.table(answers, corpus, started, output.looks)
            output.write(table, at_once=at_once and run.keep_going)
    except NoAnswersError as error:
        say(f"error: {error}")
        failures.write()
        failures.exit()
    output.say_summary(table)
    if (warning := table.warning()) is not None:
        say(f"warning: {warning}")
    failures.exit()


def write_corpus(corpus: Corpus, target: str, to_format: str | None, options: ShardedRunOptions) -> None:
    """Write the graphs of a corpus to `target`, and print the number of graphs.

    If all graphs fail, write nothing to a file or archive.
    """
    from latticemetric.corpus.notes import noting_unseen
    from latticemetric.corpus.questions import Graphs
    from latticemetric.corpus.writing import write_graphs

    task = Graphs()
    with running(options, target) as (started, failures), noting_unseen(corpus, task, started):
        answers = failures.reported(task.answers(corpus, started))
        failed = failures.add if options.keep_going else None
        written = write_graphs(answers, target, to_format, failed, failures=lambda: failures.count)
    say(f"{counted(written, 'graph')} written to {harmless(target)}")
    failures.exit()
