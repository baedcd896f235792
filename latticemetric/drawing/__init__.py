"""Draw lattices, forests, automata, networks and trees, with the paths that the caller wants highlighted.

`latticemetric.drawing.api.svg(graph, ways={"oracle": arcs, "1-best": arcs, "mbr": arcs}, …)` returns the picture
of a graph as an SVG element.
"""
