"""Votes of systems, column by column, as ROVER has them (Fiscus 1997)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from latticemetric.frozen import Frozen
from latticemetric.lattice.columns import Column, Floats
from latticemetric.lattice.lattice import Lattice
from latticemetric.mbr_decoding.slotted_output import NO_WORD, Numbers, SlottedOutput
from latticemetric.mbr_decoding.word import TIE, times_in_order
from latticemetric.posterior.best import Times
from latticemetric.vocabulary import Vocabulary

VoteScheme = Literal["sum", "votes", "average", "maximum"]

VOTES: tuple[VoteScheme, ...] = get_args(VoteScheme)
"""The schemes that vote."""

_NO_VOTES = 1e3  # the cost of a word that no system votes for


@dataclass(frozen=True, eq=False)
class Vote(Frozen):
    """The words that win a vote.

    Attributes:
        words: The words.
        confidences: The share of the votes (by weight) for each word. Each vote is multiplied by the system's
            confidence in the word, except in the scheme `votes`.
        columns: The column of each word.
    """

    words: tuple[str, ...]
    confidences: tuple[float, ...]
    columns: Numbers


class WordTable:
    """The words of all systems, by column.

    An entry is a word (or '' for no word) of a system in a column, with its probability (`mass`). A group consists of
    all entries of a column with the same word. Groups are sorted by column, then by the tie rule of votes.
    """

    def __init__(self, outputs: Sequence[SlottedOutput], slots: Numbers) -> None:
        spelling = sorted({word for output in outputs for word in output.words} - {""})
        self.vocabulary = Vocabulary.from_words(spelling)
        self.columns = len(slots)
        self._letters_of: dict[int, set[Any]] = {}
        self._similarity_of: dict[tuple[int, int], float] = {}
        numbers = {word: number for number, word in enumerate(spelling, start=1)} | {"": NO_WORD}
        parts = [self._entries(s, output, slots[:, s], numbers) for s, output in enumerate(outputs)]
        column, system, word, self.mass, self.is_top = map(np.concatenate, zip(*parts, strict=True))
        self.system = system.astype(np.int64)
        # The best word of each system in each column.
        self.top: npt.NDArray[np.int64] = np.zeros(slots.shape, dtype=np.int64)
        self.top[column[self.is_top], self.system[self.is_top]] = word[self.is_top]
        self.times = np.full((*slots.shape, 2), np.nan)
        for s, output in enumerate(outputs):
            present = np.flatnonzero(slots[:, s] >= 0)
            self.times[present, s] = output.times[slots[present, s]]
        keys, group = np.unique(column * (len(spelling) + 1) + word, return_inverse=True)
        self._sort_groups(keys // (len(spelling) + 1), keys % (len(spelling) + 1), group, self._ranks(outputs))

    @staticmethod
    def _entries(
        s: int, output: SlottedOutput, slot: Numbers, numbers: Mapping[str, int]
    ) -> tuple[npt.NDArray[Any], ...]:
        """Return the entries of system `s` as five arrays: column, system, word, mass and flag.

        The flag is True for the best word of each slot, and for "no word" in a column without a slot.
        """
        present, absent = np.flatnonzero(slot >= 0), np.flatnonzero(slot < 0)
        sizes = np.diff(output.first)
        is_top = np.zeros(len(output.words), dtype=bool)
        is_top[output.first[:-1]] = True
        word = np.fromiter(map(numbers.__getitem__, output.words), np.int64, len(output.words))
        return (
            np.concatenate([np.repeat(present, sizes), absent]),
            np.full(len(word) + len(absent), s),
            np.concatenate([word, np.zeros(len(absent), dtype=np.int64)]),
            np.concatenate([output.probabilities, np.ones(len(absent))]),
            np.concatenate([is_top, np.ones(len(absent), dtype=bool)]),
        )

    def _ranks(self, outputs: Sequence[SlottedOutput]) -> Numbers:
        """Return the rank of each system by its mean distance to the other systems; ties are resolved by the words."""
        systems = range(len(outputs))
        distances = [sum(int(np.count_nonzero(self.top[:, s] != self.top[:, t])) for t in systems) for s in systems]
        contents: list[Any] = (
            [output.content() for output in outputs] if len(set(distances)) < len(distances) else [0] * len(distances)
        )
        order = sorted(systems, key=lambda s: (distances[s], contents[s]))
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        return ranks

    def _sort_groups(self, column: Numbers, word: Numbers, group: Numbers, ranks: Numbers) -> None:
        best = np.full(len(column), len(ranks))
        np.minimum.at(best, group[self.is_top], ranks[self.system[self.is_top]])
        order = np.lexsort((word, best, word == NO_WORD, column))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        self.group = place[group]
        self.group_column, self.group_word = column[order], word[order]
        self.first_group = np.searchsorted(self.group_column, np.arange(self.columns))

    def _summed(self, values: Floats) -> Floats:
        sums: Floats = np.bincount(self.group, weights=values, minlength=len(self.group_word)).astype(
            np.float64, copy=False
        )
        return sums

    @np.errstate(under="ignore")  # tiny probabilities are 0, also for users who let NumPy raise errors
    def cost(self) -> float:
        """Return the cost of the alignment; see `Combination`."""
        systems = self.top.shape[1]
        slot = self.group_column[self.group] * systems + self.system
        # The only word of a slot has probability 1; its mass is a confidence.
        words = np.bincount(slot, minlength=systems * self.columns)
        sums = np.bincount(slot, weights=self.mass, minlength=systems * self.columns)
        share = np.where(words[slot] == 1, 1.0, self.mass / np.where(words == 1, 1.0, sums)[slot])
        # Twice the sum, over pairs of systems, of the probability that both have the word of a group.
        agree = self._summed(share) ** 2 - self._summed(share**2)
        return max(0.0, math.comb(systems, 2) * self.columns - float(agree.sum()) / 2)

    @np.errstate(under="ignore")  # tiny probabilities are 0, also for users who let NumPy raise errors
    def vote(self, system_weights: Floats, null: float, scheme: VoteScheme, share: float) -> Vote:
        """Return the words that win; for the parameters, see `combine`."""
        if not self.columns:
            return Vote((), (), np.empty(0, dtype=np.int64))
        system_weights = system_weights / system_weights.max()  # ties do not depend on the unit of the weights
        weight, is_word = system_weights[self.system], self.group_word != NO_WORD
        all_weights = float(system_weights.sum())
        mass = self._summed(weight * self.mass)
        counts = self._summed(weight * self.is_top)
        if scheme in ("sum", "votes"):
            score = (mass if scheme == "sum" else counts) * np.where(is_word, 1.0, null)
        else:
            sure = self._confidence(weight, mass, largest=scheme == "maximum")
            score = share * counts / all_weights + (1 - share) * np.where(is_word, sure, null)
        score[self._summed(weight) == 0] = -1.0  # systems of weight 0 do not vote, not even for what ties with no vote
        largest = np.maximum.reduceat(score, self.first_group)
        wins = np.flatnonzero(score >= (largest * (1 - TIE))[self.group_column])
        first = np.searchsorted(self.group_column[wins], np.arange(self.columns))
        winner = wins[first]
        of_words = wins[is_word[wins]]
        number = np.bincount(self.group_column[of_words], minlength=self.columns)
        if (several := number > 1).any():
            equal = of_words[several[self.group_column[of_words]]]
            winner[several] = self._most_similar(equal, np.cumsum([0, *number[several]]), system_weights)
        winner = winner[is_word[winner]]
        sure = np.minimum((counts if scheme == "votes" else mass)[winner] / all_weights, 1.0)
        words = self.vocabulary.decode(self.group_word[winner])
        return Vote(tuple(words), tuple(sure.tolist()), self.group_column[winner])

    def _most_similar(self, groups: Numbers, first: Numbers, system_weights: Floats) -> Numbers:
        """Return one group of each set of groups: the group whose word is most similar to the words of all systems.

        A system is represented by its best word in the column. Of equally similar groups, the first wins. The sets
        follow each other in `groups`; `first` has the index where each set begins, and the end of the last set.
        """
        own, others = self.group_word[groups][:, None], self.top[self.group_column[groups]]
        size = int(self.group_word.max()) + 1
        keys, place = np.unique(np.minimum(own, others) * size + np.maximum(own, others), return_inverse=True)
        similarity = np.array([self._similarity(*divmod(key, size)) for key in keys.tolist()])[
            place.reshape(others.shape)
        ]
        common = np.round((similarity * system_weights).sum(axis=1), 9)
        best = np.repeat(np.maximum.reduceat(common, first[:-1]), np.diff(first))
        wins = np.flatnonzero(common == best)
        return groups[wins[np.searchsorted(wins, first[:-1])]]

    def _similarity(self, one: int, other: int) -> float:
        """Return the share of letters and letter pairs that two words have in common; 0 if only one word is empty."""
        if one == other or NO_WORD in (one, other):
            return float(one == other)
        if (found := self._similarity_of.get((one, other))) is None:
            letters, others = self._letters(one), self._letters(other)
            common = len(letters & others)
            found = self._similarity_of[one, other] = common / (len(letters) + len(others) - common)
        return found

    def _letters(self, number: int) -> set[Any]:
        """Return the letters and pairs of letters of a word."""
        if (found := self._letters_of.get(number)) is None:
            word = self.vocabulary.word(number)
            found = self._letters_of[number] = {*word, *zip(f" {word}", word, strict=False)}
        return found

    def _confidence(self, weight: Floats, mass: Floats, *, largest: bool) -> Floats:
        """Return the mean (weighted) or largest confidence of each group's word.

        Ignore systems that do not have the word, and systems with weight 0.
        """
        if largest:
            found = np.zeros(len(self.group_word))
            np.maximum.at(found, self.group, np.where(weight > 0, self.mass, 0.0))
            return found
        summed: Floats = mass / np.maximum(self._summed(weight), np.finfo(float).tiny)
        return summed

    def agreement(self, names: Sequence[str], vote: Vote) -> dict[str, dict[str, int]]:
        """Count the winning words of each system; see `Combination.agreement`."""
        words = self.vocabulary.encode(vote.words)
        has = self.top[vote.columns] == words[:, None]
        alone = has & (has.sum(axis=1) == 1)[:, None]
        return {name: {"words": int(has[:, s].sum()), "alone": int(alone[:, s].sum())} for s, name in enumerate(names)}

    def lattice(self, system_weights: Floats, chosen: Sequence[int]) -> Lattice:
        """Return the words of the `chosen` systems as a lattice; omit columns where these systems have no words."""
        used = np.zeros(len(system_weights))
        used[list(chosen)] = (
            system_weights[list(chosen)] / system_weights[list(chosen)].max()
            if system_weights[list(chosen)].any()
            else 1.0
        )
        share = self._summed(used[self.system] * self.mass)
        kept = np.flatnonzero(self._summed(np.isin(self.system, chosen).astype(np.float64)) > 0)
        column, word = self.group_column[kept], self.group_word[kept]
        has_words = np.isin(column, column[word != NO_WORD])
        kept, column, word = kept[has_words], column[has_words], word[has_words]
        places, place = np.unique(column, return_inverse=True)
        sums = np.bincount(place, weights=share[kept], minlength=len(places))
        with np.errstate(divide="ignore"):
            cost = -np.log(share[kept] / sums[place])
        return Lattice.from_arcs(
            place,
            place + 1,
            word,
            final=[len(places)],
            scores={"votes": Column(np.minimum(cost, _NO_VOTES) + 0.0, np.zeros(1))},
            vocabulary=self.vocabulary,
        )

    def mean_times(self, vote: Vote) -> Times | None:
        """Return the mean begin and end of each word of a vote, in seconds; `None` if no system has times.

        If no system with the word has times, the times of other systems in the column are used. A word in a column
        without times gets interpolated times.
        """
        if np.isnan(self.times).all() or not vote.words:
            return None
        has = self.top[vote.columns] == self.vocabulary.encode(vote.words)[:, None]
        times = self.times[vote.columns]
        is_timed = ~np.isnan(times).any(axis=2)
        used = has & is_timed
        used = np.where(used.any(axis=1)[:, None], used, is_timed)
        known = np.flatnonzero(used.any(axis=1))
        if not len(known):
            return None
        with np.errstate(invalid="ignore"):
            means = np.where(used[..., None], times, 0.0).sum(axis=1) / used.sum(axis=1)[:, None]
        place = np.arange(len(means))
        begin, end = (np.interp(place, known, means[known, side]) for side in (0, 1))
        return times_in_order(begin, end)
