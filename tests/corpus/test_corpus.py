"""A corpus answers as the functions of one graph and as the command line do, whatever it is made of."""

from __future__ import annotations

import gc
import json
import os
import re
import subprocess
import sys
import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import typed_corpus
from kit.commands import MEETING as FILES
from kit.commands import good, run
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.corpus.fingerprint import as_text
from latticemetric.nbest import Hypothesis

MEETING = tuple(map(str, FILES))
LATTICE = lm.Lattice.from_strings(["a b", "a c"], costs=[1.0, 2.0])
OTHER = lm.Lattice.from_strings(["x", "x y"], costs=[0.5, 0.25])


def output_of(program: str, *arguments: str) -> str:
    return good(run(program, *arguments)).stdout


def words(answers) -> list[tuple[str, tuple[str, ...]]]:
    return [(answer.name, answer.value.words) for answer in answers]


# ---- Graphs in memory ----

_NAMES = st.text("ab1-", min_size=1, max_size=3)
_STRINGS = st.lists(st.lists(st.sampled_from("abc"), max_size=3).map(" ".join), min_size=1, max_size=4)


@given(st.dictionaries(_NAMES, _STRINGS, min_size=1, max_size=5))
def test_every_form_of_graphs_in_memory_has_the_same_answers(texts):
    graphs = {
        name: lm.Lattice.from_strings(strings, costs=list(range(len(strings)))) for name, strings in texts.items()
    }
    expected = [(name, tuple(strings[0].split())) for name, strings in texts.items()]
    for given_graphs in (graphs, graphs.items(), list(graphs.items()), iter(graphs.items()), tuple(graphs.items())):
        assert words(lm.Corpus(given_graphs).best()) == expected
    numbered = [(str(number), found) for number, (_, found) in enumerate(expected, start=1)]
    assert words(lm.Corpus(graphs.values()).best()) == numbered


@given(st.permutations(["one", "two", "three"]))
def test_references_by_id_may_have_any_order(order):
    graphs = dict.fromkeys(["one", "two", "three"], LATTICE)
    found = lm.Corpus(graphs, {name: f"{name} b" for name in order}).map(lambda _, references: references)
    assert {answer.name: answer.value for answer in found} == {name: [(name, "b")] for name in graphs}


def test_references_of_a_list_are_those_of_the_graphs_in_order():
    corpus = lm.Corpus([LATTICE, OTHER], ["a c", ["x", "y z"]])
    assert [answer.value for answer in corpus.map(lambda _, references: references)] == [
        [("a", "c")],
        [("x",), ("y", "z")],
    ]


def test_references_that_do_not_fit_are_refused():
    for graphs, texts in (([LATTICE], ["a", "b"]), ([LATTICE, OTHER], ["a"])):
        with pytest.raises(lm.UsageError, match="the numbers of graphs and references differ: "):
            lm.Corpus(graphs, texts)
        with pytest.raises(lm.UsageError, match="references"):
            list(lm.Corpus(iter(graphs), texts).map(lambda *_: 0))
    with pytest.raises(lm.UsageError, match="references is one reference; give a list"):
        lm.Corpus([LATTICE], "a b")
    with pytest.raises(lm.InputError, match=r"graph 1 \(one\): there is no reference for 'one'; add one"):
        list(lm.Corpus({"one": LATTICE}, {}).map(lambda *_: 0))
    with pytest.raises(lm.InputError, match=r"there is no graph named 'two'; add it"):
        list(lm.Corpus({"one": LATTICE}, {"one": "a", "two": "b"}).map(lambda *_: 0))
    answers = lm.Corpus({"one": LATTICE}, {"two": "b"}).map(lambda *_: 0, keep_going=True)
    assert [answer.name for answer in answers.failures] == ["one", "two"]
    with pytest.raises(lm.UsageError, match="two graphs have the id 'one'"):
        list(lm.Corpus([("one", LATTICE), ("one", OTHER)], {"one": "a"}).map(lambda *_: 0))


def test_what_is_no_corpus_is_refused():
    with pytest.raises(lm.UsageError, match=r"these are files; use Corpus\.read\(graphs, references\)"):
        lm.Corpus("lats.ark.gz")
    with pytest.raises(lm.UsageError, match="this is one Lattice; give a list of graphs"):
        lm.Corpus(LATTICE)
    with pytest.raises(lm.UsageError, match="use Corpus"):
        lm.Corpus.read([LATTICE])
    with pytest.raises(lm.UsageError, match="there are no files of graphs"):
        lm.Corpus.read([])


def test_texts_are_prepared():
    lattice = lm.Lattice.from_strings(["<s> The cat. </s>"])
    corpus = lm.Corpus({"one": lattice}, {"one": "<s> the CAT."}, lowercase=True, tokenize="13a", ignore="<s> </s>")
    assert corpus.best()["one"].words == ("the", "cat", ".")
    assert corpus.map(lambda _, references: references)["one"] == [("the", "cat", ".")]


def test_weights_are_those_of_the_corpus():
    rows = [Hypothesis("a", {"lm": 1.0, "am": 2.0}), Hypothesis("b", {"lm": 2.0, "am": 0.0})]
    lattice = lm.NBest(tuple(rows), {})
    for weights, expected in (({}, "b"), ({"am": 0.1}, "a"), ({"lm": -1.0, "am": 0.0}, "b")):
        assert lm.Corpus([lattice], weights=weights).best()["1"].words == (expected,)
    with pytest.raises(lm.InputError, match="there is no score column 'nope'"):
        list(lm.Corpus([lattice], weights={"nope": 1.0}).best())


# ---- Answers ----


def test_answers_are_computed_once_and_in_order():
    asked = []
    answers = lm.Corpus([LATTICE, OTHER]).map(lambda graph: asked.append(graph.num_states) or len(asked))
    first = next(iter(answers))
    assert (first.value, len(asked)) == (1, 1)
    assert [answer.value for answer in answers] == [1, 2]
    assert [answer.value for answer in answers] == [1, 2]
    assert (answers["2"], len(answers), len(asked)) == (2, 2, 2)
    assert "2" in answers
    assert "3" not in answers


def test_streamed_answers_are_not_kept():
    asked = []
    answers = lm.Corpus([LATTICE, OTHER]).map(lambda _: asked.append(0))
    assert len(list(answers.streamed())) == 2
    assert len(list(answers.streamed())) == 2
    assert len(asked) == 4
    next(iter(answers))
    with pytest.raises(lm.UsageError, match="some answers are kept already; ask the corpus again"):
        answers.streamed()


def test_the_memory_of_streamed_answers_does_not_grow():
    def peak(number: int) -> int:
        graphs = (LATTICE for _ in range(number))
        answers = lm.Corpus(graphs).best(progress=False)
        gc.collect()
        tracemalloc.start()
        for _ in answers.streamed():
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)
    assert peak(6000) < 1.5 * peak(2000)  # what the collector of garbage has not seen yet


def test_an_id_of_two_graphs_raises():
    answers = lm.Corpus([("one", LATTICE), ("one", OTHER)]).best()
    with pytest.raises(lm.UsageError, match="2 graphs have the id 'one'"):
        answers["one"]
    with pytest.raises(lm.UsageError, match=r"no graph has the id 'two'; .* the first ids are one, one"):
        answers["two"]
    with pytest.raises(lm.UsageError, match="the id 0 is not a string"):
        answers[0]


def test_an_error_does_not_make_some_answers_look_like_all():
    calls = []

    def fails_once(graph):
        calls.append(graph)
        if len(calls) == 2:
            raise lm.InputError("out of luck")
        return len(calls)

    answers = lm.Corpus([LATTICE, OTHER]).map(fails_once)
    with pytest.raises(lm.InputError, match=r"^graph 2 \(2\): out of luck"):
        list(answers)
    assert [answer.value for answer in answers] == [3, 4]
    assert len(answers) == 2


def test_an_iterator_of_graphs_is_read_once():
    answers = lm.Corpus(iter([LATTICE])).best()
    assert len(answers) == 1
    assert len(answers) == 1
    corpus = lm.Corpus(iter([LATTICE]))
    list(corpus.best())
    with pytest.raises(lm.UsageError, match="the graphs were an iterator, which was read; give a list"):
        list(corpus.best())


def test_failures_are_answers_when_the_run_keeps_going():
    def ask(graph):
        if graph.num_states == 3:
            raise lm.InputError("too small")
        return 1

    answers = lm.Corpus({"one": lm.Lattice.from_strings(["a"]), "two": OTHER, "three": LATTICE}).map(
        ask, keep_going=True
    )
    assert [answer.name for answer in answers.failures] == [a.name for a in answers if a.problem is not None]
    for answer in answers.failures:
        with pytest.raises(lm.InputError, match="too small"):
            answers[answer.name]
        assert {"id": answer.name, "error": f"{answer.where} ({answer.name}): too small"} in answers.to_records()


# ---- As the command line ----


@pytest.mark.parametrize("suffix", ["txt", "tsv", "json", "jsonl"])
def test_files_are_those_of_the_command_line(suffix, tmp_path):
    lm.Corpus.read(MEETING[0]).best(posterior_scale=0.5).write(tmp_path / f"best.{suffix}")
    output_of("latticemetric", "best", MEETING[0], "--posterior-scale", ".5", "-o", str(tmp_path / f"cli.{suffix}"))
    assert (tmp_path / f"best.{suffix}").read_bytes() == (tmp_path / f"cli.{suffix}").read_bytes()


def test_a_table_has_the_records(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    best = lm.Corpus.read(MEETING[0]).best()
    assert best.to_pandas()["hypothesis"].tolist() == [" ".join(answer.value.words) for answer in best]
    best.write(tmp_path / "best.parquet")
    assert pandas.read_parquet(tmp_path / "best.parquet")["id"].tolist() == [answer.name for answer in best]
    best.write(tmp_path / "best.jsonl.gz")
    with pytest.raises(lm.UsageError, match="there is no format 'xls' here; choose one of text, tsv"):
        best.write(tmp_path / "best", "xls")
    assert "<td>meeting-001</td>" in best._repr_html_()
    assert str(best) == output_of("latticemetric", "best", MEETING[0]).rstrip("\n")


def test_shards_of_python_merge_on_the_command_line(tmp_path):
    for index in (1, 2):
        best = lm.Corpus.read(MEETING[0], shard=f"{index}/2").best()
        if index == 2:
            assert len(best)  # answers that are kept before they are written
        best.write(tmp_path / f"{index}.json")
    lm.Corpus.read(MEETING[0]).best().write(tmp_path / "whole.json")
    merged = output_of("latticemetric", "merge", "--format", "json", str(tmp_path / "1.json"), str(tmp_path / "2.json"))
    assert json.loads(merged) == json.loads((tmp_path / "whole.json").read_text())
    assert merged == (tmp_path / "whole.json").read_text()


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("oracle", {"metric": "wer"}),
        ("oracle", {}),
        ("oracle", {"metric": "compound-wer"}),
        ("expected", {}),
        ("sweep", {"metric": "wer", "nbest_sizes": [1, 2], "resamples": 20}),
        ("best", {}),
        ("nbest", {"n": 2}),
        ("mbr", {"by": lm.ByNgrams.grid(p=[0.8, 0.9])}),
    ],
)
def test_shards_merge_in_python_as_on_the_command_line(verb, given, tmp_path):
    files = [str(tmp_path / f"{index}.json") for index in (2, 1, 3)]
    for file in files:
        shard = f"{file[-6]}/3"
        getattr(lm.Corpus.read(*MEETING, shard=shard), verb)(**given).write(file)
    whole, merged = getattr(lm.Corpus.read(*MEETING), verb)(**given), lm.merge(files)
    assert (merged.verb, merged.totals) == (verb, whole.totals)
    assert merged.to_records() == whole.to_records()
    whole.write(tmp_path / "whole.json")
    merged.write(tmp_path / "merged.json")
    assert (tmp_path / "merged.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    printed = output_of("latticemetric", "merge", *files, "--format", "text").rstrip("\n")
    assert str(merged) == str(whole) == "\n".join([printed, *merged.table().summary()])
    whole.write(tmp_path / "whole.tsv")
    merged.write(tmp_path / "merged.tsv")
    assert (tmp_path / "merged.tsv").read_bytes() == (tmp_path / "whole.tsv").read_bytes()
    if verb != "sweep":
        with pytest.raises(lm.UsageError, match="have no plot"):
            merged.plot(tmp_path / "merged.svg")


@pytest.mark.parametrize(
    ("what", "ask"),
    [
        ("BLEU", lambda corpus: corpus.oracle("bleu")),
        ("tags", lambda corpus: corpus.tags()),
        ("calibrate", lambda corpus: corpus.calibrate()),
        ("a report", lambda corpus: corpus.report("report.html")),
        ("an oracle of lists", lambda corpus: corpus.lists()),
        ("tuning", lambda corpus: corpus.tune(vary={"lm": (0, 1)})),
    ],
)
def test_results_of_all_graphs_together_take_no_shard(what, ask):
    with pytest.raises(lm.UsageError, match=f"^{what} needs all graphs, not a shard; leave shard out$"):
        ask(lm.Corpus.read(*MEETING, shard="1/2"))


@pytest.mark.parametrize("given", [{"timeout": 9}, {"max_memory": "1G"}, {"resume": "a.journal"}])
def test_a_search_of_all_graphs_together_takes_no_limits_of_each(given):
    (name,) = given
    with pytest.raises(lm.UsageError, match=f"^{name} has no effect on BLEU; leave it out$"):
        lm.Corpus.read(*MEETING).oracle("bleu", **given)


def test_shards_that_fail_are_counted_when_they_merge(tmp_path):
    graphs = tmp_path / "graphs"
    graphs.mkdir()
    for name, text in (("a", "0 1 x x\n1\n"), ("b", "0 1 x\n"), ("c", "0 1 y y\n1\n")):
        (graphs / f"{name}.fst.txt").write_text(text)
    for index in (1, 2):
        lm.Corpus.read(str(graphs), shard=f"{index}/2").best(keep_going=True).write(tmp_path / f"{index}.json")
    merged = lm.merge(tmp_path / f"{index}.json" for index in (1, 2))
    assert merged.totals == lm.Corpus.read(str(graphs)).best(keep_going=True).totals == {"graphs": 2, "failed": 1}
    for wrong, says in ((str(tmp_path / "1.json"), "a single file"), ([], "there are no shards")):
        with pytest.raises(lm.UsageError, match=says):
            lm.merge(wrong)


# ---- Tags ----


@pytest.mark.parametrize("suffix", ["txt", "tsv", "json", "jsonl"])
def test_files_of_tags_are_those_of_the_command_line(suffix, tmp_path):
    mine, theirs = tmp_path / f"mine.{suffix}", tmp_path / f"theirs.{suffix}"
    tags = lm.Corpus.read(*MEETING).tags("wer", thresholds=[0.3, 0.5, 0.7], posterior_scale=0.5)
    tags.write(mine)
    options = ["--metric", "wer", "--thresholds", "0.7,0.3,0.5", "--posterior-scale", "0.5", "-o", str(theirs)]
    good(run("latticemetric", "tags", "--from-lattices", *MEETING, *options))
    assert mine.read_bytes() == theirs.read_bytes()
    assert tags.totals["thresholds"] == tags.to_records()
    assert tags.totals["best"] == tags.result.sweep.best.threshold


def test_tags_of_words_are_true_and_predicted():
    corpus = lm.Corpus({"one": LATTICE, "two": OTHER}, {"one": "a c", "two": "x y"})
    tags = corpus.tags("wer", thresholds=[0.6])
    assert tags["one"].one_best.tags == ("OK", "BAD")  # a b, for a c
    assert tags["two"].one_best.tags == ("OK", "OK")
    (row,) = tags.result.sweep.rows
    assert (row.scores.tags, row.scores.bad, row.scores.errors) == (4, 2, 3)  # x and y are predicted to be BAD, b is it
    ignoring = lm.Corpus({"one": LATTICE}, {"one": "a c"}, ignore="b c").tags("wer")
    assert ignoring["one"].one_best.tags == ("OK",)
    with pytest.raises(lm.UsageError, match="tags has no setting 'bins'"):
        corpus.tags(bins=3)
    with pytest.raises(lm.UsageError, match="no references"):
        str(lm.Corpus([LATTICE]).tags())
    with pytest.raises(lm.InputError, match="all graphs failed"):
        str(lm.Corpus({"one": LATTICE}, {}).tags(keep_going=True))


# ---- Pictures ----

_FOREST = (str(EXAMPLES / "lantern.cdec.json"), str(EXAMPLES / "lantern.ref.txt"))


@pytest.mark.parametrize(
    ("files", "given", "options"),
    [
        (MEETING, {"oracle": True, "one_best": True, "metric": "wer"}, ["--oracle", "--one-best", "--metric", "wer"]),
        (MEETING, {"expected": True, "posterior_scale": 0.5}, ["--expected", "--posterior-scale", "0.5"]),
        (
            MEETING[:1],
            {"mbr": True, "posteriors": True, "most_drawn": 3},
            ["--mbr", "--posteriors", "--most-drawn", "3"],
        ),
        (MEETING[:1], {"kind": "network"}, ["--kind", "network"]),
        (MEETING[:1], {"scores": ["lm"], "times": False, "beam": 2}, ["--scores", "lm", "--no-times", "--beam", "2"]),
        (_FOREST[:1], {"kind": "tree", "mbr": True}, ["--kind", "tree", "--mbr"]),
        (_FOREST, {"oracle": True}, ["--oracle"]),
        (MEETING, {"kind": "automaton", "metric": "wer"}, ["--kind", "automaton", "--metric", "wer"]),
    ],
)
@pytest.mark.parametrize("suffix", ["svg", "dot", "txt"])
def test_pictures_are_those_of_the_command_line(files, given, options, suffix, tmp_path):
    mine, theirs = tmp_path / f"mine.{suffix}", tmp_path / f"theirs.{suffix}"
    weights = {"acoustic": 0.5} if files[0] == MEETING[0] else {"Glue": 1}
    name = "meeting-001" if files[0] == MEETING[0] else None
    lm.Corpus.read(files[0], files[1:] or None, weights=weights).draw(mine, id=name, **given)
    options = [*options, "--weights", ",".join(f"{key}={value}" for key, value in weights.items())]
    options += [] if name is None else ["--id", name]
    options += ["--reference", files[1]] if files[1:] else []
    good(run("latticemetric", "draw", files[0], *options, "-o", str(theirs), "--width", "100"))
    assert mine.read_bytes() == theirs.read_bytes()


def test_the_picture_is_of_the_only_graph_with_the_id():
    corpus = lm.Corpus([("one", LATTICE), ("two", OTHER)], {"one": "a c"})
    drawn = lm.draw(LATTICE, ways={"oracle": lm.oracle(LATTICE, "a c", "wer")})
    assert str(corpus.draw(id="one", metric="wer", oracle=True)) == str(drawn)
    assert str(corpus.draw(id="one", references="a c", metric="wer", oracle=True)) == str(drawn)
    assert str(lm.Corpus([OTHER]).draw()) == str(lm.draw(OTHER))
    for wrong, says in (
        ({}, "2 graphs; choose one"),
        ({"id": "two", "oracle": True}, "there is no reference for 'two'"),
        ({"id": "three"}, "there is no graph 'three'; there are one, two"),
        ({"id": "one", "kind": "network", "oracle": True}, "oracle has no effect with kind='network'"),
        ({"id": "one", "kind": "tree"}, "a lattice has no derivation trees"),
        ({"id": "one", "references": "a"}, "references has no effect"),
        ({"id": "one", "colour": "red"}, "draw has no setting 'colour'"),
    ):
        with pytest.raises(lm.LatticeMetricError, match=says):
            corpus.draw(**wrong)
    with pytest.raises(lm.InputError, match="2 graphs have the id 'two'"):
        lm.Corpus([("one", LATTICE), ("two", OTHER), ("two", LATTICE)]).draw(id="two")
    with pytest.raises(lm.UsageError, match="no references"):
        lm.Corpus([LATTICE]).draw(oracle=True)


# ---- Plots ----


@pytest.mark.parametrize(
    ("verb", "given", "options"),
    [
        ("sweep", {"metric": "wer", "nbest_sizes": [1, 2]}, ["--metric", "wer", "--nbest-sizes", "1,2"]),
        ("calibrate", {"folds": 2, "resamples": 0}, ["--folds", "2", "--resamples", "0"]),
        ("tags", {"metric": "wer"}, ["--from-lattices", "--metric", "wer"]),
    ],
)
def test_plots_are_those_of_the_command_line(verb, given, options, tmp_path):
    pytest.importorskip("matplotlib")
    mine, theirs = tmp_path / "mine.svg", tmp_path / "theirs.svg"
    asked = getattr(lm.Corpus.read(*MEETING), verb)(**given)
    asked.plot(mine)
    good(run("latticemetric", verb, *MEETING, *options, "--plot", str(theirs)))
    assert mine.read_bytes() == theirs.read_bytes()


def test_answers_without_a_plot_say_so_before_the_run(tmp_path):
    asked = []
    with pytest.raises(lm.UsageError, match="the answers of map have no plot"):
        lm.Corpus([LATTICE]).map(asked.append).plot(tmp_path / "plot.svg")
    with pytest.raises(lm.UsageError, match=r"plot\.jpg"):
        lm.Corpus([LATTICE], ["a c"]).sweep("wer", nbest_sizes=[1]).plot(tmp_path / "plot.jpg")
    assert not asked


def test_an_interrupted_run_resumes(tmp_path):
    journal = tmp_path / "best.journal"
    corpus = lm.Corpus.read(MEETING[0])
    stream = corpus.best(resume=journal).streamed()
    first = next(stream)
    stream.close()
    assert journal.exists()
    resumed = corpus.best(resume=journal)
    assert words(resumed) == words(corpus.best())
    assert resumed[first.name].words == first.value.words
    assert not journal.exists()


def test_a_journal_of_another_question_is_refused(tmp_path):
    journal = tmp_path / "best.journal"
    stream = lm.Corpus.read(MEETING[0]).best(resume=journal).streamed()
    next(stream)
    stream.close()
    for other in (
        lambda: lm.Corpus.read(MEETING[0]).best(posterior_scale=0.5, resume=journal),
        lambda: lm.Corpus.read(MEETING[0], lowercase=True).best(resume=journal),
        lambda: lm.Corpus.read(MEETING[0], weights={"lm": 2.0}).best(resume=journal),
        lambda: lm.Corpus.read(str(EXAMPLES / "*.lat.txt")).best(resume=journal),
    ):
        with pytest.raises(lm.UsageError, match="the journal is of another run"):
            list(other())
    with pytest.raises(lm.UsageError, match="a corpus in memory cannot be resumed"):
        list(lm.Corpus([LATTICE]).best(resume=journal))


def test_a_weight_without_effect_is_an_error(tmp_path):
    with pytest.raises(lm.InputError, match="there is no score column 'nope'"):
        list(lm.Corpus.read(MEETING[0], weights={"nope": 1.0}).best())
    (tmp_path / "tuned.weights").write_text("nope=1\n")
    with pytest.raises(lm.InputError, match="no graph has any of the 1 score columns"):
        list(lm.Corpus.read(MEETING[0], weights=tmp_path / "tuned.weights").best())


def test_settings_of_a_run_are_checked():
    corpus = lm.Corpus([LATTICE])
    for wrong in ({"workers": 0}, {"timeout": 0}, {"max_memory": "much"}, {"keep_going": 1}, {"speed": 3}):
        with pytest.raises(lm.UsageError):
            corpus.best(**wrong)
    run = lm.RunSettings(workers=2, keep_going=True)
    assert len(corpus.best(run=run)) == 1
    assert len(corpus.best(run=run, workers=1)) == 1
    with pytest.raises(lm.UsageError, match="run is a dict"):
        corpus.best(run={"workers": 2})


# ---- Graphs of answers, and changed graphs ----


def test_graphs_of_answers_are_written(tmp_path):
    corpus = lm.Corpus({"one": LATTICE, "two": OTHER})
    assert corpus.consensus().write_lattices(tmp_path / "all.mesh") == 2
    assert corpus.nbest(2, lists=True).write_lattices(tmp_path / "all.nbest") == 2
    assert corpus.posteriors(with_lattice=True).write_lattices(tmp_path / "all.slf.far", "far") == 2
    assert corpus.mbr("ngram", gains=True, gains_only=True).write_lattices(tmp_path / "all.lat", "kaldi") == 2
    for answers, advice in (
        (corpus.best(), "ask for nbest, consensus, posteriors or mbr"),
        (corpus.nbest(2), "ask with lists=True"),
        (corpus.posteriors(), "ask with with_lattice=True"),
        (corpus.mbr("ngram"), "ask with gains=True"),
    ):
        with pytest.raises(lm.UsageError, match=f"have no graphs; {advice}"):
            answers.write_lattices(tmp_path / "none.lat")


def test_changed_graphs_are_those_of_the_functions(tmp_path):
    graphs = {"one": LATTICE, "two": OTHER}
    corpus = lm.Corpus(graphs)
    for changed, change in (
        (corpus.pruned(beam=0.5), lambda graph: graph.pruned(0.5)),
        (corpus.pruned(nbest=1), lambda graph: graph.pruned(nbest=1)),
        (corpus.determinized(), lambda graph: graph.determinized()),
        (corpus.minimized(), lambda graph: graph.minimized()),
        (corpus.pruned(beam=0.5).minimized(), lambda graph: graph.pruned(0.5).minimized()),
    ):
        assert [answer.value for answer in changed.map(lambda graph: graph)] == list(map(change, graphs.values()))
        assert changed.write(tmp_path / "changed.lat", "kaldi") == 2
    with pytest.raises(lm.UsageError, match="give one of beam, density and nbest"):
        corpus.pruned()
    with pytest.raises(lm.UsageError, match="contradict each other"):
        corpus.converted(sum_scores=True, scores_off=True)


def test_weights_apply_once_to_summed_scores():
    lattice = lm.Lattice.from_strings(["a b", "a c"], costs=[1.0, 2.0])
    corpus = lm.Corpus([lattice], weights={"cost": 2.0})
    for changed in (corpus, corpus.converted(sum_scores=True), corpus.determinized()):
        assert changed.best()["1"].cost == 2.0


def test_graphs_that_fail_are_not_left_out_in_silence(tmp_path):
    graphs = {"one": LATTICE, "two": lm.NBest((Hypothesis("a", {}),), {})}
    corpus = lm.Corpus(graphs).pruned(density=5)
    with pytest.raises(lm.InputError, match="an n-best list has no density"):
        corpus.write(tmp_path / "pruned.lat", "kaldi")
    with pytest.warns(UserWarning, match="an n-best list has no density"):
        assert corpus.write(tmp_path / "pruned.lat", "kaldi", keep_going=True) == 1


def test_settings_without_effect_are_refused():
    corpus = lm.Corpus([LATTICE])
    for wrong in ({"of": "words", "order": 3}, {"of": "summary", "top": 3}, {"of": "summary", "least": 0.5}):
        with pytest.raises(lm.UsageError, match="has no effect on"):
            corpus.posteriors(**wrong)
    with pytest.raises(lm.UsageError, match=r"best has no setting 'p'; its settings are "):
        corpus.best(p=3)
    with pytest.raises(lm.UsageError, match="MBR by ngram has no setting 'seed'"):
        corpus.mbr("ngram", seed=3)


def test_integers_of_any_length_are_shown(tmp_path):
    pytest.importorskip("pyarrow")
    states = 20_000
    source = [state for state in range(states) for _ in range(2)]
    wide = lm.Lattice.from_arcs(source, [s + 1 for s in source], [1, 2] * states, final=[states])
    info = lm.Corpus({"wide": wide}).info()
    assert info["wide"]["paths"] == 2**states
    assert "wide" in str(info)
    for name in ("info.json", "info.tsv", "info.parquet"):
        info.write(tmp_path / name)
    assert str(info["wide"]["states"]) in info._repr_html_()


# ---- Oracles ----

_CORPORA = st.lists(
    st.tuples(_STRINGS, st.lists(st.lists(st.sampled_from("abc"), max_size=3).map(" ".join), min_size=1, max_size=2)),
    min_size=1,
    max_size=4,
)


@given(_CORPORA, st.sampled_from(["wer", "4-grr", "cer", "2-grr", "compound-wer"]))
def test_oracles_are_those_of_the_function_of_one_graph(drawn, metric):
    graphs = [lm.Lattice.from_strings(strings, costs=list(range(len(strings)))) for strings, _ in drawn]
    references = [texts for _, texts in drawn]
    answers = lm.Corpus(graphs, references).oracle(metric)
    for answer, graph, texts in zip(answers, graphs, references, strict=True):
        expected = lm.oracle(graph, texts, metric)
        assert (answer.value.words, answer.value.score) == (expected.words, expected.score)
    one_by_one = [lm.oracle(graph, texts, metric) for graph, texts in zip(graphs, references, strict=True)]
    assert answers.totals["numerator"] == sum(one.numerator for one in one_by_one)


def test_several_metrics_are_a_mapping(tmp_path):
    corpus = lm.Corpus.read(*MEETING)
    both = corpus.oracle()
    assert list(both) == ["wer", "4-grr"]
    for metric, answers in both.items():
        alone = corpus.oracle(metric)
        assert answers.to_records() == alone.to_records()
        assert answers.totals == alone.totals == both.totals[metric]
        assert str(answers) == str(alone)
    output_of("lattice-oracle", *MEETING, "-o", str(tmp_path / "cli.json"))
    both.write(tmp_path / "both.json")
    assert (tmp_path / "both.json").read_bytes() == (tmp_path / "cli.json").read_bytes()
    with pytest.raises(lm.UsageError, match=r"there are no answers by 'cer'; choose one of wer, 4-grr"):
        both["cer"]


def test_a_list_of_one_metric_is_a_mapping_as_longer_lists_are(tmp_path):
    corpus = lm.Corpus.read(*MEETING)
    alone, only = corpus.oracle("wer"), corpus.oracle(["wer"])
    assert list(only) == ["wer"]
    assert only.totals == {"wer": alone.totals}
    assert only["wer"].to_records() == alone.to_records()
    assert str(only["wer"]) == str(alone)
    assert only.to_records() == [{"metric": "wer", **record} for record in alone.to_records()]
    for index in (1, 2):
        lm.Corpus.read(*MEETING, shard=f"{index}/2").oracle([lm.WER()]).write(tmp_path / f"{index}.json")
    only.write(tmp_path / "whole.json")
    merged = output_of("latticemetric", "merge", "--format", "json", str(tmp_path / "1.json"), str(tmp_path / "2.json"))
    assert merged == (tmp_path / "whole.json").read_text()
    with pytest.raises(lm.UsageError, match="takes no other metric beside it; name it alone"):
        corpus.oracle(["bleu"])


def test_the_types_of_oracles_are_those_that_checkers_see():
    corpus = lm.Corpus([LATTICE], ["a c"])
    rates = {"OracleAnswer": 4, "CorpusPathAnswer": 3}
    assert Counter(type(*answers).__name__ for answers in typed_corpus.by_one_metric(corpus)) == rates
    metrics = [["wer", "4-grr"], ["wer", "4-grr"], ["cer"], ["wer"], ["wer", "wrr"], ["wer", "wrr"]]
    assert list(map(list, typed_corpus.by_several_metrics(corpus, ["cer"]))) == metrics
    assert typed_corpus.by_any_name(corpus, "cer,wrr") == ["cer", "wrr"]
    assert typed_corpus.by_any_name(corpus, "cer") == ["1"]
    assert [type(answer).__name__ for answer in typed_corpus.sweeps(corpus)] == ["Swept"]
    assert typed_corpus.of_lists(lm.Corpus([lm.NBest.from_strings(["a"])], ["a"]), "wrr") == ["wer", "4-grr"]


def test_the_types_of_oracles_with_openfst_are_those_that_checkers_see():
    pytest.importorskip("pynini")
    corpus = lm.Corpus([LATTICE], ["a c"])
    automaton = lm.ByAutomaton(automaton=lm.WRR().compile("a c", LATTICE.vocabulary))
    kinds = ["CompoundAnswer", "CompoundAnswer", "Answer"]
    assert [type(*answers).__name__ for answers in typed_corpus.with_openfst(corpus, automaton)] == kinds


@pytest.mark.parametrize("metric", ["wer", "4-grr,wer", "bleu", "compound-wer"])
@pytest.mark.parametrize("suffix", ["txt", "tsv", "json", "jsonl"])
def test_files_of_oracles_are_those_of_the_command_line(metric, suffix, tmp_path):
    lm.Corpus.read(*MEETING).oracle(metric).write(tmp_path / f"oracle.{suffix}")
    output_of("lattice-oracle", *MEETING, "--metric", metric, "-o", str(tmp_path / f"cli.{suffix}"))
    assert (tmp_path / f"oracle.{suffix}").read_bytes() == (tmp_path / f"cli.{suffix}").read_bytes()


def test_ignored_words_do_not_count_whether_metrics_are_named_or_objects():
    lattice = lm.Lattice.from_strings(["<s> a uh b </s>", "<s> a c </s>"], costs=[1.0, 2.0])
    corpus = lm.Corpus([lattice], ["a b"], ignore="<s> </s> uh")
    for metric in ("wer", lm.WER(), "compound-wer", "bleu"):
        assert corpus.oracle(metric)["1"].score in (0.0, 1.0)
    assert corpus.oracle("wer,4-grr").totals["wer"]["numerator"] == 0


def test_oracles_that_cannot_be_are_refused():
    corpus = lm.Corpus([LATTICE], ["a c"])
    for metric, settings, message in (
        ("wer,bleu", {}, "takes no other metric beside it; name it alone"),
        ("wer,wer", {}, "metric 'wer' is given twice"),
        ("wer", {"samples": 3}, "has no setting 'samples'"),
        ("bleu", {"hope": (1,)}, "hope has no effect with BLEU"),
        ([], {}, "no metric is given"),
    ):
        with pytest.raises(lm.UsageError, match=message):
            corpus.oracle(metric, **settings)
    with pytest.raises(lm.UsageError, match="the corpus has no references"):
        list(lm.Corpus([LATTICE]).oracle("wer"))


def test_an_interrupted_run_by_several_metrics_resumes(tmp_path):
    journal = tmp_path / "oracle.journal"
    corpus = lm.Corpus.read(*MEETING)
    stream = corpus.oracle("wer,4-grr", resume=journal).together.streamed()
    next(stream)
    stream.close()
    resumed = corpus.oracle("wer,4-grr", resume=journal)
    assert resumed.to_records() == corpus.oracle("wer,4-grr").to_records()
    assert not journal.exists()


# ---- Expected rates ----


@given(_CORPORA, st.sampled_from(["wer", "4-grr", "cer"]), st.sampled_from([0.5, 1.0]))
def test_expected_rates_are_those_of_the_function_of_one_graph(drawn, metric, posterior_scale):
    graphs = [lm.Lattice.from_strings(strings, costs=list(range(len(strings)))) for strings, _ in drawn]
    references = [texts for _, texts in drawn]
    answers = lm.Corpus(graphs, references).expected(metric, posterior_scale=posterior_scale, gradient=True)
    one_by_one = [
        lm.expected(graph, texts, metric, posterior_scale=posterior_scale, gradient=True)
        for graph, texts in zip(graphs, references, strict=True)
    ]
    assert [answer.value for answer in answers] == one_by_one
    totals = answers.totals
    assert totals["one_best"]["numerator"] == sum(
        lm.oracle(graph, texts, metric).one_best.numerator for graph, texts in zip(graphs, references, strict=True)
    )
    if all(one.numerator is not None for one in one_by_one):
        assert totals["numerator"] == pytest.approx(sum(one.numerator for one in one_by_one))


@pytest.mark.parametrize("metric", ["wer", "2-grr"])
@pytest.mark.parametrize("suffix", ["txt", "tsv", "json", "jsonl"])
def test_files_of_expected_rates_are_those_of_the_command_line(metric, suffix, tmp_path):
    lm.Corpus.read(*MEETING).expected(metric, posterior_scale=0.5).write(tmp_path / f"py.{suffix}")
    options = "--metric", metric, "--posterior-scale", ".5", "-o", str(tmp_path / f"cli.{suffix}")
    output_of("latticemetric", "expected", *MEETING, *options)
    assert (tmp_path / f"py.{suffix}").read_bytes() == (tmp_path / f"cli.{suffix}").read_bytes()


def test_expected_rates_of_memory_are_those_of_files():
    references = dict(line.split(maxsplit=1) for line in FILES[1].read_text().splitlines())
    in_memory = lm.Corpus(dict(lm.read(FILES[0])), references).expected("wer")
    assert in_memory.to_records() == lm.Corpus.read(*MEETING).expected("wer").to_records()
    assert str(in_memory) == str(lm.Corpus.read(*MEETING).expected("wer"))


def test_gradients_are_those_of_the_command_line(tmp_path):
    expected = lm.Corpus.read(*MEETING).expected("wer", gradient=True)
    assert expected.write_gradients(tmp_path / "py.npz") == 3
    output_of("latticemetric", "expected", *MEETING, "-m", "wer", "--gradient", str(tmp_path / "cli.npz"))
    with np.load(tmp_path / "py.npz") as ours, np.load(tmp_path / "cli.npz") as theirs:
        assert list(ours) == list(theirs)
        for name, array in ours.items():
            assert array.tolist() == theirs[name].tolist()
        assert ours["meeting-001"].tolist() == expected["meeting-001"].gradient.tolist()


def test_graphs_without_a_gradient_are_named(tmp_path):
    corpus = lm.Corpus({"one": LATTICE, "two": OTHER}, {"one": "a c", "two": ""})
    with pytest.warns(UserWarning, match="^1 graph without gradient, not exact or without reference words: two;"):
        assert corpus.expected("wer", gradient=True).write_gradients(tmp_path / "some.npz") == 1
    with pytest.raises(lm.UsageError, match="the answers have no gradients; ask with gradient=True"):
        corpus.expected("wer").write_gradients(tmp_path / "none.npz")
    clash = lm.Corpus({"one": LATTICE, "one/final": OTHER}, ["a c", "x"])
    with pytest.raises(lm.InputError, match="gradient: two arrays would have the name 'one/final'"):
        clash.expected("wer", gradient=True).write_gradients(tmp_path / "clash.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["some.npz"]


def test_gradients_of_normalized_graphs_are_refused():
    corpus = lm.Corpus([LATTICE], ["a c"], normalize="english")
    with pytest.raises(lm.UsageError, match="a normalized graph has other arcs than the graph in the file"):
        list(corpus.expected("wer", gradient=True))


@pytest.mark.parametrize("metric", ["wer", lm.WER(), lm.WER(ignore={"<s>"}), "4-grr"])
def test_ignored_words_do_not_count_in_expected_rates(metric):
    lattice = lm.Lattice.from_strings(["<s> a uh b </s>", "<s> uh a b </s>"], costs=[1.0, 2.0])
    found = lm.Corpus([lattice], ["a b"], ignore="<s> </s> uh").expected(metric)
    assert found["1"].value == (1.0 if metric == "4-grr" else 0.0)


def test_expected_rates_that_cannot_be_are_refused():
    corpus = lm.Corpus([LATTICE], ["a c"])
    for metric, settings, message in (
        ("bleu", {}, "bleu"),
        ("wer", {"samples": 3}, "expected has no setting 'samples'"),
        ("wer", {"posterior_scale": -1}, "the posterior scale is -1"),
        ("wer", {"most_states": 0}, "the most states is 0"),
        ("wer", {"gradient": 1}, "gradient is 1"),
    ):
        with pytest.raises(lm.UsageError, match=message):
            corpus.expected(metric, **settings)
    with pytest.raises(lm.UsageError, match="the corpus has no references"):
        list(lm.Corpus([LATTICE]).expected("wer"))


def test_shards_of_expected_rates_merge(tmp_path):
    for index in (1, 2):
        lm.Corpus.read(*MEETING, shard=f"{index}/2").expected(most_states=20).write(tmp_path / f"{index}.json")
    lm.Corpus.read(*MEETING).expected(most_states=20).write(tmp_path / "whole.json")
    merged = output_of("latticemetric", "merge", "--format", "json", str(tmp_path / "1.json"), str(tmp_path / "2.json"))
    assert merged == (tmp_path / "whole.json").read_text()


def test_an_interrupted_run_of_expected_rates_resumes(tmp_path):
    journal = tmp_path / "expected.journal"
    corpus = lm.Corpus.read(*MEETING, ignore="<s> </s>")
    stream = corpus.expected("wer", gradient=True, resume=journal).streamed()
    first = next(stream)
    stream.close()
    with pytest.raises(lm.UsageError, match="the journal is of another run"):
        list(corpus.expected("wer", resume=journal))
    resumed = corpus.expected("wer", gradient=True, resume=journal)
    assert resumed.to_records() == corpus.expected("wer").to_records()
    assert resumed[first.name] == first.value
    assert not journal.exists()


# ---- What identifies a run ----

_OF_A_RUN = """
import sys, latticemetric as lm
graphs, references, journal, part, metric = sys.argv[1:]
corpus = lm.Corpus.read(graphs, references, ignore={"uh", "um", "the", "all"}, shard=part)
asked = corpus.oracle if metric != "expected" else corpus.expected
stream = asked("wer", resume=journal).streamed()
print(next(stream).name, end="")
stream.close()
asked("wer").write(journal + ".json")
"""


@pytest.mark.parametrize("asked", ["oracle", "expected"])
def test_other_processes_resume_and_merge_runs_that_ignore_words(asked, tmp_path):
    # The order of a set, and so its `repr`, differs between processes.
    def run_with(seed: int, journal: str, part: str) -> str:
        command = [sys.executable, "-P", "-c", _OF_A_RUN, *MEETING, str(tmp_path / journal), part, asked]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONHASHSEED": str(seed)}
        )
        assert not done.stderr, done.stderr
        return done.stdout

    assert {run_with(seed, "same", "1/2") for seed in range(4)} == {"meeting-001"}
    run_with(7, "other", "2/2")
    parts = (str(tmp_path / "same.json"), str(tmp_path / "other.json"))
    assert json.loads(output_of("latticemetric", "merge", "--format", "json", *parts))["corpus"]["lattices"] == 3


def test_values_that_look_alike_have_different_texts():
    long, other = np.zeros(2000), np.zeros(2000)
    other[1000] = 1.0
    assert repr(long) == repr(other)
    for one, two in (
        (long, other),
        ({"a": long}, {"a": other}),
        ((long,), (other,)),
        (lm.ByUtility(utility=long.reshape(40, 50)), lm.ByUtility(utility=other.reshape(40, 50))),
        (lm.WER(), lm.WER(ignore={"a"})),
        ({"a", "b"}, {"a b"}),
        ("1", 1),
    ):
        assert as_text(one) != as_text(two)
        assert as_text(one) == as_text(one)
    assert as_text(frozenset("abc")) == as_text(frozenset("cab"))


PAIR = {name: lm.Lattice.from_strings([f"{name} b", f"{name} c"], costs=[1.0, 2.0]) for name in ("u1", "u2")}


class TestSeries:
    """Series of pandas are paired by their index, as mappings are, not by the order of their rows."""

    pandas = staticmethod(lambda: pytest.importorskip("pandas"))

    def test_a_series_of_references_is_paired_by_its_ids(self):
        texts = self.pandas().Series({"u2": "u2 c", "u1": "u1 b"})
        assert [one.value.words for one in lm.Corpus(PAIR, texts).oracle("wer")] == [("u1", "b"), ("u2", "c")]

    def test_ids_of_other_graphs_are_no_references(self):
        texts = self.pandas().Series({"U1": "u1 b", "U2": "u2 c"})
        with pytest.raises(lm.InputError, match="there is no reference for 'u1'"):
            list(lm.Corpus(PAIR, texts).oracle("wer"))

    def test_a_series_of_graphs_has_its_ids(self):
        graphs = self.pandas().Series(PAIR)[::-1]
        assert [one.name for one in lm.Corpus(graphs).best()] == ["u2", "u1"]

    def test_a_series_without_ids_is_paired_by_order_with_a_note_if_graphs_have_ids(self, caplog):
        texts = self.pandas().Series(["u1 b", "u2 c"])
        assert lm.Corpus(list(PAIR.values()), texts).oracle("wer").totals["score"] == 0
        assert caplog.messages == []
        corpus = lm.Corpus(PAIR, texts)
        for _ in range(2):
            assert corpus.oracle("wer").totals["score"] == 0
        assert len(caplog.messages) == 1
        assert "paired with the graphs ('u1', …) by order; give ids as labels" in caplog.messages[0]
        caplog.clear()
        assert lm.Corpus(PAIR, list(texts)).oracle("wer").totals["score"] == 0
        assert caplog.messages == []

    def test_labels_that_are_ids_of_graphs_in_another_order_are_refused(self):
        graphs, texts = dict(zip(("1", "0"), PAIR.values(), strict=True)), self.pandas().Series(["u2 c", "u1 b"])
        with pytest.raises(lm.UsageError, match=r"in another order .*; give texts as labels: series.rename\(str\)"):
            list(lm.Corpus(graphs, texts).oracle("wer"))
        assert lm.Corpus(graphs, texts.rename(str)).oracle("wer").totals["score"] == 0

    @pytest.mark.parametrize(
        ("labels", "says"), [([1, 0], "neither ids"), ([1, 2], "neither ids"), (["u1", "u1"], "the id 'u1'")]
    )
    def test_labels_that_say_nothing_certain_are_refused(self, labels, says):
        texts = self.pandas().Series(["u1 b", "u2 c"], index=labels)
        with pytest.raises(lm.UsageError, match=says):
            lm.Corpus(PAIR, texts)


def test_pairs_of_ids_and_texts_are_no_two_references():
    texts = {"u1": "u1 b", "u2": "u2 c"}
    for pairs in (texts.items(), list(texts.items()), [["u1", "u1 b"], ["u2", "u2 c"]]):
        with pytest.raises(lm.UsageError, match=r"pairs of an id and a text, such as 'u1'; give a dict: dict\("):
            list(lm.Corpus(PAIR, pairs).oracle("wer"))


def test_a_note_on_marks_is_written_for_each_run(caplog):
    graphs = [lm.Lattice.from_strings(["<s> a </s>"])]
    for runs in (1, 2):
        list(lm.Corpus(graphs, ["a"]).oracle("wer"))
        assert len([one for one in caplog.messages if "<s>" in one]) == runs


def test_answers_that_hold_a_journal_are_named(tmp_path):
    (tmp_path / "lists.jsonl").write_text('{"nbest": ["a b"]}\n{"nbest": ["a"]}\n')
    corpus = lm.Corpus.read(tmp_path / "lists.jsonl")
    begun = iter(corpus.best(resume=tmp_path / "journal").streamed())
    next(begun)
    with pytest.raises(lm.InputError, match="answers of this process use this file"):
        list(corpus.best(resume=tmp_path / "journal"))
    begun.close()
    assert len(corpus.best(resume=tmp_path / "journal")) == 2


def test_a_graph_that_failed_has_no_words_in_text(tmp_path):
    (tmp_path / "lats.txt").write_text("a\n0 1 x 1,1,\n1\n\nb\n0 1 x nan,1,\n1\n")
    found = lm.Corpus.read(tmp_path / "lats.txt", format="kaldi").best(keep_going=True)
    found.write(tmp_path / "best.txt")
    assert (tmp_path / "best.txt").read_text() == "a x\nb\n"


@pytest.mark.parametrize("kept", [True, False])
def test_answers_that_are_dropped_in_the_middle_leave_their_journal(tmp_path, kept):
    (tmp_path / "lists.jsonl").write_text('{"nbest": ["a b"]}\n{"nbest": ["a"]}\n')
    corpus = lm.Corpus.read(tmp_path / "lists.jsonl")

    def interrupted():
        answers = corpus.best(resume=tmp_path / "journal")
        for _ in answers if kept else answers.streamed():
            return

    interrupted()
    assert [one.value.words for one in corpus.best(resume=tmp_path / "journal")] == [("a", "b"), ("a",)]


def test_answers_in_a_cycle_leave_their_journal_when_it_is_needed(tmp_path):
    (tmp_path / "lists.jsonl").write_text('{"nbest": ["a b"]}\n{"nbest": ["a"]}\n')
    corpus = lm.Corpus.read(tmp_path / "lists.jsonl")
    answers = corpus.best(resume=tmp_path / "journal")
    next(iter(answers))
    cycle = [answers]
    cycle.append(cycle)
    del answers, cycle
    assert len(list(corpus.best(resume=tmp_path / "journal"))) == 2


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "csv.gz", "pkl"])
def test_text_is_not_written_to_a_file_of_another_kind(tmp_path, suffix):
    answers = lm.Corpus(PAIR, ["a", "b"]).oracle("wer")
    with pytest.raises(lm.UsageError, match=r"no table can be written as \.\w+; choose one of text, tsv, json"):
        answers.write(tmp_path / f"x.{suffix}")
    answers.write(tmp_path / f"x.{suffix}", "tsv")


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda path: lm.Corpus.read(path, {"1": "a"}), "a dict is given, where files are named"),
        (lambda path: lm.Corpus.read(path, shard=(1, 3)), r"the shard is \(1, 3\); give 'I/N'"),
    ],
)
def test_what_is_given_instead_of_files_and_shards_is_said(tmp_path, ask, says):
    (tmp_path / "lists.jsonl").write_text('{"nbest": ["a b"]}\n')
    with pytest.raises(lm.UsageError, match=says):
        ask(tmp_path / "lists.jsonl")


def test_a_data_frame_as_references_is_refused():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(lm.UsageError, match="references is a table; give one column"):
        lm.Corpus(PAIR, pandas.DataFrame({"id": ["1"], "text": ["a"]}))


def test_the_page_of_a_corpus_names_attributes_that_values_have():
    page = (Path(__file__).parents[2] / "docs" / "corpus.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+\([^`]*\))` \| (.*) \| (.*) \|$", page, re.MULTILINE)
    corpus = lm.Corpus(PAIR, {"u1": "u1 c", "u2": "u2"})
    for question, attributes, totals in rows:
        answers = eval(f"corpus.{question}", {"corpus": corpus, "rate": "wer", "n": 2})
        value = answers["u1"]
        own, _, nested = attributes.partition("; the rest in `oracle`: ")
        for name in re.findall(r"`(\w+)`", own.partition(", each as of")[0]):
            assert hasattr(value, name), (question, name)
        for name in re.findall(r"`(\w+)`", nested):
            assert hasattr(value.oracle, name), (question, name)
        assert set(re.findall(r"`(\w+)`", totals)) <= set(answers.totals), question
    assert len(rows) >= 9
