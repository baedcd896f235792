"""Read and write Kaldi's binary archives: each lattice is an id, a space and an OpenFst machine (type `vector`).

Machines have Kaldi's weights. In compact machines (`compactlattice44`), input and output labels are words, and weights
hold the transition ids. In other machines (`lattice4`), input labels are transition ids, and output labels are words.
Graph costs become the column `lm`; acoustic costs are unscaled.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import IO

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import FormatError, InputError, placed, shortened
from latticemetric.formats.kaldi.text import TRANSITIONS, float32_costs, kaldi_lattice, lattice_of, sorted_lattice
from latticemetric.formats.registry import Entry, Format, KernelText, register
from latticemetric.formats.streams.stream import Piece, Stream
from latticemetric.formats.text.fields import is_word_number
from latticemetric.graph import Graph
from latticemetric.lattice.fst_binary import MAGIC
from latticemetric.lattice.lattice import Column, Lattice
from latticemetric.lattice.texts import Texts
from latticemetric.vocabulary import EPSILON, Vocabulary, Words

_PIECE = 2**22
_LONGEST_ID = 4096
MACHINE = struct.pack("<ii", MAGIC, 6) + b"vector"
_ARCS = b"compactlattice44"
_EXPANDED_MUTABLE = 3
_TOO_LARGE = 2**31
_TRANSITION_ID = re.compile(r"0|-?[1-9][0-9]{0,9}")
_OTHER_ARCS = "are not those of a lattice"
_ADVICE = "if these are words, write the machines into a FAR archive, or each into an OpenFst file, and read that"


def _sniff(head: bytes) -> bool:
    return re.match(rb"\s*\S+ " + re.escape(MACHINE), head) is not None


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    archive = BinaryArchive(stream)
    while (name := archive.id()) is not None:
        machine = archive.machine(f"{stream.name} ({shortened(name)})")
        build = partial(parse_machine, machine, vocabulary)
        text = KernelText(machine, "kaldi-binary", table=vocabulary)
        yield Entry(name, stream.name, build, naming="own", text=text, size=machine.size)


class BinaryArchive:
    """Reads the ids and machines of an archive in turn; about one machine is in memory at a time."""

    def __init__(self, stream: Stream, data: bytes = b"") -> None:
        self._stream, self._data, self._at = stream, data, 0

    def id(self) -> str | None:
        """Return the next id, or `None` at the end of the archive."""
        while True:
            rest = self._data[self._at : self._at + _LONGEST_ID].lstrip(b" \t\r\n")
            key, space, _ = rest.partition(b" ")
            if space or len(rest) >= _LONGEST_ID or not self._more():
                break
        if not rest:
            return None
        if not space:
            advice = "the archive may be damaged: copy or write it again"
            raise FormatError("expected an id and a space", where=self._stream.name, advice=advice)
        self._at = self._data.index(key, self._at) + len(key) + 1
        try:
            return key.decode("utf-8")
        except UnicodeDecodeError:
            raise FormatError("an id is not UTF-8", where=self._stream.name) from None

    def machine(self, place: str) -> Piece:
        """Return the bytes of the next machine; `place` names the machine in errors."""
        with placed(place), _native_errors():
            while (end := _native.skip_kaldi_binary(self._data, self._at)) is None:
                if not self._more():
                    raise FormatError(
                        "the archive is cut short inside this lattice", advice="copy or write the file again"
                    )
        begin, self._at = self._at, end
        return Piece(self._data, begin, end, self._stream.place_before(len(self._data) - begin))

    def _more(self) -> bool:
        """Read more bytes; return False at the end of the stream.

        Read at least as many bytes as are waiting in memory, so that a long machine is scanned only a few times.
        """
        rest = self._data[self._at :]
        new = self._stream.read_some(max(_PIECE, len(rest)))
        self._data, self._at = rest + new, 0
        return bool(new)


@contextmanager
def _native_errors() -> Iterator[None]:
    """Convert errors of the native parser to `FormatError`, without line numbers."""
    try:
        yield
    except _native.ParseError as error:
        advice = _ADVICE if error.args[1].endswith(_OTHER_ARCS) else ""
        raise FormatError(error.args[1], advice=advice) from None


def parse_machine(machine: Piece, table: Vocabulary | None) -> Lattice:
    """Build a lattice from the bytes of a machine; `table` maps word numbers to words."""
    with _native_errors():
        read = _native.read_kaldi_binary(machine.whole, machine.begin, machine.end, may_move=table is None)
        if read is not None:
            return sorted_lattice(read, None, table)
        columns = _native.parse_kaldi_binary(machine.whole, machine.begin, machine.end)
    return lattice_of(columns, columns["word"], table)


def write_machine(file: IO[bytes], name: str, graph: Graph) -> tuple[int, int]:
    """Write an id and a machine; return the number of bytes before the machine, and the total number of bytes."""
    lattice, columns = kaldi_lattice(name, graph)
    word = _numbers(lattice)
    arcs, ends = _weights(lattice, columns, "arc"), _weights(lattice, columns, "final")
    body = _native.write_kaldi_binary(
        lattice.num_states, lattice.source, lattice.target, word, arcs, lattice.final, ends
    )
    kind = struct.pack("<i", len(_ARCS)) + _ARCS
    counts = struct.pack("<iiQqqq", 2, 0, _EXPANDED_MUTABLE, 0, lattice.num_states, len(word))
    key, machine = name.encode("utf-8") + b" ", MACHINE + kind + counts + body
    file.write(key + machine)
    return len(key), len(key) + len(machine)


def write_lattice(file: IO[bytes], name: str, graph: Graph) -> None:
    """Write a lattice: its id, then its machine."""
    write_machine(file, name, graph)


def _numbers(lattice: Lattice) -> Words:
    """Return the word number of each arc. If the user gives no symbol table, the words must be numbers themselves."""
    vocabulary = lattice.vocabulary
    if vocabulary.is_numeric or (vocabulary.is_given and not vocabulary.is_embedded):
        return lattice.word
    used = {number: vocabulary.word(number) for number in set(lattice.word.tolist()) if number != EPSILON}
    spelled = next((word for word in used.values() if not is_word_number(word) or word == "0"), None)
    if spelled is not None:
        why = "whose number is only in the graph's symbol table" if vocabulary.is_embedded else "which has no number"
        raise InputError(
            f"a Kaldi binary archive holds numbers, not words, but the graph has '{shortened(spelled, 40)}', {why}",
            advice="give a symbol table with symbols=…, or write kaldi, which is text",
        )
    return np.array([int(used.get(number, EPSILON)) for number in lattice.word.tolist()], dtype=np.int32)


_Weights = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.int64], npt.NDArray[np.int32]]


def _weights(lattice: Lattice, columns: list[Column], part: str) -> _Weights:
    """Return the weights of arcs or final states: graph costs, acoustic costs, transition ids."""
    graph, acoustic = float32_costs(columns, part)
    side = lattice.labels.get(TRANSITIONS)
    if side is None:
        return graph, acoustic, np.zeros(len(graph) + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    numbers = getattr(side, part)
    sizes = np.zeros(len(numbers), dtype=np.int64)
    begin, ids = _id_lists(side.vocabulary, numbers[numbers != EPSILON])
    sizes[numbers != EPSILON] = np.diff(begin)
    return graph, acoustic, np.append(0, np.cumsum(sizes)), ids


def _id_lists(vocabulary: Vocabulary, numbers: Words) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return where the transition ids of each text begin, and the ids."""
    if isinstance(vocabulary, Texts):
        rows = _native.take_rows(vocabulary.begin, vocabulary.values, numbers.astype(np.int64) - 1)
        if vocabulary.are_ids:
            return rows
        if (ids := _native.split_rows(*rows)) is not None:
            return ids
    lists = list(map(_ids, vocabulary.words(numbers)))
    begin = np.append(0, np.cumsum([len(ids) for ids in lists], dtype=np.int64))
    return begin, np.array([one for ids in lists for one in ids], dtype=np.int32)


def _ids(text: str) -> list[int]:
    ids = [int(one) if _TRANSITION_ID.fullmatch(one) else _TOO_LARGE for one in text.split("_") if text]
    if any(not -_TOO_LARGE <= one < _TOO_LARGE for one in ids):
        raise InputError(
            f"'{shortened(text, 40)}' is not a list of transition ids",
            advice="leave them out with Corpus.converted(drop_labels=True)",
        )
    return ids


register(Format("kaldi-binary", (".ark",), _sniff, _read, write_lattice))
