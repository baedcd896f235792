"""The weights of score columns with the least expected errors on a development set, by gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from latticemetric.corpus.tuned import held_out_table, merit_of
from latticemetric.corpus.tuned_weights import TunedColumns, WeightTrial
from latticemetric.corpus.weight_development import WeightDevelopment
from latticemetric.display.progress import progress_bar
from latticemetric.evaluation.intervals import or_none, paired_bootstrap, value_of
from latticemetric.forest.forest import Forest
from latticemetric.lattice.columns import FeatureWeights, Floats
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.base import Metric, References, Table
from latticemetric.metrics.character_rates import SpelledRate
from latticemetric.metrics.recognition import GRR, WER
from latticemetric.metrics.registry import make_metric
from latticemetric.training.batch import Batch
from latticemetric.tuning.descent import Descent, Function, minimum_in_box
from latticemetric.tuning.regions import Range

if TYPE_CHECKING:
    from latticemetric.corpus.expected_settings import ExpectedSettings
    from latticemetric.corpus.mbr_evidence import Example
    from latticemetric.corpus.read_corpus import ReadCorpus


@dataclass(frozen=True, repr=False)
class ExpectedTrial(WeightTrial):
    """Weights, their expected rate and the score of the 1-bests.

    Attributes:
        expected: The expected rate of the paths, of all graphs together.
        posterior_scale: Factor of the costs, before they become probabilities.
    """

    expected: float
    posterior_scale: float

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**super().asdict(), "expected": self.expected, "posterior_scale": self.posterior_scale}

    def __repr__(self) -> str:
        return f"ExpectedTrial({dict(self.weights)}, score={self.score}, expected={self.expected})"


@dataclass(frozen=True, repr=False)
class ExpectedWeights(TunedColumns):
    """The weights of score columns with the best expected rate, as far as a descent by gradients finds them.

    Attributes:
        best: The weights at the end of the descent; of several posterior scales, those whose 1-bests score best.
        default: The weights before tuning, as the graphs or `weights` give them.
        held_out: The score to expect on new graphs, by cross-validation: each fold is decoded with the weights that a
            descent on the other folds finds. `None` without folds.
        gain: Score of the best weights minus score of the default, on resamples that are not tuned anew: the interval
            leaves out how far weights were fitted to these graphs. `None` without resamples.
        exact: False: a descent finds a local optimum, and the 1-bests of other weights may score better.
        rate: The name of the expected rate.
        trials: The weights for each posterior scale, in ascending order.
        steps: The number of steps of all descents on all graphs.
    """

    _table_name = "tune.ExpectedWeightsTable"

    best: ExpectedTrial
    default: ExpectedTrial
    rate: str
    trials: tuple[ExpectedTrial, ...]
    steps: int

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            **super().asdict(),
            "rate": self.rate,
            "trials": [trial.asdict() for trial in self.trials],
            "steps": self.steps,
        }


def expected_weights(
    examples: Sequence[Example], tuning: ExpectedSettings, corpus: ReadCorpus, *, watched: bool = False
) -> ExpectedWeights:
    """Find the weights with the best expected rate on a development set.

    Args:
        examples: The graphs and their references.
        tuning: What varies, and how to search.
        corpus: The corpus: its weights, and the words that it ignores.
        watched: True to show a progress bar.

    Raises:
        InputError: A reference has no words, or a graph needs more states than `most_states`.
    """
    metric: Metric[Any] = make_metric(tuning.metric) if isinstance(tuning.metric, str) else tuning.metric
    ranges = [Range(name, low, high) for name, (low, high) in tuning.vary.items()]
    return _ExpectedDevelopment(examples, metric, ranges, corpus, watched=watched).descended(tuning)


def expected_rate_of(metric: Metric[Any], ignored: frozenset[str]) -> GRR:
    """Return the rate whose expectation is optimized: the metric, if it is a rate of words, or else WER."""
    if isinstance(metric, GRR) and not isinstance(metric, SpelledRate):
        return metric
    return WER(ignore=ignored)


class CorpusRate:
    """The expected rate of a corpus, as a function of the weights of columns, with its gradient.

    It is the mean of the graphs' expected rates, each weighted by the words (n-grams) of its first reference: expected
    errors by words of references.
    """

    def __init__(
        self,
        graphs: Sequence[Lattice | Forest],
        references: Sequence[References],
        rate: GRR,
        columns: Sequence[str],
        *,
        weights: FeatureWeights,
        most_states: int,
    ) -> None:
        """Prepare the graphs for all weights of these columns; other columns have these `weights`, or their own."""
        self._batch = Batch(graphs, references, rate, most_states=most_states)
        self._sign = -1.0 if rate.higher_is_better else 1.0
        self._features = self._batch.features(columns)
        self._fixed = np.concatenate(
            [costs_of(graph, weights.updated(dict.fromkeys(columns, 0.0))) for graph in graphs]
        )

    def function(self, counts: Floats, scale: float) -> Function:
        """Return the function to minimize: the rate, negated if larger is better, and its gradient.

        Args:
            counts: How many times each graph counts.
            scale: Factor of the costs.
        """
        shares = counts * self._batch.totals / (counts @ self._batch.totals)
        each = self._sign * np.repeat(shares, self._batch.sizes)

        def value_and_gradient(weights: Floats) -> tuple[float, Floats]:
            found = self._batch.expected(scale * (self._fixed + self._features @ weights))
            assert found.gradient is not None
            gradient: Floats = scale * (self._features.T @ (each * found.gradient))
            return self._sign * float(shares @ found.value), gradient

        return value_and_gradient

    def at(self, weights: Floats, scale: float) -> float:
        """Return the expected rate of the corpus."""
        costs = scale * (self._fixed + self._features @ weights)
        totals = self._batch.totals
        return float(totals @ self._batch.expected(costs, gradient=False).value / totals.sum())


def costs_of(graph: Lattice | Forest, weights: FeatureWeights) -> Floats:
    """Return the cost of each arc (edge), then of each final state (goal): the order of `Batch`."""
    arc, final = graph.cost(weights)
    return np.concatenate([arc, final[graph.goals if isinstance(graph, Forest) else graph.final]])


class _ExpectedDevelopment(WeightDevelopment):
    """A development set, on which expected rates are optimized."""

    def descended(self, tuning: ExpectedSettings) -> ExpectedWeights:
        """Return the weights at the end of the descent, and what they are worth."""
        names = [one.name for one in self.ranges]
        rate = expected_rate_of(self.metric, self._ignored)
        descents = _Descents(
            CorpusRate(
                self._graphs, self._references, rate, names, weights=self._given, most_states=tuning.most_states
            ),
            self.ranges,
            np.array([self._used[name] for name in names]),
            tuning,
            watched=self._watched,
        )
        ends = descents.ends(np.ones(len(self._graphs)))
        trials = [self._trial(descents, end.point, scale) for scale, end in ends.items()]
        best = max(trials, key=lambda trial: merit_of(self.metric, np.nan if trial.score is None else trial.score))
        rows, default = self._decoded(best.weights), self._decoded({})
        held_out = held_out_table(len(default), tuning.folds, lambda counts: self._rows_without(descents, counts))
        compared = paired_bootstrap(self.metric, default, rows, **tuning.resampling) if tuning.resamples else None
        return ExpectedWeights(
            best=best,
            default=self._trial(descents, descents.start, best.posterior_scale),
            held_out=None if held_out is None else or_none(value_of(self.metric, held_out)),
            gain=None if compared is None else compared.difference,
            exact=False,
            graphs=len(self._graphs),
            signature=self._signature(),
            metric=self.metric,
            weights={**self._used, **best.weights},
            given=self._names_given(best.weights),
            rate=rate.name,
            trials=tuple(trials),
            steps=sum(end.steps for end in ends.values()),
        )

    def _rows_without(self, descents: _Descents, counts: Floats) -> Table:
        """Return the statistics of all graphs, with the weights that are best for those that count."""
        tables = [self._decoded(descents.named(end.point)) for end in descents.ends(counts).values()]
        return max(tables, key=lambda table: merit_of(self.metric, float(self.metric.values(counts @ table))))

    def _trial(self, descents: _Descents, point: Floats, scale: float) -> ExpectedTrial:
        weights = descents.named(point)
        score = or_none(value_of(self.metric, self._decoded(weights)))
        return ExpectedTrial(weights, score, descents.rate.at(point, scale), scale)


class _Descents:
    """Descents to the weights with the best expected rate, one for each posterior scale."""

    def __init__(
        self, rate: CorpusRate, ranges: Sequence[Range], start: Floats, tuning: ExpectedSettings, *, watched: bool
    ) -> None:
        self.rate, self.start, self._ranges, self._tuning = rate, start, ranges, tuning
        self._low, self._high = (np.array([float(getattr(one, end)) for one in ranges]) for end in ("low", "high"))
        self._bar = progress_bar(None, "expected rates") if watched else None

    def ends(self, counts: Floats) -> dict[float, Descent]:
        """Return the end of each descent on graphs that count so many times, by posterior scale, ascending.

        The first descent starts from the weights before tuning, the others where the one before ended.
        """
        found: dict[float, Descent] = {}
        point = self.start
        for scale in sorted(self._tuning.posterior_scale):
            function = self._seen(self.rate.function(counts, scale))
            end = minimum_in_box(function, point, self._low, self._high, most_steps=self._tuning.most_steps)
            point, found[scale] = end.point, end
        return found

    def named(self, point: Floats) -> dict[str, float]:
        """Return weights by the names of their columns."""
        return {one.name: weight for one, weight in zip(self._ranges, point.tolist(), strict=True)}

    def _seen(self, function: Function) -> Function:
        def seen(weights: Floats) -> tuple[float, Floats]:
            found = function(weights)
            if self._bar is not None:
                self._bar.update()
            return found

        return seen
