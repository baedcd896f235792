"""Explain a metric's counts in one segment, as text for a terminal.

A metric may define a method `explain(candidate, references) -> str`; recognition rates show their alignment.
"""

from __future__ import annotations

from math import inf
from typing import Any

from latticemetric.metrics.base import GraphReferences, GraphText, Text, graphs_of
from latticemetric.metrics.recognition import GRR


def explain(metric: Any, candidate: Any, references: GraphReferences) -> str | None:
    """Show a metric's counts in one candidate; return `None` if the metric cannot explain them."""
    own = getattr(metric, "explain", None)
    if own is not None:
        return str(own(candidate, references))
    if isinstance(metric, GRR):
        return explain_recognition(metric, candidate, references)
    return explain_alignment(metric, candidate, references) if hasattr(metric, "align") else None


def explain_alignment(metric: Any, candidate: GraphText, references: GraphReferences) -> str:
    """Show the alignment with the reference that gives the best score (ties: the first)."""
    listed = graphs_of(references)
    scores = [metric.score(candidate, [reference]) for reference in listed]
    best = max(range(len(listed)), key=lambda k: -inf if scores[k] is None else scores[k])
    return f"{metric.align(candidate, listed[best])}{_which(best, references)}"


def explain_recognition(metric: GRR, candidate: Text, references: GraphReferences) -> str:
    """Show the alignment with the reference that gives the best rate, and its counts."""
    reference, statistics, alignment, _ = metric.evaluate(candidate, graphs_of(references))
    lengths = ", ".join(str(k) for k in range(1, metric.order + 1))
    counts = (
        f"matches of length {lengths}: {', '.join(map(str, statistics.matches))}; "
        f"substitutions {statistics.substitutions}, deletions {statistics.deletions}, "
        f"insertions {statistics.insertions}"
    )
    rate = f"{metric.numerator(statistics)}/{metric.denominator(statistics)}"
    return "\n".join([str(alignment), counts, f"{rate}{_which(reference, references)}"])


def _which(reference: int, references: GraphReferences) -> str:
    number = len(graphs_of(references))
    return f", against reference {reference + 1} of {number}" if number > 1 else ""
