"""Kernels that are told to stop while they run: they answer at once, nothing is lost, and the next call works."""

import gc
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from kit.patience import PATIENCE

from latticemetric import _native

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the memory of a process")

# Seconds of processor time, so that other programs do not count. A kernel looks at signals every 0.04.
SOON = 0.5
ORDER, UNIT, ALPHA, BETA = 4, 4, 1, 1
WER = (1, 1, 1, 0)
BYTES = 1 << 33


def ints(values) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.int32)


def longs(values) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.int64)


class Layered:
    """A lattice of layers: every state of one has arcs to all of the next."""

    def __init__(self, layers: int, width: int, vocabulary: int, seed: int = 1):
        draw = np.random.default_rng(seed)
        first = 1 + width * np.arange(layers)
        pairs = np.indices((width, width)).reshape(2, -1)
        between = [(a + pairs[0], b + pairs[1]) for a, b in pairwise(first)]
        starts = (np.zeros(width, int), first[0] + np.arange(width))
        ends = (first[-1] + np.arange(width), np.full(width, 1 + width * layers))
        self.states = 2 + width * layers
        self.source = ints(np.concatenate([pair[0] for pair in (starts, *between, ends)]))
        self.target = ints(np.concatenate([pair[1] for pair in (starts, *between, ends)]))
        arcs = self.source.size
        self.word = ints(draw.integers(1, vocabulary + 1, arcs))
        self.cost = draw.integers(0, 1000, arcs) / 8
        self.final_cost = np.full(self.states, np.inf)
        self.final_cost[-1] = 0
        self.is_word = np.ones(arcs, np.uint8)
        self.reference = ints(draw.integers(1, vocabulary + 1, layers))

    def native(self) -> _native.Lattice:
        return _native.Lattice(self.source, self.target, self.cost, self.final_cost, self.word, self.is_word)

    def by_target(self) -> tuple[np.ndarray, ...]:
        order = np.argsort(self.target, kind="stable")
        return ints(self.source[order]), ints(self.target[order]), ints(self.word[order]), self.cost[order].copy()

    def forest(self, pairs: bool = False) -> tuple[np.ndarray, ...]:
        """The same as a forest, an edge an arc; or a forest of pairs of nodes, each layer of two of the one below."""
        if pairs:
            return self._binary()
        edges, final = self.source.size, self.states - 1
        order = np.argsort(self.target, kind="stable")
        head = np.concatenate([[0], self.target[order]])
        tail_begin = np.concatenate([[0], np.arange(edges + 1)])
        said = np.concatenate([[0], np.stack([np.full(edges, -1), self.word[order]], 1).ravel()])[1:]
        said_begin = np.concatenate([[0], 2 * np.arange(edges + 1)])
        goal = np.full(self.states, np.inf)
        goal[final] = 0
        words = np.concatenate([[0], np.ones(edges)])
        cost = np.concatenate([[0], self.cost[order]])
        return (
            ints(head), longs(tail_begin), ints(self.source[order]), longs(said_begin), ints(said), cost, longs(words),
            goal,
        )  # fmt: skip

    def _binary(self) -> tuple[np.ndarray, ...]:
        nodes = 160
        draw = np.random.default_rng(2)
        head, tails, said, cost = [], [], [], []
        for node in range(nodes):
            for _ in range(8):
                head.append(node)
                below = [] if node < 8 else list(draw.integers(max(0, node - 12), node, 2))
                tails.append(below)
                word = int(draw.integers(1, 40))
                said.append([word] if not below else [-1, word, -2])
                cost.append(float(draw.integers(0, 100)))
        goal = np.full(nodes, np.inf)
        goal[-1] = 0
        begins = [longs(np.concatenate([[0], np.cumsum([len(row) for row in rows])])) for rows in (tails, said)]
        flat = [ints([item for row in rows for item in row]) for rows in (tails, said)]
        return (
            ints(head), begins[0], flat[0], begins[1], flat[1], np.array(cost), longs(np.ones(len(head))), goal,
        )  # fmt: skip


LARGE = Layered(300, 60, 500)
DENSE = Layered(60, 40, 12)
LONG = np.random.default_rng(3).integers(1, 300, 12_000)


def strings(count: int, words: int, vocabulary: int = 500) -> tuple[np.ndarray, np.ndarray]:
    return ints(np.random.default_rng(4).integers(1, vocabulary, count * words)), longs(words * np.arange(count + 1))


def trie() -> tuple[np.ndarray, ...]:
    """Three hundred thousand n-grams of two words."""
    firsts, seconds = 550, 550
    parent = np.concatenate([[-1], np.zeros(firsts), np.repeat(np.arange(1, firsts + 1), seconds)])
    word = np.concatenate([[0], np.arange(1, firsts + 1), np.tile(np.arange(1, seconds + 1), firsts)])
    return ints(parent), ints(word), np.random.default_rng(5).random(parent.size)


def whole(lattice: Layered) -> tuple[object, ...]:
    """The lattice, shown words and costs of `loss_augmented_strings`."""
    final = np.where(np.isfinite(lattice.final_cost), lattice.final_cost, 0)
    return lattice.native(), lattice.word, longs(8 * lattice.cost), longs(8 * final)


def spelled(lattice: Layered) -> tuple[np.ndarray, np.ndarray]:
    """Six units for each word: where they begin, and the units."""
    words = int(lattice.word.max())
    return longs(np.arange(0, 6 * words + 1, 6)), ints(1 + np.arange(6 * words) % 9)


def kaldi_text(arcs: int) -> bytes:
    return (
        b"u1\n" + b"".join(b"%d %d w%d 1.5,2.5,1_2_3\n" % (s, s + 1, s % 997) for s in range(arcs)) + b"%d\n\n" % arcs
    )


def slf_text(links: int) -> bytes:
    nodes = b"".join(b"I=%d t=%d W=w%d\n" % (k, k, k % 997) for k in range(links + 1))
    return (
        b"N=%d L=%d\n" % (links + 1, links)
        + nodes
        + b"".join(b"J=%d S=%d E=%d a=1.5\n" % (k, k, k + 1) for k in range(links))
    )


def plf_text(columns: int) -> bytes:
    return b"(" + b"".join(b"(('w%d',0.5,1),('v',0.5,1),)," % (k % 997) for k in range(columns)) + b")"


def shares(forest: _native.Forest) -> tuple[np.ndarray, ...]:
    _, node, transition, ending = _native.inside_outside(forest)
    return node, transition, ending


@cache
def calls() -> dict[str, Callable[[], object]]:
    """A call of each kernel that takes long."""
    lattice, dense = LARGE, DENSE
    many, begin = strings(3000, 400)
    prefixes = _native.string_trie(begin, many)
    ends = np.full(prefixes[0].size, np.inf)
    ends[prefixes[2]] = 0
    grams = trie()
    incoming = lattice.by_target()
    reference = ints(lattice.reference)
    columns = lattice.forest(pairs=True)
    forest, tree, graph = _native.Forest(*lattice.forest()), _native.Forest(*columns), lattice.native()
    words = np.full(lattice.source.size, 1, np.int32)
    chain = ints(np.arange(4000)), ints(np.arange(1, 4001)), ints(LONG[:4000])
    chain_end = np.concatenate([np.zeros(4000), [1]]).astype(np.uint8)
    rates = (ORDER, UNIT, ALPHA, BETA)
    text, slf, plf = kaldi_text(400_000), slf_text(300_000), plf_text(300_000)
    probabilities = np.full(dense.source.size, 1 / 40)
    tree_reference = ints(np.arange(1, 40))
    tree_shares, forest_shares = shares(tree), shares(forest)
    keys = ints(np.arange(501))
    said = ints(np.arange(30_000))
    backwards = many[::-1].copy()
    rows, ids = longs(np.arange(0, 20_000_001, 10)), np.full(20_000_000, -123_456_789, np.int32)
    spelled_ids = longs(np.arange(0, 54_000_001, 9)), np.tile(np.frombuffer(b"1_2_3_4_5", np.uint8), 6_000_000)
    every_row = longs(np.tile(np.arange(len(rows) - 1), 4))
    return {
        "search_lattice": lambda: _native.search_lattice(graph, ints(LONG[:3000]), rates),
        "search_lattice, table": lambda: _native.search_lattice(
            graph, ints(LONG[:3000]), rates, method="table"
        ),
        "search_lattice, ties": lambda: _native.search_lattice(graph, ints(np.full(3000, -1)), WER),
        "search_spelled_lattice": lambda: _native.search_spelled_lattice(
            graph, *spelled(lattice), 1, ints(LONG[:4000])
        ),
        "search_spelled_lattice, ties": lambda: _native.search_spelled_lattice(
            graph, *spelled(lattice), 1, ints(np.full(3000, -1))
        ),
        "search_reference_graph": lambda: _native.search_reference_graph(
            graph, _native.ReferenceGraph(*chain, np.ones(4000, np.int32), chain_end), WER, (0, 1), 1e10
        ),
        "search_at_rate": lambda: _native.search_at_rate(
            graph, words, ints(LONG[:3000]), rates, (3, 1000)
        ),
        "best_lattice": lambda: _native.best_lattice(
            graph, [LONG[:3000].tolist(), LONG[3000:6000].tolist()], rates
        ),
        "align": lambda: _native.align(tuple(LONG[:9000].tolist()), tuple(LONG[3000:12000].tolist()), rates),
        "align, words": lambda: _native.align(tuple(LONG.tolist()) * 20, tuple(LONG[::-1].tolist()) * 20, WER),
        "align_networks": lambda: _native.align_networks(*chain, chain_end, *chain, chain_end, 4, 3, 3, 2),
        "align_systems": lambda: _native.align_systems(
            longs(20_000 * np.arange(4)), longs(np.arange(60_001)), ints(np.resize(LONG, 60_000) % 50 + 1),
            ints(np.full(60_000, 100)), np.full(120_000, np.nan), ["", *map(str, range(50))],
        ),
        "loss_augmented_strings, hope": lambda: _native.loss_augmented_strings(
            *whole(lattice), [list(reference)], [1], 1, False, rates, 1, 1 << 20, BYTES
        ),
        "loss_augmented_strings, fear": lambda: _native.loss_augmented_strings(
            *whole(dense), [list(dense.reference)], [100], 1, True, rates, 50, 1 << 22, BYTES
        ),
        "expected_cost": lambda: _native.expected_cost(
            dense.source, dense.target, dense.word, np.full(dense.source.size, 1 / 40),
            np.isfinite(dense.final_cost).astype(float),
            references=[dense.reference.tolist()], sizes=[60], classes=13, gains=(0, 1, 1, 0),
            outcomes=True, gradient=True, keeps_bases=False, few_states=10_000, most_states=1 << 21, seconds=60,
            table_bytes=2.0**30, samples=100, seed=1,
        ),
        "expected_costs": lambda: _native.expected_costs(
            dense.source, dense.target, dense.word, dense.cost, dense.final_cost,
            longs([0, dense.source.size]), longs([0, dense.states]),
            references=[[dense.reference.tolist()]], sizes=[[60]], classes=[13], gains=(0, 1, 1, 0),
            gradient=True, few_states=10_000, most_states=1 << 21, table_bytes=2.0**30,
        ),
        "ngram_posteriors": lambda: _native.ngram_posteriors(
            dense.source, dense.target, dense.word, probabilities, dense.states, 4
        ),
        "search_ngrams": lambda: _native.search_ngrams(
            graph, *grams, 0.5
        ),
        "unfold_gains": lambda: _native.unfold_gains(
            lattice.source, lattice.target, lattice.word, lattice.states, *grams, 0.5
        ),
        "mbr_statistics": lambda: _native.mbr_statistics(
            *incoming[:3], np.full(words.size, 1 / 60), np.zeros(0), lattice.states, 501, reference
        ),
        "n_best_strings": lambda: _native.n_best_strings(graph, 300_000),
        "n_best_paths": lambda: _native.n_best_paths(graph, 1_000_000),
        "determinize": lambda: _native.determinize(dense.native(), 1 / 1024),
        "count_segments": lambda: _native.count_segments([list(map(str, LONG))], [list(map(str, LONG[::-1]))], WER),
        "pair_gains": lambda: _native.pair_gains(many, begin, many, begin, rates),
        "NgramIndex": lambda: _native.NgramIndex(many, longs([0, many.size]), 40),
        "matches of an NgramIndex": lambda: _native.NgramIndex(many, begin, 1).matches(many, begin),
        "match_ngrams": lambda: _native.match_ngrams(many, begin, many, begin, longs(np.arange(3001)), 4),
        "minimize_trie": lambda: _native.minimize_trie(*prefixes[:2], ends),
        "align_stages": lambda: _native.align_stages(many, begin, backwards, begin, keys[:500], longs(keys), 1, 10_000),
        "align_stages, synonyms": lambda: _native.align_stages(
            said, longs([0, said.size]), said + said.size, longs([0, said.size]), ints(np.arange(4 * said.size)),
            longs(np.arange(0, 4 * said.size + 1, 2)), 1, 10_000,
        ),
        "search_forest": lambda: _native.search_forest(tree, tree_reference, rates, BYTES),
        "search_forest, a lattice": lambda: _native.search_forest(forest, ints(LONG[:600]), rates, BYTES),
        "search_forest_for_hope": lambda: _native.search_forest_for_hope(
            tree, tree_reference, rates, longs(8 * columns[5]), np.zeros(columns[7].size, np.int64), 1, 1, BYTES
        ),
        "best_forest": lambda: _native.best_forest(tree, [list(tree_reference)], rates, BYTES),
        "best_strings": lambda: _native.best_strings(
            tree, columns[3], columns[4], tree_reference, rates, 2000, 1000, BYTES
        ),
        "forest_ngram_posteriors": lambda: _native.forest_ngram_posteriors(tree, *tree_shares, 3, BYTES),
        "search_forest_ngrams": lambda: _native.search_forest_ngrams(
            forest, keys[1:], keys[1:], *grams, 0.5, 2, 1 << 60, np.inf, BYTES
        ),
        "search of ForestNgrams": lambda: _native.ForestNgrams(forest, *forest_shares, 3, BYTES).search(
            forest, keys[1:], keys[1:], np.ones(3), 2.0**-30, -1.0, 1 << 60, np.inf, BYTES
        ),
        "parse_kaldi": lambda: _native.parse_kaldi(text, 0, len(text)),
        "read_kaldi": lambda: _native.read_kaldi(text, 0, len(text), symbols=False, may_move=True),
        "join_rows": lambda: _native.join_rows(rows, ids),
        "take_rows": lambda: _native.take_rows(rows, ids, every_row),
        "split_rows": lambda: _native.split_rows(*spelled_ids),
        "write_rows": lambda: _native.write_rows(ids.size, [ids, b" ", ids]),
        "parse_slf": lambda: _native.parse_slf(slf, ["W"]),
        "parse_plf": lambda: _native.parse_plf(plf),
    }  # fmt: skip


NAMES = (
    "search_lattice",
    "search_lattice, table",
    "search_lattice, ties",
    "search_spelled_lattice",
    "search_spelled_lattice, ties",
    "search_reference_graph",
    "search_at_rate",
    "best_lattice",
    "align",
    "align, words",
    "align_networks",
    "align_systems",
    "loss_augmented_strings, hope",
    "loss_augmented_strings, fear",
    "expected_cost",
    "expected_costs",
    "ngram_posteriors",
    "search_ngrams",
    "unfold_gains",
    "mbr_statistics",
    "n_best_strings",
    "n_best_paths",
    "determinize",
    "count_segments",
    "pair_gains",
    "NgramIndex",
    "matches of an NgramIndex",
    "match_ngrams",
    "minimize_trie",
    "align_stages",
    "align_stages, synonyms",
    "search_forest",
    "search_forest, a lattice",
    "search_forest_for_hope",
    "best_forest",
    "best_strings",
    "forest_ngram_posteriors",
    "search_forest_ngrams",
    "search of ForestNgrams",
    "parse_kaldi",
    "read_kaldi",
    "join_rows",
    "take_rows",
    "split_rows",
    "write_rows",
    "parse_slf",
    "parse_plf",
)


def test_every_call_has_its_name():
    assert tuple(calls()) == NAMES


class Stop(Exception):  # noqa: N818  the handler's, as KeyboardInterrupt is
    """Somebody pressed Ctrl-C."""


@pytest.fixture
def alarm():
    """Stops this process after some seconds of processor time."""

    def stop(*_: object) -> None:
        raise Stop

    before = signal.signal(signal.SIGPROF, stop)
    yield lambda seconds: signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


def run(call: Callable[[], object], seconds: float) -> None:
    call()
    until = time.process_time() + 2 * seconds  # a machine may be faster than anybody thought
    while time.process_time() < until:
        pass


def seconds_to_stop(call: Callable[[], object], alarm: Callable[[float], object], after: float) -> float:
    began = time.process_time()
    alarm(after)
    with pytest.raises(Stop):
        run(call, after)
    return time.process_time() - began - after


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_that_is_told_to_stop_ends(name, alarm):
    assert seconds_to_stop(calls()[name], alarm, after=0.1) < SOON


def resident() -> int:
    return int(Path("/proc/self/statm").read_bytes().split()[1]) * 4096


@linux
@pytest.mark.parametrize("name", ["search_lattice", "loss_augmented_strings, fear", "search_forest", "parse_kaldi"])
def test_a_kernel_that_is_stopped_ten_times_keeps_no_memory(name, alarm):
    seconds_to_stop(calls()[name], alarm, after=0.06)
    gc.collect()
    before = resident()
    for k in range(10):
        seconds_to_stop(calls()[name], alarm, after=0.05 + 0.01 * k)
    assert resident() - before < 2**26


def search(lattice: Layered, words: int) -> tuple[object, ...]:
    arcs, gain = _native.search_lattice(lattice.native(), ints(LONG[:words]), (ORDER, UNIT, ALPHA, BETA))
    return tuple(arcs), gain


def test_a_kernel_works_after_it_was_stopped(alarm):
    small = Layered(20, 5, 30)
    found = search(small, words=20)
    seconds_to_stop(calls()["search_lattice"], alarm, after=0.1)
    assert search(small, words=20) == found


IN_THREADS = """
import os, signal, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
sys.path.insert(0, sys.argv[1])
from engine.test_interruption import calls
call, began = calls()["loss_augmented_strings, fear"], []
threading.Timer(0.3, lambda: (began.append(time.process_time()), os.kill(os.getpid(), signal.SIGINT))).start()
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(call), pool.submit(call)]:
            future.result()
except KeyboardInterrupt:
    print(time.process_time() - began[0])
"""


def test_kernels_in_threads_end_when_the_main_thread_is_interrupted():
    folder = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-P", "-c", IN_THREADS, folder], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert float(done.stdout) < 2 * SOON  # of two threads


def test_a_kernel_in_a_thread_goes_on_while_the_main_thread_handles_an_error():
    large = Layered(200, 40, 100)
    found: list[tuple[object, ...]] = []
    thread = threading.Thread(target=lambda: found.append(search(large, words=1500)))
    thread.start()
    try:
        int("no number")
    except ValueError:
        thread.join()
    assert found == [search(large, words=1500)]
