"""Kaldi archives, text and binary."""

import struct

import numpy as np
from hypothesis import strategies as st

import latticemetric as lm
from kit.formats import NAMES, PLAIN_WORDS, Broken, Case, decimal_scores, rebuilt, shaped, small_lattice, with_label
from kit.paths import EXAMPLES

_BROKEN = {
    "arcs without an id": Broken(b"0 1 a 1,2,\n1 1,2,\n", 1),
    "id only": Broken(b"utt \n\n", says="empty"),
    "second lattice empty": Broken(b"utt \n0 1 a 1,2,\n1\n\nutt2 \n\n", 5, "empty"),
    "state that is no number": Broken(b"utt \n0 1 a 1,2,\nx 1 a 1,2,\n1\n", 3, "'x' is not a state"),
    "negative state": Broken(b"utt \n0 -1 a 1,2,\n1\n", 2, "'-1' is not a state"),
    "state beyond 32 bits": Broken(b"utt \n0 2147483647 a 1,2,\n1\n", 2, "2147483647"),
    "cost that is no number": Broken(b"utt \n0 1 a one,2,\n1\n", 2, "'one' is not a number"),
    "cost with underscore": Broken(b"utt \n0 1 a 1_0,2,\n1\n", 2, "'1_0' is not a number"),
    "cost missing": Broken(b"utt \n0 1 a ,2,\n1\n", 2, "'' is not a number"),
    "cost nan": Broken(b"utt \n0 1 a 1,nan,\n1\n", 2, "not finite"),
    "cost infinite": Broken(b"utt \n0 1 a Infinity,2,\n1\n", 2, "not finite"),
    "cost too large": Broken(b"utt \n0 1 a 1,1e309,\n1\n", 2, "not finite"),
    "final cost nan": Broken(b"utt \n0 1 a 1,2,\n1 nan,nan,\n", 3, "not finite"),
    "one cost only": Broken(b"utt \n0 1 a 1,2,\n1 3.5\n", 3, "graph and an acoustic cost"),
    "four parts": Broken(b"utt \n0 1 a 1,2,3,4\n1\n", 2),
    "too many fields": Broken(b"utt \n0 1 5 a 1,2 x\n1\n", 2, "6 fields"),
    "not compact with a bad weight": Broken(b"utt \n0 1 5 a heavy\n1\n", 2),
    "blank line missing": Broken(b"utt \n0 1 a 1,2,\n1\nutt2 \n0 1 a 1,2,\n1\n", 4, "'utt2' is not a state"),
    "final twice": Broken(b"utt \n0 1 a 1,2,\n1\n1\n", 1, "appears twice in the list of final states"),
    "id twice": Broken(b"u \n0 1 a 1,2,\n1\n\nv \n1\n\nu \n1\n", 8, "(u): the id appears twice"),
    "no final state": Broken(b"utt \n0 1 a 1,2,\n", 1, "no final state"),
    "cycle": Broken(b"utt \n0 1 a 1,2,\n1 0 b 1,2,\n1\n", 1, "cyclic"),
    "cycle in the second lattice": Broken(b"u \n0 1 a 1,2,\n1\n\nv \n0 1 a 1,2,\n1 1 b 1,2,\n1\n", 5, "(v)"),
    "word not utf8": Broken(b"utt \n0 1 \xe9t\xe9 1,2,\n1\n", 2, "UTF-8"),
    "id not utf8": Broken(b"utt\xe9 \n0 1 a 1,2,\n1\n", 1, "UTF-8"),
    "transitions not utf8": Broken(b"utt \n0 1 a 1,2,\xff\n1\n", 2, "UTF-8"),
    "binary archive": Broken(b"utt \0B" + bytes(range(256)) * 20),
    "a long number": Broken(b"utt \n0 1 a " + b"9" * 1_000_000 + b",2,\n1\n", 2),
    "a long id": Broken(b"u" * 1_000_000 + b"\n0 1 a 1,nan,\n1\n", 2),
}


def with_both_costs(lattice: lm.Lattice) -> lm.Lattice:
    zero = lm.Column(np.zeros(len(lattice.word)), np.zeros(1))
    return rebuilt(lattice, scores={"lm": zero, **lattice.scores})


_costs = shaped(PLAIN_WORDS, ["lm", "acoustic"], decimal_scores)

# --- Binary

MAGIC = 2125659606


def name(text: bytes) -> bytes:
    return struct.pack("<i", len(text)) + text


def weight(
    graph: float = 0.5, acoustic: float = -3.25, ids: tuple[int, ...] = (4, 5), count: int | None = None
) -> bytes:
    return struct.pack(f"<ffi{len(ids)}i", graph, acoustic, len(ids) if count is None else count, *ids)


INF, NAN = float("inf"), float("nan")
NOT_FINAL = weight(INF, INF, ())


def machine(
    *,
    magic: int = MAGIC,
    kind: bytes = b"vector",
    arcs: bytes = b"compactlattice44",
    flags: int = 0,
    start: int = 0,
    states: int = 2,
    body: bytes | None = None,
    label: int = 7,
    target: int = 1,
    cost: bytes = weight(),
    final: bytes = weight(1, 0, (7,)),
    count: int = 1,
) -> bytes:
    """A machine with one arc to its final state, unless something else is asked for."""
    header = struct.pack("<i", magic) + name(kind) + name(arcs) + struct.pack("<iiQqqq", 2, flags, 3, start, states, 1)
    if body is None:
        body = NOT_FINAL + struct.pack("<qii", count, label, label) + cost + struct.pack("<i", target)
        body += final + struct.pack("<q", 0)
    return header + body


def lattice4(**fields: int | bytes) -> bytes:
    body = struct.pack("<ffqiiffi", INF, INF, 1, 44, 7, 0.5, 2.0, 1) + struct.pack("<ffq", 0.25, 0, 0)
    return machine(arcs=b"lattice4", body=body, **fields)


_BROKEN_BINARY = {
    "id only": Broken(b"utt ", says="cut short"),
    "id without a space": Broken(b"utt", says="an id and a space"),
    "a long id": Broken(b"u" * 100_000, says="an id and a space"),
    "id not utf8": Broken(b"\xff " + machine(), says="not UTF-8"),
    "half a header": Broken(b"utt " + machine()[:20], says="cut short"),
    "half a lattice": Broken(b"utt " + machine()[:-9], says="cut short"),
    "second lattice cut short": Broken(
        b"u " + machine() + b"v " + machine()[:-1], says="(v): the archive is cut short"
    ),
    "wrong magic": Broken(b"utt " + machine(magic=5), says="OpenFst header"),
    "text": Broken(b"utt \n0 1 7 1,2,\n1\n\n", says="OpenFst header"),
    "const machine": Broken(b"utt " + machine(kind=b"const"), says="type 'const'"),
    "other arcs": Broken(b"utt " + machine(arcs=b"standard"), says="type 'standard'"),
    "huge name": Broken(b"utt " + struct.pack("<ii", MAGIC, 2**31 - 1) + bytes(50), says="2147483647 bytes"),
    "negative name": Broken(b"utt " + struct.pack("<ii", MAGIC, -2) + bytes(50), says="-2 bytes"),
    "symbols inside": Broken(b"utt " + machine(flags=1), says="symbol tables"),
    "huge states": Broken(b"utt " + machine(states=2**60), says="states"),
    "many states": Broken(b"utt " + machine(states=2**31 - 2), says="cut short"),
    "negative states": Broken(b"utt " + machine(states=-1), says="states"),
    "no states": Broken(b"utt " + machine(states=0, start=-1, body=b""), says="empty"),
    "no start": Broken(b"utt " + machine(start=-1), says="no start"),
    "huge arcs": Broken(b"utt " + machine(count=2**60), says="cut short"),
    "negative arcs": Broken(b"utt " + machine(count=-1), says="negative number of arcs"),
    "huge transitions": Broken(b"utt " + machine(cost=weight(count=2**30)), says="cut short"),
    "negative transitions": Broken(b"utt " + machine(cost=weight(count=-1)), says="negative number of transition"),
    "cost nan": Broken(b"utt " + machine(cost=weight(NAN)), says="not finite"),
    "cost infinite": Broken(b"utt " + machine(cost=weight(1, -INF)), says="not finite"),
    "final cost nan": Broken(b"utt " + machine(final=weight(1, NAN)), says="not finite"),
    "half infinite final cost": Broken(b"utt " + machine(final=weight(1, INF)), says="not finite"),
    "id twice": Broken(b"u " + machine() + b"v " + machine() + b"u " + machine(), says="(u): the id appears twice"),
    "no final state": Broken(b"utt " + machine(final=NOT_FINAL), says="no final state"),
    "cycle": Broken(b"utt " + machine(target=0), says="no final state"),
    "target beyond all states": Broken(
        b"utt " + machine(target=2**31 - 1), says="an arc to state 2147483647, but there"
    ),
    "target just beyond all states": Broken(b"utt " + machine(target=9), says="an arc to state 9, but there are"),
    "negative target": Broken(b"utt " + machine(target=-5), says="-5"),
    "negative word": Broken(b"utt " + machine(label=-5), says="-5"),
    "something after a lattice": Broken(b"u " + machine() + b"?", says="an id and a space"),
}

numbered = st.builds(
    rebuilt, shaped(PLAIN_WORDS, ["lm", "acoustic"], decimal_scores), vocabulary=st.just(lm.Vocabulary.numeric())
)

# --- Scripts

ARCHIVE = EXAMPLES / "meeting.ark"


def script(line: str) -> bytes:
    return f"u {ARCHIVE}:12\n{line}\n".encode()


_BROKEN_SCRIPT = {
    "id only": Broken(script("v"), 2, "lines of id and file:offset"),
    "no offset": Broken(script(f"v {ARCHIVE}"), 2, "lines of id and file:offset"),
    "negative offset": Broken(script(f"v {ARCHIVE}:-12"), 2, "lines of id and file:offset"),
    "offset in letters": Broken(script(f"v {ARCHIVE}:twelve"), 2, "lines of id and file:offset"),
    "offset in other digits": Broken(script(f"v {ARCHIVE}:\u0661\u0662"), 2, "lines of id and file:offset"),
    "offset of a hundred digits": Broken(script(f"v {ARCHIVE}:{'9' * 100}"), 2, "lines of id and file:offset"),
    "huge offset": Broken(script(f"v {ARCHIVE}:{'9' * 18}"), 2),
    "offset at the end": Broken(script(f"v {ARCHIVE}:{ARCHIVE.stat().st_size}"), 2, "the archive ends before byte"),
    "offset into an id": Broken(script(f"v {ARCHIVE}:2"), 2),
    "offset into a lattice": Broken(script(f"v {ARCHIVE}:99"), 2),
    "a range": Broken(script(f"v {ARCHIVE}:12[0:3]"), 2, "lines of id and file:offset"),
    "a command": Broken(script("v touch /tmp/should-not-be |"), 2, "commands are not run"),
    "id twice": Broken(script(f"u {ARCHIVE}:526"), 2, "(u): the id appears twice"),
    "a missing file": Broken(script("v /no/such.ark:12"), 2, "No such file"),
    "a folder": Broken(script(f"v {EXAMPLES}:12"), 2),
    "not utf8": Broken(script(f"v {ARCHIVE}:12") + b"\xff /no/such.ark:12\n", 3, "UTF-8"),
}


CASES = [
    Case(
        "kaldi",
        b"utt-1 \n0 1 a 0.5,-3.25,4_5\n0 2 b 1,2,\n1 2 <eps> 0,0,\n2 1,0,7\n\nutt-2 \n0 1 3 9 1,2\n1\n\n",
        st.one_of(_costs, with_label(_costs, "transitions", finals=True)),
        NAMES,
        many=True,
        small=with_both_costs(small_lattice("acoustic")),
        broken=_BROKEN,
    ),
    Case(
        "kaldi-binary",
        b"utt-1 " + machine() + b"utt-2 " + lattice4(),
        st.one_of(numbered, with_label(numbered, "transitions", finals=True, texts=("1_2_3", "77", "-5"))),
        NAMES,
        many=True,
        small=rebuilt(with_both_costs(small_lattice("acoustic")), vocabulary=lm.Vocabulary.numeric()),
        broken=_BROKEN_BINARY,
    ),
    Case("kaldi-script", script(f"v {ARCHIVE}:526"), broken=_BROKEN_SCRIPT),
]
