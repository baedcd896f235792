"""Read and write OpenFst's binary layout as NumPy arrays, without a loop over arcs.

A file has a header (magic, type names, version, flags, properties, start, counts), symbol tables if the flags are set,
then states and arcs. A `const` machine stores all states, then all arcs; a `vector` machine stores each state followed
by its arcs. Integers are little-endian; an arc is (input, output, weight, target).

The weights of HiFST's arcs are sparse vectors. A vector is stored as a default value, the id and value of the first
feature (id −1 if there is none), the number of further features, and their ids and values. Its cost is the default
value plus the sum of all feature values, each multiplied by the user's weight for this feature.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.errors import FormatError

MAGIC = 2125659606
SYMBOLS_MAGIC = 2125658996

_HAS_INPUT_SYMBOLS, _HAS_OUTPUT_SYMBOLS, _ALIGNED = 1, 2, 4
_ALIGNMENT = 16
_EXPANDED, _MUTABLE = 1, 2  # the only properties written here; OpenFst computes the others on demand
_VECTOR_VERSION, _CONST_VERSION = 2, 2

# Arcs are packed in `vector` files. In `const` files, they have the layout of the C++ struct, with aligned doubles.
_ARC = np.dtype([("input", "<i4"), ("output", "<i4"), ("weight", "<f4"), ("target", "<i4")])
_LOG64_FIELDS = [("input", "<i4"), ("output", "<i4"), ("weight", "<f8"), ("target", "<i4")]
_LOG64_ARC, _LOG64_ARC_ALIGNED = np.dtype(_LOG64_FIELDS), np.dtype(_LOG64_FIELDS, align=True)
_COUNTS = [("begin", "<u4"), ("arcs", "<u4"), ("input_epsilons", "<u4"), ("output_epsilons", "<u4")]
_CONST_STATE = np.dtype([("final", "<f4"), *_COUNTS])
_LOG64_CONST_STATE = np.dtype([("final", "<f8"), *_COUNTS])

_SPARSE_TYPES = {"tropicalsparsetuple": "f", "tropicalsparsetuple64": "d"}
# HiFST's weights of two costs, compared by the first, then by the second.
_PAIR_TYPE = "tropical_LT_tropical"
_PAIR_ARC = np.dtype([("input", "<i4"), ("output", "<i4"), ("weight", "<f4"), ("second", "<f4"), ("target", "<i4")])
_PAIR_CONST_STATE = np.dtype([("final", "<f4"), ("second", "<f4"), *_COUNTS])
_ARC_TYPES = {"standard", "log", "log64", _PAIR_TYPE, *_SPARSE_TYPES}


@dataclass(frozen=True)
class FstArrays:
    """An OpenFst machine as columns; arcs are sorted by source state.

    Weights are costs. `final` has one cost per state, infinite for states that are not final. `second` has the second
    costs of weights that are pairs: of arcs, then of states.
    """

    start: int
    final: npt.NDArray[np.float64]
    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    input: npt.NDArray[np.int32]
    output: npt.NDArray[np.int32]
    weight: npt.NDArray[np.float64]
    input_symbols: Mapping[int, str] | None = None
    output_symbols: Mapping[int, str] | None = None
    features: SparseFeatures | None = None
    second: npt.NDArray[np.float64] | None = None


@dataclass(frozen=True)
class SparseFeatures:
    """The feature values of arcs and final states; one row per value.

    `row` is the number of an arc; for a final state, it is the state's number plus the number of all arcs. `number` is
    the number of a feature.
    """

    row: npt.NDArray[np.int64]
    number: npt.NDArray[np.int64]
    value: npt.NDArray[np.float64]


class _Header(NamedTuple):
    """The header of a machine; the symbol tables follow it."""

    fst_type: str
    arc_type: str
    version: int
    flags: int
    start: int
    states: int
    arcs: int


@dataclass
class _Cursor:
    """Reads bytes in order; raises an error if they end too early."""

    data: memoryview
    at: int = 0
    base: int = 0

    def unpack(self, layout: str) -> tuple[Any, ...]:
        size = struct.calcsize(layout)
        return struct.unpack(layout, self.take(size))

    def take(self, size: int) -> memoryview:
        if size < 0:
            raise FormatError(f"the machine is damaged: the item at byte {self.at} has a negative size, {size} bytes")
        if size > len(self.data) - self.at:
            raise FormatError(
                f"the machine is cut short: {size} bytes are needed from byte {self.at}, but "
                f"{len(self.data) - self.at} are left"
            )
        self.at += size
        return self.data[self.at - size : self.at]

    def string(self) -> str:
        (size,) = self.unpack("<i")
        try:
            return bytes(self.take(size)).decode("utf-8")
        except UnicodeDecodeError:
            raise FormatError(f"byte {self.at - size}: a name is not UTF-8") from None

    def array(self, dtype: np.dtype[Any], count: int) -> npt.NDArray[Any]:
        return np.frombuffer(self.take(dtype.itemsize * count), dtype=dtype)

    def align(self) -> None:
        """Skip the padding. OpenFst aligns by the position in the file, even inside an archive."""
        self.take(-(self.base + self.at) % _ALIGNMENT)


def decode(data: bytes | memoryview, at: int = 0, *, base: int = 0) -> tuple[FstArrays, int]:
    """Read the machine that begins at byte `at`; return the machine, and the position of the byte after its end.

    Args:
        data: The bytes of a file, or of a part of it.
        at: Index of the machine's first byte in `data`.
        base: Position of `data` in its file, since alignment counts from the start of the file.
    """
    cursor = _Cursor(memoryview(data), at, base)
    fst_type, arc_type, version, flags, start, states, arcs = _decode_header(cursor)
    if arc_type not in _ARC_TYPES:
        raise FormatError(
            f"arcs of type '{arc_type}' cannot be read",
            advice=f"convert to one of {', '.join(sorted(_ARC_TYPES))}",
        )
    if arcs < 0 or states < -1 or start < -1:
        raise FormatError("a count in the machine's header is negative")
    input_symbols = _decode_symbols(cursor) if flags & _HAS_INPUT_SYMBOLS else None
    output_symbols = _decode_symbols(cursor) if flags & _HAS_OUTPUT_SYMBOLS else None
    features = None
    if arc_type in _SPARSE_TYPES and fst_type == "vector":
        final, counts, columns, features = _decode_sparse(cursor, _SPARSE_TYPES[arc_type], states)
    elif fst_type == "vector":
        final, counts, columns = _decode_vector(cursor, arc_type, states)
    elif fst_type == "const" and arc_type not in _SPARSE_TYPES:
        aligned = version == 1 or bool(flags & _ALIGNED)
        final, counts, columns = _decode_const(cursor, arc_type, states, arcs, aligned=aligned)
    else:
        raise FormatError(
            f"a machine of type '{fst_type}' cannot be read", advice="run fstconvert --fst_type=vector on it"
        )
    if fst_type == "const" and int(counts.sum()) != len(columns):
        raise FormatError("the states and the header of the machine give different numbers of arcs")
    second = None
    if arc_type == _PAIR_TYPE:
        second = np.concatenate([columns["second"], final["second"]]).astype(np.float64)
        final = final["final"]
    machine = FstArrays(
        start=int(start),
        final=final.astype(np.float64),
        source=np.repeat(np.arange(len(final), dtype=np.int32), counts),
        target=columns["target"].astype(np.int32),
        input=columns["input"].astype(np.int32),
        output=columns["output"].astype(np.int32),
        weight=columns["weight"].astype(np.float64),
        input_symbols=input_symbols,
        output_symbols=output_symbols,
        features=features,
        second=second,
    )
    _check_states(machine)
    return machine, cursor.at


def has_symbols(data: bytes, at: int) -> bool:
    """Check whether the machine that begins at byte `at` has a symbol table, without reading the machine."""
    return bool(_decode_header(_Cursor(memoryview(data), at)).flags & (_HAS_INPUT_SYMBOLS | _HAS_OUTPUT_SYMBOLS))


def symbols_of_words(data: bytes, at: int) -> Mapping[int, str]:
    """Return the table of output labels of the machine that begins at byte `at`; without one, that of input labels.

    Only the machine's header and tables are read. The machine must have a table.
    """
    cursor = _Cursor(memoryview(data), at)
    flags = _decode_header(cursor).flags
    tables = [_decode_symbols(cursor) for flag in (_HAS_INPUT_SYMBOLS, _HAS_OUTPUT_SYMBOLS) if flags & flag]
    return tables[-1]


def _decode_header(cursor: _Cursor) -> _Header:
    at = cursor.at
    (magic,) = cursor.unpack("<i")
    if magic != MAGIC:
        raise FormatError(f"byte {at}: not an OpenFst machine")
    fst_type, arc_type = cursor.string(), cursor.string()
    version, flags, _properties, start, states, arcs = cursor.unpack("<iiQqqq")
    return _Header(fst_type, arc_type, version, flags, start, states, arcs)


def _check_states(machine: FstArrays) -> None:
    """Raise an error if a state number does not exist in the machine; no other code checks this."""
    states = len(machine.final)
    if machine.start >= states > 0:
        raise FormatError(f"the start is state {machine.start}, which does not exist")
    wrong = np.flatnonzero((machine.target < 0) | (machine.target >= states))
    if wrong.size:
        raise FormatError(f"an arc leads to state {machine.target[wrong[0]]}, which does not exist")


class _Table(NamedTuple):
    """A symbol table and its bytes."""

    data: bytes
    symbols: Mapping[int, str]


# The table decoded last. Both sides of a machine, and all machines of an archive, often have the same table, and
# decoding a large one takes far longer than its machine.
_last_table = _Table(b"", {})


def _decode_symbols(cursor: _Cursor) -> Mapping[int, str]:
    """Return the table that begins at the cursor; several machines may share it."""
    global _last_table  # noqa: PLW0603  one per process
    begin, last = cursor.at, _last_table
    if last.data and bytes(cursor.data[begin : begin + len(last.data)]) == last.data:
        cursor.at += len(last.data)
        return last.symbols
    (magic,) = cursor.unpack("<i")
    if magic != SYMBOLS_MAGIC:
        raise FormatError(f"byte {cursor.at - 4}: a symbol table was expected")
    cursor.string()  # the table's name
    _next_key, size = cursor.unpack("<qq")
    if size < 0:
        raise FormatError(f"byte {cursor.at - 8}: a symbol table has a negative number of symbols")
    table: dict[int, str] = {}
    for _ in range(size):
        symbol = cursor.string()
        (key,) = cursor.unpack("<q")
        table[key] = symbol
    _last_table = _Table(bytes(cursor.data[begin : cursor.at]), table)
    return table


def _decode_vector(
    cursor: _Cursor, arc_type: str, states: int
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[Any]]:
    arc = {"log64": _LOG64_ARC, _PAIR_TYPE: _PAIR_ARC}.get(arc_type, _ARC)
    header = struct.Struct({"log64": "<dq", _PAIR_TYPE: "<ffq"}.get(arc_type, "<fq"))
    final: list[tuple[float, ...]] = []
    blocks: list[memoryview] = []
    data, at, end = cursor.data, cursor.at, len(cursor.data)
    # A machine written to a pipe does not know its number of states (−1): read states up to the end.
    while len(final) != states and not (states < 0 and at == end):
        size, begin = 0, at + header.size
        values: tuple[float, ...] = ()
        if begin <= end:
            values = header.unpack_from(data, at)
            size = arc.itemsize * int(values[-1])
        if not 0 <= size <= end - begin:  # `take` raises the error; to call it for each state would be too slow
            cursor.at = at
            cursor.take(header.size)
            cursor.take(size)
        at = begin + size
        final.append(values)
        blocks.append(data[begin:at])
    cursor.at = at
    columns = np.frombuffer(b"".join(blocks), dtype=arc)
    counts = np.array([len(block) // arc.itemsize for block in blocks], dtype=np.int64)
    costs = np.array([values[0] for values in final], dtype=np.float64)
    if arc_type != _PAIR_TYPE:
        return costs, counts, columns
    pairs = np.empty(len(final), dtype=[("final", "<f8"), ("second", "<f8")])
    pairs["final"], pairs["second"] = costs, [values[1] for values in final]
    return pairs, counts, columns


class _SparseWeights:
    """Reads weights that are sparse vectors, and collects their features."""

    def __init__(self, cursor: _Cursor, kind: str) -> None:
        self._cursor, self._kind = cursor, kind
        self.rows: list[int] = []
        self.numbers: list[int] = []
        self.values: list[float] = []

    def take(self, row: int) -> float:
        """Read the next weight, which belongs to arc or state `row`; store its features; return its default value."""
        default, number, value = self._cursor.unpack(f"<{self._kind}i{self._kind}")
        self._add(row, number, value)
        (more,) = self._cursor.unpack("<q")
        # Check that the bytes are there before reading them.
        pairs = self._cursor.take(more * struct.calcsize(f"<i{self._kind}"))
        for number, value in struct.iter_unpack(f"<i{self._kind}", pairs):
            self._add(row, number, value)
        return float(default)

    def _add(self, row: int, number: int, value: float) -> None:
        if number == 0:
            raise FormatError(f"byte {self._cursor.at}: a feature has number 0, but numbers start at 1")
        if number > 0:  # HiFST ignores negative numbers
            self.rows.append(row)
            self.numbers.append(number)
            self.values.append(value)


def _decode_sparse(
    cursor: _Cursor, kind: str, states: int
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[Any], SparseFeatures]:
    ends, of_arcs = _SparseWeights(cursor, kind), _SparseWeights(cursor, kind)
    final: list[float] = []
    counts: list[int] = []
    arcs: list[tuple[int, int, float, int]] = []
    while len(final) != states and not (states < 0 and cursor.at == len(cursor.data)):
        final.append(ends.take(len(final)))
        (count,) = cursor.unpack("<q")
        if not 0 <= count <= len(cursor.data) - cursor.at:
            raise FormatError(f"the machine is damaged or cut short: byte {cursor.at} announces {count} arcs")
        counts.append(count)
        for _ in range(count):
            labels = cursor.unpack("<ii")
            weight = of_arcs.take(len(arcs))
            arcs.append((*labels, weight, *cursor.unpack("<i")))
    columns = np.array(arcs, dtype=_LOG64_ARC)
    rows = np.array([*of_arcs.rows, *(len(arcs) + row for row in ends.rows)], dtype=np.int64)
    numbers = np.array(of_arcs.numbers + ends.numbers, dtype=np.int64)
    features = SparseFeatures(rows, numbers, np.array(of_arcs.values + ends.values, dtype=np.float64))
    return np.array(final), np.array(counts, dtype=np.int64), columns, features


def _decode_const(
    cursor: _Cursor, arc_type: str, states: int, arcs: int, *, aligned: bool
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[Any]]:
    layouts = {"log64": (_LOG64_CONST_STATE, _LOG64_ARC_ALIGNED), _PAIR_TYPE: (_PAIR_CONST_STATE, _PAIR_ARC)}
    state, arc = layouts.get(arc_type, (_CONST_STATE, _ARC))
    if aligned:
        cursor.align()
    table = cursor.array(state, states)
    if aligned:
        cursor.align()
    columns = cursor.array(arc, arcs)
    counts = table["arcs"].astype(np.int64)
    begin = np.concatenate([[0], np.cumsum(counts)[:-1]]) if states else counts
    if not np.array_equal(begin[counts > 0], table["begin"][counts > 0]):
        raise FormatError("the arcs of the machine are not stored in the order of its states")
    return table if arc_type == _PAIR_TYPE else table["final"], counts, columns


def encode(machine: FstArrays, *, fst_type: str = "const", arc_type: str = "standard") -> bytes:
    """Encode a machine in OpenFst's layout `const` or `vector`, with tropical (`standard`) or `log` weights."""
    flags = _HAS_INPUT_SYMBOLS * (machine.input_symbols is not None)
    flags |= _HAS_OUTPUT_SYMBOLS * (machine.output_symbols is not None)
    version = _CONST_VERSION if fst_type == "const" else _VECTOR_VERSION
    properties = _EXPANDED | (_MUTABLE if fst_type == "vector" else 0)
    sizes = (machine.start, len(machine.final), len(machine.source))
    header = struct.pack("<i", MAGIC) + _string(fst_type) + _string(arc_type)
    header += struct.pack("<iiQqqq", version, flags, properties, *sizes)
    tables = [machine.input_symbols, machine.output_symbols]
    header += b"".join(_encoded_table(table) for table in tables if table is not None)
    counts = np.bincount(machine.source, minlength=len(machine.final)).astype(np.int64)
    arcs = np.empty(len(machine.source), dtype=_ARC)
    for name in ("input", "output", "weight", "target"):
        arcs[name] = getattr(machine, name)
    return header + (_const_body if fst_type == "const" else _vector_body)(machine, counts, arcs)


# The table encoded last. Both sides of a machine, and many machines, often have the same.
_last_encoded = _Table(b"", {})


def _encoded_table(table: Mapping[int, str]) -> bytes:
    global _last_encoded  # noqa: PLW0603  one per process
    if _last_encoded.symbols is not table:
        head = struct.pack("<i", SYMBOLS_MAGIC) + _string("words") + struct.pack("<qq", max(table) + 1, len(table))
        rows = b"".join(_string(symbol) + struct.pack("<q", key) for key, symbol in sorted(table.items()))
        _last_encoded = _Table(head + rows, table)
    return _last_encoded.data


def _string(text: str) -> bytes:
    data = text.encode("utf-8")
    return struct.pack("<i", len(data)) + data


def _const_body(machine: FstArrays, counts: npt.NDArray[np.int64], arcs: npt.NDArray[Any]) -> bytes:
    states = np.zeros(len(machine.final), dtype=_CONST_STATE)
    states["final"] = machine.final
    states["arcs"] = counts
    states["begin"] = np.cumsum(counts) - counts
    for name, column in (("input_epsilons", machine.input), ("output_epsilons", machine.output)):
        states[name] = np.bincount(machine.source[column == 0], minlength=len(states))
    return states.tobytes() + arcs.tobytes()


def _vector_body(machine: FstArrays, counts: npt.NDArray[np.int64], arcs: npt.NDArray[Any]) -> bytes:
    # Each state is a 12-byte head followed by its arcs: write heads and arcs to their offsets.
    head = np.empty(len(machine.final), dtype=[("final", "<f4"), ("arcs", "<i8")])
    head["final"], head["arcs"] = machine.final, counts
    size, each = head.dtype.itemsize, arcs.dtype.itemsize
    begin = size * np.arange(len(head)) + each * (np.cumsum(counts) - counts)
    body = np.empty(size * len(head) + each * len(arcs), dtype=np.uint8)
    body[begin[:, None] + np.arange(size)] = head.view(np.uint8).reshape(-1, size)
    where = size * (machine.source.astype(np.int64) + 1) + each * np.arange(len(arcs))
    body[where[:, None] + np.arange(each)] = arcs.view(np.uint8).reshape(-1, each)
    return body.tobytes()
