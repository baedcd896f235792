"""`lattice-oracle`: the best that each lattice could have said."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import options
from latticemetric.signature import VERSION

if TYPE_CHECKING:
    from latticemetric.batch.oracles import Outcome, Totals
    from latticemetric.metrics.recognition import GRR

_TSV_COLUMNS = [
    "id",
    "score",
    "numerator",
    "denominator",
    "hypothesis",
    "cost",
    "matches",
    "substitutions",
    "deletions",
    "insertions",
    "reference",
    "exact",
]
_TSV_ONE_BEST = ["hypothesis", "score", "numerator", "denominator", "cost"]

_EPILOG = """\b
Examples:
  lattice-oracle lats.ark.gz text --metric wer --symbols words.txt
  lattice-oracle lattices/ refs.txt --metric 4-grr --ignore "<s> </s>" --format jsonl
  lattice-oracle dev.plf dev.en.0 dev.en.1      (two references a lattice)
  zcat lats.gz | lattice-oracle - refs.txt
"""


@click.command("oracle", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("lattices", nargs=1)
@click.argument("references", nargs=-1, required=True)
@click.option("--metric", default="4-grr", show_default=True, metavar="NAME", help="wer, wrr, or N-grr for any N.")
@click.option("--alpha", metavar="A", help="What an inserted word costs in N-grr (default 1).")
@click.option("--beta", metavar="B", help="What a deleted word costs in N-grr (default 0).")
@click.option("--ignore", metavar="WORDS", help="No words at all, on either side: '<s> </s>'; @FILE for a list.")
@click.option("--wildcard", metavar="WORDS", help="Words that cost nothing on either side; @FILE for a list.")
@click.option("--engine", type=click.Choice(["auto", "native", "openfst"]), default="auto", show_default=True)
@click.version_option(VERSION, prog_name="lattice-oracle")
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
    from latticemetric.batch.oracles import oracles_of
    from latticemetric.batch.pairing import pair_up
    from latticemetric.batch.workers import default_workers
    from latticemetric.formats.reading import entries
    from latticemetric.formats.references import read_references
    from latticemetric.formats.symbols import as_vocabulary

    metric = _metric(**chosen)
    vocabulary = as_vocabulary(chosen["symbols"])
    files = [read_references(path, vocabulary) for path in references]
    pairs = pair_up(entries([lattices], chosen["from_format"], vocabulary), files, style)
    outcomes = oracles_of(
        options.progress(pairs, max(len(file.lines) for file in files), "lattices"),
        metric,
        scales=dict(chosen["scales"]),
        engine=chosen["engine"],
        keep_going=chosen["keep_going"],
        workers=chosen["workers"] or default_workers(),
    )
    writer = _Writer(metric, len(files), alignment=alignment)
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
    return as_recognition_rate(make_metric(metric, **penalties, **words))


def _reported(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """Passes outcomes on, and says on stderr what failed."""
    for outcome in outcomes:
        if outcome.problem is not None:
            click.echo(f"failed: {outcome.problem}", err=True)
        yield outcome


class _Writer:
    """Outcomes as lines of one of the output formats, and their totals."""

    def __init__(self, metric: GRR, references: int, *, alignment: bool) -> None:
        from latticemetric.batch.oracles import Totals

        self.totals: Totals = Totals.zero(metric.order)
        self._metric, self._references, self._alignment = metric, references, alignment

    def lines(self, outcomes: Iterable[Outcome], output_format: str) -> Iterator[str]:
        writers = {"text": self._text, "tsv": self._tsv, "json": self._json, "jsonl": self._jsonl}
        yield from writers[output_format](self._counted(outcomes))

    def _counted(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        for outcome in outcomes:
            self.totals += type(self.totals).of(outcome, self._metric.order)
            yield outcome

    def _text(self, outcomes: Iterable[Outcome]) -> Iterator[str]:
        from latticemetric.cli.display import harmless, shown

        for outcome in outcomes:
            best = outcome.oracle
            if best is None:
                yield f"{harmless(outcome.name)}  failed"
                continue
            counts = f"{shown(best.numerator)}/{best.denominator}"
            words = harmless(" ".join(best.words)) or "(no words)"
            yield f"{harmless(outcome.name):<12}  {shown(best.score):>7}  {counts:>9}  {words}"
            if self._alignment:
                yield from (f"    {harmless(line)}" for line in str(best.alignment).split("\n"))
                yield ""

    def _tsv(self, outcomes: Iterable[Outcome]) -> Iterator[str]:
        from latticemetric.cli.display import tsv_field

        yield "\t".join([*_TSV_COLUMNS, *(f"one_best_{name}" for name in _TSV_ONE_BEST), "error"])
        for outcome in outcomes:
            item = outcome.asdict()
            one_best = item.get("one_best", {})
            values = [item.get(name) for name in _TSV_COLUMNS] + [one_best.get(name) for name in _TSV_ONE_BEST]
            yield "\t".join(map(tsv_field, [*values, item.get("error")]))

    def _jsonl(self, outcomes: Iterable[Outcome]) -> Iterator[str]:
        for outcome in outcomes:
            yield _as_json(_item(outcome))

    def _json(self, outcomes: Iterable[Outcome]) -> Iterator[str]:
        """One document, whose items are written as they come; what sums them up follows them."""
        signature = str(self._metric.signature_for(self._references))
        yield '{"signature": ' + _as_json(signature) + ', "lattices": ['
        before = ""
        for outcome in outcomes:
            yield before + _as_json(_item(outcome))
            before = ","
        corpus = self.totals.asdict(self._metric, self._references)
        yield '], "corpus": ' + _as_json(corpus) + "}"

    def summary(self) -> list[str]:
        """The corpus in a few lines: oracle, 1-best, and what lies between them."""
        from latticemetric.cli.display import shown, table

        totals, metric = self.totals, self._metric
        rows = [["", metric.name, "", "matches", "subst.", "del.", "ins."]]
        for name, statistics in (("oracle", totals.best), ("1-best", totals.one_best)):
            corpus = metric.corpus_score(statistics, self._references)
            counts = (
                statistics.matches[0],
                statistics.substitutions,
                statistics.deletions,
                statistics.insertions,
            )
            fraction = f"{shown(corpus.numerator)}/{corpus.denominator}"
            rows.append([name, shown(corpus.score), fraction, *map(str, counts)])
        best, one_best = metric.value(totals.best), metric.value(totals.one_best)
        if best is not None and one_best is not None:
            rows.append(["headroom", shown(abs(best - one_best)), *[""] * 5])
        failed = f", {totals.failed} failed" if totals.failed else ""
        lattices = "1 lattice" if totals.lattices == 1 else f"{totals.lattices} lattices"
        return [
            "",
            *table(rows),
            f"{lattices}{failed}   {metric.signature_for(self._references)}",
        ]


def _item(outcome: Outcome) -> dict[str, Any]:
    """An ITEM of the documented schema; the document says the signature once."""
    item = outcome.asdict()
    item.pop("signature", None)
    if outcome.oracle is not None:
        item["alignment"] = outcome.oracle.alignment.edits
    return item


def _as_json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, allow_nan=False)
