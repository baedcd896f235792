"""Parameters of n-gram MBR whose answers score best on a development set of many graphs with references."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise, product
from typing import Any, TypeVar

import numpy as np

from latticemetric.batch.string_scores import StringScorer
from latticemetric.errors import UsageError
from latticemetric.evaluation.intervals import PairedBootstrap, paired_bootstrap, value_of
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Scales
from latticemetric.mbr_decoding.mbr import Values
from latticemetric.mbr_decoding.ngram import NgramMBR
from latticemetric.mbr_decoding.ngram_gain import GainParameters
from latticemetric.metrics.base import Metric, References, Table, references_each, references_of
from latticemetric.metrics.reference_checks import checked_corpus
from latticemetric.metrics.registry import make_metric
from latticemetric.posterior.ngrams import NgramPosteriors
from latticemetric.vocabulary import word_set

# ---- The best point of a grid, then better ones around it: coordinate steps that get shorter ----

Point = tuple[float, ...]
Key = TypeVar("Key")
Merits = Callable[[Sequence[Point]], list[float]]

# Merits this close are equal: a step has to be worth more than rounding.
_ROUNDING = 1e-12
_PLACES = 10


def coordinate_search(
    axes: Mapping[str, Sequence[float]], merits: Merits, halvings: int, is_possible: Callable[[Point], bool]
) -> dict[Point, float]:
    """All points that were tried, in this order, with their merits; `best_of` them is the answer.

    The grid comes first, its last axis fastest. A step along an axis of several values is half of their mean distance
    at first, and half as long in each round that follows. In a round all steps from the best point so far are tried,
    axis by axis, down and up; it ends when none is better.

    Args:
        axes: The values of each axis; one of a single value is not searched.
        merits: The merit of each of some points, all distinct and new; larger is better.
        halvings: How many rounds there are; 0 leaves it at the grid.
        is_possible: Whether there is such a point, outside of the grid.
    """
    if halvings < 0:
        raise UsageError(f"{halvings} rounds of steps", advice="give 0 or more")
    grid = list(dict.fromkeys(product(*(sorted(set(map(float, values))) for values in axes.values()))))
    if not grid:
        empty = next(name for name, values in axes.items() if not len(values))
        raise UsageError(f"{empty} has no values to choose from")
    tried = dict(zip(grid, merits(grid), strict=True))
    steps = [_mean_distance(sorted(set(map(float, values)))) for values in axes.values()]
    for number in range(1, halvings + 1):
        best = None
        while best != (best := best_of(tried)):
            around = [p for p in _around(best, steps, 2.0**-number) if p not in tried and is_possible(p)]
            tried |= zip(around, merits(around) if around else (), strict=True)
    return tried


def best_of(tried: Mapping[Key, float]) -> Key:
    """The point (or what else is tried) of largest merit; of equal ones, the one that was tried first."""
    best, largest = next(iter(tried)), -math.inf
    for point, merit in tried.items():
        if merit > largest + _ROUNDING:
            best, largest = point, merit
    return best


def _mean_distance(values: Sequence[float]) -> float:
    distances = [after - before for before, after in pairwise(values)]
    return math.fsum(distances) / len(distances) if distances else 0.0


def _around(point: Point, distances: Sequence[float], share: float) -> Iterator[Point]:
    for axis, distance in enumerate(distances):
        for sign in (-1, 1) if distance else ():
            value = round(point[axis] + sign * share * distance, _PLACES)
            yield (*point[:axis], value, *point[axis + 1 :])


# ---- A development set: what n-gram MBR answers to its graphs under any setting, and what that scores ----

String = tuple[str, ...]

# N-grams whose posteriors are kept for the next settings of the same scale: some 40 bytes each.
_MOST_KEPT = 10_000_000


class Development:
    """Graphs with references. Posteriors are computed once a scale and order, every distinct answer is scored once."""

    def __init__(
        self,
        asked: Sequence[NgramMBR],
        references: Sequence[References],
        metric: Metric[Any],
        ignore: Iterable[str] = (),
    ) -> None:
        if len(asked) != len(references):
            raise UsageError(f"there are {len(asked)} graphs and references of {len(references)}")
        if not asked:
            raise UsageError("there are no graphs to tune on")
        self.metric = metric
        self._asked, self._ignored = asked, frozenset(ignore)
        self.references = [tuple(map(self._counted_words, references_of(several))) for several in references]
        self._posteriors: dict[tuple[int, float, int], NgramPosteriors] = {}
        self._kept = 0
        self._rows: list[dict[String, Table]] = [{} for _ in asked]

    def tables(self, settings: Sequence[GainParameters]) -> list[Table]:
        """The metric's statistics of the answers under each setting, a row a graph."""
        answers: list[list[String]] = [[] for _ in settings]
        in_scales = sorted(range(len(settings)), key=lambda k: (settings[k].scale, settings[k].order))
        for number, asked in enumerate(self._asked):
            for _, chosen in groupby(in_scales, key=lambda k: (settings[k].scale, settings[k].order)):
                alike = list(chosen)
                posteriors = self._posteriors_of(number, settings[alike[0]])
                for k in alike:
                    answers[k].append(self._counted_words(asked.string(posteriors, settings[k])))
        self._score(answers)
        return [self._table(strings) for strings in answers]

    def one_best(self) -> Table:
        """The statistics of the model's own best strings."""
        strings = [self._counted_words(asked.one_best) for asked in self._asked]
        self._score([strings])
        return self._table(strings)

    def _posteriors_of(self, number: int, setting: GainParameters) -> NgramPosteriors:
        key = (number, setting.scale, setting.order)
        if key in self._posteriors:
            return self._posteriors[key]
        found = self._asked[number].posteriors(setting.scale, setting.order)
        if self._kept + len(found) <= _MOST_KEPT:
            self._kept += len(found)
            self._posteriors[key] = found
        return found

    def _score(self, answers: Sequence[Sequence[String]]) -> None:
        """Makes rows of strings that have none yet.

        A table is always made of all graphs at once, since a metric may weigh by the references of the whole set.
        """
        new = [
            [string for string in dict.fromkeys(strings) if string not in rows]
            for rows, strings in zip(self._rows, zip(*answers, strict=True), strict=True)
        ]
        for turn in range(max(map(len, new))):
            said = [strings[turn] if turn < len(strings) else _any(strings, rows) for strings, rows in self._pairs(new)]
            table = self.metric.table(said, self.references)
            for rows, string, row in zip(self._rows, said, table, strict=True):
                rows[string] = row

    def _pairs(self, new: Sequence[list[String]]) -> Iterable[tuple[list[String], Mapping[String, Table]]]:
        return zip(new, self._rows, strict=True)

    def _table(self, strings: Sequence[String]) -> Table:
        return np.stack([rows[string] for rows, string in zip(self._rows, strings, strict=True)])

    def _counted_words(self, words: Iterable[str]) -> String:
        return tuple(word for word in words if word not in self._ignored)


def _any(strings: Sequence[String], rows: Mapping[String, Table]) -> String:
    """A string of which a row is at hand, for a graph that has no new one."""
    return strings[0] if strings else next(iter(rows))


# ---- What a development set says of parameters of n-gram MBR ----


@dataclass(frozen=True)
class MBRTrial:
    """A setting and its score.

    Attributes:
        parameters: How strings gained.
        score: The corpus value of the answers; `None` where it is undefined.
    """

    parameters: GainParameters
    score: float | None

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**self.parameters.asdict(), "score": self.score}


@dataclass(frozen=True)
class MBRTuning:
    """What was found on a development set.

    Attributes:
        best: The setting that scores best; of equal ones, the one that was tried first.
        default: The setting that `mbr` has unless told otherwise, at the same order.
        one_best: The corpus value of the model's own best strings.
        held_out: What to expect of other graphs: each fold answered under the setting of the grid that is best on the
            others. `None` where there are no folds.
        over_default: The best setting's value minus the default's, on resamples of the graphs; `None` without.
        over_one_best: The same against the model's own best strings.
        held_out_over_one_best: The same of `held_out`. It alone is not too good to be true: the setting was chosen on
            other graphs than those it is compared on.
        trials: Every setting that was tried, in this order.
        graphs: How many there were.
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
        """Plain values, for JSON."""
        return {
            "signature": self.signature,
            "graphs": self.graphs,
            "best": self.best.asdict(),
            "default": self.default.asdict(),
            "one_best": self.one_best,
            "held_out": self.held_out,
            "over_default": _comparison(self.over_default),
            "over_one_best": _comparison(self.over_one_best),
            "held_out_over_one_best": _comparison(self.held_out_over_one_best),
            "trials": [trial.asdict() for trial in self.trials],
        }


def _comparison(found: PairedBootstrap | None) -> dict[str, Any] | None:
    if found is None:
        return None
    difference = found.difference
    return {"difference": difference.value, "low": difference.low, "high": difference.high, "p": found.p}


# ---- Parameters of n-gram MBR whose answers score best on a development set ----

SCALES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
PRECISIONS = (0.6, 0.85)
RATIOS = (0.5, 0.6, 0.72, 0.85)
WORD_PENALTIES = (-0.05, 0.0, 0.05)

_FEWEST_FOLDS = 2
_AXES = ("scale", "T", "p", "r", "word_penalty")


def tune_mbr(
    graphs: Iterable[Graph],
    references: Sequence[References],
    metric: str | Metric[Any] = "bleu",
    *,
    scale: Values = SCALES,
    T: Values = 10.0,  # noqa: N803  as all papers have it
    p: Values = PRECISIONS,
    r: Values = RATIOS,
    word_penalty: Values = WORD_PENALTIES,
    order: int = 4,
    evidence: Iterable[Graph] | None = None,
    prune: float | None = None,
    scales: Scales | None = None,
    ignore: Iterable[str] = (),
    halvings: int = 2,
    folds: int = 5,
    resamples: int = 1000,
    seed: int = 0,
) -> MBRTuning:
    """Finds the parameters of `mbr` by n-grams whose answers score best against references.

    All combinations of values are tried, then steps from the best one along each parameter that has several values: by
    half of their mean distance until none is better, then by a quarter, and so on. Nothing is drawn at random but the
    resamples. Of settings that score the same, the one that was tried first is best; in the grid, values ascend and
    `word_penalty` varies fastest, `scale` slowest.

    Answers depend on *p*, *T* and the word penalty only by *p* · (1 + *T* · penalty), where that is above 0: *T* need
    not be tuned, and of the other two many pairs are the same setting.

    Args:
        graphs: Lattices or n-best lists. All of them stay in memory.
        references: One or several of each graph.
        metric: A metric or its name; its corpus value decides.
        scale: A number, or several: the values of the grid. Likewise `T`, `p`, `r` and `word_penalty`.
        T: See `mbr`, as for all parameters.
        p: Average precision of unigrams.
        r: How much less precise each order is than the one before.
        word_penalty: A further cost of each word.
        order: Words of the longest n-grams.
        evidence: Graphs for the posteriors, one of each graph, where they are others.
        prune: The cost above the best path, before scaling, that graphs are pruned to first.
        scales: Weight of each score column in the model's cost; columns not named keep their own.
        ignore: Words that are removed from answers and references before they are scored: `<s>`, `</s>`.
        halvings: How often steps get shorter; 0 leaves it at the grid.
        folds: For `held_out`: graph *i* is in fold *i* modulo so many. Below 2, there are none.
        resamples: For the paired bootstrap; 0 leaves it out.
        seed: Of the resamples.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a c", "c d"], costs=[0.0, 0.3, 0.7])
        >>> found = tune_mbr([lattice], ["a c"], "wer", scale=[0.5, 1.0], p=0.85, r=0.72, resamples=0)
        >>> found.best.parameters.scale, found.best.parameters.word_penalty, found.best.score, found.one_best
        (0.5, 0.0, 0.0, 0.5)
    """
    chosen: Metric[Any] = make_metric(metric) if isinstance(metric, str) else metric
    asked = _asked(graphs, evidence, partial(NgramMBR, beam=prune, scales=scales))
    ignored = word_set(ignore, "ignore")
    references = list(checked_corpus(references))
    search = _Search(Development(asked, references, chosen, ignored), order)
    axes = dict(zip(_AXES, map(_several, (scale, T, p, r, word_penalty)), strict=True))
    tried = coordinate_search(axes, search.merits, halvings, _is_possible)
    number = references_each(search.development.references)
    signature = StringScorer((chosen,), ignored).signed(chosen.signature_for(number))
    in_grid = math.prod(len(set(values)) for values in axes.values())
    return search.found(
        best_of(tried),
        held_out=_held_out(chosen, list(search.tables.values())[:in_grid], folds),
        compare=partial(_compared, chosen, resamples, seed),
        signature=str(signature),
    )


class _Search:
    """The settings that were tried, and their tables."""

    def __init__(self, development: Development, order: int) -> None:
        self.development, self._order = development, order
        self._metric = development.metric
        self.tables: dict[Point, Table] = {}

    def merits(self, points: Sequence[Point]) -> list[float]:
        """Tries some points."""
        found = self.development.tables([self._setting(point) for point in points])
        self.tables.update(zip(points, found, strict=True))
        return [_merit(self._metric, table.sum(axis=0)) for table in found]

    def found(
        self,
        best: Point,
        *,
        held_out: Table | None,
        compare: Callable[[Table, Table | None], PairedBootstrap | None],
        signature: str,
    ) -> MBRTuning:
        """What is said of the best point."""
        value = partial(_value, self._metric)
        usual = GainParameters(order=self._order)
        (default,), one_best = self.development.tables([usual]), self.development.one_best()
        return MBRTuning(
            best=MBRTrial(self._setting(best), value(self.tables[best])),
            default=MBRTrial(usual, value(default)),
            one_best=value(one_best),
            held_out=None if held_out is None else value(held_out),
            over_default=compare(default, self.tables[best]),
            over_one_best=compare(one_best, self.tables[best]),
            held_out_over_one_best=compare(one_best, held_out),
            trials=tuple(MBRTrial(self._setting(point), value(table)) for point, table in self.tables.items()),
            graphs=len(one_best),
            signature=signature,
        )

    def _setting(self, point: Point) -> GainParameters:
        return GainParameters(**dict(zip(_AXES, point, strict=True)), order=self._order)


def _asked(graphs: Iterable[Graph], evidence: Iterable[Graph] | None, ask: Callable[..., NgramMBR]) -> list[NgramMBR]:
    listed = list(graphs)
    others = [None] * len(listed) if evidence is None else list(evidence)
    if len(others) != len(listed):
        raise UsageError(f"there are {len(listed)} graphs and evidence of {len(others)}")
    return [ask(graph, other) for graph, other in zip(listed, others, strict=True)]


def _held_out(metric: Metric[Any], tables: Sequence[Table], folds: int) -> Table | None:
    """Of each fold the rows of the setting that is best on the others."""
    number = len(tables[0])
    if min(folds, number) < _FEWEST_FOLDS:
        return None
    fold = np.arange(number) % min(folds, number)
    rows = np.empty_like(tables[0])
    for one in range(min(folds, number)):
        others = {k: _merit(metric, table[fold != one].sum(axis=0)) for k, table in enumerate(tables)}
        rows[fold == one] = tables[best_of(others)][fold == one]
    return rows


def _compared(
    metric: Metric[Any], resamples: int, seed: int, first: Table, second: Table | None
) -> PairedBootstrap | None:
    if second is None or not resamples:
        return None
    return paired_bootstrap(metric, first, second, resamples=resamples, seed=seed)


def _merit(metric: Metric[Any], sums: Table) -> float:
    """The value as larger is better; what is undefined is worst."""
    value = float(metric.values(sums))
    return -math.inf if math.isnan(value) else value if metric.higher_is_better else -value


def _value(metric: Metric[Any], table: Table) -> float | None:
    value = value_of(metric, table)
    return None if math.isnan(value) else value


def _is_possible(point: Point) -> bool:
    """Whether steps may lead there: the penalty is the only one that may be 0 or less."""
    return all(value > 0 for name, value in zip(_AXES, point, strict=True) if name != "word_penalty")


def _several(values: Values) -> list[float]:
    return [float(value) for value in values] if isinstance(values, Iterable) else [float(values)]
