"""Moses' search graphs, plain and extended."""

import numpy as np
from hypothesis import strategies as st

import latticemetric as lm
from kit.formats import PLAIN_WORDS, Broken, Case, has_arcs, rebuilt, scores, shaped, small_lattice, with_label

_SPANS = ("0-0", "1-3", "12-12")
_SOURCES = ("je", "je suis", 'l\'"été"')
_FEATURES = ["transition", "core_0", "core_1", "lm", "pp~a=b", "core_7"]

PLAIN = """\
0 hyp=0 stack=0
0 hyp=2 stack=1 back=0 score=-0.5 transition=-0.5 forward=7 fscore=-1 covered=0-0 out=I am
0 hyp=4 stack=1 back=0 score=-0.75 transition=-0.75 recombined=2 forward=7 fscore=-1 covered=0-0 out=
0 hyp=7 stack=2 back=2 score=-1.5 transition=-1 forward=-1 fscore=0 covered=1-1 out=here | "now"
"""
EXTENDED = """\
5 hyp=0 stack=0 forward=1 fscore=-1
5 hyp=1 stack=2 back=0 score=-1 transition=-1 forward=-1 fscore=0 covered=0-1 scores="core=(-1,2e0) t~a=1" out="a b|c d"
5 hyp=9 stack=2 back=0 score=-2 transition=-2 recombined=1 forward=-1 covered=0-1 scores="core=(0,0)" out="a b|"
"""
OLD = """\
6 hyp=0 stack=0
6 hyp=1 stack=1 back=0 score=-1 transition=-1 forward=-1 fscore=0 covered=0-0 scores=[ d: -1 lm: -2 d: 0 1 ] out=a|b
"""


def changed(old: str, new: str, line: int | None, says: str, text: str = PLAIN) -> Broken:
    assert text.count(old) >= 1
    return Broken(text.replace(old, new, 1).encode(), line, says)


def extended(old: str, new: str, line: int | None, says: str) -> Broken:
    return changed(old, new, line, says, EXTENDED)


_BROKEN = {
    "a line without a sentence": changed("0 hyp=7", "hyp=7", 4, "sentence number and 'hyp='"),
    "a chart": Broken(PLAIN.encode() + b"1 1 X => a b : 0-0 : c=-1 [1..2] [total=-1] <<-1>>\n", 5, "forests"),
    "another sentence in between": Broken((PLAIN + OLD + PLAIN).encode(), 7, "the lines of '0' are not adjacent"),
    "cut short in a line": Broken(PLAIN.encode()[:-30], 4, "no 'out='"),
    "cut short between lines": Broken(PLAIN[: PLAIN.index("0 hyp=7")].encode(), 1, "no complete translation"),
    "no first hypothesis": changed("0 hyp=0 stack=0\n", "", 1, "no first hypothesis"),
    "only the first, which is not complete": Broken(b"0 hyp=0 stack=0 forward=0 fscore=0\n", 1, "no complete"),
    "arc of the first": changed("hyp=0 stack=0", "hyp=0 stack=0 back=0", 1, "begins the search"),
    "first as a translation": changed("hyp=2", "hyp=0", 2, "hypothesis 0 begins the search"),
    "hypothesis twice": changed("hyp=7", "hyp=2", 4, "hypothesis 2 appears twice"),
    "recombined twice": changed("hyp=7 stack=2", "hyp=4 stack=2 recombined=2", 4, "hypothesis 4 appears twice"),
    "back to nothing": changed("back=2", "back=3", 4, "goes back to 3, which is not in the graph"),
    "recombined to nothing": changed("recombined=2", "recombined=3", 3, "is recombined to 3, which is not in"),
    "recombined to each other": changed("forward=7", "recombined=4 forward=7", 2, "which is not in the graph"),
    "back to itself": changed("back=2", "back=7", 4, "which is not earlier: their stacks are 2 and 2"),
    "cycle": changed("stack=1 back=0", "stack=1 back=7", 2, "which is not earlier: their stacks are 1 and 2"),
    "cycle by recombination": changed("hyp=4 stack=1 back=0", "hyp=4 stack=3 back=7", 3, "which is not earlier"),
    "field twice": changed("score=-1.5", "back=0", 4, "'back' appears twice"),
    "field unknown": changed("fscore=-1", "gscore=-1", 2, "is not a field of a search graph"),
    "no transition": changed("transition=-1 ", "", 4, "no 'transition='; run Moses with -output-search-graph"),
    "no back": changed("back=2 ", "", 4, "no 'back='"),
    "no forward": changed("forward=-1 ", "", 4, "no 'forward='"),
    "no stack": changed("stack=2 ", "", 4, "no 'stack='"),
    "forward beyond": changed("forward=-1", "forward=-2", 4, "not a whole number from -1 to"),
    "hypothesis in other digits": changed("hyp=7", "hyp=\u0667", 4, "hyp is '\u0667', not a whole number"),
    "hypothesis huge": changed("hyp=7", "hyp=" + "9" * 5000, 4, "not a whole number"),
    "hypothesis negative": changed("hyp=7", "hyp=-7", 4, "not a whole number"),
    "stack with underscore": changed("stack=2", "stack=1_0", 4, "not a whole number"),
    "transition that is no number": changed("transition=-1", "transition=low", 4, "'low' is not a number"),
    "transition with underscore": changed("transition=-1", "transition=-1_0", 4, "is not a number"),
    "transition in hexadecimal": changed("transition=-1", "transition=-0x1p3", 4, "is not a number"),
    "transition nan": changed("transition=-1", "transition=nan", 4, "not finite"),
    "transition infinite": changed("transition=-1", "transition=-inf", 4, "not finite"),
    "transition beyond 64 bits": changed("transition=-1", "transition=-1e999", 4, "not finite"),
    "score nan": changed("score=-1.5", "score=nan", 4, "not finite"),
    "no span": changed("covered=1-1", "covered=1", 4, "covered is '1', not two numbers"),
    "span in words": changed("covered=1-1", "covered=a-b", 4, "not two numbers"),
    "scores not closed": extended('a=1" ', "a=1 ", 2, ""),
    "scores in a bracket not closed": changed("1 ] out", "1 out", 2, "is not a field", OLD),
    "scores of another kind": extended('"core=(-1,2e0) t~a=1"', '"-1 2"', 2, "does not begin with 'core=(…)'"),
    "scores bare": extended('"core=(-1,2e0) t~a=1"', "-1", 2, "does not begin with 'core=(…)'"),
    "scores in brackets without a name": changed("[ d: -1", "[ -1", 2, "score '-1' has no name", OLD),
    "scores in brackets nan": changed("lm: -2", "lm: nan", 2, "not finite", OLD),
    "more scores than before": extended("core=(0,0)", "core=(0,0,0)", 3, "the number of scores differs"),
    "scores on one line only": extended('scores="core=(0,0)" out="a b|"', "out=x", 3, "the number of scores differs"),
    "core not closed": extended("core=(-1,2e0)", "core=(-1,2e0", 2, "does not begin with 'core=(…)'"),
    "core empty": extended("core=(-1,2e0)", "core=(,)", 2, "'' is not a number"),
    "sparse feature without a name": extended("t~a=1", "1", 2, "score '1' has no name"),
    "sparse feature without a value": extended("t~a=1", "t~a=", 2, "'' is not a number"),
    "sparse feature twice": extended("t~a=1", "t~a=1 t~a=2", 2, "feature 't~a' appears twice"),
    "sparse feature of a taken name": extended("t~a=1", "transition=1", 2, "feature 'transition' appears twice"),
    "phrases without quotes": extended('"a b|c d"', "a b|c d", 2, "between quotes"),
    "phrases cut short": extended('"a b|c d"', '"', 2, "between quotes"),
    "phrases without a bar": extended('"a b|c d"', '"c d"', 2, "the end of the source phrase"),
    "factors that tell nothing": extended('"a b|c d"', '"a|N b|c"', 2, "the end of the source phrase"),
    "not utf8": Broken(PLAIN.encode().replace(b"here", b"h\xe9re"), 4, "UTF-8"),
    "not utf8 in the number": Broken(PLAIN.encode().replace(b"0 hyp", b"\xe9 hyp"), 1, "UTF-8"),
    "utf16": Broken(PLAIN.encode("utf-16"), 1),
    "many brackets": changed("score=-1.5", "[ " * 100_000, 4, "is not a field"),
    "many quotes": changed("score=-1.5", '"' * 100_000, 4, "is not a field"),
    "many fields": changed("score=-1.5", "score=-1 " * 100_000, 4, "'score' appears twice"),
    "many spaces": Broken(b"0" + b" " * 1_000_000 + b"hyp", 1),
}


def _counting_once(lattice: lm.Lattice) -> lm.Lattice:
    """Final states that cost nothing, and one column that counts."""
    columns = {
        name: lm.Column(column.arc, np.zeros_like(column.final), float(name == "transition"))
        for name, column in lattice.scores.items()
    }
    return rebuilt(lattice, scores=columns)


@st.composite
def _graphs(draw: st.DrawFn) -> lm.Lattice:
    features = draw(st.integers(1, len(_FEATURES)))
    source = draw(st.booleans())
    # A bar in the translation may not be told from that which ends the source phrase.
    words = [word for word in PLAIN_WORDS if word != "|" or not source]
    lattices = shaped(words, _FEATURES[:features], scores).map(_counting_once)
    lattice = draw(lattices if features == 1 and not source else lattices.filter(has_arcs))
    labels = dict(draw(with_label(st.just(lattice), "covered", finals=False, texts=_SPANS)).labels)
    if source:
        labels |= draw(with_label(st.just(lattice), "source", finals=False, texts=_SOURCES)).labels
    return rebuilt(lattice, labels=labels if draw(st.booleans()) else {})


CASES = [
    Case(
        "moses-search-graph",
        (PLAIN + "1 hyp=0 stack=0\n" + EXTENDED + OLD).encode(),
        _graphs(),
        ["0", "1", "2", "10", "7"],
        many=True,
        small=small_lattice("transition"),
        broken=_BROKEN,
    )
]
