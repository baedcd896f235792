"""Draw lattices, forests, automata, networks and trees. This package does not search; pass the paths to highlight.

`latticemetric.drawing.api.svg(graph, ways={"oracle": arcs, "1-best": arcs, "mbr": arcs}, …)` returns the picture
of a graph as an SVG element.
"""
