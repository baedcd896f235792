"""Compile the grammars of this package (pynini modules) at first use, and cache them."""

from __future__ import annotations

import ast
import contextlib
import os
import sys
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from latticemetric.errors import InputError, UsageError, require_pynini
from latticemetric.likeness import nearest
from latticemetric.metrics.signature import VERSION
from latticemetric.normalization.whisper import WHISPER


def grammar_folder() -> Path:
    """Return the folder of the grammars' sources: in the package or, in a checkout, beside the package."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "grammars"
    return installed if installed.is_dir() else package.parent / "grammars"


def shipped_grammars() -> list[str]:
    """List the names of the grammars of this package."""
    return sorted(path.stem for path in grammar_folder().glob("*.py"))


def grammar_source(name: str) -> Path:
    """Return the file of a grammar's module; raise `UsageError` if the package has no such grammar."""
    if name not in shipped_grammars():
        raise no_such_grammar(name)
    return grammar_folder() / f"{name}.py"


def no_such_grammar(name: str) -> UsageError:
    """Return the error for an unknown grammar; it says which one was meant, or lists the grammars."""
    known = [*shipped_grammars(), *WHISPER]
    meant = nearest(name, known)
    listed = f"choose among {', '.join(known)}, or name a file: rules.far:RULE, rules.glm"
    return UsageError(f"there is no grammar '{name}'", advice=listed if meant is None else f"did you mean '{meant}'?")


def summary(name: str) -> str:
    """Return the first line of a grammar's docstring."""
    text = ast.get_docstring(ast.parse(grammar_source(name).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def compiled(name: str) -> bytes:
    """Return the archive of a grammar from the cache; if it is not there, compile it, and cache it if possible."""
    digest = sha256(grammar_source(name).read_bytes()).hexdigest()[:16]
    if cache := os.environ.get("XDG_CACHE_HOME"):
        base = Path(cache)
    else:
        try:
            base = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
        except RuntimeError:  # the user has no home folder
            return _new_archive(name)
    kept = base / "latticemetric" / "grammars" / f"{name}-{VERSION}-{digest}.far"
    with contextlib.suppress(OSError):
        return kept.read_bytes()
    archive = _new_archive(name)
    with contextlib.suppress(InputError):
        _put(kept, archive)
    return archive


def _new_archive(name: str) -> bytes:
    require_pynini()
    from pynini.export import export

    from latticemetric.formats.streams.output import temporary_files

    with temporary_files():
        temporary = tempfile.TemporaryDirectory()
    with temporary as folder:
        # Do what pynini's export program does.
        exporter = export.Exporter(Path(folder) / "grammar.far")
        grammar_module(name).generator_main(exporter)
        exporter.close()
        return (Path(folder) / "grammar.far").read_bytes()


def build(names: Sequence[str], folder: Path) -> list[Path]:
    """Compile grammars (all if `names` is empty) to archives `NAME.far` in a folder; return these files."""
    written = []
    for name in names or shipped_grammars():
        archive = compiled(name)
        written.append(folder / f"{name}.far")
        _put(written[-1], archive)
    return written


def grammar_module(name: str) -> ModuleType:
    """Import the module of a grammar; this compiles its rules."""
    require_pynini()
    spec = spec_from_file_location(f"latticemetric_grammar_{name}", grammar_source(name))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _put(path: Path, archive: bytes) -> None:
    """Write an archive to a file, which gets its name only when it is complete."""
    from latticemetric.formats.streams.output import atomic_output

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(path)) from None
    with atomic_output(str(path)) as file:
        file.write(archive)
