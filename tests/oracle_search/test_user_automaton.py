"""A user's own automata: the best path against all paths of the lattice and all of the automaton, one by one."""

import json
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import brute_force
from kit.brute_force import enumerate_paths
from kit.strategies import KNOWN_WORDS, STRANGER, lattices, references, scalings

import latticemetric as lm
from latticemetric.automata.recognition import STAR_SYMBOL
from latticemetric.vocabulary import STAR

pynini = pytest.importorskip("pynini")

SYMBOLS = ["<eps>", STAR_SYMBOL, *reversed(KNOWN_WORDS), STRANGER]
EPSILON, ANY = "<eps>", STAR_SYMBOL


@dataclass(frozen=True)
class Automaton:
    """Transitions (source, label, cost, target), and what it costs to end in a state."""

    transitions: list[tuple[int, str, float, int]]
    final: dict[int, float]
    states: int

    def fst(self):
        """As pynini builds it, arc by arc."""
        table = pynini.SymbolTable()
        for symbol in SYMBOLS:
            table.add_symbol(symbol)
        fst = pynini.Fst()
        fst.add_states(self.states)
        fst.set_start(0)
        for state, cost in self.final.items():
            fst.set_final(state, cost)
        for source, label, cost, target in self.transitions:
            number = table.find(label)
            fst.add_arc(source, pynini.Arc(number, number, cost, target))
        fst.set_input_symbols(table)
        fst.set_output_symbols(table)
        return fst

    def value(self, words, state=0):
        """The largest −cost over all ways to read the words; nothing where there is none."""
        found = []
        if not words and state in self.final:
            found.append(-Fraction(float(np.float32(self.final[state]))))
        for source, label, cost, target in self.transitions:
            if source != state or (label != EPSILON and (not words or label not in (ANY, words[0]))):
                continue
            rest = self.value(words if label == EPSILON else words[1:], target)
            if rest is not None:
                found.append(rest - Fraction(float(np.float32(cost))))
        return max(found, default=None)


weights = st.sampled_from([0.0, 1.0, -1.0, 0.125, 0.1, -0.3, 1e6])


@st.composite
def automata(draw: st.DrawFn) -> Automaton:
    """Small acceptors with cycles of words, ★, and ε that goes forward only."""
    states = draw(st.integers(1, 3))
    state = st.integers(0, states - 1)
    transitions = draw(st.lists(st.tuples(state, st.sampled_from(SYMBOLS), weights, state), max_size=7))
    kept = [t for t in transitions if t[1] != EPSILON or t[0] < t[3]]
    if draw(st.booleans()):
        kept += [(each, ANY, draw(weights), each) for each in range(states)]
    return Automaton(kept, draw(st.dictionaries(state, weights, min_size=1)), states)


@given(lattice=lattices(), automaton=automata(), data=st.data())
def test_the_best_path_is_the_best_of_all(lattice, automaton, data):
    weights = data.draw(scalings(lattice), label="weights")
    judged = brute_force.answers(lattice, [()], brute_force.Rate(), weights)
    valued = [(automaton.value(answer.path.words), answer) for answer in judged]
    accepted = [(-value, *answer.cheapest, answer) for value, answer in valued if value is not None]
    if not accepted:
        with pytest.raises(lm.InputError, match="the automaton accepts no string of the lattice"):
            lm.oracle(lattice, None, automaton.fst(), weights=weights)
        return
    loss, *_, expected = min(accepted, key=lambda each: each[:4])
    found = lm.oracle(lattice, None, automaton.fst(), weights=weights)
    assert (found.score, found.arcs, found.words) == (float(-loss), expected.path.arcs, expected.words)
    assert found.cost == float(expected.cost)
    assert found.scores == {name: float(total) for name, total in expected.path.sums.items()}
    first = brute_force.one_best(judged)
    value = automaton.value(first.path.words)
    assert (found.one_best.arcs, found.one_best.score) == (first.path.arcs, None if value is None else float(value))
    assert found.exact


@given(lattice=lattices(), given_references=references(4, number=1), order=st.integers(1, 4))
def test_a_compiled_metric_finds_what_the_metric_finds(lattice, given_references, order):
    metric = lm.GRR(order)
    (reference,) = given_references.words
    vocabulary = lm.Vocabulary.from_words([*KNOWN_WORDS, STRANGER])
    found = lm.oracle(lattice, None, metric.compile([reference], vocabulary))
    expected = lm.oracle(lattice, [reference], metric)
    assert (found.arcs, found.score, found.cost) == (expected.arcs, expected.numerator, expected.cost)


def word_errors(star_number=1):
    """Levenshtein's transducer, over ★ and the words: −errors."""
    table = pynini.SymbolTable()
    for number, symbol in enumerate(SYMBOLS):
        table.add_symbol(symbol, star_number if symbol == ANY else number)
    star = table.find(ANY)
    fst = pynini.Fst()
    fst.add_states(1)
    fst.set_start(0)
    fst.set_final(0)
    for said, meant, cost in [(star, star, 1.0), (star, 0, 1.0), (0, star, 1.0)]:
        fst.add_arc(0, pynini.Arc(said, meant, cost, 0))
    for word in [*KNOWN_WORDS, STRANGER]:
        fst.add_arc(0, pynini.Arc(table.find(word), table.find(word), 0.0, 0))
    fst.set_input_symbols(table)
    fst.set_output_symbols(table)
    return fst


@given(lattice=lattices(), given_references=references(4, number=3))
def test_a_transducer_is_composed_with_references(lattice, given_references):
    found = lm.oracle(lattice, given_references.argument, word_errors())
    errors = min(
        lm.WER().statistics(path.words, [reference]).errors
        for path in enumerate_paths(lattice)
        for reference in given_references.words
    )
    assert found.score == -errors
    graph = lm.Lattice.from_strings(given_references.words)
    assert lm.oracle(lattice, graph, word_errors()).asdict() | {"signature": ""} == found.asdict() | {"signature": ""}


def test_a_transducer_may_number_the_star_as_compiled_metrics_do():
    lattice = lm.Lattice.from_strings(["a b", "c", "a b d"])
    found = lm.oracle(lattice, "a z d", word_errors(STAR))
    assert (found.words, found.score) == (("a", "b", "d"), -1)
    # A compiled metric is an acceptor: with references, it counts only where a path says one of them.
    metric = lm.GRR(1).compile("a b d")
    assert lm.oracle(lattice, ["c", "a b"], metric).words == ("a", "b")


def test_labels_may_be_the_numbers_of_the_lattice():
    fst = pynini.Fst()
    fst.add_states(2)
    fst.set_start(0)
    fst.set_final(1)
    for label, cost in [(7, -1.0), (8, -2.0), (STAR, 0.5)]:
        fst.add_arc(0, pynini.Arc(label, label, cost, 1))
    lattice = lm.Lattice.from_arcs([0, 0], [1, 1], [7, 9], final=[1])
    best = lm.oracle(lattice, None, fst)
    assert (best.words, best.score, best.one_best.score) == (("7",), 1, 1)
    with pytest.raises(lm.UsageError, match="the automaton has no symbol table"):
        lm.oracle(lm.Lattice.from_strings(["a"]), None, fst)


def test_automata_that_make_no_sense_are_refused():
    lattice = lm.Lattice.from_strings(["a"])
    with pytest.raises(lm.UsageError, match="it has no start state"):
        lm.oracle(lattice, None, pynini.Fst())
    with pytest.raises(lm.UsageError, match="the automaton is a transducer; give references"):
        lm.oracle(lattice, None, word_errors())
    with pytest.raises(lm.UsageError, match="of type 'log'"):
        lm.oracle(lattice, None, pynini.Fst("log"))
    cyclic = Automaton([(0, EPSILON, -1.0, 1), (1, EPSILON, -1.0, 0), (0, "a", 0.0, 1)], {1: 0.0}, 2)
    with pytest.raises(lm.InputError, match="the automaton has a cycle of ε-arcs"):
        lm.oracle(lattice, None, cyclic.fst())
    with pytest.raises(lm.UsageError, match="int is not a metric; give the name or object of a metric"):
        lm.oracle(lattice, "a", 4)
    with pytest.raises(lm.UsageError, match="no reference is given"):
        lm.oracle(lattice, None, "wer")


# --- On the command line

PROGRAM = Path(sys.executable).parent / "lattice-oracle"
SAID = Automaton([(0, "a", -1.0, 0), (0, "b", 0.25, 0)], {0: 0.0}, 1)


def run(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.fixture
def files(tmp_path):
    """Two lattices, the second without a string of a and b only, an automaton and a transducer."""
    lm.write(tmp_path / "lats.plf", [("1", lattice(["a b", "a a c", "c b"])), ("2", lattice(["a", "b"]))], format="plf")
    (tmp_path / "lats.jsonl").write_text(
        '{"id": "x", "hypotheses": [{"text": "a b", "score": -1}, {"text": "c b", "score": 0}]}\n'
        '{"id": "y", "hypotheses": [{"text": "c", "score": 0}]}\n'
    )
    SAID.fst().write(str(tmp_path / "said.fst"))
    word_errors().write(str(tmp_path / "errors.fst"))
    (tmp_path / "refs.txt").write_text("a d\nb\n")
    return tmp_path


def lattice(strings):
    return lm.Lattice.from_strings(strings)


def test_the_command_takes_an_automaton_without_references(files):
    done = run(files / "lats.plf", "--metric", files / "said.fst", "--format", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    first, second = document["lattices"]
    assert (first["hypothesis"], first["score"], second["hypothesis"], second["score"]) == ("a b", 0.75, "a", 1)
    assert first["one_best"] == {"score": 0.75, "hypothesis": "a b", "cost": 0.0}
    assert document["corpus"] == {"score": 1.75, "one_best": {"score": 1.75}, "lattices": 2, "failed": 0}
    assert document["signature"].startswith("automaton|sha256:")


def test_the_command_takes_a_transducer_with_references(files):
    done = run(files / "lats.plf", files / "refs.txt", "--metric", files / "errors.fst", "--format", "tsv")
    assert done.returncode == 0, done.stderr
    header, *rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [dict(zip(header, row, strict=True))["score"] for row in rows] == ["-1", "0"]


def test_failures_under_an_automaton_are_counted(files):
    arguments = files / "lats.jsonl", "--metric", files / "said.fst"
    assert run(*arguments).returncode == 2
    for output_format, shown in (("text", "y  failed"), ("jsonl", '"error": "'), ("tsv", "accepts no string")):
        done = run(*arguments, "--keep-going", "--format", output_format)
        assert (done.returncode, shown in done.stdout) == (1, True)
        assert "the automaton accepts no string of the lattice" in done.stderr


@pytest.mark.parametrize(
    "option", [("--parameter", "4-grr.alpha=1"), ("--ignore", "a"), ("--also-score", "bleu"), ("--engine", "native")]
)
def test_what_means_nothing_to_an_automaton_is_refused(option, files):
    done = run(files / "lats.plf", "--metric", files / "said.fst", *option)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")


def test_a_file_that_is_no_machine_is_refused(files):
    (files / "no.fst").write_text("no machine")
    done = run(files / "lats.plf", "--metric", files / "no.fst")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no.fst: byte 0: not an OpenFst machine" in done.stderr
