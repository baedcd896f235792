"""Oracle by a word error rate that treats joined words as equal: `ice cream` matches `icecream` without an error.

For each reference, an automaton computes the number of errors of a text. It is the automaton of WER with additional
paths of cost 0. These paths match several lattice words with one reference word, or one lattice word with several
reference words, if both sides have the same letters when joined. The best path of the lattice through the automaton has
the fewest errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from latticemetric.engine.openfst import require_memory_to_compose
from latticemetric.engine.ties import TieKey
from latticemetric.errors import UsageError, require_pynini
from latticemetric.frozen import freeze
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.columns import Costs, Steps, Weights
from latticemetric.lattice.fst_binary import FstArrays
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.base import References, references_of
from latticemetric.metrics.compounds import CompoundWER
from latticemetric.metrics.reference_checks import check_references
from latticemetric.oracle_search.user_automaton import best_by_automaton
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import EPSILON, STAR, Vocabulary

_METRIC = CompoundWER()
_Arc = tuple[int, int, int, float]  # source, target, label, cost


@dataclass(frozen=True)
class CompoundPath:
    """A path of a lattice, with its word errors; joined words count as equal, as in `CompoundWER`.

    Attributes:
        words: The words of the path, without ε.
        score: Errors divided by the number of reference words; `None` if the reference has no words.
        numerator: The number of errors.
        denominator: The number of reference words.
        cost: The model's cost under the given weights.
        scores: The sum of each named cost along the path; for an n-best list, without the costs of weight 0 that
            `weights` does not name.
        arcs: The numbers of its arcs in the lattice.
    """

    words: tuple[str, ...]
    score: float | None
    numerator: int
    denominator: int
    cost: float
    scores: Mapping[str, float]
    arcs: tuple[int, ...]

    def __post_init__(self) -> None:
        freeze(self, "scores")

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        counts = {"score": self.score, "numerator": self.numerator, "denominator": self.denominator}
        return {"hypothesis": " ".join(self.words), **counts, "cost": self.cost}


@dataclass(frozen=True)
class CompoundOracle(CompoundPath):
    """The path of a lattice with the smallest word error rate that treats joined words as equal.

    Attributes:
        one_best: The model's 1-best: `hypothesis`, `score`, `numerator`, `denominator` and `cost` in JSON.
        exact: Always True: no path of the lattice has a smaller rate.
        signature: The metric, its references, and the version.
    """

    one_best: CompoundPath
    exact: bool
    signature: str

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON; `one_best` is nested."""
        own = {"exact": self.exact, "scores": dict(self.scores), "arcs": list(self.arcs), "signature": self.signature}
        return {**super().asdict(), **own, "one_best": self.one_best.asdict()}


@says_new_keywords
def compound_oracle(graph: Graph, references: References, *, weights: Weights | None = None) -> CompoundOracle:
    """Return the path of a lattice with the smallest word error rate that treats joined words as equal (`CompoundWER`).

    Ties are resolved by the tie rule (`latticemetric.engine.ties`); then the first reference wins.

    Args:
        graph: A lattice, or an n-best list.
        references: One reference or several, as strings.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["white paper on ice", "white paper and icecream"], costs=[1.0, 2.0])
        >>> best = compound_oracle(lattice, "whitepaper on ice cream")
        >>> best.words, best.numerator, best.one_best.numerator
        (('white', 'paper', 'on', 'ice'), 1, 1)
        >>> compound_oracle(lattice, "whitepaper and ice cream").score
        0.0
    """
    require_pynini()
    check_references(references)
    listed = references_of(references)
    lattice = as_lattice(graph, weights)
    if lattice.vocabulary.is_numeric and lattice.word.any():
        raise UsageError(
            "compounds are compared by letters, but the lattice has word numbers", advice="give a symbol table"
        )
    cost = lattice.cost(weights)
    # A reference without words has no rate: use it only if no reference has words.
    candidates = [one for one in listed if one] or list(listed)
    search = _best_hypothesis if lattice.ranked and len(lattice.word) else _best
    found = [(number, words, *search(lattice, words, cost)) for number, words in enumerate(candidates)]

    def rank(one: tuple[int, tuple[str, ...], Steps, int]) -> tuple[Any, ...]:
        number, words, path, errors = one
        length = 0 if lattice.ranked else len(lattice.words(path))
        return Fraction(errors, max(1, len(words))), TieKey.of_path(lattice.cost_of(path, cost), length, path), number

    chosen = min(found, key=rank)
    best = _scored(lattice, listed, chosen[2], cost)
    promised, found_rate = rank(chosen)[0], Fraction(best.numerator, max(1, best.denominator))
    if found_rate != promised:
        raise AssertionError(
            f"the search found the score {promised}, but the path scores {found_rate}: a bug in latticemetric, please "
            f"report it"
        )
    one_best = _scored(lattice, listed, lattice.best_path(cost), cost)
    return CompoundOracle(
        **vars(best), one_best=one_best, exact=True, signature=str(_METRIC.signature_for(len(listed)))
    )


def _scored(lattice: Lattice, references: Sequence[tuple[str, ...]], path: Steps, cost: Costs) -> CompoundPath:
    words = lattice.words(path)
    sums = _METRIC.table([words], [references])
    score = _METRIC.values(sums)[0]
    return CompoundPath(
        words,
        None if np.isnan(score) else float(score),
        int(_METRIC.numerator(sums)[0]),
        int(_METRIC.denominator(sums)[0]),
        lattice.cost_of(path, cost),
        lattice.scores_along(path),
        tuple(path.tolist()),
    )


def _best(lattice: Lattice, reference: tuple[str, ...], cost: Costs) -> tuple[Steps, int]:
    """Return the best path by the tie rule of those with the fewest errors, and the number of errors."""
    automaton = compound_automaton(reference, lattice.vocabulary, lattice.word.tolist())
    # With its copy in arrays, the composed machine takes over three times its own memory.
    require_memory_to_compose(lattice, 4 * len(automaton.final))
    found = best_by_automaton(lattice, automaton, automaton.input, cost)
    assert found is not None  # the automaton accepts all texts
    path, value = found
    return path, int(-value)


def _best_hypothesis(lattice: Lattice, reference: tuple[str, ...], cost: Costs) -> tuple[Steps, int]:
    """Return the same for an n-best list (`ranked`), without an automaton: score each hypothesis."""
    paths = lattice.ranked_paths(cost)
    errors = _METRIC.numerator(_METRIC.table([lattice.words(path) for path in paths], [[reference]] * len(paths)))
    best = int(errors.argmin())  # of the fewest errors, the first: paths are sorted by cost, then by rank
    return paths[best], int(errors[best])


def compound_automaton(reference: tuple[str, ...], vocabulary: Vocabulary, spoken: Sequence[int]) -> FstArrays:
    """Return an acceptor of texts, labelled by word numbers; the cost of a text is its number of errors.

    `spoken` has the numbers of all words that texts may have; ε is ignored.
    """
    number = {vocabulary.word(label): label for label in sorted(set(spoken) - {EPSILON})}
    arcs = [*_edits(reference, number), *_joined_references(reference, number)]
    states = len(reference) + 1
    for place, word in enumerate(reference):
        inside = _spellings(word, number)
        # Add a state for each position inside the word; its begin and end are states of the reference.
        state = {0: place, len(word): place + 1}
        for at in sorted({end for _, end, _ in inside} - {len(word)}):
            state[at] = states
            states += 1
        arcs += [(state[begin], state[end], label, 0.0) for begin, end, label in inside]
    arcs.sort()
    source, target, label, weight = zip(*arcs, strict=True)
    final = np.full(states, np.inf)
    final[len(reference)] = 0.0
    labels = np.array(label, dtype=np.int32)
    ends = np.array([source, target], dtype=np.int32)
    return FstArrays(0, final, ends[0], ends[1], labels, labels, np.array(weight))


def _edits(reference: tuple[str, ...], number: Mapping[str, int]) -> Iterator[_Arc]:
    """Yield the arcs of the WER automaton: matches, deletions, substitutions and insertions."""
    for place, word in enumerate(reference):
        if word in number:
            yield place, place + 1, number[word], 0.0
        yield place, place + 1, EPSILON, 1.0
        yield place, place + 1, STAR, 1.0
    for place in range(len(reference) + 1):
        yield place, place, STAR, 1.0


def _joined_references(reference: tuple[str, ...], number: Mapping[str, int]) -> Iterator[_Arc]:
    """Yield the arcs that match one lattice word with several reference words, if their join is the lattice word."""
    longest = max(map(len, number), default=0)
    for begin in range(len(reference)):
        joined = reference[begin]
        for end in range(begin + 2, len(reference) + 1):
            joined += reference[end - 1]
            if len(joined) > longest:
                break
            if joined in number:
                yield begin, end, number[joined], 0.0


def _spellings(word: str, number: Mapping[str, int]) -> list[tuple[int, int, int]]:
    """Split a word in all ways into several words that are keys of `number`; return all parts.

    A part has its begin and end in the word (in characters), and its number.
    """
    size = len(word)
    reached = {0}
    parts = []
    for begin in range(size):
        if begin in reached:
            for end in range(begin + 1, size + 1):
                if end - begin < size and word[begin:end] in number:
                    parts.append((begin, end, number[word[begin:end]]))
                    reached.add(end)
    useful = {size}
    for begin, end, _ in reversed(parts):
        if end in useful:
            useful.add(begin)
    return [part for part in parts if part[1] in useful]
