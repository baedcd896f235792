"""Options of the verbs that go through many graphs, and what they mean: workers, limits, shards, going on, failures."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from latticemetric.cli import options
from latticemetric.cli.display import say
from latticemetric.cli.files import ClusterName, Output
from latticemetric.cli.stopping import noted
from latticemetric.errors import LatticeMetricError, UsageError, harmless

if TYPE_CHECKING:
    from latticemetric.batch.run import Located, Run
    from latticemetric.batch.shards import Part
    from latticemetric.parallel.cluster import Cluster
    from latticemetric.parallel.journal import Journal
    from latticemetric.parallel.map import Workers

F = TypeVar("F", bound=Callable[..., Any])
Q = TypeVar("Q", bound="Located")

_STANDARD = "-"


class Reported(Protocol):
    """An answer, or what stands for it."""

    @property
    def name(self) -> str:
        """The graph's id."""

    @property
    def problem(self) -> LatticeMetricError | None:
        """Why there is no answer."""

    @property
    def where(self) -> str:
        """File and line of what failed."""


AnyReported = TypeVar("AnyReported", bound=Reported)


def _shard(context: click.Context, _parameter: click.Parameter, text: str | None) -> Part | None:
    if text is None:
        return None
    from latticemetric.batch.shards import Part, Shard

    def run() -> dict[str, Any]:
        from latticemetric.cli.fingerprint import common_to_shards

        return common_to_shards(context)

    return Part(Shard.parse(text), run)


def _bytes(_context: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    """A size like 500M or 2G."""
    if text is None:
        return None
    from latticemetric.memory import parse_size

    size = parse_size(text)
    if size is None:
        raise click.BadParameter(f"'{text}' is no size like 500M or 2G", param=parameter)
    return size


def _cluster(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Cluster | None:
    if text is None:
        return None
    from latticemetric.parallel.cluster import Cluster

    return Cluster.parse(text)


keep_going = click.option("--keep-going", is_flag=True, help="Report graphs that fail, and go on.")
keep_going_counting = click.option(
    "--keep-going", is_flag=True, help="Report graphs that fail, count them as deletions, and go on."
)
failures = click.option(
    "--failures", type=Output(), metavar="FILE", help="List what failed there, too: id, file, line, reason."
)
shard = click.option(
    "--shard", metavar="I/N", callback=_shard, help="Only every N-th graph, from the I-th on: a part of the work."
)
_OTHERS = [
    options.workers,
    click.option(
        "--cluster",
        type=ClusterName(),
        metavar="WHERE",
        callback=_cluster,
        help="Dask workers: local[:N], slurm:N, tcp://HOST:PORT or a scheduler's FILE.json.",
    ),
    click.option("--timeout", type=float, metavar="SECONDS", help="A graph that takes longer has failed."),
    click.option("--max-memory", metavar="SIZE", callback=_bytes, help="A graph that takes more has failed: 500M, 2G."),
    click.option("--resume", is_flag=True, help="Keep a journal beside the output, and go on from it if there is one."),
    failures,
]


def many_graphs(command: F) -> F:
    """All of these options but --keep-going, which some verbs word in their own way."""
    return unshared(shard(command))


def unshared(command: F) -> F:
    """The same of a verb that cannot be shared out: nothing puts what shards of it say together."""
    return options.together(*_OTHERS)(command)


def taken(graphs: Iterable[Q], shard: Part | None) -> Iterator[Q]:
    """Those of the shard, if there is one."""
    return iter(graphs) if shard is None else shard.take(graphs)


@contextlib.contextmanager
def running(
    *,
    output: str,
    workers: int | None,
    cluster: Cluster | None,
    keep_going: bool,
    timeout: float | None,
    max_memory: int | None,
    resume: bool,
    **_: Any,
) -> Iterator[Run]:
    """How graphs are gone through, by these options; a journal is removed when everything is written."""
    from latticemetric.batch.run import Run
    from latticemetric.formats.streams.output import sync
    from latticemetric.memory import graph_bytes
    from latticemetric.parallel.pool import default_workers
    from latticemetric.parallel.process import Limits

    limits = Limits(timeout, max_memory, graph_bytes(workers or default_workers()) if cluster is None else None)
    journal = _journal(output) if resume else None
    try:
        with _watched(journal), _workers(workers, cluster) as who:
            yield Run(who, keep_going, limits, journal)
        if journal is not None:
            sync(output)
            journal.remove()
    finally:
        if journal is not None:
            journal.close()


@contextlib.contextmanager
def _watched(journal: Journal | None) -> Iterator[None]:
    """Tells whoever stops the run how far it is, and which journal is damaged."""

    def kept() -> str:
        assert journal is not None
        done = "1 graph is" if journal.kept == 1 else f"{journal.kept} graphs are"
        return f"{done} done, and the same command goes on from there"

    with contextlib.ExitStack() as stack:
        if journal is not None:
            stack.enter_context(noted(kept))
            stack.enter_context(journal.blamed())
        yield


@contextlib.contextmanager
def _workers(number: int | None, cluster: Cluster | None) -> Iterator[Workers]:
    """Processes here, or those of a cluster."""
    from latticemetric.parallel.pool import default_workers

    if cluster is None:
        yield number or default_workers()
        return
    if number is not None:
        raise UsageError("a cluster has workers of its own", where="--workers", advice="leave it out, or --cluster")
    with cluster.connected() as client:
        yield client


def _journal(output: str) -> Journal:
    from latticemetric.cli.files import journal_of, written_files
    from latticemetric.cli.fingerprint import fingerprint
    from latticemetric.formats.streams.output import is_replaceable, remove_drafts
    from latticemetric.parallel.journal import Journal

    if output == _STANDARD:
        raise UsageError("standard output cannot be gone on with", where="--resume", advice="name a file: --output")
    if not (output.endswith("/") or is_replaceable(output)):
        raise UsageError("this is no file, and cannot be gone on with", where=output, advice="leave --resume out")
    context = click.get_current_context()
    journal = Journal(journal_of(output), fingerprint(context))
    for _, file in written_files(context):
        remove_drafts(file)  # nobody else writes it, for the journal is ours
    return journal


class Failures:
    """Counts what failed, says it on stderr, and lists it in the file of `--failures`, if there is one."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._rows: list[tuple[str, str, str, str]] = []
        self.count = 0

    def reported(self, answers: Iterable[AnyReported]) -> Iterator[AnyReported]:
        """Passes answers on."""
        for answer in answers:
            if answer.problem is not None:
                self.add(answer.name, answer.where, answer.problem)
            yield answer

    def report(self, answers: Iterable[Reported]) -> None:
        """The same of answers that are all there."""
        for _ in self.reported(answers):
            pass

    def add(self, name: str, where: str, problem: LatticeMetricError) -> None:
        """One more: what failed, where it stands, and why."""
        self.count += 1
        say(f"failed: {harmless(str(problem))}")
        if self._path is not None:
            file, _, line = where.rpartition(":")
            place = (file, line) if file and line.isdecimal() else (where, "")
            self._rows.append((name, *place, str(problem)))

    def write(self) -> None:
        """The list; nothing but its header where nothing failed."""
        if self._path is None:
            return
        from latticemetric.cli.display import tsv_field

        with options.results(self._path, at_once=False) as put:
            put("id\tfile\tline\treason")
            for row in self._rows:
                put("\t".join(map(tsv_field, row)))
