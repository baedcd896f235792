"""Answers of every kind of graph, kept and taken up again."""

import pytest
from click.testing import CliRunner
from test_cli import EXAMPLES

from latticemetric.cli.main import _group
from latticemetric.errors import UsageError
from latticemetric.workers.journal import Journal

PROVERBS = (EXAMPLES / "proverbs.plf", EXAMPLES / "proverbs.ref.txt")
FOREST = (EXAMPLES / "lantern.target_graph", EXAMPLES / "lantern.ref.txt")
MEETING = (EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt")
RICH = ("--nbest", 3, "--hope", "1,2", "--fear", 1, "--worst", "--score", "bleu", "--tags", "--format", "json")


@pytest.mark.parametrize(
    "command",
    [
        ("oracle", *MEETING, *RICH, "--posteriors", "--posterior-scale", 0.1),
        ("oracle", *FOREST, *RICH),
        ("oracle", *PROVERBS, *RICH, "--write-lattices", "all.plf"),
        ("oracle", *FOREST, "--write-lattices", "all.target_graph"),
        ("oracle", *MEETING, "--normalize", "english", "--alignment"),
        ("sweep", *MEETING, "--beams", "1,2", "--nbest-sizes", "1,5", "--by-length", "3", "--format", "json"),
        ("sweep", *FOREST, "--nbest-sizes", "1,5", "--resamples", 20, "--format", "tsv"),
        ("mbr", MEETING[0], "--format", "json"),
        ("mbr", FOREST[0], "--format", "json"),
        ("mbr", EXAMPLES / "harbour.fst", "--write-lattices", "gains.slf"),
        ("mbr", MEETING[0], "--evidence", MEETING[0], "--format", "tsv"),
        ("mbr", MEETING[0], "--method", "bleu", "--samples", 50, "--seed", 3, "--smoothing", "exp"),
        ("posteriors", MEETING[0], "--of", "arcs", "--format", "json", "--write-lattices", "posteriors.kaldi"),
        ("posteriors", FOREST[0], "--format", "json"),
        ("consensus", MEETING[0], "--format", "json", "--write-lattices", "networks.mesh"),
        ("report", *MEETING, "--score", "bleu", "--beams", "1,2"),
        ("report", *FOREST, "--nbest-sizes", "1,2"),
        ("info", *EXAMPLES.glob("*.plf"), FOREST[0], MEETING[0], "--format", "json"),
        ("convert", MEETING[0], "out.slf/", "--to", "htk-slf"),
        ("convert", FOREST[0], "out.target_graph"),
        ("convert", PROVERBS[0], "out.nbest", "--to", "plf"),
    ],
    ids=lambda command: " ".join(
        part if isinstance(part, str) else getattr(part, "name", str(part)) for part in command
    ),
)
def test_what_is_kept_says_the_same_again(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    output = [] if command[0] == "convert" else ["--output", "out.txt"]

    def written():
        files = sorted(path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".journal")
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
        if path.is_file() and path != journal:
            path.unlink()
    monkeypatch.setattr("latticemetric.workers.stream.map_in_order", _nothing_left)
    assert run("--resume") == told
    assert written() == undisturbed
    assert journal.read_bytes() == kept


def _nothing_left(_function, questions, *_arguments, **_options):
    assert list(questions) == []
    return iter(())


def test_other_graphs_than_those_of_the_journal_are_refused(tmp_path):
    from latticemetric.batch.answers import Answer

    path = str(tmp_path / "journal")
    journal = Journal(path, {"command": "test"})
    given = [Answer("a", 1), Answer("b", 2)]
    assert list(journal.continued(given, iter)) == given
    journal.close()
    for names, message in (("ac", "has 'b' where there is 'c' now"), ("a", "has 'b' where there is no graph now")):
        journal = Journal(path, {"command": "test"})
        with pytest.raises(UsageError, match=message):
            list(journal.continued([Answer(name, 0) for name in names], iter))
        journal.close()


@pytest.mark.parametrize("left", range(0, 400, 7))
def test_a_journal_cut_anywhere_loses_its_end_and_nothing_else(left, tmp_path):
    from latticemetric.batch.answers import Answer

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
    from latticemetric.batch.answers import Answer

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
