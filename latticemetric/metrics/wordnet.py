"""Reader of WordNet's index files, for base forms and synsets of words.

nltk's reader is not used: it needs the file `lexnames`, which Debian's `wordnet-base` lacks, and it refuses folders
outside its search path. Base forms and synsets need only the files `index.*` and `*.exc`, which both Debian and nltk
have.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import zipfile
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from latticemetric.errors import InputError, MissingDependencyError

# By part of speech: endings and their replacements, from morphy(7WN), "Rules of Detachment".
_DETACHMENT = {
    part: tuple(tuple(rule.split(":")) for rule in rules.split())
    for part, rules in (
        ("noun", "s: ses:s xes:x zes:z ches:ch shes:sh men:man ies:y"),
        ("verb", "s: ies:y es:e es: ed:e ed: ing:e ing:"),
        ("adj", "er: est: er:e est:e"),
        ("adv", ""),
    )
}

_FILES = tuple(name for part in _DETACHMENT for name in (f"index.{part}", f"{part}.exc"))

_SHORTEST_PLURAL = 3  # as in morph.c: shorter nouns have no ending to remove

_TYPES_KEPT = 1 << 20

Folder = Path | zipfile.Path

Synset = tuple[str, int]
"""Part of speech, and the byte offset of the synset in that part's data file."""


class WordNet:
    """WordNet's base forms and synsets, read from the folder that contains `index.noun` and the other files."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._lines = {part: dict(_keyed(self._text(f"index.{part}"))) for part in _DETACHMENT}
        self._irregular = {part: dict(_keyed(self._text(f"{part}.exc"))) for part in _DETACHMENT}

    def files(self) -> list[str]:
        """Return the paths of the files to read; if they are in an archive, return the path of the archive."""
        if isinstance(self.folder, zipfile.Path):
            return [str(self.folder.root.filename)]
        return [str(self.folder / name) for name in _FILES]

    def digest(self) -> str:
        """Return a hash of the files' content, which identifies the version of WordNet."""
        hashed = hashlib.blake2b(digest_size=16)
        for name in _FILES:
            hashed.update(self._text(name).encode())
        return hashed.hexdigest()

    def base_forms(self, word: str) -> frozenset[str]:
        """Return the base forms of a word (lower case, any part of speech) that are in WordNet.

        They include the word itself, if it is in WordNet. The set is empty if no base form is in WordNet.
        """
        return frozenset(form for _, form in self._entries(word))

    def synsets(self, word: str) -> frozenset[Synset]:
        """Return the synsets of all senses of a word's base forms."""
        found: set[Synset] = set()
        for part, form in self._entries(word):
            # The fields (wndb(5WN)): part of speech, number of synsets, …; the last fields are the synsets' offsets.
            fields = self._lines[part][form].split()
            try:
                found.update((part, int(offset)) for offset in fields[-int(fields[1]) :])
            except (ValueError, IndexError):
                raise InputError(
                    f"the entry of '{form}' is damaged",
                    where=f"{self.folder}/index.{part}",
                    advice="install WordNet again",
                ) from None
        return frozenset(found)

    def _entries(self, word: str) -> Iterator[tuple[str, str]]:
        form = word.lower()
        for part, entries in self._lines.items():
            irregular = self._irregular[part].get(form)
            if irregular is not None:
                bases = irregular.split()
            elif part == "noun" and (form.endswith("ss") or len(form) < _SHORTEST_PLURAL):
                bases = []
            else:
                bases = [form.removesuffix(end) + new for end, new in _DETACHMENT[part] if form.endswith(end)]
            yield from ((part, base) for base in dict.fromkeys([form, *bases]) if base in entries)

    def _text(self, name: str) -> str:
        try:
            return (self.folder / name).read_text(encoding="utf-8", errors="replace")
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            raise InputError(
                f"WordNet's file {name} is missing or cannot be read", where=str(self.folder), advice=_HOW_TO_GET
            ) from error


def _keyed(text: str) -> Iterator[tuple[str, str]]:
    for line in text.split("\n"):
        if line and not line.startswith(" "):  # the licence is indented
            word, _, rest = line.partition(" ")
            yield word, rest


_HOW_TO_GET = (
    "get WordNet: `apt install wordnet-base` on Debian and Ubuntu, or `python -m nltk.downloader wordnet`, "
    "or name its folder in WNSEARCHDIR; or leave out the wn stages"
)


def wordnet() -> WordNet:
    """Return the WordNet of this computer; raise `MissingDependencyError` if there is none.

    The places to search are `NLTK_DATA`, `WNSEARCHDIR`, `WNHOME`, `/usr/share/wordnet` and nltk's folders.
    """
    return _wordnet_of(*map(os.environ.get, ("NLTK_DATA", "WNSEARCHDIR", "WNHOME")))


@cache
def _wordnet_of(nltk_data: str | None, search_folder: str | None, home: str | None) -> WordNet:
    for folder in _folders(nltk_data, search_folder, home):
        if (folder / "index.noun").is_file():
            return WordNet(folder)
    raise MissingDependencyError("there is no WordNet", advice=_HOW_TO_GET)


def _folders(nltk_data: str | None, search_folder: str | None, home: str | None) -> Iterator[Folder]:
    if nltk_data:
        for root in nltk_data.split(os.pathsep):
            yield from _corpora(Path(root))
    if search_folder:
        yield Path(search_folder)
    if home:
        yield Path(home) / "dict"
        yield Path(home)
    yield Path("/usr/share/wordnet")
    with contextlib.suppress(RuntimeError):  # the user has no home
        yield from _corpora(Path.home() / "nltk_data")
    for shared in (Path("/usr/share/nltk_data"), Path("/usr/local/share/nltk_data")):
        yield from _corpora(shared)


def _corpora(root: Path) -> Iterator[Folder]:
    yield root / "corpora" / "wordnet"
    packed = root / "corpora" / "wordnet.zip"  # nltk's downloader leaves this archive
    if zipfile.is_zipfile(packed):
        yield zipfile.Path(packed, "wordnet/")


@lru_cache(maxsize=_TYPES_KEPT)
def synsets(source: WordNet, word: str) -> frozenset[Synset]:
    """Return the synsets of a word; results are cached."""
    return source.synsets(word)


@lru_cache(maxsize=_TYPES_KEPT)
def base_forms(source: WordNet, word: str) -> frozenset[str]:
    """Return the base forms of a word; results are cached. A word outside of WordNet is its own base form."""
    return source.base_forms(word) or frozenset([word])
