"""How Sphinx lattices are written; see `sphinx`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import IO, NamedTuple

import numpy as np

from latticemetric.errors import InputError, shortened
from latticemetric.formats.columns import lattice_with_one_column, require_labels, require_unscaled
from latticemetric.formats.registry import Graph
from latticemetric.formats.texts.fields import word_to_write
from latticemetric.formats.texts.word_nodes import Key, word_nodes
from latticemetric.lattice import Column, Lattice
from latticemetric.vocabulary import Vocabulary

BASES = (1.0001, 1.0003)
"""What PocketSphinx and Sphinx-3 take logarithms to."""

FRAME_RATE = 100.0
NO_WORD = "(null)"
"""What PocketSphinx writes for a node without a word."""

VARIANT = re.compile(r"(.+)\(([0-9]+)\)")
VARIANTS = "v"
_WIDEST = 2.0**31


class _Arcs(NamedTuple):
    """The arcs of a file.

    Attributes:
        source: Where each begins.
        target: Where it ends.
        keys: Its word.
        cost: Its cost.
        states: How many states the file has.
        final: Which is the final one.
        closing: The arc that is not written, since a reader adds it.
    """

    source: list[int]
    target: list[int]
    keys: list[Key]
    cost: list[float]
    states: int
    final: int
    closing: int | None = None


def write(file: IO[bytes], _name: str, graph: Graph) -> None:
    """Writes one lattice.

    Scores are whole numbers to a base of Sphinx where that is exact, otherwise decimals to the base e; frames likewise.
    """
    lattice = lattice_with_one_column(graph, "sphinx")
    require_unscaled(lattice, "sphinx")
    require_labels(lattice, "sphinx", {VARIANTS})
    arcs = _arcs(lattice)
    nodes = word_nodes(arcs.states, arcs.source, arcs.target, arcs.keys)
    base, scores = _scores(arcs.cost)
    rows = zip(nodes.of_arc, arcs.target, scores, strict=True)
    edges = [f"{s} {t} {score}" for row, (s, t, score) in enumerate(rows) if row != arcs.closing]
    edges += [f"{state} {node} 0" for node, state in enumerate(nodes.state) if node != state]
    rate, frames = _frames(lattice)
    end = max(frames, key=float) if arcs.closing is None else frames.pop()
    frames += [end] * (arcs.states - len(frames))
    words = [_word_to_write(lattice, key) for key in nodes.keys]
    nexts = [frames[state] if state < len(frames) else end for state in arcs.target]
    spans = _spans(len(words), zip(nodes.of_arc, nexts, strict=True), end, whole=all(f.isdigit() for f in frames))
    rows_of_nodes = zip(words, nodes.state, spans, strict=True)
    node_lines = [f"{n} {word} {frames[s]} {first} {last}" for n, (word, s, (first, last)) in enumerate(rows_of_nodes)]
    header = ["# getcwd: /", f"# -logbase {base}", f"# -frate {rate}", "#"]
    header += [f"Frames {end if lattice.times is not None else 1}", "#"]
    header += [f"Nodes {len(words)} (NODEID WORD STARTFRAME FIRST-ENDFRAME LAST-ENDFRAME)", *node_lines, "#"]
    header += ["Initial 0", f"Final {arcs.final}", "#", "BestSegAscr 0 (NODEID ENDFRAME ASCORE)", "#"]
    lines = [*header, "Edges (FROM-NODEID TO-NODEID ASCORE)", *edges, "End"]
    file.write(("\n".join(lines) + "\n").encode("utf-8"))


def _arcs(lattice: Lattice) -> _Arcs:
    """The arcs without the last, where it is the one that a reader adds; else with arcs to an end of their own."""
    last = lattice.num_states - 1
    column = next(iter(lattice.scores.values()), Column(np.zeros(len(lattice.word)), np.zeros(len(lattice.final))))
    side = lattice.labels.get(VARIANTS)
    variants = side.arc.tolist() if side else [0] * len(lattice.word)
    source, target, cost = lattice.source.tolist(), lattice.target.tolist(), column.arc.tolist()
    keys = list(zip(lattice.word.tolist(), variants, strict=True))
    plain = lattice.final.tolist() == [last] and not column.final.any() and not (side and side.final.any())
    closing = np.flatnonzero(lattice.target == last)
    if plain and len(closing) == 1:
        row = int(closing[0])
        if cost[row] == 0 and source.count(source[row]) == 1:
            return _Arcs(source, target, keys, cost, last, source[row], row)
    if plain:
        return _Arcs(source, target, keys, cost, last + 1, last)
    ends = lattice.final.tolist()
    final_variants = side.final.tolist() if side else [0] * len(ends)
    return _Arcs(
        source + ends,
        target + [last + 1] * len(ends),
        keys + [(0, variant) for variant in final_variants],
        cost + column.final.tolist(),
        last + 2,
        last + 1,
    )


def _scores(cost: list[float]) -> tuple[str, list[str]]:
    """The base, and the scores to it."""
    for base in BASES:
        log = math.log(base)
        if all(abs(c / log) < _WIDEST for c in cost):
            scores = [round(0.0 - c / log) for c in cost]
            if all(0.0 - score * log == c for score, c in zip(scores, cost, strict=True)):
                return f"{base:e}", list(map(str, scores))
    return repr(math.e), [repr(0.0 - c) for c in cost]


def _frames(lattice: Lattice) -> tuple[str, list[str]]:
    """The frames a second, and the frame of each state."""
    if lattice.times is None:
        return f"{FRAME_RATE:.0f}", ["0"] * lattice.num_states
    times = lattice.times.tolist()
    frames = [round(time * FRAME_RATE) if abs(time) < _WIDEST else 0 for time in times]
    whole = all(frame / FRAME_RATE == time for frame, time in zip(frames, times, strict=True))
    # A single frame would be read back as no times at all.
    if whole and (max(frames) != 1 or len(set(frames)) > 2):  # noqa: PLR2004
        return f"{FRAME_RATE:.0f}", list(map(str, frames))
    return "1", list(map(repr, times))


def _spans(nodes: int, nexts: Iterable[tuple[int, str]], end: str, *, whole: bool) -> list[tuple[str, str]]:
    """The first and the last frame that each node's word may end in: those before its followers begin."""
    found: list[list[str]] = [[] for _ in range(nodes)]
    for node, frame in nexts:
        found[node].append(frame)
    spans = [(min(frames or [end], key=float), max(frames or [end], key=float)) for frames in found]
    return [(str(max(0, int(a) - 1)), str(max(0, int(b) - 1))) for a, b in spans] if whole else spans


def _word_to_write(lattice: Lattice, key: Key) -> str:
    word = word_to_write(lattice.vocabulary, key[0], NO_WORD)
    variant = _variant(lattice.labels[VARIANTS].vocabulary, key[1]) if key[1] else ""
    if not variant and VARIANT.fullmatch(word):
        raise InputError(
            f"the word '{shortened(word, 40)}' would be read back as a pronunciation variant",
            advice="write another format",
        )
    return word + variant


def _variant(vocabulary: Vocabulary, number: int) -> str:
    text = vocabulary.word(number)
    if not re.fullmatch("[0-9]+", text):
        raise InputError(
            f"the pronunciation variant '{shortened(text, 40)}' is not a number",
            advice="leave it out with --drop-labels",
        )
    return f"({text})"
