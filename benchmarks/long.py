"""Measure long strings and lattices: seconds by length and error rate, with exponents; for strings, also of peers.

`python benchmarks/long.py` prints the tables of docs/performance/long.md; `--write` writes them there. If a peer may
take longer than `--limit` seconds or more than `--memory` bytes at the next size, it is not run at this size and larger
ones, and the table says why. Every run of a peer is a separate process, which ends when it exceeds a limit.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

import latticemetric as lm
from latticemetric import _native
from latticemetric.metrics.base import Metric

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance" / "long.md"
WORDS = (100, 1_000, 10_000, 100_000)
ERRORS = (0.0, 0.05, 0.3, 1.0)
VOCABULARY, LETTERS = 20_000, 60
Pair = tuple[list[str], list[str]] | tuple[str, str]


class Peer(NamedTuple):
    """A program that computes the fewest errors of a pair, or another whole number; and its further results."""

    name: str
    gives: str
    prepare: Callable[[], Callable[[Any], int]]


def draw_pair(words: int, errors: float, vocabulary: int) -> Pair:
    """Return a hypothesis and a reference: words by Zipf's law; substitutions, deletions and insertions in equal parts.

    With a vocabulary of less than 100, words are letters, and hypothesis and reference are strings of letters.
    """
    random = np.random.default_rng(0)
    weights = 1 / np.arange(1, vocabulary + 1)
    drawn = random.choice(vocabulary, 2 * words, p=weights / weights.sum())
    reference, other = drawn[:words], drawn[words:]
    kind = np.where(random.random(words) < errors, random.integers(1, 4, words), 0)  # 1: S, 2: D, 3: I
    hypothesis = []
    for place in range(words):
        if kind[place] != 2:
            hypothesis.append(reference[place] if kind[place] != 1 else other[place])
        if kind[place] == 3:
            hypothesis.append(other[place])
    if vocabulary < 100:
        said, expected = ("".join(chr(ord("!") + letter) for letter in side) for side in (hypothesis, reference))
        return said, expected
    # Make each word a separate object, as after splitting lines.
    words_said, words_expected = (" ".join(f"w{word}" for word in side).split() for side in (hypothesis, reference))
    return words_said, words_expected


# ---- Peers ----


def _ours(make: Callable[[], Metric[Any]]) -> Callable[[], Callable[[Pair], int]]:
    def prepare() -> Callable[[Pair], int]:
        metric = make()

        def errors(pair: Pair) -> int:
            hypothesis, reference = pair
            return int(sum(metric.table([hypothesis], [[reference]])[0][1:4]))  # S, D, I

        return errors

    return prepare


def _rapidfuzz(function: str) -> Callable[[], Callable[[Pair], int]]:
    def prepare() -> Callable[[Pair], int]:
        from rapidfuzz.distance import Levenshtein

        compute = getattr(Levenshtein, function)
        return lambda pair: found if isinstance(found := compute(*pair), int) else len(found)

    return prepare


def _edlib() -> Callable[[Pair], int]:
    import edlib

    return lambda pair: int(edlib.align(*pair, task="path")["editDistance"])


def _jiwer(units: str) -> Callable[[], Callable[[Pair], int]]:
    def prepare() -> Callable[[Pair], int]:
        import jiwer

        process = getattr(jiwer, f"process_{units}")

        def errors(pair: Pair) -> int:
            hypothesis, reference = (side if isinstance(side, str) else " ".join(side) for side in pair)
            found = process(reference, hypothesis)
            return int(found.substitutions + found.deletions + found.insertions)

        return errors

    return prepare


def _kaldialign() -> Callable[[Pair], int]:
    import kaldialign

    return lambda pair: int(kaldialign.edit_distance(pair[1], pair[0])["total"])


def _unisson() -> Callable[[Pair], int]:
    import unisson

    return lambda pair: int(unisson.pairwise_edit_distance(pair, level="word")[0][1])


_RAPIDFUZZ = (
    Peer("rapidfuzz distance", "errors", _rapidfuzz("distance")),
    Peer("rapidfuzz editops", "an alignment", _rapidfuzz("editops")),
)
WORD_PEERS = (
    Peer("latticemetric", "S, D, I, most matches", _ours(lm.WER)),
    *_RAPIDFUZZ,
    Peer("jiwer", "S, D, I", _jiwer("words")),
    Peer("kaldialign", "S, D, I", _kaldialign),
    Peer("unisson", "errors", _unisson),
)
# edlib knows 256 distinct symbols: it cannot compare words.
CHARACTER_PEERS = (
    Peer("latticemetric", "S, D, I, most matches", _ours(lm.CER)),
    *_RAPIDFUZZ,
    Peer("edlib path", "an alignment", _edlib),
    Peer("jiwer", "S, D, I", _jiwer("characters")),
)

# ---- Measuring ----


class Limits(NamedTuple):
    """The limits of one run of a peer: time and memory."""

    seconds: float
    memory: int
    runs: int


class Measured(NamedTuple):
    """The median of a peer's runs: seconds and errors, or the reason if there is none; and the memory in bytes."""

    seconds: float | None
    errors: int | None
    problem: str = ""
    memory: int = 0


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _run(peer: Peer, pair: Any, limits: Limits, pipe: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    before = _peak()
    try:
        errors = peer.prepare()
        found = errors(pair)  # a warm-up
        seconds = []
        for _ in range(limits.runs):
            begin, calls = time.perf_counter(), 0
            while not calls or time.perf_counter() - begin < 0.01:
                errors(pair)
                calls += 1
            seconds.append((time.perf_counter() - begin) / calls)
        pipe.send(Measured(statistics.median(seconds), found, memory=_peak() - before))
    except Exception as error:  # noqa: BLE001  a peer may raise anything
        too_large = isinstance(error, MemoryError) or "of memory" in str(error)  # ours says how much it needs
        pipe.send(Measured(None, None, "memory" if too_large else type(error).__name__))


def measure(peer: Peer, pair: Any, limits: Limits) -> Measured:
    """Run a peer in a separate process, within limits."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_run, args=(peer, pair, limits, theirs))
    process.start()
    theirs.close()
    try:
        if not ours.poll(limits.seconds * (limits.runs + 1)):
            return Measured(None, None, "time")
        return Measured(*ours.recv())
    except EOFError:
        return Measured(None, None, f"ended ({process.exitcode})")
    finally:
        process.kill()
        process.join()


def string_table(peers: tuple[Peer, ...], vocabulary: int, lengths: tuple[int, ...], limits: Limits) -> Iterator[str]:
    """Yield the table of one pair of strings: a row per peer and error rate, with the exponent of the length."""
    heads = " | ".join(f"{words:,}" for words in lengths)
    yield f"| errors | program | gives | {heads} | exponent |"
    yield "|---|---|---|" + "---:|" * (len(lengths) + 1)
    for rate in ERRORS:
        pairs = [draw_pair(words, rate, vocabulary) for words in lengths]
        found: dict[str, list[Measured]] = {peer.name: [] for peer in peers}
        for pair in pairs:  # programs in turn at each length
            for peer in peers:
                before = found[peer.name]
                stopped = before and before[-1].seconds is None
                before.append(before[-1] if stopped else measure(peer, pair, limits))
        for k, words in enumerate(lengths):
            known = {name: row[k].errors for name, row in found.items() if row[k].errors is not None}
            if len(set(known.values())) > 1:
                raise AssertionError(f"programs disagree on {words} words with {rate:.0%} errors: {known}")
        for peer in peers:
            row = found[peer.name]
            cells = " | ".join(_cell(one) for one in row)
            yield f"| {rate:.0%} | {peer.name} | {peer.gives} | {cells} | {_exponent(lengths, row)} |"


def _cell(one: Measured) -> str:
    return one.problem if one.seconds is None else f"{one.seconds * 1e3:.3g} ms"


def _exponent(lengths: tuple[int, ...], row: list[Measured]) -> str:
    """Fit the power of the length, from 1,000 words on, where the time to start no longer matters."""
    points = [(n, one.seconds) for n, one in zip(lengths, row, strict=True) if one.seconds is not None and n >= 1_000]
    if len(points) < 2:
        return "–"
    sizes, seconds = np.log(np.array(points).T)
    return f"{np.polyfit(sizes, seconds, 1)[0]:.2f}"


# ---- The page ----


def strings(limits: Limits, longest: int) -> Iterator[str]:
    """Yield the sections on pairs of strings."""
    lengths = tuple(words for words in WORDS if words <= longest)
    yield "### One pair of strings, in words"
    yield ""
    yield f"From lists of words to counts of errors; words by Zipf's law over {VOCABULARY:,}. Errors are substitutions,"
    yield f"deletions and insertions in equal parts. Medians of {limits.runs} runs in a process of their own, which may"
    yield f"take {limits.seconds:g} s a run (else `time`) and {limits.memory / 1e9:g} GB (else `memory`)."
    yield "The exponent is that of the length, fitted from 1,000 words on. All programs that end find as many errors."
    yield ""
    yield from string_table(WORD_PEERS, VOCABULARY, lengths, limits)
    yield ""
    yield "### One pair of strings, in characters"
    yield ""
    yield f"The same from texts, over {LETTERS} letters. edlib, which knows no more than 256 symbols, is here, too."
    yield ""
    yield from string_table(CHARACTER_PEERS, LETTERS, lengths, limits)


# ---- Lattices ----


class Recipe(NamedTuple):
    """Settings of a random lattice: five states per word, three arcs per state; one path is nearly the reference."""

    name: str
    vocabulary: int
    is_regular: bool  # else some arcs are ε, and others skip a word


RECIPES = (
    Recipe("regular", 20_000, is_regular=True),
    Recipe("ε and skips", 20_000, is_regular=False),
    Recipe("ε and skips, few words", 500, is_regular=False),
)
LATTICE_WORDS, LATTICE_ERRORS = (1_000, 3_000, 10_000, 30_000), (0.05, 0.15, 0.3, 0.6)
WIDTH, BRANCHES = 5, 3
Drawn = tuple[lm.Lattice, list[str]]


def draw_lattice(words: int, errors: float, recipe: Recipe) -> Drawn:
    """Return a lattice and its reference: words by Zipf's law, errors as in `draw_pair`, costs as of a model."""
    said, reference = draw_pair(words, errors, recipe.vocabulary)
    number = {word: at for at, word in enumerate(dict.fromkeys([*reference, *said]), start=1)}
    truth = np.array([number[word] for word in said])
    random, columns = np.random.default_rng(1), len(truth)
    # State k of a column leads to the states k, k + 1, … of the next; the true path takes one of these arcs.
    column, k, branch = (part.ravel() for part in np.indices((columns, WIDTH, BRANCHES)))
    on = np.concatenate([[0], np.cumsum(random.integers(0, BRANCHES, columns))])
    is_true = (k == on[column] % WIDTH) & (branch == (on[column + 1] - on[column]))
    word = np.where(is_true, truth[column], random.choice(truth, len(column)))
    skips = np.zeros(len(column), dtype=np.int64)
    if not recipe.is_regular:
        chance = random.random(len(column))
        word[~is_true & (chance < 0.1)] = 0
        skips[~is_true & (chance > 0.9) & (column + 1 < columns)] = 1
    cost = random.random(len(word))
    # The model prefers the true path, except at every tenth arc: its 1-best has some 25 % more errors than the oracle.
    cost[is_true] *= np.where(random.random(columns) < 0.1, 2, 0.1)
    lattice = lm.Lattice.from_arcs(
        column * WIDTH + k,
        (column + 1 + skips) * WIDTH + (k + branch) % WIDTH,
        word,
        final=np.arange(columns * WIDTH, (columns + 1) * WIDTH),
        scores={"lm": lm.Column(cost, np.zeros(WIDTH))},
        vocabulary=lm.Vocabulary.from_words(list(number)),
    )
    return lattice, list(reference)


def _oracle(make: Callable[[], lm.GRR]) -> Callable[[], Callable[[Drawn], int]]:
    def prepare() -> Callable[[Drawn], int]:
        metric = make()
        return lambda drawn: int(lm.oracle(drawn[0], [" ".join(drawn[1])], metric).numerator or 0)

    return prepare


def _search(order: int, way: Literal["band", "table"]) -> Callable[[], Callable[[Drawn], int]]:
    def prepare() -> Callable[[Drawn], int]:
        def gain(drawn: Drawn) -> int:
            lattice, reference = drawn
            graph = lattice.native(lattice.cost(), lattice.word, lattice.is_word())
            encoded = lattice.vocabulary.encode(reference)
            return _native.search_lattice(graph, encoded, (order, 1, 1, 0), method=way)[1]

        return gain

    return prepare


LATTICE_PEERS = (
    Peer("oracle, WER", "", _oracle(lm.WER)),
    Peer("its search in a band", "", _search(1, "band")),
    Peer("its search in the whole table", "", _search(1, "table")),
    Peer("oracle, 4-GRR", "", _oracle(lm.GRR)),
    Peer("its search in a band", "", _search(4, "band")),
    Peer("its search in the whole table", "", _search(4, "table")),
)


def lattices(limits: Limits, longest: int) -> Iterator[str]:
    """Yield the section on lattices."""
    lengths = tuple(words for words in LATTICE_WORDS if words <= longest)
    yield "### A lattice and a long reference"
    yield ""
    yield f"Lattices of {WIDTH * BRANCHES} arcs a reference word; one of their paths is the reference with errors, and"
    yield "the model's 1-best has errors in some 25 % more of the words. The oracle is the whole call in Python, with"
    yield "its alignment, the 1-best and its alignment. Below it, the search alone, in a band and in the table of the"
    yield "whole product; both have the same answer. MB are what the peak of a process grew by, at most."
    heads = " | ".join(f"{words:,}" for words in lengths)
    for recipe in RECIPES:
        yield ""
        yield f"Lattices: {recipe.name} ({recipe.vocabulary:,} words)."
        yield ""
        yield f"| errors | what | {heads} | exponent | MB |"
        yield "|---|---|" + "---:|" * (len(lengths) + 2)
        for rate in LATTICE_ERRORS:
            found: list[list[Measured]] = [[] for _ in LATTICE_PEERS]
            for words in lengths:
                drawn = draw_lattice(words, rate, recipe)
                for before, peer in zip(found, LATTICE_PEERS, strict=True):
                    stopped = before and before[-1].seconds is None
                    before.append(before[-1] if stopped else measure(peer, drawn, limits))
                for band, table in ((1, 2), (4, 5)):
                    pair = [found[which][-1].errors for which in (band, table)]
                    if None not in pair and pair[0] != pair[1]:
                        raise AssertionError(f"the table disagrees on {words} words with {rate:.0%} errors: {pair}")
            for peer, row in zip(LATTICE_PEERS, found, strict=True):
                cells = " | ".join(_cell(one) for one in row)
                memory = max(one.memory for one in row) / 1e6
                yield f"| {rate:.0%} | {peer.name} | {cells} | {_exponent(lengths, row)} | {memory:.0f} |"


# ---- Graphs of sequences ----

SEQUENCES, LETTER_LENGTHS, LETTER_ERRORS = 5, (1_000, 5_000, 20_000), (0.05, 0.1)
UNIT_COSTS = ("-M", "0", "-X", "1", "-O", "0", "-E", "1")  # of a match, a mismatch, opening a gap, and a gap


class Sequences(NamedTuple):
    """A graph that abPOA made from sequences of four letters, as a file and as a lattice; and one further sequence."""

    graph: Path
    lattice: lm.Lattice
    letters: str
    file: Path


def draw_sequences(length: int, errors: float, folder: Path) -> Sequences:
    """Draw copies of a sequence with errors, and let abPOA align all but the last."""
    random = np.random.default_rng(0)

    def heard(letters: Any) -> str:
        kind = np.where(random.random(length) < errors, random.integers(1, 4, length), 0)  # 1: S, 2: D, 3: I
        other = random.integers(0, 4, length)
        said = [[[letter], [o], [], [letter, o]][k] for letter, o, k in zip(letters, other, kind, strict=True)]
        return "".join("ACGT"[letter] for some in said for letter in some)

    truth = random.integers(0, 4, length)
    several, graph, file = folder / "several.fa", folder / "graph.gfa", folder / "one.fa"
    several.write_text("".join(f">{k}\n{heard(truth)}\n" for k in range(SEQUENCES)))
    letters = heard(truth)
    file.write_text(f">one\n{letters}\n")
    subprocess.run(["abpoa", several, "-r", "3", "-o", graph], check=True, capture_output=True)
    return Sequences(graph, read_gfa(graph), letters, file)


def read_gfa(path: Path) -> lm.Lattice:
    """Read a graph with one letter per segment; each arc gets the letter of the segment that it leads to."""
    number, letter = {"": 0}, {}
    links: list[tuple[str, str | None]] = []
    for line in path.read_text().splitlines():
        kind, *fields = line.split("\t")
        if kind == "S":
            number[fields[0]] = len(number)
            letter[fields[0]] = fields[1]
        elif kind == "L":
            links.append((fields[0], fields[2]))
        elif kind == "P":
            segments = [segment.rstrip("+") for segment in fields[1].split(",")]
            links += [("", segments[0]), (segments[-1], None)]
    arcs = list(dict.fromkeys((source, target) for source, target in links if target is not None))
    return lm.Lattice.from_arcs(
        [number[source] for source, _ in arcs],
        [number[target] for _, target in arcs],
        ["ACGT".index(letter[target]) + 1 for _, target in arcs],
        final=sorted({number[source] for source, target in links if target is None}),
        vocabulary=lm.Vocabulary.from_words(list("ACGT")),
    )


def _abpoa() -> Callable[[Sequences], int]:
    def run(drawn: Sequences) -> int:
        subprocess.run(
            ["abpoa", "-i", drawn.graph, drawn.file, *UNIT_COSTS, "-r", "3", "-o", os.devnull],
            check=True,
            capture_output=True,
        )
        return 0

    return run


def _letters() -> Callable[[Sequences], int]:
    search = _search(1, "band")()
    return lambda drawn: len(drawn.letters) - search((drawn.lattice, list(drawn.letters)))


GRAPH_PEERS = (Peer("the search, in a band", "", _letters), Peer("abPOA, its whole command", "", _abpoa))


def graphs(limits: Limits, longest: int) -> Iterator[str]:
    """Yield the section on graphs of sequences."""
    lengths = [length for length in LETTER_LENGTHS if length <= max(longest, LETTER_LENGTHS[0])]
    yield "### A graph of sequences and one more"
    yield ""
    yield f"abPOA aligns {SEQUENCES} sequences of four letters, and writes their graph. One more sequence is aligned to"
    yield "it, with a cost of 1 for each edit: by abPOA in a band that it trusts, its whole command with reading and"
    yield "writing; by us in a band that proves its answer, the search alone. Errors are those of each sequence."
    yield ""
    if shutil.which("abpoa") is None:
        yield "abPOA (Debian's package `abpoa`) was not there."
        return
    yield "| errors | program | " + " | ".join(f"{length:,}" for length in lengths) + " |"
    yield "|---|---|" + "---:|" * len(lengths)
    for rate in LETTER_ERRORS:
        found: list[list[Measured]] = [[] for _ in GRAPH_PEERS]
        for length in lengths:
            with tempfile.TemporaryDirectory() as folder:
                drawn = draw_sequences(length, rate, Path(folder))
                for row, peer in zip(found, GRAPH_PEERS, strict=True):
                    row.append(measure(peer, drawn, limits))
        for row, peer in zip(found, GRAPH_PEERS, strict=True):
            yield f"| {rate:.0%} | {peer.name} | " + " | ".join(_cell(one) for one in row) + " |"


SECTIONS = (strings, lattices, graphs)
"""Sections of the page, in order; each takes the limits and the longest reference."""


def main() -> None:
    """Measure; print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds of a run (default 10)")
    parser.add_argument("--memory", type=float, default=4e9, help="bytes of a run (default 4e9)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each (default 5)")
    parser.add_argument("--longest", type=int, default=WORDS[-1], help="words of the longest reference")
    parser.add_argument("--only", choices=[section.__name__ for section in SECTIONS], help="one section, printed alone")
    parser.add_argument("--write", action="store_true", help="write docs/performance/long.md")
    arguments = parser.parse_args()
    limits = Limits(arguments.limit, int(arguments.memory), arguments.runs)
    load = f"{multiprocessing.cpu_count()} processors; load at the beginning {os.getloadavg()[0]:.1f}"
    lines = [f"Measured with latticemetric {lm.__version__}, Python {platform.python_version()}, {load}.", ""]
    sections = [section for section in SECTIONS if arguments.only in (None, section.__name__)]
    for section in sections:
        for line in section(limits, arguments.longest):
            print(line, flush=True)
            lines.append(line)
        lines.append("")
    if arguments.write and not arguments.only:
        PAGE.write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
