"""`latticemetric draw`: draw a graph, its confusion network or derivation tree, or the automaton of a metric."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from latticemetric.cli.commands import choice, flag, option, verb
from latticemetric.cli.files import STANDARD, GraphFiles, ReferenceFiles
from latticemetric.cli.options import (
    OUTPUT,
    STYLE,
    OneRateOptions,
    ScoredReadingOptions,
    SettingsOptions,
    listed,
    refuse,
)
from latticemetric.cli.options.fields import option_of
from latticemetric.cli.results import say
from latticemetric.corpus.picture import GraphPicture
from latticemetric.errors import InputError, UsageError, shortened

if TYPE_CHECKING:
    from latticemetric.corpus.pairing import Style

_FORMATS = ("text", "svg", "png", "pdf", "dot")
_PIPED = (100, 24)

_EPILOG = """\b
Examples:
  latticemetric draw harbour.fst
  latticemetric draw lats.ark.gz --id utt-7 --reference-text "so it goes" --metric wer --oracle --one-best
  latticemetric draw lats.ark.gz --id utt-7 --reference ref.txt --oracle --posteriors -o utt-7.svg
  latticemetric draw forest.json.gz --kind tree -o tree.pdf
  latticemetric draw --kind automaton --metric 4-grr --reference-text "a b c" -o automaton.svg
"""

_SECTIONS = {
    "Graph": "--id --kind --beam --most-drawn",
    "Highlights": "--reference --reference-text --oracle --one-best --mbr",
    "Annotations": "--posteriors --expected --scores --no-times",
    "Metric": "",
    "Output": "--format --output --width",
}

_OPTIONS = {"times": "no_times"}  # the parameters of options that have other names than their settings


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(listed(text or ""))


class _PictureOptions(SettingsOptions, kinds=(GraphPicture,)):
    name: str | None = option("--id ID", "Id of the graph (not needed if the file has only one).")
    references: tuple[str, ...] = option(
        "--reference FILE", "File with the references of the graphs; repeatable.", type=ReferenceFiles(), multiple=True
    )
    texts: tuple[str, ...] = option("--reference-text TEXT", "Text of a reference; repeatable.", multiple=True)
    style: Style = STYLE
    scores: tuple[str, ...] = option_of(GraphPicture.fields["scores"], reads=_names)
    no_times: bool = flag("--no-times", "Do not write times under states.")
    width: int | None = option(
        "--width COLUMNS", "Width of text pictures (default: the terminal's).", type=click.IntRange(1)
    )
    output_format: str | None = choice(
        "--format", _FORMATS, "Output format (default: by the suffix of --output, else text).", optional=True
    )
    output: str = OUTPUT

    def format(self) -> str:
        from latticemetric.drawing.api import format_of

        return self.output_format or ("text" if self.output == STANDARD else format_of(self.output))

    def picture(self, metric: OneRateOptions, graphs: str | None) -> GraphPicture:
        """Return the settings; refuse combinations of options that contradict each other or have no effect."""
        kind: str = vars(self)["kind"]
        unused = [_OPTIONS.get(name, name) for name in GraphPicture.without_effect[kind]]
        is_automaton, has_references = kind == "automaton", bool(self.references or self.texts)
        if graphs is None and not is_automaton:
            raise UsageError("no file of graphs is given", advice="name a file; only --kind automaton needs none")
        if self.references and self.texts:
            what = "--reference and --reference-text cannot be used together"
            raise UsageError(what, advice="leave one of them out")
        of_references = ("references", "texts") if kind == "network" else ()
        refuse([*of_references, *unused], f"with --kind {kind}", advice="leave it out, or choose --kind graph")
        picture = self.settings(GraphPicture, metric=metric.rate(), times=not self.no_times)
        if not has_references and picture.needs_references:
            what = "--oracle" if picture.oracle else "--expected" if picture.expected else "--kind automaton"
            raise UsageError(f"{what} needs a reference", advice="give --reference FILE or --reference-text TEXT")
        if has_references and not picture.needs_references:
            raise UsageError(
                f"--reference{'' if self.references else '-text'} has no effect without --oracle or --expected",
                advice="add --oracle",
            )
        if self.references and graphs is None:
            advice = "also name the file of graphs; for a text use --reference-text"
            raise UsageError("--reference needs a file of graphs", advice=advice)
        for file in self.references:
            if file != STANDARD and not Path(file).exists():
                raise InputError("there is no such file", where=file, advice="for a text use --reference-text")
        return picture


@verb("draw", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("graphs", type=GraphFiles(), nargs=1, required=False)
def command(
    graphs: str | None,
    *,
    shown: _PictureOptions,
    metric: OneRateOptions,
    reading: ScoredReadingOptions,
) -> None:
    """Draw one of GRAPHS; highlight its oracle, its 1-best and its MBR answer.

    GRAPHS is a file, a folder, a quoted glob, or - for standard input. On a terminal, the drawing is text.
    """
    output_format = shown.format()
    if output_format in {"png", "pdf"}:
        from latticemetric.drawing.image import require_matplotlib

        require_matplotlib()
    picture = shown.picture(metric, graphs)
    texts = [_words(text) for text in shown.texts]
    if graphs is None:
        drawing = picture.automaton([*texts])
    else:
        from latticemetric.corpus.run import Run

        style = {"style": shown.style} if shown.references else {}
        corpus = reading.corpus([graphs], shown.references, **style)
        drawing = picture.drawing(corpus, Run(), shown.name, None if shown.references else texts)
    if shown.output != STANDARD or output_format not in {"text", "dot"}:
        for omission in drawing.diagram.omissions:
            say(omission)
    drawing.save(shown.output, output_format, shown.width or shutil.get_terminal_size(_PIPED).columns)


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a reference; refuse a text that is the name of a file."""
    from latticemetric.vocabulary import split_words

    try:
        is_file = Path(text).is_file()
    except (OSError, ValueError):  # no file has such a name
        is_file = False
    if is_file:
        raise UsageError(
            "a text is expected, but this is a file",
            where=f"--reference-text {shortened(text)}",
            advice="give the file with --reference",
        )
    return tuple(split_words(text))
