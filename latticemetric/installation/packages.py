"""The packages that latticemetric is made of, and those that it knows how to use."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from latticemetric.errors import InputError
from latticemetric.installation.checks import Subject
from latticemetric.signature import VERSION

_AGAIN = "install latticemetric again: pip install --force-reinstall latticemetric"


def subjects() -> list[Subject]:
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
    """The version of an installed package, which is not imported."""
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
    from latticemetric.metrics.stemming import porter_stem

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
    from latticemetric.formats.files.compression import zstd_module

    zstd = zstd_module()
    _require(zstd.decompress(zstd.compress(b"a lattice")) == b"a lattice", "what it packs does not come out again")
    return "part of Python" if sys.version_info >= (3, 14) else f"backports.zstd {_found('backports.zstd')}"
