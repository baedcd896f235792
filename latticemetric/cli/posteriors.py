"""`latticemetric posteriors`: how probable are the words, n-grams and arcs or edges of each graph?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import answers, options
from latticemetric.cli.files import GraphOutput
from latticemetric.cli.help_page import verb
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.batch.answers import Answer
    from latticemetric.batch.shards import Part
    from latticemetric.graph import Graph
    from latticemetric.lattice.lattice import Lattice
    from latticemetric.posterior.listing import PosteriorListing

_COLUMNS = {
    "words": ["word", "posterior"],
    "ngrams": ["ngram", "order", "posterior"],
    "arcs": ["arc", "source", "target", "word", "posterior", "begin", "end"],
    "edges": ["edge", "head", "target", "posterior"],
    "summary": ["log_total", "entropy"],
}

_EPILOG = """\b
Examples:
  latticemetric posteriors lats.ark.gz --scale acoustic=0.1 --least 0.5
  latticemetric posteriors lattices/ --of ngrams --order 3 --top 20 --format tsv
  latticemetric posteriors forests/ --of edges --least 0.5
  latticemetric posteriors lats.slf --of summary --write-lattices out.slf
"""

_SECTIONS = {
    "What is listed": "--of --order --least --top",
}


@verb("posteriors", epilog=_EPILOG, sections=_SECTIONS)
@answers.shared
@options.posterior_scale
@click.option(
    "--of",
    type=click.Choice(list(_COLUMNS)),
    default="words",
    show_default=True,
    help="What is listed; arcs of lattices, edges of forests.",
)
@click.option(
    "--order", type=click.IntRange(1), default=4, show_default=True, metavar="N", help="Words of the longest n-grams."
)
@click.option("--least", type=options.Number(0, 1), default=0.0, metavar="P", help="The smallest posterior listed.")
@click.option("--top", type=click.IntRange(0), metavar="N", help="List no more of each graph.")
@click.option(
    "--write-lattices",
    type=GraphOutput(),
    metavar="FILE",
    help="Write lattices with posteriors too, by the file's suffix.",
)
@options.output_format("text", "tsv", "json", "jsonl")
def command(
    *, of: str, output_format: str, posterior_scale: float, scales: Any, write_lattices: str | None, **chosen: Any
) -> None:
    """Posteriors of GRAPHS: how probable it is that a path says a word or an n-gram, or takes an arc.

    Of forests: that a derivation says it, or uses an edge. The most probable come first. GRAPHS are files, folders,
    quoted globs, or - for standard input.
    """
    listed = {"of": of, **{name: chosen.pop(name) for name in ("order", "least", "top")}}
    _require_meaning(of, write_lattices)
    ask = partial(_answer, scale=posterior_scale, scales=dict(scales), listed=listed, with_lattice=bool(write_lattices))

    def lines(found: Iterator[Answer]) -> Iterable[str]:
        beside = answers.written_beside(found, write_lattices, lambda value: value[1])
        return _lines(beside, of, output_format, chosen["shard"])

    answers.put_answers(ask, lines, **chosen)


def _require_meaning(of: str, write_lattices: str | None) -> None:
    if of == "edges" and write_lattices:
        raise UsageError("--write-lattices means nothing to edges, which are those of forests", advice="leave it out")
    given = click.get_current_context().get_parameter_source("order")
    if of != "ngrams" and given is not click.core.ParameterSource.DEFAULT:
        raise UsageError(f"--order means nothing to {of}", advice="leave it out, or say --of ngrams")


def _answer(
    graph: Graph, *, scale: float, scales: Any, listed: dict[str, Any], with_lattice: bool
) -> tuple[PosteriorListing, Lattice | None]:
    from latticemetric.graph import as_lattice
    from latticemetric.posterior.listing import listing
    from latticemetric.posterior.posteriors import posteriors

    if not with_lattice and listed["of"] != "arcs":
        return listing(posteriors(graph, scale=scale, scales=scales), **listed), None
    lattice = as_lattice(graph, scales, advice="--of edges lists what forests have, without --write-lattices")
    found = posteriors(lattice, scale=scale, scales=scales)
    return listing(found, **listed), found.to_lattice() if with_lattice else None


def _lines(found: Iterator[Answer], of: str, output_format: str, shard: Part | None) -> Iterable[str]:
    if output_format == "text":
        return (line for answer in found for line in _text(answer, of))
    if output_format == "tsv":
        return answers.tsv(_rows(found, of), ["id", *_COLUMNS[of], "error"])
    items = ({"id": answer.name, **_item(answer)} for answer in found)
    if output_format == "jsonl":
        return answers.json_lines(items)
    return answers.json_document(items, "lattices", shard)


def _item(answer: Answer) -> dict[str, Any]:
    item: dict[str, Any] = {"error": str(answer.problem)} if answer.problem is not None else answer.value[0].asdict()
    return item


def _rows(found: Iterator[Answer], of: str) -> Iterator[dict[str, Any]]:
    """A row a word, an n-gram, an arc or an edge; of a summary and of a failure a row a graph."""
    for answer in found:
        rows = [_item(answer)] if answer.problem is not None or of == "summary" else answer.value[0].rows
        for row in rows:
            yield {"id": answer.name, **row}


def _text(answer: Answer, of: str) -> Iterator[str]:
    from latticemetric.errors import harmless

    name = harmless(answer.name)
    if answer.problem is not None:
        yield f"{name} failed"
        return
    listed = answer.value[0]
    if of == "summary":
        yield f"{name} log total {listed.log_total:.4f}, entropy {listed.entropy:.4f}"
    for row in listed.rows:
        yield f"{name} {row['posterior']:.4f} {harmless(_part(row))}"


def _part(row: dict[str, Any]) -> str:
    """The words of a row; of an arc its states and times too, of an edge its head."""
    if "edge" in row:
        return f"{row['head']} {row['target'] or 'ε'}"
    if "arc" not in row:
        return str(row["ngram"] if "ngram" in row else row["word"])
    times = "" if row["begin"] is None else f" {row['begin']:.2f} {row['end']:.2f}"
    return f"{row['source']} {row['target']}{times} {row['word'] or 'ε'}"
