"""Recognition rates as grammars: the automata of latticemetric, for an alphabet of a few letters.

Chiang & DeNeefe 2008, section 4, define n-GRR by an automaton. Here, it is the composition of two small machines, each
a regular expression. The first machine aligns: it reads a hypothesis and writes the edits of an alignment with a
reference. The second machine weighs edits. The k-th match in a row gains min(k, n), the number of n-grams that it
completes; an insertion costs α, a deletion costs β, and a substitution costs nothing. Weights are costs, so gains are
negative.

    edits      C match   S substitution   D deletion   I insertion
    align      I* (step 1) I* (step 2) I* … (step |r|) I*,   step i = C by r_i | S by any word | D by nothing
    pay        (run break)* run,   run = (C/1 (C/2 (… (C/n C/n*)? …)?)?,   break = S/0 | D/−β | I/−α

Each word is one letter, so a text is a string. The tests compare these with `GRR(n).compile`.

    python recognition.py --output recognition.far
"""

from __future__ import annotations

import pynini
from pynini.export import export
from pynini.lib import pynutil

ALPHABET = "abcd"
REFERENCE = "abac"


def alignments(reference: str, alphabet: str = ALPHABET) -> pynini.Fst:
    """Return the transducer from hypotheses to the edits of all their alignments with a reference."""
    word = pynini.union(*alphabet)
    inserted = pynini.cross(word, "I").star
    whole = inserted.copy()
    for expected in reference:
        step = pynini.union(pynini.cross(expected, "C"), pynini.cross(word, "S"), pynutil.insert("D"))
        whole = whole + step + inserted
    return whole.optimize()


def gains(order: int, alpha: float = 1, beta: float = 0) -> pynini.Fst:
    """Return the acceptor of sequences of edits; the weight of a sequence is its cost."""
    run = _edit("C", -order).star
    for in_a_row in range(order, 0, -1):
        run = (_edit("C", -in_a_row) + run).ques
    interruption = pynini.union(_edit("S", 0), _edit("D", beta), _edit("I", alpha))
    return ((run + interruption).star + run).optimize()


def _edit(name: str, cost: float) -> pynini.Fst:
    return pynini.accep(name, weight=cost)


def grr(reference: str, order: int, alpha: float = 1, beta: float = 0, alphabet: str = ALPHABET) -> pynini.Fst:
    """Return the acceptor of hypotheses for a reference; the best path of a hypothesis costs −numerator of n-GRR."""
    return pynini.project(alignments(reference, alphabet) @ gains(order, alpha, beta), "input").optimize()


def generator_main(exporter: export.Exporter) -> None:
    """Export WRR, 2-GRR and 4-GRR of one reference."""
    exporter["WRR"] = grr(REFERENCE, 1)
    exporter["GRR2"] = grr(REFERENCE, 2)
    exporter["GRR4"] = grr(REFERENCE, 4)


if __name__ == "__main__":
    from pynini.export import grm

    grm.run(generator_main)
