"""Peers: other programs that compute the same answer, as shell commands or as functions to measure."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def write_metric(folder: Path, name: str, vocabulary: int, reference: list[int]) -> None:
    """Write the WRR automaton of a reference as OpenFst text, with one arc per word of the vocabulary in place of ★.

    OpenFst's tools need this, since they have no symbol that stands for any word.
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

    Each reference has its own automaton, so its compilation is included.
    """
    lattice, text, metric = (folder / f"{name}.{part}" for part in ("fst.txt", "metric.txt", "metric.fst"))
    return (
        f"fstcompile --acceptor {text} | fstarcsort --sort_type=ilabel > {metric} && "
        f"fstcompile {lattice} | fstmap --map_type=rmweight | fstcompose - {metric} | "
        f"fstshortestpath > {folder / f'{name}.oracle.fst'}"
    )


def pynini_best_path(lattice: Any, metric: Any) -> float:
    """Compose and find the shortest path, as a user of pynini would; return its cost.

    `lattice` outputs a word of the reference as itself or as ★, any other word only as ★. This is the fastest form that
    we know; one arc per word of the vocabulary in place of ★ takes longer.
    """
    import pynini

    best = pynini.shortestpath(pynini.compose(lattice, metric))
    return float(pynini.shortestdistance(best, reverse=True)[best.start()])
