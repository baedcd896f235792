"""Ways to call `oracle`, with the types that checkers see; mypy reads this file, and a test runs it."""

from typing import assert_type

import latticemetric as lm
from latticemetric.graph import Graph


def answers(graph: Graph, reference: str) -> list[tuple[str, ...]]:
    """Find the oracle of a graph in all ways that need no other package."""
    return [
        assert_type(lm.oracle(graph, reference), lm.Oracle).words,
        assert_type(lm.oracle(graph, reference, "wer"), lm.Oracle).words,
        assert_type(lm.oracle(graph, [reference, reference], lm.WER(), engine="native"), lm.Oracle).words,
        assert_type(lm.oracle(graph, reference, metric="4-grr", weights={}), lm.Oracle).words,
        assert_type(lm.oracle(graph, reference, lm.ByRate(metric="wer", engine="native")), lm.Oracle).words,
    ]


def with_openfst(graph: Graph, reference: str, automaton: object) -> list[tuple[str, ...]]:
    """Find the oracle of a graph in all ways that need pynini."""
    return [
        assert_type(lm.oracle(graph, reference, "compound-wer"), lm.CompoundOracle).words,
        assert_type(lm.oracle(graph, reference, lm.ByCompounds()), lm.CompoundOracle).words,
        assert_type(lm.oracle(graph, None, automaton), lm.AutomatonOracle).words,
        assert_type(lm.oracle(graph, None, lm.ByAutomaton(automaton=automaton)), lm.AutomatonOracle).words,
    ]


def fields(search: lm.ByRate) -> tuple[lm.GRR, tuple[float, ...], int | None]:
    """Return three fields; their types are those of the class."""
    return search.rate, assert_type(search.hope, tuple[float, ...]), assert_type(search.nbest, int | None)


def refused(graph: Graph) -> None:
    """Each line is an error for type checkers."""
    lm.oracle(graph, "a", "wer", hope=1)  # type: ignore[call-overload]
    lm.oracle(graph, "a", lm.ByRate(), engine="native")  # type: ignore[call-overload]
    lm.oracle(graph, "a", lm.ByCorpusBLEU(), engine="native")  # type: ignore[call-overload]
    lm.oracle(graph, None, lm.ByRate())  # type: ignore[call-overload]
    lm.ByRate(hop=1)  # type: ignore[call-arg]
    lm.ByRate(hope="x")  # type: ignore[arg-type]
    lm.ByRate().nbest = 3  # type: ignore[misc]
