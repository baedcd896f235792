"""The table of all shards of a run, from their documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.merging import Documents, put_together
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import ItemTable, Record, ShardSums, Table

if TYPE_CHECKING:
    from latticemetric.corpus.merging import ShardDocument

_KINDS = {
    "automaton": "oracles.AutomatonTable",
    "best": "best.BestTable",
    "compounds": "oracles.CompoundTable",
    "consensus": "consensus.ConsensusTable",
    "exact-risk": "mbr.ExactRiskTable",
    "expected": "expected.ExpectedTable",
    "info": "info.InfoTable",
    "map": "mapped.MappedTable",
    "mbr": "mbr.MBRTable",
    "metrics": "by_metric.MetricsTable",
    "nbest": "nbest.NBestTable",
    "oracles": "oracles.OracleTable",
    "posteriors": "posteriors.PosteriorTable",
    "records": "records.RecordTable",
    "sweep": "sweep.SweepTable",
    "sweeps": "sweep.SweepsTable",
}
"""The module and the class of each kind of table, which is imported when it is needed."""


def merged_table(documents: Sequence[ShardDocument], looks: Looks = AS_FILE) -> Table:
    """Return the table of all shards: it writes the same bytes as that of a run without shards, in all formats.

    Raises:
        FormatError: The sums of a document are damaged.
    """

    def made(some: Sequence[ShardDocument]) -> Table:
        first = some[0]
        signatures = first.fields.get("signatures", first.fields.get("signature", ""))
        return _table(first.fields["shard"]["table"], signatures, [one.sums for one in some], looks)

    table = put_together(documents, made)
    return table.read_from(Documents(documents)) if isinstance(table, ItemTable) else table


def _table(settings: Mapping[str, Any], signature: Any, states: Sequence[Any], looks: Looks) -> Table:
    others: Record = {name: value for name, value in settings.items() if name != "kind"}
    module, name = _KINDS[settings["kind"]].split(".")
    kind: Any = getattr(import_module(f"latticemetric.corpus.tables.{module}"), name)
    if (each := others.get("each")) is None:
        table: Table = kind.merged(ShardSums(others, signature, states), looks)
        return table
    several = [
        _table(one, signature[metric], [state["metrics"][metric] for state in states], looks)
        for metric, one in each.items()
    ]
    together: Table = kind.merged_each(several)
    return together
