"""Small Parquet and Arrow files that would become gigabytes are refused before they are decoded."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

import latticemetric as lm
from latticemetric.display.arrow import sizes_of, values_of

ROWS, MEGABYTES = 20_000, 4
TEXT = "ab " * (MEGABYTES * 2**20 // 3)
_MOST = 2**26  # below what the files become
_POOLS: list[Any] = []  # buffers must not outlive their pool


def _lists(values: Any, rows: int = ROWS) -> Any:
    return pa.ListArray.from_arrays(pa.array(np.arange(rows + 1), pa.int32()), values)


def _dictionary() -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(ROWS), pa.int32()), pa.array([TEXT]))


def _view() -> Any:
    view, *data = pa.array([TEXT], pa.string_view()).buffers()[1:]
    return pa.Array.from_buffers(pa.string_view(), ROWS, [None, pa.py_buffer(view.to_pybytes() * ROWS), *data])


def _column(name: str) -> Any:
    """Return a column that becomes gigabytes."""
    texts = pa.array([TEXT])
    if name == "list views":
        return pa.ListViewArray.from_arrays(pa.array([0] * ROWS, pa.int32()), pa.array([1] * ROWS, pa.int32()), texts)
    if name == "runs":
        return _lists(pa.RunEndEncodedArray.from_arrays(pa.array([ROWS], pa.int32()), texts))
    if name == "lists of nulls":
        return pa.FixedSizeListArray.from_arrays(pa.nulls(10**9), 10**8)
    if name == "one long row":
        return pa.ListArray.from_arrays(pa.array([0, 2 * 10**7], pa.int32()), pa.nulls(2 * 10**7, pa.int8()))
    return _lists({"dictionary": _dictionary, "views": _view}[name]())


def _write(path: Path, table: pa.Table, compression: str | None = "zstd") -> Path:
    if path.suffix == ".parquet":
        parquet.write_table(table, path, compression=compression or "none")
        return path
    kind = ipc.new_stream if path.stem == "stream" else ipc.new_file
    with kind(path, table.schema, options=ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    return path


@contextmanager
def _counted() -> Iterator[Any]:
    """Count the memory that pyarrow takes; tables made before do not count."""
    pool = pa.default_memory_pool()
    _POOLS.append(pa.proxy_memory_pool(pool))
    pa.set_memory_pool(_POOLS[-1])
    try:
        yield _POOLS[-1]
    finally:
        pa.set_memory_pool(pool)


def _assert_refused(path: Path, says: str, monkeypatch: pytest.MonkeyPatch, most: str = "") -> None:
    """Check that a file is refused before a list is read, and before pyarrow needs much memory."""
    monkeypatch.setenv("LATTICEMETRIC_MOST_AT_ONCE", most)
    with _counted() as pool, pytest.raises(lm.InputError, match=says):
        next(lm.read(path))
    assert pool.max_memory() < _MOST


NAMES = ["dictionary", "views", "list views", "runs", "lists of nulls", "one long row"]
FILES = ["file.arrow", "stream.arrow", "table.parquet"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("file", FILES)
def test_a_value_that_many_cells_share_is_counted_for_each(name, file, tmp_path, monkeypatch):
    if not hasattr(pa, "string_view"):
        pytest.skip("this pyarrow has no views")
    parquet_has = ("dictionary", "one long row")
    if file.endswith("parquet") and name not in parquet_has:
        pytest.skip("Parquet has no such type")
    path = _write(tmp_path / file, pa.table({"nbest": _column(name)}))
    says = "of the compressed file become more than" if name != "lists of nulls" else "would be read at once"
    _assert_refused(path, says, monkeypatch)
    _assert_refused(path, "would be read at once", monkeypatch, most="1M")


@pytest.mark.parametrize("file", FILES)
def test_a_page_that_is_packed_is_measured_before(file, tmp_path, monkeypatch):
    table = pa.table({"nbest": pa.array([["a"]]), "reference": pa.array(["a" * 100_000_000])})
    path = tmp_path / file
    if file.endswith("parquet"):
        parquet.write_table(table, path, compression="zstd", use_dictionary=False)
    else:
        _write(path, table)
    _assert_refused(path, "of the compressed file become more than", monkeypatch)
    _assert_refused(path, "would be read at once", monkeypatch, most="50M")


def test_texts_that_begin_like_others_are_read_a_few_at_a_time(tmp_path, monkeypatch):
    table = pa.table({"nbest": pa.array([["a"]] * 2000), "reference": pa.array([TEXT[:300_000]] * 2000)})
    encoding = {"reference": "DELTA_BYTE_ARRAY", "nbest.list.element": "PLAIN"}
    path = tmp_path / "table.parquet"
    parquet.write_table(table, path, compression="zstd", use_dictionary=False, column_encoding=encoding)
    del table
    monkeypatch.setenv("LATTICEMETRIC_MOST_AT_ONCE", "1G")
    with _counted() as pool:
        graphs = lm.read(path)
        assert [next(graphs)[0] for _ in range(100)][-1] == "100"
    assert pool.max_memory() < 4 * _MOST  # a batch of 64 MB, and what pyarrow needs besides; the file has 600 MB


def test_what_is_right_is_read_though_it_is_packed_well(tmp_path):
    rows = {"nbest": [["a b", "a c"]] * 5000, "reference": ["a c"] * 5000, "score": [[-1.0, -2.0]] * 5000}
    for file in FILES:
        assert sum(1 for _ in lm.read(_write(tmp_path / file, pa.table(rows)))) == 5000


def test_sizes_are_those_of_the_values():
    texts = ["a", None, "bcd", ""]
    for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())):
        first, _, third, last = sizes_of(pa.array(texts, kind)).tolist()
        assert (first - last, third - last) == (1, 3)
    column = pa.array([["a", "bc"], None, [], ["def"]])
    assert (np.diff(sizes_of(column)[[2, 0]]) == [2 * 8 + 3]).all()
    assert sizes_of(column[1:]).tolist() == sizes_of(column)[1:].tolist()
    assert values_of(column[1:]) == [None, [], ["def"]]
