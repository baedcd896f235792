"""Every graph into every format: the same strings, costs and scores come back, or one line says what to do instead."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.formats import PLAIN_WORDS, Graph, rebuilt, shaped, small_forest, small_lattice, tables_of
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.formats import marks
from latticemetric.formats.columns import summed, without_labels
from latticemetric.formats.reading import entries
from latticemetric.formats.registry import formats
from latticemetric.nbest import Hypothesis

WRITABLE = sorted(name for name, known in formats().items() if known.can_be_written)
# OpenFst and Kaldi have 32 bits; probabilities lose some, too.
CLOSE = {"rel": 1e-6, "abs": 1e-6}

# Texts that mean something to one format or another.
MARKS = [
    *("NULL", "!NULL", "!ENTER", "*EPS*", "*DELETE*", "<eps>", "ε", "(null)", "-pau-", "@", "0", "-1", "12", "0.5"),
    *("(maybe)", "the(2)", "{", "}", "/", "a/b", ";;", "a;b", "**", "<ALT>", "#", "|", "|||", "a|b", "[1]", "[X,1]"),
    *("candidate", "wav", "End", "align", "'", '"', "\\", "=", "x=1", "a:", "été", "new york", "no\u00a0break", "\t"),
]
NAMES = [
    *("time", "words", "language", "ngram", "var", "W", "N", "a", "l", "acoustic", "lm", "score", "score_0", "total"),
    *("nwords", "posterior", "transition", "core_0", "hyp", "x y", "x=y", "x;y", 'x"y', "x:", "été", "rank", "text"),
]


def lattice_of(words: list[str], /, **scores: tuple[float, float]) -> lm.Lattice:
    """Two paths; each score is that of every arc, and its scale."""
    arcs = len(words) + 1
    return lm.Lattice.from_arcs(
        [*range(len(words)), 0],
        [*range(1, len(words) + 1), len(words)],
        [*range(1, len(words) + 1), 1],
        final=[len(words)],
        scores={n: lm.Column(np.full(arcs, cost), np.zeros(1), weight) for n, (cost, weight) in scores.items()},
        vocabulary=lm.Vocabulary.from_words(words),
    )


def labelled(name: str, text: str) -> lm.Lattice:
    lattice = small_lattice()
    side = lm.Vocabulary.from_words([text])
    ends = np.zeros(len(lattice.final), dtype=np.int32)
    return rebuilt(lattice, labels={name: lm.Labels(np.ones(len(lattice.word), dtype=np.int32), ends, side)})


def list_of(*hypotheses: tuple[str, dict[str, float]], **weights: float) -> lm.NBest:
    return lm.NBest(tuple(Hypothesis(tuple(text.split()), scores) for text, scores in hypotheses), weights)


def timed() -> lm.Lattice:
    return lm.Lattice.from_arcs([0, 1], [1, 2], [7, 8], final=[2], times=[0.0, 0.25, 1.0])


GRAPHS: dict[str, Graph] = {
    "a lattice": small_lattice(),
    "one without scores": lm.Lattice.from_strings(["a b", "c"]),
    "one in numbers": lm.Lattice.from_arcs([0, 0, 1], [1, 1, 2], [5, 7, 8], final=[2]),
    "one of no words": lm.Lattice.from_strings([""]),
    "one of a single state": lm.Lattice.from_arcs([], [], [], final=[0]),
    "one with times": timed(),
    "one with two ends that cost something": lm.Lattice.from_arcs(
        [0, 1, 0],
        [1, 2, 1],
        [1, 0, 2],
        final=[1, 2],
        scores={"weight": lm.Column(np.array([0.5, 0.25, -1.0]), np.array([2.0, 0.0]))},
        vocabulary=lm.Vocabulary.from_words(["a", "b"]),
    ),
    "one with the same word twice": lm.Lattice.from_arcs(
        [0, 0, 1], [1, 1, 2], [1, 1, 2], final=[2], scores={"c": lm.Column(np.array([0.5, 0.75, 1.0]), np.zeros(1))}
    ),
    "two scores": lattice_of(["a", "b"], lm=(0.5, 1.0), acoustic=(2.0, 1.0)),
    "a score that does not count": lattice_of(["a", "b"], x=(0.5, 0.0)),
    "scores of other weights": lattice_of(["a", "b"], acoustic=(0.5, 0.1), lm=(2.0, 12.0)),
    "a total and its parts": lattice_of(["a", "b"], score=(0.75, 1.0), part=(0.5, 0.0)),
    "an input side": labelled("input", "x"),
    "transitions": labelled("transitions", "1_2"),
    "a forest": small_forest(),
    "a list with a total": list_of(
        ("a b", {"lm": 0.5, "total": 1.0}), ("", {"lm": 0.25, "total": 2.0}), lm=0.0, total=1.0
    ),
    "a list without a total": list_of(("a b", {"lm": 0.5, "tm": 1.0}), ("a", {"lm": 0.25, "tm": 2.0})),
    "a list with weights": list_of(("a b", {"lm": 0.5, "tm": 1.0}), ("a", {"lm": 0.25, "tm": 2.0}), lm=0.1, tm=1.0),
    "a list with a score that does not count": list_of(
        ("a b", {"am": 0.5, "x": 1.0}), ("c", {"am": 1.0}), am=1.0, x=0.0
    ),
    "a list of one": list_of(("a b", {})),
    "a list with a score of some": list_of(("a b", {"total": 0.5}), ("c", {})),
    "a sparse list": list_of(("a b", {"w_1": 0.5, "total": 1.0}), ("c", {"w_2": -1.0, "total": 2.0}), w_1=0.0, w_2=0.0),
    **{f"the word {word!r}": lattice_of(["a", word, "b"], cost=(0.5, 1.0)) for word in MARKS},
    **{f"the only word {word!r}": lm.Lattice.from_strings([[word]], costs=[0.5]) for word in MARKS},
    **{f"the score {name!r}": lattice_of(["a", "b"], **{name: (0.5, 1.0)}) for name in NAMES},
    **{f"the weighed score {name!r}": lattice_of(["a", "b"], **{name: (0.5, 2.0)}) for name in NAMES},
    **{f"the idle score {name!r}": lattice_of(["a"], cost=(0.5, 1.0), **{name: (0.5, 0.0)}) for name in NAMES},
    **{f"the score {name!r} of a list": list_of(("a b", {name: 0.5}), ("a", {name: 1.5})) for name in NAMES},
    **{f"the word {word!r} of a list": lm.NBest((Hypothesis((word, "a"), {"total": 0.5}),), {}) for word in MARKS},
}


# --- What must not get lost


def rows_of(graph: Graph) -> list[tuple[tuple[str, ...], list[float]]]:
    """Each path's words, its cost, and what its scores add up to, in order of size; a score of 0 says nothing."""
    whole = graph.to_lattice() if isinstance(graph, lm.NBest) else graph
    walk = whole.derivations if isinstance(whole, lm.Forest) else whole.paths
    found = [(path.words, [path.cost], []) for path in walk()]
    for name in whole.scores:
        alone = walk({other: float(other == name) for other in whole.scores})
        for (_, _, sums), path in zip(found, alone, strict=True):
            sums.append(path.cost)
    return sorted((words, [*cost, *sorted(s for s in sums if s)]) for words, cost, sums in found)


def assert_the_same(found: Graph, wanted: Graph, what: str) -> None:
    rows, expected = rows_of(found), rows_of(wanted)
    if "mark" in getattr(wanted, "labels", {}) and rows != expected:  # the format keeps marks
        expected = rows_of(marks.marks_as_words(wanted))
    assert [words for words, _ in rows] == [words for words, _ in expected], what
    assert [costs for _, costs in rows] == [pytest.approx(costs, **CLOSE) for _, costs in expected], what


def assert_helpful(error: lm.LatticeMetricError, name: str) -> None:
    """One line that names the graph and says what to do."""
    message = str(error)
    assert "\n" not in message
    assert len(message) < 400
    assert message.startswith(name)
    assert error.advice, message


def converted(graph: Graph, format_name: str, folder: Path) -> Graph | None:
    """What is read of a graph that was written in some format; nothing where it was refused as it should be."""
    path = folder / f"graph{formats()[format_name].suffixes[0]}"
    name = "utt,1,utt,0.0,1.5" if format_name == "stm" else "utt-1"
    problem = None
    try:
        lm.write(path, [(name, graph)], format=format_name)
    except (lm.UsageError, lm.InputError) as error:
        problem = error
    if problem is not None:
        assert_helpful(problem, name)
        assert not path.exists()
        return None
    found = lm.read_one(path, format=format_name, symbols=table_of(graph), keep_marks=True)
    for file in folder.iterdir():
        file.unlink()
    return found


def table_of(graph: Graph) -> lm.Vocabulary | None:
    """What spells words that a format writes as numbers."""
    vocabulary = None if isinstance(graph, lm.NBest) else graph.vocabulary
    return vocabulary if vocabulary is not None and vocabulary.is_given and not vocabulary.is_numeric else None


@pytest.mark.parametrize("format_name", WRITABLE)
def test_a_graph_is_held_as_a_whole_or_refused(format_name, tmp_path):
    for kind, graph in GRAPHS.items():
        found = converted(graph, format_name, tmp_path)
        if found is not None:
            assert_the_same(found, graph, kind)


# Names that formats with labels know, and texts that they take.
LABELS = {
    "transitions": ("1_2_3", "77", "-5", "0", "4_4"),
    "input": ("x", "7", "été"),
    "v": ("1", "the(2)", "x"),
    "covered": ("0-1", "2", "3-3"),
}


# Formats of lattices whose arcs may have labels.
WITH_LABELS = ["kaldi", "kaldi-binary", "htk-slf", "openfst", "openfst-text", "far", "k2", "moses-search-graph"]


@st.composite
def labelled_lattices(draw: st.DrawFn) -> list[lm.Lattice]:
    """A lattice with labels, once for each table that may spell them."""
    name, texts = draw(st.sampled_from(sorted(LABELS.items())))
    texts = draw(st.permutations(texts))
    lattice = draw(shaped(PLAIN_WORDS, ["lm"], st.integers(0, 9).map(float)))
    lattice = rebuilt(lattice, vocabulary=lm.Vocabulary.numeric())
    numbers = st.integers(0, len(texts))
    arcs, ends = (
        np.array(draw(st.lists(numbers, min_size=size, max_size=size)), dtype=np.int32)
        for size in (len(lattice.word), len(lattice.final))
    )
    if draw(st.booleans()):
        ends *= 0
    return [rebuilt(lattice, labels={name: lm.Labels(arcs, ends, table)}) for table in tables_of(texts)]


def labels_of(lattice: lm.Lattice) -> list[tuple[tuple[str, ...], float, dict[str, list[str]]]]:
    """Each path's words and cost, and its labels without the empty ones."""
    row = {state: row for row, state in enumerate(lattice.final.tolist())}
    found = []
    for path in lattice.paths():
        end = row[int(lattice.target[path.arcs[-1]]) if path.arcs else 0]
        numbers = {
            n: [*(int(side.arc[a]) for a in path.arcs), int(side.final[end])] for n, side in lattice.labels.items()
        }
        texts = {name: lattice.labels[name].vocabulary.decode(some) for name, some in numbers.items()}
        found.append((path.words, path.cost, {name: some for name, some in texts.items() if some}))
    return sorted(found, key=repr)


@given(data=st.data())
def test_labels_go_through_every_pair_of_formats_that_hold_them(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs")
    graphs = data.draw(labelled_lattices())
    wanted = labels_of(graphs[0])
    for name in data.draw(st.lists(st.sampled_from(WITH_LABELS), min_size=2, max_size=2)):
        found = [converted(graph, name, folder) for graph in graphs]
        graphs = [graph for graph in found if isinstance(graph, lm.Lattice)]
        assert [labels_of(graph) for graph in graphs] in ([], [wanted] * len(found)), name


# Formats that hold the table of labels: a given one whole, one that a file brought only as far as it is used.
WITH_TABLES = {"openfst", "far"}


@given(graphs=labelled_lattices(), format_name=st.sampled_from(sorted({*WRITABLE} - WITH_TABLES)))
def test_it_does_not_show_in_a_file_how_labels_were_kept(graphs, format_name, tmp_path_factory):
    path = tmp_path_factory.mktemp("bytes") / f"graph{formats()[format_name].suffixes[0]}"
    written = []
    for graph in graphs:
        path.unlink(missing_ok=True)
        try:
            lm.write(path, [("utt-1", graph)], format=format_name)
            written.append(path.read_bytes())
        except (lm.UsageError, lm.InputError) as error:
            written.append(str(error))
    assert written == written[:1] * len(graphs)


@given(graphs=labelled_lattices(), format_name=st.sampled_from(sorted(WITH_TABLES)))
def test_a_table_of_labels_is_read_back(graphs, format_name, tmp_path_factory):
    found = [converted(graph, format_name, tmp_path_factory.mktemp("tables")) for graph in graphs]
    kept = [labels_of(graph) for graph in found if isinstance(graph, lm.Lattice)]
    assert kept in ([], [labels_of(graph) for graph in graphs])


@pytest.mark.parametrize("format_name", ["far", "openfst"])
def test_numbers_are_not_spelled_by_labels_with_the_same_numbers(format_name, tmp_path):
    labels = lm.Labels(np.array([1], np.int32), np.array([0], np.int32), lm.Vocabulary.from_words(["x"]))
    lattice = lm.Lattice.from_arcs([0], [1], [1], final=[1], labels={"input": labels})
    found = converted(lattice, format_name, tmp_path)
    assert [path.words for path in found.paths()] == [("1",)]
    assert found.labels["input"].vocabulary.decode(found.labels["input"].arc) == ["x"]


NO_GRAPHS = ("harvest", "tide")  # judged systems, and tags of words


def examples() -> dict[str, Graph]:
    """The first graph of an example of each format."""
    found = {}
    for path in sorted(EXAMPLES.iterdir()):
        if path.name.startswith(NO_GRAPHS):
            continue
        if path.suffix != ".txt" or path.name.endswith((".fst.txt", ".lat.txt", ".k2.txt", ".recogs.txt")):
            entry = next(entries([path]))
            found[entry.format] = entry.build()
    return found


def test_there_is_an_example_of_each_format(monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    assert set(examples()) == set(formats())


@pytest.mark.parametrize("format_name", WRITABLE)
@pytest.mark.parametrize("change", [lambda graph: graph, lambda graph: without_labels(summed(graph))], ids=["", "bare"])
def test_an_example_is_held_as_a_whole_or_refused(change, format_name, tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    for source, example in examples().items():
        graph = change(example)
        found = converted(graph, format_name, tmp_path)
        if found is not None:
            assert_the_same(found, graph, source)


def test_words_that_are_marks_in_a_format_are_said_once_and_read_back_on_demand(tmp_path, caplog):
    # <s> of a Kaldi archive is a word; in an HTK lattice it is none.
    graph = lm.Lattice.from_strings(["<s> a </s>"])
    marks._WRITTEN.forget()
    for name in ("one.slf", "two.slf"):
        lm.write(tmp_path / name, [("utt-1", graph)])
    (message,) = caplog.messages
    assert "the words </s> and <s> mark sentences, and are read back as no words" in message
    assert [path.words for path in lm.read_one(tmp_path / "one.slf").paths()] == [("a",)]
    assert [path.words for path in lm.read_one(tmp_path / "one.slf", keep_marks=True).paths()] == [("<s>", "a", "</s>")]


# What holds all graphs, once their scores are summed and their labels left out.
LATTICES = ["far", "htk-slf", "openfst", "openfst-text", "kaldi", "moses-search-graph", "pfsg", "plf", "sphinx"]
FORESTS = ["moses-hypergraph", "cdec-target-graph", "joshua-hypergraph", "cdec-json", "travatar-json"]


@pytest.mark.parametrize("format_name", [*LATTICES, *FORESTS])
def test_what_is_summed_and_without_labels_is_held(format_name, tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    for source, example in examples().items():
        if format_name in FORESTS or not isinstance(example, lm.Forest):
            assert converted(without_labels(summed(example)), format_name, tmp_path) is not None, source


@pytest.mark.parametrize("format_name", ["moses-nbest", "srilm-nbest", "wenet-nbest", "jsonl-nbest"])
def test_a_list_whose_scores_are_summed_is_held(format_name, tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    for source, example in examples().items():
        if isinstance(example, lm.NBest):
            assert converted(summed(example), format_name, tmp_path) is not None, source
