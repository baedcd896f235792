"""Lattices as text, written arc by arc: what the native writers are compared with."""

import math
import re
import struct
from decimal import Decimal
from functools import cache, partial

import numpy as np

from latticemetric.errors import InputError
from latticemetric.formats import htk, sphinx
from latticemetric.formats.columns import closed_arcs, ends_in_last_state, lattice_to_write, listed_arcs, only_column
from latticemetric.formats.htk import _NO_WORDS, _quoted, _written_columns
from latticemetric.formats.kaldi.text import TRANSITIONS, kaldi_lattice
from latticemetric.formats.marks import MARK
from latticemetric.formats.srilm import pfsg
from latticemetric.formats.text.fields import is_word_number, refuse_word, word_to_write
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import EPSILON

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


# ---- Words on nodes ----

_NO_WORD = (EPSILON, "")


def word_nodes(states, near, far, keys, bare=()):
    """Assign the word of each arc to a node of its near state."""
    copies = {}
    groups = {}
    copy_of_arc = []
    for here, there, key in zip(near, far, keys, strict=True):
        copy = copies.get((here, there, key), 0)
        copies[here, there, key] = copy + 1
        groups.setdefault(here, {})[key, copy] = -1
        copy_of_arc.append((key, copy))
    nodes, owner = [_NO_WORD] * states, list(range(states))
    for here, group in groups.items():
        alone = len(group) == 1 and here not in bare
        for key, copy in group:
            if alone or (key, copy) == (_NO_WORD, 0):
                group[key, copy] = here
                nodes[here] = key
            else:
                group[key, copy] = len(nodes)
                nodes.append(key)
                owner.append(here)
    return nodes, owner, [groups[here][choice] for here, choice in zip(near, copy_of_arc, strict=True)]


def _pfsg_score(cost: float) -> str:
    """Return a score from which readers get the same cost: if possible, a whole number, as in SRILM."""
    score = 0.0 - cost * float(pfsg._UNIT)
    if abs(score) >= 2**1023:
        raise InputError(f"the cost {cost!r} is too large for a PFSG", advice="write another format")
    for text in (str(round(score)), repr(score)):
        if pfsg._cost(text, "") == cost:
            return text
    return str(pfsg._EXACTLY.multiply(Decimal(0.0 - cost), pfsg._UNIT))


def as_pfsg(name: str, graph: Lattice) -> bytes:
    """Write SRILM's PFSG."""
    lattice = lattice_to_write(graph, "pfsg", one_score=True)
    states, last = lattice.num_states, lattice.num_states - 1
    column, single = only_column(lattice), ends_in_last_state(lattice)
    source, target = lattice.source.tolist(), lattice.target.tolist()
    keys = [(word, "") for word in lattice.word.tolist()]
    # SRILM drops the words of the initial and the final node, so these nodes have none.
    of_node, state_of, of_arc = word_nodes(states, target, source, keys, bare={0, last} if single else {0})
    joints = [(node, state) for node, state in enumerate(state_of) if node != state]
    text_of = cache(partial(word_to_write, lattice.vocabulary))
    words = [text_of(word, "NULL") for word, _ in [*of_node, *([] if single else [_NO_WORD])]]
    ends = [] if single else list(zip(lattice.final.tolist(), column.final.tolist(), strict=True))
    rows = [f"{s} {t} {_pfsg_score(c)}" for s, t, c in zip(source, of_arc, column.arc.tolist(), strict=True)]
    rows += [f"{node} {state} 0" for node, state in joints]
    rows += [f"{s} {len(words) - 1} {_pfsg_score(c)}" for s, c in ends]
    header = [f"name {name}", f"nodes {len(words)} {' '.join(words)}", "initial 0"]
    header += [f"final {last if single else len(words) - 1}", f"transitions {len(rows)}"]
    return ("\n".join([*header, *rows]) + "\n\n").encode()


def as_sphinx(_name: str, graph: Lattice) -> bytes:
    """Write the lattices of Sphinx."""
    lattice = lattice_to_write(graph, "sphinx", {sphinx._VARIANTS, MARK}, one_score=True)
    arcs, final, closing = _arcs_to_write(lattice)
    nothing = [""] * len(arcs.word)
    variants, marks = (arcs.labels.get(name, nothing) for name in (sphinx._VARIANTS, MARK))
    texts = [
        variant if word or not mark else f"{mark}({variant})" if variant else mark
        for word, mark, variant in zip(arcs.word, marks, variants, strict=True)
    ]
    keys = list(zip(arcs.word, texts, strict=True))
    of_node, state_of, of_arc = word_nodes(arcs.states, arcs.source, arcs.target, keys)
    base, scores = _sphinx_scores(next(iter(arcs.costs.values()), [0.0] * len(arcs.word)))
    rows = zip(of_arc, arcs.target, scores, strict=True)
    edges = [f"{s} {t} {score}" for row, (s, t, score) in enumerate(rows) if row != closing]
    edges += [f"{state} {node} 0" for node, state in enumerate(state_of) if node != state]
    rate, frames = _frames(lattice)
    end = max(frames, key=float) if closing is None else frames.pop()
    frames += [end] * (arcs.states - len(frames))
    words = [sphinx._word_to_write(lattice.vocabulary, *key) for key in of_node]
    nexts = [frames[state] if state < len(frames) else end for state in arcs.target]
    spans = _spans(len(words), zip(of_arc, nexts, strict=True), end, whole=all(f.isdigit() for f in frames))
    rows_of_nodes = zip(words, state_of, spans, strict=True)
    node_lines = [f"{n} {word} {frames[s]} {first} {last}" for n, (word, s, (first, last)) in enumerate(rows_of_nodes)]
    header = ["# getcwd: /", f"# -logbase {base}", f"# -frate {rate}", "#"]
    header += [f"Frames {end if lattice.times is not None else 1}", "#"]
    header += [f"Nodes {len(words)} (NODEID WORD STARTFRAME FIRST-ENDFRAME LAST-ENDFRAME)", *node_lines, "#"]
    header += ["Initial 0", f"Final {final}", "#", "BestSegAscr 0 (NODEID ENDFRAME ASCORE)", "#"]
    lines = [*header, "Edges (FROM-NODEID TO-NODEID ASCORE)", *edges, "End"]
    return ("\n".join(lines) + "\n").encode()


def _arcs_to_write(lattice: Lattice):
    """Return the arcs to write, the state of the final node, and the arc to leave out.

    The arc to leave out leads from the final node to the end: readers add this arc themselves. If the lattice does not
    have this arc, the third value is `None`.
    """
    last = lattice.num_states - 1
    is_closed = ends_in_last_state(lattice)
    arcs = listed_arcs(lattice, new_end=not is_closed)
    if is_closed and arcs.target.count(last) == 1:
        row = arcs.target.index(last)
        state = arcs.source[row]
        if only_column(lattice).arc[row] == 0 and arcs.source.count(state) == 1:
            return arcs._replace(states=last), state, row
    return arcs, arcs.states - 1, None


def _sphinx_scores(cost: list[float]) -> tuple[str, list[str]]:
    """Return the logarithm base, and the scores to that base."""
    for base in sphinx._BASES:
        log = math.log(base)
        if all(abs(c / log) < sphinx._INTEGERS_BELOW for c in cost):
            scores = [round(0.0 - c / log) for c in cost]
            if all(0.0 - score * log == c for score, c in zip(scores, cost, strict=True)):
                return f"{base:e}", list(map(str, scores))
    return repr(math.e), [repr(0.0 - c) for c in cost]


def _frames(lattice: Lattice) -> tuple[str, list[str]]:
    """Return the frame rate (frames per second), and the frame of each state."""
    if lattice.times is None:
        return f"{sphinx._FRAME_RATE:.0f}", ["0"] * lattice.num_states
    times = lattice.times.tolist()
    frames = [round(time * sphinx._FRAME_RATE) if abs(time) < sphinx._INTEGERS_BELOW else 0 for time in times]
    whole = all(frame / sphinx._FRAME_RATE == time for frame, time in zip(frames, times, strict=True))
    # A single frame would be read back as a lattice without times.
    if whole and (max(frames) != 1 or len(set(frames)) > 2):
        return f"{sphinx._FRAME_RATE:.0f}", list(map(str, frames))
    return "1", list(map(repr, times))


def _spans(nodes, nexts, end, *, whole):
    """Return the first and the last frame at which the word of each node may end.

    A word ends when the next node begins or, if the frames are `whole` numbers, one frame before.
    """
    ends: list[list[str]] = [[] for _ in range(nodes)]
    for node, frame in nexts:
        ends[node].append(frame)
    spans = [(min(frames or [end], key=float), max(frames or [end], key=float)) for frames in ends]
    return [(str(max(0, int(a) - 1)), str(max(0, int(b) - 1))) for a, b in spans] if whole else spans
