"""`--lowercase` and `--tokenize`: every verb that compares words answers as for files that were prepared before."""

import json
import pickle
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.decoding import run
from kit.formats import forests
from kit.strategies import costs, lattices

import latticemetric as lm
from latticemetric.corpus.preparation import prepared_graph, prepared_reference
from latticemetric.formats.references import Reference
from latticemetric.lattice.columns import Labels
from latticemetric.metrics.preparation import Preparation
from latticemetric.nbest import Hypothesis

TOKENIZERS = ["none", "13a", "char"]
# Words that end in marks, and have them inside.
WORDS = ["The", "cat.", "don't", "3.5,", "A-B", "中文x", "10\u00a0000"]
preparations = st.builds(Preparation, st.booleans(), st.sampled_from(TOKENIZERS))


def paths(graph):
    return Counter((path.words, round(path.cost, 9)) for path in graph.paths())


def spelled_otherwise(lattice):
    """The same lattice with words that have capitals and marks."""
    words = lattice.vocabulary.decode(range(1, len(lattice.vocabulary) + 1))
    spelled = [WORDS[k % len(WORDS)] + "x" * (k // len(WORDS)) for k, _ in enumerate(words)]
    return replace(lattice, vocabulary=lm.Vocabulary.from_words(spelled))


@given(lattice=lattices().map(spelled_otherwise), preparation=preparations)
def test_paths_of_a_prepared_lattice_are_prepared_paths(lattice, preparation):
    plain = Counter()
    for path in lattice.paths():
        plain[preparation.words(" ".join(path.words)), round(path.cost, 9)] += 1
    assert paths(prepared_graph(lattice, preparation)) == plain


@given(forest=forests(WORDS, ["model"], costs))
def test_derivations_of_a_lower_cased_forest_are_lower_cased(forest):
    found = prepared_graph(forest, Preparation(lowercase=True))
    plain = Counter((tuple(map(str.lower, d.words)), d.cost) for d in forest.derivations())
    assert Counter((d.words, d.cost) for d in found.derivations()) == plain


def test_scores_times_and_labels_stay_with_the_first_token():
    lattice = lm.Lattice.from_arcs(
        [0, 1], [1, 2], [1, 2], final=[2], vocabulary=lm.Vocabulary.from_words(["Cat.", "x"]), times=[0.0, 1.0, 3.0],
        scores={"lm": lm.Column(np.array([0.5, 0.25]), np.array([0.125]))},
        labels={"side": Labels(np.array([1, 2]), np.array([0]), lm.Vocabulary.from_words(["p", "q"]))},
    )  # fmt: skip
    found = prepared_graph(lattice, Preparation(lowercase=True, tokenize="13a"))
    assert [path.words for path in found.paths()] == [("cat", ".", "x")]
    assert found.scores["lm"].arc.tolist() == [0.5, 0.0, 0.25]
    assert found.labels["side"].arc.tolist() == [1, 0, 2]
    assert found.times.tolist() == [0.0, 0.5, 1.0, 3.0]


def test_hypotheses_of_a_list_are_prepared_as_texts():
    nbest = lm.NBest((Hypothesis(("The", "cat."), {"lm": 1.0}), Hypothesis((), {})), {"lm": 2.0})
    found = prepared_graph(nbest, Preparation(lowercase=True, tokenize="13a"))
    assert [(h.words, dict(h.scores)) for h in found.hypotheses] == [(("the", "cat", "."), {"lm": 1.0}), ((), {})]
    assert found.weights == nbest.weights


def test_alternatives_of_a_reference_are_prepared():
    reference = Reference(("The", "cat."), "ref:1", lm.Lattice.from_strings(["The cat.", "A Cat"]))
    found = prepared_reference(reference, Preparation(lowercase=True, tokenize="13a"))
    assert (found.words, found.where) == (("the", "cat", "."), "ref:1")
    assert {path.words for path in found.graph.paths()} == {("the", "cat", "."), ("a", "cat")}


def test_what_cannot_be_prepared_is_refused():
    numbers = lm.Lattice.from_arcs([0], [1], [7], final=[1])
    with pytest.raises(lm.InputError, match="the graph has word numbers"):
        prepared_graph(numbers, Preparation(lowercase=True))
    forest = lm.Forest.from_lattice(lm.Lattice.from_strings(["a b"]))
    for name in ("intl", "zh"):
        with pytest.raises(lm.UsageError, match=f"tokenizer '{name}' needs whole texts"):
            prepared_graph(lm.Lattice.from_strings(["a"]), Preparation(tokenize=name))
    with pytest.raises(lm.UsageError, match="a forest cannot be tokenized"):
        prepared_graph(forest, Preparation(tokenize="13a"))


def test_a_preparation_is_pickled():
    preparation = Preparation(lowercase=True, tokenize="13a")
    assert pickle.loads(pickle.dumps(preparation)) == preparation
    assert pickle.loads(pickle.dumps(preparation)).words("A.") == ("a", ".")


# --- On the command line


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The same lattices, lists and references, as they are and prepared."""
    texts = {"u1": ["The cat. sat", "the Dog sat"], "u2": ["A dog, barked", "a dog Barked"]}
    expected = {"u1": "the CAT. Sat", "u2": "A Dog, barked"}
    preparation = Preparation(lowercase=True, tokenize="13a")
    made = []
    for name, write in (("plain", str), ("prepared", lambda text: " ".join(preparation.words(text)))):
        folder = tmp_path_factory.mktemp(name)
        graphs = [(u, lm.Lattice.from_strings(map(write, both), costs=[1.0, 0.5])) for u, both in texts.items()]
        lm.write(folder / "lat.txt", graphs, format="kaldi")
        lines = (json.dumps({"id": u, "nbest": [{"text": write(text)} for text in both]}) for u, both in texts.items())
        (folder / "lists.jsonl").write_text("".join(f"{line}\n" for line in lines))
        (folder / "ref.txt").write_text("".join(f"{u} {write(text)}\n" for u, text in expected.items()))
        (folder / "fixed.txt").write_text("".join(f"{u} {write(text)}\n" for u, text in expected.items()))
        made.append(folder)
    return made


VERBS = [
    ("oracle", "lat.txt", "ref.txt", "--metric", "wer"),
    ("oracle", "lat.txt", "ref.txt", "--metric", "bleu"),
    ("oracle", "lists.jsonl", "ref.txt", "--metric", "wer", "--also-score", "chrf", "--workers", "2"),
    ("expected", "lat.txt", "ref.txt"),
    ("sweep", "lat.txt", "ref.txt", "--beams", "0.1,2"),
    ("lists", "lists.jsonl", "ref.txt", "--corrected", "fixed.txt"),
    ("mbr", "lat.txt", "--by", "chrf"),
    ("mbr", "lat.txt", "--evidence", "lat.txt"),
    ("tune", "lat.txt", "ref.txt", "--decoder", "mbr", "--resamples", "0"),
]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_verbs_answer_as_for_prepared_files(verb, folders):
    def answered(folder, *options):
        given = [folder / word if word.endswith((".txt", ".jsonl")) else word for word in verb]
        return json.loads(run(*given, *options, "--format", "json").stdout, object_pairs_hook=known)

    def known(pairs):
        return {name: value for name, value in pairs if name not in ("signature", "signatures", "arcs")}

    plain, prepared = folders
    assert answered(plain, "--lowercase", "--tokenize", "13a") == answered(prepared)


def test_signatures_say_what_was_done(folders):
    done = run("expected", folders[0] / "lat.txt", folders[0] / "ref.txt", "--lowercase", "--tokenize", "13a")
    assert "|norm:lc+13a|" in done.stderr


def test_a_symbol_table_may_have_gaps():
    table = lm.Vocabulary({3: "The", 70_000: "Cat."})
    lattice = lm.Lattice.from_arcs([0, 1], [1, 2], [70_000, 3], final=[2], vocabulary=table)
    assert [path.words for path in prepared_graph(lattice, Preparation(True)).paths()] == [("cat.", "the")]
    assert [path.words for path in prepared_graph(lattice, Preparation(True, "13a")).paths()] == [("cat", ".", "the")]


def test_a_forest_keeps_its_words_unless_asked():
    forest = lm.Forest.from_lattice(lm.Lattice.from_strings(["The Cat"]))
    assert prepared_graph(forest, Preparation(tokenize="none")) == forest
    spaced = lm.Forest.from_lattice(lm.Lattice.from_strings([["10\u00a0000"]]))
    with pytest.raises(lm.UsageError, match="a forest cannot be tokenized"):
        prepared_graph(spaced, Preparation(tokenize="none"))
