"""The best gain of a forest whose derivations are too many to list, from tables: no automaton, no tie rule.

The table of something said holds, for reference states (i, m) before it and (j, m') after it (i words behind, the last
m matched in a row), the best gain of saying it between them. What is said one after the other is a max-plus product.
"""

import numpy as np

from latticemetric.engine.search import ForestSearch


def best_gain(search: ForestSearch) -> int:
    """The best gain in units of `1 / gains.unit`."""
    size, order = len(search.reference), search.gains.order
    skip = deletions(size, search.gains)
    tables = np.full((search.forest.num_nodes, *skip.shape), -np.inf)
    for edge, head in enumerate(search.forest.head.tolist()):
        first, last = search.target.begin[edge : edge + 2]
        tails = search.forest.tails.values[search.forest.tails.begin[edge] :]
        table = skip
        for symbol in search.target.values[first:last].tolist():
            said = tables[tails[-symbol - 1]] if symbol < 0 else word(symbol, search.reference, search.gains)
            table = after(after(table, said), skip)
        tables[head] = np.maximum(tables[head], table)
    return int(tables[search.forest.goals][:, 0, size * order :].max())


def after(one, other):
    """The max-plus product, a row at a time."""
    return np.stack([(row[:, None] + other).max(axis=0) for row in one])


def deletions(size, gains):
    """Nothing is said: reference words may be left out."""
    table = nowhere(size, gains)
    np.fill_diagonal(table, 0)
    for i in range(size):
        for j in range(i + 1, size + 1):
            table[i * gains.order : (i + 1) * gains.order, j * gains.order] = -gains.beta * (j - i)
    return table


def word(number, reference, gains):
    """One word: inserted, substituted, or matched."""
    table = nowhere(len(reference), gains)
    for i in range(len(reference) + 1):
        for m in range(gains.order):
            options = [(i, 0, -gains.alpha)]
            if i < len(reference):
                options.append((i + 1, 0, 0))
            if i < len(reference) and reference[i] == number:
                options.append((i + 1, min(m + 1, gains.order - 1), (m + 1) * gains.unit))
            for j, run, gain in options:
                here = i * gains.order + m, j * gains.order + run
                table[here] = max(table[here], gain)
    return table


def nowhere(size, gains):
    states = (size + 1) * gains.order
    return np.full((states, states), -np.inf)
