"""Metrics, formats and verbs of other packages."""

from __future__ import annotations

import importlib.metadata
import json
import math
import os
import pickle
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
from kit.commands import PROGRAMS, assert_one_line_error, good, run
from kit.many_graphs import latticemetric
from kit.paths import ROOT

import latticemetric as lm
from latticemetric.formats import registry
from latticemetric.formats import registry as formats
from latticemetric.metrics import registry as metrics


class EntryPoint:
    """What `importlib.metadata` hands over for a plug-in."""

    def __init__(self, name, loaded):
        self.name, self.value, self._loaded = name, f"package:{name}", loaded

    def load(self):
        if isinstance(self._loaded, Exception | SystemExit):
            raise self._loaded
        return self._loaded


@pytest.fixture
def plugins(monkeypatch):
    """Registers entry points for one test, in registries that are put back."""
    metrics.metric_names()
    monkeypatch.setattr(metrics, "_factories", dict(metrics._factories))
    monkeypatch.setattr(formats, "_formats", dict(formats.formats()))

    def install(*points):
        monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points)  # noqa: ARG005

    return install


def test_a_metric_of_another_package_is_found_by_name(plugins):
    plugins(EntryPoint("half-wer", lambda **parameters: lm.GRR(1, alpha="0.5", **parameters)))
    assert lm.make_metric("half-wer", ignore=["x"]).gains.alpha * 2 == lm.make_metric("half-wer").gains.unit


def test_a_metric_that_does_not_load_is_a_warning_that_names_it(plugins):
    plugins(EntryPoint("broken", ImportError("no such module")))
    with (
        pytest.warns(UserWarning, match=r"'broken' \(package:broken\) does not load: no such module"),
        pytest.raises(lm.UsageError, match="no metric 'broken'"),
    ):
        lm.make_metric("broken")


def test_our_metrics_are_not_replaced(plugins):
    plugins(EntryPoint("wer", lambda: None))
    assert isinstance(lm.make_metric("wer"), lm.WER)
    assert "N-grr" in metrics.metric_names()


def test_our_metrics_are_not_replaced_by_plug_ins_that_come_first(plugins, monkeypatch):
    plugins(EntryPoint("wer", lambda: None))
    monkeypatch.setattr(metrics, "_factories", {})
    metrics.load_plugins()
    assert metrics._factories == {}


@pytest.mark.parametrize("name", ["2-grr", "WER", "4-gcr"])
def test_names_that_mean_our_metrics_are_no_plug_ins(plugins, name):
    plugins(EntryPoint(name, lambda: lm.GRR(1, alpha="0.5")))
    assert lm.make_metric(name).name == name.lower()
    metrics.load_plugins()
    assert name.lower() not in {*metrics._factories} - metrics.OWN_METRICS


def test_two_metrics_of_one_name_are_an_error():
    with pytest.raises(lm.UsageError, match="two metrics named 'wer'"):
        metrics.register("wer")(lambda: None)


def slots() -> formats.Format:
    """A format whose every file holds one lattice of one word."""

    def read(stream, _vocabulary):
        word = stream.read().split()[1].decode()
        yield formats.Entry("only", stream.name, lambda: lm.Lattice.from_strings([word]))

    return formats.Format("slots", (".slots",), lambda head: head.startswith(b"SLOTS"), read)


def test_a_format_of_another_package_is_recognised(plugins, tmp_path):
    plugins(EntryPoint("slots", slots()))
    (tmp_path / "x.slots").write_text("SLOTS hello\n")
    [(name, lattice)] = lm.read(tmp_path / "x.slots")
    assert (name, [path.words for path in lattice.paths()]) == ("only", [("hello",)])
    assert lm.read_one(tmp_path / "x.slots", format="slots").num_states == 2


def test_a_format_that_ends_the_process_is_a_warning(plugins, tmp_path):
    plugins(EntryPoint("broken", SystemExit("too old")))
    (tmp_path / "x.fst.txt").write_text("0 1 a a 1\n1\n")
    with pytest.warns(UserWarning, match=r"'broken' \(package:broken\) does not load: it ends the process: too old"):
        formats.with_plugins()


def test_a_format_that_is_only_read_is_not_written(plugins, tmp_path):
    plugins(EntryPoint("slots", slots()))
    with pytest.raises(lm.UsageError, match="can be read, but not written"):
        lm.write(tmp_path / "x", [("a", lm.Lattice.from_strings(["a"]))], format="slots")


def test_a_format_that_does_not_load_is_a_warning_that_names_it(plugins, tmp_path):
    plugins(EntryPoint("broken", ValueError("no")))
    (tmp_path / "x").write_text("what is this")
    with (
        pytest.warns(UserWarning, match=r"format plug-in 'broken'"),
        pytest.raises(lm.FormatError, match="not recognised"),
    ):
        list(lm.read(tmp_path / "x"))


def test_two_formats_of_one_name_are_an_error(plugins):
    plugins()
    with pytest.raises(lm.UsageError, match="two formats named 'plf'"):
        formats.register(formats.find_format("plf"))


def test_a_file_that_two_formats_recognise_is_an_error_that_names_them(plugins, tmp_path):
    plugins()
    both = slots()
    formats.register(both)
    formats.register(formats.Format("slots2", (), both.sniff, both.read))
    (tmp_path / "x").write_text("SLOTS hello\n")
    with pytest.raises(lm.FormatError, match="the format could be slots or slots2; choose one with format=…"):
        list(lm.read(tmp_path / "x"))


# --- What the page of plug-ins tells newcomers to do, done as it stands there

PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
EXAMPLES = ("A metric", "A format", "A verb")


def told(heading, language):
    """The only block of a section in one language."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", section[1], re.MULTILINE | re.DOTALL)
    return block


METRIC, FORMAT, VERB = (told(heading, "python") for heading in EXAMPLES)
DECLARED = re.search(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[1]


def install(folder, name, points, modules):
    """Leave a package in a folder as pip leaves it: its modules and its entry points."""
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text, encoding="utf-8")
    information = folder / f"{name}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    with (information / "entry_points.txt").open("w", encoding="utf-8") as file:
        for group, named in points.items():
            file.write(f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in named.items()))


def started(folder, *arguments, **variables):
    """Run a command where the packages of a folder are installed."""
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return run(*arguments, env={**os.environ, "PYTHONPATH": path, **variables}, cwd=folder)


EXAMINING = """
import json
from dataclasses import asdict
from latticemetric.cli.plugin_verbs import load_verb
from latticemetric.doctor import _loaded, examine, plugin_subjects
checking = {"metric": _loaded, "format": _loaded, "verb": lambda _, entry: load_verb(entry)}
subjects = [subject for kind, load in checking.items() for subject in plugin_subjects(kind, load)]
print(json.dumps({subject.name: asdict(examine(subject)) for subject in subjects}))
"""


def examined(folder):
    """The checks of plug-ins by doctor, by name, without its other checks, which take seconds."""
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-P", "-c", EXAMINING]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The package of the page, and the bundled examples."""
    folder = tmp_path_factory.mktemp("mine")
    shutil.copytree(ROOT / "examples" / "data", folder, dirs_exist_ok=True)
    points = tomllib.loads(DECLARED)["project"]["entry-points"]
    install(folder, "mine", points, {"my_metrics": METRIC, "my_formats": FORMAT, "my_verbs": VERB})
    return folder


@pytest.mark.parametrize("heading", EXAMPLES)
def test_a_package_of_ones_own_does_what_the_page_shows(heading, package):
    assert told(heading, "python").count("\n") <= 40
    path = os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"}
    commands = re.split(r"^\$ ", told(heading, "text"), flags=re.MULTILINE)[1:]
    for command, _, shown in (command.partition("\n") for command in commands):
        done = subprocess.run(
            ["bash", "-c", command], env=environment, cwd=package, capture_output=True, text=True, check=True
        )
        assert done.stdout == shown


def test_a_shell_completes_the_names_of_metrics_of_another_package(package):
    for words in ("oracle x y --metric sent", "score x y --metric sent"):
        names = {"_LATTICEMETRIC_COMPLETE": "bash_complete", "COMP_WORDS": f"latticemetric {words}", "COMP_CWORD": "5"}
        assert "sentence-accuracy" in started(package, "latticemetric", **names).stdout


def test_a_metric_of_our_own_as_the_guide_has_it(plugins, monkeypatch, tmp_path):
    plugins()
    text = METRIC.replace("@dataclass", '@register("sentence-accuracy")\n@dataclass')
    text = "from latticemetric.metrics.registry import register\n" + text
    (tmp_path / "sentence_accuracy.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(
        "latticemetric.metrics.__path__", [*sys.modules["latticemetric.metrics"].__path__, str(tmp_path)]
    )
    monkeypatch.setitem(metrics._HOME, "sentence-accuracy", "sentence_accuracy")
    assert "sentence-accuracy" in metrics.metric_names()
    assert lm.make_metric("sentence-accuracy").corpus(["a b", "c"], ["a b", "d"]).score == 0.5
    assert lm.mbr(lm.Lattice.from_strings(["a", "b"], costs=[1.0, 2.0]), "sentence-accuracy").words == ("a",)


def test_a_format_of_our_own_as_the_guide_has_it(plugins, monkeypatch, tmp_path):
    plugins()
    text = FORMAT.replace("SLOTS = Format(", "register(Format(").rstrip() + ")\n"
    (tmp_path / "slots.py").write_text(text.replace("Entry, Format", "Entry, Format, register"), encoding="utf-8")
    monkeypatch.setattr(
        "latticemetric.formats.__path__", [*sys.modules["latticemetric.formats"].__path__, str(tmp_path)]
    )
    monkeypatch.setitem(
        registry.BUILT_IN, "slots", registry.BuiltIn("slots", lambda head: head.begins(b"#"), "slots", "none", "none")
    )
    (tmp_path / "two.slots").write_text("#slots\nutt-1 the|a cat|cats\n", encoding="utf-8")
    [(name, graph)] = lm.read(tmp_path / "two.slots")
    assert (name, graph.statistics().paths) == ("utt-1", 4)
    assert "slots" in formats.formats()


# --- Verbs of other packages


def test_a_verb_of_another_package_is_one_of_the_verbs(package):
    text = good(started(package, "latticemetric", "--help")).stdout
    section = re.search(r"^Graphs without references:\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)[1]
    assert re.search(r"^  doubts +list words of low confidence$", section, re.MULTILINE)
    names = {"_LATTICEMETRIC_COMPLETE": "bash_complete", "COMP_CWORD": "1"}
    assert "doubts" in started(package, "latticemetric", COMP_WORDS="latticemetric do", **names).stdout
    names["COMP_CWORD"] = "3"
    words = "latticemetric doubts x --keep-g"
    assert "--keep-going" in started(package, "latticemetric", COMP_WORDS=words, **names).stdout
    assert_one_line_error(started(package, "latticemetric", "doubts", "x", "--below", "nan"), "not a finite number")
    found = started(package, "latticemetric", "doctor", "--format", "json").json["checks"]
    checks = {check["name"]: (check["state"], check["found"]) for check in found if check["group"] == "plug-ins"}
    assert checks == {
        "metric sentence-accuracy": ("ok", "my_metrics:SentenceAccuracy of mine 1.0"),
        "format slots": ("ok", "my_formats:SLOTS of mine 1.0"),
        "verb doubts": ("ok", "my_verbs:VERB of mine 1.0"),
    }


def test_a_verb_of_another_package_makes_the_same_mistakes_known(package):
    assert_one_line_error(started(package, "latticemetric", "doubt"), "no verb 'doubt'; did you mean doubts")
    assert_one_line_error(started(package, "latticemetric", "info", "--below", "1"), "these verbs have it: doubts;")
    done = started(package, "latticemetric", "doubts", "ferry.slf", "-o", "ferry.slf")
    assert_one_line_error(done, "--output would overwrite an input")
    assert_one_line_error(started(package, "latticemetric", "doubts", "no"), "no: .*there is no such file")


def test_runs_of_a_verb_of_another_package_are_runs_as_others(package):
    whole = good(started(package, "latticemetric", "doubts", "meeting.lat.txt", "--format", "json")).stdout
    for number in (1, 2):
        options = ("--shard", f"{number}/2", "--format", "json", "-o", f"{number}.json", "--workers", "2", "--resume")
        good(started(package, "latticemetric", "doubts", "meeting.lat.txt", *options))
    assert good(started(package, "latticemetric", "merge", "--format", "json", "1.json", "2.json")).stdout == whole
    for name in ("text", "tsv", "jsonl"):
        done = started(package, "latticemetric", "doubts", "meeting.lat.txt", "--format", name)
        assert started(package, "latticemetric", "merge", "1.json", "2.json", "--format", name).stdout == done.stdout
    lines = good(started(package, "latticemetric", "doubts", "lighthouse.cn", "--format", "jsonl")).stdout.splitlines()
    assert json.loads(lines[0]) == {"id": "1", "words": 5, "doubtful": []}


def test_a_graph_that_fails_has_its_error_in_the_table_of_a_verb_of_another_package(package):
    (package / "bad.jsonl").write_text('{"id": "a", "nbest": ["b"]}\n{"id": "c", "nbest": []}\n')
    done = started(package, "latticemetric", "doubts", "bad.jsonl", "--keep-going")
    assert done.status == 1
    assert [line.split()[:3] for line in done.stdout.splitlines()][1:] == [["a", "1"], ["c", "bad.jsonl:2", "(c):"]]


SOUND = """
from latticemetric.verbs import verb

@verb({!r})
def VERB():
    \"\"\"Say hello to you. And more.\"\"\"
    print("hello")
"""
BROKEN = {
    "an import": ("import no_such_module", "odd", "does not load: No module named 'no_such_module'"),
    "an exit": ("raise SystemExit('too old')", "odd", "does not load: it ends the process: too old"),
    "a key": ("{}['none']", "odd", "does not load: KeyError: 'none'; correct or remove it"),
    "no such name": ("", "odd", "does not load: module 'odd' has no attribute 'VERB'"),
    "no verb": ("VERB = 5", "odd", "is an object of int, not a verb; make it with latticemetric.verbs.verb"),
    "a command of click": (
        "import click\nVERB = click.Command('odd')", "odd", "is an object of Command, not a verb; make it with",
    ),
    "an empty group": ("import click\nVERB = click.Group('odd')", "odd", "is an object of Group, not a verb"),
    "a built-in name": (SOUND.format("info"), "info", "has the name of a verb of latticemetric; rename it"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_verb_is_an_error_that_names_its_package_and_others_go_on(case, tmp_path):
    text, name, message = BROKEN[case]
    install(tmp_path, "ours", {"latticemetric.verbs": {name: "odd:VERB"}}, {"odd": text})
    install(tmp_path, "sound", {"latticemetric.verbs": {"hello": "hello:VERB"}}, {"hello": SOUND.format("any name")})
    title = rf"the verb plug-in '{name}' \(odd:VERB of ours 1.0\) {re.escape(message)}"
    if name == "odd":
        assert_one_line_error(started(tmp_path, "latticemetric", "odd", "--help"), title)
    else:  # it is never run
        assert "Show the sizes of GRAPHS" in good(started(tmp_path, "latticemetric", name, "--help")).stdout
    assert good(started(tmp_path, "latticemetric", "hello")).stdout == "hello\n"
    listed = " ".join(good(started(tmp_path, "latticemetric", "--help", COLUMNS="300")).stdout.split())
    assert "Verbs of other packages: " in listed
    assert re.search("hello +Say hello to you.", listed)
    assert (name == "odd") == bool(re.search(f"odd is broken: {title}", listed))
    words = {"COMP_WORDS": f"latticemetric {name} --he", "COMP_CWORD": "2", "_LATTICEMETRIC_COMPLETE": "bash_complete"}
    completed = started(tmp_path, "latticemetric", **words)
    assert (completed.status, completed.stderr) == (0, "")
    checks = examined(tmp_path)
    assert re.search(title.partition(";")[0], checks[f"verb {name}"]["problem"])
    assert (checks[f"verb {name}"]["state"], checks["verb hello"]["state"]) == ("broken", "ok")


ASKED = {
    "verb": ("odd",),
    "metric": ("score", "letters.new.txt", "letters.ref.txt", "-m", "odd"),
    "format": ("info", "two.slots", "--from", "odd"),
}


@pytest.mark.parametrize("kind", ASKED)
def test_two_plug_ins_of_one_name_are_an_error_that_names_both_packages(kind, tmp_path):
    """The first of the two would be taken, which depends on the order of folders."""
    shutil.copytree(ROOT / "examples" / "data", tmp_path, dirs_exist_ok=True)
    text = {"verb": SOUND.format("odd"), "metric": "import latticemetric as lm\nVERB = lm.WER()"}.get(kind, "VERB = 1")
    for package in ("one", "two"):
        install(tmp_path, package, {f"latticemetric.{kind}s": {"odd": f"{package}:VERB"}}, {package: text})
    done = started(tmp_path, "latticemetric", *ASKED[kind])
    message = r"'odd' \((one|two):VERB of .* 1.0\) does not load: (one|two):VERB of .* 1.0 has the same name"
    assert (done.status, done.stdout, bool(re.search(message, done.stderr))) == (2, "", True), done.stderr
    checks = examined(tmp_path)
    assert (checks[f"{kind} odd"]["state"], "has the same name" in checks[f"{kind} odd"]["problem"]) == ("broken", True)


PRINTING = {
    "verb": (SOUND.format("odd"), ("odd",)),
    "metric": (
        "import latticemetric as lm\nVERB = lm.WER()",
        ("score", "letters.new.txt", "letters.ref.txt", "-m", "odd", "--resamples", "0", "--format", "tsv"),
    ),
    "format": (FORMAT.replace("SLOTS", "VERB"), ("info", "two.slots", "--from", "odd", "--format", "tsv")),
}


@pytest.mark.parametrize("kind", PRINTING)
def test_what_a_plug_in_prints_when_it_is_imported_is_no_result(kind, tmp_path):
    text, command = PRINTING[kind]
    shutil.copytree(ROOT / "examples" / "data", tmp_path, dirs_exist_ok=True)
    (tmp_path / "two.slots").write_text("#slots\nutt-1 the|a cat|cats\n", encoding="utf-8")
    install(
        tmp_path, "ours", {f"latticemetric.{kind}s": {"odd": "odd:VERB"}}, {"odd": f"{text}\nprint('loud\\nnoise')\n"}
    )
    done = good(started(tmp_path, "latticemetric", *command))
    assert "loud" not in done.stdout
    says = f"warning: {kind} plug-in 'odd' (odd:VERB of ours 1.0) prints when it is imported: loud noise\n"
    assert done.stderr.count(says) == 1
    checks = examined(tmp_path)
    assert (checks[f"{kind} odd"]["state"], "prints when" in checks[f"{kind} odd"]["problem"]) == ("broken", True)


# --- Names of plug-ins, and plug-ins that are functions


class ContentWER(lm.WER):
    """A subclass that keeps the name of its base."""

    def __init__(self, **parameters):
        super().__init__(ignore=["the", "a"], **parameters)


def length_ratio(hypothesis, reference, *, power=1):
    return (len(hypothesis) / len(reference)) ** power if reference else None


def errors(hypothesis, reference):
    return abs(len(hypothesis.split()) - len(reference.split()))


errors.higher_is_better = False


def test_a_metric_has_the_name_of_its_entry_point(plugins):
    plugins(EntryPoint("content-wer", ContentWER), EntryPoint("Half", lambda: lm.GRR(1, alpha="0.5")))
    found = lm.score(["the cat", "a dog"], ["a cat", "dogs"], "wer,content-wer,half")
    assert found.values == {"wer": 1.0, "content-wer": 0.5, "Half": 1 / 6}
    assert [one.signature.split("|")[0] for one in found] == ["wer", "content-wer", "Half"]
    metric = lm.make_metric("content-wer", substitution=2)
    again = pickle.loads(pickle.dumps(metric))
    assert (again, again.name, hash(again)) == (metric, "content-wer", hash(metric))
    assert (metric.substitution, isinstance(metric, ContentWER), ContentWER().name) == (2, True, "wer")
    lattice = lm.Lattice.from_strings(["the cat", "a bat"], costs=[1.0, 0.0])
    best = lm.oracle(lattice, "cat", metric)
    assert (best.words, best.signature.split("|")[0]) == (("cat",), "content-wer")
    assert lm.expected(lattice, "cat", metric).exact


def test_a_metric_that_is_an_object_is_taken_as_it_is(plugins):
    plugins(EntryPoint("two", lm.GRR(2)))
    assert (lm.make_metric("two").name, lm.make_metric("two").order) == ("two", 2)
    with pytest.raises(lm.UsageError, match="metric 'two' has no parameter 'alpha'"):
        lm.make_metric("two", alpha=1)


def test_a_function_of_two_texts_is_a_metric(plugins):
    plugins(EntryPoint("length", length_ratio), EntryPoint("off-by", errors))
    said, meant = ["ab", "abc", "x"], [[["abcd"], ["abc"]], [["ab"]], [""]]
    metric = lm.make_metric("length")
    assert [metric.score(*pair) for pair in zip(said, meant, strict=True)] == [2 / 3, 1.5, None]
    assert metric.corpus(said, meant).score == pytest.approx((2 / 3 + 1.5) / 2)
    assert str(metric.signature) == (
        f"length|function:{__name__}.length_ratio|refs:1|case:mixed|tok:none|v:{lm.__version__}"
    )
    squared = lm.make_metric("length", power=2)
    assert (squared.score("ab", "abcd"), squared.signature.fields["power"]) == (0.25, "2")
    assert pickle.loads(pickle.dumps(squared)) == squared != metric
    assert not lm.make_metric("off-by").higher_is_better
    assert lm.make_metric("off-by").score("a b c", [["a"], ["a", "b"]]) == 1
    nbest = lm.NBest.from_strings(["a b c", "a b", "a"], costs=[0.0, 0.0, 0.0])
    assert lm.mbr(nbest, "off-by").words == ("a", "b")
    found = lm.score(said, meant, "length,wer")
    assert found["length"].segments == {"1": 2 / 3, "2": 1.5, "3": None}


@pytest.mark.parametrize(
    ("function", "name", "message"),
    [
        (str.upper, None, "not a function of a hypothesis and a reference; give one that takes two strings"),
        ("wer", None, "str is not a function of a hypothesis"),
        (lm.WER, None, "WER is not a function of a hypothesis"),
        (errors, "", "'' is not the name of a metric"),
    ],
)
def test_what_is_no_function_of_two_texts_is_refused(function, name, message):
    with pytest.raises(lm.UsageError, match=message):
        lm.metric_from_function(function, name)


@pytest.mark.parametrize(
    ("value", "message"),
    [("0.5", r"returns '0.5'; return a finite number"), (math.inf, "returns inf"), ([1, 2], r"returns \[1, 2\]")],
)
def test_what_is_no_score_is_refused(value, message):
    with pytest.raises(lm.UsageError, match=message):
        lm.metric_from_function(lambda _h, _r: value, "odd").score("a", "a")
    assert lm.metric_from_function(lambda _h, _r: math.nan, "odd").score("a", "a") is None
    with pytest.raises(lm.UsageError, match="the metric odd fails on 'a' and 'b': ZeroDivisionError: division by zero"):
        lm.metric_from_function(lambda h, r: 1 / 0, "odd").score("a", "b")  # noqa: ARG005


@pytest.mark.parametrize(
    ("loaded", "message"),
    [
        (lambda: 3, "plug-in 'odd' makes an object of int, not a metric"),
        (lambda: 1 / 0, "plug-in 'odd' fails: ZeroDivisionError: division by zero"),
        (5, r"no metric 'odd': plug-in 'odd' \(package:odd\) does not load: it is an object of int"),
        (ImportError("no\nlibrary"), r"no metric 'odd': plug-in 'odd' \(package:odd\) does not load: no library"),
        (
            SystemExit(7),
            r"no metric 'odd': plug-in 'odd' \(package:odd\) does not load: it ends the process, with status 7",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:metric plug-in 'odd'")
def test_a_plug_in_that_is_no_metric_is_refused_in_one_line(plugins, loaded, message):
    plugins(EntryPoint("odd", loaded))
    with pytest.raises(lm.UsageError, match=message) as refused:
        lm.make_metric("odd")
    assert "\n" not in str(refused.value)


def test_plug_ins_that_nobody_asks_for_are_not_imported(plugins):
    plugins(EntryPoint("broken", ImportError("no")), EntryPoint("half", lambda: lm.GRR(1, alpha="0.5")))
    assert lm.make_metric("half").name == "half"  # warnings are errors


def test_a_format_has_the_name_of_its_entry_point(plugins, tmp_path):
    plugins(EntryPoint("trays", slots()))
    (tmp_path / "x").write_text("SLOTS hello\n")
    assert lm.read_one(tmp_path / "x", format="trays").num_states == 2


def test_one_metric_is_given_once():
    data = ROOT / "examples" / "data"
    files = (data / "letters.new.txt", data / "letters.ref.txt")
    for verb, metrics_given in (("score", "wer,WER"), ("score", "chrf,wer,chrf")):
        done = latticemetric(verb, *files, "-m", metrics_given)
        assert done.status == 2
        assert "is given twice; leave one of them out" in done.stderr
