"""Metrics and formats of other packages."""

from __future__ import annotations

import importlib.metadata
import math
import os
import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
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
    with pytest.raises(lm.FormatError, match="the format could be slots or slots2; choose one with --from"):
        list(lm.read(tmp_path / "x"))


# --- What CONTRIBUTING.md tells newcomers to do, done as it stands there

GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def told(heading, language):
    """The blocks of a section in one language."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", GUIDE, re.MULTILINE | re.DOTALL)
    return re.findall(rf"^```{language}\n(.*?)^```", section[1], re.MULTILINE | re.DOTALL)


METRIC, FORMAT = told("Add a metric", "python")[0], told("Add a format", "python")[0]


@pytest.fixture
def package(tmp_path):
    """A package of somebody's own, as pip leaves it, and a way to run a command where it is installed."""
    metric, count = re.subn(
        r"^@register.*\n|^from latticemetric\.metrics\.registry.*\n", "", METRIC, flags=re.MULTILINE
    )
    assert count == 2
    format_, count = re.subn(r"^register\((.*)\)$", r"SLOTS = \1", FORMAT.replace(", register", ""), flags=re.MULTILINE)
    assert count == 1
    (tmp_path / "my_metrics.py").write_text(metric, encoding="utf-8")
    (tmp_path / "my_formats.py").write_text(format_, encoding="utf-8")
    information = tmp_path / "mine-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n", encoding="utf-8")
    with (information / "entry_points.txt").open("w", encoding="utf-8") as file:
        for heading in ("Add a metric", "Add a format"):
            for group, points in tomllib.loads(told(heading, "toml")[0])["project"]["entry-points"].items():
                file.write(f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in points.items()))

    def run(*arguments):
        program = Path(sys.executable).parent / arguments[0]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        return subprocess.run(
            [program, *map(str, arguments[1:])], env=environment, capture_output=True, text=True, check=True
        ).stdout

    return run


def test_a_metric_in_a_package_of_ones_own_as_the_guide_has_it(package):
    data = ROOT / "examples" / "data"
    asked = ("--metrics", "sentence-accuracy", "--resamples", "0", "--format", "tsv")
    lines = package("latticemetric", "score", data / "letters.new.txt", data / "letters.ref.txt", *asked).splitlines()
    assert dict(zip(*(line.split("\t") for line in lines), strict=True))["score"] == str(4 / 12)


def test_a_format_in_a_package_of_ones_own_as_the_guide_has_it(package, tmp_path):
    (tmp_path / "two.slots").write_text("#slots\nutt-1 the|a cat|cats\n", encoding="utf-8")
    (tmp_path / "ref.txt").write_text("utt-1 a cat\n", encoding="utf-8")
    asked = ("lattice-oracle", tmp_path / "two.slots", tmp_path / "ref.txt", "--metric", "wer")
    assert package(*asked).split() == ["utt-1", "0.00%", "0/2", "a", "cat"]


def test_a_metric_of_our_own_as_the_guide_has_it(plugins, monkeypatch, tmp_path):
    plugins()
    (tmp_path / "sentence_accuracy.py").write_text(METRIC, encoding="utf-8")
    monkeypatch.setattr(
        "latticemetric.metrics.__path__", [*sys.modules["latticemetric.metrics"].__path__, str(tmp_path)]
    )
    monkeypatch.setitem(metrics._HOME, "sentence-accuracy", "sentence_accuracy")
    assert "sentence-accuracy" in metrics.metric_names()
    assert lm.make_metric("sentence-accuracy").corpus(["a b", "c"], ["a b", "d"]).score == 0.5
    assert lm.mbr(lm.Lattice.from_strings(["a", "b"], costs=[1.0, 2.0]), "sentence-accuracy").words == ("a",)


def test_a_format_of_our_own_as_the_guide_has_it(plugins, monkeypatch, tmp_path):
    plugins()
    (tmp_path / "slots.py").write_text(FORMAT, encoding="utf-8")
    monkeypatch.setattr(
        "latticemetric.formats.__path__", [*sys.modules["latticemetric.formats"].__path__, str(tmp_path)]
    )
    monkeypatch.setitem(registry.BUILT_IN, "slots", registry.BuiltIn("slots", lambda head: head.begins(b"#")))
    (tmp_path / "two.slots").write_text("#slots\nutt-1 the|a cat|cats\n", encoding="utf-8")
    [(name, graph)] = lm.read(tmp_path / "two.slots")
    assert (name, graph.statistics().paths) == ("utt-1", 4)
    assert "slots" in formats.formats()


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
