"""Derivation trees against their definition, and against nltk, which reads what they write."""

import json
import pickle
import re
from dataclasses import FrozenInstanceError

import nltk
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.formats import forests, with_forest_texts

import latticemetric as lm
from latticemetric.forest.trees import unescaped

ODD_WORDS = [
    "a",
    "New York",
    ":-)",
    "(",
    "\\",
    "\\e",
    "\\u0020",
    "'",
    '"',
    "no\u00a0break",
    "\u3000",
    "\n",
    "日本",
    "\x1c",
]
CATEGORIES = ["NP", "-LRB-", "S (top)", "X\\", ""]
DEPTH = 20_000

plain_forests = forests(ODD_WORDS, [], st.just(0.0))
labelled_forests = with_forest_texts(plain_forests, {}, {"category": st.sampled_from(CATEGORIES)})


@st.composite
def derivations(draw: st.DrawFn) -> tuple[lm.Forest, lm.Derivation]:
    forest = draw(st.one_of(plain_forests, labelled_forests))
    return forest, draw(st.sampled_from(list(forest.derivations())))


# --- The definition


def label_of(forest, node):
    side = forest.node_labels.get("category")
    return (side and side.vocabulary.word(int(side.node[node]))) or str(node)


def defined_tree(forest, edges):
    """The tree as nested fields: an edge, then those of its tails."""
    upcoming = iter(edges)

    def grow(node):
        edge = next(upcoming)
        assert forest.head[edge] == node
        tails = forest.tails.rows()[edge]
        children = [
            forest.vocabulary.word(said) if said > 0 else grow(tails[-said - 1]) for said in forest.target.rows()[edge]
        ]
        return {"node": node, "label": label_of(forest, node), "edge": edge, "children": children}

    return grow(int(forest.head[edges[0]]))


def as_nltk(fields):
    return nltk.Tree(
        fields["label"], [child if isinstance(child, str) else as_nltk(child) for child in fields["children"]]
    )


def drawn(fields):
    lines = [re.sub(r"[()\\\s]", lambda m: f"\\u{ord(m[0]):04x}", fields["label"])]
    for child in fields["children"]:
        lines += [repr(child)] if isinstance(child, str) else drawn(child)
    return [f"  {line}" if number else line for number, line in enumerate(lines)]


@given(found=derivations())
def test_a_tree_is_what_its_derivation_says(found):
    forest, derivation = found
    tree = forest.tree(derivation.edges)
    assert tree.edges == derivation.edges
    assert tree.words == derivation.words
    assert tree.asdict() == defined_tree(forest, derivation.edges)
    assert json.loads(tree.to_json()) == tree.asdict()
    assert tree.to_json() == json.dumps(tree.asdict(), ensure_ascii=False)
    assert str(tree).split("\n") == drawn(tree.asdict())


@given(found=derivations())
def test_nltk_has_the_same_tree(found):
    forest, derivation = found
    tree = forest.tree(derivation.edges).to_nltk()
    assert tree == as_nltk(defined_tree(forest, derivation.edges))
    assert tuple(tree.leaves()) == derivation.words


@given(found=derivations())
def test_nltk_reads_what_is_written(found):
    forest, derivation = found
    tree = forest.tree(derivation.edges)
    line = tree.bracketed()
    assert re.search(r"[^\S ]", line) is None
    assert nltk.Tree.fromstring(line, read_node=unescaped, read_leaf=unescaped) == tree.to_nltk()
    # As it is, too: no escape is taken for something else.
    assert len(nltk.Tree.fromstring(line).leaves()) == len(derivation.words)


@given(text=st.text())
def test_any_text_can_be_a_word(text):
    forest = lm.Forest.from_edges([0], [[]], [[1, 1]], goals=[0], vocabulary=lm.Vocabulary({1: text}))
    line = forest.tree([0]).bracketed()
    assert nltk.Tree.fromstring(line, read_leaf=unescaped) == nltk.Tree("0", [text, text])


@given(found=derivations(), data=st.data())
def test_what_is_no_complete_derivation_is_refused(found, data):
    forest, derivation = found
    edges, complete = list(derivation.edges), {d.edges for d in forest.derivations()}
    for _ in range(data.draw(st.integers(1, 3))):
        at, to = sorted(data.draw(st.tuples(*[st.integers(0, len(edges))] * 2)))
        some = data.draw(st.lists(st.integers(-1, len(forest.head)), max_size=2))
        edges = data.draw(st.sampled_from([edges[:at] + some + edges[to:], edges[at:] + edges[:at]]))
    if tuple(edges) in complete:
        assert forest.tree(edges).edges == tuple(edges)
    else:
        with pytest.raises(lm.UsageError):
            forest.tree(edges)


# --- What is refused


@pytest.fixture
def forest():
    """A goal over two nodes, said in reverse; the second node has two edges."""
    return lm.Forest.from_edges(
        [0, 1, 1, 2],
        [[], [], [0], [0, 1]],
        [[1], [2], [-1, 3], [-2, 4, -1]],
        goals=[2],
        vocabulary=lm.Vocabulary.from_words(list("abcd")),
    )


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([], "the derivation has no edges"),
        ([1], r"edges\[0\]: edge 1 derives node 1, which is not a goal"),
        ([3], "is incomplete: no edge derives node 1, which is tail 2 of edge 3"),
        ([3, 2], "is incomplete: no edge derives node 0, which is tail 1 of edge 2"),
        ([3, 1], "is incomplete: no edge derives node 0, which is tail 1 of edge 3"),
        ([3, 0, 1], r"edges\[1\]: edge 0 derives node 0, not node 1, which is tail 2 of edge 3; after an edge, give"),
        ([3, 2, 1, 0], r"edges\[2\]: edge 1 derives node 1, not node 0, which is tail 1 of edge 2"),
        ([3, 1, 0, 0], r"edges\[3\]: edge 0 comes after the end"),
        ([3, 1, 4], r"edges\[2\]: there is no edge 4: the forest has 4 edges"),
        ([3, 1, -1], r"edges\[2\]: there is no edge -1"),
        ([3, 1, "0"], r"edges\[2\]: '0' is not the number of an edge"),
        ([3, 1, 0.0], r"edges\[2\]: 0.0 is not the number of an edge"),
        ("310", r"edges\[0\]: '3' is not the number of an edge"),
    ],
)
def test_a_derivation_that_is_none_says_where(forest, edges, message):
    with pytest.raises(lm.UsageError, match=message):
        forest.tree(edges)


def test_edges_may_be_an_array(forest):
    tree = forest.tree(np.array([3, 2, 0, 0]))
    assert tree.edges == (3, 2, 0, 0)
    assert all(type(edge) is int for edge in tree.edges)
    assert tree.words == ("a", "c", "d", "a")


def test_a_tree_is_frozen_and_survives_pickling(forest):
    tree = forest.tree([3, 1, 0])
    assert tree == forest.tree((3, 1, 0)) != forest.tree([3, 2, 0, 0])
    assert len({tree, forest.tree((3, 1, 0))}) == 1
    assert pickle.loads(pickle.dumps(tree)).asdict() == tree.asdict()
    assert repr(tree) == "DerivationTree(3 edges, 3 words)"
    with pytest.raises(FrozenInstanceError):
        tree.edges = ()


def test_an_edge_that_says_nothing_has_no_children():
    forest = lm.Forest.from_edges([0, 1], [[], [0]], [[], [-1, 1]], goals=[1])
    tree = forest.tree([1, 0])
    assert tree.bracketed() == "(1 (0) 1)"
    assert nltk.Tree.fromstring(tree.bracketed()) == tree.to_nltk() == nltk.Tree("1", [nltk.Tree("0", []), "1"])
    assert tree.to_json().endswith('[{"node": 0, "label": "0", "edge": 0, "children": []}, "1"]}')


# --- Deep derivations


@pytest.fixture(scope="module")
def deep():
    """A chain of twenty thousand nodes, each with a word on either side of its tail."""
    forest = lm.Forest.from_edges(
        np.arange(DEPTH),
        [[], *([node] for node in range(DEPTH - 1))],
        [[1], *([[1, -1, 2]] * (DEPTH - 1))],
        goals=[DEPTH - 1],
        vocabulary=lm.Vocabulary.from_words(list("ab")),
    )
    return forest.tree(range(DEPTH - 1, -1, -1))


def test_a_deep_tree_says_its_words(deep):
    assert deep.words == ("a",) * DEPTH + ("b",) * (DEPTH - 1)


def nodes_below(root, children):
    """Going down a chain: each node, without recursion."""
    while root is not None:
        yield root
        root = next((child for child in children(root) if not isinstance(child, str)), None)


def test_a_deep_tree_becomes_plain_values(deep):
    found = list(nodes_below(deep.asdict(), lambda fields: fields["children"]))
    assert [fields["node"] for fields in found] == list(range(DEPTH - 1, -1, -1))
    assert found[0]["children"][::2] == ["a", "b"]
    line = deep.to_json()
    assert line.count('"children": [') == line.count("]}") == DEPTH
    assert line.startswith('{"node": 19999, "label": "19999", "edge": 19999, "children": ["a", {"node": 19998')


def test_a_deep_tree_becomes_one_of_nltk(deep, monkeypatch):
    found = list(nodes_below(deep.to_nltk(), list))
    assert [tree.label() for tree in found] == [str(node) for node in range(DEPTH - 1, -1, -1)]
    # nltk reads no deeper than this, since its own methods call themselves.
    monkeypatch.setattr("nltk.tree.tree.MAX_TREE_DEPTH", DEPTH + 1, raising=False)
    again = list(nodes_below(nltk.Tree.fromstring(deep.bracketed()), list))
    assert [(tree.label(), tree[0]) for tree in again] == [(tree.label(), tree[0]) for tree in found]


def test_a_deep_tree_is_drawn_within_a_margin(deep):
    lines = str(deep).split("\n")
    assert len(lines) == 3 * DEPTH - 1
    assert max(map(len, lines)) < 100
    assert lines[2:4] == ["  19998", "    'a'"]
    assert lines[-1] == "  'b'"
    assert f"{'  ' * 40}19959" in lines
    assert f"{'  ' * 40}(41) 19958" in lines
