"""A report: what it says is what others found, words are data, and the same run is the same file."""

import base64
import hashlib
import json
import math
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from kit import commands
from kit.lists import oracle_at_k
from kit.paths import EXAMPLES
from kit.patience import PATIENCE

import latticemetric as lm
from latticemetric.corpus.report.charts import count, decades, rate_text, short_number, span, ticks
from latticemetric.corpus.report.errors import error_groups
from latticemetric.corpus.report.page import json_for_script
from latticemetric.segment_id import SegmentId

pytest.importorskip("jinja2")

PROGRAMS = Path(sys.executable).parent
MEETING = (EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt")
LANTERN = (EXAMPLES / "lantern.target_graph", EXAMPLES / "lantern.ref.txt")
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img/src=x/onerror=alert(1)>",
    "<!--<script>",
    "\"'&amp;&lt;",
    "\u202eevil\u2066",
    "a\x00b\x1b[31m",
    "\u2028\u2029",
    "\ud800",
    "{{7*7}}{%raw%}",
    "x" * 10_000,
]


class Page(HTMLParser):
    """The elements of a page, and what stands in those that are asked for."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.scripts, self.styles, self.text = [], [], [], [], []
        self.data, self.policy, self.inside = "", "", None
        self.attributes = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append(tag)
        self.attributes |= found.keys()
        if "id" in found:
            self.ids.append(found["id"])
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"]
        self.inside = (tag, found.get("type"))

    def handle_endtag(self, _tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == ("script", "application/json"):
            self.data += data
        elif self.inside and self.inside[0] == "script":
            self.scripts.append(data)
        elif self.inside and self.inside[0] == "style":
            self.styles.append(data)
        else:
            self.text.append(data)

    @property
    def known(self):
        return json.loads(self.data)

    @property
    def shown(self):
        return " ".join(" ".join(self.text).split())


def run(*arguments, status=0, **more):
    done = commands.run("latticemetric", "report", *arguments, **more)
    assert done.status == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def page_of(*arguments, **more):
    return Page(run(*arguments, **more).stdout)


def keyed(path):
    return dict(line.split(" ", 1) for line in path.read_text().splitlines())


@pytest.fixture(scope="module")
def meeting():
    return page_of(*MEETING, "--metric", "wer", "--also-score", "bleu", "--beams", "0,1,4")


@pytest.fixture(scope="module")
def graphs():
    references = keyed(MEETING[1])
    return [(name, graph, references[name]) for name, graph in lm.read(MEETING[0])]


def test_utterances_are_what_the_questions_answer(meeting, graphs):
    for item, (name, graph, reference) in zip(meeting.known["utterances"], graphs, strict=True):
        best, decoded = lm.oracle(graph, reference, "wer"), lm.mbr(graph, "wer")
        assert item["id"] == name
        assert item["references"] == [reference.split()]
        for side, path in (("oracle", best), ("one_best", best.one_best)):
            told = item["sides"][side]
            assert tuple(told["words"]) == path.words
            assert told["score"] == path.score
            assert told["fraction"] == [path.numerator, path.denominator]
            assert told["edits"] == path.alignment.edits
            assert told["cost"] == path.cost
        assert tuple(item["sides"]["mbr"]["words"]) == decoded.words
        assert item["sides"]["mbr"]["score"] == lm.WER().score(decoded.words, reference)
        assert item["headroom"] == abs(best.score - best.one_best.score)
        assert item["best_paths"][0] == lm.oracle_lattice(graph, reference, "wer").statistics().paths
        assert item["arcs"] == len(graph.word)
        assert item["scores"]["bleu"]["oracle"] == lm.BLEU().score(best.words, [reference])


# --- Several metrics


@pytest.fixture(scope="module")
def both():
    return page_of(*MEETING, "--resamples", "0")  # by the default metrics


@pytest.mark.parametrize("files", [MEETING, LANTERN])
def test_the_totals_by_several_metrics_are_those_of_lattice_oracle(files):
    page = page_of(*files, "--metric", "wer,4-grr,wrr", "--also-score", "bleu")
    command = [PROGRAMS / "lattice-oracle", *files, "--metric", "wer,4-grr,wrr", "--also-score", "bleu"]
    done = subprocess.run([*command, "--format", "json"], capture_output=True, check=True, timeout=PATIENCE)
    by_metric = json.loads(done.stdout)["corpus"]
    begins = [page.shown.index(f"{name}, {way} is better oracle") for name, way in WAYS.items()]
    assert begins == sorted(begins)
    for begin, totals in zip(begins, by_metric.values(), strict=True):
        shown = page.shown[begin:].split(" headroom ")
        for side, one in (("oracle", totals), ("1-best", totals["one_best"])):
            row = re.search(rf"{side} (\S+) .*?(\S+/\S+) ", shown[0])
            assert row.groups() == (rate_text(one["score"]), f"{one['numerator']}/{one['denominator']}")
        assert shown[1].startswith(rate_text(abs(totals["score"] - totals["one_best"]["score"])))
    first = page_of(*files, "--metric", "wer", "--also-score", "bleu")
    of_graphs = [{k: v for k, v in one.items() if k != "further"} for one in page.known["utterances"]]
    assert of_graphs == first.known["utterances"]


WAYS = {"wer": "lower", "4-grr": "higher", "wrr": "higher"}


def test_utterances_have_the_rates_by_further_metrics(both, graphs):
    for item, (_, graph, reference) in zip(both.known["utterances"], graphs, strict=True):
        best, decoded = lm.oracle(graph, reference, "4-grr"), lm.mbr(graph, "wer")
        rates = {"oracle": best.score, "one_best": best.one_best.score}
        assert item["further"] == {"4-grr": rates | {"mbr": lm.GRR(4).score(decoded.words, reference)}}


def test_python_and_the_command_line_have_the_same_default_metrics(both, graphs, tmp_path):
    corpus = lm.Corpus([(name, graph) for name, graph, _ in graphs], [reference for *_, reference in graphs])
    corpus.report(tmp_path / "page.html", resamples=0)
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert page.known == both.known
    assert "metric wer,4-grr" in page.shown
    assert "signature of 4-grr 4-grr|" in page.shown


def test_graphs_that_failed_count_as_deletions_by_every_metric(tmp_path):
    graphs = tmp_path / "meeting.lat.txt"
    graphs.write_text(MEETING[0].read_text().split("\n\n")[0] + "\n\n")
    page = page_of(graphs, MEETING[1], "--metric", "wer,4-grr", "--keep-going", status=1)
    command = [PROGRAMS / "lattice-oracle", graphs, MEETING[1], "--metric", "wer,4-grr", "--keep-going"]
    done = subprocess.run([*command, "--format", "json"], capture_output=True, check=False, timeout=PATIENCE)
    for totals in json.loads(done.stdout)["corpus"].values():
        assert f"{totals['numerator']}/{totals['denominator']} {totals['matches']}" in page.shown


def test_words_that_metrics_ignore_count_for_the_others(tmp_path):
    corpus = lm.Corpus([lm.Lattice.from_strings(["a uh b"], [0.0])], ["a uh c"])
    corpus.report(tmp_path / "page.html", [lm.WER(ignore=["uh"]), lm.WRR()])
    (item,) = Page((tmp_path / "page.html").read_text()).known["utterances"]
    assert [item["sides"][side]["score"] for side in ("oracle", "mbr")] == [1 / 2, 1 / 2]
    assert set(item["further"]["wrr"].values()) == {2 / 3}


def test_expected_words_stand_where_the_alignment_has_them(meeting, graphs):
    for item, (_, graph, reference) in zip(meeting.known["utterances"], graphs, strict=True):
        best = lm.oracle(graph, reference, "wer")
        for side, path in (("oracle", best), ("one_best", best.one_best)):
            steps = path.alignment.steps()
            assert item["sides"][side]["expected"] == [r for edit, r, _ in steps if edit in "SD"]


def test_the_summary_is_that_of_lattice_oracle(meeting):
    command = [PROGRAMS / "lattice-oracle", *MEETING, "--metric", "wer", "--also-score", "bleu", "--format", "json"]
    corpus = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE).stdout)["corpus"]
    oracle = f"oracle {rate_text(corpus['score'])}"
    assert oracle in meeting.shown
    assert (
        f"{corpus['numerator']}/{corpus['denominator']} {corpus['matches']} {corpus['substitutions']}" in meeting.shown
    )
    assert f"headroom {rate_text(corpus['one_best']['score'] - corpus['score'])}" in meeting.shown
    assert rate_text(corpus["scores"]["bleu"]["oracle"]["score"]) in meeting.shown


def test_expected_rates_are_those_of_expected(graphs):
    page = page_of(*MEETING, "--metric", "wer", "--expected", "--posterior-scale", "0.3", "--nbest-sizes", "1,2")
    errors = words = 0
    for item, (_, graph, reference) in zip(page.known["utterances"], graphs, strict=True):
        found = lm.expected(graph, reference, "wer", posterior_scale=0.3)
        assert item["expected"] == [found.value, found.low, found.high, True]
        errors, words = errors + found.numerator, words + found.denominator
        lists = [oracle_at_k([lm.NBest.from_graph(graph, k)], [reference], "wer").oracle.score for k in (1, 2)]
        assert item["at_k"] == [[1, lists[0]], [2, lists[1]]]
    assert f"expected {rate_text(errors / words)}" in page.shown


def test_expected_rates_of_arcs_are_those_of_their_paths(graphs):
    page = page_of(*MEETING, "--metric", "wer", "--expected", "--posterior-scale", "0.5")
    for item, (_, graph, reference) in zip(page.known["utterances"], graphs, strict=True):
        weight, rates = [0.0] * len(graph.word), [0.0] * len(graph.word)
        for arcs in graph.n_best(100, paths=True):
            probability, rate = math.exp(-0.5 * graph.cost_of(arcs)), lm.WER().score(graph.words(arcs), reference)
            for arc in arcs:
                weight[arc] += probability
                rates[arc] += probability * rate
        shown = [arc[4] for arc in item["drawing"]["arcs"]]
        assert shown == pytest.approx([rate / all_ for rate, all_ in zip(rates, weight, strict=True)], abs=1e-3)


def test_errors_are_grouped_by_what_ids_say(tmp_path):
    strings = {"ann_f1-1": "a", "ann_f2-1": "b", "bob_f3-1": "c"}
    graphs = [(name, lm.Lattice.from_strings([text], [0.0])) for name, text in strings.items()]
    speakers = {"ann_f1-1": "s1", "ann_f2-1": "s2", "bob_f3-1": "s2"}
    for options, expected in (
        ({}, {"speaker": ["ann", "ann", "bob"], "file": ["ann_f1", "ann_f2", "bob_f3"]}),
        ({"utt2spk": speakers}, {"speaker": ["s1", "s2", "s2"], "file": ["ann_f1", "ann_f2", "bob_f3"]}),
    ):
        lm.Corpus(graphs, ["a"] * 3).report(tmp_path / "page.html", "wer", **options)
        known = Page((tmp_path / "page.html").read_text(encoding="utf-8")).known
        assert known["groupings"] == list(expected)
        assert [one["groups"] for one in known["utterances"]] == [
            list(each) for each in zip(*expected.values(), strict=True)
        ]
    with pytest.raises(lm.UsageError, match="has no speaker"):
        lm.Corpus(graphs, ["a"] * 3).report(tmp_path / "page.html", "wer", utt2spk={"ann_f1-1": "s1"})
    assert error_groups(["1", "2"]) == {}
    segments = ["a,1,ann,0,1,<O>", "a,1,bob,1,2,<O,F>", "b,1,ann,0,1"]
    assert error_groups(segments) == {"speaker": ["ann", "bob", "ann"], "file": ["a", "a", "b"]}
    assert error_groups([SegmentId("a", "1"), SegmentId("a", "2"), SegmentId("b", "1")]) == {"file": ["a", "a", "b"]}


def test_reports_group_segments_by_the_speakers_of_the_stm(tmp_path):
    stm = "".join(f"talk 1 {who} {k} {k + 1} <O,F{k}> a\n" for k, who in enumerate(["ann", "bob", "ann"]))
    (tmp_path / "ref.stm").write_text(stm)
    run(tmp_path / "ref.stm", tmp_path / "ref.stm", "-o", tmp_path / "page.html")
    known = Page((tmp_path / "page.html").read_text(encoding="utf-8")).known
    assert known["groupings"] == ["speaker"]
    assert [one["groups"] for one in known["utterances"]] == [["ann"], ["bob"], ["ann"]]


def test_the_sweep_is_that_of_sweep(meeting):
    command = [PROGRAMS / "latticemetric", "sweep", *MEETING, "--metric", "wer", "--beams", "0,1,4", "--format", "json"]
    rows = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE).stdout)["rows"]
    assert "Oracles by beam" in meeting.shown
    for row in rows:
        assert rate_text(row["score"]) in meeting.shown


def test_rates_are_in_per_cent_as_on_the_command_line(meeting):
    done = commands.run("lattice-oracle", *MEETING, "--metric", "wer")
    share = re.search(r"oracle +([0-9.]+)  ", done.stderr)[1]
    assert f"the oracles score {share}%" in meeting.shown
    assert not re.search(r"(oracle|1-best|headroom) 0\.[0-9]{4}", meeting.shown)


def test_scores_that_are_no_fractions_are_numbers(tmp_path):
    lm.Corpus([lm.Lattice.from_strings(["a b c"])], ["a b c"]).report(
        tmp_path / "page.html", "wer", also_score=["nist", "bleu"]
    )
    page = Page((tmp_path / "page.html").read_text())
    assert f"{lm.NIST().corpus(['a b c'], ['a b c']).score:.4f}" in page.shown
    assert page.known["fractions"] == ["bleu"]


def test_intervals_are_those_of_the_bootstrap(meeting, graphs):
    from latticemetric.evaluation.intervals import bootstrap, paired_bootstrap

    found = [lm.oracle(graph, reference, "wer") for _, graph, reference in graphs]
    references = [reference for _, _, reference in graphs]
    best, model = (
        lm.WER().table(side, references) for side in ([o.words for o in found], [o.one_best.words for o in found])
    )
    one = bootstrap(lm.WER(), best)
    assert span(one.low, one.high) in meeting.shown
    gap = paired_bootstrap(lm.WER(), model, best).difference
    assert span(-gap.high, -gap.low) in meeting.shown


def test_python_writes_the_same_but_for_what_was_typed(tmp_path, meeting, graphs):
    lm.Corpus([(name, graph) for name, graph, _ in graphs], [reference for *_, reference in graphs]).report(
        tmp_path / "page.html", "wer", also_score=["bleu"], beams=[0, 1, 4]
    )
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert page.known == meeting.known
    assert page.scripts == meeting.scripts


def test_files_and_memory_have_the_same_page_but_for_its_title(tmp_path):
    graphs, texts = MEETING
    references = dict(line.split(maxsplit=1) for line in Path(texts).read_text().splitlines())
    how = {"ignore": "um we", "lowercase": True}
    for name, corpus in (
        ("files", lm.Corpus.read(graphs, texts, **how)),
        ("memory", lm.Corpus(lm.read(graphs), references, **how)),
    ):
        corpus.report(tmp_path / name, "wer", expected=True, title="same", workers=2, progress=False)
    run(graphs, texts, "--metric", "wer", "--ignore", "um we", "-lc", "--expected", "-o", tmp_path / "command")
    files, memory, command = (Page((tmp_path / name).read_text()) for name in ("files", "memory", "command"))
    assert files.known == memory.known == command.known
    assert "we" not in files.known["utterances"][0]["sides"]["oracle"]["words"]


def test_a_page_that_was_interrupted_is_continued_in_python(tmp_path, monkeypatch):
    from latticemetric.corpus.report import page as pages

    corpus = lm.Corpus.read(*MEETING)
    how = {"also_score": "bleu,ter", "beams": [1], "progress": False}
    corpus.report(tmp_path / "whole.html", "wer", **how)
    with monkeypatch.context() as patched:
        patched.setattr(pages, "page", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            corpus.report(tmp_path / "page.html", "wer", resume=tmp_path / "journal", **how)
    assert (tmp_path / "journal").exists()
    assert not (tmp_path / "page.html").exists()
    with pytest.raises(lm.UsageError, match="journal"):
        corpus.report(tmp_path / "page.html", "wer", resume=tmp_path / "journal", beams=[2])
    monkeypatch.setattr("latticemetric.corpus.review.review_graph", lambda *_: 1 / 0)
    corpus.report(tmp_path / "page.html", "wer", resume=tmp_path / "journal", **how)
    assert (tmp_path / "page.html").read_bytes() == (tmp_path / "whole.html").read_bytes()
    assert not (tmp_path / "journal").exists()


def test_graphs_that_fail_are_on_the_page(tmp_path):
    lattice = lm.Lattice.from_strings(["a"])
    corpus = lm.Corpus({"one": lattice, "two": lattice}, {"one": "a"})
    with pytest.raises(lm.InputError, match="there is no reference for 'two'"):
        corpus.report(tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()
    corpus.report(tmp_path / "page.html", keep_going=True)
    assert "1 graph failed" in Page((tmp_path / "page.html").read_text()).shown
    with pytest.raises(lm.UsageError, match="the corpus has no references"):
        lm.Corpus([lattice]).report(tmp_path / "other.html")
    for wrong, says in (
        ({"mbr_by": "nothing"}, "there is no MBR by .nothing."),
        ({"mbr": "wer"}, "report has no setting 'mbr'"),
        ({"score": "bleu"}, "report has no setting 'score'"),
        ({"metric": "bleu"}, "bleu"),
        ({"metric": "wer,wer"}, "metric 'wer' is given twice"),
        ({"metric": "4-grr,wer", "corrected": ["a"]}, "shown by wer, but the page is by 4-grr, the first metric"),
        ({"metric": "4-grr", "corrected": ["a"]}, "scored by wer, which is not among the metrics"),
        ({"confidence": 2}, "the confidence level is 2"),
    ):
        with pytest.raises(lm.UsageError, match=says):
            corpus.report(tmp_path / "other.html", **wrong)
    assert not (tmp_path / "other.html").exists()


def test_the_same_run_is_the_same_file(tmp_path):
    for name, workers in (("a.html", 1), ("b.html", 2)):
        run(*MEETING, "--workers", workers, "-o", tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_a_date_is_told_only_where_it_can_be_told_again(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert "2001-09-09" not in page_of(*MEETING).shown
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    assert "2001-09-09" in page_of(*MEETING).shown


def test_nothing_is_fetched_and_nothing_else_runs(meeting):
    assert set(meeting.policy.split("; ")) >= {"default-src 'none'", "base-uri 'none'", "form-action 'none'"}
    assert "unsafe" not in meeting.policy
    for text in [*meeting.scripts, *meeting.styles]:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in meeting.policy
    assert len(meeting.scripts) == 2
    assert not {"src", "href", "style", "srcset", "action"} & (meeting.attributes - {"href"})
    assert not any(name.startswith("on") for name in meeting.attributes)
    assert not {"img", "link", "iframe", "object"} & set(meeting.tags)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", "".join([*meeting.scripts, *meeting.styles]))
    assert len(set(meeting.ids)) == len(meeting.ids)


@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_words_are_data(tmp_path, word):
    graph = lm.Lattice.from_strings([[word, "b"], ["b", word, word]], costs=[1.0, 2.0])
    path = tmp_path / "page.html"
    lm.Corpus([(word, graph)], [[["b", word]]]).report(path, "wer", title=word)
    plain = tmp_path / "plain.html"
    lm.Corpus([("a", lm.Lattice.from_strings(["a b", "b a a"], [1.0, 2.0]))], ["b a"]).report(plain, "wer", title="a")
    page, other = (Page(one.read_bytes().decode("utf-8")) for one in (path, plain))
    assert page.tags == other.tags
    assert page.scripts == other.scripts
    item = page.known["utterances"][0]
    shown = item["sides"]["one_best"]["words"][0]
    assert shown == word or not word.isprintable()
    assert not re.search("[\x00-\x08\x0b-\x1f\u2028\u202a-\u202e\u2066-\u2069]", shown)
    assert all(len(link[2][2]) <= 60 for link in item["drawing"]["links"])


@pytest.mark.parametrize("text", ["</script>", "<!--", "a & b", "\u2028\u2029", '"\\'])
def test_json_in_a_script_is_the_same_json(text):
    embedded = json_for_script({"a": [text]})
    assert json.loads(embedded) == {"a": [text]}
    assert not set("<>&\u2028\u2029") & set(embedded)


def test_failures_are_listed_and_count_as_deletions(tmp_path):
    graphs = tmp_path / "meeting.lat.txt"
    graphs.write_text(MEETING[0].read_text().split("\n\n")[0] + "\n\n")
    failed = page_of(graphs, MEETING[1], "--metric", "wer", "--keep-going", status=1)
    assert [item.get("error", "") != "" for item in failed.known["utterances"]] == [False, True, True]
    assert "there is no graph named 'meeting-002'" in failed.shown
    assert "In 3 graphs, of which 2 failed, the oracles score" in failed.shown
    command = [PROGRAMS / "lattice-oracle", graphs, MEETING[1], "--metric", "wer", "--keep-going", "--format", "json"]
    corpus = json.loads(subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE).stdout)["corpus"]
    assert f"oracle {rate_text(corpus['score'])}" in failed.shown


def test_a_run_that_fails_writes_nothing(tmp_path):
    done = run(MEETING[0], LANTERN[1], "-o", tmp_path / "page.html", status=2)
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_only_the_graphs_with_the_most_headroom_are_drawn():
    page = page_of(*MEETING, "--metric", "wer", "--most-graphs", "1")
    items = page.known["utterances"]
    drawn = [item["id"] for item in items if "drawing" in item]
    assert drawn == [max(items, key=lambda item: item["headroom"])["id"]]
    assert page.known["drawn"] == [1, 3]
    assert "1 of 3 graphs are drawn" in page.shown
    assert not any("drawing" in item for item in page_of(*MEETING, "--most-graphs", "0").known["utterances"])


def test_drawings_have_all_arcs_of_small_graphs(meeting, graphs):
    for item, (_, graph, reference) in zip(meeting.known["utterances"], graphs, strict=True):
        drawing = item["drawing"]
        assert len(drawing["links"]) == len(graph.word)
        assert [arc[0] for arc in drawing["arcs"]] == [graph.vocabulary.word(int(w)) for w in graph.word]
        assert [arc[2] for arc in drawing["arcs"]] == pytest.approx(lm.posteriors(graph).arc.tolist(), rel=1e-3)
        assert [arc[1] for arc in drawing["arcs"]] == pytest.approx(graph.cost().arc.tolist(), rel=1e-5)
        best = lm.oracle(graph, reference, "wer")
        for side, path in (("oracle", best), ("one_best", best.one_best)):
            number = drawing["paths"].index(side)
            assert [n for n, link in enumerate(drawing["links"]) if number in link[1]] == sorted(path.arcs)


def test_of_large_graphs_the_best_part_is_drawn_and_says_so(tmp_path):
    strings = [f"a w{n} b" for n in range(400)]
    graph = lm.Lattice.from_strings(strings, [float(n) for n in range(400)])
    lm.Corpus([graph], ["a w399 b"]).report(tmp_path / "page.html", "wer", mbr_by="none")
    drawing = Page((tmp_path / "page.html").read_text()).known["utterances"][0]["drawing"]
    words = {arc[0] for arc in drawing["arcs"]}
    assert {"w0", "w399"} <= words
    assert len(drawing["links"]) < 150
    assert f"{len(drawing['links'])} of {len(graph.word)} arcs" in drawing["notes"][0]


def test_mbr_is_what_was_asked_for():
    item = page_of(*MEETING, "--mbr-by", "2-grr", "--posterior-scale", "0.5").known["utterances"][0]
    _, graph = next(iter(lm.read(MEETING[0])))
    assert tuple(item["sides"]["mbr"]["words"]) == lm.mbr(graph, "2-grr", posterior_scale=0.5).words
    none = page_of(*MEETING, "--mbr-by", "none").known
    assert not none["decoded"]
    assert all("mbr" not in item["sides"] for item in none["utterances"])


def test_forests_are_decoded_by_ngrams():
    (item,) = page_of(*LANTERN).known["utterances"]
    graph = lm.read_one(LANTERN[0])
    assert item["kind"] == "forest"
    assert item["sides"]["mbr"]["method"] == "ngram"
    assert tuple(item["sides"]["mbr"]["words"]) == lm.mbr(graph).words
    best = lm.oracle(graph, LANTERN[1].read_text().strip())
    assert tuple(item["sides"]["oracle"]["words"]) == best.words
    drawing = item["drawing"]
    rules = drawing["vertices"][drawing["edges"] :]
    assert len(rules) == len(drawing["arcs"]) == len(graph.head)
    assert [n for n, rule in enumerate(rules) if drawing["paths"].index("oracle") in rule[7]] == sorted(set(best.edges))
    assert [arc[2] for arc in drawing["arcs"]] == pytest.approx(lm.posteriors(graph).edge.tolist(), rel=1e-3)


def test_mbr_that_has_no_answer_is_no_reason_to_show_nothing():
    page = page_of(*LANTERN, "--mbr-by", "wer")
    (item,) = page.known["utterances"]
    assert "mbr" not in item["sides"]
    assert "mbr_problem" in item
    assert "MBR failed on 1 graph" in page.shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--metric", "bleu"), "cannot search a graph"),
        (("--mbr-by", "nothing-like-this"), "there is no MBR by"),
        (("--mbr-by", "wer", "--samples", "3"), "does not use samples"),
        (("--posterior-scale", "nan"), "the posterior scale is nan; give a number ≥ 0"),
        (("--also-score", "nothing-like-this"), "nothing-like-this"),
        (("--beams", "-1"), "the beam is -1"),
        (("-o", "/nowhere/at/all/page.html"), "cannot be written"),
    ],
)
def test_mistakes_are_told_in_a_line(arguments, said):
    assert said in run(*MEETING, *arguments, status=2).stderr


def test_references_of_no_words_have_no_rate(tmp_path):
    path = tmp_path / "page.html"
    lm.Corpus([lm.Lattice.from_strings(["a"])], [""]).report(path, "wer")
    page = Page(path.read_text())
    assert page.known["utterances"][0]["headroom"] is None
    assert "no rate is defined" in page.shown


def test_a_graph_alone_has_no_interval(tmp_path):
    path = tmp_path / "page.html"
    lm.Corpus([lm.Lattice.from_strings(["a", "b"])], ["b"]).report(path, "wer")
    assert "oracle 0.00% –" in Page(path.read_text()).shown


def test_ignored_words_are_in_no_answer(tmp_path):
    path = tmp_path / "page.html"
    graph = lm.Lattice.from_strings(["<s> a b </s>", "<s> b </s>"], costs=[1.0, 0.0])
    lm.Corpus([graph], ["a c"]).report(path, lm.WER(ignore=["<s>", "</s>"]), also_score=["wrr"])
    sides = Page(path.read_text()).known["utterances"][0]["sides"]
    assert [sides[side]["words"] for side in ("oracle", "one_best")] == [["a", "b"], ["b"]]


def test_marks_hold_all_values():
    for low, high in ((0.0, 1.0), (-0.2, 0.37), (0.5, 0.5), (3.0, 4000.0), (0.001, 0.0012)):
        marks = ticks(low, high)
        assert marks[0] <= low <= high <= marks[-1]
        assert 2 <= len(marks) <= 9
    for low, high in ((1.0, 1.0), (0.3, 700.0), (20.0, 21.0), (5.0, 5e6)):
        marks = decades(low, high)
        assert marks[0] <= low * 1.01
        assert marks[-1] >= high * 0.99
        assert len(marks) >= 2


def test_numbers_are_short():
    assert [count(n) for n in (0, 99_999, 123_456, 10**7, 3 * 10**13)] == [
        "0",
        "99999",
        "123\u202f456",
        "1 · 10⁷",
        "3 · 10¹³",
    ]
    assert [count(n) for n in (199_999_999, 10**17 - 1, -25_000_000)] == ["2 · 10⁸", "1 · 10¹⁷", "−2.5 · 10⁷"]
    assert count(7**100_000).endswith("· 10⁸⁴⁵⁰⁹")
    assert [short_number(n) for n in (None, 3.0, 2.34567, -0.5)] == ["–", "3", "2.35", "−0.5"]
    assert [short_number(n) for n in (1350.25, 28_000.5, 123_456.7)] == ["1350.2", "28000.5", "123\u202f457"]


def test_values_of_axes_are_written_out(tmp_path):
    graph = lm.Lattice.from_strings(["a", "b"], [1.0, 2.0])
    page = tmp_path / "page.html"
    lm.Corpus([graph] * 2, ["b"] * 2).report(page, "wer", nbest_sizes=[1, 1_000_000], beams=[0, 1_234_567.0])
    text = page.read_text(encoding="utf-8")
    assert ">1000000<" in text
    assert ">1234567<" in text
    assert "e+0" not in text.split("<script type=")[0].split("</style>")[1]
    assert rate_text(None) == "–"
    assert rate_text(-0.25) == "−25.00%"


@pytest.mark.parametrize("more", [(), ("--nbest-sizes", "1")])
def test_without_resamples_there_are_no_intervals(more, tmp_path):
    page = tmp_path / "page.html"
    options = ("--metric", "wer", "--resamples", "0", *more, "-o", page)
    commands.good(commands.run("latticemetric", "report", EXAMPLES / "picnic.json", *options))
    text = page.read_text(encoding="utf-8")
    assert "resamples" not in text
    assert "±" not in text


def test_rates_by_each_metric_are_charted_and_charts_say_their_metric():
    text = page_of(*MEETING, "--metric", "wer,4-grr", "--beams", "1").shown
    for title in ("Corpus rates: wer", "Corpus rates: 4-grr", "Rates of utterances: wer", "Rates of utterances: 4-grr"):
        assert title in text
    for caption in ("headroom by wer; ", "wer; solid: oracle of pruned graphs"):
        assert caption in text
    assert "Corpus rates: 4-grr" not in page_of(*MEETING, "--metric", "wer").shown
