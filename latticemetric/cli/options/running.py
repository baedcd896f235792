"""Options of a run: workers, limits, shards, what happens on errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli.commands import Options, flag, option
from latticemetric.cli.files import ClusterName, Output
from latticemetric.cli.options.fields import option_of
from latticemetric.corpus.settings import RunSettings
from latticemetric.errors import placed

if TYPE_CHECKING:
    from latticemetric.corpus.shards import ShardRun
    from latticemetric.parallel.cluster import Cluster


def _workers(number: int | None) -> int | None:
    if number is not None and number > 1:
        from latticemetric.parallel.limits import check_workers

        with placed("--workers"):
            check_workers(number)
    return number


def _bytes(text: str | None) -> int | None:
    """Convert a size like 500M or 2G to bytes."""
    if text is None:
        return None
    from latticemetric.memory import parse_size

    size = parse_size(text)
    if size is None:
        raise click.BadParameter(f"'{text}' is not a size like 500M or 2G")
    return size


def _cluster(text: str | None) -> Cluster | None:
    if text is None:
        return None
    from latticemetric.parallel.cluster import Cluster

    return Cluster.parse(text)


def _shard(text: str | None) -> ShardRun | None:
    if text is None:
        return None
    from latticemetric.corpus.shards import Shard, ShardRun

    context = click.get_current_context()

    def run() -> dict[str, Any]:
        from latticemetric.cli.fingerprint import common_to_shards

        return common_to_shards(context)

    return ShardRun(Shard.parse(text), run)


class WorkerOptions(Options):
    """The number of workers."""

    workers: int | None = option(
        "--workers N",
        "Number of processes or threads (default: one per processor).",
        reads=_workers,
        type=click.IntRange(1),
    )


class RunOptions(WorkerOptions):
    """Workers, limits and error handling of a run over many graphs."""

    cluster: Cluster | None = option(
        "--cluster WHERE",
        "Use Dask workers: local[:N], slurm:N, tcp://HOST:PORT or a scheduler's FILE.json.",
        type=ClusterName(),
        reads=_cluster,
    )
    timeout: float | None = option_of(RunSettings.fields["timeout"])
    max_memory: int | None = option_of(RunSettings.fields["max_memory"], reads=_bytes)
    resume: bool = flag("--resume", "Keep a journal beside the output; continue an interrupted run from it.")
    failures: str | None = option(
        "--failures FILE", "Also list the failed graphs in FILE: id, file, line, reason.", type=Output()
    )
    keep_going: bool = option_of(RunSettings.fields["keep_going"])


class ShardedRunOptions(RunOptions):
    """Workers, limits and error handling of a run over many graphs, or over a shard of them."""

    shard: ShardRun | None = option(
        "--shard I/N",
        "Process only every N-th graph, starting with the I-th; join the results with merge.",
        reads=_shard,
    )


class KeepGoingOptions(Options):
    """The option of runs in this process over all graphs."""

    keep_going: bool = flag("--keep-going", "Report and skip graphs that fail; the exit status is then 1.")

    def whole(self) -> ShardedRunOptions:
        """Return the options of a run in this process over all graphs."""
        others: dict[str, Any] = dict.fromkeys(ShardedRunOptions.declared) | {"resume": False, "workers": 1}
        return ShardedRunOptions(**others | {"keep_going": self.keep_going})
