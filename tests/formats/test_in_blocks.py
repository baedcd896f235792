"""Streams of blocks: items come in the same order whether they are taken one by one or in blocks."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric import _native
from latticemetric.corpus import pairing
from latticemetric.corpus.run import Run
from latticemetric.formats.kaldi import text as kaldi
from latticemetric.formats.streams.in_blocks import InBlocks, are_new, blocks_of, looked_ahead

BLOCKS = st.lists(st.lists(st.integers(), max_size=4), max_size=5)


def flat(blocks):
    return [item for block in blocks for item in block]


@given(BLOCKS, st.integers(0, 12))
def test_items_are_taken_one_by_one_then_in_blocks(blocks, first):
    taken = []
    stream = InBlocks(blocks, taken.append)
    items = [item for _, item in zip(range(first), stream, strict=False)]
    items += flat(stream.blocks())
    assert items == flat(blocks)
    assert sum(taken) == len(items)
    assert list(stream) == []


@given(BLOCKS, st.integers(0, 12), st.booleans())
def test_looking_ahead_takes_nothing_away(blocks, number, in_blocks):
    stream = InBlocks(blocks) if in_blocks else iter(flat(blocks))
    first, everything = looked_ahead(stream, number)
    assert first == flat(blocks)[:number]
    assert flat(blocks_of(everything)) == flat(blocks)


@given(st.lists(st.sampled_from("abc")), st.sets(st.sampled_from("abcd")))
def test_new_names_differ_from_each_other_and_from_known_ones(names, known):
    assert are_new(names, known) == (len(names) == len(set(names)) and not known & set(names))


LINES = st.text(st.sampled_from("a0 19\t#\x0b\r\u00e9\x1c\u00a0"), min_size=1, max_size=8).map(str.encode)
ODD = st.sampled_from([b"\xff", b"u\xc3", b"1 a", b"12\t\ta", b"12 ", b" #a", b"a b", b"12a b", b"1"])
ARC = re.compile(rb"\s*\d+[ \t]+\S|\s*#")


def is_id(line):
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return ARC.match(line) is None


@given(st.lists(st.one_of(LINES, ODD).filter(lambda line: line.strip()), max_size=6))
def test_ids_are_first_lines_that_are_no_arcs(lines):
    text = b"".join(line + b"\n0 1 a\n1\n\n" for line in lines)
    blocks = _native.split_blocks(text, 0, at_end=True)
    wrong = next((number for number, line in enumerate(lines) if not is_id(line)), len(lines))
    assert _native.kaldi_ids(text, blocks) == [line.strip().decode() for line in lines[:wrong]]


def archive(folder, count):
    (folder / "lattices").write_text("".join(f"u{n} \n0 1 a 1,2,\n1\n\n" for n in range(count)))
    (folder / "references").write_text("".join(f"u{n} a\n" for n in reversed(range(count))))
    return lm.Corpus.read(folder / "lattices", folder / "references", format="kaldi")


def test_entries_and_pairs_are_made_only_when_they_are_needed(tmp_path, monkeypatch):
    made, make = [], kaldi._entry
    monkeypatch.setattr(kaldi, "_entry", lambda *given: made.append(given[-1]) or make(*given))
    corpus = archive(tmp_path, 5000)
    pairs = corpus.required_pairs(Run()).pairs
    blocks = list(pairs.blocks())
    assert flat(block.names for block in blocks) == [f"u{n}" for n in range(5000)]
    assert len(made) < 40
    pair = blocks[0][100]
    assert (pair.name, pair.references[0].words) == ("u100", ("a",))
    assert pair.references[0].where == f"{tmp_path / 'references'}:4900"
    assert pair.place == f"{tmp_path / 'lattices'}:401 (u100)"
    assert list(pair.entry.build().word) == [1]
    assert blocks[0][50:60][3].name == "u53"


@given(
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8),
    st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=8, unique=True),
)
def test_pairs_of_blocks_are_those_of_single_graphs(tmp_path_factory, graphs, references):
    """Also if ids are given twice, or lack a graph or a reference."""
    folder = tmp_path_factory.mktemp("pairs")
    (folder / "lattices").write_text("".join(f"{name} \n0 1 a 1,2,\n1\n\n" for name in graphs))
    (folder / "references").write_text("".join(f"{name} x y\n" for name in references))

    def paired():
        corpus = lm.Corpus.read(folder / "lattices", folder / "references", format="kaldi", style="keyed")
        found = []
        try:
            pairs = corpus.required_pairs(Run()).pairs
            found.extend((pair.name, pair.where, pair.references, str(pair.problem)) for pair in pairs)
        except lm.LatticeMetricError as error:
            found.append(str(error))
        return found

    together = paired()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairing, "_paired_block", lambda *_: None)
        assert paired() == together
