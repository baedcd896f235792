"""Compiled automata against the transition table of the paper (Chiang & DeNeefe 2008, section 4)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from kit.brute_force import enumerate_paths

import latticemetric as lm
from latticemetric.automata.recognition import STAR_SYMBOL
from latticemetric.vocabulary import STAR

pynini = pytest.importorskip("pynini")


def papers_table(words: list[str], order: int, alpha: float, beta: float) -> set[tuple]:
    """The transitions of the paper: ((i, m), label, gain, (i', m')); ★ is any word and None is ε."""
    table = set()
    for i in range(len(words) + 1):
        for m in range(order):
            if i < len(words):
                table.add(((i, m), words[i], m + 1, (i + 1, min(m + 1, order - 1))))
                table.add(((i, m), None, -beta, (i + 1, 0)))
                table.add(((i, m), STAR_SYMBOL, 0, (i + 1, 0)))
            table.add(((i, m), STAR_SYMBOL, -alpha, (i, 0)))
    return table


def transitions(fst, order: int) -> list[tuple]:
    """The transitions of a compiled automaton, in the form of the paper's table."""
    symbols = fst.input_symbols()
    return [
        (
            divmod(state, order),
            symbols.find(arc.ilabel) if arc.ilabel else None,
            -float(arc.weight),
            divmod(arc.nextstate, order),
        )
        for state in fst.states()
        for arc in fst.arcs(state)
    ]


@pytest.mark.parametrize("order", [1, 2, 4, 5])
@pytest.mark.parametrize(("alpha", "beta"), [(1, 0), (0.5, 1), (0, 0), (-0.75, 1)])
@pytest.mark.parametrize("reference", ["", "a", "the cat the", "a a a b"])
def test_a_compiled_metric_has_the_transitions_of_the_paper(reference, order, alpha, beta):
    fst = lm.GRR(order, alpha=alpha, beta=beta).compile(reference)
    found = transitions(fst, order)
    assert len(found) == len(set(found))
    assert set(found) == papers_table(reference.split(), order, alpha, beta)
    assert fst.start() == 0
    last = len(reference.split())
    finals = {divmod(s, order) for s in fst.states() if fst.final(s) != pynini.Weight.zero("tropical")}
    assert finals == {(last, m) for m in range(order)}
    assert all(arc.ilabel == arc.olabel for s in fst.states() for arc in fst.arcs(s))


def test_wrr_is_the_papers_automaton_of_one_state_a_place():
    # Equation 5: states 0 … |r|, match 1, deletion 0, substitution 0, insertion −1.
    assert set(transitions(lm.WRR().compile("x y"), 1)) == papers_table(["x", "y"], 1, 1, 0)
    assert set(transitions(lm.WER().compile("x y"), 1)) == papers_table(["x", "y"], 1, 1, 0)


def starred(lattice: lm.Lattice):
    """A lattice with an arc to ★ beside every word, as a user who composes by hand would write it."""
    fst = pynini.Fst()
    fst.add_states(lattice.num_states)
    fst.set_start(0)
    for s, t, w in zip(lattice.source.tolist(), lattice.target.tolist(), lattice.word.tolist(), strict=True):
        for label in {w, STAR if w else 0}:
            fst.add_arc(s, pynini.Arc(label, label, 0.0, t))
    for state in lattice.final.tolist():
        fst.set_final(state)
    return fst


def best_cost(lattice: lm.Lattice, metric) -> float:
    best = pynini.shortestpath(pynini.compose(starred(lattice), metric.arcsort("ilabel")))
    return float(pynini.shortestdistance(best, reverse=True)[best.start()])


LATTICE = lm.Lattice.from_strings(["the cat sat", "a cat sat down", "", "the the"])


@pytest.mark.parametrize("reference", ["the cat sat", "cat", "the dog sat down", "down down"])
def test_composing_by_hand_finds_the_numerator_of_the_oracle(reference):
    metric = lm.GRR(4)
    best = lm.oracle(LATTICE, reference, metric)
    assert best_cost(LATTICE, metric.compile(reference, LATTICE.vocabulary)) == -best.numerator


@pytest.mark.parametrize("references", [["the cat", "a cat sat down"], ["the dog", "", "sat"]])
def test_composing_with_several_references_finds_the_best_rate(references):
    found = best_cost(LATTICE, lm.GRR(2).compile(references, LATTICE.vocabulary))
    assert found == pytest.approx(-lm.oracle(LATTICE, references, lm.GRR(2)).score, abs=1e-6)


def test_references_without_words_only_are_joined_by_their_numerators():
    assert best_cost(LATTICE, lm.WRR().compile(["", ""], LATTICE.vocabulary)) == 0


def test_a_word_that_the_vocabulary_lacks_has_no_match():
    fst = lm.WRR().compile("the dog", lm.Vocabulary.from_words(["the"]))
    assert [label for _, label, gain, _ in transitions(fst, 1) if gain == 1] == ["the"]


def test_a_numeric_vocabulary_needs_no_symbols():
    fst = lm.WRR().compile("7 8", lm.Vocabulary.numeric())
    assert fst.input_symbols() is None
    assert {arc.ilabel for s in fst.states() for arc in fst.arcs(s)} == {0, 7, 8, STAR}


def test_ignored_words_are_not_in_the_automaton():
    metric = lm.WRR(ignore=["<s>"], wildcard=["uh"])
    assert transitions(metric.compile("<s> a uh b"), 1) == transitions(lm.WRR().compile("a b"), 1)


def test_the_best_string_of_brute_force_is_the_composed_one():
    scores = [lm.GRR(3).statistics(path.words, "cat sat down") for path in enumerate_paths(LATTICE)]
    best = max(Fraction(lm.GRR(3).numerator(s)) for s in scores)
    assert best_cost(LATTICE, lm.GRR(3).compile("cat sat down", LATTICE.vocabulary)) == -best
