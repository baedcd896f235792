"""Options of computations: beams, sizes, resamples."""

from __future__ import annotations

import functools
from typing import Any

from latticemetric.arguments import MOST_STRINGS
from latticemetric.cli.commands import Options
from latticemetric.cli.options.fields import option_of
from latticemetric.cli.options.values import numbers, whole_numbers
from latticemetric.corpus.question import Resampled
from latticemetric.oracle_search.settings import PointSettings

SEED = option_of(Resampled.fields["seed"])


class ResamplingOptions(Options):
    """Options for resampling."""

    resamples: int = option_of(Resampled.fields["resamples"])
    seed: int = SEED
    confidence: float = option_of(Resampled.fields["confidence"])

    def asdict(self) -> dict[str, Any]:
        """Return the options by their names."""
        return {"resamples": self.resamples, "seed": self.seed, "confidence": self.confidence}


class PointOptions(Options):
    """Options for the sizes to which each graph is pruned, to find its oracle at each size."""

    beams: tuple[float, ...] = option_of(PointSettings.fields["beams"], reads=numbers)
    densities: tuple[float, ...] = option_of(PointSettings.fields["densities"], reads=numbers)
    nbest_sizes: tuple[int, ...] = option_of(
        PointSettings.fields["nbest_sizes"], reads=functools.partial(whole_numbers, most_strings=MOST_STRINGS)
    )
