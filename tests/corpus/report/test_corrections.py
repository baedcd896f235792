"""Corrections in a report: the figures of `corrections`, intervals of the bootstrap, and a text for each utterance."""

import json
import re
from itertools import starmap

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from kit.brute_force import Rate, best_alignment
from kit.lists import corrections_of, curve, read_lists
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.cli.main import _group
from latticemetric.corpus.lists import Lists
from latticemetric.corpus.report.charts import rate_text, span
from latticemetric.corpus.report.corrections import CorrectedLists
from latticemetric.corpus.report.options import ReportOptions
from latticemetric.evaluation.intervals import bootstrap, paired_bootstrap

pytest.importorskip("jinja2")

PICNIC, FIXED = EXAMPLES / "picnic.json", EXAMPLES / "picnic.corrected.txt"
TEXTS = [line.split()[1:] for line in FIXED.read_text().splitlines()]
WORDS = st.lists(st.sampled_from("abcd"), max_size=4).map(tuple)
CASES = st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=3), WORDS, WORDS), min_size=1, max_size=4)


def errors(hypothesis, reference):
    edits = best_alignment(hypothesis, reference, Rate(1, counts_errors=True))
    return len(edits) - edits.count("C")


def nbest_lists(lists, references):
    nbests = tuple(lm.NBest.from_strings(list(map(list, hypotheses))) for hypotheses in lists)
    return Lists(tuple(map(str, range(len(lists)))), nbests, tuple((words,) for words in references))


def written(folder, graphs, references, metric="wer", **options):
    """Return a page's data and its elements: name, attributes and text, without tags inside."""
    path = folder / "page.html"
    lm.Corpus(graphs, references).report(path, metric, resamples=50, most_graphs=0, **options)
    return contents(path.read_text(encoding="utf-8"))


def contents(page):
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    section = re.search(r'<h2 id="corrections-title">.*?</section>', page, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", section[0], re.DOTALL) if section else []
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return data, {re.sub("<.*?>", "", row[0]): row[1:] for row in cells}, section and section[0]


def run(*arguments):
    command = ["report", *map(str, arguments), "--resamples", "50", "--most-graphs", "0", "-o", "-"]
    return CliRunner().invoke(_group, command, standalone_mode=False)


@pytest.fixture(scope="module")
def picnic():
    return read_lists(PICNIC)


@given(cases=CASES)
def test_a_row_of_a_table_is_a_list(cases):
    lists, references, texts = ([case[k] for case in cases] for k in range(3))
    corrected = CorrectedLists.of(nbest_lists(lists, references), texts, lm.WER())
    expected = {
        "one_best": [errors(one[0], words) for one, words in zip(lists, references, strict=True)],
        "corrected": list(starmap(errors, zip(texts, references, strict=True))),
        "oracle": [min(errors(h, words) for h in one) for one, words in zip(lists, references, strict=True)],
        "compositional": [
            sum(all(word not in h for h in one) for word in words) for one, words in zip(lists, references, strict=True)
        ],
    }
    lengths = list(map(len, references))
    for name, table in corrected.tables.items():
        assert table[:, 1:4].sum(axis=1).tolist() == expected.pop(name)
        assert table[:, 4].tolist() == lengths
        assert (table[:, 0] + table[:, 1] + table[:, 2]).tolist() == lengths
        assert table[:, 1:4].sum() == getattr(corrected.found, name)
    assert expected == {}
    for words, reference, one in zip(texts, references, corrected.texts, strict=True):
        assert one.alignment == lm.WER().align(words, reference)
        assert (one.words, one.statistics.errors) == (words, errors(words, reference))


def test_the_section_has_the_figures_of_corrections(tmp_path, picnic):
    data, rows, section = written(tmp_path, list(picnic), picnic.references, corrected=FIXED, seed=3)
    found = corrections_of(picnic, TEXTS)
    tables = {"1-best": [nbest.ranking()[0].words for nbest in picnic.lists], "corrected": TEXTS}
    tables = {name: lm.WER().table(texts, picnic.references) for name, texts in tables.items()}
    for name, table in tables.items():
        one = bootstrap(lm.WER(), table, resamples=50, seed=3)
        assert rows[name][:2] == [rate_text(one.value), span(one.low, one.high)]
    oracle = curve(picnic, resamples=50, seed=3).oracle
    assert rows["best hypotheses (o_nb)"] == ["3.70%", span(oracle.interval.low, oracle.interval.high), "1/27"]
    assert rows["words of the lists (o_cp)"] == ["0.00%", "0.00 … 0.00%", "0/27"]
    assert [rows[name][2] for name in tables] == ["3/27", "2/27"]
    change = paired_bootstrap(lm.WER(), *tables.values(), resamples=50, seed=3).difference
    assert f"by −3.70%, with 95 % of resamples in {span(change.low, change.high)}" in section
    assert rows["headroom recovered (RIR)"] == [
        rate_text(found.recovered),
        "1 error fewer; the best hypotheses have 2 fewer",
    ]
    assert rows["harmful edits, utterances"] == ["33.33%", "2 helpful, 1 harmful, 0 neutral, 1 unchanged"]
    assert rows["harmful edits, words"] == ["33.33%", "2 helpful, 1 harmful, 1 missed"]
    assert rows["hallucinated words"][0] == rate_text(found.hallucinations.rate)
    assert rows["hallucinated words"][1].startswith("0 new, 1 repeated, of 28; 1 error kept from the lists, 0 right")
    assert data["corrected"]


def test_each_utterance_has_its_corrected_text(tmp_path, picnic):
    data, *_ = written(tmp_path, list(picnic), picnic.references, corrected=TEXTS)
    for item, words, (reference,) in zip(data["utterances"], TEXTS, picnic.references, strict=True):
        side, counts = item["sides"]["corrected"], lm.WER().statistics(words, [reference])
        assert side["words"] == words
        assert side["edits"] == lm.WER().align(words, reference).edits
        assert side["fraction"] == [counts.errors, len(reference)]
        assert side["counts"] == [counts.matches[0], counts.substitutions, counts.deletions, counts.insertions]


def test_texts_are_the_same_from_a_file_and_from_python(tmp_path, picnic):
    plain = tmp_path / "plain.txt"
    plain.write_text("".join(f"{' '.join(words)}\n" for words in TEXTS))
    shuffled = tmp_path / "shuffled.txt"
    shuffled.write_text("".join(reversed(FIXED.read_text().splitlines(keepends=True))))
    ways = [FIXED, str(plain), shuffled, TEXTS, (" ".join(words) for words in TEXTS)]
    first, *others = [written(tmp_path, list(picnic), picnic.references, corrected=one) for one in ways]
    assert all(other == first for other in others)
    done = run(PICNIC, "--metric", "wer", "--corrected", FIXED)
    assert contents(done.stdout) == first
    assert "<dt>--corrected</dt>" in done.stdout


def test_corrected_texts_have_rates_by_further_metrics(tmp_path, picnic):
    data, *section = written(tmp_path, list(picnic), picnic.references, "wer,4-grr,cer", corrected=TEXTS)
    for item, words, (reference,) in zip(data["utterances"], TEXTS, picnic.references, strict=True):
        for metric in (lm.GRR(4), lm.CER()):
            assert item["further"][metric.name]["corrected"] == metric.score(words, [reference])
    _, *alone = written(tmp_path, list(picnic), picnic.references, corrected=TEXTS)
    assert section == alone


def test_without_corrected_texts_there_is_no_section(tmp_path, picnic):
    data, rows, section = written(tmp_path, list(picnic), picnic.references)
    assert (data["corrected"], rows, section) == (False, {}, None)
    assert all("corrected" not in item["sides"] for item in data["utterances"])
    assert 'id="only-harmed"' not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_texts_are_prepared_and_normalized_alone(tmp_path):
    lists, fixed = tmp_path / "loud.jsonl", tmp_path / "fixed.txt"
    lists.write_text(json.dumps({"nbest": ["Hello, Word!", "It's a world."], "reference": "hello WORLD"}) + "\n")
    fixed.write_text("HELLO world?\n")
    expected = {(): 2, ("--lowercase",): 1, ("--normalize", "english"): 0, ("--lowercase", "--tokenize", "13a"): 1}
    for options, wrong in expected.items():
        data, rows, _ = contents(run(lists, "--metric", "wer", "--corrected", fixed, *options).stdout)
        side = data["utterances"][0]["sides"]["corrected"]
        assert rows["corrected"][2] == f"{wrong}/2"
        assert side["fraction"] == [wrong, 2]
    assert data["utterances"][0]["references"] == [["hello", "world"]]


def test_ignored_words_count_nowhere(tmp_path):
    graph = lm.NBest.from_strings(["uh a b", "a"])
    data, rows, _ = written(tmp_path, [graph], ["a uh c"], lm.WER(ignore=["uh"]), corrected=["a c uh uh"])
    side = data["utterances"][0]["sides"]["corrected"]
    assert (side["words"], side["edits"], rows["corrected"]) == (["a", "c"], "CC", ["0.00%", "–", "0/2"])


def test_scales_choose_the_baseline(tmp_path):
    graph = lm.NBest.from_strings(["a", "b"], scores={"am": [1.0, 2.0], "lm": [3.0, 1.0]})
    for weights, first in (({"am": 1.0, "lm": 0.0}, "a"), ({"am": 0.0, "lm": 1.0}, "b")):
        path = tmp_path / "page.html"
        lm.Corpus([graph], ["a"], weights=weights).report(path, "wer", corrected=["a"], resamples=50, most_graphs=0)
        data, rows, _ = contents(path.read_text(encoding="utf-8"))
        assert data["utterances"][0]["sides"]["one_best"]["words"] == [first]
        assert rows["1-best"][2] == f"{int(first == 'b')}/1"


def test_references_of_no_words_have_no_rate(tmp_path):
    _, rows, section = written(tmp_path, [lm.NBest.from_strings(["a"])], [""], corrected=["b"])
    assert rows["corrected"] == ["–", "–", "1/0"]
    assert "No rate is defined" in section


def test_a_correction_that_adds_errors_is_below_zero(tmp_path):
    lists = [lm.NBest.from_strings(["a b", "a c"]), lm.NBest.from_strings(["d", "e"])]
    _, rows, section = written(tmp_path, lists, ["a c", "d"], corrected=["x y", "d"])
    assert rows["headroom recovered (RIR)"] == ["−100.00%", "1 error more; the best hypotheses have 1 fewer"]
    assert "changes by 33.33%" in section


LISTS = [lm.NBest.from_strings(["a", "b"]), lm.NBest.from_strings(["c"])]


@pytest.mark.parametrize(
    ("graphs", "references", "options", "said"),
    [
        (LISTS, ["a", "c"], {"corrected": ["a"]}, "2 lists and 1 corrected"),
        (LISTS, ["a", "c"], {"metric": "4-grr", "corrected": ["a", "c"]}, "by wer, which is not among the metrics"),
        (LISTS, [[["a"], ["b"]], [["c"]]], {"corrected": ["a", "c"]}, "several references"),
        (
            [LISTS[0], lm.Lattice.from_strings(["c"])],
            ["a", "c"],
            {"corrected": ["a", "c"]},
            "2.: this is not an n-best list",
        ),
        (LISTS, ["a", "c"], {"corrected": EXAMPLES / "letters.ref.txt"}, "texts and 2 lists"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, graphs, references, options, said):
    with pytest.raises(lm.LatticeMetricError, match=said):
        written(tmp_path, graphs, references, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([PICNIC, "--metric", "4-grr", "--corrected", FIXED], "by wer, which is not among the metrics"),
        ([PICNIC, "--metric", "wer", "--corrected", EXAMPLES / "letters.ref.txt"], "texts and 4 lists"),
        (
            [EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt", "--metric", "wer", "--corrected", FIXED],
            "not an n-best list",
        ),
    ],
)
def test_commands_that_make_no_sense_are_refused(arguments, said):
    done = run(*arguments)
    assert isinstance(done.exception, lm.LatticeMetricError)
    assert said in str(done.exception)
    assert done.stdout == ""


def test_ids_that_do_not_match_are_no_words(tmp_path):
    path, lists = tmp_path / "fixed.txt", [("u1", LISTS[0]), ("u2", LISTS[1])]
    path.write_text("u1 a\nu3 c\n")
    with pytest.raises(lm.LatticeMetricError, match=r"fixed\.txt: .* only here: 'u3'; only there: 'u2'"):
        written(tmp_path, lists, ["a", "c"], corrected=path)
    path.write_text("u4 a\nu3 c\n")
    with pytest.raises(lm.LatticeMetricError, match=r"only here: 'u4', 'u3'; only there: 'u1', 'u2'"):
        written(tmp_path, lists, ["a", "c"], corrected=path)
    path.write_text("so a\nno c\n")  # these may be words
    assert written(tmp_path, lists, ["a", "c"], corrected=path)[1]["corrected"][2] == "2/2"
    path.write_text("1 a\n3 c\n")
    assert written(tmp_path, LISTS, ["a", "c"], corrected=path)[1]["corrected"][2] == "2/2"


def test_one_list_has_no_interval():
    corrected = CorrectedLists.of(nbest_lists([[("a",)]], [("b",)]), [("b",)], lm.WER())
    section = corrected.section(lm.WER(), ReportOptions(resamples=20))
    assert [row["cells"][1] for row in section["rows"]] == ["–"] * 4
    assert (
        section["lead"]
        == "The 1-bests score 100.00%, the corrected texts 0.00%: wer changes by −100.00% (below 0 is better)."
    )
