"""Search many lattices by rates in one call of the kernels, in threads.

Kernels read lattices of Kaldi's archives themselves. They leave lattices to Python that need a message, more memory,
or a decision that is not theirs; such lattices are searched one by one, as those of other formats are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain, compress, groupby, repeat
from typing import Any, NamedTuple, TypeVar

import numpy as np

from latticemetric import _native
from latticemetric.corpus.oracle_columns import COLUMNS, FoundOracles, SearchedLattices
from latticemetric.corpus.pairing import Pair, PairBlock, forms_to_note, is_silent, warn_of_outer_words
from latticemetric.corpus.run import Run
from latticemetric.corpus.unseen_words import IGNORED
from latticemetric.display.record_columns import TextColumn
from latticemetric.errors import InputError
from latticemetric.formats.streams.in_blocks import InBlocks, blocks_of
from latticemetric.lattice.columns import FeatureWeights, Weights, weights_under
from latticemetric.memory import held
from latticemetric.metrics.recognition import GRR, WER, WRR
from latticemetric.parallel.limits import check_workers

# Enough that the time of a call does not count, and few enough that answers come soon and interrupts are seen.
MOST_BYTES, _MOST_PAIRS = 2**20, 1024

# The outcomes of lattices: they are left to Python, their oracles were found, or this took too much time.
_LEFT, _FOUND, _TOO_LATE = range(3)

Answer = TypeVar("Answer")


def are_plain(weights: Weights | None) -> bool:
    """Return True if kernels know which column each of the weights belongs to."""
    return weights is None or (
        isinstance(weights, FeatureWeights) and (weights.whole or COLUMNS.keys() >= set(weights))
    )


def may_be_blocks(rates: Sequence[GRR], weights: Any, run: Run) -> bool:
    """Return True if kernels may search lattices of Kaldi's archives by these rates in this run."""
    plain_rates = all(type(one) in (GRR, WRR, WER) for one in rates)
    # If rates ignored different words, there would be several 1-bests.
    return (
        isinstance(run.workers, int)
        and are_plain(weights)
        and plain_rates
        and len({(one.ignore, one.wildcard) for one in rates}) == 1
    )


def answered_in_blocks(
    pairs: Iterable[Pair],
    rates: Sequence[GRR],
    weights: Any,
    run: Run,
    *,
    alone: Callable[[Pair], Answer],
    found: Callable[[Sequence[FoundOracles], range], Sequence[Answer]],
    lost: Callable[[Pair, InputError], Answer],
    elsewhere: Callable[[Iterable[Pair]], Generator[Answer]],
) -> InBlocks[Answer]:
    """Return the answer of each pair, in order; those of pairs that were searched together are blocks.

    Args:
        pairs: The pairs.
        rates: The rates; see `may_be_blocks`.
        weights: The weights of score columns.
        run: The settings of the run.
        alone: Answers a pair by itself.
        found: Makes the answers of pairs that follow each other from the oracles by each rate, and their rows there.
        lost: Makes the answer of a pair that took too much time.
        elsewhere: Answers pairs in order, in other processes if there are several workers or limits. Takes the rest of
            the pairs once blocks do not help: with graphs of other formats, or if most lattices must be answered by
            themselves.
    """
    assert isinstance(run.workers, int)
    check_workers(run.workers)
    blocks = _blocks(pairs, at_once=not run.limits)

    def answers() -> Iterator[Sequence[Answer]]:
        for block in blocks:
            if _is_of_other_formats(block):
                yield from ([one] for one in elsewhere(chain(block, chain.from_iterable(blocks))))
                return
            searched = _searched(block, rates, weights, run)
            left = [block[number] for number, outcome in enumerate(searched.outcomes) if outcome == _LEFT]
            # Other processes hold graphs to limits that this one cannot hold to them.
            with closing(elsewhere(left) if run.limits and left else _held(alone, left, run)) as others:
                for outcome, numbers in groupby(range(len(block)), searched.outcomes.__getitem__):
                    if outcome == _FOUND:
                        yield found(searched.found, searched.rows_of(numbers))
                    else:
                        for number in numbers:
                            late = outcome == _TOO_LATE
                            yield [lost(block[number], run.limits.too_slow()) if late else next(others)]
            if len(block) > 1 and 2 * len(left) > len(block):
                yield from ([one] for one in elsewhere(chain.from_iterable(blocks)))
                return

    return InBlocks(answers())


class _SearchedBlock(NamedTuple):
    """The oracles of the pairs of a block.

    Attributes:
        outcomes: The outcome for each pair.
        found: The oracles by each rate.
        rows: The row of each pair in `found`, where its oracle was found.
    """

    outcomes: list[int]
    found: Sequence[FoundOracles] = ()
    rows: Sequence[int] = ()

    def rows_of(self, numbers: Iterable[int]) -> range:
        """Return the rows of pairs that follow each other, and were found."""
        first, *others = numbers
        return range(self.rows[first], self.rows[first] + 1 + len(others))


def _held(alone: Callable[[Pair], Answer], pairs: Iterable[Pair], run: Run) -> Generator[Answer]:
    """Answer pairs by themselves, each within the memory that graphs have by default."""
    for pair in pairs:
        with held(run.limits.default_memory):
            answer = alone(pair)
        yield answer


def _is_of_other_formats(block: Sequence[Pair]) -> bool:
    """Return True if a block has graphs, but none that kernels can read."""
    if isinstance(block, PairBlock):
        return False
    entries = [pair.entry for pair in block if pair.entry is not None]
    return bool(entries) and all(entry.text is None for entry in entries)


def _blocks(pairs: Iterable[Pair], *, at_once: bool) -> Iterator[Sequence[Pair]]:
    """Yield the pairs in blocks. If reading a pair raises an error, raise it after the earlier pairs.

    With `at_once`, blocks have one pair while there may be something to say of its words, so that it is said at once
    and in order; the first graph also answers at once.
    """
    waiting, size = list[Pair](), 0
    given = blocks_of(pairs)
    while True:
        try:
            block = next(given)
        except StopIteration:
            break
        except Exception:
            yield waiting
            raise
        if isinstance(block, PairBlock):
            yield waiting
            yield from _parts(block, at_once=at_once)
            waiting, size = [], 0
            continue
        for pair in block:
            waiting.append(pair)
            text = None if pair.entry is None else pair.entry.text
            size += 0 if text is None else text.bytes.size
            if size >= MOST_BYTES or len(waiting) >= _MOST_PAIRS or (at_once and not is_silent()):
                yield waiting
                waiting, size = [], 0
    yield waiting


def _parts(block: PairBlock, *, at_once: bool) -> Iterator[Sequence[Pair]]:
    """Yield parts of a block; with `at_once`, single pairs, while there may be something to say of words."""
    ends, begin = block.entries.texts.end, 0
    while begin < len(block):
        is_single = at_once and not is_silent()
        most = ends[begin] + MOST_BYTES
        end = begin + 1 if is_single else min(bisect_right(ends, most, begin), begin + _MOST_PAIRS)
        yield block[begin : max(end, begin + 1)]
        begin = max(end, begin + 1)


def _searched(block: Sequence[Pair], rates: Sequence[GRR], weights: Any, run: Run) -> _SearchedBlock:
    """Return what was found for each pair; pairs whose outcome is `_LEFT` must be answered by themselves."""
    tasks = _tasks(block)
    given = [task for task in tasks if task is not None]
    if not given:
        return _SearchedBlock([_LEFT] * len(block))
    used, asks_for_words = weights_under(COLUMNS, weights), not is_silent()
    silent = rates[0].ignore | rates[0].wildcard
    with held(run.limits.default_memory):
        searched, outer_words, used_words, one_best, by_rate, seen = _native.search_by_rates(
            given,
            [one.gains for one in rates],
            (used["lm"], used["acoustic"]),
            ignored=sorted(rates[0].ignore),
            silent=sorted(silent),
            threads=max(1, run.workers),
            sought=sorted(IGNORED.left),
            outer_words=asks_for_words,
            most_bytes=run.limits.memory,
            most_seconds=run.limits.timeout,
        )
    IGNORED.add_seen(seen)
    outcomes = np.full(len(block), _LEFT, dtype=np.uint8)
    outcomes[[task is not None for task in tasks]] = searched
    is_found = outcomes == _FOUND
    names, places = (list(compress(each, is_found.tolist())) for each in _names_and_places(block))
    references = [task[-2] for task in compress(tasks, is_found.tolist()) if task is not None]
    lattices = SearchedLattices(names, places, references, TextColumn(*used_words))
    found = [FoundOracles.of(rate, lattices, one_best, columns) for rate, columns in zip(rates, by_rate, strict=True)]
    if asks_for_words:
        words = [[word or None for word in TextColumn(*one).strings()] for one in outer_words]
        for number, *outer in zip(np.flatnonzero(is_found).tolist(), *words, strict=True):
            warn_of_outer_words(block[number], outer, silent)
    return _SearchedBlock(outcomes.tolist(), found, (np.cumsum(is_found) - 1).tolist())


def _names_and_places(block: Sequence[Pair]) -> tuple[list[str], list[str]]:
    if isinstance(block, PairBlock):
        return block.names, block.entries.places
    return [pair.name for pair in block], [pair.where for pair in block]


Task = tuple[
    bytes, int, int, str, bool, "_native.SymbolTable | None", tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]
]


def _tasks(block: Sequence[Pair]) -> list[Task | None]:
    """Return what a kernel needs of each pair; `None` if the pair must be answered by itself."""
    if not isinstance(block, PairBlock):
        return list(map(_task, block))
    texts = block.entries.texts
    table = None if texts.table is None else texts.table.symbols
    if table is None and texts.table is not None:
        return [None] * len(block)
    file = repeat(texts.whole), texts.begin, texts.end, repeat(texts.format), repeat(texts.are_spelled), repeat(table)
    return list(zip(*file, block.references, map(forms_to_note, block.references), strict=False))  # some repeat


def _task(pair: Pair) -> Task | None:
    """Return what a kernel needs of a pair; `None` if the pair must be answered by itself."""
    if pair.problem is not None or pair.entry is None or pair.entry.text is None or not pair.references:
        return None
    references = pair.graph_references()
    if not all(isinstance(one, tuple) for one in references):
        return None
    part, name, are_spelled, table = pair.entry.text
    symbols = None if table is None else table.symbols
    if symbols is None and table is not None:
        return None
    words: tuple[tuple[str, ...], ...] = tuple(references)  # type: ignore[arg-type]
    return part.whole, part.begin, part.end, name, are_spelled, symbols, words, forms_to_note(words)
