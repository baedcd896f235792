"""`latticemetric draw`: a graph, or something made of it, as a picture."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import options, searches
from latticemetric.cli.display import say
from latticemetric.cli.files import GraphFiles, NamesFiles
from latticemetric.cli.help_page import verb
from latticemetric.errors import InputError, UsageError, harmless, placed, shortened

if TYPE_CHECKING:
    from latticemetric.formats.registry import Entry
    from latticemetric.graph import Graph
    from latticemetric.metrics.base import GraphReference

_FORMATS = ["text", "svg", "png", "pdf", "dot"]
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
    "What is drawn": "--id --kind --prune --most-states",
    "Highlighted": "--reference --reference-text --oracle --one-best --mbr",
    "Also written": "--posteriors --scores --no-times",
    "What is measured": "",
    "What is written": "--format --output --width",
}


@verb("draw", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("graphs", type=GraphFiles(), nargs=1, required=False)
@click.option("--id", "name", metavar="ID", help="Which graph of the file (not needed if it holds one).")
@click.option(
    "--kind",
    type=click.Choice(["graph", "network", "tree", "automaton"]),
    default="graph",
    show_default=True,
    help="The graph itself; its confusion network; the derivation tree of a forest; or the metric's automaton.",
)
@click.option(
    "--reference",
    "files",
    type=NamesFiles(),
    multiple=True,
    metavar="FILE",
    help="File of references, by the graphs' ids; repeatable.",
)
@click.option("--reference-text", "texts", multiple=True, metavar="TEXT", help="A reference itself; repeatable.")
@searches.rate_options("wer, wrr, or N-grr for any N.")
@click.option("--oracle", is_flag=True, help="Highlight what scores best against the reference.")
@click.option("--one-best", is_flag=True, help="Highlight the model's own best.")
@click.option("--mbr", is_flag=True, help="Highlight the answer of n-gram MBR.")
@click.option("--posteriors", is_flag=True, help="Write posteriors under words.")
@options.posterior_scale
@click.option("--scores", metavar="NAMES", default="", help="Write these score columns under words: acoustic,lm.")
@click.option("--no-times", is_flag=True, help="Write no times under states.")
@click.option(
    "--most-states",
    type=click.IntRange(0),
    default=60,
    show_default=True,
    metavar="N",
    help="Draw the part with the best paths, of so many states; 0: all of it.",
)
@click.option(
    "--prune",
    "beam",
    type=options.Number(0),
    metavar="BEAM",
    help="Draw only what costs at most so much more than the best path.",
)
@click.option(
    "--width",
    type=click.IntRange(1),
    metavar="COLUMNS",
    help="Of pictures made of letters (else that of the terminal).",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(_FORMATS),
    help="How it is drawn (else by the suffix of --output, else text).",
)
@options.scale
@options.symbols
@options.from_format
@searches.references_style
@options.output
def command(
    *, graphs: str | None, kind: str, output: str, output_format: str | None, width: int | None, **chosen: Any
) -> None:
    """Draw one of GRAPHS: with its oracle, its 1-best and its MBR answer highlighted, if asked for.

    GRAPHS is a file, a folder, a quoted glob, or - for standard input. What is drawn on a terminal is made of letters.
    """
    from latticemetric.drawing.api import format_of

    written = output_format or ("text" if output == "-" else format_of(output))
    if written in {"png", "pdf"}:
        from latticemetric.drawing.image import require_matplotlib

        require_matplotlib()
    _require_sense(graphs, kind, **chosen)
    graph, said = _found(graphs, **chosen)
    drawing = _automaton(said, **chosen) if kind == "automaton" else _drawn(graph, kind, said, **chosen)
    if output != "-" or written not in {"text", "dot"}:
        for omission in drawing.diagram.omissions:
            say(omission)
    drawing.save(output, written, width or shutil.get_terminal_size(_PIPED).columns)


def _require_sense(
    graphs: str | None, kind: str, *, files: tuple[str, ...], texts: tuple[str, ...], oracle: bool, **_: Any
) -> None:
    if graphs is None and kind != "automaton":
        raise UsageError("there is no file of graphs", advice="name one; only --kind automaton needs none")
    if files and texts:
        raise UsageError("--reference and --reference-text do not go together", advice="give files only, or texts only")
    if not (files or texts) and (oracle or kind == "automaton"):
        what = "--oracle" if oracle else "--kind automaton"
        raise UsageError(f"{what} needs a reference", advice="give --reference FILE or --reference-text TEXT")
    if (files or texts) and not oracle and kind != "automaton":
        raise UsageError(f"--reference{'' if files else '-text'} has no effect here", advice="add --oracle")
    if files and graphs is None:
        advice = "name the graphs' file, too; for a text use --reference-text"
        raise UsageError("--reference names a file of references, one a graph", advice=advice)
    for file in files:
        if file != "-" and not Path(file).exists():
            raise InputError("there is no such file", where=file, advice="for a text use --reference-text")


def _found(
    graphs: str | None, *, name: str | None, files: tuple[str, ...], texts: tuple[str, ...], **chosen: Any
) -> tuple[Graph | None, list[GraphReference]]:
    """The graph that is asked for, if one is, and its references: texts, or its lines in files."""
    if graphs is None:
        return None, [_text(text) for text in texts]
    from latticemetric.batch.pairing import pair_up
    from latticemetric.formats.reading import entries
    from latticemetric.formats.references import read_references
    from latticemetric.formats.symbols import as_vocabulary

    vocabulary = as_vocabulary(chosen["symbols"])
    found = entries([graphs], chosen["from_format"], vocabulary)
    if not files:
        entry = _chosen(graphs, name, {entry.name: entry for entry in found})
        return _built(entry), [_text(text) for text in texts]
    references = [read_references(path, vocabulary) for path in files]
    pairs = {pair.name: pair for pair in pair_up(found, references, chosen["style"])}
    pair = _chosen(graphs, name, {key: pair for key, pair in pairs.items() if pair.entry is not None})
    if pair.problem is not None:
        raise pair.problem
    return _built(pair.entry), pair.graph_references()


def _chosen(graphs: str, name: str | None, known: dict[str, Any]) -> Any:
    """What has the id, or the only one that there is."""
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name is not None and name in known:
        return known[name]
    names = ", ".join(shortened(harmless(one)) for one in list(known)[:_MOST_NAMED])
    more = ", …" if len(known) > _MOST_NAMED else ""
    if name is None:
        raise UsageError(f"{graphs} holds {len(known)} graphs", advice=f"choose one with --id: {names}{more}")
    raise InputError(f"there is no graph '{shortened(name)}'", where=graphs, advice=f"there are {names}{more}")


def _built(entry: Entry) -> Graph:
    with placed(entry.place):
        return entry.build()


def _text(text: str) -> tuple[str, ...]:
    from latticemetric.vocabulary import split_words

    try:
        is_file = Path(text).is_file()
    except (OSError, ValueError):  # no file has such a name
        is_file = False
    if is_file:
        raise UsageError("this is a file", where=f"--reference-text {shortened(text)}", advice="give it as --reference")
    return tuple(split_words(text))


def _automaton(said: list[GraphReference], **chosen: Any) -> Any:
    from latticemetric.drawing.api import draw

    if len(said) > 1:
        raise UsageError("an automaton is drawn for one reference", advice=f"leave out {len(said) - 1}")
    return draw(searches.rate(**chosen), reference=said[0])


def _drawn(graph: Any, kind: str, said: list[GraphReference], **chosen: Any) -> Any:
    """The drawing of a graph, or of what is made of it."""
    from latticemetric.drawing.api import draw
    from latticemetric.graph import as_lattice_or_forest
    from latticemetric.posterior.posteriors import posteriors

    scales = dict(chosen["scales"])
    names = options.listed(chosen["scores"])
    graph = as_lattice_or_forest(graph, dict.fromkeys(names, 0.0) | scales)  # columns that are named are kept
    weighed = {"scale": chosen["posterior_scale"], "scales": scales}
    most = chosen["most_states"] or None
    if kind == "network":
        from latticemetric.mbr_decoding.consensus import consensus

        return draw(consensus(graph, **weighed), most_states=most)
    ways = _ways(graph, said, tree=kind == "tree", **chosen)
    if kind == "tree":
        return _tree(graph, ways)
    return draw(
        graph,
        ways=ways,
        posteriors=posteriors(graph, **weighed) if chosen["posteriors"] else None,
        scores=names,
        times=not chosen["no_times"],
        beam=chosen["beam"],
        scales=scales,
        most_states=most,
    )


def _ways(
    graph: Any,
    said: list[GraphReference],
    *,
    tree: bool,
    oracle: bool,
    one_best: bool,
    mbr: bool,
    **chosen: Any,
) -> dict[str, Any]:
    """What is highlighted, and looked for therefore; a tree is of one way: the model's, unless said otherwise."""
    ways: dict[str, Any] = {}
    rate, scales = searches.rate(**chosen), dict(chosen["scales"])
    if oracle:
        from latticemetric.oracle_search.oracle import oracle as best_of

        found = best_of(graph, said, rate, scales=scales)
        ways["oracle"] = found
    if one_best or (tree and not (oracle or mbr)):
        from latticemetric.oracle_search.oracle import as_search_space

        ways["1-best"] = found.one_best if oracle else as_search_space(graph, rate, scales).one_best().tolist()
    if mbr:
        from latticemetric.mbr_decoding.mbr import mbr as mbr_of

        ways["mbr"] = mbr_of(graph, scale=chosen["posterior_scale"], scales=scales)
    return ways


def _tree(graph: Any, ways: dict[str, Any]) -> Any:
    from latticemetric.drawing.api import draw
    from latticemetric.forest.forest import Forest

    if not isinstance(graph, Forest):
        raise UsageError("a lattice has no derivation trees", advice="draw --kind graph")
    if len(ways) > 1:
        raise UsageError(f"a tree is of one derivation, and {' and '.join(ways)} are asked for", advice="choose one")
    (way,) = ways.values()
    return draw(graph.tree(getattr(way, "edges", way)))
