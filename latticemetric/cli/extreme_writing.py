"""Best strings, hope, fear and the worst string as lines and fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from latticemetric.batch.margins import MarginOptions, Margins
from latticemetric.cli.display import shown
from latticemetric.errors import harmless
from latticemetric.oracle_search.margin import Hope
from latticemetric.oracle_search.scored_path import ScoredPath

_FIELDS = ["hypothesis", "score", "numerator", "denominator", "cost", "exact", "bound", "scores"]


class ExtremeWriter:
    """What is said of extremes."""

    def __init__(self, wanted: MarginOptions) -> None:
        self._wanted = wanted

    def lines(self, extremes: Margins) -> Iterator[str]:
        """Under the oracle: the strings that follow it, then the sides."""
        for rank, best in enumerate(extremes.nbest[1:], start=2):
            yield _line(str(rank), best)
        for side in self._wanted.sides:
            extreme = extremes.found.get(side)
            if extreme is None:
                yield f"  {side.name:<10}  {'failed':>7}"
                continue
            bound = None if isinstance(extreme, Hope) or extreme.exact else extreme.bound
            yield _line(side.name, extreme) + ("" if bound is None else f"  (not exact: bound {shown(bound)})")

    def columns(self) -> list[str]:
        """The header of the fields."""
        sides = [
            f"{side.name.replace(' ', '_')}_{name}"
            for side in self._wanted.sides
            for name in [*(["value"] if side.weight is not None else []), *_FIELDS]
        ]
        return [*(["nbest"] if self._wanted.nbest else []), *sides]

    def fields(self, extremes: Margins | None) -> list[Any]:
        """The fields of one graph; empty ones where it failed."""
        if extremes is None:
            return [None] * len(self.columns())
        values: list[Any] = []
        if self._wanted.nbest:
            values.append(" ||| ".join(" ".join(best.words) for best in extremes.nbest))
        for side in self._wanted.sides:
            extreme = extremes.found.get(side)
            item = {} if extreme is None else extreme.asdict()
            item["scores"] = "" if extreme is None else _with_names(extreme.scores)
            names = [*(["value"] if side.weight is not None else []), *_FIELDS]
            values += [item.get(name) for name in names]
        return values


def _with_names(scores: Mapping[str, float]) -> str:
    return " ".join(f"{name}={value!r}" for name, value in scores.items())


def _line(name: str, path: ScoredPath) -> str:
    counts = f"{shown(path.numerator)}/{path.denominator}"
    words = harmless(" ".join(path.words)) or "(no words)"
    return f"  {name:<10}  {shown(path.score):>7}  {counts:>9}  {words}"
