"""Convert Kaldi's lattices to and from graphs, for text and binary archives: two costs of 32 bits, transition ids."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.errors import FormatError, InputError, UsageError
from latticemetric.formats.columns import lattice_to_write
from latticemetric.formats.text.fields import require_id
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Column, Labels, Lattice
from latticemetric.vocabulary import Vocabulary, Words

COLUMNS = ("lm", "acoustic")
TRANSITIONS = "transitions"


def lattice_of(columns: dict[str, Any], words: Words, vocabulary: Vocabulary | None) -> Lattice:
    """Build a lattice from the columns of the native parsers."""
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


def kaldi_lattice(name: str, graph: Graph) -> tuple[Lattice, list[Column]]:
    """Return the graph as a lattice for Kaldi, and its columns of graph and acoustic costs."""
    lattice = lattice_to_write(graph, "kaldi", {TRANSITIONS})
    require_id(name, "an id in a Kaldi archive")
    zero = Column(np.zeros(len(lattice.word)), np.zeros(len(lattice.final)))
    if lattice.scores.keys() <= set(COLUMNS):
        return lattice, [lattice.scores.get(name, zero) for name in COLUMNS]
    if len(lattice.scores) == 1:
        return lattice, [*lattice.scores.values(), zero]
    raise UsageError(
        f"kaldi holds the scores lm and acoustic, but this graph has {', '.join(lattice.scores)}",
        advice="add them up with --sum-scores",
    )


def float32_costs(columns: list[Column], part: str) -> npt.NDArray[np.float32]:
    """Return the graph and acoustic cost of each arc or final state as Kaldi's 32-bit numbers."""
    with np.errstate(over="ignore"):
        costs = np.stack([getattr(column, part) for column in columns], axis=1).astype("<f4")
    if not np.isfinite(costs).all():
        raise InputError("a cost does not fit into Kaldi's 32 bits", advice="write another format")
    return costs
