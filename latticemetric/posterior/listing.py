"""List the posteriors of words, n-grams, arcs or edges, most probable first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.lattice.lattice import Floats, Lattice
from latticemetric.posterior.best import written_time
from latticemetric.posterior.posteriors import Distribution, ForestPosteriors, Posteriors
from latticemetric.vocabulary import EPSILON

Row = dict[str, Any]

_KINDS = ("words", "ngrams", "arcs", "edges", "summary")

# Posteriors are compared after rounding to this many digits, so that rounding errors of sums do not change their order.
_PLACES = 12
_ROUNDING = 1e-12


@dataclass(frozen=True)
class PosteriorListing:
    """Posteriors of a graph's words, n-grams, arcs or edges.

    Attributes:
        of: The kind of rows: `words`, `ngrams`, `arcs` (of a lattice), `edges` (of a forest), or `summary` (no rows).
        log_total: Logarithm of the sum of exp(−scale · cost) over the graph's paths or derivations.
        entropy: The entropy of the distribution over paths or derivations, in nats.
        rows: The listed items, most probable first. Equally probable words and n-grams are sorted by length, then
            alphabetically; equally probable arcs or edges, by number.
        lattice: The lattice with posteriors, for a run that writes it; otherwise `None`.
    """

    of: str
    log_total: float
    entropy: float
    rows: tuple[Row, ...]
    lattice: Lattice | None = None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            words (list[Row]): With `--of words`: the words.
            ngrams (list[Row]): With `--of ngrams`: the n-grams.
            arcs (list[Row]): With `--of arcs`: the arcs of a lattice.
            edges (list[Row]): With `--of edges`: the edges of a forest.
        """
        listed = {} if self.of == "summary" else {self.of: [dict(row) for row in self.rows]}
        return {"log_total": self.log_total, "entropy": self.entropy, **listed}


def listing(
    distribution: Distribution, of: str = "words", *, order: int = 4, least: float = 0.0, top: int | None = None
) -> PosteriorListing:
    """List the posteriors of a graph.

    Args:
        distribution: The posteriors of the graph.
        of: What to list: `words`, `ngrams`, `arcs` (of a lattice), `edges` (of a forest), or `summary` for no rows.
        order: The length of the longest n-grams.
        least: The smallest posterior to list; posteriors that are equal to it up to rounding are listed, too.
        top: The largest number of rows; by default, all rows.

    Examples:
        >>> from latticemetric import Lattice, posteriors
        >>> distribution = posteriors(Lattice.from_strings(["a b", "a c", "b"], costs=[0.0, 0.0, 0.0]))
        >>> for row in listing(distribution, "ngrams", order=2, top=3).rows:
        ...     print(row["ngram"], round(row["posterior"], 3))
        a 0.667
        b 0.667
        c 0.333
    """
    if of not in _KINDS:
        raise UsageError(f"posteriors of '{of}' cannot be listed", advice=f"choose one of {', '.join(_KINDS)}")
    if not 0 <= least <= 1:
        raise UsageError(f"the least posterior is {least}", advice="give a number from 0 to 1")
    if top is not None and top < 0:
        raise UsageError(f"{top} posteriors cannot be listed", advice="give 0 or more")
    rows: list[Row] = []
    if of == "words":
        rows = [{"word": r["ngram"], "posterior": r["posterior"]} for r in _ngrams(distribution, 1, least)]
    elif of == "ngrams":
        rows = _ngrams(distribution, order, least)
    elif of == "arcs":
        rows = _arcs(distribution, least)
    elif of == "edges":
        rows = _edges(distribution, least)
    return PosteriorListing(of, distribution.log_total, distribution.entropy, tuple(rows[:top]))


def _ngrams(distribution: Distribution, order: int, least: float) -> list[Row]:
    """Return a row for each n-gram.

    Fields:
        word (str): The word; only with `--of words`.
        ngram (str): The words of the n-gram, joined by single spaces.
        order (int): Number of its words.
        posterior (float): The probability that a path contains it at least once.
    """
    counted = distribution.ngrams(order)
    spelling = ["", *counted.vocabulary.decode(counted.word[1:])]
    parent, posterior = counted.parent.tolist(), counted.posterior.tolist()

    def spelled(row: int) -> tuple[str, ...]:
        words = []
        while row > 0:
            words.append(spelling[row])
            row = parent[row]
        return tuple(reversed(words))

    rows = (1 + _at_least(least, counted.posterior[1:])).tolist()
    listed = [(-round(posterior[row], _PLACES), spelled(row), posterior[row]) for row in rows]
    listed.sort(key=lambda item: (item[0], len(item[1]), item[1]))
    return [{"ngram": " ".join(words), "order": len(words), "posterior": value} for _, words, value in listed]


def _arcs(distribution: Distribution, least: float) -> list[Row]:
    """Return a row for each arc.

    Fields:
        arc (int): The arc's number, as in `arcs` of an oracle.
        source (int): The state that the arc leaves; states are numbered in topological order from 0.
        target (int): The state that the arc enters.
        word (str): The arc's word; empty if it has none.
        posterior (float): The probability that a path takes it.
        begin (float | None): Seconds at `source`; `None` if the lattice has no times.
        end (float | None): Seconds at `target`; `None` if the lattice has no times.
    """
    if not isinstance(distribution, Posteriors):
        raise UsageError("a forest has no arcs", advice="list its edges")
    lattice = distribution.lattice
    given = [math.nan] * lattice.num_states if lattice.times is None else lattice.times.tolist()
    times = [None if math.isnan(time) else written_time(time) for time in given]
    rows = []
    for arc in _most_probable(distribution.arc, least):
        source, target = int(lattice.source[arc]), int(lattice.target[arc])
        rows.append(
            {
                "arc": arc,
                "source": source,
                "target": target,
                "word": lattice.vocabulary.word(int(lattice.word[arc])),
                "posterior": float(distribution.arc[arc]),
                "begin": times[source],
                "end": times[target],
            }
        )
    return rows


def _edges(distribution: Distribution, least: float) -> list[Row]:
    """Return a row for each edge.

    Fields:
        edge (int): The edge's number, as in `edges` of an oracle.
        head (int): The node that the edge derives.
        target (str): The target side: words, and `[n]` for a tail that is node n; may be empty.
        posterior (float): The probability that a derivation uses the edge; the mean number of uses if a derivation can
            use it several times.
    """
    if not isinstance(distribution, ForestPosteriors):
        raise UsageError("a lattice has no edges", advice="list its arcs")
    forest = distribution.forest
    rows = []
    for edge in _most_probable(distribution.edge, least):
        # A tail is shown as the number of its node, in brackets.
        tails = forest.tails.row(edge)
        symbols = (
            forest.vocabulary.word(symbol) if symbol > EPSILON else f"[{tails[-symbol - 1]}]"
            for symbol in forest.target.row(edge)
            if symbol != EPSILON
        )
        rows.append(
            {
                "edge": edge,
                "head": int(forest.head[edge]),
                "target": " ".join(symbols),
                "posterior": float(distribution.edge[edge]),
            }
        )
    return rows


def _most_probable(posterior: Floats, least: float) -> list[int]:
    rows = _at_least(least, posterior)
    ranked: list[int] = rows[np.lexsort((rows, -posterior[rows].round(_PLACES)))].tolist()
    return ranked


def _at_least(least: float, posterior: Floats) -> npt.NDArray[np.int64]:
    """Return the rows of the posteriors that are at least `least`, up to rounding."""
    return np.flatnonzero(posterior >= least * (1 - _ROUNDING))
