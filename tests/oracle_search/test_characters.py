"""Oracles by characters: every path by its text; native search, OpenFst and the lattice of units; real lattices."""

import dataclasses
import math
import unicodedata
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.brute_force import enumerate_paths
from kit.paths import DATA
from kit.strategies import lattices, scalings

import latticemetric as lm
from latticemetric import _native
from latticemetric.engine import native

# What lattices say, four words each, and what references may say beside them. Letters are shared and repeat; some
# are written in two ways; a wide space is a word of its own, and no character if spaces are left out.
WORDS = [
    (["ab", "a", "ba", "abb"], ["b", "c"]),
    (["北京", "北", "京市", "市"], ["京", "東"]),
    (["é", "e\u0301e", "cafe\u0301", "e"], ["caf\u00e9", "\u0301"]),
    (["a\u3000", "\u3000", "b\u00a0a", "😀b"], ["a", "😀"]),
    (["我们use", "GPU", "运行GPU", "use"], ["我们", "行"]),
]


@dataclasses.dataclass(frozen=True)
class Definition:
    """A rate of characters, or of Han characters and words, by its definition: text, alignments, exact fractions."""

    metric: lm.GRR
    spaces: bool = True
    form: str = "none"
    mixed: bool = False

    def units(self, words):
        counted = [word for word in words if word not in self.metric.ignore | self.metric.wildcard]
        if self.mixed:
            cut = ["".join(f" {c} " if "\u4e00" <= c <= "\u9fff" else c for c in word) for word in counted]
            return tuple(token for token in " ".join(cut).replace("\u3000", " ").split(" ") if token)
        text = " ".join(counted) if self.spaces else "".join("".join(counted).split())
        return tuple(text if self.form == "none" else unicodedata.normalize(self.form.upper(), text))

    def gain(self, words, reference):
        said, meant = self.units(words), self.units(reference)
        alpha, beta = Fraction(self.metric.alpha), Fraction(self.metric.beta)

        @cache
        def best(i, j, run):
            """The most that the rest gains, with `run` matches in a row before it."""
            if i == len(said) and j == len(meant):
                return Fraction(0)
            choices = []
            if i < len(said):
                choices.append(best(i + 1, j, 0) - alpha)
            if j < len(meant):
                choices.append(best(i, j + 1, 0) - beta)
            if i < len(said) and j < len(meant):
                choices.append(best(i + 1, j + 1, 0))
                if said[i] == meant[j]:
                    longer = min(run + 1, self.metric.order)
                    choices.append(longer + best(i + 1, j + 1, longer))
            return max(choices)

        return best(0, 0, 0)

    def size(self, reference):
        return sum(max(0, len(self.units(reference)) - k) for k in range(self.metric.order))

    def merit(self, words, references):
        """The best rate; a reference without characters counts only if all are."""
        sizes = [self.size(reference) for reference in references]
        return max((size > 0, self.gain(words, r) / (size or 1)) for r, size in zip(references, sizes, strict=True))

    def score(self, words, references):
        defined, rate = self.merit(words, references)
        return None if not defined else float(1 - rate) if not self.metric.higher_is_better else float(rate)


@st.composite
def definitions(draw, said, *, orders=True):
    dropped = st.frozensets(st.sampled_from(said), max_size=1)
    words = {"ignore": draw(dropped), "wildcard": draw(dropped)}
    kind = draw(st.sampled_from(["cer", "cer", "gcr", "mixed-er"] if orders else ["cer"]))
    if kind == "mixed-er":
        return Definition(lm.MixedErrorRate(**words), mixed=True)
    spaces = draw(st.booleans())
    # Without spaces, graphs refuse words that begin with a mark.
    form = draw(st.sampled_from(["none", "nfc", "nfkd"]))
    text = {"spaces": spaces, "unicode": form, **words}
    if kind == "cer":
        return Definition(lm.CER(**text), spaces, form)
    order, alpha, beta = (
        draw(st.integers(1, 4)),
        draw(st.sampled_from([1, 0, "0.5", -1])),
        draw(st.sampled_from([0, 1])),
    )
    return Definition(lm.GCR(order, alpha=alpha, beta=beta, **text), spaces, form)


@dataclasses.dataclass(frozen=True)
class Case:
    lattice: lm.Lattice
    definition: Definition
    references: list[list[str]]

    def cost(self, path, weights):
        chosen = {name: column.weight for name, column in self.lattice.scores.items()} | dict(weights or {})
        return sum((Fraction(chosen[name]) * total for name, total in path.sums.items()), Fraction(0))

    def reported(self, words):
        return tuple(word for word in words if word not in self.definition.metric.ignore)

    def paths(self, weights=None):
        """Every path, as a key that sorts by the tie rule, without the score; and its words."""
        for path in enumerate_paths(self.lattice):
            words = self.reported(path.words)
            yield (self.cost(path, weights), len(words), path.arcs), words

    def losses(self, words):
        defined, rate = self.definition.merit(words, self.references)
        return not defined, -rate


@st.composite
def cases(draw, *, most_references=2, orders=True):
    said, further = draw(st.sampled_from(WORDS))
    lattice = dataclasses.replace(draw(lattices()), vocabulary=lm.Vocabulary.from_words(said))
    words = st.sampled_from([*said, *further])
    references = draw(st.lists(st.lists(words, max_size=5), min_size=1, max_size=most_references))
    return Case(lattice, draw(definitions(said, orders=orders)), references)


any_case = st.shared(cases(), key="case")


@given(case=any_case, weights=any_case.flatmap(lambda case: scalings(case.lattice)))
@pytest.mark.parametrize("engine", ["native", "openfst"])
def test_the_oracle_is_the_best_of_all_paths(case, weights, engine):
    if engine == "openfst":
        pytest.importorskip("pynini")
    metric = case.definition.metric
    expected = min((*case.losses(words), *key, words) for key, words in case.paths(weights))
    found = lm.oracle(case.lattice, case.references, metric, weights=weights, engine=engine)
    assert (found.cost, found.arcs, found.words) == (float(expected[2]), expected[4], expected[5])
    score = case.definition.score(found.words, case.references)
    assert found.score == (score if score is None else pytest.approx(score, rel=1e-12))


@given(case=cases(), n=st.sampled_from([1, 3, 50]))
def test_the_best_strings_are_the_best_of_all_strings(case, n):
    strings = {}
    for key, words in sorted(case.paths()):
        strings.setdefault(words, (*case.losses(words), *key))
    expected = sorted((key, words) for words, key in strings.items())[:n]
    found = lm.oracles(case.lattice, case.references, case.definition.metric, n=n)
    assert [(one.words, one.arcs) for one in found] == [(words, key[-1]) for key, words in expected]


@given(case=cases(), weight=st.sampled_from([0.5, 3.0, 64.0]), n=st.sampled_from([1, 3]))
@pytest.mark.parametrize("kind", ["hope", "fear", "worst"])
def test_hope_fear_and_worst_are_the_best_of_all_strings(kind, case, weight, n):
    metric, definition = case.definition.metric, case.definition
    listed = [r for r in case.references if definition.size(r)] or case.references
    sign = {"hope": -1, "fear": 1, "worst": 1}[kind]
    strings = {}
    for key, words in sorted(case.paths()):
        value = sign * Fraction(weight) * definition.merit(words, listed)[1]
        loss = value if kind == "worst" else value + key[0]
        strings.setdefault(words, (loss, *key))
    expected = [(words, key[-1]) for words, key in sorted(strings.items(), key=lambda item: item[1])]
    if kind == "worst":
        found, expected = [lm.worst(case.lattice, case.references, metric)], expected[:1]
    else:
        search = {"hope": lm.hopes, "fear": lm.fears}[kind]
        found, expected = search(case.lattice, case.references, metric, n=n, weight=weight), expected[:n]
    assert [(one.words, one.arcs) for one in found] == expected
    assert all(one.exact for one in found)


@given(case=cases())
def test_the_lattice_of_best_paths_has_them_all(case):
    paths = [(case.losses(words), key[-1], words) for key, words in case.paths()]
    best = min(losses for losses, _, _ in paths)
    found = lm.oracle_lattice(case.lattice, case.references, case.definition.metric)
    expected = sorted(words for losses, _, words in paths if losses == best)
    assert sorted(map(case.reported, (path.words for path in found.paths()))) == expected


@given(case=cases(orders=False), posterior_scale=st.sampled_from([0.0, 0.5, 1.0]))
def test_expected_rates_are_sums_over_all_paths(case, posterior_scale):
    paths = list(case.paths())
    least = min(key[0] for key, _ in paths)
    weights = np.array([math.exp(-posterior_scale * min(float(key[0] - least), 600.0)) for key, _ in paths])
    scores = [case.definition.score(words, case.references) for _, words in paths]
    found = lm.expected(
        case.lattice, case.references, case.definition.metric, posterior_scale=posterior_scale, gradient=True
    )
    if scores[0] is None:
        assert found.value is None
        return
    share = weights / weights.sum()
    assert found.exact
    assert found.value == pytest.approx(float(share @ np.array(scores)), abs=1e-9)
    # The derivative by the cost of an arc: −scale · covariance of the score with the use of the arc.
    for arc in range(len(case.lattice.word)):
        uses = np.array([arc in key[-1] for key, _ in paths], dtype=float)
        slope = -posterior_scale * float(share @ (uses * (np.array(scores) - found.value)))
        assert found.gradient[arc] == pytest.approx(slope, abs=1e-7)


@given(case=cases(), other=lattices())
def test_references_may_be_lattices(case, other):
    said = list(case.lattice.vocabulary.decode(range(1, 5)))
    graph = dataclasses.replace(other, vocabulary=lm.Vocabulary.from_words(said))
    strings = sorted({path.words for path in enumerate_paths(graph)})
    definition = case.definition
    expected = min(
        (*(not defined, -rate), *key)
        for key, words in case.paths()
        for defined, rate in [definition.merit(words, strings)]
    )
    found = lm.oracle(case.lattice, graph, definition.metric)
    assert found.arcs == expected[-1]
    score = definition.score(found.words, strings)
    assert found.score == (score if score is None else pytest.approx(score, rel=1e-12))


# ---- Sizes, borders


def random_lattice(random, states, words):
    """A lattice of many long words, without costs: all that ties is decided by the number of words and by arcs."""
    source = np.repeat(np.arange(states - 1), 3)
    target = np.minimum(source + random.integers(1, 4, len(source)), states - 1)
    vocabulary = ["".join(random.choice(list("abcde"), random.integers(1, 9))) for _ in range(words)]
    vocabulary = lm.Vocabulary.from_words(vocabulary)
    word = random.integers(0, len(vocabulary) + 1, len(source))
    return lm.Lattice.from_arcs(source, target, word, final=[states - 1], vocabulary=vocabulary)


def in_units(monkeypatch, *arguments):
    """The oracle of the lattice of units."""
    with monkeypatch.context() as patch:
        patch.setattr(native, "_MOST_UNITS", -1)
        return lm.oracle(*arguments)


@pytest.mark.parametrize("characters", [0, 1, 63, 64, 65, 128, 129, 500, 1300])
@pytest.mark.parametrize("spaces", [True, False])
def test_references_of_all_lengths_are_searched_as_in_units(monkeypatch, characters, spaces):
    random = np.random.default_rng(characters)
    metric = lm.CER(spaces=spaces)
    for _ in range(3):
        lattice = random_lattice(random, max(2, characters // 4), 40)
        reference = "".join(random.choice(list("abcd "), characters)).strip()
        found, expected = lm.oracle(lattice, reference, metric), in_units(monkeypatch, lattice, reference, metric)
        assert (found.arcs, found.numerator) == (expected.arcs, expected.numerator)


def test_long_words_need_more_than_16_bits(monkeypatch):
    lattice = lm.Lattice.from_strings(["a" * 9000 + " b", "c" * 4000, "d " * 2000])
    found, expected = lm.oracle(lattice, "a" * 300, "cer"), in_units(monkeypatch, lattice, "a" * 300, "cer")
    assert found.numerator == expected.numerator == 3999


def test_if_all_paths_tie_the_oracle_is_the_best_path_of_the_model():
    lattice = random_lattice(np.random.default_rng(1), 60, 30)
    found = lm.oracle(lattice, "x" * 500, lm.CER(spaces=False))
    assert found.numerator == found.denominator == 500
    assert found.arcs == tuple(lattice.best_path().tolist())


def test_marks_that_join_the_word_before_are_refused():
    lattice = lm.Lattice.from_strings(["e \u0301"])
    assert lm.oracle(lattice, "é", lm.CER(unicode="nfc")).numerator == 3
    assert lm.oracle(lattice, "é", lm.CER(spaces=False)).numerator == 2
    with pytest.raises(
        lm.InputError, match="begins with a character that NFC may join to the word before; count spaces"
    ):
        lm.oracle(lattice, "é", lm.CER(spaces=False, unicode="nfc"))


def test_forests_are_refused_unless_they_are_lattices():
    forest = lm.Forest.from_edges([0, 0, 1, 1], [[], [], [0], [0]], [[5], [6], [-1, 7], [7, -1]], goals=[1])
    with pytest.raises(lm.InputError, match=r"cer cannot search a forest; use .* as a list .*\(Forest.to_lattice\)"):
        lm.oracle(forest, "8 7", "cer")
    with pytest.raises(lm.InputError, match="the forest is not a lattice"):
        lm.fear(forest, "8 7", "cer")
    chain = lm.Forest.from_lattice(lm.Lattice.from_strings(["ab c", "d"]))
    assert lm.fear(chain, "ab", "cer").words == ("d",)
    assert lm.expected(chain, "ab", "cer").value == 1.0


def test_automata_read_characters():
    pytest.importorskip("pynini")
    assert lm.CER().compile("ab c").num_states() == 5
    with pytest.raises(lm.UsageError, match="cer can compile only references that are strings"):
        lm.CER().compile(lm.Lattice.from_strings(["a"]))
    assert len(lm.draw(lm.CER(), reference="ab c").diagram.vertices) == 5
    with pytest.raises(lm.UsageError, match="cer can be drawn only for a reference that is a string"):
        lm.draw(lm.CER(), reference=lm.Lattice.from_strings(["a"]))


def test_tags_need_words():
    with pytest.raises(lm.UsageError, match="tags need an alignment of words"):
        _ = lm.oracle(lm.Lattice.from_strings(["a b"]), "a c", "cer").tags


def test_lists_have_the_oracle_of_their_lattice():
    hypotheses = [lm.nbest.Hypothesis(tuple(text.split()), {}) for text in ("北 京 市", "北京 是", "北京 市")]
    found = lm.oracle(lm.NBest(hypotheses, {}), "北京市", lm.CER(spaces=False))
    assert (found.words, found.score) == (("北", "京", "市"), 0.0)
    with_spaces = lm.oracle(lm.NBest(hypotheses, {}), "北京市", "cer")
    assert (with_spaces.words, with_spaces.numerator) == (("北京", "市"), 1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"label": [3]}, "a word without spelling"),
        ({"label": [-1]}, "a word without spelling"),
        ({"begin": [0, 2, 1]}, "must follow one another"),
        ({"begin": [1, 2, 2]}, "from the first unit on"),
        ({"begin": [0, 1, 1]}, "end at the last unit"),
        ({"units": [1, 0]}, "has no number"),
        ({"separator": -1}, "has no number"),
        ({"cost": [math.nan]}, "not a finite number"),
    ],
)
def test_spellings_that_are_none_are_refused(changed, message):
    columns = {
        "source": [0], "target": [1], "label": [1], "is_word": [1], "cost": [0.0], "final_cost": [math.inf, 0.0],
        "begin": [0, 1, 2], "units": [1, 2], "separator": 9, "reference": [1],
    }  # fmt: skip
    types = {"is_word": np.uint8, "cost": np.float64, "final_cost": np.float64, "begin": np.int64}

    def search(**columns):
        arrays = {n: v if n == "separator" else np.array(v, types.get(n, np.int32)) for n, v in columns.items()}
        names = ("source", "target", "cost", "final_cost", "label", "is_word")
        graph = _native.Lattice(*(arrays.pop(name) for name in names))
        return _native.search_spelled_lattice(graph, **arrays)

    assert search(**columns)[1] == 0
    with pytest.raises(ValueError, match=message):
        search(**columns | changed)


# ---- Real lattices


def hifst():
    names = {1: "<s>", 2: "</s>"}
    for line in (DATA / "hifst" / "syms.txt").read_text().splitlines():
        word, number = line.split()
        names[int(number)] = word
    references = (DATA / "hifst" / "refs.50.idx").read_text().splitlines()
    for number, line in enumerate(references[:12], start=1):
        lattice = lm.read_one(DATA / "hifst" / "att" / f"{number}.txt.gz")
        words = {word: names.get(word, f"w{word}") for word in np.unique(lattice.word).tolist() if word}
        yield dataclasses.replace(lattice, vocabulary=lm.Vocabulary(words)), [names[int(w)] for w in line.split()]


def kaldi():
    symbols = DATA / "kaldi" / "ps-medium.words.txt"
    names = dict(line.split()[::-1] for line in symbols.read_text().splitlines())
    lines = (DATA / "kaldi" / "ps-medium.ref.int").read_text().splitlines()
    references = {line.split()[0]: [names[word] for word in line.split()[1:]] for line in lines}
    for name, lattice in lm.read(DATA / "kaldi" / "ps-medium.lat.txt.gz", symbols=symbols):
        yield lattice, references[name]


@pytest.mark.real_data
@pytest.mark.skipif(not DATA.is_dir(), reason=f"there are no lattices in {DATA} (LATTICEMETRIC_DATA)")
@pytest.mark.parametrize("lattices", [hifst, kaldi])
def test_real_lattices_are_searched_as_in_units(monkeypatch, lattices):
    for lattice, reference in lattices():
        for metric in (lm.CER(ignore=["<s>", "</s>"]), lm.CER(spaces=False), lm.MixedErrorRate()):
            found = lm.oracle(lattice, [reference], metric)
            expected = in_units(monkeypatch, lattice, [reference], metric)
            assert (found.arcs, found.cost, found.numerator) == (expected.arcs, expected.cost, expected.numerator)
            assert found.numerator <= found.one_best.numerator
