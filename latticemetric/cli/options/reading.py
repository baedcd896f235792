"""Options that read graphs and references."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cached import cached_property
from latticemetric.cli.commands import option
from latticemetric.cli.files import TableFiles
from latticemetric.cli.options.fields import SettingsOptions, option_of
from latticemetric.cli.options.preparation import NORMALIZE, IgnoringPreparationOptions, PreparationOptions
from latticemetric.cli.options.values import refuse
from latticemetric.corpus.settings import ReadingSettings
from latticemetric.errors import InputError, placed
from latticemetric.settings import like

if TYPE_CHECKING:
    from latticemetric.corpus.corpus import Corpus
    from latticemetric.corpus.pairing import Style
    from latticemetric.lattice.columns import FeatureWeights
    from latticemetric.vocabulary import Vocabulary


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
STYLE = option_of(ReadingSettings.fields["style"])
LINE_STYLE = option_of(
    like(
        ReadingSettings.fields["style"],
        help="keyed: lines begin with ids (Kaldi's text), in any order; plain: they do not; auto: compare all files.",
    )
)


class ReadingOptions(SettingsOptions):
    """Options for a corpus whose texts are left as they are, and whose costs do not matter."""

    symbols: str | None = option_of(ReadingSettings.fields["symbols"])
    from_format: str | None = option_of(ReadingSettings.fields["format"])
    keep_marks: bool = option_of(ReadingSettings.fields["keep_marks"])

    @cached_property
    def vocabulary(self) -> Vocabulary | None:
        """The symbol table, read once; `None` if there is none."""
        from latticemetric.formats.reading import as_vocabulary

        return as_vocabulary(self.symbols)

    def corpus(self, graphs: Sequence[str], references: Sequence[str] = (), **others: Any) -> Corpus:
        """Return the corpus of files of graphs and, perhaps, references; `others` replace settings of reading."""
        from latticemetric.corpus.corpus import Corpus

        return Corpus.of_files(tuple(graphs), tuple(references), self.reading(**others))

    def reading(self, **others: Any) -> ReadingSettings:
        """Return the settings of reading."""
        return self.settings(ReadingSettings, **{"symbols": self.vocabulary} | others)


class ScoredReadingOptions(ReadingOptions):
    """Options for a corpus whose texts are left as they are."""

    weights_given: tuple[str, ...] = option_of(ReadingSettings.fields["weights"], multiple=True)

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

    def reading(self, **others: Any) -> ReadingSettings:
        """Return the settings of reading, with the weights as objects that know which columns graphs have."""
        return super().reading(**{"weights": self.weights} | others)


class CorpusOptions(ScoredReadingOptions, IgnoringPreparationOptions):
    """Options for a corpus whose texts are prepared."""

    normalize: str | None = NORMALIZE

    def reading(self, **others: Any) -> ReadingSettings:
        """Return the settings of reading."""
        return super().reading(**{"ignore": self.ignored} | others)


class PairedReadingOptions(ScoredReadingOptions, PreparationOptions):
    """Options for a corpus of graphs and references, whose metric ignores words itself."""

    normalize: str | None = NORMALIZE
    style: Style = STYLE
    reference_field: str | None = option_of(ReadingSettings.fields["reference_field"])

    def corpus(self, graphs: Sequence[str], references: Sequence[str] = (), **others: Any) -> Corpus:
        """Return the corpus of files of graphs and references; refuse options that have no effect on these."""
        if references:
            refuse(["reference_field"], "with files of references", advice="give one of them")
        else:
            refuse(["style"], "without files of references")
        return super().corpus(graphs, references, **others)
