"""Cells that cannot be read, and the packages that tables need."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from latticemetric.errors import importing


@dataclass(frozen=True)
class Unread:
    """A cell of a table that is neither a text nor a number, nor a list or structure of these.

    Attributes:
        type: The name of its type.
    """

    type: str


def require_arrow() -> Any:
    """Return the module `pyarrow`; raise an error if it is not installed."""
    return required_module("pyarrow", "latticemetric[arrow]")


def required_module(name: str, package: str) -> Any:
    """Return a module; raise an error if its package is not installed."""
    with importing(f"this operation needs {name}", advice=f'pip install "{package}"'):
        return import_module(name)
