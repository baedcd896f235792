"""References that are graphs: all their readings, listed and judged one by one, against what is found."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kit import brute_force
from kit.brute_force import Rate, assert_scored, enumerate_paths
from kit.strategies import KNOWN_WORDS, STRANGER, Draft, drafts, lattices, metrics, scalings, sentences

import latticemetric as lm
from latticemetric import _native
from latticemetric.automata.recognition import Ratio, best_path_at
from latticemetric.automata.reference import ReferenceGraph
from latticemetric.oracle_search.reference_strings import distinct_strings
from latticemetric.vocabulary import STAR

every_engine = pytest.mark.parametrize("engine", ["native", "openfst"])

MOST_WORDS = 4  # brute force looks at all alignments of all readings


@st.composite
def graphs(draw: st.DrawFn) -> lm.Lattice:
    """Reference graphs with ε, repeated and unknown words, several ends and the empty reading.

    Their words have numbers of their own, not those of the lattices that they are compared with.
    """
    draft = draw(drafts().filter(lambda d: max(map(len, words_of(d.lattice()))) <= MOST_WORDS))
    spelling = draw(st.permutations([*KNOWN_WORDS, STRANGER]))
    return lm.Lattice.from_arcs(
        draft.source,
        draft.target,
        draft.word,
        start=draft.start,
        final=draft.final,
        vocabulary=lm.Vocabulary.from_words(spelling),
    )


def words_of(lattice: lm.Lattice) -> list[tuple[str, ...]]:
    """What each path says, in the order in which ties take them: by where paths end, then by arcs from the end."""

    def place(path):
        end = int(lattice.target[path.arcs[-1]]) if path.arcs else 0
        return end, path.arcs[::-1]

    return [path.words for path in sorted(enumerate_paths(lattice), key=place)]


# The readings `uh c c` and `c c`, in this order.
UH_C_C = lm.Lattice.from_arcs([0, 0, 1, 2], [1, 1, 2, 3], [1, 0, 2, 2], final=[3])


@given(graph=graphs())
def test_readings_are_listed_in_the_order_of_the_tie_rule(graph):
    assert distinct_strings(graph, 10_000) == list(dict.fromkeys(words_of(graph)))


# --- Strings


@given(hypothesis=sentences(4), graph=graphs(), case=metrics())
def test_a_string_is_scored_by_its_best_reading(hypothesis, graph, case):
    metric, rate = case
    expected = brute_force.judge(hypothesis, words_of(graph), rate)
    found = metric.evaluate(hypothesis, graph)
    assert found.words == words_of(graph)[expected.reference_number]
    assert found.alignment == lm.Alignment(expected.hypothesis, expected.reference, expected.edits)
    assert metric.score(hypothesis, graph) == brute_force.rounded(expected.score)
    assert metric.statistics(hypothesis, [graph]) == found.statistics


@given(data=st.data(), case=metrics())
def test_graphs_and_strings_stand_side_by_side(data, case):
    metric, rate = case
    hypotheses = data.draw(st.lists(sentences(3), min_size=1, max_size=3))
    references = [data.draw(st.lists(graphs() | sentences(3), min_size=1, max_size=2)) for _ in hypotheses]
    judged = [
        brute_force.judge(c, [w for r in several for w in (words_of(r) if isinstance(r, lm.Lattice) else [r])], rate)
        for c, several in zip(hypotheses, references, strict=True)
    ]
    corpus = metric.corpus(hypotheses, references)
    assert corpus.numerator == float(sum(verdict.numerator for verdict in judged))
    assert corpus.denominator == sum(verdict.denominator for verdict in judged)
    rows = metric.table(hypotheses, references)
    for hypothesis, several, verdict, row in zip(hypotheses, references, judged, rows, strict=True):
        found = metric.evaluate(hypothesis, several)
        assert found.words in [tuple(r) if not isinstance(r, lm.Lattice) else found.words for r in several]
        assert metric.counted(found.words) == verdict.reference
        assert np.isclose(metric.values(row), np.nan if verdict.score is None else float(verdict.score), equal_nan=True)


@given(hypothesis=sentences(12), texts=st.lists(sentences(9), min_size=1, max_size=5), case=metrics())
def test_a_graph_of_strings_is_as_good_as_the_list_of_them(hypothesis, texts, case):
    # Longer than brute force over alignments can go.
    metric, _ = case
    graph = lm.Lattice.from_strings(texts)
    listed = distinct_strings(graph, 100)
    assert metric.evaluate(hypothesis, graph)[1:] == metric.evaluate(hypothesis, listed)[1:]


@example(said=["d"], graph=UH_C_C, metric=lm.CER())
@given(
    said=st.lists(st.sampled_from(["c", "uh", "abc", "d"]), max_size=4),
    graph=graphs(),
    metric=st.sampled_from([lm.CER(), lm.CER(spaces=False), lm.GCR(2), lm.GCR(3, alpha=0.5, beta=1), lm.WER()]),
)
def test_by_characters_ties_of_readings_are_those_of_their_list(said, graph, metric):
    spelled = lm.Vocabulary.from_words(["uh", "c", "abc", "ca", "u"])
    graph = replace(graph, vocabulary=spelled)
    listed = [list(words) for words in dict.fromkeys(words_of(graph))]
    assert metric.evaluate(said, graph)[1:] == metric.evaluate(said, listed)[1:]


def test_what_a_graph_adds_to_a_signature_is_one_reference():
    graph = lm.Lattice.from_strings(["a b", "c"])
    assert lm.WER().corpus(["a"], [graph]).signature == str(lm.WER().signature)
    assert lm.oracle(graph, graph, "wer").signature == str(lm.WER().signature)


@pytest.mark.parametrize("metric", [lm.BLEU(), lm.NIST(), lm.Unigram("f1"), lm.BLEUSBP()])
def test_other_metrics_refuse_graphs(metric):
    graph = lm.Lattice.from_strings(["a b", "c"])
    for references in (graph, [graph]):
        with pytest.raises(lm.UsageError, match=r"graphs as references need wer, wrr, .*mixed-er or sclite"):
            metric.score("a", references)


def test_a_graph_is_no_hypothesis():
    with pytest.raises(lm.UsageError, match="expected a string, but found a graph or a text with alternatives"):
        lm.WER().score(lm.Lattice.from_strings(["a"]), "a")


# --- Lattices


@every_engine
@given(lattice=lattices(), graph=graphs(), case=metrics(), data=st.data())
def test_oracle_is_the_best_over_all_paths_and_readings(engine, lattice, graph, case, data):
    metric, rate = case
    weights = data.draw(scalings(lattice), label="weights")
    others = data.draw(st.lists(sentences(3), max_size=1), label="other references")
    said = [*words_of(graph), *others]
    judged = brute_force.answers(lattice, said, rate, weights)
    found = lm.oracle(lattice, [graph, *others], metric, weights=weights, engine=engine)
    expected = brute_force.oracle(judged)
    assert_scored(found, expected)
    assert found.arcs == expected.path.arcs
    assert found.reference == said[expected.verdict.reference_number]
    assert_scored(found.one_best, brute_force.one_best(judged))
    assert found.exact


@every_engine
@given(lattice=lattices(), graph=drafts().map(Draft.lattice), case=metrics())
def test_oracle_of_a_graph_is_that_of_all_its_readings(engine, lattice, graph, case):
    metric, _ = case
    found = lm.oracle(lattice, graph, metric, engine=engine)
    listed = lm.oracle(lattice, distinct_strings(graph, 10_000), metric, engine="native")
    assert (found.arcs, found.score, found.numerator, found.reference) == (
        listed.arcs,
        listed.score,
        listed.numerator,
        listed.reference,
    )


@every_engine
@pytest.mark.parametrize("alpha", ["0.123456789012", "-1/3"])
def test_fine_penalties_are_compared_exactly(engine, alpha):
    graph = lm.Lattice.from_strings(["a b c d", "a b c", "", "b c"])
    lattice = lm.Lattice.from_strings(["a x b c", "x b c x", "a b x d", "y"], costs=[3.0, 2.0, 1.0, 0.0])
    metric = lm.GRR(3, alpha=alpha, beta="0.7654321")
    listed = lm.oracle(lattice, distinct_strings(graph, 9), metric)
    assert lm.oracle(lattice, graph, metric, engine=engine).asdict() | {"signature": ""} == listed.asdict() | {
        "signature": ""
    }


def test_what_128_bits_cannot_compare_is_refused():
    gains = lm.GRR(4).gains
    graph = ReferenceGraph.of_words(np.array([1, 2], dtype=np.int32), 4)
    ends, is_word = np.array([np.inf, np.inf, 0.0]), np.zeros(2, dtype=np.uint8)
    lattice = _native.Lattice(graph.source, graph.target, np.zeros(2), ends, graph.word, is_word)
    assert best_path_at(lattice, graph.native(), gains, Ratio(2**110, 3)).ratio == (6 - 1 - 2, 3)
    with pytest.raises(lm.InputError, match="fewer digits"):
        best_path_at(lattice, graph.native(), gains, Ratio(2**126, 1))


def test_what_does_not_fit_into_memory_is_refused_before_it_is_tried():
    graph = lm.Lattice.from_strings([["a"] * 30_000, ["b"] * 30_000])
    with pytest.raises(lm.InputError, match="too large together; prune the lattice"):
        lm.oracle(graph, graph, lm.GRR(100))


def chain(words, alternatives=()):
    """A string as a graph, with other words beside some of its words."""
    states = range(len(words))
    other = [(k, k + 1, word) for k, word in alternatives]
    source, target, spoken = zip(
        *sorted([*zip(states, range(1, len(words) + 1), words, strict=True), *other]), strict=True
    )
    known = lm.Vocabulary.from_words(dict.fromkeys(spoken))
    return lm.Lattice.from_arcs(source, target, known.encode(spoken), final=[len(words)], vocabulary=known)


@pytest.mark.parametrize(("metric", "length"), [(lm.WER(), 12_000), (lm.GRR(4), 12_000), (lm.CER(), 3_000)])
def test_long_texts_with_alternatives_take_a_band(metric, length, memory_limit):
    seed = np.random.default_rng(7)
    words = [f"w{k}" for k in seed.integers(0, 3000, length)]
    said = [f"w{seed.integers(3000)}" if seed.random() < 0.1 else word for word in words if seed.random() > 0.05]
    middle = length // 2
    other = [(100, "uh"), (middle, said[middle]), (length - 1, "er")]
    graph = chain(words, other)
    memory_limit("150M")
    found = metric.evaluate(said, graph)
    best = lm.oracle(chain(said), graph, metric)
    chosen = [dict(other).get(k, word) if k == middle else word for k, word in enumerate(words)]
    listed = metric.evaluate(said, [words, chosen])
    assert found.statistics == best.statistics == listed.statistics
    assert metric.score(said, graph) == best.score


@given(hypothesis=sentences(4), graph=graphs(), case=metrics())
def test_oracle_of_a_string_is_the_string_with_its_best_reading(hypothesis, graph, case):
    metric, rate = case
    expected = brute_force.judge(hypothesis, words_of(graph), rate)
    for lattice in (lm.Lattice.from_strings([hypothesis]), lm.NBest.from_strings([hypothesis])):
        found = lm.oracle(lattice, graph, metric)
        assert found.reference == words_of(graph)[expected.reference_number]
        assert found.words == tuple(word for word in hypothesis if word not in metric.ignore)
        assert (found.score, found.numerator) == (
            brute_force.rounded(expected.score),
            brute_force.rounded(expected.numerator),
        )


def test_readings_by_the_million_are_searched_without_listing():
    states = np.arange(40)
    two = [*np.repeat(states, 2)], [*np.repeat(states + 1, 2)]
    words = lm.Vocabulary.from_words([f"{side}{k}" for k in states for side in "ab"])
    graph = lm.Lattice.from_arcs(*two, range(1, 81), final=[40], vocabulary=words)
    best = lm.oracle(graph, graph, "4-grr")
    assert (best.score, best.denominator, len(best.words)) == (1.0, 4 * 40 - 6, 40)
    said = " ".join(f"{'ab'[k % 2]}{k}" for k in states if k != 7)
    assert lm.WER().score(said, graph) == 1 / 40
    with pytest.raises(lm.InputError, match="more than 64 alternative strings"):
        lm.oracle(lm.Forest.from_lattice(graph), graph, "wer")


@given(lattice=lattices(), graph=graphs(), case=metrics())
def test_forests_and_lists_of_oracles_take_all_readings(lattice, graph, case):
    metric, _ = case
    best = lm.oracle(lattice, graph, metric)
    # The last tie, by edges, goes another way: another path may have the same rate with another numerator.
    forest = lm.Forest.from_lattice(lattice)
    found, listed = (lm.oracle(forest, said, metric) for said in (graph, words_of(graph)))
    assert (found.edges, found.reference) == (listed.edges, listed.reference)
    assert (found.score, found.cost) == (best.score, best.cost)
    assert lm.oracles(lattice, graph, metric, n=1)[0].arcs == best.arcs


# --- Compiled


@given(hypothesis=sentences(4), graph=graphs(), case=metrics(drops=False))
def test_a_compiled_graph_has_the_best_rate_as_its_best_cost(hypothesis, graph, case):
    pynini = pytest.importorskip("pynini")
    _, rate = case
    metric = lm.GRR(rate.order, alpha=rate.alpha, beta=rate.beta)
    vocabulary = lm.Vocabulary.from_words([*KNOWN_WORDS, STRANGER])
    string = pynini.Fst()
    string.add_states(len(hypothesis) + 1)
    string.set_start(0)
    string.set_final(len(hypothesis))
    for place, word in enumerate(hypothesis):
        for label in (vocabulary.number(word), STAR):
            string.add_arc(place, pynini.Arc(label, label, 0.0, place + 1))
    product = pynini.compose(string, metric.compile(graph, vocabulary).arcsort("ilabel"))
    best = pynini.shortestpath(product)
    cost = float(pynini.shortestdistance(best, reverse=True)[best.start()])
    verdict = brute_force.judge(hypothesis, words_of(graph), Rate(rate.order, rate.alpha, rate.beta))
    score = verdict.numerator if verdict.score is None else verdict.score
    assert -cost == pytest.approx(float(score), abs=1e-5)


# --- Files


def test_references_with_graphs_are_pickled(tmp_path):
    from latticemetric.formats.references import read_references

    path = tmp_path / "refs.trn"
    path.write_text("{ a / b } c (u_1)\n")
    (reference,) = read_references(str(path)).plain()
    again = pickle.loads(pickle.dumps(reference))
    assert lm.WER().score("b c", again.graph) == 0
