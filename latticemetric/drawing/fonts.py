"""Fonts for pictures of pixels: letters of other alphabets come from other fonts, as far as there are any."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

# One of each alphabet is enough; matplotlib's own comes first, so that pictures are the same where it has the letters.
_FAMILIES = (
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans CJK KR",
    "Source Han Sans",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "PingFang SC",
    "Hiragino Sans",
    "Apple SD Gothic Neo",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Arial Unicode MS",
)
_MISSING = re.compile(r"Glyph (\d+) ")


def families() -> list[str]:
    """Those that are installed."""
    from matplotlib.font_manager import fontManager

    there = set(fontManager.get_font_names())
    return [name for name in _FAMILIES if name in there]


@contextmanager
def one_warning() -> Iterator[None]:
    """Says once which letters no font has, instead of once a letter."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    missing = set()
    for warning in caught:
        if found := _MISSING.search(str(warning.message)):
            missing.add(chr(int(found[1])))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if missing:
        letters = "".join(sorted(missing))
        warnings.warn(f"no font has the letters {letters}: install one, or write SVG", stacklevel=3)
