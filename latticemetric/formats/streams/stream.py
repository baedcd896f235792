"""Read files and standard input, compressed or not, as bytes and lines, within size limits."""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, Self, TypeAlias

from latticemetric.errors import (
    FormatError,
    InputError,
    UsageError,
    harmless,
    in_words_of_the_user,
    of_system,
    shortened,
)
from latticemetric.formats.streams.advice import advice_for
from latticemetric.formats.streams.compression import DamageError, Unpacked, compression_of, without_compression
from latticemetric.formats.streams.inputs import current
from latticemetric.formats.streams.specifiers import file_named
from latticemetric.memory import machine_memory, parse_size, shown_size

STANDARD_INPUT = "-"

HEAD_SIZE = 2**16
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LONGEST_LINE = 2**24
_BRACKETS = (b"{", b"[", b"(")  # JSON and PLF, in which a whole file may be one line
_BUFFER = 2**18
_ERRORS_OF_UNPACKING = {"error", "IsalError", "LZMAError", "ZstdError"}
# Larger than most files, since joining several pieces copies them.
_PIECE = 2**25
_MOST_NAMED = 10
_COPY_AGAIN = "copy or write the file again"

Stamp: TypeAlias = "tuple[int, int] | None"


def stamp_of(path: str) -> Stamp:
    """Return size and time of change of a file; `None` if the file does not exist."""
    try:
        state = os.stat(path)  # noqa: PTH116  a plain string
    except (OSError, ValueError):
        return None
    return state.st_size, state.st_mtime_ns


class Place(NamedTuple):
    """A position in a file.

    Attributes:
        path: The absolute path.
        stamp: The file's size and time of change, as they were when the file was read.
        at: The offset.
    """

    path: str
    stamp: Stamp
    at: int


class Stream:
    """The decompressed bytes or lines of one file, with the current position.

    Attributes:
        name: The file's path, as the user wrote it.
        stem: The file's name without folder and compression suffixes.
        line: The number of the last line read, from 1.
        offset: The offset of the next byte in the file; `None` if the file cannot be read a second time.
        stamp: The size and time of change of the file when it was opened; `None` if `offset` is `None` from the start.
    """

    def __init__(self, name: str, raw: IO[bytes], archive: Stream | None = None) -> None:
        self.name = name
        self.stem = without_compression(Path(name).name) if name != STANDARD_INPUT else "stdin"
        self.line = 0
        self._damage: InputError | None = None
        self._raw: Any = raw
        self._unpacking: Unpacking | None = None if archive is None else archive._unpacking  # noqa: SLF001
        self._head: bytes
        self._bytes, self._head = self._guarded(self._opened)
        self.offset = 0 if self._unpacking is None and os.path.isfile(name) else None  # noqa: PTH113  any name
        self.stamp = stamp_of(name) if self.offset is not None else None
        self._has_end: bool = _has_end(raw) if archive is None else archive._has_end  # noqa: SLF001
        self._allowance = Allowance(name, self._unpacking, has_end=self._has_end)
        if self._head.startswith(codecs.BOM_UTF8):
            # Windows tools put this mark before texts. It is not content, and no binary format begins with it.
            self._bytes.read(len(codecs.BOM_UTF8))
            self.offset = None if self.offset is None else len(codecs.BOM_UTF8)
            self._head = self._head.removeprefix(codecs.BOM_UTF8)

    def _opened(self) -> tuple[io.BufferedReader, bytes]:
        """Return a stream of the decompressed bytes, and its first bytes."""
        source, packed, head = _with_head(self._raw)
        compression = compression_of(head, self.name)
        if compression is None:
            return packed, head
        # A compressed file in a compressed archive shares the limit of the archive.
        self._unpacking = self._unpacking or Unpacking(self.name, lambda: source.count)
        content = Unpacked(packed, compression, self._unpacking.add)
        _, unpacked, head = _with_head(io.BufferedReader(content, _BUFFER))
        return unpacked, head

    def head(self) -> bytes:
        """Return the first bytes, enough to recognise a format, without consuming them."""
        return self._head

    def content(self) -> Any:
        """Return the remaining bytes as an open binary file."""
        return self._bytes

    def unpacking(self, packed: int) -> Unpacking:
        """Return the limit for what the content becomes if its format compresses it, too, like Parquet.

        `packed` is the size of the content.
        """
        return self._unpacking or Unpacking(self.name, lambda: packed)

    def require_at_once(self, size: int) -> None:
        """Raise an error if `size` bytes are too many for one graph, besides those that were read for it."""
        self._allowance.require(size)

    def begin_next_graph(self, graphs: int = 1) -> None:
        """Start counting the bytes of the next graph, after so many graphs were read."""
        self._allowance.renew()
        if self._unpacking is not None:
            self._unpacking.add(graphs=graphs)

    def read(self) -> bytes:
        """Read everything that is left."""
        pieces = []
        while piece := bytes(self._guarded(lambda: self._bytes.read(_PIECE))):
            self._allowance.add(len(piece))
            pieces.append(piece)
        return b"".join(pieces)

    def read_some(self, size: int) -> bytes:
        """Read about `size` bytes; return no bytes at the end.

        If the file is damaged, return the bytes before the damage; the next call raises the error.
        """
        if self._damage is not None:
            raise self._damage
        pieces = []
        while size > 0:
            try:
                piece = bytes(self._guarded(lambda: self._bytes.read1(size)))  # noqa: B023
                self._allowance.add(len(piece))
            except InputError as error:
                self._damage = error
                break
            if not piece:
                break
            pieces.append(piece)
            size -= len(piece)
        if self._damage is not None and not pieces:
            raise self._damage
        data = b"".join(pieces)
        self.offset = None if self.offset is None else self.offset + len(data)
        return data

    def skip(self, size: int) -> None:
        """Skip `size` bytes of content."""

        def seek() -> None:
            if self.offset is not None and self._raw.seekable():
                self._raw.seek(self.offset + size)
                self._bytes = io.BufferedReader(self._raw, _BUFFER)
                return
            left = size
            while left > 0 and (piece := self._bytes.read(min(left, _BUFFER))):
                left -= len(piece)

        self._guarded(seek)
        self.offset = None if self.offset is None else self.offset + size

    def byte_lines(self) -> Iterator[bytes]:
        """Yield lines with their ends, as bytes."""
        while data := self._next_piece(lines=1):
            if len(data) == _PIECE and not data.endswith(b"\n"):
                pieces = [data]
                while not pieces[-1].endswith(b"\n") and (piece := self._next_piece()):
                    pieces.append(piece)
                data = b"".join(pieces)
            self.line += 1
            yield data

    def _next_piece(self, lines: int = 0) -> bytes:
        """Read a line, or a piece of a very long line; `lines` is 1 for the first piece of a line, 0 for others."""
        data = bytes(self._guarded(lambda: self._bytes.readline(_PIECE)))
        self._allowance.add(len(data), lines)
        return data

    def lines(self, *, passing: bool = False) -> Iterator[str]:
        """Yield decoded lines without their ends; if `passing` is true, limit the size of each line, not the total."""
        for data in self.byte_lines():
            if passing:
                self._allowance.renew()
            yield decoded_line(data, self.place()).rstrip("\r\n")

    def place(self, line: int | None = None) -> str:
        """Return the file and the line (by default, the last line read) as `file:line`, for errors."""
        number = self.line if line is None else line
        return f"{self.name}:{number}" if number else self.name

    def place_before(self, size: int) -> Place | None:
        """Return the place of the `size` bytes read last; `None` if the file cannot be read a second time."""
        if self.offset is None:
            return None
        return Place(os.path.abspath(self.name), self.stamp, self.offset - size)  # noqa: PTH100  a plain string

    def _guarded(self, operation: Any) -> Any:
        """Call the operation; convert errors of reading and decompressing."""
        try:
            return operation()
        except EOFError as error:
            what = f"the compressed file is cut short ({error})"
            raise FormatError(what, where=self.name, advice=_COPY_AGAIN) from None
        except Exception as error:
            if isinstance(error, OSError) and error.strerror:
                raise InputError(f"cannot be read: {error.strerror}", where=self.name) from None
            if type(error).__name__ == "ReadError":
                what = "the archive is cut short inside this file"
                raise FormatError(what, where=self.name, advice=_COPY_AGAIN) from None
            # Compare names: importing the modules of these errors takes time, and few files need it.
            if isinstance(error, DamageError) or type(error).__name__ in _ERRORS_OF_UNPACKING:
                what = f"the compressed file is damaged ({error})"
                raise FormatError(what, where=self.name, advice=_COPY_AGAIN) from None
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.name != STANDARD_INPUT:
            self._bytes.close()
            self._raw.close()


def warn(place: str, what: str) -> None:
    """Log the warning `place: what` on one line."""
    import logging

    logging.getLogger("latticemetric").warning("%s", in_words_of_the_user(harmless(f"{place}: {what}")))


def is_hidden(name: str) -> bool:
    """Check whether a file name, in a folder or an archive, begins with a full stop."""
    return name.rpartition("/")[2].startswith(".")


_left_out: set[tuple[str, ...]] = set()


def warn_left_out(place: str, why: str, names: Sequence[str]) -> None:
    """Warn that files (`names`) of a folder or an archive were skipped, and `why`; do nothing if `names` is empty."""
    if names and (place, why, *names) not in _left_out:  # a folder may be listed several times
        _left_out.add((place, why, *names))
        more = ", …" if len(names) > _MOST_NAMED else ""
        count = "1 entry" if len(names) == 1 else f"{len(names)} entries"
        shown = ", ".join(shortened(name) for name in names[:_MOST_NAMED])
        warn(place, f"left out {count} ({why}): {shown}{more}")


def decoded_line(data: bytes, place: str) -> str:
    """Decode a line from UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {error.start + 1} of the line is not UTF-8", where=place, advice="convert the file with iconv"
        ) from None


class ChangedFileError(OSError):
    """A file has changed since it was read, or another file now has its name."""


class Piece:
    """A part of a long byte string; it is copied only on demand.

    Attributes:
        begin: The index of the part's first byte in `whole`.
        end: The index of the byte after the part.
        place: The part's position in a file (with an absolute path); `None` if the file cannot be read a second time.
    """

    __slots__ = ("_whole", "begin", "end", "place")

    def __init__(self, whole: bytes, begin: int, end: int, place: Place | None = None) -> None:
        self._whole: bytes | None = whole
        self.begin, self.end, self.place = begin, end, place

    @classmethod
    def at(cls, place: Place, size: int) -> Self:
        """Read the `size` bytes at a place.

        Raises:
            ChangedFileError: The file has changed.
            OSError: The file cannot be read.
        """
        with open(place.path, "rb", buffering=0) as file:  # noqa: PTH123  any name
            state = os.fstat(file.fileno())
            if (state.st_size, state.st_mtime_ns) != place.stamp:
                raise ChangedFileError(place.path)
            file.seek(place.at)
            data = file.read(size)
        if len(data) < size:  # it was cut in this moment, or the system does not read so much at once
            raise ChangedFileError(place.path)
        return cls(data, 0, size, place)

    @property
    def whole(self) -> bytes:
        """The bytes that include the part. After `release`, only the part itself, read again from the file."""
        if self._whole is None:
            assert self.place is not None
            try:
                self._whole = Piece.at(self.place, self.size)._whole  # noqa: SLF001  of the same class
            except ChangedFileError:
                advice = "keep the file unchanged during a run"
                raise InputError(
                    "the file has changed while it was read", where=self.place.path, advice=advice
                ) from None
            except OSError as error:
                raise InputError(f"cannot be read again: {of_system(error)}", where=self.place.path) from None
            self.begin, self.end = 0, self.size
        assert self._whole is not None
        return self._whole

    def release(self) -> None:
        """If the part can be read again, free the memory of `whole`, which may be much larger than the part."""
        if self.place is not None:
            self._whole = None

    @property
    def data(self) -> bytes:
        """The bytes of the part."""
        whole = self.whole
        return whole[self.begin : self.end]

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self.end - self.begin

    @property
    def first_line(self) -> bytes:
        """The bytes up to the end of the first line."""
        stop = self.whole.find(b"\n", self.begin, self.end)
        return self.whole[self.begin : self.end if stop < 0 else stop]

    def __reduce__(self) -> tuple[Any, ...]:
        return Piece, (self.data, 0, self.size)


def open_stream(path: str) -> Stream:
    """Open a file or standard input (`-`), also by a specifier of Kaldi (`ark:FILE`); decompress gzip, xz and zstd."""
    path, inputs = file_named(path), current()
    if inputs is not None and path in inputs.kept:
        return Stream(path, io.BytesIO(inputs.kept[path]))
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError("standard input is closed", where=path, advice="name a file")
        return Stream(path, sys.stdin.buffer)
    with _opening(path):
        raw = Path(path).open("rb")  # noqa: SIM115  the stream closes it
    if inputs is not None:
        inputs.add_open(raw.fileno(), path)
    try:
        return Stream(path, raw)
    except BaseException:
        raw.close()
        raise


def require_file(path: str) -> None:
    """Raise the error of `open_stream` if there is no such file; do not open it."""
    if (path := file_named(path)) != STANDARD_INPUT and not is_kept(path):
        with _opening(path):
            os.stat(path)  # noqa: PTH116  a plain string


@contextmanager
def _opening(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = f"cannot be opened: {of_system(error)}"
        raise InputError(what, where=path, advice=advice_for(path, error)) from None
    except ValueError:
        raise InputError("cannot be opened: no file has such a name", where=path) from None


def keep(path: str) -> None:
    """Read standard input or a pipe and keep its bytes, if the running command is going to open it more than once."""
    if (inputs := current()) is not None and not is_kept(path) and _is_pipe(path):
        with open_stream(path) as stream:
            inputs.kept[path] = stream.read()


def is_kept(path: str) -> bool:
    """Check whether the bytes of a pipe are kept."""
    return (inputs := current()) is not None and path in inputs.kept


def _is_pipe(path: str) -> bool:
    try:
        return path == STANDARD_INPUT or stat.S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116  a plain string
    except (OSError, ValueError):
        return False


def _has_end(raw: IO[bytes]) -> bool:
    """Return True for files, which have an end, and False for pipes and devices, which may be endless."""
    try:
        return stat.S_ISREG(os.fstat(raw.fileno()).st_mode)
    except (OSError, ValueError, AttributeError):  # the bytes are in memory
        return True


def _with_head(raw: Any) -> tuple[_Rejoined, io.BufferedReader, bytes]:
    """Read the first bytes; return a stream of all bytes, the same stream with a buffer, and the first bytes.

    Read `HEAD_SIZE` bytes, or fewer if the stream ends; wait for a slow pipe. If these bytes are text without a line
    end, read on to the first line end: transcripts may have an hour of speech on a line, and the id at its end.
    """
    head = b""
    while len(head) < HEAD_SIZE and (more := _some(raw, HEAD_SIZE - len(head), head)):
        head += more
    if len(head) == HEAD_SIZE and not head.startswith(_BRACKETS) and b"\0" not in head:
        pieces = [head]
        while (
            b"\n" not in pieces[-1]
            and len(pieces) * HEAD_SIZE < _LONGEST_LINE
            and (more := _some(raw, HEAD_SIZE, head))
        ):
            pieces.append(more)
        head = b"".join(pieces)
    source = _Rejoined(head, raw)
    return source, io.BufferedReader(source, _BUFFER), head


def _some(raw: Any, size: int, before: bytes) -> bytes:
    """Read up to `size` bytes in one call.

    If the next bytes are damaged, raise an error, but only if no bytes were read `before`. Otherwise, return no bytes;
    the next read raises the error. (A read that fills its buffer would lose the bytes before the damage.)
    """
    try:
        return bytes(raw.read1(size) if hasattr(raw, "read1") else raw.read(size))
    except Exception:
        if not before:
            raise
        return b""


class _Rejoined(io.RawIOBase):
    """Yields bytes that were already read, then the rest of their stream; `count` is the number of bytes yielded."""

    def __init__(self, head: bytes, rest: Any) -> None:
        self._head, self._rest, self.count = head, rest, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._head:
            count = min(len(buffer), len(self._head))
            buffer[:count] = self._head[:count]
            self._head = self._head[count:]
        else:
            # Read once, not until the buffer is full: otherwise, the bytes before a damaged part would be lost.
            read = getattr(self._rest, "readinto1", self._rest.readinto)
            count = int(read(buffer) or 0)
        self.count += count
        return count


# ---- Limits: the bytes that are read for one graph, and the size of a decompressed file ----

VARIABLE = "LATTICEMETRIC_MOST_AT_ONCE"

_ALWAYS = 2**26
_MOST_WITHOUT_END = 2**29
# The largest ratio of compression. No real lattice, list or text reaches it; only files made to exhaust memory do.
_MOST_UNPACKED = 250
_SHARE = 8
# The memory that a line takes besides its text, in bytes.
_LINE = 100
# The time that a line or a graph takes in addition to its text, as a number of bytes that take the same time. Graphs
# only make the check begin earlier: their number alone is never an error, since 128 KB may hold 30,000 real graphs.
_WORK_OF_LINE = 25
_WORK_OF_GRAPH = 4000


class Unpacking:
    """Limits the size of a decompressed file, so that a few bytes cannot become hours of work."""

    def __init__(self, name: str, packed: Callable[[], int]) -> None:
        self._name, self._packed = name, packed
        self._size = self._lines = self._graphs = 0
        self._is_unlimited = _user_limit() is not None

    def add(self, size: int = 0, *, lines: int = 0, graphs: int = 0) -> None:
        """Count decompressed bytes, lines and graphs.

        Each line counts as additional bytes, since even a blank line takes time. The number of graphs is never an error
        by itself: it only decides when to begin the check.

        Raises:
            InputError: The file became too large for its compressed size.
        """
        self._size += size
        self._lines += lines
        self._graphs += graphs
        self._check(self._size, self._lines, self._graphs)

    def expect(self, size: int, lines: int) -> None:
        """Raise an error if bytes and lines that follow, and are not counted yet, make the file too large."""
        self._check(self._size + size, self._lines + lines, self._graphs)

    def _check(self, size: int, lines: int, graphs: int) -> None:
        total = size + _WORK_OF_LINE * lines
        if total + _WORK_OF_GRAPH * graphs <= _ALWAYS or self._is_unlimited:
            return
        packed = self._packed()
        if is_inflated(total, packed):
            unpacked = shown_size(size)
            unpacked += f", {lines} lines" if lines else ""
            unpacked += f", {graphs} graphs" if graphs else ""
            what = f"{shown_size(packed)} of the compressed file become more than {unpacked}"
            raise _too_much(what, self._name, max(_ALWAYS, machine_memory() // _SHARE))


def is_inflated(size: int, packed: int) -> bool:
    """Check whether `packed` bytes became more bytes than those of real lattices, lists or texts do."""
    return size > _MOST_UNPACKED * packed


class Allowance:
    """Limits the bytes that are read for one graph.

    The limit is an eighth of the memory, because the graph also needs memory; for a pipe or device, which may be
    endless, it is at most 512 MB. The environment variable `LATTICEMETRIC_MOST_AT_ONCE` sets another limit.
    """

    def __init__(self, name: str, unpacking: Unpacking | None, *, has_end: bool = True) -> None:
        self._name, self._unpacking, self._has_end = name, unpacking, has_end
        self._taken = self._lines = 0
        self._most = _user_limit()
        self._checked_at = self._most or _ALWAYS

    def add(self, size: int, lines: int = 0) -> None:
        """Count bytes and lines that were read."""
        self._taken += size
        self._lines += lines
        if lines and self._unpacking is not None:
            self._unpacking.add(lines=lines)
        if self._taken + _LINE * self._lines <= self._checked_at:
            return
        self._checked_at = self._limit()
        self.require(self._taken + _LINE * self._lines)

    def require(self, size: int) -> None:
        """Raise an error if `size` bytes are too many for one graph."""
        if size > self._checked_at and size > (most := self._limit()):
            what = f"more than {shown_size(most)} would be read at once, for one graph or table"
            raise _too_much(what, self._name, most)

    def _limit(self) -> int:
        if self._most is None:
            share = max(_ALWAYS, machine_memory() // _SHARE)
            self._most = share if self._has_end else min(share, _MOST_WITHOUT_END)
        return self._most

    def renew(self) -> None:
        """Reset the counts for the next graph."""
        self._taken = self._lines = 0


def _too_much(what: str, name: str, most: int) -> InputError:
    enough = max(1, 4 * most >> 30)
    return InputError(what, where=name, advice=f"if you trust the file, set {VARIABLE} to a size, e.g. {enough}G")


def _user_limit() -> int | None:
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    size = parse_size(text)
    if not size:
        raise UsageError(f"'{text}' is not a size like 500M or 20G", where=VARIABLE)
    return size
