"""Native readers of usual files: they read what the readers in Python read, and leave every other file to them."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.formats import contents, write_file

import latticemetric as lm
from latticemetric import _native
from latticemetric.errors import LatticeMetricError
from latticemetric.formats import reading
from latticemetric.formats.srilm import pfsg
from latticemetric.formats.text import blocks
from latticemetric.formats.text.fields import NUMBER

PFSG = """name one
nodes 5 NULL a <s> b NULL
initial 0
final 4
transitions 5
0 1 -6931
0 2 -12.5
1 3 -1e-3
2 3 0
3 4 -123456789012345
"""
SPHINX = """# getcwd: /
# -logbase 1.000100e+00
#
Frames 12
Nodes 4 (NODEID WORD STARTFRAME FIRST-ENDFRAME LAST-ENDFRAME)
0 <s> 0 2 3
1 a(2) 3 4 5
2 <sil> 4 6 7 ; 12
3 </s> 9 10 11
Initial 0
Final 3
BestSegAscr 0 (NODEID ENDFRAME ASCORE)
Edges (FROM-NODEID TO-NODEID ASCORE)
0 1 -100
0 2 -2.5
1 3 -7
2 3 -1e2
End
"""
MESH = """name one
numaligns 2
posterior 1
align 0 a 0.75 *DELETE* 0.25
reference 0 a
align 1 b 1e-3 <s> .5 été 1
"""
SLF = """VERSION=1.0 UTTERANCE=one
lmscale=14.00  wdpenalty=-0.50 base=2
N=5 L=5
I=0 t=0.00 W=!NULL
I=1 t=0.02 W=<s> v=1
I=2 t=0.03 W=I v=2
I=3 t=0.04 W="New York" v=1
I=4 t=0.05 W=</s>
J=0 S=0 E=1 a=-33.9 l=-7.35 r=-0.5
J=1 S=1 E=3 a=-33.9 l=-7.35
J=2 S=1 E=2 a=-3.9 l=-7.35
J=3 S=3 E=4 W=own a=-33. l=-7.35 x=-.5
J=4 S=2 E=4 W=\\"a\\303\\251 a=-33.9 l=0
"""
NETWORK = """a 0.75 *EPS* 0.25
b 1.0 7 0.5 c 0

d 1.
"""
GRAPH = """7 hyp=0 stack=0
7 hyp=1 stack=1 back=0 score=-1.5 transition=-1.5 forward=4 fscore=-3 covered=0-0 out=the
7 hyp=2 stack=1 back=0 score=-2 transition=-2.0 recombined=1 forward=4 fscore=-3 covered=0-0 out=a \tlittle é
7 hyp=3 stack=1 back=0 score=-2 transition=-2.0 recombined=2 forward=4 fscore=-3 covered=0-0 out=
7 hyp=4 stack=3 back=2 score=-5 transition=-3e-1 forward=-1 fscore=0 covered=1-2 out=fine  house
7 hyp=9 stack=3 back=1 score=-5 transition=-3 forward=-1 fscore=0 covered=2-1 out=home
"""
USUAL = {
    "moses-search-graph": GRAPH,
    "pfsg": PFSG,
    "sphinx": SPHINX,
    "wordmesh": MESH,
    "moses-cn": NETWORK,
    "htk-slf": SLF,
}
NATIVE = {
    "moses-search-graph": "read_search_graph",
    "pfsg": "read_pfsg",
    "sphinx": "read_sphinx",
    "wordmesh": "read_mesh",
    "moses-cn": "read_moses_network",
    "htk-slf": "read_slf",
}
LISTED = """
0 -0 1 -1 +1 007 1.5 .5 5. 1e5 1e-400 1e400 -1e-400 inf nan - . e 1e 0x1 1_0 99999999999 2147483647 1234567890123456
0.1234567890123456789 123456789012345678901234567890 \u0661 a\u00a0b é
dir=b base=0 base=10 start=1 end=0 v= W= a=inf a=x l=1e400 t=-1 t= tscale=2 wdpenalty=1 wdpenalty=0 S=1 E=0 J=5 I=3 N=4
WORD=a acoustic=1 d=x vscale=1 ascale=2 acscale=x lm=3 words=1 W=!NULL W=<s> W=!SENT_START W=\\" W=\\0303 x=1 xscale=2
hyp=0 hyp=1 hyp=4 stack=0 back=0 back=9 recombined=1 recombined=4 forward=-1 forward=4 transition= covered=1 covered=0-0
out=x out= out="x" scores="core=()" 7 8
a NULL <s> </s> <sil> ++x++ a(2) *DELETE* *EPS* # ## name align numaligns End Initial info hyps
"""
FIELDS = LISTED.split()


def outcome(path: Path, format_name: str, table: lm.Vocabulary | None) -> list[Any]:
    """All graphs of a file, or what is wrong with it."""
    found: list[Any] = []
    try:
        for entry in reading.entries([str(path)], format_name, table):
            try:
                found.append((entry.name, contents(entry.build())))
            except LatticeMetricError as error:
                found.append((entry.name, str(error)))
    except LatticeMetricError as error:
        found.append(str(error))
    return found


def changed(text: str, number: random.Random) -> bytes:
    """The text with a line cut, doubled, moved or left out, or with other fields or bytes."""
    lines = text.split("\n")
    here, there = number.randrange(len(lines)), number.randrange(len(lines))
    match number.randrange(7):
        case 0:
            return text.encode()[: number.randrange(len(text))]
        case 1:
            lines.insert(there, lines[here])
        case 2:
            lines[here], lines[there] = lines[there], lines[here]
        case 3:
            del lines[here]
        case 4:
            data = bytearray(text.encode())
            data[number.randrange(len(data))] = number.randrange(256)
            return bytes(data)
        case _:
            fields = lines[here].split(" ")
            place = number.randrange(len(fields))
            fields[place : place + number.randrange(2)] = [number.choice(FIELDS)]
            lines[here] = " ".join(fields)
    return "\n".join(lines).encode()


@pytest.mark.parametrize("name", USUAL)
def test_usual_files_are_read_natively(name):
    text = USUAL[name].split("\n\n")[0].encode() if name == "moses-cn" else USUAL[name].encode()
    place = (0, len(text)) if name in {"wordmesh", "moses-cn"} else ()
    assert getattr(_native, NATIVE[name])(text, *place) is not None


@pytest.mark.parametrize("name", USUAL)
@given(seed=st.integers(0, 2**32))
def test_native_readers_and_python_agree_about_damaged_files(name, seed, tmp_path_factory):
    number = random.Random(seed)
    text = USUAL[name]
    path = write_file(tmp_path_factory.mktemp("damaged"), "", "graphs")
    path.write_bytes(changed(text, number) if number.randrange(20) else text.encode())
    table = lm.Vocabulary(dict(enumerate(["<eps>", "a", "b", "<s>", "NULL"]))) if number.randrange(4) == 0 else None
    native = outcome(path, name, table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_native, NATIVE[name], lambda *_: None)
        assert outcome(path, name, table) == native


@given(st.from_regex(NUMBER, fullmatch=True) | st.floats(allow_nan=False, allow_infinity=False).map(repr))
def test_costs_of_pfsgs_are_rounded_as_in_python(score):
    text = f"name u\nnodes 2 a b\ninitial 0\nfinal 1\ntransitions 1\n0 1 {score}\n".encode()
    read = _native.read_pfsg(text)
    if read is not None:
        expected = pfsg._cost(score, "")
        assert read["score"].tolist() == [expected]
        assert np.signbit(read["score"]).tolist() == [np.signbit(expected)]


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 10_000])
def test_named_graphs_do_not_depend_on_the_size_of_pieces(size, end, tmp_path, monkeypatch):
    second = MESH.replace("name one", "  name\t two ").replace("wordmesh", "")
    path = write_file(tmp_path, "\n" + MESH + second + "name" + " three" + end, "graphs")
    expected = outcome(path, "wordmesh", None)
    assert [name for name, _ in expected] == ["one", "two", "three"]
    assert f"{path}:14" in expected[2][1]
    monkeypatch.setattr(blocks, "_PIECE", size)
    assert outcome(path, "wordmesh", None) == expected
