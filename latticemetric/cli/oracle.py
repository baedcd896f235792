"""`lattice-oracle`: the best that each lattice could have said."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal

import click

from latticemetric.cli import options, running, searches
from latticemetric.cli.display import say
from latticemetric.errors import UsageError
from latticemetric.signature import VERSION

if TYPE_CHECKING:
    from latticemetric.batch.extremes import Wanted
    from latticemetric.batch.string_scores import StringScorer
    from latticemetric.metrics.recognition import GRR

_EPILOG = """\b
Examples:
  lattice-oracle lats.ark.gz text --metric wer --symbols words.txt
  lattice-oracle lattices/ refs.txt --metric 4-grr --ignore "<s> </s>" --format jsonl
  lattice-oracle dev.plf dev.en.0 dev.en.1      (two references a lattice)
  zcat lats.gz | lattice-oracle - refs.txt
  lattice-oracle lats.ark.gz text --hope 1,10 --fear 1,10 --worst --format json
"""


@click.command("oracle", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("lattices", nargs=1)
@click.argument("references", nargs=-1, metavar="REFERENCES...")
@searches.rate_options(
    "wer, wrr, N-grr for any N; bleu, bleu-sbp of all graphs together; FILE.fst, an automaton of one's own."
)
@click.option("--score", metavar="NAMES", help="Metrics of the extracted strings too: bleu-sbp,meteor.")
@click.option("--nbest", type=click.IntRange(1), metavar="K", help="List the K best strings of each graph, too.")
@options.weights("--hope", "Also find what has the largest W · metric − cost.")
@options.weights("--fear", "Also find what has the largest −W · metric − cost.")
@click.option("--worst", is_flag=True, help="Also find the string that scores worst.")
@click.option(
    "--on",
    type=click.Choice(["rate", "numerator"]),
    default="rate",
    show_default=True,
    help="What --hope, --fear weigh.",
)
@click.option("--write-lattices", metavar="FILE", help="Write all paths that score best, as lattices or forests.")
@click.option("--to", "to_format", metavar="FORMAT", help="Format of --write-lattices (else by the file's suffix).")
@click.option("--sum-scores", is_flag=True, help="Of --write-lattices: one score, the model's cost under the scales.")
@click.option("--drop-labels", is_flag=True, help="Of --write-lattices: no texts of arcs.")
@click.option("--engine", type=click.Choice(["auto", "native", "openfst"]), default="auto", show_default=True)
@click.version_option(VERSION, prog_name="lattice-oracle")
@options.normalize
@options.scale
@running.many_graphs
@options.symbols
@options.from_format
@searches.references_style
@options.output_format("text", "tsv", "json", "jsonl")
@options.output
@click.option("--alignment", is_flag=True, help="Show how words align (text); json always says.")
@click.option("--tags", is_flag=True, help="OK or BAD for each word; in text, those of the 1-best and nothing else.")
@click.option("--confidence", type=float, metavar="SCALE", help="Posteriors of words, from costs times this number.")
@running.keep_going_counting
def command(
    *,
    lattices: str,
    references: tuple[str, ...],
    style: Any,
    output_format: str,
    output: str,
    alignment: bool,
    tags: bool,
    write_lattices: str | None,
    to_format: str | None,
    sum_scores: bool,
    drop_labels: bool,
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
        beside = {"alignment": alignment, "tags": tags, "write_lattices": write_lattices}
        put_oracles(lattices, references, style, output_format, output, **beside, **chosen)
        return
    if not references:
        raise click.MissingParameter(param_hint="'REFERENCES...'", param_type="argument")

    from latticemetric.cli.corpus_oracle import is_of_corpora, put_corpus_oracle

    if is_of_corpora(chosen["metric"]):
        beside = {"alignment": alignment, "tags": tags, "write_lattices": write_lattices}
        put_corpus_oracle(lattices, references, style, output_format, output, **beside, **chosen)
        return

    from latticemetric.batch.oracle_sums import OracleSums
    from latticemetric.batch.oracles import oracles_of
    from latticemetric.cli.oracle_lattices import LatticeFile
    from latticemetric.cli.oracle_writing import Writer

    if tags and output_format == "text" and (alignment or chosen["nbest"] or chosen["confidence"] is not None):
        raise UsageError("--tags writes nothing but tags as text", advice="choose --format json, which has everything")
    metric = searches.rate(**chosen)
    scorer = _scorer(chosen["score"], metric, each=output_format != "text", normalize=chosen["normalize"])
    wanted = _wanted(graphs=write_lattices is not None, **chosen)
    scales = dict(chosen["scales"])
    lattices_of = LatticeFile(
        write_lattices, to_format, summed_by=scales if sum_scores else None, drop_labels=drop_labels
    )
    pairs = searches.pairs(lattices, references, style, **chosen)
    shown = {"alignment": alignment, "tags": tags, "confidence": chosen["confidence"] is not None}
    sums = OracleSums(metric, len(references), scorer, wanted)
    writer = Writer(sums, **shown, normalize=chosen["normalize"], shard=chosen["shard"])
    failed = running.Failures(chosen["failures"])
    asked = {"scorer": scorer, "confidence": chosen["confidence"], "wanted": wanted}
    with running.running(output=output, **chosen) as run:
        outcomes = oracles_of(pairs, metric, run, scales=scales, engine=chosen["engine"], **asked)
        with options.results(output, at_once=run.keep_going and output_format != "json") as put:
            for line in writer.lines(lattices_of.kept(failed.reported(outcomes)), output_format):
                put(line)
            lattices_of.write()
        failed.write()
    if output_format == "text":
        say("\n".join(writer.summary()))
    if failed.count:
        sys.exit(1)


def _wanted(
    *,
    nbest: int | None,
    hope: tuple[float, ...],
    fear: tuple[float, ...],
    worst: bool,
    on: Literal["rate", "numerator"],
    graphs: bool,
    **_: Any,
) -> Wanted | None:
    """What is asked for beside oracles, if anything is."""
    if not (nbest or hope or fear or worst or graphs):
        return None
    from latticemetric.batch.extremes import Wanted

    return Wanted(nbest or 0, hope, fear, on, worst, graphs)


def _scorer(names: str | None, metric: GRR, *, each: bool, normalize: str | None) -> StringScorer | None:
    """What scores the extracted strings, if that is asked for."""
    if names is None:
        return None
    from latticemetric.batch.string_scores import StringScorer

    return StringScorer(tuple(options.metric_list([names])), metric.ignore, each, normalize)
