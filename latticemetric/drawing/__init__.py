"""Draw lattices, forests, automata, confusion networks and derivation trees, with highlighted paths.

`latticemetric.drawing.api.svg(graph, ways={"oracle": arcs, "1-best": arcs, "mbr": arcs}, …)` returns a graph as an SVG
element.
"""
