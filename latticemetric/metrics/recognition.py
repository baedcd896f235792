"""Recognition rates of strings: n-GRR (Chiang & DeNeefe 2008, eq. 5 and 6), and WRR and WER (both of order 1).

A rate has gains and an affine map, rate = offset + scale · gain / Σ_k |g_k(r)|. Searches, expectations and scores all
derive from these two, so a subclass needs no other change to be searched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import chain, pairwise, repeat
from typing import Any, ClassVar, Literal, NamedTuple, cast, get_args

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.automata.recognition import Gains, best_reading, require_short
from latticemetric.automata.reference import ReferenceGraph, counted_labels, reversed_lattice
from latticemetric.cached import cached_property
from latticemetric.errors import UsageError, shortened
from latticemetric.formats.word_lists import given_words
from latticemetric.lattice.columns import Steps
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.alignment import Alignment
from latticemetric.metrics.base import (
    CorpusScore,
    Effects,
    GraphReference,
    GraphReferences,
    Metric,
    References,
    Table,
    Text,
    graphs_of,
    listed_references,
    number_each,
    paired,
    require_as_many,
    which_reference,
    words_of,
)
from latticemetric.metrics.recognition_statistics import (
    FINEST_UNIT,
    Merit,
    Penalty,
    RateMap,
    RecognitionStatistics,
    exact_gains,
    exact_penalty,
    exact_text,
    merit,
)
from latticemetric.metrics.reference_checks import check_corpus, check_hypothesis, check_references
from latticemetric.metrics.registry import make_metric, register
from latticemetric.metrics.segments import ListCounts, checked_order, count_lists, count_segments
from latticemetric.nbest import ListColumns
from latticemetric.vocabulary import Vocabulary

Counts = npt.NDArray[np.int64]
_EXACT_IN_DOUBLES = 2**52  # and a quotient of smaller numbers is never rounded to a whole number


class BestReference(NamedTuple):
    """The reference with the best rate for a hypothesis, and its alignment with the hypothesis."""

    reference: int  # the index of the reference, from 0
    statistics: RecognitionStatistics
    alignment: Alignment
    words: tuple[str, ...]  # the words of the reference; for a graph, the words of its best path


@register("grr", ordered=True)
@dataclass(frozen=True)
class GRR(Metric[RecognitionStatistics]):
    """The n-gram recognition rate, (Σ_k M_k − α I − β D) / Σ_k |g_k(r)|, maximised over monotone alignments.

    Args:
        order: n, the length of the longest n-grams that count.
        alpha: The insertion penalty; negative values reward insertions.
        beta: The deletion penalty.
        ignore: Words to remove from hypothesis and reference before counting.
        wildcard: Words that cost nothing in hypothesis and reference. The alignment skips them, but results show them.

    Examples:
        >>> GRR(4).score("the president spoke", "the president then spoke")
        0.4
        >>> str(GRR(2, alpha="0.5").signature)
        '2-grr|alpha:0.5|beta:0|refs:1|case:mixed|tok:none|v:...'
    """

    order: int = 4
    alpha: Penalty = 1
    beta: Penalty = 0
    ignore: frozenset[str] = frozenset()
    wildcard: frozenset[str] = frozenset()
    gains: Gains = field(init=False, repr=False, compare=False)  # the integers that engines and kernels use

    takes_graphs = True
    splits_words = False
    """True if `counted` splits words into units."""
    drops_empty = False
    """True if segments count only if a reference has words."""
    empty_rate: ClassVar[float | None] = None
    """The rate against references without words; `None` if undefined."""
    alignments: ClassVar[type[Alignment]] = Alignment
    """The class of alignments."""

    @property
    def offset(self) -> Penalty:
        """The rate of a hypothesis without gain; subclasses may replace it, by a property or an attribute."""
        return 0

    @property
    def scale(self) -> Penalty:
        """The factor of gain / Σ_k |g_k(r)|, not 0; subclasses may replace it. If it is negative, lower is better."""
        return 1

    def __init__(
        self,
        order: int = 4,
        *,
        alpha: Penalty = 1,
        beta: Penalty = 0,
        ignore: str | Iterable[str] = (),
        wildcard: str | Iterable[str] = (),
    ) -> None:
        order = checked_order(order, "an n-gram recognition rate")
        penalties = exact_penalty(alpha, "alpha"), exact_penalty(beta, "beta")
        values = {
            "order": order,
            "alpha": penalties[0],
            "beta": penalties[1],
            "ignore": given_words(ignore, "ignore"),
            "wildcard": given_words(wildcard, "wildcard"),
            "gains": exact_gains(order, *penalties),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def name(self) -> str:
        """The name on the command line."""
        return f"{self.order}-grr"

    @cached_property
    def rate_map(self) -> RateMap:
        """The map from gains to rates, from `offset` and `scale`, in exact fractions."""
        return _rate_map(self)

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]  # it follows from the map
        """False if the rate counts errors: if `scale` is negative."""
        return self.rate_map.scale > 0

    @property
    def bounds(self) -> tuple[float, float]:
        """A lower and an upper bound of all rates; infinite if insertions have no limit."""
        low, high = sorted(float(self.rate_map.rate(gain)) for gain in self.gains.bounds())
        return low, high

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns M_1 … M_n, S, D, I, |g_1(r)| … |g_n(r)|."""
        orders = range(1, self.order + 1)
        matches, sizes = ([f"{name}_{k}" for k in orders] for name in ("matches", "reference_ngrams"))
        return (*matches, "substitutions", "deletions", "insertions", *sizes)

    def signature_text(self, references: int | str) -> str:
        """Return the signature as text; cache it, since every result contains it."""
        known: dict[int | str, str] = vars(self).setdefault("_signatures", {})
        if references not in known:
            known[references] = str(self.signature_for(references))
        return known[references]

    def _parameters(self) -> dict[str, str]:
        _, unit, alpha, beta = self.gains
        return {"alpha": exact_text(Fraction(alpha, unit)), "beta": exact_text(Fraction(beta, unit))}

    def _word_sets(self) -> dict[str, frozenset[str]]:
        return {"ignore": self.ignore, "wildcard": self.wildcard}

    def counted(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the units that the metric aligns: here, the words that are neither ignored nor wildcards."""
        return self.counted_words(words)

    def counted_words(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words that are neither ignored nor wildcards."""
        if not self.ignore and not self.wildcard:
            return tuple(words)
        return tuple(word for word in words if word not in self.ignore and word not in self.wildcard)

    def align(self, hypothesis: Text, reference: Text) -> Alignment:
        """Return the optimal alignment of the counted words (not ignored, not wildcards) with one reference.

        Among several optimal alignments, choose the alignment with the most matches, then with the fewest insertions
        and deletions. Then, at the first difference from the left, prefer C to S, S to D, and D to I.
        """
        return self._aligned(self.counted(words_of(hypothesis)), self.counted(words_of(reference)))

    def _aligned(self, words: tuple[str, ...], expected: tuple[str, ...]) -> Alignment:
        """Return the optimal alignment of counted words."""
        if self.drops_empty and not expected:
            words = ()
        require_short(max(len(words), len(expected)))
        return self.alignments(words, expected, _native.align(words, expected, self.gains))

    def evaluate(self, hypothesis: Text, references: GraphReferences) -> BestReference:
        """Return the reference with the best rate (ties: the first), with its alignment and statistics."""
        check_hypothesis(hypothesis)
        check_references(references)
        return self.best_reference(hypothesis, graphs_of(references))

    def best_reference(self, hypothesis: Text, references: Sequence[GraphReference]) -> BestReference:
        """Do the same as `evaluate`, for references that are already checked, and converted by `graphs_of`."""
        strings = self.best_strings(hypothesis, references)
        words = self.counted(words_of(hypothesis))
        alignments = [self._aligned(words, self.counted(expected)) for expected in strings]
        best, statistics = self.best_of([RecognitionStatistics.of_edits(a.edits, self.order) for a in alignments])
        return BestReference(best, statistics, alignments[best], strings[best])

    def explain(self, hypothesis: Text, references: GraphReferences) -> str:
        """Return the alignment with the best reference and its counts, as text."""
        strings = graphs_of(references)  # makes references of one word each unambiguous
        number, statistics, alignment, _ = self.evaluate(hypothesis, strings)
        lengths = ", ".join(str(k) for k in range(1, self.order + 1))
        counts = (
            f"matches of length {lengths}: {', '.join(map(str, statistics.matches))}; "
            f"substitutions {statistics.substitutions}, deletions {statistics.deletions}, "
            f"insertions {statistics.insertions}"
        )
        rate = f"{self.numerator(statistics)}/{self.denominator(statistics)}"
        return "\n".join([str(alignment), counts, f"{rate}{which_reference(number, len(strings))}"])

    def best_strings(self, hypothesis: Text, references: Iterable[GraphReference]) -> list[tuple[str, ...]]:
        """Return the words of each reference; for a graph, the words of the path with the best rate."""
        return [
            self._best_string(hypothesis, reference) if isinstance(reference, Lattice) else reference
            for reference in references
        ]

    def _best_string(self, hypothesis: Text, reference: Lattice) -> tuple[str, ...]:
        words = self.counted(words_of(hypothesis))
        turned, arc_of = reversed_lattice(reference)
        arcs = best_reversed_arcs(words, turned, self.gains, self.ignore | self.wildcard)
        return reference.words(best_reference_path(arcs, arc_of))

    def statistics(self, hypothesis: Text, references: GraphReferences) -> RecognitionStatistics:
        """Return the statistics against the reference with the best rate (ties: the first)."""
        check_hypothesis(hypothesis)
        check_references(references)
        if _aligns_otherwise(type(self)):
            return self.best_reference(hypothesis, graphs_of(references)).statistics
        listed = listed_references(references)
        if _has_graph(listed):
            listed = self.best_strings(hypothesis, graphs_of(listed))
        rows, _ = self._pair_counts([hypothesis], [listed])
        found = self.best_of([RecognitionStatistics.of_columns(row) for row in rows.tolist()])[1]
        return RecognitionStatistics.zero(self.order) if self.drops_empty and not self.denominator(found) else found

    def best_of(self, statistics: Sequence[RecognitionStatistics]) -> tuple[int, RecognitionStatistics]:
        """Return the index of the statistics with the best rate (ties: the first), and these statistics."""
        if len(statistics) == 1:
            return 0, statistics[0]
        best = max(range(len(statistics)), key=lambda k: self.merit(statistics[k]))
        return best, statistics[best]

    def gain(self, statistics: RecognitionStatistics) -> int:
        """Return Σ_k M_k − α I − β D in units of `1 / gains.unit`."""
        _, unit, alpha, beta = self.gains
        return sum(statistics.matches) * unit - statistics.insertions * alpha - statistics.deletions * beta

    def merit(self, statistics: RecognitionStatistics) -> Merit:
        """Return the sort key of the rate: larger is better, also for error rates."""
        return merit(self.gain(statistics), sum(statistics.reference_ngrams), self.gains)

    def numerator(self, statistics: RecognitionStatistics) -> int | float:
        """Return the numerator of the rate."""
        return self.parts(statistics)[1]

    def exact_numerator(self, statistics: RecognitionStatistics) -> Fraction:
        """Return the numerator of the rate as an exact fraction."""
        return Fraction(self._units(statistics), self.rate_map.unit)

    def _units(self, statistics: RecognitionStatistics) -> int:
        """Return the numerator of the rate, times `rate_map.unit`."""
        return self.rate_map.units(self.gain(statistics), self.denominator(statistics))

    def denominator(self, statistics: RecognitionStatistics) -> int:
        """Return the denominator of the rate."""
        return sum(statistics.reference_ngrams)

    def value(self, statistics: RecognitionStatistics) -> float | None:
        """Return the rate; `empty_rate` if the reference has no words."""
        return self.parts(statistics)[0]

    def parts(self, statistics: RecognitionStatistics) -> tuple[float | None, int | float, int]:
        """Return the rate (`empty_rate` if the reference has no words), its numerator and its denominator."""
        units, unit, size = self._units(statistics), self.rate_map.unit, self.denominator(statistics)
        # A quotient of integers is rounded only once.
        rate = units / (unit * size) if size else self.empty_rate
        return rate, units / unit if units % unit else units // unit, size

    def columns_of_parts(
        self, counts: Counts
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return `parts` of each row of counts (NaN for `None`); they are the same if `are_exact_in_doubles`."""
        size = counts[:, self.order + 3 :].sum(axis=1)
        units, unit = self._units_of(counts.astype(np.float64)), self.rate_map.unit
        undefined = np.nan if self.empty_rate is None else self.empty_rate
        rate = np.where(size > 0, units / (unit * np.maximum(size, 1)), undefined)
        return rate, units / unit, size

    def are_exact_in_doubles(self, counts: Counts) -> bool:
        """Return True if doubles hold all numbers from which `columns_of_parts` computes."""
        _, unit, alpha, beta = self.gains
        of_map = self.rate_map
        largest = self.order * abs(of_map.size_units) + abs(of_map.gain_units) * (unit + abs(alpha) + abs(beta))
        return (largest + of_map.unit) * int(counts.sum(axis=1).max(initial=0)) < _EXACT_IN_DOUBLES

    def score(self, hypothesis: Text, references: GraphReferences) -> float | None:
        """Return the rate of one hypothesis; `None` if the reference has no words.

        Args:
            hypothesis: A string or its words.
            references: One reference or several; any may be a `Lattice`, whose paths are all correct references.
        """
        return self.value(self.statistics(hypothesis, references))

    def corpus(
        self, hypotheses: Sequence[Text], references: Sequence[GraphReferences]
    ) -> CorpusScore[RecognitionStatistics]:
        """Return the sum of numerators divided by the sum of denominators.

        Each hypothesis is compared with its best reference.
        """
        check_corpus(hypotheses, references)
        counts, owner = self._counted(hypotheses, references)
        total = RecognitionStatistics.of_columns(counts.sum(axis=0).tolist())
        return self.corpus_score(total, number_each(np.diff(owner)))

    def counts(self, hypotheses: Sequence[Text], references: Sequence[GraphReferences]) -> Counts:
        """Return the statistics of each hypothesis against its best reference as a table of integers."""
        return self._counted(hypotheses, references)[0]

    def _counted(self, hypotheses: Sequence[Text], references: Sequence[GraphReferences]) -> tuple[Counts, Counts]:
        """Return one row of counts per segment (see `columns`), against the segment's best reference.

        Also return the index of each segment's first reference among all references.
        """
        require_as_many(hypotheses, references)
        listed = cast("Sequence[References]", references)
        different = {id(several): several for several in references}  # hypotheses of an n-best list share one object
        if any(map(_has_graph, different.values())):
            pairs = zip(hypotheses, references, strict=True)
            listed = [self.best_strings(hypothesis, graphs_of(several)) for hypothesis, several in pairs]
        counts, owner = self._pair_counts(hypotheses, listed)
        return self._best_rows(counts, owner), owner

    def _best_rows(self, counts: Counts, owner: Counts) -> Counts:
        """Return the row of each segment's best reference. `owner` is the index of each segment's first row."""
        if len(counts) != len(owner) - 1:
            best = []
            for begin, end in pairwise(owner.tolist()):
                rows = [RecognitionStatistics.of_columns(row) for row in counts[begin:end].tolist()]
                best.append(begin + self.best_of(rows)[0])
            counts = counts[best]
        return counts * counts[:, self.order + 3 :].any(axis=1, keepdims=True) if self.drops_empty else counts

    @property
    def counts_all_words(self) -> bool:
        """True if the metric compares all words unchanged: it ignores no words, and splits no words into units."""
        return not self.ignore and not self.wildcard

    def list_counts(self, lists: ListColumns) -> ListCounts:
        """Return the counts of n-best lists: one row per hypothesis, against the best reference of its list."""
        sizes = np.diff(lists.owner)
        if self.counts_all_words:
            found = count_lists(lists, self.gains)
            rows = found.rows
        else:
            texts, references = (cast("Sequence[Text]", side) for side in (lists.texts, lists.references))
            counted = [self.counted_words(words_of(reference)) for reference in references]
            found = count_lists(lists._replace(references=counted), self.gains)
            several = [references[first:end] for first, end in pairwise(lists.owner.tolist())]
            repeated = chain.from_iterable(map(repeat, several, np.diff(lists.begin).tolist()))
            rows = self._pair_counts(texts, list(repeated))[0]
        owner = np.cumsum([0, *np.repeat(sizes, np.diff(lists.begin))])
        return found._replace(rows=self._best_rows(rows, owner))

    def _pair_counts(self, hypotheses: Sequence[Text], references: Sequence[References]) -> tuple[Counts, Counts]:
        """Return the counts of each pair of hypothesis and reference, and the index of each segment's first pair."""
        if self.ignore or self.wildcard:
            references = [[self.counted(words_of(r)) for r in several] for several in paired(hypotheses, references)]
            hypotheses = [self.counted(words_of(hypothesis)) for hypothesis in hypotheses]
        return count_segments(hypotheses, references, self.gains)

    def table(self, hypotheses: Sequence[Text], references: Sequence[GraphReferences]) -> Table:
        """Return the statistics of a test set: one row per segment, against the best reference of the segment."""
        return self.counts(hypotheses, references).astype(np.float64)

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the rate of each row of summed statistics; NaN if the references have no words."""
        n = self.order
        size = sums[..., n + 3 :].sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = self._units_of(sums) / (size * self.rate_map.unit)
        return np.where(size > 0, rate, np.nan if self.empty_rate is None else self.empty_rate)

    def _units_of(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the numerator of each row of summed statistics, times `rate_map.unit`."""
        units: npt.NDArray[np.float64] = np.zeros(sums.shape[:-1])
        for column, weight in enumerate(self._unit_weights()):
            if weight:
                units += weight * sums[..., column]
        return units

    def _unit_weights(self) -> list[int]:
        """Return the weight of each column in the numerator, times `rate_map.unit`."""
        n, (_, unit, alpha, beta) = self.order, self.gains
        size, gain = self.rate_map.size_units, self.rate_map.gain_units
        # |g_1(r)| is M_1 + S + D, so the errors of WER are S + D + I, also in sums that are not whole.
        edits = [size + gain * unit, *[gain * unit] * (n - 1), size, size - gain * beta, -gain * alpha]
        return [*edits, 0, *[size] * (n - 1)]

    @property
    def effects(self) -> Effects:
        """The effect of each column on the value: in the numerator, the sign of its weight."""
        numerator = list(zip(self.columns, self._unit_weights(), strict=True))[: self.order + 3]
        up, down = (frozenset(name for name, weight in numerator if sign * weight >= 0) for sign in (1, -1))
        return Effects(up, down - up, frozenset(self.columns[self.order + 3 :]))

    def corpus_score(
        self, total: RecognitionStatistics, references: int | str = 1
    ) -> CorpusScore[RecognitionStatistics]:
        """Return the corpus score from summed statistics. `references` is the number of references per segment."""
        signature = str(self.signature_for(references))
        return CorpusScore(self.value(total), self.numerator(total), self.denominator(total), total, signature)

    def compile(self, references: GraphReferences, vocabulary: Vocabulary | None = None) -> Any:
        """Compile metric and references into a `pynini.Fst`; see `automata.recognition.compile_references`."""
        from latticemetric.automata.recognition import compile_references

        check_references(references)
        return compile_references(graphs_of(references), self.gains, vocabulary, self.ignore | self.wildcard)


@lru_cache
def _aligns_otherwise(kind: type[GRR]) -> bool:
    """Return True if a subclass has its own alignments or counted words, which its counts in tables do not know."""
    owner = {name: next(k for k, one in enumerate(kind.__mro__) if name in vars(one)) for name in _WORDS_AND_COUNTS}
    return min(owner["align"], owner["counted"]) < owner["_pair_counts"]


_WORDS_AND_COUNTS = ("align", "counted", "_pair_counts")


def _rate_map(metric: GRR) -> RateMap:
    return _made_map(metric.offset, metric.scale, metric.gains.unit)


@lru_cache(typed=True)
def _made_map(offset: Penalty, scale: Penalty, unit: int) -> RateMap:
    return RateMap.of(exact_penalty(offset, "offset"), exact_penalty(scale, "scale"), unit)


@register("wrr")
class WRR(GRR):
    """The word recognition rate, (M − I) / |r|: 1-GRR with α = 1, β = 0.

    Examples:
        >>> WRR().score("the president spoke", "the president then spoke")
        0.75
    """

    name = "wrr"

    def __init__(self, *, ignore: str | Iterable[str] = (), wildcard: str | Iterable[str] = ()) -> None:
        super().__init__(1, ignore=ignore, wildcard=wildcard)

    def _parameters(self) -> dict[str, str]:
        return {}


class ErrorRate(GRR):
    """The base of error rates, 1 − n-GRR. Lower is better.

    With order 1, the rate is (S + (1 + β) D + α I) / |r|.
    """

    offset: Penalty = 1
    scale: Penalty = -1


Empty = Literal["errors", "ignore", "0"]
"""Ways to count segments whose references have no words; see `EditRate`."""


@dataclass(frozen=True)
class EditRate(ErrorRate):
    """The base of rates of weighted edits, (s S + D + I) / |r|. Lower is better.

    With α = 1 / s and β = 1 / s − 1, this is s · (1 − 1-GRR).

    Args:
        substitution: s, the cost of a substitution, above 0.
        empty: How segments count whose references have no words: their insertions are errors of the corpus, but the
            segment has no rate (`errors`); they do not count at all (`ignore`); or they do not count in the corpus, and
            the segment has the rate 0 (`0`). Searches of graphs support only `errors`.
        **parameters: Parameters of the class that comes next (`GRR`, `GCR`), except its order and penalties.
    """

    substitution: Fraction = Fraction(1)
    empty: Empty = "errors"

    def __init__(self, *, substitution: Penalty = 1, empty: Empty | Literal[0] = "errors", **parameters: Any) -> None:
        cost = exact_penalty(substitution, "substitution")
        if not 0 < cost.numerator <= FINEST_UNIT >= cost.denominator:
            what = "has too many digits for exact scores" if cost > 0 else "is not above 0"
            raise UsageError(
                f"substitution is {shortened(str(substitution))}, which {what}", advice="give a cost like 1.5 or 4/3"
            )
        if str(empty) not in get_args(Empty):
            raise UsageError(f"empty is {empty!r}", advice=f"choose one of {', '.join(get_args(Empty))}")
        penalties = (1, 0) if cost == 1 else (1 / cost, 1 / cost - 1)
        super().__init__(1, alpha=penalties[0], beta=penalties[1], **parameters)
        object.__setattr__(self, "substitution", cost)
        object.__setattr__(self, "empty", str(empty))

    @property
    def offset(self) -> Fraction:  # type: ignore[override]
        """The rate if all words are wrong: the cost of a substitution."""
        return self.substitution

    @property
    def scale(self) -> Fraction:  # type: ignore[override]
        """The cost of a substitution, negative."""
        return -self.substitution

    @property
    def drops_empty(self) -> bool:  # type: ignore[override]
        """True if segments count only if a reference has words."""
        return self.empty != "errors"

    @property
    def empty_rate(self) -> float | None:  # type: ignore[override]
        """The rate against references without words; `None` if undefined."""
        return 0.0 if self.empty == "0" else None

    def _parameters(self) -> dict[str, str]:
        weight = {} if self.substitution == 1 else {"substitution": exact_text(self.substitution)}
        return weight if self.empty == "errors" else {**weight, "empty": self.empty}


@register("wer")
@dataclass(frozen=True)
class WER(EditRate):
    """The word error rate, (S + D + I) / |r| = 1 − WRR. Lower is better.

    Args:
        substitution: The cost of a substitution; deletions and insertions cost 1.
        empty: How segments count whose references have no words: their insertions are errors of the corpus, but the
            segment has no rate (`errors`); they do not count at all (`ignore`); or they do not count in the corpus, and
            the segment has the rate 0 (`0`). Searches of graphs support only `errors`.
        ignore: Words to remove from hypothesis and reference before counting.
        wildcard: Words that cost nothing in hypothesis and reference.

    Examples:
        >>> WER().score("the president spoke", "the president then spoke")
        0.25
        >>> WER(substitution=1.5).score("a president spoke", "the president then spoke")
        0.625
        >>> str(WER(substitution=1.5).signature)
        'wer|substitution:1.5|refs:1|case:mixed|tok:none|v:...'
    """

    name = "wer"

    def __init__(
        self,
        *,
        substitution: Penalty = 1,
        empty: Empty | Literal[0] = "errors",
        ignore: str | Iterable[str] = (),
        wildcard: str | Iterable[str] = (),
    ) -> None:
        super().__init__(substitution=substitution, empty=empty, ignore=ignore, wildcard=wildcard)


# ---- References that are graphs ----


_OF_BLEU = '; Corpus.oracle(metric="bleu") finds the best BLEU of all graphs together'
_FURTHER_ADVICE = {
    "bleu": _OF_BLEU,
    "bleu-sbp": _OF_BLEU.replace("bleu", "bleu-sbp"),
    "compound-wer": "; for joined words, lattice-oracle or compound_oracle()",
}


def as_recognition_rate(metric: str | Metric[Any]) -> GRR:
    """Return a recognition rate, given as a metric or by name; raise `UsageError` for metrics of another kind."""
    rate = make_metric(metric) if isinstance(metric, str) else metric
    if isinstance(rate, GRR):
        _require_own_arithmetic(rate)
        if rate.drops_empty:
            raise UsageError(
                f"{rate.name} searches no graphs if references without words do not count",
                advice="leave the parameter empty out",
            )
    else:
        if not isinstance(rate, Metric):
            raise UsageError(f"{rate!r} is not a metric", advice="give a name like 'wer', or an object like WER()")
        name = metric if isinstance(metric, str) else rate.name
        advice = "use wer, wrr, N-grr, cer, N-gcr or mixed-er"
        advice += _FURTHER_ADVICE.get(rate.name, "")
        raise UsageError(f"'{name}' cannot search a graph", advice=advice)
    return rate


# Methods that searches replace by arithmetic with gains and the map.
_ARITHMETIC = (
    *("gain", "merit", "best_of", "numerator", "exact_numerator", "denominator", "value", "parts", "values", "columns"),
    *("statistics", "evaluate", "best_reference", "score", "corpus", "corpus_score", "counts", "table", "list_counts"),
    *("align", "counted_words", "counted", "higher_is_better", "rate_map", "bounds"),
    *("_units", "_units_of", "_counted", "_pair_counts", "_best_rows", "_best_string"),
)
# Texts with all kinds of edits, letters and empty sides.
_PROBES = ("", "a", "A b", "b a", "a b a c", "b, c 1 a a", "uh a b c d", "x y z a b c d", "我 们 a é", "d c b a d c")


def _require_own_arithmetic(metric: GRR) -> None:
    """Raise `UsageError` if a class replaces arithmetic in a way that disagrees with its gains and its map.

    A search looks at gains only. It would not find the best path by such a score.
    """
    replaced = _replaced_arithmetic(type(metric))
    if not replaced:
        return
    if not all(_agrees(metric, hypothesis, reference) for hypothesis in _PROBES for reference in _PROBES):
        raise UsageError(
            f"{type(metric).__name__} replaces {', '.join(replaced)}, and scores other than by its gains and its map",
            advice="set alpha, beta, offset and scale instead; derive from Metric if no graph is searched",
        )


def computes_by_gains(metric: GRR) -> bool:
    """Check whether a metric has the arithmetic of this package, so that its scores follow from gains and map."""
    return not _replaced_arithmetic(type(metric))


@lru_cache
def _replaced_arithmetic(kind: type[GRR]) -> list[str]:
    """Return the names of arithmetic that a class of another package replaces."""
    owners = {name: next(one for one in kind.__mro__ if name in vars(one)) for name in _ARITHMETIC}
    own = f"{__name__.partition('.')[0]}."
    replaced = [name for name, owner in owners.items() if not owner.__module__.startswith(own)]
    return [] if kind.splits_words and replaced == ["counted"] else replaced


def _agrees(metric: GRR, hypothesis: str, reference: str) -> bool:
    """Check whether a metric scores two texts as its gains and its map do."""
    words, expected = (tuple(text.split()) for text in (hypothesis, reference))
    if metric.splits_words:
        words, expected = metric.counted(words), metric.counted(expected)
    else:
        words, expected = GRR.counted_words(metric, words), GRR.counted_words(metric, expected)
    counts = RecognitionStatistics.of_edits(_native.align(words, expected, metric.gains), metric.order)
    size = sum(counts.reference_ngrams)
    rates = _rate_map(metric)
    rate = rates.units(GRR.gain(metric, counts), size) / (rates.unit * size) if size else None
    values = metric.values(metric.table([hypothesis], [[reference]]))
    scores = [metric.score(hypothesis, [reference]), metric.value(metric.statistics(hypothesis, [reference]))]
    scores += [metric.corpus([hypothesis], [[reference]]).score, None if np.isnan(values[0]) else float(values[0])]
    numerator, direction = rates.numerator(GRR.gain(metric, counts), size), rates.scale > 0
    same = metric.numerator(metric.statistics(hypothesis, [reference])) == numerator
    return same and metric.higher_is_better == direction and all(score == rate for score in scores)


def _has_graph(references: GraphReferences) -> bool:
    """Check whether a reference is a lattice."""
    if isinstance(references, str):
        return False
    return isinstance(references, Lattice) or any(isinstance(one, Lattice) for one in references)


def best_reference_path(reversed_arcs: Steps, arc_of: npt.NDArray[np.int32]) -> list[int]:
    """Return the path of a reference, given its arcs in the reversed reference; see `reversed_lattice`."""
    arcs = arc_of[reversed_arcs[::-1]]
    return cast("list[int]", arcs[arcs >= 0].tolist())


def best_reversed_arcs(
    hypothesis: Sequence[str], reference: Lattice, gains: Gains, silent: Collection[str] = ()
) -> Steps:
    """Return the arcs of one path of a reversed reference: a hypothesis has the best rate against this path.

    Among paths with the best rate, return the path with the smallest arcs in the reversed reference. In the reference
    itself, this path ends in the smallest state, and has the smallest arcs when paths are compared from their ends.

    Args:
        hypothesis: The words that count, not reversed.
        reference: The reversed reference.
        gains: The gains of edits.
        silent: The words of the reference that do not count.
    """
    vocabulary = Vocabulary.from_words(hypothesis)
    # Words that are not in the hypothesis match nothing.
    label = counted_labels(reference, vocabulary, silent)
    graph = ReferenceGraph.of_lattice(reference, label, gains.order)
    arcs = best_reading(graph, vocabulary.encode(hypothesis)[::-1].copy(), gains).arcs
    return graph.arc[arcs].astype(np.int64)
