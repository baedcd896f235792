"""What is installed, what works, and what is missing.

Nothing heavy is imported before it is looked at; what may crash is tried in a process of its own.

"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from latticemetric.errors import InputError, LatticeMetricError, MissingDependencyError, UsageError
from latticemetric.memory import machine_memory
from latticemetric.signature import VERSION

if TYPE_CHECKING:
    from latticemetric.lattice.lattice import Lattice


# ---- What was looked for, and what was found of it ----

State = Literal["ok", "missing", "broken"]


class Subject(NamedTuple):
    """Something to look for.

    Attributes:
        name: As people call it.
        group: What it belongs with in a table.
        look: Tries it, and says what there is; raises an error if it is missing or broken.
        needed_for: What does not work without it.
        advice: How to get it.
        required: Whether nothing of use works without it.
    """

    name: str
    group: str
    look: Callable[[], str]
    needed_for: str = ""
    advice: str = ""
    required: bool = False


@dataclass(frozen=True)
class Check:
    """What was found of one subject.

    Attributes:
        name: As people call it.
        group: What it belongs with in a table.
        state: Whether it works, is not there, or is there and does not work.
        found: Its version, its size, its place.
        problem: Why it does not work.
        needed_for: What does not work without it.
        advice: How to get it.
        required: Whether nothing of use works without it.
    """

    name: str
    group: str
    state: State
    found: str | None
    problem: str | None
    needed_for: str
    advice: str
    required: bool


@dataclass(frozen=True)
class Installation:
    """What is installed, and whether it works.

    Attributes:
        version: Of latticemetric.
        checks: One of each thing that was looked for.
    """

    version: str
    checks: tuple[Check, ...]

    @property
    def works(self) -> bool:
        """Whether all that is required works."""
        return all(check.state == "ok" for check in self.checks if check.required)

    def asdict(self) -> dict[str, Any]:
        """Return the same as a mapping."""
        return {"version": self.version, "works": self.works, "checks": [asdict(check) for check in self.checks]}


# ---- Tries things in processes of their own: a library that crashes, or sets limits, does so where it harms nobody
# ----

# What looking says: a state, what was found, what is wrong.
_Answer = tuple[State, str | None, str | None]


def examine(subject: Subject) -> Check:
    """Look for it, in a process of its own where there can be one."""
    answer = _forked(subject.look) if hasattr(os, "fork") else _answer(subject.look)
    return Check(subject.name, subject.group, *answer, subject.needed_for, subject.advice, subject.required)


def _answer(look: Callable[[], str]) -> _Answer:
    try:
        return "ok", look(), None
    except (ModuleNotFoundError, MissingDependencyError) as error:
        return "missing", None, _said(error)
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a broken library raises
        return "broken", None, _said(error)


def _said(error: BaseException) -> str:
    """In one line; our own errors give their advice elsewhere."""
    text = error.what if isinstance(error, LatticeMetricError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())


def _forked(look: Callable[[], str]) -> _Answer:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # it is closed
            stream.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            _tell(look, pipe)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "broken", None, f"it crashed: {signal.Signals(os.WTERMSIG(status)).name}"
    if not data:
        return "broken", None, f"it ended its process, with status {os.waitstatus_to_exitcode(status)}"
    answer: _Answer = pickle.loads(data)  # noqa: S301  our own child wrote it
    return answer


def _tell(look: Callable[[], str], pipe: IO[Any]) -> NoReturn:
    """Return the child's life. What libraries print is no part of any result."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    try:
        pickle.dump(_answer(look), pipe)
        pipe.flush()
    finally:
        os._exit(0)


# ---- The packages that latticemetric is made of, and those that it knows how to use ----

_AGAIN = "install latticemetric again: pip install --force-reinstall latticemetric"


def package_subjects() -> list[Subject]:
    """All of them, the required ones first."""
    return [
        Subject("Python", "program", _python, "everything", "Python 3.11 or later", required=True),
        Subject("NumPy", "program", _numpy, "everything that reads or scores", "pip install numpy", required=True),
        Subject("native module", "program", _native, "everything that reads or scores", _AGAIN, required=True),
        Subject("tqdm", "program", _tqdm, "progress bars, and all that would show one", "pip install tqdm"),
        Subject(
            "pynini",
            "packages",
            _pynini,
            "--engine openfst, --metric FILE.fst, --normalize, grammar, compile(), to_fst(), determinized()",
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
        Subject(
            "matplotlib", "packages", _matplotlib, "--plot, draw as .png or .pdf", "pip install 'latticemetric[report]'"
        ),
        Subject("Dask", "packages", _dask, "--cluster", "pip install 'latticemetric[cluster]'"),
        Subject("jinja2", "packages", _jinja2, "report", "pip install 'latticemetric[report]'"),
        Subject("zstd", "packages", _zstd, "files that end in .zst", "pip install backports.zstd (before Python 3.14)"),
    ]


def package_version(name: str) -> str | None:
    """Return the version of an installed package, which is not imported."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _found(package: str, fallback: str = "version unknown") -> str:
    """Its version; a package may be importable and have no metadata."""
    return package_version(package) or fallback


def _require(condition: object, problem: str) -> None:
    if not condition:
        raise InputError(problem)


def _python() -> str:
    _require(sys.version_info >= (3, 11), f"this is Python {sys.version.split()[0]}")
    return f"{sys.version.split()[0]} ({sys.executable})"


def _numpy() -> str:
    numpy = import_module("numpy")
    _require(int(numpy.arange(4).sum()) == 6, "it cannot add")  # noqa: PLR2004  0 + 1 + 2 + 3
    return str(numpy.__version__)


def _native() -> str:
    native = import_module("latticemetric._native")
    built_for = getattr(native, "VERSION", "an older version")
    _require(built_for == VERSION, f"it was built for {built_for}, and this is latticemetric {VERSION}")
    return f"{built_for}, built with {native.COMPILER}, {native.FLAGS}"


def _tqdm() -> str:
    import_module("tqdm")
    return _found("tqdm")


def _pynini() -> str:
    pynini = import_module("pynini")
    machine = pynini.union(pynini.accep("ab"), pynini.accep("cd", weight=1)).optimize()
    best = pynini.shortestpath(pynini.compose(machine, pynini.closure(pynini.union("c", "d"))))
    _require(best.string() == "cd", "it compiles a machine, and does not find its best path")
    return f"{_found('pynini')}, compiles machines"


def _nltk() -> str:
    import_module("nltk.stem.porter")
    from latticemetric.metrics.preparation import porter_stem

    _require(porter_stem("computers") == "comput", "its Porter stemmer gives other stems")
    return _found("nltk")


def _sacrebleu() -> str:
    tokenizer = import_module("sacrebleu.metrics").BLEU(tokenize="13a").tokenizer
    _require(tokenizer("No, no.") == "No , no .", "its tokenizer 13a gives other tokens")
    return _found("sacrebleu")


def _networkx() -> str:
    graph = import_module("networkx").MultiDiGraph([(0, 1)])
    _require(len(graph) == 2, "it makes no graph")  # noqa: PLR2004  the ends of an edge
    return _found("networkx")


def _matplotlib() -> str:
    import_module("matplotlib.figure").Figure()
    return _found("matplotlib")


def _dask() -> str:
    import_module("distributed")
    return f"{_found('dask')}, distributed {_found('distributed')}"


def _jinja2() -> str:
    text = import_module("jinja2").Environment(autoescape=True).from_string("{{ word }}").render(word="<s>")
    _require(text == "&lt;s&gt;", "what it writes is not made harmless")
    return _found("jinja2")


def _zstd() -> str:
    from latticemetric.formats.streams.compression import zstd_module

    zstd = zstd_module()
    _require(zstd.decompress(zstd.compress(b"a lattice")) == b"a lattice", "what it packs does not come out again")
    return "part of Python" if sys.version_info >= (3, 14) else f"backports.zstd {_found('backports.zstd')}"


# ---- What the machine gives: processors, memory, processes of our own, limits, a terminal; programs and data beside
# us ----

_GIBIBYTE = 2**30
_LIMIT = 2**26
_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


def data_and_programs() -> list[Subject]:
    """What lies beside the package."""
    return [
        Subject(
            "WordNet",
            "data",
            _wordnet,
            "the wn stages of meteor, and so meteor as correlate has it",
            "apt install wordnet-base (Debian, Ubuntu), or python -m nltk.downloader wordnet",
        ),
        Subject(
            "dot",
            "programs",
            lambda: _program("dot"),
            advice="apt install graphviz; nothing here needs it, it draws .dot files",
        ),
        Subject(
            "browser",
            "programs",
            lambda: _program("chromium", "chromium-browser", "google-chrome", "firefox", "open"),
            advice="apt install chromium; nothing here needs it, it shows .svg and .html files",
        ),
    ]


def resources() -> list[Subject]:
    """What the machine gives."""
    return [
        Subject("processors", "machine", _processors, "--workers above 1"),
        Subject("memory", "machine", _memory),
        Subject("fork", "machine", _fork, "--workers, --timeout, --max-memory", "Linux and macOS have it"),
        Subject("memory limits", "machine", _limits, "--max-memory", "Linux holds them"),
        Subject(
            "terminal",
            "machine",
            _terminal,
            "words of other alphabets on the screen; files are UTF-8 all the same",
            "export LC_ALL=C.UTF-8",
        ),
    ]


def _wordnet() -> str:
    from latticemetric.metrics.wordnet import wordnet

    source = wordnet()
    if not source.synsets("dogs"):
        raise InputError(f"{source.folder} knows no dogs")
    return str(source.folder)


def _program(*names: str) -> str:
    for name in names:
        path = shutil.which(name)
        if path is not None:
            return path
    raise MissingDependencyError(f"no {' or '.join(names[:2])} among the programs")


def _processors() -> str:
    from latticemetric.parallel.pool import default_workers

    usable, all_of_them = default_workers(), os.cpu_count()
    return str(usable) if usable == all_of_them else f"{usable} for us, of {all_of_them}"


def _memory() -> str:
    total = machine_memory()
    limit = _container_limit()
    held = f", {limit / _GIBIBYTE:.1f} GiB for this container" if limit is not None and limit < total else ""
    return f"{total / _GIBIBYTE:.1f} GiB{held}"


def _container_limit() -> int | None:
    try:
        text = _CONTAINER_LIMIT.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None


def _fork() -> str:
    import multiprocessing

    if "fork" not in multiprocessing.get_all_start_methods():
        raise MissingDependencyError("this system has none")
    return "workers are forked"


def _limits() -> str:
    """Set one, which holds for the process that this is tried in."""
    from latticemetric.memory import hold_memory
    from latticemetric.parallel.process import Limits

    if not hasattr(os, "fork"):
        raise MissingDependencyError("this system has no processes that they could be tried in")
    try:
        Limits(memory=_LIMIT)
    except UsageError as error:
        raise MissingDependencyError(error.what) from error
    hold_memory(_LIMIT)
    try:
        bytearray(4 * _LIMIT)
    except MemoryError:
        return "held"
    raise InputError("a process had four times as much memory as it was allowed")


def _terminal() -> str:
    encoding = (sys.__stdout__.encoding if sys.__stdout__ is not None else None) or "without an encoding"
    if encoding.lower().replace("-", "") != "utf8":
        raise MissingDependencyError(f"standard output is {encoding}")
    return encoding


# ---- Each engine is asked for oracles that are known ----

# "the" or "a", "cat" or "bat", "sat", and perhaps "down", which costs more: the model prefers "a bat sat".
_REFERENCE = "the black cat sat down"
_CHEAPEST = "a bat sat"
_BEST = "the cat sat down"
# One word of five is deleted. Four words of five match, and of their n-grams "cat sat", "sat down" and "cat sat down":
# 7 of the 5 + 4 + 3 + 2 that the reference has.
_KNBUILT_IN = {"wer": (1, 5), "4-grr": (7, 14)}


def engine_subjects() -> list[Subject]:
    """Return the engines."""
    return [
        Subject("native engine", "oracles", partial(_oracles, "native"), "oracles", required=True),
        Subject("openfst engine", "oracles", partial(_oracles, "openfst"), "--engine openfst", "install pynini"),
    ]


def _oracles(engine: str) -> str:
    for needed in ("numpy", "latticemetric._native", *(["pynini"] if engine == "openfst" else [])):
        import_module(needed)
    for metric, known in _KNBUILT_IN.items():
        _check(engine, metric, known)
    return "finds known oracles"


def _check(engine: str, metric: str, known: tuple[int, int]) -> None:
    from latticemetric.oracle_search.oracle import oracle

    best = oracle(_lattice(), _REFERENCE, metric, engine=engine)
    found = (" ".join(best.words), (best.numerator, best.denominator), " ".join(best.one_best.words))
    if found != (_BEST, known, _CHEAPEST):
        raise InputError(f"the oracle of {metric} came out as {found}")


def _lattice() -> Lattice:
    import numpy as np

    from latticemetric.lattice.lattice import Column, Lattice
    from latticemetric.vocabulary import Vocabulary

    cost = Column(np.array([1, 0.5, 0.5, 0.25, 0, 0]), np.array([0.0, 1.0]))
    return Lattice.from_arcs(
        [0, 0, 1, 1, 2, 3],
        [1, 1, 2, 2, 3, 4],
        [1, 2, 3, 4, 5, 6],
        final=[3, 4],
        scores={"cost": cost},
        vocabulary=Vocabulary.from_words(["the", "a", "cat", "bat", "sat", "down"]),
    )


# ---- Metrics and formats of other packages: which there are, and whether they load ----


def plugin_subjects() -> list[Subject]:
    """One of each, by the name of its entry point."""
    return [
        Subject(
            f"{kind} {entry.name}",
            "plug-ins",
            lambda entry=entry, kind=kind: _loaded(entry, kind),  # type: ignore[misc]
            f"the {kind} '{entry.name}'",
            "ask its package, or remove it",
        )
        for kind in ("metric", "format")
        for entry in entry_points(group=f"latticemetric.{kind}s")
    ]


def _loaded(entry: EntryPoint, kind: str) -> str:
    """Where it comes from, after all plug-ins of its kind were loaded as they always are."""
    own, load = _registry(kind)
    if entry.name in own:
        raise InputError("latticemetric has one of that name itself, which is taken")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        load()
    for warning in said:
        problem = str(warning.message)
        if f"'{entry.name}' ({entry.value})" in problem:
            raise InputError(problem)
    package = f" of {entry.dist.name} {entry.dist.version}" if entry.dist is not None else ""
    return f"{entry.value}{package}"


def _registry(kind: str) -> tuple[frozenset[str], Callable[[], object]]:
    """Return the names of our own, and what loads those of others."""
    if kind == "metric":
        from latticemetric.metrics.registry import OWN_METRICS, load_plugins

        return OWN_METRICS, load_plugins
    from latticemetric.formats.registry import BUILT_IN, with_plugins

    return frozenset(BUILT_IN), with_plugins


# ---- Everything is looked for, one after the other ----


def diagnose_installation() -> Installation:
    """What is installed, and whether it works.

    Each thing is tried in a process of its own, so that a library that crashes is a finding. Like all processes that
    fork, this is best asked before threads are started.

    Examples:
        >>> diagnose_installation().works
        True
    """
    return Installation(VERSION, tuple(checks()))


def checks() -> Iterator[Check]:
    """Return the same one by one, as they are found."""
    return map(examine, _subjects())


def _subjects() -> list[Subject]:
    return [
        *package_subjects(),
        *data_and_programs(),
        *resources(),
        *plugin_subjects(),
        *engine_subjects(),
    ]
