"""Lattices as text, written arc by arc: what the native writers are compared with."""

import re
import struct

import numpy as np

from latticemetric.errors import InputError
from latticemetric.formats import htk
from latticemetric.formats.columns import closed_arcs, ends_in_last_state, lattice_to_write, listed_arcs, only_column
from latticemetric.formats.htk import _NO_WORDS, _quoted, _written_columns
from latticemetric.formats.kaldi.text import TRANSITIONS, kaldi_lattice
from latticemetric.formats.marks import MARK
from latticemetric.formats.text.fields import is_word_number, refuse_word, word_to_write
from latticemetric.lattice.lattice import Lattice

_EPSILONS = ("<eps>", "<epsilon>", "ε")


def as_kaldi(name: str, graph: Lattice) -> bytes:
    """Write Kaldi's text."""
    lattice, columns = kaldi_lattice(name, graph)
    words = _words(lattice.vocabulary, lattice.word)
    side = lattice.labels.get(TRANSITIONS)
    lines = [f"{name} "]
    for part, states in (("arc", [lattice.source, lattice.target]), ("final", [lattice.final])):
        for row, numbers in enumerate(zip(*(column.tolist() for column in states), strict=True)):
            costs = [getattr(column, part)[row] for column in columns]
            ids = side.vocabulary.word(int(getattr(side, part)[row])) if side else ""
            weight = ",".join([*map(float32_text, costs), ids])
            lines.append(" ".join([*map(str, numbers), *([words[row]] if part == "arc" else []), weight]))
    return ("\n".join(lines) + "\n\n").encode()


def _float32(cost: float) -> np.float32:
    with np.errstate(over="ignore"):
        value = np.float32(cost)
    if not np.isfinite(value):
        raise InputError("a cost does not fit into Kaldi's 32 bits", advice="write another format")
    return value


def float32_text(cost: float) -> str:
    """Return the shortest decimal that is read as the same 32 bits."""
    value = _float32(cost)
    size = abs(float(value))
    if size == 0 or 1e-4 <= size < 1e6:
        return str(np.format_float_positional(value, unique=True, trim="0"))
    return str(np.format_float_scientific(value, unique=True, trim="-", exp_digits=2))


def as_openfst_text(_name: str, graph: Lattice) -> bytes:
    """Write OpenFst's text."""
    lattice = lattice_to_write(graph, "openfst-text", {"input"}, one_score=True)
    outputs = _words(lattice.vocabulary, lattice.word)
    side = lattice.labels.get("input")
    inputs = _words(side.vocabulary, side.arc) if side else outputs
    column, weighted = only_column(lattice), bool(lattice.scores)
    rows = zip(lattice.source.tolist(), lattice.target.tolist(), inputs, outputs, column.arc.tolist(), strict=True)
    lines = [f"{s}\t{t}\t{i}\t{o}" + (f"\t{w!r}" if weighted else "") for s, t, i, o, w in rows]
    final = zip(lattice.final.tolist(), column.final.tolist(), strict=True)
    lines += [f"{state}\t{weight!r}" if weighted else f"{state}" for state, weight in final]
    return ("\n".join(lines) + "\n").encode()


def as_slf(name: str, graph: Lattice) -> bytes:
    """Write HTK's lattices."""
    lattice = lattice_to_write(graph, "htk-slf", {MARK, "v", "d", "s", "i", "p"}, weights=True)
    new_end = lattice.num_states == 1 or not ends_in_last_state(lattice)
    columns, penalty = _written_columns(lattice, closed_arcs(lattice, new_end=new_end))
    arcs = listed_arcs(lattice, new_end=new_end)
    header = ["VERSION=1.1", f"UTTERANCE={_quoted(name)}"]
    header += [f"{c.header}={c.weight!r}" for c in columns if c.weight != htk._SCALES.get(c.field, ("", 0.0))[1]]
    header += [] if penalty is None else [f"wdpenalty={penalty!r}"]
    lines = [*header, "start=0", f"end={arcs.states - 1}", f"N={arcs.states} L={len(arcs.word)}"]
    times = None if lattice.times is None else [*lattice.times.tolist(), max(lattice.times.tolist())]
    lines += [f"I={s}" + ("" if times is None else f" t={times[s]!r}") for s in range(arcs.states)]
    marks = arcs.labels.pop(MARK, [""] * len(arcs.word))
    for row, (source, target, number) in enumerate(zip(arcs.source, arcs.target, arcs.word, strict=True)):
        word = lattice.vocabulary.word(number)
        refuse_word(word, *_NO_WORDS)
        fields = [f"J={row} S={source} E={target} W={_quoted(word or marks[row] or _NO_WORDS[0])}"]
        fields += [f"{label}={_quoted(own[row])}" for label, own in arcs.labels.items() if own[row]]
        fields += [f"{column.field}={column.scores.tolist()[row]!r}" for column in columns]
        lines.append(" ".join(fields))
    return ("\n".join(lines) + "\n").encode()


def as_plf(_name: str, graph: Lattice) -> bytes:
    """Write the Python lattice format."""
    lattice = lattice_to_write(graph, "plf")
    arcs = listed_arcs(lattice, new_end=not ends_in_last_state(lattice))
    items: list[list[str]] = [[] for _ in range(arcs.states - 1)]
    for row, (source, target, number) in enumerate(zip(arcs.source, arcs.target, arcs.word, strict=True)):
        word = lattice.vocabulary.word(number)
        refuse_word(word, "*EPS*")
        scores = {name: 0.0 - costs[row] for name, costs in arcs.costs.items()}
        fields = [repr(score) for score in scores.values()]
        if list(scores) not in (["score"], [f"score_{k}" for k in range(len(scores))]):
            fields = ["{" + "".join(f"'{_escaped(name)}':{score!r}," for name, score in scores.items()) + "}"]
        quoted = f"'{_escaped(word or '*EPS*')}'"
        items[source].append("(" + ",".join([quoted, *fields, str(target - source)]) + ")")
    return ("(" + "".join("(" + "".join(f"{arc}," for arc in item) + ")," for item in items) + ")\n").encode()


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")


def _words(vocabulary, numbers) -> list[str]:
    nothing = ("0", *_EPSILONS) if vocabulary.is_numeric else _EPSILONS
    words = [word_to_write(vocabulary, number, *nothing) for number in numbers.tolist()]
    if not vocabulary.is_numeric and "0" in words and all(map(is_word_number, words)):
        what = "all words are numbers and one of them is 0, which would be read back as no word"
        raise InputError(what, advice="write another format")
    return words


def as_kaldi_binary(name: str, graph: Lattice) -> bytes:
    """Write Kaldi's compact machines, whose words are numbers."""
    lattice, columns = kaldi_lattice(name, graph)
    side = lattice.labels.get(TRANSITIONS)

    def weight(part: str, row: int) -> bytes:
        costs = [_float32(getattr(column, part)[row]) for column in columns]
        text = side.vocabulary.word(int(getattr(side, part)[row])) if side else ""
        ids = [int(one) for one in re.findall("-?[0-9]+", text)]
        return struct.pack(f"<ffi{len(ids)}i", *costs, len(ids), *ids)

    word = [int(lattice.vocabulary.word(number) or 0) for number in lattice.word.tolist()]
    body = b""
    for state in range(lattice.num_states):
        ends, rows = np.flatnonzero(lattice.final == state), np.flatnonzero(lattice.source == state)
        body += weight("final", ends[0]) if len(ends) else struct.pack("<ffi", np.inf, np.inf, 0)
        body += struct.pack("<q", len(rows))
        for row in rows.tolist():
            body += struct.pack("<ii", word[row], word[row]) + weight("arc", row)
            body += struct.pack("<i", lattice.target[row])
    kind = b"compactlattice44"
    header = struct.pack("<ii", 2125659606, 6) + b"vector" + struct.pack("<i", len(kind)) + kind
    header += struct.pack("<iiQqqq", 2, 0, 3, 0, lattice.num_states, len(word))
    return name.encode() + b" " + header + body
