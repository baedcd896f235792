"""Metrics and formats of other packages."""

from __future__ import annotations

import importlib.metadata

import pytest

import latticemetric as lm
from latticemetric.formats import registry as formats
from latticemetric.metrics import registry as metrics


class EntryPoint:
    """What `importlib.metadata` hands over for a plug-in."""

    def __init__(self, name, loaded):
        self.name, self.value, self._loaded = name, f"package:{name}", loaded

    def load(self):
        if isinstance(self._loaded, Exception):
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


def test_a_format_that_is_only_read_is_not_written(plugins, tmp_path):
    plugins(EntryPoint("slots", slots()))
    with pytest.raises(lm.UsageError, match="can only be read"):
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
    with pytest.raises(lm.FormatError, match="could be slots or slots2; say which with --from"):
        list(lm.read(tmp_path / "x"))
