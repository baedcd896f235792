"""Draw lattices, forests, automata, networks and trees; pass the paths to highlight, since nothing is searched here.

`latticemetric.drawing.api.svg(graph, ways={"oracle": arcs, "1-best": arcs, "mbr": arcs}, …)` returns the picture
of a graph as an SVG element.
"""
