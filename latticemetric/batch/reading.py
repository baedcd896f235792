"""Read lattices and pair them with references; keep only one shard, and prepare and normalize texts, if asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from latticemetric.batch.pairing import Pair, Style, pair_up, pair_within
from latticemetric.batch.shards import ShardRun
from latticemetric.formats.reading import entries
from latticemetric.formats.references import read_references

if TYPE_CHECKING:
    from latticemetric.lattice.lattice import Scales
    from latticemetric.metrics.preparation import Preparation
    from latticemetric.normalization.grammar import Grammar
    from latticemetric.vocabulary import Vocabulary


class PairedLattices(NamedTuple):
    """Lattices with their references, and the number of references of each."""

    lattices: Iterator[Pair]
    references: int


@dataclass(frozen=True)
class PairReader:
    """Reads lattices with their references, always in the same way.

    Args:
        vocabulary: The words of numbered graphs and references.
        from_format: The format of the graphs; detected if it is `None`.
        style: Whether lines of references begin with ids.
        reference_field: The field of records that holds the references; detected if it is `None`.
        preparation: Lower-cases and tokenizes all texts.
        grammar: Normalizes all texts, after the preparation.
        scales: Weights of scores, for which of several normalized paths is the cheapest.
        shard: The only lattices to return.
        watched: Shows progress through lattices, whose number may be unknown.
    """

    vocabulary: Vocabulary | None
    from_format: str | None
    style: Style
    reference_field: str | None
    preparation: Preparation | None
    grammar: Grammar | None
    scales: Scales
    shard: ShardRun | None
    watched: Callable[[Iterator[Pair], int | None], Iterator[Pair]]

    def read_pairs(self, graphs: str, references: Sequence[str], *, required: bool = True) -> PairedLattices | None:
        """Read lattices, and pair each with its line of each reference file.

        Without such files, the references are those of its own record; return `None` if it has none. If they are not
        `required`, records are searched for them only if a field is named.
        """
        files = [read_references(file, self.vocabulary) for file in references]
        lattices = entries([graphs], self.from_format, self.vocabulary)
        total = None
        if files:
            pairs, number = pair_up(lattices, files, self.style), len(files)
            total = max(len(file.lines) for file in files)
        elif required or self.reference_field is not None:
            within = pair_within(lattices, self.reference_field)
            if within is None:
                return None
            pairs, number = within.pairs, within.references
        else:
            pairs, number = (Pair(one.name, one, ()) for one in lattices), 0
        return PairedLattices(self._rewritten(pairs, total), number)

    def _rewritten(self, pairs: Iterator[Pair], total: int | None) -> Iterator[Pair]:
        if self.shard is not None:
            pairs, total = self.shard.take(pairs), None if total is None else self.shard.shard.size(total)
        pairs = self.watched(pairs, total)
        # Most runs rewrite nothing, and start without what rewriting takes.
        if self.preparation is not None:
            from latticemetric.batch.preparation import prepared_pairs

            pairs = prepared_pairs(pairs, self.preparation)
        if self.grammar is not None:
            from latticemetric.batch.normalization import normalized_pairs

            pairs = normalized_pairs(pairs, self.grammar, self.scales)
        return pairs
