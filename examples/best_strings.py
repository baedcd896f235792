"""The best strings of a lattice, and everything in it that scores as well as the best.

    python best_strings.py LATTICES REFERENCES OUTPUT

References are lines that begin with the ids of the lattices. OUTPUT is for what reads lattices: training on all oracles
at once, or a second pass of a decoder that is confined to them. Its name says the format, `oracles.lat.txt` for one.
"""

import sys
from pathlib import Path

import latticemetric as lm

STRINGS = 3


def main(lattice_file: str, reference_file: str, output: str) -> None:
    """Prints the best strings of each lattice, and how many paths are as good as the first of them."""
    lines = (line.partition(" ") for line in Path(reference_file).read_text(encoding="utf-8").splitlines())
    text = {name: words for name, _, words in lines}
    metric = lm.WER()
    graphs = {name: graph for name, graph in lm.read(lattice_file) if isinstance(graph, lm.Lattice)}
    kept = []
    for name, lattice in graphs.items():
        # Each string is there once, with its cheapest path; strings of one rate are sorted by cost.
        for rank, best in enumerate(lm.oracles(lattice, text[name], metric, n=STRINGS), start=1):
            print(f"{name} {rank} {best.score:.4f} {best.cost:.2f} {' '.join(best.words)}")
        # All paths of the best rate, whatever they cost, with their scores; no others.
        as_good = lm.oracle_lattice(lattice, text[name], metric)
        print(f"{name} {as_good.statistics().paths} of {lattice.statistics().paths} paths are oracles")
        kept.append((name, as_good))
    lm.write(output, kept)


if __name__ == "__main__":
    main(*sys.argv[1:])
