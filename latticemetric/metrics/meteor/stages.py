"""METEOR's stages: which words each may map to one another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from itertools import count

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.metrics.stemming import porter_stem
from latticemetric.metrics.wordnet import base_forms, synsets, wordnet

STAGES = ("exact", "porter", "wn-stem", "wn-synonymy")
"""The stages there are."""

Keys = tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]
"""Numbered keys of all words in all stages, and where those of each word in each stage begin."""

_KeysOf = Callable[[str], Collection[Hashable]]


def checked_stages(stages: str | Iterable[str]) -> tuple[str, ...]:
    """The stages of a list, or of a string with commas.

    Raises:
        UsageError: There is none, or an unknown one, or one twice.

    Examples:
        >>> checked_stages("exact,porter")
        ('exact', 'porter')
    """
    listed = tuple(name.strip() for name in (stages.split(",") if isinstance(stages, str) else stages))
    advice = f"choose some of {', '.join(STAGES)}"
    for name in listed:
        if name not in STAGES:
            raise UsageError(f"METEOR has no stage '{name}'", advice=advice)
    if not listed or len(set(listed)) < len(listed):
        raise UsageError("METEOR needs stages, each at most once", advice=advice)
    return listed


def stage_keys(stages: Sequence[str], words: Collection[str], stop_words: frozenset[str]) -> Keys:
    """The keys of word types: two words may be mapped in a stage if they share one there."""
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


def _keys_of(stage: str, stop_words: frozenset[str]) -> _KeysOf:
    if stage == "exact":
        return lambda word: () if word in stop_words else (word,)
    if stage == "porter":
        return lambda word: (porter_stem(word),)
    # "share the same base form in WordNet"; "at least one sense of each word belongs to the same synset" (section 3.6).
    source = wordnet()
    if stage == "wn-stem":
        return lambda word: base_forms(source, word)
    return lambda word: synsets(source, word)
