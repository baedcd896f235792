"""Posteriors by definition: sums over all paths."""

import math

from hypothesis import strategies as st

import latticemetric as lm


def ngrams_of(words, order):
    """The distinct n-grams of a string, of every length up to an order."""
    return {words[k : k + n] for n in range(1, order + 1) for k in range(len(words) - n + 1)}


def expected_posteriors(weighed, order):
    """By definition: of each n-gram, the probability of all paths that hold it."""
    held = {}
    for path, probability in weighed:
        for ngram in ngrams_of(path.words, order):
            held.setdefault(ngram, []).append(probability)
    return {ngram: math.fsum(parts) for ngram, parts in held.items()}


# Chains of few words: hardly an n-gram that does not repeat, overlap itself, or hang over ε.
@st.composite
def chains(draw):
    steps = draw(st.integers(1, 7))
    source, target, word, cost = [], [], [], []
    for step in range(steps):
        for label in draw(st.lists(st.integers(0, 2), min_size=1, max_size=2)):
            source.append(step)
            target.append(min(step + draw(st.integers(1, 2)), steps))
            word.append(label)
            cost.append(draw(st.integers(0, 8)) / 4)
        if target[-1] != step + 1:
            target[-1] = step + 1
    return lm.Lattice.from_arcs(source, target, word, final=[steps], scores={"cost": lm.Column(cost, [0.0])})


def weighed_paths(lattice, posterior_scale, weights):
    """Every path with its probability, and the logarithm of the sum of their weights."""
    paths = list(lattice.paths(weights))
    least = min(posterior_scale * path.cost for path in paths)
    shares = [math.exp(least - posterior_scale * path.cost) for path in paths]
    total = math.fsum(shares)
    return [(path, weight / total) for path, weight in zip(paths, shares, strict=True)], math.log(total) - least


parameters = st.fixed_dictionaries(
    {
        "posterior_scale": st.sampled_from([0.0, 0.5, 1.0]),
        "T": st.sampled_from([0.5, 2.0, 10.0]),
        "p": st.sampled_from([0.3, 0.85]),
        "r": st.sampled_from([0.5, 1.0, 1.5]),
        "order": st.integers(1, 5),
        "word_penalty": st.sampled_from([0.0, -0.5, 0.05]),
    }
)


def gain_of(words, posterior, *, T, p, r, order, word_penalty, posterior_scale):  # noqa: ARG001, N803
    """By definition (Tromble et al. 2008, equation 3), n-gram by n-gram as they stand."""
    total = [(-1 / T - word_penalty) * len(words)]
    for n in range(1, order + 1):
        factor = 1 / (order * T * p * r ** (n - 1))
        total += [factor * posterior.get(words[k : k + n], 0.0) for k in range(len(words) - n + 1)]
    return math.fsum(total)


def spelled_rows(counted):
    rows = [()]
    for parent, word in zip(counted.parent[1:].tolist(), counted.vocabulary.decode(counted.word[1:]), strict=True):
        rows.append((*rows[parent], word))
    return rows
