"""The n-best lists of a corpus with their references; corrected texts of lists."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from latticemetric.arguments import require_items
from latticemetric.corpus.list_arguments import Words, check_lengths
from latticemetric.corpus.pairing import Pair
from latticemetric.corpus.sources import is_own_id, note_default_index
from latticemetric.display.frames import by_label, has_default_index
from latticemetric.errors import FormatError, InputError, UsageError, placed, shortened
from latticemetric.formats.references import read_references
from latticemetric.graph import Graph
from latticemetric.likeness import Names
from latticemetric.line_ids import Lines, LineStyle, are_positions, judge_by_names
from latticemetric.nbest import NBest
from latticemetric.vocabulary import listed_words

if TYPE_CHECKING:
    from latticemetric.corpus.read_corpus import ReadCorpus

_FOR_GRAPHS = "for oracles of a graph's n best strings, use Corpus.sweep(nbest_sizes=[1, 10, 100])"


@dataclass(frozen=True)
class Lists:
    """N-best lists with their references.

    Attributes:
        names: The id of each list.
        lists: The lists.
        references: The references of each list; empty if there are none.
    """

    names: tuple[str, ...]
    lists: tuple[NBest, ...]
    references: tuple[tuple[Words, ...], ...]

    def __len__(self) -> int:
        return len(self.lists)

    def __iter__(self) -> Iterator[tuple[str, NBest]]:
        return iter(zip(self.names, self.lists, strict=True))


def lists_of_pairs(pairs: Iterable[Pair]) -> Lists:
    """Parse the n-best lists of pairs.

    Raises:
        InputError: A graph is not an n-best list, or a reference has alternatives.
    """
    names, lists, references = [], [], []
    for pair in pairs:
        if pair.problem is not None:
            raise pair.problem
        assert pair.entry is not None
        with placed(pair.entry.place):
            graph = pair.entry.build()
            if not isinstance(graph, NBest):
                raise InputError("this is not an n-best list", advice=_FOR_GRAPHS)
            if any(reference.graph is not None for reference in pair.references):
                raise InputError(
                    "the reference has alternatives", advice="use latticemetric oracle, which takes alternatives"
                )
        names.append(pair.name)
        lists.append(graph)
        references.append(tuple([reference.words for reference in pair.references]))
    return Lists(tuple(names), tuple(lists), tuple(references))


def rewritten(lists: Lists, rewrite: Callable[[Words], Words]) -> Lists:
    """Rewrite each text and each reference of the lists; hypotheses keep their ranks and scores."""
    changed = (_rewritten_list(nbest, rewrite) for nbest in lists.lists)
    references = (tuple(map(rewrite, several)) for several in lists.references)
    return Lists(lists.names, tuple(changed), tuple(references))


def rewritten_pairs(pairs: Iterable[Pair], rewrite: Callable[[Words], Words]) -> Iterator[Pair]:
    """Yield the pairs with rewritten texts (see `rewritten`): references are rewritten now, lists when parsed."""
    for pair in pairs:
        entry = pair.entry and pair.entry.changed(partial(_rewritten_if_list, rewrite=rewrite))
        references = tuple(
            reference if reference.graph is not None else reference._replace(words=rewrite(reference.words))
            for reference in pair.references
        )
        yield replace(pair, entry=entry, references=references)


def _rewritten_if_list(graph: Graph, rewrite: Callable[[Words], Words]) -> Graph:
    return _rewritten_list(graph, rewrite) if isinstance(graph, NBest) else graph


def _rewritten_list(nbest: NBest, rewrite: Callable[[Words], Words]) -> NBest:
    return NBest(tuple(replace(h, words=rewrite(h.words)) for h in nbest.hypotheses), nbest.weights)


def corrected_texts(given: Any, names: Sequence[str], corpus: ReadCorpus, *, removing: bool) -> list[Words]:
    """Return the corrected text of each list, prepared as hypotheses are.

    Args:
        given: The texts, in the order of the lists or by id, or a file of them.
        names: The ids of the lists.
        corpus: The corpus of the lists.
        removing: True to remove the ignored words.
    """
    if isinstance(given, str | os.PathLike):
        texts = texts_of(os.fspath(given), names, corpus.reading.style)
    else:
        listed = by_label(given, "corrected")
        if isinstance(listed, Mapping):
            listed = _in_order(listed, names)
        require_items(listed, "corrected")
        listed = list(listed)
        check_lengths(lists=names, corrected=listed)
        own = [name for position, name in enumerate(names) if is_own_id(name, position)]
        if own and has_default_index(given):
            note_default_index("corrected", own[0], len(names))
        both = zip(names, listed, strict=True)
        texts = [listed_words(text, f"the corrected text of '{shortened(name)}'") for name, text in both]
    return [corpus.prepared_text(text, removing=removing) for text in texts]


def _in_order(texts: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    """Return texts that are given by id in the order of the lists."""
    if lacking := next((name for name in names if name not in texts), None):
        advice = Names(texts).advice_for(lacking) or "give a text for each list"
        raise UsageError(f"there is no corrected text of '{shortened(lacking)}'", advice=advice)
    return [texts[name] for name in names]


def texts_of(path: str, names: Sequence[str], style: LineStyle = "auto") -> list[Words]:
    """Read a file with one text per list; return the texts in the order of the lists.

    If each list's id begins a line, match lines by id. Otherwise, match lines and lists by order.

    Args:
        path: The file of the texts.
        names: The ids of the lists.
        style: `plain` to match lines of text by order, whatever they begin with; `keyed` to match them by id.

    Raises:
        FormatError: Lines have ids, seem to begin with ids, or begin with half of the ids, but some are missing (ids
            1, 2, 3, … do not count); or lines are matched by order, but the numbers of lines and lists differ.
    """
    file = read_references(path)
    by_order = style == "plain" and not file.has_ids
    if not by_order and file.ids >= set(names):
        table = file.keyed()
        return [table[name].words for name in names]
    missing = [name for name in names if name not in file.ids]
    has_ids = not are_positions(names)
    if style == "keyed" or (file.has_ids and has_ids):
        what = f"no line begins with the id '{shortened(missing[0])}'"
        advice = Names(file.ids).advice_for(missing[0]) or "give a line for each list, with its id first"
        raise FormatError(what, where=path, advice=advice)
    if not by_order and not file.has_ids:
        judge_by_names(Lines(path, file.lines), names if has_ids else (), "the lists")
    if len(file.lines) == len(names):
        return [reference.words for reference in file.plain()]
    what = f"there are {len(file.lines)} texts and {len(names)} lists"
    raise FormatError(what, where=path, advice="give a line for each list, in the same order or with the id first")
