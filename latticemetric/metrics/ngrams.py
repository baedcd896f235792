"""The n-grams that a candidate and its references share, to be shown."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import or_

from latticemetric.metrics.base import References, Text, references_of, words_of


def matched_ngrams(candidate: Text, references: References, order: int, *, stem: bool = False) -> str:
    """The n-grams of a candidate that its references hold, a line an order, each as often as it counts."""
    from latticemetric.metrics.stemming import porter_stem

    def prepared(text: Text) -> tuple[str, ...]:
        words = words_of(text)
        return tuple(map(porter_stem, words)) if stem else words

    words, listed = prepared(candidate), [prepared(reference) for reference in references_of(references)]
    lines = []
    for n in range(1, order + 1):
        allowed = reduce(or_, (_ngrams_of(reference, n) for reference in listed))
        found = _ngrams_of(words, n)
        matched = {gram: min(times, allowed[gram]) for gram, times in found.items() if allowed[gram]}
        shown = ", ".join(" ".join(gram) + (f" ×{times}" if times > 1 else "") for gram, times in matched.items())
        lines.append(f"{n}-grams {sum(matched.values())}/{sum(found.values())}" + (f": {shown}" if shown else ""))
    return "\n".join(lines)


def _ngrams_of(words: tuple[str, ...], n: int) -> Counter[tuple[str, ...]]:
    return Counter(words[k : k + n] for k in range(len(words) - n + 1))
