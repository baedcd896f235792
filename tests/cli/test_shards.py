"""Documents of shards put together: byte for byte that of the whole, or an error that says what differs."""

import json
import random
import re
from pathlib import Path

import pytest
from kit.commands import assert_one_line_error, file, good, run
from kit.many_graphs import WORDS, data, latticemetric, oracle

POINTS = ("--beams", "0.5,1", "--densities", "1,2.5", "--nbest-sizes", "1,5", "--by-length", "3,5.5")


def shards_of(folder: Path, count: int, *arguments: object) -> list[Path]:
    """Documents of all shards, in no order."""
    paths = [folder / f"{number}.json" for number in range(1, count + 1)]
    for number, path in enumerate(paths, start=1):
        latticemetric(*arguments, "--format", "json", "--shard", f"{number}/{count}", "--output", path)
    random.Random(count).shuffle(paths)
    return paths


# --- Sweeps


@pytest.mark.parametrize("count", [1, 3, 70])
@pytest.mark.parametrize(
    "options",
    [
        ("--metric", "wer", *POINTS),
        ("--metric", "4-grr", "-P", "4-grr.alpha=0.3", "--ignore", "w1 w2", *POINTS, "--resamples", 50, "--seed", 3),
    ],
    ids=["wer", "intervals"],
)
def test_shards_of_sweeps_are_the_sweep_of_the_whole(count, options, tmp_path):
    given = ["sweep", *data(tmp_path, graphs=40, broken=(3, 30)), *options, "--keep-going"]
    whole = latticemetric(*given, "--format", "json")
    assert (whole.status, whole.json["failed"], whole.json["graphs"]) == (1, 2, 38)
    shards = shards_of(tmp_path, count, *given)
    assert good(latticemetric("merge", "--format", "json", *shards)).stdout == whole.stdout


def test_several_references_and_a_grammar_are_of_the_sweep(tmp_path):
    archive, references = data(tmp_path, graphs=20)
    other = file(tmp_path, "other", references.read_text().replace("w1 ", "w2 W3 "))
    given = ["sweep", archive, references, other, "--nbest-sizes", "1,3", "--by-length", "4", "--normalize", "english"]
    whole = good(latticemetric(*given, "--format", "json"))
    assert all("norm:english" in one for one in whole.json["signatures"].values())
    assert good(latticemetric("merge", "--format", "json", *shards_of(tmp_path, 3, *given))).stdout == whole.stdout


def test_a_merged_sweep_is_written_and_drawn_as_any_other(tmp_path):
    pytest.importorskip("matplotlib")
    given = ["sweep", *data(tmp_path, graphs=15), "--metric", "wer", *POINTS, "--resamples", 20]
    shards = shards_of(tmp_path, 2, *given)
    for name in ("text", "tsv", "jsonl"):
        plots = [tmp_path / f"{which}.svg" for which in ("whole", "merged")]
        whole = good(latticemetric(*given, "--format", name, "--plot", plots[0]))
        merged = good(latticemetric("merge", *shards, "--format", name, "--plot", plots[1]))
        assert merged == whole
        assert plots[0].read_bytes() == plots[1].read_bytes()


def test_only_sweeps_are_drawn(tmp_path):
    shards = shards_of(tmp_path, 2, "oracle", *data(tmp_path, graphs=5))
    done = latticemetric("merge", *shards, "--plot", "x.svg")
    assert_one_line_error(done, "--plot has no effect with documents of oracle")


# --- Automata


@pytest.fixture
def automata(tmp_path):
    """One that values words, and one from what is said to references; their values are no round numbers."""
    pynini = pytest.importorskip("pynini")
    table = pynini.SymbolTable()
    table.add_symbol("<eps>", 0)
    for word in WORDS:
        table.add_symbol(word)

    def written(name, pairs):
        arcs = [pynini.cross(pynini.accep(a, token_type=table), pynini.accep(b, weight=w, token_type=table))
                for a, b, w in pairs]  # fmt: skip
        machine = pynini.union(*arcs).closure().optimize()
        machine.set_input_symbols(table)
        machine.set_output_symbols(table)
        machine.write(str(tmp_path / name))
        return tmp_path / name

    values = [(word, word, -0.1 * (number % 7) - 1 / 3) for number, word in enumerate(WORDS)]
    edits = [(word, "", 0.1) for word in WORDS] + [("", word, 0.3) for word in WORDS]
    return {"own": written("own.fst", values), "edits": written("edits.fst", [*values, *edits])}


@pytest.mark.parametrize("kind", ["own", "edits"])
@pytest.mark.parametrize("count", [1, 4, 50])
def test_totals_of_an_automaton_are_those_of_the_whole(kind, count, automata, tmp_path):
    archive, references = data(tmp_path, graphs=40, broken=(3, 30))
    given = ["oracle", archive, *([references] if kind == "edits" else []), "--metric", automata[kind], "--keep-going"]
    whole = latticemetric(*given, "--format", "json")
    assert (whole.status, whole.json["corpus"]["lattices"]) == (1, 38)
    assert good(latticemetric("merge", "--format", "json", *shards_of(tmp_path, count, *given))).stdout == whole.stdout
    scores = [item["score"] for item in whole.json["lattices"] if "error" not in item]
    assert whole.json["corpus"]["score"] == pytest.approx(sum(scores))


def test_the_signature_of_an_automaton_is_that_of_no_reference(automata, tmp_path):
    archive, references = data(tmp_path, graphs=5)
    done = good(oracle(archive, references, "--metric", automata["edits"], "--format", "jsonl"))
    assert len({json.loads(line)["signature"] for line in done.stdout.splitlines()}) == 1


@pytest.mark.parametrize("count", [1, 4])
def test_totals_with_joined_words_are_those_of_the_whole(count, tmp_path):
    pytest.importorskip("pynini")
    given = ["oracle", *data(tmp_path, graphs=20, broken=(3,)), "--metric", "compound-wer", "--keep-going"]
    whole = latticemetric(*given, "--format", "json")
    assert (whole.status, whole.json["corpus"]["lattices"], whole.json["corpus"]["failed"]) == (1, 19, 1)
    assert good(latticemetric("merge", "--format", "json", *shards_of(tmp_path, count, *given))).stdout == whole.stdout


# --- What lacks the other side


@pytest.mark.parametrize("style", ["keyed", "plain"])
def test_graphs_without_references_and_references_without_graphs(style, tmp_path):
    archive, references = data(tmp_path, graphs=23)
    lines = references.read_text().splitlines()
    if style == "keyed":
        lines = [*lines[:4], *lines[5:9], *lines[10:], "v1 w1 w2", "v2 w3"]
    else:
        lines = [line.partition(" ")[2] for line in lines[:-3]]
    references.write_text("\n".join(lines) + "\n")
    for verb in (("oracle", "--worst"), ("sweep", "--nbest-sizes", "2", "--by-length", "4", "--resamples", 9)):
        given = [verb[0], archive, references, *verb[1:], "--style", style, "--keep-going"]
        whole = latticemetric(*given, "--format", "json")
        totals = whole.json.get("corpus", {}).get("wer") or whole.json
        failed = 4 if style == "keyed" else 3
        assert (whole.status, totals["failed"]) == (
            1,
            {"wer": failed, "4-grr": failed} if verb[0] == "sweep" else failed,
        )
        for count in (2, 5):
            assert (
                good(latticemetric("merge", "--format", "json", *shards_of(tmp_path, count, *given))).stdout
                == whole.stdout
            )


# --- Shards of other runs


@pytest.fixture
def other(tmp_path):
    """A first shard of two, and what makes the second of another run."""
    given = [*data(tmp_path, graphs=12), "--metric", "wer", "--format", "json"]
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    good(oracle(*given, "--shard", "1/2", "--output", first))

    def differs(*changed: object) -> str:
        good(oracle(*changed, "--format", "json", "--shard", "2/2", "--output", second))
        done = latticemetric("merge", first, second)
        assert_one_line_error(done, "first.json and .*second.json are not of the same run: they differ in .*; give all")
        found = re.search("same run: they differ in (.*);", done.stderr)
        assert found is not None
        return found[1]

    differs.given = given
    return differs


def test_what_differs_is_said(other, tmp_path):
    archive, references = other.given[:2]
    wer = ("--metric", "wer")
    assert other(archive, references, "--metric", "wrr") == "--metric"
    assert other(archive, references, *wer, "--weights", "lm=2", "--nbest", 2) == "--nbest, --weights"
    swapped = file(tmp_path, "swapped", references.read_text().replace("w1", "w2"))
    assert other(archive, swapped, *wer) == "ids or references"
    blocks = archive.read_text().split("\n\n")
    longer = file(tmp_path, "longer", "\n\n".join([*blocks[:-1], blocks[0].replace("u00000", "u00012"), ""]))
    keyed = file(tmp_path, "keyed", references.read_text() + "u00012 w1\n")
    assert other(longer, keyed, *wer) == "ids or references, the number of graphs, the sizes of the graphs' files"
    turned = file(tmp_path, "turned", "\n\n".join([blocks[1], blocks[0], *blocks[2:]]))
    assert other(turned, references, *wer) == "ids or references"
    scored = file(tmp_path, "scored", archive.read_text().replace(",", "0,", 1))
    assert other(scored, references, *wer) == "the sizes of the graphs' files"


def test_word_lists_and_tables_are_told_by_what_is_in_them(tmp_path):
    given = [*data(tmp_path, graphs=6), "--format", "json"]
    paths = [file(tmp_path, name, text) for name, text in (("a", "w1 w2\n"), ("b", "w1 w2\n"), ("c", "w1 w3\n"))]
    outputs = [tmp_path / f"{number}.json" for number in range(3)]
    for number, (words, output) in enumerate(zip(paths, outputs, strict=True)):
        shard = "1/2" if number == 0 else "2/2"
        good(oracle(*given, "--ignore", f"@{words}", "--shard", shard, "--output", output))
    assert good(latticemetric("merge", "--format", "json", *outputs[:2])).json["corpus"]["wer"]["lattices"] == 6
    assert_one_line_error(latticemetric("merge", outputs[0], outputs[2]), "same run: they differ in --ignore")


def test_a_copy_of_the_files_elsewhere_is_the_same_run(tmp_path):
    archive, references = data(tmp_path, graphs=6)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    copies = [file(folder, path.name, path.read_bytes()) for path in (archive, references)]
    outputs = [tmp_path / f"{number}.json" for number in (1, 2)]
    more = ["--format", "json", "--shard"]
    good(oracle(archive, references, "--workers", 1, *more, "1/2", "--output", outputs[0]))
    good(oracle(*copies, "--keep-going", "--timeout", 60, *more, "2/2", "--output", outputs[1]))
    assert (
        good(latticemetric("merge", "--format", "json", *outputs)).stdout
        == good(oracle(archive, references, *more[:2])).stdout
    )


def test_another_verb_or_version_is_another_run(tmp_path, monkeypatch):
    archive, references = data(tmp_path, graphs=4)
    outputs = [tmp_path / f"{number}.json" for number in (1, 2)]
    good(latticemetric("mbr", archive, "--format", "json", "--shard", "1/2", "--output", outputs[0]))
    good(latticemetric("consensus", archive, "--format", "json", "--shard", "2/2", "--output", outputs[1]))
    assert_one_line_error(latticemetric("merge", *outputs), "they differ in the command")
    good(oracle(archive, references, "--format", "json", "--shard", "1/2", "--output", outputs[0]))
    monkeypatch.setattr("latticemetric.corpus.fingerprint.VERSION", "9.9")
    good(oracle(archive, references, "--format", "json", "--shard", "2/2", "--output", outputs[1]))
    assert_one_line_error(latticemetric("merge", *outputs), "same run: they differ in the version of this program")


@pytest.mark.parametrize("damaged", ["1.json", "2.json"])
@pytest.mark.parametrize("damage", [("best", "rest"), ("swept", "slept"), ('"sums": {', '"sums": 5, "x": {')])
def test_damaged_documents_are_refused(damage, damaged, tmp_path):
    verb = ("sweep", "--nbest-sizes", "2") if damage[0] == "swept" else ("oracle",)
    shards = shards_of(tmp_path, 2, verb[0], *data(tmp_path, graphs=4), *verb[1:])
    path = tmp_path / damaged
    head, mark, sums = path.read_text().rpartition('"sums"')
    path.write_text(head + (mark + sums).replace(*damage, 1))
    assert_one_line_error(latticemetric("merge", *shards), f"{damaged}: the sums of this shard are damaged")


@pytest.mark.parametrize(
    ("metric", "message"), [("wer", "too many graphs to match"), ("wer,cer", "the last graph has 1 item in place of 2")]
)
def test_an_item_that_is_missing_is_noticed(metric, message, tmp_path):
    shards = sorted(shards_of(tmp_path, 2, "oracle", *data(tmp_path, graphs=6), "--metric", metric))
    lines = shards[0].read_text().splitlines()
    shards[0].write_text("\n".join([*lines[:2], *lines[3:]]) + "\n")
    assert_one_line_error(latticemetric("merge", *shards), message)


# --- Options that mean nothing


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--metric", "my.fst", "--on", "numerator"), "--on has no effect with an automaton"),
        (("--metric", "my.fst", "--to", "plf"), "--to has no effect with an automaton"),
        (("--metric", "my.fst", "--drop-labels"), "--drop-labels has no effect with an automaton"),
        (("--metric", "my.fst", "--sum-scores"), "--sum-scores has no effect with an automaton"),
        (("--metric", "my.fst", "--nbest", "2"), "--nbest has no effect with an automaton"),
        (("--metric", "bleu", "--on", "numerator"), "--on has no effect with BLEU"),
        (("--metric", "bleu", "--to", "plf"), "--to has no effect with BLEU"),
        (("--metric", "bleu", "--drop-labels"), "--drop-labels has no effect with BLEU"),
        (("--metric", "bleu", "--alignment"), "--alignment has no effect with BLEU"),
        (("--metric", "bleu", "--shard", "1/2"), "--shard has no effect with BLEU, which searches all graphs together"),
        (
            ("--metric", "bleu", "--timeout", "9"),
            "--timeout has no effect with BLEU, which searches all graphs together",
        ),
        (
            ("--metric", "bleu", "--max-memory", "1G"),
            "--max-memory has no effect with BLEU, which searches all graphs together",
        ),
        (("--on", "numerator"), "--on has no effect without --hope and --fear"),
        (("--worst", "--on", "rate"), "--on has no effect without --hope and --fear"),
        (("--alignment", "--format", "tsv"), "--alignment has no effect with --format tsv"),
    ],
)
def test_no_option_of_oracles_is_ignored_in_silence(arguments, message, tmp_path):
    assert_one_line_error(oracle(*data(tmp_path, graphs=2), *arguments), message)


def test_an_automaton_alone_reads_no_references(tmp_path):
    archive, _ = data(tmp_path, graphs=2)
    done = oracle(archive, "--metric", "my.fst", "--style", "keyed")
    assert_one_line_error(done, "--style has no effect without files of references")


@pytest.mark.parametrize("option", ["--seed", "--confidence"])
def test_intervals_that_are_not_asked_for_have_no_seed(option, tmp_path):
    done = latticemetric(
        "sweep", *data(tmp_path, graphs=2), "--nbest-sizes", "2", option, "0.5" if "c" in option else "5"
    )
    assert_one_line_error(done, f"{option}: this has no effect without resamples; add --resamples 1000")


@pytest.mark.parametrize("option", [("--shard", "1/2"), ("--resume",), ("--timeout", "1"), ("--failures", "f")])
def test_tuning_knows_no_limits_shards_or_journals(option, tmp_path):
    archive, references = data(tmp_path, graphs=2)
    done = run("latticemetric", "tune", archive, references, "--decoder", "mbr", *option)
    assert_one_line_error(done, f"there is no option {option[0]} here")


def test_tags_of_lattices_know_no_shards_but_the_rest(tmp_path):
    given = ["tags", "--from-lattices", *data(tmp_path, graphs=20, broken=(13,)), "--metric", "wer"]
    assert "No such option" in latticemetric(*given, "--shard", "1/2").stderr
    output, failures = tmp_path / "out", tmp_path / "failures"
    on = [*given, "--timeout", 60, "--failures", failures, "--output", output, "--resume"]
    assert_one_line_error(latticemetric(*on), r"lats\.txt:")
    assert (tmp_path / "out.journal").exists()
    assert latticemetric(*on, "--keep-going").status == 1
    assert not (tmp_path / "out.journal").exists()
    done = latticemetric(*given, "--keep-going", "--output", tmp_path / "whole")
    assert done.status == 1
    assert output.read_text() == (tmp_path / "whole").read_text()
    assert [row.split("\t")[0] for row in failures.read_text().splitlines()] == ["id", "u00013"]
    tags = file(tmp_path, "a.tags", "OK BAD\n")
    done = latticemetric("tags", tags, tags, "--resume")
    assert_one_line_error(done, "--resume: this has no effect with files of tags")


def test_shards_of_info_are_not_sorted(tmp_path):
    archive, _ = data(tmp_path, graphs=3)
    done = latticemetric("info", archive, "--sort", "arcs", "--shard", "1/2", "--format", "json")
    assert_one_line_error(done, "--sort has no effect with --shard, since merge keeps the order of the graphs")
