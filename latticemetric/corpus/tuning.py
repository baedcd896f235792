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
from dataclasses import dataclass
from itertools import groupby, pairwise, product
from typing import Any, NamedTuple, TypeVar

import numpy as np

from latticemetric.arguments import numbers_to_try, require_items, whole_number
from latticemetric.corpus.string_scores import StringScorer
from latticemetric.errors import UsageError
from latticemetric.evaluation.intervals import PairedBootstrap, paired_bootstrap, value_of
from latticemetric.frozen import Result
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Weights
from latticemetric.mbr_decoding.ngram import NgramMBR
from latticemetric.mbr_decoding.settings import ByNgrams
from latticemetric.metrics.base import Metric, References, Table, references_each, references_of
from latticemetric.metrics.reference_checks import checked_corpus
from latticemetric.metrics.registry import make_metric
from latticemetric.posterior.posteriors import NgramPosteriors
from latticemetric.vocabulary import word_set

# ---- Search for the best point of a grid, then for better points around it, by steps along one axis ----

Point = tuple[float, ...]
Key = TypeVar("Key")
Values = float | Iterable[float]
Merits = Callable[[Sequence[Point]], list[float]]

# A step must gain more than this: smaller differences may be rounding errors.
_ROUNDING = 1e-12
_PLACES = 10
_MOST_HALVINGS = 100  # steps are zero long before


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
    message, advice = f"the number of halvings is {halvings!r}", f"give a whole number from 0 to {_MOST_HALVINGS}"
    halvings = whole_number(halvings, message, advice, least=0, most=_MOST_HALVINGS)
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
    ) -> None:
        if len(decoders) != len(references):
            raise UsageError(
                f"there are {len(decoders)} graphs, but {len(references)} references",
                advice="give one item per graph: a reference, or a list of references",
            )
        if not decoders:
            raise UsageError("there are no graphs to tune on", advice="give at least one")
        self.metric, self._rewritten_by = metric, rewritten_by
        self._decoders, self._ignored = decoders, frozenset(ignore)
        self.references = [tuple(map(self._counted_words, references_of(several))) for several in references]
        self._posteriors: dict[tuple[int, float, int], NgramPosteriors] = {}
        self._kept = 0
        self._rows: list[dict[String, Table]] = [{} for _ in decoders]

    def tables(self, settings: Sequence[ByNgrams]) -> list[Table]:
        """Return the metric's statistics of the answers: one table per setting, one row per graph."""
        answers: list[list[String]] = [[] for _ in settings]
        in_scales = sorted(range(len(settings)), key=lambda k: (settings[k].posterior_scale, settings[k].order))
        for number, decoder in enumerate(self._decoders):
            for (posterior_scale, order), group in groupby(
                in_scales, key=lambda k: (settings[k].posterior_scale, settings[k].order)
            ):
                posteriors = self._posteriors.get((number, posterior_scale, order))
                if posteriors is None:
                    posteriors = decoder.posteriors(
                        settings[in_scales[0]].__replace__(posterior_scale=posterior_scale, order=order)
                    )
                    if self._kept + len(posteriors) <= _MOST_KEPT:
                        self._kept += len(posteriors)
                        self._posteriors[number, posterior_scale, order] = posteriors
                for k in group:
                    answers[k].append(self._counted_words(decoder.string(posteriors, settings[k])))
        return self._tables(answers)

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
    """

    by: ByNgrams
    score: float | None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**self.by.asdict(), "score": self.score}


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
class MBRTuning(Result):
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

SCALES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
PRECISIONS = (0.6, 0.85)
RATIOS = (0.5, 0.6, 0.72, 0.85)
WORD_PENALTIES = (-0.05, 0.0, 0.05)

_FEWEST_FOLDS = 2
_AXES = ("posterior_scale", "T", "p", "r", "word_penalty")


def tune_mbr(
    graphs: Iterable[Graph],
    references: Sequence[References],
    metric: str | Metric[Any] = "bleu",
    *,
    posterior_scale: Values = SCALES,
    T: Values = 10.0,  # noqa: N803  as all papers have it
    p: Values = PRECISIONS,
    r: Values = RATIOS,
    word_penalty: Values = WORD_PENALTIES,
    order: int = 4,
    evidence: Iterable[Graph] | None = None,
    beam: float | None = None,
    determinize: bool = False,
    weights: Weights | None = None,
    ignore: Iterable[str] = (),
    rewritten_by: str | None = None,
    halvings: int = 2,
    folds: int = 5,
    resamples: int = 1000,
    seed: int = 0,
) -> MBRTuning:
    """Find the parameters of n-gram `mbr` whose answers score best against references.

    Args:
        graphs: Lattices or n-best lists. All graphs stay in memory.
        references: One or several references per graph.
        metric: A metric or its name; its corpus value is optimized.
        posterior_scale: Factor of the costs in posteriors. Give a number, or several numbers to try; likewise for `T`,
            `p`, `r` and `word_penalty`.
        T: Length (in words) of the hypothesis at which log BLEU is linearised; see `ByNgrams`.
        p: Average precision of unigrams.
        r: Ratio of the precision of n-grams to the precision of (n−1)-grams.
        word_penalty: Additional cost of each word.
        order: The length of the longest n-grams.
        evidence: Graphs that give the posteriors, one for each of `graphs`.
        beam: Keep only the paths that cost at most this much more than the best path. `posterior_scale` does not change
            these costs.
        determinize: Determinize graphs: a string then has the probability of its best path; see `mbr`.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.
        ignore: Words to remove from answers and references before scoring, such as `<s>` and `</s>`.
        rewritten_by: The steps that rewrote the texts, for the signature, such as `lc+13a`.
        halvings: Number of rounds of steps; each round halves the steps. 0 tries the grid only.
        folds: Number of folds for `held_out`; graph *i* is in fold *i* modulo `folds`. 0 or 1 skips `held_out`.
        resamples: Number of resamples of the paired bootstrap; 0 skips it.
        seed: The seed of the resamples.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a c", "c d"], costs=[0.0, 0.3, 0.7])
        >>> tuning = tune_mbr([lattice], ["a c"], "wer", posterior_scale=[0.5, 1.0], p=0.85, r=0.72, resamples=0)
        >>> tuning.best.by.posterior_scale, tuning.best.by.word_penalty, tuning.best.score, tuning.one_best
        (0.5, 0.0, 0.0, 0.5)
    """
    made: Metric[Any] = make_metric(metric) if isinstance(metric, str) else metric
    by = ByNgrams(order=order, beam=beam, determinize=determinize)
    decoders = _decoders(graphs, evidence, by, weights)
    development = Development(
        decoders, list(checked_corpus(references)), made, word_set(ignore, "ignore"), rewritten_by
    )
    given = zip(_AXES, (posterior_scale, T, p, r, word_penalty), strict=True)
    axes = {name: numbers_to_try(values, name) for name, values in given}
    folds = whole_number(folds, f"the number of folds is {folds!r}", "give a whole number from 0", least=0)
    return _tuned(development, made, axes, by, _SearchSettings(halvings, folds, resamples, seed))


class _SearchSettings(NamedTuple):
    """The settings of the search (`halvings`) and of the comparisons of its result; see `tune_mbr`."""

    halvings: int
    folds: int
    resamples: int
    seed: int


def _tuned(
    development: Development, made: Metric[Any], axes: dict[str, list[float]], by: ByNgrams, effort: _SearchSettings
) -> MBRTuning:
    best, tables = _search(development, made, axes, by, effort.halvings)

    def value(table: Table) -> float | None:
        score = value_of(made, table)
        return None if math.isnan(score) else score

    def compared(first: Table, second: Table | None) -> PairedBootstrap | None:
        if second is None or not effort.resamples:
            return None
        return paired_bootstrap(made, first, second, resamples=effort.resamples, seed=effort.seed)

    in_grid = math.prod(len(set(values)) for values in axes.values())
    held_out = _held_out(made, list(tables.values())[:in_grid], effort.folds)
    (default,), one_best = development.tables([by]), development.one_best()
    return MBRTuning(
        best=MBRTrial(_setting(best, by), value(tables[best])),
        default=MBRTrial(by, value(default)),
        one_best=value(one_best),
        held_out=None if held_out is None else value(held_out),
        over_default=compared(default, tables[best]),
        over_one_best=compared(one_best, tables[best]),
        held_out_over_one_best=compared(one_best, held_out),
        trials=tuple(MBRTrial(_setting(point, by), value(table)) for point, table in tables.items()),
        graphs=len(one_best),
        signature=development.signature(),
    )


def _decoders(
    graphs: Iterable[Graph], evidence: Iterable[Graph] | None, by: ByNgrams, weights: Weights | None
) -> list[NgramMBR]:
    require_items(graphs, "graphs")
    listed = list(graphs)
    others = [None] * len(listed) if evidence is None else list(evidence)
    if len(others) != len(listed):
        raise UsageError(
            f"there are {len(listed)} graphs, but {len(others)} graphs of evidence", advice="give one for each graph"
        )
    return [NgramMBR(graph, by, other, weights) for graph, other in zip(listed, others, strict=True)]


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
