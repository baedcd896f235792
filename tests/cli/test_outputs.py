"""No command writes over what it reads, and what takes a file's place is like it; commands are found by looking."""

import gzip
import itertools
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from click.testing import CliRunner
from kit.commands import PROGRAMS, assert_one_line_error, good, oracle, run
from kit.outputs import COMMANDS, SUFFIXES
from kit.paths import EXAMPLES
from kit.patience import PATIENCE

import latticemetric as lm
from latticemetric.cli import main
from latticemetric.cli.commands import Verb
from latticemetric.cli.files import (
    ConvertedGraphs,
    GraphFiles,
    MetricParameter,
    NamesFiles,
    NoFile,
    Output,
    OutputFolder,
    WordList,
)
from latticemetric.cli.results import writing
from latticemetric.errors import UsageError
from latticemetric.formats.streams import output as output_module
from latticemetric.formats.streams.output import Spool, atomic_output, remove_drafts

MEETING = [EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt"]
PROGRAM = PROGRAMS / "latticemetric"
# What these stand for are no files.
PLAIN = {
    *("NAME", "NAMES", "FORMAT", "NUMBERS", "A", "B", "TEXT", "ID", "PAIR", "SYSTEM", "METRIC", "SEGMENT", "NUMBER"),
    *("SECONDS", "METRIC.NAME=VALUE"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_guarded(name):
    assert isinstance(COMMANDS[name], Verb)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_parameter_says_what_it_has_to_do_with_files(name):
    """A text that nothing else checks might name a file: its type says whether it is read or written."""
    for parameter in COMMANDS[name].params:
        declared = isinstance(parameter.type, NamesFiles | Output | NoFile)
        is_text = isinstance(parameter.type, click.types.StringParamType) and not getattr(parameter, "is_flag", False)
        plain = isinstance(parameter, click.Option) and (parameter.callback is not None or parameter.metavar in PLAIN)
        assert declared or not is_text or plain, f"{name}: {parameter.opts[0]} has no type of latticemetric.cli.files"


PREFIXES = {WordList: "@", MetricParameter: "wer.ignore=@"}


class Clash(NamedTuple):
    """A command, what it reads, and what it writes."""

    command: str
    read: str
    written: str


def clashes() -> Iterator[Clash]:
    for name, command in COMMANDS.items():
        for read in command.params:
            for written in command.params:
                allowed = isinstance(read.type, GraphFiles) and isinstance(written.type, ConvertedGraphs)
                if isinstance(read.type, NamesFiles) and isinstance(written.type, Output) and not allowed:
                    yield Clash(name, read.name, written.name)


def test_there_are_clashes_of_every_command_that_reads_and_writes():
    both = {name for name, command in COMMANDS.items() if command.reads and command.writes}
    assert {one.command for one in clashes()} == both
    assert len(list(clashes())) > 100


def command_line(clash: Clash, folder: Path, spelled: str) -> list[str]:
    """A whole command line: all that has to be given, and one file twice."""
    command = COMMANDS[clash.command]
    kind = next(one.type for one in command.params if one.name == clash.read)
    path = folder / f"x{SUFFIXES.get(type(kind), '.lat')}"
    path.write_text("precious")
    other = folder / f"link{path.suffix}"
    spellings = {"same": path, "relative": os.path.relpath(path), "up": f"{folder}/../{folder.name}/{path.name}"}
    if spelled == "symbolic link":
        other.symlink_to(path)
    elif spelled == "hard link":
        other.hardlink_to(path)
    line = []
    for parameter in command.params:
        if parameter.name == clash.read:
            value = f"{PREFIXES.get(type(parameter.type), '')}{path}"
        elif parameter.name == clash.written:
            value = str(spellings.get(spelled, other))
        elif parameter.required:
            value = str(folder / parameter.name)
            Path(value).write_text("another")
        else:
            continue
        line += [value] if isinstance(parameter, click.Argument) else [parameter.opts[0], value]
    return [*clash.command.split(), *line]


SPELLINGS = ("same", "relative", "up", "symbolic link", "hard link")
OVERWRITES = re.compile("would overwrite an input|the command also reads this file")
EACH_IN_TURN = list(zip(clashes(), itertools.cycle(SPELLINGS), strict=False))


@pytest.mark.parametrize(("clash", "spelled"), EACH_IN_TURN, ids=str)
def test_nothing_is_written_over_what_is_read(clash, spelled, tmp_path):
    line = command_line(clash, tmp_path, spelled)
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    done = CliRunner().invoke(main._group, line)
    assert isinstance(done.exception, UsageError), (line, done.output, done.exception)
    assert OVERWRITES.search(str(done.exception))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before


@pytest.fixture
def there(tmp_path, monkeypatch):
    """A folder of examples to be in."""
    for name in ("meeting.lat.txt", "meeting.ark", "meeting.scp", "meeting.words.txt", "meeting.ref.txt"):
        shutil.copy(EXAMPLES / name, tmp_path)
    (tmp_path / "list").write_bytes((tmp_path / "meeting.scp").read_bytes())
    (tmp_path / "list.gz").write_bytes(gzip.compress((tmp_path / "meeting.scp").read_bytes()))
    (tmp_path / "folder").mkdir()
    shutil.copy(EXAMPLES / "meeting.lat.txt", tmp_path / "folder" / "a.lat")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "line",
    [
        "info meeting.scp -o meeting.ark",
        "info list -o meeting.ark",
        "info list.gz --from kaldi-script -o meeting.ark",
        "convert meeting.scp meeting.ark",
        "convert meeting.scp meeting.scp",
        "convert meeting.ark meeting.scp",
        "convert list.gz list.scp --failures meeting.ark",
        "convert meeting.lat.txt meeting.lat.txt --to kaldi --shard 1/2",
        "convert meeting.lat.txt meeting.lat.txt --to kaldi --keep-going",
        "convert meeting.lat.txt meeting.lat.txt --to kaldi --resume",
        "convert meeting.lat.txt meeting.words.txt --to kaldi --symbols meeting.words.txt",
        "convert folder/*.lat folder/a.lat --to kaldi",
        "convert folder folder/a.lat --to kaldi",
        "info folder -o folder/a.lat",
        "mbr meeting.ark --evidence meeting.lat.txt --write-lattices meeting.lat.txt",
        "oracle meeting.scp meeting.ref.txt --write-lattices meeting.ark",
    ],
)
def test_archives_folders_and_parts_are_protected(line, there):
    before = contents(there)
    done = CliRunner().invoke(main._group, line.split())
    assert isinstance(done.exception, UsageError), (done.output, done.exception)
    assert OVERWRITES.search(str(done.exception))
    assert contents(there) == before


@pytest.mark.parametrize(
    "line", ["info folder -o folder/new", "info folder/* -o folder/new", "info **/*.lat -o a/b.lat"]
)
def test_no_result_becomes_an_input(line, there):
    before = contents(there)
    done = CliRunner().invoke(main._group, line.split())
    assert isinstance(done.exception, UsageError), (done.output, done.exception)
    assert "would be a new file among the inputs" in str(done.exception)
    assert contents(there) == before


def test_a_journal_replaces_no_input(there):
    (there / "out.journal").write_bytes((there / "meeting.lat.txt").read_bytes())
    before = contents(there)
    done = CliRunner().invoke(main._group, ["info", "out.journal", "-o", "out", "--resume"])
    assert "out.journal: --output would overwrite an input" in str(done.exception)
    assert contents(there) == before


def test_a_script_from_standard_input_protects_its_archives(there):
    """Nobody can know its archives before it is read."""
    before = contents(there)
    for line in ("info - -o meeting.ark", "convert - meeting.ark"):
        done = run("latticemetric", *line.split(), stdin=Path("meeting.scp").read_bytes())
        assert (done.status, "meeting.ark: the command also reads this file" in done.stderr) == (2, True)
        assert contents(there) == before


def test_redirected_streams_are_files_too(there):
    before = contents(there)
    lines = (
        "info - -o meeting.lat.txt",
        "convert - meeting.lat.txt --to kaldi",
        "grammar apply english -o meeting.lat.txt",
    )
    for line in lines:
        with Path("meeting.lat.txt").open("rb") as file:
            done = subprocess.run([PROGRAM, *line.split()], stdin=file, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 2
        assert OVERWRITES.search(done.stderr.decode())
        assert b"(standard input)" in done.stderr
    with Path("meeting.lat.txt").open("ab") as file:
        done = subprocess.run([PROGRAM, "info", "meeting.lat.txt"], stdout=file, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"standard output would overwrite an input" in done.stderr
    assert contents(there) == before


def test_whole_files_are_converted_in_their_place(there):
    expected = [(name, graph.statistics()) for name, graph in lm.read("meeting.lat.txt")]
    (there / "link").symlink_to("meeting.lat.txt")
    for source, target in (("meeting.lat.txt", "meeting.lat.txt"), ("meeting.lat.txt", "./link"), ("link", "link")):
        good(run("latticemetric", "convert", source, target, "--to", "kaldi"))
        assert [(name, graph.statistics()) for name, graph in lm.read("meeting.lat.txt")] == expected
        assert (there / "link").is_symlink()


# --- What takes the place of a file is like it, and appears whole


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_new_files_follow_the_umask_and_others_keep_their_mode(umask, there):
    kept = there / "kept"
    kept.write_text("before")
    kept.chmod(0o604)
    before = os.umask(umask)
    try:
        for path in (there / "new", kept):
            good(oracle(*MEETING, "--output", path))
        good(run("latticemetric", "convert", MEETING[0], f"{there}/slf/", "--to", "htk-slf"))
    finally:
        os.umask(before)
    assert (mode(there / "new"), mode(kept)) == (0o666 & ~umask, 0o604)
    assert {mode(path) for path in (there / "slf").iterdir()} == {0o666 & ~umask}


def test_a_draft_is_private_while_it_will_replace_a_private_file(there):
    private = there / "private"
    private.write_text("before")
    private.chmod(0o600)
    with atomic_output(str(private)) as file:
        file.write(b"after")
        (draft,) = there.glob(".private.*.part")
        assert mode(draft) == 0o600
    assert (private.read_text(), mode(private)) == ("after", 0o600)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_a_file_keeps_its_owner(there):
    path = there / "theirs"
    path.write_text("before")
    os.chown(path, 4711, 4712)
    with atomic_output(str(path)) as file:
        file.write(b"after")
    assert (path.stat().st_uid, path.stat().st_gid, path.read_text()) == (4711, 4712, "after")


def test_a_write_protected_file_is_not_replaced(there, monkeypatch):
    path = there / "protected"
    path.write_text("before")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)  # root may write everything
    with pytest.raises(lm.InputError, match="protected: cannot be written: Permission denied"):
        atomic_output(str(path)).__enter__()
    assert path.read_text() == "before"
    assert not list(there.glob(".protected*"))


def test_links_stay_links(there):
    (there / "real").mkdir()
    (there / "real" / "out").write_text("before")
    (there / "link").symlink_to("real/out")
    (there / "dangling").symlink_to("real/none")
    (there / "loop").symlink_to("loop")
    for name in ("link", "dangling"):
        good(oracle(*MEETING, "--output", name))
        assert (there / name).is_symlink()
        assert (there / name).read_text() == (there / "link").read_text() != "before"
    done = oracle(*MEETING, "--output", "loop")
    assert (done.status, done.stderr.count("error: "), "Traceback" in done.stderr) == (2, 1, False)
    assert (there / "loop").is_symlink()


def test_no_name_of_a_draft_can_be_known_beforehand(there, monkeypatch):
    """Who may write into a folder could lay a link to somebody's file under that name."""
    (there / "victim").write_text("precious")
    tokens = iter([b"\0" * 8, b"\1" * 8])
    monkeypatch.setattr(os, "urandom", lambda _size: next(tokens))
    (there / f".out.{bytes(8).hex()}.part").symlink_to("victim")
    with atomic_output("out") as file:
        file.write(b"after")
    assert ((there / "victim").read_text(), (there / "out").read_text()) == ("precious", "after")


def test_drafts_of_killed_runs_are_cleared_away_and_nothing_else(there):
    token = "0123456789abcdef"
    drafts = [f".out.{token}.part", f"slf/.a.slf.{token}.part"]
    others = [".out.part", f".other.{token}.part", f"out.{token}.part", ".out.0123.part", "out.1.part", "slf/a.slf"]
    (there / "slf").mkdir()
    for name in (*drafts, *others):
        (there / name).write_text("")
    remove_drafts("out")
    remove_drafts("slf/")
    assert [name for name in (*drafts, *others) if (there / name).exists()] == others


def test_long_names_have_drafts(there):
    name = "x" * 255
    with atomic_output(name) as file:
        file.write(b"whole")
    assert (there / name).read_text() == "whole"


def test_grammars_are_archived_as_other_outputs_are(there):
    pytest.importorskip("pynini")
    assert isinstance(next(one.type for one in COMMANDS["grammar build"].params if one.name == "output"), OutputFolder)
    (there / "english.far").write_text("before")
    (there / "english.far").chmod(0o640)
    good(run("latticemetric", "grammar", "build", "english", "--output", there))
    assert (mode(there / "english.far"), (there / "english.far").stat().st_size > 1000) == (0o640, True)
    assert not list(there.glob(".*"))


# --- What cannot be written is said before the work begins


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("none/x.svg", "cannot be written: No such file or directory"),
        ("meeting.ark/x.svg", "cannot be written: Not a directory"),
        ("folder", "cannot be written: Is a directory"),
        (f"{'x' * 300}.svg", "cannot be written: File name too long"),
        ("none\0.svg", "cannot be written: no file has such a name"),
        ("closed/x.svg", "cannot be written: Permission denied"),
    ],
    ids=lambda value: repr(value)[:30],
)
@pytest.mark.parametrize("option", ["--output", "--failures", "--plot"])
def test_outputs_that_cannot_be_are_known_at_once(option, path, why, there, monkeypatch):
    (there / "closed").mkdir()
    access = os.access
    monkeypatch.setattr(os, "access", lambda one, mode: Path(one).name != "closed" and access(one, mode))
    monkeypatch.setattr("latticemetric.corpus.sweep.SweepSearch", None)  # nothing is begun
    done = CliRunner().invoke(main._group, ["sweep", *map(str, MEETING), "-m", "wer", "--beams", "2", option, path])
    assert isinstance(done.exception, lm.InputError), done.exception
    assert why in str(done.exception)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("meeting.ark/", "the folder cannot be created: Not a directory"),
        ("closed/a/b/", "closed/a/b/: .*Permission denied"),
    ],
)
def test_folders_that_cannot_be_are_known_at_once(path, why, there, monkeypatch):
    (there / "closed").mkdir()
    access = os.access
    monkeypatch.setattr(os, "access", lambda one, mode: Path(one).name != "closed" and access(one, mode))
    done = CliRunner().invoke(main._group, ["convert", "meeting.lat.txt", path, "--to", "kaldi"])
    with pytest.raises(lm.InputError, match=why):
        raise done.exception
    assert not list((there / "closed").iterdir())


@pytest.mark.parametrize("command", ["--help", "--version", "grammar list", "completion bash", "doctor", "demo"])
def test_what_nobody_can_read_is_an_error(command):
    done = subprocess.run(
        [PROGRAM, *command.split()],
        stderr=subprocess.PIPE,
        check=False,
        preexec_fn=lambda: os.close(1),
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stderr) == (2, b"error: standard output is closed; name a file to write to\n")


# --- Journals are ours


def resumed(*line: str) -> click.testing.Result:
    return CliRunner().invoke(main._group, [*line, "--resume", "--output", "out"])


@pytest.mark.parametrize("content", ['{"important": 1', '{"a": 1}', "{'", '{"versions', "important\n", "x"])
def test_a_file_that_is_called_like_a_journal_stays(content, there):
    (there / "out.journal").write_text(content)
    done = resumed("info", "meeting.lat.txt")
    assert isinstance(done.exception, UsageError)
    assert str(done.exception).startswith("out.journal: ")
    assert (there / "out.journal").read_text() == content


@pytest.mark.parametrize("length", [0, 1, 2, 9, 12, 30])
def test_a_journal_that_was_killed_in_its_first_line_begins_again(length, there, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("latticemetric.parallel.journal.Journal.remove", lambda _self: None)
        assert resumed("info", "meeting.lat.txt").exit_code == 0
    journal = there / "out.journal"
    assert mode(journal) == 0o600
    journal.write_bytes(journal.read_bytes()[:length])
    assert resumed("info", "meeting.lat.txt").exit_code == 0
    assert not journal.exists()


def test_a_journal_is_written_through_no_link(there):
    (there / "victim").write_text("")
    (there / "out.journal").symlink_to("victim")
    done = resumed("info", "meeting.lat.txt")
    assert "out.journal: cannot be written: it is a symbolic link" in str(done.exception)
    assert (there / "victim").read_text() == ""


# --- Users without homes, caches and temporary folders


def test_grammars_need_no_home_and_no_cache(there, monkeypatch):
    pytest.importorskip("pynini")
    from latticemetric.normalization import shipped

    compiled = []

    def archive(name: str) -> bytes:
        compiled.append(name)
        return b"archive"

    monkeypatch.setattr(shipped, "_new_archive", archive)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "home", raises(RuntimeError))
        assert shipped.compiled("english") == b"archive"
    (there / "a file").write_text("")
    for folder in ("/proc/none", str(there / "a file"), str(there / "cache")):
        monkeypatch.setenv("XDG_CACHE_HOME", folder)
        assert shipped.compiled("english") == b"archive"
    assert shipped.compiled("english") == b"archive"
    assert len(compiled) == 4  # the last one was kept


def test_wordnet_is_looked_for_without_a_home(monkeypatch):
    from latticemetric.metrics import wordnet

    monkeypatch.setattr(Path, "home", raises(RuntimeError))
    assert Path("/usr/share/nltk_data/corpora/wordnet") in list(wordnet._folders(None, None, None))


def raises(kind: type[Exception]):
    def raising() -> Path:
        raise kind

    return raising


def test_a_temporary_folder_that_is_none_is_named(monkeypatch):
    import tempfile

    from latticemetric.formats.streams.output import Spool

    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/proc/none"])
    with Spool() as spool, pytest.raises(lm.InputError, match=r"temporary files cannot be written: No usable .*TMPDIR"):
        spool.write(bytes(2**24 + 1))


# --- A script and its archive


def test_an_old_script_never_points_into_a_new_archive(there, monkeypatch):
    line = ["convert", "meeting.lat.txt", "new.scp", "--symbols", "meeting.words.txt"]
    assert CliRunner().invoke(main._group, line).exit_code == 0
    replace, script = Path.replace, Path("new.scp").read_bytes()

    def killed(self: Path, target: str) -> None:
        if str(target).endswith(".scp"):
            raise KeyboardInterrupt
        replace(self, target)

    monkeypatch.setattr(Path, "replace", killed)
    assert CliRunner().invoke(main._group, line).exit_code != 0
    assert Path("new.ark").exists()
    assert not Path("new.scp").exists()
    monkeypatch.setattr(Path, "replace", replace)
    assert CliRunner().invoke(main._group, line).exit_code == 0
    assert Path("new.scp").read_bytes() == script
    archive = Path("new.ark").read_bytes()
    done = CliRunner().invoke(main._group, ["convert", "meeting.ref.txt", "new.scp", "--keep-going", "--from", "plf"])
    assert done.exit_code == 1
    assert (Path("new.scp").read_bytes(), Path("new.ark").read_bytes()) == (script, archive)
    assert not list(there.glob(".*"))


@pytest.mark.parametrize(
    "arguments",
    [("lattice-oracle", "-", "-"), ("latticemetric", "info", "-", "-"), ("latticemetric", "tags", "-", "-")],
)
def test_standard_input_is_read_once(arguments):
    assert_one_line_error(run(*arguments, stdin=b"a\n"), "-: standard input can be read only once; name files")


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("path", ["-", "out.tsv", "out.tsv.gz"])
def test_many_short_lines_are_few_writes(path, monkeypatch, capfdbinary):
    sizes = []
    for output in (Spool, output_module._NamedOutput):
        write = output.write
        monkeypatch.setattr(
            output, "write", lambda self, data, write=write: sizes.append(len(data)) or write(self, data)
        )
    with writing(path) as put:
        for number in range(50_000):
            put(str(number))
    written = capfdbinary.readouterr().out if path == "-" else Path(path).read_bytes()
    text = gzip.decompress(written) if path.endswith(".gz") else written
    assert text.decode().split() == list(map(str, range(50_000)))
    assert len(sizes) < 50
