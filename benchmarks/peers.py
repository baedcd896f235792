"""Peers: other programs with the same answer, as shell commands or as functions to time."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def write_metric(folder: Path, name: str, vocabulary: int, reference: list[int]) -> None:
    """Write the WRR automaton of a reference as OpenFst text, with ★ spelled out over the vocabulary.

    OpenFst's tools need this: they have no symbol for any word.
    """
    lines = []
    for state in range(len(reference) + 1):
        if state < len(reference):
            lines.append(f"{state} {state + 1} {reference[state]} -1")
            lines.append(f"{state} {state + 1} 0")
            lines += [f"{state} {state + 1} {word}" for word in range(1, vocabulary + 1)]
        lines += [f"{state} {state} {word} 1" for word in range(1, vocabulary + 1)]
    (folder / f"{name}.metric.txt").write_text("\n".join([*lines, str(len(reference))]) + "\n")


def libfst_command(folder: Path, name: str) -> str:
    """Return the pipeline of OpenFst's own tools for a lattice's WER oracle, from texts to the best path.

    Every reference has an automaton of its own, so that compiling it is a part of the work.
    """
    lattice, text, metric = (folder / f"{name}.{part}" for part in ("fst.txt", "metric.txt", "metric.fst"))
    return (
        f"fstcompile --acceptor {text} | fstarcsort --sort_type=ilabel > {metric} && "
        f"fstcompile {lattice} | fstmap --map_type=rmweight | fstcompose - {metric} | "
        f"fstshortestpath > {folder / f'{name}.oracle.fst'}"
    )


def pynini_best_path(lattice: Any, metric: Any) -> float:
    """Compose and take the shortest path, as a user of pynini would; return its cost.

    `lattice` has an arc to ★ beside each arc whose word is in the reference, and only that for other words, which is
    the fastest form we know: a user who spells ★ out over the vocabulary waits longer.
    """
    import pynini

    best = pynini.shortestpath(pynini.compose(lattice, metric))
    return float(pynini.shortestdistance(best, reverse=True)[best.start()])
