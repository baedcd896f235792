"""Connect to a Dask cluster: start one on this machine or as SLURM jobs, or use a running one."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from latticemetric.errors import InputError, LatticeMetricError, MissingDependencyError, UsageError, shortened
from latticemetric.parallel.limits import check_workers, default_workers

if TYPE_CHECKING:
    from distributed import Client

_FORMS = "give local, local:N, slurm:N, tcp://HOST:PORT, tls://HOST:PORT, or the scheduler's file, FILE.json"
_MOST_WORKERS = 10_000
_ADDRESS = re.compile(r"[a-z]+://\S+")
_MOST_BYTES_OF_FILE = 2**26
_TLS_ADVICE = "name certificates that the cluster accepts in Dask's configuration, distributed.comm.tls"
_SECONDS_TO_CONNECT = 30
_SECONDS_BEFORE_A_MESSAGE = 5.0


@dataclass(frozen=True)
class Cluster:
    """A cluster, as given by `--cluster`.

    Attributes:
        kind: `local` or `slurm` (start workers or jobs), `address` or `file` (use a running cluster).
        place: The address, or the name of the file that the scheduler wrote.
        size: Number of workers or jobs to start; `None` for one worker per processor.
    """

    kind: str
    place: str = ""
    size: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the value of `--cluster`."""
        if match := re.fullmatch(r"(local|slurm)(?::([0-9]{1,4000}))?", text):
            kind, size = match[1], int(match[2]) if match[2] else None
            if size == 0 or (kind == "slurm" and size is None):
                raise UsageError(f"'{text}' has no number of workers", advice=f"give {kind}:N with N ≥ 1")
            if kind == "local" and size is not None:
                check_workers(size)
            if size is not None and size > _MOST_WORKERS:
                raise UsageError(f"'{shortened(text)}' has too many workers", advice=f"give up to {_MOST_WORKERS}")
            return cls(kind, size=size)
        if _ADDRESS.fullmatch(text):
            return cls("address", text)
        if text.endswith(".json"):
            return cls("file", text)
        raise UsageError(f"'{text}' is not a cluster", advice=_FORMS)

    @contextlib.contextmanager
    def connected(self) -> Iterator[Client]:
        """Yield a client when the cluster has a worker; afterwards, stop the cluster if this call started it."""
        _require("distributed")
        from distributed import Client

        with _quiet(), contextlib.ExitStack() as stack:
            try:
                scheduler = self._scheduler(stack)
                client = stack.enter_context(Client(scheduler, timeout=_SECONDS_TO_CONNECT, set_as_default=False))
            except LatticeMetricError:
                raise
            except Exception as error:  # noqa: BLE001  Dask raises errors of any class
                raise InputError(
                    f"cannot connect to the cluster: {error or type(error).__name__}",
                    where=self.place or self.kind,
                    advice=_TLS_ADVICE if "tls" in f"{error} {self.place}".lower() else None,
                ) from None
            began, is_reported = time.monotonic(), False
            while not client.nthreads():  # SLURM jobs may wait in a queue for hours
                if not is_reported and time.monotonic() > began + _SECONDS_BEFORE_A_MESSAGE:
                    logging.getLogger("latticemetric").warning("the cluster has no workers yet; waiting for the first")
                    is_reported = True
                time.sleep(0.1)
            yield client

    def _scheduler(self, stack: contextlib.ExitStack) -> Any:
        """Return the address of a running scheduler, or start a cluster and return it; `stack` stops this cluster."""
        if self.kind == "address":
            return self.place
        if self.kind == "file":
            if not Path(self.place).is_file():
                raise InputError(
                    "the file of the scheduler does not exist",
                    where=self.place,
                    advice="give the file written by dask scheduler --scheduler-file",
                )
            return _address_in(Path(self.place))
        if self.kind == "local":
            return stack.enter_context(_local_cluster(self.size))
        _require("dask_jobqueue")
        from dask_jobqueue import SLURMCluster

        cluster = SLURMCluster(**security_options())  # as configured in dask-jobqueue
        cluster.scale(jobs=self.size)
        return stack.enter_context(cluster)


def _address_in(file: Path) -> str:
    """Read the address from a file of `dask scheduler --scheduler-file`."""
    import json

    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES_OF_FILE)
        address = str(json.loads(text)["address"])
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(file)) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        address = ""
    if not _ADDRESS.fullmatch(address):
        raise InputError(
            "this is not a scheduler's file",
            where=str(file),
            advice="give the file written by dask scheduler --scheduler-file",
        )
    return address


def _local_cluster(workers: int | None) -> Any:
    """Start a cluster that only this machine can reach; with TLS, only this user can reach it."""
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=workers or default_workers(),
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        scheduler_kwargs={"dashboard": False},
        **security_options(temporary=True),
        silence_logs=logging.CRITICAL,
        memory_limit=None,
        preload=[__name__],
    )


def dask_setup(_worker: object) -> None:
    """Ignore interrupts in a local worker. A terminal also interrupts the client, and the client stops its workers.

    Dask calls this function (by this name) when a worker starts.
    """
    for name in ("SIGINT", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)


def security_options(*, temporary: bool = False) -> dict[str, Any]:
    """Return the TLS settings of a cluster, with the certificates from `distributed.comm.tls` in Dask's configuration.

    If the configuration has no certificates and `temporary` is True, create certificates in memory; this needs the
    package `cryptography`. Without certificates, return an empty dictionary.
    """
    from distributed.security import Security

    security = Security()
    if not (security.require_encryption or (security.tls_ca_file and security.tls_scheduler_cert)):
        if not temporary or importlib.util.find_spec("cryptography") is None:
            return {}
        security = Security.temporary()
    return {"security": security, "protocol": "tls://"}


def _require(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        name = "Dask (distributed)" if package == "distributed" else "dask-jobqueue"
        wanted = "latticemetric[cluster]" if package == "distributed" else "dask-jobqueue"
        raise MissingDependencyError(
            f"a cluster needs {name}, which is not installed", advice=f"pip install '{wanted}'"
        )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask's log messages about workers that join and leave, inside the `with` block."""
    import dask

    logger = logging.getLogger("distributed")
    level = logger.level
    settings = {"distributed.admin.large-graph-warning-threshold": "1GB", "distributed.worker.daemon": True}
    try:
        logger.setLevel(logging.CRITICAL)
        with dask.config.set(settings):
            yield
    finally:
        logger.setLevel(level)
