"""Sentence marks are no words: those of a format by themselves, others by a note that names `--ignore`."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.decoding import items, run
from kit.outputs import COMMANDS
from kit.paths import DATA, EXAMPLES

import latticemetric as lm
from latticemetric.cli.verbs import VERBS
from latticemetric.corpus.outer_words import outer_words
from latticemetric.metrics.preparation import Preparation

POCKETSPHINX = DATA / "slf" / "pocketsphinx"

SLF = """VERSION=1.0
N=5 L=5
I=0 W=!SENT_START
I=1 W=the
I=2 W=a
I=3 W=cat
I=4 W=!SENT_END
J=0 S=0 E=1 a=-1
J=1 S=0 E=2 a=-2
J=2 S=1 E=3 a=-1
J=3 S=2 E=3 a=-1
J=4 S=3 E=4 a=-1
"""
MESH = "name u\nnumaligns 3\nposterior 1\nalign 0 <s> 1\nalign 1 the 0.75 a 0.25\nalign 2 </s> 1\n"
PFSG = "name u\nnodes 5 NULL <s> the </s> NULL\ninitial 0\nfinal 4\ntransitions 4\n0 1 0\n1 2 -9\n2 3 0\n3 4 0\n\n"
SPHINX = (EXAMPLES / "lighthouse.sphinx.lat").read_text()
KEPT = {
    "u.slf": (SLF, {"!SENT_START the cat !SENT_END", "!SENT_START a cat !SENT_END"}),
    "u.mesh": (MESH, {"<s> the </s>", "<s> a </s>"}),
    "u.pfsg": (PFSG, {"<s> the </s>"}),
}


def texts(graph: lm.Lattice) -> set[str]:
    return {" ".join(path.words) for path in graph.paths()}


@pytest.mark.parametrize("name", KEPT)
def test_marks_of_a_format_are_no_words_and_are_kept_on_demand(name, tmp_path):
    text, kept = KEPT[name]
    path = tmp_path / name
    path.write_text(text)
    assert texts(lm.read_one(path, keep_marks=True)) == kept
    bare = {" ".join(word for word in one.split() if word[0] not in "!<") for one in kept}
    assert texts(lm.read_one(path)) == bare
    assert {one["hypothesis"] for one in items("best", path)} <= bare
    assert {one["hypothesis"] for one in items("best", path, "--keep-marks")} <= kept


def test_sphinx_marks_silence_and_noise_are_no_words(tmp_path):
    path = tmp_path / "u.sphinx.lat"
    path.write_text(SPHINX)
    assert not any("<s>" in text for text in texts(lm.read_one(path)))
    assert all(text.startswith("<s> ") for text in texts(lm.read_one(path, keep_marks=True)))


@pytest.mark.parametrize("name", ["u.slf", "u.mesh"])
def test_marks_survive_reading_and_writing(name, tmp_path):
    source, again, twice = tmp_path / name, tmp_path / f"again-{name}", tmp_path / f"twice-{name}"
    source.write_text(KEPT[name][0])
    run("convert", source, again)
    run("convert", again, twice)
    assert texts(lm.read_one(twice, keep_marks=True)) == KEPT[name][1]
    assert texts(lm.read_one(twice)) == texts(lm.read_one(source))


def test_marks_survive_pruning_and_a_format_without_marks_drops_them(tmp_path):
    source, pruned, kaldi = tmp_path / "u.slf", tmp_path / "v.slf", tmp_path / "u.lat.txt"
    source.write_text(SLF)
    run("prune", source, pruned, "--nbest", "1")
    assert texts(lm.read_one(pruned, keep_marks=True)) == {"!SENT_START the cat !SENT_END"}
    run("convert", source, kaldi, "--to", "kaldi", "--scores-off")
    assert texts(lm.read_one(kaldi)) == {"the cat", "a cat"}


def test_the_word_penalty_counts_marks_as_the_decoder_did(tmp_path):
    path = tmp_path / "u.slf"
    path.write_text(SLF.replace("N=5", "wdpenalty=-2\nN=5"))
    again = tmp_path / "again.slf"
    run("convert", path, again)
    for one in (path, again):
        costs = {" ".join(p.words): p.cost for p in lm.read_one(one).paths()}
        assert costs == {"the cat": 3 + 8, "a cat": 4 + 8}
    assert "wdpenalty=-2" in again.read_text()


def test_a_symbol_table_without_the_marks_reads_the_lattice(tmp_path):
    path = tmp_path / "u.slf"
    path.write_text(SLF)
    table = lm.Vocabulary({1: "the", 2: "a", 3: "cat"})
    assert texts(lm.read_one(path, symbols=table)) == {"the cat", "a cat"}
    with pytest.raises(lm.InputError, match="'!SENT_END' is not in the symbol table"):
        lm.read_one(path, symbols=table, keep_marks=True)


@pytest.mark.real_data
@pytest.mark.skipif(not POCKETSPHINX.is_dir(), reason=f"there are no lattices in {POCKETSPHINX}")
@pytest.mark.parametrize(("options", "errors"), [([], 2), (["--keep-marks"], 24)])
def test_htk_lattices_have_the_errors_of_the_same_lattices_in_kaldi_s_form(options, errors):
    found = run(
        "oracle", str(POCKETSPHINX / "*.gz"), POCKETSPHINX / "refs.txt", "--metric", "wer", "--format", "json", *options
    )
    corpus = json.loads(found.stdout)["corpus"]
    assert (corpus["numerator"], corpus["denominator"]) == (errors, 96)
    assert ("--ignore '!SENT_START !SENT_END'" in found.stderr) == bool(options)


# ---- The note on marks that look like words


def framed(tmp_path, first="<s>", last="</s>", *, graphs=4):
    lattices = [
        (f"u{k}", lm.Lattice.from_strings([f"{first} w{k} {last}", f"{first} v{k} {last}"])) for k in range(graphs)
    ]
    path = tmp_path / "all.far"
    lm.write(path, lattices)
    references = tmp_path / "refs.txt"
    references.write_text("".join(f"u{k} w{k}\n" for k in range(graphs)))
    return path, references


@pytest.mark.parametrize(
    "verb", [["oracle"], ["sweep", "--nbest-sizes", "1,2"], ["expected"], ["tags", "--from-lattices"]]
)
@pytest.mark.parametrize(("first", "last"), [("<s>", "</s>"), ("bos", "eos")])
def test_words_around_all_paths_that_no_reference_has_are_said_once(verb, first, last, tmp_path):
    path, references = framed(tmp_path, first, last)
    said = run(verb[0], path, references, *verb[1:], "--metric", "wer", "--workers", "1").stderr
    assert said.count(f"--ignore '{first} {last}'") == 1
    ignored = run(
        verb[0], path, references, *verb[1:], "--metric", "wer", "--workers", "1", "--ignore", f"{first} {last}"
    )
    assert "--ignore" not in ignored.stderr


def test_words_that_a_reference_has_are_not_taken_for_marks(tmp_path):
    path, references = framed(tmp_path, "so", "then")
    references.write_text("u0 w0\nu1 w1 so\nu2 then w2\nu3 w3\n")
    assert "--ignore" not in run("oracle", path, references, "--metric", "wer", "--workers", "1").stderr


def test_a_few_graphs_do_not_make_a_word_a_mark(tmp_path):
    path, references = framed(tmp_path, "so", "then", graphs=2)
    assert "--ignore" not in run("oracle", path, references, "--metric", "wer", "--workers", "1").stderr


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=3).map(" ".join), min_size=1, max_size=5))
def test_the_outer_words_are_those_of_all_paths(strings):
    lattice = lm.Lattice.from_strings(strings)
    split = [text.split() for text in strings]

    def common(place: int) -> str | None:
        words = {words[place] if words else "" for words in split}
        return words.pop() or None if len(words) == 1 else None

    assert outer_words(lattice) == (common(0), common(-1))
    assert outer_words(lm.Forest.from_lattice(lattice)) == (common(0), common(-1))


# ---- `--ignore` on every verb that compares or prints words

IGNORING = {
    "best": [],
    "nbest": [],
    "mbr": [],
    "consensus": [],
    "posteriors": [],
}


@pytest.mark.parametrize("verb", IGNORING)
def test_ignored_words_are_not_printed(verb, tmp_path):
    path, _ = framed(tmp_path)
    plain, without = (run(verb, path, *more).stdout for more in ([], ["--ignore", "<s> </s>"]))
    assert "<s>" in plain
    assert "<s>" not in without
    assert "w0" in without or "v0" in without


def test_every_verb_that_compares_or_prints_words_has_ignore():
    printing = {name for name, about in VERBS.items() if about.section == "Graphs without references"}
    comparing = {name for name, command in COMMANDS.items() if "references" in command.reads}
    assert {"combine", "score", "correlate", "draw"} <= printing | comparing
    assert [name for name in printing | comparing if "words" not in COMMANDS[name].reads] == []


def test_ignored_words_count_neither_in_hypotheses_nor_in_references(tmp_path):
    (tmp_path / "hyp").write_text("<s> a b </s>\n<s> c </s>\n")
    (tmp_path / "ref").write_text("a b uh\nc d\n")
    command = ["score", tmp_path / "hyp", tmp_path / "ref", "--metric", "wer,bleu,chrf", "--format", "json"]
    found = json.loads(run(*command, "--ignore", "<s> </s> uh", "--resamples", "0").stdout)
    expected = lm.score(["a b", "c"], ["a b", "c d"], "wer,bleu,chrf")
    python = lm.score(["<s> a b </s>", "<s> c </s>"], ["a b uh", "c d"], "wer,bleu,chrf", ignore=["<s>", "</s>", "uh"])
    assert [one["score"] for one in found["scores"]] == [one.value for one in expected] == [one.value for one in python]
    assert all("ignore:</s>,<s>,uh" in one.signature for one in python)


@pytest.mark.parametrize(("first", "last"), [("<s>", "</s>"), ("bos", "eos")])
def test_marks_around_all_lines_are_noted(first, last, tmp_path):
    (tmp_path / "hyp").write_text("".join(f"{first} {word} {last}\n" for word in "abc"))
    (tmp_path / "ref").write_text("a\nb\nd\n")
    command = ["score", tmp_path / "hyp", tmp_path / "ref", "--metric", "wer", "--style", "plain"]
    assert f"--ignore '{first} {last}' leaves it out" in run(*command).stderr
    assert "--ignore" not in run(*command, "--ignore", f"{first} {last}").stderr
    (tmp_path / "ref").write_text(f"a\n{first} b\n{last} d\n")
    assert "--ignore" not in run(*command).stderr


@pytest.mark.parametrize("verb", [["oracle"], ["expected"], ["sweep", "--nbest-sizes", "1"]])
@pytest.mark.parametrize("option", [["--ignore", "UH"], ["-P", "wer.ignore=UH"], ["-P", "wer.wildcard=UH"]])
def test_words_to_ignore_are_lower_cased_with_the_texts(verb, option, tmp_path):
    path, references = tmp_path / "u.slf", tmp_path / "refs"
    path.write_text(SLF.replace("!SENT_START", "!NULL").replace("!SENT_END", "UH"))
    references.write_text("the cat\n")
    command = [verb[0], path, references, *verb[1:], "--metric", "wer", "--lowercase", "--workers", "1"]
    plain, with_word = (run(*command, *more, "--format", "json").stdout for more in ([], option))
    assert plain != with_word
    assert "uh" in json.loads(with_word)["signature"]


def test_the_combination_does_not_vote_on_ignored_words(tmp_path):
    for name, text in {"one": "<s> a b </s>", "two": "a b uh", "three": "uh a c"}.items():
        (tmp_path / name).write_text(f"{text}\n")
    (tmp_path / "ref").write_text("um a b\n")
    files = [tmp_path / name for name in ("one", "two", "three")]
    found = run("combine", *files, "--ignore", "<s> </s> uh um", "--reference", tmp_path / "ref", "--format", "json")
    document = json.loads(found.stdout)
    assert "a b" in found.stdout
    assert "<s>" not in json.dumps(document)
    assert '"um' not in found.stdout


@pytest.mark.parametrize(
    ("preparation", "words"),
    [
        (Preparation(tokenize="13a", ignore={"<s>", "."}), ["A", "cat", "sat"]),
        (Preparation(lowercase=True, ignore={"CAT"}), ["<s>", "a", "sat", "."]),
        (Preparation(ignore={"cat"}), ["<s>", "A", "sat", "."]),
    ],
)
def test_strings_lists_and_graphs_are_prepared_alike(preparation, words):
    text = "<s> A cat sat ."
    assert list(preparation.words(text)) == words
    assert [list(path.words) for path in preparation.graph(lm.Lattice.from_strings([text])).paths()] == [words]
