"""Show graphs and results in notebooks: graphs as pictures, alignments as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from latticemetric.display.text import visible
from latticemetric.drawing.api import draw
from latticemetric.metrics.alignment import DELETION, INSERTION, MATCH, SUBSTITUTION, Alignment

MOST_STEPS = 150
"""The largest number of alignment steps to show; a note says if there are more."""

MOST_ROWS = 30
"""The largest number of rows of a table to show; a note says if there are more."""

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
    """Return a graph, tree or network as an SVG element; draw only a part of a large graph, with a note."""
    return draw(graph).svg()


def alignment_html(alignment: Alignment, hypothesis: str = "hypothesis") -> str:
    """Return an alignment as a table with three rows: reference, hypothesis and edits."""
    steps = list(alignment.steps())
    rows: list[tuple[str, list[str]]] = [("reference", []), (hypothesis, []), ("edit", [])]
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
    """Return a result as HTML: the scores and alignments of `paths`, and the graph (if any) with highlighted paths."""
    parts = [f"<p><small>{_text(title)}</small></p>"]
    for name, path in paths.items():
        score = "–" if path.score is None else f"{path.score:.4f}"
        counts = f"({path.numerator}/{path.denominator}), cost {path.cost:.4f}"
        parts += [f"<p><b>{_text(name)}</b> {score} {counts}</p>", alignment_html(path.alignment, name)]
    if graph is not None:
        parts.append(draw(graph, ways=paths, captions={}).svg(standalone=False))
    return f'<div class="latticemetric">{"".join(parts)}</div>'


def result_html(result: Any) -> str:
    """Return a result as HTML.

    If the result has `to_records`, show these records. Otherwise, show first its words, then its numbers. Show the
    confidences of words, if known. If the result has no words, show a table of its rows or probabilities instead.
    """
    name = f"<p><b>{type(result).__name__}</b></p>"
    if hasattr(result, "to_records"):
        return _block(name + records_html(result.to_records()))
    plain = result.asdict() if hasattr(result, "asdict") else {}
    lists = [value for value in plain.values() if _is_table(value)]
    if not isinstance(getattr(result, "words", None), tuple):
        rows = lists[0] if lists else _probable(result)
        return _block(name + (records_html(rows) if rows else "") + _numbers_html(plain))
    confidences = getattr(result, "confidences", None) or [None] * len(result.words)
    words = "".join(_word_html(word, sure) for word, sure in zip(result.words, confidences, strict=True))
    return _block(f"{name}<p>{words or _NOTHING}</p>{_numbers_html(plain)}")


def records_html(records: Sequence[Mapping[str, Any]]) -> str:
    """Return records as a table of at most `MOST_ROWS` rows; a note says how many are shown."""
    names = [name for name in dict.fromkeys(key for one in records for key in one) if any(map(_is_cell(name), records))]
    head = "".join(f"<th>{_text(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td>{_cell(one.get(name))}</td>' for name in names)}</tr>" for one in records[:MOST_ROWS]
    )
    cut = f"<p>Shown: {MOST_ROWS} of {len(records)} rows.</p>" if len(records) > MOST_ROWS else ""
    return f"<table><tr>{head}</tr>{body}</table>{cut}"


def _block(html: str) -> str:
    return f'<div class="latticemetric">{html}</div>'


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _is_cell(name: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda record: isinstance(record.get(name), str | int | float)


def _cell(value: Any) -> str:
    if isinstance(value, bool | str):
        return _text(str(value))
    return "–" if not isinstance(value, int | float) else f"{value:.4f}" if isinstance(value, float) else str(value)


def _word_html(word: str, confidence: float | None) -> str:
    """Return a word as HTML; a lower confidence gives a stronger background."""
    if confidence is None:
        return f"{_text(word)} "
    doubt = 0.5 * (1.0 - min(max(confidence, 0.0), 1.0))
    return (
        f'<span title="{confidence:.3f}" style="background: rgba(213, 94, 0, {doubt:.2f}); padding: 0 0.15em">'
        f"{_text(word)}</span> "
    )


def _numbers_html(plain: Mapping[str, Any]) -> str:
    """Return the numbers and short texts of a result as an HTML table, one per row."""
    numbers = {key: value for key, value in plain.items() if isinstance(value, str | int | float)}
    rows = "".join(
        f'<tr><th style="text-align: left">{_text(key)}</th><td>{_cell(value)}</td></tr>'
        for key, value in numbers.items()
        if key not in {"hypothesis", "derivation"}
    )
    return f"<table>{rows}</table>" if rows else ""


def _probable(result: Any) -> list[dict[str, Any]]:
    """Return one record per word, the most probable first; return an empty list if a result has no word posteriors."""
    if not callable(getattr(result, "words", None)):
        return []
    ranked = sorted(result.words().items(), key=lambda item: (-round(item[1], 12), item[0]))
    return [{"word": word, "posterior": posterior} for word, posterior in ranked]


def _text(text: str | None) -> str:
    return _NOTHING if text is None else escape(visible(text))
