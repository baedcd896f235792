"""A property that is computed once, without a lock."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property  # noqa: PLC0414, TID251  modules import it from here
else:

    class cached_property(functools.cached_property):  # noqa: N801, TID251  the same name as in functools
        """`functools.cached_property` without a lock, as in Python 3.12 and later.

        In older versions, all objects of a class share one lock: threads that read different objects wait for each
        other, and a process forked during a computation waits forever. Without the lock, two threads that read the same
        object at the same time may both compute the property.
        """

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
            """Return the value for an instance; return the property itself if read from the class."""
            if instance is None:
                return self
            values = vars(instance)
            if self.attrname not in values:
                values[self.attrname] = self.func(instance)
            return values[self.attrname]
