"""The results of all shards of a run, merged: `merge`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.merging import ShardDocument, shard_documents
from latticemetric.display.frames import Tabular
from latticemetric.display.text import long_integers
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table


class MergedShards(Tabular):
    """The results of all shards of a run, as those of one run without shards; made by `merge`.

    Printed, it is what `latticemetric merge` prints: the JSON document or, of sweeps, the table.

    Attributes:
        verb: The verb that wrote the shards.
    """

    def __init__(self, documents: list[ShardDocument]) -> None:
        self._documents = documents
        self.verb = str(documents[0].run["command"])

    @property
    def has_table(self) -> bool:
        """True if the results can be written in every format, and drawn; False if they are only a JSON document."""
        return self.verb == "sweep"

    @property
    def metrics(self) -> int:
        """The number of metrics of the searches."""
        sums = self._documents[0].sums
        several = sums.get("metrics") if isinstance(sums, dict) else None
        return len(several) if isinstance(several, dict) else 1

    @property
    def totals(self) -> dict[str, Any]:
        """The numbers of the whole corpus, as `Answers.totals` has them."""
        return self.table().totals()

    def to_records(self) -> list[dict[str, Any]]:
        """Return the records of all graphs, in order."""
        with long_integers():
            return list(self.table().records())

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002  as in `read`
        """Write the merged results to a file: the same bytes that one run without shards writes.

        Args:
            path: The file; `.gz` and similar suffixes compress it.
            format: `json`, which is the default; of sweeps, any format of `Answers.write`, by default that of the
                suffix.
        """
        from latticemetric.corpus.tables.files import write_table
        from latticemetric.corpus.tables.formats import PARTS, format_for

        name = os.fspath(path)
        if format is None:
            of_suffix = format_for(name, PARTS)
            format = "json" if of_suffix is None else of_suffix.name  # noqa: A001
        if format != "json" and not self.has_table:
            raise UsageError(f"shards of {self.verb} merge to JSON only", where=name, advice="write a .json file")
        with long_integers():
            write_table(self.table(), name, format)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw merged sweeps into a file, as `--plot` does.

        Args:
            path: The file: `.svg`, `.png` or `.pdf`.
        """
        from latticemetric.corpus.report.plots import check_plot

        if self.has_table:
            check_plot(os.fspath(path), metrics=self.metrics)
        self.table().plot(os.fspath(path))

    def table(self, looks: Looks | None = None) -> Table:
        """Return the table that the command line writes."""
        from latticemetric.corpus.tables.looks import Looks

        if self.has_table:
            from latticemetric.corpus.tables.sweep import merged_sweep

            return merged_sweep(self._documents, looks=looks or Looks())
        from latticemetric.corpus.tables.merged import MergedTable

        return MergedTable(self._documents)

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
    files = [os.fspath(one) for one in shards]
    if not files:
        raise UsageError("there are no shards", advice="give the files of all shards")
    return MergedShards(shard_documents(files))
