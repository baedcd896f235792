"""Lattices read with their references, as a command's options ask."""

from __future__ import annotations

import pytest

import latticemetric as lm
from latticemetric.corpus.reading import PairReader
from latticemetric.corpus.shards import Shard, ShardRun
from latticemetric.metrics.preparation import Preparation

LATTICES = "u1 \n0 1 A 1,2,\n1\n\nu2 \n0 1 B 1,2,\n1\n\nu3 \n0 1 C 1,2,\n1\n\n"
RECORDS = '{"id": "u1", "hypotheses": ["a", "b"], "reference": "a"}\n'


@pytest.fixture
def files(tmp_path):
    (tmp_path / "lats.txt").write_text(LATTICES)
    (tmp_path / "text").write_text("u2 b\nu1 A\nu3 c\n")
    (tmp_path / "lists.jsonl").write_text(RECORDS)
    return tmp_path


def reader(watched=lambda pairs, _: pairs, **asked):
    return PairReader(
        **{
            "vocabulary": None,
            "from_format": None,
            "keep_marks": False,
            "style": "auto",
            "reference_field": None,
            "preparation": None,
            "grammar": None,
            "scales": lm.FeatureWeights({}),
            "shard": None,
            "watched": watched,
            **asked,
        }
    )


def words(pairs):
    return [(one.name, next(one.entry.build().paths()).words, [r.words for r in one.references]) for one in pairs]


def test_pairs_are_those_of_files_of_references(files):
    paired = reader().read_pairs(str(files / "lats.txt"), [str(files / "text")])
    assert paired.references == 1
    assert words(paired.lattices) == [
        ("u1", ("A",), [("A",)]),
        ("u2", ("B",), [("b",)]),
        ("u3", ("C",), [("c",)]),
    ]


def test_a_shard_is_watched_alone_and_all_of_it_is_prepared(files):
    seen = []

    def watched(pairs, total):
        seen.append(total)
        return pairs

    asked = {"preparation": Preparation(True, None), "shard": ShardRun(Shard(1, 2), dict)}
    paired = reader(watched, **asked).read_pairs(str(files / "lats.txt"), [str(files / "text")])
    assert words(paired.lattices) == [("u1", ("a",), [("a",)]), ("u3", ("c",), [("c",)])]
    assert seen == [2]


def test_references_of_records_are_looked_for_where_they_are_required_or_named(files):
    lists, lattices = str(files / "lists.jsonl"), str(files / "lats.txt")
    assert reader().read_pairs(lists, []).references == 1
    assert reader().read_pairs(lists, [], required=False).references == 0
    assert reader(reference_field="reference").read_pairs(lists, [], required=False).references == 1
    assert reader().read_pairs(lattices, []) is None
    assert [pair.references for pair in reader().read_pairs(lattices, [], required=False).lattices] == [()] * 3
