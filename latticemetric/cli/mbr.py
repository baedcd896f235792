"""`latticemetric mbr`: what should each lattice have said, if the model's distribution is to be believed?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import answers, options
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.batch.answers import Answer
    from latticemetric.formats.registry import Graph

_COLUMNS = ["id", "hypothesis", "gain", "risk", "cost", "confidences", "one_best", "scale", "word_penalty", "error"]

_OF_NGRAMS = ("p", "r", "T", "word_penalty", "order")

_EPILOG = """\b
Examples:
  latticemetric mbr lats.ark.gz --method wer --scale acoustic=0.1
  latticemetric mbr lattices/ --posterior-scale 0.4 -p 0.74 -r 0.62 --prune 5
  latticemetric mbr dev.plf --word-penalty=-0.1,0,0.1 --format tsv      (a row a setting)
"""


def _numbers(_context: click.Context, parameter: click.Parameter, value: str) -> tuple[float, ...]:
    try:
        return tuple(float(number) for number in value.split(","))
    except ValueError:
        raise click.BadParameter(f"'{value}' is not a number, nor numbers with commas", param=parameter) from None


@click.command("mbr", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@answers.shared
@click.option("--method", type=click.Choice(["ngram", "wer"]), default="ngram", show_default=True, help="What gains.")
@click.option("-p", default="0.85", show_default=True, callback=_numbers, help="Average precision of unigrams.")
@click.option("-r", default="0.72", show_default=True, callback=_numbers, help="What each order keeps of it.")
@click.option(
    "-T", "T", default="10", show_default=True, callback=_numbers, help="The less it is, the more words cost."
)
@click.option("--order", type=click.IntRange(1), default=4, show_default=True, help="Of the longest n-grams.")
@click.option("--word-penalty", default="0", show_default=True, callback=_numbers, help="A further cost of each word.")
@click.option("--prune", type=float, metavar="BEAM", help="Keep what costs at most so much more than the best path.")
@options.output_format("text", "tsv", "json", "jsonl")
def command(*, method: str, output_format: str, scale: float, scales: Any, **chosen: Any) -> None:
    """Minimum Bayes risk: the words of each of GRAPHS that are expected to score best.

    By n-grams (-p, -r, -T and --word-penalty take several numbers with commas: every combination is a result), or by
    word error rate, as Kaldi's lattice-mbr-decode. GRAPHS are files, folders, quoted globs, or -.
    """
    given = {name: chosen.pop(name) for name in _OF_NGRAMS}
    both = {"scale": scale, "scales": dict(scales), "prune": chosen.pop("prune")}
    if method == "wer":
        _require_defaults()
        ask = partial(_by_words, **both)
    else:
        ask = partial(_by_ngrams, **both, **given)
    answers.put_answers(ask, partial(_lines, output_format=output_format), **chosen)


def _require_defaults() -> None:
    context = click.get_current_context()
    for name in _OF_NGRAMS:
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            option = next(p.opts[0] for p in context.command.params if p.name == name)
            raise UsageError(f"{option} means nothing to the method wer", advice="leave it out")


def _by_ngrams(graph: Graph, **parameters: Any) -> list[dict[str, Any]]:
    from latticemetric.questions.mbr import mbr_grid

    return [found.asdict() for found in mbr_grid(graph, **parameters)]


def _by_words(graph: Graph, **parameters: Any) -> list[dict[str, Any]]:
    from latticemetric.questions.mbr import mbr

    return [mbr(graph, "wer", **parameters).asdict()]


def _lines(found: Iterator[Answer], output_format: str) -> Iterable[str]:
    if output_format == "text":
        return _text(found)
    items = _items(found)
    if output_format == "tsv":
        return answers.tsv(items, _COLUMNS)
    return answers.json_lines(items) if output_format == "jsonl" else answers.json_document(items, "lattices")


def _items(found: Iterator[Answer]) -> Iterator[dict[str, Any]]:
    for answer in found:
        if answer.problem is not None:
            yield {"id": answer.name, "error": str(answer.problem)}
            continue
        for value in answer.value:
            yield {"id": answer.name, **value}


def _text(found: Iterator[Answer]) -> Iterator[str]:
    """The id and the words, as decoders write them."""
    from latticemetric.cli.display import harmless

    for item in _items(found):
        yield f"{harmless(item['id'])} {harmless(item.get('hypothesis', 'failed'))}".rstrip()
