"""Tuning of n-gram MBR over a corpus: what is varied, and how. Nothing here imports NumPy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from latticemetric.arguments import MOST_DRAWS, MOST_HALVINGS, numbers_to_try
from latticemetric.corpus.question import Task
from latticemetric.errors import InputError, UsageError
from latticemetric.mbr_decoding.settings import ByNgrams, decided_by
from latticemetric.settings import Field, flag, given, number, whole

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.sources import Memory
    from latticemetric.corpus.tuning import MBRTuning


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


class NgramTuning(Task):
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
        evidence: Graphs that give the posteriors, matched by id: files, or graphs in memory.
        halvings: Number of rounds of steps; each round halves the steps. 0 tries the grid only.
        folds: Number of folds for `held_out`; graph *i* is in fold *i* modulo `folds`. 0 or 1 skips `held_out`.
        resamples: Number of resamples of the paired bootstrap; 0 skips it.
        seed: The seed of the resamples.
    """

    verb = "mbr"

    metric: Any = given(default="bleu")
    posterior_scale: tuple[float, ...] = _tried(default=(0.1, 0.2, 0.4, 0.6, 0.8, 1.0))
    T: tuple[float, ...] = _tried(default=(10.0,))
    p: tuple[float, ...] = _tried(default=(0.6, 0.85))
    r: tuple[float, ...] = _tried(default=(0.5, 0.6, 0.72, 0.85))
    word_penalty: tuple[float, ...] = _tried(default=(-0.05, 0.0, 0.05))
    order: int = whole(default=4, help="Length of the longest n-grams.")
    beam: float | None = number(default=None, least=0, help="Keep the paths that cost at most this much more.")
    determinize: bool = flag(default=False, help="Determinize graphs first.")
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
    seed: int = whole(default=0, least=0, help="Seed of the resamples.")

    def check(self) -> None:
        """Check the settings that do not vary."""
        assert self.fixed

    @property
    def fixed(self) -> ByNgrams:
        """The settings that do not vary; those that do have their defaults."""
        return ByNgrams(order=self.order, beam=self.beam, determinize=self.determinize)

    def examples(self, corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
        """Yield an answer for each graph of the development set; its value is an `Example`."""
        from latticemetric.corpus.mbr_evidence import examples_of

        pairs = corpus.required_pairs(run).pairs
        evidence = corpus.evidence(self.evidence) if self.evidence else None
        return examples_of(pairs, evidence, keep_going=run.keep_going)

    def tuned(self, examples: Iterable[Answer], corpus: ReadCorpus) -> MBRTuning:
        """Find the parameters whose answers score best on the examples that did not fail."""
        from latticemetric.corpus.tuning import tuned

        return tuned(
            [example.value for example in examples if example.problem is None],
            self,
            weights=corpus.weights,
            ignored=corpus.reading.ignored(),
            rewritten_by=corpus.rewritten_by,
        )


def varied_by(by: Any) -> dict[str, Any]:
    """Return the fields of `NgramTuning` that `by` sets: it is a name, settings, or the list of a grid.

    Examples:
        >>> varied_by("ngram")
        {}
        >>> found = varied_by(ByNgrams.grid(p=[0.6, 0.8], r=0.7))
        >>> found["p"], found["r"], found["T"]
        ((0.6, 0.8), (0.7,), (10.0,))
    """
    several = list(by) if isinstance(by, list | tuple) else [by]
    for one in several:
        kind = type(decided_by(one, {}))
        if "tuning" not in kind.takes:
            raise UsageError(f"there is nothing to tune in {kind.__name__}", advice="give by='ngram', or ByNgrams")
    if not isinstance(by, list | tuple) and not isinstance(by, ByNgrams):
        return {}
    axes = {name: tuple(dict.fromkeys(getattr(one, name) for one in several)) for name in ByNgrams.fields}
    fixed = ("order", "beam", "determinize")
    if any(len(axes[name]) != 1 for name in fixed) or math.prod(map(len, axes.values())) != len(several):
        raise UsageError("the settings of by are no grid of those that vary", advice="give ByNgrams.grid(…)")
    return {name: values[0] if name in fixed else values for name, values in axes.items()}


def all_failed() -> InputError:
    """Return the error if no graph of a development set could be read."""
    return InputError("all graphs failed, so there is no result", advice="see the warnings")
