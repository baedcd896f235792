"""Everything in docs/performance.md, measured here and now, in a few minutes; `--long` for more sizes and runs."""

from __future__ import annotations

import argparse
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from generate import SIZES, Size, draw, kaldi_text, openfst_text
from measure import compare, median_of, run_command, time_call
from peers import libfst_command, pynini_best_path, write_metric
from strings import pairs, string_metrics

import latticemetric as lm
from latticemetric.automata.recognition import recognition_automaton
from latticemetric.engine import native, openfst
from latticemetric.engine.search import Search
from latticemetric.interchange import fst_from_arrays

DOCS = Path(__file__).resolve().parent.parent / "docs"
BIN = Path(sys.executable).parent


def search_of(size: Size, metric: lm.GRR, seed: int = 0) -> Search:
    """A generated lattice and its reference, ready to be searched."""
    drawn = draw(size, seed)
    costs = {
        name: lm.Column(values, np.zeros(1)) for name, values in (("lm", drawn.graph), ("acoustic", drawn.acoustic))
    }
    lattice = lm.Lattice.from_arcs(drawn.source, drawn.target, drawn.word, final=[drawn.states - 1], scores=costs)
    is_word = (lattice.word != 0).astype(np.uint8)
    return Search(lattice, lattice.word, is_word, lattice.cost(), np.array(drawn.reference, np.int32), metric.gains)


def table(head: str, rows: Iterator[str]) -> Iterator[str]:
    """A Markdown table."""
    yield head
    yield "|" + "---|" * (head.count("|") - 1)
    yield from rows
    yield ""


def searches(sizes: list[str], runs: int) -> Iterator[str]:
    """Native against openfst, search against search."""
    for name in sizes:
        for metric in (lm.GRR(4), lm.WER()):
            search = search_of(SIZES[name], metric)
            found, checked = native.best_path(search), openfst.best_path(search)
            assert found.gain == checked.gain
            assert (found.arcs == checked.arcs).all()
            ours = partial(time_call, partial(native.best_path, search))
            engine = compare(ours, partial(time_call, partial(openfst.best_path, search)), runs)
            machines = _machines(search)
            plain = compare(ours, partial(time_call, lambda m=machines: pynini_best_path(*m)), runs)
            yield (
                f"| {name}, {metric.name} | {engine.ours * 1e3:.2f} ms | {engine.theirs * 1e3:.0f} ms | "
                f"×{engine.ratio:.0f} | {plain.theirs * 1e3:.0f} ms | ×{plain.ratio:.0f} |"
            )


def _machines(search: Search) -> tuple[Any, Any]:
    automaton = recognition_automaton(search.reference, search.gains.order)
    metric = fst_from_arrays(openfst._metric_machine(automaton, search))
    metric.arcsort("ilabel")
    return fst_from_arrays(openfst._lattice_machine(search)), metric


def commands(sizes: list[str], folder: Path, runs: int) -> Iterator[str]:
    """The whole command against the libfst-tools pipeline, from file to answer."""
    for name in sizes:
        size, drawn = SIZES[name], draw(SIZES[name])
        (folder / f"{name}.fst.txt").write_text(openfst_text(drawn))
        (folder / f"{name}.ref.txt").write_text(" ".join(map(str, drawn.reference)) + "\n")
        write_metric(folder, name, size.vocabulary, drawn.reference)
        ours = f"{BIN}/lattice-oracle {folder}/{name}.fst.txt {folder}/{name}.ref.txt --references plain --metric wer"
        theirs = libfst_command(folder, name)
        result = compare(lambda c=ours: run_command(c).seconds, lambda c=theirs: run_command(c).seconds, runs)
        memory, their_memory = (median_of(lambda c=c: run_command(c).megabytes, 3) for c in (ours, theirs))
        yield (
            f"| {name} ({size.arcs:,} arcs) | {result.ours:.2f} s | {memory:.0f} MB | {result.theirs:.2f} s | "
            f"{their_memory:.0f} MB | ×{result.ratio:.1f} |"
        )


def archive(folder: Path, count: int) -> Iterator[str]:
    """Many lattices, whole command."""
    with (folder / "many.lat.txt").open("w") as lattices, (folder / "many.ref.txt").open("w") as references:
        for k in range(count):
            drawn = draw(SIZES["S"], k)
            lattices.write(kaldi_text(f"u{k:06d}", drawn))
            references.write(f"u{k:06d} {' '.join(map(str, drawn.reference))}\n")
    for workers in (1, 2):
        command = f"{BIN}/lattice-oracle {folder}/many.lat.txt {folder}/many.ref.txt --format jsonl --workers {workers}"
        seconds = median_of(lambda c=command: run_command(c).seconds, 3)
        memory = run_command(command).megabytes
        yield f"| {count} × S, {workers} workers | {seconds:.2f} s | {count / seconds:.0f} | {memory:.0f} MB |"


def startup() -> Iterator[str]:
    """What a user waits for when there is next to nothing to do."""
    example = DOCS.parent / "examples" / "data"
    small = f"{example}/harbour.fst.txt {example}/harbour.ref.txt"
    for what, command in (("`lattice-oracle --help`", "--help"), ("one small lattice", small)):
        seconds = median_of(lambda c=command: run_command(f"{BIN}/lattice-oracle {c}").seconds)
        bare = median_of(lambda: run_command(f"{sys.executable} -c 'import numpy'").seconds)
        yield f"| {what} | {seconds:.3f} s | {bare:.3f} s |"


def scaling(longest: int) -> Iterator[str]:
    """Search time against arcs and against reference words, with fitted exponents and a plot."""
    arcs = [n for n in (10_000, 30_000, 100_000, 300_000, 1_000_000) if n <= longest]
    words = [10, 25, 50, 100, 200, 500]
    series = {
        "arcs": (arcs, [Size(n // 10, n, 5_000, 40) for n in arcs]),
        "reference words": (words, [Size(5_000, 50_000, 2_000, n) for n in words]),
    }
    measured = {}
    for what, (numbers, sizes) in series.items():
        seconds = []
        for size in sizes:
            search = search_of(size, lm.GRR(4))
            seconds.append(median_of(partial(time_call, partial(native.best_path, search)), 5))
        measured[what] = (numbers, seconds)
        exponent = np.polyfit(np.log(numbers), np.log(seconds), 1)[0]
        cells = ", ".join(f"{n:,}: {s * 1e3:.2f} ms" for n, s in zip(numbers, seconds, strict=True))
        yield f"| {what} | {cells} | {exponent:.2f} |"
    _plot(measured)


def _plot(measured: dict[str, tuple[list[int], list[float]]]) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "latticemetric"  # the same figures give the same file
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    for axis, (what, (numbers, seconds)) in zip(axes, measured.items(), strict=True):
        milliseconds = np.array(seconds) * 1e3
        axis.loglog(numbers, milliseconds, "o-", color="#0b6e99", label="4-GRR oracle, native")
        linear = milliseconds[len(numbers) // 2] * np.array(numbers) / numbers[len(numbers) // 2]
        axis.loglog(numbers, linear, "--", color="#888888", label="linear")
        axis.set_xlabel(what)
        axis.set_ylabel("milliseconds")
        axis.grid(visible=True, which="both", alpha=0.2)
        axis.legend(frameon=False)
    (DOCS / "_static").mkdir(exist_ok=True)
    figure.savefig(DOCS / "_static" / "scaling.svg", metadata={"Date": None})


def report(folder: Path, *, long: bool) -> Iterator[str]:
    """The page of results."""
    sizes, runs = (["S", "M", "L"], 9) if long else (["S", "M"], 5)
    yield f"Measured with latticemetric {lm.__version__}, Python {platform.python_version()}, on {platform.machine()}."
    yield ""
    yield "### Search against search\n"
    head = "| lattice, metric | native | openfst engine | ratio | compose + shortestpath | ratio |"
    yield from table(head, searches(sizes, runs))
    if shutil.which("fstcompose"):
        yield "### From file to answer: WER oracle\n"
        head = "| lattice | lattice-oracle | memory | libfst-tools pipeline | memory | ratio |"
        yield from table(head, commands(["S", "M", "L"], folder, runs))
    yield "### Archives\n"
    yield from table("| archive | whole command | lattices a second | memory |", archive(folder, 1000))
    yield "### Start-up\n"
    yield from table("| command | seconds | `import numpy` alone |", startup())
    yield "### Strings\n"
    yield from table("| ours | pairs a second | peer | pairs a second | ratio |", string_metrics(*pairs(20_000), 3))
    yield "### How search time grows\n"
    yield from table("| against | median search time | fitted exponent |", scaling(1_000_000))
    yield "```{image} _static/scaling.svg"
    yield ":alt: Search time against arcs and against reference words, on logarithmic scales, beside a straight line"
    yield "```"


def main() -> None:
    """Measures, and writes docs/performance/results.md and its plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true")
    arguments = parser.parse_args()
    target = DOCS / "performance" / "results.md"
    target.parent.mkdir(exist_ok=True)
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for line in report(Path(folder), long=arguments.long):
            print(line, flush=True)
            lines.append(line)
    target.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
