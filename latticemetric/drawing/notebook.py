"""Show graphs and answers in notebooks: graphs as pictures, alignments as tables."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from latticemetric.display import visible
from latticemetric.drawing.api import draw
from latticemetric.metrics.alignment import DELETION, INSERTION, MATCH, SUBSTITUTION, Alignment

MOST_STEPS = 150
"""The largest number of alignment steps to show; a note says if steps are left out."""

_NOTHING = "·"
# Letters identify the edits; transparent colours highlight them.
_GROUND = {
    MATCH: "transparent",
    SUBSTITUTION: "rgba(213, 94, 0, 0.25)",
    DELETION: "rgba(0, 114, 178, 0.25)",
    INSERTION: "rgba(204, 121, 167, 0.3)",
}
_MEANING = {SUBSTITUTION: "substitution", DELETION: "deletion", INSERTION: "insertion"}


def graph_svg(graph: Any) -> str:
    """Return the picture of a graph, a tree or a network; if it is large, only of a part, with a note."""
    return draw(graph).svg()


def alignment_html(alignment: Alignment, candidate: str = "candidate") -> str:
    """Return an alignment as a table of three rows: the reference, the candidate and the edits."""
    steps = list(alignment.steps())
    rows: list[tuple[str, list[str]]] = [("reference", []), (candidate, []), ("edit", [])]
    for edit, expected, actual in steps[:MOST_STEPS]:
        meaning = f' title="{_MEANING[edit]}"' if edit in _MEANING else ""
        cells = (expected, actual, "" if edit == MATCH else edit)
        for (_, row), text in zip(rows, cells, strict=True):
            row.append(f'<td style="background: {_GROUND[edit]}; text-align: center"{meaning}>{_text(text)}</td>')
    body = "".join(f'<tr><th style="text-align: left">{_text(name)}</th>{"".join(row)}</tr>' for name, row in rows)
    cut = f"<p>Shown: {MOST_STEPS} of {len(steps)} steps.</p>" if len(steps) > MOST_STEPS else ""
    key = ", ".join(f"{edit} {meaning}" for edit, meaning in _MEANING.items() if edit in alignment.edits)
    return f"<table>{body}</table>{cut}{f'<p><small>{key}</small></p>' if key else ''}"


def answer_html(title: str, paths: Mapping[str, Any], graph: Any | None) -> str:
    """Return an answer as HTML: scores, alignments with the reference, and the graph with these paths, if given."""
    parts = [f"<p><small>{_text(title)}</small></p>"]
    for name, path in paths.items():
        score = "–" if path.score is None else f"{path.score:.4f}"
        counts = f"({path.numerator}/{path.denominator}), cost {path.cost:.4f}"
        parts += [f"<p><b>{_text(name)}</b> {score} {counts}</p>", alignment_html(path.alignment, name)]
    if graph is not None:
        parts.append(draw(graph, ways=paths, captions={}).svg(standalone=False))
    return f'<div class="latticemetric">{"".join(parts)}</div>'


def _text(text: str | None) -> str:
    return _NOTHING if text is None else escape(visible(text))
