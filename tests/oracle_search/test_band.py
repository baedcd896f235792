"""Searches of long lattices in a band: against the definition, and against the table of the whole product."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.native import lattice_first

import latticemetric as lm
from latticemetric import _native

PARTS = st.sampled_from([0, 300, 4000, 1 << 23])  # bytes of the band in memory


def sausage(seed, truth, width, vocabulary):
    """Arcs of a lattice of some states a word, the next words of each chosen by chance, and a path with the truth."""
    source, target, word, on = [], [], [], 0
    for column, said in enumerate(truth):
        true = int(seed.integers(width))
        for k in range(width if column else 1):
            here = 1 + (column - 1) * width + k if column else 0
            for step in range(2):
                to = (k + step) % width
                if k == on and step == 0:
                    to = true
                skips = column + 2 < len(truth) and seed.random() < 0.1 and not (k == on and step == 0)
                source.append(here)
                target.append(1 + (column + skips) * width + to)
                word.append(said if k == on and step == 0 else int(seed.integers(0, vocabulary + 1)))
        on = true
    states = 1 + len(truth) * width
    return source, target, word, states, range(states - width, states)


def tangle(seed, states, vocabulary):
    """Arcs between any states, and a path through all of them."""
    source = [*range(states - 1), *seed.integers(0, states - 1, 2 * states).tolist()]
    target = [
        *range(1, states),
        *(int(seed.integers(s + 1, min(states, s + 1 + states // 2 + 1))) for s in source[states - 1 :]),
    ]
    word = seed.integers(0, vocabulary + 1, len(source)).tolist()
    return source, target, word, states, {states - 1, int(seed.integers(states))}


@st.composite
def searches(draw, longest):
    """The arguments of `_native.search_lattice`. Costs are whole, and few of them differ: many paths tie."""
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    vocabulary = draw(st.sampled_from([1, 2, 5, 30, 1000]))
    reference = seed.integers(1, vocabulary + 1, draw(st.integers(0, longest))).tolist()
    errors = draw(st.floats(0, 1))
    truth = [[w, int(seed.integers(1, vocabulary + 1))][seed.random() < errors / 2] for w in reference]
    truth = [w for w in truth for _ in range(seed.choice([0, 1, 2], p=[errors / 4, 1 - errors / 2, errors / 4]))]
    unknown = errors / 8 if draw(st.integers(0, 5)) else 1.0  # of unknown words alone, nearly all alignments tie
    reference = [-1 if seed.random() < unknown else w for w in reference]
    if truth and draw(st.booleans()):
        source, target, word, states, finals = sausage(seed, truth, draw(st.integers(1, 4)), vocabulary)
    else:
        source, target, word, states, finals = tangle(seed, draw(st.integers(2, 30)), vocabulary)
    order = np.argsort(source, kind="stable")
    source, target, word = (np.array(column, dtype=np.int32)[order] for column in (source, target, word))
    final_cost = np.full(states, np.inf)
    leads_on = np.zeros(states, dtype=bool)
    leads_on[source] = True
    for state in {*finals, *np.flatnonzero(~leads_on).tolist()}:
        final_cost[state] = int(seed.integers(3))
    unit = draw(st.sampled_from([1, 2, 7, 10**6]))
    penalties = [unit, 0, 1, 2 * unit, 3 * unit + 1, -1, -unit]
    return {
        "source": source,
        "target": target,
        "label": word,
        "is_word": (word != 0).astype(np.uint8),
        "cost": seed.integers(0, draw(st.sampled_from([1, 2, 10])), len(word)).astype(np.float64),
        "final_cost": final_cost,
        "reference": np.array(reference, dtype=np.int32),
        "order": draw(st.integers(1, 5)),
        "unit": unit,
        "alpha": draw(st.sampled_from(penalties)),
        "beta": draw(st.sampled_from([*penalties, -5 * unit])),
    }


def arcs_by_source(search):
    """The number, target, word and cost of each arc, by its source."""
    found = [[] for _ in search["final_cost"]]
    columns = (search[name].tolist() for name in ("source", "target", "label", "cost"))
    for arc, (source, *rest) in enumerate(zip(*columns, strict=True)):
        found[source].append((arc, *rest))
    return found


def edits_from(search, arcs, i, m):
    """What an edit gains, the arc, cost and words of it, and where it leads to: state (if another), place and run."""
    order, unit, reference = search["order"], search["unit"], search["reference"].tolist()
    if i < len(reference):
        yield -search["beta"], (), 0, 0, (None, i + 1, 0)
    for arc, t, word, cost in arcs:
        if word == 0:
            yield 0, (arc,), cost, 0, (t, i, m)
            continue
        yield -search["alpha"], (arc,), cost, 1, (t, i, 0)
        if i < len(reference):
            yield 0, (arc,), cost, 1, (t, i + 1, 0)
            if word == reference[i]:
                yield (m + 1) * unit, (arc,), cost, 1, (t, i + 1, min(m + 1, order - 1))


def best_by_definition(search, size_of_arc=None, rate=(0, 1)):
    """The gain and the arcs of the best path: most gain, least cost, fewest words, smallest arcs.

    At a rate, the gain is rate.total · gain − rate.gain · denominator; arcs add their sizes to the denominator.
    """
    price, scale = rate
    sizes = [0] * len(search["label"]) if size_of_arc is None else size_of_arc.tolist()
    arcs_of, end, size = arcs_by_source(search), search["final_cost"].tolist(), len(search["reference"])

    @cache
    def best(s, i, m):
        """What completes a path from state s, with i words behind, the last m of them (below the order) matched."""
        found = [(0, end[s], 0, ())] if i == size and np.isfinite(end[s]) else []
        for gain, arc, cost, words, (t, *place) in edits_from(search, arcs_of[s], i, m):
            loss, rest, more, arcs = best(s if t is None else t, *place)
            loss += price * sum(sizes[a] for a in arc) - scale * gain
            found.append((loss, rest + cost, more + words, arc + arcs))
        return min(found)

    for s in reversed(range(len(end))):  # from the last states on, so that no call goes deep
        for i in reversed(range(size + 1)):
            for m in range(search["order"]):
                best(s, i, m)
    loss, _, _, arcs = best(0, 0, 0)
    return -loss, list(arcs)


def found_by(search, way, part_bytes=1 << 23):
    arcs, gain = _native.search_lattice(**lattice_first(search), method=way, part_bytes=part_bytes)
    return gain, arcs.tolist()


@given(search=searches(12), part_bytes=PARTS)
def test_a_band_has_the_best_path_by_the_definition(search, part_bytes):
    assert found_by(search, "band", part_bytes) == best_by_definition(search)


@given(search=searches(300), part_bytes=PARTS)
def test_a_band_has_the_path_of_the_table(search, part_bytes):
    assert found_by(search, "band", part_bytes) == found_by(search, "table")


@st.composite
def rates(draw, search):
    """What each arc adds to a denominator, and a rate: gain and total."""
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = seed.integers(0, search["order"] + 1, len(search["label"])).astype(np.int32)
    total = draw(st.sampled_from([1, 2, 7, 1000, 10**9]))
    most = search["order"] * search["unit"] * total
    return size, (draw(st.sampled_from([0, most, most // 2]) | st.integers(-2 * most, 2 * most)), total)


def found_at_rate(search, size, rate, way, part_bytes=1 << 23):
    """The value of the best path and its arcs; its gain and its denominator must agree with them."""
    price, scale = rate
    arcs, gain, total = _native.search_at_rate(
        **lattice_first(search), size=size, rate=rate, method=way, part_bytes=part_bytes
    )
    assert total == size[arcs].sum()
    return scale * gain - price * total, arcs.tolist()


@pytest.mark.parametrize("way", ["band", "table"])
@given(search=searches(10), part_bytes=PARTS, data=st.data())
def test_a_search_at_a_rate_has_the_best_path_by_the_definition(way, search, part_bytes, data):
    size, rate = data.draw(rates(search))
    assert found_at_rate(search, size, rate, way, part_bytes) == best_by_definition(search, size, rate)


@given(search=searches(300), part_bytes=PARTS, data=st.data())
def test_a_band_at_a_rate_has_the_path_of_the_table(search, part_bytes, data):
    size, rate = data.draw(rates(search))
    assert found_at_rate(search, size, rate, "band", part_bytes) == found_at_rate(search, size, rate, "table")


@given(seed=st.integers(0, 2**32), part_bytes=PARTS, data=st.data())
def test_a_band_with_losses_beyond_16_bits_has_the_path_of_the_table(seed, part_bytes, data):
    chance = np.random.default_rng(seed)
    words, vocabulary = data.draw(st.integers(400, 1200)), data.draw(st.sampled_from([2, 20, 1000]))
    reference = chance.integers(1, vocabulary + 1, words)
    # Passages that match, and passages of errors: what cells expect to be lost is much too much in some, or too little.
    is_heard = np.repeat(chance.random(8) < data.draw(st.sampled_from([0, 0.1, 0.5])), words // 8 + 1)[:words]
    truth = np.where(is_heard, reference, chance.integers(1, vocabulary + 1, words))
    truth = truth[chance.random(words) < data.draw(st.sampled_from([0.5, 0.95, 1]))].tolist()
    source, target, word, states, finals = sausage(chance, truth, data.draw(st.integers(1, 2)), vocabulary)
    order = np.argsort(source, kind="stable")
    final_cost = np.full(states, np.inf)
    final_cost[list(finals)] = 0
    n = data.draw(st.integers(1, 4))
    search = {
        "source": np.array(source, dtype=np.int32)[order],
        "target": np.array(target, dtype=np.int32)[order],
        "label": np.array(word, dtype=np.int32)[order],
        "is_word": (np.array(word)[order] != 0).astype(np.uint8),
        "cost": chance.integers(0, 3, len(word)).astype(np.float64),
        "final_cost": final_cost,
        "reference": reference.astype(np.int32),
        "order": n,
        "unit": data.draw(st.integers(40, 60)) // n,  # up to par, what an error loses
        "alpha": data.draw(st.sampled_from([0, 1, 10])),
        "beta": data.draw(st.sampled_from([0, 1, 5, -5])),
    }
    assert found_by(search, "band", part_bytes) == found_by(search, "table")


@given(search=searches(60), part_bytes=PARTS, data=st.data())
def test_hope_in_a_band_is_that_of_the_table(search, part_bytes, data):
    is_final = np.isfinite(search["final_cost"])
    largest = data.draw(st.sampled_from([1, 5, 1000, 10**9]))
    seed = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    weights = st.sampled_from([0, 1, 7, 10**9])
    hope = {
        **{name: lattice_first(search)[name] for name in ("lattice", "gains")},
        "shown": search["label"],
        "cost": seed.integers(-largest, largest + 1, len(search["label"])),
        "final_cost": np.where(is_final, seed.integers(0, largest + 1, len(is_final)), 0),
        "references": [search["reference"].tolist(), search["reference"][::-1].tolist()],
        "weights": [data.draw(weights), data.draw(weights)],
        "cost_weight": data.draw(weights),
        "penalize": False,
        "most": 1,
        "most_steps": 1 << 20,
        "most_bytes": 1 << 30,
    }
    table = _native.loss_augmented_strings(**hope, method="table")
    assert _native.loss_augmented_strings(**hope, method="band", part_bytes=part_bytes) == table


def hour(words, errors, seed=0):
    """A lattice of three arcs a state, and a reference with errors against one of its paths."""
    chance = np.random.default_rng(seed)
    truth = chance.zipf(1.3, words) % 5000 + 1
    reference = np.where(chance.random(words) < errors, chance.zipf(1.3, words) % 5000 + 1, truth)
    reference = reference[chance.random(words) > errors / 3]
    source, target, word, _, finals = sausage(chance, truth.tolist(), 3, 5000)
    costs = lm.Column(chance.random(len(word)), np.zeros(len(finals)))
    lattice = lm.Lattice.from_arcs(source, target, word, final=list(finals), scores={"lm": costs})
    return lattice, " ".join(map(str, reference.tolist()))


@pytest.mark.parametrize("metric", [lm.WER(), lm.GRR(4), lm.WRR()])
def test_an_oracle_of_thousands_of_words_scores_what_the_search_promises(metric):
    lattice, reference = hour(4000, 0.1)
    search = {
        "source": lattice.source,
        "target": lattice.target,
        "label": lattice.word,
        "is_word": lattice.is_word(),
        "cost": lattice.cost().arc,
        "final_cost": lattice.cost().final,
        "reference": lattice.vocabulary.encode(reference),
        "order": metric.order,
        "unit": 1,
        "alpha": 1,
        "beta": 0,
    }
    gain, arcs = found_by(search, "automatic")
    oracle = lm.oracle(lattice, [reference], metric)
    assert list(oracle.arcs) == arcs
    errors = len(reference.split()) - gain
    assert oracle.numerator == (errors if isinstance(metric, lm.WER) else gain)


def test_memory_grows_with_the_band_and_not_with_the_product(memory_limit):
    lattice, reference = hour(5000, 0.05)
    memory_limit("100M")  # the table takes 15,000 x 5,000 values of two bytes
    assert lm.oracle(lattice, [reference], lm.WER()).score < 0.07


def best_paths_by_definition(search):
    """The arcs of all paths of the largest gain, from the gains of all that an automaton's states can do."""
    arcs_of, end, size = arcs_by_source(search), search["final_cost"].tolist(), len(search["reference"])

    @cache
    def most(s, i, m):
        """The most that completing gains."""
        found = [0] if i == size and np.isfinite(end[s]) else []
        for gain, *_, (t, *place) in edits_from(search, arcs_of[s], i, m):
            found.append(gain + most(s if t is None else t, *place))
        return max(found, default=-np.inf)

    @cache
    def paths(s, i, m):
        found = {()} if i == size and np.isfinite(end[s]) and most(s, i, m) == 0 else set()
        for gain, arc, _, _, (t, *place) in edits_from(search, arcs_of[s], i, m):
            after = (s if t is None else t, *place)
            if gain + most(*after) == most(s, i, m):
                found |= {arc + rest for rest in paths(*after)}
        return found

    return paths(0, 0, 0)


def all_paths(best):
    """The arcs of the paths of a lattice of best paths."""
    _, ends, source, target, arc = (column.tolist() for column in best)
    found = [[()] for _ in ends]
    for state in reversed(range(len(ends))):
        found[state] = [()] if ends[state] else []
        for a, t in ((a, t) for s, t, a in zip(source, target, arc, strict=True) if s == state):
            found[state] += [(a, *rest) for rest in found[t]]
    return found[0]


@given(search=searches(5), part_bytes=PARTS)
def test_a_lattice_has_all_best_paths_and_each_once(search, part_bytes):
    reference = search.pop("reference")
    expected = best_paths_by_definition({**search, "reference": reference})
    for way in ("band", "table"):
        best = _native.best_lattice(
            **lattice_first(search), references=[reference.tolist()], method=way, part_bytes=part_bytes
        )
        assert sorted(all_paths(best)) == sorted(expected)


@given(search=searches(120), part_bytes=PARTS)
def test_a_band_has_the_best_paths_of_the_table(search, part_bytes):
    reference = search.pop("reference").tolist()
    found = [
        _native.best_lattice(
            **lattice_first(search), references=[reference, reference[::-1]], method=way, part_bytes=part_bytes
        )
        for way in ("band", "table")
    ]
    assert [column.tolist() for column in found[0]] == [column.tolist() for column in found[1]]
