"""`latticemetric expected` as users run it."""

import json

import numpy as np
import pytest
from kit.many_graphs import data, latticemetric
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.corpus.run import register_results
from latticemetric.parallel.plain import PlainData

MEETING = EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt"


def document(*arguments):
    done = latticemetric("expected", *arguments, "--format", "json")
    assert done.status == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("metric", ["wer", "wrr", "4-grr"])
def test_items_are_what_python_answers(metric):
    found = document(*MEETING, "--metric", metric, "--posterior-scale", "0.5")
    references = dict(line.split(maxsplit=1) for line in MEETING[1].read_text().splitlines())
    numerator = denominator = variance = 0.0
    for item, (name, lattice) in zip(found["lattices"], lm.read(MEETING[0]), strict=True):
        answer = lm.expected(lattice, references[name], metric, posterior_scale=0.5)
        best = lm.oracle(lattice, references[name], metric)
        assert item["id"] == name
        assert item["expected"] == item["low"] == item["high"] == answer.value
        assert item["distribution"] == [list(pair) for pair in answer.distribution.items()]
        assert (item["oracle"]["score"], item["one_best"]["score"]) == (best.score, best.one_best.score)
        numerator += answer.numerator
        denominator += answer.denominator
        variance += answer.variance * answer.denominator**2
    corpus = found["corpus"]
    assert corpus["expected"] == pytest.approx(numerator / denominator)
    assert corpus["variance"] == pytest.approx(variance / denominator**2)
    assert (corpus["lattices"], corpus["failed"], corpus["exact"]) == (3, 0, True)


@pytest.mark.parametrize("metric", ["cer", "2-gcr", "mixed-er"])
@pytest.mark.parametrize("name", ["lantern.target_graph", "lantern.joshua.hg", "beacon.travatar.json"])
def test_rates_by_characters_of_forests(metric, name):
    path = EXAMPLES / name
    references = EXAMPLES / f"{name.split('.')[0]}.ref.txt"
    (forest,) = [graph for _, graph in lm.read(path)]
    reference, rate = references.read_text().strip(), lm.make_metric(metric)
    (item,) = document(path, references, "--metric", metric)["lattices"]
    scores, weights = zip(
        *((rate.score(" ".join(d.words), reference), np.exp(-d.cost)) for d in forest.derivations()), strict=True
    )
    assert item["expected"] == pytest.approx(np.average(scores, weights=weights))
    assert item["oracle"]["score"] == (max if metric == "2-gcr" else min)(scores)
    best = lm.best(forest).words
    assert item["one_best"]["hypothesis"] == " ".join(best)
    assert item["one_best"]["score"] == rate.score(" ".join(best), reference)


def test_forests_with_ties_have_the_1_best_of_the_model(tmp_path):
    edges = [0, 1, 1], [[], [], [0]], [[3, 1], [2, 3], [-1]]
    forest = lm.Forest.from_edges(*edges, goals=[1], vocabulary=lm.Vocabulary({1: "one", 2: "two", 3: "three"}))
    lm.write(tmp_path / "forest.json", {"a": forest}.items(), format="cdec-json")
    (tmp_path / "ref").write_text("a\n")
    by_word, by_character = (
        document(tmp_path / "forest.json", tmp_path / "ref", "--metric", metric)["lattices"][0]
        for metric in ("wer", "cer")
    )
    assert by_word["one_best"]["hypothesis"] == by_character["one_best"]["hypothesis"] == "two three"


def test_failed_graphs_count_as_deletions(tmp_path):
    paths = data(tmp_path, graphs=6, broken=(2,))
    done = latticemetric("expected", *paths, "-m", "wer", "--keep-going", "--format", "json")
    assert done.status == 1
    found = json.loads(done.stdout)
    assert found["corpus"]["failed"] == 1
    assert list(found["lattices"][2]) == ["id", "error"]
    lost = len(paths[1].read_text().splitlines()[2].split()) - 1
    errors = sum(item.get("numerator", lost) for item in found["lattices"])
    assert found["corpus"]["numerator"] == pytest.approx(errors)


@pytest.mark.parametrize("options", [(), ("--most-states", "3"), ("--metric", "2-grr", "-P", "2-grr.alpha=0.3")])
def test_shards_merge_into_the_whole(tmp_path, options):
    paths = data(tmp_path, graphs=11)
    shards = []
    for number in (1, 2, 3):
        shards.append(tmp_path / f"{number}.json")
        shard = ("--shard", f"{number}/3", "--format", "json", "--output", shards[-1])
        assert latticemetric("expected", *paths, *options, *shard).status == 0
    whole = latticemetric("expected", *paths, *options, "--format", "json", "--workers", "1").stdout
    assert latticemetric("merge", "--format", "json", *shards).stdout == whole


def test_gradients_are_written_beside(tmp_path):
    written = tmp_path / "slopes.npz"
    done = latticemetric("expected", *MEETING, "-m", "wer", "--gradient", written, "--format", "tsv")
    assert done.status == 0
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert {len(row) for row in rows} == {len(rows[0])}
    with np.load(written) as found:
        for name, lattice in lm.read(MEETING[0]):
            reference = dict(line.split(maxsplit=1) for line in MEETING[1].read_text().splitlines())[name]
            answer = lm.expected(lattice, reference, gradient=True)
            assert found[name].tolist() == answer.gradient.tolist()
            assert found[f"{name}/final"].tolist() == answer.final_gradient.tolist()


def gradients(tmp_path, *names):
    """Run `expected --gradient` on a lattice for each name; the run, and the file."""
    graphs, references, written = tmp_path / "named.lat", tmp_path / "named.txt", tmp_path / "named.npz"
    strings = (["x y", "x"], ["x y", "q", "x"])
    lattices = [lm.Lattice.from_strings(texts, costs=range(len(texts))) for texts in strings]
    lm.write(graphs, zip(names, lattices, strict=False), format="kaldi")
    references.write_text("".join(f"{name} x\n" for name in names))
    return latticemetric("expected", graphs, references, "-m", "wer", "--gradient", written), written


@pytest.mark.parametrize("names", [("file", "allow_pickle"), ("file/x", "kwds")])
def test_gradients_of_any_id_are_written(tmp_path, names):
    done, written = gradients(tmp_path, *names)
    assert done.status == 0, done.stderr
    with np.load(written) as found:
        assert sorted(found.files) == sorted([*names, *(f"{name}/final" for name in names)])
        assert [found[name].any() for name in names] == [True, True]


@pytest.mark.parametrize("names", [("a", "a/final"), ("a/final", "a")])
def test_gradients_of_ids_that_clash_are_refused(tmp_path, names):
    done, written = gradients(tmp_path, *names)
    assert done.status == 2
    assert "two arrays would have the name 'a/final'" in done.stderr
    assert not written.exists()


def test_graphs_without_gradient_are_named(tmp_path):
    graphs, references, written = MEETING[0], tmp_path / "ref.txt", tmp_path / "slopes.npz"
    names = ["meeting-001", "meeting-002", "meeting-003"]
    references.write_text(f"{names[0]} we meet\n{names[1]}\n{names[2]} thank you all\n")
    done = latticemetric("expected", graphs, references, "-m", "wer", "--gradient", written)
    assert "warning: 1 graph without gradient" in done.stderr
    assert f"without reference words: {names[1]}; prune" in done.stderr
    with np.load(written) as found:
        assert found.files == [names[0], f"{names[0]}/final", names[2], f"{names[2]}/final"]
    done = latticemetric(
        "expected", graphs, references, "-m", "wer", "--gradient", written, "--most-states", "2", "--format", "tsv"
    )
    assert "warning: 3 graphs without gradient" in done.stderr
    assert f"words: {', '.join(names)}; prune" in done.stderr
    assert "warning" not in latticemetric("expected", *MEETING, "-m", "wer", "--gradient", written).stderr


def test_text_names_intervals_that_are_not_exact(tmp_path):
    paths = data(tmp_path, graphs=4)
    done = latticemetric("expected", *paths, "--most-states", "1")
    assert done.status == 0
    assert " … " in done.stdout
    assert "not exact: interval" in done.stderr


def test_gradients_do_not_go_to_standard_output():
    done = latticemetric("expected", *MEETING, "-m", "wer", "--gradient", "-")
    assert done.status == 2
    assert "results already go to standard output" in done.stderr


def test_gradients_of_normalized_graphs_are_refused(tmp_path):
    written = tmp_path / "slopes.npz"
    done = latticemetric("expected", *MEETING, "-m", "wer", "--gradient", written, "--normalize", "english")
    assert done.status == 2
    assert "a normalized graph has other arcs than the graph in the file" in done.stderr
    assert not written.exists()


def test_answers_come_back_from_journals():
    register_results()
    for name, lattice in lm.read(MEETING[0]):
        for most in (1, 1000):
            answer = lm.expected(lattice, "we should meet", "4-grr", gradient=True, most_states=most)
            plain = PlainData()
            assert plain.loads(plain.dumps((name, answer))) == (name, answer)


@pytest.mark.parametrize("verb", ["oracle", "expected", "sweep"])
def test_the_cost_of_substitutions_is_a_parameter_of_every_search(verb, tmp_path):
    metric, output = lm.WER(substitution="4/3"), tmp_path / "found.json"
    more = ["--nbest-sizes", 1] if verb == "sweep" else []
    for shard in ("1/2", "2/2"):
        arguments = (*MEETING, "--metric", "wer", "-P", "wer.substitution=4/3", *more)
        done = latticemetric(verb, *arguments, "--shard", shard, "-o", output.with_stem(shard[0]))
        assert done.status == 0, done.stderr
    merged = json.loads(latticemetric("merge", "--format", "json", tmp_path / "1.json", tmp_path / "2.json").stdout)
    assert merged["signature"] == str(metric.signature)
    references = dict(line.split(maxsplit=1) for line in MEETING[1].read_text().splitlines())
    graphs = list(lm.read(MEETING[0]))
    best = [lm.oracle(graph, references[name], metric).words for name, graph in graphs]
    total = metric.corpus(best, [references[name] for name, _ in graphs])
    found = merged["rows"][-1] if verb == "sweep" else merged["corpus"]
    assert (found["oracle"] if verb == "expected" else found)["score"] == total.score
    if verb == "expected":
        answers = [lm.expected(graph, references[name], metric) for name, graph in graphs]
        sums = [sum(getattr(one, side) for one in answers) for side in ("numerator", "denominator")]
        assert found["expected"] == pytest.approx(sums[0] / sums[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metric", "wer", "-P", "cer.substitution=2"], "'cer' is not named in --metric; name it there"),
        (["--metric", "wer", "-P", "wer.substitution=0"], "substitution is 0, which is not above 0"),
        (["--metric", "wer", "-P", "wer.empty=0"], "wer searches no graphs if references without words do not count"),
        (["--metric", "wer", "--ignore", "a", "-P", "wer.ignore=b"], "ignore is given twice"),
    ],
)
def test_parameters_of_searches_that_there_are_not_are_refused(arguments, message):
    done = latticemetric("expected", *MEETING, *arguments)
    assert done.status == 2
    assert message in done.stderr
