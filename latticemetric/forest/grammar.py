"""Build forests from acyclic context-free grammars of nltk: nonterminals are nodes, productions are edges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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


class _Rules:
    """Collects productions as edges; the start is node 0."""

    def __init__(self, start: Any) -> None:
        self.nodes: dict[Any, int] = {start: 0}
        self.words: dict[str, int] = {}
        self.head: list[int] = []
        self.tails: list[list[int]] = []
        self.target: list[list[int]] = []

    def add(self, production: Any) -> None:
        """Add the edge of a production."""
        from nltk.grammar import is_nonterminal

        tails, target = [], []
        for symbol in production.rhs():
            if is_nonterminal(symbol):
                tails.append(self._node(symbol))
                target.append(-len(tails))
            else:
                target.append(self._word(symbol, production))
        self.head.append(self._node(production.lhs()))
        self.tails.append(tails)
        self.target.append(target)

    def _node(self, nonterminal: Any) -> int:
        return self.nodes.setdefault(nonterminal, len(self.nodes))

    def _word(self, symbol: object, production: Any) -> int:
        if not isinstance(symbol, str) or not symbol:
            raise InputError(
                f"the production {_shown(production)} has {symbol!r} for a word",
                advice="words are texts, not empty; a production of no words has an empty right-hand side",
            )
        return self.words.setdefault(symbol, len(self.words) + 1)


def forest_from_grammar(cls: type[AnyForest], grammar: Any, scores: Mapping[str, Column] | None) -> AnyForest:
    """Build a forest from a grammar; see `Forest.from_grammar`."""
    from nltk.grammar import CFG, PCFG, FeatureGrammar

    # Nonterminals of feature grammars would have to be unified before they can be nodes.
    if not isinstance(grammar, CFG) or isinstance(grammar, FeatureGrammar):
        raise InputError(f"{type(grammar).__name__} is not a usable grammar", advice="give an nltk.CFG or nltk.PCFG")
    rules = _Rules(grammar.start())
    for production in grammar.productions():
        rules.add(production)
    names = list(map(str, rules.nodes))
    _require_strings(rules.head, rules.tails, names)
    return cls.from_edges(
        rules.head,
        rules.tails,
        rules.target,
        goals=[0],
        scores=_columns(grammar.productions(), scores or {}, is_probabilistic=isinstance(grammar, PCFG)),
        vocabulary=Vocabulary.from_words(rules.words),
        node_labels={CATEGORY: NodeLabels.from_texts(names)},
        node_name=lambda node: f"nonterminal {_shown(names[node])}",
    )


def _require_strings(head: Sequence[int], tails: Sequence[Sequence[int]], names: Sequence[str]) -> None:
    fault = find_fault(head, tails, [0])
    if fault is None:
        return
    name = _shown(names[fault.node])
    why = f"derivations of {name} would never end" if fault.has_edges else f"{name} has no productions"
    raise InputError(f"the grammar's start, {_shown(names[0])}, derives nothing, since {why}")


def _columns(productions: Sequence[Any], scores: Mapping[str, Column], *, is_probabilistic: bool) -> dict[str, Column]:
    if not is_probabilistic:
        return dict(scores)
    if PROBABILITY in scores:
        raise UsageError(f"the column name '{PROBABILITY}' is reserved for the grammar's probabilities")
    costs = np.array([_cost(production) for production in productions], dtype=np.float64)
    return {PROBABILITY: Column(costs, np.zeros(1)), **scores}


def _cost(production: Any) -> float:
    probability = production.prob()
    # The upper limit is the tolerance of nltk: it has checked that the probabilities of a nonterminal sum to 1.
    if not 0 < probability < math.inf:
        raise InputError(
            f"the production {_shown(production)} of {_shown(production.lhs())} has probability {probability}",
            advice="give it one above 0, or leave it out",
        )
    return 0.0 - math.log(probability)


def _shown(part: object) -> str:
    return shortened(str(part), 40)
