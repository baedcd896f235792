"""What was looked for, and what was found of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

State = Literal["ok", "missing", "broken"]


class Subject(NamedTuple):
    """Something to look for.

    Attributes:
        name: As people call it.
        group: What it belongs with in a table.
        look: Tries it, and says what there is; raises an error if it is missing or broken.
        needed_for: What does not work without it.
        advice: How to get it.
        required: Whether nothing of use works without it.
    """

    name: str
    group: str
    look: Callable[[], str]
    needed_for: str = ""
    advice: str = ""
    required: bool = False


@dataclass(frozen=True)
class Check:
    """What was found of one subject.

    Attributes:
        name: As people call it.
        group: What it belongs with in a table.
        state: Whether it works, is not there, or is there and does not work.
        found: Its version, its size, its place.
        problem: Why it does not work.
        needed_for: What does not work without it.
        advice: How to get it.
        required: Whether nothing of use works without it.
    """

    name: str
    group: str
    state: State
    found: str | None
    problem: str | None
    needed_for: str
    advice: str
    required: bool


@dataclass(frozen=True)
class Installation:
    """What is installed, and whether it works.

    Attributes:
        version: Of latticemetric.
        checks: One of each thing that was looked for.
    """

    version: str
    checks: tuple[Check, ...]

    @property
    def works(self) -> bool:
        """Whether all that is required works."""
        return all(check.state == "ok" for check in self.checks if check.required)

    def asdict(self) -> dict[str, Any]:
        """The same as a mapping."""
        return {"version": self.version, "works": self.works, "checks": [asdict(check) for check in self.checks]}
