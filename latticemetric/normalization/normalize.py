"""Normalize texts and graphs with a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.vocabulary import split_words

if TYPE_CHECKING:
    from latticemetric.normalization.grammar import Grammar


@overload
def normalize(text: str, grammar: str | Grammar = "english", *, scales: Scales | None = None) -> str: ...


@overload
def normalize(text: Graph, grammar: str | Grammar = "english", *, scales: Scales | None = None) -> Lattice: ...


def normalize(text: str | Graph, grammar: str | Grammar = "english", *, scales: Scales | None = None) -> str | Lattice:
    """Rewrite a text, or all texts of a graph, with a grammar.

    A graph keeps its scores: the cost of each path does not change. If a word becomes several words, the first has its
    scores; if a word is deleted, an arc without a word has them.

    Args:
        text: A text, a lattice or an n-best list.
        grammar: A shipped grammar (`english`), one of its rules (`english:LOWER_CASE`), or an archive that pynini
            wrote (`rules.far:RULE`).
        scales: Further scores of an n-best list to keep, besides those with weight; a lattice keeps all scores.

    Raises:
        UsageError: The grammar does not exist, or does not have the rule.
        InputError: The grammar rejects a text.
    """
    rules = _grammar(grammar)
    if isinstance(text, str):
        return " ".join(rules.text(split_words(text)))
    return rules.lattice(as_lattice(text, scales))


def normalize_reference(text: str | Graph, grammar: str | Grammar = "english") -> Lattice:
    """Return all forms of a normalized reference, as a lattice without scores in which each text has one path.

    Args:
        text: A text, or a graph of alternatives.
        grammar: A grammar, as for `normalize`; its rule `ALTERNATIVES`, if any, is also applied.
    """
    return _grammar(grammar).reference(split_words(text) if isinstance(text, str) else as_lattice(text))


def _grammar(grammar: str | Grammar) -> Grammar:
    from latticemetric.normalization.grammar import find_grammar

    return find_grammar(grammar) if isinstance(grammar, str) else grammar
