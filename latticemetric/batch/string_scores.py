"""Sentence metrics of what was extracted: the oracles' words and the 1-bests', scored as two systems' outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from latticemetric.metrics.base import Metric, references_each
from latticemetric.metrics.registry import make_metric
from latticemetric.oracle_search.scored_path import Oracle
from latticemetric.signature import Signature

Words = tuple[str, ...]

SIDES = ("oracle", "one_best")


class Strings(NamedTuple):
    """One pair's words, without ignored ones.

    Attributes:
        oracle: Of the oracle; none where the graph failed.
        one_best: Of the model's own best path; likewise.
        references: Of each reference.
    """

    oracle: Words
    one_best: Words
    references: tuple[Words, ...]


@dataclass(frozen=True)
class StringScorer:
    """The metrics asked for, and words that are none to them.

    Attributes:
        metrics: Any metrics of strings.
        ignore: Words that are removed from all sides.
        each: Whether each pair's own values are asked for, not only those of the corpus.
        normalize: The grammar that both sides went through, for signatures.
    """

    metrics: tuple[Metric[Any], ...]
    ignore: frozenset[str] = frozenset()
    each: bool = True
    normalize: str | None = None

    def __post_init__(self) -> None:
        # What a metric lacks (WordNet) is better known before an hour of searching than after it.
        for metric in self.metrics:
            metric.score(("a",), [("b",)])

    def totals(self) -> StringTotals:
        """What collects the words of all pairs."""
        return StringTotals(self)

    def strings(self, found: Oracle | None, references: Sequence[Words]) -> Strings:
        """What one pair adds; a graph that failed says nothing."""
        spoken = (found.words, found.one_best.words) if found is not None else ((), ())
        return Strings(*spoken, tuple(map(self.kept, references)))

    def kept(self, words: Words) -> Words:
        """The words that are scored."""
        return tuple(word for word in words if word not in self.ignore) if self.ignore else words

    def sentence(self, strings: Strings) -> dict[str, dict[str, float | None]]:
        """Each metric's value of the oracle and of the 1-best, as of a test set of this one segment."""
        references = list(strings.references)
        return {
            metric.name: {side: metric.score(getattr(strings, side), references) for side in SIDES}
            for metric in self.metrics
        }

    def signed(self, signature: Signature) -> Signature:
        """A metric's signature with what was done to the strings: words that were ignored, a grammar."""
        ignored = {"ignore": ",".join(sorted(self.ignore))} if self.ignore else {}
        normalized = {} if self.normalize is None else {"norm": self.normalize}
        return signature.also(**ignored, **normalized)


def scorer_of(metrics: Iterable[str | Metric[Any]], ignore: frozenset[str]) -> StringScorer | None:
    """What scores strings by these metrics; nothing where there are none."""
    made = tuple(make_metric(metric) if isinstance(metric, str) else metric for metric in metrics)
    return StringScorer(made, ignore) if made else None


@dataclass
class StringTotals:
    """Collects the words of all pairs: some metrics weigh n-grams by the references of the whole test set."""

    scorer: StringScorer
    _outcomes: list[Strings | None] = field(default_factory=list)

    def add(self, strings: Strings | None) -> None:
        """Takes in one pair; nothing where it has no reference."""
        self._outcomes.append(strings)

    @property
    def _pairs(self) -> list[Strings]:
        return [strings for strings in self._outcomes if strings is not None]

    def state(self) -> dict[str, Any]:
        """All of it in plain values, for JSON."""
        metrics = [metric.name for metric in self.scorer.metrics]
        scorer = {"metrics": metrics, "ignore": sorted(self.scorer.ignore), "normalize": self.scorer.normalize}
        return {"scorer": scorer, "strings": self._outcomes}

    def add_states(self, strings: Iterable[Any]) -> None:
        """Takes in some pairs from those values."""
        for one in strings:
            if one is not None:
                oracle, one_best, references = one
                self.add(Strings(tuple(oracle), tuple(one_best), tuple(map(tuple, references))))

    def asdict(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The corpus values, for JSON: by metric, of the oracles and of the 1-bests."""
        pairs = self._pairs
        references = [list(pair.references) for pair in pairs]
        number = references_each(references)
        found = {}
        for metric in self.scorer.metrics:
            signature = str(self.scorer.signed(metric.signature_for(number)))
            found[metric.name] = {
                side: {
                    "score": metric.corpus([getattr(pair, side) for pair in pairs], references).score,
                    "signature": signature,
                }
                for side in SIDES
            }
        return found
