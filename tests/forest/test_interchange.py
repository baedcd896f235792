"""Forests from grammars, against nltk; forests as NetworkX graphs, there and back."""

import math
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import cache

import networkx as nx
import nltk
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.formats import contents, forests, with_forest_texts
from kit.strategies import COLUMN_NAMES, costs
from nltk.grammar import CFG, PCFG, Nonterminal, ProbabilisticProduction, Production
from nltk.parse.generate import generate

import latticemetric as lm
from latticemetric.forest.forest import Forest

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


@given(grammar=productive_grammars)
def test_the_trees_of_a_grammar_are_those_that_nltk_parses(grammar):
    forest = Forest.from_grammar(grammar)
    found = {(d.words, repr(forest.tree(d.edges).to_nltk())) for d in forest.derivations()}
    parser = nltk.ChartParser(grammar)
    assert found == {(words, repr(tree)) for words in {words for words, _ in found} for tree in parser.parse(words)}


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
    assert forest.tree([1, 0]).to_nltk() == nltk.Tree("('NP', 1)", [nltk.Tree("1", []), "a"])


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
        pytest.param("S -> '' 'a'", "production S -> '' 'a' has '' as a word", id="empty word"),
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
            CFG(Nonterminal("S"), [Production(Nonterminal("S"), [7])]), "S -> 7 has 7 as a word", id="a number"
        ),
        pytest.param("S -> 'a'", "str is not a usable grammar", id="text"),
        pytest.param(
            nltk.grammar.FeatureGrammar.fromstring("S[] -> 'a'"), "FeatureGrammar is not a usable", id="feature"
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
    with pytest.raises(lm.UsageError, match="the column name 'probability' is reserved"):
        Forest.from_grammar(PCFG.fromstring("S -> 'a' [1.0]"), {"probability": lm.Column([1.0], [0.0])})


# --- NetworkX

WORDS = ["a", "7", "New York", "-1"]
scaled = st.builds(
    lambda forest, weight: Forest.from_edges(
        forest.head,
        forest.tails,
        forest.target,
        goals=forest.goals,
        scores={name: lm.Column(c.arc, c.final, weight) for name, c in forest.scores.items()},
        vocabulary=forest.vocabulary,
    ),
    forests(WORDS, list(COLUMN_NAMES), costs),
    st.sampled_from([0.0, 0.5, -2.0]),
)
texts = st.sampled_from(["", "NP", "α β"])
rich_forests = st.one_of(
    forests(WORDS, [], costs),
    scaled,
    with_forest_texts(
        forests(WORDS, list(COLUMN_NAMES), costs),
        {"source": lambda _forest, _edge: texts, "spans": lambda _forest, _edge: texts},
        {"category": texts, "span": texts},
        {"sentence": texts},
    ),
)


@given(forest=rich_forests)
def test_networkx_and_back_is_the_same_forest(forest):
    again = Forest.from_networkx(forest.to_networkx())
    assert contents(again) == contents(forest)
    assert [list(part) for part in (again.scores, again.labels, again.node_labels)] == [
        list(part) for part in (forest.scores, forest.labels, forest.node_labels)
    ]


@given(forest=rich_forests)
def test_a_forest_is_a_bipartite_acyclic_graph(forest):
    graph = forest.to_networkx()
    assert nx.is_bipartite(graph)
    assert nx.is_directed_acyclic_graph(graph)
    assert len(graph) == forest.num_nodes + len(forest.head)
    for edge, (head, tails) in enumerate(zip(forest.head.tolist(), forest.tails.rows(), strict=True)):
        assert list(graph.successors(("edge", edge))) == [("node", head)]
        assert set(graph.predecessors(("edge", edge))) == {("node", tail) for tail in tails}


@given(forest=rich_forests, data=st.data())
def test_vertices_may_have_other_names_and_any_order(forest, data):
    graph = forest.to_networkx()
    vertices = data.draw(st.permutations(list(graph)))
    shuffled = data.draw(st.sampled_from([nx.DiGraph, nx.MultiDiGraph]))(**graph.graph)
    shuffled.add_nodes_from((f"v{vertices.index(v)}", graph.nodes[v]) for v in vertices)
    for tail, head, fields in data.draw(st.permutations(list(graph.edges(data=True)))):
        shuffled.add_edge(f"v{vertices.index(tail)}", f"v{vertices.index(head)}", **fields)
    again = Forest.from_networkx(shuffled)
    assert Counter((d.words, d.cost) for d in again.derivations()) == Counter(
        (d.words, d.cost) for d in forest.derivations()
    )


def test_a_graph_shows_what_a_forest_has():
    side = lm.Vocabulary.from_words(["x"])
    forest = Forest.from_edges(
        [0, 1],
        [[], [0, 0]],
        [[1], [-2, 2, -1]],
        goals=[1],
        scores={"lm": lm.Column(np.array([1.5, 0.5]), np.array([0.25]), 0.1)},
        vocabulary=lm.Vocabulary.from_words(["a", "b"]),
        labels={"source": lm.Labels(np.array([0, 1], np.int32), np.array([1], np.int32), side)},
        node_labels={"category": lm.NodeLabels.from_texts(["NP", ""])},
    )
    graph = forest.to_networkx()
    assert graph.graph == {"weights": {"lm": 0.1}}
    assert graph.nodes["node", 0] == {"bipartite": 0, "labels": {"category": "NP"}}
    assert graph.nodes["node", 1] == {
        "bipartite": 0, "labels": {"category": ""}, "goal": {"lm": 0.25}, "goal_labels": {"source": "x"},
    }  # fmt: skip
    assert graph.nodes["edge", 1] == {
        "bipartite": 1, "target": (-2, "b", -1), "scores": {"lm": 0.5}, "labels": {"source": "x"},
    }  # fmt: skip
    assert graph.edges[("node", 0), ("edge", 1)] == {"tails": (1, 2)}


def built() -> nx.DiGraph:
    """A forest by hand, with nothing that is not required."""
    graph = nx.DiGraph()
    graph.add_nodes_from(["NP", "S"], bipartite=0)
    graph.nodes["S"]["goal"] = {}
    graph.add_node("lexical", bipartite=1, target=["the", "", "cat"])
    graph.add_node("top", bipartite=1, target=[-1, "and", -2], scores={"lm": 2})
    graph.add_edge("lexical", "NP")
    graph.add_edge("NP", "top", tails=[1, 2])
    graph.add_edge("top", "S")
    return graph


def test_a_forest_can_be_drawn_up_by_hand():
    (derivation,) = Forest.from_networkx(built()).derivations()
    assert (" ".join(derivation.words), derivation.cost) == ("the cat and the cat", 2.0)


def in_top(**fields: object) -> Callable[[nx.DiGraph], None]:
    return lambda graph: graph.nodes["top"].update(fields)


def in_goal(**fields: object) -> Callable[[nx.DiGraph], None]:
    return lambda graph: graph.nodes["S"].update(fields)


def at_arc(tails: object) -> Callable[[nx.DiGraph], None]:
    return lambda graph: graph.edges["NP", "top"].update(tails=tails)


def arc(tail: str, head: str, **fields: object) -> Callable[[nx.DiGraph], None]:
    return lambda graph: graph.add_edge(tail, head, **fields)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (arc("nobody", "S"), "vertex 'nobody': 'bipartite' is missing; set it to 0 for a node, to 1 for an edge"),
        (in_top(bipartite=2), "vertex 'top': 'bipartite' is 2"),
        (in_top(bipartite="edge"), "vertex 'top': 'bipartite' is 'edge'"),
        (lambda graph: graph.nodes["S"].pop("goal"), "no vertex is a goal; set 'goal'"),
        (in_goal(goal=True), "node 'S': 'goal' is True; give a mapping from names to values"),
        (in_goal(goal={"lm": "2"}), "node 'S': 'lm' of 'goal' is '2', not a finite number"),
        (in_goal(goal={1: 2.0}), "node 'S': 'goal' is {1: 2.0}"),
        (in_goal(labels=["NP"]), r"vertex 'S': 'labels' is \['NP'\]"),
        (in_goal(labels={"category": 7}), "vertex 'S': 'category' of 'labels' is 7, not a text"),
        (in_goal(goal_labels={"sentence": None}), "vertex 'S': 'sentence' of 'goal_labels' is None, not a text"),
        (lambda graph: graph.remove_edge("top", "S"), "edge 'top': the edge has 0 heads"),
        (arc("top", "NP"), "edge 'top': the edge has 2 heads"),
        (arc("lexical", "top"), "an arc leads from 'lexical' to 'top', but both are edges; an arc joins"),
        (arc("S", "NP", tails=(1,)), "an arc leads from 'S' to 'NP', but both are nodes"),
        (at_arc(None), "edge 'top': the arc from 'NP' has None for 'tails'; list the positions"),
        (at_arc(1), "edge 'top': the arc from 'NP' has 1 for 'tails'"),
        (at_arc("12"), "edge 'top': the arc from 'NP' has '12' for 'tails'"),
        (at_arc([1, 1.0]), r"the arc from 'NP' has \[1, 1.0\] for 'tails'"),
        (at_arc([]), r"the arc from 'NP' has \[\] for 'tails'"),
        (at_arc([1, 3]), "edge 'top': the edge has 2 tails, but none has position 2"),
        (at_arc([0, 1]), "edge 'top': the edge has 2 tails, but none has position 2"),
        (at_arc([1, 1]), "edge 'top': position 1 occurs twice in 'tails' of the arcs to this edge"),
        (at_arc([1]), "edge 'top': 'target' holds -2, but the edge has 1 tails"),
        (at_arc([1, 2, 3]), "edge 'top': 'target' must use tail 3 once, but uses it 0 times"),
        (in_top(target=None), "edge 'top': 'target' is missing; list the words"),
        (in_top(target="-1 and -2"), "edge 'top': 'target' is '-1 and -2'; list the words"),
        (in_top(target=[-1, -2, 0]), "edge 'top': 'target' holds 0"),
        (in_top(target=[-1, -2, 7]), "edge 'top': 'target' holds 7"),
        (in_top(target=[-1, -2.0]), "edge 'top': 'target' holds -2.0"),
        (in_top(target=[-1, -2, None]), "edge 'top': 'target' holds None"),
        (in_top(target=[-1, "-2"]), "edge 'top': 'target' must use tail 2 once, but uses it 0 times"),
        (in_top(target=[-1, -2, -2]), "edge 'top': 'target' must use tail 2 once, but uses it 2 times"),
        (in_top(scores=[2]), r"edge 'top': 'scores' is \[2\]; give a mapping from names"),
        (in_top(scores={"lm": None}), "edge 'top': 'lm' of 'scores' is None, not a finite number"),
        (in_top(scores={"lm": True}), "edge 'top': 'lm' of 'scores' is True"),
        (in_top(scores={"lm": math.nan}), "edge 'top': 'lm' of 'scores' is nan, not a finite number"),
        (lambda graph: graph.graph.update(weights={"lm": "1"}), "the graph: 'lm' of 'weights' is '1'"),
        (lambda graph: graph.graph.update(weights=1), "the graph: 'weights' is 1"),
        (
            lambda graph: (graph.add_node("up", bipartite=1, target=[-1]), graph.add_edge("up", "NP"),
                           graph.add_edge("S", "up", tails=[1])),
            "the forest is cyclic: node '(S|NP)' can be derived from itself",
        ),
        (lambda graph: graph.remove_node("lexical"), "no goal has a complete derivation, since node 'NP' has no edges"),
        (lambda graph: graph.remove_node("NP"), "edge 'lexical': the edge has 0 heads"),
        (lambda graph: graph.remove_node("top"), "since node 'S' has no edges"),
    ],
)  # fmt: skip
def test_a_graph_of_another_form_says_where(change, message):
    graph = built()
    change(graph)
    with pytest.raises(lm.InputError, match=message):
        Forest.from_networkx(graph)


def test_what_is_no_directed_graph_is_refused():
    with pytest.raises(lm.InputError, match="dict is not a NetworkX graph"):
        Forest.from_networkx({})
    with pytest.raises(lm.InputError, match="undirected"):
        Forest.from_networkx(built().to_undirected())
    with pytest.raises(lm.InputError, match="no vertex is a goal"):
        Forest.from_networkx(nx.DiGraph())


JUNK = [None, True, 1, -1, 0.5, math.nan, "", "a", (), [1], [-1], ["a"], {}, {"lm": 1}, {"lm": "x"}, {1: 1}, b"a", [[]]]


@given(forest=rich_forests, random_=st.randoms(use_true_random=False))
def test_no_accident_to_a_graph_raises_anything_else(forest, random_):
    graph = forest.to_networkx()
    for _ in range(random_.randint(1, 3)):
        happen(graph, random_)
    with suppress(lm.InputError):
        again = Forest.from_networkx(graph)
        assert contents(Forest.from_networkx(again.to_networkx())) == contents(again)


def happen(graph: nx.DiGraph, chance: random.Random) -> None:
    """Something is lost, put in, or replaced."""
    vertices, arcs = list(graph), list(graph.edges)
    if not arcs:
        return
    fields = chance.choice([graph.graph, graph.nodes[chance.choice(vertices)], graph.edges[chance.choice(arcs)]])
    kind = chance.randrange(5)
    if kind == 0:
        graph.remove_node(chance.choice(vertices))
    elif kind == 1:
        graph.remove_edge(*chance.choice(arcs))
    elif kind == 2:
        graph.add_edge(chance.choice(vertices), chance.choice(vertices), tails=chance.choice([(1,), (2,), (1, 2)]))
    elif fields and kind == 3:
        fields.pop(chance.choice(list(fields)))
    elif fields:
        fields[chance.choice(list(fields))] = chance.choice(JUNK)
