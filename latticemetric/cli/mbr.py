"""`latticemetric mbr`: what should each lattice have said, if the model's distribution is to be believed?"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import answers, options
from latticemetric.cli.files import GraphFiles, GraphOutput, NamesFiles, WordList
from latticemetric.cli.help_page import verb
from latticemetric.cli.mbr_methods import GRID, asking
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.batch.answers import Answer
    from latticemetric.batch.shards import Part

_COLUMNS = [
    "id", "hypothesis", "gain", "risk", "cost", "confidences", "one_best",
    "scale", "T", "p", "r", "order", "word_penalty", "error",
]  # fmt: skip

_OF_NGRAMS = ("p", "r", "T", "word_penalty", "order")
_OF_METRICS = ("samples", "seed", "alpha", "beta", "smoothing")
_OF_WRITING = ("write_lattices", "gains_only")
_OF_ONE_BY_ONE = ("cluster", "shard", "resume", "timeout", "max_memory", "failures")
_OF_TUNING = ("metric", "ignore", "style")

_EPILOG = """\b
Examples:
  latticemetric mbr lats.ark.gz --method wer --scale acoustic=0.1
  latticemetric mbr lattices/ --posterior-scale 0.4 -p 0.74 -r 0.62 --prune 5
  latticemetric mbr out.nbest --method 4-grr --scale lm=0.2
  latticemetric mbr lats.ark.gz --method bleu --smoothing exp --samples 1000 --seed 1
  latticemetric mbr dev.plf --word-penalty=-0.1,0,0.1 --format tsv      (a row a setting)
  latticemetric mbr lats.slf --evidence other.slf --write-lattices gains.slf
  latticemetric mbr dev.plf --tune dev.en --metric bleu
"""

_SECTIONS = {
    "The decision": "--method --posterior-scale --prune --evidence",
    "By n-grams (--method ngram)": "-p -r -T --word-penalty --order --write-lattices --gains-only",
    "Under a metric (--method 4-grr, bleu …)": "--samples --seed --alpha --beta --smoothing",
    "Finding parameters": "--tune --metric --ignore --references",
}


@verb("mbr", epilog=_EPILOG, sections=_SECTIONS)
@answers.shared
@click.option(
    "--method",
    default="ngram",
    show_default=True,
    metavar="NAME",
    help="ngram, wer, or a metric: 4-grr, bleu, meteor …",
)
@click.option(
    "-p",
    default="0.85",
    show_default=True,
    callback=options.numbers,
    metavar="NUMBERS",
    help="Average precision of unigrams.",
)
@click.option(
    "-r",
    default="0.72",
    show_default=True,
    callback=options.numbers,
    metavar="NUMBERS",
    help="What each order keeps of the precision below it.",
)
@click.option(
    "-T",
    "T",
    default="10",
    show_default=True,
    callback=options.numbers,
    metavar="NUMBERS",
    help="The less it is, the more each word costs.",
)
@click.option(
    "--order",
    type=click.IntRange(1),
    default=4,
    show_default=True,
    metavar="N",
    help="Words of the longest n-grams; an n-gram gains 1/(N·T·p·rⁿ⁻¹).",
)
@click.option(
    "--word-penalty",
    default="0",
    show_default=True,
    callback=options.numbers,
    metavar="NUMBERS",
    help="A further cost of each word; may be negative.",
)
@click.option(
    "--posterior-scale",
    "scale",
    default="1",
    show_default=True,
    callback=options.weights_of,
    metavar="NUMBERS",
    help="What costs are multiplied by: below 1 makes posteriors flatter.",
)
@click.option(
    "--evidence",
    type=GraphFiles(None),
    multiple=True,
    metavar="FILE",
    help="Graphs for the posteriors, by the same ids; repeatable.",
)
@click.option(
    "--write-lattices",
    type=GraphOutput(),
    metavar="FILE",
    help="Write lattices with what arcs gain, by the file's suffix.",
)
@click.option("--gains-only", is_flag=True, help="Leave the model's scores and labels out of those.")
@click.option(
    "--prune", type=options.Number(0), metavar="BEAM", help="Keep what costs at most so much more than the best path."
)
@click.option(
    "--samples", type=click.IntRange(1, options.MOST_DRAWS), metavar="N", help="Draw N paths, instead of listing all."
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="The same seed draws the same paths.",
)
@click.option("--alpha", metavar="A", help="Of N-grr: what an inserted word costs (default 1).")
@click.option("--beta", metavar="B", help="Of N-grr: what a deleted word costs (default 0).")
@click.option(
    "--smoothing", metavar="NAME", help="Of bleu: none, floor, add-k or exp; sentences have few long n-grams."
)
@click.option(
    "--tune",
    type=NamesFiles(),
    multiple=True,
    metavar="REFERENCES",
    help="Find the parameters that score best against these; repeatable, for several references.",
)
@click.option("--metric", default="bleu", show_default=True, metavar="NAME", help="What --tune scores answers by.")
@click.option(
    "--ignore", type=WordList(), metavar="WORDS", help="Words that --tune does not count: '<s> </s>'; @FILE for a list."
)
@click.option(
    "--references",
    "style",
    type=click.Choice(["auto", "plain", "keyed"]),
    default="auto",
    show_default=True,
    help="Whether lines of --tune's references begin with ids.",
)
@options.output_format("text", "tsv", "json", "jsonl")
def command(*, method: str, output_format: str, scales: Any, **chosen: Any) -> None:
    """Minimum Bayes risk: the words of each of GRAPHS that are expected to score best.

    By n-grams (-p, -r, -T, --word-penalty and --posterior-scale take several numbers with commas: every combination
    is a result), by word error rate, as Kaldi's lattice-mbr-decode, or by any metric of strings: what scores best
    against all strings of an n-best list, of a graph with few paths, or against --samples. GRAPHS are files, folders,
    quoted globs, or -.

    With --tune, the parameters whose answers score best against references, as options; those that several numbers
    are given for, or none, are searched.
    """
    method = method.strip().lower()
    grid, tuned, written, of_metrics = (
        {name: chosen.pop(name) for name in names}
        for names in (("scale", *_OF_NGRAMS), _OF_TUNING, _OF_WRITING, _OF_METRICS)
    )
    both = {"scales": dict(scales), "prune": chosen.pop("prune")}
    if method != "ngram":
        options.refuse([*_OF_NGRAMS, *_OF_WRITING, "tune", *_OF_TUNING], f"the method {method}")
    if method == "wer":
        options.refuse(["evidence"], "the method wer")
    if method in {"ngram", "wer"}:
        options.refuse(_OF_METRICS, f"the method {method}")
    if chosen["tune"]:
        options.refuse([*_OF_WRITING, *_OF_ONE_BY_ONE], "--tune")
        _tune(grid, **tuned, **both, **chosen, output_format=output_format)
        return
    options.refuse(_OF_TUNING, "a run without --tune")
    ask = asking(method, grid, of_metrics, **written, **both)
    chosen.pop("tune")

    def lines(found: Iterator[Answer]) -> Iterable[str]:
        beside = answers.written_beside(found, written["write_lattices"], lambda value: value[1])
        return _lines(beside, output_format, chosen["shard"], math.prod(len(grid[name]) for name in GRID))

    with _gains_only_advised():
        answers.put_answers(ask, lines, **chosen)


def _tune(grid: dict[str, Any], *, tune: tuple[str, ...], **chosen: Any) -> None:
    from latticemetric.cli import mbr_tuning

    context = click.get_current_context()
    default = click.core.ParameterSource.DEFAULT
    parameters = {name: value for name, value in grid.items() if context.get_parameter_source(name) is not default}
    for name in ("workers", *_OF_ONE_BY_ONE):  # all settings share what is kept of a graph: one process tunes
        chosen.pop(name)
    reading = {name: chosen.pop(name) for name in ("style", "evidence", "from_format", "symbols", "keep_going")}
    mbr_tuning.tune(references=tune, reading=reading, **chosen, **parameters)


@contextlib.contextmanager
def _gains_only_advised() -> Iterator[None]:
    """Formats advise what `convert` can do about scores and labels that they have no place for; here it is this."""
    try:
        yield
    except UsageError as error:
        if not any(option in (error.advice or "") for option in ("--sum-scores", "--drop-labels")):
            raise
        advice = "--gains-only leaves the model's scores and labels out"
        raise UsageError(error.what, where=error.where, advice=advice) from None


def _lines(found: Iterator[Answer], output_format: str, shard: Part | None, settings: int) -> Iterable[str]:
    if output_format == "text":
        return _text(found)
    items = _items(found)
    if output_format == "tsv":
        return answers.tsv(items, _COLUMNS)
    if output_format == "jsonl":
        return answers.json_lines(items)
    return answers.json_document(items, "lattices", shard, settings)


def _items(found: Iterator[Answer]) -> Iterator[dict[str, Any]]:
    for answer in found:
        if answer.problem is not None:
            yield {"id": answer.name, "error": str(answer.problem)}
            continue
        for value in answer.value[0]:
            yield {"id": answer.name, **value}


def _text(found: Iterator[Answer]) -> Iterator[str]:
    """The id and the words, as decoders write them."""
    from latticemetric.errors import harmless

    for item in _items(found):
        yield f"{harmless(item['id'])} {harmless(item.get('hypothesis', 'failed'))}".rstrip()
