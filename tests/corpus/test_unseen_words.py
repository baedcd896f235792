"""Words to ignore that occur nowhere are noted once a run, with any number of workers, in blocks, and by all verbs."""

import pytest
from kit.decoding import run
from kit.paths import EXAMPLES

import latticemetric as lm

MEETING = [EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt"]
BINARY = [EXAMPLES / "meeting.ark", EXAMPLES / "meeting.ref.txt", "--symbols", EXAMPLES / "meeting.words.txt"]
FOREST = [EXAMPLES / "lantern.hg", EXAMPLES / "lantern.ref.txt"]
LISTS = [EXAMPLES / "headlines.nbest", EXAMPLES / "headlines.ref.txt"]
PLF = [EXAMPLES / "proverbs.plf", EXAMPLES / "proverbs.ref.txt"]
NOTE = "of the words to ignore, 'zzz' is a word of no text"

# The command, and a word that its graphs or references have.
COMMANDS = {
    "blocks": (("oracle", *MEETING, "-m", "wer"), "thank"),
    "binary blocks": (("oracle", *BINARY, "-m", "wer,4-grr"), "thank"),
    "forests": (("oracle", *FOREST, "-m", "wer"), "<s>"),
    "characters": (("oracle", *MEETING, "-m", "cer"), "thank"),
    "corpus BLEU": (("oracle", *PLF, "-m", "bleu"), "the"),
    "lower case": (("oracle", *MEETING, "-lc"), "THANK"),
    "best": (("best", MEETING[0]), "thank"),
    "mbr": (("mbr", MEETING[0]), "thank"),
    "consensus": (("consensus", MEETING[0]), "thank"),
    "posteriors": (("posteriors", MEETING[0]), "thank"),
    "expected": (("expected", *MEETING), "thank"),
    "sweep": (("sweep", *MEETING, "--beams", "1"), "thank"),
    "lists": (("lists", *LISTS), "rain"),
}


@pytest.mark.parametrize(("command", "known"), COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_word_to_ignore_that_occurs_nowhere_is_noted_once(command, known, workers):
    done = run(*command, "--ignore", f"{known},zzz,<eps>", "--workers", workers)
    assert done.stderr.count(NOTE) == 1, done.stderr
    assert "of the words to ignore" not in run(*command, "--ignore", known, "--workers", workers).stderr


def test_scores_of_texts_note_it_too(caplog):
    letters = [EXAMPLES / "letters.new.txt", EXAMPLES / "letters.ref.txt"]
    assert run("score", *letters, "--ignore", "the,zzz").stderr.count(NOTE) == 1
    assert NOTE not in run("score", *letters, "--ignore", "the").stderr
    lm.score(["a b", "a c"], ["a b", "a d"], "wer", ignore="d zzz")
    assert caplog.messages == [f"ignore: {NOTE}"]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("ignored", [{"ignore": "a zzz"}, {"metric": lm.WER(ignore="a", wildcard="zzz")}])
def test_python_notes_it_for_graphs_in_memory(workers, ignored, caplog):
    graphs = [lm.Lattice.from_strings(["x y", "x"]) for _ in range(40)]
    references = ["x y"] * 39 + ["a x"]
    corpus = lm.Corpus(graphs, references, ignore=ignored.get("ignore", ()))
    for runs in (1, 2):
        list(corpus.oracle(ignored.get("metric", "wer"), workers=workers))
        assert caplog.messages == [f"ignore: {NOTE}"] * runs


def test_words_that_only_one_graph_of_a_worker_has_are_seen(caplog):
    graphs = [lm.Lattice.from_strings(["x y" if number != 25 else "x zzz"]) for number in range(40)]
    for corpus in (lm.Corpus(graphs, ignore="zzz"), lm.Corpus(graphs, ["x"] * 40, ignore="zzz")):
        list(corpus.best(workers=3))
        list(corpus.mbr(workers=3))
    assert caplog.messages == []


def test_other_shards_and_earlier_runs_may_have_the_word(tmp_path, caplog):
    lm.Corpus.read(MEETING[0], ignore="zzz", shard="1/2").best().write(tmp_path / "shard.jsonl")
    list(lm.Corpus.read(MEETING[0], ignore="zzz").best(resume=tmp_path / "journal"))
    assert caplog.messages == []


def test_tokens_are_not_sought_in_texts(caplog):
    graphs = [lm.Lattice.from_strings(["cat."])]
    corpus = lm.Corpus(graphs, ["cat"], tokenize="13a", ignore=["."])
    assert corpus.oracle("wer").totals["score"] == 0
    assert caplog.messages == []


@pytest.mark.parametrize("name", ["meeting.lat.txt", "meeting.ark", "meeting.far"])
def test_hypotheses_have_no_ignored_words_but_references_are_as_given(name):
    symbols = EXAMPLES / "meeting.words.txt" if name == "meeting.ark" else None
    corpus = lm.Corpus.read(EXAMPLES / name, EXAMPLES / "meeting.ref.txt", symbols=symbols, ignore="the all")
    for metric in ("wer", "2-grr", "cer"):
        for record in corpus.oracle(metric).to_records():
            assert not {"the", "all"} & {*record["hypothesis"].split(), *record["one_best"]["hypothesis"].split()}
        assert record["reference"] == "thank you all"
