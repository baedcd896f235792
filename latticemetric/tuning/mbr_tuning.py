"""Parameters of n-gram MBR whose answers score best on a development set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from latticemetric.batch.string_scores import StringScorer
from latticemetric.errors import UsageError
from latticemetric.evaluation.bootstrap import PairedBootstrap, paired_bootstrap, value_of
from latticemetric.formats.registry import Graph
from latticemetric.lattice import Scales
from latticemetric.metrics.base import Metric, References, Table, references_each
from latticemetric.metrics.reference_checks import checked_corpus
from latticemetric.metrics.registry import make_metric
from latticemetric.questions.decoding.mbr import Values
from latticemetric.questions.decoding.ngram_gain import GainParameters
from latticemetric.questions.decoding.ngram_mbr import NgramMBR
from latticemetric.tuning.coordinate_search import Point, best_of, coordinate_search
from latticemetric.tuning.development import Development
from latticemetric.tuning.mbr_result import MBRTrial, MBRTuning
from latticemetric.vocabulary import word_set

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
