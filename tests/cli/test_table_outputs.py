"""`--output FILE.parquet` and `.arrow`: the records of a command as a table."""

import json
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.commands import run
from kit.paths import EXAMPLES

from latticemetric import MissingDependencyError, UsageError
from latticemetric.cli.main import _group
from latticemetric.display.frames import as_arrow, write_table

pa = pytest.importorskip("pyarrow")
ipc = pytest.importorskip("pyarrow.ipc")
parquet = pytest.importorskip("pyarrow.parquet")

PICNIC = EXAMPLES / "picnic.json"


def _read(path, kind):
    return parquet.read_table(path) if kind == "parquet" else ipc.open_file(pa.OSFile(str(path))).read_all()


@pytest.mark.parametrize(("name", "kind"), [("x.parquet", "parquet"), ("x.arrow", "arrow"), ("x.feather", "arrow")])
def test_a_table_has_the_values_of_json_lines_in_columns_of_their_own(tmp_path, name, kind):
    for verb, *options in (["lists", PICNIC, "--resamples", "0"], ["oracle", PICNIC, "--metric", "wer"]):
        for path in (tmp_path / name, tmp_path / "x.jsonl"):
            _group([verb, *map(str, options), "-o", str(path)], standalone_mode=False)
        records = list(map(json.loads, (tmp_path / "x.jsonl").read_text().splitlines()))
        rows = _read(tmp_path / name, kind).to_pylist()
        assert len(rows) == len(records) > 1
        for row, record in zip(rows, records, strict=True):
            nested = {f"one_best_{name}": value for name, value in record.pop("one_best", {}).items()}
            scores = {f"scores_{name}": value for name, value in record.pop("scores", {}).items()}
            assert row == record | nested | scores


def test_failed_graphs_have_an_error_in_their_row(tmp_path):
    path, out = tmp_path / "x.jsonl", tmp_path / "x.parquet"
    path.write_text('{"id": "a", "nbest": ["b"]}\n{"id": "c", "nbest": []}\n', encoding="utf-8")
    done = run("latticemetric", "best", path, "--keep-going", "-o", out)
    assert done.status == 1
    rows = parquet.read_table(out).to_pylist()
    assert [(row["id"], row["hypothesis"], row["error"] is None) for row in rows] == [
        ("a", "b", True),
        ("c", None, False),
    ]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_numbers_of_paths_that_do_not_fit_into_64_bits_are_texts(tmp_path, kind):
    arcs = "".join(f"{state} {state + 1} {word}\n" for state in range(70) for word in "ab")
    (tmp_path / "many.fst.txt").write_text(f"{arcs}70\n", encoding="utf-8")
    (tmp_path / "one.fst.txt").write_text("0 1 a\n1\n", encoding="utf-8")
    out = tmp_path / f"x.{kind}"
    done = run("latticemetric", "info", tmp_path / "many.fst.txt", tmp_path / "one.fst.txt", "-o", out)
    assert (done.status, done.stderr) == (0, "")
    assert [row["paths"] for row in _read(out, kind).to_pylist()] == [str(2**70), "1"]


def test_other_formats_go_before_the_suffix(tmp_path):
    out = tmp_path / "x.parquet"
    _group(["lists", str(PICNIC), "--format", "jsonl", "-o", str(out)], standalone_mode=False)
    assert out.read_text().startswith("{")


def test_without_pyarrow_the_error_comes_before_the_work(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    arguments = ["lists", str(tmp_path / "missing.json"), "-o", str(tmp_path / "x.parquet")]
    with pytest.raises(MissingDependencyError, match=r"this operation needs pyarrow.*latticemetric\[arrow\]"):
        _group(["lists", str(PICNIC), *arguments[2:]], standalone_mode=False)
    assert not (tmp_path / "x.parquet").exists()


@pytest.mark.parametrize("verb", ["lists", "best"])
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_without_pyarrow_the_error_says_how_to_read_a_table(verb, kind, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match=r"this operation needs pyarrow.*latticemetric\[arrow\]"):
        _group([verb, str(EXAMPLES / f"picnic.{kind}")], standalone_mode=False)


def test_pairs_are_structures(tmp_path):
    graph, out = EXAMPLES / "meeting.lat.txt", tmp_path / "x.parquet"
    _group(["consensus", str(graph), "-o", str(out)], standalone_mode=False)
    _group(["consensus", str(graph), "-o", str(tmp_path / "x.jsonl"), "--format", "jsonl"], standalone_mode=False)
    records = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()]
    pairs = [[[[one["text"], one["number"]] for one in bin_] for bin_ in row["bins"]] for row in _rows(out)]
    assert pairs == [record["bins"] for record in records]


def _rows(path):
    return parquet.read_table(path).to_pylist()


def test_values_of_several_kinds_are_refused():
    with pytest.raises(UsageError, match=r"column a mixes values of several types.*write JSON lines"):
        as_arrow([{"a": 1}, {"a": "x"}])


VALUES = st.none() | st.integers(-5, 5) | st.dictionaries(st.sampled_from("xy"), st.integers(0, 3), max_size=2)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3), min_size=1, max_size=5))
def test_columns_are_those_of_all_records(records):
    try:
        rows = as_arrow(records).to_pylist()
    except UsageError:
        kinds = [{type(row[name]) for row in records if row.get(name) is not None} for name in "abc"]
        assert any(len(several) > 1 for several in kinds)
        return
    names = {name for record in records for name in record}
    assert not names or len(rows) == len(records)
    for row, record in zip(rows, records, strict=False):
        assert set(row) == names
        for name, found in row.items():
            value = record.get(name)
            # A structure has all fields.
            given_fields = found if not isinstance(found, dict) else {k: v for k, v in found.items() if v is not None}
            assert given_fields == (None if value == {} else value)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_tables_are_written_to_any_file(kind):
    file = BytesIO()
    write_table([{"a": 1, "b": {}}, {"a": 2.5, "c": [{"x": {}}]}], file, kind)
    file.seek(0)
    table = parquet.read_table(file) if kind == "parquet" else ipc.open_file(file).read_all()
    assert table.to_pylist() == [
        {"a": 1.0, "b": None, "c": None},
        {"a": 2.5, "b": None, "c": [{"x": None}]},
    ]
