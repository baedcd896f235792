"""Hostile inputs: what is in them, what is done with them, what must be said."""

import gzip
import io
import lzma
import struct
import tarfile
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from kit.commands import MEETING
from kit.format_cases.openfst import machine, sttable, text

LATTICE = "{id} \n0 1 {word} 1,2,\n1 1,2,\n\n"
ESCAPES = "\x1b]0;owned\x07\x1b[2J\u202e\ufeff\u200b\x9b31m"
INFO, SYMBOLS = ("latticemetric", "info", "FILE"), ("lattice-oracle", *MEETING, "--symbols", "FILE")
REFERENCES = ("lattice-oracle", MEETING[0], "FILE")
METRIC = ("lattice-oracle", *MEETING, "--metric", "FILE")


def lattice(name: str = "u", word: str = "a") -> str:
    return LATTICE.format(id=name, word=word)


def chain_of_arcs(arcs: int) -> str:
    return "u \n" + "".join(f"{k} {k + 1} a 1,2,\n" for k in range(arcs)) + f"{arcs}\n\n"


class Hostile(NamedTuple):
    """An input (or what makes it), what must be said of it in one line, and what is done with it."""

    data: bytes | str | Callable[[], bytes]
    says: tuple[str, ...]
    command: tuple[object, ...] = INFO
    name: str = "hostile"


def read_as(format_name: str) -> tuple[object, ...]:
    return (*INFO, "--from", format_name)


# --- What headers promise


def counts(
    states: int, arcs: int, kind: bytes = b"vector", body: bytes = b"", *, flags: int = 0, start: int = 0
) -> bytes:
    header = struct.pack("<iiQqqq", 2, flags, 3, start, states, arcs)
    return struct.pack("<i", 2125659606) + text(kind) + text(b"standard") + header + body


def kaldi_counts(states: int, body: bytes = b"") -> bytes:
    begin = b"u " + struct.pack("<ii", 2125659606, 6) + b"vector" + text(b"compactlattice44")
    return begin + struct.pack("<iiQqqq", 2, 0, 3, 0, states, 2**60) + body


SYMBOL_TABLE = struct.pack("<i", 2125658996)
PROMISES = {
    "OpenFst: 2^60 states": Hostile(counts(2**60, 2**60), ("cut short", "byte 66")),
    "OpenFst const: 2^60 states": Hostile(counts(2**60, 2**60, b"const"), ("cut short",)),
    "OpenFst: 2^62 arcs of a state": Hostile(counts(2, 2**62, body=struct.pack("<fq", 0, 2**62)), ("cut short",)),
    "OpenFst: start 2^62": Hostile(
        counts(1, 0, body=struct.pack("<fq", 0, 0), start=2**62), ("the start is state", "does not exist")
    ),
    "OpenFst: an arc to state 2^31 - 1": Hostile(
        counts(1, 1, body=struct.pack("<fqiifi", 0, 1, 1, 1, 0.0, 2**31 - 1)), ("leads to state 2147483647",)
    ),
    "OpenFst: 2^60 symbols": Hostile(
        counts(1, 0, flags=1, body=SYMBOL_TABLE + text(b"t") + struct.pack("<qq", 2**60, 2**60)), ("cut short",)
    ),
    "OpenFst: a name of 2 GB": Hostile(
        counts(1, 0, flags=1, body=SYMBOL_TABLE + struct.pack("<i", 2**31 - 1)), ("2147483647 bytes are needed",)
    ),
    "FAR: 2^60 machines": Hostile(struct.pack("<iiq", 2125656924, 1, 2**60), ("index is damaged",)),
    "FAR: a key of 2 GB": Hostile(struct.pack("<iii", 5656924, 1, 2**31 - 1), ("byte 8", "cut short")),
    "FAR: a million times the same machine": Hostile(
        sttable(8)[:-16] + struct.pack("<q", 8) * 10**6 + struct.pack("<q", 10**6), ("cut short",)
    ),
    "Kaldi: 2^60 states": Hostile(kaldi_counts(2**60), ("there cannot be 1152921504606846976 states",)),
    "Kaldi: 2^60 arcs": Hostile(kaldi_counts(1, struct.pack("<ffiq", 0, 0, 0, 2**60)), ("cut short",)),
    "Kaldi: 2^31 - 1 transition ids": Hostile(kaldi_counts(1, struct.pack("<ffi", 0, 0, 2**31 - 1)), ("cut short",)),
    "SLF: 10^18 links": Hostile(
        "VERSION=1.0\nN=2 L=1000000000000000000\nI=0\nI=1\nJ=0 S=0 E=1 W=a\n",
        ("header says L=1", "the number of links is 1"),
    ),
    "PFSG: 10^9 nodes": Hostile(
        "name x\nnodes 1000000000 a\ninitial 0\nfinal 1\ntransitions 0\n", (":2:", "1000000000")
    ),
    "word mesh: 10^9 positions": Hostile("name x\nnumaligns 1000000000\nposterior 1\nalign 0 a 1\n", ("1000000000",)),
    "Sphinx: 10^9 nodes": Hostile(
        "# getcwd: /x\n# -logbase 1.0001\nFrames 10\n#\nNodes 1000000000\n0 <s> 0 0 0\n", ("no line 'End'",)
    ),
    "hypergraph: 10^9 nodes": Hostile(
        "# target ||| features ||| source-covered\n1000000000 1000000000\n1\na ||| LM=1 ||| 1\n", (":2:", "1000000000")
    ),
    "k2: state 2^32 - 1": Hostile("0 1 1 1 -0.5\n1 4294967295 -1 0\n4294967295\n", (":3:", "not a whole number")),
    "OpenFst text: state 4·10^9": Hostile("0 4000000000 a 1\n4000000000\n", (":1:", "is not a state number")),
    "n-best: rank 10^7 first": Hostile("u-9999999 -1 -2 | a\n", (":1:", "expected hypothesis 0")),
}

# --- Depth, digits, empty lines

DEPTH = 10**5
DIGITS = "9" * 10**6
NESTED = {
    "cdec JSON, 10^5 deep": Hostile("[" * DEPTH, ("nested too deeply",), read_as("cdec-json")),
    "Travatar JSON, 10^5 deep": Hostile("[" * DEPTH, (":1:", "nested too deeply"), read_as("travatar-json")),
    "JSON lines, 10^5 deep": Hostile(
        '{"id":"a","nbest":' + "[" * DEPTH, (":1:", "nested too deeply"), read_as("jsonl-nbest")
    ),
    "PLF, 10^6 parentheses": Hostile("(((" + "(" * 10**6 + "\n", (":1:", "expected a quoted word"), read_as("plf")),
    "10^6 digits in JSON": Hostile(
        f'{{"id":"a","hypotheses":[{{"text":"a","score":{DIGITS}}}]}}\n', (":1:", "has 1000000 digits")
    ),
    "10^6 digits in PLF": Hostile(f"((('a',{DIGITS},1),),)\n", (":1:", "is not finite")),
    "10^6 digits in OpenFst text": Hostile(f"0 1 a {DIGITS}\n1\n", (":1:", "is not finite")),
    "10^6 digits in an n-best list": Hostile(f"0 ||| a ||| LM= -{DIGITS} ||| -1\n", (":1:", "is not a number")),
    "5000 digits of a node": Hostile(
        f"# target ||| features ||| source-covered\n2 2\n1\na ||| LM=1 ||| 1\n1\n[{'9' * 5000}] b ||| LM=1 ||| 2\n",
        (":6:", "is not a node"),
    ),
    "5000 digits of an order": Hostile("", ("there is no metric",), (*METRIC[:-1], "9" * 5000 + "-grr")),
    "5000 digits of a shard": Hostile(
        "", ("is not a shard",), ("lattice-oracle", *MEETING, "--shard", "1/" + "9" * 5000)
    ),
    "10^6 empty lines": Hostile("\n" * 10**6, ("the file is empty",)),
}

# --- Few bytes that become many


def bomb(
    unit: bytes, head: bytes = b"", compress: Callable[[bytes], bytes] = gzip.compress, megabytes: int = 160
) -> bytes:
    """Concatenated members, as all of the tools allow."""
    return compress(head) + compress(unit * (2**22 // len(unit))) * (megabytes // 4)


BIG = ("of the compressed file become", "set LATTICEMETRIC_MOST_AT_ONCE")
BOMBS = {
    "gz: spaces": Hostile(partial(bomb, b" ", b"0 1 a 1"), BIG),
    "xz: spaces": Hostile(partial(bomb, b" ", b"0 1 a 1", lzma.compress), BIG),
    "gz: one lattice of OpenFst": Hostile(partial(bomb, b"0 1 a 1.5\n"), BIG),
    "gz: one lattice of Kaldi": Hostile(partial(bomb, b"0 1 a 1,2,\n", b"u \n"), BIG[1:]),
    "gz: blank lines behind a lattice of Kaldi": Hostile(partial(bomb, b"\n", lattice().encode()), BIG[1:]),
    "gz: a machine": Hostile(partial(bomb, b"\0", counts(2**40, 2**40)), BIG),
    "gz: a machine of Kaldi": Hostile(partial(bomb, b"\0", kaldi_counts(2**30)), BIG[1:]),
    "gz: an archive": Hostile(partial(bomb, b"\0", struct.pack("<ii", 2125656924, 1)), BIG),
    "gz: a line of PLF": Hostile(partial(bomb, b"(", b"((('a',1,1),),"), BIG),
    "gz: a line of JSON": Hostile(partial(bomb, b" ", b'{"id":"a","hypotheses":['), BIG),
    "gz: links": Hostile(partial(bomb, b"J=0 S=0 E=1 W=a\n", b"VERSION=1.0\nN=2 L=1\nI=0\nI=1\n"), BIG),
    "gz: references": Hostile(partial(bomb, b"a ", b"a "), BIG, REFERENCES),
    "gz: a symbol table": Hostile(partial(bomb, b" "), BIG, SYMBOLS),
    "gz: 2 GB of blank lines as references": Hostile(partial(bomb, b"\n", megabytes=2000), BIG[1:], REFERENCES),
    "gz: 2 GB of blank lines as symbols": Hostile(partial(bomb, b"\r\n", megabytes=2000), BIG[1:], SYMBOLS),
    "gz: 2 GB of blank lines as segments": Hostile(
        partial(bomb, b" \n", megabytes=2000), BIG[1:], ("latticemetric", "score", "FILE", "FILE")
    ),
    "gz: 2 GB of comments behind a segment": Hostile(
        partial(bomb, b";;\n", b"a (s_1)\n", megabytes=2000), BIG[1:], read_as("trn")
    ),
    "gz in a tar in gz": Hostile(
        lambda: gzip.compress(archive(("x.lat", bomb(b"\n", lattice().encode(), megabytes=2000)))), BIG[1:]
    ),
    "endless: a machine": Hostile(
        "", ("would be read at once",), ("latticemetric", "info", "/dev/zero", "--from", "openfst")
    ),
    "endless: a line": Hostile("", ("would be read at once",), ("latticemetric", "info", "/dev/zero", "--from", "plf")),
    "endless: words to leave out": Hostile(
        "", ("would be read at once",), ("lattice-oracle", *MEETING, "--ignore", "@/dev/zero")
    ),
    "gz: cut short": Hostile(gzip.compress(chain_of_arcs(5000).encode())[:60], ("cut short",)),
    "gz: rubbish behind it": Hostile(gzip.compress(lattice().encode()) + b"rubbish", ("damaged",)),
    "gz in gz": Hostile(gzip.compress(gzip.compress(lattice().encode())), ("compressed twice", "unpack it first")),
    "zip": Hostile(b"PK\x03\x04" + b"a \n0 1 a\n" * 9, ("a zip archive", "unpack it first")),
    "bzip2": Hostile(b"BZh91AY&SY" + bytes(range(200)), ("compressed with bzip2", "unpack it first")),
}

# --- Archives


def archive(*members: tuple[str, bytes], **fields: object) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        if fields:
            member = tarfile.TarInfo("odd")
            for key, value in fields.items():
                setattr(member, key, value)
            tar.addfile(member)
    return buffer.getvalue()


def header_of(kind: bytes, size: int = 2**33) -> bytes:
    member = tarfile.TarInfo("x.lat")
    member.type, member.size = kind, size
    return member.tobuf(tarfile.GNU_FORMAT)


def tar_bomb(begin: bytes) -> bytes:
    return gzip.compress(begin) + bomb(b" ", megabytes=240)


TWO = archive(("a.lat", lattice("a").encode()), ("b.lat", lattice("b").encode()))
PLAIN = ("is not a regular file", "put the file itself into the archive")
TARS = {
    "a symbolic link": Hostile(archive(type=tarfile.SYMTYPE, linkname="/etc/passwd"), PLAIN),
    "a hard link": Hostile(archive(type=tarfile.LNKTYPE, linkname="/etc/passwd"), PLAIN),
    "a device": Hostile(archive(type=tarfile.CHRTYPE, devmajor=1, devminor=5), PLAIN),
    "a pipe": Hostile(archive(type=tarfile.FIFOTYPE), PLAIN),
    "an archive in an archive": Hostile(archive(("in.tar", TWO)), ("in.tar", "an archive in an archive", "unpack")),
    "no files": Hostile(archive(type=tarfile.DIRTYPE), ("holds no files",)),
    "a header that is damaged": Hostile(
        TWO[:1024] + b"c" + TWO[1025:], ("end of the tar archive, byte 1024", "one by one")
    ),
    "two archives in one": Hostile(TWO + TWO, ("data follows the end of the tar",)),
    "a file of 2^40 bytes": Hostile(header_of(tarfile.REGTYPE, 2**40), ("cut short inside this file",)),
    "a link of 2^40 bytes": Hostile(header_of(tarfile.SYMTYPE, 2**40) + bytes(512), PLAIN),
    "a link of 2^40 bytes, gone past": Hostile(
        archive(("b.lat", b"u \n0 1 a 1,2,"))[:1024] + header_of(tarfile.DIRTYPE, 2**40) + bytes(512),
        ("x.tar",),
        name="x.tar",
    ),
    "a file of 2^70 bytes behind another": Hostile(TWO[:1024] + header_of(tarfile.REGTYPE, 2**70), ("cut short",)),
    "a name of 8 GB": Hostile(
        partial(tar_bomb, header_of(tarfile.GNUTYPE_LONGNAME)), ("a header of 8589934592 bytes",)
    ),
    "attributes of 8 GB": Hostile(partial(tar_bomb, header_of(tarfile.XHDTYPE)), ("a header of 8589934592 bytes",)),
    "a bomb in an archive in gz": Hostile(partial(tar_bomb, header_of(tarfile.REGTYPE) + b"u \n0 1 a 1,2,"), BIG),
    "a bomb in gz in an archive": Hostile(lambda: archive(("x.lat", bomb(b" ", b"0 1 a 1"))), ("hostile/x.lat", *BIG)),
}

# --- Scripts of Kaldi

SCRIPT = read_as("kaldi-script")
SCRIPTS = {
    "a command": Hostile("u touch FOLDER/run |\n", (":1:", "commands are not run"), SCRIPT),
    "a command at the front": Hostile("u |touch FOLDER/run:0\n", (":1:", "commands are not run"), SCRIPT),
    "itself": Hostile("u FOLDER/hostile:0\n", (":1:", "is empty"), SCRIPT),
    "a folder": Hostile("u FOLDER:0\n", (":1:", "is not a regular file"), SCRIPT),
    "an endless device": Hostile("u /dev/zero:0\n", (":1:", "/dev/zero: this is not a regular file"), SCRIPT),
    "a pipe that nobody writes to": Hostile("u FOLDER/pipe:0\n", (":1:", "is not a regular file"), SCRIPT),
    "standard input": Hostile("u -:0\n", (":1:", "is not a regular file"), SCRIPT),
    "a byte behind the end": Hostile(f"u {MEETING[0]}:999999999\n", (":1:", "the archive ends before byte"), SCRIPT),
    "a byte behind every end": Hostile(f"u {MEETING[0]}:999999999999999999\n", (":1:", "cannot be read"), SCRIPT),
    "a byte before the beginning": Hostile(f"u {MEETING[0]}:-5\n", (":1:", "is not file:offset"), SCRIPT),
}

# --- JSON, symbols, automata


def hypothesis(score: str = "1", words: str = '"a"', name: str = '"a"') -> str:
    return f'{{"id":{name},"hypotheses":[{{"text":{words},"score":{score}}}]}}\n'


JSON = read_as("jsonl-nbest")
JSONS = {
    "NaN": Hostile(hypothesis("NaN"), (":1:", "'NaN' is not finite"), JSON),
    "-Infinity": Hostile(hypothesis("-Infinity"), (":1:", "is not finite"), JSON),
    "1e400": Hostile(hypothesis("1e400"), (":1:", "'1e400' is not finite"), JSON),
    "a key twice": Hostile('{"id":"a","id":"b","hypotheses":[]}\n', (":1:", "key 'id' appears twice"), JSON),
    "half a character": Hostile(hypothesis(words='"\\ud800"'), (":1", "half a character"), JSON),
    "half a character of an id": Hostile(hypothesis(name='"\\udfff"'), (":1:", "half a character"), JSON),
    "no number": Hostile(hypothesis("true"), (":1", "is not a number"), JSON),
}
TABLES = {
    "a number twice": Hostile("<eps> 0\na 1\nb 1\n", (":3:", "number 1 has two words"), SYMBOLS),
    "a word twice": Hostile("<eps> 0\na 1\na 2\n", (":3:", "'a' has two numbers"), SYMBOLS),
    "a negative number": Hostile("a -1\n", (":1:", "is not a word and its number"), SYMBOLS),
    "2^63": Hostile("a 9223372036854775808\n", (":1:", "is not a word and its number"), SYMBOLS),
    "2^31 - 1, any word": Hostile("a 2147483647\n", ("has number 2147483647, outside",), SYMBOLS),
    "a word of two": Hostile("New York 1\n", (":1:", "is not a word and its number"), SYMBOLS),
    "Arabic digits": Hostile("a ٣\n", (":1:", "is not a word and its number"), SYMBOLS),
    "an underscore": Hostile("a 1_0\n", (":1:", "is not a word and its number"), SYMBOLS),
    "escapes": Hostile(f"a{ESCAPES} 1\nb 1 1\n", (":2:",), SYMBOLS),
}
FOR_NOTHING = struct.pack("<fq", 0, 2) + struct.pack("<iifi", 0, 0, -1.0, 0) + struct.pack("<iifi", 1, 1, 0.0, 0)
AUTOMATA = {
    "a cycle without words that costs less than nothing": Hostile(
        counts(1, 2, body=FOR_NOTHING),
        ("ε-arcs", "rmepsilon"),
        ("lattice-oracle", "NUMBERS", "--metric", "FILE"),
        "x.fst",
    ),
    "text": Hostile("0 1 a a\n1\n", ("x.fst", "not an OpenFst machine"), METRIC, "x.fst"),
    "an arc to nowhere": Hostile(
        counts(1, 1, body=struct.pack("<fqiifi", 0, 1, 1, 1, 0.0, 77)), ("x.fst", "state 77"), METRIC, "x.fst"
    ),
    "arcs of another type": Hostile(
        machine().replace(text(b"standard"), text(b"log")), ("arcs are of type 'log'", "tropical"), METRIC, "x.fst"
    ),
    "an archive of another type": Hostile(
        b"\x01\x02\x03\x04" * 9,
        ("not an archive of type sttable or stlist",),
        ("lattice-oracle", *MEETING, "--normalize", "FILE:X"),
        "x.far",
    ),
}
ALL = {
    f"{family}: {name}": row
    for family, rows in {
        "promise": PROMISES,
        "nested": NESTED,
        "bomb": BOMBS,
        "tar": TARS,
        "scp": SCRIPTS,
        "json": JSONS,
        "symbols": TABLES,
        "automaton": AUTOMATA,
    }.items()
    for name, row in rows.items()
}
