"""The verbs, as the program describes them before it imports them. Each verb is a module of this folder.

What a verb reads and writes, and whether it resumes, follows from its options: see `Verb` in `commands.py`.
"""

from __future__ import annotations


class About:
    """The description of a verb: its section of `--help`, its line there, and examples.

    Attributes:
        section: The title of the section.
        text: One line of help.
        examples: Arguments of runs that work in a folder with the bundled examples; one run for each verb of a group.
    """

    __slots__ = ("examples", "section", "text")

    def __init__(self, section: str, text: str, *examples: str) -> None:
        self.section, self.text, self.examples = section, text, examples


def _section(title: str, **verbs: tuple[str, ...]) -> dict[str, About]:
    return {name: About(title, *said) for name, said in verbs.items()}


VERBS: dict[str, About] = {
    **_section(
        "Graphs and references",
        oracle=(
            "find in each lattice the path that scores best against the reference",
            "meeting.lat.txt meeting.ref.txt",
        ),
        sweep=(
            "find oracles of pruned lattices, of n-best lists, and by reference length",
            "meeting.lat.txt meeting.ref.txt --beams 1,4",
        ),
        lists=(
            "find oracles of the first k hypotheses of n-best lists; score corrected texts",
            "kitchen.jsonl kitchen.ref.txt",
        ),
        expected=(
            "compute expected rates under the model, their distributions and gradients",
            "meeting.lat.txt meeting.ref.txt",
        ),
        calibrate=(
            "compare confidences with accuracy; fit the posterior scale",
            "kitchen.jsonl kitchen.ref.txt --resamples 20",
        ),
        tune=(
            "find the weights of scores with the best 1-bests, exactly; or parameters of MBR",
            "meeting.lat.txt meeting.ref.txt --vary acoustic=0.05:0.2",
        ),
        report=(
            "write one HTML page: oracles, 1-bests, MBR, alignments, drawings",
            "meeting.lat.txt meeting.ref.txt --output out.html",
        ),
    ),
    **_section(
        "Graphs without references",
        best=("print the model's 1-best: words, costs, times, confidences", "ferry.slf"),
        nbest=("list the n best strings or paths", "meeting.lat.txt"),
        mbr=("find the words with the best expected score (minimum Bayes risk)", "meeting.lat.txt"),
        consensus=("build confusion networks, with confidences and times of words", "meeting.lat.txt"),
        combine=("combine the outputs of several systems into one text", "coast.north.ctm coast.west.txt"),
        posteriors=("list probabilities of words, n-grams, arcs and edges", "meeting.lat.txt"),
    ),
    **_section(
        "Texts",
        score=("score texts against references by any metric", "letters.new.txt letters.ref.txt"),
        correlate=("correlate metrics with human scores", "harvest"),
        tags=("score OK and BAD tags of words (quality estimation)", "tide.gold.tags tide.tern.tags"),
        grammar=(
            "list, show, apply and build normalization grammars",
            "list",
            "show english",
            "apply english",
            "build",
        ),
    ),
    **_section(
        "Graphs",
        info=("show sizes of lattices, forests and n-best lists", "meeting.lat.txt"),
        draw=("draw lattices, forests, automata, networks, trees", "meeting.lat.txt --id meeting-001"),
        convert=("convert graphs into another format", "meeting.lat.txt out --to kaldi"),
        prune=(
            "keep the paths near the best one: by beam, density or n-best",
            "meeting.lat.txt out --to kaldi --beam 1",
        ),
        determinize=("make the smallest lattice with one path per string", "meeting.lat.txt out --to kaldi"),
        minimize=("merge states with the same continuations", "meeting.lat.txt out --to kaldi"),
    ),
    **_section(
        "Other",
        # The results of meeting.lat.txt and meeting.ref.txt in two shards.
        merge=("merge the results of shards", "meeting.1.json meeting.2.json"),
        demo=("show oracles of the bundled examples", ""),
        doctor=("check what is installed and what is missing", ""),
        completion=("print the completion script of bash, zsh or fish", "bash"),
    ),
}


def sections(verbs: dict[str, About]) -> dict[str, dict[str, str]]:
    """Return the help lines of verbs by section and name; sections are in the order of their first verb."""
    found: dict[str, dict[str, str]] = {}
    for name, about in verbs.items():
        found.setdefault(about.section, {})[name] = about.text
    return found
