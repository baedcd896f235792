"""Build the page of a report: one HTML file from a template, a style sheet, scripts and data.

Data are escaped, so that they cannot end their element; a Content-Security-Policy blocks all other scripts.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, NamedTuple

from latticemetric.batch.review import SideTotal
from latticemetric.display import visible
from latticemetric.errors import MissingDependencyError
from latticemetric.evaluation.intervals import Interval
from latticemetric.report.charts import (
    LABELS,
    Chart,
    density_chart,
    lengths_chart,
    rates_chart,
    standing_chart,
    sweep_charts,
)
from latticemetric.report.data import drawing
from latticemetric.report.figures import amount, rate_text, short_number, span
from latticemetric.report.report import Failure, Report
from latticemetric.signature import VERSION

_IN_SCRIPTS = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def json_for_script(data: Any) -> str:
    r"""Write JSON for a script element; escape its texts, so that it contains no tag, comment or entity.

    Examples:
        >>> print(json_for_script(["</script>", "<!--"]))
        ["\u003c/script\u003e","\u003c!--"]
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_IN_SCRIPTS)


def policy(styles: list[str], scripts: list[str]) -> str:
    """Return a Content-Security-Policy that allows only these styles and scripts, and no requests."""
    parts = [
        "default-src 'none'",
        f"style-src {' '.join(map(_hash, styles))}",
        f"script-src {' '.join(map(_hash, scripts))}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(parts)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


# ---- The page ----

_SCRIPTS = ("elements.js", "list.js", "alignment.js", "view.js", "drawing.js", "utterance.js", "main.js")


class SummaryRow(NamedTuple):
    """A row of the summary."""

    side: str
    label: str
    cells: tuple[str, ...]


class SummaryTable(NamedTuple):
    """The summary."""

    header: tuple[str, ...]
    rows: list[SummaryRow]


@dataclass(frozen=True)
class _Shown:
    """The values of the template."""

    title: str
    metric: str
    lead: str
    summary: SummaryTable
    notes: list[str]
    charts: list[Chart]
    failures: list[Failure]
    failure_note: str
    settings: list[tuple[str, str]]


def check_page() -> None:
    """Raise an error if jinja2 is not installed."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError(
            "reports need jinja2, which is not installed", advice="pip install 'latticemetric[report]'"
        ) from error


def page(report: Report) -> str:
    """Return a report as one HTML file; the same report gives the same file."""
    check_page()
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    style, theme = _file("page.css"), _file("theme.js")
    script = "\n".join(map(_file, _SCRIPTS))
    shown = _shown(report)
    charts = [Chart(one.title, one.caption, Markup(one.svg), one.header, one.rows) for one in shown.charts]  # noqa: S704  our own elements
    return environment.from_string(_file("page.html")).render(
        report=shown,
        charts=charts,
        version=VERSION,
        policy=policy([style], [theme, script]),
        style=Markup(style),  # noqa: S704  our own files
        theme=Markup(theme),  # noqa: S704
        script=Markup(script),  # noqa: S704
        data=Markup(json_for_script(_data(report))),  # noqa: S704  made harmless there
    )


def _file(name: str) -> str:
    return (files("latticemetric.report") / "page" / name).read_text(encoding="utf-8")


def _data(report: Report) -> dict[str, Any]:
    """Return the data of the scripts."""
    sketches = report.sketches()
    items = [
        item | ({"drawing": drawing(sketches[place])} if place in sketches else {})
        for place, item in enumerate(report.utterances)
    ]
    return {
        "metric": report.review.metric.name,
        "higher": report.review.metric.higher_is_better,
        "decoded": report.review.decoding is not None,
        "drawn": [len(sketches), report.sketched],
        "utterances": items,
    }


def _shown(report: Report) -> _Shown:
    metric, options, sides = report.review.metric, report.options, report.sides
    intervals = [options.interval(metric, side.table) for side in sides]
    return _Shown(
        title=visible(options.title),
        metric=metric.name,
        lead=_lead(report),
        summary=_summary(report, sides, intervals),
        notes=_notes(report),
        charts=_charts(report, sides, intervals),
        failures=report.failures,
        failure_note=f"{amount(len(report.failures), 'graph')} could not be answered; where there is a reference, all"
        " of its words count as deleted.",
        settings=_settings(report),
    )


def _lead(report: Report) -> str:
    """Summarise the report in one sentence."""
    metric, totals = report.review.metric, report.totals
    scores = {side.side: side.total.score for side in report.sides}
    oracle, one_best = (rate_text(scores[side]) for side in ("oracle", "one_best"))
    found = report.headroom
    better = "higher" if metric.higher_is_better else "lower"
    graphs = amount(totals.lattices, "graph")
    if found.value is None:
        return f"In {graphs}, no rate is defined: the references have no words."
    low, high = _gap(found)
    interval = "" if low is None else f", with {100 * found.confidence:g} % of resamples in {span(low, high)}"
    return (
        f"In {graphs}, the best paths score {oracle} and the model's own {one_best} "
        f"({metric.name}, {better} is better). Between them lies a headroom of {rate_text(abs(found.value))}{interval}."
    )


def _gap(found: Interval) -> tuple[float | None, float | None]:
    """Return the interval of a difference, or of its opposite if the difference is negative."""
    if found.value is None or found.low is None or found.high is None or found.value >= 0:
        return found.low, found.high
    return -found.high, -found.low


def _summary(report: Report, sides: Sequence[SideTotal], intervals: Sequence[Interval]) -> SummaryTable:
    metric = report.review.metric.name
    scores = sorted({name for side in sides for name in side.scores})
    share = f"{100 * report.options.confidence:g} % interval"
    header = ("", metric, share, "counts", "matches", "subst.", "del.", "ins.", *scores)
    rows = [_summary_row(side, one, scores) for side, one in zip(sides, intervals, strict=True)]
    found = report.headroom
    if found.value is not None:
        blank = ("",) * (5 + len(scores))
        rows.append(SummaryRow("headroom", "headroom", (rate_text(abs(found.value)), span(*_gap(found)), *blank)))
    return SummaryTable(header, rows)


def _summary_row(side: SideTotal, one: Interval, scores: Sequence[str]) -> SummaryRow:
    total, counts = side.total, side.total.statistics
    edits = (counts.matches[0], counts.substitutions, counts.deletions, counts.insertions)
    fraction = f"{short_number(total.numerator)}/{short_number(total.denominator)}"
    others = tuple(rate_text(side.scores[name]) for name in scores)
    cells = (rate_text(total.score), span(one.low, one.high), fraction, *map(short_number, edits), *others)
    return SummaryRow(side.side, LABELS[side.side], cells)


def _notes(report: Report) -> list[str]:
    totals, notes = report.totals, []
    if totals.failed:
        notes.append(f"{amount(totals.failed, 'graph')} failed; see below.")
    if totals.undecoded:
        notes.append(f"MBR has no answer to {amount(totals.undecoded, 'graph')}, and so none for the whole.")
    drawn_, sketched = min(report.options.most_graphs, report.sketched), report.sketched
    if drawn_ < sketched:
        notes.append(f"{drawn_} of {sketched} graphs are drawn, those with the most headroom.")
    return notes


def _charts(report: Report, sides: Sequence[SideTotal], intervals: Sequence[Interval]) -> list[Chart]:
    metric, found = report.review.metric, report.sweep
    better = "higher" if metric.higher_is_better else "lower"
    standing = [(side.side, one) for side, one in zip(sides, intervals, strict=True)]
    ordered = {side.side: report.rates[side.side] for side in sides if side.side in report.rates}
    charts = [
        standing_chart(standing, metric.name, better),
        rates_chart(ordered, metric.name),
        lengths_chart(found.lengths, metric.name),
        density_chart(report.densities),
    ]
    swept = [report.options.interval(metric, row.table) for row in found.rows]
    return [one for one in [*charts, *sweep_charts(found, swept, metric.name)] if one is not None]


def _settings(report: Report) -> list[tuple[str, str]]:
    """List the parameters of the report, with signatures."""
    totals, options = report.totals, report.options
    rows = [(name, visible(value)) for name, value in options.settings]
    if totals.methods:
        rows.append(("MBR", f"{', '.join(sorted(totals.methods))}; posterior scale {report.review.posterior_scale:g}"))
    rows.append(("intervals", f"bootstrap over graphs, {options.resamples} resamples, seed {options.seed}"))
    rows.append(("signature", report.sweep.signature))
    rows += [(f"signature of {name}", signature) for name, signature in totals.signatures().items()]
    return [*rows, *_date(), ("latticemetric", VERSION)]


def _date() -> list[tuple[str, str]]:
    """Return the date of SOURCE_DATE_EPOCH, if set, else nothing, so that the same run gives the same file."""
    try:
        seconds = int(os.environ.get("SOURCE_DATE_EPOCH", ""))
        return [("made", datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d"))]
    except (ValueError, OverflowError, OSError):
        return []
