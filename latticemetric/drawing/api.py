"""Draw graphs: `draw` returns a `Drawing`. Notebooks show drawings; `save` writes them to files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from latticemetric.arguments import path_text, refuse_unused, whole_number
from latticemetric.drawing.diagram import TREE, Diagram, HighlightedPaths
from latticemetric.drawing.dot import dot_text
from latticemetric.drawing.legend import captions_of
from latticemetric.drawing.picture import Picture
from latticemetric.drawing.selection import MOST_STATES
from latticemetric.drawing.svg import svg_text
from latticemetric.drawing.terminal import WIDTH, terminal_text
from latticemetric.errors import UsageError
from latticemetric.forest.forest import Forest
from latticemetric.forest.trees import DerivationTree
from latticemetric.formats.streams.output import atomic_output
from latticemetric.lattice.lattice import Lattice, Weights
from latticemetric.renamed import says_new_keywords

FORMATS = ("svg", "png", "pdf", "dot", "text")
"""Formats of drawings."""

_SUFFIXES = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".dot": "dot", ".gv": "dot", ".txt": "text"}


@dataclass(frozen=True, repr=False)
class Drawing:
    """A drawing of a diagram, made by `draw`.

    Notebooks show it as a picture; `print` prints it as text.
    """

    diagram: Diagram

    def picture(self) -> Picture:
        """Lay out the diagram: return all shapes, lines and texts with their positions."""
        from latticemetric.drawing.layout import layered_layout, tree_layout

        return (tree_layout if self.diagram.kind == TREE else layered_layout)(self.diagram)

    @says_new_keywords
    def svg(self, *, standalone: bool = True) -> str:
        """Return the drawing as an SVG element.

        Args:
            standalone: True for a file: lines and texts are dark on a light background, and light on a dark background.
                False for a part of a page: lines and texts have the colour of the surrounding text.
        """
        return svg_text(self.picture(), standalone=standalone)

    def dot(self) -> str:
        """Return the drawing in Graphviz's DOT language."""
        return dot_text(self.diagram)

    @says_new_keywords
    def text(self, width: int | None = WIDTH) -> str:
        """Return the drawing as text for terminals; if the drawing is wider than `width`, return a list of links."""
        return terminal_text(self.diagram, width)

    @says_new_keywords
    def save(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002  as in matplotlib's savefig
        width: int | None = WIDTH,
    ) -> None:
        """Write the drawing to a file; if an error occurs, leave no incomplete file.

        Args:
            path: The file, or `-` for standard output.
            format: One of `FORMATS`; default: the format of the path's suffix.
            width: The number of columns, if the format is `text`.
        """
        target = path_text(path)
        format = format or format_of(target)  # noqa: A001
        if format not in FORMATS:
            raise UsageError(f"'{format}' is not a drawing format", advice=f"choose one of {', '.join(FORMATS)}")
        with atomic_output(target) as file:
            if format in {"png", "pdf"}:
                from latticemetric.drawing.image import write_image

                write_image(self.picture(), file, format)
            else:
                text = self.text(width) if format == "text" else self.dot() if format == "dot" else self.svg()
                file.write(text.encode("utf-8"))

    def __repr__(self) -> str:
        diagram = self.diagram
        return f"Drawing({diagram.kind}, {len(diagram.vertices)} vertices, {len(diagram.links)} links)"

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.text().removesuffix("\n")


def format_of(path: str) -> str:
    """Return the format of drawings for the suffix of a file name."""
    format_name = _SUFFIXES.get(Path(path).suffix.lower())
    if format_name is None:
        endings = ", ".join(_SUFFIXES)
        raise UsageError("the suffix is not a drawing format", where=path, advice=f"use one of {endings}")
    return format_name


@says_new_keywords
def draw(
    graph: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    ways: Mapping[str, Any] | None = None,
    captions: Mapping[str, str] | None = None,
    posteriors: Any = None,
    rates: Any = None,
    scores: Sequence[str] = (),
    times: bool = True,
    most_drawn: int | None = MOST_STATES,
    beam: float | None = None,
    weights: Weights | None = None,
    reference: Any = None,
    title: str | None = None,
) -> Drawing:
    """Draw a graph, a result such as a consensus network, or the automaton of a metric.

    Args:
        graph: A lattice, a forest, an n-best list, a `Consensus`, a `DerivationTree`; or a metric like `GRR(4)`, to
            draw its automaton for `reference`.
        path: The file to write, if any; its name ends in .svg, .png, .pdf, .dot or .txt.
        ways: The paths to highlight: a mapping from names to results, or to numbers of arcs or edges. The names
            `oracle`, `1-best` and `mbr` have fixed styles.
        captions: The legend's texts for the paths in `ways`. Default: the words and scores of the paths, if known.
        posteriors: `posteriors(graph)`, or the probability of each arc or edge, to write under the words.
        rates: The expected rate of the paths through each arc or edge (`Expected.through`), to write under the words
            and to show as bands of colour.
        scores: Names of score columns to write under the words, too.
        times: True to write times under the states of a lattice, if it has times.
        most_drawn: Largest number of states or nodes to draw, from the best paths; the limit for arcs is twice this
            number. Paths in `ways` are always drawn. `None`: draw all.
        beam: Largest difference of a path's cost from the best cost; more expensive paths are not drawn, except
            paths in `ways`.
        weights: Weight of each score column in the path cost.
        reference: The reference, to draw a metric.
        title: A description, for readers who cannot see the picture.

    Examples:
        >>> import latticemetric as lm
        >>> lattice = lm.Lattice.from_strings(["so it goes", "so goes it", "so it grows"], costs=[1.0, 2.0, 1.5])
        >>> best = lm.oracle(lattice, "so it grows", "wer")
        >>> print(draw(lattice, ways={"oracle": best, "1-best": best.one_best}))
                             so                      it     grows
        (0)══════════════════════════════════════(5)════(6)═══════((7))
          ├─ so * ─(1)─ it * ─(2)──────────── goes * ─────────────┤
          ╰───────── so ──────────(3)─ goes ─(4)─────── it ───────╯
        <BLANKLINE>
             reference   so it grows
        ═══  oracle      so it grows  0/3
         *   1-best      so it goes   1/3
    """
    if most_drawn is not None:
        whole_number(most_drawn, f"a picture of {most_drawn!r} states is not possible", "give a whole number from 1")
    options = {"posteriors": _probabilities(posteriors), "rates": rates, "scores": scores, "times": times}
    options |= {"most_drawn": most_drawn, "beam": beam, "weights": weights}
    paths = {name: tuple(getattr(way, "edges", ()) or getattr(way, "arcs", way)) for name, way in (ways or {}).items()}
    options["reference"] = reference
    diagram = _diagram(graph, paths, options, {} if title is None else {"title": title})
    captions = captions_of(ways or {}) if captions is None else captions
    drawing = Drawing(replace(diagram, captions=tuple(captions.items())))
    if path is not None:
        drawing.save(path)
    return drawing


def _probabilities(posteriors: Any) -> Any:
    """Return the probability of each arc or edge, given the argument `posteriors` of `draw`."""
    return getattr(posteriors, "edge", getattr(posteriors, "arc", posteriors))


def _used(options: dict[str, Any], names: Iterable[str], what: str) -> dict[str, Any]:
    """Return the options that pictures of a type of graph have; refuse the others."""
    refuse_unused(draw, f"on drawings of {what}", **{name: options[name] for name in options.keys() - names})
    return {name: options[name] for name in names}


# The arguments of `draw` that have an effect on pictures of forests, and of lattices.
_OF_FORESTS = ("posteriors", "rates", "scores", "most_drawn", "beam", "weights")
_OF_LATTICES = (*_OF_FORESTS, "times")


def _diagram(graph: Any, paths: HighlightedPaths, options: dict[str, Any], named: dict[str, Any]) -> Diagram:
    """Build the diagram of a graph of any type; `named` is `{"title": …}`, or empty."""
    from latticemetric.drawing.graphs import (
        Network,
        automaton_diagram,
        forest_diagram,
        lattice_diagram,
        network_diagram,
        tree_diagram,
    )
    from latticemetric.metrics.recognition import GRR
    from latticemetric.nbest import NBest

    if isinstance(graph, NBest):
        graph = graph.to_lattice(keep=options["scores"])
    if isinstance(graph, Lattice):
        return lattice_diagram(graph, paths, merged=True, **_used(options, _OF_LATTICES, "lattices"), **named)
    if isinstance(graph, Forest):
        return forest_diagram(graph, paths, **_used(options, _OF_FORESTS, "forests"), **named)
    if paths:
        raise UsageError("`ways` need a lattice or a forest", advice="leave `ways` out")
    if isinstance(graph, GRR):
        reference = _used(options, ["reference"], "metrics")["reference"]
        if reference is None:
            raise UsageError("a drawing of a metric needs a reference", advice="give reference=")
        return automaton_diagram(graph, reference, **named)
    if isinstance(graph, DerivationTree):
        return tree_diagram(graph, **_used(options, (), "trees"), **named)
    if isinstance(graph, Network):
        return network_diagram(graph.bins, **_used(options, ["most_drawn"], "networks"), **named)
    raise UsageError(
        f"an object of type {type(graph).__name__} cannot be drawn",
        advice="draw a lattice, a forest, an n-best list, a consensus network, a derivation tree or a metric",
    )


def svg(graph: Any, ways: Any = None, *, standalone: bool = False, **options: Any) -> str:
    """Return a graph as an SVG element; the same graph gives the same text.

    Args:
        graph: See `draw`.
        ways: See `draw`.
        standalone: See `Drawing.svg`.
        **options: Other arguments of `draw`.
    """
    return draw(graph, ways=ways, **options).svg(standalone=standalone)
