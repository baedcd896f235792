"""Forests as decoders write them: known values, dialects, and what the decoders' own readers would make of ours."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.format_cases.forest_texts import CDEC, CDEC_JSON, FEATURES, JOSHUA, MOSES, TRAVATAR
from kit.formats import PLAIN_WORDS, contents, forests, paths_of, write_file
from kit.paths import DATA
from kit.strategies import lattices

import latticemetric as lm
from latticemetric.forest.forest import Forest
from latticemetric.formats.reading import entries

FORMATS = ["moses-hypergraph", "cdec-target-graph", "joshua-hypergraph", "cdec-json", "travatar-json"]


def read(folder: Path, text: str, format_name: str) -> Forest:
    graph = lm.read_one(write_file(folder, text), format=format_name)
    assert isinstance(graph, Forest)
    return graph


def written(graph: object, format_name: str, path: Path) -> str:
    lm.write(path, [("x", graph)], format=format_name)
    return path.read_text(encoding="utf-8")


def label(forest: Forest, name: str) -> list[str]:
    side = forest.labels[name]
    return [side.vocabulary.word(number) for number in side.arc.tolist()]


def node_label(forest: Forest, name: str) -> list[str]:
    side = forest.node_labels[name]
    return [side.vocabulary.word(number) for number in side.node.tolist()]


# --- Moses and cdec


def test_features_of_moses_are_negated_and_all_count(tmp_path):
    forest = read(tmp_path, MOSES, "moses-hypergraph")
    assert {name: column.weight for name, column in forest.scores.items()} == {"LM0": 1, "TM_1": 1, "WT_a~the": 1}
    costs = {words: pytest.approx(cost) for words, cost in paths_of(forest)}
    assert costs == {
        "<s> the cat </s>": 2.5 + 1 - 1 + 0.01 + 0.25,
        "<s> an old cat </s>": 3 + 0.5 + 0.01 + 0.25,
        "cat <s> the": 2.5 + 1 - 1 + 0.01,
        "cat <s> an old": 3 + 0.5 + 0.01,
    }


def test_weights_of_moses_are_scales(tmp_path):
    forest = read(tmp_path, MOSES, "moses-hypergraph")
    weights = {"LM0": 0.5, "TM_1": 0.0, "WT_a~the": 2.0}
    assert min(d.cost for d in forest.derivations(weights)) == pytest.approx(0.5 * 2.51 - 2)


def test_covered_words_of_moses_are_a_label(tmp_path):
    assert label(read(tmp_path, MOSES, "moses-hypergraph"), "covered") == ["", "1", "1", "1", "2", "2"]


def test_a_word_may_begin_with_a_number_sign_and_a_comment_only_stands_before_a_number(tmp_path):
    text = "# target ||| features ||| source-covered\n#\n1 1\n# node 0\n#\n1\n# a [b ] [] [x] ||| ||| 0\n"
    assert paths_of(read(tmp_path, text, "moses-hypergraph")) == [("# a [b ] [] [x]", 0.0)]


def test_a_target_graph_is_a_hypergraph_without_header_and_third_field(tmp_path):
    moses, cdec = read(tmp_path, MOSES, "moses-hypergraph"), read(tmp_path, CDEC, "cdec-target-graph")
    assert contents(cdec) == contents(moses) | {"labels": {}}


def test_features_of_cdec_may_have_semicolons_between_them(tmp_path):
    forest = read(tmp_path, "1 1\n1\na ||| EgivenF=0.5;LexEgivenF=-1;Glue=2\n", "cdec-target-graph")
    assert {name: column.arc.tolist() for name, column in forest.scores.items()} == {
        "EgivenF": [-0.5], "LexEgivenF": [1], "Glue": [-2]
    }  # fmt: skip


def test_a_node_without_edges_is_a_dead_end_to_moses(tmp_path):
    text = "# target ||| features ||| source-covered\n3 3\n0\n1\na ||| ||| 1\n2\n[0] b ||| ||| 1\n[1] c ||| ||| 1\n"
    assert paths_of(read(tmp_path, text, "moses-hypergraph")) == [("a c", 0.0)]


def test_a_node_without_edges_is_an_axiom_to_cdec(tmp_path):
    text = "3 3\n0\n1\na |||\n2\n[0] b |||\n[1] c |||\n"
    assert sorted(paths_of(read(tmp_path, text, "cdec-target-graph"))) == [("a c", 0.0), ("b", 0.0)]
    text = '{"rules":[1,"[X] ||| [Y,1] b ||| [1] b"],"features":["lm"],"edges":[],"node":{"in_edges":[]},'
    text += '"edges":[{"tail":[0],"feats":[0,-1.5],"rule":1}],"node":{"in_edges":[0],"cat":"X"}}'
    assert paths_of(read(tmp_path, text, "cdec-json")) == [("b", 1.5)]
    assert paths_of(read(tmp_path, '{"rules":[],"features":[],"node":{"in_edges":[]}}', "cdec-json")) == [("", 0.0)]


def test_lines_may_end_as_on_windows_and_the_last_ones_be_blank(tmp_path):
    text = MOSES.replace("\n", "\r\n") + "\r\n\n"
    assert contents(read(tmp_path, text, "moses-hypergraph")) == contents(read(tmp_path, MOSES, "moses-hypergraph"))


def test_a_no_break_space_is_part_of_a_word(tmp_path):
    assert paths_of(read(tmp_path, "1 1\n1\nNew\u00a0York\u3000a |||\n", "cdec-target-graph")) == [
        ("New\u00a0York\u3000a", 0.0)
    ]


# --- Joshua


def test_joshua_numbers_nodes_where_moses_counts_edges(tmp_path):
    forest = read(tmp_path, JOSHUA, "joshua-hypergraph")
    assert (forest.num_nodes, forest.head.tolist()) == (3, [0, 0, 1, 2, 2])
    assert forest.tails.rows() == [[], [], [0], [1, 0], [0]]
    costs = {words: pytest.approx(cost) for words, cost in paths_of(forest)}
    assert costs["<s> the cat a </s>"] == 2.5 + 1 + 0.01 + 3 + 0.25 - 1
    assert costs["<s> the"] == 3.5


def test_what_joshuas_goal_is_made_of_are_the_goals(tmp_path):
    text = "# target ||| features\n3 3\n1\na ||| lm=-1.000\n2\n[1] b ||| \n5\n[1] c ||| lm=-2.000\n"
    forest = read(tmp_path, text, "joshua-hypergraph")
    assert forest.goals.tolist() == [1, 2]
    assert paths_of(forest) == [("a b", 1.0), ("a c", 3.0)]
    again = read(tmp_path, written(forest, "joshua-hypergraph", tmp_path / "x"), "joshua-hypergraph")
    assert contents(again) == contents(forest)


def test_numbers_of_edges_below_joshuas_header_are_read_as_cdecs(tmp_path):
    text = "# target ||| features\n" + CDEC
    with pytest.raises(lm.FormatError, match="use --from cdec-target-graph"):
        read(tmp_path, text, "joshua-hypergraph")
    assert contents(read(tmp_path, text, "cdec-target-graph")) == contents(read(tmp_path, CDEC, "cdec-target-graph"))


# --- cdec's JSON


def test_cdecs_edges_are_counted_over_all_nodes(tmp_path):
    forest = read(tmp_path, CDEC_JSON, "cdec-json")
    assert (forest.num_nodes, forest.head.tolist(), forest.goals.tolist()) == (3, [0, 0, 1, 2, 2], [2])
    assert forest.tails.rows() == [[], [], [0], [0, 1], [1]]
    assert sorted(paths_of(forest)) == [
        ("ugly", -2.5),
        ("ugly", 0.0),
        ("ugly dog", -1.0),
        ("ugly dog", -1.0),
        ("ugly dog", 1.5),
        ("ugly dog dog", 0.5),
    ]
    assert {name: column.weight for name, column in forest.scores.items()} == {"lm": 1, "Glue": 1, "Extra": 1}


def test_cdecs_source_sides_categories_and_spans_are_labels(tmp_path):
    forest = read(tmp_path, CDEC_JSON, "cdec-json")
    # A source side of nothing but the tails is none: it is written again as it was.
    assert label(forest, "source") == ["perro", "el", "[X,1] feo", "", "[X]"]
    assert label(forest, "lhs") == ["", "", "", "S", "S"]
    assert label(forest, "spans") == ["0,1,-1,-1", "", "0,2,-1,-1", "", ""]
    assert node_label(forest, "category") == ["X", "", ""]


def test_the_kth_tail_of_cdec_stands_where_the_rule_says(tmp_path):
    rules = '[1,"[X] ||| ||| a",2,"[X] ||| ||| b",3,"[X] ||| [X,1] [X,2] ||| [X,2] x [1]"]'
    nodes = "".join(f',"edges":[{{"tail":[],"rule":{k}}}],"node":{{"in_edges":[{k - 1}]}}' for k in (1, 2))
    text = f'{{"rules":{rules}{nodes},"edges":[{{"tail":[0,1],"rule":3}}],"node":{{"in_edges":[2]}}}}'
    assert paths_of(read(tmp_path, text, "cdec-json")) == [("b x a", 0.0)]


def test_a_file_of_cdec_may_stand_on_many_lines(tmp_path):
    text = json.dumps({"rules": [1, "[X] ||| a ||| b"]}, indent=1)[:-2] + ',\n"edges":[{"rule":1}],\n'
    assert paths_of(read(tmp_path, text + '"node":{"in_edges":[0]}}', "cdec-json")) == [("b", 0.0)]
    with pytest.raises(lm.FormatError, match=r"graphs:7: this is not JSON"):
        read(tmp_path, text + '"node":{"in_edges":[0]', "cdec-json")


# --- Travatar


def test_travatars_score_is_the_total(tmp_path):
    path = write_file(tmp_path, TRAVATAR)
    (_, first), (_, second) = lm.read(path)
    assert isinstance(first, Forest)
    assert {name: column.weight for name, column in first.scores.items()} == {"score": 1, "lm": 0, "p": 0}
    assert paths_of(first) == [('say"so" the 1984', 1.25 + 0.5), ('là say"so" the 1984', 1.25)]
    assert sorted(first.scores["lm"].arc.tolist()) == [0, 0, 1, 2.5]
    assert paths_of(second) == [("", 0.0)]
    assert [entry.name for entry in entries([path])] == ["1", "2"]


def test_without_a_score_travatars_features_count(tmp_path):
    text = TRAVATAR.replace(', "score": -1.25', "").replace(', "score": -0.5', "").partition("\n")[0]
    forest = read(tmp_path, text, "travatar-json")
    assert {name: column.weight for name, column in forest.scores.items()} == {"lm": 1, "p": 1}


def test_travatars_goal_is_its_first_node_and_our_last(tmp_path):
    forest = read(tmp_path, TRAVATAR.partition("\n")[0], "travatar-json")
    assert forest.goals.tolist() == [2]
    assert node_label(forest, "category") == ["VP", "NP", "S"]
    assert node_label(forest, "span") == ["2,3", "0,2", "0,3"]
    sentence = forest.labels["sentence"]
    assert [sentence.vocabulary.word(n) for n in sentence.final.tolist()] == ["el perro \\"]
    assert "".join(label(forest, "source")) == 'NP ( "el" x0:NN )'


# --- What the decoders' readers would make of what is written, from the formats' definition

Said = tuple[tuple[str, ...], float]
Rule = tuple[list[int], list[str | int], float]


def derive(nodes: list[list[Rule]], node: int) -> Iterator[Said]:
    """Derivations from nodes with rules: tails, symbols (an integer k is the k-th tail from 0), cost."""
    for tails, symbols, cost in nodes[node]:
        for parts in product(*(list(derive(nodes, tail)) for tail in tails)):
            words = [w for s in symbols for w in (parts[s][0] if isinstance(s, int) else (s,))]
            yield tuple(words), cost + sum(part[1] for part in parts)


def _line(line: str, first: int) -> Rule:
    fields = line.split("|||")
    tails: list[int] = []
    symbols: list[str | int] = []
    for token in fields[0].split(" "):
        if re.fullmatch(r"\[.*\]", token):
            symbols.append(len(tails))
            tails.append(int(token[1:-1]) - first)
        elif token:
            symbols.append(token)
    return tails, symbols, -sum(float(field.rpartition("=")[2]) for field in fields[1].split(" ") if field)


def _counted(text: str, fields: int) -> list[list[Rule]]:
    lines = [line for line in text.split("\n") if not line.startswith("# target")][:-1]
    count, edges = map(int, lines.pop(0).split(" "))
    nodes: list[list[Rule]] = []
    while lines:
        own = [lines.pop(0) for _ in range(int(lines.pop(0)))]
        assert all(len(line.split("|||")) == fields for line in own)
        nodes.append([_line(line, 0) for line in own])
        assert all(tail < len(nodes) - 1 for rule in nodes[-1] for tail in rule[0])
    assert (len(nodes), sum(map(len, nodes))) == (count, edges)
    return nodes


def as_moses(text: str) -> Iterator[Said]:
    header, _, rest = text.partition("\n")
    assert header == "# target ||| features ||| source-covered"
    assert all(line.split("|||")[2].strip().isdigit() for line in rest.split("\n") if "|||" in line)
    nodes = _counted(text, 3)
    return derive(nodes, len(nodes) - 1)


def as_cdec(text: str) -> Iterator[Said]:
    nodes = _counted(text, 2)
    return derive(nodes, len(nodes) - 1)


def as_joshua(text: str) -> Iterator[Said]:
    header, counts, *lines = text.split("\n")[:-1]
    assert header == "# target ||| features"
    nodes: list[list[Rule]] = []
    for line in lines:
        if "|||" not in line:
            assert int(line) == len(nodes) + 1
            nodes.append([])
        else:
            nodes[-1].append(_line(line, 1))
    assert counts == f"{len(nodes)} {sum(map(len, nodes))}"
    used = {tail for rules in nodes for tails, _, _ in rules for tail in tails}
    for node in sorted(set(range(len(nodes))) - used):
        yield from derive(nodes, node)


def as_cdec_json(text: str) -> Iterator[Said]:
    """As cdec's reader does: rules and features first, spans before the rule, edges before their node."""
    rules: dict[int, str] = {}
    names: list[str] = []
    edges: list[Rule] = []
    nodes: list[list[Rule]] = []
    for key, value in json.loads(text, object_pairs_hook=tuple):
        if key == "rules":
            rules = dict(zip(value[::2], value[1::2], strict=True))
        elif key == "features":
            names = value
        elif key == "edges":
            for edge in value:
                assert [k for k, _ in edge if k != "spans"] == ["tail", "feats", "rule"]
                edges.append(_cdec_rule(dict(edge), rules, names))
        else:
            assert key == "node"
            nodes.append([edges[number] for number in dict(value)["in_edges"]])
    return derive(nodes, len(nodes) - 1)


def _cdec_rule(edge: dict, rules: dict[int, str], names: list[str]) -> Rule:
    left, source, target = (part.split() for part in f" {rules[edge['rule']]} ".split("|||"))
    assert re.fullmatch(r"\[[^\s\[\],]+\]", left[0])
    indices = [int(m[1]) for token in source if (m := re.fullmatch(r"\[[^\s\[\],]+,(\d+)\]", token))]
    assert indices == list(range(1, len(edge["tail"]) + 1))
    symbols = [int(m[1]) - 1 if (m := re.fullmatch(r"\[([1-9]\d?)\]", token)) else token for token in target]
    assert all(0 <= number < len(names) for number in edge["feats"][::2])
    return edge["tail"], symbols, -sum(edge["feats"][1::2])


def as_travatar(text: str) -> Iterator[Said]:
    (line,) = text.splitlines()
    forest = json.loads(line)
    nodes: list[list[Rule]] = [[] for _ in forest["nodes"]]
    assert all(isinstance(node["sym"], str) and len(node["span"]) == 2 for node in forest["nodes"])
    assert all(node["id"] == place for place, node in enumerate(forest["nodes"]))
    assert isinstance(forest["words"], list)
    for place, edge in enumerate(forest["edges"]):
        assert edge["id"] == place
        symbols = [-1 - word if isinstance(word, int) else word for word in edge["trg"][0]["words"]]
        cost = -edge["score"] if "score" in edge else -sum(edge.get("features", {}).values())
        nodes[edge["head"]].append((edge.get("tails", []), symbols, cost))
    return derive(nodes, 0)


READERS: dict[str, Callable[[str], Iterator[Said]]] = dict(
    zip(FORMATS, [as_moses, as_cdec, as_joshua, as_cdec_json, as_travatar], strict=True)
)

eighths = st.integers(-80, 80).map(lambda value: value / 8)  # their sums are exact


@pytest.mark.parametrize("format_name", FORMATS)
@given(forest=forests(PLAIN_WORDS, FEATURES, eighths))
def test_decoders_read_the_same_derivations(format_name, forest, tmp_path_factory):
    text = written(forest, format_name, tmp_path_factory.getbasetemp() / "forest")
    expected = Counter((d.words, d.cost) for d in forest.derivations())
    assert Counter(READERS[format_name](text)) == expected


@pytest.mark.parametrize("format_name", FORMATS)
@given(forest=forests(PLAIN_WORDS, FEATURES, eighths))
def test_several_goals_that_cost_something_get_one_above_them(format_name, forest, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "forest"
    lm.write(path, [("x", forest)], format=format_name)
    again = lm.read_one(path, format=format_name)
    assert Counter(paths_of(again)) == Counter(paths_of(forest))


@pytest.mark.parametrize("format_name", FORMATS)
@given(lattice=lattices())
def test_lattices_are_written_as_forests(format_name, lattice, tmp_path_factory):
    weighed = {name: lm.Column(c.arc, c.final) for name, c in lattice.scores.items()}
    lattice = lm.Lattice.from_arcs(
        lattice.source, lattice.target, lattice.word,
        final=lattice.final, scores=weighed, vocabulary=lattice.vocabulary,
    )  # fmt: skip
    path = tmp_path_factory.getbasetemp() / "forest"
    lm.write(path, [("x", lattice)], format=format_name)
    again = lm.read_one(path, format=format_name)
    assert isinstance(again, Forest)
    rounded = [Counter((words, round(cost, 6)) for words, cost in paths_of(g)) for g in (again, lattice)]
    assert rounded[0] == rounded[1]


# --- What a format cannot hold


def one_edge(word: str = "a", **changes: object) -> Forest:
    options = {"goals": [0], "vocabulary": lm.Vocabulary.from_words([word])} | changes
    return Forest.from_edges([0], [[]], [[1]], **options)


def labelled(name: str, text: str) -> Forest:
    side = lm.Vocabulary.from_words([text])
    one = np.ones(1, dtype=np.int32)
    return one_edge(labels={name: lm.Labels(one, 0 * one, side)})


def categorised(name: str, text: str) -> Forest:
    return one_edge(node_labels={name: lm.NodeLabels(np.ones(1, np.int32), lm.Vocabulary.from_words([text]))})


def scored(**weights: float) -> Forest:
    return one_edge(scores={name: lm.Column([1.0], [0.0], weight) for name, weight in weights.items()})


LINES = FORMATS[:3]


@pytest.mark.parametrize(
    ("formats", "graph", "message"),
    [
        pytest.param(FORMATS[:4], one_edge("New York"), "holds white space or", id="word with a space"),
        pytest.param(FORMATS[:4], one_edge("a|||b"), r"holds white space or \|\|\|", id="separator"),
        pytest.param(LINES, one_edge("[0]"), "read back as a node", id="word as a node"),
        pytest.param(LINES, one_edge("[x]"), "read back as a node", id="word that Moses takes for a node"),
        pytest.param(["cdec-json"], one_edge("[1]"), "read back as a tail", id="word as a tail"),
        pytest.param(["cdec-json"], one_edge("[NP,2]"), "read back as a tail", id="word as a named tail"),
        pytest.param(["travatar-json"], one_edge(""), "empty word", id="empty word"),
        pytest.param(FORMATS, scored(lm=0.5), "scores of weight 1, not the weight of lm; .*sum_scores", id="weight"),
        pytest.param(["travatar-json"], scored(score=1, lm=1), "needs weight 1 for .* 'score'", id="more than a total"),
        pytest.param(["travatar-json"], scored(score=0.5), "needs weight 1 for .* 'score'", id="weight of the total"),
        pytest.param(LINES, scored(**{"my score": 1}), "the feature 'my score' .*sum_scores=True", id="feature"),
        pytest.param(["cdec-target-graph"], scored(**{"a;b": 1}), "would split the feature", id="semicolon"),
        pytest.param(FORMATS, labelled("rule", "x"), "cannot store the labels rule; .*drop_labels=True", id="label"),
        pytest.param(FORMATS[:2], labelled("covered", "two") , "covered", id="covered words"),
        pytest.param(LINES, categorised("category", "X"), r"nodes \(category\); .*drop_labels=True", id="category"),
        pytest.param(["cdec-json"], categorised("category", "N P"), "cdec does not allow", id="category with a space"),
        pytest.param(["cdec-json"], labelled("source", "[X,1]"), "does not fit a rule with 0 tails", id="source side"),
        pytest.param(["cdec-json"], labelled("spans", "0,1"), "spans .* are not four numbers", id="spans"),
        pytest.param(["travatar-json"], categorised("span", "0"), "'0' is not a span", id="span"),
        pytest.param(["travatar-json"], labelled("sentence", "a"), "differs among goals", id="sentence"),
    ],
)  # fmt: skip
def test_what_a_format_cannot_hold_is_refused(formats, graph, message, tmp_path):
    for format_name in formats:
        with pytest.raises(lm.LatticeMetricError, match=message):
            lm.write(tmp_path / "x", [("x", graph)], format=format_name)
    assert list(tmp_path.iterdir()) == []


def test_the_order_of_tails_is_that_of_the_target_in_line_formats(tmp_path):
    forest = Forest.from_edges([0, 1, 2], [[], [], [1, 0]], [[1], [2], [-2, -1]], goals=[2])
    again = read(tmp_path, written(forest, "cdec-target-graph", tmp_path / "x"), "cdec-target-graph")
    assert (again.tails.rows()[2], again.target.rows()[2]) == ([0, 1], [-1, -2])
    assert paths_of(again) == paths_of(forest)


@pytest.mark.parametrize(
    ("file", "format_name", "name"),
    [
        ("x.hg", "moses-hypergraph", "x"),
        ("x.target_graph.gz", "cdec-target-graph", "x"),
        ("x.joshua.hg", "joshua-hypergraph", "x"),
        ("x.cdec.json", "cdec-json", "x"),
        ("x.travatar.json.xz", "travatar-json", "1"),
    ],
)
def test_a_suffix_chooses_the_format_to_write(file, format_name, name, tmp_path):
    lm.write(tmp_path / file, [("x", lm.Lattice.from_strings(["a b"]))])
    assert [(entry.name, entry.format) for entry in entries([tmp_path / file])] == [(name, format_name)]


# --- Real forests

REAL = DATA / "forests"


@pytest.mark.real_data
@pytest.mark.skipif(not REAL.is_dir(), reason=f"there are no forests in {REAL} (LATTICEMETRIC_DATA)")
@pytest.mark.parametrize(
    ("file", "format_name", "nodes", "edges", "derivations"),
    [
        ("training_dpmert_test_data_0.json.gz", "cdec-json", 350, 1026, 7633),
        ("decoder_test_data_urdu.json.gz", "cdec-json", 3450, 23174, None),
        ("decoder_test_data_small.json.gz", "cdec-json", 36, 86, None),
        ("decoder_test_data_perro.json.gz", "cdec-json", 10, 21, None),
        ("australia.target_graph.gz", "cdec-target-graph", 77, 244_232, pytest.approx(3.8e28, rel=0.01)),
        ("moses-hgdecode-denseonly/data/hg.gz", "moses-hypergraph", 2239, 5342, None),
    ],
)
def test_real_forests_have_their_known_sizes(file, format_name, nodes, edges, derivations):
    statistics = lm.read_one(REAL / file, format=format_name).statistics()
    assert (statistics.nodes, statistics.edges) == (nodes, edges)
    assert derivations is None or statistics.derivations == derivations
