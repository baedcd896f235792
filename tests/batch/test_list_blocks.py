"""Sums over blocks of lists are those of all lists at once; tables are read as Arrow itself reads them."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latticemetric import WER, FormatError, _native, oracle_at_k
from latticemetric.batch.list_blocks import BlockSums, TableSums, sums_of_pairs
from latticemetric.batch.oracle_at_k import curve_of, sums_of
from latticemetric.batch.pairing import pair_within
from latticemetric.formats.nbest.tables import _values
from latticemetric.formats.reading import blocks, entries
from latticemetric.vocabulary import split_words

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

_TEXTS = st.lists(st.sampled_from("ab"), max_size=3).map(" ".join)
_LISTS = st.lists(st.tuples(st.lists(_TEXTS, min_size=1, max_size=7), _TEXTS), min_size=1, max_size=9)
_ROWS = [{"nbest": ["a b", "a c", "a b"][: 1 + n % 3], "reference": "a c d"[: 1 + 2 * (n % 3)]} for n in range(2500)]


def _table(path: Path, rows: list[dict[str, Any]]) -> str:
    parquet.write_table(pa.Table.from_pylist(rows), path)
    return str(path)


@given(_LISTS, st.integers(1, 9), st.sampled_from([None, [2, 6]]), st.sampled_from([0, 5]))
def test_parts_of_lists_have_the_curve_of_all(
    pairs: list[tuple[list[str], str]], size: int, at: list[int] | None, resamples: int
) -> None:
    lists, references = map(list, zip(*pairs, strict=True))
    parts = [
        sums_of(lists[k : k + size], references[k : k + size], WER(), at=at, keep=bool(resamples))
        for k in range(0, len(lists), size)
    ]
    whole = oracle_at_k(lists, references, at=at, resamples=resamples)
    assert curve_of(parts, WER(), at=at, resamples=resamples).asdict() == whole.asdict()


@pytest.mark.parametrize("workers", [1, 2])
def test_blocks_of_a_table_have_the_sums_of_its_lists(tmp_path: Path, workers: int) -> None:
    path = _table(tmp_path / "lists.parquet", _ROWS)
    found = blocks(path)
    assert found is not None
    sums = list(TableSums(found).each(BlockSums(WER()), workers))
    expected = oracle_at_k([row["nbest"] for row in _ROWS], [row["reference"] for row in _ROWS])
    assert len(sums) > 2
    assert curve_of(sums, WER()).asdict() == expected.asdict()
    within = pair_within(entries([path]))
    assert within is not None
    assert curve_of(list(sums_of_pairs(within.pairs, BlockSums(WER()))), WER()).asdict() == expected.asdict()


def test_texts_of_blocks_are_rewritten(tmp_path: Path) -> None:
    found = blocks(_table(tmp_path / "lists.parquet", _ROWS))
    assert found is not None
    settings = BlockSums(WER(), rewrite=lambda words: tuple("x" for _ in words))
    rows = [([" ".join("x" * len(text.split())) for text in row["nbest"]], row["reference"]) for row in _ROWS]
    expected = oracle_at_k([row[0] for row in rows], [" ".join("x" * len(row[1].split())) for row in rows])
    assert curve_of(list(TableSums(found).each(settings, 1)), WER()).asdict() == expected.asdict()


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({1800: {"id": "7"}}, "row 1801.*id appears twice|'7' appears twice"),
        ({1800: {"id": None}}, "row 1801.*some lists have an id"),
        ({1800: {"reference": ["a", "b"]}}, "there are 2 references"),
        ({1800: {"reference": None}}, "row 1801.*no field"),
    ],
)
def test_faults_of_later_blocks_are_found(tmp_path: Path, changed: dict[int, Any], error: str) -> None:
    rows = [{**row, "id": str(n), "reference": [row["reference"]]} | changed.get(n, {}) for n, row in enumerate(_ROWS)]
    found = blocks(_table(tmp_path / "lists.parquet", rows))
    assert found is not None
    with pytest.raises(FormatError, match=error):
        list(TableSums(found).each(BlockSums(WER()), 1))


def test_other_files_have_no_blocks(tmp_path: Path) -> None:
    (tmp_path / "lists.jsonl").write_text('{"nbest": ["a"], "reference": "a"}\n', encoding="utf-8")
    assert blocks(str(tmp_path / "lists.jsonl")) is None
    assert blocks(str(tmp_path)) is None


_VALUES = st.recursive(
    st.sampled_from([pa.string(), pa.large_string(), pa.int32(), pa.float64(), pa.float32(), pa.bool_()]),
    lambda inner: inner.map(pa.list_) | inner.map(lambda kind: pa.struct([("x", kind), ("y", pa.string())])),
    max_leaves=3,
)


def _of(kind: Any) -> st.SearchStrategy[Any]:
    if pa.types.is_list(kind):
        own = st.lists(_of(kind.value_type), max_size=3)
    elif pa.types.is_struct(kind):
        own = st.fixed_dictionaries({"x": _of(kind.field(0).type), "y": _of(kind.field(1).type)})
    elif pa.types.is_boolean(kind):
        own = st.booleans()
    elif pa.types.is_integer(kind):
        own = st.integers(-9, 9)
    elif pa.types.is_floating(kind):
        own = st.sampled_from([0.5, -1.25, 3.0])
    else:
        own = st.text(max_size=3)
    return own | st.none() if pa.types.is_primitive(kind) or pa.types.is_string(kind) else own


@given(st.data(), _VALUES)
def test_values_are_those_of_arrow(data: st.DataObject, kind: Any) -> None:
    column = pa.array(data.draw(st.lists(_of(kind), max_size=6)), kind)
    column = column.slice(data.draw(st.integers(0, len(column))))
    found = _values(column)
    assert found == column.to_pylist()
    assert list(map(type, found)) == list(map(type, column.to_pylist()))


@given(st.lists(st.text(st.sampled_from("ab \t\n\x0b\x1cé\u00a0\u3000"), max_size=9), max_size=4))
def test_shared_words_are_those_of_the_texts(texts: list[str]) -> None:
    found = _native.shared_words(texts)
    assert found == [tuple(split_words(text)) for text in texts]
    words = [word for row in found for word in row]
    assert len(set(map(id, words))) == len(set(words))


@pytest.mark.parametrize(
    ("texts", "error"), [(["a", 3], TypeError), (["\ud800"], UnicodeEncodeError), ([["a"]], TypeError)]
)
def test_shared_words_refuse_what_is_no_text(texts: list[Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        _native.shared_words(texts)
