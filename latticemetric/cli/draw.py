"""`latticemetric draw`: draw a graph, its confusion network or derivation tree, or the automaton of a metric."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from latticemetric.cli.commands import Options, choice, flag, option, verb
from latticemetric.cli.files import STANDARD, GraphFiles, ReferenceFiles
from latticemetric.cli.options import (
    BEAM,
    OUTPUT,
    POSTERIOR_SCALE,
    STYLE,
    RateOptions,
    ScoredReadingOptions,
    listed,
    refuse,
)
from latticemetric.cli.results import say
from latticemetric.errors import InputError, UsageError, harmless, placed, shortened

if TYPE_CHECKING:
    from latticemetric.corpus.pairing import Style
    from latticemetric.drawing.api import Drawing
    from latticemetric.graph import Graph
    from latticemetric.lattice.columns import Weights
    from latticemetric.metrics.base import GraphReference
    from latticemetric.metrics.recognition import GRR

T = TypeVar("T")

_FORMATS = ("text", "svg", "png", "pdf", "dot")
_MOST_NAMED = 5
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

# Options that do not change drawings of this kind.
_WITHOUT_EFFECT: dict[str, tuple[str, ...]] = {
    "graph": (),
    "network": ("files", "texts", "oracle", "one_best", "mbr", "scores", "no_times", "beam", "expected"),
    "tree": ("posteriors", "scores", "no_times", "beam", "most_drawn", "expected"),
    "automaton": ("oracle", "one_best", "mbr", "posteriors", "scores", "no_times", "beam", "most_drawn", "expected"),
}


class _SubjectOptions(Options):
    name: str | None = option("--id ID", "Id of the graph (not needed if the file has only one).")
    kind: str = choice(
        "--kind",
        ["graph", "network", "tree", "automaton"],
        "Draw the graph, its confusion network, a derivation tree of a forest, or the metric's automaton.",
    )
    files: tuple[str, ...] = option(
        "--reference FILE", "File with the references of the graphs; repeatable.", type=ReferenceFiles(), multiple=True
    )
    texts: tuple[str, ...] = option("--reference-text TEXT", "Text of a reference; repeatable.", multiple=True)
    style: Style = STYLE
    oracle: bool = flag("--oracle", "Highlight the path that scores best against the reference.")
    one_best: bool = flag("--one-best", "Highlight the model's 1-best.")
    mbr: bool = flag("--mbr", "Highlight the answer of n-gram MBR.")

    def check(self, graphs: str | None, *, expected: bool) -> None:
        """Refuse combinations of options that contradict each other or have no effect."""
        is_automaton, has_references = self.kind == "automaton", bool(self.files or self.texts)
        if graphs is None and not is_automaton:
            raise UsageError("no file of graphs is given", advice="name a file; only --kind automaton needs none")
        if self.files and self.texts:
            what = "--reference and --reference-text cannot be used together"
            raise UsageError(what, advice="leave one of them out")
        refuse(_WITHOUT_EFFECT[self.kind], f"with --kind {self.kind}", advice="leave it out, or choose --kind graph")
        if not has_references and (self.oracle or expected or is_automaton):
            what = "--oracle" if self.oracle else "--expected" if expected else "--kind automaton"
            raise UsageError(f"{what} needs a reference", advice="give --reference FILE or --reference-text TEXT")
        if has_references and not (self.oracle or expected or is_automaton):
            raise UsageError(
                f"--reference{'' if self.files else '-text'} has no effect without --oracle or --expected",
                advice="add --oracle",
            )
        if self.files and graphs is None:
            advice = "also name the file of graphs; for a text use --reference-text"
            raise UsageError("--reference needs a file of graphs", advice=advice)
        for file in self.files:
            if file != STANDARD and not Path(file).exists():
                raise InputError("there is no such file", where=file, advice="for a text use --reference-text")


class _PictureOptions(Options):
    posteriors: bool = flag("--posteriors", "Write posteriors (probabilities of arcs) under words.")
    posterior_scale: float = POSTERIOR_SCALE
    expected: bool = flag(
        "--expected", "Write the expected rate of the paths through each arc; colour the arc by this rate."
    )
    scores: str = option(
        "--scores NAMES", "Write these score columns under words, such as acoustic,lm.", default="", show_default=False
    )
    no_times: bool = flag("--no-times", "Do not write times under states.")
    most_drawn: int = option(
        "--most-drawn N",
        "Draw only the best paths, with at most N states; 0: draw all.",
        type=click.IntRange(0),
        default=60,
    )
    beam: float | None = BEAM
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


@verb("draw", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("graphs", type=GraphFiles(), nargs=1, required=False)
def command(
    graphs: str | None,
    *,
    subject: _SubjectOptions,
    metric: RateOptions,
    picture: _PictureOptions,
    reading: ScoredReadingOptions,
) -> None:
    """Draw one of GRAPHS; highlight its oracle, its 1-best and its MBR answer.

    GRAPHS is a file, a folder, a quoted glob, or - for standard input. On a terminal, the drawing is text.
    """
    output_format = picture.format()
    if output_format in {"png", "pdf"}:
        from latticemetric.drawing.image import require_matplotlib

        require_matplotlib()
    subject.check(graphs, expected=picture.expected)
    if graphs is None:
        drawing = _draw_automaton(metric, [_words(text) for text in subject.texts])
    else:
        graph, references = _read(graphs, subject, reading)
        if subject.kind == "automaton":
            drawing = _draw_automaton(metric, references)
        else:
            drawing = _draw(graph, references, subject=subject, metric=metric, picture=picture, weights=reading.weights)
    if picture.output != STANDARD or output_format not in {"text", "dot"}:
        for omission in drawing.diagram.omissions:
            say(omission)
    drawing.save(picture.output, output_format, picture.width or shutil.get_terminal_size(_PIPED).columns)


def _read(graphs: str, subject: _SubjectOptions, reading: ScoredReadingOptions) -> tuple[Graph, list[GraphReference]]:
    """Return the graph and its references, from --reference-text or from files."""
    from latticemetric.corpus.pairing import pair_up

    entries = reading.entries([graphs])
    if not subject.files:
        entry = _graph_with_id(graphs, subject.name, {entry.name: entry for entry in entries})
        references: list[GraphReference] = [_words(text) for text in subject.texts]
    else:
        pairs = {pair.name: pair for pair in pair_up(entries, reading.references(subject.files), subject.style)}
        pair = _graph_with_id(
            graphs, subject.name, {name: pair for name, pair in pairs.items() if pair.entry is not None}
        )
        if pair.problem is not None:
            raise pair.problem
        assert pair.entry is not None
        entry, references = pair.entry, pair.graph_references()
    with placed(entry.place):
        return entry.build(), references


def _graph_with_id(graphs: str, name: str | None, known: Mapping[str, T]) -> T:
    """Return the graph with this id; without an id, return the only graph."""
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name is not None and name in known:
        return known[name]
    names = ", ".join(shortened(harmless(one)) for one in list(known)[:_MOST_NAMED])
    more = ", …" if len(known) > _MOST_NAMED else ""
    if name is None:
        raise UsageError(f"{graphs} holds {len(known)} graphs", advice=f"choose one with --id: {names}{more}")
    raise InputError(f"there is no graph '{shortened(name)}'", where=graphs, advice=f"there are {names}{more}")


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


def _draw_automaton(metric: RateOptions, references: list[GraphReference]) -> Drawing:
    from latticemetric.drawing.api import draw

    if len(references) > 1:
        raise UsageError(
            f"an automaton is drawn for one reference, but there are {len(references)}",
            advice="give one --reference-text",
        )
    return draw(metric.rate(), reference=references[0])


def _draw(
    graph: Graph,
    references: list[GraphReference],
    *,
    subject: _SubjectOptions,
    metric: RateOptions,
    picture: _PictureOptions,
    weights: Weights,
) -> Drawing:
    """Draw a graph, its confusion network, or one of its derivation trees."""
    from latticemetric.drawing.api import draw
    from latticemetric.forest.forest import Forest
    from latticemetric.graph import as_lattice_or_forest
    from latticemetric.posterior.posteriors import posteriors

    names = listed(picture.scores)
    shape = as_lattice_or_forest(graph, {**dict.fromkeys(names, 0.0), **weights})  # keep the columns of --scores
    posterior_scale, most_drawn = picture.posterior_scale, picture.most_drawn or None
    if subject.kind == "network":
        from latticemetric.mbr_decoding.consensus import consensus

        return draw(consensus(shape, posterior_scale=posterior_scale, weights=weights), most_drawn=most_drawn)
    ways: dict[str, Any] = {}
    rate = metric.rate()
    if subject.oracle:
        from latticemetric.oracle_search.oracle import oracle

        ways["oracle"] = oracle(shape, references, rate, weights=weights)
    # A tree shows one derivation: the 1-best, unless the user chooses the oracle or the MBR answer.
    if subject.one_best or (subject.kind == "tree" and not (subject.oracle or subject.mbr)):
        from latticemetric.oracle_search.search_space import as_search_space

        best = ways.get("oracle")
        ways["1-best"] = best.one_best if best else as_search_space(shape, rate, weights).one_best().tolist()
    if subject.mbr:
        from latticemetric.mbr_decoding.mbr import mbr
        from latticemetric.mbr_decoding.settings import ByNgrams

        ways["mbr"] = mbr(shape, ByNgrams(posterior_scale=posterior_scale), weights=weights)
    if subject.kind == "tree":
        if not isinstance(shape, Forest):
            raise UsageError("a lattice has no derivation trees", advice="choose --kind graph")
        if len(ways) > 1:
            what = f"a tree shows one derivation, but {' and '.join(ways)} are given"
            raise UsageError(what, advice="choose one")
        (way,) = ways.values()
        return draw(shape.tree(getattr(way, "edges", way)))
    distribution: Any = None
    if picture.posteriors or picture.expected:
        distribution = posteriors(shape, posterior_scale=posterior_scale, weights=weights)
    return draw(
        shape,
        ways=ways,
        posteriors=distribution if picture.posteriors else None,
        rates=_rates(shape, references, rate, distribution, posterior_scale=posterior_scale, weights=weights)
        if picture.expected
        else None,
        scores=names,
        times=not picture.no_times,
        beam=picture.beam,
        weights=weights,
        most_drawn=most_drawn,
    )


def _rates(
    graph: Graph,
    references: list[GraphReference],
    rate: GRR,
    distribution: Any,
    *,
    posterior_scale: float,
    weights: Weights,
) -> Any:
    """Return the expected rate of the paths through each arc or edge."""
    from latticemetric.posterior.expected import expected

    found = expected(
        graph, references, rate, posterior_scale=posterior_scale, weights=weights, gradient=True, distribution=False
    )
    if not found.exact:
        what = "this graph is too large for exact expected rates of its arcs"
        raise InputError(what, advice="prune it first: latticemetric prune --beam")
    return found.through(distribution.edge if hasattr(distribution, "edge") else distribution.arc, posterior_scale)
