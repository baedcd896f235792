"""Archives of which one graph in a hundred is damaged: all others are scored, and the bad ones named."""

import io
import json
import random
import struct
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from kit.commands import oracle
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.formats.columns import summed
from latticemetric.nbest import Hypothesis

GRAPHS = 200
BAD = (13, 101)
WORDS = [f"w{number}" for number in range(20)]


def name(number: int) -> str:
    return f"u{number:03d}"


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("table") / "words.txt"
    path.write_text("<eps> 0\n" + "".join(f"{word} {number}\n" for number, word in enumerate(WORDS, start=1)))
    return path


def text_archive() -> str:
    """Lattices of two scores and some paths, each with a sentence of its own."""
    draw = random.Random(7)
    blocks = []
    for number in range(GRAPHS):
        sentence = draw.choices(WORDS, k=draw.randrange(2, 6))
        arcs = [
            f"{at} {at + 1} {word} {draw.randrange(1, 9)},{draw.randrange(1, 9)},"
            for at, right in enumerate(sentence)
            for word in (right, draw.choice(WORDS))
        ]
        blocks.append("\n".join([f"{name(number)} ", *arcs, f"{len(sentence)}"]))
    return "\n\n".join(blocks) + "\n\n"


def graphs(folder: Path, table: Path | None = None) -> list[tuple[str, lm.Lattice]]:
    path = folder / "source.txt"
    path.write_text(text_archive())
    return list(lm.read(path, symbols=table))


def references() -> str:
    draw = random.Random(8)
    return "".join(f"{name(number)} {' '.join(draw.choices(WORDS, k=4))}\n" for number in range(GRAPHS))


# --- What damage looks like


def kaldi_text(folder: Path, _table: Path) -> Path:
    path = folder / "lats.ark.txt"
    blocks = text_archive().split("\n\n")
    for number, damage in zip(BAD, (lambda block: block.replace(",", ",x", 1), lambda block: block[:-9]), strict=True):
        blocks[number] = damage(blocks[number])
    path.write_text("\n\n".join(blocks))
    return path


def kaldi_binary(folder: Path, table: Path) -> Path:
    path = folder / "lats.ark"
    lm.write(path, graphs(folder, table))
    data = bytearray(path.read_bytes())
    for number in BAD:
        at = data.index(name(number).encode() + b" ") + len(name(number)) + 1
        # The header's number of states and of arcs, then the first state: its weight, its number of arcs, the first of
        # them with its two labels, two costs, number of transition ids, and target.
        at += 4 + 4 + len("vector") + 4 + len("compactlattice44") + 4 + 4 + 8 + 8 + 8 + 8
        at += 12 + 8 + 8 + 8 + 4
        assert struct.unpack_from("<i", data, at) == (1,), "this is the target"
        struct.pack_into("<i", data, at, 99_999)
    path.write_bytes(data)
    return path


def kaldi_script(folder: Path, table: Path) -> Path:
    archive = kaldi_binary(folder, table)
    data = archive.read_bytes()
    script = folder / "lats.scp"
    places = [data.index(name(number).encode() + b" ") + len(name(number)) + 1 for number in range(GRAPHS)]
    places[BAD[1]] = len(data) + 5
    script.write_text("".join(f"{name(number)} {archive}:{place}\n" for number, place in enumerate(places)))
    return script


def files_of(folder: Path) -> list[tuple[str, bytes]]:
    """A file a graph; one is empty, another is cut short."""
    whole = folder / "whole"
    lm.write(f"{whole}/", graphs(folder), format="htk-slf")
    files = [(path.name, path.read_bytes()) for path in sorted(whole.iterdir())]
    files[BAD[0]] = (files[BAD[0]][0], b"")
    files[BAD[1]] = (files[BAD[1]][0], files[BAD[1]][1][:-40])
    return files


def files(folder: Path, _table: Path) -> Path:
    damaged = folder / "damaged"
    damaged.mkdir()
    for filename, content in files_of(folder):
        (damaged / filename).write_bytes(content)
    return damaged


def tar(folder: Path, _table: Path) -> Path:
    path = folder / "lats.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for filename, content in files_of(folder):
            member = tarfile.TarInfo(filename)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def far(folder: Path, _table: Path) -> Path:
    path = folder / "lats.far"
    lm.write(path, [(key, summed(graph, {})) for key, graph in graphs(folder)])
    data = bytearray(path.read_bytes())
    for number in BAD:
        at = data.index(struct.pack("<i", 4) + name(number).encode()) + 8
        data[at] ^= 0xFF  # the machine does not begin as one
    path.write_bytes(data)
    return path


def lists(folder: Path) -> list[tuple[str, lm.NBest]]:
    return [
        (key, lm.NBest(tuple(Hypothesis(path.words, {"am": float(path.cost)}) for path in graph.paths()), {"am": 1}))
        for key, graph in graphs(folder)
    ]


def jsonl(folder: Path, _table: Path) -> Path:
    path = folder / "lists.jsonl"
    lm.write(path, lists(folder))
    lines = path.read_text().splitlines()
    lines[BAD[0]] = lines[BAD[0]][:-2]
    lines[BAD[1]] = json.dumps({"id": name(BAD[1]), "hypotheses": [{"words": 5}]})
    path.write_text("\n".join(lines) + "\n")
    return path


def moses(folder: Path, _table: Path) -> Path:
    path = folder / "lists.nbest"
    lm.write(path, lists(folder))
    lines = path.read_text().splitlines()
    for number, damage in zip(BAD, ("no line", "u{} ||| w1"), strict=True):
        at = next(at for at, line in enumerate(lines) if line.startswith(f"{name(number)} "))
        lines[at + 1] = damage.replace("u{}", name(number))
    path.write_text("\n".join(lines) + "\n")
    return path


def srilm(folder: Path, _table: Path) -> Path:
    damaged = folder / "damaged"
    lm.write(f"{damaged}/", lists(folder), format="srilm-nbest")
    for number in BAD:
        (path,) = damaged.glob(f"{name(number)}*")
        path.write_text(path.read_text().replace("\n", "\nx y z\n", 1))
    return damaged


def kaldi_text_cut(folder: Path, _table: Path) -> Path:
    """Nothing but an id."""
    path = folder / "lats.ark.txt"
    blocks = text_archive().split("\n\n")
    for number in BAD:
        blocks[number] = blocks[number].split("\n")[0] + "\n0 1 w1\n"
    path.write_text("\n\n".join(blocks))
    return path


@pytest.mark.parametrize(
    "make", [kaldi_text, kaldi_text_cut, kaldi_binary, kaldi_script, files, tar, far, jsonl, moses, srilm]
)
def test_every_good_graph_is_scored_and_every_bad_one_named(make: Callable[[Path, Path], Path], table, tmp_path):
    refs, report = tmp_path / "refs.txt", tmp_path / "failures.tsv"
    refs.write_text(references())
    arguments = [refs, "--metric", "wer", "--format", "json", "--symbols", table, "--failures", report]
    done = oracle(make(tmp_path, table), *arguments, "--keep-going", "--style", "keyed", "--workers", 2)
    assert done.status == 1, done.stderr
    corpus, items = done.json["corpus"], done.json["lattices"]
    bad = {name(number) for number in BAD}
    assert {item["id"] for item in items if "error" in item} == bad, done.stderr
    assert {item["id"] for item in items} == {name(number) for number in range(GRAPHS)}
    assert (corpus["lattices"], corpus["failed"]) == (GRAPHS - len(BAD), len(BAD))
    assert corpus["denominator"] == 4 * GRAPHS, "their references' words count as deleted"
    assert {row.split("\t")[0] for row in report.read_text().splitlines()[1:]} == bad
    assert done.stderr.count("failed: ") == len(bad)


@pytest.fixture
def plf(tmp_path):
    """Lattices without ids: a line each."""
    path = tmp_path / "lats.plf"
    lm.write(path, graphs(tmp_path))
    return path


def test_a_line_that_is_damaged_costs_no_other_line(plf, tmp_path):
    lines = plf.read_text().splitlines()
    for number in BAD:
        lines[number] = lines[number][:-5]
    plf.write_text("\n".join(lines) + "\n")
    refs = tmp_path / "refs.txt"
    refs.write_text("".join(line.partition(" ")[2] + "\n" for line in references().splitlines()))
    done = oracle(plf, refs, "--metric", "4-grr", "--keep-going", "--format", "json")
    failed = [int(item["id"]) - 1 for item in done.json["lattices"] if "error" in item]
    assert (done.status, failed, done.json["corpus"]["lattices"]) == (1, list(BAD), GRAPHS - len(BAD))


def test_of_an_archive_that_is_cut_short_all_before_the_cut_is_scored(table, tmp_path):
    """Kaldi's binary archives have no marks to go on from: what follows damage to sizes is lost, and named."""
    path = kaldi_binary(tmp_path, table)
    path.write_bytes(path.read_bytes()[: path.read_bytes().index(name(150).encode() + b" ") + 60])
    refs = tmp_path / "refs.txt"
    refs.write_text(references())
    done = oracle(path, refs, "--symbols", table, "--metric", "4-grr", "--keep-going", "--format", "json")
    items = done.json["lattices"]
    good = [item["id"] for item in items if "error" not in item]
    assert good == [name(number) for number in range(150) if number not in BAD]
    named = {item["id"] for item in items if "error" in item}
    assert named >= {name(number) for number in (*BAD, *range(150, GRAPHS))}
    assert "cut short" in done.stderr


OF_MANY = [
    "meeting.lat.txt", "meeting.ark", "meeting.far", "meeting.trn", "headlines.nbest", "proverbs.plf", "lighthouse.cn",
    "garden.jsonl", "kitchen.jsonl", "bakery.wenet", "lesson.recogs.txt", "postcard.osg", "clinic.manifest.json",
    "picnic.json", "interview.ctm", "radio.stm",
]  # fmt: skip


@pytest.mark.parametrize("name", OF_MANY)
def test_the_error_of_a_broken_graph_of_many_has_its_id_and_its_file(name, tmp_path):
    whole, path = (EXAMPLES / name).read_bytes(), tmp_path / name
    for at in range(len(whole) // 3, len(whole), max(1, len(whole) // 40)):
        path.write_bytes(whole[:at] + b"?" + whole[at + 1 :])
        try:
            answers = list(lm.Corpus.read(path).best(keep_going=True))
        except lm.InputError as error:  # the file cannot be divided into graphs
            problems = [(path.name, str(error))]
        else:
            problems = [(one.name, str(one.problem)) for one in answers if one.problem is not None]
        for graph, problem in problems:
            assert str(path) in problem
            # The rest of the file cannot be divided into graphs: then, its name or its line is the id.
            is_of_file = path.name.startswith(graph) or graph.startswith(str(path))
            assert is_of_file or f"({graph})" in problem
