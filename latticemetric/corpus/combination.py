"""Combine several systems on many utterances: combine their outputs, tune weights, and score the combination."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from latticemetric.corpus.system_outputs import Utterance
from latticemetric.display.frames import Tabular
from latticemetric.display.progress import progress
from latticemetric.errors import UsageError, placed
from latticemetric.mbr_decoding.combination import Combination, combine

if TYPE_CHECKING:
    from latticemetric.evaluation.intervals import Interval, PairedBootstrap
    from latticemetric.metrics.recognition import WER

Words = tuple[str, ...]
Table = npt.NDArray[np.float64]

_BLOCK = 100  # number of successive reference words that are resampled together
_LEAST_CUT = 2 * _BLOCK  # fewest reference words of an utterance that may be cut in two
_FACTORS = (0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.4, 1.7, 2.0, 3.0)
_POWERS = (1, 2, 4)
_EDITS = {name: number for number, name in enumerate("SDI")}


@cache
def _wer() -> WER:
    """Return the metric WER; import it late, since a combination without references does not need it."""
    from latticemetric.metrics.recognition import WER

    return WER()


# ---- Many combinations ----


@dataclass(frozen=True)
class Combinations:
    """The combinations of many utterances.

    Attributes:
        names: The id of each utterance.
        combinations: The combination of each utterance; all have the same systems.
    """

    names: tuple[str, ...]
    combinations: tuple[Combination, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.combinations[0].systems

    def voting(self, system_weights: Sequence[float], null: float) -> Combinations:
        """Return the same confusion networks with other weights."""
        changed = (
            replace(one, system_weights=tuple(map(float, system_weights)), null=float(null))
            for one in self.combinations
        )
        return Combinations(self.names, tuple(changed))


def combine_all(utterances: Sequence[Utterance], *, watched: bool = False, **options: Any) -> Combinations:
    """Combine the systems in each utterance; see `combine` for the options. If `watched`, show a progress bar."""
    names, found = [], []
    for utterance in progress(utterances, len(utterances), "utterances") if watched else utterances:
        with placed(utterance.name):
            found.append(combine(utterance.outputs, **options))
        names.append(utterance.name)
    if not found:
        raise UsageError("there are no utterances", advice="give at least one")
    return Combinations(tuple(names), tuple(found))


# ---- Tuning ----


@dataclass(frozen=True)
class TunedVote:
    """The setting (weights and `null`) with the fewest errors, among all settings tried.

    Attributes:
        system_weights: The weight of each system.
        null: The factor of the votes for "no word" or, in some schemes, the confidence of "no word"; see `combine`.
        errors: The number of word errors with this setting.
        errors_before: The number of word errors with the original weights.
        tried: The number of settings tried.
    """

    system_weights: tuple[float, ...]
    null: float
    errors: int
    errors_before: int
    tried: int


def tune_vote(combinations: Combinations, references: Sequence[Words]) -> TunedVote:
    """Find the system weights and the parameter `null` (see `combine`) that give the fewest word errors.

    A coordinate search multiplies one weight or `null` at a time by factors from 0 to 3. It ends when no factor reduces
    the errors. It starts with the original weights, or with powers of the systems' accuracies (1 − WER) if these give
    fewer errors.
    """
    parts, expected = combinations.combinations, [[words] for words in references]
    tried: dict[tuple[float, ...], int] = {}

    def errors(setting: tuple[float, ...]) -> int:
        if setting not in tried:
            voted = [one.vote(setting[:-1], null=setting[-1]).words for one in parts]
            tried[setting] = int(_wer().counts(voted, expected)[:, 1:4].sum())
        return tried[setting]

    own = (*parts[0].system_weights, parts[0].null)
    words = max(1, sum(map(len, references)))
    alone = [
        int(_wer().counts([one.outputs[s].best_words for one in parts], expected)[:, 1:4].sum())
        for s in range(len(parts[0].systems))
    ]
    by_accuracy = [
        (*(round(max(0.1, 1 - wrong / words) ** power, 6) for wrong in alone), parts[0].null) for power in _POWERS
    ]
    best = min((own, *by_accuracy), key=errors)
    is_better = True
    while is_better:
        is_better = False
        for place in range(len(best)):
            for factor in _FACTORS:
                setting = (*best[:place], round(best[place] * factor, 6), *best[place + 1 :])
                if any(setting[:-1]) and errors(setting) < errors(best):
                    best, is_better = setting, True
    return TunedVote(best[:-1], best[-1], errors(best), errors(own), len(tried))


def split_at(
    combinations: Combinations, references: Sequence[Words], share: float
) -> tuple[tuple[Combinations, list[Words]], tuple[Combinations, list[Words]]]:
    """Split the utterances and their references into two sets; the first has about this `share` of reference words.

    A long utterance at the border is cut in two, at a correct word.
    """
    if not 0 < share < 1:
        raise UsageError(f"the share is {share}, but must be between 0 and 1", advice="give a fraction like 0.5")
    left = share * sum(map(len, references))
    parts: tuple[list[tuple[str, Combination, Words]], list[tuple[str, Combination, Words]]] = ([], [])
    for name, one, words in zip(combinations.names, combinations.combinations, references, strict=True):
        if len(words) <= left or left <= 0:
            parts[left <= 0].append((name, one, words))
        elif (cut := _cut(one, words, int(left))) is None:
            parts[1].append((name, one, words))
        else:
            column, place = cut
            parts[0].append((name, one.part(0, column), words[:place]))
            parts[1].append((name, one.part(column, len(one.slots)), words[place:]))
        left -= len(words)
    if not all(parts):
        raise UsageError("there are too few words to split", advice="tune on a separate set of utterances")
    first, second = (
        (Combinations(tuple(n for n, _, _ in part), tuple(c for _, c, _ in part)), [w for _, _, w in part])
        for part in parts
    )
    return first, second


def _cut(combination: Combination, words: Words, place: int) -> tuple[int, int] | None:
    """Return where to cut an utterance: the column and the reference position of a correct word.

    It is the first correct word at the reference position `place` or later. Return `None` if there is none, or if the
    utterance is short.
    """
    if len(words) < _LEAST_CUT:
        return None
    i = j = 0
    for edit in _wer().align(combination.words, words).edits:
        if edit == "C" and j >= place:
            return int(combination.best.columns[i]), j
        i += edit != "D"
        j += edit != "I"
    return None


# ---- Judging ----


@dataclass(frozen=True)
class Judged:
    """The errors of a system or of a combination.

    Attributes:
        name: The system, or `combination`.
        errors: The sum of substitutions, deletions and insertions.
        substitutions: The number of substituted words.
        deletions: The number of deleted words.
        insertions: The number of inserted words.
        reference_words: The number of reference words.
        interval: The error rate and its interval; `None` without resamples.
        difference: This error rate minus the error rate of the combination, on resamples; `None` for the combination
            itself, and without resamples.
    """

    name: str
    errors: int
    substitutions: int
    deletions: int
    insertions: int
    reference_words: int
    interval: Interval | None = None
    difference: PairedBootstrap | None = None

    @property
    def score(self) -> float | None:
        """The word error rate; `None` if the references have no words."""
        return self.errors / self.reference_words if self.reference_words else None


@dataclass(frozen=True)
class Judgment(Tabular):
    """Scores of a combination, of its systems, of combinations without one system, and of oracles.

    Attributes:
        rows: The errors of the combination, of each system, and of combinations without one system.
        oracles: The number of errors of the oracle of each subset of the systems.
        reference_words: The number of reference words.
        blocks: The number of blocks of reference words, which are resampled for the intervals.
    """

    rows: tuple[Judged, ...]
    oracles: Mapping[tuple[str, ...], int]
    reference_words: int
    blocks: int

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each row, and for each oracle."""
        records = []
        for row in self.rows:
            counts = {name: getattr(row, name) for name in ("errors", "substitutions", "deletions", "insertions")}
            record = {"name": row.name, "wer": row.score, **counts, "reference_words": row.reference_words}
            if row.interval is not None:
                record |= {"low": row.interval.low, "high": row.interval.high}
            if row.difference is not None:
                ends = row.difference.difference
                record |= {"difference": ends.value, "difference_low": ends.low, "difference_high": ends.high}
                record |= {"p": row.difference.p}
            records.append(record)
        return records + [
            {
                "name": f"oracle of {' '.join(systems)}",
                "wer": errors / self.reference_words if self.reference_words else None,
                "errors": errors,
                "reference_words": self.reference_words,
            }
            for systems, errors in self.oracles.items()
        ]


class _ErrorRate:
    """The word error rate; statistics are the sums of substitutions, deletions, insertions and reference words."""

    def values(self, sums: Table) -> Table:
        with np.errstate(invalid="ignore", divide="ignore"):
            rates: Table = np.where(sums[..., 3] > 0, sums[..., :3].sum(axis=-1) / sums[..., 3], np.nan)
        return rates


def judge(
    combinations: Combinations,
    references: Sequence[Sequence[str]],
    *,
    subsets: bool = False,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Judgment:
    """Score a combination and its systems against references.

    Intervals resample blocks of up to 100 reference words; an hour of speech has about a hundred blocks.

    Args:
        combinations: The combinations.
        references: The words of the reference of each utterance.
        subsets: True to also compute the oracle of each subset of the systems.
        resamples: The number of resamples for intervals; 0 for none.
        seed: The seed of the resamples.
        confidence: The share of resamples inside an interval.
    """
    from latticemetric.evaluation.intervals import bootstrap, paired_bootstrap

    expected = [tuple(words) for words in references]
    sides = {"combination": [one.words for one in combinations.combinations]}
    for s, name in enumerate(combinations.systems):
        sides[name] = [one.outputs[s].best_words for one in combinations.combinations]
    sides |= dict(_without_each_system(combinations))
    tables = {name: _block_table(texts, expected) for name, texts in sides.items()}
    rows: list[Judged] = []
    rate = _ErrorRate()
    options: dict[str, Any] = {"resamples": resamples, "seed": seed, "confidence": confidence}
    for name, table in tables.items():
        substitutions, deletions, insertions, words = map(int, table.sum(axis=0).tolist())
        row = Judged(name, substitutions + deletions + insertions, substitutions, deletions, insertions, words)
        if resamples:
            row = replace(row, interval=bootstrap(rate, table, **options))
            if rows:
                first = tables["combination"]
                row = replace(row, difference=paired_bootstrap(rate, first, table, **options))
        rows.append(row)
    return Judgment(
        tuple(rows),
        _oracles(combinations, expected, subsets=subsets),
        rows[0].reference_words,
        len(tables["combination"]),
    )


def _without_each_system(combinations: Combinations) -> Iterator[tuple[str, list[Words]]]:
    """Yield, for each system, the name `without NAME` and the combined words without this system."""
    systems, system_weights = combinations.systems, combinations.combinations[0].system_weights
    for s, name in enumerate(systems):
        rest = [0.0 if t == s else weight for t, weight in enumerate(system_weights)]
        if len(systems) > 2 and any(rest):  # noqa: PLR2004  with two systems, this is the row of the other
            yield f"without {name}", [one.words_under(rest) for one in combinations.combinations]


def _oracles(combinations: Combinations, references: Sequence[Words], *, subsets: bool) -> dict[tuple[str, ...], int]:
    wanted = list(combinations.combinations[0].subsets()) if subsets else [combinations.systems]
    return {
        systems: sum(
            one.oracle([words], systems).statistics.errors
            for one, words in zip(combinations.combinations, references, strict=True)
        )
        for systems in wanted
    }


def _block_table(texts: Sequence[Words], references: Sequence[Words]) -> Table:
    """Return one row per block of the references: substitutions, deletions, insertions and words."""
    tables = []
    for text, reference in zip(texts, references, strict=True):
        edits = np.frombuffer(_wer().align(text, reference).edits.encode("ascii"), dtype=np.uint8)
        table = np.zeros((max(1, -(-len(reference) // _BLOCK)), 4))
        is_word = edits != ord("I")
        # An inserted word belongs to the block of the word before it.
        block = np.clip(np.cumsum(is_word) - 1, 0, max(0, len(reference) - 1)) // _BLOCK
        for letter, column in _EDITS.items():
            table[:, column] = np.bincount(block[edits == ord(letter)], minlength=len(table))
        table[:, 3] = np.bincount(block[is_word], minlength=len(table))
        tables.append(table)
    return np.vstack(tables)
