"""What the pages say is what happens: their blocks are run, their tables are compared with the program."""

import doctest
import importlib
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from kit import fields, format_table
from kit.forks import search_path
from kit.paths import ROOT
from kit.patience import PATIENCE
from kit.versions import without_version

from latticemetric.cli.verbs import VERBS
from latticemetric.formats import registry as formats
from latticemetric.metrics import registry as metrics

# The pages show OpenFst machines, and pynini is not there on every platform.
pytest.importorskip("pynini")

DOCS = ROOT / "docs"
# What the build of the pages makes is not tested here.
BUILT = (DOCS / "commands", DOCS / "_build")
WRITTEN = sorted(page for page in DOCS.rglob("*.md") if BUILT[0] not in page.parents and BUILT[1] not in page.parents)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *WRITTEN]
PROGRAMS = Path(sys.executable).parent

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\S*) *\n(?P<text>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL)

_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


class Block(NamedTuple):
    """A fenced block of a page, and the line its text begins at."""

    language: str
    text: str
    line: int


class Shown(NamedTuple):
    """A command of a console block, the lines shown below it, and where."""

    command: str
    output: list[str]
    place: str


def blocks(text):
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start("text")) + 1
        yield Block(match["language"], textwrap.dedent(match["text"]), line)


def shown_commands(block, page):
    found = []
    for number, line in enumerate(block.text.splitlines(), start=block.line):
        if found and found[-1].command.endswith("\\"):
            found[-1] = found[-1]._replace(command=f"{found[-1].command}\n{line}")
        elif line.startswith("$ "):
            found.append(Shown(line[2:], [], f"{page}:{number}"))
        elif found:
            found[-1].output.append(line)
        else:
            raise AssertionError(f"{page}:{number}: a console block begins with a command")
    return found


def normalised(lines, *, in_columns):
    """Lines without empty ones; unless they are in columns, without differences of white space."""
    return [text for line in lines if (text := line.rstrip() if in_columns else " ".join(line.split()))]


def unexplained(shown, first, second):
    """What is left of shown lines, and of two streams, when the shown lines are read as the streams merged."""
    first, second = list(first), list(second)
    for number, line in enumerate(shown):
        for stream in (first, second):
            if stream and stream[0] == line:
                stream.pop(0)
                break
        else:
            return shown[number:], first, second
    return [], first, second


def run_console(block, page, folder):
    environment = {**os.environ, "PATH": search_path(PROGRAMS), "COLUMNS": "100"}
    for shown in shown_commands(block, page):
        done = subprocess.run(
            ["bash", "-c", shown.command], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        in_columns = "\t" not in done.stdout  # pages show fields that are separated by tabs one below the other
        output, errors, wanted = (
            normalised(lines, in_columns=in_columns)
            for lines in (
                without_version(done.stdout).splitlines(),
                without_version(done.stderr).splitlines(),
                shown.output,
            )
        )
        extra, missing, unsaid = unexplained(wanted, output, errors)
        assert extra + missing == [], f"{shown.place}: {shown.command}\n{done.stdout}{done.stderr}"
        # What goes to standard error is shown whole or not at all; an error is never passed over.
        skipped = len(unsaid) == len(errors) and done.returncode == 0
        assert skipped or not unsaid, f"{shown.place}: not shown: {unsaid}"


class Checker(doctest.OutputChecker):
    """Compares outputs without the version."""

    def check_output(self, want, got, optionflags):
        return super().check_output(want, without_version(got), optionflags)


def run_python(block, page, namespace):
    if ">>>" not in block.text:
        exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), namespace)
        return
    report = []
    runner = doctest.DocTestRunner(Checker(), optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    test = doctest.DocTestParser().get_doctest(block.text, namespace, page.name, str(page), block.line - 1)
    test.globs = namespace  # not a copy: later blocks go on where this one ends
    failed, _ = runner.run(test, out=report.append, clear_globs=False)
    assert not failed, "".join(report)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the examples to work in; what pages register is forgotten afterwards."""
    for registry, load, table in ((metrics, "metric_names", "_factories"), (formats, "formats", "_formats")):
        getattr(registry, load)()
        monkeypatch.setattr(registry, table, dict(getattr(registry, table)))
    data = tmp_path / "data"
    shutil.copytree(ROOT / "examples" / "data", data)
    monkeypatch.chdir(data)
    return data


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_of_a_page_do_what_it_shows(page, folder, monkeypatch):
    if page.name == "README.md":  # its reader stands in the folder of the repository
        (folder.parent / "examples").mkdir()
        folder = folder.rename(folder.parent / "examples" / "data").parent.parent
        monkeypatch.chdir(folder)
    namespace = {"__name__": "__main__"}
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "console":
            run_console(block, page, folder)
        elif block.language == "python":
            run_python(block, page, namespace)


def test_pages_have_blocks_to_run():
    languages = {page.stem: {b.language for b in blocks(page.read_text(encoding="utf-8"))} for page in PAGES}
    assert {"console", "python"} <= languages["README"]
    assert "python" in languages["python"]
    assert "python" in languages["plugins"]
    for name in ("start", "oracle", "json", "kaldi", "plf", "metrics"):
        assert languages[name] & {"console", "python"}, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_of_a_page_have_a_text_and_lead_somewhere(page):
    """Pages are read as they are in the repository, too, where nothing fills in titles."""
    for text, target in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        assert text, f"{page}: the link to {target} has no text"
        path = (page.parent / target.partition("#")[0]).resolve()
        assert target.startswith(("https:", "#")) or path.exists() or path.parent == BUILT[0], f"{page}: {target}"


def anchors_on_github(page: Path) -> set[str]:
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ +(.+)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", _LINK.sub(r"\1", heading).lower()).replace(" ", "-") for heading in headings}
    included = re.findall(r"^```{include} (.+)$", text, re.MULTILINE)  # which GitHub does not show
    return anchors.union(*(anchors_on_github(page.parent / path) for path in included))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_to_headings_work_on_github_too(page):
    """Sphinx also takes the names of docutils, in which hyphens in a row are one."""
    for _, target in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = target.partition("#")
        if anchor and not path.startswith("https:") and (not path or path.endswith(".md")):
            assert anchor in anchors_on_github((page.parent / path) if path else page), f"{page}: {target}"


def test_sources_link_to_the_names_that_objects_are_documented_under(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    link = runpy.run_path(str(DOCS / "conf.py"))["_link_by_documented_names"]
    names = {"Oracle": False, "sweep": False, "corpus.sweep.sweep": True, "corpus.sweep.Row": False}
    entries = {f"latticemetric.{name}": SimpleNamespace(aliased=aliased) for name, aliased in names.items()}
    application = SimpleNamespace(env=SimpleNamespace(domains={"py": SimpleNamespace(objects=entries)}))
    links = [f'<a href="oracles.html#latticemetric.{name}">[docs]' for name in ("Row", "corpus.sweep.sweep", "Other")]
    shown = {"body": "".join(links)}
    link(application, "_modules/latticemetric/corpus/sweep", "", shown, None)
    assert re.findall(r"#latticemetric\.([^>]+)\">", shown["body"]) == ["corpus.sweep.Row", "sweep", "Other"]


# --- The runner itself can fail


@pytest.mark.parametrize(
    ("shown", "output", "errors", "left"),
    [
        (["a", "b"], ["a", "b"], [], ([], [], [])),
        (["e", "a", "f"], ["a"], ["e", "f"], ([], [], [])),
        (["a"], ["a", "b"], [], ([], ["b"], [])),
        (["a", "c"], ["a"], ["b"], (["c"], [], ["b"])),
        (["b", "a"], ["a", "b"], [], (["b", "a"], ["a", "b"], [])),
    ],
)
def test_shown_lines_are_the_streams_merged(shown, output, errors, left):
    assert unexplained(shown, output, errors) == left


@pytest.mark.parametrize(
    "text",
    [
        "$ echo one\ntwo\n",
        "$ echo \\\n    one\ntwo\n",
        "$ printf 'one\\ntwo\\n'\none\n",
        "$ lattice-oracle harbour.fst nowhere.txt\n",
        "$ lattice-oracle harbour.fst harbour.ref.txt\nharbour 0.0000 0/10 the old harbour sleeps\n",
        "$ printf 'a  b\\n'\na b\n",
    ],
)
def test_a_wrong_console_block_is_found_out(text, folder):
    with pytest.raises(AssertionError):
        run_console(Block("console", text, 1), Path("page.md"), folder)


@pytest.mark.parametrize("text", [">>> 1 + 1\n3\n", "assert 1 + 1 == 3\n"])
def test_a_wrong_python_block_is_found_out(text):
    with pytest.raises(AssertionError):
        run_python(Block("python", text, 1), Path("page.md"), {})


# --- Tables against the program


def documented(page, heading):
    """The `code` names that begin the rows of the first table under a heading."""
    text = (DOCS / page).read_text(encoding="utf-8")
    section = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    assert section, f"{page} has no section '{heading}'"
    return [name for cell in re.findall(r"^\| (`.+?) +\|", section[1], re.MULTILINE) for name in _code(cell)]


def _rows(page, heading):
    text = (DOCS / page).read_text(encoding="utf-8").partition(f" {heading}\n")[2]
    return [line for line in re.split("^#", text, maxsplit=1, flags=re.MULTILINE)[0].splitlines() if line[:3] == "| `"]


def _code(cell):
    return re.findall(r"`([^` ]+)[^`]*`", cell)


def output_of(*arguments, status=0):
    done = subprocess.run(
        [PROGRAMS / arguments[0], *arguments[1:]], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == status, done.stderr
    return done.stdout


def test_tables_of_fields_are_those_of_todays_records_and_docstrings():
    text = fields.PAGE.read_text(encoding="utf-8")
    assert fields.written(text) == text, "run: PYTHONPATH=tests python -m kit.fields"


def test_a_field_that_no_docstring_describes_is_found_out():
    item = next(one for one in fields.TABLES if one.heading == "An item")
    undocumented = item._replace(described_by=("corpus.tables.table.AnswerTable.answered",))
    with pytest.raises(AssertionError, match="describe score, numerator"):
        fields.table(undocumented)


MEETING = ("meeting.lat.txt", "meeting.ref.txt", "--metric", "wer")


@pytest.mark.usefixtures("folder")
def test_json_has_the_documented_fields():
    document = json.loads(output_of("lattice-oracle", *MEETING, "--format", "json"))
    assert list(document) == documented("json.md", "The document")
    assert list(document["corpus"]) == documented("json.md", "The corpus")
    assert list(document["corpus"]["one_best"]) == documented("json.md", "The 1-best of the corpus")
    for item in document["lattices"]:
        assert sorted(item) == sorted(documented("json.md", "An item"))
        assert list(item["one_best"]) == documented("json.md", "The 1-best of an item")


@pytest.mark.usefixtures("folder")
def test_documents_of_shards_have_the_documented_fields():
    document = json.loads(output_of("lattice-oracle", *MEETING, "--format", "json", "--shard", "1/2"))
    assert list(document) == documented("json.md", "The document") + documented("json.md", "With `--shard`")


@pytest.mark.usefixtures("folder")
def test_items_of_forests_have_the_documented_fields():
    line = output_of(
        "lattice-oracle", "lantern.target_graph", "lantern.ref.txt", "--metric", "wer", "--format", "jsonl"
    )
    fields = {*documented("json.md", "An item"), *documented("json.md", "An item of a forest")} - {"arcs"}
    assert json.loads(line).keys() == fields


@pytest.mark.usefixtures("folder")
def test_json_lines_are_the_items_of_the_document():
    document = json.loads(output_of("lattice-oracle", *MEETING, "--format", "json"))
    lines = output_of("lattice-oracle", *MEETING, "--format", "jsonl").splitlines()
    assert [json.loads(line) for line in lines] == document["lattices"]


@pytest.mark.usefixtures("folder")
def test_documents_by_several_metrics_have_the_documented_fields():
    alone, several = (
        json.loads(output_of("lattice-oracle", *MEETING, "--metric", metrics, "--format", "json"))
        for metrics in ("wer", "wer,4-grr")
    )
    added = set(several["lattices"][0]) - set(alone["lattices"][0])
    assert added == set(documented("json.md", "With several metrics"))
    assert several.keys() == {"signatures", "lattices", "corpus"}
    assert several["signatures"].keys() == several["corpus"].keys() == {"wer", "4-grr"}


def test_a_failed_item_has_the_documented_fields(folder):
    (folder / "few.txt").write_text("meeting-001 we should meet\n", encoding="utf-8")
    arguments = ("lattice-oracle", MEETING[0], "few.txt", "--metric", "wer", "--keep-going", "--format", "jsonl")
    items = list(map(json.loads, output_of(*arguments, status=1).splitlines()))
    assert list(items[-1]) == documented("json.md", "An item that failed")


@pytest.mark.usefixtures("folder")
def test_tsv_has_the_documented_columns():
    header, *_ = output_of("lattice-oracle", *MEETING, "--format", "tsv").splitlines()
    assert header.split("\t") == documented("json.md", "TSV and data frames")


@pytest.mark.usefixtures("folder")
def test_tuning_has_the_documented_fields():
    tuning = ("latticemetric", "tune", *MEETING, "--decoder", "mbr", "-p", "0.7", "--ratio", "0.7")
    document = json.loads(output_of(*tuning, "--format", "json"))
    assert list(document) == documented("json.md", "With `--decoder mbr`")
    for setting in (document["best"], document["default"], *document["trials"]):
        assert list(setting) == documented("json.md", "A setting of MBR")
    for name in ("over_one_best", "held_out_over_one_best"):
        assert list(document[name]) == documented("json.md", "A comparison with 1-bests")
    header, *_ = output_of(*tuning, "--format", "tsv").splitlines()
    assert header.split("\t") == [*documented("json.md", "A setting of MBR"), "best"]


@pytest.mark.usefixtures("folder")
def test_networks_have_the_documented_fields():
    document = json.loads(output_of("latticemetric", "consensus", "ferry.slf", "--format", "json"))
    assert sorted(document["lattices"][0]) == sorted(documented("json.md", "Output of `consensus`"))


@pytest.mark.usefixtures("folder")
def test_lists_have_the_documented_fields():
    lists = ("latticemetric", "lists", "picnic.json", "--metric")
    arguments = (*lists, "wer", "--corrected", "picnic.corrected.txt", "--format")
    document = json.loads(output_of(*arguments, "json"))
    assert list(document) == documented("json.md", "Output of `lists`")
    assert list(document["points"][0]) == documented("json.md", "A point of `lists`")
    assert list(document["corrections"]) == documented("json.md", "Corrections of `lists`")
    header, *_ = output_of(*arguments, "tsv").splitlines()
    assert header.split("\t") == documented("json.md", "A point of `lists`")
    several = json.loads(output_of(*lists, "wer,4-grr", "--format", "json"))
    assert several.keys() == {"signatures", "lists", "ranks", "compositional", "points"}
    assert list(several["points"][0]) == ["metric", *document["points"][0]]


@pytest.mark.usefixtures("folder")
def test_posteriors_have_the_documented_fields():
    kinds = {"words": "A word", "ngrams": "An n-gram", "arcs": "An arc", "edges": "An edge"}
    fields = documented("json.md", "Output of `posteriors`")
    for of, part in {**kinds, "summary": None}.items():
        graph = "lantern.target_graph" if of == "edges" else "ferry.slf"
        arguments = ("latticemetric", "posteriors", graph, "--of", of, "--format")
        (item,) = json.loads(output_of(*arguments, "json"))["lattices"]
        assert list(item) == [name for name in fields if name not in kinds or name == of]
        if part is not None:
            assert list(item[of][0]) == documented("json.md", f"{part} with its posterior")
            header, *_ = output_of(*arguments, "tsv").splitlines()
            assert header.split("\t") == ["id", *documented("json.md", f"{part} with its posterior"), "error"]


@pytest.mark.usefixtures("folder")
def test_correlations_have_the_documented_fields():
    options = ("--metric", "bleu,wer", "--resamples", "20", "--group-by", "human", "--bin-width=1", "--ranks", "spa")
    document = json.loads(output_of("latticemetric", "correlate", "harvest", *options, "--format", "json"))
    assert list(document) == documented("json.md", "Output of `correlate`")
    correlation = documented("json.md", "A correlation")
    ranks = [name for name in correlation if name.endswith("_interval")]
    plain = [name for name in correlation if name not in ranks]
    for metric in ("bleu", "wer"):
        assert list(document["system"][metric]) == correlation
        assert list(document["system"][metric]["interval"]) == documented("json.md", "An interval")
        added = documented("json.md", "A correlation of differentials")
        assert list(document["differentials"][metric]) == [*correlation, *added]
        segment = document["segment"][metric]
        assert list(segment) == documented("json.md", "A correlation of segments")
        assert list(segment["pooled"]) == list(segment["systems"]["alder"]) == plain
        assert list(document["groups"]["metrics"][metric]) == [*plain, "large"]
    assert list(document["scores"]["wer"]["alder"]) == documented("json.md", "A system's score")
    assert list(document["human"]["alder"]) == [*documented("json.md", "A system's score"), "judged_segments"]
    assert list(document["groups"]) == documented("json.md", "Groups")
    assert list(document["groups"]["groups"][0]) == documented("json.md", "A group")
    for level in ("system", "segment"):
        assert list(document["comparisons"][level][0]) == documented("json.md", "A comparison of metrics")
    assert list(document["comparisons"]["system"][0]["williams"]) == documented("json.md", "Williams' test")
    assert list(document["ranks"]) == documented("json.md", "Ranks")
    task = document["ranks"]["tasks"]["spa:segment"]
    assert list(task) == documented("json.md", "Ranks on a task")
    assert list(task["tests"][0]) == documented("json.md", "A test of two metrics")


@pytest.mark.usefixtures("folder")
def test_scores_of_extracted_strings_have_the_documented_fields():
    plain, scored = (
        json.loads(output_of("lattice-oracle", *MEETING, "--metric", "wer", "--format", "json", *more))
        for more in ([], ["--also-score", "wrr"])
    )
    assert set(scored["lattices"][0]) - set(plain["lattices"][0]) == set(documented("json.md", "With `--also-score`"))
    assert set(scored["corpus"]) - set(plain["corpus"]) == {"scores"}


EXTREMES = ("--nbest", "2", "--hope", "1,2", "--fear", "1", "--worst")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("graphs", [MEETING, ("lantern.target_graph", "lantern.ref.txt")])
def test_answers_beside_oracles_have_the_documented_fields(graphs):
    document = json.loads(output_of("lattice-oracle", *graphs, "--metric", "wer", *EXTREMES, "--format", "json"))
    item, corpus = document["lattices"][0], document["corpus"]
    assert {"nbest", "hope", "fear", "worst"} == set(documented("json.md", "With --nbest, --hope, --fear and --worst"))
    shared = set(item) - {"id", "one_best", "nbest", "hope", "fear", "worst"}
    added, totals = documented("json.md", "An answer"), documented("json.md", "Totals of answers")
    for answer in item["nbest"]:
        assert set(answer) == shared
    for kind, lacking in (("hope", {"bound"}), ("fear", set()), ("worst", {"weight", "value"})):
        answer, total = (part[kind][1] if kind == "hope" else part[kind] for part in (item, corpus))
        assert set(answer) == shared | set(added) - lacking
        assert set(total) == set(totals) - lacking


def test_items_of_automata_have_the_documented_fields(folder):
    pytest.importorskip("pynini")
    import latticemetric as lm

    lm.WRR().compile("the old harbour sleeps").write(str(folder / "own.fst"))
    asked = ("lattice-oracle", "harbour.fst", "--metric", "own.fst", "--format")
    document = json.loads(output_of(*asked, "json"))
    assert list(document) == ["lattices", "corpus", "signature"]
    names = documented("json.md", "With an automaton")
    assert list(document["lattices"][0]) == names
    assert json.loads(output_of(*asked, "jsonl")).keys() == {*names, "signature"}
    assert list(document["corpus"]) == ["score", "one_best", "lattices", "failed"]


@pytest.mark.usefixtures("folder")
def test_items_with_joined_words_have_the_documented_fields():
    document = json.loads(output_of("lattice-oracle", *MEETING[:2], "--metric", "compound-wer", "--format", "json"))
    assert list(document) == documented("json.md", "The document")
    assert sorted(document["lattices"][0]) == sorted(documented("json.md", "With joined words"))


SWEEP = ("latticemetric", "sweep", *MEETING, "--beams", "1", "--by-length", "4", "--format", "json")


@pytest.mark.usefixtures("folder")
def test_sweeps_have_the_documented_fields():
    document = json.loads(output_of(*SWEEP))
    assert list(document) == documented("json.md", "Output of `sweep`")
    for row in document["rows"]:
        assert list(row) == documented("json.md", "A row of a sweep")
    for one in document["lengths"]:
        assert list(one) == documented("json.md", "A bin of lengths")
    more = json.loads(output_of(*SWEEP, "--resamples", "10"))["rows"][0].keys() - document["rows"][0].keys()
    assert more == {"low", "high", "half_width"}


@pytest.mark.usefixtures("folder")
def test_tags_and_confidences_have_the_documented_fields():
    plain, tagged = (
        json.loads(output_of("lattice-oracle", *MEETING, "--metric", "wer", "--format", "json", *more))["lattices"][0]
        for more in ([], ["--tags", "--posteriors"])
    )
    names = documented("json.md", "With `--tags` and `--posteriors`")
    assert set(tagged) - set(plain) == set(tagged["one_best"]) - set(plain["one_best"]) == set(names)


TIDE = ("latticemetric", "tags", "tide.gold.tags", "tide.tern.tags", "tide.wren.tags")


@pytest.mark.usefixtures("folder")
def test_tags_have_the_documented_fields():
    asked = ("--synthetic", "--compare", "--sampling", "--sample-sizes", "5,10")
    document = json.loads(output_of(*TIDE, *asked, "--format", "json"))
    assert list(document) == documented("json.md", "Output of `tags`")
    scores = documented("json.md", "Scores of tags")
    assert all(list(one) == scores for part in ("systems", "synthetic") for one in document[part].values())
    assert list(document["comparison"]) == documented("json.md", "A comparison of metrics of tags")
    for one in document["comparison"]["metrics"].values():
        assert list(one) == documented("json.md", "Results of a metric of tags")
    assert list(document["sampling"]) == documented("json.md", "Repeated sampling")
    header, *_ = output_of(*TIDE, "--format", "tsv").splitlines()
    assert header.split("\t") == ["system", *scores]


def test_a_diagnosis_has_the_documented_fields():
    document = json.loads(output_of("latticemetric", "doctor", "--format", "json"))
    assert list(document) == documented("json.md", "Output of `doctor`")
    groups = set(_code(next(row for row in _rows("json.md", "A check") if row.startswith("| `group`")))) - {"group"}
    for check in document["checks"]:
        assert list(check) == documented("json.md", "A check")
        assert check["group"] in groups


@pytest.mark.usefixtures("folder")
def test_tags_of_lattices_have_the_documented_fields():
    command = ("latticemetric", "tags", "--from-lattices", *MEETING, "--format")
    document = json.loads(output_of(*command, "json"))
    assert list(document) == documented("json.md", "Output of `tags --from-lattices`")
    names = ["threshold", *documented("json.md", "Scores of tags")]
    assert list(document["thresholds"][0]) == names
    assert output_of(*command, "tsv").splitlines()[0].split("\t") == names


def test_every_command_has_a_page_with_all_its_options(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(DOCS / "_extensions")
    command_pages = importlib.import_module("command_pages")
    application = SimpleNamespace(srcdir=tmp_path)
    (tmp_path / "guide.md").write_text("# Guide\n\n[](commands/mbr.md)\n", encoding="utf-8")
    (tmp_path / "commands").mkdir()
    (tmp_path / "commands" / "gone.md").write_text("# A command that was\n", encoding="utf-8")
    command_pages._write_pages(application)
    pages = {page.stem: page.read_text(encoding="utf-8") for page in (tmp_path / "commands").iterdir()}
    assert pages.keys() == {"index", "options", *VERBS}
    for verb in VERBS:
        command = importlib.import_module(f"latticemetric.cli.{verb}").command
        for part in getattr(command, "commands", {"": command}).values():
            for name in (name for option in part.params for name in option.opts if name.startswith("-")):
                assert re.search(rf"^```{{option}} .*{re.escape(name)}\b", pages[verb], re.MULTILINE), (verb, name)
        assert f"commands/{verb}.md" in pages["index"] or f"<{verb}.md>" in pages["index"]
        assert "## Examples" in pages[verb]
    assert "[](<../guide.md>)" in pages["mbr"]


@pytest.mark.parametrize("verb", list(VERBS))
def test_every_command_is_in_a_guide(verb):
    texts = [page.read_text(encoding="utf-8") for page in PAGES if page != DOCS / "index.md"]
    assert any(f"commands/{verb}.md" in text or f"latticemetric {verb}" in text for text in texts)


def test_the_table_of_formats_is_that_of_todays_registry():
    text = format_table.PAGE.read_text(encoding="utf-8")
    assert format_table.written(text) == text, "run: PYTHONPATH=tests python -m kit.format_table"


def test_files_of_formats_without_ids_lose_their_usual_suffixes():
    """The name of a file is the id of its graph where the file holds no other."""
    for name, known in formats.formats().items():
        if known.single and name in formats.BUILT_IN:
            for suffix in known.suffixes:
                assert formats.graph_name(f"talk.1{suffix}") == "talk.1", (name, suffix)


def test_the_changelog_is_one_page():
    assert len((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split()) <= 1500


def test_every_format_has_a_page():
    assert format_table.pages_of_formats().keys() == formats.formats().keys()
    unnamed = set((DOCS / "formats").glob("*.md")) - {*format_table.pages_of_formats().values(), format_table.PAGE}
    assert not unnamed


def test_every_public_name_is_in_the_reference():
    public = set(importlib.import_module("latticemetric").__all__) - {"__version__"}
    text = "\n".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "api").glob("*.md")))
    names = re.findall(r"^\.\. auto\w+:: ([\w.]+)", text, re.MULTILINE)
    assert len(names) == len(set(names))  # each name is on one page
    assert set(re.findall(r"^\.\. auto\w+:: latticemetric\.(\w+)(?:\(\))?$", text, re.MULTILINE)) == public


def test_the_floors_are_those_of_the_contract():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    floors = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    drawing = next(block.text for block in blocks(text) if block.language == "text")
    drawing = re.sub(r" :\n│ +", " : ", drawing)  # a floor that goes on
    drawn = [re.findall(r"\w+", row) for row in re.findall(r"^[│▼]  (\w.*?)(?:  |$)", drawing, re.MULTILINE)]
    assert drawn == [re.findall(r"\w+", floor) for floor in floors]
