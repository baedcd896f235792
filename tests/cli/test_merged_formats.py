"""Merged shards in every format: byte for byte what one run without shards writes."""

import json
import random
from pathlib import Path

import pytest
from kit.commands import assert_one_line_error, file, good
from kit.many_graphs import RICH, data, latticemetric

import latticemetric as lm

FORMATS = ("text", "tsv", "jsonl", "json", "ctm")
LINES_OF_RUNS = ("failed: ", "warning: ")  # what a run says of its graphs, which its shards said before

# The verb and its options; `True` if it reads references.
CASES = {
    "oracle": (True, "oracle"),
    "oracle by a rate": (True, "oracle", "--metric", "wer"),
    "oracle with alignments": (True, "oracle", "--metric", "wer,4-grr,cer", "--alignment"),
    "oracle by characters": (True, "oracle", "--metric", "cer", "-P", "cer.unicode=nfc", "--alignment"),
    "oracle with tags": (True, "oracle", "--metric", "wer", "--tags"),
    "oracle with confidences": (True, "oracle", "--metric", "wer", "--posteriors", "--fractions"),
    "oracle with margins": (True, "oracle", *RICH),
    "oracle with words that do not count": (
        (True, "oracle", "--metric", "wer", "-P", "wer.wildcard=w3 w4", "--ignore", "w1 w2", "--alignment")
    ),
    "oracle with joined words": (True, "oracle", "--metric", "compound-wer"),
    "expected": (True, "expected"),
    "expected by a rate": (True, "expected", "--metric", "wer", "--most-states", "20"),
    "sweep": (True, "sweep", "--nbest-sizes", "1,3", "--by-length", "4"),
    "best": (False, "best", "--weights", "acoustic=0.1"),
    "nbest": (False, "nbest", "-n", "3"),
    "nbest of paths": (False, "nbest", "-n", "3", "--paths"),
    "posteriors of words": (False, "posteriors"),
    "posteriors of n-grams": (False, "posteriors", "--of", "ngrams", "--order", "2", "--top", "5"),
    "posteriors of arcs": (False, "posteriors", "--of", "arcs"),
    "posteriors of graphs": (False, "posteriors", "--of", "summary"),
    "consensus": (False, "consensus"),
    "info": (False, "info"),
    "mbr by n-grams": (False, "mbr"),
    "mbr of several settings": (False, "mbr", "--word-penalty=-0.1,0,0.1"),
    "mbr that is not exact": (False, "mbr", "--order", "4", "--most-items", "1"),
    "mbr by errors": (False, "mbr", "--by", "wer"),
    "mbr by exact errors": (False, "mbr", "--by", "wer", "--risk", "exact", "--fractions"),
    "mbr by a metric": (False, "mbr", "--by", "chrf", "--samples", "20"),
}


def said(done) -> list[str]:
    """The lines about all graphs together."""
    return [line for line in done.stderr.splitlines() if not line.startswith(LINES_OF_RUNS)]


def written_shards(folder: Path, count: int, given: list) -> list[Path]:
    paths = [folder / f"{number}-of-{count}.json" for number in range(1, count + 1)]
    for number, path in enumerate(paths, start=1):
        latticemetric(*given, "--format", "json", "--shard", f"{number}/{count}", "--output", path)
    random.Random(count).shuffle(paths)
    return paths


def assert_merged_as_whole(given: list, folder: Path, counts: tuple[int, ...]) -> None:
    looks = [one for one in given if one == "--fractions"]
    shards = {count: written_shards(folder, count, given) for count in counts}
    refused = 0
    for name in FORMATS:
        whole = latticemetric(*given, "--format", name)
        for several in shards.values():
            merged = latticemetric("merge", *several, "--format", name, *looks)
            if whole.status == 2:
                refused += 1
                assert merged.status == (0 if "--alignment" in given and name == "tsv" else 2), name
            else:
                assert (merged.status, merged.stdout, said(merged)) == (0, whole.stdout, said(whole)), name
    assert refused <= 2 * len(counts)
    files = {which: folder / f"{which}.txt" for which in ("whole", "merged")}
    latticemetric(*given, "--output", files["whole"])
    latticemetric("merge", *shards[counts[-1]], "--output", files["merged"], *looks)
    assert files["merged"].read_bytes() == files["whole"].read_bytes()


@pytest.mark.parametrize("case", CASES)
def test_merged_shards_are_the_whole_run_in_every_format(case, tmp_path):
    with_references, verb, *options = CASES[case]
    if "compound-wer" in options:
        pytest.importorskip("pynini")
    archive, references = data(tmp_path, graphs=17, broken=(3, 12))
    given = [verb, archive, *([references] if with_references else []), *options, "--keep-going"]
    assert_merged_as_whole(given, tmp_path, (1, 2, 5, 20))  # of twenty shards, three are empty


VERBS = [
    ("oracle", "--metric", "wer", "--posteriors", "--alignment"),
    ("best",),
    ("consensus",),
    ("mbr", "--by", "wer"),
]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_words_with_spaces_and_odd_ids_are_merged_as_they_are(verb, tmp_path):
    texts = [["New York", "is", "far"], ["new", "york is"], ["tab\there", "\u3000"], ["far"], []]
    names = ["with a blank", "tab\tin it", "é", "line\nend", "7"]
    lists = [{"id": name, "nbest": [{"words": one or ["x"]} for one in (words, ["New", "York"])]}
             for name, words in zip(names, texts, strict=True)]  # fmt: skip
    graphs = file(tmp_path, "graphs.jsonl", "".join(f"{json.dumps(one)}\n" for one in lists))
    references = file(tmp_path, "refs", "New York\n" * len(lists))
    given = [verb[0], graphs, *([references, "--style", "plain"] if verb[0] == "oracle" else []), *verb[1:]]
    whole = good(latticemetric(*given, "--format", "jsonl")).stdout.splitlines()
    assert json.loads(whole[0]).get("words", ["New York", "is", "far"]) == ["New York", "is", "far"]
    assert_merged_as_whole(given, tmp_path, (1, 2))


@pytest.mark.parametrize("verb", ["best", "consensus", "mbr"])
@pytest.mark.parametrize("words", [("New", "York"), ("New York", "is")], ids=["words", "spaces"])
def test_ctm_of_merged_shards_has_the_times_of_the_graphs(verb, words, tmp_path):
    (tmp_path / "lattices").mkdir()
    for name in ("a", "b b", "c"):
        arcs = [f'J={k} S={k} E={k + 1} W="{word}" a=-1.5\n' for k, word in enumerate(words)]
        nodes = [f"I={k} t={0.25 * k}\n" for k in range(3)]
        file(tmp_path / "lattices", f"{name}.slf", "".join(["VERSION=1.0\nN=3 L=2\n", *nodes, *arcs]))
    given = [verb, tmp_path / "lattices", *(["--by", "wer"] if verb == "mbr" else [])]
    shards = written_shards(tmp_path, 2, given)
    whole, merged = (latticemetric(*one, "--format", "ctm") for one in (given, ["merge", *shards]))
    assert merged == whole
    assert whole.status == (2 if " " in words[0] else 0)


# --- Tables of other programs, and Python


def test_tables_of_other_programs_are_those_of_the_whole(tmp_path):
    pytest.importorskip("pyarrow")
    given = ["oracle", *data(tmp_path, graphs=9, broken=(4,)), "--keep-going"]
    shards = written_shards(tmp_path, 2, given)
    for suffix in ("parquet", "arrow", "tsv.gz", "jsonl", "txt"):
        whole, merged = tmp_path / f"whole.{suffix}", tmp_path / f"merged.{suffix}"
        latticemetric(*given, "--output", whole)
        good(latticemetric("merge", *shards, "--output", merged))
        assert merged.read_bytes() == whole.read_bytes(), suffix


@pytest.mark.parametrize("verb", ["oracle", "best", "expected", "info", "map"])
def test_merged_shards_of_python_print_and_write_as_the_whole(verb, tmp_path):
    pandas = pytest.importorskip("pandas")
    archive, references = data(tmp_path, graphs=9)
    given = (archive,) if verb in ("best", "info") else (archive, references)

    def asked(**how):
        corpus = lm.Corpus.read(*map(str, given), **how)
        return corpus.map(_sizes) if verb == "map" else getattr(corpus, verb)()

    files = [tmp_path / f"{number}.json" for number in (1, 2)]
    for number, path in enumerate(files, start=1):
        asked(shard=f"{number}/2").write(path)
    whole, merged = asked(), lm.merge(files)
    assert str(merged) == str(whole)
    assert merged.totals == whole.totals
    pandas.testing.assert_frame_equal(merged.to_pandas(), whole.to_pandas())
    for suffix in ("txt", "tsv", "jsonl", "json"):
        paths = [tmp_path / f"{which}.{suffix}" for which in ("whole", "merged")]
        whole.write(paths[0], "text" if suffix == "txt" else None)
        merged.write(paths[1])
        assert paths[0].read_bytes() == paths[1].read_bytes(), suffix


def _sizes(graph, references):
    return {"arcs": len(graph.word), "references": [str(one) for one in references]}


# --- What cannot be merged


@pytest.mark.parametrize(("options", "what"), [(("--nbest", 2, "-m", "wer"), "nbest"), ((), "metric")])
def test_text_of_tags_leaves_nothing_out_in_silence(options, what, tmp_path):
    shards = written_shards(tmp_path, 2, ["oracle", *data(tmp_path, graphs=4), "--tags", *options])
    done = latticemetric("merge", *shards, "--format", "text")
    assert_one_line_error(done, f"--format: text with tags cannot show {what}; choose json")
    good(latticemetric("merge", *shards, "--format", "tsv"))


def test_a_format_that_the_verb_lacks_is_refused(tmp_path):
    shards = written_shards(tmp_path, 2, ["oracle", *data(tmp_path, graphs=4)])
    refused = "there is no format 'ctm' here; choose one of text, tsv, json, jsonl, parquet, arrow"
    assert_one_line_error(latticemetric("merge", *shards, "--format", "ctm"), refused)
    assert_one_line_error(latticemetric("merge", *shards, "--output", tmp_path / "x.ctm"), refused)
    assert not (tmp_path / "x.ctm").exists()


@pytest.mark.parametrize("damage", ['{"id": 5}', "[]", "5", '{"id": "a"', "{}"])
@pytest.mark.parametrize("name", ["text", "tsv", "jsonl"])
def test_damaged_items_are_refused(damage, name, tmp_path):
    shards = sorted(written_shards(tmp_path, 2, ["best", data(tmp_path, graphs=6)[0]]))
    lines = shards[1].read_text().splitlines()
    shards[1].write_text("\n".join([*lines[:2], f",{damage}", *lines[3:]]) + "\n")
    done = latticemetric("merge", *shards, "--format", name)
    assert_one_line_error(done, "2-of-2.json: an item of this shard is damaged")


def test_shards_of_an_earlier_version_are_refused(tmp_path):
    shards = written_shards(tmp_path, 2, ["best", data(tmp_path, graphs=4)[0]])
    for path in shards:
        path.write_text(path.read_text().replace('"table"', '"tables"'))
    assert_one_line_error(latticemetric("merge", *shards), "an earlier version of latticemetric; run all shards again")
