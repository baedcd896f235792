"""Minimum error rate training on n-best lists (Och 2003), from its definition: a peer for tests."""

from typing import NamedTuple

import numpy as np


class Hypotheses:
    """All hypotheses of a graph that were ever among its n best: their words; what they cost but for the columns that
    vary, and the sums of these columns.
    """

    def __init__(self, names):
        self.names = names
        self.found = {}

    def add_best(self, graph, n, weights):
        known = {name: weight for name, weight in weights.items() if name in graph.scores}
        for path in graph.n_best(n, known):
            sums = graph.scores_along(path)
            features = [sums.get(name, 0.0) for name in self.names]
            constant = sum(known[name] * sums[name] for name in known if name not in self.names)
            words = graph.words(path)
            self.found.setdefault((words, *np.round([constant, *features], 9)), (words, [constant, *features]))

    def features(self):
        return np.array([features for _, features in self.found.values()])

    def texts(self):
        return [words for words, _ in self.found.values()]


class Lists(NamedTuple):
    """The features and statistics of the hypotheses of each graph."""

    features: list
    rows: list


def envelope(constant, slope):
    """The cheapest lines from left to right, and where each begins."""
    best = []  # a line, and where it begins
    for line in np.lexsort((constant, -slope)):
        begin = -np.inf
        while best:
            last, since = best[-1]
            if slope[last] == slope[line]:
                break
            begin = (constant[line] - constant[last]) / (slope[last] - slope[line])
            if begin > since:
                best.append((line, begin))
                break
            best.pop()
        if not best:
            best.append((line, -np.inf))
    return best


def line_search(lists, weights, direction, ends, merit_of):
    """The step along a direction with the best merit, and the merit: in the middle of an interval, as Och does."""
    (low, high), begins, changes, start = ends, [], [], 0
    for features, rows in zip(*lists, strict=True):
        line = envelope(features[:, 0] + features[:, 1:] @ weights, features[:, 1:] @ direction)
        inside = [k for k, (_, since) in enumerate(line) if since <= low]
        first = inside[-1]
        start = start + rows[line[first][0]]
        for (one, _), (other, since) in zip(line[first:], line[first + 1 :], strict=False):
            if since < high:
                begins.append(since)
                changes.append(rows[other] - rows[one])
    order = np.argsort(begins, kind="stable")
    places = [low, *np.array(begins)[order], high]
    sums = np.cumsum([start, *np.array(changes)[order]], axis=0) if changes else np.array([start])
    merits = merit_of(sums)
    merits[np.diff(places) <= 1e-9 * (high - low)] = -np.inf
    best = int(np.argmax(merits))
    return (places[best] + places[best + 1]) / 2, merits[best]


def climb(lists, weights, ranges, merit_of):
    """Go along the column with the largest gain until there is none."""
    merit = -np.inf
    while True:
        found = []
        for k, (low, high) in enumerate(ranges):
            ends = low - weights[k], high - weights[k]
            step, reached = line_search(lists, weights, np.eye(len(weights))[k], ends, merit_of)
            found.append((reached, k, step))
        reached, k, step = max(found)
        if reached <= merit + 1e-9:
            return weights, merit
        merit, weights = reached, weights + step * np.eye(len(weights))[k]


def mert(graphs, references, metric, vary, start, *, n, starts, seed, ignore=(), most_rounds=12):
    """The weights after rounds of decoding n-best lists and searching on all that were found.

    `start` has a weight of each column.
    """
    names, chance = list(vary), np.random.default_rng(seed)
    sign = 1 if metric.higher_is_better else -1
    ranges = list(vary.values())
    low, high = np.array(ranges).T
    every = [Hypotheses(names) for _ in graphs]
    weights = np.clip([start[name] for name in names], low, high)
    for _ in range(most_rounds):
        known = sum(len(one.found) for one in every)
        for graph, one in zip(graphs, every, strict=True):
            one.add_best(graph, n, {**start, **dict(zip(names, weights.tolist(), strict=True))})
        if sum(len(one.found) for one in every) == known:
            break
        lists = listed(every, references, metric, ignore)
        begins = [weights, *chance.uniform(low, high, (starts, len(names)))]
        found = [climb(lists, begin, ranges, lambda sums: sign * metric.values(sums)) for begin in begins]
        weights = max(found, key=lambda one: one[1])[0]
    return dict(zip(names, weights.tolist(), strict=True))


def listed(every, references, metric, ignore=()):
    rows = []
    for one, texts in zip(every, references, strict=True):
        strings = [tuple(word for word in text if word not in ignore) for text in one.texts()]
        rows.append(metric.table(strings, [texts] * len(strings)))
    return Lists([one.features() for one in every], rows)
