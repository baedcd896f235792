"""Say which of the graphs and references of a command are files of another kind."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import click

from latticemetric.errors import InputError, UsageError

TRANSCRIPTS = frozenset(("trn", "stm", "ctm"))


def wrong_kinds(
    error: InputError, arguments: Sequence[click.Argument | None], given: Mapping[str, Any]
) -> UsageError | None:
    """Return an error that says which of the graphs and references are files of another kind; `None` if none is.

    Either a reference is a graph, as when the shell expands a glob; or both arguments are swapped; or both are texts.

    Args:
        error: The error of the command.
        arguments: The argument of the graphs, and that of the references; `None` if the command has none.
        given: The values of the command's parameters.
    """
    from latticemetric.formats.registry import UnknownFormatError

    graphs, references = (None if one is None else given.get(one.name or "") for one in arguments)
    if not isinstance(graphs, str) or references is None or not (graphs == "-" or os.path.exists(graphs)):  # noqa: PTH110  the name may be an invalid path
        return None
    kind, others = _kind_of(graphs), [(name, _kind_of(name)) for name in references]
    if kind is not None and kind not in TRANSCRIPTS:
        return next((_one_too_many(graphs, name) for name, other in others if other == kind), None)
    if (kind, [other for _, other in others]) == ("ctm", ["stm"]) and given.get("own_confidences") is False:
        return UsageError(
            error.what, where=error.where, advice="to judge the confidences of a CTM, add --own-confidences"
        )
    may_be_text = kind is not None or isinstance(error, UnknownFormatError)  # others are graphs with a fault
    if may_be_text and references and _are_texts(graphs, kind) and all(_are_other_texts(*one, kind) for one in others):
        advice = f"to score texts, use latticemetric score {graphs} {' '.join(references)}"
        if kind is None:
            advice += "; for graphs, name their format with --from"
        return UsageError(error.what, where=error.where, advice=advice)
    if kind is None and len(others) == 1 and others[0][1] is not None:
        titles = [one.human_readable_name.upper().rstrip(".") for one in arguments if one is not None]
        advice = f"give {' before '.join(titles)}"
        return UsageError(f"this file holds no graph, but {references[0]} does", where=graphs, advice=advice)
    return None


def _one_too_many(graphs: str, other: str) -> UsageError:
    """Return the error for a second file of graphs, in the place of the references."""
    pattern = os.path.join(os.path.dirname(graphs), f"*{os.path.splitext(graphs)[1]}")  # noqa: PTH118, PTH120, PTH122
    what = "the second argument and those after it are references, but this file holds graphs"
    return UsageError(what, where=other, advice=f"name all graphs at once: quote the glob, '{pattern}'")


def _are_texts(path: str, kind: str | None) -> bool:
    """Return True for a file of text without graphs, or of transcripts; `kind` is the format of its graphs."""
    if kind is not None:
        return kind in TRANSCRIPTS
    from latticemetric.formats.segments import read_lines

    try:
        return path != "-" and bool(read_lines(path))
    except InputError:
        return False


def _are_other_texts(path: str, kind: str | None, first: str | None) -> bool:
    """Return True for a file of text, unless it is transcripts of the same format as the `first` file."""
    return _are_texts(path, kind) and (kind is None or kind != first)


def _kind_of(path: str) -> str | None:
    """Return the format of the first graph of a file, `folder` for a folder; `None` if there is no graph."""
    from latticemetric.formats.reading import entries

    if not os.path.isfile(path):  # noqa: PTH113  the name may be an invalid path
        return "folder" if os.path.isdir(path) else None  # noqa: PTH112
    try:
        first = next(entries([path]))
        first.build()
    except (InputError, UsageError, StopIteration):
        return None
    return first.format
