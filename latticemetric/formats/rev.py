"""Read Rev's transcripts (`.nlp`, of Earnings-21 and others): one token per line, with tags.

Adjacent tokens with the same tag, such as `12:CONTRACTION`, form a group. Entry 12 of the file `norm.json` lists the
alternative forms of the group: *we will*, *we'll*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import NamedTuple

from latticemetric.errors import FormatError
from latticemetric.formats.streams.stream import open_stream, warn
from latticemetric.formats.text.fields import labels_of_arcs
from latticemetric.formats.text.json import object_of, parsed_json
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import Vocabulary, split_words

_REQUIRED = ("token", "tags")
_TAGS = re.compile(r"\['([^':\]]+):([^'\]]+)'(,\s*'[^':\]]+:[^'\]]+')*\]")
_NO_TAGS = ("", "[]")

CLASS = "class"
"""The name of the label that `nlp_reference` gives to arcs: the class of the tag, such as `MONEY`."""

Alternatives = Mapping[str, tuple[tuple[str, ...], ...]]
"""The alternative forms of each tag, by its number."""


class Token(NamedTuple):
    """A token of a transcript.

    Attributes:
        word: The token without punctuation.
        punctuation: The punctuation mark after the word; empty if there is none.
        speaker: The speaker's name or number.
        tag: The number of its (first) tag in `norm.json`; empty if it has none.
        kind: The class of this tag, such as `MONEY`; empty if it has none.
    """

    word: str
    punctuation: str
    speaker: str
    tag: str
    kind: str


def is_nlp(head: bytes) -> bool:
    """Check whether a file begins with the header of an `.nlp` file."""
    header = head.split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    return set(_REQUIRED) <= set(header.split("|"))


def read_nlp(path: str) -> list[Token]:
    """Read the tokens of an `.nlp` file, compressed or not. Of several tags of a token, the first counts: warn once.

    Raises:
        FormatError: The file has no header, or a line does not fit the header.
    """
    with open_stream(path) as stream:
        lines = stream.lines()
        header = [name.strip(" \t") for name in next(lines, "").split("|")]
        if not set(_REQUIRED) <= set(header):
            advice = "the first line names the columns: token|speaker|ts|endTs|punctuation|case|tags"
            raise FormatError("this is not an .nlp file", where=stream.place(1), advice=advice)
        tokens = []
        several = ""
        for line in lines:
            fields = [field.strip(" \t") for field in line.split("|")]
            if len(fields) != len(header):
                raise FormatError(
                    f"expected {len(header)} fields separated by |, found {len(fields)}", where=stream.place()
                )
            row = dict(zip(header, fields, strict=True))
            tags = _TAGS.fullmatch(row["tags"])
            if tags is None and row["tags"] not in _NO_TAGS:
                raise FormatError(f"'{row['tags']}' is not a tag like ['12:MONEY']", where=stream.place())
            number, kind, more = tags.groups() if tags else ("", "", None)
            if more and not several:
                several = stream.place()
                warn(several, "the token has several tags: the first counts, as in fstalign")
            if len(split_words(row["token"])) != 1:
                raise FormatError("a token must be one word", where=stream.place())
            tokens.append(Token(row["token"], row.get("punctuation", ""), row.get("speaker", ""), number, kind))
    return tokens


def read_norm(path: str) -> Alternatives:
    """Read the alternatives of `norm.json`, in the order of the file.

    A form is a list of words, or of texts of several words: `["William Shakespeare"]` and `["William", "Shakespeare"]`
    are the same.

    Raises:
        FormatError: The file is not JSON, or an entry has no verbalizations.
    """
    with open_stream(path) as stream:
        entries = parsed_json(stream.read(), path, objects=object_of)
    if not isinstance(entries, dict):
        raise FormatError("expected an object", where=path, advice="give the norm.json of the transcript")
    found = {}
    for number, entry in entries.items():
        try:
            forms = [candidate["verbalization"] for candidate in entry["candidates"]]
        except (KeyError, TypeError):
            raise FormatError(f"entry {number} has no candidates with verbalizations", where=path) from None
        if not forms or not all(map(_are_texts, forms)):
            raise FormatError(f"a verbalization of entry {number} is not a list of words", where=path)
        spoken = (tuple(word for text in form for word in split_words(text)) for form in forms)
        found[number] = tuple(dict.fromkeys(spoken))
    return found


def _are_texts(form: object) -> bool:
    """Check whether a form is a list of texts with at least one word each."""
    return isinstance(form, list) and all(isinstance(text, str) and bool(split_words(text)) for text in form)


def nlp_reference(tokens: Iterable[Token], alternatives: Alternatives | None = None) -> Lattice:
    """Return a transcript as a graph. A group of tagged tokens has one path as written, and one per alternative form.

    If there are tags, arcs have the label `class`: the class of their tag.

    Examples:
        >>> tokens = [Token("We", "", "1", "10", "CONTRACTION"), Token("will", "", "1", "10", "CONTRACTION")]
        >>> graph = nlp_reference(tokens, {"10": (("We'll",),)})
        >>> [path.words for path in graph.paths()]
        [('We', 'will'), ("We'll",)]
    """
    arcs: list[tuple[int, int, str]] = []
    kinds: list[str] = []
    here, states = 0, 1
    for number, group in groupby(tokens, key=lambda token: token.tag):
        run = list(group)
        written = tuple(token.word for token in run)
        forms = dict.fromkeys((written, *(alternatives or {}).get(number, ()))) if number else {written: None}
        end = states
        states += 1
        for words in forms:
            at = here
            for place, word in enumerate(words or ("",), start=1):
                last = place >= len(words)
                there = end if last else states
                states += not last
                arcs.append((at, there, word))
                kinds.append(run[0].kind)
                at = there
        here = end
    if not arcs:
        return Lattice.from_strings([()])
    vocabulary = Vocabulary.from_words(word for _, _, word in arcs if word)
    source, target, words = zip(*arcs, strict=True)
    numbers = [int(vocabulary.encode([word])[0]) if word else 0 for word in words]
    labels = {CLASS: labels_of_arcs(kinds)} if any(kinds) else {}
    return Lattice.from_arcs(source, target, numbers, final=[here], vocabulary=vocabulary, labels=labels)
