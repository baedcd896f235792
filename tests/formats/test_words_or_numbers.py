"""Whether words are spelled or numbers is a matter of a file, and words survive conversions or these are refused."""

import pickle
import struct

import pytest

import latticemetric as lm
from latticemetric.formats.reading import read_symbols
from latticemetric.formats.writing import write


def kaldi(**lattices: str) -> str:
    """A text archive; each lattice is one path of words, or its final state alone."""
    return "".join(f"{name}\n{arcs(words)}\n" for name, words in lattices.items())


def arcs(words: str) -> str:
    split = words.split()
    lines = [f"{state} {state + 1} {word} 1,2,\n" for state, word in enumerate(split)]
    return "".join([*lines, f"{len(split)} 0,0,\n"])


def words_in(path, **options) -> list[str]:
    return [" ".join(next(graph.paths()).words) for _, graph in lm.read(path, **options)]


def scores_of(tmp_path, text: str, references: str) -> list[float]:
    (tmp_path / "lats").write_text(text)
    (tmp_path / "refs").write_text(references)
    found = lm.Corpus.read(tmp_path / "lats", tmp_path / "refs").map(errors)
    return [answer.value for answer in found]


def errors(graph, references) -> int:
    return lm.oracle(graph, references, "wer").numerator


@pytest.mark.parametrize("odd", ["8", "", "<eps>"])
def test_a_lattice_of_one_number_or_no_word_is_spelled_as_its_archive_is(odd, tmp_path):
    text = kaldi(utt_1="the cat", utt_2=odd, utt_3="a dog")
    assert scores_of(tmp_path, text, "utt_1 the cat\nutt_2 eight\nutt_3 a dog\n") == [0, 1, 0]
    assert words_in(tmp_path / "lats") == ["the cat", odd.replace("<eps>", ""), "a dog"]


def test_a_zero_is_a_word_where_words_are_spelled_and_nothing_where_they_are_numbers(tmp_path):
    (tmp_path / "spelled").write_text(kaldi(a="point 0", b="0"))
    (tmp_path / "numbers").write_text(kaldi(a="7 0", b="0"))
    assert words_in(tmp_path / "spelled") == ["point 0", "0"]
    assert words_in(tmp_path / "numbers") == ["7", ""]


def test_a_table_does_not_respell_a_number_of_an_archive_that_spells_its_words(tmp_path):
    (tmp_path / "lats").write_text(kaldi(a="two 2", b="2"))
    table = lm.Vocabulary({1: "two", 2: "three", 5: "2"})
    assert words_in(tmp_path / "lats", symbols=table) == ["two 2", "2"]


def test_lattices_with_transition_ids_beside_words_are_spelled(tmp_path):
    (tmp_path / "lats").write_text("a\n0 1 17 the 1,2\n1\n\nb\n0 1 17 8 1,2\n1\n\n")
    assert [graph.vocabulary.is_numeric for _, graph in lm.read(tmp_path / "lats")] == [False, False]


def test_a_script_reads_a_lattice_as_its_archive_spells_it(tmp_path):
    text = kaldi(a="the 1", b="8")
    (tmp_path / "lats").write_text(text)
    (tmp_path / "lats.scp").write_text(f"b {tmp_path / 'lats'}:{text.index('b') + 1}\n")
    ((_, graph),) = lm.read(tmp_path / "lats.scp")
    assert not graph.vocabulary.is_numeric


@pytest.mark.parametrize("text", ["0\n", "0 1 0 0\n1\n"])
def test_a_machine_that_says_nothing_is_no_error_beside_words(text, tmp_path):
    (tmp_path / "lattices").mkdir()
    (tmp_path / "lattices" / "a.fst.txt").write_text(text)
    (tmp_path / "refs").write_text("a the cat\n")
    (answer,) = lm.Corpus.read(tmp_path / "lattices", tmp_path / "refs", style="keyed").map(_score)
    assert answer.value == 2


def _score(graph, references) -> int:
    return errors(graph, references)


# --- OpenFst text: weights or outputs


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("0 1 a 0.5\n1 2 b 1,5\n2 3 c 0.25\n3\n", 2),
        ("0 1 a 0.5\n1 2 b 1.O\n2\n", 2),
        ("0 1 7 0.5\n1 2 8 0.5\n2 3 9 heavy\n3\n", 3),
        ("0 1 a 2\n1 2 b 3\n2 3 c 1,5\n3\n", 3),
        ("0 1 a 0.5\n1 2 b 0.5\n2 3 c 0.5 0.5\n3\n", 3),
    ],
)
def test_one_bad_weight_does_not_make_outputs_of_the_others(text, line, tmp_path):
    (tmp_path / "a.fst.txt").write_text(text)
    with pytest.raises(lm.FormatError, match=rf"a\.fst\.txt:{line}"):
        lm.read_one(tmp_path / "a.fst.txt")


@pytest.mark.parametrize("outputs", [("x", "3"), ("3", "4", "dogs"), ("1st", "2"), ("0.5", "x", "y")])
def test_outputs_may_be_numbers_among_words(outputs, tmp_path):
    lines = [f"{state} {state + 1} i{state} {word}\n" for state, word in enumerate(outputs)]
    (tmp_path / "a.fst.txt").write_text("".join([*lines, f"{len(outputs)}\n"]))
    assert words_in(tmp_path / "a.fst.txt") == [" ".join(outputs)]


# --- Conversions


def spelled(*words: str) -> lm.Lattice:
    return lm.Lattice.from_strings([" ".join(words)], costs=[1.0])


def test_words_whose_numbers_are_a_machines_own_are_not_written_as_numbers(tmp_path):
    write(tmp_path / "a.fst", [("a", spelled("big", "cats"))])
    graph = lm.read_one(tmp_path / "a.fst")
    with pytest.raises(
        lm.InputError,
        match=r"numbers, not words, .* only in the graph.s symbol table; give a symbol table with symbols=…",
    ):
        write(tmp_path / "a.ark", [("a", graph)])


def test_a_table_numbers_the_words_of_a_machine_by_their_spelling(tmp_path):
    table = lm.Vocabulary({1: "the", 2: "cats", 3: "big"})
    write(tmp_path / "a.fst", [("a", spelled("big", "cats"))])
    write(tmp_path / "a.ark", [("a", lm.read_one(tmp_path / "a.fst", symbols=table))])
    assert words_in(tmp_path / "a.ark", symbols=table) == ["big cats"]
    assert words_in(tmp_path / "a.ark") == ["3 2"]
    with pytest.raises(lm.InputError, match="the machine's symbol 'big' is not in the given symbol table"):
        lm.read_one(tmp_path / "a.fst", symbols=lm.Vocabulary({1: "cats"}))


@pytest.mark.parametrize(
    "text", ["0 1 the the\n1 2 -nothing- -nothing-\n2\n", "a\n0 1 the 1,2,\n1 2 -nothing- 1,2,\n2\n\n"]
)
def test_the_word_of_number_0_in_a_table_is_no_word(text, tmp_path):
    (tmp_path / "words.txt").write_text("-nothing- 0\nthe 3\n")
    (tmp_path / "x").write_text(text)
    table = read_symbols(tmp_path / "words.txt")
    for symbols in (table, pickle.loads(pickle.dumps(table))):
        assert words_in(tmp_path / "x", symbols=symbols) == ["the"]
    with pytest.raises(lm.InputError, match="'-nothing-' is not in the symbol table"):
        words_in(tmp_path / "x", symbols=lm.Vocabulary({3: "the"}))


@pytest.mark.parametrize("through", [None, "a.fst"])
def test_words_that_are_all_numbers_are_written_as_these(through, tmp_path):
    graph = spelled("17", "4", "17")
    if through is not None:
        write(tmp_path / through, [("a", graph)])
        graph = lm.read_one(tmp_path / through)
    write(tmp_path / "a.ark", [("a", graph)])
    assert words_in(tmp_path / "a.ark") == ["17 4 17"]


def test_a_word_zero_is_not_written_as_no_word(tmp_path):
    with pytest.raises(lm.InputError, match="numbers, not words"):
        write(tmp_path / "a.ark", [("a", spelled("0", "4"))])


def binary_symbols(*entries):
    """A symbol table as OpenFst's `SymbolTable.write` makes it."""

    def text(value):
        return struct.pack("<i", len(value.encode())) + value.encode()

    head = struct.pack("<i", 2125658996) + text("<unspecified>") + struct.pack("<qq", 9, len(entries))
    return head + b"".join(text(word) + struct.pack("<q", number) for word, number in entries)


def test_binary_symbol_tables_are_read(tmp_path):
    table, archive = tmp_path / "words.syms", tmp_path / "a.lat"
    archive.write_text("u \n0 1 1 1,2,\n1 2 2 1,1,\n2\n\n")
    table.write_bytes(binary_symbols(("<eps>", 0), ("the", 1), ("été", 2)))
    [(_, lattice)] = lm.read(archive, symbols=table)
    assert [path.words for path in lattice.paths()] == [("the", "été")]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (binary_symbols(("the", 1))[:-1], "the symbol table is cut short"),
        (binary_symbols(("the", 1))[:6], "the symbol table is cut short"),
        (binary_symbols(("the", 1), ("a", 1)), "byte 52: number 1 has two words"),
        (binary_symbols(("the", -1)), "the number -1 of 'the' is below 0"),
        (binary_symbols(), "the symbol table is empty"),
        (binary_symbols(("the", 1)).replace(b"the", b"th\xe9"), "byte 37: byte 3 of the line is not UTF-8"),
    ],
)
def test_damaged_binary_symbol_tables_are_refused(data, says, tmp_path):
    table = tmp_path / "words.syms"
    table.write_bytes(data)
    with pytest.raises(lm.InputError, match=says):
        read_symbols(table)
