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
_OF_METRICS = ("samples", "seed", "alpha", "beta", "smoothing")

_EPILOG = """\b
Examples:
  latticemetric mbr lats.ark.gz --method wer --scale acoustic=0.1
  latticemetric mbr lattices/ --posterior-scale 0.4 -p 0.74 -r 0.62 --prune 5
  latticemetric mbr out.nbest --method 4-grr --scale lm=0.2
  latticemetric mbr lats.ark.gz --method bleu --smoothing exp --samples 1000 --seed 1
  latticemetric mbr dev.plf --word-penalty=-0.1,0,0.1 --format tsv      (a row a setting)
"""


def _numbers(_context: click.Context, parameter: click.Parameter, value: str) -> tuple[float, ...]:
    try:
        return tuple(float(number) for number in value.split(","))
    except ValueError:
        raise click.BadParameter(f"'{value}' is not a number, nor numbers with commas", param=parameter) from None


@click.command("mbr", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@answers.shared
@click.option(
    "--method",
    default="ngram",
    show_default=True,
    metavar="NAME",
    help="ngram, wer, or a metric: 4-grr, bleu, meteor …",
)
@click.option("-p", default="0.85", show_default=True, callback=_numbers, help="Average precision of unigrams.")
@click.option("-r", default="0.72", show_default=True, callback=_numbers, help="What each order keeps of it.")
@click.option(
    "-T", "T", default="10", show_default=True, callback=_numbers, help="The less it is, the more words cost."
)
@click.option("--order", type=click.IntRange(1), default=4, show_default=True, help="Of the longest n-grams.")
@click.option("--word-penalty", default="0", show_default=True, callback=_numbers, help="A further cost of each word.")
@click.option("--prune", type=float, metavar="BEAM", help="Keep what costs at most so much more than the best path.")
@click.option(
    "--samples", type=click.IntRange(1), metavar="N", help="Of metrics: draw N paths, instead of listing all."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Of the samples.")
@click.option("--alpha", metavar="A", help="Of N-grr: what an inserted word costs (default 1).")
@click.option("--beta", metavar="B", help="Of N-grr: what a deleted word costs (default 0).")
@click.option(
    "--smoothing", metavar="NAME", help="Of bleu: none, floor, add-k or exp; sentences have few long n-grams."
)
@options.output_format("text", "tsv", "json", "jsonl")
def command(*, method: str, output_format: str, scale: float, scales: Any, **chosen: Any) -> None:
    """Minimum Bayes risk: the words of each of GRAPHS that are expected to score best.

    By n-grams (-p, -r, -T and --word-penalty take several numbers with commas: every combination is a result), by word
    error rate, as Kaldi's lattice-mbr-decode, or by any metric of strings: what scores best against all strings of an
    n-best list, of a graph with few paths, or against --samples. GRAPHS are files, folders, quoted globs, or -.
    """
    method = method.strip().lower()
    of_ngrams, of_metrics = ({name: chosen.pop(name) for name in names} for names in (_OF_NGRAMS, _OF_METRICS))
    both = {"scale": scale, "scales": dict(scales), "prune": chosen.pop("prune")}
    _require_defaults(method, () if method == "ngram" else _OF_NGRAMS)
    _require_defaults(method, _OF_METRICS if method in ("ngram", "wer") else ())
    if method == "ngram":
        ask = partial(_by_ngrams, **both, **of_ngrams)
    elif method == "wer":
        ask = partial(_by_words, **both)
    else:
        ask = partial(_by_metric, **both, **_with_metric(method, **of_metrics))
    answers.put_answers(ask, partial(_lines, output_format=output_format), **chosen)


def _require_defaults(method: str, names: Iterable[str]) -> None:
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            option = next(p.opts[0] for p in context.command.params if p.name == name)
            raise UsageError(f"{option} means nothing to the method {method}", advice="leave it out")


def _with_metric(method: str, *, samples: int | None, seed: int, **parameters: str | None) -> dict[str, Any]:
    from latticemetric.questions.mbr import mbr_metric

    given = {name: value for name, value in parameters.items() if value is not None}
    return {"method": mbr_metric(method, **given), "samples": samples, "seed": seed}


def _by_metric(graph: Graph, **parameters: Any) -> list[dict[str, Any]]:
    from latticemetric.questions.mbr import mbr

    return [mbr(graph, **parameters).asdict()]


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
