"""Begin a run over a corpus: its limits, its shard and its journal."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.fingerprint import as_text, common_to_shards, fingerprint
from latticemetric.corpus.notes import noting_unseen
from latticemetric.corpus.pairing import begin_notes
from latticemetric.corpus.run import Run
from latticemetric.corpus.shards import ShardRun
from latticemetric.errors import UsageError
from latticemetric.parallel.journal import Journal
from latticemetric.parallel.limits import Limits

if TYPE_CHECKING:
    from latticemetric.corpus.question import Task
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.settings import RunSettings


@contextmanager
def begun(corpus: ReadCorpus, task: Task, settings: RunSettings) -> Iterator[Run]:
    """Begin the run of a task; at its end, check that all weights had an effect, and remove its journal."""
    begin_notes()
    shard = None if corpus.shard is None else ShardRun(corpus.shard, partial(_common_to_shards, corpus, task))
    limits = Limits(settings.timeout, settings.most_memory())
    journal = None
    if settings.resume is not None:
        if corpus.in_memory():
            raise UsageError("a corpus in memory cannot be resumed", where="resume", advice="use Corpus.read")
        named = corpus.named() | _settings_of(task) | {"shard": repr(corpus.shard)}
        files = [*corpus.files(), *task.files()]
        journal = Journal(os.fspath(settings.resume), fingerprint(task.verb, named, files), known=task.known())
    run = Run(settings.workers, settings.keep_going, limits, journal, shard, settings.progress)
    is_partial = shard is not None or journal is not None or not isinstance(settings.workers, int)
    if journal is None:
        with noting_unseen(corpus, task, run):
            yield run
        corpus.check_weights(partial_run=is_partial)
        return
    try:
        with journal.blamed():
            with noting_unseen(corpus, task, run):
                yield run
            corpus.check_weights(partial_run=is_partial)
        journal.remove()
    finally:
        journal.leave()


def _settings_of(task: Task) -> dict[str, str]:
    return {name: as_text(value) for name, value in task.asdict().items()}


def _common_to_shards(corpus: ReadCorpus, task: Task) -> dict[str, Any]:
    graphs = corpus.graph_files()
    named = {k: v for k, v in corpus.named().items() if k not in ("graphs", "references")} | _settings_of(task)
    own = [file for file in (*corpus.files(), *task.files()) if file not in graphs]
    return common_to_shards(task.verb, {name: (value, own) for name, value in named.items()}, graphs)


def refuse_runs(corpus: ReadCorpus, run: RunSettings, what: str, names: Sequence[str]) -> None:
    """Refuse shards, clusters and settings of a run for a task that reads all graphs together.

    Args:
        corpus: The corpus.
        run: The settings of the run.
        what: The task, for errors.
        names: The settings of a run that have no effect on the task.
    """
    changed = run.changed()
    for name in names:
        if name in changed:
            raise UsageError(f"{name} has no effect on {what}", advice="leave it out")
    if not isinstance(run.workers, int):
        raise UsageError(f"a cluster has no effect on {what}", where="workers", advice="leave it out")
    refuse_shard(corpus, what)


def refuse_shard(corpus: ReadCorpus, what: str) -> None:
    """Refuse a shard for a task that needs all graphs together, so that no results of shards could be merged."""
    if corpus.shard is not None:
        raise UsageError(f"{what} needs all graphs, not a shard", advice="leave shard out")
