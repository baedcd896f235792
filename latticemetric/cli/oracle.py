"""`lattice-oracle`: in each lattice, find the path that scores best against the reference."""

from __future__ import annotations

from typing import Any

import click

from latticemetric.cli.commands import flag, option, verb, version_option
from latticemetric.cli.files import GraphFiles, MetricName, ReferenceFiles
from latticemetric.cli.options import (
    GraphFormatOptions,
    PairedReadingOptions,
    RateOptions,
    RateOutputOptions,
    SettingsOptions,
    ShardedRunOptions,
    cased_words,
    given,
    lattices_option,
)
from latticemetric.errors import UsageError
from latticemetric.oracle_search.settings import (
    KINDS,
    ByAutomaton,
    ByRate,
    SearchSettings,
    kind_of,
    names_automaton,
    refuse_other,
)

_EPILOG = """\b
Examples:
  lattice-oracle lats.ark.gz text --metric wer --symbols words.txt
  lattice-oracle lattices/ refs.txt --metric 4-grr --ignore "<s> </s>" --format jsonl
  lattice-oracle dev.plf dev.en.0 dev.en.1      (two references per lattice)
  zcat lats.gz | lattice-oracle - refs.txt
  lattice-oracle lats.ark.gz text --hope 1,10 --fear 1,10 --worst --format json
"""

# Parameters of further settings, inputs and outputs that only some kinds support; see `SearchSettings.takes`.
_TAKEN = {
    "alignments": ["tags", "alignment"],
    "each": ["cluster", "shard", "resume", "timeout", "max_memory"],
    "graphs": ["write_lattices", *GraphFormatOptions.declared],
    "ignore": ["ignore"],
    "parameters": ["parameters"],
    "rewriting": ["normalize"],
}


class _SearchOptions(RateOptions, SettingsOptions, kinds=KINDS):
    """Options of all kinds of search: of metrics, of settings, and of what is shown."""

    metric: str = option(
        "--metric -m NAME",
        "Metric, or several, separated by commas: wer, wrr, N-grr (any N), cer, N-gcr, mixed-er. Or one: compound-wer; "
        "bleu and bleu-sbp, over all graphs together; and your own automaton, FILE.fst.",
        type=MetricName(),
        default="wer,4-grr",
    )
    alignment: bool = flag("--alignment", "Show the alignment of words in text output; json always has it.")
    tags: bool = flag("--tags", "Tag words as OK or BAD. With --format text, print only the tags of the 1-best.")

    def searches(self, output_format: str, *, graphs: bool) -> list[SearchSettings]:
        """Return the settings of the search by each metric.

        Refuse the options of other kinds of search, and what the output cannot show.
        """
        if names_automaton(self.metric):
            self._refuse_others(ByAutomaton)
            return [self.settings(ByAutomaton, automaton=self.metric)]
        names = self.names()
        kinds = [kind_of(name)[0] for name in names]
        for kind in dict.fromkeys(kinds):
            self._refuse_others(kind)
            if len(names) > 1 and "several" not in kind.takes:
                what = f"a search by {kind.described} takes no other metric beside it"
                raise UsageError(what, where="--metric", advice="name it alone")
        self._refuse_contradictions(output_format, several=len(names) > 1)
        searches = [self._search(kind, name, graphs=graphs) for kind, name in zip(kinds, names, strict=True)]
        self.metrics(names)  # refuses a metric that is named twice
        return searches

    def _search(self, kind: type[SearchSettings], name: str, *, graphs: bool) -> SearchSettings:
        values: dict[str, Any] = {}
        also: str | None = self.given(["also_score"]).get("also_score")
        if kind is ByRate:
            values = {"graphs": graphs, "also_score": () if also is None else self.metrics([also])}
        if "ignore" in kind.fields:
            values["ignore"] = cased_words(self.ignore)
        if "metric" in kind.fields:
            # Rates ignore words themselves.
            (values["metric"],) = self.metrics([name], among=also, ignoring="ignore" not in kind.fields)
        return self.settings(kind, **values)

    def _refuse_others(self, kind: type[SearchSettings]) -> None:
        for what, names in {**_TAKEN, **{name: [name] for name in self.fields}}.items():
            for spelling in given(names):
                refuse_other(kind, what, spelling)
        self.refuse_others(kind, f"with {kind.described}")

    def _refuse_contradictions(self, output_format: str, *, several: bool) -> None:
        """Refuse options that the output format cannot show, or cannot show by several metrics."""
        if self.tags and output_format == "text" and given(["alignment", "nbest", "posteriors"]):
            advice = "choose --format json, which has everything"
            what = "text output with --tags cannot show --alignment, --nbest or --posteriors"
            raise UsageError(what, advice=advice)
        if self.alignment and output_format == "tsv":
            raise UsageError(
                "--alignment has no effect with --format tsv", advice="choose --format json, which always has it"
            )
        if several:
            for name in given(["write_lattices", *(["tags"] if output_format == "text" else [])]):
                raise UsageError(f"{name} writes the results by one metric", advice="name one: --metric wer")


_SECTIONS = _SearchOptions.sections(
    {"Metric": "", "Also find": "", "Also show": "--also-score --alignment --tags", "Search": ""}
)


class WrittenLatticesOptions(GraphFormatOptions):
    """Options for writing graphs: for each lattice, the graph of all its best paths."""

    write_lattices: str | None = lattices_option("the graphs of all best paths", "to_format")

    def check(self) -> None:
        """Check before the search that the graphs can be written."""
        from latticemetric.formats.registry import find_format, format_for_writing

        self.check_beside(self.write_lattices, "lattices")
        if self.write_lattices is not None:
            target = find_format(self.to_format) if self.to_format else format_for_writing(self.write_lattices)
            if not target.can_be_written:
                raise UsageError(
                    f"{target.name} can be read, but not written", where="--to", advice="choose another format"
                )


@verb("oracle", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lattices", type=GraphFiles(), nargs=1)
@click.argument("references", type=ReferenceFiles(), nargs=-1, metavar="REFERENCES...")
@version_option("lattice-oracle")
def command(
    lattices: str,
    references: tuple[str, ...],
    *,
    search: _SearchOptions,
    written: WrittenLatticesOptions,
    reading: PairedReadingOptions,
    run: ShardedRunOptions,
    output: RateOutputOptions,
) -> None:
    """Find in each lattice the path whose words score best against the reference.

    LATTICES is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES have one
    line per lattice, in the order of LATTICES or beginning with the lattice's id. If lattices have several references,
    give several files. Without REFERENCES, the references come from the records of LATTICES (JSON, tables): see
    --reference-field.

    If several paths score best, take one with the least model cost; if costs are equal, too, one with the fewest words.
    Under --keep-going, the reference words of graphs that fail count as deletions. Exit status: 0; 1 if some graphs
    failed under --keep-going; 2 after other errors.
    """
    from latticemetric.cli.run import show
    from latticemetric.corpus.oracle_question import oracles_by

    corpus = reading.corpus([lattices], references)
    searches = search.searches(output.output_format, graphs=written.write_lattices is not None)
    written.check()
    question = oracles_by(
        searches,
        tags=search.tags,
        alignment=search.alignment,
        sentence_scores=output.output_format != "text",
        written=written.written(reading.weights),
        removing=False,
    )
    show(
        question,
        corpus,
        run,
        output,
        lattices=written.write_lattices,
        to_format=written.to_format,
        if_none=False,
        at_once=output.output_format != "json",
    )
