"""What every format is tried with: graphs that it can hold, files that are broken, accidents that happen to files."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st
from strategies import drafts

import latticemetric as lm
from latticemetric.formats.references import read_references
from latticemetric.formats.symbols import read_symbols
from latticemetric.nbest import Hypothesis

EXAMPLES = Path(__file__).parent.parent / "examples" / "data"

Graph = lm.Lattice | lm.NBest

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
        return np.array(draw(st.lists(values, min_size=size, max_size=size)), dtype=np.float64)

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
    side = lm.Vocabulary.from_words(texts)
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


def hypotheses(names: list[str]) -> st.SearchStrategy[Hypothesis]:
    words = st.lists(st.sampled_from(PLAIN_WORDS), max_size=5).map(tuple)
    return st.builds(Hypothesis, words, st.fixed_dictionaries(dict.fromkeys(names, scores)))


@st.composite
def nbest_lists(draw: st.DrawFn) -> lm.NBest:
    names = draw(st.sampled_from([["LM0", "TM0_0", "TM0_1", "total"], ["total"], ["LM0", "w=x"], []]))
    scales = {name: float(name == "total" or "total" not in names) for name in names}
    return lm.NBest(tuple(draw(st.lists(hypotheses(names), min_size=1, max_size=4))), scales)


def contents(graph: Graph) -> object:
    """Everything that a format must keep. Costs are compared bit by bit, but −0 equals 0."""
    if isinstance(graph, lm.NBest):
        return [(h.words, dict(h.scores)) for h in graph.hypotheses], dict(graph.scales)
    spell = graph.vocabulary.word
    return {
        "states": graph.num_states,
        "source": graph.source.tolist(),
        "target": graph.target.tolist(),
        "words": [spell(number) for number in graph.word.tolist()],
        "final": graph.final.tolist(),
        "scores": {name: (c.arc.tolist(), c.final.tolist(), c.scale) for name, c in graph.scores.items()},
        "labels": {
            name: [side.vocabulary.word(n) for n in [*side.arc.tolist(), *side.final.tolist()]]
            for name, side in graph.labels.items()
            if side.arc.any() or side.final.any()
        },
    }


def paths_of(graph: Graph) -> list[tuple[str, float]]:
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
        lattice = graph if isinstance(graph, lm.Lattice) else graph.to_lattice()
        lattice.statistics()


READERS: dict[str, Callable[[Path], object]] = {
    "references": lambda path: read_references(str(path)).keyed(),
    "symbols": lambda path: read_symbols(str(path)),
}


def read_as(format_name: str | None, path: Path) -> None:
    reader = READERS.get(format_name or "")
    _ = reader(path) if reader else read_all(path, format_name)


def assert_refused(format_name: str, path: Path, broken: Broken) -> None:
    path.write_bytes(broken.data)
    begin = time.monotonic()
    with pytest.raises(lm.LatticeMetricError) as caught:
        read_as(format_name, path)
    assert time.monotonic() - begin < QUICKLY
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 600
    assert message.startswith(str(path) if broken.line is None else f"{path}:{broken.line}")
    assert broken.says in message


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
