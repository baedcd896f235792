"""OpenFst machines, binary and text, and their archives."""

import struct

from hypothesis import strategies as st

from kit.formats import (
    NAMES,
    PLAIN_WORDS,
    SPACED_WORDS,
    Broken,
    Case,
    has_arcs,
    scores,
    shaped,
    single_scores,
    small_lattice,
    with_label,
)


def text(value: bytes) -> bytes:
    return struct.pack("<i", len(value)) + value


def machine(
    *,
    magic: int = 2125659606,
    fst_type: bytes = b"vector",
    arc_type: bytes = b"standard",
    version: int = 2,
    flags: int = 0,
    start: int = 0,
    states: int = 2,
    arcs: int = 1,
    symbols: bytes = b"",
    body: bytes | None = None,
) -> bytes:
    """A machine with one arc to its final state, unless something else is asked for."""
    header = struct.pack("<i", magic) + text(fst_type) + text(arc_type)
    header += struct.pack("<iiQqqq", version, flags, 3, start, states, arcs)
    return header + symbols + (vector_body() if body is None else body)


def vector_body(final: float = 0.0, count: int = 1, weight: float = 0.5, target: int = 1, word: int = 7) -> bytes:
    return struct.pack("<fqiifi", float("inf"), count, word, word, weight, target) + struct.pack("<fq", final, 0)


def const_body(begin: int = 0, count: int = 1, last: int = 0) -> bytes:
    states = struct.pack("<fIIII", float("inf"), begin, count, 0, 0) + struct.pack("<fIIII", 0.0, 1, last, 0, 0)
    return states + struct.pack("<iifi", 7, 7, 0.5, 1)


def symbol_table(size: int = 1, magic: int = 2125658996, word: bytes = b"one", number: int = 7) -> bytes:
    return struct.pack("<i", magic) + text(b"t") + struct.pack("<qq", 8, size) + text(word) + struct.pack("<q", number)


def const(**fields: int | bytes) -> bytes:
    return machine(fst_type=b"const", **{"body": const_body()} | fields)


INF, NAN = float("inf"), float("nan")

_MACHINES = {
    "wrong magic": Broken(machine(magic=1), says="not an OpenFst machine"),
    "header only": Broken(machine(body=b""), says="cut short"),
    "half a header": Broken(machine()[:30], says="cut short"),
    "one byte": Broken(b"\xd6", says="cut short"),
    "type name of negative length": Broken(struct.pack("<ii", 2125659606, -5) + bytes(60), says="negative size, -5"),
    "type name of huge length": Broken(struct.pack("<ii", 2125659606, 2**31 - 1) + bytes(60), says="cut short"),
    "type name not utf8": Broken(machine(fst_type=b"\xff\xfe"), says="not UTF-8"),
    "unknown fst type": Broken(machine(fst_type=b"ngram"), says="type 'ngram'"),
    "unknown arc type": Broken(machine(arc_type=b"lattice4"), says="type 'lattice4'"),
    "huge states": Broken(machine(states=2**62), says="cut short"),
    "huge states const": Broken(const(states=2**62), says="cut short"),
    "huge arcs const": Broken(const(arcs=2**62), says="cut short"),
    "negative states": Broken(machine(states=-7), says="negative"),
    "negative arcs": Broken(const(arcs=-1), says="negative"),
    "unknown states const": Broken(const(states=-1)),
    "negative arcs of a state": Broken(machine(body=vector_body(count=-1)), says="a negative size, -"),
    "huge arcs of a state": Broken(machine(body=vector_body(count=2**60)), says="cut short"),
    "fewer states than said": Broken(machine(states=3), says="cut short"),
    "more states than said": Broken(machine(states=1), says="which does not exist"),
    "more arcs than said const": Broken(const(body=const_body(count=2)), says="different numbers of arcs"),
    "arcs out of place const": Broken(const(body=const_body(begin=9)), says="not stored in the order of its states"),
    "no start": Broken(machine(start=-1), says="no start state"),
    "start beyond all states": Broken(machine(start=99), says="which does not exist"),
    "start beyond 32 bits": Broken(machine(start=2**50), says="which does not exist"),
    "arc beyond all states": Broken(machine(body=vector_body(target=5)), says="state 5"),
    "arc to a negative state": Broken(machine(body=vector_body(target=-3)), says="-3"),
    "negative word": Broken(machine(body=vector_body(word=-1)), says="-1"),
    "cycle": Broken(machine(body=vector_body(target=0)), says="empty"),
    "weight nan": Broken(machine(body=vector_body(weight=NAN)), says="not finite"),
    "weight infinite": Broken(machine(body=vector_body(weight=INF)), says="not finite"),
    "final weight nan": Broken(machine(body=vector_body(final=NAN)), says="not finite"),
    "final weight minus infinity": Broken(machine(body=vector_body(final=-INF)), says="not finite"),
    "no final state": Broken(machine(body=vector_body(final=INF)), says="no final state"),
    "symbols of wrong magic": Broken(machine(flags=2, symbols=symbol_table(magic=3)), says="symbol table was expected"),
    "symbols of huge size": Broken(machine(flags=2, symbols=symbol_table(size=2**60)), says="cut short"),
    "symbols not utf8": Broken(machine(flags=2, symbols=symbol_table(word=b"\xff")), says="not UTF-8"),
    "symbols with a negative number": Broken(machine(flags=2, symbols=symbol_table(number=-9)), says="-9"),
    "symbols without the word": Broken(machine(flags=2, symbols=symbol_table(number=6)), says="number 7"),
    "bytes after the machine": Broken(machine() + b"?", says="1 bytes follow"),
    "text": Broken(b"0 1 a a\n1\n", says="not an OpenFst machine"),
}

STTABLE, STLIST = struct.pack("<ii", 2125656924, 1), struct.pack("<ii", 5656924, 1)


def sttable(*offsets: int, count: int | None = None, body: bytes | None = None) -> bytes:
    index = struct.pack(f"<{len(offsets) + 1}q", *offsets, len(offsets) if count is None else count)
    return STTABLE + (text(b"key") + machine() if body is None else body) + index


def stlist(body: bytes, end: bytes = text(b"")) -> bytes:
    return STLIST + body + end


_ARCHIVES = {
    "magic only": Broken(STTABLE[:4], says="cut short"),
    "header only": Broken(STTABLE, says="cut short"),
    "other version": Broken(struct.pack("<ii", 2125656924, 7) + bytes(20), says="version 7"),
    "wrong magic": Broken(bytes(40), says="not an archive of type sttable or stlist"),
    "empty table": Broken(sttable(body=b""), says="no graph"),
    "empty list": Broken(stlist(b""), says="no graph"),
    "huge count": Broken(sttable(8, count=2**62), says="index"),
    "negative count": Broken(sttable(8, count=-1), says="index"),
    "count too large": Broken(sttable(8, count=40), says="index"),
    "offset beyond the end": Broken(sttable(10**6), says="index points outside"),
    "offset into the header": Broken(sttable(0), says="index points outside"),
    "negative offset": Broken(sttable(-4), says="index points outside"),
    "offset beside the key": Broken(sttable(11)),
    "huge key": Broken(sttable(8, body=struct.pack("<i", 2**31 - 1) + machine()), says="cut short"),
    "negative key": Broken(sttable(8, body=struct.pack("<i", -1) + machine()), says="cut short"),
    "key not utf8": Broken(sttable(8, body=text(b"\xff\xff") + machine()), says="not UTF-8"),
    "damaged machine": Broken(sttable(8, body=text(b"key") + machine(magic=3)), says="not an OpenFst machine"),
    "machine cut short": Broken(stlist(text(b"key") + machine()[:-9], end=b""), says="cut short"),
    "list without its end": Broken(stlist(text(b"key") + machine(), end=b""), says="cut short"),
    "text in the list": Broken(stlist(b"utt\n0 1 a\n"), says="cut short"),
    "cyclic machine": Broken(
        stlist(text(b"key") + machine(body=vector_body(target=0)[:-12] + struct.pack("<fq", 0, 0))), says="(key)"
    ),
}

_TEXTS = {
    "one state without an end": Broken(b"0 1 a a\n", says="no final state"),
    "state that is no number": Broken(b"0 1 a a\nx 2 b b\n2\n", 2, "'x' is not a state"),
    "negative state": Broken(b"0 1 a a\n1 -2 b b\n2\n", 2, "'-2' is not a state"),
    "fractional state": Broken(b"0 1 a a\n1 2.0 b b\n2\n", 2, "'2.0' is not a state"),
    "state beyond 32 bits": Broken(b"0 99999999999999999999 a a\n1\n", 1, "is not a state"),
    "state in other digits": Broken("0 1 a a\n\u0661\n".encode(), 2, "is not a state"),
    "weight that is no number": Broken(b"0 1 a a 1\n0 1 b b 1,5\n1\n", 2, "'1,5' is not a number"),
    "weight with underscore": Broken(b"0 1 a a 1_0\n1\n", 1, "'1_0' is not a number"),
    "hexadecimal weight": Broken(b"0 1 a a 0x10\n1\n", 1, "'0x10' is not a number"),
    "weight nan": Broken(b"0 1 a a nan\n1\n", 1, "not finite"),
    "weight infinite": Broken(b"0 1 a a Infinity\n1\n", 1, "not finite"),
    "weight too large": Broken(b"0 1 a a 1e999\n1\n", 1, "not finite"),
    "final weight nan": Broken(b"0 1 a a 1\n1 NaN\n", 2, "not finite"),
    "final weight that is no number": Broken(b"0 1 a a 1\n1 heavy\n", 2, "'heavy' is not a number"),
    "too many fields": Broken(b"0 1 a a 1\n0 1 a a 1 1\n1\n", 2, "6 fields"),
    "weights beside missing outputs": Broken(b"0 1 a\n0 1 a b 0.5\n1\n"),
    "final twice": Broken(b"0 1 a a\n1 0.5\n1 0.5\n", says="appears twice in the list of final states"),
    "cycle": Broken(b"0 1 a a\n1 0 b b\n1\n", says="cyclic"),
    "unreachable end": Broken(b"0 1 a a\n2 3 b b\n3\n", says="empty"),
    "all ends infinite": Broken(b"0 1 a a\n1 Infinity\n", says="no final state"),
    "words not utf8": Broken(b"0 1 a a\n0 1 \xe9t\xe9 b\n1\n", says="UTF-8"),
    "outputs not utf8": Broken(b"0 1 a a\n0 1 b \xe9t\xe9\n1\n", 2, "UTF-8"),
    "nul bytes": Broken(b"\0" * 1000),
    "brackets": Broken(b"(" * 100_000),
    "a long word": Broken(b"0 1 " + b"a" * 1_000_000 + b" a 1 1 1\n1\n", 1),
    "a long number": Broken(b"0 1 a a " + b"9" * 1_000_000 + b"\n1\n", 1),
    "many fields": Broken(b"0 " * 500_000 + b"\n", 1),
    "a kaldi archive": Broken(b"utt\n0 1 a 1,2,\n1\n", 1),
}

_binary = shaped(PLAIN_WORDS + SPACED_WORDS, ["weight"], single_scores)
_plain = shaped(PLAIN_WORDS, ["weight"], scores)

CASES = [
    Case(
        "openfst",
        machine(flags=3, symbols=symbol_table() * 2),
        _binary,
        ["machine"],
        small=small_lattice(),
        broken=_MACHINES,
    ),
    Case("far", sttable(8), _binary, sorted(NAMES), many=True, small=small_lattice(), broken=_ARCHIVES),
    Case(
        "openfst-text",
        b"0\t1\ta\tb\t0.5\n1 2 c c\n0 2 <eps> d 1e-3\n2 0.25\n",
        # A graph of one state is sniffed as nothing at all.
        st.one_of(_plain, with_label(_plain, "input", finals=False)).filter(has_arcs),
        ["machine"],
        small=small_lattice(),
        broken=_TEXTS,
    ),
]
