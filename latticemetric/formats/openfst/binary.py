"""Read and write OpenFst's binary machines, and FAR archives of them.

Machines: `vector` and `const`, with arcs `standard`, `log` or `log64`; weights are costs. FAR archives: `sttable` (with
an index at the end) and `stlist`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import IO

from latticemetric.errors import FormatError, InputError, UsageError, placed, shortened
from latticemetric.formats.columns import lattice_to_write, refuse_final_labels
from latticemetric.formats.registry import Entry, Format, only_graph, register
from latticemetric.formats.streams.output import Spool
from latticemetric.formats.streams.paths import natural_order
from latticemetric.formats.streams.stream import Stream
from latticemetric.graph import Graph
from latticemetric.lattice import fst_binary
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.openfst import FEATURE_NAMES, lattice_from_arrays, lattice_to_arrays
from latticemetric.vocabulary import Vocabulary, distinct_words

_MAGIC = struct.pack("<i", fst_binary.MAGIC)
_STTABLE, _STLIST = struct.pack("<i", 2125656924), struct.pack("<i", 5656924)
_VERSION = struct.pack("<i", 1)
_HEADER = 8


# ---- One machine ----


def _read_machine(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    return only_graph(stream, _build_only, vocabulary)


def _build_only(data: bytes, file: str, vocabulary: Vocabulary | None) -> Lattice:
    machine, end = fst_binary.decode(data)
    if end != len(data):
        advice = "write one machine per file, or a FAR archive"
        raise FormatError(f"{len(data) - end} bytes follow the machine", where=file, advice=advice)
    return lattice_from_arrays(Lattice, machine, vocabulary, by_spelling=True)


def _encoded(graph: Graph) -> bytes:
    """Encode a lattice as a `vector` machine, the type that every OpenFst tool reads."""
    lattice = lattice_to_write(graph, "openfst", {"input"}, one_score=True, empty_words=True)
    refuse_final_labels(lattice, "openfst")
    return fst_binary.encode(lattice_to_arrays(lattice), fst_type="vector")


def _write_machine(file: IO[bytes], _name: str, graph: Graph) -> None:
    file.write(_encoded(graph))


register(
    Format(
        "openfst",
        (".fst",),
        lambda head: head.startswith(_MAGIC),
        _read_machine,
        _write_machine,
        single=True,
        rounds=True,
        sparse=FEATURE_NAMES,
    )
)


# ---- FAR ----


def _read_archive(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    """Yield the machines in the natural order of their keys (2 before 10); the archive sorts keys by bytes."""
    data = stream.read()
    extents: list[tuple[str, int, int]] = []
    damage: FormatError | None = None
    try:
        for extent in extents_of(data):
            extents.append(extent)  # noqa: PERF402  keep the machines before the damage
    except FormatError as error:
        damage = error
    lent = _lent_symbols(data, [begin for _, begin, _ in extents])
    for key, begin, end in sorted(extents, key=lambda row: natural_order(row[0])):
        build = partial(_build_at, data[begin:end], begin, vocabulary, lent)
        yield Entry(key, stream.name, build, naming="own", order=key)
    if damage is not None:
        raise damage if damage.where else damage.at(stream.name)


def _lent_symbols(data: bytes, begin: list[int]) -> Vocabulary | None:
    """Return the table of the first machine, if other machines of the archive have none.

    farcompilestrings stores the table with the first machine only, unless it is told otherwise.
    """
    try:
        if not begin or not fst_binary.has_symbols(data, begin[0]):
            return None
        if all(fst_binary.has_symbols(data, at) for at in begin):
            return None
        return Vocabulary.embedded(fst_binary.symbols_of_words(data, begin[0]))
    except InputError:
        return None  # the error belongs to the damaged machine, and is raised when this machine is built


def _build_at(data: bytes, at: int, vocabulary: Vocabulary | None, lent: Vocabulary | None) -> Lattice:
    machine, _ = fst_binary.decode(data, base=at)
    if lent is None or machine.input_symbols is not None or machine.output_symbols is not None:
        return lattice_from_arrays(Lattice, machine, vocabulary, by_spelling=True)
    if vocabulary is None:
        return lattice_from_arrays(Lattice, machine, lent)
    used = {number: lent.word(number) for number in distinct_words(machine.output).tolist()}
    machine = replace(machine, output_symbols=used)
    return lattice_from_arrays(Lattice, machine, vocabulary, by_spelling=True)


def extents_of(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield the key, the index of the first byte, and the index after the last byte of each machine in an archive."""
    if len(data) < _HEADER + 4:
        raise FormatError("the archive is cut short", advice="copy or write the file again")
    if not data.startswith((_STTABLE, _STLIST)):
        raise FormatError("this is not an archive of type sttable or stlist", advice="convert it with farconvert")
    if not data.startswith(_VERSION, 4):
        (version,) = struct.unpack_from("<i", data, 4)
        raise FormatError(
            f"the archive has version {version}, not 1", advice="write it again with the far tools of OpenFst"
        )
    if data.startswith(_STTABLE):
        for position, following in pairwise(_positions(data)):
            key, begin = _key(data, position)
            yield key, begin, following
        return
    at = _HEADER
    while True:
        key, begin = _key(data, at)
        if not key:
            if begin != len(data):
                raise FormatError(f"{len(data) - begin} bytes follow the end of the archive")
            return
        # To find the end of a machine in an stlist, decode the machine.
        _, at = fst_binary.decode(data, begin)
        yield key, begin, at


def _positions(data: bytes) -> list[int]:
    """Return the position of each entry of an `sttable`, in the order of the file, then the position of the index."""
    (count,) = struct.unpack_from("<q", data, len(data) - 8)
    begin = len(data) - 8 * (count + 1)
    if count < 0 or begin < _HEADER or (count == 0 and begin > _HEADER):
        raise FormatError(
            "the archive's index is damaged, or the archive is cut short", advice="copy or write the file again"
        )
    positions: tuple[int, ...] = struct.unpack_from(f"<{count}q", data, begin)
    if any(not _HEADER <= position < begin for position in positions):
        raise FormatError("the archive's index points outside of the archive", advice="copy or write the file again")
    if positions and min(positions) != _HEADER:
        raise FormatError(
            "the archive's index is damaged, or the archive is cut short", advice="copy or write the file again"
        )
    return [*sorted(positions), begin]


def _key(data: bytes, at: int) -> tuple[str, int]:
    try:
        (size,) = struct.unpack_from("<i", data, at)
        if not 0 <= size <= len(data) - at - 4:
            raise FormatError(f"byte {at}: the archive is cut short", advice="copy or write the file again")
        return data[at + 4 : at + 4 + size].decode("utf-8"), at + 4 + size
    except struct.error:
        raise FormatError(f"byte {at}: the archive is cut short", advice="copy or write the file again") from None
    except UnicodeDecodeError:
        raise FormatError(f"byte {at}: a key is not UTF-8") from None


def _write_archive(file: IO[bytes], graphs: Iterable[tuple[str, Graph]]) -> int:
    """Write an `sttable` sorted by ids, since OpenFst finds ids by bisection."""
    extents: dict[bytes, tuple[int, int]] = {}
    with Spool() as spool:
        for name, graph in graphs:
            if not name:
                raise UsageError("a graph in a far needs an id, but one has none", advice="give each graph an id")
            key = name.encode("utf-8")
            begin = spool.tell()
            with placed(shortened(name)):
                spool.write(struct.pack("<i", len(key)) + key + _encoded(graph))
            extents[key] = (begin, spool.tell())
        file.write(_STTABLE + _VERSION)
        offsets, at = [], _HEADER
        for _, (begin, end) in sorted(extents.items()):
            spool.copy_to(file, begin, end)
            offsets.append(at)
            at += end - begin
    file.write(struct.pack(f"<{len(offsets) + 1}q", *offsets, len(offsets)))
    return len(offsets)


register(
    Format(
        "far",
        (".far",),
        lambda head: head.startswith((_STTABLE, _STLIST)),
        _read_archive,
        rounds=True,
        write_archive=_write_archive,
        sparse=FEATURE_NAMES,
    )
)
