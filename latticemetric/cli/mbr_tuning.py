"""`latticemetric mbr --tune`: which parameters answer best, measured on a development set?"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from latticemetric.cli import answers, options
from latticemetric.cli.display import say
from latticemetric.errors import harmless

if TYPE_CHECKING:
    from latticemetric.batch.mbr_evidence import Example
    from latticemetric.batch.tuning import MBRTuning

_COLUMNS = ["scale", "T", "p", "r", "order", "word_penalty", "score", "best"]


def tune(
    graphs: tuple[str, ...],
    references: tuple[str, ...],
    *,
    metric: str,
    ignore: str | None,
    reading: dict[str, Any],
    output: str,
    output_format: str,
    **parameters: Any,
) -> None:
    """Finds the parameters and writes them; graphs that fail are left out under `keep_going`, which is status 1."""
    from latticemetric.batch.tuning import tune_mbr

    (measured,) = options.metric_list([metric])
    ignored = options.word_list(ignore)
    examples, failed = _examples(graphs, references, **reading)
    evidence = [example.evidence for example in examples if example.evidence is not None]
    found = tune_mbr(
        [example.graph for example in examples],
        [example.references for example in examples],
        measured,
        evidence=evidence if reading["evidence"] else None,
        ignore=ignored,
        **parameters,
    )
    with options.results(output, at_once=False) as put:
        for line in _lines(found, output_format):
            put(line)
    if output_format == "text":
        say("\n".join(_summary(found, measured.name)))
    if failed:
        sys.exit(1)


def _examples(
    graphs: tuple[str, ...],
    references: tuple[str, ...],
    *,
    style: Any,
    evidence: tuple[str, ...],
    from_format: str | None,
    symbols: str | None,
    keep_going: bool,
) -> tuple[list[Example], int]:
    """The development set, and how many of it failed."""
    from latticemetric.batch.mbr_evidence import examples_of
    from latticemetric.batch.pairing import pair_up
    from latticemetric.formats.reading import entries
    from latticemetric.formats.references import read_references
    from latticemetric.formats.symbols import as_vocabulary

    vocabulary = as_vocabulary(symbols)
    files = [read_references(path, vocabulary) for path in references]
    pairs = pair_up(entries(graphs, from_format, vocabulary), files, style)
    others = entries(evidence, None, vocabulary) if evidence else None
    examples, failed = [], 0
    for answer in options.progress(examples_of(pairs, others, keep_going=keep_going), None, "graphs"):
        if answer.problem is None:
            examples.append(answer.value)
        else:
            failed += 1
            say(f"failed: {harmless(str(answer.problem))}")
    return examples, failed


def _lines(found: MBRTuning, output_format: str) -> Iterable[str]:
    if output_format == "text":
        return [_as_options(found)]
    if output_format == "json":
        return [json.dumps(found.asdict(), ensure_ascii=False, allow_nan=False)]
    rows = _rows(found)
    return answers.tsv(rows, _COLUMNS) if output_format == "tsv" else answers.json_lines(rows)


def _rows(found: MBRTuning) -> Iterator[dict[str, Any]]:
    for trial in found.trials:
        yield {**trial.asdict(), "best": trial == found.best}


def _as_options(found: MBRTuning) -> str:
    """The best setting as this program takes it."""
    best = found.best.parameters
    return (
        f"--posterior-scale {best.scale:.10g} -T {best.T:.10g} -p {best.p:.10g} -r {best.r:.10g}"
        f" --word-penalty={best.word_penalty:.10g} --order {best.order}"
    )


def _summary(found: MBRTuning, metric: str) -> list[str]:
    """What the best setting scores beside others, and whether that is more than chance."""
    from latticemetric.cli.display import shown, table

    heading = ["", metric, "best minus it", "95 % interval", "p"]
    rows = [heading, ["best", shown(found.best.score), "", "", ""]]
    for name, score, compared in (
        ("default", found.default.score, found.over_default),
        ("1-best", found.one_best, found.over_one_best),
    ):
        rows.append([name, shown(score), *_compared(compared)])
    rows.append(["held out", shown(found.held_out), "", "", ""])
    graphs = "1 graph" if found.graphs == 1 else f"{found.graphs} graphs"
    return ["", *table(rows), f"{len(found.trials)} settings, {graphs}   {found.signature}"]


def _compared(compared: Any) -> list[str]:
    from latticemetric.cli.display import shown

    if compared is None:
        return ["", "", ""]
    difference = compared.difference
    return [shown(difference.value), f"{shown(difference.low)} … {shown(difference.high)}", shown(compared.p)]
