"""`latticemetric tags`, as a user meets it, and the files it reads."""

import gzip
import json

import numpy as np
import pytest
from kit.commands import assert_one_line_error, file, good, run
from kit.paths import DATA, EXAMPLES

import latticemetric as lm
from latticemetric.evaluation.word_tags.evaluation import THRESHOLDS, TagEvaluation, sweep_thresholds
from latticemetric.evaluation.word_tags.metrics import TAG_METRICS, tag_scores
from latticemetric.evaluation.word_tags.tags import WordTags
from latticemetric.formats.word_tags import read_tags
from latticemetric.metrics.alignment import DELETION, MATCH

GOLD = ["OK BAD OK OK", "OK OK BAD BAD", "BAD OK", "OK OK OK"]
FIRST = ["OK BAD OK OK", "OK BAD BAD OK", "OK OK", "OK OK BAD"]
SECOND = ["OK OK BAD OK", "BAD OK OK OK", "OK BAD", "OK BAD OK"]


def tags(*arguments, **options):
    return run("latticemetric", "tags", *arguments, **options)


def tag_file(folder, name, lines):
    return file(folder, name, "".join(line + "\n" for line in lines))


@pytest.fixture
def files(tmp_path):
    sides = {"gold.tags": GOLD, "first.tags": FIRST, "second.tags": SECOND}
    return [tag_file(tmp_path, name, lines) for name, lines in sides.items()]


def document(*arguments, **options):
    return good(tags(*arguments, "--format", "json", **options)).json


# --- Scores


def test_scores_are_those_of_the_api(files):
    found = document(*files)
    assert list(found["systems"]) == ["first.tags", "second.tags"]
    for name, lines in (("first.tags", FIRST), ("second.tags", SECOND)):
        assert found["systems"][name] == tag_scores(WordTags.of(GOLD), WordTags.of(lines)).asdict()
    sizes = (found["segments"], found["tags"], found["bad"], found["which"], found["gaps"])
    assert sizes == (4, 13, 4, "words", False)


def test_a_table_has_a_row_a_system(files):
    done = good(tags(*files))
    header, first, second = done.stdout.splitlines()
    assert header.split() == [*(metric.label for metric in TAG_METRICS.values()), "BAD", "errors"]
    scores = tag_scores(WordTags.of(GOLD), WordTags.of(FIRST))
    assert first.split() == [
        "first.tags",
        *(f"{getattr(scores, name):.4f}" for name in TAG_METRICS),
        *("30.8", "%", "30.8", "%"),
    ]
    assert second.startswith("second.tags ")
    assert done.stderr.splitlines()[1:] == [
        f"4 segments, 13 tags of words, without gaps, 30.8 % BAD in {files[0]}",
        f"word-tags|tags:words|v:{lm.__version__}",
    ]


def test_of_words_and_gaps_words_are_taken_unless_others_are_asked_for(tmp_path):
    generator = np.random.default_rng(0)
    gold, predicted = (
        [" ".join(np.where(generator.random(n) < 0.4, "BAD", "OK")) for n in (7, 3, 9, 1)] for _ in range(2)
    )
    paths = tag_file(tmp_path, "gold", gold), tag_file(tmp_path, "pred", predicted)
    for option, places in (([], (1, 2)), (["--words"], (1, 2)), (["--gaps"], (0, 2)), (["--all"], (0, 1))):
        sides = (WordTags.of([line.split()[places[0] :: places[1]] for line in side]) for side in (gold, predicted))
        assert document(*paths, *option)["systems"]["pred"] == tag_scores(*sides).asdict()
    assert document(*paths)["gaps"] is True
    taken = document(*paths, "--layout", "words")
    assert (taken["gaps"], taken["tags"], taken["systems"]) == (False, 20, document(*paths, "--all")["systems"])


def test_what_is_undefined_is_null_and_has_a_reason(tmp_path):
    gold, good_, bad = (
        tag_file(tmp_path, name, lines) for name, lines in (("g", ["OK OK"]), ("p", ["OK OK"]), ("q", ["OK BAD"]))
    )
    found = document(gold, good_, bad)["systems"]
    assert found["p"]["f1_bad"] is None
    assert found["p"]["notes"]["f1_mult"] == "undefined: neither side has a BAD tag"
    assert (found["q"]["f1_bad"], found["q"]["f1_mult"], found["q"]["mcc"]) == (0, 0, 0)
    table = good(tags(gold, good_, bad)).stdout
    assert "nan" not in table.lower()
    assert "p: F1-BAD, F1-mult, phr-F1-BAD, phr-F1-mult undefined: neither side has a BAD tag\n" in table
    assert "q: MCC 0 by definition: the gold tags are all the same\n" in table
    assert good(tags(gold, good_, "--format", "tsv")).stdout.splitlines()[1].startswith("p\t\t1.0\t\t")


def test_tsv_and_json_lines_are_the_systems_of_the_document(files):
    found = document(*files, "--synthetic")
    items = [{"system": name, **one} for part in ("systems", "synthetic") for name, one in found[part].items()]
    lines = good(tags(*files, "--synthetic", "--format", "jsonl")).stdout.splitlines()
    assert list(map(json.loads, lines)) == items
    header, *rows = good(tags(*files, "--synthetic", "--format", "tsv")).stdout.splitlines()
    names = header.split("\t")
    for row, item in zip(rows, items, strict=True):
        fields = dict(zip(names, row.split("\t"), strict=True))
        assert [fields["system"], float(fields["seqcor"])] == [item["system"], item["seqcor"]]


def test_synthetic_labellings_are_rows_of_their_own(files):
    found = document(*files, "--synthetic", "--seed", 5)
    expected = TagEvaluation.of(WordTags.of(GOLD), {"x": WordTags.of(FIRST)}).synthetic_scores(5)
    assert found["synthetic"] == {name: one.asdict() for name, one in expected.items()}
    assert "pessimistic" in good(tags(*files, "--synthetic")).stdout


def test_comparisons_are_those_of_the_api(files):
    evaluation = TagEvaluation.of(
        WordTags.of(GOLD), {"first.tags": WordTags.of(FIRST), "second.tags": WordTags.of(SECOND)}
    )
    found = document(*files, "--compare", "--seed", 2, "--significance", 0.1)["comparison"]
    expected = evaluation.discrimination(alpha=0.1, seed=2)
    assert found == {
        "significance": 0.1,
        "seed": 2,
        "metrics": {one.metric: json.loads(json.dumps(one.asdict())) for one in expected},
    }
    text = good(tags(*files, "--compare", "--pairs-by", "mcc")).stdout
    assert "MCC: p-value of each pair" in text
    assert "all-good" in text


def test_coefficients_without_pairs_say_why(files):
    two, one = (good(tags(*files[:n], "--compare")).stdout.splitlines() for n in (3, 2))
    reason = "undefined: there are fewer than two systems"
    assert [f"d {part} {reason}" in two for part in ("top", "bottom")] == [True, True]
    assert f"d {reason}" not in two
    assert f"d {reason}" in one
    assert not any("p-value of each pair" in line for line in one)
    assert document(*files[:2], "--compare")["comparison"]["metrics"]["mcc"]["d"] is None


def test_samples_are_those_of_the_api(files):
    evaluation = TagEvaluation.of(
        WordTags.of(GOLD), {"first.tags": WordTags.of(FIRST), "second.tags": WordTags.of(SECOND)}
    )
    asked = ("--sampling", "--error-rates", "0.05,0.1,0.2", "--sample-sizes", "5,10", "--rounds", 2)
    found = document(*files, *asked)["sampling"]
    expected = evaluation.repeated_sampling(error_rates=[0.05, 0.1, 0.2], sizes=[5, 10], rounds=2)
    assert found == {"significance": 0.05, "seed": 0, **json.loads(json.dumps(expected.asdict()))}
    assert "Samples needed to detect" in good(tags(*files, *asked)).stdout


def test_a_run_repeats_itself(files):
    asked = (*files, "--compare", "--sampling", "--error-rates", "0.05,0.2", "--sample-sizes", "5,20")
    assert document(*asked) == document(*asked)


def test_files_of_one_name_are_called_by_their_paths(files, tmp_path):
    (tmp_path / "other").mkdir()
    again = tag_file(tmp_path / "other", "first.tags", SECOND)
    assert list(document(*files, again)["systems"]) == [str(files[1]), "second.tags", str(again)]
    assert_one_line_error(tags(*files, files[1]), "is given twice; name each file once")


# --- Mistakes


def test_mistakes_are_named_in_one_line(files, tmp_path):
    gold, first, second = files
    short, other, letters = (
        tag_file(tmp_path, name, lines)
        for name, lines in (("short", GOLD[:2]), ("other", [*GOLD[:3], "OK"]), ("letters", ["OK OK", "a b c"]))
    )
    for arguments, message in (
        ((gold, tmp_path / "nowhere"), "nowhere: cannot be opened"),
        ((gold, short), f"short has 2 segments and {gold} has 4"),
        ((gold, other), f"other: segment 4 has 1 tag, but in {gold} it has 3"),
        ((gold, letters), "letters:2: 'a' is not a tag; a tag is OK or BAD"),
        ((gold, file(tmp_path, "empty", "")), "the file"),
        ((gold, file(tmp_path, "blank", "\n\n")), "the file holds no tags"),
        ((gold, file(tmp_path, "header", "segment\tindex\ttag\n")), "header: the file holds no tags"),
        ((gold, first, "--gaps"), "without gaps"),
        ((gold, first, "--compare", "--format", "tsv"), "tsv cannot hold comparisons or samples, only scores"),
        (
            (gold, first, second, "--compare", "--trials", 3),
            "3 trials are too few to reach a level of 0.05 for 1 pair of systems",
        ),
        ((gold, first, "--pairs-by", "f3"), "there is no metric 'f3'"),
        ((gold, first, "--pairs-by", "f1_ok"), "--compare does not support f1_ok"),
        ((gold, first, "--sampling", "--error-rates", "0.8,0.9"), "reach error rates up to"),
        (("-", "-"), "standard input can be read only once"),
        ((gold, first, "--thresholds", "0.5"), "--thresholds: this has no effect with files of tags"),
    ):
        assert_one_line_error(tags(*arguments), message)


# --- Tables with tabs


WMT = "sys\t0\t0\tthe\tOK\nsys\t0\t1\thouse\tBAD\nsys\t1\t0\tis\tOK\n"
TYPED = "sys\tmt\t1\t0\tthe\tOK\nsys\tgap\t1\t0\tgap\tBAD\nsys\tgap\t1\t1\tgap\tOK\nsys\tmt\t2\t0\tis\tBAD\n"
DOTTED = "4.1\t0\tthe\tOK\tOK\n4.1\t1\thouse\tOther\tBAD\n1.10\t1\tit\tOK\tOK\n1.10\t0\tis\tOK\tBAD\n"
TYPED += "sys\tgap\t2\t1\tgap\tOK\nsys\tgap\t2\t0\tgap\tOK\n"


@pytest.mark.parametrize(
    ("text", "lines", "gaps"),
    [
        (WMT, ["OK BAD", "OK"], False),
        (WMT.replace("\tOK", "\t0.9\tOK").replace("\tBAD", "\t0.2\tBAD"), ["OK BAD", "OK"], False),
        (TYPED, ["BAD OK OK", "OK BAD OK"], True),
        ("segment\tindex\ttag\n1\t2\tBAD\n1\t1\tOK\n2\t1\tOK\n", ["OK BAD", "OK"], False),
        (
            "word\ttype\tindex\ttag\tsegment\na\tword\t1\tBAD\t7\n_\tgap\t0\tOK\t7\n_\tgap\t1\tOK\t7\n",
            ["OK BAD OK"],
            True,
        ),
        ("OK\tBAD\nOK\n", ["OK BAD", "OK"], None),
        (DOTTED, ["BAD OK", "OK BAD"], False),
        (DOTTED.replace("4.1", "sys\t4.1").replace("1.10", "sys\t1.10"), ["BAD OK", "OK BAD"], False),
        ("OK\nBAD\n\n\nOK\n\n", ["OK BAD", "OK"], None),  # a tag a line, and an empty line after each segment
        ("OK\n\nOK\n", ["OK", "", "OK"], None),
    ],
)
def test_tables_are_read_as_lines_are(text, lines, gaps, tmp_path):
    found = read_tags(str(file(tmp_path, "table.tsv", text)))
    assert WordTags(found.bad, found.begin).strings() == lines
    assert found.gaps is gaps


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (WMT + "sys\t1\t0\tis\tOK\n", ":4: this word or gap already has a tag, at line 3"),
        (WMT + "sys\t3\t0\tis\tOK\n", ":4: the tags before this one are missing"),
        (WMT + "sys\t2\t1\tis\tOK\n", ":4: the tags before this one are missing"),
        (WMT + "sys\t1\t2\tis\tOK\n", ":4: the tags before this one are missing"),
        (DOTTED + "2.1\t1\tis\tOK\tOK\n", ":5: the tags before this one are missing"),
        (WMT + "sys\t2\t0\tOK\n", ":4: the line has 4 fields separated by tabs"),
        (WMT + "sys\t2\t0\tis\tGOOD\n", ":4: 'GOOD' is not a tag"),
        (WMT + "sys\tx\t0\tis\tOK\n", ":4: segment 'x' or index '0' is not a number"),
        ("a\tOK\n", ":1: the line has 2 fields separated by tabs; give method"),
        ("segment\ttag\n1\tOK\n", ":1: the header has no column 'index'"),
        ("sys\tsource\t1\t0\tthe\tOK\n", ":1: tags of type 'source' are not tags of the translation"),
        ("sys\tmt\t1\t0\tthe\tOK\nsys\tgap\t1\t1\tgap\tOK\nsys\tgap\t2\t0\tgap\tOK\n", ":1: the tags before"),
    ],
)
def test_tables_with_mistakes_are_refused(text, message, tmp_path):
    with pytest.raises(lm.FormatError) as error:
        read_tags(str(file(tmp_path, "table.tsv", text)))
    assert message in str(error.value)


def test_tables_and_compressed_lines_may_be_compared(tmp_path):
    packed = tmp_path / "gold.tags.gz"
    packed.write_bytes(gzip.compress(b"BAD OK OK\nOK BAD OK\n"))
    table = file(tmp_path, "pred.tsv", TYPED)
    for option in ("--words", "--gaps", "--all"):
        assert document(packed, table, option)["systems"]["pred.tsv"]["errors"] == 0


# --- Lattices

MEETING = (EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt", "--metric", "wer", "--posterior-scale", "0.5")


def of_meeting():
    """Gold tags and confidences of the bundled lattices, one by one."""
    references = dict(line.split(maxsplit=1) for line in MEETING[1].read_text(encoding="utf-8").splitlines())
    gold, confidences = [], []
    for name, lattice in lm.read(MEETING[0]):
        path = lm.oracle(lattice, references[name], "wer").one_best
        arcs = [arc for arc in path.arcs if lattice.word[arc]]
        edits = [edit for edit, _, _ in path.alignment.steps() if edit != DELETION]
        gold.append(["OK" if edit == MATCH else "BAD" for edit in edits])
        confidences += [lm.posteriors(lattice, posterior_scale=0.5).arc[arc] for arc in arcs]
    return WordTags.of(gold), confidences


def test_thresholds_on_posteriors_are_evaluated_end_to_end(tmp_path):
    plot = tmp_path / "plot.svg"
    found = document("--from-lattices", *MEETING, "--plot", plot)
    expected = sweep_thresholds(*of_meeting(), THRESHOLDS)
    assert len(found["thresholds"]) == len(expected.rows) == 19
    for row, one in zip(found["thresholds"], expected.rows, strict=True):
        assert row == one.asdict()
    assert found["best"] == expected.best.threshold
    assert (found["lattices"], found["failed"], found["words"], found["bad"]) == (3, 0, 11, 1)
    drawn = plot.read_text(encoding="utf-8")
    assert drawn.startswith("<?xml")
    assert f"at {found['best']:g}" in drawn


def test_references_within_the_lists_are_taken():
    lists = EXAMPLES / "picnic.json"
    within = good(tags("--from-lattices", lists, "--metric", "wer", "--format", "json")).json
    assert (within["lattices"], within["words"]) == (4, 27)
    assert_one_line_error(tags("--from-lattices", MEETING[0]), "REFERENCES... is missing")
    assert_one_line_error(tags(MEETING[0]), "PRED... is missing")


def test_thresholds_are_a_table_with_a_star_at_the_best():
    done = good(tags("--from-lattices", *MEETING, "--thresholds", "0.4,0,0.5"))
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["0", "0.4", "0.5"]
    assert [" * " in line for line in lines[1:4]] == [False, True, False]
    assert lines[4] == "MCC 0 by definition: the predicted tags are all the same: at 0"
    assert "3 lattices; 11 words, 9.1 % BAD; * best F1-mult" in done.stderr
    for name in ("tsv", "jsonl"):
        written = good(tags("--from-lattices", *MEETING, "--thresholds", "0.4,0.5", "--format", name)).stdout
        assert len(written.splitlines()) == 2 + (name == "tsv")


def test_lattices_that_fail_are_left_out_and_said(tmp_path):
    few = file(tmp_path, "few.txt", MEETING[1].read_text(encoding="utf-8").splitlines()[0] + "\n")
    assert_one_line_error(tags("--from-lattices", MEETING[0], few), "meeting-002")
    done = tags("--from-lattices", MEETING[0], few, "--keep-going", "--format", "json")
    assert done.status == 1
    assert (done.json["lattices"], done.json["failed"]) == (1, 2)
    assert "failed: " in done.stderr


def test_mistakes_with_lattices_are_named_in_one_line():
    for arguments, message in (
        (("--compare",), "--compare: this has no effect with lattices"),
        (("--gaps",), "--words, --gaps, --all: this has no effect with lattices"),
        (("--plot", "x.txt"), "x.txt: the suffix is not a picture format"),
        (("--thresholds", "nan"), "--thresholds: a threshold is nan, not a finite number"),
    ):
        assert_one_line_error(tags("--from-lattices", *MEETING, *arguments), message)
    forest = (EXAMPLES / "lantern.target_graph", EXAMPLES / "lantern.ref.txt", "--weights", "Glue=1")
    assert_one_line_error(tags("--from-lattices", *forest), "this graph is a forest")


def test_tags_that_lattice_oracle_writes_are_read(tmp_path):
    gold = tmp_path / "gold.tags"
    good(run("lattice-oracle", *MEETING[:4], "--tags", "--output", gold))
    found = document(gold, gold)
    assert (found["gaps"], found["tags"], found["bad"], found["systems"]["gold.tags"]["f1_mult"]) == (True, 11, 1, 1)


# --- A campaign's data


@pytest.mark.real_data
@pytest.mark.skipif(not DATA.is_dir(), reason=f"there is no data in {DATA} (LATTICEMETRIC_DATA)")
def test_known_values_of_a_campaign():
    folder = DATA / "metrics" / "qe19" / "en-ru"
    systems = sorted((folder / "submissions").iterdir())
    every = document(folder / "test.tags", *systems, "--all")["systems"]
    assert every["UNBABEL_1_EN-RU_ENSEMBLE2.tags"]["f1_mult"] == pytest.approx(0.4780, abs=5e-5)
    assert len(every) == 4
    words = document(folder / "test.tags", folder / "test.tags", *systems, "--synthetic", "--compare")
    assert words["systems"]["test.tags"]["seqcor"] == pytest.approx(0.6613, abs=5e-5)
    assert words["synthetic"]["all-bad"]["f1_mult"] == words["synthetic"]["all-good"]["f1_mult"] == 0
    assert all(words["systems"][path.name]["f1_mult"] > 0.4 for path in systems)


def test_lines_that_begin_with_ids_are_paired_by_them(tmp_path):
    gold = file(tmp_path, "gold.tags", "utt1 OK BAD\nutt2 BAD\n\nutt3\n")
    guessed = file(tmp_path, "guessed.tags", "utt3\nutt2 OK\nutt1 OK BAD\n")
    done = run("latticemetric", "tags", gold, guessed, "--format", "json")
    assert done.json["systems"]["guessed.tags"]["mcc"] == pytest.approx(0.5)
    assert "gold.tags: lines begin with ids ('utt1', 'utt2', 'utt3'): tags are paired by them" in done.stderr
    plain = file(tmp_path, "plain.tags", "OK BAD\nBAD\n")
    for one, other in ((gold, plain), (plain, gold)):
        assert "gold.tags: lines begin with ids, but those of" in run("latticemetric", "tags", one, other).stderr
    twice = file(tmp_path, "twice.tags", "utt1 OK\nutt1 OK\n")
    assert "twice.tags:1: 'utt1' is not a tag" in run("latticemetric", "tags", gold, twice).stderr
    others = file(tmp_path, "others.tags", "utt1 OK BAD\nUTT2 OK\nutt3\n")
    assert "only here: 'UTT2'; only there: 'utt2'" in run("latticemetric", "tags", gold, others).stderr
