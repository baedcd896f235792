"""Read and write FAR archives of OpenFst's binary machines: `sttable` (with an index at its end) and `stlist`."""

from __future__ import annotations

import struct
from collections.abc import Container, Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import IO

from latticemetric.errors import FormatError, UsageError, placed, shortened
from latticemetric.formats.openfst.binary import encode_graph
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.output import Spool
from latticemetric.formats.streams.paths import natural_order
from latticemetric.formats.streams.stream import Stream
from latticemetric.graph import Graph
from latticemetric.lattice import fst_binary
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.openfst import lattice_from_arrays
from latticemetric.vocabulary import Vocabulary

_STTABLE, _STLIST = 2125656924, 5656924
_VERSION = 1
_HEADER = struct.Struct("<ii")


def _sniff(head: bytes) -> bool:
    return head.startswith((struct.pack("<i", _STTABLE), struct.pack("<i", _STLIST)))


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    """Yield the machines in the natural order of their keys (2 before 10); archives are sorted by bytes."""
    data = stream.read()
    extents: list[tuple[str, int, int]] = []
    damage: FormatError | None = None
    try:
        for extent in extents_of(data):
            extents.append(extent)  # noqa: PERF402  keep the machines before the damage
    except FormatError as error:
        damage = error
    for key, begin, end in sorted(extents, key=lambda row: natural_order(row[0])):
        build = partial(_build, data[begin:end], begin, vocabulary)
        yield Entry(key, stream.name, build, naming="own", order=key)
    if damage is not None:
        raise damage if damage.where else damage.at(stream.name)


def _build(machine: bytes, at: int, vocabulary: Vocabulary | None) -> Lattice:
    return lattice_from_arrays(Lattice, fst_binary.decode(machine, base=at)[0], vocabulary, by_spelling=True)


def machines_of(data: bytes) -> Iterator[tuple[str, bytes, int]]:
    """Yield the key, bytes and begin of each machine, in the order of the archive."""
    for key, begin, end in extents_of(data):
        yield key, data[begin:end], begin


def extents_of(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield the key, begin and end of each machine."""
    if len(data) < _HEADER.size + 4:
        raise FormatError("the archive is cut short")
    magic, version = _HEADER.unpack_from(data)
    if magic not in (_STTABLE, _STLIST):
        raise FormatError("this is not an archive of type sttable or stlist", advice="convert it with farconvert")
    if version != _VERSION:
        raise FormatError(f"the archive has version {version}, not {_VERSION}")
    if magic == _STTABLE:
        positions, end = _index(data)
        for position, following in pairwise([*positions, end]):
            key, begin = _key(data, position)
            yield key, begin, following
        return
    at = _HEADER.size
    while True:
        key, begin = _key(data, at)
        if not key:
            if begin != len(data):
                raise FormatError(f"{len(data) - begin} bytes follow the end of the archive")
            return
        # To find the end of a machine in an stlist, decode the machine.
        _, at = fst_binary.decode(data, begin)
        yield key, begin, at


def _index(data: bytes) -> tuple[list[int], int]:
    """Return the begin of each entry of an `sttable`, in the order of the file, and the begin of the index."""
    (count,) = struct.unpack_from("<q", data, len(data) - 8)
    begin = len(data) - 8 * (count + 1)
    if count < 0 or begin < _HEADER.size or (count == 0 and begin > _HEADER.size):
        raise FormatError("the archive's index is damaged, or the archive is cut short")
    positions: tuple[int, ...] = struct.unpack_from(f"<{count}q", data, begin)
    if any(not _HEADER.size <= position < begin for position in positions):
        raise FormatError("the archive's index points outside of it")
    if positions and min(positions) != _HEADER.size:
        raise FormatError("the archive's index is damaged, or the archive is cut short")
    return sorted(positions), begin


def _key(data: bytes, at: int) -> tuple[str, int]:
    try:
        (size,) = struct.unpack_from("<i", data, at)
        if not 0 <= size <= len(data) - at - 4:
            raise FormatError(f"byte {at}: the archive is cut short")
        return data[at + 4 : at + 4 + size].decode("utf-8"), at + 4 + size
    except struct.error:
        raise FormatError(f"byte {at}: the archive is cut short") from None
    except UnicodeDecodeError:
        raise FormatError(f"byte {at}: a key is not UTF-8") from None


def _write_archive(file: IO[bytes], graphs: Iterable[tuple[str, Graph]]) -> int:
    """Write an `sttable` sorted by ids: OpenFst finds ids by bisection, and reads up to the last one."""
    extents: dict[bytes, tuple[int, int]] = {}
    with Spool() as spool:
        for name, graph in graphs:
            key = _checked_key(name, extents)
            begin = spool.tell()
            with placed(shortened(name)):
                spool.write(struct.pack("<i", len(key)) + key + encode_graph(graph))
            extents[key] = (begin, spool.tell())
        file.write(_HEADER.pack(_STTABLE, _VERSION))
        offsets, at = [], _HEADER.size
        for _, (begin, end) in sorted(extents.items()):
            spool.copy_part(begin, end, file)
            offsets.append(at)
            at += end - begin
    file.write(struct.pack(f"<{len(offsets) + 1}q", *offsets, len(offsets)))
    return len(offsets)


def _checked_key(name: str, taken: Container[bytes]) -> bytes:
    if not name:
        raise UsageError("a graph in a far needs an id")
    key = name.encode("utf-8")
    if key in taken:
        raise UsageError(f"two graphs have the id '{shortened(name)}', but ids in a far must differ")
    return key


register(Format("far", (".far",), _sniff, _read, write_archive=_write_archive))
