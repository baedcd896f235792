"""Oracles of a corpus by BLEU, against all combinations of strings."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.strategies import lattices, sentences

import latticemetric as lm
from latticemetric.oracle_search.corpus_bleu import Member

METRICS = [lm.BLEU(order=2), lm.BLEUSBP(order=2), lm.BLEU(order=1, smoothing="add-k"), lm.BLEUSBP()]


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[lm.Lattice], list[list[list[str]]]]:
    """Small lattices, each with one or two references."""
    graphs = draw(st.lists(lattices(), min_size=1, max_size=3))
    # Words in lists: two strings of one word each might be the words of one reference.
    spelled = st.lists(sentences(6).map(list), min_size=1, max_size=2)
    return graphs, [draw(spelled) for _ in graphs]


def searched(graphs, references, metric="bleu", **reading):
    """The oracle of the corpus: the path of each graph, and the scores of all."""
    answers = lm.Corpus(graphs, references, **reading).oracle(metric)
    totals = answers.totals
    return SimpleNamespace(
        paths=[answer.value for answer in answers], score=totals["score"], start=totals["start"]["score"]
    )


def strings_of(graph: lm.Lattice) -> list[str]:
    return sorted({" ".join(path.words) for path in graph.paths()})


def best_of_all(metric, graphs, references) -> float:
    choices = [metric.table(strings, [several] * len(strings)) for strings, several in _listed(graphs, references)]
    return max(float(metric.values(np.sum(rows, axis=0))) for rows in itertools.product(*choices))


def _listed(graphs, references):
    return [(strings_of(graph), several) for graph, several in zip(graphs, references, strict=True)]


@given(corpora(), st.sampled_from(METRICS))
@settings(max_examples=150)
def test_the_value_is_that_of_the_words_and_between_the_start_and_the_best(corpus, metric):
    graphs, references = corpus
    if math.prod(len(strings_of(graph)) for graph in graphs) > 3000:
        return
    found = searched(graphs, references, metric)
    said = [" ".join(path.words) for path in found.paths]
    for text, graph in zip(said, graphs, strict=True):
        assert text in strings_of(graph)
    assert found.score == pytest.approx(metric.corpus(said, references).score)
    starts = [lm.oracle(graph, several, "4-grr").words for graph, several in zip(graphs, references, strict=True)]
    assert found.start == pytest.approx(metric.corpus([" ".join(words) for words in starts], references).score)
    assert found.start <= found.score + 1e-12 <= best_of_all(metric, graphs, references) + 1e-12


def test_the_best_is_found_in_most_small_corpora_and_nearly_so_in_all():
    random = np.random.default_rng(7)
    shares = []
    for _ in range(60):
        texts = [[" ".join(random.choice(list("abcd"), random.integers(2, 8))) for _ in range(6)] for _ in range(3)]
        references = [" ".join(random.choice(list("abcd"), 6)) for _ in range(3)]
        graphs = list(map(lm.Lattice.from_strings, texts))
        best = best_of_all(lm.BLEU(order=2), graphs, [[text] for text in references])
        shares.append(searched(graphs, references, lm.BLEU(order=2)).score / best)
    assert sum(share > 1 - 1e-9 for share in shares) >= 50
    assert min(shares) > 0.9


@given(corpora(), st.sampled_from(METRICS[:2]))
@settings(max_examples=80)
def test_no_string_gains_more_than_its_headroom(corpus, metric):
    """To first order around the totals, with matches clipped: from the definition of log BLEU's slopes."""
    graphs, references = corpus
    found = searched(graphs, references, metric)
    said = [" ".join(path.words) for path in found.paths]
    table = metric.table(said, references)
    slopes = slopes_of(metric, table.sum(axis=0))
    for path, own, graph, several in zip(found.paths, table, graphs, references, strict=True):
        strings = strings_of(graph)
        gains = [slopes(row) for row in metric.table(strings, [several] * len(strings))]
        assert max(gains) - slopes(own) <= path.headroom + 1e-9


def slopes_of(metric, totals):
    """What a row of statistics adds: its matches, and a word's share of n-grams and of the brevity penalty."""
    n = metric.order
    covered = totals[-1] if isinstance(metric, lm.BLEUSBP) else totals[-3]
    of_match = [1 / (n * max(matches, 0.5)) for matches in totals[:n]]
    of_word = -sum(1 / (n * max(ngrams, 1)) for ngrams in totals[n : 2 * n])
    if max(covered, 1) < totals[-2]:
        of_word += totals[-2] / max(covered, 1) ** 2
    return lambda row: sum(np.array(of_match) * row[:n]) + of_word * row[-3]


def test_matches_beyond_what_counts_are_no_gain():
    """By sums alone "the the the" would be best."""
    graph = lm.Lattice.from_strings(["the the the", "the cat sat"])
    found = searched([graph], ["the cat is"], lm.BLEU(order=1))
    assert found.paths[0].words == ("the", "cat", "sat")


def test_ignored_words_count_on_neither_side():
    graph = lm.Lattice.from_strings(["<s> a b c d </s>", "<s> a b x d </s>"])
    found = searched([graph], ["<s> a b c d"], "bleu", ignore=["<s>", "</s>"])
    assert found.score == 1
    assert found.paths[0].words == ("a", "b", "c", "d")


def test_costs_decide_between_equal_gains():
    graph = lm.Lattice.from_strings(["a b c d x", "a b c d y"], costs=[2.0, 1.0])
    assert searched([graph], ["a b c d e"]).paths[0].words[-1] == "y"


def test_an_empty_corpus_has_no_paths():
    found = lm.Corpus([], []).oracle("bleu", keep_going=True)
    assert (len(found), found.to_records(), found.totals["lattices"]) == (0, [], 0)
    assert str(found).splitlines()[-1].startswith("0 lattices   bleu|order:4|")


def test_mistakes_are_named():
    graph = lm.Lattice.from_strings(["a b"])
    with pytest.raises(lm.UsageError, match="numbers of graphs and references differ: 1 and 2"):
        searched([graph], ["a", "b"])
    with pytest.raises(lm.UsageError, match="'wer' cannot be the metric of a corpus oracle"):
        lm.ByCorpusBLEU(metric="wer")
    with pytest.raises(lm.UsageError, match="stems"):
        searched([graph], ["a"], "bleu-stem")


def test_answers_are_plain_values():
    import json

    found = lm.Corpus([lm.Lattice.from_strings(["a b c d", "a"])], ["a b c d"]).oracle("bleu")
    totals, (record,) = json.loads(json.dumps([found.totals, found.to_records()], allow_nan=False))
    assert (totals["score"], totals["exact"]) == (1, False)
    assert (record["hypothesis"], record["exact"]) == ("a b c d", False)


@given(corpora(), st.sampled_from(METRICS))
def test_no_change_of_one_path_makes_a_small_corpus_better(corpus, metric):
    graphs, references = corpus
    found = searched(graphs, references, metric)
    said = [path.words for path in found.paths]
    for number, graph in enumerate(graphs):
        for text in strings_of(graph):
            changed = [*said[:number], text.split(), *said[number + 1 :]]
            assert metric.corpus(changed, references).score <= found.score + 1e-9


def test_no_change_of_one_derivation_makes_a_small_corpus_better():
    random = np.random.default_rng(0)
    metric = lm.BLEU()
    for _ in range(20):
        texts = [[" ".join(random.choice(list("abc"), random.integers(1, 9))) for _ in range(8)] for _ in range(4)]
        references = [" ".join(random.choice(list("abc"), 6)) for _ in range(4)]
        graphs = [lm.Forest.from_lattice(lm.Lattice.from_strings(several)) for several in texts]
        found = searched(graphs, references, metric)
        said = [" ".join(path.words) for path in found.paths]
        changes = [[*said[:k], text, *said[k + 1 :]] for k, several in enumerate(texts) for text in several]
        assert max(metric.corpus(changed, references).score for changed in changes) <= found.score + 1e-9


@pytest.mark.parametrize("number", [1, 3])
def test_a_path_that_is_proposed_again_is_not_scored_again(monkeypatch, number):
    texts = [["a b c d", "b b c d e", "a a b"], ["e d c b", "d c b a"], ["a c", "a b c d e", "c d e"]]
    scored, rows = [], Member.rows

    def listed_rows(member, metric, paths):
        scored.extend((id(member), path.tobytes()) for path in paths if len(paths) == 1)
        return rows(member, metric, paths)

    monkeypatch.setattr(Member, "rows", listed_rows)
    searched([lm.Lattice.from_strings(several) for several in texts[:number]], ["a b c d e"] * number)
    assert len(scored) == len(set(scored))


def test_few_paths_are_counted_and_many_are_not():
    from latticemetric.oracle_search.corpus_bleu import has_few_paths

    wide = lm.Lattice.from_arcs(
        [n // 2 for n in range(200)], [n // 2 + 1 for n in range(200)], [1, 2] * 100, final=[100]
    )
    three = lm.Lattice.from_strings(["a b", "a", "c"])
    for graph, many in ((wide, 2**100), (three, 3)):
        for kind in (graph, lm.Forest.from_lattice(graph)):
            assert has_few_paths(kind, many)
            assert not has_few_paths(kind, many - 1)
