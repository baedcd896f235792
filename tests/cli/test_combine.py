"""`latticemetric combine`: the same for any order of the files, judged, tuned, and written."""

import os
import random
import re
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest
from kit.commands import assert_one_line_error, file, good, run
from kit.hostile_inputs import archive

import latticemetric as lm
from latticemetric.corpus.combination import combine_all
from latticemetric.corpus.system_outputs import Utterance
from latticemetric.corpus.tables.combine import CombinationTable


@pytest.fixture
def files(tmp_path):
    texts = {
        "a.txt": "the cat sat\nit rains now\n",
        "b.txt": "a cat sat\nit rains\n",
        "c.txt": "the cat sad\nit trains now\n",
        "ref.txt": "the cat sat\nit rains now\n",
    }
    return [file(tmp_path, name, text) for name, text in texts.items()]


def combine(*arguments, **options):
    return run("latticemetric", "combine", *arguments, **options)


def test_any_order_of_the_files_gives_the_same(files):
    one = good(combine(*files[:3]))
    assert one.stdout == "1 the cat sat\n2 it rains now\n"
    assert good(combine(*files[2::-1])).stdout == one.stdout


def test_the_document_has_the_judgment(files):
    document = good(combine(*files[:3], "--reference", files[3], "--subsets", "--format", "json")).json
    assert document["judgment"][0]["errors"] == 0
    assert [one["hypothesis"] for one in document["utterances"]] == ["the cat sat", "it rains now"]
    assert sum(record["name"].startswith("oracle of") for record in document["judgment"]) == 7


def test_weights_and_null_are_tuned_on_the_first_part(files):
    done = good(combine(*files[:3], "--reference", files[3], "--tune-share", "0.5"))
    assert "tuned: --system-weights " in done.stderr
    assert "combination" in done.stderr


def test_least_risk(files):
    document = good(combine(*files[:3], "--scheme", "mbr", "--format", "json")).json
    assert document["utterances"][0]["hypothesis"] == "the cat sat"
    assert document["utterances"][0]["risk"] == pytest.approx(2 / 3, abs=1e-4)


def test_least_risk_is_that_of_python(tmp_path):
    draws = random.Random(4)
    texts = [[" ".join(draws.choices("abcd", k=draws.randrange(9))) for _ in range(20)] for _ in range(3)]
    paths = [file(tmp_path, f"{k}.lines", "\n".join(lines) + "\n") for k, lines in enumerate(texts)]
    options = ("--scheme", "mbr", "--system-weights", "3,2,1.5", "--format", "json")
    done = good(combine(*paths, *options)).json["utterances"]
    for record, outputs in zip(done, zip(*texts, strict=True), strict=True):
        found = lm.combine(outputs, system_weights=[3, 2, 1.5], scheme="mbr")
        assert {"id": record["id"], **found.asdict()} == record | {"agreement": found.agreement()}
        assert record["risk"] == found.least_risk.risk == record["risk_bound"]


def test_least_risk_as_ctm(tmp_path):
    one = file(tmp_path, "one.ctm", "call 1 0.00 0.50 x\ncall 1 0.60 0.40 y\n")
    two = file(tmp_path, "two.ctm", "call 1 0.10 0.50 x\ncall 1 0.60 0.40 y\n")
    lines = good(combine(one, two, "--scheme", "mbr", "--format", "ctm")).stdout.splitlines()
    assert lines == ["call 1 0.05 0.50 x 1.0000", "call 1 0.60 0.40 y 1.0000"]
    untimed = combine(one, file(tmp_path, "two.txt", "x y\n"), "--scheme", "mbr", "--format", "ctm")
    assert_one_line_error(untimed, "with --scheme mbr, not all systems have times for 'call,1'")


SLF = """VERSION=1.0
N=4 L=4
I=0 t=0.0
I=1 t=0.5
I=2 t=0.5
I=3 t=1.0
J=0 S=0 E=1 W=x a=0.0 l=-2.0
J=1 S=0 E=2 W=y a=-3.0 l=0.0
J=2 S=1 E=3 W=z a=0.0 l=0.0
J=3 S=2 E=3 W=z a=0.0 l=0.0
"""


@pytest.mark.parametrize("scheme", ["sum", "mbr"])
def test_weights_of_score_columns_count(tmp_path, scheme):
    graphs = [file(tmp_path, name, SLF) for name in ("one.slf", "two.slf")]
    for scale, words in (("lm=1", "x z"), ("lm=3", "y z")):
        found = good(combine(*graphs, "--scheme", scheme, "--weights", scale, "--format", "json")).json
        assert found["utterances"][0]["hypothesis"] == words
    judged = good(
        combine(*graphs, "--scheme", scheme, "--weights", "lm=3", "--reference", file(tmp_path, "ref", "y z"))
    )
    assert set(re.findall(r"^combination .*?([0-9]+/2)", judged.stderr, re.MULTILINE)) == {"0/2"}


def test_columns_may_be_mediated_by_time(tmp_path):
    one = file(tmp_path, "one.ctm", "call 1 0.0 0.3 a\ncall 1 0.3 0.3 x\n")
    two = file(tmp_path, "two.ctm", "call 1 4.0 0.3 y\ncall 1 4.3 0.3 b\n")
    assert len(good(combine(one, two)).stdout.split()) == 3
    assert good(combine(one, two, "--time-mediated")).stdout == "call,1 a x y b\n"


def test_networks_are_written(files, tmp_path):
    good(combine(*files[:3], "--write-lattices", tmp_path / "out.plf"))
    assert len(list(lm.read(tmp_path / "out.plf"))) == 2


def test_times_and_confidences_of_ctms(tmp_path):
    one = file(tmp_path, "one.ctm", "call 1 0.00 0.50 x 0.9\ncall 1 0.60 0.40 y 0.8\n")
    two = file(tmp_path, "two.ctm", "call 1 0.10 0.50 x 0.7\ncall 1 0.60 0.40 z 0.6\n")
    lines = good(combine(one, two, "--format", "ctm")).stdout.splitlines()
    assert lines == ["call 1 0.05 0.50 x 0.8000", "call 1 0.60 0.40 y 0.4000"]
    assert good(combine(one, two, "--format", "trn")).stdout == "x y (call,1)\n"


CASED = {
    "a.ctm": "u 1 0.0 0.5 The 0.9\nu 1 0.5 0.5 Cat 0.4\nu 1 1.0 0.5 SAT 0.7\n",
    "b.stm": "u 1 ann 0.0 1.5 the cat Sad\n",
    "c.jsonl": '{"id": "u,1", "nbest": [{"text": "THE CAT", "score": -1.0}, {"text": "the Hat sad", "score": -1.5}]}\n',
    "d.lat": "u,1\n0 1 The 0.5,0.1,\n0 1 A 0.5,0.2,\n1 2 cat 0.1,0.3,\n2 0,0,\n\n",
}


@pytest.mark.parametrize("names", [["a.ctm", "b.stm"], ["c.jsonl", "d.lat"], list(CASED)])
@pytest.mark.parametrize("scheme", ["sum", "votes", "mbr"])
def test_lowercase_is_that_of_the_files(names, scheme, tmp_path):
    folders = {"cased": str, "lower": str.lower}

    def answer(kind, *options):
        folder = tmp_path / kind
        folder.mkdir(exist_ok=True)
        systems = [file(folder, name, folders[kind](CASED[name])) for name in names]
        reference = file(folder, "ref.stm", folders[kind]("u 1 ann 0.0 1.5 The Cat SAT\n"))
        asked = ("--reference", reference, "--scheme", scheme, "--format", "json", "--resamples", "0", *options)
        return good(combine(*systems, *asked)).stdout.replace(str(folder), "")

    assert answer("cased", "--lowercase") == answer("lower") != answer("cased")


def test_lines_of_json_have_ids(tmp_path):
    one = file(tmp_path, "a.jsonl", '{"id": "u1", "text": "the cat"}\n{"id": "u2", "text": "sat"}\n')
    other = file(tmp_path, "b.txt", "u2 sad\nu1 the cat\n")
    reference = file(tmp_path, "ref.jsonl", '{"id": "u2", "text": "sat"}\n{"id": "u1", "text": "the cat"}\n')
    done = good(combine(one, other, "--style", "keyed", "--reference", reference, "--format", "json")).json
    assert [each["id"] for each in done["utterances"]] == ["u1", "u2"]
    assert done["utterances"][0]["hypothesis"] == "the cat"
    assert [each["errors"] for each in done["judgment"][1:3]] == [0, 1]


def test_lowercase_of_lines(files, tmp_path):
    cased = [file(tmp_path, f"cased.{k}", path.read_text().title()) for k, path in enumerate(files[:2])]
    assert good(combine(*cased, files[2], "-lc")).stdout == good(combine(*files[:3])).stdout


def test_keyed_lines_stand_beside_graphs(tmp_path):
    lists = '{"id": "u2", "nbest": ["it rains", "it rain"]}\n{"id": "u1", "nbest": ["the cat sat"]}\n'
    graphs = file(tmp_path, "graphs.jsonl", lists)
    keyed = file(tmp_path, "keyed.txt", "u1 the cat sat\nu2 it rains\n")
    expected = "u2 it rains\nu1 the cat sat\n"
    assert good(combine(graphs, keyed, "--style", "keyed")).stdout == expected
    assert good(combine(graphs, "-", "--style", "keyed", stdin=keyed.read_bytes())).stdout == expected


@pytest.mark.parametrize(
    "text",
    ["a b\nc\n", "a b (u-1)\nc (u-2)\n", "r 1 0.0 0.5 a\n", '{"id": "u", "nbest": ["a b"]}\n'],
    ids=["lines", "trn", "ctm", "lists"],
)
@pytest.mark.parametrize("pipe", ["-", "pipe"])
def test_outputs_may_come_from_pipes(text, pipe, tmp_path):
    output = file(tmp_path, "x.txt", text)
    expected = good(combine(output, file(tmp_path, "y.txt", text))).stdout
    if pipe == "-":
        assert good(combine(output, "-", stdin=text.encode())).stdout == expected
        return
    os.mkfifo(tmp_path / pipe)
    with ThreadPoolExecutor(1) as writer:
        writer.submit((tmp_path / pipe).write_text, text)
        assert good(combine(output, tmp_path / pipe)).stdout == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tune-share", "0.5"], "without --reference"),
        (["--count-share", "0.5"], "--count-share has no effect with --scheme sum; choose --scheme average or maximum"),
        (["--count-share", "0.5", "--scheme", "mbr"], "--count-share has no effect with --scheme mbr"),
        (
            ["--time-mediated"],
            "1: columns are to be mediated by time, but no system has times; give outputs with times",
        ),
        (["--format", "ctm"], "ctm needs times"),
        (["--system-weights", "1,2"], "there are 3 files, but 2 weights of systems"),
        (["--system-weights", "0,0,0"], "all weights of systems are 0"),
    ],
)
def test_what_has_no_effect_is_refused(files, options, message):
    assert_one_line_error(combine(*files[:3], *options), message)


def test_short_utterances_take_little_memory():
    utterances = [Utterance(str(k), {name: f"{name} cat sat" for name in "abc"}) for k in range(400)]
    tracemalloc.start()
    try:
        found = combine_all(utterances)
        combined, _ = tracemalloc.get_traced_memory()
        table = CombinationTable(found)
        assert [line.split()[1:] for line in table.text()] == [["a", "cat", "sat"]] * 400
        written, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert combined < 400 * 3000
    assert written - combined < 400 * 300


def test_other_content_is_not_combined_as_text(tmp_path):
    wide = [tmp_path / name for name in ("a.txt", "b.txt")]
    for path in wide:
        path.write_bytes("the cat sat\n".encode("utf-16-le"))
    assert_one_line_error(combine(*wide), "a.txt: the file has zero bytes, so it is not text in UTF-8")
    markup = [file(tmp_path, name, '<tstset setid="x">\n<seg id="1">a</seg>\n') for name in ("c.sgm", "d.sgm")]
    assert_one_line_error(combine(*markup), "c.sgm: this is XML or SGML, not lines of text")


def test_an_archive_holds_files_not_lines(tmp_path):
    words = b"a 1 0.1 0.2 the\na 1 0.4 0.2 cat\n"
    plain, packed = tmp_path / "plain.ctm", tmp_path / "packed.tar"
    plain.write_bytes(words)
    packed.write_bytes(archive(("x.ctm", words)))
    assert good(combine(plain, packed)).stdout == "a,1 the cat\n"
    packed.write_bytes(archive(("x.txt", b"the cat\n")))
    assert_one_line_error(combine(plain, packed), "packed.tar/x.txt: the format is not recognised")
