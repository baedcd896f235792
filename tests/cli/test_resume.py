"""A run that goes on does so only if all that it reads is as it was."""

import errno
import gzip
import os
import shutil
import tarfile
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner
from kit.outputs import COMMANDS, SUFFIXES
from kit.paths import EXAMPLES

from latticemetric.cli import main
from latticemetric.cli.files import ClusterName, GraphFiles, MetricParameter, NamesFiles, Output, WordList
from latticemetric.cli.fingerprint import fingerprint
from latticemetric.errors import UsageError
from latticemetric.formats.streams.stream import VARIABLE
from latticemetric.parallel.journal import Journal

RESUMING = {name: command for name, command in COMMANDS.items() if command.resumes}
READ = [
    (name, parameter.name)
    for name, command in RESUMING.items()
    for parameter in command.params
    if isinstance(parameter.type, NamesFiles) and not isinstance(parameter.type, ClusterName)
]


PREFIXES = {WordList: "@", MetricParameter: "wer.ignore=@"}


def test_a_verb_that_resumes_has_one_journal():
    for name, command in RESUMING.items():
        outputs = [one for one in command.params if isinstance(one.type, Output) and one.type.has_journal]
        assert len(outputs) == 1, name
    assert len(READ) > 40


@pytest.mark.parametrize(("name", "read"), READ)
def test_every_file_that_is_read_is_known(name, read, tmp_path):
    command = RESUMING[name]
    line = []
    for parameter in command.params:
        path = tmp_path / f"{parameter.name}{SUFFIXES.get(type(parameter.type), '.lat')}"
        if parameter.name == read or (parameter.required and not isinstance(parameter.type, Output)):
            path.write_text("x")
        elif not parameter.required:
            continue
        value = f"{PREFIXES.get(type(parameter.type), '')}{path}"
        line += [parameter.opts[0], value] if parameter.param_type_name == "option" else [value]
        if parameter.name == read:
            expected = path
    with command.make_context(name, [*line, "--resume"]) as context:
        assert fingerprint(context)["files"][str(expected)] == [1, expected.stat().st_mtime_ns]


@pytest.fixture
def there(tmp_path, monkeypatch):
    """A folder to be in, with archives behind scripts of all names; journals stay when runs are done."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Journal, "remove", lambda _self: None)
    for name in ("meeting.ark", "meeting.words.txt", "meeting.lat.txt", "meeting.ref.txt"):
        shutil.copy(EXAMPLES / name, tmp_path)
    script = (EXAMPLES / "meeting.scp").read_text()
    for name in ("list", "folder/a.txt", "deep/one/list"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(script)
    Path("c.scp.gz").write_bytes(gzip.compress(script.encode()))
    Path("words").write_text("a b\n")
    shutil.copytree(EXAMPLES / "gallery.espnet", "espnet")
    return tmp_path


def touched(path: Path) -> None:
    state = path.stat()
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 1_000_000_000))


def small_wordnet(folder: Path, licence: str = "") -> Path:
    """A WordNet of one word."""
    folder.mkdir()
    for part in ("noun", "verb", "adj", "adv"):
        (folder / f"index.{part}").write_text(f"  {licence}\nboat n 1 0 1 1 00001740\n")
        (folder / f"{part}.exc").write_text("")
    return folder


def first(line: str) -> None:
    done = CliRunner().invoke(main._group, line.split())
    assert done.exit_code == 0, (done.output, done.exception)


def refused(line: str, what: str) -> None:
    done = CliRunner().invoke(main._group, line.split())
    assert isinstance(done.exception, UsageError), (done.output, done.exception)
    assert what in str(done.exception)


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("info list", "meeting.ark"),
        ("info list --from kaldi-script", "meeting.ark"),
        ("info c.scp.gz", "meeting.ark"),
        ("convert folder all.txt --to kaldi --symbols meeting.words.txt", "meeting.ark"),
        ("posteriors deep/**/list", "meeting.ark"),
        ("consensus list --symbols meeting.words.txt", "list"),
        ("consensus espnet --from espnet-nbest", "espnet/2best_recog/text"),
        ("mbr meeting.lat.txt --evidence list --symbols meeting.words.txt", "meeting.ark"),
        ("oracle list meeting.ref.txt --symbols meeting.words.txt --ignore @words", "words"),
        ("oracle list meeting.ref.txt --symbols meeting.words.txt -m wer -P wer.wildcard=@words", "words"),
        ("sweep list meeting.ref.txt --symbols meeting.words.txt --beams 2", "meeting.words.txt"),
        ("report list meeting.ref.txt --symbols meeting.words.txt", "meeting.ark"),
        ("tags --from-lattices list meeting.ref.txt --symbols meeting.words.txt", "meeting.ark"),
    ],
)
def test_what_has_changed_behind_a_name_is_noticed(line, changed, there):
    line = f"{line} --resume" if line.startswith("convert") else f"{line} --resume --output out"
    first(line)
    first(line)
    touched(there / changed)
    refused(line, f"the journal is of another run: {changed} changed")


def test_grammars_that_name_no_rule_are_known(there):
    pytest.importorskip("pynini")
    first("grammar build english --output .")
    line = "oracle meeting.lat.txt meeting.ref.txt --normalize english.far --resume --output out"
    first(line)
    touched(there / "english.far")
    refused(line, "english.far changed")


@pytest.mark.usefixtures("there")
def test_settings_of_the_environment_are_known(monkeypatch):
    line = "info list --resume --output out"
    first(line)
    monkeypatch.setenv(VARIABLE, "1G")
    refused(line, f"{VARIABLE} changed")


@pytest.mark.usefixtures("there")
def test_plug_ins_are_known(monkeypatch):
    line = "info list --resume --output out"
    first(line)
    plugin = EntryPoint("slots", "slots:FORMAT", "latticemetric.formats")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [plugin] if group == plugin.group else [])
    refused(line, "slots changed")


def test_wordnet_is_known_where_a_metric_may_use_it(there, monkeypatch):
    folder = small_wordnet(there / "wordnet")
    monkeypatch.setenv("NLTK_DATA", "")
    monkeypatch.setenv("WNSEARCHDIR", str(folder))
    with_it, without = (
        f"oracle meeting.lat.txt meeting.ref.txt --also-score {m} --resume -o {m}" for m in ("meteor", "bleu")
    )
    first(with_it)
    first(without)
    touched(folder / "index.noun")
    refused(with_it, "index.noun changed")
    first(without)


@pytest.mark.usefixtures("there")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_pipes_are_not_read_before_they_are_refused():
    os.mkfifo("pipe.lat")
    refused("info pipe.lat --resume --output out", "pipe.lat: this is not a regular file, and cannot be read again")
    refused("info list - --resume --output out", "a resumed run cannot read standard input again")
    assert not Path("out.journal").exists()


@pytest.mark.usefixtures("there")
def test_a_script_whose_archives_nobody_can_know_is_refused():
    with tarfile.open("all.tar", "w") as archive:
        archive.add("list")
    first("info all.tar --output out")
    refused("info all.tar --output out --resume", "meeting.ark: resume=… cannot detect changes")


def test_the_output_may_be_in_a_folder_that_nobody_can_read(there, monkeypatch):
    folder = there / "letterbox"
    folder.mkdir()
    given, synced = os.open, []

    def opened(path, flags, *rest, **named):
        if os.fspath(path) == str(folder):
            raise PermissionError(errno.EACCES, "Permission denied", str(folder))
        return given(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "sync", lambda: synced.append(True))
    first(f"info meeting.lat.txt --resume --output {folder}/out")
    assert synced == [True]
    assert (folder / "out").is_file()


def test_shards_tell_the_wordnet_that_they_used(there, monkeypatch):
    monkeypatch.setenv("NLTK_DATA", "")
    for number, name in ((1, "one"), (2, "two")):
        monkeypatch.setenv("WNSEARCHDIR", str(small_wordnet(there / name, licence=name)))
        shard = f"--shard {number}/2 --format json -o {number}.json"
        first(f"oracle meeting.lat.txt meeting.ref.txt --also-score meteor {shard}")
    refused("merge 1.json 2.json -o all.json", "they differ in WordNet")


def test_evidence_is_told_by_its_content_and_graphs_as_they_are_said_to_be():
    kinds = {p.name: p.type for p in COMMANDS["mbr"].params if isinstance(p.type, GraphFiles)}
    assert {name: kind._format_parameter for name, kind in kinds.items()} == {"graphs": "from_format", "evidence": None}
