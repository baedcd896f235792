"""Rules applied to lattices: against pynini's own composition, path by path."""

import pickle
import tracemalloc
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.brute_force import enumerate_paths
from kit.strategies import drafts, lattices

import latticemetric as lm
from latticemetric.normalization import grammar as grammar_module
from latticemetric.normalization.application import apply_rule
from latticemetric.normalization.grammar import find_grammar
from latticemetric.normalization.notation import with_alternatives

pynini = pytest.importorskip("pynini")

SIGMA = pynini.union(*"abcdxyz ").star.optimize()
WORD = pynini.union(*"abcdxyz").plus.optimize()
BEGIN, END = pynini.union("[BOS]", " "), pynini.union(" ", "[EOS]")


def rewriting(what, before="", after="", mode="obl"):
    return pynini.cdrewrite(what, before, after, SIGMA, mode=mode).optimize()


def weighted(text, cost):
    return pynini.accep(text, weight=cost)


# Words of the lattices are a, b, c and d.
RULES = {
    "SAME": SIGMA,
    "ONE_TO_ONE": rewriting(pynini.cross("a", "x")),
    "TO_SEVERAL": rewriting(pynini.cross("a", "x y x")),
    "TO_NONE": rewriting(pynini.cross("b", "")),
    "JOINED": rewriting(pynini.cross("a b", "ab"), BEGIN, END),
    "SWAPPED": rewriting(pynini.cross("a b", "b a"), BEGIN, END),
    "AFTER_ANOTHER": rewriting(pynini.cross("b", "x"), "a "),
    "BEFORE_ANOTHER": rewriting(pynini.cross("a", "y"), "", " b"),
    "AT_ENDS": rewriting(pynini.cross("a", "x"), "[BOS]") @ rewriting(pynini.cross("a", "y"), "", "[EOS]"),
    "WITHOUT_SPACES": rewriting(pynini.cross(" ", "")),
    "OPTIONAL": rewriting(pynini.cross("a", "x y"), mode="opt"),
    "EITHER": rewriting(pynini.union(pynini.cross("a", "x"), pynini.cross("a", "y z"))),
    "WEIGHTED": rewriting(pynini.union(pynini.cross("a", weighted("x", 0.5)), pynini.cross("a", weighted("y", 0.25)))),
    "ONLY_LAST": pynini.cross(WORD + " ", "").star + WORD,
    "SHOUTED": SIGMA + pynini.cross("", " z"),
    "INSERTED": rewriting(pynini.cross("", "x y "), "a ", "b"),
}  # fmt: skip


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return written(tmp_path_factory.mktemp("rules") / "rules.far", RULES)


def written(path, rules):
    from pynini.export import export

    exporter = export.Exporter(path)
    for name, rule in rules.items():
        exporter[name] = rule
    exporter.close()
    return path


def rewrites(rule, words):
    """The texts that a text becomes, each with its least weight: what pynini says."""
    if not words:
        return {(): 0.0}
    found = pynini.compose(" ".join(words), rule)
    if found.start() == pynini.NO_STATE_ID:
        return {}
    best = {}
    for _, text, weight in found.paths().items():
        key = tuple(text.split())
        best[key] = min(best.get(key, np.inf), float(weight))
    return best


def path_costs(lattice):
    """Each text with the sums of its paths' columns, and the number of these paths."""
    return Counter((path.words, tuple(sorted(path.sums.items()))) for path in enumerate_paths(lattice))


def expected_costs(lattice, rule, *, weights):
    found = Counter()
    for path in enumerate_paths(lattice):
        for words, weight in rewrites(rule, path.words).items():
            own = {"grammar": Fraction(weight)} if weights else {}
            found[words, tuple(sorted((path.sums | own).items()))] += 1
    return found


@pytest.mark.parametrize("name", RULES)
@given(words=st.lists(st.sampled_from("abcd"), max_size=6))
def test_a_text_becomes_what_its_lattice_becomes(archive, name, words):
    [rule] = find_grammar(f"{archive}:{name}").rules
    texts = set(rewrites(RULES[name], words))
    sole = rule.sole_text(words)
    assert sole is None if name == "WEIGHTED" or len(texts) > 1 else {sole} == texts


def test_a_text_that_has_one_result_needs_no_lattice(monkeypatch):
    monkeypatch.setattr(grammar_module, "apply_rule", None)  # the composition is ten times as slow
    assert lm.normalize("It's TWENTY-one o'clock") == "it's twenty one o'clock"


def test_a_hypothesis_that_becomes_no_words_is_a_text_without_words(archive):
    assert find_grammar(f"{archive}:TO_NONE").hypothesis(["b", "b"]) == ()
    assert find_grammar(f"{archive}:TO_NONE").hypothesis(["b", "a"]) == ("a",)


@pytest.mark.parametrize("name", RULES)
@given(draft=drafts())
def test_a_lattice_becomes_what_its_texts_become_at_the_same_costs(archive, name, draft):
    lattice = draft.lattice()
    found = find_grammar(f"{archive}:{name}").lattice(lattice)
    costs = path_costs(found)
    wanted = expected_costs(lattice, RULES[name], weights=name == "WEIGHTED")
    assert costs == wanted
    assert found.scores["acoustic"].weight == lattice.scores["acoustic"].weight


PHRASES = ["uh", "a", "hundred", "and", "five", "1,000", "Isn't", "well-known", "...", "he's", "<S>", "1999", "1/2"]


@st.composite
def english_lattices(draw):
    """A sausage of few phrases, with ε and parallel arcs."""
    slots = draw(st.lists(st.lists(st.sampled_from([*PHRASES, ""]), min_size=1, max_size=3), max_size=4))
    vocabulary = lm.Vocabulary.from_words(PHRASES)
    arcs = [(place, word) for place, words in enumerate(slots) for word in words]
    costs = [draw(st.integers(0, 8)) / 8 for _ in arcs]
    return lm.Lattice.from_arcs(
        [place for place, _ in arcs],
        [place + 1 for place, _ in arcs],
        [vocabulary.number(word) if word else 0 for _, word in arcs],
        final=[len(slots)],
        scores={"acoustic": lm.Column(np.array(costs), np.zeros(1))},
        vocabulary=vocabulary,
    )


@given(english_lattices())
def test_english_leaves_as_many_paths_as_there_were_each_at_its_cost(lattice):
    wanted = Counter((tuple(lm.normalize(" ".join(p.words)).split()), p.cost) for p in lattice.paths())
    assert Counter((path.words, path.cost) for path in lm.normalize(lattice).paths()) == wanted


@given(english_lattices())
def test_the_references_of_a_graph_are_those_of_its_texts(lattice):
    found = [path.words for path in lm.normalize_reference(lattice).paths()]
    texts = {" ".join(path.words) for path in lattice.paths()}
    assert set(found) == {p.words for text in texts for p in lm.normalize_reference(text).paths()}
    assert len(found) == len(set(found))


# --- What is kept


def test_a_word_that_becomes_several_carries_its_scores_on_the_first(archive):
    lattice = lm.Lattice.from_arcs(
        [0, 1],
        [1, 2],
        [1, 2],
        final=[2],
        scores={"acoustic": lm.Column(np.array([3.0, 4.0]), np.array([0.5]), 0.25)},
        vocabulary=lm.Vocabulary.from_words(list("ab")),
        times=[0.0, 3.0, 4.0],
        labels={
            "input": lm.Labels(np.array([1, 2]), np.array([3]), lm.Vocabulary.from_words(["A", "B", "END"])),
        },
    )
    found = lm.normalize(lattice, f"{archive}:TO_SEVERAL")
    assert [found.vocabulary.word(number) for number in found.word.tolist()] == ["x", "y", "x", "b"]
    assert found.scores["acoustic"].arc.tolist() == [3.0, 0.0, 0.0, 4.0]
    assert found.scores["acoustic"].final.tolist() == [0.5]
    assert found.scores["acoustic"].weight == 0.25
    assert found.times.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    side = found.labels["input"]
    assert [side.vocabulary.word(number) for number in [*side.arc.tolist(), *side.final.tolist()]] == [
        "A",
        "",
        "",
        "B",
        "END",
    ]


def test_words_that_vanish_or_are_joined_leave_their_scores(archive):
    lattice = lm.Lattice.from_strings(["a b"], costs=[2.0])
    for rule, words in (("TO_NONE", ("a",)), ("JOINED", ("ab",))):
        (path,) = lm.normalize(lattice, f"{archive}:{rule}").paths()
        assert (path.words, path.cost, len(path.arcs)) == (words, 2.0, 2)


def test_an_nbest_list_keeps_the_scores_that_count():
    nbest = lm.NBest((lm.nbest.Hypothesis(("Isn't", "it"), {"lm": 1.0, "unused": 2.0}),), {"unused": 0.0})
    assert list(lm.normalize(nbest).scores) == ["lm"]
    assert list(lm.normalize(nbest, weights={"unused": 1.0}).scores) == ["lm", "unused"]


def test_scales_are_the_weights_of_the_result(archive):
    hypotheses = (lm.nbest.Hypothesis("a b", {"lm": 1.0, "am": 4.0}), lm.nbest.Hypothesis("b", {"lm": 2.0, "am": 2.0}))
    nbest = lm.NBest(hypotheses, {"am": 0.0})
    for graph in (nbest, nbest.to_lattice()):
        found = lm.normalize(graph, f"{archive}:TO_NONE", weights={"am": 0.5, "lm": 2.0})
        assert {name: column.weight for name, column in found.scores.items()} == {"am": 0.5, "lm": 2.0}
        assert lm.best(found).cost == lm.best(nbest, weights={"am": 0.5, "lm": 2.0}).cost == 4.0
        assert lm.best(lm.normalize(graph, f"{archive}:TO_NONE")).cost == 1.0
        with pytest.raises(lm.InputError, match="there is no score column 'tm'"):
            lm.normalize(graph, f"{archive}:TO_NONE", weights={"tm": 0.5})


def test_grammars_are_pickled_by_their_names(archive):
    grammar = find_grammar(f"{archive}:TO_NONE")
    assert pickle.loads(pickle.dumps(grammar)).text(["a", "b"]) == ("a",)


def test_an_archive_that_was_written_anew_is_read_anew(tmp_path):
    path = written(tmp_path / "my.far", {"R": RULES["TO_NONE"]})
    assert lm.normalize("a b", str(path)) == "a"
    written(path, {"R": RULES["TO_SEVERAL"]})
    assert lm.normalize("a b", str(path)) == "x y x b"


# --- Which rule


def test_normalize_is_for_both_sides_and_alternatives_for_references(tmp_path):
    path = written(
        tmp_path / "my.far", {"NORMALIZE": RULES["ONE_TO_ONE"], "ALTERNATIVES": RULES["OPTIONAL"], "Z": SIGMA}
    )
    assert lm.normalize("a b", str(path)) == "x b"
    path = written(path, {"NORMALIZE": RULES["SAME"], "ALTERNATIVES": RULES["OPTIONAL"]})
    assert lm.normalize("a b", str(path)) == "a b"
    assert {p.words for p in lm.normalize_reference("a b", str(path)).paths()} == {("a", "b"), ("x", "y", "b")}
    assert {p.words for p in lm.normalize_reference("a b", f"{path}:NORMALIZE").paths()} == {("a", "b")}


def test_weights_choose_among_the_texts_of_a_hypothesis(archive):
    assert lm.normalize("a", f"{archive}:WEIGHTED") == "y"
    with pytest.raises(
        lm.InputError, match=r"EITHER: the rule rewrites 'a' to several texts with the same weight; give all but one"
    ):
        lm.normalize("a", f"{archive}:EITHER")


# --- What fails


@pytest.mark.parametrize(
    ("rule", "text", "message"),
    [
        ("SAME", "a q b", r"rules.far:SAME: the rule rejects 'a q', the beginning of a text"),
        ("TWO", "a", r"rules.far:TWO: the rule rejects 'a'; let the rule copy"),
        ("EMPTY", "a", r"rules.far:EMPTY: the rule is empty"),
        (
            "SYMBOLS",
            "a",
            r"rules.far:SYMBOLS: the rule is compiled over the symbols of a table, not over bytes; ",
        ),
        ("GENERATED", "a", r"rules.far:GENERATED: the rule has label \d+, which is not a byte"),
        ("ENDLESS", "a", r"rules.far:ENDLESS: the rule rewrites 'a' to more than 10000 outputs, or to endless outputs"),
        ("BROKEN", "a", r"rules.far:BROKEN: the rule writes b'\\xff', which is not UTF-8"),
        ("SAME", "a\0b", r"the rule rejects"),
    ],
)
def test_rules_that_cannot_be_applied_say_why(rule, text, message, tmp_path):
    table = pynini.SymbolTable()
    table.add_symbol("<eps>")
    table.add_symbol("a")
    with_table = pynini.accep("a", token_type=table)
    with_table.set_input_symbols(table)
    rules = {
        "SAME": SIGMA,
        "TWO": WORD + " " + WORD,
        "EMPTY": pynini.Fst(),
        "SYMBOLS": with_table,
        "GENERATED": pynini.accep("[generated]"),
        "ENDLESS": pynini.cross("", "x").star + SIGMA,
        "BROKEN": pynini.cross("a", "[0xff]"),
    }
    path = written(tmp_path / "rules.far", rules)
    with pytest.raises(lm.InputError, match=message):
        lm.normalize(text, f"{path}:{rule}")


def test_one_text_of_many_that_is_rejected_is_found(tmp_path):
    path = written(tmp_path / "my.far", {"R": pynini.union(*(" ".join(t) for t in ("ab", "ba", "aa")))})
    square = lm.Lattice.from_arcs(
        [0, 0, 1, 1], [1, 1, 2, 2], [1, 2, 1, 2], final=[2], vocabulary=lm.Vocabulary.from_words(list("ab"))
    )
    with pytest.raises(lm.InputError, match="rejects 'b b'"):
        lm.normalize(square, str(path))


def test_words_that_are_numbers_need_their_table():
    lattice = lm.Lattice.from_arcs([0], [1], [7], final=[1])
    with pytest.raises(lm.InputError, match=r"but the graph has word numbers.*symbols=…"):
        lm.normalize(lattice)


@pytest.mark.parametrize(
    ("grammar", "message"),
    [
        ("klingon", "there is no grammar 'klingon'; choose among english, recognition, whisper-en, whisper-basic"),
        ("english:NO", "there is no rule 'NO' in english; its rules are ACCENTS, ALTERNATIVES, "),
        ("recognition", "there is no rule 'NORMALIZE' in recognition; its rules are GRR2, GRR4, WRR"),
    ],
)
def test_grammars_that_are_not_there_are_named_with_those_that_are(grammar, message):
    with pytest.raises(lm.UsageError, match=message):
        find_grammar(grammar)


def test_archives_that_cannot_be_read_are_named(tmp_path):
    damaged = tmp_path / "damaged.far"
    damaged.write_bytes(b"no archive, whatever its name says")
    with pytest.raises(lm.InputError, match=r"damaged.far: this is not an archive"):
        find_grammar(str(damaged))
    with pytest.raises(lm.InputError, match=r"absent.far.*No such file"):
        find_grammar(str(tmp_path / "absent.far"))


# --- Notation


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("he isn't", "{ he is / he's } not"),
        ("so he's here", "so { he's / he is / he has } here"),
        ("uh yes", "{ %hesitation / @ } yes"),
        ("yes uh", "yes { @ / %hesitation }"),
        ("", ""),
        ("plain", "plain"),
    ],
)
def test_alternatives_stand_where_they_are(text, notation):
    assert with_alternatives(lm.normalize_reference(text)) in {notation, _turned(notation)}


def _turned(notation):
    """The same with alternatives in the other order."""
    head, _, rest = notation.partition("{ ")
    inside, _, tail = rest.partition(" }")
    return f"{head}{{ {' / '.join(reversed(inside.split(' / ')))} }}{tail}"


def test_a_rule_may_be_applied_by_itself():
    lattice = lm.Lattice.from_strings(["A b"])
    assert [p.words for p in apply_rule(find_grammar("english:LOWER_CASE").rules[0], lattice).paths()] == [("a", "b")]


@pytest.mark.parametrize("name", RULES)
@given(texts=st.lists(st.lists(st.sampled_from("abcd"), max_size=4).map(tuple), min_size=1, max_size=4), data=st.data())
def test_hypotheses_stay_in_the_order_of_their_list(archive, name, texts, data):
    costs = data.draw(st.lists(st.integers(0, 2), min_size=len(texts), max_size=len(texts)))
    nbest = lm.NBest.from_strings(texts, costs=costs, scores={"place": range(len(texts))})
    found = lm.normalize(nbest, f"{archive}:{name}", weights={"place": 0.0})
    assert found.ranked
    listed = [(path.words, path.sums["place"]) for path in enumerate_paths(found)]
    expected = [(words, place) for place, text in enumerate(texts) for words in rewrites(RULES[name], text)]
    assert Counter(listed) == Counter(expected)
    if name != "WEIGHTED":
        best = found.words(found.best_path())
        first = min(range(len(texts)), key=lambda place: (costs[place], place))
        assert tuple(best) in rewrites(RULES[name], texts[first])


@pytest.mark.parametrize("grammar", ["english:LOWER_CASE", "whisper-en"])
def test_the_first_of_equal_hypotheses_stays_the_best(grammar):
    nbest = lm.NBest.from_strings(["Hello there my Friend", "hi Sam", "hello"])
    found = lm.oracle(lm.normalize(nbest, grammar), "good bye", "wer")
    assert found.one_best.words == ("hello", "there", "my", "friend")
    agreed = lm.posteriors(lm.normalize(lm.NBest.from_strings(["A b", "a C"]), grammar)).confidences
    assert agreed(lm.best(lm.normalize(lm.NBest.from_strings(["A b", "a C"]), grammar))) == (1.0, 0.5)


@given(lattices())
def test_a_lattice_has_an_only_text_if_all_paths_have_it(lattice):
    texts = {path.words for path in lattice.paths()}
    assert grammar_module.only_text(lattice) == (texts.pop() if len(texts) == 1 else None)


def test_the_text_of_an_hour_is_normalized_in_linear_memory():
    hour = "who knows that " * 4000
    tracemalloc.start()
    try:
        graph = lm.normalize(lm.Lattice.from_strings([hour]), "whisper-en")
        assert grammar_module.only_text(graph) == tuple(hour.split())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50e6  # all beginnings of the text take 600 MB
