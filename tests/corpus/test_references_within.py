"""References in the records of the lists themselves."""

import json

import pytest
from kit.commands import good, run

import latticemetric as lm
from latticemetric.corpus.pairing import pair_within
from latticemetric.formats.nbest.records import reference_fields
from latticemetric.formats.reading import entries


def pairs(tmp_path, records, field=None):
    path = tmp_path / "lists.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    within = pair_within(entries([path]), field)
    return within.references, list(within.pairs)


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"nbest": ["a"], "reference": "a"}, ("reference",)),
        ({"nbest": ["a"], "ref": ["a", "b"]}, ("ref",)),
        ({"input": ["a"], "output": "a"}, ("output",)),
        ({"nbest": ["a"], "output": "a"}, ()),  # this may be an answer as well
        ({"nbest": ["a"], "text": "a"}, ()),
        ({"nbest": ["a"], "ref": "a", "target": "a"}, ("ref",)),
        ({"nbest": ["a"], "ref": "a", "target": "b"}, ("ref", "target")),
        ({"nbest": ["a"], "ref": None, "refs": [], "references": [1], "target": "b"}, ("target",)),
    ],
)
def test_fields_that_look_like_references(fields, names):
    assert reference_fields(fields) == names


def test_the_field_is_detected(tmp_path):
    number, found = pairs(tmp_path, [{"input": ["a b"], "output": "a  c"}, {"input": ["d"], "output": ""}])
    assert number == 1
    assert [[reference.words for reference in pair.references] for pair in found] == [[("a", "c")], [()]]


def test_several_references(tmp_path):
    number, found = pairs(tmp_path, [{"hyps": ["a"], "refs": ["a b", "c"]}, {"hyps": ["a"], "refs": ["a"]}])
    assert number == 2
    assert found[0].problem is None
    assert "1 references in refs, but the first record has 2" in str(found[1].problem)


@pytest.mark.parametrize(
    ("record", "field", "says"),
    [
        ({"hyps": ["a"], "text": "b", "note": "c"}, None, "give files .* or reference_field=… .*text, note"),
        ({"hyps": ["a"], "ref": "b", "target": "c"}, None, "ref and target are different"),
        ({"hyps": ["a"], "ref": "b"}, "gold", "no field 'gold'"),
        ({"hyps": ["a"], "ref": 7}, "ref", "ref is not a text"),
        ({"hyps": ["a"], "ref": "\ud800"}, "ref", "half a character"),
    ],
)
def test_no_clear_field(record, field, says, tmp_path):
    with pytest.raises(lm.FormatError, match=says):
        pairs(tmp_path, [record], field)


def test_a_record_without_the_field_is_a_problem_of_its_own(tmp_path):
    _, found = pairs(tmp_path, [{"hyps": ["a"], "ref": "a"}, {"hyps": ["a"]}, {"hyps": ["b"], "ref": "b"}])
    assert [pair.problem is None for pair in found] == [True, False, True]
    assert "the record has no field 'ref'" in str(found[1].problem)


def test_graphs_without_records(tmp_path):
    path = tmp_path / "x.plf"
    path.write_text("((('a',1,1),),)\n")
    assert pair_within(entries([path])) is None


LISTS = [{"id": f"u{k}", "input": ["a b", "a c"], "output": "a c", "text": "a b"} for k in range(3)]


@pytest.fixture
def lists(tmp_path):
    path = tmp_path / "lists.json"
    path.write_text(json.dumps(LISTS))
    return path


def test_commands_take_references_from_the_lists(lists, tmp_path):
    document = good(run("latticemetric", "oracle", lists, "--metric", "wer", "--format", "json")).json
    assert document["corpus"]["numerator"] == 0
    assert document["corpus"]["one_best"]["numerator"] == 3
    named = good(
        run("latticemetric", "oracle", lists, "--metric", "wer", "--format", "json", "--reference-field", "text")
    )
    assert json.loads(named.stdout)["corpus"]["one_best"]["numerator"] == 0
    swept = good(run("latticemetric", "sweep", lists, "--metric", "wer", "--nbest-sizes", "1", "--format", "json"))
    assert json.loads(swept.stdout)["rows"][-1]["numerator"] == 0
    good(run("latticemetric", "report", lists, "--metric", "wer", "-o", tmp_path / "page.html"))


def test_files_of_references_come_first(lists, tmp_path):
    (tmp_path / "refs").write_text("u0 a b\nu1 a b\nu2 a b\n")
    document = good(
        run("latticemetric", "oracle", lists, tmp_path / "refs", "--metric", "4-grr", "--format", "json")
    ).json
    assert document["corpus"]["one_best"]["score"] == 1.0
    done = run("latticemetric", "oracle", lists, tmp_path / "refs", "--reference-field", "text")
    assert done.status == 2
    assert "--reference-field has no effect with files of references" in done.stderr
