"""Metrics of word tags by definition."""

import math
from itertools import groupby


def f1(gold, predicted, tag):
    pairs = [pair for one, other in zip(gold, predicted, strict=True) for pair in zip(one, other, strict=True)]
    right = sum(pair == (tag, tag) for pair in pairs)
    called, there = (sum(pair[side] == tag for pair in pairs) for side in (1, 0))
    if not called and not there:
        return None
    precision, recall = (right / number if number else 0 for number in (called, there))
    return 2 * precision * recall / (precision + recall) if right else 0


def product(*factors):
    return None if None in factors else math.prod(factors)


def mcc(gold, predicted):
    pairs = [pair for one, other in zip(gold, predicted, strict=True) for pair in zip(one, other, strict=True)]
    tp, fp, fn, tn = map(pairs.count, [("BAD", "BAD"), ("OK", "BAD"), ("BAD", "OK"), ("OK", "OK")])
    if not pairs:
        return None
    squared = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(squared) if squared else 0


def spans(tags):
    """Each maximal run: its tag and the set of its places."""
    found, place = [], 0
    for tag, run in groupby(tags):
        size = len(list(run))
        found.append((tag, set(range(place, place + size))))
        place += size
    return found


def span_shares(ones, others, tag):
    """For each span of the first side, the share of its words that the second side calls the same."""
    return [
        sum(other[place] == tag for place in places) / len(places)
        for one, other in zip(ones, others, strict=True)
        for kind, places in spans(one)
        if kind == tag
    ]


def phrase_f1(gold, predicted, tag):
    shares = [span_shares(predicted, gold, tag), span_shares(gold, predicted, tag)]
    if not any(shares):
        return None
    precision, recall = (sum(each) / len(each) if each else 0 for each in shares)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0


def sequence_correlation(gold, predicted):
    scores = []
    for one, other in zip(gold, predicted, strict=True):
        if not one:
            continue
        total = 0
        for tag in ("OK", "BAD"):
            ours, theirs = ([places for kind, places in spans(side) if kind == tag] for side in (one, other))
            matched = 0
            while ours and theirs:
                # The largest; of equal ones the first gold span, then the first predicted one.
                size, left, right = max((len(a & b), -i, -j) for i, a in enumerate(ours) for j, b in enumerate(theirs))
                matched += size
                del ours[-left], theirs[-right]
            if tag in one:
                total += len(one) / (2 * one.count(tag)) * matched
        numbers = len(spans(one)), len(spans(other))
        scores.append(min(numbers) / max(numbers) * total / len(one))
    return sum(scores) / len(scores) if scores else None


DEFINITIONS = {
    "f1_bad": lambda g, p: f1(g, p, "BAD"),
    "f1_ok": lambda g, p: f1(g, p, "OK"),
    "f1_mult": lambda g, p: product(f1(g, p, "BAD"), f1(g, p, "OK")),
    "mcc": mcc,
    "seqcor": sequence_correlation,
    "phrase_f1_bad": lambda g, p: phrase_f1(g, p, "BAD"),
    "phrase_f1_mult": lambda g, p: product(phrase_f1(g, p, "BAD"), phrase_f1(g, p, "OK")),
}
