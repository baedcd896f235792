"""References as automata: one metric automaton a reference, and their union."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from latticemetric.automata.recognition import Gains, ngram_total, recognition_automaton
from latticemetric.fst_layout import FstArrays
from latticemetric.interchange import fst_from_arrays
from latticemetric.vocabulary import EPSILON, STAR, Vocabulary

STAR_SYMBOL = "★"


def compile_references(references: Sequence[Sequence[str]], gains: Gains, vocabulary: Vocabulary | None = None) -> Any:
    """A recognition rate for some references as a tropical acceptor, cost = −gain.

    The automaton of one reference has the weights of the paper's table, so that a best path costs −numerator. With
    several, each one's weights are divided by its own denominator and they are joined at a new start: a best path
    then costs −rate. References without words have no rate, and are left out where there are others.

    Args:
        references: The words of each.
        gains: The metric's parameters.
        vocabulary: Numbers for the words; their own where it is not given.
    """
    if vocabulary is None:
        vocabulary = Vocabulary.from_words(word for reference in references for word in reference)
    if len(references) > 1 and any(references):
        references = [reference for reference in references if reference]
    parts = [_weighted(vocabulary, reference, gains, divide=len(references) > 1) for reference in references]
    symbols = None if vocabulary.is_numeric else {EPSILON: "<eps>", **dict(vocabulary.items()), STAR: STAR_SYMBOL}
    return fst_from_arrays(_union(parts, symbols))


def _weighted(vocabulary: Vocabulary, reference: Sequence[str], gains: Gains, *, divide: bool) -> FstArrays:
    automaton = recognition_automaton(vocabulary.encode(reference), gains.order)
    size = ngram_total(len(reference), gains.order) if divide and reference else 1
    final = np.full(automaton.states, np.inf)
    final[automaton.first_final :] = 0.0
    gain = np.array(gains.of_edits(), dtype=np.float64) / (gains.unit * size)
    label = automaton.label
    return FstArrays(0, final, automaton.source, automaton.target, label, label, -gain[automaton.edit])


def _union(parts: Sequence[FstArrays], symbols: dict[int, str] | None) -> FstArrays:
    offsets = np.cumsum([1, *(len(part.final) for part in parts)]) if len(parts) > 1 else np.array([0])
    source = [part.source + offset for part, offset in zip(parts, offsets, strict=False)]
    target = [part.target + offset for part, offset in zip(parts, offsets, strict=False)]
    label, weight, final = [p.input for p in parts], [p.weight for p in parts], [p.final for p in parts]
    if len(parts) > 1:
        starts = offsets[:-1]
        source, target = [np.zeros_like(starts), *source], [starts, *target]
        label, weight = [np.full(len(starts), EPSILON), *label], [np.zeros(len(starts)), *weight]
        final = [np.array([np.inf]), *final]
    labels = np.concatenate(label).astype(np.int32)
    return FstArrays(
        start=0,
        final=np.concatenate(final),
        source=np.concatenate(source).astype(np.int32),
        target=np.concatenate(target).astype(np.int32),
        input=labels,
        output=labels,
        weight=np.concatenate(weight),
        input_symbols=symbols,
        output_symbols=symbols,
    )
