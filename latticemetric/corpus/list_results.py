"""The results of n-best lists: their oracles by k, and what corrected texts changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from latticemetric.corpus.tabled_result import TabledResult
from latticemetric.display.frames import Tabular
from latticemetric.errors import UsageError, shortened
from latticemetric.evaluation.intervals import Interval
from latticemetric.frozen import Result
from latticemetric.likeness import which_of
from latticemetric.metrics.recognition_statistics import RecognitionStatistics

SYSTEMS = {
    "one_best": "1-best",
    "corrected": "corrected",
    "oracle": "best hypotheses (o_nb)",
    "compositional": "words of the lists (o_cp)",
}
"""The names of the rows of `Corrections` in tables."""


@dataclass(frozen=True)
class Edits:
    """The numbers of edits of corrected texts, by their effect on the number of errors.

    Attributes:
        helpful: Edits that remove errors.
        harmful: Edits that add errors.
        neutral: Changed utterances with the same number of errors; `None` in counts of words.
        missed: Reference words that are wrong before and after; `None` in counts of utterances.
        unchanged: Unchanged utterances; `None` in counts of words.
    """

    helpful: int
    harmful: int
    neutral: int | None = None
    missed: int | None = None
    unchanged: int | None = None

    @property
    def harmful_rate(self) -> float | None:
        """The harmful edit rate: harmful / (helpful + harmful) edits; `None` if there are none."""
        return self.harmful / total if (total := self.helpful + self.harmful) else None


@dataclass(frozen=True)
class Hallucinations:
    """The numbers of wrong words in corrected texts, by their source.

    If k is the largest number of copies of a word in one hypothesis, the list supports k copies of this word in the
    corrected text. Wrong copies beyond these k are hallucinated.

    Attributes:
        words: All words of the corrected texts.
        novel: Hallucinated words that are in no hypothesis.
        repeated: Hallucinated words that are in a hypothesis: the corrected text has more copies of them than any
            hypothesis.
        passed_through: Wrong words that the list supports: errors kept from the recogniser.
        generative: Correct words that are in no hypothesis of the list.
    """

    words: int
    novel: int
    repeated: int
    passed_through: int
    generative: int

    @property
    def rate(self) -> float:
        """The share of hallucinated words; 0 if there are no words."""
        return (self.novel + self.repeated) / self.words if self.words else 0.0


@dataclass(frozen=True, repr=False)
class Corrections(Result, Tabular):
    """Corrected texts, compared with the 1-bests and the oracles of their n-best lists.

    Attributes:
        one_best: The errors of the first hypotheses.
        corrected: The errors of the corrected texts.
        oracle: The errors of the best hypotheses, one per list (o_nb).
        compositional: The number of reference words that are in no hypothesis of their list (o_cp): the fewest errors
            of texts that use only words of their list.
        reference_words: The number of reference words.
        utterances: Helpful and harmful edits, counted as utterances.
        words: Helpful and harmful edits, counted as reference words and inserted words.
        hallucinations: Wrong words, by their source.
    """

    one_best: int
    corrected: int
    oracle: int
    compositional: int
    reference_words: int
    utterances: Edits
    words: Edits
    hallucinations: Hallucinations

    @property
    def recovered(self) -> float | None:
        """The recoverable information ratio (RIR) of the errors: (1-best − corrected) / (1-best − oracle).

        It is negative if the corrections add errors, above 1 if they beat every hypothesis, and `None` if the oracle is
        not better than the 1-best.
        """
        headroom = self.one_best - self.oracle
        return (self.one_best - self.corrected) / headroom if headroom else None

    def rate(self, errors: int) -> float | None:
        """Return a number of errors as a word error rate."""
        return errors / self.reference_words if self.reference_words else None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            one_best (Rate): `wer` (number or null) and `errors` (integer) of the 1-bests.
            corrected (Rate): The same for the corrected texts.
            oracle (Rate): The same for the best hypotheses (o_nb).
            compositional (Rate): The same for the best texts made of any words of the list (o_cp).
            utterances (Edits): `helpful`, `harmful`, `neutral`, `unchanged` utterances, `missed` (null), and
                `harmful_rate` (number or null).
            words (Edits): `helpful`, `harmful` and `missed` words, `neutral` and `unchanged` (null), and
                `harmful_rate`.
            hallucinations (Hallucinations): `words` of the corrected texts; `novel`, `repeated`, `passed_through` and
                `generative` ones; `rate`.
        """
        rates = {name: self.rate(getattr(self, name)) for name in SYSTEMS}
        return {
            **{name: {"wer": rate, "errors": getattr(self, name)} for name, rate in rates.items()},
            "reference_words": self.reference_words,
            "recovered": self.recovered,
            "utterances": {**vars(self.utterances), "harmful_rate": self.utterances.harmful_rate},
            "words": {**vars(self.words), "harmful_rate": self.words.harmful_rate},
            "hallucinations": {**vars(self.hallucinations), "rate": self.hallucinations.rate},
        }

    def to_records(self) -> list[dict[str, Any]]:
        """Return one record per system: 1-best, corrected texts and oracles."""
        return [
            {"system": name, "errors": getattr(self, name), "wer": self.rate(getattr(self, name))} for name in SYSTEMS
        ]


@dataclass(frozen=True)
class Point:
    """The oracle of the first k hypotheses: the best of them in each list.

    Attributes:
        k: The number of hypotheses; a shorter list uses all of its hypotheses.
        score: The value of the metric over all lists; `None` if the references have no words.
        numerator: The numerator of this value.
        denominator: The denominator of this value.
        statistics: The summed counts.
        interval: The percentile interval over resampled lists; all points use the same resamples.
        recoverable: The share of the errors of 1-bests that the oracle avoids; `None` if 1-bests have no errors.
        distinct: The mean number of distinct hypotheses among the first k.
    """

    k: int
    score: float | None
    numerator: int | float
    denominator: int | float
    statistics: RecognitionStatistics
    interval: Interval | None
    recoverable: float | None
    distinct: float


@dataclass(frozen=True, repr=False)
class OracleAtK(TabledResult):
    """The oracle of the first k hypotheses, for several k.

    Attributes:
        points: The oracle at each k, in ascending order.
        ranks: The numbers of lists whose best hypothesis (ties: the first) has rank 1, rank 2, and so on.
        compositional: Number of reference words that are in no hypothesis of their list (o_cp): the errors of the best
            text that uses only words of its list. `None` with several references.
        lists: The number of lists.
        signature: The metric, its parameters and the version.
        corrections: The scores of corrected texts; `None` (in JSON, missing) if there are none.
        seed: The seed of the resamples.
    """

    _table_name = "lists.ListTable"

    points: tuple[Point, ...]
    ranks: tuple[int, ...]
    compositional: int | None
    lists: int
    signature: str
    corrections: Corrections | None = None
    seed: int = 0

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.signature.partition("|")[0]

    @property
    def one_best(self) -> Point:
        """The scores of the 1-bests."""
        return self.points[0]

    @property
    def oracle(self) -> Point:
        """The oracle of whole lists (o_nb)."""
        return self.points[-1]

    def to_records(self) -> list[dict[str, Any]]:
        """Return one record per k; `best_here` is the number of lists whose best hypothesis is among the first k.

        Fields:
            matches (int): Number of matched words.
            substitutions (int): Number of substituted words.
            deletions (int): Number of deleted words.
            insertions (int): Number of inserted words.
            low (float | None): Lower end of the interval; missing without resamples.
            high (float | None): Upper end of the interval; missing without resamples.
            best_here (int): Number of lists whose best hypothesis has a rank up to k.
        """
        records = []
        for point in self.points:
            interval = point.interval
            counts = point.statistics.asdict()
            record = {
                "k": point.k,
                "score": point.score,
                "numerator": point.numerator,
                "denominator": point.denominator,
            }
            record |= {name: counts[name] for name in ("matches", "substitutions", "deletions", "insertions")}
            if interval is not None:
                record |= {"low": interval.low, "high": interval.high}
            best_here = sum(self.ranks[: point.k])
            records.append(
                record | {"recoverable": point.recoverable, "distinct": point.distinct, "best_here": best_here}
            )
        return records

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        judged = {} if self.corrections is None else {"corrections": self.corrections.asdict()}
        return {
            "points": self.to_records(),
            "ranks": list(self.ranks),
            "compositional": self.compositional,
            "lists": self.lists,
            "signature": self.signature,
            **judged,
        }

    @property
    def totals(self) -> dict[str, Any]:
        """The numbers of the whole corpus, as JSON has them: lists are counted together, so there are no others."""
        return self.asdict()


@dataclass(frozen=True, repr=False)
class OracleAtKByMetric(Mapping[str, OracleAtK], TabledResult):
    """The oracles of the first k hypotheses by several metrics: a mapping from the name of each metric to its oracles.

    Attributes:
        curves: The oracles by each metric.
    """

    _table_name = "lists.ListsTable"

    curves: tuple[OracleAtK, ...]

    def __getitem__(self, metric: str) -> OracleAtK:
        for one in self.curves:
            if one.metric == metric:
                return one
        raise UsageError(f"there are no oracles by '{shortened(str(metric))}'", advice=which_of(metric, self))

    def __iter__(self) -> Iterator[str]:
        return (one.metric for one in self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    @property
    def totals(self) -> dict[str, Any]:
        """The numbers of the whole corpus, by metric."""
        return {name: one.totals for name, one in self.items()}
