"""What a development set says of parameters of n-gram MBR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from latticemetric.evaluation.bootstrap import PairedBootstrap
from latticemetric.questions.decoding.ngram_gain import GainParameters


@dataclass(frozen=True)
class MBRTrial:
    """A setting and its score.

    Attributes:
        parameters: How strings gained.
        score: The corpus value of the answers; `None` where it is undefined.
    """

    parameters: GainParameters
    score: float | None

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**self.parameters.asdict(), "score": self.score}


@dataclass(frozen=True)
class MBRTuning:
    """What was found on a development set.

    Attributes:
        best: The setting that scores best; of equal ones, the one that was tried first.
        default: The setting that `mbr` has unless told otherwise, at the same order.
        one_best: The corpus value of the model's own best strings.
        held_out: What to expect of other graphs: each fold answered under the setting of the grid that is best on the
            others. `None` where there are no folds.
        over_default: The best setting's value minus the default's, on resamples of the graphs; `None` without.
        over_one_best: The same against the model's own best strings.
        held_out_over_one_best: The same of `held_out`. It alone is not too good to be true: the setting was chosen on
            other graphs than those it is compared on.
        trials: Every setting that was tried, in this order.
        graphs: How many there were.
        signature: The metric, its parameters and the version.
    """

    best: MBRTrial
    default: MBRTrial
    one_best: float | None
    held_out: float | None
    over_default: PairedBootstrap | None
    over_one_best: PairedBootstrap | None
    held_out_over_one_best: PairedBootstrap | None
    trials: tuple[MBRTrial, ...]
    graphs: int
    signature: str

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "signature": self.signature,
            "graphs": self.graphs,
            "best": self.best.asdict(),
            "default": self.default.asdict(),
            "one_best": self.one_best,
            "held_out": self.held_out,
            "over_default": _comparison(self.over_default),
            "over_one_best": _comparison(self.over_one_best),
            "held_out_over_one_best": _comparison(self.held_out_over_one_best),
            "trials": [trial.asdict() for trial in self.trials],
        }


def _comparison(found: PairedBootstrap | None) -> dict[str, Any] | None:
    if found is None:
        return None
    difference = found.difference
    return {"difference": difference.value, "low": difference.low, "high": difference.high, "p": found.p}
