"""List the best strings of lattices, and write lattices of all paths that score best.

    python best_strings.py LATTICES REFERENCES OUTPUT

References are lines that begin with the ids of the lattices. Use OUTPUT to train on all oracles
at once, or to restrict a second decoding pass to them. Its suffix chooses the format, for example `oracles.lat.txt`.
"""

import sys
from pathlib import Path

import latticemetric as lm

STRINGS = 3


def main(lattice_file: str, reference_file: str, output: str) -> None:
    """Print the best strings of each lattice, and the number of paths that score as well as the first."""
    lines = (line.partition(" ") for line in Path(reference_file).read_text(encoding="utf-8").splitlines())
    text = {name: words for name, _, words in lines}
    metric = lm.WER()
    graphs = {name: graph for name, graph in lm.read(lattice_file) if isinstance(graph, lm.Lattice)}
    kept = []
    for name, lattice in graphs.items():
        # Each string occurs once, with its cheapest path; strings of equal rate are sorted by cost.
        for rank, best in enumerate(lm.oracles(lattice, text[name], metric, n=STRINGS), start=1):
            print(f"{name} {rank} {best.score:.4f} {best.cost:.2f} {' '.join(best.words)}")
        # Exactly the paths of the best rate, whatever they cost, with their scores.
        as_good = lm.oracle_lattice(lattice, text[name], metric)
        print(f"{name} {as_good.statistics().paths} of {lattice.statistics().paths} paths are oracles")
        kept.append((name, as_good))
    lm.write(output, kept)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
