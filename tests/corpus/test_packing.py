"""How graphs travel to other processes: tables once, files by place."""

import pickle
import sys
from importlib import import_module

import pytest
from kit.many_graphs import data

import latticemetric as lm
from latticemetric.corpus.answer import answers_of
from latticemetric.corpus.packing import graph_packing
from latticemetric.corpus.run import Run
from latticemetric.formats.reading import entries
from latticemetric.parallel.pickling import Packing


def unchanged(graph: lm.Lattice) -> lm.Lattice:
    return graph


def words(answers):
    return [answer.value.word.tolist() for answer in answers]


def test_a_symbol_table_travels_once_and_graphs_as_places(tmp_path):
    archive, _ = data(tmp_path)
    table = lm.Vocabulary(dict(enumerate([*(f"w{number}" for number in range(30)), *map(str, range(50_000))], start=1)))
    packing = graph_packing()
    packed = [packing.pack(entry) for entry in entries([str(archive)], None, table)]
    packing.close()
    assert len(packed[0].data) > 300_000
    assert max(len(one.data) for one in packed[1:]) < 800
    assert [len(one.needs) for one in packed] == [0] + [1] * 59
    one, other = (list(answers_of(entries([str(archive)], None, table), unchanged, Run(many))) for many in (1, 2))
    assert words(one) == words(other)
    assert all(answer.value.vocabulary == table for answer in other)
    assert len({id(answer.value.vocabulary) for answer in other[-20:]}) == 1


def test_a_file_that_changes_meanwhile_is_not_read_again(tmp_path):
    archive, _ = data(tmp_path)
    expected = words(answers_of(entries([str(archive)]), unchanged, Run()))
    content = archive.read_bytes()
    for changed in (None, content[::-1], content.replace(b"w1", b"w2")):
        archive.write_bytes(content)
        questions = list(entries([str(archive)]))
        archive.unlink() if changed is None else archive.write_bytes(changed)
        assert words(answers_of(questions, unchanged, Run(2))) == expected


def test_bytes_are_released_when_a_graph_is_answered_and_read_again_if_needed(tmp_path):
    archive, _ = data(tmp_path)
    questions = list(entries([str(archive)]))
    expected = words(answers_of(questions, unchanged, Run()))
    assert words(answers_of(questions, unchanged, Run(2))) == expected
    assert words(answers_of(questions, unchanged, Run())) == expected
    assert words(answers_of(questions, unchanged, Run(2))) == expected
    archive.write_bytes(archive.read_bytes().replace(b"w1", b"w2"))
    with pytest.raises(lm.InputError, match="has changed while it was read"):
        list(answers_of(questions, unchanged, Run()))


def test_reducers_of_a_module_are_added_once_it_is_imported(tmp_path, monkeypatch):
    (tmp_path / "imported_late.py").write_text("class Late:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    packing, added = Packing(), []

    def add(module):
        added.append(module.__name__)
        packing.add({module.Late: lambda _: (str, ("short",))}, whole={module.Late: lambda _: (str, ("whole",))})

    packing.add_when_imported("imported_late", add)
    packing.pack(0)
    assert not added
    late = import_module("imported_late").Late()
    assert [pickle.loads(packing.pack(late, whole=whole).data) for whole in (False, True)] == ["short", "whole"]
    assert added == ["imported_late"]
    monkeypatch.delitem(sys.modules, "imported_late")
