"""Word stems by Porter's algorithm as he published it (1980), once a word type."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any


@lru_cache(maxsize=2**20)
def stem(word: str) -> str:
    """The stem of a word, in lower case.

    Examples:
        >>> stem("relational"), stem("Ponies")
        ('relat', 'poni')
    """
    return str(_stemmer().stem(word))


@cache
def _stemmer() -> Any:
    # Imported late: it brings much of nltk along.
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
