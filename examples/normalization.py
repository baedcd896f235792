"""Count errors that are only spelling: rates before and after a grammar rewrites both sides.

    python normalization.py LATTICES REFERENCES [GRAMMAR]

References are lines that begin with the ids of the lattices. GRAMMAR is a shipped one (`english`, unless another is
named) or a rule of an archive that pynini wrote, `rules.far:RULE`.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

import latticemetric as lm


def rates(pairs: Iterable[tuple[lm.Lattice, str | lm.Lattice]]) -> tuple[float | None, float | None]:
    """Return the corpus WER of the oracles, and of the model's own best paths."""
    metric = lm.WER()
    found = [lm.oracle(lattice, reference, metric) for lattice, reference in pairs]
    sums = sum((best.statistics for best in found[1:]), found[0].statistics)
    one_best = sum((best.one_best.statistics for best in found[1:]), found[0].one_best.statistics)
    return metric.value(sums), metric.value(one_best)


def main(lattice_file: str, reference_file: str, grammar: str = "english") -> None:
    """Print the rates and the rewritten references."""
    lines = (line.partition(" ") for line in Path(reference_file).read_text(encoding="utf-8").splitlines())
    text = {name: words for name, _, words in lines}
    graphs = {name: graph for name, graph in lm.read(lattice_file) if isinstance(graph, lm.Lattice)}
    # A lattice is composed with the grammar, so every text in it is rewritten, at the same cost. A reference becomes a
    # graph of all its allowed forms: a year, for example, has several readings.
    lattices = {name: lm.normalize(lattice, grammar) for name, lattice in graphs.items()}
    references = {name: lm.normalize_reference(text[name], grammar) for name in graphs}
    for name, reference in references.items():
        for path in reference.paths():
            print(f"{name}: {' '.join(path.words)}")
    for label, said, meant in (("as written", graphs, text), (grammar, lattices, references)):
        oracle, one_best = rates((said[name], meant[name]) for name in graphs)
        print(f"{label}: oracle {oracle:.4f}, 1-best {one_best:.4f}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
