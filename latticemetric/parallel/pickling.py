"""How questions travel to other processes, and answers back: each constant once, pickles of ours."""

from __future__ import annotations

import copyreg
import io
import os
import pickle
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeAlias

from latticemetric.normalization.grammar import Grammar
from latticemetric.vocabulary import Vocabulary

# ---- Pickles of ours, whatever other packages have registered for theirs ----

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


# ---- What many questions have in common, like a symbol table: it travels to each process once, and then goes by a
# token ----
#
# Tokens are known to the process that made them, to those that are forked from it later, and to those that learn them.

# Of runs that are over: nobody tells the processes of strangers that one is.
_MOST_LEARNT = 16

_objects: dict[str, Any] = {}
_contents: dict[str, bytes] = {}
_tokens: dict[int, str] = {}
_learnt: list[str] = []
_lock = threading.Lock()
if hasattr(os, "register_at_fork"):  # while a thread holds it, no other one may fork: the child would never get it
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def register(thing: Any) -> str:
    """Makes a constant of something; its token."""
    token = uuid.uuid4().hex
    _objects[token] = thing
    _tokens[id(thing)] = token
    return token


def forget(tokens: Iterable[str]) -> None:
    """Nobody asks for these any more."""
    for token in tokens:
        _tokens.pop(id(_objects.pop(token, None)), None)
        _contents.pop(token, None)


def token_of(thing: Any) -> str | None:
    """The token of something that is a constant."""
    return _tokens.get(id(thing))


def known() -> frozenset[str]:
    """All tokens of this process."""
    return frozenset(_objects.keys() | _contents.keys())


def learn(contents: Mapping[str, bytes]) -> None:
    """Takes in what another process has."""
    with _lock:
        _learnt.extend(contents.keys() - _contents.keys() - _objects.keys())
        _contents.update(contents)
        surplus = _learnt[:-_MOST_LEARNT]
        del _learnt[:-_MOST_LEARNT]
        forget(surplus)


def constant(token: str) -> Any:
    """What a token stands for."""
    with _lock:
        if token not in _objects:
            thing = pickle.loads(_contents[token])  # noqa: S301  a question of our own run
            _objects[token] = thing
            _tokens[id(thing)] = token
        return _objects[token]


def content(token: str) -> bytes:
    """The same, pickled, for another process."""
    if token not in _contents:
        _contents[token] = portable(_objects[token])
    return _contents[token]


def portable(thing: Any) -> bytes:
    """Something pickled for a process that may know no more than the packages that are installed.

    Functions of a script or a notebook travel with their code where cloudpickle is installed.
    """
    if isinstance(thing, Grammar):  # by itself, it travels as a name
        return pickle.dumps(_Whole(thing), pickle.HIGHEST_PROTOCOL)
    try:
        import cloudpickle
    except ImportError:
        return pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)
    data: bytes = cloudpickle.dumps(thing)
    return data


def packed_reply(reply: Any) -> bytes:
    """An answer on its way back; a constant that it holds goes by its token."""
    return pickled(reply, {**reducers(), Vocabulary: _vocabulary})


def _vocabulary(vocabulary: Vocabulary) -> Any:
    token = token_of(vocabulary)
    return vocabulary.__reduce_ex__(pickle.HIGHEST_PROTOCOL) if token is None else (constant, (token,))


class _Whole:
    """A grammar that travels with its rules: there may be no such file where it goes."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar

    def __reduce__(self) -> tuple[Any, ...]:
        return Grammar, (self._grammar.name, self._grammar.rule, self._grammar.alternatives)
