"""Loops without policy, in C++ (sources in `kernels/`). Arrays are one-dimensional and contiguous."""

import numpy as np
import numpy.typing as npt

def order_states(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    start: int,
    is_final: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.int32], int, int]:
    """New number of each state (-1: no complete path passes), how many, and a state on a cycle or -1."""

def best_path(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    is_word: npt.NDArray[np.uint8],
    final_cost: npt.NDArray[np.float64],
) -> npt.NDArray[np.int64]:
    """Arcs of the cheapest path; ties: fewest words, then smallest arc numbers."""

def align(
    candidate: npt.NDArray[np.int32],
    reference: npt.NDArray[np.int32],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
) -> str:
    """The optimal alignment as letters C, S, D, I, ties resolved; gains are integers in `1 / unit`."""

def count_pairs(
    candidates: npt.NDArray[np.int32],
    candidate_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
) -> npt.NDArray[np.int64]:
    """A row a pair: k-gram matches for k = 1 .. order, substitutions, deletions, insertions."""
