"""The workers of a Dask cluster: one of this machine, one that is there, or one of jobs."""

from __future__ import annotations

import contextlib
import logging
import re
import time
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from latticemetric.errors import InputError, LatticeMetricError, MissingDependencyError, UsageError, shortened
from latticemetric.parallel import pickling
from latticemetric.parallel.pool import check_workers, default_workers
from latticemetric.parallel.remote import Answered, answer_batch, end_run

if TYPE_CHECKING:
    from distributed import Client
    from distributed.security import Security

_FORMS = "give local, local:N, slurm:N, tcp://HOST:PORT, tls://HOST:PORT, or the scheduler's file, FILE.json"
_MOST_WORKERS = 10_000
_ADDRESS = re.compile(r"[a-z]+://\S+")
# A file with 100,000 workers has more; the address stands at its end.
_MOST_BYTES_OF_FILE = 2**26
_TLS_ADVICE = "name certificates that the cluster accepts in Dask's configuration, distributed.comm.tls"
_SECONDS_TO_CONNECT = 30
_SECONDS_BETWEEN_COUNTS = 2.0
_SECONDS_BEFORE_A_WORD = 5.0


class OfCluster:
    """All threads of all workers; each of them answers in a process of its own."""

    apart = True

    def __init__(self, client: Client) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False)
        self._shared: dict[str, Any] = {}
        self._slots = 0
        self._counted = float("-inf")

    def submit(self, *batch: Any) -> Future[Answered]:
        """Has a batch answered."""
        future: Future[Answered] = self._executor.submit(answer_batch, *batch)
        return future

    def contents(self, needed: Collection[str], _missing: Collection[str]) -> Mapping[str, Any]:
        """All that a batch needs: each of them is data of the cluster, which a worker fetches once."""
        for token in needed:
            # Workers may have died of something else while they had it: then it is lost.
            if token not in self._shared or self._shared[token].status not in {"pending", "finished"}:
                self._shared[token] = self._client.submit(_same, pickling.content(token), pure=False)
        return {token: self._shared[token] for token in needed}

    def slots(self) -> int:
        """As many as there are now: workers come and go."""
        if time.monotonic() > self._counted + _SECONDS_BETWEEN_COUNTS:
            before, self._slots = self._slots, sum(self._client.nthreads().values())
            self._counted = time.monotonic()
            if before and not self._slots:
                _log("the cluster has no workers any more; waiting for others")
        return self._slots

    def end(self, run: str) -> None:
        """Ends what still runs for a run."""
        with contextlib.suppress(Exception):  # workers may be gone, and the scheduler too
            self._client.run(end_run, run, on_error="ignore")


def _same(content: bytes) -> bytes:
    return content


@dataclass(frozen=True)
class Cluster:
    """Where a cluster is.

    Attributes:
        kind: `local`, `slurm`, `address` or `file`.
        place: The address or the file.
        size: Workers or jobs to start; none: as many as there are processors.
    """

    kind: str
    place: str = ""
    size: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Of what a user writes.

        Raises:
            UsageError: It is no cluster.
        """
        if found := re.fullmatch(r"(local|slurm)(?::([0-9]{1,4000}))?", text):
            kind, size = found[1], int(found[2]) if found[2] else None
            if size == 0 or (kind == "slurm" and size is None):
                raise UsageError(f"'{text}' has no workers", advice=f"give {kind}:N")
            if kind == "local" and size is not None:
                check_workers(size)
            if size is not None and size > _MOST_WORKERS:
                raise UsageError(f"'{shortened(text)}' has too many workers", advice=f"give up to {_MOST_WORKERS}")
            return cls(kind, size=size)
        if _ADDRESS.fullmatch(text):
            return cls("address", text)
        if text.endswith(".json"):
            return cls("file", text)
        raise UsageError(f"'{text}' is no cluster", advice=_FORMS)

    @contextlib.contextmanager
    def connected(self) -> Iterator[Client]:
        """A client of it; what was started ends with it.

        Raises:
            MissingDependencyError: Dask is not installed.
            InputError: Nobody answers there.
        """
        _require("distributed")
        from distributed import Client

        with _quiet(), contextlib.ExitStack() as stack:
            try:
                scheduler = self._scheduler(stack)
                client = stack.enter_context(Client(scheduler, timeout=_SECONDS_TO_CONNECT, set_as_default=False))
            except LatticeMetricError:
                raise
            except Exception as error:  # noqa: BLE001  Dask raises anything, from assertions to what ssl says
                raise InputError(
                    f"cannot connect to the cluster: {error or type(error).__name__}",
                    where=self.place or self.kind,
                    advice=_TLS_ADVICE if "tls" in f"{error} {self.place}".lower() else None,
                ) from None
            _wait_for_workers(client)
            yield client

    def _scheduler(self, stack: contextlib.ExitStack) -> Any:
        """Its address; or a cluster that is started."""
        if self.kind == "address":
            return self.place
        if self.kind == "file":
            if not Path(self.place).is_file():
                raise InputError("there is no such file of a scheduler", where=self.place)
            return _address_in(Path(self.place))
        return stack.enter_context(_started_here(self.size) if self.kind == "local" else _jobs(self.size or 1))


def _address_in(file: Path) -> str:
    """What `dask scheduler --scheduler-file` writes."""
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
            "this is no file of a scheduler", where=str(file), advice="dask scheduler --scheduler-file writes one"
        )
    return address


def _started_here(workers: int | None) -> Any:
    """A cluster that nobody can reach from another machine, nor other users of this one where there is TLS."""
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=workers or default_workers(),
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        scheduler_kwargs={"dashboard": False},
        **_secured(_configured_security() or _temporary_security()),
        silence_logs=logging.CRITICAL,
        memory_limit=None,
        preload=["latticemetric.parallel.dask_preload"],
    )


def _jobs(number: int) -> Any:
    """Jobs of SLURM, as the configuration of dask-jobqueue has them."""
    _require("dask_jobqueue")
    from dask_jobqueue import SLURMCluster

    cluster = SLURMCluster(**_secured(_configured_security()))
    cluster.scale(jobs=number)
    return cluster


def _secured(security: Security | None) -> dict[str, Any]:
    """Settings of a cluster whose members prove to each other who they are; none without certificates."""
    return {} if security is None else {"security": security, "protocol": "tls://"}


def _configured_security() -> Security | None:
    """The certificates that Dask's configuration names, if it does: `distributed.comm.tls`."""
    from distributed.security import Security

    found = Security()
    return found if found.require_encryption or (found.tls_ca_file and found.tls_scheduler_cert) else None


def _temporary_security() -> Security | None:
    """Certificates for one run, which exist in memory only."""
    from importlib.util import find_spec

    from distributed.security import Security

    return Security.temporary() if find_spec("cryptography") is not None else None


def _require(package: str) -> None:
    from importlib.util import find_spec

    if find_spec(package) is None:
        name = "Dask (distributed)" if package == "distributed" else "dask-jobqueue"
        wanted = "latticemetric[cluster]" if package == "distributed" else "dask-jobqueue"
        raise MissingDependencyError(f"this needs {name}, which is not installed", advice=f"pip install '{wanted}'")


def _log(what: str) -> None:
    logging.getLogger("latticemetric").warning(what)


def _wait_for_workers(client: Client) -> None:
    """Until there is one; says that it waits: jobs may queue for hours."""
    began, told = time.monotonic(), False
    while not client.nthreads():
        if not told and time.monotonic() > began + _SECONDS_BEFORE_A_WORD:
            _log("the cluster has no workers yet; waiting for the first")
            told = True
        time.sleep(0.1)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What Dask logs of workers that come and go is nothing to who reads results."""
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
