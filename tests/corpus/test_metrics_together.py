"""Questions by several metrics: each graph is read once, and each metric answers as it does alone."""

import json

import pytest
from kit.commands import EXAMPLES, MEETING, assert_one_line_error
from kit.many_graphs import data, latticemetric

import latticemetric as lm

LANTERN = EXAMPLES / "lantern.target_graph", EXAMPLES / "lantern.ref.txt"
METRICS = ("wer", "4-grr", "wrr")
ASKS = {
    "sweep": lambda corpus, metric, **how: corpus.sweep(metric, nbest_sizes=[1, 3], by_length=[4], **how),
    "expected": lambda corpus, metric, **how: corpus.expected(metric, posterior_scale=0.5, **how),
    "oracle": lambda corpus, metric, **how: corpus.oracle(metric, **how),
}
VERBS = {"sweep": ("sweep", "--nbest-sizes", "1,3", "--by-length", "4", "--resamples", "9"), "expected": ("expected",)}


def corpora():
    lattice = lm.Lattice.from_strings(["a b c", "a c", "b"], costs=[1.0, 1.5, 2.0])
    return {
        "lattices": lm.Corpus.read(*MEETING),
        "forests": lm.Corpus.read(*LANTERN),
        "lists": lm.Corpus([lm.NBest.from_strings(["a b", "a c"])], ["a c"]),
        "memory": lm.Corpus({"one": lattice, "two": lattice}, {"one": "a c", "two": "b c"}),
        "empty": lm.Corpus({}, {}),
    }


@pytest.mark.parametrize("kind", ["lattices", "forests", "lists", "memory", "empty"])
@pytest.mark.parametrize("verb", ASKS)
def test_each_metric_answers_as_it_does_alone(verb, kind):
    corpus, ask = corpora()[kind], ASKS[verb]
    both = ask(corpus, "wer, 4-grr ,wrr")
    assert list(both) == list(METRICS)
    for metric, answers in both.items():
        alone = ask(corpus, metric)
        assert list(answers) == list(alone)
        assert answers.totals == alone.totals == both.totals[metric]
        assert answers.to_records() == alone.to_records()
        assert str(answers) == str(alone)
        of_metric = [record for record in both.to_records() if record["metric"] == metric]
        assert [{k: v for k, v in one.items() if k != "metric"} for one in of_metric] == alone.to_records()


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", ["text", "tsv", "json", "jsonl"])
def test_the_command_line_writes_what_python_writes_by_the_default_metrics(verb, name, tmp_path):
    ask = {
        "sweep": lambda c: c.sweep(nbest_sizes=[1, 3], by_length=[4], resamples=9),
        "expected": lambda c: c.expected(),
    }
    suffix = "txt" if name == "text" else name
    done = latticemetric(*VERBS[verb], *MEETING, "-o", tmp_path / f"cli.{suffix}", "--format", name)
    assert done.status == 0, done.stderr
    answers = ask[verb](lm.Corpus.read(*MEETING))
    assert list(answers) == ["wer", "4-grr"]
    answers.write(tmp_path / f"py.{suffix}", name)
    assert (tmp_path / f"py.{suffix}").read_bytes() == (tmp_path / f"cli.{suffix}").read_bytes()


@pytest.mark.parametrize("verb", VERBS)
def test_merged_shards_and_resumed_runs_are_the_whole_run(verb, tmp_path):
    graphs = data(tmp_path, 9, broken=(4,))
    given = (*VERBS[verb], *graphs, "--workers", "1", "--format", "json")
    whole = latticemetric(*given, "--keep-going").stdout
    assert list(json.loads(whole)["signatures"]) == ["wer", "4-grr"]
    shards = [tmp_path / f"{number}.json" for number in (1, 2)]
    for number, shard in enumerate(shards, start=1):
        latticemetric(*given, "--keep-going", "--shard", f"{number}/2", "-o", shard)
    assert latticemetric("merge", "--format", "json", *shards).stdout == whole
    output = tmp_path / "out.json"
    assert latticemetric(*given, "--resume", "-o", output).status == 2  # stops at the broken graph
    assert (tmp_path / "out.json.journal").exists()
    assert latticemetric(*given, "--keep-going", "--resume", "-o", output).status == 1
    assert output.read_text() == whole


def test_gradients_are_those_of_the_metric_that_is_asked(tmp_path):
    lattice = lm.Lattice.from_strings(["a b", "a c"], costs=[1.0, 1.0])
    corpus = lm.Corpus([lattice], ["a c"])
    both = corpus.expected("wer,wrr", gradient=True)
    for metric, answers in both.items():
        assert (answers["1"].gradient == corpus.expected(metric, gradient=True)["1"].gradient).all()
        assert answers.write_gradients(tmp_path / f"{metric}.npz") == 1


def test_what_shows_one_metric_refuses_several(tmp_path):
    gradient = latticemetric("expected", *MEETING, "--gradient", tmp_path / "g.npz")
    assert_one_line_error(gradient, "gradients are those of one metric; name one: --metric wer")
    plot = latticemetric("sweep", *MEETING, "--nbest-sizes", "1", "--plot", tmp_path / "p.svg")
    assert_one_line_error(plot, "a plot shows the sweep by one metric; name one, such as wer")
    twice = latticemetric("sweep", *MEETING, "--nbest-sizes", "1", "-m", "wer,wer")
    assert_one_line_error(twice, "wer.* twice")
    with pytest.raises(lm.UsageError, match="metric 'wer' is given twice"):
        lm.Corpus([], []).expected(["wer", lm.WER()])


def test_answers_by_a_metric_that_are_dropped_in_the_middle_leave_their_journal(tmp_path):
    (tmp_path / "lists.jsonl").write_text('{"nbest": ["a b"], "reference": "a"}\n{"nbest": ["a"], "reference": "a"}\n')
    corpus = lm.Corpus.read(tmp_path / "lists.jsonl")

    def interrupted():
        for _ in corpus.expected(["wer", "wrr"], resume=tmp_path / "journal")["wrr"]:
            return

    interrupted()
    again = corpus.expected(["wer", "wrr"], resume=tmp_path / "journal")
    assert [one.value.value for one in again["wer"]] == [1, 0]


def test_a_search_by_one_metric_says_so_when_there_are_several(tmp_path):
    corpus = lm.Corpus([lm.NBest.from_strings(["a b", "a c"])], ["a c"])
    for ask in (corpus.tags, lambda metric: corpus.draw(metric=metric, oracle=True)):
        with pytest.raises(lm.UsageError, match=r"metric: there are 2 metrics, .* by one; name one, such as 'wer'"):
            ask("wer,4-grr")
    for verb in (("tags", "--from-lattices", *MEETING), ("draw", MEETING[0], "--oracle", "-o", tmp_path / "x.svg")):
        given = latticemetric(*verb, "--metric", "wer,4-grr")
        assert_one_line_error(given, "--metric: there are 2 metrics, but this verb searches by one; name one")


def test_what_takes_one_metric_is_by_wer_by_default(tmp_path):
    corpus, ids = lm.Corpus.read(*MEETING), {"id": "meeting-001"}
    assert str(corpus.tags()) == str(corpus.tags("wer"))
    assert str(corpus.draw(**ids, oracle=True)) == str(corpus.draw(**ids, metric="wer", oracle=True))
    tags = [latticemetric("tags", "--from-lattices", *MEETING, *more) for more in ((), ("--metric", "wer"))]
    assert [one.status for one in tags] == [0, 0]
    assert tags[0] == tags[1]
    assert tags[0].stderr.splitlines()[-1].startswith("wer|")
    automata = []
    for metric in ((), ("--metric", "wer"), ("--metric", "4-grr")):
        path = tmp_path / "automaton.svg"
        done = latticemetric("draw", "--kind", "automaton", "--reference-text", "a b", "-o", path, *metric)
        assert done.status == 0, done.stderr
        automata.append(path.read_text())
    assert automata[0] == automata[1] != automata[2]
