"""Start-up time is a feature: what is not needed is not imported."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit.paths import EXAMPLES
from kit.patience import PATIENCE

import latticemetric
import latticemetric.evaluation

PROGRAMS = Path(sys.executable).parent
ARGUMENTS = [str(EXAMPLES / "meeting.lat.txt"), str(EXAMPLES / "meeting.ref.txt")]

OPTIONS = {
    "cli.options",
    *(
        f"cli.options.{name}"
        for name in ("computing", "metrics", "output", "preparation", "reading", "running", "values")
    ),
}
RESULT_FORMATS = {"corpus", "corpus.tables", "corpus.tables.formats"}
HEAVY = {"numpy", "networkx", "pynini", "pywrapfst", "nltk", "scipy", "tqdm", "matplotlib", "sacrebleu", "jinja2"}


def modules_of(*command: str) -> set[str]:
    """The modules that a Python process imports; it tells them on standard error."""
    python = [sys.executable, "-P", "-X", "importtime", *command]
    done = subprocess.run(python, capture_output=True, text=True, timeout=PATIENCE, check=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    found = {line.rpartition("|")[2].strip() for line in lines}
    assert "encodings" in found
    return found


def imported_by(*command: str) -> set[str]:
    """The top-level packages that a Python process imports."""
    return {module.partition(".")[0] for module in modules_of(*command)}


def program(name: str) -> str:
    return str(PROGRAMS / name)


def test_the_report_of_imports_would_show_a_heavy_one():
    assert "numpy" in imported_by("-c", "import latticemetric; latticemetric.Lattice")


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["-c", "import latticemetric"], id="import latticemetric"),
        pytest.param(["-c", "import latticemetric; latticemetric.__version__; dir(latticemetric)"], id="dir()"),
        pytest.param(["-c", "from latticemetric import InputError, UsageError"], id="errors"),
        pytest.param([program("lattice-oracle"), "--help"], id="lattice-oracle --help"),
        pytest.param([program("latticemetric"), "--help"], id="latticemetric --help"),
        pytest.param([program("latticemetric"), "--version"], id="latticemetric --version"),
        pytest.param(["-m", "latticemetric", "--version"], id="python -m latticemetric --version"),
        pytest.param([program("lattice-oracle"), "--version"], id="lattice-oracle --version"),
        pytest.param([program("latticemetric"), "doctor", "--help"], id="latticemetric doctor --help"),
        pytest.param([program("latticemetric"), "completion", "bash"], id="latticemetric completion"),
        pytest.param([program("latticemetric"), "convert", "--help"], id="latticemetric convert --help"),
        pytest.param([program("latticemetric"), "info", "--help"], id="latticemetric info --help"),
        pytest.param([program("latticemetric"), "grammar", "--help"], id="latticemetric grammar --help"),
        pytest.param([program("latticemetric"), "grammar", "list"], id="latticemetric grammar list"),
        pytest.param([program("latticemetric"), "score", "--help"], id="latticemetric score --help"),
        pytest.param([program("latticemetric"), "posteriors", "--help"], id="latticemetric posteriors --help"),
        pytest.param([program("latticemetric"), "mbr", "--help"], id="latticemetric mbr --help"),
        pytest.param([program("latticemetric"), "sweep", "--help"], id="latticemetric sweep --help"),
        pytest.param([program("latticemetric"), "correlate", "--help"], id="latticemetric correlate --help"),
        pytest.param(["-c", "import latticemetric; latticemetric.evaluation"], id="evaluation"),
        pytest.param([program("latticemetric"), "tags", "--help"], id="latticemetric tags --help"),
        pytest.param([program("latticemetric"), "report", "--help"], id="latticemetric report --help"),
        pytest.param([program("latticemetric"), "draw", "--help"], id="latticemetric draw --help"),
    ],
)
def test_what_computes_nothing_imports_nothing_heavy(command):
    assert imported_by(*command) & HEAVY == set()


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("latticemetric", set()),
        # Python does not tell the import of a verb itself, cli.oracle, but those of its module.
        (
            "lattice-oracle",
            {
                "cached",
                "cli.files",
                "cli.options.fields",
                "corpus.metric_question",
                "corpus.question",
                "corpus.settings",
                "oracle_search",
                "oracle_search.settings",
                "renamed",
                "settings",
            }
            | OPTIONS
            | RESULT_FORMATS,
        ),
    ],
)
def test_help_imports_options_only(name, more):
    modules = {"cli", "cli.main", "cli.verbs", "cli.plugin_verbs", "cli.commands", "cli.signals", *more}
    modules |= {"arguments", "errors", "memory", "plugins", "renamed"}
    own = {module for module in modules_of(program(name), "--help") if module.startswith("latticemetric.")}
    assert own == {f"latticemetric.{module}" for module in modules}


@pytest.mark.parametrize("words", ["latticemetric ", "latticemetric oracle --metric ", "latticemetric convert --from "])
def test_what_a_shell_asks_imports_nothing_heavy(words, monkeypatch):
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    monkeypatch.setenv("_LATTICEMETRIC_COMPLETE", "bash_complete")
    assert imported_by(program("latticemetric")) & HEAVY == set()


def test_an_oracle_imports_what_it_needs_only():
    found = imported_by(program("lattice-oracle"), *ARGUMENTS)
    assert "numpy" in found
    assert found & {"networkx", "nltk", "scipy", "tqdm", "matplotlib", "sacrebleu"} == set()
    alone = imported_by(program("lattice-oracle"), *ARGUMENTS, "--workers", "1")
    assert alone & {"multiprocessing", "socket"} == set()


def test_words_of_poor_lattices_are_found_without_masked_arrays(tmp_path):
    names = [line.split()[0] for line in Path(ARGUMENTS[1]).read_text().splitlines()]
    references = tmp_path / "ref.txt"
    references.write_text("".join(f"{name} others everywhere\n" for name in names))
    assert "numpy.ma" not in modules_of(program("lattice-oracle"), ARGUMENTS[0], str(references), "--workers", "1")


def test_a_sweep_imports_what_it_needs_only():
    found = imported_by(program("latticemetric"), "sweep", *ARGUMENTS, "--beams", "1", "--nbest-sizes", "2")
    assert found & HEAVY == {"numpy"}


def test_scores_import_what_they_need_only():
    strings = [str(EXAMPLES / name) for name in ("letters.new.txt", "letters.ref.txt")]
    assert imported_by(program("latticemetric"), "score", *strings, "--metric", "wer,bleu") & HEAVY == {"numpy"}


def test_correlations_import_what_they_need_only():
    arguments = ["correlate", str(EXAMPLES / "harvest"), "--metric", "wer,bleu"]
    assert imported_by(program("latticemetric"), *arguments) & HEAVY == {"numpy"}


def test_tags_import_what_they_need_only():
    files = [str(EXAMPLES / f"tide.{name}.tags") for name in ("gold", "tern", "wren")]
    asked = ("--compare", "--sampling", "--sample-sizes", "5")
    assert imported_by(program("latticemetric"), "tags", *files, *asked) & HEAVY == {"numpy"}
    lattices = imported_by(program("latticemetric"), "tags", "--from-lattices", *ARGUMENTS)
    assert lattices & HEAVY == {"numpy"}


def test_a_report_imports_what_it_needs_only():
    found = imported_by(program("latticemetric"), "report", *ARGUMENTS, "-o", os.devnull)
    assert found & HEAVY <= {"numpy", "jinja2", "networkx"}


def test_drawings_import_what_they_need_only():
    meeting = [program("latticemetric"), "draw", ARGUMENTS[0], "--id", "meeting-001", "--one-best"]
    assert imported_by(*meeting) & HEAVY == {"numpy"}
    assert imported_by(*meeting, "--format", "svg") & HEAVY == {"numpy", "networkx"}


def test_info_and_convert_need_no_openfst():
    for arguments in (["info", ARGUMENTS[0]], ["convert", ARGUMENTS[0], "-", "--to", "kaldi"]):
        assert imported_by(program("latticemetric"), *arguments) & (HEAVY - {"numpy"}) == set()


def test_a_forest_needs_neither_networkx_nor_nltk():
    code = (
        "import latticemetric as lm; f = lm.Forest.from_edges([0], [[]], [[1]], goals=[0]); "
        "f.statistics(); f.tree([0]).bracketed()"
    )
    assert imported_by("-c", code) & HEAVY == {"numpy"}


def test_every_public_name_is_there():
    code = "import latticemetric as lm; print([n for n in lm.__all__ if not hasattr(lm, n)])"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("package", [latticemetric, latticemetric.evaluation], ids=lambda package: package.__name__)
def test_type_checkers_know_the_names_that_are_imported_when_they_are_used(package):
    stub = ast.parse(Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [
        (node.module, alias) for node in ast.walk(stub) if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    homes = {alias.asname: module.removeprefix(f"{package.__name__}.") for module, alias in imports}
    named = {name: home for name, home in homes.items() if name in package._HOME}
    assert named == package._HOME
    assert homes.keys() == set(package.__all__) - {"__version__"}
