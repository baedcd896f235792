"""Build forests from acyclic context-free grammars of nltk: nonterminals are nodes, productions are edges."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.forest.columns import CATEGORY, NodeLabels
from latticemetric.forest.validation import find_fault
from latticemetric.lattice.columns import Column
from latticemetric.vocabulary import Vocabulary

if TYPE_CHECKING:
    from latticemetric.forest.forest import Forest

AnyForest = TypeVar("AnyForest", bound="Forest")

PROBABILITY = "probability"


def forest_from_grammar(cls: type[AnyForest], grammar: Any, scores: Mapping[str, Column] | None) -> AnyForest:
    """Build a forest from a grammar: productions are edges, the start is node 0. See `Forest.from_grammar`."""
    from nltk.grammar import CFG, FeatureGrammar, is_nonterminal

    # Nonterminals of feature grammars would have to be unified before they can be nodes.
    if not isinstance(grammar, CFG) or isinstance(grammar, FeatureGrammar):
        raise InputError(f"{type(grammar).__name__} is not a usable grammar", advice="give an nltk.CFG or nltk.PCFG")
    nodes: dict[Any, int] = {grammar.start(): 0}
    words: dict[str, int] = {}
    head, tails, target = [], list[list[int]](), list[list[int]]()
    for production in grammar.productions():
        tails.append([])
        target.append([])
        for symbol in production.rhs():
            if is_nonterminal(symbol):
                tails[-1].append(nodes.setdefault(symbol, len(nodes)))
                target[-1].append(-len(tails[-1]))
            elif isinstance(symbol, str) and symbol:
                target[-1].append(words.setdefault(symbol, len(words) + 1))
            else:
                raise InputError(
                    f"the production {_shown(production)} has {symbol!r} for a word",
                    advice="words are texts, not empty; a production of no words has an empty right-hand side",
                )
        head.append(nodes.setdefault(production.lhs(), len(nodes)))
    names = list(map(str, nodes))
    if (fault := find_fault(head, tails, [0])) is not None:
        name = _shown(names[fault.node])
        why = f"derivations of {name} would never end" if fault.has_edges else f"{name} has no productions"
        raise InputError(f"the grammar's start, {_shown(names[0])}, derives nothing, since {why}")
    return cls.from_edges(
        head,
        tails,
        target,
        goals=[0],
        scores=_columns(grammar, scores or {}),
        vocabulary=Vocabulary.from_words(words),
        node_labels={CATEGORY: NodeLabels.from_texts(names)},
        node_name=lambda node: f"nonterminal {_shown(names[node])}",
    )


def _columns(grammar: Any, scores: Mapping[str, Column]) -> dict[str, Column]:
    from nltk.grammar import PCFG

    if not isinstance(grammar, PCFG):
        return dict(scores)
    if PROBABILITY in scores:
        raise UsageError(f"the column name '{PROBABILITY}' is reserved for the grammar's probabilities")
    costs = []
    for production in grammar.productions():
        probability = production.prob()
        # The upper limit is the tolerance of nltk: it has checked that the probabilities of a nonterminal sum to 1.
        if not 0 < probability < math.inf:
            raise InputError(
                f"the production {_shown(production)} of {_shown(production.lhs())} has probability {probability}",
                advice="give it one above 0, or leave it out",
            )
        costs.append(0.0 - math.log(probability))
    return {PROBABILITY: Column(np.array(costs, dtype=np.float64), np.zeros(1)), **scores}


def _shown(part: object) -> str:
    return shortened(str(part), 40)
