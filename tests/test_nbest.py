"""N-best lists as sequences of hypotheses."""

import pytest

import latticemetric as lm
from latticemetric.nbest import Hypothesis, NBest

NBEST = NBest.from_strings(["a b", "a c", "d"], costs=[1.0, 2.0, 3.0], scores={"rank": [1, 2, 3]})


@pytest.mark.parametrize("nbest", [NBEST, NBest.of_texts(["a b", "a c", "d"])], ids=["costs", "texts"])
def test_lists_are_sequences_of_hypotheses(nbest):
    assert tuple(nbest) == nbest.hypotheses
    assert [nbest[number] for number in (0, -1)] == [nbest.hypotheses[0], nbest.hypotheses[2]]
    assert tuple(reversed(nbest)) == nbest.hypotheses[::-1]
    assert nbest.hypotheses[1] in nbest
    with pytest.raises(IndexError):
        nbest[3]


def test_slices_are_lists_with_the_same_scales():
    assert NBEST[:2] == NBest(NBEST.hypotheses[:2], NBEST.weights)
    assert NBEST[::-1].costs() == [3.0, 2.0, 1.0]
    assert lm.oracle(NBEST[1:], "a b", "wer").words == ("a", "c")
    with pytest.raises(lm.InputError, match="the n-best list is empty"):
        NBEST[3:]


@pytest.mark.parametrize(
    "call",
    [
        lambda: lm.score(NBEST, ["a", "b", "c"]),
        lambda: lm.score([NBEST], ["a"]),
        lambda: lm.WER().score("a", NBEST),
        lambda: lm.oracle(NBEST, NBEST),
        lambda: lm.combine(NBEST),
        lambda: lm.Corpus(NBEST, ["a", "b", "c"]),
        lambda: lm.lattices_to_k2(NBEST),
    ],
)
def test_a_list_is_one_graph_and_no_text(call):
    with pytest.raises(lm.UsageError, match=r"^(?!.*word 1)"):
        call()


def test_records_keep_rank_text_and_cost_beside_scores_of_these_names():
    hypotheses = tuple(
        Hypothesis((word,), {"rank": -rank, "text": 0.5, "cost": 7.0, "score": cost})
        for rank, (word, cost) in enumerate((("q", 5.0), ("r", 6.0)), start=1)
    )
    nbest = NBest(hypotheses, {"rank": 0.0, "text": 0.0, "cost": 0.0, "score": 1.0})
    assert [list(row.items()) for row in nbest.to_records()][1] == [
        ("rank", 2),
        ("text", "r"),
        ("score_rank", -2.0),
        ("score_text", 0.5),
        ("score_cost", 7.0),
        ("score", 6.0),
        ("cost", 6.0),
    ]
    costs = NBest.from_strings(["a", "b"], costs=[1.0, 2.0]).to_records()
    assert [list(row) for row in costs] == [["rank", "text", "cost"]] * 2
