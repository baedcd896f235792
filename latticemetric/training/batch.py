"""Batches of graphs with references, to compute expected rates and their gradients for many different costs."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.arguments import float_array, require_items, whole_number
from latticemetric.automata.recognition import Gains
from latticemetric.errors import InputError, UsageError, placed
from latticemetric.forest.forest import Forest
from latticemetric.frozen import Frozen
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.columns import Floats, States
from latticemetric.lattice.k2 import Machine, arc_numbers, lattice_of_machine, machines_of
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.n_best import small_enough
from latticemetric.metrics.base import GraphReferences
from latticemetric.metrics.character_rates import SpelledRate
from latticemetric.metrics.recognition import GRR, as_recognition_rate
from latticemetric.metrics.reference_checks import check_references
from latticemetric.nbest import NBest
from latticemetric.posterior import expected as expectation
from latticemetric.posterior.expected import CountedReferences, checked_effort
from latticemetric.posterior.unfolding import MOST_STATES as MOST_STACKS
from latticemetric.posterior.unfolding import unfold
from latticemetric.vocabulary import Vocabulary, Words

Numbers = npt.NDArray[np.int64]

# With fewer arcs per thread, starting a thread takes longer than the search.
_ARCS_A_THREAD = 2_000
_PARTS_A_THREAD = 4  # several small parts per thread, so that all threads end at about the same time


@dataclass(frozen=True, eq=False)
class BatchExpectation(Frozen):
    """The expected rates of a batch.

    Attributes:
        value: The exact expected rate of each graph.
        gradient: For each cost, the derivative of its graph's value; `None` if not computed.
    """

    value: Floats
    gradient: Floats | None


class Batch:
    """Graphs with their references, prepared for many searches with different costs.

    All costs (−log weights) are one flat array, graph by graph:

    - a lattice has one cost per arc, then one per final state;
    - an n-best list has one cost per hypothesis;
    - a forest has one cost per edge, then one per goal;
    - an Fsa of k2 (`from_k2`) has one cost per arc.

    Arcs are in the lattice's own order (`Lattice.source`, `Lattice.final`): `Lattice.from_arcs` sorts the arcs that it
    is given, and leaves out those on no complete path. A score column with the arcs' own numbers tells where they are.

    The probability of a path is exp(−cost), normalised. The scores of the graphs are not used, except by `features`.

    Attributes:
        sizes: The number of costs of each graph; `len(batch)` is the number of graphs.
        totals: The number of words (for n-GRR: of n-grams) of each graph's first reference.

    Examples:
        >>> lists = [NBest.from_strings(["a b", "a c"], costs=[2.0, 1.0]), NBest.from_strings(["d", "e"])]
        >>> batch = Batch(lists, ["a b", "d"])
        >>> found = batch.expected([2.0, 1.0, 0.0, 0.0])
        >>> found.value.round(4).tolist(), found.gradient.round(4).tolist()
        ([0.3655, 0.5], [0.0983, -0.0983, 0.25, -0.25])
    """

    def __init__(
        self,
        graphs: Iterable[Graph | Machine],
        references: Iterable[GraphReferences],
        metric: str | GRR = "wer",
        *,
        most_states: int = expectation.MOST_STATES,
        workers: int | None = None,
    ) -> None:
        """Prepare graphs; see `lm.expected` about references, metrics and `most_states`.

        Args:
            graphs: Lattices, n-best lists or forests.
            references: The references of each graph.
            metric: `wer`, `wrr`, `4-grr`, or a metric object.
            most_states: The largest number of states of one search; `expected` raises an error if a graph needs more.
                N-best lists need no search.
            workers: The number of threads; by default, one per processor, if there is enough work.

        Raises:
            InputError: A reference has no words, or a forest has too many derivations.
        """
        require_items(graphs, "graphs")
        self._graphs = list(graphs)
        if isinstance(references, str):
            raise UsageError(
                "a single string is given as the references of all graphs", advice="give a list with one item per graph"
            )
        require_items(references, "references")
        several = list(references)
        if len(several) != len(self._graphs):
            raise UsageError(
                f"there are {len(self._graphs)} graphs, but {len(several)} references",
                advice="give one item per graph: a reference, or a list of references",
            )
        self._most_states, _ = checked_effort(most_states, None)
        if workers is not None:
            workers = whole_number(workers, f"the number of workers is {workers}", "give a whole number ≥ 1")
        rate = as_recognition_rate(metric)
        if isinstance(rate, SpelledRate):
            raise UsageError(
                f"{rate.name} compares parts of words, but a batch compares whole words", advice="choose wer or N-grr"
            )
        found = []
        for number, (graph, reference) in enumerate(zip(self._graphs, several, strict=True)):
            with placed(f"graph {number}"):
                found.append(_searched(graph, reference, rate))
        self._slope = found[0].listed.slope if found else 1.0
        self._listed = [one.listed for one in found]
        self.sizes = tuple(one.size for one in found)
        self.totals: Floats = np.array([one.listed.totals[0] for one in found], dtype=np.float64)
        arcs = sum(one.arcs for one in found)
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self._workers = min(workers or max(1, min(processors, arcs // _ARCS_A_THREAD)), max(1, len(found)))
        self._parts = _parts(found, 1 if self._workers == 1 else self._workers * _PARTS_A_THREAD)

    @classmethod
    def from_k2(
        cls,
        arcs: Any,
        references: Iterable[GraphReferences],
        metric: str | GRR = "wer",
        *,
        aux_labels: Any = None,
        vocabulary: Vocabulary | None = None,
        most_states: int = expectation.MOST_STATES,
        workers: int | None = None,
    ) -> Self:
        """Prepare a vector of Fsas of k2. The batch has one cost per arc: `-fsas.scores`.

        Args:
            arcs: The tensor of arcs of a vector, or of one Fsa (`fsas.as_dict()["arcs"]`).
            references: The references of each Fsa.
            metric: `wer`, `wrr`, `4-grr`, or a metric object.
            aux_labels: The words of all arcs, if the labels are not the words.
            vocabulary: Maps word numbers to words; by default, words are their numbers.
            most_states: The largest number of states of one search.
            workers: The number of threads.
        """
        machines = machines_of(arcs, None, aux_labels, vocabulary)
        return cls(machines, references, metric, most_states=most_states, workers=workers)

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"Batch({len(self)} graphs, {sum(self.sizes)} costs)"

    def features(self, names: Sequence[str] | None = None) -> Floats:
        """Return the score columns of all graphs: one row per cost, one column per name.

        `features(names) @ weights` are the costs of a log-linear model. If a graph lacks a score column, its values are
        0.

        Args:
            names: Names of score columns; by default, all.
        """
        if isinstance(names, str):
            raise UsageError("names is a string", advice=f"give a list of score names: {[names]}")
        graphs = [graph for graph in self._graphs if not isinstance(graph, Machine)]
        if len(graphs) < len(self._graphs):
            raise UsageError(
                "graphs of k2 have no score columns", advice="their costs are fsas.scores with the sign changed"
            )
        known = dict.fromkeys(name for graph in graphs for name in _score_names(graph))
        wanted = list(known) if names is None else list(names)
        for name in wanted:
            if name not in known:
                raise InputError(
                    f"no graph has a score column '{name}'", advice=f"the columns are: {', '.join(known) or 'none'}"
                )
        rows = [
            np.column_stack([_score(graph, name, size) for name in wanted] or [np.zeros((size, 0))])
            for graph, size in zip(graphs, self.sizes, strict=True)
        ]
        return np.concatenate(rows) if rows else np.zeros((0, len(wanted)))

    def split(self, values: npt.ArrayLike) -> list[npt.NDArray[Any]]:
        """Split an array with one row per cost into one array per graph.

        Raises:
            UsageError: The array has more or fewer rows than the batch has costs.
        """
        array = np.asarray(values)
        if array.shape[:1] != (sum(self.sizes),):
            raise UsageError(
                f"the values have the shape {array.shape}, but the batch has {sum(self.sizes)} costs",
                advice="give an array with one row per cost, such as costs, a gradient, or features",
            )
        return np.split(array, np.cumsum(self.sizes)[:-1]) if self.sizes else []

    @np.errstate(under="ignore")  # tiny probabilities are 0, also for users who let NumPy raise errors
    def expected(self, costs: npt.ArrayLike, *, gradient: bool = True) -> BatchExpectation:
        """Compute the expected rate of each graph under these costs.

        Args:
            costs: All costs, in the order that `Batch` describes.
            gradient: False to skip the gradient, which saves time.

        Raises:
            InputError: A cost is too large or not finite, or a graph needs more states than `most_states`.
        """
        checked = self._checked(costs)
        ask = partial(self._of_part, checked, gradient=gradient)
        with small_enough():
            if self._workers == 1 or len(self._parts) < 2:  # noqa: PLR2004  nothing to share
                found = [ask(part) for part in self._parts]
            else:
                with ThreadPoolExecutor(self._workers) as pool:
                    found = list(pool.map(ask, self._parts))
        values = np.concatenate([np.zeros(0), *(value for value, _ in found)])
        slopes = np.concatenate([np.zeros(0), *(slope for _, slope in found)]) if gradient else None
        return BatchExpectation(values, slopes)

    def check_shape(self, shape: tuple[int, ...]) -> None:
        """Raise `UsageError` unless an array of this shape has one cost for each cost of the batch."""
        if shape != (sum(self.sizes),):
            raise UsageError(
                f"the costs have the shape {shape}, but the batch has {sum(self.sizes)} costs",
                advice="give a flat array, in the order that Batch describes",
            )

    def _checked(self, costs: npt.ArrayLike) -> Floats:
        problem = UsageError(
            "the costs are not an array of numbers",
            advice="give a flat array of floats; for tensors with gradients, use latticemetric.training.torch",
        )
        if getattr(costs, "requires_grad", False):  # the result would not have them
            raise problem
        try:
            array = float_array(costs)
        except (ValueError, TypeError, OverflowError):
            raise problem from None
        self.check_shape(array.shape)
        largest = float(np.finfo(np.float64).max) / (4 * (len(array) + 1))
        wrong = np.flatnonzero(~(np.abs(array) <= largest))
        if len(wrong):
            begins = np.cumsum(self.sizes)
            graph = int(np.searchsorted(begins, wrong[0], side="right"))
            place = int(wrong[0] - begins[graph] + self.sizes[graph])
            raise InputError(
                f"cost {place} is {array[wrong[0]]}",
                where=f"graph {graph}",
                advice="give finite numbers; a cost of 1e4 already gives an arc the probability 0",
            )
        return array

    def _of_part(self, costs: Floats, part: _Part | _ListPart, *, gradient: bool) -> tuple[Floats, Floats]:
        """Return the rates of the graphs of a part, and their gradient (empty if it is not computed)."""
        if isinstance(part, _ListPart):
            mean, sums = part.means(costs[part.costs])
        else:
            mean, sums = self._searched_means(costs, part, gradient=gradient)
        listed = self._listed[part.first_graph : part.first_graph + len(mean)]
        values = np.array([one.rate(value) for one, value in zip(listed, mean.tolist(), strict=True)])
        return values, -self._slope * sums + 0.0 if gradient else np.zeros(0)

    def _searched_means(self, costs: Floats, part: _Part, *, gradient: bool) -> tuple[Floats, Floats]:
        """Search graphs; return the mean of cost / size of each, and its slopes (empty if they are not computed)."""
        padded = np.append(costs[part.costs], 0.0)
        final = np.full(part.num_states, np.inf)
        final[part.final] = padded[part.final_owner]
        try:
            exact, _, mean, arc, end = _native.expected_costs(
                part.source,
                part.target,
                part.kinds,
                padded[part.arc_owner],
                final,
                part.arc_begin,
                part.state_begin,
                references=part.references,
                sizes=part.sizes,
                classes=part.classes,
                gains=part.gains,
                gradient=gradient,
                few_states=expectation.FEW_STATES,
                most_states=self._most_states,
                table_bytes=expectation.TABLE_BYTES,
            )
        except OverflowError as problem:
            raise InputError(str(problem), advice="give alpha and beta with fewer digits") from None
        if not exact.all():
            raise InputError(
                f"the search needs more than {self._most_states} states, or more memory than allowed",
                where=f"graph {part.first_graph + int(np.argmin(exact))}",
                advice="prune the graph, or raise most_states and the memory limit (limit_memory)",
            )
        if not gradient:
            return mean, np.zeros(0)
        owner = np.concatenate([part.arc_owner, part.final_owner])
        slopes = np.concatenate([arc, end[part.final]])
        size = part.costs.stop - part.costs.start
        owned = owner >= 0
        return mean, np.bincount(owner[owned], weights=slopes[owned], minlength=size).astype(np.float64)


class _Prepared(NamedTuple):
    """A graph as a lattice, and its costs.

    Attributes:
        lattice: The lattice.
        arc: For each arc, the index of its cost; −1 for none.
        final: For each final state, the index of its cost; −1 for none.
        size: The number of costs.
    """

    lattice: Lattice
    arc: Numbers
    final: Numbers
    size: int


def _prepared(graph: Lattice | Forest | Machine) -> _Prepared:
    if isinstance(graph, Machine):
        unscored = graph._replace(score=np.zeros(len(graph.source)))  # costs replace its scores
        numbered = lattice_of_machine(Lattice, unscored, numbered=True)
        return _Prepared(numbered, *arc_numbers(numbered), len(graph.source))
    if isinstance(graph, Forest):
        unfolded = unfold(graph, MOST_STACKS)
        if unfolded is None:
            raise InputError("the forest has too many derivations for exact expectations", advice="prune the forest")
        return _Prepared(unfolded.lattice, unfolded.arc, unfolded.final, len(graph.head) + len(graph.goals))
    lattice = as_lattice(graph)
    arcs, ends = len(lattice.word), len(lattice.final)
    return _Prepared(lattice, np.arange(arcs), np.arange(arcs, arcs + ends), arcs + ends)


class _SearchedGraph(NamedTuple):
    """A graph with its references; words are replaced by numbers of word classes (see `CountedReferences.arcs`)."""

    prepared: _Prepared
    listed: CountedReferences
    kinds: Words
    references: list[list[int]]
    classes: int

    @property
    def size(self) -> int:
        """The number of costs."""
        return self.prepared.size

    @property
    def arcs(self) -> int:
        """The number of arcs to search."""
        return len(self.kinds)


class _RatedList(NamedTuple):
    """An n-best list with its references: no costs of the model change the rates of its hypotheses.

    Attributes:
        listed: The references.
        quotient: For each hypothesis, its cost against its best reference, divided by the size of this reference.
    """

    listed: CountedReferences
    quotient: Floats

    @property
    def size(self) -> int:
        """The number of costs, one for each hypothesis."""
        return len(self.quotient)

    @property
    def arcs(self) -> int:
        """The number of arcs to search: none."""
        return 0


def _searched(graph: Graph | Machine, references: GraphReferences, metric: GRR) -> _SearchedGraph | _RatedList:
    check_references(references)
    listed = CountedReferences.of(metric, references)
    if not listed.is_defined:
        raise InputError("the reference has no words, so its rate is not defined", advice="leave the graph out")
    if isinstance(graph, NBest):
        strings = [metric.counted(hypothesis.words) for hypothesis in graph]
        distinct = list(dict.fromkeys(strings))
        cost_of = dict(zip(distinct, listed.costs(distinct, metric.gains), strict=True))
        return _RatedList(listed, np.array([cost / listed.sizes[k] for cost, k in map(cost_of.__getitem__, strings)]))
    prepared = _prepared(graph)
    return _SearchedGraph(prepared, listed, *listed.arcs(prepared.lattice, metric.ignore | metric.wildcard, None))


class _Part(NamedTuple):
    """Consecutive graphs that one call of the kernel searches; costs are numbered from 0 within these graphs."""

    first_graph: int
    costs: slice
    source: States
    target: States
    kinds: Words
    arc_begin: Numbers
    state_begin: Numbers
    arc_owner: Numbers
    final: Numbers  # the final states, as indices among the states of all graphs
    final_owner: Numbers
    num_states: int
    references: list[list[list[int]]]
    sizes: list[list[int]]
    classes: list[int]
    gains: Gains


class _ListPart(NamedTuple):
    """Consecutive n-best lists; hypotheses are numbered from 0 within these lists.

    Attributes:
        first_graph: The number of the first list in the batch.
        costs: Their costs in the batch.
        begin: The first hypothesis of each list.
        owner: The list of each hypothesis.
        quotient: See `_RatedList`.
    """

    first_graph: int
    costs: slice
    begin: Numbers
    owner: Numbers
    quotient: Floats

    def means(self, costs: Floats) -> tuple[Floats, Floats]:
        """Return the mean of each list's quotients, and its slope for each cost, with the sign changed."""
        weight = np.exp(np.minimum.reduceat(costs, self.begin)[self.owner] - costs)
        share = weight / np.add.reduceat(weight, self.begin)[self.owner]
        mean = np.add.reduceat(share * self.quotient, self.begin)
        return mean, share * (self.quotient - mean[self.owner])


def _parts(graphs: Sequence[_SearchedGraph | _RatedList], number: int) -> list[_Part | _ListPart]:
    """Divide graphs into parts with about the same number of arcs: about `number`, if lists and graphs do not mix."""
    share = math.ceil(sum(one.arcs + 1 for one in graphs) / number)
    parts: list[list[Any]] = []
    filled = 0
    for one in graphs:
        if not parts or filled >= share or type(one) is not type(parts[-1][0]):
            parts.append([])
            filled = 0
        parts[-1].append(one)
        filled += one.arcs + 1
    found: list[_Part | _ListPart] = []
    first = cost = 0
    for part in parts:
        found.append((_list_part if isinstance(part[0], _RatedList) else _part)(part, first, cost))
        first, cost = first + len(part), found[-1].costs.stop
    return found


def _list_part(lists: Sequence[_RatedList], first: int, cost: int) -> _ListPart:
    sizes = [one.size for one in lists]
    begin = np.cumsum([0, *sizes])
    return _ListPart(
        first,
        slice(cost, cost + int(begin[-1])),
        begin[:-1],
        np.repeat(np.arange(len(lists)), sizes),
        np.concatenate([one.quotient for one in lists]),
    )


def _part(graphs: Sequence[_SearchedGraph], first: int, cost: int) -> _Part:
    lattices = [one.prepared.lattice for one in graphs]
    state_begin, arc_begin, cost_begin = (
        np.cumsum([0, *counts], dtype=np.int64)
        for counts in (
            [lattice.num_states for lattice in lattices],
            [len(lattice.word) for lattice in lattices],
            [one.prepared.size for one in graphs],
        )
    )

    def joined(columns: Iterable[npt.NDArray[Any]], begins: Numbers) -> Numbers:
        """Join arrays of indices; add each graph's offset to its indices (−1 stays −1)."""
        moved = [np.where(c < 0, -1, c + b) for c, b in zip(columns, begins.tolist(), strict=False)]
        return np.concatenate(moved).astype(np.int64)

    gains = graphs[0].listed.gains
    return _Part(
        first,
        slice(cost, cost + int(cost_begin[-1])),
        np.concatenate([lattice.source for lattice in lattices]),
        np.concatenate([lattice.target for lattice in lattices]),
        np.concatenate([one.kinds for one in graphs]),
        arc_begin,
        state_begin,
        joined((one.prepared.arc for one in graphs), cost_begin),
        joined((lattice.final for lattice in lattices), state_begin),
        joined((one.prepared.final for one in graphs), cost_begin),
        int(state_begin[-1]),
        [one.references for one in graphs],
        [one.listed.sizes for one in graphs],
        [one.classes for one in graphs],
        gains._replace(order=0 if graphs[0].listed.by_edits else gains.order),
    )


def _score_names(graph: Graph) -> list[str]:
    return graph.score_names() if isinstance(graph, NBest) else list(graph.scores)


def _score(graph: Graph, name: str, size: int) -> Floats:
    """Return a score column with one value for each cost of a graph."""
    if isinstance(graph, NBest):
        return np.array([hypothesis.scores.get(name, 0.0) for hypothesis in graph.hypotheses])
    column = graph.scores.get(name)
    return np.zeros(size) if column is None else np.concatenate([column.arc, column.final])
