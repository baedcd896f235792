"""Search many lattices by rates in one call of the kernels, in threads.

Kernels read lattices of Kaldi's archives themselves. They leave lattices to Python that need a message, more memory,
or a decision that is not theirs; such lattices are searched one by one, as those of other formats are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeVar

from latticemetric import _native
from latticemetric.corpus.pairing import Pair, forms_to_note, is_silent
from latticemetric.corpus.run import Run
from latticemetric.lattice.columns import FeatureWeights, weights_under
from latticemetric.memory import held
from latticemetric.metrics.alignment import Alignment
from latticemetric.metrics.recognition import GRR, WER, WRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.scored_path import Oracle, ScoredPath
from latticemetric.parallel.limits import check_workers

_COLUMNS = {"lm": 1.0, "acoustic": 1.0}
# Enough that the time of a call does not count, and few enough that answers come soon and interrupts are seen.
_MOST_BYTES, _MOST_PAIRS = 2**20, 1024

Answer = TypeVar("Answer")


def may_be_blocks(rates: Sequence[GRR], weights: Any, run: Run) -> bool:
    """Return True if kernels may search lattices of Kaldi's archives by these rates in this run."""
    plain_weights = weights is None or (
        isinstance(weights, FeatureWeights) and (weights.whole or _COLUMNS.keys() >= set(weights))
    )
    plain_run = isinstance(run.workers, int) and not run.limits and run.journal is None
    plain_rates = all(type(one) in (GRR, WRR, WER) for one in rates)
    # If rates ignored different words, there would be several 1-bests.
    return plain_weights and plain_run and plain_rates and len({(one.ignore, one.wildcard) for one in rates}) == 1


def answered_in_blocks(
    pairs: Iterable[Pair],
    rates: Sequence[GRR],
    weights: Any,
    run: Run,
    *,
    alone: Callable[[Pair], Answer],
    found: Callable[[Pair, Sequence[Oracle]], Answer],
    elsewhere: Callable[[Iterable[Pair]], Iterator[Answer]],
) -> Iterator[Answer]:
    """Yield the answer of each pair, in order.

    Args:
        pairs: The pairs.
        rates: The rates; see `may_be_blocks`.
        weights: The weights of score columns.
        run: The settings of the run.
        alone: Answers a pair by itself.
        found: Makes the answer of a pair from the oracle by each rate.
        elsewhere: Answers pairs in order, in other processes if there are several workers. Takes the rest of the pairs
            once blocks do not help: with graphs of other formats, or if most lattices must be answered by themselves.
    """
    assert isinstance(run.workers, int)
    check_workers(run.workers)
    blocks = _blocks(pairs)
    for block in blocks:
        if _is_of_other_formats(block):
            yield from elsewhere(chain(block, chain.from_iterable(blocks)))
            return
        searched = list(_searched(block, rates, weights, run))
        for pair, oracles in zip(block, searched, strict=True):
            if oracles is not None:
                yield found(pair, oracles)
                continue
            with held(run.limits.default_memory):
                answer = alone(pair)
            yield answer
        if len(block) > 1 and 2 * searched.count(None) > len(block):
            yield from elsewhere(chain.from_iterable(blocks))
            return


def _is_of_other_formats(block: Sequence[Pair]) -> bool:
    """Return True if a block has graphs, but none that kernels can read."""
    entries = [pair.entry for pair in block if pair.entry is not None]
    return bool(entries) and all(entry.text is None for entry in entries)


def _blocks(pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
    """Yield the pairs in blocks. If reading a pair raises an error, raise it after the earlier pairs."""
    block, size, source = list[Pair](), 0, iter(pairs)
    while True:
        try:
            pair = next(source)
        except StopIteration:
            break
        except Exception:
            yield block
            raise
        block.append(pair)
        text = None if pair.entry is None else pair.entry.text
        size += 0 if text is None else text.bytes.size
        # While there may be something to say of words, it is said at once; the first graph also answers at once.
        if size >= _MOST_BYTES or len(block) >= _MOST_PAIRS or not is_silent():
            yield block
            block, size = [], 0
    yield block


def _searched(block: Sequence[Pair], rates: Sequence[GRR], weights: Any, run: Run) -> Iterator[list[Oracle] | None]:
    """Yield for each pair its oracle by each rate; `None` if the pair must be answered by itself."""
    tasks = [_task(pair) for pair in block] if is_silent() else [None] * len(block)
    given = [task for task in tasks if task is not None]
    if not given:
        yield from (None for _ in block)
        return
    used = weights_under(_COLUMNS, weights)
    with held(run.limits.default_memory):
        is_plain, one_best, by_rate = _native.search_by_rates(
            given,
            [one.gains for one in rates],
            (used["lm"], used["acoustic"]),
            ignored=sorted(rates[0].ignore),
            silent=sorted(rates[0].ignore | rates[0].wildcard),
            threads=max(1, run.workers),
        )
    paths, plain = _Paths.of(one_best), iter(is_plain.tolist())
    columns = [_RateColumns.of(rate, paths, found) for rate, found in zip(rates, by_rate, strict=True)]
    row = 0
    for pair, task in zip(block, tasks, strict=True):
        if task is None or not next(plain):
            yield None
            continue
        references = [reference.words for reference in pair.references]
        oracles = [one.oracle(row, references) for one in columns]
        row += 1
        # Poor matches are examined, with the graph.
        is_poor = any(2 * one.statistics.matches[0] < len(one.reference) for one in oracles)
        yield None if is_poor else oracles


_Task = tuple[
    bytes, int, int, str, bool, "_native.SymbolTable | None", tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]
]


def _task(pair: Pair) -> _Task | None:
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
    return part.whole, part.begin, part.end, name, are_spelled, symbols, words, forms_to_note(pair)


class _Paths(NamedTuple):
    """The paths of the lattices of a block: arcs, words and costs."""

    arcs: list[tuple[int, ...]]
    words: list[tuple[str, ...]]
    costs: list[list[float]]

    @classmethod
    def of(cls, columns: Any) -> _Paths:
        arcs, begin, text, cost = columns
        numbers = arcs.tolist()
        paths = [tuple(numbers[first:end]) for first, end in pairwise(begin.tolist())]
        words = [tuple(line.split(" ")) if line else () for line in _texts(*text)]
        return cls(paths, words, cost.reshape(len(paths), 1 + len(_COLUMNS)).tolist())

    def scored(self, row: int, rate: GRR, references: Sequence[tuple[str, ...]], scores: _ScoredRows) -> dict[str, Any]:
        """Return the fields of a scored path."""
        statistics = RecognitionStatistics.of_columns(scores.counts[row])
        score, numerator, denominator = rate.parts(statistics)
        words, reference = self.words[row], references[scores.reference[row]]
        cost, *of_columns = self.costs[row]
        return {
            "words": words,
            "score": score,
            "numerator": numerator,
            "denominator": denominator,
            "statistics": statistics,
            "cost": cost,
            "scores": dict(zip(_COLUMNS, of_columns, strict=True)),
            "arcs": self.arcs[row],
            "edges": (),
            "derivation": None,
            "alignment": Alignment(rate.counted(words), rate.counted(reference), scores.edits[row]),
            "reference": reference,
        }


class _ScoredRows(NamedTuple):
    """The scores of paths: the number of the best reference, the edits of the alignment, and their counts."""

    reference: list[int]
    edits: list[str]
    counts: list[list[int]]

    @classmethod
    def of(cls, columns: Any) -> _ScoredRows:
        reference, edits, counts = columns
        rows = len(reference)
        return cls(reference.tolist(), _texts(*edits), counts.reshape(rows, -1).tolist() if rows else [])


class _RateColumns(NamedTuple):
    """The oracles by a rate, and the scores of the 1-bests."""

    rate: GRR
    one_best: _Paths
    oracles: _Paths
    oracle_scores: _ScoredRows
    one_best_scores: _ScoredRows

    @classmethod
    def of(cls, rate: GRR, one_best: _Paths, columns: Any) -> _RateColumns:
        oracles, oracle_scores, one_best_scores = columns
        return cls(rate, one_best, _Paths.of(oracles), _ScoredRows.of(oracle_scores), _ScoredRows.of(one_best_scores))

    def oracle(self, row: int, references: Sequence[tuple[str, ...]]) -> Oracle:
        """Return the oracle of a lattice."""
        rate = self.rate
        one_best = ScoredPath(**self.one_best.scored(row, rate, references, self.one_best_scores))
        path = self.oracles.scored(row, rate, references, self.oracle_scores)
        return Oracle(**path, one_best=one_best, exact=True, signature=rate.signature_text(len(references)))


def _texts(texts: bytes, begin: Any) -> list[str]:
    if texts.isascii():
        text = texts.decode("ascii")
        return [text[first:end] for first, end in pairwise(begin.tolist())]
    return [texts[first:end].decode("utf-8") for first, end in pairwise(begin.tolist())]
