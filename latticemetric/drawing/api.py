"""Drawings of graphs: `draw` makes them, `Drawing` shows and writes them in every format."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from latticemetric.drawing.diagram import TREE, Diagram, Paths
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
from latticemetric.lattice.lattice import Lattice, Scales

FORMATS = ("svg", "png", "pdf", "dot", "text")
"""Formats of drawings; file names end in these, or in `.gv` or `.txt`."""

_SUFFIXES = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".dot": "dot", ".gv": "dot", ".txt": "text"}


@dataclass(frozen=True)
class Drawing:
    """A drawing of a diagram, to be shown or written; `draw` makes it.

    Notebooks show it by themselves, `print` prints it as text.
    """

    diagram: Diagram

    def picture(self) -> Picture:
        """Lay the diagram out: all shapes, lines and texts with their places."""
        from latticemetric.drawing.layout import layered_layout, tree_layout

        return (tree_layout if self.diagram.kind == TREE else layered_layout)(self.diagram)

    def svg(self, *, standalone: bool = True) -> str:
        """Return the drawing as an SVG element.

        Args:
            standalone: Make ink dark on light ground and light on dark, as a file needs it; else ink has the colour of
                the text around the element.
        """
        return svg_text(self.picture(), standalone=standalone)

    def dot(self) -> str:
        """Return the drawing in the language of Graphviz."""
        return dot_text(self.diagram)

    def text(self, width: int | None = WIDTH) -> str:
        """Return the drawing as text for terminals; a list if it is wider than so many columns."""
        return terminal_text(self.diagram, width)

    def save(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002  as in matplotlib's savefig
        width: int | None = WIDTH,
    ) -> None:
        """Write a file, whole or not at all.

        Args:
            path: The file, or `-` for standard output.
            format: One of `FORMATS`; taken from the path's suffix where it is not given.
            width: Columns of text.
        """
        target = os.fspath(path)
        format = format or format_of(target)  # noqa: A001
        if format not in FORMATS:
            raise UsageError(f"'{format}' is no format of drawings", advice=f"choose among {', '.join(FORMATS)}")
        with atomic_output(target) as file:
            if format in {"png", "pdf"}:
                from latticemetric.drawing.image import write_image

                write_image(self.picture(), file, format)
            else:
                text = self.text(width) if format == "text" else self.dot() if format == "dot" else self.svg()
                file.write(text.encode("utf-8"))

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.text().removesuffix("\n")


def format_of(path: str) -> str:
    """Return the format of a file by the suffix of its name."""
    format_name = _SUFFIXES.get(Path(path).suffix.lower())
    if format_name is None:
        endings = ", ".join(_SUFFIXES)
        raise UsageError("the name says no format of drawings", where=path, advice=f"end it in {endings}")
    return format_name


def draw(
    graph: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    ways: Mapping[str, Any] | None = None,
    captions: Mapping[str, str] | None = None,
    posteriors: Any = None,
    scores: Sequence[str] = (),
    times: bool = True,
    most_states: int | None = MOST_STATES,
    beam: float | None = None,
    scales: Scales | None = None,
    reference: Any = None,
    title: str | None = None,
) -> Drawing:
    """Draw a graph, or something made of one.

    Args:
        graph: A lattice, a forest, an n-best list, a `Consensus`, a `DerivationTree`; or a metric like `GRR(4)`, whose
            automaton for a reference is drawn.
        path: A file to write, if any: its name ends in .svg, .png, .pdf, .dot or .txt.
        ways: Names of highlighted paths or derivations, and their arcs or edges; or results, like
            `{"oracle": best, "1-best": best.one_best}`. `oracle`, `1-best` and `mbr` have styles of their own.
        captions: The legend's texts for these paths. Default: their words and scores, as far as they are known.
        posteriors: `posteriors(graph)`, or the probability of each arc or edge: written under its word.
        scores: Names of score columns whose costs are written there too.
        times: Write times under states, where a lattice has them.
        most_states: The largest number of states or nodes, and half that of arcs, besides those of `ways`: those of
            the best paths are drawn. `None` for all. The picture says how much is left out.
        beam: Draw no paths whose cost is more than this above that of the best one, besides `ways`.
        scales: Weight of each score column in the cost that says which paths are best.
        reference: The reference, if a metric is drawn.
        title: A description, for those who cannot see the picture.

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
    for name in ("edge", "arc"):
        posteriors = getattr(posteriors, name, posteriors)
    options = {"posteriors": posteriors, "scores": scores, "times": times}
    options |= {"most_states": most_states, "beam": beam, "scales": scales}
    paths = {name: tuple(getattr(way, "edges", ()) or getattr(way, "arcs", way)) for name, way in (ways or {}).items()}
    diagram = _diagram(graph, paths, reference, options, {} if title is None else {"title": title})
    captions = captions_of(ways or {}) if captions is None else captions
    drawing = Drawing(replace(diagram, captions=tuple(captions.items())))
    if path is not None:
        drawing.save(path)
    return drawing


def _diagram(graph: Any, paths: Paths, reference: Any, options: dict[str, Any], named: dict[str, Any]) -> Diagram:
    """Make the diagram of a graph by its type."""
    from latticemetric.drawing.graphs import forest_diagram, lattice_diagram, network_diagram, tree_diagram
    from latticemetric.metrics.recognition import GRR
    from latticemetric.nbest import NBest

    if isinstance(graph, NBest):
        graph = graph.to_lattice(keep=options["scores"])
    if isinstance(graph, Lattice):
        return lattice_diagram(graph, paths, **options, **named)
    if isinstance(graph, Forest):
        del options["times"]  # forests have none
        return forest_diagram(graph, paths, **options, **named)
    if paths:
        raise UsageError("ways are highlighted in lattices and forests only", advice="leave them out")
    if isinstance(graph, GRR):
        from latticemetric.drawing.automaton import automaton_diagram

        if reference is None:
            raise UsageError("a metric is drawn for a reference, and there is none", advice="give one")
        return automaton_diagram(graph, reference, **named)
    if isinstance(graph, DerivationTree):
        return tree_diagram(graph, **named)
    if hasattr(graph, "bins"):
        return network_diagram(graph.bins, most_states=options["most_states"], **named)
    raise UsageError(
        f"{type(graph).__name__} has no picture",
        advice="draw a lattice, a forest, an n-best list, a consensus network, a derivation tree or a metric",
    )


def svg(graph: Any, ways: Any = None, *, standalone: bool = False, **options: Any) -> str:
    """Return a graph as the text of an SVG element, which is the same for the same graph.

    Args:
        graph: What `draw` takes.
        ways: Likewise.
        standalone: See `Drawing.svg`.
        **options: Other arguments of `draw`.
    """
    return draw(graph, ways=ways, **options).svg(standalone=standalone)
