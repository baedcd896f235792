"""N-best lists in text: costs of log probabilities, and errors for lists that a format cannot hold."""

from __future__ import annotations

from latticemetric.errors import UsageError, shortened
from latticemetric.formats.text.fields import number, require_field
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice
from latticemetric.nbest import NBest


def read_cost(text: str, place: str) -> float:
    """Read the cost of a natural log probability."""
    return 0.0 - number(text, place)


def require_nbest(graph: Graph, format_name: str) -> NBest:
    """Return an n-best list; refuse lattices and forests."""
    if not isinstance(graph, NBest):
        kind, other = ("a lattice", "htk-slf") if isinstance(graph, Lattice) else ("a forest", "moses-hypergraph")
        raise UsageError(
            f"{format_name} holds n-best lists, and this is {kind}",
            advice=f"write a format that holds it, e.g. {other}",
        )
    return graph


def require_words(nbest: NBest, name: str = "") -> None:
    """Refuse words, and an id, that would be read back as several or as none."""
    for text in {word for h in nbest.hypotheses for word in h.words}:
        require_field(text, "the word")
    if name:
        require_field(name, "the id")


def require_scales(nbest: NBest, format_name: str, expected: dict[str, float]) -> None:
    """Refuse scores that would have another weight when they are read back."""
    if weighed := [name for name in nbest.score_names() if nbest.scales.get(name, 1.0) != expected.get(name, 0.0)]:
        raise UsageError(
            f"{format_name} would count {shortened(', '.join(weighed), 200)} with another weight than this list does",
            advice="add the scores up with --sum-scores, or write jsonl-nbest",
        )


def require_all_have(nbest: NBest, total: str) -> None:
    """Refuse a total that only some hypotheses have."""
    if any(total not in h.scores for h in nbest.hypotheses):
        raise UsageError(
            f"some hypotheses have no score '{shortened(total)}', and others have one",
            advice="add the scores up with --sum-scores",
        )


def single_costs(graph: NBest, format_name: str) -> list[float]:
    """Return the only cost of each hypothesis, 0 where it has none; refuse several scores, or weights."""
    names = graph.score_names()
    if len(names) > 1:
        raise UsageError(
            f"{format_name} holds one score a hypothesis, and this list has {shortened(', '.join(names), 200)}",
            advice="write jsonl-nbest, which holds them all",
        )
    if any(graph.scales.get(name, 1.0) != 1 for name in names):
        raise UsageError(
            f"{format_name} cannot say that {shortened(names[0])} has a weight other than 1",
            advice="write jsonl-nbest, which can",
        )
    return [next(iter(h.scores.values()), 0.0) for h in graph.hypotheses]
