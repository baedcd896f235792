"""Minimum Bayes risk under word error rate, and its bins: against all paths, the formula, and Kaldi."""

import json
import math
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.paths import DATA
from kit.strategies import lattices, scalings

import latticemetric as lm
from latticemetric import _native
from latticemetric.mbr_decoding.word import Aligner, search_words, word_mbr
from latticemetric.nbest import Hypothesis

PENALTY = 1e-5  # what a word costs above 1 that meets no position


def edit_distance(left, right):
    row = list(range(len(right) + 1))
    for i, word in enumerate(left, start=1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(right, start=1):
            diagonal, row[j] = row[j], min(diagonal + (word != other), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def expected_distance(lattice, words, posterior_scale, weights):
    paths = list(lattice.paths(weights))
    least = min(posterior_scale * path.cost for path in paths)
    shares = [math.exp(least - posterior_scale * path.cost) for path in paths]
    pairs = zip(paths, shares, strict=True)
    return math.fsum(weight * edit_distance(path.words, words) for path, weight in pairs) / math.fsum(shares)


class Formula:
    """The recursion as the paper has it, with Kaldi's details: `risk`, and `gamma` by position and word."""

    def __init__(self, lattice, hypothesis, posterior_scale, weights):
        self.r, self.last = ("", *hypothesis), len(hypothesis)
        self.arcs, self.end = arcs_with_one_end(lattice, posterior_scale, weights)
        self.prefixes, self.alpha = {0: [0.0]}, {0: list(np.cumsum([float(word != "") for word in self.r]))}
        for n in range(1, self.end + 1):
            into = [arc for arc in self.arcs if arc[1] == n]
            self.prefixes[n] = [before + arc[3] for arc in into for before in self.prefixes[arc[0]]]
            rows = [(self.share(arc), self.aligned(arc)) for arc in into]
            self.alpha[n] = [math.fsum(p * row[q][0] for p, row in rows) for q in range(self.last + 1)]
        self.risk = self.alpha[self.end][self.last]
        self.beta, self.gamma = defaultdict(float, {(self.end, self.last): 1.0}), defaultdict(float)
        for arc in sorted(self.arcs, key=lambda arc: -arc[1]):
            self.go_back(arc)
        for q in range(1, self.last + 1):
            self.gamma[q, ""] += math.fsum(self.beta[0, k] for k in range(q, self.last + 1))

    def share(self, arc):
        """Of an arc among those into its state: by the costs of all ways there."""
        least = min(self.prefixes[arc[1]])
        through = math.fsum(math.exp(least - before - arc[3]) for before in self.prefixes[arc[0]])
        return through / math.fsum(math.exp(least - cost) for cost in self.prefixes[arc[1]])

    def aligned(self, arc):
        """Of each position: the least cost, and the first move that has it."""
        before, word = self.alpha[arc[0]], arc[2]
        skip = 1 + PENALTY if word else 0.0
        found = [(before[0] + skip, "word")]
        for q in range(1, self.last + 1):
            moves = {
                "both": before[q - 1] + (word != self.r[q]),
                "word": before[q] + skip,
                "position": found[-1][0] + (self.r[q] != ""),
            }
            least = min(moves.values())
            found.append((least, next(move for move, value in moves.items() if value <= least + 1e-10)))
        return found

    def go_back(self, arc):
        source, target, word, _ = arc
        row, share = self.aligned(arc), self.share(arc)
        carried = [share * self.beta[target, q] for q in range(self.last + 1)]
        for q in range(self.last, 0, -1):
            move = row[q][1]
            if move == "position":
                carried[q - 1] += carried[q]
            else:
                self.beta[source, q - (move == "both")] += carried[q]
            if move != "word":
                self.gamma[q, word if move == "both" else ""] += carried[q]
        self.beta[source, 0] += carried[0]


def arcs_with_one_end(lattice, posterior_scale, weights):
    """Source, target, word, cost; as in Kaldi, several ends or one that costs something lead to a new one."""
    cost = lattice.cost(weights)
    words = [lattice.vocabulary.word(int(word)) for word in lattice.word]
    ends = zip(
        lattice.source.tolist(), lattice.target.tolist(), words, (posterior_scale * cost.arc).tolist(), strict=True
    )
    arcs, end = list(ends), lattice.num_states - 1
    if lattice.final.tolist() == [end] and cost.final[end] * posterior_scale == 0:
        return arcs, end
    return [*arcs, *((f, end + 1, "", posterior_scale * float(cost.final[f])) for f in lattice.final.tolist())], end + 1


def tables(hypothesis):
    spelling = [hypothesis.lattice.vocabulary.word(int(n)) for n in hypothesis.numbers]
    rows = zip(hypothesis.place.tolist(), hypothesis.word.tolist(), hypothesis.mass.tolist(), strict=True)
    return {(q + 1, spelling[word]): mass for q, word, mass in rows}


# --- Against all paths, and against the formula


@given(lattice=lattices(), posterior_scale=st.sampled_from([0.0, 0.5, 1.0, 2.0]), data=st.data())
def test_the_risk_is_a_bound_of_the_expected_distance_and_falls(lattice, posterior_scale, data):
    weights = data.draw(scalings(lattice))
    found = word_mbr(lattice, posterior_scale=posterior_scale, weights=weights)
    assert expected_distance(lattice, found.words, posterior_scale, weights) <= found.risk + 1e-9
    assert expected_distance(lattice, found.one_best, posterior_scale, weights) <= found.one_best_risk + 1e-9
    assert found.risk <= found.one_best_risk
    assert len(found.confidences) == len(found.words)
    assert found.one_best in {path.words for path in lattice.paths(weights)}


@given(lattice=lattices(), posterior_scale=st.sampled_from([0.0, 0.5, 1.0, 2.0]), data=st.data())
def test_risk_and_posteriors_are_those_of_the_formula(lattice, posterior_scale, data):
    weights = data.draw(scalings(lattice))
    one_best, best, _ = search_words(Aligner.of(lattice, posterior_scale, weights))
    for hypothesis in (one_best, best):
        words = [lattice.vocabulary.word(int(n)) for n in hypothesis.numbers[hypothesis.positions]]
        formula, found = Formula(lattice, words, posterior_scale, weights), tables(hypothesis)
        assert hypothesis.risk == pytest.approx(formula.risk, abs=1e-9)
        for cell in {*formula.gamma, *found}:
            assert found.get(cell, 0.0) == pytest.approx(formula.gamma[cell], abs=1e-9)


@given(lattice=lattices(), data=st.data())
def test_bins_are_distributions_with_the_words_on_top(lattice, data):
    weights = data.draw(scalings(lattice))
    found = lm.consensus(lattice, weights=weights)
    for words in found.bins:
        posteriors = [posterior for _, posterior in words]
        assert math.fsum(posteriors) == pytest.approx(1, abs=1e-9)
        assert all(p >= following - 1e-9 for p, following in pairwise(posteriors))
        assert len({word for word, _ in words}) == len(words)
    decoded = word_mbr(lattice, weights=weights)
    assert (found.words, found.bayes_risk, found.confidences) == (decoded.words, decoded.risk, decoded.confidences)
    assert tuple(words[0][0] for words in found.bins if words[0][0]) == found.words
    assert found.confidences == pytest.approx([words[0][1] for words in found.bins if words[0][0]], abs=1e-9)


# --- What must come out


@pytest.mark.parametrize("text", ["", "a", "a b", "a a a", "a b a b"])
def test_one_path_is_without_risk(text):
    found = lm.consensus(lm.Lattice.from_strings([text], costs=[3.0]))
    assert found.words == tuple(text.split())
    assert found.bayes_risk == 0.0
    assert found.confidences == (1.0,) * len(found.words)
    assert all(len(words) == 1 for words in found.bins)
    assert found.to_lattice().words(range(len(found.words))) == found.words


def test_a_sausage_returns_itself():
    columns = [{"a": 0.6, "b": 0.3, "": 0.1}, {"c": 1.0}, {"": 0.7, "d": 0.3}, {"e": 0.5, "f": 0.25, "g": 0.25}]
    vocabulary = lm.Vocabulary.from_words(list("abcdefg"))
    rows = [(k, w, p) for k, column in enumerate(columns) for w, p in column.items()]
    sausage = lm.Lattice.from_arcs(
        [k for k, _, _ in rows],
        [k + 1 for k, _, _ in rows],
        [vocabulary.number(w) if w else 0 for _, w, _ in rows],
        final=[4],
        scores={"posterior": lm.Column([-math.log(p) for _, _, p in rows], [0.0])},
        vocabulary=vocabulary,
    )
    found = lm.consensus(sausage)
    assert found.words == ("a", "c", "e")
    assert found.bayes_risk == pytest.approx(0.4 + 0.3 + 0.5, abs=1e-9)
    assert found.iterations == 1
    for network in (found.to_lattice(), lm.consensus(found.to_lattice()).to_lattice()):
        assert network.source.tolist() == sausage.source.tolist()
        assert network.target.tolist() == sausage.target.tolist()
        assert network.word.tolist() == sausage.word.tolist()
        assert network.scores["posterior"].arc == pytest.approx(sausage.scores["posterior"].arc, abs=1e-9)


def test_words_that_no_path_says_together():
    strings = ["a b c x", "a q c d", "z b c d"]
    found = lm.consensus(lm.Lattice.from_strings(strings, costs=[0.0, 0.1, 0.2]))
    assert found.words == ("a", "b", "c", "d")
    assert found.bayes_risk == pytest.approx(1.0)
    assert found.iterations > 1


def test_probable_nothing_beats_an_improbable_word():
    found = lm.consensus(lm.Lattice.from_strings(["", "a", "b"], costs=[0.2, 0.0, 0.0]), posterior_scale=1.0)
    assert found.bins[1][0][0] in {"a", "b"}
    silent = lm.consensus(lm.Lattice.from_strings(["", "a", "b"], costs=[0.0, 0.1, 0.1]))
    assert silent.words == ()
    assert [word for word, _ in silent.bins[0]] == ["", "a", "b"]


def test_ties_keep_the_words_of_the_1_best():
    lattice = lm.Lattice.from_strings(["b", "a"], costs=[0.0, 0.25])
    # All paths are equally probable.
    assert lm.consensus(lattice, posterior_scale=0).words == ("b",)
    assert lm.consensus(lattice, posterior_scale=0).bins[1] == (("b", 0.5), ("a", 0.5))


def test_of_several_1_bests_the_first_in_the_alphabet_wins_not_the_first_in_the_lattice():
    # Word numbers follow the order of appearance: b is the smaller one.
    for strings in (["b", "a"], ["a", "b"]):
        lattice = lm.Lattice.from_strings(strings, costs=[0.0, 0.0])
        assert lm.consensus(lattice).words == lm.consensus(lattice, posterior_scale=0).words == ("a",)
        assert lm.consensus(lattice).bins[1] == (("a", 0.5), ("b", 0.5))


def test_parallel_arcs_and_epsilons_add_up():
    lattice = lm.Lattice.from_arcs(
        [0, 0, 0, 1, 1],
        [1, 1, 1, 2, 2],
        [1, 1, 2, 0, 0],
        final=[2],
        scores={"cost": lm.Column([0.0, 0.0, 0.0, 0.0, 1.0], [0.0])},
        vocabulary=lm.Vocabulary.from_words(list("ab")),
    )
    found = lm.consensus(lattice)
    assert found.words == ("a",)
    assert found.confidences == pytest.approx([2 / 3])
    assert found.bayes_risk == pytest.approx(1 / 3)


@pytest.mark.parametrize("offset", [0.0, 5000.0, -5000.0])
def test_costs_in_the_thousands_do_not_underflow(offset):
    strings = ["a b", "a c", "d c"]
    found = lm.consensus(lm.Lattice.from_strings(strings, log_probs=[-offset, -offset - 0.5, -offset - 0.7]))
    near = lm.consensus(lm.Lattice.from_strings(strings, costs=[0.0, 0.5, 0.7]))
    assert found.words == near.words
    assert found.bayes_risk == pytest.approx(near.bayes_risk)
    assert found.confidences == pytest.approx(near.confidences)


def test_states_that_are_all_but_impossible_have_shares_too():
    costs = [0.0, 4000.0, 4000.0 + math.log(2)]
    found = lm.consensus(lm.Lattice.from_strings(["a", "b c", "b d"], costs=costs))
    assert found.words == ("a",)
    assert found.bayes_risk == pytest.approx(0, abs=1e-9)


def test_an_nbest_list_is_a_lattice_too():
    strings, costs = ["a b", "a c", "d c"], [0.0, 0.1, 0.2]
    nbest = lm.NBest(
        tuple(Hypothesis(tuple(s.split()), {"tm": c, "lm": 9.0}) for s, c in zip(strings, costs, strict=True)),
        {"lm": 0.0},
    )
    found = word_mbr(nbest)
    assert found == word_mbr(lm.Lattice.from_strings(strings, costs))
    assert (found.one_best, found.words) == (("a", "b"), ("a", "c"))
    assert word_mbr(nbest, weights={"tm": 0.5}).risk != found.risk


def test_the_search_may_begin_with_columns_scaled_one_by_one():
    lattice = lm.Lattice.from_arcs(
        [0, 0],
        [1, 1],
        [1, 2],
        final=[1],
        scores={"acoustic": lm.Column([0.0, 12.0], [0.0]), "lm": lm.Column([2.0, 0.0], [0.0])},
        vocabulary=lm.Vocabulary.from_words(list("ab")),
    )
    assert lm.consensus(lattice, weights={"acoustic": 1 / 12}).confidences == pytest.approx([1 / (1 + math.exp(-1))])
    assert lm.consensus(lattice, weights={"acoustic": 1 / 12}).words == ("b",)
    assert lm.consensus(lattice, posterior_scale=0.5).confidences == pytest.approx([1 / (1 + math.exp(-5))])
    with pytest.raises(lm.InputError, match="no score column 'x'"):
        lm.consensus(lattice, weights={"x": 1.0})


# --- Times


def timed():
    return lm.Lattice.from_arcs(
        [0, 0, 1, 2, 3],
        [1, 2, 3, 3, 4],
        [1, 1, 2, 3, 4],
        final=[4],
        scores={"cost": lm.Column([0.0, 0.0, 0.0, math.log(3), 0.0], [0.0])},
        vocabulary=lm.Vocabulary.from_words(list("abcd")),
        times=[0.0, 1.0, 2.0, 3.0, 3.5],
    )


def test_words_have_the_mean_times_of_their_arcs():
    found = lm.consensus(timed())
    assert found.words == ("a", "b", "d")
    assert np.array(found.times) == pytest.approx(np.array([(0.0, 1.125), (1.125, 3.0), (3.0, 3.5)]))
    network = found.to_lattice()
    assert network.times == pytest.approx([0.0, 1.25, 3.0, 3.5])


@given(lattice=lattices(), data=st.data())
def test_times_never_go_back(lattice, data):
    steps = data.draw(st.lists(st.integers(0, 3), min_size=lattice.num_states, max_size=lattice.num_states))
    lattice = lm.Lattice.from_arcs(
        lattice.source,
        lattice.target,
        lattice.word,
        final=lattice.final,
        scores=lattice.scores,
        vocabulary=lattice.vocabulary,
        times=np.cumsum(steps),
    )
    found = lm.consensus(lattice)
    assert len(found.times) == len(found.words)
    assert len(found.bin_times) == len(found.bins)
    for times in (found.times, found.bin_times):
        flat = [time for pair in times for time in pair]
        assert flat == sorted(flat)
        assert all(lattice.times.min() - 1e-9 <= time <= lattice.times.max() + 1e-9 for time in flat)
    assert len(found.to_lattice().times) == found.to_lattice().num_states


def test_without_times_there_are_none():
    found = lm.consensus(lm.Lattice.from_strings(["a"]))
    assert found.times is None
    assert found.bin_times is None
    assert found.to_lattice().times is None


# --- What is given back


def test_it_is_plain_values_for_json():
    document = json.loads(json.dumps(lm.consensus(timed()).asdict()))
    assert document["hypothesis"] == "a b d"
    assert document["bins"][3] == [["b", pytest.approx(0.75)], ["c", pytest.approx(0.25)]]
    assert document["times"][0] == [0.0, pytest.approx(1.125)]


def test_improbable_words_may_be_left_out():
    found = lm.consensus(timed())
    assert found.to_lattice().words(range(4)) == ("a", "b", "c", "d")
    assert found.to_lattice(least=0.5).words(range(3)) == ("a", "b", "d")
    assert found.to_lattice(least=2).words(range(3)) == ("a", "b", "d")
    with pytest.raises(lm.UsageError, match="the least posterior is nan"):
        found.to_lattice(least=float("nan"))


@pytest.mark.parametrize("name", ["moses-cn", "wordmesh"])
def test_networks_can_be_written(name, tmp_path):
    network = lm.consensus(timed()).to_lattice()
    lm.write(tmp_path / "network", [("1", network)], format=name)
    again = lm.read_one(tmp_path / "network", format=name)
    assert [path.words for path in again.paths()] == [path.words for path in network.paths()]


# --- What is refused


@pytest.mark.parametrize("posterior_scale", [math.nan, math.inf])
def test_a_scale_that_makes_no_sense_is_refused(posterior_scale):
    with pytest.raises(lm.UsageError, match="the posterior scale is"):
        lm.consensus(lm.Lattice.from_strings(["a"]), posterior_scale=posterior_scale)


def test_costs_that_cannot_be_added_up_are_refused():
    with pytest.raises(lm.InputError, match="too large"):
        lm.consensus(lm.Lattice.from_strings(["a b"], costs=[1e300]), posterior_scale=1e100)


def ids(*values):
    return np.array(values, dtype=np.int32)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source": ids(0, 0)}, "differ in length"),
        ({"target": ids(1, 1, 2)}, None),
        ({"target": ids(2, 1, 2)}, "sorted by target"),
        ({"source": ids(0, -1, 1)}, "smaller to larger"),
        ({"target": ids(1, 1, 3)}, "smaller to larger"),
        ({"label": ids(0, 1, 2)}, "none of the labels"),
        ({"label": ids(0, -1, 1)}, "none of the labels"),
        ({"hypothesis": ids(0, 2, 0)}, "none of the labels"),
        ({"share": np.ones(2)}, "differ in length"),
        ({"share": np.array([0.5, -0.5, 1.0])}, "is negative"),
        ({"times": np.zeros(2)}, "must have a time"),
        ({"states": 0}, "has a start"),
        ({"labels": 0}, "has a label"),
        ({"slack": 0.1}, "slack is neither"),
        ({"slack": np.inf}, "slack is neither"),
        ({"slack": np.nan}, "slack is neither"),
    ],
)
def test_the_kernel_checks_its_bounds(changes, message):
    arguments = {
        "source": ids(0, 0, 1),
        "target": ids(1, 1, 2),
        "label": ids(0, 1, 1),
        "share": np.array([0.5, 0.5, 1.0]),
        "times": np.empty(0),
        "states": 3,
        "labels": 2,
        "hypothesis": ids(0, 1, 0),
    } | changes
    if message is None:
        columns = [column.tolist() for column in _native.mbr_statistics(**arguments)[1:]]
        assert columns == [[0, 1, 1, 0], [0, 0, 1, 2], [0.5, 0.5, 1.0, 1.0], [], []]
    else:
        with pytest.raises(ValueError, match=message):
            _native.mbr_statistics(**arguments)


def test_the_kernel_of_shares_checks_its_bounds():
    assert _native.incoming_shares(ids(0, 0), ids(1, 1), np.zeros(2), 2).tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match="smaller to larger"):
        _native.incoming_shares(ids(0, 1), ids(1, 1), np.zeros(2), 2)
    with pytest.raises(ValueError, match="differ in length"):
        _native.incoming_shares(ids(0, 0), ids(1, 1), np.zeros(1), 2)


# --- Bands of the table

WHOLE = 1e9  # a slack that leaves nothing out


@st.composite
def transcripts(draw):
    """Versions of one string as chains side by side or as a lattice, with gaps and repeats; and a hypothesis."""
    random = draw(st.randoms(use_true_random=False))
    length, vocabulary = draw(st.sampled_from([4, 12, 40, 150])), draw(st.sampled_from([1, 2, 5, 30, 300]))
    said = [random.randint(1, vocabulary) for _ in range(length)]

    def changed(words, rate):
        found = []
        for word in words:
            draws = random.random() / max(rate, 1e-9)
            if draws < 1 / 3:
                found.append(random.randint(1, vocabulary))
            elif draws < 2 / 3:
                found += [word, random.randint(1, vocabulary)]
            elif draws >= 1:
                found.append(word)
        if random.random() < rate:  # a passage is left out, or another one is put in
            begin, many = random.randint(0, len(found)), random.randint(0, max(1, length // 3))
            found[begin : begin + many] = [random.randint(1, vocabulary) for _ in range(random.choice([0, many]))]
        return found

    rates = [0.0, 0.1, 0.3, 0.9]
    if draw(st.booleans()):
        chains = [changed(said, random.choice(rates)) for _ in range(draw(st.integers(1, 4)))]
        begin = np.cumsum([0, *map(len, chains)])
        arcs = [
            (int(first + k if k else 0), int(first + k + 1), word if random.random() < 0.9 else 0)
            for first, chain in zip(begin[:-1], chains, strict=True)
            for k, word in enumerate(chain)
        ]
        end = int(begin[-1]) + 1
        arcs += [(int(last if chain else 0), end, 0) for last, chain in zip(begin[1:], chains, strict=True)]
    else:
        end = len(said)
        arcs = [(t, t + 1, word) for t, word in enumerate(said)]
        for _ in range(random.randint(0, 2 * end)):
            target = random.randint(1, end)
            arcs.append((random.randint(max(0, target - 8), target - 1), target, random.randint(0, vocabulary)))
    source, target, label = (ids(*column) for column in zip(*sorted(arcs, key=lambda arc: arc[1]), strict=True))
    cost = np.array([random.choice([0.0, 0.5, random.random() * 9]) for _ in arcs])
    hypothesis = changed(said, random.choice(rates))
    positions = [0, *(label for word in hypothesis for label in (word, 0))]
    if random.random() < 0.2:
        positions = [word if random.random() < 0.7 else 0 for word in hypothesis]
    times = np.cumsum([random.random() for _ in range(end + 1)]) if random.random() < 0.5 else np.empty(0)
    return {
        "source": source,
        "target": target,
        "label": label,
        "share": _native.incoming_shares(source, target, cost, end + 1),
        "times": times,
        "states": end + 1,
        "labels": vocabulary + 1,
        "hypothesis": ids(*positions),
    }


def whole_table(arguments):
    """The recursion by its definition, cell by cell: the risk, and the mass of each label and position."""
    columns = [arguments[name].tolist() for name in ("source", "target", "label", "share")]
    arcs, states = list(zip(*columns, strict=True)), arguments["states"]
    said = arguments["hypothesis"].tolist()
    expected = {0: list(np.cumsum([0.0, *(float(word != 0) for word in said)]))}

    def aligned(origin, word):
        before, skip = expected[origin], 1 + PENALTY if word else 0.0
        cells = [(before[0] + skip, "word")]
        for q, own in enumerate(said, start=1):
            moves = (
                (before[q - 1] + (word != own), "both"),
                (before[q] + skip, "word"),
                (cells[-1][0] + (own != 0), "position"),
            )
            least = min(moves)[0]
            cells.append((least, next(move for cost, move in moves if cost <= least + 1e-10)))
        return cells

    for origin, end, word, p in arcs:
        here = expected.setdefault(end, [0.0] * (len(said) + 1))
        expected[end] = [value + p * cost for value, (cost, _) in zip(here, aligned(origin, word), strict=True)]
    passing, mass = defaultdict(float, {(states - 1, len(said)): 1.0}), defaultdict(float)
    for origin, end, word, p in reversed(arcs):
        cells, carried = aligned(origin, word), 0.0
        for q in range(len(said), 0, -1):
            carried += p * passing[end, q]
            move = cells[q][1]
            if move != "word":
                mass[q - 1, word if move == "both" else 0] += carried
            if move != "position":
                passing[origin, q - (move == "both")] += carried
                carried = 0.0
        passing[origin, 0] += carried + p * passing[end, 0]
    carried = 0.0
    for q in range(len(said), 0, -1):
        carried += passing[0, q]
        mass[q - 1, 0] += carried
    return expected[states - 1][-1], {cell: value for cell, value in mass.items() if value}


@given(arguments=transcripts(), slack=st.sampled_from([0.5, 1, 2, 5, 20]))
def test_a_band_meets_what_the_whole_table_meets(arguments, slack):
    """To the last bit: costs, masses, times and ties."""
    whole, banded = (_native.mbr_statistics(**arguments, slack=of) for of in (WHOLE, slack))
    assert banded[0] == whole[0]
    for found, wanted in zip(banded[1:], whole[1:], strict=True):
        assert found.tolist() == wanted.tolist()


@given(arguments=transcripts().filter(lambda each: each["states"] * len(each["hypothesis"]) < 3000))
def test_a_band_meets_what_the_definition_says(arguments):
    risk, label, position, mass, *times = _native.mbr_statistics(**arguments, slack=1)
    wanted, table = whole_table(arguments)
    assert risk == pytest.approx(wanted, abs=1e-9)
    assert dict(zip(zip(position.tolist(), label.tolist(), strict=True), mass.tolist(), strict=True)) == pytest.approx(
        table, abs=1e-9
    )
    assert [len(column) for column in times] == [len(mass) * (len(arguments["times"]) > 0)] * 2


def test_hours_take_a_band():
    """Four versions of 10,000 words: the whole table would take 6 GB."""
    random = np.random.default_rng(7)
    frequent = 1 / np.arange(1, 5001)
    said = random.choice(np.arange(1, 5001), size=10_000, p=frequent / frequent.sum())
    versions = []
    for rate in (0.1, 0.2, 0.3, 0.3):
        kept = said[random.random(len(said)) > rate / 3]
        wrong = random.random(len(kept)) < rate * 2 / 3
        versions.append(" ".join(map(str, np.where(wrong, random.integers(1, 5001, len(kept)), kept))))
    network = lm.consensus(lm.Lattice.from_strings(versions, costs=[0.0, 0.1, 0.2, 0.3]))
    rate = lm.WER().score(" ".join(network.words), " ".join(map(str, said)))
    assert rate < 0.08
    assert network.bayes_risk < 2500


# --- Kaldi's lattice-mbr-decode, on AMI lattices

KALDI = DATA / "kaldi"
AMI = "ami3.kaldi-{}.acscale-0.0833333.txt"


def kaldi_lines(what):
    lines = (KALDI / AMI.format(what)).read_text().splitlines()
    return {name: rest for name, _, rest in (line.partition(" ") for line in lines)}


def kaldi_bins(text):
    columns = [column.split() for column in text.replace("[", "").split("]")[:-1]]
    return [dict(zip(fields[::2], map(float, fields[1::2]), strict=True)) for fields in columns]


@pytest.mark.real_data
@pytest.mark.skipif(not KALDI.is_dir(), reason=f"there are no lattices in {KALDI} (LATTICEMETRIC_DATA)")
def test_kaldi_finds_the_same_words_risks_and_bins():
    words, risks, sausages = map(kaldi_lines, ("mbr-words", "mbr-risk", "sausage"))
    found = {name: lm.consensus(x, weights={"acoustic": 0.0833333}) for name, x in lm.read(KALDI / "ami3.lat.txt.gz")}
    assert found.keys() == words.keys()
    for name, network in found.items():
        assert network.words == tuple(words[name].split())
        # Kaldi rounds costs; see the next test.
        assert network.bayes_risk == pytest.approx(float(risks[name]), rel=1e-4)
        kaldi = kaldi_bins(sausages[name])
        assert len(network.bins) == len(kaldi)
        for mine, other in zip(network.bins, kaldi, strict=True):
            posteriors = {word or "0": posterior for word, posterior in mine}
            # Kaldi's are in single precision, which holds nothing below 1e-45.
            for word in {*posteriors, *other}:
                assert posteriors.get(word, 0.0) == pytest.approx(other.get(word, 0.0), rel=1e-3, abs=1e-38)


@pytest.mark.real_data
@pytest.mark.skipif(not KALDI.is_dir(), reason=f"there are no lattices in {KALDI} (LATTICEMETRIC_DATA)")
def test_risks_of_costs_in_32_bits_are_kaldi_s_to_all_digits():
    """Kaldi holds costs, the acoustic scale, their products and the sums in 32 bits."""
    risks = kaldi_lines("mbr-risk")
    for name, lattice in lm.read(KALDI / "ami3.lat.txt.gz"):
        network = lm.consensus(_in_single_precision(lattice, 0.0833333))
        assert network.bayes_risk == pytest.approx(float(risks[name]), rel=5e-7)


def _in_single_precision(lattice, acoustic_scale):
    graph, acoustic = (lattice.scores[name] for name in ("lm", "acoustic"))
    arc, final = (
        (np.float32(a) + np.float32(b) * np.float32(acoustic_scale)).astype(float)
        for a, b in ((graph.arc, acoustic.arc), (graph.final, acoustic.final))
    )
    return lm.Lattice.from_arcs(
        lattice.source,
        lattice.target,
        lattice.word,
        final=lattice.final,
        scores={"cost": lm.Column(arc, final)},
        vocabulary=lattice.vocabulary,
        times=lattice.times,
    )
