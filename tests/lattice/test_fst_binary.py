"""OpenFst's binary layout: what OpenFst writes is read here, what is written here OpenFst reads."""

import ctypes
import math
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.strategies import VOCABULARY, Draft, drafts, lattices, scalings

import latticemetric as lm

_pywrapfst = pytest.importorskip("_pywrapfst", reason="pynini (OpenFst) is not installed")
import pynini  # noqa: E402
import pywrapfst  # noqa: E402

ARC_TYPES = ("standard", "log", "log64")
FST_TYPES = ("vector", "const")

every_arc_type = pytest.mark.parametrize("arc_type", ARC_TYPES)
every_fst_type = pytest.mark.parametrize("fst_type", FST_TYPES)


# --- Machines made with OpenFst's own functions, an arc at a time


def symbol_table(vocabulary: lm.Vocabulary) -> pywrapfst.SymbolTable:
    table = pywrapfst.SymbolTable()
    table.add_symbol("<eps>", 0)
    for number, word in vocabulary.items():
        table.add_symbol(word, number)
    return table


def machine_of(draft: Draft, arc_type: str, *, symbols: bool, inputs: list[int] | None = None) -> pywrapfst.VectorFst:
    """A draft as OpenFst builds it; weights are the draft's first column."""
    fst = pywrapfst.VectorFst(arc_type)
    column = next(iter(draft.scores.values()))
    fst.add_states(1 + max(draft.start, *draft.source, *draft.target, *draft.final, 0))
    fst.set_start(draft.start)
    for k, (here, there, word) in enumerate(zip(draft.source, draft.target, draft.word, strict=True)):
        weight = pywrapfst.Weight(fst.weight_type(), float(column.arc[k]))
        fst.add_arc(here, pywrapfst.Arc(inputs[k] if inputs else word, word, weight, there))
    for k, state in enumerate(draft.final):
        fst.set_final(state, pywrapfst.Weight(fst.weight_type(), float(column.final[k])))
    if symbols:
        fst.set_input_symbols(symbol_table(VOCABULARY))
        fst.set_output_symbols(symbol_table(VOCABULARY))
    return fst


def lattice_by_loop(fst: pywrapfst.Fst, vocabulary: lm.Vocabulary) -> lm.Lattice:
    """What `Lattice.from_fst` must make of a machine, by asking OpenFst for one arc after the other."""
    rows = [
        (state, arc.nextstate, arc.ilabel, arc.olabel, float(arc.weight))
        for state in fst.states()
        for arc in fst.arcs(state)
    ]
    source, target, inputs, outputs, weights = zip(*rows, strict=True) if rows else ([], [], [], [], [])
    ends = {s: float(fst.final(s)) for s in fst.states() if float(fst.final(s)) != float("inf")}
    labels = {}
    if inputs != outputs:
        labels["input"] = lm.Labels(np.array(inputs), np.zeros(len(ends), dtype=int), vocabulary)
    return lm.Lattice.from_arcs(
        source,
        target,
        outputs,
        final=list(ends),
        start=fst.start(),
        scores={"weight": lm.Column(np.array(weights, dtype=float), np.array(list(ends.values())))},
        vocabulary=vocabulary,
        labels=labels,
    )


def fst_by_loop(lattice: lm.Lattice, weights: dict[str, float] | None) -> pynini.Fst:
    """What `Lattice.to_fst` must make of a lattice, an arc at a time."""
    fst = pynini.Fst()
    fst.add_states(lattice.num_states)
    fst.set_start(0)
    cost = lattice.cost(weights)
    columns = (lattice.source, lattice.target, lattice.word, cost.arc)
    for source, target, word, weight in zip(*(column.tolist() for column in columns), strict=True):
        fst.add_arc(source, pynini.Arc(word, word, weight, target))
    for state in lattice.final.tolist():
        fst.set_final(state, float(cost.final[state]))
    fst.set_input_symbols(symbol_table(lattice.vocabulary))
    fst.set_output_symbols(symbol_table(lattice.vocabulary))
    return fst


def arcs_of(fst: pywrapfst.Fst) -> dict:
    """A machine as OpenFst reads it out."""
    return {
        "start": fst.start(),
        "arcs": [
            (state, arc.ilabel, arc.olabel, float(arc.weight), arc.nextstate)
            for state in fst.states()
            for arc in fst.arcs(state)
        ],
        "final": [float(fst.final(state)) for state in fst.states()],
        "symbols": [sorted(table) if table else None for table in (fst.input_symbols(), fst.output_symbols())],
    }


def single(values: np.ndarray) -> list[float]:
    return values.astype(np.float32).tolist()


def contents(lattice: lm.Lattice) -> dict:
    """Everything that a machine can say of a lattice; scores as precise as `float(weight)` is in Python."""
    spell = lattice.vocabulary.word
    labels = lattice.labels.get("input")
    return {
        "source": lattice.source.tolist(),
        "target": lattice.target.tolist(),
        "words": [spell(number) for number in lattice.word.tolist()],
        "final": lattice.final.tolist(),
        "scores": {name: (single(c.arc), single(c.final)) for name, c in lattice.scores.items()},
        "input": labels and [labels.vocabulary.word(number) for number in labels.arc.tolist()],
    }


@pytest.fixture
def aligned() -> Iterator[None]:
    """OpenFst writes `const` machines as if `--fst_align` had been given."""
    try:
        flag = ctypes.c_bool.in_dll(ctypes.CDLL(_pywrapfst.__file__), "FST_FLAGS_fst_align")
    except ValueError:
        pytest.skip("this build of pynini does not show the flag --fst_align")
    flag.value = True
    yield
    flag.value = False


EXAMPLE = Draft(
    start=2,
    source=[2, 2, 0, 0, 2],
    target=[0, 0, 4, 3, 4],
    word=[1, 2, 3, 0, 4],
    final=[4, 3],
    scores={"weight": lm.Column(np.array([0.5, 0.25, 1.0, 0.0, 7.5]), np.array([0.125, 2.0]))},
)


def example(arc_type: str = "standard", *, symbols: bool = True) -> pywrapfst.VectorFst:
    return machine_of(EXAMPLE, arc_type, symbols=symbols)


# --- In memory


@given(lattices().flatmap(lambda lattice: scalings(lattice).map(lambda weights: (lattice, weights))))
def test_to_fst_is_what_a_loop_over_arcs_makes(case):
    lattice, weights = case
    fst = lattice.to_fst(weights)
    assert arcs_of(fst) == arcs_of(fst_by_loop(lattice, weights))
    assert fst.verify()


@every_arc_type
@given(draft=drafts(), data=st.data(), symbols=st.booleans())
def test_from_fst_is_what_a_loop_over_arcs_makes(arc_type, draft, data, symbols):
    known = st.integers(0, len(VOCABULARY))
    inputs = data.draw(st.none() | st.lists(known, min_size=len(draft.source), max_size=len(draft.source)))
    fst = machine_of(draft, arc_type, symbols=symbols, inputs=inputs)
    vocabulary = VOCABULARY if symbols else lm.Vocabulary.numeric()
    assert contents(lm.Lattice.from_fst(fst)) == contents(lattice_by_loop(fst, vocabulary))


@given(lattices())
def test_to_fst_and_back_keeps_words_and_costs(lattice):
    again = lm.Lattice.from_fst(lattice.to_fst())
    cost = lattice.cost()
    summed = {"weight": (single(cost.arc), single(cost.final[lattice.final]))}
    assert contents(again) == contents(lattice) | {"scores": summed}


@pytest.mark.parametrize("words", ["a <eps> b", "<eps> <<eps>>"])
def test_a_word_that_is_spelled_like_epsilon_keeps_its_number_in_openfst(words, tmp_path):
    lattice = lm.Lattice.from_strings([words])
    fst = lattice.to_fst()
    assert [fst.output_symbols().find(number) for number in lattice.word.tolist()] == words.split()
    assert next(lm.Lattice.from_fst(fst).paths()).words == tuple(words.split())
    lm.write(tmp_path / "x.fst", [("x", lattice)])
    assert next(lm.read_one(tmp_path / "x.fst").paths()).words == tuple(words.split())


def test_to_fst_may_leave_symbols_out():
    fst = lm.Lattice.from_strings(["a b"]).to_fst(symbols=False)
    assert fst.input_symbols() is None
    assert fst.output_symbols() is None


def test_a_numeric_lattice_has_no_symbol_tables():
    fst = lm.Lattice.from_arcs([0], [1], [7], final=[1]).to_fst()
    assert arcs_of(fst)["symbols"] == [None, None]


def test_from_fst_names_its_column_and_takes_a_vocabulary():
    words = lm.Vocabulary.from_words(["one", "two", "three", "four"])
    lattice = lm.Lattice.from_fst(example(), words, "am")
    assert list(lattice.scores) == ["am"]
    assert next(lattice.paths()).words == ("one", "three")


def test_from_fst_takes_the_numeric_vocabulary_where_it_is_given():
    lattice = lm.Lattice.from_fst(example(), lm.Vocabulary.numeric())
    assert next(lattice.paths()).words == ("1", "3")


@pytest.mark.parametrize("fst", [pynini.Fst(), pynini.accep("ab").closure()], ids=["no states", "a cycle"])
def test_from_fst_refuses_what_is_no_lattice(fst):
    with pytest.raises(lm.InputError, match=r"empty|cyclic"):
        lm.Lattice.from_fst(fst)


@pytest.mark.parametrize("cost", [3.5e38, -1e300])
def test_to_fst_refuses_costs_beyond_single_precision(cost):
    lattice = lm.Lattice.from_strings(["a"], costs=[cost])
    with pytest.raises(lm.InputError, match="too large for OpenFst"):
        lattice.to_fst()


# --- Files that OpenFst wrote


def read_back(fst: pywrapfst.Fst, path: Path) -> lm.Lattice:
    fst.write(str(path))
    return lm.read_one(path)


@every_arc_type
@every_fst_type
@pytest.mark.parametrize("symbols", [False, True])
@given(draft=drafts())
def test_machines_that_openfst_wrote_are_read(arc_type, fst_type, symbols, tmp_path_factory, draft):
    fst = pywrapfst.convert(machine_of(draft, arc_type, symbols=symbols), fst_type)
    path = tmp_path_factory.getbasetemp() / "machine.fst"
    vocabulary = VOCABULARY if symbols else lm.Vocabulary.numeric()
    assert contents(read_back(fst, path)) == contents(lattice_by_loop(fst, vocabulary))


@every_arc_type
@every_fst_type
@pytest.mark.parametrize("symbols", [False, True])
@pytest.mark.usefixtures("aligned")
def test_aligned_machines_are_read(arc_type, fst_type, symbols, tmp_path):
    fst = pywrapfst.convert(example(arc_type, symbols=symbols), fst_type)
    vocabulary = VOCABULARY if symbols else lm.Vocabulary.numeric()
    assert contents(read_back(fst, tmp_path / "aligned.fst")) == contents(lattice_by_loop(fst, vocabulary))


def test_log64_costs_keep_their_precision(tmp_path):
    draft = Draft(0, [0], [1], [1], [1], {"weight": lm.Column(np.array([0.1]), np.array([1e-300]))})
    lattice = read_back(machine_of(draft, "log64", symbols=False), tmp_path / "double.fst")
    assert lattice.scores["weight"].arc.tolist() == [0.1]
    assert lattice.scores["weight"].final.tolist() == [1e-300]


def test_states_that_are_not_final_are_told_from_those_that_cost_nothing(tmp_path):
    lattice = read_back(pynini.accep("ab"), tmp_path / "accep.fst")
    assert lattice.final.tolist() == [2]
    assert lattice.scores["weight"].final.tolist() == [0.0]


def test_sides_with_the_same_numbers_but_other_symbols_are_both_kept(tmp_path):
    fst = pywrapfst.VectorFst()
    fst.add_states(2)
    fst.set_start(0)
    fst.set_final(1)
    fst.add_arc(0, pywrapfst.Arc(1, 1, pywrapfst.Weight.one("tropical"), 1))
    fst.set_input_symbols(symbol_table(lm.Vocabulary({1: "gato"})))
    fst.set_output_symbols(symbol_table(lm.Vocabulary({1: "cat"})))
    assert contents(read_back(fst, tmp_path / "sides.fst"))["input"] == ["gato"]


# --- Files that OpenFst reads


@given(lattice=lattices())
def test_openfst_reads_what_is_written_here(lattice, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "written.fst"
    summed = lm.Lattice.from_fst(lattice.to_fst())
    lm.write(path, [("x", summed)])
    fst = pynini.Fst.read(str(path))
    assert fst.verify()
    assert arcs_of(fst) == arcs_of(lattice.to_fst())
    assert fst.fst_type() == "vector"


def test_openfst_works_out_the_properties_of_what_is_written_here(tmp_path):
    path = tmp_path / "written.fst"
    lm.write(path, [("x", lm.Lattice.from_strings(["a b", "c"], costs=[1.0, 2.0]))])
    fst = pynini.Fst.read(str(path))
    wanted = pynini.ACCEPTOR | pynini.ACYCLIC | pynini.TOP_SORTED | pynini.WEIGHTED
    assert fst.properties(wanted, True) == wanted
    assert pynini.shortestpath(fst).project("output").rmepsilon().string(fst.output_symbols()) == "a b"


# --- Archives


FAR_TYPES = ("sttable", "stlist")
every_far_type = pytest.mark.parametrize("far_type", FAR_TYPES)


def write_far(path: Path, fsts: dict[str, pywrapfst.Fst], far_type: str, arc_type: str) -> None:
    writer = pywrapfst.FarWriter.create(str(path), arc_type=arc_type, far_type=far_type)
    for key, fst in fsts.items():
        writer.add(key, fst)
    del writer  # closes the file


def machines(arc_type: str, fst_type: str) -> dict[str, pywrapfst.Fst]:
    """Keys of several lengths, so that machines begin at uneven places."""
    sizes = {"a": 1, "bcd": 3, "utt-7 α": 2}
    acceptors = {key: pywrapfst.VectorFst(arc_type) for key in sizes}
    for key, fst in acceptors.items():
        fst.add_states(sizes[key] + 1)
        fst.set_start(0)
        fst.set_final(sizes[key], pywrapfst.Weight(fst.weight_type(), 0.5))
        for k in range(sizes[key]):
            fst.add_arc(k, pywrapfst.Arc(k + 1, k + 1, pywrapfst.Weight(fst.weight_type(), 0.25), k + 1))
        fst.set_output_symbols(symbol_table(VOCABULARY))
    return {key: pywrapfst.convert(fst, fst_type) for key, fst in acceptors.items()}


def read_words(path: Path) -> dict[str, list[tuple[tuple[str, ...], float]]]:
    return {name: [(path.words, path.cost) for path in graph.paths()] for name, graph in lm.read(path)}


EXPECTED = {"a": [(("a",), 0.75)], "bcd": [(("a", "b", "c"), 1.25)], "utt-7 α": [(("a", "b"), 1.0)]}


@every_far_type
@every_arc_type
@every_fst_type
def test_archives_that_openfst_wrote_are_read(far_type, arc_type, fst_type, tmp_path):
    write_far(tmp_path / "x.far", machines(arc_type, fst_type), far_type, arc_type)
    assert read_words(tmp_path / "x.far") == EXPECTED


@every_far_type
@every_arc_type
@pytest.mark.usefixtures("aligned")
def test_aligned_machines_in_archives_are_read(far_type, arc_type, tmp_path):
    write_far(tmp_path / "x.far", machines(arc_type, "const"), far_type, arc_type)
    assert read_words(tmp_path / "x.far") == EXPECTED


@every_far_type
def test_machines_of_an_archive_without_symbols_have_those_of_the_first(far_type, tmp_path):
    """Farcompilestrings writes archives like this, unless it is told otherwise."""
    fsts = machines("standard", "vector")
    for key in ("bcd", "utt-7 α"):
        fsts[key].set_output_symbols(None)
    path = tmp_path / "x.far"
    write_far(path, fsts, far_type, "standard")
    assert read_words(path) == EXPECTED
    renumbered = lm.Vocabulary({7: "c", 8: "b", 9: "a", 10: "d"})
    lattices = dict(lm.read(path, symbols=renumbered))
    assert {key: next(lattice.paths()).words for key, lattice in lattices.items()} == {
        key: paths[0][0] for key, paths in EXPECTED.items()
    }
    assert lattices["bcd"].word.tolist() == [9, 8, 7]


def test_numbers_of_an_archive_stay_numbers_if_its_first_machine_has_no_symbols(tmp_path):
    fsts = machines("standard", "vector")
    for key in ("a", "bcd"):
        fsts[key].set_output_symbols(None)
    write_far(tmp_path / "x.far", fsts, "sttable", "standard")
    assert [paths[0][0] for paths in read_words(tmp_path / "x.far").values()] == [("1",), ("1", "2", "3"), ("a", "b")]


def read_with_openfst(path: Path) -> dict[str, dict]:
    found = {}
    reader = pywrapfst.FarReader.open(str(path))
    while not reader.done():
        found[reader.get_key()] = arcs_of(reader.get_fst())
        reader.next()
    assert not reader.error()
    return found


def test_openfst_reads_archives_written_here(tmp_path):
    graphs = {name: lm.Lattice.from_strings([name, "x y"], costs=[1.0, 2.0]) for name in ("a", "bcd", "ü")}
    lm.write(tmp_path / "x.far", graphs.items())
    assert read_with_openfst(tmp_path / "x.far") == {name: arcs_of(g.to_fst()) for name, g in graphs.items()}


def find_all(path: Path, names: list[str]) -> list[str]:
    reader = pywrapfst.FarReader.open(str(path))
    return [name for name in names if reader.find(name) and reader.get_key() == name]


KEYS = {
    "sorted": ["a", "b", "c", "d"],
    "numbered": [str(number) for number in range(1, 13)],
    "unsorted": ["d", "a", "c", "b"],
    "of other alphabets": ["z", "\u00e9", "a", "\U0001f600", "\uffee"],
}
every_order = pytest.mark.parametrize("names", KEYS.values(), ids=KEYS)


@every_order
def test_openfst_finds_every_key_of_an_archive_written_here(names, tmp_path):
    lm.write(tmp_path / "x.far", [(name, lm.Lattice.from_strings([name])) for name in names])
    assert find_all(tmp_path / "x.far", names) == names


@every_order
def test_openfst_passes_every_key_of_an_archive_written_here(names, tmp_path):
    graphs = {name: lm.Lattice.from_strings([name]) for name in names}
    lm.write(tmp_path / "x.far", graphs.items())
    assert read_with_openfst(tmp_path / "x.far") == {name: arcs_of(g.to_fst()) for name, g in graphs.items()}
    assert {name for name, _ in lm.read(tmp_path / "x.far")} == set(names)


def test_an_archive_takes_no_empty_key(tmp_path):
    with pytest.raises(lm.LatticeMetricError):
        lm.write(tmp_path / "x.far", [("", lm.Lattice.from_strings(["a"]))])


# --- What is refused


def assert_refused(path: Path, data: bytes) -> lm.LatticeMetricError:
    path.write_bytes(data)
    with pytest.raises(lm.LatticeMetricError) as caught:
        list(lm.read(path))
    assert str(path) in str(caught.value)
    return caught.value


@pytest.mark.parametrize("arc_type", ["standard", "log64"])
@every_fst_type
def test_a_machine_cut_short_anywhere_is_refused(arc_type, fst_type, tmp_path):
    data = pywrapfst.convert(example(arc_type), fst_type).write_to_string()
    for size in range(len(data)):
        assert_refused(tmp_path / "cut.fst", data[:size])


@pytest.mark.usefixtures("aligned")
def test_an_aligned_machine_cut_short_anywhere_is_refused(tmp_path):
    data = pywrapfst.convert(example("log64"), "const").write_to_string()
    for size in range(len(data)):
        assert_refused(tmp_path / "cut.fst", data[:size])


@every_far_type
def test_an_archive_cut_short_anywhere_is_refused(far_type, tmp_path):
    write_far(tmp_path / "whole.far", machines("standard", "vector"), far_type, "standard")
    data = (tmp_path / "whole.far").read_bytes()
    for size in range(len(data)):
        assert_refused(tmp_path / "cut.far", data[:size])


def test_bytes_after_a_machine_are_refused(tmp_path):
    error = assert_refused(tmp_path / "more.fst", example().write_to_string() + b"more")
    assert "4 bytes follow the machine" in str(error)


def test_bytes_after_a_list_are_refused(tmp_path):
    write_far(tmp_path / "whole.far", machines("standard", "vector"), "stlist", "standard")
    assert_refused(tmp_path / "more.far", (tmp_path / "whole.far").read_bytes() + b"more")


@pytest.mark.parametrize("arc_type", ["lattice4", "minmax", "signed_log"])
def test_arcs_of_other_types_are_refused_by_name(arc_type, tmp_path):
    data = example().write_to_string()
    name = b"\x08\x00\x00\x00standard"
    assert data.count(name) == 1
    renamed = data.replace(name, struct.pack("<i", len(arc_type)) + arc_type.encode())
    assert f"arcs of type '{arc_type}' cannot be read" in str(assert_refused(tmp_path / "other.fst", renamed))


@pytest.mark.parametrize("fst_type", ["compact_acceptor", "compact_string"])
def test_machines_of_other_types_are_refused_by_name(fst_type, tmp_path):
    fst = pywrapfst.convert(pynini.accep("abc"), fst_type)
    error = assert_refused(tmp_path / "compact.fst", fst.write_to_string())
    assert f"a machine of type '{fst_type}' cannot be read; run fstconvert" in str(error)


# --- Weights that are vectors (HiFST)


def sparse_weight(default: float, *features: tuple[int, float], kind: str = "f") -> bytes:
    """As OpenFst's SparsePowerWeight is written: default value, first pair, the number of others, the others."""
    first, *rest = features or [(-1, 0.0)]
    pairs = b"".join(struct.pack(f"<i{kind}", *pair) for pair in rest)
    return struct.pack(f"<{kind}i{kind}", default, *first) + struct.pack("<q", len(rest)) + pairs


def sparse_machine(*states: tuple[bytes, list[tuple[int, bytes, int]]], kind: str = "f") -> bytes:
    name = b"tropicalsparsetuple" + (b"64" if kind == "d" else b"")
    header = struct.pack("<ii", 2125659606, 6) + b"vector" + struct.pack("<i", len(name)) + name
    header += struct.pack("<iiQqqq", 2, 0, 3, 0, len(states), 0)
    body = b""
    for final, arcs in states:
        body += final + struct.pack("<q", len(arcs))
        body += b"".join(struct.pack("<ii", word, word) + weight + struct.pack("<i", to) for word, weight, to in arcs)
    return header + body


@pytest.mark.parametrize("kind", ["f", "d"])
def test_weights_of_hifst_are_a_column_a_feature(kind, tmp_path):
    def weight(*features: tuple[int, float]) -> bytes:
        return sparse_weight(0.0, *features, kind=kind)

    never = sparse_weight(math.inf, kind=kind)
    arcs = [(7, weight((1, 0.5), (3, 2.0)), 1), (8, weight((2, -1.0)), 1), (9, weight(), 1)]
    data = sparse_machine((never, arcs), (weight((3, 4.0)), []), kind=kind)
    (tmp_path / "1.fst").write_bytes(data)
    lattice = lm.read_one(tmp_path / "1.fst")
    assert {name: (c.arc.tolist(), c.final.tolist(), c.weight) for name, c in lattice.scores.items()} == {
        "feature_1": ([0.5, 0, 0], [0], 1),
        "feature_2": ([0, -1, 0], [0], 1),
        "feature_3": ([2, 0, 0], [4], 1),
    }
    weights = {"feature_1": 2.0, "feature_2": 0.25, "feature_3": -1.0}
    assert [path.cost for path in lattice.paths(weights=weights)] == [-5.0, -4.25, -4.0]
    for end in range(100, len(data)):
        (tmp_path / "1.fst").write_bytes(data[:end])
        with pytest.raises(lm.FormatError):
            lm.read_one(tmp_path / "1.fst")


def test_a_default_value_of_hifst_is_a_cost_of_its_own(tmp_path):
    data = sparse_machine((sparse_weight(math.inf), [(7, sparse_weight(1.5, (1, 2.0)), 1)]), (sparse_weight(0.0), []))
    (tmp_path / "1.fst").write_bytes(data)
    lattice = lm.read_one(tmp_path / "1.fst")
    assert {name: column.arc.tolist() for name, column in lattice.scores.items()} == {"weight": [1.5], "feature_1": [2]}


@pytest.mark.parametrize("weight", [sparse_weight(0.0, (0, 1.0)), struct.pack("<fifq", 0, 1, 1, 2**40)])
def test_weights_that_hifst_does_not_write_are_refused(weight, tmp_path):
    (tmp_path / "1.fst").write_bytes(sparse_machine((weight, [])))
    with pytest.raises(lm.FormatError, match=r"numbers start at 1|cut short"):
        lm.read_one(tmp_path / "1.fst")


def test_machines_of_an_archive_share_equal_tables_and_no_others(tmp_path):
    tables = [["a", "b"], ["a", "b"], ["b", "a"], ["a", "b", "c"], ["a", "b"]]
    graphs = [
        (str(number), lm.Lattice.from_arcs([0], [1], [2], final=[1], vocabulary=lm.Vocabulary.from_words(words)))
        for number, words in enumerate(tables, start=1)
    ]
    lm.write(tmp_path / "x.far", graphs)
    found = [graph for _, graph in lm.read(tmp_path / "x.far")]
    assert [list(dict(graph.vocabulary.items()).values()) for graph in found] == tables
    assert [next(graph.paths()).words for graph in found] == [("b",), ("b",), ("a",), ("b",), ("b",)]
    assert found[0].vocabulary is found[1].vocabulary
