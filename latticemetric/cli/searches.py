"""What the verbs that search graphs by a recognition rate have in common: the metric, and graphs with references."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from latticemetric.cli import options
from latticemetric.cli.files import MetricName, WordList
from latticemetric.cli.running import taken

if TYPE_CHECKING:
    from latticemetric.batch.pairing import Pair, Style
    from latticemetric.batch.shards import Part
    from latticemetric.metrics.recognition import GRR

F = TypeVar("F", bound=Callable[..., Any])

_RATE = [
    click.option("--alpha", metavar="A", help="What an inserted word costs in N-grr (default 1)."),
    click.option("--beta", metavar="B", help="What a deleted word costs in N-grr (default 0)."),
    click.option(
        "--ignore",
        type=WordList(),
        metavar="WORDS",
        help="No words at all, on either side: '<s> </s>'; @FILE for a list.",
    ),
    click.option(
        "--wildcard", type=WordList(), metavar="WORDS", help="Words that cost nothing on either side; @FILE for a list."
    ),
]

references_style = click.option(
    "--references",
    "style",
    type=click.Choice(["auto", "plain", "keyed"]),
    default="auto",
    show_default=True,
    help="Whether lines of references begin with ids.",
)


def rate_options(names: str) -> Callable[[F], F]:
    """The options that say what is measured; what the metric may be is said in its help."""
    metric = click.option("--metric", type=MetricName(), default="4-grr", show_default=True, metavar="NAME", help=names)
    return options.together(metric, *_RATE)


def rate(
    *, metric: str, alpha: str | None, beta: str | None, ignore: str | None, wildcard: str | None, **_: Any
) -> GRR:
    """The metric of these options."""
    from latticemetric.metrics.registry import make_metric
    from latticemetric.oracle_search.oracle import as_recognition_rate

    penalties = {name: value for name, value in (("alpha", alpha), ("beta", beta)) if value is not None}
    words = {"ignore": options.word_list(ignore), "wildcard": options.word_list(wildcard)}
    # Only what is given: a metric that graphs cannot be searched by has none of these, and that is what to say.
    given = {name: value for name, value in words.items() if value}
    return as_recognition_rate(make_metric(metric, **penalties, **given))


def pairs(
    graphs: str,
    references: Sequence[str],
    style: Style,
    *,
    symbols: str | None,
    from_format: str | None,
    normalize: str | None,
    scales: Iterable[tuple[str, float]],
    shard: Part | None = None,
    **_: Any,
) -> Iterator[Pair]:
    """Graphs with their references, of a shard or rewritten if asked for; with a progress bar, if a person watches."""
    from latticemetric.batch.pairing import pair_up
    from latticemetric.formats.reading import entries
    from latticemetric.formats.references import read_references
    from latticemetric.formats.symbols import as_vocabulary

    vocabulary = as_vocabulary(symbols)
    files = [read_references(path, vocabulary) for path in references]
    found = taken(pair_up(entries([graphs], from_format, vocabulary), files, style), shard)
    total = max(len(file.lines) for file in files)
    shown = options.progress(found, total if shard is None else shard.shard.size(total), "lattices")
    grammar = options.grammar(normalize)
    if grammar is None:
        return shown
    from latticemetric.batch.normalization import normalized_pairs

    return normalized_pairs(shown, grammar, dict(scales))
