"""Tuning of n-gram MBR over a corpus: what is varied, and how. Nothing here imports NumPy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.question import Task
from latticemetric.corpus.tuning_settings import FIXED, TuningSettings
from latticemetric.errors import InputError, UsageError
from latticemetric.mbr_decoding.settings import ByNgrams, decided_by

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tuning import MBRTuning


class NgramTuning(TuningSettings, Task):
    """The tuning of n-gram MBR on a corpus with references."""

    verb = "mbr"

    def examples(self, corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
        """Yield an answer for each graph of the development set; its value is an `Example`."""
        from latticemetric.corpus.mbr_evidence import examples_of

        pairs = corpus.required_pairs(run).pairs
        evidence = corpus.evidence(self.evidence) if self.evidence else None
        return examples_of(pairs, evidence, keep_going=run.keep_going)

    def tuned(self, examples: Iterable[Answer], corpus: ReadCorpus, *, watched: bool = False) -> MBRTuning:
        """Find the parameters whose answers score best on the examples that did not fail; `watched` shows progress."""
        from latticemetric.corpus.tuning import tuned

        return tuned(
            [example.value for example in examples if example.problem is None],
            self,
            weights=corpus.weights,
            ignored=corpus.reading.ignored(),
            rewritten_by=corpus.rewritten_by,
            watched=watched,
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
    if any(len(axes[name]) != 1 for name in FIXED) or math.prod(map(len, axes.values())) != len(several):
        raise UsageError("the settings of by are no grid of those that vary", advice="give ByNgrams.grid(…)")
    return {name: values[0] if name in FIXED else values for name, values in axes.items()}


def all_failed() -> InputError:
    """Return the error if no graph of a development set could be read."""
    return InputError("all graphs failed, so there is no result", advice="see the warnings")
