"""`latticemetric tune`: the best weights of score columns on graphs with references, exactly."""

from __future__ import annotations

import click

from latticemetric.cli.commands import Options, option, verb
from latticemetric.cli.files import GraphFiles, NoFile, Output, ReferenceFiles
from latticemetric.cli.options import (
    IGNORE,
    KeepGoingOptions,
    PairedReadingOptions,
    PlottedOutputOptions,
    ResamplingOptions,
    cased_words,
    metrics_named,
)
from latticemetric.cli.options.fields import option_of
from latticemetric.cli.run import Failures, requiring_references
from latticemetric.corpus.weight_settings import checked_ranges
from latticemetric.corpus.weight_tuning import WeightTuning
from latticemetric.errors import UsageError

_EPILOG = """\b
Examples:
  latticemetric tune lats.ark.gz text --vary acoustic=0.05:0.2 --vary words=0:1
  latticemetric tune dev/ dev.en --metric bleu --weights params.txt --vary feature_2=-2:2 --write-weights tuned.txt
  latticemetric tune beams.jsonl text --vary lm=0:2 --plot map.svg
"""

_SECTIONS = {"Tuning": "--metric --vary --min-margin --restarts --folds --ignore --write-weights"}


class _WeightOptions(Options):
    metric: str = option("--metric -m NAME", "Optimize the corpus value of this metric.", default="wer")
    vary: tuple[str, ...] = option(
        "--vary NAME=LOW:HIGH",
        "Vary the weight of this score column in this range; repeatable. The column 'words' counts words.",
        type=NoFile(),
        multiple=True,
    )
    min_margin: float = option_of(WeightTuning.fields["min_margin"])
    restarts: int = option_of(WeightTuning.fields["restarts"])
    folds: int = option_of(WeightTuning.fields["folds"])
    ignore: str | None = IGNORE
    write_weights: str | None = option(
        "--write-weights FILE", "Write the weights of all columns to FILE, which --weights reads.", type=Output()
    )


@verb("tune", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("graphs", type=GraphFiles(), nargs=1)
@click.argument("references", type=ReferenceFiles(), nargs=-1, metavar="REFERENCES...")
def command(
    graphs: str,
    references: tuple[str, ...],
    *,
    tuning: _WeightOptions,
    reading: PairedReadingOptions,
    resampling: ResamplingOptions,
    run: KeepGoingOptions,
    output: PlottedOutputOptions,
) -> None:
    """Find the weights of score columns with which the best strings of GRAPHS score best against REFERENCES.

    The search is exact: over all paths of all graphs, no weights in the ranges score better. The printed weights are
    the middle of the region of such weights, so that small changes of weights change no string.

    GRAPHS is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES have one line per
    graph, in the order of GRAPHS or beginning with the graph's id. If graphs have several references, give several
    files. Without REFERENCES, the references come from the records of GRAPHS (JSON, tables): see --reference-field.
    All graphs stay in memory.
    """
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tables.tune import TunedWeightsTable
    from latticemetric.drawing.canvas import check_suffix

    if not tuning.vary:
        raise UsageError("no weight varies", advice="give --vary acoustic=0.05:0.2, for example")
    if output.plot is not None:
        check_suffix(output.plot)
    (metric,) = metrics_named([tuning.metric])
    intervals = resampling.asdict() if resampling.resamples else {"resamples": 0}
    task = WeightTuning(
        metric=metric,
        vary=checked_ranges(tuning.vary),
        min_margin=tuning.min_margin,
        restarts=tuning.restarts,
        folds=tuning.folds,
        **intervals,
    )
    corpus = reading.corpus([graphs], references, ignore=cased_words(tuning.ignore))
    failures = Failures(None)
    with requiring_references():
        examples = list(failures.reported(task.examples(corpus, Run(keep_going=run.keep_going, watched=True))))
    failures.require_answers()
    found = task.tuned(examples, corpus, watched=True)
    if tuning.write_weights is not None:
        found.write_weights(tuning.write_weights)
    table = TunedWeightsTable(found, looks=output.looks)
    output.write(table)
    output.say_summary(table)
    failures.exit()
