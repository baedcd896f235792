"""Moses' search graphs: the dialects of its versions, and graphs that a reader of plain lines understands as well."""

import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from kit.format_cases import CASES
from kit.format_cases.moses_search_graph import EXTENDED, OLD, PLAIN
from kit.formats import contents, paths_in, paths_of, read_all, small_nbest, write_file
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.formats import reading
from latticemetric.nbest import Hypothesis

NAME = "moses-search-graph"


def read_only(folder, text):
    [(_, graph)] = lm.read(write_file(folder, text))
    return graph


def label(lattice, name):
    side = lattice.labels[name]
    return [side.vocabulary.word(n) for n in side.arc.tolist()]


def one_line(fields):
    return f"0 hyp=0 stack=0\n0 hyp=1 stack=1 back=0 transition=-1 forward=-1 {fields}\n"


# --- Reading


def test_transitions_are_log_probabilities_and_arcs_go_where_hypotheses_were_recombined(tmp_path):
    lattice = read_only(tmp_path, PLAIN)
    assert paths_of(lattice) == [('I am here | "now"', 1.5), ('here | "now"', 1.75)]
    assert label(lattice, "covered") == ["0-0", "0-0", "", "1-1", "", ""]
    assert {name: column.weight for name, column in lattice.scores.items()} == {"transition": 1.0}


def test_features_do_not_count_and_stand_on_the_first_arc_of_a_phrase(tmp_path):
    lattice = read_only(tmp_path, EXTENDED)
    assert paths_of(lattice) == [("c d", 1.0), ("", 2.0)]
    assert {name: (c.arc.tolist(), c.weight) for name, c in lattice.scores.items()} == {
        "transition": ([1, 2, 0], 1),
        "core_0": ([1, 0, 0], 0),
        "core_1": ([-2, 0, 0], 0),
        "t~a": ([-1, 0, 0], 0),
    }
    assert label(lattice, "source") == ["a b", "a b", ""]


def test_features_of_older_versions_have_names(tmp_path):
    lattice = read_only(tmp_path, OLD)
    costs = {name: column.arc.tolist() for name, column in lattice.scores.items()}
    assert costs == {"transition": [1], "d_0": [1], "d_1": [0], "d_2": [-1], "lm": [2]}
    assert label(lattice, "source") == ["a"]


@pytest.mark.parametrize(
    ("fields", "words", "source"),
    [
        ("covered=0-0 out=I am", "I am", ""),
        ("covered=0-0 out=I am , pC=-0.4, c=-0.98", "I am", ""),  # until 2010
        ("covered=0-0 out=well , , pC=-0.4, c=-1e-05", "well ,", ""),
        ("covered=0-0 out=, pC=-0.4, c=-0.98", "", ""),
        ("[ d: -2 lm: -7 ] covered=0-0 out=a|b", "a|b", ""),
        ("covered=0-0 out=I|PRP am|VBP", "I|PRP am|VBP", ""),
        ("covered=0-0 out=Brno|UNK|UNK", "Brno|UNK|UNK", ""),
        ('covered=0-0 out="no|quotes"', '"no|quotes"', ""),
        ("covered=0-0 out=out=1 hyp=2", "out=1 hyp=2", ""),
        ('covered=0-0 scores="core=() " out="Brno|Brno"', "Brno", "Brno"),
        ('covered=0-0 scores="core=() " out="say|"say" it"', '"say" it', "say"),
        ('covered=0-0 scores="core=() " out="dis|"', "", "dis"),
        ('covered=0-0 scores="core=() " out="|a|b"', "a|b", ""),
        ('covered=3-4 scores="core=() " out="un|D chat|N|a cat"', "a cat", "un|D chat|N"),
        ('covered=3-4 scores="core=() " out="un chat|a|D cat|N"', "a|D cat|N", "un chat"),
        ('covered=3-3 scores="core=() " out="chat|N|m|the|D cat|N"', "the|D cat|N", "chat|N|m"),
        ('covered=3-3 scores="core=() " out="chat|N|cat|N"', "cat|N", "chat|N"),
        ('covered=3-3 scores="core=() " out="chat|N|"', "", "chat|N"),
        ("covered=0-0 out=no-break\u00a0space here", "no-break\u00a0space here", ""),
    ],
)
def test_phrases_are_read_as_the_versions_of_moses_write_them(fields, words, source, tmp_path):
    lattice = read_only(tmp_path, one_line(fields))
    assert paths_of(lattice) == [(words, 1.0)]
    assert (label(lattice, "source")[0] if source else "source" not in lattice.labels) == (source or True)


def test_the_lines_of_a_sentence_may_stand_in_any_order(tmp_path):
    shuffled = "".join(f"{line}\n" for line in reversed(PLAIN.splitlines()))
    assert sorted(paths_of(read_only(tmp_path, shuffled))) == sorted(paths_of(read_only(tmp_path, PLAIN)))


def test_going_back_to_what_was_recombined_means_what_stands_for_it(tmp_path):
    assert paths_of(read_only(tmp_path, PLAIN.replace("back=2", "back=4"))) == paths_of(read_only(tmp_path, PLAIN))


def test_what_was_recombined_may_be_recombined_again(tmp_path):
    text = PLAIN + "0 hyp=8 stack=1 back=0 transition=-3 recombined=4 forward=7 covered=0-0 out=x\n"
    assert ('x here | "now"', 4.0) in paths_of(read_only(tmp_path, text))


def test_recombined_hypotheses_of_old_versions_have_the_number_of_what_stands_for_them(tmp_path):
    text = PLAIN.replace("hyp=4", "hyp=2")
    assert paths_of(read_only(tmp_path, text)) == paths_of(read_only(tmp_path, PLAIN))


def test_all_complete_hypotheses_are_final_and_others_are_dropped(tmp_path):
    dead = "0 hyp=3 stack=1 back=0 transition=-9 forward=7 covered=0-0 out=dead\n"
    other = "0 hyp=8 stack=2 back=0 transition=-3 forward=-1 covered=0-1 out=other\n"
    lattice = read_only(tmp_path, PLAIN + dead + other)
    assert len(lattice.final) == 2
    assert sorted(words for words, _ in paths_of(lattice)) == ['I am here | "now"', 'here | "now"', "other"]


@pytest.mark.parametrize("line", ["0 hyp=0 stack=0", "0 hyp=0 stack=0 forward=-1 fscore=0"])
def test_an_empty_sentence_has_an_empty_translation(line, tmp_path):
    assert paths_of(read_only(tmp_path, f"{line}\n")) == [("", 0.0)]


def test_sentences_are_named_by_their_numbers_and_read_one_at_a_time(tmp_path):
    path = write_file(tmp_path, f"{PLAIN}\n\n5 hyp=0 stack=0\n{OLD.replace('lm: -2', 'lm: low')}")
    graphs = lm.read(path)
    assert [next(graphs)[0] for _ in range(2)] == ["0", "5"]
    with pytest.raises(lm.FormatError, match=r"graphs:9 \(6\): 'low' is not a number"):
        next(graphs)


def test_graphs_may_be_built_in_another_process():
    entries = list(reading.entries([EXAMPLES / "postcard.osg"]))
    assert [entry.format for entry in entries] == [NAME] * 2
    again = [pickle.loads(pickle.dumps(entry)).build() for entry in entries]
    assert [contents(graph) for graph in again] == [contents(entry.build()) for entry in entries]


def test_features_too_sparse_for_columns_are_refused(tmp_path):
    lines = [
        f'0 hyp={k} stack={k} back={k - 1} transition=-1 forward=-1 scores="core=() f{k}=1" out="|w"'
        for k in range(1, 3000)
    ]
    path = write_file(tmp_path, "\n".join(["0 hyp=0 stack=0", *lines]))
    with pytest.raises(lm.InputError, match=r"graphs:\d+ \(0\): .* too sparse"):
        read_all(path, None)


# --- Writing


def written(folder, graph, name="3"):
    lm.write(folder / "written", [(name, graph)], format=NAME)
    return (folder / "written").read_text()


def test_the_best_arc_into_a_state_is_its_hypothesis_and_others_are_recombined(tmp_path):
    costs = lm.Column(np.array([2.0, 0.5, 0.25]), np.zeros(1))
    vocabulary = lm.Vocabulary.from_words(["a", "b", "c"])
    lattice = lm.Lattice.from_arcs(
        [0, 0, 1], [1, 1, 2], [1, 2, 3], final=[2], scores={"cost": costs}, vocabulary=vocabulary
    )
    assert written(tmp_path, lattice) == (
        "3 hyp=0 stack=0\n"
        "3 hyp=3 stack=1 back=0 score=-2.0 transition=-2.0 recombined=1 forward=2 fscore=-0.25 covered=1-0 out=a\n"
        "3 hyp=1 stack=1 back=0 score=-0.5 transition=-0.5 forward=2 fscore=-0.25 covered=1-0 out=b\n"
        "3 hyp=2 stack=2 back=1 score=-0.75 transition=-0.25 forward=-1 fscore=0.0 covered=1-0 out=c\n"
    )


def test_an_nbest_list_keeps_its_features_in_the_extended_form(tmp_path):
    nbest = lm.NBest(
        (Hypothesis(("a",), {"core_0": 1.0, "lm": 2.5, "total": 0.5}),), {"core_0": 0.0, "lm": 0.0, "total": 1.0}
    )
    assert written(tmp_path, nbest).splitlines()[1] == (
        "3 hyp=1 stack=1 back=0 score=-0.5 transition=-0.5 forward=-1 fscore=0.0 covered=1-0 "
        'scores="core=(-1.0) lm=-2.5" out="|a"'
    )
    again = lm.read_one(tmp_path / "written")
    assert {name: (c.arc.tolist(), c.weight) for name, c in again.scores.items()} == {
        "transition": ([0.5], 1.0),
        "core_0": ([1.0], 0.0),
        "lm": ([2.5], 0.0),
    }
    assert paths_of(lm.read_one(write_file(tmp_path, written(tmp_path, small_nbest())))) == paths_of(small_nbest())


def test_final_states_that_cost_something_get_an_end_of_their_own(tmp_path):
    columns = {
        "transition": lm.Column(np.array([1.0, 2.0]), np.array([0.5, 0.25])),
        "lm": lm.Column(np.array([3.0, 4.0]), np.array([5.0, 6.0]), 0.0),
    }
    lattice = lm.Lattice.from_arcs([0, 1], [1, 2], [1, 1], final=[1, 2], scores=columns)
    again = read_only(tmp_path, written(tmp_path, lattice))
    assert sorted(paths_of(again)) == sorted(paths_of(lattice))
    assert sorted(p.cost for p in again.paths({"lm": 1})) == sorted(p.cost for p in lattice.paths({"lm": 1}))


def test_the_start_may_be_final(tmp_path):
    lattice = lm.Lattice.from_arcs([0], [1], [1], final=[0, 1])
    assert paths_in(tmp_path, written(tmp_path, lattice)) == [paths_of(lattice)]


def test_the_examples_are_the_same_after_writing(tmp_path):
    graphs = list(lm.read(EXAMPLES / "postcard.osg"))
    lm.write(tmp_path / "x.osg.gz", graphs)
    again = list(lm.read(tmp_path / "x.osg.gz"))
    assert [(name, paths_of(graph)) for name, graph in again] == [(name, paths_of(graph)) for name, graph in graphs]
    assert [contents(graph) for _, graph in again] == [contents(graph) for _, graph in graphs]


def lattice_with(scores=(("transition", 1.0),), labels=(), words="a"):
    columns = {name: lm.Column(np.zeros(1), np.zeros(1), weight) for name, weight in scores}
    vocabulary = lm.Vocabulary.from_words([words])
    sides = {
        name: lm.Labels(
            np.array([1], dtype=np.int32), np.array([end], dtype=np.int32), lm.Vocabulary.from_words([text])
        )
        for name, text, end in labels
    }
    return lm.Lattice.from_arcs([0], [1], [1], final=[1], scores=columns, vocabulary=vocabulary, labels=sides)


@pytest.mark.parametrize(
    ("graph", "name", "message"),
    [
        (lattice_with((("lm", 12.0), ("acoustic", 1.0))), "0", r"weights are lm 12, acoustic 1; .*sum_scores=True"),
        (lattice_with((("lm", 0.5),)), "0", "sum_scores=True"),
        (lattice_with((("lm", 0.0), ("tm", 0.0))), "0", "sum_scores=True"),
        (lattice_with((("lm", 1.0), ("transition", 0.0))), "0", "cannot store a feature named 'transition'"),
        (lattice_with((("lm", 1.0), ('say"so', 0.0))), "0", "cannot store a feature named"),
        (lattice_with((("lm", 1.0), ("my score", 0.0))), "0", "white space"),
        (lattice_with(labels=[("v", "1", 0)]), "0", "cannot store the labels v; .*drop_labels=True"),
        (lattice_with(labels=[("covered", "0-0", 1)]), "0", "labels of final states; .*drop_labels=True"),
        (lattice_with(labels=[("covered", "first", 0)]), "0", "not a span of the source.*drop_labels=True"),
        (lattice_with(labels=[("covered", "3-1", 0)]), "0", "not a span of the source.*drop_labels=True"),
        (lattice_with(labels=[("source", "a|b", 0)], words="c"), "0", "end of the source phrase.*drop_labels=True"),
        (lattice_with(labels=[("source", "a", 0)], words="b|c"), "0", "end of the source phrase.*drop_labels=True"),
        (lattice_with(labels=[("source", "a  b", 0)]), "0", "end of the source phrase"),
        (lattice_with(words="New York"), "0", "white space"),
        (lattice_with(words="a\nb"), "0", "white space"),
        (lattice_with(), "a b", "white space"),
        (lattice_with(), "", "white space"),
    ],
)
def test_what_a_search_graph_cannot_hold_is_refused(graph, name, message, tmp_path):
    with pytest.raises(lm.LatticeMetricError, match=message):
        lm.write(tmp_path / "x", [(name, graph)], format=NAME)
    assert list(tmp_path.iterdir()) == []


_LINE = re.compile(
    r"3 hyp=(\d+) stack=(\d+) back=(\d+) score=(\S+) transition=(\S+)( recombined=(\d+))? forward=(-1|\d+) "
    r'fscore=(\S+) covered=\d+-\d+( scores="core=\(\S*\) .*")? out=(.*)'
)


@given(graph=CASES[NAME].graphs)
def test_others_read_the_same_graph_and_find_the_best_path_by_forward(graph, tmp_path_factory):
    """A reader of Moses' own fields: no other part of the package, and no choice about what is missing."""
    first, *lines = written(tmp_path_factory.getbasetemp(), graph).split("\n")[:-1]
    assert re.fullmatch(r"3 hyp=0 stack=0( forward=(-1|\d+) fscore=\S+)?", first)
    stack, score, transition, back, forward, arcs, outs, finals = {0: 0}, {0: 0.0}, {}, {}, {}, [], [], set()
    matches = [_LINE.fullmatch(line) for line in lines]
    assert all(matches)
    for match in matches:
        if match[7] is None:
            stack[int(match[1])], score[int(match[1])] = int(match[2]), float(match[4])
    for match in matches:
        hypothesis, before = int(match[1]), int(match[3])
        end = int(match[7] or hypothesis)
        arcs.append((before, end))
        outs.append(match[11])
        assert stack[before] < stack[end] == int(match[2])
        assert float(match[4]) == score[before] + float(match[5]) <= score[end]
        assert hypothesis not in transition
        transition[hypothesis], back[hypothesis], forward[end] = float(match[5]), before, int(match[8])
        finals |= {end} if match[8] == "-1" else set()
    assert arcs == list(zip(graph.source.tolist(), graph.target.tolist(), strict=True))
    words = [graph.vocabulary.word(n) for n in graph.word.tolist()]
    sources = label(graph, "source") if "source" in graph.labels else [""] * len(words)
    phrases = [f'"{source}|{word}"' for source, word in zip(sources, words, strict=True)]
    assert outs == (phrases if any(match[10] for match in matches) else words)
    assert finals - {0} == set(graph.final.tolist()) - {0}
    for state, following in forward.items():
        assert following == -1 or back[following] == state
