"""Find the 1-bests of many lattices in one call of the kernels, in threads.

Kernels read lattices of Kaldi's archives themselves. They leave those to Python that need a message or more memory.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, compress

from latticemetric import _native
from latticemetric.corpus.answer import Answer
from latticemetric.corpus.best_columns import BestRow, FoundBest
from latticemetric.corpus.blocks import MOST_BYTES, are_plain
from latticemetric.corpus.oracle_columns import COLUMNS
from latticemetric.corpus.run import Run
from latticemetric.formats.entry_block import EntryBlock
from latticemetric.formats.registry import Entry
from latticemetric.formats.streams.in_blocks import blocks_of
from latticemetric.lattice.columns import Weights, weights_under
from latticemetric.memory import held
from latticemetric.parallel.limits import check_workers


def may_be_blocks(weights: Weights | None, run: Run) -> bool:
    """Return True if kernels may search lattices of Kaldi's archives in this run."""
    return isinstance(run.workers, int) and are_plain(weights) and not run.limits and run.journal is None


def best_in_blocks(
    entries: Iterable[Entry],
    posterior_scale: float,
    weights: Weights | None,
    run: Run,
    *,
    alone: Callable[[Entry], Answer],
    elsewhere: Callable[[Iterable[Entry]], Iterator[Answer]],
) -> Iterator[Answer]:
    """Yield the 1-best of each graph, in order.

    Args:
        entries: The graphs.
        posterior_scale: The factor of costs in probabilities.
        weights: The weights of score columns.
        run: The settings of the run; see `may_be_blocks`.
        alone: Answers a graph by itself.
        elsewhere: Answers graphs in order. Takes the rest of the graphs once blocks do not help: with graphs of other
            formats, or if most lattices must be answered by themselves.
    """
    assert isinstance(run.workers, int)
    check_workers(run.workers)
    blocks = blocks_of(entries)
    for block in blocks:
        if not isinstance(block, EntryBlock):
            yield from elsewhere(chain(block, chain.from_iterable(blocks)))
            return
        for part, rest in _parts(block):
            left = 0
            rows = _searched(part, posterior_scale, weights, run)
            for number, row in enumerate(rows):
                if row is None:
                    left += 1
                    with held(run.limits.default_memory):
                        answer = alone(part[number])
                    yield answer
                else:
                    yield Answer.of_row(part.names[number], row, part.places[number], part.texts.format)
            if len(part) > 1 and 2 * left > len(part):
                yield from elsewhere(chain(rest, chain.from_iterable(blocks)))
                return


def _parts(block: EntryBlock) -> Iterator[tuple[EntryBlock, EntryBlock]]:
    """Yield parts of a block, and what follows each part."""
    ends, begin = block.texts.end, 0
    while begin < len(block):
        end = max(bisect_right(ends, block.texts.begin[begin] + MOST_BYTES, begin), begin + 1)
        yield block[begin:end], block[end:]
        begin = end


def _searched(part: EntryBlock, posterior_scale: float, weights: Weights | None, run: Run) -> list[BestRow | None]:
    """Return what was found for each lattice; `None` for those that must be answered by themselves."""
    texts = part.texts
    table = None if texts.table is None else texts.table.symbols
    if table is None and texts.table is not None:
        return [None] * len(part)
    assert isinstance(run.workers, int)
    used = weights_under(COLUMNS, weights)
    with held(run.limits.default_memory):
        is_found, *columns = _native.search_best(
            texts.whole,
            texts.begin,
            texts.end,
            texts.format,
            texts.are_spelled,
            table,
            (used["lm"], used["acoustic"]),
            posterior_scale,
            max(1, run.workers),
        )
    outcomes = is_found.tolist()
    found = FoundBest(list(compress(part.names, outcomes)), *columns)
    rows = (BestRow(found, number) for number in range(len(found)))
    return [next(rows) if one else None for one in outcomes]
