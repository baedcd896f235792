"""How much memory there is, and sizes as people write them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_UNKNOWN = 2**33
_GROUPS = Path("/sys/fs/cgroup")


def machine_memory() -> int:
    """The memory of the machine in bytes, or what this process may have of it if that is less; 8 GiB by default."""
    try:
        installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        installed = _UNKNOWN
    return min([installed, *_limits(), *_granted(Path("/proc/self/cgroup"))])


def _limits() -> Iterator[int]:
    """What `ulimit` allows."""
    try:
        import resource
    except ImportError:
        return
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        if (soft := resource.getrlimit(kind)[0]) != resource.RLIM_INFINITY:
            yield soft


def _granted(groups: Path) -> Iterator[int]:
    """What control groups allow: those of the process and those around them (containers and SLURM's jobs are some)."""
    try:
        lines = groups.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers in {"", "memory"}:
            top, name = (_GROUPS / controllers, "memory.limit_in_bytes" if controllers else "memory.max")
            group = Path(path.lstrip("/"))
            yield from (size for around in (group, *group.parents) if (size := _size_in(top / around / name)))


def _size_in(file: Path) -> int | None:
    try:
        text = file.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return int(text) if text.isdecimal() else None


def parse_size(text: str) -> int | None:
    """The bytes of a size like 500M or 2G; nothing where it is none."""
    found = re.fullmatch(r"([0-9]{1,15})([kmgt]?)b?", text.strip().lower())
    return int(found[1]) * _UNITS[found[2]] if found else None


def shown_size(size: int) -> str:
    """A size as people read it."""
    unit = next((unit for unit in "TGMK" if size >= _UNITS[unit.lower()]), "")
    return f"{size / _UNITS[unit.lower()]:.3g} {unit}B"
