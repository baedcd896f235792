"""Text formats of words on nodes (Sphinx, PFSG), of columns of words (word mesh, Moses) and of k2."""

import math

import numpy as np
from hypothesis import strategies as st

import latticemetric as lm
from kit.formats import NAMES, PLAIN_WORDS, Broken, Case, ending_once, rebuilt, scores, shaped

# --- Graphs


def _without_parallel_arcs(lattice: lm.Lattice, word: np.ndarray) -> lm.Lattice:
    """The same with other words, and one arc between two states at most."""
    _, rows = np.unique(np.stack([lattice.source, lattice.target]), axis=1, return_index=True)
    rows = np.sort(rows)
    return lm.Lattice.from_arcs(
        lattice.source[rows],
        lattice.target[rows],
        word[rows],
        final=lattice.final,
        scores={name: lm.Column(c.arc[rows], c.final) for name, c in lattice.scores.items()},
        vocabulary=lattice.vocabulary,
    )


def words_on_targets(lattice: lm.Lattice) -> lm.Lattice:
    """The shape of a PFSG: all arcs into a state have its word, and those into the end have none."""
    lattice = ending_once(lattice)
    of_state = np.zeros(lattice.num_states, dtype=np.int32)
    of_state[lattice.target] = lattice.word
    of_state[-1] = 0
    return _without_parallel_arcs(lattice, of_state[lattice.target])


def words_on_sources(lattice: lm.Lattice) -> lm.Lattice:
    """The shape of a Sphinx lattice: all arcs out of a state have its word, and a single one, for nothing, ends it."""
    lattice = ending_once(lattice)
    of_state = np.zeros(lattice.num_states + 1, dtype=np.int32)
    of_state[lattice.source] = lattice.word
    lattice = _without_parallel_arcs(lattice, of_state[lattice.source])
    end = lattice.num_states
    return lm.Lattice.from_arcs(
        [*lattice.source.tolist(), end - 1],
        [*lattice.target.tolist(), end],
        [*lattice.word.tolist(), 1],
        final=[end],
        scores={name: lm.Column(np.append(c.arc, 0.0), c.final) for name, c in lattice.scores.items()},
        vocabulary=lattice.vocabulary,
    )


@st.composite
def with_variants(draw: st.DrawFn, lattices: st.SearchStrategy[lm.Lattice]) -> lm.Lattice:
    """Words on sources, some of them with the number of a pronunciation."""
    lattice = draw(lattices)
    of_state = draw(st.lists(st.integers(0, 2), min_size=lattice.num_states, max_size=lattice.num_states))
    arc = np.array(of_state, dtype=np.int32)[lattice.source]
    variants = lm.Vocabulary.from_words(["2", "13"])
    return rebuilt(lattice, labels={"v": lm.Labels(arc, np.zeros(1, dtype=np.int32), variants)})


# Whole scores of Sphinx, and costs that are none.
sphinx_costs = st.integers(0, 10**8).map(lambda n: 0.0 - -n * math.log(1.0001))

WORDS = [word for word in PLAIN_WORDS if word != "1984"]
probabilities = st.floats(1e-300, 1.0)


@st.composite
def networks(draw: st.DrawFn, columns: list[str], values: st.SearchStrategy[float], *, fewest: int) -> lm.Lattice:
    """Some columns of distinct words, one of which may be nothing."""
    arcs: list[tuple[int, int]] = []
    length = draw(st.integers(fewest, 4))
    for k in range(length):
        arcs += [(k, n) for n in draw(st.lists(st.integers(0, len(WORDS)), min_size=1, max_size=4, unique=True))]

    def some() -> lm.Column:
        costs = draw(st.lists(values.map(lambda p: 0.0 - math.log(p)), min_size=len(arcs), max_size=len(arcs)))
        return lm.Column(np.array(costs), np.zeros(1))

    return lm.Lattice.from_arcs(
        [k for k, _ in arcs],
        [k + 1 for k, _ in arcs],
        [n for _, n in arcs],
        final=[length],
        scores={name: some() for name in columns},
        vocabulary=lm.Vocabulary.from_words(draw(st.permutations(WORDS))),
    )


@st.composite
def with_texts(draw: st.DrawFn, lattices: st.SearchStrategy[lm.Lattice]) -> lm.Lattice:
    """Lines `info` and `hyps` of a mesh."""
    lattice = draw(lattices)
    labels = {}
    for name, texts in (("hyps", ["0", "1 2 30"]), ("info", ["0.1 0.25 -3.5 -2 s:t 3:4", "1 .5 0 0 : : 0.75"])):
        arc = draw(st.lists(st.integers(0, 2), min_size=len(lattice.word), max_size=len(lattice.word)))
        side = lm.Vocabulary.from_words(texts)
        labels[name] = lm.Labels(np.array(arc, dtype=np.int32), np.zeros(1, dtype=np.int32), side)
    return rebuilt(lattice, labels=labels)


@st.composite
def with_numbers(draw: st.DrawFn, lattices: st.SearchStrategy[lm.Lattice], names: list[str]) -> lm.Lattice:
    """Lattices with labels that are numbers."""
    lattice = draw(lattices)
    labels = {}
    for name in names:
        arc = draw(st.lists(st.integers(0, 3), min_size=len(lattice.word), max_size=len(lattice.word)))
        side = lm.Vocabulary.from_words(["900", "2147483645", "77"])
        ends = np.zeros(len(lattice.final), dtype=np.int32)
        labels[name] = lm.Labels(np.array(arc, dtype=np.int32), ends, side)
    return rebuilt(lattice, labels=labels)


def two_paths(column: str, words: list[str], closing: list[tuple[int, int, str]]) -> lm.Lattice:
    """Two paths, the cheaper one second: words of `closing` arcs, then the same as arcs 0–1 and 0–2."""
    arcs = [(0, 1, words[0]), (0, 2, words[1]), *closing]
    vocabulary = lm.Vocabulary.from_words(w for *_, w in arcs if w)
    costs = np.zeros(len(arcs))
    costs[:2] = [1.5, 0.25]
    return lm.Lattice.from_arcs(
        [s for s, _, _ in arcs],
        [t for _, t, _ in arcs],
        [vocabulary.number(w) if w else 0 for *_, w in arcs],
        final=[max(t for _, t, _ in arcs)],
        scores={column: lm.Column(costs, np.zeros(1))},
        vocabulary=vocabulary,
    )


def two_words(column: str) -> lm.Lattice:
    cost = np.array([0.0 - math.log(0.25), 0.0 - math.log(0.75)])
    vocabulary = lm.Vocabulary.from_words(["a", "b"])
    columns = {column: lm.Column(cost, np.zeros(1))}
    return lm.Lattice.from_arcs([0, 0], [1, 1], [1, 2], final=[1], scores=columns, vocabulary=vocabulary)


def changed(text: str, old: str, new: str, says: str, line: int | None = None) -> Broken:
    assert text.count(old) >= 1
    return Broken(text.replace(old, new, 1).encode(), line, says)


def cut(text: str, at: str, says: str, line: int | None = None) -> Broken:
    return Broken(text[: text.index(at)].encode(), line, says)


# --- Sphinx

SPHINX = """\
# getcwd: /home/ferry
# -logbase 1.000100e+00
# -lm ferry.lm.bin
#
Frames 120
#
Nodes 6 (NODEID WORD STARTFRAME FIRST-ENDFRAME LAST-ENDFRAME)
0 </s> 110 119 119 ; 8
1 ferry(2) 40 109 109 ; 5
2 fairy 42 109 109 ; 4
3 the 12 39 41 ; 2
4 [NOISE] 60 70 70 ; 3
5 <s> 0 11 11 ; 0
#
Initial 5
Final 0
#
BestSegAscr 1 (NODEID ENDFRAME ASCORE)
5 11 -1024
#
Edges (FROM-NODEID TO-NODEID ASCORE)
1 0 -30720
2 0 -28672
3 1 -10240
3 2 -11264
5 3 -5120
4 0 -1
End
"""

_SPHINX_BROKEN = {
    "no end": cut(SPHINX, "End", "cut short: it has no line 'End'"),
    "cut in the nodes": cut(SPHINX, "3 the", "cut short"),
    "cut after the header": cut(SPHINX, "Nodes", "cut short"),
    "more nodes in the header": changed(SPHINX, "Nodes 6", "Nodes 7", "gives 7 nodes, but the file has 6", 7),
    "thousands of millions of nodes": changed(SPHINX, "Nodes 6", "Nodes 2000000000", "but the file has 6", 7),
    "a number of nodes beyond 32 bits": changed(SPHINX, "Nodes 6", "Nodes 99999999999999999999", "not a whole", 7),
    "a node twice": changed(SPHINX, "4 [NOISE]", "3 [NOISE]", "node 3 appears twice", 12),
    "a node without frames": changed(SPHINX, "2 fairy 42 109 109 ; 4", "2 fairy 42", "a node has 5 fields", 10),
    "a word with a space": changed(SPHINX, "2 fairy", "2 fairy queen", "a node has 5 fields", 10),
    "a frame in words": changed(SPHINX, "fairy 42", "fairy x", "'x' is not a number", 10),
    "a negative node": changed(SPHINX, "3 1 -10240", "-3 1 -10240", "not a whole number from 0 to", 24),
    "an edge to no node": changed(SPHINX, "3 1 -10240", "3 9 -10240", "there is no node 9", 24),
    "an edge without a score": changed(SPHINX, "3 1 -10240", "3 1", "an edge has 3 fields", 24),
    "a score that is not finite": changed(SPHINX, "-10240", "nan", "score 'nan' is not finite", 24),
    "a score with an underscore": changed(SPHINX, "-10240", "-10_240", "'-10_240' is not a number", 24),
    "a score too large": changed(SPHINX, "-10240", "-1e999", "is not finite", 24),
    "a score in other digits": changed(SPHINX, "-10240", "-١٠٢٤", "is not a number", 24),
    "a cycle": changed(SPHINX, "4 0 -1", "2 3 -1", "cyclic"),
    "no way to the end": changed(SPHINX, "5 3 -5120", "5 4 -5120\n4 5 -1", "cyclic"),
    "no start": changed(SPHINX, "Initial 5", "Initial 6", "there is no node 6", 15),
    "no final line": changed(SPHINX, "Final 0\n", "", "'BestSegAscr", 17),
    "a base of one": changed(SPHINX, "1.000100e+00", "1.0", "-logbase is 1", 2),
    "a base below zero": changed(SPHINX, "1.000100e+00", "-2", "-logbase is not a number above 0", 2),
    "a frame rate of zero": changed(SPHINX, "# -lm ferry.lm.bin", "# -frate 0", "-frate is not a number above 0", 3),
    "edges by frames": changed(
        SPHINX, "FROM-NODEID TO-NODEID", "FROM-NODEID ENDFRAME", "edges without target nodes", 21
    ),
    "segments without an end": changed(SPHINX, "BestSegAscr 1 (", "BestSegAscr 99999999 (", "cut short"),
    "a second lattice": Broken((SPHINX * 2).encode(), 33, "more lines after 'End'"),
    "Latin-1": Broken(SPHINX.replace("fairy", "fée").encode("latin-1"), 10, "not UTF-8"),
    "UTF-16": Broken(SPHINX.encode("utf-16"), 1, "not UTF-8"),
}

# --- PFSG

PFSG = """\
name ferry-001(duration=1.2)
nodes 5 NULL the ferry fairy NULL
initial 0
final 4
transitions 6
0 1 0
1 2 -6931
1 3 -6932
2 4 -10000.5
3 4 -1e3
0 2 -20001

name ferry-002
nodes 1 NULL
initial 0
final 0
transitions 0

"""

_PFSG_BROKEN = {
    "no name": Broken(PFSG[PFSG.index("nodes") :].encode(), 1, "expected the line 'name'"),
    "a name of two words": changed(PFSG, "name ferry-002", "name ferry 002", "expected the line 'name'", 13),
    "no nodes": changed(PFSG, "nodes 5", "knots 5", "expected the line 'nodes'", 2),
    "more nodes than words": changed(PFSG, "nodes 5", "nodes 6", "6 nodes, but has words for 5", 2),
    "thousands of millions of nodes": changed(PFSG, "nodes 5", "nodes 2000000000", "but has words for 5", 2),
    "a negative number of nodes": changed(PFSG, "nodes 5", "nodes -5", "not a whole number from 1 to", 2),
    "no words at all": changed(PFSG, " 5 NULL the ferry fairy NULL", "", "expected the line 'nodes'", 2),
    "no start": changed(PFSG, "initial 0\n", "", "expected the line 'initial'", 3),
    "an end that is no node": changed(PFSG, "final 4", "final 5", "node 5 does not exist", 4),
    "fewer transitions": changed(PFSG, "transitions 6", "transitions 5", "gives 5 transitions, but the file has 6", 5),
    "thousands of millions of transitions": changed(
        PFSG, "transitions 6", "transitions 2000000000", "but the file has 6", 5
    ),
    "cut short": cut(PFSG, "3 4", "gives 6 transitions, but the file has 4", 5),
    "cut in the header": cut(PFSG, "final", "cut short: it has no line 'final'"),
    "a transition without a score": changed(PFSG, "1 2 -6931", "1 2", "a transition has 3 fields", 7),
    "a transition from no node": changed(PFSG, "1 2 -6931", "9 2 -6931", "node 9 does not exist", 7),
    "a transition to a negative node": changed(PFSG, "1 2 -6931", "1 -2 -6931", "not a whole number from 0 to", 7),
    "a score in words": changed(PFSG, "-6931", "low", "'low' is not a number", 7),
    "a score that is no number": changed(PFSG, "-6931", "NaN", "is not finite", 7),
    "an infinite score": changed(PFSG, "-6931", "-inf", "is not finite", 7),
    "a score too large": changed(PFSG, "-6931", "-1e400", "is not finite", 7),
    "a score with an underscore": changed(PFSG, "-6931", "-6_931", "is not a number", 7),
    "a cycle": changed(PFSG, "0 2 -20001", "3 1 -20001", "cyclic"),
    "an end that is not reached": Broken(
        b"name x\nnodes 2 NULL a\ninitial 0\nfinal 1\ntransitions 0\n", 1, "no final state"
    ),
    "a second one broken": changed(PFSG, "nodes 1 NULL", "nodes 2 NULL", "2 nodes, but has words for 1", 14),
    "Latin-1": Broken(PFSG.replace("fairy", "fée").encode("latin-1"), 2, "not UTF-8"),
    "UTF-16": Broken(PFSG.encode("utf-16"), None, ""),
}

# --- Word meshes

MESH = """\
name ferry-001
numaligns 3
posterior 1
align 0 the 0.75 a 0.2 *DELETE* 0.05
hyps 0 the 0 1 2
info 0 the 0.12 0.08 -120.5 -2.25 dh:ax 3:5
align 1 ferry 0.5 fairy 0.5 fury 0
posterior 1 0.99
transposterior 1 0.98
reference 1 fury
info 1 fairy 0.2 0.4 -300 -3 f:eh:r:iy 10:9:11:10 0.5
time 1 0.2
align 2 leaves 1e-3 *DELETE* 0.999
name ferry-002
numaligns 1
align 0 *DELETE* 1
"""

_MESH_BROKEN = {
    "no numaligns": changed(MESH, "numaligns 3\n", "", "there is no line 'numaligns' before this line", 3),
    "nothing but a name": changed(MESH, "numaligns 1\nalign 0 *DELETE* 1\n", "", "no line 'numaligns'", 14),
    "numaligns twice": changed(MESH, "posterior 1\n", "numaligns 3\n", "'numaligns' appears twice", 3),
    "more positions in the header": changed(
        MESH, "numaligns 3", "numaligns 4", "'numaligns' is 4, but the mesh has 3", 1
    ),
    "thousands of millions of positions": changed(MESH, "numaligns 3", "numaligns 2000000000", "but the mesh has 3", 1),
    "fewer positions in the header": changed(
        MESH, "numaligns 3", "numaligns 2", "position 2 is too large: 'numaligns' is 2", 13
    ),
    "a negative number of positions": changed(MESH, "numaligns 3", "numaligns -3", "not a whole number from 0 to", 2),
    "a position twice": changed(MESH, "align 1", "align 0", "position 0 appears twice", 7),
    "a position without words": changed(MESH, "align 2 leaves 1e-3 *DELETE* 0.999", "align 2", "has only", 13),
    "a word without a posterior": changed(MESH, "*DELETE* 0.05", "*DELETE*", "the last word has no posterior", 4),
    "a word twice": changed(MESH, "a 0.2", "the 0.2", "'the' appears twice in position 0", 4),
    "a posterior below zero": changed(MESH, "a 0.2", "a -0.2", "the posterior of 'a' is below 0", 4),
    "a posterior that is no number": changed(MESH, "a 0.2", "a nan", "is not finite", 4),
    "a posterior with an underscore": changed(MESH, "a 0.2", "a 0.2_5", "is not a number", 4),
    "a posterior with a comma": changed(MESH, "a 0.2", "a 0,2", "is not a number", 4),
    "nothing possible": changed(MESH, "ferry 0.5 fairy 0.5", "ferry 0 fairy 0.0", "all words of position 1 have", 7),
    "an unknown line": changed(MESH, "time 1 0.2", "tame 1 0.2", "'tame' is not a keyword", 12),
    "info of another word": changed(MESH, "info 1 fairy", "info 1 furry", "'furry' is not a word of position 1", 11),
    "info without scores": changed(MESH, " -120.5 -2.25 dh:ax 3:5", "", "is not valid in the line 'info'", 6),
    "info before its words": changed(MESH, "info 0 the", "info 2 the", "comes before the position's words", 6),
    "info twice": changed(MESH, "info 1 fairy", "info 0 the", "'info' of 'the' appears twice", 11),
    "hypotheses in words": changed(MESH, "the 0 1 2", "the 0 one 2", "is not valid in the line 'hyps'", 5),
    "a time in words": changed(MESH, "time 1 0.2", "time 1 soon", "'soon' is not a number", 12),
    "a name of two words": changed(MESH, "name ferry-002", "name ferry 002", "2 values, not one", 14),
    "a word lattice": changed(MESH, "posterior 1\n", "node 0 NULL 0 1 1 1\n", "'node' is not a keyword", 3),
    "Latin-1": Broken(MESH.replace("fairy", "fée").encode("latin-1"), 7, "not UTF-8"),
    "UTF-16": Broken(MESH.encode("utf-16"), 1, "not UTF-8"),
}

# --- Moses confusion networks

NETWORK = """\
the 0.75 a 0.2 *EPS* 0.05
ferry 0.5 1984 0.5
leaves 1

*EPS* 0.9 late 1e-1
"""

_NETWORK_BROKEN = {
    "a word without a probability": changed(NETWORK, "a 0.2 *", "a *", "must be followed by the same number", 1),
    "cut short": cut(NETWORK, "0.5\n", "must be followed by the same number", 2),
    "a line of one word": changed(NETWORK, "leaves 1", "leaves", "must be followed by the same number", 3),
    "another number of scores": changed(NETWORK, "leaves 1", "leaves 1 1", "must be followed by the same number", 3),
    "a probability first": changed(NETWORK, "leaves 1", "1 leaves", "must be followed by the same number", 3),
    "a probability in words": changed(NETWORK, "leaves 1", "leaves one", "must be followed by the same number", 3),
    "a probability that is no number": changed(NETWORK, "leaves 1", "leaves nan", "same number of probabilities", 3),
    "an infinite probability": changed(NETWORK, "leaves 1", "leaves inf", "same number of probabilities", 3),
    "a probability beyond doubles": changed(NETWORK, "leaves 1", "leaves 1e999", "same number of probabilities", 3),
    "an underscore": changed(NETWORK, "leaves 1", "leaves 1_0", "same number of probabilities", 3),
    "a comma": changed(NETWORK, "a 0.2", "a 0,2", "same number of probabilities", 1),
    "other digits": changed(NETWORK, "leaves 1", "leaves ١", "same number of probabilities", 3),
    "a logarithm": changed(NETWORK, "leaves 1", "leaves -1", "the probability -1 is below 0", 3),
    "minus nearly nothing": changed(NETWORK, "leaves 1", "leaves -1e-300", "is below 0", 3),
    "a count of words first": changed(NETWORK, "the 0.75", "3 the 0.75", "must be followed by the same number", 1),
    "columns with a title": Broken(b"network\n2\n1 the 0.5\n", 1, "must be followed by the same number"),
    "a lattice in PLF": Broken(b"((('a',0.5,1),),)\n", 1, "must be followed by the same number"),
    "a broken second one": changed(NETWORK, "late 1e-1", "late", "must be followed by the same number", 5),
    "a long line of one kind": Broken(b"w " * 5040 + b"\n", 1, "must be followed by the same number"),
    "Latin-1": Broken(NETWORK.replace("late", "été").encode("latin-1"), 5, "not UTF-8"),
    "UTF-16": Broken(NETWORK.encode("utf-16"), 1, "not UTF-8"),
}

# --- k2

K2 = """\
0 1 12 7 -0.5
0 2 12 8 -1.25
1 3 0 0 -0.125
2 3 31 9 0.5
2 4 -1 -1 -3
3 4 -1 -1 -0.75
4
"""

_K2_BROKEN = {
    "no final state": cut(K2, "4\n", "cut short: the line of its final state is missing", 6),
    "cut in an arc": cut(K2, "31 9", "cut short: the line of its final state is missing", 4),
    "no arcs": Broken(b"4\n", 1, "the Fsa has no arcs"),
    "too few fields": changed(K2, "0 1 12 7 -0.5", "0 1 12", "has 3 fields", 1),
    "other labels than before": changed(K2, "1 3 0 0", "1 3 0", "has 4 fields, not 5", 3),
    "an end in words": changed(K2, "\n4\n", "\nend\n", "the final state is 'end'", 7),
    "a final state too small": changed(K2, "\n4\n", "\n3\n", "have the label -1", 3),
    "a final state too large": changed(K2, "\n4\n", "\n2000000000\n", "have the label -1", 5),
    "a final state beyond 32 bits": changed(K2, "\n4\n", "\n4294967296\n", "not a whole number from 0 to", 7),
    "an arc from the final state": changed(
        K2, "3 4 -1 -1 -0.75", "3 4 -1 -1 0\n4 4 -1 -1 0", "leads to a state after", 7
    ),
    "an arc into it with a label": changed(K2, "2 4 -1 -1", "2 4 31 9", "and only these, must have the label -1", 5),
    "an end elsewhere": changed(K2, "2 3 31 9", "2 3 -1 9", "and only these, must have the label -1", 4),
    "unsorted arcs": changed(K2, "0 2 12 8", "2 3 12 8", "not sorted by their source", 3),
    "a negative label": changed(K2, "0 1 12 7", "0 1 -12 7", "not a whole number from -1 to", 1),
    "a label in words": changed(K2, "0 1 12 7", "0 1 the 7", "the label is 'the'", 1),
    "a ragged label": changed(K2, "0 1 12 7", "0 1 12 [7 9]", "expand_ragged_attributes", 1),
    "a negative state": changed(K2, "0 1 12 7", "0 -1 12 7", "the state is '-1'", 1),
    "a score that is not finite": changed(K2, "-1.25", "-inf", "is not finite", 2),
    "a score that is no number": changed(K2, "-1.25", "nan", "is not finite", 2),
    "a score with an underscore": changed(K2, "-1.25", "-1_000", "is not a number", 2),
    "a cycle": changed(K2, "1 3 0 0", "1 0 0 0", "cyclic"),
    "a loop": changed(K2, "1 3 0 0", "1 1 0 0 0\n1 3 0 0", "cyclic"),
    "no start": changed(K2, "0 1 12 7 -0.5\n0 2 12 8 -1.25\n", "", "no final state can be reached"),
    "a broken second one": Broken((K2 + K2.replace("31 9", "31 x")).encode(), 11, "the label is 'x'"),
    "other digits": changed(K2, "0 1 12 7", "0 1 ١٢ 7", "not a whole number", 1),
    "UTF-16": Broken(K2.encode("utf-16"), None, ""),
}


def numbered() -> st.SearchStrategy[lm.Lattice]:
    return shaped(["7", "12", "2147483646", "1984"], ["score"], scores)


CASES = [
    Case(
        "sphinx",
        SPHINX.encode(),
        st.one_of(
            shaped(PLAIN_WORDS, ["acoustic"], scores).map(words_on_sources),
            shaped(PLAIN_WORDS, ["acoustic"], sphinx_costs).map(words_on_sources),
            with_variants(shaped(PLAIN_WORDS, ["acoustic"], scores).map(words_on_sources)),
        ),
        ["machine"],
        small=two_paths("acoustic", ["a", "a"], [(1, 3, "b"), (2, 3, "c"), (3, 4, "d")]),
        broken=_SPHINX_BROKEN,
    ),
    Case(
        "pfsg",
        PFSG.encode(),
        shaped(PLAIN_WORDS, ["weight"], scores).map(words_on_targets),
        NAMES,
        many=True,
        small=two_paths("weight", ["a", "c"], [(1, 3, "b"), (2, 4, ""), (3, 4, "")]),
        broken=_PFSG_BROKEN,
    ),
    Case(
        "wordmesh",
        MESH.encode(),
        st.one_of(
            networks(["posterior"], probabilities, fewest=0),
            networks(["posterior"], st.floats(1e-3, 50), fewest=1),
            with_texts(networks(["posterior"], probabilities, fewest=1)),
        ),
        NAMES,
        many=True,
        small=two_words("posterior"),
        broken=_MESH_BROKEN,
    ),
    Case(
        "moses-cn",
        NETWORK.encode(),
        st.one_of(
            networks(["score"], st.floats(1e-43, 1.0), fewest=1),
            networks(["score_0", "score_1"], st.floats(1e-43, 1.0), fewest=1),
        ),
        ["1", "2", "3"],
        many=True,
        small=two_words("score"),
        broken=_NETWORK_BROKEN,
    ),
    Case(
        "k2",
        K2.encode(),
        st.one_of(numbered(), with_numbers(numbered(), ["input"]), with_numbers(numbered(), ["input", "aux2", "aux3"])),
        ["machine"],
        small=lm.Lattice.from_strings(["3 4", "5"], costs=[1.5, 0.25], column="score"),
        broken=_K2_BROKEN,
    ),
]
