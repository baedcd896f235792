"""`--normalize` and `latticemetric grammar`, as a user meets them."""

import math
import os

import pytest
from kit.commands import assert_one_line_error, file, good, oracle, run
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.evaluation import WordTags
from latticemetric.evaluation.word_tags.evaluation import sweep_thresholds

pynini = pytest.importorskip("pynini")

STATION = [EXAMPLES / "station.lat.txt", EXAMPLES / "station.ref.txt"]


def grammar(*arguments, **options):
    return run("latticemetric", "grammar", *arguments, **options)


def items(*arguments, **options):
    return good(oracle(*arguments, "--metric", "wer", "--format", "json", **options)).json


# --- Oracles


def test_both_sides_of_an_oracle_are_rewritten():
    plain, rewritten = items(*STATION), items(*STATION, "--normalize", "english")
    assert [item["score"] for item in plain["lattices"]] == [5 / 6, 6 / 4]
    assert [(item["score"], item["hypothesis"]) for item in rewritten["lattices"]] == [
        (0, "it's now twenty one past ten"),
        (0, "she can not organize nineteen ninety nine"),
    ]
    assert rewritten["signature"] == f"wer|refs:1|case:mixed|tok:none|norm:english|v:{lm.__version__}"


def test_an_oracle_of_rewritten_texts_is_that_of_the_rewritten_lattice():
    for (_, lattice), item, reference in zip(
        lm.read(STATION[0]), items(*STATION, "--normalize", "english")["lattices"],
        ["It is now 21 past 10.", "She cannot organize 1999!"], strict=True,
    ):  # fmt: skip
        readings = [" ".join(path.words) for path in lm.normalize_reference(reference).paths()]
        best = lm.oracle(lm.normalize(lattice), readings, "wer")
        assert (best.score, " ".join(best.words), best.cost) == (item["score"], item["hypothesis"], item["cost"])


def test_workers_rewrite_alike(tmp_path):
    lattices, references = (path.read_text(encoding="utf-8") for path in STATION)
    many = [
        file(tmp_path, name, "".join(text.replace("station-", f"s{k}-") for k in range(20)))
        for name, text in (("many.lat.txt", lattices), ("many.ref.txt", references))
    ]
    one = items(*many, "--normalize", "english", "--workers", 1)
    assert items(*many, "--normalize", "english", "--workers", 2) == one
    assert one["corpus"]["score"] == 0


def test_sentence_metrics_see_the_rewritten_words():
    found = items(*STATION, "--normalize", "english", "--also-score", "bleu")
    assert found["corpus"]["scores"]["bleu"]["oracle"]["score"] == 1
    assert "norm:english" in found["corpus"]["scores"]["bleu"]["oracle"]["signature"]


def test_words_to_ignore_are_rewritten_ones(tmp_path):
    lattice = file(tmp_path, "um.lat.txt", "um\n0 1 Um 1,1,\n1 2 yes 1,1,\n2 0,0,\n\n")
    reference = file(tmp_path, "ref.txt", "um yes\n")
    kept, ignored = (
        items(lattice, reference, "--normalize", "english", *more)["lattices"][0]
        for more in ([], ["--ignore", "%hesitation"])
    )
    assert (kept["hypothesis"], kept["score"]) == ("%hesitation yes", 1)
    assert (ignored["hypothesis"], ignored["score"]) == ("yes", 0)


def test_a_reference_that_is_too_many_texts_fails_only_where_they_are_listed(tmp_path):
    reference = file(tmp_path, "ref.txt", f"station-1 {'he is ' * 9}\nstation-2 she can not organise 1999\n")
    asked = STATION[0], reference, "--normalize", "english", "--keep-going", "--metric", "wer"
    done = oracle(*asked)
    assert done.status == 0
    assert "station-1     100.00%        9/9" in done.stdout  # the shortest reading is "he's" nine times
    done = oracle(*asked, "--also-score", "bleu")
    assert done.status == 1
    assert "more than 64 alternative strings" in done.stderr
    assert "station-2       0.00%" in done.stdout


def test_alternatives_of_a_transcript_are_rewritten_too(tmp_path):
    reference = file(
        tmp_path, "ref.trn", "{ It's / That's } now 21 past { 10 / @ } (station-1)\n(UM) She can't (station-2)\n"
    )
    first, second = items(STATION[0], reference, "--normalize", "english")["lattices"]
    assert (first["score"], first["reference"]) == (0, "it's now twenty one past ten")
    assert second["reference"] in {"she can not", "%hesitation she can not"}


# --- Scores


@pytest.fixture
def strings(tmp_path):
    return [
        file(tmp_path, "out.txt", "he is twenty one\num yes\nplain\n"),
        file(tmp_path, "ref.txt", "He's 21.\nYes!\nplain\n"),
    ]


def test_strings_are_rewritten_and_references_may_be_several(strings):
    found = good(run("latticemetric", "score", *strings, "-m", "wer", "--normalize", "english", "--format", "json"))
    (score,) = found.json["scores"]
    assert score["score"] == 1 / 6
    assert score["signature"] == f"wer|refs:var|case:mixed|tok:none|norm:english|v:{lm.__version__}"


def test_a_grammar_stands_beside_the_normalisation_of_ter(strings):
    pytest.importorskip("sacrebleu")
    asked = ["latticemetric", "score", *strings, "-m", "ter", "--normalize", "english", "--format", "json"]
    signatures = [
        good(run(*asked, "-P", f"ter.normalized={one}")).json["scores"][0]["signature"] for one in ("yes", "no")
    ]
    assert "|norm:yes+english|" in signatures[0]
    assert "|norm:no+english|" in signatures[1]


def test_what_is_explained_is_what_is_counted(strings):
    done = good(run("latticemetric", "score", *strings, "-m", "wer", "--normalize", "english", "--explain", "1"))
    assert "reference   he  is  twenty  one" in done.stdout


def test_scores_need_no_list_of_what_a_reference_may_be(tmp_path):
    said = tmp_path / "said"
    said.write_text("he is here it is fine she had know i would say\nyes\n")
    reference = tmp_path / "reference"
    reference.write_text("he's here it's fine she'd know i'd say\nyes you do\n")
    strings = (said, reference, "--normalize", "english", "--resamples", "0")
    found = good(run("latticemetric", "score", *strings, "-m", "wer,4-grr,sclite", "--format", "json")).json["scores"]
    graph = lm.normalize_reference("he's here it's fine she'd know i'd say")
    hypotheses, references = [said.read_text().splitlines()[0], "yes"], [[graph], ["yes you do"]]
    for item, metric in zip(found, (lm.WER(), lm.GRR(4), lm.Sclite()), strict=True):
        assert item["score"] == pytest.approx(metric.corpus(hypotheses, references).score)
    assert found[0]["score"] == pytest.approx(2 / 15)
    explained = good(run("latticemetric", "score", *strings, "-m", "wer", "--explain", "1")).stdout
    assert "reference   he  is  here" in explained
    done = run("latticemetric", "score", *strings, "-m", "wer,bleu")
    assert_one_line_error(
        done, "more than 64 alternative strings, .*scores by wer, wrr, N-grr and sclite, accept any number"
    )


def test_texts_that_a_rule_rejects_are_named_with_their_place(strings, tmp_path):
    from pynini.export import export

    exporter = export.Exporter(tmp_path / "my.far")
    exporter["LETTERS"] = pynini.union(*"abcdefghijklmnopqrstuvwxyz ").star
    exporter.close()
    done = run("latticemetric", "score", *strings, "--normalize", tmp_path / "my.far")
    assert_one_line_error(done, r"ref.txt, segment 1: the rule rejects 'He's', the beginning of a text")


# --- Other verbs over lattices


def test_a_sweep_is_that_of_the_rewritten_lattices():
    options = [
        "--metric",
        "wer",
        "--nbest-sizes",
        1,
        "--beams",
        1,
        "--densities",
        1.2,
        "--by-length",
        6,
        "--format",
        "json",
    ]
    found = good(run("latticemetric", "sweep", *STATION, *options, "--normalize", "english")).json
    lattices = [lm.normalize(lattice) for _, lattice in lm.read(STATION[0])]
    references = [
        [" ".join(path.words) for path in lm.normalize_reference(line).paths()]
        for line in ("It is now 21 past 10.", "She cannot organize 1999!")
    ]
    points = {"beams": [1], "densities": [1.2], "nbest_sizes": [1], "by_length": [6]}
    expected = lm.Corpus(lattices, references).sweep("wer", **points).totals
    assert found.pop("signature") == f"wer|refs:1|case:mixed|tok:none|norm:english|v:{lm.__version__}"
    del expected["signature"]
    assert found == expected
    assert found["rows"][0]["score"] != found["rows"][-1]["score"] == 0


def test_tags_are_those_of_rewritten_words():
    options = ["--metric", "wer", "--normalize", "english", "--format", "json"]
    found = good(run("latticemetric", "tags", "--from-lattices", *STATION, *options, "--thresholds", "0.3,0.6")).json
    gold, confidences = [], []
    for item in items(*STATION, "--normalize", "english", "--tags", "--posteriors")["lattices"]:
        gold.append(item["one_best"]["tags"])
        confidences += item["one_best"]["confidences"]
    expected = sweep_thresholds(WordTags.of(gold), confidences, [0.3, 0.6])
    assert found["thresholds"] == [row.asdict() for row in expected.rows]
    assert found["signature"] == f"wer|refs:1|case:mixed|tok:none|norm:english|v:{lm.__version__}"


def test_rewriting_changes_no_probability_of_a_lattice():
    for _, lattice in lm.read(STATION[0]):
        before, after = (sum(math.exp(-path.cost) for path in one.paths()) for one in (lattice, lm.normalize(lattice)))
        assert after == pytest.approx(before, rel=1e-9)


def test_files_of_tags_are_not_rewritten():
    gold = EXAMPLES / "tide.gold.tags"
    done = run("latticemetric", "tags", gold, gold, "--normalize", "english")
    assert_one_line_error(done, "--normalize: this has no effect with files of tags")


# --- The verb


def test_lines_are_shown_as_what_they_become():
    lines = b"He isn't 21\n\nuh, no\n"
    assert good(grammar("apply", "english", stdin=lines)).stdout.splitlines() == [
        "{ he is / he's } not twenty one",
        "",
        "{ %hesitation / @ } no",
    ]
    assert good(grammar("apply", "english", "--hypothesis", stdin=lines)).stdout.splitlines() == [
        "he is not twenty one",
        "",
        "%hesitation no",
    ]


def test_archives_are_built_and_can_be_taken(tmp_path):
    good(grammar("build", "english", "--output", tmp_path / "new" / "folder"))
    path = tmp_path / "new" / "folder" / "english.far"
    assert good(grammar("apply", path, stdin=b"Uh-huh, 12\n")).stdout == "uhhuh twelve\n"
    assert good(grammar("show", path)).stdout == good(grammar("show", "english")).stdout


def test_grammars_are_kept_in_the_cache_folder(tmp_path):
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    good(grammar("apply", "recognition:WRR", stdin=b"", env=environment))
    (kept,) = (tmp_path / "latticemetric" / "grammars").iterdir()
    assert kept.name.startswith(f"recognition-{lm.__version__}-")
    first = kept.stat().st_mtime_ns
    good(grammar("apply", "recognition:WRR", stdin=b"", env=environment))
    assert kept.stat().st_mtime_ns == first


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path):
    environment = {**os.environ, "XDG_CACHE_HOME": str(file(tmp_path, "no-folder", ""))}
    assert good(grammar("apply", "recognition:WRR", stdin=b"\n", env=environment)).stdout == "\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["apply", "klingon"], "there is no grammar 'klingon'; choose among english, recognition"),
        (["show", "klingon", "--source"], "there is no grammar 'klingon'"),
        (["build", "klingon"], "there is no grammar 'klingon'"),
        (["build", "recognition", "--output", "/proc/none"], "/proc/none/recognition.far: cannot be written"),
        (["apply", "english:NO"], "there is no rule 'NO' in english; its rules are"),
    ],
)
def test_the_verb_fails_in_one_line(arguments, message):
    assert_one_line_error(grammar(*arguments), message)


def test_without_pynini_one_line_says_what_to_install(tmp_path):
    file(tmp_path, "pynini.py", "raise ModuleNotFoundError\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = grammar("apply", "english", stdin=b"a\n", env=environment)
    assert_one_line_error(done, r"needs pynini \(OpenFst\), which is not installed; install pynini")
