"""Read and write Kaldi's text archives: each lattice is an id, its arcs and final states, and a blank line.

Compact: `source target word graph,acoustic,transitions`, with transition ids joined by `_`; a final state has
`graph,acoustic,transitions`. Not compact: `source target transition word graph,acoustic`. Both numbers are costs; a
missing weight means cost 0. The graph cost is the column `lm`; the acoustic cost is unscaled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import FormatError, InputError, UsageError
from latticemetric.formats.columns import lattice_to_write, zero_column
from latticemetric.formats.entry_block import EntryBlock, KernelTexts
from latticemetric.formats.registry import Entry, Format, KernelText, register
from latticemetric.formats.streams.in_blocks import InBlocks
from latticemetric.formats.streams.stream import Piece, Stream
from latticemetric.formats.text.blocks import Chunk, chunks
from latticemetric.formats.text.fields import (
    Part,
    encode_column,
    parsed_natively,
    require_id,
    require_words,
    words_part,
)
from latticemetric.frozen import FrozenDict
from latticemetric.graph import Graph
from latticemetric.lattice.columns import frozen
from latticemetric.lattice.lattice import Column, Labels, Lattice
from latticemetric.lattice.texts import Texts
from latticemetric.lattice.validation import Columns, validated
from latticemetric.vocabulary import Vocabulary, Words

COLUMNS = ("lm", "acoustic")
TRANSITIONS = "transitions"

_ID = rb"\s*(?!k2\.Fsa)[^\s|][^\n|]*\n"
_WEIGHT = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|Infinity"  # of a machine of OpenFst
_ARC = (
    rb"\d+[ \t]+\d+[ \t]+\S+([ \t]+[^\s,]+)?([ \t]+[^\s,]+,\S*)?[ \t]*\r?(\n|$)|"
    rb"\d+[ \t]+\d+[ \t]+\S+[ \t]+\S+[ \t]+(" + _WEIGHT.encode() + rb")[ \t]*\r?(\n|$)"
)
_END = rb"\d+([ \t]+[^\s,]+,\S*)?[ \t]*\r?(\n|$)"
_NOT_A_NUMBER = rb"(?!(?:0|[1-9][0-9]{0,9})[ \t\r\n])"
# Compact, or with a transition id before the word.
_SPELLED_ARC = re.compile(
    rb"^[ \t]*\d+[ \t]+\d+[ \t]+(?:\d+[ \t]+" + _NOT_A_NUMBER + rb"(?![^\s,]*,)|" + _NOT_A_NUMBER + rb")\S+[ \t\r\n]",
    re.MULTILINE,
)
_ID_THEN_NOTHING = rb"\s*[^\s|(]+[ \t\r]*\n[ \t\r]*\n"
_ID_THEN_LATTICE = re.compile(_ID + rb"(?:" + _ARC + rb"|" + _END + rb")|" + _ID_THEN_NOTHING)
_NO_PAIR = re.compile(f"'({_WEIGHT})?.*' is not a pair of a graph and an acoustic cost")
_FOR_MACHINES = (
    "machines of OpenFst have single costs: write each, without the line of its id, to a file NAME.fst.txt, and read "
    'the folder with format="openfst-text"'
)
_ARC_OR_FINAL = re.compile(rb"\s*\d+[ \t]+\S|\s*#")  # ids may contain a space, but not after a number


def _sniff(head: bytes) -> bool:
    return not _ARC_OR_FINAL.match(head) and _ID_THEN_LATTICE.match(head) is not None


def _read(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Entry]:
    return InBlocks(_read_blocks(stream, vocabulary))


def _read_blocks(stream: Stream, vocabulary: Vocabulary | None) -> Iterator[Sequence[Entry]]:
    are_spelled = spells_words(stream.head())
    for chunk in chunks(stream):
        make = partial(_entry, stream, chunk, vocabulary, are_spelled)
        names = _native.kaldi_ids(chunk.data, chunk.rows)
        if names:
            begin, end, lines, _ = chunk.rows[: len(names)].T.tolist()
            places = [stream.place(chunk.lines + before + 1) for before in lines]
            texts = KernelTexts(chunk.data, begin, end, "kaldi", are_spelled, vocabulary)
            yield EntryBlock(names, places, texts, make)
        for number in range(len(names), len(chunk.rows)):
            yield [make(number)]


def _entry(stream: Stream, chunk: Chunk, vocabulary: Vocabulary | None, are_spelled: bool, number: int) -> Entry:  # noqa: FBT001  bound by position
    lines_before, block = chunk.lines_before(number), chunk.piece(number)
    first = block.first_line
    place = stream.place(lines_before + 1)
    if _ARC_OR_FINAL.match(first):
        raise FormatError(
            "expected the id of a lattice, found an arc", where=place, advice="write ids on separate lines"
        )
    try:
        name = first.strip().decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError("the id is not UTF-8", where=place, advice="convert the file with iconv") from None
    build = partial(parse_block, block, stream.name, lines_before, vocabulary, are_spelled=are_spelled)
    text = KernelText(block, "kaldi", are_spelled, vocabulary)
    return Entry(name, place, build, naming="own", text=text, size=block.size)


def spells_words(head: bytes) -> bool:
    """Check whether an archive has words, not word numbers: a word in its first lines is not a number."""
    return _SPELLED_ARC.search(head) is not None


def parse_block(block: Piece, file: str, lines_before: int, table: Vocabulary | None, *, are_spelled: bool) -> Lattice:
    """Build a lattice from the line of its id and the lines up to a blank line.

    `are_spelled` is true if the archive has words, not word numbers: then `8` is a word, even in a lattice whose words
    all look like numbers.
    """
    try:
        # A table is asked about all words, also those of arcs that would be removed.
        read_sorted = partial(_native.read_kaldi, symbols=are_spelled, may_move=table is None)
        if (read := parsed_natively(read_sorted, block, file, lines_before)) is not None:
            sorted_columns, words = read
            return sorted_lattice(sorted_columns, words, table)
        columns = parsed_natively(partial(_native.parse_kaldi, symbols=are_spelled), block, file, lines_before)
    except FormatError as error:
        if match := _NO_PAIR.match(error.what):
            raise FormatError(error.what, where=error.where, advice=_FOR_MACHINES if match[1] else None) from None
        raise
    if _are_weights(columns):
        what = "the arcs have single costs, not pairs of a graph and an acoustic cost"
        raise FormatError(what, where=f"{file}:{lines_before + 2}", advice=_FOR_MACHINES)
    numbers, vocabulary = encode_column(columns["word"], table)
    return lattice_of(columns, numbers, vocabulary)


def _are_weights(columns: dict[str, Any]) -> bool:
    """Check whether what was read as words are the weights of machines: `0 1 5 0.3`."""
    words = columns["word"][1]
    if not words or not re.fullmatch(_WEIGHT, words[0]) or any(columns[f"cost{k}"].any() for k in range(len(COLUMNS))):
        return False
    return all(re.fullmatch(_WEIGHT, word) for word in words) and not all(map(str.isdigit, words))


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    lattice, columns = kaldi_lattice(name, graph)
    if name.startswith("#"):
        raise UsageError("an id in a text archive of Kaldi cannot begin with '#'", advice="rename it, or choose .ark")
    require_words(lattice.vocabulary, lattice.word)
    word = words_part(lattice.vocabulary, lattice.word, "0" if lattice.vocabulary.is_numeric else "<eps>")
    arc, end = _weights(lattice, columns, "arc"), _weights(lattice, columns, "final")
    arcs = _native.write_rows(len(lattice.word), [lattice.source, b" ", lattice.target, b" ", word, b" ", *arc])
    ends = _native.write_rows(len(lattice.final), [lattice.final, b" ", *end])
    file.write(f"{name} \n".encode() + arcs + ends + b"\n")


def _weights(lattice: Lattice, columns: list[Column], part: str) -> list[Part]:
    """Return the weights of arcs or final states as parts of lines: graph cost, acoustic cost, transition ids."""
    graph, acoustic = float32_costs(columns, part)
    side = lattice.labels.get(TRANSITIONS)
    transitions = words_part(side.vocabulary, getattr(side, part), "") if side else b""
    return [graph, b",", acoustic, b",", transitions, b"\n"]


register(Format("kaldi", (".lat", ".ark.txt", ".lat.txt", ".kaldi"), _sniff, _read, _write))


# ---- Two costs of 32 bits and transition ids, for text and binary archives ----


def sorted_lattice(columns: Any, words: list[str] | None, table: Vocabulary | None) -> Lattice:
    """Build a lattice from the sorted columns that a native reader returns; `words` are the words, if not numbers."""
    states, source, target, word, final, graph, acoustic, transitions = columns
    labels: FrozenDict[str, Labels] = FrozenDict()
    if transitions is not None:
        arcs, ends, rows = transitions
        labels = FrozenDict({TRANSITIONS: Labels(arcs, ends, Texts(*rows))})
    if table is not None:
        word, vocabulary = encode_column((word, words), table)
        vocabulary.check(word)
        word = frozen(word)
    else:
        vocabulary = Vocabulary.numeric() if words is None else Vocabulary.of_distinct(words)
    lm, am = COLUMNS
    scores = FrozenDict({lm: Column.of_valid(*graph), am: Column.of_valid(*acoustic)})
    return Lattice.of_valid(Columns(states, source, target, word, final, scores, vocabulary, None, labels))


def lattice_of(columns: dict[str, Any], words: Words, vocabulary: Vocabulary | None) -> Lattice:
    """Build a lattice from the columns that a native parser returns; `words` are the word numbers of arcs."""
    if not len(columns["source"]) and not len(columns["final"]):
        raise FormatError("the lattice is empty: it has no states")
    labels = {}
    begin, transitions = columns["transition_rows"]
    if len(begin) > 1:
        side = Texts(begin, transitions)
        labels[TRANSITIONS] = Labels(columns["transitions"], columns["final_transitions"], side)
    costs = [(frozen(columns[f"cost{k}"]), frozen(columns[f"final_cost{k}"])) for k in range(len(COLUMNS))]
    parsed = Columns(
        num_states=0,
        source=columns["source"],
        target=columns["target"],
        word=words,
        final=columns["final"],
        scores={name: Column(*cost) for name, cost in zip(COLUMNS, costs, strict=True)},
        vocabulary=Vocabulary.numeric() if vocabulary is None else vocabulary,
        times=None,
        labels=labels,
    )
    # The arrays of the parsers need no conversion, which `from_arcs` would begin with.
    return Lattice(*validated(parsed, columns["start"], copy=False))


def kaldi_lattice(name: str, graph: Graph) -> tuple[Lattice, list[Column]]:
    """Return the graph as a lattice for Kaldi, and a list of two columns: graph costs and acoustic costs."""
    lattice = lattice_to_write(graph, "kaldi", {TRANSITIONS})
    require_id(name, "an id in a Kaldi archive")
    if lattice.scores.keys() <= set(COLUMNS):
        return lattice, [lattice.scores.get(name) or zero_column(lattice) for name in COLUMNS]
    if len(lattice.scores) == 1:
        return lattice, [*lattice.scores.values(), zero_column(lattice)]
    raise UsageError(
        f"kaldi holds the scores lm and acoustic, but this graph has {', '.join(lattice.scores)}",
        advice="add them up with Corpus.converted(sum_scores=True)",
    )


def float32_costs(columns: list[Column], part: str) -> list[npt.NDArray[np.float32]]:
    """Return the graph and the acoustic costs of arcs or final states as Kaldi's 32-bit numbers."""
    with np.errstate(over="ignore"):
        costs = [getattr(column, part).astype(np.float32) for column in columns]
    if not all(np.isfinite(values).all() for values in costs):
        raise InputError("a cost does not fit into Kaldi's 32 bits", advice="write another format")
    return costs
