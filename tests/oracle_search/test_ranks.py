"""Ties in n-best lists: the order of a list is its rank."""

import random

import pytest
from kit.commands import good, run

import latticemetric as lm
from latticemetric.formats.columns import _OF_RANK, warn_of_rank
from latticemetric.nbest import Hypothesis

TEXTS = ["the best of the list", "best", "the list"]
LISTS = {
    "jsonl": '{"id": "u", "nbest": ["the best of the list", "best", "the list"]}\n',
    "moses": "".join(f"0 ||| {text} ||| \n" for text in TEXTS),
    "wenet": "wav u\n" + "".join(f"candidate -1 {text}\n" for text in TEXTS),
    "srilm": "".join(f"-1 -1 {len(text.split())} {text}\n" for text in TEXTS),
}


def listed(*costs: float) -> lm.NBest:
    pairs = zip(TEXTS, costs or [None] * len(TEXTS), strict=True)
    return lm.NBest(
        tuple(Hypothesis(tuple(text.split()), {} if cost is None else {"score": cost}) for text, cost in pairs), {}
    )


def one_best(graph: lm.NBest | lm.Lattice) -> str:
    return " ".join(lm.oracle(graph, "x y", "wer").one_best.words)


def test_a_list_without_scores_has_its_first_hypothesis_as_one_best():
    assert one_best(listed()) == one_best(listed().to_lattice()) == TEXTS[0]


@pytest.mark.parametrize(("costs", "best"), [((1.0, 1.0, 1.0), 0), ((2.0, 1.0, 1.0), 1), ((2.0, 2.0, 1.0), 2)])
def test_the_order_of_a_list_decides_among_equal_costs(costs, best):
    assert one_best(listed(*costs)) == TEXTS[best]


@pytest.mark.parametrize("name", LISTS)
def test_the_first_of_equal_hypotheses_is_the_one_best_in_every_format_of_lists(name, tmp_path):
    path = tmp_path / "list"
    path.write_text(LISTS[name])
    ((_, graph),) = lm.read(path)
    assert one_best(graph) == TEXTS[0]


def test_a_list_that_is_pruned_keeps_its_order():
    assert one_best(listed(1.0, 1.0, 5.0).to_lattice().pruned(2.0)) == TEXTS[0]


def test_the_cheapest_strings_of_a_list_are_its_first():
    lattice = listed().to_lattice()
    assert [" ".join(lattice.words(path)) for path in lattice.n_best(2)] == TEXTS[:2]
    lattice = listed(2.0, 1.0, 1.0).to_lattice()
    assert lattice.words(lattice.n_best(3)[0]) == ("best",)


def test_strings_without_costs_are_a_list():
    assert one_best(lm.Lattice.from_strings(TEXTS)) == TEXTS[0]


def test_a_lattice_still_prefers_fewer_words():
    assert one_best(lm.Lattice.from_strings(TEXTS, costs=[1.0, 1.0, 1.0])) == "best"


def test_a_list_that_loses_its_order_in_a_lattice_is_told(tmp_path, caplog):
    _OF_RANK.forget()
    one = lm.NBest((Hypothesis(("a",), {}),), {})
    lm.write(tmp_path / "x.plf", [("1", one), ("2", listed(3.0, 2.0, 1.0))])
    assert not caplog.messages
    lm.write(tmp_path / "x.plf", [("1", listed()), ("2", listed())])
    assert len(caplog.messages) == 1
    assert "a lattice cannot keep the order (rank) of their hypotheses" in caplog.messages[0]


@pytest.mark.parametrize(
    "graph",
    [listed(1.0, 2.0, 1.0), lm.Lattice.from_strings(TEXTS), lm.oracle_lattice(listed(), "x y z u v", "wer")],
    ids=["equal scores", "strings", "best paths of a list"],
)
def test_hypotheses_that_lose_their_order_in_a_lattice_are_told(graph, tmp_path, caplog):
    _OF_RANK.forget()
    lm.write(tmp_path / "x.plf", [("1", graph)])
    assert len(caplog.messages) == 1


def test_lists_that_lose_their_order_when_they_are_determinized_are_told(tmp_path):
    lists = tmp_path / "x.jsonl"

    def told(*options: str) -> str:
        return good(run("latticemetric", "determinize", lists, tmp_path / "x.fst", *options)).stderr

    lists.write_text(LISTS["jsonl"])
    assert "a lattice cannot keep the order (rank) of their hypotheses" in told()
    lm.write(lists, [("u", listed(3.0, 2.0, 1.0))])
    assert "order" not in told()
    assert "order" in told("--weights", "score=0")


@pytest.mark.parametrize("workers", [1, 3])
def test_lists_that_lose_their_order_are_told_once(workers, tmp_path):
    lists = tmp_path / "x.jsonl"
    lm.write(lists, [(str(k), listed(1.0, 1.0, 1.0)) for k in range(60)])
    done = good(run("latticemetric", "determinize", lists, tmp_path / "x.lat", "--workers", workers))
    assert done.stderr.count("order (rank)") == 1


def test_ties_of_a_list_are_found_without_its_lattice(monkeypatch, caplog):
    monkeypatch.delattr(lm.NBest, "to_lattice")
    _OF_RANK.forget()
    warn_of_rank(listed(1.0, 2.0, 3.0))
    assert not caplog.messages
    warn_of_rank(listed(1.0, 2.0, 3.0), dict.fromkeys(listed(1.0, 2.0, 3.0).score_names(), 0.0))
    assert len(caplog.messages) == 1


@pytest.mark.parametrize("seed", range(50))
def test_best_paths_of_a_list_keep_its_order(seed):
    rng = random.Random(seed)
    texts = [" ".join(rng.choices("ab", k=rng.randint(0, 4))) for _ in range(rng.randint(1, 6))]
    references = [" ".join(rng.choices("abc", k=rng.randint(2, 4))) for _ in range(rng.randint(1, 2))]
    lattice = lm.Lattice.from_strings(texts)
    rates = [lm.oracle(lm.Lattice.from_strings([text]), references, "wer").score for text in texts]
    best = [text for text, rate in zip(texts, rates, strict=True) if rate == min(rates)]
    found = lm.oracle_lattice(lattice, references, "wer")
    assert [" ".join(found.words(path)) for path in found.n_best(len(best), paths=True)] == best
    assert " ".join(found.words(found.best_path())) == best[0]
