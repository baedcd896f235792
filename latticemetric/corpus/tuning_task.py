"""Tuning over a corpus, by the decoder of each setting. Nothing here imports NumPy."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from latticemetric.corpus.expected_settings import ExpectedSettings
from latticemetric.corpus.question import Task
from latticemetric.corpus.tuning_settings import FIXED, MBRTuningSettings, TuningSettings
from latticemetric.corpus.weight_settings import WeightSettings
from latticemetric.errors import InputError, UsageError
from latticemetric.mbr_decoding.settings import ByNgrams, Decision

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.expected_weights import ExpectedWeights
    from latticemetric.corpus.mbr_evidence import Example
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table
    from latticemetric.corpus.tuned import Tuned
    from latticemetric.corpus.tuned_mbr import TunedMBR
    from latticemetric.corpus.tuned_weights import TunedWeights


class TuningTask(TuningSettings, Task):
    """The tuning of something on a corpus with references."""

    verb = "tune"
    decoder: ClassVar[str]
    """The name of the decoder."""

    @classmethod
    def unknown(cls, name: str, others: Collection[str] = ()) -> UsageError:
        """Return the error for a setting that this decoder does not have; it says which decoder has it."""
        having = [f"decoder='{decoder}'" for decoder, kind in DECODERS.items() if name in kind.public()]
        if not having:
            return super().unknown(name, others)
        return UsageError(f"{name} has no effect with decoder='{cls.decoder}'", advice=f"give {' or '.join(having)}")

    def examples(self, corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
        """Yield an answer for each graph of the development set; its value is an `Example`."""
        from latticemetric.corpus.mbr_evidence import examples_of

        files = vars(self).get("evidence")
        evidence = corpus.evidence(files) if files else None
        return examples_of(corpus.required_pairs(run).pairs, evidence, keep_going=run.keep_going)

    def tuned(self, examples: Iterable[Answer], corpus: ReadCorpus, *, watched: bool = False) -> Tuned:
        """Find the best setting on the examples that did not fail; show a progress bar if `watched`.

        Raises:
            InputError: All examples failed.
        """
        listed = list(examples)
        succeeded = [one.value for one in listed if one.problem is None]
        if listed and not succeeded:
            raise InputError("all graphs failed, so there is no result", advice="see the warnings")
        if not listed:
            raise UsageError("there are no graphs to tune on", advice="give at least one")
        return self.tuned_on(succeeded, corpus, watched=watched)

    def tuned_on(self, examples: list[Example], corpus: ReadCorpus, *, watched: bool) -> Tuned:
        """Find the best setting on these examples."""
        raise NotImplementedError

    def table(self, tuned: Any, looks: Looks) -> Table:
        """Return the table of a result, as the command line writes it."""
        raise NotImplementedError


class WeightTuning(WeightSettings, TuningTask):
    """The tuning of weights of score columns for the 1-best."""

    decoder = "best"

    def tuned_on(self, examples: list[Example], corpus: ReadCorpus, *, watched: bool) -> TunedWeights:
        """Find the best weights on these examples."""
        from latticemetric.corpus.weight_development import tuned_weights

        return tuned_weights(examples, self, corpus, watched=watched)

    def table(self, tuned: TunedWeights, looks: Looks) -> Table:
        """Return the table of the best weights."""
        from latticemetric.corpus.tables.tune import TunedWeightsTable

        return TunedWeightsTable(tuned, looks=looks)


class ExpectedTuning(ExpectedSettings, TuningTask):
    """The tuning of weights of score columns by expected rates."""

    decoder = "expected"

    def examples(self, corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
        """Yield an answer for each graph; a graph whose reference has no words fails, since it has no rate."""
        ignored = corpus.reading.ignored()
        for answer in super().examples(corpus, run):
            if answer.problem is None and any(ignored.issuperset(words) for words in answer.value.references):
                what, advice = "the reference has no words, so its rate is not defined", "leave the graph out"
                problem = InputError(what, where=answer.name, advice=advice)
                if not run.keep_going:
                    raise problem
                yield replace(answer, value=None, problem=problem)
            else:
                yield answer

    def tuned_on(self, examples: list[Example], corpus: ReadCorpus, *, watched: bool) -> ExpectedWeights:
        """Find weights with few expected errors on these examples."""
        from latticemetric.corpus.expected_weights import expected_weights

        return expected_weights(examples, self, corpus, watched=watched)

    def table(self, tuned: ExpectedWeights, looks: Looks) -> Table:
        """Return the table of the weights."""
        from latticemetric.corpus.tables.tune import ExpectedWeightsTable

        return ExpectedWeightsTable(tuned, looks=looks)


class NgramTuning(MBRTuningSettings, TuningTask):
    """The tuning of the parameters of n-gram MBR."""

    decoder = "mbr"

    def tuned_on(self, examples: list[Example], corpus: ReadCorpus, *, watched: bool) -> TunedMBR:
        """Find the best parameters on these examples."""
        from latticemetric.corpus.tuned_mbr import tuned_mbr

        return tuned_mbr(examples, self, corpus, watched=watched)

    def table(self, tuned: TunedMBR, looks: Looks) -> Table:
        """Return the table of all settings that were tried."""
        from latticemetric.corpus.tables.tune import TunedMBRTable

        return TunedMBRTable(tuned, looks=looks)


DECODERS: Mapping[str, type[TuningTask]] = {kind.decoder: kind for kind in (WeightTuning, ExpectedTuning, NgramTuning)}
"""The kind of tuning of each decoder."""


def tuning_by(decoder: Any, settings: Mapping[str, Any]) -> tuple[type[TuningTask], dict[str, Any]]:
    """Return the kind of tuning that a decoder means, and all settings by name.

    Args:
        decoder: A name; or settings of n-gram MBR, whose values are tried first.
        settings: The settings that are given by name.
    """
    if isinstance(decoder, str):
        if decoder not in DECODERS:
            raise UsageError(f"there is no decoder '{decoder}' to tune", advice=f"choose {_choices()}")
        return DECODERS[decoder], dict(settings)
    of_grid = _of_grid(decoder)
    if twice := next((name for name in settings if name in of_grid), None):
        raise UsageError(f"{twice} has no effect beside the settings of the decoder", advice="leave it out")
    return NgramTuning, {**of_grid, **settings}


def _choices() -> str:
    *others, last = (f"'{name}'" for name in DECODERS)
    return f"{', '.join(others)} or {last}"


def _of_grid(decoder: Any) -> dict[str, Any]:
    """Return the fields of `NgramTuning` that settings of MBR set: one object, or the list of a grid.

    Examples:
        >>> found = _of_grid(ByNgrams.grid(p=[0.6, 0.8], r=0.7))
        >>> found["p"], found["r"], found["T"]
        ((0.6, 0.8), (0.7,), (10.0,))
    """
    several = list(decoder) if isinstance(decoder, list | tuple) else [decoder]
    for one in several:
        if not isinstance(one, ByNgrams):
            named = one.named if isinstance(one, Decision) else repr(one)
            raise UsageError(f"there is nothing to tune in {named}", advice=f"give {_choices()}, or ByNgrams(…)")
    if not several:
        raise UsageError("there are no settings to try", advice="give ByNgrams.grid(…)")
    axes = {name: tuple(dict.fromkeys(getattr(one, name) for one in several)) for name in ByNgrams.fields}
    if any(len(axes[name]) != 1 for name in FIXED) or math.prod(map(len, axes.values())) != len(several):
        raise UsageError("the settings of the decoder are no grid of those that vary", advice="give ByNgrams.grid(…)")
    return {name: values[0] if name in FIXED else values for name, values in axes.items()}
