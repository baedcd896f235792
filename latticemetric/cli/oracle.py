"""`lattice-oracle`: the path of each lattice that scores best against its reference."""

from __future__ import annotations

import click

from latticemetric.cli.files import GraphFiles, MetricName, NamesFiles, names_automaton
from latticemetric.cli.help_page import verb, version_option
from latticemetric.cli.options import OutputOptions, PairOptions, RateOptions, ShardedRunOptions, option
from latticemetric.cli.oracle_rates import AlsoOptions, BestGraphOptions

_EPILOG = """\b
Examples:
  lattice-oracle lats.ark.gz text --metric wer --symbols words.txt
  lattice-oracle lattices/ refs.txt --metric 4-grr --ignore "<s> </s>" --format jsonl
  lattice-oracle dev.plf dev.en.0 dev.en.1      (two references per lattice)
  zcat lats.gz | lattice-oracle - refs.txt
  lattice-oracle lats.ark.gz text --hope 1,10 --fear 1,10 --worst --format json
"""

_SECTIONS = {
    "What is measured": "",
    "Also find": "--nbest --hope --fear --worst --on",
    "Also show": "--score --alignment --tags --posteriors",
    "The search": "--engine",
}
_BLEU = ("bleu", "bleu-sbp", "bleu-stem", "bleu-sbp-stem")


class _MetricOptions(RateOptions):
    """Options of the metric that the search optimizes: a rate, BLEU, or an automaton."""

    metric: str = option(
        "--metric NAME",
        "wer, wrr, or N-grr for any N; bleu or bleu-sbp of all graphs together; or your own automaton, FILE.fst.",
        type=MetricName(),
        default="4-grr",
    )


@verb("oracle", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lattices", type=GraphFiles(), nargs=1)
@click.argument("references", type=NamesFiles(), nargs=-1, metavar="REFERENCES...")
@version_option("lattice-oracle")
def command(
    lattices: str,
    references: tuple[str, ...],
    *,
    metric: _MetricOptions,
    also: AlsoOptions,
    best: BestGraphOptions,
    reading: PairOptions,
    run: ShardedRunOptions,
    output: OutputOptions,
) -> None:
    """Find the path of each lattice whose words score best against its reference.

    LATTICES is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES have
    one line per lattice, in the same order or with ids first; give several files for several references.

    Ties go to the least model cost, then to the fewest words. Under --keep-going, the reference words of graphs that
    fail count as deletions. Exit status: 0, 1 if some graphs failed under --keep-going, 2 after other errors.
    """
    if names_automaton(metric.metric):
        from latticemetric.cli.oracle_automaton import write_automaton_oracles

        write_automaton_oracles(
            lattices, references, automaton=metric.metric, engine=also.engine, reading=reading, run=run, output=output
        )
        return
    if not references:
        raise click.MissingParameter(param_hint="'REFERENCES...'", param_type="argument")
    if metric.metric.strip().lower() in _BLEU:
        from latticemetric.cli.oracle_corpus import write_corpus_oracle

        write_corpus_oracle(lattices, references, metric=metric, also=also, reading=reading, run=run, output=output)
    else:
        from latticemetric.cli.oracle_rates import write_rate_oracles

        write_rate_oracles(
            lattices, references, rate=metric.rate, also=also, best=best, reading=reading, run=run, output=output
        )
