"""Find oracles against transcripts with alternatives, and count errors as sclite does.

    python alternative_references.py LATTICES TRANSCRIPT

TRANSCRIPT is a file in NIST's formats trn, STM or CTM, whose ids are those of the lattices. Alternations
`{ um / uh / @ }` and optional words `(all)` make each reference a graph; each of its paths is right.
"""

import sys

import latticemetric as lm


def main(lattice_file: str, transcript: str) -> None:
    """Print each oracle with its closest reading, then the rates of the model's own 1-bests."""
    references = {name: graph for name, graph in lm.read(transcript) if isinstance(graph, lm.Lattice)}
    said = {}
    for name, lattice in lm.read(lattice_file):
        # Readings are never listed: the search runs through the graph, however many there are.
        best = lm.oracle(lattice, references[name], "wer")
        print(f"{name} {best.score:.4f} {' '.join(best.words)}")
        print(f"  of {references[name].statistics().paths} readings: {' '.join(best.reference)}")
        said[name] = best.one_best.words
    # WER counts the fewest possible errors. sclite counts those of the cheapest alignment, at 4 for a substitution and
    # 3 for a deletion or an insertion.
    for metric in (lm.WER(), lm.Sclite()):
        corpus = metric.corpus(list(said.values()), [references[name] for name in said])
        print(f"{metric.name} {corpus.score:.4f} {corpus.numerator}/{corpus.denominator}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
