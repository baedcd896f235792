"""What Kaldi's lattices have in common, in text and in binary: two costs of 32 bits, transition ids, ids."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.errors import FormatError, InputError, UsageError
from latticemetric.formats.columns import as_lattice, require_labels, require_unscaled
from latticemetric.formats.text.fields import require_id
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Column, Labels, Lattice
from latticemetric.vocabulary import Vocabulary, Words

COLUMNS = ("lm", "acoustic")
TRANSITIONS = "transitions"


def lattice_of(columns: dict[str, Any], words: Words, vocabulary: Vocabulary | None) -> Lattice:
    """A lattice of what the native parsers return."""
    if not len(columns["source"]) and not len(columns["final"]):
        raise FormatError("the lattice is empty: it has no states")
    labels = {}
    if columns["transition_texts"]:
        side = Vocabulary.from_words(columns["transition_texts"])
        labels[TRANSITIONS] = Labels(columns["transitions"], columns["final_transitions"], side)
    return Lattice.from_arcs(
        columns["source"],
        columns["target"],
        words,
        final=columns["final"],
        start=columns["start"],
        scores={name: Column(columns[f"cost{k}"], columns[f"final_cost{k}"]) for k, name in enumerate(COLUMNS)},
        vocabulary=vocabulary,
        labels=labels,
        copy=False,
    )


def lattice_to_write(name: str, graph: Graph) -> tuple[Lattice, list[Column]]:
    """The graph as a lattice that Kaldi can hold, and its graph and acoustic costs."""
    lattice = as_lattice(graph)
    require_id(name, "an id in a Kaldi archive")
    require_unscaled(lattice, "kaldi")
    require_labels(lattice, "kaldi", {TRANSITIONS})
    return lattice, _columns(lattice)


def single_costs(columns: list[Column], part: str) -> npt.NDArray[np.float32]:
    """Pairs of graph and acoustic costs of arcs (or final states), in the 32 bits that Kaldi's have."""
    with np.errstate(over="ignore"):
        costs = np.stack([getattr(column, part) for column in columns], axis=1).astype("<f4")
    if not np.isfinite(costs).all():
        raise InputError("a cost does not fit into 32 bits, as Kaldi's do", advice="write another format")
    return costs


def _columns(lattice: Lattice) -> list[Column]:
    zero = Column(np.zeros(len(lattice.word)), np.zeros(len(lattice.final)))
    names = set(lattice.scores)
    if names <= set(COLUMNS):
        return [lattice.scores.get(name, zero) for name in COLUMNS]
    if len(names) == 1:
        return [next(iter(lattice.scores.values())), zero]
    raise UsageError(
        f"kaldi holds the scores lm and acoustic, and this graph has {', '.join(lattice.scores)}",
        advice="add them up with --sum-scores",
    )
