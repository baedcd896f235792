"""Porter's stemmer (Porter 1980), once per word type."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import cast

from latticemetric.errors import MissingDependencyError

_TYPES_KEPT = 1 << 20  # far beyond a test set's vocabulary, and no leak in a server


@lru_cache(maxsize=_TYPES_KEPT)
def porter_stem(word: str) -> str:
    """The stem of a word by the algorithm as Porter published it; case is kept, as in every comparison of words.

    Examples:
        >>> [porter_stem(word) for word in ("computers", "computer", "dying", "as")]
        ['comput', 'comput', 'dy', 'a']
    """
    return _stemmer()(word, False)  # noqa: FBT003  nltk's `to_lowercase`


@cache
def _stemmer() -> Callable[[str, bool], str]:
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError as error:
        raise MissingDependencyError(
            "Porter stems need nltk, which is not installed", advice="install it: pip install nltk"
        ) from error
    # nltk's default has extensions: it keeps short words and knows irregular ones, and differs on 41 of the 1584 word
    # types of a test set.
    stemmer = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
    return cast("Callable[[str, bool], str]", stemmer.stem)
