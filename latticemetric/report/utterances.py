"""What a page knows of each utterance, as plain values."""

from __future__ import annotations

from typing import Any

from latticemetric.alignment import INSERTION, Alignment
from latticemetric.batch.decoded import Decoded
from latticemetric.batch.reviews import MBR, ONE_BEST, ORACLE, Review
from latticemetric.drawing.letters import visible
from latticemetric.questions.oracles.scored_path import ScoredPath
from latticemetric.report.figures import paths

# As far as numbers in scripts reach: what is only sorted by goes no further.
_FURTHEST = 2**53
_COUNTS = ("matches", "substitutions", "deletions", "insertions")


def utterance(review: Review) -> dict[str, Any]:
    """One utterance, for JSON, without its drawing.

    References are lists of words; a side's `words` are all that it says, its alignment is `edits` with the words of
    both sides that are counted.
    """
    common: dict[str, Any] = {"id": visible(review.name), "references": [_shown(words) for words in review.references]}
    if review.oracle is None:
        return {**common, "error": visible(str(review.problem))}
    best, size = review.oracle, review.size
    assert size is not None
    sides = {ORACLE: _side(best), ONE_BEST: _side(best.one_best)}
    if review.mbr is not None:
        sides[MBR] = _side(review.mbr) | {"method": review.mbr.method, "apart": review.mbr.apart}
    item = {
        **common,
        "length": review.swept.length,
        "headroom": headroom(review),
        "density": density(review),
        "kind": size.kind,
        "states": size.states,
        "arcs": size.arcs,
        "paths": paths(size.paths),
        "best_paths": [min(review.best_paths or _FURTHEST, _FURTHEST), paths(review.best_paths)],
        "exact": best.exact,
        "sides": sides,
    }
    if review.mbr_problem is not None:
        item["mbr_problem"] = visible(str(review.mbr_problem))
    return item if review.scores is None else {**item, "scores": review.scores}


def headroom(review: Review) -> float | None:
    """How far the oracle and the 1-best of one graph are apart."""
    if review.oracle is None or review.oracle.score is None or review.oracle.one_best.score is None:
        return None
    return abs(review.oracle.score - review.oracle.one_best.score)


def density(review: Review) -> float | None:
    """Arcs with words for each word of the reference, as sweeps count them; of lattices."""
    whole = review.swept.kept[-1].word_arcs if review.swept.kept else None
    return whole / review.swept.length if whole is not None and review.swept.length else None


def _side(path: ScoredPath | Decoded) -> dict[str, Any]:
    counts = path.statistics.asdict()
    said = {
        "score": path.score,
        "fraction": [path.numerator, path.denominator],
        "counts": [counts[name] for name in _COUNTS],
        "words": _shown(path.words),
        **_aligned(path.alignment, path.words),
    }
    return {**said, "cost": path.cost} if isinstance(path, ScoredPath) else said


def _aligned(alignment: Alignment, words: tuple[str, ...]) -> dict[str, Any]:
    """Edits, and the reference words where another one or none was said; `said` only where not all words count."""
    expected = [r or "" for edit, r, c in alignment.steps() if edit != INSERTION and r != c]
    said = {} if alignment.candidate == words else {"said": _shown(alignment.candidate)}
    return {"edits": alignment.edits, "expected": _shown(expected), **said}


def _shown(words: list[str] | tuple[str, ...]) -> list[str]:
    return [visible(word) for word in words]
