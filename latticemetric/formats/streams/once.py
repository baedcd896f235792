"""Warnings that a run writes once, though several processes find a reason for them."""

from __future__ import annotations

import mmap
import os
from typing import Any

from latticemetric.formats.streams.stream import warn


class OnceWarning:
    """A warning that this process or one of the workers that it forks writes once.

    It is false until it was written.
    """

    def __init__(self) -> None:
        self._lock: Any = None
        self._written = mmap.mmap(-1, 1)  # one byte that workers share, so that they stop searching: 1 if written
        # Make the lock before workers are forked, so that they share it; commands that fork no workers do not need its
        # imports.
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._shared_lock)

    def __bool__(self) -> bool:
        return bool(self._written[0])

    def write(self, place: str, what: str) -> None:
        """Write the warning `place: what`, unless a process did."""
        # The process that gets the lock never releases it, so that no other process writes the warning.
        if self._shared_lock().acquire(False):  # noqa: FBT003  both kinds of lock take it by position only
            self._written[0] = 1
            warn(place, what)

    def forget(self) -> None:
        """Begin again: this process and the workers that it will fork may write the warning."""
        self._lock, self._written = None, mmap.mmap(-1, 1)

    def _shared_lock(self) -> Any:
        """Return a lock that forked workers share; on systems without fork, a lock of this process."""
        if self._lock is None:
            import multiprocessing

            try:
                self._lock = multiprocessing.get_context("fork").Lock()
            except (ImportError, OSError, ValueError):
                import threading

                self._lock = threading.Lock()
        return self._lock
