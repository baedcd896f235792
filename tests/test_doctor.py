"""What is installed, and what is not: machines on which things are missing or broken are made up."""

import json
import os
import subprocess
import sys

import pytest
from kit.patience import PATIENCE

import latticemetric as lm
from latticemetric import doctor
from latticemetric.doctor import Check, Installation, Subject, examine
from latticemetric.errors import InputError, MissingDependencyError

START = "from latticemetric.cli.main import latticemetric; latticemetric()"


def run_doctor(*arguments, before="pass", path="", **environment):
    """The command in a process in which something is done first, or found on Python's path."""
    code = f"import sys; {before}; sys.argv = ['latticemetric', 'doctor', *{list(arguments)}]; {START}"
    everything = {**os.environ, "PYTHONPATH": str(path), **environment}
    command = [sys.executable, "-P", "-c", code]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False, env=everything)


def checks(done):
    assert done.stderr == ""
    return {check["name"]: check for check in json.loads(done.stdout)["checks"]}


def blocked(*names):
    return "; ".join(f"sys.modules[{name!r}] = None" for name in names)


def states(found):
    return {name: check["state"] for name, check in found.items()}


def test_what_this_machine_has_works():
    pytest.importorskip("pynini")
    done = run_doctor("--format", "json")
    found = checks(done)
    assert done.returncode == 0
    installed = {
        "Python",
        "NumPy",
        "native module",
        "pynini",
        "nltk",
        "sacrebleu",
        "networkx",
        "matplotlib",
        "jinja2",
        "Dask",
        "pyarrow",
        "isal",
        "zstd",
    }
    assert {name for name in installed if found[name]["state"] != "ok"} == set()
    assert states(found)["native engine"] == states(found)["openfst engine"] == "ok"
    assert found["native module"]["found"].startswith(f"{lm.__version__}, built with ")


def test_without_pynini_it_works_and_says_what_does_not():
    done = run_doctor("--format", "json", before=blocked("pynini"))
    found = checks(done)
    assert done.returncode == 0
    assert states(found)["pynini"] == states(found)["openfst engine"] == "missing"
    assert states(found)["native engine"] == "ok"
    assert "--engine openfst" in found["pynini"]["needed_for"]
    assert "conda" in found["pynini"]["advice"]


def test_without_the_native_module_it_still_says_so():
    done = run_doctor("--format", "json", before=blocked("latticemetric._native"))
    found = checks(done)
    assert done.returncode == 1
    assert not json.loads(done.stdout)["works"]
    assert states(found)["native module"] == states(found)["native engine"] == "missing"


def test_without_numpy_people_are_told_how_to_get_it():
    done = run_doctor(before=blocked("numpy", "matplotlib"))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(f"latticemetric {lm.__version__}\n")
    assert "\nNumPy is missing, and required: " in done.stdout
    assert (
        "\n  does not work:  --plot, draw as .png or .pdf\n  to get it:      pip install 'latticemetric[report]'\n"
        in done.stdout
    )


def test_other_commands_point_to_it():
    code = f"import sys; {blocked('latticemetric._native')}; sys.argv[1:] = ['info', 'x.fst']; {START}"
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "latticemetric doctor" in done.stderr


def test_what_is_built_for_another_version_and_what_is_wrong_is_broken():
    stale = "from latticemetric import _native; _native.VERSION = '0.0.9'"
    wrong = "from latticemetric import doctor; doctor._KNOWN['wer'] = (2, 5)"
    done = run_doctor("--format", "json", before=f"{stale}; {wrong}")
    found = checks(done)
    assert done.returncode == 1
    assert found["native module"]["problem"] == f"it was built for 0.0.9, but this is latticemetric {lm.__version__}"
    assert found["native engine"]["problem"].startswith("the oracle of wer is wrong")


_POINTS = """[latticemetric.metrics]
ours = others:metric
wer = others:metric
gone = nowhere:metric
2-grr = others:metric
exits = exiting:metric
[latticemetric.formats]
no-format = others:metric
"""


@pytest.fixture(scope="module")
def sick(tmp_path_factory):
    """A machine on which libraries crash, stop, fail and talk, plug-ins do not load, and data is damaged."""
    folder = tmp_path_factory.mktemp("sick")
    plugin = folder / "others-1.2.dist-info"
    plugin.mkdir()
    for path, text in {
        folder / "pynini.py": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        folder / "networkx.py": "import os; os._exit(3)",
        folder / "nltk.py": "raise OSError('libnothing.so is not there – 图书馆')",
        folder / "tqdm.py": "import sys; print('hello'); print('hello', file=sys.stderr)",
        folder / "exiting.py": "import sys; sys.exit(7)",
        folder / "others.py": "def metric(hypothesis, reference): return 1.0",
        folder / "index.noun": "dog n 1 0 1 1 00001740\n",
        plugin / "METADATA": "Metadata-Version: 2.1\nName: others\nVersion: 1.2\n",
        plugin / "entry_points.txt": _POINTS,
    }.items():
        path.write_text(text, encoding="utf-8")
    poor = {"PYTHONIOENCODING": "latin-1", "NLTK_DATA": "", "WNSEARCHDIR": str(folder), "WNHOME": ""}
    done = run_doctor("--format", "json", path=folder, **poor)
    assert done.returncode == 0
    return checks(done)


def test_a_library_that_crashes_is_a_finding(sick):
    assert (sick["pynini"]["state"], sick["pynini"]["problem"]) == ("broken", "it crashed: SIGSEGV")
    assert sick["networkx"]["problem"] == "it ended the process of its check, with status 3"
    assert sick["nltk"]["problem"] == "OSError: libnothing.so is not there – 图书馆"


def test_what_a_library_prints_is_no_part_of_the_result(sick):
    assert sick["tqdm"]["state"] == "ok"


def test_plug_ins_are_listed_with_their_errors(sick):
    assert sick["metric ours"]["found"] == "others:metric of others 1.2"
    assert "latticemetric has a metric with this name" in sick["metric wer"]["problem"]
    assert "latticemetric has a metric with this name" in sick["metric 2-grr"]["problem"]
    assert "does not load: it ends the process, with status 7" in sick["metric exits"]["problem"]
    assert "No module named 'nowhere'" in sick["metric gone"]["problem"]
    assert sick["format no-format"]["state"] == "broken"


def test_a_terminal_without_utf_8_is_told(sick):
    state, problem = sick["terminal"]["state"], sick["terminal"]["problem"]
    assert (state, problem) == ("missing", "standard output has encoding iso8859-1, not UTF-8")


def test_wordnet_that_is_damaged_is_broken(sick):
    assert sick["WordNet"]["state"] == "broken"
    assert "index." in sick["WordNet"]["problem"]


def test_looking_for_something_imports_nothing_before():
    code = (
        "import sys, latticemetric.doctor as d; d._subjects(); "
        "print({'numpy', 'pynini', 'nltk', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stdout.strip() == "set()"


# --- Without processes


def test_every_subject_finds_itself():
    pytest.importorskip("pynini")
    # Limits would hold for this process, and standard output is pytest's.
    elsewhere = ("memory limits", "terminal")
    for subject in doctor._subjects():
        if subject.group not in {"data", "programs"}:
            assert subject.name in elsewhere or subject.probe(), subject.name


@pytest.mark.parametrize(
    ("raised", "state", "problem"),
    [
        (ModuleNotFoundError("No module named 'x'"), "missing", "ModuleNotFoundError: No module named 'x'"),
        (MissingDependencyError("there is none", advice="get it"), "missing", "there is none"),
        (ImportError("undefined symbol"), "broken", "ImportError: undefined symbol"),
        (InputError("it is\ndamaged", where="here"), "broken", "it is damaged"),
        (SystemExit("no display"), "broken", "SystemExit: no display"),
    ],
)
def test_errors_tell_what_is_missing_from_what_is_broken(monkeypatch, raised, state, problem):
    monkeypatch.delattr(os, "fork")

    def look():
        raise raised

    found = examine(Subject("it", "packages", look, "nothing", "get it"))
    assert found == Check("it", "packages", state, None, problem, "nothing", "get it", required=False)


def test_an_installation_works_if_what_is_required_does():
    def check(state, *, required):
        return Check("it", "packages", state, None, None, "", "", required)

    fine, poor = check("ok", required=True), check("missing", required=False)
    assert Installation("1", (fine, poor)).works
    assert not Installation("1", (fine, check("broken", required=True))).works


def test_a_container_may_have_less_memory_than_its_machine(tmp_path, monkeypatch):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(doctor, "_CONTAINER_LIMIT", limit)
    assert "container" not in doctor._memory()
    limit.write_text("max\n")
    assert "container" not in doctor._memory()
    limit.write_text(f"{2**28}\n")
    assert doctor._memory().endswith(", 0.2 GiB for this container")
