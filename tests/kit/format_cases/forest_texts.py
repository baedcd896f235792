"""Forests: hypergraphs of Moses and Joshua, target graphs and JSON of cdec, JSON of Travatar."""

import json

from hypothesis import strategies as st

import latticemetric as lm
from kit.formats import PLAIN_WORDS, SPACED_WORDS, Broken, Case, forests, scores, small_forest, with_forest_texts

FEATURES = ["LM0", "TM=1", "Wörter_a~b"]

# --- Moses and cdec: an edge a line

MOSES = """# target ||| features ||| source-covered
4 6
# node 0
1
<s> |||  ||| 0
# node 1
2
[0] the  ||| LM0=-2.5 TM_1=-1 WT_a~the=1  ||| 1
[0] an old ||| LM0=-3 TM_1=-0.5 ||| 1
# node 2
1
cat ||| LM0=-1e-2 ||| 1
# node 3
2
[1] [2] </s> ||| LM0=-0.25 ||| 2
[2] [1] ||| ||| 2
"""

_BODY = MOSES.splitlines(keepends=True)[1:]
CDEC = "".join(line.rpartition("|||")[0].rstrip() + "\n" if "|||" in line else line for line in _BODY if line[0] != "#")


def changed(text: str, old: str, new: str, says: str, line: int | None = None) -> Broken:
    assert text.count(old) == 1, old
    return Broken(text.replace(old, new).encode(), line, says)


def _broken_lines(text: str, first: int) -> dict[str, Broken]:
    """What breaks both dialects; `first` is the line of the numbers of nodes and edges."""
    old = "[1] [2] </s> ||| LM0=-0.25"
    line = text.split("\n").index(next(row for row in text.split("\n") if row.startswith(old))) + 1
    end = len(text.rstrip("\n").split("\n"))
    return {
        "more nodes than there are": changed(
            text, "4 6", "5 6", "expected the number of edges of node 4, found the end", end
        ),
        "fewer nodes than there are": changed(text, "4 6", "3 6", "more lines after the 3 nodes"),
        "another number of edges": changed(text, "4 6", "4 7", "gives 7 edges, but the file has 6"),
        "a billion nodes": changed(text, "4 6", "999999999 6", "found the end of the file"),
        "more nodes than digits": changed(text, "4 6", "9" * 5000 + " 6", "expected the number", first),
        "no nodes": changed(text, "4 6", "0 0", "the forest is empty", first),
        "one number only": changed(text, "4 6", "4", "expected the numbers of nodes and edges", first),
        "a negative number": changed(text, "4 6", "-4 6", "expected the number", first),
        "a number with underscore": changed(text, "4 6", "4 1_0", "expected the number", first),
        "a number in other digits": changed(text, "4 6", "4 ٦", "expected the number", first),
        "cut short within a node": Broken(text[: text.index("[2] [1]")].encode(), end - 1, "an edge of node 3"),
        "cut short within an edge": Broken(text[: text.index("[2] [1] |||") + 4].encode(), end, "fields between |||"),
        "a node that comes later": changed(text, "[1] [2] </s>", "[1] [7] </s>", "[7] is not a node above", line),
        "a cycle": changed(text, "[1] [2] </s>", "[1] [3] </s>", "[3] is not a node above this line", line),
        "an edge that says itself": changed(
            text, "[2] [1] |||", "[3] |||", "[3] is not a node above this line", line + 1
        ),
        "a node of many digits": changed(text, "[1] [2] </s>", f"[{'1' * 5000}] </s>", "is not a node", line),
        "a feature without a value": changed(text, "LM0=-0.25", "LM0=", "'' is not a number", line),
        "a feature without a name": changed(text, "LM0=-0.25", "=-0.25", "'=-0.25' is not a feature", line),
        "no feature": changed(text, "LM0=-0.25", "-0.25", "'-0.25' is not a feature; write name=value", line),
        "a feature twice": changed(text, "LM0=-0.25", "LM0=-0.25 LM0=-0.25", "feature 'LM0' appears twice", line),
        "a feature that is nan": changed(text, "LM0=-0.25", "LM0=nan", "score 'nan' is not finite", line),
        "a feature that is infinite": changed(text, "LM0=-0.25", "LM0=-inf", "score '-inf' is not finite", line),
        "a feature that is too large": changed(text, "LM0=-0.25", "LM0=1e999", "is not finite", line),
        "a feature with underscore": changed(text, "LM0=-0.25", "LM0=1_0", "'1_0' is not a number", line),
        "a feature of many digits": changed(text, "LM0=-0.25", "LM0=" + "1" * 100_000, "is not a number", line),
        "a field too many": changed(text, old, old + " ||| 2", "fields between |||", line),
        "no edges that end": Broken(
            text.replace("<s> |||", "[0] |||").replace("cat |||", "[1] |||").encode(), says="is not a node above"
        ),
        "in latin-1": Broken(text.replace("an old", "été").encode("latin-1"), says="UTF-8"),
        "in UTF-16": Broken(text.encode("utf-16")),
        "a word for the number of edges": Broken(text.replace("\n2\n", "\ntwo\n", 1).encode(), says="found 'two'"),
        "features too sparse": Broken(_sparse(text)),
    }


def _without_edges(text: str, node: int) -> bytes:
    """The text with the edges of a node left out; comments, too."""
    header, *rows = [row for row in text.splitlines() if not row.startswith("# node")]
    if header.startswith("#"):
        header, rows = f"{header}\n{rows[0]}", rows[1:]
    kept = []
    for number in range(4):
        count = int(rows.pop(0))
        own, rows = rows[:count], rows[count:]
        kept += [str(len(own)), *own] if number != node else ["0"]
    edges = sum("|||" in row for row in kept)
    return "\n".join([header.replace("4 6", f"4 {edges}"), *kept, ""]).encode()


def _sparse(text: str) -> bytes:
    end = " ||| 0" if text.startswith("#") else ""
    many = " ".join(f"f{k}=1" for k in range(900))
    lines = [f"a ||| {end}"] * 6000 + [f"b ||| {many}{end}"]
    header = text[: text.index("4 6")]
    return "\n".join([f"{header}1 6001", "6001", *lines, ""]).encode()


_MOSES_ONLY = {
    # To cdec these are axioms.
    "a goal without edges": Broken(
        _without_edges(MOSES, 3), says="empty: no goal has a complete derivation, since node 3"
    ),
    "a node below without edges": Broken(
        _without_edges(MOSES, 2), says="no goal has a complete derivation, since node 2 has no edges"
    ),
    "a third field missing": changed(MOSES, "||| LM0=-0.25 ||| 2", "||| LM0=-0.25", "2 fields between |||, not 3", 15),
    "covered words that are no number": changed(MOSES, "LM0=-0.25 ||| 2", "LM0=-0.25 ||| two", "covered words", 15),
    "covered words below zero": changed(MOSES, "LM0=-0.25 ||| 2", "LM0=-0.25 ||| -2", "covered words", 15),
    "no header": Broken(CDEC.encode(), 1, "not the header"),
    "a comment among edges": changed(MOSES, "[2] [1] |||", "# [2] [1] ||| |||\n[2] [1] |||", "covered words", 16),
}

# --- Joshua: a node's number where Moses has that of its edges

JOSHUA = """# target ||| features
3 5
1
the ||| lm_0=-2.500 tm_pt_0=-1.000
a ||| lm_0=-3.000 tm_pt_0=0.000
3
[1] cat ||| lm_0=-0.010
4
<s> [3] [1] </s> ||| lm_0=-0.250 OOV=1.000
<s> [1] |||
"""

_JOSHUA_BROKEN = {
    "no header": Broken(JOSHUA.partition("\n")[2].encode(), 1, "not the header"),
    "another number of nodes": changed(JOSHUA, "3 5", "4 5", "gives 4 nodes, but the file has 3"),
    "another number of edges": changed(JOSHUA, "3 5", "3 6", "gives 6 edges, but the file has 5"),
    "a billion nodes": changed(JOSHUA, "3 5", "999999999 5", "gives 999999999 nodes"),
    "numbers that are none": changed(JOSHUA, "3 5", "three 5", "expected the number", 2),
    "a node twice": changed(JOSHUA, "\n4\n", "\n3\n", "node 3 comes after node 3", 8),
    "numbers of edges": changed(JOSHUA, "\n3\n[1]", "\n1\n[0]", "use --from cdec-target-graph", 6),
    "a node from 0": changed(JOSHUA, "\n1\nthe", "\n0\nthe", "node 0 comes after node 0", 3),
    "a node without edges": changed(JOSHUA, "\n4\n", "\n4\n5\n", "node 4 has no edges", 9),
    "a last node without edges": Broken(JOSHUA.replace("3 5", "4 5").encode() + b"5\n", 11, "node 5 has no edges"),
    "a node that is not there": changed(JOSHUA, "<s> [3] [1]", "<s> [2] [1]", "[2] is not a node above", 9),
    "a node that comes later": changed(JOSHUA, "[1] cat", "[4] cat", "[4] is not a node above", 7),
    "a node that uses itself": changed(JOSHUA, "[1] cat", "[3] cat", "[3] is not a node above", 7),
    "an edge without a node": changed(JOSHUA, "\n1\nthe", "\nthe", "expected the number of a node", 3),
    "a third field": changed(JOSHUA, "[1] cat ||| lm_0=-0.010", "[1] cat ||| lm_0=-0.010 ||| 2", "3 fields", 7),
    "a line of words": changed(JOSHUA, "[1] cat |||", "[1] cat", "expected the number of a node", 7),
    "a feature that is nan": changed(JOSHUA, "lm_0=-0.250", "lm_0=NaN", "score 'NaN' is not finite", 9),
    "a decimal comma": changed(JOSHUA, "lm_0=-0.250", "lm_0=-0,250", "'-0,250' is not a number", 9),
    "a feature twice": changed(JOSHUA, "lm_0=-0.250", "lm_0=-0.250 lm_0=0", "appears twice", 9),
    "cut short": Broken(JOSHUA[: JOSHUA.index("<s> [1]")].encode(), says="gives 5 edges, but the file has 4"),
    "a node alone": Broken(b"# target ||| features\n1 0\n1\n", 3, "node 1 has no edges"),
    "only a header": Broken(b"# target ||| features\n", 1, "found the end of the file"),
    "nothing below the numbers": Broken(b"# target ||| features\n0 0\n", says="empty"),
    "in latin-1": Broken(JOSHUA.replace("cat", "été").encode("latin-1"), 7, "UTF-8"),
}

# --- cdec's JSON

CDEC_JSON = (
    '{"rules":[1,"[X] ||| perro ||| dog",2,"[X] ||| [X,1] feo ||| ugly [1] ||| f=1;g=2 ||| 0-1",'
    '3,"[S] ||| [X,1] [X,2] ||| [2] [1]",4,"[X] ||| el ||| "],"features":["lm","Glue"],"is_sorted":true,'
    '"edges":[{"tail":[],"spans":[0,1,-1,-1],"feats":[0,-1.5],"rule":1},{"tail":null,"feats":null,"rule":4}],'
    '"node":{"in_edges":[0,1],"cat":"X"},'
    '"edges":[{"tail":[0],"spans":[0,2,-1,-1],"feats":[],"rule":2}],"node":{"in_edges":[2],"cat":null},'
    '"edges":[{"tail":[0,1],"feats":[1,2,"Extra",0.5],"rule":3},{"tail":[1],"feats":[],'
    '"rule":"[S] ||| [X] ||| [X,1]"}],'
    '"node":{"in_edges":[3,4]}}\n'
)


# Node 1 has an edge of words, and one of itself.
_CDEC_CYCLE = (
    '{"rules":[1,"[X] ||| a ||| a",2,"[X] ||| [X,1] b ||| [1] b"],"features":[],'
    '"edges":[{"tail":[],"feats":[],"rule":1}],"node":{"in_edges":[0]},'
    '"edges":[{"tail":[0],"feats":[],"rule":2},{"tail":[1],"feats":[],"rule":2}],"node":{"in_edges":[1,2]},'
    '"edges":[{"tail":[1],"feats":[],"rule":2}],"node":{"in_edges":[3]}}'
)


def json_case(old: str, new: str, says: str, line: int | None = None) -> Broken:
    return changed(CDEC_JSON, old, new, says, line)


_CDEC_JSON_BROKEN = {
    "cut short": Broken(CDEC_JSON[:300].encode(), 1, "this is not JSON"),
    "two objects": Broken((CDEC_JSON * 2).encode(), 2, "this is not JSON"),
    "a list": Broken(b"[1,2]", says="not a JSON object"),
    "nested deeply": Broken(b'{"rules":' + b"[" * 200_000 + b"]" * 200_000 + b"}", says="nested too deeply"),
    "deep objects": Broken(b'{"edges":' * 200_000, says="nested too deeply"),
    "an unknown key": json_case('"is_sorted"', '"sorted"', "the key 'sorted' is not one of cdec's"),
    "no nodes": Broken(b'{"rules":[],"features":[]}', says="the forest is empty: it has no node"),
    "a rule that is not there": json_case('"rule":2}', '"rule":9}', "edge 2: rule 9 does not exist"),
    "no rule": json_case(',"rule":2}', "}", "edge 2: the edge has no rule"),
    "a rule twice": json_case('"],"features"', '",1,"[X] ||| a ||| b"],"features"', "rule 1: the rule appears twice"),
    "a rule without a target": json_case("[X] ||| el ||| ", "[X] ||| el", "rule 4: '[X] ||| el' is not a rule"),
    "a rule without a left side": json_case("[X] ||| el ||| ", " ||| el ||| ", "is not a rule"),
    "half a rule": json_case('el ||| "]', 'el ||| ",5]', "rules are not pairs of a number and a text"),
    "a tail that is not there": json_case(
        '"tail":[0,1]', '"tail":[0,7]', "edge 3: tail is 7, but there are only 3 nodes"
    ),
    "a negative tail": json_case('"tail":[0,1]', '"tail":[0,-1]', "edge 3: tail is -1"),
    "a tail that is a text": json_case('"tail":[0,1]', '"tail":[0,"1"]', 'tail holds "1", not a whole number'),
    "a tail that is true": json_case('"tail":[0,1]', '"tail":[0,true]', "tail holds true, not a whole number"),
    "a tail that is not used": json_case('"tail":[0],', '"tail":[0,0],', "edge 2 never uses its tail 2"),
    "a tail used twice": json_case("[2] [1]", "[2] [1] [2]", "edge 3 uses its tail 2 more than once"),
    "a tail used for another": json_case("[2] [1]", "[2] [2]", "edge 3 never uses its tail 1"),
    "a tail too few": json_case('"tail":[0,1]', '"tail":[0]', "edge 3 uses tail 2"),
    "no end": json_case(
        '"tail":[0],', '"tail":[2],', "complete derivation, since derivations of node 2 would never end"
    ),
    "a cycle": Broken(_CDEC_CYCLE.encode(), says="the forest is cyclic: node 1 can be derived from itself"),
    "an edge that comes later": json_case('"in_edges":[2]', '"in_edges":[4]', "node 1: edge 4 does not come before"),
    "an edge of two nodes": json_case('"in_edges":[2]', '"in_edges":[1]', "edge 1 already belongs to node 0"),
    "an edge of no node": json_case('"in_edges":[3,4]', '"in_edges":[3]', "edge 4: the edge belongs to no node"),
    "a key of an edge twice": json_case('"rule":2}', '"rule":2,"rule":2}', "edge 2: key 'rule' appears twice"),
    "a feature that is not there": json_case('"feats":[1,2', '"feats":[7,2', "edge 3: feature 7 does not exist"),
    "feats out of step": json_case('"feats":[1,2,"Extra",0.5]', '"feats":[1,2,0]', "not pairs of a feature"),
    "a feature twice": json_case('"Extra"', '"Glue"', "edge 3: feature 'Glue' appears twice"),
    "a feature that is nan": json_case('"Extra",0.5', '"Extra",NaN', "score 'NaN' is not finite"),
    "a feature that is too large": json_case('"Extra",0.5', '"Extra",1e999', "score '1e999' is not finite"),
    "a feature of many digits": json_case('"Extra",0.5', '"Extra",' + "9" * 10_000, "10000 digits"),
    "a feature that is a text": json_case('"Extra",0.5', '"Extra","0.5"', 'is "0.5", not a number'),
    "three spans": json_case("[0,2,-1,-1]", "[0,2,-1]", "edge 2: the edge has 3 spans, not 4"),
    "a surrogate": json_case('"cat":"X"', '"cat":"\\ud800"', "half a character"),
    "in latin-1": Broken(CDEC_JSON.replace("perro", "pé").encode("latin-1"), 1, "UTF-8"),
    "in UTF-16": Broken(CDEC_JSON.encode("utf-16"), 1, "UTF-8"),
}

# --- Travatar's JSON

_TRAVATAR = {
    "nodes": [
        {"id": 0, "sym": "S", "span": [0, 3]},
        {"id": 1, "sym": "NP", "span": [0, 2], "trg_span": [0], "viterbi": -1.5},
        {"id": 2, "sym": "VP", "span": [2, 3], "frontier": "y"},
    ],
    "edges": [
        {
            "id": 0,
            "head": 0,
            "tails": [1, 2],
            "trg": [{"label": -1, "words": [-2, 'say"so"', -1]}],
            "features": {"lm": -2.5, "p": 1},
            "score": -1.25,
        },
        {"id": 1, "head": 1, "trg": [{"label": -1, "words": ["the", "1984"]}], "src_str": 'NP ( "el" x0:NN )'},
        {"id": 2, "head": 2, "trg": [{"label": -1}], "score": -0.5},
        {"id": 3, "head": 2, "trg": [{"words": ["là"]}], "features": {"lm": -1}},
    ],
    "words": ["el", "perro", "\\"],
}
_LINE = json.dumps(_TRAVATAR, ensure_ascii=False)
_EMPTY_EDGE = '{"nodes": [{"id": 0, "sym": "S", "span": [0, 0]}], "edges": [{"id": 0, "head": 0}], "words": []}'
TRAVATAR = f"{_LINE}\n{_EMPTY_EDGE}\n"


def line_case(old: str, new: str, says: str) -> Broken:
    return Broken(f"{_EMPTY_EDGE}\n".encode() + changed(_LINE, old, new, says).data, 2, says)


_TRAVATAR_BROKEN = {
    "cut short": Broken(f"{_EMPTY_EDGE}\n{_LINE[:200]}".encode(), 2, "this is not JSON"),
    "two on a line": Broken((_LINE * 2).encode(), 1, "this is not JSON"),
    "a list": Broken(b"[1,2]\n", 1, "not a JSON object"),
    "nested deeply": Broken(b'{"nodes": ' + b"[" * 200_000 + b"\n", 1, "nested too deeply"),
    "no nodes": Broken(b'{"nodes": [], "edges": [], "words": []}\n', 1, "the forest is empty"),
    "a goal without edges": line_case(
        '"head": 0,', '"head": 1,', "no goal has a complete derivation, since node 0 has no edges"
    ),
    "a node without edges": line_case(
        '"head": 1,', '"head": 2,', "no goal has a complete derivation, since node 1 has no edges"
    ),
    "no end": line_case('"tails": [1, 2]', '"tails": [1, 0]', "since derivations of node 0 would never end"),
    "a cycle": line_case(
        '], "words": ["el"',
        ', {"head": 1, "tails": [1], "trg": [{"words": [-1]}]}], "words": ["el"',
        "the forest is cyclic: node 1 can be derived from itself",
    ),
    "a tail that is not there": line_case(
        '"tails": [1, 2]', '"tails": [1, 3]', "edge 0: a tail is 3, but there are only 3"
    ),
    "a negative tail": line_case('"tails": [1, 2]', '"tails": [1, -2]', "edge 0: a tail is -2"),
    "no head": line_case('"head": 1, ', "", "edge 1: head holds null, not a whole number"),
    "a head that is half a node": line_case('"head": 1, ', '"head": 1.5, ', "head holds 1.5"),
    "a tail that is not used": line_case("-2, ", "", "never uses its tail 2"),
    "a tail used twice": line_case('"say\\"so\\""', "-2", "uses its tail 2 more than once"),
    "a word number": line_case('"say\\"so\\""', "17", "words holds 17, which is not a tail"),
    "a tail too many": line_case('"say\\"so\\""', "-3", "words holds -3, which is not a tail"),
    "a word that is null": line_case('"say\\"so\\""', "null", "words holds null"),
    "an empty word": line_case('"say\\"so\\""', '""', "a word is empty"),
    "a surrogate": line_case('"say\\"so\\""', '"\\ud83d"', "half a character"),
    "two target sides": line_case(
        '{"words": ["là"]}', '{"words": ["là"]}, {"words": []}', "the edge has 2 target sides"
    ),
    "no target side": line_case('"trg": [{"label": -1, "words": [-2, "say\\"so\\"", -1]}], ', "", "no target side"),
    "a feature that is nan": line_case('"lm": -2.5', '"lm": NaN', "score 'NaN' is not finite"),
    "a feature that is a text": line_case('"lm": -2.5', '"lm": "-2.5"', "feature 'lm' is \"-2.5\", not a number"),
    "a feature twice after many": line_case(
        '"lm": -2.5', ", ".join(f'"x{k}": 0' for k in [*range(100_000), 99_999]), "key 'x99999' appears twice"
    ),
    "a feature twice": line_case('"lm": -2.5', '"lm": -2.5, "lm": 0', "key 'lm' appears twice"),
    "a feature named as the total": line_case('"lm": -2.5', '"score": -2.5', "has the name of the total, 'score'"),
    "an infinite score": line_case('"score": -1.25', '"score": -Infinity', "score '-Infinity' is not finite"),
    "a score that is true": line_case('"score": -1.25', '"score": true', "score is true, not a number"),
    "a span of three": line_case("[0, 2]", "[0, 1, 2]", "node 1: the span is not two numbers"),
    "ids out of order": line_case('{"id": 1, "sym"', '{"id": 2, "sym"', "node 1: the id is 2; number ids from 0"),
    "a source word with a space": line_case('"perro"', '"un perro"', "holds white space"),
    "nodes that are an object": line_case('"edges": [', '"edges": {"a": 1}, "more": [', "edges is not a list"),
    "in latin-1": Broken(f"{_EMPTY_EDGE}\n{_LINE}".encode("latin-1"), 2, "UTF-8"),
    "in UTF-16": Broken(_LINE.encode("utf-16"), 1),
}

# --- Graphs

plain_forests = st.one_of(
    forests(PLAIN_WORDS, FEATURES, scores, one_goal=True, in_order=True),
    forests(PLAIN_WORDS, [], scores, one_goal=True, in_order=True),
)
json_forests = st.one_of(
    forests(PLAIN_WORDS, FEATURES, scores, one_goal=True), forests(PLAIN_WORDS, [], scores, one_goal=True)
)


@st.composite
def source_sides(draw: st.DrawFn, forest: lm.Forest, edge: int) -> str:
    """A source side of cdec with a word in it, or none."""
    symbols = [f"[X,{k}]" for k in range(1, len(forest.tails.rows()[edge]) + 1)]
    symbols.insert(draw(st.integers(0, len(symbols))), draw(st.sampled_from(["perro", "日本", "|", '"'])))
    return draw(st.sampled_from(["", " ".join(symbols)]))


def one_of(*texts: str) -> st.SearchStrategy[str]:
    return st.sampled_from(["", *texts])


def with_total(forest: lm.Forest) -> lm.Forest:
    """The first column as a total, the others as what it is made of."""
    columns = dict(forest.scores)
    total = columns.pop(FEATURES[0])
    return lm.Forest.from_edges(
        forest.head,
        forest.tails,
        forest.target,
        goals=forest.goals,
        scores={"score": total, **{name: lm.Column(c.arc, c.final, 0.0) for name, c in columns.items()}},
        vocabulary=forest.vocabulary,
    )


cdec_graphs = with_forest_texts(
    json_forests,
    {
        "source": source_sides,
        "lhs": lambda _forest, _edge: one_of("LHS"),
        "spans": lambda _forest, _edge: one_of("0,3,-1,-1"),
    },
    {"category": one_of("X", "NP", "S'")},
)
travatar_graphs = with_forest_texts(
    forests([*PLAIN_WORDS, *SPACED_WORDS], FEATURES, scores, one_goal=True),
    {"source": lambda _forest, _edge: one_of('NP ( "el" x0 )', "\\")},
    {"category": one_of("X", "NP", ""), "span": one_of("0,3")},
    {"sentence": one_of("el perro", '"')},
)

CASES = [
    Case(
        "moses-hypergraph",
        MOSES.encode(),
        st.one_of(
            plain_forests,
            with_forest_texts(plain_forests, {"covered": lambda _forest, _edge: one_of("1", "12")}),
        ),
        ["machine"],
        small=small_forest(),
        broken=_broken_lines(MOSES, 2) | _MOSES_ONLY,
    ),
    Case(
        "cdec-target-graph",
        CDEC.encode(),
        plain_forests,
        ["machine"],
        small=small_forest(),
        broken=_broken_lines(CDEC, 1),
    ),
    Case(
        "joshua-hypergraph",
        JOSHUA.encode(),
        plain_forests,
        ["machine"],
        small=small_forest(),
        broken=_JOSHUA_BROKEN,
    ),
    Case(
        "cdec-json",
        CDEC_JSON.encode(),
        st.one_of(json_forests, cdec_graphs),
        ["machine"],
        small=small_forest(),
        broken=_CDEC_JSON_BROKEN,
    ),
    Case(
        "travatar-json",
        TRAVATAR.encode(),
        st.one_of(json_forests, json_forests.filter(lambda f: len(f.scores) > 0).map(with_total), travatar_graphs),
        ["1", "2", "3"],
        many=True,
        small=small_forest(),
        broken=_TRAVATAR_BROKEN,
    ),
]
