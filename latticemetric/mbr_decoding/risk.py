"""MBR by exact risk: find the candidate string with the fewest expected word errors under the whole lattice.

`word_mbr` minimises an upper bound of the expected number of errors. This module computes the exact expected number
(by `expected`) for the answer of `word_mbr` and for other candidates, and returns the best of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.frozen import Result
from latticemetric.graph import Graph
from latticemetric.lattice.columns import Column, Weights
from latticemetric.lattice.lattice import Lattice
from latticemetric.mbr_decoding.settings import ByExactErrors
from latticemetric.mbr_decoding.word import TIE, AlignedHypothesis, Aligner, search_words
from latticemetric.metrics.pairs import error_counts
from latticemetric.posterior.best import Times, pairs_of
from latticemetric.posterior.expected import Expected, expected
from latticemetric.posterior.posteriors import posteriors
from latticemetric.vocabulary import EPSILON

_String = tuple[str, ...]
_Numbers = npt.NDArray[np.integer[Any]]


class RiskOfString(NamedTuple):
    """A string and the expected number of its word errors.

    Attributes:
        words: The words.
        risk: The expected edit distance between the words and a path; an estimate if not `exact`.
        low: A proven lower bound of the risk.
        high: A proven upper bound of the risk.
        exact: True if the risk is exact, except for rounding.
    """

    words: tuple[str, ...]
    risk: float
    low: float
    high: float
    exact: bool


@dataclass(frozen=True, repr=False)
class RiskMBR(Result):
    """The candidate string with the fewest expected word errors under a whole lattice.

    Attributes:
        words: The words.
        risk: The expected number of word errors of `words`: the mean edit distance from a path. An estimate if
            `low` and `high` differ.
        low: A proven lower bound of the risk.
        high: A proven upper bound of the risk.
        exact: True if all risks are exact (up to rounding), so that no candidate is better. If False, `words` are
            certainly no worse than `word_mbr`, but another candidate may be better.
        expected_words: The mean number of words of a path.
        confidences: The probability of each word, by the alignment of word MBR.
        one_best: The model's best path, and its risk.
        word_mbr: The words that word MBR finds without exact risks (`risk="bound"`), and their risk.
        bound: The upper bound of the risk of `word_mbr`, as word MBR reports it.
        ranked: The candidates whose risk was computed, best first.
        candidates: The number of candidates. Candidates that are not in `ranked` are certainly no better than `words`.
        times: Mean begin and end of each word, by the same alignment, in seconds; `None` if the lattice has no times.
    """

    words: tuple[str, ...]
    risk: float
    low: float
    high: float
    exact: bool
    expected_words: float
    confidences: tuple[float, ...]
    one_best: RiskOfString
    word_mbr: RiskOfString
    bound: float
    ranked: tuple[RiskOfString, ...]
    candidates: int
    times: Times | None = None

    @property
    def improvement(self) -> float:
        """The risk of `word_mbr` minus the risk of `words`, never below 0; an estimate if not `exact`."""
        return self.word_mbr.risk - self.risk

    @property
    def expected_wer(self) -> float | None:
        """The expected errors divided by the expected words; `None` if no path has words."""
        return self.risk / self.expected_words if self.expected_words > 0 else None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON, without the ranking.

        Fields:
            one_best (str): The words of the model's own best path.
            one_best_risk (float): The risk of the model's own best path.
            word_mbr (str): The answer by the upper bound (without `--risk exact`).
            word_mbr_risk (float): The exact risk of `word_mbr`.
            word_mbr_bound (float): The upper bound of this risk, which is `risk` without `--risk exact`.
        """
        return {
            "hypothesis": " ".join(self.words),
            **{name: getattr(self, name) for name in ("risk", "low", "high", "exact")},
            "expected_words": self.expected_words,
            "expected_wer": self.expected_wer,
            "confidences": list(self.confidences),
            "times": pairs_of(self.times),
            "one_best": " ".join(self.one_best.words),
            "one_best_risk": self.one_best.risk,
            "word_mbr": " ".join(self.word_mbr.words),
            "word_mbr_risk": self.word_mbr.risk,
            "word_mbr_bound": self.bound,
            "improvement": self.improvement,
            "candidates": self.candidates,
        }


def risk_mbr(graph: Graph, by: ByExactErrors, weights: Weights | None = None) -> RiskMBR:
    """Decode for minimum Bayes risk under word error rate, by exact risks of candidates.

    Candidates are, in this order, the answer of `word_mbr`, the 1-best, the best strings of the lattice, and the best
    strings of its confusion network. Of candidates with equal risks (up to 1e-9), the 1-best wins, then the first.

    Args:
        graph: A lattice, or an n-best list.
        by: The settings.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.

    Examples:
        >>> lattice = Lattice.from_strings(["c a b", "b c", "b a c"], costs=[0.0, 0.1, 0.2])
        >>> best = risk_mbr(lattice, ByExactErrors())
        >>> best.words, round(best.risk, 4), best.exact
        (('b', 'a', 'c'), 1.0666, True)
        >>> best.word_mbr.words, round(best.word_mbr.risk, 4), round(best.improvement, 4)
        (('c', 'a', 'b'), 1.5979, 0.5313)
    """
    aligner = Aligner.of(graph, by.posterior_scale, weights)
    lattice = aligner.lattice
    one_best, best, _ = search_words(aligner)
    expected_words = posteriors(lattice, posterior_scale=by.posterior_scale, weights=weights).expected(
        lattice.is_word()
    )

    def risk_of(words: _String) -> tuple[RiskOfString, Expected | None]:
        if not words:
            # Every word of a path is an error. `expected` would return no rate, since there are no reference words.
            return RiskOfString(words, expected_words, expected_words, expected_words, exact=True), None
        options: dict[str, Any] = {
            "posterior_scale": by.posterior_scale,
            "weights": weights,
            "most_states": by.most_states,
        }
        return _risk(expected(lattice, [words], "wer", distribution=words == best.words, **options), words)

    numbers = _candidates(aligner, one_best, best, by.candidates)
    risks = _risks(list(numbers), {one_best.words}, risk_of)
    found, of_word_mbr = list(risks.values()), risks[best.words]
    chosen = least_risk(found, risks[one_best.words], of_word_mbr)
    others = sorted((one for one in found if one is not chosen), key=lambda one: one.high)
    aligned = aligner.aligned(numbers[chosen.words])
    return RiskMBR(
        *chosen._replace(exact=all(one.exact for one in found)),
        expected_words=expected_words,
        confidences=aligned.confidences,
        one_best=risks[one_best.words],
        word_mbr=of_word_mbr,
        bound=best.risk,
        ranked=(chosen, *others),
        candidates=len(numbers),
        times=aligned.times,
    )


def least_risk(found: Sequence[RiskOfString], one_best: RiskOfString, of_word_mbr: RiskOfString) -> RiskOfString:
    """Return the candidate with the least risk; of those that are equal up to `TIE`, the 1-best, else the first.

    No candidate is better than the answer of word MBR unless its whole interval is.
    """
    safe = [one for one in found if one is of_word_mbr or one.high <= of_word_mbr.low + TIE]
    least = min(one.high for one in safe)
    tied = [one for one in safe if one.high <= least + TIE]
    return one_best if any(one is one_best for one in tied) else tied[0]


def _risk(found: Expected, words: _String) -> tuple[RiskOfString, Expected]:
    assert found.numerator is not None
    assert found.low is not None
    assert found.high is not None
    ends = (found.numerator,) * 2 if found.exact else (found.low * len(words), found.high * len(words))
    return RiskOfString(words, found.numerator, *ends, exact=found.exact), found


def _candidates(
    aligner: Aligner, one_best: AlignedHypothesis, best: AlignedHypothesis, count: int
) -> dict[_String, _Numbers]:
    """Return the distinct candidates and their word numbers.

    They are the answer of word MBR, the 1-best, the `count` best strings of the lattice, and the `count` best strings
    of its network.
    """
    found: dict[_String, _Numbers] = {}

    def add(lattice: Lattice, words: _Numbers) -> None:
        numbers = words[words != EPSILON]
        found.setdefault(tuple(lattice.vocabulary.decode(numbers)), numbers)

    for hypothesis in (best, one_best):
        add(aligner.lattice, hypothesis.numbers[hypothesis.positions])
    network = _network(best)
    for lattice, cost in ((aligner.lattice, aligner.cost), (network, network.cost())):
        for path in lattice.n_best(count, cost):
            add(lattice, lattice.word[path])
    return found


def _network(best: AlignedHypothesis) -> Lattice:
    """Return the confusion network of aligned words, with all alternatives, as a lattice."""
    probable = np.flatnonzero(best.mass > 0)
    place = best.place[probable]
    cost = Column(-np.log(best.mass[probable]), np.zeros(1))
    return Lattice.from_arcs(
        place,
        place + 1,
        best.numbers[best.word[probable]],
        final=[len(best.positions)],
        scores={"posterior": cost},
        vocabulary=best.lattice.vocabulary,
    )


def _risks(
    candidates: list[_String],
    needed: Collection[_String],
    risk_of: Callable[[_String], tuple[RiskOfString, Expected | None]],
) -> dict[_String, RiskOfString]:
    """Return the risks of the first candidate, the candidates in `needed`, and others that may have the least risk.

    The risks are in the order of `candidates`.
    """
    first, *rest = candidates
    known, found = risk_of(first)
    risks, least = {first: known}, known.high
    distances = error_counts(rest, [first])[0].tolist() if rest else []
    for words, distance in zip(rest, distances, strict=True):
        if words in needed or _least_risk(distance, known, found) <= least + TIE:
            risks[words], _ = risk_of(words)
            least = min(least, risks[words].high)
    return risks


def _least_risk(distance: int, known: RiskOfString, found: Expected | None) -> float:
    """Return a lower bound of a string's risk, from its distance to a string with a known risk.

    By the triangle inequality, a path at distance k from the known string is at least abs(distance − k) away from the
    other string.
    """
    if found is None or found.distribution is None:
        return max(distance - known.high, known.low - distance)
    return math.fsum(probability * abs(distance - errors) for errors, probability in found.distribution.items())
