"""A sweep in plain values, for the documents of shards: what became of each graph, of which all totals are made.

Intervals are drawn from the graphs in their order, so sums would not do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any, Self

from latticemetric.batch.metric_state import metric_of, metric_state
from latticemetric.batch.sweep_totals import Sweep, Swept, summed
from latticemetric.errors import InputError
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.questions.oracles.sweep import Kept, Points

State = dict[str, Any]


@dataclass(frozen=True)
class SweepQuestion:
    """What is asked of all graphs.

    Attributes:
        metric: What is measured.
        points: What is swept over.
        borders: Where bins of reference lengths end.
        references: How many references each graph has.
        rewritten_by: The grammar that both sides went through.
    """

    metric: GRR
    points: Points
    borders: tuple[float, ...]
    references: int
    rewritten_by: str | None = None

    def sweep(self, swept: Iterable[Swept]) -> Sweep:
        """The totals of many graphs."""
        return summed(swept, self.metric, self.points, self.borders, self.references, rewritten_by=self.rewritten_by)

    def state(self) -> State:
        """All of it in plain values, for JSON."""
        return {
            "metric": metric_state(self.metric),
            "points": asdict(self.points),
            "borders": self.borders,
            "references": self.references,
            "rewritten_by": self.rewritten_by,
        }

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Self:
        """Of those values."""
        return cls(
            metric_of(state["metric"]),
            Points.of(**state["points"]),
            tuple(state["borders"]),
            state["references"],
            state["rewritten_by"],
        )


def swept_states(swept: Iterable[Swept]) -> list[State]:
    """What became of each graph, in plain values, for JSON."""
    return [_state(one) for one in swept]


def swept_in_turn(shards: Sequence[Sequence[State]]) -> Iterator[Swept]:
    """The graphs of all shards in their order: the first of each, the second of each, and so on."""
    for turn in zip_longest(*shards):
        yield from (_of_state(state) for state in turn if state is not None)


def _state(one: Swept) -> State:
    kept = [[kept.statistics.row(), kept.arcs, kept.word_arcs, kept.strings] for kept in one.kept]
    missed = None if one.missed is None else one.missed.row()
    return {"name": one.name, "length": one.length, "references": one.references, "kept": kept, "missed": missed}


def _of_state(state: State) -> Swept:
    kept = tuple(Kept(RecognitionStatistics.of_row(row), *sizes) for row, *sizes in state["kept"])
    return Swept(
        name=state["name"],
        length=state["length"],
        kept=kept,
        references=state["references"],
        missed=None if state["missed"] is None else RecognitionStatistics.of_row(state["missed"]),
        problem=None if kept else InputError("it failed in its shard"),
    )
