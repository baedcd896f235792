"""`Corpus.sweep` answers as the command line does, from files, from memory, in shards and after an interrupt."""

import json

import pytest
from kit.commands import MEETING, good, run

import latticemetric as lm

FILES = tuple(map(str, MEETING))
SETTINGS = {"beams": [1, 4], "densities": [1, 2.5], "nbest_sizes": [1, 10], "by_length": [3, 5]}
OPTIONS = ("--beams", "1,4", "--densities", "1,2.5", "--nbest-sizes", "1,10", "--by-length", "3,5", "--metric", "wer")


def of_command(*options: str) -> tuple[str, str]:
    done = good(run("latticemetric", "sweep", *FILES, *OPTIONS, *options))
    return done.stdout, done.stderr


@pytest.mark.parametrize("resampled", [{}, {"resamples": 20, "seed": 3, "confidence": 0.9}])
def test_a_sweep_from_python_is_that_of_the_command_line(tmp_path, resampled):
    options = [part for name, value in resampled.items() for part in (f"--{name}", str(value))]
    found = lm.Corpus.read(*FILES).sweep("wer", **SETTINGS, **resampled)
    assert f"{found}\n" == "".join(of_command(*options))
    for suffix in ("tsv", "jsonl", "json"):
        found.write(tmp_path / f"sweep.{suffix}")
        assert (tmp_path / f"sweep.{suffix}").read_text() == of_command(*options, "--format", suffix)[0]
    assert found.totals == json.loads((tmp_path / "sweep.json").read_text())
    assert found.to_records() == found.totals["rows"] + found.totals["lengths"]


@pytest.mark.parametrize(
    "preparation", [{}, {"lowercase": True, "ignore": "We"}, {"weights": {"acoustic": 0.1}}, {"normalize": "english"}]
)
@pytest.mark.parametrize("metric", ["wer", lm.WER()], ids=["name", "object"])
def test_graphs_in_memory_are_swept_as_their_files_are(preparation, metric):
    references = dict(line.split(" ", 1) for line in MEETING[1].read_text().splitlines())
    in_memory = lm.Corpus(lm.read(FILES[0]), references, **preparation)
    found = lm.Corpus.read(*FILES, **preparation).sweep(metric, **SETTINGS)
    assert in_memory.sweep(metric, **SETTINGS).totals == found.totals


def test_ignored_words_are_no_errors_by_name_and_by_object():
    corpus = lm.Corpus([lm.Lattice.from_strings(["a uh b", "a b x"])], ["a b"], ignore="uh")
    for metric in ("wer", lm.WER()):
        assert [row["score"] for row in corpus.sweep(metric).totals["rows"]] == [0.0, 0.0]


def test_an_interrupted_sweep_resumes(tmp_path):
    journal = tmp_path / "sweep.journal"
    corpus = lm.Corpus.read(*FILES)
    stream = corpus.sweep("wer", **SETTINGS, resume=journal).streamed()
    first = next(stream)
    stream.close()
    assert journal.exists()
    with pytest.raises(lm.UsageError, match="journal"):
        list(corpus.sweep("wer", **{**SETTINGS, "beams": [2]}, resume=journal))
    resumed = corpus.sweep("wer", **SETTINGS, resume=journal)
    assert resumed.totals == corpus.sweep("wer", **SETTINGS).totals
    assert resumed[first.name] == first.value
    assert not journal.exists()


def test_shards_of_a_sweep_from_python_merge_on_the_command_line(tmp_path):
    whole = lm.Corpus.read(*FILES).sweep("wer", **SETTINGS, resamples=10)
    for index in (1, 2):
        shard = lm.Corpus.read(*FILES, shard=f"{index}/2").sweep("wer", **SETTINGS, resamples=10)
        shard.write(tmp_path / f"{index}.json")
    shards = [str(tmp_path / f"{index}.json") for index in (1, 2)]
    assert json.loads(good(run("latticemetric", "merge", "--format", "json", *shards)).stdout) == whole.totals


def test_a_graph_that_fails_counts_as_deleted_at_each_size():
    lattice = lm.Lattice.from_strings(["a b"])
    corpus = lm.Corpus({"one": lattice}, {"one": "a b", "two": "c d e"})
    with pytest.raises(lm.InputError, match="there is no graph named 'two'"):
        list(corpus.sweep("wer", beams=[1]))
    found = corpus.sweep("wer", beams=[1], by_length=[2], keep_going=True)
    assert [row["deletions"] for row in found.totals["rows"]] == [3, 3, 3]
    assert [one["graphs"] for one in found.totals["lengths"]] == [1, 1]
    assert (found.totals["graphs"], found.totals["failed"], len(found.failures)) == (1, 1, 1)
    with pytest.raises(lm.InputError, match="there is no graph named 'two'"):
        found["two"]


def test_the_answer_for_a_graph_has_its_oracle_at_each_size():
    lattice = lm.Lattice.from_strings(["a x c", "a b c"], costs=[1.0, 3.0])
    found = lm.Corpus({"one": lattice}, ["a b c"]).sweep("wer", beams=[1, 2])
    assert [kept.statistics.substitutions for kept in found["one"].kept] == [1, 1, 0, 0]
    assert [kept.arcs for kept in found["one"].kept] == [None, 3, 6, 6]


def test_a_sweep_without_references_says_so():
    with pytest.raises(lm.UsageError, match="the corpus has no references"):
        list(lm.Corpus([lm.Lattice.from_strings(["a"])]).sweep("wer"))
