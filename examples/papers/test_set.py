"""Judged test sets for the examples: `harvest` of the repository, or any that `latticemetric correlate` reads."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.evaluation import human_scores
from latticemetric.formats.judged import read_judged
from latticemetric.metrics.preparation import Preparation

HARVEST = str(Path(__file__).parent.parent / "data" / "harvest")


class Judged(NamedTuple):
    """Words of outputs (by system) and references, and human scores of segments and of whole systems."""

    systems: tuple[str, ...]
    outputs: list[list[tuple[str, ...]]]
    references: list[list[tuple[str, ...]]]
    human: npt.NDArray[np.float64]
    whole: npt.NDArray[np.float64] | None


def read(path: str = HARVEST, pair: str | None = None, *, lowercase: bool = True) -> Judged:
    """Read a test set; raw texts are tokenized by 13a."""
    judged = read_judged(path, pair=pair)
    prepared = Preparation(lowercase=lowercase, tokenize="13a" if judged.raw else None)
    human = human_scores(judged.judgments.select([judged.standard]) if judged.standard else judged.judgments)
    outputs = [[prepared.words(text) for text in texts] for texts in judged.outputs]
    references = [[prepared.words(text) for text in several] for several in judged.references]
    return Judged(judged.systems, outputs, references, human.segment, human.system)


def verdict(claim: str, *, holds: bool) -> None:
    """Print a claim of a paper, and if these data agree."""
    print(f"{'holds here' if holds else 'does NOT hold here'}: {claim}")
