"""`lattice-oracle`: the best that each lattice could have said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from latticemetric.cli import options, running, searches
from latticemetric.cli.files import GraphFiles, GraphOutput, NamesFiles
from latticemetric.cli.help_page import verb
from latticemetric.cli.versions import version_option

_EPILOG = """\b
Examples:
  lattice-oracle lats.ark.gz text --metric wer --symbols words.txt
  lattice-oracle lattices/ refs.txt --metric 4-grr --ignore "<s> </s>" --format jsonl
  lattice-oracle dev.plf dev.en.0 dev.en.1      (two references a lattice)
  zcat lats.gz | lattice-oracle - refs.txt
  lattice-oracle lats.ark.gz text --hope 1,10 --fear 1,10 --worst --format json
"""

_SECTIONS = {
    "What is measured": "",
    "Also find": "--nbest --hope --fear --worst --on",
    "Also say": "--score --alignment --tags --posteriors",
    "The search": "--engine",
}


@verb("oracle", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lattices", type=GraphFiles(), nargs=1)
@click.argument("references", type=NamesFiles(), nargs=-1, metavar="REFERENCES...")
@searches.rate_options(
    "wer, wrr, N-grr for any N; bleu, bleu-sbp of all graphs together; FILE.fst, an automaton of your own."
)
@click.option("--score", metavar="NAMES", help="Score the extracted strings by further metrics, too: bleu-sbp,meteor.")
@click.option(
    "--nbest",
    type=click.IntRange(1, options.MOST_STRINGS),
    metavar="K",
    help="List the K best strings of each graph, too, each once.",
)
@options.weights("--hope", "Find what has the largest W · metric − cost, too; several weights with commas.")
@options.weights("--fear", "Find what has the largest −W · metric − cost, too; likewise.")
@click.option("--worst", is_flag=True, help="Find the string that scores worst, too.")
@click.option(
    "--on",
    type=click.Choice(["rate", "numerator"]),
    default="rate",
    show_default=True,
    help="What --hope and --fear weigh.",
)
@click.option(
    "--write-lattices",
    type=GraphOutput("to_format"),
    metavar="FILE",
    help="Write all paths that score best, as lattices or forests.",
)
@click.option("--to", "to_format", metavar="FORMAT", help="Format of --write-lattices (else by the file's suffix).")
@click.option("--sum-scores", is_flag=True, help="Of --write-lattices: one score, the model's cost under the scales.")
@click.option("--drop-labels", is_flag=True, help="Of --write-lattices: no texts of arcs.")
@options.engine
@version_option("lattice-oracle")
@options.normalize
@options.scale
@running.many_graphs
@options.symbols
@options.from_format
@searches.references_style
@options.output_format("text", "tsv", "json", "jsonl")
@options.output
@click.option("--alignment", is_flag=True, help="In text, show how words align; json always says.")
@click.option("--tags", is_flag=True, help="Tag words as OK or BAD; in text, those of the 1-best and nothing else.")
@click.option("--posteriors", is_flag=True, help="Say how probable each word is.")
@options.posterior_scale
@running.keep_going_counting
def command(
    *, lattices: str, references: tuple[str, ...], style: Any, output_format: str, output: str, **chosen: Any
) -> None:
    """The path of each lattice whose words score best against its reference.

    LATTICES is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES are lines in
    the order of the lattices, or lines that begin with ids; give several files for several references.

    Ties go to the least model cost, then to the fewest words. Exit status: 0, 1 if some graphs failed under
    --keep-going, 2 if nothing could be done.
    """
    from latticemetric.cli.automaton import is_automaton

    if not references and not is_automaton(chosen["metric"]):
        raise click.MissingParameter(param_hint="'REFERENCES...'", param_type="argument")
    put = _kind_of_oracle(chosen["metric"])
    put(lattices, references, style, output_format, output, **chosen)


def _kind_of_oracle(metric: str) -> Callable[..., None]:
    """What asks, by the kind of metric: a user's automaton, BLEU of all graphs together, or a rate of each."""
    from latticemetric.cli.automaton import is_automaton, put_automaton_oracles
    from latticemetric.cli.corpus_oracle import is_of_corpora, put_corpus_oracle
    from latticemetric.cli.rate_oracle import put_rate_oracles

    if is_automaton(metric):
        return put_automaton_oracles
    return put_corpus_oracle if is_of_corpora(metric) else put_rate_oracles
