"""Pickles of ours, whatever other packages have registered for theirs."""

from __future__ import annotations

import copyreg
import io
import pickle
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

Reducers: TypeAlias = dict[type, Callable[[Any], Any]]


@cache
def reducers() -> Reducers:
    """How types are pickled that do not say it themselves.

    Errors do. Dask registers a way of its own for all errors that there are, in each process that imports it: what
    our own processes say to each other must not depend on that.
    """
    registered: Any = copyreg.dispatch_table
    return {kind: reduce for kind, reduce in registered.items() if not issubclass(kind, BaseException)}


def pickled(thing: Any, table: Reducers | None = None) -> bytes:
    """Something pickled; some types of it in ways of their own."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = reducers() if table is None else table
    pickler.dump(thing)
    return file.getvalue()
