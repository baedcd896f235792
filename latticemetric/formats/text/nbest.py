"""Check n-best lists for text formats: read costs, and refuse lists that a format cannot hold."""

from __future__ import annotations

from latticemetric.errors import UsageError, shortened
from latticemetric.formats.text.fields import number, require_field
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice
from latticemetric.nbest import NBest


def read_cost(text: str, place: str) -> float:
    """Read a natural log probability as a cost."""
    return 0.0 - number(text, place)


def require_nbest(graph: Graph, format_name: str) -> NBest:
    """Return an n-best list; refuse lattices and forests."""
    if not isinstance(graph, NBest):
        kind, other = ("a lattice", "htk-slf") if isinstance(graph, Lattice) else ("a forest", "moses-hypergraph")
        raise UsageError(
            f"{format_name} holds n-best lists, but this is {kind}",
            advice=f"write a format that holds it, e.g. {other}",
        )
    return graph


def require_words(nbest: NBest, name: str = "") -> None:
    """Refuse words, and an id, that would be read back as several words or as no word."""
    for text in {word for h in nbest.hypotheses for word in h.words}:
        require_field(text, "the word")
    if name:
        require_field(name, "the id")


def require_scales(nbest: NBest, format_name: str, expected: dict[str, float]) -> None:
    """Refuse scores whose weight would change when they are read back."""
    if weighed := [name for name in nbest.score_names() if nbest.scales.get(name, 1.0) != expected.get(name, 0.0)]:
        raise UsageError(
            f"{format_name} would change the weight of {shortened(', '.join(weighed), 200)}",
            advice="add the scores up with --sum-scores, or write jsonl-nbest",
        )


def require_all_have(nbest: NBest, total: str) -> None:
    """Refuse a total that only some hypotheses have."""
    if any(total not in h.scores for h in nbest.hypotheses):
        raise UsageError(
            f"some hypotheses have a score '{shortened(total)}', but others have none",
            advice="add the scores up with --sum-scores",
        )


def single_costs(graph: NBest, format_name: str) -> list[float]:
    """Return the only cost of each hypothesis, 0 without a score; refuse several scores, or weights other than 1."""
    names = graph.score_names()
    if len(names) > 1:
        raise UsageError(
            f"{format_name} holds one score per hypothesis, but this list has {shortened(', '.join(names), 200)}",
            advice="write jsonl-nbest, which holds them all",
        )
    if any(graph.scales.get(name, 1.0) != 1 for name in names):
        raise UsageError(
            f"{format_name} cannot say that {shortened(names[0])} has a weight other than 1",
            advice="write jsonl-nbest, which can",
        )
    return [next(iter(h.scores.values()), 0.0) for h in graph.hypotheses]
