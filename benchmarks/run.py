"""Measure everything in docs/performance.md, in a few minutes; `--long` adds sizes and runs."""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from forests import Chart, draw_forest, forest_search
from generate import SIZES, draw, kaldi_text, openfst_text, transition_ids
from measure import compare, cpu_time, median_of, run_command, time_call
from peers import libfst_command, pynini_best_path, write_metric
from scaling import scaling, search_of
from strings import pairs, string_metrics

import latticemetric as lm
from latticemetric.automata.reference import ReferenceGraph
from latticemetric.engine import native, openfst
from latticemetric.engine.search import Search
from latticemetric.formats.reading import entries
from latticemetric.lattice.openfst import fst_from_arrays

DOCS = Path(__file__).resolve().parent.parent / "docs"
BIN = Path(sys.executable).parent


def table(head: str, rows: Iterator[str]) -> Iterator[str]:
    """Yield a Markdown table."""
    yield head
    yield "|" + "---|" * (head.count("|") - 1)
    yield from rows
    yield ""


def _seconds(command: str) -> float:
    return run_command(command).seconds


def _megabytes(command: str) -> float:
    return run_command(command).megabytes


def searches(sizes: list[str], runs: int) -> Iterator[str]:
    """Compare the searches of the native and the openfst engine."""
    for name in sizes:
        for metric in (lm.GRR(4), lm.WER()):
            search = search_of(SIZES[name], metric)
            found, checked = native.search_lattice(search), openfst.search_lattice(search)
            assert found.ratio == checked.ratio
            assert (found.arcs == checked.arcs).all()
            ours = partial(time_call, partial(native.search_lattice, search))
            engine = compare(ours, partial(time_call, partial(openfst.search_lattice, search)), runs)
            machines = _machines(search)
            plain = compare(ours, partial(time_call, partial(pynini_best_path, *machines)), runs)
            yield (
                f"| {name}, {metric.name} | {engine.ours * 1e3:.2f} ms | {engine.theirs * 1e3:.0f} ms | "
                f"×{engine.ratio:.0f} | {plain.theirs * 1e3:.0f} ms | ×{plain.ratio:.0f} |"
            )


def forest_searches(runs: int) -> Iterator[str]:
    """Compare the searches of both engines on a forest that OpenFst can unfold."""
    for metric in (lm.GRR(4), lm.WER()):
        search = forest_search(Chart(words=5, edges=60, reference=6), metric)
        found, checked = native.search_forest(search), openfst.search_forest(search)
        assert found.gain == checked.gain
        assert (found.edges == checked.edges).all()
        ours = partial(time_call, partial(native.search_forest, search))
        engine = compare(ours, partial(time_call, partial(openfst.search_forest, search)), runs)
        count = search.forest.statistics().derivations
        yield (
            f"| {len(search.forest.head)} edges, {count:,} derivations, {metric.name} | {engine.ours * 1e3:.2f} ms | "
            f"{engine.theirs * 1e3:.0f} ms | ×{engine.ratio:.0f} |"
        )


def _machines(search: Search) -> tuple[Any, Any]:
    gains = search.gains
    assert isinstance(search.reference, np.ndarray)
    reference = ReferenceGraph.of_words(search.reference, gains.order)
    metric = openfst.metric_machine(reference, gains, openfst.weights_of_outputs(gains, openfst.NUMERATOR))
    metric.arcsort("ilabel")
    return fst_from_arrays(openfst.lattice_machine(search.lattice, search.label, reference.word)), metric


def commands(sizes: list[str], folder: Path, runs: int) -> Iterator[str]:
    """Compare `lattice-oracle` with the pipeline of OpenFst's tools, from files to the answer."""
    for name in sizes:
        size, drawn = SIZES[name], draw(SIZES[name])
        (folder / f"{name}.fst.txt").write_text(openfst_text(drawn))
        (folder / f"{name}.ref.txt").write_text(" ".join(map(str, drawn.reference)) + "\n")
        write_metric(folder, name, size.vocabulary, drawn.reference)
        ours = f"{BIN}/lattice-oracle {folder}/{name}.fst.txt {folder}/{name}.ref.txt --style plain --metric wer"
        theirs = libfst_command(folder, name)
        result = compare(partial(_seconds, ours), partial(_seconds, theirs), runs)
        memory, their_memory = (median_of(partial(_megabytes, c), 3) for c in (ours, theirs))
        yield (
            f"| {name} ({size.arcs:,} arcs) | {result.ours:.2f} s | {memory:.0f} MB | {result.theirs:.2f} s | "
            f"{their_memory:.0f} MB | ×{result.ratio:.1f} |"
        )


def archive(folder: Path, count: int) -> Iterator[str]:
    """Measure `lattice-oracle` on many lattices."""
    with (folder / "many.lat.txt").open("w") as lattices, (folder / "many.ref.txt").open("w") as references:
        for k in range(count):
            drawn = draw(SIZES["S"], k)
            lattices.write(kaldi_text(f"u{k:06d}", drawn))
            references.write(f"u{k:06d} {' '.join(map(str, drawn.reference))}\n")
    for workers in (1, 2):
        files = f"{folder}/many.lat.txt {folder}/many.ref.txt"
        command = f"{BIN}/lattice-oracle {files} --metric 4-grr --format jsonl --workers {workers}"
        seconds = median_of(partial(_seconds, command), 3)
        memory = _megabytes(command)
        yield f"| {count} × S, {workers} workers | {seconds:.2f} s | {count / seconds:.0f} | {memory:.0f} MB |"


def _read(path: Path) -> list[Any]:
    return list(lm.read(path))


def _build(builds: list[Callable[[], Any]]) -> list[Any]:
    return [build() for build in builds]


def kaldi_archives(sizes: list[str], folder: Path, real: Path | None) -> Iterator[str]:
    """Measure the CPU time of reading Kaldi archives, with and without transition ids, and of a real one."""

    def row(what: str, path: Path) -> str:
        graphs = [(name, graph) for name, graph in lm.read(path) if isinstance(graph, lm.Lattice)]
        arcs = sum(len(graph.word) for _, graph in graphs)
        text, binary = folder / "read.lat.txt", folder / "read.ark"
        lm.write(text, graphs)
        lm.write(binary, graphs)
        del graphs
        cells = []
        for file in (text, binary):
            built = [entry.build for entry in entries([file])]
            seconds = cpu_time(partial(_read, file)), cpu_time(partial(_build, built))
            cells += [f"{one * 1e3:.0f} ms" for one in seconds] + [f"{seconds[0] / arcs * 1e9:.0f} ns"]
        return f"| {what} ({arcs:,} arcs) | {' | '.join(cells)} |"

    path = folder / "drawn.lat.txt"
    for name in sizes:
        drawn = draw(SIZES[name])
        for what, labels in (("", None), (", 5 to 40 transition ids an arc", transition_ids(drawn))):
            path.write_text(kaldi_text(name, drawn, labels))
            yield row(name + what, path)
    if real is not None:
        yield row("a real archive", real)


def forest_files(folder: Path, runs: int) -> Iterator[str]:
    """Measure reading a forest from a file, and the whole command on this file."""
    forest, reference = draw_forest(Chart(edges=50_000))
    (folder / "forest.ref.txt").write_text(" ".join(map(str, reference)) + "\n")
    for name in ("moses-hypergraph", "cdec-json"):
        path = folder / f"forest.{name}"
        lm.write(path, [("forest", forest)], format=name)
        read = median_of(partial(time_call, partial(lm.read_one, path)), runs)
        command = f"{BIN}/lattice-oracle {path} {folder}/forest.ref.txt --metric 4-grr"
        whole = median_of(partial(_seconds, command), runs)
        size = path.stat().st_size / 1e6
        yield f"| {name}, {len(forest.head):,} edges, {size:.1f} MB | {read * 1e3:.0f} ms | {whole:.2f} s |"


def startup() -> Iterator[str]:
    """Measure the time of commands with almost no work."""
    example = DOCS.parent / "examples" / "data"
    small = f"{example}/harbour.fst.txt {example}/harbour.ref.txt --metric 4-grr"
    for what, command in (("`lattice-oracle --help`", "--help"), ("one small lattice", small)):
        seconds = median_of(partial(_seconds, f"{BIN}/lattice-oracle {command}"))
        bare = median_of(partial(_seconds, f"{sys.executable} -c 'import numpy'"))
        yield f"| {what} | {seconds:.3f} s | {bare:.3f} s |"


def report(folder: Path, *, long: bool, real: Path | None) -> Iterator[str]:
    """Yield the page of results."""
    sizes, runs = (["S", "M", "L"], 9) if long else (["S", "M"], 5)
    yield f"Measured with latticemetric {lm.__version__}, Python {platform.python_version()}, on {platform.machine()}."
    yield ""
    yield "### Search against search\n"
    head = "| lattice, metric | native | openfst engine | ratio | compose + shortestpath | ratio |"
    yield from table(head, searches(sizes, runs))
    yield from table("| forest, metric | native | openfst engine | ratio |", forest_searches(runs))
    if shutil.which("fstcompose"):
        yield "### From file to answer: WER oracle\n"
        head = "| lattice | lattice-oracle | memory | libfst-tools pipeline | memory | ratio |"
        yield from table(head, commands(["S", "M", "L"], folder, runs))
    yield "### Archives\n"
    yield from table("| archive | whole command | lattices a second | memory |", archive(folder, 1000))
    yield "### Reading Kaldi archives\n"
    head = "| archive | text | of it, building | an arc | binary | of it, building | an arc |"
    yield from table(head, kaldi_archives(["S", "M", "L"], folder, real))
    yield "### Forests from files\n"
    yield from table("| file | reading | whole command |", forest_files(folder, runs))
    yield "### Start-up\n"
    yield from table("| command | seconds | `import numpy` alone |", startup())
    yield "### Strings\n"
    yield from table("| ours | pairs a second | peer | pairs a second | ratio |", string_metrics(*pairs(20_000), 3))
    yield "### How search time grows\n"
    yield from table("| 4-GRR oracle | against | median search time | fitted exponent |", scaling(1_000_000))
    yield "```{image} _static/scaling.svg"
    yield ":alt: Search time of lattices and forests against their size and the reference's, on logarithmic scales"
    yield "```"


def main() -> None:
    """Measure, and write docs/performance/results.md and its plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--archive", type=Path, help="a Kaldi archive to read, beside those that are generated")
    arguments = parser.parse_args()
    target = DOCS / "performance" / "results.md"
    target.parent.mkdir(exist_ok=True)
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for line in report(Path(folder), long=arguments.long, real=arguments.archive):
            print(line, flush=True)
            lines.append(line)
    target.write_text("\n".join(lines) + "\n")
    if arguments.long:
        subprocess.run([sys.executable, Path(__file__).with_name("many_graphs.py")], check=True)


if __name__ == "__main__":
    main()
