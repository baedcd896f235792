"""Strategies that are made once for each of their parameters: making one takes longer than drawing from it."""

from functools import cache
from typing import Any

from hypothesis import strategies as st

booleans = st.booleans()


@cache
def numbers(least: int, most: int) -> st.SearchStrategy[int]:
    """Integers from `least` to `most`."""
    return st.integers(least, most)


@cache
def exactly_many(items: st.SearchStrategy[Any], number: int) -> st.SearchStrategy[list[Any]]:
    """Lists of this many items."""
    return st.lists(items, min_size=number, max_size=number)


@cache
def some_numbers(least: int, most: int, *, fewest: int, largest: int) -> st.SearchStrategy[list[int]]:
    """Lists of `fewest` to `largest` integers from `least` to `most`."""
    return st.lists(numbers(least, most), min_size=fewest, max_size=largest)


@cache
def different_numbers(most: int, number: int) -> st.SearchStrategy[list[int]]:
    """Lists of this many different integers from 0 to `most`."""
    return st.lists(numbers(0, most), min_size=number, max_size=number, unique=True)
