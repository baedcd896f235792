"""Answers of every kind of graph, kept and taken up again."""

import contextlib
import os
import pickle
import random
import re
import struct
import threading
import zlib
from dataclasses import replace

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from kit.paths import EXAMPLES

from latticemetric import InputError, Lattice, UsageError, oracle
from latticemetric.cli.main import _group
from latticemetric.corpus.answer import Answer
from latticemetric.corpus.run import register_results
from latticemetric.formats.writing import write
from latticemetric.parallel.journal import Journal
from latticemetric.parallel.plain import PlainData

register_results()  # as each run with a journal does; tests of journals alone have no run

PROVERBS = (EXAMPLES / "proverbs.plf", EXAMPLES / "proverbs.ref.txt")
FOREST = (EXAMPLES / "lantern.target_graph", EXAMPLES / "lantern.ref.txt")
MEETING = (EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt")
# Without a symbol table, their words are numbers.
NUMBERED = ("numbered.txt", "numbered.ref")
RICH = ("--nbest", 3, "--hope", "1,2", "--fear", 1, "--worst", "--also-score", "bleu", "--tags", "--format", "json")


@pytest.mark.parametrize(
    "command",
    [
        ("oracle", *MEETING, *RICH, "--posteriors", "--posterior-scale", 0.1),
        ("oracle", *FOREST, *RICH),
        ("oracle", *PROVERBS, "-m", "4-grr", *RICH, "--write-lattices", "all.plf"),
        ("oracle", *FOREST, "-m", "wer", "--write-lattices", "all.target_graph"),
        ("oracle", *MEETING, "--normalize", "english", "--alignment"),
        ("sweep", *MEETING, "--beams", "1,2", "--nbest-sizes", "1,5", "--by-length", "3", "--format", "json"),
        ("sweep", *FOREST, "--nbest-sizes", "1,5", "--resamples", 20, "--format", "tsv"),
        ("mbr", MEETING[0], "--format", "json"),
        ("mbr", FOREST[0], "--format", "json"),
        ("mbr", EXAMPLES / "harbour.fst", "--write-lattices", "gains.slf"),
        ("mbr", MEETING[0], "--evidence", MEETING[0], "--format", "tsv"),
        ("mbr", MEETING[0], "--by", "bleu", "--samples", 50, "--seed", 3, "-P", "bleu.smoothing=exp"),
        ("posteriors", MEETING[0], "--of", "arcs", "--format", "json", "--write-lattices", "posteriors.kaldi"),
        ("posteriors", FOREST[0], "--format", "json"),
        ("consensus", MEETING[0], "--format", "json", "--write-lattices", "networks.mesh"),
        ("report", *MEETING, "--also-score", "bleu", "--beams", "1,2"),
        ("report", *FOREST, "--nbest-sizes", "1,2"),
        ("info", *EXAMPLES.glob("*.plf"), FOREST[0], MEETING[0], "--format", "json"),
        ("convert", MEETING[0], "out.slf/", "--to", "htk-slf"),
        ("convert", FOREST[0], "out.target_graph"),
        ("convert", PROVERBS[0], "out.nbest", "--to", "plf"),
        ("oracle", "numbered.fst", "--metric", "numbered.fst", "--format", "json"),
        ("tags", "--from-lattices", *MEETING, "--format", "json"),
        ("oracle", *NUMBERED, "-m", "4-grr", *RICH, "--write-lattices", "all.kaldi"),
        ("sweep", *NUMBERED, "--beams", "1,2", "--format", "json"),
        ("mbr", "numbered.fst", "--gains-only", "--write-lattices", "gains.slf"),
        ("posteriors", NUMBERED[0], "--of", "arcs", "--format", "json", "--write-lattices", "posteriors.kaldi"),
        ("consensus", NUMBERED[0], "--format", "json", "--write-lattices", "networks.kaldi"),
        ("convert", NUMBERED[0], "out.kaldi"),
    ],
    ids=lambda command: " ".join(
        part if isinstance(part, str) else getattr(part, "name", str(part)) for part in command
    ),
)
def test_what_is_kept_says_the_same_again(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _write_numbered(tmp_path)
    given = {path.name for path in tmp_path.iterdir()}
    output = [] if command[0] == "convert" else ["--output", "out.txt"]

    def written():
        found = (path for path in tmp_path.rglob("*") if path.is_file() and path.name not in given)
        files = sorted(path for path in found if path.suffix != ".journal")
        return {path.name: path.read_bytes() for path in files}

    def run(*options):
        result = CliRunner().invoke(_group, [*map(str, command), *output, *options])
        assert result.exit_code == 0, result.output
        return result.stderr

    monkeypatch.setattr(Journal, "remove", lambda _self: None)
    told = run("--resume")
    undisturbed = written()
    (journal,) = tmp_path.glob("*.journal")
    kept = journal.read_bytes()
    assert undisturbed
    for path in tmp_path.rglob("*"):
        if path.is_file() and path != journal and path.name not in given:
            path.unlink()
    monkeypatch.setattr("latticemetric.corpus.run.map_in_order", _nothing_left)
    number, _, rest = run("--resume").partition(" answer")
    assert int(number) > 0
    assert rest.partition("\n")[2] == told
    assert written() == undisturbed
    assert journal.read_bytes() == kept


def _write_numbered(folder):
    """Lattices whose words have numbers only."""
    lattices = [(name, Lattice.from_arcs([0, 0, 1], [1, 1, 2], [5, 7, 8], final=[1, 2])) for name in "ab"]
    write(folder / "numbered.txt", lattices, format="kaldi")
    write(folder / "numbered.fst", lattices[:1])
    (folder / "numbered.ref").write_text("a 5 8\nb 7\n", encoding="utf-8")


def _nothing_left(_function, questions, *_arguments, **_options):
    assert list(questions) == []
    return iter(())


def test_other_graphs_than_those_of_the_journal_are_refused(tmp_path):
    path = str(tmp_path / "journal")
    journal = Journal(path, {"command": "test"})
    given = [Answer("a", 1), Answer("b", 2)]
    assert list(journal.continued(given, iter)) == given
    journal.close()
    for names, message in (("ac", "has 'b', but now there is 'c'"), ("a", "has 'b', but now there is no graph")):
        journal = Journal(path, {"command": "test"})
        with pytest.raises(UsageError, match=message):
            list(journal.continued([Answer(name, 0) for name in names], iter))
        journal.close()


@pytest.mark.parametrize("left", range(0, 400, 7))
def test_a_journal_cut_anywhere_loses_its_end_and_nothing_else(left, tmp_path):
    path = tmp_path / "journal"
    journal = Journal(str(path), {"command": "test"})
    given = [Answer(name, [name] * 3) for name in "abcdef"]
    assert list(journal.continued(given, iter)) == given
    journal.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:left])
    asked = []

    def answers(rest):
        for question in rest:
            asked.append(question)
            yield question

    journal = Journal(str(path), {"command": "test"})
    assert list(journal.continued(given, answers)) == given
    journal.close()
    assert path.read_bytes() == whole
    assert given[len(given) - len(asked) :] == asked
    assert len(asked) > 0 or left >= len(whole)


def test_a_page_that_was_lost_is_noticed(tmp_path):
    path = tmp_path / "journal"
    given = [Answer("a", 1), Answer("b", "x" * 100)]
    journal = Journal(str(path), {"command": "test"})
    assert list(journal.continued(given, iter)) == given
    journal.close()
    whole = path.read_bytes()
    assert whole.count(b"x" * 100) == 1
    path.write_bytes(whole.replace(b"x" * 100, bytes(100)))
    journal = Journal(str(path), {"command": "test"})
    assert list(journal.continued(given, iter)) == given
    journal.close()
    assert path.read_bytes() == whole


@pytest.mark.parametrize("damaged", ["a", "c", "bd", "bcd", "f", "ef"])
def test_answers_after_a_damaged_one_are_kept(damaged, tmp_path):
    path = tmp_path / "journal"
    given = [Answer(name, [name] * 30) for name in "abcdef"]
    journal = Journal(str(path), {"command": "test"})
    assert list(journal.continued(given, iter)) == given
    journal.close()
    whole = path.read_bytes()
    for name in damaged:
        path.write_bytes(path.read_bytes().replace(f'"{name}","{name}"'.encode(), f'"{name}","~"'.encode()))
    for _ in range(2):
        told, asked = [], []

        def answers(rest, asked=asked):
            for question in rest:
                asked.append(question.name)
                yield question

        journal = Journal(str(path), {"command": "test"}, told.append)
        assert list(journal.continued(given, answers)) == given
        journal.close()
        assert asked == list(damaged) or asked == []
        if "f" not in damaged:
            assert asked == list(damaged)
            *losses, number = told
            assert sum(int("damaged" in line) for line in losses) == len(losses) == (2 if damaged == "bd" else 1)
            kept = 6 - len(damaged)
            assert number == f"{kept} answers taken from the journal of an earlier run ({path})"
        else:  # the end of the file is written again
            assert path.read_bytes() == whole


def test_answers_after_a_damaged_symbol_table_are_computed_again(tmp_path):
    path = tmp_path / "journal"
    words = [f"w{k}" for k in range(200)]
    graph = Lattice.from_strings([words])
    given = [Answer(name, graph) for name in "abcd"]  # the second record numbers the table; others refer to it
    journal = Journal(str(path), {"command": "test"})
    list(journal.continued(given, iter))
    journal.close()
    data = path.read_bytes()
    assert data.count(b'["table",0') == 3
    at = data.index(b'["table",0') + 40
    path.write_bytes(data[:at] + b"~" + data[at + 1 :])
    for kept in ("1 answer", "2 answers"):  # the last one is new, then kept, too
        told = []
        journal = Journal(str(path), {"command": "test"}, told.append)
        found = list(journal.continued([*given, Answer("e", graph)], iter))
        journal.close()
        assert [answer.name for answer in found] == list("abcde")
        assert told == [
            f"{path}: the journal is damaged: 3 answers are computed again, after 1 that are whole",
            f"{kept} taken from the journal of an earlier run ({path})",
        ]


def test_a_damaged_length_is_told(tmp_path):
    path = tmp_path / "journal"
    given = [Answer(name, [name] * 30) for name in "abcdef"]
    journal = Journal(str(path), {"command": "test"})
    list(journal.continued(given, iter))
    journal.close()
    whole = path.read_bytes()
    at = whole.index(b"\n") + 1
    path.write_bytes(whole[: at + 4] + b"\1" + whole[at + 5 :])
    told = []
    journal = Journal(str(path), {"command": "test"}, told.append)
    assert list(journal.continued(given, iter)) == given
    journal.close()
    line, number = told
    assert number == f"no answers taken from the journal of an earlier run ({path})"
    assert f"its last {len(whole) - at} bytes cannot be read, so their answers are computed again" in line
    assert path.read_bytes() == whole


# --- Journals that are damaged, or made to do harm


def _record(data):
    """Whole, as its checksum says."""
    return struct.pack("<QI", len(data), zlib.crc32(data)) + data


def _head(path):
    Journal(str(path), {"command": "test"}).close()
    return path.read_bytes()


def _read(path, names="abc"):
    journal = Journal(str(path), {"command": "test"})
    try:
        return list(journal.continued([Answer(name, None) for name in names], iter))
    finally:
        journal.close()


class _Harm:
    """A pickle that opens a journal elsewhere: it made a file there."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Journal, (self.path, {"command": "harm"})


@pytest.mark.parametrize(
    "record",
    [
        b"null",
        b"5",
        b'["tuple","a"]',
        b"[" * 100_000,
        b'["Answer","a",1,null,"",""] ["Answer"]',
        b'["Answer",["tuple"],1,null,"",""]',
        b'["Lattice"]',
        pickle.dumps(Answer("a", 1)),
        b"\xff\xfe",
    ],
    ids=lambda record: str(record[:20]),
)
def test_a_record_that_nobody_wrote_is_an_error_that_names_the_journal(record, tmp_path):
    path = tmp_path / "journal"
    path.write_bytes(_head(path) + _record(record))
    told = f"^{path}: the journal is damaged: answer 1 .*; remove the journal to begin again$"
    with pytest.raises(InputError, match=told):
        _read(path)


def test_a_pickle_in_a_journal_does_nothing(tmp_path):
    path, elsewhere = tmp_path / "journal", tmp_path / "elsewhere"
    path.write_bytes(_head(path) + _record(pickle.dumps(_Harm(str(elsewhere)))))
    with pytest.raises(InputError, match="the journal is damaged"):
        _read(path)
    assert not elsewhere.exists()


@pytest.mark.parametrize(
    "head", [b"[1]\n", b"{" * 100_000 + b"\n", b'{"a":' * 100_000 + b"\n", b"\xff\n", b"9" * 9999 + b"\n"]
)
def test_what_does_not_begin_as_a_journal_is_none(head, tmp_path):
    path = tmp_path / "journal"
    path.write_bytes(head)
    with pytest.raises(UsageError, match="this is not a journal"):
        _read(path)
    assert path.read_bytes() == head


def test_a_pipe_is_no_journal(tmp_path):
    path = tmp_path / "journal"
    os.mkfifo(path)
    with pytest.raises(InputError, match="this is not a regular file"):
        _read(path)


def test_a_length_beyond_the_file_is_the_end(tmp_path):
    path = tmp_path / "journal"
    head = _head(path)
    path.write_bytes(head + struct.pack("<QI", 2**63, 0) + b"x")
    assert [answer.name for answer in _read(path)] == ["a", "b", "c"]


@pytest.mark.parametrize("zeros", [5, 12, 16, 4096])
def test_zeros_behind_the_last_record_are_its_end(zeros, tmp_path):
    path = tmp_path / "journal"
    head = _head(path)
    path.write_bytes(head + bytes(zeros))
    assert [answer.name for answer in _read(path)] == ["a", "b", "c"]


@given(st.integers(0, 2**32))
def test_a_flipped_bit_under_a_good_checksum_makes_an_answer_or_an_error(tmp_path_factory, seed):
    draw = random.Random(seed)
    path = tmp_path_factory.mktemp("flipped") / "journal"
    head = _head(path)
    data = bytearray(PlainData().dumps(Answer("a", oracle(Lattice.from_strings(["x y", "z"]), "x z", "wer"))))
    for _ in range(draw.randrange(1, 4)):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    path.write_bytes(head + _record(bytes(data)))
    try:
        _read(path, "a")
    except (InputError, UsageError) as error:
        assert str(error).startswith(f"{path}: the journal")  # noqa: PT017  there need be none


@given(st.binary(max_size=300))
def test_any_bytes_behind_the_head_are_no_traceback(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "journal"
    path.write_bytes(_head(path) + data)
    with contextlib.suppress(InputError):
        assert [answer.name for answer in _read(path)] == ["a", "b", "c"]


def test_answers_that_do_not_fit_together_are_an_error_that_names_the_journal(tmp_path, monkeypatch):
    """Each field is what it should be, and nobody can go on with them."""
    command = ["oracle", *map(str, MEETING), "-m", "wer", "--alignment", "--resume", "--output", str(tmp_path / "out")]
    monkeypatch.setattr(Journal, "remove", lambda _self: None)
    assert CliRunner().invoke(_group, command).exit_code == 0
    path = tmp_path / "out.journal"
    head, _, rest = path.read_bytes().partition(b"\n")
    (length,) = struct.unpack_from("<Q", rest)
    outcome = PlainData().loads(rest[12 : 12 + length])
    alignment = replace(outcome.oracle.alignment, hypothesis=(), edits="C" * 50)
    crafted = replace(outcome, oracle=replace(outcome.oracle, alignment=alignment))
    path.write_bytes(head + b"\n" + _record(PlainData().dumps(crafted)))
    (tmp_path / "out").unlink()
    error = CliRunner().invoke(_group, command).exception
    assert isinstance(error, InputError)
    assert re.match(
        r".*out\.journal: the journal is damaged: its answers cannot be used \(\w+\); remove the journal", str(error)
    )


def test_an_answer_that_cannot_be_kept_is_an_error(tmp_path):
    journal = Journal(str(tmp_path / "journal"), {"command": "test"})
    with pytest.raises(InputError, match=r"the journal cannot hold an answer: .*; leave resume=… out"):
        list(journal.continued([Answer("a", object())], iter))
    journal.close()


def test_a_run_that_waited_for_the_end_of_another_has_a_journal_that_others_find(tmp_path):
    path = tmp_path / "out.journal"
    first = Journal(str(path), {"run": 1})
    threading.Timer(0.1, first.remove).start()
    second = Journal(str(path), {"run": 2})  # waits for the lock of the first
    with pytest.raises(InputError, match="answers of this process use this file"):
        Journal(str(path), {"run": 2})
    second.close()
    assert b'"run": 2' in path.read_bytes()
