"""METEOR against its definition: every alignment of a stage is tried, and the best is taken by the paper's words."""

import math
import os
import pickle
import random
import time
from collections import Counter
from functools import cache
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.paths import DATA

import latticemetric as lm
from latticemetric.metrics import meteor
from latticemetric.metrics.meteor import METEOR, MeteorPair
from latticemetric.metrics.preparation import porter_stem
from latticemetric.metrics.wordnet import WordNet, base_forms, synsets, wordnet

SAMPLE = DATA / "metrics" / "sample"


@cache
def there_is_wordnet() -> bool:
    try:
        wordnet()
    except lm.MissingDependencyError:
        return False
    return True


needs_wordnet = pytest.mark.skipif(not there_is_wordnet(), reason="there is no WordNet (apt install wordnet-base)")
real_data = [
    pytest.mark.real_data,
    pytest.mark.skipif(not SAMPLE.is_dir(), reason=f"there are no translations in {SAMPLE} (LATTICEMETRIC_DATA)"),
]


# --- The definition


def crossings(edges):
    return sum((i - k) * (j - m) < 0 for i, j, _ in edges for k, m, _ in edges) // 2


def chunks(edges):
    ordered = sorted(edges)
    return len(ordered) - sum((k, m) == (i + 1, j + 1) for (i, j, _), (k, m, _) in pairwise(ordered))


def one_to_one(hypotheses, references, may_map):
    """All one-to-one mappings between some places."""
    if not hypotheses:
        yield ()
        return
    first, *rest = hypotheses
    for tail in one_to_one(rest, references, may_map):
        yield tail
        taken = {j for _, j in tail}
        yield from (((first, j), *tail) for j in references if j not in taken and may_map(first, j))


def defined_alignment(hypothesis, reference, relations):
    """The edges of a METEOR alignment; a relation says which words a stage may map."""
    edges = []
    for stage, related in enumerate(relations):
        used_hypotheses, used_references = {i for i, _, _ in edges}, {j for _, j, _ in edges}
        open_hypotheses = [i for i in range(len(hypothesis)) if i not in used_hypotheses]
        open_references = [j for j in range(len(reference)) if j not in used_references]

        def may_map(i, j, related=related):
            return related(hypothesis[i], reference[j])

        def merit(mapping, edges=edges, stage=stage, open_hypotheses=open_hypotheses):
            together = [*edges, *((i, j, stage) for i, j in mapping)]
            to = dict(mapping)
            in_order = [to.get(i, math.inf) for i in open_hypotheses]
            return crossings(together), chunks(together), in_order

        mappings = list(one_to_one(open_hypotheses, open_references, may_map))
        largest = max(map(len, mappings))
        best = min((mapping for mapping in mappings if len(mapping) == largest), key=merit)
        edges = [*edges, *((i, j, stage) for i, j in best)]
    return sorted(edges)


class FakeWordNet:
    """Words that share a letter of the table share a synset, or a base form."""

    def __init__(self, senses, bases=None):
        self.senses, self.bases = senses, bases or {}

    def synsets(self, word):
        return frozenset(self.senses.get(word, ""))

    def base_forms(self, word):
        return frozenset(self.bases.get(word, ""))


def relations_of(names, source, stop_words=frozenset()):
    return [
        {
            "exact": lambda a, b: a == b and a not in stop_words,
            "porter": lambda a, b: porter_stem(a) == porter_stem(b),
            "wn-stem": lambda a, b: bool(base_forms(source, a) & base_forms(source, b)),
            "wn-synonymy": lambda a, b: bool(source.synsets(a) & source.synsets(b)),
        }[name]
        for name in names
    ]


def assert_as_defined(hypothesis, reference, names, source, stop_words=frozenset()):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meteor, "wordnet", lambda: source)
        ours = METEOR(names, stop_words=stop_words).align(hypothesis, reference)
    expected = defined_alignment(hypothesis, reference, relations_of(names, source, stop_words))
    assert ours.exact
    assert [(i, j, names.index(stage)) for i, j, stage in ours.pairs] == expected
    assert (ours.crossings, ours.chunks) == (crossings(expected), chunks(expected))


WORDS = ["a", "run", "runs", "running", "dog", "dogs"]
strings = st.lists(st.sampled_from(WORDS), max_size=7)
senses = st.dictionaries(st.sampled_from(WORDS), st.text("xyzw", max_size=3))
stage_lists = st.lists(st.sampled_from(meteor.STAGES), min_size=1, max_size=4, unique=True)


@given(strings, strings, stage_lists, senses, senses)
def test_alignments_are_as_defined(hypothesis, reference, names, first, second):
    assert_as_defined(hypothesis, reference, names, FakeWordNet(first, second))


@given(*[st.lists(st.sampled_from("aabbc"), max_size=8)] * 2)
def test_repeated_words_are_aligned_as_defined(hypothesis, reference):
    assert_as_defined(hypothesis, reference, ["exact"], FakeWordNet({}))


def test_a_reference_word_may_be_taken_from_a_word_that_nothing_else_maps():
    """Another word makes up for it, and nothing crosses."""
    assert_as_defined(list("aaba"), list("gaa"), ["wn-synonymy"], FakeWordNet({"a": "u", "g": "uv", "b": "v"}))


@given(
    st.lists(st.sampled_from("abcdefg"), max_size=6),
    st.lists(st.sampled_from("abcdefg"), max_size=6),
    st.dictionaries(st.sampled_from("abcdefg"), st.text("uvwxyz", min_size=1, max_size=3)),
)
def test_synonyms_that_are_no_classes_are_aligned_as_defined(hypothesis, reference, table):
    assert_as_defined(hypothesis, reference, ["wn-synonymy"], FakeWordNet(table))
    assert_as_defined(hypothesis, reference, ["exact", "wn-synonymy"], FakeWordNet(table))


@given(strings, strings, st.frozensets(st.sampled_from(WORDS)))
def test_stop_words_stay_unmapped_in_the_exact_stage_only(hypothesis, reference, stop_words):
    assert_as_defined(hypothesis, reference, ["exact"], FakeWordNet({}), stop_words)
    assert_as_defined(hypothesis, reference, ["exact", "porter"], FakeWordNet({}), stop_words)


def defined_score(m, ch, c, r):
    if m == 0:
        return 0.0
    precision, recall = m / c, m / r
    return 10 * precision * recall / (recall + 9 * precision) * (1 - 0.5 * (ch / m) ** 3)


@given(st.lists(st.tuples(strings, st.lists(strings, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_scores_and_corpora_are_as_defined(segments):
    metric = METEOR(["exact", "porter"])
    sums = Counter()
    for hypothesis, references in segments:
        rows = []
        for reference in references:
            edges = defined_alignment(hypothesis, reference, relations_of(["exact", "porter"], None))
            rows.append((len(edges), chunks(edges), len(hypothesis), len(reference)))
        best = max(rows, key=lambda row: round(defined_score(*row), 12))
        assert metric.statistics(hypothesis, references).sums[:4] == best
        assert metric.score(hypothesis, references) == pytest.approx(defined_score(*best), abs=1e-12)
        sums.update(dict(enumerate(best)))
    total = metric.corpus(*zip(*segments, strict=True))
    assert total.score == pytest.approx(defined_score(*(sums[k] for k in range(4))), abs=1e-12)
    assert total.statistics.asdict()["inexact"] == 0


# --- Known values and borders

PRESIDENT = ("the president spoke to the audience", "the president then spoke to the audience")


@pytest.mark.parametrize("names", [["exact"], ["exact", "porter"], ["porter"]])
def test_the_paper_s_example(names):
    metric = METEOR(names)
    alignment = metric.align(*PRESIDENT)
    assert (len(alignment.pairs), alignment.chunks, alignment.crossings) == (6, 2, 0)
    assert metric.score(*PRESIDENT) == pytest.approx(0.8534621578, abs=1e-10)
    assert metric.corpus([PRESIDENT[0]], [PRESIDENT[1]]).score == metric.score(*PRESIDENT)


def test_parameters():
    m, ch, c, r = 6, 2, 6, 7
    metric = METEOR(["exact"], weight=3, penalty=0.25, exponent=2)
    expected = 4 * m / (c + 3 * r) * (1 - 0.25 * (ch / m) ** 2)
    assert metric.score(*PRESIDENT) == pytest.approx(expected)
    assert METEOR(["exact"], penalty=0).score(*PRESIDENT) == pytest.approx(10 * m / (c + 9 * r))


@pytest.mark.parametrize("pair", [("", ""), ("a", ""), ("", "a"), ("a", "b")])
def test_nothing_matched_scores_nothing(pair):
    metric = METEOR(["exact", "porter"])
    assert metric.score(*pair) == 0
    assert metric.align(*pair).pairs == ()
    assert metric.corpus([], []).score == 0


def test_several_references():
    metric = METEOR(["exact"])
    assert metric.statistics("a b", ["a c d", "a b c", "c a b"]).sums == (2, 1, 2, 3, 0)
    # Equal scores, 10 · 2 / (9 + 9 · 2) and 10 · 4 / (9 + 9 · 5): the first is kept.
    hypothesis = "a b c d 1 2 3 4 5"
    pair = ["b a", "b a d c x"]
    assert metric.score(hypothesis, pair[0]) == pytest.approx(metric.score(hypothesis, pair[1]))
    for references in (pair, pair[::-1]):
        assert metric.statistics(hypothesis, references).sums[3] == len(references[0].split())
    with pytest.raises(lm.UsageError):
        metric.table(["a"], [])


def test_signature():
    default = f"meteor|stages:exact,porter,wn-synonymy|refs:1|case:mixed|tok:none|v:{lm.__version__}"
    assert str(METEOR().signature) == default
    parameters = {"weight": 3, "penalty": 0.25, "exponent": 2, "stop_words": ["the", "a"], "cap": 9}
    metric = lm.make_metric("meteor", stages="exact", **parameters)
    fields = "weight:3|penalty:0.25|exponent:2|cap:9|refs:4|case:mixed|tok:none|stop:a,the"
    assert str(metric.signature_for(4)) == f"meteor|stages:exact|{fields}|v:{lm.__version__}"
    assert "meteor" in lm.metrics.registry.metric_names()


@pytest.mark.parametrize(
    "parameters",
    [
        {"stages": []},
        {"stages": ["exact", "exact"]},
        {"stages": ["soundex"]},
        {"weight": -1},
        {"weight": math.inf},
        {"penalty": 1.5},
        {"exponent": "3"},
        {"cap": 0},
        {"stop_words": 3},
        {"beam": 40},
    ],
)
def test_parameters_that_make_no_sense(parameters):
    with pytest.raises(lm.UsageError):
        lm.make_metric("meteor", **parameters)


def test_pickled_and_compared():
    metric = METEOR("exact,porter", weight=3, stop_words=["the"])
    again = pickle.loads(pickle.dumps(metric))
    assert again == metric
    assert hash(again) == hash(metric)
    assert again.score(*PRESIDENT) == metric.score(*PRESIDENT)


def test_an_alignment_on_a_terminal():
    alignment = METEOR(["exact", "porter"]).align("the cats sat there", "there the cat has sat")
    assert str(alignment).splitlines() == [
        "chunk  hypothesis  reference  stage",
        "1      the         the        exact",
        "1      cats        cat        porter",
        "-                  has",
        "2      sat         sat        exact",
        "3      there       there      exact",
        "4 matches, 3 chunks, 3 crossings",
    ]
    assert alignment.asdict()["pairs"][1] == {"hypothesis": 1, "reference": 2, "stage": "porter"}
    assert alignment.pairs[1] == MeteorPair(1, 2, "porter")


def test_values_take_any_sums():
    metric = METEOR(["exact"])
    sums = np.array([[[6, 2, 6, 7, 0], [0, 0, 0, 0, 0]]], dtype=float)
    assert metric.values(sums).shape == (1, 2)
    assert metric.values(sums)[0].tolist() == pytest.approx([0.8534621578, 0])


# --- Hard pairs


@pytest.mark.parametrize(("words", "reference_words"), [(60, 60), (60, 30), (30, 60), (59, 60), (300, 200)])
def test_one_word_over_and_over(words, reference_words):
    alignment = METEOR(["exact"]).align(["a"] * words, ["a"] * reference_words)
    size = min(words, reference_words)
    assert alignment.exact
    assert alignment.pairs == tuple(MeteorPair(k, k, "exact") for k in range(size))
    assert (alignment.chunks, alignment.crossings) == (1, 0)


def adversary(size):
    """Five words, in other numbers and another order on either side."""
    chance = random.Random(1)
    return [[chance.choice("abcde") for _ in range(size)] for _ in range(2)]


def test_a_cap_is_told():
    hypothesis, reference = adversary(60)
    begin = time.process_time()
    metric = METEOR(["exact"], cap=1000)
    alignment = metric.align(hypothesis, reference)
    assert time.process_time() - begin < 5
    assert not alignment.exact
    assert "not exact" in str(alignment)
    expected = sum((Counter(hypothesis) & Counter(reference)).values())
    assert len(alignment.pairs) == expected
    assert metric.corpus([hypothesis, "a"], [[reference], "a"]).statistics.asdict()["inexact"] == 1


@given(*[st.lists(st.sampled_from("aabbc"), max_size=8)] * 2)
def test_an_alignment_without_search_is_bounded(hypothesis, reference):
    alignment = METEOR(["exact"], cap=1).align(hypothesis, reference)
    best = defined_alignment(hypothesis, reference, relations_of(["exact"], FakeWordNet({})))
    assert len(alignment.pairs) == len(best)
    assert alignment.least_crossings <= crossings(best) <= alignment.crossings
    if alignment.exact:
        assert alignment.least_crossings == alignment.crossings
        assert list(alignment.pairs) == [MeteorPair(i, j, "exact") for i, j, _ in best]


def repeated(words, most):
    return st.lists(st.sampled_from(words), min_size=4, max_size=most)


@given(repeated("abcde", 14), repeated("abcde", 14))
def test_no_word_alone_can_be_mapped_better(hypothesis, reference):
    """An alignment without search is the best one, as far as one word is concerned and all others stay."""
    alignment = METEOR(["exact"], cap=1).align(hypothesis, reference)
    edges = [(pair.hypothesis, pair.reference, 0) for pair in alignment.pairs]
    for word in set(hypothesis) & set(reference):
        others = [edge for edge in edges if hypothesis[edge[0]] != word]
        places = [[k for k, other in enumerate(side) if other == word] for side in (hypothesis, reference)]
        size = min(map(len, places))
        for mine in combinations(places[0], size):
            for theirs in combinations(places[1], size):
                together = others + [(i, j, 0) for i, j in zip(mine, theirs, strict=True)]
                assert (crossings(together), chunks(together)) >= (alignment.crossings, alignment.chunks)


@pytest.mark.parametrize(("size", "found", "least"), [(300, 1930, 1600), (1000, 10500, 7500)])
def test_long_texts_are_aligned_closely(size, found, least):
    """Beams, which see only what comes before a word, left 18,309 crossings among a thousand words."""
    hypothesis, reference = adversary(size)
    alignment = METEOR(["exact"]).align(hypothesis, reference)
    assert not alignment.exact
    assert least < alignment.least_crossings <= alignment.crossings < found
    assert f"at least {alignment.least_crossings} crossings" in str(alignment)


def test_nothing_takes_forever():
    begin = time.process_time()
    METEOR(["exact"]).align(*adversary(200))
    METEOR(["exact"]).align(*adversary(2000))
    letters = "abcdefghij"
    table = {"".join(p): "".join(p) for p in permutations(letters, 2)}
    chance = random.Random(2)
    sides = [[chance.choice(list(table)) for _ in range(60)] for _ in range(2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meteor, "wordnet", lambda: FakeWordNet(table))
        METEOR(["wn-synonymy"]).align(*sides)
    assert time.process_time() - begin < 30


# --- WordNet


def write_wordnet(folder):
    folder.mkdir(parents=True)
    texts = {
        "noun": "  1 licence\ncar n 2 1 @ 2 1 00000010 00000020  \n"
        "auto n 1 1 @ 1 0 00000010  \ngoose n 1 0 1 0 00000030\n",
        "verb": "drive v 1 0 1 0 00000010\n",
        "adj": "",
        "adv": "",
    }
    for part, text in texts.items():
        (folder / f"index.{part}").write_text(text)
        (folder / f"{part}.exc").write_text({"noun": "geese goose\n", "verb": "drove drive\n"}.get(part, ""))
    return folder


def test_wordnet_is_read(tmp_path):
    source = WordNet(write_wordnet(tmp_path / "dict"))
    assert source.base_forms("Cars") == {"car"}
    assert source.synsets("cars") == {("noun", 10), ("noun", 20)}
    assert source.synsets("autos") == {("noun", 10)}
    assert source.base_forms("geese") == {"goose"}
    assert source.synsets("drove") == {("verb", 10)}
    assert source.synsets("unheard-of") == frozenset()
    assert base_forms(source, "Unheard-of") == {"Unheard-of"}
    assert synsets(source, "driving") == {("verb", 10)}


def without_wordnet(monkeypatch, tmp_path):
    for name in ("NLTK_DATA", "WNSEARCHDIR", "WNHOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NLTK_DATA", str(tmp_path / "no"))


@pytest.mark.parametrize("variable", ["NLTK_DATA", "WNSEARCHDIR", "WNHOME"])
def test_wordnet_is_where_variables_say(variable, monkeypatch, tmp_path):
    without_wordnet(monkeypatch, tmp_path)
    place = {"NLTK_DATA": "corpora/wordnet", "WNSEARCHDIR": "", "WNHOME": "dict"}[variable]
    write_wordnet(tmp_path / "root" / place)
    monkeypatch.setenv(variable, str(tmp_path / "root"))
    assert METEOR().score("two cars", "two autos") == METEOR(["exact"]).score("a b", "a b")


def test_wordnet_may_be_packed_as_nltk_leaves_it(monkeypatch, tmp_path):
    import shutil

    write_wordnet(tmp_path / "packed" / "wordnet")
    (tmp_path / "data" / "corpora").mkdir(parents=True)
    shutil.make_archive(str(tmp_path / "data" / "corpora" / "wordnet"), "zip", tmp_path / "packed")
    without_wordnet(monkeypatch, tmp_path)
    monkeypatch.setenv("NLTK_DATA", f"{tmp_path / 'no'}{os.pathsep}{tmp_path / 'data'}")
    assert wordnet().base_forms("cars") == {"car"}


def test_no_wordnet_is_an_error_of_its_stages_only(monkeypatch, tmp_path):
    monkeypatch.setattr("latticemetric.metrics.wordnet._folders", lambda *_: iter([tmp_path]))
    without_wordnet(monkeypatch, tmp_path / "never")
    with pytest.raises(lm.MissingDependencyError, match="wordnet-base"):
        METEOR().score("a", "a")
    assert METEOR(["exact", "porter"]).score("a", "a") == 0.5
    assert METEOR().signature


def test_a_damaged_wordnet_is_named(tmp_path):
    folder = write_wordnet(tmp_path / "dict")
    (folder / "index.adv").write_text("well r\n")
    with pytest.raises(lm.InputError, match=r"index\.adv"):
        WordNet(folder).synsets("well")
    (folder / "index.verb").unlink()
    with pytest.raises(lm.InputError, match=r"index\.verb is missing"):
        WordNet(folder)


@needs_wordnet
def test_synonyms_of_the_real_wordnet():
    alignment = METEOR().align("he bought a big car", "he purchased a large automobile")
    assert [pair.stage for pair in alignment.pairs] == ["exact", "wn-synonymy", "exact", "wn-synonymy", "wn-synonymy"]
    assert [p.stage for p in METEOR(["exact", "wn-stem"]).align("the geese", "the goose").pairs] == ["exact", "wn-stem"]


# --- Real translations

CONFIGURATIONS = [
    pytest.param(["exact", "porter"], id="porter"),
    pytest.param(["exact", "porter", "wn-synonymy"], id="synonymy", marks=needs_wordnet),
    pytest.param(["exact", "wn-stem", "wn-synonymy"], id="wn-stem", marks=needs_wordnet),
]


def sample():
    return [(SAMPLE / name).read_text(encoding="utf-8").splitlines() for name in ("hyp.tok", "ref.tok")]


class TestRealTranslations:
    pytestmark = real_data

    @pytest.mark.parametrize("names", CONFIGURATIONS)
    def test_every_pair_is_exact(self, names):
        hypotheses, references = sample()
        table = METEOR(names).table(hypotheses, references)
        assert table.shape == (200, 5)
        assert table[:, 4].sum() == 0

    @pytest.mark.parametrize("names", CONFIGURATIONS)
    def test_three_sentences_in_a_row_are_exact(self, names):
        hypotheses, references = ([" ".join(side[k : k + 3]) for k in range(len(side) - 2)] for side in sample())
        assert METEOR(names).table(hypotheses, references)[:, 4].sum() == 0


def test_long_strings_of_few_words_take_seconds():
    began = time.process_time()
    found = METEOR(stages="exact").statistics("a b " * 400, "a " * 800)
    assert (found.asdict()["matches"], found.asdict()["inexact"]) == (400, 1)
    assert time.process_time() - began < 6
