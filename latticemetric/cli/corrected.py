"""Read n-best lists together with their corrected texts (`--corrected`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from latticemetric.cli.options import PairedReadingOptions, grammar_named

if TYPE_CHECKING:
    from latticemetric.corpus.list_arguments import Words
    from latticemetric.corpus.lists import Lists
    from latticemetric.corpus.pairing import Pair
    from latticemetric.corpus.sources import PairedGraphs


class CorrectedPairs(NamedTuple):
    """N-best lists, their references and one corrected text per list, all normalized in the same way.

    Attributes:
        pairs: The lists and references before parsing.
        lists: The same lists and references, parsed.
        texts: The corrected texts, one per list.
    """

    pairs: list[Pair]
    lists: Lists
    texts: list[Words]


def corrected_pairs(paired: PairedGraphs, path: str, reading: PairedReadingOptions) -> CorrectedPairs:
    """Read the corrected texts of n-best lists; normalize the lists, their references and these texts in the same way.

    Args:
        paired: The lists and references, not normalized yet (`reading.paired` with `rewrite=False`).
        path: The file of the corrected texts.
        reading: The options, including `--normalize`.

    Raises:
        InputError: A graph is not an n-best list, or the texts do not match the lists.
    """
    from latticemetric.corpus.lists import lists_of_pairs, rewritten_pairs, texts_of

    grammar, pairs = grammar_named(reading.normalize), list(paired.pairs)
    if grammar is not None:
        pairs = list(rewritten_pairs(pairs, grammar.text))
    lists = lists_of_pairs(pairs)
    texts = texts_of(path, lists.names, reading.style)
    if reading.preparation is not None:
        texts = [reading.preparation.words(" ".join(text)) for text in texts]
    if grammar is not None:
        texts = list(map(grammar.text, texts))
    return CorrectedPairs(pairs, lists, texts)
