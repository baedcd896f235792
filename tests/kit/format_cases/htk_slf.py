"""HTK standard lattice format."""

from hypothesis import strategies as st

from kit.formats import (
    PLAIN_WORDS,
    SPACED_WORDS,
    Broken,
    Case,
    ending_once,
    has_arcs,
    scores,
    shaped,
    small_lattice,
    with_label,
)
from kit.paths import EXAMPLES

SLF = r"""# words on nodes, nodes in any order
VERSION=1.0
UTTERANCE="utt 1" base=10
lmscale=2.5 wdpenalty=-1
N=4 L=4
I=3 t=0.9 W=!NULL
I=0 t=0.0 W=!NULL
I=2 t=0.5 W=c\'est v=2
I=1 t=0.4 W="two words"
J=0 S=0 E=1 a=-1.5 l=-0.25 n=-3
J=1 S=0 E=2 a=-2 l=-0.5
J=2 S=1 E=2 a=-4 l=-1
J=3 S=2 E=3 a=0 l=0
"""


def changed(old: str, new: str, says: str, line: int | None = None) -> Broken:
    assert SLF.count(old) >= 1
    return Broken(SLF.replace(old, new).encode(), line, says)


_BROKEN = {
    "more nodes in the header": changed("N=4", "N=5", "the header says N=5, but the number of nodes is 4"),
    "fewer links in the header": changed("L=4", "L=3", "the header says L=3, but the number of links is 4"),
    "a node twice": changed("I=3 t", "I=1 t", "node 1 appears twice"),
    "a link to no node": changed("S=2 E=3", "S=2 E=7", "E=7 is not a node", 13),
    "a link to a word": changed("S=2 E=3", "S=2 E=x", "E must be a number on each line"),
    "no single end": changed("S=2 E=3", "S=2 E=1", "nodes could be the start"),
    "a cycle": changed("J=1 S=0 E=2", "J=1 S=2 E=1", "cyclic"),
    "a score that is no number": changed("a=-4", "a=nan", "score 'nan' is not finite", 12),
    "a score in words": changed("a=-4", "a=low", "a is 'low', not a number", 12),
    "a score with an underscore": changed("l=-0.5", "l=-0_5", "l is '-0_5', not a number", 11),
    "a time in words": changed("t=0.5", "t=soon", "t is 'soon', not a number", 8),
    "a scale with an underscore": changed("lmscale=2.5", "lmscale=2_5", "lmscale is '2_5', not a number", 4),
    "a penalty in other digits": changed("wdpenalty=-1", "wdpenalty=-١", "wdpenalty is '-١', not a number", 4),
    "in latin-1": Broken(SLF.replace("two", "été").encode("latin-1"), 9, "not UTF-8"),
    "a field twice": changed("a=-4", "a=-4 a=-5", "field 'a' appears twice", 12),
    "no field": changed("a=-4", "acoustics", "'acoustics' is not a field", 12),
    "a base of one": changed("base=10", "base=1", "base is 1"),
    "a base in words": changed("base=10", "base=ten", "base is 'ten', not a number", 3),
    "an infinite scale": changed("lmscale=2.5", "lmscale=inf", "lmscale is 'inf', not a number"),
    "no start": changed("lmscale=2.5", "start=9", "0 nodes could be the start"),
    "a negative node": changed("J=3 S=2", "J=3 S=-2", "S is not a whole number from 0 to", 13),
    "half a node": changed("I=0 t=0.0", "I=0.5 t=0.0", "I is not a whole number from 0 to", 7),
}

CASES = [
    Case(
        "htk-slf",
        (EXAMPLES / "ferry.slf").read_bytes(),
        st.one_of(
            shaped(PLAIN_WORDS + SPACED_WORDS, ["acoustic", "lm"], scores),
            shaped(PLAIN_WORDS, [], scores),
            with_label(shaped(PLAIN_WORDS, ["lm"], scores), "v", finals=False),
        )
        .map(ending_once)
        .filter(has_arcs),
        ["an utterance"],
        small=small_lattice("acoustic"),
        broken=_BROKEN,
    )
]
