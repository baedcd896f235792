"""Moses' search graphs of phrase-based translation (`-output-search-graph` and `-output-search-graph-extended`).

A line a hypothesis: `7 hyp=5 stack=1 back=0 score=-0.5 transition=-0.5 forward=12 fscore=-9.7 covered=0-0 out=I am`.
Its arc goes from `back` to `recombined`, if that is there, or else to the hypothesis itself. `transition` is the
model's score, a natural logarithm: the cost is −transition. An arc of several words is a chain, scores and labels on
its first arc. Hypotheses with `forward=-1` are complete. The extended form adds features, which are columns of scale 0,
and the source phrase: `scores="core=(-1,0.5) tag=-2" out="je suis|I am"`, or, from older versions,
`scores=[ d: -1 lm: -3 ] out=je suis|I am`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import numpy as np

from latticemetric.errors import FormatError, InputError, placed
from latticemetric.formats.columns import require_dense
from latticemetric.formats.files.stream import Stream
from latticemetric.formats.moses.search_graph_lines import COVERED, NAME, SOURCE, TRANSITION, Step, steps_of
from latticemetric.formats.moses.search_graph_writing import write
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.texts.blocks import in_one_piece
from latticemetric.formats.texts.parsing import labels_of_arcs
from latticemetric.lattice import Column, Labels, Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary

_FIRST_LINE = re.compile(rb"\s*\S+[ \t]+hyp=[0-9]+[ \t]+stack=[0-9]+(?:\s|$)")
_ID = re.compile(rb"[ \t]*(\S+)[ \t]+hyp=")


def _sniff(head: bytes) -> bool:
    return _FIRST_LINE.match(head) is not None


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for name, place, lines in in_one_piece(_numbered(stream)):
        build = partial(_parse, b"".join(line for _, line in lines), stream.name, lines[0][0] - 1)
        yield Entry(name, place, build, naming="number" if name.isdecimal() else "own")


def _numbered(stream: Stream) -> Iterator[tuple[str, str, tuple[int, bytes]]]:
    """The sentence, the place, and the number of each line; blank ones belong to what stands before."""
    name = ""
    for line in stream.byte_lines():
        match = _ID.match(line)
        if match is None and line.strip():
            raise FormatError(
                "the line does not begin with a sentence number and 'hyp='",
                where=stream.place(),
                advice="moses_chart's graphs are forests; let it write -output-search-graph-hypergraph",
            )
        name = match[1].decode("utf-8", "replace") if match else name
        if name:
            yield name, stream.place(), (stream.line, line)


def _parse(data: bytes, file: str, lines_before: int) -> Lattice:
    steps = list(steps_of(data, file, lines_before))
    return _lattice(steps, _States(steps), len(data))


class _States:
    """Which hypotheses are states, and which were recombined into others."""

    def __init__(self, steps: list[Step]) -> None:
        self._joined: dict[int, int] = {}
        self._stack: dict[int, int] = {}
        for step in steps:
            known = step.hypothesis in self._stack or step.hypothesis in self._joined
            if step.recombined is None:
                self._stack[step.hypothesis] = step.stack
            elif step.recombined != step.hypothesis:
                self._joined[step.hypothesis] = step.recombined
            else:
                # From 2010 to 2011, what was recombined was written with the number of what stands for it.
                continue
            if known:
                raise FormatError(f"hypothesis {step.hypothesis} stands twice", where=step.place)
        if 0 not in self._stack:
            raise FormatError("the graph has no first hypothesis, 'hyp=0 stack=0'", where=steps[0].place)
        self._number = {hypothesis: number for number, hypothesis in enumerate(sorted(self._stack))}

    def __len__(self) -> int:
        return len(self._number)

    def _survivor(self, hypothesis: int) -> int:
        passed: list[int] = []
        while hypothesis in self._joined and len(passed) <= len(self._joined):
            passed.append(hypothesis)
            hypothesis = self._joined[hypothesis]
        for one in passed:
            self._joined[one] = hypothesis
        return hypothesis

    def ends(self, step: Step) -> tuple[int, int]:
        """The states that a line's arc goes from and to."""
        back = self._survivor(step.back)
        target = self._survivor(step.hypothesis if step.recombined is None else step.recombined)
        for hypothesis, means, verb in (
            (step.back, back, "goes back to"),
            (step.recombined, target, "is recombined to"),
        ):
            if means not in self._number:
                raise FormatError(
                    f"hypothesis {step.hypothesis} {verb} {hypothesis}, which the graph does not have", where=step.place
                )
        if self._stack[back] >= self._stack[target]:
            raise FormatError(
                f"hypothesis {step.hypothesis} goes back to {step.back}, which is no earlier: "
                f"their stacks are {self._stack[target]} and {self._stack[back]}",
                where=step.place,
            )
        return self._number[back], self._number[target]


def _lattice(steps: list[Step], states: _States, text_size: int) -> Lattice:
    arcs = [step for step in steps if step.hypothesis != 0]
    begin = next(step for step in steps if step.hypothesis == 0)
    # Where the first line does not say whether it is complete, it is if nothing was to be translated.
    final = dict.fromkeys([0] if begin.complete or (begin.complete is None and not arcs) else [])
    numbers: dict[str, int] = {"": EPSILON}
    source: list[int] = []
    target: list[int] = []
    word: list[int] = []
    first: list[int] = []
    inner = len(states)
    for step in arcs:
        here, end = states.ends(step)
        if step.complete:
            final[end] = None
        first.append(len(word))
        for text in step.words[:-1]:
            source.append(here)
            target.append(inner)
            word.append(numbers.setdefault(text, len(numbers)))
            here, inner = inner, inner + 1
        source.append(here)
        target.append(end)
        word.append(numbers.setdefault(step.words[-1] if step.words else "", len(numbers)))
    if not final:
        raise InputError(
            "the search graph has no complete translation",
            where=steps[0].place,
            advice="Moses found none; leave it out",
        )
    labels = {COVERED: [step.covered for step in arcs], SOURCE: [step.source for step in arcs]}
    return Lattice.from_arcs(
        source,
        target,
        word,
        final=list(final),
        scores=_columns(arcs, first, len(word), len(final), text_size),
        vocabulary=Vocabulary.from_words(text for text in numbers if text),
        labels={name: _labels(texts, first, len(word), len(final)) for name, texts in labels.items() if any(texts)},
        copy=False,
    )


def _columns(arcs: list[Step], first: list[int], size: int, ends: int, text_size: int) -> dict[str, Column]:
    values: dict[str, list[float]] = {TRANSITION: [0.0] * size}
    for row, step in zip(first, arcs, strict=True):
        values[TRANSITION][row] = step.cost
        if step.dense != arcs[0].dense:
            raise FormatError("the line has not as many scores as the graph's first", where=step.place)
        for name, cost in step.features.items():
            if name not in values:
                with placed(step.place):
                    require_dense(len(values) + 1, size, text_size)
                values[name] = [0.0] * size
            values[name][row] = cost
    return {name: Column(np.array(v), np.zeros(ends), float(name == TRANSITION)) for name, v in values.items()}


def _labels(texts: list[str], first: list[int], size: int, ends: int) -> Labels:
    of_arc = [""] * size
    for row, text in zip(first, texts, strict=True):
        of_arc[row] = text
    return labels_of_arcs(of_arc, ends)


register(Format(NAME, (".osg", ".osgx"), _sniff, _read, write))
