"""`latticemetric calibrate`: compare confidences with accuracy, and expected errors with real ones; fit the scale."""

from __future__ import annotations

import click

from latticemetric.cli.commands import flag, option, verb
from latticemetric.cli.files import GraphFiles, ReferenceFiles
from latticemetric.cli.options import (
    IGNORE,
    KeepGoingOptions,
    PairedReadingOptions,
    PlottedOutputOptions,
    SettingsOptions,
    cased_words,
    refuse,
)
from latticemetric.cli.run import show
from latticemetric.corpus.calibration_question import Calibrations, OwnConfidences
from latticemetric.errors import UsageError

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


class _CalibrationOptions(SettingsOptions, kinds=(Calibrations,)):
    own_confidences: bool = flag(
        "--own-confidences", "Evaluate the confidences in the input (CTM); do not fit a scale."
    )
    ignore: str | None = IGNORE
    posterior_scale: tuple[float, ...]
    test: str | None = option("--test GRAPHS", "Evaluate these graphs; fit on LATTICES.", type=GraphFiles())
    test_references: tuple[str, ...] = option(
        "--test-references FILE", "References of --test; repeatable.", type=ReferenceFiles(), multiple=True
    )

    def check(self) -> None:
        """Refuse options that have no effect."""
        if self.own_confidences:
            others = ("weights_given", "normalize", "tokenize", "keep_going")
            own = [name for name in self.declared if name not in ("own_confidences", *OwnConfidences.fields)]
            refuse([*own, *others], "with --own-confidences")
        if self.test_references and self.test is None:
            raise UsageError(
                "there are test references, but no test graphs", where="--test-references", advice="add --test GRAPHS"
            )
        if self.test is not None:
            refuse(["folds"], "with --test")
        if len(self.posterior_scale) == 1:
            refuse(["criterion"], "with a single scale")


@verb("calibrate", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lattices", type=GraphFiles(), nargs=1)
@click.argument("references", type=ReferenceFiles(), nargs=-1, metavar="REFERENCES...")
def command(
    lattices: str,
    references: tuple[str, ...],
    *,
    search: _CalibrationOptions,
    reading: PairedReadingOptions,
    run: KeepGoingOptions,
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
    output.check_plot()
    search.check()
    question: OwnConfidences | Calibrations
    ignored = cased_words(search.ignore)
    if search.own_confidences:
        if not references:
            raise click.MissingParameter(param_hint="'REFERENCES...'", param_type="argument")
        question = search.settings(OwnConfidences)
    else:
        test = None if search.test is None else reading.corpus([search.test], search.test_references, ignore=ignored)
        question = search.settings(Calibrations, test=test)
    corpus = reading.corpus([lattices], references, ignore=ignored)
    show(question, corpus, run.whole(), output, at_once=False)
