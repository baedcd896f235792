"""Benchmarks of runs over many graphs: they run, all ways write the same, and fits find what is there."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from kit.paths import ROOT

from latticemetric import InputError

sys.path.insert(0, str(ROOT / "benchmarks"))
import many_graphs
import run_costs
import weights
from generate import Size
from memory import Sample

pytestmark = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="memory is sampled in /proc")

TINY = Size(8, 20, 30, 4)


def test_all_ways_are_measured_and_write_the_same(tmp_path):
    pytest.importorskip("matplotlib")
    files = many_graphs.generate(tmp_path, 9, TINY)
    runs = many_graphs.measure(files, 1)
    assert set(runs) == {way.name for way in many_graphs.WAYS}
    table = list(many_graphs.rows(runs, 9))
    assert len(table) == 2 + len(many_graphs.WAYS)
    assert all(row.count("|") == table[0].count("|") for row in table)
    assert files.output.with_suffix(".tsv").read_text().count("\n") == 10
    many_graphs.plot(runs, tmp_path / "memory.svg")
    assert "largest process" in (tmp_path / "memory.svg").read_text()


def test_ways_that_write_something_else_are_noticed(tmp_path, monkeypatch):
    files = many_graphs.generate(tmp_path, 2, TINY)
    written = iter("ab")

    def run(_way, _files):
        return many_graphs.Run(1.0, 1.0, [Sample(0.0, 1.0, 1.0, 1.0)], next(written))

    monkeypatch.setattr(many_graphs, "run", run)
    monkeypatch.setattr(many_graphs, "WAYS", many_graphs.WAYS[:2])
    with pytest.raises(AssertionError, match="do not write the same bytes"):
        many_graphs.measure(files, 1)


def test_a_way_that_fails_is_an_error(tmp_path):
    files = many_graphs.generate(tmp_path, 2, TINY)
    with pytest.raises(RuntimeError, match="failed"):
        many_graphs.run(many_graphs.Way("none", [f"{sys.executable} -c raise(SystemExit(3))"]), files)


def test_constants_are_found_where_they_are_known():
    sizes = [(arcs, words) for arcs in (100, 1_000, 10_000) for words in (5, 25)]
    terms = [[1.0, words, arcs, arcs * words] for arcs, words in sizes]
    known = np.array([1e-4, 2e-6, 3e-8, 4e-10])
    assert run_costs.fitted(terms, np.array(terms) @ known) == pytest.approx(known)
    # What would be negative is nothing.
    assert run_costs.fitted(terms, np.array(terms) @ [1e-4, 0, 3e-8, -1e-12])[3] == 0


def test_a_prediction_sums_all_parts():
    found = run_costs.Model(
        {"kaldi": np.array([1.0, 0.1])}, {"wer": np.array([2.0, 0.5, 0.01, 0.001])}, rest=0.25, start=7.0
    )
    expected = 7 + 3 * (1 + 0.1 * 100 + 2 + 0.5 * 10 + 0.01 * 100 + 0.001 * 100 * 10 + 0.25)
    assert found.predicted(Size(20, 100, 30, 10), 3, "kaldi", "wer") == pytest.approx(expected)


def test_archives_of_all_formats_hold_the_same(tmp_path):
    import latticemetric as lm

    one = run_costs.archive(tmp_path, TINY, 100)
    assert one.number == 5
    graphs = [[graph for _, graph in lm.read(path)] for path in one.paths.values()]
    for several in zip(*graphs, strict=True):
        assert len({graph.word.tobytes() for graph in several}) == 1
    assert one.references.read_text().count("\n") == 5
    with pytest.raises(InputError):
        next(lm.read(one.references, format="kaldi"))


def test_tuning_of_drawn_graphs_is_measured():
    rows = list(weights.of_drawn_graphs(6, 3, TINY))
    assert [row.parts > 0 for row in rows] == [True, True]
    assert all(str(row).count("|") == weights.HEAD.splitlines()[0].count("|") for row in rows)
    lattice = weights.sausage(4)[0]
    wider = weights.with_bigrams(lattice, [["w1", "w2"], ["w1"]])
    assert {path.words for path in wider.paths()} == {path.words for path in lattice.paths()}
