"""Lists of posteriors, and lattices that have them as costs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.formats import forests
from kit.paths import EXAMPLES
from kit.posteriors import expected_posteriors, weighed_paths
from kit.strategies import costs, lattices
from kit.strings import believed_strings, paths_of

import latticemetric as lm
from latticemetric.posterior.listing import listing


def ranked(expected):
    """By posterior, then shorter ones, then the alphabet; closer than rounding is equal."""
    return sorted(expected.items(), key=lambda item: (-round(item[1], 9), len(item[0]), item[0]))


@given(lattice=lattices(), order=st.integers(1, 4), least=st.sampled_from([0.0, 0.25, 1.0]), top=st.none() | st.just(3))
def test_ngrams_are_listed_by_their_posteriors(lattice, order, least, top):
    found = lm.posteriors(lattice)
    expected = expected_posteriors(weighed_paths(lattice, 1.0, None)[0], order)
    rows = listing(found, "ngrams", order=order, least=least, top=top).rows
    # At the very edge of `least` rounding decides.
    surely = {ngram: p for ngram, p in expected.items() if p >= least + 1e-9}
    maybe = {ngram: p for ngram, p in expected.items() if p >= least - 1e-9}
    said = {tuple(row["ngram"].split()): row["posterior"] for row in rows}
    assert said == {ngram: pytest.approx(maybe[ngram], abs=1e-9) for ngram in said}
    assert len(said) == len(rows) >= min(len(surely), len(surely) if top is None else top)
    assert top is None or len(rows) <= top
    if least == 0:
        assert [tuple(row["ngram"].split()) for row in rows] == [ngram for ngram, _ in ranked(expected)][:top]
    assert [row["order"] for row in rows] == [len(row["ngram"].split()) for row in rows]


@pytest.mark.parametrize(("ways", "step"), [(7, 0.3), (9, 1 / 3), (12, 1 / 3)])
def test_what_is_on_all_paths_has_at_least_the_posterior_one(ways, step):
    column = lm.Column(np.append(np.arange(ways) * step, 0.0), np.zeros(1))
    lattice = lm.Lattice.from_arcs(
        [*[0] * ways, 1], [*[1] * ways, 2], [*range(1, ways + 1), 99], final=[2], scores={"cost": column}
    )
    found = lm.posteriors(lattice)
    assert max(found.words()["99"], found.arc[-1]) < 1  # by rounding
    assert [row["word"] for row in listing(found, least=1.0).rows] == ["99"]
    assert [row["arc"] for row in listing(found, "arcs", least=1.0).rows] == [ways]


@given(lattice=lattices())
def test_words_are_ngrams_of_order_one(lattice):
    found = lm.posteriors(lattice)
    assert {row["word"]: row["posterior"] for row in listing(found).rows} == found.words()


@given(lattice=lattices())
def test_arcs_are_listed_by_their_posteriors(lattice):
    found = lm.posteriors(lattice)
    rows = listing(found, "arcs").rows
    assert sorted(row["arc"] for row in rows) == list(range(len(lattice.word)))
    for row in rows:
        arc = row["arc"]
        assert (row["source"], row["target"]) == (lattice.source[arc], lattice.target[arc])
        assert row["word"] == lattice.vocabulary.word(int(lattice.word[arc]))
        assert row["posterior"] == found.arc[arc]
        assert row["begin"] is row["end"] is None
    keys = [(-round(row["posterior"], 12), row["arc"]) for row in rows]
    assert keys == sorted(keys)


def test_arcs_have_times_where_the_lattice_has():
    lattice = lm.Lattice.from_arcs([0, 1], [1, 2], [3, 4], final=[2], times=[0.0, 0.25, 1.0])
    rows = listing(lm.posteriors(lattice), "arcs").rows
    assert [(row["begin"], row["end"]) for row in rows] == [(0.0, 0.25), (0.25, 1.0)]


LANTERN = lm.read_one(EXAMPLES / "lantern.target_graph")


@given(forest=forests(list("abc"), ["model"], costs), order=st.integers(1, 4))
def test_ngrams_of_forests_are_listed(forest, order):
    found = lm.posteriors(forest)
    held = {}
    for said, probability in believed_strings(paths_of(forest), 1.0).items():
        for ngram in {said[at : at + n] for n in range(1, order + 1) for at in range(len(said) - n + 1)}:
            held[ngram] = held.get(ngram, 0.0) + probability
    rows = listing(found, "ngrams", order=order).rows
    assert {tuple(row["ngram"].split()): row["posterior"] for row in rows} == {
        ngram: pytest.approx(probability, abs=1e-9) for ngram, probability in held.items()
    }


@given(forest=forests(list("abc"), ["model"], costs), least=st.sampled_from([0.0, 0.3]))
def test_edges_are_listed_by_their_posteriors(forest, least):
    found = lm.posteriors(forest)
    rows = listing(found, "edges", least=least).rows
    assert sorted(row["edge"] for row in rows) == np.flatnonzero(found.edge >= least).tolist()
    for row in rows:
        edge, tails = row["edge"], forest.tails.row(row["edge"])
        assert (row["head"], row["posterior"]) == (forest.head[edge], found.edge[edge])
        said = [f"[{tails[-s - 1]}]" if s < 0 else forest.vocabulary.word(s) for s in forest.target.row(edge) if s]
        assert row["target"] == " ".join(said)
    keys = [(-round(row["posterior"], 12), row["edge"]) for row in rows]
    assert keys == sorted(keys)


def test_a_tail_is_shown_as_its_node():
    rows = listing(lm.posteriors(LANTERN), "edges").rows
    assert [row["target"] for row in rows if row["edge"] == 6] == ["[0] [3]"]


def test_parts_that_a_graph_has_not_are_refused():
    with pytest.raises(lm.UsageError, match="a lattice has no edges; list its arcs"):
        listing(lm.posteriors(lm.Lattice.from_strings(["a"])), "edges")
    with pytest.raises(lm.UsageError, match="a forest has no arcs; list its edges"):
        listing(lm.posteriors(LANTERN), "arcs")


@given(lattice=lattices())
def test_a_summary_is_of_the_distribution(lattice):
    found = lm.posteriors(lattice)
    assert listing(found, "summary").asdict() == {"log_total": found.log_total, "entropy": found.entropy}


@given(lattice=lattices())
def test_written_costs_are_logarithms_of_posteriors(lattice):
    found = lm.posteriors(lattice)
    written = found.to_lattice()
    column = written.scores["posterior"]
    assert np.exp(-column.arc) == pytest.approx(found.arc, abs=1e-12)
    assert np.exp(-column.final) == pytest.approx(found.ending, abs=1e-12)
    assert (list(written.scores), column.weight) == (["posterior"], 1.0)
    assert (column.arc >= 0).all()
    assert written.words(range(len(written.word))) == lattice.words(range(len(lattice.word)))


def test_what_is_next_to_impossible_has_a_finite_cost():
    written = lm.posteriors(lm.Lattice.from_strings(["a", "b"], costs=[0.0, 1e6])).to_lattice()
    assert written.scores["posterior"].arc.tolist() == [0.0, pytest.approx(708.396, abs=1e-3)]


def test_one_end_is_certain():
    written = lm.posteriors(lm.Lattice.from_strings(["a", "b", "c"], costs=[0.1, 0.2, 0.7])).to_lattice()
    assert written.scores["posterior"].final.tolist() == [0.0]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"of": "letters"}, "'letters' cannot be listed; choose one of words, ngrams, arcs, edges, summary"),
        ({"least": -0.1}, "the least posterior is -0.1"),
        ({"least": math.nan}, "the least posterior is nan"),
        ({"top": -1}, "-1 posteriors cannot be listed"),
        ({"of": "ngrams", "order": 0}, "order 0 cannot be counted"),
        ({"of": "ngrams", "order": 1.5}, "order 1.5 cannot be counted"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, says):
    with pytest.raises(lm.UsageError, match=says):
        listing(lm.posteriors(lm.Lattice.from_strings(["a"])), **wrong)
