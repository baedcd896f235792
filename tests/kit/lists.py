"""n-best lists and their references, read from any source at once."""

import os

from latticemetric.corpus.corrections import corrections
from latticemetric.corpus.lists import Lists, lists_of_pairs
from latticemetric.corpus.oracle_at_k import oracle_at_k
from latticemetric.corpus.pairing import pair_within
from latticemetric.corpus.settings import ReadingSettings
from latticemetric.corpus.sources import Records
from latticemetric.formats.reading import entries

__all__ = ["corrections", "corrections_of", "curve", "oracle_at_k", "read_lists"]


def read_lists(source, *, reference_field=None, n=None) -> Lists:
    """The lists of a file, or of records in memory."""
    is_path = isinstance(source, str | os.PathLike)
    found = entries([source]) if is_path else Records(source, n).entries(ReadingSettings(), None)
    return lists_of_pairs(pair_within(found, reference_field, required=False).pairs)


def curve(lists: Lists, metric="wer", **options):
    return oracle_at_k(lists.lists, lists.references, metric, **options)


def corrections_of(lists: Lists, corrected, **options):
    return corrections(lists.lists, lists.references, corrected, **options)
