"""What cannot be written is refused, graph by graph, and leaves nothing behind."""

import gc
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import latticemetric as lm
from latticemetric.formats import registry

EMPTY = lm.Vocabulary({0: "<eps>", 1: "", 2: "a"})


def with_empty_word() -> lm.Lattice:
    """Return a lattice with an arc whose word has no letters, which is not ε."""
    return lm.Lattice.from_arcs([0, 1], [1, 2], [1, 2], final=[2], vocabulary=EMPTY)


@pytest.mark.parametrize("name", ["b" * 300, "é" * 130, "x" * 254])
def test_an_id_that_the_file_system_refuses_is_the_failure_of_its_graph(name, tmp_path):
    graph = lm.Lattice.from_strings(["a b"])
    refused = {}
    folder = f"{tmp_path}/graphs/"
    count = lm.write(
        folder,
        [("first", graph), (name, graph), ("last", graph)],
        format="openfst",
        refused=lambda one, error: refused.update({one: str(error)}),
    )
    assert count == 2
    assert sorted(path.name for path in (tmp_path / "graphs").iterdir()) == ["first.fst", "last.fst"]
    assert list(refused) == [name]
    assert "cannot name a file" in refused[name]
    with pytest.raises(lm.UsageError, match="write all graphs to one file"):
        lm.write(folder, [(name, graph)], format="openfst")


@pytest.mark.parametrize("name", sorted(one.name for one in registry.formats().values() if one.can_be_written))
def test_a_word_without_letters_is_kept_or_refused(name, tmp_path):
    path = tmp_path / ("x.scp" if name == "kaldi-script" else "x")
    for graph in (with_empty_word(), lm.Forest.from_lattice(with_empty_word())):
        try:
            lm.write(path, [("u", graph)], format=name)
        except lm.LatticeMetricError:
            continue
        (found,) = (one for _, one in lm.read(path, format=name, symbols=EMPTY if name.startswith("kaldi") else None))
        lattice = found.to_lattice() if isinstance(found, lm.Forest) else found
        assert isinstance(lattice, lm.Lattice)
        spelled = lattice.vocabulary.words(lattice.word[np.argsort(lattice.source)])
        assert (spelled, (lattice.word != 0).all()) == (["", "a"], True)


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("before", [1, 1500])
def test_a_graph_of_another_kind_leaves_no_ignored_exception(suffix, before, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    ignored = []
    monkeypatch.setattr(sys, "unraisablehook", lambda problem: ignored.append(problem.exc_value))
    nbest = lm.NBest.from_strings(["a"], log_probs=[-1.0])
    graphs = [*((f"u{k}", nbest) for k in range(before)), ("v", lm.Lattice.from_strings(["a"]))]
    with pytest.raises(lm.UsageError, match="holds n-best lists, but this is a lattice"):
        lm.write(tmp_path / f"x.{suffix}", graphs)
    gc.collect()
    assert ignored == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="there are no files in memory")
def test_a_refused_file_in_memory_leaves_nothing_behind():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        source, target = Path(folder, "x.txt"), Path(folder, "x.plf")
        source.write_text("u\n0 1 a 1,2,3_4\n1\n\n")
        labelled = list(lm.read(source))  # PLF stores no labels
        with pytest.raises(lm.LatticeMetricError, match="plf"):
            lm.write(target, labelled, format="plf")
        assert not target.exists()
        target.write_text("before")
        with pytest.raises(lm.LatticeMetricError, match="plf"):
            lm.write(target, labelled, format="plf")
        assert target.read_text() == "before"
