"""The settings of tuning weights by expected rates. Nothing here imports NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from latticemetric.corpus.expectation_question import Expectations
from latticemetric.corpus.question import Scaled
from latticemetric.corpus.tuning_settings import TuningSettings, tried
from latticemetric.corpus.weight_settings import WeightSettings, require_ranges
from latticemetric.settings import like, whole


class ExpectedSettings(TuningSettings):
    """The weights of score columns with the least expected errors, over all paths of all graphs.

    Attributes:
        vary: The range of the weight of each column that varies: its name, and the lowest and the highest weight. The
            column `words` counts words.
        posterior_scale: Factor of the costs, before they become probabilities, or several: then descend for each, in
            ascending order, and keep the weights whose 1-bests score best.
        most_steps: The largest number of steps of a descent.
        most_states: The largest number of search states of a graph.
    """

    section = WeightSettings.section

    vary: Mapping[str, tuple[Fraction, Fraction]] = like(WeightSettings.fields["vary"])
    posterior_scale: tuple[float, ...] = tried(
        Scaled.fields["posterior_scale"],
        default=(1.0,),
        help="Try these posterior scales first, separated by commas.",
        above=0,
    )
    most_steps: int = whole(
        default=100,
        phrase="the number of steps is {}",
        help="With --decoder expected: end a descent after so many steps.",
        option="--most-steps N",
    )
    most_states: int = like(
        Expectations.fields["most_states"],
        help="With --decoder expected: limit on search states per graph; above it, tuning fails.",
    )

    def check(self) -> None:
        """Refuse ranges that are none."""
        super().check()
        require_ranges(self.vary)
