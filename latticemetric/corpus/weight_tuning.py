"""Tuning weights of score columns over a corpus. Nothing here imports NumPy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from latticemetric.corpus.question import Task
from latticemetric.corpus.weight_settings import WeightSettings

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tuned_weights import TunedWeights


class WeightTuning(WeightSettings, Task):
    """The tuning of weights of score columns on a corpus with references."""

    verb = "tune"

    def examples(self, corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
        """Yield an answer for each graph of the development set; its value is an `Example`."""
        from latticemetric.corpus.mbr_evidence import examples_of

        return examples_of(corpus.required_pairs(run).pairs, keep_going=run.keep_going)

    def tuned(self, examples: Iterable[Answer], corpus: ReadCorpus, *, watched: bool = False) -> TunedWeights:
        """Find the best weights on the examples that did not fail; show a progress bar if `watched`."""
        from latticemetric.corpus.tuned_weights import tuned_weights

        return tuned_weights([one.value for one in examples if one.problem is None], self, corpus, watched=watched)
