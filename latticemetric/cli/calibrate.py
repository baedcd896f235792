"""`latticemetric calibrate`: compare confidences with accuracy, and expected errors with real ones; fit the scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from latticemetric.cli.commands import Options, choice, flag, option, verb
from latticemetric.cli.files import GraphFiles, ReferenceFiles
from latticemetric.cli.options import (
    IGNORE,
    PairedReadingOptions,
    PlottedOutputOptions,
    ResamplingOptions,
    cased_words,
    refuse,
    weights,
)
from latticemetric.cli.run import Failures
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.calibration import Calibration, CalibrationReport
    from latticemetric.corpus.tables.calibrate import CalibrationTable
    from latticemetric.graph import Graph

_EPILOG = """\b
Examples:
  latticemetric calibrate lats.ark.gz text --weights lm=12
  latticemetric calibrate dev/ dev.txt --test test/ --test-references test.txt --plot calibration.svg
  latticemetric calibrate out.ctm ref.stm --own-confidences --lowercase     (NCE as in sclite)
"""

_SECTIONS = {
    "Evaluation": "--answer --own-confidences --ignore --bins",
    "Fit": "--criterion --posterior-scale --folds --test --test-references --most-states",
}


def _weights(value: str | None) -> tuple[float, ...]:
    """Parse numbers separated by commas; return an empty tuple if the option is not given."""
    return () if value is None else weights(value)


class _EvaluationOptions(Options):
    answer: Literal["one-best", "mbr"] = choice(
        "--answer",
        ["one-best", "mbr"],
        "Words to evaluate: the 1-best, or the MBR answer for word errors.",
    )
    own_confidences: bool = flag(
        "--own-confidences", "Evaluate the confidences in the input (CTM); do not fit a scale."
    )
    ignore: str | None = IGNORE
    bins: int = option("--bins N", "Number of bins of reliability diagrams.", type=click.IntRange(1, 1000), default=10)


class _FitOptions(Options):
    criterion: Literal["words", "errors"] = choice(
        "--criterion", ["words", "errors"], "Fit the scale to word confidences, or to expected errors of utterances."
    )
    posterior_scale: tuple[float, ...] = option(
        "--posterior-scale NUMBERS",
        "Try these posterior scales first, separated by commas (default: powers of 2, 1/32 to 4); then try scales "
        "between them.",
        reads=_weights,
    )
    folds: int = option(
        "--folds N",
        "Without --test, cross-validate: fit on N − 1 of N folds, evaluate on the remaining fold.",
        type=click.IntRange(2),
        default=5,
    )
    test: str | None = option("--test GRAPHS", "Evaluate these graphs; fit on LATTICES.", type=GraphFiles())
    test_references: tuple[str, ...] = option(
        "--test-references FILE", "References of --test; repeatable.", type=ReferenceFiles(), multiple=True
    )
    most_states: int = option(
        "--most-states N",
        "Limit on search states per graph; above it, expected errors are estimates.",
        type=click.IntRange(1),
        default=2_000_000,
    )


class _RunOptions(Options):
    keep_going: bool = flag("--keep-going", "Report and skip graphs that fail; the exit status is then 1.")


@verb("calibrate", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lattices", type=GraphFiles(), nargs=1)
@click.argument("references", type=ReferenceFiles(), nargs=-1, metavar="REFERENCES...")
def command(
    lattices: str,
    references: tuple[str, ...],
    *,
    evaluation: _EvaluationOptions,
    fit: _FitOptions,
    reading: PairedReadingOptions,
    run: _RunOptions,
    resampling: ResamplingOptions,
    output: PlottedOutputOptions,
) -> None:
    """Compare word confidences and expected errors of LATTICES with their references, and fit the posterior scale.

    First, find the posterior scale that gives the most accurate word confidences on LATTICES; --criterion errors finds
    the scale that gives the most accurate expected errors. Then evaluate the word confidences, the probability that an
    answer has no errors, and the expected number of errors of an answer. Evaluate them on the graphs of --test; without
    --test, on each fold of LATTICES, with the scale that is best on the other folds. All graphs stay in memory.

    LATTICES is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES have one
    line per lattice, in the order of LATTICES or beginning with the lattice's id. If lattices have several references,
    give several files. Without REFERENCES, the references come from the records of LATTICES (JSON, tables): see
    --reference-field.
    """
    from latticemetric.corpus.calibration import SCALES, calibration
    from latticemetric.corpus.tables.calibrate import CalibrationTable

    output.check_plot()
    settings: dict[str, Any] = {"bins": evaluation.bins, **resampling.asdict()}
    failures = Failures(None)
    if evaluation.own_confidences:
        found: Calibration | CalibrationReport = _report_on_confidences(lattices, references, reading, settings)
    else:
        if fit.test_references and fit.test is None:
            raise UsageError(
                "there are test references, but no test graphs", where="--test-references", advice="add --test GRAPHS"
            )
        if fit.test is not None:
            refuse(["folds"], "with --test")
        if len(fit.posterior_scale) == 1:
            refuse(["criterion"], "with a single scale")
        asked: dict[str, Any] = {"keep_going": run.keep_going, "ignored": cased_words(evaluation.ignore)}
        examples = _examples(lattices, references, reading, failures, **asked)
        found = calibration(
            *examples,
            test=None if fit.test is None else _examples(fit.test, fit.test_references, reading, failures, **asked),
            answer=evaluation.answer,
            criterion=fit.criterion,
            posterior_scale=fit.posterior_scale or SCALES,
            weights=reading.weights,
            ignore=asked["ignored"],
            folds=fit.folds,
            most_states=fit.most_states,
            **settings,
        )
    table = CalibrationTable(found, resampling.asdict())
    output.write(table)
    _draw(table, output.plot)
    output.say_summary(table)
    failures.exit()


def _examples(
    files: str,
    references: Sequence[str],
    reading: PairedReadingOptions,
    failures: Failures,
    *,
    keep_going: bool,
    ignored: frozenset[str],
) -> tuple[list[Graph], list[list[tuple[str, ...]]]]:
    """Return graphs and the words of their references; with `keep_going`, skip graphs that fail."""
    from latticemetric.corpus.mbr_evidence import examples_of

    pairs = reading.paired(files, references).pairs
    answers = failures.reported(examples_of(pairs, keep_going=keep_going, ignored=ignored))
    examples = [answer.value for answer in answers if answer.problem is None]
    failures.require_answers()
    return [one.graph for one in examples], [one.references for one in examples]


def _report_on_confidences(
    words: str,
    references: Sequence[str],
    reading: PairedReadingOptions,
    settings: dict[str, Any],
) -> CalibrationReport:
    """Evaluate the confidences in the input, without a fit (`--own-confidences`)."""
    from latticemetric.corpus.calibration import confidence_calibration, recognised_pairs

    others = ("answer", "ignore", "weights_given", "normalize", "tokenize", "keep_going")
    refuse([*_FitOptions.declared, *others], "with --own-confidences")
    if not references:
        raise click.MissingParameter(param_hint="'REFERENCES...'", param_type="argument")
    graphs, several = recognised_pairs(
        lambda: reading.paired(words, references).pairs, words, references, lowercase=reading.lowercase
    )
    return confidence_calibration(graphs, several, **settings)


def _draw(table: CalibrationTable, plot: str | None) -> None:
    """Draw reliability diagrams into the file `plot`, if it is given."""
    if plot is not None:
        from latticemetric.corpus.tables.calibrate import LABELS
        from latticemetric.report.plots import draw_calibration

        draw_calibration({LABELS[name]: report for name, report in table.sets.items()}, plot)
