"""Which module holds which of our formats, and what a file in it can begin with.

To import all readers takes longer than most oracles. So a glance at the first line leaves a few, and these look
closer: a glance may err on one side only, and never passes over the format that a file is in.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NamedTuple

from latticemetric.caching import cached_property

OPENFST_MAGIC = struct.pack("<i", 2125659606)
_FAR_MAGICS = (struct.pack("<i", 2125656924), struct.pack("<i", 5656924))
_NUMBER_BEGINS = b"+-.0123456789"
_COMMENTS = (b";;", b"**")
_LONGEST_LINE = 2**12
_LONGEST_ID = 2**12


class Glance:
    """The first line of a file that has something on it, and the last one in sight."""

    def __init__(self, head: bytes) -> None:
        self.head = head
        self.line = head.lstrip().partition(b"\n")[0]
        self.fields = self.line[:_LONGEST_LINE].split() or [b""]

    @cached_property
    def last(self) -> list[bytes]:
        """The fields of the last whole line; the first ones where there is just one."""
        lines = self.head.rstrip().rsplit(b"\n", 2)
        return (lines[-2] if len(lines) > 1 else self.line).split() or self.fields

    def begins(self, *starts: bytes) -> bool:
        """Whether the first line begins so."""
        return self.line.startswith(starts)

    def numbers(self, count: int) -> bool:
        """Whether the first fields are whole numbers."""
        return len(self.fields) >= count and all(field.isdigit() for field in self.fields[:count])


def _archived(g: Glance) -> bool:
    return OPENFST_MAGIC in g.head[: _LONGEST_ID + len(OPENFST_MAGIC)] and not g.head.startswith(OPENFST_MAGIC)


def _id_line(g: Glance) -> bool:
    return b"|" not in g.line and not (g.fields[0].isdigit() and len(g.fields) > 1) and not g.begins(b"#", b"{")


def _word_and_number(g: Glance) -> bool:
    return b"\0" not in g.line and len(g.fields) > 1 and not g.numbers(2) and g.fields[1][:1] in _NUMBER_BEGINS


def _two_scores_and_a_count(g: Glance) -> bool:
    own = len(g.fields) > 2 and g.fields[2].isdigit() and not g.numbers(2)  # noqa: PLR2004  log10 scores, words
    return own or g.begins(b"NBestList", b"(")


def _ends_in_an_id(g: Glance) -> bool:
    return g.begins(*_COMMENTS) or g.line.rstrip().endswith(b")")


def _timed(g: Glance) -> bool:
    """Whether lines may have a file, a channel and times; not two states."""
    rows = (g.fields, g.last)
    states = any(len(row) > 1 and row[0].isdigit() and row[1].isdigit() and len(row[1]) > 1 for row in rows)
    times = len(g.fields) > 3 and g.fields[3][:1] in _NUMBER_BEGINS + b"*"  # noqa: PLR2004  file, channel, speaker
    return g.begins(*_COMMENTS) or (times and not states)


class Own(NamedTuple):
    """One of our formats: its module, and whether a file may be in it."""

    module: str
    may_be: Callable[[Glance], bool]


OWN = {
    "openfst": Own("openfst.binary", lambda g: g.head.startswith(OPENFST_MAGIC)),
    "openfst-text": Own("openfst.text", lambda g: g.fields[0].isdigit()),
    "far": Own("openfst.far", lambda g: g.head.startswith(_FAR_MAGICS)),
    "kaldi": Own("kaldi.text", _id_line),
    "kaldi-binary": Own("kaldi.binary", _archived),
    "kaldi-script": Own("kaldi.script", lambda g: len(g.fields) == 2 and b":" in g.fields[1]),  # noqa: PLR2004
    "htk-slf": Own("htk.slf", lambda g: g.begins(b"#") or b"=" in g.fields[0]),
    "plf": Own("moses.plf", lambda g: g.begins(b"(")),
    "sphinx": Own("sphinx.lattice", lambda g: g.begins(b"#", b"Frames")),
    "pfsg": Own("srilm.pfsg", lambda g: g.begins(b"##", b"name")),
    "wordmesh": Own("srilm.wordmesh", lambda g: g.begins(b"name", b"numaligns")),
    "moses-cn": Own("moses.confusion_network", _word_and_number),
    "moses-search-graph": Own("moses.search_graph", lambda g: b"hyp=" in g.line),
    "k2": Own("neural.k2", lambda g: g.begins(b"k2.", b"FsaVec") or (g.numbers(2) and b"-" in g.head)),
    "moses-nbest": Own("moses.nbest", lambda g: b"|||" in g.line),
    "srilm-nbest": Own("srilm.nbest", _two_scores_and_a_count),
    "lattice-rescore-nbest": Own("htk.rescored_nbest", lambda g: b"|" in g.line and b"-" in g.fields[0]),
    "espnet-nbest": Own("neural.espnet", lambda _: False),  # a folder
    "wenet-nbest": Own("neural.wenet", lambda g: g.fields[0] == b"wav"),
    "icefall-recogs": Own("neural.icefall", lambda g: b":\t" in g.line),
    "jsonl-nbest": Own("neural.jsonl", lambda g: g.begins(b"{")),
    "trn": Own("nist.trn", _ends_in_an_id),
    "stm": Own("nist.stm", _timed),
    "ctm": Own("nist.ctm", _timed),
    "moses-hypergraph": Own("moses.hypergraph", lambda g: g.begins(b"#")),
    "cdec-target-graph": Own("moses.hypergraph", lambda g: len(g.fields) == 2 and g.numbers(2)),  # noqa: PLR2004
    "joshua-hypergraph": Own("forests.joshua", lambda g: g.begins(b"#")),
    "cdec-json": Own("forests.cdec_json", lambda g: g.begins(b"{")),
    "travatar-json": Own("forests.travatar_json", lambda g: g.begins(b"{")),
}

# Those that a folder as a whole may be in.
FOLDERS = ("espnet-nbest",)
# Those that point to other files.
SCRIPTS = ("kaldi-script",)


def possible(head: bytes) -> list[str]:
    """The formats that a stream with such first bytes may be in."""
    glance = Glance(head)
    return [name for name, own in OWN.items() if own.may_be(glance)]
