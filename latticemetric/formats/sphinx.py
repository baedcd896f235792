"""Read and write Sphinx-3 and PocketSphinx lattices: `Frames`, `Nodes`, `Initial`, `Final`, `Edges` … `End`.

The arcs that leave a node have its word; an additional arc, from the final node to the end, has the final node's word.
The acoustic score of an edge is a log-likelihood to the base `-logbase`; costs are −score · ln base. See
docs/formats/sphinx.md.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import FormatError, InputError, shortened
from latticemetric.formats.columns import (
    ClosedArcs,
    WordNodes,
    closed_arcs,
    ends_in_last_state,
    lattice_to_write,
    only_column,
    word_nodes,
)
from latticemetric.formats.marks import MARK, SENTENCE_MARKS, encode_without_marks, mark_labels, note_marks
from latticemetric.formats.registry import Format, only_graph, register
from latticemetric.formats.text.fields import (
    Part,
    labels_of_numbered,
    number,
    numbered_lines,
    numbered_texts,
    require_fields,
    whole_number,
    without_texts,
    word_to_write,
    words_part,
)
from latticemetric.graph import Graph
from latticemetric.lattice.columns import Floats
from latticemetric.lattice.lattice import Column, Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary, Words, utf8_texts

_BASES = (1.0001, 1.0003)  # the logarithm bases of PocketSphinx and Sphinx-3
_FRAME_RATE = 100.0
_NO_WORD = "(null)"  # PocketSphinx writes this for a node without a word
_SILENCE = "<sil>"
_FILLER = re.compile(r"\+\+.+\+\+")
_VARIANT = re.compile(r"(.+)\(([0-9]+)\)")
_VARIANTS = "v"
_INTEGERS_BELOW = 2.0**31

_FIRST_LINES = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*Frames[ \t]+[-+0-9.eE]+[ \t\r]*(?:\n|$)")
_NODE_FIELDS = 5
_EDGE_FIELDS = 3

_Lines = Iterator[tuple[str, list[str]]]


def _parse(data: bytes, file: str, table: Vocabulary | None) -> Lattice:
    log_of_base, rate = _header(data, file)
    read = _native.read_sphinx(data) or _read_lines(data, file)
    # The last word goes from the final node to the end.
    (of_node, texts), end = read["texts"], len(read["frames"])
    source, target = np.append(read["source"], np.int32(read["final"])), np.append(read["target"], np.int32(end))
    cost = np.append(0.0 - read["score"] * log_of_base, 0.0)
    split = [_VARIANT.fullmatch(text) if text.endswith(")") else None for text in texts]
    of_text, bare = np.arange(1, len(texts) + 1, dtype=np.int32), texts
    if any(split):
        of_text, bare = numbered_texts(match[1] if match else text for match, text in zip(split, texts, strict=True))
    found = [text for text in bare if text.startswith(("<", "+")) and _is_mark(text)]
    words, vocabulary, marks = encode_without_marks((of_text[of_node - 1], bare), _NO_WORD, found, table)
    labels = mark_labels((marks[0][source], marks[1]))
    if any(split):
        variant, variants = without_texts(numbered_texts(match[2] if match else "" for match in split), [""])
        labels = {_VARIANTS: labels_of_numbered((variant[of_node - 1][source], variants))} | labels
    # A lattice of a single frame has no times.
    times = None if read["end"] == 1 and not read["frames"].any() else np.append(read["frames"], read["end"]) / rate
    return Lattice.from_arcs(
        source,
        target,
        words[source],
        final=[end],
        start=read["initial"],
        scores={"acoustic": Column(cost, np.zeros(1))},
        vocabulary=vocabulary,
        times=times,
        labels=labels,
        copy=False,
    )


def _read_lines(data: bytes, file: str) -> dict[str, Any]:
    """Read a file that is not usual, and say what is wrong with it; return what `_native.read_sphinx` returns."""
    lines = ((place, fields) for place, fields in numbered_lines(data, file) if not fields[0].startswith("#"))
    place, fields = _keyword(lines, "Frames", file)
    end = number(fields[1], place)
    texts, frames, names, initial = _nodes(lines, file)
    place, fields = _keyword(lines, "Final", file)
    final = _node_index(names, fields[1], place)
    place, fields = _keyword(lines, "BestSegAscr", file)
    for _ in range(whole_number(fields[1], "the number of segments", place)):
        if not next(lines, None):
            raise _cut_short(file)
    source, target, score = _edges(lines, names, file)
    return {
        "texts": numbered_texts(texts), "initial": initial, "final": final,
        "source": np.array(source, dtype=np.int32), "target": np.array(target, dtype=np.int32),
        "score": np.array(score, dtype=np.float64), "end": end, "frames": np.array(frames),
    }  # fmt: skip


def _is_mark(text: str) -> bool:
    """Check whether a word marks the begin or end of a sentence, silence or noise."""
    return text in SENTENCE_MARKS or text == _SILENCE or _FILLER.fullmatch(text) is not None


def _header(data: bytes, file: str) -> tuple[float, float]:
    """Return the natural logarithm of the base, and the number of frames per second, from the file's comments."""
    values = {"-logbase": _BASES[0], "-frate": _FRAME_RATE}
    for place, fields in numbered_lines(data, file):
        if not fields[0].startswith("#"):
            break
        if len(fields) > 1 and (name := fields[1]) in values:
            values[name] = number(fields[2], place) if len(fields) > 2 else 0.0  # noqa: PLR2004  the mark, name, value
            if values[name] <= 0:
                raise FormatError(f"{name} is not a number above 0", where=place)
            if name == "-logbase" and values[name] == 1:
                raise FormatError("-logbase is 1", where=place, advice="a base is above 0 and not 1")
    return math.log(values["-logbase"]), values["-frate"]


def _keyword(lines: _Lines, word: str, file: str) -> tuple[str, list[str]]:
    place, fields = next(lines, (file, [""]))
    if fields == [""]:
        raise _cut_short(file)
    _value(place, fields, word)
    return place, fields


def _value(place: str, fields: list[str], word: str) -> str:
    """Return the field after a keyword."""
    if fields[0] != word or len(fields) == 1:
        shown = shortened(" ".join(fields), 40)
        raise FormatError(f"expected '{word}' and a number, found '{shown}'", where=place)
    return fields[1]


def _cut_short(file: str) -> FormatError:
    return FormatError(
        "the lattice is cut short: it has no line 'End'", where=file, advice="copy or write the file again"
    )


def _nodes(lines: _Lines, file: str) -> tuple[list[str], list[float], dict[int, int], int]:
    """Return the word and frame of each node, the index of each node number, and the index of the initial node."""
    where, fields = _keyword(lines, "Nodes", file)
    count = whole_number(fields[1], "the number of nodes", where, 1)
    texts: list[str] = []
    frames: list[float] = []
    names: dict[int, int] = {}
    for place, fields in lines:
        if fields[0] == "Initial":
            if len(texts) != count:
                raise FormatError(f"the line gives {count} nodes, but the file has {len(texts)}", where=where)
            return texts, frames, names, _node_index(names, _value(place, fields, "Initial"), place)
        # PocketSphinx appends another number after a semicolon.
        if len(fields) != _NODE_FIELDS and fields[_NODE_FIELDS : _NODE_FIELDS + 1] != [";"]:
            raise FormatError(f"a node has {_NODE_FIELDS} fields, but this line has {len(fields)}", where=place)
        name = whole_number(fields[0], "the node", place)
        if name in names:
            raise FormatError(f"node {name} appears twice", where=place)
        names[name] = len(texts)
        frame, *_ = (number(field, place) for field in fields[2:_NODE_FIELDS])
        texts.append(fields[1])
        frames.append(frame)
    raise _cut_short(file)


def _node_index(names: dict[int, int], text: str, place: str) -> int:
    name = whole_number(text, "the node", place)
    if name not in names:
        raise FormatError(f"there is no node {name}", where=place)
    return names[name]


def _edges(lines: _Lines, names: dict[int, int], file: str) -> tuple[list[int], list[int], list[float]]:
    """Return the source, the target and the score of each edge."""
    place, fields = next(lines, (file, [""]))
    if fields[0] != "Edges":
        raise _cut_short(file) if fields == [""] else FormatError("'Edges' is missing here", where=place)
    if len(fields) > 1 and "TO-NODEID" not in fields[2:3]:
        raise FormatError("edges without target nodes cannot be read", where=place)
    source: list[int] = []
    target: list[int] = []
    score: list[float] = []
    for place, fields in lines:
        if fields == ["End"]:
            if (after := next(lines, None)) is not None:
                raise FormatError("there are more lines after 'End'", where=after[0], advice="a file holds one lattice")
            return source, target, score
        if len(fields) != _EDGE_FIELDS:
            raise FormatError(f"an edge has {_EDGE_FIELDS} fields, but this line has {len(fields)}", where=place)
        source.append(_node_index(names, fields[0], place))
        target.append(_node_index(names, fields[1], place))
        score.append(number(fields[2], place))
    raise _cut_short(file)


# ---- Writing ----


def _write(file: IO[bytes], _name: str, graph: Graph) -> None:
    """Write one lattice.

    Write scores and frames as whole numbers in Sphinx's units, if they are then read back exactly. Otherwise, write
    decimals: scores to the base e, and times in seconds.
    """
    lattice = lattice_to_write(graph, "sphinx", {_VARIANTS, MARK}, one_score=True)
    note_marks(lattice, "sphinx", _is_mark)
    arcs, final, closing = _arcs_to_write(lattice)
    keys, words_of_keys = _keys(arcs, lattice.vocabulary)
    nodes = word_nodes(arcs.states, arcs.source, arcs.target, keys)
    rate, frames = _frames(lattice)
    end = frames.max() if closing is None else frames[-1]
    frames = np.append(frames, end)[: arcs.states + 1]  # that of each state, then that of the end
    base, scores = _scores(next(iter(arcs.costs.values()), np.zeros(len(arcs.word))))
    rows = np.delete(np.arange(len(arcs.word)), [] if closing is None else [closing])
    edges = [nodes.of_arc[rows], b" ", arcs.target[rows], b" ", _numbers_part(scores[rows]), b"\n"]
    joined, owner = nodes.joints(arcs.states)
    are_whole = frames.dtype != np.float64 and frames.min() >= 0
    ends = _spans(nodes, frames[arcs.target], end, one_before=are_whole)
    words = words_of_keys(nodes.word)
    spans = [part for values in (frames[nodes.state], *ends) for part in (b" ", _numbers_part(values))]
    numbers = np.arange(len(nodes.word), dtype=np.int32)
    header = f"# getcwd: /\n# -logbase {base}\n# -frate {rate}\n#\n"
    header += f"Frames {end if lattice.times is not None else 1}\n#\n"
    header += f"Nodes {len(numbers)} (NODEID WORD STARTFRAME FIRST-ENDFRAME LAST-ENDFRAME)\n"
    middle = f"#\nInitial 0\nFinal {final}\n#\nBestSegAscr 0 (NODEID ENDFRAME ASCORE)\n#\n"
    middle += "Edges (FROM-NODEID TO-NODEID ASCORE)\n"
    pieces = [
        header.encode(),
        _native.write_rows(len(numbers), [numbers, b" ", words, *spans, b"\n"]),
        middle.encode(),
        _native.write_rows(len(rows), edges),
        _native.write_rows(len(joined), [owner, b" ", joined, b" 0\n"]),
        b"End\n",
    ]
    file.write(b"".join(pieces))


def _arcs_to_write(lattice: Lattice) -> tuple[ClosedArcs, int, int | None]:
    """Return the arcs to write, the state of the final node, and the arc to leave out.

    The arc to leave out leads from the final node to the end: readers add this arc themselves. If the lattice does not
    have this arc, the third value is `None`.
    """
    last = lattice.num_states - 1
    is_closed = ends_in_last_state(lattice)
    arcs = closed_arcs(lattice, new_end=not is_closed)
    if is_closed and len(rows := np.flatnonzero(arcs.target == last)) == 1:
        row = int(rows[0])
        state = int(arcs.source[row])
        if only_column(lattice).arc[row] == 0 and np.count_nonzero(arcs.source == state) == 1:
            return arcs._replace(states=last), state, row
    return arcs, arcs.states - 1, None


def _keys(arcs: ClosedArcs, vocabulary: Vocabulary) -> tuple[Words, Callable[[Words], Part]]:
    """Return the number of each arc's word with its labels, and what returns a part of rows for such numbers."""

    def plain(words: Words) -> Part:
        _require_plain(vocabulary, words)
        return words_part(vocabulary, words, _NO_WORD)

    if not arcs.labels:
        return arcs.word, plain
    nothing = [""] * len(arcs.word)
    listed = {name: texts.words(numbers) for name, (numbers, texts) in arcs.labels.items()}
    variants, marks = (listed.get(name, nothing) for name in (_VARIANTS, MARK))
    numbers: dict[tuple[int, str], int] = {(EPSILON, ""): EPSILON}
    rows = zip(arcs.word.tolist(), variants, marks, strict=True)
    keys = [numbers.setdefault((word, _label(word, *labels)), len(numbers)) for word, *labels in rows]
    of_number = list(numbers)

    def labelled(numbers: Words) -> Part:
        distinct = list(dict.fromkeys(numbers.tolist()))
        texts = {number: _word_to_write(vocabulary, *of_number[number]) for number in distinct}
        return numbers, utf8_texts([texts.get(number, "") for number in range(len(of_number))])

    return np.array(keys, dtype=np.int32), labelled


def _label(word: int, variant: str, mark: str) -> str:
    """Return the pronunciation variant of a word; of ε with a mark, the mark and its variant."""
    if word or not mark:
        return variant
    return f"{mark}({variant})" if variant else mark


def _scores(costs: Floats) -> tuple[str, npt.NDArray[Any]]:
    """Return the logarithm base, and the scores to that base."""
    for base in _BASES:
        log = math.log(base)
        scores = 0.0 - costs / log
        if (np.abs(scores) < _INTEGERS_BELOW).all():
            whole = np.rint(scores)
            if (0.0 - whole * log == costs).all():
                return f"{base:e}", _narrowed(whole)
    return repr(math.e), 0.0 - costs


def _narrowed(whole: Floats) -> npt.NDArray[Any]:
    """Return whole numbers as 32 bits if they fit, and as 64 bits otherwise."""
    wide = whole.astype(np.int64)
    narrow = wide.astype(np.int32)
    return narrow if (narrow == wide).all() else wide


def _frames(lattice: Lattice) -> tuple[str, npt.NDArray[Any]]:
    """Return the frame rate (frames per second), and the frame of each state."""
    if lattice.times is None:
        return f"{_FRAME_RATE:.0f}", np.zeros(lattice.num_states, dtype=np.int32)
    times = lattice.times
    frames = np.rint(np.where(np.abs(times) < _INTEGERS_BELOW, times, 0.0) * _FRAME_RATE)
    # A single frame would be read back as a lattice without times.
    if (frames / _FRAME_RATE == times).all() and (frames.max() != 1 or len(set(frames.tolist())) > 2):  # noqa: PLR2004
        return f"{_FRAME_RATE:.0f}", _narrowed(frames)
    return "1", times


def _spans(nodes: WordNodes, nexts: npt.NDArray[Any], end: Any, *, one_before: bool) -> list[npt.NDArray[Any]]:
    """Return the first and the last frame at which the word of each node may end.

    A word ends when the next node, whose frame is in `nexts` for each arc, begins; or one frame before.
    """
    order = np.argsort(nodes.of_arc, kind="stable")
    begin = np.searchsorted(nodes.of_arc[order], np.arange(len(nodes.word)))
    has_arcs = np.diff(begin, append=len(order)) > 0
    spans = []
    for choose in (np.minimum, np.maximum):
        ends = np.full(len(nodes.word), end, dtype=nexts.dtype)
        if has_arcs.any():
            ends[has_arcs] = choose.reduceat(nexts[order], begin[has_arcs])
        spans.append(np.maximum(ends - 1, 0) if one_before else ends)
    return spans


def _numbers_part(values: npt.NDArray[Any]) -> Part:
    """Return numbers as a part of rows."""
    if values.dtype != np.int64:
        return values
    return np.arange(len(values), dtype=np.int32), utf8_texts(list(map(str, values.tolist())))


def _require_plain(vocabulary: Vocabulary, words: Words) -> None:
    """Raise an error if a word would be read back as another one."""
    require_fields(vocabulary, words, _NO_WORD)
    if not vocabulary.is_numeric and any(word.endswith(")") for word in vocabulary.decode(set(words.tolist()))):
        for word in dict.fromkeys(words.tolist()):
            _word_to_write(vocabulary, word, "")


def _word_to_write(vocabulary: Vocabulary, symbol: int, variant: str) -> str:
    """Return the text of a word; `variant` is its pronunciation variant, or the mark of ε."""
    if symbol == EPSILON and _is_mark(_VARIANT.sub(r"\1", variant)):
        return variant
    word = word_to_write(vocabulary, symbol, _NO_WORD)
    if variant:
        if not re.fullmatch("[0-9]+", variant):
            raise InputError(
                f"the pronunciation variant '{shortened(variant, 40)}' is not a number",
                advice="leave it out with Corpus.converted(drop_labels=True)",
            )
        return f"{word}({variant})"
    if _VARIANT.fullmatch(word):
        raise InputError(
            f"the word '{shortened(word, 40)}' would be read back as a pronunciation variant",
            advice="write another format",
        )
    return word


register(
    Format(
        "sphinx",
        (".sphinx.lat", ".sphinx"),
        lambda head: bool(_FIRST_LINES.match(head)),
        lambda stream, table: only_graph(stream, _parse, table),
        _write,
        single=True,
    )
)
