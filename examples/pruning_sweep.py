"""Find the narrowest beam that keeps the oracles of a test set.

    python pruning_sweep.py LATTICES REFERENCES MOST

References are lines that begin with the ids of the lattices. MOST is the number of lattices that may lose their oracle.
"""

import sys

import latticemetric as lm

BEAMS = (0, 0.25, 0.5, 1, 2, 4, 8, 16)
LISTS = (1, 10, 100)


def main(lattice_file: str, reference_file: str, most: str) -> None:
    """Print the oracle at each beam and for each length of n-best lists, then the narrowest beam that suffices."""
    # All points come from one search of each lattice, and are exact.
    rows = lm.Corpus.read(lattice_file, reference_file).sweep("wer", beams=BEAMS, nbest_sizes=LISTS).to_records()
    for row in rows:
        point = row["kind"] if row["at"] is None else f"{row['kind']} {row['at']:g}"
        density = "" if row["density"] is None else f" density {row['density']:.2f}"
        print(f"{point} wer {row['score']:.4f} lost {row['lost']}{density}")
    # The whole graph is the last row, and loses nothing.
    enough = next(row for row in rows if row["kind"] in ("beam", "whole") and row["lost"] <= int(most))
    print("no beam of these is wide enough" if enough["at"] is None else f"a beam of {enough['at']:g} is enough")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
