"""Rev's transcripts: tokens, alternatives, and the graph of their texts, against all combinations."""

import itertools
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric.errors import FormatError
from latticemetric.formats.rev import Token, nlp_reference, read_nlp, read_norm

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
        ("", "this is no .nlp file"),
        ("word|tags\n", "this is no .nlp file"),
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
        '{"1": {"candidates": [{"verbalization": ["a b"]}]}}',
    ],
)
def test_other_alternatives_are_refused(tmp_path, text):
    (tmp_path / "norm.json").write_text(text)
    with pytest.raises(FormatError, match=r"norm\.json"):
        read_norm(str(tmp_path / "norm.json"))


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
