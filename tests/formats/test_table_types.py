"""Every reader of tables and records reads each type of a field exactly, or refuses it: nothing is passed over.

`TYPES` lists columns of Arrow with the plain values that they hold, or `None` if a record cannot hold them. A table has
the lists that JSON lines with the plain values have, or is refused as these are.
"""

import datetime as dt
import json
from collections import deque
from decimal import Decimal
from fractions import Fraction
from itertools import chain, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from kit.lists import read_lists
from pyarrow import ipc, parquet

from latticemetric.errors import LatticeMetricError
from latticemetric.formats.metric_scores import read_metric_scores
from latticemetric.formats.nbest.records import COLUMNS, IDS, LISTS, OTHER_LISTS, REFERENCES

WORDS, TEXTS = ["c", "a b"], [["a b", "c"], ["c", "a"]]
WHOLE, NUMBERS = [3, 4], [[-2.0, -1.0], [-0.5, -1.5]]


def _decimals(values: list[Any]) -> list[Any]:
    return [_decimals(one) if isinstance(one, list) else Decimal(str(one)) for one in values]


def _runs(values: list[Any]) -> Any:
    return pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array(values))


def _unread() -> list[Any]:
    now, day = dt.datetime(2026, 1, 2, 3, 4, tzinfo=dt.UTC), dt.timedelta(1)
    json_type = [pa.ExtensionArray.from_storage(pa.json_(), pa.array(['"c"', '"a"']))] if hasattr(pa, "json_") else []
    uuids = [pa.array([b"0" * 16, b"1" * 16], pa.uuid())] if hasattr(pa, "uuid") else []
    views = [pa.array([b"c", b"a"], pa.binary_view())] if hasattr(pa, "binary_view") else []
    tensors = pa.FixedSizeListArray.from_arrays(pa.array([-1.0] * 8), 4)
    matrices = pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.float64(), [2, 2]), tensors)
    union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])])
    plain = [
        pa.array([b"c", b"a"]),
        pa.array([b"c", b"a"], pa.large_binary()),
        pa.array([b"c", b"a"], pa.binary(1)),
        pa.array([now, now]),
        pa.array([now, now], pa.timestamp("ns", "UTC")),
        pa.array([now.date()] * 2),
        pa.array([now.time()] * 2),
        pa.array([day, day]),
        pa.array([(1, 2, 3)] * 2, pa.month_day_nano_interval()),
        pa.array([[day, day]] * 2),
        pa.array([[b"c", b"a"]] * 2),
        pa.array([now.date()] * 2).dictionary_encode(),
    ]
    return [*plain, *json_type, *uuids, *views, matrices, union]


def _types() -> list[tuple[Any, list[Any] | None]]:
    """Return columns of two rows, with their plain values; `None` if no record can hold them."""
    views = [pa.string_view()] if hasattr(pa, "string_view") else []
    texts = [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string()), *views]
    lists_of: list[Any] = [pa.list_, pa.large_list, lambda kind: pa.list_(kind, 2)]
    lists_of += [pa.list_view, pa.large_list_view] if hasattr(pa, "list_view") else []
    whole = [pa.int8(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64()]
    floats = [pa.float16(), pa.float32(), pa.float64()]
    decimals = [pa.decimal128(9, 2), pa.decimal256(50, 3)]
    decimals += [pa.decimal32(5, 2), pa.decimal64(5, 2)] if hasattr(pa, "decimal32") else []
    exact = pa.decimal128(38, 0)
    found: list[tuple[Any, list[Any] | None]] = [(pa.array(WORDS, kind), WORDS) for kind in texts]
    found += [(_runs(WORDS), WORDS), (pa.nulls(2), [None, None]), (pa.array([True, False]), [True, False])]
    found += [(pa.array(TEXTS, kind(text)), TEXTS) for kind in lists_of for text in texts]
    found += [(pa.array(WHOLE, kind), WHOLE) for kind in whole]
    found += [(pa.array(_decimals(WHOLE), exact), WHOLE)]
    found += [(pa.array([0.5, 1.5], kind), [0.5, 1.5]) for kind in floats]
    found += [(pa.array(_decimals([0.5, 1.5]), kind), [0.5, 1.5]) for kind in decimals]
    found += [(pa.array(NUMBERS, kind(pa.float64())), NUMBERS) for kind in lists_of]
    found += [(pa.array([np.array(row, np.float16) for row in NUMBERS], pa.list_(pa.float16())), NUMBERS)]
    found += [(pa.array([[3, 4], [4, 3]], pa.list_(kind)), [[3, 4], [4, 3]]) for kind in whole]
    found += [(pa.array(_decimals(NUMBERS), kind(one)), NUMBERS) for kind in lists_of[:1] for one in decimals]
    found += [(pa.array([[1.1, -0.3]] * 2, pa.list_(pa.float64())), [[1.1, -0.3]] * 2)]
    found += [(pa.array(_decimals([[1.1, -0.3]] * 2), pa.list_(pa.decimal128(9, 2))), [[1.1, -0.3]] * 2)]
    storage = pa.array(NUMBERS, pa.list_(pa.float64(), 2))
    found += [(pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.float64(), [2]), storage), NUMBERS)]
    named = [{"am": row, "lm": row[::-1]} for row in NUMBERS]
    maps = pa.map_(pa.string(), pa.list_(pa.float64()))
    found += [(pa.array(named), named), (pa.array(named, maps), named)]
    found += [(pa.array([{"am": 1.5}] * 2), [{"am": 1.5}] * 2)]
    for kind in (*floats, *decimals):
        rows = [[{"text": "a b", "score": -1.5}, {"text": "c", "score": -0.5}]] * 2
        value: Any = Decimal if pa.types.is_decimal(kind) else float
        cells = [[{"text": one["text"], "score": value(one["score"])} for one in row] for row in rows]
        of_kind = pa.list_(pa.struct([("text", texts[-1]), ("score", kind)]))
        found.append((pa.array(cells, of_kind), rows))
    return [*found, *((column, None) for column in _unread())]


TYPES = _types()
BASE: dict[str, list[Any]] = {"id": ["u1", "u2"], "nbest": TEXTS, "score": NUMBERS, "reference": ["c", "a"]}
_PARTS = {"id": IDS, "nbest": (*LISTS, *OTHER_LISTS), "score": tuple(COLUMNS), "reference": REFERENCES}
FIELDS = {name: part for part, names in _PARTS.items() for name in names}
FEW = ("id", "nbest", "predictions", "score", "logprobs", "reference")


def outcome(source: Any) -> Any:
    """Return the lists of a table as plain values, or the error."""
    try:
        lists = read_lists(source)
    except LatticeMetricError as error:
        return error
    return [
        (name, [(h.words, dict(h.scores)) for h in nbest.hypotheses], dict(nbest.weights), references)
        for name, nbest, references in zip(lists.names, lists.lists, lists.references, strict=True)
    ]


def with_field(field: str, column: Any) -> pa.Table:
    """Return the base table with a column in the place of the one that has the same meaning."""
    columns = {name: pa.array(values) for name, values in BASE.items() if name != FIELDS[field]}
    return pa.table({**columns, field: column})


_OF_LINES: dict[str, Any] = {}


def of_lines(field: str, values: list[Any], folder: Any) -> Any:
    """Return the outcome of JSON lines with plain values."""
    columns = {name: cells for name, cells in BASE.items() if name != FIELDS[field]} | {field: values}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    if lines not in _OF_LINES:
        (folder / "plain.jsonl").write_text(lines)
        _OF_LINES[lines] = outcome(folder / "plain.jsonl")
    return _OF_LINES[lines]


def as_parquet(table: pa.Table, folder: Any) -> Any:
    parquet.write_table(table, folder / "table.parquet")
    return folder / "table.parquet"


def as_file(table: pa.Table, folder: Any) -> Any:
    with ipc.new_file(folder / "table.arrow", table.schema) as writer:
        writer.write_table(table)
    return folder / "table.arrow"


def as_stream(table: pa.Table, folder: Any) -> Any:
    options = ipc.IpcWriteOptions(compression="zstd")
    with ipc.new_stream(folder / "stream.arrow", table.schema, options=options) as writer:
        writer.write_table(table)
    return folder / "stream.arrow"


def as_pandas(table: pa.Table, _folder: Any) -> Any:
    pytest.importorskip("pandas")
    return table.to_pandas()


def as_arrow_in_pandas(table: pa.Table, _folder: Any) -> Any:
    pandas = pytest.importorskip("pandas")
    return table.to_pandas(types_mapper=pandas.ArrowDtype)


def as_polars(table: pa.Table, _folder: Any) -> Any:
    return pytest.importorskip("polars").from_arrow(table)


def as_duckdb(table: pa.Table, _folder: Any) -> Any:
    return pytest.importorskip("duckdb").from_arrow(table)


# Types that the values of other libraries do not show, and those that another library reads wrongly.
_LOST = ("extension<arrow.json>", "shape=[2,2]", "sparse_union")
_WRONG = {"polars": ("decimal32", "decimal64"), "duckdb": ("fixed_size_list<item: dictionary", "arrow.uuid")}
_OF_ARROW = ("parquet", "arrow file", "arrow stream", "arrow table", "record batches")
READERS = {
    "parquet": as_parquet,
    "arrow file": as_file,
    "arrow stream": as_stream,
    "arrow table": lambda table, _: table,
    "record batches": lambda table, _: iter(table.to_batches()),
    "mappings": lambda table, _: table.to_pylist(maps_as_pydicts="strict"),
    "pandas": as_pandas,
    "pandas of arrow": as_arrow_in_pandas,
    "polars": as_polars,
    "duckdb": as_duckdb,
}


def table_of(reader: str, table: pa.Table, folder: Any) -> Any:
    """Return the table as `reader` takes it; `None` if the other library has no such type."""
    try:
        return READERS[reader](table, folder)
    except pytest.skip.Exception:
        raise
    except BaseException as error:  # a library written in Rust panics
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


def assert_exact_or_refused(found: Any, wanted: Any, field: str, column: Any) -> None:
    """Check that a table has the lists of JSON lines, or is refused as they are."""
    shown = f"{field}: {column.type}: {found}, not {wanted}"
    if wanted is None:
        # Fields that hold lists of texts in some records only are no lists then.
        assert isinstance(found, LatticeMetricError), shown
        assert field in str(found) or field in OTHER_LISTS, shown
    elif isinstance(wanted, LatticeMetricError):
        assert isinstance(found, LatticeMetricError), shown
    elif not (pa.types.is_map(column.type) and isinstance(found, LatticeMetricError)):  # lists of pairs in pandas
        assert found == wanted, shown


@pytest.mark.parametrize("field", FEW)
@pytest.mark.parametrize("reader", READERS)
def test_each_type_is_read_exactly_or_refused(reader, field, tmp_path):
    read = 0
    for (whole, plain), missing in product(TYPES, (False, True)):
        column = _with_null(whole) if missing else whole
        source = None if column is None else table_of(reader, with_field(field, column), tmp_path)
        lost = () if reader in _OF_ARROW else _LOST
        if source is None or any(name in str(whole.type) for name in (*lost, *_WRONG.get(reader, ()))):
            continue
        values = plain and [plain[0], None if missing else plain[1]]
        wanted = None if values is None else of_lines(field, values, tmp_path)
        assert_exact_or_refused(outcome(source), wanted, field, column)
        read += 1
    assert read > len(TYPES)


def _with_null(column: Any) -> Any:
    """Return the first value of a column and a null; `None` if pyarrow cannot join them."""
    try:
        return None if pa.types.is_union(column.type) else pa.concat_arrays([column[:1], pa.nulls(1, column.type)])
    except (pa.ArrowException, NotImplementedError):
        return None


@pytest.mark.parametrize("field", FIELDS)
def test_each_field_is_read_exactly_or_refused(field, tmp_path):
    for column, plain in TYPES:
        wanted = None if plain is None else of_lines(field, plain, tmp_path)
        assert_exact_or_refused(outcome(with_field(field, column)), wanted, field, column)


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("reader", ["parquet", "arrow file", "arrow stream", "arrow table", "pandas"])
def test_two_columns_of_one_name_are_refused(reader, field, tmp_path):
    base = with_field(field, pa.array(BASE[FIELDS[field]]))
    table = base.append_column(field, base.column(field))
    with pytest.raises(LatticeMetricError, match=f"two columns have the name '{field}'"):
        read_lists(READERS[reader](table, tmp_path))


def test_two_parts_of_one_name_are_refused():
    parts = [pa.array(["a b", "c"]), pa.array([-2.0, -1.0]), pa.array([-1.0, -2.0])]
    structs = pa.StructArray.from_arrays(parts, ["text", "score", "score"])
    table = pa.table({"nbest": pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), structs)})
    with pytest.raises(LatticeMetricError, match="two fields with one name"):
        read_lists(table)


# ---- Records ----


@pytest.mark.parametrize(
    "scores",
    [
        (-2.0, -1.0),
        deque([-2, -1]),
        range(-2, 0),
        np.array([-2.0, -1.0]),
        np.array([-2, -1], np.int8),
        np.array([-2, -1], np.float16),
        np.array([-2, -1], np.longdouble),
        [np.float32(-2), np.int64(-1)],
        [Decimal("-2.0"), Decimal(-1)],
        [Fraction(-2), -1],
        (Decimal("-2.0"), np.array(-1.0)),
    ],
    ids=lambda scores: f"{type(scores).__name__} {scores}",
)
def test_scores_in_any_sequence_of_numbers_rank_a_list(scores):
    lists = read_lists([{"nbest": ["a b", "c"], "score": scores}])
    assert lists.lists[0].costs() == [2.0, 1.0]


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ("[-2.0, -1.0]", "score is not a list with one number per hypothesis (2), but is a text"),
        (-1.0, "(2), but has 1"),
        (b"\0\0", "but is of the type bytes"),
        (bytearray(2), "but is of the type bytearray"),
        ({-2.0, -1.0}, "but is of the type set"),
        (iter([-2.0, -1.0]), "but is of the type list_iterator"),
        ([-2.0], "(2), but has 1"),
        ([-2.0, "-1.0"], "but is a list with a text"),
        ([-2.0, True], "but is a list with true"),
        ([-2.0, None], "but is a list with null"),
        ([-2.0, float("nan")], "which is not finite"),
        ([-2.0, 1j], "but is a list with a value of the type complex"),
        (np.array([-2, -1], "m8[s]"), "but is of the type timedelta64[s]"),
        (np.array([-2, -1], "M8[ns]"), "but is of the type datetime64[ns]"),
        (np.array([-2, -1j]), "but is of the type complex128"),
        ([dt.timedelta(1)] * 2, "of the type timedelta"),
        ({"am": [-1.0]}, "score.am is not a list with one number per hypothesis (2), but has 1"),
        ({"am": "x"}, "score.am is not a list"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_scores_that_are_no_list_of_numbers_are_refused(scores, says):
    with pytest.raises(LatticeMetricError) as caught:
        read_lists([{"nbest": ["a b", "c"], "score": scores}])
    assert says in str(caught.value)


@pytest.mark.parametrize("name", ["score", "scores"])
def test_scores_by_name_are_the_scores_of_the_hypotheses(name, tmp_path):
    record = {"id": "u", "nbest": ["a b", "c"], name: {"am": [-2.0, -1.0], "lm": [-0.5, -0.25], "none": None}}
    (tmp_path / "x.jsonl").write_text(json.dumps(record))
    for source in ([record], tmp_path / "x.jsonl"):
        (nbest,) = read_lists(source).lists
        assert [dict(h.scores) for h in nbest.hypotheses] == [{"am": 2.0, "lm": 0.5}, {"am": 1.0, "lm": 0.25}]
        assert dict(nbest.weights) == {"am": 1.0, "lm": 1.0}
    one = {"nbest": [{"text": "a", "score": {"am": -2.0}}, {"text": "b", "score": {"am": -1.0}}]}
    assert read_lists([one]).lists[0].costs() == [2.0, 1.0]
    single = {"nbest": ["a"], name: {"am": -2.0}}
    assert read_lists([single]).lists[0].costs() == [2.0]


SCORED, NULL, BARE = ({"score": [-2.0, -1.0]}, {"score": None}, {})


@pytest.mark.parametrize("rows", [(SCORED, NULL), (NULL, SCORED), (SCORED, BARE, NULL)], ids=str)
def test_lists_whose_scores_are_null_do_not_fall_back_to_the_rank(rows, tmp_path):
    records = [{"id": f"u{k}", "nbest": ["a", "b"], "reference": "b", **row} for k, row in enumerate(rows)]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in records))
    (tmp_path / "x.json").write_text(json.dumps(records))
    table = as_parquet(pa.Table.from_pylist([{"score": None, **row} for row in records]), tmp_path)
    for source in (records, tmp_path / "x.jsonl", tmp_path / "x.json", table):
        with pytest.raises(LatticeMetricError, match="null"):
            read_lists(source)


def test_lists_without_scores_beside_others_are_said(monkeypatch, caplog):
    from latticemetric.formats.nbest import records as module
    from latticemetric.formats.streams.once import OnceWarning

    monkeypatch.setattr(module, "_UNSCORED", OnceWarning())
    records = [{"nbest": ["a", "b"], "score": [-2.0, -1.0]}, {"nbest": ["a", "b"]}, {"nbest": ["a"]}]
    assert len(read_lists(records)) == 3
    assert caplog.messages == ["record 2: only some lists have scores; the order of the others is their rank"]


def test_a_null_in_the_scores_of_a_later_block_is_refused_by_commands_too(tmp_path):
    from latticemetric.corpus.list_blocks import BlockSums, TableSums
    from latticemetric.formats.reading import blocks
    from latticemetric.metrics.recognition import WER

    rows = [{"nbest": ["a", "b"], "reference": "b", "score": [-2.0, -1.0]} for _ in range(3000)]
    rows[2500]["score"] = None
    found = blocks(str(as_parquet(pa.Table.from_pylist(rows), tmp_path)))
    with pytest.raises(LatticeMetricError, match="row 2501: the scores of the list are null"):
        list(TableSums(found).each(BlockSums([WER()]), workers=1))


def test_references_that_come_later_are_not_dropped():
    rows = [{"nbest": ["a"], "reference": None}, {"nbest": ["a"], "reference": "b"}]
    with pytest.raises(LatticeMetricError, match=r"the record has a reference \(reference\), but the first record has"):
        read_lists(rows)


# ---- Scores of metrics ----


@pytest.mark.parametrize("field", ["system", "segment", "score", "metric"])
def test_columns_of_metric_scores_are_read_exactly_or_refused(field, tmp_path):
    base = {"system": ["a", "b"], "segment": ["1", "2"], "metric": ["M", "M"], "score": [0.5, 1.5]}
    for column, plain in TYPES:
        table = pa.table({**{n: pa.array(v) for n, v in base.items() if n != field}, field: column})
        path = table_of("parquet", table, tmp_path)
        if path is None:
            continue
        good = {"score": ([0.5, 1.5], WHOLE), "system": (WORDS,), "segment": (WHOLE,), "metric": (WORDS, WHOLE)}[field]
        systems, segments = (["c", "a b"], ["1", "2"]) if field == "system" else (["a", "b"], ["1", "2", "3", "4"])
        if plain in good:
            found = read_metric_scores([str(path)], systems, segments)
            values = [scores.segments[~np.isnan(scores.segments)].tolist() for scores in found.values()]
            wanted = plain if field == "score" else [0.5, 1.5]
            assert sorted(chain.from_iterable(values)) == wanted, column.type
        elif plain not in (WORDS, WHOLE, [None, None]):
            with pytest.raises(LatticeMetricError):
                read_metric_scores([str(path)], systems, segments)


def test_two_columns_of_metric_scores_with_one_name_are_refused(tmp_path):
    table = pa.table([pa.array(["a"]), pa.array([1.0]), pa.array([2.0])], ["system", "M", "M"])
    with pytest.raises(LatticeMetricError, match="two columns have the name 'M'"):
        read_metric_scores([str(as_parquet(table, tmp_path))], ["a"], ["1"])
    (tmp_path / "x.jsonl").write_text('{"system": "a", "M": 1, "M": 2}\n')
    with pytest.raises(LatticeMetricError, match="'M' appears twice"):
        read_metric_scores([str(tmp_path / "x.jsonl")], ["a"], ["1"])
