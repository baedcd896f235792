"""Conversion of texts into code points, for metrics that compare characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any, Literal, cast, get_args
from unicodedata import normalize

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.metrics.base import References, Text, paired
from latticemetric.metrics.segments import Counts, NumberedStrings, Segments

UnicodeForm = Literal["none", "nfc", "nfd", "nfkc", "nfkd"]


def normalizer(form: UnicodeForm) -> Callable[[str], str]:
    """Return a function that brings texts into a Unicode normalisation form; `none` leaves them unchanged."""
    if form == "none":
        return str
    if form not in get_args(UnicodeForm):
        raise UsageError(f"unicode is {form!r}", advice=f"choose one of {', '.join(get_args(UnicodeForm))}")
    return partial(normalize, cast("Any", form.upper()))


def code_points(texts: Sequence[str]) -> NumberedStrings:
    """Return the code points of all texts in one array, and the index where each text begins.

    Examples:
        >>> [part.tolist() for part in code_points(["ab", "é"])]
        [[97, 98, 233], [0, 2, 3]]
    """
    begin = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    encoded = "".join(texts).encode("utf-32-le", "surrogatepass")
    return NumberedStrings(np.frombuffer(encoded, dtype="<i4").astype(np.int32, copy=False), begin)


def text_segments(
    hypotheses: Sequence[Text], references: Sequence[References], prepared: Callable[[Text], str]
) -> Segments:
    """Return a test set as code points. The function `prepared` first turns each text into a string."""
    listed = paired(hypotheses, references)
    owner: Counts = np.cumsum([0, *map(len, listed)], dtype=np.int64)
    expected = code_points(list(map(prepared, chain.from_iterable(listed))))
    return Segments(code_points(list(map(prepared, hypotheses))), expected, owner)
