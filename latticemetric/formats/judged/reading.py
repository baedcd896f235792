"""Reads a judged test set in any of its layouts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from latticemetric.errors import InputError, UsageError
from latticemetric.formats.judged.folder import read_folder
from latticemetric.formats.judged.long_table import read_long_table
from latticemetric.formats.judged.test_set import JudgedSystems
from latticemetric.formats.judged.wmt import is_direct_assessment, is_ranking, read_direct_assessment, read_ranking


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
