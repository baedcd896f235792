"""Minimized lattices: all paths stay, and no two states have the same future."""

from collections import Counter

from hypothesis import given
from kit.strategies import lattices

import latticemetric as lm


def futures(lattice):
    """The future of each state, written from the definition: what it ends with, and all ways on."""
    arcs = [[] for _ in range(lattice.num_states)]
    for arc, (source, target) in enumerate(zip(lattice.source.tolist(), lattice.target.tolist(), strict=True)):
        carried = tuple(float(column.arc[arc]) for column in lattice.scores.values())
        carried += tuple(side.vocabulary.word(int(side.arc[arc])) for side in lattice.labels.values())
        arcs[source].append((int(lattice.word[arc]), carried, target))
    found = [None] * lattice.num_states
    finals = lattice.final.tolist()
    for state in reversed(range(lattice.num_states)):
        row = finals.index(state) if state in finals else None
        end = None if row is None else tuple(float(column.final[row]) for column in lattice.scores.values())
        ways = sorted((word, carried, found[target]) for word, carried, target in arcs[state])
        time = None if lattice.times is None else float(lattice.times[state])
        found[state] = repr((end, time, ways))
    return found


def paths(lattice):
    listed = []
    for path in lattice.paths():
        sums = tuple(round(total, 9) for total in lattice.scores_along(path.arcs).values())
        listed.append((path.words, sums))
    return Counter(listed)


@given(lattices())
def test_all_paths_stay_and_states_differ(lattice):
    smaller = lattice.minimized()
    assert paths(smaller) == paths(lattice)
    assert len(set(futures(smaller))) == smaller.num_states == len(set(futures(lattice)))
    assert smaller.minimized() == smaller
    assert list(smaller.scores) == list(lattice.scores)


def test_scores_keep_states_apart():
    lattice = lm.Lattice.from_arcs(
        [0, 0, 1, 2], [1, 2, 3, 3], [1, 2, 3, 3], final=[3], scores={"lm": lm.Column([1.0, 2.0, 0.5, 0.75], [0.0])}
    )
    assert lattice.minimized().num_states == 4
    bare = lm.Lattice.from_arcs(lattice.source, lattice.target, lattice.word, final=[3])
    assert bare.minimized().num_states == 3


def test_times_keep_states_apart():
    arcs = [0, 0, 1, 2], [1, 2, 3, 3], [1, 2, 3, 3]
    same, other = (lm.Lattice.from_arcs(*arcs, final=[3], times=[0.0, t, 1.0, 2.0]) for t in (1.0, 0.5))
    assert (same.minimized().num_states, other.minimized().num_states) == (3, 4)
    assert same.minimized().times.tolist() == [0.0, 1.0, 2.0]


def test_a_list_becomes_a_lattice_of_its_strings():
    lattice = lm.Lattice.from_strings(["a b", "c b"])
    assert lattice.ranked
    assert not lattice.minimized().ranked
    assert paths(lattice.minimized()) == paths(lattice)
