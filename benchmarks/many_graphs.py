"""Measure runs over many small lattices: time compared with a plain loop and with its prediction, and memory.

`python benchmarks/many_graphs.py` measures several ways to process twenty thousand lattices, in turn, and writes
docs/performance/many-graphs.md and its plot; `--lattices`, `--rounds` and `--folder` set other numbers and places.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from generate import Size, draw, kaldi_text
from memory import Sample, sampled
from run_costs import costs

import latticemetric as lm
from latticemetric.corpus.report import plots

DOCS = Path(__file__).resolve().parent.parent / "docs"
BIN = Path(sys.executable).parent
LOOPS = Path(__file__).resolve().parent / "loops.py"

# A tenth of S: 200 states, 1000 arcs.
SMALL = Size(200, 1_000, 300, 25)
SHARDS = 4


class Files(NamedTuple):
    """The files that all ways read, and the folder that they write to."""

    lattices: Path
    references: Path
    output: Path


class Way(NamedTuple):
    """One way to compute the oracles of all lattices.

    Attributes:
        name: The name in the table.
        commands: The commands to run, one after the other; `{lattices}`, `{references}` and `{output}` stand for files.
        against: The way that it is compared with.
        result: The suffix of the output; ways with the same suffix write the same bytes.
    """

    name: str
    commands: Sequence[str]
    against: str = ""
    result: str = ".tsv"


_ORACLE = f"{BIN}/lattice-oracle {{lattices}} {{references}} --metric 4-grr"
_LOOP = f"{sys.executable} {LOOPS} {{lattices}} {{references}} {{output}}"
_SHARDS = [f"{_ORACLE} --workers 1 --format json --shard {k}/{SHARDS} -o {{output}}.{k}" for k in range(1, SHARDS + 1)]
_MERGE = " ".join([f"{BIN}/latticemetric merge", *(f"{{output}}.{k}" for k in range(1, SHARDS + 1)), "-o {output}"])

WAYS = [
    Way("a loop", [_LOOP]),
    Way("`lattice-oracle --workers 1`", [f"{_ORACLE} --format tsv --workers 1 -o {{output}}"], "a loop"),
    Way("a pool of 2", [f"{_LOOP} 2"]),
    Way("`lattice-oracle --workers 2`", [f"{_ORACLE} --format tsv --workers 2 -o {{output}}"], "a pool of 2"),
    Way(
        "`lattice-oracle --cluster local:2`", [f"{_ORACLE} --format tsv --cluster local:2 -o {{output}}"], "a pool of 2"
    ),
    Way("`--format json --workers 1`", [f"{_ORACLE} --format json --workers 1 -o {{output}}"], result=".json"),
    Way(f"{SHARDS} shards and `merge`", [*_SHARDS, _MERGE], "`--format json --workers 1`", ".json"),
]


class Run(NamedTuple):
    """Time and memory of one run of a way.

    Attributes:
        processor: CPU seconds of all its processes (user and system).
        wall: Wall seconds.
        memory: Samples of the memory of its processes.
        digest: The digest of its output.
    """

    processor: float
    wall: float
    memory: list[Sample]
    digest: str


def generate(folder: Path, count: int, size: Size = SMALL) -> Files:
    """Write an archive of this many lattices, and its references."""
    lattices, references = folder / "many.lat.txt", folder / "many.ref.txt"
    with lattices.open("w") as archive, references.open("w") as text:
        for k in range(count):
            drawn = draw(size, k)
            archive.write(kaldi_text(f"u{k:06d}", drawn))
            text.write(f"u{k:06d} {' '.join(map(str, drawn.reference))}\n")
    return Files(lattices, references, folder / "output")


def _started(command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command.split(), stderr=subprocess.DEVNULL)


def run(way: Way, files: Files) -> Run:
    """Run this way once."""
    output = files.output.with_suffix(way.result)
    began = os.times()
    memory: list[Sample] = []
    for command in way.commands:
        filled = command.format(**files._asdict() | {"output": output})
        memory += sampled(partial(_started, filled))
    ended = os.times()
    processor = sum(ended[2:4]) - sum(began[2:4])
    digest = hashlib.sha256(output.read_bytes()).hexdigest()
    return Run(processor, ended.elapsed - began.elapsed, memory, digest)


def measure(files: Files, rounds: int) -> dict[str, list[Run]]:
    """Run all ways in turn, several times; their outputs must be equal."""
    runs: dict[str, list[Run]] = {way.name: [] for way in WAYS}
    for turn in range(rounds):
        for way in WAYS:
            runs[way.name].append(run(way, files))
            print(f"round {turn + 1}: {way.name}: {runs[way.name][-1].processor:.1f} s", file=sys.stderr, flush=True)
    for result in {way.result for way in WAYS}:
        written = {r.digest for way in WAYS if way.result == result for r in runs[way.name]}
        assert len(written) == 1, f"ways that write {result} do not write the same bytes"
    return runs


def rows(runs: dict[str, list[Run]], count: int) -> Iterator[str]:
    """Yield a table of medians, and of medians of ratios round by round."""
    yield "| way | processor | a lattice | wall | largest process | all processes | processor, ratio |"
    yield "|---|---|---|---|---|---|---|"
    for way in WAYS:
        own = runs[way.name]
        processor, wall = median(r.processor for r in own), median(r.wall for r in own)
        largest = median(max(s.largest for s in r.memory) for r in own)
        together = median(max(s.together for s in r.memory) for r in own)
        ratio = ""
        if way.against:
            pairs = zip(own, runs[way.against], strict=True)
            ratio = f"×{median(a.processor / b.processor for a, b in pairs):.2f} of {way.against}"
        yield (
            f"| {way.name} | {processor:.1f} s | {processor / count * 1e6:.0f} µs | {wall:.1f} s | {largest:.0f} MB | "
            f"{together:.0f} MB | {ratio} |"
        )


def plot(runs: dict[str, list[Run]], path: Path) -> None:
    """Plot memory against the part of the run."""
    lines = {"a loop": (plots.GREY, ":"), "`lattice-oracle --workers 1`": (plots.BLUE, "-")}
    lines["`lattice-oracle --workers 2`"] = (plots.ORANGE, "--")
    with plots.saved_figure(str(path), 1, 2) as figure:
        panels = figure.subplots(1, 2)
        shown = {}
        for name, (color, line) in lines.items():
            samples = runs[name][0].memory
            done = [sample.seconds / samples[-1].seconds for sample in samples]
            for panel, part in zip(panels, ("largest", "together"), strict=True):
                (shown[name.strip("`")],) = panel.plot(done, [getattr(s, part) for s in samples], line, color=color)
        for panel, title in zip(panels, ("the largest process (RSS)", "all processes (PSS)"), strict=True):
            panel.set_title(title)
            panel.set_xlabel("part of the run")
            panel.set_ylabel("megabytes")
            panel.set_ylim(bottom=0)
        plots.legend_above(figure, shown)
        path.parent.mkdir(exist_ok=True)


def report(folder: Path, count: int, rounds: int, target: Path) -> Iterator[str]:
    """Yield the page, section by section, and write its plot."""
    version = f"latticemetric {lm.__version__}, Python {platform.python_version()}, on {platform.machine()}"
    load = os.getloadavg()[0]
    yield f"Measured with {version}, {os.cpu_count()} processors; load at the beginning {load:.1f}.\n"
    yield f"### {count:,} lattices of {SMALL.arcs:,} arcs\n"
    runs = measure(generate(folder, count), rounds)
    yield from rows(runs, count)
    yield ""
    plot(runs, target)
    yield f"```{{image}} _static/{target.name}"
    yield ":alt: Memory of the largest process and of all processes against the part of the run"
    yield "```\n"
    yield from costs(folder)


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lattices", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", help="where lattices and results go, if not to a temporary folder")
    parser.add_argument("--output", type=Path, default=DOCS / "performance" / "many-graphs.md")
    parser.add_argument("--plot", type=Path, default=DOCS / "_static" / "many-graphs.svg")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        lines = []
        for line in report(Path(folder), chosen.lattices, chosen.rounds, chosen.plot):
            print(line, flush=True)
            lines.append(line)
    chosen.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
