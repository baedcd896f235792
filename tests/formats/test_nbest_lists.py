"""N-best lists of SRILM, lattice-rescore, ESPnet, WeNet and icefall, and as JSON lines, from their definitions."""

import gzip
import json
import math
import pickle
import re
from pathlib import Path

import pytest
from kit.format_cases.json_lists import ARRAY, ROWS, arrow_of
from kit.format_cases.nbest_lists import DECIPHER_2, ESPNET, JSONL, OWN, RECOGS, RESCORED, WENET, unpack
from kit.formats import contents, write_file
from kit.lists import curve, read_lists
from kit.paths import DATA

import latticemetric as lm
from latticemetric.formats import reading, registry
from latticemetric.nbest import Hypothesis

LN_10 = math.log(10)
BYTELOG = 1024 / 10000.5  # 1024 times the logarithm of 1.0001, as SRILM has it


def read(folder: Path, text: str | bytes, name: str = "graphs", **options: object) -> dict[str, lm.NBest]:
    return dict(lm.read(write_file(folder, text, name), **options))


def only(folder: Path, text: str | bytes, **options: object) -> lm.NBest:
    (graph,) = read(folder, text, **options).values()
    return graph


def words(graph: lm.NBest) -> list[str]:
    return [" ".join(h.words) for h in graph.hypotheses]


def nbest(weights: dict[str, float], *rows: tuple[str, dict[str, float]]) -> lm.NBest:
    return lm.NBest(tuple(Hypothesis(tuple(text.split()), costs) for text, costs in rows), weights)


def written(folder: Path, name: str, graph: object, format_name: str) -> str:
    lm.write(folder / "written", [(name, graph)], format=format_name)
    return (folder / "written").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("data", "format_name"),
    [
        (OWN, "srilm-nbest"),
        (b"-1.5 0 0\n", "srilm-nbest"),
        (b"0 -1.5 3 a b c\n", "srilm-nbest"),
        (b"(-1000) a b\n", "srilm-nbest"),
        (DECIPHER_2, "srilm-nbest"),
        (RESCORED, "lattice-rescore-nbest"),
        (WENET, "wenet-nbest"),
        (b"wav utt-1\nwav utt-2\ncandidate -1 a\n", "wenet-nbest"),
        (RECOGS, "icefall-recogs"),
        (b"utt 1:\thyp=[]\n", "icefall-recogs"),
        (JSONL, "jsonl-nbest"),
        (b'{"duration": 1.5, "nbest" : ["a"]}\n', "jsonl-nbest"),
    ],
)
def test_the_content_tells_the_format(data, format_name, tmp_path):
    for text in (data, b"\n" + data, gzip.compress(data), data.replace(b"\n", b"\r\n")):
        assert {entry.format for entry in reading.entries([write_file(tmp_path, text)])} == {format_name}


@pytest.mark.parametrize(
    "data",
    [b"0 1 2 a b\n", b"-1 -2 c a\n", b'{"nodes": [1]}\n', b"utt hyp=['A']\n", b"wav utt\nthe cat\n", b"a-0 1 | b\n"],
)
def test_what_is_no_nbest_list_is_not_taken_for_one(data):
    names = ("srilm-nbest", "lattice-rescore-nbest", "wenet-nbest", "icefall-recogs", "jsonl-nbest", "espnet-nbest")
    assert [name for name in names if registry.formats()[name].sniff(data)] == []


@pytest.mark.parametrize(
    ("file", "format_name"),
    [
        ("x.srilm-nbest.gz", "srilm-nbest"),
        ("x.rescored", "lattice-rescore-nbest"),
        ("x.wenet", "wenet-nbest"),
        ("x.recogs.txt", "icefall-recogs"),
        ("x.jsonl", "jsonl-nbest"),
        ("x.nbest.jsonl", "jsonl-nbest"),
        ("x.nbest", "moses-nbest"),
    ],
)
def test_a_suffix_chooses_the_format_to_write(file, format_name):
    assert registry.format_for_writing(file).name == format_name


@pytest.mark.parametrize("format_name", ["srilm-nbest", "lattice-rescore-nbest", "wenet-nbest", "icefall-recogs"])
@pytest.mark.parametrize(
    ("graph", "says"),
    [
        (lm.Lattice.from_strings(["a"]), "this is a lattice"),
        (nbest({"am": 1.0, "lm": 0.0}, ("a", {"am": 1.0, "lm": 2.0})), "jsonl-nbest"),
        (nbest({"am": 0.0}, ("a", {"am": 1.0})), "jsonl-nbest"),
    ],
    ids=["lattice", "several scores", "a weight"],
)
def test_what_a_list_cannot_hold_is_refused_with_advice(format_name, graph, says, tmp_path):
    with pytest.raises(lm.UsageError, match=says):
        lm.write(tmp_path / "x", [("u", graph)], format=format_name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format_name", ["srilm-nbest", "wenet-nbest"])
@pytest.mark.parametrize("word", ["a b", "a\nb"])
def test_words_that_would_be_read_back_as_others_are_refused(format_name, word, tmp_path):
    graph = lm.NBest((Hypothesis((word,), {"score": 1.0}),), {"score": 1.0})
    with pytest.raises(lm.InputError, match="white space"):
        lm.write(tmp_path / "x", [("u", graph)], format=format_name)


@pytest.mark.parametrize("data", [OWN, RESCORED, WENET, RECOGS, JSONL])
def test_entries_travel_to_other_processes(data, tmp_path):
    for entry in reading.entries([write_file(tmp_path, data)]):
        again = pickle.loads(pickle.dumps(entry))
        assert contents(again.build()) == contents(entry.build())


# --- SRILM


def test_srilm_scores_are_logarithms_to_base_ten(tmp_path):
    graph = only(tmp_path, b"-100 -2.5 3 a b c\n-101 1e-1 0\n")
    assert words(graph) == ["a b c", ""]
    assert [dict(h.scores) for h in graph.hypotheses] == [
        {"acoustic": pytest.approx(100 * LN_10, rel=1e-15), "lm": pytest.approx(2.5 * LN_10, rel=1e-15), "nwords": 3.0},
        {"acoustic": pytest.approx(101 * LN_10, rel=1e-15), "lm": pytest.approx(-0.1 * LN_10, rel=1e-15), "nwords": 0},
    ]
    assert graph.weights == {"acoustic": 1.0, "lm": 1.0, "nwords": 0.0}


@pytest.mark.parametrize("header", ["NBestList1.0\n", ""])
def test_decipher_scores_are_bytelogs(header, tmp_path):
    graph = only(tmp_path, f"{header}(-1000) the cat\n(-1024.5)\n")
    assert words(graph) == ["the cat", ""]
    assert [h.scores["total"] for h in graph.hypotheses] == [pytest.approx(b * BYTELOG) for b in (1000, 1024.5)]
    # A bytelog of 9.766 is one of base e, near enough to be sure of direction and size.
    assert graph.hypotheses[0].scores["total"] == pytest.approx(1000 / 9.766, rel=1e-4)


def test_decipher_backtraces_give_acoustic_and_language_scores_that_the_total_contains(tmp_path):
    graph = only(tmp_path, DECIPHER_2)
    assert words(graph) == ["the cat", "a cat"]
    first = graph.hypotheses[0].scores
    assert first == {
        "total": pytest.approx(1600 * BYTELOG),
        "acoustic": pytest.approx(1100 * BYTELOG),
        "lm": pytest.approx(300 * BYTELOG),
    }
    assert graph.weights == {"total": 1.0, "acoustic": 0.0, "lm": 0.0}


def test_phones_and_states_of_a_backtrace_are_no_words(tmp_path):
    def token(word: str, start: float, end: float) -> str:
        return f"{word} ( st: {start} et: {end} g: -1 a: -2 )"

    tokens = [
        token("the", 0, 0.2),
        token("dh", 0, 0.1),
        token("dh-1", 0, 0.05),
        token("ax", 0.11, 0.2),
        token("cat", 0.21, 0.5),
    ]
    graph = only(tmp_path, f"NBestList2.0\n(-10) {' '.join(tokens)} {token('s-0', 0.51, 0.6)}\n")
    assert words(graph) == ["the cat"]
    assert graph.hypotheses[0].scores["acoustic"] == pytest.approx(4 * BYTELOG)


def test_pauses_of_srilm_are_no_words(tmp_path):
    assert words(only(tmp_path, "-1.5 -2 2 -pau- a -pau- b\n")) == ["a b"]
    with pytest.raises(lm.InputError, match="'-pau-' would be read back as no word"):
        lm.write(tmp_path / "x", [("u", nbest({"t": 1.0}, ("-pau-", {"t": 1.0})))], format="srilm-nbest")


@pytest.mark.parametrize("name", ["utt-1", "utt-1.gz", "utt-1.nbest", "utt-1.srilm-nbest.gz"])
def test_a_list_of_srilm_is_named_by_its_file(name, tmp_path):
    assert list(read(tmp_path, gzip.compress(OWN) if name.endswith(".gz") else OWN, name)) == ["utt-1"]


def test_srilm_reads_what_is_written(tmp_path):
    weights = {"acoustic": 1.0, "lm": 1.0, "nwords": 0.0}
    graph = nbest(
        weights, ("a b", {"acoustic": 1 / 3, "lm": 0.0, "nwords": 2.0}), ("", {"acoustic": -1e300, "lm": 5e-324})
    )
    for line, hypothesis in zip(
        written(tmp_path, "u", graph, "srilm-nbest").splitlines(), graph.hypotheses, strict=True
    ):
        acoustic, language, count, *rest = line.split()
        assert float(acoustic) == pytest.approx(-hypothesis.scores["acoustic"] / LN_10)
        assert float(language) == pytest.approx(-hypothesis.scores["lm"] / LN_10, abs=1e-300)
        assert int(count) == hypothesis.scores.get("nwords", 0)
        assert tuple(rest) == hypothesis.words
    one = nbest({"any name": 1.0}, ("a b", {"any name": 2.5}))
    header, line = written(tmp_path, "u", one, "srilm-nbest").splitlines()
    assert header == "NBestList1.0"
    score = re.fullmatch(r"\((\S+)\) a b", line)
    assert score
    assert float(score[1]) * BYTELOG == pytest.approx(-2.5)


def test_a_list_without_scores_gets_zeros(tmp_path):
    assert written(tmp_path, "u", nbest({}, ("a", {})), "srilm-nbest") == "NBestList1.0\n(0.0) a\n"
    assert written(tmp_path, "u", nbest({}, ("a", {})), "wenet-nbest") == "wav u\ncandidate 0.0 a\n"


@pytest.mark.parametrize("count", [1.5, -1.0])
def test_a_number_of_words_that_is_none_is_refused(count, tmp_path):
    graph = nbest({"nwords": 0.0}, ("a", {"acoustic": 1.0, "lm": 1.0, "nwords": count}))
    with pytest.raises(lm.UsageError, match="is not a number of words"):
        lm.write(tmp_path / "x", [("u", graph)], format="srilm-nbest")


# --- lattice-rescore


def test_lattice_rescore_lists_name_their_utterance_and_keep_all_scores(tmp_path):
    graphs = read(tmp_path, RESCORED + b"u-0 1 2 |\n")
    assert {name: words(graph) for name, graph in graphs.items()} == {"utt-1": ["HERE WE GO", "HERE AGAIN"], "u": [""]}
    assert graphs["utt-1"].hypotheses[0].scores == {"acoustic": -172.14, "lm": 11.5, "score_3": 9.25}
    assert graphs["utt-1"].weights == {"acoustic": 1.0, "lm": 1.0, "score_3": 0.0}


@pytest.mark.skipif(not DATA.is_dir(), reason=f"needs the real files in {DATA}")
def test_a_real_list_of_lattice_rescore_is_read_without_options():
    name = "AMI_ES2011a_H00_FEE041_0003427_0003714"
    ((found, graph),) = lm.read(DATA / "slf" / "words-on-nodes" / f"{name}.nbest")
    assert (found, len(graph), words(graph)[:2]) == (name, 11, ["HERE WE GO", "HERE WE GET"])
    assert graph.score_names() == ["acoustic", "lm", "score_3", "score_4", "score_5"]


# --- WeNet


def test_wenet_candidates_belong_to_the_key_above(tmp_path):
    graphs = read(tmp_path, WENET + "wav 你\ncandidate -1e-05 你 好\n".encode())
    assert {name: words(graph) for name, graph in graphs.items()} == {"utt-1": ["a b", "a"], "你": ["你 好"]}
    assert [h.scores["score"] for h in graphs["utt-1"].hypotheses] == [1.5, 2.25]


def test_a_wenet_key_without_candidates_has_one_without_words(tmp_path):
    graphs = read(tmp_path, "wav a\nwav b\ncandidate -1 x\nwav c\n")
    assert {name: words(graph) for name, graph in graphs.items()} == {"a": [""], "b": ["x"], "c": [""]}


def test_a_candidate_may_be_called_wav(tmp_path):
    assert words(only(tmp_path, "wav u\ncandidate -1 wav candidate\n")) == ["wav candidate"]


# --- icefall


@pytest.mark.parametrize(
    "word",
    [
        "it's",
        'say"so',
        "both'\"",
        "back\\slash",
        "\\'",
        "\u3000",
        "new\nline",
        "tab\there",
        "\x00",
        "日本",
        "😀",
        "]",
        ", ",
    ],
)
def test_words_are_read_as_python_writes_them(word, tmp_path):
    text = f"u:\tref={['x', word]}\nu:\thyp={[word, 'y']}\n"
    assert only(tmp_path, text).hypotheses == (Hypothesis((word, "y"), {}),)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("['A', 'B',]", ["A", "B"]),
        ("[ 'A' ,'B' ]", ["A", "B"]),
        (r"['\x41', '\u00e9', '\U0001f600']", ["A", "é", "😀"]),
        ("['']", []),
        ("[]", []),
        ("A B", ["A", "B"]),
        ("", []),
    ],
)
def test_lists_of_python_in_other_spellings(value, found, tmp_path):
    assert list(only(tmp_path, f"u:\thyp={value}\n").hypotheses[0].words) == found


def test_references_and_timestamps_of_icefall_are_passed_over(tmp_path):
    text = (
        "a-1:\tref=['X']\na-1:\thyp=['Y']\na-1:\ttimestamp_ref=[0.040]\na-1:\ttimestamp_hyp=[0.080]\n"
        "b: 2:\tref=['Z']\nb: 2:\thyp=[]\n"
    )
    assert {name: words(graph) for name, graph in read(tmp_path, text).items()} == {"a-1": ["Y"], "b: 2": [""]}


def test_what_is_written_for_icefall_is_python(tmp_path):
    import ast

    graph = lm.NBest((Hypothesis(("it's", "two words", '"'), {}),), {})
    line = written(tmp_path, "utt-1", graph, "icefall-recogs")
    name, value = line.rstrip("\n").split("\thyp=")
    assert (name, ast.literal_eval(value)) == ("utt-1:", ["it's", "two words", '"'])


def test_several_hypotheses_are_not_one(tmp_path):
    with pytest.raises(lm.UsageError, match="holds one hypothesis without scores, but this list has 2"):
        lm.write(tmp_path / "x", [("u", nbest({}, ("a", {}), ("b", {})))], format="icefall-recogs")


@pytest.mark.parametrize("name", ["", " u", "a\nb", "a:\tref=[]"])
def test_ids_that_icefall_cannot_hold_are_refused(name, tmp_path):
    with pytest.raises(lm.UsageError, match="cannot be an id"):
        lm.write(tmp_path / "x", [(name, nbest({}, ("a", {})))], format="icefall-recogs")


# --- JSON lines


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('{"id": "u", "hypotheses": [{"text": "a b", "score": -1.5}]}', [("a b", {"score": 1.5})]),
        ('{"utt_id": "u", "nbest": [{"pred": "a", "logprob": -2}]}', [("a", {"logprob": 2.0})]),
        ('{"key": "u", "hyps": [{"words": ["a", "b"], "log_prob": -2}]}', [("a b", {"log_prob": 2.0})]),
        ('{"utt": "u", "hyps": [{"tokens": ["a"], "sum_logprobs": -2}]}', [("a", {"sum_logprobs": 2.0})]),
        ('{"id": "u", "hyps": [{"transcript": "a", "tokens": [5], "score": -1}]}', [("a", {"score": 1.0})]),
        ('{"id": "u", "sequences": [{"text": "a", "cum_logprob": -2}]}', [("a", {"cum_logprob": 2.0})]),
        ('{"id": "u", "outputs": ["a"], "cum_log_probs": [-2]}', [("a", {"cum_log_probs": 2.0})]),
        ('{"id": "u", "nbest": ["a b", "c"]}', [("a b", {}), ("c", {})]),
        ('{"id": "u", "nbest": ["a", "b"], "scores": [-1, -2]}', [("a", {"score": 1.0}), ("b", {"score": 2.0})]),
        ('{"id": "u", "nbest": [{"text": "a"}], "logprob": [-1]}', [("a", {"logprob": 1.0})]),
        ('{"id": "u", "nbest": [{"text": "a", "pred": "a", "score": null, "lang": "en", "best": true}]}', [("a", {})]),
    ],
)
def test_names_that_other_tools_use_are_known(line, found, tmp_path):
    ((name, graph),) = read(tmp_path, line).items()
    assert name == "u"
    assert [(text, dict(h.scores)) for text, h in zip(words(graph), graph.hypotheses, strict=True)] == found
    assert set(graph.weights.values()) <= {1.0}


@pytest.mark.parametrize("key", ["logprobs", "log_probs"])
def test_a_number_for_each_sample_is_its_log_probability(key, tmp_path):
    def costs(samples: list[object], values: object) -> list[float]:
        record = {"id": "u", "samples": samples, key: values}
        return only(tmp_path, json.dumps(record)).costs()

    assert costs(["a", "b"], [-2, -0.5]) == [2.0, 0.5]
    assert costs([{"text": "a"}, {"text": "b"}], [-2, -0.5]) == [2.0, 0.5]
    # Log probabilities of tokens, or none.
    for others in ([[-1, -2], [-1, -3]], [-1, -2, -3], [None, None], []):
        assert costs(["a", "b"], others) == [0, 0]
    with pytest.raises(lm.InputError, match=f"{key} is not a list with one number per hypothesis"):
        costs(["a", "b"], [-1, None])
    table = write_file(tmp_path, arrow_of([{"samples": ["a", "b"], key: [-2.0, -0.5], "reference": "b"}]), "a.arrow")
    assert curve(read_lists(table), resamples=0).one_best.numerator == 0


@pytest.mark.parametrize(
    ("hypothesis", "weights"),
    [
        ({"score": -1, "am": -2, "scores": {"lm": -3}}, {"score": 1, "am": 0, "lm": 0}),
        ({"scores": {"am": -2, "lm": -3}, "rank": 1}, {"am": 1, "lm": 1, "rank": 0}),
        ({"score": -1, "sum_logprobs": -7, "avg_logprob": -0.1}, {"score": 1, "sum_logprobs": 0, "avg_logprob": 0}),
        ({"scores": {"total": -1, "am": -2}}, {"total": 1, "am": 0}),
        ({"confidence": 0.9}, {"confidence": 0}),
    ],
)
def test_a_total_counts_or_scores_count(hypothesis, weights, tmp_path):
    graph = only(tmp_path, json.dumps({"id": 17, "hypotheses": [{"text": "a", **hypothesis}]}))
    assert graph.weights == weights


def test_ids_may_be_numbers_or_left_out(tmp_path):
    assert list(read(tmp_path, '{"id": 17, "nbest": ["a"]}\n{"id": "x y", "nbest": ["a"]}\n')) == ["17", "x y"]
    assert list(read(tmp_path, '{"nbest": ["a"]}\n{"nbest": ["b"]}\n\n')) == ["1", "2"]


def test_a_list_that_fails_does_not_hide_those_after_it(tmp_path):
    text = '{"id": "a", "nbest": [7]}\n{"id": "b", "nbest": ["x"]}\n'
    found = {entry.name: entry.build for entry in reading.entries([write_file(tmp_path, text)])}
    with pytest.raises(lm.FormatError, match=r"graphs:1, hypothesis 1 \(a\): the hypothesis must be a text or"):
        found["a"]()
    assert words(found["b"]()) == ["x"]


def test_the_canonical_line(tmp_path):
    graph = lm.NBest(
        (Hypothesis(("a", "b"), {"am": 1.5, "total": 2.0}), Hypothesis(("c d",), {"am": 0.0, "total": 3.0})),
        {"am": 0.0, "total": 1.0},
    )
    assert json.loads(written(tmp_path, "é", graph, "jsonl-nbest")) == {
        "id": "é",
        "hypotheses": [{"text": "a b", "am": -1.5, "total": -2.0}, {"words": ["c d"], "am": 0.0, "total": -3.0}],
    }
    parts = nbest({"am": 1.0, "lm": 1.0, "n": 0.0}, ("a", {"am": 1.0, "lm": 2.0, "n": 3.0}))
    assert json.loads(written(tmp_path, "u", parts, "jsonl-nbest"))["hypotheses"] == [
        {"text": "a", "n": -3.0, "scores": {"am": -1.0, "lm": -2.0}}
    ]


@pytest.mark.parametrize(
    "weights",
    [{"am": 2.0}, {"score": 1.0, "am": 1.0}, {"am": 1.0, "score": 0.0}, {"text": 0.0}, {"logp": 1.0, "logprob": 0.0}],
)
def test_weights_that_json_lines_cannot_say_are_refused(weights, tmp_path):
    graph = nbest(weights, ("a", dict.fromkeys(weights, 1.0)))
    with pytest.raises(lm.LatticeMetricError, match=r"cannot store these scores|could all be the total"):
        lm.write(tmp_path / "x", [("u", graph)], format="jsonl-nbest")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format_name", ["moses-nbest", "srilm-nbest", "wenet-nbest"])
@pytest.mark.parametrize("scale", [0.0, 0.5])
def test_json_lines_are_advised_only_if_they_hold_the_weights(format_name, scale, tmp_path):
    for names in (["am"], ["am", "lm"]):
        graph = nbest(dict.fromkeys(names, scale), ("a", dict.fromkeys(names, 1.0)))
        with pytest.raises(lm.UsageError) as refusal:
            written(tmp_path, "u", graph, format_name)
        assert ("jsonl-nbest" in str(refusal.value)) == (scale == 0.0)


@pytest.mark.parametrize("data", [OWN, DECIPHER_2, RESCORED, WENET, RECOGS])
def test_json_lines_hold_what_the_others_hold(data, tmp_path):
    graphs = list(read(tmp_path, data).items())
    lm.write(tmp_path / "x.jsonl", graphs)
    again = list(lm.read(tmp_path / "x.jsonl"))
    assert [(name, contents(graph)) for name, graph in again] == [(name, contents(graph)) for name, graph in graphs]


# --- Objects whose keys are ids


OF_IDS = {
    "texts": b'{"u-1": ["a b", "a c"], "u-2": ["d"]}',
    "objects": b'{"u-1": [{"text": "a b"}, {"text": "a c"}],\n "u-2": [{"text": "d"}]}',
    "records": b'{"u-1": {"nbest": ["a b", "a c"], "reference": "a b"}, "u-2": {"nbest": ["d"], "reference": "d"}}',
    "on lines": b'{"u-1": {"hypotheses": ["a b", "a c"]}}\n{"u-2": {"hypotheses": ["d"]}}\n',
    "with own ids": b'{"0": {"id": "u-1", "nbest": ["a b", "a c"]}, "1": {"id": "u-2", "nbest": ["d"]}}',
}


@pytest.mark.parametrize("data", OF_IDS.values(), ids=OF_IDS)
def test_objects_with_a_list_for_each_id_are_read(data, tmp_path):
    found = read(tmp_path, data)
    assert {name: words(graph) for name, graph in found.items()} == {"u-1": ["a b", "a c"], "u-2": ["d"]}


def test_an_object_of_many_lists_is_read(tmp_path):
    lists = {f"u-{k}": [f"a{k} b", "c"] for k in range(20_000)}
    found = read(tmp_path, json.dumps(lists).encode())
    assert {name: words(graph) for name, graph in found.items()} == lists


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"u-1": ["a"], "u-1": ["b"]}', "1: key 'u-1' appears twice"),
        (b'{"u-1": ["a"]} x', "1: there is more text after the JSON object"),
    ],
)
def test_a_faulty_object_of_lists_is_refused(data, says, tmp_path):
    with pytest.raises(lm.FormatError, match=says):
        read(tmp_path, data)


@pytest.mark.parametrize(
    "data",
    [
        b'{"nbest": ["a b", "c"]}',
        b'{"scores": {"am": [1, 2]}, "nbest": ["a", "b"]}',
        b'{"text": "a", "nbest": ["a", "b"]}',
    ],
)
def test_a_record_is_no_object_of_ids(data, tmp_path):
    assert list(read(tmp_path, data)) == ["1"]


# --- ESPnet, and folders that are one thing


def test_marks_of_language_and_task_are_no_words_of_espnet(tmp_path):
    data = b"== 1best_recog/text\nu <eng><asr><notimestamps> a b\n== 1best_recog/text_nospecial\nu a b\n"
    assert words(lm.read_one(unpack(data + b"== 1best_recog/score\nu -1\n", tmp_path / "decode"))) == ["a b"]


def test_a_folder_of_espnet_is_one_input(tmp_path):
    graphs = dict(lm.read(unpack(ESPNET, tmp_path / "decode")))
    assert {name: words(graph) for name, graph in graphs.items()} == {"utt-1": ["a b", "a"], "utt-2": ["c", ""]}
    assert [h.scores["score"] for h in graphs["utt-1"].hypotheses] == [1.5, 3.5]
    assert [h.scores["score"] for h in graphs["utt-2"].hypotheses] == [2.5, 4.5]
    assert {entry.format for entry in reading.entries([tmp_path / "decode"])} == {"espnet-nbest"}


def test_errors_of_a_folder_name_its_file_and_line(tmp_path):
    folder = unpack(ESPNET.replace(b"-4.5", b"low"), tmp_path / "decode")
    where = re.escape(f"{folder}/2best_recog/score:2")
    with pytest.raises(lm.FormatError, match=rf"^{where} \(utt-2\): 'low' is not a number"):
        list(lm.read(folder))


def test_an_utterance_may_have_fewer_hypotheses_than_others(tmp_path):
    text = b"== 1best_recog/text\na x\nb y\nc z\n== 2best_recog/text\nb yy\n== 3best_recog/text\n"
    graphs = dict(lm.read(unpack(text, tmp_path / "decode")))
    assert {name: words(graph) for name, graph in graphs.items()} == {"a": ["x"], "b": ["y", "yy"], "c": ["z"]}
    assert graphs["a"].score_names() == []


def test_tokens_stand_in_for_a_text_that_is_not_there(tmp_path):
    text = b"== 1best_recog/token\na \xe2\x96\x81x y\n== 1best_recog/score\na -1\n"
    ((_, graph),) = lm.read(unpack(text, tmp_path / "decode"))
    assert words(graph) == ["\u2581x y"]


def test_jobs_are_read_in_natural_order(tmp_path):
    for job in (10, 9, 1):
        unpack(b"== 1best_recog/text\nu%d x\n" % job, tmp_path / "logdir" / f"output.{job}")
    for path in (tmp_path / "logdir", f"{tmp_path}/logdir/output.*"):
        assert [name for name, _ in lm.read(path)] == ["u1", "u9", "u10"]
        assert {e.format for e in reading.entries([path], "espnet-nbest")} == {"espnet-nbest"}


def test_files_of_a_folder_may_be_compressed(tmp_path):
    folder = unpack(ESPNET, tmp_path / "decode")
    for file in folder.glob("*/*"):
        file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    assert [name for name, _ in lm.read(folder)] == ["utt-1", "utt-2"]


def test_a_file_is_no_folder(tmp_path):
    with pytest.raises(
        lm.FormatError, match="espnet-nbest needs a folder with 1best_recog/, but this is a file; name the folder"
    ):
        list(lm.read(write_file(tmp_path, "utt a b\n"), format="espnet-nbest"))
    with pytest.raises(lm.UsageError, match="espnet-nbest can be read, but not written"):
        lm.write(tmp_path / "x", [("u", nbest({}, ("a", {})))], format="espnet-nbest")


def test_a_folder_that_no_format_claims_means_its_files(tmp_path):
    (tmp_path / "2best_recog").mkdir()
    write_file(tmp_path, WENET, "a")
    write_file(tmp_path, RECOGS, "b")
    assert [e.format for e in reading.entries([tmp_path])] == ["wenet-nbest", "icefall-recogs", "icefall-recogs"]


def test_another_format_that_is_chosen_does_not_read_the_folder(tmp_path):
    folder = unpack(ESPNET, tmp_path / "decode")
    with pytest.raises(lm.InputError, match="holds no files"):
        list(lm.read(folder, format="wenet-nbest"))


def test_a_plugin_may_claim_folders_where_it_is_chosen(tmp_path, monkeypatch):
    def read_folder(folder, _vocabulary):
        yield registry.Entry(folder.name, str(folder), lambda: lm.Lattice.from_strings(["a"]), naming="file")

    plugin = registry.Format(
        "shelf", (), lambda _: False, lambda _s, _v: iter(()), claims_folder=lambda _: True, read_folder=read_folder
    )
    monkeypatch.setattr(registry, "_formats", {**registry.formats(), "shelf": plugin})
    assert [name for name, _ in lm.read(tmp_path, format="shelf")] == [tmp_path.name]


def test_utterances_are_read_one_at_a_time(tmp_path):
    text = b"== 1best_recog/text\na x\nb y\n== 1best_recog/score\na -1\nb low\n"
    graphs = lm.read(unpack(text, tmp_path / "decode"))
    assert next(graphs)[0] == "a"
    with pytest.raises(lm.FormatError, match="'low' is not a number"):
        next(graphs)


# --- Arrays and tables


def test_an_arrow_stream_is_read_like_a_file(tmp_path):
    lists = [list(lm.read(write_file(tmp_path, arrow_of(ROWS, streamed=streamed)))) for streamed in (False, True)]
    assert lists[0] == lists[1]
    assert [name for name, _ in lists[0]] == ["u-1", "u-2"]


def test_arrays_of_any_layout_are_read(tmp_path):
    records = json.loads(ARRAY)
    long = [{"id": f"u{k}", "input": ["é " * 5000, "a"], "output": "b"} for k in range(40)]
    for content in (records, long):
        texts = (
            json.dumps(content, ensure_ascii=ascii_only, indent=n) for ascii_only in (False, True) for n in (None, 4)
        )
        read = [list(lm.read(write_file(tmp_path, text.encode()))) for text in texts]
        assert all(one == read[0] for one in read)
        assert [name for name, _ in read[0]] == [record["id"] for record in content]


def test_lists_of_an_array_before_damage_are_read(tmp_path):
    path = write_file(tmp_path, b'[{"id": "a", "input": ["x"]},\n{"id": "b", "input": ["y"]},\n{"id": "c", "inp')
    names = []
    with pytest.raises(lm.FormatError, match=":3: this is not JSON"):
        names.extend(name for name, _ in lm.read(path))
    assert names == ["a", "b"]


def test_deep_arrays_are_refused(tmp_path):
    with pytest.raises(lm.FormatError, match="nested too deeply"):
        list(lm.read(write_file(tmp_path, b'[{"input": ' + b"[" * 100_000), format="json-nbest"))


@pytest.mark.parametrize(
    ("line", "format_name"),
    [
        ('{"pred_text": "a c", "text": "a b", "wer": 50.0}', "nemo-manifest"),  # NeMo's streaming scripts
        ('{"id": "1", "duration": 2.0, "text": "a b", "pred_text": "a c"}', "nemo-manifest"),  # speech language models
        ('{"pred_text": "x", "text": "a b", "nbest": ["a c"]}', "jsonl-nbest"),
    ],
)
def test_manifests_of_nemo_may_lack_the_audio_file(line, format_name, tmp_path):
    (entry,) = reading.entries([write_file(tmp_path, f"{line}\n")])
    assert (entry.name, entry.format, words(entry.build())) == ("1", format_name, ["a c"])


def test_words_without_times_stand_between_their_neighbours(tmp_path):
    words = [{"word": "a", "start": 1.0, "end": 2.0}, {"word": "7"}, {"word": "b", "start": 5.0, "end": 6.0}]
    path = tmp_path / "talk.whisper.json"
    path.write_text(json.dumps({"segments": [{"words": words}], "language": "en"}))
    ((name, lattice),) = lm.read(path)
    assert name == "talk"
    times = {
        lattice.vocabulary.word(word): (lattice.times[source], lattice.times[target])
        for word, source, target in zip(lattice.word.tolist(), lattice.source, lattice.target, strict=True)
    }
    assert times["a"] == (1.0, 2.0)
    assert times["7"] == (3.0, 4.0)
    assert times["b"] == (5.0, 6.0)


def spoken(path, document):
    """Return the words of Whisper's JSON, with the times and confidences of those that have them."""
    path.write_text(json.dumps(document))
    lattice = lm.read_one(path)
    confidences = lattice.labels.get("confidence")
    rows = enumerate(zip(lattice.word.tolist(), lattice.source, lattice.target, strict=True))
    return [
        (
            lattice.vocabulary.word(word),
            *(() if lattice.times is None else (lattice.times[source], lattice.times[target])),
            *(() if confidences is None else (confidences.vocabulary.word(int(confidences.arc[row])),)),
        )
        for row, (word, source, target) in rows
        if word
    ]


def timed(*texts):
    return [{"word": t, "start": float(n), "end": n + 0.5, "probability": 1 / (n + 1)} for n, t in enumerate(texts)]


def test_parts_of_words_of_whisper_are_words(tmp_path):
    segments = [
        {"text": " A well-known 3.5%", "words": timed(" A", " well", "-known", " 3", ".5", "%")},
        {"text": " and/or", "words": timed(" and", "", "/or")},
    ]
    found = spoken(tmp_path / "talk.json", {"text": " A well-known 3.5% and/or", "segments": segments})
    assert [word[0] for word in found] == ["A", "well-known", "3.5%", "and/or"]
    assert found[1] == ("well-known", 1.0, 2.5, "0.3333333333333333")


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"segments": [{"text": "Hi there", "words": timed("Hi", "there")}]}, "Hi there"),  # WhisperX
        ({"segments": [{"text": " 今天 OK吗", "words": timed(" 今天", " OK", "吗")}], "language": "zh"}, "今天 OK 吗"),
        ({"segments": [{"text": " ab c", "words": timed(" a", " c", "d")}]}, "a c d"),  # another text
    ],
)
def test_whole_words_of_whisper_stay_apart(document, words, tmp_path):
    document = {"text": "", **document}
    assert [word[0] for word in spoken(tmp_path / "talk.json", document)] == words.split()


@pytest.mark.parametrize("language", ["ja", "Japanese", "japanese", "Mandarin", "Burmese"])
def test_languages_without_spaces_may_be_named_in_full(language, tmp_path):
    segments = [{"text": " 今日は OKです", "words": timed(" 今日", "は", " OK", "です")}]
    found = spoken(tmp_path / "talk.json", {"text": "", "segments": segments, "language": language})
    assert [word[0] for word in found] == ["今日", "は", "OK", "です"]
    chunks = [{"language": language, "text": t, "timestamp": [0.0, 0.5]} for t in (" 今日", "は", " OK", "です")]
    found = spoken(tmp_path / "talk.json", {"text": " 今日は OKです", "chunks": chunks})
    assert [word[0] for word in found] == ["今日", "は", "OK", "です"]


@pytest.mark.parametrize("key", ["segments", "chunks"])
def test_without_segments_the_text_counts(key, tmp_path):
    assert [word[0] for word in spoken(tmp_path / "talk.json", {"text": " Hi there", key: []})] == ["Hi", "there"]
    assert spoken(tmp_path / "talk.json", {"text": "", key: []}) == []
    assert spoken(tmp_path / "talk.json", {key: [], "language": "en"}) == []


def test_chunks_of_a_speech_pipeline_may_be_parts_of_words(tmp_path):
    parts = [" A", " well", "-known", " fact."]
    chunks = [{"text": text, "timestamp": [float(n), n + 0.5]} for n, text in enumerate(parts)]
    document = {"text": " A well-known fact.", "chunks": chunks}
    assert spoken(tmp_path / "talk.json", document) == [("A", 0.0, 0.5), ("well-known", 1.0, 2.5), ("fact.", 3.0, 3.5)]
    letters = [{"text": text, "timestamp": [float(n), n + 1.0]} for n, text in enumerate("GO ON")]
    document = {"text": "GO ON", "chunks": letters}
    assert spoken(tmp_path / "talk.json", document) == [("GO", 0.0, 2.0), ("ON", 3.0, 5.0)]


def listed(*words):
    return [{"word": word, "start": float(n), "end": n + 0.5} for n, word in enumerate(words)]


SEGMENTS = {"segments": [{"id": 0, "text": " It's a well-known fact –"}, {"id": 1, "text": ' "No".'}]}


@pytest.mark.parametrize("parts", [SEGMENTS, {"segments": []}, {"segments": None}, {}], ids=str)
def test_words_beside_the_segments_give_the_words_of_openai_their_times(parts, tmp_path):
    document = {"task": "transcribe", "language": "english", "duration": 7.5, "text": 'It\'s a well-known fact – "No".'}
    words = listed("It's", "a", "well", "known", "fact", "No")
    found = spoken(tmp_path / "talk.json", {**document, "words": words, **parts})
    assert [word[0] for word in found] == document["text"].split()
    assert [found[k][1:] for k in (0, 2, 3, 5)] == [(0.0, 0.5), (2.0, 3.5), (4.0, 4.5), (5.0, 5.5)]


def test_words_beside_the_segments_with_other_letters_are_as_listed(tmp_path):
    document = {"text": "On 5 May", "segments": [{"text": "On 5 May"}], "words": listed("On", "five", "May")}
    assert [word[:3] for word in spoken(tmp_path / "talk.json", document)] == [
        ("On", 0.0, 0.5), ("five", 1.0, 1.5), ("May", 2.0, 2.5),
    ]  # fmt: skip
    document = {"language": "chinese", "text": "今天好。", "words": listed("今天", "好")}
    assert [word[0] for word in spoken(tmp_path / "talk.json", document)] == ["今天", "好"]
    own = {"text": "Hi", "words": timed(" Hi")}
    document = {"text": "Hi", "segments": [own], "words": listed("other")}
    assert spoken(tmp_path / "talk.json", document) == [("Hi", 0.0, 0.5, "1.0")]


def test_a_long_text_of_openai_is_recognised(tmp_path):
    text = "word " * 20_000
    document = {"task": "transcribe", "language": "english", "duration": 3600.5, "text": text.strip()}
    found = spoken(tmp_path / "talk.json", {**document, "words": listed(*text.split())})
    assert len(found) == 20_000
    assert found[-1] == ("word", 19_999.0, 19_999.5)


@pytest.mark.parametrize("empty", [[], None])
@pytest.mark.parametrize("key", ["segments", "chunks"])
def test_a_list_without_parts_does_not_hide_the_other(key, empty, tmp_path):
    parts = {
        "chunks": [{"text": " Hi", "timestamp": [0.0, 0.5]}, {"text": " there", "timestamp": [0.5, 1.0]}],
        "segments": [{"text": " Hi there", "words": timed(" Hi", " there")}],
    }
    other = "chunks" if key == "segments" else "segments"
    alone = {"text": " Hi there", other: parts[other]}
    found = spoken(tmp_path / "talk.json", {"text": " Hi there", key: empty, other: parts[other]})
    assert found == spoken(tmp_path / "talk.json", alone)
    assert len(found[1]) > 2  # times
    assert spoken(tmp_path / "talk.json", {key: empty, other: []}) == []


@pytest.mark.parametrize("key", ["probability", "score", "confidence"])
def test_confidences_of_words_have_several_names(key, tmp_path):
    words = [{"text": "Hi", "start": 0.0, "end": 0.5, key: 0.75}]
    assert spoken(tmp_path / "talk.json", {"segments": [{"text": "Hi", "words": words}]}) == [("Hi", 0.0, 0.5, "0.75")]


def test_a_segment_that_whisperx_could_not_align_has_its_text(tmp_path):
    segments = [
        {"text": "In", "words": timed("In")},
        {"start": 0.5, "end": 1.0, "text": "1984", "words": []},
        {"start": 1.0, "end": 1.5, "text": "", "words": []},
    ]
    assert [word[0] for word in spoken(tmp_path / "talk.json", {"segments": segments, "language": "en"})] == [
        "In",
        "1984",
    ]


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_tables_are_written_in_batches_and_read_back(tmp_path, suffix):
    texts, scores = ["a b", "", "é c"], {"lm": [1, 2, 3]}
    lists = [(f"u{k}", lm.NBest.from_strings(texts, log_probs=[-1.0, -2.5, -k], scores=scores)) for k in range(1100)]
    path = tmp_path / f"lists.{suffix}"
    assert lm.write(path, lists) == 1100
    assert list(lm.read(path)) == lists


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_table_has_the_same_columns_everywhere(tmp_path, suffix):
    one, other = (lm.NBest((Hypothesis("a", scores),), {"score": 1.0}) for scores in ({"score": 1.0}, {}))
    with pytest.raises(lm.UsageError, match="the first hypothesis has score, text"):
        lm.write(tmp_path / f"x.{suffix}", [("u1", one), ("u2", other)])
    assert not (tmp_path / f"x.{suffix}").exists()


def test_texts_in_dictionaries_of_several_row_groups_are_read(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    texts = pa.array([["a", "b"], ["c"], ["a"]], pa.list_(pa.dictionary(pa.int32(), pa.string())))
    path = tmp_path / "lists.parquet"
    parquet.write_table(pa.table({"hypotheses": texts}), path, row_group_size=1)
    assert [[h.words for h in nbest.hypotheses] for _, nbest in lm.read(path)] == [[("a",), ("b",)], [("c",)], [("a",)]]
    records = [{"reference": "a", "hypotheses": row} for row in texts.to_pylist()]
    parquet.write_table(pa.table({"hypotheses": texts, "reference": ["a"] * 3}), path, row_group_size=1)
    curves = [curve(read_lists(lists), resamples=0).to_records() for lists in (path, records)]
    assert curves[0] == curves[1]


def test_predictions_and_references_in_equal_numbers_may_be_pairs(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"predictions": ["a", "b"], "references": ["b", "c"]}')
    with pytest.raises(lm.FormatError, match="2 predictions and as many references: they may be pairs, or one list"):
        lm.read_one(path)
    for text in (
        '{"predictions": ["a", "b"], "references": ["b"]}',
        '{"hypotheses": ["a", "b"], "references": ["b", "c"]}',
    ):
        path.write_text(text)
        assert words(lm.read_one(path)) == ["a", "b"]


# --- Several lists in one record, as `generate` of transformers returns them

JOINED = {"sequences": ["a b", "a", "c", "d"], "sequences_scores": [-2.0, -1.0, -0.5, -3.0]}


def lists_in(folder: Path, record: dict[str, object], **options: object) -> list[object]:
    """Return the lists of a record, from JSON lines, a JSON array, a table and Python: all are the same."""
    pa = pytest.importorskip("pyarrow")
    (folder / "x.jsonl").write_text(json.dumps(record) + "\n")
    (folder / "x.json").write_text(json.dumps([record]))
    (folder / "x.arrow").write_bytes(arrow_of([record]))
    sources = [folder / "x.jsonl", folder / "x.json", folder / "x.arrow"] if not options else []
    found = [read_lists(s, **options) for s in (*sources, [record], pa.Table.from_pylist([record]))]
    assert all(one == found[0] for one in found)
    return [
        (name, words(nbest), nbest.costs(), [" ".join(one) for one in references])
        for name, nbest, references in zip(found[0].names, found[0].lists, found[0].references, strict=True)
    ]


def test_the_lists_of_several_inputs_are_separated_by_the_number_of_samples(tmp_path):
    record = JOINED | {"num_return_sequences": 2}
    two = [("1-1", ["a b", "a"], [2.0, 1.0], []), ("1-2", ["c", "d"], [0.5, 3.0], [])]
    assert lists_in(tmp_path, record) == two
    assert lists_in(tmp_path, JOINED, n=2) == two
    named = record | {"id": ["u", "v"], "reference": ["a", "c"]}
    wanted = [("u", ["a b", "a"], [2.0, 1.0], ["a"]), ("v", ["c", "d"], [0.5, 3.0], ["c"])]
    assert lists_in(tmp_path, named) == wanted
    assert lists_in(tmp_path, JOINED | {"id": ["u", "v"], "references": ["a", "c"]}) == wanted
    (one,) = lists_in(tmp_path, JOINED | {"num_return_sequences": 4})
    assert one[1] == JOINED["sequences"]


@pytest.mark.parametrize("known", [{"id": "u"}, {"reference": "a"}, {"num_return_sequences": 4}])
def test_a_list_of_one_input_stays_whole(known, tmp_path):
    ((_, texts, _, _),) = lists_in(tmp_path, JOINED | known)
    assert texts == JOINED["sequences"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, "sequences may join the hypotheses of several inputs"),
        ({"references": ["a", "c"]}, "sequences may join the hypotheses of several inputs"),
        ({"num_return_sequences": 3}, "4 hypotheses are no lists of 3 each"),
        ({"num_return_sequences": 0}, "num_return_sequences is a number, not a whole number from 1"),
        ({"num_return_sequences": "2"}, "num_return_sequences is a text, not a whole number from 1"),
        ({"num_return_sequences": 2, "id": "u"}, "id is a text, but the record joins the lists of 2 inputs"),
        ({"num_return_sequences": 2, "reference": "a"}, "reference is a text, but the record joins"),
        ({"num_return_sequences": 2, "references": ["a", "b", "c"]}, "references has 3 items, neither one per hyp"),
        ({"id": ["u", "v", "w"]}, "4 hypotheses cannot be divided among 3 ids"),
    ],
)
def test_joined_lists_are_refused_unless_the_number_of_inputs_is_certain(more, says, tmp_path):
    for source in ([JOINED | more], write_file(tmp_path, json.dumps(JOINED | more), "x.jsonl")):
        with pytest.raises(lm.LatticeMetricError, match=says):
            read_lists(source)


def test_a_number_of_samples_is_for_records(tmp_path):
    with pytest.raises(lm.UsageError, match="this is a file"):
        lm.Corpus.from_records(write_file(tmp_path, json.dumps(JOINED), "x.jsonl"), n=2)
    with pytest.raises(lm.UsageError, match="n is 0"):
        read_lists([JOINED], n=0)
    with pytest.raises(lm.FormatError, match="num_return_sequences is 2, not 4"):
        read_lists([JOINED | {"num_return_sequences": 2}], n=4)
