"""`latticemetric posteriors`: probabilities of the words, n-grams and arcs or edges of each graph."""

from __future__ import annotations

from functools import partial
from operator import itemgetter

import click

from latticemetric.cli.commands import Options, choice, option, verb
from latticemetric.cli.files import GraphFiles
from latticemetric.cli.options import (
    POSTERIOR_SCALE,
    Number,
    OutputOptions,
    ShardedRunOptions,
    WordReadingOptions,
    lattices_option,
    refuse,
)
from latticemetric.cli.run import ask_graphs
from latticemetric.corpus.tables.posteriors import COLUMNS, PosteriorTable
from latticemetric.errors import UsageError

_EPILOG = """\b
Examples:
  latticemetric posteriors lats.ark.gz --scale acoustic=0.1 --least 0.5
  latticemetric posteriors lattices/ --of ngrams --order 3 --top 20 --format tsv
  latticemetric posteriors forests/ --of edges --least 0.5
  latticemetric posteriors lats.slf --of summary --write-lattices out.slf
"""

_SECTIONS = {
    "List": "--of --order --least --top",
}


class _ListingOptions(Options):
    posterior_scale: float = POSTERIOR_SCALE
    of: str = choice(
        "--of", list(COLUMNS), "List words, n-grams, arcs (of lattices), edges (of forests), or a summary per graph."
    )
    order: int = option("--order N", "Length of the longest n-grams.", default=4, type=click.IntRange(1))
    least: float = option("--least P", "List only posteriors ≥ P.", type=Number(0, 1), default=0.0)
    top: int | None = option("--top N", "List at most N rows per graph.", type=click.IntRange(0))
    write_lattices: str | None = lattices_option("lattices with posteriors")


@verb("posteriors", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("graphs", type=GraphFiles(), nargs=-1, required=True)
def command(
    graphs: tuple[str, ...],
    *,
    listing: _ListingOptions,
    reading: WordReadingOptions,
    run: ShardedRunOptions,
    output: OutputOptions,
) -> None:
    """List posteriors of GRAPHS: the probabilities of words, n-grams and arcs.

    A posterior is the probability that a path (in forests: a derivation) has a word or an n-gram, or uses an arc (in
    forests: an edge). The list begins with the most probable. GRAPHS are files, folders, quoted globs, or - for
    standard input.
    """
    from latticemetric.corpus.decoding import listed_posteriors

    if listing.of == "edges" and listing.write_lattices:
        what = "--write-lattices writes lattices, but --of edges lists forests"
        raise UsageError(what, advice="give --of arcs, or leave --write-lattices out")
    if listing.of != "ngrams":
        refuse(["order"], f"with --of {listing.of}", advice="leave it out, or give --of ngrams")
    if listing.of == "summary":
        refuse(["least", "top"], "with --of summary, which lists nothing")

    ask = partial(
        listed_posteriors,
        scale=listing.posterior_scale,
        scales=reading.weights,
        options={"of": listing.of, "order": listing.order, "least": listing.least, "top": listing.top},
        with_lattice=bool(listing.write_lattices),
    )
    ask_graphs(
        ask,
        reading.entries(graphs),
        partial(PosteriorTable, of=listing.of),
        run,
        output,
        lattices=listing.write_lattices,
        lattice_of=itemgetter(1),
    )
