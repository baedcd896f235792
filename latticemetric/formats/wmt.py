"""Read the folders of WMT 2021 and later: `txt/` with outputs and references, `humaneval/` with direct assessment.

The files are `txt/system-outputs/newstest2021.cs-en.hyp.SYSTEM.en`, `txt/references/newstest2021.cs-en.ref.A.en`, and
`ad-sys-ranking-cs-en-z.csv` anywhere in `humaneval/`. `ad-seg-scores-cs-en.csv` is not read: its segment numbers are
not line numbers of `txt/`. (With line numbers, no metric correlates with the human scores of 2021 and 2022.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.streams.paths import natural_order
from latticemetric.formats.streams.stream import open_stream
from latticemetric.formats.text.fields import is_number

_TEXT = re.compile(r"(?P<test>[^.]+)\.(?P<pair>[a-z]{2,3}-[a-z]{2,3})\.(?P<kind>hyp|ref)\.(?P<name>.+)\.[a-z]{2,3}")
_MAIN_TESTS = ("newstest", "generaltest")  # other tests of the pair have a special domain, such as biomedicine
_RANKING_FIELDS = 5
_NUMBER = re.compile(r"\.\d+$")  # the number of a submission, after the system's name


class WMTFiles(NamedTuple):
    """The files of a language pair.

    Attributes:
        outputs: The file of each system, by its name.
        references: The file of each reference, by its name.
        ranking: The file of system scores; `None` if there is none.
    """

    outputs: dict[str, str]
    references: dict[str, str]
    ranking: str | None


def is_wmt_folder(folder: Path) -> bool:
    """Check whether this looks like a folder of WMT 2021 or later."""
    return (folder / "txt" / "system-outputs").is_dir()


def wmt_pairs(folder: Path) -> list[str]:
    """Return the language pairs that have outputs."""
    return sorted({found["pair"] for found, _ in _texts(folder / "txt" / "system-outputs")})


def wmt_files(folder: Path, pair: str) -> WMTFiles:
    """List the files of a language pair; if the pair has several tests, leave out tests of special domains."""
    texts = [
        (found, path)
        for part in ("system-outputs", "references")
        for found, path in _texts(folder / "txt" / part)
        if found["pair"] == pair
    ]
    tests = list(dict.fromkeys(found["test"] for found, _ in texts))
    main = [test for test in tests if test.startswith(_MAIN_TESTS)] or tests
    if len(main) > 1:
        what = f"{pair} has several tests: {', '.join(main)}"
        raise FormatError(what, where=str(folder), advice="leave only the files of one test in txt/")
    chosen = [(found, path) for found, path in texts if found["test"] in main]
    outputs, references = (
        {found["name"]: path for found, path in chosen if found["kind"] == kind} for kind in ("hyp", "ref")
    )
    if not references:
        advice = f"add a file such as newstest2021.{pair}.ref.A.{pair.partition('-')[2]}"
        raise FormatError(f"there is no reference for {pair}", where=str(folder / "txt" / "references"), advice=advice)
    rankings = sorted(map(str, (folder / "humaneval").rglob(f"ad-sys-ranking-{pair}-z.csv")))
    return WMTFiles(outputs, references, rankings[0] if rankings else None)


def _texts(folder: Path) -> Iterator[tuple[re.Match[str], str]]:
    for path in sorted(folder.iterdir(), key=lambda path: natural_order(path.name)) if folder.is_dir() else ():
        if (found := _TEXT.fullmatch(path.name)) is not None:
            yield found, str(path)


def read_wmt_ranking(path: str) -> Iterator[tuple[str, str, float]]:
    """Yield the place, the system and the standardised score of each row of a ranking."""
    with open_stream(path) as stream:
        for fields in filter(None, (line.split() for line in stream.lines())):
            if len(fields) < _RANKING_FIELDS:
                raise FormatError(
                    f"the row has {len(fields)} fields, not {_RANKING_FIELDS}",
                    where=stream.place(),
                    advice="the fields are: mean, standardised mean, two counts, SYSTEM.NUMBER",
                )
            system = _NUMBER.sub("", fields[_RANKING_FIELDS - 1])
            yield stream.place(), system, _number(fields[1], stream.place())


def _number(text: str, place: str) -> float:
    if not is_number(text):
        raise FormatError(f"score is '{shortened(text)}', which is not a number", where=place)
    return float(text)
