"""Measure memory, limit the memory of a search, and read and write sizes like 8G.

Native kernels count the bytes that they allocate (`kernels/memory/`); `most_bytes` returns their limit. In processes
that work on the graphs of a command, `held` and `hold_memory` also let the operating system limit the whole process.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from latticemetric.arguments import whole_number
from latticemetric.errors import InputError

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_UNKNOWN = 2**33
_LARGEST_SHOWN = 999.5  # larger numbers have more than three digits
# Plain strings, since importing pathlib takes longer than printing most of `--help`.
_GROUPS = "/sys/fs/cgroup"
_MEMINFO = "/proc/meminfo"
_STATM = "/proc/self/statm"
_OWN_GROUPS = "/proc/self/cgroup"
_ADDRESS_PAGES, _DATA_PAGES = 0, 5
# Default limit per graph. A graph of 200,000 arcs takes less than 100 MB; larger needs are rarely intended.
_GRAPH_BYTES = 3 * 2**29
_LEAST = 2**27
# The system accepts no larger number, and no machine has this much memory.
_LARGEST_LIMIT = 2**62

# Not every operation has a reference: `determinized` has none.
_ADVICE = "prune the graph, or shorten its reference if there is one"

_SECONDS_VALID = 0.1

_limit: int | None = None
# The time and the result of the last measurement of free memory.
_measured = (-math.inf, 0)
# The data limit when this process started; set when this module first changes the limit.
_ulimit: int | None = None


def limit_memory(size: int | str | None) -> None:
    """Limit the memory that one search may take in this process.

    By default, the limit is half of the free memory, but at least 128 MiB. Free memory is measured when the search
    first exceeds 64 MB.

    Args:
        size: Bytes, or a size like `"500M"` or `"8G"`; `None` for the default.

    Raises:
        UsageError: `size` is not a valid size.

    Examples:
        >>> limit_memory("8G")
        >>> limit_memory(None)
    """
    global _limit  # noqa: PLW0603  one limit per process, like the memory
    number = parse_size(size) if isinstance(size, str) else size
    message, advice = f"'{size}' is not a size in bytes", "give a size like 500M or 8G"
    _limit = None if size is None else min(whole_number(number, message, advice), _LARGEST_LIMIT)


def most_bytes() -> int:
    """Return the number of bytes that one search may take now."""
    return max(_LEAST, _free_lately() // 2) if _limit is None else _limit


def _free_lately() -> int:
    """Return `free_memory`, measured at most `_SECONDS_VALID` ago: measuring takes longer than many searches."""
    global _measured  # noqa: PLW0603  one measurement per process
    now = time.monotonic()
    if now > _measured[0] + _SECONDS_VALID:
        _measured = now, free_memory()
    return _measured[1]


def graph_bytes(workers: int) -> int:
    """Return the default memory limit per graph of a command, in bytes.

    Divide half of the free memory by the number of workers. The limit is this quotient, but at most 1.5 GiB and at
    least 128 MiB.
    """
    return max(_LEAST, min(_GRAPH_BYTES, _shared() // (2 * max(1, workers))))


def no_memory() -> InputError:
    """Return the error for a graph that caused a `MemoryError`."""
    if _limit is not None:
        return over_budget(_limit)
    return InputError("there is not enough memory for this graph", advice=_ADVICE)


def over_budget(limit: int) -> InputError:
    """Return the error for a graph that needs more than `limit` bytes."""
    more = shown_size(4 * limit).replace(" ", "")
    return InputError(
        f"this graph needs more than {shown_size(limit)} of memory",
        advice=f'{_ADVICE}, or allow more: max_memory="{more}" (without a corpus, limit_memory)',
    )


def machine_memory() -> int:
    """Return the bytes of memory that this process may use in total.

    This is the machine's memory (8 GiB if unknown), or a lower limit of `ulimit` or of the process's control groups.
    """
    try:
        installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        installed = _UNKNOWN
    # A control group limits several processes together, such as a container or a SLURM job.
    return min([installed, *(limit for limit, _ in (*_soft_limits(), *_group_limits(_OWN_GROUPS)))])


def free_memory() -> int:
    """Return the bytes that this process can still allocate within the limits of machine, container and `ulimit`."""
    left = [_shared()]
    if pages := _pages():
        left += [limit - pages[kind] * os.sysconf("SC_PAGE_SIZE") for limit, kind in _soft_limits()]
    return max(0, min(left))


def _shared() -> int:
    """Return the bytes that are free for all processes together; ignore `ulimit`, which limits single processes."""
    # The memory that the machine has available without swapping; half of its memory if unknown.
    match = re.search(rb"^MemAvailable:\s*([0-9]+) kB$", _read(_MEMINFO), re.MULTILINE)
    available = int(match[1]) * 1024 if match else machine_memory() // 2
    return max(0, min([available, *_free_in_groups(_OWN_GROUPS)]))


def _soft_limits() -> Iterator[tuple[int, int]]:
    """For each memory limit of `ulimit`, yield the limit in bytes, and the index of the limited size in `_pages`."""
    try:
        import resource
    except ImportError:
        return
    data = resource.getrlimit(resource.RLIMIT_DATA)[0] if _ulimit is None else _ulimit
    for soft, pages in ((resource.getrlimit(resource.RLIMIT_AS)[0], _ADDRESS_PAGES), (data, _DATA_PAGES)):
        if soft != resource.RLIM_INFINITY:
            yield soft, pages


def _free_in_groups(groups: str) -> Iterator[int]:
    """Yield the bytes that are free in each control group of a process; cached files count as free.

    `groups` is the file that lists the control groups, such as `/proc/self/cgroup`.
    """
    for limit, group in _group_limits(groups):
        used = size_in(f"{group}/memory.current") or size_in(f"{group}/memory.usage_in_bytes") or 0
        cached = re.findall(rb"^(?:total_)?inactive_file ([0-9]+)$", _read(f"{group}/memory.stat"), re.MULTILINE)
        yield limit - used + sum(map(int, cached[-1:]))


def _group_limits(groups: str) -> Iterator[tuple[int, str]]:
    """For each control group of a process, and each parent group, yield the memory limit in bytes and the folder.

    `groups` is the file that lists the control groups, such as `/proc/self/cgroup`.
    """
    for line in os.fsdecode(_read(groups)).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers in {"", "memory"}:
            name = "memory.limit_in_bytes" if controllers else "memory.max"
            top = f"{_GROUPS}/{controllers}".rstrip("/")
            group = f"{top}/{path.strip('/')}".rstrip("/")
            while len(group) >= len(top):
                if size := size_in(f"{group}/{name}"):
                    yield size, group
                group = group.rpartition("/")[0]


def size_in(file: str) -> int | None:
    """Read a number of bytes from a file of a control group; return `None` if the file has no number."""
    text = _read(file).strip()
    return int(text) if text.isdigit() else None


@cache
def _reports_sizes() -> bool:
    """Return True if the system reports the memory of this process in `/proc`, as Linux does."""
    return os.path.exists(_STATM)  # noqa: PTH110  without pathlib


_LONGEST_LINE = 4096


def _pages() -> list[int]:
    """Return the fields of `/proc/self/statm`: sizes of this process in memory pages; empty if unknown."""
    try:
        file = os.open(_STATM, os.O_RDONLY)  # three times as fast as `open`; called for each graph
    except OSError:
        return []
    try:
        return list(map(int, os.read(file, _LONGEST_LINE).split()))
    finally:
        os.close(file)


def _read(file: str) -> bytes:
    """Return the content of a file; empty if it cannot be read."""
    try:
        with open(file, "rb") as stream:  # noqa: PTH123  without pathlib
            return stream.read()
    except OSError:
        return b""


def parse_size(text: str) -> int | None:
    """Return the number of bytes of a size like 500M, 2G or `1.5 GB`; `None` if `text` is not a size."""
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,3})?) ?([kmgt]?)b?", text.strip().lower())
    return int(float(match[1]) * _UNITS[match[2]]) if match else None


def shown_size(size: int) -> str:
    """Return a number of bytes as text for display, such as `1.5 GB`."""
    unit = next((unit for unit in "TGMK" if size >= _LARGEST_SHOWN / 1024 * _UNITS[unit.lower()]), "")
    return f"{size / _UNITS[unit.lower()]:.3g} {unit}B"


@contextmanager
def held(growth: int | None) -> Iterator[None]:
    """Limit the growth of this process inside the `with` block, as `hold_memory` does; `None` sets no limit."""
    if growth is None:
        yield
        return
    global _limit  # noqa: PLW0603  one per process
    before, limits = _limit, _data_limits()
    _limit = growth
    _hold_data(growth)
    try:
        yield
    finally:
        _limit = before
        if limits is not None:
            _set_data_limits(limits)


def hold_memory(growth: int) -> None:
    """Let this process take at most `growth` bytes more than now.

    Native kernels check the limit and raise an error before they exceed it. Other code gets a `MemoryError` (on Linux).
    The limit applies to data, not to address space, since allocators reserve far more address space than they use.
    """
    import hashlib  # noqa: F401  without memory, its import writes tracebacks and leaves a broken module

    limit_memory(growth)
    _hold_data(growth)


def hold_command() -> None:
    """Limit a command to 90 % of the free memory, so that it reports an error before the system kills it.

    The limit is at least 1.5 GiB.
    """
    _hold_data(max(_GRAPH_BYTES, free_memory() * 9 // 10))


def _hold_data(growth: int) -> None:
    """Let the data of this process (`RLIMIT_DATA`) grow by at most `growth` bytes; never raise the `ulimit`."""
    global _ulimit  # noqa: PLW0603  one per process
    limits = _data_limits()
    if limits is None:
        return
    if _ulimit is None:
        _ulimit = limits[0]
    # Measure each time: between two graphs, the program may reserve any amount at once.
    has = _pages()[_DATA_PAGES] * os.sysconf("SC_PAGE_SIZE")
    most = [limit for limit in (has + growth, _LARGEST_LIMIT, _ulimit, limits[1]) if limit >= 0]
    _set_data_limits((min(most), limits[1]))


def _data_limits() -> tuple[int, int] | None:
    """Return the soft and the hard `RLIMIT_DATA` in bytes; negative means no limit. Return `None` if unknown."""
    if not _reports_sizes():
        return None
    import resource

    return resource.getrlimit(resource.RLIMIT_DATA)


def _set_data_limits(limits: tuple[int, int]) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, limits)
