"""The verbs of the command line by section, with one line of help each. Each verb is a module of this folder."""

SECTIONS = {
    "Graphs and references": {
        "oracle": "find in each lattice the path that scores best against the reference",
        "sweep": "find oracles of pruned lattices, of n-best lists, and by reference length",
        "lists": "find oracles of the first k hypotheses of n-best lists; score corrected texts",
        "expected": "compute expected rates under the model, their distributions and gradients",
        "calibrate": "compare confidences with accuracy; fit the posterior scale",
        "report": "write one HTML page: oracles, 1-bests, MBR, alignments, drawings",
    },
    "Graphs without references": {
        "best": "print the model's 1-best: words, costs, times, confidences",
        "nbest": "list the n best strings or paths",
        "mbr": "find the words with the best expected score (minimum Bayes risk)",
        "consensus": "build confusion networks, with confidences and times of words",
        "combine": "combine the outputs of several systems into one text",
        "posteriors": "list probabilities of words, n-grams, arcs and edges",
    },
    "Texts": {
        "score": "score texts against references by any metric",
        "correlate": "correlate metrics with human scores",
        "tags": "score OK and BAD tags of words (quality estimation)",
        "grammar": "list, show, apply and build normalization grammars",
    },
    "Graphs": {
        "info": "show sizes of lattices, forests and n-best lists",
        "draw": "draw lattices, forests, automata, networks, trees",
        "convert": "convert graphs into another format",
        "prune": "keep the paths near the best one: by beam, density or n-best",
        "determinize": "make the smallest lattice with one path per string",
        "minimize": "merge states with the same continuations",
    },
    "Other": {
        "merge": "merge the results of shards",
        "demo": "show oracles of the bundled examples",
        "doctor": "check what is installed and what is missing",
        "completion": "print the completion script of bash, zsh or fish",
    },
}
VERBS = {name: text for verbs in SECTIONS.values() for name, text in verbs.items()}
