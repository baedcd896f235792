"""Diagnose an installation: what is installed, what works, and what is missing.

Each check runs in a separate process, since a library may crash or set limits. The parent process imports no large
library.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint, PackageNotFoundError, version
from typing import Any, Literal, NamedTuple

from latticemetric import plugins
from latticemetric.errors import InputError, LatticeMetricError, MissingDependencyError, UsageError
from latticemetric.memory import machine_memory, size_in
from latticemetric.metrics.signature import VERSION
from latticemetric.renamed import says_new_keywords

CheckState = Literal["ok", "missing", "broken"]


class Subject(NamedTuple):
    """Something to check, such as a package, a program or a limit."""

    name: str
    group: str
    probe: Callable[[], str]
    """Try the subject and return its version, size or path; raise an error if the subject is missing or broken."""
    needed_for: str = ""
    """The commands and options that need it."""
    advice: str = ""
    """The command or setting that installs or enables it."""
    required: bool = False
    """True if nothing works without it."""


@dataclass(frozen=True)
class Check:
    """The result of checking a subject.

    Attributes:
        name: The part that is checked.
        group: `program`, `packages`, `data`, `programs`, `machine`, `plug-ins` or `oracles`.
        state: `ok`, `missing`, or `broken`: installed, but does not work.
        found: The version, size or path of the subject; `None` if the state is not `ok`.
        problem: Why the subject does not work; `None` if the state is `ok`.
        needed_for: The features that need it.
        advice: How to get it.
        required: True if latticemetric does not work without it.
    """

    name: str
    group: str
    state: CheckState
    found: str | None
    problem: str | None
    needed_for: str
    advice: str
    required: bool


@dataclass(frozen=True)
class Installation:
    """The version of latticemetric, and the result of each check."""

    version: str
    checks: tuple[Check, ...]

    @property
    def works(self) -> bool:
        """True if everything required works."""
        return all(check.state == "ok" for check in self.checks if check.required)

    def asdict(self) -> dict[str, Any]:
        """Return the version, `works` and the checks as plain values, for JSON.

        Fields:
            version (str): The version of latticemetric.
            checks (list[Check]): The checks, in the order of the text output.
        """
        return {"version": self.version, "works": self.works, "checks": [asdict(check) for check in self.checks]}


@says_new_keywords
def diagnose_installation(further: Iterable[Subject] = ()) -> Installation:
    """Check which parts of the installation are present and work.

    On systems with fork, each check runs in a separate process, so that a library that crashes is reported as broken.
    Call this function before starting threads.

    Args:
        further: Plug-ins to check beside metrics and formats: the command line has verbs.

    Examples:
        >>> diagnose_installation().works
        True
    """
    return Installation(VERSION, tuple(map(examine, _subjects(further))))


def _subjects(further: Iterable[Subject] = ()) -> list[Subject]:
    reads_or_scores = "all reading and scoring"
    reinstall = "install latticemetric again: pip install --force-reinstall latticemetric"
    report = "pip install 'latticemetric[report]'"
    return [
        Subject("Python", "program", _python, "everything", "Python 3.11 or later", required=True),
        Subject("NumPy", "program", _numpy, reads_or_scores, "pip install numpy", required=True),
        Subject("native module", "program", _native, reads_or_scores, reinstall, required=True),
        Subject("tqdm", "program", _tqdm, "progress bars, and all commands that show one", "pip install tqdm"),
        Subject(
            "pynini",
            "packages",
            _pynini,
            "--engine openfst, --metric FILE.fst, --normalize, grammar, compile(), to_fst()",
            "pip install pynini (Linux x86-64), conda install -c conda-forge pynini (macOS)",
        ),
        Subject(
            "nltk",
            "packages",
            _nltk,
            "metrics with stems, the porter stage of meteor, grammars and trees of forests",
            "pip install nltk",
        ),
        Subject("sacrebleu", "packages", _sacrebleu, "--tokenize", "pip install sacrebleu"),
        Subject("networkx", "packages", _networkx, "to_networkx(), from_networkx()", "pip install networkx"),
        Subject("matplotlib", "packages", _matplotlib, "--plot, draw as .png or .pdf", report),
        Subject("Dask", "packages", _dask, "--cluster", "pip install 'latticemetric[cluster]'"),
        Subject("jinja2", "packages", _jinja2, "report", "pip install jinja2"),
        Subject("pyarrow", "packages", _pyarrow, ".parquet and .arrow files", "pip install 'latticemetric[arrow]'"),
        Subject("isal", "packages", _isal, "reading .gz files in half the time", "pip install isal"),
        Subject("zstd", "packages", _zstd, "files that end in .zst", "pip install backports.zstd (before Python 3.14)"),
        Subject(
            "WordNet",
            "data",
            _wordnet,
            "METEOR with WordNet (used by correlate)",
            "apt install wordnet-base (Debian, Ubuntu), or python -m nltk.downloader wordnet",
        ),
        Subject("dot", "programs", _dot, advice="apt install graphviz; optional, to draw .dot files"),
        Subject("browser", "programs", _browser, advice="apt install chromium; optional, to show .svg and .html files"),
        Subject("processors", "machine", _processors, "--workers above 1"),
        Subject("memory", "machine", _memory),
        Subject("fork", "machine", _fork, "--workers, --timeout, --max-memory", "use Linux or macOS"),
        Subject("memory limits", "machine", _limits, "--max-memory", "use Linux"),
        Subject(
            "terminal",
            "machine",
            _terminal,
            "words with non-ASCII characters on the screen (files are always UTF-8)",
            "export LC_ALL=C.UTF-8",
        ),
        *plugin_subjects("metric", _loaded),
        *plugin_subjects("format", _loaded),
        *further,
        Subject("native engine", "oracles", partial(_oracles, "native"), "oracles", required=True),
        Subject("openfst engine", "oracles", partial(_oracles, "openfst"), "--engine openfst", "install pynini"),
    ]


# ---- Processes ----

# The state; the version, size or path; the problem.
_ProbeResult = tuple[CheckState, str | None, str | None]


def examine(subject: Subject) -> Check:
    """Check a subject, in a separate process if the system can fork."""
    answer = _probed_in_child(subject.probe) if hasattr(os, "fork") else _probed(subject.probe)
    return Check(subject.name, subject.group, *answer, subject.needed_for, subject.advice, subject.required)


def _probed(probe: Callable[[], str]) -> _ProbeResult:
    try:
        return "ok", probe(), None
    except (ModuleNotFoundError, MissingDependencyError) as error:
        return "missing", None, _in_one_line(error)
    except (Exception, SystemExit) as error:  # noqa: BLE001  a broken library may raise anything
        return "broken", None, _in_one_line(error)


def _in_one_line(error: BaseException) -> str:
    """Return the message of an error on one line, without its advice."""
    text = error.what if isinstance(error, LatticeMetricError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())


def _probed_in_child(probe: Callable[[], str]) -> _ProbeResult:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # None: the stream is closed
            stream.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        silence = os.open(os.devnull, os.O_WRONLY)  # hide what libraries print
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        try:
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(_probed(probe), pipe)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "broken", None, f"it crashed: {signal.Signals(os.WTERMSIG(status)).name}"
    if not data:
        return "broken", None, f"it ended the process of its check, with status {os.waitstatus_to_exitcode(status)}"
    answer: _ProbeResult = pickle.loads(data)  # noqa: S301  our own child wrote it
    return answer


# ---- Packages ----


def package_version(name: str) -> str | None:
    """Return the version of an installed package without importing it."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _version_found(package: str) -> str:
    """Return the version of a package, or `version unknown` if it has no metadata."""
    return package_version(package) or "version unknown"


def _require(condition: object, problem: str) -> None:
    if not condition:
        raise InputError(problem)


def _python() -> str:
    _require(sys.version_info >= (3, 11), f"this is Python {sys.version.split()[0]}")
    return f"{sys.version.split()[0]} ({sys.executable})"


def _numpy() -> str:
    numpy = import_module("numpy")
    _require(int(numpy.arange(4).sum()) == 6, "it computes a wrong sum")  # noqa: PLR2004  0 + 1 + 2 + 3
    return str(numpy.__version__)


def _native() -> str:
    native = import_module("latticemetric._native")
    built_for = getattr(native, "VERSION", "an older version")
    _require(built_for == VERSION, f"it was built for {built_for}, but this is latticemetric {VERSION}")
    return f"{built_for}, built with {native.COMPILER}, {native.FLAGS}"


def _tqdm() -> str:
    import_module("tqdm")
    return _version_found("tqdm")


def _pynini() -> str:
    pynini = import_module("pynini")
    machine = pynini.union(pynini.accep("ab"), pynini.accep("cd", weight=1)).optimize()
    best = pynini.shortestpath(pynini.compose(machine, pynini.closure(pynini.union("c", "d"))))
    _require(best.string() == "cd", "it compiles an automaton, but does not find its best path")
    return f"{_version_found('pynini')}, compiles automata"


def _nltk() -> str:
    import_module("nltk.stem.porter")
    from latticemetric.metrics.preparation import porter_stem

    _require(porter_stem("computers") == "comput", "its Porter stemmer gives wrong stems")
    return _version_found("nltk")


def _sacrebleu() -> str:
    tokenizer = import_module("sacrebleu.metrics").BLEU(tokenize="13a").tokenizer
    _require(tokenizer("No, no.") == "No , no .", "its tokenizer 13a gives wrong tokens")
    return _version_found("sacrebleu")


def _networkx() -> str:
    graph = import_module("networkx").MultiDiGraph([(0, 1)])
    _require(len(graph) == 2, "it does not build a graph")  # noqa: PLR2004  the ends of an edge
    return _version_found("networkx")


def _matplotlib() -> str:
    import_module("matplotlib.figure").Figure()
    return _version_found("matplotlib")


def _dask() -> str:
    import_module("distributed")
    return f"{_version_found('dask')}, distributed {_version_found('distributed')}"


def _jinja2() -> str:
    text = import_module("jinja2").Environment(autoescape=True).from_string("{{ word }}").render(word="<s>")
    _require(text == "&lt;s&gt;", "it does not escape HTML")
    return _version_found("jinja2")


def _pyarrow() -> str:
    total = import_module("pyarrow").array([1, 2]).sum().as_py()
    _require(total == 3, "it computes a wrong sum")  # noqa: PLR2004  1 + 2
    return _version_found("pyarrow")


def _isal() -> str:
    unpacked = import_module("isal.isal_zlib").decompress(zlib.compress(b"a lattice"))
    _require(unpacked == b"a lattice", "decompressed data differs from the original")
    return _version_found("isal")


def _zstd() -> str:
    from latticemetric.formats.streams.compression import zstd_module

    zstd = zstd_module()
    _require(
        zstd.decompress(zstd.compress(b"a lattice")) == b"a lattice", "decompressed data differs from the original"
    )
    return "part of Python" if sys.version_info >= (3, 14) else f"backports.zstd {_version_found('backports.zstd')}"


# ---- Data, programs, and the machine: processors, memory, processes, limits, a terminal ----

_GIBIBYTE = 2**30
_LIMIT = 2**26
_CONTAINER_LIMIT = "/sys/fs/cgroup/memory.max"


def _wordnet() -> str:
    from latticemetric.metrics.wordnet import wordnet

    source = wordnet()
    _require(source.synsets("dogs"), f"{source.folder} does not have the word 'dogs'")
    return str(source.folder)


def _program(*names: str) -> str:
    for name in names:
        path = shutil.which(name)
        if path is not None:
            return path
    raise MissingDependencyError(f"there is no {' or '.join(names[:2])} on the PATH")


def _dot() -> str:
    return _program("dot")


def _browser() -> str:
    return _program("chromium", "chromium-browser", "google-chrome", "firefox", "open")


def _processors() -> str:
    from latticemetric.parallel.limits import default_workers

    usable, all_of_them = default_workers(), os.cpu_count()
    return str(usable) if usable == all_of_them else f"{usable} usable, of {all_of_them}"


def _memory() -> str:
    total, limit = machine_memory(), size_in(_CONTAINER_LIMIT)
    held = f", {limit / _GIBIBYTE:.1f} GiB for this container" if limit is not None and limit < total else ""
    return f"{total / _GIBIBYTE:.1f} GiB{held}"


def _fork() -> str:
    import multiprocessing

    if "fork" not in multiprocessing.get_all_start_methods():
        raise MissingDependencyError("this system cannot fork")
    return "workers are forked"


def _limits() -> str:
    """Set a memory limit on this process, and try to exceed it."""
    from latticemetric.memory import hold_memory
    from latticemetric.parallel.limits import Limits

    if not hasattr(os, "fork"):
        raise MissingDependencyError("this system cannot fork a process to test limits")
    try:
        Limits(memory=_LIMIT)
    except UsageError as error:
        raise MissingDependencyError(error.what) from error
    hold_memory(_LIMIT)
    try:
        bytearray(4 * _LIMIT)
    except MemoryError:
        return "enforced"
    raise InputError("a process allocated four times its memory limit, without an error")


def _terminal() -> str:
    encoding = (sys.__stdout__.encoding if sys.__stdout__ is not None else None) or "unknown"
    if encoding.lower().replace("-", "") != "utf8":
        raise MissingDependencyError(f"standard output has encoding {encoding}, not UTF-8")
    return encoding


# ---- Engines: each must find known oracles ----

# The lattice has "the" or "a", then "cat" or "bat", then "sat", and optionally "down" at a higher cost. Its 1-best is
# "a bat sat".
_REFERENCE = "the black cat sat down"
_CHEAPEST = "a bat sat"
_BEST = "the cat sat down"
# wer: one of the five reference words is deleted. 4-grr: four words match, and the n-grams "cat sat", "sat down" and
# "cat sat down". These are 7 of the 5 + 4 + 3 + 2 = 14 n-grams of the reference.
_KNOWN = {"wer": (1, 5), "4-grr": (7, 14)}


def _oracles(engine: str) -> str:
    np = import_module("numpy")
    for needed in ("latticemetric._native", *(["pynini"] if engine == "openfst" else [])):
        import_module(needed)
    from latticemetric.lattice.lattice import Column, Lattice
    from latticemetric.oracle_search.oracle import oracle
    from latticemetric.vocabulary import Vocabulary

    lattice = Lattice.from_arcs(
        [0, 0, 1, 1, 2, 3],
        [1, 1, 2, 2, 3, 4],
        [1, 2, 3, 4, 5, 6],
        final=[3, 4],
        scores={"cost": Column(np.array([1, 0.5, 0.5, 0.25, 0, 0]), np.array([0.0, 1.0]))},
        vocabulary=Vocabulary.from_words(["the", "a", "cat", "bat", "sat", "down"]),
    )
    for metric, known in _KNOWN.items():
        best = oracle(lattice, _REFERENCE, metric, engine=engine)
        found = (" ".join(best.words), (best.numerator, best.denominator), " ".join(best.one_best.words))
        if found != (_BEST, known, _CHEAPEST):
            raise InputError(f"the oracle of {metric} is wrong: {found}")
    return "finds known oracles"


# ---- Plug-ins: metrics, formats and verbs of other packages ----


def plugin_subjects(kind: str, load: Callable[[str, EntryPoint], object]) -> list[Subject]:
    """Return one subject per plug-in of a kind, named after its entry point. `load` raises an error if it is broken."""
    return [
        Subject(
            f"{kind} {entry.name}",
            "plug-ins",
            partial(_working, kind, entry, load),
            f"the {kind} '{entry.name}'",
            "see the documentation of its package, or remove it",
        )
        for entry in plugins.entries(kind)
    ]


def _working(kind: str, entry: EntryPoint, load: Callable[[str, EntryPoint], object]) -> str:
    """Load a plug-in; return its module, package and version.

    Raises:
        LatticeMetricError: The plug-in is broken, or warns.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load(kind, entry)
    for warning in caught:
        problem = str(warning.message)
        if plugins.described(kind, entry) in problem:
            raise InputError(problem)
    return plugins.origin(entry)


def _loaded(kind: str, entry: EntryPoint) -> None:
    """Load all plug-ins of a kind, metrics or formats.

    Raises:
        InputError: The plug-in `entry` has the name of a built-in metric or format.
        UsageError: The plug-in makes no metric, or one that fails.
    """
    is_own, load = _registry(kind)
    if is_own(entry.name):
        raise InputError(f"latticemetric has a {kind} with this name, and ignores the plug-in")
    load()
    if kind == "metric":
        from latticemetric.metrics.registry import make_metric

        make_metric(entry.name).score("a b", ["a c"])


def _registry(kind: str) -> tuple[Callable[[str], bool], Callable[[], object]]:
    """Return a check for names of built-in metrics or formats, and the function that loads plug-ins of this kind."""
    if kind == "metric":
        from latticemetric.metrics.registry import is_metric, load_plugins

        return is_metric, load_plugins
    from latticemetric.formats.registry import BUILT_IN, with_plugins

    return BUILT_IN.__contains__, with_plugins
