"""Measure texts in pictures; replace invisible characters."""

from __future__ import annotations

import unicodedata

# Shares of the font size, at least those of DejaVu Sans, the widest of the common sans-serif fonts.
_CLASSES = {
    0.42: " !',./:;()[]\\|IJijlft-",
    0.56: '"*_`?rscszL',
    0.66: "ESbdghnpquFkvxyPTYaoe$0123456789{}K",
    0.80: "&AVBRXZCUHNDGOQ",
    0.86: "w#+<=>^~",
    1.02: "MmW%@",
}
_WIDTH = {letter: width for width, letters in _CLASSES.items() for letter in letters}
_WIDE, _LATIN, _OTHER, _LIGATURE = 1.05, 1.12, 1.25, 10.0
_BROADEST = "\ufdfd"  # one letter that is a sentence
_END_OF_LATIN = 0x180

# Characters of these categories are invisible, or change how others look.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str) -> str:
    r"""Replace every invisible character of a text by its code point, in hexadecimal.

    These are control characters, line ends, marks that change the writing direction, surrogates and unusual spaces.

    Examples:
        >>> visible("a\tb\u202ec")
        'a⟨9⟩b⟨202E⟩c'
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_visible_letter, text))


def _visible_letter(letter: str) -> str:
    category = unicodedata.category(letter)
    hidden = category in _UNSEEN or (category == "Zs" and letter != " ")
    return f"⟨{ord(letter):X}⟩" if hidden else letter


def text_width(text: str, size: float) -> float:
    """Return the largest width that a text may have in common fonts of this size."""
    return size * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    known = _WIDTH.get(letter)
    if known is not None:
        return known
    if letter == _BROADEST:
        return _LIGATURE
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return _WIDE
    return _LATIN if ord(letter) < _END_OF_LATIN else _OTHER
