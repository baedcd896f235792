"""A development set, on which weights of score columns are tuned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from latticemetric.corpus.feature_weights import as_feature_weights
from latticemetric.corpus.string_scores import StringScorer
from latticemetric.corpus.tuned import held_out_table
from latticemetric.corpus.tuned_weights import TunedWeights, WeightTrial
from latticemetric.corpus.weight_convention import written_weight
from latticemetric.corpus.weight_settings import MOST_EXACT
from latticemetric.display.progress import progress
from latticemetric.errors import UsageError
from latticemetric.evaluation.intervals import interval_of, or_none, resample_counts, value_of
from latticemetric.graph import as_lattice_or_forest, with_word_counts
from latticemetric.lattice.columns import WORDS, Floats, require_columns, weights_under
from latticemetric.metrics.base import Metric, Table, references_each
from latticemetric.metrics.registry import make_metric
from latticemetric.tuning.alternation import Climbs, Space
from latticemetric.tuning.cells import String
from latticemetric.tuning.costs import CostTable
from latticemetric.tuning.merits import Merits
from latticemetric.tuning.regions import Range
from latticemetric.tuning.scored_strings import ScoredStrings
from latticemetric.tuning.search import CLEAR, ExactSearch
from latticemetric.tuning.section import Point, Section
from latticemetric.tuning.units import as_written

if TYPE_CHECKING:
    from latticemetric.corpus.mbr_evidence import Example
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.weight_settings import WeightSettings


class WeightDevelopment:
    """A development set: graphs with references, and their best strings for all weights in the ranges."""

    def __init__(
        self,
        examples: Sequence[Example],
        metric: Metric[Any],
        ranges: Sequence[Range],
        corpus: ReadCorpus,
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
        self._references = [tuple(map(self._counted, one.references)) for one in examples]
        self._strings = ScoredStrings(self._references, metric, self._counted)
        self._signed = metric.signature_for(references_each([one.references for one in examples]))
        self._every = range(len(self._graphs))
        table = CostTable(self._graphs, names, self._given)
        self._space = Space(table, self._strings, ranges, self._decoded_at)
        self._exact: ExactSearch | None = None

    @property
    def search(self) -> ExactSearch:
        """The search of all weights in the ranges."""
        if self._exact is None:
            what = f"{len(self.ranges)} weights vary, but a map shows one or two"
            raise UsageError(what, advice="vary two, with the others as they are in the result")
        return self._exact

    def grid(self, n: int) -> Floats:
        """Return the scores at the middle of `n` equal parts of each range."""
        return self.search.grid(n)

    def plot(self, tuned: TunedWeights, path: str) -> None:
        """Draw the scores of all weights in the ranges."""
        from latticemetric.corpus.report.weight_map import plot_weights

        plot_weights(tuned, self.search, path)

    def tuned(self, tuning: WeightSettings) -> TunedWeights:
        """Return the best weights, and what they are worth."""
        search = self._search_by(tuning)
        found = search.best(np.ones(len(self._graphs)))
        names = [one.name for one in self.ranges]
        weights = dict(zip(names, map(float, found.weights), strict=True))
        default, best = self._decoded({}), self._decoded(weights)
        agree = np.array_equal(best, search.rows_at(found.weights))
        if not agree and search.is_exact and found.margin > CLEAR:
            raise AssertionError(f"other strings are the best at {weights}: this is a bug")
        resampled = self._resampled(tuning, search, default)
        gain = value_of(self.metric, best) - value_of(self.metric, default)
        return TunedWeights(
            best=WeightTrial(weights, or_none(value_of(self.metric, best))),
            default=WeightTrial({name: self._used[name] for name in names}, or_none(value_of(self.metric, default))),
            margin=found.margin,
            region=tuple(map(tuple, found.corners.tolist())),
            ties=found.ties,
            held_out=self._held_out(tuning.folds, search),
            gain=interval_of(gain, resampled[:, -1], tuning.confidence) if len(resampled) else None,
            spread={
                name: interval_of(weights[name], values, tuning.confidence)
                for name, values in zip(names, resampled[:, :-1].T, strict=True)
                if len(values)
            },
            exact=search.is_exact and agree,
            graphs=len(self._graphs),
            signature=self._signature(),
            metric=self.metric,
            weights={**self._used, **weights},
            given=self._names_given(weights),
            convention=tuning.convention,
            _development=lambda: self,
        )

    def _search_by(self, tuning: WeightSettings) -> ExactSearch | Climbs:
        default = tuple(as_written(self._used[one.name]) for one in self.ranges)
        if len(self.ranges) > MOST_EXACT:
            return Climbs(self._space, default, restarts=tuning.restarts, seed=tuning.seed, watched=self._watched)
        section = Section.of_columns(default, self.ranges, *range(len(self.ranges)))
        self._exact = ExactSearch(
            self._space.table,
            self._strings,
            section,
            least_margin=tuning.min_margin,
            preferred=default,
            watched=self._watched,
        )
        return self._exact

    def _names_given(self, tuned: Mapping[str, float]) -> tuple[str, ...]:
        """Return the names of the columns whose weights were given or tuned."""
        return tuple(name for name in self._used if self._given.whole or name in self._given or name in tuned)

    def score_at(self, weights: Mapping[str, float]) -> float | None:
        """Return the score of the best strings at some weights."""
        return or_none(value_of(self.metric, self._decoded(weights)))

    def _decoded_at(self, point: Point, chosen: Sequence[int]) -> Table:
        weights = {one.name: float(weight) for one, weight in zip(self.ranges, point, strict=True)}
        return self._decoded(weights, chosen)

    def _decoded(self, weights: Mapping[str, float], chosen: Sequence[int] | None = None) -> Table:
        """Return the statistics of the best strings at some weights, by an ordinary search."""
        used, numbers = self._given.updated(weights), self._every if chosen is None else chosen
        graphs = [self._graphs[number] for number in numbers]
        strings = [[graph.words(graph.best_path(used))] for graph in graphs]
        return np.concatenate(self._strings.rows(strings, numbers))

    def _held_out(self, folds: int, search: ExactSearch | Climbs) -> float | None:
        """Return the score of the graphs, each decoded with the weights that are best on the other folds."""
        rows = held_out_table(len(self._graphs), folds, lambda counts: search.rows_at(search.best_without(counts)))
        return None if rows is None else or_none(value_of(self.metric, rows))

    def _resampled(self, tuning: WeightSettings, search: ExactSearch | Climbs, default: Table) -> Floats:
        """Return for each resample the best weights, and by how much its score is better than the default's."""
        rows, merits = [], Merits(self.metric)
        for counts in self._resamples(tuning):
            weights, merit = search.resampled(counts)
            before = float(merits.of((counts @ default)[None])[0])
            rows.append([*weights, merits.sign * (merit - before) if np.isfinite([merit, before]).all() else np.nan])
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
        return str(scorer.signed(self._signed))


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
    made: Metric[Any] = make_metric(tuning.metric) if isinstance(tuning.metric, str) else tuning.metric
    ranges = [
        Range(name, low, high, is_inverse=written_weight(name, tuning.convention).is_inverse)
        for name, (low, high) in tuning.ranges.items()
    ]
    return WeightDevelopment(examples, made, ranges, corpus, watched=watched).tuned(tuning)
