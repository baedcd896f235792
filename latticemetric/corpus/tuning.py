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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise, product
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from latticemetric.arguments import MOST_HALVINGS, whole_number
from latticemetric.corpus.string_scores import StringScorer
from latticemetric.corpus.tabled_result import TabledResult
from latticemetric.display.progress import progress
from latticemetric.errors import UsageError
from latticemetric.evaluation.intervals import PairedBootstrap, paired_bootstrap, value_of
from latticemetric.frozen import Result
from latticemetric.lattice.lattice import Weights
from latticemetric.mbr_decoding.ngram import NgramEvidence, NgramMBR
from latticemetric.mbr_decoding.settings import ByNgrams
from latticemetric.metrics.base import Metric, References, Table, references_each, references_of
from latticemetric.metrics.registry import make_metric

if TYPE_CHECKING:
    from latticemetric.corpus.mbr_evidence import Example
    from latticemetric.corpus.tuning_settings import TuningSettings

# ---- Search for the best point of a grid, then for better points around it, by steps along one axis ----

Point = tuple[float, ...]
Key = TypeVar("Key")
Merits = Callable[[Sequence[Point]], list[float]]

# A step must gain more than this: smaller differences may be rounding errors.
_ROUNDING = 1e-12
_PLACES = 10


def coordinate_search(
    axes: Mapping[str, Sequence[float]], merits: Merits, halvings: int, is_possible: Callable[[Point], bool]
) -> dict[Point, float]:
    """Search for the point with the largest merit; return the merits of all points tried, in order.

    `best_of` gives the best point of the result.

    First try the grid, with the last axis fastest. Then try steps along each axis with several values. The first step
    is half of the mean distance between neighbouring values; each round halves the steps. A round tries all steps from
    the best point so far, axis by axis, down and up, until no step is better.

    Args:
        axes: The values of each axis; an axis with a single value is fixed.
        merits: A function that returns the merits of new, distinct points; larger is better.
        halvings: Number of rounds; 0 tries the grid only.
        is_possible: A function that returns True if a point outside of the grid is valid.
    """
    message, advice = f"the number of halvings is {halvings!r}", f"give a whole number from 0 to {MOST_HALVINGS}"
    halvings = whole_number(halvings, message, advice, least=0, most=MOST_HALVINGS)
    ascending = {name: sorted(set(map(float, values))) for name, values in axes.items()}
    for name, values in ascending.items():
        if not values:
            raise UsageError(f"{name} has no values", advice="give at least one")
    grid = list(product(*ascending.values()))
    tried = dict(zip(grid, merits(grid), strict=True))
    distances = [
        math.fsum(after - before for before, after in pairwise(values)) / max(1, len(values) - 1)
        for values in ascending.values()
    ]
    for number in range(1, halvings + 1):
        best = None
        while best != (best := best_of(tried)):
            around = [p for p in _neighbours(best, distances, 2.0**-number) if p not in tried and is_possible(p)]
            tried |= zip(around, merits(around) if around else (), strict=True)
    return tried


def best_of(tried: Mapping[Key, float]) -> Key:
    """Return the key with the largest merit; if merits are equal, the first key."""
    best, largest = next(iter(tried)), -math.inf
    for point, merit in tried.items():
        if merit > largest + _ROUNDING:
            best, largest = point, merit
    return best


def _neighbours(point: Point, distances: Sequence[float], share: float) -> Iterator[Point]:
    for axis, distance in enumerate(distances):
        for sign in (-1, 1) if distance else ():
            value = round(point[axis] + sign * share * distance, _PLACES)
            yield (*point[:axis], value, *point[axis + 1 :])


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
        low (float | None): Lower end of its 95 % interval by paired bootstrap: 1000 resamples, seed 0.
        high (float | None): Upper end of the interval.
        p (float | None): Two-sided p-value of the sign of the difference.
    """
    if bootstrap is None:
        return None
    difference = bootstrap.difference
    return {"difference": difference.value, "low": difference.low, "high": difference.high, "p": bootstrap.p}


@dataclass(frozen=True, repr=False)
class MBRTuning(TabledResult):
    """The result of tuning on a development set.

    Attributes:
        best: The setting with the best score; if scores are equal, the setting tried first.
        default: The default setting of `mbr`, with the same `order`.
        one_best: The corpus value of the 1-bests.
        held_out: The score to expect on new graphs, by cross-validation: each fold is decoded with the grid setting
            that is best on the other folds. `None` without folds.
        over_default: Score of the best setting minus score of the default, on resamples; `None` without resamples.
        over_one_best: Score of the best setting minus score of the 1-bests, on resamples; `None` without resamples.
        held_out_over_one_best: `held_out` minus score of the 1-bests, on resamples; `None` without resamples or folds.
            Only this difference is unbiased: no graph takes part in the choice of its own setting.
        trials: All settings tried, in order.
        graphs: Number of graphs.
        signature: The metric, its parameters and the version.
        metric: The metric.
    """

    _table_name = "mbr.TuningTable"

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
    metric: Metric[Any] = field(compare=False)

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "signature": self.signature,
            "graphs": self.graphs,
            "best": self.best.asdict(),
            "default": self.default.asdict(),
            "one_best": self.one_best,
            "held_out": self.held_out,
            "over_default": _compared(self.over_default),
            "over_one_best": _compared(self.over_one_best),
            "held_out_over_one_best": _compared(self.held_out_over_one_best),
            "trials": [trial.asdict() for trial in self.trials],
        }


# ---- Tuning ----

_AXES = ("posterior_scale", "T", "p", "r", "word_penalty")
_FEWEST_FOLDS = 2


def tuned(
    examples: Sequence[Example],
    tuning: TuningSettings,
    *,
    weights: Weights | None = None,
    ignored: Iterable[str] = (),
    rewritten_by: str | None = None,
    watched: bool = False,
) -> MBRTuning:
    """Find the parameters of n-gram MBR whose answers score best on a development set.

    Args:
        examples: The graphs, their references and their evidence.
        tuning: The values to try, and how to search.
        weights: Weights of score columns in the model's cost.
        ignored: Words to remove from answers and references before scoring.
        rewritten_by: The steps that rewrote the texts, for the signature, such as `lc+13a`.
        watched: True to show a progress bar for each round of settings.
    """
    if not examples:
        raise UsageError("there are no graphs to tune on", advice="give at least one")
    made: Metric[Any] = make_metric(tuning.metric) if isinstance(tuning.metric, str) else tuning.metric
    by = tuning.fixed
    decoders = [NgramMBR(one.graph, by, one.evidence, weights) for one in examples]
    development = Development(
        decoders, [one.references for one in examples], made, ignored, rewritten_by, watched=watched
    )
    axes = {name: list(getattr(tuning, name)) for name in _AXES}
    best, tables = _search(development, made, axes, by, tuning.halvings)

    def value(table: Table) -> float | None:
        score = value_of(made, table)
        return None if math.isnan(score) else score

    def compared(first: Table, second: Table | None) -> PairedBootstrap | None:
        if second is None or not tuning.resamples:
            return None
        return paired_bootstrap(made, first, second, resamples=tuning.resamples, seed=tuning.seed)

    def trial(setting: ByNgrams, table: Table) -> MBRTrial:
        return MBRTrial(setting, value(table), development.inexact(setting))

    in_grid = math.prod(len(set(values)) for values in axes.values())
    held_out = _held_out(made, list(tables.values())[:in_grid], tuning.folds)
    (default,), one_best = development.tables([by]), development.one_best()
    return MBRTuning(
        best=trial(_setting(best, by), tables[best]),
        default=trial(by, default),
        one_best=value(one_best),
        held_out=None if held_out is None else value(held_out),
        over_default=compared(default, tables[best]),
        over_one_best=compared(one_best, tables[best]),
        held_out_over_one_best=compared(one_best, held_out),
        trials=tuple(trial(_setting(point, by), table) for point, table in tables.items()),
        graphs=len(one_best),
        signature=development.signature(),
        metric=made,
    )


def _search(
    development: Development, metric: Metric[Any], axes: dict[str, list[float]], by: ByNgrams, halvings: int
) -> tuple[Point, dict[Point, Table]]:
    """Search the grid, then steps from its best point; return the best point, and the statistics of all points."""
    tables: dict[Point, Table] = {}

    def merits(points: Sequence[Point]) -> list[float]:
        settings = [_setting(point, by) for point in points]
        tables.update(zip(points, development.tables(settings), strict=True))
        return [_merit(metric, tables[point].sum(axis=0)) for point in points]

    def is_possible(point: Point) -> bool:
        return all(value > 0 for name, value in zip(_AXES, point, strict=True) if name != "word_penalty")

    return best_of(coordinate_search(axes, merits, halvings, is_possible)), tables


def _setting(point: Point, by: ByNgrams) -> ByNgrams:
    return by.__replace__(**dict(zip(_AXES, point, strict=True)))


def _held_out(metric: Metric[Any], tables: Sequence[Table], folds: int) -> Table | None:
    """Return the statistics of each graph, decoded with the setting that is best on the other folds.

    Return `None` if there are no folds. `tables` has the statistics of each setting of the grid.
    """
    number = len(tables[0])
    if min(folds, number) < _FEWEST_FOLDS:
        return None
    fold = np.arange(number) % min(folds, number)
    rows = np.empty_like(tables[0])
    for one in range(min(folds, number)):
        others = {k: _merit(metric, table[fold != one].sum(axis=0)) for k, table in enumerate(tables)}
        rows[fold == one] = tables[best_of(others)][fold == one]
    return rows


def _merit(metric: Metric[Any], sums: Table) -> float:
    """Return the metric's value, negated if smaller is better; −∞ if it is undefined."""
    value = float(metric.values(sums))
    return -math.inf if math.isnan(value) else value if metric.higher_is_better else -value
