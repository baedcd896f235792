"""Frozen means frozen: results of every public class are read-only, equal to their copies, and pickled at will."""

import copy
import dataclasses
import inspect
import json
import pickle
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from kit.calibration import calibration
from kit.lists import corrections, oracle_at_k

import latticemetric as lm
from latticemetric import evaluation
from latticemetric.nbest import Hypothesis

DATA = Path(__file__).parents[1] / "examples" / "data"
LATTICE = lm.Lattice.from_arcs(
    [0, 0, 1, 1],
    [1, 1, 2, 2],
    [1, 2, 3, 0],
    final=[2],
    scores={"lm": lm.Column([1.0, 2.0, 0.5, 0.25], [0.125]), "am": lm.Column([1.0, 1.0, 3.0, 0.5], [0.0], weight=0.5)},
    vocabulary=lm.Vocabulary.from_words("a b c"),
    times=[0.0, 0.5, 1.0],
    labels={"side": lm.Labels(np.array([1, 2, 1, 0]), np.array([0]), lm.Vocabulary({1: "x", 2: "y"}))},
)
FOREST = lm.Forest.from_edges(
    [0, 0, 1],
    [[], [], [0]],
    [[1], [2], [-1, 3]],
    goals=[1],
    scores={"cost": lm.Column([0.0, 1.0, 0.5], [0.0])},
    vocabulary=lm.Vocabulary.from_words("a b c"),
    node_labels={"symbol": lm.NodeLabels(np.array([1, 2]), lm.Vocabulary.from_words("X S"))},
)
LIST = lm.NBest((Hypothesis("a b", {"lm": 1.0}), Hypothesis("a c", {"lm": 0.5})), {"lm": 2.0})
GRAPHS = [LATTICE, lm.Lattice.from_strings(["a b", "b c"], costs=[0.5, 1.0])]
REFERENCES = ["a c", "b c"]
(ANSWER,) = lm.Corpus({"one": LATTICE}).map(lambda graph: graph.num_states)
HYPOTHESES = [["a c", "a b"], ["c", "c d"]]
GOLD = evaluation.WordTags.of(["OK BAD OK", "BAD OK"])
SEGMENTS = np.array([[1.0, 2.0, np.nan], [2.0, 4.0, 5.0], [0.5, 1.0, 1.5]])
JUDGMENTS = lm.Judgments(
    ("one", "two"), 2, ("ann",), ("fluency",), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]),
    np.zeros(4, np.int64), np.array([[1.0], [2.0], [4.0], [np.nan]]),
)  # fmt: skip
CALIBRATION = calibration(GRAPHS, REFERENCES, resamples=5)
TABLES = evaluation.system_tables([["a b", "c", "d"], ["a", "c", "e"], ["x", "y", "e"]], ["a b", "c", "e"], [lm.WER()])
TASK = evaluation.MetricTask("toy", "pearson", SEGMENTS.copy(), {"one": 2 * SEGMENTS, "other": SEGMENTS**2})


def own_oracle():
    pytest.importorskip("pynini")
    automaton = lm.WRR().compile("a c", LATTICE.vocabulary)
    return lm.oracle(LATTICE, None, automaton)


def compound_oracle():
    pytest.importorskip("pynini")
    return lm.compound_oracle(LATTICE, "ab c")


# One of each public class, or several; metrics are made by their names.
TUNED = lm.Corpus(GRAPHS, REFERENCES).tune("wer", vary={"words": (0, 1)}, resamples=5)

EXAMPLES = {
    "Alignment": lambda: lm.WER().align("a b", "a c"),
    "Answer": lambda: ANSWER,
    "AutomatonOracle": own_oracle,
    "ValuedPath": lambda: own_oracle().one_best,
    "Corrections": lambda: corrections(HYPOTHESES, ["a b", "c"], ["a c", "c"]),
    "ErrorAnalysis": lambda: lm.error_analysis(["a b", "c"], ["a c", "c d"], groups=["x", "y"]),
    "ErrorDetails": lambda: lm.error_analysis(["a b", "c"], ["a c", "c d"]).total,
    "MetricScore": lambda: lm.score(["a b", "c"], ["a c", "c d"])["wer"],
    "Scores": lambda: lm.score(["a b", "c"], ["a c", "c d"], "wer,chrf"),
    "PairPruning": lambda: lm.mbr(LIST, "bleu", pruning_confidence=0.9).pruning,
    "Expected": lambda: lm.expected(LATTICE, "a c", gradient=True),
    "K2Arrays": LATTICE.to_k2,
    "OracleAtK": lambda: oracle_at_k(HYPOTHESES, ["a b", "c"]),
    "Calibration": lambda: CALIBRATION,
    "CalibrationReport": lambda: CALIBRATION.held_out,
    "ScaleTrial": lambda: CALIBRATION.trials[0],
    "BestPath": lambda: lm.best(LATTICE),
    "Column": lambda: lm.Column(np.array([1.0, np.nan]), np.array([0.0])),
    "Combination": lambda: lm.combine(["a b", "a c"]),
    "CombinedSystems": lambda: lm.combine_systems([DATA / f"coast.{name}.ctm" for name in ("north", "south")]),
    "Vote": lambda: lm.combine(["a b", "a c"]).best,
    "Consensus": lambda: lm.consensus(LATTICE),
    "CompoundOracle": compound_oracle,
    "CompoundPath": lambda: compound_oracle().one_best,
    "CorpusPath": lambda: next(iter(lm.Corpus(GRAPHS, REFERENCES).oracle("bleu"))).value,
    "Derivation": lambda: next(iter(FOREST.derivations())),
    "DerivationTree": lambda: FOREST.tree(next(iter(FOREST.derivations())).edges),
    "Drawing": lambda: lm.draw(LATTICE),
    "ByExactErrors": lambda: lm.ByExactErrors(candidates=3),
    "ByMetric": lambda: lm.ByMetric(metric="chrf", samples=5),
    "ByNgrams": lambda: lm.ByNgrams(p=0.7),
    "ByAutomaton": lambda: lm.ByAutomaton(automaton=lm.WRR().compile("a c", LATTICE.vocabulary)),
    "ByCompounds": lm.ByCompounds,
    "ByCorpusBLEU": lambda: lm.ByCorpusBLEU(metric="bleu"),
    "ByRate": lambda: lm.ByRate(metric="wer", hope=(1.0, 2.0)),
    "RunSettings": lambda: lm.RunSettings(workers=2, timeout=1.5),
    "ByUtility": lambda: lm.ByUtility(utility=[[1.0, 0.5], [0.5, 1.0]]),
    "ByWordErrors": lambda: lm.ByWordErrors(beam=2),
    "FeatureWeights": lambda: lm.FeatureWeights({"lm": 0.5}),
    "Fear": lambda: lm.fear(LATTICE, "a c"),
    "Forest": lambda: FOREST,
    "ForestPosteriors": lambda: lm.posteriors(FOREST),
    "NodeLabels": lambda: FOREST.node_labels["symbol"],
    "Ragged": lambda: FOREST.tails,
    "FormatError": lambda: lm.FormatError("odd", where="x:1", advice="mend it"),
    "Hope": lambda: lm.hope(LATTICE, "a c"),
    "InputError": lambda: lm.InputError("odd", where="x:1", advice="mend it"),
    "Installation": lm.diagnose_installation,
    "Judgments": lambda: JUDGMENTS,
    "Labels": lambda: LATTICE.labels["side"],
    "Lattice": lambda: LATTICE,
    "LatticeMetricError": lambda: lm.LatticeMetricError("odd"),
    "MissingDependencyError": lambda: lm.MissingDependencyError("odd"),
    "MBR": lambda: lm.mbr(LATTICE),
    "MBRTrial": lambda: lm.Corpus(GRAPHS, REFERENCES).tune("wer", decoder="mbr", resamples=0).best,
    "ExpectedWeights": lambda: lm.Corpus(GRAPHS, REFERENCES).tune(decoder="expected", vary={"words": (0, 1)}),
    "ExpectedTrial": lambda: lm.Corpus(GRAPHS, REFERENCES).tune(decoder="expected", vary={"words": (0, 1)}).best,
    "TunedMBR": lambda: lm.Corpus(GRAPHS, REFERENCES).tune("wer", decoder="mbr", resamples=5),
    "TunedWeights": lambda: TUNED,
    "WeightTrial": lambda: TUNED.best,
    "MetricMBR": lambda: lm.mbr(LIST, lm.WER()),
    "NBest": lambda: LIST,
    "NgramPosteriors": lambda: lm.posteriors(LATTICE).ngrams(2),
    "Oracle": lambda: lm.oracle(LATTICE, "a c"),
    "Posteriors": lambda: lm.posteriors(LATTICE),
    "RiskMBR": lambda: lm.mbr(LIST, "wer", risk="exact"),
    "RiskOfString": lambda: lm.mbr(LIST, "wer", risk="exact").one_best,
    "RankedString": lambda: lm.mbr(LIST, "bleu").ranked[0],
    "ScoredPath": lambda: lm.oracle(LATTICE, "a c").one_best,
    "UsageError": lambda: lm.UsageError("odd"),
    "Vocabulary": lambda: lm.Vocabulary({2: "a", 5: "b"}),
    "Worst": lambda: lm.worst(LATTICE, "a c"),
    "ErrorCalibration": lambda: CALIBRATION.held_out.errors,
    "EventCalibration": lambda: CALIBRATION.held_out.words,
    "ReliabilityBin": lambda: CALIBRATION.held_out.words.bins[-1],
    "Agreement": lambda: evaluation.correlate(TABLES, SEGMENTS, resamples=5),
    "Grouping": lambda: evaluation.group_segments(TABLES, SEGMENTS, SEGMENTS, width=1.0, resamples=5),
    "HumanScores": lambda: evaluation.human_scores(JUDGMENTS),
    "MetricTask": lambda: TASK,
    "MetricTest": lambda: evaluation.permutation_test("pearson", SEGMENTS, SEGMENTS, SEGMENTS, trials=5),
    "RankTable": lambda: evaluation.rank_metrics([TASK], trials=5),
    "SystemTables": lambda: TABLES["wer"],
    "TagEvaluation": lambda: evaluation.TagEvaluation.of(GOLD, {"one": GOLD}),
    "WordTags": lambda: GOLD,
}
METRICS = [
    *("WER", "WRR", "GRR", "BLEU", "BLEUSBP", "NIST", "METEOR", "Sclite", "Unigram"),
    *("CER", "GCR", "MER", "WIL", "WIP", "MixedErrorRate", "CompoundWER", "CHRF", "TER"),
]
ORDERED = {"GRR": lambda: lm.GRR(3, alpha="0.5", ignore=["uh"]), "METEOR": lambda: lm.METEOR(stages=["exact"])}
MORE = {
    "numeric vocabulary": lm.Vocabulary.numeric,
    "corpus score": lambda: lm.BLEU().corpus(["a b"], ["a c"]),
    "statistics": lambda: lm.WER().statistics("a b", "a c"),
    "tally": lambda: lm.BLEU().statistics("a b", "a c"),
    "forest oracle": lambda: lm.oracle(FOREST, "a c"),
    "hope of a forest": lambda: lm.hope(FOREST, "a c"),
    "network": lambda: lm.consensus(LATTICE).to_lattice(),
}


def all_examples():
    metrics = {name: ORDERED.get(name, getattr(lm, name)) for name in METRICS}
    return [pytest.param(cache(make), id=name) for name, make in {**EXAMPLES, **metrics, **MORE}.items()]


def test_every_public_class_is_here():
    public = {
        name
        for module, names in ((lm, lm._HOME), (evaluation, evaluation._HOME))
        for name in names
        if inspect.isclass(getattr(module, name))
    }
    # A corpus, its answers and merged shards stand for files that are read, and are no values.
    assert public == set(EXAMPLES) | set(METRICS) | {"Answers", "Corpus", "MergedShards"}


def mappings_in(thing):
    """The dictionaries in the public fields of a dataclass, and in the dataclasses of its fields."""
    for field in dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ():
        value = None if field.name.startswith("_") else getattr(thing, field.name)
        if isinstance(value, dict):
            yield value
        yield from mappings_in(value)


def arrays_in(thing, seen=None):
    """All arrays that can be reached from something of ours."""
    seen = set() if seen is None else seen
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, Mapping):
        parts = [*thing.values(), *vars(thing).values()] if hasattr(thing, "__dict__") else thing.values()
        for part in parts:
            yield from arrays_in(part, seen)
    elif isinstance(thing, list | tuple):
        for part in thing:
            yield from arrays_in(part, seen)
    elif type(thing).__module__.startswith("latticemetric") and hasattr(thing, "__dict__"):
        for part in vars(thing).values():
            yield from arrays_in(part, seen)


COPIES = {
    "itself": lambda thing: thing,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {p}": lambda thing, p=p: pickle.loads(pickle.dumps(thing, p)) for p in range(6)},
}


@pytest.mark.parametrize("make", all_examples())
@pytest.mark.parametrize("how", COPIES.values(), ids=COPIES)
def test_copies_are_equal_and_read_only(make, how):
    thing = make()
    twin = how(thing)
    assert type(twin) is type(thing)
    assert twin == thing
    assert (twin != thing) is False
    for array in arrays_in(twin):
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    for mapping in mappings_in(twin):
        with pytest.raises(TypeError, match="read-only"):
            mapping["new"] = 0
    if dataclasses.is_dataclass(thing) and dataclasses.fields(thing):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(twin, dataclasses.fields(thing)[0].name, None)


@pytest.mark.parametrize("make", all_examples())
def test_equal_things_have_equal_hashes_where_they_have_any(make):
    thing = make()
    try:
        number = hash(thing)
    except TypeError:
        return
    assert hash(pickle.loads(pickle.dumps(thing))) == number


@pytest.mark.parametrize(
    "changed",
    [
        lambda: dataclasses.replace(LATTICE, word=np.array([2, 1, 3, 0], np.int32)),
        lambda: dataclasses.replace(LATTICE, times=None),
        lambda: dataclasses.replace(LATTICE, scores={}),
        lambda: dataclasses.replace(LATTICE, vocabulary=lm.Vocabulary.from_words("a b d")),
        lambda: LATTICE.pruned(0.1),
        lambda: FOREST,
    ],
)
def test_what_differs_is_not_equal(changed):
    assert changed() != LATTICE


def test_a_columns_array_stays_the_owners():
    mine = np.array([1.0, 2.0])
    column = lm.Column(mine, np.array([0.0]))
    mine[0] = 3.0
    assert mine.flags.writeable
    assert not column.arc.flags.writeable
    assert column.arc.tolist() == [1.0, 2.0]


CHANGES = {
    "item": lambda mapping: mapping.__setitem__("lm", 0.0),
    "deletion": lambda mapping: mapping.__delitem__("lm"),
    "union": lambda mapping: mapping.__ior__({"lm": 0.0}),
    "clear": lambda mapping: mapping.clear(),
    "pop": lambda mapping: mapping.pop("lm"),
    "popitem": lambda mapping: mapping.popitem(),
    "setdefault": lambda mapping: mapping.setdefault("am", 0.0),
    "update": lambda mapping: mapping.update(lm=0.0),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_named_scores_cannot_be_exchanged(change):
    oracle = lm.oracle(LIST, "a c")
    for scores in (
        *(LATTICE.scores, copy.deepcopy(LATTICE).scores, pickle.loads(pickle.dumps(FOREST)).scores),
        *(oracle.scores, LIST.weights, LIST.hypotheses[0].scores, copy.deepcopy(LIST).weights),
        *(lm.best(LATTICE).scores, dataclasses.replace(LATTICE, scores=dict(LATTICE.scores)).scores),
    ):
        before = dict(scores)
        with pytest.raises(TypeError, match="read-only"):
            change(scores)
        assert scores == before


def test_read_only_scores_serve_as_dictionaries():
    for scores in (lm.oracle(LIST, "a c").scores, lm.best(LIST.to_lattice()).scores):
        assert scores == {"lm": 0.5}
        assert json.loads(json.dumps(scores)) == scores
        assert repr(scores) == "{'lm': 0.5}"
        changed = scores.copy()
        changed["lm"] = 1.0
        assert scores | {"am": 2.0} == {"lm": 0.5, "am": 2.0}
        assert scores["lm"] == 0.5


def test_the_owners_dictionary_is_copied():
    scores, weights = {"lm": 1.0}, {"lm": 2.0}
    nbest = lm.NBest((Hypothesis("a", scores),), weights)
    scores["lm"] = weights["lm"] = 3.0
    assert nbest.costs() == [2.0]


def test_lists_and_answers_are_keys():
    oracle = lm.oracle(LIST, "a c")
    assert {LIST: 1, oracle: 2, LIST.hypotheses[0]: 3}[pickle.loads(pickle.dumps(oracle))] == 2
    assert len({lm.NBest.from_strings(["a", "b"], costs=[1.0, 2.0]) for _ in range(2)}) == 1


@pytest.mark.parametrize("given", [None, [1.0], "lm", 0.5])
def test_scores_that_are_no_mapping_are_refused(given):
    with pytest.raises(lm.UsageError, match="scores is a"):
        Hypothesis("a b", given)
    with pytest.raises(lm.UsageError, match="weights is a"):
        lm.NBest(LIST.hypotheses, given)
