"""Write reports: one HTML file from a template, a style sheet, scripts and data.

Data are escaped, so that no text can end the script element; a Content-Security-Policy blocks other scripts.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.resources import files
from itertools import chain
from typing import Any

from latticemetric.corpus.report.charts import (
    LABELS,
    Chart,
    amount,
    density_chart,
    lengths_chart,
    rate_text,
    rates_chart,
    score_text,
    short_number,
    span,
    standing_chart,
    sweep_chart,
)
from latticemetric.corpus.report.report import Report, SideTotal, drawing
from latticemetric.corpus.review import ORACLE
from latticemetric.display.text import visible
from latticemetric.errors import importing
from latticemetric.evaluation.intervals import Interval
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.signature import VERSION

_IN_SCRIPTS = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})
_SCRIPTS = (
    *("elements.js", "alignment.js", "columns.js", "list.js", "errors.js"),
    "view.js",
    "drawing.js",
    "utterance.js",
    "main.js",
)


def check_page() -> None:
    """Raise an error if jinja2 is not installed."""
    with importing("reports need jinja2", advice="pip install jinja2"):
        import jinja2  # noqa: F401


def page(report: Report) -> str:
    """Return a report as the text of an HTML page; equal reports give equal texts."""
    check_page()
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    style, theme = _file("page.css"), _file("theme.js")
    script = "\n".join(map(_file, _SCRIPTS))
    metric = report.review.metric
    intervals = [_intervals(report, *each) for each in zip(report.review.metrics, report.sides, strict=True)]
    failed, owner = amount(len(report.failures), "graph"), "its" if len(report.failures) == 1 else "their"
    shown = {
        "title": visible(report.options.title),
        "metric": metric.name,
        "lead": _lead(report),
        "summary": _summary(report, intervals),
        "notes": _notes(report),
        "failures": report.failures,
        "failure_note": f"{failed} could not be searched; all words of {owner} references count as deleted.",
        "settings": _settings(report),
    }
    charts = [replace(one, svg=Markup(one.svg)) for one in _charts(report, intervals)]  # noqa: S704  our own elements
    return environment.from_string(_file("page.html")).render(
        report=shown,
        charts=charts,
        corrections=None if report.corrected is None else report.corrected.section(metric, report.options),
        version=VERSION,
        policy=policy([style], [theme, script]),
        style=Markup(style),  # noqa: S704  our own files
        theme=Markup(theme),  # noqa: S704
        script=Markup(script),  # noqa: S704
        data=Markup(json_for_script(_data(report))),  # noqa: S704  json_for_script escapes it
    )


def _intervals(report: Report, metric: GRR, sides: Sequence[SideTotal]) -> list[Interval]:
    return [report.options.interval(metric, side.table) for side in sides]


def json_for_script(data: Any) -> str:
    r"""Return data as JSON for a script element; characters that could begin tags, comments or entities are escaped.

    Examples:
        >>> print(json_for_script(["</script>", "<!--"]))
        ["\u003c/script\u003e","\u003c!--"]
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_IN_SCRIPTS)


def policy(styles: list[str], scripts: list[str]) -> str:
    """Return a Content-Security-Policy that allows only these styles and scripts, and no requests."""

    def hashes(texts: list[str]) -> str:
        digests = (hashlib.sha256(text.encode("utf-8")).digest() for text in texts)
        return " ".join(f"'sha256-{base64.b64encode(digest).decode('ascii')}'" for digest in digests)

    sources = f"style-src {hashes(styles)}; script-src {hashes(scripts)}"
    return f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"


def _file(name: str) -> str:
    return (files("latticemetric.corpus.report") / "page" / name).read_text(encoding="utf-8")


def _data(report: Report) -> dict[str, Any]:
    """Return the data that the page's scripts read."""
    sketches, groups = report.sketches(), report.groups()
    items = [
        item
        | ({"drawing": drawing(sketches[place])} if place in sketches else {})
        | ({"groups": [visible(several[place]) for several in groups.values()]} if groups else {})
        for place, item in enumerate(report.utterances)
    ]
    return {
        "metric": report.review.metric.name,
        "higher": report.review.metric.higher_is_better,
        "fractions": _fractions(report),
        "decoded": report.review.decoding is not None,
        "drawn": [len(sketches), report.sketched],
        "expected": report.review.expected,
        "corrected": report.corrected is not None,
        "groupings": list(groups),
        "utterances": items,
    }


def _lead(report: Report) -> str:
    """Summarise the report in one sentence."""
    metric, headroom = report.review.metric, report.headroom[0]
    graphs = amount(report.lattices + len(report.failures), "graph")
    if report.failures:
        graphs = f"{graphs}, of which {short_number(len(report.failures))} failed"
    if headroom.value is None:
        return f"In {graphs}, no rate is defined: the references have no words."
    scores = {side.side: side.total.score for side in report.sides[0]}
    oracle, one_best = (rate_text(scores[side]) for side in ("oracle", "one_best"))
    low, high = _gap(headroom)
    interval = "" if low is None else f", with {100 * headroom.confidence:g} % of resamples in {span(low, high)}"
    return (
        f"In {graphs}, the oracles score {oracle} and the model's 1-bests score {one_best} "
        f"({metric.name}, {_better(metric)}). The headroom between them is "
        f"{rate_text(abs(headroom.value))}{interval}."
    )


def _better(metric: GRR) -> str:
    return f"{'higher' if metric.higher_is_better else 'lower'} is better"


def _gap(headroom: Interval) -> tuple[float | None, float | None]:
    """Return the ends of the interval of the headroom; for a negative headroom, negate and swap the ends."""
    if headroom.value is None or headroom.low is None or headroom.high is None or headroom.value >= 0:
        return headroom.low, headroom.high
    return -headroom.high, -headroom.low


def _summary(report: Report, intervals: Sequence[Sequence[Interval]]) -> dict[str, Any]:
    """Return the header of the summary, and for each metric its title and rows: one for each side and for the headroom.

    A single metric has no title; it heads its column.
    """
    scores, metrics = sorted(report.scores[ORACLE]), report.review.metrics
    share = f"{100 * report.options.confidence:g} % interval"
    title = metrics[0].name if len(metrics) == 1 else "score"
    header = ["", title, share, "counts", "matches", "subst.", "del.", "ins.", *scores]
    groups = []
    for position, metric in enumerate(metrics):
        # Scores, and perhaps the expected rate, are those of the first metric.
        rows = _totals(report, position, intervals[position], scores)
        groups.append({"title": "" if len(metrics) == 1 else f"{metric.name}, {_better(metric)}", "rows": rows})
    return {"header": header, "groups": groups}


def _totals(
    report: Report, position: int, intervals: Sequence[Interval], scores: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the rows of a metric; the first metric also has the string scores and the expected rate."""
    rows, is_first = [], position == 0
    for side, one in zip(report.sides[position], intervals, strict=True):
        total, counts = side.total, side.total.statistics
        edits = (counts.matches[0], counts.substitutions, counts.deletions, counts.insertions)
        fraction = f"{short_number(total.numerator)}/{short_number(total.denominator)}"
        others = _score_cells(report, side.side, scores) if is_first else [""] * len(scores)
        cells = [rate_text(total.score), span(one.low, one.high), fraction, *map(short_number, edits), *others]
        rows.append({"side": side.side, "label": LABELS[side.side], "cells": cells})
    if is_first and report.review.expected:
        rows.append(_expected_row(report, len(scores)))
    headroom = report.headroom[position]
    if headroom.value is not None:
        cells = [rate_text(abs(headroom.value)), span(*_gap(headroom)), *[""] * (5 + len(scores))]
        rows.append({"side": "headroom", "label": "headroom", "cells": cells})
    return rows


def _score_cells(report: Report, side: str, names: Sequence[str]) -> list[str]:
    """Return the values of string metrics of one side."""
    fractions, scores = _fractions(report), report.scores[side]
    return [score_text(scores[name], is_fraction=name in fractions) for name in names]


def _fractions(report: Report) -> list[str]:
    """Return the names of the further metrics whose scores are fractions."""
    scorer = report.review.scorer
    return [] if scorer is None else [metric.name for metric in scorer.metrics if metric.is_fraction]


def _expected_row(report: Report, others: int) -> dict[str, Any]:
    """Return the summary's row of the expected rate over all graphs; if the rate is not exact, of its proven bounds."""
    found = report.expectation.asdict()
    size = found["denominator"]
    counts = "" if found["numerator"] is None else f"{found['numerator']:.1f}/{short_number(size)}"
    value = rate_text(found["expected"]) if found["exact"] else span(found["low"], found["high"])
    return {"side": "expected", "label": "expected", "cells": [value, "", counts, *[""] * (4 + others)]}


def _notes(report: Report) -> list[str]:
    notes = []
    if report.failures:
        notes.append(f"{amount(len(report.failures), 'graph')} failed; see below.")
    if report.undecoded:
        notes.append(f"MBR failed on {amount(report.undecoded, 'graph')}, so there is no total for MBR.")
    if report.options.most_graphs < report.sketched:
        drawn = f"{report.options.most_graphs} of {report.sketched}"
        notes.append(f"{drawn} graphs are drawn, those with the most headroom.")
    return notes


def _charts(report: Report, intervals: Sequence[Sequence[Interval]]) -> list[Chart]:
    """Return charts of the rates by each metric, then those of sizes, by the first metric."""
    metric, sweep = report.review.metric, report.sweep
    swept = [report.options.interval(metric, row.table) for row in sweep.rows]
    charts = [
        *chain.from_iterable(map(partial(_rate_charts, report), report.review.metrics, report.sides, intervals)),
        lengths_chart(sweep.lengths, metric.name),
        density_chart(report.densities, metric.name),
        *(sweep_chart(sweep, swept, kind, metric.name) for kind in ("beam", "density", "nbest")),
    ]
    return [one for one in charts if one is not None]


def _rate_charts(
    report: Report, metric: GRR, sides: Sequence[SideTotal], intervals: Sequence[Interval]
) -> Iterator[Chart | None]:
    """Yield the charts of the rates of all graphs together and of each graph by a metric."""
    better = "higher" if metric.higher_is_better else "lower"
    yield standing_chart([(one.side, its) for one, its in zip(sides, intervals, strict=True)], metric.name, better)
    known = report.rates.get(metric.name, {})
    yield rates_chart({one.side: known[one.side] for one in sides if one.side in known}, metric.name)


def _settings(report: Report) -> list[tuple[str, str]]:
    """List the parameters of the report, with signatures."""
    options = report.options
    rows = [(name, visible(value)) for name, value in options.settings]
    if report.methods:
        rows.append(("MBR", f"{', '.join(sorted(report.methods))}; posterior scale {report.review.posterior_scale:g}"))
    if options.resamples:
        rows.append(("intervals", f"bootstrap over graphs, {options.resamples} resamples, seed {options.seed}"))
    rows.append(("signature", report.sweep.signature))
    rows += [(f"signature of {name}", signature) for name, signature in report.signatures().items()]
    with contextlib.suppress(ValueError, OverflowError, OSError):
        # Write no date without this variable, so that the same run gives the same file.
        seconds = int(os.environ.get("SOURCE_DATE_EPOCH", ""))
        rows.append(("made", datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d")))
    return [*rows, ("latticemetric", VERSION)]
