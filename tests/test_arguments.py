"""Arguments as callers have them: numbers and arrays of NumPy and of data frames, missing values, generators."""

import json
import math
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from kit.calibration import calibration
from kit.commands import HARBOUR, assert_one_line_error, run
from kit.lists import corrections, oracle_at_k, read_lists

import latticemetric as lm
from latticemetric import evaluation
from latticemetric.arguments import require_list, require_text, whole_number
from latticemetric.corpus.sweep import checked_borders
from latticemetric.display.frames import as_plain
from latticemetric.evaluation.intervals import bootstrap, interval_of
from latticemetric.evaluation.significance import checked_level
from latticemetric.nbest import Hypothesis
from latticemetric.training import Batch

LATTICE = lm.Lattice.from_strings(["a b", "a"])
TWO = lm.Lattice.from_strings(["a b", "a"], costs=[1.0, 2.0])
LISTS = [["a b", "a"], ["c"]]
NAN = float("nan")


@pytest.mark.parametrize("given", [2, np.int64(2), np.uint8(2), np.int32(2)])
def test_integers_of_numpy_are_whole_numbers(given):
    found = whole_number(given, "no", "try")
    assert (found, type(found)) == (2, int)


@pytest.mark.parametrize("given", [0, -1, 4, True, np.bool_(True), 2.0, np.float64(2), "2", None, NAN, [2]])
def test_what_is_no_whole_number_within_limits_is_refused(given):
    with pytest.raises(lm.UsageError, match=r"^no; try$"):
        whole_number(given, "no", "try", least=1, most=3)


@pytest.mark.parametrize(
    "call",
    [
        lm.GRR,
        lambda n: lm.BLEU(order=n).signature,
        lambda n: lm.NIST(order=n).signature,
        lambda n: lm.CHRF(char_order=n, word_order=n).signature,
        lambda n: lm.METEOR(cap=n),
        lambda n: [path.tolist() for path in LATTICE.n_best(n)],
        lambda n: lm.oracles(LATTICE, "a b", n=n),
        lambda n: oracle_at_k(LISTS, ["a", "c"], at=[n]).points,
    ],
)
def test_numbers_of_numpy_are_those_of_python(call):
    assert str(call(np.int64(2))) == str(call(2))


@pytest.mark.parametrize("value", [np.float64(0.25), np.float32(0.25), np.float32(0.1), np.linspace(0, 1, 5)[1]])
def test_penalties_of_numpy_are_the_decimals_that_they_show(value):
    assert lm.GRR(2, alpha=value) == lm.GRR(2, alpha=str(value))


@pytest.mark.parametrize("value", [np.int64(3), np.uint8(20), np.float32(0.1), np.float64(2.5), 1])
@pytest.mark.parametrize(
    "make",
    [
        lambda value: lm.CHRF(beta=value),
        lambda value: lm.METEOR(weight=value),
        lambda value: lm.BLEU(smoothing="add-k", smoothing_value=value),
    ],
    ids=["chrf", "meteor", "bleu"],
)
def test_parameters_of_numpy_are_those_of_python(make, value):
    shown = int(value) if isinstance(value, int | np.integer) else float(str(value))
    assert repr(make(value)) == repr(make(shown))
    for wrong in ("abc", None if make(1).name != "bleu" else "1", True, np.bool_(True), NAN, float("inf"), -1):
        with pytest.raises(lm.UsageError):
            make(wrong)


HALVES = [Fraction(1, 2), Decimal("0.5"), np.array(0.5), np.array(0.5, dtype=np.float16), np.float32(0.5)]


CALLS = pytest.mark.parametrize(
    "call",
    [
        lambda n: lm.expected(TWO, "a", posterior_scale=n, gradient=True).gradient.tolist(),
        lambda n: lm.expected(TWO, "a", gradient=True).through([0.5, 0.5, 0.5], n).tolist(),
        lambda n: lm.posteriors(TWO, posterior_scale=n).arc.tolist(),
        lambda n: lm.best(TWO, posterior_scale=n).posterior,
        lambda n: [lm.mbr(TWO, by=method, posterior_scale=n).asdict() for method in ("wer", "ngram", "bleu")],
        lambda n: lm.mbr(TWO, by="bleu", posterior_scale=n, samples=3, pruning_confidence=n).asdict(),
        lambda n: lm.mbr(TWO, T=n, p=n, r=n, word_penalty=n).asdict(),
        lambda n: lm.combine(
            [TWO, "a"], posterior_scale=n, null=n, count_share=n, scheme="average", system_weights=[n, n]
        ).asdict(),
        lambda n: lm.combine(["a", "b"], system_weights={"1": n}).confidences,
        lambda n: lm.NBest.from_strings(["a", "a"], costs=[1, 2]).determinized(merge="sum", posterior_scale=n).cost(),
        lambda n: len(TWO.pruned(density=n).word),
        lambda n: len(TWO.pruned(n).word),
        lambda n: lm.hope(TWO, "a", weight=n).value,
        lambda n: lm.GRR(2, alpha=n),
        lambda n: interval_of(0.5, np.array([0.1, 0.2, 0.4]), n),
        checked_level,
        lambda n: checked_borders([n, n]),
    ],
)


@pytest.mark.parametrize("half", HALVES, ids=repr)
@CALLS
def test_numbers_of_any_type_are_floats(call, half):
    assert str(call(half)) == str(call(0.5))


@CALLS
@pytest.mark.parametrize("given", [True, np.True_], ids=["bool", "numpy"])
def test_booleans_are_no_numbers(call, given):
    with pytest.raises(lm.UsageError):
        call(given)


def test_weights_of_systems_may_be_an_array():
    weights = np.array([0.5, 1.5])
    assert lm.combine(["a", "b"], system_weights=weights).system_weights == (0.5, 1.5)
    for wrong in ([np.array([0.5]), 1], [np.array(True), 1], [np.array("1"), 1], [1j, 1], [Decimal("nan"), 1]):
        with pytest.raises(lm.UsageError, match="the weights of systems are not valid; give numbers ≥ 0"):
            lm.combine(["a", "b"], system_weights=wrong)


@pytest.mark.parametrize(
    "references",
    [
        [np.array(["the cat", "a dog sat"], dtype=object), np.array(["a"], dtype=object)],
        np.array([["the cat", "a dog sat"], ["a", "a"]]),
        [
            SimpleNamespace(to_list=lambda: ["the cat", "a dog sat"]),
            SimpleNamespace(as_py=lambda: "a"),
        ],  # polars, Arrow
        [np.array([np.array(["the", "cat"]), np.array(["a", "dog", "sat"])], dtype=object), "a"],
    ],
)
@pytest.mark.parametrize("metric", ["wer", "bleu", "chrf", "meteor", "ter"])
def test_arrays_of_references_are_lists_of_references(references, metric):
    plain = [["the cat", "a dog sat"], ["a"]]
    assert lm.score(np.array(["a dog sat", "a"]), references, metric).values == pytest.approx(
        lm.score(["a dog sat", "a"], plain, metric).values
    )


def test_cells_of_tables_become_plain():
    assert as_plain(np.array([np.array([1.5, NAN]), "a"], dtype=object)) == [[1.5, None], "a"]
    assert as_plain("a b") == "a b"
    assert as_plain(NAN) is None


@pytest.mark.parametrize("missing", [None, NAN])
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda gap: lm.score(["a", gap], ["a", "b"]), "^segment 2: the hypothesis is missing; give a string"),
        (lambda gap: lm.score(["a", "b"], ["a", gap]), "^segment 2: the reference is missing; give a string"),
        (lambda gap: lm.score({"x": gap}, {"x": "a"}), "^segment x: the hypothesis is missing"),
        (lambda gap: lm.WER().score(gap, "a"), "^a text is (missing|nan); give a string"),
        (lambda gap: lm.WER().score("a", gap), "^the reference is (missing|nan)"),
        (lambda gap: lm.CHRF().score("a", [gap]), "^a text is (missing|nan)"),
        (lambda gap: lm.BLEU().corpus(["a", gap], ["a", "b"]), "^a text is (missing|nan)"),
        (lambda gap: lm.NBest.from_strings(["a", gap]), "^text 2 is (missing|nan)"),
        (lambda gap: lm.Lattice.from_strings(["a", gap]), "^string 2 is (missing|nan)"),
        (lambda gap: corrections([["a"], ["b"]], ["a", "b"], ["a", gap]), "^a corrected text is (missing|nan)"),
        (lambda gap: corrections([["a"], ["b"]], ["a", gap], ["a", "b"]), "^a reference is (missing|nan)"),
        (
            lambda gap: corrections([["a"], ["b", gap]], ["a", "b"], ["a", "b"]),
            "^a (text|hypothesis) is (missing|nan)",
        ),
        (lambda gap: oracle_at_k([["a", gap]], ["a"]), "^a text is (missing|nan)"),
    ],
)
def test_missing_texts_are_named(call, message, missing):
    with pytest.raises(lm.UsageError, match=message):
        call(missing)


@pytest.mark.parametrize(
    "call",
    [
        lambda texts: lm.WER().corpus(texts, ["a"]),
        lambda texts: oracle_at_k([["a"]], texts),
        lambda texts: lm.confidence_calibration([LATTICE], texts),
        lambda texts: lm.Corpus([LATTICE], texts),
    ],
)
def test_generators_are_refused_where_lists_are_needed(call):
    with pytest.raises(lm.UsageError, match="is a generator; give a list: list"):
        call(text for text in ["a"])


def test_generators_are_taken_where_one_pass_is_enough():
    assert lm.score((text for text in ["a"]), (text for text in ["a"])).values == {"wer": 0.0}
    assert list(lm.score(["a", "b"], ["a", "b"])["wer"].details(groups=iter("xy")).groups) == ["x", "y"]


def test_what_is_no_metric_is_said():
    with pytest.raises(lm.UsageError, match=r"WER is a class, not a metric; give an object, like WER\(\)"):
        lm.score(["a"], ["a"], lm.WER)
    with pytest.raises(lm.UsageError, match="is not the name of a metric"):
        lm.make_metric(lm.WER())
    with pytest.raises(lm.UsageError, match="2 is not a metric; give a name"):
        lm.oracles(LATTICE, "a", 2)


def test_two_metrics_of_one_name_have_no_place_in_one_result():
    with pytest.raises(lm.UsageError, match="metric 'bleu' is given twice; call `score` separately for each"):
        lm.score(["a"], ["a"], [lm.BLEU(), lm.BLEU(smoothing="exp")])


def test_texts_and_lists_are_told_from_others():
    require_text("a")
    require_text(["a"])
    require_list(np.array(["a"]), "texts")
    with pytest.raises(lm.UsageError, match=r"a text is 3; give a string"):
        require_text(3)


class Labelled:
    """A series with labels, as rows of a data frame keep them when they are sorted or filtered."""

    def __init__(self, values, labels):
        self.values = dict(zip(labels, values, strict=True))

    def __iter__(self):
        return iter(self.values.values())

    def __len__(self):
        return len(self.values)

    def __getitem__(self, label):
        return self.values[label]


def cheapest_first(graph):
    paths = graph.to_lattice().paths() if isinstance(graph, lm.NBest) else graph.paths()
    return [(path.words, path.cost) for path in sorted(paths, key=lambda path: path.cost)]


@pytest.mark.parametrize("make", [lm.Lattice.from_strings, lm.NBest.from_strings])
@pytest.mark.parametrize(
    "costs",
    [
        lambda: Labelled([3.0, 1.0, 2.0], labels=[2, 1, 0]),
        lambda: Labelled([3.0, 1.0, 2.0], labels=[7, 8, 9]),
        lambda: (cost for cost in [3, 1, 2]),
        lambda: np.array([2, 1, 3], dtype=">f4")[::-1],
        lambda: np.array([3, 1, 2], dtype=object),
    ],
    ids=["labels", "other labels", "generator", "big-endian, reversed", "objects"],
)
def test_costs_of_strings_count_by_their_order(make, costs):
    assert cheapest_first(make(["a", "b", "c"], costs=costs())) == [(("b",), 1.0), (("c",), 2.0), (("a",), 3.0)]
    assert cheapest_first(make(["a", "b", "c"], log_probs=costs())) == [(("a",), -3.0), (("c",), -2.0), (("b",), -1.0)]


@pytest.mark.parametrize("make", [lm.Lattice.from_strings, lm.NBest.from_strings])
@pytest.mark.parametrize("wrong", [{0: 1.0, 1: 2.0}, "12", 2.0, [None, 1.0], np.ones((2, 1)), ["x", 1.0]], ids=str)
@pytest.mark.parametrize("name", ["costs", "log_probs"])
def test_costs_of_strings_that_are_no_numbers_are_named(make, wrong, name):
    with pytest.raises(
        lm.UsageError, match=rf"^{name} (is a|holds a value that is not a number).*one number per string"
    ):
        make(["a", "b"], **{name: wrong})
    with pytest.raises(lm.UsageError, match=r"^score 'rank' "):
        lm.NBest.from_strings(["a", "b"], scores={"rank": wrong})


SCALED = lm.NBest.from_strings(["a", "b c", "c"], costs=[3.0, 1.0, 2.0])


@pytest.mark.parametrize(
    "ask",
    [
        lambda graph, weights: graph.costs(weights),
        lambda graph, weights: graph.ranking(weights),
        lambda graph, weights: graph.pruned(1.0, weights),
        lambda graph, weights: graph.to_lattice().cost(weights),
        lambda graph, weights: lm.NBest.from_graph(graph, 2, weights),
        lambda graph, weights: lm.oracle(graph, "c", "wer", weights=weights),
        lambda graph, weights: lm.oracle(graph.to_lattice(), "c", "wer", weights=weights),
        lambda graph, weights: oracle_at_k([graph], ["c"], weights=weights),
        lambda graph, weights: lm.best(graph, weights=weights),
        lambda graph, weights: lm.mbr(graph, by="wer", weights=weights),
        lambda graph, weights: lm.expected(graph, "c", weights=weights),
    ],
)
def test_scales_that_are_no_numbers_are_refused_everywhere(ask):
    for wrong in (NAN, float("inf"), None, "2", 10**400):
        with pytest.raises(lm.UsageError, match=r"^the weight of 'cost' is .*, not a finite number; give a number"):
            ask(SCALED, {"cost": wrong})
    for wrong in (["cost"], 2.0, "cost"):
        with pytest.raises(lm.UsageError, match=r"^weights is a .*; give weights by names of scores"):
            ask(SCALED, wrong)


def test_scales_of_numpy_do_not_round_costs():
    costs = lm.NBest.from_strings(["a", "b"], costs=[16_777_217.0, 16_777_216.0]).costs({"cost": np.float32(1)})
    assert (costs, type(costs[0])) == ([16_777_217.0, 16_777_216.0], float)


def test_sums_of_costs_that_are_too_large_are_refused():
    with pytest.raises(lm.InputError, match="the costs are too large to be added up"):
        SCALED.ranking({"cost": 1e308})


class Table:
    """A data frame, whose items are the names of its columns."""

    columns = ("hypothesis", "reference")
    shape = (2, 2)

    def __iter__(self):
        return iter(self.columns)

    def __len__(self):
        return self.shape[0]


class ArrowColumn:
    """A column of Arrow, whose items are not Python's texts."""

    def __init__(self, texts):
        self.texts = texts

    def __iter__(self):
        return map(SimpleNamespace, ())

    def __len__(self):
        return len(self.texts)

    def to_pylist(self):
        return self.texts


GRAPHS = [SCALED, SCALED]
OVER_TEST_SETS = {
    "corpus": lambda references: lm.WER().corpus(["a", "c"], references),
    "hypotheses": lambda hypotheses: lm.BLEU().corpus(hypotheses, ["a", "c"]),
    "sclite": lambda references: lm.Sclite().corpus(["a", "c"], references),
    "error_analysis": lambda references: lm.error_analysis(["a", "c"], references),
    "oracle_at_k": lambda references: oracle_at_k(LISTS, references),
    "corrections": lambda references: corrections(LISTS, references, ["a", "c"]),
    "batch": lambda references: Batch(GRAPHS, references),
    "strings": lm.Lattice.from_strings,
    "list": lm.NBest.from_strings,
    "utility": lambda texts: lm.utility_matrix("wer", texts),
}


@pytest.mark.parametrize("call", OVER_TEST_SETS.values(), ids=OVER_TEST_SETS)
def test_mappings_sets_and_tables_are_no_lists_of_texts(call):
    for given, advice in (
        ({"one": "a", "two": "c"}, r"like list\((\w+)\.values\(\)\)"),
        ({"a", "c"}, "a set has no order"),
        (Table(), "one of its columns"),
        (ArrowColumn(["a", "c"]), r"to_pylist\(\)"),
    ):
        with pytest.raises(lm.UsageError, match=rf"^\w+ is a {type(given).__name__}; give .*{advice}"):
            call(given)


def test_scores_are_of_columns_and_not_of_tables():
    assert lm.score(ArrowColumn(["a", "c"]), ArrowColumn(["a", "d"]), "wer")["wer"].value == 0.5
    for wrong in (Table(), {"a", "c"}):
        with pytest.raises(lm.UsageError, match=rf"^hypotheses is a {type(wrong).__name__}"):
            lm.score(wrong, wrong)
    with pytest.raises(lm.UsageError, match="outputs is a set"):
        lm.combine({"a b", "a c"})


@pytest.mark.parametrize("text", [b"a b", bytearray(b"a"), {"a": 1}, {"a"}], ids=str)
@pytest.mark.parametrize(
    "call",
    [
        lambda text: lm.NBest.from_strings([text]),
        lambda text: lm.Lattice.from_strings([text]),
        lambda text: lm.WER().score(text, "a"),
        lambda text: lm.BLEU().score(text, "a"),
        lambda text: lm.CER().corpus([text], ["a"]),
        lambda text: oracle_at_k([[text]], ["a"]),
    ],
)
def test_bytes_and_sets_are_no_texts(call, text):
    with pytest.raises(lm.UsageError, match=rf" is a {type(text).__name__}; (decode it|give a string or)"):
        call(text)


def test_graphs_with_names_are_pairs(tmp_path):
    calls = (lambda graphs: list(lm.Corpus(graphs).map(len)), lambda graphs: lm.write(tmp_path / "lists.nbest", graphs))
    for call in calls:
        with pytest.raises(lm.UsageError, match=r"^the name 1 of a graph is not a string; give '1'$"):
            call([(1, SCALED)])
        with pytest.raises(lm.UsageError, match=r"^graph 'u1': Hypothesis is not a lattice, n-best list or forest"):
            call([("u1", SCALED[0])])
        with pytest.raises(lm.UsageError, match=r"NBest"):
            call(SCALED)
    write = calls[1]
    with pytest.raises(lm.UsageError, match=r"^graphs is a dict; give its pairs: graphs\.items\(\)$"):
        write({"u1": SCALED})
    with pytest.raises(lm.UsageError, match=r"^a NBest is given in place of a name and a graph; give pairs"):
        write([SCALED])
    for graphs in ({"u1": SCALED}, {"u1": SCALED}.items(), [SCALED], iter([SCALED])):
        assert [answer.value for answer in lm.Corpus(graphs).map(len)] == [3]


def test_texts_of_lists_are_not_split_to_see_that_they_are_lists():
    nbest = lm.NBest.of_texts(["a b"])
    assert lm.Corpus({"u1": nbest}).map(lambda graph: "hypotheses" in vars(graph))["u1"] is False


class ArrowTable:
    """A table of Arrow."""

    def __init__(self, rows):
        self.rows = rows

    def to_pylist(self):
        return self.rows


def test_rows_of_data_frames_as_dictionaries_have_arrays():
    plain = [
        {"id": "one", "nbest": ["a b", "a c"], "scores": [-1.0, -2.0], "reference": "a c"},
        {"id": "two", "nbest": ["d"], "scores": [-1.0], "reference": "d"},
    ]
    wanted = read_lists(plain)
    arrays = [
        row | {"nbest": np.array(row["nbest"], dtype=object), "scores": np.array(row["scores"]), "other": NAN}
        for row in plain
    ]
    assert read_lists(arrays) == wanted
    assert read_lists([ArrowTable(plain[:1]), ArrowTable(plain[1:])]) == wanted


TAKE_WORDS = {
    "Hypothesis": lambda words: Hypothesis(words, {}),
    "Hypothesis of a tuple": lambda words: Hypothesis(tuple(words), {}),
    "NBest": lambda words: lm.NBest.from_strings([words]),
    "Lattice": lambda words: [path.words for path in lm.Lattice.from_strings([words]).paths()],
    "vocabulary": lm.Vocabulary.from_words,
    "oracle": lambda words: lm.oracle(LATTICE, [words], "wer"),
    "oracle, word numbers": lambda words: lm.oracle(lm.Lattice.from_arcs([0], [1], [7], final=[1]), [words], "wer"),
    "expected": lambda words: lm.expected(LATTICE, [words]),
    "references": lambda words: lm.score(["a b"], [[words]])["wer"].value,
    "hypotheses": lambda words: lm.score([words], ["a b"])["wer"].value,
    "lowercase": lambda words: lm.score([words], ["a b"], lowercase=True)["wer"].value,
    "combine": lambda words: lm.combine([words, "a b"]).best.words,
    "oracle_at_k": lambda words: oracle_at_k([[words]], ["a b"]),
    "corrections": lambda words: corrections([[words]], ["a b"], ["a b"]),
    "error_analysis": lambda words: lm.error_analysis([words], ["a b"]),
    "utility_matrix": lambda words: lm.utility_matrix("wer", [words], ["a b"]).tolist(),
    "ignore": lambda words: lm.WER(ignore=words),
    "align": lambda words: lm.WER().align(words, "a b"),
    **{
        name: lambda words, name=name: lm.make_metric(name).score(words, ["a b"])
        for name in (
            "wer",
            "2-grr",
            "cer",
            "mer",
            "wil",
            "compound-wer",
            "bleu",
            "nist",
            "chrf",
            "ter",
            "meteor",
            "f1",
            "sclite",
        )
    },
}


@pytest.mark.parametrize("wrong", [1, np.int64(1), 1.5, None, NAN, b"a", ["a"]])
@pytest.mark.parametrize("take", TAKE_WORDS.values(), ids=TAKE_WORDS)
def test_words_that_are_no_strings_are_named(take, wrong):
    with pytest.raises(lm.UsageError, match=r"word 2 of .* is .*, not a string; give a list of strings"):
        take(["a", wrong])


@pytest.mark.parametrize("take", TAKE_WORDS.values(), ids=TAKE_WORDS)
def test_an_empty_string_is_no_word(take):
    if take == lm.Vocabulary.from_words:
        pytest.skip("a table may have an empty word, like those of some files")
    assert take(["", "b", "", "c"]) == take(["b", "c"])
    assert take(["b", ""]) == take(["b"])


def test_strings_of_arrays_are_plain_words():
    words = Hypothesis(np.array(["a", "b"]), {}).words
    assert words == ("a", "b")
    assert set(map(type, words)) == {str}


def test_a_vocabulary_maps_integers_to_strings():
    assert lm.Vocabulary({np.int64(1): "a"}) == lm.Vocabulary({1: "a"})
    assert type(next(iter(lm.Vocabulary({np.int64(1): "a"}).items()))[0]) is int
    assert lm.Vocabulary.from_words("a b").encode(word for word in ("b", "c")).tolist() == [2, -1]
    for words in ({1: 5}, {1: None}, {"1": "a"}, {1.5: "a"}, {None: "a"}, ["a", "b"], None, "a b", {True: "a"}):
        with pytest.raises(lm.UsageError):
            lm.Vocabulary(words)
    for vocabulary in (lm.Vocabulary.from_words("a b"), lm.Vocabulary.numeric()):
        with pytest.raises(lm.UsageError, match="word 1 of the list is 5, not a string"):
            vocabulary.encode([5])
        with pytest.raises(lm.UsageError, match="the words are a int"):
            vocabulary.encode(5)


MASKED = np.ma.array([1.0, 2.0], mask=[True, False])
PLAIN = np.ma.array([1.0, 2.0], mask=[False, False])


def one_path(**given):
    return lm.Lattice.from_arcs([0, 1], [1, 2], [1, 2], final=[2], **given)


def k2_arcs():
    return np.array([[0, 1, 5, 0], [1, 2, -1, 0]], dtype=np.int32)


TAKE_MASKED = {
    "costs of strings": lambda values: lm.Lattice.from_strings(["a", "b"], costs=values).scores,
    "costs of a list": lambda values: lm.NBest.from_strings(["a", "b"], costs=values).costs(),
    "costs of arcs": lambda values: one_path(scores={"am": lm.Column(values, [0.0])}).scores,
    "final costs": lambda values: (
        lm.Lattice.from_arcs([0, 0], [1, 2], [1, 2], final=[1, 2], scores={"am": lm.Column([0.0, 0.0], values)}).scores
    ),
    "sources": lambda values: lm.Lattice.from_arcs(
        values.astype(int), [3, 3], [1, 2], final=[3], start=1
    ).word.tolist(),
    "words": lambda values: lm.Lattice.from_arcs([0, 1], [1, 2], values.astype(int), final=[2]).word.tolist(),
    "times": lambda values: one_path(times=np.ma.concatenate([values, values])[:3]).times.tolist(),
    "tails": lambda values: (
        lm.Forest.from_edges(
            [0, 1], [[], (values.astype(int) - values.astype(int))[:1]], [[5], [-1]], goals=[1]
        ).num_nodes
    ),
    "k2": lambda values: lm.Lattice.from_k2(k2_arcs(), scores=values).scores,
    "costs of a batch": lambda values: (
        Batch([lm.NBest.from_strings(["a", "b"])], ["a"]).expected(values).value.tolist()
    ),
    "weights": lambda values: lm.mbr(lm.NBest.from_strings(["a", "b"]), "bleu", evidence_weights=values).words,
    "utility": lambda values: lm.mbr(lm.NBest.from_strings(["a", "b"]), utility=np.ma.stack([values, values])).words,
}


@pytest.mark.parametrize("take", TAKE_MASKED.values(), ids=TAKE_MASKED)
def test_masked_values_are_missing(take):
    plain = PLAIN.data
    assert take(PLAIN) == take(plain)
    with pytest.raises((lm.InputError, lm.UsageError)):
        take(MASKED)


@pytest.mark.parametrize("name", sorted({*TAKE_MASKED} - {"sources", "words", "times", "tails", "utility"}))
def test_tensors_of_all_types_are_arrays(name):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    plain = torch.tensor(PLAIN.data)
    assert (plain.bfloat16().double() == plain).all()
    kinds = [plain, plain.bfloat16(), plain.half(), torch.complex(plain, -plain).conj().imag]
    if name != "costs of a batch":  # see `test_costs_of_another_library_are_named`
        kinds.append(plain.clone().requires_grad_())
    for tensor in kinds:
        assert TAKE_MASKED[name](tensor) == TAKE_MASKED[name](PLAIN.data)


def test_utilities_are_tensors_of_a_model():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    weight = torch.tensor(0.5, dtype=torch.bfloat16, requires_grad=True)

    def same_length(hypotheses, references):
        return weight * torch.tensor([float(len(h) == len(r)) for h, r in zip(hypotheses, references, strict=True)])

    texts = ["a b", "a c", "a"]
    found = lm.utility_matrix(same_length, texts)
    assert found.tolist() == [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 0.5]]
    nbest = lm.NBest.from_strings(texts)
    given = torch.tensor(found, requires_grad=True)
    assert lm.mbr(nbest, utility=same_length).words == lm.mbr(nbest, utility=given.bfloat16()).words == ("a", "b")


def test_columns_are_no_masked_arrays():
    column = lm.Column(PLAIN, np.ma.array([0.0]))
    assert (type(column.arc), type(column.final)) == (np.ndarray, np.ndarray)
    PLAIN.data.flags.writeable = True
    assert not column.arc.flags.writeable


def test_masked_scores_of_segments_are_missing_ones():
    table = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 9.0]])
    masked = np.ma.array(table, mask=[[False, False, True], [False, False, True]])
    missing = np.where(masked.mask, np.nan, table)
    asked = [evaluation.correlate({"one": given}, given, resamples=0) for given in (masked, missing)]
    assert asked[0] == asked[1]
    assert np.isnan(evaluation.pearson(masked[0], table[0]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: list(lm.read(None)), "path is missing; give one path"),
        (lambda: list(lm.read(5)), "path is a int"),
        (lambda: lm.read_one(["a.slf"]), "path is a list; give one path; a glob"),
        (lambda: lm.write(LATTICE, "a.slf"), "path is a Lattice"),
        (lambda: lm.draw(LATTICE).save(None), "path is missing"),
        (lambda: lm.Corpus([("one", LATTICE)], ["a"]).report(None), "path is missing"),
        (lambda: list(lm.read("-", symbols=5)), "the symbol table is a int"),
        (lambda: one_path(times=["a", "b", "c"]), "times are not an array of numbers; give one number of seconds per"),
        (lambda: one_path(times=5.0), r"times have the shape \(\)"),
        (lambda: one_path(times=[[0.0, 1.0, 2.0]]), r"times have the shape \(1, 3\)"),
        (lambda: one_path(start="a"), "the start is 'a'"),
        (lambda: one_path(start=None), "the start is None"),
        (lambda: one_path(start=0.5), r"the start is 0\.5"),
        (lambda: one_path(scores={1: lm.Column([0.0, 0.0], [0.0])}), "the name 1 of a score is not a string"),
        (lambda: one_path(labels=["x"]), "labels is a list"),
        (lambda: one_path(labels={"a": ["x"]}), "labels has a list with the name 'a'"),
        (lambda: one_path(labels={"a": lm.Labels([1.5, 2.0], [0], lm.Vocabulary.numeric())}), "numbers of 'a' are not"),
        (lambda: one_path(labels={"a": lm.Labels([1, 1], [0], None)}), "the vocabulary of 'a' is a NoneType"),
        (lambda: lm.Forest.from_edges([0], None, [[1]], goals=[0]), "the tails of edges: a NoneType is given"),
        (lambda: lm.Forest.from_edges([0], [[]], [[1]], goals=[0], node_labels=["x"]), "node_labels is a list"),
        (lambda: lm.Forest.from_edges([0], [[]], [[1]], goals=[0], node_labels={"a": ["x"]}), "node_labels has a list"),
        (lambda: lm.Forest.from_edges([0], [[]], [[1]], goals=[0], labels={"a": ["x"]}), "labels has a list"),
        (lambda: lm.NBest.from_strings(["a"], scores=[1.0]), "scores is a list"),
        (lambda: lm.NBest.from_strings(["a"], scores={1: [1.0]}), "the name 1 of a score is not a string"),
        (lambda: lm.NBest.from_strings(None), "texts is a NoneType"),
        (lambda: lm.Lattice.from_strings(5), "strings is a int"),
        (lambda: lm.lattices_to_k2(None), "lattices is a NoneType"),
        (lambda: lm.lattices_to_k2(LATTICE), "lattices is a Lattice"),
        (lambda: evaluation.pearson(["a", "b"], [1, 2]), "the values to correlate are not an array of numbers"),
        (lambda: evaluation.correlate({"one": [["a"]]}, [[1.0]]), "scores are not an array of numbers"),
        (lambda: evaluation.event_calibration([0.5, 0.5], [0.7, 1.0]), "not True or False"),
        (lambda: evaluation.event_calibration([0.5, 0.5], ["False", "True"]), "outcomes are not an array of numbers"),
        (lambda: evaluation.event_calibration([0.5, 0.5], [NAN, 1.0]), "not finite numbers"),
    ],
)
def test_arguments_of_other_types_are_named(call, message):
    with pytest.raises(lm.UsageError, match=message):
        call()


def test_labels_may_be_lists():
    sides = {"side": lm.Labels([1, 2], [0], lm.Vocabulary({1: "x", 2: "y"}))}
    assert one_path(labels=sides).labels["side"].arc.tolist() == [1, 2]


def test_what_is_no_fst_is_named():
    pytest.importorskip("pynini")
    with pytest.raises(lm.UsageError, match="a NoneType is not an FST of pynini"):
        lm.Lattice.from_fst(None)


@pytest.mark.parametrize("wrong", ["1", None, NAN])
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda wrong: LATTICE.pruned(wrong) if wrong is not None else LATTICE.pruned("1"), "the beam is "),
        (lambda wrong: lm.mbr(SCALED, posterior_scale=wrong), "the posterior scale is "),
        (lambda wrong: lm.mbr(SCALED, "bleu", posterior_scale=wrong), "the posterior scale is "),
        (lambda wrong: lm.mbr(SCALED, word_penalty=wrong), "the word penalty is "),
        (lambda wrong: lm.mbr(SCALED, T=wrong), "T is "),
        (lambda wrong: lm.consensus(SCALED, posterior_scale=wrong), "the posterior scale is "),
        (lambda wrong: lm.posteriors(LATTICE, posterior_scale=wrong), "the posterior scale is "),
        (lambda wrong: lm.expected(SCALED, "a", posterior_scale=wrong), "the posterior scale is "),
        (lambda wrong: lm.fear(LATTICE, "a", weight=wrong), "the weight of fear is "),
        (lambda wrong: SCALED.determinized(posterior_scale=wrong), "the posterior scale is "),
        (lambda wrong: lm.NBest((Hypothesis("a", {"lm": 1.0}),), {"lm": wrong}), "the weight of 'lm' is "),
    ],
)
def test_numbers_that_are_none_are_refused(call, message, wrong):
    with pytest.raises(lm.UsageError, match=message):
        call(wrong)


@pytest.mark.parametrize("score", [np.float32(1.5), np.float64(1.5), np.array([3], np.int8)[0] / 2, Decimal("1.5")])
def test_scores_of_hypotheses_are_plain_numbers(score):
    nbest = lm.NBest([Hypothesis("a", {"lm": score})], {})
    assert nbest.costs() == [1.5]
    assert json.loads(json.dumps(nbest.to_records()))[0]["lm"] == 1.5
    assert hash(nbest) == hash(lm.NBest((Hypothesis("a", {"lm": 1.5}),), {}))


def test_hypotheses_of_a_list_are_a_tuple():
    listed = [Hypothesis("a", {}), Hypothesis("b", {})]
    for given in (listed, iter(listed), np.array(listed, dtype=object)):
        assert lm.NBest(given, {}).hypotheses == tuple(listed)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: lm.NBest(("a", "b"), {}), lm.UsageError, "a str is given in place of a hypothesis"),
        (lambda: lm.NBest(None, {}), lm.UsageError, "hypotheses is a NoneType"),
        (lambda: lm.NBest([], {}), lm.InputError, "the n-best list is empty"),
        (lambda: Hypothesis("a", {"lm": "1"}), lm.UsageError, "score 'lm' of a hypothesis is '1', not a number"),
        (lambda: Hypothesis("a", {"lm": None}), lm.UsageError, "score 'lm' of a hypothesis is None, not a number"),
        (lambda: lm.NBest([Hypothesis("a", {"lm": NAN})], {}).costs(), lm.InputError, "'lm' has a value that is not"),
        (lambda: lm.NBest.from_graph(None, 2), lm.UsageError, "NoneType is not a lattice"),
        (lambda: lm.Corpus([SCALED], ["a"]).sweep(beams="12"), lm.UsageError, "beams is a string"),
        (lambda: lm.Corpus([SCALED], ["a"]).sweep(nbest_sizes=2), lm.UsageError, "nbest_sizes is a int"),
        (lambda: oracle_at_k(LISTS, ["a", "c"], at=2), lm.UsageError, "at is a int"),
        (lambda: lm.Corpus(None, ["a"]).tune("wer", decoder="mbr"), lm.UsageError, "graphs is a NoneType"),
        (lambda: lm.score(["a"], ["a"], None), lm.UsageError, "metrics is a NoneType"),
        (lambda: lm.score(["a"], ["a"], []), lm.UsageError, "no metric is given"),
        (lambda: lm.Vocabulary.from_words("a").decode(1), lm.UsageError, "not a list of integers"),
        (lambda: lm.Vocabulary.from_words("a").decode("1"), lm.UsageError, "not a list of integers"),
        (lambda: judgments(system=[0.5]), lm.UsageError, "the numbers of a system are not one list of integers"),
        (lambda: judgments(scores=[["x"]]), lm.UsageError, "scores are not an array of numbers"),
    ],
)
def test_what_is_no_list_of_such_items_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


def judgments(**changed):
    given = {"system": [0], "segment": [0], "judge": [0], "scores": [[1.0]]} | changed
    return lm.Judgments(["one"], 1, ["ann"], ["fluency"], **given)


def test_judgments_may_be_lists():
    found = judgments()
    assert (found.systems, found.scores.tolist()) == (("one",), [[1.0]])
    assert found == judgments(system=np.array([0]), scores=np.ones((1, 1)))


STRINGS = ["a b", "a"]


@pytest.mark.parametrize("values", [["1.5", "2"], [1.5, "2"], np.array(["1.5", "2"]), [b"1", 2.0], [10**400, 0]])
@pytest.mark.parametrize(
    "call",
    [
        lambda values: lm.NBest.from_strings(STRINGS, costs=values),
        lambda values: lm.NBest.from_strings(STRINGS, log_probs=values),
        lambda values: lm.NBest.from_strings(STRINGS, scores={"lm": values}),
        lambda values: lm.Lattice.from_strings(STRINGS, costs=values),
        lambda values: lm.Column(values, [0.0]),
        lambda values: Batch([lm.NBest.from_strings(STRINGS)], ["a"]).expected(values),
        lambda values: lm.mbr(lm.NBest.from_strings(STRINGS), "chrf", evidence_weights=values),
        lambda values: lm.mbr(lm.NBest.from_strings(STRINGS[:1]), utility=lambda *_: values),
        lambda values: lm.posteriors(lm.Lattice.from_strings(["a b"])).expected(values),
        lambda values: evaluation.pearson(values, [1.0, 2.0]),
        lambda values: one_path(times=[0.0, *values]),
    ],
)
def test_texts_are_no_numbers_even_if_they_spell_them(call, values):
    with pytest.raises((lm.UsageError, lm.InputError), match=r"not (an array of |a )?number"):
        call(values)


PAIR = lm.NBest.from_strings(STRINGS, costs=[1.0, 2.0])
FOREST = lm.Forest.from_edges([0, 0], [[], []], [[1], [2]], goals=[0])
TABLE = lm.WER().table(["a b", "c d"], ["a c", "c d"])

TAKE_NUMBERS = {
    "seconds": lambda value: lm.expected(PAIR, "a b", seconds=value),
    "states": lambda value: lm.expected(PAIR, "a b", most_states=value),
    "null": lambda value: lm.combine([PAIR, PAIR], null=value),
    "count_share": lambda value: lm.combine([PAIR, PAIR], count_share=value),
    "weights of systems": lambda value: lm.combine([PAIR, PAIR], system_weights=[1.0, value]),
    "weights by name": lambda value: lm.combine({"x": PAIR, "y": PAIR}, system_weights={"x": value}),
    "scales to try": lambda value: calibration([PAIR, PAIR], STRINGS, posterior_scale=[1.0, value], resamples=0),
    "halvings": lambda value: calibration([PAIR, PAIR], STRINGS, halvings=value, resamples=0),
    "values to try": lambda value: lm.Corpus([PAIR], ["a"]).tune("wer", decoder="mbr", T=[1.0, value], resamples=0),
    "a grid": lambda value: lm.mbr_grid(PAIR, lm.ByNgrams.grid(p=[0.5, value])),
    "folds": lambda value: lm.Corpus([PAIR], ["a"]).tune("wer", decoder="mbr", folds=value, resamples=0),
    "resamples": lambda value: bootstrap(lm.WER(), TABLE, resamples=value),
    "seed": lambda value: bootstrap(lm.WER(), TABLE, seed=value),
    "confidence": lambda value: bootstrap(lm.WER(), TABLE, confidence=value),
    "lengths": lambda value: lm.Corpus([PAIR], ["a"]).sweep(by_length=[value]),
    "states to draw": lambda value: lm.draw(PAIR, most_drawn=value),
    "beam": PAIR.pruned,
    "beam of a forest": FOREST.pruned,
    "density": lambda value: LATTICE.pruned(density=value),
    "samples": lambda value: lm.posteriors(LATTICE).sample(value, 0),
    "best strings": LATTICE.n_best,
}


@pytest.mark.parametrize("value", ["1", b"1", [1], 1j, -1, NAN, object(), np.array([1, 2])])
@pytest.mark.parametrize("name", TAKE_NUMBERS)
def test_what_is_no_such_number_is_refused(name, value):
    with pytest.raises(lm.LatticeMetricError):
        TAKE_NUMBERS[name](value)


@pytest.mark.parametrize("value", [None, 10**400], ids=["none", "huge"])
@pytest.mark.parametrize(
    "make",
    [
        TAKE_NUMBERS["null"],
        TAKE_NUMBERS["weights of systems"],
        TAKE_NUMBERS["halvings"],
        TAKE_NUMBERS["scales to try"],
        TAKE_NUMBERS["resamples"],
        lambda value: lm.CHRF(beta=value),
        lambda value: lm.METEOR(weight=value),
        lambda value: lm.Corpus([PAIR], ["a"]).sweep(by_length=value),
        lambda value: lm.Corpus(value, ["a"]),
        lambda value: Batch(value, ["a"]),
    ],
)
def test_huge_and_missing_numbers_are_refused(make, value):
    with pytest.raises(lm.UsageError):
        make(value)


@pytest.mark.parametrize("limit", [10**20, 10**400], ids=["large", "huge"])
def test_limits_above_all_that_can_be_reached_are_none(limit):
    assert lm.expected(PAIR, "a b", most_states=limit, seconds=limit) == lm.expected(PAIR, "a b")
    assert len(PAIR.pruned(limit)) == len(FOREST.pruned(limit).n_best(9)) == len(LATTICE.pruned(limit).n_best(9)) == 2
    assert len(LATTICE.n_best(limit)) == len(LATTICE.pruned(nbest=limit).n_best(9)) == 2
    assert Batch([PAIR], ["a b"], most_states=limit, workers=limit).expected([1.0, 2.0]).value == pytest.approx(
        lm.expected(PAIR, "a b").value
    )
    lm.limit_memory(limit)
    try:
        assert len(LATTICE.n_best(2)) == 2
    finally:
        lm.limit_memory(None)


@pytest.mark.parametrize(
    "beam", [np.float32(0.5), np.float32("inf"), np.float64("inf"), Decimal("0.5"), Fraction(1, 2)]
)
def test_beams_are_numbers_of_any_kind(beam):
    for graph in (PAIR, FOREST, LATTICE):
        assert graph.pruned(beam) == graph.pruned(float(beam))


def test_limits_may_be_fractions():
    assert lm.expected(PAIR, "a b", seconds=Fraction(9, 2)) == lm.expected(PAIR, "a b")


@pytest.mark.parametrize("graph", [LATTICE, FOREST], ids=["lattice", "forest"])
@pytest.mark.parametrize("count", [10**30, 10_000_000])
def test_samples_that_do_not_fit_into_memory_are_refused(graph, count):
    lm.limit_memory("1G")
    try:
        with pytest.raises(lm.InputError, match="these samples need more than 1 GB of memory; draw fewer"):
            lm.posteriors(graph).sample(count, 0)
    finally:
        lm.limit_memory(None)


LONG_LATTICE = lm.Lattice.from_strings([" ".join("a" * 1000)])
LONG_FOREST = lm.Forest.from_edges(range(1000), [[], *([k] for k in range(999))], [[1], *[[-1]] * 999], goals=[999])


@pytest.mark.parametrize("graph", [LONG_LATTICE, LONG_FOREST], ids=["lattice", "forest"])
def test_few_samples_that_are_too_long_for_memory_are_refused(graph, memory_limit):
    memory_limit("20M")
    assert len(lm.posteriors(graph).sample(100, 0)) == 100
    with pytest.raises(lm.InputError, match="these samples need more than 20 MB of memory; draw fewer"):
        lm.posteriors(graph).sample(1000, 0)


@pytest.mark.parametrize("wrong", [-1.0, -1e-9, math.nan, math.inf, -math.inf], ids=str)
@pytest.mark.parametrize(
    "call",
    [
        lambda scale: lm.best(LATTICE, posterior_scale=scale),
        lambda scale: lm.posteriors(LATTICE, posterior_scale=scale),
        lambda scale: lm.consensus(LATTICE, posterior_scale=scale),
        lambda scale: lm.expected(LATTICE, "a", posterior_scale=scale),
        lambda scale: lm.expected(LATTICE, "a", gradient=True).through(np.zeros(len(LATTICE.word)), scale),
        lambda scale: lm.mbr(LATTICE, posterior_scale=scale),
        lambda scale: lm.mbr(LATTICE, "bleu", posterior_scale=scale),
        lambda scale: lm.combine({"a": LATTICE, "b": LATTICE}, posterior_scale=scale),
        lambda scale: lm.Corpus([LATTICE]).best(posterior_scale=scale),
        lambda scale: lm.Corpus([LATTICE]).consensus(posterior_scale=scale),
        lambda scale: lm.Corpus([LATTICE]).mbr(posterior_scale=scale),
        lambda scale: lm.Corpus([LATTICE], ["a"]).expected(posterior_scale=scale),
        lambda scale: lm.Corpus([LATTICE], ["a"]).oracle(posteriors=True, posterior_scale=scale),
    ],
)
def test_every_function_has_the_same_range_of_posterior_scales(call, wrong):
    with pytest.raises(lm.UsageError, match=rf"the posterior scale is {wrong}; give a number ≥ 0"):
        call(wrong)
    call(0)
    call(np.float32(0))


@pytest.mark.parametrize("wrong", ["-1", "nan", "inf"])
@pytest.mark.parametrize(
    "verb", ["best", "posteriors", "consensus", "mbr", "expected", "oracle", "draw", "tags", "combine", "report"]
)
def test_every_verb_has_the_same_range_of_posterior_scales(verb, wrong):
    done = run("latticemetric", verb, *HARBOUR, f"--posterior-scale={wrong}")
    assert_one_line_error(done, f"--posterior-scale: the posterior scale is {float(wrong)}; give a number ≥ 0")
