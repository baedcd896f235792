"""METEOR: unigrams matched in stages, weighted towards recall, with a penalty for chunks (Banerjee & Lavie 2005).

Alignments are optimal, unless a search stops early. The column `inexact` counts alignments that may not be optimal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import count, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.arguments import real_number, whole_number
from latticemetric.display.text import aligned_rows
from latticemetric.errors import InputError, UsageError
from latticemetric.formats.word_lists import given_words
from latticemetric.metrics.base import Effects, References, Table, TallyMetric, Text, paired, plain_sum, words_of
from latticemetric.metrics.preparation import porter_stem
from latticemetric.metrics.registry import register
from latticemetric.metrics.segments import NumberedStrings, number_all
from latticemetric.metrics.wordnet import base_forms, synsets, wordnet

# ---- Alignments, for people to read ----


class MeteorPair(NamedTuple):
    """The positions (from 0) of a hypothesis word and of its reference word, and the stage that mapped them."""

    hypothesis: int
    reference: int
    stage: str


@dataclass(frozen=True)
class MeteorAlignment:
    """The words that METEOR maps to each other, and the stage of each mapping.

    Attributes:
        hypothesis: The hypothesis's words.
        reference: The reference's words.
        pairs: The mapped words, in the hypothesis's order.
        chunks: The number of chunks. A chunk is a run of mapped words that are adjacent in both texts.
        crossings: The number of pairs of mapped words that have opposite orders in hypothesis and reference.
        least_crossings: A proven lower bound of the crossings of the best alignment; `crossings` if `exact`.
        exact: True if no alignment is better; False if this is not proven, so that a better one may exist.

    Examples:
        >>> pairs = (MeteorPair(0, 0, "exact"), MeteorPair(1, 1, "porter"), MeteorPair(2, 3, "exact"))
        >>> print(MeteorAlignment(("a", "cat", "sat"), ("a", "cats", "had", "sat"), pairs, 2, 0, 0, exact=True))
        chunk  hypothesis  reference  stage
        1      a           a          exact
        1      cat         cats       porter
        -                  had
        2      sat         sat        exact
        3 matches, 2 chunks, 0 crossings
    """

    hypothesis: tuple[str, ...]
    reference: tuple[str, ...]
    pairs: tuple[MeteorPair, ...]
    chunks: int
    crossings: int
    least_crossings: int
    exact: bool

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        texts = {"hypothesis": list(self.hypothesis), "reference": list(self.reference)}
        return {**vars(self), **texts, "pairs": [pair._asdict() for pair in self.pairs]}

    def __str__(self) -> str:
        # Rows are in the order of the hypothesis. An unmapped reference word comes before the next mapped one.
        rows = [("chunk", "hypothesis", "reference", "stage")]
        pairs = {pair.hypothesis: pair for pair in self.pairs}
        single = sorted(set(range(len(self.reference))) - {pair.reference for pair in self.pairs})
        chunk, before = 0, None
        for place, word in enumerate([*self.hypothesis, None]):
            pair = pairs.get(place)
            while single and (word is None or (pair is not None and single[0] < pair.reference)):
                rows.append(("-", "", self.reference[single.pop(0)], ""))
            if pair is not None and word is not None:
                chunk += before != (pair.hypothesis - 1, pair.reference - 1)
                before = pair.hypothesis, pair.reference
                rows.append((str(chunk), word, self.reference[pair.reference], pair.stage))
            elif word is not None:
                rows.append(("-", word, "", ""))
        counts = f"{len(self.pairs)} matches, {self.chunks} chunks, {self.crossings} crossings"
        note = "" if self.exact else f" (not exact: the best alignment has at least {self.least_crossings} crossings)"
        return "\n".join([*aligned_rows(rows), counts + note])


# ---- Stages: which words each stage may map to each other ----

STAGES = ("exact", "porter", "wn-stem", "wn-synonymy")
"""All stages."""

_STAGES_ADVICE = f"choose some of {', '.join(STAGES)}"

Keys = tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]
"""The numbers of all keys, stage by stage and word by word; and the index of the first key of each word and stage."""


def stage_keys(stages: Sequence[str], words: Collection[str], stop_words: frozenset[str]) -> Keys:
    """Return the keys of distinct words for each stage. A stage can map two words if they share a key."""
    keys: list[int] = []
    sizes: list[int] = []
    for stage in stages:
        numbers: dict[Hashable, int] = defaultdict(count().__next__)
        keys_of = _keys_of(stage, stop_words)
        for word in words:
            found = sorted([numbers[key] for key in keys_of(word)])
            keys += found
            sizes.append(len(found))
    return np.array(keys, dtype=np.int32), np.cumsum([0, *sizes], dtype=np.int64)


def _keys_of(stage: str, stop_words: frozenset[str]) -> Callable[[str], Collection[Hashable]]:
    if stage == "exact":
        return lambda word: () if word in stop_words else (word,)
    if stage == "porter":
        return lambda word: (porter_stem(word),)
    # "share the same base form in WordNet"; "at least one sense of each word belongs to the same synset" (section 3.6).
    source = wordnet()
    if stage == "wn-stem":
        return lambda word: base_forms(source, word)
    return lambda word: synsets(source, word)


# ---- The metric ----

_STAGES = ("exact", "porter", "wn-synonymy")
_WEIGHT, _PENALTY, _EXPONENT, _CAP = 9.0, 0.5, 3.0, 1_000_000
_MOST_WORDS = 32_766  # the limit of the C++ kernel
_ROUNDING = 1e-9  # scores that differ by less are compared exactly
_DIGITS = 50

_Pairs = Sequence[tuple[tuple[str, ...], tuple[str, ...]]]


@register("meteor")
@dataclass(frozen=True)
class METEOR(TallyMetric):
    """METEOR, Fmean · (1 − penalty · (chunks / matches)^exponent) with Fmean = (1 + weight) P R / (R + weight P).

    A stage maps words one to one. It maps only words that no earlier stage has mapped, and maps the largest possible
    number of them. Among alignments with this number of mappings, METEOR chooses:

    1. the alignment with the fewest crossings among all mappings so far;
    2. then, the alignment with the fewest chunks so far;
    3. then, at the first hypothesis word where alignments differ, the alignment that maps this word; if several do, the
       alignment that maps it to the leftmost reference word.

    Args:
        stages: Some of `exact`, `porter`, `wn-stem`, `wn-synonymy`, in order; as a list, or a string with commas.
        weight: The weight of recall relative to precision.
        penalty: The largest possible penalty. It applies if no two matches are adjacent.
        exponent: The exponent of (chunks / matches) in the penalty.
        stop_words: Words that the stage `exact` does not map.
        cap: The largest number of states that a stage searches for one alignment. At this number, the stage takes the
            best alignment so far, and the column `inexact` counts this alignment.

    Examples:
        >>> meteor = METEOR(stages=["exact"])
        >>> meteor.score("the president spoke to the audience", "the president then spoke to the audience")
        0.8534621578099839
        >>> str(meteor.signature)
        'meteor|stages:exact|refs:1|case:mixed|tok:none|v:...'
    """

    name = "meteor"
    columns = ("matches", "chunks", "words", "reference_words", "inexact")

    stages: tuple[str, ...] = _STAGES
    weight: float = _WEIGHT
    penalty: float = _PENALTY
    exponent: float = _EXPONENT
    stop_words: frozenset[str] = frozenset()
    cap: int = _CAP

    def __init__(
        self,
        stages: str | Iterable[str] = _STAGES,
        *,
        weight: float = _WEIGHT,
        penalty: float = _PENALTY,
        exponent: float = _EXPONENT,
        stop_words: str | Iterable[str] = (),
        cap: int = _CAP,
    ) -> None:
        names = stages.split(",") if isinstance(stages, str) else stages if hasattr(stages, "__iter__") else [stages]
        listed = tuple(str(name).strip() for name in names)
        if unknown := [name for name in listed if name not in STAGES]:
            raise UsageError(f"METEOR has no stage '{unknown[0]}'", advice=_STAGES_ADVICE)
        if not listed or len(set(listed)) < len(listed):
            raise UsageError("the stages of METEOR are empty, or one stage is named twice", advice=_STAGES_ADVICE)
        values = {
            "stages": listed,
            "weight": _checked(weight, "weight"),
            "penalty": _checked(penalty, "penalty", most=1.0),
            "exponent": _checked(exponent, "exponent"),
            "stop_words": given_words(stop_words, "stop_words"),
            "cap": whole_number(
                cap, f"cap is {cap!r}, not a number of states", "give a whole number ≥ 1", most=2**62 - 1
            ),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _parameters(self) -> dict[str, str]:
        """Return the stages, and the parameters whose values differ from Banerjee & Lavie 2005."""
        fields = {"stages": ",".join(self.stages)}
        for name, default in (("weight", _WEIGHT), ("penalty", _PENALTY), ("exponent", _EXPONENT), ("cap", _CAP)):
            if (value := getattr(self, name)) != default:
                fields[name] = str(plain_sum(float(value)))
        return fields

    def _word_sets(self) -> dict[str, frozenset[str]]:
        return {"stop": self.stop_words}

    def align(self, hypothesis: Text, reference: Text) -> MeteorAlignment:
        """Return the alignment with one reference."""
        words, expected = words_of(hypothesis), words_of(reference)
        counts, _, edges = self._align([(words, expected)])
        _, chunks, crossings, least_crossings, inexact = counts[0].tolist()
        pairs = tuple(MeteorPair(i, j, self.stages[stage]) for i, j, stage in edges.tolist())
        return MeteorAlignment(words, expected, pairs, chunks, crossings, least_crossings, exact=not inexact)

    def table(self, hypotheses: Sequence[Text], references: Sequence[References]) -> Table:
        """Return the statistics of each segment, against the reference with the best score (ties: the first)."""
        listed = [list(map(words_of, several)) for several in paired(hypotheses, references)]
        words = list(map(words_of, hypotheses))
        pairs = [(c, r) for c, several in zip(words, listed, strict=True) for r in several]
        counts, _, _ = self._align(pairs)
        lengths = np.array([(len(c), len(r)) for c, r in pairs], dtype=np.int64).reshape(-1, 2)
        rows = np.column_stack([counts[:, :2], lengths, counts[:, 4:]]).astype(np.float64)
        if len(pairs) == len(listed):
            return rows
        begin = np.cumsum([0, *map(len, listed)]).tolist()
        scores = self.values(rows).tolist()
        return rows[[self._best(rows, scores, range(a, b)) for a, b in pairwise(begin)]]

    def _best(self, rows: Table, scores: Sequence[float], part: range) -> int:
        """Return the index of the row with the best score (ties: the first) among the indices in `part`.

        Scores that are almost equal are compared exactly.
        """
        highest = max(scores[k] for k in part)
        close = [k for k in part if scores[k] > highest - _ROUNDING]
        return close[0] if len(close) == 1 else max(close, key=lambda k: self._exact_score(rows[k]))

    def _exact_score(self, row: Table) -> Fraction:
        """Return the score of a row as a fraction. Parameters are read as decimals: 0.1 is exactly one tenth."""
        matches, chunks, words, reference_words = (int(value) for value in row[:4])
        if not matches:
            return Fraction(0)
        weight, penalty = Fraction(repr(self.weight)), Fraction(repr(self.penalty))
        fmean = (1 + weight) * matches / (words + weight * reference_words)
        if self.exponent.is_integer():
            return fmean * (1 - penalty * Fraction(chunks, matches) ** int(self.exponent))
        # Other powers may be irrational: fifty digits are enough.
        with localcontext(prec=_DIGITS):
            power = (Decimal(chunks) / Decimal(matches)) ** Decimal(repr(self.exponent))
        return fmean * (1 - penalty * Fraction(power))

    def pair_tables(self, hypotheses: Sequence[Text], references: Sequence[Text]) -> Iterator[Table]:
        """Yield the statistics of all hypotheses against each reference."""
        said, expected, words = number_all(*(list(map(words_of, side)) for side in (hypotheses, references)))
        keys = self._keys(words, said, expected)
        for number, length in enumerate(expected.lengths):
            repeated = expected.repeated(number, len(hypotheses))
            counts, _, _ = _native.align_stages(*said, *repeated, *keys, len(self.stages), self.cap)
            columns = [counts[:, :2], said.lengths, np.full(len(counts), length), counts[:, 4:]]
            yield np.column_stack(columns).astype(np.float64)

    @property
    def effects(self) -> Effects:
        """The effect of each column on the value."""
        return Effects.of(up="matches inexact", down="chunks words reference_words", columns=self.columns)

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the score of each row of summed statistics; 0 if nothing matches."""
        matches, chunks, words, reference_words = (sums[..., k] for k in range(4))
        with np.errstate(divide="ignore", invalid="ignore"):
            # With P = m / |c| and R = m / |r|, (1 + w) P R / (R + w P) = (1 + w) m / (|c| + w |r|).
            fmean = (1 + self.weight) * matches / (words + self.weight * reference_words)
            score = fmean * (1 - self.penalty * (chunks / matches) ** self.exponent)
        return np.where(matches > 0, score, 0.0)

    def _align(self, pairs: _Pairs) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        hypotheses, references, words = number_all(*([pair[k] for pair in pairs] for k in (0, 1)))
        keys = self._keys(words, hypotheses, references)
        return _native.align_stages(*hypotheses, *references, *keys, len(self.stages), self.cap)

    def _keys(self, words: Sequence[str], *sides: NumberedStrings) -> Keys:
        """Return the keys of all words; raise `InputError` if a segment has too many words."""
        for side in sides:
            if (longest := side.lengths.max(initial=0)) > _MOST_WORDS:
                raise InputError(
                    f"a segment has {longest} words, but METEOR can align at most {_MOST_WORDS}",
                    advice="split it into sentences",
                )
        return stage_keys(self.stages, words, self.stop_words)


def _checked(value: float, name: str, *, most: float = float("inf")) -> float:
    advice = f"give a number {'≥ 0' if most > 1 else 'from 0 to 1'}"
    return float(real_number(value, f"{name} is {value!r}", advice, most=most))
