"""Writing time-marked words; see `ctm`. What is written is read back and compared before it counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.formats.nist.ctm import BEGIN, END, EXTRAS, NAME, OR, Line, parsed_channel
from latticemetric.formats.nist.records import between, exactly, parted, require_field, spelled
from latticemetric.formats.nist.sniffing import is_confidence
from latticemetric.formats.nist.words import TAGS
from latticemetric.formats.nist.writing import Fork, Sequence, Speller, decomposed, labels_of, require_words_only
from latticemetric.formats.registry import Graph
from latticemetric.lattice import Lattice
from latticemetric.vocabulary import split_words

_CHANNEL = "1"


def channel_lines(name: str, graph: Graph) -> Iterator[str]:
    """The lines of a graph.

    Gaps are not written. A graph with ε-arcs that are no gaps says all of them as `@`.
    """
    lattice = require_words_only(graph, NAME, {*TAGS, *EXTRAS})
    if lattice.times is None or not len(lattice.word):
        what = "times" if lattice.times is None else "words"
        raise UsageError(f"ctm needs {what}, and '{shortened(name)}' has none", advice="write trn")
    head = parted(name, 2) or [name, _CHANNEL]
    require_field(head[0], NAME)
    writer = _Writer(lattice)
    for explicit in (False, True):
        lines: list[Line] = [("", fields) for fields in writer.sequence(writer.whole, explicit=explicit)]
        if _is_read_as(lines, lattice):
            return (" ".join([*head, *fields]) for _, fields in lines)
    raise UsageError("ctm cannot hold this graph's times and alternations", advice="write a format of lattices")


def _is_read_as(lines: list[Line], lattice: Lattice) -> bool:
    try:
        return bool(_contents(parsed_channel(lines)) == _contents(lattice))
    except FormatError:
        return False


def _contents(lattice: Lattice) -> Any:
    """Everything that a channel says, however its states are numbered."""
    assert lattice.times is not None
    times, labels = lattice.times.tolist(), labels_of(lattice)

    def said(sequence: Sequence) -> list[Any]:
        # Alternations of alternations have been refused: this goes no deeper than two of them.
        return [[said(b) for b in item.in_order()] if isinstance(item, Fork) else arc(item) for item in sequence]

    def arc(number: int) -> tuple[Any, ...]:
        ends = (times[int(states[number])] for states in (lattice.source, lattice.target))
        texts = [(name, texts[number]) for name, texts in sorted(labels.items()) if texts[number]]
        return (*ends, lattice.vocabulary.word(int(lattice.word[number])), texts)

    return said(decomposed(lattice, NAME))


class _Writer:
    """A lattice on its way to fields."""

    def __init__(self, lattice: Lattice) -> None:
        assert lattice.times is not None
        self._times = lattice.times.tolist()
        self._ends = lattice.source.tolist(), lattice.target.tolist()
        self._speller, self._labels = Speller(lattice, NAME), labels_of(lattice)
        self.whole = decomposed(lattice, NAME)

    def sequence(self, sequence: Sequence, *, explicit: bool, inside: bool = False) -> Iterator[list[str]]:
        """The fields of each word, without file and channel.

        An optional word at the very end becomes an alternation, so that not all lines may end in brackets, as in trn.
        """
        was_gap = not inside
        for place, item in enumerate(sequence):
            if isinstance(item, Fork):
                was_gap = False
                arc = self._speller.option(item)
                if arc is not None and (inside or place < len(sequence) - 1 or self._extras(arc)):
                    yield self._fields(arc, optional=True)
                else:
                    yield from self._alternation(item, explicit=explicit, inside=inside)
                continue
            is_last = not inside and place == len(sequence) - 1
            is_gap = not explicit and not was_gap and not is_last and self._is_gap(item)
            if not is_gap:
                yield self._fields(item)
            was_gap = is_gap

    def _is_gap(self, arc: int) -> bool:
        begin, end = (self._times[states[arc]] for states in self._ends)
        return self._speller.is_epsilon(arc) and begin != end

    def _alternation(self, fork: Fork, *, explicit: bool, inside: bool) -> Iterator[list[str]]:
        if inside:
            raise UsageError("alternations do not nest in ctm, and those of this graph do", advice="write trn or stm")
        for number, branch in enumerate(fork.in_order()):
            yield ["*", "*", OR if number else BEGIN]
            yield from self.sequence(branch, explicit=explicit, inside=True)
        yield ["*", "*", END]

    def _fields(self, arc: int, *, optional: bool = False) -> list[str]:
        begin, end = (exactly(self._times[states[arc]]) for states in self._ends)
        word = self._speller.word(arc, optional=optional)
        if begin < 0:
            raise InputError(f"{shortened(word)!r} begins at {begin}, and ctm has no times below 0")
        if word.upper() in (BEGIN, OR, END):
            raise InputError(f"the word '{word}' would be read back as the mark of an alternation")
        return [spelled(begin), spelled(between(begin, end)), word, *self._extras(arc)]

    def _extras(self, arc: int) -> list[str]:
        texts = [self._labels[name][arc] if name in self._labels else "" for name in EXTRAS]
        while texts and not texts[-1]:
            texts.pop()
        if any(split_words(text) != [text] for text in texts) or (texts and not is_confidence(texts[0])):
            raise UsageError(
                f"{shortened(' '.join(texts))!r} is not a confidence, a type and a speaker",
                advice="leave them out with --drop-labels",
            )
        return texts
