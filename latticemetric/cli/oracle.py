"""`lattice-oracle`: in each lattice, find the path that scores best against the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from latticemetric.cli.commands import option, verb, version_option
from latticemetric.cli.files import GraphFiles, MetricName, ReferenceFiles, names_automaton
from latticemetric.cli.options import (
    GraphFormatOptions,
    PairedReadingOptions,
    RateOptions,
    RateOutputOptions,
    ShardedRunOptions,
    cased_words,
    given,
    lattices_option,
    refuse,
    string_scorer,
)
from latticemetric.cli.oracle_options import AlsoOptions
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.cli.run import Failures
    from latticemetric.corpus.oracles import OracleAnswer
    from latticemetric.corpus.pairing import Pair
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table
    from latticemetric.graph import Graph
    from latticemetric.lattice.columns import Scales

    Search = Callable[[Iterator[Pair], Run, Failures, Looks], Table]

_EPILOG = """\b
Examples:
  lattice-oracle lats.ark.gz text --metric wer --symbols words.txt
  lattice-oracle lattices/ refs.txt --metric 4-grr --ignore "<s> </s>" --format jsonl
  lattice-oracle dev.plf dev.en.0 dev.en.1      (two references per lattice)
  zcat lats.gz | lattice-oracle - refs.txt
  lattice-oracle lats.ark.gz text --hope 1,10 --fear 1,10 --worst --format json
"""

_SECTIONS = {
    "Metric": "",
    "Also find": "--nbest --hope --fear --worst --on",
    "Also show": "--score --alignment --tags --posteriors",
    "Search": "--engine",
}
_COMPOUNDS = "compound-wer"
_BLEU = ("bleu", "bleu-sbp", "bleu-stem", "bleu-sbp-stem")
# Options that apply only to recognition rates.
_OF_RATES = (
    "alpha", "beta", "parameters", "wildcard", "no_spaces", "unicode", "nbest", "hope", "fear", "worst", "on", "tags",
    "alignment", "posteriors", "posterior_scale", "write_lattices", "to_format", "sum_scores", "scores_off",
    "drop_labels",
)  # fmt: skip
# Options that have no effect with BLEU, since BLEU searches all graphs together.
_NOT_FOR_CORPUS = ("cluster", "shard", "resume", "timeout", "max_memory")


class _MetricOptions(RateOptions):
    """Options of the metric that the search optimizes: a rate, BLEU, or an automaton."""

    metric: str = option(
        "--metric NAME",
        "Metric: wer, wrr, N-grr (any N), cer, N-gcr, mixed-er or compound-wer; bleu or bleu-sbp over all graphs "
        "together; or your own automaton, FILE.fst. If you leave --metric out, the totals also show the oracle by wer.",
        type=MetricName(),
        default="4-grr",
    )


class WrittenLatticesOptions(GraphFormatOptions):
    """Options for writing graphs: for each lattice, the graph of all its best paths."""

    write_lattices: str | None = lattices_option("the graphs of all best paths", "to_format")

    def check(self) -> None:
        """Check before the search that the graphs can be written."""
        from latticemetric.formats.registry import find_format, format_for_writing

        self.check_beside(self.write_lattices, "lattices")
        if self.write_lattices is not None:
            target = find_format(self.to_format) if self.to_format else format_for_writing(self.write_lattices)
            if not target.can_be_written:
                raise UsageError(
                    f"{target.name} can be read, but not written", where="--to", advice="choose another format"
                )

    def written_beside(self, answers: Iterator[OracleAnswer], scales: Scales) -> Iterator[OracleAnswer]:
        """Yield the answers; after the last one, write the graphs of their best paths."""
        if self.write_lattices is None:
            return answers
        from latticemetric.corpus.graphs import converted
        from latticemetric.corpus.writing import written_beside

        keep = self.written(scales)

        def best_paths(answer: OracleAnswer) -> Graph | None:
            if answer.margins is None or answer.margins.graph is None:
                return None
            return converted(answer.margins.graph, keep)

        return written_beside(answers, self.write_lattices, best_paths, self.to_format, if_none=False)


@verb("oracle", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lattices", type=GraphFiles(), nargs=1)
@click.argument("references", type=ReferenceFiles(), nargs=-1, metavar="REFERENCES...")
@version_option("lattice-oracle")
def command(
    lattices: str,
    references: tuple[str, ...],
    *,
    metric: _MetricOptions,
    also: AlsoOptions,
    written: WrittenLatticesOptions,
    reading: PairedReadingOptions,
    run: ShardedRunOptions,
    output: RateOutputOptions,
) -> None:
    """Find in each lattice the path whose words score best against the reference.

    LATTICES is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES have one
    line per lattice, in the order of LATTICES or beginning with the lattice's id. If lattices have several references,
    give several files. Without REFERENCES, the references come from the records of LATTICES (JSON, tables): see
    --reference-field.

    If several paths score best, take one with the least model cost; if costs are equal, too, one with the fewest words.
    Under --keep-going, the reference words of graphs that fail count as deletions. Exit status: 0; 1 if some graphs
    failed under --keep-going; 2 after other errors.
    """
    from latticemetric.cli.results import say
    from latticemetric.cli.run import running

    by_automaton = names_automaton(metric.metric)
    paired = reading.paired(lattices, references, run.shard, required=not by_automaton)
    if by_automaton:
        search = _search_by_automaton(metric, also, reading, run)
    elif metric.metric.strip().lower() == _COMPOUNDS:
        search = _search_by_compounds(also, reading, run, references=paired.references)
    elif metric.metric.strip().lower() in _BLEU:
        search = _search_by_bleu(metric, also, reading, run)
    else:
        search = _search_by_rate(
            metric, also, written, reading, run, output_format=output.output_format, references=paired.references
        )
    with running(run, output.output) as (started, failures):
        table = search(paired.pairs, started, failures, output.looks)
        output.write(table, at_once=run.keep_going and output.output_format != "json")
    output.say_summary(table)
    if (warning := table.warning()) is not None:
        say(f"warning: {warning}")
    failures.exit()


def _search_by_automaton(
    metric: RateOptions, also: AlsoOptions, reading: PairedReadingOptions, run: ShardedRunOptions
) -> Search:
    """Return the search that finds in each lattice the path with the best score by a user's automaton."""
    from latticemetric.corpus.tables.oracles import AutomatonTable
    from latticemetric.corpus.user_automaton import automaton_oracles, read_automaton

    refuse((*_OF_RATES, "ignore", "normalize", "score"), "with an automaton", advice="leave it out, or name a metric")
    if also.engine == "native":
        raise UsageError("the native engine supports recognition rates only", advice="leave --engine out")
    automaton = read_automaton(metric.metric)

    def search(lattices: Iterator[Pair], started: Run, failures: Failures, looks: Looks) -> AutomatonTable:
        answers = automaton_oracles(lattices, automaton, started, scales=reading.weights)
        return AutomatonTable(failures.reported(answers), run.shard, looks=looks)

    return search


def _search_by_compounds(
    also: AlsoOptions, reading: PairedReadingOptions, run: ShardedRunOptions, *, references: int | str
) -> Search:
    """Return the search that finds in each lattice the path with the fewest errors if adjacent words may be joined."""
    from latticemetric.corpus.compounds import compound_oracles
    from latticemetric.corpus.tables.oracles import CompoundTable
    from latticemetric.errors import require_pynini
    from latticemetric.metrics.registry import make_metric

    refuse((*_OF_RATES, "ignore", "score"), f"with {_COMPOUNDS}")
    if also.engine == "native":
        raise UsageError(f"the native engine does not search by {_COMPOUNDS}", advice="leave --engine out")
    require_pynini()
    signature = make_metric(_COMPOUNDS).signature_for(references).also(norm=reading.rewritten_by)

    def search(lattices: Iterator[Pair], started: Run, failures: Failures, looks: Looks) -> CompoundTable:
        answers = compound_oracles(lattices, started, scales=reading.weights)
        return CompoundTable(failures.reported(answers), run.shard, looks=looks, signature=str(signature))

    return search


def _search_by_bleu(
    metric: RateOptions, also: AlsoOptions, reading: PairedReadingOptions, run: ShardedRunOptions
) -> Search:
    """Return the search that finds one path per lattice, so that all paths together have the best BLEU."""
    from latticemetric.corpus.corpus_bleu import corpus_oracle_of
    from latticemetric.corpus.tables.oracles import CorpusBLEUTable
    from latticemetric.metrics.registry import make_metric
    from latticemetric.oracle_search.corpus_bleu import as_bleu

    refuse(_OF_RATES, "with BLEU of a corpus", advice="leave it out, or choose a rate as --metric")
    if also.score:
        raise UsageError(
            "--score needs a recognition rate as --metric",
            advice="write strings with --format tsv, then use latticemetric score",
        )
    for name in given(_NOT_FOR_CORPUS):
        raise UsageError(f"{name} has no effect with BLEU, which searches all graphs together", advice="leave it out")
    if also.engine == "openfst":
        raise UsageError("the openfst engine supports recognition rates only", advice="leave --engine out")
    bleu = as_bleu(make_metric(metric.metric))
    ignore = cased_words(metric.ignore)

    def search(lattices: Iterator[Pair], _started: Run, failures: Failures, looks: Looks) -> CorpusBLEUTable:
        scales, normalize = reading.weights, reading.rewritten_by
        corpus = corpus_oracle_of(
            lattices, bleu, ignore=ignore, scales=scales, keep_going=run.keep_going, normalize=normalize
        )
        return CorpusBLEUTable(corpus, list(failures.reported(corpus.answers)), bleu.name, looks=looks)

    return search


def _search_by_rate(
    metric: RateOptions,
    also: AlsoOptions,
    written: WrittenLatticesOptions,
    reading: PairedReadingOptions,
    run: ShardedRunOptions,
    *,
    output_format: str,
    references: int | str,
) -> Search:
    """Return the search that finds in each lattice the path with the best recognition rate."""
    from latticemetric.corpus.oracles import OracleSearch, OracleSums, oracles_of
    from latticemetric.corpus.tables.oracles import OracleTable

    also.refuse_contradictions(output_format)
    rate = metric.rate()
    scorer = string_scorer(also.score, rate, reading.rewritten_by, each=output_format != "text")
    wanted = also.wanted(graphs=written.write_lattices is not None)
    written.check()
    confidence = also.posterior_scale if also.posteriors else None
    # The additional wer is only in the totals, and only text and json have totals.
    has_totals = output_format in ("text", "json")
    beside = metric.rate_of("wer") if has_totals and not given(["metric"]) else None
    searches = OracleSearch(rate, reading.weights, also.engine, scorer, confidence, wanted, beside)

    def search(lattices: Iterator[Pair], started: Run, failures: Failures, looks: Looks) -> OracleTable:
        answers = failures.reported(oracles_of(lattices, searches, started))
        sums = OracleSums(rate, references, scorer, wanted, beside)
        answers = written.written_beside(answers, reading.weights)
        return OracleTable(
            answers,
            sums,
            run.shard,
            looks=looks,
            tags=also.tags,
            alignment=also.alignment,
            posteriors=also.posteriors,
            normalize=reading.rewritten_by,
        )

    return search
