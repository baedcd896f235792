"""The best weights of score columns on a development set."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from latticemetric.arguments import path_text
from latticemetric.corpus.feature_weights import as_feature_weights
from latticemetric.corpus.string_scores import StringScorer
from latticemetric.corpus.tabled_result import TabledResult
from latticemetric.display.progress import progress
from latticemetric.errors import UsageError
from latticemetric.evaluation.intervals import Interval, interval_of, or_none, resample_counts, value_of
from latticemetric.frozen import Result, freeze
from latticemetric.graph import WORDS, as_lattice_or_forest, with_word_counts
from latticemetric.lattice.columns import Floats, require_columns, weights_under
from latticemetric.metrics.base import Metric, Table, references_each
from latticemetric.metrics.registry import make_metric
from latticemetric.tuning.cells import String
from latticemetric.tuning.optimum import rows_of
from latticemetric.tuning.regions import Range
from latticemetric.tuning.search import ExactSearch, counts_without
from latticemetric.tuning.units import CostParts

if TYPE_CHECKING:
    from latticemetric.corpus.mbr_evidence import Example
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.weight_settings import WeightSettings

_FEWEST_FOLDS = 2
# In smaller regions, costs of paths differ so little that ordinary searches, whose sums are rounded, may confuse them.
_CLEAR = 1e-6


@dataclass(frozen=True, repr=False)
class WeightTrial(Result):
    """Weights and their score.

    Attributes:
        weights: The weight of each column that varies.
        score: The corpus value of the best strings; `None` if it is undefined.
    """

    weights: Mapping[str, float]
    score: float | None

    def __post_init__(self) -> None:
        freeze(self, "weights")

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"weights": dict(self.weights), "score": self.score}

    def __repr__(self) -> str:
        return f"WeightTrial({dict(self.weights)}, score={self.score})"


@dataclass(frozen=True, repr=False)
class TunedWeights(TabledResult):
    """The best weights of score columns on a development set.

    Attributes:
        best: The weights with the best score in the ranges.
        default: The weights before tuning, as the graphs or `weights` give them.
        margin: How far each weight may change, all at once, and no string changes: a share of its range.
        region: The corners of the region around the best weights in which no string changes; for one weight, its ends.
        ties: The number of regions with this score that were found.
        held_out: The score to expect on new graphs, by cross-validation: each fold is decoded with the weights that are
            best on the other folds. `None` without folds.
        gain: Score of the best weights minus score of the default weights, on resamples that are tuned anew: the
            interval shows how much of the gain is luck. `None` without resamples.
        spread: The interval of the best weight of each column, on these resamples; empty without resamples.
        is_exact: True if no weights in the ranges have a better score. False if costs had to be rounded: then this
            holds for the rounded costs.
        graphs: Number of graphs.
        signature: The metric, its parameters and the version.
        metric: The metric.
        weights: The weights of all columns.
        given: The names of the columns whose weights were given or tuned; others have their own weights.
    """

    _table_name = "tune.TunedWeightsTable"

    best: WeightTrial
    default: WeightTrial
    margin: float
    region: tuple[tuple[float, ...], ...]
    ties: int
    held_out: float | None
    gain: Interval | None
    spread: Mapping[str, Interval]
    is_exact: bool
    graphs: int
    signature: str
    metric: Metric[Any] = field(compare=False)
    weights: Mapping[str, float]
    given: tuple[str, ...]
    _development: Callable[[], _Development] | None = field(compare=False)

    def __post_init__(self) -> None:
        freeze(self, "spread")
        freeze(self, "weights")

    def __getstate__(self) -> dict[str, Any]:
        # Copies and pickled results do not know the graphs.
        return {**vars(self), "_development": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def at(self, **weights: float) -> float | None:
        """Return the score at these weights; others are those of `best`, or as before tuning."""
        return self._known_development().score_at({**self.best.weights, **weights})

    def map(self, n: int = 20) -> Floats:
        """Return the scores on a grid: at the middle of `n` equal parts of each range."""
        return self._known_development().search.grid(n)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw the scores of all weights in the ranges: a map of two weights, a step curve of one.

        Args:
            path: The file to write; its name ends in .svg, .png or .pdf.
        """
        from latticemetric.corpus.report.weight_map import plot_weights

        plot_weights(self, self._known_development().search, path_text(path))

    def _known_development(self) -> _Development:
        if self._development is None:
            raise UsageError("a copy of this result does not know the graphs", advice="ask the result itself")
        return self._development()

    def write_weights(self, path: str | os.PathLike[str]) -> None:
        """Write the weights to a file that `--weights` and `weights=` read."""
        from latticemetric.formats.streams.output import atomic_output

        lines = [f"{name} {weight!r}\n" for name, weight in self.weights.items()]
        with atomic_output(os.fspath(path)) as file:
            file.write("".join(lines).encode())

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "signature": self.signature,
            "graphs": self.graphs,
            "exact": self.is_exact,
            "best": self.best.asdict(),
            "default": self.default.asdict(),
            "margin": self.margin,
            "region": [list(corner) for corner in self.region],
            "ties": self.ties,
            "held_out": self.held_out,
            "gain": None if self.gain is None else self.gain.asdict(),
            "spread": {name: interval.asdict() for name, interval in self.spread.items()},
            "weights": dict(self.weights),
        }


def tuned_weights(
    examples: Sequence[Example], tuning: WeightSettings, corpus: ReadCorpus, *, watched: bool = False
) -> TunedWeights:
    """Find the best weights on a development set.

    Args:
        examples: The graphs and their references.
        tuning: What varies, and how to search.
        corpus: The corpus: its weights, and the words that it ignores.
        watched: True to show a progress bar.
    """
    if not examples:
        raise UsageError("there are no graphs to tune on", advice="give at least one")
    made: Metric[Any] = make_metric(tuning.metric) if isinstance(tuning.metric, str) else tuning.metric
    ranges = [Range(name, low, high) for name, (low, high) in tuning.vary.items()]
    return _Development(examples, made, ranges, corpus, tuning.min_margin, watched=watched).tuned(tuning)


class _Development:
    """A development set: graphs with references, and their best strings for all weights in the ranges."""

    def __init__(
        self,
        examples: Sequence[Example],
        metric: Metric[Any],
        ranges: Sequence[Range],
        corpus: ReadCorpus,
        least_margin: float,
        *,
        watched: bool,
    ) -> None:
        self._watched = watched
        self.metric, self.ranges, self._corpus = metric, ranges, corpus
        self._ignored, self._given = corpus.reading.ignored(), as_feature_weights(corpus.weights)
        names = [one.name for one in ranges]
        self._graphs = [
            as_lattice_or_forest(
                with_word_counts(one.graph) if WORDS in names else one.graph,
                {**self._given, **dict.fromkeys(names, 1.0)},
            )
            for one in examples
        ]
        known = {name: column.weight for graph in self._graphs for name, column in graph.scores.items()}
        require_columns(names, known)
        self._used = weights_under(known, self._given)
        parts = [CostParts.of(graph, names, self._given) for graph in self._graphs]
        self.references = [tuple(map(self._counted, one.references)) for one in examples]
        self.search = ExactSearch(
            parts, self.references, metric, ranges, counted=self._counted, least_margin=least_margin
        )

    def tuned(self, tuning: WeightSettings) -> TunedWeights:
        """Return the best weights, and what they are worth."""
        search, every = self.search, np.ones(len(self._graphs))
        found = search.best(every)
        names = [one.name for one in self.ranges]
        weights = dict(zip(names, map(float, found.weights), strict=True))
        default = self._decoded({})
        best = self._decoded(weights)
        agree = np.array_equal(best, search.rows_at(found.weights))
        if not agree and search.units.is_exact and found.margin > _CLEAR:
            raise AssertionError(f"other strings are the best at {weights}: this is a bug")
        resampled = self._resampled(tuning, default)
        spread = {
            name: interval_of(weights[name], values, tuning.confidence)
            for name, values in zip(names, resampled[:, :-1].T, strict=True)
            if len(values)
        }
        gain = (
            interval_of(
                value_of(self.metric, best) - value_of(self.metric, default), resampled[:, -1], tuning.confidence
            )
            if len(resampled)
            else None
        )
        return TunedWeights(
            best=WeightTrial(weights, or_none(value_of(self.metric, best))),
            default=WeightTrial({name: self._used[name] for name in names}, or_none(value_of(self.metric, default))),
            margin=found.margin,
            region=tuple(map(tuple, found.corners.tolist())),
            ties=found.ties,
            held_out=self._held_out(tuning.folds),
            gain=gain,
            spread=spread,
            is_exact=search.units.is_exact and agree,
            graphs=len(self._graphs),
            signature=self._signature(),
            metric=self.metric,
            weights={**self._used, **weights},
            given=tuple(name for name in self._used if self._given.whole or name in self._given or name in weights),
            _development=lambda: self,
        )

    def score_at(self, weights: Mapping[str, float]) -> float | None:
        """Return the score of the best strings at some weights."""
        return or_none(value_of(self.metric, self._decoded(weights)))

    def _decoded(self, weights: Mapping[str, float]) -> Table:
        """Return the statistics of the best strings at some weights, by an ordinary search."""
        used = self._given.updated(weights)
        strings = [[self._counted(graph.words(graph.best_path(used)))] for graph in self._graphs]
        return np.concatenate(rows_of(strings, self.references, self.metric))

    def _held_out(self, folds: int) -> float | None:
        """Return the score of the graphs, each decoded with the weights that are best on the other folds."""
        graphs = len(self._graphs)
        folds = min(folds, graphs)
        if folds < _FEWEST_FOLDS:
            return None
        rows = np.zeros((graphs, len(self.metric.columns)))
        for fold in range(folds):
            counts = counts_without(fold, folds, graphs)
            rows[counts == 0] = self.search.rows_at(self.search.best(counts).weights)[counts == 0]
        return or_none(value_of(self.metric, rows))

    def _resampled(self, tuning: WeightSettings, default: Table) -> Floats:
        """Return for each resample the best weights, and by how much its score is better than the default's."""
        rows = []
        for counts in self._resamples(tuning):
            found = self.search.best(counts)
            value = self.search.merits.value(found.merit)
            gain = np.nan if value is None else value - value_of(self.metric, counts[:, None] * default)
            rows.append([*map(float, found.weights), gain])
        return np.array(rows).reshape(-1, len(self.ranges) + 1)

    def _resamples(self, tuning: WeightSettings) -> Iterator[Floats]:
        """Yield how many times each resample counts each graph."""
        if not tuning.resamples:
            return iter(())
        each = chain.from_iterable(resample_counts(len(self._graphs), tuning.resamples, tuning.seed))
        return progress(each, tuning.resamples, "resamples") if self._watched else each

    def _counted(self, words: Iterable[str]) -> String:
        return tuple(word for word in words if word not in self._ignored)

    def _signature(self) -> str:
        scorer = StringScorer((self.metric,), self._ignored, normalize=self._corpus.rewritten_by)
        return str(scorer.signed(self.metric.signature_for(references_each(self.references))))
