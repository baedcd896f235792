"""`latticemetric consensus`: each lattice as bins of alternative words, with confidences."""

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

_COLUMNS = ["id", "hypothesis", "bayes_risk", "confidences", "error"]

_EPILOG = """\b
Examples:
  latticemetric consensus lats.ark.gz --scale acoustic=0.1
  latticemetric consensus lattices/ --format ctm          (words with times and confidences)
  latticemetric consensus lats.ark.gz --write-lattices out.mesh --least 0.001
"""

_SECTIONS = {
    "The model's scores": "",
    "What is read": "",
    "Very many graphs": "",
    "What is written": "--format --output --write-lattices --least",
}


@verb("consensus", epilog=_EPILOG, sections=_SECTIONS)
@answers.shared
@options.posterior_scale
@click.option(
    "--write-lattices",
    type=GraphOutput(),
    metavar="FILE",
    help="Write the networks as lattices, too; the suffix says the format.",
)
@click.option(
    "--least",
    type=options.Number(0, 1),
    default=1e-6,
    show_default=True,
    metavar="P",
    help="Words less probable are left out of --write-lattices.",
)
@options.output_format("text", "tsv", "json", "jsonl", "ctm")
def command(
    *, output_format: str, posterior_scale: float, scales: Any, write_lattices: str | None, least: float, **chosen: Any
) -> None:
    """Consensus networks of GRAPHS: words of minimum Bayes risk, their confidences, and what might stand instead.

    GRAPHS are files, folders, quoted globs, or - for standard input.
    """
    from latticemetric.mbr_decoding.consensus import consensus

    def lines(found: Iterator[Answer]) -> Iterable[str]:
        networks = answers.written_beside(found, write_lattices, lambda network: network.to_lattice(least))
        return _lines(networks, output_format, chosen["shard"])

    answers.put_answers(partial(consensus, scale=posterior_scale, scales=dict(scales)), lines, **chosen)


def _lines(found: Iterator[Answer], output_format: str, shard: Part | None) -> Iterable[str]:
    if output_format in {"text", "ctm"}:
        return (_text if output_format == "text" else _ctm)(found)
    items = ({"id": answer.name, **_item(answer)} for answer in found)
    if output_format == "tsv":
        return answers.tsv(items, _COLUMNS)
    if output_format == "jsonl":
        return answers.json_lines(items)
    return answers.json_document(items, "lattices", shard)


def _item(answer: Answer) -> dict[str, Any]:
    item: dict[str, Any] = answer.value.asdict() if answer.problem is None else {"error": str(answer.problem)}
    return item


def _text(found: Iterator[Answer]) -> Iterator[str]:
    """The words, each with its confidence."""
    from latticemetric.errors import harmless

    for answer in found:
        if answer.problem is not None:
            yield f"{harmless(answer.name)} failed"
            continue
        pairs = zip(answer.value.words, answer.value.confidences, strict=True)
        words = " ".join(f"{word}:{confidence:.3f}" for word, confidence in pairs)
        yield f"{harmless(answer.name)} {harmless(words)}".rstrip()


def _ctm(found: Iterator[Answer]) -> Iterator[str]:
    """Id, channel, begin, duration, word, confidence."""
    for answer in found:
        if answer.problem is not None:
            continue
        network = answer.value
        if network.times is None:
            raise UsageError(
                f"ctm needs times, and '{answer.name}' has none", advice="give lattices with times, or write jsonl"
            )
        for word, (begin, end), confidence in zip(network.words, network.times, network.confidences, strict=True):
            yield f"{answer.name} 1 {begin:.2f} {end - begin:.2f} {word} {confidence:.4f}"
