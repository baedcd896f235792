"""The verbs of the command line by section, with one line of help each. Each verb is a module of this folder."""

SECTIONS = {
    "Graphs and references": {
        "oracle": "the best path of each lattice against its reference",
        "sweep": "oracles of pruned lattices and n-best lists, and by reference length",
        "lists": "n-best lists: oracles of the first k, scores of corrected texts",
        "expected": "expected rates under the model, their distributions and gradients",
        "calibrate": "compare confidences with accuracy; fit the posterior scale",
        "report": "one HTML page of a run: oracles, 1-bests, MBR, alignments, drawings",
    },
    "Graphs without references": {
        "best": "the model's 1-best: words, costs, times, confidences",
        "nbest": "the n best strings or paths",
        "mbr": "the words with the best expected score (minimum Bayes risk)",
        "consensus": "confusion networks, confidences, word times",
        "combine": "one text from the outputs of several systems",
        "posteriors": "probabilities of words, n-grams, arcs and edges",
    },
    "Texts": {
        "score": "score texts against references by any metric",
        "correlate": "correlate metrics with human scores",
        "tags": "word-level quality estimation: OK or BAD",
        "grammar": "normalization grammars: list, show, apply, build",
    },
    "Graphs": {
        "info": "sizes of lattices, forests and n-best lists",
        "draw": "draw lattices, forests, automata, networks, trees",
        "convert": "convert graphs into another format",
        "prune": "keep the paths near the best one: by beam, density or n-best",
        "determinize": "the smallest lattice with one path per string",
        "minimize": "merge states with the same future",
    },
    "Other": {
        "merge": "merge the results of shards",
        "demo": "oracles of the bundled examples",
        "doctor": "check what is installed and what is missing",
        "completion": "print the completion script of bash, zsh or fish",
    },
}
VERBS = {name: text for verbs in SECTIONS.values() for name, text in verbs.items()}
