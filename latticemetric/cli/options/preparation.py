"""Options that prepare texts and graphs before anything is compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from latticemetric.cached import cached_property
from latticemetric.cli.options.fields import SettingsOptions, option_of
from latticemetric.cli.options.values import word_list
from latticemetric.corpus.settings import ReadingSettings

if TYPE_CHECKING:
    from latticemetric.corpus.pairing import Pair
    from latticemetric.formats.registry import Entry
    from latticemetric.metrics.preparation import Preparation

NORMALIZE = option_of(ReadingSettings.fields["normalize"])
IGNORE = option_of(ReadingSettings.fields["ignore"])
LOWERCASE = option_of(ReadingSettings.fields["lowercase"])
TOKENIZE = option_of(ReadingSettings.fields["tokenize"])


class PreparationOptions(SettingsOptions):
    """Options for preparing texts before scoring."""

    tokenize: str | None = TOKENIZE
    lowercase: bool = LOWERCASE

    @cached_property
    def preparation(self) -> Preparation | None:
        """The preparation of texts; `None` leaves the texts unchanged."""
        if not self.lowercase and self.tokenize is None and not self.ignored:
            return None
        from latticemetric.metrics.preparation import Preparation

        return Preparation(self.lowercase, self.tokenize, self.ignored)

    @property
    def ignored(self) -> frozenset[str]:
        """The words to remove from texts; none where the metric ignores words itself."""
        return frozenset()

    @property
    def rewritten_by(self) -> str | None:
        """The steps that rewrite texts, as signatures name them: `lc+13a+english`; `None` if there are no steps."""
        return "+".join(self._steps()) or None

    def _steps(self) -> list[str]:
        return ["lc"] * self.lowercase + [self.tokenize] * (self.tokenize not in (None, "none"))  # type: ignore[list-item]

    def prepared(self, lattices: Iterator[Pair]) -> Iterator[Pair]:
        """Yield the lattices and their references, lower-cased and tokenized as the options say."""
        if (preparation := self.preparation) is None:
            return lattices
        from latticemetric.corpus.preparation import prepared_pairs

        return prepared_pairs(lattices, preparation)

    def prepared_graphs(self, graphs: Iterator[Entry]) -> Iterator[Entry]:
        """Yield the graphs; lower-case and tokenize each one when it is parsed."""
        if (preparation := self.preparation) is None:
            return graphs
        from latticemetric.corpus.preparation import prepared_entries

        return prepared_entries(graphs, preparation)


class IgnoringPreparationOptions(PreparationOptions):
    """Options for preparing texts and removing words from them."""

    ignore: str | None = IGNORE

    @property
    def ignored(self) -> frozenset[str]:
        """The words of `--ignore`."""
        return word_list(self.ignore)
