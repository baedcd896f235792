"""`lists` by several metrics: what each finds alone, what the definition says, and the same numbers in every format."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.commands import good, run
from kit.paths import DATA, EXAMPLES

import latticemetric as lm
from latticemetric.corpus import list_blocks, lists
from latticemetric.corpus.list_blocks import BlockSums
from latticemetric.corpus.lists import lists_of_pairs
from latticemetric.corpus.pairing import Pair
from latticemetric.formats.references import Reference
from latticemetric.formats.registry import Entry
from latticemetric.metrics.registry import make_metric
from latticemetric.nbest import Hypothesis

PICNIC, CORRECTED = EXAMPLES / "picnic.json", EXAMPLES / "picnic.corrected.txt"
WORDS = st.lists(st.sampled_from(["a", "b", "c", "uh"]), max_size=4).map(tuple)  # ties, duplicates, empty texts
LISTS = st.lists(st.lists(st.tuples(WORDS, st.integers(0, 3)), min_size=1, max_size=5), min_size=1, max_size=4)
NAMES = st.lists(st.sampled_from(["wer", "4-grr", "wrr", "2-grr", "cer"]), min_size=1, max_size=3, unique=True)


def nbest(hypotheses: list[tuple[tuple[str, ...], int]]) -> lm.NBest:
    return lm.NBest(tuple(Hypothesis(words, {"lm": float(cost)}) for words, cost in hypotheses), {"lm": 1.0})


def best_of_first(
    hypotheses_of: list[list[tuple[str, ...]]], references: list[Any], metric: Any, k: int
) -> tuple[Any, Any, Any, int]:
    """The numerator, denominator and counts of the best of the first k, and the number of lists that need no more."""
    total, enough = None, 0
    for hypotheses, several in zip(hypotheses_of, references, strict=True):
        statistics = [metric.statistics(words, several) for words in hypotheses]
        merits = [metric.merit(one) for one in statistics]
        best = statistics[merits.index(max(merits[:k]))]
        enough += merits.index(max(merits)) < k
        total = best if total is None else total + best
    return metric.numerator(total), metric.denominator(total), total, enough


READINGS = st.fixed_dictionaries(
    {
        "weights": st.sampled_from([{"lm": 1.0}, {"lm": -1.0}, {"lm": 0.0}]),
        "ignore": st.sampled_from([(), ("uh",)]),
    }
)


@given(case=LISTS, names=NAMES, reading=READINGS, resamples=st.sampled_from([0, 9]), data=st.data())
def test_each_metric_finds_what_it_finds_alone_and_what_the_definition_says(case, names, reading, resamples, data):
    references = [data.draw(st.lists(WORDS, min_size=1, max_size=2)) for _ in case]
    corpus = lm.Corpus(list(map(nbest, case)), references, **reading)
    options = {"at": range(1, 6), "resamples": resamples}
    both = corpus.lists(names, **options)
    weight = reading["weights"]["lm"]
    ranked = [[words for words, _ in sorted(one, key=lambda pair: weight * pair[1])] for one in case]
    assert list(both) == names
    for name, found in both.items():
        alone = corpus.lists(name, **options)
        assert found == alone
        assert both.totals[name] == alone.totals
        records = [one for one in both.to_records() if one["metric"] == name]
        assert records == [{"metric": name, **one} for one in alone.to_records()]
        metric = make_metric(name, ignore=reading["ignore"])
        for point, record in zip(found.points, records, strict=True):
            counts = point.numerator, point.denominator, point.statistics, record["best_here"]
            assert counts == best_of_first(ranked, references, metric, point.k)


def test_each_list_is_parsed_once():
    parsed = Counter()

    def build():
        parsed["one"] += 1
        return lm.NBest.from_strings(["a b", "a"])

    pair = Pair("one", Entry("one", "", build), (Reference(("a", "b"), ""),))
    by_wer, by_letters = BlockSums((lm.WER(), lm.CER())).of([pair])
    assert (by_wer.longest, by_letters.longest, parsed["one"]) == (2, 2, 1)


@pytest.mark.parametrize("corrected", [None, CORRECTED])
def test_each_list_is_parsed_once_also_beside_corrected_texts(monkeypatch, corrected):
    parsed: Counter[str] = Counter()

    def counted(pairs):
        pairs = list(pairs)
        parsed.update(pair.name for pair in pairs)
        return lists_of_pairs(pairs)

    for module in (lists, list_blocks):
        monkeypatch.setattr(module, "lists_of_pairs", counted)
    found = lm.Corpus.read(PICNIC, normalize="english").lists(corrected=corrected)
    assert sorted(parsed.values()) == [1] * found["wer"].lists


# --- Formats


def written(suffix: str, folder: Path, *options: object) -> str:
    """What the command line writes by the default metrics; Python writes the same."""
    path, other = folder / f"python.{suffix}", folder / f"command.{suffix}"
    lm.Corpus.read(PICNIC).lists(at=[2], corrected=CORRECTED, resamples=20).write(path)
    kind = {"txt": "text"}.get(suffix, suffix)
    arguments = ("--at", 2, "--corrected", CORRECTED, "--resamples", 20, *options, "--format", kind, "--output", other)
    good(run("latticemetric", "lists", PICNIC, *arguments))
    assert path.read_bytes() == other.read_bytes()
    return path.read_text()


def test_all_formats_have_the_same_numbers(tmp_path):
    records = lm.Corpus.read(PICNIC).lists(at=[2], resamples=20).to_records()
    assert [(one["metric"], one["k"]) for one in records] == [(name, k) for name in ("wer", "4-grr") for k in (1, 2, 5)]
    assert [json.loads(line) for line in written("jsonl", tmp_path).splitlines()] == records
    document = json.loads(written("json", tmp_path))
    assert document["points"] == records
    assert list(document) == ["signatures", "lists", "ranks", "compositional", "points", "corrections"]
    rows = list(csv.DictReader(written("tsv", tmp_path).splitlines(), delimiter="\t"))
    assert rows == [{name: str(value) for name, value in one.items()} for one in records]
    by_wer, by_grr, _, *_ = written("txt", tmp_path).split("\n\n")
    lines = [*by_wer.splitlines()[1:], *by_grr.splitlines()[1:]]
    for line, one in zip(lines, records, strict=True):
        half = (one["high"] - one["low"]) / 2
        score, share = f"{100 * one['score']:.2f} ± {100 * half:.2f}", f"{100 * one['recoverable']:.2f}"
        fraction = f"{one['numerator']}/{one['denominator']}"
        expected = f"{one['k']} {score} {fraction} {share} {one['distinct']:.2f} {one['best_here']}"
        assert line.split() == expected.split()


def test_the_text_shows_the_tables_of_each_metric_and_the_corrections_once():
    corpus = lm.Corpus.read(PICNIC)
    both = str(corpus.lists(corrected=CORRECTED))
    by_wer, by_grr = (str(corpus.lists(name)).split("\n\n")[0] for name in ("wer", "4-grr"))
    corrections = str(corpus.lists("wer", corrected=CORRECTED)).split("\n\n")[1]
    assert both.split("\n\n")[:3] == [by_wer, by_grr, corrections]
    assert both.count("corrected  ") == both.count("4 lists; ") == 1
    assert [line.split("|")[0] for line in both.splitlines()[-2:]] == ["wer", "4-grr"]


def test_corrections_stand_beside_wer_wherever_it_is(tmp_path):
    corpus = lm.Corpus.read(PICNIC)
    alone = corpus.lists("wer", corrected=CORRECTED)
    both = corpus.lists("4-grr,wer", corrected=CORRECTED)
    assert both["wer"] == alone
    assert both["4-grr"] == corpus.lists("4-grr")
    both.write(tmp_path / "both.json")
    assert json.loads((tmp_path / "both.json").read_text())["corrections"] == alone.totals["corrections"]


def test_tables_have_a_row_for_each_metric_and_k(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    pandas = pytest.importorskip("pandas")
    found = lm.Corpus.read(PICNIC).lists()
    found.write(tmp_path / "lists.parquet")
    assert parquet.read_table(tmp_path / "lists.parquet").to_pylist() == found.to_records()
    assert found.to_pandas().equals(pandas.DataFrame(found.to_records()))
    assert "4-grr" in found._repr_html_()


# --- Real lists


@pytest.mark.real_data
@pytest.mark.skipif(not DATA.is_dir(), reason=f"there are no lists in {DATA} (LATTICEMETRIC_DATA)")
@pytest.mark.parametrize("name", ["atis", "cv", "ls_clean"])
@pytest.mark.parametrize("workers", [1, 2])
def test_real_lists_by_several_metrics_are_those_by_each(name, workers):
    corpus = lm.Corpus.read(DATA / "nbest-json" / f"{name}.json.gz")
    both = corpus.lists("wer,4-grr,cer", resamples=100, workers=workers)
    assert all(found == corpus.lists(metric, resamples=100) for metric, found in both.items())
    edits = {"atis": (765, 484, 9111), "cv": (3271, 2399, 21186), "ls_clean": (943, 470, 52576)}
    wer = both["wer"]
    assert (wer.one_best.numerator, wer.oracle.numerator, wer.oracle.denominator) == edits[name]
