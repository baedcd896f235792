"""`latticemetric lists`: the oracle of the first k hypotheses of n-best lists, and scores of corrected texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from latticemetric.cli.commands import Options, option, verb
from latticemetric.cli.files import GraphFiles, ReferenceFiles, TextFiles
from latticemetric.cli.options import (
    PairedReadingOptions,
    RateOptions,
    RateOutputOptions,
    ResamplingOptions,
    WorkerOptions,
    grammar_named,
    whole_numbers,
)
from latticemetric.display.progress import progress
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.corrections import Corrections
    from latticemetric.corpus.list_blocks import BlockSums
    from latticemetric.corpus.oracle_at_k import ListSums

_EPILOG = """\b
Examples:
  latticemetric lists lists.json --at 1,5,10
  latticemetric lists beams.jsonl refs.txt --metric 4-grr
  latticemetric lists lists.json --corrected fixed.txt --normalize english
"""

_SECTIONS = {
    "Metric": "",
    "Lists": "--at --corrected",
}


class _CurveOptions(Options):
    at: tuple[int, ...] = option(
        "--at NUMBERS",
        "Use these values of k, such as 1,5,10; 1 and the length of the longest list are always added "
        "(default: 1,2,3,4,5,10,20,50,…).",
        reads=whole_numbers,
    )
    corrected: str | None = option(
        "--corrected FILE",
        "Also score the texts in FILE, one per list: corrected hypotheses, or hypotheses chosen from the list.",
        type=TextFiles(),
    )


class _RateOptions(RateOptions):
    metric: str = option("--metric -m NAME", "Metric: wer, wrr, N-grr (any N), cer, N-gcr or mixed-er.", default="wer")


@verb("lists", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lists", type=GraphFiles(), nargs=1)
@click.argument("references", type=ReferenceFiles(), nargs=-1, metavar="REFERENCES...")
def command(
    lists: str,
    references: tuple[str, ...],
    *,
    wanted: _CurveOptions,
    metric: _RateOptions,
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
    from latticemetric.corpus.list_blocks import BlockSums
    from latticemetric.corpus.oracle_at_k import curve_of
    from latticemetric.corpus.tables.lists import ListTable

    searched, grammar, judged = metric.rate(), grammar_named(reading.normalize), None
    if wanted.corrected is not None and (searched.name != "wer" or not searched.gains.are_edits):
        raise UsageError("--corrected supports the metric wer only", advice="leave --metric and --parameter out")
    keep = bool(resampling.resamples)
    rewrite = None if grammar is None else grammar.text
    settings = BlockSums(searched, wanted.at or None, reading.weights, keep=keep, rewrite=rewrite)
    if wanted.corrected is None:
        sums, number = _sums(lists, references, reading, settings, run.workers)
    else:
        sums, number, judged = _sums_and_corrections(lists, references, reading, settings, wanted.corrected)
    curve = curve_of(list(sums), searched, at=settings.at, **resampling.asdict())
    signature = searched.signature_for(number).also(norm=reading.rewritten_by)
    if grammar is not None:
        signature = signature.also(readings=grammar.readings_of_text)
    table = ListTable(replace(curve, signature=str(signature)), judged, seed=resampling.seed, looks=output.looks)
    output.write(table)
    output.say_summary(table)


def _sums(
    lists: str, references: Sequence[str], reading: PairedReadingOptions, settings: BlockSums, workers: int | None
) -> tuple[Iterator[ListSums], int | str]:
    """Return the `ListSums` of each block of lists, and the number of references per list."""
    from latticemetric.corpus.list_blocks import TableSums, sums_of_pairs

    if not references and (blocks := reading.blocks(lists)) is not None:
        prepare = None if reading.preparation is None else reading.prepared
        sums = TableSums(progress(blocks, None, "blocks"), reading.reference_field, prepare)
        return sums.each(settings, workers), sums.references
    paired = reading.paired(lists, references, rewrite=False)  # `settings` normalizes, so that lists stay lists
    return sums_of_pairs(paired.pairs, settings), paired.references


def _sums_and_corrections(
    lists: str, references: Sequence[str], reading: PairedReadingOptions, settings: BlockSums, corrected: str
) -> tuple[Iterator[ListSums], int | str, Corrections]:
    """Return the `ListSums`, the number of references per list, and the results of the corrected texts."""
    from latticemetric.cli.corrected import corrected_pairs
    from latticemetric.corpus.corrections import corrections

    paired = reading.paired(lists, references, rewrite=False)
    pairs, found, texts = corrected_pairs(paired, corrected, reading)
    ignore = settings.rate.ignore | settings.rate.wildcard
    judged = corrections(found.lists, found.references, texts, weights=settings.weights, ignore=ignore)
    return iter([replace(settings, rewrite=None).of(pairs)]), paired.references, judged
