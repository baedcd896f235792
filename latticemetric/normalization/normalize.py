"""Normalize texts and graphs by a grammar."""

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
    """Rewrite a text, or all texts of a graph, by a grammar.

    A graph keeps its scores: each path costs what it did. A word that becomes several carries its scores on the first
    of them; a word that vanishes leaves them on an arc without a word.

    Args:
        text: A text, a lattice or an n-best list.
        grammar: A shipped grammar (`english`), one of its rules (`english:LOWER_CASE`), or an archive that pynini
            wrote (`rules.far:RULE`).
        scales: Scores of an n-best list that are kept beside those that count; a lattice keeps all.

    Raises:
        UsageError: There is no such grammar, or no such rule in it.
        InputError: The grammar rejects a text.
    """
    rules = _grammar(grammar)
    if isinstance(text, str):
        return " ".join(rules.text(split_words(text)))
    return rules.lattice(as_lattice(text, scales))


def normalize_reference(text: str | Graph, grammar: str | Grammar = "english") -> Lattice:
    """Return all that a normalised reference may be: a lattice without scores, where each text has one path.

    Args:
        text: A text, or a graph of alternatives.
        grammar: As for `normalize`; what it has as `ALTERNATIVES` is applied too.
    """
    return _grammar(grammar).reference(split_words(text) if isinstance(text, str) else as_lattice(text))


def _grammar(grammar: str | Grammar) -> Grammar:
    from latticemetric.normalization.grammar import find_grammar

    return find_grammar(grammar) if isinstance(grammar, str) else grammar
