"""MBR by exact risk: against enumeration of paths and candidates, against the bound, and on real lattices."""

import itertools
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.brute_force import Rate, enumerate_paths, judge
from kit.decoding import MEETING, graphs, items, run
from kit.paths import DATA, EXAMPLES
from kit.strategies import lattices, scalings

import latticemetric as lm
from latticemetric.lattice.canonical_order import in_canonical_order
from latticemetric.mbr_decoding import risk as module
from latticemetric.mbr_decoding.word import word_mbr

scale_factors = st.sampled_from([0.0, 0.3, 1.0])
ERRORS = Rate(1, 1, 0, counts_errors=True)
MANY = 10_000  # more than any lattice here has strings


class Enumeration:
    """All paths of a lattice, each with its probability."""

    def __init__(self, lattice, posterior_scale, weights=None):
        factor = {name: column.weight for name, column in lattice.scores.items()} | dict(weights or {})
        paths = list(enumerate_paths(lattice))
        costs = [
            posterior_scale * math.fsum(factor[name] * total for name, total in path.sums.items()) for path in paths
        ]
        shares = [math.exp(min(costs) - cost) for cost in costs]
        self.strings = [path.words for path in paths]
        self.probabilities = [weight / math.fsum(shares) for weight in shares]

    def mean(self, value):
        return math.fsum(p * value(words) for words, p in zip(self.strings, self.probabilities, strict=True))

    def risk(self, words):
        """The expected edit distance, by its definition; a rate against no words would be undefined."""
        return self.mean(lambda path: float(judge(path, (words,), ERRORS).numerator) if words else len(path))


def strings_of_network(lattice, posterior_scale, weights):
    """All strings of the consensus network: one word, or none, of each bin."""
    bins = lm.consensus(lattice, posterior_scale=posterior_scale, weights=weights).bins
    alternatives = [[word for word, mass in words if mass > 0] for words in bins]
    return {tuple(word for word in words if word) for words in itertools.product(*alternatives)}


@given(lattice=lattices(), posterior_scale=scale_factors, data=st.data())
def test_the_answer_is_the_best_of_all_candidates(lattice, posterior_scale, data):
    weights = data.draw(scalings(lattice))
    paths = Enumeration(lattice, posterior_scale, weights)
    found = lm.mbr(lattice, "wer", posterior_scale=posterior_scale, weights=weights, risk="exact", candidates=MANY)
    assert found.exact
    assert found.low == found.risk == found.high == pytest.approx(paths.risk(found.words), abs=1e-9)
    assert found.expected_words == pytest.approx(paths.mean(len), abs=1e-9)
    candidates = {*paths.strings, *strings_of_network(lattice, posterior_scale, weights), found.word_mbr.words}
    assert found.candidates == len(candidates)
    risks = {words: paths.risk(words) for words in candidates}
    assert found.risk == pytest.approx(min(risks.values()), abs=2e-9)
    for one in found.ranked:
        assert (one.exact, one.risk) == (True, pytest.approx(risks[one.words], abs=1e-9))
    assert [one.risk for one in found.ranked[1:]] == sorted(one.risk for one in found.ranked[1:])
    # Only what cannot be better is left out.
    computed = {one.words for one in found.ranked}
    assert all(risk >= found.risk - 1e-9 for words, risk in risks.items() if words not in computed)


@given(lattice=lattices(), posterior_scale=st.sampled_from([0.0, 5e-324, 0.1, 1.0]), data=st.data())
def test_the_1_best_does_not_depend_on_the_scale_of_posteriors(lattice, posterior_scale, data):
    weights = data.draw(scalings(lattice))
    ordered = in_canonical_order(lattice)  # of several best paths, the first in this order
    words = ordered.words(ordered.best_path(weights))
    assert lm.mbr(lattice, "wer", posterior_scale=posterior_scale, weights=weights).one_best == words
    assert (
        lm.mbr(lattice, "wer", posterior_scale=posterior_scale, weights=weights, risk="exact").one_best.words == words
    )


@given(lattice=lattices(), posterior_scale=scale_factors, few=st.integers(1, 3))
def test_it_is_never_worse_than_the_local_search(lattice, posterior_scale, few):
    paths, local = Enumeration(lattice, posterior_scale), word_mbr(lattice, posterior_scale=posterior_scale)
    found = lm.mbr(lattice, "wer", posterior_scale=posterior_scale, risk="exact", candidates=few)
    assert (found.word_mbr.words, found.bound) == (local.words, local.risk)
    assert found.one_best.words == local.one_best
    assert found.word_mbr.risk == pytest.approx(paths.risk(local.words), abs=1e-9)
    assert found.one_best.risk == pytest.approx(paths.risk(local.one_best), abs=1e-9)
    assert found.word_mbr.risk <= found.bound + 1e-9
    assert found.improvement == found.word_mbr.risk - found.risk >= 0
    assert found.words == found.word_mbr.words or found.improvement > module.TIE
    best = lattice.n_best(few, {name: posterior_scale * column.weight for name, column in lattice.scores.items()})
    assert all(found.risk <= paths.risk(lattice.words(path)) + 2e-9 for path in best)
    if found.words == local.words:
        assert found.confidences == local.confidences


@given(lattice=lattices(), posterior_scale=st.sampled_from([0.3, 1.0]), most=st.integers(1, 10))
def test_bounded_risks_say_so_and_keep_the_order(lattice, posterior_scale, most):
    paths = Enumeration(lattice, posterior_scale)
    found = lm.mbr(lattice, "wer", posterior_scale=posterior_scale, risk="exact", candidates=3, most_states=most)
    assert found.exact == all(one.exact for one in found.ranked)
    for one in (found.one_best, found.word_mbr, *found.ranked):
        assert one.low - 1e-9 <= paths.risk(one.words) <= one.high + 1e-9
        assert not one.exact or one.low == one.risk == one.high
    assert paths.risk(found.words) <= paths.risk(found.word_mbr.words) + 1e-9
    assert found.improvement >= 0


@given(lattice=lattices())
def test_bounds_by_distances_hold(lattice):
    """A candidate is left out by the distribution of errors of another."""
    paths = Enumeration(lattice, 1.0)
    one, *others = dict.fromkeys(paths.strings)
    risk = paths.risk(one)
    known = module.RiskOfString(one, risk, risk, risk, exact=True)
    by_distribution = lm.expected(lattice, [one]) if one else None
    for words in others:
        distance = len(words) if not one else int(judge(words, (one,), ERRORS).numerator)
        bounds = [module._least_risk(distance, known, found) for found in (None, by_distribution)]
        assert bounds[0] - 1e-9 <= bounds[1] <= paths.risk(words) + 1e-9


def test_ties_keep_the_words_of_the_local_search():
    lattice = lm.Lattice.from_strings(["b", "a"], costs=[0.0, 0.0])
    found = lm.mbr(lattice, "wer", risk="exact")
    assert (found.words, found.risk, found.improvement) == (("a",), 0.5, 0.0)


def test_strings_without_words_are_candidates():
    lattice = lm.Lattice.from_strings(["", "a b", "c d"], costs=[0.0, 0.1, 0.2])
    found = lm.mbr(lattice, "wer", risk="exact")
    shares = [math.exp(-cost) for cost in (0.0, 0.1, 0.2)]
    assert () in {one.words for one in found.ranked}
    by_words = {one.words: one.risk for one in found.ranked}
    assert by_words[()] == pytest.approx(2 * (1 - shares[0] / sum(shares)))
    silent = lm.mbr(lm.Lattice.from_strings([""]), "wer", risk="exact")
    assert (silent.words, silent.risk, silent.expected_wer) == ((), 0.0, None)


def test_pruning_comes_first():
    lattice = dict(lm.read(MEETING))["meeting-001"]
    found = lm.mbr(lattice, "wer", risk="exact", beam=3.0)
    assert found == lm.mbr(lattice.pruned(3.0), "wer", risk="exact")
    assert found.risk < lm.mbr(lattice, "wer", risk="exact").risk


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"risk": "true"}, "the risk is 'true'; choose 'bound' or 'exact'"),
        ({"risk": "exact", "candidates": 0}, "the number of candidates is 0"),
        ({"risk": "exact", "candidates": True}, "the number of candidates is True"),
        ({"risk": "exact", "most_states": 0}, "limited to 0 states"),
        ({"risk": "exact", "posterior_scale": math.nan}, "the posterior scale is nan"),
        ({"risk": "exact", "by": "bleu"}, "MBR by bleu has no setting 'risk'"),
        ({"candidates": 5}, "MBR by wer has no setting 'candidates'"),
        ({"risk": "exact", "weights": {"no": 1.0}}, "no score column 'no'"),
    ],
)
def test_hostile_arguments_are_refused(options, problem):
    lattice = lm.Lattice.from_strings(["a b c", "c"], costs=[0.0, 1.0])
    with pytest.raises(lm.LatticeMetricError, match=problem):
        lm.mbr(lattice, **{"by": "wer", **options})


def test_forests_that_are_no_lattices_are_refused():
    with pytest.raises(lm.LatticeMetricError, match="MBR by n-grams or by a metric takes any forest"):
        lm.mbr(lm.read_one(EXAMPLES / "lantern.target_graph"), "wer", risk="exact")


# --- On the command line


EXACT = ("mbr", MEETING, "--by", "wer", "--risk", "exact", "--posterior-scale", "0.1")


def test_items_are_what_python_answers():
    expected = [
        {"id": name, **lm.mbr(graph, "wer", posterior_scale=0.1, risk="exact", candidates=5, most_states=1000).asdict()}
        for name, graph in graphs(MEETING).items()
    ]
    found = items(*EXACT, "--candidates", "5", "--most-states", "1000")
    assert found == json.loads(json.dumps(expected))
    assert json.loads(run(*EXACT, "--candidates", "5", "--format", "json").stdout)["lattices"] == found


def test_text_and_tables_say_how_much_better_the_answers_are():
    done, found = run(*EXACT), items(*EXACT)
    assert done.stdout.splitlines() == [f"{one['id']} {one['hypothesis']}" for one in found]
    lines = [line.split() for line in done.stderr.splitlines()]
    least, local, best = (math.fsum(one[name] for one in found) for name in ("risk", "word_mbr_risk", "one_best_risk"))
    assert lines[2][:4] == ["by", "exact", "risk", f"{least:.4f}"]
    assert (lines[3][3], lines[3][-1]) == (f"{local:.4f}", f"{local - least:.4f}")
    assert lines[4][1] == f"{best:.4f}"
    assert local > least
    assert "3 graphs, 1 better than by the upper bound" in done.stderr
    rows = [line.split("\t") for line in run(*EXACT, "--format", "tsv").stdout.splitlines()]
    table = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    assert [float(row["improvement"]) for row in table] == [one["improvement"] for one in found]


def test_bounded_risks_are_named():
    done = run(*EXACT, "--most-states", "1")
    assert "not exact: interval" in done.stderr
    assert not all(item["exact"] for item in items(*EXACT, "--most-states", "1"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--by", "wer", "--candidates", "3"), "--candidates has no effect without exact risks"),
        (("--by", "wer", "--most-states", "3"), "--most-states has no effect without exact risks"),
        (("--risk", "exact"), "--risk has no effect with --by ngram"),
        (("--by", "2-grr", "--risk", "exact"), "--risk has no effect with --by 2-grr"),
        (("--by", "wer", "--risk", "exact", "--candidates", "0"), "0 is not in the range"),
    ],
)
def test_options_without_effect_are_refused(options, says):
    assert says in run("mbr", MEETING, *options, status=2).stderr


# --- Real lattices


def real_lattices(name):
    folder = DATA / name.split("/")[0]
    if not folder.is_dir():
        pytest.skip(f"there are no lattices in {folder} (LATTICEMETRIC_DATA)")
    return lm.read(str(DATA / name))


@pytest.mark.parametrize(
    ("name", "number", "options"),
    [
        ("kaldi/ami3.lat.txt.gz", 3, {"weights": {"acoustic": 0.0833333}}),
        ("hifst/att/*", 4, {"posterior_scale": 0.4}),
        ("plf/fisher_dev.400.plf.gz", 30, {"posterior_scale": 0.5}),
    ],
)
def test_real_lattices_are_decoded_no_worse_than_by_the_local_search(name, number, options):
    for _, lattice in itertools.islice(real_lattices(name), number):
        found = lm.mbr(lattice, "wer", risk="exact", candidates=5, **options)
        assert found.exact
        assert found.risk <= found.word_mbr.risk <= found.bound + 1e-6
        # Sums over a lattice in another order are rounded in another way.
        risk = lm.expected(lattice, [found.words], "wer", **options).numerator
        assert found.risk == pytest.approx(risk, rel=1e-12)


def test_kaldi_s_bayes_risk_is_a_bound_of_the_exact_one():
    scale = 0.0833333
    lattices = dict(real_lattices("kaldi/ami3.lat.txt.gz"))

    def table(kind):
        rows = (DATA / "kaldi" / f"ami3.kaldi-mbr-{kind}.acscale-{scale}.txt").read_text().splitlines()
        return {row.split()[0]: row.split()[1:] for row in rows}

    for name, words in table("words").items():
        found = lm.mbr(lattices[name], "wer", risk="exact", weights={"acoustic": scale}, candidates=5)
        assert list(found.word_mbr.words) == words
        assert found.risk <= found.word_mbr.risk <= float(table("risk")[name][-1]) + 1e-4


def test_of_equal_risks_the_1_best_wins():
    def exact(words, risk):
        return lm.RiskOfString((words,), risk, risk, risk, exact=True)

    of_word_mbr, other = exact("a", 1.0), exact("b", 0.5)
    for rounding in (0.0, 1e-13, -1e-13):  # sums over paths are rounded
        one_best = exact("c", 0.5 + rounding)
        assert module.least_risk([of_word_mbr, other, one_best], one_best, of_word_mbr) is one_best
        one_best = exact("c", 1.0 + rounding)
        assert module.least_risk([of_word_mbr, one_best], one_best, of_word_mbr) is one_best
    assert module.least_risk([of_word_mbr, other, exact("d", 0.5)], exact("c", 0.6), of_word_mbr) is other
    # Of intervals that overlap, neither is known to be less.
    wide = lm.RiskOfString(("e",), 0.7, 0.4, 1.1, exact=False)
    assert module.least_risk([of_word_mbr, wide], exact("c", 2.0), of_word_mbr) is of_word_mbr
