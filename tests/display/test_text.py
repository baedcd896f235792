"""Rows on a screen: blocks that are not too wide, and hold all cells."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latticemetric.display.text import aligned_rows, display_width, screen_width, two_digits, visible, wrapped_rows
from latticemetric.metrics.alignment import Alignment

cells = st.lists(st.tuples(*[st.sampled_from(["a", "bird", "sings", "x" * 30, "\u9ce5"])] * 2), max_size=30)


@given(columns=cells, width=st.integers(1, 60))
def test_blocks_hold_all_cells_and_are_as_wide_as_they_may_be(columns, width):
    rows = [["above", *(above for above, _ in columns)], ["under", *(under for _, under in columns)]]
    lines = list(wrapped_rows(rows, width))
    blocks = [lines[k : k + 2] for k in range(0, len(lines), 3)]
    assert lines[2::3] == [""] * (len(blocks) - 1)
    for row, place in zip(rows, (0, 1), strict=True):
        assert [cell for block in blocks for cell in block[place].split()[1:]] == row[1:]
        assert all(block[place].startswith(row[0]) for block in blocks)
    sizes = [len(block[0].split()) - 1 for block in blocks]
    widths = [max(map(display_width, column)) for column in columns]
    for k, size in enumerate(sizes):
        first = sum(sizes[:k])
        assert size <= 1 or len("above") + sum(2 + w for w in widths[first : first + size]) <= width
        if k + 1 < len(sizes):  # the next cell would not have had room
            assert len("above") + sum(2 + w for w in widths[first : first + size + 1]) > width


def test_rows_that_fit_are_one_block():
    rows = [["above", "a", "b"], ["under", "c", "d"]]
    assert list(wrapped_rows(rows, 80)) == aligned_rows(rows)


def test_an_alignment_is_as_wide_as_the_terminal(monkeypatch):
    alignment = Alignment(("word",) * 100, ("word",) * 100, "C" * 100)
    assert screen_width() == 100
    assert max(map(len, str(alignment).splitlines())) == 94  # 14 words; commands indent them by 4
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, str(alignment).splitlines())) <= 56


def test_syllables_in_parts_are_as_wide_as_whole_ones():
    for text in ("한국어", "été", "각 간 값", "がぎ"):
        assert display_width(unicodedata.normalize("NFD", text)) == display_width(unicodedata.normalize("NFC", text))


@given(
    number=st.integers(10, 10**40)
    | st.builds(lambda power, step: 10**power + step, st.integers(2, 400), st.integers(-2, 2))
)
def test_two_digits_are_rounded(number):
    factor, power = two_digits(number)
    exponent = int(power.removeprefix("10").translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))
    assert 1 <= factor < 10
    assert abs(round(10 * factor) * 10 ** (exponent - 1) - number) * 2 <= 10 ** (exponent - 1)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("می\u200cخواهم", "می\u200cخواهم"),  # Persian
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),  # a family
        ("a\u200c", "a⟨200C⟩"),
        ("\u200da b\u200d \u200cc", "⟨200D⟩a b⟨200D⟩ ⟨200C⟩c"),
        ("a\u200d\u200db", "a⟨200D⟩⟨200D⟩b"),
        ("a\u00a0b\u202e", "a⟨A0⟩b⟨202E⟩"),
    ],
)
def test_joiners_stay_within_words(text, shown):
    assert visible(text) == shown
