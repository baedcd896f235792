"""Combine the outputs of several systems: align them as one confusion network, vote, and find oracles."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any, Literal, TypeVar

import numpy as np

from latticemetric.arguments import is_missing, real_number, require_items, require_numbers
from latticemetric.cached import cached_property
from latticemetric.errors import UsageError, placed, shortened
from latticemetric.frozen import Frozen, Result
from latticemetric.graph import Graph
from latticemetric.lattice.columns import FeatureWeights, Weights
from latticemetric.lattice.lattice import Lattice
from latticemetric.likeness import which_of
from latticemetric.mbr_decoding.median import CombinedMBR, WeightedOutput, least_risk
from latticemetric.mbr_decoding.slotted_output import Numbers, SlottedOutput, align_outputs
from latticemetric.mbr_decoding.votes import VOTES, Vote, VoteScheme, WordTable
from latticemetric.posterior.best import Times, pairs_of
from latticemetric.renamed import says_new_keywords

_Scheme = TypeVar("_Scheme", bound=str)
Scheme = VoteScheme | Literal["mbr"]
SystemWeights = Mapping[str, float] | Sequence[float]

SCHEMES: tuple[Scheme, ...] = (*VOTES, "mbr")
MOST_SUBSETS = 5
"""The largest number of systems for which `Combination.subsets` yields all subsets."""


@dataclass(frozen=True, eq=False, repr=False)
class Combination(Result, Frozen):
    """One confusion network of the outputs of several systems.

    Attributes:
        systems: The names of the systems.
        slots: For each column and each system, the number of the system's slot; −1 if the system has no slot in the
            column.
        outputs: The output of each system.
        cost: The cost of the alignment: the sum, over columns and pairs of systems, of the probability that the words
            of the two systems differ.
        bound: A lower bound of the cost: the sum of the edit distances of all pairs of systems. `None` if an output is
            not a string.
        system_weights: The weight of each system.
        null: With the schemes `sum` and `votes`, the factor of the votes for "no word"; with `average` and `maximum`,
            the confidence of "no word".
        scheme: How the words are chosen (see `combine`).
        count_share: With `average` and `maximum`, the weight of the share of votes; confidences have the weight
            1 − `count_share`.
        posterior_scale: Factor of the costs of graphs.
        weights: Weight of each score column of graphs.
    """

    systems: tuple[str, ...]
    slots: Numbers
    outputs: tuple[SlottedOutput, ...]
    cost: float
    bound: float | None
    system_weights: tuple[float, ...]
    null: float
    scheme: Scheme
    count_share: float
    posterior_scale: float = 1.0
    weights: Weights | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The combined words: those that win the vote or, with the scheme `mbr`, those with the least risk."""
        return self.best.words if self.least_risk is None else self.least_risk.words

    @property
    def confidences(self) -> tuple[float, ...]:
        """The share of the votes for each word or, with the scheme `mbr`, its probability."""
        return self.best.confidences if self.least_risk is None else self.least_risk.confidences

    @cached_property
    def best(self) -> Vote:
        """The vote with this combination's weights, null and scheme; `sum` if the scheme is `mbr`."""
        return self.vote()

    @cached_property
    def least_risk(self) -> CombinedMBR | None:
        """With the scheme `mbr`, the text with the least risk (see `mbr`); `None` with other schemes."""
        return self.mbr() if self.scheme == "mbr" else None

    @property
    def times(self) -> Times | None:
        """Mean begin and end of each word, over the systems that have the word and its times.

        If no system has both, the times come from other systems in the column, or are interpolated. `None` if no system
        has times, or if there are no words. With the scheme `mbr`, also if a system has words without times.
        """
        return self._table.mean_times(self.best) if self.least_risk is None else self.least_risk.times

    @says_new_keywords
    def vote(
        self,
        system_weights: SystemWeights | None = None,
        *,
        null: float | None = None,
        scheme: VoteScheme | None = None,
        count_share: float | None = None,
    ) -> Vote:
        """Vote in each column. Parameters that are not given keep their values from `combine` (`sum` if it is `mbr`).

        Ties: a word wins against "no word". Among several words, the word whose letters are most similar to the best
        words of all systems in the column wins; then the word of the system that differs least from other systems.
        """
        share = self.count_share if count_share is None else _checked_share(count_share)
        used = np.array(
            self.system_weights if system_weights is None else _checked_weights(system_weights, self.systems)
        )
        own: VoteScheme = "sum" if self.scheme == "mbr" else self.scheme
        rule = own if scheme is None else _checked_scheme(scheme, VOTES)
        return self._table.vote(used, _checked_null(self.null if null is None else null), rule, share)

    @says_new_keywords
    def words_under(self, system_weights: SystemWeights) -> tuple[str, ...]:
        """Return the combined words with other weights of the systems."""
        return self.mbr(system_weights).words if self.scheme == "mbr" else self.vote(system_weights).words

    def part(self, first: int, end: int) -> Combination:
        """Return the columns from `first` up to, but not including, `end`, as a combination of the same systems."""
        kept = self.slots[first:end]
        outputs, moved = [], kept.copy()
        for s, output in enumerate(self.outputs):
            own = kept[:, s]
            low = int(own[own >= 0].min(initial=len(output.first) - 1))
            high = max(low, int(own.max(initial=-1)) + 1)
            begin, stop = (int(output.first[slot]) for slot in (low, high))
            words, sure = output.words[begin:stop], output.probabilities[begin:stop]
            outputs.append(
                SlottedOutput(words, sure, output.first[low : high + 1] - begin, output.times[low:high], None)
            )
            moved[:, s] = np.where(own >= 0, own - low, -1)
        rest = (self.system_weights, self.null, self.scheme, self.count_share, self.posterior_scale, self.weights)
        return Combination(self.systems, moved, tuple(outputs), math.nan, None, *rest)

    @says_new_keywords
    def to_lattice(self, systems: Sequence[str] | None = None) -> Lattice:
        """Return the network as a lattice with the column `votes`: −log of a word's share of the systems' weights.

        If all of these weights are 0, they count as equal.

        Args:
            systems: The names of the systems to use; all by default.
        """
        chosen = range(len(self.systems)) if systems is None else [_number_of(name, self.systems) for name in systems]
        return self._table.lattice(np.array(self.system_weights), list(chosen))

    @says_new_keywords
    def oracle(self, reference: Any, systems: Sequence[str] | None = None, metric: Any = "wer") -> Any:
        """Return the oracle of the network. In each column, the oracle takes the word of one system, or no word.

        Args:
            reference: One reference, or several.
            systems: The names of the systems to use; all by default.
            metric: A recognition rate.
        """
        from latticemetric.oracle_search.oracle import oracle

        return oracle(self.to_lattice(systems), reference, metric)

    def subsets(self) -> Iterator[tuple[str, ...]]:
        """Yield the subsets of systems for `oracles`.

        With up to five systems, these are all subsets; with more, the single systems and the set of all systems.
        """
        count = len(self.systems)
        sizes = range(1, count + 1) if count <= MOST_SUBSETS else (1, count)
        return chain.from_iterable(combinations(self.systems, size) for size in sizes)

    @says_new_keywords
    def oracles(self, reference: Any, metric: Any = "wer") -> dict[tuple[str, ...], Any]:
        """Return the oracle of each subset of the systems."""
        return {systems: self.oracle(reference, systems, metric) for systems in self.subsets()}

    @says_new_keywords
    def mbr(self, system_weights: SystemWeights | None = None) -> CombinedMBR:
        """Return the words with the least expected number of word errors under the distributions of all systems.

        The distribution of a system has the weight of the system. Local searches start from the vote and from the words
        of systems, and change words while the risk falls. No system has words with a smaller risk. If each output is
        one text, risks are exact, and a further search finds the optimum of few short texts, and proves it: see
        `is_optimal` of the result. If the output of a system is a graph, the search uses all of its paths, not its
        confusion network. `one_best` of the result has the words of the vote.

        Args:
            system_weights: The weight of each system; by default, that of the combination.
        """
        used = self.system_weights if system_weights is None else _checked_weights(system_weights, self.systems)
        outputs = [
            WeightedOutput(output.as_graph(), output.best_words, output.is_string, weight)
            for output, weight in zip(self.outputs, used, strict=True)
        ]
        return least_risk(outputs, self.vote(used).words, self.posterior_scale, self.weights)

    def agreement(self) -> dict[str, dict[str, int]]:
        """Count the winning words of each system in the vote.

        `words` is the number of these words; `alone` is the number of winning words that only this system has.
        """
        return self._table.agreement(self.systems, self.best)

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            columns (int): Number of columns.
            agreement (Mapping): For each system, the number of `words` of the hypothesis that the system has in the
                same column, and of those that only this system has (`alone`); with `--scheme mbr`, of the vote by
                `sum`.
            risk (float): With `--scheme mbr`: the expected number of word errors; an upper bound if an output is a
                large graph.
            risk_bound (float | None): With `--scheme mbr`: no text has a smaller risk; `None` if an output is a graph.
        """
        values = {
            "hypothesis": " ".join(self.words),
            "confidences": list(self.confidences),
            "times": pairs_of(self.times),
            "cost": self.cost,
            "bound": self.bound,
            "columns": len(self.slots),
            "agreement": self.agreement(),
        }
        if self.least_risk is not None:
            values |= {"risk": self.least_risk.risk, "risk_bound": self.least_risk.bound}
        return values

    @cached_property
    def _table(self) -> WordTable:
        return WordTable(self.outputs, self.slots)


@np.errstate(under="ignore")  # tiny probabilities are 0, also for users who let NumPy raise errors
@says_new_keywords
def combine(
    outputs: Mapping[str, Graph | str | Sequence[str]] | Sequence[Graph | str | Sequence[str]],
    *,
    system_weights: SystemWeights | None = None,
    null: float = 1.0,
    scheme: Scheme = "sum",
    count_share: float = 0.5,
    time_mediated: bool = False,
    posterior_scale: float = 1.0,
    weights: Weights | None = None,
) -> Combination:
    """Combine the outputs of several systems for one utterance of any length.

    Args:
        outputs: The output of each system, by name: a text, its words, a lattice or an n-best list. A CTM, read as a
            lattice, keeps its times and confidences. Without names, systems are named 1, 2, …
        system_weights: The weight of each system; all 1 by default.
        null: With the schemes `sum` and `votes`, the factor of the votes for "no word"; with `average` and `maximum`,
            the confidence of "no word".
        scheme: The score of a word; the word with the largest score wins. `sum` adds the confidences (for graphs:
            posteriors) that the systems give to the word, times the weights of the systems. `votes` adds the weights
            of the systems that have the word as their best. `average` and `maximum` are ROVER's: `count_share` · share
            of votes + (1 − `count_share`) · mean (or largest) confidence. `mbr` does not vote, but finds the words with
            the least expected errors (see `Combination.mbr`).
        count_share: See `scheme`.
        time_mediated: True to find columns by words and times: two words in a column also cost the seconds between
            their begins plus those between their ends, but at most one error. By default, times decide only between
            alignments of nearly the same cost. Words without times are aligned by words alone.
        posterior_scale: Factor of the costs of graphs, before they become probabilities; below 1, it flattens
            distributions.
        weights: Weight of each score column of graphs in the model's cost.

    Examples:
        >>> found = combine(["a b c", "a x c d", "a b d"])
        >>> found.words, [round(confidence, 3) for confidence in found.confidences]
        (('a', 'b', 'd'), [1.0, 0.667, 0.667])
        >>> found.cost, found.bound
        (6.0, 5.0)
        >>> found.oracle("a c d").words
        ('a', 'c', 'd')
    """
    if isinstance(outputs, str):
        raise UsageError("a single text is given as the outputs of several systems", advice="give a list of texts")
    if not isinstance(outputs, Mapping):
        require_items(outputs, "outputs")
    named = dict(outputs) if isinstance(outputs, Mapping) else {str(k): one for k, one in enumerate(outputs, start=1)}
    if not named:
        raise UsageError("there are no systems", advice="give at least one output")
    share = _checked_share(count_share)
    rule, systems = _checked_scheme(scheme, SCHEMES), tuple(named)
    used = _checked_weights(system_weights, systems)
    read = tuple([_output_of(name, given, posterior_scale, weights) for name, given in named.items()])
    known = {name for output in read if output.graph is not None for name in output.graph.scores}
    if not isinstance(weights, FeatureWeights) and (unknown := sorted(set(weights or {}) - known)):
        advice = which_of(unknown[0], sorted(known)) if known else "leave weights out"
        raise UsageError(f"no system has a score column '{unknown[0]}'", advice=advice)
    if time_mediated and all(len(output.times) and np.isnan(output.times).all() for output in read):
        what = "columns are to be mediated by time, but no system has times"
        raise UsageError(what, advice="give outputs with times, such as CTMs")
    slots, cost, bound = align_outputs(read, time_mediated=time_mediated)
    if bound is None:  # the search rounds probabilities
        cost = WordTable(read, slots).cost()
    model = (posterior_scale, weights)
    return Combination(systems, slots, read, cost, bound, used, _checked_null(null), rule, share, *model)


def _output_of(system: str, given: Any, posterior_scale: float, weights: Weights | None) -> SlottedOutput:
    with placed(f"the output of {shortened(system)}"):
        if is_missing(given):
            raise UsageError("it is missing", advice="give a text; an empty string has no words")
        return SlottedOutput.of(given, posterior_scale, weights)


# ---- Options ----

_WRONG_WEIGHTS, _RIGHT_WEIGHTS = "the weights of systems are not valid", "give numbers ≥ 0, and not all 0"


def _number_of(name: str, systems: Sequence[str]) -> int:
    if name not in systems:
        raise UsageError(f"there is no system '{name}'", advice=which_of(name, systems))
    return systems.index(name)


def _checked_weights(system_weights: SystemWeights | None, systems: Sequence[str]) -> tuple[float, ...]:
    if system_weights is None:
        return (1.0,) * len(systems)
    if isinstance(system_weights, Mapping):
        given = [1.0] * len(systems)
        for name, weight in system_weights.items():
            given[_number_of(name, systems)] = _checked_weight(weight)
    else:
        require_numbers(system_weights, "system_weights")
        given = list(map(_checked_weight, system_weights))
        if len(given) != len(systems):
            raise UsageError(
                f"there are {len(systems)} systems, but {len(given)} weights", advice="give one per system"
            )
    if not any(given):
        raise UsageError(_WRONG_WEIGHTS, advice=_RIGHT_WEIGHTS)
    return tuple(given)


def _checked_weight(weight: object) -> float:
    return float(real_number(weight, _WRONG_WEIGHTS, _RIGHT_WEIGHTS, most=sys.float_info.max))


def _checked_scheme(scheme: _Scheme, schemes: Sequence[_Scheme]) -> _Scheme:
    if scheme not in schemes:
        raise UsageError(f"there is no scheme '{scheme}'", advice=which_of(scheme, schemes))
    return scheme


def _checked_null(null: float) -> float:
    return float(real_number(null, f"null is {null!r}", "give a number ≥ 0", most=sys.float_info.max))


def _checked_share(share: float) -> float:
    return float(real_number(share, f"count_share is {share!r}", "give a number from 0 to 1", most=1))
