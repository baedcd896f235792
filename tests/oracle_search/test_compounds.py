"""Oracles with joined words: against every path, scored by every alignment."""

from fractions import Fraction
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.commands import MEETING, assert_one_line_error, file, good, oracle
from kit.strategies import drafts

import latticemetric as lm

pytest.importorskip("pynini")


@lru_cache(maxsize=10_000)
def errors(candidate, reference):
    """The fewest errors: edit a word, or match words of one side that spell one of the other."""
    if not candidate or not reference:
        return len(candidate) + len(reference)
    ways = [
        errors(candidate[1:], reference) + 1,
        errors(candidate, reference[1:]) + 1,
        errors(candidate[1:], reference[1:]) + (candidate[0] != reference[0]),
    ]
    for many in range(2, 1 + max(len(candidate), len(reference))):
        if many <= len(candidate) and "".join(candidate[:many]) == reference[0]:
            ways.append(errors(candidate[many:], reference[1:]))
        if many <= len(reference) and "".join(reference[:many]) == candidate[0]:
            ways.append(errors(candidate[1:], reference[many:]))
    return min(ways)


SPELLED = ["a", "b", "ab", "aab"]
texts = st.lists(st.lists(st.sampled_from([*SPELLED, "aba"]), max_size=4).map(tuple), min_size=1, max_size=2)


def spelled(lattice):
    """Replace the words of a lattice by words that spell each other."""
    made = lm.Vocabulary.from_words(SPELLED)
    labels = [made.number(SPELLED[one % len(SPELLED)]) if one else 0 for one in lattice.word.tolist()]
    return lm.Lattice.from_arcs(
        lattice.source, lattice.target, labels, final=lattice.final, scores=lattice.scores, vocabulary=made
    )


@st.composite
def sausages(draw):
    """A chain of slots with one or two words each."""
    slots = draw(st.lists(st.lists(st.sampled_from(SPELLED), min_size=1, max_size=2), min_size=2, max_size=5))
    made = lm.Vocabulary.from_words(SPELLED)
    arcs = [(place, place + 1, made.number(word)) for place, slot in enumerate(slots) for word in slot]
    return lm.Lattice.from_arcs(*zip(*arcs, strict=True), final=[len(slots)], vocabulary=made)


@given(lattice=drafts().map(lambda draft: spelled(draft.lattice())) | sausages(), references=texts)
def test_the_oracle_is_the_best_of_all_paths_by_the_tie_rule(lattice, references):
    found = lm.compound_oracle(lattice, references)
    counted = [one for one in references if one] or references

    def rate(path):
        return min(Fraction(errors(path.words, one), max(1, len(one))) for one in counted)

    best = min((rate(path), path.cost, len(path.words)) for path in lattice.paths())
    assert (Fraction(found.numerator, max(1, found.denominator)), found.cost, len(found.words)) == best
    assert found.words == lattice.words(list(found.arcs))
    assert found.one_best.words == lattice.words(lattice.best_path())
    assert found.exact
    assert found.score == (None if not any(references) else float(best[0]))


@given(
    listed=st.lists(st.lists(st.sampled_from(SPELLED), max_size=4), min_size=1, max_size=5),
    references=texts,
    data=st.data(),
)
def test_the_oracle_of_a_list_is_its_first_best_hypothesis(listed, references, data):
    costs = data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=len(listed), max_size=len(listed)))
    nbest = lm.NBest.from_strings(listed, costs=costs)
    counted = [one for one in references if one] or references
    rates = [min(Fraction(errors(tuple(words), one), max(1, len(one))) for one in counted) for words in listed]
    rank = min(range(len(listed)), key=lambda number: (rates[number], costs[number], number))
    found = lm.compound_oracle(nbest, references)
    assert (found.words, found.cost) == (tuple(listed[rank]), costs[rank])
    assert Fraction(found.numerator, max(1, found.denominator)) == rates[rank]
    assert nbest.to_lattice().source[found.arcs[0]] == 0
    assert (nbest.to_lattice().source == 0).nonzero()[0].tolist().index(found.arcs[0]) == rank


def test_long_lists_need_no_automaton():
    words = [f"w{number}" for number in range(2000)]
    nbest = lm.NBest.from_strings([[*words[:-1], "wrong"], words, words[1:]], costs=[0.0, 1.0, 2.0])
    lm.limit_memory("200M")
    try:
        assert lm.compound_oracle(nbest, " ".join(words)).words == tuple(words)
    finally:
        lm.limit_memory(None)


def test_joined_words_cost_nothing_on_either_side():
    lattice = lm.Lattice.from_strings(["whitepaper on ice cream", "white paper on ice"], costs=[2.0, 1.0])
    found = lm.compound_oracle(lattice, "white paper on icecream")
    assert found.asdict() | {"one_best": None} == {
        "hypothesis": "whitepaper on ice cream",
        "score": 0.0,
        "numerator": 0,
        "denominator": 4,
        "cost": 2.0,
        "exact": True,
        "scores": {"cost": 2.0},
        "arcs": list(found.arcs),
        "signature": f"compound-wer|refs:1|case:mixed|tok:none|v:{lm.__version__}",
        "one_best": None,
    }
    assert found.one_best.asdict()["numerator"] == 1


def test_the_oracle_by_this_metric_is_that_of_compounds():
    lattice = lm.Lattice.from_strings(["ice cream", "eyes"])
    found = lm.oracle(lattice, "icecream", "compound-wer")
    assert found == lm.compound_oracle(lattice, "icecream")
    assert (found.words, found.score) == (("ice", "cream"), 0.0)


FIRST = "0 1 ice ice 1\n1 2 cream cream 1\n0 2 eyes eyes 1\n2\n"


def test_the_command_line_searches_by_joined_words(tmp_path):
    (tmp_path / "lats").mkdir()
    graphs = [file(tmp_path / "lats", f"{number}.txt", text) for number, text in enumerate([FIRST, FIRST, "broken"])]
    references = file(tmp_path, "refs", "ICECREAM\neyes scream\nnot here\n")
    asked = tmp_path / "lats", references, "--metric", "compound-wer", "--lowercase", "--keep-going"
    done = oracle(*asked)
    assert done.status == 1
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["0", "0.00%", "0/1", "ice", "cream"]
    assert lines[1] == ["1", "50.00%", "1/2", "eyes"]
    assert lines[2] == ["2", "failed"]
    rows = [line.split() for line in done.stderr.splitlines()]
    assert ["oracle", "60.00", "3/5"] in rows  # the words of the reference that failed are deleted
    assert ["1-best", "80.00", "4/5"] in rows
    document = oracle(*asked, "--format", "json").json
    for path, item, text in zip(graphs, document["lattices"], ["icecream", "eyes scream"], strict=False):
        found = lm.compound_oracle(lm.read_one(path), text).asdict()
        assert item | {"id": "", "signature": found["signature"]} == found | {"id": ""}
    assert document["corpus"]["failed"] == 1
    header, row, *_ = oracle(*asked, "--format", "tsv").stdout.splitlines()
    assert dict(zip(header.split("\t"), row.split("\t"), strict=True))["one_best_numerator"] == "1"


def test_readings_of_a_reference_are_references(tmp_path):
    graph = file(tmp_path, "0.fst.txt", FIRST)
    references = file(tmp_path, "ref.trn", "{ icecream / ice } (0)\n")
    (item,) = good(oracle(graph, references, "--metric", "compound-wer", "--format", "json")).json["lattices"]
    assert (item["hypothesis"], item["numerator"]) == ("ice cream", 0)


@pytest.mark.parametrize(
    ("option", "says"),
    [("--alignment", "no effect with compound-wer"), ("--engine=native", "native engine does not search by compound")],
)
def test_options_of_other_searches_are_refused(option, says):
    assert_one_line_error(oracle(*MEETING, "--metric", "compound-wer", option), says)


def test_word_numbers_are_refused():
    lattice = lm.Lattice.from_arcs([0], [1], [5], final=[1])
    with pytest.raises(lm.UsageError, match="word numbers"):
        lm.compound_oracle(lattice, "a")


def test_what_does_not_fit_into_memory_is_refused_before_it_is_tried():
    words = [f"w{number}" for number in range(2000)]
    lm.limit_memory("200M")
    try:
        with pytest.raises(lm.InputError, match="needs more than 200 MB of memory"):
            lm.compound_oracle(lm.Lattice.from_strings([words], costs=[0.0]), " ".join(words))
    finally:
        lm.limit_memory(None)


@pytest.mark.parametrize("reference", ["a ★ b", "a★ b"])
def test_a_star_is_a_word_like_any_other(reference):
    lattice = lm.Lattice.from_strings(["a x b", "a ★ b"], costs=[1.0, 2.0])
    found = lm.compound_oracle(lattice, reference)
    assert (found.words, found.numerator) == (("a", "★", "b"), 0)
