"""Options of the corpus that a command asks: its graphs, their weights, and how texts are prepared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from latticemetric.cli.options import (
    NORMALIZE,
    IgnoringPreparationOptions,
    ReadingOptions,
    ScoredReadingOptions,
    grammar_named,
)
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.corpus import Corpus
    from latticemetric.corpus.pairing import Style


class PlainCorpusOptions(ReadingOptions):
    """Options for a corpus whose texts are left as they are, and whose costs do not matter."""

    def corpus(self, graphs: Sequence[str]) -> Corpus:
        """Return the corpus of files of graphs."""
        from latticemetric.corpus.corpus import Corpus
        from latticemetric.corpus.settings import ReadingSettings

        reading = ReadingSettings(symbols=self.vocabulary, format=self.from_format, keep_marks=self.keep_marks)
        return Corpus.of_files(tuple(graphs), (), reading)


class WeightedCorpusOptions(ScoredReadingOptions):
    """Options for a corpus whose texts are left as they are."""

    def corpus(self, graphs: Sequence[str], *, weighted: bool = True) -> Corpus:
        """Return the corpus of files of graphs; refuse weights where costs do not matter."""
        from latticemetric.corpus.corpus import Corpus
        from latticemetric.corpus.settings import ReadingSettings

        if self.weights_given and not weighted:
            raise UsageError("--weights has no effect without --sum-scores", advice="add --sum-scores")
        weights = self.weights if weighted else None
        reading = ReadingSettings(
            symbols=self.vocabulary, format=self.from_format, keep_marks=self.keep_marks, weights=weights
        )
        return Corpus.of_files(tuple(graphs), (), reading)


class CorpusOptions(ScoredReadingOptions, IgnoringPreparationOptions):
    """Options for a corpus whose texts are prepared."""

    normalize: str | None = NORMALIZE

    def corpus(self, graphs: Sequence[str], references: Sequence[str] = (), style: Style = "auto") -> Corpus:
        """Return the corpus of files of graphs and, perhaps, references."""
        from latticemetric.corpus.corpus import Corpus
        from latticemetric.corpus.settings import ReadingSettings

        reading = ReadingSettings(
            symbols=self.vocabulary,
            format=self.from_format,
            keep_marks=self.keep_marks,
            weights=self.weights,
            style=style,
            lowercase=self.lowercase,
            tokenize=self.tokenize,
            normalize=grammar_named(self.normalize),
            ignore=self.ignored,
        )
        return Corpus.of_files(tuple(graphs), tuple(references), reading)
