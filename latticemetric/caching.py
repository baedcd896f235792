"""Properties that are computed once."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property  # noqa: PLC0414  modules import it from here
else:

    class cached_property(functools.cached_property):  # noqa: N801  as the one that it stands for
        """`functools.cached_property` as Python has it from 3.12 on: without a lock.

        Before, all objects of a class share one lock: threads wait for each other though they ask different objects,
        and a process that is forked while a thread computes the property never gets it. Two threads that ask one
        object at the same time may both compute it.
        """

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
            """The value; the property itself if the class is asked."""
            if instance is None:
                return self
            values = vars(instance)
            if self.attrname not in values:
                values[self.attrname] = self.func(instance)
            return values[self.attrname]
