"""The best weights of score columns on a development set."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from latticemetric.arguments import path_text
from latticemetric.corpus.tuned import Tuned
from latticemetric.corpus.weight_convention import written_weight
from latticemetric.corpus.weight_settings import MOST_EXACT
from latticemetric.errors import UsageError
from latticemetric.evaluation.intervals import Interval
from latticemetric.frozen import Result, freeze
from latticemetric.lattice.columns import Floats
from latticemetric.tuning.regions import chord


class _Development(Protocol):
    """The graphs with references, and their best strings for all weights in the ranges."""

    def score_at(self, weights: Mapping[str, float]) -> float | None:
        """Return the score of the best strings at some weights."""

    def grid(self, n: int) -> Floats:
        """Return the scores at the middle of `n` equal parts of each range."""

    def plot(self, tuned: TunedWeights, path: str) -> None:
        """Draw the scores of all weights in the ranges."""


@dataclass(frozen=True, repr=False)
class WeightTrial(Result):
    """Weights and their score.

    Attributes:
        weights: The weight of each column that varies.
        score: The corpus value of the best strings; `None` if it is undefined.
    """

    weights: Mapping[str, float]
    score: float | None

    def __post_init__(self) -> None:
        freeze(self, "weights")

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"weights": dict(self.weights), "score": self.score}

    def __repr__(self) -> str:
        return f"WeightTrial({dict(self.weights)}, score={self.score})"


@dataclass(frozen=True, repr=False)
class TunedColumns(Tuned):
    """The best weights of score columns, by any decoder that has weights.

    Attributes:
        weights: The weights of all columns.
        given: The names of the columns whose weights were given or tuned; others have their own weights.
    """

    weights: Mapping[str, float]
    given: tuple[str, ...]

    def __post_init__(self) -> None:
        freeze(self, "weights")

    def write_weights(self, path: str | os.PathLike[str]) -> None:
        """Write the weights to a file that `--weights` and `weights=` read."""
        from latticemetric.formats.streams.output import atomic_output

        lines = [f"{name} {weight!r}\n" for name, weight in self.weights.items()]
        with atomic_output(os.fspath(path)) as file:
            file.write("".join(lines).encode())

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**super().asdict(), "weights": dict(self.weights)}


@dataclass(frozen=True, repr=False)
class TunedWeights(TunedColumns):
    """The best weights of score columns on a development set.

    Attributes:
        best: The weights with the best score in the ranges.
        default: The weights before tuning, as the graphs or `weights` give them.
        margin: How far each weight may change, all at once, and no string changes: a share of its range.
        region: The corners of the region around the best weights in which no string changes; for one weight, its ends;
            for three and more, the ends along each column, between which no string changes.
        ties: The number of regions with this score that were found.
        held_out: The score to expect on new graphs, by cross-validation: each fold is decoded with the weights that are
            best on the other folds. `None` without folds. Three and more weights are searched on lines only.
        gain: Score of the best weights minus score of the default weights, on resamples that are tuned anew: the
            interval shows how much of the gain is luck. `None` without resamples. Of three and more weights, only one
            is tuned anew, that with the largest gain, so the interval is too narrow.
        spread: The interval of the best weight of each column, on these resamples; empty without resamples.
        exact: True if no weights in the ranges have a better score. Of rounded costs, this holds for the rounded ones;
            of three and more weights, for those that differ in one column only: then it is not exact.
        convention: How the weights are written: `columns`, or `kaldi` (LMWT and WIP). Attributes have those of columns.
    """

    _table_name = "tune.TunedWeightsTable"

    best: WeightTrial
    default: WeightTrial
    margin: float
    region: tuple[tuple[float, ...], ...]
    ties: int
    spread: Mapping[str, Interval]
    convention: str
    _development: Callable[[], _Development] | None = field(compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        freeze(self, "spread")

    def __getstate__(self) -> dict[str, Any]:
        # Copies and pickled results do not know the graphs.
        return {**vars(self), "_development": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    @property
    def is_of_all_weights(self) -> bool:
        """True for one or two weights, of which all in the ranges were searched."""
        return len(self.best.weights) <= MOST_EXACT

    @property
    def alone(self) -> dict[str, tuple[float, float]]:
        """The lowest and the highest value of each weight, the others as they are, with which no string changes."""
        corners, best = np.array(self.region), np.array([*self.best.weights.values()])
        return {name: chord(corners, best, number) for number, name in enumerate(self.best.weights)}

    def at(self, **weights: float) -> float | None:
        """Return the score at these weights; others are those of `best`, or as before tuning."""
        return self._known_development().score_at({**self.best.weights, **weights})

    def map(self, n: int = 20) -> Floats:
        """Return the scores on a grid: at the middle of `n` equal parts of each range."""
        return self._known_development().grid(n)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw the scores of all weights in the ranges: a map of two weights, a step curve of one.

        Args:
            path: The file to write; its name ends in .svg, .png or .pdf.
        """
        self._known_development().plot(self, path_text(path))

    def _known_development(self) -> _Development:
        if self._development is None:
            raise UsageError("a copy of this result does not know the graphs", advice="ask the result itself")
        return self._development()

    @property
    def written(self) -> dict[str, float]:
        """The best weights, as their convention names and writes them.

        Examples:
            >>> from latticemetric import Corpus, NBest
            >>> beam = NBest.from_strings(["a", "b"], scores={"acoustic": [1.0, 9.0], "lm": [2.0, 1.0]})
            >>> found = Corpus([beam], ["a"]).tune(vary={"LMWT": (5, 20)}, convention="kaldi", resamples=0)
            >>> found.written, dict(found.best.weights), found.region
            ({'LMWT': 6.0}, {'acoustic': 0.16666666666666666}, ((0.125,), (0.2,)))
        """
        written = ((written_weight(name, self.convention), weight) for name, weight in self.best.weights.items())
        return {one.name: one.number(weight) for one, weight in written}

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            **super().asdict(),
            "margin": self.margin,
            "region": [list(corner) for corner in self.region],
            "ties": self.ties,
            "spread": {name: interval.asdict() for name, interval in self.spread.items()},
            "alone": {name: list(ends) for name, ends in self.alone.items()},
            "convention": self.convention,
            "written": self.written,
        }
