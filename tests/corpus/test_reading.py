"""Lattices read with their references, as a command's options ask."""

from __future__ import annotations

import os

import pytest

import latticemetric as lm
from latticemetric.corpus.run import Run
from latticemetric.corpus.settings import ReadingSettings
from latticemetric.corpus.shards import Shard, ShardRun

LATTICES = "u1 \n0 1 A 1,2,\n1\n\nu2 \n0 1 B 1,2,\n1\n\nu3 \n0 1 C 1,2,\n1\n\n"
RECORDS = '{"id": "u1", "hypotheses": ["a", "b"], "reference": "a"}\n'


@pytest.fixture
def files(tmp_path):
    (tmp_path / "lats.txt").write_text(LATTICES)
    (tmp_path / "text").write_text("u2 b\nu1 A\nu3 c\n")
    (tmp_path / "lists.jsonl").write_text(RECORDS)
    return tmp_path


def paired(*files, run=None, required=True, **reading):
    corpus = lm.Corpus.read(*map(str, files), **reading)
    return corpus.pairs(run or Run(), required=required)


def words(pairs):
    return [(one.name, next(one.entry.build().paths()).words, [r.words for r in one.references]) for one in pairs]


def test_pairs_are_those_of_files_of_references(files):
    found = paired(files / "lats.txt", files / "text")
    assert found.references == 1
    assert words(found.pairs) == [
        ("u1", ("A",), [("A",)]),
        ("u2", ("B",), [("b",)]),
        ("u3", ("C",), [("c",)]),
    ]


def test_a_shard_is_watched_alone_and_all_of_it_is_prepared(files, monkeypatch):
    seen = []

    def watched(pairs, total, _what):
        seen.append(total)
        return pairs

    monkeypatch.setattr("latticemetric.display.progress.progress", watched)
    run = Run(shard=ShardRun(Shard(1, 2), dict), watched=True)
    found = paired(files / "lats.txt", files / "text", run=run, lowercase=True)
    assert words(found.pairs) == [("u1", ("a",), [("a",)]), ("u3", ("c",), [("c",)])]
    assert seen == [2]


def test_references_of_records_are_looked_for_where_they_are_required_or_named(files):
    lists, lattices = files / "lists.jsonl", files / "lats.txt"
    assert paired(lists).references == 1
    assert paired(lists, required=False).references == 0
    assert paired(lists, reference_field="reference", required=False).references == 1
    assert paired(lattices) is None
    assert [pair.references for pair in paired(lattices, required=False).pairs] == [()] * 3


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (("nope.lat", "text"), {}),
        (("no*.lat", "text"), {}),
        ((["lats", "nope.lat"], "text"), {}),
        (("ark:nope.ark", "text"), {}),
        (("gunzip -c lats |", "text"), {}),
        (("lats", "nope.txt"), {}),
        (("lats", ["text", "folder/nope.txt"]), {}),
        (("lats", "text"), {"symbols": "words.txt"}),
    ],
)
def test_a_file_that_does_not_exist_is_told_when_the_corpus_is_made(given, named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lats").write_text("nothing of this is read\n")
    (tmp_path / "text").write_text("nor this\n")
    with pytest.raises(lm.InputError) as at_once:
        lm.Corpus.read(*given, **named)
    files = [(one,) if isinstance(one, str) else tuple(one) for one in given]
    with pytest.raises(lm.InputError) as when_asked:
        list(lm.Corpus.of_files(*files, ReadingSettings(**named)).oracle("wer"))
    assert str(at_once.value) == str(when_asked.value)


def test_files_that_exist_are_not_read_when_the_corpus_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    os.mkfifo("pipe")  # opening it would wait for a writer
    for graphs in ("pipe", "folder", "fold*", "-", "ark:-", ["pipe", "-"]):
        assert lm.Corpus.read(graphs, "pipe", symbols="pipe") is not None
