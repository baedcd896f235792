"""Writing graphs to files: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from latticemetric.errors import InputError, LatticeMetricError, UsageError
from latticemetric.formats.registry import Format, Graph, find_format, format_for_writing
from latticemetric.formats.stream import compressing

STANDARD_OUTPUT = "-"


def write(path: str | os.PathLike[str], graphs: Iterable[tuple[str, Graph]], *, format: str | None = None) -> int:
    """Writes graphs; returns how many.

    Args:
        path: A file (compressed as its suffix says), a folder to be (it ends in `/`: a file a graph), or `-`.
        graphs: Ids and graphs.
        format: A format's name; taken from the path's suffix where it is not given.
    """
    target = os.fspath(path)
    chosen = find_format(format) if format else format_for_writing(target)
    if chosen.write is None:
        raise UsageError(f"{chosen.name} can only be read")
    if target.endswith("/"):
        return _write_folder(Path(target), graphs, chosen)
    with atomic_output(target) as file:
        return _write_all(file, graphs, chosen)


def _write_all(file: IO[bytes], graphs: Iterable[tuple[str, Graph]], chosen: Format) -> int:
    assert chosen.write is not None
    file.write(chosen.preamble)
    written = _Counting(file, len(chosen.preamble))
    offsets: list[int] = []
    for name, graph in graphs:
        if chosen.single and offsets:
            raise UsageError(
                f"a {chosen.name} file holds one graph",
                advice="name a folder (with / at its end), or write a far",
            )
        offsets.append(written.at)
        try:
            chosen.write(written, name, graph)  # type: ignore[arg-type]
        except LatticeMetricError as error:
            raise (error if error.where else error.at(name)) from None
    if chosen.postamble:
        file.write(chosen.postamble(offsets))
    return len(offsets)


class _Counting:
    """Passes bytes on and counts them: the file may be a pipe, or compressed."""

    def __init__(self, file: IO[bytes], at: int) -> None:
        self._file, self.at = file, at

    def write(self, data: bytes) -> int:
        self.at += len(data)
        return self._file.write(data)


def _write_folder(folder: Path, graphs: Iterable[tuple[str, Graph]], chosen: Format) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, graph in graphs:
        if not name or "/" in name or name.startswith("."):
            raise UsageError(f"the id '{name}' cannot name a file")
        with atomic_output(str(folder / (name + chosen.suffixes[0]))) as file:
            _write_all(file, [(name, graph)], chosen)
        count += 1
    return count


@contextlib.contextmanager
def atomic_output(path: str) -> Iterator[IO[bytes]]:
    """A file to write to that appears under its name only when all of it is written; `-` is standard output."""
    if path == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    draft = f"{path}.{os.getpid()}.part"
    try:
        raw = Path(draft).open("wb")  # noqa: SIM115  closed below, before it gets its name
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=path) from None
    try:
        with raw:
            file = compressing(path, raw)
            yield file
            if file is not raw:
                file.close()
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
