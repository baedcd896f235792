"""`latticemetric tags --from-lattices`: what posteriors say of the 1-best's words, against what is right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from latticemetric.cli import options, running, searches
from latticemetric.cli.display import say, shown, table, tsv_field
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.batch.outcomes import Outcome
    from latticemetric.batch.run import Run
    from latticemetric.evaluation.word_tags.thresholds import ConfidenceSweep
    from latticemetric.metrics.recognition import GRR


@dataclass(frozen=True)
class _Report:
    """What was found in lattices."""

    sweep: ConfidenceSweep
    lattices: int
    failed: int
    words: int
    bad: int
    signature: str


def evaluate_lattices(
    lattices: str,
    references: Sequence[str],
    *,
    thresholds: tuple[float, ...],
    plot: str | None,
    output_format: str,
    output: str,
    **chosen: Any,
) -> bool:
    """Prints and draws the scores of each threshold; says whether all lattices were answered."""
    from latticemetric.evaluation.word_tags.tags import WordTags
    from latticemetric.evaluation.word_tags.thresholds import THRESHOLDS, sweep_thresholds

    draw = _drawing(plot)
    rate = searches.rate(**chosen)
    failed = running.Failures(chosen["failures"])
    with running.running(output=output, **chosen) as run:
        found = list(failed.reported(_outcomes(lattices, references, rate, run, **chosen)))
        answered = [one for one in found if one.oracle is not None]
        if not answered:
            raise UsageError("no lattice could be evaluated")
        gold = WordTags.of([one.oracle.one_best.tags for one in answered if one.oracle])
        confidences = [value for one in answered if one.confidences for value in one.confidences.one_best]
        report = _Report(
            sweep_thresholds(gold, confidences, thresholds or THRESHOLDS),
            len(answered),
            failed.count,
            len(gold.bad),
            int(gold.bad.sum()),
            str(rate.signature_for(len(references)).also(norm=chosen["normalize"])),
        )
        with options.results(output, at_once=False) as put:
            for line in _LINES[output_format](report):
                put(line)
        failed.write()
        if draw is not None:
            draw(report.sweep, plot, "posterior")
    if output_format == "text":
        say("\n".join(_footer(report)))
    return not report.failed


def _outcomes(
    lattices: str, references: Sequence[str], rate: GRR, run: Run, *, style: Any, **chosen: Any
) -> Iterator[Outcome]:
    from latticemetric.batch.outcomes import oracles_of

    pairs = searches.pairs(lattices, references, style, **chosen)
    return oracles_of(pairs, rate, run, scales=dict(chosen["scales"]), confidence=chosen["posterior_scale"])


def _drawing(plot: str | None) -> Any:
    """What draws; that it cannot is better known before the lattices are searched."""
    if plot is None:
        return None
    from latticemetric.report.plots import check_plot, draw_thresholds

    check_plot(plot)
    return draw_thresholds


# --- Writing


def _text_lines(report: _Report) -> Iterator[str]:
    from latticemetric.evaluation.word_tags.metrics import TAG_METRICS

    header = ["threshold", *(metric.label for metric in TAG_METRICS.values()), "BAD"]
    rows = []
    for row in report.sweep.rows:
        best = " *" if row == report.sweep.best else "  "
        values = [shown(getattr(row.scores, name)) + (best if name == "f1_mult" else "") for name in TAG_METRICS]
        share = f"{100 * row.scores.bad / row.scores.tags:.1f} %" if row.scores.tags else "–"
        rows.append([f"{row.threshold:g}", *values, share])
    yield from table([header, *rows])
    for reason, thresholds in _reasons(report).items():
        yield f"{reason}: at {', '.join(thresholds)}"


def _reasons(report: _Report) -> dict[str, list[str]]:
    """Why values are undefined, or 0: of which metrics, at which thresholds."""
    from latticemetric.evaluation.word_tags.metrics import TAG_METRICS

    found: dict[str, list[str]] = {}
    for row in report.sweep.rows:
        notes = row.scores.notes
        for why in dict.fromkeys(notes.values()):
            labels = ", ".join(TAG_METRICS[name].label for name, reason in notes.items() if reason == why)
            found.setdefault(f"{labels} {why}", []).append(f"{row.threshold:g}")
    return found


def _footer(report: _Report) -> list[str]:
    notes = ["1 lattice" if report.lattices == 1 else f"{report.lattices} lattices"]
    notes += [f"{report.failed} failed"] if report.failed else []
    share = f", {100 * report.bad / report.words:.1f} % BAD" if report.words else ""
    return ["", f"{'; '.join(notes)}; {report.words} words{share}; * best F1-mult", report.signature]


def _items(report: _Report) -> list[dict[str, Any]]:
    return [row.asdict() for row in report.sweep.rows]


def _tsv_lines(report: _Report) -> Iterator[str]:
    items = _items(report)
    names = [name for name in items[0] if name != "notes"]
    yield "\t".join([*names, "notes"])
    for item in items:
        notes = "; ".join(f"{name} {why}" for name, why in item["notes"].items())
        yield "\t".join(map(tsv_field, [*(item[name] for name in names), notes]))


def _json_lines(report: _Report) -> Iterator[str]:
    best = report.sweep.best
    sizes = {name: getattr(report, name) for name in ("lattices", "failed", "words", "bad")}
    head = {"signature": report.signature, **sizes, "best": best and best.threshold}
    yield _as_json({**head, "thresholds": _items(report)})


def _jsonl_lines(report: _Report) -> Iterator[str]:
    return map(_as_json, _items(report))


_LINES = {"text": _text_lines, "tsv": _tsv_lines, "json": _json_lines, "jsonl": _jsonl_lines}


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
