"""`Corpus.lists`: the oracle of the first k, asked of files, of memory and by the command line."""

import json

import pytest
from kit.commands import good, run
from kit.paths import EXAMPLES

import latticemetric as lm

PICNIC = EXAMPLES / "picnic.json"
CORRECTED = EXAMPLES / "picnic.corrected.txt"
ROWS = [{"nbest": ["a b", "a c"], "reference": "a c"}, {"nbest": ["d", "e", "d e"], "reference": "d e"}]


@pytest.mark.parametrize("suffix", ["json", "tsv", "jsonl", "txt"])
def test_files_are_those_of_the_command_line(tmp_path, suffix):
    path, other = tmp_path / f"python.{suffix}", tmp_path / f"command.{suffix}"
    corpus = lm.Corpus.read(PICNIC, normalize="english")
    corpus.lists(at=[1, 3], corrected=CORRECTED, resamples=50, seed=4).write(path)
    options = ("--at", "1,3", "--corrected", CORRECTED, "--resamples", "50", "--seed", "4", "--normalize", "english")
    kind = {"txt": "text"}.get(suffix, suffix)
    good(run("latticemetric", "lists", PICNIC, *options, "--format", kind, "--output", other))
    assert path.read_text().split("\n\n")[0] == other.read_text().split("\n\n")[0]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("reading", [{}, {"lowercase": True}, {"ignore": "a"}, {"normalize": "english"}])
def test_lists_in_blocks_in_records_and_in_memory_are_equal(tmp_path, workers, reading):
    path = tmp_path / "lists.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    lists = [lm.NBest.from_strings(row["nbest"]) for row in ROWS]
    references = [row["reference"] for row in ROWS]
    found = [
        lm.Corpus.read(path, **reading).lists(workers=workers),
        lm.Corpus.from_records(ROWS, **reading).lists(),
        lm.Corpus(lists, references, **reading).lists(),
    ]
    assert found[0] == found[1] == found[2]
    assert found[0]["wer"].oracle.numerator == 0


def test_an_object_counts_the_words_that_the_corpus_does_not_ignore():
    corpus = lm.Corpus.from_records(ROWS, ignore="d")
    by_name, by_object = corpus.lists("wer"), corpus.lists(lm.WER())
    assert by_name.one_best.numerator == by_object.one_best.numerator == 2
    assert by_name.one_best.denominator == by_object.one_best.denominator == 3


def test_texts_in_memory_are_those_of_a_file():
    texts = [line.split()[1:] for line in CORRECTED.read_text().splitlines()]
    corpus = lm.Corpus.read(PICNIC)
    assert corpus.lists(corrected=texts) == corpus.lists(corrected=CORRECTED)
    assert corpus.lists("wer", corrected=texts).totals["corrections"]["corrected"]["errors"] > 0


def test_the_result_shows_what_the_command_shows():
    shown = str(lm.Corpus.from_records(ROWS).lists())
    assert "2 lists" in shown
    assert "wer|refs:1" in shown


def test_weights_rank_lists():
    rows = [{"nbest": ["a", "b"], "score": [-1.0, -2.0], "reference": "b"}]
    assert lm.Corpus.from_records(rows).lists("wer").one_best.numerator == 1
    lists = [lm.NBest.from_strings(["a", "b"], costs=[1.0, 2.0])]
    assert lm.Corpus(lists, ["b"], weights={"cost": -1.0}).lists("wer").one_best.numerator == 0


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        (lambda c: c.lists(seed=3), "seed has no effect without resamples"),
        (lambda c: c.lists("cer", corrected=["a", "b"]), "scored by wer, which is not among the metrics"),
        (lambda c: c.lists(["wer", lm.WER()]), "metric 'wer' is given twice"),
        (lambda c: c.lists([]), "no metric is given"),
        (lambda c: c.lists()["wrr"], "there are no oracles by 'wrr'; choose one of wer, 4-grr"),
        (lambda c: c.lists(at=[0]), "the number of hypotheses is 0"),
        (lambda c: c.lists(timeout=1), "timeout has no effect"),
        (lambda c: c.lists(corrected=["a"]), "2 lists and 1 corrected"),
        (lambda c: c.lists(corrected={"1": "a", "3": "c"}), "there is no corrected text of '2'"),
        (lambda c: c.lists(kmax=3), "lists has no setting 'kmax'"),
        (lambda _: lm.Corpus([lm.NBest.from_strings(["a"])]).lists(), "has no references"),
        (lambda _: lm.Corpus.from_records(iter(ROWS), n=0), "n is 0"),
        (lambda _: lm.Corpus.from_records(str(PICNIC)), "this is a file"),
        (lambda _: lm.Corpus.read(PICNIC, shard="1/2").lists(), "needs all graphs"),
        (lambda _: lm.Corpus([lm.Lattice.from_strings(["a"])], ["a"]).lists(), "not an n-best list"),
    ],
)
def test_what_has_no_effect_or_no_answer_is_refused(ask, problem):
    with pytest.raises(lm.LatticeMetricError, match=problem):
        ask(lm.Corpus.from_records(ROWS))


def test_a_data_frame_is_a_corpus():
    pandas = pytest.importorskip("pandas")
    corpus = lm.Corpus.from_records(pandas.DataFrame(ROWS))
    assert corpus.lists() == lm.Corpus.from_records(ROWS).lists()
    assert list(corpus.lists().to_pandas()["k"]) == [1, 2, 3, 1, 2, 3]


def test_records_answer_other_questions_more_than_once():
    corpus = lm.Corpus.from_records(ROWS)
    assert corpus.best()["1"].words == ("a", "b")
    assert corpus.oracle("wer").totals["score"] == corpus.lists("wer").oracle.score == 0.0
