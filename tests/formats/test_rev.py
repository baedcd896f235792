"""Rev's transcripts: tokens, alternatives, and the graph of their texts, against all combinations."""

import contextlib
import itertools
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.commands import assert_one_line_error, good, run

import latticemetric as lm
from latticemetric.errors import FormatError
from latticemetric.evaluation.error_analysis import ErrorDetails, error_analysis
from latticemetric.formats.rev import Token, nlp_reference, read_nlp, read_norm
from latticemetric.metrics.classes import classes_along

HEADER = "token|speaker|ts|endTs|punctuation|case|tags|wer_tags\n"


def token(word, tag="", kind=""):
    return Token(word, "", "", tag, kind)


def texts(graph):
    return sorted(path.words for path in graph.paths())


def test_tokens_and_alternatives_are_read(tmp_path):
    (tmp_path / "a.nlp").write_text(
        HEADER + "We|1|||,|UC|['10:CONTRACTION']|['3']\nwill|1||||LC|['10:CONTRACTION']|[]\ngo|2|||.|LC|[]|[]\n"
    )
    norm = {"10": {"class": "CONTRACTION", "candidates": [{"verbalization": ["We'll"]}, {"verbalization": []}]}}
    (tmp_path / "norm.json").write_text(json.dumps(norm))
    tokens, alternatives = read_nlp(str(tmp_path / "a.nlp")), read_norm(str(tmp_path / "norm.json"))
    assert tokens == [
        Token("We", ",", "1", "10", "CONTRACTION"),
        Token("will", "", "1", "10", "CONTRACTION"),
        Token("go", ".", "2", "", ""),
    ]
    assert alternatives == {"10": (("We'll",), ())}
    assert texts(nlp_reference(tokens, alternatives)) == [("We", "will", "go"), ("We'll", "go"), ("go",)]
    assert texts(nlp_reference(tokens)) == [("We", "will", "go")]
    assert texts(nlp_reference([])) == [()]


words = st.sampled_from("abc")
ways = st.lists(st.lists(words, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple)


@given(st.lists(st.tuples(st.lists(words, min_size=1, max_size=2), st.none() | ways), max_size=4), words)
def test_a_graph_has_all_combinations_of_alternatives(runs, last):
    tokens, alternatives, choices = [], {}, []
    for number, (written, others) in enumerate(runs):
        tag = str(number) if others is not None else ""
        tokens += [token(word, tag) for word in written]
        alternatives |= {tag: others} if tag else {}
        choices.append({tuple(written), *(others or ())})
    tokens.append(token(last))
    expected = {(*itertools.chain(*chosen), last) for chosen in itertools.product(*choices)}
    assert set(texts(nlp_reference(tokens, alternatives))) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is not an .nlp file"),
        ("word|tags\n", "this is not an .nlp file"),
        (HEADER + "a|b\n", "a.nlp:2: expected 8 fields separated by |, found 2"),
        (HEADER + "a||||||[1]|\n", "a.nlp:2: '[1]' is not a tag"),
        (HEADER + "a b||||||[]|\n", "a.nlp:2: a token must be one word"),
        (HEADER + "||||||[]|\n", "a.nlp:2: a token must be one word"),
    ],
)
def test_other_files_are_refused(tmp_path, text, message):
    (tmp_path / "a.nlp").write_text(text)
    with pytest.raises(FormatError) as caught:
        read_nlp(str(tmp_path / "a.nlp"))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "[",
        "[]",
        '{"1": 2}',
        '{"1": {}}',
        '{"1": {"candidates": []}}',
        '{"1": {"candidates": [{"verbalization": [3]}]}}',
        '{"1": {"candidates": [{"verbalization": ["a", " "]}]}}',
        '{"1": {"candidates": [{"verbalization": "a"}]}}',
    ],
)
def test_other_alternatives_are_refused(tmp_path, text):
    (tmp_path / "norm.json").write_text(text)
    with pytest.raises(FormatError, match=r"norm\.json"):
        read_norm(str(tmp_path / "norm.json"))


def test_a_form_may_be_a_text_of_several_words(tmp_path):
    forms = [["William Shakespeare"], ["will", "shakespeare "], ["William", "Shakespeare"]]
    (tmp_path / "norm.json").write_text(json.dumps({"0": {"candidates": [{"verbalization": form} for form in forms]}}))
    assert read_norm(str(tmp_path / "norm.json")) == {"0": (("William", "Shakespeare"), ("will", "shakespeare"))}


def test_of_several_tags_the_first_counts_and_it_is_said(tmp_path, caplog):
    (tmp_path / "a.nlp").write_text(HEADER + "ten ||||||['3:CARDINAL', '3:MONEY']|\n a||||||[]|\n")
    tokens = read_nlp(str(tmp_path / "a.nlp"))
    assert [(one.word, one.tag, one.kind) for one in tokens] == [("ten", "3", "CARDINAL"), ("a", "", "")]
    assert "a.nlp:2: the token has several tags: the first counts" in caplog.text


@pytest.mark.real_data
def test_a_real_call_has_its_tokens_and_alternatives():
    folder = Path(os.environ.get("LATTICEMETRIC_DATA", "")) / "earnings21"
    if not os.environ.get("LATTICEMETRIC_DATA") or not folder.is_dir():
        pytest.skip("LATTICEMETRIC_DATA names no folder with earnings21")
    tokens, alternatives = read_nlp(str(folder / "ref.nlp.gz")), read_norm(str(folder / "norm.json.gz"))
    assert (len(tokens), len(alternatives)) == (10_436, 440)
    assert {one.tag for one in tokens if one.tag} <= set(alternatives)
    graph = nlp_reference(tokens, alternatives)
    assert lm.WER().score([one.word for one in tokens[:50]], [nlp_reference(tokens[:50], alternatives)]) == 0
    assert graph.num_states == 11_427


# --- Classes along a graph


@given(st.lists(st.tuples(st.lists(words, min_size=1, max_size=2), st.none() | ways), max_size=4), st.data())
def test_each_word_of_a_text_has_the_class_of_its_tag(runs, data):
    tokens, alternatives, choices = [], {}, []
    for number, (written, others) in enumerate(runs):
        tag, kind = (str(number), f"K{number}") if others is not None else ("", "")
        tokens += [token(word, tag, kind) for word in written]
        alternatives |= {tag: others} if tag else {}
        choices.append([(way, kind) for way in {tuple(written), *(others or ())}])
    possible = {}
    for chosen in itertools.product(*choices):
        text = tuple(itertools.chain(*(way for way, _ in chosen)))
        possible.setdefault(text, set()).add(tuple(kind for way, kind in chosen for _ in way))
    graph = nlp_reference(tokens, alternatives)
    text = data.draw(st.sampled_from(sorted(possible)))
    assert classes_along(graph, text) in possible[text]
    with pytest.raises(lm.UsageError, match="no path") if graph.labels else contextlib.nullcontext():
        classes_along(graph, (*text, "z"))


def test_errors_are_counted_by_class():
    tokens = [token("pay"), token("$5", "1", "MONEY"), token("in"), token("we", "2", "C"), token("will", "2", "C")]
    graph = nlp_reference(tokens, {"1": (("five", "dollars"),), "2": (("we'll",),)})
    found = error_analysis(["pay five um dollars on we'll"], [[graph]], classes=True)
    assert found.total.line() == "%WER 40.00 [ 2 / 5, 1 ins, 0 del, 1 sub ]"
    assert {name: (own.words, own.edits, own.wrong_segments) for name, own in found.groups.items()} == {
        "(no class)": (2, (0, 0, 1), 1),
        "MONEY": (2, (1, 0, 0), 1),
        "C": (1, (0, 0, 0), 0),
    }
    assert sum(found.groups.values(), ErrorDetails.zero()).edits == found.total.edits
    for references, metric, says in (
        ([["pay"]], None, "a single reference that is a graph"),
        ([[graph]], lm.CER(), "aligns characters"),
    ):
        with pytest.raises(lm.UsageError, match=says):
            error_analysis(["pay"], references, metric, classes=True)


# --- The command


@pytest.fixture
def call(tmp_path):
    """An output and a transcript of Rev, with the ways to say its tags."""
    (tmp_path / "ref.nlp").write_text(HEADER + "We|1|||,|UC|['1:C']|[]\nwill|1||||LC|['1:C']|[]\ngo|2|||.|LC|[]|[]\n")
    (tmp_path / "out.nlp").write_text("token|tags\nwe'll|\nso|\n")
    (tmp_path / "out.txt").write_text("we will\ngo\n")
    (tmp_path / "norm.json").write_text(json.dumps({"1": {"candidates": [{"verbalization": ["we'll"]}]}}))
    return tmp_path


def scored(folder, output, *options):
    done = good(
        run("latticemetric", "score", folder / output, folder / "ref.nlp", "-m", "wer", "--lowercase", *options)
    )
    return done.stdout


def test_transcripts_are_scored_by_class_against_all_ways_to_say_them(call):
    plain = scored(call, "out.nlp")
    assert "%WER 100.00 [ 3 / 3, 0 ins, 1 del, 2 sub ]" in plain
    norm = ["--norm", call / "norm.json", "--group-by", "class", "--format", "json"]
    found = json.loads(scored(call, "out.nlp", *norm))
    assert [(item["group"], item["words"], item["errors"]) for item in found["details"]] == [
        (None, 2, 1),
        ("C", 1, 0),
        ("(no class)", 1, 1),
    ]
    assert "%WER 0.00 [ 0 / 3" in scored(call, "out.txt")


def test_an_output_may_be_a_ctm_with_one_channel_as_for_fstalign(call):
    (call / "out.ctm").write_text("".join(f"call 1 {k}.0 0.5 {word}\n" for k, word in enumerate(["we'll", "pay"])))
    (call / "out.txt").write_text("we'll pay\n")
    assert scored(call, "out.ctm").replace("out.ctm", "out.txt") == scored(call, "out.txt")
    with (call / "out.ctm").open("a") as file:
        file.write("call 2 9.0 0.5 no\n")
    refused = run("latticemetric", "score", call / "out.ctm", call / "ref.nlp", "--metric", "wer")
    assert_one_line_error(refused, "out.ctm: the file has 2 channels, but a reference in .nlp is one recording")


def test_norm_and_classes_need_transcripts(call):
    files = [call / "out.txt", call / "out.txt"]
    refused = run("latticemetric", "score", *files, "--norm", call / "norm.json")
    assert_one_line_error(refused, "--norm has no effect without references in .nlp")
    assert_one_line_error(run("latticemetric", "score", *files, "--group-by", "class"), "needs references with tags")
