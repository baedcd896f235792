"""Words that look the same and are not: é as one character in references, as two in graphs, matches nothing."""

from __future__ import annotations

import mmap
from collections.abc import Container
from typing import Final, Literal
from unicodedata import normalize

from latticemetric.batch.pairing import Pair
from latticemetric.formats.files.stream import warn
from latticemetric.formats.registry import Graph
from latticemetric.nbest import NBest

_FORMS: Final[tuple[Literal["NFC", "NFD"], ...]] = ("NFC", "NFD")

# Shared with workers, which are forked: one of them says it, and none again.
_said = mmap.mmap(-1, 1)


def warn_of_forms(pair: Pair, graph: Graph) -> None:
    """Says once, of the first graph that this happens to, that a reference's words stand there in another form."""
    words = {word for reference in pair.references for word in reference.words if not word.isascii()}
    if not words or _said[0]:
        return
    known = _words_of(graph)
    alike = [word for word in words if word not in known and any(normalize(form, word) in known for form in _FORMS)]
    if alike:
        _said[0] = 1
        what = "1 word of the reference is" if len(alike) == 1 else f"{len(alike)} words of the reference are"
        warn(
            pair.place,
            f"{what} in the graph in another Unicode form, and will not match ('{min(alike)}'); "
            "bring both to one form (uconv -x nfc), here and wherever else",
        )


def _words_of(graph: Graph) -> Container[str]:
    if isinstance(graph, NBest):
        return {word for hypothesis in graph.hypotheses for word in hypothesis.words}
    return graph.vocabulary
