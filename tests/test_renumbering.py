"""The numbers of states, arcs, words, nodes and edges decide nothing: a graph is what it says.

All that is counted in integers is equal; sums of probabilities and costs are equal up to rounding (a sum of n numbers
in another order differs by at most n · 2⁻⁵² of the sum of their absolute values). Words are equal, unless the tie rule
calls two answers equal: they have the same score, cost and number of words, and only the numbers of arcs decide.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.renumbering import renumbered
from kit.strategies import lattices, mild_forests, mild_lattices, sentences

import latticemetric as lm

Answer = dict[str, Any]

ROUNDING = 1e-9


def step(path: Any) -> Answer:
    """What is said of a path that others may tie with: anything but its words and arcs."""
    return {"score": path.score, "numerator": path.numerator, "cost": path.cost, "words": len(path.words)}


def probabilities(found: Any) -> Answer:
    ngrams = {" ".join(words): posterior for words, posterior in found.ngrams(2).items()}
    return {"log_total": found.log_total, "entropy": found.entropy, "ngrams": ngrams}


def of_ngrams(found: Any) -> Answer:
    return {"gain": found.gain, "cost": found.cost, "words": len(found.words)}


def of_metric(found: Any) -> Answer:
    ranked = [(row.words, row.score, row.cost, row.probability) for row in found.ranked]
    return {"words": found.words, "score": found.score, "ranked": ranked, "confidences": found.confidences}


def hoped(found: Any) -> Answer:
    return {"value": found.value, "cost": found.cost, "words": len(found.words), "exact": found.exact}


def expectation(found: Any) -> Answer:
    named = ("value", "numerator", "denominator", "variance", "low", "high", "exact")
    return {**{name: getattr(found, name) for name in named}, "distribution": dict(found.distribution or {})}


Verb = Callable[[Any, tuple[str, ...]], Answer]

OF_ALL_GRAPHS: dict[str, Verb] = {
    "best": lambda g, _: {"cost": (found := lm.best(g)).cost, "words": len(found.words)},
    "n best": lambda g, _: {"list": [(g.cost_of(p), len(g.words(p))) for p in g.n_best(5)]},
    "oracle": lambda g, r: step(lm.oracle(g, [r], "wer")),
    "oracle by n-grams": lambda g, r: step(lm.oracle(g, [r, r[:1]], "2-grr")),
    "oracles": lambda g, r: {"list": [step(one) for one in lm.oracles(g, [r], "wer", n=4)]},
    "oracle forest": lambda g, r: {"found": lm.oracle_forest(g, [r], "wer").statistics().derivations},
    "hope": lambda g, r: hoped(lm.hope(g, [r], "wrr")),
    "fear": lambda g, r: hoped(lm.fear(g, [r], "wrr")),
    "worst": lambda g, r: step(lm.worst(g, [r], "wrr")),
    "expected": lambda g, r: expectation(lm.expected(g, [r], "wer", posterior_scale=0.5)),
    "posteriors": lambda g, _: probabilities(lm.posteriors(g, posterior_scale=0.5)),
    "mbr by n-grams": lambda g, _: of_ngrams(lm.mbr(g, posterior_scale=0.5, order=2)),
    "mbr by wrr": lambda g, _: of_metric(lm.mbr(g, "wrr", posterior_scale=0.5)),
    "mbr by bleu": lambda g, _: of_metric(lm.mbr(g, "bleu", posterior_scale=0.5)),
    "corpus oracle": lambda g, r: {"score": lm.Corpus([g, g], [[r], [("a", "b")]]).oracle("bleu").totals["score"]},
}
OF_LATTICES: dict[str, Verb] = {
    "mbr by word errors": lambda g, _: lm.mbr(g, "wer", posterior_scale=0.5).asdict(),
    "mbr by exact risks": lambda g, _: lm.mbr(g, "wer", posterior_scale=0.5, risk="exact", candidates=2).asdict(),
    "consensus": lambda g, _: lm.consensus(g, posterior_scale=0.5).asdict(),
    "combine": lambda g, r: lm.combine({"one": g, "two": " ".join(r)}).asdict(),
    "oracle lattice": lambda g, r: {"paths": lm.oracle_lattice(g, [r], "wer").statistics().paths},
    "characters": lambda g, r: step(lm.oracle(g, [r], "cer")),
    "statistics": lambda g, _: lm.Lattice.statistics(g).asdict(),
    "pruned": lambda g, _: g.pruned(1.0).statistics().asdict(),
    "minimized": lambda g, _: g.minimized().statistics().asdict(),
    "determinized": lambda g, _: g.determinized().statistics().asdict(),
    "n best paths": lambda g, _: {"list": [(g.cost_of(p), len(p)) for p in g.n_best(5, paths=True)[1:]]},
}


def differences(one: Any, other: Any, where: str = "") -> list[str]:
    """Where two answers differ by more than rounding."""
    if isinstance(one, Mapping):
        if one.keys() != other.keys():
            return [f"{where}: {sorted(one)} and {sorted(other)}"]
        return [found for name in one for found in differences(one[name], other[name], f"{where}.{name}")]
    if isinstance(one, list | tuple):
        if len(one) != len(other):
            return [f"{where}: {len(one)} and {len(other)}"]
        pairs = enumerate(zip(one, other, strict=True))
        return [found for k, pair in pairs for found in differences(*pair, f"{where}[{k}]")]
    if isinstance(one, float) and isinstance(other, float):
        near = one == other or math.isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)
        return [] if near or (math.isnan(one) and math.isnan(other)) else [f"{where}: {one} and {other}"]
    return [] if one == other else [f"{where}: {one} and {other}"]


def answer(verb: Verb, graph: Any, reference: tuple[str, ...]) -> Answer:
    try:
        return verb(graph, reference)
    except lm.LatticeMetricError as error:
        return {"error": type(error).__name__}


seeds = st.integers(0, 2**32)


@pytest.mark.parametrize("verb", [*OF_ALL_GRAPHS, *OF_LATTICES])
@given(lattice=st.one_of(lattices(), mild_lattices()), reference=sentences(), seed=seeds)
def test_lattices_are_what_they_say(verb, lattice, reference, seed):
    ask = {**OF_ALL_GRAPHS, **OF_LATTICES}[verb]
    given, other = (answer(ask, graph, reference) for graph in (lattice, renumbered(lattice, seed)))
    assert differences(given, other) == []


@pytest.mark.parametrize("verb", OF_ALL_GRAPHS)
@given(forest=mild_forests(), reference=sentences(), seed=seeds)
def test_forests_are_what_they_say(verb, forest, reference, seed):
    ask = OF_ALL_GRAPHS[verb]
    given, other = (answer(ask, graph, reference) for graph in (forest, renumbered(forest, seed)))
    assert differences(given, other) == []


@given(
    strings=st.lists(st.text("ab", min_size=1, max_size=4), min_size=2, max_size=6, unique=True),
    seed=seeds,
    by=st.sampled_from(["ngram", "wer", "wrr", "exact"]),
)
def test_of_equal_risks_numbers_decide_nothing(strings, seed, by):
    # All paths cost the same, and the cheapest is the answer of none of them, so that ties are as many as can be.
    texts = [" ".join(one) for one in strings]
    lattice = lm.Lattice.from_strings([*texts, "c"], costs=[*[1.0] * len(texts), 0.9])
    settings = {"by": "wer", "risk": "exact"} if by == "exact" else {"by": by}
    if by == "ngram":
        settings |= {"order": 1, "word_penalty": -0.1}  # then strings with the same words gain the same
    assert lm.mbr(lattice, **settings).words == lm.mbr(renumbered(lattice, seed), **settings).words


def test_of_equal_gains_the_order_of_arcs_decides_nothing():
    for strings in (["a b", "b a", "c"], ["b a", "a b", "c"], ["c", "b a", "a b"]):
        lattice = lm.Lattice.from_strings(strings, costs=[0.9 if one == "c" else 1.0 for one in strings])
        found = lm.mbr(lattice, order=1, word_penalty=-0.1)
        assert (found.one_best, found.words) == (("c",), ("a", "b"))


def test_of_equal_gains_the_1_best_wins():
    for strings in (["a b", "b a"], ["b a", "a b"]):
        lattice = lm.Lattice.from_strings(strings, costs=[0.0, 0.0])
        assert lm.mbr(lattice, order=1).words == lm.best(lattice).words
