"""The oracle of the first k hypotheses, by its definition."""

import copy
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.lists import curve, oracle_at_k, read_lists

import latticemetric as lm
from latticemetric.nbest import Hypothesis

WORDS = st.lists(st.sampled_from("abc"), max_size=4).map(tuple)
LISTS = st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=4)
METRICS = st.sampled_from([lm.WER(), lm.WRR(), lm.GRR(2, alpha="0.5", beta="-0.25"), lm.WER(ignore=["c"])])


@given(lists=LISTS, metric=METRICS, data=st.data())
def test_points_and_ranks(lists, metric, data):
    references = [data.draw(st.lists(WORDS, min_size=1, max_size=2)) for _ in lists]
    given_references = [[list(words) for words in several] for several in references]
    found = oracle_at_k(lists, given_references, metric, at=range(1, 6))
    longest = max(map(len, lists))
    assert [point.k for point in found.points] == list(range(1, longest + 1))
    ranks = [0] * longest
    for point in found.points:
        total = []
        for hypotheses, several in zip(lists, given_references, strict=True):
            statistics = [metric.statistics(list(words), several) for words in hypotheses[: point.k]]
            merits = [metric.merit(one) for one in statistics]
            best = merits.index(max(merits))
            total.append(statistics[best])
            ranks[best] += point.k == longest
        summed = total[0]
        for one in total[1:]:
            summed += one
        assert point.statistics == summed
        assert point.numerator == metric.numerator(summed)
        assert point.distinct == pytest.approx(sum(len(set(one[: point.k])) for one in lists) / len(lists))
        first = found.points[0].statistics.errors
        expected = None if first == 0 else Fraction(first - summed.errors, first)
        assert point.recoverable == (None if expected is None else pytest.approx(float(expected)))
    assert list(found.ranks) == ranks


@given(lists=LISTS, data=st.data())
def test_the_compositional_oracle(lists, data):
    references = [data.draw(WORDS) for _ in lists]
    found = oracle_at_k(lists, [[list(words)] for words in references])
    missing = 0
    for hypotheses, reference in zip(lists, references, strict=True):
        missing += sum(not any(word in words for words in hypotheses) for word in reference)
    assert found.compositional == missing <= found.oracle.statistics.errors


def test_lists_are_in_the_model_s_order():
    nbest = lm.NBest.from_strings(["a", "b", "c"], costs=[2.0, 1.0, 1.0])
    found = oracle_at_k([nbest], ["a"])
    assert found.ranks == (0, 0, 1)
    assert oracle_at_k([nbest], ["a"], weights={"cost": -1.0}).ranks == (1, 0, 0)


def test_texts_differ_by_their_words():
    found = oracle_at_k([["a  b", "a b", " a\tb", ["a", "b"], "a\u00a0b"]], ["a b"])
    assert found.oracle.distinct == 2.0


def test_intervals_have_the_same_resamples():
    lists = [["a b", "a c"], ["x", "y"], ["d e f", "d e"], ["g", "h"]]
    references = ["a c", "x", "d e", "h"]
    found = oracle_at_k(lists, references, resamples=200, seed=3)
    low, high = (np.array([getattr(point.interval, side) for point in found.points]) for side in ("low", "high"))
    assert (low <= [point.score for point in found.points]).all()
    assert (high >= [point.score for point in found.points]).all()
    assert (np.diff(low) <= 0).all()
    assert (np.diff(high) <= 0).all()
    again = oracle_at_k(lists, references, resamples=200, seed=3)
    assert again == found
    assert (
        found.points[0].interval
        == oracle_at_k([one[:1] for one in lists], references, resamples=200, seed=3).points[0].interval
    )


@pytest.mark.parametrize(
    ("lists", "references", "options", "says"),
    [
        ([], [], {}, "there are no lists"),
        ([["a"]], [], {}, "there are 1 lists and 0 references"),
        (["a b"], ["a"], {}, "a single string is given as a list of hypotheses"),
        ([[]], ["a"], {}, "the n-best list is empty"),
        ([["a"]], [[]], {}, "a list has no reference"),
        ([["a"]], ["a"], {"at": [0]}, "the number of hypotheses is 0"),
        ([["a"]], ["a"], {"at": [1.5]}, "the number of hypotheses is 1.5"),
        ([["a"]], ["a"], {"metric": "bleu"}, "'bleu' cannot search a graph"),
    ],
)
def test_what_makes_no_sense_is_refused(lists, references, options, says):
    with pytest.raises(lm.LatticeMetricError, match=says):
        oracle_at_k(lists, references, **options)


def test_records_and_tables():
    found = oracle_at_k([["a b", "a c"], ["x"]], ["a c", "x"], resamples=10)
    records = found.to_records()
    assert [record["k"] for record in records] == [1, 2]
    assert records[1]["best_here"] == 2
    pandas = pytest.importorskip("pandas")
    assert found.to_pandas().equals(pandas.DataFrame(records))
    assert found.to_arrow().to_pylist() == records


# --- Lists from tables

ROWS = [
    {"id": "u1", "nbest": ["a b", "a c"], "scores": [-1.0, -0.5], "ref": "a c"},
    {"id": "u2", "nbest": ["d"], "scores": [-2.0], "ref": "d"},
]


def tables():
    yield "mappings", ROWS
    yield "iterator", iter(ROWS)
    pyarrow = pytest.importorskip("pyarrow")
    yield "table", pyarrow.Table.from_pylist(ROWS)
    yield "batch", pyarrow.RecordBatch.from_pylist(ROWS)


def assert_are_the_rows(lists):
    assert lists.names == ("u1", "u2")
    assert [[h.words for h in nbest.hypotheses] for nbest in lists.lists] == [[("a", "b"), ("a", "c")], [("d",)]]
    assert [nbest.costs() for nbest in lists.lists] == [[1.0, 0.5], [2.0]]
    assert lists.references == ((("a", "c"),), (("d",),))
    assert curve(lists).one_best.numerator == 0


@pytest.mark.parametrize("kind", ["mappings", "iterator", "table", "batch"])
def test_lists_from_tables(kind):
    assert_are_the_rows(read_lists(dict(tables())[kind]))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_lists_from_data_frames(library):
    frames = pytest.importorskip(library)
    assert_are_the_rows(read_lists(frames.DataFrame(ROWS)))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (7, "int is not a table"),
        ({"nbest": []}, "dict is not a table"),
        (["a"], "a record is a str, not a mapping"),
        ([{"nbest": ["a"], "ref": "a", "target": "b"}], "ref and target are different"),
        ([{"nbest": ["a"], "score": [float("nan")]}], "is not finite"),
        ([], "there are no graphs"),
    ],
)
def test_other_tables_are_refused(source, says):
    with pytest.raises(lm.LatticeMetricError, match=says):
        read_lists(source)


def test_lists_without_references():
    corpus = lm.Corpus.from_records([{"nbest": ["a"]}])
    with pytest.raises(lm.LatticeMetricError, match="no field of the record is known to hold references"):
        corpus.lists()


def test_lists_from_files_of_other_formats(tmp_path):
    path = tmp_path / "x.nbest"
    path.write_text("0 ||| a b ||| LM0= -1 ||| -1\n0 ||| a ||| LM0= -1 ||| -2\n")
    assert [len(nbest) for _, nbest in read_lists(path)] == [2]
    path.write_text("((('a',1,1),),)\n")
    with pytest.raises(lm.InputError, match="not an n-best list"):
        read_lists(path)


# --- Strings


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"texts": "a b"}, "a single string is given"),
        ({"texts": []}, "the n-best list is empty"),
        ({"texts": ["a"], "costs": [1.0, 2.0]}, "there are 1 strings, but 'cost' has 2 values"),
        ({"texts": ["a"], "costs": [1.0], "log_probs": [1.0]}, "give only one"),
        ({"texts": ["a"], "log_probs": [float("inf")]}, "not finite"),
        ({"texts": ["a"], "costs": [1.0], "scores": {"cost": [1.0]}}, "is reserved for the costs"),
    ],
)
def test_strings_that_make_no_list(arguments, says):
    with pytest.raises(lm.LatticeMetricError, match=says):
        lm.NBest.from_strings(**arguments)


def test_scores_of_strings():
    nbest = lm.NBest.from_strings(["a b", ["c"]], scores={"am": [1.0, 2], "lm": np.array([3.0, 0.5])})
    assert nbest == lm.NBest(
        (Hypothesis("a b", {"am": 1.0, "lm": 3.0}), Hypothesis("c", {"am": 2.0, "lm": 0.5})), {"am": 1.0, "lm": 1.0}
    )
    assert nbest.costs() == [4.0, 2.5]
    assert nbest.costs({"am": 10.0}) == [13.0, 20.5]
    with pytest.raises(lm.InputError, match="no score column 'x'"):
        nbest.costs({"x": 1.0})


def test_texts_are_split_when_words_are_asked_for():
    texts = ["a  b", "a\tb", ""]
    nbest = lm.NBest.of_texts(texts)
    assert nbest.ranked_texts() == texts
    assert "hypotheses" not in vars(nbest)
    split = lm.NBest((Hypothesis("a b", {}), Hypothesis("a b", {}), Hypothesis((), {})), {})
    for one in (nbest, copy.copy(lm.NBest.of_texts(texts)), pickle.loads(pickle.dumps(lm.NBest.of_texts(texts)))):
        assert one == split
        assert (len(one), repr(one), one.to_records()) == (3, repr(split), split.to_records())
    assert replace(nbest, weights={"x": 2.0}).hypotheses == split.hypotheses
    with pytest.raises(AttributeError, match="'NBest' object has no attribute 'words'"):
        _ = nbest.words
    with pytest.raises(lm.InputError, match="the n-best list is empty"):
        lm.NBest.of_texts([])


def test_weighted_errors_are_recovered_by_their_weight():
    lists, references = [["a x c", "a c", "b b"], ["d e", "d"]], ["a b c", "d"]
    metric = lm.WER(substitution=3)
    found = oracle_at_k(lists, references, metric)
    first = metric.corpus([several[0] for several in lists], references)
    best = [
        min(several, key=lambda text, r=r: metric.score(text, r)) for several, r in zip(lists, references, strict=True)
    ]
    whole = metric.corpus(best, references)
    assert (found.one_best.numerator, found.oracle.numerator) == (first.numerator, whole.numerator) == (3, 1)
    assert found.oracle.recoverable == pytest.approx(2 / 3)
