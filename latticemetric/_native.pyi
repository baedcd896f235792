"""Loops without policy, in C++ (sources in `kernels/`). Arrays are one-dimensional and contiguous."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

VERSION: str
"""Of the package that it was built for."""

COMPILER: str
FLAGS: str
"""The compiler's options: CMake's flags of the build type."""

class ParseError(ValueError):
    """A text that breaks its format: `args` are its line, what is wrong, and what part of the line (if it says so).

    Lines count from 1 within the text; 0 is the text as a whole.
    """

class NotJsonError(ValueError):
    """A text that is not strict JSON with finite numbers."""

def order_states(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    start: int,
    is_final: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.int32], int, bool, int]:
    """New number of each state (-1: no complete path passes), how many, if arcs are in order, a state on a cycle."""

def order_forest(
    head: npt.NDArray[np.int32],
    tail_begin: npt.NDArray[np.int64],
    tail: npt.NDArray[np.int32],
    is_goal: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], int, int]:
    """New number of each node (-1: no derivation uses it), the used edges in order, how many nodes, one on a cycle."""

def best_path(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    is_word: npt.NDArray[np.uint8],
    final_cost: npt.NDArray[np.float64],
) -> npt.NDArray[np.int64]:
    """Arcs of the cheapest path; ties: fewest words, then smallest arc numbers."""

def through_costs(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    final_cost: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Cost of the cheapest path with each arc, and of the cheapest that ends in each state."""

def determinize(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    word: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    final_cost: npt.NDArray[np.float64],
    start: int,
    delta: float,
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
]:
    """An acceptor without ε, where each string has one path: source, target, word and cost of arcs, final costs."""

def search_lattice(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    label: npt.NDArray[np.int32],
    is_word: npt.NDArray[np.uint8],
    cost: npt.NDArray[np.float64],
    final_cost: npt.NDArray[np.float64],
    reference: npt.NDArray[np.int32],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
    way: Literal["automatic", "table", "band"] = "automatic",
    part_bytes: int = ...,
) -> tuple[npt.NDArray[np.int64], int, int]:
    """Arcs of the best path under a recognition rate, and the high and the low 64 bits of its gain.

    A table has all states of the product with the metric's automaton, a band those that may matter, with so many bytes
    of them in memory at a time; the answer is the same.
    """

def best_lattice(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    label: npt.NDArray[np.int32],
    is_word: npt.NDArray[np.uint8],
    cost: npt.NDArray[np.float64],
    final_cost: npt.NDArray[np.float64],
    references: list[list[int]],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
    way: Literal["automatic", "table", "band"] = "automatic",
    part_bytes: int = ...,
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.uint8],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
]:
    """All best paths: of states, the lattice's, and whether paths end; of arcs, source, target, and the lattice's."""

def search_spelled_lattice(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    label: npt.NDArray[np.int32],
    is_word: npt.NDArray[np.uint8],
    cost: npt.NDArray[np.float64],
    final_cost: npt.NDArray[np.float64],
    begin: npt.NDArray[np.int64],
    units: npt.NDArray[np.int32],
    separator: int,
    reference: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int64], int]:
    """Arcs of the path with the fewest errors in the units that spell its words, and these errors.

    Label w > 0 is spelled `units[begin[w - 1] : begin[w]]`; label 0 is ε. The separator is a unit between two words; 0
    for none.
    """

def search_reference_graph(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    label: npt.NDArray[np.int32],
    is_word: npt.NDArray[np.uint8],
    cost: npt.NDArray[np.float64],
    final_cost: npt.NDArray[np.float64],
    size: npt.NDArray[np.int32],
    reference_source: npt.NDArray[np.int32],
    reference_target: npt.NDArray[np.int32],
    reference_label: npt.NDArray[np.int32],
    reference_size: npt.NDArray[np.int32],
    reference_final: npt.NDArray[np.uint8],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
    rate_high: int,
    rate_low: int,
    rate_total: int,
    most_bytes: float,
) -> tuple[npt.NDArray[np.int64], int, int, int]:
    """The best path against a graph at a rate: its arcs, high and low 64 bits of a gain, and its denominator.

    `size` and `reference_size` say what each arc adds to the denominator. What is largest is gain * rate's
    denominator − rate's gain * denominator.

    Raises:
        OverflowError: 128 bits do not hold what is compared.
        TooLarge: The search needs more memory than `most_bytes`.
    """

whole_slot: int

def align_systems(
    system_begin: npt.NDArray[np.int64],
    slot_begin: npt.NDArray[np.int64],
    word: npt.NDArray[np.int32],
    parts: npt.NDArray[np.int32],
    times: npt.NDArray[np.float64],
    spelling: list[str],
) -> tuple[npt.NDArray[np.int64], float, int]:
    """The slot of each system in each column, or −1; the cost; and the edit distances of all pairs, summed.

    Parts of each slot add up to `whole_slot`; word 0 is no word; times are begin and end of each slot, or NaN.
    """

def align_networks(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    label: npt.NDArray[np.int32],
    is_final: npt.NDArray[np.uint8],
    candidate_source: npt.NDArray[np.int32],
    candidate_target: npt.NDArray[np.int32],
    candidate_label: npt.NDArray[np.int32],
    candidate_final: npt.NDArray[np.uint8],
    substitution: float,
    deletion: float,
    insertion: float,
    silence: float,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], str]:
    """The cheapest alignment of two networks, as sclite makes it: the arcs of both sides, and a letter an edit."""

class TooLarge(MemoryError):  # noqa: N818  C++ names it
    """The search needs more memory than is allowed."""

def best_derivation(
    head: npt.NDArray[np.int32],
    tail_begin: npt.NDArray[np.int64],
    tail: npt.NDArray[np.int32],
    said_begin: npt.NDArray[np.int64],
    said: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    words: npt.NDArray[np.int64],
    goal_cost: npt.NDArray[np.float64],
) -> npt.NDArray[np.int64]:
    """Edges of the model's best derivation."""

def largest_cost(
    head: npt.NDArray[np.int32],
    tail_begin: npt.NDArray[np.int64],
    tail: npt.NDArray[np.int32],
    said_begin: npt.NDArray[np.int64],
    said: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    words: npt.NDArray[np.int64],
    goal_cost: npt.NDArray[np.float64],
) -> float:
    """No derivation's cost, nor any part of it, is larger in size than this."""

def best_forest(
    head: npt.NDArray[np.int32],
    tail_begin: npt.NDArray[np.int64],
    tail: npt.NDArray[np.int32],
    said_begin: npt.NDArray[np.int64],
    said: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    words: npt.NDArray[np.int64],
    goal_cost: npt.NDArray[np.float64],
    references: list[list[int]],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
    most_bytes: int,
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    npt.NDArray[np.int64],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
]:
    """All best derivations: head, edge, rows of tails, goals, and which goal each is."""

def best_strings(
    head: npt.NDArray[np.int32],
    tail_begin: npt.NDArray[np.int64],
    tail: npt.NDArray[np.int32],
    said_begin: npt.NDArray[np.int64],
    said: npt.NDArray[np.int32],
    shown_begin: npt.NDArray[np.int64],
    shown: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    words: npt.NDArray[np.int64],
    goal_cost: npt.NDArray[np.float64],
    rank: npt.NDArray[np.int64],
    reference: npt.NDArray[np.int32],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
    most: int,
    few: int,
    most_bytes: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    """Edges of the best derivations of the best strings, where each begins, high and low 64 bits of their gains.

    A string is what its edges show. Without ranks edges are compared by number, in preorder; ranks are compared along
    paths, where no edge has two tails. Up to `few` strings are listed and ranked; more of them are searched.
    """

def search_forest(
    head: npt.NDArray[np.int32],
    tail_begin: npt.NDArray[np.int64],
    tail: npt.NDArray[np.int32],
    said_begin: npt.NDArray[np.int64],
    said: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    words: npt.NDArray[np.int64],
    goal_cost: npt.NDArray[np.float64],
    reference: npt.NDArray[np.int32],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
    most_bytes: int,
) -> tuple[npt.NDArray[np.int64], int, int]:
    """Edges of the best derivation, and the high and low 64 bits of its gain."""

def search_forest_for_hope(
    head: npt.NDArray[np.int32],
    tail_begin: npt.NDArray[np.int64],
    tail: npt.NDArray[np.int32],
    said_begin: npt.NDArray[np.int64],
    said: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    words: npt.NDArray[np.int64],
    goal_cost: npt.NDArray[np.float64],
    reference: npt.NDArray[np.int32],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
    whole_cost: npt.NDArray[np.int64],
    whole_goal_cost: npt.NDArray[np.int64],
    gain_weight: tuple[int, int],
    cost_weight: tuple[int, int],
    most_bytes: int,
) -> tuple[npt.NDArray[np.int64], int, int]:
    """Edges of the derivation of the largest weighed gain less weighed whole cost, and both halves of that value.

    Weights are numbers of 128 bits, as their high and low 64 bits. Ties: least `cost`, fewest words, smallest edges.
    """

def forest_through_costs(
    head: npt.NDArray[np.int32],
    tail_begin: npt.NDArray[np.int64],
    tail: npt.NDArray[np.int32],
    said_begin: npt.NDArray[np.int64],
    said: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    words: npt.NDArray[np.int64],
    goal_cost: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Cost of the cheapest derivation with each edge, and of the cheapest of each node, as a goal."""

def inside_outside(
    head: npt.NDArray[np.int32],
    tail_begin: npt.NDArray[np.int64],
    tail: npt.NDArray[np.int32],
    said_begin: npt.NDArray[np.int64],
    said: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    words: npt.NDArray[np.int64],
    goal_cost: npt.NDArray[np.float64],
) -> tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Log of the sum over derivations; how often each node is used; of each edge given its head, of each goal."""

def forest_ngram_posteriors(
    head: npt.NDArray[np.int32],
    tail_begin: npt.NDArray[np.int64],
    tail: npt.NDArray[np.int32],
    said_begin: npt.NDArray[np.int64],
    said: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    words: npt.NDArray[np.int64],
    goal_cost: npt.NDArray[np.float64],
    node: npt.NDArray[np.float64],
    transition: npt.NDArray[np.float64],
    ending: npt.NDArray[np.float64],
    order: int,
    most_bytes: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """A row an n-gram, as `ngram_posteriors` has them."""

def search_forest_ngrams(
    head: npt.NDArray[np.int32],
    tail_begin: npt.NDArray[np.int64],
    tail: npt.NDArray[np.int32],
    said_begin: npt.NDArray[np.int64],
    said: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    words: npt.NDArray[np.int64],
    goal_cost: npt.NDArray[np.float64],
    own: npt.NDArray[np.int32],
    known: npt.NDArray[np.int32],
    parent: npt.NDArray[np.int32],
    ending: npt.NDArray[np.int32],
    gain: npt.NDArray[np.float64],
    word_gain: float,
    order: int,
    most_bytes: int,
) -> npt.NDArray[np.int64]:
    """Edges of the derivation that gains most. `own` are words of the forest, `known` their numbers in n-grams."""

def weighed_strings(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    label: npt.NDArray[np.int32],
    shown: npt.NDArray[np.int32],
    cost: npt.NDArray[np.int64],
    final_cost: npt.NDArray[np.int64],
    is_final: npt.NDArray[np.uint8],
    references: list[list[int]],
    weights: list[tuple[int, int]],
    cost_weight: tuple[int, int],
    ill: bool,
    order: int,
    unit: int,
    alpha: int,
    beta: int,
    most: int,
    most_steps: int,
    most_bytes: int,
    way: Literal["automatic", "table", "band"] = "automatic",
    part_bytes: int = ...,
) -> tuple[list[list[int]], int, list[tuple[int, int]], tuple[int, int]]:
    """Arcs of the strings of least loss, how many are surely the best, their losses, and a bound for the others.

    The loss is cost_weight * cost - the best weight * gain, or plus it if strings are to score ill. Weights and losses
    are given as their high and low 64 bits. For one string, `way` is that of `search_lattice`.
    """

def forward_backward(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    final_cost: npt.NDArray[np.float64],
) -> tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Log of the sum over paths; of each state, its probability; of each arc and each end, theirs given the state."""

def expected_cost(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    word: npt.NDArray[np.int32],
    transition: npt.NDArray[np.float64],
    ending: npt.NDArray[np.float64],
    references: list[list[int]],
    sizes: list[int],
    classes: int,
    order: int,
    unit: int,
    alpha: int,
    beta: int,
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
    """The expected cost of a path by size: `Expectation` of `expected.hpp`, field by field."""

def expected_costs(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    word: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    final_cost: npt.NDArray[np.float64],
    arc_begin: npt.NDArray[np.int64],
    state_begin: npt.NDArray[np.int64],
    references: list[list[list[int]]],
    sizes: list[list[int]],
    classes: list[int],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
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
    """Of each graph: whether its mean is exact, the size of the product, the mean; the slopes of all arcs and states.

    A slope is the derivative of the graph's mean by the logarithm of the weight: by the cost, negated. If the mean is
    not exact, it is 0, and so are the slopes.
    """

def incoming_shares(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    states: int,
) -> npt.NDArray[np.float64]:
    """Of each arc, sorted by target, its probability given that its target is passed."""

def meet_words(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    label: npt.NDArray[np.int32],
    share: npt.NDArray[np.float64],
    times: npt.NDArray[np.float64],
    states: int,
    labels: int,
    hypothesis: npt.NDArray[np.int32],
    slack: float = 0,
) -> tuple[
    float,
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
]:
    """The risk of a hypothesis; label, position, the probability that they meet, and mean begin and end times it.

    Arcs are sorted by target, and the last state is the end; without times the columns of times are empty. Rows are
    sorted by position, then by label. The answer does not depend on `slack`: how much more than the least of its
    state a cell may cost to be looked at first; 0 leaves the choice.
    """

def ngram_posteriors(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    word: npt.NDArray[np.int32],
    transition: npt.NDArray[np.float64],
    states: int,
    order: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """A row an n-gram, the empty one first: the row without its last word, that word, its posterior."""

def search_ngrams(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    word: npt.NDArray[np.int32],
    cost: npt.NDArray[np.float64],
    final_cost: npt.NDArray[np.float64],
    parent: npt.NDArray[np.int32],
    ending: npt.NDArray[np.int32],
    gain: npt.NDArray[np.float64],
    word_gain: float,
) -> npt.NDArray[np.int64]:
    """Arcs of the path that gains most; n-grams are rows as above. Ties: least cost, fewest words, smallest arcs."""

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
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    npt.NDArray[np.float64],
]:
    """A lattice whose arcs have the gains of the n-grams that they complete, which are rows as above.

    Of each state the state of the lattice; of each arc source, target, the arc of the lattice, its gain.
    """

def align(
    candidate: npt.NDArray[np.int32],
    reference: npt.NDArray[np.int32],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
    most_bytes: int = ...,
    longest_in_table: int = 100,
) -> str:
    """The optimal alignment as letters C, S, D, I, ties resolved; gains are integers in `1 / unit`."""

def shared_words(texts: list[str]) -> list[tuple[str, ...]]:
    """The words of each text, as `split_words` has them; equal words are one object.

    Raises:
        TypeError: A text is no string.
        UnicodeEncodeError: A text holds half a character.
    """

def number_segments(
    candidates: Any, references: Any, across: bool
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    npt.NDArray[np.int64],
    list[str],
]:
    """Words of candidates as numbers, where each candidate begins, the same of references, owner, distinct words.

    Takes lists or tuples. A candidate is a text, and references are a string or a list or tuple of texts; a text is a
    string, or a list or tuple of words. References of segment s are texts owner[s] … owner[s + 1] − 1. A number is the
    same word within a segment, or where `across` in all of them; only then the distinct words are listed.
    """

def count_segments(
    candidates: Any, references: Any, order: int, unit: int, alpha: int, beta: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """A row a reference, with its candidate: k-gram matches for k = 1 … order, S, D, I, k-grams of the reference.

    Texts and owner are those of `number_segments`.
    """

class Utf8Texts:
    """Texts in UTF-8, as Arrow keeps them: text k is the bytes begin[k] … begin[k + 1] − 1."""

    def __init__(self, data: npt.NDArray[np.uint8], begin: npt.NDArray[np.int64]) -> None: ...
    def __len__(self) -> int: ...

def count_lists(
    texts: Any,
    begin: npt.NDArray[np.int64],
    references: Any,
    owner: npt.NDArray[np.int64],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """A row a hypothesis and reference of its list, as in `count_segments`; new hypotheses; missing words.

    Then, for each hypothesis, whether it is new in its list; then, for each list, how many words of its references are
    in no hypothesis. List s has the hypotheses begin[s] … begin[s + 1] − 1, and the references owner[s] …
    owner[s + 1] − 1. Texts are `Utf8Texts`, or strings or words in a list or tuple.
    """

def string_trie(
    begin: npt.NDArray[np.int64], words: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """A row a node, the root first: the row before it, its word; and the row where each string ends."""

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
    """The smallest lattice of a trie's strings: source, target, word, cost; final states, their costs; the start."""

def pair_gains(
    candidates: npt.NDArray[np.int32],
    candidate_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
) -> npt.NDArray[np.int64]:
    """Gains of candidates, a row a reference: the sum of `align`'s best alignment, in `1 / unit`."""

def pair_errors(
    candidates: npt.NDArray[np.int32],
    candidate_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
) -> npt.NDArray[np.int32]:
    """The fewest substitutions, deletions and insertions of each candidate, a row a reference."""

def count_pairs(
    candidates: npt.NDArray[np.int32],
    candidate_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    owner: npt.NDArray[np.int64],
    order: int,
    unit: int,
    alpha: int,
    beta: int,
) -> npt.NDArray[np.int64]:
    """The rows of `count_segments`, of numbered words."""

def count_compounds(
    candidates: npt.NDArray[np.int32],
    candidate_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    owner: npt.NDArray[np.int64],
    said_begin: npt.NDArray[np.int64],
    said_end: npt.NDArray[np.int32],
    said_length: npt.NDArray[np.int32],
    said_word: npt.NDArray[np.int32],
    expected_begin: npt.NDArray[np.int64],
    expected_end: npt.NDArray[np.int32],
    expected_length: npt.NDArray[np.int32],
    expected_word: npt.NDArray[np.int32],
) -> npt.NDArray[np.int64]:
    """Substitutions, deletions and insertions where words may be joined, a row a reference.

    `said` are words of candidates that make one word if joined, `expected` those of references: for each string the
    rows, and for each row the place after the words, how many they are, and the word.
    """

def draw_errors(
    segment: npt.NDArray[np.int32],
    errors: npt.NDArray[np.int64],
    gains: npt.NDArray[np.float64],
    least: int,
    samples: int,
    seed: int,
) -> npt.NDArray[np.float64]:
    """Summed gains of pairs in random order, each segment's first only, until they have `least` errors.

    A row a sample. A pair is a system that errs in a segment.
    """

def count_chrf(
    candidates: npt.NDArray[np.int32],
    candidate_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    owner: npt.NDArray[np.int64],
    characters: int,
    words: int,
    with_spaces: bool,
) -> npt.NDArray[np.int64]:
    """N-grams of the candidate, of the reference and of both, by order: of characters, then of words.

    A row a reference. Texts are code points of Unicode.
    """

def count_ter(
    candidates: npt.NDArray[np.int32],
    candidate_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    owner: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Edits and shifts of each reference's candidate, as tercom finds them."""

class NgramIndex:
    """The n-grams of many strings, up to an order."""

    def __init__(self, words: npt.NDArray[np.int32], begin: npt.NDArray[np.int64], order: int) -> None: ...
    def matches(
        self, references: npt.NDArray[np.int32], reference_begin: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int32]:
        """Clipped n-gram matches: a row a reference, then an order, then a string of the index."""

def match_ngrams(
    candidates: npt.NDArray[np.int32],
    candidate_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    owner: npt.NDArray[np.int64],
    order: int,
) -> npt.NDArray[np.int64]:
    """Clipped n-gram matches, a row a segment and a column an order."""

def weigh_ngrams(
    candidates: npt.NDArray[np.int32],
    candidate_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    owner: npt.NDArray[np.int64],
    order: int,
) -> npt.NDArray[np.float64]:
    """The information of clipped n-gram matches, a row a segment and a column an order."""

def align_stages(
    candidates: npt.NDArray[np.int32],
    candidate_begin: npt.NDArray[np.int64],
    references: npt.NDArray[np.int32],
    reference_begin: npt.NDArray[np.int64],
    keys: npt.NDArray[np.int32],
    key_begin: npt.NDArray[np.int64],
    stages: int,
    cap: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """METEOR: matches, chunks, crossings and inexact of each pair; where its edges begin; edges with their stage."""

def parse_kaldi(whole: bytes, begin: int, end: int, symbols: bool = False) -> dict[str, Any]:
    """Columns of one lattice of a Kaldi text archive, from a byte to another (`kernels/arc_lines.hpp`).

    The line of its id is passed over.
    """

def parse_kaldi_binary(whole: bytes, begin: int, end: int) -> dict[str, Any]:
    """A lattice of a Kaldi binary archive, from its header to its last byte; the columns of `parse_kaldi`."""

def skip_kaldi_binary(data: bytes, begin: int) -> int | None:
    """Find the end of the lattice that begins at an offset; `None` if the bytes end before it does."""

def take_rows(
    begin: npt.NDArray[np.int64], values: npt.NDArray[Any], rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """These rows of a buffer of bytes or of 32-bit ids, one after another: where they begin, and their values.

    Row r is `values[begin[r]:begin[r + 1]]`.
    """

def join_rows(
    begin: npt.NDArray[np.int64], ids: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Rows of ids as texts, joined by `_`: where they begin, and their bytes."""

def parse_openfst(text: bytes) -> dict[str, Any]:
    """Columns of an OpenFst machine as text (`kernels/arc_lines.hpp`)."""

def parse_plf(text: bytes) -> dict[str, Any]:
    """Columns of a lattice in Python lattice format, scores as they are written (`kernels/plf.hpp`)."""

def parse_slf(text: bytes, texts: list[str]) -> dict[str, Any]:
    """Header fields, and columns of nodes and of links, of an HTK lattice; `texts` are never numbers."""

def parse_moses_hypergraph(text: bytes) -> dict[str, Any]:
    """Columns of a hypergraph of Moses (`kernels/forest_text.hpp`); rows as where they begin, and values."""

def parse_target_graph(text: bytes) -> dict[str, Any]:
    """Columns of a target graph of cdec (`kernels/hypergraph.hpp`)."""

def parse_joshua_hypergraph(text: bytes) -> dict[str, Any]:
    """Columns of a hypergraph of Joshua (`kernels/hypergraph.hpp`)."""

def parse_cdec_json(text: bytes) -> dict[str, Any]:
    """Columns of a forest of cdec in JSON (`kernels/cdec_json.hpp`)."""

def parse_travatar_json(text: bytes) -> dict[str, Any]:
    """Columns of a forest of Travatar in JSON (`kernels/travatar_json.hpp`)."""

def split_blocks(text: bytes, at_end: bool) -> npt.NDArray[np.int64]:
    """A row a block between blank lines: its first byte, the byte after it, the lines before each of them."""
