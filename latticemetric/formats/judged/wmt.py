"""Folders as WMT gave them out: direct assessment of 2017, rankings of later years. Their texts are raw.

`DA-syslevel.csv` and `DA-seglevel.csv` have a header and fields between blanks. Segment `SID` is a line of the files,
counted from 1; a system `a+b` stands for systems with the same output, which were judged as one.
`ad-sys-ranking-….csv` has no header: mean score, mean of standardised scores, two counts, the system with a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from latticemetric.errors import FormatError
from latticemetric.formats.files.stream import open_stream
from latticemetric.formats.judged.folder import files_in, read_judgments, read_texts, reference_files
from latticemetric.formats.judged.tables import number, read_rows
from latticemetric.formats.judged.test_set import JudgedSystems, JudgmentRows

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
