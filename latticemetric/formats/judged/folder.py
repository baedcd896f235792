"""A folder of plain files: `systems/` (a file a system), references, and `human.tsv`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from latticemetric.errors import FormatError
from latticemetric.formats.files.compression import without_compression
from latticemetric.formats.files.paths import natural_order
from latticemetric.formats.judged.tables import numbers, read_rows, score_columns
from latticemetric.formats.judged.test_set import JudgedSystems, JudgmentRows
from latticemetric.formats.segments import read_segments
from latticemetric.judgments import Judgments

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
