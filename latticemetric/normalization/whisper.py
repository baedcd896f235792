"""Whisper's normalizers of texts (Radford et al. 2022, appendix C), to compare with published error rates.

`whisper_english` and `whisper_basic` return the same bytes as OpenAI's program, including its faults: `the 1 place`
becomes `the one place`, and `U.S.` differs from `US`. They rewrite whole texts, and are not transducers. For other
purposes, the grammar `english` is better: it makes more texts with the same meaning equal.
"""

from __future__ import annotations

import contextlib
import re
import unicodedata
from collections.abc import Callable, Generator, Iterator
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

# ---- Steps of both normalizers ----

_BRACKETS = re.compile(r"[<\[][^>\]]*[>\]]")
_PARENTHESES = re.compile(r"\(([^)]+?)\)")
_WHITE = re.compile(r"\s+")
# Letters with strokes and ligatures, which Unicode does not decompose.
_BASE_LETTERS = dict(zip("øØđĐðłŁ", "oOdDdlL", strict=True)) | {
    "œ": "oe", "Œ": "OE", "æ": "ae", "Æ": "AE", "ß": "ss", "ẞ": "SS", "þ": "th", "Þ": "th"
}  # fmt: skip
_KEPT_SYMBOLS = ".%$¢€£"


def whisper_basic(text: str, *, diacritics: bool = True) -> str:
    """Normalize a text of any language like Whisper's basic normalizer.

    The result is in lower case, without punctuation, symbols, combining marks or texts in brackets.

    Args:
        text: The text.
        diacritics: True to keep accents of letters, and to replace separate combining marks by spaces; False to remove
            accents.

    Examples:
        >>> whisper_basic("¿Qué? [risas] Está bien…")
        ' qué está bien '
        >>> whisper_basic("¿Qué? [risas] Está bien…", diacritics=False)
        ' que esta bien '
    """
    text = _PARENTHESES.sub("", _BRACKETS.sub("", text.lower()))
    return _WHITE.sub(" ", (_spaced(text) if diacritics else _without_diacritics(text)).lower())


def _spaced(text: str) -> str:
    """Replace each mark, symbol and punctuation character by a space."""
    return "".join(" " if unicodedata.category(c)[0] in "MSP" else c for c in unicodedata.normalize("NFKC", text))


def _without_diacritics(text: str, keep: str = "") -> str:
    """Remove accents; replace other marks, symbols and punctuation by spaces. Keep the characters in `keep`."""

    def plain(character: str) -> str:
        if character in keep:
            return character
        if character in _BASE_LETTERS:
            return _BASE_LETTERS[character]
        category = unicodedata.category(character)
        if category == "Mn":
            return ""
        return " " if category[0] in "MSP" else character

    return "".join(map(plain, unicodedata.normalize("NFKD", text)))


# ---- English ----

_HESITATIONS = re.compile(r"\b(?:hmm|mm|mhm|mmm|uh|um)\b")
_WORDS = {
    "won't": "will not", "can't": "can not", "let's": "let us", "ain't": "aint", "y'all": "you all",
    "wanna": "want to", "gotta": "got to", "gonna": "going to", "i'ma": "i am going to", "imma": "i am going to",
    "woulda": "would have", "coulda": "could have", "shoulda": "should have", "ma'am": "madam",
}  # fmt: skip
_TITLES = {
    "mr": "mister", "mrs": "missus", "st": "saint", "dr": "doctor", "prof": "professor", "capt": "captain",
    "gov": "governor", "ald": "alderman", "gen": "general", "sen": "senator", "rep": "representative",
    "pres": "president", "rev": "reverend", "hon": "honorable", "asst": "assistant", "assoc": "associate",
    "lt": "lieutenant", "col": "colonel", "jr": "junior", "sr": "senior", "esq": "esquire",
}  # fmt: skip
_WHOLE_WORDS = _WORDS | {short: f"{full} " for short, full in _TITLES.items()}
_ENDINGS = {
    "'d been": " had been", "'s been": " has been", "'d gone": " had gone", "'s gone": " has gone",
    "'d done": " had done", "'s got": " has got", "n't": " not", "'re": " are", "'s": " is", "'d": " would",
    "'ll": " will", "'t": " not", "'ve": " have", "'m": " am",
}  # fmt: skip


_whole_word = re.compile(rf"\b(?:{'|'.join(map(re.escape, _WHOLE_WORDS))})\b")
_endings = [(re.compile(re.escape(ending) + r"\b"), full) for ending, full in _ENDINGS.items()]


def _without_contractions(text: str) -> str:
    text = _whole_word.sub(lambda found: _WHOLE_WORDS[found[0]], text)
    # Replace one ending after the other: in "'tn't", "'t" becomes an ending when "n't" has been replaced.
    for ending, full in _endings:
        text = ending.sub(full, text)
    return text


def whisper_english(text: str) -> str:
    """Normalize an English text like Whisper's English normalizer: numbers in digits, American spelling.

    Examples:
        >>> whisper_english("Mr. Brown's colours cost twenty one dollars, um, isn't it?")
        'mister brown is colors cost $21 is not it'
    """
    text = _PARENTHESES.sub("", _BRACKETS.sub("", text.lower()))
    text = re.sub(r"\s+'", "'", _HESITATIONS.sub("", text))
    text = _without_contractions(text)
    text = re.sub(r"(\d),(\d)", r"\1\2", text)
    text = re.sub(r"\.([^0-9]|$)", r" \1", text)
    text = _numbers_in_digits(_without_diacritics(text, _KEPT_SYMBOLS))
    american = _american_spellings()
    text = " ".join(american.get(word, word) for word in text.split())
    text = re.sub(r"[.$¢€£]([^0-9])", r" \1", text)
    text = re.sub(r"([^0-9])%", r"\1 ", text)
    return _WHITE.sub(" ", text)


@cache
def _american_spellings() -> dict[str, str]:
    """Return a mapping of British spellings to American ones."""
    lines = Path(__file__).with_name("american_spellings.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(" ") for line in lines if line and not line.startswith("#"))


# ---- Numbers ----

_ONE_NAMES = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_ONES = {word: number for number, word in enumerate(_ONE_NAMES.split(), start=1)}
_TEN_NAMES = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: 10 * number for number, word in enumerate(_TEN_NAMES.split(), start=2)}
_THOUSANDS = """
thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion decillion
"""
_POWERS = {"hundred": 100} | {word: 1000**number for number, word in enumerate(_THOUSANDS.split(), start=1)}
_ZEROS = {"o", "oh", "zero"}
_IRREGULAR = {"first": (1, "st"), "second": (2, "nd"), "third": (3, "rd"), "fifth": (5, "th"), "twelfth": (12, "th")}
_ORDINAL_ONES = _IRREGULAR | {
    word + ("h" if word.endswith("t") else "th"): (number, "th")
    for word, number in _ONES.items()
    if number not in (1, 2, 3, 5, 12)
}
# Number words with an ending, such as "twenties" and "hundredth"; such a word ends a number.
_ENDED_ONES = (
    {"sixes" if word == "six" else f"{word}s": (number, "s") for word, number in _ONES.items()}
    | _ORDINAL_ONES
    | {"zeroth": (0, "th")}
)
_ENDED_TENS = {
    word[:-1] + ending: (number, suffix)
    for word, number in _TENS.items()
    for ending, suffix in (("ies", "s"), ("ieth", "th"))
}
_ENDED_POWERS = {word + suffix: (number, suffix) for word, number in _POWERS.items() for suffix in ("s", "th")}
_SIGNS = {"minus": "-", "negative": "-", "plus": "+", "positive": "+"}
_CURRENCIES = {
    "pound": "£", "pounds": "£", "euro": "€", "euros": "€", "dollar": "$", "dollars": "$", "cent": "¢", "cents": "¢"
}  # fmt: skip
_PREFIXES = {*_SIGNS.values(), *_CURRENCIES.values()}
_REPEATED = {"double": 2, "triple": 3}
_NUMBER_WORDS = {
    *_ZEROS, *_ONES, *_ENDED_ONES, *_TENS, *_ENDED_TENS, *_POWERS, *_ENDED_POWERS, *_SIGNS, *_CURRENCIES, *_REPEATED,
    "per", "percent", "and", "point",
}  # fmt: skip
_DIGIT_WORDS = {*_ONES, *_TENS, *_ZEROS}
_in_digits = re.compile(r"^\d+(\.\d+)?$").match


def _numbers_in_digits(text: str) -> str:
    """Write numbers in digits, with signs and currencies before them."""
    text = _with_halves(text)
    text = re.sub(r"([a-z])([0-9])", r"\1 \2", text)
    text = re.sub(r"([0-9])([a-z])", r"\1 \2", text)
    text = re.sub(r"([0-9])\s+(st|nd|rd|th|s)\b", r"\1\2", text)
    text = " ".join(_NumberReader(text.split()).written())
    text = re.sub(
        r"([€£$])([0-9]+) (?:and )?¢([0-9]{1,2})\b", lambda sum_: f"{sum_[1]}{sum_[2]}.{int(sum_[3]):02d}", text
    )
    text = re.sub(r"[€£$]0.([0-9]{1,2})\b", lambda cents: f"¢{int(cents[1])}", text)
    return re.sub(r"\b1(s?)\b", r"one\1", text)


def _with_halves(text: str) -> str:
    """Write `and a half` after a number as `point five`."""
    *before, last = re.split(r"\band\s+a\s+half\b", text)
    parts = []
    for part in before:
        if part.strip():
            number = part.split()[-1] in _DIGIT_WORDS | _POWERS.keys()
            parts += [part, "point five" if number else "and a half"]
    return " ".join([*parts, last] if last.strip() else parts)


class _NumberReader:
    """Reads words from left to right, and stores the number that the last words form."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        # A string if an integer cannot hold the number: "1.", "00", or "101" spoken digit by digit.
        self._number: int | str | None = None
        self._prefix = ""

    def written(self) -> Iterator[str]:
        """Yield the words with numbers in digits."""
        words: list[str | None] = [None, *self._words, None]
        skipped = False
        for before, word, after in zip(words, self._words, words[2:], strict=False):
            if skipped:
                skipped = False
                continue
            skipped = yield from self._read(before, word, after)
        yield from self._done()

    def _write(self, text: str) -> str:
        self._prefix, text = "", self._prefix + text
        self._number = None
        return text

    def _done(self) -> Iterator[str]:
        """Yield the current number, if there is one."""
        if self._number is not None:
            yield self._write(str(self._number))

    def _read(self, before: str | None, word: str, after: str | None) -> Generator[str, None, bool]:  # noqa: C901, PLR0912  one branch for each kind of word
        """Read a word, and yield completed words; return True if the next word was read, too."""
        numeric = after is not None and (after in _NUMBER_WORDS or _in_digits(after) is not None)
        sign, digits = (word[0], word[1:]) if word[0] in _PREFIXES else ("", word)
        if _in_digits(digits):
            yield from self._read_digits(word, sign, digits)
        elif word in _ZEROS:
            self._number = f"{self._number or ''}0"
        elif word in _ONES or word in _ENDED_ONES:
            value, ending = _ENDED_ONES.get(word) or (_ONES[word], "")
            yield from self._ended(self._with_ones(value, before), ending)
        elif word in _TENS or word in _ENDED_TENS:
            value, ending = _ENDED_TENS.get(word) or (_TENS[word], "")
            yield from self._ended(self._appended(value, 100), ending)
        elif word in _POWERS or word in _ENDED_POWERS:
            value, ending = _ENDED_POWERS.get(word) or (_POWERS[word], "")
            yield from self._multiplied(value)
            yield from self._ended(self._number, ending)
        elif word in _SIGNS:
            yield from self._done()
            if numeric:
                self._prefix = _SIGNS[word]
            else:
                yield self._write(word)
        elif word in _CURRENCIES:
            if self._number is None:
                yield self._write(word)
            else:
                self._prefix = _CURRENCIES[word]
                yield from self._done()
        elif word in ("per", "percent") and self._number is not None and (word == "percent" or after == "cent"):
            yield self._write(f"{self._number}%")
            return word == "per"
        elif word in _REPEATED and after is not None and (after in _ONES or after in _ZEROS):
            self._number = f"{self._number or ''}{str(_ONES.get(after, 0)) * _REPEATED[word]}"
            return True
        elif word == "point" and numeric:
            if after in _DIGIT_WORDS or _in_digits(after or ""):
                self._number = f"{self._number or ''}."
        elif not (word == "and" and numeric and before in _POWERS):
            yield from self._done()
            yield self._write(word)
        return False

    def _read_digits(self, word: str, sign: str, digits: str) -> Iterator[str]:
        if isinstance(self._number, str) and self._number.endswith("."):
            self._number += word
            return
        yield from self._done()
        self._prefix = sign or self._prefix
        value = Fraction(digits)
        self._number = value.numerator if value.denominator == 1 else digits

    def _appended(self, value: int, place: int) -> int | str:
        """Return the current number, continued by `value`.

        If the number is a multiple of `place`, add `value` (300, 20 → 320); otherwise, append digits (19, 90 → 1990).
        """
        if self._number is None:
            return value
        if isinstance(self._number, int) and self._number % place == 0:
            return self._number + value
        return f"{self._number}{value}"

    def _with_ones(self, value: int, before: str | None) -> int | str:
        one_digit = value < 10  # noqa: PLR2004
        if self._number is None or not (isinstance(self._number, str) or before in _ONES):
            return self._appended(value, 10 if one_digit else 100)
        # A digit after "twenty" replaces the zero of 20.
        return f"{str(self._number)[:-1] if before in _TENS and one_digit else self._number}{value}"

    def _multiplied(self, value: int) -> Iterator[str]:
        """Multiply the current number by `value`; if impossible, yield the number, and begin a new one with `value`.

        Multiply only the part of an integer below 1000 (2003, 100 → 2300).
        """
        number = self._number
        if isinstance(number, str):
            with contextlib.suppress(ValueError):  # "1.2.3" is no number
                product = Fraction(number) * value
                if product.denominator == 1:
                    self._number = product.numerator
                    return
            yield from self._done()
            number = None
        if number is None:
            self._number = value
        else:
            thousands, rest = divmod(number, 1000)
            self._number = thousands * 1000 + rest * value

    def _ended(self, number: int | str | None, ending: str) -> Iterator[str]:
        """Store the number; if there is an ending (as in `fourth` or `tens`), yield the number with the ending."""
        self._number = number
        if ending:
            yield self._write(f"{number}{ending}")


# ---- By name ----

WHISPER: dict[str, tuple[str, Callable[[str], str]]] = {
    "whisper-en": ("Whisper's normalizer of English.", whisper_english),
    "whisper-basic": ("Whisper's normalizer of all other languages.", whisper_basic),
    "whisper-basic:REMOVE_DIACRITICS": ("The same, without accents.", partial(whisper_basic, diacritics=False)),
}
"""The description and the function of each normalizer, by name."""
