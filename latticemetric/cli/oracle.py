"""`lattice-oracle`: the best that each lattice could have said."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import options
from latticemetric.signature import VERSION

if TYPE_CHECKING:
    from latticemetric.batch.oracles import Outcome
    from latticemetric.batch.string_scores import StringScorer
    from latticemetric.metrics.recognition import GRR

_EPILOG = """\b
Examples:
  lattice-oracle lats.ark.gz text --metric wer --symbols words.txt
  lattice-oracle lattices/ refs.txt --metric 4-grr --ignore "<s> </s>" --format jsonl
  lattice-oracle dev.plf dev.en.0 dev.en.1      (two references a lattice)
  zcat lats.gz | lattice-oracle - refs.txt
"""


@click.command("oracle", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("lattices", nargs=1)
@click.argument("references", nargs=-1, metavar="REFERENCES...")
@click.option(
    "--metric",
    default="4-grr",
    show_default=True,
    metavar="NAME",
    help="wer, wrr, N-grr for any N, or a file FILE.fst: an automaton of one's own, which needs no references.",
)
@click.option("--alpha", metavar="A", help="What an inserted word costs in N-grr (default 1).")
@click.option("--beta", metavar="B", help="What a deleted word costs in N-grr (default 0).")
@click.option("--ignore", metavar="WORDS", help="No words at all, on either side: '<s> </s>'; @FILE for a list.")
@click.option("--wildcard", metavar="WORDS", help="Words that cost nothing on either side; @FILE for a list.")
@click.option("--score", metavar="NAMES", help="Metrics of the extracted strings too: bleu-sbp,meteor.")
@click.option("--engine", type=click.Choice(["auto", "native", "openfst"]), default="auto", show_default=True)
@click.version_option(VERSION, prog_name="lattice-oracle")
@options.normalize
@options.scale
@options.workers
@options.symbols
@options.from_format
@click.option(
    "--references",
    "style",
    type=click.Choice(["auto", "plain", "keyed"]),
    default="auto",
    show_default=True,
    help="Whether lines of references begin with ids.",
)
@options.output_format("text", "tsv", "json", "jsonl")
@options.output
@click.option("--alignment", is_flag=True, help="Show how words align (text); json always says.")
@click.option("--keep-going", is_flag=True, help="Report graphs that fail, count them as deletions, and go on.")
def command(
    *,
    lattices: str,
    references: tuple[str, ...],
    style: Any,
    output_format: str,
    output: str,
    alignment: bool,
    **chosen: Any,
) -> None:
    """The path of each lattice whose words score best against its reference.

    LATTICES is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES are lines in
    the order of the lattices, or lines that begin with ids; give several files for several references.

    Ties go to the least model cost, then to the fewest words. Exit status: 0, 1 if some graphs failed under
    --keep-going, 2 if nothing could be done.
    """
    from latticemetric.cli.automaton import is_automaton, put_oracles

    if is_automaton(chosen["metric"]):
        put_oracles(lattices, references, style, output_format, output, alignment=alignment, **chosen)
        return
    if not references:
        raise click.MissingParameter(param_hint="'REFERENCES...'", param_type="argument")

    from latticemetric.batch.oracles import oracles_of
    from latticemetric.batch.pairing import pair_up
    from latticemetric.batch.workers import default_workers
    from latticemetric.cli.oracle_writing import Writer
    from latticemetric.formats.reading import entries
    from latticemetric.formats.references import read_references
    from latticemetric.formats.symbols import as_vocabulary

    metric = _metric(**chosen)
    scorer = _scorer(chosen["score"], metric, each=output_format != "text", normalize=chosen["normalize"])
    vocabulary = as_vocabulary(chosen["symbols"])
    files = [read_references(path, vocabulary) for path in references]
    pairs = pair_up(entries([lattices], chosen["from_format"], vocabulary), files, style)
    grammar = options.grammar(chosen["normalize"])
    if grammar is not None:
        from latticemetric.batch.normalization import normalized_pairs

        pairs = normalized_pairs(pairs, grammar, dict(chosen["scales"]))
    outcomes = oracles_of(
        options.progress(pairs, max(len(file.lines) for file in files), "lattices"),
        metric,
        scales=dict(chosen["scales"]),
        engine=chosen["engine"],
        keep_going=chosen["keep_going"],
        workers=chosen["workers"] or default_workers(),
        scorer=scorer,
    )
    strings = scorer.totals() if scorer is not None else None
    writer = Writer(metric, len(files), alignment=alignment, strings=strings, normalize=chosen["normalize"])
    with options.results(output, at_once=chosen["keep_going"] and output_format != "json") as put:
        for line in writer.lines(_reported(outcomes), output_format):
            put(line)
    if output_format == "text":
        click.echo("\n".join(writer.summary()), err=True)
    if writer.totals.failed:
        sys.exit(1)


def _metric(
    *, metric: str, alpha: str | None, beta: str | None, ignore: str | None, wildcard: str | None, **_: Any
) -> GRR:
    from latticemetric.metrics.registry import make_metric
    from latticemetric.questions.oracle import as_recognition_rate

    penalties = {name: value for name, value in (("alpha", alpha), ("beta", beta)) if value is not None}
    words = {"ignore": options.word_list(ignore), "wildcard": options.word_list(wildcard)}
    # Only what is given: a metric that graphs cannot be searched by has none of these, and that is what to say.
    given = {name: value for name, value in words.items() if value}
    return as_recognition_rate(make_metric(metric, **penalties, **given))


def _scorer(names: str | None, metric: GRR, *, each: bool, normalize: str | None) -> StringScorer | None:
    """What scores the extracted strings, if that is asked for."""
    if names is None:
        return None
    from latticemetric.batch.string_scores import StringScorer

    return StringScorer(tuple(options.metric_list([names])), metric.ignore, each, normalize)


def _reported(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """Passes outcomes on, and says on stderr what failed."""
    for outcome in outcomes:
        if outcome.problem is not None:
            click.echo(f"failed: {outcome.problem}", err=True)
        yield outcome
