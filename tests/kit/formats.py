"""What every format is tried with: graphs that it can hold, files that are broken, accidents that happen to files."""

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st

import latticemetric as lm
from kit.choices import booleans, different_numbers, exactly_many, numbers, some_numbers
from kit.strategies import drafts
from latticemetric.formats.reading import read_symbols
from latticemetric.formats.references import read_references
from latticemetric.lattice.texts import Texts
from latticemetric.nbest import Hypothesis

# Files of real decoders, which are no part of the repository: tests that read them skip where they are absent.
# Shared nodes make numbers of derivations that no memory holds.
_MOST_DERIVATIONS = 2000
_MOST_TAILS = {1: 0, 2: 4, 3: 4, 4: 3, 5: 2, 6: 2}  # by the number of nodes

Graph = lm.Lattice | lm.NBest | lm.Forest

# --- Graphs

PLAIN_WORDS = ["a", "b", "1984", "it's", 'say"so"', "back\\slash", "a,b", "(x)", "été", "日本", "|", "x:", "{}", "#"]
SPACED_WORDS = ["New York", "tab\there", "no-break\u00a0space", " ", "\u3000", "line\nend", "\r"]
NAMES = ["utt-1", "été", "a/b", "7", "spk_1-00012_34"]

# Costs must add up to something finite along a path.
scores = st.floats(-1e300, 1e300)
single_scores = st.floats(allow_nan=False, allow_infinity=False, width=32)
# 32 bits that are read as the shortest decimal that means them.
decimal_scores = single_scores.map(lambda value: float(str(np.float32(value))))


def column(draw: st.DrawFn, values: st.SearchStrategy[float], arcs: int, finals: int) -> lm.Column:
    def some(size: int) -> np.ndarray:
        return np.array(draw(exactly_many(values, size)), dtype=np.float64)

    return lm.Column(some(arcs), some(finals))


@st.composite
def shaped(draw: st.DrawFn, words: list[str], columns: list[str], values: st.SearchStrategy[float]) -> lm.Lattice:
    """A random graph with words, columns and values that a format takes."""
    draft = draw(drafts())
    vocabulary = lm.Vocabulary.from_words(draw(st.permutations(words)))
    return lm.Lattice.from_arcs(
        draft.source,
        draft.target,
        draft.word,
        start=draft.start,
        final=draft.final,
        scores={name: column(draw, values, len(draft.source), len(draft.final)) for name in columns},
        vocabulary=vocabulary,
    )


def of_texts(texts: Sequence[str]) -> Texts:
    """A table as a text archive has it."""
    rows = [text.encode() for text in texts]
    return Texts(_begins(rows), np.frombuffer(b"".join(rows), np.uint8))


def of_ids(texts: Sequence[str]) -> Texts:
    """A table as a binary archive has it."""
    rows = [[int(one) for one in text.split("_")] for text in texts]
    return Texts(_begins(rows), np.array([one for row in rows for one in row], dtype=np.int32))


def _begins(rows: Sequence[Sequence[int]]) -> np.ndarray:
    return np.array([0, *np.cumsum([len(row) for row in rows], dtype=np.int64)], dtype=np.int64)


def tables_of(texts: Sequence[str]) -> list[lm.Vocabulary]:
    """Every table that spells these texts."""
    are_ids = all(re.fullmatch(r"-?[1-9]\d{0,8}(_-?[1-9]\d{0,8})*", text) for text in texts)
    return [lm.Vocabulary.from_words(texts), of_texts(texts), *([of_ids(texts)] if are_ids else [])]


@st.composite
def with_label(
    draw: st.DrawFn,
    lattices: st.SearchStrategy[lm.Lattice],
    name: str,
    *,
    finals: bool,
    texts: tuple[str, ...] = ("1_2_3", "77", "α"),
) -> lm.Lattice:
    """A lattice whose arcs (and final states) carry further text."""
    lattice = draw(lattices)
    side = draw(st.sampled_from(tables_of(texts)))
    numbers = st.integers(0, 3)

    def some(size: int) -> np.ndarray:
        return np.array(draw(st.lists(numbers, min_size=size, max_size=size)), dtype=np.int32)

    ends = some(len(lattice.final)) if finals else np.zeros(len(lattice.final), dtype=np.int32)
    return rebuilt(lattice, labels={name: lm.Labels(some(len(lattice.word)), ends, side)})


def rebuilt(lattice: lm.Lattice, **changes: object) -> lm.Lattice:
    fields = {"scores": lattice.scores, "labels": lattice.labels, "vocabulary": lattice.vocabulary} | changes
    return lm.Lattice.from_arcs(lattice.source, lattice.target, lattice.word, final=lattice.final, **fields)


def ending_once(lattice: lm.Lattice) -> lm.Lattice:
    """The shape of PLF: one final state, the last, which costs nothing."""
    return lm.Lattice.from_arcs(
        [*lattice.source.tolist(), *lattice.final.tolist()],
        [*lattice.target.tolist(), *[lattice.num_states] * len(lattice.final)],
        [*lattice.word.tolist(), *[0] * len(lattice.final)],
        final=[lattice.num_states],
        scores={name: lm.Column(np.concatenate([c.arc, c.final]), np.zeros(1)) for name, c in lattice.scores.items()},
        vocabulary=lattice.vocabulary,
    )


def has_arcs(lattice: lm.Lattice) -> bool:
    return len(lattice.word) > 0


@dataclass(frozen=True)
class ForestDraft:
    """The arguments of `Forest.from_edges`, before nodes that lead nowhere are dropped; the vocabulary is `words`."""

    head: list[int]
    tails: list[list[int]]
    target: list[list[int]]
    goals: list[int]
    scores: dict[str, lm.Column]
    words: list[str]

    def forest(self) -> lm.Forest:
        return lm.Forest.from_edges(
            self.head,
            self.tails,
            self.target,
            goals=self.goals,
            scores=self.scores,
            vocabulary=lm.Vocabulary.from_words(self.words),
        )


@st.composite
def forest_drafts(
    draw: st.DrawFn,
    words: list[str],
    columns: list[str],
    values: st.SearchStrategy[float],
    *,
    one_goal: bool = False,
    in_order: bool = False,
) -> ForestDraft:
    """A random acyclic forest with at least one complete derivation, and with whatever else a decoder may write.

    Each node has some edges of up to four tails below it (its own start has none), so that nodes are shared, chains
    are unary, and some nodes lead nowhere. Edges may be without words, and say their tails in any order. Nodes are
    numbered, and edges stand, without regard to topology.

    Args:
        words: The vocabulary.
        columns: Names of score columns.
        values: Costs.
        one_goal: Whether there is one goal, which costs nothing.
        in_order: Whether each edge says its tails in their order.
    """
    nodes = draw(numbers(1, 6))
    name = draw(different_numbers(12, nodes))
    edges = []
    for rank in range(nodes):
        below = max(0, rank - 4), rank - 1
        for edge in range(draw(numbers(1 if rank == 0 else 0, 3))):
            is_leaf = rank == 0 or (edge > 0 and draw(booleans))
            tails = [] if is_leaf else draw(some_numbers(*below, fewest=1, largest=_MOST_TAILS[nodes]))
            places = [-k for k in range(1, len(tails) + 1)]
            said = draw(some_numbers(1, len(words), fewest=0, largest=3))
            if in_order:
                for place in places:
                    said.insert(draw(numbers(_after(said), len(said))), place)
                target = said
            else:
                target = draw(st.permutations([*said, *places]))
            edges.append((name[rank], [name[tail] for tail in tails], list(target)))
    edges = draw(st.permutations(edges))
    top = max(rank for rank in range(nodes) if any(edge[0] == name[rank] for edge in edges))
    goals = (
        [name[top]] if one_goal else draw(st.permutations(sorted({name[top], *draw(st.sets(st.sampled_from(name)))})))
    )
    finals = st.just(0.0) if one_goal else values
    return ForestDraft(
        [head for head, _, _ in edges],
        [tails for _, tails, _ in edges],
        [target for _, _, target in edges],
        list(goals),
        {
            label: lm.Column(column(draw, values, len(edges), 0).arc, column(draw, finals, len(goals), 0).arc)
            for label in columns
        },
        draw(st.permutations(words)),
    )


def _after(said: list[int]) -> int:
    """Where the next tail may stand: behind the last one."""
    return max((at + 1 for at, symbol in enumerate(said) if symbol < 0), default=0)


def can_be_listed(draft: ForestDraft, most: int = _MOST_DERIVATIONS) -> bool:
    """Whether there is a derivation, and not too many to list them all."""

    @cache
    def derivations(node: int) -> int:
        rows = zip(draft.head, draft.tails, strict=True)
        return sum(math.prod(map(derivations, tails)) for head, tails in rows if head == node)

    return 0 < sum(map(derivations, draft.goals)) <= most


def forests(
    words: list[str], columns: list[str], values: st.SearchStrategy[float], **options: bool
) -> st.SearchStrategy[lm.Forest]:
    """Random forests with words, columns and values that a format takes; see `forest_drafts`."""
    return forest_drafts(words, columns, values, **options).filter(can_be_listed).map(ForestDraft.forest)


@st.composite
def with_forest_texts(
    draw: st.DrawFn,
    graphs: st.SearchStrategy[lm.Forest],
    edge_texts: Mapping[str, Callable[[lm.Forest, int], st.SearchStrategy[str]]],
    node_texts: Mapping[str, st.SearchStrategy[str]] | None = None,
    goal_texts: Mapping[str, st.SearchStrategy[str]] | None = None,
) -> lm.Forest:
    """A forest whose edges, nodes and goals carry further text; the empty text is none."""
    forest = draw(graphs)

    def numbered(texts: list[str]) -> tuple[np.ndarray, lm.Vocabulary]:
        side = lm.Vocabulary.from_words(text for text in texts if text)
        return np.array([side.number(text) if text else 0 for text in texts], dtype=np.int32), side

    edges, goals = len(forest.head), len(forest.goals)
    labels = {}
    for name, of_edge in edge_texts.items():
        rows, side = numbered([draw(of_edge(forest, edge)) for edge in range(edges)])
        labels[name] = lm.Labels(rows, np.zeros(goals, dtype=np.int32), side)
    for name, texts in (goal_texts or {}).items():
        rows, side = numbered([draw(texts)] * goals)
        labels[name] = lm.Labels(np.zeros(edges, dtype=np.int32), rows, side)
    nodes = {}
    for name, texts in (node_texts or {}).items():
        nodes[name] = lm.NodeLabels(*numbered([draw(texts) for _ in range(forest.num_nodes)]))
    return lm.Forest.from_edges(
        forest.head,
        forest.tails,
        forest.target,
        goals=forest.goals,
        scores=forest.scores,
        vocabulary=forest.vocabulary,
        labels=labels,
        node_labels=nodes,
    )


def hypotheses(names: list[str]) -> st.SearchStrategy[Hypothesis]:
    words = st.lists(st.sampled_from(PLAIN_WORDS), max_size=5).map(tuple)
    return st.builds(Hypothesis, words, st.fixed_dictionaries(dict.fromkeys(names, scores)))


@st.composite
def nbest_lists(draw: st.DrawFn) -> lm.NBest:
    names = draw(st.sampled_from([["LM0", "TM0_0", "TM0_1", "total"], ["total"], ["LM0", "w=x"], []]))
    weights = {name: float(name == "total" or "total" not in names) for name in names}
    return lm.NBest(tuple(draw(st.lists(hypotheses(names), min_size=1, max_size=4))), weights)


def contents(graph: Graph) -> object:
    """Everything that a format must keep. Costs are compared bit by bit, but −0 equals 0."""
    if isinstance(graph, lm.NBest):
        return [(h.words, dict(h.scores)) for h in graph.hypotheses], dict(graph.weights)
    spell = graph.vocabulary.word
    if isinstance(graph, lm.Forest):
        return {
            "nodes": graph.num_nodes,
            "head": graph.head.tolist(),
            "tails": graph.tails.rows(),
            "target": [[spell(t) if t > 0 else t for t in row] for row in graph.target.rows()],
            "goals": graph.goals.tolist(),
            "scores": {name: (c.arc.tolist(), c.final.tolist(), c.weight) for name, c in graph.scores.items()},
            "labels": texts_of_labels(graph.labels),
            "node labels": {
                name: [side.vocabulary.word(n) for n in side.node.tolist()]
                for name, side in graph.node_labels.items()
                if side.node.any()
            },
        }
    return {
        "states": graph.num_states,
        "source": graph.source.tolist(),
        "target": graph.target.tolist(),
        "words": [spell(number) for number in graph.word.tolist()],
        "final": graph.final.tolist(),
        "scores": {name: (c.arc.tolist(), c.final.tolist(), c.weight) for name, c in graph.scores.items()},
        "labels": texts_of_labels(graph.labels),
    }


def texts_of_labels(labels: Mapping[str, lm.Labels]) -> dict[str, list[str]]:
    return {
        name: [side.vocabulary.word(n) for n in [*side.arc.tolist(), *side.final.tolist()]]
        for name, side in labels.items()
        if side.arc.any() or side.final.any()
    }


def paths_of(graph: Graph) -> list[tuple[str, float]]:
    if isinstance(graph, lm.Forest):
        return [(" ".join(derivation.words), derivation.cost) for derivation in graph.derivations()]
    lattice = graph if isinstance(graph, lm.Lattice) else graph.to_lattice()
    return [(" ".join(path.words), path.cost) for path in lattice.paths()]


def write_file(folder: Path, text: str | bytes, name: str = "graphs") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def paths_in(folder: Path, text: str | bytes, **options: object) -> list[list[tuple[str, float]]]:
    """The paths of every graph of a file."""
    return [paths_of(graph) for _, graph in lm.read(write_file(folder, text), **options)]


# --- Files that are broken

QUICKLY = 2.0  # seconds; what hangs or grows takes far longer


class Broken(NamedTuple):
    """A malformed file: its bytes, the line that an error must name, and a part of what it must say."""

    data: bytes
    line: int | None = None
    says: str = ""


def read_all(path: Path, format_name: str | None) -> None:
    for _, graph in lm.read(path, format=format_name):
        measured = graph.to_lattice() if isinstance(graph, lm.NBest) else graph
        measured.statistics()


READERS: dict[str, Callable[[Path], object]] = {
    "references": lambda path: read_references(str(path)).keyed(),
    "symbols": lambda path: read_symbols(str(path)),
}


def read_as(format_name: str | None, path: Path) -> None:
    reader = READERS.get(format_name or "")
    _ = reader(path) if reader else read_all(path, format_name)


def assert_refused(format_name: str, path: Path, broken: Broken) -> None:
    path.write_bytes(broken.data)
    begin = time.process_time()
    with pytest.raises(lm.LatticeMetricError) as caught:
        read_as(format_name, path)
    assert time.process_time() - begin < QUICKLY
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 600
    assert message.startswith(str(path) if broken.line is None else f"{path}:{broken.line}")
    assert broken.says in message or broken.says in without_id(message)


def without_id(message: str) -> str:
    """An error without the id after its place."""
    return re.sub(r" \([^()]*\): ", ": ", message)


def cases(**table: Broken) -> pytest.MarkDecorator:
    assert len(table) >= 12
    return pytest.mark.parametrize("broken", table.values(), ids=[name.replace("_", " ") for name in table])


# --- Accidents

MARKS = [b"\n", b"\n\n", b" ", b"\t", b",", b"(", b")", b"'", b'"', b"\\", b"{", b"}", b":", b"|||", b"=", b"-", b"\0"]
VALUES = [b"0", b"1", b"-1", b"9" * 30, b"nan", b"inf", b"1e400", b"<eps>", b"\xff", b"\xc3", "²".encode(), b"\xff" * 8]
SNIPPETS = st.sampled_from([*MARKS, *VALUES])


@st.composite
def mutations(draw: st.DrawFn, data: bytes) -> bytes:
    """A file after a few accidents: bytes changed, lost, doubled, moved, put in between."""
    for _ in range(draw(st.integers(1, 4))):
        begin, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
        near = min(len(data), begin + draw(st.integers(0, 9)))
        data = draw(
            st.sampled_from([data[:begin] + data[end:], data[:begin] + data[near:], data[:near] + data[begin:]])
            | SNIPPETS.map(lambda snippet, b=begin, n=near, d=data: d[:b] + snippet + d[n:])
            | st.binary(min_size=1, max_size=8).map(lambda new, b=begin, d=data: d[:b] + new + d[b + len(new) :])
        )
    return data


# --- A format and all that it is tried with


@dataclass(frozen=True)
class Case:
    """A format and what it is tried with.

    Attributes:
        name: The format's name.
        valid: A file that uses all of the format, for accidents to happen to.
        graphs: Graphs that the format holds exactly; `None` where it is only read.
        names: Ids that it holds, in an order that it keeps.
        many: Whether a file holds several graphs.
        small: A graph of two paths or hypotheses, the cheaper one second.
        broken: Malformed files, at least a dozen.
    """

    name: str
    valid: bytes
    graphs: st.SearchStrategy[Graph] | None = None
    names: list[str] = field(default_factory=list)
    many: bool = False
    small: Graph | None = None
    broken: dict[str, Broken] = field(default_factory=dict)


def small_lattice(column: str = "weight") -> lm.Lattice:
    return lm.Lattice.from_strings(["a b", "c"], costs=[1.5, 0.25], column=column)


def small_nbest() -> lm.NBest:
    return lm.NBest((Hypothesis(("a", "b"), {"total": 0.5}), Hypothesis((), {"total": 1.0})), {"total": 1.0})


def small_forest(column: str = "weight") -> lm.Forest:
    return lm.Forest.from_edges(
        [0, 1, 1],
        [[], [0], [0]],
        [[1], [-1, 2], [3, -1]],
        goals=[1],
        scores={column: lm.Column(np.array([1.0, 0.5, -0.75]), np.zeros(1))},
        vocabulary=lm.Vocabulary.from_words(["a", "b", "c"]),
    )
