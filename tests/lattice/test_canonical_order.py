"""The canonical order of a lattice: it says the same, in an order that depends on nothing else."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.paths import DATA
from kit.renumbering import renumbered
from kit.strategies import lattices

import latticemetric as lm
from latticemetric.lattice.canonical_order import in_canonical_order

seeds = st.integers(0, 2**32)


def said(lattice):
    """All that a lattice says, with words by their spelling."""
    scores = {name: (c.arc.tolist(), c.final.tolist(), c.weight) for name, c in lattice.scores.items()}
    times = None if lattice.times is None else lattice.times.tolist()
    numbers = [part.tolist() for part in (lattice.source, lattice.target, lattice.final)]
    return numbers, lattice.vocabulary.words(lattice.word), scores, times


def timed(lattice, draw):
    times = np.random.default_rng(draw).integers(0, 3, lattice.num_states) / 4
    return lm.Lattice.from_arcs(
        lattice.source,
        lattice.target,
        lattice.word,
        final=lattice.final,
        scores=lattice.scores,
        vocabulary=lattice.vocabulary,
        times=times,
    )


@given(lattice=lattices(), seed=seeds, has_times=st.booleans())
def test_renumbered_lattices_have_one_order(lattice, seed, has_times):
    lattice = timed(lattice, seed) if has_times else lattice
    ordered = in_canonical_order(lattice)
    assert said(in_canonical_order(renumbered(lattice, seed))) == said(ordered)
    assert said(in_canonical_order(ordered)) == said(ordered)


@given(lattice=lattices(), seed=seeds)
def test_it_is_the_same_lattice_in_order(lattice, seed):
    lattice = timed(lattice, seed)
    ordered = in_canonical_order(lattice)
    again = lm.Lattice.from_arcs(
        ordered.source,
        ordered.target,
        ordered.word,
        final=ordered.final,
        scores=ordered.scores,
        vocabulary=ordered.vocabulary,
        times=ordered.times,
    )
    assert again == ordered  # states are sorted, and arcs by source

    def paths(one):
        ends = [0.0, *one.times.tolist()]
        return Counter((p.words, p.cost, tuple(ends[one.target[a] + 1] for a in p.arcs)) for p in one.paths())

    assert paths(ordered) == paths(lattice)


def test_arcs_are_in_the_order_of_the_alphabet():
    lattice = lm.Lattice.from_arcs(
        [0] * 4, [1] * 4, [3, 1, 0, 2], final=[1], vocabulary=lm.Vocabulary.from_words("b c a")
    )
    assert lattice.vocabulary.words(in_canonical_order(lattice).word) == ["", "a", "b", "c"]


def test_lists_keep_the_order_of_their_ranks():
    listed = lm.NBest.from_strings(["b", "a"]).to_lattice()
    assert listed.ranked
    assert in_canonical_order(listed) is listed


def test_shuffled_lattices_of_a_recogniser_have_the_same_networks():
    file = DATA / "kaldi" / "ps-medium.lat.txt.gz"
    if not file.exists():
        pytest.skip(f"{file} does not exist (LATTICEMETRIC_DATA)")
    for seed, (_, lattice) in enumerate(itertools.islice(lm.read(file), 6)):
        other = renumbered(lattice, seed)
        assert lm.consensus(other, posterior_scale=0.1).asdict() == lm.consensus(lattice, posterior_scale=0.1).asdict()
        assert lm.mbr(other, "wer", posterior_scale=0.1) == lm.mbr(lattice, "wer", posterior_scale=0.1)
