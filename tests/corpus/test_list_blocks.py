"""Sums over blocks of lists are those of all lists at once; tables are read as Arrow itself reads them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.lists import oracle_at_k, read_lists

from latticemetric import GRR, WER, FormatError, _native
from latticemetric.corpus.list_blocks import BlockSums, Sums, TableSums, sums_of_pairs
from latticemetric.corpus.oracle_at_k import curve_of, sums_of, sums_of_columns
from latticemetric.corpus.pairing import pair_within
from latticemetric.display.arrow import values_of
from latticemetric.formats.nbest.list_columns import lists_of_table
from latticemetric.formats.reading import blocks, entries
from latticemetric.vocabulary import split_words

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

_TEXTS = st.lists(st.sampled_from("ab"), max_size=3).map(" ".join)
_LISTS = st.lists(st.tuples(st.lists(_TEXTS, min_size=1, max_size=7), _TEXTS), min_size=1, max_size=9)
_ROWS = [{"nbest": ["a b", "a c", "a b"][: 1 + n % 3], "reference": "a c d"[: 1 + 2 * (n % 3)]} for n in range(2500)]
METRICS = WER(), GRR(4)


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
    sums = list(TableSums(found).each(BlockSums(METRICS), workers))
    texts = [row["nbest"] for row in _ROWS], [row["reference"] for row in _ROWS]
    expected = [oracle_at_k(*texts, metric).asdict() for metric in METRICS]
    assert len(sums) > 2
    assert _curves(sums) == expected
    within = pair_within(entries([path]))
    assert within is not None
    assert _curves(list(sums_of_pairs(within.pairs, BlockSums(METRICS)))) == expected


def _curves(sums: list[Sums]) -> list[dict[str, Any]]:
    return [curve_of([one[k] for one in sums], metric).asdict() for k, metric in enumerate(METRICS)]


def test_texts_of_blocks_are_rewritten(tmp_path: Path) -> None:
    found = blocks(_table(tmp_path / "lists.parquet", _ROWS))
    assert found is not None
    settings = BlockSums(METRICS, rewrite=lambda words: tuple("x" for _ in words))
    rows = [([" ".join("x" * len(text.split())) for text in row["nbest"]], row["reference"]) for row in _ROWS]
    expected = oracle_at_k([row[0] for row in rows], [" ".join("x" * len(row[1].split())) for row in rows])
    assert _curves(list(TableSums(found).each(settings, 1)))[0] == expected.asdict()


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({1800: {"id": "7"}}, "row 1801.*id appears twice|'7' appears twice"),
        ({1800: {"id": None}}, "row 1801.*some lists have an id"),
        ({1800: {"reference": ["a", "b"]}}, "there are 2 references"),
        ({1800: {"reference": None}}, "row 1801.*reference is missing"),
    ],
)
def test_faults_of_later_blocks_are_found(tmp_path: Path, changed: dict[int, Any], error: str) -> None:
    rows = [{**row, "id": str(n), "reference": [row["reference"]]} | changed.get(n, {}) for n, row in enumerate(_ROWS)]
    found = blocks(_table(tmp_path / "lists.parquet", rows))
    assert found is not None
    with pytest.raises(FormatError, match=error):
        list(TableSums(found).each(BlockSums(METRICS), 1))


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
    found = values_of(column)
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


# ---- Lists in columns


_WORDS = st.text(st.sampled_from("ab \t\x1cé\u00a0"), max_size=7)
_MANY = st.lists(
    st.tuples(st.lists(_WORDS, min_size=1, max_size=5), st.lists(_WORDS, min_size=1, max_size=2)), max_size=5
)


def _utf8(texts: list[str]) -> _native.Utf8Texts:
    data = [text.encode() for text in texts]
    return _native.Utf8Texts(np.frombuffer(b"".join(data), np.uint8), np.cumsum([0, *map(len, data)]))


@given(_MANY, st.sampled_from([WER(), GRR(2, alpha="0.5")]), st.sampled_from([_utf8, list, tuple, "words"]))
def test_counts_of_lists_are_those_of_their_definition(
    lists: list[tuple[list[str], list[str]]], rate: GRR, form: Any
) -> None:
    sides = list(zip(*lists, strict=True)) or [(), ()]
    flat = [[text for several in side for text in several] for side in sides]
    if form == "words":
        texts: list[Any] = [[split_words(text) for text in side] for side in flat]
    else:
        texts = [form(side) for side in flat]
    begin, owner = (np.cumsum([0, *map(len, side)]) for side in sides)
    rows, is_new, missing = _native.count_lists(texts[0], begin, texts[1], owner, rate.gains)
    pairs = [(text, reference) for several, expected in lists for text in several for reference in expected]
    assert rows.tolist() == [list(rate.counts([text], [[reference]])[0]) for text, reference in pairs]
    split = [([tuple(split_words(text)) for text in several], expected) for several, expected in lists]
    assert is_new.tolist() == [words not in several[:k] for several, _ in split for k, words in enumerate(several)]
    assert missing.tolist() == [
        sum(all(word not in words for words in several) for text in expected for word in split_words(text))
        for several, expected in split
    ]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((["a"], [0, 2], ["a"], [0, 1]), ValueError),
        ((["a"], [0, 1], ["a"], [1, 1]), ValueError),
        ((["a"], [0, 1], ["a"], [0, 1, 1]), ValueError),
        ((["a"], [1, 0], ["a"], [0, 1]), ValueError),
        (([3], [0, 1], ["a"], [0, 1]), TypeError),
        (("a", [0, 1], ["a"], [0, 1]), TypeError),
        ((["\ud800"], [0, 1], ["a"], [0, 1]), UnicodeEncodeError),
    ],
)
def test_counts_of_what_are_no_lists_are_refused(arguments: Any, error: type[Exception]) -> None:
    texts, begin, references, owner = arguments
    with pytest.raises(error):
        _native.count_lists(texts, np.array(begin), references, np.array(owner), WER().gains)


@pytest.mark.parametrize("begin", [[], [1, 0], [-1, 0], [0, 4]])
def test_texts_in_utf8_lie_among_their_bytes(begin: list[int]) -> None:
    with pytest.raises(ValueError, match="text"):
        _native.Utf8Texts(np.frombuffer(b"abc", np.uint8), np.array(begin, np.int64))


def test_half_characters_are_words_of_lists_too() -> None:
    found = oracle_at_k([["\ud800 a", "b"], ["c"]], ["\ud800", "c"])
    assert (found.one_best.numerator, found.oracle.numerator, found.compositional) == (1, 1, 0)


_NUMBER = st.sampled_from([-0.5, 0.0, 1.0, 2.5])
_SHAPES = st.fixed_dictionaries(
    {
        "list": st.sampled_from(["nbest", "hypotheses", "input"]),
        "text": st.sampled_from([None, "text", "pred"]),
        "score": st.sampled_from([None, "score", "am_score", "lm"]),
        "reference": st.sampled_from(["reference", "output_text"]),
        "several": st.booleans(),
        "id": st.sampled_from([None, "id", "number"]),
        "large": st.booleans(),
        "spoiled": st.sampled_from([None, "null", "nan", "empty", "missing", "uneven", "beside"]),
    }
)


def _rows_of(data: st.DataObject, shape: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for number in range(data.draw(st.integers(1, 6))):
        texts = data.draw(st.lists(_TEXTS, min_size=1, max_size=4))
        hypotheses: list[Any] = list(texts)
        if shape["text"]:
            extra = {shape["score"]: data.draw(_NUMBER)} if shape["score"] else {}
            hypotheses = [
                {shape["text"]: text, "other": "x"} | {name: data.draw(_NUMBER) for name in extra} for text in texts
            ]
        expected = data.draw(st.lists(_TEXTS, min_size=2, max_size=2)) if shape["several"] else data.draw(_TEXTS)
        row = {shape["list"]: hypotheses, shape["reference"]: expected}
        if shape["id"]:
            row["id"] = f"u{number}" if shape["id"] == "id" else number
        rows.append(row)
    return rows


def _spoil(rows: list[dict[str, Any]], shape: dict[str, Any]) -> None:
    row, hypotheses = rows[-1], rows[-1][shape["list"]]
    spoiled = shape["spoiled"]
    if spoiled == "null":
        row[shape["reference"]] = None
    elif spoiled == "nan" and shape["text"] and shape["score"]:
        hypotheses[0][shape["score"]] = float("nan")
    elif spoiled == "empty":
        row[shape["list"]] = []
    elif spoiled == "missing" and not shape["text"]:
        hypotheses[0] = None
    elif spoiled == "uneven" and shape["several"]:
        row[shape["reference"]] = row[shape["reference"]][:1]
    elif spoiled == "beside":
        for other in rows:
            other["score"] = [0.25] * len(other[shape["list"]])


@given(st.data(), _SHAPES)
def test_columns_have_the_lists_of_the_rows(data: st.DataObject, shape: dict[str, Any]) -> None:
    rows = _rows_of(data, shape)
    table = pa.RecordBatch.from_pylist(rows)
    if shape["large"]:
        place = table.schema.get_field_index(shape["reference"])
        if not shape["several"]:
            table = table.set_column(place, shape["reference"], table.column(place).cast(pa.large_string()))
    number, named = 1 + shape["several"], shape["id"] is not None
    first = data.draw(st.integers(0, len(rows) - 1))
    found = lists_of_table(table.slice(first), shape["reference"], number, named=named)
    assert found is not None
    assert list(found.names) == [str(row["id"]) for row in rows[first:] if named]
    expected = read_lists(rows[first:], reference_field=shape["reference"])
    ours = sums_of_columns(found.columns, WER(), keep=True)
    theirs = sums_of(expected.lists, expected.references, WER(), keep=True)
    assert {k: one.tolist() for k, one in ours.tables.items()} == {k: one.tolist() for k, one in theirs.tables.items()}
    assert (ours.ranks.tolist(), ours.new.tolist()) == (theirs.ranks.tolist(), theirs.new.tolist())
    assert ours[4:] == theirs[4:]
    assert lists_of_table(table, shape["reference"], number, named=not named) is None
    assert lists_of_table(table, "nowhere", number, named=named) is None


@given(st.data(), _SHAPES.filter(lambda shape: shape["spoiled"]))
def test_doubtful_columns_are_read_row_by_row(data: st.DataObject, shape: dict[str, Any]) -> None:
    rows = _rows_of(data, shape)
    before = repr(rows)
    _spoil(rows, shape)
    table = pa.RecordBatch.from_pylist(rows)
    found = lists_of_table(table, shape["reference"], 1 + shape["several"], named=shape["id"] is not None)
    assert (found is None) == (repr(rows) != before)
