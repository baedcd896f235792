"""Pickle tasks and answers between processes; send each constant to each process only once.

A constant is an object that many tasks share, like a symbol table; pickles contain a token in its place. Sending a
table of 200,000 words with each of 100 lattices takes eleven times as long as sending it once.
"""

from __future__ import annotations

import copyreg
import io
import os
import pickle
import sys
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol, TypeAlias

Reducers: TypeAlias = dict[type, Callable[[Any], Any]]
"""Functions that pickle objects of some types, in the form of `copyreg.dispatch_table`."""


@cache
def reducers() -> Reducers:
    """Return the reducers that packages registered for their types, except reducers of errors.

    Dask registers a reducer for all errors, but error messages must not depend on whether a process imported Dask.
    """
    registered: Any = copyreg.dispatch_table
    return {kind: reduce for kind, reduce in registered.items() if not issubclass(kind, BaseException)}


def pickled(thing: Any, table: Reducers | None = None) -> bytes:
    """Pickle an object with a table of reducers."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = reducers() if table is None else table
    pickler.dump(thing)
    return file.getvalue()


def portable(function: Any) -> bytes:
    """Pickle a function for a process that can only import installed packages.

    If cloudpickle is installed, a function of a script or notebook is pickled with its code.
    """
    try:
        import cloudpickle
    except ImportError:
        return pickle.dumps(function, pickle.HIGHEST_PROTOCOL)
    data: bytes = cloudpickle.dumps(function)
    return data


# A process knows tokens that it made, that it inherited in a fork, or that another process sent.

# Keep at most this many constants from other processes: the end of a run does not remove them from workers.
_MOST_LEARNT = 16

_objects: dict[str, Any] = {}
_contents: dict[str, bytes] = {}
_tokens: dict[int, str] = {}
_learnt: list[str] = []
_lock = threading.Lock()
if hasattr(os, "register_at_fork"):  # otherwise, a fork while a thread holds the lock would wait for it forever
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def learn(contents: Mapping[str, bytes]) -> None:
    """Store pickled constants (by token) that come from another process; drop the oldest if there are too many."""
    with _lock:
        _learnt.extend(contents.keys() - _contents.keys())
        _contents.update(contents)
        surplus = _learnt[:-_MOST_LEARNT]
        del _learnt[:-_MOST_LEARNT]
        _forget(surplus)


def constant(token: str) -> Any:
    """Return the constant with this token."""
    with _lock:
        if token not in _objects:
            thing = pickle.loads(_contents[token])  # noqa: S301  our own run sent it
            _objects[token] = thing
            _tokens[id(thing)] = token
        return _objects[token]


def content(token: str) -> bytes:
    """Return the pickled constant with this token."""
    return _contents[token]


def pickled_reply(reply: Any) -> bytes:
    """Pickle an answer with tokens in place of its constants."""

    def reduced(thing: Any) -> Any:
        token = _tokens.get(id(thing))
        return thing.__reduce_ex__(pickle.HIGHEST_PROTOCOL) if token is None else (constant, (token,))

    return pickled(reply, {**reducers(), **dict.fromkeys(map(type, _objects.values()), reduced)})


def _forget(tokens: Iterable[str]) -> None:
    for token in tokens:
        _tokens.pop(id(_objects.pop(token, None)), None)
        _contents.pop(token, None)


class Held(Protocol):
    """Bytes of a file that a task keeps in memory, in case a worker cannot read them from the file."""

    @property
    def size(self) -> int:
        """The number of bytes."""

    def release(self) -> None:
        """Release the bytes."""


class Packed(NamedTuple):
    """A pickled task, the tokens of the constants that it needs, and the bytes to release when it is answered."""

    data: bytes
    needs: frozenset[str]
    held: tuple[Held, ...] = ()


class Packing:
    """Pickles the tasks of one run; `close` forgets the constants of the run."""

    _RECENT = 4
    _MOST_CONSTANTS = 8

    def __init__(self) -> None:
        self._table, self._whole, self._constants = (dict(reducers()) for _ in range(3))
        self._late: dict[str, Callable[[Any], None]] = {}
        self._modules = 0
        self._mine: list[str] = []
        self._recent: deque[Any] = deque(maxlen=self._RECENT)
        self._needs: set[str] = set()
        self._held: list[Held] = []

    def add(self, table: Reducers, whole: Reducers | None = None, constants: Reducers | None = None) -> None:
        """Add reducers.

        Args:
            table: Reducers for the types in the tasks.
            whole: Reducers to use instead of reducers in `table` if the receiver cannot read this machine's files.
            constants: Reducers to pickle the constants.
        """
        self._table.update(table)
        self._whole.update({**table, **(whole or {})})
        self._constants.update(constants or {})

    def add_when_imported(self, module: str, add: Callable[[Any], None]) -> None:
        """When a module has been imported, call `add` with the module before the next task is packed.

        Until then, no task has objects of the module's types, and importing the module would only take time.
        """
        self._late[module] = add

    def pack(self, question: Any, *, whole: bool = False) -> Packed:
        """Pickle a task; if `whole`, include the data that it reads from files."""
        if len(sys.modules) != self._modules:
            self._modules = len(sys.modules)
            for name in [name for name in self._late if name in sys.modules]:
                self._late.pop(name)(import_module(name))  # waits for a thread that is importing it
        self._needs, self._held = set(), []
        data = pickled(question, self._whole if whole else self._table)
        return Packed(data, frozenset(self._needs), tuple(self._held))

    def hold(self, held: Held) -> None:
        """Keep bytes for the task that is being packed; release the bytes when there is an answer to this task."""
        self._held.append(held)

    def by_token(self, thing: Any) -> Any:
        """Return what a reducer must return, so that pickle writes a token in place of an object.

        Return `None` if the object has no token, because it is new, or because there are too many constants.
        """
        token = _tokens.get(id(thing))
        if token is None:
            # Make an object a constant when it comes a second time: the symbol table of a single graph comes only once.
            if not any(thing is other for other in self._recent):
                self._recent.append(thing)
                return None
            if len(self._mine) >= self._MOST_CONSTANTS:
                return None
            token = uuid.uuid4().hex
            _contents[token] = pickled(thing, self._constants)
            _objects[token] = thing
            _tokens[id(thing)] = token
            self._mine.append(token)
        self._needs.add(token)
        return constant, (token,)

    def close(self) -> None:
        """Forget the constants of the run."""
        _forget(self._mine)
