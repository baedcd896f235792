"""Compute sums over many n-best lists, block by block, so that memory does not grow with the number of lists."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

from latticemetric.corpus.feature_weights import check_columns
from latticemetric.corpus.list_arguments import Words, columns_of
from latticemetric.corpus.lists import Lists, lists_of_pairs, rewritten
from latticemetric.corpus.oracle_at_k import ListSums, sums_of_columns
from latticemetric.corpus.pairing import Pair, pair_within, warn_of_words
from latticemetric.corpus.unseen_words import IGNORED
from latticemetric.errors import FormatError, shortened
from latticemetric.formats.nbest.records import has_scores
from latticemetric.formats.registry import Block
from latticemetric.lattice.columns import FeatureWeights, Weights
from latticemetric.metrics.recognition import GRR
from latticemetric.nbest import ListColumns

Sums = tuple[ListSums, ...]
"""The sums of some lists by each metric."""

_LISTS_AT_ONCE = 4096


@dataclass(frozen=True)
class BlockSums:
    """Settings for the sums of a block of lists.

    Attributes:
        rates: The metrics.
        at: The values of k, with the same default as in `oracle_at_k`.
        weights: Weight of each score in the model's cost.
        keep: True to keep the counts of each list, for resamples.
        rewrite: Rewrites texts and references; `None` leaves them unchanged.
    """

    rates: Sequence[GRR]
    at: Collection[int] | None = None
    weights: Weights | None = None
    keep: bool = False
    rewrite: Callable[[Words], Words] | None = None

    @property
    def takes_columns(self) -> bool:
        """True if the columns of a table are enough to compute the sums, without `NBest` objects.

        They are enough if texts are not rewritten, the file's own scores rank the lists, and the metrics compare all
        words.
        """
        return self.rewrite is None and not self.weights and all(rate.counts_all_words for rate in self.rates)

    @property
    def _not_counted(self) -> frozenset[str]:
        return frozenset[str]().union(*(rate.ignore | rate.wildcard for rate in self.rates))

    def of(self, pairs: Iterable[Pair]) -> Sums:
        """Return the sums of a block of pairs."""
        pairs = list(pairs)
        return self.of_lists(pairs, lists_of_pairs(pairs))

    def of_lists(self, pairs: Sequence[Pair], lists: Lists) -> Sums:
        """Return the sums of a block of pairs whose lists are parsed."""
        if isinstance(self.weights, FeatureWeights):
            for pair, graph in zip(pairs, lists.lists, strict=True):
                check_columns(graph, pair.entry, self.weights)
        if self.rewrite is None:
            for pair, graph in zip(pairs, lists.lists, strict=True):
                warn_of_words(pair, graph, self._not_counted)
        else:
            lists = rewritten(lists, self.rewrite)
            for graph, references in zip(lists.lists, lists.references, strict=True):
                IGNORED.add(graph, references)
        return self.of_columns(columns_of(lists.lists, lists.references, self.weights))

    def of_columns(self, lists: ListColumns) -> Sums:
        """Return the sums of a block of lists in columns."""
        return tuple(sums_of_columns(lists, rate, at=self.at, keep=self.keep) for rate in self.rates)


def sums_of_pairs(pairs: Iterable[Pair], settings: BlockSums) -> Iterator[Sums]:
    """Yield the sums of pairs, block by block."""
    stream = iter(pairs)
    while block := list(islice(stream, _LISTS_AT_ONCE)):
        yield settings.of(block)


class _Answer(NamedTuple):
    """The sums of a block, and the ids of its lists, if the lists have ids."""

    sums: Sums
    ids: tuple[str, ...]


class TableSums:
    """Computes the sums of a table with references in its records; several processes parse its blocks.

    Args:
        blocks: The blocks of the table.
        field: The field of the references. By default, the first record's only field with a name like `reference`.
        prepare: Changes pairs before their lists are parsed; `None` leaves them unchanged.
    """

    def __init__(
        self,
        blocks: Iterable[Block],
        field: str | None = None,
        prepare: Callable[[Iterator[Pair]], Iterator[Pair]] | None = None,
    ) -> None:
        self._prepare = prepare
        stream = iter(blocks)
        first = next(stream, None)
        if first is None:
            raise FormatError("there are no graphs", advice="give a file with at least one")
        within = pair_within(first.entries(named=None), field)
        assert within is not None  # a block consists of records
        pair = next(within.pairs)
        assert pair.entry is not None
        self._named = pair.entry.naming == "own"
        self._scored = has_scores(pair.entry.fields or {})
        assert within.field is not None
        self._field, self.references = within.field, within.references
        self._blocks = chain([first], stream)

    def each(self, settings: BlockSums, workers: int | None = None) -> Iterator[Sums]:
        """Yield the sums of each block, in order. `workers` is a number of processes; by default, one per processor."""
        from latticemetric.parallel.limits import default_workers
        from latticemetric.parallel.map import map_in_order

        def answer(block: Block) -> _Answer:
            if settings.takes_columns and self._prepare is None and self._scored is not False:
                found = block.lists(self._field, self.references, named=self._named)
                if found is not None:
                    return _Answer(settings.of_columns(found.columns), found.names)
            return self._answer_of_entries(block, settings)

        known: set[str] = set()
        for found in map_in_order(answer, self._blocks, workers or default_workers()):
            for name in found.ids:
                if name in known:
                    raise FormatError(f"the id '{shortened(name)}' appears twice", advice="give each list its own id")
                known.add(name)
            yield found.sums

    def _answer_of_entries(self, block: Block, settings: BlockSums) -> _Answer:
        within = pair_within(block.entries(named=self._named, scored=self._scored), self._field)
        assert within is not None
        pairs = list(within.pairs if self._prepare is None else self._prepare(within.pairs))
        if within.references != self.references:
            what = f"there are {within.references} references in {self._field}"
            raise FormatError(
                f"{what}, but the first record has {self.references}",
                where=pairs[0].where,
                advice="give the same number of references in each record",
            )
        return _Answer(settings.of(pairs), tuple(pair.name for pair in pairs) if self._named else ())
