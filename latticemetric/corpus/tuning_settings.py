"""The settings of tuning n-gram MBR: the values to try, and how to search. Nothing here imports NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from latticemetric.arguments import MOST_DRAWS, MOST_HALVINGS, numbers_to_try
from latticemetric.errors import UsageError
from latticemetric.mbr_decoding.settings import ByNgrams
from latticemetric.settings import SEED, Field, Settings, given, like, whole

if TYPE_CHECKING:
    from latticemetric.corpus.sources import Memory


FIXED = ("order", "beam", "determinize", "most_items", "seconds")
"""The settings of `ByNgrams` that do not vary."""


class _Tried(Field):
    """A field that takes one value of a setting of `ByNgrams`, or several values to try."""

    def checked(self, value: Any) -> tuple[float, ...]:
        """Return the values as floats."""
        values = numbers_to_try(value, self.name)
        if not values:
            raise UsageError(f"{self.name} has no values", advice="give at least one")
        return tuple(map(ByNgrams.fields[self.name].checked, values))


def _tried(*, default: tuple[float, ...]) -> Any:
    return _Tried(default, "Values to try.", "")


class TuningSettings(Settings):
    """The values of the parameters of n-gram MBR to try, and how to search for better ones.

    Each of the first five fields is one value, which is kept, or several values to begin from.

    Attributes:
        metric: A metric or its name; its corpus value is optimized.
        posterior_scale: Factor of the costs in posteriors.
        T: Length (in words) of the hypothesis at which log BLEU is linearised.
        p: Average precision of unigrams.
        r: Ratio of the precision of n-grams to the precision of (n−1)-grams.
        word_penalty: Additional cost of each word.
        order: The length of the longest n-grams.
        beam: Keep only the paths that cost at most this much more than the best path.
        determinize: Determinize graphs: a string then has the probability of its best path.
        most_items: The largest number of partial strings that the search of a forest compares; see `ByNgrams`.
        seconds: The same limit as a time.
        evidence: Graphs that give the posteriors, matched by id: files, or graphs in memory.
        halvings: Number of rounds of steps; each round halves the steps. 0 tries the grid only.
        folds: Number of folds for `held_out`; graph *i* is in fold *i* modulo `folds`. 0 or 1 skips `held_out`.
        resamples: Number of resamples of the paired bootstrap; 0 skips it.
        seed: The seed of the resamples.
    """

    metric: Any = given(default="bleu")
    posterior_scale: tuple[float, ...] = _tried(default=(0.1, 0.2, 0.4, 0.6, 0.8, 1.0))
    T: tuple[float, ...] = _tried(default=(10.0,))
    p: tuple[float, ...] = _tried(default=(0.6, 0.85))
    r: tuple[float, ...] = _tried(default=(0.5, 0.6, 0.72, 0.85))
    word_penalty: tuple[float, ...] = _tried(default=(-0.05, 0.0, 0.05))
    order: int = like(ByNgrams.fields["order"], option="")
    beam: float | None = like(ByNgrams.fields["beam"], option="")
    determinize: bool = like(ByNgrams.fields["determinize"], option="")
    most_items: int = like(ByNgrams.fields["most_items"], option="")
    seconds: float | None = like(ByNgrams.fields["seconds"], option="")
    evidence: tuple[str, ...] | Memory = given(default=())
    halvings: int = whole(
        default=2,
        least=0,
        most=MOST_HALVINGS,
        phrase="the number of halvings is {}",
        help="Number of rounds of steps.",
    )
    folds: int = whole(default=5, least=0, phrase="the number of folds is {}", help="Number of folds.")
    resamples: int = whole(default=1000, least=0, most=MOST_DRAWS, help="Number of resamples.")
    seed: int = like(SEED, option="")

    def check(self) -> None:
        """Check the settings that do not vary."""
        assert self.fixed

    @property
    def fixed(self) -> ByNgrams:
        """The settings that do not vary; those that do have their defaults."""
        return ByNgrams(**{name: getattr(self, name) for name in FIXED})
