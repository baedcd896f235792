"""The settings of minimum Bayes risk decoding: one class for each way to decide. Nothing here imports NumPy.

>>> ByNgrams(p=0.74, r=0.62)
ByNgrams(p=0.74, r=0.62)
>>> decided_by("bleu", {"order": 2})
Traceback (most recent call last):
latticemetric.errors.UsageError: MBR by bleu has no setting 'order'; its settings are posterior_scale, beam, \
determinize, samples, seed, evidence_weights, pruning_confidence
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from latticemetric.arguments import MOST_STRINGS
from latticemetric.errors import UsageError
from latticemetric.renamed import refuse_old_keyword, unknown_name
from latticemetric.settings import (
    BEAM,
    POSTERIOR_SCALE,
    SAMPLES,
    SEED,
    Settings,
    choice,
    flag,
    given,
    like,
    number,
    whole,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    from latticemetric.mbr_decoding.utility import Range, Utility
    from latticemetric.metrics.base import Metric
    from latticemetric.posterior.posteriors import NgramPosteriors

EvidenceWeights: TypeAlias = "Literal['probabilities', 'counts'] | npt.ArrayLike"
"""Weights of the entries of an n-best list as evidence: their probabilities, 1 for each (`counts`), or your numbers."""

_HIGHEST_ORDER = 254


class Decision(Settings):
    """The settings that all ways to decide share.

    Attributes:
        posterior_scale: Factor of the costs, before they become probabilities; below 1, it makes the distribution
            flatter.
        beam: Drop paths that cost more than the best cost plus `beam`. Costs are compared before `posterior_scale` is
            applied.
        determinize: As in HiFST, give a string the probability of its best path, not of all its paths.
    """

    section = "Decision"
    takes: ClassVar[frozenset[str]] = frozenset()
    """Names of further inputs and outputs that a decision supports: `evidence`, `hypotheses`, `gains`."""

    posterior_scale: float = like(POSTERIOR_SCALE, several=True, option="--posterior-scale NUMBERS")
    beam: float | None = like(BEAM)
    determinize: bool = flag(
        default=False, option="--determinize", help="Determinize first: keep only the best path of each string."
    )

    @property
    def named(self) -> str:
        """The name of this way to decide, for errors."""
        return _NAMES[type(self)]


class ByNgrams(Decision):
    """Decide by n-grams: the largest expected gain (Tromble et al. 2008, section 4).

    A word has the gain θ₀ = −1/T − word_penalty. Each occurrence of an n-gram has the gain θₙ · posterior, with
    θₙ = 1 / (order · T · p · rⁿ⁻¹).

    Attributes:
        p: Average precision of unigrams.
        r: Precision of each order, divided by the precision of the order before.
        T: Length (in words) of the hypothesis at which log BLEU is linearised. Without a word penalty, T does not
            change which string has the largest gain.
        word_penalty: An additional cost of each word.
        order: The length of the longest n-grams.
        most_items: The largest number of partial strings that the search of a forest compares. If it needs more, the
            result is the best string that it found, with an upper bound of all gains. Other graphs have no limit.
        seconds: The same limit as a time. By default there is none: results then are the same on every machine.
    """

    section = "By n-grams (--by ngram)"
    takes = frozenset({"evidence", "gains"})

    p: float = number(
        default=0.85,
        above=0,
        several=True,
        phrase="p is {}",
        option="-p --precision NUMBERS",
        help="Assumed average precision of unigrams.",
    )
    r: float = number(
        default=0.72,
        above=0,
        several=True,
        phrase="r is {}",
        option="--ratio NUMBERS",
        help="Assumed ratio of the precision of n-grams to that of (n−1)-grams.",
    )
    T: float = number(
        default=10.0,
        above=0,
        several=True,
        phrase="T is {}",
        option="-T --length NUMBERS",
        help="Assumed number of words per sentence; changes the answers only if --word-penalty is not 0.",
    )
    word_penalty: float = number(
        default=0.0,
        several=True,
        option="--word-penalty NUMBERS",
        help="Additional cost of each word; negative: a bonus.",
    )
    order: int = whole(
        default=4,
        most=_HIGHEST_ORDER,
        phrase="order {} is not possible for n-grams",
        option="--order N",
        help="Length of the longest n-grams; the gain of an n-gram of length n is its posterior/(N·T·p·rⁿ⁻¹).",
    )

    most_items: int = whole(
        default=20_000_000,
        phrase="the search is limited to {} partial strings",
        option="--most-items N",
        help="Limit on partial strings in the search of a forest; above it, the gain is an interval.",
    )
    seconds: float | None = number(
        default=None,
        least=0,
        phrase="the search is limited to {} seconds",
        option="--seconds N",
        help="Time limit of the search of a forest; above it, the gain is an interval.",
    )

    def check(self) -> None:
        """Raise `UsageError` if the gains are infinite."""
        if not math.isfinite(sum(self.factors)):
            raise UsageError(
                f"T = {self.T}, p = {self.p}, r = {self.r} at order {self.order} give infinite gains",
                advice="choose larger values",
            )

    @property
    def of_word(self) -> float:
        """The gain of a word: θ₀, which includes the word penalty."""
        return -1 / self.T - self.word_penalty

    @property
    def factors(self) -> list[float]:
        """The gains of n-grams: θ₁, θ₂, … up to `order`."""
        try:
            return [1 / (self.order * self.T * self.p * self.r**n) for n in range(self.order)]
        except (OverflowError, ZeroDivisionError):
            return [math.inf]

    def of_string(self, words: Sequence[str], posteriors: NgramPosteriors) -> float:
        """Return the gain of a string with these n-gram posteriors."""
        factor, rows = [0.0, *self.factors], posteriors.rows_in(words)
        lengths, probable = posteriors.lengths[rows].tolist(), posteriors.posterior[rows].tolist()
        gains = [factor[length] * posterior for length, posterior in zip(lengths, probable, strict=True)]
        return math.fsum([self.of_word * len(words), *gains])


class ByWordErrors(Decision):
    """Decide by word errors: the least upper bound of the expected edit distance, as Kaldi does."""


class ByExactErrors(Decision):
    """Decide by word errors: of several candidates, the one with the least expected edit distance.

    Attributes:
        candidates: Number of strings to take from the graph; the same number is taken from its confusion network.
        most_states: The largest number of states in the search for one risk. If a search needs more, it gives only
            bounds of the risk.
    """

    section = "By word errors (--by wer)"

    candidates: int = whole(
        default=20,
        most=MOST_STRINGS,
        phrase="the number of candidates is {}",
        option="--candidates N",
        help="Number of candidates from each graph, and from its confusion network.",
    )
    most_states: int = whole(
        default=2_000_000,
        phrase="the search is limited to {} states",
        option="--most-states N",
        help="Limit on search states for an exact risk; above it, the risk is an interval.",
    )


class ByScores(Decision):
    """The settings of decisions by scores of pairs of strings: by a metric, or by scores of another program.

    Attributes:
        samples: Number of paths to sample from each graph. Default: all paths are listed (at most 10,000).
        seed: The seed of the samples, and of confidence-based pruning.
        evidence_weights: Weights of the entries of an n-best list: `probabilities`, `counts` (1 each), or numbers.
        pruning_confidence: To save time, drop strings that lose this share of resamples; see `PairPruning`.
    """

    section = "By a metric (--by 4-grr, bleu …)"
    takes = frozenset({"evidence", "hypotheses"})

    samples: int | None = like(SAMPLES)
    seed: int = like(SEED)
    evidence_weights: EvidenceWeights = choice(
        default="probabilities",
        names=("probabilities", "counts"),
        others=True,
        phrase="the weights are {}",
        option="--evidence-weights",
        help="Weights of n-best entries: their probabilities, or counts (each entry is one sample).",
    )
    pruning_confidence: float | None = number(
        default=None,
        least=0.5,  # a coin toss
        most=1,
        phrase="pruning_confidence is {}",
        option="--pruning-confidence SHARE",
        help="Score fewer pairs: drop hypotheses that lose in this share of resamples (0.5 to 1), such as 0.99; with "
        "1, drop only those that cannot win.",
    )


class ByMetric(ByScores):
    """Decide by a metric: the string with the best expected score against all strings.

    Attributes:
        metric: A metric or its name (`wrr`, `bleu`, `meteor`, …; `grr` means `4-grr`). The default is not `wer`, as of
            searches: word errors have settings of their own, `ByWordErrors`.
    """

    metric: Metric[Any] | str = given(default="4-grr")

    def check(self) -> None:
        """Replace the name of a metric by the metric."""
        vars(self)["metric"] = metric_of(self.metric)

    @property
    def named(self) -> str:
        """The name of the metric."""
        return str(getattr(self.metric, "name", self.metric))


class ByUtility(ByScores):
    """Decide by scores of another program for pairs of strings (COMET, BLEURT …).

    Attributes:
        utility: A function of texts, or a matrix or its `.npy` file; see `utility_matrix`.
        higher_is_better: False if the scores count errors.
        utility_range: The lowest and the highest possible score.
    """

    section = "By scores of another program"

    utility: Utility | None = given(default=None)
    higher_is_better: bool = flag(default=True, help="True if higher scores are better.")
    utility_range: Range | None = given(default=None)


KINDS: tuple[type[Decision], ...] = (ByNgrams, ByWordErrors, ByExactErrors, ByMetric, ByUtility)
_NAMES = {ByNgrams: "ngram", ByWordErrors: "wer", ByExactErrors: "wer, risk exact", ByUtility: "a utility"}


def decided_by(by: str | Metric[Any] | Decision, settings: Mapping[str, Any]) -> Decision:
    """Return the settings that a name (`ngram`, `wer` or a metric) and keywords mean.

    Raises:
        UsageError: A keyword is not a setting of this way to decide.
    """
    if isinstance(by, Decision):
        if settings:
            given_names = ", ".join(settings)
            raise UsageError(f"{by!r} and {given_names} are given", advice="put all settings into one object")
        return by
    if isinstance(by, type) and issubclass(by, Decision):
        raise UsageError(f"{by.__name__} is a class of settings", advice=f"give settings: {by.__name__}(…)")
    if "metric" in settings:  # a setting of some ways to decide, that `by` gives
        refuse_old_keyword("metric", ["by"])
    values = dict(settings)
    kind, name = _kind(by, values)
    for setting in values:
        if setting not in kind.fields:
            raise unknown_name(f"MBR by {name}", setting, [own for own in kind.fields if own != "metric"])
    return kind(**values)


def _kind(by: str | Metric[Any], values: dict[str, Any]) -> tuple[type[Decision], str]:
    """Return the class of settings and its name; take what chooses the class out of `values`."""
    name = by.strip().lower() if isinstance(by, str) else by
    method = name if isinstance(name, str) else ""
    if values.get("utility") is not None:
        if method != "ngram":
            raise UsageError("both a method and a utility are given", advice="give one of the two")
        utility = values["utility"]
        if not _is_metric(utility):
            return ByUtility, "a utility"
        name = values.pop("utility")
        method = name if isinstance(name, str) else ""
    if method == "ngram":
        return ByNgrams, "ngram"
    if method != "wer":
        values["metric"] = metric = metric_of(name)
        return ByMetric, metric.name
    risk = values.pop("risk", "bound")
    if risk not in BY_RISK:
        raise UsageError(f"the risk is {risk!r}", advice="choose 'bound' or 'exact'")
    return BY_RISK[risk], "wer" if risk == "bound" else "wer, risk exact"


BY_RISK: Mapping[str, type[Decision]] = {"bound": ByWordErrors, "exact": ByExactErrors}


def _is_metric(utility: Any) -> bool:
    """Check whether a utility is a metric or its name, rather than scores of another program."""
    if isinstance(utility, str):
        return not utility.endswith(".npy")
    from latticemetric.metrics.base import Metric

    return isinstance(utility, Metric)


def metric_of(name: str | Metric[Any], **parameters: Any) -> Metric[Any]:
    """Return the metric to decide by: the object itself, or the metric with this name (`grr` means `4-grr`)."""
    from latticemetric.metrics.base import Metric
    from latticemetric.metrics.registry import make_metric, which_metric

    if isinstance(name, Metric):
        return name
    try:
        metric: Metric[Any] = make_metric("4-grr" if str(name) == "grr" else str(name), **parameters)
    except UsageError as error:
        if not error.what.startswith("there is no metric"):
            raise
        raise UsageError(f"there is no MBR by '{name}'", advice=which_metric(str(name), "ngram")) from None
    return metric
