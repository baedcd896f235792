"""Lines of columns are those of their records, one by one."""

import json
import math
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latticemetric import _native
from latticemetric.display.record_columns import (
    ListColumn,
    TextColumn,
    WholeColumn,
    decimals,
    json_lines,
    lines_of,
    right_aligned,
    tsv_lines,
)

TEXTS = st.text(
    st.one_of(st.sampled_from('"\\\t\n\r\b\f\0\x1f\x7f é\u2028😀'), st.characters(exclude_categories=["Cs"]))
)
NUMBERS = st.one_of(st.floats(allow_infinity=False), st.integers(-(10**6), 10**6).map(float), st.just(-0.0))
INTEGERS = st.integers(-(2**63), 2**63 - 1)
RECORDS = st.lists(
    st.tuples(TEXTS, TEXTS, NUMBERS, NUMBERS, INTEGERS, st.lists(INTEGERS, max_size=3)), min_size=1, max_size=5
)


def beginnings(rows):
    return np.array([0, *accumulate(map(len, rows))], dtype=np.int64)


def text_column(texts):
    encoded = [text.encode() for text in texts]
    return TextColumn(b"".join(encoded), beginnings(encoded))


def list_column(lists):
    return ListColumn(np.array([k for one in lists for k in one], dtype=np.int64), beginnings(lists))


def number(value):
    return None if math.isnan(value) else value


def whole(value):
    return None if math.isnan(value) else int(value) if value == int(value) and abs(value) < 2**53 else value


def fields_of(records):
    names, texts, reals, wholes, integers, lists = map(list, zip(*records, strict=True))
    return {
        "id": names,
        "text": text_column(texts),
        "real": np.array(reals),
        "exact": True,
        "inner": {"whole": WholeColumn(np.array(wholes)), "integer": np.array(integers, dtype=np.int64)},
        "list": list_column(lists),
    }


@given(RECORDS)
def test_lines_of_json_are_those_of_the_json_module(records):
    lines = json_lines(len(records), fields_of(records)).strings()
    expected = [
        {
            "id": name,
            "text": text,
            "real": number(real),
            "exact": True,
            "inner": {"whole": whole(whole_), "integer": integer},
            "list": list_,
        }
        for name, text, real, whole_, integer, list_ in records
    ]
    assert lines == [json.dumps(one, ensure_ascii=False) for one in expected]


@given(RECORDS)
def test_lines_of_tsv_have_escapes_and_empty_fields(records):
    fields = fields_of(records)
    columns = [*(fields[name] for name in ("id", "text", "real", "exact", "list")), None, fields["inner"]["whole"]]
    for line, (name, text, real, whole_, _, list_) in zip(
        tsv_lines(len(records), columns).strings(), records, strict=True
    ):
        first, second, *others = line.split("\t")
        assert [unescaped(first), unescaped(second)] == [name, text]
        shown = ["" if one is None else str(one) for one in (number(real), whole(whole_))]
        assert others == [shown[0], "true", " ".join(map(str, list_)), "", shown[1]]


def unescaped(field):
    """Return the text of a field, from the definition of the escapes."""
    assert not {"\n", "\r"} & set(field)
    letters, text = iter(field), ""
    for letter in letters:
        text += {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}[next(letters)] if letter == "\\" else letter
    return text


@given(st.lists(st.floats(-1e15, 1e15), min_size=1), st.integers(0, 9), st.sampled_from([b"", b"%"]))
def test_decimals_are_rounded_and_aligned_as_python_does(values, places, unit):
    part = right_aligned(len(values), decimals(np.array(values), places, unit), 9)
    lines = lines_of(len(values), [b"<", part, b">"]).strings()
    assert lines == [f"<{f'{value:.{places}f}' + unit.decode():>9}>" for value in values]


@given(st.lists(TEXTS, min_size=1))
def test_a_text_of_a_column_is_found_by_its_number(texts):
    column = text_column(texts)
    assert [column.at(k) for k in range(len(texts))] == column.strings() == texts


ONE = np.array([0, 1], dtype=np.int64)


@pytest.mark.parametrize(
    "part",
    [
        ("integers", np.zeros(2, dtype=np.int64)),
        ("integers", np.zeros(1, dtype=np.int32)),
        ("real", np.array([np.inf]), b""),
        ("decimal", np.array([1.0]), -1, b""),
        ("decimal", np.array([1.0]), 101, b""),
        ("json", b"", ONE),
        ("json", b"ab", np.array([1, 0], dtype=np.int64)),
        ("json", b"ab", np.array([-1, 1], dtype=np.int64)),
        ("list", np.zeros(0, dtype=np.int64), ONE, b","),
        ("text", b"a", ONE, 2**40),
        ("json", ["a", "b"]),
        ("other", b"a", ONE),
    ],
)
def test_parts_that_are_no_columns_are_refused(part):
    with pytest.raises(ValueError, match=r".+"):
        _native.write_lines(1, [part])
