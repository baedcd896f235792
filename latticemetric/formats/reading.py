"""Read graphs from files, folders, globs, archives and standard input, one in memory at a time; read symbol tables."""

from __future__ import annotations

import contextlib
import os
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from latticemetric.arguments import path_text
from latticemetric.errors import FormatError, InputError, LatticeMetricError, UsageError, shortened
from latticemetric.formats.entry_block import EntryBlock, checked_entries
from latticemetric.formats.marks import marks_as_words
from latticemetric.formats.partial_table import note_lacking
from latticemetric.formats.registry import (
    FOLDER_FORMATS,
    Block,
    Entry,
    Format,
    UnknownFormatError,
    find_format,
    graph_name,
    may_be_script,
    sniff,
    unbuildable,
)
from latticemetric.formats.streams.compression import is_tar, without_compression
from latticemetric.formats.streams.in_blocks import InBlocks, are_new, blocks_of
from latticemetric.formats.streams.paths import expand, pattern_of_others
from latticemetric.formats.streams.specifiers import file_named
from latticemetric.formats.streams.stream import HEAD_SIZE, STANDARD_INPUT, Stream, decoded_line, open_stream
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice
from latticemetric.nbest import NBest
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import EPSILON, PartialVocabulary, Vocabulary, split_words

# The number of first bytes that distinguish compressed files from text.
_MAGIC = 4
_SYMBOLS = struct.pack("<i", 2125658996)
_SYMBOL_NUMBER = re.compile("[0-9]{1,10}")
_SUFFIXES = re.compile(r"(?<=[^/])(\.[A-Za-z]\w*)+$")


@says_new_keywords
def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    symbols: str | os.PathLike[str] | Vocabulary | None = None,
    keep_marks: bool = False,
) -> Iterator[tuple[str, Graph]]:
    """Read the graphs of a file, folder, glob or standard input (`-`), one in memory at a time.

    Args:
        path: The path; gzip, xz and zstd are decompressed.
        format: The format's name; detected from the content by default.
        symbols: A symbol table (or its file) that maps the graphs' word numbers to words.
        keep_marks: Read sentence marks, such as `<s>` and `!SENT_START` in HTK lattices, as words; by default, they are
            ε in formats that have them, with the label `mark`.

    Yields:
        The id of each graph, and the graph.
    """
    for entry in entries([path], format, as_vocabulary(symbols), keep_marks=keep_marks):
        yield entry.name, entry.build()


@says_new_keywords
def read_one(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    symbols: str | os.PathLike[str] | Vocabulary | None = None,
    keep_marks: bool = False,
) -> Graph:
    """Read a file that holds exactly one graph; the arguments are those of `read`."""
    graphs = read(path, format=format, symbols=symbols, keep_marks=keep_marks)
    _, graph = next(graphs)
    if next(graphs, None) is not None:
        raise InputError(
            "there is more than one graph", where=path_text(path), advice="use `read`, which yields all graphs"
        )
    return graph


def entries(
    paths: Iterable[str | os.PathLike[str]],
    format_name: str | None = None,
    vocabulary: Vocabulary | None = None,
    *,
    keep_marks: bool = False,
) -> Iterator[Entry]:
    """Yield an entry for each graph of `paths`; `Entry.build` parses the graph.

    With `keep_marks`, sentence marks are words (see `formats/marks.py`).
    """
    read: Iterator[Entry] = InBlocks(_entries(paths, format_name, vocabulary))
    if isinstance(vocabulary, PartialVocabulary):
        # It changes no graph that kernels read: a graph whose words are all in the table.
        read = checked_entries(read, _completed)
    return (entry.changed(marks_as_words) for entry in read) if keep_marks else read


def _completed(entry: Entry) -> Entry:
    return entry.checked(partial(_with_whole_table, place=entry.place))


def _with_whole_table(graph: Graph, place: str) -> Graph:
    """Return the graph with a table of all its words; say once a run that the symbol table lacks numbers."""
    if isinstance(graph, NBest) or not isinstance(graph.vocabulary, PartialVocabulary):
        return graph
    symbols = graph.word if isinstance(graph, Lattice) else graph.target.values
    table, lacking = graph.vocabulary.complete([symbols])
    note_lacking(place, [table.word(number) for number in lacking])
    return replace(graph, vocabulary=table)


def _entries(
    paths: Iterable[str | os.PathLike[str]], format_name: str | None, vocabulary: Vocabulary | None
) -> Iterator[Sequence[Entry]]:
    required = find_format(format_name) if format_name else None
    named = (file_named(path_text(path)) for path in paths)
    listed = [(path, _expanded(path, required)) for path in named]
    for path, files in listed:
        for file in files:
            read = _entries_of(file, required, vocabulary)
            if file == path:
                yield from _or_error(file, read)
            else:
                # The files of a folder or a glob are sorted by name; the user did not choose this order.
                yield from _ordered_by(file, _or_error(file, _or_advice(read, file, files)))


def _or_advice(read: Iterator[Sequence[Entry]], file: str, files: Sequence[str]) -> Iterator[Sequence[Entry]]:
    """Yield the blocks of a file of a folder; if the format is unknown, advise the user to leave the file out."""
    try:
        yield from read
    except UnknownFormatError as error:
        advice = f"if it holds no graphs, name the other files with a quoted glob: '{pattern_of_others(files, file)}'"
        raise FormatError(error.what, where=error.where, advice=advice) from None


def blocks(path: str, format_name: str | None = None) -> Iterator[Block] | None:
    """Return the blocks of a file, which other processes can parse; `None` for a folder, or a format without blocks."""
    required = find_format(format_name) if format_name else None
    if (required is not None and required.read_blocks is None) or not os.path.isfile(path):  # noqa: PTH113  a string
        return None
    with open_stream(path) as stream:
        in_format = required or (None if is_tar(stream.head()) or not stream.head().strip() else sniff(stream))
    return None if in_format is None or in_format.read_blocks is None else _blocks_of(path, in_format.read_blocks)


def _blocks_of(path: str, read_blocks: Callable[[Stream], Iterator[Block]]) -> Iterator[Block]:
    with open_stream(path) as stream:
        yield from read_blocks(stream)


def _expanded(path: str, required: Format | None) -> list[str]:
    return expand(path, lambda folder: _format_of_folder(folder, required) is not None)


def _or_error(path: str, read: Iterator[Sequence[Entry]]) -> Iterator[Sequence[Entry]]:
    """Turn an error of a file into an entry whose `build` raises the error; so a run can continue with other files."""
    try:
        yield from read
    except InputError as error:
        name = graph_name(without_compression(Path(path).name))
        yield [Entry(name, path, unbuildable(error), naming="file")]


def _ordered_by(name: str, read: Iterable[Sequence[Entry]]) -> Iterator[Sequence[Entry]]:
    """Prefix the `order` of each graph with the name of its file, without usual suffixes."""
    stem = _SUFFIXES.sub("", name)
    for block in read:
        for entry in block:
            yield [entry._replace(order=f"{stem}/{entry.order}" if entry.order else stem)]


def files_read(path: str, format_name: str | None = None) -> Iterator[str]:
    """Yield all files that are read for a path: the files of a folder or glob, and the files that scripts name.

    Files that cannot be read are skipped; `entries` raises the error.
    """
    with contextlib.suppress(InputError, UsageError, OSError):
        required = find_format(format_name) if format_name else None
        for file in _expanded(path, required):
            with contextlib.suppress(InputError, UsageError, OSError):
                folder = Path(file)
                if not folder.is_dir():
                    yield file
                    yield from _files_pointed_to(file, required)
                elif (in_format := _format_of_folder(folder, required)) and in_format.folder_files is not None:
                    yield from map(str, in_format.folder_files(folder))
                else:
                    yield from map(str, filter(Path.is_file, folder.rglob("*")))


def _files_pointed_to(path: str, required: Format | None) -> Iterator[str]:
    """Yield the files that a script, such as Kaldi's `.scp`, names. Do not open pipes: they can be read only once."""
    if not os.path.isfile(path):  # noqa: PTH113  a plain string
        return
    if required is None:
        # Check the first bytes quickly: thousands of files may be checked before the first graph is read.
        with open(path, "rb", buffering=0) as raw:  # noqa: PTH123  a plain string
            head = raw.read(HEAD_SIZE)
        magic = head[:_MAGIC]
        is_text = magic.isascii() and all(chr(byte).isprintable() or chr(byte).isspace() for byte in magic)
        if is_text and not may_be_script(head):
            return
    elif required.points_to is None:
        return
    with open_stream(path) as stream:
        if is_tar(stream.head()):
            return  # finding scripts in an archive would mean reading all of it
        in_format = required or sniff(stream)
        if in_format.points_to is not None:
            yield from in_format.points_to(stream)


def _entries_of(path: str, required: Format | None, vocabulary: Vocabulary | None) -> Iterator[Sequence[Entry]]:
    if path != STANDARD_INPUT and Path(path).is_dir():
        in_format = _format_of_folder(Path(path), required)
        assert in_format is not None
        assert in_format.read_folder is not None
        yield from _checked(in_format.read_folder(Path(path), vocabulary), in_format, path)
        return
    with open_stream(path) as stream:
        if not is_tar(stream.head()):
            yield from _entries_of_stream(stream, required, vocabulary)
            return
        from latticemetric.formats.streams.tar import members

        empty = True
        for member in members(stream):
            empty = False
            name = (member.where or path) if isinstance(member, InputError) else member.name
            yield from _ordered_by(name, _or_error(name, _entries_of_stream(member, required, vocabulary)))
        if empty:
            raise InputError("the archive holds no files", where=path)


def _entries_of_stream(
    stream: Stream | InputError, required: Format | None, vocabulary: Vocabulary | None
) -> Iterator[Sequence[Entry]]:
    if isinstance(stream, InputError):
        raise stream
    in_format = required or sniff(stream)
    for block in _checked(in_format.read(stream, vocabulary), in_format, stream.name):
        stream.begin_next_graph(len(block))
        yield block


def _checked(read: Iterator[Entry], in_format: Format, path: str) -> Iterator[Sequence[Entry]]:
    """Add the format's name to entries, turn duplicate ids into errors, and add the graph's place to errors."""
    empty = True
    ids: set[str] = set()
    for block in blocks_of(read):
        empty &= not block
        if isinstance(block, EntryBlock) and are_new(block.names, ids):
            ids.update(block.names)
            yield block.checked(partial(_placed, in_format=in_format))
            continue
        for entry in block:
            is_twice = entry.naming == "own" and entry.name in ids
            yield [_placed(_given_twice(entry) if is_twice else entry, in_format)]
            if entry.naming == "own":
                ids.add(entry.name)
    if empty:
        raise FormatError(f"the {in_format.name} file holds no graph", where=path)


def _given_twice(entry: Entry) -> Entry:
    twice = FormatError("the id appears twice", where=entry.place, advice="give each graph its own id")
    return entry._replace(build=unbuildable(twice), text=None)


def _placed(entry: Entry, in_format: Format) -> Entry:
    return entry._replace(build=partial(_build, entry.build, entry), format=in_format.name)


def _format_of_folder(folder: Path, required: Format | None) -> Format | None:
    """Return the format of a folder that is one data set, or `None`. Try a plug-in only if it is `required`."""
    candidates = [required] if required is not None else map(find_format, FOLDER_FORMATS)
    try:
        return next((one for one in candidates if one.claims_folder is not None and one.claims_folder(folder)), None)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(folder)) from None


def _build(build: Callable[[], Graph], entry: Entry) -> Graph:
    """Build the graph of an entry; add the entry's place to errors that name no place, and its id to those that do."""
    try:
        return build()
    except LatticeMetricError as error:
        if not error.where:
            raise error.at(entry.place) from None
        named = f"({shortened(entry.name)})"
        if entry.naming == "file" or named in error.where:
            raise
        raise type(error)(error.what, where=f"{error.where} {named}", advice=error.advice) from None


# ---- Symbol tables ----


def read_symbols(path: str | os.PathLike[str]) -> Vocabulary:
    """Read a symbol table: lines `word number` or `number word`, or a binary table of OpenFst; number 0 is always ε.

    The table may lack numbers of graphs, which stay numbers.
    """
    words: dict[int, str] = {}
    numbers: dict[str, int] = {}
    source = path_text(path, "the symbol table")
    with open_stream(source) as stream:
        for place, word, number in (_binary_symbols if stream.head().startswith(_SYMBOLS) else _text_symbols)(stream):
            if number in words:
                raise FormatError(f"number {number} has two words", where=place, advice="keep one of them")
            if number != EPSILON and word in numbers:
                raise FormatError(f"word '{word}' has two numbers", where=place, advice="keep one of them")
            words[number] = word
            numbers[word] = number
    if not words:
        raise FormatError("the symbol table is empty", where=source)
    try:
        return PartialVocabulary(words)
    except InputError as error:
        raise error.at(source) from None


def _text_symbols(stream: Stream) -> Iterator[tuple[str, str, int]]:
    """Yield place, word and number of each line; if only the first fields of all lines are numbers, they are these."""
    rows = [(stream.place(), line, fields) for line in stream.lines() if (fields := split_words(line))]
    numbers_first = all(
        len(fields) == 2 and _SYMBOL_NUMBER.fullmatch(fields[0])  # noqa: PLR2004  a number and a word
        for _, _, fields in rows
    ) and not all(_SYMBOL_NUMBER.fullmatch(fields[1]) for _, _, fields in rows)
    for place, line, fields in rows:
        word, number = (fields[::-1] if numbers_first else fields) if len(fields) == 2 else ("", "")  # noqa: PLR2004
        if not _SYMBOL_NUMBER.fullmatch(number):
            raise FormatError(
                f"'{shortened(line, 60)}' is not a word and its number",
                where=place,
                advice="write a word, white space and its number on each line, or all numbers first",
            )
        yield place, word, int(number)


def _binary_symbols(stream: Stream) -> Iterator[tuple[str, str, int]]:
    """Yield place, word and number of each entry of OpenFst's binary table, as `SymbolTable.write` makes it.

    After the magic number come the table's name, the next free number and the number of entries; then the entries. A
    text is stored as its size and its bytes.
    """
    data, at = stream.read(), len(_SYMBOLS)

    def text() -> bytes:
        nonlocal at
        (size,) = struct.unpack_from("<i", data, at)
        begin, at = at + 4, at + 4 + size
        if size < 0 or at > len(data):
            raise struct.error
        return data[begin:at]

    try:
        text()
        _, count = struct.unpack_from("<qq", data, at)
        at += 16
        for _ in range(count):
            place = f"{stream.name}, byte {at}"
            word = decoded_line(text(), place)
            (number,) = struct.unpack_from("<q", data, at)
            at += 8
            if number < 0:
                raise FormatError(f"the number {number} of '{shortened(word, 40)}' is below 0", where=place)
            yield place, word, number
    except struct.error:
        advice = "copy or write the file again"
        raise FormatError("the symbol table is cut short", where=stream.name, advice=advice) from None


def as_vocabulary(symbols: str | os.PathLike[str] | Vocabulary | None) -> Vocabulary | None:
    """Return the vocabulary; read it first if `symbols` is a file."""
    return symbols if symbols is None or isinstance(symbols, Vocabulary) else read_symbols(symbols)
