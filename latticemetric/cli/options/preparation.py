"""Options that prepare texts and graphs before anything is compared."""

from __future__ import annotations

from latticemetric.cli.options.fields import SettingsOptions, option_of
from latticemetric.cli.options.values import word_list
from latticemetric.corpus.settings import ReadingSettings

NORMALIZE = option_of(ReadingSettings.fields["normalize"])
IGNORE = option_of(ReadingSettings.fields["ignore"])
LOWERCASE = option_of(ReadingSettings.fields["lowercase"])
TOKENIZE = option_of(ReadingSettings.fields["tokenize"])


class PreparationOptions(SettingsOptions):
    """Options for preparing texts before scoring."""

    tokenize: str | None = TOKENIZE
    lowercase: bool = LOWERCASE


class IgnoringPreparationOptions(PreparationOptions):
    """Options for preparing texts and removing words from them."""

    ignore: str | None = IGNORE

    @property
    def ignored(self) -> frozenset[str]:
        """The words of `--ignore`."""
        return word_list(self.ignore)
