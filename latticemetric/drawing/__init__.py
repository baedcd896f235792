"""Graphs as pictures: lattices, forests, automata, networks, trees. Nothing is searched here: callers bring the paths.

`latticemetric.drawing.api.svg(graph, ways={"oracle": arcs, "1-best": arcs, "mbr": arcs}, …)` is the picture of a
graph as the text of an SVG element.
"""
