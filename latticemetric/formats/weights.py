"""Read files of feature weights: of cdec, Moses and HiFST, lines of `name=value`, and JSON.

The file holds all weights of a model: columns that it does not list count 0.

- JSON: an object from names to numbers, or to lists of numbers for features with several values.
- Moses: `moses.ini`, whose section `[weight]` has lines like `TranslationModel0= 0.2 0.1`; or such lines alone.
- cdec and Travatar: a line for each feature, `name value` or `name=value`.
- HiFST: numbers alone, separated by commas or white space; number k is the weight of `feature_k`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from latticemetric.arguments import path_text
from latticemetric.errors import FormatError, shortened
from latticemetric.formats.streams.stream import open_stream
from latticemetric.formats.text.fields import is_number, number
from latticemetric.lattice.columns import FeatureWeights
from latticemetric.vocabulary import split_words

_SECTION = re.compile(r"\[([^\[\]]+)\]")
_WEIGHTS, _SPARSE_WEIGHTS = "weight", "weight-file"
_UNNAMED = "feature"
_ADVICE = "write name=value on each line"
_COMMENT = "#"

_Line = tuple[str, str]  # place and text
_Values = dict[str, tuple[float, ...]]


def read_weights(path: str | os.PathLike[str]) -> FeatureWeights:
    """Read the weights of a decoder's features; columns that the file does not list count 0.

    Args:
        path: The file; gzip, xz and zstd are decompressed.

    Raises:
        FormatError: A line cannot be read, or a feature has two different weights.
    """
    source = path_text(path, "the file of weights")
    with open_stream(source) as stream:
        if stream.head().lstrip().startswith(b"{"):
            return FeatureWeights(_of_json(stream.read(), source), whole=True)
        lines = [(stream.place(), line.strip()) for line in stream.lines()]
    lines = [(place, line) for place, line in lines if line and not line.startswith(_COMMENT)]
    values = _of_lines(_of_section(lines, source), source)
    if not values:
        raise FormatError("the file has no weights", where=source, advice=_ADVICE)
    return FeatureWeights({name: each[0] if len(each) == 1 else each for name, each in values.items()}, whole=True)


def _of_json(data: bytes, source: str) -> dict[str, float | list[float]]:
    from latticemetric.formats.text.json import parsed_json

    pairs = parsed_json(data, source)
    values: dict[str, float | list[float]] = {}
    for name, value in pairs:
        listed = value if isinstance(value, list) and value else [value]
        if not all(type(one) in (int, float) for one in listed):
            what = f"the weight of '{shortened(str(name), 40)}' is not a number or a list of numbers"
            raise FormatError(what, where=source)
        if values.setdefault(name, value) != value:
            raise _two_weights(name, source)
    if not values:
        raise FormatError("the file has no weights", where=source, advice='write an object like {"lm": 0.5}')
    return values


def _of_section(lines: list[_Line], source: str) -> list[_Line]:
    """Return the lines of the section `[weight]` of a file of Moses; all lines of other files."""
    sections: dict[str, list[_Line]] = {}
    section = ""
    for place, line in lines:
        if match := _SECTION.fullmatch(line):
            section = match[1]
        sections.setdefault(section, []).extend([] if match else [(place, line)])
    if sections.keys() <= {""}:
        return lines
    if sparse := sections.get(_SPARSE_WEIGHTS):
        advice = f"add its lines to the section [{_WEIGHTS}]"
        place, line = sparse[0]
        raise FormatError(
            f"the sparse weights are in another file ({shortened(line, 100)})", where=place, advice=advice
        )
    if _WEIGHTS not in sections:
        raise FormatError(f"there is no section [{_WEIGHTS}]", where=source, advice=_ADVICE)
    return sections[_WEIGHTS]


def _of_lines(lines: list[_Line], source: str) -> _Values:
    rows = [(place, split_words(line.replace(",", " "))) for place, line in lines]
    if rows and all(is_number(field) for _, fields in rows for field in fields):
        if len(rows) > 1 and any(len(fields) > 1 for _, fields in rows):
            what = "the lines may be names and weights, or weights alone"
            raise FormatError(what, where=source, advice=f"{_ADVICE}, or all numbers on one line")
        numbers = [number(field, place) for place, fields in rows for field in fields]
        return {f"{_UNNAMED}_{k}": (value,) for k, value in enumerate(numbers, start=1)}
    values: _Values = {}
    repeated = set[str]()
    for place, name, weights, may_repeat in _named(lines):
        if name not in values:
            values[name] = weights
            repeated |= {name} if may_repeat else set()
        elif may_repeat and name in repeated:  # Moses writes a line for each value of a feature
            values[name] += weights
        elif values[name] != weights:
            raise _two_weights(name, place)
    return values


def _named(lines: list[_Line]) -> Iterator[tuple[str, str, tuple[float, ...], bool]]:
    """Yield the place, name and weights of each line, and True if it has Moses' form `name= value`."""
    for place, line in lines:
        name, equals, rest = line.rpartition("=")
        fields = split_words(rest)
        if not equals:
            *words, value = split_words(line)
            name, fields = " ".join(words), [value]
        if not name.strip() or not fields or (len(words := split_words(name)) > 1 and not equals):
            what = f"'{shortened(line, 60)}' is not a name and a weight"
            raise FormatError(what, where=place, advice=_ADVICE)
        is_moses = bool(equals) and not name[-1:].isspace() and rest[:1].isspace()
        yield place, name.strip(), tuple(number(field, place) for field in fields), is_moses


def _two_weights(name: str, where: str) -> FormatError:
    return FormatError(f"'{shortened(name, 40)}' has two different weights", where=where, advice="keep one of them")
