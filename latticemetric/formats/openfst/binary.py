"""Read and write OpenFst's binary machines (`vector`, `const`; arcs `standard`, `log`, `log64`). Weights are costs."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO

from latticemetric.errors import FormatError
from latticemetric.formats.columns import lattice_to_write
from latticemetric.formats.registry import Entry, Format, only_graph, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.graph import Graph
from latticemetric.lattice import fst_binary
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.openfst import lattice_from_arrays, lattice_to_arrays
from latticemetric.vocabulary import Vocabulary


def _sniff(head: bytes) -> bool:
    return head.startswith(struct.pack("<i", fst_binary.MAGIC))


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    return only_graph(stream, _build, vocabulary)


def _build(data: bytes, file: str, vocabulary: Vocabulary | None) -> Lattice:
    machine, end = fst_binary.decode(data)
    if end != len(data):
        raise FormatError(f"{len(data) - end} bytes follow the machine", where=file)
    return lattice_from_arrays(Lattice, machine, vocabulary, by_spelling=True)


def encode_graph(graph: Graph) -> bytes:
    """Encode a lattice as a `vector` machine, the type that every OpenFst tool reads."""
    lattice = lattice_to_write(graph, "openfst", {"input"}, one_score=True)
    return fst_binary.encode(lattice_to_arrays(lattice), fst_type="vector")


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    file.write(encode_graph(graph))


register(Format("openfst", (".fst",), _sniff, _read, _write, single=True))
