"""Combinations of systems: against all alignments, all strings of the network, and votes counted by hand."""

import itertools
import math
import re
import subprocess
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.strategies import lattices

import latticemetric as lm
from latticemetric import _native
from latticemetric.lattice.columns import Labels
from latticemetric.mbr_decoding.slotted_output import SlottedOutput, _with_marked_words, align_outputs
from latticemetric.mbr_decoding.votes import VOTES
from latticemetric.metrics.pairs import error_counts

texts = st.lists(st.sampled_from("abcd"), max_size=4).map(tuple)
systems = st.lists(texts, min_size=1, max_size=4)
weightings = st.lists(st.sampled_from([0.5, 1.0, 1.5, 2.0]), min_size=4, max_size=4)


def all_columns(strings):
    """Every multiple alignment, as rows of words; '' where a system has none."""
    if not any(strings):
        yield ()
        return
    for takes in itertools.product(*([False, True] if string else [False] for string in strings)):
        if any(takes):
            column = tuple(string[0] if take else "" for string, take in zip(strings, takes, strict=True))
            rest = [string[take:] for string, take in zip(strings, takes, strict=True)]
            yield from ((column, *columns) for columns in all_columns(rest))


def sum_of_pairs(columns):
    return sum(a != b for column in columns for a, b in itertools.combinations(column, 2))


def edit_distance(left, right):
    row = list(range(len(right) + 1))
    for i, word in enumerate(left, start=1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(right, start=1):
            diagonal, row[j] = row[j], min(diagonal + (word != other), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def columns_of(found):
    """The columns of a combination of strings, as words."""
    rows = found.slots.tolist()
    outputs = [output.words for output in found.outputs]
    return [tuple(words[slot] if slot >= 0 else "" for words, slot in zip(outputs, row, strict=True)) for row in rows]


def strings_of(columns):
    return {tuple(filter(None, path)) for path in itertools.product(*(sorted(set(column)) for column in columns))}


class TestAlignment:
    @given(systems)
    def test_every_slot_stands_once_in_order(self, strings):
        found = lm.combine(strings)
        for s, string in enumerate(strings):
            own = found.slots[:, s]
            assert own[own >= 0].tolist() == list(range(len(string)))
        assert not (found.slots < 0).all(axis=1).any()

    @given(systems)
    def test_its_cost_is_the_sum_over_pairs_of_systems(self, strings):
        found = lm.combine(strings)
        assert found.cost == sum_of_pairs(columns_of(found))

    @given(st.lists(st.lists(st.sampled_from("ab"), max_size=3).map(tuple), min_size=2, max_size=3))
    def test_it_lies_between_the_best_alignment_and_the_bound(self, strings):
        found = lm.combine(strings)
        best = min(map(sum_of_pairs, all_columns(strings)))
        assert found.bound == sum(edit_distance(a, b) for a, b in itertools.combinations(strings, 2))
        assert found.bound <= best <= found.cost
        if len(strings) == 2:
            assert found.cost == best

    @given(systems, st.randoms(use_true_random=False), weightings)
    def test_nothing_depends_on_the_order_of_the_systems(self, strings, random, weights):
        named = {str(k): (string, weight) for k, (string, weight) in enumerate(zip(strings, weights, strict=False))}
        shuffled = list(named)
        random.shuffle(shuffled)
        one, other = (
            lm.combine({k: named[k][0] for k in order}, system_weights=[named[k][1] for k in order])
            for order in (list(named), shuffled)
        )
        assert one.words == other.words
        assert one.cost == other.cost
        assert one.confidences == pytest.approx(other.confidences)
        assert {tuple(sorted(column)) for column in columns_of(one)} == {
            tuple(sorted(column)) for column in columns_of(other)
        }

    @given(systems, st.lists(st.floats(0, 9), min_size=16, max_size=16))
    def test_times_change_which_of_the_cheapest_is_taken_alone(self, strings, begins):
        timed = []
        for string in strings:
            starts = np.sort(begins[: len(string)])
            times = np.stack([starts, starts + 0.5], axis=1).reshape(-1, 2)
            timed.append(replace(SlottedOutput.of_words(string), times=times))

        _, cost, _ = align_outputs(timed)
        assert cost <= lm.combine(strings).cost + 1

    def test_words_of_the_same_letters_share_a_column(self):
        found = lm.combine([["quick", "brown"], ["quack"], ["fox", "quick", "brawn"]])
        assert ("brown", "", "brawn") in columns_of(found)

    @pytest.mark.parametrize("is_timed", [False, True])
    def test_equal_words_share_a_column_before_near_ones(self, is_timed):
        """Two different pairs cost as much as an equal one beside two gaps, whatever their letters and times."""
        strings = [["caught", "taught"], ["taught", "taunt"]]
        outputs = [timed(words, [(0, 1), (1, 2)]) for words in strings] if is_timed else strings
        assert columns_of(lm.combine(outputs)) == [("caught", ""), ("taught", "taught"), ("", "taunt")]

    def test_of_different_words_those_near_in_time_share_a_column(self):
        one = timed(["a", "b", "c"], [(0.0, 0.3), (0.3, 0.6), (0.6, 0.9)])
        for place, times in enumerate([(0.1, 0.2), (0.3, 0.7), (0.6, 0.8)]):
            columns = columns_of(lm.combine([one, timed(["x"], [times])]))
            assert [other for _, other in columns].index("x") == place

    def test_times_lower_the_errors(self):
        """On words of known times; of systems with errors of each kind, and with noise in their times."""
        draws = [recognised(seed, noise) for seed in range(4) for noise in (0.05, 0.15)]
        counts = (timed_errors, text_errors, time_errors)
        with_times, without, mediated = (sum(map(count, draws)) for count in counts)
        assert mediated < with_times < without

    def test_time_mediated_columns_hold_no_words_of_other_times(self):
        early, late = timed(["a", "x"], [(0.0, 0.3), (0.3, 0.6)]), timed(["y", "b"], [(4.0, 4.3), (4.3, 4.6)])
        assert len(lm.combine([early, late]).slots) == 2
        found = lm.combine([early, late], time_mediated=True)
        assert columns_of(found) == [("a", ""), ("x", ""), ("", "y"), ("", "b")]
        assert found.cost == 4
        assert columns_of(lm.combine([early, ["y", "b"]], time_mediated=True)) == [("a", "y"), ("x", "b")]

    def test_words_of_single_systems_are_in_the_order_of_their_times(self):
        late, early = timed(["a", "x", "m"], [(4.0, 4.3), (4.3, 4.6), (6, 7)]), timed(["y", "m"], [(1, 2), (6, 7)])
        for outputs in ([late, early], [early, late], [late, early, ["m"]]):
            assert lm.combine(outputs, time_mediated=True).vote(null=0).words == ("y", "a", "x", "m")

    def test_time_mediated_columns_need_times(self):
        with pytest.raises(lm.UsageError, match="no system has times"):
            lm.combine(["a", "b"], time_mediated=True)
        assert lm.combine(["a", ""], time_mediated=True).words == ("a",)  # a silent system has no times to give

    def test_long_texts_are_aligned_in_a_band(self):
        words = [f"w{k * k % 97}" for k in range(3000)]
        others = [words[:1000] + ["new"] * 50 + words[1000:], words[:500] + words[600:], words]
        found = lm.combine(others)
        assert found.words == tuple(words)
        assert found.cost == found.bound

    def test_the_kernel_refuses_what_is_no_distribution(self):
        numbers, parts = np.array([1], dtype=np.int32), np.array([7], dtype=np.int32)
        with pytest.raises(ValueError, match="add up"):
            _native.align_systems(np.array([0, 1]), np.array([0, 1]), numbers, parts, np.zeros(2), ["", "a"])
        with pytest.raises(ValueError, match="no word"):
            _native.align_systems(np.array([0, 1]), np.array([0, 1]), numbers, parts, np.zeros(2), [""])


def timed(words, times):
    """A lattice with one path; between words, an arc without a word where there is a pause."""
    spelling = lm.Vocabulary.from_words(words)
    labels, states = [], [times[0][0]]
    for number, (begin, end) in zip(spelling.encode(words), times, strict=True):
        labels += [0, number] if begin > states[-1] else [number]
        states += [begin, end] if begin > states[-1] else [end]
    source = np.arange(len(labels))
    return lm.Lattice.from_arcs(
        source, source + 1, labels, final=[len(labels)], vocabulary=spelling, times=np.maximum.accumulate(states)
    )


def recognised(seed, noise):
    """True words, and the words and times of four systems that substitute, delete and insert words."""
    draws = np.random.default_rng(seed)
    lexicon = sorted({"".join(draws.choice(list("abcdeiklmnorstu"), size=draws.integers(1, 7))) for _ in range(200)})
    words = draws.choice(lexicon, size=800).tolist()
    begins = np.cumsum(0.1 + draws.gamma(3, 0.08, size=len(words) + 1))
    systems = []
    for _ in range(4):
        spoken = []
        for word, begin, end in zip(words, begins, begins[1:], strict=False):
            kind = draws.choice(["right", "other", "near", "lost", "more"], p=[0.62, 0.1, 0.1, 0.1, 0.08])
            middle = begin + 0.4 * (end - begin)
            if kind == "more":
                spoken += [(str(draws.choice(lexicon)), begin, middle), (word, middle, end)]
            elif kind == "other":
                spoken.append((str(draws.choice(lexicon)), begin, end))
            elif kind == "near":
                spoken.append((word[:-1] + str(draws.choice(list("xyz"))), begin, end))
            elif kind == "right":
                spoken.append((word, begin, end))
        ends = np.array([times for _, *times in spoken])
        noisy = np.maximum.accumulate((ends + draws.normal(0, noise, ends.shape)).ravel()).reshape(-1, 2)
        systems.append(([word for word, *_ in spoken], np.maximum(noisy, 0)))
    return words, systems


def errors(words, reference):
    return int(error_counts([words], [reference])[0, 0])


def timed_errors(drawn, **options):
    words, systems = drawn
    return errors(lm.combine([timed(*output) for output in systems], **options).words, words)


def time_errors(drawn):
    return timed_errors(drawn, time_mediated=True)


def text_errors(drawn):
    words, systems = drawn
    return errors(lm.combine([spoken for spoken, _ in systems]).words, words)


class TestVote:
    @given(systems, weightings, st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.sampled_from(VOTES), st.data())
    def test_it_is_counted_column_by_column(self, strings, weights, null, scheme, data):
        sure = [
            data.draw(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=len(s), max_size=len(s))) for s in strings
        ]
        found = lm.combine([ctm_graph(*pair) for pair in zip(strings, sure, strict=True)])
        weights, share = weights[: len(strings)], 0.25
        vote = found.vote(weights, null=null, scheme=scheme, count_share=share)
        at = dict(zip(vote.columns.tolist(), vote.words, strict=True))
        for place, (column, row) in enumerate(zip(columns_of(found), found.slots.tolist(), strict=True)):
            held = defaultdict(list)
            for s, word in enumerate(column):
                held[word].append((weights[s], sure[s][row[s]] if word else 1.0))
            scores = {
                word: score(votes, scheme, share, sum(weights), None if word else null) for word, votes in held.items()
            }
            winner = at.get(place, "")
            assert scores[winner] == pytest.approx(max(scores.values()))
            if not winner:  # ties: a word before no word
                assert all(value < scores[""] - 1e-12 for word, value in scores.items() if word)

    def test_ties_go_to_the_word_most_like_the_others(self):
        found = lm.combine([["lattice"], ["lettuce"], ["latticed"], ["sailing"]])
        assert found.words == ("lattice",)

    @pytest.mark.parametrize("unit", [1e-300, 1e-10, 1e300, 5e307])
    @pytest.mark.parametrize("scheme", VOTES)
    def test_the_unit_of_the_weights_does_not_matter(self, unit, scheme):
        found = lm.combine(["a b", "a", "a", "b"], scheme=scheme, count_share=1.0)
        for weights in ([1, 1, 1, 1], [3, 1, 1, 2], [0.1, 0.2, 0.3, 0.1], [1, 0, 0, 2]):
            vote, other = found.vote(weights), found.vote([unit * weight for weight in weights])
            assert other.words == vote.words
            assert other.confidences == pytest.approx(vote.confidences)

    def test_the_sum_of_weights_may_be_infinite(self):
        found = lm.combine(["a", "b", "b"], system_weights=[1e308] * 3)
        assert found.words == found.mbr().words == ("b",)
        assert found.oracle("a").numerator == 0
        assert found.to_lattice().scores["votes"].arc == pytest.approx(-np.log([2 / 3, 1 / 3]))

    def test_a_large_weight_does_not_make_all_others_equal(self):
        found = lm.combine(["a b", "a c", "a c", "a"], system_weights=[1, 1, 1, 1e12])
        assert found.vote(null=0).words == ("a", "c")

    def test_confidences_are_shares_of_the_votes(self):
        found = lm.combine({"a": "x y", "b": "x z", "c": "x"}, system_weights={"a": 2, "b": 1, "c": 1})
        assert found.words == ("x", "y")
        assert found.confidences == (1.0, 0.5)
        assert found.vote(null=3.0).words == ("x",)

    def test_rovers_average_and_maximum(self):
        graphs = [ctm_graph(["a"], [0.9]), ctm_graph(["b"], [0.5]), ctm_graph(["b"], [0.3])]
        found = lm.combine(graphs, scheme="average", count_share=0.5)
        # a: 1/6 + .45; b: 1/3 + .2
        assert found.words == ("a",)
        assert found.vote(scheme="average", count_share=0.9).words == ("b",)
        assert found.vote(scheme="maximum", count_share=0.4).words == ("a",)
        assert found.vote(scheme="maximum", count_share=0.7).words == ("b",)

    def test_options_are_checked(self):
        for options in (
            {"system_weights": [1]},
            {"system_weights": [0, 0]},
            {"system_weights": [-1, 1]},
            {"null": math.nan},
            {"scheme": "best"},
        ):
            with pytest.raises(lm.UsageError):
                lm.combine(["a", "b"], **options)
        with pytest.raises(lm.UsageError, match="no system 'c'"):
            lm.combine({"a": "x", "b": "y"}, system_weights={"c": 1})
        with pytest.raises(lm.UsageError, match="score column"):
            lm.combine(["a", "b"], weights={"acoustic": 1})
        with pytest.raises(lm.UsageError, match="no systems"):
            lm.combine([])


def score(votes, scheme, share, total, null):
    """The score of a word in a column, from the (weight, confidence) of each system; `null` is `None` for words."""
    count, mass = sum(w for w, _ in votes), sum(w * sure for w, sure in votes)
    if scheme in ("sum", "votes"):
        return (count if scheme == "votes" else mass) * (1.0 if null is None else null)
    confidence = mass / count if scheme == "average" else max(sure for _, sure in votes)
    return share * count / total + (1 - share) * (confidence if null is None else null)


def ctm_graph(words, sure):
    """A lattice with one path, times and confidences, as it is read from a CTM."""
    if not words:
        return words
    spelling = lm.Vocabulary.from_words(words)
    kinds = lm.Vocabulary.from_words(map(str, sure))
    source = list(range(len(words)))
    labels = {"confidence": Labels(kinds.encode(list(map(str, sure))), np.zeros(1, dtype=np.int32), kinds)}
    return lm.Lattice.from_arcs(
        source,
        [k + 1 for k in source],
        spelling.encode(words),
        final=[len(words)],
        vocabulary=spelling,
        times=[float(k) for k in range(len(words) + 1)],
        labels=labels,
    )


ROVER = Path("/usr/lib/sctk/bin/rover")


def written_ctms(folder, draws):
    """The words and confidences of three systems, by file name; the files are written as CTMs."""
    systems = {}
    for name in ("a.ctm", "b.ctm", "c.ctm"):
        words = [str(draws.choice(list("abcd"))) for _ in range(draws.integers(3, 9))]
        sure = draws.random(len(words)).round(4).tolist()
        lines = [f"u 1 {k / 2} 0.4 {word} {one}\n" for k, (word, one) in enumerate(zip(words, sure, strict=True))]
        (folder / name).write_text("".join(lines))
        systems[name] = words, sure
    return systems


def rover(folder, method, share, null):
    """What rover writes for the three files."""
    hypotheses = [option for name in ("a.ctm", "b.ctm", "c.ctm") for option in ("-h", name, "ctm")]
    options = ["-m", method, "-a", str(share), "-c", str(null), "-f", "0", "-o", "out"]
    subprocess.run([ROVER, *hypotheses, *options], cwd=folder, capture_output=True, check=True)
    return (folder / "out").read_text()


def rover_slots(folder, names):
    """The columns of rover, as slots of a combination."""
    columns = re.findall(r"<putative_tag .*?</putative_tag >", rover(folder, "putat", 1, 0), re.DOTALL)
    slots, following = np.full((len(columns), len(names)), -1, dtype=np.int32), [0] * len(names)
    for row, column in zip(slots, columns, strict=True):
        for system in (names.index(name) for name in re.findall(r'tag1="(.+?)"', column)):
            row[system] = following[system]
            following[system] += 1
    return slots


@pytest.mark.skipif(not ROVER.exists(), reason="needs sctk")
@pytest.mark.parametrize(
    ("method", "scheme"), [("meth1", "average"), ("maxconf", "maximum"), ("avgconf", "sum")], ids=lambda name: name
)
def test_rover_chooses_the_same_words_in_its_columns(tmp_path, method, scheme):
    draws = np.random.default_rng(11)
    for _ in range(15):
        systems = written_ctms(tmp_path, draws)
        graphs = {name: ctm_graph(*output) for name, output in systems.items()}
        found = replace(lm.combine(graphs), slots=rover_slots(tmp_path, list(systems)))
        share, null = (0.0 if scheme == "sum" else round(draws.random(), 3)), round(draws.random(), 3)
        expected = [line.split()[4] for line in rover(tmp_path, method, share, null).splitlines()]
        assert list(found.vote(scheme=scheme, null=null, count_share=share).words) == expected


class TestOracle:
    @given(systems.filter(any), texts.filter(bool))
    def test_that_of_each_subset_is_the_best_string_of_its_columns(self, strings, reference):
        found = lm.combine(strings)
        columns = columns_of(found)
        for subset, best in found.oracles([reference]).items():
            kept = [tuple(column[int(name) - 1] for name in subset) for column in columns]
            assert best.numerator == min(edit_distance(path, reference) for path in strings_of(kept))
            assert edit_distance(best.words, reference) == best.numerator

    def test_many_systems_have_oracles_of_each_and_of_all(self):
        found = lm.combine(["a b"] * 6)
        assert [len(subset) for subset in found.subsets()] == [1] * 6 + [6]


def distribution(output):
    """The probability of each text of an output."""
    if isinstance(output, tuple):
        return {output: 1.0}
    paths = [(tuple(path.words), path.cost) for path in output.paths()]
    least, masses = min(cost for _, cost in paths), defaultdict(float)
    for words, cost in paths:
        masses[words] += math.exp(least - cost)
    return {words: mass / sum(masses.values()) for words, mass in masses.items()}


class TestGraphs:
    def test_lattices_and_lists_bring_their_posteriors(self):
        lattice = lm.Lattice.from_strings(["a b", "a c"], costs=[0.1, 0.0])
        nbest = lm.NBest.from_strings(["a b", "x b"], log_probs=[-0.5, -1.5])
        found = lm.combine({"lattice": lattice, "list": nbest, "text": "a c"})
        assert found.words == ("a", "c")
        assert found.confidences[1] == pytest.approx((math.exp(0) / (math.exp(0) + math.exp(-0.1)) + 1) / 3)
        assert found.bound is None
        assert found.vote({"lattice": 1, "list": 2, "text": 0.5}).words == ("a", "b")

    def test_words_on_all_paths_of_a_ctm_keep_their_confidences(self, tmp_path):
        (tmp_path / "one.ctm").write_text(
            "u 1 0.0 0.5 a 0.3\nu 1 * * <ALT_BEGIN>\nu 1 0.6 0.3 b 0.2\nu 1 * * <ALT>\nu 1 0.6 0.3 c 0.9\n"
            "u 1 * * <ALT_END>\nu 1 1.0 0.2 (uh) 0.9\nu 1 1.3 0.2 a 0.4\nu 1 1.6 0.2 a\n"
        )
        (graph,) = (entry for _, entry in lm.read(tmp_path / "one.ctm"))
        output = SlottedOutput.of(graph)
        slots = [output.words[first:end] for first, end in itertools.pairwise(output.first.tolist())]
        assert slots == [("a",), ("b", "c"), ("uh", ""), ("a",), ("a",)] or slots[2] == ("", "uh")
        assert output.probabilities.tolist() == pytest.approx([0.3, 0.5, 0.5, 0.5, 0.5, 0.4, 1.0])
        assert lm.combine([graph, "x b y z"], null=0).vote([1, 0.35]).words[0] == "x"
        assert set(lm.combine([graph, graph]).mbr().words) <= {"a", "b", "c", "uh"}

    @given(lattices())
    def test_only_words_on_all_paths_are_marked(self, graph):
        kinds = lm.Vocabulary.from_words(["0.5"])
        ones = Labels(np.full(len(graph.word), kinds.number("0.5")), np.zeros(len(graph.final), dtype=np.int32), kinds)
        marked, meant = _with_marked_words(replace(graph, labels={"confidence": ones}))
        paths = [set(path.arcs) for path in graph.paths()]
        on_all = {arc for arc in set.intersection(*paths) if graph.word[arc]}
        assert {int(mark.split("\0")[1]) for mark in meant} == on_all
        spelled = [word.split("\0")[0] for word in marked.vocabulary.words(marked.word)]
        assert spelled == list(graph.vocabulary.words(graph.word))

    def test_minimum_risk_counts_all_paths_by_the_weights(self):
        lattice = lm.Lattice.from_strings(["a b", "a c"], costs=[0.0, 0.0])
        found = lm.combine({"lattice": lattice, "text": "x b d"}, system_weights=[3, 1])
        best = found.mbr()

        def risk(words):
            halves = (edit_distance(words, ("a", "b")) + edit_distance(words, ("a", "c"))) / 2
            return 0.75 * halves + 0.25 * edit_distance(words, ("x", "b", "d"))

        assert best.words == ("a", "b")
        assert best.risk == pytest.approx(risk(best.words), abs=1e-4)
        assert best.risk <= best.one_best_risk

    @given(st.lists(texts, min_size=1, max_size=4), weightings)
    def test_minimum_risk_is_that_of_no_worse_text(self, strings, weights):
        """Neither an output nor any other text has a smaller risk; the bound says so."""
        weights = weights[: len(strings)]
        best = lm.combine(strings, system_weights=weights, scheme="mbr").least_risk

        def risk(words):
            return sum(w * edit_distance(words, s) for w, s in zip(weights, strings, strict=True)) / sum(weights)

        every = (words for size in range(5) for words in itertools.product("abcd", repeat=size))
        assert best.risk == pytest.approx(risk(best.words), abs=1e-12)
        assert best.risk <= min(map(risk, every)) + 1e-9
        assert best.is_optimal
        assert best.bound <= best.risk

    def test_minimum_risk_is_never_worse_than_an_input(self):
        """Of 3,000 such combinations, the search from the vote alone returned 82 texts that were."""
        draws = np.random.default_rng(5)
        for _ in range(200):
            strings = [tuple(draws.choice(list("abcde"), size=draws.integers(9))) for _ in range(draws.integers(2, 6))]
            best = lm.combine(strings, scheme="mbr")
            risks = [
                sum(edit_distance(one, other) for other in strings) / len(strings) for one in (*strings, best.words)
            ]
            assert risks[-1] <= min(risks) + 1e-9

    @given(st.lists(st.one_of(texts, lattices()), min_size=1, max_size=3), weightings)
    def test_minimum_risk_of_graphs_is_exact_and_no_worse_than_that_of_their_best_words(self, outputs, weights):
        weights = weights[: len(outputs)]
        found = lm.combine(outputs, system_weights=weights, scheme="mbr")

        def risk(words):
            risks = (sum(p * edit_distance(words, text) for text, p in distribution(one).items()) for one in outputs)
            return sum(w * one for w, one in zip(weights, risks, strict=True)) / sum(weights)

        inputs = [lm.combine([one]).words for one in outputs]
        assert found.least_risk.risk == pytest.approx(risk(found.words), abs=1e-9)
        assert found.least_risk.one_best_risk == pytest.approx(risk(found.best.words), abs=1e-9)
        assert found.least_risk.risk <= min(map(risk, [*inputs, found.best.words])) + 1e-6

    def test_the_bound_of_long_texts_is_that_of_their_distances(self):
        draws = np.random.default_rng(3)
        strings = [draws.choice(list("abcdefgh"), size=1200).tolist() for _ in range(3)]
        best = lm.combine(strings, scheme="mbr").least_risk
        assert best.bound == pytest.approx(sum(map(errors, strings, strings[1:] + strings[:1])) / 6)
        assert best.bound < best.risk
        assert not best.is_optimal

    @given(systems, weightings, st.randoms(use_true_random=False))
    def test_minimum_risk_does_not_depend_on_the_order_of_the_systems(self, strings, weights, random):
        pairs = list(zip(strings, weights, strict=False))
        shuffled = random.sample(pairs, len(pairs))
        one, other = (
            lm.combine([s for s, _ in p], system_weights=[w for _, w in p], scheme="mbr") for p in (pairs, shuffled)
        )
        assert one.words == other.words
        assert one.least_risk.risk == pytest.approx(other.least_risk.risk)

    def test_minimum_risk_of_a_part_counts_the_alternatives_of_its_slots(self):
        lattice = lm.Lattice.from_strings(["a b", "c b"], costs=-np.log([0.75, 0.25]))
        found = lm.combine([lattice, "c b d"], scheme="mbr")
        best = found.part(0, len(found.slots)).mbr()
        assert best.words == found.words
        assert best.risk == pytest.approx(found.least_risk.risk)
        assert found.part(0, 1).mbr([1, 0]).risk == pytest.approx(0.25)

    def test_minimum_risk_has_times_if_all_systems_have(self):
        one, other = timed(["a", "b"], [(0, 1), (1, 2)]), timed(["a", "c", "b"], [(0, 1), (1.2, 1.4), (1.6, 2)])
        found = lm.combine([one, one, other], scheme="mbr")
        assert found.words == ("a", "b")
        assert found.times == ((0, 1), (pytest.approx(1.2), 2))
        assert lm.combine([one, ""], scheme="mbr").times is None or found.times
        assert lm.combine([one, "a b"], scheme="mbr").times is None

    def test_minimum_risk_is_the_same_for_costs_of_any_size(self):
        texts = ["a b", "a c", "d b"]
        few = lm.combine([lm.Lattice.from_strings(texts, costs=[0.0] * 3), "a b", "d"]).mbr()
        many = lm.combine([lm.Lattice.from_strings(texts, costs=[1e17] * 3), "a b", "d"]).mbr()
        assert (many.words, many.risk, many.confidences) == (few.words, pytest.approx(few.risk), few.confidences)

    @pytest.mark.parametrize("scheme", VOTES)
    def test_systems_without_weight_do_not_vote(self, scheme):
        for outputs in (["a c", "a b c"], ["a", "a b"]):
            found = lm.combine(outputs, system_weights=[1, 0], null=0, scheme=scheme)
            assert found.words == found.mbr().one_best == found.mbr().words == tuple(outputs[0].split())
        found = lm.combine(["a b", "a b", "a"], null=1, scheme=scheme, count_share=0.2)
        assert found.vote([1, 1, 0]).words == ("a", "b")
        assert lm.combine(["x a", "x", "x"], null=0).vote([0, 1, 1]).words == ("x",)

    def test_a_tree_of_paths_is_no_single_path(self):
        scores = {"cost": lm.Column(np.array([1.0, 0.0, 0.0]), np.zeros(2))}
        tree = lm.Lattice.from_arcs([0, 0, 2], [1, 2, 3], [1, 2, 3], final=[1, 3], scores=scores)
        assert lm.combine([tree]).words == ("2", "3")
        assert lm.combine([tree]).confidences == pytest.approx([1 / (1 + math.exp(-1))] * 2)
        early = lm.Lattice.from_arcs([0], [1], [1], final=[0, 1], scores={"cost": lm.Column(np.ones(1), np.zeros(2))})
        assert lm.combine([early]).words == ()

    def test_graphs_without_arcs_have_a_risk(self):
        silence = lm.Lattice.from_arcs([], [], [], final=[0])
        assert lm.combine([silence, silence]).mbr().words == ()
        assert lm.combine([silence, "a", "a"]).mbr().words == ("a",)

    def test_the_cost_of_graphs_is_not_rounded(self):
        lattice = lm.Lattice.from_strings(["a", "b", "c"], costs=-np.log([0.993, 0.004, 0.003]))
        assert lm.combine([lattice, "a"]).cost == pytest.approx(0.007)
        assert lm.combine([lattice, lattice]).cost == pytest.approx(1 - 0.993**2 - 0.004**2 - 0.003**2)
        unsure = ctm_graph(["a"], [0.5])  # a confidence is no probability of the alignment
        assert lm.combine([lattice, unsure]).cost == pytest.approx(0.007)

    def test_times_are_means_and_in_order(self):
        found = lm.combine([ctm_graph(["a", "b"], [1, 1]), "a x b", ctm_graph(["a", "x", "b"], [1, 1, 1])])
        assert found.words == ("a", "x", "b")
        assert found.times == ((0.0, 1.0), (1.0, 2.0), (2.0, 2.5)) or found.times[0] == (0.0, 1.0)
        flat = list(itertools.chain.from_iterable(found.times))
        assert flat == sorted(flat)
        assert lm.combine(["a", "b"]).times is None

    def test_a_confidence_is_a_probability(self):
        with pytest.raises(lm.InputError, match="not a probability"):
            lm.combine([ctm_graph(["a"], [1.5])])

    @given(systems.filter(any), st.integers(0, 4))
    def test_parts_vote_as_the_whole(self, strings, cut):
        found = lm.combine(strings)
        cut = min(cut, len(found.slots))
        parts = [found.part(0, cut), found.part(cut, len(found.slots))]
        assert [column for part in parts for column in columns_of(part)] == columns_of(found)
        if len({*map(tuple, strings)}) == 1:
            assert parts[0].words + parts[1].words == found.words
