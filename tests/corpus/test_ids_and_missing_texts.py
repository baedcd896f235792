"""Errors about texts name their id or row; ids that differ only in case or blanks are told."""

import math

import pytest
from kit.decoding import run

import latticemetric as lm
from latticemetric.likeness import Names

pd = pytest.importorskip("pandas")
IDS = ["utt1", "utt2"]
MISSING = [math.nan, None, pd.NA, pd.NaT]
NO_TEXTS = [*MISSING, 4, 4.5, b"c d", ["c", None]]


@pytest.fixture
def graphs():
    return {"utt1": lm.Lattice.from_strings(["a b"]), "utt2": lm.Lattice.from_strings(["c d"])}


@pytest.mark.parametrize("text", NO_TEXTS)
@pytest.mark.parametrize("kind", ["series", "dict", "list", "strings"])
def test_a_reference_that_is_no_text_is_named(graphs, text, kind):
    texts = {"utt1": "a b", "utt2": text}
    if kind == "strings" and (not any(text is one for one in MISSING)):
        return
    given = {
        "series": lambda: pd.Series(texts.values(), index=IDS, dtype=object),
        "dict": lambda: texts,
        "list": lambda: list(texts.values()),
        "strings": lambda: pd.Series(texts.values(), index=IDS, dtype="string"),
    }[kind]()
    with pytest.raises(lm.UsageError, match=r"^references of (graph 2|'utt2'): ") as told:
        lm.Corpus(graphs, given).oracle("wer")
    if any(text is one for one in MISSING):
        assert "the reference is missing; " in str(told.value)


@pytest.mark.parametrize("kind", ["category", "string", "string[pyarrow]", object])
def test_columns_of_texts_of_any_type_are_read(graphs, kind):
    if kind == "string[pyarrow]":
        pytest.importorskip("pyarrow")
    texts = pd.Series(["c d", "a b"], index=["utt2", "utt1"], dtype=kind)
    assert [answer.score for answer in lm.Corpus(graphs, texts).oracle("wer")] == [0, 0]
    assert lm.score(texts, {"utt1": "a b", "utt2": "c d"})["wer"].value == 0


@pytest.mark.parametrize("given", [None, math.nan, "a"])
def test_what_is_no_graph_is_named(given):
    with pytest.raises(lm.UsageError, match=r"^graph 'utt2': .* is not a lattice"):
        list(lm.Corpus({"utt1": lm.Lattice.from_strings(["a"]), "utt2": given}).best())


@pytest.mark.parametrize("other", ["UTT2", " utt2", "utt2\N{NO-BREAK SPACE}", "utt_2", "utt-2"])
def test_an_id_in_another_case_or_with_blanks_is_told(graphs, other, tmp_path):
    with pytest.raises(lm.InputError, match=r"no reference for 'utt2'; did you mean '.*'\? make the ids equal \(keep"):
        list(lm.Corpus(graphs, {"utt1": "a b", other: "c d"}).oracle("wer"))
    with pytest.raises(lm.UsageError, match=r"segment '.*' has no .*; did you mean '.*'\? make the ids equal"):
        lm.score({"utt1": "a b", "utt2": "c d"}, {"utt1": "a b", other: "c d"})
    with pytest.raises(lm.UsageError, match=r"no graph has the id '.*'; did you mean 'utt2'\?$"):
        lm.Corpus(graphs).best()[other]
    with pytest.raises(lm.InputError, match=r"there is no graph '.*'; did you mean 'utt2'\?$"):
        lm.Corpus(graphs).draw(id=other)
    if other.split() != [other]:
        return
    (tmp_path / "graphs").write_text("".join(f"{name} \n0 1 a 1,2,\n1\n\n" for name in [*IDS, "utt3"]))
    (tmp_path / "references").write_text(f"utt1 a\n{other} a\nutt3 a\n")
    for verb in ("oracle", "expected"):
        done = run(verb, tmp_path / "graphs", tmp_path / "references", "--metric", "wer", status=2)
        assert f"did you mean '{other}'? make the ids equal (--keep-going reports" in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("one", "other"), [("dir/utt2.lat", "utt2"), ("utt2", "a/b/utt2.wav"), ("x/Utt-2.lat.gz", "utt2.txt")]
)
def test_an_id_with_another_path_or_suffix_is_suggested_never_paired(one, other, tmp_path):
    (tmp_path / "graphs").write_text(f"utt1 \n0 1 a 1,2,\n1\n\n{one} \n0 1 a 1,2,\n1\n\n")
    (tmp_path / "references").write_text(f"utt1 a\n{other} a\n")
    corpus = lm.Corpus.read(tmp_path / "graphs", tmp_path / "references")
    suggested = f"did you mean '{other}'? make the ids equal"
    for ask in (corpus.oracle, corpus.expected):
        with pytest.raises(lm.InputError) as told:
            list(ask("wer"))
        assert suggested in str(told.value)
    for both in (corpus, lm.Corpus(dict(lm.read(tmp_path / "graphs")), {"utt1": "a", other: "a"})):
        answers = list(both.oracle("wer", keep_going=True))
        assert [(answer.name, answer.problem is None) for answer in answers] == [
            ("utt1", True),
            (one, False),
            (other, False),
        ]
        assert suggested in str(answers[1].problem)
    (tmp_path / "said.json").write_text(f'{{"id": "utt1", "text": "a"}}\n{{"id": "{one}", "text": "a"}}\n')
    (tmp_path / "meant.json").write_text(f'{{"id": "utt1", "text": "a"}}\n{{"id": "{other}", "text": "a"}}\n')
    said = run("score", tmp_path / "said.json", tmp_path / "meant.json", status=2).stderr
    assert f"did you mean '{one}'? make the ids equal" in said


def test_ids_that_differ_in_letters_or_numbers_are_not_suggested():
    assert Names(["utt1", "utt11", "utt"]).advice_for("utt2") is None


def test_one_of_several_ids_with_the_same_stem_is_not_suggested():
    assert Names(["a/utt1", "b/utt1"]).advice_for("c/utt1") is None
    assert Names(["a/utt1", "b/utt1"]).like("B/utt1") == "b/utt1"
    assert Names(["1.5", "1.6", ".hidden"]).advice_for("1.7") is None


@pytest.mark.parametrize("missing", [*MISSING, 3, b"c"])
def test_a_record_without_a_reference_is_named(missing):
    table = pd.DataFrame({"id": IDS, "nbest": [["a"], ["c"]], "reference": pd.Series(["a", missing], dtype=object)})
    with pytest.raises(lm.InputError, match=r"^record 2: reference is "):
        list(lm.Corpus.from_records(table).oracle("wer"))


def test_two_series_are_paired_by_their_ids_or_refused():
    hypotheses = pd.Series(["a b", "c"], index=["x", "y"])
    found = lm.score(hypotheses, pd.Series(["c", "a b"], index=["y", "x"]))["wer"]
    assert found.segments == {"y": 0, "x": 0}
    with pytest.raises(lm.UsageError, match="segment 'y' has no reference"):
        lm.score(hypotheses, pd.Series(["c", "a b"], index=["z", "x"]))
    numbered = pd.Series(["a b", "c"], index=[3, 5])
    assert lm.score(numbered, numbered)["wer"].segments == {"1": 0, "2": 0}
    for ask in (lm.score, lm.error_analysis, lm.WER().corpus, lm.BLEU().corpus):
        with pytest.raises(lm.UsageError, match="rows of hypotheses and references have different labels"):
            ask(numbered, numbered[::-1])


def test_corrected_texts_are_paired_by_their_ids():
    lists = [{"id": "utt1", "nbest": ["a"], "reference": "a"}, {"id": "utt2", "nbest": ["c"], "reference": "d"}]
    corpus = lm.Corpus.from_records(lists)
    texts = {"utt2": "d", "utt1": "a"}
    found = [corpus.lists("wer", corrected=one).corrections for one in (["a", "d"], texts, pd.Series(texts))]
    assert found[0] == found[1] == found[2]
    assert found[0].corrected == 0
    assert corpus.lists("wer", corrected=["d", "a"]).corrections.corrected == 2
    with pytest.raises(lm.UsageError, match="no corrected text of 'utt2'; did you mean 'UTT2'"):
        corpus.lists("wer", corrected={"utt1": "a", "UTT2": "d"})
    with pytest.raises(lm.UsageError, match="the corrected text of 'utt2' is missing"):
        corpus.lists("wer", corrected={"utt1": "a", "utt2": None})


@pytest.mark.parametrize("given", MISSING)
def test_a_missing_output_of_a_system_is_named(given):
    with pytest.raises(lm.UsageError, match=r"^the output of ctc: it is missing"):
        lm.combine({"ctc": given, "rnnt": "a b"})


def test_a_missing_reference_of_a_drawing_is_told(graphs):
    with pytest.raises(lm.UsageError, match="a reference is missing"):
        lm.Corpus(graphs).draw(id="utt1", oracle=True, references=[None])


NO_FILES = {
    "a series": lambda: pd.Series(["a", "b"]),
    "a missing cell": lambda: pd.Series([pd.NA, "b"]),
    "a frame": lambda: pd.DataFrame({"text": ["a"]}),
    "an array": lambda: pd.Series(["a", "b"]).to_numpy(),
    "a list with a missing text": lambda: ["a", pd.NA],
    "a list that begins with None": lambda: [None, "a"],
    "a set": lambda: {"a", "b"},
}


@pytest.mark.parametrize("given", NO_FILES.values(), ids=NO_FILES)
def test_columns_of_tables_are_not_taken_for_files(given, tmp_path):
    (tmp_path / "graphs").write_text("utt1 \n0 1 a 1,2,\n1\n\n")
    for read in (lambda: lm.Corpus.read(given()), lambda: lm.Corpus.read(tmp_path / "graphs", given())):
        with pytest.raises(
            lm.UsageError, match=r"use Corpus\(graphs, references\) for memory, or give a list of paths"
        ):
            read()


def test_a_table_is_no_list_of_graphs():
    with pytest.raises(lm.UsageError, match=r"graphs is a table; use Corpus.from_records\(table\)"):
        lm.Corpus(pd.DataFrame({"nbest": [["a"]]}), ["a"])


def test_texts_paired_by_order_beside_ids_are_noted(caplog):
    texts = pd.Series(["a b", "c"], index=["x", "y"])
    for both in ((texts, list(texts)), (list(texts), texts)):
        caplog.clear()
        assert lm.score(*both, "wer")["wer"].value == 0
        assert "the series has ids" in caplog.text
        assert "so texts are paired by order; give two series with ids, or two lists" in caplog.text
    caplog.clear()
    lm.score(texts, dict(texts), "wer")
    lm.score(list(texts), list(texts), "wer")
    assert caplog.text == ""


def test_corrected_texts_without_ids_are_paired_by_order_with_a_note(caplog):
    lists = [{"id": "utt1", "nbest": ["a"], "reference": "a"}, {"id": "utt2", "nbest": ["c"], "reference": "d"}]
    corpus = lm.Corpus.from_records(lists)
    assert corpus.lists("wer", corrected=pd.Series(["a", "d"])).corrections.corrected == 0
    assert "corrected: the labels of the series are 0, 1, 2, …, so it is paired with" in caplog.text
