"""Hostile files, names and surroundings: one clear line and exit status 2, or no harm; quickly, in little memory."""

import gzip
import json
import os
import random
import re
import resource
import shutil
import stat
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from kit.commands import MEETING, PROGRAMS, Done, assert_one_line_error, file, good, oracle, run
from kit.formats import without_id
from kit.hostile_inputs import ALL, ESCAPES, Hostile, archive, bomb, lattice
from kit.paths import EXAMPLES
from kit.patience import PATIENCE

import latticemetric as lm
from latticemetric import memory
from latticemetric.display.text import display_width
from latticemetric.errors import harmless
from latticemetric.formats import reading, writing
from latticemetric.normalization.grammar import rule_archive

MEMORY = 700 * 2**20  # the program itself takes a third of it


def spelled(argument: object, path: Path) -> str:
    """A part of a command, with the names of the files."""
    folder = path.parent
    return (
        str(argument)
        .replace("FILE", str(path))
        .replace("FOLDER", str(folder))
        .replace("NUMBERS", str(folder / "numbers.att"))
    )


@pytest.mark.parametrize("row", ALL.values(), ids=ALL)
def test_hostile_input_is_refused_in_one_line(row: Hostile, tmp_path):
    if "--metric" in row.command and row.name.endswith(".fst"):
        pytest.importorskip("pynini")
    data = row.data() if callable(row.data) else row.data
    data = spelled(data, tmp_path / row.name) if isinstance(data, str) and len(data) < 10_000 else data
    path = file(tmp_path, row.name, data)
    file(tmp_path, "numbers.att", "0 1 1 1\n1\n")
    os.mkfifo(tmp_path / "pipe")
    before = sorted(tmp_path.iterdir())
    program, *arguments = (spelled(argument, path) for argument in row.command)
    done = run(program, *arguments, most_data=MEMORY, cwd=tmp_path)
    assert_one_line_error(done, "")
    for part in row.says:
        assert part in without_id(done.stderr)
    assert len(done.stderr) < 1500
    assert done.stderr.rstrip("\n").isprintable()
    assert sorted(tmp_path.iterdir()) == before


def test_there_are_many_rows():
    assert len(ALL) >= 90


# --- Names, and limits of the system

LONG = "x" * 300


@pytest.mark.parametrize(
    "arguments",
    [
        ("latticemetric", "info", LONG),
        ("latticemetric", "info", f"{LONG}/*.lat"),
        ("lattice-oracle", MEETING[0], LONG),
        ("lattice-oracle", *MEETING, "--symbols", LONG),
        ("lattice-oracle", *MEETING, "--normalize", LONG),
        ("latticemetric", "merge", LONG),
        ("latticemetric", "score", LONG, LONG),
        ("latticemetric", "correlate", LONG),
    ],
    ids=str,
)
def test_a_name_that_is_too_long_is_blamed_itself(arguments):
    program, *rest = arguments
    assert_one_line_error(run(program, *rest), f"error: {LONG}.*: .*(File name too long|there is no such file)")


def test_a_name_that_is_too_long_is_gone_past(tmp_path):
    script = file(tmp_path, "x.scp", f"a {LONG}:5\nb {LONG}/x:5\nc none:3\n")
    done = run("latticemetric", "info", "--from", "kaldi-script", "--keep-going", script)
    assert (done.status, done.stderr.count("failed: "), done.stderr.count("\n")) == (1, 3, 3)
    assert done.stderr.count("File name too long") == 2
    done = run("latticemetric", "info", "--keep-going", f"{tmp_path}/none", script)
    assert_one_line_error(done, "there is no such file")


def limited_to(kind: int, most: int):
    return lambda: resource.setrlimit(kind, (most, most))


@pytest.mark.parametrize("files", [6, 8, 10, 12, 14])
@pytest.mark.parametrize(
    "arguments", [["info", EXAMPLES], ["info", EXAMPLES, "--keep-going"], ["mbr", "--workers", "2"]]
)
def test_too_many_open_files_are_called_so(files, arguments, tmp_path):
    # A few quick graphs are answered without workers, which need pipes.
    many = [file(tmp_path, "many.lat", "".join(lattice(f"u{k}", "w") for k in range(60)))]
    given = [*arguments, *(many if "mbr" in arguments else [])]
    done = run("latticemetric", *given, preexec_fn=limited_to(resource.RLIMIT_NOFILE, files))
    assert done.status in {1, 2}
    assert done.stderr.splitlines()[-1] == "error: Too many open files; allow more with ulimit -n"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("megabytes", [60, 100, 150, 180])
def test_too_little_memory_to_start_is_one_line(megabytes):
    done = run("latticemetric", "info", MEETING[0], preexec_fn=limited_to(resource.RLIMIT_AS, megabytes * 2**20))
    assert_one_line_error(
        done,
        f"ulimit -v allows {megabytes} MB of memory, but a run takes at least 200 MB; raise the limit with ulimit -v",
    )


def test_a_little_memory_is_enough():
    done = run("latticemetric", "info", MEETING[0], preexec_fn=limited_to(resource.RLIMIT_AS, 200 * 2**20))
    assert (done.status, "Traceback" in done.stderr) in {(0, False), (2, False)}
    assert "OpenBLAS" not in done.stderr


@pytest.mark.parametrize("size", ["10000000000G", "999999999999999T"])
def test_more_memory_than_there_is_may_be_allowed(size):
    usual = good(run("latticemetric", "info", MEETING[0])).stdout
    assert good(run("latticemetric", "info", MEETING[0], "--max-memory", size)).stdout == usual


@pytest.mark.parametrize("density", ["1e308", "1e22", "1e-320"])
def test_absurd_densities_are_densities(density):
    done = good(run("latticemetric", "sweep", *MEETING, "--densities", density, "--format", "json"))
    whole, tight = ([row["score"] for row in done.json["rows"] if row["kind"] == kind] for kind in ("whole", "density"))
    assert (tight == whole) == (density != "1e-320")


def test_a_grammar_cut_short_is_called_so(tmp_path):
    path, cut = tmp_path / "whole.far", tmp_path / "cut.far"
    lm.write(path, lm.read(EXAMPLES / "proverbs.plf"), format="far")
    whole = path.read_bytes()
    assert len(rule_archive(str(path))) > 1
    for size in range(len(whole)):
        cut.write_bytes(whole[:size])
        with pytest.raises(lm.InputError, match=r"cut short|not an archive|points outside"):
            rule_archive(str(cut))


# --- Limits


def test_a_bomb_of_small_graphs_ends(tmp_path):
    path = file(tmp_path, "bomb.gz", bomb(b"((('a',1,1),),)\n" * 2**10))
    *_, last = reading.entries([path])
    with pytest.raises(lm.InputError, match=r"of the compressed file become more than .* graphs"):
        last.build()


def test_many_small_graphs_that_pack_well_are_read(tmp_path):
    draw = random.Random(1)
    text = "".join(f"((('w{draw.randrange(50)}',-0.{draw.randrange(100)},1),),)\n" for _ in range(30_000))
    path = tmp_path / "small.plf.gz"
    path.write_bytes(gzip.compress(text.encode()))
    assert sum(entry.format != "" for entry in reading.entries([path])) == 30_000


def test_what_is_right_can_be_read_all_the_same(tmp_path):
    path = file(tmp_path, "large.fst.txt.gz", bomb(b"\n", b"0 1 a 1\n1\n", megabytes=100))
    assert_one_line_error(run("latticemetric", "info", path), "set LATTICEMETRIC_MOST_AT_ONCE")
    environment = {**os.environ, "LATTICEMETRIC_MOST_AT_ONCE": "1G"}
    assert (
        json.loads(good(run("latticemetric", "info", path, "--format", "jsonl", env=environment)).stdout)["arcs"] == 1
    )


@pytest.mark.parametrize("chosen", ["much", "-1", "0", "1_0M", "٣G"])
def test_a_limit_that_is_none(chosen):
    environment = {**os.environ, "LATTICEMETRIC_MOST_AT_ONCE": chosen}
    assert_one_line_error(
        run("latticemetric", "info", MEETING[0], env=environment), "LATTICEMETRIC_MOST_AT_ONCE: .*is not a size"
    )


def test_a_limit_is_one_of_a_graph_not_of_a_file(tmp_path):
    environment = {**os.environ, "LATTICEMETRIC_MOST_AT_ONCE": "20k"}
    line = "{} ||| a b c ||| LM= -1 ||| -1\n"
    many = file(tmp_path, "many.nbest", "".join(map(line.format, range(5000))))
    good(run("latticemetric", "info", many, env=environment))
    one = file(tmp_path, "one.nbest", line.format(0) * 5000)
    assert_one_line_error(run("latticemetric", "info", one, env=environment), "more than 20 KB would be read at once")


def test_shards_are_merged_however_large(tmp_path):
    shards = [tmp_path / f"{number}.json" for number in (1, 2)]
    for number, shard in enumerate(shards, start=1):
        good(oracle(*MEETING, "--shard", f"{number}/2", "--format", "json", "--output", shard))
    environment = {**os.environ, "LATTICEMETRIC_MOST_AT_ONCE": "3k"}
    merged = good(run("latticemetric", "merge", "--format", "json", *shards, env=environment)).stdout
    assert merged == good(oracle(*MEETING, "--format", "json")).stdout


def test_archives_end_where_they_end(tmp_path):
    whole = archive(("a.lat", lattice("a").encode()), ("b.lat", lattice("b").encode()))
    path = file(tmp_path, "x.tar", whole + bytes(10_240))
    assert [name for name, _ in lm.read(path)] == ["a", "b"]
    path.write_bytes(whole[:1536])
    with pytest.raises(lm.InputError, match="cut short"):
        list(lm.read(path))


@pytest.mark.parametrize(("limit", "size"), [("1048576\n", 2**20), ("max\n", None), ("", None)])
def test_memory_of_a_job_is_no_more_than_it_may_have(limit, size, tmp_path, monkeypatch):
    job = tmp_path / "jobs" / "one"
    job.mkdir(parents=True)
    file(job, "memory.max", limit)
    monkeypatch.setattr(memory, "_GROUPS", tmp_path)
    groups = file(tmp_path, "cgroup", "0::/jobs/one\n")
    assert [limit for limit, _ in memory._group_limits(groups)] == ([] if size is None else [size])


@pytest.mark.parametrize("value", ["500M", "2g", "3GB", "8 GB", "1.5 GB", "12 B", " 7 "])
def test_sizes(value):
    unit = {"M": 2**20, "G": 2**30}.get(re.sub("[^MG]", "", value.upper()), 1)
    assert memory.parse_size(value) == float(re.sub("[^0-9.]", "", value)) * unit


@pytest.mark.parametrize("value", ["", "G", "8  GB", "1.G", ".5G", "-1G", "5 GiBs"])
def test_what_is_no_size(value):
    assert memory.parse_size(value) is None


def test_not_enough_memory_is_a_graph_that_failed(tmp_path):
    nodes = "".join(f"2\n[{k}] [{k}] ||| LM=1 ||| 2\n[{k}] b ||| LM=1 ||| 2\n" for k in range(39))
    graph = file(tmp_path, "wide.hg", f"# target ||| features ||| source-covered\n40 79\n1\na ||| LM=1 ||| 1\n{nodes}")
    references = file(tmp_path, "ref", "a b b\n")
    arguments = [graph, references, "--metric", "wer", "--keep-going"]
    done = oracle(*arguments, most_data=MEMORY)
    assert (done.status, "Traceback" in done.stderr, "failed: " in done.stderr) == (1, False, True)


def test_paths_are_counted_as_far_as_that_can_be_done(tmp_path):
    for states, paths in ((3000, 2**3000), (200_000, None)):
        arcs = "".join(f"{k} {k + 1} a\n{k} {k + 1} b\n" for k in range(states))
        path = file(tmp_path, "x.fst.txt", f"{arcs}{states}\n")
        assert lm.read_one(path).statistics().paths == paths
    assert good(run("latticemetric", "info", path, "--format", "tsv", most_data=MEMORY)).stdout.split("\t")[-10] == ""


def test_derivations_that_double_twice_are_counted_as_far_as_that_can_be_done(tmp_path):
    nodes = "".join(f"1\n[{k}] [{k}] ||| LM=0 ||| 2\n" for k in range(999))
    header = "# target ||| features ||| source-covered\n1000 1000\n1\na ||| LM=0 ||| 1\n"
    path = file(tmp_path, "x.hg", header + nodes)
    sizes = lm.read_one(path).statistics()
    assert (sizes.derivations, sizes.longest, sizes.shortest, sizes.height) == (1, None, None, 1000)
    path.write_text(
        (header + nodes)
        .replace("1000 1000", "1000 1001")
        .replace("1\na ||| LM=0 ||| 1\n", "2\na ||| LM=0 ||| 1\nb ||| LM=0 ||| 1\n")
    )
    assert lm.read_one(path).statistics().derivations is None


# --- Ids that name files


@pytest.mark.parametrize(
    "name",
    ["../../up", "/abs", "a/b", ".", "..", "a\0b", "x" * 300, "x" * 253, "a\x1b[2Jb", ".hidden", "a\nb", "a\x9bb"],
    ids=repr,
)
@pytest.mark.parametrize("verb", ["convert", "oracle"])
def test_no_id_leads_out_of_its_folder(name, verb, tmp_path):
    inside = tmp_path / "in" / "side"
    inside.mkdir(parents=True)
    graphs = file(inside, "graphs.jsonl", json.dumps({"id": name, "hypotheses": [{"text": "a"}]}) + "\n")
    before = {path for path in tmp_path.rglob("*") if path.is_file()} | {file(inside, "ref", "a\n")}
    if verb == "convert":
        done = run("latticemetric", "convert", graphs, "out/", "--to", "moses-nbest", cwd=inside)
    else:
        done = oracle(
            graphs, "ref", "-m", "wer", "--write-lattices", "out/", "--to", "kaldi", "--style", "plain", cwd=inside
        )
    assert_one_line_error(done, "cannot name a file|File name too long")
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == before


def test_ids_that_name_the_same_file_are_refused(tmp_path, monkeypatch):
    # As on disks to which A and a are the same: the second file is there when the first is written.
    monkeypatch.setattr(writing, "_file_number", lambda _path: (0, 0))
    file(tmp_path, "B.fst.txt", "")
    graph = lm.Lattice.from_strings(["a"])
    with pytest.raises(lm.UsageError, match="'B' and another id give the same file name"):
        lm.write(f"{tmp_path}/", [("b", graph), ("B", graph)], format="openfst-text")


def test_a_name_in_other_bytes_is_kept_or_refused(tmp_path):
    path = tmp_path / os.fsdecode(b"odd\xff.fst.txt")
    path.write_bytes(b"0 1 a 1\n1\n")
    good(run("latticemetric", "convert", path, tmp_path / "out.jsonl", "--to", "openfst"))
    good(run("latticemetric", "convert", path, f"{tmp_path}/out/", "--to", "openfst"))
    assert [os.fsencode(path.name) for path in (tmp_path / "out").iterdir()] == [b"odd\xff.fst"]
    for target in ("x.far", "x.slf"):
        assert_one_line_error(run("latticemetric", "convert", path, tmp_path / target), "odd.udcff.*not UTF-8.*rename")
    assert json.loads(good(run("latticemetric", "info", path, "--format", "jsonl")).stdout)["id"] == "odd\udcff"


# --- Terminals


@pytest.mark.parametrize(
    "arguments",
    [
        ("lattice-oracle", "LAT", "REF", "--metric", "wer", "--alignment", "--nbest", "1", "--hope", "1"),
        ("lattice-oracle", "LAT", "REF", "--metric", "bleu"),
        ("latticemetric", "info", "LAT"),
        ("latticemetric", "mbr", "LAT"),
        ("latticemetric", "consensus", "LAT"),
        ("latticemetric", "posteriors", "LAT"),
        ("latticemetric", "sweep", "LAT", "REF"),
        ("latticemetric", "score", "REF", "REF"),
        ("latticemetric", "convert", "LAT", "out.far"),
        ("latticemetric", "convert", "LAT", f"out{ESCAPES}.lat"),
        ("latticemetric", "info", f"none{ESCAPES}"),
        ("latticemetric", "info", "LAT", "--from", ESCAPES),
        ("latticemetric", ESCAPES),
        ("latticemetric", "info", f"--{ESCAPES}"),
        ("lattice-oracle", "LAT", "REF", "--weights", ESCAPES),
        ("lattice-oracle", "LAT", "REF", "--metric", ESCAPES),
        ("lattice-oracle", "LAT", "REF", "--output", f"none{ESCAPES}/x"),
        ("lattice-oracle", "BAD", "REF", "--keep-going"),
        ("latticemetric", "grammar", "apply", ESCAPES),
    ],
    ids=lambda arguments: ascii(" ".join(arguments))[:60],
)
def test_nothing_moves_a_cursor(arguments, tmp_path):
    names = {
        "LAT": file(tmp_path, "LAT", lattice(f"i{ESCAPES}", f"w{ESCAPES}")),
        "BAD": file(tmp_path, f"B{ESCAPES}", lattice(f"i{ESCAPES}").replace("1,2", f"x{ESCAPES},2")),
        "REF": file(tmp_path, "REF", f"i{ESCAPES} w{ESCAPES}\n"),
    }
    # A terminal is where click leaves escapes in what is said; a file is where it takes most of them out.
    program, *rest = [names.get(argument, argument) for argument in arguments]
    out, err = on_a_terminal(program, *rest, cwd=tmp_path)
    assert out or err
    for line in (out + err).replace("\r\n", "\n").split("\n"):
        assert line.replace("\t", "").isprintable(), line


def on_a_terminal(program: str, *arguments: object, cwd: Path) -> tuple[str, str]:
    """Return the output of a command whose two outputs are terminals."""
    code = """if True:
        import sys
        import latticemetric.cli.main as main

        sys.stdout.isatty = sys.stderr.isatty = lambda: True
        sys.argv = sys.argv[1:]
        main.lattice_oracle() if sys.argv[0] == "lattice-oracle" else main.latticemetric()
    """
    environment = {**os.environ, "TQDM_DISABLE": "1"}
    command = [sys.executable, "-P", "-c", code, program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False, cwd=cwd, env=environment)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


def test_what_is_harmless_stays():
    for word in ("می\u200cخواهم", "日本", "👩\u200d👧", "e\u0301", "★"):
        assert harmless(word) == word
    assert harmless("\udcff\u202e\x9b\0\ufeff") == r"\udcff\u202e\x9b\x00\ufeff"


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("abc", 3),
        ("日本", 4),
        ("e\u0301", 1),
        ("می\u200cخواهم", 7),
        ("हिन्दी", 5),
        ("♥\ufe0f", 1),
        ("👩", 2),
        ("\u20dd", 0),
    ],
)
def test_columns_are_as_wide_as_they_look(text, width):
    assert display_width(text) == width


# --- Words that are ours, and Unicode forms


@pytest.mark.parametrize("word", ["★", "!NULL", "#0", "<s>", "*", "*DELETE*", "|||", "(", "-", "\\epsilon", "{}"])
@pytest.mark.parametrize("engine", ["native", "openfst"])
def test_words_that_look_like_marks_are_words(word, engine, tmp_path):
    if engine == "openfst":
        pytest.importorskip("pynini")
    graph = lm.read_one(file(tmp_path, "x.lat", lattice("u", word)))
    assert lm.oracle(graph, word, "wer", engine=engine).score == 0
    assert lm.oracle(graph, "other", "wer", engine=engine).score == 1


@pytest.mark.parametrize(("ours", "theirs"), [("NFC", "NFD"), ("NFD", "NFC")])
@pytest.mark.parametrize("workers", [1, 2])
def test_other_unicode_forms_match_nothing_and_that_is_said_once(ours, theirs, workers, tmp_path):
    one, other = (unicodedata.normalize(form, "été") for form in (ours, theirs))
    graphs = file(tmp_path, "x.lat", "".join(lattice(f"u{k}", one) for k in range(60)))
    references = file(tmp_path, "x.ref", "".join(f"u{k} {other}\n" for k in range(60)))
    done = good(oracle(graphs, references, "--metric", "wer", "--format", "json", "--workers", workers))
    assert done.json["corpus"]["score"] == 1
    (said,) = (line for line in done.stderr.splitlines() if "Unicode" in line)
    assert "another Unicode form, and will not match" in said
    assert "uconv -x nfc" in said


def spaced(path, words, kind):
    """Write three graphs of one string of three words; return the path."""
    if kind == "list":
        lines = (json.dumps({"id": f"u{k}", "nbest": [{"words": words}]}) for k in range(3))
        return file(path, "x.jsonl", "".join(f"{line}\n" for line in lines))
    vocabulary = lm.Vocabulary(dict(enumerate(words, start=1)))
    graph = lm.Lattice.from_arcs([0, 1, 2], [1, 2, 3], [1, 2, 3], final=[3], vocabulary=vocabulary)
    if kind == "forest":
        graph = lm.Forest.from_lattice(graph)
    name, known = {"lattice": ("x.far", "far"), "forest": ("x.json", "travatar-json")}[kind]
    lm.write(path / name, {f"u{k}": graph for k in range(3)}.items(), format=known)
    return path / name


@pytest.mark.parametrize("kind", ["lattice", "forest", "list"])
@pytest.mark.parametrize("verb", ["oracle", "expected", "lists"])
def test_words_with_spaces_are_said_once(kind, verb, tmp_path):
    if verb == "lists" and kind != "list":
        pytest.skip("not a list")
    graphs = spaced(tmp_path, ["in", "new york", "city"], kind)
    references = file(tmp_path, "x.ref", "in new york city\n" * 3)
    ask = (verb, graphs, references, "--metric", "wer", "--style", "plain")
    (said,) = (line for line in good(run("latticemetric", *ask)).stderr.splitlines() if "new york" in line)
    assert "a word of the graph has spaces and counts as one word ('new york')" in said
    if kind == "forest":
        assert "write one symbol for each word" in said
        return
    assert "--tokenize none splits them" in said
    done = good(run("latticemetric", *ask, "--tokenize", "none"))
    assert "spaces" not in done.stderr
    assert " 0/12" in done.stdout + done.stderr


# --- Numbers and locales

TEMPLATES = {
    "openfst-text": "0 1 a a {}\n1\n",
    "kaldi": "u \n0 1 a {},2,\n1\n\n",
    "htk-slf": "VERSION=1.0\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a={}\n",
    "pfsg": "name x\nnodes 2 a a\ninitial 0\nfinal 1\ntransitions 1\n0 1 {}\n",
    "wordmesh": "name x\nnumaligns 1\nposterior 1\nalign 0 a {}\n",
    "moses-cn": "a {} b 0.5\n\n",
    "k2": "0 1 1 {}\n1 2 -1 -0.5\n2\n",
    "moses-nbest": "0 ||| a ||| LM= -1 ||| {}\n",
    "jsonl-nbest": '{{"id":"a","hypotheses":[{{"text":"a","score":{}}}]}}\n',
    "ctm": "f 1 {} 0.5 a\n",
    "stm": "f 1 s {} 9 a\n",
    "srilm-nbest": "NBestList1.0\n({}) a\n",
    "lattice-rescore-nbest": "u-0 {} -1 | a\n",
}
NO_NUMBERS = [
    "1,5",
    "٣",
    "１",
    "²",
    "1_0",
    "0x10",
    "nan",
    "inf",
    "-Infinity",
    "1e400",
    "+-1",
    "--1",
    "1e",
    "0x1p3",
    "1d3",
]


@pytest.mark.parametrize("format_name", TEMPLATES)
@pytest.mark.parametrize("number", NO_NUMBERS)
def test_what_python_takes_for_numbers_is_none(format_name, number, tmp_path):
    path = file(tmp_path, "x", TEMPLATES[format_name].format(number))
    with pytest.raises(lm.InputError, match=re.escape(str(path))):
        _ = [graph.statistics() for _, graph in lm.read(path, format=format_name) if isinstance(graph, lm.Lattice)]


@pytest.mark.parametrize(
    "option", ["--weights=acoustic=1_0", "--weights=acoustic=٣", "--hope=1_0", "--hope=nan", "--timeout=inf"]
)
def test_options_take_plain_numbers(option):
    done = oracle(*MEETING, option)
    assert (done.status, done.stdout, "Traceback" in done.stderr) == (2, "", False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-400", 0),
        ("0." + "0" * 400 + "1", 0),
        ("-1e-5000", 0),
        ("1" + "0" * 330 + "e-330", 1),
        ("0.5e0", 0.5),
        ("0e999999999999999999999", 0),
    ],
    ids=lambda value: str(value)[:12],
)
def test_numbers_that_are_too_small_are_nothing(text, value, tmp_path):
    path = file(tmp_path, "x", f"0 1 a {text}\n1\n")
    assert lm.read_one(path, format="openfst-text").scores["weight"].arc.tolist() == [value]


@pytest.mark.parametrize(
    "text", ["1" + "0" * 400, "1e99999999999999999999", "0.1e310", "123456e305"], ids=lambda value: value[:12]
)
def test_numbers_that_are_too_large_are_refused(text, tmp_path):
    with pytest.raises(lm.InputError, match="is not finite"):
        lm.read_one(file(tmp_path, "x", f"0 1 a {text}\n1\n"), format="openfst-text")


def test_numbers_are_read_and_written_with_points_in_every_locale(tmp_path):
    if shutil.which("localedef") is None or not Path("/usr/share/i18n/locales/de_DE").exists():
        pytest.skip("no locale can be made")
    subprocess.run(
        ["localedef", "-f", "UTF-8", "-i", "de_DE", tmp_path / "de_DE.UTF-8"], check=True, capture_output=True
    )
    path = file(tmp_path, "x.fst.txt", "0 1 a 1.5\n0 1 b 1.5e-400\n1 0.25\n")
    code = """if True:
        import locale, sys, latticemetric as lm
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
        assert locale.localeconv()["decimal_point"] == ","
        graph = lm.read_one(sys.argv[1])
        assert graph.scores["weight"].arc.tolist() == [1.5, 0], graph.scores["weight"].arc
        for target in ("kaldi", "htk-slf", "openfst-text"):
            lm.write("-", [("u", lm.read_one(sys.argv[1]))], format="openfst-text")
    """
    environment = {**os.environ, "LOCPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-P", "-c", code, path], capture_output=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == b"0\t1\ta\ta\t1.5\n0\t1\tb\tb\t0.0\n1\t0.25\n" * 3


BARE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize(
    "environment",
    [{"LC_ALL": "C"}, BARE, {"PYTHONIOENCODING": "ascii"}, {**BARE, "PYTHONIOENCODING": "ascii"}],
    ids=str,
)
def test_what_is_written_does_not_depend_on_the_locale(environment, tmp_path):
    graphs, references = file(tmp_path, "x.lat", lattice("é", "été")), file(tmp_path, "x.ref", "é été 日本\n")
    arguments = [graphs, references, "--ignore", "日本", "--metric", "wer", "--alignment"]
    usual = good(oracle(*arguments))
    assert "été" in usual.stdout
    assert "日本" not in usual.stdout
    assert good(oracle(*arguments, env={**os.environ, **environment})) == usual


def test_options_in_no_encoding_are_refused():
    done = run("lattice-oracle", *MEETING, "--ignore", os.fsdecode(b"\xff"))
    assert_one_line_error(done, "words of an option are not UTF-8")


# --- Outputs


def closing(*numbers: int):
    def close() -> None:
        for number in numbers:
            os.close(number)

    return close


@pytest.mark.parametrize(
    ("closed", "status"), [((0,), 0), ((1,), 2), ((2,), 0), ((1, 2), 2), ((0, 1, 2), 2), ((0, 2), 0)]
)
def test_closed_streams(closed, status):
    command = [PROGRAMS / "lattice-oracle", *MEETING, "--metric", "wer"]
    done = subprocess.run(
        command, capture_output=True, check=False, preexec_fn=closing(*closed), stdin=subprocess.DEVNULL
    )
    assert done.returncode == status
    assert b"Traceback" not in done.stderr
    assert (done.stdout == b"") == (1 in closed)
    if closed == (1,):
        assert done.stderr == b"error: standard output is closed; name a file to write to\n"


def test_warnings_go_into_no_file(tmp_path):
    """A file that is opened where standard error was closed would get its number, and what is said."""
    output = tmp_path / "out"
    plain = tmp_path / "plain"
    good(oracle(*MEETING, "--output", plain))
    command = [PROGRAMS / "lattice-oracle", *MEETING, "--output", output]
    subprocess.run(command, check=True, preexec_fn=closing(0, 1, 2))
    assert output.read_text() == plain.read_text()


@pytest.mark.parametrize(
    "arguments",
    [("latticemetric", "--help"), ("latticemetric", "grammar", "list"), ("lattice-oracle", *MEETING)],
    ids=str,
)
def test_full_disks_behind_the_streams(arguments):
    program, *rest = arguments
    for stream, status in (("stdout", 2), ("stderr", 0)):
        with Path("/dev/full").open("wb") as full:
            streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: full}
            done = subprocess.run([PROGRAMS / program, *map(str, rest)], check=False, **streams)
        assert done.returncode == status
        if stream == "stdout":
            assert done.stderr.startswith(b"error: standard output: ")
            assert done.stderr.endswith(b"No space left on device\n")


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


@pytest.mark.parametrize(
    "arguments",
    [
        ("lattice-oracle", *MEETING, "--format", "json", "--output", "OUT"),
        ("latticemetric", "convert", MEETING[0], "OUT", "--to", "htk-slf"),
        ("latticemetric", "convert", MEETING[0], "OUT", "--to", "kaldi"),
        ("lattice-oracle", *MEETING, "--write-lattices", "OUT", "--to", "kaldi"),
    ],
    ids=lambda arguments: " ".join(map(str, arguments))[:70],
)
def test_a_file_survives_what_cannot_be_written(arguments, tmp_path):
    path = file(tmp_path, "out", "kept")
    path.chmod(0o640)
    program, *rest = (str(argument).replace("OUT", str(path)) for argument in arguments)
    done = run(program, *rest, preexec_fn=small_files)
    assert (done.status, "Traceback" in done.stderr, done.stderr.count("error: ")) == (2, False, 1)
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("kept", 0o640)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--output", "x.lat"), "--output would overwrite an input"),
        (("--output", "./x.ref"), "--output would overwrite an input"),
        (("--failures", "x.lat"), "--failures would overwrite an input"),
        (("--output", "a", "--failures", "./a"), "--failures and --output are the same file"),
        (("--output", "link", "--failures", "there"), "are the same file"),
        (
            ("--output", "a", "--write-lattices", "a", "--to", "kaldi"),
            "--write-lattices and --output are the same file",
        ),
        (("--output", "."), "cannot be written: Is a directory"),
        (("--output", "none/a"), "cannot be written: No such file or directory"),
        (("--output", "x.lat/a"), "cannot be written: Not a directory"),
        (("--output", "x" * 300), "cannot be written: File name too long"),
        (("--output", "/proc/none"), "cannot be written"),
        (
            ("--write-lattices", "x.ref/", "--to", "kaldi"),
            "would overwrite an input|the command also reads this file",
        ),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_outputs_that_cannot_be(arguments, says, tmp_path):
    shutil.copy(MEETING[0], tmp_path / "x.lat")
    shutil.copy(MEETING[1], tmp_path / "x.ref")
    (tmp_path / "link").symlink_to("there")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.exists()}
    done = oracle("x.lat", "x.ref", *arguments, cwd=tmp_path)
    assert (done.status, "Traceback" in done.stderr) == (2, False)
    assert re.search(says, done.stderr.splitlines()[-1])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.exists()} == before


def test_a_file_may_be_converted_in_its_place(tmp_path):
    path = Path(shutil.copy(MEETING[0], tmp_path / "x.lat"))
    expected = [(name, graph.statistics()) for name, graph in lm.read(path)]
    good(run("latticemetric", "convert", path, path, "--to", "kaldi"))
    assert [(name, graph.statistics()) for name, graph in lm.read(path)] == expected


def test_a_folder_that_is_written_may_be_the_one_that_is_read(tmp_path):
    for name in "abc":
        file(tmp_path, f"{name}.lat", "".join(lattice(other) for other in "cab"))
    done: Done = run("latticemetric", "convert", tmp_path, f"{tmp_path}/", "--to", "kaldi")
    assert_one_line_error(done, r"[abc]\.lat: the command also reads this file")
    assert {len(list(lm.read(tmp_path / f"{name}.lat"))) for name in "abc"} == {3}


def test_one_bad_line_among_good_ones(tmp_path):
    lines = [json.dumps({"id": name, "hypotheses": [{"text": "a"}]}) for name in "ac"]
    path = file(tmp_path, "x.jsonl", "\n".join([lines[0], '{"id": "b", "hypo', lines[1]]))
    done = run("latticemetric", "info", path, "--keep-going", "--format", "jsonl")
    assert done.status == 1
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["a", "b", "c"]
    assert done.stderr.startswith(f"failed: {path}:2 (b): this is not JSON")


def test_two_members_of_a_compressed_file_are_one(tmp_path):
    path = file(
        tmp_path, "x.gz", gzip.compress(lattice("a").encode()) + gzip.compress(lattice("b").encode()) + bytes(99)
    )
    assert [name for name, _ in lm.read(path)] == ["a", "b"]
