"""Derivation trees: one complete derivation of a forest, with its words as leaves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

from latticemetric.errors import UsageError
from latticemetric.forest.columns import CATEGORY
from latticemetric.frozen import notebook

if TYPE_CHECKING:
    from latticemetric.forest.arrays import ForestArrays

# A derivation may be as deep as a sentence is long, so nothing here is recursive.

_TO_ESCAPE = re.compile(r"[()\\\s]")
_ESCAPED = re.compile(r"\\u([0-9a-f]{4})")
_NOTHING = r"\e"
_MOST_INDENTED = 40
_WORD = -1


class _TreeStep(NamedTuple):
    """A node or a word of the tree, with its depth; `edge` is the edge that derives the node, −1 for a word."""

    depth: int
    edge: int
    word: str


@dataclass(frozen=True, repr=False)
class DerivationTree:
    """A complete derivation as a tree. Build it with `Forest.tree`.

    Children are in the order of the target side, so the leaves are the words of the derivation in order. The label of a
    node is its category (node label `category`) or, without a category, its number.

    Attributes:
        forest: The forest.
        edges: The derivation's edges in preorder; see `Derivation`.

    Examples:
        >>> import nltk
        >>> from latticemetric import Forest
        >>> grammar = nltk.CFG.fromstring(["S -> NP 'sleeps'", "NP -> 'the' 'cat' | 'the' 'dog'"])
        >>> forest = Forest.from_grammar(grammar)
        >>> best = next(forest.derivations())
        >>> tree = forest.tree(best.edges)
        >>> print(tree)
        S
          NP
            'the'
            'cat'
          'sleeps'
        >>> tree.to_nltk()
        Tree('S', [Tree('NP', ['the', 'cat']), 'sleeps'])
    """

    forest: ForestArrays
    edges: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", _checked(self.forest, self.edges))

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the derivation, which are the leaves of the tree."""
        return self.forest.words(self.edges)

    def bracketed(self) -> str:
        r"""Return the tree on one line, `(label child child …)`.

        White space, parentheses and backslashes within words and labels become ``\u`` and four hexadecimal digits (a
        space is ``\u0020``); an empty word becomes ``\e``. `nltk.Tree.fromstring` reads the line; give it `unescaped`
        as `read_node` and `read_leaf` to restore the words and labels.

        Examples:
            >>> from latticemetric import Forest, Vocabulary
            >>> words = Vocabulary.from_words(["New York", ":-)"])
            >>> forest = Forest.from_edges([0], [[]], [[1, 2]], goals=[0], vocabulary=words)
            >>> line = forest.tree([0]).bracketed()
            >>> print(line)
            (0 New\u0020York :-\u0029)
            >>> import nltk
            >>> nltk.Tree.fromstring(line, read_node=unescaped, read_leaf=unescaped)
            Tree('0', ['New York', ':-)'])
        """
        return self._written(lambda edge: f"({_escaped(self._label(edge))}", _escaped, first=" ", next_=" ", close=")")

    def to_nltk(self) -> Any:
        """Return this derivation as an `nltk.Tree`; labels and words are strings."""
        from nltk.tree import Tree

        def new_node(edge: int) -> tuple[Any, list[Any]]:
            tree = Tree(self._label(edge), [])
            return tree, tree

        return self._built(new_node)

    def asdict(self) -> dict[str, Any]:
        """Return the tree as nested dictionaries; children that are words are strings.

        Each node has the keys `node`, `label`, `edge` and `children`.
        """

        def new_node(edge: int) -> tuple[Any, list[Any]]:
            fields = {**self._fields(edge), "children": list[Any]()}
            return fields, fields["children"]

        tree: dict[str, Any] = self._built(new_node)
        return tree

    def to_json(self) -> str:
        """Return the result of `asdict` as one line of JSON; the tree may have any depth."""

        def opened(edge: int) -> str:
            return f'{json.dumps(self._fields(edge), ensure_ascii=False)[:-1]}, "children": ['

        return self._written(
            opened, lambda word: json.dumps(word, ensure_ascii=False), first="", next_=", ", close="]}"
        )

    def __str__(self) -> str:
        """Return the tree as text: one line per node or word, indented by its depth.

        From depth 41 on, the indentation stays the same, and the line shows the depth: `(41) NP`.
        """
        lines = []
        for depth, edge, word in self._steps():
            beyond = f"({depth}) " if depth > _MOST_INDENTED else ""
            text = repr(word) if edge == _WORD else _escaped(self._label(edge))
            lines.append(f"{'  ' * min(depth, _MOST_INDENTED)}{beyond}{text}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"DerivationTree({len(self.edges)} edges, {len(self.words)} words)"

    def _repr_svg_(self) -> str:
        return str(notebook().graph_svg(self))

    def _steps(self) -> Iterator[_TreeStep]:
        """Yield the nodes and words of the tree in preorder."""
        forest, edges = self.forest, iter(self.edges)
        open_sides = [iter([-1])]  # begin with a side whose only symbol is the tail for the root
        while open_sides:
            depth, symbol = len(open_sides) - 1, next(open_sides[-1], None)
            if symbol is None:
                open_sides.pop()
            elif symbol > 0:
                yield _TreeStep(depth, _WORD, forest.vocabulary.word(symbol))
            else:
                # Edges follow the order of target sides, so the next edge derives this tail.
                edge = next(edges)
                yield _TreeStep(depth, edge, "")
                open_sides.append(iter(forest.target.row(edge)))

    def _label(self, edge: int) -> str:
        node = int(self.forest.head[edge])
        side = self.forest.node_labels.get(CATEGORY)
        category = "" if side is None else side.vocabulary.word(int(side.node[node]))
        return category or str(node)

    def _fields(self, edge: int) -> dict[str, Any]:
        return {"node": int(self.forest.head[edge]), "label": self._label(edge), "edge": edge}

    def _built(self, new_node: Callable[[int], tuple[Any, list[Any]]]) -> Any:
        """Build a tree of objects that `new_node` makes; return the root.

        `new_node` takes the edge that derives a node. It returns two values: an object for this node, and an empty list
        in this object. The node's children are then added to this list.
        """
        root: list[Any] = []
        branches = [root]
        for depth, edge, word in self._steps():
            del branches[depth + 1 :]
            if edge == _WORD:
                branches[-1].append(word)
            else:
                node, children = new_node(edge)
                branches[-1].append(node)
                branches.append(children)
        return root[0]

    def _written(
        self, opened: Callable[[int], str], word: Callable[[str], str], *, first: str, next_: str, close: str
    ) -> str:
        """Return the tree as text.

        `opened` writes the start of a node, given its edge; `close` ends the node. `word` writes a word. `first` comes
        before the first child of a node, and `next_` before each further child.
        """
        parts: list[str] = []
        level, was_opened = 0, False
        for depth, edge, text in self._steps():
            if depth > 0:
                parts += [close * (level - depth), first if was_opened and depth == level else next_]
            was_opened = edge != _WORD
            level = depth + was_opened
            parts.append(opened(edge) if was_opened else word(text))
        return "".join(parts) + close * level


def unescaped(text: str) -> str:
    r"""Undo the escapes of `DerivationTree.bracketed` in a word or label: ``\u0020`` becomes a space.

    Examples:
        >>> unescaped(r"New\u0020York")
        'New York'
    """
    return "" if text == _NOTHING else _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _escaped(text: str) -> str:
    return _TO_ESCAPE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) or _NOTHING


def _edge_numbers(forest: ForestArrays, given: tuple[int, ...]) -> list[int]:
    edges: list[int] = []
    for place, edge in enumerate(given):
        where = f"edges[{place}]"
        try:
            edges.append(index(edge))
        except TypeError:
            raise UsageError(f"{edge!r} is not the number of an edge", where=where) from None
        if not 0 <= edges[-1] < len(forest.head):
            raise UsageError(f"there is no edge {edges[-1]}: the forest has {len(forest.head)} edges", where=where)
    return edges


def _checked(forest: ForestArrays, given: tuple[int, ...]) -> tuple[int, ...]:
    """Return the edges as integers; raise an error if they are not a complete derivation in preorder."""
    edges = _edge_numbers(forest, given)
    if not edges:
        raise UsageError("the derivation has no edges")
    goal = int(forest.head[edges[0]])
    if goal not in forest.goals:
        raise UsageError(f"edge {edges[0]} derives node {goal}, which is not a goal", where="edges[0]")
    wanted: list[tuple[int, int]] = []
    for place, edge in enumerate(edges):
        if place:
            if not wanted:
                raise UsageError(f"edge {edge} comes after the end of the derivation", where=f"edges[{place}]")
            owner, tail = wanted.pop()
            if forest.head[edge] != forest.tails.row(owner)[tail - 1]:
                raise UsageError(
                    f"edge {edge} derives node {forest.head[edge]}, not {_tail_of(forest, owner, tail)}",
                    where=f"edges[{place}]",
                    advice="after an edge, give the edges of its tails, in the order of its target side",
                )
        wanted += [(edge, -symbol) for symbol in reversed(forest.target.row(edge)) if symbol < 0]
    if wanted:
        raise UsageError(f"the derivation is incomplete: no edge derives {_tail_of(forest, *wanted[-1])}")
    return tuple(edges)


def _tail_of(forest: ForestArrays, edge: int, tail: int) -> str:
    return f"node {forest.tails.row(edge)[tail - 1]}, which is tail {tail} of edge {edge}"
