"""Weights of score columns: sparse features may be absent, files are taken whole, missing weights are said."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.decoding import items, run
from kit.paths import DATA, EXAMPLES

import latticemetric as lm
from latticemetric.lattice.columns import weights_under

HIFST = DATA / "tuning" / "hifst"
MOSES = DATA / "forests" / "moses-hgdecode-denseonly"
FOREST = EXAMPLES / "lantern.hg"

LISTS = """0 ||| a b ||| lm=-1 rare=-5
0 ||| a c ||| lm=-2
1 ||| d ||| lm=-3
1 ||| e ||| lm=-2
"""


@pytest.fixture
def lists(tmp_path):
    path = tmp_path / "lists.nbest"
    path.write_text(LISTS)
    return path


def costs(path, *options):
    return [one["cost"] for one in items("best", path, "--workers", "1", *options)]


# ---- Absent features


def test_a_sparse_feature_that_a_graph_lacks_counts_nothing(lists):
    assert costs(lists, "--weights", "rare=2") == [2, 2]
    assert costs(lists, "--weights", "rare=2", "--weights", "lm=0") == [0, 0]
    assert run("best", lists, "--weights", "rare=2").stderr == ""


def test_a_name_that_no_graph_has_is_an_error_at_the_end(lists):
    said = run("best", lists, "--weights", "reir=2", status=2).stderr
    assert said.startswith("error: --weights: no graph has a score column 'reir', so its weight had no effect; ")


def test_other_shards_may_have_a_name(lists):
    said = run("best", lists, "--weights", "rare=2", "--shard", "2/2", "--format", "jsonl").stderr
    assert said == "--weights: no graph has a score column 'rare', so its weight had no effect\n"


def test_another_error_is_not_replaced(lists, tmp_path):
    said = run("best", lists, tmp_path / "nowhere", "--weights", "reir=2", status=2).stderr
    assert "nowhere" in said
    assert "reir" not in said


def test_a_wrong_name_of_a_format_with_fixed_columns_is_an_error():
    said = run("best", EXAMPLES / "meeting.lat.txt", "--weights", "acustic=2", status=2).stderr
    assert "there is no score column 'acustic'" in said


def test_a_machine_may_lack_features_but_not_a_weight(tmp_path):
    column = lm.Column(np.array([1.0]), np.zeros(1))
    for name, columns in {"one": {"feature_1": column}, "two": {"feature_1": column, "feature_7": column}}.items():
        lattice = lm.Lattice.from_arcs(
            [0], [1], [1], final=[1], scores=columns, vocabulary=lm.Vocabulary.from_words(["a"])
        )
        lm.write(tmp_path / f"{name}.cdec.json", [(name, lattice)], format="cdec-json")
    pattern = str(tmp_path / "*.cdec.json")
    assert costs(pattern, "--weights", "feature_7=3") == [1, 4]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_processes_remember_together_which_names_graphs_have(workers, lists):
    said = run("best", lists, "--weights", "rare=2", "--weights", "other=1", "--workers", workers, status=2).stderr
    assert "no graph has a score column 'other'" in said


def test_python_takes_weights_of_features_that_a_graph_lacks(lists):
    graphs = dict(lm.read(lists))
    weights = lm.FeatureWeights({"rare": 2.0, "none": 1.0})
    assert [lm.best(graph, weights=weights).cost for graph in graphs.values()] == [2, 2]
    assert weights.unused == ("none",)
    with pytest.raises(lm.InputError, match="no score column 'rare'"):
        lm.best(graphs["1"], weights={"rare": 2.0})
    assert pickle.loads(pickle.dumps(weights)) == weights
    assert pickle.loads(pickle.dumps(weights)).unused == ()


@pytest.mark.parametrize("ask", ["best", "nbest", "mbr", "oracle", "expected", "consensus", "posteriors", "prune"])
def test_every_question_takes_weights_of_absent_features(ask, lists):
    shares = lm.FeatureWeights({"rare": 2.0, "none": 1.0}, whole=True)
    plain = {"rare": 2.0, "lm": 0.0}
    graph = dict(lm.read(lists))["0"]
    questions = {
        "best": lambda weights: lm.best(graph, weights=weights).asdict(),
        "nbest": lambda weights: lm.NBest.from_graph(graph, 2, weights).to_records(),
        "mbr": lambda weights: lm.mbr(graph, weights=weights).asdict(),
        "oracle": lambda weights: lm.oracle(graph, "a b", "wer", weights=weights).asdict(),
        "expected": lambda weights: lm.expected(graph, "a b", "wer", weights=weights).asdict(),
        "consensus": lambda weights: lm.consensus(graph, weights=weights).asdict(),
        "posteriors": lambda weights: lm.posteriors(graph.to_lattice(keep=["rare"]), weights=weights).arc.tolist(),
        "prune": lambda weights: len(graph.pruned(3.0, weights)),
    }
    assert questions[ask](shares) == questions[ask](plain)


# ---- Files of weights

FILES = {
    "cdec": "# tuned\nlm 0.5\nrare -2e-1\n\n",
    "equals": "lm=0.5\r\nrare=-0.2\r\n",
    "spaced": "lm = 0.5\nrare = -0.2\n",
    "json": '{"lm": 0.5, "rare": -0.2}',
    "moses": "[input-factors]\n0\n\n[weight]\nlm= 0.5\nrare= -0.2\n\n[feature]\nKENLM name=lm order=3\n",
    "the same twice": "lm=0.5\nrare=-.2\nlm=0.50\n",
}


@pytest.mark.parametrize("name", FILES)
def test_the_weights_of_decoders_are_read(name, tmp_path, lists):
    path = tmp_path / "weights"
    path.write_bytes(FILES[name].encode())
    assert dict(lm.read_weights(path)) == {"lm": 0.5, "rare": -0.2}
    assert costs(lists, "--weights", path) == [0.5 - 1, 1]


def test_columns_that_a_file_does_not_list_count_nothing(tmp_path, lists):
    path = tmp_path / "weights"
    path.write_text("lm 2\nother 1\n")
    assert costs(lists, "--weights", path) == [2, 4]
    assert run("best", lists, "--weights", path).stderr == (
        "--weights: 1 of 2 weights name columns that no graph has ('other')\n"
    )
    assert costs(lists, "--weights", path, "--weights", "lm=0", "--weights", "rare=1") == [0, 0]


def test_a_typed_name_that_no_graph_has_is_an_error_also_beside_a_file(tmp_path, lists):
    path = tmp_path / "weights"
    path.write_text("lm 2\nother 1\n")
    said = run("best", lists, "--weights", path, "--weights", "reir=2", status=2).stderr
    assert said.startswith("error: --weights: no graph has a score column 'reir', so its weight had no effect; ")
    with pytest.raises(lm.InputError, match="no graph has a score column 'reir', so its weight had no effect"):
        list(lm.Corpus.read(str(lists), weights=[str(path), "reir=2"]).best(workers=2))


def test_columns_of_a_file_that_no_graph_has_are_told_in_python(tmp_path, lists, caplog):
    path = tmp_path / "weights"
    path.write_text("lm 2\nother 1\n")
    list(lm.Corpus.read(str(lists), weights=path).best())
    assert caplog.messages == ["weights: 1 of 2 weights name columns that no graph has ('other')"]


def test_a_file_of_weights_none_of_which_a_graph_has_is_refused(tmp_path, lists):
    """All columns would count 0, and the first hypothesis would win."""
    path = tmp_path / "weights"
    path.write_text("language 2\ntranslation 1\n")
    refused = run("best", lists, "--weights", path, status=2).stderr
    assert "no graph has any of the 2 score columns ('language', 'translation'), so all scores count 0" in refused


@pytest.mark.parametrize("text", ["1 0.5 -2e-1\n", "1,0.5,-.2", "1\n0.5\n-0.2\n"])
def test_numbers_alone_are_the_weights_of_numbered_features(text, tmp_path):
    path = tmp_path / "params"
    path.write_text(text)
    assert dict(lm.read_weights(path)) == {"feature_1": 1, "feature_2": 0.5, "feature_3": -0.2}


@pytest.mark.parametrize(
    "text", ["TM0= 0.1 0.2\nLM0= 0.5\n", "TM0= 0.1\nTM0= 0.2\nLM0= 0.5\n", '{"TM0": [0.1, 0.2], "LM0": 0.5}']
)
@pytest.mark.parametrize("first", [0, 1])
def test_several_values_of_a_feature_have_their_columns_from_0_or_from_1(text, first, tmp_path):
    path = tmp_path / "weights"
    path.write_text(text)
    own = dict.fromkeys([f"TM0_{first}", f"TM0_{first + 1}", "LM0"], 1.0)
    assert list(weights_under(own, lm.read_weights(path)).values()) == [0.1, 0.2, 0.5]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "the file has no weights"),
        ("# nothing\n", "the file has no weights"),
        ("lm 0.5\nlm 0.6\n", ":2: 'lm' has two different weights; keep one of them"),
        ("lm=0.5\nlm=0.6\n", ":2: 'lm' has two different weights"),
        ('{"lm": 0.5, "lm": 0.6}', "'lm' has two different weights"),
        ('{"lm": "0.5"}', "the weight of 'lm' is not a number"),
        ('{"lm": {"a": 1}}', "the weight of 'lm' is not a number"),
        ('{"lm": NaN}', "'NaN' is not finite"),
        ("lm nan\n", "nan"),
        ("lm=inf\n", "inf"),
        ("lm 0.5 0.6 x\n", ":1: 'lm 0.5 0.6 x' is not a name and a weight"),
        ("lm\n", "is not a name and a weight"),
        ("=3\n", "is not a name and a weight"),
        ("7 0.5\n8 0.25\n", "the lines may be names and weights, or weights alone"),
        ("[feature]\nKENLM\n", "there is no section [weight]"),
        ("[weight]\nLM0= 0.5\n[weight-file]\nsparse.weights\n", "the sparse weights are in another file"),
    ],
)
def test_files_that_are_no_weights_are_refused(text, what, tmp_path, lists):
    path = tmp_path / "weights"
    path.write_text(text)
    said = run("best", lists, "--weights", path, status=2).stderr
    assert what in said
    assert said.count("\n") == 1


@given(
    st.dictionaries(
        st.text("ab=_ :0", min_size=1).filter(lambda name: name.strip() == name), st.floats(-9, 9), min_size=1
    )
)
def test_names_with_spaces_and_equals_signs_are_read_back(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("weights") / "weights"
    path.write_text("".join(f"{name}={value!r}\n" for name, value in values.items()))
    assert dict(lm.read_weights(path)) == values


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["lm=1", "lm=2"], "'lm' has two different weights"),
        (["lm"], "'lm' is neither NAME=NUMBER, like acoustic=0.1, nor a file"),
        (["lm=nan"], "is neither NAME=NUMBER"),
        (["=1"], "is neither NAME=NUMBER"),
    ],
)
def test_scales_that_are_none_are_refused(options, what, lists):
    assert what in run("best", lists, *(f"--weights={one}" for one in options), status=2).stderr


def test_a_name_may_hold_an_equals_sign(tmp_path):
    path = tmp_path / "lists.jsonl"
    path.write_text(json.dumps({"id": "u", "hypotheses": [{"text": "a", "scores": {"x=y": -2.0}}]}) + "\n")
    assert costs(path, "--weights", "x=y=3") == [6]


# ---- No weights


def test_features_without_weights_are_named_once(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.hg").write_bytes(FOREST.read_bytes())
    said = run("best", tmp_path / "*.hg", "--workers", "2").stderr
    assert said.count("no weights are given") == 1
    assert all(name in said for name in lm.read_one(FOREST).scores)
    assert "--weights NAME=NUMBER, or --weights FILE" in said
    name = next(iter(lm.read_one(FOREST).scores))
    assert "no weights" not in run("best", tmp_path / "*.hg", "--weights", f"{name}=2").stderr


@pytest.mark.parametrize("name", ["meeting.lat.txt", "ferry.slf", "headlines.nbest", "lighthouse.pfsg"])
def test_scores_that_have_their_weights_need_no_note(name):
    assert "no weights" not in run("best", EXAMPLES / name).stderr


def test_converting_needs_no_weights(tmp_path):
    assert "no weights" not in run("convert", FOREST, tmp_path / "x.hg").stderr
    assert "no weights" in run("convert", FOREST, tmp_path / "y.hg", "--sum-scores").stderr


# ---- Real decoders


@pytest.mark.real_data
@pytest.mark.skipif(not HIFST.is_dir(), reason=f"there are no lattices in {HIFST}")
def test_hifst_lattices_have_hifst_s_own_best_paths():
    # The same sentences as `hifst/att`, whose costs hold HiFST's weights: 608 errors.
    found = run(
        "oracle", HIFST / "*.fst.gz", HIFST / "refs.50", "--metric", "wer", "--ignore", "1 2", "--format", "json",
        "--weights", HIFST / "params.0",
    )  # fmt: skip
    one_best = json.loads(found.stdout)["corpus"]["one_best"]
    assert (one_best["numerator"], one_best["denominator"]) == (608, 1008)
    assert found.stderr == ""
    assert "no graph" not in run("best", HIFST / "*.fst.gz", "--weights", "feature_7=29.5").stderr


@pytest.mark.real_data
@pytest.mark.skipif(not MOSES.is_dir(), reason=f"there are no forests in {MOSES}")
def test_moses_weights_give_moses_best_derivation():
    (truth,) = [
        line.removeprefix("STDOUT_1=").strip()
        for line in (MOSES / "truth" / "results.txt").read_text().splitlines()
        if line.startswith("STDOUT_1=")
    ]
    found = run("best", MOSES / "data" / "hg.gz", "--weights", MOSES / "data" / "dense.weights")
    assert found.stdout == f"hg {truth}\n"
    assert found.stderr == ""
