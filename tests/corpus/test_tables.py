"""Tables of answers: the same text from Python as from the command line."""

import importlib
import inspect
import pkgutil
import subprocess
import sys
from functools import cache, partial

import numpy as np
import pytest
from kit.commands import PROVERBS, good, oracle, run
from kit.outputs import COMMANDS, RUNS, command_of, write_examples
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.corpus import tables
from latticemetric.corpus.answer import answers_of
from latticemetric.corpus.oracles import oracles_of
from latticemetric.corpus.pairing import pair_up
from latticemetric.corpus.run import Run
from latticemetric.corpus.tables import merged, oracles
from latticemetric.corpus.tables.best import BestTable
from latticemetric.corpus.tables.consensus import ConsensusTable
from latticemetric.corpus.tables.formats import lines_of
from latticemetric.corpus.tables.looks import Looks
from latticemetric.corpus.tables.table import ItemTable, tsv_field
from latticemetric.formats.reading import entries
from latticemetric.formats.references import read_references

FERRY = EXAMPLES / "ferry.slf"
FORMATS = ["text", "tsv", "json", "jsonl"]


def printed(table, output_format):
    return "".join(f"{line}\n" for line in lines_of(table, output_format))


def oracle_table(**settings):
    graphs, references = map(str, PROVERBS)
    pairs = pair_up(entries([graphs]), [read_references(references)])
    search = lm.ByRate(metric="wer")
    return oracles.oracle_table(oracles_of(pairs, search, Run()), search, 1, **settings)


def test_tables_know_nothing_of_the_command_line():
    code = """
import pkgutil, sys
from importlib import import_module
import latticemetric.corpus.tables as tables
for module in pkgutil.iter_modules(tables.__path__, tables.__name__ + "."):
    import_module(module.name)
print(*(name for name in sys.modules if name == "click" or name.startswith("latticemetric.cli")))
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


@pytest.mark.parametrize("output_format", [*FORMATS, "ctm"])
@pytest.mark.parametrize(
    ("verb", "ask", "table"), [("best", lm.best, BestTable), ("consensus", lm.consensus, ConsensusTable)]
)
def test_a_table_of_answers_prints_what_the_command_prints(verb, ask, table, output_format):
    answers = answers_of(entries([str(FERRY)]), partial(ask, posterior_scale=0.5), Run())
    done = good(run("latticemetric", verb, FERRY, "--posterior-scale", 0.5, "--format", output_format))
    assert printed(table(answers), output_format) == done.stdout


@pytest.mark.parametrize("output_format", FORMATS)
def test_a_table_of_oracles_prints_what_the_command_prints(output_format):
    done = good(oracle(*PROVERBS, "--metric", "wer", "--format", output_format))
    table = oracle_table()
    assert printed(table, output_format) == done.stdout
    if output_format == "text":
        assert "".join(f"{line}\n" for line in table.summary()) == done.stderr


def test_looks_choose_fractions_and_colours():
    alignment = lm.oracle(lm.Lattice.from_strings(["a b"]), "a c", "wer").alignment
    assert "\x1b" not in "".join(Looks().alignment_lines(alignment))
    assert "\x1b" in "".join(Looks(colours=True).alignment_lines(alignment))
    assert "%" in printed(oracle_table(), "text")
    fractions = oracle_table(looks=Looks(percent=False))
    assert "%" not in printed(fractions, "text")
    assert not any("wer %" in line for line in fractions.summary())


def test_only_a_terminal_gets_escapes_in_place_of_odd_characters():
    assert Looks().words_line("a", "b\u202ec") == "a b\u202ec"
    assert Looks(terminal=True).words_line("a", "b\u202ec") == r"a b\u202ec"
    assert Looks().words_line("a", "b\nc") == r"a b\nc"


NEW_FORMAT = """
import sys
from latticemetric.corpus.tables.formats import FORMATS, ResultFormat
def lines(table):
    yield ";".join(table.columns)
    for row in table.rows():
        yield ";".join(map(str, row))
FORMATS["semicolons"] = ResultFormat("semicolons", "rows", lines, suffixes=("ssv",))
from latticemetric.cli.main import latticemetric
latticemetric()
"""


WITHOUT_TABLES = {"doctor", "draw"}
WRITING = [words for words in RUNS if words[0] not in WITHOUT_TABLES and COMMANDS[command_of(words)].has("--format")]


@pytest.fixture(scope="module")
def examples_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    write_examples(folder)
    return folder


@pytest.mark.parametrize("words", WRITING, ids=" ".join)
def test_one_declaration_of_a_format_serves_every_verb(words, examples_folder):
    code = [sys.executable, "-P", "-c", NEW_FORMAT, *words]
    started = partial(subprocess.run, cwd=examples_folder, capture_output=True, text=True, check=False)
    done = started([*code, "--format", "semicolons"])
    assert (done.returncode, ";" in done.stdout.partition("\n")[0]) == (0, True), done.stderr
    assert started([*code, "-o", f"{words[0]}.ssv"]).returncode == 0
    assert (examples_folder / f"{words[0]}.ssv").read_text() == done.stdout
    assert len(WRITING) >= 15


def test_each_table_of_a_shard_can_be_merged():
    for module in pkgutil.iter_modules(tables.__path__):
        importlib.import_module(f"{tables.__name__}.{module.name}")

    def kinds(base):
        for one in base.__subclasses__():
            yield from kinds(one)
            if not inspect.isabstract(one) and hasattr(one, "kind"):
                yield one.kind, f"{one.__module__.rpartition('.')[2]}.{one.__name__}"

    sweeps = {"sweep": "sweep.SweepTable", "sweeps": "sweep.SweepsTable"}
    assert dict(kinds(ItemTable)) | sweeps == merged._KINDS  # its names are those of documents


def read_examples(*names):
    return lm.Corpus.read(*(str(EXAMPLES / name) for name in names))


FERRY_CORPUS = read_examples("ferry.slf", "ferry.ref.txt")
KITCHEN = read_examples("kitchen.jsonl", "kitchen.ref.txt")
ANSWERS = {
    "best": FERRY_CORPUS.best,
    "nbest": partial(FERRY_CORPUS.nbest, 2),
    "mbr": FERRY_CORPUS.mbr,
    "mbr by wer": partial(FERRY_CORPUS.mbr, "wer"),
    "mbr by exact risk": partial(FERRY_CORPUS.mbr, "wer", risk="exact"),
    "mbr by a metric": partial(FERRY_CORPUS.mbr, "2-grr", pruning_confidence=0.99),
    "consensus": FERRY_CORPUS.consensus,
    **{f"posteriors of {of}": partial(FERRY_CORPUS.posteriors, of=of) for of in ("words", "ngrams", "arcs", "summary")},
    "info": FERRY_CORPUS.info,
    "oracle": partial(FERRY_CORPUS.oracle, "wer", also_score="bleu", posteriors=True, hope=[1, 2], nbest=2, worst=True),
    "oracle by two": partial(FERRY_CORPUS.oracle, "wer,4-grr", posteriors=True),
    "oracle by bleu": partial(FERRY_CORPUS.oracle, "bleu"),
    "sweep": partial(FERRY_CORPUS.sweep, "wer", beams=[1]),
    "sweep by two": partial(FERRY_CORPUS.sweep, beams=[1]),
    "expected": partial(FERRY_CORPUS.expected, "wer"),
    "expected by two": FERRY_CORPUS.expected,
    "calibrate": partial(KITCHEN.calibrate, resamples=0),
    "tags": FERRY_CORPUS.tags,
    "lists": partial(KITCHEN.lists, "wer", resamples=0),
    "lists by two": partial(KITCHEN.lists, resamples=0),
    "tune": partial(FERRY_CORPUS.tune, vary={"lm": (1, 20)}, resamples=0),
    "combine": partial(lm.combine_systems, [str(EXAMPLES / f"coast.{name}.ctm") for name in ("north", "south")]),
    "map": partial(FERRY_CORPUS.map, lm.oracle),
}


@cache
def answered(name):
    return ANSWERS[name]()


# Columns that TSV shows as one text.
AS_TEXT = {"scores", "distribution", "nbest", "notes"}


@pytest.mark.parametrize("name", ANSWERS)
def test_data_frames_have_the_columns_of_tsv(name, tmp_path):
    answers = answered(name)
    answers.write(tmp_path / "table.tsv")
    header, *lines = (line.split("\t") for line in (tmp_path / "table.tsv").read_text().splitlines())
    frame = answers.to_arrow()
    assert frame.num_rows == len(lines)
    assert not [one.name for one in frame.schema if str(one.type).startswith("struct")]
    for number, title in enumerate(header):
        cells = [line[number] for line in lines]
        if title in AS_TEXT or title.endswith("_scores") or name == "map" or not any(cells):
            continue
        column = frame[title].to_pylist()
        if name == "info":
            assert [len(tsv_field(value)) for value in column] == list(map(len, cells))
        else:
            assert list(map(tsv_field, column)) == cells


def test_numbers_of_the_1_best_are_columns_of_data_frames():
    pytest.importorskip("pandas")
    frame = answered("oracle").to_pandas()
    assert frame["one_best_score"].tolist() == [0.5]
    assert frame["hope_1_cost"].tolist() == [1493.3]
    assert frame["scores_acoustic"].tolist() == [pytest.approx(1301.5)]
    assert {"bleu", "one_best_bleu", "one_best_confidences", "worst_score"} <= set(frame)
    assert answered("map").to_pandas()["one_best_score"].tolist() == [0.5]


@pytest.mark.parametrize("name", ["best", "mbr", "mbr by wer", "mbr by exact risk", "mbr by a metric", "consensus"])
def test_times_have_one_form_in_all_verbs(name, tmp_path):
    answers = answered(name)
    (record,) = answers.to_records()
    times = [[0.0, 0.18], [0.18, 0.57], [0.57, 0.84], [0.84, 1.1]]
    assert record["times"] == pytest.approx(np.array(times), abs=1e-4)
    assert all(round(time, 6) == time for pair in record["times"] for time in pair)
    answers.write(tmp_path / "table.tsv")
    header, row = (line.split("\t") for line in (tmp_path / "table.tsv").read_text().splitlines())
    cells = dict(zip(header, row, strict=True))
    for k, end in enumerate(("begin", "end")):
        assert cells[end] == " ".join(str(pair[k]) for pair in record["times"])
        assert answers.to_arrow()[end].to_pylist() == [[pair[k] for pair in record["times"]]]
