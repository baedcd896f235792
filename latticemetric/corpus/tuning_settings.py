"""The settings of tuning: those of every decoder, and those of n-gram MBR. Nothing here imports NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from latticemetric.arguments import MOST_HALVINGS, numbers_to_try
from latticemetric.corpus.question import Resampled
from latticemetric.errors import UsageError
from latticemetric.mbr_decoding.settings import ByNgrams
from latticemetric.settings import FOLDS, Field, Numbers, given, like, whole

if TYPE_CHECKING:
    from latticemetric.corpus.sources import Memory


class TuningSettings(Resampled):
    """The settings of tuning with every decoder.

    Attributes:
        metric: A metric or its name; its corpus value is optimized.
        folds: Number of folds for `held_out`; graph *i* is in fold *i* modulo `folds`. 0 or 1 skips `held_out`.
    """

    section = "Tuning"

    metric: Any = given(default="wer")
    folds: int = like(FOLDS)


FIXED = ("order", "beam", "determinize", "most_items", "seconds")
"""The settings of `ByNgrams` that do not vary."""


class Tried(Numbers):
    """A field that takes one value, which is kept, or several values to try."""

    def checked(self, value: Any) -> Any:
        """Return the values as floats."""
        values = numbers_to_try(value, self.name)
        if not values:
            raise UsageError(f"{self.name} has no values", advice="give at least one")
        return super().checked(values)


def tried(field: Field, *, default: tuple[float, ...], help: str = "", **ends: float) -> Any:  # noqa: A002
    """Declare a field that takes values of the setting that a field declares, in the range between `ends`."""
    ends = ends or {end: value for end in ("least", "above") if (value := getattr(field, end)) is not None}
    what = help or f"{field.help.rstrip('.')}; several: try them."
    return Tried(default, what, field.option, field.phrase, **ends)


_OF_MBR = ByNgrams.fields


class _Graphs(Field):
    """A field that takes files of graphs, or graphs in memory."""

    def checked(self, value: Any) -> Any:
        """Return the paths of files, or the source of graphs in memory."""
        from latticemetric.corpus.sources import Memory, is_path, paths_of

        if isinstance(value, Memory):
            return value
        return paths_of(value) if value is None or is_path(value) else Memory(value)


_EVIDENCE: Any = _Graphs(
    (), text="Take the posteriors from these graphs (matched by id); repeatable.", option="--evidence FILE"
)


class MBRTuningSettings(TuningSettings):
    """The values of the parameters of n-gram MBR to try, and how to search for better ones.

    Each of the first five fields is one value, which is kept, or several values to begin from.

    Attributes:
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
    """

    section = "Parameters of MBR (decoder mbr)"

    posterior_scale: tuple[float, ...] = tried(
        _OF_MBR["posterior_scale"],
        default=(0.1, 0.2, 0.4, 0.6, 0.8, 1.0),
        help="Try these posterior scales first, separated by commas.",
    )
    T: tuple[float, ...] = tried(_OF_MBR["T"], default=(10.0,))
    p: tuple[float, ...] = tried(_OF_MBR["p"], default=(0.6, 0.85))
    r: tuple[float, ...] = tried(_OF_MBR["r"], default=(0.5, 0.6, 0.72, 0.85))
    word_penalty: tuple[float, ...] = tried(_OF_MBR["word_penalty"], default=(-0.05, 0.0, 0.05))
    order: int = like(ByNgrams.fields["order"])
    beam: float | None = like(ByNgrams.fields["beam"])
    determinize: bool = like(ByNgrams.fields["determinize"])
    most_items: int = like(ByNgrams.fields["most_items"])
    seconds: float | None = like(ByNgrams.fields["seconds"])
    evidence: tuple[str, ...] | Memory = _EVIDENCE
    halvings: int = whole(
        default=2,
        least=0,
        most=MOST_HALVINGS,
        phrase="the number of halvings is {}",
        help="Number of rounds of ever smaller steps from the best values; 0: try the given values only.",
        option="--halvings N",
    )

    def check(self) -> None:
        """Check the settings that do not vary."""
        super().check()
        assert self.fixed

    @property
    def fixed(self) -> ByNgrams:
        """The settings that do not vary; those that do have their defaults."""
        return ByNgrams(**{name: getattr(self, name) for name in FIXED})

    @property
    def axes(self) -> Mapping[str, tuple[float, ...]]:
        """The values to begin from, by the name of the parameter."""
        return {name: getattr(self, name) for name in ("posterior_scale", "T", "p", "r", "word_penalty")}
