"""Score oracles and 1-bests by string metrics, as if they were the outputs of two systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from latticemetric.metrics.base import Metric, references_each
from latticemetric.metrics.registry import make_metric
from latticemetric.metrics.signature import Signature
from latticemetric.oracle_search.scored_path import Oracle

Words = tuple[str, ...]

SIDES = ("oracle", "one_best")


class Strings(NamedTuple):
    """The words of one pair, without ignored words; oracle and 1-best are empty if the graph failed."""

    oracle: Words
    one_best: Words
    references: tuple[Words, ...]


@dataclass(frozen=True)
class StringScorer:
    """String metrics, with the words that they ignore.

    Attributes:
        metrics: The metrics.
        ignore: Words to remove from oracles, 1-bests and references.
        each: True to also compute sentence scores.
        normalize: The grammar applied to graphs and references, for signatures.
    """

    metrics: tuple[Metric[Any], ...]
    ignore: frozenset[str] = frozenset()
    each: bool = True
    normalize: str | None = None

    def __post_init__(self) -> None:
        # Raise an error before the search if a metric lacks data (WordNet).
        for metric in self.metrics:
            metric.score(("a",), [("b",)])

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the scorer; `state` is the field `scorer` of the result of `StringTotals.state`."""
        return cls(tuple(map(make_metric, state["metrics"])), frozenset(state["ignore"]), normalize=state["normalize"])

    def strings(self, found: Oracle | None, references: Sequence[Words]) -> Strings:
        """Return the words of one pair; `found` is `None` if the graph failed."""
        words = (found.words, found.one_best.words) if found is not None else ((), ())
        return Strings(*words, tuple(map(self.kept, references)))

    def kept(self, words: Words) -> Words:
        """Return the words without ignored words."""
        return tuple(word for word in words if word not in self.ignore) if self.ignore else words

    def sentence(self, strings: Strings) -> dict[str, dict[str, float | None]]:
        """Return the sentence scores of the oracle and of the 1-best, by each metric."""
        references = list(strings.references)
        return {
            metric.name: {side: metric.score(getattr(strings, side), references) for side in SIDES}
            for metric in self.metrics
        }

    def signature(self, metric: Metric[Any], given: int | str, read: int | str) -> str:
        """Return the signature of a metric over the scored strings.

        Args:
            metric: The metric.
            given: The number of references per segment. A reference with alternatives counts once.
            read: The same, but each of its strings counts. It is the number of metrics that take no alternatives.
        """
        return str(self.signed(metric.signature_for(given if metric.takes_graphs else read)))

    def signed(self, signature: Signature) -> Signature:
        """Add ignored words and the grammar to a metric's signature."""
        ignored = {"ignore": ",".join(sorted(self.ignore))} if self.ignore else {}
        normalized = {} if self.normalize is None else {"norm": self.normalize}
        return signature.also(**ignored, **normalized)


@dataclass
class StringTotals:
    """The words of all pairs, collected to score them at the end: some metrics weight n-grams by all references."""

    scorer: StringScorer
    _pairs: list[Strings | None] = field(default_factory=list)

    def add(self, strings: Strings | None) -> None:
        """Add the words of one pair. A pair that failed and has no references gives `None`, which does not count."""
        self._pairs.append(strings)

    def state(self) -> dict[str, Any]:
        """Return plain values for JSON; `StringScorer.of_state` and `add_states` read them."""
        metrics = [metric.name for metric in self.scorer.metrics]
        scorer = {"metrics": metrics, "ignore": sorted(self.scorer.ignore), "normalize": self.scorer.normalize}
        return {"scorer": scorer, "strings": self._pairs}

    def add_states(self, strings: Iterable[Any]) -> None:
        """Add pairs; `strings` is the field `strings` of the result of `state`."""
        for one in strings:
            if one is not None:
                oracle, one_best, references = one
                self.add(Strings(tuple(oracle), tuple(one_best), tuple(map(tuple, references))))

    def asdict(self, given: int | str) -> dict[str, dict[str, dict[str, Any]]]:
        """Return the corpus values of oracles and 1-bests, by metric, for JSON.

        `given` is the number of references per segment, where a reference with alternatives counts once.
        """
        pairs = [strings for strings in self._pairs if strings is not None]
        references = [list(pair.references) for pair in pairs]
        read, scores = references_each(references), {}
        for metric in self.scorer.metrics:
            signature = self.scorer.signature(metric, given, read)
            totals = {side: metric.corpus([getattr(pair, side) for pair in pairs], references) for side in SIDES}
            scores[metric.name] = {
                side: {"score": total.score, "signature": signature} for side, total in totals.items()
            }
        return scores
