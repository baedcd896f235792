"""The C++ extension: inner loops only (sources in `kernels/`). Arrays are one-dimensional and contiguous.

Parameters are made from the extension: python tests/kit/native_stub.py
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

_Gains: TypeAlias = tuple[int, int, int, int]
"""The parameters of a rate: order, unit, alpha and beta; see `latticemetric.automata.recognition.Gains`."""

VERSION: str
"""The version of the package that the extension was built for."""

COMPILER: str
FLAGS: str
"""The options of the compiler: the CMake flags of the build type."""

def keep_freed_memory() -> None:
    """Let the C library keep freed memory for later allocations, instead of returning it to the system."""

class ParseError(ValueError):
    """Error for a text that violates its format; `args` are the line, the problem, and the place in the line if known.

    Lines count from 1 within the text; line 0 means the whole text.
    """

class NotJsonError(ValueError):
    """Error for a text that is not strict JSON with finite numbers."""

class Lattice:
    """A lattice that is checked once: arcs go to larger states and are sorted by source, and costs are finite.

    `label` has the word of each arc that metrics compare (0 for ε), `is_word` says which arcs add words to the result.
    Kernels that need one of them refuse lattices without it.
    """

    def __init__(
        self,
        source: npt.NDArray[np.int32],
        target: npt.NDArray[np.int32],
        cost: npt.NDArray[np.float64],
        final_cost: npt.NDArray[np.float64],
        label: npt.NDArray[np.int32] | None = None,
        is_word: npt.NDArray[np.uint8] | None = None,
    ) -> None: ...

class ReferenceGraph:
    """A reference graph that is checked once; `size` has what each arc adds to the denominator of a rate."""

    def __init__(
        self,
        source: npt.NDArray[np.int32],
        target: npt.NDArray[np.int32],
        label: npt.NDArray[np.int32],
        size: npt.NDArray[np.int32],
        is_final: npt.NDArray[np.uint8],
    ) -> None: ...

class Forest:
    """A forest that is checked once: edges are sorted by head, tails come before heads, and costs are finite."""

    def __init__(
        self,
        head: npt.NDArray[np.int32],
        tail_begin: npt.NDArray[np.int64],
        tail: npt.NDArray[np.int32],
        target_begin: npt.NDArray[np.int64],
        target: npt.NDArray[np.int32],
        cost: npt.NDArray[np.float64],
        words: npt.NDArray[np.int64],
        goal_cost: npt.NDArray[np.float64],
    ) -> None: ...
    def with_cost(self, cost: npt.NDArray[np.float64], goal_cost: npt.NDArray[np.float64]) -> Forest:
        """Return the same forest with other costs."""

def order_states(
    source: npt.NDArray[np.int32], target: npt.NDArray[np.int32], start: int, is_final: npt.NDArray[np.uint8]
) -> tuple[npt.NDArray[np.int32], int, bool, int]:
    """Sort states topologically, and drop states that lie on no complete path.

    Return the new number of each state (−1: dropped), the number of remaining states, whether arcs are already sorted
    by source and lead to larger states, and a state on a cycle (−1: no cycle).
    """

def ordered_states(source: npt.NDArray[np.int32], target: npt.NDArray[np.int32], final: npt.NDArray[np.int32]) -> int:
    """Return the number of states if the graph is in order, otherwise 0.

    In a graph in order, state 0 is the start, arcs are sorted by source and lead to larger states, final states ascend,
    and every state lies on a complete path.
    """

def canonical_order(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    rank: npt.NDArray[np.int32],
    states: int,
    final: npt.NDArray[np.int32],
    columns: Sequence[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]],
    times: npt.NDArray[np.float64] | None,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Order states and arcs by what they say: by the ranks of words, columns of scores, times, and paths.

    Return the new number of each state, and the arcs in their new order.
    """

def are_numbers(values: npt.NDArray[np.int32]) -> bool:
    """Return false if a value is negative or `STAR`, the largest integer."""

def are_finite(values: npt.NDArray[np.float64]) -> bool:
    """Return false if a value is NaN or infinite."""

def total_cost(
    columns: Sequence[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]],
    weights: Sequence[float],
    arcs: int,
    states: int,
    final: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], bool]:
    """Return the sum of columns, each multiplied by its scale, and True if no path's cost can overflow.

    A column has a cost for each arc and for each final state. The sum has a cost for each arc, and for ending in each
    state: infinite if the state is not final.
    """

def order_forest(
    head: npt.NDArray[np.int32],
    tail_begin: npt.NDArray[np.int64],
    tail: npt.NDArray[np.int32],
    is_goal: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], int, int]:
    """Sort nodes topologically, and drop nodes and edges that are in no complete derivation.

    Return the new number of each node (−1: dropped), the remaining edges sorted by head, the number of remaining nodes,
    and a node on a cycle (−1: no cycle).
    """

def best_path(lattice: Lattice) -> npt.NDArray[np.int64]:
    """Return the arcs of the cheapest path.

    Ties are resolved by the fewest words, then by the smallest arc numbers.
    """

def largest_path_cost(lattice: Lattice) -> float:
    """Return the largest sum of absolute costs along a path."""

def best_costs_through_arcs(lattice: Lattice) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the cost of the cheapest path through each arc, and of the cheapest path that ends in each state."""

def n_best_strings(lattice: Lattice, most: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the arcs of the cheapest path of each of the `most` cheapest strings, and the index of each first arc.

    Strings are compared by labels. Ties are resolved by the fewest labels, then by the smallest arc numbers.
    """

def n_best_paths(lattice: Lattice, most: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the arcs of the `most` cheapest paths, and the index of each first arc.

    Ties are resolved by the fewest arcs, then by the smallest arc numbers.
    """

def determinize(
    lattice: Lattice, unit: float
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
]:
    """Return the smallest lattice with one path per string: source, target, word and cost of each arc, and final costs.

    The steps by which arcs make the cost of the best path grow are rounded to multiples of `unit`.
    """

_Texts: TypeAlias = tuple[bytes, npt.NDArray[np.int64]]
_PathColumns: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], _Texts, npt.NDArray[np.float64]]
_ScoreColumns: TypeAlias = tuple[npt.NDArray[np.int32], _Texts, npt.NDArray[np.int64]]

class SymbolTable:
    """The words of a symbol table, for kernels that read graphs: text k is the word of number k."""

    def __init__(self, texts: Utf8Texts) -> None: ...

_Words: TypeAlias = tuple[str, ...]
_RateTask: TypeAlias = tuple[bytes, int, int, str, bool, SymbolTable | None, tuple[_Words, ...], tuple[_Words, ...]]

def search_best(
    whole: bytes,
    begin: Sequence[int],
    end: Sequence[int],
    format_name: str,
    are_spelled: bool,
    table: object | None,
    weights: tuple[float, float],
    posterior_scale: float,
    threads: int,
) -> tuple[
    npt.NDArray[np.uint8],
    _PathColumns,
    tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]],
    tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]],
]:
    """Find the 1-bests of lattices of a Kaldi archive, in threads; `search_by_rates` describes the texts.

    Return for each lattice whether its 1-best was found; and for those lattices, the paths, and lists of probabilities:
    of each step, and of each word.
    """

def search_by_rates(
    tasks: list[_RateTask],
    rates: Sequence[_Gains],
    weights: tuple[float, float],
    ignored: Sequence[str],
    silent: Sequence[str],
    threads: int,
    sought: Sequence[str] = ...,
    outer_words: bool = False,
    most_bytes: int | None = None,
    most_seconds: float | None = None,
) -> tuple[
    npt.NDArray[np.uint8],
    tuple[_Texts, _Texts],
    _Texts,
    _PathColumns,
    list[tuple[_PathColumns, _ScoreColumns, _ScoreColumns]],
    list[str],
]:
    """Search lattices of Kaldi's archives by rates, in threads.

    A task has the bytes of a file, the beginning and the end of the lattice in them, the format (`kaldi` or
    `kaldi-binary`), whether the archive has words, not word numbers, the symbol table, the words of the references, and
    other forms of these words: each word, and the forms that are worth a note if the lattice has them, but not the
    word.

    Results do not show the words `ignored`; rates do not compare the words `silent`, which include those.

    `outer_words` asks for the words with which all paths begin and end. `most_bytes` and `most_seconds` limit each
    lattice.

    Return the outcome for each lattice: 0 if it is left to Python, also if it needs too many bytes; 1 if it was
    searched here; 2 if it took too many seconds. For those that were searched here: the words with which all paths
    begin, and those with which all end, or empty texts; the distinct words of lattices whose oracle by a rate matches
    less than half of its reference, for others an empty text; the paths of the 1-bests; and for each rate, the paths of
    the oracles, the scores of the oracles, and those of the 1-bests. Paths are arcs and where they begin, words with
    blanks between them, and costs: under the weights, then of each column. Scores are the number of the best reference,
    the edits of the alignment, and their counts. Last, the words `sought` that a lattice or a reference has.
    """

def search_lattice(
    lattice: Lattice,
    reference: npt.NDArray[np.int32],
    gains: _Gains,
    method: Literal["automatic", "table", "band"] = "automatic",
    part_bytes: int = ...,
) -> tuple[npt.NDArray[np.int64], int]:
    """Return the arcs of the best path under a recognition rate, and its gain.

    `method` changes time and memory, but not the result: `table` stores all states of the product of the lattice and
    the metric's automaton; `band` stores only the states that can influence the result. `part_bytes` limits the bytes
    of states in memory at a time.
    """

def best_lattice(
    lattice: Lattice,
    references: Sequence[Sequence[int]],
    gains: _Gains,
    method: Literal["automatic", "table", "band"] = "automatic",
    part_bytes: int = ...,
) -> tuple[
    npt.NDArray[np.int32], npt.NDArray[np.uint8], npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64]
]:
    """Return all best paths under a recognition rate, for any of the references, as a graph.

    Return two columns of states: the original state, and 1 for a final state. Then return three columns of arcs:
    source, target and original arc.
    """

def search_spelled_lattice(
    lattice: Lattice,
    begin: npt.NDArray[np.int64],
    units: npt.NDArray[np.int32],
    separator: int,
    reference: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int64], int]:
    """Return the arcs of the path with the fewest errors in units (such as characters), and the number of errors.

    Label w > 0 has the units `units[begin[w - 1] : begin[w]]`; label 0 is ε. `separator` is the unit between two words;
    0 for none.
    """

def search_at_rate(
    lattice: Lattice,
    size: npt.NDArray[np.int32],
    reference: npt.NDArray[np.int32],
    gains: _Gains,
    rate: tuple[int, int],
    method: Literal["automatic", "table", "band"] = "automatic",
    part_bytes: int = ...,
) -> tuple[npt.NDArray[np.int64], int, int]:
    """Return the best path at a rate: its arcs, the gain, and the denominator.

    `size` holds what each arc adds to the denominator. For the rate (R, T), the search maximises
    gain · T − R · denominator. For `method` and `part_bytes`, see `search_lattice`.

    Raises:
        OverflowError: The compared values do not fit into 128 bits.
    """

def search_reference_graph(
    lattice: Lattice, reference: ReferenceGraph, gains: _Gains, rate: tuple[int, int], most_bytes: float
) -> tuple[npt.NDArray[np.int64], int, int]:
    """Return the best path against a reference graph: its arcs, the gain, and the denominator.

    For the rate, see `search_at_rate`.

    Raises:
        OverflowError: The compared values do not fit into 128 bits.
        TooLarge: The search needs more memory than `most_bytes`.
    """

whole_slot: int

def align_systems(
    system_begin: npt.NDArray[np.int64],
    slot_begin: npt.NDArray[np.int64],
    word: npt.NDArray[np.int32],
    parts: npt.NDArray[np.int32],
    times: npt.NDArray[np.float64],
    spelling: Sequence[str],
    time_mediated: bool = False,
) -> tuple[npt.NDArray[np.int64], float, int]:
    """Align the outputs of systems, each a sequence of slots, in the columns of one network.

    Return the slot of each system in each column (−1: none), the cost, and the summed edit distances of all pairs of
    systems. `parts` holds the probabilities of a slot's words as integers with the sum `whole_slot`; word 0 means no
    word. `times` holds begin and end of each slot, or NaN. If `time_mediated` is true, times are part
    of what the search minimizes, though not of the cost.
    """

def median_text(
    begin: npt.NDArray[np.int64],
    word: npt.NDArray[np.int32],
    weight: npt.NDArray[np.float64],
    known: float,
    tolerance: float,
    most_arcs: int,
    most_cells: int,
) -> tuple[npt.NDArray[np.int32] | None, float, float]:
    """Search for a text whose weighted sum of edit distances from all texts is below `known` by more than `tolerance`.

    Return its words, or `None` if there is none or none was found; its cost, or else `known`; and a lower bound of the
    cost of any text. Weights are above 0, and 1 at most.
    """

def align_networks(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    label: npt.NDArray[np.int32],
    is_final: npt.NDArray[np.uint8],
    hypothesis_source: npt.NDArray[np.int32],
    hypothesis_target: npt.NDArray[np.int32],
    hypothesis_label: npt.NDArray[np.int32],
    hypothesis_final: npt.NDArray[np.uint8],
    substitution: float,
    deletion: float,
    insertion: float,
    silence: float,
    longest_in_table: int = 40,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], str]:
    """Align two networks at the least cost, as sclite does.

    Return the arcs of the first network, the arcs of the hypothesis network, and one letter (C, S, D or I) per edit.
    Texts with more words than `longest_in_table` are aligned in a band.
    """

class TooLarge(MemoryError):  # noqa: N818  the name in C++
    """Error for a search that needs more memory than is allowed."""

def best_derivation(forest: Forest) -> npt.NDArray[np.int64]:
    """Return the edges of the derivation with the least cost, the model's 1-best."""

def largest_cost(forest: Forest) -> float:
    """Return an upper bound of the absolute cost of any part of a derivation."""

def most_words(forest: Forest) -> float:
    """Return the number of words of the longest string."""

def best_forest(
    forest: Forest, references: Sequence[Sequence[int]], gains: _Gains, most_bytes: int
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    npt.NDArray[np.int64],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
]:
    """Return all best derivations under a recognition rate, for any of the references, as a forest.

    Return the head and the original number of each edge, the tails of edges (row begins, then values), the goals, and
    the original node of each goal.
    """

def best_strings(
    forest: Forest,
    shown_begin: npt.NDArray[np.int64],
    shown: npt.NDArray[np.int32],
    reference: npt.NDArray[np.int32],
    gains: _Gains,
    most: int,
    few: int,
    most_bytes: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], list[int]]:
    """Return the best derivation of each of the `most` best strings.

    Return the edges of all derivations; then, for each derivation, the index of its first edge, and its gain. Strings
    are compared by `shown`, the words of each edge without ignored words. If the graph has at most `few` strings, list
    and rank all of them; otherwise, search for the best.
    """

def search_forest(
    forest: Forest, reference: npt.NDArray[np.int32], gains: _Gains, most_bytes: int
) -> tuple[npt.NDArray[np.int64], int]:
    """Return the edges of the best derivation under a recognition rate, and its gain."""

def search_forest_for_hope(
    forest: Forest,
    reference: npt.NDArray[np.int32],
    gains: _Gains,
    integer_cost: npt.NDArray[np.int64],
    integer_goal_cost: npt.NDArray[np.int64],
    gain_weight: int,
    cost_weight: int,
    most_bytes: int,
) -> tuple[npt.NDArray[np.int64], int]:
    """Return the derivation with the largest value of `gain_weight` · gain − `cost_weight` · cost.

    Return its edges, and the value. Ties are resolved by the least cost of the forest, the fewest words, and the
    smallest edge numbers.
    """

def best_costs_through_edges(forest: Forest) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the cost of the cheapest derivation with each edge, and of the cheapest derivation of each node.

    A derivation with an edge is complete. A derivation of a node has this node as its root.
    """

def inside_outside(
    forest: Forest,
) -> tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return posterior probabilities of a forest.

    Return the logarithm of the summed weights of all derivations, the probability of each node, the probability of each
    edge given its head, and the probability of each goal.
    """

def forest_ngram_posteriors(
    forest: Forest,
    node: npt.NDArray[np.float64],
    transition: npt.NDArray[np.float64],
    ending: npt.NDArray[np.float64],
    order: int,
    most_bytes: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return the posteriors of n-grams in a forest, in the columns of `ngram_posteriors`."""

def search_forest_ngrams(
    forest: Forest,
    own: npt.NDArray[np.int32],
    known: npt.NDArray[np.int32],
    parent: npt.NDArray[np.int32],
    ending: npt.NDArray[np.int32],
    gain: npt.NDArray[np.float64],
    word_gain: float,
    order: int,
    most_items: int,
    seconds: float,
    most_bytes: int,
) -> tuple[npt.NDArray[np.int64], float, bool]:
    """Find the derivation with the largest gain of n-grams.

    Return its edges, an upper bound of all gains, and whether the search was complete.
    """

class ForestNgrams:
    """N-grams of a forest that are counted when searches need them."""

    def __init__(
        self,
        forest: Forest,
        node: npt.NDArray[np.float64],
        transition: npt.NDArray[np.float64],
        ending: npt.NDArray[np.float64],
        order: int,
        most_bytes: int,
    ) -> None: ...
    def size(self) -> int:
        """Return the number of n-grams that are counted so far."""

    def order(self) -> int:
        """Return the length of the longest n-grams, at most that of the longest string."""

    def posteriors_of(
        self, words: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Return the posteriors of the n-grams of a string, in the columns of `ngram_posteriors`."""

    def search(
        self,
        forest: Forest,
        own: npt.NDArray[np.int32],
        known: npt.NDArray[np.int32],
        factor: npt.NDArray[np.float64],
        unit: float,
        word_gain: float,
        most_items: int,
        seconds: float,
        most_bytes: int,
    ) -> tuple[npt.NDArray[np.int64], float, bool]:
        """Find the derivation with the largest gain; n-grams gain a factor by their length, times their posterior.

        Gains are rounded to multiples of `unit`. Return the values of `search_forest_ngrams`.
        """

def loss_augmented_strings(
    lattice: Lattice,
    shown: npt.NDArray[np.int32],
    cost: npt.NDArray[np.int64],
    final_cost: npt.NDArray[np.int64],
    references: Sequence[Sequence[int]],
    weights: Sequence[int],
    cost_weight: int,
    penalize: bool,
    gains: _Gains,
    most: int,
    most_steps: int,
    most_bytes: int,
    method: Literal["automatic", "table", "band"] = "automatic",
    part_bytes: int = ...,
    starts: Sequence[int] = ...,
) -> tuple[list[list[int]], int, list[int], int]:
    """Return the strings with the least loss, the best string first.

    Return the arcs of each string, how many of the first strings are proven to be the best, the loss of each string,
    and a lower bound of the losses of all other strings. The loss of a string is `cost_weight` · cost − G or, with
    `penalize`, `cost_weight` · cost + G, where G is the largest weight · gain over references. Weights and losses have
    at most 128 bits. For `method`, see `search_lattice`; it applies only to the search for a single string.
    """

def forward_backward(
    lattice: Lattice,
) -> tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return posterior probabilities of a lattice.

    Return the logarithm of the summed weights of all paths, the probability of each state, and the probabilities of
    each arc given its source and of ending in each state.
    """

def expected_cost(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    word: npt.NDArray[np.int32],
    transition: npt.NDArray[np.float64],
    ending: npt.NDArray[np.float64],
    references: Sequence[Sequence[int]],
    sizes: Sequence[int],
    classes: int,
    gains: _Gains,
    outcomes: bool,
    gradient: bool,
    keeps_bases: bool,
    few_states: int,
    most_states: int,
    seconds: float,
    table_bytes: float,
    samples: int,
    seed: int,
) -> tuple[
    bool,
    int,
    float,
    float,
    float,
    float,
    float,
    int,
    npt.NDArray[np.int64],
    npt.NDArray[np.int32],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
]:
    """Return the expected rate of a path.

    The rate of a path is the least quotient of its cost and the size of a reference, over all references. The tuple has
    the fields of `Expectation` in `kernels/expectation/expectation.hpp`.
    """

def expected_costs(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    word: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    final_cost: npt.NDArray[np.float64],
    arc_begin: npt.NDArray[np.int64],
    state_begin: npt.NDArray[np.int64],
    references: Sequence[Sequence[Sequence[int]]],
    sizes: Sequence[Sequence[int]],
    classes: Sequence[int],
    gains: _Gains,
    gradient: bool,
    few_states: int,
    most_states: int,
    table_bytes: float,
) -> tuple[
    npt.NDArray[np.uint8],
    npt.NDArray[np.int64],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
]:
    """Return the expected rate of each of several graphs; see `expected_cost`.

    Return three columns of graphs: 1 if the mean is exact, the number of states of the product, and the mean. Then
    return the slopes of all arcs, and of ending in all states. A slope is ∂ mean / ∂ log weight, which is
    −∂ mean / ∂ cost. If a mean is not exact, the mean and its slopes are 0.
    """

def incoming_shares(
    source: npt.NDArray[np.int32], target: npt.NDArray[np.int32], cost: npt.NDArray[np.float64], states: int
) -> npt.NDArray[np.float64]:
    """Return the probability of each arc, given that a path passes its target; arcs are sorted by target."""

def mbr_statistics(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    label: npt.NDArray[np.int32],
    share: npt.NDArray[np.float64],
    times: npt.NDArray[np.float64],
    states: int,
    labels: int,
    hypothesis: npt.NDArray[np.int32],
    slack: float = 0.0,
) -> tuple[
    float,
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
]:
    """Return the risk of a hypothesis, and the words of the lattice that its positions are aligned with.

    Return the risk, then five columns, with one row per label at a position: label, position, probability of their
    alignment, and begin and end times multiplied by probabilities. Rows are sorted by position, then by label. Without
    `times`, the columns of times are empty. Arcs must be sorted by target; the last state is the end. `slack` changes
    time, but not the result: the kernel first computes only cells that cost at most `slack` more than the best cell of
    their state. If `slack` is 0, the kernel chooses it.
    """

def ngram_posteriors(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    word: npt.NDArray[np.int32],
    transition: npt.NDArray[np.float64],
    states: int,
    order: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return one row per n-gram, the empty n-gram first.

    A row has the row number of the n-gram without its last word, the last word, and the posterior.
    """

def rows_of_string(
    string: Sequence[int], parent: npt.NDArray[np.int32], ending: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Return the row of each n-gram of a string in a trie, by where it begins, then by length."""

def lengths_of_rows(parent: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the number of words of each n-gram of a trie."""

def search_ngrams(
    lattice: Lattice,
    parent: npt.NDArray[np.int32],
    ending: npt.NDArray[np.int32],
    gain: npt.NDArray[np.float64],
    word_gain: float,
) -> tuple[npt.NDArray[np.int64], bool]:
    """Return the arcs of the path with the largest gain of n-grams.

    Ties are resolved by the least cost, the fewest words, and the smallest arc numbers; the second value is True if the
    numbers may have decided.
    """

def unfold_gains(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    word: npt.NDArray[np.int32],
    states: int,
    parent: npt.NDArray[np.int32],
    ending: npt.NDArray[np.int32],
    gain: npt.NDArray[np.float64],
    word_gain: float,
) -> tuple[
    npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.float64]
]:
    """Return a lattice whose arcs have the gains of the n-grams that they complete.

    The columns are the original state of each state; source, target, original arc and gain of each arc.
    """

def align(
    hypothesis: tuple[Any, ...],
    reference: tuple[Any, ...],
    gains: _Gains,
    most_bytes: int = ...,
    longest_in_table: int = 100,
) -> str:
    """Return the optimal alignment of words as letters C, S, D, I; gains are integers in units of `1 / unit`."""

def count_edits(edits: str, order: int) -> tuple[tuple[int, ...], int, int, int, tuple[int, ...]]:
    """Return the counts of an alignment, given as letters C, S, D, I.

    The counts are M_1 … M_n, the numbers of S, D and I, and |g_1(r)| … |g_n(r)|.
    """

def shared_words(texts: list[str]) -> list[tuple[str, ...]]:
    """Return the words of each text, like `split_words`; equal words are one object.

    Raises:
        TypeError: A text is not a string.
        UnicodeEncodeError: A text contains a lone surrogate.
    """

def number_segments(
    hypotheses: Any, references: Any, across: bool
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    npt.NDArray[np.int64],
    list[str],
]:
    """Number the words of hypotheses and references.

    Return the word numbers and string begins of the hypotheses, then of the references, the owners, and the distinct
    words.

    The arguments are lists or tuples. A hypothesis is a text; references are a string, or a list or tuple of texts; a
    text is a string, or a list or tuple of words. Segment s has the references owner[s] … owner[s + 1] − 1. Equal words
    have equal numbers within a segment. With `across`, they have equal numbers in all segments; without it, the list of
    distinct words is empty.
    """

def count_segments(
    hypotheses: Any, references: Any, gains: _Gains
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return one row per reference: k-gram matches for k = 1 … order, S, D, I, and the reference's k-gram counts.

    For texts and the second result (`owner`), see `number_segments`.
    """

class Utf8Texts:
    """Texts in UTF-8, as Arrow stores them: text k has the bytes begin[k] … begin[k + 1] − 1."""

    def __init__(self, data: npt.NDArray[np.uint8], begin: npt.NDArray[np.int64]) -> None: ...
    def __len__(self) -> int: ...

def count_lists(
    texts: Any, begin: npt.NDArray[np.int64], references: Any, owner: npt.NDArray[np.int64], gains: _Gains
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Count the edits of each hypothesis of n-best lists against each reference of its list.

    Return one row per hypothesis and reference of its list, with the columns of `count_segments`; for each hypothesis,
    1 if it differs from all earlier hypotheses of its list; and for each list, the number of reference words that are
    in no hypothesis. List s has the hypotheses begin[s] … begin[s + 1] − 1, and the references owner[s] …
    owner[s + 1] − 1. Texts are `Utf8Texts`, or strings or words in a list or tuple.
    """

def string_trie(
    begin: npt.NDArray[np.int64], words: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Build the trie of some strings.

    Return the parent and the word of each node, the root first, and the node in which each string ends.
    """

def minimize_trie(
    parent: npt.NDArray[np.int32], word: npt.NDArray[np.int32], end_cost: npt.NDArray[np.float64]
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.float64],
    npt.NDArray[np.int32],
    npt.NDArray[np.float64],
    int,
]:
    """Return the smallest lattice with the strings of a trie and their costs.

    `end_cost` is the cost of the string that ends in a node, infinite if no string ends there.

    Return source, target, word and cost of each arc, the final states, their costs, and the start state.
    """

def pair_gains(
    hypotheses: npt.NDArray[np.int32],
    hypothesis_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    gains: _Gains,
) -> npt.NDArray[np.int64]:
    """Return the gain of each hypothesis's best alignment with each reference, a row each, in units of `1 / unit`."""

def pair_errors(
    hypotheses: npt.NDArray[np.int32],
    hypothesis_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
) -> npt.NDArray[np.int32]:
    """Return the fewest errors (S + D + I) of each hypothesis against each reference, one row per reference."""

def count_pairs(
    hypotheses: npt.NDArray[np.int32],
    hypothesis_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    owner: npt.NDArray[np.int64],
    gains: _Gains,
) -> npt.NDArray[np.int64]:
    """Return the rows of `count_segments` for hypotheses and references whose words are numbers."""

def count_compounds(
    hypotheses: npt.NDArray[np.int32],
    hypothesis_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    owner: npt.NDArray[np.int64],
    hypothesis_join_begin: npt.NDArray[np.int64],
    hypothesis_join_end: npt.NDArray[np.int32],
    hypothesis_join_length: npt.NDArray[np.int32],
    hypothesis_join_word: npt.NDArray[np.int32],
    reference_join_begin: npt.NDArray[np.int64],
    reference_join_end: npt.NDArray[np.int32],
    reference_join_length: npt.NDArray[np.int32],
    reference_join_word: npt.NDArray[np.int32],
    longest: int = 100,
) -> npt.NDArray[np.int64]:
    """Return substitutions, deletions and insertions where words may be joined, one row per reference.

    The columns `hypothesis_join_…` and `reference_join_…` list adjacent words that are one word when joined. `begin` is
    the index of each string's first row. The other columns have, per row, the position after the adjacent words
    (`end`), their number (`length`), and the number of the joined word (`word`). Pairs with a string of more than
    `longest` words are first aligned without joined words, which takes less time.
    """

def draw_errors(
    segment: npt.NDArray[np.int32],
    errors: npt.NDArray[np.int64],
    gains: npt.NDArray[np.float64],
    least: int,
    samples: int,
    seed: int,
) -> npt.NDArray[np.float64]:
    """Draw random samples of outputs with errors; return the summed gains of each sample.

    An output belongs to one system and one segment. A sample has at most one output per segment, and just enough
    outputs to have at least `least` errors.
    """

def count_chrf(
    hypotheses: npt.NDArray[np.int32],
    hypothesis_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    owner: npt.NDArray[np.int64],
    characters: int,
    words: int,
    with_spaces: bool,
) -> npt.NDArray[np.int64]:
    """Return the numbers of n-grams in hypothesis and reference, and of their matches, one row per reference.

    Columns are in ascending order of n, first for characters, then for words. Texts are Unicode code points.
    """

def count_ter(
    hypotheses: npt.NDArray[np.int32],
    hypothesis_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    owner: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Return the numbers of edits and shifts that turn a hypothesis into each of its references, as in tercom."""

class NgramIndex:
    """The n-grams of many strings, up to a given order."""

    def __init__(self, words: npt.NDArray[np.int32], begin: npt.NDArray[np.int64], order: int) -> None: ...
    def matches(
        self, references: npt.NDArray[np.int32], reference_begin: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int32]:
        """Return clipped n-gram matches, sorted by reference, then by order, then by string of the index."""

def match_ngrams(
    hypotheses: npt.NDArray[np.int32],
    hypothesis_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    owner: npt.NDArray[np.int64],
    order: int,
) -> npt.NDArray[np.int64]:
    """Return clipped n-gram matches, one row per segment and one column per order."""

def weigh_ngrams(
    hypotheses: npt.NDArray[np.int32],
    hypothesis_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    owner: npt.NDArray[np.int64],
    order: int,
) -> npt.NDArray[np.float64]:
    """Return the information (as in NIST) of clipped n-gram matches, one row per segment and one column per order."""

def align_stages(
    hypotheses: npt.NDArray[np.int32],
    hypothesis_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    keys: npt.NDArray[np.int32],
    key_begin: npt.NDArray[np.int64],
    stages: int,
    cap: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Align each hypothesis with its reference in the stages of METEOR.

    Return a row per pair: matches, chunks, crossings, and 1 if the alignment is not exact. Then return the index of the
    first edge of each pair, and the edges: hypothesis position, reference position and stage.
    """

def summarize_best(
    scale: float,
    states: int,
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    word: npt.NDArray[np.int32],
    final: npt.NDArray[np.int32],
    columns: Sequence[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]],
    weights: Sequence[float],
    ranked: bool,
) -> tuple[list[int], float, list[float], npt.NDArray[np.float64], list[float]] | None:
    """Return the best path of a sorted lattice, its cost, and its sum of each column; `None` if costs are too large.

    Also return the probability of each of its steps, then of its end, and the probability of each arc with a word.
    """

def sum_paths(
    target: npt.NDArray[np.int32],
    final: npt.NDArray[np.int32],
    columns: Sequence[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]],
    cost: npt.NDArray[np.float64],
    final_cost: npt.NDArray[np.float64],
    begin: npt.NDArray[np.int64],
    arcs: npt.NDArray[np.int64],
) -> list[tuple[float, list[float]]]:
    """Return the cost of each complete path, and its sum of each column of costs."""

def measure_lattice(
    states: int,
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    word: npt.NDArray[np.int32],
    final: npt.NDArray[np.int32],
    columns: Sequence[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]],
    weights: Sequence[float],
    ranked: bool,
) -> tuple[bytes | None, int, int, int, int, int, int, int, float] | None:
    """Measure a sorted lattice (`kernels/graphs/lattice_summary.hpp`); return `None` if costs are too large.

    Return the number of paths (`None` if it is 2³²⁷⁶⁸ or more), the words of the shortest and the longest path, the
    arcs with a word, the distinct words, the places that all arcs pass, the last place, the words and the cost of the
    best path.
    """

def parse_kaldi(whole: bytes, begin: int, end: int, symbols: bool = False) -> dict[str, Any]:
    """Parse one lattice, bytes `begin` to `end` of a Kaldi text archive (`kernels/formats/arc_lines.hpp`).

    Skip the first line, the id.
    """

def parse_kaldi_binary(whole: bytes, begin: int, end: int) -> dict[str, Any]:
    """Parse bytes `begin` to `end` of a Kaldi binary archive, a lattice; return the columns of `parse_kaldi`."""

_Costs: TypeAlias = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
_Labels: TypeAlias = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], tuple[npt.NDArray[np.int64], npt.NDArray[Any]]]
_SortedLattice: TypeAlias = tuple[
    int,
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    _Costs,
    _Costs,
    _Labels | None,
]

def read_kaldi(
    whole: bytes, begin: int, end: int, symbols: bool, may_move: bool
) -> tuple[_SortedLattice, list[str] | None] | None:
    """Read one lattice, bytes `begin` to `end` of a Kaldi text archive, and sort it as `validated` does.

    Return the number of states, then read-only columns: source, target, word, final, two pairs of costs, labels. Also
    return the words; `None` if they are numbers. Return `None` if `parse_kaldi` and `validated` must read the lattice:
    there is something to say, or rows would move, but `may_move` is false.
    """

def read_kaldi_binary(whole: bytes, begin: int, end: int, may_move: bool) -> _SortedLattice | None:
    """Read one lattice of a Kaldi binary archive, as `read_kaldi` reads one of a text archive."""

def write_kaldi_binary(
    states: int,
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    word: npt.NDArray[np.int32],
    arcs: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.int64], npt.NDArray[np.int32]],
    final: npt.NDArray[np.int32],
    ends: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.int64], npt.NDArray[np.int32]],
) -> bytes:
    """Write the states and arcs of a compact machine of Kaldi.

    Weights are graph costs, acoustic costs, where the transition ids of each weight begin, and ids.
    """

def skip_kaldi_binary(data: bytes, begin: int) -> int | None:
    """Return the end of the lattice that begins at an offset; `None` if the bytes end before the lattice."""

def take_rows(
    begin: npt.NDArray[np.int64], values: npt.NDArray[Any], rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Copy some `rows` of a buffer of bytes or 32-bit ids; return where each copied row begins, and the values.

    Row r of the buffer is `values[begin[r]:begin[r + 1]]`. The result has the same form.
    """

def join_rows(
    begin: npt.NDArray[np.int64], ids: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Join the ids of each row by `_` into a text: return where each text begins, and the bytes."""

def split_rows(
    begin: npt.NDArray[np.int64], texts: npt.NDArray[np.uint8]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]] | None:
    """Split texts that `join_rows` could have made into rows of ids; return `None` if a text is no list of ids."""

def write_rows(rows: int, parts: list[Any]) -> bytes:
    """Write `rows` rows of text with these parts.

    A part is bytes, which all rows have, or has a value per row: an array (int32; float64 as by `repr`; float32 as by
    `str` of NumPy 2.4), int32 with bytes to write instead of 0, or int32 with `Utf8Texts` whose texts have these
    numbers, and perhaps bytes to write before each text that is not empty.
    """

def write_lines(lines: int, parts: list[Any]) -> tuple[bytes, npt.NDArray[np.int64]]:
    """Write `lines` lines of records with these parts; return them one after the other, and their beginnings.

    A part is bytes, which all lines have, or a column. Columns are tuples that begin with their kind:

    - `integers`, values (int64);
    - `list`, values (int64), beginnings, bytes between them;
    - `real`, values (float64), bytes for NaN: as by `repr`;
    - `whole`, values (float64), bytes for NaN: as `real`, but whole numbers as integers;
    - `decimal`, values (float64), decimal places, bytes for NaN;
    - `json`, `tsv` or `text`, bytes (UTF-8), beginnings, and perhaps a width; or a list of strings. Characters that
      would end a string of JSON, or a field of TSV, become escapes. With a width, blanks precede shorter texts.
    """

def parse_openfst(text: bytes) -> dict[str, Any]:
    """Parse an OpenFst machine in text form into columns (`kernels/formats/arc_lines.hpp`)."""

def parse_plf(text: bytes) -> dict[str, Any]:
    """Parse a lattice in Python lattice format into columns (`kernels/formats/plf.hpp`)."""

def parse_slf(text: bytes, texts: Sequence[str]) -> dict[str, Any]:
    """Parse an HTK lattice into header fields and columns of nodes and links; fields in `texts` are always strings.

    The numbers of nodes and links are int32 if all of them are whole.
    """

def read_search_graph(text: bytes) -> tuple[Any, ...] | None:
    """Read a usual search graph of Moses into columns of arcs, and its final states; `None` for any other text."""

def read_slf(text: bytes) -> tuple[Any, ...] | None:
    """Read a usual HTK lattice into sorted columns (`kernels/formats/slf_lattice.hpp`); `None` for any other text."""

def read_pfsg(text: bytes) -> dict[str, Any] | None:
    """Read a usual PFSG into columns (`kernels/formats/node_lines.hpp`); return `None` for any other text."""

def word_nodes(
    states: int,
    near: npt.NDArray[np.int32],
    far: npt.NDArray[np.int32],
    word: npt.NDArray[np.int32],
    is_bare: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Assign the word of each arc to a node of its near state (`kernels/formats/word_nodes.hpp`).

    Return the word and the state of each node, and the node of each arc.
    """

def pfsg_scores(costs: npt.NDArray[np.float64]) -> tuple[bytes, npt.NDArray[np.int64]] | None:
    """Return the scores of a PFSG that have these costs, one after the other, and their ends.

    Return `None` if a cost is of extreme size, or is the product of a score with more digits than doubles have.
    """

def read_sphinx(text: bytes) -> dict[str, Any] | None:
    """Read a usual lattice of Sphinx into columns (`kernels/formats/node_lines.hpp`); `None` for any other text."""

def read_mesh(whole: bytes, begin: int, end: int) -> tuple[Any, ...] | None:
    """Read a usual word mesh of SRILM: return the number of positions, and positions, words and costs of arcs.

    Return `None` for any other text.
    """

def read_moses_network(whole: bytes, begin: int, end: int) -> tuple[Any, ...] | None:
    """Read a usual confusion network of Moses as `read_mesh` does."""

def parse_moses_hypergraph(text: bytes) -> dict[str, Any]:
    """Parse a Moses hypergraph into columns (`kernels/formats/forest_text.hpp`).

    Columns of rows with several values are stored as row begins and values.
    """

def parse_target_graph(text: bytes) -> dict[str, Any]:
    """Parse a target graph of cdec into columns (`kernels/formats/hypergraph.hpp`)."""

def parse_joshua_hypergraph(text: bytes) -> dict[str, Any]:
    """Parse a hypergraph of Joshua into columns (`kernels/formats/hypergraph.hpp`)."""

def parse_cdec_json(text: bytes) -> dict[str, Any]:
    """Parse a JSON forest of cdec into columns (`kernels/formats/cdec_json.hpp`)."""

def parse_travatar_json(text: bytes) -> dict[str, Any]:
    """Parse a JSON forest of Travatar into columns (`kernels/formats/travatar_json.hpp`)."""

def split_blocks(text: bytes, begin: int, at_end: bool) -> npt.NDArray[np.int64]:
    """Return one row per block of lines between blank lines, from byte `begin` on.

    A row has the positions of the block's first byte and of the byte after the block, and the numbers of lines from
    `begin` to each of these bytes. A block that reaches the end of the text is returned only if `at_end`.
    """

def kaldi_ids(text: bytes, blocks: npt.NDArray[np.int64]) -> list[str]:
    """Return the ids of lattices in a Kaldi text archive, up to the first block whose first line is not plainly an id.

    `blocks` is as `split_blocks` returns it.
    """

_Paths: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""The arcs (edges) of paths, and where each path begins."""

class TunedGraphs:
    """Graphs whose paths cost c[0] + x c[1] + y c[2] at the weights x and y.

    A column has the costs of all graphs, one after the other: of each graph, those of arcs (edges), then those of its
    ends, which are states (nodes) in ascending order. Sums of absolute costs along a path must be below 2 ** 52 on a
    line, and below 2 ** 39 in a plane.
    """

    def __init__(self) -> None: ...
    def add(self, graph: Lattice | Forest, ends: npt.NDArray[np.int32]) -> None:
        """Add a graph."""

    def __len__(self) -> int: ...
    def largest_sum(self, costs: npt.NDArray[np.float64]) -> float:
        """Return the largest sum of absolute costs of a path, of all graphs."""

    def segments(
        self,
        chosen: npt.NDArray[np.int64],
        columns: Sequence[npt.NDArray[np.int64]],
        low: int,
        high: int,
        unit: int,
        most_segments: int,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.int64], _Paths]:
        """Return the segments from `low / unit` to `high / unit` of the graphs of the numbers `chosen`.

        Returns:
            The number of segments of each graph; and of all segments, the ends, the sums of both columns, the paths.
        """

    def cells(
        self, number: int, columns: Sequence[npt.NDArray[np.int64]], box: Sequence[int], most_cells: int
    ) -> WeightCells:
        """Return the cells of a graph.

        `box` is the lowest and the highest x, the same of y, and the number by which these are divided.
        """

def line_sums(
    rows: npt.NDArray[np.float64],
    graph: npt.NDArray[np.int64],
    last: npt.NDArray[np.int64],
    start: npt.NDArray[np.float64],
    counts: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return sums of statistics along a line of weights: `start`, then after each change whose number is in `last`.

    A change adds a row, `counts[graph]` times.
    """

class WeightCells:
    """The cells of a box of weights in which a path of a graph is the cheapest."""

    def __len__(self) -> int: ...
    def sums(self) -> npt.NDArray[np.int64]:
        """Return the sums of the three columns of each cell's path."""

    def paths(self) -> _Paths:
        """Return the path of each cell."""

    def edges(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the coefficients (a, b, c) of the edges of all cells, and where the edges of each cell begin.

        A cell is where a x + b y + c >= 0 for all its edges.
        """

    def corners(self) -> npt.NDArray[np.float64]:
        """Return the corners of all cells, in the order of their edges."""

class Overlay:
    """The cells of many graphs in one box, and a row of statistics for each cell."""

    def __init__(self, box: Sequence[int], columns: int) -> None: ...
    def add(self, cells: WeightCells, rows: npt.NDArray[np.float64]) -> None:
        """Add a graph: its cells and their statistics."""

    def best(
        self,
        counts: npt.NDArray[np.float64],
        bounds: Callable[[npt.NDArray[np.float64], npt.NDArray[np.float64]], npt.NDArray[np.float64]],
        slack: float,
        all_faces: bool,
        most_faces: int,
        least_margin: float,
        most_boxes: int,
    ) -> tuple[float, float, int, list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]]]:
        """Return the largest merit of summed rows, a bound of all merits, the number of boxes examined, and faces.

        `bounds` returns a bound of the merit for each pair of rows, low and high; it is the merit if both are equal. A
        face has the cell of each graph, and the corners of the region in which all graphs stay in their cells. Regions
        of a smaller margin are left out, in shares of the box: how far both weights may change, and no cell does.
        """

    def region(self, x: int, y: int, unit: int) -> npt.NDArray[np.float64]:
        """Return the corners of the part around a point in which all graphs stay in their cells.

        There are none if the point `x / unit`, `y / unit` is where a graph changes its cell.
        """

    def at(self, x: int, y: int, unit: int) -> npt.NDArray[np.int32]:
        """Return the cell of each graph at the weights `x / unit` and `y / unit`."""

    def sums(self, part: Sequence[int], n: int) -> npt.NDArray[np.float64]:
        """Return the summed rows at the middle of each of n × n parts of a box in this one.

        The first weight changes fastest. On a border of cells, the first of the cheapest cells counts.
        """

    def borders(self, most: int) -> npt.NDArray[np.float64]:
        """Return both ends of each border where statistics change; `most` of them if there are more."""
