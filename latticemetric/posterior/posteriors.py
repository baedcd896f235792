"""Posteriors of the parts of lattices: a path has the probability exp(−cost), normalised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, overload

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import UsageError
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.lattice import Column, Floats, Lattice, Scales
from latticemetric.posterior.distribution import Distribution, require_finite, scaled_cost

if TYPE_CHECKING:
    from latticemetric.nbest import NBest
    from latticemetric.posterior.forest import ForestPosteriors
    from latticemetric.posterior.ngrams import NgramPosteriors


class ArcPath(Protocol):
    """A scored path of a lattice, as oracles return it; paths of forests have `edges` instead of `arcs`."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the path, without ignored words."""

    @property
    def arcs(self) -> tuple[int, ...]:
        """The numbers of its arcs in the lattice."""

    @property
    def edges(self) -> tuple[int, ...]:
        """The numbers of its edges in the forest."""


_ANOTHER_LATTICE = UsageError("the path belongs to another lattice", advice="take both from the same")


@dataclass(frozen=True, eq=False)
class Posteriors(Distribution):
    """The distribution over the paths of a lattice.

    Attributes:
        lattice: The lattice.
        log_total: Logarithm of the sum of exp(−cost) over its paths.
        state: The probability that a path passes each state.
        arc: The probability that a path has each arc.
        transition: The probability of each arc, given its source state.
        ending: The probability of ending in each final state.
    """

    lattice: Lattice
    state: Floats
    arc: Floats

    def expected(self, arc_values: npt.ArrayLike, final_values: npt.ArrayLike | None = None) -> float:
        """Return the expected sum of values of a path's arcs and of its final state."""
        return self._expected(arc_values, final_values)

    def ngrams(self, order: int) -> NgramPosteriors:
        """Return, for each n-gram of up to `order` words, the probability that a path has it at least once.

        Examples:
            >>> lattice = Lattice.from_strings(["a b", "a b a b", "b"], costs=[0.0, 0.0, 0.0])
            >>> for words, posterior in posteriors(lattice).ngrams(2).items():
            ...     print(*words, round(posterior, 3))
            a 0.667
            b 1.0
            a b 0.667
            b a 0.333
        """
        from latticemetric.posterior.ngrams import ngram_posteriors

        return ngram_posteriors(self.lattice, self.transition, order)

    def to_lattice(self) -> Lattice:
        """Return the lattice with one column, `posterior`: −ln of the probability of each arc and of each end.

        Words, states and times do not change. Probabilities below the smallest normal number (10⁻³⁰⁸) are raised to it.

        Examples:
            >>> lattice = Lattice.from_strings(["a b", "a c", "b"], costs=[0.0, 0.0, 0.0])
            >>> posteriors(lattice).to_lattice().scores["posterior"].arc.round(4).tolist()
            [1.0986, 1.0986, 1.0986, 1.0986, 1.0986]
        """
        ending = self.ending if len(self.ending) > 1 else np.ones(1)
        return Lattice.from_arcs(
            self.lattice.source,
            self.lattice.target,
            self.lattice.word,
            final=self.lattice.final,
            scores={"posterior": Column(_costs_of(self.arc), _costs_of(ending))},
            vocabulary=self.lattice.vocabulary,
            times=self.lattice.times,
        )

    def confidences(self, path: ArcPath) -> tuple[float, ...]:
        """Return the arc probability of each word of a scored path.

        Args:
            path: An oracle or a 1-best of this lattice.

        Examples:
            >>> from latticemetric import oracle
            >>> lattice = Lattice.from_arcs([0, 0, 0, 1], [1, 1, 2, 2], [5, 6, 7, 8], final=[2])
            >>> best = oracle(lattice, "6 8", "wer")
            >>> [round(confidence, 3) for confidence in posteriors(lattice).confidences(best)]
            [0.333, 0.667]
        """
        if path.edges:
            raise UsageError("confidences need a path of a lattice; this is a derivation of a forest")
        if max(path.arcs, default=-1) >= len(self.arc):
            raise _ANOTHER_LATTICE
        spelled = [(self.lattice.vocabulary.word(int(self.lattice.word[arc])), arc) for arc in path.arcs]
        # Ignored words are on arcs, but not in the path's `words`.
        counted = [(word, arc) for word, arc in spelled if word in set(path.words)]
        if tuple(word for word, _ in counted) != path.words:
            raise _ANOTHER_LATTICE
        return tuple(np.minimum(self.arc[[arc for _, arc in counted]], 1.0).tolist())

    def sample(self, count: int, seed: int) -> list[npt.NDArray[np.int64]]:
        """Sample paths independently with their probabilities; return their arcs."""
        if count < 0:
            raise UsageError(f"cannot sample {count} paths")
        lattice, random = self.lattice, np.random.default_rng(seed)
        begin = np.searchsorted(lattice.source, np.arange(lattice.num_states + 1))
        before = np.concatenate([[0.0], np.cumsum(self.transition)])
        paths: list[list[int]] = [[] for _ in range(count)]
        at, unfinished = np.zeros(count, dtype=np.int64), np.arange(count)
        while len(unfinished):
            # All unfinished paths take a step: an arc of their state, or their end, which comes after the last arc.
            first, last = begin[at], begin[at + 1]
            drawn = np.searchsorted(before, before[first] + random.random(len(at)), side="right") - 1
            goes_on = (drawn < last) & (last > first)
            goes_on |= (last > first) & ~np.isin(at, lattice.final)  # rounding must not end a path in a non-final state
            taken = np.clip(drawn, first, np.maximum(last - 1, first))[goes_on]
            unfinished = unfinished[goes_on]
            for path, arc in zip(unfinished.tolist(), taken.tolist(), strict=True):
                paths[path].append(arc)
            at = lattice.target[taken].astype(np.int64)
        return [np.array(path, dtype=np.int64) for path in paths]

    def _taken(self) -> Floats:
        return self.arc

    def _ending_step(self) -> Floats:
        state = self.state[self.lattice.final]
        return np.divide(self.ending, state, out=np.zeros_like(state), where=state > 0)


def _costs_of(probability: Floats) -> Floats:
    """Return −ln of probabilities: always finite, and 0 if rounding makes a probability larger than 1."""
    return 0.0 - np.log(np.clip(probability, np.finfo(np.float64).tiny, 1.0))


@overload
def posteriors(graph: Forest, *, scale: float = ..., scales: Scales | None = ...) -> ForestPosteriors: ...


@overload
def posteriors(graph: Lattice | NBest, *, scale: float = ..., scales: Scales | None = ...) -> Posteriors: ...


def posteriors(graph: Graph, *, scale: float = 1.0, scales: Scales | None = None) -> Posteriors | ForestPosteriors:
    """Compute the posterior probabilities of a graph's parts.

    Args:
        graph: A lattice, an n-best list, or a forest.
        scale: Factor of the costs; below 1, it makes the distribution flatter.
        scales: Weight of each score column in the model's cost; other columns keep their own.

    Raises:
        InputError: The costs are too large to be added up.

    Examples:
        >>> lattice = Lattice.from_strings(["a b", "a c", "b"], costs=[0.0, 0.0, 0.0])
        >>> probabilities = posteriors(lattice)
        >>> lattice.vocabulary.decode(lattice.word), probabilities.arc.round(3).tolist()
        (['a', 'a', 'b', 'b', 'c'], [0.333, 0.333, 0.333, 0.333, 0.333])
        >>> round(probabilities.entropy, 4)
        1.0986
    """
    if isinstance(graph, Forest):
        from latticemetric.posterior.forest import forest_posteriors

        return forest_posteriors(graph, scale, scales)
    lattice = as_lattice(graph, scales)
    cost = scaled_cost(lattice, scale, scales)
    log_total, state, transition, ending = _native.forward_backward(
        lattice.source, lattice.target, cost.arc, cost.final
    )
    require_finite(log_total, cost.arc)
    return Posteriors(
        log_total=log_total,
        transition=transition,
        ending=state[lattice.final] * ending[lattice.final],
        lattice=lattice,
        state=state,
        arc=state[lattice.source] * transition,
    )
