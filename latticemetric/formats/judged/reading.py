"""Judged test sets: outputs of several systems with what people said of them, in any layout.

Three layouts: a folder of plain files (`systems/`, references, `human.tsv`); one table with a row a system, segment and
judge; folders as WMT gave them out.

"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.formats.judged.tables import number, numbers, read_rows, score_columns
from latticemetric.formats.judged.test_set import JudgedSystems, JudgmentRows
from latticemetric.formats.segments import read_segments
from latticemetric.formats.streams.compression import without_compression
from latticemetric.formats.streams.paths import natural_order
from latticemetric.formats.streams.stream import open_stream
from latticemetric.judgments import Judgments

# ---- A folder of plain files: `systems/` (a file a system), references, and `human.tsv` ----

_SUFFIXES = (".txt", ".tok")
_IDS = ("system", "segment", "judge")

LAYOUT = "a folder has systems/ (a file a system), references/ or ref* (a file a reference), and human.tsv"


def read_folder(folder: Path, references: Sequence[str] = (), human: str | None = None) -> JudgedSystems:
    """Reads such a folder.

    Args:
        folder: The folder.
        references: Files that take the place of its own.
        human: Likewise.

    Raises:
        FormatError: Something is missing in it, or files differ in length.
    """
    outputs = files_in(folder / "systems")
    names = [_system_name(path) for path in outputs]
    table = human or _human_file(folder)
    segments, texts, expected = read_texts(outputs, references or reference_files(folder))
    judgments, notes = read_judgments(table, names, segments)
    return JudgedSystems(tuple(names), segments, texts, expected, judgments, notes=notes)


def read_texts(
    outputs: Sequence[str], references: Sequence[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """Ids of segments, the texts of each system, and the references of each segment."""
    read = read_segments([*outputs, *references], unequal="line k of each file belongs to segment k")
    files = [tuple(map(str, file)) for file in read.files]  # lines: none of them is a graph
    expected = tuple(zip(*files[len(outputs) :], strict=True))
    return read.ids, tuple(files[: len(outputs)]), expected


def read_judgments(path: str, systems: Sequence[str], segments: Sequence[str]) -> tuple[Judgments, tuple[str, ...]]:
    """Judgments in a table with the columns `system`, `segment`, perhaps `judge`, and scores; and what was left out."""
    listed = list(read_rows(path, ("system",)))
    columns = score_columns(listed, _IDS, path)
    rows = JudgmentRows(systems, segments, columns)
    for place, row in listed:
        rows.add(row["system"], row.get("segment", ""), row.get("judge", ""), numbers(row, columns, place), place)
    return rows.judgments(path), rows.notes()


def files_in(folder: Path) -> list[str]:
    """The files of a folder, sorted by name.

    Raises:
        FormatError: It has none.
    """
    files = [str(path) for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
    files = [path for path in files if not Path(path).name.startswith(".")]
    if not files:
        raise FormatError("there is no such folder of files", where=str(folder), advice=LAYOUT)
    return sorted(files, key=natural_order)


def reference_files(folder: Path) -> list[str]:
    """Files in `references/`, or else those that are called ref-something."""
    if (folder / "references").is_dir():
        return files_in(folder / "references")
    files = [str(path) for path in folder.glob("ref*") if path.is_file()]
    if not files:
        raise FormatError("there are no references", where=str(folder), advice=LAYOUT)
    return sorted(files, key=natural_order)


def _human_file(folder: Path) -> str:
    found = [path for path in sorted(folder.glob("human.tsv*")) if without_compression(path.name) == "human.tsv"]
    if not found:
        raise FormatError("there is no human.tsv", where=str(folder), advice=LAYOUT)
    return str(found[0])


def _system_name(path: str) -> str:
    name = without_compression(Path(path).name)
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name


# ---- One table with everything: a row a system, segment and judge ----

_TEXT = "hypothesis"
_REFERENCE = "reference"

T = TypeVar("T")


def read_long_table(path: str) -> JudgedSystems:
    """Reads a table with the columns `system`, `segment`, `hypothesis`, `reference…`, perhaps `judge`, and scores.

    Raises:
        FormatError: A system lacks a segment, or rows of one disagree about its texts.
    """
    listed = list(read_rows(path, ("system", "segment", _TEXT, _REFERENCE)))
    references = [name for name in (listed[0][1] if listed else ()) if name.startswith(_REFERENCE)]
    columns = score_columns(listed, (*_IDS, _TEXT, *references), path)
    outputs: dict[str, dict[str, str]] = {}
    expected: dict[str, tuple[str, ...]] = {}
    for place, row in listed:
        system, segment = row["system"], row["segment"]
        if not segment:
            raise FormatError("the row names no segment", where=place, advice="fill in its id")
        _agree(outputs.setdefault(system, {}), segment, row[_TEXT], f"the output of {system}", place)
        _agree(expected, segment, tuple(row[name] for name in references), "the reference", place)
    _require_all(outputs, expected, path)
    judged = JudgmentRows(list(outputs), list(expected), columns)
    for place, row in listed:
        judged.add(row["system"], row["segment"], row.get("judge", ""), numbers(row, columns, place), place)
    texts = tuple(tuple(own[segment] for segment in expected) for own in outputs.values())
    return JudgedSystems(tuple(outputs), tuple(expected), texts, tuple(expected.values()), judged.judgments(path))


def _agree(known: dict[str, T], segment: str, value: T, what: str, place: str) -> None:
    if known.setdefault(segment, value) != value:
        raise FormatError(
            f"{what} for segment '{shortened(segment)}' is another one than in a row before",
            where=place,
            advice="every row of a segment repeats it",
        )


def _require_all(outputs: dict[str, dict[str, str]], segments: dict[str, tuple[str, ...]], path: str) -> None:
    for system, own in outputs.items():
        lacking = [segment for segment in segments if segment not in own]
        if lacking:
            raise FormatError(
                f"system {system} has {len(own)} segments of {len(segments)}: '{shortened(lacking[0])}' is missing",
                where=path,
                advice="give a row for each; its scores may be empty",
            )


# ---- Folders as WMT gave them out: direct assessment of 2017, rankings of later years. Their texts are raw ----
#
# `DA-syslevel.csv` and `DA-seglevel.csv` have a header and fields between blanks. Segment `SID` is a line of the files,
# counted from 1; a system `a+b` stands for systems with the same output, which were judged as one.
# `ad-sys-ranking-….csv` has no header: mean score, mean of standardised scores, two counts, the system with a number.

_SYSTEM_SCORES, _SEGMENT_SCORES = "DA-syslevel.csv", "DA-seglevel.csv"
_RANKINGS = "ad-sys-ranking*.csv"
_RANKING_FIELDS = 5
_SCORE = "score"


def is_direct_assessment(folder: Path) -> bool:
    """Whether a folder is like that of 2017."""
    return any((folder / name).is_file() for name in (_SYSTEM_SCORES, _SEGMENT_SCORES))


def is_ranking(folder: Path) -> bool:
    """Whether it is like those of later years."""
    return any(folder.glob(_RANKINGS))


def read_direct_assessment(
    folder: Path, pair: str | None = None, references: Sequence[str] = (), human: str | None = None
) -> JudgedSystems:
    """Reads the systems of one language pair.

    Args:
        folder: With `system-outputs/cs-en/…`, `references/…csen…`, and the scores.
        pair: The language pair, like `cs-en`; needed where there are several.
        references: Files that take the place of its own.
        human: A table of judgments likewise.
    """
    pair = _chosen_pair(folder, pair)
    files = files_in(folder / "system-outputs" / pair)
    # newstest2017.SYSTEM.cs-en
    systems = [Path(path).name.partition(".")[2].removesuffix(f".{pair}") for path in files]
    segments, outputs, expected = read_texts(files, references or _references_of(folder, pair))
    if human:
        judgments, notes = read_judgments(human, systems, segments)
        return JudgedSystems(tuple(systems), segments, outputs, expected, judgments, raw=True, notes=notes)
    rows = JudgmentRows(systems, segments, (_SCORE,))
    for name in (_SYSTEM_SCORES, _SEGMENT_SCORES):
        if (folder / name).is_file():
            _add_scores(rows, str(folder / name), pair)
    judgments = rows.judgments(str(folder))
    return JudgedSystems(tuple(systems), segments, outputs, expected, judgments, raw=True, notes=rows.notes())


def read_ranking(folder: Path, references: Sequence[str] = (), human: str | None = None) -> JudgedSystems:
    """Reads a folder with `sys/…`, `ref.A.en`, … and a ranking by standardised scores."""
    files = files_in(folder / "sys")
    systems = [Path(path).name for path in files]
    segments, outputs, expected = read_texts(files, references or reference_files(folder))
    if human:
        judgments, notes = read_judgments(human, systems, segments)
        return JudgedSystems(tuple(systems), segments, outputs, expected, judgments, raw=True, notes=notes)
    rows = JudgmentRows(systems, segments, (_SCORE,))
    path = str(min(folder.glob(_RANKINGS)))
    with open_stream(path) as stream:
        for line in stream.lines():
            fields = line.split()
            if not fields:
                continue
            if len(fields) < _RANKING_FIELDS:
                raise FormatError(
                    f"the row has {len(fields)} fields, not {_RANKING_FIELDS}",
                    where=stream.place(),
                    advice="it is: mean, standardised mean, two counts, SYSTEM.NUMBER",
                )
            name = re.sub(r"\.\d+$", "", fields[_RANKING_FIELDS - 1])
            rows.add(name, "", "", [number(fields[1], _SCORE, stream.place())], stream.place())
    return JudgedSystems(
        tuple(systems), segments, outputs, expected, rows.judgments(path), raw=True, notes=rows.notes()
    )


def _chosen_pair(folder: Path, pair: str | None) -> str:
    outputs = folder / "system-outputs"
    pairs = sorted(path.name for path in outputs.iterdir() if path.is_dir()) if outputs.is_dir() else []
    if not pairs:
        raise FormatError("there are no outputs", where=str(outputs), advice="it has a folder a language pair")
    if pair is None and len(pairs) == 1:
        return pairs[0]
    if pair not in pairs:
        what = "there are several language pairs" if pair is None else f"there is no language pair '{pair}'"
        raise FormatError(what, where=str(folder), advice=f"choose with --pair: {', '.join(pairs)}")
    return pair


def _references_of(folder: Path, pair: str) -> list[str]:
    wanted = f"-{pair.replace('-', '')}-"
    found = [path for path in reference_files(folder) if wanted in Path(path).name]
    if not found:
        raise FormatError(f"there is no reference for {pair}", where=str(folder / "references"))
    return found


def _add_scores(rows: JudgmentRows, path: str, pair: str) -> None:
    for place, row in read_rows(path, ("LP", "SYSTEM", "HUMAN"), None):
        if row["LP"] != pair:
            continue
        score = number(row["HUMAN"], "HUMAN", place)
        for system in row["SYSTEM"].split("+"):
            rows.add(system, row.get("SID", ""), "", [score], place)


# ---- Reads a judged test set in any of its layouts ----


def read_judged(
    path: str, *, pair: str | None = None, references: Sequence[str] = (), human: str | None = None
) -> JudgedSystems:
    """Reads outputs, references and judgments.

    Args:
        path: A table with everything, or a folder: plain, or as WMT gave them out.
        pair: The language pair, where a folder has several.
        references: Files that take the place of the folder's own.
        human: A table of judgments likewise.

    Raises:
        InputError: There is no such thing, or it is not complete.
        UsageError: An option has no meaning for it.
    """
    folder = Path(path)
    if not folder.is_dir():
        if not folder.exists() and path != "-":
            raise InputError("there is no such file or folder", where=path, advice="check the path")
        for option, given in (("--pair", pair), ("--reference", references), ("--human", human)):
            if given:
                raise UsageError(f"{option} is for folders, and this is a file", where=path)
        return read_long_table(path)
    if is_direct_assessment(folder):
        return read_direct_assessment(folder, pair, references, human)
    if pair is not None:
        raise UsageError("--pair is for WMT's folders with several language pairs", where=path, advice="leave it out")
    return read_ranking(folder, references, human) if is_ranking(folder) else read_folder(folder, references, human)
