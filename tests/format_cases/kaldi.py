"""Kaldi archives, text and binary."""

import numpy as np
from format_kit import NAMES, PLAIN_WORDS, Broken, Case, rebuilt, scores, shaped, small_lattice, with_label
from hypothesis import strategies as st

import latticemetric as lm

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
    "final twice": Broken(b"utt \n0 1 a 1,2,\n1\n1\n", 1, "final twice"),
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


_costs = shaped(PLAIN_WORDS, ["lm", "acoustic"], scores)

CASES = [
    Case(
        "kaldi",
        b"utt-1 \n0 1 a 0.5,-3.25,4_5\n0 2 b 1,2,\n1 2 <eps> 0,0,\n2 1,0,7\n\nutt-2 \n0 1 3 9 1,2\n1\n\n",
        st.one_of(_costs, with_label(_costs, "transitions", finals=True)),
        NAMES,
        many=True,
        small=with_both_costs(small_lattice("acoustic")),
        broken=_BROKEN,
    )
]
