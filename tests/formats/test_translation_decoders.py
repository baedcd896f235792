"""What HiFST and Joshua write: pairs of costs, tables of symbols with numbers first or with gaps, lists by score."""

import struct

import numpy as np
import pytest
from kit.decoding import run

import latticemetric as lm
from latticemetric.formats.reading import read_symbols
from latticemetric.lattice import fst_binary
from latticemetric.vocabulary import UNKNOWN

# A vector machine of HiFST's `lexstdarc`: two paths of one word; each weight is a pair of costs.
ARCS = [(5, 1.0, 0.5), (6, 0.75, 2.0)]


def text(data: str) -> bytes:
    return struct.pack("<i", len(data)) + data.encode()


def lexicographic(layout: str = "vector") -> bytes:
    version = 2
    head = struct.pack("<i", fst_binary.MAGIC) + text(layout) + text("tropical_LT_tropical")
    head += struct.pack("<iiQqqq", version, 0, 3, 0, 2, len(ARCS))
    arcs = [struct.pack("<iiffi", word, word, first, second, 1) for word, first, second in ARCS]
    ends = [(np.inf, np.inf), (0.25, 0.125)]
    if layout == "vector":
        states = [struct.pack("<ffq", *ends[0], 2), *arcs, struct.pack("<ffq", *ends[1], 0)]
    else:
        states = [struct.pack("<ffIIII", *ends[0], 0, 2, 0, 0), struct.pack("<ffIIII", *ends[1], 2, 0, 0, 0), *arcs]
    return head + b"".join(states)


@pytest.mark.parametrize("layout", ["vector", "const"])
def test_pairs_of_costs_are_two_columns_and_the_first_decides(layout, tmp_path):
    path = tmp_path / "u.fst"
    path.write_bytes(lexicographic(layout))
    lattice = lm.read_one(path)
    assert {name: (c.arc.tolist(), c.final.tolist(), c.weight) for name, c in lattice.scores.items()} == {
        "weight": ([1.0, 0.75], [0.25], 1.0),
        "second": ([0.5, 2.0], [0.125], 0.0),
    }
    assert lm.best(lattice).words == ("6",)
    assert lm.best(lattice, weights={"weight": 0, "second": 1}).words == ("5",)


@pytest.mark.parametrize("end", range(1, len(lexicographic()) - 1, 7))
def test_a_machine_of_pairs_that_is_cut_short_is_refused(end, tmp_path):
    path = tmp_path / "u.fst"
    path.write_bytes(lexicographic()[:-end])
    with pytest.raises(lm.InputError):
        lm.read_one(path, format="openfst")


# ---- Symbol tables

MACHINE = "0 1 1 1\n1 2 2 2\n0 2 7 7\n2\n"


@pytest.fixture
def machine(tmp_path):
    path = tmp_path / "u.fst.txt"
    path.write_text(MACHINE)
    return path


@pytest.mark.parametrize("table", ["a 1\nb 2\nc 7\n", "1 a\n2 b\n7\tc\n", "0 <eps>\n1 a\n2 b\n7 c\n"])
def test_symbol_tables_have_words_or_numbers_first(table, machine, tmp_path):
    path = tmp_path / "words.txt"
    path.write_text(table)
    lattice = lm.read_one(machine, symbols=path)
    assert {" ".join(one.words) for one in lattice.paths()} == {"a b", "c"}
    assert run("best", machine, "--symbols", path).stderr == ""


def test_a_table_of_numbers_alone_has_words_first(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("10 1\n20 2\n")
    assert read_symbols(path).word(1) == "10"


def test_a_table_is_not_half_one_way(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("a 1\n2 b\n")
    with pytest.raises(lm.FormatError, match=r":2: '2 b' is not a word and its number"):
        read_symbols(path)


def test_numbers_that_a_table_lacks_stay_numbers_and_are_said_once(machine, tmp_path):
    path, references = tmp_path / "words.txt", tmp_path / "refs"
    path.write_text("a 1\nb 2\n")
    references.write_text("7\n")
    lattice = lm.read_one(machine, symbols=path)
    assert {" ".join(one.words) for one in lattice.paths()} == {"a b", "7"}
    assert type(lattice.vocabulary) is lm.Vocabulary
    found = run("oracle", machine, references, "--symbols", path, "--metric", "wer", "--style", "plain")
    assert "0.00%" in found.stdout
    assert found.stderr.count("1 word number is not in the symbol table, and stays a number (7)") == 1


def test_a_table_that_has_no_word_of_a_graph_is_refused(machine, tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("a 11\nb 12\n")
    with pytest.raises(lm.InputError, match="word number 1 is not in the symbol table; give the symbol table of this"):
        lm.read_one(machine, symbols=path)


def test_a_number_that_is_also_the_word_of_another_is_told_from_it(machine, tmp_path):
    path, references = tmp_path / "words.txt", tmp_path / "refs"
    path.write_text("a 1\nb 2\n7 3\n#7 4\n")
    lattice = lm.read_one(machine, symbols=path)
    assert "##7" in {word for one in lattice.paths() for word in one.words}
    number = lattice.vocabulary.number("##7")
    assert (number, lattice.vocabulary.word(number)) == (7, "##7")
    table = read_symbols(path)
    assert [table.number(word) for word in ("7", "#7", "##7", "###7", "#1")] == [3, 4, 7, UNKNOWN, UNKNOWN]
    references.write_text("1 2 7\n")
    found = run("oracle", machine, references, "--symbols", path, "--metric", "wer", "--style", "plain")
    assert "stays a number (##7)" in found.stderr


def test_numbers_that_a_table_lacks_survive_processes_and_writing(machine, tmp_path):
    path, written = tmp_path / "words.txt", tmp_path / "out.jsonl"
    path.write_text("1 a\n2 b\n")
    run("nbest", machine, machine, "--symbols", path, "--workers", "2", "--write-lattices", written, status=(0, 2))
    run("nbest", machine, "--symbols", path, "--write-lattices", written)
    assert {" ".join(h.words) for h in lm.read_one(written)} == {"a b", "7"}


# ---- Lists of Joshua


@pytest.mark.parametrize(
    "line", ["-12.5 ||| a b ||| lm_0=-3 tm_0=-1", "-7 ||| a b ||| lm_0=-3", "3.25 ||| a b ||| lm_0=-3"]
)
def test_lists_that_begin_with_scores_are_refused(line, tmp_path):
    path = tmp_path / "joshua.nbest"
    path.write_text(f"{line}\n{line}\n")
    said = run("best", path, status=2).stderr
    assert "joshua.nbest:1: the line begins with the score" in said
    assert "-output-format '%i ||| %s ||| %f ||| %c'" in said


def test_lists_of_joshua_with_numbers_of_sentences_are_read(tmp_path):
    path = tmp_path / "joshua.nbest"
    path.write_text("0 ||| a b ||| lm_0=-3 tm_0=-1 ||| -4.5\n0 ||| a ||| lm_0=-1 tm_0=-1 ||| -5\n")
    assert lm.best(lm.read_one(path)).words == ("a", "b")
