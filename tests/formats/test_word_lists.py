"""Sets of words, such as words to ignore, are written in the same way in Python and on the command line."""

import json

import pytest
from kit.decoding import run

import latticemetric as lm
from latticemetric.formats.word_lists import given_words
from latticemetric.oracle_search.settings import ByCorpusBLEU

HYPOTHESIS, REFERENCE = "uh the cat <sil> sat", "the cat sat"
SPELLINGS = ["uh,<sil>", "uh, <sil>", "uh <sil>", ["uh", "<sil>"], {"uh", "<sil>"}]


@pytest.fixture(params=[*SPELLINGS, "@FILE"], ids=["commas", "both", "spaces", "list", "set", "file"])
def words(request, tmp_path):
    if request.param != "@FILE":
        return request.param
    (tmp_path / "words").write_text("uh\n<sil>\n")
    return f"@{tmp_path / 'words'}"


def test_every_function_takes_the_words_to_ignore_as_the_command_line_writes_them(words, tmp_path):
    graphs, references = {"1": lm.Lattice.from_strings([HYPOTHESIS])}, {"1": REFERENCE}
    files = tmp_path / "hypotheses", tmp_path / "references"
    files[0].write_text(f"{HYPOTHESIS}\n")
    files[1].write_text(f"{REFERENCE}\n")
    lists = tmp_path / "lists.jsonl"
    lists.write_text(json.dumps({"nbest": [HYPOTHESIS], "reference": REFERENCE}))
    record = {"nbest": [HYPOTHESIS], "reference": REFERENCE}

    assert lm.score([HYPOTHESIS], [REFERENCE], ignore=words)["wer"].value == 0
    for name in ("wer", "wrr", "2-grr", "cer", "2-gcr", "mixed-er"):
        metric = lm.make_metric(name, ignore=words)
        assert metric.ignore == {"uh", "<sil>"}
        assert lm.make_metric(name, wildcard=words).wildcard == {"uh", "<sil>"}
    assert lm.make_metric("meteor", stop_words=words).stop_words == {"uh", "<sil>"}
    assert ByCorpusBLEU(ignore=words).ignore == {"uh", "<sil>"}
    for corpus in (
        lm.Corpus(graphs, references, ignore=words),
        lm.Corpus.from_records([record], ignore=words),
        lm.Corpus.read(str(lists), ignore=words),
    ):
        assert next(iter(corpus.best())).value.words == ("the", "cat", "sat")
        assert next(iter(corpus.oracle("wer"))).score == 0
    combined = lm.combine_systems([str(files[0])], str(files[1]), ignore=words)
    assert " ".join(combined.combinations.combinations[0].words) == "the cat sat"


@pytest.mark.parametrize("text", ["uh,<sil>", "uh <sil>", "uh, <sil>", "@words"])
def test_the_command_line_splits_words_to_ignore_at_commas(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hypotheses").write_text(f"{HYPOTHESIS}\n")
    (tmp_path / "references").write_text(f"{REFERENCE}\n")
    (tmp_path / "words").write_text("uh <sil>\n")
    for options in (["--ignore", text], ["-P", f"wer.ignore={text}"], ["-P", f"wer.wildcard={text}"]):
        done = run("score", "hypotheses", "references", "--metric", "wer", *options, "--format", "json")
        (score,) = json.loads(done.stdout)["scores"]
        assert score["score"] == 0, options


def test_a_list_or_a_file_may_have_words_with_commas(tmp_path):
    (tmp_path / "words").write_text("1,000 ,\n")
    assert given_words(["1,000", ","], "ignore") == given_words(f"@{tmp_path / 'words'}", "ignore") == {"1,000", ","}


def test_a_comma_between_spaces_is_a_word():
    assert given_words(", . uh,um", "ignore") == {",", ".", "uh", "um"}


def test_the_name_of_a_file_is_no_word(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words").write_text("uh\n")
    with pytest.raises(lm.UsageError, match=r"^ignore: 'words' is given as a word.*give @words$"):
        lm.score(["a"], ["a"], ignore="words")


@pytest.mark.parametrize("words", [b"uh", 3, None, {"uh": 1}, ["uh", 3]])
def test_other_types_of_words_are_refused(words):
    for call in (
        lambda: lm.make_metric("wer", ignore=words),
        lambda: lm.Corpus([lm.Lattice.from_strings(["a"])], ignore=words),
        lambda: lm.score(["a"], ["a"], ignore=words),
    ):
        with pytest.raises(lm.UsageError, match=r"ignore"):
            call()


def test_lattices_and_forests_refuse_a_string_of_words_which_would_be_a_set_of_letters():
    lattice = lm.Lattice.from_strings(["a b", "a"])
    for graph in (lattice, lm.Forest.from_lattice(lattice)):
        for call in (graph.best_path, lambda **given: graph.n_best(2, **given)):  # noqa: B023  called at once
            with pytest.raises(lm.UsageError, match="ignore is a string"):
                call(ignore="ab")
