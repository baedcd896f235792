"""Outputs of several systems, references, and what people said: what its readers make."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from latticemetric.errors import FormatError, UsageError
from latticemetric.judgments import WHOLE_SYSTEM, Judgments


@dataclass(frozen=True)
class JudgedSystems:
    """A test set.

    Attributes:
        systems: Names of the systems.
        segments: Ids of the segments.
        outputs: A text a segment, for each system.
        references: The references of each segment.
        judgments: What people said.
        raw: Whether texts are untokenized, as those of WMT.
        notes: What was left out, and why.
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    outputs: tuple[tuple[str, ...], ...]
    references: tuple[tuple[str, ...], ...]
    judgments: Judgments
    raw: bool = False
    notes: tuple[str, ...] = ()

    def without(self, names: Collection[str]) -> JudgedSystems:
        """The test set without some of its systems.

        Raises:
            UsageError: It has no such system, or no other.
        """
        unknown = [name for name in names if name not in self.systems]
        kept = [k for k, name in enumerate(self.systems) if name not in names]
        if unknown or not kept:
            what = f"there is no system '{unknown[0]}'" if unknown else "no system is left"
            raise UsageError(what, advice=f"the systems are {', '.join(self.systems)}")
        number = np.full(len(self.systems), -1)
        number[kept] = np.arange(len(kept))
        old = self.judgments
        rows = number[old.system] >= 0
        systems = tuple(self.systems[k] for k in kept)
        judgments = replace(
            old,
            systems=systems,
            system=number[old.system][rows],
            segment=old.segment[rows],
            judge=old.judge[rows],
            scores=old.scores[rows],
        )
        return replace(self, systems=systems, outputs=tuple(self.outputs[k] for k in kept), judgments=judgments)


@dataclass
class JudgmentRows:
    """Judgments while a file is read.

    Attributes:
        systems: The systems whose outputs there are.
        segments: The segments.
        columns: What is judged.
    """

    systems: Sequence[str]
    segments: Sequence[str]
    columns: Sequence[str]
    _rows: list[tuple[int, int, int, Sequence[float]]] = field(default_factory=list)
    _judges: dict[str, int] = field(default_factory=dict)
    _strangers: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._system = {name: k for k, name in enumerate(self.systems)}
        self._segment = {name: k for k, name in enumerate(self.segments)}

    def add(self, system: str, segment: str, judge: str, scores: Sequence[float], place: str) -> None:
        """One row; an empty segment stands for the whole system.

        Raises:
            FormatError: There is no such segment.
        """
        if segment and segment not in self._segment:
            raise FormatError(
                f"there is no segment '{segment}'",
                where=place,
                advice=f"the first is {self.segments[0]}, the last {self.segments[-1]}",
            )
        if system not in self._system:
            self._strangers[system] = self._strangers.get(system, 0) + 1
            return
        number = self._segment[segment] if segment else WHOLE_SYSTEM
        self._rows.append((self._system[system], number, self._judges.setdefault(judge, len(self._judges)), scores))

    def judgments(self, place: str) -> Judgments:
        """All rows.

        Raises:
            FormatError: There is none.
        """
        if not self._rows:
            raise FormatError(
                "nothing is said of any of the systems",
                where=place,
                advice=f"judge {', '.join(self.systems)}, by these names",
            )
        system, segment, judge, scores = zip(*self._rows, strict=True)
        return Judgments(
            tuple(self.systems),
            len(self.segments),
            tuple(self._judges),
            tuple(self.columns),
            np.array(system, dtype=np.int64),
            np.array(segment, dtype=np.int64),
            np.array(judge, dtype=np.int64),
            np.array(scores, dtype=np.float64).reshape(len(system), len(self.columns)),
        )

    def notes(self) -> tuple[str, ...]:
        """Systems that were judged, and whose outputs are not there."""
        return tuple(
            f"{name}: judged {number} {'time' if number == 1 else 'times'}, but there is no output: left out"
            for name, number in self._strangers.items()
        )
