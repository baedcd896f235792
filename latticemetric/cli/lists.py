"""`latticemetric lists`: the oracle of the first k hypotheses of n-best lists, and scores of corrected texts."""

from __future__ import annotations

import click

from latticemetric.cli.commands import Options, verb
from latticemetric.cli.files import GraphFiles, ReferenceFiles, TextFiles
from latticemetric.cli.options import (
    PairedReadingOptions,
    RateOptions,
    RateOutputOptions,
    ResamplingOptions,
    WorkerOptions,
    whole_numbers,
)
from latticemetric.cli.options.fields import option_of
from latticemetric.cli.run import requiring_references
from latticemetric.corpus.list_task import ListOracles

_EPILOG = """\b
Examples:
  latticemetric lists lists.json --at 1,5,10
  latticemetric lists beams.jsonl refs.txt --metric wer,4-grr
  latticemetric lists lists.json --corrected fixed.txt --normalize english
"""

_SECTIONS = {
    "Metric": "",
    "Lists": "--at --corrected",
}


class _CurveOptions(Options):
    at: tuple[int, ...] = option_of(ListOracles.fields["at"], reads=whole_numbers)
    corrected: str | None = option_of(ListOracles.fields["corrected"], type=TextFiles())


@verb("lists", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lists", type=GraphFiles(), nargs=1)
@click.argument("references", type=ReferenceFiles(), nargs=-1, metavar="REFERENCES...")
def command(
    lists: str,
    references: tuple[str, ...],
    *,
    wanted: _CurveOptions,
    metric: RateOptions,
    reading: PairedReadingOptions,
    resampling: ResamplingOptions,
    run: WorkerOptions,
    output: RateOutputOptions,
) -> None:
    """Compute the oracle of the first k hypotheses of n-best lists, for several k; also score corrected texts.

    LISTS is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES have one
    line per list, in the order of LISTS or beginning with the list's id. If lists have several references, give
    several files. Without REFERENCES, the references come from the records of LISTS (JSON, tables): see
    --reference-field.
    """
    from latticemetric.corpus.notes import noting_unseen
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tables.lists import table_of
    from latticemetric.parallel.limits import default_workers

    # Options of resampling stay allowed without resamples.
    intervals = resampling.asdict() if resampling.resamples else {}
    task = ListOracles(metric=metric.rates(), at=wanted.at or None, corrected=wanted.corrected, **intervals)
    corpus = reading.corpus([lists], references)
    started = Run(run.workers or default_workers(), watched=True)
    with requiring_references(), noting_unseen(corpus, task, started):
        found = task.found(corpus, started)
    table = table_of(found, looks=output.looks)
    output.write(table)
    output.say_summary(table)
