"""Errors for a wrong name say which name was meant, in every registry of names."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.decoding import run

import latticemetric as lm
from latticemetric.likeness import nearest, which_of
from latticemetric.metrics.registry import metric_names
from latticemetric.normalization.shipped import no_such_grammar


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("4grr", "4-grr"), ("grr4", "4-grr"), ("3_grr", "3-grr"), ("bleu4", "bleu"), ("w-er", "wer"), ("we", "wer"),
        ("chrf+", "chrf++"), ("blue", "bleu"), ("meteors", "meteor"), ("mixeder", "mixed-er"), ("bleusbp", "bleu-sbp"),
    ],
)  # fmt: skip
def test_an_unknown_metric_says_which_was_meant(wrong, meant):
    lattice = lm.Lattice.from_strings(["a"])
    for ask in (
        lambda: lm.make_metric(wrong),
        lambda: lm.score(["a"], ["a"], wrong),
        lambda: lm.oracle(lattice, "a", wrong),
        lambda: lm.Corpus([lattice], ["a"]).oracle(wrong),
        lambda: lm.Corpus([lattice], ["a"]).lists(wrong),
    ):
        with pytest.raises(lm.UsageError, match=re.escape(f"there is no metric '{wrong}'; did you mean '{meant}'?")):
            ask()


@pytest.mark.parametrize("name", ["WER", " wer", "4-GRR", "Bleu"])
def test_a_metric_may_be_written_in_capitals(name):
    assert lm.make_metric(name).name == name.strip().lower()


def test_a_name_that_is_like_no_other_gets_the_list():
    with pytest.raises(lm.UsageError, match="there is no metric 'xyz'; choose one of N-gcr, N-grr, bleu"):
        lm.make_metric("xyz")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda folder: lm.read(folder / "a", format="kald"), "there is no format 'kald'; did you mean 'kaldi'"),
        (
            lambda folder: lm.read(folder / "a", format="HTK_SLF"),
            "there is no format 'HTK_SLF'; did you mean 'htk-slf'",
        ),
        (lambda folder: lm.write(folder / "b", [], format="openfsttext"), "did you mean 'openfst-text'"),
        (
            lambda folder: lm.Corpus([lm.Lattice.from_strings(["a"])]).best().write(folder / "b", "json-l"),
            "mean 'jsonl'",
        ),
        (lambda _: lm.score(["a"], ["a"], "wer")["WER"], "'WER' was not scored; did you mean 'wer'"),
        (lambda _: lm.Corpus([lm.Lattice.from_strings(["a"])], ["a"]).oracle(["wer", "4-grr"])["4grr"], "'4-grr'"),
        (lambda _: lm.mbr(lm.Lattice.from_strings(["a"]), by="n-gram"), "no MBR by 'n-gram'; did you mean 'ngram'"),
        (lambda _: lm.mbr(lm.Lattice.from_strings(["a"]), by="4grr"), "no MBR by '4grr'; did you mean '4-grr'"),
        (lambda _: lm.normalize("a", "englsh"), "there is no grammar 'englsh'; did you mean 'english'"),
        (lambda _: lm.score(["a"], ["a"], "wer", tokenize="13A"), "no tokenizer '13A'; did you mean '13a'"),
        (lambda folder: lm.Corpus.read(folder / "a", style="keyd", references=folder / "a"), "did you mean 'keyed'"),
    ],
)
def test_each_registry_says_which_name_was_meant(call, message, tmp_path):
    (tmp_path / "a").write_text("u \n0 1 a 1,2,\n1\n\n")
    with pytest.raises(lm.UsageError, match=message):
        list(call(tmp_path))


def test_the_command_line_says_which_name_was_meant(tmp_path):
    (tmp_path / "a").write_text("a\n")
    for option, wrong, meant in (
        ("--metric", "4grr", "4-grr"),
        ("--tokenize", "13A", "13a"),
        ("--format", "JSON", "json"),
    ):
        done = run("score", tmp_path / "a", tmp_path / "a", option, wrong, status=2)
        assert f"did you mean {meant!r}?" in done.stderr or f"did you mean {meant}?" in done.stderr, done.stderr


def test_a_grammar_that_is_like_no_other_may_be_a_file():
    assert "or name a file" in str(no_such_grammar("xyz"))


@given(
    st.sampled_from(metric_names()), st.sampled_from(["upper", "title", "lower"]), st.sampled_from(["", "_", " ", "-"])
)
def test_case_and_hyphens_do_not_hide_a_name(name, case, hyphen):
    assert nearest(getattr(name, case)().replace("-", hyphen), metric_names()) == name


@given(st.text(max_size=8), st.lists(st.text(min_size=1, max_size=8), max_size=5))
def test_the_advice_names_known_names_only(name, known):
    meant = nearest(name, known)
    assert meant is None or meant in known
    assert which_of(name, known) == (
        f"did you mean '{meant}'?" if meant is not None else f"choose one of {', '.join(known)}"
    )
