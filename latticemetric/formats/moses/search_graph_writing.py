"""How Moses' search graphs are written: every arc is a hypothesis; see `moses_search_graph`.

State s is hypothesis s, which is the best arc into it; other arcs into it are recombined hypotheses, numbered from
the number of states. Lines have the order of the arcs.
"""

from __future__ import annotations

from typing import IO, NamedTuple

import numpy as np

from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.formats.columns import as_lattice, require_labels
from latticemetric.formats.moses.search_graph_lines import (
    COMPLETE,
    COVERED,
    DENSE,
    NAME,
    SOURCE,
    TRANSITION,
    span_length,
    split_phrases,
)
from latticemetric.formats.registry import Graph
from latticemetric.formats.texts.fields import require_field
from latticemetric.lattice import Column, Lattice
from latticemetric.vocabulary import EPSILON

_NO_SPAN = "1-0"


class _Arcs(NamedTuple):
    """The arcs to write, with those to an end of its own, if final states cost something."""

    states: int
    source: list[int]
    target: list[int]
    score: list[float]
    word: list[int]
    complete: set[int]


def write(file: IO[bytes], name: str, graph: Graph) -> None:
    """Writes one lattice: in the extended form if it has features or source phrases."""
    lattice = as_lattice(graph)
    require_labels(lattice, NAME, {COVERED, SOURCE})
    if any(side.final.any() for side in lattice.labels.values()):
        raise UsageError(f"{NAME} has no place for labels of final states", advice="leave them out with --drop-labels")
    require_field(name, "the id")
    features = _features(lattice)
    own_end = any(column.final.any() for column in lattice.scores.values())
    arcs = _arcs(lattice, own_end=own_end)
    extended = bool(features) or SOURCE in lattice.labels
    texts = _texts(lattice, arcs, _feature_texts(features, own_end=own_end) if features else None, extended=extended)
    lines = [f"{name} {line}" for line in _lines(arcs, texts, extended=extended)]
    file.write(("\n".join(lines) + "\n").encode("utf-8"))


def _features(lattice: Lattice) -> dict[str, Column]:
    """The columns that do not count; the one that does is the transition's."""
    counting = [name for name, column in lattice.scores.items() if column.scale != 0]
    features = {name: column for name, column in lattice.scores.items() if column.scale == 0}
    if lattice.scores and [lattice.scores[name].scale for name in counting] != [1.0]:
        weights = ", ".join(f"{name} {column.scale:g}" for name, column in lattice.scores.items())
        raise UsageError(
            f"{NAME} holds one score that counts, with weight 1, and the weights here are {shortened(weights, 200)}",
            advice="add the scores up with --sum-scores",
        )
    for name in features:
        if require_field(name, "feature") == TRANSITION or '"' in name:
            raise UsageError(
                f"{NAME} cannot name a feature '{shortened(name)}'", advice="leave it out with --sum-scores"
            )
    return features


def _arcs(lattice: Lattice, *, own_end: bool) -> _Arcs:
    cost = lattice.cost()
    score = (0.0 - cost.arc).tolist()
    source, target, word = (part.tolist() for part in (lattice.source, lattice.target, lattice.word))
    final = lattice.final.tolist()
    if not own_end:
        return _Arcs(lattice.num_states, source, target, score, word, set(final))
    end = lattice.num_states
    closing = (0.0 - cost.final[lattice.final]).tolist()
    nothing = [EPSILON] * len(final)
    ends = [end] * len(final)
    return _Arcs(end + 1, source + final, target + ends, score + closing, word + nothing, {end})


def _lines(arcs: _Arcs, texts: list[str], *, extended: bool) -> list[str]:
    rows = list(zip(arcs.source, arcs.target, arcs.score, strict=True))
    depth, best, winner = [0] * arcs.states, [0.0] * arcs.states, [-1] * arcs.states
    for row, (source, target, score) in enumerate(rows):
        depth[target] = max(depth[target], depth[source] + 1)
        if winner[target] < 0 or best[source] + score > best[target]:
            winner[target], best[target] = row, best[source] + score
    hypothesis, number = [], arcs.states
    for row, (_, target, _) in enumerate(rows):
        hypothesis.append(target if winner[target] == row else number)
        number += winner[target] != row
    forward, rest = [0] * arcs.states, [0.0] * arcs.states
    for state in arcs.complete:
        forward[state] = COMPLETE
    for row, (source, target, score) in reversed(list(enumerate(rows))):
        # Each arc's target has seen all of its own arcs: targets are larger than sources, and arcs are sorted.
        if forward[source] == 0 or (forward[source] != COMPLETE and score + rest[target] >= rest[source]):
            forward[source], rest[source] = hypothesis[row], score + rest[target]
    beginning = f" forward={forward[0]} fscore={rest[0]!r}" if extended or 0 in arcs.complete else ""
    lines = [f"hyp=0 stack=0{beginning}"]
    for row, (source, target, score) in enumerate(rows):
        recombined = "" if winner[target] == row else f" recombined={target}"
        lines.append(
            f"hyp={hypothesis[row]} stack={depth[target]} back={source} score={best[source] + score!r} "
            f"transition={score!r}{recombined} forward={forward[target]} fscore={rest[target]!r} {texts[row]}"
        )
    return lines


def _texts(lattice: Lattice, arcs: _Arcs, features: list[str] | None, *, extended: bool) -> list[str]:
    """What each line has from `covered=` on."""
    words = [require_field(lattice.vocabulary.word(n), "word") if n != EPSILON else "" for n in arcs.word]
    spans, sources = (_label_texts(lattice, name, len(words)) for name in (COVERED, SOURCE))
    if not extended:
        return [f"covered={_span(span)} out={word}" for span, word in zip(spans, words, strict=True)]
    features = features or ['"core=() "'] * len(words)
    rows = zip(spans, features, sources, words, strict=True)
    return [
        f"covered={_span(span)} scores={scores} out={_out(source, word, span)}" for span, scores, source, word in rows
    ]


def _label_texts(lattice: Lattice, name: str, size: int) -> list[str]:
    side = lattice.labels.get(name)
    texts = [side.vocabulary.word(n) for n in side.arc.tolist()] if side else []
    return texts + [""] * (size - len(texts))


def _span(text: str) -> str:
    if text and not span_length(text):
        raise InputError(f"'{shortened(text)}' is no span of the source, like 0-2", advice="use --drop-labels")
    return text or _NO_SPAN


def _out(source: str, word: str, span: str) -> str:
    text = f"{source}|{word}"
    if split_phrases(text, span_length(span) or 0) != (source, [word] if word else []):
        raise InputError(
            f"nothing would tell where the source phrase ends in '{shortened(text)}'",
            advice="leave source phrases out with --drop-labels",
        )
    return f'"{text}"'


def _feature_texts(features: dict[str, Column], *, own_end: bool) -> list[str]:
    """The features of each arc as `scores=` has them: `core_0`, `core_1`, … by their place, others by name."""
    dense: list[str] = []
    while f"{DENSE}_{len(dense)}" in features:
        dense.append(f"{DENSE}_{len(dense)}")

    def values(name: str) -> list[float]:
        column = features[name]
        parts = [column.arc, column.final] if own_end else [column.arc]
        return [0.0 - cost for cost in np.concatenate(parts).tolist()]

    named = [(name, values(name)) for name in features if name not in dense]
    listed = [values(name) for name in dense]
    rows = len(next(iter([*listed, *(v for _, v in named)])))
    return [
        f'"core=({",".join(repr(v[row]) for v in listed)}) {" ".join(f"{n}={v[row]!r}" for n, v in named)}"'
        for row in range(rows)
    ]
