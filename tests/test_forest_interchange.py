"""Forests from grammars, against nltk."""

import math
from collections import Counter
from fractions import Fraction
from functools import cache

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.grammar import CFG, PCFG, Nonterminal, ProbabilisticProduction, Production
from nltk.parse.generate import generate

import latticemetric as lm
from latticemetric.forest import Forest

# --- Grammars

TERMINALS = ["a", "b", "New York", ")"]
MOST_SENTENCES = 500
# Powers of 1/2 that add up to 1, so that products and logarithms are as good as exact.
HALVINGS = {1: [0], 2: [1, 1], 3: [1, 2, 2], 4: [3, 3, 2, 1]}


@st.composite
def productions(draw: st.DrawFn) -> list[Production]:
    """Productions of an acyclic grammar. Some nonterminals have none, some are out of reach, some rows are equal."""
    nonterminals = [Nonterminal(name) for name in ("S", "NP", "VP", "N", "X")]
    found = []
    for rank, left in enumerate(nonterminals[:-1]):
        symbols = st.sampled_from([*TERMINALS, *nonterminals[rank + 1 :]])
        sides = draw(st.lists(st.lists(symbols, max_size=3), min_size=rank == 0, max_size=4))
        found += [Production(left, side) for side in sides]
    return draw(st.permutations(found))


def sentences_of(grammar: CFG) -> int:
    @cache
    def count(symbol: object) -> int:
        if not isinstance(symbol, Nonterminal):
            return 1
        return sum(math.prod(map(count, row.rhs())) for row in grammar.productions(lhs=symbol))

    return count(grammar.start())


grammars = (
    productions()
    .map(lambda rows: CFG(Nonterminal("S"), rows))
    .filter(lambda grammar: sentences_of(grammar) <= MOST_SENTENCES)
)
productive_grammars = grammars.filter(lambda grammar: sentences_of(grammar) > 0)


@st.composite
def weighted(draw: st.DrawFn) -> tuple[PCFG, list[int]]:
    """A grammar with probabilities, and the halvings of 1 that each production's is."""
    rows = draw(productive_grammars).productions()
    left = Counter(row.lhs() for row in rows)
    shares = {nonterminal: list(draw(st.permutations(HALVINGS[number]))) for nonterminal, number in left.items()}
    halvings = [shares[row.lhs()].pop() for row in rows]
    chosen = [ProbabilisticProduction(row.lhs(), row.rhs(), prob=0.5**n) for row, n in zip(rows, halvings, strict=True)]
    return PCFG(Nonterminal("S"), chosen), halvings


@given(grammar=productive_grammars)
def test_the_strings_of_a_grammar_are_those_that_nltk_generates(grammar):
    found = Counter(derivation.words for derivation in Forest.from_grammar(grammar).derivations())
    assert found == Counter(map(tuple, generate(grammar)))


@given(grammar=grammars)
def test_a_grammar_without_strings_is_refused(grammar):
    if list(generate(grammar)):
        Forest.from_grammar(grammar)
    else:
        with pytest.raises(lm.InputError, match=r"start, S, derives nothing, since \w+ has no productions"):
            Forest.from_grammar(grammar)


@given(drawn=weighted())
def test_costs_are_the_logarithms_of_products_of_probabilities(drawn):
    grammar, halvings = drawn
    unit = math.log(2)
    forest = Forest.from_grammar(grammar)
    plain = Forest.from_grammar(CFG(grammar.start(), grammar.productions()), {"halvings": lm.Column(halvings, [0])})
    found = [(derivation.words, round(derivation.cost / unit)) for derivation in forest.derivations()]
    assert found == [(derivation.words, derivation.cost) for derivation in plain.derivations()]
    assert [derivation.cost for derivation in forest.derivations()] == pytest.approx([unit * n for _, n in found])
    assert sum(Fraction(1, 2**n) for _, n in found) <= 1
    assert list(forest.scores) == ["probability"]


@given(drawn=weighted())
def test_the_best_derivation_is_the_most_probable_parse_of_nltk(drawn):
    grammar, _ = drawn
    if not grammar.is_nonempty():
        return  # its Viterbi parser knows no empty productions
    best: dict[tuple[str, ...], float] = {}
    for derivation in Forest.from_grammar(grammar).derivations():
        best[derivation.words] = min(derivation.cost, best.get(derivation.words, math.inf))
    parser = nltk.ViterbiParser(grammar)
    assert {words: next(parser.parse(words)).prob() for words in best} == pytest.approx(
        {words: math.exp(-cost) for words, cost in best.items()}
    )


def test_nonterminals_are_categories_and_shared():
    grammar = CFG.fromstring("S -> NP 'saw' NP | NP 'slept'\nNP -> 'Ann' | 'Bob'\nPP -> 'nowhere'")
    forest = Forest.from_grammar(grammar)
    side = forest.node_labels["category"]
    assert side.vocabulary.decode(side.node) == ["NP", "S"]
    assert forest.tails.rows() == [[], [], [0, 0], [0]]
    assert forest.scores == {}


def test_a_grammar_may_have_further_costs():
    grammar = PCFG.fromstring("S -> A [0.5] | 'b' [0.5]\nA -> 'a' [1.0]")
    forest = Forest.from_grammar(grammar, {"length": lm.Column([3.0, 2.0, 1.0], [0.25], 0.5)})
    found = {derivation.words: derivation.cost for derivation in forest.derivations({"probability": 0})}
    assert found == {("a",): 2.25 * 0.5 + 2.0 * 0.5, ("b",): 1.125}
    assert list(forest.scores) == ["probability", "length"]


def test_nonterminals_may_be_any_symbols():
    one, two = Nonterminal(("NP", 1)), Nonterminal(1)
    forest = Forest.from_grammar(CFG(one, [Production(one, [two, "a"]), Production(two, [])]))
    side = forest.node_labels["category"]
    assert side.vocabulary.decode(side.node) == ["1", "('NP', 1)"]


def test_a_deep_grammar_is_no_problem():
    depth = 20_000
    rows = [Production(Nonterminal(k), [Nonterminal(k + 1), "a"]) for k in range(depth)]
    grammar = CFG(Nonterminal(0), [*rows, Production(Nonterminal(depth), ["b"])], calculate_leftcorners=False)
    assert Forest.from_grammar(grammar).statistics().longest == depth + 1
    with pytest.raises(lm.InputError, match="since 20000 has no productions"):
        Forest.from_grammar(CFG(Nonterminal(0), rows, calculate_leftcorners=False))


def rule(left: str, *right: object, prob: float) -> ProbabilisticProduction:
    return ProbabilisticProduction(Nonterminal(left), right, prob=prob)


@pytest.mark.parametrize(
    ("grammar", "message"),
    [
        pytest.param("S -> S 'a' | 'b'", "is cyclic: nonterminal S can be derived from itself", id="loop"),
        pytest.param("S -> A\nA -> 'a' | B\nB -> A 'b'", "cyclic: nonterminal [AB] can be derived", id="cycle"),
        pytest.param("S -> 'a' VP", "start, S, derives nothing, since VP has no productions", id="nothing below"),
        pytest.param(
            "S -> A\nA -> 'a' A", "start, S, derives nothing, since derivations of A would never", id="no end"
        ),
        pytest.param(
            "S -> A\nA -> B\nB -> A 'b'\nC -> 'c'", "derivations of [AB] would never end", id="round and round"
        ),
        pytest.param("S -> '' 'a'", "production S -> '' 'a' has '' for a word", id="empty word"),
    ],
)
def test_a_grammar_that_is_no_forest_is_refused(grammar, message):
    with pytest.raises(lm.InputError, match=message):
        Forest.from_grammar(CFG.fromstring(grammar))


@pytest.mark.parametrize(
    ("grammar", "message"),
    [
        pytest.param(
            PCFG.fromstring("S -> A [1.0]\nA -> 'a' [1.0] | 'b'"), "A -> 'b' .0. of A has probability 0", id="none"
        ),
        pytest.param(
            PCFG(Nonterminal("S"), [rule("S", "a", prob=1.5), rule("S", "b", prob=-0.5)]),
            "S -> 'b' .* of S has probability -0.5",
            id="negative",
        ),
        pytest.param(
            CFG(Nonterminal("S"), [Production(Nonterminal("S"), [7])]), "S -> 7 has 7 for a word", id="a number"
        ),
        pytest.param("S -> 'a'", "str is no grammar", id="text"),
        pytest.param(
            nltk.grammar.FeatureGrammar.fromstring("S[] -> 'a'"), "FeatureGrammar is no grammar", id="feature"
        ),
    ],
)
def test_what_is_no_grammar_with_words_and_probabilities_is_refused(grammar, message):
    with pytest.raises(lm.InputError, match=message):
        Forest.from_grammar(grammar)


@pytest.mark.parametrize("column", [lm.Column([1.0], [0.0]), lm.Column([1.0, 1.0], [])])
def test_further_costs_must_be_as_many_as_productions(column):
    with pytest.raises(lm.InputError, match="'x' does not have one value"):
        Forest.from_grammar(CFG.fromstring("S -> 'a' | 'b'"), {"x": column})


def test_the_name_of_the_probabilities_is_taken():
    with pytest.raises(lm.UsageError, match="named 'probability'"):
        Forest.from_grammar(PCFG.fromstring("S -> 'a' [1.0]"), {"probability": lm.Column([1.0], [0.0])})
