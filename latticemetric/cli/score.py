"""`latticemetric score`: strings against references, by any metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import options
from latticemetric.cli.display import say
from latticemetric.cli.files import NamesFiles
from latticemetric.cli.help_page import verb
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.metrics.base import GraphText
    from latticemetric.metrics.preparation import Preparation
    from latticemetric.signature import Signature

Words = tuple[str, ...]

_DEFAULT_METRICS = "wer,4-grr,bleu"

_EPILOG = """\b
Examples:
  latticemetric score out.tok ref.tok --metrics bleu,wer
  latticemetric score base.tok ref.0 ref.1 --system new.tok     (two systems, two references)
  latticemetric score out.txt ref.txt --metrics bleu --tokenize 13a --lowercase
  latticemetric score out.tok ref.tok --metrics wer --explain 7
  latticemetric score out.ctm ref.stm --metrics sclite,wer --lowercase
"""

_SECTIONS = {
    "What is scored": "--system --level --explain",
}


@verb("score", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("hypotheses", type=NamesFiles(), nargs=1, metavar="HYP")
@click.argument("references", type=NamesFiles(), nargs=-1, required=True, metavar="REF...")
@click.option(
    "--system",
    "-s",
    "others",
    type=NamesFiles(),
    metavar="FILE",
    multiple=True,
    help="A further system's output, compared with HYP; repeatable.",
)
@click.option(
    "--metrics",
    "-m",
    default=(_DEFAULT_METRICS,),
    show_default=True,
    metavar="NAMES",
    multiple=True,
    help="Metrics, separated by commas; repeatable.",
)
@click.option(
    "--level",
    type=click.Choice(["corpus", "sentence"]),
    default="corpus",
    show_default=True,
    help="One value for the test set, or one for each segment.",
)
@click.option(
    "--tokenize",
    "-tok",
    default="none",
    show_default=True,
    metavar="NAME",
    help="One of sacrebleu's tokenizers: 13a, intl, char, zh …",
)
@click.option("--lowercase", "-lc", is_flag=True, help="Take case away, before tokenization.")
@options.normalize
@click.option("--stem", is_flag=True, help="Compare Porter stems, where the metric can.")
@click.option("--keyed", is_flag=True, help="Lines begin with ids, as in Kaldi's text, in any order.")
@options.resampling(1000, "Resamples for intervals and p-values; 0: none.")
@click.option("--explain", metavar="SEGMENT", help="Draw what is counted in one segment: its number, or its id.")
@click.option("--short-signature", is_flag=True, help="Abbreviate signatures.")
@options.output_format("text", "tsv", "json", "jsonl")
@options.output
def command(
    *, hypotheses: str, references: tuple[str, ...], others: tuple[str, ...], output_format: str, **chosen: Any
) -> None:
    """Scores of a system's output against one or several references.

    HYP and each REF hold a segment a line; compressed or not, - for standard input. Transcripts of NIST (trn, STM,
    CTM) are paired by their ids, and a CTM is cut by the segments of an STM. Several systems are compared with
    HYP: the interval of each difference by paired bootstrap, p-values by paired bootstrap and approximate
    randomisation.
    """
    from dataclasses import replace

    from latticemetric.cli import score_writing as writing
    from latticemetric.evaluation.scoring import tabulate
    from latticemetric.formats.segments import read_nist_segments, read_segments
    from latticemetric.metrics.preparation import Preparation

    metrics = options.metric_list(chosen["metrics"], stem=chosen["stem"])
    preparation = Preparation(chosen["lowercase"], chosen["tokenize"])
    systems = (hypotheses, *others)
    segments = read_nist_segments(systems, references)
    if segments is None:
        segments = read_segments([*systems, *references], keyed=chosen["keyed"])
    drawn = {name: chosen[name] for name in ("resamples", "seed", "confidence", "short_signature")}
    report = writing.Report(systems, len(references), segments.ids, **drawn)
    files = [preparation.all_words(texts) for texts in segments.files]
    graphs = all(getattr(metric, "takes_graphs", False) for metric in metrics)
    outputs, expected = _sides(files, [*systems, *references], len(systems), chosen["normalize"], graphs=graphs)
    found = tabulate(zip(systems, outputs, strict=True), expected, metrics)
    tabled = [
        [replace(one, signature=_signed(one.signature, preparation, chosen["normalize"])) for one in row]
        for row in found
    ]
    if chosen["explain"] is not None:
        at = _position(chosen["explain"], segments.ids, output_format)
        lines = writing.explanations(tabled, [*(words[at] for words in outputs), *expected[at]], at)
    else:
        lines = writing.LEVELS[chosen["level"]](tabled, report, output_format)
    with options.results(chosen["output"], at_once=False) as put:
        for line in lines:
            put(line)
    if output_format == "text":
        say("\n".join(writing.footer(tabled, report, resampled=_resampled(chosen))))


def _resampled(chosen: dict[str, Any]) -> bool:
    """Whether what is printed has to do with resamples."""
    return chosen["level"] == "corpus" and chosen["explain"] is None


def _sides(
    files: Sequence[Sequence[GraphText]], names: Sequence[str], systems: int, normalize: str | None, *, graphs: bool
) -> tuple[Sequence[Sequence[GraphText]], Sequence[Sequence[GraphText]]]:
    """The texts of each system, and the references of each segment: more than there are files, if a grammar says so."""
    grammar = options.grammar(normalize)
    if grammar is None:
        return files[:systems], list(map(list, zip(*files[systems:], strict=True)))
    from latticemetric.batch.normalization import normalized_sides

    named = [(name, [_only_words(text) for text in texts]) for texts, name in zip(files, names, strict=True)]
    return normalized_sides(named[:systems], named[systems:], grammar, graphs=graphs)


def _only_words(text: GraphText) -> Words:
    """The words of a text, which a grammar can rewrite."""
    if not isinstance(text, tuple):
        raise UsageError("a text has alternatives", where="--normalize", advice="leave it out")
    return text


def _signed(signature: Signature, preparation: Preparation, normalize: str | None) -> Signature:
    """A metric's signature with what was done to the strings."""
    return preparation.signed(signature).also(norm=normalize)


def _position(segment: str, ids: Sequence[str], output_format: str) -> int:
    """Where the segment to be explained stands."""
    if output_format != "text":
        raise UsageError(f"--explain draws for people, not as {output_format}", advice="leave --format out")
    if segment not in ids:
        raise UsageError(
            f"there is no segment '{segment}'", where="--explain", advice=f"the first is {ids[0]}, the last {ids[-1]}"
        )
    return ids.index(segment)
