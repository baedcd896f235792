"""`latticemetric posteriors`: probabilities of the words, n-grams and arcs or edges of each graph."""

from __future__ import annotations

import click

from latticemetric.cli.commands import Options, verb
from latticemetric.cli.files import GraphFiles
from latticemetric.cli.options import (
    CorpusOptions,
    OutputOptions,
    SettingsOptions,
    ShardedRunOptions,
    lattices_option,
    refuse,
)
from latticemetric.cli.run import show
from latticemetric.corpus.questions import Listing

_EPILOG = """\b
Examples:
  latticemetric posteriors lats.ark.gz --weights acoustic=0.1 --least 0.5
  latticemetric posteriors lattices/ --of ngrams --order 3 --top 20 --format tsv
  latticemetric posteriors forests/ --of edges --least 0.5
  latticemetric posteriors lats.slf --of summary --write-lattices out.slf
"""


class _ListingOptions(SettingsOptions, kinds=(Listing,)):
    """Options of the lists of posteriors."""

    of: str


class _WrittenOptions(Options):
    write_lattices: str | None = lattices_option("lattices with posteriors")


@verb("posteriors", epilog=_EPILOG, sections=_ListingOptions.sections({}))
@click.argument("graphs", type=GraphFiles(), nargs=-1, required=True)
def command(
    graphs: tuple[str, ...],
    *,
    listing: _ListingOptions,
    written: _WrittenOptions,
    reading: CorpusOptions,
    run: ShardedRunOptions,
    output: OutputOptions,
) -> None:
    """List posteriors of GRAPHS: the probabilities of words, n-grams and arcs.

    A posterior is the probability that a path (in forests: a derivation) has a word or an n-gram, or uses an arc (in
    forests: an edge). The list begins with the most probable. GRAPHS are files, folders, quoted globs, or - for
    standard input.
    """
    if listing.of != "ngrams":
        refuse(["order"], f"with --of {listing.of}", advice="leave it out, or give --of ngrams")
    if listing.of == "summary":
        refuse(["least", "top"], "with --of summary, which lists nothing")
    question = listing.settings(Listing, with_lattice=written.write_lattices is not None)
    show(question, reading.corpus(graphs), run, output, lattices=written.write_lattices)
