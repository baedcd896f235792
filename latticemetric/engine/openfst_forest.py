"""The general road for forests: a push-down transducer, unfolded by OpenFst, then composed as a lattice is.

It is meant for small forests and for checking the native engine: it unfolds what a forest shares. OpenFst can also
search the folded product (`pdt_compose`, then `pdt_shortestpath` or `pdt_expand` with a weight), but not correctly:
in OpenFst 1.8 a node that is called with the same parenthesis from two states of the automaton is taken to be called
from one of them (`ParenSpec::operator==` compares `src_start` with itself). It finds worse paths then, none, or ends
the process.
"""

from __future__ import annotations

from latticemetric.automata.reference_graph import ReferenceGraph
from latticemetric.engine.composition import NUMERATOR, optimal_product, worths
from latticemetric.engine.pushdown import forest_machines, longest_output
from latticemetric.engine.search import ForestSearch, FoundDerivation
from latticemetric.engine.tie_resolution import ProductLabels, resolve_ties
from latticemetric.errors import InputError, require_pynini

_MOST_STATES = 6_000_000  # of the product: a quarter of a minute, and two gigabytes
_MOST_TIES = 1_000_000  # arcs of its optimal part: some seconds of Python


def best_derivation(search: ForestSearch) -> FoundDerivation:
    """The best derivation of a forest under a recognition rate.

    Raises:
        InputError: The forest is too large to be unfolded.
    """
    require_pynini()
    import pynini

    machines = forest_machines(search)
    most_states = _MOST_STATES // ((len(search.reference) + 1) * search.gains.order)
    if machines.unfolded_states(most_states) > most_states:
        raise _too_large("it unfolds into too many states")
    unfolded = pynini.pdt_expand(*machines.pushdown_transducer())
    gains = search.gains
    reference = ReferenceGraph.of_words(machines.reference, gains.order)
    product = optimal_product(unfolded, reference, gains, NUMERATOR, longest_output(search))
    if len(product.source) > _MOST_TIES:
        raise _too_large("too many derivations are equally good")
    worth = worths(gains, NUMERATOR)
    labels = ProductLabels(
        cost=search.cost.arc.tolist(),
        words=search.words.tolist(),
        ending_cost=search.cost.final[search.forest.goals].tolist(),
        worth=worth,
    )
    edges, outputs = resolve_ties(product, labels)
    return FoundDerivation(edges, sum(worth[output] for output in outputs))


def _too_large(why: str) -> InputError:
    return InputError(f"the forest is too large for the openfst engine: {why}", advice="use the native engine")
