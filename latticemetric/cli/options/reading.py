"""Options that read graphs and references."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from latticemetric.cached import cached_property
from latticemetric.cli.commands import Options, choice, flag, option
from latticemetric.cli.files import ScoreWeights, TableFiles
from latticemetric.cli.options.preparation import IGNORE, NORMALIZE, PreparationOptions
from latticemetric.cli.options.values import grammar_named, refuse, word_list
from latticemetric.errors import InputError, placed

if TYPE_CHECKING:
    from latticemetric.corpus.corpus import Corpus
    from latticemetric.corpus.pairing import Style
    from latticemetric.corpus.shards import ShardRun
    from latticemetric.corpus.sources import PairedGraphs
    from latticemetric.formats.references import ReferenceFile
    from latticemetric.formats.registry import Block, Entry
    from latticemetric.lattice.columns import FeatureWeights
    from latticemetric.vocabulary import Vocabulary


def _weighted(entries: Iterator[Entry], weights: FeatureWeights) -> Iterator[Entry]:
    from latticemetric.corpus.feature_weights import weighted_entries

    return weighted_entries(entries, weights)


def _report_unused(weights: FeatureWeights, context: click.Context) -> None:
    """Raise `InputError` if a weight names no score column of any graph.

    If other graphs of the run may have it (in other shards, in a journal or on a cluster), and for files with names
    that graphs have, only say it.
    """
    from latticemetric.corpus.feature_weights import unused_weights

    note = unused_weights(weights)
    if note is None or sys.exc_info()[0] is not None:  # another error ends the run
        return
    from latticemetric.cli.results import say

    if not note.fatal or any(context.params.get(name) for name in ("shard", "resume", "cluster")):
        say(f"--weights: {note.what}")
    else:
        raise InputError(note.what, where="--weights", advice="latticemetric info lists the columns of each graph")


UTT2SPK = option(
    "--utt2spk FILE",
    "Speakers of segments or files: lines of id and speaker, as in Kaldi's utt2spk.",
    type=TableFiles(),
)
STYLE = choice(
    "--style",
    ["auto", "plain", "keyed"],
    "keyed: reference lines begin with ids; plain: they do not; auto: detect.",
)
LINE_STYLE = choice(
    "--style",
    ["auto", "plain", "keyed"],
    "keyed: lines begin with ids (Kaldi's text), in any order; plain: they do not; auto: compare all files.",
)


class ReadingOptions(Options):
    """Options for reading graphs."""

    symbols: str | None = option(
        "--symbols FILE",
        "Symbol table (words.txt) to turn word numbers of graphs and references into words.",
        type=TableFiles(),
    )
    from_format: str | None = option("--from FORMAT", "Format of the graphs (default: detected from content).")
    keep_marks: bool = flag(
        "--keep-marks", "Read the sentence marks of a format, such as <s> and !SENT_START in HTK lattices, as words."
    )

    @cached_property
    def vocabulary(self) -> Vocabulary | None:
        """The symbol table, read once; `None` if there is none."""
        from latticemetric.formats.reading import as_vocabulary

        return as_vocabulary(self.symbols)

    def entries(self, graphs: Sequence[str]) -> Iterator[Entry]:
        """Read graphs from files."""
        from latticemetric.formats.reading import entries

        return entries(graphs, self.from_format, self.vocabulary, keep_marks=self.keep_marks)

    def blocks(self, graphs: str) -> Iterator[Block] | None:
        """Split a file into blocks that other processes can parse; `None` for folders and formats without blocks."""
        from latticemetric.formats.reading import blocks

        return blocks(graphs, self.from_format)

    def evidence(self, graphs: Sequence[str]) -> Iterator[Entry] | None:
        """Read the graphs of `--evidence`, which give the posteriors; return `None` without files."""
        from latticemetric.formats.reading import entries

        return entries(graphs, None, self.vocabulary, keep_marks=self.keep_marks) if graphs else None

    def references(self, files: Sequence[str]) -> list[ReferenceFile]:
        """Read files of references."""
        from latticemetric.formats.references import read_references

        return [read_references(file, self.vocabulary) for file in files]


class ScoredReadingOptions(ReadingOptions):
    """Options for reading graphs and weighting their scores."""

    weights_given: tuple[str, ...] = option(
        "--weights NAME=NUMBER,…",
        "Weights of score columns in the model's cost (default: as the file says, mostly 1); repeatable. Or a FILE of "
        "weights of cdec, Moses or HiFST, of lines NAME=NUMBER, or JSON; columns that it lacks count 0.",
        multiple=True,
        type=ScoreWeights(),
    )

    @cached_property
    def weights(self) -> FeatureWeights:
        """The weights of score columns, by name; when the command ends, say which names no graph had."""
        from latticemetric.corpus.feature_weights import as_feature_weights

        with placed("--weights"):
            weights = as_feature_weights(self.weights_given)
        if weights:
            context = click.get_current_context()
            context.call_on_close(functools.partial(_report_unused, weights, context))
        return weights

    def entries(self, graphs: Sequence[str], *, weighted: bool = True) -> Iterator[Entry]:
        """Read graphs from files; check the weights of their scores when they are parsed, unless no cost is needed."""
        read = super().entries(graphs)
        return _weighted(read, self.weights) if weighted else read


class WordReadingOptions(ScoredReadingOptions):
    """Options for reading graphs, weighting their scores and removing words."""

    ignore: str | None = IGNORE

    def entries(self, graphs: Sequence[str], *, weighted: bool = True) -> Iterator[Entry]:
        """Read graphs from files; remove the words of `--ignore` from each graph when it is parsed."""
        read = super().entries(graphs, weighted=weighted)
        if not (words := word_list(self.ignore)):
            return read
        from latticemetric.corpus.preparation import prepared_entries
        from latticemetric.metrics.preparation import Preparation

        return prepared_entries(read, Preparation(ignore=words))


class PairedReadingOptions(ScoredReadingOptions, PreparationOptions):
    """Options for reading, preparing and normalizing lattices and their references."""

    normalize: str | None = NORMALIZE
    style: Style = STYLE
    reference_field: str | None = option(
        "--reference-field NAME",
        "Without REFERENCES: the field of each graph's record that holds its references (default: detected).",
    )

    def paired(
        self,
        lattices: str,
        references: Sequence[str],
        shard: ShardRun | None = None,
        *,
        required: bool = True,
        rewrite: bool = True,
    ) -> PairedGraphs:
        """Pair each lattice with its references: from files, or from a field of its own record.

        With a shard, return only the lattices of that shard. If references are not `required`, lattices may have none.
        Without `rewrite`, do not apply `--normalize`.
        """
        from latticemetric.corpus.run import Run

        corpus = self.corpus([lattices], references)
        paired = corpus.pairs(Run(shard=shard, watched=True), required=required, rewriting=rewrite)
        if paired is None:
            raise click.MissingParameter(param_hint="'REFERENCES...'", param_type="argument")
        return paired

    def corpus(self, lattices: Sequence[str], references: Sequence[str]) -> Corpus:
        """Return the corpus of files of lattices and references."""
        from latticemetric.corpus.corpus import Corpus
        from latticemetric.corpus.settings import ReadingSettings

        if references:
            refuse(["reference_field"], "with files of references", advice="give one of them")
        else:
            refuse(["style"], "without files of references")
        reading = ReadingSettings(
            symbols=self.vocabulary,
            format=self.from_format,
            keep_marks=self.keep_marks,
            weights=self.weights,
            style=self.style,
            reference_field=self.reference_field,
            lowercase=self.lowercase,
            tokenize=self.tokenize,
            normalize=grammar_named(self.normalize),
        )
        return Corpus.of_files(tuple(lattices), tuple(references), reading)

    def _steps(self) -> list[str]:
        return [*super()._steps(), *([] if self.normalize is None else [self.normalize])]
