"""Tune weights of score columns on graphs in memory, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latticemetric.renamed import says_new_keywords

if TYPE_CHECKING:
    from latticemetric.corpus.tuned_weights import TunedWeights
    from latticemetric.graph import Graph
    from latticemetric.lattice.columns import Weights


@says_new_keywords
def tune(
    graphs: Iterable[Graph],
    references: Any,
    metric: Any = "wer",
    *,
    vary: Mapping[str, tuple[float, float]] | str | Sequence[str],
    weights: Weights | None = None,
    restarts: int = 0,
    seed: int = 0,
    min_margin: float = 0.0,
    resamples: int = 1000,
    folds: int = 5,
) -> TunedWeights:
    """Find the weights of score columns with which the best strings of graphs score best: `Corpus.tune`.

    Args:
        graphs: Lattices, forests or n-best lists.
        references: One or several references for each graph.
        metric: A metric or its name; its corpus value is optimized.
        vary: The lowest and the highest weight of columns, by name; `words` counts words.
        weights: Weights of the other columns, and the weights before tuning.
        restarts: With three or more weights: how many times to search from random weights, too.
        seed: The seed of resamples, and of searches of three and more weights.
        min_margin: Find weights that may change by this share of their ranges, all at once, and no string changes.
        resamples: The number of resamples for intervals; 0 for no intervals.
        folds: Number of folds for the score to expect on new graphs; 0 for none.

    Examples:
        >>> from latticemetric import NBest
        >>> beams = [
        ...     NBest.from_strings(["a b", "a c"], scores={"am": [1.0, 2.0], "lm": [3.0, 1.0]}),
        ...     NBest.from_strings(["d", "d e"], scores={"am": [1.0, 2.0], "lm": [4.0, 0.0]}),
        ... ]
        >>> found = tune(beams, ["a c", "d"], vary={"lm": (0, 2)}, resamples=0)
        >>> round(found.best.score, 4), round(found.default.score, 4), found.region
        (0.3333, 0.3333, ((0.5,), (2.0,)))
    """
    from latticemetric.corpus.corpus import Corpus

    return Corpus(graphs, references, weights=weights).tune(
        metric,
        vary=vary,
        restarts=restarts,
        seed=seed,
        min_margin=min_margin,
        resamples=resamples,
        folds=folds,
    )
