"""Options of computations: engines, scales, beams, sizes, samples, resamples."""

from __future__ import annotations

import functools
from typing import Any

import click

from latticemetric.arguments import MOST_DRAWS, MOST_STRINGS
from latticemetric.cli.commands import Options, choice, option
from latticemetric.cli.options.fields import option_of
from latticemetric.cli.options.values import Number, numbers, whole_numbers
from latticemetric.corpus.question import Resampled, Scaled
from latticemetric.oracle_search.settings import PointSettings

POSTERIOR_SCALE = option_of(Scaled.fields["posterior_scale"])
BEAM = option(
    "--beam COST", "Prune: keep the paths that cost at most this much more than the best path.", type=Number(0)
)
SAMPLES = option(
    "--samples N",
    "For MBR by a metric: sample N paths instead of listing all strings.",
    type=click.IntRange(1, MOST_DRAWS),
)
SEED = option_of(Resampled.fields["seed"])
ENGINE = choice("--engine", ["auto", "native", "openfst"], "Search engine; all engines give the same results.")


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
