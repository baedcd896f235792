"""The results of all shards of a run, merged: `merge`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from latticemetric.arguments import path_text
from latticemetric.corpus.merging import ShardDocument, shard_documents
from latticemetric.display.frames import Tabular
from latticemetric.display.text import long_integers
from latticemetric.errors import UsageError
from latticemetric.renamed import says_new_keywords

if TYPE_CHECKING:
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table


class MergedShards(Tabular):
    """The results of all shards of a run, as those of one run without shards; made by `merge`.

    Items are read when they are needed, one at a time.

    Attributes:
        verb: The verb that wrote the shards.
    """

    def __init__(self, documents: list[ShardDocument]) -> None:
        self._documents = documents
        self.verb = str(documents[0].run["command"])

    @property
    def metrics(self) -> int:
        """The number of metrics of the searches."""
        return len(self._documents[0].fields["shard"]["table"].get("each", "1"))

    @property
    def totals(self) -> dict[str, Any]:
        """The numbers of the whole corpus, as `Answers.totals` has them."""
        return self.table().totals()

    def to_records(self) -> list[dict[str, Any]]:
        """Return the records of all graphs, in order."""
        with long_integers():
            return list(self.table().records())

    def _frame(self) -> list[dict[str, Any]]:
        with long_integers():
            return list(self.table().frame())

    @says_new_keywords
    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002  as in `read`
        """Write the merged results to a file: the same bytes that one run without shards writes.

        Args:
            path: The file; `.gz` and similar suffixes compress it.
            format: Any format of `Answers.write`; by default, the suffix of the file chooses it.
        """
        from latticemetric.corpus.tables.files import write_table

        with long_integers():
            write_table(self.table(), path_text(path), format)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw merged sweeps into a file, as `--plot` does.

        Args:
            path: The file: `.svg`, `.png` or `.pdf`.
        """
        from latticemetric.corpus.report.plots import check_plot

        table = self.table()
        if table.has_plot:
            check_plot(path_text(path), metrics=self.metrics)
        table.plot(path_text(path))

    @says_new_keywords
    def table(self, looks: Looks | None = None) -> Table:
        """Return the table that the command line writes."""
        from latticemetric.corpus.tables.looks import Looks
        from latticemetric.corpus.tables.merged import merged_table

        return merged_table(self._documents, looks or Looks())

    def __str__(self) -> str:
        table = self.table()
        with long_integers():
            return "\n".join([*table.text(), *table.summary()])

    def __repr__(self) -> str:
        return f"<MergedShards: {self.verb} of {len(self._documents)} shards>"


def merge(shards: Iterable[str | os.PathLike[str]]) -> MergedShards:
    """Merge the JSON documents of all shards of a run, in any order, as `latticemetric merge` does.

    The shards may come from Python (`Corpus.read(…, shard="1/2")`, then `Answers.write("1.json")`) or from the command
    line.

    Args:
        shards: The files of all shards.

    Raises:
        UsageError: A shard is missing, is given twice, or comes from another run.
        FormatError: A file is not a document of a shard.
    """
    if isinstance(shards, str | os.PathLike):
        raise UsageError("a single file is given as all shards", advice="give the list of their files")
    files = [_shard_file(one) for one in (shards if isinstance(shards, Iterable) else [shards])]
    if not files:
        raise UsageError("there are no shards", advice="give the files of all shards")
    return MergedShards(shard_documents(files))


def _shard_file(given: object) -> str:
    if not isinstance(given, str | os.PathLike):
        advice = "write the answers of each shard to a file, answers.write('1.json'), and give the files"
        raise UsageError(f"a shard is {given!r}", advice=advice)
    return os.fspath(given)
