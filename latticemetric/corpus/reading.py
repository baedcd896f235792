"""Read lattices and pair them with references; optionally select a shard, and prepare and normalize texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from latticemetric.corpus.feature_weights import weighted_entries
from latticemetric.corpus.pairing import Pair, Style, pair_up, pair_within
from latticemetric.corpus.shards import ShardRun
from latticemetric.formats.reading import entries
from latticemetric.formats.references import read_references

if TYPE_CHECKING:
    from latticemetric.lattice.columns import FeatureWeights
    from latticemetric.metrics.preparation import Preparation
    from latticemetric.normalization.grammar import Grammar
    from latticemetric.vocabulary import Vocabulary


class PairedLattices(NamedTuple):
    """Pairs of lattices and references, and the number of references per lattice."""

    lattices: Iterator[Pair]
    references: int


@dataclass(frozen=True)
class PairReader:
    """Reads lattices and their references, with the options of a command.

    Args:
        vocabulary: Maps word numbers of graphs and references to words.
        from_format: The format of the graphs; detected if it is `None`.
        keep_marks: True to read the sentence marks of a format as words.
        style: `keyed` if lines of references begin with ids, `plain` if not, `auto` to detect this.
        reference_field: The field of records that holds the references; detected if it is `None`.
        preparation: Lower-cases and tokenizes all texts; `None` leaves them unchanged.
        grammar: Normalizes all texts, after the preparation; `None` leaves them unchanged.
        scales: Weights of score columns, to be checked, and to find the cheapest of several normalized paths.
        shard: The shard to read; `None` for all lattices.
        watched: A function that yields the pairs and shows progress. Its arguments are the pairs and the number of
            pairs (`None` if unknown).
    """

    vocabulary: Vocabulary | None
    from_format: str | None
    keep_marks: bool
    style: Style
    reference_field: str | None
    preparation: Preparation | None
    grammar: Grammar | None
    scales: FeatureWeights
    shard: ShardRun | None
    watched: Callable[[Iterator[Pair], int | None], Iterator[Pair]]

    def read_pairs(self, lattices: str, references: Sequence[str], *, required: bool = True) -> PairedLattices | None:
        """Read lattices, and pair each with its references: one line from each reference file.

        Without reference files, take the references from the lattices' own records; return `None` if the format has no
        records. If references are not `required`, read the records only with a `reference_field`; without it, the
        lattices have no references.
        """
        files = [read_references(file, self.vocabulary) for file in references]
        read = entries([lattices], self.from_format, self.vocabulary, keep_marks=self.keep_marks)
        alone = weighted_entries(read, self.scales)
        total = None
        if files:
            paired, number = pair_up(alone, files, self.style), len(files)
            total = max(len(file.lines) for file in files)
        elif required or self.reference_field is not None:
            within = pair_within(alone, self.reference_field)
            if within is None:
                return None
            paired, number = within.lattices, within.references
        else:
            paired, number = (Pair(one.name, one, ()) for one in alone), 0
        return PairedLattices(self._rewritten(paired, total), number)

    def _rewritten(self, lattices: Iterator[Pair], total: int | None) -> Iterator[Pair]:
        if self.shard is not None:
            lattices, total = self.shard.take(lattices), None if total is None else self.shard.shard.size(total)
        lattices = self.watched(lattices, total)
        # Import late: most runs rewrite nothing, and start faster without these modules.
        if self.preparation is not None:
            from latticemetric.corpus.preparation import prepared_pairs

            lattices = prepared_pairs(lattices, self.preparation)
        if self.grammar is not None:
            from latticemetric.corpus.normalization import normalized_pairs

            lattices = normalized_pairs(lattices, self.grammar, self.scales)
        return lattices
