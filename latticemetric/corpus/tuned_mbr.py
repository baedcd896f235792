"""Tune n-gram MBR: find the parameters whose answers score best on a development set (graphs with references).

First try all combinations of values (the grid). Then take steps from the best combination, along each parameter that
has several values. The first step is half of the mean distance between neighbouring values; when no step gives a better
score, halve the steps. If settings have equal scores, the first one is the best. The grid tries values in ascending
order; `word_penalty` changes fastest, `posterior_scale` slowest. Only the resamples are random.

If two settings differ only in *p*, *T* and penalty, and have the same product *p* · (1 + *T* · penalty), they give the
same answers. So *T* need not be tuned.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from latticemetric.corpus.coordinate_search import Point, best_of, coordinate_search
from latticemetric.corpus.string_scores import StringScorer
from latticemetric.corpus.tuned import Tuned, held_out_table, merit_of
from latticemetric.display.progress import progress
from latticemetric.evaluation.intervals import (
    Interval,
    PairedBootstrap,
    interval_of,
    or_none,
    paired_bootstrap,
    resample_counts,
    value_of,
    weighted_sums,
)
from latticemetric.frozen import Result
from latticemetric.lattice.columns import Floats
from latticemetric.mbr_decoding.ngram import NgramEvidence, NgramMBR
from latticemetric.mbr_decoding.settings import ByNgrams
from latticemetric.metrics.base import Metric, References, Table, references_each, references_of
from latticemetric.metrics.registry import make_metric

if TYPE_CHECKING:
    from latticemetric.corpus.mbr_evidence import Example
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.tuning_settings import MBRTuningSettings

# ---- The answers of n-gram MBR on a development set, and their scores ----

String = tuple[str, ...]

# Number of n-grams whose posteriors are kept for further settings of the same scale; about 40 bytes each.
_MOST_KEPT = 10_000_000


class Development:
    """A development set: decodes its graphs, and scores the answers; caches posteriors and statistics of answers."""

    def __init__(
        self,
        decoders: Sequence[NgramMBR],
        references: Sequence[References],
        metric: Metric[Any],
        ignore: Iterable[str] = (),
        rewritten_by: str | None = None,
        *,
        watched: bool = False,
    ) -> None:
        self.metric, self._rewritten_by, self._watched = metric, rewritten_by, watched
        self._decoders, self._ignored = decoders, frozenset(ignore)
        self.references = [tuple(map(self._counted_words, references_of(several))) for several in references]
        self._posteriors: dict[tuple[int, float, int], NgramEvidence] = {}
        self._kept = 0
        self._inexact: dict[ByNgrams, int] = {}
        self._rows: list[dict[String, Table]] = [{} for _ in decoders]

    def tables(self, settings: Sequence[ByNgrams]) -> list[Table]:
        """Return the metric's statistics of the answers: one table per setting, one row per graph."""
        answers: list[list[String]] = [[] for _ in settings]
        inexact = [0] * len(settings)
        in_scales = sorted(range(len(settings)), key=lambda k: (settings[k].posterior_scale, settings[k].order))
        decoders = progress(self._decoders, len(self._decoders), "graphs decoded") if self._watched else self._decoders
        for number, decoder in enumerate(decoders):
            for (posterior_scale, order), group in groupby(
                in_scales, key=lambda k: (settings[k].posterior_scale, settings[k].order)
            ):
                posteriors = self._posteriors.get((number, posterior_scale, order))
                if posteriors is None:
                    posteriors = decoder.posteriors(
                        settings[in_scales[0]].__replace__(posterior_scale=posterior_scale, order=order)
                    )
                for k in group:
                    words, exact = decoder.string(posteriors, settings[k])
                    answers[k].append(self._counted_words(words))
                    inexact[k] += not exact
                self._keep((number, posterior_scale, order), posteriors)
        self._inexact |= zip(settings, inexact, strict=True)
        return self._tables(answers)

    def inexact(self, by: ByNgrams) -> int:
        """Return the number of answers with a setting that are not exact; see `MBR`."""
        return self._inexact[by]

    def _keep(self, key: tuple[int, float, int], posteriors: NgramEvidence) -> None:
        if key not in self._posteriors and self._kept + len(posteriors) <= _MOST_KEPT:
            self._kept += len(posteriors)
            self._posteriors[key] = posteriors

    def one_best(self) -> Table:
        """Return the statistics of the 1-bests."""
        return self._tables([[self._counted_words(decoder.one_best) for decoder in self._decoders]])[0]

    def signature(self) -> str:
        """Return the metric's signature for this set."""
        scorer = StringScorer((self.metric,), self._ignored, normalize=self._rewritten_by)
        return str(scorer.signed(self.metric.signature_for(references_each(self.references))))

    def _tables(self, answers: Sequence[Sequence[String]]) -> list[Table]:
        """Return one table per setting: the statistics of its answers. Statistics of known strings come from the cache.

        The statistics of new strings are computed for all graphs together, since a metric may weight words by all
        references.
        """
        new = [
            [string for string in dict.fromkeys(strings) if string not in rows]
            for rows, strings in zip(self._rows, zip(*answers, strict=True), strict=True)
        ]
        for turn in range(max(map(len, new))):
            # The metric needs a string of each graph: for a graph without a new string, repeat any of its strings.
            texts = [
                strings[turn] if turn < len(strings) else (strings or [*rows])[0]
                for strings, rows in zip(new, self._rows, strict=True)
            ]
            table = self.metric.table(texts, self.references)
            for rows, string, row in zip(self._rows, texts, table, strict=True):
                rows[string] = row
        return [
            np.stack([rows[string] for rows, string in zip(self._rows, strings, strict=True)]) for strings in answers
        ]

    def _counted_words(self, words: Iterable[str]) -> String:
        return tuple(word for word in words if word not in self._ignored)


@dataclass(frozen=True, repr=False)
class MBRTrial(Result):
    """A setting and its score.

    Attributes:
        by: The setting.
        score: The corpus value of the answers; `None` if it is undefined.
        inexact: Number of answers that are not exact, since the search of a forest stopped early.
    """

    by: ByNgrams
    score: float | None
    inexact: int = 0

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**self.by.asdict(), "score": self.score, "inexact": self.inexact}


def _compared(bootstrap: PairedBootstrap | None) -> dict[str, Any] | None:
    """Return a comparison for JSON.

    Fields:
        difference (float | None): The first value minus the other's.
        low (float | None): Lower end of its interval by paired bootstrap.
        high (float | None): Upper end of the interval.
        p (float | None): Two-sided p-value of the sign of the difference.
    """
    if bootstrap is None:
        return None
    difference = bootstrap.difference
    return {"difference": difference.value, "low": difference.low, "high": difference.high, "p": bootstrap.p}


@dataclass(frozen=True, repr=False)
class TunedMBR(Tuned):
    """The best parameters of n-gram MBR on a development set.

    Attributes:
        best: The setting with the best score; if scores are equal, the setting tried first.
        default: The default setting of `mbr`, with the same `order`.
        held_out: The score to expect on new graphs, by cross-validation: each fold is decoded with the grid setting
            that is best on the other folds. `None` without folds.
        gain: Score of the best setting minus score of the default, on resamples: of each, the best of all settings that
            were tried. `None` without resamples.
        exact: False, since not all settings are tried.
        one_best: The corpus value of the 1-bests.
        over_one_best: Score of the best setting minus score of the 1-bests, on resamples; `None` without resamples.
        held_out_over_one_best: `held_out` minus score of the 1-bests, on resamples; `None` without resamples or folds.
            Only this difference is unbiased: no graph takes part in the choice of its own setting.
        trials: All settings tried, in order.
    """

    _table_name = "tune.TunedMBRTable"

    best: MBRTrial
    default: MBRTrial
    one_best: float | None
    over_one_best: PairedBootstrap | None
    held_out_over_one_best: PairedBootstrap | None
    trials: tuple[MBRTrial, ...]

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            **super().asdict(),
            "one_best": self.one_best,
            "over_one_best": _compared(self.over_one_best),
            "held_out_over_one_best": _compared(self.held_out_over_one_best),
            "trials": [trial.asdict() for trial in self.trials],
        }


# ---- Tuning ----


def tuned_mbr(
    examples: Sequence[Example], tuning: MBRTuningSettings, corpus: ReadCorpus, *, watched: bool = False
) -> TunedMBR:
    """Find the parameters of n-gram MBR whose answers score best on a development set.

    Args:
        examples: The graphs, their references and their evidence.
        tuning: The values to try, and how to search.
        corpus: The corpus: its weights, and the words that it ignores.
        watched: True to show a progress bar for each round of settings.
    """
    metric: Metric[Any] = make_metric(tuning.metric) if isinstance(tuning.metric, str) else tuning.metric
    development = Development(
        [NgramMBR(one.graph, tuning.fixed, one.evidence, corpus.weights) for one in examples],
        [one.references for one in examples],
        metric,
        corpus.reading.ignored(),
        corpus.rewritten_by,
        watched=watched,
    )
    return _ParameterSearch(development, tuning).tuned()


class _ParameterSearch:
    """The search for the best parameters of a development set."""

    def __init__(self, development: Development, tuning: MBRTuningSettings) -> None:
        self._development, self._tuning, self._metric = development, tuning, development.metric
        self._tables: dict[Point, Table] = {}
        """The statistics of the answers of each setting that was tried, in order."""
        self._best = best_of(coordinate_search(tuning.axes, self._merits, tuning.halvings, self._is_possible))

    def tuned(self) -> TunedMBR:
        """Return the best setting, and what it is worth."""
        by = self._tuning.fixed
        (default,), one_best = self._development.tables([by]), self._development.one_best()
        best, held_out = self._tables[self._best], self._held_out()
        return TunedMBR(
            best=self._trial(self._setting(self._best), best),
            default=self._trial(by, default),
            held_out=None if held_out is None else or_none(value_of(self._metric, held_out)),
            gain=self._gain(default),
            exact=False,
            graphs=len(one_best),
            signature=self._development.signature(),
            metric=self._metric,
            one_best=or_none(value_of(self._metric, one_best)),
            over_one_best=self._compared(one_best, best),
            held_out_over_one_best=self._compared(one_best, held_out),
            trials=tuple(self._trial(self._setting(point), table) for point, table in self._tables.items()),
        )

    def _setting(self, point: Point) -> ByNgrams:
        return self._tuning.fixed.__replace__(**dict(zip(self._tuning.axes, point, strict=True)))

    def _merits(self, points: Sequence[Point]) -> list[float]:
        tables = self._development.tables(list(map(self._setting, points)))
        self._tables.update(zip(points, tables, strict=True))
        return [merit_of(self._metric, value_of(self._metric, table)) for table in tables]

    def _is_possible(self, point: Point) -> bool:
        return all(v > 0 for name, v in zip(self._tuning.axes, point, strict=True) if name != "word_penalty")

    def _trial(self, setting: ByNgrams, table: Table) -> MBRTrial:
        return MBRTrial(setting, or_none(value_of(self._metric, table)), self._development.inexact(setting))

    def _held_out(self) -> Table | None:
        """Return the statistics of each graph with the setting of the grid that is best on the other folds."""
        in_grid = math.prod(len(set(values)) for values in self._tuning.axes.values())
        tables = list(self._tables.values())[:in_grid]

        def tuned_on(counts: Floats) -> Table:
            merits = {k: merit_of(self._metric, float(self._metric.values(counts @ t))) for k, t in enumerate(tables)}
            return tables[best_of(merits)]

        return held_out_table(len(tables[0]), self._tuning.folds, tuned_on)

    def _gain(self, default: Table) -> Interval | None:
        """Return the interval of the gain, on resamples whose best setting is chosen anew."""
        tuning, metric = self._tuning, self._metric
        if not tuning.resamples:
            return None
        observed = value_of(metric, self._tables[self._best]) - value_of(metric, default)
        counts = resample_counts(len(default), tuning.resamples, tuning.seed)
        of_default, *sums = weighted_sums([default, *self._tables.values()], counts)
        values = np.stack([metric.values(one) for one in sums])
        best = np.fmax.reduce(values) if metric.higher_is_better else np.fmin.reduce(values)
        return interval_of(observed, best - metric.values(of_default), tuning.confidence)

    def _compared(self, first: Table, second: Table | None) -> PairedBootstrap | None:
        tuning = self._tuning
        if second is None or not tuning.resamples:
            return None
        return paired_bootstrap(self._metric, first, second, **tuning.resampling)
