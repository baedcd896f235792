"""Memory is bounded: what needs more than it may take says so before it takes it, and costs nothing else."""

import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from kit.commands import PROGRAMS

import latticemetric as lm
from latticemetric import _native, memory

linux = pytest.mark.skipif(sys.platform != "linux", reason="blocks are counted on Linux only")
unsanitized = pytest.mark.skipif("sanitize" in _native.FLAGS, reason="sanitizers take memory of their own")
WORDS = [f"w{number}" for number in range(60)]


def chain(arcs, width=1, seed=1):
    """States in a row, with arcs of random words and costs between neighbours."""
    random = np.random.default_rng(seed)
    source = np.repeat(np.arange(arcs), width)
    vocabulary = lm.Vocabulary.from_words(WORDS)
    words = vocabulary.encode([WORDS[k] for k in random.integers(0, len(WORDS), arcs * width)])
    costs = lm.Column(random.random(arcs * width), [0.0])
    return lm.Lattice.from_arcs(source, source + 1, words, final=[arcs], scores={"cost": costs}, vocabulary=vocabulary)


def branching(nodes):
    """A forest that can put any two parts together."""
    edges = [(0, [], [word]) for word in range(1, 6)] + [(k, [k - 1, k // 2], [-1, -2]) for k in range(1, nodes)]
    heads, tails, target = zip(*edges, strict=True)
    vocabulary = lm.Vocabulary.from_words(WORDS)
    return lm.Forest.from_edges(heads, tails, target, goals=[nodes - 1], vocabulary=vocabulary)


LONG = " ".join(WORDS * 100)
UNLIKE = " ".join(["unlike"] * 6_000)  # all paths through the product are as good
LARGE = {
    "oracle": lambda: lm.oracle(chain(20_000), UNLIKE, "4-grr"),
    "oracle, wer": lambda: lm.oracle(chain(20_000), UNLIKE, "wer"),
    "k best": lambda: lm.oracles(chain(20_000), LONG, "wer", n=5),
    "hope": lambda: lm.hope(chain(20_000), UNLIKE, "wer"),
    "fear": lambda: lm.fear(chain(20_000), LONG, "wer"),
    "worst": lambda: lm.worst(chain(20_000), LONG, "wer"),
    "oracle lattice": lambda: lm.oracle_lattice(chain(20_000), UNLIKE, "wer"),
    "reference graph": lambda: lm.oracle(chain(20_000), chain(6_000), "wer"),
    "openfst": lambda: lm.oracle(chain(20_000), LONG, "wer", engine="openfst"),
    "n-gram posteriors": lambda: lm.posteriors(chain(2_000, 30)).ngrams(4),
    "n-gram MBR": lambda: lm.mbr(chain(2_000, 30)),
    "forest": lambda: lm.oracle(branching(200), LONG, "wer"),
}


@linux
@pytest.mark.parametrize("question", LARGE)
def test_a_search_that_needs_more_than_it_may_take_is_refused_at_once(question, memory_limit):
    memory_limit("64M")
    began = time.process_time()
    with pytest.raises(
        lm.InputError, match=r'more than 64 MB of memory; .*max_memory="256MB"|not fit into memory|too large'
    ):
        LARGE[question]()
    assert time.process_time() - began < 30
    assert lm.oracle(chain(20), "w1 w2", "wer").exact


@linux
@pytest.mark.parametrize(
    "search",
    [
        pytest.param(lambda: lm.oracle(chain(20_000), LONG, "4-grr"), id="oracle"),
        pytest.param(lambda: lm.oracle(chain(20_000), LONG, "wer"), id="oracle, wer"),
        pytest.param(lambda: lm.hope(chain(20_000), LONG, "wer"), id="hope"),
        pytest.param(lambda: lm.consensus(chain(6_000, 2)), id="consensus"),
    ],
)
def test_a_search_in_a_band_takes_little(search, memory_limit):
    memory_limit("64M")
    assert search().words


@linux
def test_all_best_paths_of_a_long_lattice_take_little(memory_limit):
    memory_limit("64M")
    lattice = chain(6_000, 3)
    reference = " ".join(lm.oracle(lattice, LONG, "wer").words[:-5])
    assert len(lm.oracle_lattice(lattice, reference, "wer").word) >= 6_000


@linux
def test_what_a_refused_search_had_taken_is_given_back(memory_limit):
    memory_limit("70M")
    lattice, unlike = chain(10_000), " ".join(["unlike"] * 2_000)  # all paths through the product are as good
    with pytest.raises(lm.InputError, match="more than 70 MB"):
        lm.oracle(lattice, unlike, "wer")
    before = resident()
    for _ in range(3):
        with pytest.raises(lm.InputError, match="more than 70 MB"):
            lm.oracle(lattice, unlike, "wer")
    assert resident() - before < 2**25


def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@linux
def test_half_of_the_free_memory_is_the_limit_where_nobody_chose_one(monkeypatch):
    monkeypatch.setattr(memory, "_measured", (-math.inf, 0))  # forget what was measured just before
    monkeypatch.setattr(memory, "free_memory", lambda: 2**28)
    with pytest.raises(lm.InputError, match="more than 128 MB"):
        lm.oracle(chain(20_000), UNLIKE, "4-grr")
    monkeypatch.undo()
    assert lm.oracle(chain(2_000), " ".join(WORDS * 10), "wer").exact


@linux
@pytest.mark.parametrize("paths", [False, True])
def test_a_list_of_more_strings_than_memory_holds_is_refused(memory_limit, paths):
    memory_limit("64M")
    with pytest.raises(lm.InputError, match=r"strings of the search do not fit into memory; .*ask for fewer strings"):
        chain(40, 2).n_best(10**9, paths=paths)


def test_a_lattice_with_too_many_determinized_states_is_refused(memory_limit):
    memory_limit("64M")
    both = chain(1).vocabulary.encode(["w1", "w2"])
    # (w1|w2)^k w1 (w1|w2)^30 for k = 0 … 30: which words were w1 must be remembered.
    states, source, target, word = 62, [], [], []
    for state in range(31):
        source += [state, state, state]
        target += [state + 1, state + 1, 32 + state if state == 30 else 31]
        word += [both[0], both[1], both[0]]
    for state in range(31, states - 1):
        source += [state, state]
        target += [state + 1, state + 1]
        word += list(both)
    lattice = lm.Lattice.from_arcs(source, target, word, final=[states - 1], vocabulary=chain(1).vocabulary)
    with pytest.raises(lm.InputError, match="more than 64 MB"):
        lattice.determinized()


@pytest.mark.parametrize("size", ["", "many", "-1", 0, -5, "0", 2e9, True])
def test_a_limit_that_is_no_size_is_refused(size):
    with pytest.raises(lm.UsageError, match="not a size"):
        lm.limit_memory(size)


def test_free_memory_is_what_machine_container_and_ulimit_leave(tmp_path, monkeypatch):
    job = tmp_path / "jobs" / "one"
    job.mkdir(parents=True)
    (job / "memory.max").write_text(f"{2**30}\n")
    (job / "memory.current").write_text(f"{2**29}\n")
    (job / "memory.stat").write_text(f"anon 5\ninactive_file {2**27}\n")
    monkeypatch.setattr(memory, "_GROUPS", tmp_path)
    groups = tmp_path / "cgroup"
    groups.write_text("0::/jobs/one\n")
    assert list(memory._free_in_groups(groups)) == [2**29 + 2**27]
    monkeypatch.setattr(memory, "_free_in_groups", lambda _: iter([12345]))
    assert memory.free_memory() <= 12345
    monkeypatch.setattr(memory, "_soft_limits", lambda: iter([(2**60, memory._ADDRESS_PAGES)]))
    assert memory.free_memory() <= 12345  # a large ulimit gives no more than the container has


# --- Commands


def peak(*arguments):
    """Exit status, standard error, and the megabytes of the largest process of a command that nobody limits."""
    program = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], capture_output=True, text=True)\n"
        "kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "print(done.returncode, kilobytes // 1024, done.stderr.strip(), sep='\\n')\n"
    )
    command = [sys.executable, "-c", program, str(PROGRAMS / arguments[0]), *map(str, arguments[1:])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    status, megabytes, told = done.stdout.split("\n", 2)
    return int(status), told.strip(), int(megabytes)


def written(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def chain_file(folder, arcs):
    lines = "".join(f"{k} {k + 1} w{k % 7} 1.5\n" for k in range(arcs))
    return written(folder, "chain.fst.txt", f"{lines}{arcs}\n")


@linux
@pytest.mark.parametrize(
    ("arcs", "options", "most_megabytes"),
    [
        (100_000, ("--metric", "wer"), 2000),
        (30_000, ("--max-memory", "256MB"), 500),
        (30_000, ("--max-memory", "256MB", "--hope", "1"), 500),
        (30_000, ("--max-memory", "256MB", "--engine", "openfst"), 500),
        (30_000, ("--max-memory", "256MB", "--workers", 1), 500),
    ],
)
def test_a_chain_against_ten_thousand_words_does_not_take_the_machine(arcs, options, most_megabytes, tmp_path):
    reference = written(tmp_path, "ref", " ".join(f"w{k % 5}" for k in range(10_000)) + "\n")
    status, told, megabytes = peak("lattice-oracle", chain_file(tmp_path, arcs), reference, *options)
    assert status == 2
    assert "this graph needs more than" in told
    assert "--max-memory" in told
    assert megabytes < most_megabytes


@linux
@unsanitized
def test_an_edge_with_a_hundred_thousand_tails_does_not_take_the_machine(tmp_path):
    edge = " ".join(["[0]"] * 100_000)
    header = "# target ||| features ||| source-covered\n2 2\n1\na ||| x=1 ||| 1\n1\n"
    forest = written(tmp_path, "tails.hg", f"{header}{edge} ||| x=1 ||| 1\n")
    reference = written(tmp_path, "ref", "a a a\n")
    status, told, megabytes = peak("lattice-oracle", forest, reference, "--max-memory", "300M")
    assert (status, "this graph needs more than 300 MB of memory" in told) == (2, True)
    assert megabytes < 700


@linux
def test_a_forest_that_doubles_itself_is_refused_before_it_is_written_out(tmp_path):
    nodes = "".join(f"1\n[{k}] [{k}] ||| x=1 ||| 1\n" for k in range(20))
    header = "# target ||| features ||| source-covered\n21 21\n1\na ||| x=1 ||| 1\n"
    forest = written(tmp_path, "doubling.hg", header + nodes)
    status, told, megabytes = peak("lattice-oracle", forest, written(tmp_path, "ref", "a a a\n"))
    assert (status, "more than 262144 edges" in told) == (2, True)
    assert megabytes < 300


@linux
@unsanitized
def test_more_memory_is_allowed_by_an_option(tmp_path):
    reference = written(tmp_path, "ref", " ".join(f"w{k % 5}" for k in range(800)) + "\n")
    graph = chain_file(tmp_path, 10_000)
    status, told, _ = peak("lattice-oracle", graph, reference, "--max-memory", "70M")
    assert (status, "this graph needs more than 70 MB" in told) == (2, True)
    assert peak("lattice-oracle", graph, reference, "--max-memory", "1G")[0] == 0
    assert peak("lattice-oracle", graph, reference)[0] == 0


@linux
def test_a_graph_that_needs_too_much_costs_no_other(tmp_path):
    texts = [f"{name}\n" + "".join(f"{k} {k + 1} w{k % 7} 1.5,0,\n" for k in range(n)) + f"{n} 0,0,\n\n" for name, n in
             (("a", 10), ("b", 30_000), ("c", 10))]  # fmt: skip
    archive = written(tmp_path, "lats.txt", "".join(texts))
    long = " ".join(f"w{k % 5}" for k in range(10_000))
    reference = written(tmp_path, "ref", f"a w0 w1\nb {long}\nc w0 w1\n")
    program = str(PROGRAMS / "lattice-oracle")
    for workers in ("1", "2"):
        command = [program, str(archive), str(reference), "--metric", "4-grr", "--keep-going", "--workers", workers]
        command += ["--format", "tsv", "--max-memory", "256MB"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "this graph needs more than" in done.stderr
        assert [line.split("\t")[0] for line in done.stdout.splitlines()[1:]] == ["a", "b", "c"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the data of a process is limited on Linux")
def test_what_a_program_takes_between_two_graphs_is_not_counted_against_the_next():
    kept = []
    for _ in range(3):  # each time more than the limit of a graph
        with memory.held(2**24):
            kept.append(np.zeros(2**10))
        kept.append(np.empty(2**25, dtype=np.uint8))
    with memory.held(2**24):
        assert len(np.empty(2**22, dtype=np.uint8)) == 2**22


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (999, "999 B"), (1023, "0.999 KB"), (1024, "1 KB"), (2**20 - 1, "1 MB")]
)
def test_sizes_are_shown_in_three_digits(size, text):
    assert memory.shown_size(size) == text
