"""Draw whatever can be drawn: `draw` is the entry to all diagrams, layouts and backends."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from latticemetric.drawing.diagram import TREE, Diagram, Ways
from latticemetric.drawing.dot import dot_text
from latticemetric.drawing.legend import captions_of
from latticemetric.drawing.picture import Picture
from latticemetric.drawing.selection import MOST_STATES
from latticemetric.drawing.svg import svg_text
from latticemetric.drawing.terminal import WIDTH, terminal_text
from latticemetric.errors import UsageError
from latticemetric.forest.forest import Forest
from latticemetric.forest.trees import DerivationTree
from latticemetric.formats.writing import atomic_output
from latticemetric.lattice.lattice import Lattice, Scales

# ---- Whatever can be drawn, drawn: the one door to all diagrams, layouts and ways of writing ----

FORMATS = ("svg", "png", "pdf", "dot", "text")
"""What drawings are written as; file names end in these, or in `.gv` or `.txt`."""

_SUFFIXES = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".dot": "dot", ".gv": "dot", ".txt": "text"}


@dataclass(frozen=True)
class Drawing:
    """A drawing, to be shown or written; `draw` makes it.

    Notebooks show it by themselves, `print` prints it as text.

    Attributes:
        diagram: What is drawn.
    """

    diagram: Diagram

    def picture(self) -> Picture:
        """All shapes, lines and texts with their places."""
        if self.diagram.kind == TREE:
            from latticemetric.drawing.layout import tree_layout

            return tree_layout(self.diagram)
        from latticemetric.drawing.layout import layered

        return layered(self.diagram)

    def svg(self, *, standalone: bool = True) -> str:
        """As an SVG element.

        Args:
            standalone: Whether its ink is dark on light ground and light on dark, as a file's should be; if not, it has
                the colour of the text around it.
        """
        return svg_text(self.picture(), standalone=standalone)

    def dot(self) -> str:
        """In the language of Graphviz."""
        return dot_text(self.diagram)

    def text(self, width: int | None = WIDTH) -> str:
        """In letters, for terminals; a list where the picture is wider than so many columns."""
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
        chosen = format or format_of(target)
        if chosen not in FORMATS:
            raise UsageError(f"'{chosen}' is no format of drawings", advice=f"choose among {', '.join(FORMATS)}")
        with atomic_output(target) as file:
            if chosen in {"png", "pdf"}:
                from latticemetric.drawing.image import write_image

                write_image(self.picture(), file, chosen)
            else:
                file.write(self._written(chosen, width).encode("utf-8"))

    def _written(self, chosen: str, width: int | None) -> str:
        return self.text(width) if chosen == "text" else self.dot() if chosen == "dot" else self.svg()

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.text().removesuffix("\n")


def format_of(path: str) -> str:
    """Return the format that a file's name asks for."""
    chosen = _SUFFIXES.get(Path(path).suffix.lower())
    if chosen is None:
        endings = ", ".join(_SUFFIXES)
        raise UsageError("the name says no format of drawings", where=path, advice=f"end it in {endings}")
    return chosen


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
    """Draw a graph, or something else that has a picture.

    Args:
        graph: A lattice, a forest, an n-best list, a `Consensus`, a `DerivationTree`; or a metric like `GRR(4)`, whose
            automaton for a reference is drawn.
        path: A file to write, if any: its name ends in .svg, .png, .pdf, .dot or .txt.
        ways: Names of highlighted paths or derivations, and their arcs or edges; or what was found, like
            `{"oracle": best, "1-best": best.one_best}`. `oracle`, `1-best` and `mbr` have looks of their own.
        captions: What the legend says of ways; their words and scores where it is not given, as far as they are known.
        posteriors: `posteriors(graph)`, or the probability of each arc or edge: written under its word.
        scores: Names of score columns whose costs are written there too.
        times: Whether times are written under states, where a lattice has them.
        most_states: How many states or nodes are drawn at most, and twice as many arcs, besides those of `ways`:
            those of the best paths. `None` for all. The picture says what is left out.
        beam: Draw no paths that cost more than so much more than the best one, besides `ways`.
        scales: Weight of each score column in the cost that says which paths are best.
        reference: The reference, if a metric is drawn.
        title: What the picture shows, for those who cannot see it.

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
    asked = {"posteriors": posteriors, "scores": scores, "most_states": most_states, "beam": beam, "scales": scales}
    found = {name: tuple(getattr(way, "edges", ()) or getattr(way, "arcs", way)) for name, way in (ways or {}).items()}
    named = {} if title is None else {"title": title}
    diagram = _diagram(graph, found, reference, {"times": times, **asked}, named)
    said = captions_of(ways or {}) if captions is None else captions
    drawing = Drawing(replace(diagram, captions=tuple(said.items())))
    if path is not None:
        drawing.save(path)
    return drawing


def _diagram(graph: Any, ways: Ways, reference: Any, asked: dict[str, Any], named: dict[str, Any]) -> Diagram:
    """Return the diagram of whatever it is."""
    from latticemetric.metrics.recognition import GRR
    from latticemetric.nbest import NBest

    if isinstance(graph, NBest):
        graph = graph.to_lattice(keep=asked["scores"])
    if isinstance(graph, Lattice):
        from latticemetric.drawing.graphs import lattice_diagram

        return lattice_diagram(graph, ways, **asked, **named)
    if isinstance(graph, Forest):
        from latticemetric.drawing.graphs import forest_diagram

        return forest_diagram(graph, ways, **{key: asked[key] for key in asked if key != "times"}, **named)
    if ways:
        raise UsageError("ways are highlighted in lattices and forests only", advice="leave them out")
    if isinstance(graph, GRR):
        from latticemetric.drawing.automaton import automaton_diagram

        if reference is None:
            raise UsageError("a metric is drawn for a reference, and there is none", advice="give one")
        return automaton_diagram(graph, reference, **named)
    if isinstance(graph, DerivationTree):
        from latticemetric.drawing.graphs import tree_diagram

        return tree_diagram(graph, **named)
    if hasattr(graph, "bins"):
        from latticemetric.drawing.graphs import network_diagram

        return network_diagram(graph.bins, most_states=asked["most_states"], **named)
    raise UsageError(
        f"{type(graph).__name__} has no picture",
        advice="draw a lattice, a forest, an n-best list, a consensus network, a derivation tree or a metric",
    )


# ---- Pictures of graphs as elements of pages ----


def svg(graph: Any, ways: Any = None, *, standalone: bool = False, **asked: Any) -> str:
    """Return a graph as the text of an SVG element, which is the same for the same graph.

    Args:
        graph: What `draw` takes.
        ways: Names of highlighted ways and their arcs, like `{"oracle": best.arcs, "1-best": best.one_best.arcs}`.
            `oracle`, `1-best` and `mbr` have looks of their own.
        standalone: Whether it is to be a file: then ink is dark on light ground, and light on dark. Otherwise it has
            the colour of the page's text.
        **asked: What else `draw` takes: `posteriors`, `scores`, `times`, `most_states`, `scales`, `captions`, `title`.
    """
    return draw(graph, ways=ways, **asked).svg(standalone=standalone)
